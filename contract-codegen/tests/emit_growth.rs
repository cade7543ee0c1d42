//! Descriptors that grow, in C and in C++: their headers' text, their compilers, what programs see of every version.

mod support;

use std::path::Path;
use std::process::Command;

use support::toolchain::{self, C_COMPILERS, C_PLATFORMS, CXX_COMPILERS, CXX_PLATFORMS, Compiler};
use wirecontract_codegen::emit::{Artifact, EmitError, c, cpp};
use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::{Body, Catalog, EnumValue};

fn headers(catalog: &Catalog) -> Vec<Artifact> {
    let input = fixtures::input(catalog);
    let mut headers = c::emit(&input).expect("no collisions in C");
    headers.extend(cpp::emit(&input).expect("no collisions in C++"));
    headers
}

/// The headers of both families that grow.
fn all_headers() -> Vec<Artifact> {
    let mut all = headers(&fixtures::growing());
    all.extend(headers(&fixtures::grown()));
    all
}

#[test]
fn the_headers_of_descriptors_that_grow_read_so() {
    for header in headers(&fixtures::growing()) {
        let name = header.path.rsplit('/').next().unwrap();
        if !name.starts_with("core.") {
            insta::assert_snapshot!(name, header.body);
        }
    }
}

#[test]
fn every_compiler_takes_them() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &all_headers());
    let mut work = Vec::new();
    for (compilers, language, standards, extension) in [
        (&C_COMPILERS, "c", ["c11", "c2x"], "h"),
        (&CXX_COMPILERS, "c++", ["c++17", "c++20"], "hpp"),
        (&CXX_COMPILERS, "c++", ["c++17", "c++2b"], "h"),
    ] {
        let source = folder.path().join(format!("{language}.{extension}"));
        let lines = ["grown", "cuvis"].map(|name| format!("#include <wirecontract/{name}.{extension}>\n"));
        std::fs::write(&source, lines.concat()).unwrap();
        for (compiler, standard) in compilers.iter().flat_map(|compiler| standards.map(|it| (compiler, it))) {
            work.push((compiler, standard, language, source.clone()));
        }
    }
    toolchain::in_parallel(work, |(compiler, standard, language, source)| {
        let mut arguments = vec!["-O1", "-c", "-o", "/dev/null", "-x", language, source.to_str().unwrap()];
        if language == "c++" {
            arguments.push("-Wold-style-cast");
        }
        compiler.compile(standard, &include, &arguments);
    });
}

#[test]
fn every_version_is_read_and_written_on_every_platform_in_c() {
    let c = C_PLATFORMS.iter().map(|compiler| ("c11", "c", compiler));
    let cpp = CXX_COMPILERS[..1].iter().map(|compiler| ("c++17", "c++", compiler));
    judged("growth.c", &c.chain(cpp).collect::<Vec<_>>());
}

#[test]
fn every_version_is_read_and_written_on_every_platform_in_cpp() {
    let platforms: Vec<_> = CXX_PLATFORMS.iter().map(|compiler| ("c++17", "c++", compiler)).collect();
    judged("growth.cpp", &platforms);
}

/// A program that knows what to expect.
fn judged(source: &str, compilers: &[(&str, &str, &Compiler)]) {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &all_headers());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support").join(source);
    toolchain::in_parallel(
        compilers.iter().enumerate().collect(),
        |(index, (standard, language, compiler))| {
            let program = folder.path().join(format!("growth{index}"));
            let arguments = ["-x", language, source.to_str().unwrap(), "-o", program.to_str().unwrap()];
            compiler.compile(standard, &include, &arguments);
            assert_eq!(compiler.run(&program, ""), "");
        },
    );
}

#[test]
fn swig_parses_them() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &all_headers());
    for name in ["cuvis.h", "grown.h", "cuvis.hpp", "grown.hpp"] {
        let is_cpp = name.ends_with("hpp");
        let core = if is_cpp { "%import <wirecontract/core.hpp>\n" } else { "" };
        let interface = folder.path().join("checked.i");
        // 451 is about the ownership of `const char *` members; ours borrow texts that live forever. The others are about
        // overloads of operators.
        let text = format!(
            "%module checked\n#pragma SWIG nowarn=314,317,362,401,451,503,509\n%include <stdint.i>\n\
             %import <wirecontract/core.h>\n{core}%include <wirecontract/{name}>\n"
        );
        std::fs::write(&interface, text).unwrap();
        let mut command = Command::new("swig");
        command.args(["-python", "-Werror"]).args(is_cpp.then_some("-c++"));
        command.arg(format!("-I{}", include.display())).arg("-outdir").arg(folder.path());
        let output =
            toolchain::run(command.arg("-o").arg(folder.path().join("wrap")).arg(&interface), "swig", "");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// What is said of the fixtures after a change.
fn errors(change: impl FnOnce(&mut Catalog)) -> Vec<String> {
    let mut catalog = fixtures::growing();
    change(&mut catalog);
    let input = fixtures::input(&catalog);
    let all = [c::emit(&input).err(), cpp::emit(&input).err()];
    all.into_iter().flatten().flatten().map(|error: EmitError| error.to_string()).collect()
}

#[test]
fn names_of_versions_are_taken() {
    let function = errors(|catalog| catalog.contracts[0].name = "FrameWriteVersion".into());
    assert!(function.iter().any(|error| error.contains("wc_frame_write_version")), "{function:?}");
    let none = errors(|catalog| catalog.contracts[0].name = "FrameWriteVersions".into());
    assert_eq!(none, [""; 0]);
    let constant = errors(|catalog| {
        let Body::Enumeration(body) = &fixtures::grown().contracts[0].body else { panic!("an enumeration") };
        let mut body = body.clone();
        body.values[0] = EnumValue { name: "V2".into(), ..body.values[0].clone() };
        catalog.contracts.push(fixtures::contract("FrameSize", Body::Enumeration(body)));
    });
    assert!(constant.iter().any(|error| error.contains("WC_FRAME_SIZE_V2")), "{constant:?}");
}

#[test]
fn a_member_that_is_called_as_what_grows_has_gets_an_underscore() {
    let mut catalog = fixtures::growing();
    let Body::Descriptor(region) = &mut catalog.contracts[0].body else { panic!("a descriptor") };
    region.fields[0].name = "version_of".into();
    let headers = headers(&catalog);
    let header = headers.iter().find(|header| header.path.ends_with("cuvis.hpp")).unwrap();
    assert!(header.body.contains("std::uint16_t version_of_{};"));
}

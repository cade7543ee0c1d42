//! What a library exports: the headers' text, and programs in C and C++ against a library that is made up.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::toolchain::{
    self, C_COMPILERS, C_PLATFORMS, CLANG, CLANGXX, CXX_COMPILERS, CXX_PLATFORMS, Compiler, GCC, GXX,
};
use wirecontract_codegen::emit::{Artifact, EmitError, EmitInput, c, cpp};
use wirecontract_codegen::fixtures::export::{self, exported, id, out, param, passed};
use wirecontract_codegen::fixtures::{self, fixed};
use wirecontract_codegen::model::{
    Body, CallbackParam, Catalog, Contract, Function, OutForm, ParamForm, Pass, Scalar,
};

fn headers(catalog: &Catalog) -> Vec<Artifact> {
    let input = fixtures::input(catalog);
    let mut headers = c::emit(&input).expect("no collisions in C");
    headers.extend(cpp::emit(&input).expect("no collisions in C++"));
    headers
}

fn text<'a>(artifacts: &'a [Artifact], path: &str) -> &'a str {
    &artifacts.iter().find(|artifact| artifact.path == path).expect("it is emitted").body
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export_support").join(name)
}

#[test]
fn the_headers_of_exported_functions_read_so() {
    let headers = headers(&export::catalog());
    let paths: Vec<&str> = headers.iter().map(|header| header.path.as_str()).collect();
    // The family that only says which symbols there are has none.
    let names = ["core.h", "library.h", "sensor.h", "core.hpp", "sensor.hpp"];
    assert_eq!(paths, names.map(|name| format!("include/wirecontract/{name}")));
    insta::assert_snapshot!("library.h", text(&headers, paths[1]));
    insta::assert_snapshot!("sensor.h", text(&headers, paths[2]));
    insta::assert_snapshot!("sensor.hpp", text(&headers, paths[4]));
    let stated = &headers[1].contracts;
    assert_eq!(stated[..3], [id::LIBRARY, id::CAMERA, id::FRAME]);
    assert!(!stated.contains(&id::SYMBOLS) && !stated.contains(&id::MODE), "{stated:?}");
}

#[test]
fn every_compiler_takes_programs_that_use_all_forms() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(&export::catalog()));
    // As of a shared library.
    for extension in ["h", "hpp"] {
        let lines = format!("#include <wirecontract/sensor.{extension}>\n").repeat(2);
        fs::write(folder.path().join(extension), lines).unwrap();
    }
    let mut work = Vec::new();
    for standard in ["c11", "c17", "c2x"] {
        for source in [source("program.c"), source("library.c"), folder.path().join("h")] {
            work.extend(C_COMPILERS.iter().map(|&compiler| (compiler, standard, "c", source.clone())));
        }
    }
    for standard in ["c++17", "c++20"] {
        for source in [source("program.cpp"), folder.path().join("h"), folder.path().join("hpp")] {
            work.extend(CXX_COMPILERS.iter().map(|&compiler| (compiler, standard, "c++", source.clone())));
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

/// A program linked with the library that is made up; what it prints.
fn answer(
    folder: &Path,
    include: &Path,
    c: &Compiler,
    program: (&Compiler, &str, &Path),
    flag: &str,
) -> String {
    let (compiler, standard, source) = program;
    let object = folder.join(format!("library{standard}{}{}.o", c.command, c.flags.concat()));
    let binary = object.with_extension("program");
    let (library, support) = (self::source("library.c"), format!("-I{}", self::source("").display()));
    c.compile("c11", include, &["-c", flag, library.to_str().unwrap(), "-o", object.to_str().unwrap()]);
    let source = source.to_str().unwrap();
    compiler.compile(
        standard,
        include,
        &[&support, source, object.to_str().unwrap(), "-o", binary.to_str().unwrap()],
    );
    compiler.run(&binary, "")
}

#[test]
fn every_platform_calls_and_is_called_from_c_and_from_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(&export::catalog()));
    let pairs = C_PLATFORMS.into_iter().zip(CXX_PLATFORMS);
    let mut work: Vec<(Compiler, Compiler, &str, &str)> = Vec::new();
    for (c, cpp) in pairs {
        work.extend([(c, c, "c11", "program.c"), (c, cpp, "c++17", "program.cpp")]);
    }
    toolchain::in_parallel(work, |(c, compiler, standard, name)| {
        let program = (&compiler, standard, &*source(name));
        assert_eq!(answer(folder.path(), &include, &c, program, "-DWC_STATIC_LIBRARY"), "", "{compiler:?}");
    });
}

#[test]
fn a_library_of_another_declaration_is_told_by_the_function_that_differs() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(&export::catalog()));
    let program = folder.path().join("program.c");
    let lines = "#define WC_STATIC\n#include <wirecontract/sensor.h>\n#include <stdio.h>\n\
                 int main(void) {\n    wc_abi_mismatch m;\n    const wc_status status = wc_check_abi(&m);\n\
                 (void)printf(\"%s %s %d %d\", wc_status_name(status), m.symbol, m.expected == WC_MEAN_WIRE_ID, m.found == 5);\n\
                 return wc_check_abi(NULL) == status ? 0 : 1;\n}\n";
    fs::write(&program, lines).unwrap();
    let given = answer(folder.path(), &include, &GCC, (&GCC, "c11", &program), "-DMEAN_WIRE_ID=5");
    assert_eq!(given, "id_mismatch wc_mean 1 1");
}

/// What a compiler says of a source that it must refuse.
fn refused(folder: &Path, include: &Path, compiler: &Compiler, extension: &str, lines: &str) -> String {
    let source = folder.join(format!("refused_by_{}", compiler.command)).with_extension(extension);
    fs::write(&source, lines).unwrap();
    let standard = if extension == "c" { "-std=c11" } else { "-std=c++17" };
    let mut command = Command::new(compiler.command);
    command.args([standard, "-fsyntax-only", "-I"]).arg(include).arg(source).env("LC_ALL", "C");
    let output = toolchain::run(&mut command, compiler.package, "");
    assert!(!output.status.success(), "{} took\n{lines}", compiler.command);
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_handle_that_is_destroyed_by_value_is_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(&export::catalog()));
    let lines = |extension: &str, statement: &str| {
        format!(
            "#include <wirecontract/sensor.{extension}>\nvoid use(wc_camera camera);\nvoid use(wc_camera camera) {{ {statement} }}\n"
        )
    };
    let by_value = "wc_camera_destroy(camera);";
    for (compiler, extension, words) in [
        (GCC, "c", "incompatible type for argument 1 of 'wc_camera_destroy'"),
        (
            CLANG,
            "c",
            "passing 'wc_camera' (aka 'struct wc_camera') to parameter of incompatible type 'wc_camera *'",
        ),
        (GXX, "cpp", "cannot convert 'wc_camera' to 'wc_camera*'"),
        (CLANGXX, "cpp", "no known conversion from 'wc_camera' to 'wc_camera *'"),
    ] {
        let errors = refused(folder.path(), &include, &compiler, extension, &lines("h", by_value));
        assert!(errors.contains(words), "{errors}");
    }
    // Nor is another type's handle, a copy of its owner, or one that is taken and not given away.
    let class = "using namespace wirecontract::sensor; Camera owner = Camera::adopt(camera);";
    for (statement, words) in [
        ("wc_frame_destroy(&camera);", "cannot convert 'wc_camera*' to 'wc_frame*'"),
        ("Camera other = owner;", "use of deleted function"),
        ("wc_camera_destroy(&owner);", "cannot convert 'wirecontract::sensor::Camera*' to 'wc_camera*'"),
        ("static_cast<void>(owner.into_frame());", "as 'this' argument discards qualifiers"),
    ] {
        let errors =
            refused(folder.path(), &include, &GXX, "cpp", &lines("hpp", &format!("{class} {statement}")));
        assert!(errors.contains(words), "{errors}");
    }
}

#[test]
fn headers_of_different_declarations_do_not_meet() {
    let folder = tempfile::tempdir().unwrap();
    let mut catalog = export::catalog();
    let include = toolchain::write(folder.path(), &headers(&catalog));
    catalog.contracts[id::OPEN.0].wire_id ^= 1;
    catalog.contracts[id::CAMERA.0].wire_id ^= 1;
    fs::write(
        include.join("wirecontract/library.h"),
        text(&headers(&catalog), "include/wirecontract/library.h"),
    )
    .unwrap();
    let errors = refused(folder.path(), &include, &GCC, "c", "#include <wirecontract/sensor.h>\n");
    for name in ["Camera", "Camera::open"] {
        let words = format!("{name}: this header and <wirecontract/library.h> are of different declarations");
        assert!(errors.contains(&words), "{errors}");
    }
    assert!(!errors.contains("Frame"), "{errors}");
}

#[test]
fn swig_parses_every_header() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(&export::catalog()));
    for (name, flags, before) in [
        ("library.h", &["-python"][..], "%include <wirecontract/core.h>"),
        ("sensor.h", &["-python"], "%include <wirecontract/core.h>\n%include <wirecontract/library.h>"),
        // As any header of this project is wrapped: with core.h alone before it.
        ("sensor.h", &["-python", "-c++"], "%include <wirecontract/core.h>"),
        (
            "sensor.hpp",
            &["-python", "-c++"],
            "%import <wirecontract/core.h>\n%import <wirecontract/core.hpp>",
        ),
    ] {
        let interface = folder.path().join("checked.i");
        let text = format!(
            "%module checked\n#pragma SWIG nowarn=314,317,362,401,451,503,509\n%include <stdint.i>\n{before}\n\
             %include <wirecontract/{name}>\n"
        );
        fs::write(&interface, text).unwrap();
        let mut command = Command::new("swig");
        command.args(flags).arg("-Werror").arg(format!("-I{}", include.display()));
        command.arg("-outdir").arg(folder.path()).arg("-o").arg(folder.path().join("wrap"));
        let output = toolchain::run(command.arg(&interface), "swig", "");
        let wrapped = fs::read_to_string(folder.path().join("wrap")).unwrap_or_default();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let word = if name == "library.h" { "wc_bytes_free" } else { "amera_gain" };
        assert!(wrapped.contains(word), "{name} {flags:?}");
    }
}

/// The errors of C and of C++ for the catalog after a change.
fn errors(change: impl FnOnce(&mut Catalog)) -> [Vec<String>; 2] {
    let mut catalog = export::catalog();
    change(&mut catalog);
    let input = fixtures::input(&catalog);
    let texts = |emitted: Result<_, Vec<EmitError>>| {
        emitted.map_or_else(
            |errors| errors.iter().map(EmitError::to_string).collect(),
            |_: Vec<Artifact>| vec![],
        )
    };
    [texts(c::emit(&input)), texts(cpp::emit(&input))]
}

fn add(contract: Contract) -> impl FnOnce(&mut Catalog) {
    move |catalog| catalog.contracts.push(Contract { module: "wirecontract_gpu::sensor".into(), ..contract })
}

fn number(name: &str) -> wirecontract_codegen::model::FunctionParam {
    param(name, ParamForm::Value(fixed(Scalar::U32)))
}

fn samples(name: &str) -> wirecontract_codegen::model::FunctionParam {
    param(name, ParamForm::Slice { item: fixed(Scalar::F32), is_mut: false })
}

/// What makes a catalog one that is refused.
type Change = Box<dyn FnOnce(&mut Catalog)>;

#[test]
fn a_name_that_two_would_have_is_refused_with_both() {
    let named = |name: &'static str| -> Change { Box::new(add(exported(name, vec![], vec![]))) };
    let told = |name: &str| CallbackParam { name: name.into(), form: ParamForm::Value(fixed(Scalar::U8)) };
    let cases: Vec<(&str, &str, Change)> = vec![
        ("wc_camera_gain", "two functions", named("camera_gain")),
        ("wc_camera_destroy", "a function and the end of a handle", named("camera_destroy")),
        ("wc_mean_wire_id", "a function and a wire id", named("mean_wire_id")),
        ("wc_check_abi", "a function and the check", named("check_abi")),
        ("wc_last_error", "a function and the library's", named("last_error")),
        ("wc_mode_name", "a function and an enumeration's", named("mode_name")),
        ("wc_status", "a function and a type of core.h", named("status")),
        (
            "WC_API",
            "a value and the macro",
            Box::new(|catalog| {
                let Body::Enumeration(mode) = &mut catalog.contracts[id::MODE.0].body else {
                    panic!("it is one")
                };
                mode.values[0].c_name = Some("WC_API".into());
            }),
        ),
        (
            "WC_LIBRARY_WIRE_ID",
            "a handle's constant and the library's",
            Box::new(|catalog| catalog.contracts[id::FRAME.0].name = "Library".into()),
        ),
        (
            "wirecontract/library.h",
            "a family and the library's header",
            Box::new(|catalog| {
                let of_sensor = |contract: &&mut Contract| contract.family() == "sensor";
                catalog
                    .contracts
                    .iter_mut()
                    .filter(of_sensor)
                    .for_each(|contract| contract.module = "wirecontract_gpu::library".into());
            }),
        ),
        (
            "a_length",
            "a length and a parameter",
            Box::new(add(exported("f", vec![samples("a"), number("a_length")], vec![]))),
        ),
        (
            "out",
            "a parameter and a result",
            Box::new(add(exported("f", vec![number("out")], vec![out("out", OutForm::Text)]))),
        ),
        ("wc_mode", "a parameter and a type", Box::new(add(exported("f", vec![number("wc_mode")], vec![])))),
        (
            "context",
            "what a callback is told",
            Box::new(add(exported(
                "f",
                vec![param("g", ParamForm::Callback(vec![told("context")]))],
                vec![],
            ))),
        ),
    ];
    for (name, what, change) in cases {
        let [c, _] = errors(change);
        let expected = format!("would both be `{name}`");
        assert!(c.iter().any(|error| error.starts_with("C: ") && error.contains(&expected)), "{what}: {c:?}");
    }
    let cases: Vec<(&str, &str, Change)> = vec![
        ("Camera", "a method and its class", Box::new(add(exported("Camera::Camera", vec![], vec![])))),
        (
            "CameraSizeResult",
            "a type and what a method gives",
            Box::new(|catalog| catalog.contracts[id::SETTINGS.0].name = "CameraSizeResult".into()),
        ),
        (
            "release_",
            "two methods, one with an underscore",
            Box::new(|catalog| {
                add(exported("Camera::release", vec![], vec![]))(catalog);
                add(exported("Camera::release_", vec![], vec![]))(catalog);
            }),
        ),
        ("is_known", "a function and an enumeration's", named("is_known")),
    ];
    for (name, what, change) in cases {
        let [_, cpp] = errors(change);
        let expected = format!("would both be `{name}`");
        assert!(
            cpp.iter().any(|error| error.starts_with("C++: ") && error.contains(&expected)),
            "{what}: {cpp:?}"
        );
    }
    // A field of that name is in its class, and the function in its namespace.
    assert_eq!(errors(add(exported("gain", vec![], vec![]))), [vec![], Vec::<String>::new()]);
    for errors in errors(add(exported("f", vec![number("größe")], vec![]))) {
        assert!(errors[0].contains("`größe` of the parameter größe of "), "{errors:?}");
    }
}

fn function(catalog: &mut Catalog, index: usize) -> &mut Function {
    match &mut catalog.contracts[index].body {
        Body::Function(function) => function,
        _ => panic!("it is no function"),
    }
}

#[test]
fn symbols_begin_as_the_package_s_names_and_there_is_a_library() {
    let [c, cpp] = errors(|catalog| function(catalog, id::OPEN.0).prefix = "sensor".into());
    assert_eq!(
        (c, cpp.len()),
        (
            vec![
                "C: wirecontract_gpu::sensor::Camera::open is exported with the prefix `sensor`, and the names of \
                 wirecontract-gpu begin with `wc`: declare `prefix = \"wc\"`, or set `c-prefix` in the package's \
                 metadata"
                    .to_owned()
            ],
            0
        )
    );
    let [c, _] = errors(|catalog| {
        let Body::Symbols(symbols) = &mut catalog.contracts[id::LIBRARY.0].body else { panic!("it is one") };
        symbols.is_library = false;
    });
    assert_eq!(
        c,
        ["C: wirecontract_gpu::sensor::Camera is exported, and nothing tells why it fails: declare \
             `wirecontract::wire_library!(prefix = \"wc\")` once in wirecontract-gpu"]
    );
}

#[test]
fn names_that_are_taken_in_one_language_are_escaped_and_hide_nothing() {
    let mut catalog = export::catalog();
    let told = ["on", "samples", "status", "on_target"]
        .map(|name| CallbackParam { name: name.into(), form: samples("").form });
    let params = vec![
        passed("self", id::CAMERA, Pass::BorrowedMut),
        samples("class"),
        number("status"),
        number("c_"),
        param("name", ParamForm::Descriptor(id::CALIBRATION)),
        number("name_bytes"),
        param("on", ParamForm::Callback(told.into())),
        passed("frame", id::FRAME, Pass::Taken),
        number("frame_c"),
        number("gain"),
    ];
    let outs = vec![
        out("out_1", OutForm::Text),
        out("out_1_owned", OutForm::Descriptor(id::CALIBRATION)),
        out("default", OutForm::Bytes),
    ];
    add(exported("Camera::delete", params, outs))(&mut catalog);
    add(exported("Camera::adopt", vec![], vec![]))(&mut catalog);
    let headers = headers(&catalog);
    let (c, cpp) =
        (text(&headers, "include/wirecontract/sensor.h"), text(&headers, "include/wirecontract/sensor.hpp"));
    assert!(c.contains("const float *class_,\n    size_t class_length,"), "{c}");
    assert!(cpp.contains("> delete_(") && cpp.contains("> adopt_("), "{cpp}");
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers);
    let lines = "#include <wirecontract/sensor.hpp>\n";
    fs::write(folder.path().join("source"), lines).unwrap();
    toolchain::in_parallel(vec![GXX, CLANGXX], |compiler| {
        let source = folder.path().join("source");
        let arguments = ["-Wold-style-cast", "-fsyntax-only", "-x", "c++", source.to_str().unwrap()];
        compiler.compile("c++17", &include, &arguments);
    });
}

#[test]
fn a_method_in_another_family_is_a_function_that_takes_the_handle() {
    let mut catalog = export::catalog();
    let mut moved = exported(
        "Camera::zoom",
        vec![passed("self", id::CAMERA, Pass::BorrowedMut), passed("frame", id::FRAME, Pass::Taken)],
        vec![out("out", OutForm::Handle(id::FRAME))],
    );
    moved.module = "wirecontract_gpu::optics".into();
    catalog.contracts.push(moved);
    let headers = headers(&catalog);
    let optics = text(&headers, "include/wirecontract/optics.hpp");
    assert!(
        optics.contains(
            "camera_zoom(::wirecontract::sensor::Camera &self, ::wirecontract::sensor::Frame &&frame) noexcept"
        ),
        "{optics}"
    );
    // It is in the one list of the package.
    assert!(
        text(&headers, "include/wirecontract/library.h").contains("WC_CAMERA_ZOOM_WIRE_ID, wc_camera_zoom")
    );
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers);
    for (compiler, standard, language, name) in
        [(GCC, "c11", "c", "optics.h"), (GXX, "c++17", "c++", "optics.hpp")]
    {
        let source = include.join("wirecontract").join(name);
        compiler.compile(standard, &include, &["-fsyntax-only", "-x", language, source.to_str().unwrap()]);
    }
}

#[test]
fn the_library_s_header_is_the_same_whichever_family_is_written() {
    let mut catalog = export::catalog();
    let mut other = exported("zoom", vec![], vec![]);
    other.module = "wirecontract_gpu::optics".into();
    catalog.contracts.push(other);
    let whole = fixtures::input(&catalog);
    let optics = whole.families.iter().position(|family| family.name == "optics").unwrap();
    let one = EmitInput { selected: vec![optics], ..whole.clone() };
    let [whole, one] = [whole, one].map(|input| c::emit(&input).expect("no collisions"));
    assert_eq!(whole[1], one[1]);
    let paths: Vec<&str> = one.iter().map(|artifact| artifact.path.as_str()).collect();
    assert_eq!(paths[1..], ["include/wirecontract/library.h", "include/wirecontract/optics.h"]);
}

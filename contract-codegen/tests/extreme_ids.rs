//! Wire ids that readers of numbers get wrong: zero, which looks like none, those whose first bit is set, which are
//! negative where someone takes them for signed, and those that no double holds. Each is printed, read and compared as
//! itself, and as no other, in every language.

mod catalog_support;
mod interpreter;
mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use support::toolchain::{self, C_COMPILERS, CLANG, CLANGXX, CXX_COMPILERS, Compiler, GCC, GXX};
use wirecontract_codegen::emit::{Artifact, c, cpp, json, python};
use wirecontract_codegen::fixtures::{self, export};
use wirecontract_codegen::lock::{Form, Lock};
use wirecontract_codegen::model::{Body, Catalog};

const EXTREMES: [u64; 6] = [
    0,
    1 << 53 | 1,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
];

/// Every kind that other languages know, all with that id.
fn with(id: u64) -> Catalog {
    let mut catalog = export::catalog();
    catalog.contracts.iter_mut().for_each(|contract| contract.wire_id = id);
    catalog
}

/// The symbols of a library whose ids stand beside them.
fn symbols(catalog: &Catalog) -> Vec<String> {
    let of = |body: &Body| match body {
        Body::Handle(handle) => vec![handle.destroy.clone()],
        Body::Function(function) => vec![function.symbol.clone()],
        Body::Symbols(symbols) if symbols.is_library => symbols.names.clone(),
        _ => Vec::new(),
    };
    catalog.contracts.iter().flat_map(|contract| of(&contract.body)).collect()
}

/// The names that macros of ids have in a header.
fn constants(headers: &[Artifact]) -> Vec<String> {
    let lines = headers.iter().flat_map(|header| header.body.lines());
    let names = lines.filter_map(|line| line.strip_prefix("#define ")?.split(' ').next());
    names.filter(|name| name.ends_with("_WIRE_ID")).map(str::to_owned).collect()
}

/// A program that prints every constant, and whether a library that states `beside` is the one of the headers.
fn program(catalog: &Catalog, names: &[String], beside: u64, linkage: &str) -> String {
    let mut text =
        String::from("#include <inttypes.h>\n#include <stdio.h>\n#include <wirecontract/library.h>\n");
    text.push_str("#include <wirecontract/sensor.h>\n");
    for symbol in symbols(catalog) {
        writeln!(text, "{linkage} const uint64_t {symbol}_wire_id = UINT64_C({beside:#x});").unwrap();
    }
    text.push_str("int main(void)\n{\n");
    for name in names {
        writeln!(text, "    printf(\"{name} %016\" PRIx64 \"\\n\", {name});").unwrap();
    }
    text.push_str(
        "    wc_abi_mismatch mismatch = {0, 0, 0};\n    const int status = wc_check_abi(&mismatch);\n    \
         printf(\"check %d %016\" PRIx64 \" %016\" PRIx64 \"\\n\", status, mismatch.expected, mismatch.found);\n    \
         return 0;\n}\n",
    );
    text
}

#[test]
fn c_and_cpp_print_and_compare_each_as_itself() {
    let mut work: Vec<(Compiler, &str, &str, u64)> = Vec::new();
    for id in EXTREMES {
        for compiler in [GCC, CLANG, C_COMPILERS[3], C_COMPILERS[4]] {
            work.push((compiler, "c11", "c", id));
        }
        for compiler in [GXX, CLANGXX, CXX_COMPILERS[3]] {
            work.push((compiler, "c++17", "cpp", id));
        }
    }
    toolchain::in_parallel(work, |(compiler, standard, extension, id)| {
        let catalog = with(id);
        let input = fixtures::input(&catalog);
        let mut headers = c::emit(&input).expect("no collisions in C");
        let names = constants(&headers);
        assert!(names.len() > 20, "{names:?}");
        headers.extend(cpp::emit(&input).expect("no collisions in C++"));
        for beside in [id, id ^ 1 << 63, id ^ 1] {
            let folder = tempfile::tempdir().unwrap();
            let include = toolchain::write(folder.path(), &headers);
            let linkage = if extension == "c" { "" } else { "extern \"C\"" };
            let mut text = program(&catalog, &names, beside, linkage);
            if extension == "cpp" {
                // What a class says of itself is held against the C header's where it stands.
                text = format!("#include <wirecontract/sensor.hpp>\n{text}");
            }
            let source = folder.path().join(format!("program.{extension}"));
            fs::write(&source, text).unwrap();
            let program = folder.path().join("program");
            compiler.compile(
                standard,
                &include,
                &[source.to_str().unwrap(), "-o", program.to_str().unwrap()],
            );
            let said = compiler.run(&program, "");
            let (constants, check) = said.split_once("check ").expect("it is asked last");
            for (line, name) in constants.lines().zip(&names) {
                assert_eq!(line, format!("{name} {id:016x}"), "{compiler:?}");
            }
            let is_same = check.starts_with("0 ");
            assert_eq!(is_same, beside == id, "{compiler:?} {id:#x} {beside:#x}: {check}");
            assert!(is_same || check.contains(&format!("{id:016x} {beside:016x}")), "{check}");
        }
    });
}

#[test]
fn python_prints_and_compares_each_as_itself() {
    let folder = tempfile::tempdir().unwrap();
    for (number, id) in EXTREMES.into_iter().enumerate() {
        let root = folder.path().join(number.to_string());
        let catalog = with(id);
        interpreter::write(&root, &python::emit(&fixtures::input(&catalog)).expect("there is a Python half"));
        for (name, stated) in [("same", id), ("sign", id ^ 1 << 63), ("last", id ^ 1)] {
            let mut text = String::from("#include <stdint.h>\n");
            for symbol in symbols(&catalog) {
                writeln!(
                    text,
                    "const uint64_t {symbol}_wire_id = UINT64_C({stated:#x});\nint32_t {symbol}(void);"
                )
                .unwrap();
                writeln!(text, "int32_t {symbol}(void) {{ return 0; }}").unwrap();
            }
            let source = root.join(format!("{name}.c"));
            fs::write(&source, text).unwrap();
            compile(&root.join(format!("lib{name}.so")), &source);
        }
        fs::copy(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/extreme_ids.py"),
            root.join("python/extreme_ids.py"),
        )
        .unwrap();
        let output = interpreter::run(&root.join("python"), &["extreme_ids.py", &format!("{id:#x}")]);
        assert!(output.status.success(), "{id:#x}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

fn compile(library: &Path, source: &Path) {
    let mut command = Command::new("gcc");
    command.args(["-std=c11", "-shared", "-fPIC", "-o"]).arg(library).arg(source);
    let output = command.output().expect("gcc is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn json_has_them_as_text_that_no_reader_rounds() {
    for id in EXTREMES {
        let catalog = with(id);
        let artifacts = json::emit(&fixtures::input(&catalog)).expect("there is a JSON half");
        let mut found = 0;
        for artifact in artifacts {
            let value: serde_json::Value = serde_json::from_str(&artifact.body).unwrap();
            let mut waiting = vec![value];
            while let Some(value) = waiting.pop() {
                match value {
                    serde_json::Value::Object(members) => {
                        if let Some(wire_id) = members.get("wire_id") {
                            assert_eq!(*wire_id, serde_json::Value::from(format!("{id:#018x}")));
                            found += 1;
                        }
                        waiting.extend(members.into_iter().map(|(_, value)| value));
                    }
                    serde_json::Value::Array(items) => waiting.extend(items),
                    _ => {}
                }
            }
        }
        assert!(found >= catalog.contracts.len() - 1, "{found}");
    }
}

#[test]
fn a_lock_reads_them_as_it_wrote_them() {
    for id in EXTREMES {
        let catalog = with(id);
        let mut lock = Lock::default();
        for (index, _) in catalog.iter() {
            lock.accept(Form::of(&catalog, index)).unwrap();
        }
        let text = lock.text();
        let read = Lock::parse(&text).unwrap();
        assert_eq!(read.text(), text);
        assert!(read.forms().all(|form| form.wire_id == id));
        for other in [id ^ 1 << 63, id ^ 1] {
            let edited =
                text.replace(&format!("wire_id = \"{id:#018x}\""), &format!("wire_id = \"{other:#018x}\""));
            assert!(Lock::parse(&edited).is_err(), "an id that was edited is seen by the digest");
        }
    }
}

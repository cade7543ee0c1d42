//! The family `dlpack` is `DLPack`: every size, offset, number and macro is the one of the real header, and a tensor goes
//! from code that was compiled against one header to code that was compiled against the other, and back.

use std::path::{Path, PathBuf};
use std::process::Command;

use wirecontract_codegen::emit::PackageConfig;
use wirecontract_codegen::model::{Body, Contract, DataModel};
use wirecontract_codegen::names::c as names;
use wirecontract_tests::differential::{Machine, Shipped, toolchain};
use wirecontract_tests::repository;

const OURS: &str = "wirecontract/dlpack.h";
const THEIRS: &str = "dlpack/dlpack.h";

fn scratch() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dlpack_header");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Where the real header is: in the environment of the tests.
fn theirs() -> PathBuf {
    let find =
        "import importlib.util as u; print(next(iter(u.find_spec('tvm_ffi').submodule_search_locations)))";
    let output = toolchain::python().args(["-c", find]).output().expect("Python starts");
    assert!(
        output.status.success(),
        "expected the package apache-tvm-ffi, which has the real dlpack.h, found none: \
         python -m pip install --no-deps apache-tvm-ffi"
    );
    Path::new(String::from_utf8_lossy(&output.stdout).trim()).join("include")
}

fn package() -> PackageConfig {
    PackageConfig { c_prefix: "wc".into(), ..PackageConfig::default_for("wirecontract-gpu") }
}

fn dlpack(shipped: &Shipped) -> Vec<&Contract> {
    shipped.catalog.contracts.iter().filter(|contract| contract.family() == "dlpack").collect()
}

/// A program that prints a line for each size, offset and number.
fn probe(contracts: &[&Contract], header: &str) -> String {
    let package = package();
    let mut body = String::new();
    let mut line = |what: &str, value: &str| {
        let print = format!("    printf(\"{what} %lld\\n\", (long long)({value}));\n");
        body.push_str(&print);
    };
    for contract in contracts {
        let name = names::type_name(&package, contract);
        match &contract.body {
            Body::Abi(it) => {
                line(&format!("size {name}"), &format!("sizeof({name})"));
                for field in &it.fields {
                    let member = names::abi_member(field);
                    line(&format!("offset {name}.{member}"), &format!("offsetof({name}, {member})"));
                    line(&format!("size {name}.{member}"), &format!("sizeof((({name} *)0)->{member})"));
                }
            }
            Body::Enumeration(it) => {
                for value in &it.values {
                    let constant = names::value_constant(&package, contract, value);
                    line(&format!("value {constant}"), &constant);
                }
            }
            Body::Flags(it) => {
                for value in &it.values {
                    let constant = names::value_constant(&package, contract, value);
                    line(&format!("value {constant}"), &constant);
                }
            }
            _ => panic!("expected structs, enumerations and flags, found {}", contract.kind()),
        }
    }
    line("size DLDeviceType", "sizeof(DLDeviceType)");
    format!(
        "#include <stddef.h>\n#include <stdio.h>\n#include <{header}>\n\nint main(void)\n{{\n{body}    return 0;\n}}\n"
    )
}

/// What the program prints, compiled as that language for that machine.
fn printed(source: &str, header: &str, machine: Machine, language: &str) -> String {
    let stem =
        format!("probe-{}-{}-{}", header.replace('/', "-"), machine.name(), language.replace('+', "p"));
    let (text, program) = (scratch().join(format!("{stem}.c")), scratch().join(&stem));
    std::fs::write(&text, source).expect("a file");
    let standard = if language == "c" { "-std=c11" } else { "-std=c++17" };
    let mut compiler = if language == "c" { machine.c_compiler() } else { machine.cpp_compiler() };
    compiler.args([standard, "-Wall", "-Wextra", "-Werror", "-x", language]).arg(&text);
    compiler.arg("-I").arg(repository().join("bindings/c/include")).arg("-I").arg(theirs());
    toolchain::run(compiler.arg("-o").arg(&program));
    let command = machine.runner(&program);
    toolchain::run(Command::new(&command[0]).args(&command[1..]))
}

#[test]
fn every_size_offset_and_number_is_that_of_the_real_header() {
    let shipped = Shipped::read(&scratch());
    let contracts = dlpack(&shipped);
    assert_eq!(contracts.len(), 11, "structs, enumerations and flags of DLPack 1.3");
    for (machine, model) in [(Machine::Native, DataModel::Lp64), (Machine::Bits32, DataModel::Ilp32U64Align4)]
    {
        for language in ["c", "c++"] {
            let ours = printed(&probe(&contracts, OURS), OURS, machine, language);
            let theirs = printed(&probe(&contracts, THEIRS), THEIRS, machine, language);
            assert_eq!(ours, theirs, "{language} on {}", machine.name());
            assert_eq!(ours.lines().filter(|line| line.starts_with("value ")).count(), 37);
            for contract in &contracts {
                let Body::Abi(it) = &contract.body else { continue };
                let name = names::type_name(&package(), contract);
                let size = it.layouts[model.index()].size;
                assert!(
                    ours.contains(&format!("size {name} {size}\n")),
                    "{name} has {size} bytes in the record"
                );
                for field in &it.fields {
                    let place =
                        format!("{name}.{} {}\n", names::abi_member(field), field.offsets[model.index()]);
                    assert!(ours.contains(&format!("offset {place}")), "{place} in the record");
                }
            }
        }
    }
}

/// Two halves of one program, each compiled against its own header: a producer and a consumer.
#[test]
fn a_tensor_goes_to_code_of_the_other_header_and_back() {
    let folder = scratch();
    let sources = repository().join("tests/c");
    for (producer, consumer) in [(OURS, THEIRS), (THEIRS, OURS)] {
        let program = folder.join(format!("exchange-{}", producer.replace('/', "-")));
        let mut objects = Vec::new();
        for (half, header) in [("dlpack_producer", producer), ("dlpack_consumer", consumer)] {
            let object = folder.join(format!("{half}-{}.o", header.replace('/', "-")));
            let mut compiler = Machine::Native.c_compiler();
            compiler
                .args(["-std=c11", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"])
                .args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
                .arg(format!("-DDLPACK_HEADER=<{header}>"))
                .arg("-I")
                .arg(repository().join("bindings/c/include"))
                .arg("-isystem")
                .arg(theirs())
                .arg("-c")
                .arg(sources.join(format!("{half}.c")))
                .arg("-o")
                .arg(&object);
            toolchain::run(&mut compiler);
            objects.push(object);
        }
        let mut linker = Machine::Native.c_compiler();
        toolchain::run(linker.arg("-fsanitize=address,undefined").args(&objects).arg("-o").arg(&program));
        let printed = toolchain::run(&mut Command::new(&program));
        assert_eq!(printed, "sum 66, deleted 1\nsum 66, deleted 1\nnull data of no elements\n", "{producer}");
    }
}

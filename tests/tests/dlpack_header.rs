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
                    if let Some(ty) = &field.c_type {
                        // Types of two signatures are compared with a warning.
                        line(&format!("type {ty}"), &format!("sizeof((({name} *)0)->{member} == ({ty})0)"));
                    }
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
    for version in ["DLPACK_MAJOR_VERSION", "DLPACK_MINOR_VERSION"] {
        line(&format!("value {version}"), version);
    }
    for text in ["DLPACK_EXTERN_C", "DLPACK_DLL"] {
        let print = format!("    printf(\"text {text} %s\\n\", TEXT({text}));\n");
        body.push_str(&print);
    }
    let text = "#define TEXT_OF(...) #__VA_ARGS__\n#define TEXT(macro) TEXT_OF(macro)\n\n";
    format!(
        "#include <stddef.h>\n#include <stdio.h>\n#include <{header}>\n\n{text}int main(void)\n{{\n{body}    return 0;\n}}\n"
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
            assert_eq!(ours.lines().filter(|line| line.starts_with("value ")).count(), 39);
            let linkage = if language == "c" { "" } else { "extern \"C\"" };
            assert!(ours.contains(&format!("text DLPACK_EXTERN_C {linkage}\ntext DLPACK_DLL \n")), "{ours}");
            for contract in &contracts {
                let Body::Abi(it) = &contract.body else { continue };
                let name = names::type_name(&package(), contract);
                let size = it.layouts[model as usize].size;
                assert!(
                    ours.contains(&format!("size {name} {size}\n")),
                    "{name} has {size} bytes in the record"
                );
                for field in &it.fields {
                    let place =
                        format!("{name}.{} {}\n", names::abi_member(field), field.offsets[model as usize]);
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

/// What a compiler says of a program that includes these headers in this order: nothing where it takes it.
fn said(headers: &[&str], machine: Machine, language: &str, folder: &Path) -> String {
    let includes: Vec<String> = headers.iter().map(|header| format!("#include <{header}>\n")).collect();
    let includes = includes.concat();
    let stem = format!("order-{}-{}.c", machine.name(), language.replace('+', "p"));
    let text = folder.join(stem);
    // All of it is there, whichever header declared it.
    let uses = "int main(void)\n{\n    DLPackExchangeAPI table;\n    DLManagedTensorVersioned tensor;\n    \
                tensor.dl_tensor.device.device_type = kDLTrn;\n    table.header.version.minor = DLPACK_MINOR_VERSION;\n    \
                return (int)table.header.version.minor + (int)tensor.dl_tensor.device.device_type + kDLFloat4_e2m1fn\n        \
                + (DLDeviceType_name(kDLCPU) == NULL) + (int)DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED\n        \
                + DLDataTypeCode_is_known(kDLInt) + DLPACK_MAJOR_VERSION;\n}\n";
    std::fs::write(&text, format!("{includes}{uses}")).expect("a file");
    let standard = if language == "c" { "-std=c11" } else { "-std=c++17" };
    let mut compiler = if language == "c" { machine.c_compiler() } else { machine.cpp_compiler() };
    compiler
        .args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-fsyntax-only"])
        .args(["-x", language])
        .arg(&text)
        .arg("-I")
        .arg(repository().join("bindings/c/include"))
        .arg("-I")
        .arg(folder)
        .arg("-isystem")
        .arg(theirs());
    let output = compiler.output().expect("a compiler starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), errors.is_empty(), "{errors}");
    errors
}

#[test]
fn a_program_includes_both_headers_in_any_order() {
    let folder = scratch();
    for machine in [Machine::Native, Machine::Bits32] {
        for language in ["c", "c++"] {
            for headers in [&[OURS, THEIRS], &[THEIRS, OURS], &[OURS, OURS]] {
                assert_eq!(said(headers, machine, language, &folder), "", "{headers:?}");
            }
        }
    }
    assert_eq!(said(&["wirecontract/dlpack.hpp", THEIRS], Machine::Native, "c++", &folder), "");
    assert_eq!(said(&[THEIRS, "wirecontract/dlpack.hpp"], Machine::Native, "c++", &folder), "");
}

/// The real header with some of it changed, where a program finds it before the real one.
fn edited(name: &str, edit: impl Fn(String) -> String) -> PathBuf {
    let folder = scratch().join(name);
    std::fs::create_dir_all(folder.join("dlpack")).expect("a folder");
    let real = std::fs::read_to_string(theirs().join(THEIRS)).expect("the real header");
    let text = edit(real.clone());
    assert_ne!(text, real, "{name} is another header");
    std::fs::write(folder.join(THEIRS), text).expect("a file");
    folder
}

#[test]
fn what_an_older_header_lacks_is_added() {
    let older = edited("older", |text| {
        let exchange = text.find("// DLPack `__dlpack_c_exchange_api__`").expect("the exchange table");
        let end = text.rfind("#ifdef __cplusplus").expect("the end");
        let text = format!("{}\n{}", &text[..exchange], &text[end..]);
        text.replace("DLPACK_MINOR_VERSION 3", "DLPACK_MINOR_VERSION 1").replace("  kDLTrn = 18,\n", "")
    });
    for language in ["c", "c++"] {
        assert_eq!(said(&[THEIRS, OURS], Machine::Native, language, &older), "");
    }
}

#[test]
fn a_header_that_says_something_else_is_refused_and_names_it() {
    let number = edited("number", |text| text.replace("kDLTrn = 18", "kDLTrn = 19"));
    let errors = said(&[THEIRS, OURS], Machine::Native, "c", &number);
    assert!(errors.contains("kDLTrn is not 18"), "{errors}");

    let layout = edited("layout", |text| text.replace("  int32_t ndim;\n", "  int64_t ndim;\n"));
    let errors = said(&[THEIRS, OURS], Machine::Native, "c", &layout);
    assert!(errors.contains("DLTensor.dtype is not at byte"), "{errors}");

    let version = edited("version", |text| text.replace("DLPACK_MAJOR_VERSION 1", "DLPACK_MAJOR_VERSION 2"));
    let errors = said(&[THEIRS, OURS], Machine::Native, "c", &version);
    assert!(errors.contains("expected DLPACK_MAJOR_VERSION == 1"), "{errors}");
}

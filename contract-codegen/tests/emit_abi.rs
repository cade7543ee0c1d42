//! C structs that are shared in memory: their text in every target, and whether compilers lay them out as declared.

mod abi_support;
mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use abi_support::{Model, layout_program, python, write};
use support::toolchain::{self, C_COMPILERS, C_PLATFORMS, CXX_COMPILERS, CXX_PLATFORMS, Compiler, GCC};
use wirecontract_codegen::emit::{
    Artifact, EmitError, ForeignHeader, c, cpp, json, python as py, schema, vectors,
};
use wirecontract_codegen::fixtures::{self, abi_field, abi_id, fixed, function, placed, to};
use wirecontract_codegen::model::{AbiField, AbiScalar, AbiType, Body, Catalog, DataModel, Scalar};
use wirecontract_codegen::names;

/// As if for 32 bits of another kind: `-m32` with what aligns integers of 64 bits to 8 bytes.
const ALIGNED: Compiler = Compiler { package: "gcc-12-multilib", flags: &["-m32", "-malign-double"], ..GCC };

fn headers(catalog: &Catalog) -> Vec<Artifact> {
    c::emit(&fixtures::input(catalog)).expect("no collisions in C")
}

fn both(catalog: &Catalog) -> Vec<Artifact> {
    let mut all = headers(catalog);
    all.extend(cpp::emit(&fixtures::input(catalog)).expect("no collisions in C++"));
    all
}

fn text<'a>(artifacts: &'a [Artifact], path: &str) -> &'a str {
    &artifacts.iter().find(|artifact| artifact.path == path).expect("it is emitted").body
}

#[test]
fn headers_module_and_catalog_read_so() {
    let catalog = fixtures::abi();
    let input = fixtures::input(&catalog);
    let headers = both(&catalog);
    insta::assert_snapshot!("tensor.h", text(&headers, "include/wirecontract/tensor.h"));
    insta::assert_snapshot!("tensor.hpp", text(&headers, "include/wirecontract/tensor.hpp"));
    let modules = py::emit(&input).expect("structs have a Python half");
    insta::assert_snapshot!("tensor.py", text(&modules, "python/wirecontract/contracts/tensor.py"));
    let files = json::emit(&input).unwrap();
    let parsed: serde_json::Value = serde_json::from_str(&files[0].body).expect("it is JSON");
    assert_eq!(parsed["contracts"][4]["fields"][4]["c"], "int64_t *shape");
    insta::assert_snapshot!("tensor.json", files[0].body);
}

/// What is emitted where each family has a header of somebody else.
fn foreign(catalog: &Catalog) -> Result<Vec<Artifact>, Vec<EmitError>> {
    let mut input = fixtures::input(catalog);
    for family in &mut input.families {
        let header = ForeignHeader {
            header: "acme/acme.h".into(),
            guard: "ACME_H".into(),
            version: None,
            requires: None,
            defines: [("ACME_MAJOR".to_owned(), 1)].into(),
            extern_c: Some("ACME_C".to_owned()),
            dll: Some(("ACME_DLL".to_owned(), "ACME_EXPORTS".to_owned())),
        };
        family.package.foreign.insert(family.name.clone(), header);
    }
    c::emit(&input)
}

#[test]
fn somebody_else_s_header_declares_no_readers() {
    assert!(foreign(&fixtures::abi()).is_ok());
    let errors = foreign(&fixtures::cuvis()).unwrap_err();
    let descriptors = fixtures::cuvis().contracts.iter().filter(|it| it.kind() == "descriptor").count();
    assert_eq!(errors.len(), descriptors, "{errors:?}");
    assert!(
        errors[0]
            .to_string()
            .contains("is a descriptor, and <acme/acme.h> declares the names of family cuvis")
    );
}

#[test]
fn values_beyond_an_int_are_macros_beside_somebody_else_s_header_too() {
    let mut contract = fixtures::abi().get(abi_id::DEVICE_TYPE).clone();
    let Body::Enumeration(kind) = &mut contract.body else { panic!("it is one") };
    (kind.repr, kind.values[2].value) = (Scalar::U64, 1 << 40);
    let catalog = Catalog { contracts: vec![contract] };
    let headers = foreign(&catalog).unwrap();
    let header = text(&headers, "include/wirecontract/tensor.h");
    let kind = &catalog.contracts[0];
    let package = &fixtures::input(&catalog).families[0].package;
    let constant = names::c::value_constant(package, kind, &kind.enumeration().values[2]);
    let number = "UINT64_C(1099511627776)";
    assert!(header.contains(&format!("#define {constant} {number}")), "{header}");
    assert!(header.contains(&format!("WC_STATIC_ASSERT({constant} == {number}")), "{header}");
}

#[test]
fn a_family_of_structs_alone_has_no_schema_and_vectors_that_say_why_there_are_none() {
    let mut catalog = fixtures::abi();
    catalog.contracts.drain(abi_id::DEVICE.0 + 2..);
    catalog.contracts.drain(..abi_id::DATA_TYPE.0);
    let input = fixtures::input(&catalog);
    assert_eq!(schema::emit(&input).unwrap(), []);
    let files = vectors::emit(&input).unwrap();
    let parsed: serde_json::Value = serde_json::from_str(&files[0].body).expect("it is JSON");
    assert_eq!(
        parsed["contracts"],
        serde_json::json!([{
            "contract": "DLDataType",
            "kind": "abi",
            "left_out": "it is shared in memory, and no bytes are written of it",
        }])
    );
    both(&catalog);
    py::emit(&input).expect("structs have a Python half");
}

/// What a platform's compiler says of every struct and member, by the C or the C++ header.
#[test]
fn every_platform_lays_structs_out_as_the_model_says() {
    let catalog = fixtures::abi();
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &both(&catalog));
    let c = C_PLATFORMS.into_iter().chain([ALIGNED]).map(|compiler| ("c11", "c", compiler));
    let cpp = CXX_PLATFORMS.into_iter().map(|compiler| ("c++17", "c++", compiler));
    for (language, extension) in [("c", "h"), ("c++", "hpp")] {
        fs::write(folder.path().join(language), layout_program(&catalog, extension)).unwrap();
    }
    toolchain::in_parallel(c.chain(cpp).enumerate().collect(), |(index, (standard, language, compiler))| {
        let program = folder.path().join(format!("layout{index}"));
        let source = folder.path().join(language);
        let arguments = ["-x", language, source.to_str().unwrap(), "-o", program.to_str().unwrap()];
        compiler.compile(standard, &include, &arguments);
        let model = match compiler.flags {
            ["-m32", "-malign-double", ..] => DataModel::Ilp32U64Align8,
            ["-m32", ..] => DataModel::Ilp32U64Align4,
            _ => DataModel::Lp64,
        };
        assert_eq!(compiler.run(&program, ""), Model { catalog: &catalog, model }.text(), "{compiler:?}");
    });
}

#[test]
fn every_compiler_takes_the_headers_and_functions_of_the_declared_types() {
    let catalog = fixtures::abi();
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &both(&catalog));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/abi.c");
    let source = source.to_str().unwrap();
    let mut work = Vec::new();
    for standard in ["c11", "c2x"] {
        work.extend(C_COMPILERS.into_iter().chain([ALIGNED]).map(|compiler| (compiler, standard, "c")));
    }
    for standard in ["c++17", "c++2b"] {
        work.extend(CXX_COMPILERS.into_iter().map(|compiler| (compiler, standard, "c++")));
    }
    toolchain::in_parallel(work, |(compiler, standard, language)| {
        let mut arguments = vec!["-O1", "-c", "-o", "/dev/null", "-x", language, source];
        if language == "c++" {
            arguments.push("-Wold-style-cast");
        }
        compiler.compile(standard, &include, &arguments);
    });
    let program = folder.path().join("program");
    GCC.compile("c11", &include, &[source, "-o", program.to_str().unwrap()]);
    assert_eq!(GCC.run(&program, ""), "");
}

#[test]
fn swig_parses_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(&fixtures::abi()));
    let interface = folder.path().join("tensor.i");
    let text = "%module tensor\n#pragma SWIG nowarn=451\n%include <stdint.i>\n%include <wirecontract/core.h>\n\
                %include <wirecontract/tensor.h>\n";
    fs::write(&interface, text).unwrap();
    let mut command = Command::new("swig");
    command.args(["-python", "-Werror"]).arg(format!("-I{}", include.display()));
    command.arg("-outdir").arg(folder.path()).arg("-o").arg(folder.path().join("wrap"));
    let output = toolchain::run(command.arg(&interface), "swig", "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_layout_that_a_compiler_changes_is_an_error_that_names_the_field() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(&fixtures::abi()));
    let packed =
        "#include <wirecontract/core.h>\n#pragma pack(1)\n#include <wirecontract/tensor.h>\n#pragma pack()\n";
    let errors = refused(folder.path(), &include, "gcc", packed);
    assert!(errors.contains("Everything.long_ is not at byte 8, 4, 4, 4 in memory"), "{errors}");
    assert!(errors.contains("Everything is not 336, 320, 244, 256 bytes"), "{errors}");
    let narrow =
        "#include <wirecontract/core.h>\n#define int64_t int32_t\n#include <wirecontract/tensor.h>\n";
    let errors = refused(folder.path(), &include, "gcc", narrow);
    assert!(errors.contains("ArrowArray.null_count is not at byte 8 in memory"), "{errors}");
}

fn refused(folder: &Path, include: &Path, compiler: &str, lines: &str) -> String {
    let source = folder.join("source.c");
    fs::write(&source, lines).unwrap();
    let mut command = Command::new(compiler);
    command.args(["-c", "-o", "/dev/null", "-I"]).arg(include).arg(source);
    let output = toolchain::run(&mut command, compiler, "");
    assert!(!output.status.success(), "{compiler} took\n{lines}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn python_modules_pass_linters_type_checker_and_have_the_layout_of_gcc() {
    let catalog = fixtures::abi();
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &py::emit(&fixtures::input(&catalog)).expect("structs have a Python half"));
    let root = folder.path().join("python");
    abi_support::lint(&root);

    let include = toolchain::write(folder.path(), &both(&catalog));
    let (source, program) = (folder.path().join("layout.c"), folder.path().join("layout"));
    fs::write(&source, layout_program(&catalog, "h")).unwrap();
    GCC.compile("c11", &include, &[source.to_str().unwrap(), "-o", program.to_str().unwrap()]);
    fs::write(folder.path().join("layout.txt"), GCC.run(&program, "")).unwrap();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python_abi");
    // What a user writes, and the tests: strictly typed both.
    let users = ["use_tensor.py", "test_tensor.py"];
    for file in users {
        fs::copy(tests.join(file), root.join(file)).unwrap();
    }
    let mypy = ["mypy", "--strict", "--explicit-package-bases", "--cache-dir", "../mypy"];
    python(&root, &[&mypy[..], &users].concat());
    fs::remove_file(root.join(users[1])).unwrap();
    let tests = tests.to_str().unwrap();
    python(&root, &["pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "--rootdir", tests, tests]);
}

#[test]
fn a_python_module_of_another_layout_is_not_imported() {
    let change = |change: &dyn Fn(&mut wirecontract_codegen::model::AbiStruct)| {
        let mut catalog = fixtures::abi();
        let Body::Abi(body) = &mut catalog.contracts[abi_id::TENSOR.0].body else { panic!("no struct") };
        change(body);
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &py::emit(&fixtures::input(&catalog)).expect("structs have a Python half"));
        let root = folder.path().join("python");
        ["wirecontract.contracts.tensor", "standalone.wirecontract_gpu"]
            .map(|module| abi_support::import(&root, module))
    };
    for error in change(&|body| body.fields[4].offsets[0] = 40) {
        let error = error.expect_err("it is imported");
        let expected =
            "ImportError: DLTensor.shape is not where it is declared: expected byte 40 on LP64, found 24";
        assert!(error.contains(expected), "{error}");
    }
    for error in change(&|body| body.layouts[0].size = 56) {
        let error = error.expect_err("it is imported");
        let expected =
            "ImportError: DLTensor is not as large as declared: expected 56 bytes on LP64, found 48";
        assert!(error.contains(expected), "{error}");
    }
    // What is declared for other machines is not looked at on this one.
    for result in change(&|body| body.layouts[2].size = 56) {
        result.expect("it is imported");
    }
}

#[test]
fn structs_of_two_families_are_included_and_imported_for_pointers_alone() {
    let mut catalog = fixtures::abi();
    // Nothing holds them by value.
    for id in [abi_id::SCHEMA, abi_id::ARRAY] {
        catalog.contracts[id.0].module = "wirecontract_gpu::arrow".into();
    }
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &both(&catalog));
    let header = include.join("wirecontract/tensor.h");
    assert!(fs::read_to_string(&header).unwrap().contains("#include <wirecontract/arrow.h>"));
    GCC.compile("c11", &include, &["-fsyntax-only", "-x", "c", header.to_str().unwrap()]);
    let header = include.join("wirecontract/tensor.hpp");
    CXX_COMPILERS[0].compile("c++17", &include, &["-fsyntax-only", "-x", "c++", header.to_str().unwrap()]);
    write(folder.path(), &py::emit(&fixtures::input(&catalog)).expect("structs have a Python half"));
    let root = folder.path().join("python");
    abi_support::lint(&root);
    abi_support::import(&root, "wirecontract.contracts.tensor").expect("it is imported");

    let Body::Abi(schema) = &mut catalog.contracts[abi_id::SCHEMA.0].body else { panic!("no struct") };
    schema.fields[8].ty = to(AbiType::Struct(abi_id::DEVICE));
    for errors in [errors(c::emit(&fixtures::input(&catalog))), errors(py::emit(&fixtures::input(&catalog)))]
    {
        assert!(errors[0].contains("would include each other"), "{errors:?}");
    }
}

fn errors(emitted: Result<Vec<Artifact>, Vec<EmitError>>) -> Vec<String> {
    emitted.map_or_else(|errors| errors.iter().map(EmitError::to_string).collect(), |_| Vec::new())
}

/// The errors of C, C++ and Python for a struct of these fields beside the others.
fn refusals(name: &str, fields: Vec<wirecontract_codegen::model::AbiField>) -> [Vec<String>; 3] {
    let mut catalog = fixtures::abi();
    let module = catalog.contracts[0].module.clone();
    let body = placed(&catalog, fields);
    catalog
        .contracts
        .push(wirecontract_codegen::model::Contract { module, ..fixtures::contract(name, Body::Abi(body)) });
    let input = fixtures::input(&catalog);
    [errors(c::emit(&input)), errors(cpp::emit(&input)), errors(py::emit(&input))]
}

#[test]
fn names_that_two_would_have_are_refused_with_both() {
    let byte = |name: &str| abi_field(name, fixed(Scalar::U8));
    let [c, cpp, python] = refusals("Fine", vec![byte("class"), byte("to_bytes")]);
    assert_eq!((c, cpp, python), (vec![], vec![], vec![]));

    let [c, _, python] = refusals("Two", vec![byte("class"), byte("class_")]);
    assert!(c[0].contains("Two.class and ") && c[0].contains("would both be `class_`"), "{c:?}");
    assert!(
        python[0].contains("Two.class and ") && python[0].contains("would both be `class_`"),
        "{python:?}"
    );

    let [c, cpp, python] = refusals("DLTensor", vec![byte("a")]);
    assert!(c.is_empty(), "`wc_dl_tensor` is free: {c:?}");
    for errors in [cpp, python] {
        assert!(errors[0].contains("would both be `DLTensor`"), "{errors:?}");
    }

    let deleter = || function(vec![("DLDevice", to(AbiType::Struct(abi_id::DEVICE)))], None);
    let [c, _, _] = refusals("Hidden", vec![abi_field("deleter", deleter())]);
    assert!(
        c[0].contains("the parameter DLDevice of ") && c[0].contains("would both be `DLDevice`"),
        "{c:?}"
    );

    let [_, _, python] = refusals("DLManagedTensor_deleter", vec![byte("a")]);
    assert!(python[0].contains("would both be `DLManagedTensor_deleter`"), "{python:?}");

    let [c, _, _] = refusals("CoreError", vec![byte("größe")]);
    assert!(c[0].starts_with("C: `größe` of "), "{c:?}");
    let mut fixed_name = byte("a");
    fixed_name.c_name = Some("int".into());
    let [c, _, _] = refusals("Fixed", vec![fixed_name]);
    assert!(c[0].starts_with("C: `int` of "), "{c:?}");
    let mut like_a_type = abi_field("a", AbiType::Scalar(AbiScalar::Int));
    like_a_type.c_name = Some("DLTensor".into());
    let [c, _, _] = refusals("Like", vec![like_a_type]);
    assert!(c[0].contains("would both be `DLTensor`"), "{c:?}");
    let called =
        |name: &str| AbiField { c_type: Some(name.into()), ..abi_field("a", function(vec![], None)) };
    let [c, _, _] = refusals("Call", vec![called("DLTensor")]);
    assert!(c[0].contains("would both be `DLTensor`"), "{c:?}");
    let [c, _, _] = refusals("Call", vec![called("int")]);
    assert!(c[0].starts_with("C: `int` of "), "{c:?}");
}

#[test]
fn a_struct_without_padding_or_differences_says_no_more_than_it_must() {
    let catalog = fixtures::abi();
    let headers = headers(&catalog);
    let header = text(&headers, "include/wirecontract/tensor.h");
    let device = header.split_once("struct DLDevice {").unwrap().1.split_once("};").unwrap().0;
    assert!(!device.contains("padding") && device.contains("Offset 4."), "{device}");
    assert!(!header.contains("WC_ABI_PICK(8u, 8u, 8u, 8u)"), "{header}");
}

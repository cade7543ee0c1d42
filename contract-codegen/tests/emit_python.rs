//! The pure-Python emitter: what it writes is linted, type-checked and run by the real tools.
//!
//! `WIRECONTRACT_PYTHON` names an interpreter (`python3` otherwise) that has mypy, ruff, pytest and hypothesis.

mod python_growth;
mod python_recipes;
mod python_sink;

use std::fs;
use std::path::Path;
use std::process::Command;

use wirecontract_codegen::emit::python::emit;
use wirecontract_codegen::emit::{Artifact, EmitError, EmitInput};
use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::{Body, Catalog, DataKey, DataType, DataValue, Element, Role, Scalar};

/// What the repository holds generated Python to, whatever a user's own settings are.
const RULES: &str = "E,F,W,I,B,C4,PIE,PT,RET,RUF,SIM,UP,PGH,PERF,FURB,FLY";

#[test]
fn the_cuvis_module_reads_well() {
    let catalog = fixtures::cuvis();
    let artifacts = emit(&fixtures::input(&catalog)).expect("cuvis has a Python half");
    let body = |path: &str| {
        &artifacts.iter().find(|artifact| artifact.path == path).unwrap_or_else(|| panic!("no {path}")).body
    };
    insta::assert_snapshot!("python_cuvis", body("python/wirecontract/contracts/cuvis.py"));
    insta::assert_snapshot!("python_wire", body("python/wirecontract/contracts/_wire.py"));
    insta::assert_snapshot!("python_package", body("python/wirecontract/contracts/__init__.py"));
}

#[test]
fn the_recipes_module_reads_well() {
    let catalog = fixtures::recipes();
    let artifacts = emit(&python_recipes::input(&catalog)).expect("recipes have a Python half");
    let texture = artifacts.iter().find(|artifact| artifact.path.ends_with("/texture.py")).expect("a module");
    insta::assert_snapshot!("python_recipes", texture.body);
}

#[test]
fn the_module_of_descriptors_that_grow_reads_well() {
    let catalog = fixtures::growing();
    let artifacts = emit(&fixtures::input(&catalog)).expect("descriptors that grow have a Python half");
    let module = artifacts.iter().find(|artifact| artifact.path.ends_with("/cuvis.py")).expect("a module");
    insta::assert_snapshot!("python_growth", module.body);
}

#[test]
fn generated_modules_pass_linters_type_checker_and_their_tests() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cuvis = fixtures::cuvis();
    let sink = python_sink::catalog();
    write(folder.path(), &emit(&fixtures::input(&cuvis)).expect("cuvis has a Python half"));
    write(folder.path(), &emit(&python_sink::input(&sink)).expect("the sink has a Python half"));
    let recipes = python_recipes::catalog();
    write(folder.path(), &emit(&python_recipes::input(&recipes)).expect("recipes have a Python half"));
    let growth = python_growth::catalog();
    write(folder.path(), &emit(&python_growth::input(&growth)).expect("what grows has a Python half"));
    fs::write(folder.path().join("verdicts.jsonl"), python_recipes::verdicts(&recipes, 1500))
        .expect("a file");
    let root = folder.path().join("python");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");

    python(
        &root,
        &["ruff", "check", "--isolated", "--no-cache", "--line-length", "88", "--select", RULES, "."],
    );
    python(&root, &["ruff", "check", "--isolated", "--no-cache", "."]);
    python(&root, &["ruff", "format", "--isolated", "--no-cache", "--diff", "."]);
    python(&root, &["mypy", "--strict", "--explicit-package-bases", "--cache-dir", "../mypy", "."]);
    let tests = tests.to_str().expect("a path in UTF-8");
    python(&root, &["pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "--rootdir", tests, tests]);
}

#[test]
fn output_depends_on_the_input_alone() {
    let catalog = python_sink::catalog();
    assert_eq!(emit(&python_sink::input(&catalog)), emit(&python_sink::input(&catalog)));
}

#[test]
fn a_family_alone_is_written_without_those_it_nests() {
    let catalog = python_sink::catalog();
    let mut input = python_sink::input(&catalog);
    input.selected = vec![input.families.iter().position(|family| family.name == "shapes").expect("shapes")];
    let artifacts = emit(&input).expect("shapes has a Python half");
    let paths: Vec<&str> = artifacts.iter().map(|artifact| artifact.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "python/sink_contracts/__init__.py",
            "python/sink_contracts/_wire.py",
            "python/sink_contracts/py.typed",
            "python/sink_contracts/shapes.py",
            "python/standalone/sink.py",
        ]
    );
}

#[test]
fn two_fields_that_an_underscore_makes_one_are_refused() {
    let errors = refusals(|catalog| {
        let fields = fields(catalog, 3);
        fields[2].name = "from".into();
        fields[3].name = "from_".into();
    });
    assert_eq!(
        errors,
        [
            "python: wirecontract_gpu::cuvis::CudaIpcPayload.from and wirecontract_gpu::cuvis::CudaIpcPayload.from_ \
             would both be `from_`: give one of them another name (`c_name` for C, or rename it)"
        ]
    );
}

#[test]
fn two_values_that_capitals_make_one_are_refused() {
    let errors = refusals(|catalog| values(catalog, 1)[1].name = "POSIX_FD".into());
    assert!(
        errors[0].contains("IpcHandleType::POSIX_FD and wirecontract_gpu::cuvis::IpcHandleType::PosixFd"),
        "{errors:?}"
    );
}

#[test]
fn an_alias_that_is_another_values_name_is_refused() {
    let errors = refusals(|catalog| values(catalog, 1)[1].aliases = vec!["posix-fd".into()]);
    assert!(errors[0].contains("IpcHandleType::PosixFd"), "{errors:?}");
    assert!(
        errors[0].contains("IpcHandleType::posix-fd (an alias of Win32) would both be `POSIX_FD`"),
        "{errors:?}"
    );
}

#[test]
fn two_data_keys_that_an_underscore_makes_one_are_refused() {
    let errors = refusals(|catalog| {
        let Body::Enumeration(it) = &mut catalog.contracts[1].body else { unreachable!() };
        it.data = ["name", "name_"].map(|name| DataKey { name: name.into(), ty: DataType::Bool }).to_vec();
        for value in &mut it.values {
            value.data = vec![DataValue::Bool(true), DataValue::Bool(false)];
        }
    });
    assert!(
        errors[0].contains("data name and wirecontract_gpu::cuvis::IpcHandleType data name_"),
        "{errors:?}"
    );
}

#[test]
fn two_families_with_one_file_are_refused() {
    let catalog = fixtures::cuvis();
    let mut input = fixtures::input(&catalog);
    let mut twin = input.families[0].clone();
    twin.package.package = "other".into();
    input.families.push(twin);
    input.selected = vec![0, 1];
    let errors = emit(&input).expect_err("two files have one path");
    assert!(errors[0].to_string().contains("`python/wirecontract/contracts/cuvis.py`"), "{errors:?}");
}

#[test]
fn a_package_that_python_cannot_import_is_refused() {
    let catalog = fixtures::cuvis();
    for name in ["my-contracts", "import", "a..b", ""] {
        let mut input = fixtures::input(&catalog);
        input.families[0].package.python_package = name.into();
        let errors = emit(&input).expect_err("no such package can be");
        assert!(matches!(&errors[..], [EmitError::BadName { .. }]), "{errors:?}");
    }
}

#[test]
fn every_refusal_is_reported_at_once() {
    let errors = refusals(|catalog| {
        let fields = fields(catalog, 3);
        fields[2].name = "from".into();
        fields[3].name = "from_".into();
        values(catalog, 1)[1].name = "POSIX_FD".into();
    });
    assert_eq!(errors.len(), 2, "{errors:?}");
}

#[test]
fn a_key_that_is_called_like_anothers_default_is_refused() {
    let errors = recipe_refusals(|catalog| {
        let Body::Recipe(image) = &mut catalog.contracts[fixtures::id::IMAGE.0].body else { unreachable!() };
        image.keys[3].name = "tiling_or_default".into();
    });
    assert_eq!(
        errors,
        [
            "python: wirecontract_gpu::texture::Image.tiling_or_default and wirecontract_gpu::texture::Image.tiling or \
             its default would both be `tiling_or_default`: give one of them another name (`c_name` for C, or rename it)"
        ]
    );
}

#[test]
fn a_variant_that_is_called_like_a_contract_is_refused() {
    let errors = recipe_refusals(|catalog| {
        catalog.contracts[fixtures::id::FAULT.0].name = "RequestPing".into();
    });
    assert!(
        errors[0].contains("wirecontract_gpu::texture::Request::Ping")
            && errors[0].contains("wirecontract_gpu::texture::RequestPing")
            && errors[0].contains("would both be `RequestPing`"),
        "{errors:?}"
    );
}

#[test]
fn recipes_of_two_modules_that_import_each_other_are_refused() {
    let errors = recipe_refusals(|catalog| {
        for id in [fixtures::id::TILING, fixtures::id::ANSWER] {
            catalog.contracts[id.0].module = "wirecontract_gpu::other".into();
        }
    });
    assert!(
        errors[0].contains("recipe_contracts/texture.py") && errors[0].contains("recipe_contracts/other.py"),
        "{errors:?}"
    );
}

fn recipe_refusals(change: impl FnOnce(&mut Catalog)) -> Vec<String> {
    let mut catalog = fixtures::recipes();
    change(&mut catalog);
    let errors = emit(&python_recipes::input(&catalog)).expect_err("the catalog has no Python half");
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn three_hundred_fields_take_code_in_proportion() {
    let size = |count: u32| {
        let mut catalog = Catalog::default();
        let fields = (0..count).map(|at| {
            fixtures::field(&format!("field_{at}"), at, Element::Scalar(Scalar::U8), &[], Role::Value)
        });
        let body = Body::Descriptor(wirecontract_codegen::model::Descriptor {
            layout: wirecontract_codegen::model::Layout::Natural,
            size: count,
            align: 1,
            fields: fields.collect(),
            conditions: Vec::new(),
            rules: Vec::new(),
            growth: None,
        });
        catalog.contracts.push(fixtures::contract("Many", body));
        let artifacts = emit(&fixtures::input(&catalog)).expect("many fields have a Python half");
        artifacts.iter().map(|artifact| artifact.body.len()).sum::<usize>()
    };
    let (some, more, most) = (size(100), size(200), size(300));
    assert!(most - more < (more - some) + (more - some) / 10);
}

fn refusals(change: impl FnOnce(&mut Catalog)) -> Vec<String> {
    let mut catalog = fixtures::cuvis();
    change(&mut catalog);
    let input: EmitInput<'_> = fixtures::input(&catalog);
    let errors = emit(&input).expect_err("the names collide");
    errors.iter().map(ToString::to_string).collect()
}

fn fields(catalog: &mut Catalog, contract: usize) -> &mut [wirecontract_codegen::model::Field] {
    match &mut catalog.contracts[contract].body {
        Body::Descriptor(descriptor) => &mut descriptor.fields,
        _ => unreachable!("it is a descriptor"),
    }
}

fn values(catalog: &mut Catalog, contract: usize) -> &mut [wirecontract_codegen::model::EnumValue] {
    match &mut catalog.contracts[contract].body {
        Body::Enumeration(enumeration) => &mut enumeration.values,
        _ => unreachable!("it is an enumeration"),
    }
}

fn write(folder: &Path, artifacts: &[Artifact]) {
    for artifact in artifacts {
        let path = folder.join(&artifact.path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        fs::write(path, &artifact.body).expect("a file");
    }
}

/// Runs a tool's module in the folder of the generated packages.
fn python(root: &Path, arguments: &[&str]) {
    let interpreter = std::env::var("WIRECONTRACT_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let probe = format!("import {}", arguments[0]);
    let found = Command::new(&interpreter).args(["-c", &probe]).output();
    assert!(
        found.as_ref().is_ok_and(|output| output.status.success()),
        "`{interpreter}` has no {}: run `{interpreter} -m pip install mypy ruff pytest hypothesis`, or name another \
         interpreter in WIRECONTRACT_PYTHON",
        arguments[0],
    );
    let output = Command::new(&interpreter)
        .arg("-m")
        .args(arguments)
        .current_dir(root)
        .env("PYTHONPATH", root)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("the interpreter ran a moment ago");
    assert!(
        output.status.success(),
        "{}:\n{}{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
}

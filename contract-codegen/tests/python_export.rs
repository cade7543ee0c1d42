//! `library.py`: what a package's library exports, called from Python against a library in C.

#[path = "python_export/forms.rs"]
mod forms;
mod interpreter;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use interpreter::{lint, python, run, write};
use wirecontract_codegen::emit::python::emit;
use wirecontract_codegen::emit::{Artifact, EmitError};
use wirecontract_codegen::fixtures::{self, export};
use wirecontract_codegen::model::{Body, Catalog, Pass};

fn emitted(catalog: &Catalog) -> Vec<Artifact> {
    emit(&fixtures::input(catalog)).expect("functions have a Python half")
}

#[test]
fn the_module_reads_well() {
    let artifacts = emitted(&export::catalog());
    let body = |path: &str| {
        let path = format!("python/wirecontract/contracts/{path}");
        &artifacts.iter().find(|artifact| artifact.path == path).unwrap_or_else(|| panic!("no {path}")).body
    };
    insta::assert_snapshot!("library", body("library.py"));
    insta::assert_snapshot!("call", body("_call.py"));
}

/// The ids that a library states, in C.
fn ids(catalog: &Catalog) -> String {
    let mut text = String::new();
    for (_, contract) in catalog.iter() {
        let symbols = match &contract.body {
            Body::Handle(handle) => vec![handle.destroy.clone()],
            Body::Function(function) => vec![function.symbol.clone()],
            Body::Symbols(symbols) if symbols.is_library => symbols.names.clone(),
            _ => continue,
        };
        for symbol in symbols {
            let id = contract.wire_id;
            writeln!(text, "const uint64_t {symbol}_wire_id = UINT64_C({id:#x});").unwrap();
        }
    }
    text
}

/// A library as the fixture declares it, stating these ids.
fn build(folder: &Path, name: &str, ids: &str, flags: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python_export/fake.c");
    let include = folder.join(name);
    fs::create_dir_all(&include).unwrap();
    fs::write(include.join("ids.h"), ids).unwrap();
    let include = format!("-I{}", include.display());
    compile(&folder.join(format!("lib{name}.so")), &source, &[flags, &[&include]].concat());
}

fn compile(library: &Path, source: &Path, flags: &[&str]) {
    let mut command = Command::new("gcc");
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o"]).arg(library);
    let output = command.args(flags).arg(source).output().expect("gcc is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_library_in_c_is_called_through_the_module() {
    let catalog = export::catalog();
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &emitted(&catalog));
    let root = folder.path().join("python");
    lint(&root);

    let stated = ids(&catalog);
    build(folder.path(), "fake", &stated, &[]);
    let mean =
        catalog.contracts.iter().find(|contract| contract.name == "mean").expect("there is one").wire_id;
    let other = stated.replace(
        &format!("wc_mean_wire_id = UINT64_C({mean:#x})"),
        &format!("wc_mean_wire_id = UINT64_C({:#x})", mean ^ 1),
    );
    assert_ne!(other, stated);
    build(folder.path(), "other", &other, &[]);
    build(folder.path(), "unstated", &stated.replace("wc_reset_wire_id", "wc_reset_id"), &[]);
    build(folder.path(), "less", &stated, &["-Dwc_reset=wc_start"]);

    let forms = forms::catalog();
    write(folder.path(), &emit(&forms::input(&forms)).expect("functions have a Python half"));
    lint(&root);
    fs::write(folder.path().join("forms.c"), forms::library(&ids(&forms))).unwrap();
    compile(&folder.path().join("libforms.so"), &folder.path().join("forms.c"), &[]);

    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python_export");
    let users = ["use_library.py", "test_library.py", "test_forms.py", "misuse_library.py"];
    for file in users {
        fs::copy(tests.join(file), root.join(file)).unwrap();
    }
    let mypy = ["mypy", "--strict", "--explicit-package-bases", "--cache-dir", "../mypy"];
    python(&root, &[&mypy[..], &users[..3]].concat());
    refused_by_mypy(&root, users[3]);
    for test in &users[1..3] {
        fs::remove_file(root.join(test)).unwrap();
    }
    let tests = tests.to_str().unwrap();
    python(&root, &["pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "--rootdir", tests, tests]);
}

/// Whether the type checker refuses each line that says so, and no other.
fn refused_by_mypy(root: &Path, file: &str) {
    let mypy = ["-m", "mypy", "--strict", "--explicit-package-bases", "--cache-dir", "../mypy", file];
    let output = run(root, &mypy);
    let text = String::from_utf8_lossy(&output.stdout);
    let source = fs::read_to_string(root.join(file)).unwrap();
    for (index, line) in source.lines().enumerate() {
        let place = format!("{file}:{}: error:", index + 1);
        let Some((_, codes)) = line.split_once("# error: ") else {
            assert!(!text.contains(&place), "{line}\n{text}");
            continue;
        };
        for code in codes.split(',') {
            let is_found =
                text.lines().any(|line| line.starts_with(&place) && line.contains(&format!("[{code}]")));
            assert!(is_found, "no {code} at {line}\n{text}");
        }
    }
}

/// The errors of the fixture with a change.
fn refusals(change: impl FnOnce(&mut Catalog)) -> Vec<String> {
    let mut catalog = export::catalog();
    change(&mut catalog);
    let errors = emit(&fixtures::input(&catalog)).expect_err("the catalog has no Python half");
    errors.iter().map(EmitError::to_string).collect()
}

fn add(catalog: &mut Catalog, module: &str, name: &str, params: &[&str]) {
    let taken = params.iter().map(|name| export::passed(name, export::id::FRAME, Pass::Borrowed));
    let mut contract = export::exported(name, taken.collect(), Vec::new());
    contract.module = module.into();
    catalog.contracts.push(contract);
}

#[test]
fn names_that_two_families_of_a_package_give_one_module_are_refused() {
    let errors = refusals(|catalog| add(catalog, "wirecontract_gpu::other", "mean", &[]));
    assert_eq!(
        errors,
        [
            "python: wirecontract_gpu::sensor::mean and wirecontract_gpu::other::mean would both be `mean`: give one of \
             them another name (`c_name` for C, or rename it)"
        ]
    );
    let errors = refusals(|catalog| add(catalog, "wirecontract_gpu::other", "Camera", &[]));
    assert!(errors[0].contains("would both be `Camera`"), "{errors:?}");
    let errors = refusals(|catalog| add(catalog, "wirecontract_gpu::other", "attach_done", &[]));
    assert!(errors[0].contains("the type of done of wirecontract_gpu::sensor::attach"), "{errors:?}");
}

#[test]
fn methods_and_parameters_that_an_underscore_makes_one_are_refused() {
    let errors = refusals(|catalog| {
        let module = "wirecontract_gpu::sensor";
        add(catalog, module, "Frame::close_", &[]);
        add(catalog, module, "twice", &["from", "from_"]);
        add(catalog, module, "hidden", &["_a", "a"]);
    });
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(errors[0].contains("sensor::Frame::close and ") && errors[0].contains("`close_`"), "{errors:?}");
    assert!(errors[1].contains("from of ") && errors[1].contains("`from_`"), "{errors:?}");
    assert!(errors[2].contains("_a of ") && errors[2].contains("`a`"), "{errors:?}");
}

#[test]
fn a_handle_of_another_package_is_refused() {
    let mut catalog = export::catalog();
    add(&mut catalog, "wirecontract_gpu::other", "show", &["frame"]);
    let mut input = fixtures::input(&catalog);
    let other = input.families.iter_mut().find(|family| family.name == "other").expect("it is there");
    other.package.package = "other".into();
    other.package.python_package = "other".into();
    let errors = emit(&input).expect_err("it is of another package");
    assert_eq!(
        errors.iter().map(EmitError::to_string).collect::<Vec<_>>(),
        [
            "python: `wc_show` of wirecontract_gpu::other::show is not a name there: its handle Frame is of another \
             package, wirecontract-gpu"
        ]
    );
}

#[test]
fn a_family_called_like_the_module_is_refused() {
    let errors = refusals(|catalog| catalog.contracts[0].module = "wirecontract_gpu::library".into());
    assert!(errors[0].contains("`python/wirecontract/contracts/library.py`"), "{errors:?}");
}

#[test]
fn what_exports_nothing_has_no_library_module() {
    let paths: Vec<String> = emitted(&fixtures::cuvis()).into_iter().map(|artifact| artifact.path).collect();
    assert!(
        !paths.iter().any(|path| path.ends_with("library.py") || path.ends_with("_call.py")),
        "{paths:?}"
    );
}

#[test]
fn a_standalone_file_leaves_the_functions_out_and_says_so() {
    let artifacts = emitted(&export::catalog());
    let file =
        artifacts.iter().find(|it| it.path == "python/standalone/wirecontract_gpu.py").expect("a file");
    assert!(file.body.contains("The functions of its library are not in it"), "{}", &file.body[..300]);
    assert!(!file.body.contains("Camera") && !file.body.contains("CallError"));
    assert!(file.contracts.iter().all(|id| id.0 < export::id::CAMERA.0));
}

#[test]
fn a_family_of_functions_alone_has_no_module_of_its_own() {
    let artifacts = emitted(&{
        let mut catalog = export::catalog();
        add(&mut catalog, "wirecontract_gpu::other", "show", &["frame"]);
        catalog
    });
    assert!(!artifacts.iter().any(|artifact| artifact.path.ends_with("/other.py")));
    let library = artifacts.iter().find(|artifact| artifact.path.ends_with("/library.py")).expect("a module");
    assert!(library.body.contains("def show(frame: Frame) -> None:"));
}

//! The stub of native classes: its text, and what linters, the type checker and Python itself make of it.
//!
//! `WIRECONTRACT_PYTHON` names an interpreter (`python3` otherwise) that has mypy and ruff.

mod interpreter;
#[allow(dead_code, reason = "other tests use the rest")]
mod python_growth;
#[allow(dead_code, unused_imports, reason = "other tests use the rest")]
mod python_recipes;
mod seldom_support;

use std::fs;
use std::path::Path;

use wirecontract_codegen::emit::python::{self, stub};
use wirecontract_codegen::emit::{Artifact, EmitInput};
use wirecontract_codegen::fixtures;

fn body<'a>(artifacts: &'a [Artifact], path: &str) -> &'a str {
    &artifacts.iter().find(|artifact| artifact.path == path).unwrap_or_else(|| panic!("no {path}")).body
}

#[test]
fn the_stub_of_what_is_seldom_reads_well() {
    let catalog = seldom_support::catalog();
    let artifacts = stub::emit(&seldom_support::input(&catalog)).expect("it has a stub");
    insta::assert_snapshot!("stub_seldom.pyi", body(&artifacts, "stub/_contracts.pyi"));
    insta::assert_snapshot!("stub_seldom.py", body(&artifacts, "stub/_contracts.py"));
    insta::assert_snapshot!("stub_names.py", body(&artifacts, "stub/_names.py"));
}

#[test]
fn the_stub_of_recipes_and_unions_reads_well() {
    let catalog = fixtures::recipes();
    let artifacts = stub::emit(&python_recipes::input(&catalog)).expect("recipes have a stub");
    insta::assert_snapshot!("stub_recipes.pyi", body(&artifacts, "stub/_contracts.pyi"));
}

/// Writes the pure modules, and the stub into the package `NAME_native`.
fn write(root: &Path, name: &str, input: &EmitInput<'_>) {
    let put = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    for artifact in python::emit(input).expect("they have a Python half") {
        if !artifact.path.starts_with("python/standalone/") {
            put(&root.join(artifact.path.trim_start_matches("python/")), &artifact.body);
        }
    }
    let native = root.join(format!("{name}_native"));
    put(&native.join("__init__.py"), "");
    for artifact in stub::emit(input).expect("they have a stub") {
        put(&native.join(artifact.path.trim_start_matches("stub/")), &artifact.body);
    }
}

/// Uses of the stub of what is seldom: the types that a checker finds.
const USE: &str = r#"from typing import assert_type

from seldom_contracts.seldom import Color, Mode
from seldom_native._contracts import (
    Choice,
    ChoiceNone,
    ChoiceOther,
    Frame,
    Place,
    Texts,
    Young,
    list,
)

place = Place(from_=0.5, to=(1.0, 2.0))
assert_type(place.to, tuple[float, ...])
frame = Frame.from_bytes(b"")
assert_type(frame.class_, str)
assert_type(frame.len, int)
assert_type(frame.tuple, tuple[float, ...])
assert_type(frame.color, Color)
assert_type(frame.mode, Mode)
assert_type(frame.places, tuple[Place, ...])
assert_type(frame.to_bytes(), bytes)
assert_type(Young(size=1).title, str)
assert_type(Young.from_bytes(b"").to_bytes(version=1), bytes)
texts = Texts()
assert_type(texts.text, str)
assert_type(texts.float, float | None)
assert_type(texts.float_or_default, float)
assert_type(texts.mode_or_default, Mode)
assert_type(texts.old, str | None)
assert_type(Texts.from_json("{}"), Texts)
words = list(
    class_=1,
    from_=2,
    str=3,
    object=4,
    property=5,
    staticmethod=6,
    mapping=7,
    dict=8,
)
assert_type(words.str, int)
assert_type(words.texts, Texts | None)
assert_type(Choice.from_json(b"{}"), Choice)
nothing: Choice = ChoiceNone()
assert_type(ChoiceOther(tag="x").tag, str)
"#;

/// Holds the docstrings of the stub's classes against those of the pure ones, as Python reads both.
const DOCSTRINGS: &str = r#"import ast, inspect, pathlib, seldom_contracts.seldom as pure
tree = ast.parse(pathlib.Path("seldom_native/_contracts.pyi").read_text())
classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and hasattr(pure, node.name)]
assert len(classes) >= 9, [node.name for node in classes]
for node in classes:
    assert ast.get_docstring(node) == inspect.getdoc(getattr(pure, node.name)), node.name
frame = next(node for node in classes if node.name == "Frame")
said = ast.get_docstring(frame)
assert said.startswith('""" ends this? \\N{DASH} and \\') and 'use `Choice`, which says """why"""' in said, said
"#;

#[test]
fn linters_type_checker_and_python_take_the_stubs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = &folder.path().join("python");
    let (seldom, recipes, growth) =
        (seldom_support::catalog(), python_recipes::catalog(), python_growth::catalog());
    write(root, "seldom", &seldom_support::input(&seldom));
    write(root, "recipe", &python_recipes::input(&recipes));
    write(root, "growth", &python_growth::input(&growth));
    fs::write(root.join("use.py"), USE).expect("a file");
    interpreter::lint(root);
    let output = interpreter::run(root, &["-c", DOCSTRINGS]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

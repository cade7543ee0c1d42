//! What `gen-stubs` refuses of the functions of a library, though each of them alone may be exported.

mod catalog_support;

use std::fs;
use std::process::Command;

use catalog_support::{LITTLE_64, elf_object, with_ids};
use wirecontract_codegen::fixtures::{self, forms_id as id};
use wirecontract_codegen::model::{Body, Catalog};

/// A catalog of a package whose default prefix is `wc`.
fn catalog() -> Catalog {
    let mut catalog = fixtures::forms();
    for contract in &mut catalog.contracts {
        contract.package = "wc".into();
        contract.module = "wc::camera".into();
    }
    catalog
}

/// What is said of it, and whether anything was written.
fn run(change: impl FnOnce(&mut Catalog)) -> (Option<i32>, String, bool) {
    run_in(true, change)
}

/// The same in the workspace of the package, or where cargo does not know it.
fn run_in(is_known: bool, change: impl FnOnce(&mut Catalog)) -> (Option<i32>, String, bool) {
    let folder = tempfile::tempdir().unwrap();
    if is_known {
        let manifest = "[package]\nname = \"wc\"\nversion = \"0.1.0\"\n[lib]\npath = \"lib.rs\"\n";
        fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        fs::write(folder.path().join("lib.rs"), "").unwrap();
    }
    let mut catalog = catalog();
    change(&mut catalog);
    fs::write(folder.path().join("lib.o"), elf_object(&with_ids(catalog), LITTLE_64)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-wirecontract"))
        .current_dir(folder.path())
        .args(["wirecontract", "gen-stubs", "--library", "lib.o", "--out", "out", "--target", "json"])
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap(), folder.path().join("out").exists())
}

#[track_caller]
fn refused(parts: &[&str], change: impl FnOnce(&mut Catalog)) {
    let (code, errors, is_written) = run(change);
    assert!(code == Some(1) && !is_written, "{code:?} {errors}");
    for part in parts {
        assert!(errors.contains(part), "{part:?} is not in {errors}");
    }
}

#[test]
fn functions_of_one_library_are_written() {
    let (code, errors, is_written) = run(|_| {});
    assert!(code == Some(0) && is_written, "{errors}");
}

#[test]
fn the_declared_prefix_is_that_of_the_package() {
    let said =
        ["is exported with the prefix `cam`", "is `wc`", "set `c-prefix = \"cam\"`", "`prefix = \"wc\"`"];
    refused(&said, |catalog| {
        let Body::Function(function) = &mut catalog.contracts[id::MEAN.0].body else { return };
        function.prefix = "cam".into();
    });
    refused(&said, |catalog| {
        let Body::Handle(handle) = &mut catalog.contracts[id::POOL.0].body else { return };
        handle.prefix = "cam".into();
    });
    refused(&said, |catalog| {
        let library = &mut catalog.contracts[id::LIBRARY.0];
        library.name = "cam".into();
        let Body::Symbols(symbols) = &mut library.body else { return };
        symbols.names = ["cam_last_error", "cam_bytes_free"].map(str::to_owned).to_vec();
    });
}

#[test]
fn a_library_says_its_prefix_where_the_package_is_not_known() {
    let change = |catalog: &mut Catalog| {
        for contract in &mut catalog.contracts {
            contract.package = "camera-sdk".into();
        }
    };
    let (code, errors, is_written) = run_in(false, change);
    assert!(code == Some(0) && is_written, "{errors}");
}

#[test]
fn a_symbol_begins_with_the_prefix() {
    for symbol in ["mean", "wcmean", "wc"] {
        let said = format!(
            "wc::camera::wc_mean (contracts/gpu/src/cuvis.rs:16, wc 0.1.0) is exported as `{symbol}`"
        );
        refused(&[&said, "does not begin with `wc_`: let its `c_name`"], |catalog| {
            let Body::Function(function) = &mut catalog.contracts[id::MEAN.0].body else { return };
            function.symbol = symbol.into();
        });
    }
    refused(&["is exported as `free`"], |catalog| {
        let Body::Symbols(symbols) = &mut catalog.contracts[id::SYMBOLS.0].body else { return };
        symbols.names = vec!["free".into()];
    });
}

#[test]
fn a_package_that_exports_functions_has_what_every_library_has() {
    let said = ["package wc exports wc::camera::Camera", "`wirecontract::wire_library!(prefix = \"wc\");`"];
    refused(&said, |catalog| catalog.contracts.truncate(id::LIBRARY.0));
    let (code, errors, _) = run(|catalog| catalog.contracts.truncate(id::CAMERA.0));
    assert_eq!(code, Some(0), "without functions there is none to have: {errors}");
}

#[test]
fn a_symbol_is_of_one_function() {
    refused(&["wc_mean", "wc_give", "are both exported as `wc_mean`"], |catalog| {
        let Body::Function(function) = &mut catalog.contracts[id::GIVE.0].body else { return };
        function.symbol = "wc_mean".into();
    });
    refused(&["are both exported as `wc_camera_destroy`"], |catalog| {
        let Body::Function(function) = &mut catalog.contracts[id::GIVE.0].body else { return };
        function.symbol = "wc_camera_destroy".into();
    });
    refused(&["are both exported as `wc_last_error`"], |catalog| {
        let Body::Symbols(symbols) = &mut catalog.contracts[id::SYMBOLS.0].body else { return };
        symbols.names.push("wc_last_error".into());
    });
}

#[test]
fn a_tag_is_of_one_handle() {
    refused(&["wc::camera::Camera", "wc::camera::Pool", "have one tag (0x0001)"], |catalog| {
        let Body::Handle(handle) = &mut catalog.contracts[id::CAMERA.0].body else { return };
        handle.tag = 1;
    });
}

//! Files that nothing generates any more: which of them `gen-stubs` removes, and which it keeps and names.

mod catalog_support;
mod gen_stubs_support;

use std::fs;
use std::process::Command;

use gen_stubs_support::{Folder, contracts, manifest, package, workspace};

const JSON_AND_PYTHON: &str =
    "[package.metadata.wirecontract]\ntargets = [\"json\", \"python\"]\nout = \"../stubs\"\n";
const JSON: &str = "[package.metadata.wirecontract]\ntargets = [\"json\"]\nout = \"../stubs\"\n";

/// The workspace with everything written, and then with another configuration.
fn reconfigured(before: &str, after: &str) -> Folder {
    let folder = workspace(before);
    folder.run("").gives(0, &[]);
    configure(&folder, before, after);
    folder
}

fn configure(folder: &Folder, before: &str, after: &str) {
    let manifest = folder.read("sensor/Cargo.toml");
    assert!(manifest.contains(before));
    folder.put("sensor/Cargo.toml", manifest.replace(before, after));
}

/// `git ARGUMENTS` in the folder, split at spaces.
fn git(folder: &Folder, arguments: &str) {
    let output = Command::new("git")
        .current_dir(folder.path("."))
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn commit(folder: &Folder) {
    git(folder, "add -A .");
    git(folder, "commit -q -m change");
}

#[test]
fn a_target_that_is_given_up_leaves_no_file() {
    let folder = reconfigured(JSON_AND_PYTHON, JSON);
    let left = "stubs/python/sensor_sdk/readings.py";
    folder.run("--check").gives(1, &[&format!("left behind (nothing generates it any more): {left}")]);
    assert!(folder.path(left).exists(), "a check removes nothing");
    let removed = [left, "stubs/python/sensor_sdk/_wire.py", "stubs/python/sensor_sdk/__init__.py"];
    folder.run("").gives(0, &removed.map(|path| format!("removed: {path}")).each_ref().map(|it| &**it));
    // What marks a package states nothing, so that it may be anybody's.
    let kept: Vec<String> =
        folder.files("stubs/python").into_iter().filter(|it| !it.ends_with("py.typed")).collect();
    assert!(kept.is_empty(), "{kept:?}");
    assert_eq!(
        folder.files("stubs/json"),
        ["stubs/json/sensor_sdk/readings.json", "stubs/json/units/si.json"]
    );
    folder.run("--check").gives(0, &["2 files are up to date"]);
}

#[test]
fn what_was_edited_or_is_of_others_is_kept_and_named() {
    let folder = workspace(JSON_AND_PYTHON);
    folder.run("").gives(0, &[]);
    let edited = folder.read("stubs/python/sensor_sdk/readings.py") + "# mine\n";
    folder.put("stubs/python/sensor_sdk/readings.py", &edited);
    folder.put("stubs/python/sensor_sdk/notes.py", "# by hand\n");
    let others = edited.replace("package sensor-sdk,", "package other,");
    folder.put("stubs/python/elsewhere/theirs.py", &others);
    // A copy that nothing configures is somebody's own.
    let copy = folder.read("stubs/python/sensor_sdk/_wire.py");
    folder.put("vendor/python/sensor_sdk/_wire.py", copy);
    folder.put("vendor/python/sensor_sdk/readings.py", &edited);
    configure(&folder, JSON_AND_PYTHON, JSON);

    let kept =
        "sensor_sdk/readings.py is left behind: nothing generates it any more, and it was edited by hand";
    folder.run("").gives(0, &["removed: stubs/python/sensor_sdk/_wire.py", kept]);
    assert_eq!(folder.read("stubs/python/sensor_sdk/readings.py"), edited);
    folder.run("--check").gives(1, &["left behind, edited by hand: stubs/python/sensor_sdk/readings.py"]);
    folder.run("--force").gives(0, &["removed: stubs/python/sensor_sdk/readings.py"]);
    folder.run("--check").gives(0, &[]);
    for path in [
        "stubs/python/sensor_sdk/notes.py",
        "stubs/python/elsewhere/theirs.py",
        "vendor/python/sensor_sdk/_wire.py",
        "vendor/python/sensor_sdk/readings.py",
    ] {
        assert!(folder.path(path).exists(), "{path}");
    }
}

#[test]
fn names_that_change_leave_nothing_under_the_old_ones() {
    let named = format!("{JSON_AND_PYTHON}include-dir = \"sensors\"\npython-package = \"sensors\"\n");
    let folder =
        reconfigured(&named, &format!("{JSON_AND_PYTHON}include-dir = \"s2\"\npython-package = \"s2\"\n"));
    let left = [
        "stubs/json/sensors/readings.json",
        "stubs/python/sensors/readings.py",
        "stubs/python/sensors/_wire.py",
    ];
    folder.run("--check").gives(1, &left.map(|path| format!("more): {path}")).each_ref().map(|it| &**it));
    folder.run("").gives(0, &left.map(|path| format!("removed: {path}")).each_ref().map(|it| &**it));
    assert!(!folder.path("stubs/json/sensors").exists(), "a folder goes with its last file");
    folder.run("--check").gives(0, &[]);
}

#[test]
fn a_folder_that_was_configured_in_a_commit_is_looked_into() {
    let folder = workspace(JSON);
    folder.put(".gitignore", "target\n");
    git(&folder, "init -q .");
    folder.run("").gives(0, &["2 written"]);
    commit(&folder);
    let moved = JSON.replace("out = \"../stubs\"", "out = { json = \"catalog\" }");
    configure(&folder, JSON, &moved);
    let said =
        ["missing: sensor/catalog/sensor_sdk/readings.json", "more): stubs/json/sensor_sdk/readings.json"];
    folder.run("--check").gives(1, &said);

    // As CI has it, where the manifest of the last commit is the new one already.
    commit(&folder);
    fs::write(folder.path("README"), "").unwrap();
    commit(&folder);
    folder.run("--check").gives(1, &said);
    folder.run("").gives(0, &["2 written", "removed: stubs/json/sensor_sdk/readings.json"]);
    folder.run("--check").gives(0, &["2 files are up to date"]);
    assert!(!folder.path("stubs").exists(), "`units` has nothing there of its own");
}

#[test]
fn a_package_without_contracts_any_more_has_no_files() {
    let units = "[package.metadata.wirecontract]\ntargets = [\"json\"]\n";
    let folder = workspace("");
    package(&folder, "units", &manifest("units", units), &contracts(), &[0]);
    folder.run("-p units").gives(0, &["1 written"]);
    let lost = "pub fn nothing() {}\n";
    folder.put("units/src/lib.rs", lost);
    let check = folder.run("--check -p units");
    check.gives(1, &["more): units/generated/json/units/si.json", "1 of 1 files differ"]);
    folder.run("-p units").gives(0, &["removed: units/generated/json/units/si.json"]);
    assert!(!folder.path("units/generated").exists());
    // Then it is a package that has none, as ever.
    folder.run("-p units").gives(1, &["no contracts in units"]);
}

#[test]
fn a_package_that_writes_into_the_same_folder_keeps_its_files() {
    let folder = workspace(JSON_AND_PYTHON);
    package(&folder, "units", &manifest("units", JSON_AND_PYTHON), &contracts(), &[0]);
    folder.run("").gives(0, &[]);
    configure(&folder, JSON_AND_PYTHON, JSON);
    let units = "stubs/python/units/si.py";
    folder.run("-p sensor-sdk").gives(0, &["removed: stubs/python/sensor_sdk/readings.py"]);
    assert!(folder.path(units).exists() && folder.path("stubs/python/units/_wire.py").exists());
    folder.run("--check -p units").gives(0, &[]);
}

#[test]
fn a_run_of_some_targets_judges_no_others() {
    let folder = workspace(JSON_AND_PYTHON);
    folder.run("").gives(0, &[]);
    let before = folder.files("stubs");
    folder.run("--target json").gives(0, &["0 written"]);
    folder.run("--check --target json").gives(0, &[]);
    folder.run("--out elsewhere").gives(0, &[]);
    assert_eq!(folder.files("stubs"), before);
}

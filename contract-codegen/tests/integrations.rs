//! The GitHub action and the hooks for pre-commit: both files are read, and the commands that they name are run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A file of YAML as JSON, read by `WIRECONTRACT_PYTHON` (`python3` otherwise), which has `PyYAML` as pre-commit does.
fn yaml(path: &str) -> Value {
    let interpreter = std::env::var("WIRECONTRACT_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let read =
        "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1], encoding='utf-8'))))";
    let output = Command::new(interpreter).args(["-c", read]).arg(repository().join(path)).output().unwrap();
    assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A package that agreed on a contract, in a folder where `cargo wirecontract` is this one.
struct Project {
    folder: tempfile::TempDir,
    path: std::ffi::OsString,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("sdk");
        fs::create_dir_all(package.join("src")).unwrap();
        let core = repository().join("contracts/core").display().to_string().replace('\\', "/");
        let manifest = format!(
            "[package]\nname = \"sdk\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n[features]\nextra = []\n\
             [dependencies]\nwirecontract = {{ path = \"{core}\" }}\n\
             [package.metadata.wirecontract]\ntargets = [\"json\"]\n"
        );
        fs::write(package.join("Cargo.toml"), manifest).unwrap();
        fs::copy(repository().join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        let program = Path::new(env!("CARGO_BIN_EXE_cargo-wirecontract"));
        fs::copy(program, folder.path().join("bin/cargo-wirecontract")).unwrap();
        let mut paths = vec![folder.path().join("bin")];
        paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let project = Project { path: std::env::join_paths(paths).unwrap(), folder };
        project.declare("u32");
        project
    }

    fn package(&self) -> PathBuf {
        self.folder.path().join("sdk")
    }

    fn declare(&self, ty: &str) {
        let source = format!(
            "//! An SDK.\n/// A frame.\n#[derive(wirecontract::WireContract, Clone, Debug)]\n#[repr(C)]\n\
             #[wire(descriptor)]\npub struct Frame {{\n    /// Which.\n    pub index: {ty},\n}}\n"
        );
        fs::write(self.package().join("src/lib.rs"), source).unwrap();
    }

    /// A command line in the package, with these variables.
    fn run(&self, script: &str, variables: &BTreeMap<&str, String>) -> Output {
        let mut command = Command::new("bash");
        // The settings of the test's own run are not the user's.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("CARGO_") && name != "CARGO_HOME" || name.ends_with("RUSTFLAGS") {
                command.env_remove(&*name);
            }
        }
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .env("PATH", &self.path)
            .env("CARGO_NET_OFFLINE", "true")
            .env_remove("GITHUB_WORKSPACE")
            .envs(variables)
            .current_dir(self.package())
            .output()
            .unwrap()
    }
}

#[track_caller]
fn ends(output: &Output, code: i32, part: &str) {
    let said =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat();
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(part), "{part:?} is not in:\n{said}");
}

#[test]
fn the_hooks_do_what_they_are_named_for() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let entries: BTreeMap<&str, &str> = hooks
        .as_array()
        .expect("a list of hooks")
        .iter()
        .map(|hook| {
            for (key, wanted) in [("language", Value::from("system")), ("pass_filenames", Value::from(false))]
            {
                assert_eq!(hook[key], wanted, "{hook}");
            }
            (hook["id"].as_str().expect("an id"), hook["entry"].as_str().expect("a command"))
        })
        .collect();
    assert_eq!(entries.keys().copied().collect::<Vec<_>>(), ["wirecontract-check", "wirecontract-gen-stubs"]);

    let project = Project::new();
    let none = BTreeMap::new();
    ends(&project.run(entries["wirecontract-check"], &none), 1, "there is no contracts.lock yet");
    ends(&project.run(entries["wirecontract-gen-stubs"], &none), 1, "is in no git repository");
    ends(&project.run("git init --quiet; git add .", &none), 0, "");
    ends(&project.run(entries["wirecontract-gen-stubs"], &none), 0, "0 written, 1 unchanged");
    ends(&project.run("cargo wirecontract check --accept", &none), 0, "accepted 1 contract");
    ends(&project.run(entries["wirecontract-check"], &none), 1, "not tracked by git: contracts.lock");
    ends(&project.run("git add contracts.lock", &none), 0, "");
    ends(&project.run(entries["wirecontract-check"], &none), 0, "1 contract as agreed");
    project.declare("i32");
    ends(&project.run(entries["wirecontract-check"], &none), 1, "declare `version = 2` on Frame");
}

#[test]
fn the_hooks_stop_a_commit_that_is_without_a_file() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let entry = |id: &str| {
        let hook = hooks.as_array().unwrap().iter().find(|hook| hook["id"] == id).expect("a hook");
        hook["entry"].as_str().expect("a command").to_owned()
    };
    let project = Project::new();
    let root = project.folder.path();
    let variables = BTreeMap::from([
        ("CARGO_TARGET_DIR", root.join("target").display().to_string()),
        ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
        ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
    ]);
    let git = |script: &str, code, part: &str| {
        let script = format!(
            "git() {{ command git -c user.name=a -c user.email=a@b.c -c core.hooksPath=$PWD/hooks \"$@\"; }}\n\
             unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE; cd ..; {script}"
        );
        ends(&project.run(&script, &variables), code, part);
    };
    git("git init --quiet; printf '/bin\\n/hooks\\n/target\\n/worktree\\n' > .gitignore; mkdir hooks", 0, "");
    let hook = format!(
        "#!/bin/sh\nset -e\n{} --manifest-path sdk/Cargo.toml\ncd sdk/src\n{}\n",
        entry("wirecontract-gen-stubs"),
        entry("wirecontract-check")
    );
    fs::write(root.join("hooks/pre-commit"), hook).unwrap();
    git("chmod +x hooks/pre-commit; (cd sdk; cargo wirecontract check --accept)", 0, "accepted 1 contract");

    git("git add .gitignore sdk; git commit -m all", 1, "not tracked by git: ");
    git("git status --porcelain", 0, "?? sdk/generated/");
    git(
        "git add sdk/generated; git rm --quiet --cached sdk/contracts.lock; git commit -m all",
        1,
        "contracts.lock",
    );
    git("git add sdk; git commit --quiet -m all; git log --format=%s", 0, "all");

    // Whatever a hook of another repository has set.
    let other = "git init --quiet hooks/other; cd sdk; GIT_DIR=$PWD/../hooks/other/.git cargo wirecontract check --tracked";
    git(other, 0, "1 contract as agreed");

    // Another file of the same package, in a commit that has an index of its own, and in another worktree.
    let two = fs::read_to_string(root.join("sdk/src/lib.rs")).unwrap();
    let module = two.replace("//! An SDK.", "/// More.\npub mod more {").replace("Frame", "Picture") + "}\n";
    fs::write(root.join("sdk/src/lib.rs"), format!("{two}{module}")).unwrap();
    git("(cd sdk; cargo wirecontract check --accept)", 0, "accepted 1 contract");
    git(
        "git commit -m more sdk/src sdk/contracts.lock",
        1,
        "not tracked by git: sdk/generated/json/sdk/more.json",
    );
    git("git add sdk/generated; git commit --quiet -m more sdk/src sdk/contracts.lock", 1, "more.json");
    git("git commit --quiet -m more sdk; git log --format=%s", 0, "more");
    git("git worktree add --quiet worktree", 0, "");
    let without = "git rm --quiet --cached sdk/generated/json/sdk/more.json; git commit -m less";
    let worktree = format!("cp -r hooks worktree/hooks; cd worktree; {without}");
    git(&worktree, 1, "not tracked by git: sdk/generated/json/sdk/more.json");

    // What is ignored is ignored on purpose.
    git(&format!("echo /sdk/generated >> .gitignore; git add .gitignore; {without}"), 0, "less");
}

#[test]
fn code_that_does_not_compile_is_said_to_programs_too() {
    let project = Project::new();
    fs::write(project.package().join("src/lib.rs"), "//! An SDK.\nnothing\n").unwrap();
    let none = BTreeMap::new();
    let output = project.run("cargo wirecontract check --format json", &none);
    ends(&output, 1, "");
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON on the output");
    let message = "cargo build failed (exit status: 101): see its messages above";
    assert_eq!(said, serde_json::json!({ "error": { "code": "build_failed", "message": message } }));
    let output = project.run("cargo wirecontract check --format github", &none);
    ends(&output, 1, &format!("::error title=check::{message}\n"));
}

#[test]
fn the_action_checks_with_its_arguments_and_says_it_at_the_declaration() {
    let action = yaml("action.yml");
    assert_eq!(action["runs"]["using"], "composite");
    let inputs: Vec<&str> =
        action["inputs"].as_object().expect("inputs").keys().map(String::as_str).collect();
    assert_eq!(inputs, ["args", "ref", "working-directory"]);
    let steps = action["runs"]["steps"].as_array().expect("steps");
    let [install, check] = steps.as_slice() else { panic!("two steps, found {steps:?}") };

    // What it installs is there, under the name that it runs.
    let script = install["run"].as_str().expect("a script");
    assert!(script.contains("--path \"$SOURCE/contract-codegen\""), "{script}");
    let manifest = fs::read_to_string(repository().join("contract-codegen/Cargo.toml")).unwrap();
    assert!(manifest.contains("name = \"wirecontract-codegen\""));
    assert!(repository().join("contract-codegen/src/bin/cargo-wirecontract.rs").is_file());
    assert_eq!(check["working-directory"], "${{ inputs.working-directory }}");
    assert_eq!(check["env"]["ARGS"], "${{ inputs.args }}");

    let script = check["run"].as_str().expect("a script");
    let project = Project::new();
    // As the step before left it.
    let tool = project.folder.path().join("wirecontract-tool");
    fs::create_dir(&tool).unwrap();
    fs::rename(project.folder.path().join("bin"), tool.join("bin")).unwrap();
    let temporary = project.folder.path().display().to_string();
    let with = |arguments: &str| {
        BTreeMap::from([("RUNNER_TEMP", temporary.clone()), ("ARGS", arguments.to_owned())])
    };
    let tool = |arguments: &str| {
        format!("PATH=\"$RUNNER_TEMP/wirecontract-tool/bin:$PATH\" cargo wirecontract {arguments}")
    };
    ends(&project.run(&tool("gen-stubs"), &with("")), 0, "1 written");
    ends(&project.run(&tool("check --accept"), &with("")), 0, "accepted 1 contract");
    ends(&project.run(script, &with("")), 0, "");
    ends(&project.run(script, &with("-p sdk --features extra")), 1, "with `--features extra`");
    ends(&project.run(script, &with("-p\nsdk # ours\n\n--features 'extra'\n")), 1, "with `--features extra`");
    ends(&project.run(script, &with("-p 'sdk\n")), 2, "wirecontract-args end within a quote");
    project.declare("i32");
    ends(&project.run(script, &with("-p sdk")), 1, "::error file=src/lib.rs,line=");
    let mut checked_out = with("-p sdk");
    checked_out.insert("GITHUB_WORKSPACE", temporary.clone());
    ends(&project.run(script, &checked_out), 1, "::error file=sdk/src/lib.rs,line=");
    // Words are arguments, and no commands.
    ends(&project.run(script, &with("-p sdk true $(true)")), 2, "unexpected argument 'true'");
}

//! `gen-stubs` of a library that includes what is generated from it: the target `c-json`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A crate of one recipe, which includes its documents.
struct Crate {
    folder: PathBuf,
    target: PathBuf,
}

const SOURCE: &str = "//! Orders.
extern crate self as NAME;

#[path = \"../generated/rust/mod.rs\"]
mod documents;

/// What somebody asks for.
#[derive(wirecontract::WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe)]
pub struct Order {
    /// How many.
    pub count: u32,
}
";

const INDEX: &str = "generated/rust/mod.rs";

/// What is of generated Rust that is not of these declarations, or not there.
const OF_RUST: [&str; 4] = ["error[E0", "couldn't read", "could not compile", "no field"];

impl Crate {
    /// Of a name of its own, so that crates can share what they depend on.
    fn new(name: &str) -> Crate {
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents");
        let here = Crate { folder: scratch.join(name), target: scratch.join("target") };
        let _ = fs::remove_dir_all(&here.folder);
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let core = repository.join("contracts/core").display().to_string();
        here.put(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
                 wirecontract = {{ path = {core:?}, features = [\"export\"] }}\n\n\
                 [package.metadata.wirecontract]\ntargets = [\"c\", \"c-json\", \"json\"]\n\n[workspace]\n"
            ),
        );
        here.put("src/lib.rs", &SOURCE.replace("NAME", name));
        // The versions of the workspace, so that nothing is asked of the network.
        fs::copy(repository.join("Cargo.lock"), here.path("Cargo.lock")).unwrap();
        here
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn put(&self, path: &str, text: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), text).unwrap();
    }

    /// Changes the declaration.
    fn edit(&self, from: &str, to: &str) {
        let source = self.read("src/lib.rs");
        assert!(source.contains(from));
        self.put("src/lib.rs", &source.replace(from, to));
    }

    /// Every file that was generated, with its text.
    fn generated(&self) -> Vec<(PathBuf, String)> {
        let mut files = Vec::new();
        let mut folders = vec![self.path("generated")];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push((path.clone(), fs::read_to_string(path).unwrap()));
                }
            }
        }
        files.sort();
        files
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        // The settings of the test's own run are not the user's.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("CARGO_") && name != "CARGO_HOME" || name.ends_with("RUSTFLAGS") {
                command.env_remove(&*name);
            }
        }
        command
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_NET_OFFLINE", "true");
        command.current_dir(&self.folder);
        command
    }

    fn gen_stubs(&self) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_cargo-wirecontract"));
        command.args(["wirecontract", "gen-stubs"]);
        command
    }

    /// The status, and that all of these are said and none of those.
    #[track_caller]
    fn gives(&self, arguments: &[&str], status: i32, parts: &[&str], absent: &[&str]) {
        let output = self.gen_stubs().args(arguments).output().unwrap();
        says(&output, status, parts, absent);
    }

    /// Builds as its user does.
    #[track_caller]
    fn compiles(&self) {
        let output = self.command("cargo").args(["build", "--lib"]).output().unwrap();
        says(&output, 0, &[], &["warning"]);
    }
}

#[track_caller]
fn says(output: &Output, status: i32, parts: &[&str], absent: &[&str]) {
    let all = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat();
    assert_eq!(output.status.code(), Some(status), "{all}");
    for part in parts {
        assert!(all.contains(part), "{part:?} is not in:\n{all}");
    }
    for part in absent {
        assert!(!all.contains(part), "{part:?} is in:\n{all}");
    }
}

const NOTE: &str = "does not compile, and generated/rust/mod.rs may be why";

#[test]
fn documents_are_generated_before_there_are_any_and_after_a_key_was_renamed() {
    let orders = Crate::new("orders");
    orders.gives(&["--check"], 1, &["note: orders ", NOTE, "missing: "], &OF_RUST);
    assert!(!orders.path("generated").exists());
    orders.gives(&[], 0, &["note: orders ", NOTE, "wrote: "], &OF_RUST);
    orders.compiles();
    orders.gives(&["--check"], 0, &["files are up to date"], &["note: "]);
    let library = orders.target.join("debug/liborders.rlib").display().to_string();
    orders.gives(&["--check", "--library", &library], 0, &["files are up to date"], &[]);

    // Another prefix is another name of every function.
    let manifest = orders.read("Cargo.toml");
    orders.put("Cargo.toml", &manifest.replace("[workspace]", "c-prefix = \"shop\"\n\n[workspace]"));
    orders.gives(&[], 0, &["wrote: "], &["note: "]);
    orders.gives(&["--check"], 0, &["files are up to date"], &["note: "]);

    orders.edit("pub count: u32", "pub amount: u32");
    let before = orders.generated();
    orders.gives(&["--check"], 1, &[NOTE, "stale: ", "generated/rust/orders.rs", "+", "amount"], &OF_RUST);
    assert_eq!(orders.generated(), before);
    // What was compiled without them is not taken for what is compiled with them.
    orders.gives(&["--check"], 1, &[NOTE, "stale: "], &OF_RUST);
    orders.gives(&[], 0, &[NOTE, "wrote: "], &OF_RUST);
    assert!(orders.read("generated/rust/orders.rs").contains("amount"));
    orders.compiles();
    orders.gives(&["--check"], 0, &["files are up to date"], &["note: "]);
}

#[test]
fn an_error_of_the_users_own_is_the_one_that_is_told() {
    let parcels = Crate::new("parcels");
    let broken = "}\n\n/// No number.\npub fn broken() -> u32 {}\n";
    let source = parcels.read("src/lib.rs");
    parcels.put("src/lib.rs", &format!("{}{broken}", source.trim_end().trim_end_matches('}')));
    let own = ["mismatched types", "cargo build failed"];
    parcels.gives(&[], 1, &own, &["couldn't read"]);
    assert!(!parcels.path("generated").exists());

    parcels.put("src/lib.rs", &source);
    parcels.gives(&[], 0, &[], &[]);
    let before = parcels.generated();
    parcels.put("src/lib.rs", &format!("{}{broken}", source.trim_end().trim_end_matches('}')));
    parcels.edit("pub count: u32", "pub amount: u32");
    for arguments in [&[][..], &["--check"]] {
        parcels.gives(arguments, 1, &own, &["E0560", "E0609", "count"]);
        assert_eq!(parcels.generated(), before);
    }
    // What is wrong with the manifest is no matter of generated Rust.
    let manifest = parcels.read("Cargo.toml");
    parcels.put("Cargo.toml", &manifest.replace("\"export\"", "\"exports\""));
    parcels.gives(&[], 1, &["exports"], &["note: "]);
}

#[cfg(unix)]
#[test]
fn documents_are_put_back_when_the_build_without_them_is_ended() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    use std::time::{Duration, Instant};

    let boxes = Crate::new("boxes");
    boxes.gives(&[], 0, &[], &[]);
    boxes.edit("pub count: u32", "pub amount: u32");
    let before = boxes.generated();
    // A compiler that takes its time over what has no documents.
    let wrapper = boxes.path("wrapper.sh");
    boxes.put(
        "wrapper.sh",
        "#!/bin/sh\ncase \"$*\" in *' boxes '*)\n\
         [ -s generated/rust/mod.rs ] || { echo > waits; sleep 60; } ;;\nesac\nexec \"$@\"\n",
    );
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    for signal in ["-INT", "-KILL"] {
        let _ = fs::remove_file(boxes.path("waits"));
        let mut command = boxes.gen_stubs();
        command
            .env("RUSTC_WORKSPACE_WRAPPER", &wrapper)
            .process_group(0)
            .stderr(std::process::Stdio::piped());
        let child = command.spawn().unwrap();
        let start = Instant::now();
        while !boxes.path("waits").exists() {
            assert!(start.elapsed() < Duration::from_secs(120), "the second build does not begin");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(boxes.read(INDEX), "");
        let group = format!("-{}", child.id());
        assert!(Command::new("kill").args([signal, "--", &group]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        if signal == "-INT" {
            says(&output, 1, &["interrupted: nothing was written"], &[]);
            assert_eq!(boxes.generated(), before);
        } else {
            assert_eq!(output.status.code(), None);
            assert_eq!(boxes.read(INDEX), "");
        }
    }
    boxes.gives(&["--check"], 1, &[NOTE, "stale: "], &OF_RUST);
    assert_eq!(boxes.generated(), before);
}

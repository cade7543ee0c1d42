//! What the tests of the command `gen-stubs` share. Each uses a part of it.

#![allow(dead_code, unreachable_pub)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;
use wirecontract_codegen::catalog::encode;
use wirecontract_codegen::fixtures::{contract, field};
use wirecontract_codegen::model::{
    Body, Catalog, Contract, ContractId, Descriptor, Element, EnumValue, Enumeration, Layout, Role, Scalar,
    Spelled,
};

use crate::catalog_support::{LITTLE_64, elf_object};

/// `Unit` of package `units`, module `units::si`, and `Reading` of package `sensor-sdk`, which holds one.
pub fn contracts() -> Catalog {
    let value = |name: &str, value| EnumValue {
        name: name.into(),
        wire_name: name.into(),
        aliases: vec![],
        value,
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        data: vec![],
    };
    let values = vec![value("Kelvin", 0), value("Celsius", 1)];
    let unit = Body::Enumeration(Enumeration {
        repr: Scalar::U32,
        values,
        data: vec![],
        spelled: Spelled::Names,
        fold: false,
    });
    let holds_unit = Element::Enumeration { contract: ContractId(0), open: false };
    let reading = Body::Descriptor(Descriptor {
        layout: Layout::Natural,
        size: 8,
        align: 4,
        fields: vec![
            field("unit", 0, holds_unit, &[], Role::Value),
            field("value", 4, Element::Scalar(Scalar::F32), &[], Role::Value),
        ],
        conditions: vec![],
        rules: vec![],
        growth: None,
    });
    let of = |name, body, package: &str, module: &str| Contract {
        package: package.into(),
        module: module.into(),
        file: "src/lib.rs".into(),
        ..contract(name, body)
    };
    Catalog {
        contracts: vec![
            of("Unit", unit, "units", "units::si"),
            of("Reading", reading, "sensor-sdk", "sensor_sdk::readings"),
        ],
    }
}

/// A folder outside every workspace, and the command run in it.
pub struct Folder(pub TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub fn library(&self, catalog: &Catalog) -> &Self {
        self.put("lib.o", elf_object(catalog, LITTLE_64));
        self
    }

    /// Every file under a folder, sorted.
    pub fn files(&self, under: &str) -> Vec<String> {
        let mut files = Vec::new();
        let mut waiting = vec![self.path(under)];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    waiting.push(path);
                } else {
                    files.push(path.strip_prefix(self.0.path()).unwrap().display().to_string());
                }
            }
        }
        files.sort();
        files
    }

    /// `cargo wirecontract gen-stubs ARGUMENTS`, split at spaces.
    pub fn run(&self, arguments: &str) -> Run {
        self.run_in(".", arguments)
    }

    pub fn run_in(&self, folder: &str, arguments: &str) -> Run {
        self.command(folder, "gen-stubs", arguments)
    }

    /// `cargo wirecontract check ARGUMENTS`, split at spaces.
    pub fn check(&self, arguments: &str) -> Run {
        self.command(".", "check", arguments)
    }

    fn command(&self, folder: &str, name: &str, arguments: &str) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-wirecontract"));
        command.args(["wirecontract", name]).args(arguments.split_whitespace());
        // The settings of the test's own run are not the user's.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("CARGO_") && name != "CARGO_HOME" || name.ends_with("RUSTFLAGS") {
                command.env_remove(&*name);
            }
        }
        Run(command.current_dir(self.path(folder)).output().unwrap())
    }
}

pub struct Run(pub Output);

impl Run {
    pub fn output(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    /// The status, and that the messages say all of these.
    #[track_caller]
    pub fn gives(&self, status: i32, parts: &[&str]) -> &Self {
        let all = format!("{}{}", self.output(), self.errors());
        assert_eq!(self.0.status.code(), Some(status), "{all}");
        for part in parts {
            assert!(all.contains(part), "{part:?} is not in:\n{all}");
        }
        self
    }
}

/// A package whose library holds the records of `catalog`, as the derive would leave them.
pub fn package(folder: &Folder, path: &str, manifest: &str, catalog: &Catalog, only: &[usize]) {
    let records = encode::records(catalog, LITTLE_64);
    let bytes: Vec<u8> = only.iter().flat_map(|&index| records[index].bytes.clone()).collect();
    let length = bytes.len();
    folder.put(&format!("{path}/Cargo.toml"), manifest);
    folder.put(&format!("{path}/src/records.bin"), bytes);
    folder.put(
        &format!("{path}/src/lib.rs"),
        format!(
            "#[repr(C, align(4))]\npub struct Records([u8; {length}]);\n#[used]\n\
             #[unsafe(link_section = \".note.wirec\")]\n\
             pub static RECORDS: Records = Records(*include_bytes!(\"records.bin\"));\n"
        ),
    );
}

pub fn manifest(name: &str, rest: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}\n")
}

/// A virtual workspace: `units`, `sensor-sdk` that nests it and configures something, and one without contracts.
pub fn workspace(sensor_metadata: &str) -> Folder {
    let folder = Folder::new();
    // LTO of the user's own is not to get in the way.
    folder.put(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"units\", \"sensor\", \"empty\"]\n[profile.dev]\nlto = \"fat\"\n",
    );
    package(&folder, "units", &manifest("units", ""), &contracts(), &[0]);
    let rest = format!(
        "[lib]\ncrate-type = [\"rlib\", \"cdylib\", \"staticlib\"]\n[dependencies]\nunits = {{ path = \"../units\" }}\n\
         {sensor_metadata}"
    );
    package(&folder, "sensor", &manifest("sensor-sdk", &rest), &contracts(), &[1]);
    let sensor = folder.read("sensor/src/lib.rs");
    folder.put("sensor/src/lib.rs", format!("{sensor}pub use units::RECORDS as UNITS;\n"));
    folder.put("empty/Cargo.toml", manifest("empty", "[[bin]]\nname = \"empty\"\npath = \"src/main.rs\""));
    folder.put("empty/src/main.rs", "fn main() {}\n");
    folder
}

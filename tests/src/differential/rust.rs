//! The Rust driver, on what the derive made of the declarations.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use std::path::{Path, PathBuf};
use std::process::Command;

use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::interpret::has_prefix;
use wirecontract_codegen::model::{Body, ContractId, Descriptor, Element, Field, Role, Scalar};

use super::c::is_shown;
use super::messages;
use super::probe::{Change, probes};
use super::toolchain::{Machine, require, run};
use super::workbench::write;

/// A crate that declares contracts of the catalog.
#[derive(Debug, Clone)]
pub struct Library {
    /// The package.
    pub package: String,
    /// Its folder.
    pub path: PathBuf,
    /// Its features that are turned on.
    pub features: Vec<String>,
}

/// What a Rust driver is built from.
#[derive(Debug, Clone)]
pub struct Rust {
    /// The crates that declare the contracts.
    pub libraries: Vec<Library>,
    /// The repository: where `contracts/core` and the lock file are.
    pub repository: PathBuf,
    /// Where cargo builds; shared by drivers, so that what they have in common is built once.
    pub target: PathBuf,
    /// Another compiler than cargo's own, for machines whose standard library only that one has.
    pub rustc: Option<PathBuf>,
}

impl Rust {
    /// Writes the driver as a package of its own, builds it and gives the program.
    pub(super) fn build(&self, input: &EmitInput<'_>, folder: &Path, machine: Machine) -> PathBuf {
        self.write_package(folder, "driver", &[]);
        write(&folder.join("src/main.rs"), &source(input));
        let built = self.cargo_build(folder, machine);
        // The next driver of this folder of builds would replace it.
        let program = folder.join(format!("driver-{}", machine.name()));
        std::fs::copy(built.join("driver"), &program).expect("cargo built the driver");
        program
    }

    /// Builds the package in `folder`, and gives the folder that its products are in.
    fn cargo_build(&self, folder: &Path, machine: Machine) -> PathBuf {
        let mut command = cargo();
        command
            .args(["build", "--quiet", "--offline"])
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", &self.target);
        let mut built = self.target.clone();
        if let Some(triple) = machine.rust_target() {
            command.args(["--target", triple]);
            built.push(triple);
            if machine == Machine::BigEndian {
                require("s390x-linux-gnu-gcc", "gcc-s390x-linux-gnu");
                command.env("CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER", "s390x-linux-gnu-gcc");
            }
        }
        if let Some(rustc) = &self.rustc {
            command.env("RUSTC", rustc);
        }
        run(&mut command);
        built.join("debug")
    }

    /// Builds the library whose source is in `folder`, and gives the folder that it is in.
    pub(super) fn build_library(&self, folder: &Path, machine: Machine) -> PathBuf {
        self.write_package(folder, "documents", &["export"]);
        let manifest = folder.join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).expect("it was written");
        write(&manifest, &format!("{text}\n[lib]\ncrate-type = [\"cdylib\"]\n"));
        let built = self.cargo_build(folder, machine);
        let out = folder.join(machine.name());
        std::fs::create_dir_all(&out).expect("a folder for the library");
        std::fs::copy(built.join("libdocuments.so"), out.join("libdocuments.so")).expect("cargo built it");
        out
    }

    /// Writes a package that depends on the declaring crates.
    fn write_package(&self, folder: &Path, name: &str, features: &[&str]) {
        let dependency = |name: &str, path: &Path, features: &[String]| {
            format!("{name} = {{ path = {:?}, features = {features:?} }}\n", path.display().to_string())
        };
        let features: Vec<String> = features.iter().map(|&feature| feature.to_owned()).collect();
        let mut dependencies = dependency("wirecontract", &self.repository.join("contracts/core"), &features);
        for library in &self.libraries {
            dependencies += &dependency(&library.package, &library.path, &library.features);
        }
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\n{dependencies}\n[profile.dev]\ndebug = false\n\n[workspace]\n"
        );
        write(&folder.join("Cargo.toml"), &manifest);
        // The versions of the workspace, so that nothing is asked of the network.
        std::fs::copy(self.repository.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file");
    }
}

/// Cargo, without what a test runner's cargo leaves in the environment.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new("cargo");
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_")
            || name.starts_with("CARGO_MANIFEST_")
            || name == "RUSTC_WORKSPACE_WRAPPER"
        {
            command.env_remove(&*name);
        }
    }
    command
}

fn source(input: &EmitInput<'_>) -> String {
    let mut functions = String::new();
    let mut arms = String::new();
    for (id, contract) in input.catalog.iter() {
        match contract.body {
            Body::Descriptor(_) => {
                functions += &print_function(input, id);
                arms += &arm(input, id);
            }
            Body::Recipe(_) | Body::Union(_) => {
                let path = path(input, id);
                arms += &format!("        {:?} => document::<{path}>(operation, bytes),\n", contract.name);
            }
            _ => {}
        }
    }
    let (messages, lines) = messages::rust::functions(input);
    functions += &messages;
    arms += &lines;
    include_str!("driver.rs.txt")
        .replace("// @FUNCTIONS@\n", &functions)
        .replace("        // @ARMS@\n", &arms)
}

/// The path of its type in Rust.
pub(super) fn path(input: &EmitInput<'_>, id: ContractId) -> String {
    let contract = input.catalog.get(id);
    let words = contract.module.split("::").chain([contract.name.as_str()]);
    words.map(identifier).collect::<Vec<_>>().join("::")
}

/// A name as it is written in Rust.
pub(crate) fn identifier(name: &str) -> String {
    const KEYWORDS: &str = " as break const continue else enum extern false fn for if impl in let loop match mod move \
                            mut pub ref return static struct trait true type unsafe use where while async await dyn \
                            abstract become box do final macro override priv typeof unsized virtual yield try gen ";
    if KEYWORDS.contains(&format!(" {name} ")) { format!("r#{name}") } else { name.to_owned() }
}

fn member(field: &Field) -> String {
    identifier(&field.name)
}

fn print_function(input: &EmitInput<'_>, id: ContractId) -> String {
    let descriptor = input.catalog.get(id).descriptor();
    let mut text = format!("fn tree_{}(v: &{}, out: &mut String) {{\n", id.0, path(input, id));
    text += "    let _ = v;\n    out.push('{');\n";
    let shown = descriptor.fields.iter().enumerate().filter(|(_, field)| is_shown(field));
    for (position, (index, field)) in shown.enumerate() {
        let comma = if position > 0 { "," } else { "" };
        text += &format!("    out.push_str({:?});\n", format!("{comma}\"{}\":", field.name));
        text += &print_field(descriptor, index);
    }
    text + "    out.push('}');\n}\n\n"
}

fn print_field(descriptor: &Descriptor, index: usize) -> String {
    let field = &descriptor.fields[index];
    let name = member(field);
    if field.role == Role::Text {
        return format!("    text(&v.{name}, out);\n");
    }
    // A counted array is asked for its valid elements, as a user would.
    let counted = descriptor.count_of(index).is_some();
    let place = if counted { format!("v.{name}()") } else { format!("v.{name}") };
    if field.ty.element == Element::Scalar(Scalar::U8) && field.ty.dims.len() == 1 {
        return format!("    bytes(&{place}[..], out);\n");
    }
    print_array(field.ty.element, field.ty.dims.len(), &place)
}

fn print_array(element: Element, rank: usize, place: &str) -> String {
    if rank == 0 {
        return match element {
            Element::Descriptor(nested) => format!("    tree_{}(&{place}, out);\n", nested.0),
            Element::Scalar(Scalar::F32) => {
                format!("    let _ = write!(out, \"\\\"{{:#010x}}\\\"\", {place}.to_bits());\n")
            }
            Element::Scalar(Scalar::F64) => {
                format!("    let _ = write!(out, \"\\\"{{:#018x}}\\\"\", {place}.to_bits());\n")
            }
            Element::Scalar(_) => format!("    let _ = write!(out, \"{{}}\", {place});\n"),
            Element::Enumeration { open: true, .. } => {
                format!("    let _ = write!(out, \"{{}}\", {place}.raw());\n")
            }
            Element::Enumeration { .. } => format!("    let _ = write!(out, \"{{}}\", {place}.value());\n"),
            Element::Flags { .. } => format!("    let _ = write!(out, \"{{}}\", {place}.bits());\n"),
        };
    }
    let item = format!("item{rank}");
    let inner = print_array(element, rank - 1, &item);
    // A reference to an item that is not an array is followed, so that `{item}` is the element itself.
    let pattern =
        if rank == 1 && !matches!(element, Element::Descriptor(_)) { format!("&{item}") } else { item };
    format!(
        "    out.push('[');\n    for (index, {pattern}) in {place}.iter().enumerate() {{\n    \
         if index > 0 {{ out.push(','); }}\n{inner}    }}\n    out.push(']');\n"
    )
}

/// What not every descriptor can do: to ask it of another one does not compile.
fn offers(input: &EmitInput<'_>, id: ContractId) -> String {
    let (descriptor, path) = (input.catalog.get(id).descriptor(), path(input, id));
    // By the trait's name: the accessor of a counted field may have the name of what the trait does.
    let path = format!("<{path} as wirecontract::WireContract>");
    let prefix =
        if has_prefix(descriptor) { format!("Some({path}::read_prefix)") } else { "None".to_owned() };
    let growth = descriptor.growth.as_ref().map_or_else(
        || "None".to_owned(),
        |_| {
            format!(
                "Some(Growth {{ newer: {path}::from_bytes_or_newer, \
                 newer_view: |bytes| {path}::view_or_newer(bytes).map(Into::into), \
                 view: |bytes| {path}::view(bytes).map(Into::into), \
                 version_of: {path}::version_of, write: {path}::write_version_to }})"
            )
        },
    );
    format!("Offers {{ prefix: {prefix}, growth: {growth} }}")
}

fn arm(input: &EmitInput<'_>, id: ContractId) -> String {
    let mut probe_arms = String::new();
    for (number, probe) in probes(input.catalog, id).iter().enumerate() {
        let place = probe.place(input.catalog, |descriptor, index| member(&descriptor.fields[index]));
        let change = match probe.change {
            Change::Count(count) => format!("{place} = {count}"),
            Change::Text(byte) => format!("{place}.fill({byte})"),
            Change::Number(_) => continue,
        };
        probe_arms += &format!("                {number} => {change},\n");
    }
    format!(
        "        {:?} => answer::<{}>(operation, bytes, tree_{}, |number, v| {{\n            let _ = &v;\n            \
         match number {{\n{probe_arms}                _ => return false,\n            }}\n            \
         #[allow(unreachable_code)]\n            true\n        }}, &{}),\n",
        input.catalog.get(id).name,
        path(input, id),
        id.0,
        offers(input, id)
    )
}

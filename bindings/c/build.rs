//! Names the shared library as programs that link it will look for it, and puts the families of its headers together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where the families of the packages are, as the generator writes them: those of this one are of Linux, but for some.
const FAMILIES: [&str; 3] = [
    "../../contracts/core/generated/json/wirecontract",
    "../../contracts/gpu/generated/json/wirecontract",
    OWN,
];

const OWN: &str = "generated/json/wirecontract";

/// The families of this package that are everywhere.
const EVERYWHERE: [&str; 2] = ["catalog", "wirecontract_c"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_elf = env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "unix")
        && env::var("CARGO_CFG_TARGET_VENDOR").is_ok_and(|vendor| vendor != "apple");
    if is_elf {
        let major = env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo says the version");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libwirecontract.so.{major}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says the folder"));
    fs::write(out.join("catalog.json"), catalog()).expect("the folder is there to be written");
}

/// All families as one JSON object, with a member for each. Of a package whose families are not generated yet, which takes
/// a library that is built, none is there.
fn catalog() -> String {
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    let mut families = BTreeMap::new();
    for folder in FAMILIES {
        println!("cargo::rerun-if-changed={folder}");
        for (family, text) in read(Path::new(folder)) {
            if is_linux || folder != OWN || EVERYWHERE.contains(&family.as_str()) {
                families.insert(family, text);
            }
        }
    }
    let members: Vec<String> =
        families.iter().map(|(family, text)| format!("\"{family}\":{}", text.trim_end())).collect();
    format!("{{{}}}\n", members.join(",\n"))
}

/// The names and texts of the files of a folder.
fn read(folder: &Path) -> Vec<(String, String)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("a folder that is read").path());
    let json = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    json.map(|path| {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a family has a name of ASCII");
        (name.to_owned(), fs::read_to_string(&path).expect("a family is text"))
    })
    .collect()
}

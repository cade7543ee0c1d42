//! Declarations as a crate that is compiled, and the catalog read out of it.

use std::fs;
use std::path::{Path, PathBuf};

use wirecontract_codegen::catalog::{read_file, resolve};
use wirecontract_codegen::model::Catalog;

use super::Source;
use crate::differential::{Library, cargo, toolchain::run};

/// A crate in a folder.
#[derive(Debug)]
pub struct Package {
    /// Its name and folder.
    pub library: Library,
    target: PathBuf,
}

impl Package {
    /// Writes the crate, whose dependency on `wirecontract` has these features.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(
        name: &str,
        source: &Source,
        folder: &Path,
        repository: &Path,
        target: &Path,
        features: &[&str],
    ) -> Self {
        let core = repository.join("contracts/core");
        let manifest = format!(
            "[package]\nname = {name:?}\nversion = \"0.3.0\"\nedition = \"2021\"\npublish = false\n\n[dependencies]\n\
             wirecontract = {{ path = {:?}, features = {features:?} }}\n\n[profile.dev]\ndebug = false\n\n[workspace]\n",
            core.display().to_string()
        );
        fs::create_dir_all(folder.join("src")).expect("a folder for the crate");
        write(&folder.join("Cargo.toml"), &manifest);
        write(&folder.join("src/lib.rs"), &source.text);
        // The versions of the workspace, so that nothing is asked of the network.
        fs::copy(repository.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file");
        let library = Library { package: name.to_owned(), path: folder.to_owned(), features: Vec::new() };
        Package { library, target: target.to_owned() }
    }

    /// Compiles the crate and reads its contracts.
    ///
    /// # Panics
    /// When the derive refuses a declaration, or the catalog cannot be read.
    pub fn catalog(&self) -> Catalog {
        let mut build = cargo();
        build.args(["build", "--quiet", "--offline"]);
        run(build.current_dir(&self.library.path).env("CARGO_TARGET_DIR", &self.target));
        let word = self.library.package.replace('-', "_");
        let library = self.target.join("debug").join(format!("lib{word}.rlib"));
        let library = read_file(&library).unwrap_or_else(|error| panic!("{error}"));
        resolve(&library.records).unwrap_or_else(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}", errors.join("\n"))
        })
    }
}

/// Writes a file, but for one that says so already: cargo compiles anew what is newer than its product.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|found| found == text) {
        return;
    }
    fs::write(path, text).expect("the crate can be written");
}

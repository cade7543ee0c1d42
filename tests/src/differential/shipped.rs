//! The contracts that this repository ships, read from the compiled library as a user's would be.

use std::path::{Path, PathBuf};

use wirecontract_codegen::catalog::{read_file, resolve};
use wirecontract_codegen::emit::PackageConfig;
use wirecontract_codegen::model::{Catalog, Contract};

use super::rust::{Library, Rust, cargo};
use super::toolchain::run;
use super::workbench::{Workbench, all_families};
use crate::repository;

/// The catalog of a package of this repository.
#[derive(Debug)]
pub struct Shipped {
    /// All its contracts, of `wirecontract` those of its hello.
    pub catalog: Catalog,
    package: &'static str,
    target: PathBuf,
}

impl Shipped {
    /// Compiles `wirecontract-gpu` in a folder of builds under `scratch` and reads it.
    ///
    /// # Panics
    /// When it does not compile, or cannot be read.
    pub fn read(scratch: &Path) -> Self {
        Self::of("wirecontract-gpu", scratch, |_| true)
    }

    /// The same of the hello, which `wirecontract` itself declares.
    ///
    /// # Panics
    /// When it does not compile, or cannot be read.
    pub fn hello(scratch: &Path) -> Self {
        Self::of("wirecontract", scratch, |contract| contract.module == "wirecontract::hello")
    }

    fn of(package: &'static str, scratch: &Path, is_shipped: impl Fn(&Contract) -> bool) -> Self {
        let target = scratch.join("cargo");
        let mut build = cargo();
        build.args(["build", "--quiet", "--offline", "--package", package, "--all-features"]);
        run(build.current_dir(repository()).env("CARGO_TARGET_DIR", &target));
        let library = target.join(format!("debug/lib{}.rlib", package.replace('-', "_")));
        let mut library = read_file(&library).unwrap_or_else(|error| panic!("{error}"));
        library.records.retain(|record| is_shipped(&record.contract));
        let catalog = resolve(&library.records).unwrap_or_else(|errors| panic!("{errors:?}"));
        Shipped { catalog, package, target }
    }

    /// A folder with its artifacts, spelled as this repository spells its own.
    pub fn workbench(&self, folder: &Path) -> Workbench<'_> {
        let package = PackageConfig {
            package: self.package.into(),
            c_prefix: "wc".into(),
            include_dir: "wirecontract".into(),
            cpp_namespace: "wirecontract".into(),
            python_package: "wirecontract.contracts".into(),
            ..PackageConfig::default_for(self.package)
        };
        Workbench::new(all_families(&self.catalog, &package), folder)
    }

    /// What a Rust driver is built from.
    ///
    /// # Panics
    /// When the package's manifest cannot be read.
    pub fn rust(&self) -> Rust {
        let mut libraries = Vec::new();
        // Every driver depends on `wirecontract`.
        if self.package == "wirecontract-gpu" {
            let path = repository().join("contracts/gpu");
            let manifest =
                std::fs::read_to_string(path.join("Cargo.toml")).expect("a package has a manifest");
            libraries.push(Library { package: self.package.into(), path, features: features(&manifest) });
        }
        Rust { libraries, repository: repository(), target: self.target.clone(), rustc: None }
    }
}

/// The features that a manifest declares.
fn features(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| line.split_once('=').map(|(name, _)| name.trim().to_owned()));
    names.filter(|name| !name.starts_with('#')).collect()
}

#[cfg(test)]
mod tests {
    use super::features;

    #[test]
    fn features_stand_in_their_table() {
        let manifest =
            "[package]\nname = \"x\"\n\n[features]\na = []\nb-c = [\"a\"]\n\n[dependencies]\nd = \"1\"\n";
        assert_eq!(features(manifest), ["a", "b-c"]);
        assert!(features("[package]\n").is_empty());
    }
}

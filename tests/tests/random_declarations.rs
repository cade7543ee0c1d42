//! Declarations that nobody wrote, through everything: nothing may know only the shipped contracts.

use std::path::{Path, PathBuf};
use std::time::Instant;

use wirecontract_codegen::emit::PackageConfig;
use wirecontract_codegen::model::{Body, Catalog};
use wirecontract_tests::declarations::{Package, Source, generate};
use wirecontract_tests::differential::{
    Driver, Machine, Rust, Workbench, all_families, compare, inputs, vectors,
};
use wirecontract_tests::random::Random;
use wirecontract_tests::repository;

const PACKAGE: &str = "random-contracts";

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Says how long each step took: all of it has to stay within a few minutes.
struct Steps(Instant);

impl Steps {
    fn done(&self, what: &str) {
        eprintln!("{:>6.1} s  {what}", self.0.elapsed().as_secs_f64());
    }
}

/// Declares contracts, compiles them and reads them back.
fn declared(count: usize, random: &mut Random, name: &str) -> (Package, Catalog) {
    let source = generate(count, random);
    let folder = scratch().join(name);
    let package = Package::write(PACKAGE, &source, &folder, &repository(), &scratch().join("cargo"));
    let catalog = package.catalog();
    assert_sizes(&catalog, &source);
    (package, catalog)
}

/// Every declaration is in the catalog, as large as it was declared to be.
fn assert_sizes(catalog: &Catalog, source: &Source) {
    for (name, size) in &source.sizes {
        let (_, contract) = catalog
            .iter()
            .find(|(_, contract)| contract.name == *name)
            .unwrap_or_else(|| panic!("expected {name} in the catalog"));
        let found = match &contract.body {
            Body::Descriptor(descriptor) => Some(descriptor.size as usize),
            _ => None,
        };
        assert_eq!(found, *size, "bytes of {name}");
    }
}

fn rust(package: &Package) -> Rust {
    let target: PathBuf = scratch().join("cargo");
    Rust { libraries: vec![package.library.clone()], repository: repository(), target, rustc: None }
}

#[test]
fn two_hundred_random_declarations_mean_the_same_in_every_language() {
    let mut random = Random::new(Random::seed());
    let steps = Steps(Instant::now());
    let (package, catalog) = declared(200, &mut random, "random_contracts_crate");
    steps.done("compiled and read back");
    let input = all_families(&catalog, &PackageConfig::default_for(PACKAGE));
    let families: Vec<String> = input.families.iter().map(|family| family.name.clone()).collect();
    let bench = Workbench::new(input, &scratch().join("random_contracts"));
    steps.done("emitted");
    let mut drivers = vec![bench.python(), bench.rust(&rust(&package), Machine::Native)];
    steps.done("Rust compiled");
    for machine in Machine::ALL {
        drivers.push(bench.c(machine, &["-O1"]));
        steps.done(&format!("C compiled for {}", machine.name()));
        drivers.push(bench.cpp(machine, &["-O0"]));
        steps.done(&format!("C++ compiled for {}", machine.name()));
    }

    for host in [Machine::Native.host(), Machine::BigEndian.host()] {
        let here: Vec<&Driver> = drivers.iter().filter(|driver| driver.host() == host).collect();
        let requests = inputs::requests(&catalog, host, 250, &mut random);
        compare(&catalog, &requests, &here).unwrap_or_else(|disagreement| panic!("{disagreement}"));
        steps.done(&format!("{} requests to {} drivers", requests.len(), here.len()));
    }
    for driver in &drivers {
        for family in &families {
            let file = bench.artifact(&format!("vectors/random_contracts/{family}.json"));
            vectors::replay(&catalog, &file, driver);
        }
    }
    steps.done("replayed the golden vectors");
}

//! Declarations that nobody wrote, through everything: nothing may know only the shipped contracts.

use std::path::{Path, PathBuf};
use std::time::Instant;

use wirecontract_codegen::emit::PackageConfig;
use wirecontract_codegen::model::{Body, Catalog};
use wirecontract_tests::declarations::{Package, Source, generate};
use wirecontract_tests::differential::{
    Driver, Machine, Rust, Workbench, all_families, compare, documents, inputs, values, vectors,
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

/// How many requests a contract gets: what the variable says, or else few every day and many in
/// `cargo xtask test --all`.
fn count(variable: &str, few: usize, many: usize) -> usize {
    match std::env::var(variable) {
        Ok(number) => {
            number.parse().unwrap_or_else(|_| panic!("{variable}: expected a number, found `{number}`"))
        }
        Err(_) if std::env::var_os("WIRECONTRACT_TEST_ALL").is_some() => many,
        Err(_) => few,
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
    let drivers = std::thread::scope(|scope| {
        // One compiler of Rust beside two of C or C++.
        let rust = scope.spawn(|| bench.rust(&rust(&package), Machine::Native));
        let mut drivers = vec![bench.python()];
        for machine in Machine::ALL {
            drivers.push(bench.c(machine, &["-O1"]));
            drivers.push(bench.cpp(machine, &["-O0"]));
            steps.done(&format!("C and C++ compiled for {}", machine.name()));
        }
        drivers.push(rust.join().expect("the Rust driver is built"));
        drivers
    });
    steps.done("Rust compiled");

    let (buffers, documents) =
        (count("WIRECONTRACT_BUFFERS", 250, 4000), count("WIRECONTRACT_DOCUMENTS_EACH", 60, 1000));
    for host in [Machine::Native.host(), Machine::BigEndian.host()] {
        let here: Vec<&Driver> = drivers.iter().filter(|driver| driver.host() == host).collect();
        let requests = inputs::requests(&catalog, host, buffers, &mut random);
        compare(&catalog, &requests, &here).unwrap_or_else(|disagreement| panic!("{disagreement}"));
        steps.done(&format!("{} requests to {} drivers", requests.len(), here.len()));
    }
    // The drivers of C and C++ read no documents.
    let readers: Vec<&Driver> = drivers.iter().filter(|driver| !driver.name().starts_with('c')).collect();
    let requests = documents::requests(&catalog, documents, &mut random);
    compare(&catalog, &requests, &readers).unwrap_or_else(|disagreement| panic!("{disagreement}"));
    steps.done(&format!("{} documents to {} drivers", requests.len(), readers.len()));
    let questions = values::questions(&catalog, count("WIRECONTRACT_VALUES", 6, 40), &mut random);
    let accepted = values::agree(&bench, &questions);
    steps.done(&format!("{} values to C, {accepted} accepted", questions.len()));
    for driver in &drivers {
        for family in &families {
            let file = bench.artifact(&format!("vectors/random_contracts/{family}.json"));
            vectors::replay(&catalog, &file, driver);
        }
    }
    steps.done("replayed the golden vectors");
}

/// Part of `cargo xtask test --all`: the standard libraries for other machines come with the oldest supported Rust.
#[test]
fn random_declarations_agree_in_rust_on_32_bits_and_on_a_big_endian_machine() {
    if std::env::var_os("WIRECONTRACT_TEST_ALL").is_none() {
        eprintln!("this is large: set WIRECONTRACT_TEST_ALL to run it");
        return;
    }
    let folder = std::env::var_os("WIRECONTRACT_RUST_1_85").expect(
        "expected WIRECONTRACT_RUST_1_85 to name a folder with bin/rustc and the standard libraries for i686 and \
         s390x: run `cargo xtask test --all rust`, which sets it up",
    );
    let mut random = Random::new(Random::seed());
    let (package, catalog) = declared(60, &mut random, "random_contracts_elsewhere_crate");
    let input = all_families(&catalog, &PackageConfig::default_for(PACKAGE));
    let bench = Workbench::new(input, &scratch().join("random_contracts_elsewhere"));
    for machine in [Machine::Bits32, Machine::BigEndian] {
        let rust = Rust {
            rustc: Some(Path::new(&folder).join("bin/rustc")),
            // The builds of two compilers do not mix.
            target: scratch().join("cargo-1.85"),
            ..rust(&package)
        };
        let drivers = [bench.rust(&rust, machine), bench.c(machine, &["-O1"])];
        let requests = inputs::requests(&catalog, machine.host(), 250, &mut random);
        compare(&catalog, &requests, &[&drivers[0], &drivers[1]])
            .unwrap_or_else(|disagreement| panic!("{disagreement}"));
    }
}

//! Declarations that nobody wrote, through everything: nothing may know only the shipped contracts.

use std::path::{Path, PathBuf};
use std::time::Instant;

use wirecontract_codegen::emit::PackageConfig;
use wirecontract_codegen::interpret::Host;
use wirecontract_codegen::model::{Body, Catalog};
use wirecontract_tests::declarations::{Package, Source, generate};
use wirecontract_tests::differential::{
    Agreement, Driver, Machine, Request, Rust, Workbench, all_families, answer, compare, documents, inputs,
    messages, values, vectors,
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

/// How many to ask: what the variable says, or else few every day and more in `cargo xtask test --all`. Not very many: a
/// fixed seed asks the same each time, and only another seed with a larger number finds more.
fn count(variable: &str, few: usize, many: usize) -> usize {
    match std::env::var(variable) {
        Ok(number) => {
            number.parse().unwrap_or_else(|_| panic!("{variable}: expected a number, found `{number}`"))
        }
        Err(_) if std::env::var_os("WIRECONTRACT_TEST_ALL").is_some() => many,
        Err(_) => few,
    }
}

/// Declares contracts, compiles them and reads them back. The crates of two tests have one name, so that each test has a
/// target folder of its own.
fn declared(count: usize, random: &mut Random, name: &str, target: &str) -> (Package, Catalog) {
    let source = generate(count, random);
    let folder = scratch().join(name);
    let package =
        Package::write(PACKAGE, &source, &folder, &repository(), &scratch().join(target), &["message"]);
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

fn agree(catalog: &Catalog, requests: &[Request], drivers: &[&Driver]) -> Agreement {
    compare(catalog, requests, drivers).unwrap_or_else(|disagreement| panic!("{disagreement}"))
}

/// Of messages that are asked for, many are read and many refused.
fn assert_both(catalog: &Catalog, requests: &[Request], host: Host) {
    let is_read = |request: &&Request| answer(catalog, &[], request, host).starts_with("ok");
    let read = requests.iter().filter(is_read).count();
    assert!(
        read > requests.len() / 8 && read < requests.len() * 7 / 8,
        "{read} of {} are read",
        requests.len()
    );
}

fn rust(package: &Package) -> Rust {
    let target: PathBuf = scratch().join("cargo");
    Rust { libraries: vec![package.library.clone()], repository: repository(), target, rustc: None }
}

#[test]
fn two_hundred_random_declarations_mean_the_same_in_every_language() {
    let mut random = Random::new(Random::seed());
    let steps = Steps(Instant::now());
    let (package, catalog) = declared(200, &mut random, "random_contracts_crate", "cargo");
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

    let buffers = count("WIRECONTRACT_BUFFERS", 250, 300);
    let sent = count("WIRECONTRACT_MESSAGES", 120, 200);
    for host in [Machine::Native.host(), Machine::BigEndian.host()] {
        let here: Vec<&Driver> = drivers.iter().filter(|driver| driver.host() == host).collect();
        let requests = inputs::requests(&catalog, host, buffers, &mut random);
        let agreement = agree(&catalog, &requests, &here);
        steps.done(&format!(
            "{} requests to {} drivers, {} of them ruled",
            agreement.requests,
            here.len(),
            agreement.ruled
        ));
        let requests = messages::requests(&catalog, host, sent, &mut random);
        assert_both(&catalog, &requests, host);
        agree(&catalog, &requests, &here);
        steps.done(&format!("{} messages of descriptors", requests.len()));
    }
    // Each language on this machine alone: rules are asked more often than the other machines could be.
    let host = Machine::Native.host();
    let is_here = |driver: &&Driver| {
        driver.name() == "python" || driver.name().ends_with(&format!("({})", Machine::Native.name()))
    };
    let here: Vec<&Driver> = drivers.iter().filter(is_here).collect();
    assert_eq!(here.len(), 4, "one driver of each language");
    let (mut values, mut violated, mut requests) = (0, 0, 0);
    let wanted = count("WIRECONTRACT_RULED", 10_000, 30_000);
    while values < wanted {
        let each = ((wanted - values) / catalog.iter().count()).clamp(20, 2000);
        let agreement = agree(&catalog, &inputs::ruled(&catalog, host, each, &mut random), &here);
        assert!(agreement.ruled > agreement.requests / 2, "most values come to their rules: {agreement:?}");
        requests += agreement.requests;
        values += agreement.ruled;
        violated += agreement.violated;
    }
    steps.done(&format!(
        "{values} values of {requests} came to rules in Rust, C, C++ and Python, {violated} violated one"
    ));
    assert!(violated > values / 100 && violated < values, "{violated} of {values} violate a rule");

    // The drivers of C and C++ read no documents.
    let readers: Vec<&Driver> =
        here.iter().copied().filter(|driver| !driver.name().starts_with('c')).collect();
    let wanted = count("WIRECONTRACT_DOCUMENTS", 6_000, 30_000);
    let contracts =
        catalog.iter().filter(|(_, contract)| matches!(contract.kind(), "recipe" | "union")).count();
    let (mut documents, mut ruled, mut violated) = (0, 0, 0);
    while documents < wanted {
        let each = (wanted - documents).min(20_000).div_ceil(contracts);
        let agreement = agree(&catalog, &documents::requests(&catalog, each, &mut random), &readers);
        documents += agreement.requests;
        ruled += agreement.ruled;
        violated += agreement.violated;
    }
    steps.done(&format!(
        "{documents} documents in Rust and Python, {ruled} came to rules of their own, {violated} violated one"
    ));
    let requests = messages::document_requests(&catalog, sent, &mut random);
    assert_both(&catalog, &requests, host);
    agree(&catalog, &requests, &readers);
    steps.done(&format!("{} messages of documents in Rust and Python", requests.len()));
    let questions = values::questions(&catalog, count("WIRECONTRACT_VALUES", 6, 20), &mut random);
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

#[test]
fn c_reads_and_writes_documents_of_random_declarations_as_everybody_does() {
    let mut random = Random::new(Random::seed());
    let (package, catalog) = declared(80, &mut random, "random_documents_crate", "cargo-documents");
    let input = all_families(&catalog, &PackageConfig::default_for(PACKAGE));
    let bench = Workbench::new(input, &scratch().join("random_documents"));
    let rust = Rust { target: scratch().join("cargo-documents"), ..rust(&package) };
    let driver = bench.c_documents(&rust, Machine::Native, &["-O0"]);
    let each = count("WIRECONTRACT_DOCUMENTS", 6_000, 30_000) / 40;
    agree(&catalog, &documents::requests(&catalog, each, &mut random), &[&driver]);
    let requests = messages::document_requests(&catalog, each, &mut random);
    assert_both(&catalog, &requests, Machine::Native.host());
    agree(&catalog, &requests, &[&driver]);

    let questions = values::questions(&catalog, count("WIRECONTRACT_VALUES", 6, 20), &mut random);
    let [written, refused] = values::written_as_checked(&bench, &rust, &questions, &mut random);
    assert!(written > 0 && refused > 0, "{written} are written, {refused} refused");
    let mut replayed = 0;
    for family in all_families(&catalog, &PackageConfig::default_for(PACKAGE)).families {
        let file = bench.artifact(&format!("vectors/random_contracts/{}.json", family.name));
        replayed += vectors::replay_documents(&catalog, &file, &driver);
    }
    assert!(replayed > 0, "the vectors have documents");
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
    let (package, catalog) = declared(60, &mut random, "random_contracts_elsewhere_crate", "cargo-elsewhere");
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
        agree(&catalog, &requests, &[&drivers[0], &drivers[1]]);
        let requests = messages::requests(&catalog, machine.host(), 120, &mut random);
        agree(&catalog, &requests, &[&drivers[0], &drivers[1]]);
    }
}

//! Documents of the shipped recipes in every language that reads them, and their values in C, against the interpreter: the
//! same verdicts, the same words, the same bytes.

use std::path::Path;
use std::time::Instant;

use wirecontract_tests::differential::{Driver, Machine, Shipped, compare, documents, values};
use wirecontract_tests::random::Random;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// How many documents there are in all: few every day, thrice as many in `cargo xtask test --all`, and as many as the variable says.
fn documents() -> usize {
    let asked = std::env::var("WIRECONTRACT_DOCUMENTS").ok();
    match asked.map(|number| number.parse().expect("WIRECONTRACT_DOCUMENTS is a number")) {
        Some(number) => number,
        None if std::env::var_os("WIRECONTRACT_TEST_ALL").is_some() => 30_000,
        None => 10_000,
    }
}

/// Documents that are put before a driver at once.
const BATCH: usize = 20_000;

#[test]
fn rust_c_and_python_agree_with_the_interpreter_on_documents() {
    let start = Instant::now();
    let shipped = Shipped::read(scratch());
    let bench = shipped.workbench(&scratch().join("agreement_documents"));
    let drivers = [
        bench.rust(&shipped.rust(), Machine::Native),
        bench.c_documents(&shipped.rust(), Machine::Native, &["-O1"]),
        bench.python(),
    ];
    let drivers: Vec<&Driver> = drivers.iter().collect();
    let mut random = Random::new(Random::seed());
    let contracts =
        shipped.catalog.iter().filter(|(_, contract)| matches!(contract.kind(), "recipe" | "union"));
    let contracts = contracts.count();
    assert!(contracts > 3, "{contracts} recipes and unions are shipped");
    let mut done = 0;
    while done < documents() {
        let batch = BATCH.min(documents() - done);
        let requests = documents::requests(&shipped.catalog, batch.div_ceil(contracts), &mut random);
        compare(&shipped.catalog, &requests, &drivers)
            .unwrap_or_else(|disagreement| panic!("{disagreement}"));
        done += requests.len();
        eprintln!("{:>6.1} s  {done} documents", start.elapsed().as_secs_f64());
    }
}

#[test]
fn c_agrees_with_the_interpreter_on_values() {
    let shipped = Shipped::read(scratch());
    let bench = shipped.workbench(&scratch().join("agreement_values"));
    let mut random = Random::new(Random::seed());
    let each = if std::env::var_os("WIRECONTRACT_TEST_ALL").is_some() { 120 } else { 40 };
    let questions = values::questions(&shipped.catalog, each, &mut random);
    let accepted = values::agree(&bench, &questions);
    assert!(accepted > questions.len() / 4, "{accepted} of {} values are accepted", questions.len());
}

#[test]
fn writing_refuses_a_struct_of_c_as_its_check_does() {
    let shipped = Shipped::read(scratch());
    let bench = shipped.workbench(&scratch().join("agreement_written"));
    let mut random = Random::new(Random::seed());
    let each = if std::env::var_os("WIRECONTRACT_TEST_ALL").is_some() { 180 } else { 60 };
    let questions = values::questions(&shipped.catalog, each, &mut random);
    let [written, refused] = values::written_as_checked(&bench, &shipped.rust(), &questions, &mut random);
    assert!(written > 100 && refused > 100, "{written} are written, {refused} refused");
}

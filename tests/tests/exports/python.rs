//! Python, through the generated module of functions.

use wirecontract_tests::differential::toolchain;
use wirecontract_tests::repository;

use super::library::{declared, generated};

#[test]
fn python_calls_every_function_and_is_told_what_it_does_wrong() {
    let mut python = toolchain::python();
    python.args(["-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    python.arg(repository().join("tests/exports/python"));
    python.env("PYTHONPATH", generated().join("python")).env("RIG_LIBRARY", &declared().shared);
    toolchain::run(&mut python);
}

//! A round trip through the Python package's native library, against the same one in Rust.

use anyhow::ensure;

use super::{Programs, TIMES, same};
use crate::bench::Bench;
use crate::bench::package::Package;
use crate::bench::table::Table;
use crate::process::Step;

/// What a round trip from Python may cost, as a ratio to the one in Rust.
const MOST: f64 = 1.3;

/// The same verdict on every variant of a descriptor, with every kind of file descriptor.
pub(super) fn agree(package: &Package, programs: &Programs, bench: &Bench) -> anyhow::Result<()> {
    let (works, ours) = program(package, bench).arg("agree").ask()?;
    ensure!(works, "the Python package failed:\n{ours}");
    let (works, theirs) = bench.runner.command(&programs.rust).arg("agree-shared").ask()?;
    ensure!(works, "{} failed:\n{theirs}", programs.rust.display());
    same(&ours, &theirs)?;
    let variants = ours.lines().count();
    bench
        .runner
        .say(format_args!("Python and Rust agree: {variants} descriptors, each with 4 kinds of them"));
    Ok(())
}

pub(super) fn round_trips(
    package: &Package,
    programs: &Programs,
    bench: &Bench,
    table: &mut Table,
) -> anyhow::Result<()> {
    let steps = || {
        let rust = bench.runner.command(&programs.rust).arg("measure-shared");
        [program(package, bench).arg("measure"), rust].map(|step| step.arg(TIMES))
    };
    let [ours, theirs] = programs.best(steps, "shared-round-trip")?;
    table.ratio("python handoff round trip, native", "ns", ours, ("in Rust", theirs), MOST);
    Ok(())
}

fn program<'a>(package: &Package, bench: &'a Bench) -> Step<'a> {
    package.program(bench, "bench/python/handoff.py")
}

//! A round trip through the Python package's native library, against the same one in Rust.

use std::path::Path;

use anyhow::ensure;

use super::{TIMES, TURNS, said, same};
use crate::bench::Bench;
use crate::bench::package::Package;
use crate::bench::table::Table;
use crate::process::Step;

/// What a round trip from Python may cost, as a ratio to the one in Rust.
const MOST: f64 = 1.3;

/// The same verdict on every variant of a descriptor, with every kind of file descriptor.
pub(super) fn agree(package: &Package, rust: &Path, bench: &Bench) -> anyhow::Result<()> {
    let (works, ours) = program(package, bench).arg("agree").ask()?;
    ensure!(works, "the Python package failed:\n{ours}");
    let (works, theirs) = bench.runner.command(rust).arg("agree-shared").ask()?;
    ensure!(works, "{} failed:\n{theirs}", rust.display());
    same(&ours, &theirs)?;
    let variants = ours.lines().count();
    bench
        .runner
        .say(format_args!("Python and Rust agree: {variants} descriptors, each with 4 kinds of them"));
    Ok(())
}

pub(super) fn round_trips(
    package: &Package,
    rust: &Path,
    bench: &Bench,
    table: &mut Table,
) -> anyhow::Result<()> {
    let mut best = [f64::INFINITY; 2];
    for _ in 0..TURNS {
        let (works, output) = program(package, bench).args(["measure", TIMES]).ask()?;
        ensure!(works, "the Python package could not be measured:\n{output}");
        let ours = crate::bench::calls::figures(&output, "shared-round-trip")?;
        let theirs = said(bench, rust, &["measure-shared", TIMES], "shared-round-trip")?;
        for (best, time) in best.iter_mut().zip([ours, theirs]) {
            let [time] = time[..] else { anyhow::bail!("expected one figure, found {time:?}") };
            *best = best.min(time);
        }
    }
    table.ratio("python handoff round trip, native", "ns", best[0], ("in Rust", best[1]), MOST);
    Ok(())
}

fn program<'a>(package: &Package, bench: &'a Bench) -> Step<'a> {
    package.program(bench, "bench/python/handoff.py")
}

//! The native classes of the Python package against the pure ones: time.

use anyhow::ensure;

use super::Bench;
use super::package::Package;
use super::table::Table;

/// What reading bytes may cost natively, as a ratio to the pure class.
const MOST: f64 = 0.35;

pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let package = Package::build(bench)?;
    let (works, output) = package.program(bench, "bench/python/native.py").args(VECTORS).ask()?;
    ensure!(works, "native and pure classes do not agree:\n{output}");
    bench.runner.say(format_args!("native and pure classes {}", output.trim()));
    if bench.only_agree {
        return Ok(());
    }
    let (works, output) =
        package.program(bench, "bench/python/native.py").arg("--measure").args(VECTORS).ask()?;
    ensure!(works, "native and pure classes could not be measured:\n{output}");
    let mut rows = 0;
    for line in output.lines() {
        let (name, figures) = line.split_once(' ').unwrap_or((line, ""));
        let figures = figures.split(' ').map(str::parse::<f64>).collect::<Result<Vec<_>, _>>();
        let Ok([native, pure]) = figures.as_deref() else {
            anyhow::bail!("expected a name and two figures, found `{line}`");
        };
        table.ratio(format!("native {name} from_bytes"), "ns", *native, ("pure", *pure), MOST);
        rows += 1;
    }
    ensure!(rows > 0, "expected a line a descriptor, found none");
    Ok(())
}

/// The golden vectors of what ships.
const VECTORS: [&str; 4] = [
    "contracts/core/generated/vectors/wirecontract/hello.json",
    "contracts/gpu/generated/vectors/wirecontract/buffer.json",
    "contracts/gpu/generated/vectors/wirecontract/cuvis.json",
    "contracts/gpu/generated/vectors/wirecontract/video.json",
];

//! The native classes of the Python package against the pure ones: time.

use anyhow::ensure;

use super::Bench;
use super::package::Package;
use super::table::Table;

/// What reading bytes may cost natively, as a ratio to the pure class.
const MOST: f64 = 0.35;

/// The same of documents and messages.
const MOST_OF_OTHERS: f64 = 0.8;

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
        let Some((name, method, native, pure)) = row(line) else {
            anyhow::bail!("expected a name, a method and two figures, found `{line}`");
        };
        let most = if method == "from_bytes" { MOST } else { MOST_OF_OTHERS };
        table.ratio(format!("native {name} {method}"), "ns", native, ("pure", pure), most);
        rows += 1;
    }
    ensure!(rows > 0, "expected a line a contract, found none");
    Ok(())
}

/// A contract, the method that reads it, and the nanoseconds of a call, natively and purely.
fn row(line: &str) -> Option<(&str, &str, f64, f64)> {
    let mut words = line.split(' ');
    let (name, method) = (words.next()?, words.next()?);
    let [native, pure] = [words.next()?.parse().ok()?, words.next()?.parse().ok()?];
    words.next().is_none().then_some((name, method, native, pure))
}

/// The golden vectors of what ships.
const VECTORS: [&str; 5] = [
    "contracts/core/generated/vectors/wirecontract/hello.json",
    "contracts/gpu/generated/vectors/wirecontract/buffer.json",
    "contracts/gpu/generated/vectors/wirecontract/cuvis.json",
    "contracts/gpu/generated/vectors/wirecontract/texture.json",
    "contracts/gpu/generated/vectors/wirecontract/video.json",
];

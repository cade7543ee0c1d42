//! Instructions of one function, calls included, counted by callgrind.

use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use super::Bench;

/// Calls of each input in one count; one would do, but for what is done at a first call only.
const TIMES: &str = "100";

/// Instructions of a call of the entry, on average over the inputs.
pub(super) fn instructions(bench: &Bench, program: &Path, entry: &str, inputs: &Path) -> anyhow::Result<f64> {
    let (works, output) = bench
        .runner
        .command("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect={entry}"))
        .arg(program)
        .args(["call", entry])
        .arg(inputs)
        .arg(TIMES)
        // Looking a symbol up at its first call is not the callee's doing.
        .env("LD_BIND_NOW", "1")
        .ask()?;
    if !works {
        bail!("callgrind could not count `{entry}`:\n{output}");
    }
    let counted =
        parse(&output).with_context(|| format!("callgrind said something else of `{entry}`:\n{output}"))?;
    ensure!(counted > 0.0, "callgrind saw no call of `{entry}`: has its symbol another name?");
    Ok(counted)
}

/// The program prints how many calls it made, and callgrind what it collected.
fn parse(output: &str) -> Option<f64> {
    let calls: u32 = output.lines().find_map(|line| line.trim().parse().ok())?;
    let collected: u32 =
        output.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())?;
    Some(f64::from(collected) / f64::from(calls))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_a_call_are_found_in_what_is_printed() {
        let output =
            "==7== Callgrind, a call-graph generating cache profiler\n600\n==7== \n==7== Collected : 39600\n";
        assert_eq!(parse(output), Some(66.0));
        assert_eq!(parse("600\n"), None);
    }
}

//! Tensors to and from Python: `wirecontract-tensor` against dlpark, in one module of one build. Instructions, since a call is
//! less than a microsecond.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::Bench;
use super::table::Table;

/// How often a piece of work is done in two counts, whose difference is that of the work alone: the interpreter starts, and
/// loads the module, in both.
const TIMES: [u32; 2] = [2_000, 12_000];

/// Seeds of the hashes of strings, which decide where the interpreter's caches have their collisions: the least is what is
/// done without any.
const SEEDS: [&str; 5] = ["0", "1", "2", "3", "4"];

const WORK: [(&str, &str); 5] = [
    ("legacy", "python __dlpack__(), legacy"),
    ("versioned", "python __dlpack__(), versioned"),
    ("numpy", "numpy.from_dlpack of ours, of theirs"),
    ("import_ours", "import by exchange table, of ours"),
    ("import_theirs", "import by exchange table, of theirs"),
];

pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let target = bench.folder.join("tensors");
    bench
        .runner
        .cargo()
        .args(["build", "--quiet", "--release", "--locked", "--manifest-path", "bench/Cargo.toml"])
        .args(["--package", "wirecontract-bench-tensors"])
        .env("CARGO_TARGET_DIR", &target)
        .run()?;
    let library = target.join("release/libwirecontract_bench_tensors.so");
    let python = bench.setup.arrays(&bench.runner)?.python();
    let (works, output) = bench.runner.command(&python).arg("bench/python/tensors.py").arg(&library).ask()?;
    ensure!(works, "wirecontract-tensor and dlpark do not agree:\n{output}");
    bench.runner.say(format_args!("wirecontract-tensor and dlpark {}", output.trim()));
    if bench.only_agree {
        return Ok(());
    }
    bench.need("valgrind")?;
    for (work, name) in WORK {
        let [ours, theirs] =
            ["ours", "theirs"].map(|side| instructions(bench, &python, &library, work, side));
        table.ratio(name, "instructions", ours?, ("dlpark", theirs?), 1.0);
    }
    Ok(())
}

/// Instructions of a piece of work, without collisions.
fn instructions(
    bench: &Bench,
    python: &Path,
    library: &PathBuf,
    work: &str,
    side: &str,
) -> anyhow::Result<f64> {
    let count = |times: u32, seed: &str| -> anyhow::Result<f64> {
        let (works, output) = bench
            .runner
            .command("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(python)
            .arg("bench/python/tensors.py")
            .arg(library)
            .args([work, side, &times.to_string()])
            .env("PYTHONHASHSEED", seed)
            .ask()?;
        ensure!(works, "callgrind could not count `{work}` of {side}:\n{output}");
        let counted = output.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
        counted.with_context(|| format!("callgrind said something else of `{work}`:\n{output}"))
    };
    let [few, many] = TIMES;
    let mut least = f64::INFINITY;
    for seed in SEEDS {
        least = least.min((count(many, seed)? - count(few, seed)?) / f64::from(many - few));
    }
    Ok(least)
}

//! C: the generated header against memcpy by hand, as two compilers see them.

use anyhow::ensure;

use super::Bench;
use super::callgrind::instructions;
use super::table::Table;

/// Generated C read and write.
pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    bench.need_counter()?;
    for compiler in ["gcc", "clang"] {
        bench.need(compiler)?;
        let program = bench.folder.join(format!("payload-{compiler}"));
        bench
            .runner
            .command(compiler)
            .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Ibindings/c/include"])
            .args(["bench/c/payload.c", "-o"])
            .arg(&program)
            .run()?;
        let (agree, output) = bench.runner.command(&program).arg("agree").arg(&bench.inputs.all).ask()?;
        ensure!(agree, "generated and hand-written code do not agree:\n{output}");
        bench.runner.say(format_args!("both agree: {}", output.trim()));
        if bench.only_agree {
            continue;
        }
        for work in ["read", "write"] {
            let ours = instructions(bench, &program, &format!("contract_{work}"), &bench.inputs.sample)?;
            let theirs = instructions(bench, &program, &format!("handwritten_{work}"), &bench.inputs.sample)?;
            let name = format!("c {work} {compiler}");
            table.ratio(name, "instructions", ours, ("hand-written", theirs), 1.10);
        }
    }
    Ok(())
}

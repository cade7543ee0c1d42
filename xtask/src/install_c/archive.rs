//! The static library: one object, whose only global symbols are those of the prefix.
//!
//! An archive of Rust's holds the standard library as well, and a program that links two such would have two of each of its
//! symbols. So everything is linked into one object first, and what is nobody else's is made local.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use super::PREFIX;
use crate::process::Runner;

/// Rust's standard library carries LLVM bitcode, which tools of another LLVM stumble over.
const BITCODE: [&str; 2] = ["--remove-section=.llvmbc", "--remove-section=.llvmcmd"];

pub(super) fn make(runner: &Runner, archive: &Path, to: &Path) -> anyhow::Result<()> {
    let object = to.with_extension("o");
    // Of a group that two objects have, a linker drops one. Were it the other archive's, its reference would be to what is
    // local here: nothing is left in groups.
    let linked = runner.command("ld").args(["-r", "--force-group-allocation", "--whole-archive"]);
    let linked = linked.arg(archive).arg("-o").arg(&object);
    linked.run()?;
    let keep = format!("--keep-global-symbol={PREFIX}*");
    let objcopy = runner.command("objcopy");
    objcopy.args(["--wildcard", &keep, "--strip-debug"]).args(BITCODE).arg(&object).run()?;
    if to.exists() {
        fs::remove_file(to)?;
    }
    runner.command("ar").arg("rcsD").arg(to).arg(&object).run()?;
    fs::remove_file(&object).with_context(|| format!("cannot remove {}", object.display()))
}

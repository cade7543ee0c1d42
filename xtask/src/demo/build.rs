//! The programs of the demo, as they are built.

use std::env;
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::process::Runner;
use crate::workspace::Workspace;

/// The three programs.
#[derive(Debug)]
pub(super) struct Programs {
    producer: PathBuf,
    python: OsString,
    script: PathBuf,
    modules: PathBuf,
    c: PathBuf,
}

impl Programs {
    /// Builds the producer, libwirecontract, and with it the consumer in C, which goes to a folder of this run's own.
    pub(super) fn build(workspace: &Workspace, runner: &Runner, folder: &Path) -> anyhow::Result<Programs> {
        let target = workspace.target();
        let build = || runner.cargo().args(["build", "--quiet", "--package"]).env("CARGO_TARGET_DIR", target);
        build().args(["wirecontract-runtime", "--example", "demo_producer"]).run()?;
        build().arg("wirecontract-c").run()?;
        // By this name the program looks for the library.
        let library = folder.join("libwirecontract.so.0");
        symlink(target.join("debug/libwirecontract_c.so"), &library)
            .with_context(|| format!("making {}", library.display()))?;
        let root = workspace.root();
        let c = folder.join("consumer");
        let compiler = runner.command("gcc").args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-I"]);
        let compiler =
            compiler.arg(root.join("bindings/c/include")).arg(root.join("examples/demo/consumer.c"));
        let compiler = compiler.arg("-o").arg(&c).arg(&library);
        compiler.arg(format!("-Wl,-rpath,{}", folder.display())).run()?;
        let python = env::var_os("WIRECONTRACT_PYTHON").unwrap_or_else(|| "python3".into());
        let asked =
            runner.command(&python).args(["-c", "import sys; print(sys.version_info >= (3, 11))"]).ask()?;
        ensure!(
            asked.0 && asked.1.trim() == "True",
            "expected `{}` to be Python 3.11 or newer: name one by WIRECONTRACT_PYTHON",
            python.display()
        );
        Ok(Programs {
            producer: target.join("debug/examples/demo_producer"),
            python,
            script: root.join("examples/demo/consumer.py"),
            modules: root.join("bindings/python"),
            c,
        })
    }

    /// The producer, in Rust.
    pub(super) fn producer(&self) -> Command {
        Command::new(&self.producer)
    }

    /// The consumer in Python, without what is installed beside the standard library.
    pub(super) fn python(&self) -> Command {
        let mut command = Command::new(&self.python);
        command.arg("-S").arg(&self.script).env("PYTHONPATH", &self.modules);
        command
    }

    /// The consumer in C.
    pub(super) fn c(&self) -> Command {
        Command::new(&self.c)
    }
}

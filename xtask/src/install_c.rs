//! `cargo xtask install-c`: libwirecontract and its headers, where a C or C++ program finds them.
//!
//! What is installed may be moved: `pkg-config` and `cmake` find headers and libraries from where their own files lie.

mod archive;
mod files;

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use crate::process::Runner;
use crate::workspace::Workspace;

/// What every exported symbol begins with.
pub(crate) const PREFIX: &str = "wc_";
/// The package's version, which is the workspace's.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What `cargo xtask install-c` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Installs include/wirecontract/, lib/libwirecontract.so (with its soname), lib/libwirecontract.a,\n\
lib/pkgconfig/wirecontract.pc and lib/cmake/wirecontract/.\n\
\n\
DESTDIR is put before the prefix, for whoever makes a package of it.")]
pub(crate) struct Arguments {
    /// Where to install
    #[arg(long, value_name = "DIR", default_value = "/usr/local")]
    prefix: PathBuf,
    /// The folder of the libraries below it
    #[arg(long, value_name = "NAME", default_value = "lib")]
    libdir: String,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let workspace = Workspace::of_this_xtask();
    let runner = Runner::new("install-c", workspace.root(), &workspace.target().join("xtask-test"), false)?;
    let root = match env::var_os("DESTDIR") {
        Some(destination) if !destination.is_empty() => {
            let below = arguments.prefix.strip_prefix("/").unwrap_or(&arguments.prefix);
            Path::new(&destination).join(below)
        }
        _ => arguments.prefix.clone(),
    };
    install(&workspace, &runner, &env::current_dir()?.join(root), &arguments.libdir)
}

/// Builds the library and installs it below a folder.
pub(crate) fn install(
    workspace: &Workspace,
    runner: &Runner,
    prefix: &Path,
    libdir: &str,
) -> anyhow::Result<()> {
    let depth = libdir.split('/').filter(|name| !name.is_empty()).count();
    ensure!(
        depth > 0 && !libdir.split('/').any(|name| name == ".."),
        "expected --libdir to name a folder below the prefix, found `{libdir}`"
    );
    runner.cargo().args(["build", "--release", "--package", "wirecontract-c", "--locked"]).run()?;
    let built = workspace.target().join("release");
    let lib = prefix.join(libdir);
    let include = prefix.join("include/wirecontract");
    for folder in [&lib.join("pkgconfig"), &lib.join("cmake/wirecontract"), &include] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    for header in fs::read_dir(workspace.root().join("bindings/c/include/wirecontract"))? {
        let header = header?;
        copy(&header.path(), &include.join(header.file_name()))?;
    }
    let major = VERSION.split('.').next().unwrap_or(VERSION);
    let real = format!("libwirecontract.so.{VERSION}");
    copy(&built.join("libwirecontract_c.so"), &lib.join(&real))?;
    for link in [format!("libwirecontract.so.{major}"), "libwirecontract.so".to_owned()] {
        let path = lib.join(&link);
        if path.symlink_metadata().is_ok() {
            fs::remove_file(&path)?;
        }
        symlink(&real, &path).with_context(|| format!("cannot link {}", path.display()))?;
    }
    archive::make(runner, &built.join("libwirecontract_c.a"), &lib.join("libwirecontract.a"))?;
    for (name, text) in files::all(depth, libdir) {
        let path = lib.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    runner.say(format_args!("installed in {}", prefix.display()));
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    // A program that runs with the old one keeps it.
    if to.symlink_metadata().is_ok() {
        fs::remove_file(to)?;
    }
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

//! The tests of tensors once more, with `AddressSanitizer` in all that is built here: the module of an older `PyO3`,
//! libwirecontract, and the module in plain C.

use std::env::join_paths;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, ensure};

use super::{Context, c_tensors, package};
use crate::workspace::TENSORS;

const TARGET: &str = "x86_64-unknown-linux-gnu";
const TESTS: &str = "tests/python";

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    let Context { workspace, setup, runner, .. } = context;
    let nightly = setup.nightly(runner)?;
    let runtime = runtime(context)?;
    let target = workspace.target().join("address-sanitizer");
    let cargo = |package: &str| {
        // With the target named, what runs while it is built is not of it.
        let step = nightly.cargo(runner).args(["build", "--locked", "--target", TARGET, "--manifest-path"]);
        let step = step.arg(format!("{package}/Cargo.toml")).env("CARGO_TARGET_DIR", &target);
        step.env("RUSTFLAGS", "-Zsanitizer=address")
    };
    cargo("bindings/c").args(c_tensors::BUILT).run()?;
    cargo(TENSORS).run()?;
    let built = target.join(TARGET).join("debug");
    let folder = target.join("python");
    let compiler = ["clang", "-fsanitize=address", "-shared-libasan", "-fno-omit-frame-pointer"];
    c_tensors::build(context, &compiler, &built, &folder)?;
    let module = built.join("libwirecontract_tensors.so");
    fs::copy(&module, folder.join("wirecontract_tensors.so"))
        .with_context(|| format!("cannot copy {}", module.display()))?;
    let path = join_paths([package::assemble(context)?, folder])?;
    let venv = setup.venv(runner)?;
    Ok(runner
        .command(venv.python())
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .args(tests(context)?)
        .env("PYTHONPATH", path)
        .env("LD_PRELOAD", runtime)
        // Python's own allocator would hide what is freed; what Python leaks at its end is not looked for.
        .env("PYTHONMALLOC", "malloc")
        .env("ASAN_OPTIONS", "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1")
        .run()?)
}

/// clang's runtime, which Python has to be started with.
fn runtime(context: &Context) -> anyhow::Result<PathBuf> {
    let name = "-print-file-name=libclang_rt.asan-x86_64.so";
    let (works, output) = context.runner.command("clang").arg(name).ask()?;
    let runtime = PathBuf::from(output.trim());
    // What clang does not have it calls by its bare name.
    ensure!(
        works && runtime.is_file(),
        "expected clang's shared runtime of AddressSanitizer, found `{}`; run:\n    sudo apt-get update && sudo apt-get \
         install --no-install-recommends clang libclang-rt-14-dev",
        output.trim()
    );
    Ok(runtime)
}

/// The tests of tensors that need nothing but the two modules.
fn tests(context: &Context) -> anyhow::Result<Vec<PathBuf>> {
    let mut tests = Vec::new();
    for entry in fs::read_dir(context.workspace.root().join(TESTS))? {
        let name = entry?.file_name();
        let said = name.to_string_lossy();
        if said.starts_with("test_tensor_") || said.starts_with("test_c_tensors") {
            tests.push(PathBuf::from(TESTS).join(name));
        }
    }
    tests.sort();
    Ok(tests)
}

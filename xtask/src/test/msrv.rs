//! The part `msrv`: the oldest supported Rust builds and runs a package of tests with a lock file of its own, on
//! this machine's 64 bits, on 32 bits, and on a big-endian machine under qemu.

use super::Context;
use crate::setup::packages;

const PACKAGE: &str = "tests/msrv";

/// A target, and what cargo is told of it in the environment.
struct Target {
    triple: &'static str,
    variables: &'static [(&'static str, &'static str)],
}

const TARGETS: &[Target] = &[
    Target { triple: "x86_64-unknown-linux-gnu", variables: &[] },
    // rustc passes -m32 to the linker by itself.
    Target { triple: "i686-unknown-linux-gnu", variables: &[] },
    Target {
        triple: "s390x-unknown-linux-gnu",
        variables: &[
            ("CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER", "s390x-linux-gnu-gcc"),
            ("CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER", "qemu-s390x -L /usr/s390x-linux-gnu"),
        ],
    },
];

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    context.setup.packages(&context.runner, packages::RUST_TARGETS)?;
    let rust = context.setup.rust_1_85(&context.runner)?;
    for target in TARGETS {
        // The newest cargo drives the oldest compiler, as it does for a user who pins only rustc.
        context
            .runner
            .cargo()
            .args(["test", "--tests", "--locked", "--all-features", "--no-fail-fast"])
            .arg(format!("--manifest-path={PACKAGE}/Cargo.toml"))
            .arg(format!("--target={}", target.triple))
            .env("RUSTC", rust.rustc())
            .env("CARGO_TARGET_DIR", context.workspace.target_of(PACKAGE))
            .env_remove("RUSTC_WRAPPER")
            .env_remove("RUSTC_WORKSPACE_WRAPPER")
            .envs(target.variables.iter().copied())
            .run()?;
    }
    Ok(())
}

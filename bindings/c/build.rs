//! Names the shared library as programs that link it will look for it.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_elf = env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "unix")
        && env::var("CARGO_CFG_TARGET_VENDOR").is_ok_and(|vendor| vendor != "apple");
    if is_elf {
        let major = env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo says the version");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libwirecontract.so.{major}");
    }
}

//! libwirecontract, for programs of C and C++ that read and write documents.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::differential::toolchain::{Machine, run};
use crate::repository;

/// The library, as it was built.
#[derive(Debug)]
pub struct CLibrary {
    folder: PathBuf,
}

impl CLibrary {
    /// Builds it in a folder of builds under `scratch`, which tests share.
    ///
    /// # Panics
    /// When it does not compile.
    pub fn build(scratch: &Path) -> Self {
        let target = scratch.join("libwirecontract");
        let mut build = Command::new("cargo");
        build.args(["build", "--quiet", "--offline", "--package", "wirecontract-c"]);
        run(build.current_dir(repository()).env("CARGO_TARGET_DIR", &target));
        let folder = target.join("debug");
        // The name by which programs that were linked with it look for it; another test may have made it meanwhile.
        let link = folder.join("libwirecontract.so.0");
        let made = symlink("libwirecontract_c.so", &link);
        assert!(made.is_ok() || link.exists(), "{}: {made:?}", link.display());
        CLibrary { folder }
    }

    /// Compiles a program with the library, as whoever wants no warning does. More words to the compiler may say more, as
    /// `-fsanitize=address`.
    ///
    /// # Panics
    /// When it does not compile.
    pub fn compile(&self, source: &Path, program: &Path, more: &[&str]) {
        let (mut compiler, standard) = if source.extension().is_some_and(|it| it == "cpp") {
            (Machine::Native.cpp_compiler(), "-std=c++17")
        } else {
            (Machine::Native.c_compiler(), "-std=c11")
        };
        let strict = [standard, "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread"];
        compiler.args(strict).args(more).arg(source).arg("-o").arg(program);
        run(compiler.args(self.flags()));
    }

    /// What a compiler is told to find the headers, and a linker to find the library, behind the sources.
    pub fn flags(&self) -> Vec<String> {
        let folder = self.folder.display();
        let include = repository().join("bindings/c/include");
        vec![
            format!("-I{}", include.display()),
            format!("-L{folder}"),
            "-lwirecontract_c".to_owned(),
            format!("-Wl,-rpath,{folder}"),
        ]
    }
}

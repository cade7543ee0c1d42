//! Builds the library, and programs that use it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use fs4::FileExt;

use wirecontract_tests::differential::toolchain;
use wirecontract_tests::repository;

/// The package of the library.
const PACKAGE: &str = "wirecontract-tests-exports";

/// A library as cargo built it.
pub(crate) struct Library {
    /// The shared library.
    pub(crate) shared: PathBuf,
    /// The archive.
    pub(crate) archive: PathBuf,
}

/// The library as it is declared.
pub(crate) fn declared() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| build("declared"))
}

/// The library with the function `scale` in another form, as a later version would have it.
pub(crate) fn build(form: &str) -> Library {
    // One folder, so that only the last crate is built again; and one at a time, as each form has the same name in it.
    let lock = File::create(scratch().join("lock")).expect("a file");
    FileExt::lock(&lock).expect("a lock");
    let target = scratch().join("target");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--locked", "--package", PACKAGE]).current_dir(repository());
    // Coverage and the like are not for libraries that other programs load.
    cargo.env_remove("RUSTFLAGS").env("RIG_SCALE", form).env("CARGO_TARGET_DIR", &target);
    toolchain::run(&mut cargo);
    let folder = scratch().join(form);
    std::fs::create_dir_all(&folder).expect("a folder");
    let copied = |extension: &str| {
        let name = format!("lib{}.{extension}", PACKAGE.replace('-', "_"));
        let (copy, whole) = (folder.join(format!("{name}.new")), folder.join(&name));
        std::fs::copy(target.join("debug").join(&name), &copy).expect("what cargo has built");
        // Another test may be linking with the one that is there.
        std::fs::rename(&copy, &whole).expect("a file in the same folder");
        whole
    };
    Library { shared: copied("so"), archive: copied("a") }
}

/// Where files of these tests go.
pub(crate) fn scratch() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exports");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The committed artifacts.
pub(crate) fn generated() -> PathBuf {
    repository().join("tests/exports/generated")
}

/// A compiler with the generated headers and every warning.
pub(crate) fn compiler(language: &str) -> Command {
    let (program, standard) = if language == "c" { ("gcc", "-std=c11") } else { ("g++", "-std=c++17") };
    let mut compiler = toolchain::require(program, program);
    compiler.args([standard, "-g", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]);
    compiler.arg("-I").arg(generated().join("include"));
    compiler
}

/// A source of `tests/c`.
pub(crate) fn source(name: &str) -> PathBuf {
    repository().join("tests/c").join(name)
}

/// Compiles a source and links it with the shared library.
pub(crate) fn program(source: &Path, library: &Library, name: &str, flags: &[&str]) -> PathBuf {
    let program = scratch().join(name);
    let language = if source.extension().is_some_and(|it| it == "c") { "c" } else { "c++" };
    let mut compiler = compiler(language);
    // By its name, and not by its path, which would stand in the program.
    let folder = library.shared.parent().expect("a folder").display();
    compiler.args(flags).arg(source).args([format!("-L{folder}"), format!("-Wl,-rpath,{folder}")]);
    compiler.args(["-lwirecontract_tests_exports", "-pthread", "-lm", "-o"]).arg(&program);
    toolchain::run(&mut compiler);
    program
}

/// Runs a program with the library that it was linked with, or that the command says. Cargo has its own folders looked
/// through first, where a library of the same name lies.
pub(crate) fn run(program: &mut Command) -> Output {
    let is_said = program.get_envs().any(|(name, _)| name == "LD_LIBRARY_PATH");
    if !is_said {
        program.env_remove("LD_LIBRARY_PATH");
    }
    program.output().unwrap_or_else(|error| panic!("{program:?}: {error}"))
}

/// All that a program said, for a message.
pub(crate) fn said(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

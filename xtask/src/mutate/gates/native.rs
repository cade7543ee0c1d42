//! A library as programs find it: its exported ids are compared before anything is called.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::ensure;
use wirecontract_codegen::gen_stubs::Target;
use wirecontract_codegen::model::Catalog;

use super::compile::{Compilers, failure};
use super::python::Job;
use super::{Case, Gate, Outcome, Outcomes, is_exported};
use crate::mutate::remake;
use crate::mutate::subject::write;

const LIBRARY: &str = "libsubject.so";

/// What a program that was linked with the unchanged library says of the changed one; Python is asked by its job.
pub(super) fn meet(
    case: &Case<'_>,
    compilers: &Compilers,
    changed: &Catalog,
    job: &mut Option<Job>,
) -> anyhow::Result<Outcomes> {
    let mut outcomes = Outcomes::new();
    if !case.affected.iter().any(|&id| is_exported(case.subject.catalog(), id)) {
        return Ok(outcomes);
    }
    let library = shared(changed, case, &case.folder)?;
    if case.subject.files.iter().any(is_python_library) {
        job.get_or_insert_with(|| Job::empty(case)).load = Some(library);
    }
    for program in programs(case, compilers)? {
        let mut command = Command::new(&program);
        let found = failure(command.env("LD_LIBRARY_PATH", &case.folder))?;
        let found = found.map(|said| if said.is_empty() { "id_mismatch".to_owned() } else { said });
        // A library of two packages is refused where one of them differs.
        if !matches!(outcomes.get(&Gate::CheckAbi), Some(Outcome::Stopped(_))) {
            outcomes.insert(Gate::CheckAbi, Outcome::of(found));
        }
    }
    Ok(outcomes)
}

/// An edited `library.py` is given the unchanged library.
pub(super) fn meet_edit(case: &Case<'_>, compilers: &Compilers, job: &mut Option<Job>) {
    if case.files.iter().any(|file| file.path.ends_with("/library.py"))
        && let Some(job) = job
    {
        job.load = Some(compilers.of(case.subject).folder.join("library").join(LIBRARY));
    }
}

fn is_python_library(file: &crate::mutate::subject::Original) -> bool {
    file.target == Target::Python && file.path.ends_with("/library.py")
}

/// A shared library that exports what is declared. Its functions end the process: nothing may call them.
fn shared(catalog: &Catalog, case: &Case<'_>, folder: &Path) -> anyhow::Result<PathBuf> {
    let mut source = String::new();
    for contract in catalog.contracts.iter().filter(|it| case.subject.packages.contains(&it.package)) {
        for (name, number) in remake::exports(contract, contract.wire_id) {
            let _ = match number {
                None => writeln!(source, "void {name}(void) {{ __builtin_trap(); }}"),
                Some(id) => writeln!(source, "extern const unsigned long long {name};")
                    .and_then(|()| writeln!(source, "const unsigned long long {name} = {id:#x}ULL;")),
            };
        }
    }
    let (path, library) = (folder.join("library.c"), folder.join(LIBRARY));
    write(&path, &source)?;
    let mut command = Command::new("gcc");
    command.args(["-shared", "-fPIC", "-nostdlib", "-w", "-Wl,-soname,libsubject.so"]);
    let failure = failure(command.arg(&path).arg("-o").arg(&library))?;
    ensure!(failure.is_none(), "{}: {}", path.display(), failure.unwrap_or_default());
    Ok(library)
}

/// A program for each `library.h`, linked with the unchanged library; they are made once.
fn programs(case: &Case<'_>, compilers: &Compilers) -> anyhow::Result<Vec<PathBuf>> {
    static MAKING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one_at_a_time = MAKING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let folder = compilers.of(case.subject).folder.join("library");
    let mut programs = Vec::new();
    for file in case.subject.files.iter().filter(|file| file.path.ends_with("/library.h")) {
        let header = file.path.trim_start_matches("include/");
        let program = folder.join(header.replace('/', "-")).with_extension("program");
        if !program.exists() {
            let library = shared(case.subject.catalog(), case, &folder)?;
            let prefix = file
                .text
                .lines()
                .find_map(|line| line.strip_prefix("static inline wc_status ")?.split_once("_check_abi"));
            let prefix = prefix.map_or("wc", |(prefix, _)| prefix);
            let source = program.with_extension("c");
            let text = format!(
                "#include <{header}>\nint main(void) {{ return {prefix}_check_abi(NULL) == WC_STATUS_OK ? 0 : 3; }}\n"
            );
            write(&source, &text)?;
            let mut command = Command::new("gcc");
            command.args(["-std=c11", "-w", "-I"]).arg(case.subject.tree.join("include")).arg(&source);
            let failure = failure(command.arg(&library).arg("-o").arg(&program))?;
            ensure!(failure.is_none(), "{}: {}", source.display(), failure.unwrap_or_default());
        }
        programs.push(program);
    }
    Ok(programs)
}

//! What stands between a change of one side and a payload that is misread. Each mutant meets each gate that has
//! something to say of it, alone: whether another one stopped it already makes no difference.

pub(super) mod compile;
mod declared;
mod documents;
mod native;
mod old_program;
pub(super) mod python;
mod reader;
mod schema;
pub(super) mod types;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wirecontract_codegen::artifact;
use wirecontract_codegen::gen_stubs::{Declarations, Target};
use wirecontract_codegen::model::{Body, Catalog, ContractId};

use self::compile::Compilers;
use self::python::Job;
use super::edits::Edit;
use super::mutant::{Mutant, Source};
use super::operators::Candidate;
use super::remake::{self, Remade};
use super::subject::{self, Subject, write};

/// A gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, clap::ValueEnum)]
pub(crate) enum Gate {
    /// `check`: artifacts that are not those of the declarations.
    Check,
    /// `check`: what the lock refuses without a new version.
    Lock,
    /// `verify`: a library beside artifacts of the other state, both ways.
    Verify,
    /// The hello: two wire ids of one version.
    Hello,
    /// Golden vectors, read by the interpreter.
    Reader,
    /// The documents among golden vectors, as JSON Schema sees them.
    Schema,
    /// gcc: the headers beside a program of the other state.
    CompileC,
    /// g++: the C header beside its twin of the other state.
    CompileCpp,
    /// rustc: the modules that give documents to C programs.
    CompileRust,
    /// mypy: the Python modules beside a program of the other state.
    Types,
    /// Golden vectors, read by the C header.
    VectorsC,
    /// Golden vectors, read by the Python modules.
    VectorsPython,
    /// `load` of library.py.
    Load,
    /// `PREFIX_check_abi`, and the loader that finds its symbols.
    CheckAbi,
}

impl Gate {
    /// All of them, in the order of the matrix.
    pub(crate) const ALL: [Gate; 14] = [
        Gate::Check,
        Gate::Lock,
        Gate::Verify,
        Gate::Hello,
        Gate::Reader,
        Gate::Schema,
        Gate::CompileC,
        Gate::CompileCpp,
        Gate::CompileRust,
        Gate::Types,
        Gate::VectorsC,
        Gate::VectorsPython,
        Gate::Load,
        Gate::CheckAbi,
    ];

    /// The word on the command line and in the report.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Gate::Check => "check",
            Gate::Lock => "lock",
            Gate::Verify => "verify",
            Gate::Hello => "hello",
            Gate::Reader => "reader",
            Gate::Schema => "schema",
            Gate::CompileC => "compile-c",
            Gate::CompileCpp => "compile-cpp",
            Gate::CompileRust => "compile-rust",
            Gate::Types => "types",
            Gate::VectorsC => "vectors-c",
            Gate::VectorsPython => "vectors-python",
            Gate::Load => "load",
            Gate::CheckAbi => "check-abi",
        }
    }
}

/// What a gate says: why it stops a mutant, or that it lets it pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Stopped(String),
    Passed,
}

impl Outcome {
    fn of(reason: Option<String>) -> Self {
        reason.map_or(Outcome::Passed, |reason| Outcome::Stopped(shortened(&reason)))
    }
}

/// The first line, as far as a report shows it.
fn shortened(reason: &str) -> String {
    let line = reason.lines().find(|line| !line.trim().is_empty()).unwrap_or("(nothing was said)").trim();
    match line.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// What the gates say of a mutant; of those that have nothing to say, nothing.
pub(crate) type Outcomes = BTreeMap<Gate, Outcome>;

/// What came of meeting the gates.
pub(crate) enum Met {
    /// No declaration is like that.
    NoDeclaration,
    /// What the gates said that run here, and what is left to ask of Python.
    Gates { outcomes: Outcomes, job: Option<Box<Job>>, notes: Vec<String> },
}

/// A file of a mutant, in the layout of emitters.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) target: Target,
    pub(super) path: String,
    pub(super) text: String,
}

/// The folder in which mypy finds the modules of a mutant, by the mutant's own.
pub(crate) fn types_folder(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let number = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let folder = folder.parent().unwrap_or(Path::new("")).with_file_name("types");
    folder.join(format!("m{number:016x}"))
}

/// What every gate may look at.
pub(super) struct Case<'a> {
    pub(super) subject: &'a Subject,
    pub(super) files: Vec<File>,
    /// The contracts that changed or hold one that did, among the unchanged declarations.
    pub(super) affected: Vec<ContractId>,
    pub(super) folder: PathBuf,
}

/// Leads a mutant through the gates.
pub(crate) fn meet(
    subject: &Subject,
    compilers: &Compilers,
    mutant: &Mutant,
    folder: &Path,
) -> anyhow::Result<Met> {
    // What an earlier run left is none of this mutant's.
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    match &mutant.source {
        Source::Declaration(candidate) => declaration(subject, compilers, candidate, folder),
        Source::Edit(edit) => artifact(subject, compilers, edit, folder),
        Source::Control => control(subject, compilers, folder),
    }
}

const TARGETS: [Target; 5] = [Target::C, Target::Cpp, Target::Python, Target::Json, Target::Schema];

fn declaration(
    subject: &Subject,
    compilers: &Compilers,
    candidate: &Candidate,
    folder: &Path,
) -> anyhow::Result<Met> {
    let mut catalog = subject.catalog().clone();
    candidate.apply(&mut catalog);
    let remade = remake::remake(catalog, &subject.documents, candidate.making);
    let Ok(Remade { catalog, library }) = remade else { return Ok(Met::NoDeclaration) };
    let Ok(changed) = subject.declarations.with(catalog) else { return Ok(Met::NoDeclaration) };
    let Ok(files) = files(subject, &changed) else { return Ok(Met::NoDeclaration) };
    let affected = affected(subject, changed.catalog());
    let case = Case { subject, files, affected, folder: folder.to_owned() };
    put(&case)?;
    let mut outcomes = Outcomes::new();
    outcomes.insert(Gate::Check, Outcome::of(declared::check(&case)));
    outcomes.insert(Gate::Lock, Outcome::of(declared::lock(subject, changed.catalog())));
    outcomes.insert(Gate::Verify, Outcome::of(declared::verify(&case, &library)));
    let mut notes = Vec::new();
    if let Some(promise) = candidate.promise {
        notes.extend(declared::broken(subject, changed.catalog(), promise));
    }
    let is_shared = |id: &ContractId| !is_exported(subject.catalog(), *id);
    if case.affected.iter().any(is_shared) || case.affected.is_empty() {
        outcomes.insert(Gate::Hello, Outcome::of(declared::hello(subject, changed.catalog())));
    }
    let names_differ = candidate.promise.is_some_and(|promise| !promise.names);
    if let Some(outcome) = reader::declarations(&case, changed.catalog(), names_differ) {
        outcomes.insert(Gate::Reader, outcome);
    }
    let mut job = None;
    if !names_differ {
        outcomes.extend(schema::meet(&case).map(|outcome| (Gate::Schema, outcome)));
        outcomes.extend(compilers.meet(&case)?);
        job = Job::of(&case)?;
    }
    if candidate.making == remake::Making::default() {
        outcomes.extend(native::meet(&case, compilers, changed.catalog(), &mut job)?);
    }
    Ok(Met::Gates { outcomes, job: job.map(Box::new), notes })
}

fn artifact(subject: &Subject, compilers: &Compilers, edit: &Edit, folder: &Path) -> anyhow::Result<Met> {
    let original = &subject.files[edit.file];
    let file = File { target: original.target, path: original.path.clone(), text: edit.text.clone() };
    let case =
        Case { subject, files: vec![file], affected: original.contracts.clone(), folder: folder.to_owned() };
    put(&case)?;
    let mut outcomes = Outcomes::new();
    outcomes.insert(Gate::Check, Outcome::of(declared::edited(original, &edit.text)));
    if matches!(original.target, Target::C | Target::Cpp | Target::Python) {
        outcomes.insert(Gate::Verify, Outcome::of(declared::verify_file(&case)));
    }
    if let Some(outcome) = declared::hello_of_file(original, &edit.text) {
        outcomes.insert(Gate::Hello, outcome);
    }
    if original.target == Target::Vectors {
        outcomes.insert(Gate::Reader, reader::vectors(subject, &edit.text));
    }
    outcomes.extend(schema::meet(&case).map(|outcome| (Gate::Schema, outcome)));
    outcomes.extend(compilers.meet(&case)?);
    types::put(&case, &types_folder(folder))?;
    let mut job = Job::of(&case)?;
    native::meet_edit(&case, compilers, &mut job);
    Ok(Met::Gates { outcomes, job: job.map(Box::new), notes: Vec::new() })
}

/// Nothing is changed, and everything is asked.
fn control(subject: &Subject, compilers: &Compilers, folder: &Path) -> anyhow::Result<Met> {
    let is_code = |file: &&subject::Original| TARGETS.contains(&file.target);
    let files = subject.files.iter().filter(is_code).map(|file| File {
        target: file.target,
        path: file.path.clone(),
        text: file.text.clone(),
    });
    let case = Case {
        subject,
        files: files.collect(),
        affected: subject.contracts.clone(),
        folder: folder.to_owned(),
    };
    put(&case)?;
    let catalog = subject.catalog();
    let mut outcomes = Outcomes::new();
    outcomes.insert(Gate::Check, Outcome::of(declared::check(&case)));
    outcomes.insert(Gate::Lock, Outcome::of(declared::lock(subject, catalog)));
    outcomes.insert(Gate::Verify, Outcome::of(declared::verify(&case, &subject.library)));
    outcomes.insert(Gate::Hello, Outcome::of(declared::hello(subject, catalog)));
    outcomes.extend(reader::declarations(&case, catalog, false).map(|outcome| (Gate::Reader, outcome)));
    outcomes.extend(schema::meet(&case).map(|outcome| (Gate::Schema, outcome)));
    outcomes.extend(compilers.meet(&case)?);
    types::put(&case, &types_folder(folder))?;
    let mut job = Job::of(&case)?;
    outcomes.extend(native::meet(&case, compilers, catalog, &mut job)?);
    Ok(Met::Gates { outcomes, job: job.map(Box::new), notes: Vec::new() })
}

/// The files of changed declarations that may differ: those of families in which a source id is another one, and where
/// none is, all.
fn files(subject: &Subject, changed: &Declarations) -> Result<Vec<File>, String> {
    let affected = subject.affected(changed.catalog());
    let gone = affected.is_empty() && affected_before(subject, changed.catalog()).is_empty();
    let is_any_export = affected.iter().any(|&id| is_exported(changed.catalog(), id))
        || affected_before(subject, changed.catalog()).iter().any(|&id| is_exported(subject.catalog(), id));
    let emitted = subject::artifacts(changed, &TARGETS, |family| {
        gone || is_any_export || family.contracts.iter().any(|id| affected.contains(id))
    })?;
    let of_family =
        |contracts: &[ContractId]| gone || is_any_export || contracts.iter().any(|id| affected.contains(id));
    let is_whole = |path: &str| path.contains("/library.") || path.contains("/standalone/");
    let files = emitted.into_iter().filter(|(_, artifact)| {
        of_family(&artifact.contracts) && (gone || is_any_export || !is_whole(&artifact.path))
    });
    Ok(files
        .map(|(target, artifact)| File {
            target,
            path: artifact.path.clone(),
            text: artifact::render(&artifact, changed.catalog()),
        })
        .collect())
}

/// The unchanged contracts whose source id is there no more.
fn affected_before(subject: &Subject, changed: &Catalog) -> Vec<ContractId> {
    let is_there = |id: ContractId| {
        changed.contracts.iter().any(|it| it.source_id == subject.catalog().get(id).source_id)
    };
    subject.contracts.iter().copied().filter(|&id| !is_there(id)).collect()
}

fn affected(subject: &Subject, changed: &Catalog) -> Vec<ContractId> {
    affected_before(subject, changed)
}

/// Whether it is found by a symbol, and in no message.
fn is_exported(catalog: &Catalog, id: ContractId) -> bool {
    matches!(catalog.get(id).body, Body::Function(_) | Body::Handle(_) | Body::Symbols(_))
}

/// Puts the files that differ into the mutant's folder: in front of the unchanged tree, they are one side.
fn put(case: &Case<'_>) -> anyhow::Result<()> {
    for file in case.files.iter().filter(|file| is_put(file, case.files.len() == 1)) {
        write(&case.folder.join(&file.path), &file.text)?;
    }
    Ok(())
}

/// What a header of C++ says of its twin in C, and `library.h` and `library.py` of a library, is said of the other side:
/// these stay as they were, unless they are all that was changed.
fn is_put(file: &File, is_alone: bool) -> bool {
    let is_code = matches!(file.target, Target::C | Target::Python);
    let is_other_side = file.path.contains("/library.") || file.target == Target::Cpp;
    is_alone || (is_code && !is_other_side)
}

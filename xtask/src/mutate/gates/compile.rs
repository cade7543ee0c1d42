//! Compilers: changed headers beside what the other side wrote for the unchanged ones, and the golden vectors through
//! changed readers in C.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use wirecontract_codegen::gen_stubs::Target;
use wirecontract_tests::differential::vectors::Question;
use wirecontract_tests::differential::{Operation, c_sources};

use super::documents::Documents;
use super::{Case, Gate, Outcome, Outcomes, old_program};
use crate::mutate::subject::{Subject, write};

/// What was compiled once of every subject.
pub(crate) struct Compilers {
    prepared: BTreeMap<&'static str, Prepared>,
}

pub(super) struct Prepared {
    /// The programs of the other side, and the drivers.
    pub(super) folder: PathBuf,
    /// By header, as an `#include` names it: the driver's source and object.
    drivers: BTreeMap<String, (PathBuf, PathBuf)>,
    main: PathBuf,
    documents: Option<Documents>,
}

impl Compilers {
    /// Writes and compiles what is of the unchanged side.
    pub(crate) fn prepare(subjects: &[Subject], folder: &Path) -> anyhow::Result<Self> {
        let prepared = subjects.iter().map(|subject| {
            let folder = folder.join(subject.name);
            let mut prepared = Prepared::of(subject, folder.join("programs"))?;
            prepared.documents = Documents::prepare(subject, &folder.join("documents"))?;
            Ok((subject.name, prepared))
        });
        Ok(Compilers { prepared: prepared.collect::<anyhow::Result<_>>()? })
    }

    pub(super) fn of(&self, subject: &Subject) -> &Prepared {
        &self.prepared[subject.name]
    }

    /// What compilers, and readers in C, say of the files.
    pub(super) fn meet(&self, case: &Case<'_>) -> anyhow::Result<Outcomes> {
        let prepared = self.of(case.subject);
        let mut outcomes = Outcomes::new();
        let headers: Vec<&str> = case
            .files
            .iter()
            .filter(|file| file.target == Target::C)
            .map(|file| include(&file.path))
            .collect();
        let twins: Vec<String> = case
            .files
            .iter()
            .filter(|file| matches!(file.target, Target::C | Target::Cpp))
            .map(|file| include(&file.path).trim_end_matches("pp").to_owned())
            .collect();
        let programs = existing(&prepared.folder, &headers, "c");
        if !programs.is_empty() {
            let flags = ["-std=c11", "-w", "-fsyntax-only"];
            outcomes
                .insert(Gate::CompileC, Outcome::of(failure(&mut case.compiler("gcc", &flags, &programs))?));
        }
        let programs = existing(&prepared.folder, &twins, "cpp");
        if !programs.is_empty() {
            let flags = ["-std=c++17", "-w", "-fsyntax-only"];
            outcomes.insert(
                Gate::CompileCpp,
                Outcome::of(failure(&mut case.compiler("g++", &flags, &programs))?),
            );
        }
        if let Some(outcome) = prepared.vectors(case, &headers)? {
            outcomes.insert(Gate::VectorsC, outcome);
        }
        if let Some(documents) = &prepared.documents {
            outcomes.extend(documents.meet(case)?.map(|outcome| (Gate::CompileRust, outcome)));
        }
        Ok(outcomes)
    }
}

/// How an `#include` names a header of the tree.
fn include(path: &str) -> &str {
    path.strip_prefix("include/").unwrap_or(path)
}

/// The programs that there are of these headers.
fn existing(folder: &Path, headers: &[impl AsRef<str>], extension: &str) -> Vec<PathBuf> {
    let mut programs: Vec<PathBuf> =
        headers.iter().map(|header| folder.join(header.as_ref()).with_extension(extension)).collect();
    programs.sort();
    programs.dedup();
    programs.retain(|program| program.exists());
    programs
}

impl Case<'_> {
    /// A compiler that finds what differs in front of what does not.
    pub(super) fn compiler(&self, program: &str, flags: &[&str], sources: &[PathBuf]) -> Command {
        let mut command = Command::new(program);
        command.env("LC_ALL", "C").args(flags);
        if program == "g++" {
            command.arg("-I").arg(self.subject.tree.with_file_name("programs").join(COMPILED));
        }
        command.arg("-I").arg(self.folder.join("include")).arg("-I").arg(self.subject.tree.join("include"));
        command.args(sources);
        command
    }
}

/// What a command printed where it failed; nothing where it did not.
pub(super) fn failure(command: &mut Command) -> anyhow::Result<Option<String>> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {program}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let error = text.lines().find(|line| line.contains("error")).unwrap_or(&text);
    Ok((!output.status.success()).then(|| error.to_owned()))
}

impl Prepared {
    fn of(subject: &Subject, folder: PathBuf) -> anyhow::Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
        }
        for file in subject.files.iter().filter(|file| matches!(file.target, Target::C | Target::Cpp)) {
            let path = include(&file.path);
            let text = match file.target {
                Target::Cpp => format!("#include <{path}>\n"),
                _ => old_program::of(path, &file.text),
            };
            let extension = if file.target == Target::Cpp { "cpp" } else { "c" };
            write(&folder.join(path).with_extension(extension), &text)?;
        }
        compile_core(subject, &folder)?;
        let input = subject.declarations.input(Target::C, |family| subject.has_data(family));
        let mut prepared = Prepared {
            main: folder.join("driver/main.o"),
            drivers: BTreeMap::new(),
            documents: None,
            folder,
        };
        let headers: Vec<String> =
            input.selected_families().map(wirecontract_codegen::names::c::header).collect();
        for (name, text) in c_sources(&input) {
            let source = prepared.folder.join("driver").join(&name);
            write(&source, &text)?;
            let family = name.strip_prefix("family_").and_then(|rest| rest.strip_suffix(".c"));
            let family = family.and_then(|number| number.parse::<usize>().ok());
            if let Some(header) = family.and_then(|index| headers.get(index)) {
                let object = source.with_extension("o");
                prepared.drivers.insert(header.clone(), (source, object));
            }
        }
        let sources = prepared.drivers.values().map(|(source, object)| (source.clone(), object.clone()));
        let main = (prepared.main.with_extension("c"), prepared.main.clone());
        for (source, object) in sources.chain([main]) {
            let mut command = Command::new("gcc");
            command.args(DRIVER).arg("-I").arg(subject.tree.join("include"));
            command.arg(&source).arg("-o").arg(object);
            let failure = failure(&mut command)?;
            ensure!(failure.is_none(), "{}: {}", source.display(), failure.unwrap_or_default());
        }
        Ok(prepared)
    }

    /// What the golden vectors say of the headers' readers; none where they have no bytes of what changed.
    fn vectors(&self, case: &Case<'_>, headers: &[&str]) -> anyhow::Result<Option<Outcome>> {
        let drivers: Vec<&(PathBuf, PathBuf)> =
            headers.iter().filter_map(|header| self.drivers.get(*header)).collect();
        let is_asked = |question: &&Question| {
            let operation = question.request.operation;
            matches!(
                operation,
                Operation::Read | Operation::Prefix | Operation::Import | Operation::Message(_)
            ) && case.affected.contains(&question.request.contract)
        };
        let questions: Vec<&Question> = case.subject.questions.iter().filter(is_asked).collect();
        if drivers.is_empty() || questions.is_empty() {
            return Ok(None);
        }
        let mut objects = vec![self.main.clone()];
        for (source, object) in self.drivers.values() {
            if !drivers.iter().any(|(changed, _)| changed == source) {
                objects.push(object.clone());
                continue;
            }
            let object = case.folder.join("driver").join(object.file_name().unwrap_or_default());
            fs::create_dir_all(case.folder.join("driver"))?;
            let mut command = case.compiler("gcc", DRIVER, std::slice::from_ref(source));
            if let Some(reason) = failure(command.arg("-o").arg(&object))? {
                return Ok(Some(Outcome::of(Some(format!("its program does not compile: {reason}")))));
            }
            objects.push(object);
        }
        let program = case.folder.join("driver/driver");
        if let Some(reason) = failure(Command::new("gcc").args(objects).arg("-o").arg(&program))? {
            return Ok(Some(Outcome::of(Some(format!("its program does not link: {reason}")))));
        }
        let lines = lines(case.subject, &questions);
        let path = case.folder.join("driver/lines");
        write(&path, &lines)?;
        let output = Command::new(&program)
            .stdin(File::open(&path)?)
            .output()
            .with_context(|| format!("cannot run {}", program.display()))?;
        let answers = String::from_utf8_lossy(&output.stdout);
        Ok(Some(Outcome::of(disagreement(&questions, answers.lines()))))
    }
}

/// The folder of the header that every C++ header includes first, compiled: it is most of what they include.
const COMPILED: &str = "compiled";

fn compile_core(subject: &Subject, folder: &Path) -> anyhow::Result<()> {
    let core = "wirecontract/core.hpp";
    let output = folder.join(COMPILED).join(core).with_extension("hpp.gch");
    let source = subject.tree.join("include").join(core);
    if !source.exists() {
        return Ok(());
    }
    fs::create_dir_all(output.parent().unwrap_or(folder))?;
    let mut command = Command::new("g++");
    command.env("LC_ALL", "C").args(["-std=c++17", "-w", "-x", "c++-header", "-I"]);
    command.arg(subject.tree.join("include")).arg(&source).arg("-o").arg(&output);
    let failure = failure(&mut command)?;
    ensure!(failure.is_none(), "{}: {}", source.display(), failure.unwrap_or_default());
    Ok(())
}

/// How a driver is compiled: it is run once.
const DRIVER: &[&str] = &["-std=c11", "-O0", "-w", "-c"];

/// A line for each question.
pub(super) fn lines(subject: &Subject, questions: &[&Question]) -> String {
    let lines = questions.iter().map(|question| question.request.line(subject.catalog()) + "\n");
    lines.collect()
}

/// The first answer that is not what the vectors say.
pub(super) fn disagreement<'a>(
    questions: &[&Question],
    mut answers: impl Iterator<Item = &'a str>,
) -> Option<String> {
    for question in questions {
        match answers.next() {
            None => return Some(format!("nothing is answered to {}", question.case())),
            Some(answer) if !question.is_answered(answer) => return Some(answer.to_owned()),
            Some(_) => {}
        }
    }
    None
}

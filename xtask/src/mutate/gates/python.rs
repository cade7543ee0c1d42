//! Python: changed modules read the golden vectors, and a changed library is loaded by the unchanged `library.py`. One
//! interpreter serves many mutants, each with its own modules in front of the unchanged ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde_json::{Value as Json, json};
use wirecontract_codegen::gen_stubs::Target;
use wirecontract_tests::differential::python_source;
use wirecontract_tests::differential::vectors::Question;

use super::compile::{disagreement, lines};
use super::{Case, Gate, Outcome, Outcomes};
use crate::mutate::subject::{Subject, write};

/// What is asked of a Python interpreter.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    folder: PathBuf,
    tree: PathBuf,
    driver: PathBuf,
    /// The package of the modules, and the module that holds all families where it is the file to vendor that changed.
    package: String,
    standalone: Option<String>,
    /// Indices into the questions of the subject.
    questions: Vec<usize>,
    /// The shared library that is to be loaded.
    pub(super) load: Option<PathBuf>,
}

impl Job {
    /// What is asked of changed modules; none where no module changed that reads anything.
    pub(super) fn of(case: &Case<'_>) -> anyhow::Result<Option<Job>> {
        let is_module = |path: &str| !path.ends_with("/library.py") && !path.ends_with("/__init__.py");
        let changed: Vec<&str> = case
            .files
            .iter()
            .filter(|file| file.target == Target::Python && is_module(&file.path))
            .map(|file| &*file.path)
            .collect();
        if changed.is_empty() {
            // An edited `library.py` is loaded.
            let is_library = case.files.iter().any(|file| file.path.ends_with("/library.py"));
            return Ok(is_library.then(|| Job::empty(case)));
        }
        let mut job = Job::empty(case);
        if let [path] = changed[..] {
            let standalone =
                path.strip_prefix("python/standalone/").and_then(|name| name.strip_suffix(".py"));
            job.standalone = standalone.map(str::to_owned);
        }
        let questions = case.subject.questions.iter().enumerate();
        job.questions = questions
            .filter(|(_, question)| {
                case.affected.contains(&question.request.contract) || case.affected.is_empty()
            })
            .map(|(index, _)| index)
            .collect();
        let asked: Vec<&Question> =
            job.questions.iter().map(|&index| &case.subject.questions[index]).collect();
        write(&job.folder.join("python-lines"), &lines(case.subject, &asked))?;
        Ok(Some(job))
    }

    /// A job that asks nothing yet.
    pub(super) fn empty(case: &Case<'_>) -> Job {
        let package = package(case.subject);
        Job {
            folder: case.folder.clone(),
            tree: case.subject.tree.clone(),
            driver: driver(case.subject),
            package,
            standalone: None,
            questions: Vec::new(),
            load: None,
        }
    }

    fn json(&self) -> Json {
        json!({
            "folder": self.folder,
            "tree": self.tree,
            "driver": self.driver,
            "package": self.package,
            "standalone": self.standalone,
            "asks": !self.questions.is_empty(),
            "load": self.load,
        })
    }

    fn outcomes(&self, subject: &Subject, said: &Json) -> anyhow::Result<Outcomes> {
        let mut outcomes = Outcomes::new();
        if !self.questions.is_empty() {
            let outcome = match said["vectors"].as_str() {
                Some(error) => Outcome::of(Some(error.to_owned())),
                None => {
                    let path = self.folder.join("python-answers");
                    let answers = fs::read_to_string(&path)
                        .with_context(|| format!("cannot read {}", path.display()))?;
                    let questions: Vec<&Question> =
                        self.questions.iter().map(|&index| &subject.questions[index]).collect();
                    Outcome::of(disagreement(&questions, answers.lines()))
                }
            };
            outcomes.insert(Gate::VectorsPython, outcome);
        }
        if self.load.is_some() {
            outcomes.insert(Gate::Load, Outcome::of(said["load"].as_str().map(str::to_owned)));
        }
        Ok(outcomes)
    }
}

/// The Python package of a subject's modules.
fn package(subject: &Subject) -> String {
    let input = subject.declarations.input(Target::Python, |_| true);
    input.selected_families().next().map(|family| family.package.python_package.clone()).unwrap_or_default()
}

fn driver(subject: &Subject) -> PathBuf {
    subject.tree.with_file_name("driver.py")
}

/// Writes what reads the vectors in Python.
pub(crate) fn prepare(subjects: &[Subject]) -> anyhow::Result<()> {
    for subject in subjects {
        let mut input = subject.declarations.input(Target::Python, |family| subject.has_data(family));
        let selected: Vec<_> = input.selected_families().cloned().collect();
        input.selected = (0..selected.len()).collect();
        input.families = selected;
        write(&driver(subject), &python_source(&input))?;
    }
    Ok(())
}

/// Asks as many interpreters at once as the machine has cores, and gives what each job came to, in their order.
pub(crate) fn run(
    interpreter: &Path,
    folder: &Path,
    jobs: &[(&Subject, &Job)],
) -> anyhow::Result<Vec<Outcomes>> {
    let script = folder.join("runner.py");
    write(&script, include_str!("python/runner.py"))?;
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len().max(1));
    let parts: Vec<Vec<usize>> =
        (0..workers).map(|worker| (worker..jobs.len()).step_by(workers).collect()).collect();
    let answers = std::thread::scope(|scope| {
        let running: Vec<_> = parts
            .iter()
            .enumerate()
            .map(|(worker, part)| {
                let script = &script;
                scope.spawn(move || {
                    ask(interpreter, script, &folder.join(format!("jobs-{worker}")), part, jobs)
                })
            })
            .collect();
        let ended =
            running.into_iter().map(|worker| worker.join().unwrap_or_else(|_| bail!("a worker panicked")));
        ended.collect::<anyhow::Result<Vec<_>>>()
    })?;
    let mut outcomes = vec![Outcomes::new(); jobs.len()];
    for (part, said) in parts.iter().zip(answers) {
        for (&index, said) in part.iter().zip(&said) {
            let (subject, job) = jobs[index];
            outcomes[index] = job.outcomes(subject, said)?;
        }
    }
    Ok(outcomes)
}

fn ask(
    interpreter: &Path,
    script: &Path,
    path: &Path,
    part: &[usize],
    jobs: &[(&Subject, &Job)],
) -> anyhow::Result<Vec<Json>> {
    let text: String = part.iter().map(|&index| jobs[index].1.json().to_string() + "\n").collect();
    write(path, &text)?;
    let output = Command::new(interpreter)
        .args(["-X", "utf8"])
        .arg(script)
        .stdin(fs::File::open(path)?)
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("cannot run {}", interpreter.display()))?;
    let answers = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<Json> = answers.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if !output.status.success() || answers.len() != part.len() {
        bail!(
            "expected {} answers of {}, found {}: {}",
            part.len(),
            script.display(),
            answers.len(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(answers)
}

//! `check`: what became of the contracts since they were agreed, and may it.
//!
//! [`crate::lock`] has what was agreed, [`crate::changes`] says what differs and what that does; [`mod@judge`] says what is
//! allowed, and [`say`] tells it: to people with the bytes beside each other ([`bytes`]), to programs, to GitHub.

mod bytes;
mod earlier;
mod error;
mod judge;
mod say;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::error::{Error, OtherBuild};
use self::judge::{Judged, Todo, judge};
use self::say::Report;
use crate::changes::{Classified, Forms, Verdict};
use crate::gen_stubs::build::Build;
use crate::gen_stubs::{self, Files, PlaceArgs, Run, SourceArgs, USAGE, git};
use crate::lock::{Form, Lock};
use crate::model::{Catalog, Contract, ContractId};
use crate::output::print;

/// Say what became of the contracts since they were agreed in contracts.lock, and refuse what breaks their users.
///
/// Builds as gen-stubs does. A change that old and new programs read both ways is to be accepted; any other one needs a
/// new `version` of the contract first. Artifacts have to be those of the declarations.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Which contracts.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The lock, instead of contracts.lock in the workspace's folder.
    #[arg(long, value_name = "PATH")]
    pub lock: Option<PathBuf>,

    /// Write what is declared into the lock, where nothing refuses it. Artifacts are not looked at.
    #[arg(long, conflicts_with = "against")]
    pub accept: bool,

    /// Compare one contract with a version of it that was agreed: NAME or its whole path, and the version.
    #[arg(long, value_name = "NAME@VERSION")]
    pub against: Option<String>,

    /// Ask as well that git tracks the lock and the generated files: a commit would be without them otherwise.
    ///
    /// What git is told to ignore counts as tracked.
    #[arg(long, conflicts_with_all = ["accept", "against"])]
    pub tracked: bool,

    /// How to say what was found.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// How findings are said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// A JSON object.
    Json,
    /// Annotations of a GitHub workflow.
    Github,
}

const EXAMPLES: &str = "\
Examples:
  check                       before a commit, and in CI
  check --tracked             in a hook before a commit: is all of it part of the commit
  check --accept              agree on what is declared: writes contracts.lock, which is committed
  check --against Camera@3    may programs of version 3 still talk to what is declared
  check --format github       in a GitHub workflow: a note at each declaration

A contract whose users are to be refused gets `#[wire(version = 2)]`; one that goes is `deprecated` first. What nobody
has yet needs neither: delete its block from the lock, and accept it anew.

Configuration, in Cargo.toml:
  [package.metadata.wirecontract]
  lock = false                # contracts of this package are agreed with nobody: fixtures of tests

Exit status: 0 nothing to do, 1 something is to be done or refused, 2 usage.";

/// Does what the arguments say, and tells about it.
pub fn run(args: &Args) -> ExitCode {
    match attempt(args) {
        Ok(code) => code,
        Err(error) => {
            print(&say::error(&error, args.format));
            eprintln!("error: {error}");
            ExitCode::from(if error.is_usage() { USAGE } else { 1 })
        }
    }
}

fn attempt(args: &Args) -> Result<ExitCode, Error> {
    let run = Run::read(&args.source, &PlaceArgs::default()).map_err(Error::Source)?;
    let path = lock_path(args, &run)?;
    let agreed = read(&path)?;
    let declared = Declared::of(&run);
    let is_new = agreed.is_none() && declared.is_agreed_on();
    let (lock, text) = agreed.unwrap_or_default();
    if !args.accept {
        built_alike(&run, &path, &lock)?;
    }
    if let Some(wanted) = &args.against {
        return against(args.format, wanted, &path, &lock, &declared);
    }
    let forms = declared.beside(lock.forms());
    let compared = forms.compare();
    let judged = compared.iter().map(|each| {
        let last = each.new.and_then(|form| lock.removed(&form.path));
        judge(each, last, |form| declared.is_own(form))
    });
    let mut report = Report {
        lock: &path,
        folder: run.folder().unwrap_or(Path::new("")),
        is_new,
        judged: judged.collect(),
        text: LockText::AsWritten,
        earlier: earlier::all(&lock, &declared),
        files: Files::default(),
        untracked: Vec::new(),
        contracts: declared.forms.len(),
        declared: &declared,
    };
    if args.accept {
        if report.judged.is_empty() {
            run.has_contracts().map_err(Error::Source)?;
        }
        return accept(&report, &lock, &text, args.format);
    }
    let is_other = is_new || !report.judged.is_empty();
    if !is_other {
        report.text = LockText::of(&text, &lock, &agree(&report, lock.clone())?);
    }
    report.files = match run.files(&PlaceArgs::default()) {
        // A shipped library may be of a package that has no folder here.
        Err(gen_stubs::Error::NoOut { .. }) if !args.source.libraries.is_empty() => Files::default(),
        files => files.map_err(Error::Source)?,
    };
    if args.tracked {
        let lock = Some(&path).filter(|_| is_new || !text.is_empty());
        let files: Vec<PathBuf> = lock.into_iter().chain(&report.files.paths).cloned().collect();
        report.untracked = git::untracked(&files).map_err(Error::Source)?;
    }
    if report.judged.is_empty() && report.files.stale.is_empty() {
        run.has_contracts().map_err(Error::Source)?;
    }
    print(&report.said(args.format));
    Ok(ExitCode::from(u8::from(!report.is_clean())))
}

/// Writes what is declared, unless something is refused. What was agreed already is written as it is declared, too.
fn accept(report: &Report<'_>, lock: &Lock, before: &str, format: Format) -> Result<ExitCode, Error> {
    if report.refused() > 0 {
        print(&report.said(format));
        eprintln!("error: nothing was written");
        return Ok(ExitCode::FAILURE);
    }
    if !report.declared.is_agreed_on() {
        print("no contracts are agreed on here (`lock = false`): there is nothing to accept\n");
        return Ok(ExitCode::SUCCESS);
    }
    let declared = agree(report, lock.clone())?;
    let differs = LockText::of(before, lock, &declared);
    let is_written = report.is_new || differs != LockText::AsWritten;
    if is_written {
        gen_stubs::replace(report.lock, &declared.text()).map_err(Error::Source)?;
    }
    let (count, path) = (report.judged.len(), report.lock.display());
    print(&match count {
        0 if !is_written => format!("{path} is what is declared\n"),
        0 if !report.is_new && differs == LockText::OtherOrder => {
            format!("{path} is what is declared, and is written as it is declared now\n")
        }
        0 if !report.is_new => format!("{path} is what is declared, and is written anew\n"),
        1 => format!("accepted 1 contract in {path}\n"),
        _ => format!("accepted {count} contracts in {path}\n"),
    });
    Ok(ExitCode::SUCCESS)
}

/// The lock with what is declared.
fn agree(report: &Report<'_>, mut lock: Lock) -> Result<Lock, Error> {
    for judged in &report.judged {
        match (judged.old, judged.new) {
            (old, Some(new)) => {
                lock.accept(new.clone()).map_err(Error::Accept)?;
                // One that moved is agreed under its new path alone.
                if let Some(old) = old.filter(|old| old.path != new.path) {
                    lock.remove(&old.path);
                }
            }
            (Some(old), None) => {
                lock.remove(&old.path);
            }
            (None, None) => {}
        }
    }
    if let Some(build) = &report.declared.build {
        let own: Vec<&String> = report.declared.own.iter().filter(|own| lock.has_package(own)).collect();
        own.into_iter().for_each(|package| lock.build_with(package, build.stated()));
    }
    // What differs in the order of its declaration alone is no change, and stands in the lock as it is declared.
    for form in &report.declared.forms {
        let is_reordered = lock.current(&form.path).is_some_and(|agreed| agreed != form);
        if is_reordered {
            lock.accept(form.clone()).map_err(Error::Accept)?;
        }
    }
    Ok(lock)
}

/// Refuses to compare with contracts that were agreed on as they are built otherwise: behind `cfg` these are others.
fn built_alike(run: &Run, path: &Path, lock: &Lock) -> Result<(), Error> {
    let Some(build) = run.build() else { return Ok(()) };
    let is_other = |package: &&str| lock.has_package(package) && lock.built_with(package) != build.stated();
    match run.packages().map(|(package, _)| package).find(is_other) {
        None => Ok(()),
        Some(package) => Err(Error::OtherBuild(Box::new(OtherBuild {
            path: path.to_owned(),
            package: package.to_owned(),
            stated: lock.built_with(package).map(str::to_owned),
            asked: build.stated().map(str::to_owned),
            again: build.command("check", lock.built_with(package)),
            anew: build.command("check --accept", build.stated()),
        }))),
    }
}

/// How the text of a lock is beside the one that `--accept` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LockText {
    AsWritten,
    /// What it says is declared in another order.
    OtherOrder,
    /// It says the same in the same order: there are comments, or blocks, spaces and line ends stand otherwise.
    OtherSpelling,
}

impl LockText {
    /// Of the text that was read as `lock`, beside the lock with what is `declared`.
    fn of(text: &str, lock: &Lock, declared: &Lock) -> Self {
        let written = declared.text();
        // A checkout on Windows may have other line ends.
        if text == written || text.replace("\r\n", "\n") == written {
            LockText::AsWritten
        } else if lock.text() == written {
            LockText::OtherSpelling
        } else {
            LockText::OtherOrder
        }
    }
}

/// Says what programs of an agreed version and of what is declared do with each other.
fn against(
    format: Format,
    wanted: &str,
    path: &Path,
    lock: &Lock,
    declared: &Declared,
) -> Result<ExitCode, Error> {
    let no_version = || Error::NoVersion { found: wanted.to_owned() };
    let (name, version) = wanted.rsplit_once('@').ok_or_else(no_version)?;
    let version: u32 = version.parse().map_err(|_| no_version())?;
    let new = declared.named(name)?;
    let versions = || lock.versions(&new.path).map(|form| form.version).collect();
    let old = lock.version(&new.path, version).ok_or_else(|| Error::NoSuchVersion {
        path: new.path.clone(),
        version,
        versions: versions(),
    })?;
    let forms = declared.beside(lock.around(old).into_iter());
    let compared = forms.compare();
    let judged = compared.iter().filter(|each| each.new.is_some_and(|form| form.path == new.path));
    let report = Report {
        lock: path,
        folder: Path::new(""),
        is_new: false,
        judged: judged.map(|each| Judged { todo: Todo::Nothing, ..judge(each, None, |_| false) }).collect(),
        text: LockText::AsWritten,
        earlier: Vec::new(),
        files: Files::default(),
        untracked: Vec::new(),
        contracts: 1,
        declared,
    };
    let is_read = report.judged.iter().all(|judged| judged.verdict <= Verdict::Compatible);
    print(&report.said(format));
    Ok(ExitCode::from(u8::from(!is_read)))
}

/// A contract that is not as it was agreed, for those who change declarations in memory.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// Its path, now or before.
    pub path: String,
    /// What its changes do.
    pub verdict: Verdict,
    /// Whether they may be accepted as they are.
    pub is_allowed: bool,
    /// Each of them.
    pub changes: Vec<Classified>,
}

/// What `check` says of these declarations of these packages, beside what is agreed.
#[doc(hidden)]
pub fn changed(lock: &Lock, catalog: &Catalog, packages: &BTreeSet<String>) -> Vec<Changed> {
    let forms = catalog.iter().map(|(id, _)| Form::of(catalog, id)).collect();
    let earlier = catalog.iter().map(|(_, contract)| contract.earlier.clone()).collect();
    let declared = Declared { forms, earlier, own: packages.clone(), build: None, places: Vec::new() };
    let forms = declared.beside(lock.forms());
    let compared = forms.compare();
    let changed = compared.iter().map(|each| {
        let last = each.new.and_then(|form| lock.removed(&form.path));
        let judged = judge(each, last, |form| declared.is_own(form));
        let path = judged.new.or(judged.old).map_or_else(String::new, |form| form.path.clone());
        let (verdict, is_allowed) = (judged.verdict, judged.todo.is_allowed());
        Changed { path, verdict, is_allowed, changes: each.changes.clone() }
    });
    changed.collect()
}

/// What is declared.
struct Declared {
    forms: Vec<Form>,
    /// The earlier versions that each says it speaks, and their wire ids, in the order of the forms.
    earlier: Vec<Vec<(u32, u64)>>,
    /// The packages that were asked for.
    own: BTreeSet<String>,
    /// How they were built, where that is known.
    build: Option<Build>,
    /// File and line of each, in their order.
    places: Vec<(String, u32)>,
}

impl Declared {
    fn of(run: &Run) -> Self {
        let unlocked: BTreeSet<&str> =
            run.packages().filter(|(_, is_locked)| !is_locked).map(|(name, _)| name).collect();
        let catalog = run.catalog();
        let is_meant = |id: ContractId, contract: &Contract| {
            !unlocked.contains(&*contract.package) && !run.is_of_companion(id)
        };
        let contracts = catalog.iter().filter(|&(id, contract)| is_meant(id, contract));
        let mut declared = Declared {
            forms: Vec::new(),
            earlier: Vec::new(),
            own: BTreeSet::new(),
            build: None,
            places: Vec::new(),
        };
        for (id, contract) in contracts {
            declared.forms.push(Form::of(catalog, id));
            declared.earlier.push(contract.earlier.clone());
            declared.places.push((contract.file.clone(), contract.line));
        }
        declared.own =
            run.packages().filter(|(_, is_locked)| *is_locked).map(|(name, _)| name.to_owned()).collect();
        declared.build = run.build().cloned();
        declared
    }

    /// Whether any of the selected packages has a lock for what it declares.
    fn is_agreed_on(&self) -> bool {
        !self.own.is_empty()
    }

    /// Whether the selected packages declare it, or did.
    fn is_own(&self, form: &Form) -> bool {
        form.text("package").is_some_and(|package| self.own.contains(package))
    }

    /// These agreed forms, beside what is declared: those of packages that were not asked for as far as they are held.
    fn beside<'a>(&self, agreed: impl Iterator<Item = &'a Form>) -> Forms {
        let paths: BTreeSet<&str> = self.forms.iter().map(|form| &*form.path).collect();
        let agreed = agreed.filter(|form| self.is_own(form) || paths.contains(&*form.path));
        Forms::new(agreed.cloned(), self.forms.iter().cloned())
    }

    /// These agreed forms, whosever they are, beside what is declared.
    fn beside_all<'a>(&self, agreed: impl Iterator<Item = &'a Form>) -> Forms {
        Forms::new(agreed.cloned(), self.forms.iter().cloned())
    }

    /// The earlier versions that the contract of a path says it speaks.
    fn earlier_of(&self, path: &str) -> &[(u32, u64)] {
        let at = self.forms.iter().position(|form| form.path == path);
        at.map_or(&[], |at| &self.earlier[at])
    }

    /// Where the contract of a path is declared.
    fn place(&self, path: &str) -> Option<(&str, u32)> {
        let at = self.forms.iter().position(|form| form.path == path)?;
        let (file, line) = &self.places[at];
        Some((file, *line))
    }

    /// The contract of that path, or of that name where there is one.
    fn named(&self, name: &str) -> Result<&Form, Error> {
        let is_named = |form: &&Form| {
            let rest = form.path.strip_suffix(name);
            rest.is_some_and(|before| before.is_empty() || before.ends_with("::"))
        };
        let found: Vec<&Form> = self.forms.iter().filter(is_named).collect();
        match found.as_slice() {
            [one] => Ok(one),
            [] => {
                let paths: Vec<&str> = self.forms.iter().map(|form| &*form.path).collect();
                let names: Vec<&str> = paths.iter().filter_map(|path| path.rsplit("::").next()).collect();
                let near = similar::get_close_matches(name, &names, 3, 0.6);
                let near = near.into_iter().map(str::to_owned).collect();
                Err(Error::NotDeclared { name: name.to_owned(), near })
            }
            several => Err(Error::Ambiguous {
                name: name.to_owned(),
                found: several.iter().map(|form| form.path.clone()).collect(),
            }),
        }
    }
}

fn lock_path(args: &Args, run: &Run) -> Result<PathBuf, Error> {
    match (&args.lock, run.folder()) {
        (Some(path), _) => Ok(path.clone()),
        (None, Some(folder)) => Ok(folder.join("contracts.lock")),
        (None, None) => Err(Error::NoPlace),
    }
}

/// The lock and its text; none where there is no such file.
fn read(path: &Path) -> Result<Option<(Lock, String)>, Error> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            gen_stubs::followed(path).map_err(Error::Source)?;
            return Ok(None);
        }
        Err(reason) => return Err(Error::Read { path: path.to_owned(), reason }),
    };
    let text = String::from_utf8(bytes)
        .map_err(|error| Error::NotText { path: path.to_owned(), at: error.utf8_error().valid_up_to() })?;
    let lock = Lock::parse(&text).map_err(|reason| Error::Lock { path: path.to_owned(), reason })?;
    Ok(Some((lock, text)))
}

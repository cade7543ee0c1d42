//! Why nothing was generated, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use super::build::in_words;
use super::{config, exports, words};
use crate::catalog::{FileError, ResolveError};
use crate::emit::EmitError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cargo cannot describe the workspace: {0}")]
    Metadata(String),

    #[error("no package `{name}` in the workspace or among its dependencies{}", suggestion(near))]
    NoSuchPackage { name: String, near: Vec<String> },

    #[error("`{spec}` could be any of {}: say which, as NAME@VERSION", found.join(", "))]
    AmbiguousPackage { spec: String, found: Vec<String> },

    #[error(
        "the current folder is in a virtual workspace, none of whose members has \
         `[package.metadata.wirecontract]`: add it to those that declare contracts, or name them with `-p`"
    )]
    NoDefaultPackage,

    #[error(
        "package {package} has no library, and contracts are read from libraries: move its contracts to one, or build it \
         and pass the executable as `--library`"
    )]
    NoLibraryTarget { package: String },

    #[error("cargo build failed ({status}): see its messages above")]
    BuildFailed { status: String },

    #[error(
        "cannot put an empty file where {path} is, with which the library does not compile: {reason}",
        path = path.display()
    )]
    Aside { path: PathBuf, reason: io::Error },

    #[error("interrupted: nothing was written")]
    Interrupted,

    #[error("cannot run cargo: {0}")]
    Cargo(io::Error),

    #[error(
        "cargo built no library for package {package}, though it said nothing: is it a procedural macro?"
    )]
    NothingBuilt { package: String },

    #[error("{0}")]
    Library(FileError),

    #[error(
        "no contracts in {}: a contract is a type that derives `WireContract`, in the library of the package \
         (features that turn on contracts: `--features`)",
        packages.join(", ")
    )]
    NoContracts { packages: Vec<String> },

    #[error(
        "a file that names the contracts of {} names those of {companion} as well, which are not in the libraries given: \
         give the library of {companion} too, or write elsewhere with `--out`",
        packages.join(" and ")
    )]
    NoCompanion { packages: Vec<String>, companion: String },

    #[error("no contracts of package {package} in the libraries given, which have those of {}", found.join(", "))]
    NotInLibraries { package: String, found: Vec<String> },

    #[error(
        "{path} holds ids of contracts and no contracts: it was compiled with `--cfg wirecontract_record=\"ids\"`; \
         build it without (see RUSTFLAGS)",
        path = path.display()
    )]
    IdsOnly { path: PathBuf },

    #[error("{}", lines(.0))]
    Resolve(Vec<ResolveError>),

    #[error(
        "modules {} hold contracts of each other, so that neither of their headers can come first: move what both use \
         into a module of its own",
        families.join(" and ")
    )]
    FamilyCycle { families: Vec<String> },

    #[error("{manifest}: [package.metadata.wirecontract]: {reason}", manifest = manifest.display())]
    Config { manifest: PathBuf, reason: config::Problem },

    #[error(
        "package {package}: [package.metadata.wirecontract]: `foreign.{family}` is about no family of the package: \
         expected one of {}",
        expected.join(", ")
    )]
    NoForeignFamily { package: String, family: String, expected: Vec<String> },

    #[error(
        "package {package}: [package.metadata.wirecontract]: `families` names `{family}`, which is no family of the \
         package: {}",
        if expected.is_empty() { "it has none".to_owned() } else { format!("expected one of {}", expected.join(", ")) }
    )]
    NoSuchFamily { package: String, family: String, expected: Vec<String> },

    #[error(
        "nothing says where the files of package {package} go: pass `--out DIR` (it is not a package of this workspace, \
         so that it has no folder to write to)"
    )]
    NoOut { package: String },

    #[error(
        "{manifest}: [package.metadata.wirecontract]: `out` names no folder for `{tree}`: add it, or leave the target out \
         of `targets`",
        manifest = manifest.display()
    )]
    NoTree { manifest: PathBuf, tree: String },

    #[error("{}", lines(.0))]
    Exports(Vec<exports::Problem>),

    #[error("{}", lines(.0))]
    Words(Vec<words::Taken>),

    #[error("{}", lines(.0))]
    Emit(Vec<EmitError>),

    #[error(
        "{first} and {second} would both be the file {path}: rename a module, or give one package another \
         `include-dir` or `python-package`",
        path = path.display()
    )]
    PathCollision { path: PathBuf, first: String, second: String },

    #[error(
        "{path} was generated from contracts that were built {}, and these are built {}: behind `cfg` they may be others, \
         so they are not compared; run `{again}`, or `{anew}` to write what is built now",
        in_words(stated.as_deref()), in_words(asked.as_deref()), path = path.display()
    )]
    OtherBuild { path: PathBuf, stated: Option<String>, asked: Option<String>, again: String, anew: String },

    #[error("cannot read {path}, which would be replaced: {reason}", path = path.display())]
    Read { path: PathBuf, reason: io::Error },

    #[error("cannot write {path}: {reason}", path = path.display())]
    Write { path: PathBuf, reason: io::Error },

    #[error(
        "{link} is a link to {target}, which is not there: restore that file, or remove the link",
        link = link.display(), target = target.display()
    )]
    Dangling { link: PathBuf, target: PathBuf },

    #[error(
        "{path} may not be written by its owner, and was left as it is: make it writable (`chmod u+w`) if it is to change",
        path = path.display()
    )]
    ReadOnly { path: PathBuf },

    #[error(
        "{path} is in no git repository, where nothing is tracked: leave `--tracked` out",
        path = path.display()
    )]
    NoRepository { path: PathBuf },

    #[error("git cannot say what is tracked in {root}: {reason}", root = root.display())]
    Git { root: PathBuf, reason: String },

    #[error("{}\nnothing was written", lines(.0))]
    Refused(Vec<Refusal>),
}

impl Error {
    /// Whether the command line is to be changed, and nothing else.
    pub(crate) fn is_usage(&self) -> bool {
        matches!(self, Error::NoOut { .. } | Error::NoDefaultPackage)
    }

    /// What programs tell it by, where it is one that they may do something about.
    pub(crate) fn code(&self) -> Option<&'static str> {
        Some(match self {
            Error::BuildFailed { .. } => "build_failed",
            Error::OtherBuild { .. } => "other_build",
            Error::Dangling { .. } => "dangling_link",
            Error::ReadOnly { .. } => "read_only",
            Error::NoRepository { .. } | Error::Git { .. } => "git",
            Error::Read { .. } | Error::Write { .. } => "io",
            Error::Config { .. } => "config",
            _ => return None,
        })
    }

    /// The file that it is about.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Error::OtherBuild { path, .. }
            | Error::Dangling { link: path, .. }
            | Error::ReadOnly { path }
            | Error::Read { path, .. }
            | Error::Write { path, .. }
            | Error::Config { manifest: path, .. } => Some(path),
            _ => None,
        }
    }
}

/// A file that is not replaced without `--force`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(
        "{path} was edited by hand: move the change into the Rust declaration (or a file of its own), or pass `--force` to \
         lose it; `--check` shows it",
        path = .0.display()
    )]
    Edited(PathBuf),
    #[error(
        "{path} was not generated by wirecontract: move it, write elsewhere with `--out`, or pass `--force` to replace it",
        path = .0.display()
    )]
    Foreign(PathBuf),
    #[error(
        "{path} was generated from package {theirs}, and would be replaced by contracts of {ours}: give one of them another \
         `include-dir` or `python-package` in `[package.metadata.wirecontract]`, write elsewhere with `--out`, or pass \
         `--force` to replace it",
        path = path.display(), theirs = theirs.join(" and "), ours = ours.join(" and ")
    )]
    OtherPackage { path: PathBuf, theirs: Vec<String>, ours: Vec<String> },
}

fn suggestion(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; is it {}?", near.join(" or ")) }
}

fn lines(errors: &[impl std::fmt::Display]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\nerror: ")
}

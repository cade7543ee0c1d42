//! The planned files and the disk: what differs, and replacing it.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::error::{Error, Refusal};
use super::left::{self, LeftBehind};
use super::plan::{Plan, Planned};
use super::staged::{self, Staged};
use crate::artifact::{self, State};

/// What is on the disk.
pub(super) struct Comparison {
    /// For each planned file, in their order.
    pub(super) files: Vec<Existing>,
    /// Files that were generated from these packages, and that nothing generates any more.
    pub(super) left_behind: Vec<LeftBehind>,
}

/// What is on the disk in the place of a planned file.
pub(super) enum Existing {
    Missing,
    /// A file; its text where it is UTF-8.
    File(State, Option<String>),
}

impl Existing {
    pub(super) fn is_fresh(&self) -> bool {
        matches!(self, Existing::File(State::Fresh, _))
    }
}

/// What was done.
pub(super) struct Outcome {
    /// For each planned file, whether it was written.
    pub(super) written: Vec<bool>,
    pub(super) removed: Vec<PathBuf>,
    /// What was kept, and whether it was edited by hand.
    pub(super) left_behind: Vec<(PathBuf, bool)>,
}

/// Looks at the disk; changes nothing.
pub(super) fn compare(plan: &Plan) -> Result<Comparison, Error> {
    let files = plan.files.iter().map(existing).collect::<Result<_, _>>()?;
    Ok(Comparison { files, left_behind: left::left_behind(plan) })
}

fn existing(planned: &Planned) -> Result<Existing, Error> {
    match fs::read(&planned.path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            staged::followed(&planned.path)?;
            Ok(Existing::Missing)
        }
        Err(reason) => Err(Error::Read { path: planned.path.clone(), reason }),
        Ok(bytes) => Ok(match String::from_utf8(bytes) {
            Ok(text) => Existing::File(artifact::state(&text, &planned.text), Some(text)),
            Err(_) => Existing::File(State::Foreign, None),
        }),
    }
}

/// Refuses to compare with files of contracts that were built otherwise: behind `cfg` these are others.
pub(super) fn built_alike(plan: &Plan, comparison: &Comparison, command: &str) -> Result<(), Error> {
    let Some(build) = &plan.build else { return Ok(()) };
    let planned = plan.files.iter().zip(&comparison.files).filter_map(|(planned, existing)| match existing {
        Existing::File(State::Stale | State::Outdated | State::Edited, Some(text)) => {
            let (statement, _) = artifact::parse(text)?;
            (!statement.origins.is_empty()).then_some((&planned.path, statement.built_with))
        }
        _ => None,
    });
    let left = comparison.left_behind.iter().filter(|left| left.is_of_package);
    let left = left.map(|left| (&left.path, left.built_with.clone()));
    match planned.chain(left).find(|(_, built_with)| built_with.as_deref() != build.stated()) {
        None => Ok(()),
        Some((path, stated)) => Err(Error::OtherBuild {
            path: path.clone(),
            again: build.command(command, stated.as_deref()),
            anew: build.command("gen-stubs", build.stated()),
            asked: build.stated().map(str::to_owned),
            stated,
        }),
    }
}

/// Replaces what differs. Every file is first written beside its place, then all are moved there: a full disk or a
/// folder without permission leaves all as it was.
pub(super) fn write(plan: &Plan, comparison: &Comparison, force: bool) -> Result<Outcome, Error> {
    if !force {
        refuse(plan, comparison)?;
    }
    let mut staged = Vec::new();
    let mut written = Vec::with_capacity(plan.files.len());
    for (planned, existing) in plan.files.iter().zip(&comparison.files) {
        if !existing.is_fresh() {
            staged.push(Staged::write(&planned.path, &planned.text)?);
        }
        written.push(!existing.is_fresh());
    }
    for file in staged {
        file.put()?;
    }

    let mut removed = Vec::new();
    let mut left_behind = Vec::new();
    for left in &comparison.left_behind {
        let LeftBehind { path, edited, .. } = left;
        // What stands there for another build may be what that one has.
        let is_of_build =
            plan.build.as_ref().is_none_or(|build| left.built_with.as_deref() == build.stated());
        if force || (plan.grounds.are_all() && !edited && (is_of_build || !left.is_of_package)) {
            left::remove(path).map_err(|reason| Error::Write { path: path.clone(), reason })?;
            removed.push(path.clone());
        } else {
            left_behind.push((path.clone(), *edited));
        }
    }
    Ok(Outcome { written, removed, left_behind })
}

fn refuse(plan: &Plan, comparison: &Comparison) -> Result<(), Error> {
    let refusals: Vec<Refusal> = plan
        .files
        .iter()
        .zip(&comparison.files)
        .filter_map(|(planned, existing)| match existing {
            Existing::File(State::Edited, _) => Some(Refusal::Edited(planned.path.clone())),
            Existing::File(State::Foreign, _) => Some(Refusal::Foreign(planned.path.clone())),
            Existing::File(State::OtherPackage, text) => Some(Refusal::OtherPackage {
                path: planned.path.clone(),
                theirs: artifact::packages(text.as_deref().unwrap_or_default()).into_iter().collect(),
                ours: artifact::packages(&planned.text).into_iter().collect(),
            }),
            _ => None,
        })
        .collect();
    if refusals.is_empty() { Ok(()) } else { Err(Error::Refused(refusals)) }
}

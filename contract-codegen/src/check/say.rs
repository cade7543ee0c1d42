//! Findings in words, as JSON, and as annotations.

mod github;
mod json;
mod place;
mod text;

use std::path::{Path, PathBuf};

use super::earlier::{Earlier, TwoIds};
use super::error::Error;
use super::judge::{Judged, Todo};
use super::{Declared, Format, LockText};
use crate::changes::{Classified, Verdict};
use crate::gen_stubs::Files;
use crate::lock::Kind;

/// Why nothing can be said of contracts, to programs; people read the errors.
pub(super) fn error(error: &Error, format: Format) -> String {
    match format {
        Format::Text => String::new(),
        Format::Json => json::error(error).pretty(),
        Format::Github => github::error(error),
    }
}

/// All that is to be said.
pub(super) struct Report<'a> {
    pub(super) lock: &'a Path,
    /// What file names of annotations are relative to.
    pub(super) folder: &'a Path,
    /// Whether there is a lock yet.
    pub(super) is_new: bool,
    pub(super) judged: Vec<Judged<'a>>,
    /// How the lock's text is beside the one that `--accept` writes.
    pub(super) text: LockText,
    /// What is to be said of earlier versions.
    pub(super) earlier: Vec<Earlier<'a>>,
    pub(super) files: Files,
    /// Files that git does not track, where that is asked.
    pub(super) untracked: Vec<PathBuf>,
    /// How many are declared.
    pub(super) contracts: usize,
    pub(super) declared: &'a Declared,
}

impl Report<'_> {
    /// Whether there is nothing to do.
    pub(super) fn is_clean(&self) -> bool {
        let has_faults = self.earlier.iter().any(|earlier| !earlier.faults.is_empty());
        let are_files_current = self.files.stale.is_empty() && self.untracked.is_empty();
        let is_asked_alone =
            |judged: &Judged<'_>| judged.todo == Todo::Nothing && judged.verdict <= Verdict::Compatible;
        self.judged.iter().all(is_asked_alone) && !has_faults && are_files_current && !self.is_new
    }

    /// What to say of a lock that says what is declared, and is not the text that `--accept` writes.
    fn other_text(&self) -> Option<&'static str> {
        match self.text {
            LockText::AsWritten => None,
            LockText::OtherOrder => Some(
                "it says what is declared, in another order than `check --accept` writes: nothing needs to be done",
            ),
            LockText::OtherSpelling => Some(
                "it says what is declared, spelled otherwise than `check --accept` writes, which writes it anew and keeps \
                 no comments: nothing needs to be done",
            ),
        }
    }

    /// How many findings nothing accepts.
    pub(super) fn refused(&self) -> usize {
        let faults: usize = self.earlier.iter().map(|earlier| earlier.faults.len()).sum();
        self.changes_refused() + faults
    }

    /// How many changes nothing accepts.
    fn changes_refused(&self) -> usize {
        self.judged.iter().filter(|judged| !judged.todo.is_allowed()).count()
    }

    /// What programs that say hello make of a change that nothing else minds.
    fn two_ids(&self, judged: &Judged<'_>) -> Option<TwoIds> {
        TwoIds::of(self.declared, judged)
    }

    /// The whole, in a format.
    pub(super) fn said(&self, format: Format) -> String {
        match format {
            Format::Text => text::all(self),
            Format::Json => json::all(self).pretty(),
            Format::Github => github::all(self),
        }
    }
}

impl Judged<'_> {
    /// The path of the contract, now or before.
    fn path(&self) -> &str {
        self.new.or(self.old).map_or("", |form| &form.path)
    }

    /// Whether programs look for it by a symbol, so that old and new ones are served by one beside the other.
    fn is_exported(&self) -> bool {
        let kind = self.new.or(self.old).map(|form| form.kind);
        matches!(kind, Some(Kind::Function | Kind::Handle))
    }

    /// What became of it, in a word or two.
    fn outcome(&self) -> String {
        match (self.old, self.new) {
            (None, _) => "new".to_owned(),
            (_, None) => "removed".to_owned(),
            _ => self.verdict.to_string(),
        }
    }

    /// What is to be done, where that is not to accept it.
    fn advice(&self) -> Option<String> {
        let name = self.path().rsplit("::").next().unwrap_or_default();
        Some(match self.todo {
            Todo::Accept | Todo::Nothing => return None,
            Todo::Bump { to } if self.old.is_none() => format!(
                "a contract of that name was agreed before, and removed: declare `version = {to}` on {name}"
            ),
            // Programs that were linked look for it by its name, and do not start where it is another one.
            Todo::Bump { to } if self.is_exported() => format!(
                "export {name} as it was, and this under another name, or take the change back; declare `version = {to}` \
                 on it if programs that were built before are to be refused (if nobody has it yet, delete its block from \
                 the lock)"
            ),
            Todo::Bump { to } if self.new.is_some_and(|form| form.get("sizes").is_some()) => format!(
                "say the size of version {to} of {name} as well (`size(…, v{to} = …)`, and `version = {to}` on the field \
                 that says it), or take the change back (if nobody has version {} yet, delete its block from the lock)",
                to.saturating_sub(1)
            ),
            Todo::Bump { to } => format!(
                "declare `version = {to}` on {name}, or take the change back (if nobody has version {} yet, delete its \
                 block from the lock)",
                to.saturating_sub(1)
            ),
            Todo::TakeBump { to } => {
                format!("{name} has a new version and is the same: declare `version = {to}` again")
            }
            Todo::Raise { agreed } => {
                format!("version {agreed} of {name} is agreed already: declare that or a higher one")
            }
            Todo::Deprecate => format!(
                "declare {name} again, with `deprecated = \"…\"`, and remove it in a later version; say `was = \"{name}\"` on \
                 what it is called now, if it was renamed (if nobody has it yet, delete its block from the lock)"
            ),
        })
    }
}

/// `field: what, and what it does`
fn line(change: &Classified) -> String {
    change.to_string()
}

/// `1 contract`, `2 contracts`
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

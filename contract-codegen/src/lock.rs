//! `contracts.lock`: what every contract is agreed to be, in a file that is kept beside the declarations.
//!
//! A [`Form`] is what is agreed of one contract: all that its wire id covers, in values that people read. The file is
//! TOML, a block for every version of a contract that was ever accepted:
//!
//! ```toml
//! # What every contract is agreed to be. Written by `cargo wirecontract check --accept`; by hand, only whole blocks are deleted.
//! format = 1
//!
//! ["wirecontract_gpu::cuvis::IpcBackend@1"]
//! kind = "enumeration"
//! wire_id = "0x4f6ad3e2a1b0c9d8"
//! repr = "i32"
//! values = [
//!     { value = 0, name = "Auto", alias = ["None"] },
//!     { value = 1, name = "Pool" },
//! ]
//! digest = "0x0c7be2d1a2f4e5b6"
//! ```
//!
//! Blocks are sorted by path and version, and each member has its line, so that branches that change different
//! contracts merge. The digest is FNV-1a 64 over the rest of the block as this module writes it: a block that was
//! changed by hand is told from one that was accepted. It ends the block, as a line that no other block has: else git
//! takes a version for the next one where both have the same members.
//!
//! Contracts of a package that were accepted as cargo builds them with options, features or another target, are so only
//! with these, which a line above the blocks says: `built_with = { sensor-sdk = "--features wide" }`.
//!
//! The highest version of a contract is the current one. The last block of a contract that is gone says
//! `removed = true`: a contract that is declared again under its path needs a version that was never used.

mod around;
mod error;
mod form;
mod keys;
mod of_contract;
mod parse;
mod text;
mod trouble;
mod types;

use std::collections::BTreeMap;

pub(crate) use self::around::around;
pub use self::error::{AcceptError, Block, LockError};
pub use self::form::{Form, Kind, integer};

/// The version of the file's format.
pub const FORMAT: u32 = 1;

/// What contracts are agreed to be: every version of each that was ever accepted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lock {
    histories: BTreeMap<String, History>,
    /// The options of the build by package, of those that were built with any.
    built_with: BTreeMap<String, String>,
}

/// All that was ever agreed of one contract.
#[derive(Debug, Clone, Default, PartialEq)]
struct History {
    /// By version; at least one.
    forms: BTreeMap<u32, Form>,
    is_removed: bool,
}

impl History {
    fn newest(&self) -> Option<&Form> {
        self.forms.values().next_back()
    }
}

impl Lock {
    /// What is agreed of the contract of that path: its highest version. None of one that is removed.
    pub fn current(&self, path: &str) -> Option<&Form> {
        self.histories.get(path).filter(|history| !history.is_removed)?.newest()
    }

    /// The options that the contracts of a package were built with when they were agreed, where there were any.
    pub fn built_with(&self, package: &str) -> Option<&str> {
        self.built_with.get(package).map(String::as_str)
    }

    /// Says how the contracts of a package were built that are agreed.
    pub fn build_with(&mut self, package: &str, options: Option<&str>) {
        match options {
            Some(options) => self.built_with.insert(package.to_owned(), options.to_owned()),
            None => self.built_with.remove(package),
        };
    }

    /// Whether anything was ever agreed of a package.
    pub fn has_package(&self, package: &str) -> bool {
        let mut forms = self.histories.values().flat_map(|history| history.forms.values());
        forms.any(|form| form.text("package") == Some(package))
    }

    /// What was agreed last of a contract that is removed.
    pub fn removed(&self, path: &str) -> Option<&Form> {
        self.histories.get(path).filter(|history| history.is_removed)?.newest()
    }

    /// What was agreed of a version of a contract, be it removed or not.
    pub fn version(&self, path: &str, version: u32) -> Option<&Form> {
        self.histories.get(path)?.forms.get(&version)
    }

    /// All versions of a contract, the oldest first.
    pub fn versions(&self, path: &str) -> impl DoubleEndedIterator<Item = &Form> {
        self.histories.get(path).into_iter().flat_map(|history| history.forms.values())
    }

    /// What was agreed of the versions of the contract that `form` is a state of, be it under an earlier path: those of
    /// its path, or else of one that was first accepted under the same name.
    pub fn earlier(&self, form: &Form) -> impl Iterator<Item = &Form> {
        let first = form.first_path();
        let is_former = move |other: &&Form| other.kind == form.kind && other.first_path() == first;
        let former = self.all().filter(is_former).filter(|other| other.path != form.path);
        let own = self.histories.get(&form.path);
        let is_taken = move |version| own.is_some_and(|own| own.forms.contains_key(&version));
        self.versions(&form.path).chain(former.filter(move |other| !is_taken(other.version)))
    }

    /// Every form of every version that was ever agreed.
    pub fn all(&self) -> impl Iterator<Item = &Form> {
        self.histories.values().flat_map(|history| history.forms.values())
    }

    /// What is agreed of each contract that is not removed, by path.
    pub fn forms(&self) -> impl Iterator<Item = &Form> {
        self.histories.values().filter(|history| !history.is_removed).filter_map(History::newest)
    }

    /// What was agreed when `form` was: of what it holds the versions of that time, of all else what is agreed now.
    pub fn around<'a>(&'a self, form: &'a Form) -> Vec<&'a Form> {
        around(form, self.forms(), &self.all().collect::<Vec<_>>())
    }

    /// What is agreed of the contract that `form` is a later state of: the one of its path, or else the one of its
    /// module that was first accepted under the same name.
    pub fn agreed(&self, form: &Form) -> Option<&Form> {
        self.current(&form.path).or_else(|| {
            form.text("was")?;
            self.forms().find(|other| other.kind == form.kind && other.first_path() == form.first_path())
        })
    }

    /// Takes a form for what is agreed of its version. Older versions stay; those of a contract that was renamed stay
    /// under its former path, as those of one that is gone.
    pub fn accept(&mut self, form: Form) -> Result<(), AcceptError> {
        if let Some(next) = self.next_version(&form) {
            return Err(AcceptError { path: form.path, version: form.version, next });
        }
        let former = self.agreed(&form).map(|former| former.path.clone());
        if let Some(former) = former.filter(|former| *former != form.path) {
            self.remove(&former);
        }
        let history = self.histories.entry(form.path.clone()).or_default();
        history.is_removed = false;
        history.forms.insert(form.version, form);
        Ok(())
    }

    /// The first version that the form may have, where its own is used up: a newer one is agreed, or one that is gone
    /// was something else.
    fn next_version(&self, form: &Form) -> Option<u32> {
        let removed = self.removed(&form.path).filter(|last| *last != form).map(|last| last.version);
        let current = self.agreed(form).and_then(|current| current.version.checked_sub(1));
        let used = removed.into_iter().chain(current).max()?;
        (form.version <= used).then(|| used.saturating_add(1))
    }

    /// Keeps the history of a contract that is gone; says whether there was one.
    pub fn remove(&mut self, path: &str) -> bool {
        match self.histories.get_mut(path) {
            Some(history) if !history.is_removed => {
                history.is_removed = true;
                true
            }
            _ => false,
        }
    }
}

/// Every key that a block of that kind may have, each behind those that it stands in: `fields.one_of.expr`.
#[doc(hidden)]
pub fn vocabulary(kind: Kind) -> Vec<String> {
    fn inside(keys: &[keys::Key], place: &str, all: &mut Vec<String>) {
        for key in keys {
            let place = format!("{place}{}", key.name);
            match key.shape {
                keys::Shape::Table(keys) | keys::Shape::Members(keys) => {
                    inside(keys, &format!("{place}."), all);
                }
                _ => all.push(place),
            }
        }
    }
    let mut all = Vec::new();
    inside(keys::of(kind), "", &mut all);
    all
}

//! `explain`: what differs between two declarations of a contract, each known by its wire id.
//!
//! [`Known`] is what locks and libraries say: it is the [`Explain`] that a negotiation may ask, and the command asks it
//! at the command line.

mod command;
mod error;

use std::fmt;

pub use self::command::{Args, Format, run};
pub use self::error::ExplainError;
use crate::changes::{Classified, Effect, Forms, Verdict};
use crate::lock::{self, Form, Lock};
use crate::model::Catalog;
use wirecontract::hello::Explain;

/// Declarations of contracts, by where they were found.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Of each place those that were current together first.
    places: Vec<Place>,
}

/// What one lock or one library says.
#[derive(Debug, Clone)]
struct Place {
    /// One form of each contract.
    current: Vec<Form>,
    /// Forms of other versions.
    earlier: Vec<Form>,
}

/// What differs between two declarations.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// That of the older version; where the versions are the same, theirs.
    pub old: Form,
    /// The other one.
    pub new: Form,
    /// Whether the newer one is ours.
    pub is_ours_newer: bool,
    /// What differs.
    pub changes: Vec<Classified>,
}

impl Known {
    /// Takes all versions that a lock has.
    pub fn lock(&mut self, lock: &Lock) {
        let current: Vec<Form> = lock.forms().cloned().collect();
        let earlier = lock.all().filter(|form| !current.contains(form)).cloned().collect();
        self.places.push(Place { current, earlier });
    }

    /// Takes all contracts of a catalog.
    pub fn catalog(&mut self, catalog: &Catalog) {
        let current = catalog.iter().map(|(id, _)| Form::of(catalog, id)).collect();
        self.places.push(Place { current, earlier: Vec::new() });
    }

    /// What differs between the declarations of two wire ids.
    pub fn between(&self, ours: u64, theirs: u64) -> Result<Explanation, ExplainError> {
        self.of_contract(None, ours, theirs)
    }

    /// The same, of a contract that hellos call `name`, where several have one wire id.
    fn of_contract(&self, name: Option<&str>, ours: u64, theirs: u64) -> Result<Explanation, ExplainError> {
        let missing: Vec<u64> =
            [ours, theirs].into_iter().filter(|&id| self.find(name, id).is_none()).collect();
        let (Some(our_form), Some(their_form)) = (self.find(name, ours), self.find(name, theirs)) else {
            return Err(ExplainError::Unknown { ids: missing });
        };
        let is_ours_newer = our_form.1.version >= their_form.1.version;
        let (old, new) = if is_ours_newer { (their_form, our_form) } else { (our_form, their_form) };
        let forms = Forms::new(old.0.around(old.1), new.0.around(new.1));
        let compared = forms.compare();
        let of_both = compared.into_iter().find(|each| {
            each.old.is_some_and(|form| form.path == old.1.path)
                && each.new.is_some_and(|form| form.path == new.1.path)
        });
        let is_one = forms.partner(&old.1.path) == Some(&new.1.path);
        let changes = match of_both {
            Some(both) => both.changes,
            None if is_one => Vec::new(),
            None => {
                let [ours, theirs] = [our_form, their_form].map(|(_, form)| form.path.clone());
                return Err(ExplainError::Others { ours, theirs });
            }
        };
        Ok(Explanation { old: old.1.clone(), new: new.1.clone(), is_ours_newer, changes })
    }

    /// The declaration of a wire id, and where it is: one of that name rather than another.
    fn find(&self, name: Option<&str>, id: u64) -> Option<(&Place, &Form)> {
        let all = || {
            let places = self.places.iter();
            places.flat_map(|place| {
                let forms = place.current.iter().chain(&place.earlier);
                forms.filter(move |form| form.wire_id == id).map(move |form| (place, form))
            })
        };
        all().find(|(_, form)| name.is_none_or(|name| form.first_path() == name)).or_else(|| all().next())
    }
}

impl Place {
    /// The contracts of this place as they were with one of them in that version.
    fn around(&self, form: &Form) -> Vec<Form> {
        let all: Vec<&Form> = self.current.iter().chain(&self.earlier).collect();
        lock::around(form, &self.current, &all).into_iter().cloned().collect()
    }
}

impl Explain for Known {
    fn explain(&self, name: &str, ours: u64, theirs: u64) -> Option<String> {
        self.of_contract(Some(name), ours, theirs).ok().map(|explanation| explanation.line())
    }
}

/// Changes that one line tells.
const MOST_CHANGES: usize = 3;

impl Explanation {
    /// What all that differs does together.
    pub fn effect(&self) -> Effect {
        Effect::of_all(self.changes.iter().map(|change| change.effect))
    }

    /// The same in a word.
    pub fn verdict(&self) -> Verdict {
        self.effect().verdict()
    }

    /// What differs in one line, as a refusal has it.
    pub fn line(&self) -> String {
        let changes: Vec<&Classified> = self.changes.iter().filter(|it| !it.effect.is_harmless).collect();
        if changes.is_empty() {
            return "nothing of what crosses".to_owned();
        }
        let told: Vec<String> = changes.iter().take(MOST_CHANGES).map(ToString::to_string).collect();
        let more = match changes.len().checked_sub(MOST_CHANGES) {
            Some(more) if more > 0 => format!("; and {more} more"),
            _ => String::new(),
        };
        told.join("; ") + &more
    }
}

/// `acme::Request version 1 (0x…, theirs) to version 2 (0x…, ours): breaking`, and a line for each change.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.old.wire_id == self.new.wire_id {
            return writeln!(
                f,
                "{} ({}), version {} ({:#018x}): both ids are those of one declaration",
                self.new.path,
                self.new.kind.name(),
                self.new.version,
                self.new.wire_id
            );
        }
        let [old, new] = if self.is_ours_newer { ["theirs", "ours"] } else { ["ours", "theirs"] };
        writeln!(
            f,
            "{} ({}), from version {} ({:#018x}, {old}) to version {} ({:#018x}, {new}): {}",
            self.new.path,
            self.new.kind.name(),
            self.old.version,
            self.old.wire_id,
            self.new.version,
            self.new.wire_id,
            self.verdict()
        )?;
        self.changes.iter().try_for_each(|change| writeln!(f, "  - {change}"))
    }
}

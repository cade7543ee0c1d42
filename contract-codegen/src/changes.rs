//! What a change of a contract does to the programs that are in the field already: two forms of it, and what becomes of
//! the readers of each when they meet what writers of the other one wrote.
//!
//! `docs/changes.md` says it for every kind of change, and the tests hold this module against that page. What no rule
//! here knows is breaking both ways.

mod abi;
mod change;
mod descriptor;
mod effect;
mod export;
mod field;
mod field_type;
mod forms;
mod growth;
pub(crate) mod json;
mod json_type;
mod member;
mod message;
mod messages;
mod recipe;
mod rules;
mod ty;
mod union;
mod values;

use std::cell::RefCell;

pub use self::change::{Change, Classified, What};
pub use self::effect::{Effect, Side, Verdict};
pub use self::forms::{Compared, Forms};

use self::change::Found;
use self::effect::BOTH_MISREAD;
use crate::lock::{Form, Kind};

/// Every difference between two forms of a contract, and what it does. What they hold is looked up in `forms`.
pub fn between(old: &Form, new: &Form, forms: &Forms) -> Vec<Classified> {
    let differ = Differ { forms, under_way: RefCell::default() };
    let mut found = differ.contract(old, new, Use::Alone);
    moved(&mut found, old, new);
    if old.version != new.version {
        let why = if new.get("sizes").is_some() {
            "it is the number of its sizes, each of which says what is on the wire"
        } else {
            "the version of a contract is not on the wire"
        };
        found.harmless("", Change::set("version", Some(&old.version), Some(&new.version)), why);
    }
    found.changes
}

/// Where a declaration stands, and what it is called in Rust: what crosses says neither.
fn moved(found: &mut Found, old: &Form, new: &Form) {
    let change = |from: &str, to: &str| Change::Renamed {
        what: What::Contract,
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let [from, to] = [old, new].map(forms::module);
    if from != to {
        found.harmless("", change(from, to), format!("it stood in `{from}`, which no wire id covers"));
    }
    let [from, to] = [old, new].map(forms::name);
    if from != to {
        found.harmless("", change(from, to), format!("it was called `{from}`"));
    }
}

/// How a contract is used by what holds it: a change of it counts as far as that use sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// By itself.
    Alone,
    /// In the bytes of a descriptor; whether an enumeration is used as `Open<E>`: before, and after.
    Bytes { open: [bool; 2] },
    /// In a document; whether what has no name in an enumeration is kept: before, and after.
    Document { open: [bool; 2] },
    /// In the object of another recipe, which says whether unknown keys are refused: before, and after.
    Flattened { denied: [bool; 2] },
    /// In memory that both sides look at.
    Memory,
}

/// Finds the differences of two forms.
struct Differ<'forms> {
    forms: &'forms Forms,
    /// The contracts that are compared at present: a recipe may hold its own kind.
    under_way: RefCell<Vec<(String, Use)>>,
}

impl Differ<'_> {
    /// What differs, as a use of the contract sees it.
    fn contract(&self, old: &Form, new: &Form, usage: Use) -> Found {
        let mut found = Found::default();
        if old.kind != new.kind {
            let [from, to] = [old.kind, new.kind].map(Kind::name);
            let why = format!("it is a contract of another kind: {to}, and no {from} any more");
            let sides = if usage == Use::Alone { [Side::Refuses(None); 2] } else { BOTH_MISREAD };
            found.put("", Change::set("kind", Some(&from), Some(&to)), sides, why);
            return found;
        }
        match old.kind {
            Kind::Descriptor => self.descriptor(&mut found, old, new, usage),
            Kind::Enumeration | Kind::Flags => values::values(&mut found, old, new, usage),
            Kind::Recipe => self.recipe(&mut found, old, new, usage),
            Kind::Union => self.union(&mut found, old, new, usage),
            Kind::Message => self.message(&mut found, old, new),
            Kind::Messages => self.messages(&mut found, old, new),
            Kind::Abi => self.abi(&mut found, old, new),
            Kind::Handle => export::handle(&mut found, old, new),
            Kind::Function => self.function(&mut found, old, new),
            Kind::Library | Kind::Symbols => export::symbols(&mut found, old, new),
        }
        if old.wire_id != new.wire_id && found.changes.iter().all(|change| change.effect.is_harmless) {
            let why = "its wire id changed, and nothing is found that says why";
            found.put("", Change::Unknown { key: "wire_id".to_owned() }, BOTH_MISREAD, why);
        }
        found
    }

    /// What a change of a contract does to the member that holds it. `is_other` says whether the wire ids beside the
    /// member differ, which is all that is known where what it holds has no form.
    fn held(&self, found: &mut Found, at: &str, [old, new]: [&str; 2], usage: Use, is_other: bool) {
        let forms = (self.forms.old(old), self.forms.new_form(new));
        let (Some(old_form), Some(new_form)) = forms else {
            if is_other {
                let why = format!("`{new}` changed, and the lock has no block that says how");
                found.put(at, Change::Unknown { key: "wire_id".to_owned() }, BOTH_MISREAD, why);
            }
            return;
        };
        let this = (old.to_owned(), usage);
        if self.under_way.borrow().contains(&this) {
            return;
        }
        self.under_way.borrow_mut().push(this);
        let inner = self.contract(old_form, new_form, usage);
        self.under_way.borrow_mut().pop();

        let worst = inner.changes.iter().filter(|change| !change.effect.is_harmless).max_by_key(|change| {
            let Effect { old, new, .. } = change.effect;
            (old.weight().max(new.weight()), old.weight() + new.weight())
        });
        let Some(worst) = worst else { return };
        let name = new.rsplit("::").next().unwrap_or(new);
        let place = if worst.at.is_empty() { name.to_owned() } else { format!("{name}.{}", worst.at) };
        let why = format!("`{place}` changed: {}", worst.why);
        let sides = Effect::of_all(inner.changes.iter().map(|change| change.effect)).sides();
        found.put(at, Change::Held { contract: new.to_owned() }, sides, why);
    }

    /// Whether a contract before and one after are one contract.
    fn is_same(&self, old: &str, new: &str) -> bool {
        self.forms.partner(old).map_or(old == new, |partner| partner == new)
    }
}

#[cfg(test)]
mod tests;

//! What the words of a rule may mean.

use std::cell::Cell;

use syn::Ident;
use syn::ext::IdentExt;

use crate::near::nearest;
use crate::report::Report;

/// What the words of a rule may mean: the contract that declares it, and its fields.
pub(crate) struct Scope<'a> {
    /// The contract's name, for messages.
    pub(crate) contract: String,
    /// Its fields (of a union, none).
    pub(crate) fields: Vec<Subject<'a>>,
    /// Whether it is a union: `variant` is its own.
    pub(crate) union: bool,
    /// Whether file descriptors may come with it: `fd_count` is known at import.
    pub(crate) fds: bool,
    /// Whether it is a message: `fds(group)` is how many file descriptors a group has.
    pub(crate) message: bool,
    /// How many rules were checked in this scope; begins at 0.
    pub(crate) next: Cell<usize>,
}

/// A field as rules see it.
pub(crate) struct Subject<'a> {
    pub(crate) ident: &'a Ident,
    /// The name, or the key in JSON, that it was first accepted under.
    pub(crate) accepted: String,
    pub(crate) seen: Seen,
    pub(crate) presence: Presence,
}

/// What a macro sees of a field's type, or of its role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// An integer or a count.
    Number,
    /// A bool.
    Condition,
    /// A float.
    Float,
    /// Something with a length and no value; what it is, with an article: `an array`, `text`, `bytes`, `a map`.
    Long(&'static str),
    /// Something with neither; what it is.
    Nothing(&'static str),
    /// File descriptors beside a message.
    Fds,
    /// An enumeration or flags as the type says (`Open<E>`, `Flags<E>`), or what the macro cannot see through.
    Other,
}

/// Whether a field may be absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Presence {
    /// It is always there.
    Always,
    /// It may be absent.
    Optional,
    /// It may be absent, which stands for a declared default; its accessor gives one or the other.
    OrDefault,
}

impl<'a> Scope<'a> {
    /// The scope of a contract's rules.
    pub(crate) fn new(contract: String, fields: Vec<Subject<'a>>) -> Scope<'a> {
        Scope { contract, fields, union: false, fds: false, message: false, next: Cell::new(0) }
    }

    /// The field that a word is.
    pub(super) fn find(&self, word: &Ident) -> Option<usize> {
        let word = word.unraw();
        self.fields.iter().position(|field| field.ident.unraw() == word)
    }

    /// Says of a word that it is no field, and what was likely meant.
    pub(super) fn unknown(&self, word: &Ident, report: &mut Report) {
        let contract = &self.contract;
        let name = word.unraw().to_string();
        if self.union {
            report.at(
                word,
                format_args!("the rules of the union `{contract}` know one word of it: `variant`, beside a variant's name"),
            );
            return;
        }
        if name == "fd_count" && self.message {
            report.at(word, "the file descriptors of a message are counted by group: `fds(group)`");
            return;
        }
        if name == "fd_count" {
            report
                .at(word, "no file descriptors come with a descriptor: `fd_count` is for recipes and unions");
            return;
        }
        let names: Vec<String> = self.fields.iter().map(|field| field.ident.unraw().to_string()).collect();
        if let Some(near) = nearest(&name, names.iter().map(String::as_str)) {
            report.at(word, format_args!("`{contract}` has no field `{name}`: did you mean `{near}`?"));
        } else if name.starts_with(char::is_uppercase) {
            report.at(
                word,
                format_args!(
                    "`{contract}` has no field `{name}`, and of what enumeration it would be a value is not said: \
                     compare it with a field, or write `Enum::{name}`"
                ),
            );
        } else {
            let names = names.join(", ");
            report.at(word, format_args!("`{contract}` has no field `{name}`: it has {names}"));
        }
    }
}

impl Seen {
    /// What a field is, in a message.
    pub(super) fn called(self) -> &'static str {
        match self {
            Seen::Number => "a number",
            Seen::Condition => "a condition",
            Seen::Float => "a float",
            Seen::Long(what) | Seen::Nothing(what) => what,
            Seen::Fds => "file descriptors",
            Seen::Other => "another contract",
        }
    }
}

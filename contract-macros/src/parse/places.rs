//! Where keys stand, and what is said of one that stands elsewhere, or is none.

use super::Kind;
use crate::attr::Item;
use crate::near::nearest;
use crate::report::Report;

/// What keys stand on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// The contract itself, beside the kind.
    Contract,
    /// A field, a value or a variant of it.
    Member,
}

impl Kind {
    /// Every kind.
    const ALL: [Kind; 8] = [
        Kind::Descriptor,
        Kind::Enumeration,
        Kind::Flags,
        Kind::Recipe,
        Kind::Union,
        Kind::Abi,
        Kind::Handle,
        Kind::Message,
    ];

    /// The kind that a word is.
    pub(super) fn of(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The word in a declaration.
    fn word(self) -> &'static str {
        match self {
            Kind::Descriptor => "descriptor",
            Kind::Enumeration => "enumeration",
            Kind::Flags => "flags",
            Kind::Recipe => "recipe",
            Kind::Union => "union",
            Kind::Abi => "abi",
            Kind::Handle => "handle",
            Kind::Message => "message",
        }
    }

    /// What a key of its members stands on.
    fn member(self, key: &str) -> &'static str {
        match self {
            Kind::Descriptor => "a field of a descriptor",
            Kind::Enumeration => "a value of an enumeration",
            Kind::Flags => "a flag",
            Kind::Recipe => "a field of a recipe",
            Kind::Union => "a variant of a union",
            Kind::Abi => "a field of an abi struct",
            Kind::Handle => "nothing of a handle",
            Kind::Message if key == "open" => "one of several messages",
            Kind::Message => "a field of a message",
        }
    }

    /// The keys that stand at a place.
    fn keys_at(self, place: Place) -> &'static str {
        match place {
            Place::Contract => self.container_keys(),
            // A handle's members have no keys, which its list says in words.
            Place::Member if self == Kind::Handle => "",
            Place::Member => self.member_keys(),
        }
    }

    /// Where a key of this kind stands, other than here.
    pub(crate) fn elsewhere(self, key: &str, here: Place) -> Option<String> {
        let there = match here {
            Place::Contract => Place::Member,
            Place::Member => Place::Contract,
        };
        self.has(key, there).then(|| self.stands(key, there))
    }

    /// Whether a key stands at a place.
    pub(crate) fn has(self, key: &str, place: Place) -> bool {
        self.keys_at(place).split(", ").any(|known| known == key)
    }

    fn stands(self, key: &str, place: Place) -> String {
        match place {
            Place::Contract => format!("beside the kind, in `#[wire({}, …)]`", self.word()),
            Place::Member => format!("on {}", self.member(key)),
        }
    }
}

/// Says of a key that it is none here: where it stands, what was likely meant, or what stands here. Of members of a
/// contract whose kind is not known nothing is said but that.
pub(super) fn unknown(item: &Item, here: Place, kind: Option<Kind>, report: &mut Report) {
    let (key, name) = (&item.key, item.name());
    let Some(kind) = kind else {
        if here == Place::Contract {
            without_kind(item, report);
        }
        return;
    };
    if let Some(there) = kind.elsewhere(&name, here) {
        report.at(key, format_args!("`{key}` stands {there}: move it there"));
        return;
    }
    let known = kind.keys_at(here);
    if nearest(&name, known.split(", ")).is_some() {
        none_of(item, known, report);
        return;
    }
    match of_another(&name) {
        Some(there) => {
            report.at(key, format_args!("unknown key `{key}`: it stands {there}, and here stand {known}"));
        }
        None => none_of(item, known, report),
    }
}

/// Says of a key of a contract that it is neither a kind, of which none is said, nor a key.
fn without_kind(item: &Item, report: &mut Report) {
    let (key, name) = (&item.key, item.name());
    let keys = Kind::ALL.iter().flat_map(|kind| kind.container_keys().split(", "));
    let near = nearest(&name, Kind::ALL.map(Kind::word)).or_else(|| nearest(&name, keys));
    let kinds = "here stand descriptor, enumeration, flags, recipe, union, abi, handle, message, and keys of that kind";
    match (near, of_another(&name)) {
        (Some(near), _) => report.at(key, format_args!("unknown key `{key}`: did you mean `{near}`?")),
        (None, Some(there)) => {
            report.at(key, format_args!("unknown key `{key}`: it stands {there}, and {kinds}"));
        }
        (None, None) => report.at(key, format_args!("unknown key `{key}`: {kinds}")),
    }
}

/// Where a key stands in contracts of the first kind that has it.
fn of_another(key: &str) -> Option<String> {
    let places = Kind::ALL.into_iter().flat_map(|kind| [(kind, Place::Member), (kind, Place::Contract)]);
    places
        .into_iter()
        .find(|(kind, place)| kind.has(key, *place))
        .map(|(kind, place)| kind.stands(key, place))
}

/// Says of a key that it is none of these, which are separated by commas.
pub(crate) fn none_of(item: &Item, known: &str, report: &mut Report) {
    let key = &item.key;
    match nearest(&item.name(), known.split(", ")) {
        Some(near) => report.at(key, format_args!("unknown key `{key}`: did you mean `{near}`?")),
        None => report.at(key, format_args!("unknown key `{key}`: here stand {known}")),
    }
}

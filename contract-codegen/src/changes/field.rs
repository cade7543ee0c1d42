//! A field of a descriptor: where it stands, what it is for, and what zeros in it are.

use toml::Table;
use wirecontract::Code;

use super::Differ;
use super::change::Found;
use super::effect::{BOTH_MISREAD, Side, both_refuse, loosened, refuses, tightened};
use super::member::{self, accepted, number, set, text, texts};
use super::ty::Type;
use crate::lock::{Form, Kind};

/// What a field is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    Value,
    Magic(String),
    Version(i128),
    Reserved { zero: bool },
    LengthOf(Vec<String>),
    Text,
}

#[derive(Debug, Clone)]
pub(super) struct Field<'form> {
    pub(super) member: &'form Table,
    pub(super) at: i128,
    pub(super) size: i128,
    pub(super) ty: Type,
    pub(super) role: Role,
}

impl<'form> Field<'form> {
    pub(super) fn of(member: &'form Table) -> Self {
        let role = if let Some(magic) = text(member, "magic") {
            Role::Magic(magic.to_owned())
        } else if let Some(version) = number(member, "version") {
            Role::Version(version)
        } else if let Some(policy) = text(member, "reserved") {
            Role::Reserved { zero: policy == "zero" }
        } else if member.contains_key("length_of") {
            Role::LengthOf(texts(member, "length_of").into_iter().map(str::to_owned).collect())
        } else if member::is(member, "text") {
            Role::Text
        } else {
            Role::Value
        };
        let place = |key| number(member, key).unwrap_or_default();
        let ty = Type::of(text(member, "type").unwrap_or_default());
        Field { member, at: place("at"), size: place("size"), ty, role }
    }

    pub(super) fn end(&self) -> i128 {
        self.at + self.size
    }

    pub(super) fn is_reserved(&self) -> bool {
        matches!(self.role, Role::Reserved { .. })
    }

    /// The fields that stand where this one does.
    pub(super) fn under<'all>(&self, all: &'all [Field<'form>]) -> Vec<&'all Field<'form>> {
        all.iter().filter(|field| field.at < self.end() && self.at < field.end()).collect()
    }

    /// Those fields, where all of them are reserved and leave no byte out: whether all that it covers must be zero
    /// somewhere.
    pub(super) fn in_reserved(&self, all: &[Field<'form>]) -> Option<bool> {
        let under = self.under(all);
        let covered: i128 =
            under.iter().map(|field| field.end().min(self.end()) - field.at.max(self.at)).sum();
        let is_reserved = under.iter().all(|field| field.is_reserved()) && covered == self.size;
        is_reserved.then(|| under.iter().any(|field| field.role == Role::Reserved { zero: true }))
    }
}

/// What stands at each byte of a descriptor.
pub(super) struct Bytes<'form> {
    pub(super) fields: Vec<Field<'form>>,
}

impl<'form> Bytes<'form> {
    pub(super) fn of(form: &'form Form) -> Self {
        Bytes { fields: form.section("fields").map(Field::of).collect() }
    }

    /// The count of an array, by the name that was accepted.
    pub(super) fn count_of(&self, array: &Table) -> Option<&Field<'form>> {
        self.fields.iter().find(|field| match &field.role {
            Role::LengthOf(arrays) => arrays.iter().any(|it| it == accepted(array)),
            _ => false,
        })
    }
}

impl Differ<'_> {
    /// What a reader makes of a field whose bytes are zero.
    pub(super) fn of_zero(&self, field: &Field<'_>, is_old: bool) -> Side {
        match &field.role {
            Role::Magic(magic) if magic.bytes().any(|digit| digit != b'0') => refuses(Code::BadMagic),
            Role::Version(_) => refuses(Code::UnsupportedVersion),
            Role::Magic(_) | Role::Reserved { .. } | Role::LengthOf(_) | Role::Text => Side::Reads,
            Role::Value => match field.ty.element().0 {
                Type::Contract(path) => self.of_zero_contract(path, is_old),
                _ => Side::Reads,
            },
        }
    }

    fn of_zero_contract(&self, path: &str, is_old: bool) -> Side {
        let form = if is_old { self.forms.old(path) } else { self.forms.new_form(path) };
        let Some(form) = form else { return Side::Misreads };
        if form.kind == Kind::Enumeration {
            let has_zero = form.section("values").any(|value| number(value, "value") == Some(0));
            return if has_zero { Side::Reads } else { refuses(Code::UnknownValue) };
        }
        // Whether zeros keep the rules is not computed here.
        let has_rules = form.section("rules").any(|rule| !rule.contains_key("at"));
        let rules = if has_rules { refuses(Code::RuleViolated) } else { Side::Reads };
        let fields = form.section("fields").map(|member| self.of_zero(&Field::of(member), is_old));
        fields.fold(Side::Reads, Side::worse).worse(rules)
    }
}

/// What a field is for before and after.
pub(super) fn role(found: &mut Found, at: &str, old: &Field<'_>, new: &Field<'_>) {
    if old.role == new.role {
        return;
    }
    let members = (old.member, new.member);
    match (&old.role, &new.role) {
        (Role::Magic(before), Role::Magic(after)) => {
            let why = format!("it is {after} and was {before}");
            found.put(at, set("magic", members.0, members.1), both_refuse(Code::BadMagic), why);
        }
        (Role::Version(before), Role::Version(after)) => {
            let code = Code::UnsupportedVersion;
            let sides = if after > before { loosened(code) } else { tightened(code) };
            let why = format!("{after} is written where {before} was, and 1 to {after} are read");
            found.put(at, set("version", members.0, members.1), sides, why);
        }
        (Role::Text, Role::Value) => {
            let why = "every text is bytes, and not all bytes are text";
            found.put(at, set("text", members.0, members.1), loosened(Code::BadText), why);
        }
        (Role::Value, Role::Text) => {
            let why = "every text is bytes, and not all bytes are text";
            found.put(at, set("text", members.0, members.1), tightened(Code::BadText), why);
        }
        _ => {
            let key = ["length_of", "magic", "version", "text"]
                .into_iter()
                .find(|key| !member::equal(key, members.0, members.1))
                .unwrap_or("type");
            let why = match key {
                "length_of" => "it counts other elements: those past a count are zero and no elements",
                _ => "it is for something else now",
            };
            found.put(at, set(key, members.0, members.1), BOTH_MISREAD, why);
        }
    }
}

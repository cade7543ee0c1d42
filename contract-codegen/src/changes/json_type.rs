//! What a key, an item or a variant holds in a document: its type, its bounds and its spelling.

use toml::Table;
use wirecontract::Code;

use super::change::Found;
use super::effect::{BOTH_MISREAD, BOTH_READ, Side, both_refuse, loosened, tightened};
use super::member::{self, name, number, set, text};
use super::ty::Type;
use super::{Differ, Use, recipe};
use crate::lock::{Form, Kind};
use crate::model::Scalar;

/// How JSON spells something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Number,
    Bool,
    Text,
    Array,
    Object,
}

impl Differ<'_> {
    /// What members of documents hold; `usage` is how the contract in them is used.
    pub(super) fn json_type(
        &self,
        found: &mut Found,
        at: &str,
        members: [&Table; 2],
        [old, new]: [&Type; 2],
        usage: impl Fn([bool; 2]) -> Use,
    ) {
        if self.same(old, new) {
            self.held_by(found, at, members, [old, new], usage);
        } else if !(integer(old) && integer(new)) {
            let (sides, why) = self.other_type(members, [old, new]);
            found.put(at, set("type", members[0], members[1]), sides, why);
            if let Some((items, open)) = opened(old, new) {
                self.held_by(found, at, members, items, |_| Use::Document { open });
            }
        }
        bounds(found, at, members, [old, new]);
        if !member::equal("spelling", members[0], members[1]) {
            let [from, to] = members.map(|member| text(member, "spelling"));
            let sides = match (from, to) {
                (Some("hex" | "base64" | "uuid"), Some("hex" | "base64" | "uuid")) if has_one_length(new) => {
                    both_refuse(Code::BadEncoding)
                }
                (Some("hex" | "base64" | "uuid"), Some("hex" | "base64" | "uuid")) => BOTH_MISREAD,
                _ => both_refuse(Code::WrongType),
            };
            let word = |spelling: Option<&str>| spelling.unwrap_or("plain").to_owned();
            let why = format!("it is spelled as {} and was as {}", word(to), word(from));
            found.put(at, set("spelling", members[0], members[1]), sides, why);
        }
    }

    fn other_type(&self, members: [&Table; 2], [old, new]: [&Type; 2]) -> ([Side; 2], String) {
        let [from, to] = members.map(|member| text(member, "type").unwrap_or_default());
        (self.sides_of(members, [old, new]), format!("it is `{to}` and was `{from}`"))
    }

    fn sides_of(&self, members: [&Table; 2], [old, new]: [&Type; 2]) -> [Side; 2] {
        match (old, new) {
            // Of integers the range counts, which is said by itself.
            _ if integer(old) && integer(new) => BOTH_READ,
            (Type::List(old), Type::List(new)) => self.sides_of(members, [old, new]),
            (Type::Array(old, before), Type::Array(new, after)) if before == after => {
                self.sides_of(members, [old, new])
            }
            (Type::Contract(_), Type::Open(of)) if self.same(old, of) => loosened(Code::UnknownValue),
            (Type::Open(of), Type::Contract(_)) if self.same(of, new) => tightened(Code::UnknownValue),
            (Type::List(before), Type::Array(after, _)) if self.same(before, after) => {
                tightened(Code::TooShort)
            }
            (Type::Array(before, _), Type::List(after)) if self.same(before, after) => {
                loosened(Code::TooShort)
            }
            (Type::Array(before, was), Type::Array(after, is)) if self.same(before, after) => {
                let [more, fewer] = [Code::TooMany, Code::TooShort].map(|code| Side::Refuses(Some(code)));
                if is > was { [more, fewer] } else { [fewer, more] }
            }
            (Type::Contract(before), Type::Contract(after)) => {
                let required =
                    (self.has_key_beside(before, after, true), self.has_key_beside(before, after, false));
                let side = |is_missed: Option<bool>| match is_missed {
                    Some(true) => Side::Refuses(Some(Code::MissingKey)),
                    _ => Side::Misreads,
                };
                [side(required.0), side(required.1)]
            }
            _ => match (old.scalar(), new.scalar()) {
                (Some(Scalar::F32), Some(Scalar::F64)) => [Side::Misreads, Side::Reads],
                (Some(Scalar::F64), Some(Scalar::F32)) => [Side::Reads, Side::Misreads],
                _ => match (self.token(old, members[0], true), self.token(new, members[1], false)) {
                    (Some(from), Some(to)) if from != to => both_refuse(Code::WrongType),
                    _ => BOTH_MISREAD,
                },
            },
        }
    }

    /// Of two recipes, whether the one before (or the one after) must have a key that the other one has not.
    fn has_key_beside(&self, old: &str, new: &str, of_old: bool) -> Option<bool> {
        let recipe = |form: &&Form| form.kind == Kind::Recipe;
        let old = self.forms.old(old).filter(recipe)?;
        let new = self.forms.new_form(new).filter(recipe)?;
        let (reader, writer) = if of_old { (old, new) } else { (new, old) };
        let is_written = |key: &Table| writer.section("fields").any(|other| name(other) == name(key));
        Some(recipe::required(reader).any(|key| !is_written(key)))
    }

    /// How JSON spells a type; none where that is not sure.
    fn token(&self, ty: &Type, member: &Table, is_old: bool) -> Option<Token> {
        if matches!(text(member, "spelling"), Some("hex" | "base64" | "uuid")) && bytes(ty) {
            return Some(Token::Text);
        }
        match ty {
            Type::Named(name) => match name.as_str() {
                "String" => Some(Token::Text),
                "Json" => None,
                "bool" => Some(Token::Bool),
                name if name.starts_with("BTreeMap") => Some(Token::Object),
                _ if text(member, "spelling") == Some("decimal") => Some(Token::Text),
                _ => Some(Token::Number),
            },
            Type::List(_) | Type::Array(..) => Some(Token::Array),
            Type::Contract(path) => {
                let form = if is_old { self.forms.old(path) } else { self.forms.new_form(path) };
                match form?.kind {
                    Kind::Recipe | Kind::Union => Some(Token::Object),
                    Kind::Descriptor => Some(Token::Text),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Whether it is an integer, whose type says no more than its range.
fn integer(ty: &Type) -> bool {
    ty.scalar().is_some_and(|scalar| scalar.range().is_some())
}

/// Bytes, where they are spelled as text.
fn bytes(ty: &Type) -> bool {
    match ty {
        Type::List(item) | Type::Array(item, _) => item.scalar() == Some(Scalar::U8),
        Type::Contract(_) => true,
        _ => false,
    }
}

/// Whether what is spelled always has as many bytes.
fn has_one_length(ty: &Type) -> bool {
    match ty {
        Type::List(item) => !bytes(ty) && has_one_length(item),
        _ => true,
    }
}

/// The enumeration that is open on one side only.
fn opened<'ty>(old: &'ty Type, new: &'ty Type) -> Option<([&'ty Type; 2], [bool; 2])> {
    match (old, new) {
        (Type::Contract(_), Type::Open(of)) => Some(([old, of], [false, true])),
        (Type::Open(of), Type::Contract(_)) => Some(([of, new], [true, false])),
        _ => None,
    }
}

/// The type that bounds are about: what lists end in.
fn innermost(ty: &Type) -> &Type {
    match ty {
        Type::List(item) | Type::Array(item, _) => innermost(item),
        _ => ty,
    }
}

fn bounds(found: &mut Found, at: &str, members: [&Table; 2], types: [&Type; 2]) {
    for (key, is_upper, code) in [
        ("min", false, Code::OutOfRange),
        ("max", true, Code::OutOfRange),
        ("max_len", true, Code::TooLarge),
        ("max_items", true, Code::TooMany),
    ] {
        let range = |side: usize| innermost(types[side]).scalar().and_then(Scalar::range);
        let limit = |side: usize| {
            let declared = members[side].get(key).and_then(|value| {
                crate::lock::integer(value).map(Bound::Integer).or(value.as_float().map(Bound::Float))
            });
            let of_type =
                range(side).map(|(least, greatest)| Bound::Integer(if is_upper { greatest } else { least }));
            declared.or(if matches!(key, "min" | "max") { of_type } else { None })
        };
        let is_integer = |side: usize| innermost(types[side]).scalar().is_some_and(|it| it.range().is_some());
        if matches!(key, "min" | "max") && is_integer(0) != is_integer(1) {
            continue;
        }
        let (before, after) = (limit(0), limit(1));
        let word = |bound: Option<Bound>| bound.map_or("nothing".to_owned(), Bound::word);
        let why = format!("`{key}` is {} and was {}", word(after), word(before));
        let is_tighter = match (before, after) {
            (None, None) => continue,
            (None, Some(_)) => true,
            (Some(_), None) => false,
            (Some(before), Some(after)) => match after.compare(before) {
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Less => is_upper,
                std::cmp::Ordering::Greater => !is_upper,
            },
        };
        let sides = if is_tighter { tightened(code) } else { loosened(code) };
        found.put(at, set(key, members[0], members[1]), sides, why);
    }
}

/// A declared bound.
#[derive(Debug, Clone, Copy)]
enum Bound {
    Integer(i128),
    Float(f64),
}

impl Bound {
    fn word(self) -> String {
        match self {
            Bound::Integer(number) => number.to_string(),
            Bound::Float(number) => number.to_string(),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "only beside a float, whose bounds are declared as floats"
    )]
    fn compare(self, other: Bound) -> std::cmp::Ordering {
        match (self, other) {
            (Bound::Integer(one), Bound::Integer(other)) => one.cmp(&other),
            (one, other) => {
                let float = |bound| match bound {
                    Bound::Integer(number) => number as f64,
                    Bound::Float(number) => number,
                };
                float(one).total_cmp(&float(other))
            }
        }
    }
}

/// The number of a key of the form that is a bound of documents.
pub(super) fn limit(table: &Table, key: &str) -> i128 {
    number(table, key).unwrap_or_default()
}

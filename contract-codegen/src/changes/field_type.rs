//! What a field of a descriptor holds: the same bytes as another type, in another order, or so many of it.

use wirecontract::Code;

use super::change::Found;
use super::effect::{BOTH_MISREAD, BOTH_READ, Side, loosened, tightened};
use super::field::{Bytes, Field, Role};
use super::member::{self, accepted, set, text};
use super::ty::Type;
use super::{Differ, Use};
use crate::lock::Kind;
use crate::model::Scalar;

impl Differ<'_> {
    pub(super) fn field_type(
        &self,
        found: &mut Found,
        at: &str,
        [old, new]: [&Field<'_>; 2],
        sides: [&Bytes<'_>; 2],
    ) {
        let members = [old.member, new.member];
        if self.same(&old.ty, &new.ty) {
            self.held_by(found, at, members, [&old.ty, &new.ty], |open| Use::Bytes { open });
            return;
        }
        let [from, to] = members.map(|member| text(member, "type").unwrap_or_default());
        let ((old_element, old_lengths), (new_element, new_lengths)) = (old.ty.element(), new.ty.element());
        let is_resized =
            old_lengths.len() == new_lengths.len() && old_lengths.get(1..) == new_lengths.get(1..);
        let (effect, why) = if self.same(old_element, new_element) && is_resized && !old_lengths.is_empty() {
            let (before, after) = (old_lengths[0], new_lengths[0]);
            let counts = [(sides[0], old), (sides[1], new)].map(|(side, field)| side.count_of(field.member));
            let code = match (&old.role, counts) {
                (Role::Text, _) if new.role == Role::Text => Some(Code::BadText),
                (_, [Some(old), Some(new)]) if accepted(old.member) == accepted(new.member) => {
                    Some(Code::LengthExceeds)
                }
                _ => None,
            };
            let effect = match code {
                Some(code) if after > before => loosened(code),
                Some(code) => tightened(code),
                None => BOTH_MISREAD,
            };
            (effect, format!("it has {after} elements where there were {before}"))
        } else if old_lengths == new_lengths && old.size == new.size {
            let why = format!("it is `{to}` and was `{from}`");
            if let (Some(before), Some(after)) = (old_element.values(), new_element.values())
                && self.is_same(before, after)
            {
                let open = [old_element, new_element].map(|ty| matches!(ty, Type::Open(_)));
                self.held(
                    found,
                    at,
                    [before, after],
                    Use::Bytes { open },
                    !member::equal("wire_id", members[0], members[1]),
                );
            }
            (self.retyped(old_element, new_element), why)
        } else {
            let why = format!("it is `{to}` of {} bytes, and was `{from}` of {}", new.size, old.size);
            (BOTH_MISREAD, why)
        };
        found.put(at, set("type", old.member, new.member), effect, why);
    }

    /// What a value of one type is as one of another type of the same size.
    fn retyped(&self, old: &Type, new: &Type) -> [Side; 2] {
        if let (Some(old), Some(new)) = (old.values(), new.values())
            && !self.is_same(old, new)
        {
            return BOTH_MISREAD;
        }
        match (self.range(old, true), self.range(new, false)) {
            (Some((old_of, old_code)), Some((new_of, new_code))) if old_of == new_of => {
                match (old_code, new_code) {
                    (None, None) => BOTH_READ,
                    (Some(code), None) => loosened(code),
                    (None, Some(code)) => tightened(code),
                    (Some(_), Some(_)) => BOTH_MISREAD,
                }
            }
            _ => BOTH_MISREAD,
        }
    }

    /// The integer that a type is in bytes, and with which code it refuses some of its numbers.
    fn range(&self, ty: &Type, is_old: bool) -> Option<(String, Option<Code>)> {
        let repr = |path: &str| {
            let form = if is_old { self.forms.old(path) } else { self.forms.new_form(path) }?;
            Some((
                form.text("repr")?.to_owned(),
                form.kind,
                form.get("open").is_some_and(|open| open.as_bool() == Some(true)),
            ))
        };
        match ty {
            Type::Named(_) => match ty.scalar()? {
                Scalar::Bool => Some(("u8".to_owned(), Some(Code::UnknownValue))),
                Scalar::F32 | Scalar::F64 => None,
                scalar => Some((scalar.name().to_owned(), None)),
            },
            Type::Contract(path) => match repr(path)? {
                (repr, Kind::Enumeration, _) => Some((repr, Some(Code::UnknownValue))),
                _ => None,
            },
            Type::Open(of) => match &**of {
                Type::Contract(path) => Some((repr(path)?.0, None)),
                _ => None,
            },
            Type::Flags(of) => match &**of {
                Type::Contract(path) => {
                    let (repr, _, open) = repr(path)?;
                    Some((repr, (!open).then_some(Code::UnknownBits)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn byte_order(&self, found: &mut Found, at: &str, old: &Field<'_>, new: &Field<'_>) {
        if member::equal("endian", old.member, new.member) {
            return;
        }
        let has_order = |field: &Field<'_>| {
            let (element, lengths) = field.ty.element();
            let count: u64 = lengths.iter().product();
            let is_contract = matches!(element, Type::Contract(path)
                if self.forms.new_form(path).is_some_and(|form| form.kind == Kind::Descriptor));
            !is_contract && field.size > i128::from(count.max(1))
        };
        let change = set("endian", old.member, new.member);
        let word = |field: &Field<'_>| text(field.member, "endian").unwrap_or("little").to_owned();
        if has_order(old) && has_order(new) {
            let why = format!("its bytes are in another order: {} and not {}", word(new), word(old));
            found.put(at, change, BOTH_MISREAD, why);
        } else {
            found.put(at, change, BOTH_READ, "a single byte has no order");
        }
    }
}

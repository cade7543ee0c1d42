//! What a rule asks of all elements of an array of integers, as a loop over those that count.

use super::place::Target;
use super::{Form, Subject};
use crate::emit::c::expression::{Held, Leaf};
use crate::emit::c::lines::Lines;
use crate::emit::c::literal::{integer, scalar_type};
use crate::emit::c::place::Place;
use crate::emit::c::view::bounds;
use crate::model::{ContractId, Element, Field, JsonType, Key, Length, Literal, Path, Scalar};
use crate::names::c as names;

/// The integers of an array.
struct Elements {
    scalar: Scalar,
    /// What they are the elements of.
    array: String,
    /// How many there are.
    count: String,
}

impl Subject<'_> {
    /// Multiplies the elements of an array one by one.
    pub(super) fn product(&self, path: &Path, number: usize, lines: &mut Lines) -> Leaf {
        let Elements { scalar, array, count } = self.elements(path, number, lines);
        let (variable, known, index) = (format!("x{number}"), format!("k{number}"), format!("i{number}"));
        let element = format!("{array}[{index}]");
        let (held, ty, one, step) = if scalar.is_signed() {
            let element = format!("wc_detail_signed({element})");
            (
                Held::Wide,
                "wc_detail_number",
                "wc_detail_unsigned(1)",
                format!("multiply({variable}, {element}"),
            )
        } else {
            (Held::Unsigned, "uint64_t", "1", format!("multiply_unsigned({variable}, {element}"))
        };
        lines.put(format!("{ty} {variable} = {one};"));
        lines.put(format!("bool {known} = true;"));
        lines.open(&format!("for (size_t {index} = 0; {index} < {count}; {index}++)"));
        lines.put(format!("{variable} = wc_detail_{step}, &{known});"));
        lines.close();
        let range =
            if held == Held::Wide { (i64::MIN.into(), u64::MAX.into()) } else { (0, u64::MAX.into()) };
        Leaf { variable, range, held, known: Some(known) }
    }

    /// Looks for the least element of an array.
    pub(super) fn least(&self, path: &Path, number: usize, lines: &mut Lines) -> Leaf {
        let Elements { scalar, array, count } = self.elements(path, number, lines);
        let (variable, known, index) = (format!("x{number}"), format!("k{number}"), format!("i{number}"));
        let ty = if scalar.is_signed() { "int64_t" } else { "uint64_t" };
        lines.put(format!("{ty} {variable} = 0;"));
        lines.put(format!("bool {known} = false;"));
        lines.open(&format!("for (size_t {index} = 0; {index} < {count}; {index}++)"));
        lines.open(&format!("if (!{known} || {array}[{index}] < {variable})"));
        lines.put(format!("{variable} = {array}[{index}];"));
        lines.put(format!("{known} = true;"));
        lines.close();
        lines.close();
        Leaf { variable, range: bounds(scalar), held: Held::of(scalar.is_signed()), known: Some(known) }
    }

    fn elements(&self, path: &Path, number: usize, lines: &mut Lines) -> Elements {
        match self.target(path) {
            Target::Field(place, id, field) => self.elements_of_field(path, &place, id, field, number, lines),
            Target::Key(owner, owner_id, key) => self.elements_of_key(&owner, owner_id, key, number, lines),
        }
    }

    fn elements_of_field(
        &self,
        path: &Path,
        place: &str,
        id: ContractId,
        field: &Field,
        number: usize,
        lines: &mut Lines,
    ) -> Elements {
        let Element::Scalar(scalar) = field.ty.element else { unreachable!("only integers are asked") };
        let length = field.ty.dims[0];
        let array = match self.form {
            Form::Bytes => {
                let index = *path.0.last().expect("a product is that of a field");
                let field =
                    Place::all(self.input, self.traits, id).nth(index).expect("a field of the descriptor");
                let array = format!("a{number}");
                lines.put(format!("{} {array}[{length}];", scalar_type(scalar)));
                lines.put(field.transfer(&array, &format!("bytes + {place}"), length));
                array
            }
            Form::Value => place.to_owned(),
        };
        let mut count = format!("{length}u");
        if self.input.catalog.get(id).descriptor().count_of(*path.0.last().expect("it has one")).is_some() {
            let counter = self.descriptor_length(path, format!("n{number}"), number, lines);
            count = format!("wc_detail_least({}, {length}u)", counter.variable);
        }
        Elements { scalar, array, count }
    }

    fn elements_of_key(
        &self,
        owner: &str,
        owner_id: ContractId,
        key: &Key,
        number: usize,
        lines: &mut Lines,
    ) -> Elements {
        let JsonType::Array { item, length } = &key.ty else { unreachable!("only arrays have elements") };
        let JsonType::Integer { scalar, .. } = **item else { unreachable!("only integers are asked") };
        let place = format!("{owner}{}", names::key_member(key));
        let (items, count) = match length {
            Length::Exactly(length) => (place, format!("{length}u")),
            Length::AtMost(_) => (format!("{place}.items"), format!("{place}.count")),
        };
        let Some((present, default)) = self.absence(owner, owner_id, key) else {
            return Elements { scalar, array: items, count };
        };
        let Literal::List(values) = &default else { unreachable!("an array has a list as its default") };
        let spelled = values.iter().map(|value| match value {
            Literal::Integer(value) => integer(*value, scalar.is_signed()),
            _ => unreachable!("the default is of the key's type"),
        });
        // C has no array of nothing.
        let spelled: Vec<String> = spelled.chain(values.is_empty().then(|| "0".to_owned())).collect();
        let ty = scalar_type(scalar);
        lines.put(format!("const {ty} d{number}[{}] = {{{}}};", spelled.len(), spelled.join(", ")));
        lines.put(format!("const {ty} *const a{number} = {present} ? {items} : d{number};"));
        lines.put(format!("const size_t n{number} = {present} ? {count} : {}u;", values.len()));
        Elements { scalar, array: format!("a{number}"), count: format!("n{number}") }
    }
}

//! What a value begins with: zeros, and every default.

use super::lines::Lines;
use super::literal::{bits, float, integer, string};
use super::traits::Traits;
use super::types::{is_open_name, type_name};
use crate::emit::EmitInput;
use crate::model::{Body, Content, ContractId, JsonType, Length, Literal, Scalar};
use crate::names::c as names;

/// The statements that put defaults into `value`, which is all zeros.
pub(super) fn init(input: &EmitInput<'_>, traits: &[Traits], id: ContractId) -> Vec<String> {
    let contract = input.catalog.get(id);
    let mut writer = Writer { input, traits, lines: Lines::default(), arrays: 0 };
    match &contract.body {
        Body::Recipe(recipe) => {
            for key in &recipe.keys {
                let place = format!("value.{}", names::key_member(key));
                match key.presence.default() {
                    Some(default) => writer.assign(&key.ty, default, &place),
                    None => writer.nested(&key.ty, &place, 0),
                }
            }
        }
        Body::Union(union) => {
            let first = union.absent().unwrap_or(0);
            let variant = &union.variants[first];
            let package = &input.family_of(id).package;
            if first != 0 {
                let constant = names::variant_constant(package, contract, variant);
                writer.lines.put(format!("value.tag = {constant};"));
            }
            let place = format!("value.value.{}", names::variant_member(variant));
            match &variant.content {
                Content::Value { ty, default: Some(default) } => writer.assign(ty, default, &place),
                Content::Value { ty, default: None } => writer.nested(ty, &place, 0),
                Content::Nothing | Content::Other => {}
            }
        }
        _ => unreachable!("only recipes and unions begin so"),
    }
    writer.lines.into_text()
}

struct Writer<'a> {
    input: &'a EmitInput<'a>,
    traits: &'a [Traits],
    lines: Lines,
    /// How many constant arrays there are.
    arrays: usize,
}

impl Writer<'_> {
    /// Contracts at a place begin as they do by themselves.
    fn nested(&mut self, ty: &JsonType, place: &str, depth: usize) {
        match ty {
            JsonType::Recipe(id) | JsonType::Union(id) => {
                let stem = names::stem(&self.input.family_of(*id).package, self.input.catalog.get(*id));
                self.lines.put(format!("{place} = {stem}_init();"));
            }
            JsonType::Descriptor { contract, .. } if self.traits[contract.0].initialized => {
                let stem =
                    names::stem(&self.input.family_of(*contract).package, self.input.catalog.get(*contract));
                self.lines.put(format!("{stem}_init(&{place});"));
            }
            JsonType::Array { item, length: Length::Exactly(count) } => {
                let mut inner =
                    Writer { input: self.input, traits: self.traits, lines: Lines::default(), arrays: 0 };
                inner.nested(item, &format!("{place}[i{depth}]"), depth + 1);
                if !inner.lines.is_empty() {
                    self.lines.open(&format!("for (size_t i{depth} = 0; i{depth} < {count}u; i{depth}++)"));
                    self.lines.append(inner.lines);
                    self.lines.close();
                }
            }
            _ => {}
        }
    }

    fn assign(&mut self, ty: &JsonType, literal: &Literal, place: &str) {
        match (ty, literal) {
            (JsonType::Text { .. }, Literal::Text(text)) => {
                self.lines.put(format!("{place}.data = {};", string(text.as_bytes())));
                self.lines.put(format!("{place}.length = {};", text.len()));
            }
            (JsonType::Array { item, length: Length::Exactly(_) }, Literal::List(items)) => {
                for (index, literal) in items.iter().enumerate() {
                    self.assign(item, literal, &format!("{place}[{index}]"));
                }
            }
            (JsonType::Array { item, length: Length::AtMost(_) }, Literal::List(items)) => {
                if let Some(array) = self.array(item, items) {
                    self.lines.put(format!("{place}.items = {array};"));
                    self.lines.put(format!("{place}.count = {};", items.len()));
                }
            }
            (JsonType::Bytes { length: Length::Exactly(_), .. }, Literal::List(items)) => {
                for (index, literal) in items.iter().enumerate() {
                    self.lines.put(format!("{place}[{index}] = {};", byte(literal)));
                }
            }
            (JsonType::Bytes { length: Length::AtMost(_), .. }, Literal::List(items))
                if !items.is_empty() =>
            {
                let name = self.bytes(items);
                self.lines.put(format!("{place}.data = {name};"));
                self.lines.put(format!("{place}.length = {};", items.len()));
            }
            (JsonType::Bytes { .. }, Literal::List(_)) => {}
            (JsonType::Enumeration { contract, open, .. }, Literal::Value(index)) => {
                let enumeration = self.input.catalog.get(*contract);
                let value = &enumeration.enumeration().values[*index];
                let constant =
                    names::value_constant(&self.input.family_of(*contract).package, enumeration, value);
                let member = if is_open_name(self.input, *contract, *open) { ".value" } else { "" };
                self.lines.put(format!("{place}{member} = {constant};"));
            }
            _ => {
                let literal = scalar(self.input, ty, literal);
                self.lines.put(format!("{place} = {literal};"));
            }
        }
    }

    /// The name of a constant array of these items; nothing for no items.
    fn array(&mut self, item: &JsonType, items: &[Literal]) -> Option<String> {
        if items.is_empty() {
            return None;
        }
        let items: Vec<String> = items.iter().map(|literal| self.initializer(item, literal)).collect();
        self.arrays += 1;
        let name = format!("items{}", self.arrays);
        let ty = type_name(self.input, item);
        self.lines.put(format!("static const {ty} {name}[] = {{{}}};", items.join(", ")));
        Some(name)
    }

    /// The name of a constant array of these bytes.
    fn bytes(&mut self, items: &[Literal]) -> String {
        self.arrays += 1;
        let name = format!("items{}", self.arrays);
        self.lines.put(format!("static const uint8_t {name}[] = {{{}}};", bytes(items)));
        name
    }

    /// An item of a constant array.
    fn initializer(&mut self, ty: &JsonType, literal: &Literal) -> String {
        match (ty, literal) {
            (JsonType::Text { .. }, Literal::Text(text)) => {
                format!("{{{}, {}}}", string(text.as_bytes()), text.len())
            }
            (JsonType::Array { item, length: Length::AtMost(_) }, Literal::List(items)) => {
                match self.array(item, items) {
                    Some(name) => format!("{{{name}, {}}}", items.len()),
                    None => "{NULL, 0}".to_owned(),
                }
            }
            (JsonType::Bytes { length: Length::AtMost(_), .. }, Literal::List(items)) if items.is_empty() => {
                "{NULL, 0}".to_owned()
            }
            (JsonType::Bytes { length: Length::AtMost(_), .. }, Literal::List(items)) => {
                format!("{{{}, {}}}", self.bytes(items), items.len())
            }
            (JsonType::Array { .. } | JsonType::Bytes { .. }, Literal::List(_)) => {
                format!("{{{}}}", self.dimension(ty, literal))
            }
            (JsonType::Enumeration { contract, open, .. }, Literal::Value(index)) => {
                let body = self.input.catalog.get(*contract).enumeration();
                let number = integer(body.values[*index].value, body.repr.is_signed());
                if is_open_name(self.input, *contract, *open) {
                    format!("{{false, {number}, {{NULL, 0}}}}")
                } else {
                    number
                }
            }
            _ => scalar(self.input, ty, literal),
        }
    }

    /// The braces of an array of one length, and of those in it.
    fn dimension(&mut self, ty: &JsonType, literal: &Literal) -> String {
        match (ty, literal) {
            (JsonType::Array { item, length: Length::Exactly(_) }, Literal::List(items)) => {
                let items: Vec<String> = items.iter().map(|literal| self.dimension(item, literal)).collect();
                format!("{{{}}}", items.join(", "))
            }
            (JsonType::Bytes { length: Length::Exactly(_), .. }, Literal::List(items)) => {
                format!("{{{}}}", bytes(items))
            }
            _ => self.initializer(ty, literal),
        }
    }
}

/// A default that is one number, truth or text, for a constant; nothing for others.
pub(super) fn scalar_default(input: &EmitInput<'_>, ty: &JsonType, literal: &Literal) -> Option<String> {
    match (ty, literal) {
        (_, Literal::List(_)) => None,
        (_, Literal::Text(text)) => Some(string(text.as_bytes())),
        (JsonType::Enumeration { contract, .. }, Literal::Value(index)) => {
            let enumeration = input.catalog.get(*contract);
            let value = &enumeration.enumeration().values[*index];
            Some(names::value_constant(&input.family_of(*contract).package, enumeration, value))
        }
        _ => Some(scalar(input, ty, literal)),
    }
}

fn scalar(input: &EmitInput<'_>, ty: &JsonType, literal: &Literal) -> String {
    match (ty, literal) {
        (JsonType::Integer { scalar, .. }, Literal::Integer(value)) => integer(*value, scalar.is_signed()),
        (JsonType::Float { scalar: Scalar::F32, .. }, literal) => {
            format!("WC_DETAIL_CAST(float, {})", float(number(literal)))
        }
        (JsonType::Float { .. }, literal) => float(number(literal)),
        (_, Literal::Bool(truth)) => truth.to_string(),
        (JsonType::Flags { contract }, Literal::Flags(set)) => {
            bits(*set, input.catalog.get(*contract).repr())
        }
        _ => unreachable!("a default {literal:?} is of its key's type {ty:?}"),
    }
}

fn bytes(items: &[Literal]) -> String {
    items.iter().map(byte).collect::<Vec<_>>().join(", ")
}

fn byte(literal: &Literal) -> String {
    match literal {
        Literal::Integer(value) => integer(*value, false),
        _ => unreachable!("bytes begin with numbers"),
    }
}

fn number(literal: &Literal) -> f64 {
    match literal {
        Literal::Float(value) => *value,
        #[expect(clippy::cast_precision_loss, reason = "as the compiler does with the declared literal")]
        Literal::Integer(value) => *value as f64,
        _ => unreachable!("a float begins with a number"),
    }
}

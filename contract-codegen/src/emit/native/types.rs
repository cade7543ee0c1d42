//! What a key or a variant holds, as expressions of Rust that take `it` for it: from Rust to Python, from what a caller gave
//! to Rust where that is plain, and from what the pure class has taken to Rust.

use super::names;
use crate::emit::EmitInput;
use crate::model::{ContractId, JsonType, Length, Literal, Scalar, Spelled};

/// Whose file it is written into.
pub(super) struct Between<'a> {
    pub(super) input: &'a EmitInput<'a>,
    pub(super) id: ContractId,
}

impl Between<'_> {
    fn path(&self, id: ContractId) -> String {
        names::path(self.input.catalog.get(id))
    }

    /// Whether values without a name are kept as names.
    fn is_named(&self, id: ContractId) -> bool {
        self.input.catalog.get(id).enumeration().spelled == Spelled::Names
    }

    /// A name of the file that has a contract's class.
    fn of(&self, id: ContractId, name: &str) -> String {
        format!("{}{name}", names::module(self.input, self.id, id))
    }
}

/// An object of `it`, which is borrowed, or what kept it from being one.
pub(super) fn give(between: &Between<'_>, ty: &JsonType) -> String {
    match ty {
        JsonType::Integer { .. } | JsonType::Bool => "support::any(py, *it)".to_owned(),
        JsonType::Float { .. } => "support::any(py, f64::from(*it))".to_owned(),
        JsonType::Text { .. } => "support::any(py, it.as_str())".to_owned(),
        JsonType::Bytes { .. } => "Ok(PyBytes::new(py, &it[..]).into_any())".to_owned(),
        JsonType::Array { item, .. } => {
            format!("support::tuple(py, it.iter().map(|it| {}))", give(between, item))
        }
        JsonType::Map { .. } => "support::texts(py, it)".to_owned(),
        JsonType::Json { .. } => "support::json(py, it)".to_owned(),
        JsonType::Enumeration { contract, open, .. } => {
            let values = names::values(between.input, *contract);
            match (open, between.is_named(*contract)) {
                (false, _) => format!("support::member(py, &{values}, it.value())"),
                (true, false) => format!("support::member(py, &{values}, it.raw())"),
                (true, true) => format!(
                    "match it.known() {{ Some(known) => support::member(py, &{values}, known.value()), None => support::any(py, it.name()) }}"
                ),
            }
        }
        JsonType::Flags { contract } => {
            format!("{}.flags(py, u64::from(it.bits()))", names::values(between.input, *contract))
        }
        JsonType::Descriptor { contract, .. } => {
            let class = between.of(*contract, &names::class(between.input, *contract));
            format!("support::descriptor::<{class}>(py, it)")
        }
        JsonType::Recipe(contract) | JsonType::Union(contract) => {
            let class = between.of(*contract, &names::class(between.input, *contract));
            let path = between.path(*contract);
            format!("<{class} as support::Document>::give(py, <{path} as Clone>::clone(it))")
        }
    }
}

/// The value of `it`, an object that is borrowed; what is raised leaves the function.
pub(super) fn take(between: &Between<'_>, ty: &JsonType) -> String {
    match ty {
        JsonType::Integer { scalar, .. } | JsonType::Float { scalar, .. } => extract(*scalar),
        JsonType::Bool => extract(Scalar::Bool),
        JsonType::Text { .. } => "it.extract::<String>()?".to_owned(),
        JsonType::Bytes { length: Length::AtMost(_), .. } => "it.extract::<Vec<u8>>()?".to_owned(),
        JsonType::Bytes { .. } => "support::taken_array(it.extract::<Vec<u8>>()?)?".to_owned(),
        JsonType::Array { item, length } => {
            let item = take(between, item);
            let items = format!(
                "it.try_iter()?.map(|it| {{ let it = &it?; Ok({item}) }}).collect::<PyResult<Vec<_>>>()?"
            );
            match length {
                Length::AtMost(_) => items,
                Length::Exactly(_) => format!("support::taken_array({items})?"),
            }
        }
        JsonType::Map { .. } => "support::taken_texts(it)?".to_owned(),
        JsonType::Json { .. } => "support::taken_json(it)?".to_owned(),
        JsonType::Enumeration { contract, open, .. } => {
            let path = between.path(*contract);
            let number = extract(between.input.catalog.get(*contract).repr());
            match (open, between.is_named(*contract)) {
                (false, _) => format!("support::taken_value::<{path}>({number})?"),
                (true, false) => format!("::wirecontract::Open::<{path}>::from_raw({number})"),
                (true, true) => format!(
                    "match it.cast::<PyString>() {{ Ok(name) => ::wirecontract::OpenName::<{path}>::from_name(&name.to_cow()?), Err(_) => ::wirecontract::OpenName::from(support::taken_value::<{path}>({number})?) }}"
                ),
            }
        }
        JsonType::Flags { contract } => {
            let number = extract(between.input.catalog.get(*contract).repr());
            format!("support::taken_flags::<{}>({number})?", between.path(*contract))
        }
        JsonType::Descriptor { contract, .. } => {
            format!("support::taken_descriptor::<{}>(it)?", between.path(*contract))
        }
        JsonType::Recipe(contract) | JsonType::Union(contract) => {
            let class = between.of(*contract, &names::class(between.input, *contract));
            format!("<{class} as support::Document>::take(it)?.into()")
        }
    }
}

/// The value of `it`, an object that is borrowed, where it is just what such values are made of; what else the pure class
/// takes, and what it refuses, is none, which leaves the function.
pub(super) fn quick(between: &Between<'_>, ty: &JsonType) -> String {
    match ty {
        JsonType::Integer { scalar, min, max, .. } => {
            format!("support::quick_integer::<{}>(it, {min}, {max})?", scalar.name())
        }
        JsonType::Bool => "support::quick_bool(it)?".to_owned(),
        JsonType::Float { scalar, min, max } => {
            let [min, max] =
                [min, max].map(|bound| bound.map_or("None".to_owned(), |it| format!("Some({it:?})")));
            let kind = if *scalar == Scalar::F32 { "single" } else { "float" };
            format!("support::quick_{kind}(it, {min}, {max})?")
        }
        JsonType::Text { max_len } => format!("support::quick_text(it, {max_len:?})?"),
        JsonType::Bytes { length: Length::AtMost(most), .. } => {
            format!("support::quick_bytes(it, {most:?})?.to_vec()")
        }
        JsonType::Bytes { .. } => "support::quick_bytes(it, None)?.try_into().ok()?".to_owned(),
        JsonType::Array { item, length } => {
            let item = quick(between, item);
            match length {
                Length::AtMost(most) => format!("support::quick_items(it, {most:?}, |it| Some({item}))?"),
                Length::Exactly(_) => {
                    format!("support::taken_array(support::quick_items(it, None, |it| Some({item}))?).ok()?")
                }
            }
        }
        JsonType::Map { max_items, max_len } => {
            format!("support::quick_texts(it, {max_items:?}, {max_len:?})?")
        }
        JsonType::Json { max_len } => format!("support::quick_json(it, {max_len:?})?"),
        JsonType::Enumeration { contract, open, max_len } => {
            let (path, values) = (between.path(*contract), names::values(between.input, *contract));
            let known = format!("{values}.number_of(it)");
            match (open, between.is_named(*contract)) {
                (false, _) => format!("support::quick_value::<{path}>({known}?)?"),
                (true, false) => format!("support::quick_open::<{path}>({known}, it)?"),
                (true, true) => format!("support::quick_named::<{path}>({known}, it, {max_len:?})?"),
            }
        }
        JsonType::Flags { contract } => {
            let (path, values) = (between.path(*contract), names::values(between.input, *contract));
            format!("support::quick_flags::<{path}>(&{values}, it)?")
        }
        JsonType::Descriptor { contract, .. } => {
            let class = between.of(*contract, &names::class(between.input, *contract));
            format!("support::quick_descriptor::<{class}>(it)?")
        }
        JsonType::Recipe(contract) | JsonType::Union(contract) => {
            let class = between.of(*contract, &names::class(between.input, *contract));
            format!("support::quick_document::<{class}>(it)?.into()")
        }
    }
}

/// The value of a default.
pub(super) fn default(between: &Between<'_>, ty: &JsonType, literal: &Literal) -> String {
    match (ty, literal) {
        (JsonType::Bytes { length, .. }, Literal::List(_)) => {
            let bytes = literal.bytes().unwrap_or_default();
            match length {
                Length::Exactly(_) => format!("{bytes:?}"),
                Length::AtMost(_) => format!("::std::vec!{bytes:?}"),
            }
        }
        (JsonType::Array { item, length }, Literal::List(items)) => {
            let items: Vec<String> = items.iter().map(|literal| default(between, item, literal)).collect();
            match length {
                Length::Exactly(_) => format!("[{}]", items.join(", ")),
                Length::AtMost(_) => format!("::std::vec![{}]", items.join(", ")),
            }
        }
        (_, Literal::Text(text)) => format!("{text:?}.to_owned()"),
        (_, Literal::Bool(truth)) => truth.to_string(),
        (JsonType::Float { scalar, .. }, Literal::Float(number)) => float(*number, *scalar),
        #[expect(clippy::cast_precision_loss, reason = "a default that is written without a point")]
        (JsonType::Float { scalar, .. }, Literal::Integer(number)) => float(*number as f64, *scalar),
        (_, Literal::Integer(number)) => number.to_string(),
        (JsonType::Enumeration { contract, open, .. }, Literal::Value(index)) => {
            let path = between.path(*contract);
            let number = between.input.catalog.get(*contract).enumeration().values[*index].value;
            match (open, between.is_named(*contract)) {
                (true, false) => format!("::wirecontract::Open::<{path}>::from_raw({number})"),
                (open, _) => {
                    let value = format!("support::taken_value::<{path}>({number}).ok()?");
                    if *open { format!("::wirecontract::OpenName::from({value})") } else { value }
                }
            }
        }
        (JsonType::Flags { contract }, Literal::Flags(bits)) => {
            format!("support::taken_flags::<{}>({bits:#x}).ok()?", between.path(*contract))
        }
        _ => unreachable!("a default {literal:?} is of its key's type {ty:?}"),
    }
}

/// A float as a literal of its type.
fn float(number: f64, scalar: Scalar) -> String {
    format!("{number:?}_{}", scalar.name())
}

fn extract(scalar: Scalar) -> String {
    format!("it.extract::<{}>()?", scalar.name())
}

//! What a key or a variant holds, as expressions of Rust that take `it` for it: from Rust to Python, and from what the pure
//! class has taken to Rust.

use super::names;
use crate::emit::EmitInput;
use crate::model::{ContractId, JsonType, Length, Scalar, Spelled};

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

fn extract(scalar: Scalar) -> String {
    format!("it.extract::<{}>()?", scalar.name())
}

//! Whether contracts are what those that hold them take them for.

use super::{Nested, held};
use crate::model::{
    AbiType, Body, Catalog, Content, Contract, Element, Function, JsonType, MessageContent, OutForm,
    ParamForm,
};

/// Whether what is held is of the kind it is held as, and has the wire id that its holder's covers.
pub(super) fn check(catalog: &Catalog, contract: &Contract, nested: &[Nested]) -> Result<(), String> {
    let kinds: Vec<&'static str> = match &contract.body {
        Body::Descriptor(descriptor) => {
            descriptor.fields.iter().filter_map(|field| element_kind(field.ty.element)).collect()
        }
        Body::Recipe(recipe) => recipe.keys.iter().filter_map(|key| type_kind(&key.ty)).collect(),
        Body::Union(union) => {
            let kinds = union.variants.iter().map(|variant| match &variant.content {
                Content::Value { ty, .. } => type_kind(ty),
                Content::Nothing | Content::Other => None,
            });
            kinds.flatten().collect()
        }
        Body::Message(_) => nested.iter().filter_map(|nested| nested.kind).collect(),
        Body::Messages(messages) => {
            let body = messages.body().map(|_| "union");
            let kinds = messages.variants.iter().filter_map(|variant| match &variant.holds {
                MessageContent::Message(_) => Some("message"),
                MessageContent::Value(ty) => type_kind(ty),
                MessageContent::Nothing | MessageContent::Other => None,
            });
            body.into_iter().chain(kinds).collect()
        }
        Body::Abi(body) => {
            let mut kinds = Vec::new();
            body.fields.iter().for_each(|field| abi_kinds(&field.ty, &mut kinds));
            kinds
        }
        Body::Function(function) => function_kinds(function),
        Body::Enumeration(_) | Body::Flags(_) | Body::Handle(_) | Body::Symbols(_) => Vec::new(),
    };
    let what = if matches!(contract.body, Body::Function(_)) { "parameter or result" } else { "field" };
    for ((id, kind), nested) in held(contract).into_iter().zip(kinds).zip(nested) {
        let found = catalog.get(id);
        let is_document = kind == DOCUMENT && found.is_document();
        if found.kind() != kind && !is_document {
            let (name, found) = (&found.name, found.kind());
            return Err(format!("the {what} `{}` holds {name} as {kind}, which is {found}", nested.field));
        }
        if nested.wire_id != found.wire_id {
            return Err(format!("the {what} `{}` holds {} with another wire id", nested.field, found.name));
        }
    }
    Ok(())
}

fn element_kind(element: Element) -> Option<&'static str> {
    match element {
        Element::Scalar(_) => None,
        Element::Enumeration { .. } => Some("enumeration"),
        Element::Flags { .. } => Some("flags"),
        Element::Descriptor(_) => Some("descriptor"),
    }
}

/// The kinds that a type holds contracts as, in the order of [`held`].
fn abi_kinds(ty: &AbiType, kinds: &mut Vec<&'static str>) {
    match ty {
        AbiType::Enumeration(_) => kinds.push("enumeration"),
        AbiType::Flags(_) => kinds.push("flags"),
        AbiType::Struct(_) => kinds.push("abi"),
        // A struct that is only pointed to is not held.
        AbiType::Pointer { to: Some(to), .. } if matches!(**to, AbiType::Struct(_)) => {}
        _ => ty.parts().into_iter().for_each(|part| abi_kinds(part, kinds)),
    }
}

/// A recipe or a union.
const DOCUMENT: &str = "document";

/// The kinds that a function takes and gives contracts as, in the order of [`held`].
fn function_kinds(function: &Function) -> Vec<&'static str> {
    let mut kinds = Vec::from_iter(function.method_of.map(|_| "handle"));
    function.params.iter().for_each(|param| param_kinds(&param.form, &mut kinds));
    for out in &function.outs {
        match &out.form {
            OutForm::Value(ty) => abi_kinds(ty, &mut kinds),
            OutForm::Closed(_) => kinds.push("enumeration"),
            OutForm::Descriptor(_) => kinds.push("descriptor"),
            OutForm::Document(_) => kinds.push(DOCUMENT),
            OutForm::Handle(_) => kinds.push("handle"),
            OutForm::Text | OutForm::Bytes | OutForm::Fd { .. } => {}
        }
    }
    kinds
}

fn param_kinds(form: &ParamForm, kinds: &mut Vec<&'static str>) {
    match form {
        ParamForm::Value(ty) | ParamForm::Reference { to: ty, .. } | ParamForm::Slice { item: ty, .. } => {
            abi_kinds(ty, kinds);
        }
        ParamForm::Closed(_) => kinds.push("enumeration"),
        ParamForm::Descriptor(_) => kinds.push("descriptor"),
        ParamForm::Document(_) => kinds.push(DOCUMENT),
        ParamForm::Handle { .. } => kinds.push("handle"),
        ParamForm::Callback(params) => params.iter().for_each(|param| param_kinds(&param.form, kinds)),
        ParamForm::Text { .. } => {}
    }
}

fn type_kind(ty: &JsonType) -> Option<&'static str> {
    match ty {
        JsonType::Array { item, .. } => type_kind(item),
        JsonType::Enumeration { .. } => Some("enumeration"),
        JsonType::Flags { .. } => Some("flags"),
        JsonType::Descriptor { .. } => Some("descriptor"),
        JsonType::Recipe(_) => Some("recipe"),
        JsonType::Union(_) => Some("union"),
        _ => None,
    }
}

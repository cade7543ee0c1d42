//! The classes of a union: the base, which has no constructor, and one for each variant.

use std::collections::BTreeSet;

use super::super::scope::Scope;
use super::super::shapes::annotation;
use super::super::text::docstring;
use super::super::union::{
    arguments, class_docs, has_tag, rest, value_docs, variant_attributes, variant_docs,
};
use super::class::{Class, Method, Methods};
use super::match_args;
use super::recipe::{document, json_constants};
use crate::model::{Content, ContractId};

pub(super) fn classes(scope: &Scope<'_>, id: ContractId) -> Vec<Class> {
    let union = scope.catalog.get(id).union();
    let variants = (0..union.variants.len()).map(|index| variant(scope, id, index));
    std::iter::once(base(scope, id)).chain(variants).collect()
}

fn base(scope: &Scope<'_>, id: ContractId) -> Class {
    let contract = scope.catalog.get(id);
    let methods = Methods { scope, class: scope.class(id), inside: BTreeSet::new() };
    let docs = docstring(8, &["What a document says of the variant, where it says anything."]);
    let mut members = vec![methods.property("tag", &format!("{} | None", methods.builtin("str")), docs)];
    members.extend(document(&methods));
    Class {
        head: scope.class(id),
        is_final: false,
        docstring: class_docs(contract),
        constants: json_constants(scope, id, contract.union().max_bytes, &BTreeSet::new()),
        methods: members,
    }
}

fn variant(scope: &Scope<'_>, id: ContractId, index: usize) -> Class {
    let union = scope.catalog.get(id).union();
    let variant = &union.variants[index];
    let inside = variant_attributes();
    let class = scope.variant(id, index);
    let methods = Methods { scope, class: class.clone(), inside: inside.clone() };
    let arguments = arguments(scope, union, variant);
    let mut members =
        vec![methods.constructor(&arguments, "Takes what fits, and raises `WireError` for the rest.")];
    let text = methods.builtin("str");
    let property =
        |name: &str, ty: &str, docs: &str| -> Method { methods.property(name, ty, docstring(8, &[docs])) };
    let names: &[&str] = match &variant.content {
        Content::Value { ty, .. } => {
            let ty_of = annotation(scope, ty, &inside, false);
            members.push(property("value", &ty_of, &value_docs(scope, ty)));
            &["value"]
        }
        Content::Other => {
            members.push(property("tag", &text, "A tag that no other variant has."));
            members.push(property("content", &rest(scope, union), "What came with it."));
            &["tag", "content"]
        }
        Content::Nothing => &[],
    };
    if variant.content != Content::Other && has_tag(union, variant) {
        members.push(property("tag", &text, "What a document says of the variant."));
    }
    members.extend(methods.value(&arguments));
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    Class {
        head: format!("{class}({})", scope.class(id)),
        is_final: true,
        docstring: variant_docs(variant),
        constants: vec![match_args(&names)],
        methods: members,
    }
}

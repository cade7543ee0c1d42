//! Rust from a legal contract.

mod accessors;
mod descriptor;
mod descriptor_rules;
mod document;
mod key;
mod recipe;
mod record;
mod rule;
mod rule_bounds;
mod stub;
mod union;
mod values;
mod view;

use proc_macro2::TokenStream;

use crate::check::{Body, Contract, Openness};

pub(crate) use stub::stub;

/// The expansion of a contract.
pub(crate) fn contract(contract: &Contract<'_>) -> TokenStream {
    match &contract.body {
        Body::Descriptor(descriptor) => descriptor::expand(contract, descriptor),
        Body::Enumeration(values) => values::enumeration(contract, values),
        Body::Flags(values, open) => values::flags(contract, values, *open == Openness::Open),
        Body::Recipe(recipe) => recipe::expand(contract, recipe),
        Body::Union(union) => union::expand(contract, union),
    }
}

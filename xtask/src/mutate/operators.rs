//! What a mutation changes in a declaration: each operator finds all of its places, and changes one thing in one place.
//!
//! What would be another declaration of the same is no mutation, and no operator makes it: two reserved fields that change
//! places or names, since nobody reads them; the order of an enumeration's values; `layout` where every field stays where
//! it is; `unsafe` on an exported function, which crosses nothing. What a declaration cannot be (a rule about a field that
//! is gone, an offset that breaks an alignment) is found by decoding it, and is no mutation either.

mod abi;
mod contract;
mod descriptor;
mod export;
mod growth;
mod harmless;
mod message;
mod recipe;
mod rules;
mod types;
mod union;
mod values;

use super::remake::Making;
use wirecontract_codegen::model::{
    AbiStruct, Body, Catalog, ContractId, Descriptor, EnumValue, Function, Handle, Recipe, Union,
};

/// A change that could be made of a declaration.
pub(crate) struct Candidate {
    /// The kind of change: `field.type`.
    pub(crate) operator: &'static str,
    /// Where: the contract, and what of it.
    pub(crate) place: String,
    /// What was there and what is there now.
    pub(crate) change: String,
    /// Of a harmless change, what it leaves as it was.
    pub(crate) promise: Option<Promise>,
    /// How it is compiled.
    pub(crate) making: Making,
    apply: Box<dyn Fn(&mut Catalog) + Send + Sync>,
}

/// What a harmless change leaves as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Promise {
    /// The wire ids of all contracts.
    pub(crate) wire_ids: bool,
    /// The source ids too: artifacts of before stay current.
    pub(crate) source_ids: bool,
    /// Names in Rust: what errors and other languages say is the same.
    pub(crate) names: bool,
}

impl Candidate {
    /// Makes the change; nothing else in the catalog differs, but for what follows from it.
    pub(crate) fn apply(&self, catalog: &mut Catalog) {
        (self.apply)(catalog);
    }
}

/// Every change that could be made of these contracts, in an order that the declarations alone decide.
pub(crate) fn candidates(catalog: &Catalog, contracts: &[ContractId]) -> Vec<Candidate> {
    let mut found = Candidates::default();
    contract::find_modules(contracts, &mut found);
    for &id in contracts {
        contract::find(catalog, id, &mut found);
        rules::find(catalog, id, &mut found);
        match &catalog.get(id).body {
            Body::Descriptor(_) => descriptor::find(catalog, id, &mut found),
            Body::Enumeration(_) | Body::Flags(_) => values::find(catalog, id, &mut found),
            Body::Recipe(_) => recipe::find(catalog, id, &mut found),
            Body::Union(_) => union::find(catalog, id, &mut found),
            Body::Abi(_) => abi::find(catalog, id, &mut found),
            Body::Message(_) => message::find(catalog, id, &mut found),
            Body::Messages(_) => message::find_several(catalog, id, &mut found),
            Body::Handle(_) | Body::Function(_) | Body::Symbols(_) => export::find(catalog, id, &mut found),
        }
    }
    found.all
}

/// Every change that none of the gates may take for a breaking one.
pub(crate) fn harmless(catalog: &Catalog, contracts: &[ContractId]) -> Vec<Candidate> {
    let mut found = Candidates::default();
    harmless::find(catalog, contracts, &mut found);
    found.all
}

/// Takes what operators find.
#[derive(Default)]
struct Candidates {
    all: Vec<Candidate>,
    promise: Option<Promise>,
    making: Making,
}

impl Candidates {
    fn put(
        &mut self,
        operator: &'static str,
        place: impl Into<String>,
        change: impl Into<String>,
        apply: impl Fn(&mut Catalog) + Send + Sync + 'static,
    ) {
        let (place, change, promise) = (place.into(), change.into(), self.promise);
        let making = self.making;
        self.all.push(Candidate { operator, place, change, promise, making, apply: Box::new(apply) });
    }
}

fn descriptor(catalog: &mut Catalog, id: ContractId) -> &mut Descriptor {
    match &mut catalog.contracts[id.0].body {
        Body::Descriptor(body) => body,
        _ => panic!("the operator found a descriptor here"),
    }
}

fn recipe(catalog: &mut Catalog, id: ContractId) -> &mut Recipe {
    match &mut catalog.contracts[id.0].body {
        Body::Recipe(body) => body,
        _ => panic!("the operator found a recipe here"),
    }
}

fn union(catalog: &mut Catalog, id: ContractId) -> &mut Union {
    match &mut catalog.contracts[id.0].body {
        Body::Union(body) => body,
        _ => panic!("the operator found a union here"),
    }
}

fn abi(catalog: &mut Catalog, id: ContractId) -> &mut AbiStruct {
    match &mut catalog.contracts[id.0].body {
        Body::Abi(body) => body,
        _ => panic!("the operator found a C struct here"),
    }
}

fn handle(catalog: &mut Catalog, id: ContractId) -> &mut Handle {
    match &mut catalog.contracts[id.0].body {
        Body::Handle(body) => body,
        _ => panic!("the operator found a handle here"),
    }
}

fn function(catalog: &mut Catalog, id: ContractId) -> &mut Function {
    match &mut catalog.contracts[id.0].body {
        Body::Function(body) => body,
        _ => panic!("the operator found a function here"),
    }
}

/// The values of an enumeration or of flags.
fn values(catalog: &mut Catalog, id: ContractId) -> &mut Vec<EnumValue> {
    match &mut catalog.contracts[id.0].body {
        Body::Enumeration(body) => &mut body.values,
        Body::Flags(body) => &mut body.values,
        _ => panic!("the operator found named values here"),
    }
}

/// A place in a contract, as it is listed.
fn at(catalog: &Catalog, id: ContractId, part: &str) -> String {
    let name = &catalog.get(id).name;
    if part.is_empty() { name.clone() } else { format!("{name}.{part}") }
}

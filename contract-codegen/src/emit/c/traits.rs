//! What is true of each descriptor and decides which functions it has.

use super::place::Place;
use super::rules::has_rules;
use crate::emit::EmitInput;
use crate::model::{
    Body, Catalog, Content, Contract, ContractId, Descriptor, Element, Endian, JsonType, Moment,
};

/// What is true of a descriptor and of what it nests.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each decides about another function")]
pub(crate) struct Traits {
    /// The struct in a little-endian host's memory is the wire, byte for byte.
    pub(crate) whole: bool,
    /// Reading can find a fault, the size apart.
    pub(crate) checked: bool,
    /// Writing can find a fault.
    pub(crate) refusable: bool,
    /// Writing puts in something that is not the value's to say.
    pub(crate) settled: bool,
    /// A value begins with more than zeros.
    pub(crate) initialized: bool,
    /// An importer has something to ask.
    pub(crate) imports: bool,
}

/// The traits of every contract by its number, nested ones first: each is looked at once, however many nest it. A
/// descriptor that doubles another which doubles a third costs no more than three.
pub(crate) fn of_all(input: &EmitInput<'_>) -> Vec<Traits> {
    let mut known: Vec<Traits> = Vec::with_capacity(input.catalog.contracts.len());
    for (id, contract) in input.catalog.iter() {
        let traits = match &contract.body {
            Body::Descriptor(descriptor) => of(input, &known, id, descriptor),
            _ => Traits { imports: imports(&known, contract), ..Traits::default() },
        };
        known.push(traits);
    }
    known
}

fn of(input: &EmitInput<'_>, known: &[Traits], id: ContractId, descriptor: &Descriptor) -> Traits {
    let places: Vec<Place<'_>> = Place::all(input, known, id).collect();
    let contract = input.catalog.get(id);
    let has_rules = has_rules(contract, Moment::Read);
    Traits {
        whole: is_whole(input.catalog, known, descriptor),
        checked: has_rules || places.iter().any(|place| place.check().is_some()),
        refusable: has_rules || places.iter().any(|place| place.refuse().is_some()),
        settled: places.iter().any(|place| !place.settle().is_empty()),
        initialized: places.iter().any(|place| place.init().is_some()),
        imports: imports(known, contract),
    }
}

/// Whether the contract, or one that it holds, says anything of an import.
fn imports(known: &[Traits], contract: &Contract) -> bool {
    let held = |ty: &JsonType| ty.contract().is_some_and(|id| known[id.0].imports);
    let nested = match &contract.body {
        Body::Descriptor(descriptor) => descriptor.fields.iter().any(|field| match field.ty.element {
            Element::Descriptor(id) => known[id.0].imports,
            _ => false,
        }),
        Body::Recipe(recipe) => recipe.keys.iter().any(|key| !key.not_imported && held(&key.ty)),
        Body::Union(union) => union.variants.iter().any(|variant| match &variant.content {
            Content::Value { ty, .. } => held(ty),
            Content::Nothing | Content::Other => false,
        }),
        Body::Enumeration(_)
        | Body::Flags(_)
        | Body::Message(_)
        | Body::Messages(_)
        | Body::Abi(_)
        | Body::Handle(_)
        | Body::Function(_)
        | Body::Symbols(_) => false,
    };
    nested || has_rules(contract, Moment::Import)
}

fn is_whole(catalog: &Catalog, known: &[Traits], descriptor: &Descriptor) -> bool {
    let in_order = descriptor.fields.iter().all(|field| match field.ty.element {
        Element::Descriptor(nested) => known[nested.0].whole,
        element => field.ty.endian != Endian::Big || catalog.element_size(element) == 1,
    });
    in_order && catalog.is_mirrored(descriptor)
}

//! What is true of each descriptor and decides which functions it has.

use super::place::Place;
use crate::emit::EmitInput;
use crate::model::{Body, Catalog, ContractId, Descriptor, Element, Endian};

/// What is true of a descriptor and of what it nests.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each decides about another function")]
pub(super) struct Traits {
    /// The struct in a little-endian host's memory is the wire, byte for byte.
    pub(super) whole: bool,
    /// Reading can find a fault, the size apart.
    pub(super) checked: bool,
    /// Writing can find a fault.
    pub(super) refusable: bool,
    /// Writing puts in something that is not the value's to say.
    pub(super) settled: bool,
    /// A value begins with more than zeros.
    pub(super) initialized: bool,
}

/// The traits of every contract by its number, nested ones first: each is looked at once, however many nest it. A
/// descriptor that doubles another which doubles a third costs no more than three.
pub(super) fn of_all(input: &EmitInput<'_>) -> Vec<Traits> {
    let mut known: Vec<Traits> = Vec::with_capacity(input.catalog.contracts.len());
    for (id, contract) in input.catalog.iter() {
        let traits = match &contract.body {
            Body::Descriptor(descriptor) => of(input, &known, id, descriptor),
            Body::Enumeration(_) | Body::Flags(_) => Traits::default(),
        };
        known.push(traits);
    }
    known
}

fn of(input: &EmitInput<'_>, known: &[Traits], id: ContractId, descriptor: &Descriptor) -> Traits {
    let places: Vec<Place<'_>> = Place::all(input, known, id).collect();
    Traits {
        whole: is_whole(input.catalog, known, descriptor),
        checked: places.iter().any(|place| place.check().is_some()),
        refusable: places.iter().any(|place| place.refuse().is_some()),
        settled: places.iter().any(|place| !place.settle().is_empty()),
        initialized: places.iter().any(|place| place.init().is_some()),
    }
}

fn is_whole(catalog: &Catalog, known: &[Traits], descriptor: &Descriptor) -> bool {
    let in_order = descriptor.fields.iter().all(|field| match field.ty.element {
        Element::Descriptor(nested) => known[nested.0].whole,
        element => field.ty.endian != Endian::Big || catalog.element_size(element) == 1,
    });
    in_order && catalog.is_mirrored(descriptor)
}

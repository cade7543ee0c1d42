//! Values that no reader gives but a writer may be handed: a count beyond its array, text without an end.

use wirecontract_codegen::interpret::Value;
use wirecontract_codegen::model::{Catalog, ContractId, Descriptor, Element, Field, Role, Scalar};

/// At most this many a contract; what nests repeats what is nested.
const MOST: usize = 12;

/// A change to a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// The fields from the outermost descriptor to the one that changes, each with its descriptor; where one is an
    /// array, its first element is meant.
    pub path: Vec<(ContractId, usize)>,
    /// To what it changes.
    pub change: Change,
}

/// What a probe changes a field to.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A count to this number.
    Count(u64),
    /// Every byte of a text to this.
    Text(u8),
    /// An enumeration or flags to a number it does not have. Only C's values can hold it.
    Number(i128),
}

/// The probes of a descriptor.
pub fn probes(catalog: &Catalog, id: ContractId) -> Vec<Probe> {
    let mut probes = Vec::new();
    collect(catalog, id, &mut Vec::new(), &mut probes);
    probes.truncate(MOST);
    probes
}

fn collect(catalog: &Catalog, id: ContractId, path: &mut Vec<(ContractId, usize)>, probes: &mut Vec<Probe>) {
    let descriptor = catalog.get(id).descriptor();
    for (index, field) in descriptor.fields.iter().enumerate() {
        if probes.len() >= MOST {
            return;
        }
        path.push((id, index));
        let mut push = |change| probes.push(Probe { path: path.clone(), change });
        match (&field.role, field.ty.element) {
            (Role::LengthOf(targets), _) => {
                let lengths = targets.iter().map(|&target| u64::from(descriptor.fields[target].ty.dims[0]));
                let beyond = lengths.min().unwrap_or(0) + 1;
                let highest = u64::MAX >> (64 - 8 * catalog.element_size(field.ty.element));
                if beyond <= highest {
                    push(Change::Count(beyond));
                }
                if highest > beyond {
                    push(Change::Count(highest));
                }
            }
            (Role::Text, _) => {
                push(Change::Text(b'x'));
                push(Change::Text(0xff));
            }
            (Role::Value, Element::Descriptor(nested)) => collect(catalog, nested, path, probes),
            (Role::Value, Element::Enumeration { contract, open: false }) => {
                let values = &catalog.get(contract).enumeration().values;
                let highest = highest(catalog.get(contract).repr());
                let highest_value = values.iter().map(|value| value.value).max().unwrap_or(0);
                if highest_value < highest {
                    push(Change::Number(highest_value + 1));
                }
            }
            (Role::Value, Element::Flags { contract }) => {
                let flags = catalog.get(contract).flags();
                let all = highest(flags.repr);
                if !flags.open && i128::from(flags.known_bits()) != all {
                    push(Change::Number(all));
                }
            }
            _ => {}
        }
        path.pop();
    }
}

fn highest(scalar: Scalar) -> i128 {
    (1 << (8 * scalar.size() - u32::from(scalar.is_signed()))) - 1
}

impl Probe {
    /// Changes a tree. An element that its count leaves out of the tree is left out still.
    pub fn apply(&self, catalog: &Catalog, value: &mut Value) {
        let mut place = value;
        for &(contract, index) in &self.path {
            let field = &catalog.get(contract).descriptor().fields[index];
            let Value::Object(members) = place else { return };
            let Some((_, member)) = members.iter_mut().find(|(name, _)| *name == field.name) else { return };
            place = member;
            if field.role == Role::Text {
                continue;
            }
            for _ in &field.ty.dims {
                let Value::List(items) = place else { return };
                let Some(first) = items.first_mut() else { return };
                place = first;
            }
        }
        *place = match self.change {
            Change::Count(count) => Value::Integer(i128::from(count)),
            Change::Number(number) => Value::Integer(number),
            Change::Text(byte) => Value::Bytes(vec![byte; self.field(catalog).ty.dims[0] as usize]),
        };
    }

    /// The field that changes.
    ///
    /// # Panics
    /// When the path is empty.
    pub fn field<'a>(&self, catalog: &'a Catalog) -> &'a Field {
        let &(contract, index) = self.path.last().expect("a path has an end");
        &catalog.get(contract).descriptor().fields[index]
    }

    /// The place of the changed element in C, C++ and Rust: `v.a.b[0]`, with that language's word for a member.
    pub(super) fn place(&self, catalog: &Catalog, member: impl Fn(&Descriptor, usize) -> String) -> String {
        self.path.iter().fold("v".to_owned(), |place, &(contract, index)| {
            let descriptor = catalog.get(contract).descriptor();
            let field = &descriptor.fields[index];
            let subscripts = if field.role == Role::Text { 0 } else { field.ty.dims.len() };
            format!("{place}.{}{}", member(descriptor, index), "[0]".repeat(subscripts))
        })
    }
}

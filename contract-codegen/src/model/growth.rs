//! Descriptors that grow, with what stands last in them and grows too.

use std::ops::Range;

use super::{Catalog, ContractId, Descriptor, Element, Endian, Role};

/// A field that not every version has: of a descriptor that grows, or of the one that stands last in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// The contract that declares it.
    pub contract: ContractId,
    /// Which of its fields.
    pub field: usize,
    /// The first version that has it.
    pub since: u32,
    /// Bytes from the start of the outermost descriptor.
    pub offset: u32,
    /// Bytes of it.
    pub size: u32,
    /// Whether older versions had reserved bytes in its place: its default is zero.
    pub is_hole: bool,
}

impl Added {
    /// Its bytes.
    pub fn range(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.size) as usize
    }
}

impl Catalog {
    /// The fields that not every version of a descriptor has, reserved bytes among them, by offset; none of one that
    /// does not grow.
    ///
    /// # Panics
    /// When the contract is no descriptor.
    pub fn added(&self, id: ContractId) -> Vec<Added> {
        let mut added = Vec::new();
        let mut next = Some((id, 0));
        while let Some((id, base)) = next.take() {
            let descriptor = self.get(id).descriptor();
            let Some(growth) = &descriptor.growth else { break };
            for (index, field) in descriptor.fields.iter().enumerate() {
                let Some(since) = field.since.filter(|since| *since > 1) else { continue };
                let (offset, size) = (base + field.offset, self.field_size(field));
                let is_hole = field.offset < growth.size(since - 1);
                added.push(Added { contract: id, field: index, since, offset, size, is_hole });
            }
            if let Some((offset, last)) = self.last(descriptor) {
                next = Some((last, base + offset));
            }
        }
        added
    }

    /// The descriptor that grows and stands last in another, and where it does.
    fn last(&self, descriptor: &Descriptor) -> Option<(u32, ContractId)> {
        let field = descriptor.fields.last()?;
        match field.ty.element {
            Element::Descriptor(id) if self.get(id).descriptor().growth.is_some() => Some((field.offset, id)),
            _ => None,
        }
    }

    /// All bytes of the newest version in which everything that the first has not is as its default says, as a machine
    /// of that byte order has them; of a descriptor that does not grow, zeros.
    ///
    /// # Panics
    /// When the contract is no descriptor.
    pub fn defaults(&self, id: ContractId, is_big: bool) -> Vec<u8> {
        let descriptor = self.get(id).descriptor();
        let mut image = vec![0; descriptor.size as usize];
        let Some(growth) = &descriptor.growth else { return image };
        image[growth.size(1) as usize..].copy_from_slice(&growth.defaults);
        if is_big {
            self.swap(descriptor, &mut image);
        }
        image
    }

    /// The bytes of a field's default, in versions that have it not; what is in native order stands as little-endian. None
    /// where every version has the field, and of reserved bytes.
    ///
    /// # Panics
    /// When the contract is no descriptor, or the index that of no field.
    pub fn default_of(&self, id: ContractId, index: usize) -> Option<Vec<u8>> {
        let descriptor = self.get(id).descriptor();
        let (growth, field) = (descriptor.growth.as_ref()?, &descriptor.fields[index]);
        let is_late = field.since.is_some_and(|since| since > 1);
        if !is_late || matches!(field.role, Role::Reserved { .. }) {
            return None;
        }
        let (start, first) = (field.offset, growth.size(1));
        // In the place of what was reserved in the first version, it is zero.
        let bytes = (start..start + self.field_size(field))
            .map(|at| at.checked_sub(first).map_or(0, |at| growth.defaults[at as usize]));
        Some(bytes.collect())
    }

    /// Turns what is in native order round.
    fn swap(&self, descriptor: &Descriptor, image: &mut [u8]) {
        for field in &descriptor.fields {
            let start = field.offset as usize;
            let bytes = &mut image[start..start + self.field_size(field) as usize];
            let size = self.element_size(field.ty.element) as usize;
            match field.ty.element {
                Element::Descriptor(nested) => {
                    let nested = self.get(nested).descriptor();
                    bytes.chunks_exact_mut(size).for_each(|element| self.swap(nested, element));
                }
                _ if field.ty.endian == Endian::Native => {
                    bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
                }
                _ => {}
            }
        }
    }

    /// Whether a field's value is what its default says, in an older version: it is a value and not every version has
    /// it.
    pub fn has_default(&self, added: &Added) -> bool {
        !matches!(self.get(added.contract).descriptor().fields[added.field].role, Role::Reserved { .. })
    }
}

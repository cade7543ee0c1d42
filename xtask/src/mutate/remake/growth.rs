//! Where the versions of a descriptor end that grows, and its defaults, once its fields have moved.

use wirecontract_codegen::model::{Catalog, Descriptor, Element, Growth};

/// How it had grown.
pub(super) struct Before {
    /// By version, the last field in it.
    last: Vec<usize>,
    /// By field, the bytes of its default; of fields that all versions have, none.
    defaults: Vec<Vec<u8>>,
}

impl Before {
    /// What is to stay so; none of a descriptor that does not grow.
    pub(super) fn of(descriptor: &Descriptor) -> Option<Self> {
        let growth = descriptor.growth.as_ref()?;
        let fields = &descriptor.fields;
        let last = growth.sizes.iter().enumerate().map(|(index, &size)| {
            let is_newest = index + 1 == growth.sizes.len();
            let found = fields.iter().rposition(|field| is_newest || field.offset < size);
            found.unwrap_or(0)
        });
        let first = growth.size(1);
        let defaults = fields.iter().map(|field| match field.offset.checked_sub(first) {
            Some(at) => growth.defaults.get(at as usize..).unwrap_or_default().to_vec(),
            None => Vec::new(),
        });
        Some(Before { last: last.collect(), defaults: defaults.collect() })
    }

    /// Ends every version with the field that it ended with, and leaves every field its default.
    pub(super) fn settle(self, catalog: &Catalog, descriptor: &mut Descriptor) {
        let end = |index: usize| {
            descriptor.fields.get(index).map_or(0, |field| field.offset + catalog.field_size(field))
        };
        let sizes: Vec<u32> = self.last.iter().map(|&index| end(index)).collect();
        let first = sizes.first().copied().unwrap_or_default() as usize;
        let mut image = vec![0; descriptor.size as usize];
        for (field, default) in descriptor.fields.iter().zip(&self.defaults) {
            let start = field.offset as usize;
            let length = (catalog.field_size(field) as usize).min(default.len());
            image[start..start + length].copy_from_slice(&default[..length]);
        }
        // What stands last and grows is as much of it as it has in that version, with its own defaults.
        let last = descriptor.fields.last().and_then(|field| match field.ty.element {
            Element::Descriptor(id) => Some((field.offset, catalog.get(id).descriptor().growth.clone()?)),
            _ => None,
        });
        if let Some((offset, inner)) = last {
            let sizes = inner.sizes.iter().map(|size| offset + size).collect();
            descriptor.growth = Some(Growth { sizes, defaults: inner.defaults });
            return;
        }
        if let Some(growth) = &mut descriptor.growth {
            growth.sizes = sizes;
            growth.defaults = image.split_off(first.min(image.len()));
        }
    }
}

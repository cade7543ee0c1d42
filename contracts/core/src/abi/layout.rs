//! Where C puts the fields of a struct, in each data model.

use super::shape::{AbiShape, Models, TOO_LARGE};
use super::{AbiLayout, AbiPlace};

/// The fields of an abi struct, laid out.
pub struct AbiFields<const N: usize> {
    /// What the fields are.
    pub shapes: [AbiShape; N],
    /// Bytes from the start to each field.
    pub offsets: [Models; N],
    /// Bytes of the whole.
    pub sizes: Models,
    /// Alignment of the whole.
    pub aligns: Models,
    /// Why it has no layout; empty when that was said elsewhere, of a field.
    pub fault: Option<&'static str>,
}

impl<const N: usize> AbiFields<N> {
    /// As every C compiler lays out a struct: each field at the next multiple of its alignment, the whole a multiple of
    /// the greatest.
    pub const fn new(shapes: [AbiShape; N]) -> AbiFields<N> {
        let mut fields =
            AbiFields { shapes, offsets: [[0; 4]; N], sizes: [0; 4], aligns: [1; 4], fault: None };
        let mut index = 0;
        while index < N {
            if fields.shapes[index].fault.is_some() {
                fields.fault = Some("");
            }
            index += 1;
        }
        let mut model = 0;
        while model < 4 && fields.fault.is_none() {
            fields.lay_out(model);
            model += 1;
        }
        fields
    }

    const fn lay_out(&mut self, model: usize) {
        let mut end = 0_u64;
        let mut greatest = 1;
        let mut index = 0;
        while index < N {
            let (size, align) = (self.shapes[index].sizes[model], self.shapes[index].aligns[model]);
            let offset = end.next_multiple_of(align as u64);
            self.offsets[index][model] = self.fitting(offset);
            end = offset + size as u64;
            if align > greatest {
                greatest = align;
            }
            index += 1;
        }
        self.sizes[model] = self.fitting(end.next_multiple_of(greatest as u64));
        self.aligns[model] = greatest;
    }

    #[allow(clippy::cast_possible_truncation, reason = "checked just above")]
    const fn fitting(&mut self, bytes: u64) -> u32 {
        if bytes > u32::MAX as u64 {
            self.fault = Some(TOO_LARGE);
            return 0;
        }
        bytes as u32
    }

    /// The fields as [`AbiLayout`] has them.
    pub const fn places(&self, names: [&'static str; N]) -> [AbiPlace; N] {
        let mut places = [AbiPlace { name: "", offsets: [0; 4], sizes: [0; 4] }; N];
        let mut index = 0;
        while index < N {
            let (offsets, sizes) = (self.offsets[index], self.shapes[index].sizes);
            places[index] = AbiPlace { name: names[index], offsets, sizes };
            index += 1;
        }
        places
    }

    /// The whole as [`super::AbiStruct`] has it.
    pub const fn layout(&self, places: &'static [AbiPlace]) -> AbiLayout {
        AbiLayout::new(self.sizes, self.aligns, places)
    }
}

//! The bytes of the defaults, put together in const evaluation, and what it refuses.

use super::Growth;
use crate::layout::check::Message;
use crate::layout::{Shape, code};

/// The bytes of a newest version, of which nothing but the defaults is said.
#[derive(Clone, Copy)]
pub struct Image<const N: usize> {
    /// As this machine has them.
    pub native: [u8; N],
    /// As every machine has them: what is in native order, as little-endian.
    pub agreed: [u8; N],
    /// Whether what is no value of its field is refused, or passed over.
    is_strict: bool,
}

impl<const N: usize> Image<N> {
    /// All of them zero. What is no value of its field is passed over: that is said where it stands.
    pub const ZERO: Image<N> = Image { native: [0; N], agreed: [0; N], is_strict: false };

    /// The same, to hold single defaults against their fields.
    pub const CHECKED: Image<N> = Image { is_strict: true, ..Self::ZERO };

    /// A number of a field, or of the element of an array that is `place` elements behind its first.
    #[track_caller]
    pub const fn integer(self, shape: &Shape, offset: usize, place: usize, value: i128, field: &str) -> Self {
        let (low, high) = match shape.code {
            code::U8..=code::LAST_INTEGER | code::ENUMERATION | code::FLAGS => shape.range(),
            #[allow(clippy::cast_precision_loss, reason = "as a float literal of so many digits would be")]
            code::F32 | code::F64 => return self.float(shape, offset, place, value as f64, field),
            _ => {
                return self.refuse(
                    field,
                    "is no number: write a value of the field's type, or `default` alone for zero",
                );
            }
        };
        if value < low || value > high {
            if self.is_strict {
                Message::new()
                    .text("the default of field `")
                    .text(field)
                    .text("` does not fit: it holds ")
                    .signed(low)
                    .text(" to ")
                    .signed(high)
                    .fail();
            }
            return self;
        }
        self.number(shape, offset, place, value.to_le_bytes())
    }

    /// A float.
    #[track_caller]
    pub const fn float(self, shape: &Shape, offset: usize, place: usize, value: f64, field: &str) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "the nearest f32, as a literal of one would be")]
        let bits = match shape.code {
            code::F32 => (value as f32).to_bits() as u64,
            code::F64 => value.to_bits(),
            _ => return self.refuse(field, "is no float: write a value of the field's type"),
        };
        self.number(shape, offset, place, (bits as u128).to_le_bytes())
    }

    /// A bool.
    #[track_caller]
    pub const fn boolean(self, shape: &Shape, offset: usize, place: usize, value: bool, field: &str) -> Self {
        if shape.code != code::BOOL {
            return self.refuse(field, "is no bool: write a value of the field's type");
        }
        self.number(shape, offset, place, (value as u128).to_le_bytes())
    }

    /// The value of an enumeration that is written by its name.
    #[track_caller]
    pub const fn value(self, shape: &Shape, offset: usize, place: usize, value: i128, field: &str) -> Self {
        if !matches!(shape.code, code::ENUMERATION | code::FLAGS) {
            return self
                .refuse(field, "is neither an enumeration nor flags: write a value of the field's type");
        }
        self.integer(shape, offset, place, value, field)
    }

    /// Text, with a NUL behind it.
    #[track_caller]
    pub const fn text(mut self, shape: &Shape, offset: usize, text: &str, field: &str) -> Self {
        let text = text.as_bytes();
        if text.len() >= shape.bytes() {
            if self.is_strict {
                Message::new()
                    .text("the default of field `")
                    .text(field)
                    .text("` has ")
                    .number(text.len() as u64)
                    .text(" bytes, and the field holds ")
                    .number(shape.bytes() as u64 - 1)
                    .text(" and the NUL behind them")
                    .fail();
            }
            return self;
        }
        let mut index = 0;
        while index < text.len() {
            self.native[offset + index] = text[index];
            self.agreed[offset + index] = text[index];
            index += 1;
        }
        self
    }

    /// Nothing: the field's bytes are zero, which is a value of its type.
    #[track_caller]
    pub const fn zero(self, shape: &Shape, field: &str) -> Self {
        if !shape.zero && shape.fault.is_none() {
            return self
                .refuse(field, "cannot be zero, which is no value of its type: write `default = VALUE`");
        }
        self
    }

    /// Refuses text where the field holds none.
    #[track_caller]
    pub const fn is_text(self, _: &Shape, _: usize, _: usize, field: &str) -> Self {
        self.refuse(field, "is no text: write a value of the field's type, or `#[wire(text)]` on the field")
    }

    /// Refuses bytes other than zero in the place of what older versions had reserved, and so wrote as zero.
    #[track_caller]
    pub const fn hole(self, is_hole: bool, range: (usize, usize), field: &str) -> Self {
        let mut index = range.0;
        while is_hole && index < range.1 {
            if self.native[index] != 0 {
                return self.refuse(
                    field,
                    "is not zero, which older versions wrote there as reserved bytes: write `default = 0`",
                );
            }
            index += 1;
        }
        self
    }

    /// The defaults of the growing descriptor that stands last.
    pub const fn last(mut self, offset: usize, growth: Option<&Growth>) -> Self {
        let Some(growth) = growth else { return self };
        let mut index = 0;
        while index < growth.defaults.len() {
            self.native[offset + index] = growth.defaults[index];
            self.agreed[offset + index] = growth.agreed[index];
            index += 1;
        }
        self
    }

    /// A list has an item for each element of that dimension.
    #[track_caller]
    pub const fn items(self, shape: &Shape, depth: usize, count: usize, field: &str) -> Self {
        if depth >= shape.rank {
            return self.refuse(field, "is no list: write a value of the field's type");
        }
        if shape.dims[depth] != count && self.is_strict {
            Message::new()
                .text("the default of field `")
                .text(field)
                .text("` has ")
                .number(count as u64)
                .text(" items and the array ")
                .number(shape.dims[depth] as u64)
                .fail();
        }
        self
    }

    #[track_caller]
    const fn refuse(self, field: &str, why: &str) -> Self {
        if self.is_strict {
            Message::new().text("the default of field `").text(field).text("` ").text(why).fail();
        }
        self
    }

    const fn number(mut self, shape: &Shape, offset: usize, place: usize, little: [u8; 16]) -> Self {
        let start = offset + place * shape.size;
        if place * shape.size >= shape.bytes() || start + shape.size > N {
            return self;
        }
        let is_big = shape.endian == 2;
        let is_native_big = is_big || shape.endian == 3 && cfg!(target_endian = "big");
        let mut index = 0;
        while index < shape.size {
            let mirrored = shape.size - 1 - index;
            self.native[start + index] = little[if is_native_big { mirrored } else { index }];
            self.agreed[start + index] = little[if is_big { mirrored } else { index }];
            index += 1;
        }
        self
    }
}

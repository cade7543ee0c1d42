//! What types of C look like in the record, and how large they are in each data model.

use crate::layout::Shape;
use crate::record::fold;
use crate::scalar::Integer;
use crate::{Contract, Enumeration, FlagSet};

/// Codes of types in the record; those of fixed-width scalars are the ones that descriptors have.
pub(super) mod code {
    pub(crate) const FIRST_INTEGER: u8 = 2;
    pub(crate) const LAST_INTEGER: u8 = 9;
    pub(crate) const ENUMERATION: u8 = 20;
    pub(crate) const FLAGS: u8 = 21;
    pub(crate) const CHAR: u8 = 50;
    pub(crate) const PTRDIFF: u8 = 62;
    pub(crate) const VOID: u8 = 63;
    pub(crate) const POINTER: u8 = 64;
    pub(crate) const FUNCTION: u8 = 65;
    pub(crate) const ARRAY: u8 = 66;
    pub(crate) const STRUCT: u8 = 67;
    pub(crate) const POINTED: u8 = 68;
}

/// The most types in each other: what reads a record goes as deep.
const MAX_DEPTH: u32 = 32;

/// The most parameters of a function.
const MAX_PARAMETERS: usize = 16;

/// A number for each data model: LP64, LLP64, ILP32 with `u64` aligned to 4, and to 8.
pub(super) type Models = [u32; 4];

const ONE: Models = [1; 4];
const TWO: Models = [2; 4];
const FOUR: Models = [4; 4];
const EIGHT: Models = [8; 4];
/// How 64-bit numbers are aligned.
const WIDE: Models = [8, 8, 4, 8];
/// Pointers and what has their size.
const POINTERS: Models = [8, 8, 4, 4];
const LONGS: Models = [8, 4, 4, 4];

/// What a type of C looks like.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts of a type, as the record has them")]
pub struct AbiShape {
    pub(super) code: u8,
    pub(super) sizes: Models,
    pub(super) aligns: Models,
    /// Of a pointer: whether what is behind it is const.
    pub(super) is_const: bool,
    /// Whether it is `Open<E>`.
    pub(super) is_open: bool,
    /// Of a function: whether the record's text has the names of its parameters.
    pub(super) is_named: bool,
    /// Items of an array.
    pub(super) length: u32,
    /// Wire id and source id of a contract; the name's hash and the key of one that is pointed at.
    pub(super) ids: [u64; 2],
    /// What is behind a pointer, what is in an array, and of a function its result and its parameters.
    pub(super) items: &'static [&'static AbiShape],
    /// How many types are in each other, itself among them.
    depth: u32,
    /// Why it has no place in an abi struct; empty when that was said elsewhere.
    pub(crate) fault: Option<&'static str>,
}

impl AbiShape {
    const fn of(code: u8, sizes: Models, aligns: Models) -> AbiShape {
        AbiShape {
            code,
            sizes,
            aligns,
            is_const: false,
            is_open: false,
            is_named: false,
            length: 0,
            ids: [0; 2],
            items: &[],
            depth: 1,
            fault: None,
        }
    }

    /// A type of which these are the parts; it is at fault where one of them is.
    const fn made_of(items: &'static [&'static AbiShape], shape: AbiShape) -> AbiShape {
        let mut shape = AbiShape { items, ..shape };
        let mut index = 0;
        while index < items.len() {
            if shape.fault.is_none() {
                shape.fault = items[index].fault;
            }
            if shape.depth <= items[index].depth {
                shape.depth = items[index].depth + 1;
            }
            index += 1;
        }
        if shape.depth > MAX_DEPTH && shape.fault.is_none() {
            shape.fault =
                Some("types are at most 32 deep in each other: put the inner ones in an abi struct");
        }
        shape
    }

    /// `char`.
    pub const CHAR: AbiShape = AbiShape::of(code::CHAR, ONE, ONE);
    /// `signed char`.
    pub const SCHAR: AbiShape = AbiShape::of(51, ONE, ONE);
    /// `unsigned char`.
    pub const UCHAR: AbiShape = AbiShape::of(52, ONE, ONE);
    /// `short`.
    pub const SHORT: AbiShape = AbiShape::of(53, TWO, TWO);
    /// `unsigned short`.
    pub const USHORT: AbiShape = AbiShape::of(54, TWO, TWO);
    /// `int`.
    pub const INT: AbiShape = AbiShape::of(55, FOUR, FOUR);
    /// `unsigned int`.
    pub const UINT: AbiShape = AbiShape::of(56, FOUR, FOUR);
    /// `long`.
    pub const LONG: AbiShape = AbiShape::of(57, LONGS, LONGS);
    /// `unsigned long`.
    pub const ULONG: AbiShape = AbiShape::of(58, LONGS, LONGS);
    /// `long long`.
    pub const LONGLONG: AbiShape = AbiShape::of(59, EIGHT, WIDE);
    /// `unsigned long long`.
    pub const ULONGLONG: AbiShape = AbiShape::of(60, EIGHT, WIDE);
    /// `size_t`.
    pub const SIZE: AbiShape = AbiShape::of(61, POINTERS, POINTERS);
    /// `ptrdiff_t`.
    pub const PTRDIFF: AbiShape = AbiShape::of(code::PTRDIFF, POINTERS, POINTERS);
    /// `void`, which stands behind a pointer and for no result.
    pub const VOID: AbiShape = AbiShape::of(code::VOID, ONE, ONE);

    /// A contract that was refused, and says so itself.
    pub const REFUSED: AbiShape = AbiShape { fault: Some(""), ..AbiShape::of(code::STRUCT, ONE, ONE) };

    /// A fixed-width integer, a float or a bool, by the code it has in descriptors.
    pub const fn scalar(code: u8) -> AbiShape {
        match code {
            1..=3 => AbiShape::of(code, ONE, ONE),
            4 | 5 => AbiShape::of(code, TWO, TWO),
            6 | 7 | 10 => AbiShape::of(code, FOUR, FOUR),
            _ => AbiShape::of(code, EIGHT, WIDE),
        }
    }

    /// `Open<E>`.
    pub const fn enumeration<E: Enumeration>() -> AbiShape {
        let is_open = true;
        AbiShape { is_open, ..AbiShape::numbered::<E, E::Repr>(code::ENUMERATION) }
    }

    /// `Flags<E>`.
    pub const fn flags<E: FlagSet>() -> AbiShape {
        AbiShape::numbered::<E, E::Repr>(code::FLAGS)
    }

    const fn numbered<E: Contract, I: Integer>(code: u8) -> AbiShape {
        let shape: Shape = I::SHAPE;
        AbiShape { code, ids: [E::WIRE_ID, E::SOURCE_ID], ..AbiShape::scalar(shape.code) }
    }

    /// A pointer.
    pub const fn pointer(to: &'static [&'static AbiShape], is_const: bool) -> AbiShape {
        AbiShape::made_of(to, AbiShape { is_const, ..AbiShape::of(code::POINTER, POINTERS, POINTERS) })
    }

    /// A function that may be absent, of its result and its parameters.
    pub const fn function(items: &'static [&'static AbiShape], is_named: bool) -> AbiShape {
        let shape = AbiShape { is_named, ..AbiShape::of(code::FUNCTION, POINTERS, POINTERS) };
        let mut shape = AbiShape::made_of(items, shape);
        let mut index = 0;
        while index < items.len() {
            if items[index].code == code::ARRAY && shape.fault.is_none() {
                shape.fault = Some(
                    "C passes no arrays to functions and gets none from them: write a pointer to the first item",
                );
            }
            index += 1;
        }
        if items.len() > MAX_PARAMETERS + 1 && shape.fault.is_none() {
            shape.fault = Some("a function has at most 16 parameters here: put some in an abi struct");
        }
        shape
    }

    /// An array.
    #[allow(clippy::cast_possible_truncation, reason = "checked just above")]
    pub const fn array(item: &'static [&'static AbiShape], length: usize) -> AbiShape {
        let (held, most) = (item[0], u32::MAX as u64);
        let mut shape = AbiShape::made_of(item, AbiShape::of(code::ARRAY, ONE, held.aligns));
        if shape.fault.is_some() {
            return shape;
        }
        if length == 0 {
            shape.fault = Some("an array of no items is no type of C: remove the field");
        } else if held.code == code::POINTED || held.code == code::VOID {
            shape.fault = Some(
                "a pointer to an array of what C may not know the size of there: write a pointer to the first item",
            );
        } else if length as u64 > most {
            shape.fault = Some(TOO_LARGE);
        } else {
            shape.length = length as u32;
            let mut model = 0;
            while model < 4 {
                let size = held.sizes[model] as u64 * length as u64;
                if size > most {
                    shape.fault = Some(TOO_LARGE);
                    break;
                }
                shape.sizes[model] = size as u32;
                model += 1;
            }
        }
        shape
    }

    /// An abi struct by value.
    pub const fn structure<S: Contract>(
        sizes: Models,
        aligns: Models,
        fault: Option<&'static str>,
    ) -> AbiShape {
        // What is wrong with its fields, it says itself.
        let fault = if fault.is_some() { Some("") } else { None };
        AbiShape { ids: [S::WIRE_ID, S::SOURCE_ID], fault, ..AbiShape::of(code::STRUCT, sizes, aligns) }
    }

    /// An abi struct behind a pointer: it may be one that holds this pointer, so that nothing of it is asked but what it
    /// is called.
    pub const fn pointed(name: &str, key: u64) -> AbiShape {
        let name = fold(super::words::FNV_BASIS, name.as_bytes());
        AbiShape { ids: [name, key], ..AbiShape::of(code::POINTED, ONE, ONE) }
    }

    /// Whether it is an integer of any kind: what may count.
    pub(super) const fn is_integer(&self) -> bool {
        (self.code >= code::FIRST_INTEGER && self.code <= code::LAST_INTEGER)
            || (self.code >= code::CHAR && self.code <= code::PTRDIFF)
    }

    /// Whether it is a function.
    #[cfg(feature = "export")]
    pub(crate) const fn is_function(&self) -> bool {
        self.code == code::FUNCTION
    }

    /// Whether it is a number or a struct: no pointer, function or array.
    #[cfg(feature = "export")]
    pub(crate) const fn is_data(&self) -> bool {
        !matches!(self.code, code::POINTER | code::FUNCTION | code::ARRAY)
    }

    /// Whether two ids of a contract stand in the record, and not a name's hash and a key.
    pub(super) const fn holds(&self) -> bool {
        matches!(self.code, code::ENUMERATION | code::FLAGS | code::STRUCT)
    }
}

/// What is said of a struct or array that no 32-bit number measures.
pub(super) const TOO_LARGE: &str = "an abi struct is smaller than 4 GiB in every data model";

//! Abi structs: structs of C with pointers in them, shared as memory inside one process.
//!
//! Nothing is serialised. Padding is C's, and where a field stands depends on the machine; the four [`DataModel`]s are
//! all there are, so that one declaration says the layout on each, and every compiler holds its own against it.

pub(crate) mod check;
mod functions;
mod held;
mod layout;
mod shape;
mod types;
mod words;

pub use held::{AbiEnumeration, AbiFlags, AbiSerialised};
pub use layout::AbiFields;
pub use shape::AbiShape;
pub use types::{AbiPointee, AbiResult, AbiType, BadBool, Bools, NoBools, zero, zeroed, zeros};
#[cfg(feature = "export")]
pub(crate) use words::{Sink, words_of};
pub use words::{abi_key, abi_wire_id, abi_words, abi_words_length};

use crate::Contract;

/// A struct of C. Implemented by `#[derive(WireContract)]` with `#[wire(abi)]`.
///
/// ```
/// use core::ffi::c_void;
/// use wirecontract::{AbiStruct, DataModel, WireContract};
///
/// /// Samples that somebody else owns.
/// #[derive(WireContract, Clone, Copy, Debug)]
/// #[repr(C)]
/// #[wire(abi, size(lp64 = 32))]
/// pub struct Samples {
///     pub count: u32,
///     #[wire(counted_by = count)]
///     pub values: *mut f32,
///     pub owner: *mut c_void,
///     pub release: Option<unsafe extern "C" fn(samples: *mut Samples)>,
/// }
///
/// assert!(Samples::ZERO.values.is_null() && Samples::ZERO.release.is_none());
/// assert_eq!(Samples::LAYOUT.size(DataModel::Ilp32U64Align4), 16);
/// assert_eq!(Samples::LAYOUT.fields[1].offset(DataModel::Lp64), 8);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an abi struct",
    note = "derive `WireContract` on a `#[repr(C)]` struct and mark it `#[wire(abi)]`"
)]
pub trait AbiStruct: Contract + Sized {
    /// Where everything is, in each data model.
    const LAYOUT: AbiLayout;

    /// Numbers 0, pointers null, functions absent: every field of an abi struct has such a value.
    const ZERO: Self;
}

/// What the sizes of C's types, and where they may stand, depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataModel {
    /// 64-bit pointers and `long`: Linux and macOS on 64 bits.
    Lp64,
    /// 64-bit pointers, `long` of 32 bits: Windows on 64 bits.
    Llp64,
    /// 32-bit pointers, 64-bit integers aligned to 4: Linux on i386.
    Ilp32U64Align4,
    /// 32-bit pointers, 64-bit integers aligned to 8: 32-bit Arm, WebAssembly, Windows on 32 bits.
    Ilp32U64Align8,
}

impl DataModel {
    /// All of them, in the order of every list that has a number for each.
    pub const ALL: [DataModel; 4] =
        [DataModel::Lp64, DataModel::Llp64, DataModel::Ilp32U64Align4, DataModel::Ilp32U64Align8];

    /// That of the machine which this is compiled for; none on one where no abi struct compiles.
    pub const THIS: Option<DataModel> =
        match (size_of::<*const ()>(), size_of::<core::ffi::c_long>(), align_of::<u64>()) {
            (8, 8, 8) => Some(DataModel::Lp64),
            (8, 4, 8) => Some(DataModel::Llp64),
            (4, 4, 4) => Some(DataModel::Ilp32U64Align4),
            (4, 4, 8) => Some(DataModel::Ilp32U64Align8),
            _ => None,
        };

    /// The word that says it in a declaration.
    pub const fn name(self) -> &'static str {
        match self {
            DataModel::Lp64 => "lp64",
            DataModel::Llp64 => "llp64",
            DataModel::Ilp32U64Align4 => "ilp32_u64_4",
            DataModel::Ilp32U64Align8 => "ilp32_u64_8",
        }
    }
}

/// Where everything of an abi struct is. Lists have a number for each of [`DataModel::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AbiLayout {
    /// Bytes of the whole.
    pub sizes: [u32; 4],
    /// Alignment of the whole.
    pub aligns: [u32; 4],
    /// The fields, in declared order, which is that of their offsets.
    pub fields: &'static [AbiPlace],
}

/// Where a field of an abi struct is. Lists have a number for each of [`DataModel::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AbiPlace {
    /// The field.
    pub name: &'static str,
    /// Bytes from the start of the struct to it.
    pub offsets: [u32; 4],
    /// Bytes of it.
    pub sizes: [u32; 4],
}

impl AbiLayout {
    #[doc(hidden)]
    pub const fn new(sizes: [u32; 4], aligns: [u32; 4], fields: &'static [AbiPlace]) -> AbiLayout {
        AbiLayout { sizes, aligns, fields }
    }

    /// Bytes of the whole.
    pub const fn size(&self, model: DataModel) -> usize {
        self.sizes[model as usize] as usize
    }

    /// Alignment of the whole.
    pub const fn align(&self, model: DataModel) -> usize {
        self.aligns[model as usize] as usize
    }
}

impl AbiPlace {
    /// Bytes from the start of the struct to the field.
    pub const fn offset(&self, model: DataModel) -> usize {
        self.offsets[model as usize] as usize
    }

    /// Bytes of the field.
    pub const fn size(&self, model: DataModel) -> usize {
        self.sizes[model as usize] as usize
    }
}

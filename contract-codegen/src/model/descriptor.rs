//! Descriptors and their fields.

use super::{Condition, ContractId, Rule, Scalar};

/// Fixed-size bytes with explicit offsets and byte order.
#[derive(Debug, Clone, PartialEq)]
pub struct Descriptor {
    /// How offsets follow from the fields.
    pub layout: Layout,
    /// Bytes on the wire; at least 1.
    pub size: u32,
    /// The alignment the wire layout is computed with: 1 when packed.
    pub align: u32,
    /// The fields, by ascending offset; there are no gaps between them.
    pub fields: Vec<Field>,
    /// Conditions on the use of single fields: by field. They come after the fields, before the rules.
    pub conditions: Vec<Condition>,
    /// Conditions across fields, as declared.
    pub rules: Vec<Rule>,
    /// How it has grown, where it declares its size by version.
    pub growth: Option<Growth>,
}

/// How a descriptor has grown at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growth {
    /// Bytes of each version, from the first on; never fewer than before, and those of the newest are
    /// [`Descriptor::size`].
    pub sizes: Vec<u32>,
    /// The newest version's bytes behind those of the first, in which everything is as its default says; what is in
    /// native order stands as little-endian.
    pub defaults: Vec<u8>,
}

impl Growth {
    /// The newest version.
    ///
    /// # Panics
    /// When there are more versions than 32 bits count, of which no record says the sizes.
    pub fn newest(&self) -> u32 {
        u32::try_from(self.sizes.len()).expect("a size for each version")
    }

    /// Bytes of a version from 1 on; of one that is not known yet, those of the newest.
    pub fn size(&self, version: u32) -> u32 {
        self.sizes[(version as usize).clamp(1, self.sizes.len()) - 1]
    }
}

impl Descriptor {
    /// The field of that wire name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Whether a field says the version on the wire.
    pub fn version_field(&self) -> Option<&Field> {
        self.fields.iter().find(|field| matches!(field.role, Role::Version(_)))
    }

    /// The field that counts the elements of field `index`, if one does.
    pub fn count_of(&self, index: usize) -> Option<usize> {
        self.fields.iter().position(|field| match &field.role {
            Role::LengthOf(targets) => targets.contains(&index),
            _ => false,
        })
    }
}

/// How a descriptor's offsets follow from its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// As C lays out a struct without implicit padding.
    Natural,
    /// One field after the other.
    Packed,
}

/// One field of a descriptor.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The name in Rust, without `r#`; it is the wire name that errors state.
    pub name: String,
    /// The name it was first accepted under.
    pub was: Option<String>,
    /// The documentation comment.
    pub docs: String,
    /// The C member's name, where the declaration fixes one.
    pub c_name: Option<String>,
    /// The version of the contract that it came with. Messages of a descriptor that grows have the field from that
    /// version on; of another one it is documentation.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// Bytes from the start of the descriptor.
    pub offset: u32,
    /// What it holds.
    pub ty: Type,
    /// What it is for.
    pub role: Role,
}

/// What a field is for.
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    /// A value.
    Value,
    /// Constant bytes (the field is `[u8; N]` of their length).
    Magic(Vec<u8>),
    /// The version on the wire: an unsigned integer; a reader accepts 1 to this.
    Version(u64),
    /// Not a value: written as zero. Read without a look, or refused unless zero.
    Reserved {
        /// Refused unless zero.
        zero: bool,
    },
    /// An unsigned integer that counts the valid elements of these fields (indices into
    /// [`Descriptor::fields`]), each an array; an array of arrays is counted by its outermost dimension.
    LengthOf(Vec<usize>),
    /// UTF-8 in a `[u8; N]`, ended and padded by NUL: at most N - 1 bytes of text.
    Text,
}

/// What a field holds: an element, or an array of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    /// The innermost element.
    pub element: Element,
    /// Array dimensions, outermost first; none for a single element; at most 4; none is zero.
    pub dims: Vec<u32>,
    /// Byte order of the element; for one of a single byte and for a descriptor it says nothing (`Little`).
    pub endian: Endian,
}

/// The innermost element of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// An integer, a float or a bool.
    Scalar(Scalar),
    /// One of an enumeration's values; any integer of its repr when open (`Open<E>`).
    Enumeration {
        /// The enumeration.
        contract: ContractId,
        /// Whether values without a name are kept.
        open: bool,
    },
    /// A set of flags (`Flags<E>`); whether unknown bits are kept is the declaration's to say.
    Flags {
        /// The flags.
        contract: ContractId,
    },
    /// A nested descriptor.
    Descriptor(ContractId),
}

/// Byte order of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
    /// That of the machine: for contracts that never leave it.
    Native,
}

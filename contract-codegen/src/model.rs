//! Contracts as owned data: what the catalog reads out of a library and every emitter writes from.
//!
//! Only contracts that the derive accepts are found here, so an emitter does not check a declaration again;
//! what a *target language* cannot take (two contracts with one C name, say) is the emitter's to refuse.

mod recipe;
mod rule;

use std::collections::BTreeSet;
use std::fmt;

pub use recipe::{
    Condition, ConditionKind, Content, JsonType, Key, Length, Literal, Presence, Recipe, Spelling, Tagging,
    Union, Variant, WhenAbsent,
};
pub use rule::{Expr, Moment, Op, Operand, Path, Rule, What};

/// All contracts known to one run, in the order emitters use: what is nested comes before what nests it, then by
/// package, family and position in the source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    /// The contracts; a [`ContractId`] indexes this list.
    pub contracts: Vec<Contract>,
}

/// A position in [`Catalog::contracts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContractId(pub usize);

impl Catalog {
    /// The contract that an id names.
    ///
    /// # Panics
    /// When the id is of another catalog.
    pub fn get(&self, id: ContractId) -> &Contract {
        &self.contracts[id.0]
    }

    /// Every contract with its id.
    pub fn iter(&self) -> impl Iterator<Item = (ContractId, &Contract)> {
        self.contracts.iter().enumerate().map(|(index, contract)| (ContractId(index), contract))
    }

    /// Bytes one element occupies on the wire.
    pub fn element_size(&self, element: Element) -> u32 {
        match element {
            Element::Scalar(scalar) => scalar.size(),
            Element::Enumeration { contract, .. } | Element::Flags { contract, .. } => {
                self.get(contract).repr().size()
            }
            Element::Descriptor(contract) => self.get(contract).descriptor().size,
        }
    }

    /// Bytes a whole field occupies on the wire.
    pub fn field_size(&self, field: &Field) -> u32 {
        self.element_size(field.ty.element) * field.ty.dims.iter().product::<u32>()
    }

    /// Whether the descriptor's bytes are also its layout as a C struct and as a `repr(C)` Rust struct: it is
    /// `natural`, and so is every descriptor nested in it. Byte order does not matter for this.
    pub fn is_mirrored(&self, descriptor: &Descriptor) -> bool {
        self.with_nested(descriptor, |each| each.layout == Layout::Natural)
    }

    /// Whether the descriptor's bytes depend on the byte order of the machine that wrote them.
    pub fn is_native_ordered(&self, descriptor: &Descriptor) -> bool {
        let is_fixed = |field: &Field| {
            matches!(field.ty.element, Element::Descriptor(_))
                || field.ty.endian != Endian::Native
                || self.element_size(field.ty.element) == 1
        };
        !self.with_nested(descriptor, |each| each.fields.iter().all(is_fixed))
    }

    /// Whether something holds of a descriptor and of all that are nested in it, however deep. Each is asked once: a
    /// library that was made to harm may nest one in another many times over.
    fn with_nested(&self, descriptor: &Descriptor, holds: impl Fn(&Descriptor) -> bool) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = vec![descriptor];
        while let Some(descriptor) = next.pop() {
            if !holds(descriptor) {
                return false;
            }
            for field in &descriptor.fields {
                if let Element::Descriptor(nested) = field.ty.element
                    && seen.insert(nested)
                {
                    next.push(self.get(nested).descriptor());
                }
            }
        }
        true
    }
}

/// One declared contract.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// The name in Rust, which is also the name on the wire (`CudaIpcDescriptor`).
    pub name: String,
    /// The name it was first accepted under, where the declaration says `was`.
    pub was: Option<String>,
    /// The package that declares it (`wirecontract-gpu`).
    pub package: String,
    /// That package's version. In no artifact.
    pub package_version: String,
    /// The Rust module path (`wirecontract_gpu::cuvis`).
    pub module: String,
    /// The source file, as rustc named it, for messages. Artifacts state it relative to its package.
    pub file: String,
    /// Line of the declaration, for messages. In no artifact.
    pub line: u32,
    /// The documentation comment: lines joined by `\n`, one leading space removed from each.
    pub docs: String,
    /// The contract's own version, where the declaration has one.
    pub version: Option<u32>,
    /// The version of the contract's family that introduced it.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// The C type name, where the declaration fixes one.
    pub c_name: Option<String>,
    /// Hash of bytes and meaning.
    pub wire_id: u64,
    /// Hash of all that the declaration says.
    pub source_id: u64,
    /// What the contract is.
    pub body: Body,
}

impl Contract {
    /// The module of contracts it belongs to: the last word of the module path (`cuvis`).
    pub fn family(&self) -> &str {
        self.module.rsplit("::").next().unwrap_or(&self.module)
    }

    /// The descriptor.
    ///
    /// # Panics
    /// When the contract is of another kind; the catalog has checked what nests what.
    pub fn descriptor(&self) -> &Descriptor {
        match &self.body {
            Body::Descriptor(descriptor) => descriptor,
            _ => panic!("{} is not a descriptor", self.name),
        }
    }

    /// The enumeration.
    ///
    /// # Panics
    /// When the contract is of another kind.
    pub fn enumeration(&self) -> &Enumeration {
        match &self.body {
            Body::Enumeration(enumeration) => enumeration,
            _ => panic!("{} is not an enumeration", self.name),
        }
    }

    /// The flags.
    ///
    /// # Panics
    /// When the contract is of another kind.
    pub fn flags(&self) -> &Flags {
        match &self.body {
            Body::Flags(flags) => flags,
            _ => panic!("{} is not a set of flags", self.name),
        }
    }

    /// The recipe.
    ///
    /// # Panics
    /// When the contract is of another kind.
    pub fn recipe(&self) -> &Recipe {
        match &self.body {
            Body::Recipe(recipe) => recipe,
            _ => panic!("{} is not a recipe", self.name),
        }
    }

    /// The union.
    ///
    /// # Panics
    /// When the contract is of another kind.
    pub fn union(&self) -> &Union {
        match &self.body {
            Body::Union(union) => union,
            _ => panic!("{} is not a union", self.name),
        }
    }

    /// The rules across its fields.
    pub fn rules(&self) -> &[Rule] {
        match &self.body {
            Body::Descriptor(descriptor) => &descriptor.rules,
            Body::Recipe(recipe) => &recipe.rules,
            Body::Union(union) => &union.rules,
            Body::Enumeration(_) | Body::Flags(_) => &[],
        }
    }

    /// The conditions on its single fields.
    pub fn conditions(&self) -> &[Condition] {
        match &self.body {
            Body::Descriptor(descriptor) => &descriptor.conditions,
            Body::Recipe(recipe) => &recipe.conditions,
            _ => &[],
        }
    }

    /// The integer that stands for an enumeration or for flags.
    ///
    /// # Panics
    /// When the contract is of another kind.
    pub fn repr(&self) -> Scalar {
        match &self.body {
            Body::Enumeration(enumeration) => enumeration.repr,
            Body::Flags(flags) => flags.repr,
            _ => panic!("{} has no repr", self.name),
        }
    }

    /// The word for the kind.
    pub fn kind(&self) -> &'static str {
        match self.body {
            Body::Descriptor(_) => "descriptor",
            Body::Enumeration(_) => "enumeration",
            Body::Flags(_) => "flags",
            Body::Recipe(_) => "recipe",
            Body::Union(_) => "union",
        }
    }
}

/// What a contract is.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Fixed-size bytes.
    Descriptor(Descriptor),
    /// One of several named integers.
    Enumeration(Enumeration),
    /// A set of named bits.
    Flags(Flags),
    /// A JSON object.
    Recipe(Recipe),
    /// One of several contracts.
    Union(Union),
}

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
}

impl Descriptor {
    /// The field of that wire name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
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

/// An integer, a float or a bool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl Scalar {
    /// All of them.
    pub const ALL: [Scalar; 11] = [
        Scalar::Bool,
        Scalar::U8,
        Scalar::I8,
        Scalar::U16,
        Scalar::I16,
        Scalar::U32,
        Scalar::I32,
        Scalar::U64,
        Scalar::I64,
        Scalar::F32,
        Scalar::F64,
    ];

    /// Bytes on the wire, which is also the alignment the layout is computed with.
    pub const fn size(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::U8 | Scalar::I8 => 1,
            Scalar::U16 | Scalar::I16 => 2,
            Scalar::U32 | Scalar::I32 | Scalar::F32 => 4,
            Scalar::U64 | Scalar::I64 | Scalar::F64 => 8,
        }
    }

    /// The least and the greatest value of an integer type; none for bool and the floats.
    pub const fn range(self) -> Option<(i128, i128)> {
        let bits = 8 * self.size();
        match self {
            Scalar::Bool | Scalar::F32 | Scalar::F64 => None,
            _ if self.is_signed() => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            _ => Some((0, (1 << bits) - 1)),
        }
    }

    /// Whether it is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// The word in Rust, which is also the word in the catalog JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::U8 => "u8",
            Scalar::I8 => "i8",
            Scalar::U16 => "u16",
            Scalar::I16 => "i16",
            Scalar::U32 => "u32",
            Scalar::I32 => "i32",
            Scalar::U64 => "u64",
            Scalar::I64 => "i64",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// The scalar of that name.
    pub fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|scalar| scalar.name() == name)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One of several named integers.
#[derive(Debug, Clone, PartialEq)]
pub struct Enumeration {
    /// The integer type that stands for it.
    pub repr: Scalar,
    /// The values, as declared: no two with one name or one number.
    pub values: Vec<EnumValue>,
    /// Keys that every value carries data for, as declared.
    pub data: Vec<DataKey>,
    /// How a value is spelled in JSON.
    pub spelled: Spelled,
    /// Whether names are read in any case (of ASCII letters) and with ASCII white space around them.
    pub fold: bool,
}

/// How values of an enumeration or flags are spelled in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelled {
    /// By name; of flags, an array of names.
    Names,
    /// By number; of flags, the bits.
    Integer,
}

/// One value of an enumeration or of flags.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumValue {
    /// The name in Rust (`PosixFd`).
    pub name: String,
    /// The name as text carries it (`posix_fd`); `name` where nothing else is declared.
    pub wire_name: String,
    /// Other names in the spelling of `wire_name`: read, never written.
    pub aliases: Vec<String>,
    /// The number, or the bits of a flag.
    pub value: i128,
    /// The documentation comment.
    pub docs: String,
    /// The C constant's name, where the declaration fixes one.
    pub c_name: Option<String>,
    /// The version of the contract that introduced it.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// Data, in the order of [`Enumeration::data`].
    pub data: Vec<DataValue>,
}

/// A key that every value of an enumeration carries data for.
#[derive(Debug, Clone, PartialEq)]
pub struct DataKey {
    /// The key, in snake case.
    pub name: String,
    /// The type of its values.
    pub ty: DataType,
}

/// The type of a data key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataType {
    /// Every value fits in an `i64`.
    I64,
    /// No value is negative, and one does not fit in an `i64`.
    U64,
    /// True or false.
    Bool,
    /// Text.
    Text,
}

/// A data value of an enumeration's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataValue {
    /// An integer.
    Integer(i128),
    /// True or false.
    Bool(bool),
    /// Text.
    Text(String),
}

/// A set of named bits.
#[derive(Debug, Clone, PartialEq)]
pub struct Flags {
    /// The unsigned integer type that holds the bits.
    pub repr: Scalar,
    /// The flags: one bit or a mask each, none zero, no two that overlap.
    pub values: Vec<EnumValue>,
    /// Whether bits without a name are kept; they are refused otherwise.
    pub open: bool,
    /// How they are spelled in JSON; by names only when not open.
    pub spelled: Spelled,
}

impl Flags {
    /// All bits that have a name.
    pub fn known_bits(&self) -> u64 {
        self.values.iter().fold(0, |bits, value| bits | u64::try_from(value.value).unwrap_or(0))
    }
}

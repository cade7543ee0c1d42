//! JSON contracts as owned data: recipes and unions.

use super::{ContractId, Rule, Scalar};

/// A JSON object: keys that are required, optional (absence has meaning) or defaulted.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// Whether a key that the recipe does not have is refused; it is ignored otherwise. Of a recipe whose keys stand
    /// in the object of another one, the other one's word counts; the derive refuses it there.
    pub deny_unknown: bool,
    /// The longest document that is read or written, in bytes.
    pub max_bytes: u32,
    /// The most objects and arrays around a value that is read or written.
    pub max_depth: u32,
    /// The keys, as declared, which is the order they are written in.
    pub keys: Vec<Key>,
    /// Conditions on the presence of single keys: by key, as declared.
    pub conditions: Vec<Condition>,
    /// Conditions across keys, as declared.
    pub rules: Vec<Rule>,
}

impl Recipe {
    /// The key that is the Rust field of that name.
    pub fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

/// One key of a recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// The field's name in Rust, without `r#`.
    pub name: String,
    /// The key in JSON, which errors state. Of a flattened key, the field's name.
    pub key: String,
    /// The documentation comment.
    pub docs: String,
    /// The C member's name, where the declaration fixes one.
    pub c_name: Option<String>,
    /// The version of the contract that introduced it.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// What it holds.
    pub ty: JsonType,
    /// Whether it must be there, and what it means when it is not.
    pub presence: Presence,
    /// Whether the keys of the recipe or union it holds stand in this object; it is `Required` then.
    pub flatten: bool,
    /// Whether lenient reading takes a malformed value for an absent one.
    pub lenient: bool,
    /// Whether `validate_import` of this recipe leaves out the import rules of what the key holds (`not_imported`;
    /// in the record `"not_imported":true`, last of the field's members): the receiver keeps it and imports nothing.
    pub not_imported: bool,
}

/// Whether a key must be there, and what it means when it is not.
#[derive(Debug, Clone, PartialEq)]
pub enum Presence {
    /// It must be there.
    Required,
    /// It may be absent, and stays absent.
    Optional {
        /// Whether null is read as absent.
        nullable: bool,
        /// Whether absence is written as null.
        null_when_absent: bool,
        /// What absence stands for where a value is asked for; absence itself is kept.
        default: Option<Literal>,
    },
    /// It may be absent and is then read as this.
    Defaulted {
        /// The value.
        default: Literal,
        /// Whether the default is left out in writing.
        skip: bool,
        /// Whether null is read as absent.
        nullable: bool,
    },
}

impl Presence {
    /// The declared default.
    pub fn default(&self) -> Option<&Literal> {
        match self {
            Presence::Required => None,
            Presence::Optional { default, .. } => default.as_ref(),
            Presence::Defaulted { default, .. } => Some(default),
        }
    }
}

/// A condition on the presence of one key (or on the use of one field of a descriptor).
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The position of the key or field.
    pub field: usize,
    /// What is said of it.
    pub kind: ConditionKind,
    /// When it is said.
    pub rule: Rule,
}

/// What a condition says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionKind {
    /// The optional key must be there when the expression holds (`required_if`).
    RequiredIf,
    /// The optional key may be there, or the descriptor's field may be other than zero or empty, only when the
    /// expression holds (`one_of`).
    UsedIf,
}

/// What a key, an array's item or a variant's content holds.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonType {
    /// An integer.
    Integer {
        /// Its type.
        scalar: Scalar,
        /// The least value: that of the type where nothing else is declared.
        min: i128,
        /// The greatest value.
        max: i128,
        /// Whether it is spelled as a string of decimal digits.
        decimal: bool,
    },
    /// True or false.
    Bool,
    /// A finite number.
    Float {
        /// `F32` or `F64`.
        scalar: Scalar,
        /// The least value, where one is declared.
        min: Option<f64>,
        /// The greatest value, where one is declared.
        max: Option<f64>,
    },
    /// Text.
    Text {
        /// The most bytes of UTF-8, where a bound is declared.
        max_len: Option<u32>,
    },
    /// Bytes spelled as text.
    Bytes {
        /// How many.
        length: Length,
        /// How they are spelled.
        spelling: Spelling,
    },
    /// An array.
    Array {
        /// What its items are.
        item: Box<JsonType>,
        /// How many.
        length: Length,
    },
    /// An object of any keys whose values are text.
    Map {
        /// The most members, where a bound is declared.
        max_items: Option<u32>,
        /// The most bytes of a value (and of a key), where a bound is declared.
        max_len: Option<u32>,
    },
    /// Any JSON.
    Json {
        /// The most bytes of its text without white space, where a bound is declared.
        max_len: Option<u32>,
    },
    /// A value of an enumeration, by name or by number as the enumeration says.
    Enumeration {
        /// The enumeration.
        contract: ContractId,
        /// Whether another name, or another number of its integer type, is kept.
        open: bool,
        /// The most bytes of another name, where a bound is declared.
        max_len: Option<u32>,
    },
    /// Flags, as an integer or as an array of names as the flags say.
    Flags {
        /// The flags.
        contract: ContractId,
    },
    /// A descriptor's bytes, spelled as text.
    Descriptor {
        /// The descriptor.
        contract: ContractId,
        /// How its bytes are spelled.
        spelling: Spelling,
    },
    /// A recipe.
    Recipe(ContractId),
    /// A union.
    Union(ContractId),
}

impl JsonType {
    /// The contract it holds, or its items hold.
    pub fn contract(&self) -> Option<ContractId> {
        match self {
            JsonType::Array { item, .. } => item.contract(),
            JsonType::Enumeration { contract, .. }
            | JsonType::Flags { contract }
            | JsonType::Descriptor { contract, .. }
            | JsonType::Recipe(contract)
            | JsonType::Union(contract) => Some(*contract),
            _ => None,
        }
    }
}

/// How many bytes or items there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// So many (`[T; N]`).
    Exactly(u32),
    /// Any number, up to a bound where one is declared (`Vec<T>`).
    AtMost(Option<u32>),
}

/// How bytes are spelled as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// Two lower-case hexadecimal digits a byte.
    Hex,
    /// The standard alphabet of RFC 4648, padded.
    Base64,
    /// Lower-case hexadecimal digits, 8-4-4-4-12; of 16 bytes.
    Uuid,
}

impl Spelling {
    /// The word in a declaration and in the catalog JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Spelling::Hex => "hex",
            Spelling::Base64 => "base64",
            Spelling::Uuid => "uuid",
        }
    }
}

/// A declared default.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// An integer.
    Integer(i128),
    /// A finite number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// Text.
    Text(String),
    /// The value of the enumeration at this position of [`Enumeration::values`](super::Enumeration::values).
    Value(usize),
    /// The bits of flags.
    Flags(u64),
    /// Items of an array; of bytes that are spelled as text, their numbers.
    List(Vec<Literal>),
}

impl Literal {
    /// The bytes that a list of numbers is; nothing for what is none.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let Literal::List(items) = self else { return None };
        let byte = |item: &Literal| match item {
            Literal::Integer(number) => u8::try_from(*number).ok(),
            _ => None,
        };
        items.iter().map(byte).collect()
    }
}

/// One of several contracts.
#[derive(Debug, Clone, PartialEq)]
pub struct Union {
    /// How a document says which.
    pub tagging: Tagging,
    /// Whether lenient reading takes a tag at fault for an absent one; one variant is said by an absent tag then.
    pub lenient: bool,
    /// The longest document that is read or written, in bytes.
    pub max_bytes: u32,
    /// The most objects and arrays around a value that is read or written.
    pub max_depth: u32,
    /// The variants, as declared. No two have one tag.
    pub variants: Vec<Variant>,
    /// Conditions across fields, as declared; they see [`Path`](super::Path)s of no fields: the union itself.
    pub rules: Vec<Rule>,
}

impl Union {
    /// The variant that an absent tag says, where one is declared.
    pub fn absent(&self) -> Option<usize> {
        self.variants.iter().position(|variant| variant.when_absent != WhenAbsent::No)
    }

    /// The variant that keeps unknown tags, where one is declared.
    pub fn open(&self) -> Option<usize> {
        self.variants.iter().position(|variant| variant.content == Content::Other)
    }
}

/// How a document says which variant it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tagging {
    /// A key beside the variant's own.
    Internal {
        /// The key.
        tag: String,
        /// Whether it is written behind the variant's keys, and not before them.
        last: bool,
    },
    /// A key, and the variant's content as the value of another one.
    Adjacent {
        /// The tag's key.
        tag: String,
        /// The content's key.
        content: String,
        /// Whether the tag is written behind the content, and not before it.
        last: bool,
    },
    /// The first variant whose required keys are all there; the last one otherwise.
    Untagged,
}

/// One variant of a union.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// The name in Rust.
    pub name: String,
    /// The tag in JSON, empty of a variant that is written without one or keeps unknown ones; of an untagged union, the name in the spelling that `rename_all` asks for.
    pub tag: String,
    /// Other tags: read, never written.
    pub aliases: Vec<String>,
    /// The documentation comment.
    pub docs: String,
    /// The C constant's name, where the declaration fixes one.
    pub c_name: Option<String>,
    /// The version of the contract that introduced it.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// What it holds.
    pub content: Content,
    /// Whether an absent tag says this variant.
    pub when_absent: WhenAbsent,
}

/// What a variant holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Nothing but its tag.
    Nothing,
    /// A recipe (internal tags, untagged) or a value of any type (adjacent).
    Value {
        /// Its type.
        ty: JsonType,
        /// What an absent content is read as; only in adjacent unions.
        default: Option<Literal>,
    },
    /// A tag that no variant has, as text, and what came with it, as JSON.
    Other,
}

/// Whether an absent tag says a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenAbsent {
    /// It does not.
    No,
    /// It does, and the variant is written with its tag (`tag_default`).
    Default,
    /// It does, and nothing else does: the variant is written without a tag and has none (`no_tag`).
    NoTag,
}

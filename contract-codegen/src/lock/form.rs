//! What is agreed of one contract.

use toml::{Table, Value};

/// What is agreed of one contract: all that its wire id covers, and the names that languages know it and its members
/// by; no documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// The module path and the name (`wirecontract_gpu::cuvis::CudaIpcDescriptor`). Behind the name of a function stands
    /// `()`, behind those of a library and of symbols ` (library)` and ` (symbols)`: Rust has types and functions of one
    /// name.
    pub path: String,
    /// The contract's version: 1 where none is declared.
    pub version: u32,
    /// What it is.
    pub kind: Kind,
    /// Hash of bytes and meaning.
    pub wire_id: u64,
    /// All else, by the keys of the lock. Members are arrays of tables: `fields`, `values`, `variants`, `params`, `outs`,
    /// `rules`. Numbers are read with [`integer`].
    pub table: Table,
}

impl Form {
    /// What the form says under a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.table.get(key)
    }

    /// The text under a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// The members of a section, in their order; none where there is no such section.
    pub fn section(&self, key: &str) -> impl Iterator<Item = &Table> {
        self.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
    }

    /// The path with the name that the contract was first accepted under: how a hello calls it.
    pub fn first_path(&self) -> String {
        match (self.text("was"), self.path.rsplit_once("::")) {
            (Some(was), Some((module, _))) => format!("{module}::{was}"),
            _ => self.path.clone(),
        }
    }
}

/// The number that a value is. TOML's integers have 64 bits; one that they do not hold is `{ number = "…" }`.
pub fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Integer(number) => Some((*number).into()),
        Value::Table(table) => table.get(LARGE)?.as_str()?.parse().ok(),
        _ => None,
    }
}

/// The key of a number that is more than 64 bits hold.
pub(super) const LARGE: &str = "number";

/// The number as a value.
pub(super) fn number(number: i128) -> Value {
    match i64::try_from(number) {
        Ok(number) => Value::Integer(number),
        Err(_) => Value::Table(Table::from_iter([(LARGE.to_owned(), Value::String(number.to_string()))])),
    }
}

/// What a contract is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Fixed-size bytes.
    Descriptor,
    /// One of several named integers.
    Enumeration,
    /// A set of named bits.
    Flags,
    /// A JSON object.
    Recipe,
    /// One of several contracts.
    Union,
    /// Bytes and file descriptors.
    Message,
    /// One of several messages.
    Messages,
    /// A C struct in memory.
    Abi,
    /// Something that lives in the library.
    Handle,
    /// A function that the library exports.
    Function,
    /// The functions that every library has.
    Library,
    /// Functions of which only the names are declared.
    Symbols,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 12] = [
        Kind::Descriptor,
        Kind::Enumeration,
        Kind::Flags,
        Kind::Recipe,
        Kind::Union,
        Kind::Message,
        Kind::Messages,
        Kind::Abi,
        Kind::Handle,
        Kind::Function,
        Kind::Library,
        Kind::Symbols,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Descriptor => "descriptor",
            Kind::Enumeration => "enumeration",
            Kind::Flags => "flags",
            Kind::Recipe => "recipe",
            Kind::Union => "union",
            Kind::Message => "message",
            Kind::Messages => "messages",
            Kind::Abi => "abi",
            Kind::Handle => "handle",
            Kind::Function => "function",
            Kind::Library => "library",
            Kind::Symbols => "symbols",
        }
    }

    /// The kind of that word.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

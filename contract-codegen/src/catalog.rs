//! Contracts of compiled libraries, read without loading or running them.
//!
//! [`read_file`] gives the records of an object file, executable, shared library or archive; [`resolve`] makes the
//! owned [`Catalog`](crate::model::Catalog) of them. Between the two a caller chooses: a program may hold two versions
//! of one package, which [`Library`] lists both, and which are a conflict only in one catalog.
//!
//! What is read may be damaged or made up. Every length is checked before it is used, both ids are computed again
//! from the content, and a record that breaks what [`crate::model`] promises is refused.

mod abi;
mod container;
mod decode;
mod earlier;
#[doc(hidden)]
pub mod encode;
mod error;
mod export;
mod fields;
mod frame;
pub(crate) mod hash;
pub(crate) mod json;
mod json_type;
mod kinds;
mod layout;
mod literal;
mod meaning;
mod message;
mod pointee;
mod recipe;
mod resolve;
#[doc(hidden)]
pub mod rule;
mod rules;
mod spelling;
mod tried;
mod union;
mod values;
mod words;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

pub use self::error::{FileError, Place, ReadError, ResolveError};
pub use self::resolve::resolve;
pub use self::rule::RuleError;
use crate::model::{Body, Content, Contract, ContractId, Element};

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Library {
    /// Every declaration, in the order of the file. The same one seen twice is there once; from two versions of a
    /// package it is there twice.
    pub records: Vec<Record>,
    /// Contracts of which the library says no more than the ids, being built with
    /// `--cfg wirecontract_record="ids"`.
    pub ids_only: Vec<Ids>,
    /// Archive members that are LLVM bitcode: records in them are not seen.
    pub bitcode: Vec<String>,
}

/// One declaration, whose nested contracts are known by their ids alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The contract. Until [`resolve`] has found the nested ones, a [`ContractId`] in it is
    /// a position in [`Record::nested`], a named value or flags in a default a position in [`Record::names`], and the
    /// expression of a rule `true`, whatever its text says.
    pub contract: Contract,
    /// What it nests, in the order of the fields.
    pub nested: Vec<Nested>,
    /// Structs that it only points to, in the order of the fields; a [`ContractId`] directly behind a pointer is a
    /// position here.
    pub pointees: Vec<Pointee>,
    /// The hash of the path by which pointers name it.
    pub key: u64,
    /// Names of values and flags in its defaults.
    pub names: Vec<Vec<String>>,
}

/// A contract that a field holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nested {
    /// The name of the field, key, variant, parameter or result.
    pub field: String,
    /// The held contract's wire id.
    pub wire_id: u64,
    /// The held contract's source id, by which it is found.
    pub source_id: u64,
    /// The kind that its words say, where what holds it may hold several.
    pub kind: Option<&'static str>,
}

/// A C struct that a field points to. Its content has no part in the pointer's, so that it is found by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointee {
    /// The field's name.
    pub field: String,
    /// The hash of the struct's wire name.
    pub name: u64,
    /// The hash of its path, by which it is found.
    pub key: u64,
}

/// The ids of a contract whose name is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ids {
    /// Hash of bytes and meaning.
    pub wire_id: u64,
    /// Hash of all that the declaration says.
    pub source_id: u64,
}

/// The contracts of a file.
pub fn read_file(path: &Path) -> Result<Library, FileError> {
    let data = file(path)?;
    read_bytes(&data).map_err(|reason| FileError::Content { path: path.to_owned(), reason })
}

/// The bytes of a file.
pub(crate) fn file(path: &Path) -> Result<Vec<u8>, FileError> {
    let unreadable = |reason| FileError::Unreadable { path: path.to_owned(), reason };
    if fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Err(FileError::Folder { path: path.to_owned() });
    }
    fs::read(path).map_err(unreadable)
}

/// The contracts of a file's bytes. Any bytes may be given.
pub fn read_bytes(data: &[u8]) -> Result<Library, ReadError> {
    let found = container::find(data)?;
    let mut library = Library { bitcode: found.bitcode, ..Library::default() };
    let mut seen_ids = HashSet::new();
    let mut seen = HashSet::new();
    for frame in &found.frames {
        let ids = Ids { wire_id: frame.wire_id, source_id: frame.source_id };
        if frame.ids_only {
            if seen_ids.insert(ids) {
                library.ids_only.push(ids);
            }
        } else if seen.insert((ids, frame.text)) {
            library.records.push(decode::decode(frame)?);
        }
    }
    if library.records.is_empty() && library.ids_only.is_empty() {
        return Err(if library.bitcode.is_empty() { ReadError::NoneFound } else { ReadError::Bitcode });
    }
    Ok(library)
}

/// What a contract holds: for each field, key or variant that holds a contract, that one.
pub(crate) fn held(contract: &Contract) -> Vec<ContractId> {
    match &contract.body {
        Body::Descriptor(descriptor) => {
            descriptor.fields.iter().filter_map(|field| held_element(field.ty.element)).collect()
        }
        Body::Recipe(recipe) => recipe.keys.iter().filter_map(|key| key.ty.contract()).collect(),
        Body::Union(union) => {
            let contents = union.variants.iter().filter_map(|variant| match &variant.content {
                Content::Value { ty, .. } => ty.contract(),
                Content::Nothing | Content::Other => None,
            });
            contents.collect()
        }
        Body::Message(message) => message.held().collect(),
        Body::Messages(messages) => messages.held().collect(),
        Body::Abi(body) => body.held(),
        Body::Function(function) => function.held(),
        Body::Enumeration(_) | Body::Flags(_) | Body::Handle(_) | Body::Symbols(_) => Vec::new(),
    }
}

/// What a contract points to without holding it.
pub(crate) fn pointees(contract: &Contract) -> Vec<ContractId> {
    match &contract.body {
        Body::Abi(body) => body.pointees(),
        Body::Function(function) => function.pointees(),
        _ => Vec::new(),
    }
}

fn held_element(element: Element) -> Option<ContractId> {
    match element {
        Element::Scalar(_) => None,
        Element::Enumeration { contract, .. }
        | Element::Flags { contract }
        | Element::Descriptor(contract) => Some(contract),
    }
}

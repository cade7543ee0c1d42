//! Why a file gives no contracts, or its contracts no catalog.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::rule::RuleError;
use crate::model::Contract;

/// Why bytes give no contracts.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Nothing that holds compiled code.
    #[error(
        "expected an object file, executable, shared library or archive (ELF, Mach-O, PE or COFF), found something \
         else: {found}"
    )]
    NotAnObject {
        /// How it starts.
        found: String,
    },
    /// The container's own structure is broken.
    #[error("damaged or cut-off {container}: {reason}; build it again")]
    Damaged {
        /// What it claims to be.
        container: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Compiled code, but no record in it.
    #[error(
        "no contracts in it: no type in this crate derives `WireContract`, or a linker script discards the section \
         `.note.wirec`"
    )]
    NoneFound,
    /// LLVM bitcode, which holds no sections yet.
    #[error(
        "this is LLVM bitcode (fat LTO), in which there are no records yet: build with `lto = \"off\"` \
         (CARGO_PROFILE_RELEASE_LTO=off), or read the final library or program"
    )]
    Bitcode,
    /// An archive of references to files.
    #[error(
        "this is a thin archive, which only names its members: read the members, or make it with `ar` without `T`"
    )]
    ThinArchive,
    /// The bytes end inside a record.
    #[error("truncated at byte {at} of its records: {missing} is missing; build it again or copy it whole")]
    Truncated {
        /// Where the record starts, in its section.
        at: usize,
        /// What should have been there.
        missing: &'static str,
    },
    /// The section of records holds something else.
    #[error(
        "corrupted: at byte {at} of the section of records stands something that is no record; build it again"
    )]
    NotARecord {
        /// Where, in the section.
        at: usize,
    },
    /// A record in a format of the future.
    #[error(
        "the record at byte {at} has format {format}, this version reads {known}: update `wirecontract-codegen` to the \
         version that the library's `wirecontract` has"
    )]
    Newer {
        /// Where the record starts, in its section.
        at: usize,
        /// The record's format.
        format: u32,
        /// The newest format known here.
        known: u32,
    },
    /// A record in this format that uses what this version does not know.
    #[error(
        "the record of {contract} says {what}, which this version does not know: update `wirecontract-codegen` to the \
         version that the library's `wirecontract` has"
    )]
    NewerDeclaration {
        /// The contract.
        contract: String,
        /// What is not known.
        what: String,
    },
    /// A record that contradicts its ids, itself or the format.
    #[error("the record of {} at byte {at} is corrupted: {reason}; build it again", contract.as_deref().unwrap_or("a contract"))]
    Corrupted {
        /// The contract, where its name can be read.
        contract: Option<String>,
        /// Where the record starts, in its section.
        at: usize,
        /// What is wrong.
        reason: String,
    },
    /// A record whose text is not UTF-8.
    #[error(
        "the record at byte {at} is corrupted: its text is not UTF-8 from byte {valid} on; build it again"
    )]
    BadText {
        /// Where the record starts, in its section.
        at: usize,
        /// Bytes of the text that are UTF-8.
        valid: usize,
    },
    /// Something in a member of an archive.
    #[error("member {member}: {reason}")]
    Member {
        /// The member's name.
        member: String,
        /// What is wrong with it.
        reason: Box<ReadError>,
    },
}

/// Why a file gives no contracts.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot read {path}: {reason}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// A folder.
    #[error("{path} is a folder: expected a library, an executable or an archive in it", path = path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// It can be read, and gives no contracts.
    #[error("{path}: {reason}", path = path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: ReadError,
    },
}

/// Why contracts do not make a catalog.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// One name for two declarations.
    #[error(
        "{name} of package {package} is declared twice, with {difference}:\n  {first}\n  {second}\nrename one of them, \
         or say which version of the package is meant (`-p {package}@VERSION`)"
    )]
    Conflict {
        /// The name both have.
        name: String,
        /// The package both are of.
        package: String,
        /// How far they differ.
        difference: &'static str,
        /// One declaration.
        first: Place,
        /// The other.
        second: Place,
    },
    /// A contract holds one that is not there.
    #[error(
        "{holder} holds in `{field}` a contract that is in none of the libraries read (wire id {wire_id:#018x}, source \
         id {source_id:#018x}): {hint}"
    )]
    MissingNested {
        /// The contract that holds it.
        holder: Place,
        /// The field that holds it.
        field: String,
        /// The missing contract's wire id.
        wire_id: u64,
        /// The missing contract's source id.
        source_id: u64,
        /// Where it may be.
        hint: String,
    },
    /// A contract points to a C struct that is not there.
    #[error(
        "{holder} points in `{field}` to a C struct that is in none of the libraries read (hash of its path {key:#018x}, \
         of its name {name:#018x}): {hint}"
    )]
    MissingPointee {
        /// The contract that points to it.
        holder: Place,
        /// The field that points to it.
        field: String,
        /// The hash of the missing struct's wire name.
        name: u64,
        /// The hash of its path.
        key: u64,
        /// Where it may be.
        hint: String,
    },
    /// A record that cannot be, given those that it refers to.
    #[error("the record of {place} is corrupted: {reason}; build it again")]
    Corrupted {
        /// The contract.
        place: Place,
        /// What is wrong.
        reason: String,
    },
    /// A rule or condition that has no meaning in its contract.
    #[error("the record of {place} is corrupted: its rule `{rule}` says nothing: {reason}; build it again")]
    Rule {
        /// The contract.
        place: Place,
        /// The rule's text.
        rule: String,
        /// Why it has no meaning.
        reason: RuleError,
    },
}

/// Where a contract is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The contract's name.
    pub name: String,
    /// Its module path.
    pub module: String,
    /// Its package.
    pub package: String,
    /// That package's version.
    pub package_version: String,
    /// The source file.
    pub file: String,
    /// The line.
    pub line: u32,
}

impl Place {
    /// Where `contract` is declared.
    pub fn of(contract: &Contract) -> Self {
        Place {
            name: contract.name.clone(),
            module: contract.module.clone(),
            package: contract.package.clone(),
            package_version: contract.package_version.clone(),
            file: contract.file.clone(),
            line: contract.line,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { name, module, package, package_version, file, line } = self;
        write!(f, "{module}::{name} ({file}:{line}, {package} {package_version})")
    }
}

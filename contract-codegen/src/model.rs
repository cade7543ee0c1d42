//! Contracts as owned data: what the catalog reads out of a library and every emitter writes from.
//!
//! Only contracts that the derive accepts are found here, so an emitter does not check a declaration again;
//! what a *target language* cannot take (two contracts with one C name, say) is the emitter's to refuse.

mod abi;
mod descriptor;
mod export;
mod growth;
mod message;
mod messages;
mod recipe;
mod rule;
mod scalar;
mod values;

use std::collections::BTreeSet;

pub use abi::{AbiField, AbiLayout, AbiScalar, AbiStruct, AbiType, Param, Signature};
pub use descriptor::{Descriptor, Element, Endian, Field, Growth, Layout, Role, Type};
pub use export::{
    Access, CallbackParam, Function, FunctionParam, Handle, Out, OutForm, ParamForm, Pass, Symbols,
};
pub use growth::Added;
pub use message::{
    Computed, FdForm, FdGroup, MOST_FDS, Member, Message, MessageField, Part, Tail, TailItem, TailLength,
};
pub use messages::{MessageContent, MessageVariant, Messages, Selector};
pub use recipe::{
    Condition, ConditionKind, Content, JsonType, Key, Length, Literal, Presence, Recipe, Spelling, Tagging,
    Union, Variant, WhenAbsent,
};
pub use rule::{Expr, Moment, Op, Operand, Path, Rule, What};
pub use scalar::Scalar;
pub use values::{DataKey, DataType, DataValue, EnumValue, Enumeration, Flags, Spelled};
pub use wirecontract::DataModel;

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
    /// Versions before this one that the declaring side reads and writes as well, and their wire ids; the oldest first.
    pub earlier: Vec<(u32, u64)>,
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

    /// How a hello calls it: the module path and the name that it was first accepted under.
    pub fn path(&self) -> String {
        format!("{}::{}", self.module, self.was.as_ref().unwrap_or(&self.name))
    }

    /// The versions that the declaring side reads and writes, this one last, each with its wire id.
    pub fn spoken(&self) -> impl Iterator<Item = (u32, u64)> {
        self.earlier.iter().copied().chain([(self.version.unwrap_or(1), self.wire_id)])
    }

    /// Whether a hello can name it: it has bytes, documents or memory, and versions of these.
    pub fn is_spoken(&self) -> bool {
        !matches!(self.body, Body::Handle(_) | Body::Function(_) | Body::Symbols(_))
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

    /// The message.
    ///
    /// # Panics
    /// When the contract is of another kind.
    pub fn message(&self) -> &Message {
        match &self.body {
            Body::Message(message) => message,
            _ => panic!("{} is not a message", self.name),
        }
    }

    /// The messages.
    ///
    /// # Panics
    /// When the contract is of another kind.
    pub fn messages(&self) -> &Messages {
        match &self.body {
            Body::Messages(messages) => messages,
            _ => panic!("{} is not one of several messages", self.name),
        }
    }

    /// The C struct.
    ///
    /// # Panics
    /// When the contract is of another kind.
    pub fn abi(&self) -> &AbiStruct {
        match &self.body {
            Body::Abi(body) => body,
            _ => panic!("{} is not a C struct", self.name),
        }
    }

    /// The handle.
    ///
    /// # Panics
    /// When the contract is of another kind.
    pub fn handle(&self) -> &Handle {
        match &self.body {
            Body::Handle(handle) => handle,
            _ => panic!("{} is not a handle", self.name),
        }
    }

    /// The exported function.
    ///
    /// # Panics
    /// When the contract is of another kind.
    pub fn function(&self) -> &Function {
        match &self.body {
            Body::Function(function) => function,
            _ => panic!("{} is not an exported function", self.name),
        }
    }

    /// Whether its values are JSON documents.
    pub fn is_document(&self) -> bool {
        matches!(self.body, Body::Recipe(_) | Body::Union(_))
    }

    /// The rules across its fields.
    pub fn rules(&self) -> &[Rule] {
        match &self.body {
            Body::Descriptor(descriptor) => &descriptor.rules,
            Body::Recipe(recipe) => &recipe.rules,
            Body::Union(union) => &union.rules,
            Body::Message(message) => &message.rules,
            _ => &[],
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
            Body::Message(_) => "message",
            Body::Messages(_) => "messages",
            Body::Abi(_) => "abi",
            Body::Handle(_) => "handle",
            Body::Function(_) => "function",
            Body::Symbols(Symbols { is_library: true, .. }) => "library",
            Body::Symbols(_) => "symbols",
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
    /// Bytes and file descriptors.
    Message(Box<Message>),
    /// One of several messages.
    Messages(Messages),
    /// A C struct in memory.
    Abi(AbiStruct),
    /// Something that lives in the library.
    Handle(Handle),
    /// A function that the library exports.
    Function(Function),
    /// Functions of which only the names are declared.
    Symbols(Symbols),
}

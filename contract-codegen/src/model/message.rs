//! Messages as owned data: the bytes that a socket carries at once, and the file descriptors beside them.

use super::{Body, Catalog, ContractId, Element, Expr, Field, JsonType, Path, Rule};

/// The most file descriptors that one message takes with it: Linux passes no more at once.
pub const MOST_FDS: u32 = 253;

/// Parts one behind the other, at most one tail, and file descriptors in groups.
///
/// Paths of rules count its fields in declared order: parts, tail, groups.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The longest message that is read or written, in bytes, where there is a tail. Without one the parts say it.
    pub max_bytes: Option<u32>,
    /// What the message begins with; at least one. Descriptors without padding between them, or exactly one recipe or
    /// union, which is all of the bytes.
    pub parts: Vec<Part>,
    /// What stands behind the parts.
    pub tail: Option<Tail>,
    /// The file descriptors, in the order in which they are passed. At most one group is not exact.
    pub fds: Vec<FdGroup>,
    /// Conditions across fields, as declared.
    pub rules: Vec<Rule>,
}

/// A field of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MessageField<'a> {
    /// A contract.
    Part(&'a Part),
    /// What stands behind the parts.
    Tail(&'a Tail),
    /// File descriptors.
    Fds(&'a FdGroup),
}

impl Catalog {
    /// The longest message of a contract, in bytes: of a message or of one of several, and of what a message is made of.
    ///
    /// # Panics
    /// When the contract is neither.
    pub fn most_bytes(&self, id: ContractId) -> u64 {
        match &self.get(id).body {
            Body::Descriptor(descriptor) => u64::from(descriptor.size),
            Body::Recipe(recipe) => u64::from(recipe.max_bytes),
            Body::Union(union) => u64::from(union.max_bytes),
            Body::Message(message) => match message.max_bytes {
                Some(most) => u64::from(most),
                None => message.parts.iter().map(|part| self.most_bytes(part.contract)).sum(),
            },
            Body::Messages(messages) => match messages.by {
                Selector::Body(union) => self.most_bytes(union),
                Selector::Tag { .. } => {
                    let each = messages.variants.iter().map(|variant| self.most_bytes(variant.message()));
                    each.max().unwrap_or(0)
                }
            },
            body => panic!("{body:?} is no part of a message"),
        }
    }

    /// The first part of several messages that a tag tells apart: they all have it.
    ///
    /// # Panics
    /// When there are none, and when the first has none.
    pub fn first_part(&self, messages: &Messages) -> ContractId {
        self.get(messages.variants[0].message()).message().parts[0].contract
    }

    /// The fields on the way to the tag of several messages, from the first part in, each with the descriptor that it is
    /// of; none by body.
    pub fn tag_fields(&self, messages: &Messages) -> Vec<(ContractId, &Field)> {
        match &messages.by {
            Selector::Tag { path: Path(path), .. } => {
                self.fields_along(self.first_part(messages), &path[1..])
            }
            Selector::Body(_) => Vec::new(),
        }
    }

    /// The fields on the way that a path of positions leads from a descriptor in, each with the descriptor that it is of.
    ///
    /// # Panics
    /// When the path leads nowhere.
    pub fn fields_along(&self, holder: ContractId, path: &[usize]) -> Vec<(ContractId, &Field)> {
        let mut holder = Some(holder);
        let mut fields = Vec::with_capacity(path.len());
        for &index in path {
            let id = holder.unwrap_or_else(|| panic!("{path:?} leads into what is no descriptor"));
            let field = &self.get(id).descriptor().fields[index];
            fields.push((id, field));
            holder = match field.ty.element {
                Element::Descriptor(nested) => Some(nested),
                _ => None,
            };
        }
        fields
    }

    /// The most file descriptors that come with a message, or with one of several.
    pub fn most_fds(&self, id: ContractId) -> u32 {
        match &self.get(id).body {
            Body::Message(message) => message.fd_range().1,
            Body::Messages(messages) => {
                let each = messages.variants.iter().map(|variant| match &variant.holds {
                    MessageContent::Message(id) => self.most_fds(*id),
                    MessageContent::Value(_) | MessageContent::Nothing => 0,
                    MessageContent::Other => MOST_FDS,
                });
                each.max().unwrap_or(0)
            }
            _ => 0,
        }
    }
}

impl Message {
    /// The fields, in declared order.
    pub fn fields(&self) -> impl Iterator<Item = MessageField<'_>> {
        let parts = self.parts.iter().map(MessageField::Part);
        parts.chain(self.tail.iter().map(MessageField::Tail)).chain(self.fds.iter().map(MessageField::Fds))
    }

    /// The position of the first group of file descriptors among the fields.
    pub fn first_group(&self) -> usize {
        self.parts.len() + usize::from(self.tail.is_some())
    }

    /// The least and the greatest number of file descriptors that the declaration allows.
    pub fn fd_range(&self) -> (u32, u32) {
        let ranges = self.fds.iter().map(|group| group.form.range());
        ranges.fold((0, 0), |(least, most), range| (least + range.0, most + range.1))
    }
}

impl<'a> MessageField<'a> {
    /// The name in Rust.
    pub fn name(self) -> &'a str {
        match self {
            MessageField::Part(part) => &part.name,
            MessageField::Tail(tail) => &tail.name,
            MessageField::Fds(group) => &group.name,
        }
    }

    /// The C member's name, where the declaration fixes one.
    pub fn c_name(self) -> Option<&'a str> {
        let c_name = match self {
            MessageField::Part(part) => &part.c_name,
            MessageField::Tail(tail) => &tail.c_name,
            MessageField::Fds(group) => &group.c_name,
        };
        c_name.as_deref()
    }

    /// The name that it was first accepted under.
    pub fn first_name(self) -> &'a str {
        let was = match self {
            MessageField::Part(part) => &part.was,
            MessageField::Tail(tail) => &tail.was,
            MessageField::Fds(group) => &group.was,
        };
        was.as_deref().unwrap_or_else(|| self.name())
    }
}

/// A contract that a message holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The field's name in Rust, without `r#`.
    pub name: String,
    /// The name it was first accepted under.
    pub was: Option<String>,
    /// The documentation comment.
    pub docs: String,
    /// The version of the contract that introduced it.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// The C member's name, where the declaration fixes one.
    pub c_name: Option<String>,
    /// The descriptor, recipe or union. A descriptor that grows has a field that says its version.
    pub contract: ContractId,
}

/// What stands behind the parts, to the end of the message.
#[derive(Debug, Clone, PartialEq)]
pub struct Tail {
    /// The field's name in Rust, without `r#`.
    pub name: String,
    /// The name it was first accepted under.
    pub was: Option<String>,
    /// The documentation comment.
    pub docs: String,
    /// The version of the contract that introduced it.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// The C member's name, where the declaration fixes one.
    pub c_name: Option<String>,
    /// What its elements are.
    pub item: TailItem,
    /// How long it is.
    pub length: TailLength,
}

/// What the elements of a tail are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailItem {
    /// Descriptors that do not grow, without padding between them.
    Descriptor(ContractId),
    /// Bytes.
    Bytes,
    /// Bytes of UTF-8.
    Text,
}

/// How long a tail is.
#[derive(Debug, Clone, PartialEq)]
pub enum TailLength {
    /// To the end of the message.
    Rest,
    /// So many elements.
    Count(Computed),
    /// So many bytes.
    Bytes(Computed),
}

impl TailLength {
    /// The number that says how long it is, where one does.
    pub fn computed(&self) -> Option<&Computed> {
        match self {
            TailLength::Rest => None,
            TailLength::Count(computed) | TailLength::Bytes(computed) => Some(computed),
        }
    }
}

/// A number over the parts of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Computed {
    /// The expression as it was declared.
    pub text: String,
    /// The expression; it is a number.
    pub expr: Expr,
}

/// File descriptors that a message takes with it.
#[derive(Debug, Clone, PartialEq)]
pub struct FdGroup {
    /// The field's name in Rust, without `r#`.
    pub name: String,
    /// The name it was first accepted under.
    pub was: Option<String>,
    /// The documentation comment.
    pub docs: String,
    /// The version of the contract that introduced it.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// The C member's name, where the declaration fixes one.
    pub c_name: Option<String>,
    /// How many they are.
    pub form: FdForm,
}

/// How many file descriptors a group has.
#[derive(Debug, Clone, PartialEq)]
pub enum FdForm {
    /// One.
    One,
    /// One or none.
    Optional {
        /// When there is one, where the parts say it. The condition is over the parts alone.
        present_if: Option<Rule>,
    },
    /// Several.
    Many {
        /// The least number.
        least: u32,
        /// The greatest number.
        most: u32,
        /// The number, where the parts say it; it is to lie between the others.
        count: Option<Computed>,
    },
}

impl FdForm {
    /// The least and the greatest number that the declaration allows.
    pub const fn range(&self) -> (u32, u32) {
        match self {
            FdForm::One => (1, 1),
            FdForm::Optional { .. } => (0, 1),
            FdForm::Many { least, most, .. } => (*least, *most),
        }
    }

    /// Whether the declaration and the parts say how many there are. What is not exact takes what the others leave.
    pub fn is_exact(&self) -> bool {
        match self {
            FdForm::One => true,
            FdForm::Optional { present_if } => present_if.is_some(),
            FdForm::Many { least, most, count } => least == most || count.is_some(),
        }
    }
}

/// One of several messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Messages {
    /// What says which.
    pub by: Selector,
    /// The variants, as declared.
    pub variants: Vec<MessageVariant>,
}

/// What says which of several messages it is.
#[derive(Debug, Clone, PartialEq)]
pub enum Selector {
    /// A number in the first part, which all of them have.
    Tag {
        /// The field, from the message's first part in: an integer or an enumeration.
        path: Path,
        /// The same in words (`header.request`).
        text: String,
    },
    /// The variant of this union, which is the whole body. Each of its variants has a message of the same name.
    Body(ContractId),
}

/// One variant of several messages.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageVariant {
    /// The name in Rust.
    pub name: String,
    /// The name it was first accepted under.
    pub was: Option<String>,
    /// The documentation comment.
    pub docs: String,
    /// The version of the contract that introduced it.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// The C constant's name, where the declaration fixes one.
    pub c_name: Option<String>,
    /// The number in the tag's field; of the variant that takes every other number, and by body, nothing.
    pub value: Option<u64>,
    /// What it holds.
    pub holds: MessageContent,
}

/// What a variant of several messages holds.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageContent {
    /// A message.
    Message(ContractId),
    /// By body: what the union's variant holds. No file descriptors come with it.
    Value(JsonType),
    /// By body: as little as the union's variant. No file descriptors come with it.
    Nothing,
    /// By body: a tag that no variant has, what came with it, and up to [`MOST_FDS`] file descriptors.
    Other,
}

impl MessageContent {
    /// The message, where it holds one.
    pub const fn message(&self) -> Option<ContractId> {
        match self {
            MessageContent::Message(id) => Some(*id),
            MessageContent::Value(_) | MessageContent::Nothing | MessageContent::Other => None,
        }
    }

    /// The contract that it is, or that its items are of.
    pub fn contract(&self) -> Option<ContractId> {
        match self {
            MessageContent::Message(id) => Some(*id),
            MessageContent::Value(ty) => ty.contract(),
            MessageContent::Nothing | MessageContent::Other => None,
        }
    }
}

impl MessageVariant {
    /// The message that it holds.
    ///
    /// # Panics
    /// When it holds none, as it may by body.
    pub fn message(&self) -> ContractId {
        self.holds.message().unwrap_or_else(|| panic!("{} holds no message", self.name))
    }
}

impl Messages {
    /// The variant that keeps messages of an unknown tag.
    pub fn open(&self) -> Option<&MessageVariant> {
        self.variants.iter().find(|variant| match self.by {
            Selector::Tag { .. } => variant.value.is_none(),
            Selector::Body(_) => variant.holds == MessageContent::Other,
        })
    }
}

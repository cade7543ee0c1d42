//! One of several messages as owned data: which one it is, and what says so.

use super::{Catalog, ContractId, Field, JsonType, Member, Path};

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
    /// What it says of itself.
    pub member: Member,
    /// The number in the tag's field; of the variant that takes every other number, and by body, nothing.
    pub value: Option<u64>,
    /// By body: the position of the union's variant of the same name.
    pub of_union: Option<usize>,
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
    /// By body: a tag that no variant has, what came with it, and up to [`MOST_FDS`](super::MOST_FDS) file descriptors.
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
        self.holds.message().unwrap_or_else(|| panic!("{} holds no message", self.member.name))
    }
}

impl Messages {
    /// The union that is the whole body, where one is.
    pub const fn body(&self) -> Option<ContractId> {
        match self.by {
            Selector::Tag { .. } => None,
            Selector::Body(union) => Some(union),
        }
    }

    /// The contracts that it holds: the union that is the body, then those of the variants.
    pub fn held(&self) -> impl Iterator<Item = ContractId> {
        self.body().into_iter().chain(self.variants.iter().filter_map(|variant| variant.holds.contract()))
    }

    /// The position of the variant that is of that one of the union.
    ///
    /// # Panics
    /// When none is: by a tag, or where the union has no such variant.
    pub fn of_union(&self, variant: usize) -> usize {
        let found = self.variants.iter().position(|own| own.of_union == Some(variant));
        found.unwrap_or_else(|| panic!("no message is of the variant {variant} of a union"))
    }

    /// The variant that keeps messages of an unknown tag.
    pub fn open(&self) -> Option<&MessageVariant> {
        self.variants.iter().find(|variant| match self.by {
            Selector::Tag { .. } => variant.value.is_none(),
            Selector::Body(_) => variant.holds == MessageContent::Other,
        })
    }
}

impl Catalog {
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
}

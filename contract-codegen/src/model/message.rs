//! Messages as owned data: the bytes that a socket carries at once, and the file descriptors beside them.

use super::{Body, Catalog, ContractId, Element, Expr, Field, MessageContent, Rule, Selector};

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
    /// The file descriptors, in the order in which they are passed. At most one group is flexible.
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

    /// The recipe or union that is all of the bytes, of a message or of each of several; none where they are descriptors.
    pub fn document_of(&self, id: ContractId) -> Option<ContractId> {
        match &self.get(id).body {
            Body::Message(message) => {
                message.parts.first().map(|part| part.contract).filter(|&part| self.get(part).is_document())
            }
            Body::Messages(messages) => messages.body(),
            _ => None,
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

    /// The name of each field, and the one that it was first accepted under.
    pub fn names(&self) -> Vec<(&str, &str)> {
        self.fields().map(MessageField::member).map(|it| (&*it.name, it.first_name())).collect()
    }

    /// The contracts that it holds: of its parts, then of its tail's elements.
    pub fn held(&self) -> impl Iterator<Item = ContractId> {
        let item = self.tail.iter().filter_map(|tail| match tail.item {
            TailItem::Descriptor(id) => Some(id),
            TailItem::Bytes | TailItem::Text => None,
        });
        self.parts.iter().map(|part| part.contract).chain(item)
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
        &self.member().name
    }

    /// What it says of itself.
    pub fn member(self) -> &'a Member {
        match self {
            MessageField::Part(part) => &part.member,
            MessageField::Tail(tail) => &tail.member,
            MessageField::Fds(group) => &group.member,
        }
    }
}

/// What a field of a message, or a variant of several, says of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Member {
    /// The name in Rust, without `r#`.
    pub name: String,
    /// The name it was first accepted under.
    pub was: Option<String>,
    /// The documentation comment.
    pub docs: String,
    /// The version of the contract that introduced it.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// The name in C, where the declaration fixes one: of a field the member's, of a variant the constant's.
    pub c_name: Option<String>,
}

impl Member {
    /// The name that it was first accepted under.
    pub fn first_name(&self) -> &str {
        self.was.as_ref().unwrap_or(&self.name)
    }
}

/// A contract that a message holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What it says of itself.
    pub member: Member,
    /// The descriptor, recipe or union. A descriptor that grows has a field that says its version.
    pub contract: ContractId,
}

/// What stands behind the parts, to the end of the message.
#[derive(Debug, Clone, PartialEq)]
pub struct Tail {
    /// What it says of itself.
    pub member: Member,
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
    /// What it says of itself.
    pub member: Member,
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

    /// The least and the greatest number, where neither the declaration nor the parts say how many there are. What is
    /// flexible takes what the others leave, which are exact.
    pub fn flexible(&self) -> Option<(u32, u32)> {
        match self {
            FdForm::Optional { present_if: None } => Some((0, 1)),
            FdForm::Many { least, most, count: None } if least != most => Some((*least, *most)),
            FdForm::One | FdForm::Optional { .. } | FdForm::Many { .. } => None,
        }
    }
}

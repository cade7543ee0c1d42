//! A document that was written, begun again: whether its unions say the variants that were written.

use super::{Choice, Reader};
use crate::interpret::json::check::Place;
use crate::interpret::json::document::{Document, Kind, NodeId};
use crate::interpret::json::value::Value;
use crate::interpret::{Code, Fault};
use crate::model::{Body, Catalog, Content, ContractId, JsonType, Tagging};

/// Refuses members that are nobody's, and make a union of their object another variant.
pub(in crate::interpret::json) fn begin_again(
    catalog: &Catalog,
    id: ContractId,
    value: &Value,
    document: &Document<'_>,
) -> Result<(), Fault> {
    Reader { catalog, document, lenient: None }.object_again(id, value, Document::ROOT)
}

impl Reader<'_> {
    /// An object of its own: what is nested in it comes first.
    fn object_again(&self, id: ContractId, value: &Value, node: NodeId) -> Result<(), Fault> {
        self.nested_again(id, value, node)?;
        if keeps_members(self.catalog, id, value) { self.says(id, value, node) } else { Ok(()) }
    }

    fn nested_again(&self, id: ContractId, value: &Value, node: NodeId) -> Result<(), Fault> {
        match (&self.catalog.get(id).body, value) {
            (Body::Recipe(recipe), Value::Recipe(members)) => {
                recipe.keys.iter().zip(members).try_for_each(|(key, member)| match (&key.ty, member) {
                    (_, None) => Ok(()),
                    (JsonType::Recipe(part) | JsonType::Union(part), Some(member)) if key.flatten => {
                        self.nested_again(*part, member, node)
                    }
                    (ty, Some(member)) => self.value_again(ty, member, self.member(node, &key.key)),
                })
            }
            (Body::Union(union), Value::Union(variant, Some(content))) => {
                match (&union.variants[*variant].content, &union.tagging) {
                    (Content::Value { ty, .. }, Tagging::Adjacent { content: key, .. }) => {
                        self.value_again(ty, content, self.member(node, key))
                    }
                    (Content::Value { ty: JsonType::Recipe(part), .. }, _) => {
                        self.nested_again(*part, content, node)
                    }
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn value_again(&self, ty: &JsonType, value: &Value, node: Option<NodeId>) -> Result<(), Fault> {
        // A default may be left out.
        let Some(node) = node else { return Ok(()) };
        match (ty, value, &self.document.node(node).kind) {
            (JsonType::Recipe(id) | JsonType::Union(id), value, _) => self.object_again(*id, value, node),
            (JsonType::Array { item, .. }, Value::List(values), Kind::Array(nodes)) => {
                let mut items = values.iter().zip(nodes);
                items.try_for_each(|(value, &node)| self.value_again(item, value, Some(node)))
            }
            _ => Ok(()),
        }
    }

    /// Whether the unions whose members stand in an object are there what the value is.
    fn says(&self, id: ContractId, value: &Value, node: NodeId) -> Result<(), Fault> {
        let contract = self.catalog.get(id);
        match (&contract.body, value) {
            (Body::Recipe(recipe), Value::Recipe(members)) => {
                recipe.keys.iter().zip(members).try_for_each(|(key, member)| match (&key.ty, member) {
                    (JsonType::Recipe(part) | JsonType::Union(part), Some(member)) if key.flatten => {
                        self.says(*part, member, node)
                    }
                    _ => Ok(()),
                })
            }
            (Body::Union(union), value) => match (self.tagged(id, node), value, &union.tagging) {
                (Ok(Choice::Other(_)), Value::Other { .. }, _) => Ok(()),
                (Ok(Choice::Variant(said)), Value::Union(variant, content), tagging) if said == *variant => {
                    match (&union.variants[said].content, content, tagging) {
                        (_, _, Tagging::Adjacent { .. }) => Ok(()),
                        (Content::Value { ty: JsonType::Recipe(part), .. }, Some(content), _) => {
                            self.says(*part, content, node)
                        }
                        _ => Ok(()),
                    }
                }
                (_, _, tagging) => {
                    let field = match tagging {
                        Tagging::Internal { tag, .. } | Tagging::Adjacent { tag, .. } => tag,
                        Tagging::Untagged => "",
                    };
                    let place = Place { contract: &contract.name, field, offset: 0 };
                    Err(place.fault(Code::UnknownTag, "members that say no other variant", ""))
                }
            },
            _ => Ok(()),
        }
    }
}

/// Whether members that are nobody's stand in the object of a value.
fn keeps_members(catalog: &Catalog, id: ContractId, value: &Value) -> bool {
    match (&catalog.get(id).body, value) {
        (Body::Recipe(recipe), Value::Recipe(members)) => {
            recipe.keys.iter().zip(members).any(|(key, member)| match (&key.ty, member) {
                (JsonType::Recipe(part) | JsonType::Union(part), Some(member)) if key.flatten => {
                    keeps_members(catalog, *part, member)
                }
                _ => false,
            })
        }
        (Body::Union(union), value) if !matches!(union.tagging, Tagging::Adjacent { .. }) => match value {
            Value::Other { content, .. } => content.is_some(),
            Value::Union(variant, Some(content)) => match union.variants[*variant].content {
                Content::Value { ty: JsonType::Recipe(part), .. } => keeps_members(catalog, part, content),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

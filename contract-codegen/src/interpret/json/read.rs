//! A document to a value, or to the first fault.

mod again;
mod values;

use std::collections::BTreeSet;

pub(super) use again::begin_again;

use super::check::{Place, brief};
use super::document::{Document, Kind, Member, NodeId, Wrong, parse};
use super::lookup::{check_rules, default_value};
use super::value::Value;
use super::{JsonReading, write};
use crate::interpret::{Code, Fault};
use crate::model::{
    Body, Catalog, Content, ContractId, JsonType, Key, Moment, Presence, Tagging, WhenAbsent,
};

/// Reads a document of a recipe or union.
pub fn read(catalog: &Catalog, id: ContractId, document: &[u8]) -> Result<JsonReading, Fault> {
    read_as(catalog, id, document, None).map(|(reading, _)| reading)
}

/// Reads a document and takes lenient keys whose values are at fault for absent ones, and lenient tags; gives those
/// faults, too.
pub fn read_lenient(
    catalog: &Catalog,
    id: ContractId,
    document: &[u8],
) -> Result<(JsonReading, Vec<Fault>), Fault> {
    read_as(catalog, id, document, Some(Vec::new()))
}

fn read_as(
    catalog: &Catalog,
    id: ContractId,
    bytes: &[u8],
    lenient: Option<Vec<Fault>>,
) -> Result<(JsonReading, Vec<Fault>), Fault> {
    let contract = catalog.get(id);
    let (max_bytes, max_depth) = bounds(catalog, id);
    let whole = Place { contract: &contract.name, field: "", offset: 0 };
    if bytes.len() > max_bytes {
        let place = whole.at(max_bytes);
        return Err(place.fault(
            Code::TooLarge,
            format!("at most {max_bytes} bytes"),
            bytes.len().to_string(),
        ));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| whole.at(error.valid_up_to()).fault(Code::BadUtf8, "UTF-8", ""))?;
    let document = parse(text, max_depth).map_err(|wrong| match wrong {
        Wrong::Syntax { at, expected } => {
            let found = bytes.get(at).map_or("the end".to_owned(), |byte| format!("byte 0x{byte:02x}"));
            whole.at(at).fault(Code::NotJson, expected, found)
        }
        Wrong::Depth { at } => whole.at(at).fault(Code::TooDeep, format!("at most {max_depth} levels"), ""),
        Wrong::Surrogate { at } => whole.at(at).fault(Code::BadUtf8, "a pair of surrogates", ""),
    })?;
    if let Some((start, end)) = document.duplicate {
        return Err(whole.at(start).fault(Code::DuplicateKey, "each key once", brief(&text[start..end])));
    }
    let mut reader = Reader { catalog, document: &document, lenient };
    let value = reader.whole(id, Document::ROOT, whole)?;
    let written = write::write(catalog, id, &value);
    Ok((JsonReading { value, written }, reader.lenient.unwrap_or_default()))
}

/// The longest and the deepest document of a contract.
pub(crate) fn bounds(catalog: &Catalog, id: ContractId) -> (usize, usize) {
    match &catalog.get(id).body {
        Body::Recipe(recipe) => (recipe.max_bytes as usize, recipe.max_depth as usize),
        Body::Union(union) => (union.max_bytes as usize, union.max_depth as usize),
        _ => panic!("{} has no documents", catalog.get(id).name),
    }
}

struct Reader<'a> {
    catalog: &'a Catalog,
    document: &'a Document<'a>,
    /// The faults so far that lenient reading looked past; nothing when it is not asked for.
    lenient: Option<Vec<Fault>>,
}

/// The variant that an object says.
enum Choice {
    Variant(usize),
    Other(String),
}

/// The keys of an object that somebody has.
#[derive(Default)]
struct Claims {
    keys: BTreeSet<String>,
    /// The union whose variant keeps all others: the first one, if there are two.
    keeper: Option<ContractId>,
}

impl<'a> Reader<'a> {
    /// A recipe or union that is an object of its own.
    fn whole(&mut self, id: ContractId, node: NodeId, place: Place<'_>) -> Result<Value, Fault> {
        let start = self.document.node(node).start;
        let place = place.at(start);
        match &self.document.node(node).kind {
            Kind::Object(_) => {}
            Kind::Null => return Err(place.fault(Code::NullNotAllowed, "an object", "null")),
            _ => return Err(place.fault(Code::WrongType, "an object", self.shown(node))),
        }
        let mut claims = Claims::default();
        self.claim(id, node, &mut claims);
        let value = self.members(id, node, &claims)?;
        self.check_unknown(id, node, &claims)?;
        self.complete(id, &value, start)?;
        Ok(value)
    }

    /// A contract whose keys stand in the object of another one: complete, with conditions and rules, before what
    /// comes behind it is looked at.
    fn part(&mut self, id: ContractId, node: NodeId, claims: &Claims) -> Result<Value, Fault> {
        let value = self.members(id, node, claims)?;
        self.complete(id, &value, self.document.node(node).start)?;
        Ok(value)
    }

    /// Conditions and rules: of a union whose variant shares its object, the variant's first.
    fn complete(&self, id: ContractId, value: &Value, start: usize) -> Result<(), Fault> {
        if let (Body::Union(union), Value::Union(variant, Some(content))) =
            (&self.catalog.get(id).body, value)
            && !matches!(union.tagging, Tagging::Adjacent { .. })
            && let Content::Value { ty: JsonType::Recipe(part), .. } = union.variants[*variant].content
        {
            check_rules(self.catalog, part, content, start, Moment::Read, 0)?;
        }
        check_rules(self.catalog, id, value, start, Moment::Read, 0)
    }

    fn object(&self, node: NodeId) -> &'a [Member] {
        match &self.document.node(node).kind {
            Kind::Object(members) => members,
            _ => panic!("expected an object"),
        }
    }

    fn member(&self, node: NodeId, key: &str) -> Option<NodeId> {
        self.object(node).iter().find(|member| member.key == key).map(|member| member.value)
    }

    /// Collects the keys that a contract and its flattened parts have in an object.
    fn claim(&self, id: ContractId, node: NodeId, claims: &mut Claims) {
        match &self.catalog.get(id).body {
            Body::Recipe(recipe) => {
                for key in &recipe.keys {
                    match key.ty {
                        JsonType::Recipe(part) | JsonType::Union(part) if key.flatten => {
                            self.claim(part, node, claims);
                        }
                        _ => {
                            claims.keys.insert(key.key.clone());
                        }
                    }
                }
            }
            Body::Union(union) => {
                if let Tagging::Internal { tag, .. } | Tagging::Adjacent { tag, .. } = &union.tagging {
                    claims.keys.insert(tag.clone());
                }
                // When the tag is at fault, that is said in its turn.
                let Ok((choice, _)) = self.choose(id, node) else { return };
                let content = match choice {
                    Choice::Variant(variant) => &union.variants[variant].content,
                    Choice::Other(_) => &Content::Other,
                };
                match (content, &union.tagging) {
                    (Content::Nothing, _) => {}
                    (_, Tagging::Adjacent { content, .. }) => {
                        claims.keys.insert(content.clone());
                    }
                    (Content::Value { ty: JsonType::Recipe(part), .. }, _) => self.claim(*part, node, claims),
                    (Content::Value { ty, .. }, _) => panic!("{ty:?} has no keys of its own"),
                    (Content::Other, _) => {
                        claims.keeper.get_or_insert(id);
                    }
                }
            }
            _ => panic!("{} has no keys", self.catalog.get(id).name),
        }
    }

    /// The values of a contract's keys in an object that others may have keys in, too.
    fn members(&mut self, id: ContractId, node: NodeId, claims: &Claims) -> Result<Value, Fault> {
        let contract = self.catalog.get(id);
        match &contract.body {
            Body::Recipe(recipe) => {
                let keys = recipe.keys.iter().map(|key| match key.ty {
                    JsonType::Recipe(part) | JsonType::Union(part) if key.flatten => {
                        self.part(part, node, claims).map(Some)
                    }
                    _ => self.key(&contract.name, key, node),
                });
                keys.collect::<Result<_, _>>().map(Value::Recipe)
            }
            Body::Union(_) => self.union(id, node, claims),
            _ => panic!("{} has no keys", contract.name),
        }
    }

    fn key(&mut self, contract: &str, key: &Key, object: NodeId) -> Result<Option<Value>, Fault> {
        let place = Place { contract, field: &key.key, offset: self.document.node(object).start };
        let nullable = match key.presence {
            Presence::Required => false,
            Presence::Optional { nullable, null_when_absent, .. } => nullable || null_when_absent,
            Presence::Defaulted { nullable, .. } => nullable,
        };
        if let Some(node) = self.member(object, &key.key) {
            let is_null = matches!(self.document.node(node).kind, Kind::Null);
            if !(is_null && nullable) {
                let before = self.lenient.as_ref().map_or(0, Vec::len);
                match (self.value(&key.ty, node, place), &mut self.lenient) {
                    (Ok(value), _) => return Ok(Some(value)),
                    (Err(fault), Some(faults)) if key.lenient => {
                        // What lies within a value that counts as absent is not looked past: it is not there.
                        faults.truncate(before);
                        faults.push(fault);
                    }
                    (Err(fault), _) => return Err(fault),
                }
            }
        }
        match &key.presence {
            Presence::Required => Err(missing(place)),
            Presence::Optional { .. } => Ok(None),
            Presence::Defaulted { default, .. } => Ok(Some(default_value(self.catalog, &key.ty, default))),
        }
    }

    fn union(&mut self, id: ContractId, node: NodeId, claims: &Claims) -> Result<Value, Fault> {
        let contract = self.catalog.get(id);
        let union = contract.union();
        let (choice, forgiven) = self.choose(id, node)?;
        if let Some(faults) = &mut self.lenient {
            faults.extend(forgiven);
        }
        let variant = match (choice, &union.tagging) {
            (Choice::Variant(variant), _) => variant,
            (Choice::Other(tag), Tagging::Adjacent { content, .. }) => {
                let content = self.member(node, content).map(|node| self.document.compact(node));
                return Ok(Value::Other { tag, content });
            }
            (Choice::Other(tag), _) => {
                let is_kept =
                    |member: &&Member| claims.keeper == Some(id) && !claims.keys.contains(&member.key);
                let rest = self.object(node).iter().filter(is_kept).map(|member| {
                    let mut text = String::new();
                    write::push_string(&mut text, &member.key);
                    format!("{text}:{}", self.document.compact(member.value))
                });
                let content = format!("{{{}}}", rest.collect::<Vec<_>>().join(","));
                return Ok(Value::Other { tag, content: Some(content) });
            }
        };
        let content = match (&union.variants[variant].content, &union.tagging) {
            (Content::Nothing | Content::Other, _) => None,
            (Content::Value { ty, default }, Tagging::Adjacent { content, .. }) => {
                let start = self.document.node(node).start;
                let place = Place { contract: &contract.name, field: content, offset: start };
                Some(match (self.member(node, content), default) {
                    (Some(node), _) => self.value(ty, node, place)?,
                    (None, Some(default)) => default_value(self.catalog, ty, default),
                    (None, None) => return Err(missing(place)),
                })
            }
            (Content::Value { ty: JsonType::Recipe(part), .. }, _) => {
                Some(self.members(*part, node, claims)?)
            }
            (Content::Value { ty, .. }, _) => panic!("{ty:?} has no keys of its own"),
        };
        Ok(Value::Union(variant, content.map(Box::new)))
    }

    /// Which variant an object is, and the fault of its tag where lenient reading takes that for an absent one.
    fn choose(&self, id: ContractId, node: NodeId) -> Result<(Choice, Option<Fault>), Fault> {
        let union = self.catalog.get(id).union();
        match (self.tagged(id, node), union.absent()) {
            (Ok(choice), _) => Ok((choice, None)),
            (Err(fault), Some(absent)) if union.lenient && self.lenient.is_some() => {
                Ok((Choice::Variant(absent), Some(fault)))
            }
            (Err(fault), _) => Err(fault),
        }
    }

    /// Which variant the tag of an object says, or its keys where there is none.
    fn tagged(&self, id: ContractId, node: NodeId) -> Result<Choice, Fault> {
        let contract = self.catalog.get(id);
        let union = contract.union();
        let tag = match &union.tagging {
            Tagging::Internal { tag, .. } | Tagging::Adjacent { tag, .. } => tag,
            Tagging::Untagged => {
                let fits = |content: &Content| match content {
                    Content::Value { ty: JsonType::Recipe(recipe), .. } => {
                        self.catalog.get(*recipe).recipe().keys.iter().all(|key| {
                            key.flatten
                                || key.presence != Presence::Required
                                || self.member(node, &key.key).is_some()
                        })
                    }
                    _ => true,
                };
                let first = union.variants.iter().position(|variant| fits(&variant.content));
                return Ok(Choice::Variant(first.unwrap_or(union.variants.len() - 1)));
            }
        };
        let place = Place { contract: &contract.name, field: tag, offset: self.document.node(node).start };
        let Some(value) = self.member(node, tag) else {
            return union.absent().map(Choice::Variant).ok_or_else(|| missing(place));
        };
        let place = place.at(self.document.node(value).start);
        let text = match &self.document.node(value).kind {
            Kind::Text(text) => text,
            Kind::Null => return Err(place.fault(Code::NullNotAllowed, "a string", "null")),
            _ => return Err(place.fault(Code::WrongType, "a string", self.shown(value))),
        };
        let has_tag = |variant: &crate::model::Variant| {
            variant.content != Content::Other
                && variant.when_absent != WhenAbsent::NoTag
                && (variant.tag == *text || variant.aliases.contains(text))
        };
        match union.variants.iter().position(has_tag) {
            Some(variant) => Ok(Choice::Variant(variant)),
            None if union.open().is_some() => Ok(Choice::Other(text.clone())),
            None => {
                let expected = format!("a tag of {}", contract.name);
                Err(place.fault(Code::UnknownTag, expected, self.shown(value)))
            }
        }
    }

    /// Refuses keys that nobody has, where the object's own recipe says so.
    fn check_unknown(&self, id: ContractId, node: NodeId, claims: &Claims) -> Result<(), Fault> {
        let contract = self.catalog.get(id);
        let denies = match &contract.body {
            Body::Recipe(recipe) => recipe.deny_unknown,
            Body::Union(union) => {
                // A variant's recipe that shares the object with the tag has the say.
                if !matches!(union.tagging, Tagging::Adjacent { .. })
                    && let Ok((Choice::Variant(variant), _)) = self.choose(id, node)
                    && let Content::Value { ty: JsonType::Recipe(part), .. } = union.variants[variant].content
                {
                    return self.check_unknown(part, node, claims);
                }
                false
            }
            _ => false,
        };
        let unknown = self.object(node).iter().find(|member| !claims.keys.contains(&member.key));
        match unknown {
            Some(member) if denies && claims.keeper.is_none() => {
                let place = Place { contract: &contract.name, field: "", offset: member.start };
                let key = brief(&self.document.text[member.start..member.end]);
                Err(place.fault(Code::UnknownKey, format!("a key of {}", contract.name), key))
            }
            _ => Ok(()),
        }
    }

    /// A value in short, for a message.
    fn shown(&self, node: NodeId) -> String {
        match self.document.node(node).kind {
            Kind::Array(_) => "an array".to_owned(),
            Kind::Object(_) => "an object".to_owned(),
            _ => brief(self.document.token(node)),
        }
    }
}

fn missing(place: Place<'_>) -> Fault {
    place.fault(Code::MissingKey, format!("the key `{}`", place.field), "")
}

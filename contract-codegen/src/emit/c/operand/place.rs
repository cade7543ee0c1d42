//! Where the value of a path stands, and what it is there.

use super::{Form, Kind, Source, Subject};
use crate::emit::c::place::Place;
use crate::emit::c::recipe::presence;
use crate::emit::c::types::is_open_name;
use crate::emit::c::view::element_type;
use crate::model::{
    Body, ContractId, Element, Field, JsonType, Key, Literal, MessageField, Path, Presence, Scalar,
};
use crate::names::c as names;

/// What a path leads to.
pub(super) enum Target<'a> {
    /// A recipe's key: what comes before the member's name (`value->image.`), and the recipe.
    Key(String, ContractId, &'a Key),
    /// A descriptor's field: what follows `bytes + `, or the member; and the descriptor.
    Field(String, ContractId, &'a Field),
}

impl Subject<'_> {
    /// Whether an optional key is there, and what holds it.
    pub(super) fn presence(&self, path: &Path) -> String {
        let steps = (self.first_step()..=path.0.len()).filter_map(|length| {
            match self.target(&Path(path.0[..length].to_vec())) {
                Target::Key(owner, owner_id, key) => presence(self.input, owner_id, &owner, key),
                Target::Field(..) => None,
            }
        });
        let steps: Vec<String> = steps.collect();
        if steps.is_empty() { "true".to_owned() } else { steps.join(" && ") }
    }

    pub(super) fn source(&self, path: &Path, number: usize) -> Source {
        if path.0.len() < self.first_step() {
            let union = match path.0.first() {
                Some(&part) => format!("{}.", self.part(part).0),
                None => "value->".to_owned(),
            };
            return Source {
                code: format!("{union}tag"),
                before: Vec::new(),
                kind: Kind::Tag,
                present: None,
            };
        }
        let (owner, owner_id, key) = match self.target(path) {
            Target::Field(place, id, field) => return self.descriptor_source(path, place, id, field, number),
            Target::Key(owner, owner_id, key) => (owner, owner_id, key),
        };
        let place = format!("{owner}{}", names::key_member(key));
        let (code, kind) = match &key.ty {
            JsonType::Integer { scalar, .. } => (place, Kind::Number(*scalar)),
            JsonType::Bool => (place, Kind::Bool),
            JsonType::Enumeration { contract, open, .. } if is_open_name(self.input, *contract, *open) => {
                (place, Kind::OpenName(*contract))
            }
            JsonType::Enumeration { contract, open, .. } => {
                (place, Kind::Enumeration { id: *contract, open: *open })
            }
            JsonType::Flags { contract } => (place, Kind::Flags(*contract)),
            JsonType::Union(_) => (format!("{place}.tag"), Kind::Tag),
            _ => unreachable!("{} has no value in a rule", key.name),
        };
        Source { code, before: Vec::new(), kind, present: self.absence(&owner, owner_id, key) }
    }

    fn descriptor_source(
        &self,
        path: &Path,
        place: String,
        id: ContractId,
        field: &Field,
        number: usize,
    ) -> Source {
        let kind = match field.ty.element {
            Element::Scalar(Scalar::Bool) => Kind::Bool,
            Element::Scalar(scalar) => Kind::Number(scalar),
            Element::Enumeration { contract, open } => Kind::Enumeration { id: contract, open },
            Element::Flags { contract } => Kind::Flags(contract),
            Element::Descriptor(_) => unreachable!("{} has no value in a rule", field.name),
        };
        match self.form {
            Form::Bytes => {
                let index = *path.0.last().expect("a value is that of a field");
                let ty = match kind {
                    Kind::Bool => "uint8_t".to_owned(),
                    _ => element_type(self.input, field.ty.element),
                };
                let field =
                    Place::all(self.input, self.traits, id).nth(index).expect("a field of the descriptor");
                let variable = format!("b{number}");
                let before = vec![
                    format!("{ty} {variable};"),
                    field.transfer(&format!("&{variable}"), &format!("bytes + {place}"), 1),
                ];
                Source { code: variable, before, kind, present: None }
            }
            Form::Value => Source { code: place, before: Vec::new(), kind, present: None },
        }
    }

    /// How many steps lead to a field at least: in a message the first one leads to a part.
    fn first_step(&self) -> usize {
        if let Body::Message(_) = self.input.catalog.get(self.id).body { 2 } else { 1 }
    }

    /// Where a part of a message is, and its contract.
    fn part(&self, index: usize) -> (String, ContractId) {
        let part = &self.input.catalog.get(self.id).message().parts[index];
        (format!("value->{}", names::message_member(MessageField::Part(part))), part.contract)
    }

    /// What a path leads to.
    pub(super) fn target(&self, path: &Path) -> Target<'_> {
        let mut id = self.id;
        let (mut offsets, mut owner) = (Vec::new(), "value->".to_owned());
        let (last, outer) = path.0.split_last().expect("a path leads somewhere");
        for &index in outer {
            let contract = self.input.catalog.get(id);
            match &contract.body {
                Body::Descriptor(descriptor) => {
                    let field = &descriptor.fields[index];
                    let Element::Descriptor(nested) = field.ty.element else {
                        unreachable!("a path leads through descriptors")
                    };
                    offsets.push(self.offset(id, field));
                    owner = format!("{owner}{}.", names::member(field));
                    id = nested;
                }
                Body::Message(_) => {
                    let (part, nested) = self.part(index);
                    owner = format!("{part}.");
                    id = nested;
                }
                _ => {
                    let key = &contract.recipe().keys[index];
                    owner = format!("{owner}{}.", names::key_member(key));
                    id = match key.ty {
                        JsonType::Recipe(nested) | JsonType::Descriptor { contract: nested, .. } => nested,
                        _ => unreachable!("a path leads through recipes and descriptors"),
                    };
                }
            }
        }
        match &self.input.catalog.get(id).body {
            Body::Descriptor(descriptor) => {
                let field = &descriptor.fields[*last];
                offsets.push(self.offset(id, field));
                let place = match self.form {
                    Form::Bytes => offsets.join(" + "),
                    Form::Value => format!("{owner}{}", names::member(field)),
                };
                Target::Field(place, id, field)
            }
            Body::Recipe(recipe) => Target::Key(owner, id, &recipe.keys[*last]),
            _ => unreachable!("a path leads through recipes and descriptors"),
        }
    }

    fn offset(&self, id: ContractId, field: &Field) -> String {
        let constants = names::constant_stem(&self.input.family_of(id).package, self.input.catalog.get(id));
        format!("{constants}_{}_OFFSET", names::field_constant(field))
    }

    /// When an optional key is there, and what it stands for when it is not.
    pub(super) fn absence(&self, owner: &str, owner_id: ContractId, key: &Key) -> Option<(String, Literal)> {
        let Presence::Optional { default: Some(default), .. } = &key.presence else { return None };
        Some((presence(self.input, owner_id, owner, key)?, default.clone()))
    }
}

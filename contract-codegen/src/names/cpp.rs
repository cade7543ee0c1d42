//! A contract's words in C++: types and values as in Rust, members as in C, and what would share a name.
//!
//! The policy for words that are taken is C's: a trailing underscore. What generated structs define themselves
//! (`from_bytes`, `wire_size`) is taken for members too.

mod export;

use std::collections::{BTreeMap, BTreeSet};

use super::c;
use crate::emit::{EmitError, EmitInput, Family};
use crate::model::{
    Body, Contract, DataKey, Descriptor, EnumValue, Field, Key, Literal, MessageField, MessageVariant,
    Presence, Role, Variant,
};

pub use export::{function, result_member, result_type};

/// What [`EmitError`] calls this target.
pub const TARGET: &str = "C++";

/// What every generated struct of a descriptor defines.
const STRUCT_NAMES: [&str; 13] = [
    "from_bytes",
    "read_prefix",
    "to_bytes",
    "validate",
    "validate_import",
    "from_c",
    "to_c",
    "wire_size",
    "wire_id",
    // Of those that grow; a member keeps its name when its descriptor begins to.
    "wire_sizes",
    "from_bytes_or_newer",
    "version_of",
    "write_version",
];

/// What every generated struct of a recipe defines.
const RECIPE_NAMES: [&str; 8] =
    ["check", "validate_import", "to_c", "from_c", "from_json", "from_json_lenient", "to_json", "wire_id"];

/// What every generated struct of a message, or of one of several, defines.
const MESSAGE_NAMES: [&str; 11] = [
    "from_message",
    "to_message",
    "split",
    "join",
    "validate_import",
    "from_c",
    "to_c",
    "room",
    "wire_id",
    "max_bytes",
    "max_fds",
];

/// The functions that every enumeration or every flags type has, by overloads.
const FREE_FUNCTIONS: [&str; 4] = ["is_known", "to_string", "known_bits", "wire_id"];

/// What `core.hpp` declares in the namespace `wirecontract`.
const CORE_NAMES: [&str; 23] = [
    "document",
    "bytes_view",
    "c_text",
    "call_error",
    "callback",
    "detail",
    "error",
    "failure",
    "flags",
    "joined_message",
    "mutable_view",
    "owned_bytes",
    "owned_text",
    "prefix",
    "result",
    "spoken",
    "spoken_version",
    "status",
    "text_pair",
    "to_string",
    "view",
    "wire_error",
    "written_message",
];

/// The struct or `enum class`.
pub fn type_name(contract: &Contract) -> String {
    c::escape(&contract.name)
}

/// The namespace of a family: `wirecontract::cuvis`.
pub fn namespace(family: &Family) -> String {
    format!("{}::{}", family.package.cpp_namespace, c::escape(&family.name))
}

/// The header of a family as `#include` names it: `wirecontract/cuvis.hpp`.
pub fn header(family: &Family) -> String {
    format!("{}/{}.hpp", family.package.include_dir, family.name)
}

/// An enumerator.
pub fn enumerator(value: &EnumValue) -> String {
    c::escape(&value.name)
}

/// The enumerators of a value's aliases; as in C, an alias that is no word has none.
pub fn alias_enumerators(value: &EnumValue) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for alias in value.aliases.iter().filter(|alias| c::is_word(alias)) {
        let name = c::escape(&alias.replace('-', "_"));
        if c::is_identifier(&name) && name != enumerator(value) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The function that gives what values carry under a key.
pub fn data_function(key: &DataKey) -> String {
    c::escape(&key.name)
}

/// A member, or the accessor of a counted array or a text.
pub fn member(field: &Field) -> String {
    let name = base(field);
    if STRUCT_NAMES.contains(&name) { format!("{name}_") } else { c::escape(name) }
}

/// A recipe's member.
pub fn key_member(key: &Key) -> String {
    let name = key_base(key);
    if RECIPE_NAMES.contains(&name) { format!("{name}_") } else { c::escape(name) }
}

/// A message's member.
pub fn message_member(field: MessageField<'_>) -> String {
    let name = field.member().c_name.as_deref().unwrap_or(field.name());
    if MESSAGE_NAMES.contains(&name) { format!("{name}_") } else { c::escape(name) }
}

/// The constant that is a key's default.
pub fn default_constant(key: &Key) -> String {
    format!("default_{}", key_base(key))
}

/// What gives an optional key's value or its default.
pub fn key_accessor(key: &Key) -> String {
    format!("{}_or_default", key_base(key))
}

fn key_base(key: &Key) -> &str {
    key.c_name.as_deref().unwrap_or(&key.name)
}

/// The `enum class` of a union's tag.
pub fn tag_type(contract: &Contract) -> String {
    format!("{}Tag", contract.name)
}

/// The enumerator of a union's variant.
pub fn variant_enumerator(variant: &Variant) -> String {
    c::escape(&variant.name)
}

/// The struct that is a union's variant.
pub fn variant_type(contract: &Contract, variant: &Variant) -> String {
    format!("{}{}", contract.name, variant.name)
}

/// The struct that is a variant of one of several messages.
pub fn message_variant_type(contract: &Contract, variant: &MessageVariant) -> String {
    format!("{}{}", contract.name, variant.member.name)
}

/// What a key is called in its C++ struct.
pub fn key_members(key: &Key) -> Vec<String> {
    let mut names = vec![key_member(key)];
    if let Some(default) = key.presence.default() {
        names.push(default_constant(key));
        names.extend(parts(default, &default_constant(key)));
        if matches!(key.presence, Presence::Optional { .. }) {
            names.push(key_accessor(key));
        }
    }
    names
}

/// The constants that a default points to.
fn parts(literal: &Literal, name: &str) -> Vec<String> {
    let Literal::List(items) = literal else { return Vec::new() };
    let mut names = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if let Literal::List(_) = item {
            let inner = format!("{name}_{index}_items");
            names.extend(parts(item, &inner));
            names.push(inner);
        }
    }
    names
}

/// The member that holds all elements of a counted array, or a text with its padding.
pub fn array(field: &Field) -> String {
    format!("{}_array", base(field))
}

/// What replaces a text, the elements of a counted array, or those of all arrays that the field counts.
pub fn setter(field: &Field) -> String {
    format!("set_{}", base(field))
}

/// Each that is wanted, with as many underscores as it takes to be no member and no other parameter: a parameter
/// must not hide one.
pub fn parameters(descriptor: &Descriptor, wanted: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in wanted {
        let mut name = name.clone();
        while names.contains(&name)
            || (0..descriptor.fields.len()).any(|index| members(descriptor, index).contains(&name))
        {
            name.push('_');
        }
        names.push(name);
    }
    names
}

/// What a field is called in its C++ struct: nothing for what is not a value's to say.
pub fn members(descriptor: &Descriptor, index: usize) -> Vec<String> {
    let field = &descriptor.fields[index];
    match field.role {
        Role::Magic(_) | Role::Reserved { .. } => Vec::new(),
        Role::Text => vec![member(field), array(field), setter(field)],
        Role::LengthOf(_) if is_shared(field) => vec![member(field), setter(field)],
        _ => match descriptor.count_of(index) {
            Some(count) if is_shared(&descriptor.fields[count]) => vec![member(field), array(field)],
            Some(_) => vec![member(field), array(field), setter(field)],
            None => vec![member(field)],
        },
    }
}

/// Whether a field counts several arrays, which are then set together.
fn is_shared(count: &Field) -> bool {
    matches!(&count.role, Role::LengthOf(targets) if targets.len() > 1)
}

/// Every pair of things that would share a name in one scope, among the families that are written and those they
/// could meet in one translation unit.
pub fn check(input: &EmitInput<'_>) -> Vec<EmitError> {
    let mut scopes = Scopes::default();
    for name in CORE_NAMES {
        scopes.names.insert(format!("wirecontract::{name}"), ("<wirecontract/core.hpp>".to_owned(), false));
    }
    for (index, family) in input.families.iter().enumerate() {
        scopes.selected = input.selected.contains(&index);
        let namespace = namespace(family);
        scopes.namespace(family, &namespace);
        for &id in &family.contracts {
            let contract = input.catalog.get(id);
            let whole = c::label(contract, "");
            if let Body::Function(body) = &contract.body {
                scopes.function(input, family, contract, body);
                continue;
            }
            if let Body::Symbols(_) = contract.body {
                continue;
            }
            scopes.identifier(&contract.name, &whole);
            scopes.claim(&namespace, &type_name(contract), &whole);
            if let Body::Union(union) = &contract.body {
                scopes.claim(&namespace, &tag_type(contract), &whole);
                for variant in &union.variants {
                    let owner = c::label(contract, &variant.name);
                    scopes.claim(&namespace, &variant_type(contract, variant), &owner);
                }
            }
            if let Body::Messages(messages) = &contract.body {
                scopes.claim(&namespace, &tag_type(contract), &whole);
                for variant in &messages.variants {
                    let owner = c::label(contract, &variant.member.name);
                    scopes.claim(&namespace, &message_variant_type(contract, variant), &owner);
                }
            }
            for function in FREE_FUNCTIONS {
                scopes.names.entry(format!("{namespace}::{function}")).or_insert((whole.clone(), false));
            }
        }
        for &id in &family.contracts {
            scopes.contract(&namespace, input.catalog.get(id));
        }
    }
    scopes.errors
}

fn base(field: &Field) -> &str {
    field.c_name.as_deref().unwrap_or(&field.name)
}

/// Qualified names and who has them.
#[derive(Default)]
struct Scopes {
    /// The owner, and whether it is in a family that is written.
    names: BTreeMap<String, (String, bool)>,
    /// Those of functions that are exported.
    functions: BTreeSet<String>,
    errors: Vec<EmitError>,
    selected: bool,
}

impl Scopes {
    fn namespace(&mut self, family: &Family, namespace: &str) {
        let owner = format!("family {} of {}", family.name, family.package.package);
        for word in family.package.cpp_namespace.split("::").chain([family.name.as_str()]) {
            self.identifier(word, &owner);
        }
        let (outer, inner) = namespace.rsplit_once("::").unwrap_or(("", namespace));
        self.claim(outer, inner, &owner);
    }

    fn contract(&mut self, namespace: &str, contract: &Contract) {
        let scope = format!("{namespace}::{}", type_name(contract));
        match &contract.body {
            Body::Descriptor(descriptor) => {
                for (index, field) in descriptor.fields.iter().enumerate() {
                    let owner = c::label(contract, &field.name);
                    for name in members(descriptor, index) {
                        self.member(namespace, &scope, &name, &owner);
                    }
                }
            }
            Body::Recipe(recipe) => {
                for key in &recipe.keys {
                    let owner = c::label(contract, &key.name);
                    for name in key_members(key) {
                        self.member(namespace, &scope, &name, &owner);
                    }
                }
            }
            Body::Union(union) => {
                for variant in &union.variants {
                    let owner = c::label(contract, &variant.name);
                    self.identifier(&variant.name, &owner);
                    self.claim(
                        &format!("{namespace}::{}", tag_type(contract)),
                        &variant_enumerator(variant),
                        &owner,
                    );
                }
            }
            Body::Enumeration(enumeration) => {
                for key in &enumeration.data {
                    let owner = format!("data {} of {}", key.name, c::label(contract, ""));
                    let name = format!("{namespace}::{}", data_function(key));
                    // Data functions of several enumerations are overloads of each other.
                    match self.names.get(&name) {
                        Some((first, _)) if !first.starts_with("data ") => {
                            let first = first.clone();
                            self.collide(data_function(key), first, &owner);
                        }
                        _ => {
                            self.names.insert(name, (owner, self.selected));
                        }
                    }
                }
                self.values(&scope, contract, &enumeration.values);
            }
            Body::Flags(flags) => self.values(&scope, contract, &flags.values),
            Body::Message(message) => {
                for field in message.fields() {
                    let owner = c::label(contract, field.name());
                    self.member(namespace, &scope, &message_member(field), &owner);
                }
            }
            Body::Messages(messages) => {
                let scope = format!("{namespace}::{}", tag_type(contract));
                for variant in &messages.variants {
                    let owner = c::label(contract, &variant.member.name);
                    self.identifier(&variant.member.name, &owner);
                    self.claim(&scope, &c::escape(&variant.member.name), &owner);
                }
            }
            // Its members are those of the C struct.
            Body::Abi(_) | Body::Handle(_) | Body::Function(_) | Body::Symbols(_) => {}
        }
    }

    fn member(&mut self, namespace: &str, scope: &str, name: &str, owner: &str) {
        // A member that is called as a type of its namespace would change what that name means; a function of that name is
        // not used inside a struct.
        let outer = format!("{namespace}::{name}");
        let is_function = |owner: &str| {
            FREE_FUNCTIONS.contains(&name) || owner.starts_with("data ") || self.functions.contains(&outer)
        };
        if let Some((first, _)) = self.names.get(&outer).filter(|(owner, _)| !is_function(owner)) {
            let first = first.clone();
            self.collide(name.to_owned(), first, owner);
        }
        self.claim(scope, name, owner);
    }

    fn values(&mut self, scope: &str, contract: &Contract, values: &[EnumValue]) {
        for value in values {
            let owner = c::label(contract, &value.name);
            self.identifier(&value.name, &owner);
            self.claim(scope, &enumerator(value), &owner);
            for alias in alias_enumerators(value) {
                self.claim(scope, &alias, &format!("an alias of {owner}"));
            }
        }
    }

    fn claim(&mut self, scope: &str, name: &str, owner: &str) {
        let qualified = format!("{scope}::{name}");
        match self.names.get(&qualified) {
            None => {
                self.names.insert(qualified, (owner.to_owned(), self.selected));
            }
            Some((_, selected)) if !selected && !self.selected => {}
            Some((first, _)) => {
                let first = first.clone();
                self.collide(name.to_owned(), first, owner);
            }
        }
    }

    fn collide(&mut self, name: String, first: String, second: &str) {
        self.errors.push(EmitError::Collision { target: TARGET, name, first, second: second.to_owned() });
    }

    fn identifier(&mut self, name: &str, owner: &str) {
        if self.selected && !c::is_identifier(name) {
            self.errors.push(EmitError::BadName {
                target: TARGET,
                name: name.to_owned(),
                contract: owner.to_owned(),
                reason: "an identifier has ASCII letters, digits and `_` only, and begins with no digit"
                    .to_owned(),
            });
        }
    }
}

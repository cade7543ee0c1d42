//! The names that C cannot have: words that are none or are taken, and two things of one name in its one namespace.

mod export;
mod message;

use std::collections::{BTreeMap, BTreeSet};

use super::{
    TARGET, abi_member, alias_constants, constant_stem, count_member, field_constant, guard, has_count,
    header, is_identifier, is_reserved, key_member, label, member, message_member, message_variant_member,
    parameters, presence_member, stem, tag_type, type_name, value_constant, value_type, variant_constant,
    variant_member,
};
use crate::emit::c::has_header;
use crate::emit::c::recipe::key_constants;
use crate::emit::c::types::helper_names;
use crate::emit::documents::FUNCTIONS;
use crate::emit::{EmitError, EmitInput, Family, PackageConfig};
use crate::model::{AbiType, Body, Content, Contract, EnumValue, JsonType, Key, Member, Presence, Symbols};

/// The functions that every descriptor has, by what follows the type's stem.
const DESCRIPTOR_FUNCTIONS: [&str; 12] = [
    "read",
    "read_prefix",
    "write",
    "init",
    "validate",
    "validate_import",
    "detail_check",
    "detail_decode",
    "detail_encode",
    "detail_refuse",
    "detail_settle",
    "detail_import",
];

/// The functions that a descriptor which grows has besides.
const GROWTH_FUNCTIONS: [&str; 14] = [
    "read_or_newer",
    "write_version",
    "version_of",
    "size_of",
    "detail_defaults",
    "detail_fail_size",
    "detail_say_version",
    "detail_said",
    "detail_version",
    "detail_is_newest",
    "detail_complete",
    "detail_read_other",
    "detail_read_any",
    "detail_held_back",
];

/// The functions that every recipe and every union has.
const RECIPE_FUNCTIONS: [&str; 3] = ["init", "check", "validate_import"];

/// Every name that cannot be one, and every pair of things that would share one, among the families that are
/// written and those they could meet in one translation unit. `core` is the text of `core.h`, whose names are
/// taken too.
pub fn check(input: &EmitInput<'_>, core: &str) -> Vec<EmitError> {
    let mut registry = Registry::default();
    for word in core.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        if word.starts_with("wc_") || word.starts_with("WC_") || word.starts_with("WIRECONTRACT_") {
            registry.names.entry(word.to_owned()).or_insert(("<wirecontract/core.h>".to_owned(), false));
        }
    }
    for (index, family) in input.families.iter().enumerate() {
        registry.selected = input.selected.contains(&index);
        check_family(&mut registry, input, family);
    }
    export::check_libraries(&mut registry, input);
    for (index, family) in input.families.iter().enumerate() {
        registry.selected = input.selected.contains(&index);
        for &id in &family.contracts {
            check_members(&mut registry, input.catalog.get(id));
        }
    }
    registry.errors
}

fn check_family(registry: &mut Registry, input: &EmitInput<'_>, family: &Family) {
    let (catalog, package) = (input.catalog, &family.package);
    let owner = format!("family {} of {}", family.name, package.package);
    registry.word(&package.c_prefix, &format!("package {}", package.package), false);
    if has_header(input, family) {
        let path = header(family);
        registry.claim(guard(&path), &owner);
        registry.claim(path, &owner);
    }
    for &id in &family.contracts {
        let contract = catalog.get(id);
        let whole = label(contract, "");
        let stem = stem(package, contract);
        let constants = constant_stem(package, contract);
        if declares_type(&contract.body) {
            let word = contract.c_name.as_deref().unwrap_or(&contract.name);
            registry.word(word, &whole, contract.c_name.is_some());
            registry.claim(type_name(package, contract), &whole);
        }
        match &contract.body {
            Body::Descriptor(descriptor) => {
                for function in DESCRIPTOR_FUNCTIONS {
                    registry.claim(format!("{stem}_{function}"), &whole);
                }
                registry.claim(format!("{constants}_SIZE"), &whole);
                claim_spoken(registry, &constants, &whole);
                if let Some(growth) = &descriptor.growth {
                    for function in GROWTH_FUNCTIONS {
                        registry.claim(format!("{stem}_{function}"), &whole);
                    }
                    for version in 1..=growth.newest() {
                        registry.claim(format!("{constants}_SIZE_V{version}"), &whole);
                    }
                }
                for (index, field) in descriptor.fields.iter().enumerate() {
                    let owner = label(contract, &field.name);
                    registry.claim(format!("{constants}_{}_OFFSET", field_constant(field)), &owner);
                    if descriptor.count_of(index).is_some() {
                        registry.claim(format!("{constants}_{}_CAPACITY", field_constant(field)), &owner);
                    }
                }
            }
            Body::Enumeration(enumeration) => {
                claim_spoken(registry, &constants, &whole);
                registry.claim(format!("{stem}_is_known"), &whole);
                registry.claim(format!("{stem}_name"), &whole);
                for key in &enumeration.data {
                    let owner = format!("data {} of {whole}", key.name);
                    registry.word(&key.name, &owner, false);
                    registry.claim(format!("{stem}_{}", key.name), &owner);
                }
                check_values(registry, package, contract, &enumeration.values);
            }
            Body::Flags(flags) => {
                claim_spoken(registry, &constants, &whole);
                registry.claim(format!("{constants}_KNOWN_BITS"), &whole);
                check_values(registry, package, contract, &flags.values);
            }
            Body::Abi(body) => {
                claim_spoken(registry, &constants, &whole);
                for field in &body.fields {
                    let Some(name) = &field.c_type else { continue };
                    let owner = label(contract, &field.name);
                    registry.word(name, &owner, true);
                    registry.claim(name.clone(), &owner);
                }
            }
            Body::Handle(_) | Body::Function(_) | Body::Symbols(Symbols { is_library: true, .. }) => {
                export::check_symbols(registry, package, contract);
            }
            // Symbols are named by whoever generates them.
            Body::Symbols(_) => {}
            Body::Message(body) => message::check_message(registry, input, package, contract, body),
            Body::Messages(body) => message::check_messages(registry, package, contract, body),
            Body::Recipe(recipe) => {
                check_recipe_names(registry, package, contract);
                for constant in key_constants(input, package, contract) {
                    registry.claim(constant.name, &whole);
                }
                for key in &recipe.keys {
                    check_helpers(registry, input, &key.ty, &label(contract, &key.name));
                }
            }
            Body::Union(union) => {
                check_recipe_names(registry, package, contract);
                registry.claim(tag_type(package, contract), &whole);
                registry.claim(value_type(package, contract), &whole);
                registry.claim(format!("{stem}_tag_name"), &whole);
                for variant in &union.variants {
                    let owner = label(contract, &variant.name);
                    let word = variant.c_name.as_deref().unwrap_or(&variant.name);
                    registry.word(word, &owner, variant.c_name.is_some());
                    registry.claim(variant_constant(package, contract, variant), &owner);
                    if let Content::Value { ty, .. } = &variant.content {
                        check_helpers(registry, input, ty, &owner);
                    }
                }
            }
        }
    }
}

/// Whether a type has the contract's name; a function's is that of a symbol.
fn declares_type(body: &Body) -> bool {
    !matches!(body, Body::Function(_) | Body::Symbols(_))
}

/// What every contract with a version has.
fn claim_spoken(registry: &mut Registry, constants: &str, owner: &str) {
    for constant in ["WIRE_ID", "VERSION", "CONTRACT", "VERSIONS"] {
        registry.claim(format!("{constants}_{constant}"), owner);
    }
}

fn check_recipe_names(registry: &mut Registry, package: &PackageConfig, contract: &Contract) {
    let whole = label(contract, "");
    let stem = stem(package, contract);
    for function in RECIPE_FUNCTIONS {
        registry.claim(format!("{stem}_{function}"), &whole);
    }
    if package.documents {
        for function in FUNCTIONS {
            registry.claim(format!("{stem}_{function}"), &whole);
        }
    }
    claim_spoken(registry, &constant_stem(package, contract), &whole);
}

/// Types that no contract declares and several headers may: each takes its name once.
fn check_helpers(registry: &mut Registry, input: &EmitInput<'_>, ty: &JsonType, owner: &str) {
    for name in helper_names(input, ty) {
        if registry.helpers.insert(name.clone()) {
            registry.claim(name, owner);
        }
    }
}

fn check_values(registry: &mut Registry, package: &PackageConfig, contract: &Contract, values: &[EnumValue]) {
    for value in values {
        let owner = label(contract, &value.name);
        registry.word(value.c_name.as_deref().unwrap_or(&value.name), &owner, value.c_name.is_some());
        registry.claim(value_constant(package, contract, value), &owner);
        for constant in alias_constants(package, contract, value) {
            registry.claim(constant, &format!("an alias of {owner}"));
        }
    }
}

/// Members have a namespace of their own in each struct, but macros and (in C++) type names reach into it.
fn check_members(registry: &mut Registry, contract: &Contract) {
    let mut members: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |name: String, word: &str, part: &str, fixed: bool| {
        let owner = label(contract, part);
        registry.word(word, &owner, fixed);
        let other = members.get(&name).or_else(|| registry.names.get(&name).map(|(owner, _)| owner)).cloned();
        match other {
            Some(first) if registry.selected => {
                registry.errors.push(EmitError::Collision { target: TARGET, name, first, second: owner });
            }
            _ => {
                members.insert(name, owner);
            }
        }
    };
    match &contract.body {
        Body::Descriptor(descriptor) => {
            for field in &descriptor.fields {
                let word = field.c_name.as_deref().unwrap_or(&field.name);
                add(member(field), word, &field.name, field.c_name.is_some());
            }
        }
        Body::Recipe(recipe) => {
            let optional = |key: &&Key| matches!(key.presence, Presence::Optional { .. });
            for word in 0..recipe.keys.iter().filter(optional).count().div_ceil(64) {
                let name = presence_member(word);
                add(name.clone(), &name, "", false);
            }
            for key in &recipe.keys {
                let word = key.c_name.as_deref().unwrap_or(&key.name);
                add(key_member(key), word, &key.name, key.c_name.is_some());
            }
        }
        Body::Union(union) => {
            for variant in &union.variants {
                add(variant_member(variant), &variant.name, &variant.name, false);
            }
        }
        Body::Abi(body) => {
            for field in &body.fields {
                let word = field.c_name.as_deref().unwrap_or(&field.name);
                add(abi_member(field), word, &field.name, field.c_name.is_some());
            }
            for field in &body.fields {
                check_parameters(registry, &field.ty, &label(contract, &field.name));
            }
        }
        Body::Function(function) => export::check_parameters(registry, contract, function),
        Body::Message(message) => {
            for field in message.fields() {
                let Member { name, c_name, .. } = field.member();
                add(message_member(field), c_name.as_ref().unwrap_or(name), name, c_name.is_some());
                if has_count(field) {
                    let count = count_member(field);
                    add(count.clone(), &count, field.name(), false);
                }
            }
        }
        Body::Messages(messages) => {
            for variant in &messages.variants {
                add(message_variant_member(variant), &variant.member.name, &variant.member.name, false);
            }
        }
        Body::Enumeration(_) | Body::Flags(_) | Body::Handle(_) | Body::Symbols(_) => {}
    }
}

/// Names of parameters are in no scope but their own, into which macros and types reach: a parameter that is called as a
/// type hides it from those behind.
fn check_parameters(registry: &mut Registry, ty: &AbiType, owner: &str) {
    if let AbiType::Function(signature) = ty {
        for name in parameters(signature) {
            let Some((first, _)) = registry.names.get(&name).filter(|_| registry.selected) else { continue };
            let (first, second) = (first.clone(), format!("the parameter {name} of {owner}"));
            registry.errors.push(EmitError::Collision { target: TARGET, name, first, second });
        }
    }
    ty.parts().into_iter().for_each(|part| check_parameters(registry, part, owner));
}

/// The names of C's one namespace and who has them.
#[derive(Default)]
struct Registry {
    /// The owner, and whether it is in a family that is written.
    names: BTreeMap<String, (String, bool)>,
    /// Those of types that no contract declares.
    helpers: BTreeSet<String>,
    errors: Vec<EmitError>,
    selected: bool,
}

impl Registry {
    fn claim(&mut self, name: String, owner: &str) {
        match self.names.get(&name) {
            None => {
                self.names.insert(name, (owner.to_owned(), self.selected));
            }
            // Two families that are not written are somebody else's to name.
            Some((_, selected)) if !selected && !self.selected => {}
            Some((first, _)) => self.errors.push(EmitError::Collision {
                target: TARGET,
                name,
                first: first.clone(),
                second: owner.to_owned(),
            }),
        }
    }

    /// Refuses what is no identifier, and a fixed name that is taken.
    fn word(&mut self, name: &str, owner: &str, fixed: bool) {
        if !self.selected {
            return;
        }
        let reason = if !is_identifier(name) {
            "an identifier has ASCII letters, digits and `_` only, and begins with no digit; give it a `c_name` \
             that is one"
        } else if fixed && is_reserved(name) {
            "it is a keyword or a macro there; declare another `c_name`"
        } else {
            return;
        };
        self.errors.push(EmitError::BadName {
            target: TARGET,
            name: name.to_owned(),
            contract: owner.to_owned(),
            reason: reason.to_owned(),
        });
    }
}

//! Changes after which both sides still understand each other: none may be called breaking.

use wirecontract_codegen::catalog::encode::Target;
use wirecontract_codegen::model::{Body, Catalog, Contract, ContractId, EnumValue, Role};

use super::{Candidates, Promise, at, message, values};
use crate::mutate::remake::{Making, order};

/// Nothing that crosses changes; artifacts say it, so that they are stale.
const SAID: Promise = Promise { wire_ids: true, source_ids: false, names: true };
/// Nothing is changed that anything is made of.
const UNSAID: Promise = Promise { wire_ids: true, source_ids: true, names: true };
/// Another name for the same.
const RENAMED: Promise = Promise { wire_ids: true, source_ids: false, names: false };

pub(super) fn find(catalog: &Catalog, contracts: &[ContractId], found: &mut Candidates) {
    for &id in contracts {
        of_contract(catalog, id, found);
        of_members(catalog, id, found);
    }
    of_catalog(contracts, found);
}

fn of_contract(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    let contract = catalog.get(id);
    let place = at(catalog, id, "");
    let is_symbols = matches!(contract.body, Body::Symbols(_));
    found.promise = Some(SAID);
    if !is_symbols {
        found.put("docs", &*place, "one sentence more", move |catalog| {
            catalog.contracts[id.0].docs.push_str("\n\nOne sentence more.");
        });
    }
    if !is_symbols && contract.deprecated.is_none() {
        found.put("deprecated", &*place, "deprecated", move |catalog| {
            catalog.contracts[id.0].deprecated = Some("there is a better one".to_owned());
        });
    }
    found.promise = Some(UNSAID);
    // With all that stands below it: artifacts have contracts in the order of the file.
    found.put("line", &*place, "100 lines further down", move |catalog| {
        let (file, line) = (catalog.contracts[id.0].file.clone(), catalog.contracts[id.0].line);
        let below = catalog.contracts.iter_mut().filter(|it| it.file == file && it.line >= line);
        below.for_each(|contract| contract.line += 100);
    });
    let is_function = matches!(contract.body, Body::Function(_));
    found.promise = Some(RENAMED);
    if !is_function && !is_symbols && contract.was.is_none() && !has_holders(catalog, id) {
        let (from, to) = (contract.name.clone(), format!("{}Now", contract.name));
        if !matches!(contract.body, Body::Handle(_)) {
            found.put("renamed", &*place, format!("{from} → {to}, with `was`"), move |catalog| {
                let contract = &mut catalog.contracts[id.0];
                contract.was = Some(from.clone());
                contract.name.clone_from(&to);
            });
        }
    }
    if !is_function && !is_symbols && contract.c_name.is_none() && !matches!(contract.body, Body::Abi(_)) {
        let name = format!("{}_other_name", prefix(contract));
        found.put("c_name", &*place, format!("none → {name}"), move |catalog| {
            catalog.contracts[id.0].c_name = Some(name.clone());
        });
    }
}

/// What the package's names in C begin with.
fn prefix(contract: &Contract) -> &'static str {
    if contract.package == "sensor-sdk" { "sensor" } else { "wc" }
}

/// Whether a rule or a default of another contract may call it by its name in Rust.
fn has_holders(catalog: &Catalog, id: ContractId) -> bool {
    let name = &catalog.get(id).name;
    let is_named = |contract: &Contract| {
        contract.rules().iter().any(|rule| rule.text.contains(&**name))
            || contract.conditions().iter().any(|condition| condition.rule.text.contains(&**name))
    };
    catalog.contracts.iter().any(is_named)
}

#[expect(clippy::too_many_lines, reason = "one arm a kind of contract")]
fn of_members(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    let place = at(catalog, id, "");
    match &catalog.get(id).body {
        Body::Descriptor(body) => {
            found.promise = Some(SAID);
            found.put("docs of a member", &*place, "one sentence more", move |catalog| {
                super::descriptor(catalog, id).fields[0].docs.push_str(" One more.");
            });
            if body.growth.is_none() {
                found.put("since", &*place, "since 1", move |catalog| {
                    super::descriptor(catalog, id).fields[0].since = Some(1);
                });
            }
            for (index, field) in body.fields.iter().enumerate() {
                if field.was.is_some() || !matches!(field.role, Role::Value) {
                    continue;
                }
                let (from, to) = (field.name.clone(), format!("{}_now", field.name));
                let place = at(catalog, id, &field.name);
                found.promise = Some(RENAMED);
                found.put("renamed member", &*place, format!("{from} → {to}, with `was`"), move |catalog| {
                    let field = &mut super::descriptor(catalog, id).fields[index];
                    field.was = Some(from.clone());
                    field.name.clone_from(&to);
                    super::rules::rename(&mut catalog.contracts[id.0], &from, &to);
                });
                found.promise = Some(SAID);
                found.put("deprecated member", &*place, "deprecated", move |catalog| {
                    super::descriptor(catalog, id).fields[index].deprecated = Some("not used".to_owned());
                });
            }
            // The order in which a declaration lists what a count counts says nothing.
            for (index, field) in body.fields.iter().enumerate() {
                if let Role::LengthOf(targets) = &field.role
                    && targets.len() > 1
                {
                    found.promise = Some(UNSAID);
                    found.put("order of counted fields", &*place, "reversed", move |catalog| {
                        let field = &mut super::descriptor(catalog, id).fields[index];
                        if let Role::LengthOf(targets) = &mut field.role {
                            targets.reverse();
                        }
                    });
                }
            }
        }
        Body::Enumeration(body) => {
            named(catalog, id, &body.values, found);
            if body.data.len() > 1 {
                found.promise = Some(UNSAID);
                found.put("order of data", &*place, "reversed", move |catalog| {
                    if let Body::Enumeration(body) = &mut catalog.contracts[id.0].body {
                        body.data.reverse();
                        body.values.iter_mut().for_each(|value| value.data.reverse());
                    }
                });
            }
        }
        Body::Flags(body) => named(catalog, id, &body.values, found),
        Body::Recipe(body) => {
            found.promise = Some(SAID);
            for (index, key) in body.keys.iter().enumerate() {
                let place = at(catalog, id, &key.name);
                found.put("docs of a member", &*place, "one sentence more", move |catalog| {
                    super::recipe(catalog, id).keys[index].docs.push_str(" One more.");
                });
                if !key.flatten && key.deprecated.is_none() {
                    found.put("since", &*place, "since 1", move |catalog| {
                        super::recipe(catalog, id).keys[index].since = Some(1);
                    });
                }
            }
        }
        Body::Union(body) => {
            found.promise = Some(SAID);
            for (index, variant) in body.variants.iter().enumerate() {
                let place = at(catalog, id, &variant.name);
                found.put("docs of a member", place, "one sentence more", move |catalog| {
                    super::union(catalog, id).variants[index].docs.push_str(" One more.");
                });
            }
        }
        Body::Abi(body) => {
            found.promise = Some(SAID);
            for (index, field) in body.fields.iter().enumerate() {
                let place = at(catalog, id, &field.name);
                found.put("docs of a member", place, "one sentence more", move |catalog| {
                    super::abi(catalog, id).fields[index].docs.push_str(" One more.");
                });
            }
        }
        Body::Function(body) => {
            for (index, param) in body.params.iter().enumerate() {
                if param.name == "self" || param.was.is_some() {
                    continue;
                }
                let (from, to) = (param.name.clone(), format!("{}_now", param.name));
                let place = at(catalog, id, &param.name);
                found.promise = Some(RENAMED);
                found.put("renamed member", place, format!("{from} → {to}, with `was`"), move |catalog| {
                    let param = &mut super::function(catalog, id).params[index];
                    param.was = Some(from.clone());
                    param.name.clone_from(&to);
                });
            }
        }
        Body::Message(_) | Body::Messages(_) => message::harmless(catalog, id, [SAID, RENAMED], found),
        Body::Handle(_) | Body::Symbols(_) => {}
    }
}

/// The order of named values and of their aliases says nothing to who reads and writes them.
fn named(catalog: &Catalog, id: ContractId, all: &[EnumValue], found: &mut Candidates) {
    let place = at(catalog, id, "");
    found.promise = Some(SAID);
    found.put("docs of a member", &*place, "one sentence more", move |catalog| {
        values(catalog, id)[0].docs.push_str(" One more.");
    });
    found.put("deprecated member", &*place, "deprecated", move |catalog| {
        values(catalog, id)[0].deprecated = Some("not used".to_owned());
    });
    found.put("since", &*place, "since 1", move |catalog| values(catalog, id)[0].since = Some(1));
    found.promise = Some(UNSAID);
    if all.len() > 1 {
        found.put("order of values", &*place, "reversed", move |catalog| {
            let last = values(catalog, id).len() - 1;
            order::moved(catalog, id, |position| Some(last - position));
            values(catalog, id).reverse();
        });
    }
    if let Some(index) = all.iter().position(|value| value.aliases.len() > 1) {
        found.put("order of aliases", &*place, "reversed", move |catalog| {
            values(catalog, id)[index].aliases.reverse();
        });
    }
}

fn of_catalog(contracts: &[ContractId], found: &mut Candidates) {
    found.promise = Some(UNSAID);
    let all = contracts.to_vec();
    found.put("package version", "all contracts", "a new version of the package", move |catalog| {
        for id in &all {
            "9.9.9".clone_into(&mut catalog.contracts[id.0].package_version);
        }
    });
    let all = contracts.to_vec();
    found.put("file", "all contracts", "the package lies in another folder", move |catalog| {
        for id in &all {
            let file = &mut catalog.contracts[id.0].file;
            *file = format!("elsewhere/{file}");
        }
    });
    for (change, making) in [
        ("records in another order", Making { is_reversed: true, ..Making::default() }),
        ("a big-endian machine", machine(true, 8)),
        ("pointers of 32 bits", machine(false, 4)),
        ("both", machine(true, 4)),
    ] {
        found.making = making;
        found.put("record", "all contracts", change, |_| {});
    }
    found.making = Making::default();
}

/// Where a library is built for.
fn machine(big: bool, pointer: u8) -> Making {
    Making { target: Target { big, pointer, ids_only: false }, is_reversed: false }
}

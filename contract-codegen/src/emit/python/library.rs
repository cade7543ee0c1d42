//! `library.py`: what a package's library exports, called through `ctypes`, and `_call.py`, which it needs.

mod callback;
mod docs;
mod function;
mod given;
mod handle;
mod out;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Environment, context};

use self::value::Definitions;
use super::module::{Reach, all, import, reachable};
use super::scope::{Class, Form, Names, Scope};
use super::text::{docstring, exploded, head, statement, string};
use super::{folder, render};
use crate::emit::{Artifact, EmitError, EmitInput, Family, Syntax};
use crate::model::{Body, Catalog, Contract, ContractId};
use crate::names::python as names;

/// The text of `_call.py` behind its imports.
const CALL: &str = include_str!("../../../templates/python/export/call.py");

/// What it imports.
const CALL_IMPORTS: [&str; 8] =
    ["array", "collections.abc", "ctypes", "math", "os", "struct", "typing", "warnings"];

/// Whether the contract is something that a library exports: such are in `library.py`, and all others in their
/// family's module.
pub(super) fn is_exported(contract: &Contract) -> bool {
    matches!(contract.body, Body::Handle(_) | Body::Function(_) | Body::Symbols(_))
}

/// What a package's library exports.
struct Exports<'a> {
    /// A family of the package.
    home: &'a Family,
    handles: Vec<ContractId>,
    functions: Vec<ContractId>,
    /// What the symbols begin with.
    prefix: String,
    /// Ids by the symbol that states them.
    wire_ids: Vec<(String, u64)>,
    contracts: Vec<ContractId>,
}

/// The module of a package, and what it needs beside; nothing where its library exports nothing. `input` has the
/// families without what is exported, `families` are those of the package with it.
pub(super) fn library_module(
    environment: &Environment<'_>,
    input: &EmitInput<'_>,
    known: &Names,
    families: &[&Family],
) -> Result<Vec<Artifact>, Vec<EmitError>> {
    let catalog = input.catalog;
    let Some(exports) = Exports::new(catalog, families) else { return Ok(Vec::new()) };
    let folder = folder(exports.home).map_err(|error| vec![error])?;
    let mut reach = Reach::new(input, known, exports.home);
    let scope = Scope::new(input, known, Form::Package, classes(catalog, &exports, &mut reach));
    let mut errors = refuse_collisions(&scope, &exports);
    errors.extend(refuse_foreign_handles(catalog, &exports));
    if !errors.is_empty() {
        return Err(errors);
    }
    let items = items(environment, &scope, &exports);
    let docs = [
        format!("The functions of the library of {}, called through `ctypes`.", exports.home.package.package),
        "Call `load` once before the others. A call gives the interpreter's lock free.".to_owned(),
    ];
    let uses = |word: &str| items.iter().any(|item| item.contains(word));
    let mut imports: Vec<String> = [
        ("_builtins.", "builtins"),
        ("_abc.", "collections.abc"),
        ("_ctypes.", "ctypes"),
        ("_os.", "os"),
        ("_typing.", "typing"),
    ]
    .into_iter()
    .filter(|(word, _)| uses(word))
    .map(|(_, module)| import(module))
    .collect();
    imports.extend(reach.imports(if uses("_wire.") { "_call, _wire" } else { "_call" }));
    let shown = exports.public(&scope).into_iter().map(|(name, _)| name);
    let body = render(
        environment,
        "module",
        context! {
            docstring => docstring(0, &[&docs[0], &docs[1]]),
            imports,
            all => all(shown.chain(["load".to_owned()])),
            ids => reach.checks(),
            items,
        },
    );
    let module = Artifact {
        path: format!("{folder}/library.py"),
        body,
        contracts: exports.contracts,
        syntax: Syntax::Hash,
    };
    Ok(vec![call_module(environment, &folder), module])
}

/// `_call.py`, the same in every package.
fn call_module(environment: &Environment<'_>, folder: &str) -> Artifact {
    let mut imports: Vec<String> = CALL_IMPORTS.into_iter().map(import).collect();
    imports.extend([String::new(), "from . import _wire".to_owned()]);
    let body = render(
        environment,
        "module",
        context! {
            docstring => docstring(0, &["What calls into a library share: how values cross, handles, callbacks."]),
            imports,
            all => "__all__: list[str] = []",
            ids => [""; 0],
            items => [CALL.trim_end()],
        },
    );
    Artifact { path: format!("{folder}/_call.py"), body, contracts: Vec::new(), syntax: Syntax::Hash }
}

impl<'a> Exports<'a> {
    fn new(catalog: &Catalog, families: &[&'a Family]) -> Option<Self> {
        let home = *families.first()?;
        let (mut handles, mut functions, mut contracts) = (Vec::new(), Vec::new(), Vec::new());
        let mut wire_ids = Vec::new();
        let mut prefix = None;
        for id in families.iter().flat_map(|family| family.contracts.iter().copied()) {
            let contract = catalog.get(id);
            match &contract.body {
                Body::Handle(handle) => {
                    handles.push(id);
                    wire_ids.push((handle.destroy.clone(), contract.wire_id));
                    prefix.get_or_insert(&handle.prefix);
                }
                Body::Function(function) => {
                    functions.push(id);
                    wire_ids.push((function.symbol.clone(), contract.wire_id));
                    prefix.get_or_insert(&function.prefix);
                }
                Body::Symbols(symbols) if symbols.is_library => {
                    wire_ids.extend(symbols.names.iter().map(|name| (name.clone(), contract.wire_id)));
                }
                _ => continue,
            }
            contracts.push(id);
        }
        let prefix = prefix?.clone();
        wire_ids.sort();
        Some(Exports { home, handles, functions, prefix, wire_ids, contracts })
    }

    /// The names that the module shows, and what has each.
    fn public(&self, scope: &Scope<'_>) -> Vec<(String, String)> {
        let path = |id: ContractId| {
            let contract = scope.catalog.get(id);
            format!("{}::{}", contract.module, contract.name)
        };
        let mut names: Vec<(String, String)> =
            self.handles.iter().map(|&id| (scope.class(id), path(id))).collect();
        for &id in &self.functions {
            let function = scope.catalog.get(id).function();
            if function.method_of.is_none() {
                names.push((scope.class(id), path(id)));
            }
            for param in &function.params {
                if let Some(name) = value::function_name(scope, id, param) {
                    names.push((name, format!("the type of {} of {}", param.name, path(id))));
                }
            }
        }
        names
    }

    /// The methods of a handle, with the name of each.
    fn methods(&self, catalog: &Catalog, handle: ContractId) -> Vec<(ContractId, String)> {
        let is_method = |id: &&ContractId| catalog.get(**id).function().method_of == Some(handle);
        let methods = self.functions.iter().filter(is_method);
        let word = |id| catalog.get(id).function().word(&catalog.get(id).name);
        methods.map(|&id| (id, names::method(word(id)))).collect()
    }
}

/// The classes that the module defines or reaches; a function counts as a class of its name.
fn classes(catalog: &Catalog, exports: &Exports<'_>, reach: &mut Reach<'_>) -> BTreeMap<ContractId, Class> {
    let mut used = Vec::new();
    for &id in &exports.functions {
        let function = catalog.get(id).function();
        used.extend(function.held().into_iter().chain(function.pointees()));
    }
    used.retain(|&id| !is_exported(catalog.get(id)));
    let mut classes: BTreeMap<ContractId, Class> =
        reachable(catalog, &used).into_iter().map(|id| (id, reach.class(id, None))).collect();
    for &id in &exports.handles {
        classes.insert(id, Class { module: None, name: names::class(&catalog.get(id).name) });
    }
    for &id in &exports.functions {
        let function = catalog.get(id).function();
        if function.method_of.is_none() {
            let name = names::function(function.word(&catalog.get(id).name));
            classes.insert(id, Class { module: None, name });
        }
    }
    classes
}

/// Two things of the module with one name, two methods, or two parameters.
fn refuse_collisions(scope: &Scope<'_>, exports: &Exports<'_>) -> Vec<EmitError> {
    let mut errors = Vec::new();
    let mut refuse = |names: Vec<(String, String)>| {
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for (name, second) in names {
            if !names::is_identifier(&name) {
                let reason = "it is no identifier in Python".to_owned();
                errors.push(EmitError::BadName { target: "python", name, contract: second, reason });
            } else if let Some(first) = seen.insert(name.clone(), second.clone()) {
                errors.push(EmitError::Collision { target: "python", name, first, second });
            }
        }
    };
    let catalog = scope.catalog;
    let path = |id: ContractId| format!("{}::{}", catalog.get(id).module, catalog.get(id).name);
    refuse(exports.public(scope));
    for &handle in &exports.handles {
        let methods = exports.methods(catalog, handle).into_iter();
        refuse(methods.map(|(id, name)| (name, path(id))).collect());
    }
    for &id in &exports.functions {
        let params = catalog.get(id).function().params.iter();
        refuse(
            params
                .map(|param| (names::parameter(&param.name), format!("{} of {}", param.name, path(id))))
                .collect(),
        );
    }
    errors
}

/// Functions that take or give a handle of another package: its class is in a module that calls another library.
fn refuse_foreign_handles(catalog: &Catalog, exports: &Exports<'_>) -> Vec<EmitError> {
    let mut errors = Vec::new();
    for &id in &exports.functions {
        let contract = catalog.get(id);
        let is_foreign = |id: &ContractId| {
            matches!(catalog.get(*id).body, Body::Handle(_)) && !exports.handles.contains(id)
        };
        if let Some(handle) = contract.function().held().into_iter().find(is_foreign) {
            let handle = catalog.get(handle);
            errors.push(EmitError::BadName {
                target: "python",
                name: contract.function().symbol.clone(),
                contract: format!("{}::{}", contract.module, contract.name),
                reason: format!("its handle {} is of another package, {}", handle.name, handle.package),
            });
        }
    }
    errors
}

/// The module behind its imports.
fn items(environment: &Environment<'_>, scope: &Scope<'_>, exports: &Exports<'_>) -> Vec<String> {
    let mut definitions = Definitions::default();
    let mut prototypes = vec![
        (format!("{}_bytes_free", exports.prefix), vec!["_ctypes.POINTER(_call.OwnedBytes)".to_owned()]),
        (format!("{}_last_error", exports.prefix), vec!["_ctypes.c_void_p".to_owned()]),
    ];
    let mut parts = Vec::new();
    for &id in &exports.handles {
        let methods = exports.methods(scope.catalog, id);
        let attributes: BTreeSet<String> = methods.iter().map(|(_, name)| name.clone()).collect();
        let mut texts = Vec::new();
        for (method, name) in methods {
            let written = function::write(scope, method, Some((id, &name, &attributes)), &mut definitions);
            prototypes.push((scope.catalog.get(method).function().symbol.clone(), written.types));
            texts.push(written.text);
        }
        prototypes.push((scope.catalog.get(id).handle().destroy.clone(), vec!["_call.Taken".to_owned()]));
        parts.push(handle::class(environment, scope, id, texts, &attributes));
    }
    for &id in &exports.functions {
        let function = scope.catalog.get(id).function();
        if function.method_of.is_none() {
            let written = function::write(scope, id, None, &mut definitions);
            prototypes.push((function.symbol.clone(), written.types));
            parts.push(written.text);
        }
    }
    let numbers = exports.handles.iter().map(|&id| handle::number(scope, id));
    let mut items = vec![tables(exports)];
    items.extend(numbers);
    items.extend(definitions.items());
    items.push(bindings(scope, prototypes));
    items.extend(parts);
    items
}

/// The ids that a library has to state, and the library.
fn tables(exports: &Exports<'_>) -> String {
    let ids: Vec<String> =
        exports.wire_ids.iter().map(|(symbol, id)| format!("{}: 0x{id:016X}", string(symbol))).collect();
    let library = format!("_library: _typing.Final = _call.Library(__name__, {})", string(&exports.prefix));
    format!("{}\n{}", exploded(0, "_WIRE_IDS: _typing.Final = {", &ids, "}"), statement(0, &library))
}

/// The types of all functions' arguments, the variables that hold the functions, and what fills these.
fn bindings(scope: &Scope<'_>, mut prototypes: Vec<(String, Vec<String>)>) -> String {
    let none = BTreeSet::new();
    let builtin = |name| scope.builtin(name, &none);
    prototypes.sort();
    let entries: Vec<String> = prototypes
        .iter()
        .map(|(symbol, types)| {
            let comma = if types.len() == 1 { "," } else { "" };
            format!("{}: ({}{comma})", string(symbol), types.join(", "))
        })
        .collect();
    let table = format!(
        "_PROTOTYPES: _typing.Final[{}[{}, {}[_typing.Any, ...]]] = {{",
        builtin("dict"),
        builtin("str"),
        builtin("tuple")
    );
    let slots: Vec<String> = prototypes
        .iter()
        .map(|(symbol, _)| statement(0, &format!("_c_{symbol}: _call.Call = _library.unloaded")))
        .collect();
    let path = format!("path: {} | _os.PathLike[{}]", builtin("str"), builtin("str"));
    let docs = docstring(
        4,
        &[
            "Loads the library whose functions this module calls, and compares what both are made of.",
            "Raises `WireError` with the code `id_mismatch` for the first symbol that is missing or that was made from \
             another declaration; then nothing is loaded. Loading it again changes nothing. Another one is refused \
             while handles are open.",
        ],
    );
    let fill = statement(
        4,
        &format!("{}().update(_library.load(path, _WIRE_IDS, _PROTOTYPES))", builtin("globals")),
    );
    format!(
        "{}\n{}\n\n\n{}\n{docs}\n{fill}",
        exploded(0, &table, &entries, "}"),
        slots.join("\n"),
        head(0, "load", &[path], "None"),
    )
}

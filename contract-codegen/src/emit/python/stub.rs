//! The explicit stub of the native classes, and the modules that give these to the package: `_contracts.pyi`,
//! `_contracts.py` and `_names.py`, which stand beside the native library.
//!
//! A class there has the interface of the pure module's, so that one text is true of both: the pure classes are held
//! against it as well.

mod class;
mod descriptor;
mod message;
mod recipe;
mod union;

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Value, context};

use self::class::Class;
use super::module::{all, classes_of, import, import_key, reachable};
use super::scope::{self, Form, Names, Scope};
use super::text::string;
use super::{docs, environment, render};
use crate::emit::native::has_class;
use crate::emit::{Artifact, EmitError, EmitInput, Family, Syntax, methods};
use crate::model::{Body, Catalog, ContractId};
use crate::names::python as names;

/// What errors call it.
const TARGET: &str = "python-stub";

/// The stub of the selected families' classes, and what gives them to the package.
pub fn emit(input: &EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>> {
    let native: Vec<ContractId> = input
        .selected_families()
        .flat_map(|family| family.contracts.iter().copied())
        .filter(|&id| has_class(&input.catalog.get(id).body))
        .collect();
    let Some(first) = input.selected_families().next().filter(|_| !native.is_empty()) else {
        return Ok(Vec::new());
    };
    let known = Names::new(input);
    let reach = Reach::new(input, &known, first, &native);
    let scope = Scope::new(input, &known, Form::Package, reach.classes);
    let mut errors = refuse_shared_names(&scope, &native);
    let by_hand = match methods::of(input, TARGET, &|id, field| scope.attribute(id, field)) {
        Ok(methods) => methods,
        Err(others) => {
            errors.extend(others);
            BTreeMap::new()
        }
    };
    let mut of_methods = BTreeSet::new();
    let mut classes = Vec::new();
    for &id in &native {
        let mut made = match &input.catalog.get(id).body {
            Body::Descriptor(_) => vec![descriptor::class(&scope, id)],
            Body::Recipe(_) => vec![recipe::class(&scope, id)],
            Body::Message(_) => vec![message::one(&scope, id)],
            Body::Messages(_) => message::several(&scope, id),
            _ => union::classes(&scope, id),
        };
        for method in by_hand.get(&id).into_iter().flatten() {
            made[0].methods.push(self::class::by_hand(method, &mut of_methods));
        }
        classes.extend(made);
    }
    errors.extend(refuse_shadows(&scope, &native));
    if !errors.is_empty() {
        return Err(errors);
    }
    let environment = environment();
    let mut names: Vec<String> = classes_of(&scope, &native).collect();
    names.sort_by_cached_key(|name| import_key(name));
    let artifact = |name: &str, body: String| Artifact {
        path: format!("stub/{name}"),
        body,
        contracts: native.clone(),
        syntax: Syntax::Hash,
    };
    let all = all(names.iter().cloned());
    let imports = imports(&scope, first, reach.modules, &classes, of_methods);
    let has_bytes = native.iter().any(|&id| matches!(input.catalog.get(id).body, Body::Descriptor(_)));
    let views: Vec<Value> = classes.iter().map(Class::view).collect();
    // With a type, for who reads the package, which takes these names, before this file.
    let [list, text] = ["list", "str"].map(|name| scope.builtin(name, &BTreeSet::new()));
    let typed = all.replacen(" =", &format!(": {list}[{text}] ="), 1);
    let stub = render(&environment, "stub", context! { imports, all => typed, has_bytes, classes => views });
    let quoted: Vec<String> = names.iter().map(|name| string(name)).collect();
    let values = context! { all, names, quoted };
    let module = render(&environment, "classes", values.clone());
    let listed = render(&environment, "names", values);
    Ok(vec![
        artifact("_contracts.pyi", stub),
        artifact("_contracts.py", module),
        artifact("_names.py", listed),
    ])
}

/// How the stub reaches each class.
struct Reach {
    classes: BTreeMap<ContractId, scope::Class>,
    /// The modules that it imports, by alias.
    modules: BTreeMap<String, (String, String)>,
}

impl Reach {
    fn new(input: &EmitInput<'_>, known: &Names, first: &Family, native: &[ContractId]) -> Self {
        let mut reach = Reach { classes: BTreeMap::new(), modules: BTreeMap::new() };
        let own: BTreeSet<ContractId> = native.iter().copied().collect();
        for id in reachable(input.catalog, native) {
            let name = names::class(&input.catalog.get(id).name);
            let module = (!own.contains(&id)).then(|| {
                let family = &input.families[known.family(id)];
                let module = names::module(&family.name);
                let package = &family.package.python_package;
                let alias = if *package == first.package.python_package {
                    format!("_family_{module}")
                } else {
                    format!("_package_{}_{module}", package.replace('.', "_"))
                };
                reach.modules.insert(alias.clone(), (package.clone(), module));
                alias
            });
            reach.classes.insert(id, scope::Class { module, name });
        }
        reach
    }
}

/// The stub's imports: the standard library's, then those of the package.
fn imports(
    scope: &Scope<'_>,
    first: &Family,
    modules: BTreeMap<String, (String, String)>,
    classes: &[Class],
    of_methods: BTreeSet<String>,
) -> Vec<String> {
    let has = |what: &str| classes.iter().any(|class| class.mentions(what));
    let mut lines = vec![import("typing")];
    if scope.uses_builtins() {
        lines.push(import("builtins"));
    }
    if has("_abc.") {
        lines.push(import("collections.abc"));
    }
    let mut own = vec![format!("from {} import _wire", first.package.python_package)];
    own.extend(
        modules
            .into_iter()
            .filter(|(alias, _)| has(&format!("{alias}.")))
            .map(|(alias, (package, module))| format!("from {package} import {module} as {alias}")),
    );
    let (standard, of_packages): (Vec<_>, Vec<_>) =
        of_methods.into_iter().partition(|line| line.starts_with("import "));
    lines.extend(standard);
    lines.sort();
    lines.dedup();
    lines.push(String::new());
    lines.extend(of_packages);
    lines.extend(own);
    lines
}

/// Two classes of one name: all of them are names of one module.
fn refuse_shared_names(scope: &Scope<'_>, native: &[ContractId]) -> Vec<EmitError> {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut errors = Vec::new();
    for &id in native {
        let path = path(scope.catalog, id);
        for name in classes_of(scope, &[id]) {
            if let Some(first) = seen.insert(name.clone(), path.clone()) {
                errors.push(EmitError::Collision { target: TARGET, name, first, second: path.clone() });
            }
        }
    }
    errors
}

/// An attribute that is called like a class of another family, whose annotations it would hide.
fn refuse_shadows(scope: &Scope<'_>, native: &[ContractId]) -> Vec<EmitError> {
    let classes: BTreeMap<String, ContractId> = native
        .iter()
        .flat_map(|&id| classes_of(scope, &[id]).map(move |name| (name, id)).collect::<Vec<_>>())
        .collect();
    let mut errors = Vec::new();
    for &id in native {
        for name in scope.attributes(id) {
            if let Some(&other) = classes.get(&name) {
                let (first, second) =
                    (path(scope.catalog, other), format!("{}.{name}", path(scope.catalog, id)));
                errors.push(EmitError::Collision { target: TARGET, name, first, second });
            }
        }
    }
    errors
}

fn path(catalog: &Catalog, id: ContractId) -> String {
    let contract = catalog.get(id);
    format!("{}::{}", contract.module, contract.name)
}

/// What a class says of its contract: numbers and texts as they are, the rest by type.
fn constants(scope: &Scope<'_>, id: ContractId, inside: &BTreeSet<String>) -> Vec<String> {
    let contract = scope.catalog.get(id);
    let [int, tuple] = ["int", "tuple"].map(|name| scope.builtin(name, inside));
    vec![
        constant("WIRE_ID", &docs::wire_id(contract)),
        constant("VERSION", &contract.version.unwrap_or(1).to_string()),
        super::text::statement(4, &format!("EARLIER: _typing.ClassVar[{tuple}[{tuple}[{int}, {int}], ...]]")),
        constant("CONTRACT", &string(&contract.path())),
    ]
}

fn constant(name: &str, value: &str) -> String {
    super::text::statement(4, &format!("{name}: _typing.Final = {value}"))
}

/// What a `match` statement takes by position.
fn match_args(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| string(name)).collect();
    constant("__match_args__", &super::growth::tuple_of(&names))
}

//! The text of a recipe's class and of its companions.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Value, context};

use super::construct::{by_name, class_argument};
use super::fast;
use super::rules;
use super::scope::{Locals, Scope};
use super::shapes::{annotation, argument, literal, numbers, words};
use super::text::{docstring, exploded, head, statement, string};
use super::{docs, write};
use crate::emit::EmitError;
use crate::emit::json::literal::spelled;
use crate::model::{ContractId, Key, Presence};

/// What `recipe.py.j2` takes.
pub(super) fn recipe(scope: &Scope<'_>, id: ContractId) -> Result<Value, EmitError> {
    let contract = scope.catalog.get(id);
    let recipe = contract.recipe();
    refuse_collisions(scope, id)?;
    let inside = scope.attributes(id);
    let outside = BTreeSet::new();
    let fields: Vec<Value> = recipe
        .keys
        .iter()
        .map(|key| {
            let name = scope.attribute(id, &key.name);
            let ty = annotation(scope, &key.ty, &inside, false);
            let line = statement(4, &format!("{name}: {ty}{}", optional(key)));
            context! { line, docstring => key_docs(scope, key, 4) }
        })
        .collect();
    let defaults: Vec<Value> = recipe
        .keys
        .iter()
        .filter_map(|key| match &key.presence {
            Presence::Optional { default: Some(default), .. } => Some((key, default)),
            _ => None,
        })
        .map(|(key, default)| {
            let name = scope.attribute(id, &key.name);
            let value = literal(scope, &key.ty, default);
            context! {
                name => or_default(scope, id, &key.name),
                of => &name,
                value,
                type => annotation(scope, &key.ty, &inside, false),
                docstring => docstring(8, &[OR_DEFAULT]),
            }
        })
        .collect();
    let reads = format!(
        "{}(data, {}, {}, {})",
        scope.wire("load"),
        recipe.max_bytes,
        recipe.max_depth,
        scope.wire(numbers(scope, id))
    );
    let table = scope.private("recipe", id);
    // Unknown keys are the recipe's own matter only where it is the whole object.
    let build = if recipe.deny_unknown { format!("{table}.quick") } else { scope.private("build", id) };
    let shapes: Vec<String> = fast::tables(scope, id)
        .into_iter()
        .map(|(name, value)| statement(0, &format!("{name}: _typing.Final = {value}")))
        .collect();
    Ok(context! {
        class => scope.class(id),
        docstring => docs::contract(contract, "A JSON object."),
        wire_id => docs::wire_id(contract),
        spoken => docs::spoken(contract, |name| scope.builtin(name, &inside)),
        max_bytes => recipe.max_bytes,
        fields,
        defaults,
        table => &table,
        shapes,
        constructor => constructor(scope, id),
        read => reading(&build, &reads, recipe.deny_unknown.then(|| scope.class(id))),
        quick => quick(scope, id, &build, &reads),
        from_dict => from_dict(scope, id, &inside),
        lines => lines(scope, id, &table),
        build_head => build_head(scope, id),
        write_head => head(
            0,
            &scope.private("write", id),
            &["value: _typing.Any".to_owned(), format!(
                "out: {}[{}]", scope.builtin("list", &outside), scope.builtin("str", &outside),
            )],
            "None",
        ),
        build => fast::build(scope, id),
        write => write::members(scope, id),
        writer => scope.private("write", id),
        rules => rules::definitions(scope, id),
        definition => definition(scope, id),
        ..names(scope, &inside, &outside)
    })
}

/// What tries the fast way; `class` where a type checker has to be told what comes out.
pub(super) fn reading(build: &str, reads: &str, class: Option<String>) -> String {
    let Some(class) = class else { return statement(12, &format!("return {build}({reads})")) };
    let line = statement(12, &format!("value: {class} = {build}({reads})"));
    format!("{line}\n            return value")
}

/// The same for the lenient reader: what the fast way takes has no faults.
pub(super) fn quick(scope: &Scope<'_>, id: ContractId, build: &str, reads: &str) -> String {
    statement(12, &format!("result: {} = {build}({reads})", scope.class(id)))
}

/// The head of `from_dict`.
pub(super) fn from_dict(scope: &Scope<'_>, id: ContractId, attributes: &BTreeSet<String>) -> String {
    let (text, object) = (scope.builtin("str", attributes), scope.builtin("object", attributes));
    head(4, "from_dict", &[format!("mapping: _abc.Mapping[{text}, {object}]")], &scope.class(id))
}

/// The head of `_build_X`.
pub(super) fn build_head(scope: &Scope<'_>, id: ContractId) -> String {
    let none = BTreeSet::new();
    let (dict, text) = (scope.builtin("dict", &none), scope.builtin("str", &none));
    let members = format!("members: {dict}[{text}, _typing.Any]");
    head(0, &scope.private("build", id), &[members], &scope.class(id))
}

/// Lines of the methods that may be too long for one.
pub(super) fn lines(scope: &Scope<'_>, id: ContractId, table: &str) -> BTreeMap<&'static str, String> {
    let result = |call: &str| statement(8, &format!("result: {} = {table}.{call}", scope.class(id)));
    BTreeMap::from([
        ("document", result("read_document(data)")),
        ("lenient", statement(12, &format!("result = {table}.read_document(data, faults)"))),
        ("plain", result("read_plain(mapping)")),
        ("filled", result("filled(self)")),
    ])
}

/// Names that the templates of recipes and unions use.
pub(super) fn names(scope: &Scope<'_>, inside: &BTreeSet<String>, outside: &BTreeSet<String>) -> Value {
    let builtins =
        |attributes: &BTreeSet<String>, names: &[&'static str]| -> BTreeMap<&'static str, String> {
            names.iter().map(|&name| (name, scope.builtin(name, attributes))).collect()
        };
    let words = ["bytes", "dict", "int", "list", "object", "property", "staticmethod", "str", "tuple"];
    let wire: BTreeMap<&str, String> =
        ["Buffer", "DOUBTS", "without_fields"].into_iter().map(|name| (name, scope.wire(name))).collect();
    context! {
        inside => builtins(inside, &words),
        outside => builtins(outside, &["TypeError", "dict", "list", "object", "str"]),
        wire,
        error => scope.public("WireError"),
    }
}

/// ` | None` for a key that may be absent and stays so.
pub(super) fn optional(key: &Key) -> &'static str {
    if matches!(key.presence, Presence::Optional { .. }) { " | None" } else { "" }
}

/// What the property says of itself that gives an optional key's value or its default.
pub(super) const OR_DEFAULT: &str = "The value, or what its absence stands for.";

/// The property that gives an optional key's value or its default.
pub(super) fn or_default(scope: &Scope<'_>, id: ContractId, key: &str) -> String {
    format!("{}_or_default", scope.attribute(id, key).trim_end_matches('_'))
}

/// Two attributes that are called alike.
fn refuse_collisions(scope: &Scope<'_>, id: ContractId) -> Result<(), EmitError> {
    let contract = scope.catalog.get(id);
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut put = |name: String, what: String| match seen.insert(name.clone(), what.clone()) {
        Some(first) => Err(EmitError::Collision { target: "python", name, first, second: what }),
        None => Ok(()),
    };
    let path = |key: &Key| format!("{}::{}.{}", contract.module, contract.name, key.name);
    for key in &contract.recipe().keys {
        put(scope.attribute(id, &key.name), path(key))?;
    }
    for key in &contract.recipe().keys {
        if let Presence::Optional { default: Some(_), .. } = key.presence {
            put(or_default(scope, id, &key.name), format!("{} or its default", path(key)))?;
        }
    }
    Ok(())
}

/// What a key's attribute says of itself.
pub(super) fn key_docs(scope: &Scope<'_>, key: &Key, indent: usize) -> String {
    let mut facts = if key.flatten {
        format!("{}, its keys in this object", words(scope, &key.ty))
    } else {
        format!("`{}`: {}", key.key, words(scope, &key.ty))
    };
    let default = spelled(scope.catalog, key);
    match (&key.presence, default) {
        (Presence::Required, _) => {}
        (Presence::Optional { .. }, Some(default)) => {
            facts += &[", optional: ", &default, " when absent"].concat();
        }
        (Presence::Optional { .. }, None) => facts.push_str(", optional"),
        (Presence::Defaulted { .. }, default) => {
            facts += &[", ", &default.unwrap_or_default(), " unless given"].concat();
        }
    }
    facts.push('.');
    let since = key.since.map(|version| format!("Since version {version}.")).unwrap_or_default();
    let deprecated = key.deprecated.as_ref().map(|why| format!("Deprecated: {why}")).unwrap_or_default();
    docstring(indent, &[key.docs.trim(), &[facts, since].join(" "), &deprecated])
}

/// What `__new__` says of itself.
pub(super) const DOCS: &str = "Takes what fits, and raises `WireError` for the rest.";

/// The arguments of `__new__`, its class in front.
pub(super) fn arguments(scope: &Scope<'_>, id: ContractId) -> Vec<String> {
    let attributes = scope.attributes(id);
    let given = scope.catalog.get(id).recipe().keys.iter().map(|key| {
        let default = match &key.presence {
            Presence::Required => String::new(),
            Presence::Optional { .. } => " | None = None".to_owned(),
            Presence::Defaulted { default, .. } => format!(" = {}", argument(scope, &key.ty, default)),
        };
        let ty = annotation(scope, &key.ty, &attributes, true);
        format!("{}: {ty}{default}", scope.attribute(id, &key.name))
    });
    by_name(class_argument(&attributes), given.collect())
}

/// `__new__`, whole.
fn constructor(scope: &Scope<'_>, id: ContractId) -> String {
    let attributes = scope.attributes(id);
    let keys = &scope.catalog.get(id).recipe().keys;
    let class = scope.class(id);
    let cls = class_argument(&attributes);
    let given: Vec<String> = keys.iter().map(|key| scope.attribute(id, &key.name)).collect();
    let used: Vec<&str> = attributes.iter().map(String::as_str).chain([cls.as_str()]).collect();
    let result = Locals::new(scope, &used).add("", "result");
    let made = format!("{}.construct({})", scope.private("recipe", id), given.join(", "));
    [
        head(4, "__new__", &arguments(scope, id), &class),
        docstring(8, &[DOCS]),
        statement(8, &format!("{result}: {class} = {made}")),
        format!("        return {result}"),
    ]
    .join("\n")
}

/// The table that stands for the recipe.
fn definition(scope: &Scope<'_>, id: ContractId) -> String {
    let recipe = scope.catalog.get(id).recipe();
    let keys: Vec<String> = recipe.keys.iter().map(|key| self::key(scope, id, key)).collect();
    let mut items = vec![
        scope.class(id),
        scope.private("rules", id),
        rules::tuple(&keys),
        scope.private("build", id),
        scope.private("write", id),
        recipe.max_bytes.to_string(),
        recipe.max_depth.to_string(),
    ];
    if recipe.deny_unknown {
        items.push("deny_unknown=True".to_owned());
    }
    let head = format!("{}: _typing.Final = {}(", scope.private("recipe", id), scope.wire("Recipe"));
    exploded(0, &head, &items, ")")
}

fn key(scope: &Scope<'_>, id: ContractId, key: &Key) -> String {
    let mut items = vec![
        string(&scope.attribute(id, &key.name)),
        string(&key.key),
        fast::key_shape(scope, id, &key.ty, &key.name),
    ];
    let mut say = |what: &str| items.push(format!("{what}=True"));
    if key.flatten {
        say("is_flat");
    }
    if key.lenient {
        say("is_lenient");
    }
    match &key.presence {
        Presence::Required => {}
        Presence::Optional { nullable, null_when_absent, .. } => {
            say("is_optional");
            if *nullable || *null_when_absent {
                say("is_nullable");
            }
            if *null_when_absent {
                say("is_null");
            }
        }
        Presence::Defaulted { skip, nullable, .. } => {
            if *nullable {
                say("is_nullable");
            }
            if *skip {
                say("is_skipped");
            }
        }
    }
    if key.not_imported {
        items.push("is_imported=False".to_owned());
    }
    if let Some(default) = key.presence.default() {
        items.push(format!("default={}", literal(scope, &key.ty, default)));
    }
    format!("{}({})", scope.wire("Key"), items.join(", "))
}

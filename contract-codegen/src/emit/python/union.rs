//! The text of a union's classes and of its companions: a base, and a class for each variant.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Value, context};

use super::recipe::{build_head, from_dict, lines, names, quick, reading};
use super::scope::Scope;
use super::shapes::{annotation, argument, literal, numbers, shape, words};
use super::text::{condition, docstring, exploded, head, statement, string};
use super::{docs, fast, rules};
use crate::emit::EmitError;
use crate::model::{
    Content, Contract, ContractId, JsonType, Moment, Presence, Tagging, Union, Variant, WhenAbsent,
};

/// What `union.py.j2` takes.
pub(super) fn union(scope: &Scope<'_>, id: ContractId) -> Result<Value, EmitError> {
    let contract = scope.catalog.get(id);
    let union = contract.union();
    refuse_collisions(scope, id)?;
    let none = BTreeSet::new();
    let variants: Vec<Value> =
        (0..union.variants.len()).map(|index| variant(scope, id, union, index)).collect();
    let reads = format!(
        "{}(data, {}, {}, {})",
        scope.wire("load"),
        union.max_bytes,
        union.max_depth,
        scope.wire(numbers(scope, id))
    );
    let table = scope.private("union", id);
    let may_deny = union.variants.iter().any(|variant| match &variant.content {
        Content::Value { ty: JsonType::Recipe(recipe), .. } => {
            scope.catalog.get(*recipe).recipe().deny_unknown
        }
        _ => false,
    });
    let reader = if may_deny { format!("{table}.quick") } else { scope.private("build", id) };
    Ok(context! {
        class => scope.class(id),
        docstring => class_docs(contract),
        wire_id => docs::wire_id(contract),
        spoken => docs::spoken(contract, |name| scope.builtin(name, &none)),
        max_bytes => union.max_bytes,
        from_dict => from_dict(scope, id, &none),
        refusal => string(&format!("{} is one of its variants", scope.class(id))),
        read => reading(&reader, &reads, may_deny.then(|| scope.class(id))),
        quick => quick(scope, id, &reader, &reads),
        table => table.clone(),
        rules => rules::definitions(scope, id),
        definition => definition(scope, id, union, &table),
        variants,
        tables => tables(scope, id, union),
        lines => lines(scope, id, &table),
        build_head => build_head(scope, id),
        build => build(scope, id, union),
        ..names(scope, &none, &none)
    })
}

/// What the base of the variants says of itself.
pub(super) fn class_docs(contract: &Contract) -> String {
    let form = match &contract.union().tagging {
        Tagging::Internal { tag, .. } => format!("One of several JSON objects: `{tag}` says which."),
        Tagging::Adjacent { tag, content, .. } => {
            format!("One of several values in `{content}`: `{tag}` says which.")
        }
        Tagging::Untagged => "One of several JSON objects: their keys say which.".to_owned(),
    };
    docs::contract(contract, &form)
}

/// Two variants that an underscore makes one, or one that is called like another contract.
fn refuse_collisions(scope: &Scope<'_>, id: ContractId) -> Result<(), EmitError> {
    let contract = scope.catalog.get(id);
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (index, variant) in contract.union().variants.iter().enumerate() {
        let name = scope.variant(id, index);
        let second = format!("{}::{}::{}", contract.module, contract.name, variant.name);
        if let Some(first) = seen.insert(name.clone(), second.clone()) {
            return Err(EmitError::Collision { target: "python", name, first, second });
        }
    }
    Ok(())
}

fn variant(scope: &Scope<'_>, id: ContractId, union: &Union, index: usize) -> Value {
    let variant = &union.variants[index];
    let attributes = variant_attributes();
    let has_tag = has_tag(union, variant);
    let class = scope.variant(id, index);
    let table = scope.private("union", id);
    let made = match &variant.content {
        Content::Value { .. } => "construct({}, value)",
        Content::Other => "construct_open({}, tag, content)",
        Content::Nothing => "construct({}, None)",
    };
    let made = format!("result: {class} = {table}.{}", made.replacen("{}", &class, 1));
    let content = match &variant.content {
        Content::Value { ty, .. } => context! {
            line => statement(4, &format!("value: {}", annotation(scope, ty, &attributes, false))),
            docstring => docstring(4, &[&value_docs(scope, ty)]),
        },
        _ => context! { line => "" },
    };
    context! {
        head => head(4, "__new__", &arguments(scope, union, variant), &class),
        made => statement(8, &made),
        class,
        docstring => variant_docs(variant),
        tag => if has_tag { string(&variant.tag) } else { "None".to_owned() },
        has_tag,
        content,
        is_open => variant.content == Content::Other,
        kept_rest => rest(scope, union),
        holds => matches!(variant.content, Content::Value { .. }),
    }
}

/// What a variant's class may have.
pub(super) fn variant_attributes() -> BTreeSet<String> {
    ["value", "tag", "content"].into_iter().map(str::to_owned).collect()
}

/// Whether documents say the variant's tag.
pub(super) fn has_tag(union: &Union, variant: &Variant) -> bool {
    !matches!(union.tagging, Tagging::Untagged) && variant.when_absent != WhenAbsent::NoTag
}

/// The arguments of a variant's `__new__`, its class in front.
pub(super) fn arguments(scope: &Scope<'_>, union: &Union, variant: &Variant) -> Vec<String> {
    let attributes = variant_attributes();
    let mut arguments = vec!["cls".to_owned()];
    match &variant.content {
        Content::Value { ty, default } => {
            let default = default.as_ref().map(|it| format!(" = {}", argument(scope, ty, it)));
            let given = annotation(scope, ty, &attributes, true);
            arguments.push(format!("value: {given}{}", default.unwrap_or_default()));
        }
        Content::Other => {
            let absent = if matches!(union.tagging, Tagging::Internal { .. }) { "" } else { " = None" };
            arguments.push(format!("tag: {}", scope.builtin("str", &attributes)));
            arguments.push(format!("content: {}{absent}", rest(scope, union)));
        }
        Content::Nothing => {}
    }
    arguments
}

/// The annotation of what comes with a tag that no variant has.
pub(super) fn rest(scope: &Scope<'_>, union: &Union) -> String {
    let is_internal = matches!(union.tagging, Tagging::Internal { .. });
    format!("{}{}", scope.public("Json"), if is_internal { "" } else { " | None" })
}

/// What the attribute says of itself that holds a variant's value.
pub(super) fn value_docs(scope: &Scope<'_>, ty: &JsonType) -> String {
    format!("What it holds: {}.", words(scope, ty))
}

/// What a variant's class says of itself.
pub(super) fn variant_docs(variant: &Variant) -> String {
    let nameless = format!("The variant {}.", variant.name);
    docstring(
        4,
        &[
            if variant.docs.trim().is_empty() { &nameless } else { &variant.docs },
            &variant.since.map(|version| format!("Since version {version}.")).unwrap_or_default(),
            &variant.deprecated.as_ref().map(|why| format!("Deprecated: {why}")).unwrap_or_default(),
        ],
    )
}

/// The setters and tables that the fast way calls.
fn tables(scope: &Scope<'_>, id: ContractId, union: &Union) -> Vec<String> {
    let is_adjacent = matches!(union.tagging, Tagging::Adjacent { .. });
    let mut lines = Vec::new();
    for (index, variant) in union.variants.iter().enumerate() {
        let Content::Value { ty, .. } = &variant.content else { continue };
        let class = scope.variant(id, index);
        let line = format!(
            "{}: _typing.Final = {}({class})",
            setter(scope, id, union, index),
            scope.wire("value_setter")
        );
        lines.push(statement(0, &line));
        if is_adjacent && fast::needs_table(ty) {
            let name = fast::table(scope, id, &variant.name);
            lines.push(statement(0, &format!("{name}: _typing.Final = {}", shape(scope, ty))));
        }
    }
    lines
}

fn setter(scope: &Scope<'_>, id: ContractId, union: &Union, index: usize) -> String {
    format!("{}_{}", scope.private("put", id), union.variants[index].name)
}

/// The body of `_build_X(members)`.
fn build(scope: &Scope<'_>, id: ContractId, union: &Union) -> String {
    let mut lines = Vec::new();
    let raise = fast::raise(scope, 8);
    match &union.tagging {
        Tagging::Untagged => {
            let last = union.variants.len() - 1;
            let mut word = "if";
            for index in 0..last {
                let tests: Vec<String> = required(scope, &union.variants[index])
                    .iter()
                    .map(|key| format!("{} in members", string(key)))
                    .collect();
                // Linters see through a condition that always holds.
                let tests = if tests.is_empty() { vec!["members is not None".to_owned()] } else { tests };
                let test = condition(4, &tests);
                lines.push(if word == "if" { test } else { test.replacen("if", word, 1) });
                word = "elif";
                lines.extend(variant_build(scope, id, union, index, 8));
            }
            if last > 0 {
                lines.push("    else:".to_owned());
            }
            lines.extend(variant_build(scope, id, union, last, if last > 0 { 8 } else { 4 }));
        }
        Tagging::Internal { tag, .. } | Tagging::Adjacent { tag, .. } => {
            let tag = string(tag);
            lines.push(statement(4, &format!("tag = members.get({tag})")));
            let mut word = "if";
            for (index, variant) in union.variants.iter().enumerate() {
                let tags: Vec<String> = tags(union, variant).into_iter().map(|tag| string(&tag)).collect();
                let test = match &tags[..] {
                    [] => continue,
                    [one] => format!("tag == {one}"),
                    several => format!("tag in ({})", several.join(", ")),
                };
                lines.push(statement(4, &format!("{word} {test}:")));
                word = "elif";
                lines.extend(variant_build(scope, id, union, index, 8));
            }
            if let Some(absent) = union.absent() {
                lines.push(
                    condition(4, &["tag is None".to_owned(), format!("{tag} not in members")])
                        .replacen("if", word, 1),
                );
                lines.extend(variant_build(scope, id, union, absent, 8));
            }
            lines.push("    else:".to_owned());
            lines.push(raise);
        }
    }
    let rules = scope.private("rules", id);
    if rules::own(scope, id, Moment::Read) {
        lines.push(format!("    if not {rules}.obeyed(value):"));
        lines.push(fast::raise(scope, 8));
    }
    lines.insert(0, "    value: _typing.Any".to_owned());
    lines.push(format!("    result: {} = value", scope.class(id)));
    lines.push("    return result".to_owned());
    lines.join("\n")
}

fn required<'s>(scope: &Scope<'s>, variant: &Variant) -> Vec<&'s str> {
    let Content::Value { ty: JsonType::Recipe(recipe), .. } = variant.content else { return Vec::new() };
    let keys = scope.catalog.get(recipe).recipe().keys.iter();
    keys.filter(|key| !key.flatten && key.presence == Presence::Required)
        .map(|key| key.key.as_str())
        .collect()
}

fn variant_build(
    scope: &Scope<'_>,
    id: ContractId,
    union: &Union,
    index: usize,
    indent: usize,
) -> Vec<String> {
    let variant = &union.variants[index];
    let object = scope.builtin("object", &BTreeSet::new());
    let mut lines = Vec::new();
    let put =
        |value: &str| statement(indent, &format!("{}(value, {value})", setter(scope, id, union, index)));
    let made = statement(indent, &format!("value = {object}.__new__({})", scope.variant(id, index)));
    let Content::Value { ty, default } = &variant.content else { return vec![made] };
    let Tagging::Adjacent { content, .. } = &union.tagging else {
        let recipe = ty.contract().expect("the variant holds a recipe");
        return vec![made, put(&format!("{}(members)", scope.private("build", recipe)))];
    };
    let content = string(content);
    let checks = |indent| fast::checked(scope, id, ty, &variant.name, "content", indent);
    match default {
        None => {
            lines.push(statement(indent, &format!("content = members[{content}]")));
            lines.extend(checks(indent));
        }
        Some(default) => {
            lines.push(statement(indent, &format!("if {content} in members:")));
            lines.push(statement(indent + 4, &format!("content = members[{content}]")));
            lines.extend(checks(indent + 4));
            lines.push(statement(indent, "else:"));
            lines.push(statement(indent + 4, &format!("content = {}", literal(scope, ty, default))));
        }
    }
    lines.push(made);
    lines.push(put("content"));
    lines
}

/// The tags that say a variant.
fn tags(union: &Union, variant: &Variant) -> Vec<String> {
    let is_tagged = !matches!(union.tagging, Tagging::Untagged)
        && variant.when_absent != WhenAbsent::NoTag
        && variant.content != Content::Other;
    if is_tagged {
        std::iter::once(&variant.tag).chain(&variant.aliases).cloned().collect()
    } else {
        Vec::new()
    }
}

/// The table that stands for the union.
fn definition(scope: &Scope<'_>, id: ContractId, union: &Union, table: &str) -> String {
    let variants: Vec<String> =
        (0..union.variants.len()).map(|index| variant_table(scope, id, union, index)).collect();
    let mut items = vec![
        scope.class(id),
        scope.private("rules", id),
        rules::tuple(&variants),
        scope.private("build", id),
        union.max_bytes.to_string(),
        union.max_depth.to_string(),
    ];
    let is_last = match &union.tagging {
        Tagging::Internal { tag, last } => {
            items.push(format!("tag={}", string(tag)));
            *last
        }
        Tagging::Adjacent { tag, content, last } => {
            items.push(format!("tag={}", string(tag)));
            items.push(format!("content={}", string(content)));
            *last
        }
        Tagging::Untagged => false,
    };
    if is_last {
        items.push("is_last=True".to_owned());
    }
    if let Some(absent) = union.absent() {
        items.push(format!("absent={absent}"));
    }
    if union.lenient {
        items.push("is_lenient=True".to_owned());
    }
    exploded(0, &format!("{table}: _typing.Final = {}(", scope.wire("Union")), &items, ")")
}

fn variant_table(scope: &Scope<'_>, id: ContractId, union: &Union, index: usize) -> String {
    let variant = &union.variants[index];
    let tags: Vec<String> = tags(union, variant).iter().map(|tag| string(tag)).collect();
    let content = &variant.content;
    let mut items = vec![scope.variant(id, index), rules::tuple(&tags)];
    match content {
        Content::Value { ty, default } => {
            items.push(shape(scope, ty));
            if let Some(default) = default {
                items.push(format!("default={}", literal(scope, ty, default)));
            }
        }
        Content::Other => items.push("is_open=True".to_owned()),
        Content::Nothing => {}
    }
    format!("{}({})", scope.wire("Variant"), items.join(", "))
}

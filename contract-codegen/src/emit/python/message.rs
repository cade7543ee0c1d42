//! The text of a message's class and of its companions, and `_message.py`, which it needs.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Environment, Value, context};

use super::module::import;
use super::recipe::names;
use super::scope::{Form, Scope};
use super::text::{docstring, exploded, head, statement, string};
use super::{docs, render, rules};
use crate::counted;
use crate::emit::{Artifact, EmitError, Syntax};
use crate::model::{
    Body, Catalog, Computed, ContractId, FdForm, FdGroup, Member, Message, Moment, Rule, Tail, TailItem,
    TailLength,
};

/// The text of `_message.py` behind its imports, in parts.
pub(super) const MESSAGE: [&str; 7] = [
    include_str!("../../../templates/python/message/fds.py"),
    include_str!("../../../templates/python/message/owner.py"),
    include_str!("../../../templates/python/message/part.py"),
    include_str!("../../../templates/python/message/tail.py"),
    include_str!("../../../templates/python/message/group.py"),
    include_str!("../../../templates/python/message/one.py"),
    include_str!("../../../templates/python/message/messages.py"),
];

/// What it imports.
pub(super) const IMPORTS: [&str; 7] =
    ["collections.abc", "contextlib", "itertools", "operator", "os", "typing", "warnings"];

/// What it takes from `_wire.py`.
const TAKEN: [&str; 8] =
    ["Buffer", "Code", "Rule", "Rules", "WireError", "size_error", "type_error", "view_bytes"];

/// Whether the contract is a message, or one of several.
pub(super) fn is_message(body: &Body) -> bool {
    matches!(body, Body::Message(_) | Body::Messages(_))
}

/// `_message.py`, the same in every package.
pub(super) fn module(environment: &Environment<'_>, folder: &str) -> Artifact {
    let mut imports: Vec<String> = IMPORTS.into_iter().map(import).collect();
    imports.extend([String::new(), statement(0, &format!("from ._wire import ({})", TAKEN.join(", ")))]);
    let body = render(
        environment,
        "module",
        context! {
            docstring => docstring(0, &["What messages share: their order, and whose file descriptors are whose."]),
            imports,
            all => "__all__: list[str] = []",
            ids => [""; 0],
            items => MESSAGE.map(str::trim_end),
        },
    );
    Artifact { path: format!("{folder}/_message.py"), body, contracts: Vec::new(), syntax: Syntax::Hash }
}

/// A helper of `_message.py`.
pub(super) fn helper(scope: &Scope<'_>, name: &str) -> String {
    match scope.form {
        Form::Package => format!("_message.{name}"),
        Form::Standalone => format!("_{name}"),
    }
}

/// What the class of a message is.
pub(in crate::emit) const FORM: &str = "A message: bytes, and the file descriptors beside them, which it owns until it \
     is closed or the block of a `with` ends: no other is equal to it.";

/// What `message.py.j2` takes.
pub(super) fn message(scope: &Scope<'_>, id: ContractId) -> Result<Value, EmitError> {
    let contract = scope.catalog.get(id);
    let message = contract.message();
    refuse_collisions(scope, id)?;
    let inside = scope.attributes(id);
    let none = BTreeSet::new();
    let kept: Vec<(String, String, String)> = message
        .parts
        .iter()
        .map(|part| {
            let said = described(4, &part.member, &[]);
            (scope.attribute(id, &part.member.name), scope.class(part.contract), said)
        })
        .chain(message.tail.iter().map(|tail| {
            let ty = tail_type(scope, tail, &inside, &scope.builtin("tuple", &inside), ", ...");
            let said = described(4, &tail.member, &[&tail_words(scope.catalog, tail)]);
            (scope.attribute(id, &tail.member.name), ty, said)
        }))
        .collect();
    let named = message.fields().map(|field| string(&scope.attribute(id, field.name())));
    let named = rules::tuple(&named.collect::<Vec<_>>());
    let fields = kept.iter().map(|(name, ty, said)| {
        context! { line => statement(4, &format!("{name}: {ty}")), docstring => said }
    });
    let groups = message.fds.iter().enumerate().map(|(index, it)| group(scope, id, index, it, &inside));
    Ok(context! {
        class => scope.class(id),
        owner => helper(scope, "Owner"),
        docstring => docs::contract(contract, FORM),
        match_args => statement(4, &format!("__match_args__ = {named}")),
        wire_id => docs::wire_id(contract),
        spoken => docs::spoken(contract, |name| scope.builtin(name, &inside)),
        max_bytes => scope.catalog.most_bytes(id),
        max_fds => scope.catalog.most_fds(id),
        fields => fields.collect::<Vec<_>>(),
        constructor => constructor(scope, id, message, &inside),
        construct => construct(scope, id, message),
        groups => groups.collect::<Vec<_>>(),
        reader => reader(scope, &inside, &scope.class(id)),
        writer => writer(scope, &inside),
        object => scope.builtin("object", &none),
        table => scope.private("message", id),
        rules => rules::definitions(scope, id),
        numbers => computed(message).flat_map(|(index, of)| rules::number(scope, id, index, &of)).collect::<Vec<_>>(),
        definition => definition(scope, id, message),
        ..names(scope, &inside, &none)
    })
}

/// Two attributes that are called alike.
fn refuse_collisions(scope: &Scope<'_>, id: ContractId) -> Result<(), EmitError> {
    let contract = scope.catalog.get(id);
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for field in contract.message().fields() {
        let name = scope.attribute(id, field.name());
        let second = format!("{}::{}.{}", contract.module, contract.name, field.name());
        if let Some(first) = seen.insert(name.clone(), second.clone()) {
            return Err(EmitError::Collision { target: "python", name, first, second });
        }
    }
    Ok(())
}

pub(super) fn described(indent: usize, member: &Member, facts: &[&str]) -> String {
    let text = &*member.docs;
    let text = if text.trim().is_empty() && facts.is_empty() { "A part of the message." } else { text };
    let remarks = remarks(member);
    let paragraphs: Vec<&str> =
        std::iter::once(text).chain(facts.iter().copied()).chain(remarks.iter().map(|it| &**it)).collect();
    docstring(indent, &paragraphs)
}

/// Since when a member is, and why it should not be used; each may be empty.
pub(in crate::emit) fn remarks(Member { since, deprecated, .. }: &Member) -> [String; 2] {
    [
        since.map(|version| format!("Since version {version}.")).unwrap_or_default(),
        deprecated.as_ref().map(|why| format!("Deprecated: {why}")).unwrap_or_default(),
    ]
}

pub(super) fn tail_type(
    scope: &Scope<'_>,
    tail: &Tail,
    attributes: &BTreeSet<String>,
    holder: &str,
    more: &str,
) -> String {
    match tail.item {
        TailItem::Descriptor(item) => format!("{holder}[{}{more}]", scope.class(item)),
        TailItem::Bytes => scope.builtin("bytes", attributes),
        TailItem::Text => scope.builtin("str", attributes),
    }
}

pub(in crate::emit) fn tail_words(catalog: &Catalog, tail: &Tail) -> String {
    let what = match tail.item {
        TailItem::Descriptor(item) => format!("{} one behind the other", catalog.get(item).name),
        TailItem::Bytes => "Bytes".to_owned(),
        TailItem::Text => "Text".to_owned(),
    };
    match &tail.length {
        TailLength::Rest => format!("{what}, to the end of the message."),
        TailLength::Count(of) => format!("{what}, `{}` of them.", of.text),
        TailLength::Bytes(of) => format!("{what}, of `{}` bytes.", of.text),
    }
}

/// How many file descriptors a group has.
pub(in crate::emit) fn group_words(form: &FdForm) -> String {
    match form {
        FdForm::One => "A file descriptor.".to_owned(),
        FdForm::Optional { present_if: None } => "A file descriptor, or none.".to_owned(),
        FdForm::Optional { present_if: Some(rule) } => format!("A file descriptor when `{}`.", rule.text),
        FdForm::Many { least, most, count } => {
            let fact = counted::file_descriptors(*least, *most);
            match count {
                Some(count) => format!("{fact}: `{}`.", count.text),
                None => format!("{fact}."),
            }
        }
    }
}

/// The type of the attribute that has a group.
pub(super) fn group_type(scope: &Scope<'_>, form: &FdForm, attributes: &BTreeSet<String>) -> String {
    let [int, tuple] = ["int", "tuple"].map(|name| scope.builtin(name, attributes));
    match form {
        FdForm::One => int,
        FdForm::Optional { .. } => format!("{int} | None"),
        FdForm::Many { .. } => format!("{tuple}[{int}, ...]"),
    }
}

fn group(
    scope: &Scope<'_>,
    id: ContractId,
    index: usize,
    group: &FdGroup,
    attributes: &BTreeSet<String>,
) -> Value {
    let body = match &group.form {
        FdForm::One => vec![format!("return self._group({index})[0]")],
        FdForm::Optional { .. } => {
            vec![format!("fds = self._group({index})"), "return fds[0] if fds else None".to_owned()]
        }
        FdForm::Many { .. } => vec![format!("return self._group({index})")],
    };
    context! {
        name => scope.attribute(id, &group.member.name),
        type => group_type(scope, &group.form, attributes),
        docstring => described(8, &group.member, &[&group_words(&group.form)]),
        body => body.iter().map(|line| statement(8, line)).collect::<Vec<_>>().join("\n"),
    }
}

fn constructor(
    scope: &Scope<'_>,
    id: ContractId,
    message: &Message,
    attributes: &BTreeSet<String>,
) -> String {
    let arguments = [vec!["self".to_owned()], arguments(scope, id, message, attributes)].concat();
    head(4, "__init__", &arguments, "None")
}

/// What the constructor takes.
pub(super) fn arguments(
    scope: &Scope<'_>,
    id: ContractId,
    message: &Message,
    attributes: &BTreeSet<String>,
) -> Vec<String> {
    let int = scope.builtin("int", attributes);
    let mut arguments = vec!["*".to_owned()];
    for part in &message.parts {
        let name = scope.attribute(id, &part.member.name);
        arguments.push(format!("{name}: {}", scope.class(part.contract)));
    }
    if let Some(tail) = &message.tail {
        let ty = tail_type(scope, tail, attributes, "_abc.Iterable", "");
        let default = match tail.item {
            TailItem::Descriptor(_) => "()",
            TailItem::Bytes => "b\"\"",
            TailItem::Text => "\"\"",
        };
        arguments.push(format!("{}: {ty} = {default}", scope.attribute(id, &tail.member.name)));
    }
    for group in &message.fds {
        let name = scope.attribute(id, &group.member.name);
        arguments.push(match &group.form {
            FdForm::One => format!("{name}: {int}"),
            FdForm::Optional { .. } => format!("{name}: {int} | None = None"),
            FdForm::Many { .. } => format!("{name}: _abc.Iterable[{int}] = ()"),
        });
    }
    arguments
}

fn construct(scope: &Scope<'_>, id: ContractId, message: &Message) -> String {
    let all = |names: Vec<&String>| {
        rules::tuple(&names.into_iter().map(|name| scope.attribute(id, name)).collect::<Vec<_>>())
    };
    let parts = all(message.parts.iter().map(|part| &part.member.name).collect());
    let groups = all(message.fds.iter().map(|group| &group.member.name).collect());
    let tail =
        message.tail.as_ref().map_or_else(|| "None".to_owned(), |it| scope.attribute(id, &it.member.name));
    let table = scope.private("message", id);
    statement(8, &format!("{table}.construct(self, {parts}, {tail}, {groups})"))
}

/// The head of `from_message`.
pub(super) fn reader(scope: &Scope<'_>, attributes: &BTreeSet<String>, class: &str) -> String {
    head(4, "from_message", &read_arguments(scope, attributes), class)
}

/// What `from_message` takes.
pub(super) fn read_arguments(scope: &Scope<'_>, attributes: &BTreeSet<String>) -> [String; 4] {
    let [int, bool] = ["int", "bool"].map(|name| scope.builtin(name, attributes));
    [
        format!("data: {}", scope.wire("Buffer")),
        format!("fds: _abc.Iterable[{int}] = ()"),
        "*".to_owned(),
        format!("close_refused: {bool} = False"),
    ]
}

/// The head of `to_message`.
pub(super) fn writer(scope: &Scope<'_>, attributes: &BTreeSet<String>) -> String {
    head(4, "to_message", &["self".to_owned()], &written(scope, attributes))
}

/// What `to_message` gives.
pub(super) fn written(scope: &Scope<'_>, attributes: &BTreeSet<String>) -> String {
    let [int, list, bytes, tuple] =
        ["int", "list", "bytes", "tuple"].map(|name| scope.builtin(name, attributes));
    format!("{tuple}[{bytes}, {list}[{int}]]")
}

/// The numbers and conditions over the parts: of the tail, then of the groups, with the positions that their functions
/// have behind those of the rules.
fn computed(message: &Message) -> impl Iterator<Item = (usize, Said)> {
    let number = |of: &Computed| Said { rule: rule(of), is_number: true };
    let tail = message.tail.iter().filter_map(|tail| tail.length.computed()).map(number);
    let groups = message.fds.iter().filter_map(move |group| match &group.form {
        FdForm::Optional { present_if: Some(rule) } => Some(Said { rule: rule.clone(), is_number: false }),
        FdForm::Many { count: Some(count), .. } => Some(number(count)),
        FdForm::One | FdForm::Optional { .. } | FdForm::Many { .. } => None,
    });
    let first = message.rules.len();
    tail.chain(groups)
        .enumerate()
        .map(move |(index, said)| (first + index, said))
        .collect::<Vec<_>>()
        .into_iter()
}

/// What is computed of the parts alone.
pub(super) struct Said {
    /// Its text and expression; a number is no condition.
    pub(super) rule: Rule,
    pub(super) is_number: bool,
}

fn rule(of: &Computed) -> Rule {
    Rule { name: None, text: of.text.clone(), expr: of.expr.clone(), at: Moment::Read }
}

/// The table that stands for the message.
fn definition(scope: &Scope<'_>, id: ContractId, message: &Message) -> String {
    let mut said = computed(message);
    let mut next = |key: &str| {
        let (index, of) = said.next().expect("each is there once");
        format!(", {key}={}", rules::said(scope, id, index, &of, &helper(scope, "Number")))
    };
    // Errors have the names of all languages.
    let attribute = |name: &str| match scope.attribute(id, name) {
        same if same == name => String::new(),
        other => format!(", attribute={}", string(&other)),
    };
    let parts: Vec<String> = message
        .parts
        .iter()
        .map(|part| {
            let kind = if scope.catalog.get(part.contract).is_document() { ", is_document=True" } else { "" };
            let (name, class) = (string(&part.member.name), scope.class(part.contract));
            format!("{}({name}, {class}{kind}{})", helper(scope, "Part"), attribute(&part.member.name))
        })
        .collect();
    let none = BTreeSet::new();
    let tail = message.tail.as_ref().map_or_else(
        || "None".to_owned(),
        |tail| {
            let class = match tail.item {
                TailItem::Descriptor(item) => scope.class(item),
                TailItem::Bytes => scope.builtin("bytes", &none),
                TailItem::Text => scope.builtin("str", &none),
            };
            let length = match tail.length {
                TailLength::Rest => String::new(),
                TailLength::Count(_) => next("count"),
                TailLength::Bytes(_) => next("size"),
            };
            let (name, attribute) = (string(&tail.member.name), attribute(&tail.member.name));
            format!("{}({name}, {class}{length}{attribute})", helper(scope, "Tail"))
        },
    );
    let groups: Vec<String> = message
        .fds
        .iter()
        .map(|group| {
            let (least, most) = group.form.range();
            let how = match &group.form {
                FdForm::Optional { present_if: Some(_) } => next("present"),
                FdForm::Many { count: Some(_), .. } => next("count"),
                FdForm::One | FdForm::Optional { .. } | FdForm::Many { .. } => String::new(),
            };
            format!("{}({}, {least}, {most}{how})", helper(scope, "Group"), string(&group.member.name))
        })
        .collect();
    let mut items = vec![scope.private("rules", id), rules::tuple(&parts), tail, rules::tuple(&groups)];
    items.push(scope.catalog.most_bytes(id).to_string());
    let table = scope.private("message", id);
    exploded(0, &format!("{table}: _typing.Final = {}(", helper(scope, "Message")), &items, ")")
}

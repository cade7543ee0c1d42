//! Conditions and rules: what each reads, whether it holds, and the table of a contract's.

use std::collections::BTreeSet;

use super::expression::{Interval, Term, expression};
use super::message::Said;
use super::recipe::or_default;
use super::scope::{Locals, Scope};
use super::shapes::literal;
use super::text::{self, statement, string};
use crate::model::{
    Body, Condition, ConditionKind, ContractId, DataType, DataValue, Element, JsonType, Moment, Operand,
    Path, Presence, Role, Rule, Scalar, Spelled, TailItem, What,
};

/// Whether a descriptor, or one nested in it, has conditions or rules of that moment.
pub(super) fn ruled(scope: &Scope<'_>, id: ContractId, at: Moment) -> bool {
    let contract = scope.catalog.get(id);
    let nested = match &contract.body {
        Body::Descriptor(descriptor) => descriptor
            .fields
            .iter()
            .filter_map(|field| match field.ty.element {
                Element::Descriptor(nested) => Some(nested),
                _ => None,
            })
            .collect(),
        _ => BTreeSet::new(),
    };
    own(scope, id, at) || nested.into_iter().any(|nested| ruled(scope, nested, at))
}

/// Whether a contract itself has conditions or rules of that moment.
pub(super) fn own(scope: &Scope<'_>, id: ContractId, at: Moment) -> bool {
    let contract = scope.catalog.get(id);
    contract.conditions().iter().any(|it| it.rule.at == at) || contract.rules().iter().any(|it| it.at == at)
}

/// The functions of a contract's conditions and rules, and the table of them.
pub(super) fn definitions(scope: &Scope<'_>, id: ContractId) -> String {
    let contract = scope.catalog.get(id);
    let mut items = Vec::new();
    let mut conditions = Vec::new();
    let mut rules = Vec::new();
    for (index, condition) in contract.conditions().iter().enumerate() {
        items.extend(functions(scope, id, index, &condition.rule));
        conditions.push(self::condition(scope, id, index, condition));
    }
    for (index, rule) in contract.rules().iter().enumerate() {
        let index = index + contract.conditions().len();
        items.extend(functions(scope, id, index, rule));
        rules.push(table(scope, id, index, rule));
    }
    let mut arguments = vec![string(&contract.name)];
    if !conditions.is_empty() || !rules.is_empty() {
        arguments.push(tuple(&conditions));
    }
    if !rules.is_empty() {
        arguments.push(tuple(&rules));
    }
    let table = format!(
        "{}: _typing.Final = {}({})",
        scope.private("rules", id),
        scope.wire("Rules"),
        arguments.join(", ")
    );
    items.push(statement(0, &table));
    items.join("\n\n\n")
}

pub(super) fn tuple(items: &[String]) -> String {
    if let [one] = items { format!("({one},)") } else { format!("({})", items.join(", ")) }
}

/// The name of a rule's function.
fn function(scope: &Scope<'_>, role: &str, id: ContractId, index: usize) -> String {
    format!("{}_{index}", scope.private(role, id))
}

/// What a rule reads, as a tuple, and whether it holds for that.
fn functions(scope: &Scope<'_>, id: ContractId, index: usize, rule: &Rule) -> [String; 2] {
    computing(scope, id, index, rule, false)
}

/// The functions of what a message computes of its parts.
pub(super) fn number(scope: &Scope<'_>, id: ContractId, index: usize, said: &Said) -> [String; 2] {
    computing(scope, id, index, &said.rule, said.is_number)
}

/// What stands for that: a rule, or a number, which `maker` makes.
pub(super) fn said(scope: &Scope<'_>, id: ContractId, index: usize, said: &Said, maker: &str) -> String {
    if !said.is_number {
        return table(scope, id, index, &said.rule);
    }
    let [operands, number] = ["operands", "number"].map(|role| function(scope, role, id, index));
    format!("{maker}({operands}, {number})")
}

fn computing(scope: &Scope<'_>, id: ContractId, index: usize, rule: &Rule, is_number: bool) -> [String; 2] {
    let none = BTreeSet::new();
    let builtin = |name| scope.builtin(name, &none);
    let operands = rule.operands();
    let read: Vec<String> =
        operands.iter().map(|operand| read(scope, id, operand, &Reader::Value("it"))).collect();
    let head = text::head(
        0,
        &function(scope, "operands", id, index),
        &["it: _typing.Any".to_owned(), format!("fd_count: {}", builtin("int"))],
        &format!("{}[_typing.Any, ...]", builtin("tuple")),
    );
    let operands_text = format!("{head}\n{}", statement(4, &format!("return {}", tuple(&read))));
    let names = parameters(scope, &operands);
    let parameters: Vec<String> = operands
        .iter()
        .zip(&names)
        .map(|(operand, name)| {
            let nothing = if is_maybe(scope, id, operand) { " | None" } else { "" };
            let ty = if operand.is_condition { builtin("bool") } else { builtin("int") };
            format!("{name}: {ty}{nothing}")
        })
        .collect();
    let holds = expression(scope, &rule.expr, &|operand| {
        let at = operands.iter().position(|it| it.text == operand.text).expect("it is an operand");
        Term {
            text: names[at].clone(),
            is_maybe: is_maybe(scope, id, operand),
            interval: interval(scope, id, operand),
        }
    });
    let (kind, result) = if is_number { ("number", "int") } else { ("holds", "bool") };
    let head = text::head(0, &function(scope, kind, id, index), &parameters, &builtin(result));
    [operands_text, format!("{head}\n{}", holds.returned())]
}

/// A parameter for each operand, called like it.
fn parameters(scope: &Scope<'_>, operands: &[&Operand]) -> Vec<String> {
    let mut locals = Locals::new(scope, &[]);
    operands
        .iter()
        .map(|operand| {
            let word: String =
                operand.text.chars().map(|it| if it.is_alphanumeric() { it } else { '_' }).collect();
            locals.add("", word.trim_end_matches('_'))
        })
        .collect()
}

fn table(scope: &Scope<'_>, id: ContractId, index: usize, rule: &Rule) -> String {
    let text = match &rule.name {
        Some(name) => format!("{name}: {}", rule.text),
        None => rule.text.clone(),
    };
    let names: Vec<String> = rule.operands().iter().map(|operand| string(&operand.text)).collect();
    let mut items = vec![
        string(&text),
        tuple(&names),
        function(scope, "operands", id, index),
        function(scope, "holds", id, index),
    ];
    if rule.at == Moment::Import {
        items.push("at_import=True".to_owned());
    }
    format!("{}({})", scope.wire("Rule"), items.join(", "))
}

fn condition(scope: &Scope<'_>, id: ContractId, index: usize, condition: &Condition) -> String {
    let contract = scope.catalog.get(id);
    let text = &condition.rule.text;
    let (attribute, field, expected, maker) = match &contract.body {
        Body::Descriptor(descriptor) => {
            let field = &descriptor.fields[condition.field].name;
            (scope.attribute(id, field), field.clone(), format!("zero unless {text}"), "used_bits")
        }
        Body::Recipe(recipe) => {
            let key = &recipe.keys[condition.field];
            let expected = match condition.kind {
                ConditionKind::RequiredIf => format!("the key `{}` when {text}", key.key),
                ConditionKind::UsedIf => format!("no key `{}` unless {text}", key.key),
            };
            (scope.attribute(id, &key.name), key.key.clone(), expected, "used_key")
        }
        _ => unreachable!("only fields and keys have conditions"),
    };
    let mut items = vec![
        string(&field),
        format!("{}({})", scope.wire(maker), string(&attribute)),
        table(scope, id, index, &condition.rule),
        string(&expected),
    ];
    if condition.kind == ConditionKind::RequiredIf {
        items.push("is_required=True".to_owned());
    }
    format!("{}({})", scope.wire("Condition"), items.join(", "))
}

/// Where an operand is read from.
pub(super) enum Reader<'r> {
    /// A variable that holds the value.
    Value(&'r str),
    /// Variables that hold its fields or keys.
    Parts(&'r [String]),
}

/// Statements that leave by `way` unless the conditions and rules of reading hold.
pub(super) fn doubts(scope: &Scope<'_>, id: ContractId, from: &Reader<'_>, way: &str) -> Vec<String> {
    let contract = scope.catalog.get(id);
    let mut lines = Vec::new();
    let holds = |indent, index, rule: &Rule| {
        let operands: Vec<String> =
            rule.operands().iter().map(|operand| read(scope, id, operand, from)).collect();
        let call = format!("{}({})", function(scope, "holds", id, index), operands.join(", "));
        statement(indent, &format!("holds = {call}"))
    };
    for (index, condition) in contract.conditions().iter().enumerate() {
        if condition.rule.at != Moment::Read {
            continue;
        }
        let path = Path(vec![condition.field]);
        let access = walk(scope, id, &path, from).text;
        let is_descriptor = matches!(contract.body, Body::Descriptor(_));
        let (test, is_wrong) = match condition.kind {
            ConditionKind::RequiredIf => (format!("{access} is None"), "if holds:"),
            ConditionKind::UsedIf if is_descriptor => {
                (format!("{}({access})", scope.wire("has_bits")), "if not holds:")
            }
            ConditionKind::UsedIf => (format!("{access} is not None"), "if not holds:"),
        };
        lines.push(text::condition(4, &[test]));
        lines.push(holds(8, index, &condition.rule));
        lines.push(format!("        {is_wrong}\n            {way}"));
    }
    for (index, rule) in contract.rules().iter().enumerate() {
        if rule.at == Moment::Read {
            lines.push(holds(4, index + contract.conditions().len(), rule));
            lines.push(format!("    if not holds:\n        {way}"));
        }
    }
    lines
}

/// `_obeys_X(value)`: whether a descriptor's value obeys its conditions and rules of reading.
pub(super) fn obeys(scope: &Scope<'_>, id: ContractId) -> String {
    let none = BTreeSet::new();
    let builtin = |name| scope.builtin(name, &none);
    let arguments = ["value: _typing.Any".to_owned()];
    let mut lines = vec![
        text::head(0, &scope.private("obeys", id), &arguments, &builtin("bool")),
        "    \"\"\"Whether the rules of reading hold.\"\"\"".to_owned(),
        "    try:".to_owned(),
    ];
    let tests = doubts(scope, id, &Reader::Value("value"), "return False");
    lines.extend(tests.iter().flat_map(|it| it.lines()).map(|line| format!("    {line}")));
    lines.push(format!("    except {}:", builtin("ArithmeticError")));
    lines.push("        return False".to_owned());
    lines.push("    return True".to_owned());
    lines.join("\n")
}

/// An operand's value.
fn read(scope: &Scope<'_>, id: ContractId, operand: &Operand, from: &Reader<'_>) -> String {
    let none = BTreeSet::new();
    if let Some(text) = of_message(scope, id, &operand.what, from) {
        return text;
    }
    match &operand.what {
        What::FdCount => "fd_count".to_owned(),
        What::Value(path) => {
            let found = walk(scope, id, path, from);
            let access = found.or_default();
            match found.kind {
                Kind::Union(union) => {
                    let type_of = scope.builtin("type", &none);
                    format!("{}.positions[{type_of}({access})]", scope.private("union", union))
                }
                Kind::Json(JsonType::Enumeration { contract, open: true, .. })
                    if scope.catalog.get(*contract).enumeration().spelled == Spelled::Names =>
                {
                    format!("{}({access})", scope.wire("number_of"))
                }
                _ => access,
            }
        }
        What::Length(path) => {
            let found = walk(scope, id, path, from);
            let access = found.or_default();
            let len = scope.builtin("len", &none);
            if matches!(found.kind, Kind::Json(JsonType::Json { .. })) {
                format!("{len}({}.text.encode())", found.or_default_within())
            } else if found.is_text() {
                format!("{len}({}.encode())", found.or_default_within())
            } else {
                format!("{len}({access})")
            }
        }
        What::Product(path) => {
            let access = walk(scope, id, path, from).or_default();
            format!("{}({access})", scope.wire("product_of"))
        }
        What::Least(path) => {
            let access = walk(scope, id, path, from).or_default();
            format!("{}({access})", scope.wire("least_of"))
        }
        What::Present(path) => {
            let mut tests = Vec::new();
            for depth in 1..=path.0.len() {
                let found = walk(scope, id, &Path(path.0[..depth].to_vec()), from);
                if depth == path.0.len() || found.is_optional {
                    tests.push(format!("{} is not None", found.text));
                }
            }
            tests.join(" and ")
        }
        What::Has { path, bits } => {
            let access = walk(scope, id, path, from).or_default_within();
            format!("({access} & {bits}) == {bits}")
        }
        What::Data { path, contract, key } => {
            let access = walk(scope, id, path, from).or_default();
            let name = &scope.catalog.get(*contract).enumeration().data[*key].name;
            let table = format!("{}_{name}", scope.private("data", *contract));
            if is_maybe(scope, id, operand) {
                format!("{}({table}, {access})", scope.wire("data_of"))
            } else {
                format!("{table}[{access}]")
            }
        }
    }
}

/// How long the tail of a message is, and how many file descriptors a group has.
fn of_message(scope: &Scope<'_>, id: ContractId, what: &What, from: &Reader<'_>) -> Option<String> {
    let (Body::Message(message), Reader::Value(value)) = (&scope.catalog.get(id).body, from) else {
        return None;
    };
    let (What::Length(Path(path)) | What::Present(Path(path))) = what else { return None };
    let [index] = **path else { return None };
    let Some(group) = index.checked_sub(message.first_group()) else {
        let is_text = message.tail.as_ref().is_some_and(|tail| tail.item == TailItem::Text);
        let bytes = if is_text { ".encode(\"utf-8\", \"surrogatepass\")" } else { "" };
        let len = scope.builtin("len", &BTreeSet::new());
        return (index >= message.parts.len()).then(|| format!("{len}({value}.tail{bytes})"));
    };
    let is_present = matches!(what, What::Present(_));
    Some(format!("{value}.counts[{group}]{}", if is_present { " > 0" } else { "" }))
}

/// Whether an operand may have no value, which violates the rule that asks for it.
fn is_maybe(scope: &Scope<'_>, id: ContractId, operand: &Operand) -> bool {
    match &operand.what {
        What::Data { path, .. } => match walk(scope, id, path, &Reader::Value("it")).kind {
            Kind::Json(JsonType::Enumeration { open, .. })
            | Kind::Element(Element::Enumeration { open, .. }, _) => *open,
            _ => false,
        },
        What::Value(path) => match walk(scope, id, path, &Reader::Value("it")).kind {
            Kind::Json(JsonType::Enumeration { contract, open: true, .. }) => {
                scope.catalog.get(*contract).enumeration().spelled == Spelled::Names
            }
            _ => false,
        },
        What::Product(_) | What::Least(_) => true,
        _ => false,
    }
}

/// What a path leads to.
struct Found<'s> {
    text: String,
    kind: Kind<'s>,
    is_optional: bool,
    /// The value, or what its absence stands for, where it may be absent and has a default.
    default: Option<String>,
}

enum Kind<'s> {
    Json(&'s JsonType),
    /// An element of a descriptor, and what its field is for.
    Element(&'s Element, &'s Role),
    Union(ContractId),
}

impl Found<'_> {
    /// The value, or what its absence stands for.
    fn or_default(&self) -> String {
        self.default.clone().unwrap_or_else(|| self.text.clone())
    }

    /// As [`Found::or_default`], for an operator or a method to stand beside.
    fn or_default_within(&self) -> String {
        if self.or_default().contains(' ') { format!("({})", self.or_default()) } else { self.or_default() }
    }

    fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Json(JsonType::Text { .. }) | Kind::Element(_, Role::Text))
    }
}

fn walk<'s>(scope: &Scope<'s>, id: ContractId, path: &Path, from: &Reader<'_>) -> Found<'s> {
    let catalog = scope.catalog;
    let mut text = match from {
        Reader::Value(name) => (*name).to_owned(),
        Reader::Parts(_) => String::new(),
    };
    let mut found = Found { text: text.clone(), kind: Kind::Union(id), is_optional: false, default: None };
    let mut id = id;
    for (depth, &at) in path.0.iter().enumerate() {
        let step = |name: &str| match from {
            Reader::Parts(parts) if depth == 0 => parts[at].clone(),
            _ => format!("{text}.{}", scope.attribute(id, name)),
        };
        match &catalog.get(id).body {
            Body::Descriptor(descriptor) => {
                let field = &descriptor.fields[at];
                text = step(&field.name);
                let kind = Kind::Element(&field.ty.element, &field.role);
                found = Found { text: text.clone(), kind, is_optional: false, default: None };
                if let Element::Descriptor(nested) = field.ty.element {
                    id = nested;
                }
            }
            Body::Recipe(recipe) => {
                let key = &recipe.keys[at];
                text = step(&key.name);
                let kind = match &key.ty {
                    JsonType::Union(union) => Kind::Union(*union),
                    ty => Kind::Json(ty),
                };
                let is_local = depth == 0 && matches!(from, Reader::Parts(_));
                let default = match &key.presence {
                    Presence::Optional { default: Some(value), .. } => Some(if is_local {
                        let literal = literal(scope, &key.ty, value);
                        format!("{literal} if {text} is None else {text}")
                    } else {
                        let (holder, _) = text.rsplit_once('.').expect("it is an attribute");
                        format!("{holder}.{}", or_default(scope, id, &key.name))
                    }),
                    _ => None,
                };
                let is_optional = matches!(key.presence, Presence::Optional { .. });
                found = Found { text: text.clone(), kind, is_optional, default };
                if let Some(nested) = key.ty.contract() {
                    id = nested;
                }
            }
            Body::Message(message) => {
                text = format!("{text}.parts[{at}]");
                if let Some(part) = message.parts.get(at) {
                    id = part.contract;
                    // Of a union that is a part its variant is asked, of all others what is in them.
                    found = Found {
                        text: text.clone(),
                        kind: Kind::Union(id),
                        is_optional: false,
                        default: None,
                    };
                }
            }
            _ => {}
        }
    }
    found
}

/// The numbers that an operand may be.
fn interval(scope: &Scope<'_>, id: ContractId, operand: &Operand) -> Interval {
    let of_repr = |repr: Scalar| Interval::of(repr.range().unwrap_or((0, 1)));
    let values = |contract: ContractId, open: bool| {
        let it = scope.catalog.get(contract).enumeration();
        let numbers = || it.values.iter().map(|value| value.value);
        match (open, numbers().min(), numbers().max()) {
            (false, Some(least), Some(most)) => Interval::of((least, most)),
            _ => of_repr(it.repr),
        }
    };
    match &operand.what {
        What::FdCount | What::Length(_) => Interval::of((0, i128::from(u64::MAX))),
        What::Product(_) | What::Least(_) => Interval::ALL,
        What::Present(_) | What::Has { .. } => Interval::of((0, 1)),
        What::Data { contract, key, .. } => {
            let it = scope.catalog.get(*contract).enumeration();
            let numbers = || {
                it.values.iter().filter_map(|value| match value.data[*key] {
                    DataValue::Integer(number) => Some(number),
                    _ => None,
                })
            };
            match (it.data[*key].ty, numbers().min(), numbers().max()) {
                (DataType::I64 | DataType::U64, Some(least), Some(most)) => Interval::of((least, most)),
                _ => Interval::of((0, 1)),
            }
        }
        What::Value(path) => match walk(scope, id, path, &Reader::Value("it")).kind {
            Kind::Union(union) => match i128::try_from(scope.catalog.get(union).union().variants.len()) {
                Ok(count) => Interval::of((0, count - 1)),
                Err(_) => Interval::ALL,
            },
            Kind::Json(JsonType::Integer { min, max, .. }) => Interval::of((*min, *max)),
            Kind::Json(JsonType::Enumeration { contract, open, .. })
            | Kind::Element(Element::Enumeration { contract, open }, _) => values(*contract, *open),
            Kind::Json(JsonType::Flags { contract }) | Kind::Element(Element::Flags { contract }, _) => {
                of_repr(scope.catalog.get(*contract).repr())
            }
            Kind::Json(_) => Interval::of((0, 1)),
            Kind::Element(Element::Scalar(scalar), _) => of_repr(*scalar),
            Kind::Element(Element::Descriptor(_), _) => Interval::ALL,
        },
    }
}

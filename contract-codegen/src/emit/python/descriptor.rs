//! The text of a descriptor's class and of its companions.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Value, context};

use super::check::check;
use super::construct::{constructor, is_kept, take_definitions};
use super::plan::{Plan, plan};
use super::scope::Scope;
use super::text::{bytes, condition, docstring, exploded, long_string, statement, string};
use super::types::{format, kept, on_the_wire};
use super::{defaults, docs, growth, rules};
use crate::counted;
use crate::emit::EmitError;
use crate::model::{Contract, ContractId, Element, Endian, Field, Moment, Role};

/// What `descriptor.py.j2` takes.
pub(super) fn descriptor(scope: &Scope<'_>, id: ContractId) -> Result<Value, EmitError> {
    let contract = scope.catalog.get(id);
    let descriptor = contract.descriptor();
    refuse_collisions(scope, id)?;
    let inside = scope.attributes(id);
    let outside = BTreeSet::new();
    let plan = plan(scope, id);
    let kept_fields = || descriptor.fields.iter().filter(|field| is_kept(field));
    let fields: Vec<Value> = kept_fields()
        .map(|field| {
            let name = scope.attribute(id, &field.name);
            let line = statement(4, &format!("{name}: {}", kept(scope, field, &inside)));
            context! { line, docstring => field_docs(scope, id, field, 4, "") }
        })
        .collect();
    let mut magics = Vec::new();
    let mut counts = Vec::new();
    for field in &descriptor.fields {
        let name = scope.attribute(id, &field.name);
        match &field.role {
            Role::Magic(value) => {
                let docstring = field_docs(scope, id, field, 4, "always this, ");
                magics.push(context! { name, value => bytes(value), docstring });
            }
            Role::LengthOf(targets) => {
                let target = scope.attribute(id, &descriptor.fields[targets[0]].name);
                let docstring = field_docs(scope, id, field, 8, &format!("the length of `{target}`, "));
                counts.push(context! { name, target, docstring });
            }
            _ => {}
        }
    }
    let mut check = check(scope, id);
    if rules::own(scope, id, Moment::Read) {
        let slice = format!("data[at : at + {}]", descriptor.size);
        check.push(statement(
            4,
            &format!("{}.check({}({slice}), at)", scope.private("rules", id), scope.private("peek", id)),
        ));
    }
    if check.is_empty() {
        check.push("    # Any bytes of that length are a value.".to_owned());
    }
    Ok(context! {
        class => scope.class(id),
        contract => string(&contract.name),
        docstring => class_docs(contract),
        size => descriptor.size,
        wire_id => docs::wire_id(contract),
        spoken => docs::spoken(contract, |name| scope.builtin(name, &inside)),
        magics, fields, counts,
        constructor => constructor(scope, id),
        read => read(scope, id, &plan, true),
        imports => rules::ruled(scope, id, Moment::Import)
            .then(|| context! { name => scope.private("import", id) }),
        ruled => ruled(scope, id, &plan),
        write => write(scope, id, &plan),
        check => check.join("\n"),
        form => form(scope, id, &plan),
        grown => growth::grown(scope, id),
        tables => take_definitions(scope, id),
        len => scope.builtin("len", &outside),
        inside => builtins(scope, &inside, &["bytes", "int", "memoryview", "property", "staticmethod", "tuple"]),
        outside => builtins(scope, &outside, &["AssertionError", "bytes", "int"]),
        wire => ["Buffer", "size_error", "snapshot_bytes", "view_bytes", "without_fields"]
            .map(|name| (name, scope.wire(name)))
            .into_iter()
            .collect::<BTreeMap<_, _>>(),
    })
}

/// What the class says of itself.
pub(super) fn class_docs(contract: &Contract) -> String {
    let descriptor = contract.descriptor();
    let size = growth::docs(descriptor)
        .unwrap_or_else(|| format!("A descriptor of {}.", counted::bytes(descriptor.size)));
    docs::contract(contract, &size)
}

/// What a descriptor with conditions or rules, or with such a one in it, has besides.
fn ruled(scope: &Scope<'_>, id: ContractId, plan: &Plan) -> Vec<String> {
    let mut items = Vec::new();
    let contract = scope.catalog.get(id);
    let (bytes, int) = (scope.builtin("bytes", &BTreeSet::new()), scope.builtin("int", &BTreeSet::new()));
    if !contract.conditions().is_empty() || !contract.rules().is_empty() {
        items.push(rules::definitions(scope, id));
    }
    if rules::own(scope, id, Moment::Read) {
        items.push(rules::obeys(scope, id));
        let (class, peek) = (scope.class(id), scope.private("peek", id));
        let body: Vec<String> = read(scope, id, plan, false)
            .lines()
            .map(|line| line.strip_prefix("    ").unwrap_or(line).to_owned())
            .collect();
        items.push(format!(
            "def {peek}(data: {bytes}) -> {class}:\n    \"\"\"The value of bytes that only its rules may refuse.\"\"\"\n{}",
            body.join("\n")
        ));
    }
    if rules::ruled(scope, id, Moment::Import) {
        let mut lines = vec![
            statement(
                0,
                &format!(
                    "def {}(value: {}, at: {int}) -> None:",
                    scope.private("import", id),
                    scope.class(id)
                ),
            ),
            "    \"\"\"Raise the first condition at import that the value does not obey.\"\"\"".to_owned(),
        ];
        lines.extend(nested_imports(scope, id));
        if rules::own(scope, id, Moment::Import) {
            lines.push(statement(
                4,
                &format!("{}.check(value, at, at_import=True)", scope.private("rules", id)),
            ));
        }
        items.push(lines.join("\n"));
    }
    items
}

/// The checks at import of nested descriptors, in their order.
fn nested_imports(scope: &Scope<'_>, id: ContractId) -> Vec<String> {
    let mut lines = Vec::new();
    for field in &scope.catalog.get(id).descriptor().fields {
        let Element::Descriptor(nested) = field.ty.element else { continue };
        if !rules::ruled(scope, nested, Moment::Import) || !is_kept(field) {
            continue;
        }
        let check = scope.private("import", nested);
        let access = format!("value.{}", scope.attribute(id, &field.name));
        let start = if field.offset == 0 { "at".to_owned() } else { format!("at + {}", field.offset) };
        if field.ty.dims.is_empty() {
            lines.push(statement(4, &format!("{check}({access}, {start})")));
            continue;
        }
        let values = match field.ty.dims.len() {
            1 => access,
            rank => format!("{}({access}, {rank})", scope.wire("flat_elements")),
        };
        let size = scope.catalog.element_size(field.ty.element);
        let enumerate = scope.builtin("enumerate", &BTreeSet::new());
        lines.push(statement(4, &format!("for index, item in {enumerate}({values}):")));
        lines.push(statement(8, &format!("{check}(item, {start} + {size} * index)")));
    }
    lines
}

fn builtins<'n>(
    scope: &Scope<'_>,
    attributes: &BTreeSet<String>,
    names: &[&'n str],
) -> BTreeMap<&'n str, String> {
    names.iter().map(|&name| (name, scope.builtin(name, attributes))).collect()
}

/// Two fields that a trailing underscore makes one.
fn refuse_collisions(scope: &Scope<'_>, id: ContractId) -> Result<(), EmitError> {
    let contract = scope.catalog.get(id);
    let mut seen: BTreeMap<String, &Field> = BTreeMap::new();
    let fields = contract.descriptor().fields.iter();
    for field in fields.filter(|field| !matches!(field.role, Role::Reserved { .. })) {
        let name = scope.attribute(id, &field.name);
        if let Some(first) = seen.insert(name.clone(), field) {
            let path = |field: &Field| format!("{}::{}.{}", contract.module, contract.name, field.name);
            return Err(EmitError::Collision {
                target: "python",
                name,
                first: path(first),
                second: path(field),
            });
        }
    }
    Ok(())
}

/// What a field's attribute says of itself; `role` stands before its place on the wire.
pub(super) fn field_docs(
    scope: &Scope<'_>,
    id: ContractId,
    field: &Field,
    indent: usize,
    role: &str,
) -> String {
    let wire = format!("{role}{}", on_the_wire(scope, field));
    let deprecated = field.deprecated.as_ref().map(|why| format!("Deprecated: {why}")).unwrap_or_default();
    let since = defaults::docs(scope, id, field).unwrap_or_default();
    let docs = field.docs.trim();
    let short = format!("{} ({wire})", docs.trim_end_matches('.'));
    let is_all = deprecated.is_empty() && since.is_empty();
    if !docs.is_empty() && !docs.contains('\n') && is_all && short.len() + indent + 7 <= 88 {
        return docstring(indent, &[&format!("{short}.")]);
    }
    let mut characters = wire.chars();
    // The first word is a sentence's, unless it is a type's name.
    let sentence = match characters.next() {
        Some(first) if !role.is_empty() => format!("{}{}.", first.to_uppercase(), characters.as_str()),
        _ => format!("{wire}."),
    };
    docstring(indent, &[docs, format!("{sentence} {since}").trim_end(), &deprecated])
}

/// The body of `from_bytes`; without its rules, those of what is nested stay.
fn read(scope: &Scope<'_>, id: ContractId, plan: &Plan, with_rules: bool) -> String {
    let unpack = format!("{}.unpack(data)", scope.private("struct", id));
    let mut lines = vec!["        try:".to_owned()];
    lines.push(match &plan.unpacked[..] {
        [] => format!("            {unpack}"),
        [one] => format!("            ({one},) = {unpack}"),
        several => unpacking(several, &unpack),
    });
    lines.extend(plan.lookups.iter().map(|line| line.lines(12)));
    lines.push(format!("        except {}:", scope.wire("SUSPICIONS")));
    lines.push("            pass".to_owned());
    lines.push("        else:".to_owned());
    let mut indent = 12;
    if !plan.conditions.is_empty() {
        lines.push(condition(indent, &plan.conditions));
        indent += 4;
    }
    lines.extend(plan.builds.iter().map(|line| statement(indent, line)));
    let ruled: Vec<String> = plan
        .ruled
        .iter()
        .filter(|(contract, _)| with_rules || *contract != id)
        .map(|(contract, value)| format!("{}({value})", scope.private("obeys", *contract)))
        .collect();
    if !ruled.is_empty() {
        lines.push(condition(indent, &ruled));
        indent += 4;
    }
    // An annotation for the type checker, which does not follow an object that changes its class.
    lines.push(statement(indent, &format!("{}: {} = {}", plan.result, scope.class(id), plan.value)));
    lines.push(statement(indent, &format!("return {}", plan.result)));
    lines.push(format!("        return {}(data)", scope.private("refuse", id)));
    lines.join("\n")
}

/// An assignment to a tuple of variables.
fn unpacking(names: &[String], unpack: &str) -> String {
    let line = format!("            {} = {unpack}", names.join(", "));
    if line.len() <= 88 { line } else { exploded(12, "(", names, &format!(") = {unpack}")) }
}

/// The body of `to_bytes`.
fn write(scope: &Scope<'_>, id: ContractId, plan: &Plan) -> String {
    let pack = format!("{}.pack({})", scope.private("struct", id), plan.packed.join(", "));
    let mut lines: Vec<String> = plan.before.iter().map(|line| statement(8, line)).collect();
    let grows = scope.catalog.get(id).descriptor().growth.is_some();
    match &plan.after {
        None => lines.push(statement(8, &format!("return {pack}"))),
        Some((variable, statements)) => {
            lines.push(statement(8, &format!("{variable} = {pack}")));
            lines.extend(statements.iter().map(|line| line.lines(8)));
            if grows {
                let table = growth::table_name(scope, id);
                lines.push(format!("        if version is None:\n            return {variable}"));
                lines.push(statement(8, &format!("return {table}.written({variable}, version)")));
            } else {
                lines.push(format!("        return {variable}"));
            }
        }
    }
    lines.join("\n")
}

/// The format of all that stands in one piece.
fn form(scope: &Scope<'_>, id: ContractId, plan: &Plan) -> String {
    let name = scope.private("struct", id);
    let line = format!(
        "{name}: _typing.Final = _struct.Struct({})",
        format(scope, plan.order, &plan.codes.concat())
    );
    if line.len() <= 88 {
        return line;
    }
    let codes = match plan.order {
        Endian::Little | Endian::Big => {
            let mut pieces = plan.codes.clone();
            pieces.insert(0, if plan.order == Endian::Little { "<" } else { ">" }.to_owned());
            long_string(4, &pieces)
        }
        Endian::Native => format!("{}\n    + {}", scope.wire("NATIVE"), long_string(4, &plan.codes)),
    };
    format!("{name}: _typing.Final = _struct.Struct(\n    {codes}\n)")
}

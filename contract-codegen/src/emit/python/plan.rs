//! How one descriptor's bytes become a value and back: one `struct` format for the whole of it, nested descriptors
//! included, and the code around it.
//!
//! Reading takes all items out at once, looks values up, tests what has to hold in one condition, and on any
//! suspicion leaves it to the descriptor's check to say what is wrong. An array is one item of bytes here, and so is
//! what stands in the other byte order, since a format has only one.

mod elements;

use std::collections::{BTreeMap, BTreeSet};

use super::rules;
use super::scope::{Locals, Scope};
use super::text::{bytes, statement};
use super::types::{Shape, code, format, order, order_word, scalar, shape};
use crate::model::{ContractId, Descriptor, Element, Endian, Field, Moment, Role, Scalar};

/// A nested descriptor with more items than this keeps its own format, so that nesting does not multiply code.
const FLATTENED_ITEMS: usize = 96;

/// The code of `from_bytes` and `to_bytes`.
pub(super) struct Plan {
    /// The format's byte order.
    pub(super) order: Endian,
    /// The format's letters with their counts.
    pub(super) codes: Vec<String>,
    /// The variables that reading unpacks into; none when nothing in the descriptor is looked at.
    pub(super) unpacked: Vec<String>,
    /// Reading: lookups and decodings, any of which may raise a suspicion.
    pub(super) lookups: Vec<Line>,
    /// Reading: what has to hold.
    pub(super) conditions: Vec<String>,
    /// Reading: statements that build the value.
    pub(super) builds: Vec<String>,
    /// Reading: the variable that holds the value.
    pub(super) value: String,
    /// Reading: a variable to return, annotated.
    pub(super) result: String,
    /// Reading: the values whose rules have to hold, those of the descriptor itself last.
    pub(super) ruled: Vec<(ContractId, String)>,
    /// Writing: statements before packing.
    pub(super) before: Vec<String>,
    /// Writing: what is packed.
    pub(super) packed: Vec<String>,
    /// Writing: the variable that holds the bytes and statements that change them, where there are any.
    pub(super) after: Option<(String, Vec<Line>)>,
}

/// A statement, or one for when a variable is a NaN.
pub(super) enum Line {
    Always(String),
    ForNan(String, String),
}

impl Line {
    /// The statement's lines.
    pub(super) fn lines(&self, indent: usize) -> String {
        match self {
            Line::Always(code) => statement(indent, code),
            Line::ForNan(local, code) => {
                let test = format!("if _math.isnan({local}):");
                format!("{}\n{}", statement(indent, &test), statement(indent + 4, code))
            }
        }
    }
}

/// Plans a descriptor.
pub(super) fn plan(scope: &Scope<'_>, id: ContractId) -> Plan {
    let main = main_order(scope, id);
    let grows = scope.catalog.get(id).descriptor().growth.is_some();
    let mut planner = Planner {
        scope,
        main,
        codes: Vec::new(),
        read: Locals::new(scope, &["data"]),
        write: Locals::new(scope, &["self", "version"]),
        nans: Vec::new(),
        plan: Plan {
            order: main,
            codes: Vec::new(),
            unpacked: Vec::new(),
            lookups: Vec::new(),
            conditions: Vec::new(),
            builds: Vec::new(),
            value: String::new(),
            result: String::new(),
            ruled: Vec::new(),
            before: Vec::new(),
            packed: Vec::new(),
            after: None,
        },
    };
    planner.plan.value = planner.descriptor(id, 0, "", "self");
    planner.plan.result = planner.read.add("", "result");
    if grows || !planner.nans.is_empty() {
        let variable = planner.write.add("", "packed");
        let mut statements = Vec::new();
        for (offset, local) in std::mem::take(&mut planner.nans) {
            let order = order(scope, main);
            let code =
                format!("{variable} = {}({variable}, {offset}, {order}, {local})", scope.wire("with_f32"));
            statements.push(Line::ForNan(local, code));
        }
        planner.plan.after = Some((variable, statements));
    }
    planner.plan.codes = join_codes(&planner.codes);
    planner.plan
}

/// The byte order that most of the descriptor's multi-byte items have.
fn main_order(scope: &Scope<'_>, id: ContractId) -> Endian {
    let mut counts: BTreeMap<u8, usize> = BTreeMap::new();
    count_orders(scope, id, &mut counts);
    let of = |endian| counts.get(&(endian as u8)).copied().unwrap_or(0);
    let (little, big, native) = (of(Endian::Little), of(Endian::Big), of(Endian::Native));
    if little >= big && little >= native {
        Endian::Little
    } else if big >= native {
        Endian::Big
    } else {
        Endian::Native
    }
}

fn count_orders(scope: &Scope<'_>, id: ContractId, counts: &mut BTreeMap<u8, usize>) {
    for field in &scope.catalog.get(id).descriptor().fields {
        match field.ty.element {
            Element::Descriptor(nested) if is_flattened(scope, field) => count_orders(scope, nested, counts),
            Element::Descriptor(_) => {}
            _ if !field.ty.dims.is_empty() || matches!(field.role, Role::Reserved { .. }) => {}
            element if scope.catalog.element_size(element) == 1 => {}
            _ => *counts.entry(field.ty.endian as u8).or_default() += 1,
        }
    }
}

/// Whether a nested descriptor's items stand in the format of what nests it.
fn is_flattened(scope: &Scope<'_>, field: &Field) -> bool {
    match field.ty.element {
        Element::Descriptor(nested) => field.ty.dims.is_empty() && items(scope, nested) <= FLATTENED_ITEMS,
        _ => false,
    }
}

fn items(scope: &Scope<'_>, id: ContractId) -> usize {
    let fields = &scope.catalog.get(id).descriptor().fields;
    fields
        .iter()
        .map(|field| match field.ty.element {
            Element::Descriptor(nested) if field.ty.dims.is_empty() => items(scope, nested),
            _ => 1,
        })
        .fold(0, usize::saturating_add)
}

/// `["4s", "I", "I"]` as `["4s", "2I"]`.
fn join_codes(codes: &[String]) -> Vec<String> {
    let mut joined = Vec::new();
    let mut rest = codes;
    while let Some(first) = rest.first() {
        let run = rest.iter().take_while(|code| *code == first).count();
        let is_letter = first.len() == 1;
        let taken = if is_letter { run } else { 1 };
        joined.push(if taken > 1 { format!("{taken}{first}") } else { first.clone() });
        rest = &rest[taken..];
    }
    joined
}

struct Planner<'s> {
    scope: &'s Scope<'s>,
    main: Endian,
    codes: Vec<String>,
    read: Locals<'s>,
    write: Locals<'s>,
    /// f32 items whose NaNs are written apart: offset and variable.
    nans: Vec<(u32, String)>,
    plan: Plan,
}

impl Planner<'_> {
    /// Adds a descriptor at `base` that writing finds in `access`; gives the variable that reading builds.
    fn descriptor(&mut self, id: ContractId, base: u32, context: &str, access: &str) -> String {
        let descriptor = self.scope.catalog.get(id).descriptor();
        let counted = self.counted_variables(id, descriptor, context, access);
        let mut counts: BTreeMap<usize, String> = BTreeMap::new();
        // Elements may stand before their count, so that they are cut to it when all items are there.
        let mut cuts: Vec<(usize, usize)> = Vec::new();
        let mut parts: Vec<(String, String)> = Vec::new();
        for (index, field) in descriptor.fields.iter().enumerate() {
            let attribute = self.scope.attribute(id, &field.name);
            let path = format!("{access}.{attribute}");
            match &field.role {
                Role::Magic(magic) => {
                    let local = self.unpack(context, &field.name, format!("{}s", magic.len()));
                    self.plan.conditions.push(format!("{local} == {}", bytes(magic)));
                    self.plan.packed.push(bytes(magic));
                }
                Role::Version(newest) => {
                    let local = self.integer(context, field);
                    // Older ones stand for other bytes.
                    let is_exact = *newest == 1 || descriptor.growth.is_some();
                    self.plan.conditions.push(if is_exact {
                        format!("{local} == {newest}")
                    } else {
                        format!("1 <= {local} <= {newest}")
                    });
                    let written = self.integer_written(field, &newest.to_string());
                    self.plan.packed.push(written);
                    parts.push((attribute, local));
                }
                Role::Reserved { zero: false } => {
                    self.codes.push(format!("{}x", self.scope.catalog.field_size(field)));
                }
                Role::Reserved { zero: true } => {
                    let size = self.scope.catalog.field_size(field);
                    let local = self.unpack(context, &field.name, format!("{size}s"));
                    let zero = if size <= 8 {
                        bytes(&vec![0; size as usize])
                    } else {
                        format!("{}({size})", self.scope.builtin("bytes", &BTreeSet::new()))
                    };
                    self.plan.conditions.push(format!("{local} == {zero}"));
                    self.plan.packed.push("b\"\"".to_owned());
                }
                Role::LengthOf(targets) => {
                    let local = self.integer(context, field);
                    let limit = limit(descriptor, targets);
                    self.plan.conditions.push(format!("{local} <= {limit}"));
                    let len = self.scope.builtin("len", &BTreeSet::new());
                    let written = self.integer_written(field, &format!("{len}({})", counted[&targets[0]]));
                    self.plan.packed.push(written);
                    counts.insert(index, local);
                }
                Role::Text => {
                    let size = field.ty.dims[0];
                    let local = self.unpack(context, &field.name, format!("{size}s"));
                    let text = self.read.add(context, &format!("{}_text", field.name.trim_end_matches('_')));
                    self.look_up(format!("{local} = {local}.rstrip(b\"\\0\")"));
                    self.look_up(format!("{text} = {local}.decode()"));
                    let len = self.scope.builtin("len", &BTreeSet::new());
                    self.plan.conditions.push(format!("{len}({local}) < {size}"));
                    self.plan.conditions.push(format!("b\"\\0\" not in {local}"));
                    self.plan.packed.push(format!("{path}.encode()"));
                    parts.push((attribute, text));
                }
                Role::Value => {
                    let offset = base + field.offset;
                    let count = descriptor.count_of(index);
                    let local = match shape(field) {
                        Shape::Single => self.single(context, field, offset, &path),
                        _ => {
                            self.array(context, field, counted.get(&index).unwrap_or(&path), count.is_some())
                        }
                    };
                    if let Some(count) = count {
                        cuts.push((parts.len(), count));
                    }
                    parts.push((attribute, local));
                }
            }
        }
        for (part, count) in cuts {
            let local = &mut parts[part].1;
            *local = format!("{local}[:{}]", counts[&count]);
        }
        self.build(id, context, &parts)
    }

    /// Variables of writing for the arrays whose length is looked at.
    fn counted_variables(
        &mut self,
        id: ContractId,
        descriptor: &Descriptor,
        context: &str,
        access: &str,
    ) -> BTreeMap<usize, String> {
        let mut variables = BTreeMap::new();
        for field in &descriptor.fields {
            if let Role::LengthOf(targets) = &field.role {
                let target = &descriptor.fields[targets[0]];
                let local = self.write.add(context, &target.name);
                self.plan
                    .before
                    .push(format!("{local} = {access}.{}", self.scope.attribute(id, &target.name)));
                variables.insert(targets[0], local);
            }
        }
        variables
    }

    /// The parts of a frozen value are set on a class without a guard, which then becomes the frozen one: the two
    /// have the same slots. That is twice as fast as going round the guard for every attribute.
    fn build(&mut self, id: ContractId, context: &str, parts: &[(String, String)]) -> String {
        let value = self.read.add("", if context.is_empty() { "value" } else { context });
        let scope = self.scope;
        let builds = &mut self.plan.builds;
        builds.push(format!("{value}: _typing.Any = {}()", scope.private("Parts", id)));
        builds.extend(parts.iter().map(|(attribute, local)| format!("{value}.{attribute} = {local}")));
        builds.push(format!("{value}.__class__ = {}", scope.class(id)));
        if rules::own(scope, id, Moment::Read) {
            self.plan.ruled.push((id, value.clone()));
        }
        value
    }

    /// Unpacks an integer; from bytes where it stands in another order than the format has.
    fn integer(&mut self, context: &str, field: &Field) -> String {
        let scalar = scalar(self.scope, field.ty.element);
        if !self.stands_apart(field) {
            return self.unpack(context, &field.name, code(scalar).to_string());
        }
        let local = self.unpack(context, &field.name, format!("{}s", scalar.size()));
        let mut arguments = vec![local.clone(), order_word(self.scope, field.ty.endian)];
        if scalar.is_signed() {
            arguments.push("signed=True".to_owned());
        }
        let int = self.scope.builtin("int", &BTreeSet::new());
        self.look_up(format!("{local} = {int}.from_bytes({})", arguments.join(", ")));
        local
    }

    /// What packing takes for an integer.
    fn integer_written(&self, field: &Field, value: &str) -> String {
        let scalar = scalar(self.scope, field.ty.element);
        if !self.stands_apart(field) {
            return value.to_owned();
        }
        format!("_struct.pack({}, {value})", format(self.scope, field.ty.endian, &code(scalar).to_string()))
    }

    fn stands_apart(&self, field: &Field) -> bool {
        field.ty.endian != self.main && self.scope.catalog.element_size(field.ty.element) > 1
    }

    fn look_up(&mut self, code: String) {
        self.plan.lookups.push(Line::Always(code));
    }

    fn unpack(&mut self, context: &str, name: &str, code: String) -> String {
        let local = self.read.add(context, name);
        self.codes.push(code);
        self.plan.unpacked.push(local.clone());
        local
    }
}

/// The most elements that a count may state.
pub(super) fn limit(descriptor: &Descriptor, targets: &[usize]) -> u32 {
    targets.iter().map(|&target| descriptor.fields[target].ty.dims[0]).min().unwrap_or(0)
}

/// All bits of an unsigned integer type.
pub(super) fn all_bits(repr: Scalar) -> u64 {
    u64::MAX >> (64 - 8 * repr.size())
}

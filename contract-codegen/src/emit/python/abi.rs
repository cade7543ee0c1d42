//! C structs as `ctypes` has them. Their classes come first, since they may point to each other; what they are made of
//! follows, and a check that this machine's C lays them out as declared.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Value, context};

use super::docs;
use super::scope::Scope;
use super::text::{docstring, exploded, statement, string};
use crate::counted;
use crate::emit::EmitError;
use crate::emit::c::abi::{MODELS, differs, list, one};
use crate::model::{AbiField, AbiScalar, AbiType, ContractId, Scalar, Signature};
use crate::names::python as names;

/// The variable that says which of four numbers is for this machine.
const MODEL: &str = "_model";

/// What `abi.py.j2` takes.
pub(super) fn class(scope: &Scope<'_>, id: ContractId) -> Result<Value, EmitError> {
    let contract = scope.catalog.get(id);
    let body = contract.abi();
    refuse_collisions(scope, id)?;
    let attributes = attributes(scope, id);
    let fields: Vec<Value> = body
        .fields
        .iter()
        .map(|field| {
            let name = scope.abi_attribute(id, &field.name);
            let line = statement(4, &format!("{name}: {}", kept(scope, &field.ty, &attributes)));
            let counter = field.counted_by.map(|at| scope.abi_attribute(id, &body.fields[at].name));
            context! { line, docstring => field_docs(scope, field, counter) }
        })
        .collect();
    let sizes = body.layouts.map(|layout| layout.size);
    let bytes = one(sizes).map_or_else(|| format!("{} bytes", list(sizes)), counted::bytes);
    let legend = if differs(body) { format!(" Four numbers are for {MODELS}.") } else { String::new() };
    let form = format!("A C struct of {bytes} in memory, to share inside one process.{legend}");
    Ok(context! {
        class => scope.class(id),
        docstring => docs::contract(contract, &form),
        wire_id => docs::wire_id(contract),
        spoken => docs::spoken(contract, |name| scope.builtin(name, &attributes)),
        int => scope.builtin("int", &attributes),
        fields,
    })
}

/// Which data model this machine has.
pub(super) fn model(scope: &Scope<'_>) -> String {
    let facts = [
        "_ctypes.sizeof(_ctypes.c_void_p)",
        "_ctypes.sizeof(_ctypes.c_long)",
        "_ctypes.alignment(_ctypes.c_uint64)",
    ];
    statement(0, &format!("{MODEL}: _typing.Final = {}({})", scope.wire("data_model"), facts.join(", ")))
}

/// Its function types, its fields, and the check of its layout.
pub(super) fn definition(scope: &Scope<'_>, id: ContractId) -> String {
    let contract = scope.catalog.get(id);
    let body = contract.abi();
    let class = scope.class(id);
    let mut parts = Vec::new();
    let mut fields = Vec::new();
    let mut offsets = Vec::new();
    let mut types = Types::new(scope, scope.private("item", id));
    for field in &body.fields {
        let name = string(&scope.abi_attribute(id, &field.name));
        let before = types.items.len();
        let mut ty = types.ctype(&field.ty);
        parts.extend_from_slice(&types.items[before..]);
        if let AbiType::Function(_) = field.ty {
            let variable = function_name(scope, id, field);
            parts.push(statement(0, &format!("{variable}: _typing.Final = {ty}")));
            ty = variable;
        }
        fields.push(format!("({name}, {ty})"));
        offsets.push(format!("{name}: ({})", list(field.offsets)));
    }
    parts.push(exploded(0, &format!("{class}._fields_ = ["), &fields, "]"));
    let arguments = [
        class.clone(),
        string(&contract.name),
        MODEL.to_owned(),
        format!("_ctypes.sizeof({class})"),
        format!("({})", list(body.layouts.map(|layout| layout.size))),
    ];
    let check = scope.wire("check_layout");
    let arguments = arguments.map(|argument| format!("    {argument},")).join("\n");
    parts.push(format!("{check}(\n{arguments}\n{},\n)", exploded(4, "{", &offsets, "}")));
    parts.join("\n")
}

/// The types of functions that are called through fields, which a user needs to make one.
pub(super) fn function_names(scope: &Scope<'_>, id: ContractId) -> Vec<String> {
    let fields = scope.catalog.get(id).abi().fields.iter();
    fields
        .filter(|field| matches!(field.ty, AbiType::Function(_)))
        .map(|field| function_name(scope, id, field))
        .collect()
}

fn function_name(scope: &Scope<'_>, id: ContractId, field: &AbiField) -> String {
    format!("{}_{}", scope.class(id), scope.abi_attribute(id, &field.name))
}

fn attributes(scope: &Scope<'_>, id: ContractId) -> BTreeSet<String> {
    let fields = scope.catalog.get(id).abi().fields.iter();
    fields.map(|field| scope.abi_attribute(id, &field.name)).collect()
}

/// Two fields that underscores make one.
fn refuse_collisions(scope: &Scope<'_>, id: ContractId) -> Result<(), EmitError> {
    let contract = scope.catalog.get(id);
    let mut seen = BTreeMap::new();
    for field in &contract.abi().fields {
        let path = format!("{}::{}.{}", contract.module, contract.name, field.name);
        let name = scope.abi_attribute(id, &field.name);
        if !names::is_identifier(&name) {
            let reason = "it is no identifier in Python".to_owned();
            return Err(EmitError::BadName { target: "python", name, contract: path, reason });
        }
        if let Some(first) = seen.insert(name.clone(), path.clone()) {
            return Err(EmitError::Collision { target: "python", name, first, second: path });
        }
    }
    Ok(())
}

fn field_docs(scope: &Scope<'_>, field: &AbiField, counter: Option<String>) -> String {
    let place = one(field.offsets).map_or_else(|| list(field.offsets), |offset| offset.to_string());
    let at = match &field.ty {
        AbiType::Enumeration(id) | AbiType::Flags(id) => {
            let contract = scope.catalog.get(*id);
            format!("A number of `{}` as {}, at byte {place}.", scope.class(*id), contract.repr())
        }
        _ => format!("At byte {place}."),
    };
    let what = if matches!(field.ty, AbiType::Pointer { to: None, .. }) { "bytes" } else { "items" };
    let counter = counter.map(|counter| format!("It points to `{counter}` {what}."));
    let since = field.since.map(|since| format!("Since version {since}."));
    let facts: Vec<String> = [Some(at), counter, since].into_iter().flatten().collect();
    let facts = facts.join(" ");
    let deprecated = field.deprecated.as_ref().map(|why| format!("Deprecated: {why}")).unwrap_or_default();
    docstring(4, &[&field.docs, &facts, &deprecated])
}

/// The annotation of an attribute: what `ctypes` gives for it.
fn kept(scope: &Scope<'_>, ty: &AbiType, attributes: &BTreeSet<String>) -> String {
    let builtin = |name| scope.builtin(name, attributes);
    let is_char = |ty: &AbiType| matches!(ty, AbiType::Scalar(AbiScalar::Char));
    match ty {
        AbiType::Scalar(AbiScalar::Fixed(Scalar::Bool)) => builtin("bool"),
        AbiType::Scalar(AbiScalar::Fixed(Scalar::F32 | Scalar::F64)) => builtin("float"),
        AbiType::Scalar(AbiScalar::Char) => builtin("bytes"),
        AbiType::Array { item, .. } if is_char(item) => builtin("bytes"),
        AbiType::Scalar(_) | AbiType::Enumeration(_) | AbiType::Flags(_) => builtin("int"),
        AbiType::Pointer { to: None, .. } => format!("{} | None", builtin("int")),
        AbiType::Function(_) => "_ctypes._FuncPointer".to_owned(),
        AbiType::Struct(_) | AbiType::Array { .. } | AbiType::Pointer { .. } => annotation(scope, ty),
    }
}

/// What stands in the brackets of a generic type.
fn annotation(scope: &Scope<'_>, ty: &AbiType) -> String {
    match ty {
        AbiType::Array { item, .. } => format!("_ctypes.Array[{}]", annotation(scope, item)),
        AbiType::Pointer { to: Some(to), .. } => format!("_ctypes._Pointer[{}]", annotation(scope, to)),
        // Each prototype is a type of its own.
        AbiType::Function(_) => "_typing.Any".to_owned(),
        _ => simple(scope, ty),
    }
}

/// Writes the types of a struct's fields.
pub(super) struct Types<'a> {
    scope: &'a Scope<'a>,
    /// What the names of definitions begin with.
    prefix: String,
    /// Definitions of what is too long to be multiplied in place: the items of some arrays.
    pub(super) items: Vec<String>,
}

impl<'a> Types<'a> {
    pub(super) fn new(scope: &'a Scope<'a>, prefix: String) -> Self {
        Types { scope, prefix, items: Vec::new() }
    }

    /// The type as `ctypes` takes it.
    pub(super) fn ctype(&mut self, ty: &AbiType) -> String {
        match ty {
            AbiType::Array { item, length } => {
                let expression = self.ctype(item);
                if matches!(**item, AbiType::Function(_) | AbiType::Pointer { to: Some(_), .. }) {
                    let name = format!("{}_{}", self.prefix, self.items.len());
                    self.items.push(statement(0, &format!("{name}: _typing.Final = {expression}")));
                    return format!("{name} * {length}");
                }
                format!("{expression} * {length}")
            }
            AbiType::Pointer { to: Some(to), .. } => format!("_ctypes.POINTER({})", self.ctype(to)),
            AbiType::Function(signature) => self.prototype(signature),
            other => simple(self.scope, other),
        }
    }

    fn prototype(&mut self, signature: &Signature) -> String {
        let result = signature.result.as_ref().map_or_else(|| "None".to_owned(), |ty| self.ctype(ty));
        let params = signature.params.iter().map(|param| self.ctype(&param.ty)).collect::<Vec<_>>();
        let types: Vec<String> = std::iter::once(result).chain(params).collect();
        format!("_ctypes.CFUNCTYPE({})", types.join(", "))
    }
}

/// A type that is made of no other, as `ctypes` takes it.
pub(super) fn simple(scope: &Scope<'_>, ty: &AbiType) -> String {
    match ty {
        AbiType::Scalar(scalar) => format!("_ctypes.{}", scalar_word(*scalar)),
        AbiType::Enumeration(id) | AbiType::Flags(id) => {
            let repr = AbiScalar::Fixed(scope.catalog.get(*id).repr());
            format!("_ctypes.{}", scalar_word(repr))
        }
        AbiType::Struct(id) => scope.class(*id),
        // Of the others only `void *` has no type of its own in it.
        AbiType::Array { .. } | AbiType::Pointer { .. } | AbiType::Function(_) => {
            "_ctypes.c_void_p".to_owned()
        }
    }
}

/// The name of a number's type in `ctypes`.
pub(super) const fn scalar_word(scalar: AbiScalar) -> &'static str {
    match scalar {
        AbiScalar::Fixed(Scalar::Bool) => "c_bool",
        AbiScalar::Fixed(Scalar::U8) => "c_uint8",
        AbiScalar::Fixed(Scalar::I8) => "c_int8",
        AbiScalar::Fixed(Scalar::U16) => "c_uint16",
        AbiScalar::Fixed(Scalar::I16) => "c_int16",
        AbiScalar::Fixed(Scalar::U32) => "c_uint32",
        AbiScalar::Fixed(Scalar::I32) => "c_int32",
        AbiScalar::Fixed(Scalar::U64) => "c_uint64",
        AbiScalar::Fixed(Scalar::I64) => "c_int64",
        AbiScalar::Fixed(Scalar::F32) => "c_float",
        AbiScalar::Fixed(Scalar::F64) => "c_double",
        AbiScalar::Char => "c_char",
        AbiScalar::SChar => "c_byte",
        AbiScalar::UChar => "c_ubyte",
        AbiScalar::Short => "c_short",
        AbiScalar::UShort => "c_ushort",
        AbiScalar::Int => "c_int",
        AbiScalar::UInt => "c_uint",
        AbiScalar::Long => "c_long",
        AbiScalar::ULong => "c_ulong",
        AbiScalar::LongLong => "c_longlong",
        AbiScalar::ULongLong => "c_ulonglong",
        AbiScalar::Size => "c_size_t",
        // As wide and as signed.
        AbiScalar::PtrDiff => "c_ssize_t",
    }
}

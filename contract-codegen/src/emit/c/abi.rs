//! Structs that are shared in memory: C's own layout, which the header shows and asserts.

use std::collections::BTreeSet;

use serde::Serialize;

use super::literal::{comment_with, remarks, scalar_type};
use super::view::{Common, common};
use crate::counted;
use crate::emit::{EmitInput, PackageConfig};
use crate::model::{AbiField, AbiScalar, AbiStruct, AbiType, ContractId, DataModel, Scalar, Signature};
use crate::names::c as names;

/// A struct.
#[derive(Serialize)]
pub(super) struct AbiView {
    #[serde(flatten)]
    common: Common,
    /// The bytes of the whole, by model, as a constant expression and as a message.
    size: Numbers,
    /// Types of function pointers that have names of their own, declared.
    types: Vec<String>,
    fields: Vec<FieldView>,
    /// What is said of padding behind the last field.
    end: Option<String>,
}

#[derive(Serialize)]
struct FieldView {
    name: String,
    docs: Vec<String>,
    declaration: String,
    member: String,
    offset: Numbers,
    /// What is said of padding in front of it.
    padding: Option<String>,
}

/// A number that data models may differ in.
#[derive(Serialize)]
struct Numbers {
    expression: String,
    text: String,
}

impl Numbers {
    fn new(numbers: [u32; 4]) -> Self {
        match one(numbers) {
            Some(number) => Numbers { expression: format!("{number}u"), text: number.to_string() },
            None => Numbers {
                expression: format!("WC_ABI_PICK({})", numbers.map(|number| format!("{number}u")).join(", ")),
                text: list(numbers),
            },
        }
    }
}

/// The number that all models have.
pub(crate) fn one(numbers: [u32; 4]) -> Option<u32> {
    numbers.iter().all(|number| *number == numbers[0]).then_some(numbers[0])
}

/// The numbers of all models.
pub(crate) fn list(numbers: [u32; 4]) -> String {
    numbers.map(|number| number.to_string()).join(", ")
}

/// What lists of four numbers are for.
pub(crate) const MODELS: &str =
    "LP64, LLP64, and 32 bits with integers of 64 bits aligned to 4 and to 8 bytes";

/// How a header calls the models that have something.
const MODEL_WORDS: [&str; 4] =
    ["LP64", "LLP64", "ILP32 with u64 aligned to 4", "ILP32 with u64 aligned to 8"];

pub(super) fn abi(input: &EmitInput<'_>, package: &PackageConfig, id: ContractId) -> AbiView {
    let contract = input.catalog.get(id);
    let body = contract.abi();
    let mut padding = body.padding(input.catalog).into_iter().map(padding_text);
    let fields: Vec<FieldView> = body
        .fields
        .iter()
        .enumerate()
        .zip(&mut padding)
        .map(|((index, field), padding)| {
            let member = names::abi_member(field);
            FieldView {
                name: field.name.clone(),
                docs: field_docs(body, index),
                declaration: member_declaration(input, field),
                member,
                offset: Numbers::new(field.offsets),
                padding,
            }
        })
        .collect();
    let types =
        body.fields.iter().filter_map(|it| Some(declaration(input, &it.ty, it.c_type.as_deref()?))).collect();
    AbiView {
        types,
        common: common(package, contract, facts(body)),
        size: Numbers::new(sizes(body)),
        fields,
        end: padding.next().flatten(),
    }
}

fn sizes(body: &AbiStruct) -> [u32; 4] {
    body.layouts.map(|layout| layout.size)
}

/// What is said of the whole.
fn facts(body: &AbiStruct) -> Vec<String> {
    let sizes = sizes(body);
    let bytes = one(sizes).map_or_else(|| format!("{} bytes", list(sizes)), counted::bytes);
    let mut facts =
        vec![format!("{bytes} in memory, shared inside one process; no bytes are written of it.")];
    if differs(body) {
        facts.push(format!("Four numbers are for {MODELS}."));
    }
    facts
}

/// Whether data models differ in anything about it.
pub(crate) fn differs(body: &AbiStruct) -> bool {
    body.fields.iter().map(|field| field.offsets).chain([sizes(body)]).any(|numbers| one(numbers).is_none())
}

/// The field's documentation, its place, and what counts its items.
fn field_docs(body: &AbiStruct, index: usize) -> Vec<String> {
    let field = &body.fields[index];
    let mut lines = Vec::new();
    if let Some(counter) = field.counted_by {
        let counter = names::abi_member(&body.fields[counter]);
        lines.push(match field.ty {
            AbiType::Pointer { to: None, .. } => format!("Points to `{counter}` bytes."),
            _ => format!("Points to `{counter}` items."),
        });
    }
    lines.push(format!(
        "Offset {}.",
        one(field.offsets).map_or_else(|| list(field.offsets), |it| it.to_string())
    ));
    lines.extend(remarks(field.since, field.deprecated.as_deref()));
    comment_with(&field.docs, &lines)
}

/// `4 bytes of padding here on LP64 and LLP64`, or nothing where there is none.
fn padding_text(padding: [u32; 4]) -> Option<String> {
    if let Some(bytes) = one(padding) {
        return (bytes > 0).then(|| format!("{} here", padded(bytes)));
    }
    let amounts: BTreeSet<u32> = padding.into_iter().filter(|bytes| *bytes > 0).collect();
    let parts: Vec<String> = amounts
        .into_iter()
        .map(|bytes| {
            let models: Vec<&str> = DataModel::ALL
                .into_iter()
                .filter(|model| padding[*model as usize] == bytes)
                .map(|model| MODEL_WORDS[model as usize])
                .collect();
            let (last, others) = models.split_last().expect("one model has this padding");
            let models = if others.is_empty() {
                (*last).to_owned()
            } else {
                format!("{} and {last}", others.join(", "))
            };
            format!("{} here on {models}", padded(bytes))
        })
        .collect();
    Some(parts.join("; "))
}

fn padded(bytes: u32) -> String {
    format!("{} of padding", counted::bytes(bytes))
}

/// A member's declaration.
pub(crate) fn member_declaration(input: &EmitInput<'_>, field: &AbiField) -> String {
    let member = names::abi_member(field);
    match &field.c_type {
        Some(ty) => base(ty, &member, false),
        None => declaration(input, &field.ty, &member),
    }
}

/// A declaration of that name; an empty one for the type alone.
pub(crate) fn declaration(input: &EmitInput<'_>, ty: &AbiType, name: &str) -> String {
    declare(input, ty, name, false)
}

/// C declares from the name outwards: what is to the right binds before what is to the left.
fn declare(input: &EmitInput<'_>, ty: &AbiType, declarator: &str, is_const: bool) -> String {
    // `*name`, or `*const name` where the pointer itself is const.
    let pointer = match (is_const, declarator) {
        (false, _) => format!("*{declarator}"),
        (true, "") => "*const".to_owned(),
        (true, _) => format!("*const {declarator}"),
    };
    match ty {
        AbiType::Array { item, length } => declare(input, item, &format!("{declarator}[{length}]"), is_const),
        AbiType::Pointer { to: None, is_const: to_const } => base("void", &pointer, *to_const),
        AbiType::Pointer { to: Some(to), is_const: to_const } => {
            let is_array = matches!(**to, AbiType::Array { .. });
            let pointer = if is_array { format!("({pointer})") } else { pointer };
            declare(input, to, &pointer, *to_const)
        }
        AbiType::Function(signature) => {
            let function = format!("({pointer})({})", parameters(input, signature));
            match &signature.result {
                None => base("void", &function, false),
                Some(result) => declare(input, result, &function, false),
            }
        }
        AbiType::Scalar(scalar) => base(scalar_word(*scalar), declarator, is_const),
        AbiType::Enumeration(id) | AbiType::Flags(id) | AbiType::Struct(id) => {
            let name = names::type_name(&input.family_of(*id).package, input.catalog.get(*id));
            base(&name, declarator, is_const)
        }
    }
}

fn base(name: &str, declarator: &str, is_const: bool) -> String {
    let is_const = if is_const { "const " } else { "" };
    let space = if declarator.is_empty() { "" } else { " " };
    format!("{is_const}{name}{space}{declarator}")
}

fn parameters(input: &EmitInput<'_>, signature: &Signature) -> String {
    if signature.params.is_empty() {
        return "void".to_owned();
    }
    let names = names::parameters(signature);
    let params = signature.params.iter().zip(names);
    params.map(|(param, name)| declaration(input, &param.ty, &name)).collect::<Vec<_>>().join(", ")
}

/// The C type of a number.
pub(crate) const fn scalar_word(scalar: AbiScalar) -> &'static str {
    match scalar {
        AbiScalar::Fixed(Scalar::Bool) => "bool",
        AbiScalar::Fixed(scalar) => scalar_type(scalar),
        AbiScalar::Char => "char",
        AbiScalar::SChar => "signed char",
        AbiScalar::UChar => "unsigned char",
        AbiScalar::Short => "short",
        AbiScalar::UShort => "unsigned short",
        AbiScalar::Int => "int",
        AbiScalar::UInt => "unsigned int",
        AbiScalar::Long => "long",
        AbiScalar::ULong => "unsigned long",
        AbiScalar::LongLong => "long long",
        AbiScalar::ULongLong => "unsigned long long",
        AbiScalar::Size => "size_t",
        AbiScalar::PtrDiff => "ptrdiff_t",
    }
}

//! What crosses as a number, a pointer or a C struct: its types, how it is checked, and what is kept of it.

use std::collections::BTreeSet;

use super::super::abi::{Types, scalar_word, simple};
use super::super::scope::Scope;
use super::super::text::{exploded, hex, statement, string};
use crate::model::{AbiScalar, AbiType, ContractId, FunctionParam, ParamForm, Scalar};
use crate::names::python as names;

/// What the functions of a module share, each written once, in the order of need.
#[derive(Default)]
pub(super) struct Definitions {
    lines: Vec<String>,
    functions: Vec<String>,
    seen: BTreeSet<String>,
}

impl Definitions {
    /// A variable.
    pub(super) fn line(&mut self, name: &str, value: &str) {
        if self.seen.insert(name.to_owned()) {
            self.lines.push(statement(0, &format!("{name}: _typing.Final = {value}")));
        }
    }

    /// Lines that define what has a name in them.
    fn text(&mut self, text: String) {
        self.lines.push(text);
    }

    /// A function.
    pub(super) fn function(&mut self, text: String) {
        self.functions.push(text);
    }

    pub(super) fn items(self) -> impl Iterator<Item = String> {
        let lines = (!self.lines.is_empty()).then(|| self.lines.join("\n"));
        lines.into_iter().chain(self.functions)
    }
}

/// The type as `ctypes` takes it; that of every pointer is `void *`, since all addresses are taken.
pub(super) fn ctype(scope: &Scope<'_>, ty: &AbiType) -> String {
    match ty {
        AbiType::Scalar(_) | AbiType::Enumeration(_) | AbiType::Flags(_) | AbiType::Struct(_) => {
            simple(scope, ty)
        }
        AbiType::Array { .. } | AbiType::Pointer { .. } | AbiType::Function(_) => {
            "_ctypes.c_void_p".to_owned()
        }
    }
}

/// The number type of an enumeration or of flags.
pub(super) fn repr(scope: &Scope<'_>, id: ContractId) -> String {
    format!("_ctypes.{}", scalar_word(AbiScalar::Fixed(scope.catalog.get(id).repr())))
}

/// The annotation of a value that is given.
pub(super) fn given(scope: &Scope<'_>, ty: &AbiType, hidden: &BTreeSet<String>) -> String {
    match ty {
        AbiType::Flags(id) => format!("{} | {}", scope.class(*id), scope.builtin("int", hidden)),
        AbiType::Pointer { .. } | AbiType::Array { .. } => "_call.Address".to_owned(),
        AbiType::Function(_) => "_ctypes._FuncPointer | None".to_owned(),
        _ => kept(scope, ty, hidden),
    }
}

/// The annotation of a value that comes back.
pub(super) fn kept(scope: &Scope<'_>, ty: &AbiType, hidden: &BTreeSet<String>) -> String {
    match ty {
        AbiType::Scalar(AbiScalar::Fixed(Scalar::Bool)) => scope.builtin("bool", hidden),
        AbiType::Scalar(AbiScalar::Fixed(Scalar::F32 | Scalar::F64)) => scope.builtin("float", hidden),
        AbiType::Scalar(AbiScalar::Char) => scope.builtin("bytes", hidden),
        AbiType::Scalar(_) => scope.builtin("int", hidden),
        AbiType::Enumeration(id) => format!("{} | {}", scope.class(*id), scope.builtin("int", hidden)),
        AbiType::Flags(id) | AbiType::Struct(id) => scope.class(*id),
        AbiType::Array { .. } | AbiType::Pointer { .. } | AbiType::Function(_) => {
            format!("{} | None", scope.builtin("int", hidden))
        }
    }
}

/// What is kept of a value that `ctypes` gives.
pub(super) fn keep(scope: &Scope<'_>, ty: &AbiType, value: &str) -> String {
    match ty {
        AbiType::Enumeration(id) => {
            format!("{}.get({value}, {value})", scope.private("values", *id))
        }
        AbiType::Flags(id) => format!("_wire.flag_set({}, {value})", scope.class(*id)),
        _ => value.to_owned(),
    }
}

/// The function that takes a value: what it is given, the symbol, the name, an offset.
pub(super) fn take(scope: &Scope<'_>, ty: &AbiType, definitions: &mut Definitions) -> String {
    match ty {
        AbiType::Scalar(AbiScalar::Fixed(scalar)) => format!("_wire.take_{scalar}"),
        AbiType::Scalar(scalar) => format!("_call.take_{}", own_word(*scalar)),
        AbiType::Enumeration(id) => scope.private("open", *id),
        AbiType::Flags(id) => scope.private("take", *id),
        AbiType::Struct(id) => {
            let name = format!("_take_{}", flat(&scope.class(*id)));
            definitions.line(&name, &format!("_call.take_struct({})", scope.class(*id)));
            name
        }
        AbiType::Array { .. } | AbiType::Pointer { .. } | AbiType::Function(_) => {
            "_call.take_address".to_owned()
        }
    }
}

/// Conditions, one of which holds where a value has to be taken by the function above; none where it always has to.
pub(super) fn doubt(scope: &Scope<'_>, ty: &AbiType, value: &str, hidden: &BTreeSet<String>) -> Vec<String> {
    let is_no = |class: &str| format!("{}({value}) is not {class}", scope.builtin("type", hidden));
    let (int, float) = (scope.builtin("int", hidden), scope.builtin("float", hidden));
    let within = |least: &str, most: &str| format!("not {least} <= {value} <= {most}");
    match ty {
        AbiType::Scalar(AbiScalar::Fixed(Scalar::Bool)) => vec![is_no(&scope.builtin("bool", hidden))],
        AbiType::Scalar(AbiScalar::Fixed(Scalar::F64)) => vec![is_no(&float)],
        AbiType::Scalar(AbiScalar::Fixed(Scalar::F32)) => {
            vec![is_no(&float), within("_call.F32_MIN", "_call.F32_MAX")]
        }
        AbiType::Scalar(AbiScalar::Size) => vec![is_no(&int), within("0", "_call.SIZE_MAX")],
        AbiType::Scalar(AbiScalar::Fixed(scalar)) => {
            let (least, most) = scalar.range().expect("an integer");
            vec![is_no(&int), within(&least.to_string(), &most.to_string())]
        }
        AbiType::Enumeration(id) | AbiType::Struct(id) => vec![is_no(&scope.class(*id))],
        AbiType::Flags(id) => {
            let known = hex(scope.catalog.get(*id).flags().known_bits());
            vec![is_no(&scope.class(*id)), format!("{value}._value_ & ~{known}")]
        }
        AbiType::Pointer { .. } => vec![format!("{value} is not None")],
        AbiType::Scalar(_) | AbiType::Array { .. } | AbiType::Function(_) => Vec::new(),
    }
}

/// The table of how several of a type cross.
pub(super) fn items(scope: &Scope<'_>, ty: &AbiType, definitions: &mut Definitions) -> String {
    let ctype = ctype(scope, ty);
    let (what, name) = match ty {
        AbiType::Scalar(scalar) => (scalar_name(*scalar).to_owned(), scalar_name(*scalar).to_owned()),
        AbiType::Enumeration(id) | AbiType::Flags(id) => {
            (scope.catalog.get(*id).repr().to_string(), flat(&scope.class(*id)))
        }
        AbiType::Struct(id) => (scope.catalog.get(*id).name.clone(), flat(&scope.class(*id))),
        AbiType::Array { .. } | AbiType::Pointer { .. } | AbiType::Function(_) => {
            ("pointers".to_owned(), "pointers".to_owned())
        }
    };
    let name = format!("_items_{name}");
    let take = take(scope, ty, definitions);
    definitions.line(&name, &format!("_call.Items({ctype}, {}, {take})", string(&what)));
    name
}

/// What a number is called in messages.
pub(super) fn scalar_name(scalar: AbiScalar) -> &'static str {
    match scalar {
        AbiScalar::Fixed(scalar) => scalar.name(),
        own => scalar_word(own),
    }
}

/// The name of a parameter's function type, where it takes a pointer to a function: users make functions of it.
pub(super) fn function_name(scope: &Scope<'_>, id: ContractId, param: &FunctionParam) -> Option<String> {
    let ParamForm::Value(AbiType::Function(_)) = param.form else { return None };
    let contract = scope.catalog.get(id);
    Some(format!("{}_{}", contract.name.replace("::", "_"), names::parameter(&param.name)))
}

/// The definition of that type.
pub(super) fn function_type(scope: &Scope<'_>, name: &str, ty: &AbiType, definitions: &mut Definitions) {
    let mut types = Types::new(scope, format!("_item_{name}"));
    let prototype = types.ctype(ty);
    types.items.into_iter().for_each(|item| definitions.text(item));
    definitions.line(name, &prototype);
}

/// `_ctypes.CFUNCTYPE(…)` of a function that gives a status.
pub(super) fn told_type(name: &str, types: &[String], function: &str) -> String {
    let line = format!("{name}: _typing.Final = _ctypes.CFUNCTYPE({})({function})", types.join(", "));
    if line.len() <= 88 {
        return line;
    }
    // The formatter breaks the brackets of the types last.
    let prototype = format!("{name}_type: _typing.Final = _ctypes.CFUNCTYPE({})", types.join(", "));
    let made = statement(0, &format!("{name}: _typing.Final = {name}_type({function})"));
    let prototype = if prototype.len() <= 88 {
        prototype
    } else if types.join(", ").len() + 4 <= 88 {
        statement(0, &prototype)
    } else {
        exploded(0, &format!("{name}_type: _typing.Final = _ctypes.CFUNCTYPE("), types, ")")
    };
    format!("{prototype}\n{made}")
}

/// A dotted name as one word.
fn flat(name: &str) -> String {
    name.trim_start_matches('_').replace('.', "_")
}

/// C's own types in the names of `_call`.
fn own_word(scalar: AbiScalar) -> &'static str {
    match scalar {
        AbiScalar::Size => "size",
        AbiScalar::PtrDiff => "ptrdiff",
        AbiScalar::SChar => "schar",
        AbiScalar::UChar => "uchar",
        other => scalar_word(other).trim_start_matches("c_"),
    }
}

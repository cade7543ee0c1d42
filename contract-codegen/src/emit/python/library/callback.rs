//! Callbacks: what the library calls, and what it makes of that for a callable of Python.

use std::collections::BTreeSet;

use super::super::scope::{Locals, Scope};
use super::super::text::{head, statement};
use super::value::{self, Definitions};
use crate::model::{AbiScalar, AbiType, CallbackParam, ContractId, FunctionParam, ParamForm, Scalar};
use crate::names::python as names;

/// The annotation of the callable.
pub(super) fn annotation(scope: &Scope<'_>, params: &[CallbackParam], hidden: &BTreeSet<String>) -> String {
    let types: Vec<String> = params.iter().map(|param| kept(scope, &param.form, hidden)).collect();
    format!("_abc.Callable[[{}], {}]", types.join(", "), scope.builtin("object", hidden))
}

fn kept(scope: &Scope<'_>, form: &ParamForm, hidden: &BTreeSet<String>) -> String {
    match form {
        ParamForm::Value(ty) => value::kept(scope, ty, hidden),
        ParamForm::Closed(id) => scope.class(*id),
        ParamForm::Reference { to, is_nullable, .. } => {
            let ty = value::kept(scope, to, hidden);
            if *is_nullable && !ty.ends_with("None") { format!("{ty} | None") } else { ty }
        }
        ParamForm::Slice { item: AbiType::Struct(id), .. } => {
            format!("{}[{}, ...]", scope.builtin("tuple", hidden), scope.class(*id))
        }
        ParamForm::Slice { item, .. } => {
            let word = match item {
                AbiType::Scalar(AbiScalar::Fixed(Scalar::F32 | Scalar::F64)) => "float",
                AbiType::Scalar(AbiScalar::Fixed(Scalar::Bool)) => "bool",
                AbiType::Scalar(AbiScalar::Char) => "bytes",
                _ => "int",
            };
            format!("{}[{}]", scope.builtin("memoryview", hidden), scope.builtin(word, hidden))
        }
        ParamForm::Text { is_nullable } => {
            let text = scope.builtin("str", hidden);
            if *is_nullable { format!("{text} | None") } else { text }
        }
        ParamForm::Descriptor(_)
        | ParamForm::Document(_)
        | ParamForm::Handle { .. }
        | ParamForm::Callback(_) => unreachable!("no callback is told such"),
    }
}

/// Defines what the library calls, and gives its name.
pub(super) fn define(
    scope: &Scope<'_>,
    id: ContractId,
    param: &FunctionParam,
    params: &[CallbackParam],
    definitions: &mut Definitions,
) -> String {
    let symbol = &scope.catalog.get(id).function().symbol;
    let stem = format!("{symbol}_{}", names::parameter(&param.name));
    let (function, variable) = (format!("_told_{stem}"), format!("_tell_{stem}"));
    let mut told = Told::new(scope, symbol);
    for param in params {
        told.add(param, definitions);
    }
    let int = scope.builtin("int", &told.names);
    let mut lines = vec![
        head(0, &function, &told.arguments, &int),
        format!("    {} = _call.told({})", told.who, told.context),
        format!("    if {} is not None:", told.who),
        "        try:".to_owned(),
    ];
    lines.push(statement(12, &format!("{}.function({})", told.who, told.values.join(", "))));
    lines.push("            return 0".to_owned());
    lines.push(format!("        except _call.RAISED as {}:", told.error));
    lines.push(format!("            {}.error = {}", told.who, told.error));
    lines.push("    return _call.REFUSED".to_owned());
    let made = value::told_type(&variable, &told.types, &function);
    definitions.function(format!("{}\n\n\n{made}", lines.join("\n")));
    variable
}

/// The parameters of what the library calls.
struct Told<'s> {
    scope: &'s Scope<'s>,
    symbol: &'s str,
    locals: Locals<'s>,
    context: String,
    who: String,
    error: String,
    names: BTreeSet<String>,
    arguments: Vec<String>,
    types: Vec<String>,
    values: Vec<String>,
}

impl<'s> Told<'s> {
    fn new(scope: &'s Scope<'s>, symbol: &'s str) -> Self {
        let mut locals = Locals::new(scope, &[]);
        let [context, who, error] = ["context", "told", "error"].map(|name| locals.add("", name));
        let int = scope.builtin("int", &BTreeSet::new());
        let arguments = vec![format!("{context}: {int} | None")];
        let types = vec!["_ctypes.c_int32".to_owned(), "_ctypes.c_void_p".to_owned()];
        let (names, values) = (BTreeSet::new(), Vec::new());
        Told { scope, symbol, locals, context, who, error, names, arguments, types, values }
    }

    fn put(&mut self, name: &str, annotation: &str, ty: String) {
        self.arguments.push(format!("{name}: {annotation}"));
        self.types.push(ty);
    }

    fn add(&mut self, param: &CallbackParam, definitions: &mut Definitions) {
        let scope = self.scope;
        let name = self.locals.add("", &names::parameter(&param.name));
        let none = BTreeSet::new();
        let number = scope.builtin("int", &none);
        let place = format!("\"{}\", \"{}\"", self.symbol, param.name);
        let value = match &param.form {
            ParamForm::Value(ty) => {
                let annotation = match ty {
                    AbiType::Enumeration(_) | AbiType::Flags(_) => number,
                    _ => value::kept(scope, ty, &none),
                };
                self.put(&name, &annotation, value::ctype(scope, ty));
                value::keep(scope, ty, &name)
            }
            ParamForm::Closed(id) => {
                self.put(&name, &number, value::repr(scope, *id));
                format!("{}({name}, {place}, 0)", scope.private("closed", *id))
            }
            ParamForm::Reference { to, is_nullable, .. } => {
                let ctype = value::ctype(scope, to);
                self.put(&name, &format!("_ctypes._Pointer[{ctype}]"), format!("_ctypes.POINTER({ctype})"));
                let value = match to {
                    AbiType::Struct(_) => format!("{ctype}.from_buffer_copy({name}.contents)"),
                    _ => value::keep(scope, to, &format!("{name}[0]")),
                };
                if *is_nullable { format!("{value} if {name} else None") } else { value }
            }
            ParamForm::Slice { item, .. } => {
                let items = value::items(scope, item, definitions);
                let length = self.locals.add("", &format!("{name}_length"));
                self.put(&name, &format!("{number} | None"), "_ctypes.c_void_p".to_owned());
                self.put(&length, &number, "_ctypes.c_size_t".to_owned());
                let how = if matches!(item, AbiType::Struct(_)) { "several" } else { "view" };
                format!("{items}.{how}({name}, {length})")
            }
            ParamForm::Text { is_nullable } => {
                let bytes = scope.builtin("bytes", &none);
                self.put(&name, &format!("{bytes} | None"), "_ctypes.c_char_p".to_owned());
                let value = format!("_call.text_from({name})");
                if *is_nullable { format!("None if {name} is None else {value}") } else { value }
            }
            ParamForm::Descriptor(_)
            | ParamForm::Document(_)
            | ParamForm::Handle { .. }
            | ParamForm::Callback(_) => unreachable!("no callback is told such"),
        };
        self.values.push(value);
        self.names.insert(name);
    }
}

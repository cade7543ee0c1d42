//! Handles, exported functions and mere symbols: words and text of each put together, and checked against each other.

use super::abi::{Reader, parameter_names};
use super::decode::objects;
use super::json::{Object, TextError, required};
use super::recipe::same_length;
use super::resolve::link_abi;
use super::spelling::{distinct, identifier, is_identifier, renamed};
use super::words::abi::AbiTypeWords;
use super::words::export::{
    BYTES, CALLBACK, CLOSED, DESCRIPTOR, DOCUMENT, FD, FormWords, FunctionWords, HANDLE, MUT, NULLABLE,
    OWNED, REFERENCE, SLICE, TEXT, VALUE,
};
use super::{Nested, Pointee};
use crate::model::{
    AbiType, Access, CallbackParam, Catalog, ContractId, Function, FunctionParam, Handle, Out, OutForm,
    ParamForm, Pass, Symbols,
};

/// A receiver's name.
const SELF: &str = "self";

/// The handle of that tag.
pub(super) fn handle(
    wire: &mut Object,
    source: &mut Object,
    members: &[Object],
    tag: u32,
) -> Result<Handle, TextError> {
    no_members(members)?;
    let access = match &*required(wire.take_text("access")?, "access")? {
        "exclusive" => Access::Exclusive,
        "shared" => Access::Shared,
        other => return Err(TextError::Unknown(format!("the access `{other}`"))),
    };
    let tag = u16::try_from(tag)
        .ok()
        .filter(|&tag| tag != 0)
        .ok_or_else(|| TextError::Wrong(format!("its tag is {tag}, expected one of 1 to 65535")))?;
    let destroy = symbol(required(wire.take_text("symbol")?, "symbol")?)?;
    Ok(Handle { access, destroy, tag, prefix: prefix(source)? })
}

/// The functions of which the record has the names alone; `name` is the contract's.
pub(super) fn symbols(
    wire: &mut Object,
    members: &[Object],
    name: &str,
    is_library: bool,
) -> Result<Symbols, TextError> {
    no_members(members)?;
    let names = required(wire.take_texts("symbols")?, "symbols")?;
    let names: Vec<String> = names.into_iter().map(symbol).collect::<Result<_, _>>()?;
    if names.is_empty() {
        return Err(TextError::Wrong("it has no symbols".to_owned()));
    }
    distinct("symbol", names.iter())?;
    if is_library && names != ["last_error", "bytes_free"].map(|function| format!("{name}_{function}")) {
        return Err(TextError::Unknown(format!("that every library has the functions {}", names.join(", "))));
    }
    Ok(Symbols { is_library, names })
}

/// The function of these words; what it takes and gives is added to `nested`, what it only points to to `pointees`.
pub(super) fn function(
    wire: &mut Object,
    source: &mut Object,
    members: Vec<Object>,
    words: &FunctionWords,
    nested: &mut Vec<Nested>,
    pointees: &mut Vec<Pointee>,
) -> Result<Function, TextError> {
    let declared = objects(required(wire.take_array("params")?, "params")?)?;
    same_length("parameters", declared.len(), members.len(), words.params.len())?;
    let outs = required(wire.take_texts("outs")?, "outs")?;
    same_length("results", outs.len(), outs.len(), words.outs.len())?;
    at_most("parameters", declared.len(), Function::MOST_PARAMS)?;
    at_most("results", outs.len(), Function::MOST_OUTS)?;

    let symbol = symbol(required(wire.take_text("symbol")?, "symbol")?)?;
    let prefix = prefix(source)?;
    let mut forms = Forms { nested, pointees };
    let method_of =
        words.handle.map(|ids| forms.reader("receiver", SELF, Vec::new()).hold_ids(Some(ids))).transpose()?;
    let mut first_names = Vec::with_capacity(declared.len());
    let mut params = Vec::with_capacity(declared.len());
    for (at, ((mut wire, mut source), form)) in
        declared.into_iter().zip(members).zip(&words.params).enumerate()
    {
        let accepted = identifier(required(wire.take_text("name")?, "name")?)?;
        first_names.push(accepted.clone());
        let (name, was) = renamed(source.take_text("name")?, accepted)?;
        if name == SELF && !(at == 0 && form.code() == HANDLE && form.ids == words.handle) {
            return Err(TextError::Wrong("its parameter `self` is not the receiver of a method".to_owned()));
        }
        let form = forms.param(&name, &mut wire, form)?;
        wire.finish()?;
        source.finish()?;
        params.push(FunctionParam { name, was, form });
    }
    let outs = outs
        .into_iter()
        .zip(&words.outs)
        .map(|(name, form)| {
            let name = identifier(name)?;
            let form = forms.out(&name, form)?;
            Ok(Out { name, form })
        })
        .collect::<Result<Vec<_>, TextError>>()?;
    distinct("parameter", first_names.iter())?;
    let names = params.iter().map(|param| &param.name).chain(outs.iter().map(|out| &out.name));
    distinct("parameters or result", names)?;
    Ok(Function { symbol, prefix, method_of, is_unsafe: words.is_unsafe(), params, outs })
}

/// The name in Rust: of a method behind that of its handle (`Camera::open`).
pub(super) fn function_name(name: String, is_method: bool) -> Result<String, TextError> {
    let words: Vec<&str> = name.split("::").collect();
    if words.len() == 1 + usize::from(is_method) && words.iter().all(|word| is_identifier(word)) {
        Ok(name)
    } else {
        let what = if is_method { "method" } else { "function" };
        Err(TextError::Wrong(format!("{name:?} is no name of a {what}")))
    }
}

/// What a linker and C both take for a name, and what is not the name of a function's wire id.
fn symbol(name: String) -> Result<String, TextError> {
    if name.is_ascii() && is_identifier(&name) && !name.ends_with("_wire_id") {
        Ok(name)
    } else {
        Err(TextError::Wrong(format!("{name:?} is no symbol of a function")))
    }
}

fn prefix(source: &mut Object) -> Result<String, TextError> {
    symbol(required(source.take_text("prefix")?, "prefix")?)
}

fn no_members(members: &[Object]) -> Result<(), TextError> {
    if members.is_empty() { Ok(()) } else { Err(TextError::Unknown("members of it".to_owned())) }
}

fn at_most(what: &str, count: usize, most: usize) -> Result<(), TextError> {
    if count <= most {
        Ok(())
    } else {
        Err(TextError::Wrong(format!("it has {count} {what}, where {most} are the most")))
    }
}

/// Makes forms of words.
struct Forms<'a> {
    nested: &'a mut Vec<Nested>,
    pointees: &'a mut Vec<Pointee>,
}

impl Forms<'_> {
    fn reader<'this>(
        &'this mut self,
        what: &'static str,
        name: &'this str,
        names: Vec<Vec<String>>,
    ) -> Reader<'this> {
        Reader { what, name, names: names.into_iter(), nested: self.nested, pointees: self.pointees }
    }

    fn param(&mut self, name: &str, wire: &mut Object, words: &FormWords) -> Result<ParamForm, TextError> {
        let args = wire.take_texts("args")?;
        let names = parameter_names(wire)?;
        let mut reader = self.reader("parameter", name, names);
        let form = match (words.code(), args) {
            (CALLBACK, Some(args)) => callback(&mut reader, args, words)?,
            (CALLBACK, None) => return Err(reader.wrong("is a callback without names of what it takes")),
            (_, Some(_)) => return Err(reader.wrong("has names of what a callback takes, and is none")),
            (_, None) => param(&mut reader, words)?,
        };
        reader.finish()?;
        Ok(form)
    }

    fn out(&mut self, name: &str, words: &FormWords) -> Result<OutForm, TextError> {
        let mut reader = self.reader("result", name, Vec::new());
        let is_parameters = words.has(OWNED) && words.code() != FD;
        if is_parameters || words.has(NULLABLE) || words.has(MUT) {
            return Err(reader.wrong("is marked as only a parameter can be"));
        }
        Ok(match words.code() {
            VALUE => match reader.value(ty(&reader, words)?)? {
                AbiType::Function(_) => return Err(reader.wrong("is a function, which is no result")),
                ty => OutForm::Value(ty),
            },
            CLOSED => OutForm::Closed(reader.hold_ids(words.ids)?),
            TEXT => OutForm::Text,
            BYTES => OutForm::Bytes,
            DESCRIPTOR => OutForm::Descriptor(reader.hold_ids(words.ids)?),
            DOCUMENT => OutForm::Document(reader.hold_ids(words.ids)?),
            HANDLE => OutForm::Handle(reader.hold_ids(words.ids)?),
            FD => OutForm::Fd { is_given: words.has(OWNED) },
            code => return Err(reader.wrong(&format!("is of the form {code}, which is no result"))),
        })
    }
}

/// What a parameter takes that is no callback.
fn param(reader: &mut Reader<'_>, words: &FormWords) -> Result<ParamForm, TextError> {
    let (is_mut, is_nullable) = (words.has(MUT), words.has(NULLABLE));
    Ok(match words.code() {
        VALUE => ParamForm::Value(reader.value(ty(reader, words)?)?),
        CLOSED => ParamForm::Closed(reader.hold_ids(words.ids)?),
        REFERENCE => ParamForm::Reference { to: item(reader, words)?, is_mut, is_nullable },
        SLICE => ParamForm::Slice { item: item(reader, words)?, is_mut },
        TEXT => ParamForm::Text { is_nullable },
        DESCRIPTOR => ParamForm::Descriptor(reader.hold_ids(words.ids)?),
        DOCUMENT => ParamForm::Document(reader.hold_ids(words.ids)?),
        HANDLE => {
            let pass = match (words.has(OWNED), is_mut) {
                (true, _) => Pass::Taken,
                (false, true) => Pass::BorrowedMut,
                (false, false) => Pass::Borrowed,
            };
            ParamForm::Handle { contract: reader.hold_ids(words.ids)?, pass }
        }
        code => return Err(reader.wrong(&format!("is of the form {code}, which is no parameter"))),
    })
}

/// What a callback takes, in front of which stands its context.
fn callback(reader: &mut Reader<'_>, names: Vec<String>, words: &FormWords) -> Result<ParamForm, TextError> {
    if names.len() != words.args.len() {
        return Err(reader.wrong("is a callback with more or fewer names than it takes"));
    }
    at_most("parameters in a callback", names.len(), Function::MOST_PARAMS)?;
    distinct("parameters of one callback", names.iter())?;
    let mut params = Vec::with_capacity(names.len());
    for (name, words) in names.into_iter().zip(&words.args) {
        let is_told = matches!(words.code(), VALUE | CLOSED | REFERENCE | SLICE | TEXT);
        if !is_told || words.has(NULLABLE) || words.has(MUT) {
            return Err(reader.wrong(&format!("is a callback, whose `{name}` is what no callback takes")));
        }
        params.push(CallbackParam { form: param(reader, words)?, name: identifier(name)? });
    }
    Ok(ParamForm::Callback(params))
}

fn ty<'words>(reader: &Reader<'_>, words: &'words FormWords) -> Result<&'words AbiTypeWords, TextError> {
    words.ty.as_ref().ok_or_else(|| reader.wrong("has a type that is not whole"))
}

/// What there may be references to and slices of.
fn item(reader: &mut Reader<'_>, words: &FormWords) -> Result<AbiType, TextError> {
    match reader.object(ty(reader, words)?)? {
        item @ (AbiType::Scalar(_) | AbiType::Enumeration(_) | AbiType::Flags(_) | AbiType::Struct(_)) => {
            Ok(item)
        }
        _ => Err(reader.wrong("is a reference to, or a slice of, what has none")),
    }
}

/// Puts ids of the catalog in place of positions among what the record nests and points to.
pub(super) fn link(
    function: &mut Function,
    of_nested: &impl Fn(ContractId) -> ContractId,
    of_pointee: &impl Fn(ContractId) -> ContractId,
) {
    if let Some(id) = &mut function.method_of {
        *id = of_nested(*id);
    }
    function.params.iter_mut().for_each(|param| link_param(&mut param.form, of_nested, of_pointee));
    for out in &mut function.outs {
        match &mut out.form {
            OutForm::Value(ty) => link_abi(ty, of_nested, of_pointee),
            OutForm::Closed(id) | OutForm::Descriptor(id) | OutForm::Document(id) | OutForm::Handle(id) => {
                *id = of_nested(*id);
            }
            OutForm::Text | OutForm::Bytes | OutForm::Fd { .. } => {}
        }
    }
}

fn link_param(
    form: &mut ParamForm,
    of_nested: &impl Fn(ContractId) -> ContractId,
    of_pointee: &impl Fn(ContractId) -> ContractId,
) {
    match form {
        ParamForm::Value(ty) | ParamForm::Reference { to: ty, .. } | ParamForm::Slice { item: ty, .. } => {
            link_abi(ty, of_nested, of_pointee);
        }
        ParamForm::Closed(id)
        | ParamForm::Descriptor(id)
        | ParamForm::Document(id)
        | ParamForm::Handle { contract: id, .. } => *id = of_nested(*id),
        ParamForm::Callback(params) => {
            params.iter_mut().for_each(|param| link_param(&mut param.form, of_nested, of_pointee));
        }
        ParamForm::Text { .. } => {}
    }
}

/// What only the contracts that it takes tell: nobody has a handle for itself that all threads have.
pub(super) fn check(catalog: &Catalog, function: &Function) -> Result<(), String> {
    for param in &function.params {
        if let ParamForm::Handle { contract, pass: Pass::BorrowedMut } = param.form
            && catalog.get(contract).handle().access == Access::Shared
        {
            let handle = &catalog.get(contract).name;
            return Err(format!("`{}` changes the handle {handle}, which is shared", param.name));
        }
    }
    Ok(())
}

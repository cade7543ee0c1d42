//! A function's parameters: what a caller gives, and the statements that make of it what crosses.

use std::collections::BTreeSet;

use super::super::scope::{Locals, Scope};
use super::super::text::{either, statement, string};
use super::value::{self, Definitions};
use super::{callback, handle};
use crate::model::{AbiType, ContractId, FunctionParam, ParamForm, Pass};
use crate::names::python as names;

/// The annotation of a parameter; `hidden` are the names that its place hides.
pub(super) fn annotation(scope: &Scope<'_>, param: &FunctionParam, hidden: &BTreeSet<String>) -> String {
    let none = |is_nullable: bool| if is_nullable { " | None" } else { "" };
    match &param.form {
        ParamForm::Value(ty) => value::given(scope, ty, hidden),
        ParamForm::Closed(id) => format!("{} | {}", scope.class(*id), scope.builtin("int", hidden)),
        ParamForm::Reference { to: AbiType::Struct(id), is_nullable, .. } => {
            format!("{}{}", scope.class(*id), none(*is_nullable))
        }
        ParamForm::Reference { to, is_mut, is_nullable } => {
            let own = value::ctype(scope, to);
            let given = value::given(scope, to, hidden);
            let ty = if *is_mut { own } else { format!("{given} | {own}") };
            let is_said = ty.split(" | ").any(|word| word == "None");
            format!("{ty}{}", none(*is_nullable && !is_said))
        }
        ParamForm::Slice { is_mut: true, .. } => "_wire.Buffer".to_owned(),
        ParamForm::Slice { item, .. } => {
            format!("_wire.Buffer | _abc.Sequence[{}]", value::given(scope, item, hidden))
        }
        ParamForm::Text { is_nullable } => {
            format!("{}{}", scope.builtin("str", hidden), none(*is_nullable))
        }
        ParamForm::Descriptor(id) | ParamForm::Document(id) | ParamForm::Handle { contract: id, .. } => {
            scope.class(*id)
        }
        ParamForm::Callback(params) => callback::annotation(scope, params, hidden),
    }
}

/// A handle that a call takes.
pub(super) struct Taken {
    /// The variable of its object, of its struct, and of the number that it had.
    pub(super) object: String,
    pub(super) number: String,
    pub(super) key: String,
}

/// Writes what stands in front of a call.
pub(super) struct Arguments<'a, 's> {
    pub(super) scope: &'s Scope<'s>,
    /// The function.
    pub(super) id: ContractId,
    /// The names of its parameters.
    pub(super) params: &'a BTreeSet<String>,
    pub(super) locals: Locals<'s>,
    pub(super) definitions: &'a mut Definitions,
    pub(super) indent: usize,
    pub(super) lines: Vec<String>,
    /// What the function is called with, and the types of that.
    pub(super) given: Vec<String>,
    pub(super) types: Vec<String>,
    /// Variables of callables that it may call.
    pub(super) told: Vec<String>,
    pub(super) taken: Vec<Taken>,
}

impl Arguments<'_, '_> {
    /// The function's symbol, as a literal.
    pub(super) fn symbol(&self) -> String {
        string(&self.scope.catalog.get(self.id).function().symbol)
    }

    fn put(&mut self, line: &str) {
        self.lines.push(statement(self.indent, line));
    }

    fn pass(&mut self, given: String, ty: impl Into<String>) {
        self.given.push(given);
        self.types.push(ty.into());
    }

    /// One parameter.
    pub(super) fn add(&mut self, param: &FunctionParam) {
        let scope = self.scope;
        let is_self = param.name == "self";
        let name = if is_self { param.name.clone() } else { names::parameter(&param.name) };
        let place = format!("{}, {}", self.symbol(), string(&param.name));
        match &param.form {
            ParamForm::Value(ty @ AbiType::Function(_)) => {
                let class = value::function_name(scope, self.id, param).expect("it is a function");
                value::function_type(scope, &class, ty, self.definitions);
                let local = self.locals.add("", &format!("{name}_function"));
                self.put(&format!("{local} = _call.take_function({class}, {name}, {place})"));
                self.pass(local, "_ctypes.c_void_p");
            }
            ParamForm::Value(ty) => {
                let take = value::take(scope, ty, self.definitions);
                let doubts = value::doubt(scope, ty, &name, self.params);
                self.check(&doubts, &format!("{name} = {take}({name}, {place}, 0)"));
                self.pass(name, value::ctype(scope, ty));
            }
            ParamForm::Closed(id) => {
                let class = scope.class(*id);
                let doubt = format!("{}({name}) is not {class}", scope.builtin("type", self.params));
                let take = scope.private("closed", *id);
                self.check(&[doubt], &format!("{name} = {take}({name}, {place}, 0)"));
                self.pass(name, value::repr(scope, *id));
            }
            ParamForm::Reference { to, is_mut, is_nullable } => {
                self.reference(&name, &place, to, *is_mut, *is_nullable);
            }
            ParamForm::Slice { item, is_mut } => {
                let items = value::items(scope, item, self.definitions);
                let how = if *is_mut { "write" } else { "read" };
                let pointer = self.locals.add("", &format!("{name}_items"));
                let length = self.locals.add("", &format!("{name}_length"));
                self.put(&format!("{pointer}, {length} = {items}.{how}({name}, {place})"));
                self.pass(pointer, "_ctypes.c_void_p");
                self.pass(length, "_ctypes.c_size_t");
            }
            ParamForm::Text { is_nullable } => {
                let local = self.locals.add("", &format!("{name}_text"));
                self.lend(&local, &name, &format!("_call.take_text({name}, {place})"), *is_nullable);
                self.pass(local, "_ctypes.c_char_p");
            }
            ParamForm::Descriptor(id) => {
                let local = self.locals.add("", &format!("{name}_bytes"));
                self.put(&format!("{name} = _call.take_part({name}, {}, {place})", scope.class(*id)));
                self.put(&format!("{local} = {name}.to_bytes()"));
                self.pass(local, "_ctypes.c_char_p");
            }
            ParamForm::Document(id) => {
                let local = self.locals.add("", &format!("{name}_json"));
                self.put(&format!("{name} = _call.take_part({name}, {}, {place})", scope.class(*id)));
                self.put(&format!("{local} = {name}.to_json()"));
                let length = scope.builtin("len", self.params);
                self.pass(format!("_call.Text({local}, {length}({local}))"), "_call.Text");
            }
            ParamForm::Handle { contract, pass } => {
                self.handle(&name, &place, *contract, *pass, is_self);
            }
            ParamForm::Callback(params) => {
                let tell = callback::define(scope, self.id, param, params, self.definitions);
                let local = self.locals.add("", &format!("told_{name}"));
                self.put(&format!("{local} = _call.Told({name}, {place})"));
                self.pass(tell, "_ctypes.c_void_p");
                self.pass(format!("{local}.key"), "_ctypes.c_void_p");
                self.told.push(local);
            }
        }
    }

    /// What is lent of an argument; None where that is None.
    fn lend(&mut self, local: &str, name: &str, lent: &str, is_nullable: bool) {
        if is_nullable {
            self.put(&format!("{local} = None"));
            self.lines.push(format!("{}if {name} is not None:", " ".repeat(self.indent)));
            self.lines.push(statement(self.indent + 4, &format!("{local} = {lent}")));
        } else {
            self.put(&format!("{local} = {lent}"));
        }
    }

    /// A statement that runs where one of the conditions holds; always where there is none.
    fn check(&mut self, doubts: &[String], line: &str) {
        if doubts.is_empty() {
            self.put(line);
        } else {
            self.lines.push(either(self.indent, doubts));
            self.lines.push(statement(self.indent + 4, line));
        }
    }

    fn reference(&mut self, name: &str, place: &str, to: &AbiType, is_mut: bool, is_nullable: bool) {
        let local = self.locals.add("", &format!("{name}_pointer"));
        let ctype = value::ctype(self.scope, to);
        let lent = if is_mut || matches!(to, AbiType::Struct(_)) {
            format!("_call.lent_own({name}, {ctype}, {place})")
        } else {
            let take = value::take(self.scope, to, self.definitions);
            format!("_call.lent({name}, {ctype}, {take}, {place})")
        };
        self.lend(&local, name, &lent, is_nullable);
        self.pass(local, format!("_ctypes.POINTER({ctype})"));
    }

    fn handle(&mut self, name: &str, place: &str, id: ContractId, pass: Pass, is_self: bool) {
        let class = self.scope.class(id);
        let struct_name = handle::number_class(self.scope, id);
        let number =
            self.locals.add("", &if is_self { "number".to_owned() } else { format!("{name}_number") });
        if is_self {
            self.put(&format!("{number} = self._number"));
        } else {
            let [kind, any] = ["type", "object"].map(|it| self.scope.builtin(it, self.params));
            let found = self.locals.add("", &format!("{name}_type"));
            // To a type checker `type(name) is` would always hold: a caller who has none is who this is for.
            self.put(&format!("{found}: {kind}[{any}] = {kind}({name})"));
            self.put(&format!("{number} = {name}._number if {found} is {class} else None"));
        }
        self.lines.push(format!("{}if {number} is None:", " ".repeat(self.indent)));
        let line = format!("raise _call.number_error({name}, {class}, {place})");
        self.lines.push(statement(self.indent + 4, &line));
        if pass == Pass::Taken {
            let key = self.locals.add("", &format!("{number}_id"));
            self.put(&format!("{key} = {number}.id"));
            self.pass(format!("_ctypes.byref({number})"), "_call.Taken");
            self.taken.push(Taken { object: name.to_owned(), number, key });
        } else {
            self.pass(number, struct_name);
        }
    }
}

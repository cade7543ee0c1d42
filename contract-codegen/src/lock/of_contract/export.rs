//! Handles and exported functions.

use toml::{Table, Value};

use super::{abi_type, put, put_if, wire_id};
use crate::lock::of_contract::path;
use crate::model::{Catalog, ContractId, Function, Handle, OutForm, ParamForm, Pass};

pub(super) fn handle(handle: &Handle, table: &mut Table) {
    put(table, "tag", u32::from(handle.tag));
    put(table, "prefix", &*handle.prefix);
}

pub(super) fn function(catalog: &Catalog, function: &Function, table: &mut Table) {
    put(table, "prefix", &*function.prefix);
    if let Some(handle) = function.method_of {
        let mut of = Table::new();
        contract(catalog, handle, &mut of);
        put(table, "method_of", of);
    }
    put_if(table, "unsafe", function.is_unsafe.then_some(true));
    let params = function.params.iter().map(|it| param(catalog, &it.name, it.was.as_deref(), &it.form));
    put(table, "params", params.collect::<Vec<_>>());
    let outs = function.outs.iter().map(|it| out(catalog, &it.name, &it.form));
    put(table, "outs", outs.collect::<Vec<_>>());
}

fn contract(catalog: &Catalog, id: ContractId, member: &mut Table) {
    put(member, "type", path(catalog, id));
    put(member, "wire_id", wire_id(catalog, id));
}

fn param(catalog: &Catalog, name: &str, was: Option<&str>, form: &ParamForm) -> Value {
    let mut member = Table::new();
    super::named(&mut member, name, was);
    let word = match form {
        ParamForm::Value(ty) => {
            abi_type(catalog, ty, &mut member);
            "value"
        }
        ParamForm::Closed(id) => {
            contract(catalog, *id, &mut member);
            "closed"
        }
        ParamForm::Reference { to, is_mut, is_nullable } => {
            abi_type(catalog, to, &mut member);
            put_if(&mut member, "mut", is_mut.then_some(true));
            put_if(&mut member, "nullable", is_nullable.then_some(true));
            "reference"
        }
        ParamForm::Slice { item, is_mut } => {
            abi_type(catalog, item, &mut member);
            put_if(&mut member, "mut", is_mut.then_some(true));
            "slice"
        }
        ParamForm::Text { is_nullable } => {
            put_if(&mut member, "nullable", is_nullable.then_some(true));
            "text"
        }
        ParamForm::Descriptor(id) => {
            contract(catalog, *id, &mut member);
            "descriptor"
        }
        ParamForm::Document(id) => {
            contract(catalog, *id, &mut member);
            "document"
        }
        ParamForm::Handle { contract: id, pass } => {
            contract(catalog, *id, &mut member);
            let pass = match pass {
                Pass::Borrowed => "borrowed",
                Pass::BorrowedMut => "borrowed_mut",
                Pass::Taken => "taken",
            };
            put(&mut member, "pass", pass);
            "handle"
        }
        ParamForm::Callback(params) => {
            let args = params.iter().map(|it| param(catalog, &it.name, None, &it.form));
            put(&mut member, "args", args.collect::<Vec<_>>());
            "callback"
        }
    };
    put(&mut member, "form", word);
    Value::Table(member)
}

fn out(catalog: &Catalog, name: &str, form: &OutForm) -> Value {
    let mut member = Table::new();
    put(&mut member, "name", name);
    let word = match form {
        OutForm::Value(ty) => {
            abi_type(catalog, ty, &mut member);
            "value"
        }
        OutForm::Closed(id) => {
            contract(catalog, *id, &mut member);
            "closed"
        }
        OutForm::Text => "text",
        OutForm::Bytes => "bytes",
        OutForm::Descriptor(id) => {
            contract(catalog, *id, &mut member);
            "descriptor"
        }
        OutForm::Document(id) => {
            contract(catalog, *id, &mut member);
            "document"
        }
        OutForm::Handle(id) => {
            contract(catalog, *id, &mut member);
            "handle"
        }
        OutForm::Fd { is_given: true } => "fd",
        OutForm::Fd { is_given: false } => "lent_fd",
    };
    put(&mut member, "form", word);
    Value::Table(member)
}

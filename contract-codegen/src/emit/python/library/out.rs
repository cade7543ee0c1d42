//! What a function gives: where the library writes it, and what becomes of that.

use std::collections::BTreeSet;

use super::super::scope::Scope;
use super::super::text::string;
use super::handle;
use super::value::{self, Definitions};
use crate::model::{Out, OutForm};

/// One result.
pub(super) struct Result {
    /// The variable that the library writes to.
    pub(super) variable: String,
    /// What makes it.
    pub(super) made: String,
    /// What the function is called with, and the type of that.
    pub(super) given: String,
    pub(super) ty: String,
    /// What is made of it.
    pub(super) value: String,
    pub(super) kind: Kind,
}

/// What has to be done with it, whatever else happens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing.
    Plain,
    /// It is freed once it is read.
    Owned,
    /// Somebody has to close it.
    Handle,
}

/// The annotation of a result.
pub(super) fn annotation(scope: &Scope<'_>, out: &Out, hidden: &BTreeSet<String>) -> String {
    match &out.form {
        OutForm::Value(ty) => value::kept(scope, ty, hidden),
        OutForm::Text => scope.builtin("str", hidden),
        OutForm::Bytes => scope.builtin("bytes", hidden),
        OutForm::Fd { .. } => scope.builtin("int", hidden),
        OutForm::Closed(id) | OutForm::Descriptor(id) | OutForm::Document(id) | OutForm::Handle(id) => {
            scope.class(*id)
        }
    }
}

/// One result in a variable of this name; `symbol` is a literal.
pub(super) fn result(
    scope: &Scope<'_>,
    out: &Out,
    variable: String,
    symbol: &str,
    params: &BTreeSet<String>,
    definitions: &mut Definitions,
) -> Result {
    let owned = || ("_call.OwnedBytes".to_owned(), Kind::Owned);
    let ((class, kind), value) = match &out.form {
        OutForm::Value(ty) => {
            let value = match ty {
                crate::model::AbiType::Struct(_) => variable.clone(),
                _ => value::keep(scope, ty, &format!("{variable}.value")),
            };
            ((value::ctype(scope, ty), Kind::Plain), value)
        }
        OutForm::Closed(id) => {
            let closed = scope.private("closed", *id);
            let value = format!("{closed}({variable}.value, {symbol}, {}, 0)", string(&out.name));
            ((value::repr(scope, *id), Kind::Plain), value)
        }
        OutForm::Fd { .. } => (("_ctypes.c_int32".to_owned(), Kind::Plain), format!("{variable}.value")),
        OutForm::Text => (owned(), format!("_call.owned_bytes({variable}).decode()")),
        OutForm::Bytes => (owned(), format!("_call.owned_bytes({variable})")),
        OutForm::Document(id) => {
            (owned(), format!("{}.from_json(_call.owned_bytes({variable}))", scope.class(*id)))
        }
        OutForm::Descriptor(id) => {
            let size = scope.catalog.get(*id).descriptor().size;
            let array = format!("_bytes_{size}");
            definitions.line(&array, &format!("_ctypes.c_uint8 * {size}"));
            let bytes = scope.builtin("bytes", params);
            let value = format!("{}.from_bytes({bytes}({variable}))", scope.class(*id));
            return Result {
                made: format!("{array}()"),
                given: variable.clone(),
                ty: "_ctypes.c_void_p".to_owned(),
                value,
                kind: Kind::Plain,
                variable,
            };
        }
        OutForm::Handle(id) => {
            let value = format!("_call.adopt({}, {variable}, _library)", scope.class(*id));
            ((handle::number_class(scope, *id), Kind::Handle), value)
        }
    };
    Result {
        made: format!("{class}()"),
        given: format!("_ctypes.byref({variable})"),
        ty: format!("_ctypes.POINTER({class})"),
        value,
        kind,
        variable,
    }
}

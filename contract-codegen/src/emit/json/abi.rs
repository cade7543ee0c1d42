//! C structs that are shared in memory.

use super::object::{Object, present};
use super::reference;
use crate::catalog::json::Json;
use crate::emit::EmitInput;
use crate::emit::c::abi::{member_declaration, one, scalar_word};
use crate::model::{AbiField, AbiScalar, AbiStruct, AbiType, DataModel, Param};

pub(super) fn abi(input: &EmitInput<'_>, body: &AbiStruct, object: Object) -> Object {
    let layout = |model: DataModel| {
        let layout = body.layouts[model as usize];
        let json = Object::default().number("size", layout.size).number("align", layout.align).json();
        (model.name().to_owned(), json)
    };
    let fields = body.fields.iter().map(|of| field(input, body, of)).collect();
    object
        .with("layouts", Json::Object(DataModel::ALL.map(layout).into()))
        .with("fields", Json::Array(fields))
}

fn field(input: &EmitInput<'_>, body: &AbiStruct, field: &AbiField) -> Json {
    Object::default()
        .text("name", &field.name)
        .text_if("was", field.was.as_deref())
        .with("offset", by_model(field.offsets))
        .text("c", &member_declaration(input, field))
        .and(ty(input, &field.ty))
        .text_if("counted_by", field.counted_by.map(|at| body.fields[at].name.as_str()))
        .with_if("since", field.since.map(|since| Json::Integer(since.into())))
        .text_if("deprecated", field.deprecated.as_deref())
        .text_if("c_name", field.c_name.as_deref())
        .text_if("c_type", field.c_type.as_deref())
        .text_if("docs", present(&field.docs))
        .json()
}

/// A number, or one for each data model where they differ.
fn by_model(numbers: [u32; 4]) -> Json {
    let number = |number: u32| Json::Integer(number.into());
    match one(numbers) {
        Some(all) => number(all),
        None => Json::Object(
            DataModel::ALL.map(|model| (model.name().to_owned(), number(numbers[model as usize]))).into(),
        ),
    }
}

/// The members that say a type.
pub(super) fn ty(input: &EmitInput<'_>, ty: &AbiType) -> Object {
    let whole = |ty: &AbiType| self::ty(input, ty).json();
    match ty {
        AbiType::Scalar(AbiScalar::Fixed(scalar)) => Object::default().text("type", scalar.name()),
        AbiType::Scalar(own) => Object::default().text("type", scalar_word(*own)),
        AbiType::Enumeration(id) => {
            Object::default().text("type", "enumeration").with("contract", reference(input, *id))
        }
        AbiType::Flags(id) => Object::default().text("type", "flags").with("contract", reference(input, *id)),
        AbiType::Struct(id) => Object::default().text("type", "abi").with("contract", reference(input, *id)),
        AbiType::Array { item, length } => {
            Object::default().text("type", "array").number("length", *length).with("item", whole(item))
        }
        AbiType::Pointer { to, is_const } => Object::default()
            .text("type", "pointer")
            .flag("const", *is_const)
            .with_if("to", to.as_deref().map(whole)),
        AbiType::Function(signature) => {
            let param = |param: &Param| {
                let name = present(&param.name);
                Object::default().text_if("name", name).and(self::ty(input, &param.ty)).json()
            };
            Object::default()
                .text("type", "function")
                .with("params", Json::Array(signature.params.iter().map(param).collect()))
                .with_if("result", signature.result.as_ref().map(whole))
        }
    }
}

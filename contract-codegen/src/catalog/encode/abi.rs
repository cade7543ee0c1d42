//! C structs as a record has them.

use std::collections::BTreeMap;

use super::super::hash::{self, halves};
use super::super::json::Json;
use super::super::pointee;
use super::super::words::abi::{
    ARRAY, CONST, ENUMERATION, FLAGS, FUNCTION, HOLDS, NAMED, OPEN, OWN_SCALARS, POINTEE, POINTER, STRUCT,
    VOID,
};
use super::{Word, accepted, docs, present};
use crate::model::{AbiField, AbiScalar, AbiStruct, AbiType, Catalog, ContractId};

/// The words of a struct whose held contracts have these ids (wire, source).
pub(super) fn words(
    catalog: &Catalog,
    body: &AbiStruct,
    ids: &BTreeMap<ContractId, (u64, u64)>,
) -> Vec<Word> {
    let mut writer = Writer { catalog, ids, words: Vec::new() };
    for layout in body.layouts {
        writer.put([layout.size, layout.align]);
    }
    for field in &body.fields {
        writer.put(field.offsets);
        writer.ty(&field.ty);
    }
    writer.words
}

/// Writes words of types.
pub(super) struct Writer<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) ids: &'a BTreeMap<ContractId, (u64, u64)>,
    pub(super) words: Vec<Word>,
}

impl Writer<'_> {
    pub(super) fn put<const N: usize>(&mut self, words: [u32; N]) {
        self.words.extend(words.map(|word| (word, false)));
    }

    pub(super) fn held(&mut self, word: u32, id: ContractId) {
        self.put([word]);
        self.ids(id);
    }

    pub(super) fn ids(&mut self, id: ContractId) {
        if let Some(&(wire_id, source_id)) = self.ids.get(&id) {
            self.put(halves(wire_id));
            self.words.extend(halves(source_id).map(|word| (word, true)));
        }
    }

    pub(super) fn ty(&mut self, ty: &AbiType) {
        match ty {
            AbiType::Scalar(scalar) => self.put([code(*scalar)]),
            AbiType::Enumeration(id) => self.held(ENUMERATION | OPEN | HOLDS, *id),
            AbiType::Flags(id) => self.held(FLAGS | HOLDS, *id),
            AbiType::Struct(id) => self.held(STRUCT | HOLDS, *id),
            AbiType::Array { item, length } => {
                self.put([ARRAY, *length]);
                self.ty(item);
            }
            AbiType::Pointer { to, is_const } => {
                self.put([POINTER | if *is_const { CONST } else { 0 }]);
                match to.as_deref() {
                    None => self.put([VOID]),
                    Some(AbiType::Struct(id)) => {
                        let target = self.catalog.get(*id);
                        self.put([POINTEE]);
                        self.put(halves(pointee::wire_name(target)));
                        let key = halves(hash::path(&target.module, &target.name));
                        self.words.extend(key.map(|word| (word, true)));
                    }
                    Some(to) => self.ty(to),
                }
            }
            AbiType::Function(signature) => {
                let count = u32::try_from(signature.params.len()).expect("a function takes few parameters");
                self.put([FUNCTION | if signature.named { NAMED } else { 0 }, count]);
                match &signature.result {
                    None => self.put([VOID]),
                    Some(result) => self.ty(result),
                }
                signature.params.iter().for_each(|param| self.ty(&param.ty));
            }
        }
    }
}

fn code(scalar: AbiScalar) -> u32 {
    match scalar {
        AbiScalar::Fixed(scalar) => 1 + scalar as u32,
        own => {
            let at = AbiScalar::OWN.iter().position(|it| *it == own).expect("it is one of them");
            OWN_SCALARS + u32::try_from(at).expect("there are few")
        }
    }
}

/// What the wire id covers of the fields.
pub(super) fn fields(body: &AbiStruct) -> Json {
    let field = |field: &AbiField| {
        let mut names = Vec::new();
        parameter_names(&field.ty, &mut names);
        let counter = field.counted_by.map(|at| &body.fields[at]);
        let mut json = vec![("name".into(), accepted(&field.name, field.was.as_ref()))];
        json.extend(present([
            ("counted_by", counter.map(|it| accepted(&it.name, it.was.as_ref()))),
            ("params", (!names.is_empty()).then_some(Json::Array(names))),
        ]));
        Json::Object(json)
    };
    Json::Array(body.fields.iter().map(field).collect())
}

pub(super) fn parameter_names(ty: &AbiType, names: &mut Vec<Json>) {
    if let AbiType::Function(signature) = ty
        && signature.named
    {
        names.push(Json::Array(signature.params.iter().map(|param| Json::text(&param.name)).collect()));
    }
    ty.parts().into_iter().for_each(|part| parameter_names(part, names));
}

/// What the source id covers besides.
pub(super) fn source_members(body: &AbiStruct) -> Vec<Json> {
    let member = |field: &AbiField| {
        Json::Object(present([
            ("name", field.was.as_ref().map(|_| Json::text(&field.name))),
            ("docs", docs(&field.docs)),
            ("c_name", field.c_name.as_ref().map(Json::text)),
            ("c_type", field.c_type.as_ref().map(Json::text)),
            ("since", field.since.map(|since| Json::Integer(since.into()))),
            ("deprecated", field.deprecated.as_ref().map(Json::text)),
        ]))
    };
    body.fields.iter().map(member).collect()
}

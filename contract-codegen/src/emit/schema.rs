//! JSON Schema 2020-12: `schema/<include_dir>/<family>.schema.json`, one file for each family that has a recipe or a
//! union, so that editors and programs which are served by no generated half can check a document.
//!
//! `$defs` has a schema for each recipe, union, enumeration and set of flags, by name; the file as a whole says nothing.
//! Contracts of a family without a file are repeated in it as `family.Name`, those of another package as
//! `package.family.Name`.
//!
//! A schema accepts every document that a reader accepts. What it cannot refuse stands in its `$comment`: rules with
//! arithmetic or bytes, bounds in bytes, order and repetition of keys, all that is checked at import.

mod condition;
mod enumeration;
mod pattern;
mod recipe;
mod types;
mod union;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;

use super::json::object::{Object, present};
use super::{Artifact, EmitError, EmitInput, Family, Syntax};
use crate::catalog::json::Json;
use crate::model::{Body, Contract, ContractId};

/// One file for each selected family that has something to check.
pub fn emit(input: &EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>> {
    let input = &input.without_messages();
    let families = input.selected_families().filter(|family| has_file(input, family));
    Ok(families.map(|family| file(input, family)).collect())
}

fn has_file(input: &EmitInput<'_>, family: &Family) -> bool {
    family.contracts.iter().any(|&id| input.catalog.get(id).is_document())
}

const CAVEATS: &str = "Each of `$defs` is a schema; the file as a whole accepts anything. A schema accepts what every \
reader accepts, and some documents besides that readers refuse: JSON Schema takes 1.0 and 1e0 for integers, and \
says nothing of key order, keys that stand twice, lone surrogates, or lengths in bytes.";

fn file(input: &EmitInput<'_>, family: &Family) -> Artifact {
    let scope = Scope { input, family, borrowed: RefCell::default() };
    let mut defs = Object::default();
    for &id in &family.contracts {
        if let Some(schema) = scope.definition(id) {
            defs = defs.with(&input.catalog.get(id).name, schema);
        }
    }
    // Enumerations and flags, which hold nothing: there will not be more of them.
    for &id in scope.borrowed.borrow().iter() {
        if let Some(schema) = scope.definition(id) {
            defs = defs.with(&scope.borrowed_name(id), schema);
        }
    }
    let json = Object::default()
        .text("$schema", "https://json-schema.org/draft/2020-12/schema")
        .text("$id", &fragment(&file_name(family)))
        .text("$comment", CAVEATS)
        .with("$defs", defs.json());
    Artifact {
        path: format!("schema/{}/{}", family.package.include_dir, file_name(family)),
        body: json.json().pretty(),
        contracts: family.contracts.clone(),
        syntax: Syntax::Json,
    }
}

fn file_name(family: &Family) -> String {
    format!("{}.schema.json", family.name)
}

/// What schemas of a file are written in.
struct Scope<'a> {
    input: &'a EmitInput<'a>,
    family: &'a Family,
    /// Contracts of families without a file that this one has used.
    borrowed: RefCell<BTreeSet<ContractId>>,
}

impl<'a> Scope<'a> {
    fn get(&self, id: ContractId) -> &'a Contract {
        self.input.catalog.get(id)
    }

    /// The schema of a contract; none of a descriptor or a C struct, which are no JSON.
    fn definition(&self, id: ContractId) -> Option<Json> {
        let contract = self.get(id);
        let schema = match &contract.body {
            Body::Descriptor(_)
            | Body::Message(_)
            | Body::Messages(_)
            | Body::Abi(_)
            | Body::Handle(_)
            | Body::Function(_)
            | Body::Symbols(_) => {
                return None;
            }
            Body::Enumeration(body) => enumeration::enumeration(body),
            Body::Flags(body) => enumeration::flags(body),
            Body::Recipe(body) => recipe::definition(self, contract, body),
            Body::Union(body) => union::definition(self, contract, body),
        };
        let said = described(&contract.name, &contract.docs, contract.deprecated.as_deref());
        Some(said.and(schema).json())
    }

    /// A schema that is that of a contract.
    fn reference(&self, id: ContractId) -> Schema {
        let family = self.input.family_of(id);
        let name = fragment(&self.get(id).name);
        let target =
            if (&family.package.package, &family.name) == (&self.family.package.package, &self.family.name) {
                format!("#/$defs/{name}")
            } else if has_file(self.input, family) {
                format!("{}#/$defs/{name}", self.way_to(family))
            } else {
                self.borrowed.borrow_mut().insert(id);
                format!("#/$defs/{}", fragment(&self.borrowed_name(id)))
            };
        Schema::from(Object::default().text("$ref", &target))
    }

    /// The file of another family, from this one's folder.
    fn way_to(&self, family: &Family) -> String {
        let name = fragment(&file_name(family));
        let (here, there) = (&self.family.package.include_dir, &family.package.include_dir);
        if here == there { name } else { format!("{}{there}/{name}", "../".repeat(here.split('/').count())) }
    }

    /// Its family and name, behind the package where that is another.
    fn borrowed_name(&self, id: ContractId) -> String {
        let family = self.input.family_of(id);
        let (here, there) = (&self.family.package.package, &family.package.package);
        let package = if here == there { String::new() } else { format!("{there}.") };
        format!("{package}{}.{}", family.name, self.get(id).name)
    }
}

/// A schema under construction, and what it cannot say.
#[derive(Default)]
struct Schema {
    object: Object,
    comments: Vec<String>,
}

impl Schema {
    fn comment(mut self, text: impl Into<String>) -> Self {
        self.comments.push(text.into());
        self
    }

    fn with(mut self, key: &str, value: Json) -> Self {
        self.object = self.object.with(key, value);
        self
    }

    /// The other's members and comments behind these.
    fn and(mut self, other: Schema) -> Self {
        self.object = self.object.and(other.object);
        self.comments.extend(other.comments);
        self
    }

    fn json(self) -> Json {
        let comment = self.comments.join("\n");
        self.object.text_if("$comment", present(&comment)).json()
    }
}

impl From<Object> for Schema {
    fn from(object: Object) -> Self {
        Schema { object, comments: Vec::new() }
    }
}

/// What is said of a contract, a key or a variant besides its form.
fn described(title: &str, docs: &str, deprecated: Option<&str>) -> Schema {
    let object = Object::default().text_if("title", present(title)).text_if("description", present(docs));
    let schema = Schema::from(object.flag("deprecated", deprecated.is_some()));
    match deprecated.and_then(present) {
        Some(why) => schema.comment(format!("deprecated: {why}")),
        None => schema,
    }
}

/// `{"KEY": VALUE}`
fn one(key: &str, value: Json) -> Json {
    Json::Object(vec![(key.to_owned(), value)])
}

fn texts<'text>(texts: impl IntoIterator<Item = &'text String>) -> Json {
    Json::Array(texts.into_iter().map(Json::text).collect())
}

fn not(schema: Json) -> Json {
    one("not", schema)
}

fn required(keys: &[&str]) -> Json {
    one("required", Json::Array(keys.iter().copied().map(Json::text).collect()))
}

/// An object whose key, where it is there, is so.
fn property(key: &str, schema: Json) -> Json {
    one("properties", one(key, schema))
}

/// Text as the fragment of a reference has it.
fn fragment(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_') {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").expect("a String takes all");
        }
    }
    text
}

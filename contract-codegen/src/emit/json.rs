//! The catalog as JSON: `json/<include_dir>/<family>.json`, all that is declared, for programs that are not served by
//! a generated half.
//!
//! ```text
//! {
//!   "$wirecontract": {…},              the statement of origin, see crate::artifact
//!   "package": "wirecontract-gpu",
//!   "family": "cuvis",
//!   "contracts": [CONTRACT, …]         what is nested comes before what nests it
//! }
//!
//! CONTRACT   "name", "was", "kind", "module", "wire_id", "source_id", "version", "earlier" (versions before it that are
//!            spoken as well: "version" and "wire_id" each, the oldest first), "since", "deprecated", "c_name",
//!            "docs"; of an enumeration and of flags "repr" and "values", of an enumeration "data" where its values
//!            carry any, "as" where JSON has its numbers, "case" where names are read in any ("fold"); of flags "open",
//!            "as" where JSON has their names; of a descriptor "layout", "size", "sizes" (of one that grows, by
//!            version), "align" and "fields"; of a recipe
//!            "deny_unknown", "max_bytes", "max_depth" and "keys"; of a union "tagging" ("internal", "adjacent" or
//!            "untagged"), "tag", "content", "tag_last", "lenient" (of its tag), "max_bytes", "max_depth" and
//!            "variants"; of a message "max_bytes" (where it has a tail), "parts" (PART), "tail" (TAIL) and "fds" (FDS); of
//!            "messages" a "tag" (the way to a field of the first part) or a "body" (a union, as "contract" is said), and
//!            "variants" (MESSAGE); of a C struct ("abi") "layouts", "size" and "align" by data model ("lp64", "llp64",
//!            "ilp32_u64_4" and "ilp32_u64_8"), and "fields" (ABI FIELD); of a handle "prefix", "access" ("exclusive" or
//!            "shared"), "tag" (the upper 16 bits of its numbers) and "symbol" (the function that ends it); of an exported
//!            function "prefix", "symbol", "method_of" (the handle), "unsafe", "params" (PARAM) and "outs" (OUT); of a
//!            library (called by its prefix) and of further "symbols" the exported names, "symbols"; last, of those that
//!            have some, "conditions" and "rules"
//! VALUE      "name" (in Rust), "wire_name", "aliases", "value", "data" (an object), "since", "deprecated", "c_name",
//!            "docs"
//! FIELD      "name", "was", "offset", "size", "type", "role" (and what goes with it: "bytes", "version", "zero" or
//!            "counts"), "since", "default" (its bytes, in versions before that; what is in native order as
//!            little-endian), "deprecated", "c_name", "docs"
//! TYPE       "element": a scalar (`u8`) or a kind; of a kind "contract": {"package", "family", "name", "wire_id"};
//!            of an enumeration "open"; "dims", outermost first; "endian"
//! ABI FIELD  "name", "was", "offset" (a number, or one for each data model), "c" (as C declares it), the members of its
//!            ABI TYPE, "counted_by", "since", "deprecated", "c_name", "docs"
//! ABI TYPE   "type": a scalar (`u8`), a type of C's own (`unsigned long`), "enumeration", "flags" or "abi" with
//!            "contract"; "array" with "length" and "item"; "pointer" with "const" (what it points to) and "to" (none
//!            for `void`); "function" with "params" (a "name" where it has one, and an ABI TYPE each) and "result" (none
//!            for `void`)
//! PARAM      "name", "was", "form" and what it has: "value" an ABI TYPE; "closed", "descriptor" and "document" (a recipe
//!            or union) a "contract"; "reference" and "slice" "mut", "nullable" and an ABI TYPE; "text" "nullable";
//!            "handle" its "contract" and "pass" ("borrowed", "borrowed_mut" or "taken"); "callback" "args" (PARAM)
//! OUT        "name", "form" and what it has: "value", "closed", "descriptor", "document" and "handle" as of a PARAM;
//!            "text"; "bytes"; "fd", the caller's, and "lent_fd", which is not
//! KEY        "name" (in Rust), "key" (none when flattened), "type" (JSON TYPE), "presence" ("required",
//!            "optional" or "defaulted"), "nullable", "null_when_absent", "skip_default", "default" (as a document
//!            spells it), "flatten", "lenient", "not_imported", "since", "deprecated", "c_name", "docs"
//! VARIANT    "name" (in Rust), "tag", "aliases", "absent" ("default" or "no_tag": an absent tag says it), "type" (JSON
//!            TYPE) and "default" of its content, or "other" (it keeps unknown tags), "since", "deprecated", "c_name",
//!            "docs"
//! PART       "name", "was", "type" ("descriptor", "recipe" or "union") and its "contract", "since", "deprecated", "c_name",
//!            "docs"
//! TAIL       "name", "was", "item" ("descriptor" with a "contract", "u8" or "text"), "count" or "bytes" (COMPUTED; with
//!            neither it goes to the end of the message), "since", "deprecated", "c_name", "docs"
//! FDS        "name", "was", "form" ("one"; "optional", with "present_if", a COMPUTED; "many", with "least", "most" and
//!            perhaps "count", a COMPUTED), "since", "deprecated", "c_name", "docs"
//! COMPUTED   "text" and "expr"
//! MESSAGE    "name", "was", "value" of the tag, or "open" (it takes unknown tags), "type" ("message", "recipe" or "union")
//!            and its "contract", "since", "deprecated", "c_name", "docs"
//! JSON TYPE  "type": a scalar, "text", "bytes", "array", "map", "json" or a kind; of an integer "min", "max" and
//!            perhaps "spelling"; of bytes and descriptors "spelling"; of an array "item"; "length", "max_len",
//!            "max_items", "open", "contract" as they apply
//! RULE       "name", "text", "at" ("read" or "import") and "expr"; of a condition first "field" and "kind"
//!            ("required_if": it must be there when the rule holds; "used_if": it may be used only then)
//! EXPR       an integer; true or false; {"not"}, {"negate"} or {"int"} of an EXPR; {"op", "left", "right"};
//!            {"operand" (as errors show it)} with a path of names in "value", "length", "present", "has" (with "bits")
//!            or "data" (with "enumeration" and "key"), or with "fd_count"; the path of a union itself is empty
//! ```
//!
//! A key whose value would say nothing (no `was`, no dimensions, one byte without an order) is left out. Ids are
//! `"0x%016x"`, magic bytes lower hex; integers are exact, also those that a double cannot hold.

mod abi;
mod export;
pub(super) mod literal;
mod message;
pub(super) mod object;
mod recipe;
mod rule;

use self::object::{Object, present};
use super::{Artifact, EmitError, EmitInput, Family, Syntax};
use crate::catalog::encode;
use crate::catalog::json::{Json, hex};
use crate::model::{
    Body, Contract, ContractId, DataKey, DataType, DataValue, Element, Endian, EnumValue, Layout, Role,
    Spelled, Type,
};

/// One file a selected family.
pub fn emit(input: &EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>> {
    Ok(input.selected_families().map(|family| file(input, family)).collect())
}

fn file(input: &EmitInput<'_>, family: &Family) -> Artifact {
    let contracts = family.contracts.iter().map(|&id| contract(input, id)).collect();
    let json = Object::default()
        .text("package", &family.package.package)
        .text("family", &family.name)
        .with("contracts", Json::Array(contracts));
    Artifact {
        path: format!("json/{}/{}.json", family.package.include_dir, family.name),
        body: json.json().pretty(),
        contracts: family.contracts.clone(),
        syntax: Syntax::Json,
    }
}

fn contract(input: &EmitInput<'_>, id: ContractId) -> Json {
    let contract = input.catalog.get(id);
    let Contract { name, was, module, docs, version, earlier, since, deprecated, c_name, .. } = contract;
    let object = Object::default()
        .text("name", name)
        .text_if("was", was.as_deref())
        .text("kind", contract.kind())
        .text("module", module)
        .with("wire_id", Json::id(contract.wire_id))
        .with("source_id", Json::id(contract.source_id))
        .with_if("version", version.map(|version| Json::Integer(version.into())))
        .with_if("earlier", (!earlier.is_empty()).then(|| encode::earlier(contract)))
        .with_if("since", since.map(|since| Json::Integer(since.into())))
        .text_if("deprecated", deprecated.as_deref())
        .text_if("c_name", c_name.as_deref())
        .text_if("docs", present(docs));
    let object = match &contract.body {
        Body::Descriptor(descriptor) => {
            let layout = match descriptor.layout {
                Layout::Natural => "natural",
                Layout::Packed => "packed",
            };
            let fields = (0..descriptor.fields.len()).map(|index| field(input, id, index)).collect();
            let sizes = descriptor.growth.as_ref().map(|growth| {
                Json::Array(growth.sizes.iter().map(|&size| Json::Integer(size.into())).collect())
            });
            object
                .text("layout", layout)
                .with("size", Json::Integer(descriptor.size.into()))
                .with_if("sizes", sizes)
                .with("align", Json::Integer(descriptor.align.into()))
                .with("fields", Json::Array(fields))
        }
        Body::Enumeration(enumeration) => {
            let keys: Vec<Json> = enumeration.data.iter().map(data_key).collect();
            let values = enumeration.values.iter().map(|of| value(of, &enumeration.data)).collect();
            object
                .text("repr", enumeration.repr.name())
                .text_if("as", (enumeration.spelled == Spelled::Integer).then_some("integer"))
                .text_if("case", enumeration.fold.then_some("fold"))
                .with_if("data", (!keys.is_empty()).then_some(Json::Array(keys)))
                .with("values", Json::Array(values))
        }
        Body::Flags(flags) => object
            .text("repr", flags.repr.name())
            .with("open", Json::Bool(flags.open))
            .text_if("as", (flags.spelled == Spelled::Names).then_some("names"))
            .with("values", Json::Array(flags.values.iter().map(|of| value(of, &[])).collect())),
        Body::Recipe(body) => recipe::recipe(input, body, object),
        Body::Union(body) => recipe::union(input, body, object),
        Body::Message(body) => message::message(input, contract, body, object),
        Body::Messages(body) => message::messages(input, body, object),
        Body::Abi(body) => abi::abi(input, body, object),
        Body::Handle(body) => export::handle(body, object),
        Body::Function(body) => export::function(input, body, object),
        Body::Symbols(body) => export::symbols(body, object),
    };
    rule::rules(input, contract, object).json()
}

fn field(input: &EmitInput<'_>, id: ContractId, index: usize) -> Json {
    let descriptor = input.catalog.get(id).descriptor();
    let field = &descriptor.fields[index];
    let default = input.catalog.default_of(id, index).map(|bytes| hex(&bytes));
    let object = Object::default()
        .text("name", &field.name)
        .text_if("was", field.was.as_deref())
        .with("offset", Json::Integer(field.offset.into()))
        .with("size", Json::Integer(input.catalog.field_size(field).into()))
        .with("type", field_type(input, &field.ty));
    let object = match &field.role {
        Role::Value => object.text("role", "value"),
        Role::Magic(magic) => object.text("role", "magic").text("bytes", &hex(magic)),
        Role::Version(version) => {
            object.text("role", "version").with("version", Json::Integer((*version).into()))
        }
        Role::Reserved { zero } => object.text("role", "reserved").with("zero", Json::Bool(*zero)),
        Role::LengthOf(targets) => {
            let names = targets.iter().map(|&target| Json::text(&descriptor.fields[target].name)).collect();
            object.text("role", "length_of").with("counts", Json::Array(names))
        }
        Role::Text => object.text("role", "text"),
    };
    object
        .with_if("since", field.since.map(|since| Json::Integer(since.into())))
        .text_if("default", default.as_deref())
        .text_if("deprecated", field.deprecated.as_deref())
        .text_if("c_name", field.c_name.as_deref())
        .text_if("docs", present(&field.docs))
        .json()
}

fn field_type(input: &EmitInput<'_>, ty: &Type) -> Json {
    let object = Object::default();
    let object = match ty.element {
        Element::Scalar(scalar) => object.text("element", scalar.name()),
        Element::Enumeration { contract, open } => object
            .text("element", "enumeration")
            .with("contract", reference(input, contract))
            .with("open", Json::Bool(open)),
        Element::Flags { contract } => {
            object.text("element", "flags").with("contract", reference(input, contract))
        }
        Element::Descriptor(contract) => {
            object.text("element", "descriptor").with("contract", reference(input, contract))
        }
    };
    let has_order =
        !matches!(ty.element, Element::Descriptor(_)) && input.catalog.element_size(ty.element) > 1;
    let endian = match ty.endian {
        Endian::Little => "little",
        Endian::Big => "big",
        Endian::Native => "native",
    };
    let dims: Vec<Json> = ty.dims.iter().map(|&dim| Json::Integer(dim.into())).collect();
    object
        .with_if("dims", (!dims.is_empty()).then_some(Json::Array(dims)))
        .text_if("endian", has_order.then_some(endian))
        .json()
}

/// A contract by its names, which are for people, and by its wire id.
fn reference(input: &EmitInput<'_>, id: ContractId) -> Json {
    let contract = input.catalog.get(id);
    Object::default()
        .text("package", &contract.package)
        .text("family", contract.family())
        .text("name", &contract.name)
        .with("wire_id", Json::id(contract.wire_id))
        .json()
}

fn data_key(key: &DataKey) -> Json {
    let ty = match key.ty {
        DataType::I64 => "i64",
        DataType::U64 => "u64",
        DataType::Bool => "bool",
        DataType::Text => "text",
    };
    Object::default().text("name", &key.name).text("type", ty).json()
}

fn value(value: &EnumValue, keys: &[DataKey]) -> Json {
    let aliases: Vec<Json> = value.aliases.iter().map(Json::text).collect();
    let data = keys.iter().zip(&value.data).fold(Object::default(), |object, (key, value)| {
        object.with(
            &key.name,
            match value {
                DataValue::Integer(number) => Json::Integer(*number),
                DataValue::Bool(value) => Json::Bool(*value),
                DataValue::Text(text) => Json::text(text),
            },
        )
    });
    Object::default()
        .text("name", &value.name)
        .text("wire_name", &value.wire_name)
        .with_if("aliases", (!aliases.is_empty()).then_some(Json::Array(aliases)))
        .with("value", Json::Integer(value.value))
        .with_if("data", (!keys.is_empty()).then(|| data.json()))
        .with_if("since", value.since.map(|since| Json::Integer(since.into())))
        .text_if("deprecated", value.deprecated.as_deref())
        .text_if("c_name", value.c_name.as_deref())
        .text_if("docs", present(&value.docs))
        .json()
}

//! What no contract that ships has, for the tests of stubs and of native classes: hostile documentation, Python's own
//! words as names, texts and floats in bytes, defaults of every kind, what is deprecated.

use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::fixtures::{self, contract, field};
use wirecontract_codegen::model::{
    Body, Catalog, Content, Contract, ContractId, Descriptor, Element, EnumValue, Enumeration, Field, Flags,
    Growth, JsonType, Key, Layout, Length, Literal, Presence, Recipe, Role, Scalar, Spelled, Spelling,
    Tagging, Union, Variant, WhenAbsent,
};

const COLOR: ContractId = ContractId(0);
const MODE: ContractId = ContractId(1);
const PLACE: ContractId = ContractId(2);
const TEXTS: ContractId = ContractId(5);

/// What a docstring must not be ended, begun or changed by.
pub(crate) const HOSTILE: &str = "\"\"\" ends this? \\N{DASH} and \\";

/// The catalog, of the family `seldom`.
pub(crate) fn catalog() -> Catalog {
    let contracts = vec![color(), mode(), place(), frame(), young(), texts(), words(), choice()];
    let moved = |contract| Contract { package: "seldom".into(), module: "seldom::seldom".into(), ..contract };
    Catalog { contracts: contracts.into_iter().map(moved).collect() }
}

/// Its family, in the package `seldom_contracts`.
pub(crate) fn input(catalog: &Catalog) -> EmitInput<'_> {
    let mut input = fixtures::input(catalog);
    for family in &mut input.families {
        family.package.python_package = "seldom_contracts".into();
    }
    input
}

fn value(name: &str, value: i128) -> EnumValue {
    EnumValue {
        name: name.into(),
        wire_name: name.to_lowercase(),
        aliases: Vec::new(),
        value,
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        data: Vec::new(),
    }
}

fn color() -> Contract {
    let values = vec![value("Red", 1), value("None", 2), value("Mro", 3)];
    let (data, spelled) = (Vec::new(), Spelled::Names);
    contract("Color", Body::Enumeration(Enumeration { repr: Scalar::U8, values, data, spelled, fold: false }))
}

fn mode() -> Contract {
    let values = vec![value("Read", 1), value("Write", 2)];
    contract("Mode", Body::Flags(Flags { repr: Scalar::U8, values, open: false, spelled: Spelled::Names }))
}

fn descriptor(size: u32, fields: Vec<Field>, growth: Option<Growth>) -> Body {
    let (conditions, rules, layout) = (Vec::new(), Vec::new(), Layout::Packed);
    Body::Descriptor(Descriptor { layout, size, align: 1, fields, conditions, rules, growth })
}

fn place() -> Contract {
    let fields = vec![
        field("from", 0, Element::Scalar(Scalar::F32), &[], Role::Value),
        field("to", 4, Element::Scalar(Scalar::F64), &[2], Role::Value),
    ];
    contract("Place", descriptor(20, fields, None))
}

/// Every role and every kind of element, under names that Python has for something else.
fn frame() -> Contract {
    let scalar = Element::Scalar;
    let mut fields = vec![
        field("magic", 0, scalar(Scalar::U8), &[2], Role::Magic(b"\"\\".to_vec())),
        field("version", 2, scalar(Scalar::U8), &[], Role::Version(1)),
        field("class", 3, scalar(Scalar::U8), &[8], Role::Text),
        field("len", 11, scalar(Scalar::U8), &[], Role::LengthOf(vec![4])),
        field("tuple", 12, scalar(Scalar::F32), &[3], Role::Value),
        field("lambda", 24, scalar(Scalar::F64), &[], Role::Value),
        field("color", 32, Element::Enumeration { contract: COLOR, open: false }, &[], Role::Value),
        field("colors", 33, Element::Enumeration { contract: COLOR, open: true }, &[2], Role::Value),
        field("mode", 35, Element::Flags { contract: MODE }, &[], Role::Value),
        field("none", 36, scalar(Scalar::Bool), &[2, 2], Role::Value),
        field("bytes", 40, scalar(Scalar::U8), &[4], Role::Value),
        field("places", 44, Element::Descriptor(PLACE), &[2], Role::Value),
        field("rest", 84, scalar(Scalar::U16), &[], Role::Reserved { zero: true }),
    ];
    fields[3].docs = HOSTILE.into();
    fields[5].deprecated = Some("use \"tuple\"".into());
    fields[6].since = Some(1);
    let made = contract("Frame", descriptor(86, fields, None));
    Contract {
        docs: format!("{HOSTILE}\n\n    indented \"code\"\n\n\""),
        deprecated: Some("use `Choice`, which says \"\"\"why\"\"\"".into()),
        since: Some(1),
        version: Some(2),
        earlier: vec![(1, 0x0123_4567_89AB_CDEF)],
        ..made
    }
}

/// A descriptor that grew by a text and a float.
fn young() -> Contract {
    let later = |field| Field { since: Some(2), ..field };
    let fields = vec![
        field("size", 0, Element::Scalar(Scalar::U16), &[], Role::Value),
        later(field("title", 2, Element::Scalar(Scalar::U8), &[6], Role::Text)),
        later(field("gain", 8, Element::Scalar(Scalar::F32), &[], Role::Value)),
    ];
    let defaults = [&b"new\0\0\0"[..], &1.5_f32.to_le_bytes()].concat();
    contract("Young", descriptor(12, fields, Some(Growth { sizes: vec![2, 12], defaults })))
}

fn key(name: &str, ty: JsonType, presence: Presence) -> Key {
    Key {
        name: name.into(),
        key: name.into(),
        docs: format!("The key {name}."),
        c_name: None,
        since: None,
        deprecated: None,
        ty,
        presence,
        flatten: false,
        lenient: false,
        not_imported: false,
    }
}

fn recipe(name: &str, keys: Vec<Key>) -> Contract {
    let (conditions, rules) = (Vec::new(), Vec::new());
    let body = Recipe { deny_unknown: true, max_bytes: 4096, max_depth: 8, keys, conditions, rules };
    contract(name, Body::Recipe(body))
}

const OPTIONAL: Presence = Presence::Optional { nullable: false, null_when_absent: false, default: None };

fn defaulted(default: Literal) -> Presence {
    Presence::Defaulted { default, skip: false, nullable: false }
}

fn kept(default: Literal) -> Presence {
    Presence::Optional { nullable: true, null_when_absent: false, default: Some(default) }
}

/// Every kind of default, one of them a text that is no literal as it stands.
fn texts() -> Contract {
    let text = JsonType::Text { max_len: None };
    let float = JsonType::Float { scalar: Scalar::F64, min: None, max: None };
    let whole = JsonType::Integer { scalar: Scalar::I64, min: -5, max: 5, decimal: false };
    let bytes = JsonType::Bytes { length: Length::Exactly(2), spelling: Spelling::Hex };
    let list = JsonType::Array { item: Box::new(whole.clone()), length: Length::AtMost(Some(3)) };
    let numbers = Literal::List(vec![Literal::Integer(1), Literal::Integer(-2)]);
    let two = Literal::List(vec![Literal::Integer(0), Literal::Integer(255)]);
    let color = JsonType::Enumeration { contract: COLOR, open: false, max_len: None };
    let open = JsonType::Enumeration { contract: COLOR, open: true, max_len: Some(8) };
    let map = JsonType::Map { max_items: Some(4), max_len: None };
    let mut keys = vec![
        key("text", text.clone(), defaulted(Literal::Text("say \"hi\"\\\n".into()))),
        key("float", float, kept(Literal::Float(-0.5))),
        key("int", whole, defaulted(Literal::Integer(-1))),
        key("bytes", bytes, kept(two)),
        key("list", list, defaulted(numbers)),
        key("bool", JsonType::Bool, defaulted(Literal::Bool(true))),
        key("color", color, defaulted(Literal::Value(1))),
        key("open", open, OPTIONAL),
        key("mode", JsonType::Flags { contract: MODE }, kept(Literal::Flags(3))),
        key("map", map, OPTIONAL),
        key("json", JsonType::Json { max_len: None }, OPTIONAL),
        key("place", JsonType::Descriptor { contract: PLACE, spelling: Spelling::Base64 }, OPTIONAL),
        key("old", text, OPTIONAL),
    ];
    keys[12].deprecated = Some("it says \"nothing\"\\".into());
    keys[12].since = Some(1);
    Contract { docs: String::new(), deprecated: Some("too much".into()), ..recipe("Texts", keys) }
}

/// Keys that Python has for something else, in a class that is called like a builtin.
fn words() -> Contract {
    let number = || JsonType::Integer { scalar: Scalar::U8, min: 0, max: 255, decimal: false };
    let required = ["class", "from", "str", "object", "property", "staticmethod", "mapping", "dict"];
    let mut keys: Vec<Key> =
        required.into_iter().map(|name| key(name, number(), Presence::Required)).collect();
    keys.push(key("texts", JsonType::Recipe(TEXTS), OPTIONAL));
    for key in &mut keys {
        key.docs = HOSTILE.into();
    }
    Contract { docs: "\"Quoted\"".into(), ..recipe("list", keys) }
}

fn choice() -> Contract {
    let variant = |name: &str, tag: &str, content| Variant {
        name: name.into(),
        tag: tag.into(),
        aliases: Vec::new(),
        docs: HOSTILE.into(),
        c_name: None,
        since: None,
        deprecated: None,
        content,
        when_absent: WhenAbsent::No,
    };
    let text = JsonType::Text { max_len: Some(16) };
    let holds = |ty, default| Content::Value { ty, default };
    let mut variants = vec![
        variant("None", "none", Content::Nothing),
        variant("Text", "text", holds(text, Some(Literal::Text("it's".into())))),
        variant("Texts", "texts", holds(JsonType::Recipe(TEXTS), None)),
        variant("Other", "", Content::Other),
    ];
    variants[0].deprecated = Some("use `Text`".into());
    let tagging = Tagging::Adjacent { tag: "type".into(), content: "value".into(), last: false };
    let body = Union { tagging, lenient: false, max_bytes: 4096, max_depth: 8, variants, rules: Vec::new() };
    contract("Choice", Body::Union(body))
}

//! Recipes and unions of forms that are seldom: arrays in arrays, many keys, none, names that are taken.

use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::{
    Body, Catalog, Condition, ConditionKind, Content, Contract, ContractId, DataKey, DataType, DataValue,
    Descriptor, Element, Endian, EnumValue, Enumeration, Expr, JsonType, Key, Layout, Length, Literal,
    Moment, Op, Operand, Path, Presence, Recipe, Role, Rule, Scalar, Spelled, Spelling, Tagging, Union,
    Variant, What, WhenAbsent,
};

use super::sink;

const COLOR: ContractId = ContractId(0);
const EMPTY: ContractId = ContractId(1);
const UNITS: ContractId = ContractId(2);
const SIZE: ContractId = ContractId(3);
const RULED: ContractId = ContractId(7);

/// The catalog, of the family `odd`.
pub fn catalog() -> Catalog {
    let contracts = vec![
        color(),
        recipe("Empty", Vec::new()),
        units(),
        size(),
        arrays(),
        words(),
        many(),
        ruled(),
        outer(),
        used(),
    ];
    let moved = |contract| Contract { module: "wirecontract_odd::odd".into(), ..contract };
    Catalog { contracts: contracts.into_iter().map(moved).collect() }
}

fn color() -> Contract {
    let value = |name: &str, number, weight| EnumValue {
        data: vec![DataValue::Integer(weight)],
        ..sink::value(name, number)
    };
    let body = Enumeration {
        repr: Scalar::U8,
        values: vec![value("Red", 1, 10), value("Blue", 9, 20)],
        data: vec![DataKey { name: "weight".into(), ty: DataType::I64 }],
        spelled: Spelled::Names,
        fold: false,
    };
    fixtures::contract("Color", Body::Enumeration(body))
}

/// A descriptor in which a text has a length, and whose nested use is all zeros or not.
fn size() -> Contract {
    let scalar = |scalar| Element::Scalar(scalar);
    let fields = vec![
        fixtures::field("width", 0, scalar(Scalar::U16), &[], Role::Value),
        fixtures::field("text", 2, scalar(Scalar::U8), &[6], Role::Text),
    ];
    let (conditions, rules) = (Vec::new(), Vec::new());
    let body =
        Descriptor { layout: Layout::Natural, size: 8, align: 2, fields, conditions, rules, growth: None };
    fixtures::contract("Size", Body::Descriptor(body))
}

/// Rules that look into a descriptor, and into a recipe that may be absent.
fn outer() -> Contract {
    let extent = JsonType::Descriptor { contract: SIZE, spelling: Spelling::Hex };
    let keys = vec![key("size", extent, Presence::Required), key("ruled", JsonType::Recipe(RULED), OPTIONAL)];
    let wide = Rule {
        name: None,
        text: "size.width >= len(size.text)".into(),
        expr: binary(
            Op::Ge,
            number("size.width", &[0, 0]),
            operand("len(size.text)", What::Length(Path(vec![0, 1])), false),
        ),
        at: Moment::Read,
    };
    let absent = Rule {
        name: None,
        text: "!present(ruled.much)".into(),
        expr: Expr::Not(Box::new(operand("present(ruled.much)", What::Present(Path(vec![1, 4])), true))),
        at: Moment::Read,
    };
    let mut contract = recipe("Outer", keys);
    let Body::Recipe(recipe) = &mut contract.body else { unreachable!() };
    recipe.rules = vec![wide, absent];
    contract
}

/// Fields of every kind that are used only where `on` is.
fn used() -> Contract {
    let scalar = |scalar| Element::Scalar(scalar);
    let mut field_of = {
        let mut offset = 0;
        move |name: &str, element, size: u32, dims: &[u32], role| {
            let mut field = fixtures::field(name, offset, element, dims, role);
            field.ty.endian = if size > 1 { Endian::Big } else { Endian::Little };
            if matches!(element, Element::Descriptor(_)) {
                field.ty.endian = Endian::Little;
            }
            offset += size * dims.iter().product::<u32>();
            field
        }
    };
    let fields = vec![
        field_of("on", scalar(Scalar::Bool), 1, &[], Role::Value),
        field_of("wide", scalar(Scalar::U64), 8, &[], Role::Value),
        field_of("real", scalar(Scalar::F32), 4, &[], Role::Value),
        field_of("count", scalar(Scalar::U16), 2, &[], Role::LengthOf(vec![4])),
        field_of("items", scalar(Scalar::U16), 2, &[3, 2], Role::Value),
        field_of("label", scalar(Scalar::U8), 1, &[4], Role::Text),
        field_of("sizes", Element::Descriptor(SIZE), 8, &[2], Role::Value),
    ];
    let condition = |field| Condition {
        field,
        kind: ConditionKind::UsedIf,
        rule: Rule {
            name: None,
            text: "on".into(),
            expr: operand("on", What::Value(Path(vec![0])), true),
            at: Moment::Read,
        },
    };
    let body = Descriptor {
        layout: Layout::Packed,
        size: 47,
        align: 1,
        fields,
        conditions: vec![condition(6), condition(1), condition(2), condition(4), condition(5)],
        rules: Vec::new(),
        growth: None,
    };
    fixtures::contract("Used", Body::Descriptor(body))
}

/// No variant holds anything.
fn units() -> Contract {
    let variant = |name: &str| Variant {
        name: name.into(),
        tag: name.into(),
        aliases: Vec::new(),
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        content: Content::Nothing,
        when_absent: if name == "Off" { WhenAbsent::Default } else { WhenAbsent::No },
    };
    let off = number("variant", &[]);
    let rule = Rule {
        name: None,
        text: "variant != Off".into(),
        expr: binary(Op::Ne, off, Expr::Integer(1)),
        at: Moment::Import,
    };
    let body = Union {
        tagging: Tagging::Internal { tag: "state".into(), last: false },
        lenient: true,
        max_bytes: 100,
        max_depth: 2,
        variants: vec![variant("On"), variant("Off")],
        rules: vec![rule],
    };
    fixtures::contract("Units", Body::Union(body))
}

fn recipe(name: &str, keys: Vec<Key>) -> Contract {
    let body = Recipe {
        deny_unknown: false,
        max_bytes: 1000,
        max_depth: 9,
        keys,
        conditions: Vec::new(),
        rules: Vec::new(),
    };
    fixtures::contract(name, Body::Recipe(body))
}

fn key(name: &str, ty: JsonType, presence: Presence) -> Key {
    Key {
        name: name.into(),
        key: name.into(),
        docs: String::new(),
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

fn integer(scalar: Scalar) -> JsonType {
    let (min, max) = scalar.range().unwrap();
    JsonType::Integer { scalar, min, max, decimal: false }
}

fn array(item: JsonType, length: Length) -> JsonType {
    JsonType::Array { item: Box::new(item), length }
}

const OPTIONAL: Presence = Presence::Optional { nullable: false, null_when_absent: false, default: None };

fn defaulted(default: Literal) -> Presence {
    Presence::Defaulted { default, skip: false, nullable: false }
}

fn kept(default: Literal) -> Presence {
    Presence::Optional { nullable: false, null_when_absent: false, default: Some(default) }
}

/// Arrays of everything that an array holds otherwise than a member does, and defaults of them.
fn arrays() -> Contract {
    let many = Length::AtMost(Some(2));
    let two = Length::Exactly(2);
    let numbers =
        |values: &[i128]| Literal::List(values.iter().map(|&value| Literal::Integer(value)).collect());
    let open = || JsonType::Enumeration { contract: COLOR, open: true, max_len: None };
    let uuid = || JsonType::Bytes { length: Length::Exactly(16), spelling: Spelling::Uuid };
    let text = || JsonType::Text { max_len: Some(3) };
    let float = || JsonType::Float { scalar: Scalar::F32, min: Some(-0.5), max: None };
    recipe(
        "Arrays",
        vec![
            key(
                "rows",
                array(array(integer(Scalar::U16), many), Length::AtMost(None)),
                defaulted(Literal::List(vec![numbers(&[1, 2]), numbers(&[]), numbers(&[3])])),
            ),
            key(
                "pairs",
                array(array(integer(Scalar::I8), two), many),
                kept(Literal::List(vec![numbers(&[-1, 2])])),
            ),
            key("columns", array(array(text(), many), two), Presence::Required),
            key("uuids", array(uuid(), many), OPTIONAL),
            key("uuid_pair", array(uuid(), two), Presence::Required),
            key(
                "colors",
                array(open(), Length::AtMost(None)),
                defaulted(Literal::List(vec![Literal::Value(1)])),
            ),
            key("color", open(), defaulted(Literal::Value(0))),
            key(
                "texts",
                array(text(), two),
                defaulted(Literal::List(vec![Literal::Text("a".into()), Literal::Text("\0".into())])),
            ),
            key("floats", array(float(), many), defaulted(Literal::List(vec![Literal::Float(0.1)]))),
            key("maps", array(JsonType::Map { max_items: None, max_len: None }, many), OPTIONAL),
            key("flags", array(JsonType::Bool, many), defaulted(Literal::List(vec![Literal::Bool(true)]))),
            key("empties", array(JsonType::Recipe(EMPTY), two), Presence::Required),
            key("states", array(JsonType::Union(UNITS), many), OPTIONAL),
            key("state_pair", array(JsonType::Union(UNITS), two), OPTIONAL),
            Key { not_imported: true, ..key("kept", JsonType::Union(UNITS), Presence::Required) },
            key(
                "raw",
                JsonType::Bytes { length: many, spelling: Spelling::Hex },
                defaulted(numbers(&[7, 8])),
            ),
            key("none", array(integer(Scalar::U64), many), defaulted(numbers(&[]))),
            key(
                "pair",
                JsonType::Bytes { length: two, spelling: Spelling::Base64 },
                defaulted(numbers(&[0, 255])),
            ),
            key("id", uuid(), kept(numbers(&[17; 16]))),
            key(
                "raws",
                array(JsonType::Bytes { length: many, spelling: Spelling::Hex }, many),
                defaulted(Literal::List(vec![numbers(&[1, 2]), numbers(&[])])),
            ),
            key("ids", array(uuid(), many), defaulted(Literal::List(vec![numbers(&[18; 16])]))),
            key(
                "id_rows",
                array(array(uuid(), two), many),
                kept(Literal::List(vec![Literal::List(vec![numbers(&[19; 16]), numbers(&[20; 16])])])),
            ),
        ],
    )
}

/// Names that generated functions, languages and headers use.
fn words() -> Contract {
    let names = [
        "a",
        "b",
        "c",
        "value",
        "memory",
        "error",
        "fd_count",
        "held",
        "status",
        "present",
        "present2",
        "check",
        "to_c",
        "wire_id",
        "validate_import",
        "class",
        "int",
        "NULL",
        "linux",
        "errno",
        "register",
        "x0",
        "ok",
        "holds",
        "i",
        "items",
        "count",
        "data",
        "length",
        "found",
        "std",
        "init",
        "fault",
        "std_or_default",
        "key",
        "tag",
    ];
    let keys = names.iter().enumerate().map(|(index, name)| {
        let presence = match index % 3 {
            0 => Presence::Required,
            1 => OPTIONAL,
            _ => kept(Literal::Integer(3)),
        };
        key(name, integer(Scalar::U8), presence)
    });
    recipe("Words", keys.collect())
}

/// More optional keys than one member has bits for.
fn many() -> Contract {
    let keys = (0..130).map(|index| key(&format!("key_{index}"), integer(Scalar::U8), OPTIONAL));
    recipe("Many", keys.collect())
}

fn operand(text: &str, what: What, is_condition: bool) -> Expr {
    Expr::Operand(Operand { text: text.into(), what, is_condition })
}

fn number(text: &str, path: &[usize]) -> Expr {
    operand(text, What::Value(Path(path.to_vec())), false)
}

fn binary(op: Op, left: Expr, right: Expr) -> Expr {
    Expr::Binary { op, left: Box::new(left), right: Box::new(right) }
}

/// Rules that read what may have no number, and defaults of what is absent.
fn ruled() -> Contract {
    let keys = vec![
        key(
            "color",
            JsonType::Enumeration { contract: COLOR, open: true, max_len: None },
            kept(Literal::Value(1)),
        ),
        key("label", JsonType::Text { max_len: None }, kept(Literal::Text("four".into()))),
        key("state", JsonType::Union(UNITS), Presence::Required),
        key("size", integer(Scalar::I64), kept(Literal::Integer(-9))),
        key("much", integer(Scalar::U64), OPTIONAL),
    ];
    let weight = operand("weight(color)", What::Data { path: Path(vec![0]), contract: COLOR, key: 0 }, false);
    let length = operand("len(label)", What::Length(Path(vec![1])), false);
    let rule = Rule {
        name: Some("weighs".into()),
        text: "len(label) == 0 || weight(color) * 2 > color".into(),
        expr: binary(
            Op::Or,
            binary(Op::Eq, length.clone(), Expr::Integer(0)),
            binary(Op::Gt, binary(Op::Mul, weight, Expr::Integer(2)), number("color", &[0])),
        ),
        at: Moment::Read,
    };
    let sized = Rule {
        name: None,
        text: "size < len(label)".into(),
        expr: binary(Op::Lt, number("size", &[3]), length),
        at: Moment::Read,
    };
    let overflows = Rule {
        name: None,
        text: "-size > 0".into(),
        expr: binary(Op::Gt, Expr::Negate(Box::new(number("size", &[3]))), Expr::Integer(0)),
        at: Moment::Read,
    };
    let mut contract = recipe("Ruled", keys);
    let Body::Recipe(recipe) = &mut contract.body else { unreachable!() };
    recipe.rules = vec![rule, sized];
    recipe.conditions = vec![Condition { field: 4, kind: ConditionKind::UsedIf, rule: overflows }];
    contract
}

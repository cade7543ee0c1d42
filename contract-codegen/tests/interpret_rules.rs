//! Conditions and rules of descriptors: when they are looked at, where they are at fault, and what they see.

use wirecontract_codegen::fixtures::{self, id};
use wirecontract_codegen::interpret::{Host, Value, import, read, write};
use wirecontract_codegen::model::{
    Body, Catalog, Condition, ConditionKind, ContractId, Descriptor, Element, Expr, Field, Layout, Moment,
    Op, Operand, Path, Role, Rule, Scalar, What,
};

fn extent(width: u32, height: u32, pitch: u32) -> Vec<u8> {
    [width, height, pitch].into_iter().flat_map(u32::to_le_bytes).collect()
}

fn refusal(catalog: &Catalog, id: ContractId, bytes: &[u8]) -> String {
    read(catalog, id, bytes, Host::Little).expect_err("refused").to_string()
}

/// Two extents behind a number that counts them, and a rule that looks into the second contract.
fn outer() -> (Catalog, ContractId) {
    let mut catalog = fixtures::recipes();
    let number = |text: &str, what| Expr::Operand(Operand { text: text.into(), what, is_condition: false });
    let binary = |op, left, right| Expr::Binary { op, left: Box::new(left), right: Box::new(right) };
    let rule = |text: &str, expr, at| Rule { name: None, text: text.into(), expr, at };
    let count = || number("len(extents)", What::Length(Path(vec![1])));
    let inside = number("first.height", What::Value(Path(vec![2, 1])));
    let few = rule("len(extents) < 2", binary(Op::Lt, count(), Expr::Integer(2)), Moment::Read);
    let tall = rule("first.height > 9", binary(Op::Gt, inside, Expr::Integer(9)), Moment::Import);
    let fields = vec![
        fixtures::field("count", 0, Element::Scalar(Scalar::U32), &[], Role::LengthOf(vec![1])),
        fixtures::field("extents", 4, Element::Descriptor(id::EXTENT), &[2], Role::Value),
        fixtures::field("first", 28, Element::Descriptor(id::EXTENT), &[], Role::Value),
        fixtures::field("label", 40, Element::Scalar(Scalar::U8), &[4], Role::Text),
    ];
    let used = |field, kind| Condition {
        field,
        kind,
        rule: rule(
            "len(label) == 1",
            binary(Op::Eq, number("len(label)", What::Length(Path(vec![3]))), Expr::Integer(1)),
            Moment::Read,
        ),
    };
    let body = Descriptor {
        layout: Layout::Natural,
        size: 44,
        align: 4,
        fields,
        conditions: vec![used(1, ConditionKind::UsedIf)],
        rules: vec![few, tall],
        growth: None,
    };
    catalog.contracts.push(fixtures::contract("Outer", Body::Descriptor(body)));
    let id = ContractId(catalog.contracts.len() - 1);
    (catalog, id)
}

fn outer_bytes(count: u32, extents: [(u32, u32, u32); 2], first: (u32, u32, u32), label: [u8; 4]) -> Vec<u8> {
    let mut bytes = count.to_le_bytes().to_vec();
    for (width, height, pitch) in [extents[0], extents[1], first] {
        bytes.extend(extent(width, height, pitch));
    }
    bytes.extend(label);
    bytes
}

#[test]
fn conditions_come_before_rules_and_both_at_the_start() {
    let catalog = fixtures::recipes();
    assert!(read(&catalog, id::EXTENT, &extent(2, 3, 8), Host::Little).is_ok());
    assert_eq!(
        refusal(&catalog, id::EXTENT, &extent(1, u32::MAX, 8)),
        "Extent.pitch at byte 0: condition_violated: expected zero unless width > 1, found width = 1"
    );
    assert_eq!(
        refusal(&catalog, id::EXTENT, &extent(u32::MAX, u32::MAX, 0)),
        "Extent at byte 0: rule_violated: expected fits: width * height <= 16777216, found width = 4294967295, \
         height = 4294967295"
    );
}

#[test]
fn what_nests_is_looked_at_in_its_place_whether_it_counts_or_not() {
    let (catalog, id) = outer();
    let valid = outer_bytes(1, [(2, 1, 1), (0, 0, 0)], (0, 0, 0), *b"a\0\0\0");
    assert!(read(&catalog, id, &valid, Host::Little).is_ok());
    // A nested rule stands before the text that is wrong behind it.
    let nested = outer_bytes(1, [(2, 1, 1), (1, 0, 7)], (0, 0, 0), *b"aaaa");
    assert_eq!(
        refusal(&catalog, id, &nested),
        "Extent.pitch at byte 16: condition_violated: expected zero unless width > 1, found width = 1"
    );
    let text = outer_bytes(2, [(2, 1, 1), (0, 0, 0)], (0, 0, 0), *b"aaaa");
    assert!(refusal(&catalog, id, &text).starts_with("Outer.label at byte 40: bad_text"));
}

#[test]
fn lengths_count_what_counts_and_used_means_other_than_zero() {
    let (catalog, id) = outer();
    assert_eq!(
        refusal(&catalog, id, &outer_bytes(2, [(0, 0, 0), (0, 0, 0)], (0, 0, 0), *b"a\0\0\0")),
        "Outer at byte 0: rule_violated: expected len(extents) < 2, found len(extents) = 2"
    );
    let unused = outer_bytes(1, [(0, 0, 0), (5, 5, 5)], (0, 0, 0), *b"ab\0\0");
    assert!(read(&catalog, id, &unused, Host::Little).is_ok(), "the only one that counts is zero");
    assert_eq!(
        refusal(&catalog, id, &outer_bytes(2, [(0, 0, 0), (5, 5, 5)], (0, 0, 0), *b"ab\0\0")),
        "Outer.extents at byte 0: condition_violated: expected zero unless len(label) == 1, found len(label) = 2"
    );
}

#[test]
fn a_writer_asks_the_same() {
    let catalog = fixtures::recipes();
    let value = |width, height, pitch| {
        let field = |name: &str, number| (name.to_owned(), Value::Integer(number));
        Value::Object(vec![field("width", width), field("height", height), field("pitch", pitch)])
    };
    assert_eq!(write(&catalog, id::EXTENT, &value(2, 3, 8), Host::Little), Ok(extent(2, 3, 8)));
    let fault = write(&catalog, id::EXTENT, &value(1, 1, 1), Host::Little).expect_err("refused");
    assert_eq!((fault.code.name(), fault.field.as_str(), fault.offset), ("condition_violated", "pitch", 0));
}

#[test]
fn importing_asks_what_nests_first_and_leaves_out_what_does_not_count() {
    let (catalog, id) = outer();
    let asked = |count, second, first: (u32, u32, u32)| {
        let bytes = outer_bytes(count, [(1, 1, 0), second], first, *b"a\0\0\0");
        import(&catalog, id, &bytes, Host::Little).map_err(|fault| fault.to_string())
    };
    assert_eq!(asked(1, (0, 0, 0), (1, 10, 0)), Ok(()));
    assert_eq!(
        asked(1, (0, 0, 0), (0, 0, 0)),
        Err(
            "Extent at byte 28: rule_violated: expected width > 0 && height > 0, found width = 0, height = 0"
                .to_owned()
        )
    );
    assert_eq!(
        asked(1, (0, 0, 0), (1, 9, 0)),
        Err("Outer at byte 0: rule_violated: expected first.height > 9, found first.height = 9".to_owned())
    );
    // It is read first.
    assert!(asked(2, (0, 0, 0), (0, 0, 0)).expect_err("refused").contains("len(extents) < 2"));
    let none = outer_bytes(0, [(0, 0, 0); 2], (1, 10, 0), *b"\0\0\0\0");
    assert_eq!(import(&catalog, id, &none, Host::Little), Ok(()));
}

#[test]
fn five_values_are_shown_and_each_once() {
    let mut catalog = Catalog::default();
    let field = |index: usize| -> Field {
        let offset = u32::try_from(index).expect("few fields");
        fixtures::field(&format!("f{index}"), offset, Element::Scalar(Scalar::U8), &[], Role::Value)
    };
    let operand = |index: usize| {
        let what = What::Value(Path(vec![index]));
        Expr::Operand(Operand { text: format!("f{index}"), what, is_condition: false })
    };
    let sum =
        |left: Expr, right: Expr| Expr::Binary { op: Op::Add, left: Box::new(left), right: Box::new(right) };
    let all = [0, 0, 1, 2, 3, 4, 5, 6, 7].into_iter().map(operand).reduce(sum).expect("a sum");
    let expr = Expr::Binary { op: Op::Gt, left: Box::new(all), right: Box::new(Expr::Integer(5)) };
    let body = Descriptor {
        layout: Layout::Packed,
        size: 8,
        align: 1,
        fields: (0..8).map(field).collect(),
        conditions: Vec::new(),
        rules: vec![Rule { name: None, text: "a sum".into(), expr, at: Moment::Read }],
        growth: None,
    };
    catalog.contracts.push(fixtures::contract("Sum", Body::Descriptor(body)));
    assert_eq!(
        refusal(&catalog, ContractId(0), &[0, 1, 0, 0, 0, 0, 0, 3]),
        "Sum at byte 0: rule_violated: expected a sum, found f0 = 0, f1 = 1, f2 = 0, f3 = 0, f4 = 0"
    );
}

//! Descriptors with one rule each, the rules made by chance, and what reading and writing says of values at the edges.

use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::{
    Body, Catalog, ContractId, DataKey, DataType, DataValue, Descriptor, Element, Endian, EnumValue,
    Enumeration, Expr, Field, Flags, Layout, Moment, Op, Operand, Path, Role, Rule, Scalar, Spelled, Type,
    What,
};

use super::dump::Language;
use super::sink;
use super::verdicts::{Question, Wire};

const LEAST: i128 = i64::MIN as i128;
const MOST: i128 = u64::MAX as i128;

const KIND: ContractId = ContractId(0);
const BITS: ContractId = ContractId(1);

/// Numbers in the same order for ever: `SplitMix64`.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The fields that rules read.
const FIELDS: [(&str, Scalar); 9] = [
    ("u64_", Scalar::U64),
    ("i64_", Scalar::I64),
    ("u32_", Scalar::U32),
    ("i32_", Scalar::I32),
    ("u8_", Scalar::U8),
    ("i8_", Scalar::I8),
    ("count", Scalar::U8),
    ("kind", Scalar::I16),
    ("bits", Scalar::U16),
];

/// Where arrays of three numbers are.
const SIGNED: usize = FIELDS.len() + 2;
const UNSIGNED: usize = FIELDS.len() + 3;

/// So many contracts, with a rule each.
pub fn catalog(rules: usize) -> Catalog {
    let mut chance = Chance(1);
    let mut contracts = vec![kind(), bits()];
    for number in 0..rules {
        contracts.push(contract(number, condition(&mut chance, 4)));
    }
    Catalog { contracts }
}

fn kind() -> wirecontract_codegen::model::Contract {
    let value = |name: &str, number, weight: i128, heavy| EnumValue {
        data: vec![DataValue::Integer(weight), DataValue::Bool(heavy)],
        ..sink::value(name, number)
    };
    let data = [("weight", DataType::I64), ("heavy", DataType::Bool)];
    let body = Enumeration {
        repr: Scalar::I16,
        values: vec![value("Light", -3, LEAST, false), value("Heavy", 7, 900, true)],
        data: data.map(|(name, ty)| DataKey { name: name.into(), ty }).to_vec(),
        spelled: Spelled::Integer,
        fold: false,
    };
    fixtures::contract("Kind", Body::Enumeration(body))
}

fn bits() -> wirecontract_codegen::model::Contract {
    let values = vec![sink::value("One", 1), sink::value("Two", 6)];
    let flags = Flags { repr: Scalar::U16, values, open: true, spelled: Spelled::Integer };
    fixtures::contract("Bits", Body::Flags(flags))
}

fn contract(number: usize, expr: Expr) -> wirecontract_codegen::model::Contract {
    let mut fields: Vec<Field> = Vec::new();
    let mut offset = 0;
    for (index, (name, scalar)) in FIELDS.into_iter().enumerate() {
        let (element, role) = match name {
            "kind" => (Element::Enumeration { contract: KIND, open: true }, Role::Value),
            "bits" => (Element::Flags { contract: BITS }, Role::Value),
            "count" => (Element::Scalar(scalar), Role::LengthOf(vec![FIELDS.len()])),
            _ => (Element::Scalar(scalar), Role::Value),
        };
        let endian = if index % 2 == 0 { Endian::Little } else { Endian::Big };
        let endian = if scalar.size() == 1 { Endian::Little } else { endian };
        let mut field = fixtures::field(name, offset, element, &[], role);
        field.ty = Type { element, dims: Vec::new(), endian };
        offset += scalar.size();
        fields.push(field);
    }
    fields.push(fixtures::field("items", offset, Element::Scalar(Scalar::U8), &[200], Role::Value));
    fields.push(fixtures::field("truth", offset + 200, Element::Scalar(Scalar::Bool), &[], Role::Value));
    let (i64s, u32s) = (Element::Scalar(Scalar::I64), Element::Scalar(Scalar::U32));
    fields.push(fixtures::field("signed", offset + 201, i64s, &[3], Role::Value));
    fields.push(fixtures::field("unsigned", offset + 225, u32s, &[3], Role::Value));
    let rule = Rule { name: None, text: format!("the rule {number}"), expr, at: Moment::Read };
    let descriptor = Descriptor {
        layout: Layout::Packed,
        size: offset + 237,
        align: 1,
        fields,
        conditions: Vec::new(),
        rules: vec![rule],
        growth: None,
    };
    fixtures::contract(&format!("Rule{number}"), Body::Descriptor(descriptor))
}

fn operand(text: String, what: What, is_condition: bool) -> Expr {
    Expr::Operand(Operand { text, what, is_condition })
}

fn condition(chance: &mut Chance, depth: usize) -> Expr {
    if depth == 0 {
        return match chance.below(4) {
            0 => operand("truth".into(), What::Value(Path(vec![FIELDS.len() + 1])), true),
            1 => operand("has(bits, Two)".into(), What::Has { path: Path(vec![8]), bits: 6 }, true),
            2 => operand(
                "heavy(kind)".into(),
                What::Data { path: Path(vec![7]), contract: KIND, key: 1 },
                true,
            ),
            _ => Expr::Truth(chance.below(2) == 0),
        };
    }
    let both = |op, left, right| Expr::Binary { op, left: Box::new(left), right: Box::new(right) };
    match chance.below(8) {
        0 => Expr::Not(Box::new(condition(chance, depth - 1))),
        1 => {
            let op = chance.pick(&[Op::Eq, Op::Ne]);
            both(op, condition(chance, depth - 1), condition(chance, depth - 1))
        }
        2 | 3 => {
            let op = chance.pick(&[Op::And, Op::Or]);
            both(op, condition(chance, depth - 1), condition(chance, depth - 1))
        }
        _ => {
            let op = chance.pick(&[Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge]);
            both(op, number(chance, depth - 1), number(chance, depth - 1))
        }
    }
}

fn number(chance: &mut Chance, depth: usize) -> Expr {
    if depth == 0 || chance.below(6) == 0 {
        return match chance.below(13) {
            0 => Expr::Integer(chance.pick(&EDGES).clamp(0, MOST)),
            1 => Expr::Integer(chance.pick(&[0, 1, 2, 3, 10])),
            2 => operand(
                "weight(kind)".into(),
                What::Data { path: Path(vec![7]), contract: KIND, key: 0 },
                false,
            ),
            3 => operand("len(items)".into(), What::Length(Path(vec![FIELDS.len()])), false),
            4 => {
                let arrays = [("items", FIELDS.len()), ("signed", SIGNED), ("unsigned", UNSIGNED)];
                let (name, at) = chance.pick(&arrays);
                match chance.below(3) {
                    0 => operand(format!("least({name})"), What::Least(Path(vec![at])), false),
                    _ => operand(format!("product({name})"), What::Product(Path(vec![at])), false),
                }
            }
            _ => {
                let index = chance.below(FIELDS.len());
                operand(FIELDS[index].0.into(), What::Value(Path(vec![index])), false)
            }
        };
    }
    match chance.below(8) {
        0 => Expr::Negate(Box::new(number(chance, depth - 1))),
        1 => Expr::Int(Box::new(condition(chance, depth - 1))),
        _ => Expr::Binary {
            op: chance.pick(&[Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem]),
            left: Box::new(number(chance, depth - 1)),
            right: Box::new(number(chance, depth - 1)),
        },
    }
}

/// Where arithmetic goes wrong.
const EDGES: [i128; 16] = [
    LEAST,
    LEAST + 1,
    -(1 << 32),
    -129,
    -2,
    -1,
    0,
    1,
    2,
    127,
    (1 << 31) - 1,
    1 << 32,
    (1 << 63) - 1,
    1 << 63,
    MOST - 1,
    MOST,
];

/// Values of every contract's fields at the edges: read, and written.
pub fn questions(catalog: &Catalog, language: Language, is_big: bool, each: usize) -> Vec<Question> {
    let mut chance = Chance(2);
    let mut questions = Vec::new();
    let mut accepted = 0;
    for contract in &catalog.contracts[2..] {
        for _ in 0..each {
            let mut values: Vec<i128> = FIELDS
                .iter()
                .map(|(_, scalar)| {
                    let (least, most) = scalar.range().unwrap();
                    let random = i128::from(chance.next().cast_signed());
                    let value = if chance.below(4) == 0 { random % 1000 } else { chance.pick(&EDGES) };
                    value.clamp(least, most)
                })
                .collect();
            values[6] = values[6].min(200);
            values[7] = chance.pick(&[-3, 7, 7, 0]);
            for scalar in [Scalar::I64, Scalar::U32] {
                let (least, most) = scalar.range().unwrap();
                // Three edges are mostly too much for the range.
                let mut three = [0, 1, 2].map(|_| chance.pick(&[1, 1, 2, -1, -3, 0, 900]).clamp(least, most));
                three[chance.below(3)] = chance.pick(&EDGES).clamp(least, most);
                values.extend(three);
            }
            let truth = i128::from(chance.below(2) == 0);
            let mut wire = Wire::new(catalog, &contract.name, is_big).with("truth", truth);
            for ((name, _), &value) in FIELDS.iter().zip(&values) {
                wire = wire.with(name, value);
            }
            for at in 0..3 {
                wire = wire.with(&format!("signed[{at}]"), values[FIELDS.len() + at]);
                wire = wire.with(&format!("unsigned[{at}]"), values[FIELDS.len() + 3 + at]);
            }
            let rule = &contract.descriptor().rules[0];
            let look = |operand: &Operand| look(&values, truth == 1, operand);
            if compute(&rule.expr, &look) == Some(Seen::Truth(true)) {
                questions.extend([wire.accepted(language), wire.written_as(&wire)]);
                accepted += 1;
            } else {
                let shown: Vec<String> = rule
                    .operands()
                    .into_iter()
                    .take(5)
                    .map(|operand| match look(operand) {
                        Some(Seen::Number(number)) => format!("{} = {number}", operand.text),
                        Some(Seen::Truth(truth)) => format!("{} = {truth}", operand.text),
                        None => format!("{} = none", operand.text),
                    })
                    .collect();
                let found =
                    if shown.is_empty() { String::new() } else { format!(", found {}", shown.join(", ")) };
                let message =
                    format!("{} at byte 0: rule_violated: expected {}{found}", contract.name, rule.text);
                questions.extend([wire.refused(&message), wire.unwritable(&message)]);
            }
        }
    }
    let asked = questions.len() / 2;
    assert!(accepted * 5 > asked && accepted * 5 < asked * 4, "{accepted} of {asked} accepted");
    questions
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Number(i128),
    Truth(bool),
}

fn look(values: &[i128], truth: bool, operand: &Operand) -> Option<Seen> {
    match &operand.what {
        What::Value(path) if path.0[0] == FIELDS.len() + 1 => Some(Seen::Truth(truth)),
        What::Value(path) => Some(Seen::Number(values[path.0[0]])),
        What::Length(_) => Some(Seen::Number(values[6])),
        What::Product(Path(path)) if path[0] == FIELDS.len() => {
            Some(Seen::Number(i128::from(values[6] == 0)))
        }
        What::Least(Path(path)) if path[0] == FIELDS.len() => (values[6] > 0).then_some(Seen::Number(0)),
        What::Least(Path(path)) => {
            let from = FIELDS.len() + if path[0] == SIGNED { 0 } else { 3 };
            values[from..from + 3].iter().min().copied().map(Seen::Number)
        }
        What::Product(Path(path)) => {
            let from = FIELDS.len() + if path[0] == SIGNED { 0 } else { 3 };
            let product = values[from..from + 3].iter().try_fold(1_i128, |product, number| {
                product.checked_mul(*number).filter(|product| (LEAST..=MOST).contains(product))
            });
            product.map(Seen::Number)
        }
        What::Has { bits, .. } => Some(Seen::Truth(values[8] & i128::from(*bits) == i128::from(*bits))),
        What::Data { key: 0, .. } => match values[7] {
            -3 => Some(Seen::Number(LEAST)),
            7 => Some(Seen::Number(900)),
            _ => None,
        },
        What::Data { .. } => match values[7] {
            -3 => Some(Seen::Truth(false)),
            7 => Some(Seen::Truth(true)),
            _ => None,
        },
        What::Present(_) | What::FdCount => unreachable!("a descriptor has neither"),
    }
}

/// The rule's result with 128 bits; nothing when it is violated.
fn compute(expr: &Expr, look: &dyn Fn(&Operand) -> Option<Seen>) -> Option<Seen> {
    let truth = |expr| match compute(expr, look) {
        Some(Seen::Truth(truth)) => Some(truth),
        _ => None,
    };
    let number = |expr| match compute(expr, look) {
        Some(Seen::Number(number)) => Some(number),
        _ => None,
    };
    let within = |number: i128| (LEAST..=MOST).contains(&number).then_some(Seen::Number(number));
    match expr {
        Expr::Integer(value) => Some(Seen::Number(*value)),
        Expr::Truth(truth) => Some(Seen::Truth(*truth)),
        Expr::Operand(operand) => look(operand),
        Expr::Not(inner) => truth(inner).map(|inner| Seen::Truth(!inner)),
        Expr::Negate(inner) => within(-number(inner)?),
        Expr::Int(inner) => truth(inner).map(|inner| Seen::Number(i128::from(inner))),
        Expr::Binary { op: Op::And, left, right } => Some(Seen::Truth(truth(left)? && truth(right)?)),
        Expr::Binary { op: Op::Or, left, right } => Some(Seen::Truth(truth(left)? || truth(right)?)),
        Expr::Binary { op, left, right } if left.is_condition() => {
            let equal = truth(left)? == truth(right)?;
            Some(Seen::Truth(if *op == Op::Eq { equal } else { !equal }))
        }
        Expr::Binary { op, left, right } => {
            let (left, right) = (number(left)?, number(right)?);
            match op {
                Op::Add => within(left + right),
                Op::Sub => within(left - right),
                Op::Mul => within(left.checked_mul(right)?),
                Op::Div => within(left.checked_div(right)?),
                Op::Rem => within(left.checked_rem(right)?),
                Op::Eq => Some(Seen::Truth(left == right)),
                Op::Ne => Some(Seen::Truth(left != right)),
                Op::Lt => Some(Seen::Truth(left < right)),
                Op::Le => Some(Seen::Truth(left <= right)),
                Op::Gt => Some(Seen::Truth(left > right)),
                Op::Ge => Some(Seen::Truth(left >= right)),
                Op::And | Op::Or => unreachable!("they take conditions"),
            }
        }
    }
}

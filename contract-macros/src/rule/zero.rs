//! Whether a rule holds of all-zero bytes: those are written past the count of an array.

use super::{Checked, Node, Op, Operand};

enum Value {
    Number(i128),
    Truth(bool),
}

/// Why there is no value: the rule is violated, or only the compiler would know.
struct Unknown;

impl Checked {
    /// Whether the rule is known to hold where every operand is zero, or what `length` says of the length of a field.
    pub(crate) fn holds_of_zero(&self, length: &dyn Fn(&Operand) -> Option<u64>) -> bool {
        matches!(value(&self.node, &self.operands, length), Ok(Value::Truth(true)))
    }
}

fn value(
    node: &Node,
    operands: &[Operand],
    length: &dyn Fn(&Operand) -> Option<u64>,
) -> Result<Value, Unknown> {
    let truth = |node| match value(node, operands, length)? {
        Value::Truth(truth) => Ok(truth),
        Value::Number(_) => Err(Unknown),
    };
    let number = |node| match value(node, operands, length)? {
        Value::Number(number) => Ok(number),
        Value::Truth(_) => Err(Unknown),
    };
    match node {
        Node::Integer(number) => within(Some(*number)),
        Node::Truth(truth) => Ok(Value::Truth(*truth)),
        Node::Named(_) => Err(Unknown),
        Node::Operand(index, sort, _) => {
            let operand = &operands[*index];
            match operand.what {
                super::What::Value(_) => Ok(match sort {
                    super::Sort::Condition => Value::Truth(false),
                    _ => Value::Number(0),
                }),
                super::What::Length(_) => within(length(operand).map(i128::from)),
                // Of no elements it is 1.
                super::What::Product(_) => within(length(operand).map(|length| i128::from(length == 0))),
                // Of no elements there is none.
                super::What::Least(_) => within(length(operand).filter(|&length| length > 0).map(|_| 0)),
                super::What::Has(..) => Ok(Value::Truth(false)),
                _ => Err(Unknown),
            }
        }
        Node::Not(inner) => Ok(Value::Truth(!truth(inner)?)),
        Node::Negate(inner) => within(number(inner)?.checked_neg()),
        Node::Int(inner) => Ok(Value::Number(truth(inner)?.into())),
        Node::Binary(Op::And, _, _, left, right) => Ok(Value::Truth(truth(left)? && truth(right)?)),
        Node::Binary(Op::Or, _, _, left, right) => Ok(Value::Truth(truth(left)? || truth(right)?)),
        Node::Binary(op, super::Sort::Condition, _, left, right) => {
            let (left, right) = (truth(left)?, truth(right)?);
            Ok(Value::Truth((left == right) == (*op == Op::Eq)))
        }
        Node::Binary(op, _, _, left, right) => {
            let (left, right) = (number(left)?, number(right)?);
            match op {
                Op::Add => within(left.checked_add(right)),
                Op::Sub => within(left.checked_sub(right)),
                Op::Mul => within(left.checked_mul(right)),
                Op::Div => within(left.checked_div(right)),
                Op::Rem => within(left.checked_rem(right)),
                Op::Eq => Ok(Value::Truth(left == right)),
                Op::Ne => Ok(Value::Truth(left != right)),
                Op::Lt => Ok(Value::Truth(left < right)),
                Op::Le => Ok(Value::Truth(left <= right)),
                Op::Gt => Ok(Value::Truth(left > right)),
                _ => Ok(Value::Truth(left >= right)),
            }
        }
    }
}

fn within(number: Option<i128>) -> Result<Value, Unknown> {
    match number {
        Some(number) if (i64::MIN.into()..=u64::MAX.into()).contains(&number) => Ok(Value::Number(number)),
        _ => Err(Unknown),
    }
}

//! Conditions across fields, computed step by step with exact integers.
//!
//! What is read and every intermediate result lies in −2⁶³…2⁶⁴−1: leaving that range violates the rule, whatever
//! stands around it. So does a division by zero. `&&` and `||` go from left to right, and what they skip counts for
//! nothing.

use super::{Code, Fault};
use crate::model::{Body, Condition, ConditionKind, Contract, Expr, Moment, Op, Operand, Rule, What};

/// The least and the greatest number a rule may meet.
const RANGE: std::ops::RangeInclusive<i128> = i64::MIN as i128..=u64::MAX as i128;

/// What an operand is at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// A number.
    Number(i128),
    /// True or false.
    Truth(bool),
}

/// The value that a rule is about.
pub(super) trait Subject {
    /// What an operand is; nothing for what a number without a name carries.
    fn look(&self, what: &What) -> Option<Seen>;
}

/// The rule cannot be computed, so it is violated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violated;

/// Computes a condition with what `look` says of its operands.
///
/// # Panics
/// When the expression is a number, or mixes numbers and conditions.
pub fn holds(expr: &Expr, look: &dyn Fn(&Operand) -> Option<Seen>) -> Result<bool, Violated> {
    match compute(expr, look)? {
        Seen::Truth(truth) => Ok(truth),
        Seen::Number(number) => panic!("{number} is no condition"),
    }
}

/// Computes a number, as [`holds`] a condition.
///
/// # Panics
/// When the expression is a condition, or mixes numbers and conditions.
pub(super) fn number(expr: &Expr, look: &dyn Fn(&Operand) -> Option<Seen>) -> Result<i128, Violated> {
    match compute(expr, look)? {
        Seen::Number(number) => Ok(number),
        Seen::Truth(_) => panic!("{expr:?} is no number"),
    }
}

fn compute(expr: &Expr, look: &dyn Fn(&Operand) -> Option<Seen>) -> Result<Seen, Violated> {
    let number = |expr| number(expr, look);
    match expr {
        Expr::Integer(integer) => within(*integer),
        Expr::Truth(truth) => Ok(Seen::Truth(*truth)),
        Expr::Operand(operand) => match look(operand).ok_or(Violated)? {
            Seen::Number(number) => within(number),
            truth @ Seen::Truth(_) => Ok(truth),
        },
        Expr::Not(inner) => holds(inner, look).map(|truth| Seen::Truth(!truth)),
        Expr::Negate(inner) => within(-number(inner)?),
        Expr::Int(inner) => holds(inner, look).map(|truth| Seen::Number(i128::from(truth))),
        Expr::Binary { op: Op::And, left, right } => {
            Ok(Seen::Truth(holds(left, look)? && holds(right, look)?))
        }
        Expr::Binary { op: Op::Or, left, right } => {
            Ok(Seen::Truth(holds(left, look)? || holds(right, look)?))
        }
        Expr::Binary { op, left, right } if left.is_condition() => {
            let (left, right) = (holds(left, look)?, holds(right, look)?);
            Ok(Seen::Truth(match op {
                Op::Eq => left == right,
                Op::Ne => left != right,
                op => panic!("{} takes no conditions", op.token()),
            }))
        }
        Expr::Binary { op, left, right } => {
            let (left, right) = (number(left)?, number(right)?);
            let truth = |truth| Ok(Seen::Truth(truth));
            match op {
                Op::Add => within(left + right),
                Op::Sub => within(left - right),
                // Two numbers just below 2⁶⁴ leave 128 bits, too.
                Op::Mul => left.checked_mul(right).map_or(Err(Violated), within),
                Op::Div if right != 0 => within(left / right),
                Op::Rem if right != 0 => within(left % right),
                Op::Div | Op::Rem => Err(Violated),
                Op::Eq => truth(left == right),
                Op::Ne => truth(left != right),
                Op::Lt => truth(left < right),
                Op::Le => truth(left <= right),
                Op::Gt => truth(left > right),
                Op::Ge => truth(left >= right),
                Op::And | Op::Or => panic!("{} takes conditions", op.token()),
            }
        }
    }
}

/// The product of these numbers, multiplied one by one; nothing when it leaves the range on the way.
pub(super) fn product(numbers: impl IntoIterator<Item = i128>) -> Option<Seen> {
    let product = numbers.into_iter().try_fold(1, |product: i128, number| {
        product.checked_mul(number).filter(|product| RANGE.contains(product))
    });
    product.map(Seen::Number)
}

fn within(number: i128) -> Result<Seen, Violated> {
    if RANGE.contains(&number) { Ok(Seen::Number(number)) } else { Err(Violated) }
}

/// Checks the conditions of that moment on single fields, then the rules.
///
/// `is_used` says whether an optional key is there, or a descriptor's field is other than zero.
pub(super) fn check(
    contract: &Contract,
    at: Moment,
    offset: usize,
    subject: &dyn Subject,
    is_used: &dyn Fn(usize) -> bool,
) -> Result<(), Fault> {
    let mut conditions: Vec<&Condition> = contract.conditions().iter().collect();
    conditions.sort_by_key(|condition| condition.field);
    for condition in conditions.into_iter().filter(|condition| condition.rule.at == at) {
        let holds = |rule| is_satisfied(rule, subject);
        let is_violated = match condition.kind {
            ConditionKind::RequiredIf => !is_used(condition.field) && holds(&condition.rule) != Ok(false),
            ConditionKind::UsedIf => is_used(condition.field) && holds(&condition.rule) != Ok(true),
        };
        if is_violated {
            let (field, expected) = said_of(contract, condition);
            return Err(Fault {
                code: Code::ConditionViolated,
                contract: contract.name.clone(),
                field,
                offset,
                expected,
                found: values(&condition.rule, subject),
            });
        }
    }
    for rule in contract.rules().iter().filter(|rule| rule.at == at) {
        if is_satisfied(rule, subject) != Ok(true) {
            let name = rule.name.as_ref().map_or_else(String::new, |name| format!("{name}: "));
            return Err(Fault {
                code: Code::RuleViolated,
                contract: contract.name.clone(),
                field: String::new(),
                offset,
                expected: format!("{name}{}", rule.text),
                found: values(rule, subject),
            });
        }
    }
    Ok(())
}

fn is_satisfied(rule: &Rule, subject: &dyn Subject) -> Result<bool, Violated> {
    holds(&rule.expr, &|operand| subject.look(&operand.what))
}

/// The field that a condition is about, and what it asks for.
fn said_of(contract: &Contract, condition: &Condition) -> (String, String) {
    let text = &condition.rule.text;
    if let Body::Descriptor(descriptor) = &contract.body {
        return (descriptor.fields[condition.field].name.clone(), format!("zero unless {text}"));
    }
    let key = contract.recipe().keys[condition.field].key.clone();
    let expected = match condition.kind {
        ConditionKind::RequiredIf => format!("the key `{key}` when {text}"),
        ConditionKind::UsedIf => format!("no key `{key}` unless {text}"),
    };
    (key, expected)
}

/// What a rule read: its first five operands.
pub(super) fn values(rule: &Rule, subject: &dyn Subject) -> String {
    let shown = rule.operands().into_iter().take(5).map(|operand| {
        let value = match subject.look(&operand.what) {
            Some(Seen::Number(number)) => number.to_string(),
            Some(Seen::Truth(truth)) => truth.to_string(),
            None => "none".to_owned(),
        };
        format!("{} = {value}", operand.text)
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Path;

    fn field(index: usize) -> Expr {
        let what = What::Value(Path(vec![index]));
        Expr::Operand(Operand { text: format!("f{index}"), what, is_condition: false })
    }

    fn binary(left: Expr, op: Op, right: Expr) -> Expr {
        Expr::Binary { op, left: Box::new(left), right: Box::new(right) }
    }

    fn int(number: i128) -> Expr {
        Expr::Integer(number)
    }

    /// With the fields' values in order; one that is missing has none.
    fn outcome(expr: &Expr, values: &[i128]) -> Result<bool, Violated> {
        holds(expr, &|operand| match &operand.what {
            What::Value(Path(path)) => values.get(path[0]).copied().map(Seen::Number),
            _ => None,
        })
    }

    const LEAST: i128 = i64::MIN as i128;
    const MOST: i128 = u64::MAX as i128;

    #[test]
    fn comparison_is_mathematical_across_signs() {
        assert_eq!(outcome(&binary(field(0), Op::Lt, field(1)), &[-1, MOST]), Ok(true));
        assert_eq!(outcome(&binary(field(0), Op::Ge, field(1)), &[LEAST, 0]), Ok(false));
    }

    #[test]
    fn an_intermediate_beyond_the_range_violates_the_rule_whatever_surrounds_it() {
        let sum = binary(binary(field(0), Op::Add, int(1)), Op::Gt, int(0));
        assert_eq!(outcome(&sum, &[MOST]), Err(Violated));
        assert_eq!(outcome(&sum, &[MOST - 1]), Ok(true));
        assert_eq!(outcome(&Expr::Not(Box::new(sum.clone())), &[MOST]), Err(Violated));
        assert_eq!(outcome(&binary(sum.clone(), Op::Or, Expr::Truth(true)), &[MOST]), Err(Violated));
        assert_eq!(outcome(&binary(Expr::Truth(false), Op::And, sum.clone()), &[MOST]), Ok(false));
        assert_eq!(outcome(&binary(Expr::Truth(true), Op::Or, sum), &[MOST]), Ok(true));
    }

    #[test]
    fn the_ends_of_the_range_are_in_it() {
        let product = |value| outcome(&binary(binary(field(0), Op::Mul, field(1)), Op::Ne, int(0)), value);
        assert_eq!(product(&[LEAST, 1]), Ok(true));
        assert_eq!(product(&[LEAST, -1]), Ok(true), "2⁶³ is in the range");
        assert_eq!(product(&[LEAST, 2]), Err(Violated));
        assert_eq!(product(&[MOST, -1]), Err(Violated));
        assert_eq!(product(&[MOST, MOST]), Err(Violated));
        assert_eq!(product(&[1 << 32, 1 << 31]), Ok(true), "2⁶³");
        assert_eq!(product(&[1 << 32, 1 << 32]), Err(Violated), "2⁶⁴");
        let negated = |value| outcome(&binary(Expr::Negate(Box::new(field(0))), Op::Lt, int(0)), &[value]);
        assert_eq!(negated(LEAST), Ok(false));
        assert_eq!(negated(1 << 63), Ok(true));
        assert_eq!(negated((1 << 63) + 1), Err(Violated));
    }

    #[test]
    fn division_truncates_and_the_remainder_has_the_dividends_sign() {
        let is = |left, op, right, result| {
            assert_eq!(
                outcome(&binary(binary(field(0), op, field(1)), Op::Eq, int(result)), &[left, right]),
                Ok(true)
            );
        };
        is(-7, Op::Div, 2, -3);
        is(7, Op::Div, -2, -3);
        is(-7, Op::Rem, 2, -1);
        is(7, Op::Rem, -2, 1);
        is(LEAST, Op::Div, -1, 1 << 63);
        is(LEAST, Op::Rem, -1, 0);
        is(MOST, Op::Div, -2, LEAST + 1);
        for op in [Op::Div, Op::Rem] {
            let by_zero = binary(binary(field(0), op, field(1)), Op::Eq, int(0));
            assert_eq!(outcome(&by_zero, &[1, 0]), Err(Violated));
            assert_eq!(outcome(&Expr::Not(Box::new(by_zero)), &[1, 0]), Err(Violated));
        }
    }

    #[test]
    fn what_has_no_value_violates_the_rule_when_it_is_looked_at() {
        let none = binary(field(1), Op::Eq, int(0));
        assert_eq!(outcome(&none, &[1]), Err(Violated));
        assert_eq!(outcome(&binary(binary(field(0), Op::Eq, int(1)), Op::Or, none), &[1]), Ok(true));
    }

    #[test]
    fn conditions_compare_and_count() {
        let truth = |op| binary(Expr::Truth(true), op, Expr::Truth(false));
        assert_eq!(outcome(&truth(Op::Eq), &[]), Ok(false));
        assert_eq!(outcome(&truth(Op::Ne), &[]), Ok(true));
        let counted =
            binary(Expr::Int(Box::new(Expr::Truth(true))), Op::Add, Expr::Int(Box::new(Expr::Truth(false))));
        assert_eq!(outcome(&binary(counted, Op::Eq, int(1)), &[]), Ok(true));
    }
}

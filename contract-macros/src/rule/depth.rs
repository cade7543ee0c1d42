//! How deep a rule is. All that is generated of it, and what reads it from a library, goes as deep: a rule that would
//! be refused there is refused where it stands.

use super::{Expr, Form, Op};
use crate::report::Report;

/// Parentheses, calls, `!` and `-` in each other.
const MAX_NESTED: usize = 64;

/// Operators in each other, of which a long chain of `&&` or `||` counts as few.
const MAX_DEPTH: usize = 128;

/// So many conditions in a chain are one in the other, as they are declared; of more, halves are.
const SHORT_CHAIN: usize = 16;

/// Refuses a rule that is too deep, where it becomes so.
pub(super) fn check(expr: &Expr, report: &mut Report) -> Option<()> {
    depth(expr, 0, report).map(|_| ())
}

/// How many operators are in each other.
fn depth(expr: &Expr, nested: usize, report: &mut Report) -> Option<usize> {
    if nested > MAX_NESTED {
        report.span(
            expr.span,
            format_args!(
                "more than {MAX_NESTED} parentheses, calls, `!` and `-` are in each other here: write several rules"
            ),
        );
        return None;
    }
    let depth = match &expr.form {
        Form::Integer(..) | Form::Truth(_) | Form::Path(_) | Form::Value(..) => 0,
        Form::Paren(inner) => self::depth(inner, nested + 1, report)?,
        Form::Not(inner) | Form::Negate(inner) => 1 + self::depth(inner, nested + 1, report)?,
        Form::Call(_, arguments) => {
            let mut most = 0;
            for argument in arguments {
                most = most.max(self::depth(argument, nested + 1, report)?);
            }
            1 + most
        }
        Form::Binary(op, _, left, right) => {
            let (mut terms, mut most) = (2, self::depth(right, nested, report)?);
            let mut rest = left;
            while let Form::Binary(other, _, left, right) = &rest.form {
                if level(*other) != level(*op) {
                    break;
                }
                most = most.max(self::depth(right, nested, report)?);
                terms += 1;
                rest = left;
            }
            most = most.max(self::depth(rest, nested, report)?);
            most + if matches!(op, Op::And | Op::Or) { depth_of_chain(terms) } else { terms - 1 }
        }
    };
    if depth > MAX_DEPTH {
        report.span(
            expr.span,
            format_args!(
                "more than {MAX_DEPTH} operators are in each other here, each `+` of a sum in the next: write several \
                 rules (only `&&` and `||` make chains of any length)"
            ),
        );
        return None;
    }
    Some(depth)
}

/// Which operators make one chain, from left to right.
fn level(op: Op) -> u8 {
    match op {
        Op::Or => 0,
        Op::And => 1,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => 2,
        Op::Add | Op::Sub => 3,
        Op::Mul | Op::Div | Op::Rem => 4,
    }
}

/// How deep [`balanced`] puts so many conditions into each other.
fn depth_of_chain(terms: usize) -> usize {
    if terms <= SHORT_CHAIN { terms - 1 } else { 1 + depth_of_chain(terms.div_ceil(2)) }
}

/// Puts a chain together: which of two `&&` (or of two `||`) comes first changes nothing.
pub(super) fn balanced<T>(mut terms: Vec<T>, join: &dyn Fn(T, T) -> T) -> Option<T> {
    if terms.len() <= SHORT_CHAIN {
        return terms.into_iter().reduce(join);
    }
    let right = terms.split_off(terms.len().div_ceil(2));
    Some(join(balanced(terms, join)?, balanced(right, join)?))
}

//! A rule's expression in Python: exact integers, and a check wherever the types do not prove that a number stays in
//! the range that rules compute in.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::scope::Scope;
use super::text::{WIDTH, statement};
use crate::model::{Expr, Op, Operand};

/// The least and the greatest number that rules compute with.
const RANGE: (i128, i128) = (i64::MIN as i128, u64::MAX as i128);

/// The numbers that an expression may be.
#[derive(Clone, Copy)]
pub(super) struct Interval {
    least: i128,
    most: i128,
}

impl Interval {
    /// All that rules compute with.
    pub(super) const ALL: Interval = Interval { least: RANGE.0, most: RANGE.1 };

    pub(super) fn of((least, most): (i128, i128)) -> Self {
        Interval { least, most }
    }

    /// What several results span, and whether all of them are in range.
    fn spanned(results: &[Option<i128>]) -> (Interval, bool) {
        let all: Option<Vec<i128>> = results.iter().copied().collect();
        let Some(all) = all else { return (Interval::ALL, false) };
        let least = all.iter().copied().min().unwrap_or(RANGE.0);
        let most = all.iter().copied().max().unwrap_or(RANGE.1);
        let fits = RANGE.0 <= least && most <= RANGE.1;
        (Interval { least: least.max(RANGE.0), most: most.min(RANGE.1) }, fits)
    }
}

/// What stands for an operand.
pub(super) struct Term {
    pub(super) text: String,
    /// Whether it may be None.
    pub(super) is_maybe: bool,
    pub(super) interval: Interval,
}

/// Python's precedences, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Sign,
    Atom,
}

/// An expression that knows where it may be broken.
pub(super) struct Python {
    level: Level,
    interval: Interval,
    /// Where there are several: parts with the operators between them, of one precedence.
    parts: Vec<String>,
    operators: Vec<&'static str>,
}

impl Python {
    fn atom(text: String, interval: Interval) -> Python {
        Python::new(Level::Atom, text, interval)
    }

    fn new(level: Level, text: String, interval: Interval) -> Python {
        Python { level, interval, parts: vec![text], operators: Vec::new() }
    }

    /// The expression in one line.
    fn line(&self) -> String {
        let mut line = self.parts[0].clone();
        for (operator, part) in self.operators.iter().zip(&self.parts[1..]) {
            let _ = write!(line, " {operator} {part}");
        }
        line
    }

    /// In parentheses where it binds no tighter than `level`.
    fn within(&self, level: Level) -> String {
        if self.level > level { self.line() } else { format!("({})", self.line()) }
    }

    /// `return`, broken before the loosest operators where it is too long.
    pub(super) fn returned(&self) -> String {
        let line = format!("    return {}", self.line());
        if line.len() <= WIDTH {
            return line;
        }
        if self.operators.len() == 1 && self.parts[1].ends_with(')') {
            return statement(4, &line[4..]);
        }
        let mut lines = format!("    return (\n        {}", self.parts[0]);
        for (operator, part) in self.operators.iter().zip(&self.parts[1..]) {
            let _ = write!(lines, "\n        {operator} {part}");
        }
        lines.push_str("\n    )");
        lines
    }
}

/// The expression, given what stands for each operand.
pub(super) fn expression(scope: &Scope<'_>, expr: &Expr, term: &impl Fn(&Operand) -> Term) -> Python {
    let none = BTreeSet::new();
    let truth = Interval { least: 0, most: 1 };
    match expr {
        Expr::Integer(number) => {
            let level = if *number < 0 { Level::Sign } else { Level::Atom };
            Python::new(level, number.to_string(), Interval { least: *number, most: *number })
        }
        // Not the bare word: linters have things to say of what it stands beside.
        Expr::Truth(value) => {
            Python::atom(format!("{}({})", scope.builtin("bool", &none), u8::from(*value)), truth)
        }
        Expr::Operand(operand) => {
            let Term { text, is_maybe, interval } = term(operand);
            let text = if is_maybe { format!("{}({text})", scope.wire("carried")) } else { text };
            Python::atom(text, interval)
        }
        Expr::Not(inner) => match &**inner {
            Expr::Not(twice) => expression(scope, twice, term),
            Expr::Binary { op: op @ (Op::Eq | Op::Ne), left, right } => {
                let op = if *op == Op::Eq { Op::Ne } else { Op::Eq };
                binary(scope, op, left, right, term)
            }
            inner => {
                let inner = expression(scope, inner, term);
                // `not` binds looser than a comparison.
                let text =
                    if inner.level > Level::And { inner.line() } else { format!("({})", inner.line()) };
                Python::new(Level::Not, format!("not {text}"), truth)
            }
        },
        Expr::Negate(inner) => {
            let inner = expression(scope, inner, term);
            let (interval, fits) =
                Interval::spanned(&[inner.interval.least.checked_neg(), inner.interval.most.checked_neg()]);
            ranged(scope, Python::new(Level::Sign, format!("-{}", inner.within(Level::Sign)), interval), fits)
        }
        Expr::Int(inner) => {
            let inner = expression(scope, inner, term);
            Python::atom(format!("{}({})", scope.builtin("int", &none), inner.line()), truth)
        }
        Expr::Binary { op, left, right } => binary(scope, *op, left, right, term),
    }
}

fn binary(scope: &Scope<'_>, op: Op, left: &Expr, right: &Expr, term: &impl Fn(&Operand) -> Term) -> Python {
    let is_constant = |it: &Expr| matches!(it, Expr::Integer(_) | Expr::Truth(_));
    // A constant stands on the right, as linters want it.
    let turned = match op {
        Op::Eq | Op::Ne => Some(op),
        Op::Lt => Some(Op::Gt),
        Op::Le => Some(Op::Ge),
        Op::Gt => Some(Op::Lt),
        Op::Ge => Some(Op::Le),
        _ => None,
    };
    let (op, left, right) = match turned {
        Some(turned) if is_constant(left) && !is_constant(right) => (turned, right, left),
        _ => (op, left, right),
    };
    let (left, right) = (expression(scope, left, term), expression(scope, right, term));
    let (a, b) = (left.interval, right.interval);
    let corners = |how: fn(i128, i128) -> Option<i128>| {
        Interval::spanned(&[
            how(a.least, b.least),
            how(a.least, b.most),
            how(a.most, b.least),
            how(a.most, b.most),
        ])
    };
    let call = |name: &str, interval| {
        Python::atom(format!("{}({}, {})", scope.wire(name), left.line(), right.line()), interval)
    };
    let (level, token, interval, fits) = match op {
        Op::Or => (Level::Or, "or", Interval { least: 0, most: 1 }, true),
        Op::And => (Level::And, "and", Interval { least: 0, most: 1 }, true),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
            (Level::Compare, op.token(), Interval { least: 0, most: 1 }, true)
        }
        Op::Add => {
            let (interval, fits) = corners(i128::checked_add);
            (Level::Sum, "+", interval, fits)
        }
        Op::Sub => {
            let (interval, fits) = corners(i128::checked_sub);
            (Level::Sum, "-", interval, fits)
        }
        Op::Mul => {
            let (interval, fits) = corners(i128::checked_mul);
            (Level::Product, "*", interval, fits)
        }
        Op::Div | Op::Rem if a.least >= 0 && b.least > 0 => {
            let most = if op == Op::Div { a.most / b.least } else { a.most.min(b.most - 1) };
            let token = if op == Op::Div { "//" } else { "%" };
            (Level::Product, token, Interval { least: 0, most }, true)
        }
        Op::Div => return call("quotient", Interval::ALL),
        Op::Rem => return call("remainder", Interval::ALL),
    };
    let joins = |side: &Python| side.level == level && level != Level::Compare && side.parts.len() > 1;
    // A reader should not have to know that `and` binds tighter than `or`.
    let tight = if level == Level::Or { Level::And } else { level };
    let mut parts = Vec::new();
    let mut operators = Vec::new();
    if joins(&left) {
        parts.extend(left.parts.iter().cloned());
        operators.extend(left.operators.iter().copied());
    } else {
        parts.push(left.within(tight));
    }
    operators.push(token);
    parts.push(right.within(tight));
    ranged(scope, Python { level, interval, parts, operators }, fits)
}

/// A number, checked where it may leave the range.
fn ranged(scope: &Scope<'_>, python: Python, fits: bool) -> Python {
    if fits {
        return python;
    }
    Python::atom(format!("{}({})", scope.wire("ranged"), python.line()), python.interval)
}

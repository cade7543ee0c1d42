//! A rule's expression in C, exact in −2⁶³…2⁶⁴−1.
//!
//! What is known of each number is the range it lies in, from the type of what is read. Where both sides and the
//! result of an operation are in the range of a 64-bit type, the operation is C's own; where they need not be, it is a
//! function of `core.h` that clears `ok` when the result has no place. A function gives some number even then, so that
//! nothing that follows is undefined: whoever asks looks at `ok` before the result.

mod number;

use number::{Form, LEAST, MOST, MOST_SIGNED, Number, Pair, compare, folded, is_never_zero};

use crate::model::{Expr, Op, Operand};

/// What an operand is as a C variable.
#[derive(Clone)]
pub(super) struct Leaf {
    /// The variable; or nothing, for a number that is known here.
    pub(super) variable: String,
    /// The range of a number; of a condition it says nothing.
    pub(super) range: (i128, i128),
    /// What the variable of a number is.
    pub(super) held: Held,
    /// The `bool` variable that says whether there is a value at all.
    pub(super) known: Option<String>,
}

/// What a variable is that holds a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// A `uint64_t`, or a `bool`.
    Unsigned,
    /// An `int64_t`.
    Signed,
    /// A `wc_detail_number`, whose range is that of all rules.
    Wide,
}

impl Held {
    /// What holds a number that has a sign or has none.
    pub(super) fn of(is_signed: bool) -> Self {
        if is_signed { Held::Signed } else { Held::Unsigned }
    }
}

/// A condition in C, or a number.
pub(super) struct Condition {
    /// The expression.
    pub(super) code: String,
    /// Whether `ok` has to be looked at after it.
    pub(super) checked: bool,
}

/// A condition, with each operand as `leaf` says.
pub(super) fn condition(expr: &Expr, leaf: &dyn Fn(&Operand) -> Leaf) -> Condition {
    let mut writer = Writer { leaf, checked: false };
    let code = writer.condition(expr);
    let code = match code.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) if is_one(inner) => inner.to_owned(),
        _ => code,
    };
    Condition { code, checked: writer.checked }
}

/// A number as a `wc_detail_number`, with each operand as `leaf` says.
pub(super) fn number(expr: &Expr, leaf: &dyn Fn(&Operand) -> Leaf) -> Condition {
    let mut writer = Writer { leaf, checked: false };
    let code = writer.number(expr).as_wide();
    Condition { code, checked: writer.checked }
}

/// Whether it is one expression without the parentheses around it: each of its own is closed after it was opened, and
/// no comma is outside of them.
fn is_one(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth > 0 || depth == 0 && c != ','
    })
}

/// Whether it is a variable or a constant, and nothing that is computed.
fn is_variable(code: &str) -> bool {
    code.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

struct Writer<'a> {
    leaf: &'a dyn Fn(&Operand) -> Leaf,
    checked: bool,
}

impl Writer<'_> {
    fn condition(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Truth(truth) => truth.to_string(),
            Expr::Operand(operand) => {
                let leaf = (self.leaf)(operand);
                self.known(&leaf)
            }
            Expr::Not(inner) => format!("(!{})", self.condition(inner)),
            Expr::Binary { op: op @ (Op::And | Op::Or), left, right } => {
                format!("({} {} {})", self.condition(left), op.token(), self.condition(right))
            }
            Expr::Binary { op, left, right } if left.is_condition() => {
                let (left, right) = (self.condition(left), self.condition(right));
                if left == right {
                    format!("((void){left}, {})", *op == Op::Eq)
                } else if is_variable(&left) && is_variable(&right) {
                    format!("({left} {} {right})", op.token())
                } else {
                    // Compilers warn of two comparisons that are compared with each other.
                    let not = if *op == Op::Eq { "" } else { "!" };
                    format!("({not}wc_detail_same({left}, {right}))")
                }
            }
            Expr::Binary { op, left, right } => {
                let (left, right) = (self.number(left), self.number(right));
                compare(*op, &left, &right)
            }
            Expr::Integer(_) | Expr::Negate(_) | Expr::Int(_) => unreachable!("a number is no condition"),
        }
    }

    /// The variable, which violates the rule when it has no value.
    fn known(&mut self, leaf: &Leaf) -> String {
        match &leaf.known {
            None => leaf.variable.clone(),
            Some(known) => {
                self.checked = true;
                format!("(wc_detail_need({known}, &ok), {})", leaf.variable)
            }
        }
    }

    fn number(&mut self, expr: &Expr) -> Number {
        match expr {
            Expr::Integer(value) => Number::literal(*value),
            Expr::Operand(operand) => {
                let leaf = (self.leaf)(operand);
                let (least, most) = leaf.range;
                match (leaf.variable.as_str(), leaf.held) {
                    ("", _) => Number::literal(least),
                    (_, Held::Signed) => Number::signed(self.known(&leaf), least, most),
                    (_, Held::Unsigned) => Number::unsigned(self.known(&leaf), least, most),
                    (_, Held::Wide) => Number::wide(self.known(&leaf)),
                }
            }
            Expr::Negate(inner) => {
                let inner = self.number(inner);
                self.negate(&inner)
            }
            Expr::Int(inner) => {
                // A function, as compilers warn of comparisons with what they know to be 0.
                match self.condition(inner).as_str() {
                    "false" => Number::literal(0),
                    "true" => Number::literal(1),
                    inner => Number::unsigned(format!("wc_detail_int({inner})"), 0, 1),
                }
            }
            Expr::Binary { op, left, right } => {
                let (left, right) = (self.number(left), self.number(right));
                match op {
                    Op::Add => self.add(&left, &right),
                    Op::Sub => self.subtract(&left, &right),
                    Op::Mul => self.multiply(&left, &right),
                    Op::Div => self.divide(&left, &right),
                    Op::Rem => self.remainder(&left, &right),
                    _ => unreachable!("{} gives a condition", op.token()),
                }
            }
            Expr::Truth(_) | Expr::Not(_) => unreachable!("a condition is no number"),
        }
    }

    fn negate(&mut self, inner: &Number) -> Number {
        let (least, most) = (-inner.most, -inner.least);
        match (inner.form, inner.as_signed()) {
            (Form::Literal(_), _) if least >= LEAST => Number::literal(least),
            (_, Some(code)) if most <= MOST_SIGNED => Number::signed(format!("(-{code})"), least, most),
            _ => self.call("negate", &[inner.as_wide()]),
        }
    }

    fn add(&mut self, left: &Number, right: &Number) -> Number {
        let (least, most) = (left.least + right.least, left.most + right.most);
        if let Some(literal) = folded(left, right, least) {
            return literal;
        }
        match Pair::of(left, right) {
            Pair::Unsigned(a, b) if most <= MOST => Number::unsigned(format!("({a} + {b})"), least, most),
            Pair::Unsigned(a, b) => self.call_unsigned("add", &a, &b),
            Pair::Signed(a, b) if least >= LEAST && most <= MOST_SIGNED => {
                Number::signed(format!("({a} + {b})"), least, most)
            }
            _ => self.call("add", &[left.as_wide(), right.as_wide()]),
        }
    }

    fn subtract(&mut self, left: &Number, right: &Number) -> Number {
        let (least, most) = (left.least - right.most, left.most - right.least);
        if let Some(literal) = folded(left, right, least) {
            return literal;
        }
        match (left.as_signed(), right.as_signed()) {
            (Some(a), Some(b)) if least >= LEAST && most <= MOST_SIGNED => {
                Number::signed(format!("({a} - {b})"), least, most)
            }
            _ => self.call("subtract", &[left.as_wide(), right.as_wide()]),
        }
    }

    fn multiply(&mut self, left: &Number, right: &Number) -> Number {
        // Two numbers just below 2⁶⁴ leave 128 bits, too.
        let corners = [
            left.least.checked_mul(right.least),
            left.least.checked_mul(right.most),
            left.most.checked_mul(right.least),
            left.most.checked_mul(right.most),
        ];
        let all = corners.iter().try_fold((i128::MAX, i128::MIN), |(least, most), corner| {
            corner.map(|corner| (least.min(corner), most.max(corner)))
        });
        let (least, most) = all.unwrap_or((i128::MIN, i128::MAX));
        if let Some(literal) = folded(left, right, least) {
            return literal;
        }
        match Pair::of(left, right) {
            Pair::Unsigned(a, b) if most <= MOST => Number::unsigned(format!("({a} * {b})"), least, most),
            Pair::Unsigned(a, b) => self.call_unsigned("multiply", &a, &b),
            Pair::Signed(a, b) if least >= LEAST && most <= MOST_SIGNED => {
                Number::signed(format!("({a} * {b})"), least, most)
            }
            _ => self.call("multiply", &[left.as_wide(), right.as_wide()]),
        }
    }

    fn divide(&mut self, left: &Number, right: &Number) -> Number {
        let greatest = left.least.abs().max(left.most.abs());
        if let Some(literal) =
            left.least.checked_div(right.least).and_then(|value| folded(left, right, value))
        {
            return literal;
        }
        match Pair::of(left, right) {
            Pair::Unsigned(a, b) if right.least > 0 => Number::unsigned(format!("({a} / {b})"), 0, left.most),
            Pair::Unsigned(a, b) => self.call_unsigned("divide", &a, &b),
            Pair::Signed(a, b) if is_never_zero(right) && (left.least > LEAST || right.least > 0) => {
                Number::signed(format!("({a} / {b})"), -greatest, greatest)
            }
            _ => self.call("divide", &[left.as_wide(), right.as_wide()]),
        }
    }

    fn remainder(&mut self, left: &Number, right: &Number) -> Number {
        if let Some(literal) =
            left.least.checked_rem(right.least).and_then(|value| folded(left, right, value))
        {
            return literal;
        }
        match Pair::of(left, right) {
            Pair::Unsigned(a, b) if right.least > 0 => {
                Number::unsigned(format!("({a} % {b})"), 0, right.most - 1)
            }
            Pair::Unsigned(a, b) => self.call_unsigned("remainder", &a, &b),
            Pair::Signed(a, b) if is_never_zero(right) && (left.least > LEAST || right.least > 0) => {
                Number::signed(format!("({a} % {b})"), left.least.min(0), left.most.max(0))
            }
            _ => self.call("remainder", &[left.as_wide(), right.as_wide()]),
        }
    }

    /// An operation on two unsigned numbers that gives one or clears `ok`.
    fn call_unsigned(&mut self, operation: &str, left: &str, right: &str) -> Number {
        self.checked = true;
        Number::unsigned(format!("wc_detail_{operation}_unsigned({left}, {right}, &ok)"), 0, MOST)
    }

    fn call(&mut self, operation: &str, operands: &[String]) -> Number {
        self.checked = true;
        Number::wide(format!("wc_detail_{operation}({}, &ok)", operands.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Path, What};

    /// Operands by their text: `u8`, `i32`, `u64` and the like, or `bool`.
    fn read(operand: &Operand) -> Leaf {
        let scalar = crate::model::Scalar::from_name(&operand.text).expect("a test names a type");
        let range = scalar.range().unwrap_or_default();
        Leaf { variable: operand.text.clone(), range, held: Held::of(scalar.is_signed()), known: None }
    }

    fn of(text: &str) -> Expr {
        match text.parse() {
            Ok(number) => Expr::Integer(number),
            Err(_) => Expr::Operand(Operand {
                text: text.into(),
                what: What::Value(Path(Vec::new())),
                is_condition: text == "bool",
            }),
        }
    }

    fn written(left: &str, op: Op, right: &str, than: i128) -> String {
        let number = Expr::Binary { op, left: Box::new(of(left)), right: Box::new(of(right)) };
        let whole = Expr::Binary { op: Op::Gt, left: Box::new(number), right: Box::new(Expr::Integer(than)) };
        condition(&whole, &read).code
    }

    #[test]
    fn what_cannot_leave_the_range_is_plain() {
        assert_eq!(written("u32", Op::Mul, "u32", 7), "(u32 * u32) > 7u");
        assert_eq!(
            written("u32", Op::Sub, "u16", 7),
            "(WC_DETAIL_CAST(int64_t, u32) - WC_DETAIL_CAST(int64_t, u16)) > 7"
        );
        assert_eq!(written("i32", Op::Add, "i8", -7), "(i32 + i8) > -7");
        assert_eq!(written("u64", Op::Div, "4", 7), "(u64 / 4u) > 7u");
        assert_eq!(written("i32", Op::Rem, "-3", 1), "(i32 % -3) > 1");
        assert_eq!(written("2", Op::Mul, "3", 1), "true");
    }

    #[test]
    fn what_can_leave_it_is_checked() {
        assert_eq!(written("u64", Op::Add, "u8", 7), "wc_detail_add_unsigned(u64, u8, &ok) > 7u");
        assert_eq!(written("u64", Op::Mul, "2", 7), "wc_detail_multiply_unsigned(u64, 2u, &ok) > 7u");
        assert_eq!(
            written("u64", Op::Sub, "u8", 7),
            "wc_detail_less(wc_detail_unsigned(7u), wc_detail_subtract(wc_detail_unsigned(u64), wc_detail_unsigned(u8), &ok))"
        );
        assert!(written("i64", Op::Mul, "i64", 7).contains("wc_detail_multiply(wc_detail_signed(i64), "));
        assert!(written("i64", Op::Div, "-1", 7).contains("wc_detail_divide("), "2⁶³ is no int64_t");
        assert!(written("i32", Op::Div, "i32", 7).contains("wc_detail_divide("), "by zero");
        assert_eq!(written("u64", Op::Rem, "u8", 7), "wc_detail_remainder_unsigned(u64, u8, &ok) > 7u");
    }

    #[test]
    fn a_comparison_with_one_result_is_none() {
        let compared = |left: &str, op, right: &str| {
            let whole = Expr::Binary { op, left: Box::new(of(left)), right: Box::new(of(right)) };
            condition(&whole, &read).code
        };
        assert_eq!(compared("u64", Op::Ge, "0"), "((void)u64, true)");
        assert_eq!(compared("u8", Op::Eq, "256"), "((void)u8, false)");
        assert_eq!(compared("i8", Op::Ne, "i8"), "((void)i8, (void)i8, false)");
        assert_eq!(compared("bool", Op::Eq, "bool"), "((void)bool, true)");
        let flipped = |left: &str, op, right: &str| Expr::Binary {
            op,
            left: Box::new(of(left)),
            right: Box::new(of(right)),
        };
        let both = |op| Expr::Binary {
            op,
            left: Box::new(flipped("2", Op::Gt, "u8")),
            right: Box::new(flipped("u8", Op::Lt, "2")),
        };
        assert_eq!(condition(&both(Op::Eq), &read).code, "wc_detail_same((2u > u8), (u8 < 2u))");
        assert_eq!(condition(&both(Op::Ne), &read).code, "!wc_detail_same((2u > u8), (u8 < 2u))");
        assert_eq!(
            compared("u64", Op::Lt, "i64"),
            "wc_detail_less(wc_detail_unsigned(u64), wc_detail_signed(i64))"
        );
        assert_eq!(compared("u8", Op::Lt, "i8"), "WC_DETAIL_CAST(int64_t, u8) < i8");
    }
}

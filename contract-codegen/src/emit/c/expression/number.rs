//! A number of a rule in C: the type it is held in and the range it lies in, which say how two of them meet.

use crate::emit::c::literal::integer;
use crate::model::Op;

/// The range of a rule's numbers, and the greatest `int64_t`.
pub(super) const LEAST: i128 = i64::MIN as i128;
pub(super) const MOST: i128 = u64::MAX as i128;
pub(super) const MOST_SIGNED: i128 = i64::MAX as i128;

/// A number in C.
pub(super) struct Number {
    pub(super) code: String,
    pub(super) form: Form,
    pub(super) least: i128,
    pub(super) most: i128,
}

/// How a number is held.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A number that is known here.
    Literal(i128),
    /// A `uint64_t`.
    Unsigned,
    /// An `int64_t`.
    Signed,
    /// A `wc_detail_number`.
    Wide,
}

impl Number {
    pub(super) fn literal(value: i128) -> Self {
        Number { code: String::new(), form: Form::Literal(value), least: value, most: value }
    }

    pub(super) fn unsigned(code: String, least: i128, most: i128) -> Self {
        Number { code, form: Form::Unsigned, least, most }
    }

    pub(super) fn signed(code: String, least: i128, most: i128) -> Self {
        Number { code, form: Form::Signed, least, most }
    }

    pub(super) fn wide(code: String) -> Self {
        Number { code, form: Form::Wide, least: LEAST, most: MOST }
    }

    /// As a `uint64_t`, if it certainly is one.
    pub(super) fn as_unsigned(&self) -> Option<String> {
        match self.form {
            _ if self.least < 0 => None,
            Form::Literal(value) => Some(integer(value, false)),
            Form::Unsigned => Some(self.code.clone()),
            Form::Signed => Some(format!("WC_DETAIL_CAST(uint64_t, {})", self.code)),
            Form::Wide => None,
        }
    }

    /// As an `int64_t`, if it certainly is one.
    pub(super) fn as_signed(&self) -> Option<String> {
        match self.form {
            _ if self.most > MOST_SIGNED => None,
            Form::Literal(value) => Some(integer(value, true)),
            Form::Unsigned => Some(format!("WC_DETAIL_CAST(int64_t, {})", self.code)),
            Form::Signed => Some(self.code.clone()),
            Form::Wide => None,
        }
    }

    pub(super) fn as_wide(&self) -> String {
        match self.form {
            Form::Literal(value) if value < 0 => format!("wc_detail_signed({})", integer(value, true)),
            Form::Literal(value) => format!("wc_detail_unsigned({})", integer(value, false)),
            Form::Unsigned => format!("wc_detail_unsigned({})", self.code),
            Form::Signed => format!("wc_detail_signed({})", self.code),
            Form::Wide => self.code.clone(),
        }
    }

    /// Computes it and forgets it.
    pub(super) fn forgotten(&self) -> String {
        match self.form {
            Form::Literal(_) => String::new(),
            _ => format!("(void){}, ", self.code),
        }
    }
}

/// Two numbers as one 64-bit type.
pub(super) enum Pair {
    Unsigned(String, String),
    Signed(String, String),
    Wide(String, String),
}

impl Pair {
    pub(super) fn of(left: &Number, right: &Number) -> Self {
        if let (Some(left), Some(right)) = (left.as_unsigned(), right.as_unsigned()) {
            Pair::Unsigned(left, right)
        } else if let (Some(left), Some(right)) = (left.as_signed(), right.as_signed()) {
            Pair::Signed(left, right)
        } else {
            Pair::Wide(left.as_wide(), right.as_wide())
        }
    }
}

/// The result, where both sides are known here and it has a place.
pub(super) fn folded(left: &Number, right: &Number, result: i128) -> Option<Number> {
    let is_known = |number: &Number| matches!(number.form, Form::Literal(_));
    (is_known(left) && is_known(right) && (LEAST..=MOST).contains(&result)).then(|| Number::literal(result))
}

pub(super) fn is_never_zero(number: &Number) -> bool {
    number.least > 0 || number.most < 0
}

pub(super) fn compare(op: Op, left: &Number, right: &Number) -> String {
    // A comparison that can only have one result is a warning in C.
    let always = match op {
        Op::Lt if left.most < right.least => Some(true),
        Op::Lt if left.least >= right.most => Some(false),
        Op::Le if left.most <= right.least => Some(true),
        Op::Le if left.least > right.most => Some(false),
        Op::Gt if left.least > right.most => Some(true),
        Op::Gt if left.most <= right.least => Some(false),
        Op::Ge if left.least >= right.most => Some(true),
        Op::Ge if left.most < right.least => Some(false),
        Op::Eq | Op::Ne if left.most < right.least || left.least > right.most => Some(op == Op::Ne),
        Op::Eq | Op::Ne if left.least == right.most && left.most == right.least => Some(op == Op::Eq),
        Op::Eq | Op::Le | Op::Ge if left.code == right.code => Some(true),
        Op::Ne | Op::Lt | Op::Gt if left.code == right.code => Some(false),
        _ => None,
    };
    if let Some(truth) = always {
        let before = left.forgotten() + &right.forgotten();
        return if before.is_empty() { truth.to_string() } else { format!("({before}{truth})") };
    }
    match Pair::of(left, right) {
        Pair::Unsigned(a, b) | Pair::Signed(a, b) => format!("({a} {} {b})", op.token()),
        Pair::Wide(a, b) => match op {
            Op::Eq => format!("wc_detail_equal({a}, {b})"),
            Op::Ne => format!("(!wc_detail_equal({a}, {b}))"),
            Op::Lt => format!("wc_detail_less({a}, {b})"),
            Op::Gt => format!("wc_detail_less({b}, {a})"),
            Op::Le => format!("(!wc_detail_less({b}, {a}))"),
            _ => format!("(!wc_detail_less({a}, {b}))"),
        },
    }
}

//! Numbers that a declaration spells: literals, and what is put together from them.

use syn::{BinOp, Expr, Lit, UnOp};

/// The number of an expression of integer literals with `-`, `+`, `*`, `<<`, `|` and parentheses; none for
/// anything else, and none beyond `i128`.
pub(crate) fn integer(expression: &Expr) -> Option<i128> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            Lit::Byte(byte) => Some(i128::from(byte.value())),
            _ => None,
        },
        Expr::Unary(unary) => match unary.op {
            UnOp::Neg(_) => integer(&unary.expr)?.checked_neg(),
            _ => None,
        },
        Expr::Paren(paren) => integer(&paren.expr),
        Expr::Group(group) => integer(&group.expr),
        Expr::Binary(binary) => {
            let (left, right) = (integer(&binary.left)?, integer(&binary.right)?);
            match binary.op {
                BinOp::Add(_) => left.checked_add(right),
                BinOp::Sub(_) => left.checked_sub(right),
                BinOp::Mul(_) => left.checked_mul(right),
                BinOp::BitOr(_) => Some(left | right),
                BinOp::Shl(_) if (0..64).contains(&right) => left.checked_mul(1 << right),
                _ => None,
            }
        }
        _ => None,
    }
}

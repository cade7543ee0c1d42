//! Conditions across fields as owned data.

use super::ContractId;

/// A condition across fields, which every language checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The declared name.
    pub name: Option<String>,
    /// The expression as it was declared, tokens separated as errors show it.
    pub text: String,
    /// The expression; it is a condition.
    pub expr: Expr,
    /// When it is checked.
    pub at: Moment,
}

impl Rule {
    /// What the rule reads, each once, in the order of first appearance: errors show the first five.
    pub fn operands(&self) -> Vec<&Operand> {
        self.expr.operands()
    }

    /// Whether the number of file descriptors is asked for.
    pub fn counts_fds(&self) -> bool {
        self.operands().iter().any(|operand| operand.what == What::FdCount)
    }
}

/// When a rule is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// By every reader and writer.
    Read,
    /// When an importer asks (`validate_import`).
    Import,
}

/// An expression: a condition or an exact integer in −2⁶³…2⁶⁴−1.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A number: a literal, or the number of a named value (of a variant of a union: its position).
    Integer(i128),
    /// `true` or `false`.
    Truth(bool),
    /// What is read.
    Operand(Operand),
    /// `!` of a condition.
    Not(Box<Expr>),
    /// `-` of a number.
    Negate(Box<Expr>),
    /// `int(condition)`: 1 or 0.
    Int(Box<Expr>),
    /// Two expressions.
    Binary {
        /// What is done with them.
        op: Op,
        /// The left one, which is computed first.
        left: Box<Expr>,
        /// The right one.
        right: Box<Expr>,
    },
}

impl Expr {
    /// Whether it is a condition and not a number.
    pub fn is_condition(&self) -> bool {
        match self {
            Expr::Integer(_) | Expr::Negate(_) | Expr::Int(_) => false,
            Expr::Truth(_) | Expr::Not(_) => true,
            Expr::Operand(operand) => operand.is_condition,
            Expr::Binary { op, .. } => op.gives_condition(),
        }
    }

    /// What it reads, each once, in the order of first appearance.
    pub fn operands(&self) -> Vec<&Operand> {
        let mut found = Vec::new();
        self.visit(&mut |operand| {
            if !found.iter().any(|&other: &&Operand| other.text == operand.text) {
                found.push(operand);
            }
        });
        found
    }

    /// Calls with every operand, from left to right.
    pub fn visit<'a>(&'a self, visitor: &mut impl FnMut(&'a Operand)) {
        match self {
            Expr::Integer(_) | Expr::Truth(_) => {}
            Expr::Operand(operand) => visitor(operand),
            Expr::Not(inner) | Expr::Negate(inner) | Expr::Int(inner) => inner.visit(visitor),
            Expr::Binary { left, right, .. } => {
                left.visit(visitor);
                right.visit(visitor);
            }
        }
    }
}

/// What is done with two expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

impl Op {
    /// The token.
    pub const fn token(self) -> &'static str {
        match self {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Rem => "%",
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::And => "&&",
            Op::Or => "||",
        }
    }

    /// Whether its result is a condition and not a number.
    pub const fn gives_condition(self) -> bool {
        !matches!(self, Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem)
    }

    /// Whether it takes conditions and not numbers. `==` and `!=` take two of either.
    pub const fn takes_conditions(self) -> bool {
        matches!(self, Op::And | Op::Or)
    }
}

/// What a rule reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// As errors show it: `alloc_size`, `len(blob)`, `sample_bytes(format_code)`.
    pub text: String,
    /// What it is.
    pub what: What,
    /// Whether it is a condition (a bool, `present(f)`, `has(f, Flag)`, a data key of bools) and not a number.
    pub is_condition: bool,
}

/// What an operand is.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A field's value: an integer, a bool, the number of an enumeration or of flags, the position of a union's
    /// variant. Of an optional key with a default, the default when it is absent.
    Value(Path),
    /// How many elements an array has (those that count), bytes a text or bytes field has, members a map has.
    Length(Path),
    /// The product of the elements of an array of integers (those that count), multiplied one by one from the first
    /// on; 1 of none.
    Product(Path),
    /// The least element of an array of integers (of those that count). Of none there is none, which violates the rule.
    Least(Path),
    /// Whether an optional key is there.
    Present(Path),
    /// Whether flags have all of these bits.
    Has {
        /// The field.
        path: Path,
        /// The bits.
        bits: u64,
    },
    /// What an enumeration's value carries for a key, an integer or a bool. A number of an open one that has no
    /// name carries nothing, which violates the rule.
    Data {
        /// The field.
        path: Path,
        /// The enumeration.
        contract: ContractId,
        /// The position in [`Enumeration::data`](super::Enumeration::data).
        key: usize,
    },
    /// How many file descriptors came with the message: `fd_count`, only at import and not in descriptors.
    FdCount,
}

/// A field of the contract, or of one it nests: positions of fields (of a descriptor) or keys (of a recipe), from the
/// outermost in. Empty for a union itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path(pub Vec<usize>);

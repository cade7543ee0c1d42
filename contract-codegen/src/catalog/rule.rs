//! The text of a rule read again: what the macro checked and compiled, as an expression over the catalog.

mod parse;
mod scope;
mod token;

use crate::model::{Catalog, Contract, Expr, Moment, Rule};

/// Why the text of a rule has no meaning in its contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// It is no expression.
    #[error("expected {expected} at byte {at}")]
    Syntax {
        /// Where, in bytes of the text.
        at: usize,
        /// What could stand there.
        expected: &'static str,
    },
    /// An integer that no operand can be.
    #[error("the integer at byte {at} is more than 18446744073709551615")]
    TooLarge {
        /// Where, in bytes of the text.
        at: usize,
    },
    /// More operators in each other than any declaration has.
    #[error("it is more than {most} operators deep")]
    TooDeep {
        /// How many there may be.
        most: usize,
    },
    /// A name that nothing has.
    #[error("`{name}` is no field, value or function there")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// A field that is no number, no condition, or not what a function takes.
    #[error("`{text}` has no value in a rule")]
    NoValue {
        /// What was asked for.
        text: String,
    },
    /// An optional key without a default.
    #[error("`{text}` may be absent and has no default")]
    MayBeAbsent {
        /// What was asked for.
        text: String,
    },
    /// A number in place of a condition, or the other way round.
    #[error("expected {expected} {place}")]
    WrongType {
        /// What should be there.
        expected: &'static str,
        /// Where.
        place: String,
    },
    /// The number of file descriptors, where nobody knows it.
    #[error("`fd_count` is known at import, of recipes and unions")]
    NoFdCount,
}

/// Puts an expression in place of the text in a rule of a contract whose nested contracts are in the catalog.
pub(super) fn compile(catalog: &Catalog, contract: &Contract, rule: &Rule) -> Result<Expr, RuleError> {
    let syntax = parse::parse(&rule.text)?;
    let scope = scope::Scope { catalog, contract, at_import: rule.at == Moment::Import };
    scope.condition(&syntax, "as the rule")
}

/// The expression of a text in a contract, for tests.
#[doc(hidden)]
pub fn expression(catalog: &Catalog, contract: &Contract, text: &str, at: Moment) -> Result<Expr, RuleError> {
    let rule = Rule { name: None, text: text.to_owned(), expr: Expr::Truth(true), at };
    compile(catalog, contract, &rule)
}

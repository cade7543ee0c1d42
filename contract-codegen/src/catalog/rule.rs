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
    let scope = scope::Scope { catalog, contract, at_import: rule.at == Moment::Import, parts_alone: false };
    scope.condition(&syntax, "as the rule")
}

/// The text as a condition over the parts of a message.
pub(super) fn over_parts(catalog: &Catalog, contract: &Contract, text: &str) -> Result<Expr, RuleError> {
    let scope = scope::Scope { catalog, contract, at_import: false, parts_alone: true };
    scope.condition(&parse::parse(text)?, "as the condition")
}

/// The text as a number over the parts of a message.
pub(super) fn number(catalog: &Catalog, contract: &Contract, text: &str) -> Result<Expr, RuleError> {
    let scope = scope::Scope { catalog, contract, at_import: false, parts_alone: true };
    scope.number(&parse::parse(text)?, "as the number")
}

/// The text with the contract's own fields as they were first accepted; `accepted` has of each its name in Rust and
/// that one. Only the first word of a path is a field of the contract, and a flag in `has` is none.
pub(super) fn with_first_names(text: &str, accepted: &[(&str, &str)]) -> Result<String, RuleError> {
    use token::Token;
    let tokens = token::tokens(text)?;
    let mark = |index: Option<usize>| match index.and_then(|index| tokens.get(index)).map(|it| &it.token) {
        Some(Token::Mark(mark)) => *mark,
        _ => "",
    };
    let (mut renamed, mut copied, mut is_flag) = (String::with_capacity(text.len()), 0, false);
    for (index, token) in tokens.iter().enumerate() {
        let Token::Word(word) = &token.token else {
            is_flag = mark(Some(index)) == "," || is_flag && mark(Some(index)) == "(";
            continue;
        };
        let follows = matches!(mark(index.checked_sub(1)), "." | "::");
        let is_other = matches!(mark(Some(index + 1)), "(" | "::");
        let first = accepted.iter().find(|(name, _)| name == word);
        if let (Some((_, first)), false) = (first, is_flag || follows || is_other) {
            renamed.push_str(&text[copied..token.at]);
            renamed.push_str(first);
            let raw = if text[token.at..].starts_with("r#") { 2 } else { 0 };
            copied = token.at + raw + word.len();
        }
        is_flag = false;
    }
    renamed.push_str(&text[copied..]);
    Ok(renamed)
}

/// The expression of a text in a contract, for tests.
#[doc(hidden)]
pub fn expression(catalog: &Catalog, contract: &Contract, text: &str, at: Moment) -> Result<Expr, RuleError> {
    let rule = Rule { name: None, text: text.to_owned(), expr: Expr::Truth(true), at };
    compile(catalog, contract, &rule)
}

//! Tokens of a rule's text.

use super::RuleError;

/// A token and where it starts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spanned {
    pub(super) at: usize,
    pub(super) token: Token,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Integer(i128),
    /// A name, without `r#`.
    Word(String),
    Mark(&'static str),
}

/// Longer ones first.
const MARKS: [&str; 19] =
    ["==", "!=", "<=", ">=", "&&", "||", "::", "<", ">", "!", "+", "-", "*", "/", "%", "(", ")", ",", "."];

pub(super) fn tokens(text: &str) -> Result<Vec<Spanned>, RuleError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, token) = if first.is_ascii_whitespace() {
            at += 1;
            continue;
        } else if first.is_ascii_digit() {
            let length = word_length(rest);
            (length, Token::Integer(integer(&rest[..length], at)?))
        } else if word_length(rest) > 0 {
            let raw = if rest.starts_with("r#") { 2 } else { 0 };
            let length = raw + word_length(&rest[raw..]);
            if length == raw {
                return Err(RuleError::Syntax { at, expected: "a name after `r#`" });
            }
            (length, Token::Word(rest[raw..length].to_owned()))
        } else {
            let mark = MARKS.into_iter().find(|mark| rest.starts_with(mark));
            let mark = mark.ok_or(RuleError::Syntax { at, expected: "an operator" })?;
            (mark.len(), Token::Mark(mark))
        };
        tokens.push(Spanned { at, token });
        at += length;
    }
    Ok(tokens)
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c == '_' || c.is_alphanumeric())).unwrap_or(text.len())
}

fn integer(text: &str, at: usize) -> Result<i128, RuleError> {
    let digits = text.replace('_', "");
    let (digits, radix) = match digits.get(..2) {
        Some("0x") => (&digits[2..], 16),
        Some("0b") => (&digits[2..], 2),
        Some("0o") => (&digits[2..], 8),
        _ => (&*digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(RuleError::Syntax { at, expected: "an integer" });
    }
    // All digits, so that only its size can be wrong.
    u64::from_str_radix(digits, radix).map(i128::from).map_err(|_| RuleError::TooLarge { at })
}

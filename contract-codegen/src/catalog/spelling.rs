//! Names and other text of a record, checked before anything is made of them.

use std::collections::HashSet;
use std::fmt::Display;
use std::hash::Hash;

use super::json::TextError;

/// The name in the declaration, and the one it was first accepted under where that is another.
pub(super) fn renamed(
    current: Option<String>,
    accepted: String,
) -> Result<(String, Option<String>), TextError> {
    match current {
        Some(current) if current != accepted => Ok((identifier(current)?, Some(accepted))),
        _ => Ok((accepted, None)),
    }
}

pub(super) fn distinct<N: Copy + Display + Eq + Hash>(
    what: &str,
    names: impl Iterator<Item = N>,
) -> Result<(), TextError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(TextError::Wrong(format!("it has two {what}s `{name}`")));
        }
    }
    Ok(())
}

/// Names become names in four languages and parts of file names, so they are checked and not just believed.
pub(super) fn identifier(name: String) -> Result<String, TextError> {
    if is_identifier(&name) { Ok(name) } else { Err(TextError::Wrong(format!("{name:?} is no name"))) }
}

/// What rustc takes for a name is not told apart here beyond ASCII; whatever could end a path or a word is.
pub(super) fn is_identifier(name: &str) -> bool {
    let is_legal = |c: char| {
        c == '_'
            || if c.is_ascii() { c.is_ascii_alphanumeric() } else { !c.is_whitespace() && !c.is_control() }
    };
    name.chars().all(is_legal) && !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())
}

pub(super) fn module(path: &str) -> Result<String, TextError> {
    let words = path.split("::").map(|word| {
        let word = word.strip_prefix("r#").unwrap_or(word);
        if is_identifier(word) {
            Ok(word)
        } else {
            Err(TextError::Wrong(format!("{path:?} is no module path")))
        }
    });
    Ok(words.collect::<Result<Vec<_>, _>>()?.join("::"))
}

pub(super) fn package(name: String) -> Result<String, TextError> {
    let legal = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    if legal { Ok(name) } else { Err(TextError::Wrong(format!("{name:?} is no name of a package"))) }
}

pub(super) fn bytes_of(hex: &str) -> Result<Vec<u8>, TextError> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let bytes = hex.as_bytes().chunks(2).map(|pair| match *pair {
        [high, low] => u8::try_from(digit(high)? << 4 | digit(low)?).ok(),
        _ => None,
    });
    bytes.collect::<Option<Vec<u8>>>().ok_or_else(|| TextError::Wrong(format!("{hex:?} is no hex")))
}

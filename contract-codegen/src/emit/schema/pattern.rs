//! Regular expressions, of the part of ECMA-262 that every implementation of JSON Schema has.

use crate::model::Spelling;

/// Bytes spelled that way: of a known length in base64, as that many leave it at the end.
pub(super) fn bytes(spelling: Spelling, exactly: Option<u32>) -> String {
    let whole = "(?:[A-Za-z0-9+/]{4})*";
    let two = "[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=";
    let one = "[A-Za-z0-9+/][AQgw]==";
    match (spelling, exactly.map(|length| length % 3)) {
        (Spelling::Hex, _) => "^(?:[0-9a-f]{2})*$".to_owned(),
        (Spelling::Uuid, _) => "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$".to_owned(),
        (Spelling::Base64, None) => format!("^{whole}(?:{two}|{one})?$"),
        (Spelling::Base64, Some(0)) => format!("^{whole}$"),
        (Spelling::Base64, Some(1)) => format!("^{whole}{one}$"),
        (Spelling::Base64, Some(_)) => format!("^{whole}{two}$"),
    }
}

/// The characters of so many bytes spelled that way.
pub(super) fn length(spelling: Spelling, bytes: u32) -> u64 {
    let bytes = u64::from(bytes);
    match spelling {
        Spelling::Hex => 2 * bytes,
        Spelling::Base64 => 4 * bytes.div_ceil(3),
        Spelling::Uuid => 36,
    }
}

pub(super) const DECIMAL: &str = "^(?:0|[1-9][0-9]*)$";
pub(super) const SIGNED_DECIMAL: &str = "^(?:0|-?[1-9][0-9]*)$";

/// One of these names, in any case of ASCII letters and with ASCII white space around it.
pub(super) fn folded<'name>(names: impl Iterator<Item = &'name String>) -> String {
    let names: Vec<String> = names.map(|name| name.trim_ascii().chars().map(in_any_case).collect()).collect();
    format!("^[ \\t\\n\\f\\r]*(?:{})[ \\t\\n\\f\\r]*$", names.join("|"))
}

fn in_any_case(c: char) -> String {
    if c.is_ascii_alphabetic() {
        return format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase());
    }
    if "^$\\.*+?()[]{}|/".contains(c) { format!("\\{c}") } else { c.to_string() }
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn names_are_matched_and_not_read_as_patterns() {
        let names = ["a.b".to_owned(), " 8-Bit ".to_owned()];
        let around = "[ \\t\\n\\f\\r]*";
        assert_eq!(folded(names.iter()), format!("^{around}(?:[aA]\\.[bB]|8-[bB][iI][tT]){around}$"));
    }
}

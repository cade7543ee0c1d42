//! What was likely meant by a word that is not known.

/// The name that was most likely meant: one that differs in a third of its letters at most, or that the word begins.
pub(crate) fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let begins = |other: &str| name.chars().count() >= BEGINNING && other.starts_with(name);
    names
        .into_iter()
        .map(|other| (if begins(other) { 1 } else { distance(name, other) }, other))
        .filter(|(distance, other)| 3 * distance <= other.chars().count().max(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, other)| other)
}

/// From how many letters on a word is the beginning of a name: `enum`.
const BEGINNING: usize = 4;

/// How many letters must be changed, added or removed.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, is) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *is);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_near_what_differs_in_a_third_of_its_letters_or_what_it_begins() {
        let names = ["descriptor", "enumeration", "flags", "message", "abi"];
        for (word, near) in [
            ("mesage", Some("message")),
            ("messsages", Some("message")),
            ("flag", Some("flags")),
            ("enum", Some("enumeration")),
            ("enu", None),
            ("abj", Some("abi")),
            ("abcd", None),
            ("packet", None),
        ] {
            assert_eq!(nearest(word, names), near, "{word}");
        }
    }
}

//! Words in another case: `rename_all`, and constants named after fields.

/// The spellings that `rename_all` knows.
pub(crate) const STYLES: [&str; 8] = [
    "lowercase",
    "UPPERCASE",
    "PascalCase",
    "camelCase",
    "snake_case",
    "SCREAMING_SNAKE_CASE",
    "kebab-case",
    "SCREAMING-KEBAB-CASE",
];

/// A name in one of [`STYLES`].
pub(crate) fn rename(name: &str, style: &str) -> String {
    let words = words(name);
    let lower = |separator: &str| words.join(separator);
    let pascal = |from: usize| -> String {
        let capital = |word: &String| {
            let mut letters = word.chars();
            letters
                .next()
                .map(|first| first.to_uppercase().chain(letters).collect::<String>())
                .unwrap_or_default()
        };
        words.iter().take(from).cloned().chain(words.iter().skip(from).map(capital)).collect()
    };
    match style {
        "lowercase" => name.to_lowercase(),
        "UPPERCASE" => name.to_uppercase(),
        "PascalCase" => pascal(0),
        "camelCase" => pascal(1),
        "snake_case" => lower("_"),
        "SCREAMING_SNAKE_CASE" => lower("_").to_uppercase(),
        "kebab-case" => lower("-"),
        "SCREAMING-KEBAB-CASE" => lower("-").to_uppercase(),
        _ => name.to_owned(),
    }
}

/// A name as a constant's.
pub(crate) fn constant(name: &str) -> String {
    rename(name, "SCREAMING_SNAKE_CASE")
}

/// The words of a name, in lower case: split at underscores and before a capital that begins a word. Digits stay
/// with what they follow.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (index, &letter) in letters.iter().enumerate() {
        if letter == '_' || letter == '-' || letter == ' ' {
            words.push(String::new());
            continue;
        }
        let after_lower = index > 0 && (letters[index - 1].is_lowercase() || letters[index - 1].is_numeric());
        let before_lower = letters.get(index + 1).is_some_and(|next| next.is_lowercase());
        let inside = index > 0 && letters[index - 1].is_uppercase();
        if letter.is_uppercase() && (after_lower || (inside && before_lower)) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::rename;

    #[test]
    fn words_split_where_a_reader_splits_them() {
        for (name, snake) in [
            ("PosixFd", "posix_fd"),
            ("Win32Kmt", "win32_kmt"),
            ("NV12", "nv12"),
            ("HTTPServer", "http_server"),
            ("Rgba8UnormSrgb", "rgba8_unorm_srgb"),
            ("bad_utf8", "bad_utf8"),
            ("A", "a"),
        ] {
            assert_eq!(rename(name, "snake_case"), snake);
        }
        assert_eq!(rename("posix_fd", "camelCase"), "posixFd");
        assert_eq!(rename("PosixFd", "kebab-case"), "posix-fd");
        assert_eq!(rename("PosixFd", "lowercase"), "posixfd");
    }
}

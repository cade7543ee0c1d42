//! Numbers with what they count, as every language says them.

/// `1 byte`, `2 bytes`.
pub fn bytes<Count: Into<u64>>(count: Count) -> String {
    match count.into() {
        1 => "1 byte".to_owned(),
        count => format!("{count} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn one_is_singular() {
        assert_eq!([0_u32, 1, 2].map(bytes), ["0 bytes", "1 byte", "2 bytes"]);
    }
}

//! Numbers with what they count, as every language says them.

/// `1 byte`, `2 bytes`.
pub fn bytes<Count: Into<u64>>(count: Count) -> String {
    match count.into() {
        1 => "1 byte".to_owned(),
        count => format!("{count} bytes"),
    }
}

/// `no file descriptor`, `1 file descriptor`, `2 file descriptors`, `0 to 4 file descriptors`.
pub fn file_descriptors<Count: PartialEq + Copy + std::fmt::Display>(least: Count, most: Count) -> String {
    let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
    match &*range {
        "0" => "no file descriptor".to_owned(),
        "1" => "1 file descriptor".to_owned(),
        range => format!("{range} file descriptors"),
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, file_descriptors};

    #[test]
    fn a_range_is_plural_and_one_is_not() {
        let said = [(0, 0), (1, 1), (2, 2), (0, 1)].map(|(least, most)| file_descriptors(least, most));
        let expected =
            ["no file descriptor", "1 file descriptor", "2 file descriptors", "0 to 1 file descriptors"];
        assert_eq!(said, expected);
    }

    #[test]
    fn one_is_singular() {
        assert_eq!([0_u32, 1, 2].map(bytes), ["0 bytes", "1 byte", "2 bytes"]);
    }
}

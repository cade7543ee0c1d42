//! Bytes spelled as text.

use crate::model::{Length, Spelling};

/// The bytes that a text spells; nothing when it is misspelled.
pub(super) fn decode(text: &str, spelling: Spelling) -> Option<Vec<u8>> {
    match spelling {
        Spelling::Hex => hexadecimal(text),
        Spelling::Base64 => base64(text),
        Spelling::Uuid => {
            let groups: Vec<&str> = text.split('-').collect();
            let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
            if lengths == [8, 4, 4, 4, 12] { hexadecimal(&groups.concat()) } else { None }
        }
    }
}

/// The one spelling of bytes.
pub(super) fn encode(bytes: &[u8], spelling: Spelling) -> String {
    let hex = |bytes: &[u8]| {
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        digits.collect::<Vec<_>>().concat()
    };
    match spelling {
        Spelling::Hex => hex(bytes),
        Spelling::Base64 => {
            let groups = bytes.chunks(3).map(|group| {
                let number = group.iter().fold(0_u32, |number, &byte| number << 8 | u32::from(byte));
                let number = number << (8 * (3 - group.len()));
                let digit = |at: usize| {
                    let value = number >> (18 - 6 * at) & 63;
                    if at <= group.len() { char::from(ALPHABET[value as usize]) } else { '=' }
                };
                [digit(0), digit(1), digit(2), digit(3)]
            });
            groups.flatten().collect()
        }
        Spelling::Uuid => {
            let groups = [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..10], &bytes[10..]];
            groups.map(hex).join("-")
        }
    }
}

/// What a text should spell.
pub(super) fn expected(length: Length, spelling: Spelling) -> String {
    match (spelling, length) {
        (Spelling::Hex, Length::Exactly(count)) => format!("{count} bytes as lower-case hex"),
        (Spelling::Hex, Length::AtMost(_)) => "lower-case hex".to_owned(),
        (Spelling::Base64, Length::Exactly(count)) => format!("base64 of {count} bytes"),
        (Spelling::Base64, Length::AtMost(_)) => "base64".to_owned(),
        (Spelling::Uuid, _) => "a UUID in lower case".to_owned(),
    }
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let digits: Vec<u8> = text.bytes().map(digit).collect::<Option<_>>()?;
    digits.len().is_multiple_of(2).then(|| digits.chunks(2).map(|pair| pair[0] * 16 + pair[1]).collect())
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Padded, and with no bit set that no byte has.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let groups: Vec<&[u8]> = text.as_bytes().chunks(4).collect();
    for (index, group) in groups.iter().enumerate() {
        let is_last = index + 1 == groups.len();
        let padding = group.iter().rev().take_while(|&&byte| byte == b'=').count();
        if group.len() != 4 || padding > 2 || (padding > 0 && !is_last) {
            return None;
        }
        let digits = &group[..4 - padding];
        let mut number = 0_u32;
        for &byte in digits {
            let value = ALPHABET.iter().position(|&letter| letter == byte)?;
            number = number << 6 | u32::try_from(value).ok()?;
        }
        number <<= 6 * padding;
        let [_, three @ ..] = number.to_be_bytes();
        let (used, unused) = three.split_at(3 - padding);
        if unused.iter().any(|&byte| byte != 0) {
            return None;
        }
        bytes.extend(used);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The samples of RFC 4648, section 10.
    #[test]
    fn base64_is_padded_and_has_one_spelling() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes(), Spelling::Base64), text);
            assert_eq!(decode(text, Spelling::Base64).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        for misspelled in
            ["Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm-_", "Zg= =", " Zg=="]
        {
            assert_eq!(decode(misspelled, Spelling::Base64), None, "{misspelled}");
        }
        assert_eq!(encode(&[0xfb, 0xff], Spelling::Base64), "+/8=");
    }

    #[test]
    fn hex_is_lower_case_and_even() {
        assert_eq!(decode("00ff", Spelling::Hex), Some(vec![0, 255]));
        assert_eq!(encode(&[0, 255], Spelling::Hex), "00ff");
        for misspelled in ["0", "0F", "0g", " 00", "é"] {
            assert_eq!(decode(misspelled, Spelling::Hex), None, "{misspelled}");
        }
    }

    #[test]
    fn a_uuid_has_its_groups() {
        let text = "00112233-4455-6677-8899-aabbccddeeff";
        let bytes = decode(text, Spelling::Uuid).expect("a UUID");
        assert_eq!((bytes[1], bytes.len()), (0x11, 16));
        assert_eq!(encode(&bytes, Spelling::Uuid), text);
        for misspelled in [
            "00112233445566778899aabbccddeeff",
            "00112233-4455-6677-8899-AABBCCDDEEFF",
            "{00112233-4455-6677-8899-aabbccddeeff}",
            "0011223-34455-6677-8899-aabbccddeeff",
            "00112233-4455-6677-8899-aabbccddeef",
        ] {
            assert_eq!(decode(misspelled, Spelling::Uuid), None, "{misspelled}");
        }
    }
}

//! Which earlier versions of a contract are spoken as well.

use super::decode::objects;
use super::json::{Object, TextError, required};

/// `earlier` of the second line: numbers in ascending order, all below the contract's version; ids that differ.
pub(super) fn earlier(source: &mut Object, version: Option<u32>) -> Result<Vec<(u32, u64)>, TextError> {
    let mut earlier: Vec<(u32, u64)> = Vec::new();
    for mut each in objects(source.take_array("earlier")?.unwrap_or_default())? {
        let number: u32 = required(each.take_integer("version")?, "version")?;
        let text = required(each.take_text("wire_id")?, "wire_id")?;
        let wire_id = id(&text)
            .ok_or_else(|| TextError::Wrong(format!("its version {number} has the wire id `{text}`")))?;
        each.finish()?;
        let is_next = earlier.last().is_none_or(|&(last, _)| last < number);
        if number == 0 || !is_next || version.is_none_or(|version| number >= version) {
            return Err(TextError::Wrong(format!(
                "version {number} is not between the one before it and the contract's own"
            )));
        }
        if earlier.iter().any(|&(_, other)| other == wire_id) {
            return Err(TextError::Wrong(format!("two of its versions have the wire id {text}")));
        }
        earlier.push((number, wire_id));
    }
    Ok(earlier)
}

/// `0x` and 16 lower-case digits.
fn id(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 16)?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if digits.bytes().all(is_digit) { u64::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::earlier;
    use crate::catalog::json::Object;

    fn read(text: &str, version: Option<u32>) -> Option<Vec<(u32, u64)>> {
        let mut source = Object::parse(text).expect("an object");
        earlier(&mut source, version).ok()
    }

    #[test]
    fn earlier_versions_come_with_ids_of_all_64_bits() {
        let text = r#"{"earlier":[{"version":1,"wire_id":"0xffffffffffffffff"},{"version":3,"wire_id":"0x0000000000000000"}]}"#;
        assert_eq!(read(text, Some(4)), Some(vec![(1, u64::MAX), (3, 0)]));
        assert_eq!(read("{}", None), Some(Vec::new()));
    }

    #[test]
    fn earlier_versions_that_no_declaration_has_are_refused() {
        for (list, version) in [
            (r#"[{"version":1,"wire_id":"0x0000000000000001"}]"#, None),
            (r#"[{"version":2,"wire_id":"0x0000000000000001"}]"#, Some(2)),
            (r#"[{"version":0,"wire_id":"0x0000000000000001"}]"#, Some(2)),
            (r#"[{"version":1,"wire_id":"0x000000000000001"}]"#, Some(2)),
            (r#"[{"version":1,"wire_id":"0x00000000000000FF"}]"#, Some(2)),
            (r#"[{"version":1,"wire_id":"0x+00000000000000f"}]"#, Some(2)),
            (r#"[{"version":1,"wire_id":"0x0000000000000001","why":1}]"#, Some(2)),
            (
                r#"[{"version":2,"wire_id":"0x0000000000000001"},{"version":1,"wire_id":"0x0000000000000002"}]"#,
                Some(3),
            ),
            (
                r#"[{"version":1,"wire_id":"0x0000000000000001"},{"version":2,"wire_id":"0x0000000000000001"}]"#,
                Some(3),
            ),
        ] {
            assert_eq!(read(&format!(r#"{{"earlier":{list}}}"#), version), None, "{list}");
        }
    }
}

//! Numbers, texts and comments as C and C++ spell them.

use crate::emit::{EmitError, EmitInput};
use crate::model::{Body, Contract, DataValue, Member, Scalar, Tagging};
use crate::names;

/// The C type of a scalar; C++ has the same under `std::`.
pub(crate) const fn scalar_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::U8 => "uint8_t",
        Scalar::I8 => "int8_t",
        Scalar::U16 => "uint16_t",
        Scalar::I16 => "int16_t",
        Scalar::U32 => "uint32_t",
        Scalar::I32 => "int32_t",
        Scalar::U64 => "uint64_t",
        Scalar::I64 => "int64_t",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// Whether an `int` holds the number on every platform.
pub(crate) fn fits_int(value: i128) -> bool {
    i32::try_from(value).is_ok()
}

/// A number as a signed or an unsigned literal. The most negative numbers have no literal of their own.
pub(crate) fn integer(value: i128, signed: bool) -> String {
    if signed {
        match value {
            -0x8000_0000 => "(-2147483647 - 1)".to_owned(),
            -0x8000_0000_0000_0000 => "(-INT64_C(9223372036854775807) - 1)".to_owned(),
            _ if fits_int(value) => value.to_string(),
            _ if value < 0 => format!("(-INT64_C({}))", -value),
            _ => format!("INT64_C({value})"),
        }
    } else if value <= i128::from(u32::MAX) {
        format!("{value}u")
    } else {
        format!("UINT64_C({value})")
    }
}

/// A finite number as a literal that reads back as it.
pub(crate) fn float(value: f64) -> String {
    format!("{value:?}")
}

/// A finite number as errors show it: as ECMAScript's `Number::toString` spells it, but for `-0`.
pub(crate) fn spelled(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value == 0.0 {
        return format!("{sign}0");
    }
    // Rust gives the shortest digits that read back as the same number: `d.ddde±x`.
    let shortest = format!("{:e}", value.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let digits = mantissa.replace('.', "");
    // The number is 0.DIGITS times ten to this power.
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let padded = |length: i32| format!("{digits:0<width$}", width = usize::try_from(length).unwrap_or(0));
    let text = match point {
        1..=21 => {
            let padded = padded(point);
            let (whole, fraction) = padded.split_at(usize::try_from(point).unwrap_or(0));
            if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
        }
        -5..=0 => format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let fraction = if rest.is_empty() { String::new() } else { format!(".{rest}") };
            format!("{first}{fraction}e{:+}", point - 1)
        }
    };
    sign.to_owned() + &text
}

/// Bits of an integer type as a hexadecimal literal that is as wide, so that `~` of it reaches all of its bits.
pub(crate) fn bits(value: u64, repr: Scalar) -> String {
    if repr.size() < 8 { format!("0x{value:x}u") } else { format!("UINT64_C(0x{value:x})") }
}

/// Bytes as a string literal, quotes included. What is not plain ASCII is octal, which ends after three digits
/// whatever follows; `?` after `?` is escaped, so that no trigraph arises.
pub(crate) fn string(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    let mut previous = 0;
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b'?' if previous == b'?' => out.push_str("\\?"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => out.extend(['\\', octal(byte >> 6), octal(byte >> 3), octal(byte)]),
        }
        previous = byte;
    }
    out.push('"');
    out
}

/// The digit of the lowest three bits.
fn octal(bits: u8) -> char {
    char::from(b'0' + (bits & 7))
}

/// The lines of a documentation comment, such that no line ends the comment, opens another or is joined with the
/// next. Each line has the space that parts it from the star; lines without text have none.
pub(crate) fn comment(docs: &str) -> Vec<String> {
    docs.trim()
        .lines()
        .map(|line| {
            let line =
                line.trim_end().replace("*/", "*&#47;").replace("/*", "/&#42;").replace("??", "?&#63;");
            let line = match line.strip_suffix('\\') {
                Some(start) => format!("{start}&#92;"),
                None => line,
            };
            if line.is_empty() { line } else { format!(" {line}") }
        })
        .collect()
}

/// The lines of [`comment`], followed by a paragraph of remarks.
pub(crate) fn comment_with(docs: &str, remarks: &[String]) -> Vec<String> {
    let mut lines = comment(docs);
    if !lines.is_empty() && !remarks.is_empty() {
        lines.push(String::new());
    }
    lines.extend(remarks.iter().flat_map(|remark| comment(remark)));
    lines
}

/// Says since when something is, and why it should not be used.
pub(crate) fn remarks(since: Option<u32>, deprecated: Option<&str>) -> Vec<String> {
    let since = since.map(|version| format!("Since version {version}."));
    since.into_iter().chain(deprecated.map(|why| format!("Deprecated: {why}"))).collect()
}

/// The comment of a member: its documentation, and since when it is and why it should not be used behind these lines.
pub(crate) fn comment_of(member: &Member, mut lines: Vec<String>) -> Vec<String> {
    lines.extend(remarks(member.since, member.deprecated.as_deref()));
    comment_with(&member.docs, &lines)
}

/// Refuses text that a C string cannot hold.
pub(crate) fn check(input: &EmitInput<'_>) -> Vec<EmitError> {
    let mut errors = Vec::new();
    for contract in
        input.selected_families().flat_map(|family| &family.contracts).map(|&id| input.catalog.get(id))
    {
        for (text, part) in texts(contract).into_iter().filter(|(text, _)| text.contains('\0')) {
            errors.push(EmitError::BadName {
                target: names::c::TARGET,
                name: text.escape_default().to_string(),
                contract: names::c::label(contract, part),
                reason: "a C string ends at its first NUL".to_owned(),
            });
        }
    }
    errors
}

/// What a contract's functions give or show as C strings, and what each is of.
fn texts(contract: &Contract) -> Vec<(&str, &str)> {
    let mut texts: Vec<(&str, &str)> = Vec::new();
    match &contract.body {
        Body::Enumeration(enumeration) => {
            for value in &enumeration.values {
                let data = value.data.iter().filter_map(|data| match data {
                    DataValue::Text(text) => Some(text),
                    _ => None,
                });
                texts.extend(data.chain([&value.wire_name]).map(|text| (text.as_str(), value.name.as_str())));
            }
        }
        Body::Recipe(recipe) => {
            texts.extend(recipe.keys.iter().map(|key| (key.key.as_str(), key.name.as_str())));
        }
        Body::Union(union) => {
            texts.extend(union.variants.iter().map(|variant| (variant.tag.as_str(), variant.name.as_str())));
            match &union.tagging {
                Tagging::Internal { tag, .. } => texts.push((tag, "")),
                Tagging::Adjacent { tag, content, .. } => {
                    texts.extend([(tag.as_str(), ""), (content.as_str(), "")]);
                }
                Tagging::Untagged => {}
            }
        }
        Body::Descriptor(_)
        | Body::Flags(_)
        | Body::Message(_)
        | Body::Messages(_)
        | Body::Abi(_)
        | Body::Handle(_)
        | Body::Function(_)
        | Body::Symbols(_) => {}
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_type_that_holds_them() {
        assert_eq!(integer(3, true), "3");
        assert_eq!(integer(-3, true), "-3");
        assert_eq!(integer(i128::from(i32::MIN), true), "(-2147483647 - 1)");
        assert_eq!(integer(i128::from(i64::MIN), true), "(-INT64_C(9223372036854775807) - 1)");
        assert_eq!(integer(-0x8000_0001, true), "(-INT64_C(2147483649))");
        assert_eq!(integer(0x8000_0000, true), "INT64_C(2147483648)");
        assert_eq!(integer(0x8000_0000, false), "2147483648u");
        assert_eq!(integer(0x1_0000_0000, false), "UINT64_C(4294967296)");
        assert_eq!(bits(0x8000_0000, Scalar::U32), "0x80000000u");
        assert_eq!(bits(1, Scalar::U64), "UINT64_C(0x1)");
        assert_eq!(bits(1 << 40, Scalar::U64), "UINT64_C(0x10000000000)");
    }

    #[test]
    fn a_float_is_spelled_as_in_ecmascript() {
        for (value, expected) in [
            (-0.0, "-0"),
            (1e9, "1000000000"),
            (-1.5, "-1.5"),
            (1e21, "1e+21"),
            (1.25e-7, "1.25e-7"),
            (0.000_001, "0.000001"),
            (123_456_789_012_345_680_000.0, "123456789012345680000"),
        ] {
            assert_eq!(spelled(value), expected);
        }
        assert_eq!(float(1e9), "1000000000.0");
        assert_eq!(float(1e300), "1e300");
    }

    #[test]
    fn a_string_is_only_what_it_says() {
        assert_eq!(string(b"CVIP"), "\"CVIP\"");
        assert_eq!(string(b"a\"b\\c"), r#""a\"b\\c""#);
        assert_eq!(string(b"??/ ???"), r#""?\?/ ?\?\?""#);
        assert_eq!(string("\0\u{e9}1".as_bytes()), r#""\000\303\2511""#);
    }

    #[test]
    fn documentation_cannot_leave_its_comment() {
        assert_eq!(comment("a */ b /* c"), [" a *&#47; b /&#42; c"]);
        assert_eq!(comment("why ??/\n\nend \\"), [" why ?&#63;/", "", " end &#92;"]);
    }
}

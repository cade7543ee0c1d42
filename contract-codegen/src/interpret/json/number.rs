//! Numbers: their tokens to values, and floats to the one spelling of ECMAScript.

/// The integer that a token spells in plain digits; nothing for `-0`, a fraction or an exponent.
pub(super) fn integer(token: &str) -> Option<Integer> {
    let digits = token.strip_prefix('-').unwrap_or(token);
    if token == "-0" || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // What 128 bits cannot hold is beyond every bound that there is.
    Some(token.parse().map_or(Integer::Beyond, Integer::Number))
}

/// An integer, or one that no contract can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Integer {
    Number(i128),
    Beyond,
}

/// A finite float as ECMAScript's `Number::toString` spells it, but for `-0`.
pub(super) fn spelled(float: f64) -> String {
    if float == 0.0 {
        return if float.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    // The shortest digits that read back as the same number, `d.ddde±x`. Of two that are equally near ECMAScript asks
    // for the even one; Rust gives the other, unless so many digits are asked for.
    let magnitude = float.abs();
    let shortest = format!("{magnitude:e}");
    let digits = shortest.bytes().take_while(|&byte| byte != b'e').filter(u8::is_ascii_digit).count();
    let even = format!("{magnitude:.*e}", digits - 1);
    let shortest = if even.parse() == Ok(magnitude) { even } else { shortest };
    let (mantissa, exponent) = shortest.split_once('e').expect("an exponent was asked for");
    let digits = mantissa.replace('.', "");
    // The number is 0.DIGITS times ten to this power.
    let point: i32 = exponent.parse::<i32>().expect("an exponent is a number") + 1;
    let count = i32::try_from(digits.len()).expect("at most 17 digits");
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let (before, after) = digits.split_at(usize::try_from(point.clamp(0, count)).unwrap_or(0));
    let text = match point {
        _ if count <= point && point <= 21 => format!("{digits}{}", zeros(point - count)),
        1..=21 => format!("{before}.{after}"),
        -5..=0 => format!("0.{}{digits}", zeros(-point)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let fraction = if rest.is_empty() { String::new() } else { format!(".{rest}") };
            format!("{first}{fraction}e{:+}", point - 1)
        }
    };
    if float.is_sign_negative() { format!("-{text}") } else { text }
}

/// A float that may not be finite, for messages.
pub(super) fn shown(float: f64) -> String {
    if float.is_nan() {
        "NaN".to_owned()
    } else if float.is_infinite() {
        if float > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else {
        spelled(float)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_plain_digits() {
        for (token, expected) in [
            ("0", Some(Integer::Number(0))),
            ("-1", Some(Integer::Number(-1))),
            ("18446744073709551616", Some(Integer::Number(1 << 64))),
            ("170141183460469231731687303715884105728", Some(Integer::Beyond)),
            ("-0", None),
            ("1.0", None),
            ("1e3", None),
        ] {
            assert_eq!(integer(token), expected, "{token}");
        }
    }

    /// The samples of RFC 8785, appendix B, but for minus zero.
    #[test]
    fn floats_are_spelled_as_rfc_8785_says() {
        for (bits, expected) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "-0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            assert_eq!(spelled(f64::from_bits(bits)), expected, "{bits:#x}");
        }
        assert_eq!(spelled(1.5), "1.5");
        assert_eq!(spelled(100.0), "100");
        assert_eq!(spelled(0.1), "0.1");
        assert_eq!(spelled(1e-7), "1e-7");
        assert_eq!(spelled(123_456.789), "123456.789");
        assert_eq!(spelled(f64::from(0.1_f32)), "0.10000000149011612");
    }
}

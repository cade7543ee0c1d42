//! Floats: shortest digits, laid out as ECMAScript does, and the nearest float of any digits.

use wirecontract::WireJson;

use super::contracts::Types;

fn written(number: f64) -> String {
    let document = Types { f64: Some(number), ..Types::empty() }.to_json().unwrap();
    document["{\"f64\":".len()..document.len() - ",\"nulled\":null}".len()].to_owned()
}

fn read(number: &str) -> f64 {
    Types::from_json(format!("{{\"f64\":{number}}}").as_bytes()).unwrap().f64.unwrap()
}

#[test]
fn floats_are_written_as_ecmascript_does() {
    // The samples of RFC 8785, appendix B (but for −0), and what stands at the edges of the layouts.
    for (number, expected) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (5e-324, "5e-324"),
        (-5e-324, "-5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::MIN, "-1.7976931348623157e+308"),
        (9_007_199_254_740_992.0, "9007199254740992"),
        (f64::from_bits(0x4430_0000_0000_0000), "295147905179352830000"),
        (f64::from_bits(0x44b5_2d02_c7e1_4af5), "9.999999999999997e+22"),
        (1e23, "1e+23"),
        (f64::from_bits(0x44b5_2d02_c7e1_4af7), "1.0000000000000001e+23"),
        (f64::from_bits(0x444b_1ae4_d6e2_ef4e), "999999999999999700000"),
        (f64::from_bits(0x444b_1ae4_d6e2_ef4f), "999999999999999900000"),
        (1e21, "1e+21"),
        (f64::from_bits(0x3eb0_c6f7_a0b5_ed8c), "9.999999999999997e-7"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (333_333_333.333_333_2, "333333333.3333332"),
        (333_333_333.333_333_25, "333333333.33333325"),
        (333_333_333.333_333_4, "333333333.3333334"),
        (f64::from_bits(0x4314_3ff3_c1cb_0959), "1424953923781206.2"),
        (123_456_789_012_345_680_000.0, "123456789012345680000"),
        (1.0, "1"),
        (100.0, "100"),
        (0.1, "0.1"),
        (-1.5, "-1.5"),
        (123_456.789, "123456.789"),
        (1.5e300, "1.5e+300"),
        (2.225_073_858_507_201_4e-308, "2.2250738585072014e-308"),
    ] {
        assert_eq!(written(number), expected);
        assert_eq!(read(expected).to_bits(), number.to_bits(), "{expected}");
    }
}

#[test]
fn floats_of_any_bits_come_back() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut count = 0;
    while count < 20_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let number = f64::from_bits(state);
        if number.is_finite() {
            assert_eq!(read(&written(number)).to_bits(), state);
            count += 1;
        }
    }
}

#[test]
fn a_narrow_float_is_written_wide_and_read_by_way_of_it() {
    let types = Types { f32: Some(0.1), ..Types::empty() };
    assert_eq!(types.to_json().unwrap(), r#"{"f32":0.10000000149011612,"nulled":null}"#);
    let f32 = |text: &str| Types::from_json(format!("{{\"f32\":{text}}}").as_bytes()).unwrap().f32.unwrap();
    assert_eq!(f32("0.1").to_bits(), 0.1_f32.to_bits());
    assert_eq!(f32("0.10000000149011612").to_bits(), 0.1_f32.to_bits());
    // Halfway between two, but for a digit that no f64 keeps: the f64 is the even one's.
    assert_eq!(f32("1.00000005960464477539062500000000001").to_bits(), 1.0_f32.to_bits());
    assert_eq!(f32("-0").to_bits(), (-0.0_f32).to_bits());
    assert_eq!(f32("1e-400").to_bits(), 0);
    let bits = (0..200_000u32).map(|step| step.wrapping_mul(21_473));
    for number in bits.map(f32::from_bits).filter(|number| number.is_finite()).take(5000) {
        let document = Types { f32: Some(number), ..Types::empty() }.to_json().unwrap();
        let read = Types::from_json(document.as_bytes()).unwrap().f32.unwrap();
        assert_eq!(read.to_bits(), number.to_bits());
    }
}

#[test]
fn any_spelling_of_a_number_is_read_as_a_float() {
    for (text, number) in [
        ("1", 1.0_f64),
        ("-1", -1.0),
        ("1.0", 1.0),
        ("1e3", 1000.0),
        ("1E+3", 1000.0),
        ("100e-2", 1.0),
        ("18446744073709551616", 18_446_744_073_709_551_616.0),
        ("0.000000000000000000000000000001e30", 1.0),
    ] {
        assert_eq!(read(text).to_bits(), number.to_bits(), "{text}");
    }
    assert_eq!(read(&format!("0.{}1e300", "0".repeat(248))).to_bits(), 1e51_f64.to_bits());
}

//! Floats as text: ECMAScript's `Number::toString`, which RFC 8785 asks for, but that −0.0 is `-0`.

use core::fmt::{self, Write as _};

/// Room for a number: sign, 17 digits, point, up to 5 zeros or an exponent; or 21 digits.
pub(crate) struct Buffer {
    bytes: [u8; 32],
    length: usize,
}

impl Buffer {
    pub(crate) const fn new() -> Buffer {
        Buffer { bytes: [0; 32], length: 0 }
    }

    fn text(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.length]).unwrap_or("")
    }

    fn zeros(&mut self, count: usize) -> fmt::Result {
        self.write_str("0000000000000000000000".get(..count).ok_or(fmt::Error)?)
    }
}

impl fmt::Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// The text of a finite number; `NaN`, `Infinity` and `-Infinity` for the others, which is for errors only.
pub(crate) fn spell(number: f64, buffer: &mut Buffer) -> &str {
    if number.is_nan() {
        return "NaN";
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" };
    }
    // A number fits: this only makes the function total.
    if spell_finite(number, buffer).is_err() {
        return "";
    }
    buffer.text()
}

/// Section 6.1.6.1.20 of ECMA-262, with the shortest digits that Rust finds.
fn spell_finite(number: f64, buffer: &mut Buffer) -> fmt::Result {
    let shortest = shortest(number.abs())?;
    let (significand, exponent) = shortest.text().split_once('e').ok_or(fmt::Error)?;
    let exponent: i32 = exponent.parse().map_err(|_| fmt::Error)?;
    let mut digits = Buffer::new();
    significand.split('.').try_for_each(|part| digits.write_str(part))?;
    let digits = digits.text();
    let (count, point) = (digits.len(), exponent + 1);

    buffer.length = 0;
    if number.is_sign_negative() {
        buffer.write_str("-")?;
    }
    match usize::try_from(point) {
        Ok(point) if count <= point && point <= 21 => {
            buffer.write_str(digits)?;
            buffer.zeros(point - count)
        }
        Ok(point) if 0 < point && point <= 21 => {
            write!(buffer, "{}.{}", &digits[..point], &digits[point..])
        }
        _ if -6 < point && point <= 0 => {
            buffer.write_str("0.")?;
            buffer.zeros(point.unsigned_abs() as usize)?;
            buffer.write_str(digits)
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            buffer.write_str(first)?;
            if !rest.is_empty() {
                write!(buffer, ".{rest}")?;
            }
            write!(buffer, "e{exponent:+}")
        }
    }
}

/// The shortest digits that read back as the number, `d.ddde±x`. Of two that are equally near, ECMAScript asks for the
/// even one and Rust gives the other, unless so many digits are asked for. Only numbers of which 16 digits or more are
/// needed are that close to two of as many.
fn shortest(magnitude: f64) -> Result<Buffer, fmt::Error> {
    let mut shortest = Buffer::new();
    write!(shortest, "{magnitude:e}")?;
    let digits = shortest.text().bytes().take_while(|&byte| byte != b'e').filter(u8::is_ascii_digit).count();
    if digits >= 16 {
        let mut even = Buffer::new();
        write!(even, "{magnitude:.*e}", digits - 1)?;
        if even.text().parse() == Ok(magnitude) {
            return Ok(even);
        }
    }
    Ok(shortest)
}

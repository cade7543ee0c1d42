//! Types of elements: of `DLPack`, of Rust, and as the CUDA Array Interface spells them.

use wirecontract::Open;
use wirecontract_gpu::dlpack::{DLDataType, DLDataTypeCode};

/// A type of Rust's that is an element as it stands in memory.
///
/// # Safety
/// The type is what [`Element::TYPE`] says, in the machine's byte order, without padding, and of no lifetime.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// Its type, of one lane.
    const TYPE: DLDataType;
}

macro_rules! elements {
    ($($(#[$feature:meta])? $type:ty: $code:ident $bits:literal;)*) => {$(
        $(#[$feature])?
        // SAFETY: the type is of that code and of so many bits, all of them its value.
        unsafe impl Element for $type {
            const TYPE: DLDataType = of(DLDataTypeCode::$code, $bits);
        }
    )*};
}

elements! {
    bool: Bool 8;
    i8: Int 8;
    i16: Int 16;
    i32: Int 32;
    i64: Int 64;
    u8: UInt 8;
    u16: UInt 16;
    u32: UInt 32;
    u64: UInt 64;
    f32: Float 32;
    f64: Float 64;
    #[cfg(feature = "half")] half::f16: Float 16;
    #[cfg(feature = "half")] half::bf16: Bfloat 16;
    #[cfg(feature = "num-complex")] num_complex::Complex<f32>: Complex 64;
    #[cfg(feature = "num-complex")] num_complex::Complex<f64>: Complex 128;
}

/// A type of one lane.
pub const fn of(code: DLDataTypeCode, bits: u8) -> DLDataType {
    DLDataType { code: Open::from_raw(code as u8), bits, lanes: 1 }
}

/// Bits of one element, all lanes of it.
pub fn bits(element: DLDataType) -> u32 {
    u32::from(element.bits) * u32::from(element.lanes)
}

/// Bytes of one element: none of a type whose elements are no whole bytes, or are of no bits.
pub fn bytes(element: DLDataType) -> Option<usize> {
    let bits = bits(element);
    (bits > 0 && bits % 8 == 0).then_some(bits as usize / 8)
}

/// What the CUDA Array Interface calls the type, in the byte order of this machine: none of a type that it has no word
/// for, as bfloat16 and the floats of 8 bits and fewer.
pub fn typestr(element: DLDataType) -> Option<&'static str> {
    let little = cfg!(target_endian = "little");
    let words = TYPESTRS.iter().find(|words| words.element == element)?;
    Some(if little { words.little } else { words.big })
}

/// The type that the CUDA Array Interface calls so: none of a word that is no such type, or is one in another machine's
/// byte order.
pub fn of_typestr(word: &str) -> Option<DLDataType> {
    let little = cfg!(target_endian = "little");
    let here = |words: &&Words| word == if little { words.little } else { words.big };
    TYPESTRS.iter().find(here).map(|words| words.element)
}

struct Words {
    element: DLDataType,
    little: &'static str,
    big: &'static str,
}

macro_rules! words {
    ($($code:ident $bits:literal: $little:literal $big:literal;)*) => {
        &[$(Words { element: of(DLDataTypeCode::$code, $bits), little: $little, big: $big },)*]
    };
}

/// What is of one byte has no byte order.
const TYPESTRS: &[Words] = words! {
    Bool 8: "|b1" "|b1";
    Int 8: "|i1" "|i1";
    Int 16: "<i2" ">i2";
    Int 32: "<i4" ">i4";
    Int 64: "<i8" ">i8";
    UInt 8: "|u1" "|u1";
    UInt 16: "<u2" ">u2";
    UInt 32: "<u4" ">u4";
    UInt 64: "<u8" ">u8";
    Float 16: "<f2" ">f2";
    Float 32: "<f4" ">f4";
    Float 64: "<f8" ">f8";
    Complex 64: "<c8" ">c8";
    Complex 128: "<c16" ">c16";
};

/// The type for people: `float32`, `bfloat16`, `uint8x4`, `float8_e4m3fn`; numbers where this version has no name.
pub fn name(element: DLDataType) -> String {
    let DLDataType { code, bits, lanes } = element;
    let name = match code.known() {
        Some(DLDataTypeCode::Int) => format!("int{bits}"),
        Some(DLDataTypeCode::UInt) => format!("uint{bits}"),
        Some(DLDataTypeCode::Float) => format!("float{bits}"),
        Some(DLDataTypeCode::Bfloat) => format!("bfloat{bits}"),
        Some(DLDataTypeCode::Complex) => format!("complex{bits}"),
        Some(DLDataTypeCode::Bool) if bits == 8 => "bool".to_owned(),
        Some(DLDataTypeCode::Bool) => format!("bool{bits}"),
        Some(DLDataTypeCode::OpaqueHandle) => format!("handle{bits}"),
        Some(float) => match SMALL_FLOATS.iter().find(|(code, of, _)| *code == float && *of == bits) {
            Some((_, _, name)) => (*name).to_owned(),
            None => format!("code {} of {bits} bits", code.raw()),
        },
        None => format!("code {} of {bits} bits", code.raw()),
    };
    if lanes == 1 { name } else { format!("{name}x{lanes}") }
}

/// The type that [`name`] calls so, of one lane.
pub fn of_name(name: &str) -> Option<DLDataType> {
    if let Some((code, bits, _)) = SMALL_FLOATS.iter().find(|(_, _, said)| *said == name) {
        return Some(of(*code, *bits));
    }
    if name == "bool" {
        return Some(of(DLDataTypeCode::Bool, 8));
    }
    let digits = name.find(|letter: char| letter.is_ascii_digit())?;
    let bits = name[digits..].parse().ok()?;
    let (code, all): (_, &[u8]) = match &name[..digits] {
        "int" => (DLDataTypeCode::Int, &[8, 16, 32, 64]),
        "uint" => (DLDataTypeCode::UInt, &[8, 16, 32, 64]),
        "float" => (DLDataTypeCode::Float, &[16, 32, 64]),
        "bfloat" => (DLDataTypeCode::Bfloat, &[16]),
        "complex" => (DLDataTypeCode::Complex, &[32, 64, 128]),
        _ => return None,
    };
    all.contains(&bits).then(|| of(code, bits))
}

const SMALL_FLOATS: &[(DLDataTypeCode, u8, &str)] = &[
    (DLDataTypeCode::Float8E3m4, 8, "float8_e3m4"),
    (DLDataTypeCode::Float8E4m3, 8, "float8_e4m3"),
    (DLDataTypeCode::Float8E4m3b11fnuz, 8, "float8_e4m3b11fnuz"),
    (DLDataTypeCode::Float8E4m3fn, 8, "float8_e4m3fn"),
    (DLDataTypeCode::Float8E4m3fnuz, 8, "float8_e4m3fnuz"),
    (DLDataTypeCode::Float8E5m2, 8, "float8_e5m2"),
    (DLDataTypeCode::Float8E5m2fnuz, 8, "float8_e5m2fnuz"),
    (DLDataTypeCode::Float8E8m0fnu, 8, "float8_e8m0fnu"),
    (DLDataTypeCode::Float6E2m3fn, 6, "float6_e2m3fn"),
    (DLDataTypeCode::Float6E3m2fn, 6, "float6_e3m2fn"),
    (DLDataTypeCode::Float4E2m1fn, 4, "float4_e2m1fn"),
];

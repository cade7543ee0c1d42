//! Rules that say something the macro can see to be wrong: each error is at the wrong word.

use wirecontract::{Flags, WireContract};

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
#[wire(enumeration)]
enum Backend {
    Auto = 0,
    Pool = 1,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
#[wire(flags)]
enum Usage {
    Read = 1,
}

macro_rules! ruled {
    ($($name:ident [$($rule:tt)+])+) => { $(
        #[derive(WireContract)]
        #[wire(descriptor, layout = packed, $($rule)+)]
        struct $name {
            #[wire(magic = b"AB")]
            magic: [u8; 2],
            #[wire(reserved)]
            spare: u8,
            offset: u64,
            size: u64,
            alloc_size: u64,
            valid: bool,
            ratio: f32,
            backend: Backend,
            usage: Flags<Usage>,
            #[wire(length_of = blob)]
            count: u8,
            blob: [u8; 4],
            #[wire(text)]
            name: [u8; 4],
        }
    )+ };
}

// What is no field.
ruled! {
    Misspelled [rule(offest + size <= alloc_size)]
    NoSuchField [rule(offset + length <= alloc_size)]
    BareValue [rule(Pool || valid)]
    BareBesideArithmetic [rule(backend + 1 == Pool)]
    FdCount [rule(fd_count == 1), at = import]
}

// What has no value.
ruled! {
    Magic [rule(magic == 5)]
    Reserved [rule(spare == 0)]
    Float [rule(ratio > 1)]
    Array [rule(blob == 0)]
    Text [rule(name != 0)]
    Data [rule(weight(size) > 0)]
    Behind [rule(size.low > 0)]
    LengthOfNumber [rule(len(size) > 0)]
    ProductOfNumber [rule(product(size) > 0)]
    ProductOfText [rule(product(name) > 0)]
    LeastOfNumber [rule(least(size) > 0)]
    ProductOfTwo [rule(product(blob, count) > 0)]
    HasOfNumber [rule(has(size, Read))]
    HasWhat [rule(has(usage, 1))]
    PresentAlways [rule(present(size))]
}

// Numbers and conditions.
ruled! {
    NumberAlone [rule(size)]
    ConditionAsNumber [rule(valid + 1 == 2)]
    NumberAsCondition [rule(valid && size)]
    NotOfNumber [rule(!size == valid)]
    MinusOfCondition [rule(-valid < 0)]
    IntOfNumber [rule(int(size) == 1)]
    Mixed [rule(valid == size)]
    NameOfNumber [rule(size == Pool || Pool != valid)]
    MixedResults [rule((size > 1) == (offset + 1))]
    Ordered [rule(valid < (size > 1))]
    Chained [rule(0 < size < 5)]
}

// What is no expression of a rule.
ruled! {
    Empty [rule()]
    OnlyName [rule(fits:)]
    Bits [rule(size & 1 == 0)]
    Shift [rule(size << 1 == 0)]
    Method [rule(blob.len() > 0)]
    Assigned [rule(size = 1)]
    Literal [rule(size == 18446744073709551616)]
    Negative [rule(size == -9223372036854775809)]
    Suffix [rule(size == 1u64)]
    Octal [rule(size == 0o17)]
    FloatLiteral [rule(size > 1.5)]
    Character [rule(size > 'x')]
    Cast [rule(size as u32 == 1)]
    If [rule(if valid { true } else { false })]
    Arguments [rule(len(blob, name) == 1)]
    Unfinished [rule(size ==)]
    WrongMoment [rule(size == 1), at = write]
    NoRule [at = import]
}

// Conditions on single fields.
#[derive(WireContract)]
#[wire(descriptor, layout = packed)]
struct Conditions {
    #[wire(magic = b"AB", one_of(backend: Pool))]
    magic: [u8; 2],
    backend: Backend,
    #[wire(one_of(backend))]
    untold: u8,
    #[wire(one_of(backnd: Pool))]
    misspelled: u8,
    #[wire(required_if(backend == Pool))]
    required: u8,
    #[wire(reserved, one_of(backend: Pool))]
    spare: u8,
}

fn main() {}

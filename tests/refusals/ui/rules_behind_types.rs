//! Rules that say something only the compiler can see to be wrong: each error is at the word.

use wirecontract::{Flags, Open, WireContract};

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
#[wire(enumeration)]
enum Backend {
    #[wire(data(weight = 1, real = false, label = "a"))]
    Auto = 0,
    #[wire(alias("Shared"), data(weight = 2, real = true, label = "b"))]
    Pool = 1,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
#[wire(enumeration)]
enum Other {
    First = 0,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
#[wire(flags)]
enum Usage {
    Read = 1,
}

type Number = u32;
type Truth = bool;
type Ratio = f32;
type Bytes = [u8; 4];

#[derive(WireContract)]
#[wire(descriptor, layout = packed)]
struct Inner {
    size: u64,
    ratio: f32,
    backend: Backend,
    bytes: [u8; 4],
}

macro_rules! ruled {
    ($($name:ident [$($rule:tt)+])+) => { $(
        #[derive(WireContract)]
        #[wire(descriptor, layout = packed, rule($($rule)+))]
        struct $name {
            number: Number,
            truth: Truth,
            ratio: Ratio,
            bytes: Bytes,
            backend: Backend,
            open: Open<Backend>,
            other: Other,
            usage: Flags<Usage>,
            inner: Inner,
        }
    )+ };
}

// Values that the type does not have.
ruled! {
    NoValue [backend == Vmm]
    NoValueOfOpen [Vmm != open]
    NoValueInPath [backend == Backend::Vmm]
    NoValueOfNested [inner.backend == Vmm]
    AnAlias [backend == SHARED]
    NoFlag [has(usage, Write)]
    NoNames [number == Vmm]
}

// Data that the values do not carry.
ruled! {
    NoKey [heft(backend) > 0]
    NoKeyAtAll [weight(other) > 0]
    TextKey [label(backend) > 0]
    NumberKey [weight(open)]
    ConditionKey [real(open) > 0]
}

// Numbers, conditions and neither.
ruled! {
    TruthAsNumber [truth + 1 > 0]
    NumberAsTruth [number && truth]
    FloatBehindAlias [ratio > 0]
    Unlike [truth == number]
    ArrayBehindAlias [bytes == 0]
    WholeDescriptor [inner == 0]
    NestedFloat [inner.ratio > 0]
    NestedArray [inner.bytes == 0]
}

// Fields that the nested contract does not have, or that have no length.
ruled! {
    NoSuchField [inner.length > 0]
    NoLength [len(number) > 0]
    NoNestedLength [len(inner.size) > 0]
    NoProduct [product(number) > 0]
    NoNestedLeast [least(inner.ratio) > 0]
    NoFlags [has(backend, Auto)]
}

#[derive(WireContract)]
#[wire(descriptor, layout = packed)]
struct Conditions {
    backend: Backend,
    #[wire(one_of(backend: Vmm))]
    unknown: u8,
    #[wire(one_of(backend: Pool))]
    whole: Inner,
}

// Of a contract that was refused, nothing more is said.
#[derive(WireContract, Clone, Copy)]
#[repr(u32)]
#[wire(enumeration, nonsense)]
enum Refused {
    One = 1,
}

#[derive(WireContract)]
#[wire(descriptor, layout = packed, rule(refused == Two && weight(refused) > 0 && refused < 4))]
struct HoldsRefused {
    refused: Refused,
}

// The zeros past a count would break the rule of the elements.
#[derive(WireContract)]
#[wire(descriptor, layout = packed, rule(number > 0))]
struct Element {
    number: u32,
}

#[derive(WireContract)]
#[wire(descriptor, layout = packed)]
struct Counted {
    #[wire(length_of = elements)]
    count: u8,
    elements: [Element; 2],
}

fn main() {}

//! A refused contract is used everywhere, and only its mistakes are errors.

use wirecontract::{Flags, Open, WireContract, WireError};

type Size = usize;

pub struct NoContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, version = 1, size = 40)]
pub struct Plain {
    #[wire(magic = b"ABCD")]
    pub magic: [u8; 4],
    #[wire(version = 3)]
    pub version: u32,
    pub list: Vec<u8>,
    #[wire(length_of = items)]
    pub count: u32,
    pub items: [f32; 3],
    #[wire(length_of(left, right))]
    pub both: u32,
    pub left: [f32; 3],
    pub right: [u16; 3],
    #[wire(text)]
    pub name: [u8; 8],
    pub mode: Mode,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 48)]
pub struct Behind {
    pub size: Size,
    #[wire(length_of = items)]
    pub count: u32,
    pub items: [Size; 2],
    pub other: NoContract,
    pub nested: Plain,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 40)]
pub struct Padded {
    pub kind: u8,
    pub mode: Open<Good>,
    #[wire(offset = 4)]
    pub value: u32,
}

#[derive(WireContract, Clone, Copy)]
#[wire(enumeration)]
pub enum Mode {
    #[wire(data(weight = 1))]
    Slow = 1,
    #[wire(alias("Quick"), data(weight = 2))]
    Fast = 2,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum Fault {
    Hot = 1,
    Wet = 3,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u32)]
#[wire(enumeration)]
pub enum Good {
    A = 0,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 100)]
pub struct Outer {
    pub plain: Plain,
    pub behind: [Behind; 2],
    pub mode: Mode,
    pub open: Open<Mode>,
    #[wire(offset = 90)]
    pub faults: Flags<Fault>,
    #[wire(length_of = many)]
    pub count: u8,
    pub many: [Plain; 3],
}

pub fn uses(bytes: &[u8]) -> Result<(), WireError> {
    let mut plain = Plain::from_bytes(bytes)?;
    let _: [u8; 40] = plain.to_bytes()?;
    const { assert!(Plain::WIRE_SIZE == 40) };
    let view = Plain::view(bytes)?;
    let _ = (view.list(), view.items(), view.name(), view.version(), view.mode());
    let _ = (Plain::MAGIC, Plain::VERSION, plain.items(), plain.name()?);
    plain.set_items(&[1.0])?;
    plain.set_both(&[1.0], &[1])?;
    plain.set_name("x")?;

    let mut behind = Behind::from_bytes(bytes)?;
    let _: [u8; 48] = behind.to_bytes()?;
    behind.set_items(&[1])?;
    let _ = behind.items().len();
    let view = Behind::view(bytes)?;
    let _ = (view.size(), view.items(), view.other(), view.nested().name());

    let (padded, _) = Padded::read_prefix(bytes)?;
    let _ = (padded.to_bytes()?, Padded::view(bytes)?.value());

    let outer = Outer::from_bytes(bytes)?;
    let _ = (outer.many(), Outer::view(bytes)?.behind());

    const WEIGHT: i64 = Mode::Fast.weight();
    let _ = (WEIGHT, Mode::QUICK, Fault::Hot | Fault::Wet, Fault::Wet | Flags::from(Fault::Hot));
    Ok(())
}

fn main() {}

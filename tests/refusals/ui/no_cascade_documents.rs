//! Refused recipes and unions are used everywhere, and only their mistakes are errors.

use wirecontract::{Flags, UnknownVariant, WireContract, WireError, WireJson};

#[derive(WireContract, Clone)]
#[wire(recipe, max_bytes = 0)]
pub struct Plain {
    pub a: u32,
    #[wire(default = 1)]
    pub b: Option<u32>,
    #[wire(default = "x")]
    pub c: Option<String>,
    #[wire(default = [0])]
    pub d: Option<Vec<u64>>,
    #[wire(default = Fast)]
    pub e: Option<Mode>,
    pub f: Option<usize>,
}

#[derive(WireContract, Clone, Copy)]
#[wire(enumeration)]
pub enum Mode {
    Fast = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum Fault {
    Hot = 1,
    Wet = 3,
}

#[derive(WireContract, Clone)]
#[wire(union, tag = "op", tag_default = Missing)]
pub enum Choice {
    Plain(Plain),
    Nothing,
    #[wire(open)]
    Other(UnknownVariant),
}

#[derive(WireContract)]
#[wire(recipe, rule(plain.b > 0 && len(plain.d) > 0 && choice != Nothing && mode == Fast))]
pub struct Outer {
    #[wire(flatten)]
    pub plain: Plain,
    #[wire(flatten)]
    pub choice: Choice,
    pub many: Vec<Plain>,
    pub boxed: Option<Box<Choice>>,
    pub mode: Mode,
    pub faults: Option<Flags<Fault>>,
}

#[derive(WireContract)]
#[wire(union, untagged)]
pub enum Either {
    Plain(Plain),
    Outer(Box<Outer>),
}

pub fn uses(document: &[u8]) -> Result<(), WireError> {
    let plain = Plain::from_json(document)?;
    let _: (u32, &str, &[u64]) = (plain.b(), plain.c(), plain.d());
    let _: String = plain.clone().with_defaults().to_json()?;
    plain.validate_import(0)?;
    let choice = Choice::from_json(document)?;
    let _: &str = choice.tag();
    let (outer, _) = Outer::from_json_lenient(document)?;
    let _ = (outer.choice.tag(), outer.many.len());
    let _ = Either::Plain(plain).to_json()?;
    Ok(())
}

fn main() {}

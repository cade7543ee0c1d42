//! The declarations whose building is measured: one list, for contracts and for zerocopy's derives.

use std::fmt::{self, Write as _};

/// Descriptors, and enumerations: one each in a pair.
pub(super) const PAIRS: usize = 200;

/// What the types derive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Derives {
    /// `WireContract`.
    Contract,
    /// The traits of zerocopy that read and write such types: no fewer would do.
    Zerocopy,
}

impl Derives {
    const fn names(self) -> &'static str {
        match self {
            Derives::Contract => "WireContract",
            Derives::Zerocopy => "TryFromBytes, IntoBytes, KnownLayout, Immutable",
        }
    }

    const fn import(self) -> &'static str {
        match self {
            Derives::Contract => "use wirecontract::WireContract;",
            Derives::Zerocopy => "use zerocopy::{Immutable, IntoBytes, KnownLayout, TryFromBytes};",
        }
    }
}

/// A crate of all declarations.
pub(super) fn library(derives: Derives) -> String {
    let mut source = format!("//! Reports of many units.\n\n{}\n", derives.import());
    for index in 0..PAIRS {
        enumeration(&mut source, derives, index)
            .and_then(|()| descriptor(&mut source, derives, index))
            .expect("a string takes what is written");
    }
    source
}

fn enumeration(out: &mut String, derives: Derives, index: usize) -> fmt::Result {
    let names = derives.names();
    write!(
        out,
        "\n/// The states that unit {index} goes through.\n#[derive({names}, Clone, Copy, Debug, PartialEq, Eq)]\n\
         #[repr(u32)]\n"
    )?;
    if derives == Derives::Contract {
        out.push_str("#[wire(enumeration)]\n");
    }
    writeln!(out, "pub enum State{index} {{")?;
    for value in 0..6 {
        writeln!(
            out,
            "    /// Step {value} of the cycle, entered from the one before.\n    Step{value} = {value},"
        )?;
    }
    out.push_str("}\n");
    Ok(())
}

fn descriptor(out: &mut String, derives: Derives, index: usize) -> fmt::Result {
    let names = derives.names();
    write!(
        out,
        "\n/// What unit {index} reports each time it is asked.\n#[derive({names}, Clone, Debug, PartialEq)]\n\
         #[repr(C)]\n"
    )?;
    if derives == Derives::Contract {
        out.push_str("#[wire(descriptor, version = 1)]\n");
    }
    writeln!(out, "pub struct Report{index} {{")?;
    let state = format!("State{index}");
    // Every other one nests the one before, which nests nothing.
    let (last, last_type) = if index % 2 == 1 {
        ("previous", format!("Report{}", index - 1))
    } else {
        ("origin", "[f64; 3]".into())
    };
    let fields = [
        ("magic", "[u8; 4]", "magic = b\"UNIT\""),
        ("revision", "u32", "version = 1"),
        ("state", &state, ""),
        ("sample_count", "u32", "length_of = samples"),
        ("timestamp", "u64", ""),
        ("sequence", "u64", ""),
        ("gain", "f32", ""),
        ("unused", "u32", "reserved"),
        ("samples", "[u16; 32]", ""),
        ("serial", "[u8; 32]", ""),
        (last, &last_type, ""),
    ];
    for (name, ty, wire) in fields {
        let words = name.replace('_', " ");
        writeln!(out, "    /// The {words} of unit {index}, as its manual has it.")?;
        if derives == Derives::Contract && !wire.is_empty() {
            writeln!(out, "    #[wire({wire})]")?;
        }
        writeln!(out, "    pub {name}: {ty},")?;
    }
    out.push_str("}\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_crates_declare_the_same_types() {
        let strip = |derives| {
            let all = library(derives);
            let lines = all.lines().filter(|line| {
                let line = line.trim_start();
                !line.starts_with("#[wire") && !line.starts_with("#[derive") && !line.starts_with("use ")
            });
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(strip(Derives::Contract), strip(Derives::Zerocopy));
    }
}

//! Enumerations and flags.

use std::collections::BTreeSet;

use super::{Declared, World, docs, line, wire, words};
use crate::random::Random;

const REPRS: [(&str, usize); 8] =
    [("u8", 1), ("i8", 1), ("u16", 2), ("i16", 2), ("u32", 4), ("i32", 4), ("u64", 8), ("i64", 8)];

pub(super) const STYLES: [&str; 8] = [
    "lowercase",
    "UPPERCASE",
    "PascalCase",
    "camelCase",
    "snake_case",
    "SCREAMING_SNAKE_CASE",
    "kebab-case",
    "SCREAMING-KEBAB-CASE",
];

/// An enumeration with numbers all over its repr.
pub(super) fn enumeration(world: &mut World, number: usize, random: &mut Random) -> String {
    let name = words::type_name(number, random);
    let &(repr, size) = random.pick(&REPRS);
    let numbers = numbers(repr, size, random);
    let zero = numbers.contains(&0);
    let path = world.declare(&name, None);
    let mut text = String::new();
    docs(&mut text, 1, &format!("The enumeration {name}."), random);
    let mut keys = vec!["enumeration".to_owned()];
    let integer = random.one_in(3);
    if integer {
        keys.push("as = integer".to_owned());
    } else if random.one_in(6) {
        keys.push("as = names".to_owned());
    }
    if !integer && random.one_in(3) {
        keys.push("case = fold".to_owned());
    }
    keys.extend(common_keys(&name, number, random));
    head(&mut text, &name, repr, &keys, random);
    let kinds = data_kinds(random);
    let names = words::values(random);
    let values = names.iter().take(numbers.len()).map(|&name| name.to_owned()).collect();
    let data = kinds.iter().filter(|(_, kind)| !matches!(kind, Datum::Text));
    let data = data.map(|(key, kind)| ((*key).to_owned(), matches!(kind, Datum::Bool))).collect();
    let module = world.module;
    world.enumerations.push(Declared {
        module,
        path,
        size,
        align: size,
        zero,
        values,
        numbers: numbers.clone(),
        data,
        integer,
        ..Declared::default()
    });
    for (index, (value, number)) in names.iter().zip(&numbers).enumerate() {
        docs(&mut text, 2, &format!("The value {value}."), random);
        let mut keys = value_keys(&name, value, index, random);
        if !kinds.is_empty() {
            let pairs: Vec<String> =
                kinds.iter().map(|(key, kind)| format!("{key} = {}", datum(*kind, random))).collect();
            keys.push(format!("data({})", pairs.join(", ")));
        }
        wire(&mut text, 2, &keys, random);
        line(&mut text, 2, &format!("{value} = {},", spelled(*number, repr, random)));
    }
    text + "    }\n\n"
}

/// Flags of one bit or several.
pub(super) fn flags(world: &mut World, number: usize, random: &mut Random) -> String {
    let name = words::type_name(number, random);
    let &(repr, size) = random.pick(&[("u8", 1), ("u16", 2), ("u32", 4), ("u64", 8)]);
    let path = world.declare(&name, None);
    let mut values = Vec::new();
    let mut bits: Vec<usize> = (0..size * 8).collect();
    random.shuffle(&mut bits);
    let mut text = String::new();
    docs(&mut text, 1, &format!("The flags {name}."), random);
    let mut keys = vec!["flags".to_owned()];
    let is_open = random.one_in(3);
    keys.extend(if is_open {
        Some("open".to_owned())
    } else {
        random.one_in(2).then(|| "closed".to_owned())
    });
    let integer = is_open || random.one_in(2);
    keys.extend((!integer).then(|| "as = names".to_owned()));
    keys.extend(common_keys(&name, number, random));
    head(&mut text, &name, repr, &keys, random);
    for (index, value) in words::values(random).iter().take(random.between(1, 6)).enumerate() {
        let wide = if random.one_in(4) { 2 } else { 1 };
        let mask = bits.drain(..wide.min(bits.len())).fold(0_u64, |mask, bit| mask | 1 << bit);
        if mask == 0 {
            break;
        }
        values.push((*value).to_owned());
        docs(&mut text, 2, &format!("The flag {value}."), random);
        wire(&mut text, 2, &value_keys(&name, value, index, random), random);
        line(&mut text, 2, &format!("{value} = {},", spelled(i128::from(mask), repr, random)));
    }
    let module = world.module;
    world.flags.push(Declared {
        module,
        path,
        size,
        align: size,
        zero: true,
        values,
        integer,
        ..Declared::default()
    });
    text + "    }\n\n"
}

fn head(text: &mut String, name: &str, repr: &str, keys: &[String], random: &mut Random) {
    line(text, 1, "#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]");
    line(text, 1, &format!("#[repr({repr})]"));
    wire(text, 1, keys, random);
    line(text, 1, &format!("pub enum {name} {{"));
}

fn common_keys(name: &str, number: usize, random: &mut Random) -> Vec<String> {
    let mut keys = Vec::new();
    if random.one_in(2) {
        keys.push(format!("rename_all = {:?}", random.pick(&STYLES)));
    }
    if random.one_in(6) {
        keys.push(format!("c_name = \"fixed_{number}_t\""));
    }
    keys.extend(history_keys(name, random));
    keys
}

/// Keys about a contract's past.
pub(super) fn history_keys(name: &str, random: &mut Random) -> Vec<String> {
    let mut keys = Vec::new();
    if random.one_in(8) {
        keys.push(format!("was = \"Old{name}\""));
    }
    if random.one_in(8) {
        keys.push(format!("since = {}", random.between(1, 9)));
    }
    if random.one_in(8) {
        keys.push("deprecated = \"use \\\"the other\\\" */ one\"".to_owned());
    }
    if random.one_in(8) {
        keys.push("crate = ::wirecontract".to_owned());
    }
    keys
}

fn value_keys(name: &str, value: &str, index: usize, random: &mut Random) -> Vec<String> {
    let mut keys = Vec::new();
    if random.one_in(5) {
        keys.push(format!(
            "name = {:?}",
            random.pick(&[format!("own-{index}"), format!("<u{index}"), format!("é {index}")])
        ));
    }
    if random.one_in(4) {
        let second = if random.one_in(2) { format!(", \"|other {index}\"") } else { String::new() };
        keys.push(format!("alias(\"old_{index}\"{second})"));
    }
    if random.one_in(10) {
        keys.push(format!("c_name = \"FIXED_{}_{}\"", name.to_uppercase(), value.to_uppercase()));
    }
    if random.one_in(12) {
        keys.push("since = 2".to_owned());
    }
    if random.one_in(12) {
        keys.push("deprecated = \"\"".to_owned());
    }
    keys
}

/// Distinct numbers: small ones, neighbours, and the ends of the repr.
fn numbers(repr: &str, size: usize, random: &mut Random) -> Vec<i128> {
    let bits = 8 * size;
    let signed = repr.starts_with('i');
    let (lowest, highest) =
        if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let mut numbers = BTreeSet::new();
    for _ in 0..random.between(1, 7) {
        numbers.insert(match random.below(8) {
            0 => lowest,
            1 => highest,
            2 => highest - 1,
            3 if signed => -1,
            4 => i128::from(random.bits()).rem_euclid(highest) + i128::from(!signed),
            _ => random.below(6) as i128,
        });
    }
    let mut numbers: Vec<i128> = numbers.into_iter().collect();
    random.shuffle(&mut numbers);
    numbers
}

/// A number in one of the spellings that the derive reads.
fn spelled(number: i128, repr: &str, random: &mut Random) -> String {
    match random.below(4) {
        0 if number >= 0 => format!("{number:#x}"),
        1 if number > 0 && number.count_ones() == 1 => format!("1 << {}", number.trailing_zeros()),
        2 if number >= 0 => format!("{number}{repr}"),
        3 if (2..1000).contains(&number) => format!("({} + 1)", number - 1),
        _ => number.to_string(),
    }
}

#[derive(Debug, Clone, Copy)]
enum Datum {
    Signed,
    Unsigned,
    Bool,
    Text,
}

fn data_kinds(random: &mut Random) -> Vec<(&'static str, Datum)> {
    const KEYS: [&str; 8] =
        ["sample_bytes", "typestr", "explicit", "real", "planar", "volatile", "numerator", "title"];
    if !random.one_in(3) {
        return Vec::new();
    }
    let mut keys = KEYS.to_vec();
    random.shuffle(&mut keys);
    let kinds = [Datum::Signed, Datum::Unsigned, Datum::Bool, Datum::Text];
    keys.into_iter().take(random.between(1, 3)).map(|key| (key, *random.pick(&kinds))).collect()
}

fn datum(kind: Datum, random: &mut Random) -> String {
    match kind {
        Datum::Signed => (*random.pick(&[0, 1, -1, i64::MIN, i64::MAX])).to_string(),
        Datum::Unsigned => (*random.pick(&[0, 1, u64::MAX])).to_string(),
        Datum::Bool => random.one_in(2).to_string(),
        Datum::Text => {
            (*random.pick(&["\"\"", "\"<u2\"", "\"a\\\"b\\\\c\\n\\u{1}é😀\"", "\"??/ */ %s\""])).to_owned()
        }
    }
}

//! Descriptors.

use super::rules::{Is, Presence, Rules, Subject};
use super::{Declared, Tag, World, docs, line, values, wire, words};
use crate::random::Random;

/// Beyond this many bytes a descriptor gets no more fields.
const FULL: usize = 700;
/// What is larger is not nested.
const NESTABLE: usize = 250;

/// A field that has no place yet.
struct Draft {
    name: &'static str,
    /// Its type in Rust.
    ty: String,
    size: usize,
    align: usize,
    keys: Vec<String>,
    /// Whether all-zero bytes are a value of it.
    zero: bool,
    /// What rules see of it.
    is: Is,
    /// Whether it is a value that a condition may be about: a nested descriptor says that of its own fields.
    is_value: bool,
}

impl Draft {
    /// Whether it has a key that begins with this word.
    fn says(&self, word: &str) -> bool {
        self.keys.iter().any(|key| key.starts_with(word))
    }
}

/// An element, and what may be said of it.
struct Element {
    ty: String,
    size: usize,
    align: usize,
    zero: bool,
    /// Whether it has a byte order.
    ordered: bool,
    is: Is,
}

/// A descriptor; what it needs besides (aliases of types) stands before it.
pub(super) fn descriptor(world: &mut World, number: usize, random: &mut Random) -> String {
    let name = words::type_name(number, random);
    let packed = random.one_in(2);
    let mut names = words::fields(random).into_iter();
    let mut aliases = String::new();
    let mut fields = Vec::new();
    for _ in 0..random.between(1, 9) {
        if fields.iter().map(|field: &Draft| field.size).sum::<usize>() < FULL {
            field(world, &format!("{name}_{}", fields.len()), &mut names, &mut aliases, &mut fields, random);
        }
    }
    random.shuffle(&mut fields);
    let mut fields = if packed { fields } else { padded(fields, random) };
    // Also those that no rule may ask: a word that is one of them is no value of an enumeration.
    let subjects: Vec<Subject> = fields
        .iter()
        .map(|field| Subject { word: field.name.to_owned(), is: field.is.clone(), presence: Presence::There })
        .collect();
    let rules = rules(&subjects, &mut fields, random);
    let size = fields.iter().map(|field| field.size).sum();
    let align = if packed { 1 } else { fields.iter().map(|field| field.align).max().unwrap_or(1) };
    // Where rules have to hold of it, nobody here knows whether they do of zeros.
    let zero = rules.iter().all(|rule| rule.ends_with("at = import"))
        && fields.iter().all(|field| field.zero && !field.keys.iter().any(|key| key.starts_with("one_of")));
    let sizes = if random.one_in(4) { grown(&mut fields, random) } else { Vec::new() };
    let path = world.declare(&name, Some(size));
    let module = world.module;
    let tags = fields.iter().flat_map(|field| tags(world, field)).collect();
    let has_version = fields.iter().any(|field| field.says("version"));
    let declared = Declared { module, path, size, align, zero, tags, subjects, ..Declared::default() };
    // What grows stands last at most, and what holds it grows with it.
    if sizes.is_empty() {
        world.descriptors.push(declared);
    } else if has_version {
        world.growing.push(declared);
    }

    let mut text = aliases;
    docs(&mut text, 1, &format!("The descriptor {name}."), random);
    line(&mut text, 1, "#[derive(WireContract, Clone, Debug, PartialEq)]");
    if !packed || random.one_in(4) {
        line(&mut text, 1, "#[repr(C)]");
    }
    let mut keys = container_keys(&name, number, (size, &sizes), packed, random);
    keys.extend(rules);
    wire(&mut text, 1, &keys, random);
    line(&mut text, 1, &format!("pub struct {name} {{"));
    let mut offset = 0;
    for mut field in fields {
        docs(&mut text, 2, &format!("The field {}.", field.name.trim_start_matches("r#")), random);
        if random.one_in(6) {
            field.keys.push(format!("offset = {offset}"));
        }
        wire(&mut text, 2, &field.keys, random);
        line(&mut text, 2, &format!("pub {}: {},", field.name, field.ty));
        offset += field.size;
    }
    text + "    }\n\n"
}

/// What of a field can say which message follows.
fn tags(world: &World, field: &Draft) -> Vec<Tag> {
    if ["length_of", "version", "reserved"].iter().any(|word| field.says(word)) {
        return Vec::new();
    }
    let path = |rest: &str| format!("{}{rest}", field.name);
    match &field.is {
        Is::Number => {
            let highest = match field.ty.trim_start_matches(['u', 'i']).parse::<u32>() {
                Ok(bits) => u64::MAX >> (64 - bits + u32::from(field.ty.starts_with('i'))),
                Err(_) => return Vec::new(),
            };
            vec![Tag { path: path(""), numbers: vec![0, 1, 2, 3, 7, 100, highest - 1, highest] }]
        }
        Is::Value { path: of, .. } => {
            let declared = world.enumerations.iter().find(|declared| declared.path == *of);
            let numbers = declared.map_or(&[][..], |declared| &declared.numbers);
            let numbers: Vec<u64> = numbers.iter().filter_map(|&number| number.try_into().ok()).collect();
            if numbers.is_empty() { Vec::new() } else { vec![Tag { path: path(""), numbers }] }
        }
        Is::Nested(_) => {
            let declared = world.descriptors.iter().find(|declared| declared.path == field.ty);
            let tags = declared.map_or(&[][..], |declared| &declared.tags).iter();
            tags.map(|tag| Tag { path: path(&format!(".{}", tag.path)), ..tag.clone() }).collect()
        }
        _ => Vec::new(),
    }
}

/// Rules across the fields, and conditions on single ones.
fn rules(subjects: &[Subject], fields: &mut [Draft], random: &mut Random) -> Vec<String> {
    let rules = Rules::of(subjects, &[], false);
    if rules.is_empty() {
        return Vec::new();
    }
    for field in fields {
        if field.is_value && random.one_in(12) {
            let is_own = |subject: &Subject| subject.word == field.name;
            let others = subjects.iter().map(|subject| Subject {
                is: if is_own(subject) { Is::Nothing } else { subject.is.clone() },
                ..subject.clone()
            });
            let others: Vec<Subject> = others.collect();
            field.keys.extend(Rules::of(&others, &[], false).one_of(random));
        }
    }
    if random.one_in(2) { Vec::new() } else { rules.rules(random.between(1, 2), random) }
}

/// Says of some of the last fields that they came with later versions, and gives the sizes of the versions; nothing where
/// the fields do not go with it.
fn grown(fields: &mut [Draft], random: &mut Random) -> Vec<usize> {
    if fields.iter().filter(|field| field.says("version")).count() > 1 {
        return Vec::new();
    }
    // Counts and what they count come together, and what messages are known by is always there.
    let counts = |fields: &[Draft]| fields.iter().any(|field| field.says("length_of"));
    let may = |at: usize| {
        let late = &fields[at..];
        late.iter().all(|field| field.zero && !field.says("version") && !field.says("magic"))
            && (!counts(fields)
                || !counts(late) && late.iter().all(|field| !matches!(field.is, Is::Long | Is::Integers)))
    };
    let splits: Vec<usize> = (1..fields.len()).filter(|&at| may(at)).collect();
    if splits.is_empty() {
        return Vec::new();
    }
    let mut chosen: Vec<usize> = (0..random.between(1, 2)).map(|_| *random.pick(&splits)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let ends = chosen.iter().copied().chain([fields.len()]);
    let sizes: Vec<usize> = ends.map(|end| fields[..end].iter().map(|field| field.size).sum()).collect();
    for (index, field) in fields.iter_mut().enumerate() {
        field.keys.retain(|key| !key.starts_with("since"));
        for key in field.keys.iter_mut().filter(|key| key.starts_with("version")) {
            *key = format!("version = {}", sizes.len());
        }
        let before = chosen.iter().filter(|&&at| at <= index).count();
        if before > 0 {
            field.keys.push(format!("since = {}", before + 1));
            if !field.keys.iter().any(|key| key.starts_with("reserved")) {
                field.keys.push(default_of(field, random));
            }
        }
    }
    sizes
}

/// A default of a field, which may be zero.
fn default_of(field: &Draft, random: &mut Random) -> String {
    let written = match field.ty.as_str() {
        "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64" => random.between(0, 127).to_string(),
        "f32" | "f64" => "-0.5".to_owned(),
        "bool" => "true".to_owned(),
        _ if field.size > 2 && field.keys.iter().any(|key| key == "text") => "\"é\"".to_owned(),
        _ => return "default".to_owned(),
    };
    if random.one_in(4) { "default".to_owned() } else { format!("default = {written}") }
}

fn container_keys(
    name: &str,
    number: usize,
    (size, sizes): (usize, &[usize]),
    packed: bool,
    random: &mut Random,
) -> Vec<String> {
    let mut keys = vec!["descriptor".to_owned()];
    if packed {
        keys.push("layout = packed".to_owned());
    } else if random.one_in(3) {
        keys.push("layout = natural".to_owned());
    }
    if random.one_in(2) {
        keys.push(format!("endian = {}", random.pick(&["little", "big", "native"])));
    }
    if !sizes.is_empty() {
        let sizes = (1..).zip(sizes).map(|(version, size)| format!("v{version} = {size}"));
        keys.push(format!("size({})", sizes.collect::<Vec<_>>().join(", ")));
    } else if random.one_in(2) {
        keys.push(format!("size = {size}"));
    }
    if sizes.is_empty() && random.one_in(4) {
        keys.push(format!("version = {}", random.between(9, 12)));
    }
    if random.one_in(6) {
        keys.push(format!("c_name = \"fixed_{number}_t\""));
    }
    keys.extend(values::history_keys(name, random));
    keys
}

/// One field, or a count and what it counts.
fn field(
    world: &World,
    alias: &str,
    names: &mut impl Iterator<Item = &'static str>,
    aliases: &mut String,
    fields: &mut Vec<Draft>,
    random: &mut Random,
) {
    let mut push =
        |ty: String, size, align, keys: Vec<String>, zero, is: Is, is_value, random: &mut Random| {
            if let Some(name) = names.next() {
                let mut keys = keys;
                keys.extend(field_keys(name, random));
                fields.push(Draft { name, ty, size, align, keys, zero, is, is_value });
                return name.trim_start_matches("r#");
            }
            ""
        };
    let order = |random: &mut Random| random.one_in(3).then(|| order(random));
    match random.below(12) {
        0 => {
            let magic = *random.pick(&[
                ("b\"CVIP\"", 4),
                ("b\"\\x89w\\r\\n\\0\\\"\\\\\"", 7),
                ("b\"a magic of some length\"", 22),
                ("b\"M\"", 1),
            ]);
            push(
                format!("[u8; {}]", magic.1),
                magic.1,
                1,
                vec![format!("magic = {}", magic.0)],
                false,
                Is::Nothing,
                false,
                random,
            );
        }
        1 => {
            let &(ty, size) = random.pick(&[("u8", 1), ("u16", 2), ("u32", 4), ("u64", 8)]);
            let mut keys = vec![format!("version = {}", random.pick(&[1, 2, 3, 255]))];
            keys.extend(order(random));
            // In no rule: languages differ in whether a writer's rules see the version it was given or the one it writes.
            push(ty.to_owned(), size, size, keys, false, Is::Nothing, false, random);
        }
        2 => {
            let key = *random.pick(&["reserved", "reserved(zero)"]);
            let &(ty, size, align) = random.pick(&[
                ("u8", 1, 1),
                ("u32", 4, 4),
                ("[i16; 3]", 6, 2),
                ("u64", 8, 8),
                ("[[u8; 2]; 3]", 6, 1),
            ]);
            push(ty.to_owned(), size, align, vec![key.to_owned()], true, Is::Nothing, false, random);
        }
        3 => {
            let size = *random.pick(&[1, 2, 4, 5, 16, 33]);
            push(format!("[u8; {size}]"), size, 1, vec!["text".to_owned()], true, Is::Long, true, random);
        }
        4 | 5 => {
            let targets = if random.one_in(3) { 2 } else { 1 };
            let mut counted = Vec::new();
            for target in 0..targets {
                let element = loop {
                    let element = element(world, random);
                    if element.zero {
                        break element;
                    }
                };
                let rank = random.between(1, 2);
                let (ty, size, keys) = array(&element, rank, &format!("{alias}_{target}"), aliases, random);
                let is_value = !matches!(element.is, Is::Nested(_));
                let is = of_array(&element, rank);
                counted.push(push(ty, size, element.align, keys, true, is, is_value, random));
            }
            counted.retain(|name| !name.is_empty());
            let &(ty, size) = random.pick(&[("u8", 1), ("u16", 2), ("u32", 4), ("u64", 8)]);
            let mut keys = match counted.as_slice() {
                [] => return,
                [one] if random.one_in(2) => vec![format!("length_of = {}", raw(one))],
                several => {
                    let several: Vec<String> = several.iter().map(|name| raw(name)).collect();
                    vec![format!("length_of({})", several.join(", "))]
                }
            };
            keys.extend(order(random));
            if push(ty.to_owned(), size, size, keys, true, Is::Number, false, random).is_empty() {
                // Without a name for the count, what it was to count is only an array.
            }
        }
        6..=8 => {
            let element = element(world, random);
            let rank = random.between(1, 3);
            let (ty, size, keys) = array(&element, rank, alias, aliases, random);
            let is_value = !matches!(element.is, Is::Nested(_));
            let is = of_array(&element, rank);
            push(ty, size, element.align, keys, element.zero, is, is_value, random);
        }
        _ => {
            let element = element(world, random);
            let keys = if element.ordered { order(random).into_iter().collect() } else { Vec::new() };
            let is_value = !matches!(element.is, Is::Nested(_));
            push(element.ty, element.size, element.align, keys, element.zero, element.is, is_value, random);
        }
    }
}

fn order(random: &mut Random) -> String {
    format!("endian = {}", random.pick(&["little", "big", "native"]))
}

/// What any field may say of itself.
pub(super) fn field_keys(name: &str, random: &mut Random) -> Vec<String> {
    let mut keys = Vec::new();
    let plain = name.trim_start_matches("r#");
    if random.one_in(12) {
        keys.push(format!("c_name = \"member_{}\"", plain.to_lowercase()));
    }
    if random.one_in(16) {
        keys.push(format!("was = {:?}", format!("old_{plain}")));
    }
    if random.one_in(16) {
        keys.push("since = 3".to_owned());
    }
    if random.one_in(16) {
        keys.push("deprecated = \"no longer\\nset\"".to_owned());
    }
    keys
}

fn element(world: &World, random: &mut Random) -> Element {
    const SCALARS: [(&str, usize); 11] = [
        ("bool", 1),
        ("u8", 1),
        ("i8", 1),
        ("u16", 2),
        ("i16", 2),
        ("u32", 4),
        ("i32", 4),
        ("u64", 8),
        ("i64", 8),
        ("f32", 4),
        ("f64", 8),
    ];
    let of = |declared: &Declared, ty: String, zero, ordered, is| Element {
        ty,
        size: declared.size,
        align: declared.align,
        zero,
        ordered,
        is,
    };
    let value = |declared: &Declared| Is::Value {
        path: declared.path.clone(),
        values: declared.values.clone(),
        data: declared.data.clone(),
    };
    let enumerations = world.usable(&world.enumerations);
    let flags = world.usable(&world.flags);
    let mut nestable = world.usable(&world.descriptors);
    nestable.retain(|one| one.size <= NESTABLE);
    match random.below(12) {
        0 | 1 if !enumerations.is_empty() => {
            let chosen = *random.pick(&enumerations);
            of(chosen, chosen.path.clone(), chosen.zero, chosen.size > 1, value(chosen))
        }
        2 if !enumerations.is_empty() => {
            let chosen = *random.pick(&enumerations);
            of(chosen, format!("Open<{}>", chosen.path), true, chosen.size > 1, value(chosen))
        }
        3 if !flags.is_empty() => {
            let chosen = *random.pick(&flags);
            of(
                chosen,
                format!("Flags<{}>", chosen.path),
                true,
                chosen.size > 1,
                Is::Flags(chosen.values.clone()),
            )
        }
        4 | 5 if !nestable.is_empty() => {
            let chosen = *random.pick(&nestable);
            of(chosen, chosen.path.clone(), chosen.zero, false, Is::Nested(chosen.subjects.clone()))
        }
        6 => Element { ty: "u8".to_owned(), size: 1, align: 1, zero: true, ordered: false, is: Is::Number },
        _ => {
            let &(ty, size) = random.pick(&SCALARS);
            let is = match ty {
                "bool" => Is::Truth,
                "f32" | "f64" => Is::Nothing,
                _ => Is::Number,
            };
            Element { ty: ty.to_owned(), size, align: size, zero: true, ordered: size > 1, is }
        }
    }
}

/// What a rule may ask of an array of such elements.
fn of_array(element: &Element, rank: usize) -> Is {
    if rank == 1 && matches!(element.is, Is::Number) { Is::Integers } else { Is::Long }
}

/// An array type in one of the ways to write it, its size, and its keys.
fn array(
    element: &Element,
    rank: usize,
    alias: &str,
    aliases: &mut String,
    random: &mut Random,
) -> (String, usize, Vec<String>) {
    let most = match element.size {
        0..=2 => 9,
        3..=8 => 5,
        9..=64 => 3,
        _ => 2,
    };
    let mut ty = element.ty.clone();
    let mut size = element.size;
    for dimension in 0..rank {
        let length = random.between(1, if dimension > 0 { 3 } else { most });
        let spelled = match (length, random.below(4)) {
            (3, 0) => "THREE".to_owned(),
            (5, 0 | 1) => "FIVE".to_owned(),
            (4, 0) => "THREE + 1".to_owned(),
            (2, 0) => "FIVE - THREE".to_owned(),
            _ => length.to_string(),
        };
        ty = format!("[{ty}; {spelled}]");
        size *= length;
        if random.one_in(10) {
            line(aliases, 1, "/// Another name.");
            line(aliases, 1, &format!("pub type Alias_{alias}_{dimension} = {ty};"));
            ty = format!("Alias_{alias}_{dimension}");
        }
    }
    let keys = if element.ordered && random.one_in(3) { vec![order(random)] } else { Vec::new() };
    (ty, size, keys)
}

/// The fields of a natural layout with reserved ones where C would pad.
fn padded(fields: Vec<Draft>, random: &mut Random) -> Vec<Draft> {
    const PADS: [&str; 12] = [
        "_pad0", "_pad1", "_pad2", "_pad3", "_pad4", "_pad5", "_pad6", "_pad7", "_pad8", "_pad9", "_pad10",
        "_pad11",
    ];
    let mut pads = PADS.iter();
    let mut pad = |offset: usize, align: usize, random: &mut Random| {
        let gap = (align - offset % align) % align;
        (gap > 0).then(|| Draft {
            name: pads.next().expect("no more gaps than fields, and one at the end"),
            ty: format!("[u8; {gap}]"),
            size: gap,
            align: 1,
            keys: vec![(*random.pick(&["reserved", "reserved(zero)"])).to_owned()],
            zero: true,
            is: Is::Nothing,
            is_value: false,
        })
    };
    let align = fields.iter().map(|field| field.align).max().unwrap_or(1);
    let mut placed = Vec::new();
    let mut offset = 0;
    for field in fields {
        if let Some(pad) = pad(offset, field.align, random) {
            offset += pad.size;
            placed.push(pad);
        }
        offset += field.size;
        placed.push(field);
    }
    placed.extend(pad(offset, align, random));
    placed
}

/// A name as an attribute spells it.
fn raw(name: &str) -> String {
    crate::differential::identifier(name)
}

//! Recipes: every type of a key, every way for it to be there.

use std::collections::BTreeSet;

use super::rules::{Is, Presence, Rules, Subject};
use super::values::STYLES;
use super::{Declared, Needs, World, docs, line, plain, values, wire, words};
use crate::random::Random;

/// What is larger is not spelled in a document.
const SPELLABLE: usize = 120;

/// What a key holds.
pub(super) struct Held {
    pub(super) ty: String,
    /// Bounds and spelling.
    keys: Vec<String>,
    is: Is,
    /// A default of it, where it can be written out.
    pub(super) default: Option<String>,
    /// What a value needs at most that needs least.
    pub(super) needs: Needs,
}

impl Held {
    fn new(ty: impl Into<String>, is: Is) -> Self {
        let ty = ty.into();
        let (bytes, depth) = match &*ty {
            "[u8; 16]" => (38, 0),
            "[[i8; 2]; 3]" => (20, 2),
            ty if ty.starts_with('[') => (20, 1),
            ty if ty.starts_with("Vec<") || ty.starts_with("BTreeMap<") || ty.starts_with("Flags<") => (2, 1),
            ty if ty.contains("::") => (60, 0),
            _ => (5, 0),
        };
        Held { ty, keys: Vec::new(), is, default: None, needs: Needs { bytes, depth } }
    }
}

struct Draft {
    name: String,
    ty: String,
    keys: Vec<String>,
    subject: Subject,
    /// Whether it may be absent, and stays so.
    optional: bool,
    /// The key as [`plain`] has it, where it must be there.
    required: Option<String>,
    /// Whether it is a part that keeps keys which are nobody's.
    keeps_others: bool,
    needs: Needs,
}

/// A recipe.
pub(super) fn recipe(world: &mut World, number: usize, random: &mut Random) -> String {
    let name = words::type_name(number, random);
    let mut taken = BTreeSet::new();
    let mut drafts = Vec::new();
    for index in 0..random.between(1, 3) {
        if random.one_in(3)
            && let Some(draft) = flattened(world, &format!("part_{index}"), &drafts, &mut taken, random)
        {
            drafts.push(draft);
        }
    }
    let names = words::fields(random).into_iter().filter(|name| taken.insert(plain(name)));
    let names: Vec<&str> = names.take(random.between(1, 8)).collect();
    for (index, field) in names.into_iter().enumerate() {
        drafts.push(key(world, field, &format!("{number} {index}"), &mut taken, random));
    }
    random.shuffle(&mut drafts);
    conditions(&mut drafts, random);
    let subjects: Vec<Subject> = drafts.iter().map(|draft| draft.subject.clone()).collect();
    let needs = drafts.iter().fold(Needs::default(), |needs, draft| needs.and(draft.needs));
    let needs = Needs { bytes: needs.bytes + 2, depth: needs.depth + 1 };
    let mut container = container_keys(&name, "recipe", number, needs, random);
    let denies = random.one_in(4);
    if denies {
        container.push("deny_unknown".to_owned());
    }
    let rules = Rules::of(&subjects, &[], true);
    if !rules.is_empty() {
        container.extend(rules.rules(random.below(3), random));
    }
    let path = world.declare(&name, None);
    world.recipes.push(Declared {
        module: world.module,
        path,
        subjects,
        keys: taken,
        required: drafts.iter().filter_map(|draft| draft.required.clone()).collect(),
        keeps_others: drafts.iter().any(|draft| draft.keeps_others),
        needs,
        denies,
        ..Declared::default()
    });

    let mut text = String::new();
    docs(&mut text, 1, &format!("The recipe {name}."), random);
    line(&mut text, 1, "#[derive(WireContract, Clone, Debug, PartialEq)]");
    wire(&mut text, 1, &container, random);
    line(&mut text, 1, &format!("pub struct {name} {{"));
    for draft in drafts {
        docs(&mut text, 2, &format!("The key {}.", draft.name.trim_start_matches("r#")), random);
        wire(&mut text, 2, &draft.keys, random);
        line(&mut text, 2, &format!("pub {}: {},", draft.name, draft.ty));
    }
    text + "    }\n\n"
}

/// Keys of a container that recipes and unions have in common.
pub(super) fn container_keys(
    name: &str,
    kind: &str,
    number: usize,
    needs: Needs,
    random: &mut Random,
) -> Vec<String> {
    let mut keys = vec![kind.to_owned()];
    if random.one_in(2) {
        keys.push(format!("rename_all = {:?}", random.pick(&STYLES)));
    }
    // What is left at a mebibyte costs every language a document of that length.
    if !random.one_in(12) {
        keys.push(format!("max_bytes = {}", needs.bytes.max(*random.pick(&[200, 1000, 2000, 4096]))));
    }
    if random.one_in(4) {
        keys.push(format!("max_depth = {}", needs.depth.max(*random.pick(&[4, 5, 8, 20]))));
    }
    if random.one_in(4) {
        keys.push(format!("version = {}", random.between(9, 12)));
    }
    if random.one_in(6) {
        keys.push(format!("c_name = \"fixed_{number}_t\""));
    }
    keys.extend(values::history_keys(name, random));
    keys
}

/// A part whose keys no other has; one part may keep what is nobody's.
fn flattened(
    world: &World,
    name: &str,
    others: &[Draft],
    taken: &mut BTreeSet<String>,
    random: &mut Random,
) -> Option<Draft> {
    let mut parts = world.usable(&world.recipes);
    parts.extend(world.usable(&world.unions));
    parts.retain(|part| !part.denies && part.keys.is_disjoint(taken) && part.keys.len() < 30);
    let is_kept = others.iter().any(|draft| draft.keeps_others);
    parts.retain(|part| !(is_kept && part.keeps_others));
    if parts.is_empty() {
        return None;
    }
    let part = *random.pick(&parts);
    taken.extend(part.keys.iter().cloned());
    let is = if part.values.is_empty() {
        Is::Nested(part.subjects.clone())
    } else {
        Is::Variant(part.values.clone())
    };
    Some(Draft {
        name: name.to_owned(),
        ty: part.path.clone(),
        keys: vec!["flatten".to_owned()],
        subject: Subject { word: name.to_owned(), is, presence: Presence::There },
        optional: false,
        required: None,
        keeps_others: part.keeps_others,
        needs: Needs { bytes: part.needs.bytes, depth: part.needs.depth.saturating_sub(1) },
    })
}

fn key(world: &World, name: &str, unique: &str, taken: &mut BTreeSet<String>, random: &mut Random) -> Draft {
    let held = held(world, random);
    let mut needs = Needs::default();
    let mut keys = held.keys;
    let mut ty = held.ty;
    let mut presence = Presence::There;
    let mut optional = false;
    let mut may_be_null = false;
    let mut required = None;
    match (random.below(10), held.default) {
        (0..=2, _) => {
            required = Some(plain(name));
            needs = Needs { bytes: held.needs.bytes + 2 * name.len() + 2 * unique.len() + 8, ..held.needs };
        }
        (3..=5, Some(default)) => {
            keys.push(format!("default = {default}"));
            may_be_null = true;
            if random.one_in(3) {
                keys.push("skip_default".to_owned());
            }
        }
        (6 | 7, Some(default)) => {
            keys.push(format!("default = {default}"));
            presence = Presence::OrDefault;
            ty = format!("Option<{ty}>");
            may_be_null = true;
        }
        _ => {
            presence = Presence::Maybe;
            ty = format!("Option<{ty}>");
            may_be_null = true;
            optional = true;
        }
    }
    if may_be_null {
        if presence != Presence::There && random.one_in(6) {
            keys.push("null_when_absent".to_owned());
        } else if random.one_in(5) {
            keys.push("nullable".to_owned());
        }
        if random.one_in(3) {
            keys.push("lenient".to_owned());
        }
    }
    if random.one_in(6) {
        let own = match random.below(4) {
            0 => format!("own {unique}"),
            1 => format!("é{unique}"),
            2 => format!("\"{unique}\\"),
            _ => format!("${unique}"),
        };
        taken.insert(plain(&own));
        required = required.map(|_| plain(&own));
        keys.push(format!("name = {own:?}"));
    }
    if random.one_in(16) {
        keys.push("since = 3".to_owned());
    }
    if random.one_in(16) {
        keys.push("deprecated = \"no longer\\nset\"".to_owned());
    }
    random.shuffle(&mut keys);
    Draft {
        name: name.to_owned(),
        ty,
        keys,
        subject: Subject { word: name.to_owned(), is: held.is, presence },
        optional,
        required,
        keeps_others: false,
        needs,
    }
}

/// `required_if` and `one_of` of optional keys.
fn conditions(drafts: &mut [Draft], random: &mut Random) {
    for index in 0..drafts.len() {
        if !drafts[index].optional || !random.one_in(4) {
            continue;
        }
        let others = drafts.iter().enumerate().filter(|(other, _)| *other != index);
        let others: Vec<Subject> = others.map(|(_, draft)| draft.subject.clone()).collect();
        let rules = Rules::of(&others, &[], false);
        if rules.is_empty() {
            continue;
        }
        if random.one_in(2) {
            drafts[index].keys.extend(rules.required_if(random));
        } else {
            drafts[index].keys.extend(rules.one_of(random));
        }
    }
}

/// What a key holds, with what bounds it.
fn held(world: &World, random: &mut Random) -> Held {
    let recipes = world.usable(&world.recipes);
    let unions = world.usable(&world.unions);
    match random.below(22) {
        3 => Held { default: Some(random.one_in(2).to_string()), ..Held::new("bool", Is::Truth) },
        4 | 5 => float(random),
        6 | 7 => {
            let mut held = Held::new("String", Is::Long);
            if random.one_in(2) {
                held.keys.push(format!("max_len = {}", random.between(4, 40)));
            }
            held.default = Some((*random.pick(&["\"\"", "\"é\"", "\"a\\\"b\"", "\"\\\\\\n\""])).to_owned());
            held
        }
        8 | 9 => bytes(random),
        10 => {
            let mut held = Held::new("Vec<u32>", Is::Integers);
            held.default = Some((*random.pick(&["[]", "[0]", "[1, 2]"])).to_owned());
            if random.one_in(2) {
                held.keys.push(format!("max_items = {}", random.between(2, 6)));
            }
            held
        }
        11 => {
            let (ty, default) = *random.pick(&[
                ("[i16; 2]", Some("[1, -2]")),
                ("[[i8; 2]; 3]", None),
                ("Vec<[u8; 2]>", None),
                ("[bool; 3]", Some("[true, false, true]")),
                ("Vec<f32>", Some("[0.5]")),
                ("Vec<Vec<i64>>", None),
                ("[u8; 4]", Some("[1, 2, 3, 4]")),
            ]);
            let is = if matches!(ty, "[i16; 2]" | "[u8; 4]") { Is::Integers } else { Is::Long };
            Held { default: default.map(str::to_owned), ..Held::new(ty, is) }
        }
        12 => {
            let mut held = Held::new("Vec<String>", Is::Long);
            if random.one_in(2) {
                held.keys.push(format!("max_items = {}", random.between(1, 4)));
            }
            if random.one_in(2) {
                held.keys.push(format!("max_len = {}", random.between(4, 12)));
            }
            held
        }
        13 => {
            let mut held = Held::new("BTreeMap<String, String>", Is::Long);
            if random.one_in(2) {
                held.keys.push(format!("max_items = {}", random.between(1, 4)));
            }
            if random.one_in(2) {
                held.keys.push(format!("max_len = {}", random.between(4, 12)));
            }
            held
        }
        14 => {
            let mut held = Held::new("Json", Is::Nothing);
            if random.one_in(2) {
                held.keys.push(format!("max_len = {}", random.between(8, 64)));
            }
            held
        }
        15 | 16 => enumeration(world, random).unwrap_or_else(|| integer(random)),
        17 => flags(world, random).unwrap_or_else(|| integer(random)),
        18 => descriptor(world, random).unwrap_or_else(|| bytes(random)),
        19 | 20 if !recipes.is_empty() => {
            let one = *random.pick(&recipes);
            contract(&one.path, Is::Nested(one.subjects.clone()), one.needs, random)
        }
        21 if !unions.is_empty() => {
            let one = *random.pick(&unions);
            contract(&one.path, Is::Variant(one.values.clone()), one.needs, random)
        }
        _ => integer(random),
    }
}

fn contract(path: &str, is: Is, needs: Needs, random: &mut Random) -> Held {
    match random.below(6) {
        0 => {
            let mut held = Held::new(format!("Vec<{path}>"), Is::Long);
            if random.one_in(2) {
                held.keys.push(format!("max_items = {}", random.between(1, 3)));
            }
            held
        }
        1 => Held {
            needs: Needs { bytes: 2 * needs.bytes + 3, depth: needs.depth + 1 },
            ..Held::new(format!("[{path}; 2]"), Is::Long)
        },
        // What a pointer holds is not looked into.
        2 => Held { needs, ..Held::new(format!("Box<{path}>"), Is::Nothing) },
        _ => Held { needs, ..Held::new(path, is) },
    }
}

/// An integer that a variant's content may be, too.
pub(super) fn integer(random: &mut Random) -> Held {
    let &(ty, low, high) = random.pick(&[
        ("u8", 0, i128::from(u8::MAX)),
        ("i8", i128::from(i8::MIN), i128::from(i8::MAX)),
        ("u16", 0, i128::from(u16::MAX)),
        ("i16", i128::from(i16::MIN), i128::from(i16::MAX)),
        ("u32", 0, i128::from(u32::MAX)),
        ("i32", i128::from(i32::MIN), i128::from(i32::MAX)),
        ("u64", 0, i128::from(u64::MAX)),
        ("i64", i128::from(i64::MIN), i128::from(i64::MAX)),
    ]);
    let mut held = Held::new(ty, Is::Number);
    let (mut min, mut max) = (low, high);
    if random.one_in(4) {
        min = *random.pick(&[low, 0, 1, low + 1]);
        held.keys.push(format!("min = {min}"));
    }
    if random.one_in(4) {
        max = *random.pick(&[high, high - 1, 5, 100]);
        held.keys.push(format!("max = {max}"));
    }
    if random.one_in(5) {
        held.keys.push("decimal_string".to_owned());
    }
    held.default = Some((*random.pick(&[min, max, 3.clamp(min, max)])).to_string());
    held
}

fn float(random: &mut Random) -> Held {
    let ty = *random.pick(&["f32", "f64"]);
    let mut held = Held::new(ty, Is::Nothing);
    if random.one_in(3) {
        held.keys.push(format!("min = {}", random.pick(&["-1.5", "0.0", "-1e3", "-2", "-0.1"])));
    }
    if random.one_in(3) {
        held.keys.push(format!("max = {}", random.pick(&["1.5", "0.5", "1e6", "16777217.0", "0.7"])));
    }
    held.default = Some((*random.pick(&["0.5", "0.25", "0", "1e-3", "0.1"])).to_owned());
    held
}

fn bytes(random: &mut Random) -> Held {
    let spelling = *random.pick(&["hex", "base64"]);
    let mut held = match random.below(4) {
        0 | 1 => {
            let mut held = Held::new("Vec<u8>", Is::Long);
            held.default = Some((*random.pick(&["[]", "[0]", "[1, 255]"])).to_owned());
            if random.one_in(2) {
                held.keys.push(format!("max_len = {}", random.between(2, 20)));
            }
            held
        }
        2 => {
            let count = random.between(1, 9);
            let numbers: Vec<String> = (0..count).map(|index| (index * 30).to_string()).collect();
            let default = Some(format!("[{}]", numbers.join(", ")));
            Held { default, ..Held::new(format!("[u8; {count}]"), Is::Long) }
        }
        _ => return Held { keys: vec!["uuid".to_owned()], ..Held::new("[u8; 16]", Is::Long) },
    };
    held.keys.push(spelling.to_owned());
    held
}

fn enumeration(world: &World, random: &mut Random) -> Option<Held> {
    let usable = world.usable(&world.enumerations);
    let one = *pick(&usable, random)?;
    let is = Is::Value { path: one.path.clone(), values: one.values.clone(), data: one.data.clone() };
    let ty = match (random.below(3), one.integer) {
        (0, true) => format!("Open<{}>", one.path),
        (0, false) => format!("OpenName<{}>", one.path),
        _ => one.path.clone(),
    };
    let mut keys = Vec::new();
    if ty.starts_with("OpenName<") && random.one_in(2) {
        keys.push(format!("max_len = {}", random.between(1, 20)));
    }
    if random.one_in(6) {
        return Some(Held { keys, ..Held::new(format!("Vec<{ty}>"), Is::Long) });
    }
    let value = random.pick(&one.values);
    let default = if random.one_in(2) || ty != one.path { value.clone() } else { format!("{ty}::{value}") };
    Some(Held { keys, default: Some(default), ..Held::new(ty, is) })
}

fn flags(world: &World, random: &mut Random) -> Option<Held> {
    let usable = world.usable(&world.flags);
    let one = *pick(&usable, random)?;
    let mut some = one.values.clone();
    random.shuffle(&mut some);
    some.truncate(random.between(1, 2));
    let default = match random.below(3) {
        0 => "0".to_owned(),
        _ => some.iter().map(|flag| format!("{}::{flag}", one.path)).collect::<Vec<_>>().join(" | "),
    };
    Some(Held {
        default: Some(default),
        ..Held::new(format!("Flags<{}>", one.path), Is::Flags(one.values.clone()))
    })
}

fn descriptor(world: &World, random: &mut Random) -> Option<Held> {
    let mut usable = world.usable(&world.descriptors);
    usable.retain(|one| one.size <= SPELLABLE);
    let one = *pick(&usable, random)?;
    let keys = vec![(*random.pick(&["hex", "base64"])).to_owned()];
    let needs = Needs { bytes: 2 * one.size + 2, depth: 0 };
    Some(Held { keys, needs, ..Held::new(one.path.clone(), Is::Nested(one.subjects.clone())) })
}

fn pick<'a, T>(choices: &'a [T], random: &mut Random) -> Option<&'a T> {
    if choices.is_empty() { None } else { Some(random.pick(choices)) }
}

/// What an adjacent variant holds: anything that needs no attribute.
pub(super) fn content(world: &World, random: &mut Random) -> Held {
    loop {
        let held = held(world, random);
        if held.keys.is_empty() {
            return held;
        }
    }
}

//! Messages: parts, every tail and every group of file descriptors; one alone, and one of several.

use super::descriptors::field_keys;
use super::rules::{Is, Presence, Rules, Subject};
use super::{Declared, Held, Tag, World, docs, line, values, wire, words};
use crate::random::Random;

/// As many file descriptors go with one message at most.
const MOST_FDS: usize = 253;

/// A field that has no place yet.
struct Draft {
    name: &'static str,
    /// Its type in Rust.
    ty: String,
    keys: Vec<String>,
    /// What rules see of it.
    subject: Subject,
}

impl Draft {
    fn new(name: &'static str, ty: String, keys: Vec<String>, is: Is, random: &mut Random) -> Self {
        let may_be_absent = matches!(is, Is::Fds) && ty.starts_with("Option<");
        let presence = if may_be_absent { Presence::Maybe } else { Presence::There };
        let subject = Subject { word: name.to_owned(), is, presence };
        Draft { name, ty, keys: [keys, field_keys(name, random)].concat(), subject }
    }
}

/// What a message begins with: a descriptor or, alone, a document; and its bytes.
#[derive(Clone)]
struct Part {
    path: String,
    is: Is,
    size: usize,
    is_document: bool,
}

impl Part {
    fn descriptor(declared: &Declared) -> Self {
        let is = Is::Nested(declared.subjects.clone());
        Part { path: declared.path.clone(), is, size: declared.size, is_document: false }
    }

    fn document(declared: &Declared) -> Self {
        let is = if declared.values.is_empty() {
            Is::Nested(declared.subjects.clone())
        } else {
            Is::Variant(declared.values.clone())
        };
        Part { path: declared.path.clone(), is, size: 0, is_document: true }
    }
}

/// A message; a descriptor where there is nothing yet that it could hold.
pub(super) fn message(world: &mut World, number: usize, random: &mut Random) -> String {
    let name = words::type_name(number, random);
    let document = any_document(world, random).filter(|_| random.one_in(3));
    let Some(first) = document.or_else(|| any_descriptor(world, random)) else {
        return super::descriptors::descriptor(world, number, random);
    };
    let mut names = words::fields(random);
    let own = names.pop().expect("there are names");
    one(world, &name, (own, first), names, random)
}

fn any_document(world: &World, random: &mut Random) -> Option<Part> {
    let documents = [world.usable(&world.recipes), world.usable(&world.unions)].concat();
    (!documents.is_empty()).then(|| Part::document(random.pick::<&Declared>(&documents)))
}

/// A descriptor of one size, or one that grows and says its version.
fn any_descriptor(world: &World, random: &mut Random) -> Option<Part> {
    let fixed = world.usable(&world.descriptors);
    let growing = world.usable(&world.growing);
    let grows = !growing.is_empty() && random.one_in(3);
    let choices = if grows { growing } else { fixed };
    (!choices.is_empty()).then(|| Part::descriptor(random.pick::<&Declared>(&choices)))
}

/// A message that begins with this part.
fn one(
    world: &mut World,
    name: &str,
    (own, first): (&'static str, Part),
    names: Vec<&'static str>,
    random: &mut Random,
) -> String {
    let mut names = names.into_iter().filter(|&name| name != own);
    let mut next = || names.next().expect("more names than a message has fields");
    let is_document = first.is_document;
    let mut parts = vec![(own, first)];
    if !is_document {
        let more = (0..random.between(0, 3)).filter_map(|_| any_descriptor(world, random));
        parts.extend(more.map(|part| (next(), part)));
    }
    let size: usize = parts.iter().map(|(_, part)| part.size).sum();
    let mut drafts: Vec<Draft> = parts
        .into_iter()
        .map(|(name, part)| Draft::new(name, part.path, Vec::new(), part.is, random))
        .collect();
    let subjects: Vec<Subject> = drafts.iter().map(|draft| draft.subject.clone()).collect();
    let said = Rules::of(&subjects, &[], false);
    let has_tail = !is_document && !random.one_in(3);
    if has_tail {
        drafts.push(tail(world, next(), &said, random));
    }
    let (mut left, mut flexible) = (MOST_FDS, false);
    for _ in 0..random.between(0, 4) {
        drafts.extend(group(next(), &said, &mut left, &mut flexible, random));
    }

    let path = world.declare(name, None);
    let mut text = String::new();
    docs(&mut text, 1, &format!("The message {name}."), random);
    line(&mut text, 1, "#[derive(WireContract, Debug)]");
    let mut keys = vec!["message".to_owned()];
    if has_tail && !random.one_in(4) {
        keys.push(format!("max_bytes = {}", (size + random.pick(&[0, 1, 16, 100, 900])).max(1)));
    }
    keys.extend(container_keys(&path, random));
    let subjects: Vec<Subject> = drafts.iter().map(|draft| draft.subject.clone()).collect();
    let rules = Rules::of(&subjects, &[], false);
    if !rules.is_empty() {
        keys.extend(rules.rules(random.below(3), random));
    }
    wire(&mut text, 1, &keys, random);
    line(&mut text, 1, &format!("pub struct {name} {{"));
    for draft in drafts {
        docs(&mut text, 2, &format!("The field {}.", draft.name.trim_start_matches("r#")), random);
        wire(&mut text, 2, &draft.keys, random);
        line(&mut text, 2, &format!("pub {}: {},", draft.name, draft.ty));
    }
    text + "    }\n\n"
}

fn container_keys(path: &str, random: &mut Random) -> Vec<String> {
    let name = path.rsplit("::").next().unwrap_or(path);
    let mut keys = Vec::new();
    if random.one_in(4) {
        keys.push(format!("version = {}", random.between(9, 12)));
    }
    if random.one_in(6) {
        keys.push(format!("c_name = \"sent_{}_t\"", name.to_lowercase()));
    }
    keys.extend(values::history_keys(name, random));
    keys
}

/// What stands behind the parts: of what, and as long as what says.
fn tail(world: &World, name: &'static str, said: &Rules, random: &mut Random) -> Draft {
    let items = world.usable(&world.descriptors);
    let ty = match random.below(4) {
        0 | 1 if !items.is_empty() => format!("Vec<{}>", random.pick(&items).path),
        2 => "String".to_owned(),
        _ => "Vec<u8>".to_owned(),
    };
    let count = said.count(random).filter(|_| !random.one_in(3));
    let key = count.map_or_else(
        || "tail".to_owned(),
        |count| format!("tail({} = {count})", random.pick(&["count", "bytes"])),
    );
    Draft::new(name, ty, vec![key], Is::Long, random)
}

/// File descriptors; nothing where no more can go with the message.
fn group(
    name: &'static str,
    said: &Rules,
    left: &mut usize,
    flexible: &mut bool,
    random: &mut Random,
) -> Option<Draft> {
    let most = (*left).min(*random.pick(&[1, 2, 3, 4, 8, 200]));
    if most == 0 {
        return None;
    }
    let least = random.below(most + 1);
    let (ty, key, taken) = match random.below(7) {
        0 => ("OwnedFd", "fd".to_owned(), 1),
        1 | 2 => match said.held_by_some(random) {
            Some(condition) => ("Option<OwnedFd>", format!("fd, present_if({condition})"), 1),
            None => ("OwnedFd", "fd".to_owned(), 1),
        },
        3 if !*flexible => {
            *flexible = true;
            ("Option<OwnedFd>", "fd".to_owned(), 1)
        }
        4 => {
            let key = if random.one_in(2) { format!("fds({most})") } else { format!("fds({most}..={most})") };
            ("Vec<OwnedFd>", key, most)
        }
        5 if !*flexible && least < most => {
            *flexible = true;
            ("Vec<OwnedFd>", format!("fds({least}..={most})"), most)
        }
        _ => match said.count(random) {
            Some(count) => ("Vec<OwnedFd>", format!("fds({}..={most}), count = {count}", least.min(1)), most),
            None => ("OwnedFd", "fd".to_owned(), 1),
        },
    };
    *left -= taken;
    Some(Draft::new(name, ty.to_owned(), vec![key], Is::Fds, random))
}

/// Several messages; one where there is nothing yet that could tell them apart.
pub(super) fn several(world: &mut World, number: usize, random: &mut Random) -> String {
    let mut unions = world.usable(&world.unions);
    unions.retain(|union| !union.documents.is_empty());
    let mut heads = [world.usable(&world.descriptors), world.usable(&world.growing)].concat();
    heads.retain(|head| !head.tags.is_empty());
    if !unions.is_empty() && random.one_in(2) {
        let union = (*random.pick(&unions)).clone();
        return by_body(world, number, &union, random);
    }
    if heads.is_empty() {
        return message(world, number, random);
    }
    let head = (*random.pick(&heads)).clone();
    by_tag(world, number, &head, random)
}

/// A variant: its name, what it says, what it holds, its number and what stands behind it.
struct Variant {
    name: String,
    keys: Vec<String>,
    /// Its type in Rust, where it holds anything.
    held: Option<String>,
    number: Option<u64>,
    discriminant: Option<u64>,
}

/// One message for each variant of a union, or the document alone.
fn by_body(world: &mut World, number: usize, union: &Declared, random: &mut Random) -> String {
    let name = words::type_name(number, random);
    let mut text = String::new();
    let mut variants = Vec::new();
    for (index, (variant, held)) in union.documents.iter().enumerate() {
        let mut keys = history(variant, false, random);
        let held = match held {
            Held::Nothing => None,
            Held::Unknown => {
                keys.push("open".to_owned());
                Some("wirecontract::UnknownMessage".to_owned())
            }
            Held::Document(held) if random.one_in(3) => Some(boxed(held.path.clone(), random)),
            Held::Document(held) => {
                let message = format!("{name}Of{index}");
                let mut names = words::fields(random);
                let own = names.pop().expect("there are names");
                text += &one(world, &message, (own, Part::document(held)), names, random);
                Some(boxed(message, random))
            }
        };
        variants.push(Variant { name: variant.clone(), keys, held, number: None, discriminant: None });
    }
    random.shuffle(&mut variants);
    text + &declared(world, &name, &format!("body = {}", union.path), "", variants, random)
}

/// Messages that begin with the same part, and a number in it.
fn by_tag(world: &mut World, number: usize, head: &Declared, random: &mut Random) -> String {
    let name = words::type_name(number, random);
    let Tag { path, mut numbers } = random.pick(&head.tags).clone();
    random.shuffle(&mut numbers);
    numbers.truncate(random.between(1, 4));
    let own = words::fields(random)[0];
    let mut text = String::new();
    let mut variants: Vec<Variant> = Vec::new();
    let open = random.one_in(2).then_some(None);
    for (index, (number, variant)) in
        numbers.iter().copied().map(Some).chain(open).zip(words::values(random)).enumerate()
    {
        let message = match variants.last() {
            Some(last) if random.one_in(6) => last.held.clone(),
            _ => {
                let message = format!("{name}Of{index}");
                let part = (own, Part::descriptor(head));
                text += &one(world, &message, part, words::fields(random), random);
                Some(boxed(message, random))
            }
        };
        let mut keys = history(variant, true, random);
        if number.is_none() {
            keys.push("open".to_owned());
        }
        variants.push(Variant {
            name: variant.to_owned(),
            keys,
            held: message,
            number,
            discriminant: number,
        });
    }
    let highest = numbers.iter().max().copied().unwrap_or(0);
    let reprs = [("u8", u64::from(u8::MAX)), ("u32", u64::from(u32::MAX)), ("u64", u64::MAX)];
    let fitting = reprs.into_iter().filter(|(_, most)| highest <= *most).map(|(repr, _)| repr);
    let repr = *random.pick(&fitting.collect::<Vec<_>>());
    // The number of the open variant is nobody's, and Rust wants one: the next where it does not stand.
    let next = numbers.last().and_then(|last| last.checked_add(1));
    let is_free = next.is_some_and(|next| next <= highest && !numbers.contains(&next));
    if let Some(last) = variants.last_mut().filter(|last| last.number.is_none() && !is_free) {
        last.discriminant = (0..=4).find(|number| !numbers.contains(number));
    }
    text + &declared(world, &name, &format!("tag = {own}.{path}"), repr, variants, random)
}

/// A type, at times behind a `Box`.
fn boxed(ty: String, random: &mut Random) -> String {
    if random.one_in(4) { format!("Box<{ty}>") } else { ty }
}

/// What a variant says of its past; one that a document names keeps its name.
fn history(variant: &str, may_be_renamed: bool, random: &mut Random) -> Vec<String> {
    let mut keys = Vec::new();
    if may_be_renamed && random.one_in(8) {
        keys.push(format!("was = \"Old{variant}\""));
    }
    if random.one_in(8) {
        keys.push("since = 2".to_owned());
    }
    if random.one_in(8) {
        keys.push("deprecated = \"no \\\"more\\\"\"".to_owned());
    }
    keys
}

fn declared(
    world: &mut World,
    name: &str,
    selector: &str,
    repr: &str,
    variants: Vec<Variant>,
    random: &mut Random,
) -> String {
    let path = world.declare(name, None);
    let mut text = String::new();
    docs(&mut text, 1, &format!("The messages {name}."), random);
    line(&mut text, 1, "#[derive(WireContract, Debug)]");
    if !repr.is_empty() {
        line(&mut text, 1, &format!("#[repr({repr})]"));
    }
    let mut keys = vec!["message".to_owned(), selector.to_owned()];
    keys.extend(container_keys(&path, random));
    wire(&mut text, 1, &keys, random);
    line(&mut text, 1, &format!("pub enum {name} {{"));
    for variant in variants {
        docs(&mut text, 2, &format!("The variant {}.", variant.name), random);
        wire(&mut text, 2, &variant.keys, random);
        let number = variant.discriminant.map_or_else(String::new, |number| format!(" = {number}"));
        let held = variant.held.map_or_else(String::new, |held| format!("({held})"));
        line(&mut text, 2, &format!("{}{held}{number},", variant.name));
    }
    text + "    }\n\n"
}

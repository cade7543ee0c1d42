//! The cases of a recipe or union.

use std::collections::BTreeSet;

use super::documents::{Keys, Tree, document, quoted};
use super::wrong::{valid, wrong};
use super::{fault, text};
use crate::interpret::{Fault, hex, json};
use crate::model::{Body, Catalog, ConditionKind, Content, ContractId, Element, JsonType, Moment, Tagging};

/// Bytes of documents that one contract has in a file, more or less.
const ROOM: usize = 192 << 10;
/// Values of the shortest document beyond which a contract has no cases.
const LARGEST: usize = 512;
/// Documents that are tried to find one for each rule.
const TRIES: usize = 400;
/// So many without anything new, and no more are tried.
const IDLE: usize = 100;
/// What is found that way.
const FOUND: usize = 32;
/// Longer documents are only said, and not written: they are padded with spaces.
const PADDED: usize = 4 << 20;

/// What is given to a reader.
struct Case {
    name: String,
    bytes: Vec<u8>,
    /// Spaces are appended up to this length.
    padded: Option<usize>,
}

/// A contract's entry. The syntax is that of all contracts, so one entry a file has all that is wrong with it.
pub(super) fn entry(catalog: &Catalog, id: ContractId, weight: usize, is_first: bool) -> String {
    let contract = catalog.get(id);
    let is_large = weight > LARGEST;
    let mut cases = if is_large { Vec::new() } else { cases(catalog, id) };
    if is_first {
        cases.extend(syntax());
    }
    let asks = Asks::of(catalog, id);
    let mut room = ROOM;
    let mut lines = Vec::new();
    for case in cases {
        // Names grow with documents, and so do faults.
        let cost = case.bytes.len() + 200;
        if cost <= room {
            room -= cost;
            lines.push(line(catalog, id, &case, &asks));
        }
    }
    let left_out = match (is_large, room < 400) {
        (true, _) => "\"left_out\":\"its documents are too large for this file\",",
        (_, true) => "\"left_out\":\"the cases for which there is no more room\",",
        _ => "",
    };
    format!(
        "  {{\"contract\":{},\"kind\":\"{}\",{left_out}\"cases\":[\n{}\n  ]}}",
        text(&contract.name),
        contract.kind(),
        lines.join(",\n")
    )
}

/// What may be asked of a value beside reading and writing it.
struct Asks {
    lenient: bool,
    import: bool,
    fd_counts: std::ops::Range<usize>,
}

impl Asks {
    fn of(catalog: &Catalog, id: ContractId) -> Self {
        let mut asks = Asks { lenient: false, import: false, fd_counts: 0..1 };
        for id in reachable(catalog, id) {
            let contract = catalog.get(id);
            asks.lenient |= match &contract.body {
                Body::Recipe(recipe) => recipe.keys.iter().any(|key| key.lenient),
                Body::Union(union) => union.lenient,
                _ => false,
            };
            let conditions = contract.conditions().iter().map(|condition| &condition.rule);
            for rule in conditions.chain(contract.rules()).filter(|rule| rule.at == Moment::Import) {
                asks.import = true;
                if rule.counts_fds() {
                    asks.fd_counts = 0..4;
                }
            }
        }
        asks
    }
}

/// The contract and all that it holds, however deep.
pub(super) fn reachable(catalog: &Catalog, id: ContractId) -> BTreeSet<ContractId> {
    let mut seen = BTreeSet::new();
    let mut next = vec![id];
    while let Some(id) = next.pop() {
        if !seen.insert(id) {
            continue;
        }
        match &catalog.get(id).body {
            Body::Recipe(recipe) => next.extend(recipe.keys.iter().filter_map(|key| key.ty.contract())),
            Body::Union(union) => {
                next.extend(union.variants.iter().filter_map(|variant| match &variant.content {
                    Content::Value { ty, .. } => ty.contract(),
                    _ => None,
                }));
            }
            Body::Descriptor(descriptor) => {
                next.extend(descriptor.fields.iter().filter_map(|field| match field.ty.element {
                    Element::Descriptor(id) => Some(id),
                    _ => None,
                }));
            }
            Body::Enumeration(_)
            | Body::Flags(_)
            | Body::Message(_)
            | Body::Messages(_)
            | Body::Abi(_)
            | Body::Handle(_)
            | Body::Function(_)
            | Body::Symbols(_) => {}
        }
    }
    seen
}

fn line(catalog: &Catalog, id: ContractId, case: &Case, asks: &Asks) -> String {
    let mut bytes = case.bytes.clone();
    bytes.resize(case.padded.unwrap_or(0).max(bytes.len()), b' ');
    let given = match std::str::from_utf8(&case.bytes) {
        Ok(document) => format!("\"document\":{}", text(document)),
        Err(_) => format!("\"bytes\":\"{}\"", hex(&case.bytes)),
    };
    let padded = case.padded.map_or_else(String::new, |length| format!(",\"padded\":{length}"));
    let strict = json::read(catalog, id, &bytes);
    let mut says = match &strict {
        Ok(reading) => {
            let mut says = written(&reading.written);
            if asks.import {
                let verdicts = asks.fd_counts.clone().map(|fd_count| {
                    match json::import(catalog, id, &reading.value, fd_count) {
                        Ok(()) => format!("{{\"fd_count\":{fd_count}}}"),
                        Err(refused) => format!("{{\"fd_count\":{fd_count},\"fault\":{}}}", fault(&refused)),
                    }
                });
                let verdicts = verdicts.collect::<Vec<_>>().join(",");
                says = format!("{says},\"import\":[{verdicts}]");
            }
            says
        }
        Err(refused) => format!("\"fault\":{}", fault(refused)),
    };
    if asks.lenient {
        match (json::read_lenient(catalog, id, &bytes), strict) {
            (Ok((reading, faults)), _) if !faults.is_empty() => {
                let faults: Vec<String> = faults.iter().map(fault).collect();
                let written = written(&reading.written);
                says = format!("{says},\"lenient\":{{{written},\"faults\":[{}]}}", faults.join(","));
            }
            (Err(refused), Err(first)) if refused != first => {
                says = format!("{says},\"lenient\":{{\"fault\":{}}}", fault(&refused));
            }
            _ => {}
        }
    }
    format!("   {{\"name\":{},{given}{padded},{says}}}", text(&case.name))
}

fn written(written: &Result<String, Fault>) -> String {
    match written {
        Ok(document) => format!("\"written\":{}", text(document)),
        Err(refused) => format!("\"unwritten\":{}", fault(refused)),
    }
}

fn cases(catalog: &Catalog, id: ContractId) -> Vec<Case> {
    let mut cases = Cases { catalog, id, list: Vec::new() };
    let minimal = document(catalog, id, Keys::Required, &mut |_| 0);
    let complete = document(catalog, id, Keys::All, &mut |_| 0);
    cases.tree("minimal", &minimal);
    cases.tree("complete", &complete);
    cases.tree("complete, other values", &document(catalog, id, Keys::All, &mut |count| count - 1));
    let found = cases.one_for_each_outcome();
    let accepted = [&minimal, &complete].into_iter().chain(&found);
    let base = accepted.clone().find(|tree| cases.is_accepted(tree)).unwrap_or(&minimal).clone();
    let fullest = accepted.filter(|tree| cases.is_accepted(tree)).max_by_key(|tree| tree.text().len());
    let fullest = fullest.unwrap_or(&complete).clone();
    cases.order_and_space(&fullest);
    if let Body::Union(union) = &catalog.get(id).body {
        for (index, variant) in union.variants.iter().enumerate() {
            let mut first = Some(index);
            let tree =
                document(catalog, id, Keys::All, &mut |count| first.take().unwrap_or(0).min(count - 1));
            cases.tree(&format!("variant {}", variant.name), &tree);
        }
    }
    cases.bounds(&base);
    cases.keys(&base, &fullest);
    cases.list
}

struct Cases<'a> {
    catalog: &'a Catalog,
    id: ContractId,
    list: Vec<Case>,
}

impl Cases<'_> {
    fn push(&mut self, name: impl Into<String>, document: impl Into<Vec<u8>>) {
        let bytes = document.into();
        if !self.list.iter().any(|case| case.bytes == bytes && case.padded.is_none()) {
            self.list.push(Case { name: name.into(), bytes, padded: None });
        }
    }

    fn tree(&mut self, name: &str, tree: &Tree) {
        self.push(name, tree.text());
    }

    fn is_accepted(&self, tree: &Tree) -> bool {
        json::read(self.catalog, self.id, tree.text().as_bytes()).is_ok()
    }

    /// Documents that differ in what they are refused for, at reading or at import, and a few that are not.
    fn one_for_each_outcome(&mut self) -> Vec<Tree> {
        let mut state =
            self.catalog.get(self.id).name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
        let mut choose = |count: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state >> 33).expect("31 bits") % count
        };
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        let (mut accepted, mut idle) = (0, 0);
        for _ in 0..TRIES {
            if found.len() == FOUND || idle == IDLE {
                break;
            }
            idle += 1;
            let tree = document(self.catalog, self.id, Keys::Chosen, &mut choose);
            let outcome = self.outcome(&tree);
            let is_accepted = outcome.starts_with("accepted");
            if seen.insert(outcome) || (is_accepted && accepted < 4) {
                accepted += usize::from(is_accepted);
                idle = 0;
                self.tree(&format!("chosen {}", found.len() + 1), &tree);
                found.push(tree);
            }
        }
        found
    }

    fn outcome(&self, tree: &Tree) -> String {
        let said = |fault: &Fault| {
            format!("{} {} {} {}", fault.code.name(), fault.contract, fault.field, fault.expected)
        };
        match json::read(self.catalog, self.id, tree.text().as_bytes()) {
            Err(fault) => said(&fault),
            Ok(reading) => {
                let import = json::import(self.catalog, self.id, &reading.value, 1);
                format!("accepted {}", import.err().as_ref().map(said).unwrap_or_default())
            }
        }
    }

    fn order_and_space(&mut self, tree: &Tree) {
        self.push("white space", tree.spaced(" \t\r\n"));
        let Tree::Object(members) = tree else { return };
        let mut reversed = members.clone();
        reversed.reverse();
        self.tree("keys in reverse", &Tree::Object(reversed));
        let escaped = members.iter().map(|(key, value)| {
            let units = key.trim_matches('"').encode_utf16().map(|unit| format!("\\u{unit:04X}"));
            (format!("\"{}\"", units.collect::<Vec<_>>().concat()), value.clone())
        });
        self.tree("keys in escapes", &Tree::Object(escaped.collect()));
    }

    /// Length, depth, and values that are no object.
    fn bounds(&mut self, base: &Tree) {
        let (max_bytes, max_depth) = json::bounds(self.catalog, self.id);
        let document = base.text();
        if max_bytes <= PADDED && document.len() < max_bytes {
            for (name, length) in [("longest", max_bytes), ("one byte too long", max_bytes + 1)] {
                let bytes = document.clone().into_bytes();
                self.list.push(Case { name: name.to_owned(), bytes, padded: Some(length) });
            }
        }
        let Tree::Object(members) = base else { return };
        if max_depth <= 128 {
            for (name, depth) in [("deepest", max_depth - 1), ("one level too deep", max_depth)] {
                let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
                let mut members = members.clone();
                members.push(("\"unknown key\"".to_owned(), Tree::Token(nested)));
                self.tree(name, &Tree::Object(members));
            }
        }
        for token in ["null", "[]", "0", "\"{}\""] {
            self.push(format!("{token} as the whole"), token);
        }
        let mut unknown = members.clone();
        unknown.insert(0, ("\"unknown key\"".to_owned(), Tree::Token("[{\"a\":1}]".to_owned())));
        self.tree("an unknown key", &Tree::Object(unknown));
    }

    /// Each key absent, twice, and with every wrong value.
    fn keys(&mut self, base: &Tree, fullest: &Tree) {
        let (Tree::Object(members), Tree::Object(others)) = (base, fullest) else { return };
        let types = self.types();
        let mut names: Vec<String> = members.iter().chain(others).map(|(key, _)| key.clone()).collect();
        names.extend(types.iter().map(|(key, _)| key.clone()));
        let mut seen = BTreeSet::new();
        names.retain(|key| seen.insert(key.clone()));
        for key in names {
            let without: Vec<(String, Tree)> =
                members.iter().filter(|(name, _)| *name != key).cloned().collect();
            if without.len() < members.len() {
                self.tree(&format!("{key} absent"), &Tree::Object(without.clone()));
            }
            let with = |value: Tree| {
                let mut members = members.clone();
                match members.iter_mut().find(|(name, _)| *name == key) {
                    Some((_, old)) => *old = value,
                    None => members.push((key.clone(), value)),
                }
                members
            };
            let ty = types.iter().find_map(|(name, ty)| (*name == key).then_some(ty));
            let present =
                others.iter().chain(members).find(|(name, _)| *name == key).map(|(_, value)| value.clone());
            let present = present.or_else(|| valid(self.catalog, ty?));
            if let Some(value) = present {
                let mut twice = with(value.clone());
                twice.push((key.clone(), value));
                self.tree(&format!("{key} twice"), &Tree::Object(twice));
            }
            // A flattened key has its own contract's entry; here its place is seen.
            let values = match ty {
                Some(ty) => wrong(self.catalog, ty),
                None => ["null", "0", "\"no such tag\"", "[]"]
                    .map(|token| (token.to_owned(), Tree::Token(token.to_owned())))
                    .into(),
            };
            for (name, value) in values {
                self.tree(&format!("{key} {name}"), &Tree::Object(with(value)));
            }
        }
        self.conditions(fullest);
    }

    /// Keys that are the contract's own, with their types.
    fn types(&self) -> Vec<(String, JsonType)> {
        match &self.catalog.get(self.id).body {
            Body::Recipe(recipe) => {
                let own = recipe.keys.iter().filter(|key| !key.flatten);
                own.map(|key| (quoted(&key.key), key.ty.clone())).collect()
            }
            Body::Union(union) => {
                let Tagging::Adjacent { content, .. } = &union.tagging else { return Vec::new() };
                let first = union.variants.iter().find_map(|variant| match &variant.content {
                    Content::Value { ty, .. } => Some(ty.clone()),
                    _ => None,
                });
                first.map(|ty| (quoted(content), ty)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The fullest document without each key that a condition may ask for.
    fn conditions(&mut self, fullest: &Tree) {
        let contract = self.catalog.get(self.id);
        let (Body::Recipe(recipe), Tree::Object(members)) = (&contract.body, fullest) else { return };
        for condition in &recipe.conditions {
            if condition.kind == ConditionKind::RequiredIf {
                let key = quoted(&recipe.keys[condition.field].key);
                let without = members.iter().filter(|(name, _)| *name != key).cloned().collect();
                self.tree(&format!("{key} absent from the fullest"), &Tree::Object(without));
            }
        }
    }
}

/// What is wrong with documents of any contract.
fn syntax() -> Vec<Case> {
    const TEXTS: [&str; 66] = [
        "",
        " ",
        "\u{feff}{}",
        "{",
        "[",
        "{1",
        "{,",
        "[,",
        "[1",
        "[1,",
        "[1,]",
        "[1 2]",
        "{\"a\"",
        "{\"a\" 1",
        "{\"a\":",
        "{\"a\":}",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{\"a\":1 \"b\"",
        "{\"a\":1]",
        "[1}",
        "tru",
        "truE",
        "falsy",
        "nul",
        "nullx",
        "NaN",
        "Infinity",
        "-",
        "-a",
        "+1",
        ".5",
        "1.",
        "1.e5",
        "1e",
        "1e+",
        "1E-x",
        "01",
        "-00",
        "0x1",
        "\"",
        "\"a",
        "\"\u{1f}\"",
        "\"\n\"",
        "\"\\x\"",
        "\"\\",
        "\"\\u12g4\"",
        "\"\\u12",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\ud800\\udc00\"",
        "\"\\ud83d\\u0041\"",
        "\"\\ud83d\\n\"",
        "\"\\ud83d\\ude0\"",
        "\"\\ud83d",
        "{}{}",
        "{} x",
        "1,",
        "'a'",
        "{\"a\":1,\"a\":2}",
        "{\"a\":1,\"\\u0061\":2}",
        "{\"a\":{\"b\":1,\"b\":2},\"a\":1}",
        "[{\"\":1,\"\":2}]",
        "// comment\n{}",
    ];
    const BYTES: [&[u8]; 8] = [
        b"{\"a\xff\":1}",
        b"\"\xc0\x80\"",
        b"\"\xed\xa0\x80\"",
        b"\"\xf4\x90\x80\x80\"",
        b"\"\xc3\"",
        b"\"\xe2\x82",
        b"\x80",
        b"{]\xff",
    ];
    let texts = TEXTS.iter().map(|text| (format!("syntax {text:?}"), text.as_bytes()));
    let bytes = BYTES.iter().enumerate().map(|(index, &bytes)| (format!("bytes {}", index + 1), bytes));
    texts.chain(bytes).map(|(name, bytes)| Case { name, bytes: bytes.to_vec(), padded: None }).collect()
}

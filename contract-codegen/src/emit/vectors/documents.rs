//! Documents of a recipe or union: accepted ones, chosen at the ends of ranges, as trees that can be changed.

use std::fmt::Write as _;

use crate::model::{
    Body, Catalog, Content, ContractId, Enumeration, JsonType, Key, Length, Presence, Scalar, Spelled,
    Spelling, Tagging, Union, WhenAbsent,
};

/// JSON text as a tree. Tokens are kept as they are spelled, right or wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// A token: anything that is neither array nor object, or any text that shall stand there.
    Token(String),
    /// An array.
    Array(Vec<Tree>),
    /// An object: tokens of keys, and values.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// The text, with this around every token and bracket.
    pub fn spaced(&self, space: &str) -> String {
        let mut text = space.to_owned();
        self.push(space, &mut text);
        text
    }

    /// The text, without white space.
    pub fn text(&self) -> String {
        self.spaced("")
    }

    fn push(&self, space: &str, text: &mut String) {
        match self {
            Tree::Token(token) => {
                text.push_str(token);
                text.push_str(space);
            }
            Tree::Array(items) => {
                push(text, "[", space);
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        push(text, ",", space);
                    }
                    item.push(space, text);
                }
                push(text, "]", space);
            }
            Tree::Object(members) => {
                push(text, "{", space);
                for (index, (key, value)) in members.iter().enumerate() {
                    if index > 0 {
                        push(text, ",", space);
                    }
                    push(text, key, space);
                    push(text, ":", space);
                    value.push(space, text);
                }
                push(text, "}", space);
            }
        }
    }
}

fn push(text: &mut String, token: &str, space: &str) {
    text.push_str(token);
    text.push_str(space);
}

/// A string as a token.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Where choices come from: a number below the one that is asked for.
pub type Choose<'c> = dyn FnMut(usize) -> usize + 'c;

/// Which optional keys a document has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// None.
    Required,
    /// All of them.
    All,
    /// Whatever is chosen.
    Chosen,
}

/// The object of a recipe or union. Conditions and rules are not looked at; the rest of it is accepted.
///
/// Once it has [`ROOM`] values, what may be absent or empty is.
pub fn document(catalog: &Catalog, id: ContractId, keys: Keys, choose: &mut Choose<'_>) -> Tree {
    Tree::Object(Maker { catalog, keys, choose, within: Vec::new(), room: ROOM }.members(id))
}

/// Values after which a document takes no more than it must: contracts that hold several of each other would make it
/// grow with the power of their depth.
const ROOM: usize = 512;

/// How many values the shortest document of each contract has, more or less; what a contract holds comes before it.
pub(super) fn weights(catalog: &Catalog) -> Vec<usize> {
    let mut weights: Vec<usize> = Vec::with_capacity(catalog.contracts.len());
    for contract in &catalog.contracts {
        let weight = match &contract.body {
            Body::Recipe(recipe) => recipe
                .keys
                .iter()
                .filter(|key| key.presence == Presence::Required)
                .fold(1, |sum: usize, key| sum.saturating_add(weight(&weights, &key.ty))),
            Body::Union(union) => {
                let contents = union.variants.iter().map(|variant| match &variant.content {
                    Content::Value { ty, .. } => weight(&weights, ty),
                    _ => 0,
                });
                contents.max().unwrap_or(0).saturating_add(1)
            }
            _ => 1,
        };
        weights.push(weight);
    }
    weights
}

fn weight(weights: &[usize], ty: &JsonType) -> usize {
    match ty {
        JsonType::Array { item, length: Length::Exactly(count) } => {
            weight(weights, item).saturating_mul(*count as usize).saturating_add(1)
        }
        JsonType::Recipe(id) | JsonType::Union(id) => weights.get(id.0).copied().unwrap_or(1),
        _ => 1,
    }
}

struct Maker<'a, 'c> {
    catalog: &'a Catalog,
    keys: Keys,
    choose: &'c mut Choose<'c>,
    /// The contracts around: one that nests itself ends here.
    within: Vec<ContractId>,
    /// Values until there is no more than there must be.
    room: usize,
}

impl Maker<'_, '_> {
    fn members(&mut self, id: ContractId) -> Vec<(String, Tree)> {
        self.within.push(id);
        let members = match &self.catalog.get(id).body {
            Body::Recipe(recipe) => recipe.keys.iter().flat_map(|key| self.key(key)).collect(),
            Body::Union(union) => self.union(union),
            _ => panic!("{} has no keys", self.catalog.get(id).name),
        };
        self.within.pop();
        members
    }

    fn key(&mut self, key: &Key) -> Vec<(String, Tree)> {
        match key.ty {
            JsonType::Recipe(part) | JsonType::Union(part) if key.flatten => return self.members(part),
            _ => {}
        }
        let is_deep = key.ty.contract().is_some_and(|id| self.within.contains(&id) || self.within.len() > 5);
        let is_there = match (&key.presence, self.keys) {
            (Presence::Required, _) => true,
            _ if is_deep || self.room == 0 => false,
            (_, Keys::All) => true,
            (_, Keys::Required) => false,
            (_, Keys::Chosen) => (self.choose)(3) > 0,
        };
        if !is_there {
            return Vec::new();
        }
        let nullable = match key.presence {
            Presence::Optional { nullable, null_when_absent, .. } => nullable || null_when_absent,
            Presence::Defaulted { nullable, .. } => nullable,
            Presence::Required => false,
        };
        let value = if nullable && self.keys == Keys::Chosen && (self.choose)(4) == 0 {
            Tree::Token("null".to_owned())
        } else {
            self.value(&key.ty)
        };
        vec![(quoted(&key.key), value)]
    }

    fn union(&mut self, union: &Union) -> Vec<(String, Tree)> {
        // A variant that would nest without an end is not chosen while there is another one.
        let ends = |content: &Content| match content {
            Content::Value { ty, .. } => ty.contract().is_none_or(|id| !self.within.contains(&id)),
            _ => true,
        };
        let mut choices: Vec<usize> =
            (0..union.variants.len()).filter(|&index| ends(&union.variants[index].content)).collect();
        if choices.is_empty() {
            choices = (0..union.variants.len()).collect();
        }
        let variant = &union.variants[choices[(self.choose)(choices.len())]];
        let (tag_key, content_key, last) = match &union.tagging {
            Tagging::Internal { tag, last } => (Some(tag), None, *last),
            Tagging::Adjacent { tag, content, last } => (Some(tag), Some(content), *last),
            Tagging::Untagged => (None, None, false),
        };
        let mut members = match (&variant.content, content_key) {
            (Content::Nothing, _) => Vec::new(),
            (Content::Other, Some(content)) => match (self.choose)(3) {
                0 => Vec::new(),
                _ => vec![(quoted(content), self.json())],
            },
            (Content::Other, None) => match (self.choose)(3) {
                0 => Vec::new(),
                _ => vec![("\"else\"".to_owned(), self.json())],
            },
            (Content::Value { default: Some(_), .. }, Some(_)) if (self.choose)(3) == 0 => Vec::new(),
            (Content::Value { ty, .. }, Some(content)) => vec![(quoted(content), self.value(ty))],
            (Content::Value { ty: JsonType::Recipe(part), .. }, None) => self.members(*part),
            (Content::Value { ty, .. }, None) => panic!("{ty:?} has no keys of its own"),
        };
        let tag = match (&variant.content, variant.when_absent) {
            (_, WhenAbsent::NoTag) => None,
            (Content::Other, _) => Some("only later".to_owned()),
            (_, WhenAbsent::Default) if (self.choose)(3) == 0 => None,
            _ => {
                let names: Vec<&String> = std::iter::once(&variant.tag).chain(&variant.aliases).collect();
                Some(names[(self.choose)(names.len())].clone())
            }
        };
        if let (Some(key), Some(tag)) = (tag_key, tag) {
            let at = if last { members.len() } else { 0 };
            members.insert(at, (quoted(key), Tree::Token(quoted(&tag))));
        }
        members
    }

    fn token(&mut self, tokens: &[String]) -> Tree {
        Tree::Token(tokens[(self.choose)(tokens.len())].clone())
    }

    fn value(&mut self, ty: &JsonType) -> Tree {
        self.room = self.room.saturating_sub(1);
        match ty {
            JsonType::Array { item, length } => {
                let count = match length {
                    Length::Exactly(count) => *count as usize,
                    Length::AtMost(most) => (self.choose)(most.map_or(3, |most| most.min(5) as usize) + 1),
                };
                // An array of what nests itself has no items.
                let nests = item.contract().is_some_and(|id| self.within.contains(&id));
                let is_empty = (nests || self.room == 0) && !matches!(length, Length::Exactly(_));
                let count = if is_empty { 0 } else { count };
                Tree::Array((0..count).map(|_| self.value(item)).collect())
            }
            JsonType::Map { max_items, max_len } => {
                let most = max_items.map_or(3, |most| most.min(4) as usize);
                let fits = |key: &&str| max_len.is_none_or(|most| key.len() <= most as usize);
                let keys: Vec<&str> = ["b", "a", "", "é"].into_iter().filter(fits).take(most).collect();
                let count = (self.choose)(keys.len() + 1);
                let text = JsonType::Text { max_len: *max_len };
                Tree::Object(keys[..count].iter().map(|key| (quoted(key), self.value(&text))).collect())
            }
            JsonType::Flags { contract } if self.catalog.get(*contract).flags().spelled == Spelled::Names => {
                let flags = &self.catalog.get(*contract).flags().values;
                let mut items = Vec::new();
                for flag in flags.iter().rev() {
                    if (self.choose)(2) == 0 {
                        items.push(Tree::Token(quoted(flag.aliases.first().unwrap_or(&flag.wire_name))));
                    }
                }
                Tree::Array(items)
            }
            JsonType::Json { .. } => self.json(),
            JsonType::Recipe(id) | JsonType::Union(id) => Tree::Object(self.members(*id)),
            _ => {
                let tokens = tokens(self.catalog, ty);
                self.token(&tokens)
            }
        }
    }

    fn json(&mut self) -> Tree {
        self.token(
            &["null", "{}", "[1.50,-0,1E5]", "\"\\u0041\"", "{\"b\":[],\"a\":true}", "\"x\""]
                .map(str::to_owned),
        )
    }
}

/// Spellings of a value that holds no others, in order: an ordinary one, the ends of its range, and beside them.
pub(super) fn tokens(catalog: &Catalog, ty: &JsonType) -> Vec<String> {
    match ty {
        JsonType::Bool => vec!["true".into(), "false".into()],
        JsonType::Integer { min, max, decimal, .. } => {
            let mut numbers: Vec<i128> = [1, 0, *min, *max, min + 1, max - 1, 2, -1, 7]
                .into_iter()
                .filter(|number| (min..=max).contains(&number))
                .collect();
            dedup(&mut numbers);
            numbers
                .iter()
                .map(|number| if *decimal { format!("\"{number}\"") } else { number.to_string() })
                .collect()
        }
        JsonType::Float { scalar, min, max } => {
            let ends: &[&str] = match scalar {
                Scalar::F32 => &["3.4028234663852886e38", "-1e-45", "16777217"],
                _ => &["1.7976931348623157e308", "-5e-324", "9007199254740993", "0.1e1"],
            };
            let bounds = [min, max].into_iter().flatten().map(|bound| format!("{bound:?}"));
            let ordinary =
                ["0.5", "1", "0", "-0", "1e3", "0.1", "1E-7", "123456789012345680000"].map(str::to_owned);
            let ordinary = ordinary.into_iter().chain(bounds).chain(ends.iter().map(|&end| end.to_owned()));
            let fits = |token: &String| {
                let number: f64 = token.parse().expect("a number");
                let number = crate::interpret::json::narrowed(*scalar, number);
                number.is_finite()
                    && min.is_none_or(|min| number >= min)
                    && max.is_none_or(|max| number <= max)
            };
            let mut tokens: Vec<String> = ordinary.filter(fits).collect();
            if tokens.is_empty() {
                tokens.push(format!("{:?}", min.or(*max).unwrap_or(0.0)));
            }
            tokens
        }
        JsonType::Text { max_len } => {
            let room = max_len.map_or(24, |most| most as usize);
            let mut texts: Vec<String> = ["a", "", "\u{7f}", "é€😀\"\\\n/", "null"]
                .iter()
                .filter(|text| text.len() <= room)
                .map(|text| quoted(text))
                .collect();
            if room >= 4 {
                texts.push("\"\\uD83D\\ude00\"".to_owned());
            }
            if room <= 256 {
                texts.push(quoted(&"z".repeat(room)));
            }
            texts.push("\"\"".to_owned());
            texts
        }
        JsonType::Bytes { length, spelling } => bytes(*length, *spelling),
        JsonType::Descriptor { contract, spelling } => {
            let size = catalog.get(*contract).descriptor().size as usize;
            let host = crate::interpret::Host::this();
            let samples = super::samples::Sample::ALL.into_iter().filter(|_| size <= 4 << 10);
            let samples = samples.map(|kind| super::samples::sample(catalog, *contract, host, kind));
            // Those that its rules take, if there are any.
            let (right, wrong): (Vec<_>, Vec<_>) =
                samples.partition(|bytes| crate::interpret::read(catalog, *contract, bytes, host).is_ok());
            let chosen = if right.is_empty() { wrong } else { right };
            let mut tokens: Vec<String> = chosen.iter().map(|bytes| spelled(bytes, *spelling)).collect();
            tokens.push(spelled(&vec![0; size], *spelling));
            tokens
        }
        JsonType::Enumeration { contract, open, max_len } => {
            enumeration(catalog.get(*contract).enumeration(), *open, *max_len)
        }
        JsonType::Flags { contract } => {
            let flags = catalog.get(*contract).flags();
            let known = flags.known_bits();
            let mut numbers: Vec<i128> = flags.values.iter().map(|flag| flag.value).collect();
            numbers.extend([i128::from(known), 0]);
            if flags.open {
                numbers.push(super::samples::range(flags.repr).1);
            }
            dedup(&mut numbers);
            numbers.iter().map(ToString::to_string).collect()
        }
        other => panic!("{other:?} holds values"),
    }
}

fn enumeration(enumeration: &Enumeration, open: bool, max_len: Option<u32>) -> Vec<String> {
    let values = &enumeration.values;
    let mut tokens: Vec<String> = match enumeration.spelled {
        Spelled::Integer => values.iter().map(|value| value.value.to_string()).collect(),
        Spelled::Names => values
            .iter()
            .flat_map(|value| std::iter::once(&value.wire_name).chain(&value.aliases))
            .map(|name| quoted(name))
            .collect(),
    };
    match enumeration.spelled {
        Spelled::Names if enumeration.fold => {
            tokens.push(quoted(&format!(" {}\t", values[0].wire_name.to_ascii_uppercase())));
        }
        _ => {}
    }
    match enumeration.spelled {
        Spelled::Integer if open => {
            let (lowest, highest) = super::samples::range(enumeration.repr);
            tokens.extend([lowest, highest].map(|number| number.to_string()));
        }
        Spelled::Names if open => {
            let name = " only\u{e9} later ";
            if max_len.is_none_or(|most| name.len() <= most as usize) {
                tokens.push(quoted(name));
            }
            if let Some(most) = max_len.filter(|&most| most <= 256) {
                tokens.push(quoted(&"z".repeat(most as usize)));
            }
        }
        _ => {}
    }
    tokens
}

fn bytes(length: Length, spelling: Spelling) -> Vec<String> {
    let counting = |count: usize| -> Vec<u8> {
        (0..count).map(|index| u8::try_from(index * 37 % 256).expect("below 256")).collect()
    };
    let counts: Vec<usize> = match length {
        Length::Exactly(count) => vec![count as usize],
        Length::AtMost(most) => {
            let most = most.map_or(9, |most| most as usize);
            let mut counts: Vec<usize> = [1, 0, 2, 3].into_iter().filter(|&count| count <= most).collect();
            if most <= 256 {
                counts.push(most);
            }
            counts
        }
    };
    let counted = counts.iter().map(|&count| spelled(&counting(count), spelling));
    counted.chain([spelled(&vec![0xff; counts[0]], spelling)]).collect()
}

/// Bytes as a token.
pub(super) fn spelled(bytes: &[u8], spelling: Spelling) -> String {
    let mut text = String::from("\"");
    match spelling {
        Spelling::Base64 => text.push_str(&crate::interpret::json::spelled(bytes, spelling)),
        Spelling::Hex | Spelling::Uuid => {
            for (index, byte) in bytes.iter().enumerate() {
                if spelling == Spelling::Uuid && [4, 6, 8, 10].contains(&index) {
                    text.push('-');
                }
                write!(text, "{byte:02x}").expect("a string takes all that is written");
            }
        }
    }
    text + "\""
}

fn dedup(numbers: &mut Vec<i128>) {
    let mut seen = std::collections::BTreeSet::new();
    numbers.retain(|&number| seen.insert(number));
}

//! Values that a type refuses, or takes only just.

use super::documents::{Keys, Tree, document, quoted, spelled};
use super::refusals;
use super::samples::range;
use crate::model::{Catalog, JsonType, Length, Scalar, Spelled, Spelling};

/// Longer ones are for nobody to read.
const LONGEST: u32 = 2048;

/// What to put in the place of a value, each with a name.
pub(super) fn wrong(catalog: &Catalog, ty: &JsonType) -> Vec<(String, Tree)> {
    let mut list = List(Vec::new());
    for token in ["null", "true", "0", "0.5", "\"x\"", "[]", "{}"] {
        list.token(token, token);
    }
    list.typed(catalog, ty);
    list.0
}

struct List(Vec<(String, Tree)>);

impl List {
    fn token(&mut self, name: &str, token: impl Into<String>) {
        self.0.push((name.to_owned(), Tree::Token(token.into())));
    }

    fn number(&mut self, number: i128) {
        self.token(&number.to_string(), number.to_string());
    }

    fn typed(&mut self, catalog: &Catalog, ty: &JsonType) {
        match ty {
            JsonType::Integer { min, max, decimal, .. } => self.integer(*min, *max, *decimal),
            JsonType::Float { scalar, min, max } => {
                for token in ["1e999", "-1e999", "3.5e38", "-0.0", "1E+2"] {
                    self.token(token, token);
                }
                for bound in [min, max].into_iter().flatten() {
                    for beside in [bound.next_down(), bound.next_up(), *bound] {
                        self.token(&format!("{beside:?}"), format!("{beside:?}"));
                    }
                }
                if *scalar == Scalar::F32 {
                    self.token("rounds to infinity", "3.4028235677973366e38");
                }
                self.token("256 characters", format!("0.{}", "0".repeat(254)));
                self.token("257 characters", format!("0.{}", "0".repeat(255)));
            }
            JsonType::Text { max_len } => self.text(*max_len),
            JsonType::Bytes { length, spelling } => self.bytes(*length, *spelling),
            JsonType::Descriptor { contract, spelling } => {
                let size = catalog.get(*contract).descriptor().size;
                if size <= LONGEST {
                    self.bytes(Length::Exactly(size), *spelling);
                    self.token("all bits set", spelled(&vec![0xff; size as usize], *spelling));
                }
            }
            JsonType::Array { item, length } => self.array(catalog, item, *length),
            JsonType::Map { max_items, max_len } => self.map(*max_items, *max_len),
            JsonType::Json { max_len: Some(most) } if *most <= LONGEST => {
                let text = |length: u32| quoted(&"x".repeat(length.saturating_sub(2) as usize));
                self.token("longest", text(*most));
                self.token("one byte too long", text(most + 1));
            }
            JsonType::Enumeration { contract, max_len, .. } => {
                let enumeration = catalog.get(*contract).enumeration();
                match enumeration.spelled {
                    Spelled::Names => {
                        for value in enumeration.values.iter().take(2) {
                            self.token("other case", quoted(&value.wire_name.to_uppercase()));
                            self.token("space behind", quoted(&format!("{} ", value.wire_name)));
                            self.token("space of Unicode", quoted(&format!("\u{a0}{}", value.wire_name)));
                        }
                        self.token("a number that has a name", enumeration.values[0].value.to_string());
                        self.text(*max_len);
                    }
                    Spelled::Integer => {
                        for number in refusals::unknown_values(enumeration) {
                            self.number(number);
                        }
                        let (lowest, highest) = range(enumeration.repr);
                        self.number(lowest - 1);
                        self.number(highest + 1);
                    }
                }
            }
            JsonType::Flags { contract } => {
                let flags = catalog.get(*contract).flags();
                match flags.spelled {
                    Spelled::Integer => {
                        for bits in refusals::unknown_bits(flags) {
                            self.number(bits);
                        }
                        self.number(-1);
                        self.number(range(flags.repr).1 + 1);
                    }
                    Spelled::Names => {
                        let name = Tree::Token(quoted(&flags.values[0].wire_name));
                        self.0.push(("twice".to_owned(), Tree::Array(vec![name.clone(), name.clone()])));
                        for item in ["null", "1", "\"no such flag\""] {
                            let items = vec![name.clone(), Tree::Token(item.to_owned())];
                            self.0.push((format!("then {item}"), Tree::Array(items)));
                        }
                    }
                }
            }
            JsonType::Bool | JsonType::Json { .. } | JsonType::Recipe(_) | JsonType::Union(_) => {}
        }
    }

    fn integer(&mut self, min: i128, max: i128, decimal: bool) {
        for number in [min - 1, min, max, max + 1] {
            let token = if decimal { format!("\"{number}\"") } else { number.to_string() };
            self.token(&token, token.clone());
        }
        if decimal {
            for text in ["", "+1", "01", "-0", "-", "1.0", "1e0", " 1", "１"] {
                self.token(&format!("{text:?}"), quoted(text));
            }
        } else {
            for token in ["1.0", "1e0", "-0"] {
                self.token(token, token);
            }
            self.token("256 digits", "9".repeat(256));
            self.token("257 digits", "9".repeat(257));
        }
    }

    fn text(&mut self, max_len: Option<u32>) {
        if let Some(most) = max_len.filter(|&most| most <= LONGEST) {
            self.token("one byte too long", quoted(&"z".repeat(most as usize + 1)));
            let wide = "é".repeat(most as usize / 2 + 1);
            self.token("too long in bytes only", quoted(&wide));
            let escaped = format!("\"{}\"", "\\u0061".repeat(most as usize));
            self.token("longest in escapes", escaped);
        }
    }

    fn bytes(&mut self, length: Length, spelling: Spelling) {
        let texts: &[&str] = match spelling {
            Spelling::Hex => &["0", "0g", "0A", "zz", " 00"],
            Spelling::Base64 => &["A", "AA", "AA=", "AB==", "AAB=", "A===", "AA==AA==", "AA-_", "AA\n=="],
            Spelling::Uuid => &[
                "00112233445566778899aabbccddeeff",
                "00112233-4455-6677-8899-AABBCCDDEEFF",
                "00112233-4455-6677-8899-aabbccddeef",
                "{0112233-4455-6677-8899-aabbccddeef}",
                "0011223-34455-6677-8899-aabbccddeeff",
            ],
        };
        for text in texts {
            self.token(&format!("{text:?}"), quoted(text));
        }
        let most = match length {
            Length::Exactly(count) => Some(count),
            Length::AtMost(most) => most,
        };
        if let Some(most) = most.filter(|&most| most <= LONGEST && spelling != Spelling::Uuid) {
            self.token("one byte too many", spelled(&vec![0; most as usize + 1], spelling));
            if most > 0 {
                self.token("one byte fewer", spelled(&vec![0; most as usize - 1], spelling));
            }
        }
    }

    fn array(&mut self, catalog: &Catalog, item: &JsonType, length: Length) {
        let Some(valid) = valid(catalog, item) else { return };
        let mut repeated = |name: &str, count: u32| {
            if count <= 64 {
                self.0.push((name.to_owned(), Tree::Array(vec![valid.clone(); count as usize])));
            }
        };
        match length {
            Length::Exactly(count) => {
                repeated("one item too many", count + 1);
                repeated("one item fewer", count.saturating_sub(1));
            }
            Length::AtMost(Some(most)) => {
                repeated("one item too many", most + 1);
                repeated("most items", most);
            }
            Length::AtMost(None) => repeated("two items", 2),
        }
        let count = match length {
            Length::Exactly(count) => count.min(8) as usize,
            Length::AtMost(most) => most.unwrap_or(2).clamp(1, 2) as usize,
        };
        for (name, wrong) in wrong(catalog, item).into_iter().take(24) {
            let mut items = vec![valid.clone(); count];
            if let Some(last) = items.last_mut() {
                *last = wrong;
            }
            self.0.push((format!("last item {name}"), Tree::Array(items)));
        }
    }

    fn map(&mut self, max_items: Option<u32>, max_len: Option<u32>) {
        let member = |key: &str, value: &str| (quoted(key), Tree::Token(value.to_owned()));
        let mut object = |name: &str, members| self.0.push((name.to_owned(), Tree::Object(members)));
        object("unordered", vec![member("b", "\"\""), member("a", "\"\"")]);
        object("value null", vec![member("a", "null")]);
        object("value 1", vec![member("a", "1")]);
        if let Some(most) = max_items.filter(|&most| most <= 64) {
            let many = (0..=most).map(|number| member(&number.to_string(), "\"\"")).collect();
            object("one member too many", many);
        }
        if let Some(most) = max_len.filter(|&most| most <= LONGEST) {
            let long = "k".repeat(most as usize + 1);
            object("key too long", vec![member(&long, "1")]);
            object("value too long", vec![member("a", &quoted(&long))]);
        }
    }
}

/// A value that the type takes, whatever rules say.
pub(super) fn valid(catalog: &Catalog, ty: &JsonType) -> Option<Tree> {
    match ty {
        JsonType::Recipe(id) | JsonType::Union(id) => {
            Some(document(catalog, *id, Keys::Required, &mut |_| 0))
        }
        JsonType::Array { item, length } => {
            let count = match length {
                Length::Exactly(count) => (*count).min(64) as usize,
                Length::AtMost(_) => 0,
            };
            Some(Tree::Array(vec![valid(catalog, item)?; count]))
        }
        JsonType::Map { .. } => Some(Tree::Object(Vec::new())),
        JsonType::Json { .. } => Some(Tree::Token("null".to_owned())),
        JsonType::Flags { contract } if catalog.get(*contract).flags().spelled == Spelled::Names => {
            Some(Tree::Array(Vec::new()))
        }
        _ => super::documents::tokens(catalog, ty).into_iter().next().map(Tree::Token),
    }
}

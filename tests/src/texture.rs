//! The table of texture messages (`data/texture_table.json`), spelled out: documents, and what every language must say
//! of each.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

const TABLE: &str = include_str!("../data/texture_table.json");
const WIRE: &str = include_str!("../data/texture_wire.json");

/// A document, and what is said of it.
#[derive(Debug, Clone)]
pub struct Case {
    /// What it shows.
    pub name: String,
    /// The contract it is read as.
    pub contract: String,
    /// The document.
    pub document: String,
    /// What a reader makes of it.
    pub read: Result<String, Fault>,
    /// What a lenient reader makes of it, and what it found malformed.
    pub lenient: Result<(String, Vec<Fault>), Fault>,
    /// File descriptors that came with it, and what an importer says; only of documents that are read.
    pub import: Option<(usize, Result<(), Fault>)>,
}

/// A refusal, as every language states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The code's name.
    pub code: String,
    /// The innermost contract.
    pub contract: String,
    /// Its key.
    pub field: String,
    /// Bytes from the start of the document.
    pub offset: usize,
    /// The whole message.
    pub text: String,
}

/// A message that the service or its clients send, of `data/texture_wire.json`.
#[derive(Debug, Clone)]
pub struct Message {
    /// What it is.
    pub name: String,
    /// The contract that it is.
    pub contract: &'static str,
    /// The document.
    pub document: String,
    /// File descriptors that come with it.
    pub fds: usize,
    /// What a consumer says of it, in words.
    pub consumer: Option<String>,
}

/// Every message.
///
/// # Panics
/// When the file is not as it should be.
pub fn messages() -> Vec<Message> {
    let wire: Value = serde_json::from_str(WIRE).expect("the messages are JSON");
    let message = |case: &Value| Message {
        name: text(&case["name"]),
        contract: match case["direction"].as_str() {
            Some("request") => "Request",
            Some("response_to_check_out") => "LookupAnswer",
            Some("response_to_register") => "OutcomeAnswer",
            Some("response_to_release_check_out") => "ReleaseAnswer",
            other => panic!("expected a direction, found {other:?}"),
        },
        document: text(&case["document"]),
        fds: size(&case["fds"]),
        consumer: case["consumer"].as_str().map(str::to_owned),
    };
    list(&wire["cases"]).iter().map(message).collect()
}

/// What the service answers of a surface of which only the name was registered: every default.
///
/// # Panics
/// When the table is not as it should be.
pub fn answer_of_least() -> String {
    let table: Value = serde_json::from_str(TABLE).expect("the table is JSON");
    text(&table["answer_of_least"])
}

/// The whole table.
///
/// # Panics
/// When it is not as it should be.
pub fn cases() -> Vec<Case> {
    let table: Value = serde_json::from_str(TABLE).expect("the table is JSON");
    let bases = bases(&table["bases"]);
    let mut cases: Vec<Case> = bases.iter().map(|(name, base)| base.accepted(name.clone())).collect();
    cases.extend(list(&table["required"]).iter().map(|row| required(&bases, row)));
    for row in list(&table["optional"]) {
        let key = text(&row["key"]);
        for base in list(&row["bases"]) {
            let (name, base) = (text(base), find(&bases, base));
            assert!(base.document.contains(&key), "{name} has {key}");
            cases.push(base.without(&key).accepted(format!("{name} without {key}")));
        }
    }
    cases.extend(list(&table["values"]).iter().flat_map(|row| values(&bases, row)));
    cases.extend(list(&table["readings"]).iter().map(|row| reading(&bases, row)));
    cases.extend(list(&table["imports"]).iter().map(|row| import(&bases, row)));
    cases
}

/// A contract and a document that is written as it is read.
#[derive(Debug, Clone)]
struct Base {
    contract: String,
    document: Object,
}

impl Base {
    fn without(&self, key: &str) -> Base {
        let mut document = self.document.clone();
        document.drop(key);
        Base { document, ..self.clone() }
    }

    fn with(&self, key: &str, token: &str) -> Base {
        let mut document = self.document.clone();
        document.set(key, token);
        Base { document, ..self.clone() }
    }

    /// The base with what a row drops and sets.
    fn edited(&self, row: &Value) -> Base {
        let mut base = self.clone();
        for key in row["drop"].as_array().into_iter().flatten() {
            base = base.without(&text(key));
        }
        for (key, token) in row["set"].as_object().into_iter().flatten() {
            base = base.with(key, &self::token(token));
        }
        base
    }

    fn case(&self, name: String, written: Result<String, Fault>) -> Case {
        let lenient = written.clone().map(|written| (written, Vec::new()));
        let (contract, document) = (self.contract.clone(), self.document.to_string());
        Case { name, contract, document, read: written, lenient, import: None }
    }

    /// Read, and written as it came.
    fn accepted(&self, name: String) -> Case {
        self.case(name, Ok(self.document.to_string()))
    }

    /// The same with some keys' values taken for absent.
    fn leniently(&self, keys: &[String], fault_of: impl Fn(&str) -> Fault) -> (String, Vec<Fault>) {
        let mut rest = self.clone();
        for key in keys {
            rest = rest.without(key);
        }
        (rest.document.to_string(), keys.iter().map(|key| fault_of(key)).collect())
    }
}

fn bases(rows: &Value) -> BTreeMap<String, Base> {
    let messages = messages();
    let message = |name: &Value| {
        let found = messages.iter().find(|message| message.name == text(name));
        found.unwrap_or_else(|| panic!("{name} is a message")).document.clone()
    };
    let base = |row: &Value| {
        let document = row["document"].as_str().map_or_else(|| message(&row["vector"]), str::to_owned);
        Base { contract: text(&row["contract"]), document: Object::parse(&document) }
    };
    let rows = rows.as_object().expect("bases by name");
    rows.iter().map(|(name, row)| (name.clone(), base(row))).collect()
}

fn required(bases: &BTreeMap<String, Base>, row: &Value) -> Case {
    let key = text(&row["key"]);
    let named = row["named"].as_str().unwrap_or(&key).to_owned();
    let base = find(bases, &row["base"]);
    assert!(base.document.contains(&key), "{row} has its key");
    let expected = format!("the key `{named}`");
    let fault = fault("missing_key", &text(&row["contract"]), &named, 0, &expected, None);
    base.without(&key).case(format!("{} without {key}", text(&row["base"])), Err(fault))
}

fn values(bases: &BTreeMap<String, Base>, row: &Value) -> Vec<Case> {
    let (base, key, contract) = (find(bases, &row["base"]), text(&row["key"]), text(&row["contract"]));
    let name = |token: &str| format!("{}, {key} {}", text(&row["base"]), brief(token));
    let mut cases = Vec::new();
    for token in row["taken"].as_array().into_iter().flatten() {
        let token = self::token(token);
        cases.push(base.with(&key, &token).accepted(name(&token)));
    }
    for refused in list(&row["refused"]) {
        let token = self::token(&refused["token"]);
        let edited = base.with(&key, &token);
        let offset =
            edited.document.value_at(&key) + refused["plus"].as_u64().map_or(0, |_| size(&refused["plus"]));
        let fault = fault(
            &text(&refused["code"]),
            &contract,
            &key,
            offset,
            &text(&refused["expected"]),
            refused["found"].as_str(),
        );
        let mut case = edited.case(name(&token), Err(fault.clone()));
        if row["lenient"] == true {
            let mut keys = vec![key.clone()];
            keys.extend(row["then"]["field"].as_str().map(str::to_owned));
            case.lenient = Ok(edited.leniently(&keys, |at| {
                if *at == key { fault.clone() } else { fault_of(&row["then"], edited.document.value_at(at)) }
            }));
        }
        cases.push(case);
    }
    cases
}

fn reading(bases: &BTreeMap<String, Base>, row: &Value) -> Case {
    let name = text(&row["name"]);
    let Some(document) = row["document"].as_str() else {
        let edited = find(bases, &row["base"]).edited(row);
        return stated(&edited, name, row);
    };
    let contract = text(&row["contract"]);
    let read = match row["written_as"].as_str() {
        Some(written) => Ok(written.to_owned()),
        None => Err(fault_of(&row["fault"], size(&row["fault"]["offset"]))),
    };
    let lenient = read.clone().map(|written| (written, Vec::new()));
    Case { name, contract, document: document.to_owned(), read, lenient, import: None }
}

/// What a row says of an edited base.
fn stated(edited: &Base, name: String, row: &Value) -> Case {
    if row["fault"].is_object() {
        let at = row["fault"]["at"].as_str().map_or(0, |key| edited.document.value_at(key));
        let first = fault_of(&row["fault"], at);
        let mut case = edited.case(name, Err(first.clone()));
        if let Some(keys) = row["lenient"].as_array() {
            let keys: Vec<String> = keys.iter().map(text).collect();
            // The first is stated; of the others it is enough that a null came where an integer should be.
            case.lenient = Ok(edited.leniently(&keys, |key| {
                if *key == first.field {
                    return first.clone();
                }
                let offset = edited.document.value_at(key);
                fault("null_not_allowed", "ImageRecipe", key, offset, "an integer", Some("null"))
            }));
        }
        return case;
    }
    let mut written = edited.clone();
    for (key, token) in row["written"].as_object().into_iter().flatten() {
        written = if token.is_null() { written.without(key) } else { written.with(key, &text(token)) };
    }
    let written = row["written_as"].as_str().map_or_else(|| written.document.to_string(), str::to_owned);
    edited.case(name, Ok(written))
}

fn import(bases: &BTreeMap<String, Base>, row: &Value) -> Case {
    let verdict = if row["fault"].is_object() { Err(fault_of(&row["fault"], 0)) } else { Ok(()) };
    let edited = find(bases, &row["base"]).edited(row);
    Case { import: Some((size(&row["fds"]), verdict)), ..edited.accepted(text(&row["name"])) }
}

fn fault_of(row: &Value, offset: usize) -> Fault {
    let field = row["field"].as_str().unwrap_or_default();
    let (code, contract, expected) = (text(&row["code"]), text(&row["contract"]), text(&row["expected"]));
    fault(&code, &contract, field, offset, &expected, row["found"].as_str())
}

fn fault(
    code: &str,
    contract: &str,
    field: &str,
    offset: usize,
    expected: &str,
    found: Option<&str>,
) -> Fault {
    let place = if field.is_empty() { contract.to_owned() } else { format!("{contract}.{field}") };
    let mut text = format!("{place} at byte {offset}: {code}: expected {expected}");
    if let Some(found) = found {
        text = format!("{text}, found {found}");
    }
    Fault { code: code.into(), contract: contract.into(), field: field.into(), offset, text }
}

fn find<'a>(bases: &'a BTreeMap<String, Base>, name: &Value) -> &'a Base {
    bases.get(&text(name)).unwrap_or_else(|| panic!("{name} is a base"))
}

fn token(value: &Value) -> String {
    match value["text_of"].as_u64() {
        Some(_) => format!("\"{}\"", "a".repeat(size(&value["text_of"]))),
        None => text(value),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("expected text, found {value}")).to_owned()
}

fn size(value: &Value) -> usize {
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number.unwrap_or_else(|| panic!("expected a size, found {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("expected a list, found {value}"))
}

/// A token, as a case's name shows it.
fn brief(token: &str) -> String {
    if token.len() <= 60 { token.to_owned() } else { format!("of {} bytes", token.len()) }
}

/// A JSON object without white space, its members' tokens as they are spelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object(Vec<(String, String)>);

impl Object {
    /// Takes an object apart; its keys are not escaped.
    ///
    /// # Panics
    /// When it is none.
    pub fn parse(document: &str) -> Self {
        let inner = document.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).expect("an object");
        let mut members = Vec::new();
        for range in parts(inner) {
            let member = &inner[range];
            let (key, token) = member[1..].split_once("\":").expect("a key and its value");
            members.push((key.to_owned(), token.to_owned()));
        }
        Object(members)
    }

    /// Whether it has the key.
    pub fn contains(&self, key: &str) -> bool {
        self.0.iter().any(|(own, _)| own == key)
    }

    /// Its keys.
    pub fn keys(&self) -> Vec<&str> {
        self.0.iter().map(|(key, _)| key.as_str()).collect()
    }

    fn drop(&mut self, key: &str) {
        self.0.retain(|(own, _)| own != key);
    }

    /// Gives a key another value, or adds it behind the others.
    pub fn set(&mut self, key: &str, token: &str) {
        match self.0.iter_mut().find(|(own, _)| own == key) {
            Some((_, own)) => token.clone_into(own),
            None => self.0.push((key.to_owned(), token.to_owned())),
        }
    }

    /// Where a key's value begins.
    fn value_at(&self, key: &str) -> usize {
        let index = self.0.iter().position(|(own, _)| own == key).expect("the key is there");
        // The brace or comma before each member, the key's two quotation marks, the colon.
        let before: usize = self.0[..index].iter().map(|(key, token)| key.len() + token.len() + 4).sum();
        before + key.len() + 4
    }
}

impl std::fmt::Display for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("{")?;
        for (index, (key, token)) in self.0.iter().enumerate() {
            write!(f, "{}\"{key}\":{token}", if index == 0 { "" } else { "," })?;
        }
        f.write_str("}")
    }
}

/// What the commas outside of strings, arrays and objects divide.
fn parts(text: &str) -> Vec<Range<usize>> {
    let (mut parts, mut start, mut depth, mut in_text, mut escaped) = (Vec::new(), 0, 0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        parts.push(start..text.len());
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_taken_apart_and_put_together() {
        let document = r#"{"a":"x,\"}","b":[1,{"c":2}],"d":null}"#;
        let mut object = Object::parse(document);
        assert_eq!(object.to_string(), document);
        assert_eq!(object.keys(), ["a", "b", "d"]);
        assert_eq!(&document[object.value_at("b")..][..4], "[1,{");
        object.set("b", "0");
        object.set("e", "1");
        object.drop("a");
        assert_eq!(object.to_string(), r#"{"b":0,"d":null,"e":1}"#);
        assert_eq!(Object::parse("{}").to_string(), "{}");
    }

    #[test]
    fn every_case_has_a_name_of_its_own_and_most_are_refused_by_somebody() {
        let cases = cases();
        let mut names: Vec<(&str, &str)> = cases.iter().map(|case| (&*case.contract, &*case.name)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), cases.len());
        let refused = |case: &&Case| {
            case.read.is_err() || case.import.as_ref().is_some_and(|(_, verdict)| verdict.is_err())
        };
        assert!(cases.len() > 350 && cases.iter().filter(refused).count() > 200, "{}", cases.len());
    }
}

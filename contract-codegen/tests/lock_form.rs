//! A form holds all that the wire id covers: whatever is changed in a record, two contracts with different wire ids
//! have different forms.

mod catalog_support;

use std::collections::{BTreeMap, BTreeSet};

use catalog_support::{LITTLE_64, section_file, with_ids};
use wirecontract_codegen::catalog::encode::{self, Encoded, Lines, Word};
use wirecontract_codegen::catalog::{read_bytes, resolve};
use wirecontract_codegen::fixtures::{self, abi_field, abi_id, contract, function, placed};
use wirecontract_codegen::lock::{Form, Kind, Lock};
use wirecontract_codegen::model::{AbiType, Body, Catalog, Content, Contract, ContractId, Element};

fn catalogs() -> [Catalog; 7] {
    let mut abi = fixtures::abi();
    // A type with two contracts in it.
    let params = vec![("a", AbiType::Struct(abi_id::DATA_TYPE)), ("b", AbiType::Struct(abi_id::DEVICE))];
    let body = placed(&abi, vec![abi_field("both", function(params, None))]);
    abi.contracts.push(contract("Both", Body::Abi(body)));
    [
        fixtures::cuvis(),
        fixtures::growing(),
        fixtures::recipes(),
        fixtures::messages(),
        abi,
        fixtures::forms(),
        fixtures::export::catalog(),
    ]
    .map(with_ids)
}

/// The text of a form without its wire id.
fn text(form: Form) -> String {
    let mut lock = Lock::default();
    lock.accept(Form { wire_id: 0, ..form }).expect("an empty lock takes every form");
    lock.text()
}

#[test]
fn no_two_contracts_with_different_wire_ids_have_one_form() {
    let mut changes: BTreeMap<Kind, usize> = BTreeMap::new();
    for catalog in catalogs() {
        for (id, contract) in catalog.iter() {
            let mut seen = BTreeMap::from([(text(Form::of(&catalog, id)), contract.wire_id)]);
            for (mutant, id) in mutants(&catalog, id).into_iter().chain(beside(&catalog, id)) {
                let wire_id = mutant.get(id).wire_id;
                let form = Form::of(&mutant, id);
                let kind = form.kind;
                let text = text(form);
                if let Some(other) = seen.insert(text.clone(), wire_id) {
                    assert_eq!(other, wire_id, "{}: two wire ids have the form\n{text}", contract.name);
                } else {
                    *changes.entry(kind).or_default() += 1;
                }
            }
        }
    }
    // Of a library all follows from its prefix.
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Library) {
        let tried = changes.get(&kind).copied().unwrap_or_default();
        let least = match kind {
            Kind::Symbols => 5,
            Kind::Messages => 20,
            _ => 40,
        };
        assert!(tried >= least, "only {tried} changes of a contract of the kind {}", kind.name());
    }
}

/// Catalogs in which one thing of the contract's record is another, and the record is still one.
fn mutants(catalog: &Catalog, id: ContractId) -> Vec<(Catalog, ContractId)> {
    let contract = catalog.get(id);
    let records = encode::records(catalog, LITTLE_64);
    let ids = catalog.iter().map(|(id, contract)| (id, (contract.wire_id, contract.source_id))).collect();
    let lines = Lines::of(catalog, contract);
    let words = encode::words(catalog, contract, &ids);

    let needed = needed(catalog, id);
    let others: Vec<u8> = needed.iter().flat_map(|id| records[id.0].bytes.clone()).collect();
    let mutant = |Encoded { bytes, wire_id, .. }: Encoded| {
        // In front, so that one that is refused costs little.
        let file = section_file(&[bytes.as_slice(), &others].concat());
        let catalog = resolve(&read_bytes(&file).ok()?.records).ok()?;
        let is_it = |it: &Contract| it.wire_id == wire_id && it.line == contract.line;
        let (id, _) = catalog.iter().find(|(_, it)| is_it(it))?;
        Some((with_ids(catalog), id))
    };
    let of_words = words_changed(&words).into_iter().map(|words| lines.encode(&words, LITTLE_64));
    let of_lines = lines_changed(&lines.wire)
        .into_iter()
        .map(|wire| Lines { wire, ..lines.clone() }.encode(&words, LITTLE_64));
    of_words.chain(of_lines).filter_map(mutant).collect()
}

/// Catalogs in which another contract was first accepted under another name: what holds it, or points to it, is
/// another then.
fn beside(catalog: &Catalog, id: ContractId) -> Vec<(Catalog, ContractId)> {
    let others = (0..catalog.contracts.len()).filter(|other| *other != id.0);
    let mutant = |other: usize| {
        let mut mutant = catalog.clone();
        mutant.contracts[other].was = Some("Former".to_owned());
        (with_ids(mutant), id)
    };
    others.map(mutant).collect()
}

/// The contracts that a contract cannot be read without, those that hold it left out.
fn needed(catalog: &Catalog, id: ContractId) -> Vec<ContractId> {
    let close = |start: ContractId, next: &dyn Fn(ContractId) -> Vec<ContractId>| {
        let mut found = BTreeSet::new();
        let mut open = vec![start];
        while let Some(id) = open.pop() {
            if found.insert(id) {
                open.extend(next(id));
            }
        }
        found
    };
    let holders = close(id, &|held| {
        let holds = |(id, it): (ContractId, &Contract)| held_by(it).contains(&held).then_some(id);
        catalog.iter().filter_map(holds).collect()
    });
    let needed = close(id, &|id| [held_by(catalog.get(id)), pointees(catalog.get(id))].concat());
    needed.difference(&holders).copied().collect()
}

fn held_by(contract: &Contract) -> Vec<ContractId> {
    match &contract.body {
        Body::Descriptor(body) => body
            .fields
            .iter()
            .filter_map(|field| match field.ty.element {
                Element::Scalar(_) => None,
                Element::Enumeration { contract, .. }
                | Element::Flags { contract }
                | Element::Descriptor(contract) => Some(contract),
            })
            .collect(),
        Body::Recipe(body) => body.keys.iter().filter_map(|key| key.ty.contract()).collect(),
        Body::Union(body) => body
            .variants
            .iter()
            .filter_map(|variant| match &variant.content {
                Content::Value { ty, .. } => ty.contract(),
                _ => None,
            })
            .collect(),
        Body::Message(body) => body.held().collect(),
        Body::Messages(body) => body.held().collect(),
        Body::Abi(body) => body.held(),
        Body::Function(body) => body.held(),
        _ => Vec::new(),
    }
}

fn pointees(contract: &Contract) -> Vec<ContractId> {
    match &contract.body {
        Body::Abi(body) => body.pointees(),
        Body::Function(body) => body.pointees(),
        _ => Vec::new(),
    }
}

/// Each word with each of its lower bits changed, and with one more.
fn words_changed(words: &[Word]) -> Vec<Vec<Word>> {
    let mut all = Vec::new();
    for at in (0..words.len()).filter(|&at| !words[at].1) {
        let word = words[at].0;
        let bits = (0..16).map(|bit| word ^ 1 << bit);
        for change in bits.chain([word.wrapping_add(1), word.wrapping_sub(1), 31, 33]) {
            let mut words = words.to_vec();
            words[at].0 = change;
            all.push(words);
        }
    }
    all
}

/// What may stand in some object of a record's text.
const MEMBERS: &[&str] = &[
    r#""deny_unknown":true"#,
    r#""lenient":true"#,
    r#""nullable":true"#,
    r#""null_when_absent":true"#,
    r#""skip_default":true"#,
    r#""not_imported":true"#,
    r#""flatten":true"#,
    r#""untagged":true"#,
    r#""tag_last":true"#,
    r#""other":true"#,
    r#""text":true"#,
    r#""as":"integer""#,
    r#""as":"names""#,
    r#""case":"fold""#,
    r#""at":"import""#,
    r#""alias":["Another"]"#,
    r#""absent":"default""#,
    r#""absent":"no_tag""#,
    r#""default":1"#,
    r#""default":true"#,
    r#""default":{"text":"a"}"#,
    r#""min":1"#,
    r#""max":1"#,
    r#""min":0.0"#,
    r#""min":-0.0"#,
    r#""max_len":9"#,
    r#""max_items":9"#,
    r#""reserved":"zero""#,
    r#""reserved":"ignored""#,
    r#""version":1"#,
    r#""name":"a rule""#,
    r#""one_of":{"expr":"true"}"#,
    r#""required_if":{"expr":"true"}"#,
    r#""rules":[{"expr":"true"}]"#,
];

/// A text with one token another, or one member or item more or less.
fn lines_changed(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let tokens = tokens(text);
    for &(start, end) in &tokens {
        let token = &text[start..end];
        let around = |token: &str| [&text[..start], token, &text[end..]].concat();
        match token {
            "true" => all.push(around("false")),
            "false" => all.push(around("true")),
            "}" => all.extend(MEMBERS.iter().map(|member| around(&format!(",{member}}}")))),
            "\"natural\"" => all.push(around("\"packed\"")),
            "\"zero\"" => all.push(around("\"ignored\"")),
            "\"ignored\"" => all.push(around("\"zero\"")),
            "\"exclusive\"" => all.push(around("\"shared\"")),
            "\"shared\"" => all.push(around("\"exclusive\"")),
            _ if token.starts_with('"') && token.len() > 2 => {
                let inner = &token[1..token.len() - 1];
                all.extend([around(&format!("\"{inner}x\"")), around(&format!("\"{inner} \""))]);
            }
            _ => all.extend(token.parse::<i128>().map(|number| around(&(number + 1).to_string()))),
        }
    }
    for at in 0..tokens.len() {
        all.extend(without(text, &tokens, at));
    }
    all
}

/// The text without the member or the item that starts at a token, where one does.
fn without(text: &str, tokens: &[(usize, usize)], at: usize) -> Option<String> {
    let token = |at: usize| &text[tokens[at].0..tokens[at].1];
    if at == 0 || !matches!(token(at - 1), "{" | "[" | ",") {
        return None;
    }
    let mut depth = 0;
    let end = (at..tokens.len()).find(|&end| {
        match token(end) {
            "{" | "[" => depth += 1,
            "}" | "]" if depth > 0 => depth -= 1,
            "}" | "]" | "," if depth == 0 => return true,
            _ => {}
        }
        false
    })?;
    let (from, to) = if token(end) == "," {
        (tokens[at].0, tokens[end].1)
    } else if token(at - 1) == "," {
        (tokens[at - 1].0, tokens[end].0)
    } else {
        (tokens[at].0, tokens[end].0)
    };
    Some([&text[..from], &text[to..]].concat())
}

/// Where the tokens of a JSON text are.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b'"' => {
                while bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => {}
            _ => at += bytes[at..].iter().take_while(|byte| !b"{}[],:\"".contains(byte)).count(),
        }
        tokens.push((start, at));
    }
    tokens
}

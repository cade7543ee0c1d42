//! Documents to put before every language: accepted ones, and ones that are nearly.

use wirecontract_codegen::emit::vectors::documents::{Keys, Tree, document, quoted};
use wirecontract_codegen::model::{Catalog, ContractId};

use super::request::{Operation, Request};
use crate::random::Random;

/// Requests for every recipe and union of the catalog, `each` of them a contract.
pub fn requests(catalog: &Catalog, each: usize, random: &mut Random) -> Vec<Request> {
    let documented = catalog.iter().filter(|(_, contract)| contract.is_document());
    documented.flat_map(|(id, _)| requests_for(catalog, id, each, random)).collect()
}

/// Requests for one recipe or union: documents that are accepted, but for what rules say, and mutated ones.
pub fn requests_for(catalog: &Catalog, id: ContractId, each: usize, random: &mut Random) -> Vec<Request> {
    let mut requests = Vec::new();
    for round in 0..each {
        let keys = match random.below(8) {
            0 => Keys::All,
            1 => Keys::Required,
            _ => Keys::Chosen,
        };
        let mut tree = document(catalog, id, keys, &mut |count| random.below(count));
        let mutations = [0, 1, 1, 2, 3, 0, 1, 0][round % 8];
        for _ in 0..mutations {
            mutate(&mut tree, random);
        }
        let space = if random.one_in(16) { *random.pick(&[" ", "\n", "\t \r\n"]) } else { "" };
        let mut bytes = tree.spaced(space).into_bytes();
        if round % 8 == 5 {
            for _ in 0..random.between(1, 2) {
                disturb(&mut bytes, random);
            }
        }
        let operation = match round % 8 {
            6 => Operation::Lenient,
            7 => Operation::ImportDocument(random.below(5)),
            _ if random.one_in(10) => Operation::ImportDocument(random.below(3)),
            _ if random.one_in(10) => Operation::Lenient,
            _ => Operation::Document,
        };
        requests.push(Request { contract: id, operation, bytes });
    }
    requests
}

/// Tokens that some type refuses, or takes only just.
const TOKENS: [&str; 62] = [
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "-0",
    "0.0",
    "-0.0",
    "1.0",
    "1e0",
    "0.5",
    "2",
    "3",
    "10",
    "11",
    "127",
    "128",
    "-128",
    "-129",
    "255",
    "256",
    "32767",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1e999",
    "-1e999",
    "3.5e38",
    "3.4028235677973366e38",
    "1e-400",
    "5e-324",
    "9007199254740993",
    "0.1",
    "1424953923781206.25",
    "123456789012345680000",
    "340282366920938463463374607431768211456",
    "\"\"",
    "\"0\"",
    "\"01\"",
    "\"-1\"",
    "\"18446744073709551616\"",
    "\"00\"",
    "\"AA==\"",
    "\"AB==\"",
    "\"00112233-4455-6677-8899-aabbccddeeff\"",
    "\"\\u00e9\\ud83d\\ude00\"",
    "\"é\"",
    "[]",
    "{}",
    "\"none of these, and longer than forty bytes: é\"",
];

/// Keys that are nobody's, or somebody's by chance.
const NAMES: [&str; 9] = ["a", "", "unknown", "é", "class", "\u{1}", "kind", "type", "x\ny"];

/// Changes one place of a tree.
fn mutate(tree: &mut Tree, random: &mut Random) {
    let places = count(tree);
    let mut at = random.below(places);
    let place = find(tree, &mut at).expect("a place that was counted");
    match place {
        Tree::Object(members) => match random.below(7) {
            0 if !members.is_empty() => {
                members.remove(random.below(members.len()));
            }
            1 if !members.is_empty() => {
                let mut twice = random.pick(members).clone();
                if random.one_in(2) {
                    twice.0 = escaped(&twice.0, random);
                }
                members.insert(random.below(members.len() + 1), twice);
            }
            2 if !members.is_empty() => {
                let index = random.below(members.len());
                members[index].0 = if random.one_in(2) {
                    quoted(NAMES[random.below(NAMES.len())])
                } else {
                    escaped(&members[index].0, random)
                };
            }
            3 if members.len() > 1 => {
                let (left, right) = (random.below(members.len()), random.below(members.len()));
                let value = members[left].1.clone();
                members[left].1 = std::mem::replace(&mut members[right].1, value);
            }
            4 => random.shuffle(members),
            5 => {
                let value = Tree::Token((*random.pick(&TOKENS)).to_owned());
                let key = quoted(NAMES[random.below(NAMES.len())]);
                members.insert(random.below(members.len() + 1), (key, value));
            }
            _ => *place = Tree::Token((*random.pick(&TOKENS)).to_owned()),
        },
        Tree::Array(items) => match random.below(6) {
            0 if !items.is_empty() => {
                items.remove(random.below(items.len()));
            }
            1 if !items.is_empty() => {
                let item = random.pick(items).clone();
                for _ in 0..random.between(1, 5) {
                    items.push(item.clone());
                }
            }
            2 => items.insert(random.below(items.len() + 1), Tree::Token((*random.pick(&TOKENS)).to_owned())),
            3 => *place = nested(random),
            _ => *place = Tree::Token((*random.pick(&TOKENS)).to_owned()),
        },
        Tree::Token(token) => match random.below(10) {
            0 | 1 if token.starts_with('"') => *token = escaped(token, random),
            2 if token.starts_with('"') => *token = token.to_uppercase(),
            3 if token.starts_with('"') => {
                let inner = token.trim_matches('"');
                *token = match random.below(4) {
                    0 => format!("\" {inner}\\t\""),
                    1 => format!("\"{inner}{inner}\""),
                    2 => format!("\"{inner}x\""),
                    _ => format!("\"{}\"", "z".repeat(random.below(70))),
                };
            }
            4 => *place = Tree::Array(vec![place.clone()]),
            5 => *place = nested(random),
            6 if token.bytes().all(|byte| byte.is_ascii_digit()) => {
                *token = match random.below(4) {
                    0 => format!("-{token}"),
                    1 => format!("{token}0"),
                    2 => format!("{token}.0"),
                    _ => format!("\"{token}\""),
                };
            }
            7 if random.one_in(8) => *token = "7".repeat(random.between(255, 258)),
            _ => *token = (*random.pick(&TOKENS)).to_owned(),
        },
    }
}

/// Arrays in arrays, now and then deeper than any contract takes.
fn nested(random: &mut Random) -> Tree {
    let depth = *random.pick(&[1, 2, 5, 7, 62, 63, 64, 65, 70]);
    (0..depth).fold(Tree::Token("1".to_owned()), |tree, _| {
        if random.one_in(3) {
            Tree::Object(vec![("\"n\"".to_owned(), tree)])
        } else {
            Tree::Array(vec![tree])
        }
    })
}

/// The same string in escapes; a few of its characters, or all.
fn escaped(token: &str, random: &mut Random) -> String {
    if token.contains('\\') {
        return token.to_owned();
    }
    let mut text = String::from("\"");
    let all = random.one_in(3);
    for character in token.trim_matches('"').chars() {
        if all || random.one_in(3) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let digits = format!("{unit:04x}");
                text.push_str("\\u");
                text.push_str(&if random.one_in(2) { digits.to_uppercase() } else { digits });
            }
        } else {
            text.push(character);
        }
    }
    text + "\""
}

fn count(tree: &Tree) -> usize {
    1 + match tree {
        Tree::Token(_) => 0,
        Tree::Array(items) => items.iter().map(count).sum(),
        Tree::Object(members) => members.iter().map(|(_, value)| count(value)).sum(),
    }
}

/// The place of that number, counted from the root.
fn find<'t>(tree: &'t mut Tree, at: &mut usize) -> Option<&'t mut Tree> {
    if *at == 0 {
        return Some(tree);
    }
    *at -= 1;
    match tree {
        Tree::Token(_) => None,
        Tree::Array(items) => items.iter_mut().find_map(|item| find(item, at)),
        Tree::Object(members) => members.iter_mut().find_map(|(_, value)| find(value, at)),
    }
}

/// Changes one place of the text, whatever stands there.
fn disturb(bytes: &mut Vec<u8>, random: &mut Random) {
    const PIECES: [&[u8]; 36] = [
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\"",
        b"\\",
        b"\\u",
        b"\\ud800",
        b"\\udc00",
        b"\\ud83d\\ude00",
        b"0",
        b"-",
        b".",
        b"e",
        b"E+",
        b"1",
        b"00",
        b"null",
        b"true",
        b"nul",
        b" ",
        b"\n",
        b"\x0c",
        b"\x00",
        b"\x1f",
        b"\x7f",
        b"\x80",
        b"\xff",
        b"\xc3\xa9",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xef\xbb\xbf",
        b"/",
        b"'",
    ];
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(7) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => {
            bytes.remove(at);
        }
        2 => bytes.truncate(at),
        3 => {
            let other = random.below(bytes.len());
            bytes.swap(at, other);
        }
        4 => {
            let end = (at + random.between(1, 12)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
        5 => {
            let piece = random.pick(&PIECES).to_vec();
            bytes.splice(at..=at, piece);
        }
        _ => {
            let piece = random.pick(&PIECES).to_vec();
            bytes.splice(at..at, piece);
        }
    }
}

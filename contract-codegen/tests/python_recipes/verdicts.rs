//! Documents with the verdict of the interpreter, which shares no code with the emitters: for Python to agree with.

use serde_json::{Value, json};
use wirecontract_codegen::interpret::{Fault, hex, json as interpret};
use wirecontract_codegen::model::{Catalog, ContractId};

/// Documents of each contract that are changed at random.
const SEEDS: &[(&str, &[&str])] = &[
    (
        "Image",
        &[
            r#"{"tiling":1,"usage":5,"allocation_size":18446744073709551615,"memory_type_index":0}"#,
            r#"{"device_uuid":"00112233445566778899aabbccddeeff","tiling":-7}"#,
            r#"{"device_uuid":"00112233445566778899aabbccddeeff","tiling":1}"#,
            "{}",
        ],
    ),
    (
        "Surface",
        &[
            r#"{"width":3,"format":"nv12","resource_type":"texture","plane_sizes":[1,2],"plane_offsets":[0,0],"has_fence":true,"tiling":0,"allocation_size":4,"memory_type_index":1}"#,
            r#"{"width":3,"format":" BGRA "}"#,
            r#"{"resource_type":"volume","depth":[1,{"a":-0}],"width":1,"tiling":1, "x":1.50}"#,
        ],
    ),
    (
        "Request",
        &[
            r#"{"op":"register","width":1,"format":"gray"}"#,
            r#"{"op":"find","surface_id":"a\u00e9\ud83d\ude00"}"#,
            r#"{"surface_id":"b","op":"check_out"}"#,
            r#"{"op":"ping"}"#,
        ],
    ),
    (
        "Answer",
        &[
            r#"{"error":"no"}"#,
            r#"{"width":9,"resource_type":"pixel_buffer"}"#,
            r#"{"width":1,"error":null}"#,
        ],
    ),
    (
        "Measure",
        &[
            r#"{"value":-5}"#,
            r#"{"type":"ratio","value":1e5}"#,
            r#"{"type":"nothing"}"#,
            r#"{"type":"new","value":{"a":[1.0,"\u001f"]}}"#,
            "{}",
            r#"{"type":"count"}"#,
        ],
    ),
    (
        "Everything",
        &[
            r#"{"u8_field":3,"i64_field":-9,"u64_field":18446744073709551615,"bounded":-10,"decimal":"12","truth":null,"f32_field":0.1,"f64_field":-1.5,"label":"abc","note":null}"#,
            r#"{"u8_field":0,"blob":"AQI=","token":"00ff","uuid":"00112233-4455-6677-8899-aabbccddeeff","matrix":[[1,-2],[3,32767]],"labels":["a","b"],"tags":{"b":"1","a":""}}"#,
            r#"{"u8_field":9,"extra":{"z" : [1.0, -0, 1E5, true, null, "\u0007"]},"tiling":1,"format":"RGBA","access":["w","read"],"extent":"020000000300000000000000","image":{"tiling":1}}"#,
            r#"{"u8_field":1,"labels":["a","b","c","d"]}"#,
            r#"{"u8_field":1,"matrix":[[1,2]]}"#,
            r#"{"u8_field":1,"matrix":[[1,2,3],[1]]}"#,
            r#"{"u8_field":1,"tags":{"a":"","b":"","c":"","d":"","e":""}}"#,
            r#"{"u8_field":2,"measure":{"type":"ratio","value":0.5},"measures":[{},{"type":"nothing"}],"class":7,"extra":null,"f64_field":1e9}"#,
        ],
    ),
    (
        "Names",
        &[
            r#"{"self":1,"from_json":2,"a \"quoted\" \\ key":-1,"{brace}":2,"ключ":3,"it's":4,"":5,"new\nline":6}"#,
        ],
    ),
    ("Strict", &[r#"{"name":"ab","size":4}"#, r#"{"name":"éé"}"#]),
    (
        "Numbers",
        &[
            r#"{"a":2,"b":7,"format":"nv12","usage":4,"access":["w"],"note":"é"}"#,
            r#"{"a":5,"b":1,"format":"bgra32"}"#,
            r#"{"a":-7,"b":60,"format":"other","extra":[1,2.50]}"#,
            r#"{"a":0,"b":9223372036854775807}"#,
            r#"{"a":9,"b":18446744073709551615,"usage":9,"note":"long"}"#,
        ],
    ),
    (
        "Command",
        &[
            r#"{"do":"strict","name":"a","size":1}"#,
            r#"{"surface_id":"x","y":2}"#,
            r#"{"do":"L","surface_id":"q"}"#,
            r#"{"do":"stop"}"#,
        ],
    ),
    (
        "Cell",
        &[
            r#"{"t":"decimal","c":"-12"}"#,
            r#"{"t":"truth","c":true}"#,
            r#"{"c":1.5,"t":"single"}"#,
            r#"{"t":"blob","c":"AQ=="}"#,
            r#"{"t":"tiling","c":5}"#,
            r#"{"t":"format","c":"Nv12"}"#,
            r#"{"t":"usage","c":16}"#,
            r#"{"t":"extent","c":"AgAAAAMAAAAAAAAA"}"#,
            r#"{"t":"image","c":{"usage":1}}"#,
            r#"{"t":"any","c":[1,"é"]}"#,
            r#"{"t":"grid","c":[[1,2],[3,4]]}"#,
            r#"{"t":"nothing","c":3}"#,
            r#"{"t":"bits","c":3}"#,
            r#"{"t":"bits","c":4}"#,
        ],
    ),
    (
        "Beside",
        &[
            r#"{"surface_id":"s","kept":"new","x":1,"a":{"error":1}}"#,
            r#"{"error":"e","kept":"nothing","said":"ratio"}"#,
            r#"{"said":"ratio","format":"nv12","surface_id":"s","kept":"error"}"#,
        ],
    ),
    (
        "Answers",
        &[
            r#"{"all":[{"error":"e"},{"width":1,"resource_type":"new","x":1}],"beside":{"surface_id":"s","kept":"new","x":1}}"#,
        ],
    ),
    (
        "Tree",
        &[
            r#"{"do":"stop","t":"nothing","spelled":null}"#,
            r#"{"do":"strict","name":"n","t":"decimal","c":"1","list":[{"name":"a"},{"name":"b","size":2}],"cells":[{"t":"any","c":null}],"pixels":null,"numbers":[1,2.5,-0.0]}"#,
            r#"{"surface_id":"s","t":"grid","c":[],"pixels":[{"format":"gray8"}],"image":{"tiling":"x"},"spelled":"abc"}"#,
        ],
    ),
];

/// What replaces a piece of a document.
const PIECES: &[&str] = &[
    "null",
    "true",
    "false",
    "-0",
    "-0.0",
    "0",
    "1",
    "-1",
    "1.0",
    "1e3",
    "1e400",
    "1e-7",
    "256",
    "65536",
    "4294967296",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "01",
    "1.",
    "-",
    "1e",
    "+1",
    "[]",
    "{}",
    "[1]",
    "[[[[[[[1]]]]]]]",
    "{\"a\":{\"a\":1,\"a\":2}}",
    "\"\"",
    "\"x\"",
    "\"12\"",
    "\"-0\"",
    "\"nv12\"",
    "\"Texture\"",
    "\"texture\"",
    "\"other\"",
    "\"register\"",
    "\"AA==\"",
    "\"00\"",
    "\"\\u0061\"",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\ud83d\\ude00\"",
    "\"\\u12\"",
    "\"\\x\"",
    "\"\u{e9}\u{1f600}\"",
    "\"\u{7f}\u{2028}\"",
    "NaN",
    "Infinity",
    "tru",
    "nul",
    "\u{feff}",
    " ",
    "\n\t",
    ",",
    ":",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "\u{0}",
    "\u{1f}",
    "0.1",
    "3.5e38",
    "16777217",
    "123456789012345678901234567890",
    "1E+2",
    "[1,2,3,4,5]",
    "[\"r\",\"read\"]",
    "[\"w\"]",
    "\"a string that is longer than forty bytes, so that it is cut: \u{e9}\u{e9}\u{e9}\"",
];

/// Lines of JSON: a contract, a document in hex and what the interpreter says of it.
pub(crate) fn verdicts(catalog: &Catalog, changes: usize) -> String {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut lines = String::new();
    let mut push = |name: &str, document: &[u8]| {
        lines.push_str(&verdict(catalog, name, document).to_string());
        lines.push('\n');
    };
    for (name, seeds) in SEEDS {
        for seed in *seeds {
            push(name, seed.as_bytes());
        }
        for _ in 0..changes {
            let mut document = seeds[random.below(seeds.len())].as_bytes().to_vec();
            for _ in 0..=random.below(3) {
                change(&mut random, &mut document, seeds);
            }
            push(name, &document);
        }
        push(name, "[".repeat(100_000).as_bytes());
        push(name, format!("{{\"zz\":{}1{}}}", "[".repeat(700), "]".repeat(700)).as_bytes());
        push(name, format!("{{\"u8_field\":{}}}", "1".repeat(1500)).as_bytes());
        push(name, format!("{{\"value\":0.{}1,\"a\":-{}}}", "0".repeat(300), "9".repeat(300)).as_bytes());
    }
    lines
}

fn change(random: &mut Random, document: &mut Vec<u8>, seeds: &[&str]) {
    let length = document.len();
    let start = random.below(length + 1);
    let piece = PIECES[random.below(PIECES.len())].as_bytes().to_vec();
    match random.below(7) {
        // A value in the place of another: what stands behind a colon or in an array.
        0..=2 => {
            let starts: Vec<usize> =
                (1..length).filter(|&at| matches!(document[at - 1], b':' | b'[' | b',')).collect();
            if let Some(&start) = starts.get(random.below(starts.len().max(1))) {
                let end = (start..length)
                    .find(|&at| at > start && matches!(document[at], b',' | b'}' | b']'))
                    .unwrap_or(length);
                document.splice(start..end, piece);
            }
        }
        3 => {
            document.splice(start..start, piece);
        }
        4 => {
            let end = (start + random.below(4)).min(length);
            document.drain(start..end);
        }
        5 => {
            // Members twice, or of a relative.
            let other = seeds[random.below(seeds.len())].as_bytes();
            if let Some(members) = other.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}"))
                && !members.is_empty()
                && document.first() == Some(&b'{')
            {
                let mut members = members.to_vec();
                if document.get(1) != Some(&b'}') {
                    members.push(b',');
                }
                document.splice(1..1, members);
            }
        }
        _ => {
            if let Some(byte) = document.get_mut(start) {
                *byte = u8::try_from(random.below(256)).unwrap_or_default();
            }
        }
    }
}

fn verdict(catalog: &Catalog, name: &str, document: &[u8]) -> Value {
    let id = catalog
        .iter()
        .find(|(_, contract)| contract.name == name && contract.is_document())
        .map(|(id, _): (ContractId, _)| id)
        .expect("the contract is there");
    let read = match interpret::read(catalog, id, document) {
        Err(found) => fault(&found),
        Ok(reading) => json!({
            "written": reading.written.as_ref().map_or_else(fault, |text| json!(text)),
            "import": (0..4)
                .map(|count| interpret::import(catalog, id, &reading.value, count).map_or_else(|it| fault(&it), |()| json!(null)))
                .collect::<Vec<_>>(),
        }),
    };
    let lenient = match interpret::read_lenient(catalog, id, document) {
        Err(found) => fault(&found),
        Ok((reading, faults)) => json!({
            "written": reading.written.as_ref().map_or_else(fault, |text| json!(text)),
            "faults": faults.iter().map(fault).collect::<Vec<_>>(),
        }),
    };
    json!({ "contract": name, "document": hex(document), "read": read, "lenient": lenient })
}

fn fault(fault: &Fault) -> Value {
    json!([fault.code.name(), fault.contract, fault.field, fault.offset, fault.expected, fault.found])
}

/// The same numbers in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap_or_default()
    }
}

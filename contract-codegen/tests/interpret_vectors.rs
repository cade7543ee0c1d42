//! The golden vectors: complete, of bounded size, the same every time, and said by the interpreter.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use wirecontract_codegen::emit::vectors;
use wirecontract_codegen::fixtures;
use wirecontract_codegen::interpret::{Fault, Host, Value, import, json, read, read_prefix, unhex};
use wirecontract_codegen::model::{
    Body, Catalog, ContractId, Descriptor, Element, Enumeration, Field, JsonType, Key, Layout, Length,
    Presence, Recipe, Role, Scalar, Spelled,
};

fn emitted(catalog: &Catalog) -> String {
    let artifacts = vectors::emit(&fixtures::input(catalog)).expect("vectors are never refused");
    artifacts.into_iter().map(|artifact| artifact.body).collect()
}

fn parsed(text: &str) -> Json {
    serde_json::from_str(text).expect("JSON")
}

/// A descriptor of closed enumerations and counted bytes, so that every field can be refused.
fn wide(fields: u32) -> Catalog {
    let mut catalog = fixtures::cuvis();
    let closed = Element::Enumeration { contract: ContractId(0), open: false };
    let fields: Vec<Field> = (0..fields)
        .map(|index| fixtures::field(&format!("field_{index}"), index * 4, closed, &[], Role::Value))
        .collect();
    let size = 4 * u32::try_from(fields.len()).expect("few fields");
    let body = Body::Descriptor(Descriptor {
        layout: Layout::Natural,
        size,
        align: 4,
        fields,
        conditions: Vec::new(),
        rules: Vec::new(),
        growth: None,
    });
    catalog.contracts.push(fixtures::contract("Wide", body));
    catalog
}

#[test]
fn the_family_of_the_real_contracts_has_every_refusal() {
    let catalog = fixtures::cuvis();
    let json = parsed(&emitted(&catalog));
    let payload = &json["contracts"][3];
    assert_eq!(payload["contract"], "CudaIpcPayload");
    let mut codes = BTreeSet::new();
    for case in payload["cases"].as_array().expect("cases") {
        if let Some(code) = case["fault"]["code"].as_str() {
            codes.insert((code, case["fault"]["field"].as_str().expect("a field")));
        }
    }
    let expected = [
        ("bad_magic", "magic"),
        ("length_exceeds", "blob_len"),
        ("length_exceeds", "ptr_blob_len"),
        ("too_short", ""),
        ("trailing_bytes", ""),
        ("unknown_value", "backend"),
        ("unknown_value", "handle_type"),
        ("unsupported_version", "version"),
    ];
    assert_eq!(codes, BTreeSet::from(expected));
}

#[test]
fn a_refusal_is_refused_and_a_sample_is_accepted_by_the_interpreter() {
    let catalog = fixtures::cuvis();
    let json = parsed(&emitted(&catalog));
    let mut replayed = 0;
    for entry in json["contracts"].as_array().expect("contracts") {
        let name = entry["contract"].as_str().expect("a name");
        let Some(cases) = entry["cases"].as_array() else { continue };
        let (id, _) = catalog.iter().find(|(_, contract)| contract.name == name).expect("known");
        let minimum = unhex(cases[0]["bytes"].as_str().expect("bytes")).expect("hexadecimal");
        for case in cases {
            let mut bytes = unhex(case["bytes"].as_str().expect("bytes")).expect("hexadecimal");
            let is_change = case.get("at").is_some();
            if let Some(at) = case["at"].as_u64() {
                let at = usize::try_from(at).expect("an offset");
                bytes = [&minimum[..at], &bytes, &minimum[at + bytes.len()..]].concat();
            }
            let prefix = case["prefix"] == true;
            let verdict = if prefix { read_prefix } else { read }(&catalog, id, &bytes, Host::Little);
            match verdict {
                Ok(reading) => {
                    assert_eq!(Value::from_json(&catalog, id, &case["value"]), Ok(reading.value), "{case}");
                }
                Err(fault) => assert_eq!(case["fault"]["code"], fault.code.name(), "{case}"),
            }
            assert_eq!(is_change, is_change && case.get("fault").is_some(), "{case}");
            replayed += 1;
        }
    }
    assert!(replayed >= 50, "{replayed} cases");
}

/// A fault as a case has it.
fn as_json(fault: &Fault) -> Json {
    serde_json::json!({
        "code": fault.code.name(),
        "contract": fault.contract,
        "field": fault.field,
        "offset": fault.offset,
        "expected": fault.expected,
        "found": fault.found,
    })
}

#[test]
fn documents_say_what_the_interpreter_says() {
    let catalog = fixtures::recipes();
    let json = parsed(&emitted(&catalog));
    let mut codes = BTreeSet::new();
    let mut imports = BTreeSet::new();
    let mut looked_past = 0;
    for entry in json["contracts"].as_array().expect("contracts") {
        if !matches!(entry["kind"].as_str(), Some("recipe" | "union")) {
            continue;
        }
        let name = entry["contract"].as_str().expect("a name");
        let (id, _) = catalog.iter().find(|(_, contract)| contract.name == name).expect("known");
        let cases = entry["cases"].as_array().expect("cases");
        assert!(cases.iter().any(|case| case["written"].is_string()), "{name} is never accepted");
        for case in cases {
            let text = case["document"].as_str().map(|text| text.as_bytes().to_vec());
            let mut document =
                text.unwrap_or_else(|| unhex(case["bytes"].as_str().expect("bytes")).expect("hex"));
            if let Some(length) = case["padded"].as_u64() {
                document.resize(usize::try_from(length).expect("a length"), b' ');
            }
            match json::read(&catalog, id, &document) {
                Ok(reading) => {
                    assert_eq!(reading.written.as_deref().ok(), case["written"].as_str(), "{case}");
                    for verdict in case["import"].as_array().into_iter().flatten() {
                        let fds =
                            usize::try_from(verdict["fd_count"].as_u64().expect("a number")).expect("few");
                        let fault = json::import(&catalog, id, &reading.value, fds).err();
                        let fault = fault.as_ref().map_or(Json::Null, as_json);
                        imports.insert((fault["contract"].to_string(), fault["expected"].to_string()));
                        assert_eq!(verdict["fault"], fault, "{case}");
                    }
                }
                Err(fault) => {
                    assert_eq!(case["fault"], as_json(&fault), "{case}");
                    codes.insert(fault.code.number());
                }
            }
            if let Some(lenient) = case.get("lenient") {
                match json::read_lenient(&catalog, id, &document) {
                    Ok((_, faults)) => {
                        assert_eq!(lenient["faults"], faults.iter().map(as_json).collect::<Json>(), "{case}");
                        looked_past += 1;
                    }
                    Err(fault) => assert_eq!(lenient["fault"], as_json(&fault), "{case}"),
                }
            }
        }
    }
    // Every code that documents have, but that of bits: the flags of this catalog are open or spelled by name.
    let every = [1, 5].into_iter().chain(10..=24);
    assert_eq!(codes, every.collect());
    assert!(looked_past > 20, "{looked_past}");
    // Each rule and condition for import is broken somewhere: of six, and no fault at all.
    assert_eq!(imports.len(), 7, "{imports:?}");
}

#[test]
fn a_descriptor_with_rules_breaks_each_of_them() {
    let catalog = fixtures::recipes();
    let json = parsed(&emitted(&catalog));
    let extent = &json["contracts"][4];
    assert_eq!(extent["contract"], "Extent");
    let mut broken = BTreeSet::new();
    for case in extent["cases"].as_array().expect("cases") {
        let bytes = unhex(case["bytes"].as_str().expect("bytes")).expect("hexadecimal");
        if case.get("import").is_some() {
            let fault = import(&catalog, fixtures::id::EXTENT, &bytes, Host::Little).err();
            assert_eq!(case["import"], fault.as_ref().map_or(Json::Null, as_json), "{case}");
        }
        for fault in [&case["fault"], &case["import"]] {
            broken.insert(fault["expected"].as_str().unwrap_or("").to_owned());
        }
    }
    for expected in ["fits: width * height <= 16777216", "width > 0 && height > 0", "zero unless width > 1"] {
        assert!(broken.contains(expected), "{broken:?}");
    }
}

#[test]
fn native_contracts_have_both_byte_orders() {
    let mut catalog = Catalog::default();
    let mut field = fixtures::field("n", 0, Element::Scalar(Scalar::U32), &[], Role::Version(5));
    field.ty.endian = wirecontract_codegen::model::Endian::Native;
    let body = Body::Descriptor(Descriptor {
        layout: Layout::Packed,
        size: 4,
        align: 1,
        fields: vec![field],
        conditions: Vec::new(),
        rules: Vec::new(),
        growth: None,
    });
    catalog.contracts.push(fixtures::contract("Native", body));
    let text = emitted(&catalog);
    assert!(text.contains(
        r#""host":"little","cases":[
   {"name":"minimum","bytes":"01000000""#
    ));
    assert!(text.contains(
        r#""host":"big","cases":[
   {"name":"minimum","bytes":"00000001""#
    ));
}

#[test]
fn enumerations_say_numbers_names_and_what_is_unknown() {
    let text = emitted(&fixtures::cuvis());
    assert!(text.contains(r#"{"value":0,"name":"Auto","known":true,"aliases":["None"]}"#), "{text}");
    assert!(text.contains(r#"{"value":4,"known":false}"#));
    assert!(text.contains(r#"{"value":-2147483648,"known":false}"#));
}

#[test]
fn the_same_catalog_gives_the_same_bytes() {
    assert_eq!(emitted(&wide(40)), emitted(&wide(40)));
}

#[test]
fn a_wide_contract_grows_with_its_fields_and_not_their_square() {
    let base = emitted(&fixtures::cuvis()).len();
    let hundred = emitted(&wide(100)).len() - base;
    let four_hundred = emitted(&wide(400)).len() - base;
    assert!(four_hundred < hundred * 9 / 2, "100 fields: {hundred} bytes; 400 fields: {four_hundred} bytes");
}

#[test]
fn doubling_nests_stay_bounded() {
    let mut catalog = fixtures::cuvis();
    for depth in 0..8_u32 {
        let nested = ContractId(if depth == 0 { 3 } else { catalog.contracts.len() - 1 });
        let size = catalog.get(nested).descriptor().size;
        let fields = (0..2).map(|index| {
            fixtures::field(
                &format!("half_{index}"),
                index * size,
                Element::Descriptor(nested),
                &[],
                Role::Value,
            )
        });
        let body = Body::Descriptor(Descriptor {
            layout: Layout::Natural,
            size: size * 2,
            align: 8,
            fields: fields.collect(),
            conditions: Vec::new(),
            rules: Vec::new(),
            growth: None,
        });
        catalog.contracts.push(fixtures::contract(&format!("Depth{depth}"), body));
    }
    let json = parsed(&emitted(&catalog));
    let cases = |index: usize| json["contracts"][index]["cases"].as_array().expect("cases").len();
    assert_eq!(cases(5) - cases(4), 1, "one more level costs one more probe");
    assert_eq!(cases(11) - cases(10), 1);
}

/// Descriptors that each hold the one before twice, from one byte on.
fn doubling(levels: u32, byte: Scalar) -> Catalog {
    let mut catalog = Catalog::default();
    for level in 0..=levels {
        let half = 1_u32 << level >> 1;
        let fields = if level == 0 {
            vec![fixtures::field("byte", 0, Element::Scalar(byte), &[], Role::Value)]
        } else {
            let nested = Element::Descriptor(ContractId(catalog.contracts.len() - 1));
            let at = |name, offset| fixtures::field(name, offset, nested, &[], Role::Value);
            vec![at("first", 0), at("second", half)]
        };
        let body = Body::Descriptor(Descriptor {
            layout: Layout::Natural,
            size: 1 << level,
            align: 1,
            fields,
            conditions: Vec::new(),
            rules: Vec::new(),
            growth: None,
        });
        catalog.contracts.push(fixtures::contract(&format!("Level{level}"), body));
    }
    catalog
}

#[test]
fn what_is_too_large_to_be_read_is_left_out() {
    for byte in [Scalar::U8, Scalar::Bool] {
        let start = Instant::now();
        let text = emitted(&doubling(24, byte));
        let took = start.elapsed();
        assert!(text.len() < 24 << 20, "{} bytes", text.len());
        assert!(took < Duration::from_secs(20), "{took:?}");
        let json = parsed(&text);
        let names = |level: usize| -> Vec<String> {
            let cases = json["contracts"][level]["cases"].as_array();
            cases.into_iter().flatten().map(|case| case["name"].as_str().unwrap().to_owned()).collect()
        };
        assert!(names(12).contains(&"maximum".to_owned()));
        assert_eq!(names(16)[..2], ["minimum", "bytes that tell their place"]);
        assert!(byte == Scalar::U8 || json["contracts"][16]["cases"].to_string().contains("unknown_value"));
        let last = &json["contracts"][24];
        assert_eq!((&last["cases"], &last["host"]), (&Json::Null, &Json::Null));
        assert_eq!((&last["size"], last["left_out"].is_string()), (&Json::from(1 << 24), true));
        println!("{took:?} for {} bytes", text.len());
    }
}

#[test]
fn a_thousand_contracts_take_a_fraction_of_a_second() {
    let real = fixtures::cuvis();
    let mut catalog = Catalog::default();
    for round in 0..250 {
        for contract in &real.contracts {
            let mut contract = contract.clone();
            contract.name = format!("{}{round}", contract.name);
            if let Body::Descriptor(descriptor) = &mut contract.body {
                for field in &mut descriptor.fields {
                    match &mut field.ty.element {
                        Element::Enumeration { contract, .. }
                        | Element::Flags { contract }
                        | Element::Descriptor(contract) => contract.0 += round * 4,
                        Element::Scalar(_) => {}
                    }
                }
            }
            catalog.contracts.push(contract);
        }
    }
    let start = Instant::now();
    let text = emitted(&catalog);
    let took = start.elapsed();
    // Optimized it is a tenth of this; the bound is for a debug build on a busy machine.
    assert!(took < Duration::from_secs(5), "{took:?} for {} bytes", text.len());
    println!("{took:?} for {} bytes", text.len());
}

#[test]
fn an_enumeration_of_every_number_has_no_unknown_one() {
    let mut catalog = Catalog::default();
    let value = |value: i128| wirecontract_codegen::model::EnumValue {
        name: format!("V{value}"),
        wire_name: format!("V{value}"),
        aliases: Vec::new(),
        value,
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        data: Vec::new(),
    };
    let full = Enumeration {
        repr: Scalar::U8,
        values: (0..256).map(value).collect(),
        data: Vec::new(),
        spelled: Spelled::Names,
        fold: false,
    };
    catalog.contracts.push(fixtures::contract("Full", Body::Enumeration(full)));
    assert!(!emitted(&catalog).contains("false"));
}

/// Recipes that each hold the one before under two keys: documents double with every level.
fn doubling_documents(levels: usize, ty: impl Fn(ContractId) -> JsonType, presence: &Presence) -> Catalog {
    let key = |name: &str, ty: JsonType, presence: Presence| Key {
        name: name.into(),
        key: name.into(),
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        ty,
        presence,
        flatten: false,
        lenient: false,
        not_imported: false,
    };
    let recipe = |keys: Vec<Key>| Recipe {
        deny_unknown: false,
        max_bytes: 1 << 20,
        max_depth: 128,
        keys,
        conditions: Vec::new(),
        rules: Vec::new(),
    };
    let mut contracts = vec![recipe(vec![key("x", JsonType::Bool, Presence::Required)])];
    for level in 0..levels {
        let held = || ty(ContractId(level));
        contracts.push(recipe(vec![key("a", held(), presence.clone()), key("b", held(), presence.clone())]));
    }
    let named = |(level, recipe)| fixtures::contract(&format!("Level{level}"), Body::Recipe(recipe));
    Catalog { contracts: contracts.into_iter().enumerate().map(named).collect() }
}

#[test]
fn documents_do_not_grow_with_the_power_of_their_depth() {
    let array = |id| JsonType::Array { item: Box::new(JsonType::Recipe(id)), length: Length::AtMost(None) };
    let optional = Presence::Optional { nullable: false, null_when_absent: false, default: None };
    let catalogs = [
        doubling_documents(24, array, &Presence::Required),
        doubling_documents(24, JsonType::Recipe, &optional),
        doubling_documents(24, JsonType::Recipe, &Presence::Required),
    ];
    for (catalog, leaves_out) in catalogs.iter().zip([false, false, true]) {
        let text = emitted(catalog);
        assert_eq!(text.contains("its documents are too large for this file"), leaves_out);
        assert!(text.len() < 8 << 20, "{} bytes", text.len());
    }
}

#[test]
fn a_descriptor_that_grows_has_cases_of_every_version() {
    let catalog = fixtures::growing();
    let files = vectors::emit(&fixtures::input(&catalog)).expect("vectors");
    let file: serde_json::Value = serde_json::from_str(&files[0].body).expect("JSON");
    let entry = |name: &str| {
        let entries = file["contracts"].as_array().expect("contracts").iter();
        entries.filter(|entry| entry["contract"] == name).cloned().collect::<Vec<_>>()
    };
    let case = |entry: &serde_json::Value, name: &str| {
        let cases = entry["cases"].as_array().expect("cases").iter();
        cases.clone().find(|case| case["name"] == name).unwrap_or_else(|| panic!("no case {name}")).clone()
    };
    let frame = &entry("Frame")[0];
    let first = case(frame, "version 1: minimum");
    assert_eq!(first["bytes"].as_str().map(str::len), Some(32));
    assert_eq!(first["version"], 1);
    assert_eq!((&first["value"]["gain"], &first["value"]["name"]), (&100.into(), &"lwir".into()));
    assert_eq!(first["versions"][0]["fault"]["code"], "unsupported_version");
    assert_eq!(first["versions"][1]["written"], first["bytes"]);
    assert_eq!(case(frame, "version 2: maximum")["value"]["crop"], 0, "what was reserved");
    assert_eq!(case(frame, "version 1: one byte more")["fault"]["code"], "trailing_bytes");
    assert_eq!(case(frame, "or newer: more bytes")["value"]["version"], 3);
    assert_eq!(case(frame, "newer: more bytes")["fault"]["code"], "unsupported_version");
    let maximum = case(frame, "version 2: maximum");
    let held = &maximum["versions"][1]["fault"];
    assert_eq!((&held["field"], &held["offset"]), (&"gain".into(), &16.into()));
    assert_eq!(held["expected"], "its default, before version 2");
    let tail = &entry("Tail")[0];
    assert!(tail["cases"].as_array().expect("cases").iter().all(|case| case["prefix"].is_null()));
    assert_eq!(case(tail, "version 1: one byte more")["fault"]["expected"], "10 bytes");
    let native = entry("Native");
    assert_eq!(
        native.iter().map(|entry| entry["host"].as_str().expect("a host")).collect::<Vec<_>>(),
        ["little", "big"]
    );
    for entry in &native {
        assert_eq!(case(entry, "version 1: maximum")["value"]["max_pages"], 32);
    }
}

//! Records of recipes, unions and rules: what is written from the model is read again, and what no declaration says
//! is refused.

mod catalog_support;

use catalog_support::{BIG_32, BIG_64, LITTLE_32, LITTLE_64, elf_object, section_file, with_ids};
use wirecontract_codegen::catalog::encode::{self, Lines};
use wirecontract_codegen::catalog::rule::expression;
use wirecontract_codegen::catalog::{ReadError, ResolveError, RuleError, read_bytes, resolve};
use wirecontract_codegen::fixtures::{self, id};
use wirecontract_codegen::model::{
    Body, Catalog, Content, ContractId, Expr, JsonType, Key, Literal, Moment, Op, Path, Presence, Spelled,
    Tagging, Variant, What,
};

fn recipes() -> Catalog {
    let mut catalog = fixtures::recipes();
    for (line, contract) in (1..).zip(&mut catalog.contracts) {
        contract.line = line;
    }
    with_ids(catalog)
}

fn key<'a>(catalog: &'a mut Catalog, recipe: ContractId, name: &str) -> &'a mut Key {
    let Body::Recipe(body) = &mut catalog.contracts[recipe.0].body else { panic!("not a recipe") };
    body.keys.iter_mut().find(|key| key.name == name).expect("it has the key")
}

/// The same contracts with what the fixture leaves out.
fn renamed_and_bounded() -> Catalog {
    let mut catalog = recipes();
    let class = key(&mut catalog, id::EVERYTHING, "r_class");
    class.c_name = Some("wc_class".into());
    class.since = Some(2);
    class.deprecated = Some("use another".into());
    let matrix = key(&mut catalog, id::EVERYTHING, "matrix");
    let JsonType::Array { item, .. } = &mut matrix.ty else { panic!("not an array") };
    let JsonType::Array { item, .. } = &mut **item else { panic!("not an array") };
    let JsonType::Integer { min, max, .. } = &mut **item else { panic!("not an integer") };
    (*min, *max) = (-7, 7);
    key(&mut catalog, id::EVERYTHING, "extent").ty = JsonType::Descriptor {
        contract: id::EXTENT,
        spelling: wirecontract_codegen::model::Spelling::Base64,
    };
    let bytes = Literal::List(vec![Literal::Integer(0), Literal::Integer(255)]);
    key(&mut catalog, id::EVERYTHING, "blob").presence =
        Presence::Optional { nullable: false, null_when_absent: false, default: Some(bytes) };
    key(&mut catalog, id::EVERYTHING, "image").not_imported = true;
    key(&mut catalog, id::IMAGE, "usage").presence =
        Presence::Defaulted { default: Literal::Flags(0x8000_0000), skip: true, nullable: true };
    with_ids(catalog)
}

#[test]
fn records_of_recipes_are_read_as_they_were_written() {
    for catalog in [recipes(), renamed_and_bounded()] {
        for target in [LITTLE_64, BIG_64, LITTLE_32, BIG_32] {
            let library = read_bytes(&elf_object(&catalog, target)).expect("the file holds contracts");
            let read = resolve(&library.records).expect("the records make a catalog");
            for (read, written) in read.contracts.iter().zip(&catalog.contracts) {
                assert_eq!(read, written);
            }
            assert_eq!(read.contracts.len(), catalog.contracts.len());
        }
    }
}

/// The first line's rules and conditions name fields by their keys, the second line's as they are.
#[test]
fn texts_of_rules_on_both_lines_are_held_against_each_other() {
    let mut catalog = recipes();
    let field = key(&mut catalog, id::EVERYTHING, "u8_field");
    field.key = "first-name".into();
    let contract = catalog.get(id::EVERYTHING).clone();
    let lines = Lines::of(&catalog, &contract);
    assert!(lines.wire.contains("has(access, Read) || first-name == 0"), "{}", lines.wire);
    assert!(lines.source.contains("has(access, Read) || u8_field == 0"), "{}", lines.source);
    let catalog = with_ids(catalog);
    let library = read_bytes(&elf_object(&catalog, LITTLE_64)).expect("the file holds contracts");
    assert_eq!(resolve(&library.records).expect("the records make a catalog").contracts, catalog.contracts);

    refused(id::EVERYTHING, "in what the wire id covers", &|lines, _| {
        let rules = contract.rules().iter().map(|rule| format!("{:?}", rule.text));
        let rules = rules.collect::<Vec<_>>().join(",").replace("u8_field", "i64_field");
        lines.source.insert_str(lines.source.len() - 1, &format!(",\"rules\":[{rules}]"));
    });
    for (contract, rules, part) in [
        (id::EVERYTHING, "[]", "other rules than declarations"),
        (id::FORMAT, "[]", "rules of enumeration"),
        (id::EVERYTHING, "[1]", "expected text in `rules`"),
    ] {
        refused(contract, part, &|lines, _| {
            lines.source.insert_str(lines.source.len() - 1, &format!(",\"rules\":{rules}"));
        });
    }
    refused(id::EVERYTHING, "is declared and not there", &|lines, _| {
        let from = r#""members":[{"#;
        assert!(lines.source.contains(from), "{}", lines.source);
        let comma = if lines.source.contains(r#""members":[{}"#) { "" } else { "," };
        let to = format!(r#""members":[{{"one_of":"true"{comma}"#);
        lines.source = lines.source.replacen(from, &to, 1);
    });
}

#[test]
fn two_declarations_that_differ_in_meaning_have_two_wire_ids() {
    let ids = |change: fn(&mut Catalog)| {
        let mut catalog = recipes();
        change(&mut catalog);
        with_ids(catalog).contracts.into_iter().map(|contract| contract.wire_id).collect::<Vec<_>>()
    };
    let before = ids(|_| {});
    for (contract, change) in [
        (id::TILING, (|catalog| set_spelled(catalog, Spelled::Names)) as fn(&mut Catalog)),
        (id::EVERYTHING, |catalog| key(catalog, id::EVERYTHING, "label").key = "name".into()),
        (id::EVERYTHING, |catalog| key(catalog, id::EVERYTHING, "format").presence = Presence::Required),
        (id::IMAGE, |catalog| key(catalog, id::IMAGE, "usage").lenient = false),
        (id::SURFACE, |catalog| key(catalog, id::SURFACE, "image").not_imported = true),
    ] {
        let after = ids(change);
        assert_ne!(before[contract.0], after[contract.0], "{contract:?}");
    }
}

fn set_spelled(catalog: &mut Catalog, spelled: Spelled) {
    let Body::Enumeration(body) = &mut catalog.contracts[id::TILING.0].body else { panic!() };
    body.spelled = spelled;
}

type Change<'a> = &'a dyn Fn(&mut Lines, &mut Vec<encode::Word>);

/// What is said of a library whose contract `changed` says something else, with ids that fit.
fn verdict(changed: ContractId, change: Change<'_>) -> Result<Catalog, String> {
    let catalog = recipes();
    let ids = catalog.iter().map(|(id, contract)| (id, (contract.wire_id, contract.source_id))).collect();
    let mut records: Vec<u8> =
        encode::records(&catalog, LITTLE_64).drain(..changed.0).flat_map(|record| record.bytes).collect();
    let contract = catalog.get(changed);
    let mut lines = Lines::of(&catalog, contract);
    let mut words = encode::words(&catalog, contract, &ids);
    change(&mut lines, &mut words);
    records.extend(lines.encode(&words, LITTLE_64).bytes);
    let library = read_bytes(&section_file(&records)).map_err(|error| {
        assert!(matches!(error, ReadError::Corrupted { .. } | ReadError::NewerDeclaration { .. }), "{error}");
        error.to_string()
    })?;
    resolve(&library.records).map_err(|errors| {
        let is_typed = matches!(errors[..], [ResolveError::Corrupted { .. } | ResolveError::Rule { .. }]);
        assert!(is_typed, "{errors:?}");
        errors[0].to_string()
    })
}

#[track_caller]
fn refused(changed: ContractId, part: &str, change: Change<'_>) {
    match verdict(changed, change) {
        Ok(_) => panic!("it is taken, without `{part}`"),
        Err(message) => assert!(message.contains(part), "{message}"),
    }
}

/// Replaces `from` in the first line, which has it.
#[track_caller]
fn replaced(changed: ContractId, from: &str, to: &str) -> Result<Catalog, String> {
    verdict(changed, &|lines, _| {
        assert!(lines.wire.contains(from), "{from} is not in {}", lines.wire);
        lines.wire = lines.wire.replacen(from, to, 1);
    })
}

#[test]
fn keys_that_no_declaration_has_are_refused() {
    for (contract, from, to, part) in [
        (
            id::EVERYTHING,
            r#"{"name":"u8_field"}"#,
            r#"{"name":"u8_field","nullable":true}"#,
            "cannot be absent",
        ),
        (
            id::EVERYTHING,
            r#"{"name":"u8_field"}"#,
            r#"{"name":"u8_field","skip_default":true}"#,
            "cannot be absent",
        ),
        (id::EVERYTHING, r#"{"name":"u8_field"}"#, r#"{"name":"u8_field","lenient":true}"#, "lenient"),
        (
            id::EVERYTHING,
            r#"{"name":"u64_field"}"#,
            r#"{"name":"u64_field","skip_default":true}"#,
            "left out",
        ),
        (
            id::EVERYTHING,
            r#""default":-5,"skip_default":true"#,
            r#""default":-5,"null_when_absent":true"#,
            "cannot be absent",
        ),
        (id::EVERYTHING, r#"{"name":"u8_field"}"#, r#"{"name":"u8_field","flatten":true}"#, "flattened"),
        (id::EVERYTHING, r#"{"name":"image"}"#, r#"{"name":"image","flatten":true}"#, "flattened"),
        (
            id::EVERYTHING,
            r#"{"name":"u8_field"}"#,
            r#"{"name":"u8_field","not_imported":true}"#,
            "holds no contract",
        ),
        (
            id::EVERYTHING,
            r#"{"name":"u8_field"}"#,
            r#"{"name":"u8_field","required_if":{"expr":"true"}}"#,
            "not optional",
        ),
        (
            id::EVERYTHING,
            r#"{"name":"u64_field"}"#,
            r#"{"name":"u64_field","default":1,"one_of":{"expr":"u8_field == 1"}}"#,
            "both a condition and a default",
        ),
        (
            id::EVERYTHING,
            r#"{"name":"u64_field"}"#,
            r#"{"name":"u64_field","default":1,"required_if":{"expr":"u8_field == 1"}}"#,
            "both a condition and a default",
        ),
        (id::EVERYTHING, r#""min":-10"#, r#""min":11"#, "bounds that are none"),
        (id::EVERYTHING, r#""min":-10"#, r#""min":-2147483649"#, "bounds that are none"),
        (id::EVERYTHING, r#""min":-10"#, r#""min":-10.5"#, "bounds that are none"),
        (id::EVERYTHING, r#""min":-10"#, r#""min":"-10""#, "bounds that are none"),
        (id::EVERYTHING, r#""min":-1.5"#, r#""min":2e9"#, "bounds that are none"),
        (
            id::EVERYTHING,
            r#"{"name":"u8_field"}"#,
            r#"{"name":"u8_field","max_len":3}"#,
            "bound that its type",
        ),
        (id::EVERYTHING, r#""name":"note""#, r#""name":"note","max_items":3"#, "bound that its type"),
        (id::EVERYTHING, r#""name":"tiling""#, r#""name":"tiling","max_len":3"#, "bound that its type"),
        (id::IMAGE, r#""name":"tiling""#, r#""name":"tiling","max_len":3"#, "spelled by number"),
        (id::EVERYTHING, r#""max_items":3"#, r#""max_items":-3"#, "out of range"),
        // The number of items is the outermost array's, which has a fixed one here.
        (id::EVERYTHING, r#""name":"matrix""#, r#""name":"matrix","max_items":3"#, "bound that its type"),
    ] {
        match replaced(contract, from, to) {
            Ok(_) => panic!("{to} is taken"),
            Err(message) => assert!(message.contains(part), "{to}: {message}"),
        }
    }
}

#[test]
fn defaults_and_names_that_no_declaration_has_are_refused() {
    for (contract, from, to, part) in [
        (id::EVERYTHING, r#""default":3"#, r#""default":11"#, "the default of `bounded`"),
        (id::EVERYTHING, r#""default":3"#, r#""default":true"#, "the default of `bounded`"),
        (id::EVERYTHING, r#""default":0.25"#, r#""default":-2.0"#, "the default of `f64_field`"),
        (
            id::EVERYTHING,
            r#"{"text":"unknown"}"#,
            r#"{"text":"more than 16 bytes"}"#,
            "the default of `label`",
        ),
        (id::EVERYTHING, r#"{"text":"unknown"}"#, r#"{"value":"unknown"}"#, "the default of `label`"),
        (id::EVERYTHING, r#"{"text":"unknown"}"#, r#"{"bytes":"00"}"#, "does not know"),
        (id::EVERYTHING, r#"{"text":"unknown"}"#, r#"{"text":"a","value":"b"}"#, "does not know"),
        (id::EVERYTHING, r#"["Read","Write"]"#, r#"["Read","Execute"]"#, "the default of `access`"),
        (id::EVERYTHING, r#"{"flags":["Read","Write"]}"#, "4", "the default of `access`"),
        (id::EVERYTHING, r#"{"flags":["Read","Write"]}"#, "-1", "the default of `access`"),
        (id::IMAGE, r#"{"value":"Optimal"}"#, r#"{"value":"Optimum"}"#, "the default of `tiling`"),
        (id::IMAGE, r#"{"value":"Optimal"}"#, r#"{"flags":["Optimal","Linear"]}"#, "the default of `tiling`"),
        (id::SURFACE, r#""default":[0]"#, r#""default":[0,1,2,3,4]"#, "the default of `plane_sizes`"),
        (id::SURFACE, r#""default":[0]"#, r#""default":[-1]"#, "the default of `plane_sizes`"),
        (id::SURFACE, r#""default":[0]"#, r#""default":0"#, "the default of `plane_sizes`"),
        (id::EVERYTHING, r#""name":"label""#, r#""name":"note""#, "two keys `note`"),
        (
            id::SURFACE,
            r#""name":"plane_sizes""#,
            r#""name":"usage""#,
            "the key `usage` stands in its object twice",
        ),
        (id::SURFACE, r#""name":"plane_sizes""#, r#""name":"format""#, "`format` stands in its object twice"),
        (id::SURFACE, r#""name":"plane_sizes""#, r#""name":"resource_type""#, "`resource_type` stands"),
        (id::EVERYTHING, r#""max_bytes":4096"#, r#""max_bytes":0"#, "no document"),
        (id::EVERYTHING, r#""max_bytes":4096"#, r#""max_bytes":1"#, "no document"),
        (id::EVERYTHING, r#""max_depth":8"#, r#""max_depth":0"#, "no document"),
        (id::EVERYTHING, r#""max_depth":8"#, r#""max_depth":129"#, "deeper than 128"),
        (id::REQUEST, r#""max_depth":64"#, r#""max_depth":129"#, "deeper than 128"),
        (id::EVERYTHING, r#""max_depth":8,"#, "", "`max_depth` is missing"),
        (id::EVERYTHING, r#""deny_unknown":true"#, r#""deny_unknown":1"#, "expected true or false"),
        (
            id::EVERYTHING,
            r#"{"name":"u8_field"},"#,
            "",
            "it has 24 keys, words for 25 and declarations of 25",
        ),
        (id::EVERYTHING, r#"{"name":"u8_field"}"#, r#"{"name":"u8_field","fds":1}"#, "does not know"),
        (id::FORMAT, r#""bgra32""#, r#""Unknown""#, "two names `unknown`"),
        (id::FORMAT, r#""case":"fold""#, r#""case":"fold","as":"integer""#, "any case"),
        (id::FORMAT, r#""case":"fold""#, r#""case":"upper""#, "does not know"),
        (id::ACCESS, r#""open":false"#, r#""open":true"#, "open"),
        (id::ACCESS, r#""as":"names""#, r#""as":"text""#, "does not know"),
    ] {
        match replaced(contract, from, to) {
            Ok(_) => panic!("{to} is taken"),
            Err(message) => assert!(message.contains(part), "{to}: {message}"),
        }
    }
}

#[test]
fn a_default_of_bytes_has_as_many_as_its_type() {
    for (name, bytes, is_legal) in [
        ("blob", vec![0; 64], true),
        ("blob", vec![0; 65], false),
        ("blob", vec![], true),
        ("blob", vec![256], false),
        ("blob", vec![-1], false),
        ("uuid", vec![255; 16], true),
        ("uuid", vec![255; 15], false),
    ] {
        let shown: Vec<String> = bytes.iter().map(ToString::to_string).collect();
        let place = format!(r#""name":"{name}""#);
        let with = format!(r#""name":"{name}","default":[{}]"#, shown.join(","));
        match replaced(id::EVERYTHING, &place, &with) {
            Ok(_) => assert!(is_legal, "{name} begins with {bytes:?}"),
            Err(message) => {
                assert!(!is_legal, "{name} does not begin with {bytes:?}: {message}");
                assert!(message.contains(&format!("the default of `{name}`")), "{message}");
            }
        }
    }
}

#[test]
fn a_bound_of_an_f32_is_one() {
    let bounded = |bound: &str| {
        replaced(id::EVERYTHING, r#""name":"f32_field""#, &format!(r#""name":"f32_field","max":{bound}"#))
    };
    for bound in ["0.5", "0.10000000149011612", "-0.0", "16777216.0", "3.4028234663852886e+38", "3"] {
        assert!(bounded(bound).is_ok(), "{bound}");
    }
    for bound in ["0.1", "16777217.0", "16777217", "1e+39", "1e-46"] {
        let message = bounded(bound).expect_err(bound);
        assert!(message.contains("has bounds that are none for f32"), "{bound}: {message}");
    }
}

#[test]
fn unions_that_no_declaration_is_are_refused() {
    for (contract, from, to, part) in [
        (id::REQUEST, r#""tag":"op""#, r#""untagged":true,"tag":"op""#, "in two"),
        (id::REQUEST, r#""tag":"op","#, "", "in no way"),
        (id::REQUEST, r#""tag":"op""#, r#""content":"c""#, "in no way"),
        (id::REQUEST, r#""tag":"op""#, r#""tag":"width""#, "`width`, which is the tag"),
        (id::REQUEST, r#""tag":"op""#, r#""tag":"format""#, "`format`, which is the tag"),
        (id::REQUEST, r#"{"name":"ping"}"#, r#"{"name":"find"}"#, "two tags `find`"),
        (id::REQUEST, r#"{"name":"ping"}"#, r#"{"name":"ping","other":true}"#, "holds what it cannot"),
        (id::REQUEST, r#"{"name":"ping"}"#, r#"{"name":"ping","default":0}"#, "holds what it cannot"),
        (
            id::REQUEST,
            r#"{"name":"check_out"}"#,
            r#"{"name":"check_out","default":0}"#,
            "cannot be in its union",
        ),
        (id::REQUEST, r#"{"name":"ping"}"#, r#"{"name":"ping","absent":"never"}"#, "does not know"),
        (
            id::KIND,
            r#"{"name":"texture"}"#,
            r#"{"name":"texture","absent":"default"}"#,
            "two variants that an absent",
        ),
        (id::KIND, r#"{"name":"","absent":"no_tag"}"#, r#"{"name":"x","absent":"no_tag"}"#, "cannot be in"),
        (id::KIND, r#"{"name":"","other":true}"#, r#"{"name":"x","other":true}"#, "cannot be in its union"),
        (id::REQUEST, r#"{"name":"ping"}"#, r#"{"name":""}"#, "cannot be in its union"),
        (id::KIND, r#""absent":"no_tag""#, r#""absent":"no_tag","alias":["x"]"#, "cannot be in its union"),
        (id::KIND, r#""other":true"#, r#""other":true,"absent":"default""#, "cannot be in its union"),
        (id::MEASURE, r#""content":"value""#, r#""content":"type""#, "in two"),
        (id::MEASURE, r#""default":-1"#, r#""default":{"text":"x"}"#, "the default of `Count`"),
        (id::MEASURE, r#""other":true"#, r#""other":false"#, "holds what it cannot"),
        (id::ANSWER, r#""untagged":true"#, r#""untagged":true,"tag_last":true"#, "in two"),
        (id::ANSWER, r#""untagged":true"#, r#""untagged":true,"lenient":true"#, "cannot be absent"),
        (id::REQUEST, r#""tag":"op""#, r#""tag":"op","lenient":true"#, "cannot be absent"),
        (id::ANSWER, r#"{"name":"error"}"#, r#"{"name":"error","alias":["e"]}"#, "cannot be in its union"),
        (
            id::ANSWER,
            r#"{"name":"error"}"#,
            r#"{"name":"error","absent":"default"}"#,
            "cannot be in its union",
        ),
    ] {
        match replaced(contract, from, to) {
            Ok(_) => panic!("{to} is taken"),
            Err(message) => assert!(message.contains(part), "{to}: {message}"),
        }
    }
    refused(id::ANSWER, "it has no variants", &|lines, words| {
        let start = lines.wire.find(r#""variants":["#).unwrap() + r#""variants":["#.len();
        lines.wire.replace_range(start..lines.wire.len() - 2, "");
        let start = lines.source.find(r#""members":["#).unwrap() + r#""members":["#.len();
        lines.source.replace_range(start..lines.source.len() - 2, "");
        words.clear();
    });
}

const DESCRIPTOR: u32 = 22;
const RECIPE: u32 = 23;
const UNION: u32 = 24;
const OPTION: u32 = 37;
const HOLDS: u32 = 1 << 13;

/// Words of `Everything`: `u8_field` is the first, `i64_field` the second, `u64_field` the third and fourth.
#[test]
fn words_that_no_type_has_are_refused() {
    let set = |at: usize, word: u32| move |_: &mut Lines, words: &mut Vec<encode::Word>| words[at].0 = word;
    for (at, word, part) in [
        (0, 99, "type code 99"),
        (0, 40, "type code 40"),
        (0, 38, "holds what only variants hold"),
        (0, 39, "holds what only variants hold"),
        (0, 2 | 2 << 8, "a spelling that integers have not"),
        (0, 2 | 1 << 12, "a spelling that integers have not"),
        (0, 2 | 1 << 14, "the type word 0x4002"),
        (0, 1 | 1 << 8, "the type word 0x101"),
        (0, 22, "a contract without ids"),
        (0, 31, "bytes that are spelled in no way"),
        (0, 31 | 4 << 8, "a UUID of other than 16 bytes"),
        (0, 31 | 9 << 8, "the spelling 9"),
        (3, 38, "an option, or nothing, within a type"),
    ] {
        refused(id::EVERYTHING, part, &set(at, word));
    }
    let insert = |at: usize, word: u32| {
        move |_: &mut Lines, words: &mut Vec<encode::Word>| words.insert(at, (word, false))
    };
    refused(id::EVERYTHING, "has ids or is open", &insert(0, OPTION | 1 << 12));
    refused(id::EVERYTHING, "an option, or nothing, within a type", &insert(3, 37));
    // A required array of as many bytes as the next word says, the type of the next key: one word is missing at last.
    refused(id::EVERYTHING, "25 keys, words for 24", &set(0, 32 | 2 << 8));
    refused(id::EVERYTHING, "end within a field", &|_, words| {
        words.pop();
    });
    refused(id::EVERYTHING, "holds exactly nothing", &|_, words| {
        words[0].0 = 34;
        words.splice(1..1, [(0, false), (2, false)]);
    });
    let arrays = |count: usize| {
        move |_: &mut Lines, words: &mut Vec<encode::Word>| {
            words.splice(0..0, std::iter::repeat_n((33, false), count));
        }
    };
    refused(id::EVERYTHING, "more than 32 deep", &arrays(100_000));
    refused(id::EVERYTHING, "more than 32 deep", &arrays(32));
    assert!(
        verdict(id::NAMED, &arrays(31)).is_ok(),
        "as deep as may be: {:?}",
        verdict(id::NAMED, &arrays(31)).err()
    );
    // Another spelling of a contract, and a kind that it is not.
    let at = |word: u32| {
        let catalog = recipes();
        let ids = catalog.iter().map(|(id, it)| (id, (it.wire_id, it.source_id))).collect();
        encode::words(&catalog, catalog.get(id::EVERYTHING), &ids)
            .iter()
            .position(|it| it.0 == word)
            .expect("it is there")
    };
    let recipe = at(RECIPE | HOLDS);
    refused(id::EVERYTHING, "holds Image as union, which is recipe", &set(recipe, UNION | HOLDS));
    refused(id::EVERYTHING, "open or spelled as its kind cannot be", &set(recipe, RECIPE | HOLDS | 1 << 12));
    refused(id::EVERYTHING, "open or spelled as its kind cannot be", &set(recipe, RECIPE | HOLDS | 2 << 8));
    refused(
        id::EVERYTHING,
        "open or spelled as its kind cannot be",
        &set(at(DESCRIPTOR | HOLDS | 2 << 8), DESCRIPTOR | HOLDS),
    );
    refused(id::EVERYTHING, "another wire id", &set(recipe + 1, 1));
}

#[test]
fn rules_without_a_meaning_are_refused() {
    let rule = |text: &str| format!(r#""rules":[{{"name":"readable","expr":"{text}"}},"#);
    for (text, part) in [
        ("u8_field ==", "expected a value at byte 11"),
        ("u8_field", "expected a condition as the rule"),
        ("u8_field + truth_of > 0", "`truth_of` is no field"),
        ("u8_field && true", "expected a condition beside `&&`"),
        ("present(uuid) > 0", "expected a number beside `>`"),
        ("present(uuid) == 1", "expected a condition beside `==`"),
        ("!u8_field", "expected a condition behind `!`"),
        ("-present(uuid) > 0", "expected a number behind `-`"),
        ("int(u8_field) > 0", "expected a condition in `int`"),
        ("u64_field > 0", "`u64_field` may be absent and has no default"),
        ("len(labels) > 0", "`len(labels)` may be absent"),
        ("has(access, Execute)", "`has(access, Execute)` has no value"),
        ("has(u8_field, Read)", "`has(u8_field, Read)` has no value"),
        ("present(u8_field)", "`present(u8_field)` has no value"),
        ("len(u8_field) > 0", "`len(u8_field)` has no value"),
        ("f64_field > 0", "`f64_field` has no value in a rule"),
        ("label == 1", "`label` has no value in a rule"),
        ("sample_bytes(u8_field) > 0", "`sample_bytes` is no field"),
        ("image.tiling == Linear", "`image` may be absent"),
        ("u8_field.low > 0", "`u8_field.low` is no field"),
        ("fd_count > 0", "`fd_count` is known at import"),
        ("variant == Read", "`variant` is no field"),
        ("access == Execute", "`Execute` is no field"),
        ("u8_field == Linear", "`Linear` is no field"),
        ("u8_field == Tiling::Bent", "`Tiling::Bent` is no field"),
        ("f(u8_field, 1, 2) > 0", "`f` is no field"),
        ("has(1, Read)", "`has` is no field"),
        ("18446744073709551616 > u8_field", "more than 18446744073709551615"),
    ] {
        let from = rule("has(access, Read) || u8_field == 0");
        match replaced(id::EVERYTHING, &from, &rule(text)) {
            Ok(_) => panic!("{text} is taken"),
            Err(message) => {
                assert!(message.contains(part) && message.contains(text), "{text}: {message}");
            }
        }
    }
    let deep = rule(&"(".repeat(100_000));
    let message = replaced(id::EVERYTHING, &rule("has(access, Read) || u8_field == 0"), &deep).unwrap_err();
    assert!(message.contains("more than 65 operators deep"), "{message:.200}");
    for (contract, from, to, part) in [
        (
            id::EXTENT,
            r#""expr":"width > 0 && height > 0""#,
            r#""expr":"fd_count > 0""#,
            "`fd_count` is known",
        ),
        (id::EXTENT, r#""at":"import""#, r#""at":"write""#, "does not know"),
        (id::EXTENT, r#""one_of":{"#, r#""one_of":{"name":"x","#, "has the name `x`"),
        (id::SURFACE, r#""name":"fds","#, r#""name":"fds","why":1,"#, "does not know"),
        (id::SURFACE, "kind != Texture", "kind != Pixel", "`Pixel` is no field"),
    ] {
        match replaced(contract, from, to) {
            Ok(_) => panic!("{to} is taken"),
            Err(message) => assert!(message.contains(part), "{to}: {message}"),
        }
    }
}

#[test]
fn what_a_writer_decides_is_in_no_rule_and_has_no_condition() {
    let reserve = |lines: &mut Lines, _: &mut Vec<encode::Word>| {
        lines.wire = lines.wire.replacen(r#""name":"width""#, r#""name":"width","reserved":"zero""#, 1);
    };
    refused(id::EXTENT, "`width` is no field", &reserve);
    refused(id::EXTENT, "`width` is no field", &|lines, _| {
        lines.wire = lines.wire.replacen(r#""name":"width""#, r#""name":"width","version":3"#, 1);
    });
    refused(id::EXTENT, "`pitch` has a condition and no value", &|lines, _| {
        lines.wire = lines.wire.replacen(r#""name":"pitch""#, r#""name":"pitch","reserved":"zero""#, 1);
    });
}

#[test]
fn words_of_a_rule_mean_what_the_contract_has() {
    let catalog = recipes();
    let of = |contract: ContractId, text: &str, at| expression(&catalog, catalog.get(contract), text, at);
    let compared = |contract, text: &str| match of(contract, text, Moment::Import) {
        Ok(Expr::Binary { left, right, .. }) => (*left, *right),
        other => panic!("{text}: {other:?}"),
    };
    // A value's name takes its meaning from the other side, whichever that is.
    assert_eq!(compared(id::IMAGE, "tiling == Modifier").1, Expr::Integer(1_000_158_000));
    assert_eq!(compared(id::IMAGE, "Linear != tiling").0, Expr::Integer(1));
    assert_eq!(compared(id::IMAGE, "usage == Storage").1, Expr::Integer(8));
    assert_eq!(compared(id::IMAGE, "tiling == Tiling::Linear").1, Expr::Integer(1));
    assert_eq!(compared(id::IMAGE, "tiling == Alias::Linear").1, Expr::Integer(1));
    assert_eq!(compared(id::SURFACE, "width == Tiling::Linear").1, Expr::Integer(1));
    assert_eq!(compared(id::SURFACE, "kind == PixelBuffer").1, Expr::Integer(1));
    let Ok(Expr::Operand(has)) = of(id::IMAGE, "has(usage, Usage::Storage)", Moment::Read) else { panic!() };
    assert_eq!(has.what, What::Has { path: Path(vec![1]), bits: 8 });
    assert_eq!((has.text.as_str(), has.is_condition), ("has(usage, Usage::Storage)", true));
    let (Expr::Operand(data), _) = compared(id::PIXELS, "sample_bytes(format) > 1") else { panic!() };
    assert_eq!(data.what, What::Data { path: Path(vec![0]), contract: id::FORMAT, key: 0 });
    assert!(
        matches!(of(id::PIXELS, "planar(format)", Moment::Read), Ok(Expr::Operand(it)) if it.is_condition)
    );
    // A union's own word.
    let (Expr::Operand(own), number) = compared(id::REQUEST, "variant == Lookup") else { panic!() };
    assert_eq!((own.what, number), (What::Value(Path(vec![])), Expr::Integer(1)));
    assert_eq!(
        of(id::REQUEST, "variant == Fetch", Moment::Read),
        Err(RuleError::UnknownName { name: "Fetch".into() })
    );
    assert_eq!(of(id::REQUEST, "fd_count == 0", Moment::Read), Err(RuleError::NoFdCount));
    assert!(of(id::REQUEST, "variant != Ping || fd_count == 0", Moment::Import).is_ok());
    // As in Rust.
    let Ok(Expr::Binary { op, right, .. }) = of(id::IMAGE, "true || true && false", Moment::Read) else {
        panic!()
    };
    assert!(op == Op::Or && matches!(*right, Expr::Binary { op: Op::And, .. }));
}

/// A library of `count` recipes, each of which holds the one before twice, flattened or not.
fn chain(count: usize, flatten: bool) -> Catalog {
    let empty = fixtures::recipes();
    let mut catalog = Catalog::default();
    for index in 0..count {
        let mut contract = empty.contracts[id::NAMED.0].clone();
        contract.name = format!("Level{index}");
        contract.line = u32::try_from(index).unwrap();
        let Body::Recipe(recipe) = &mut contract.body else { panic!("not a recipe") };
        let template = recipe.keys.pop().unwrap();
        if index > 0 {
            for name in ["first", "second"] {
                let ty = JsonType::Recipe(ContractId(index - 1));
                recipe.keys.push(Key {
                    name: name.into(),
                    key: name.into(),
                    flatten,
                    ty,
                    ..template.clone()
                });
            }
        }
        catalog.contracts.push(contract);
    }
    with_ids(catalog)
}

#[test]
fn contracts_in_each_other_and_flattened_parts_are_bounded() {
    for (count, flatten, part) in [
        (128, false, None),
        (129, false, Some("more than 128 deep")),
        (10, true, None),
        (11, true, Some("more than 1024 parts")),
        (60, true, Some("more than 1024 parts")),
    ] {
        let library = read_bytes(&elf_object(&chain(count, flatten), LITTLE_64)).unwrap();
        match (resolve(&library.records), part) {
            (Ok(_), None) => {}
            (Err(errors), Some(part)) => assert!(errors[0].to_string().contains(part), "{}", errors[0]),
            (verdict, part) => panic!("{count} {flatten}: {part:?}, {:?}", verdict.err()),
        }
    }
}

#[test]
fn two_parts_that_both_keep_what_is_nobodys_are_refused() {
    let verdict = |first_is_open: bool, second_is_flat: bool| {
        let mut catalog = Catalog::default();
        let fixture = fixtures::recipes();
        for (index, is_open) in [first_is_open, true].into_iter().enumerate() {
            let mut union = fixture.contracts[id::REQUEST.0].clone();
            union.name = format!("Part{index}");
            let Body::Union(body) = &mut union.body else { panic!("not a union") };
            body.tagging = Tagging::Internal { tag: format!("tag{index}"), last: false };
            let template = body.variants.pop().unwrap();
            body.variants = vec![Variant { name: "Only".into(), ..template.clone() }];
            if is_open {
                let (name, tag) = ("Other".into(), String::new());
                body.variants.push(Variant { name, tag, content: Content::Other, ..template });
            }
            catalog.contracts.push(union);
        }
        let mut recipe = fixture.contracts[id::NAMED.0].clone();
        let Body::Recipe(body) = &mut recipe.body else { panic!("not a recipe") };
        let template = body.keys.pop().unwrap();
        body.keys = [("first", true), ("second", second_is_flat)]
            .into_iter()
            .enumerate()
            .map(|(index, (name, flatten))| {
                let ty = JsonType::Union(ContractId(index));
                Key { name: name.into(), key: name.into(), flatten, ty, ..template.clone() }
            })
            .collect();
        catalog.contracts.push(recipe);
        for (line, contract) in (1..).zip(&mut catalog.contracts) {
            contract.line = line;
        }
        let catalog = with_ids(catalog);
        let library = read_bytes(&elf_object(&catalog, LITTLE_64)).expect("the file holds contracts");
        resolve(&library.records).map(drop).map_err(|errors| errors[0].to_string())
    };
    assert_eq!(verdict(false, true), Ok(()));
    assert_eq!(verdict(true, false), Ok(()));
    let message = verdict(true, true).expect_err("both keep what is nobody's");
    assert!(message.contains("`second` is its second part that keeps keys which are nobody's"), "{message}");
}

/// Words and every byte of the text of each record, changed in turn, with ids that fit: no panic.
#[test]
fn forged_records_are_refused_or_make_a_catalog() {
    let catalog = recipes();
    let ids = catalog.iter().map(|(id, it)| (id, (it.wire_id, it.source_id))).collect();
    let records = encode::records(&catalog, LITTLE_64);
    for (id, contract) in catalog.iter() {
        let lines = Lines::of(&catalog, contract);
        let words = encode::words(&catalog, contract, &ids);
        let before: Vec<u8> = records[..id.0].iter().flat_map(|record| record.bytes.clone()).collect();
        let look = |lines: &Lines, words: &[encode::Word]| {
            let mut section = before.clone();
            section.extend(lines.encode(words, LITTLE_64).bytes);
            if let Ok(library) = read_bytes(&section_file(&section)) {
                let _ = resolve(&library.records);
            }
        };
        for at in 0..words.len() {
            for bit in (at % 3..32).step_by(3) {
                let mut words = words.clone();
                words[at].0 ^= 1 << bit;
                look(&lines, &words);
            }
        }
        for at in 0..lines.wire.len() {
            let mut wire = lines.wire.clone().into_bytes();
            wire[at] = [b'0', b'"', b'.', b'a'][at % 4];
            look(&Lines { wire: String::from_utf8(wire).unwrap(), ..lines.clone() }, &words);
        }
    }
}

//! The JSON Schemas of recipes and unions, by a validator: what readers accept they accept, and what they have words
//! for they refuse.

use jsonschema::{Draft, Registry, Validator};
use serde_json::{Value, json};
use wirecontract_codegen::catalog::rule::expression;
use wirecontract_codegen::emit::{EmitInput, schema};
use wirecontract_codegen::fixtures::{self, contract, id};
use wirecontract_codegen::interpret::json::read;
use wirecontract_codegen::model::{
    Body, Catalog, Condition, ConditionKind, Content, ContractId, JsonType, Key, Length, Literal, Moment,
    Presence, Recipe, Rule, Spelled, Spelling, Tagging, Union, Variant, WhenAbsent,
};

/// The files of a catalog, where a program would find them.
fn files(input: &EmitInput<'_>) -> Vec<(String, Value)> {
    let artifacts = schema::emit(input).expect("every recipe has a schema");
    let file = |body: &str| serde_json::from_str(body).expect("it is JSON");
    artifacts
        .iter()
        .map(|artifact| (format!("https://example.org/{}", artifact.path), file(&artifact.body)))
        .collect()
}

fn registry(files: &[(String, Value)]) -> Registry<'_> {
    for (path, file) in files {
        jsonschema::meta::validate(file).unwrap_or_else(|error| panic!("{path} is no schema: {error}"));
    }
    let resources =
        files.iter().map(|(path, file)| (path.as_str(), Draft::Draft202012.create_resource_ref(file)));
    Registry::new().extend(resources).expect("each path is one").prepare().expect("every reference is there")
}

/// What checks documents of a contract.
fn validator(registry: &Registry<'_>, path: &str, name: &str) -> Validator {
    let schema = json!({ "$ref": format!("https://example.org/schema/{path}.schema.json#/$defs/{name}") });
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_registry(registry)
        .build(&schema)
        .expect("it is there")
}

/// The words of the readers, which the schema must not contradict: what it refuses, they refuse.
struct Checked {
    catalog: Catalog,
    files: Vec<(String, Value)>,
}

impl Checked {
    fn new(catalog: Catalog) -> Self {
        let files = files(&fixtures::input(&catalog));
        Checked { catalog, files }
    }

    fn validator(&self, id: ContractId) -> Validator {
        let contract = self.catalog.get(id);
        validator(&registry(&self.files), &format!("wirecontract/{}", contract.family()), &contract.name)
    }

    /// The schema's word on documents that readers accept, and on ones that they do not.
    #[track_caller]
    fn says(&self, id: ContractId, accepted: &[&str], refused: &[&str]) {
        let validator = self.validator(id);
        for document in accepted {
            let by_reader = read(&self.catalog, id, document.as_bytes());
            assert!(by_reader.is_ok(), "{document}: a reader says {:?}", by_reader.err());
            let value = serde_json::from_str(document).expect("it is JSON");
            if let Err(error) = validator.validate(&value) {
                panic!("{document}: {error} at {}", error.schema_path());
            }
        }
        for document in refused {
            assert!(read(&self.catalog, id, document.as_bytes()).is_err(), "{document}: a reader accepts it");
            let value = serde_json::from_str(document).expect("it is JSON");
            assert!(!validator.is_valid(&value), "{document} is accepted");
        }
    }

    /// Documents that readers refuse for what a schema cannot say.
    #[track_caller]
    fn lets_pass(&self, id: ContractId, documents: &[&str]) {
        let validator = self.validator(id);
        for document in documents {
            assert!(read(&self.catalog, id, document.as_bytes()).is_err(), "{document}: a reader accepts it");
            assert!(validator.is_valid(&serde_json::from_str(document).expect("it is JSON")), "{document}");
        }
    }
}

#[test]
fn a_family_with_recipes_is_one_schema_file() {
    let catalog = fixtures::recipes();
    let artifacts = schema::emit(&fixtures::input(&catalog)).unwrap();
    assert_eq!(artifacts.len(), 1);
    assert_eq!(artifacts[0].path, "schema/wirecontract/texture.schema.json");
    assert_eq!(artifacts[0].contracts.len(), catalog.contracts.len());
    insta::assert_snapshot!(artifacts[0].body);
}

#[test]
fn a_family_without_recipes_has_no_schema_file() {
    let catalog = fixtures::cuvis();
    assert_eq!(schema::emit(&fixtures::input(&catalog)), Ok(vec![]));
}

/// `Everything` with a key more, or with another value of one.
fn everything(member: &str) -> String {
    let key = member.split(':').next().unwrap_or_default();
    let first = if key == r#""u8_field""# { "" } else { r#""u8_field":0"# };
    let comma = if first.is_empty() || member.is_empty() { "" } else { "," };
    format!("{{{first}{comma}{member}}}")
}

/// Members of `Everything` that readers take.
const TAKEN: &[&str] = &[
    "",
    r#""u8_field":0"#,
    r#""i64_field":-3037000499"#,
    r#""u64_field":18446744073709551615"#,
    r#""bounded":-10"#,
    r#""bounded":10"#,
    r#""decimal":"18446744073709551615""#,
    r#""decimal":"0""#,
    r#""truth":true"#,
    r#""truth":null"#,
    r#""f32_field":3.4028235e38"#,
    r#""f32_field":1"#,
    r#""f64_field":-1.5"#,
    r#""f64_field":1e9"#,
    r#""label":"fifteen letters""#,
    r#""note":null"#,
    r#""note":"any""#,
    r#""blob":"""#,
    r#""blob":"AA==""#,
    r#""blob":"+/8=""#,
    r#""blob":"+/8A""#,
    r#""token":"00ff""#,
    r#""uuid":"01234567-89ab-cdef-0123-456789abcdef""#,
    r#""matrix":[[1,2],[3,-32768]]"#,
    r#""labels":["a","b","c"]"#,
    r#""labels":[]"#,
    r#""tags":{}"#,
    r#""tags":{"a":"b"}"#,
    r#""extra":null"#,
    r#""extra":{"any":[1,"thing"]}"#,
    r#""tiling":1000158000"#,
    r#""format":"gray8""#,
    r#""format":" GRAY\t""#,
    r#""format":"anything""#,
    r#""format":"  BGRA32\t  ""#,
    r#""access":[]"#,
    r#""access":["w"]"#,
    r#""access":["write","read"]"#,
    r#""extent":"020000000300000001000000""#,
    r#""image":{}"#,
    r#""measure":{"type":"ratio","value":1}"#,
    r#""measures":[{},{"type":"other than all"}]"#,
    r#""class":65535"#,
];

/// Members of `Everything` that readers refuse.
const REFUSED: &[&str] = &[
    r#""format":"tomorrows""#,
    r#""u8_field":256"#,
    r#""u8_field":-1"#,
    r#""u8_field":"0""#,
    r#""u8_field":null"#,
    r#""u8_field":0.5"#,
    r#""i64_field":-9223372036854777856"#,
    r#""u64_field":18446744073709551616"#,
    r#""bounded":-11"#,
    r#""bounded":11"#,
    r#""bounded":null"#,
    r#""decimal":1"#,
    r#""decimal":"""#,
    r#""decimal":"01""#,
    r#""decimal":"+1""#,
    r#""decimal":"-1""#,
    r#""decimal":"1.0""#,
    r#""decimal":"100000000000000000000""#,
    r#""truth":0"#,
    r#""f32_field":3.41e38"#,
    r#""f32_field":null"#,
    r#""f64_field":-1.6"#,
    r#""f64_field":1.1e9"#,
    r#""f64_field":"0""#,
    r#""label":"seventeen letters""#,
    r#""label":1"#,
    r#""blob":"AA""#,
    r#""blob":"AB==""#,
    r#""blob":"+/9=""#,
    r#""blob":"_-8=""#,
    r#""token":"0""#,
    r#""token":"AB""#,
    r#""uuid":"0123456789abcdef0123456789abcdef""#,
    r#""uuid":"01234567-89AB-cdef-0123-456789abcdef""#,
    r#""matrix":[[1,2]]"#,
    r#""matrix":[[1,2],[3]]"#,
    r#""matrix":[[1,2],[3,4],[5,6]]"#,
    r#""matrix":[[1,2],[3,32768]]"#,
    r#""labels":["a","b","c","d"]"#,
    r#""labels":["nine char"]"#,
    r#""labels":[null]"#,
    r#""labels":{}"#,
    r#""tags":{"a":1}"#,
    r#""tags":{"a":"seventeen letters"}"#,
    r#""tags":{"seventeen letters":"a"}"#,
    r#""tags":{"a":"","b":"","c":"","d":"","e":""}"#,
    r#""tags":[]"#,
    r#""tiling":2"#,
    r#""tiling":"Optimal""#,
    r#""format":1"#,
    r#""access":["execute"]"#,
    r#""access":["read","read"]"#,
    r#""access":3"#,
    r#""extent":"0200000003000000010000""#,
    r#""extent":"02000000030000000100000000""#,
    r#""image":[]"#,
    r#""image":{"device_uuid":"00"}"#,
    r#""measure":{"type":"ratio"}"#,
    r#""measures":[{},{},{},{},{}]"#,
    r#""class":65536"#,
    r#""r_class":1"#,
    r#""unknown":1"#,
];

#[test]
fn types_and_bounds_are_those_of_readers() {
    let checked = Checked::new(fixtures::recipes());
    for member in TAKEN {
        checked.says(id::EVERYTHING, &[&everything(member)], &[]);
    }
    for member in REFUSED {
        checked.says(id::EVERYTHING, &[], &[&everything(member)]);
    }
    checked.says(id::EVERYTHING, &[], &["{}", "[]", "null", "1", r#""text""#]);
}

#[test]
fn what_json_schema_has_no_words_for_passes() {
    let checked = Checked::new(fixtures::recipes());
    checked.lets_pass(
        id::EVERYTHING,
        &[
            r#"{"u8_field":1.0}"#,
            r#"{"u8_field":1e0}"#,
            r#"{"u8_field":0,"label":"éééééééééé"}"#,
            r#"{"u8_field":0,"format":"ééééé"}"#,
            r#"{"u8_field":0,"decimal":"20000000000000000000"}"#,
            r#"{"u8_field":0,"access":["read","r"]}"#,
            r#"{"u8_field":0,"extent":"ffffffffffffffff01000000"}"#,
            r#"{"u8_field":0,"i64_field":0}"#,
            r#"{"u8_field":0,"i64_field":-9223372036854775808}"#,
        ],
    );
}

#[test]
fn variants_are_told_by_their_tags_as_readers_tell_them() {
    let checked = Checked::new(fixtures::recipes());
    checked.says(
        id::REQUEST,
        &[
            r#"{"op":"ping"}"#,
            r#"{"op":"ping","unknown":1}"#,
            r#"{"op":"lookup","surface_id":"a"}"#,
            r#"{"op":"find","surface_id":"a"}"#,
            r#"{"surface_id":"a","op":"check_out"}"#,
            r#"{"op":"register","width":1}"#,
            r#"{"op":"register","width":1,"resource_type":"texture","format":"nv12"}"#,
            r#"{"op":"register","width":1,"resource_type":"hologram","format":7}"#,
        ],
        &[
            "{}",
            "[]",
            r#"{"op":null}"#,
            r#"{"op":1}"#,
            r#"{"op":"pong"}"#,
            r#"{"op":"Ping"}"#,
            r#"{"op":"lookup"}"#,
            r#"{"op":"lookup","surface_id":1}"#,
            r#"{"op":"check_out","width":1}"#,
            r#"{"op":"register"}"#,
            r#"{"op":"register","width":1,"format":7}"#,
            r#"{"op":"register","width":1,"resource_type":"texture","format":7}"#,
            r#"{"op":"register","width":1,"resource_type":7}"#,
            r#"{"op":"register","width":1,"resource_type":null}"#,
        ],
    );
    checked.says(
        id::KIND,
        &[
            "{}",
            r#"{"format":"gray"}"#,
            r#"{"resource_type":"implied","format":0}"#,
            r#"{"resource_type":"texture"}"#,
        ],
        &[r#"{"format":"x"}"#, r#"{"resource_type":"texture","format":"x"}"#, r#"{"resource_type":true}"#],
    );
    checked.says(
        id::MEASURE,
        &[
            "{}",
            r#"{"value":3}"#,
            r#"{"type":"count"}"#,
            r#"{"type":"count","value":3}"#,
            r#"{"type":"ratio","value":0.5}"#,
            r#"{"type":"nothing"}"#,
            r#"{"type":"nothing","value":[]}"#,
            r#"{"type":"later","value":[]}"#,
        ],
        &[
            r#"{"value":0.5}"#,
            r#"{"type":"count","value":0.5}"#,
            r#"{"type":"count","value":null}"#,
            r#"{"type":"ratio"}"#,
            r#"{"type":"ratio","value":"1"}"#,
            r#"{"type":"ratio","value":1e7}"#,
            r#"{"type":7}"#,
        ],
    );
    checked.says(
        id::ANSWER,
        &[r#"{"error":"no"}"#, r#"{"error":"no","width":-1}"#, r#"{"width":1}"#],
        &["{}", r#"{"error":1,"width":1}"#, r#"{"width":-1}"#, "null"],
    );
}

#[test]
fn conditions_at_read_are_said_and_those_at_import_are_not() {
    let checked = Checked::new(fixtures::recipes());
    let uuid = "00112233445566778899aabbccddeeff";
    let linear = format!(r#"{{"tiling":1,"device_uuid":"{uuid}"}}"#);
    let optimal = format!(r#"{{"tiling":0,"device_uuid":"{uuid}"}}"#);
    let implied = format!(r#"{{"device_uuid":"{uuid}"}}"#);
    checked.says(id::IMAGE, &["{}", &optimal, &implied, r#"{"tiling":1}"#, r#"{"tiling":7}"#], &[&linear]);
}

fn key(name: &str, ty: JsonType, presence: Presence) -> Key {
    let template = fixtures::recipes().contracts[id::NAMED.0].recipe().keys[0].clone();
    Key { name: name.into(), key: name.into(), ty, presence, ..template }
}

fn optional(default: Option<Literal>) -> Presence {
    Presence::Optional { nullable: true, null_when_absent: false, default }
}

/// A recipe of what rules can ask for, with these keys before.
fn with_rules(rules: &[&str], conditions: &[(usize, ConditionKind, &str)]) -> (Catalog, ContractId) {
    let mut catalog = fixtures::recipes();
    let Body::Flags(flags) = &mut catalog.contracts[id::USAGE.0].body else { panic!("not flags") };
    flags.open = false;
    flags.spelled = Spelled::Integer;
    let integer = |min, max| JsonType::Integer {
        scalar: wirecontract_codegen::model::Scalar::I32,
        min,
        max,
        decimal: false,
    };
    let list = JsonType::Array { item: Box::new(JsonType::Bool), length: Length::AtMost(None) };
    let hex = |length| JsonType::Bytes { length, spelling: Spelling::Hex };
    let recipe = Recipe {
        deny_unknown: true,
        max_bytes: 4096,
        max_depth: 8,
        keys: vec![
            key("n", integer(-5, 5), optional(Some(Literal::Integer(2)))),
            key("b", JsonType::Bool, optional(Some(Literal::Bool(true)))),
            key("t", JsonType::Text { max_len: None }, optional(Some(Literal::Text(String::new())))),
            key("l", list, optional(Some(Literal::List(vec![Literal::Bool(true)])))),
            key("h", hex(Length::AtMost(None)), Presence::Required),
            key(
                "f",
                JsonType::Enumeration { contract: id::FORMAT, open: false, max_len: None },
                optional(Some(Literal::Value(1))),
            ),
            key(
                "o",
                JsonType::Enumeration { contract: id::TILING, open: true, max_len: None },
                optional(Some(Literal::Value(0))),
            ),
            key("a", JsonType::Flags { contract: id::ACCESS }, optional(Some(Literal::Flags(1)))),
            key("u", JsonType::Flags { contract: id::USAGE }, optional(Some(Literal::Flags(3)))),
            key("k", JsonType::Union(id::MEASURE), Presence::Required),
            key("x", integer(0, 9), optional(None)),
            key("i", JsonType::Recipe(id::IMAGE), Presence::Required),
        ],
        conditions: Vec::new(),
        rules: Vec::new(),
    };
    catalog.contracts.push(contract("Ruled", Body::Recipe(recipe)));
    let id = ContractId(catalog.contracts.len() - 1);
    catalog.contracts[id.0].module = "wirecontract_gpu::texture".into();
    let of = |text: &str| {
        let expr = expression(&catalog, catalog.get(id), text, Moment::Read);
        let expr = expr.unwrap_or_else(|error| panic!("{text}: {error}"));
        Rule { name: None, text: text.into(), expr, at: Moment::Read }
    };
    let rules: Vec<Rule> = rules.iter().map(|text| of(text)).collect();
    let conditions = conditions.iter().map(|&(field, kind, text)| Condition { field, kind, rule: of(text) });
    let conditions: Vec<Condition> = conditions.collect();
    let Body::Recipe(recipe) = &mut catalog.contracts[id.0].body else { panic!("not a recipe") };
    (recipe.rules, recipe.conditions) = (rules, conditions);
    (catalog, id)
}

/// Documents of `Ruled` that are as they should be but for rules: each key absent, null and with several values.
fn documents() -> Vec<String> {
    let with = |members: &[&str]| {
        let has = |key: &str| members.iter().any(|member| member.starts_with(key));
        let rest = [("\"h\"", r#""h":"""#), ("\"k\"", r#""k":{}"#), ("\"i\"", r#""i":{}"#)];
        let rest = rest.iter().filter(|(key, _)| !has(key)).map(|(_, member)| *member);
        format!("{{{}}}", members.iter().copied().chain(rest).collect::<Vec<_>>().join(","))
    };
    let values: [(&str, &[&str]); 12] = [
        ("n", &["null", "-5", "0", "1", "2", "3"]),
        ("b", &["null", "true", "false"]),
        ("t", &["null", r#""""#, r#""a""#]),
        ("l", &["null", "[]", "[true]", "[true,true]", "[true,true,true]"]),
        ("h", &[r#""""#, r#""00""#, r#""0000""#, r#""000000""#]),
        ("f", &["null", r#""unknown""#, r#""BGRA ""#, r#""gray8""#, r#""nv12""#]),
        ("o", &["null", "0", "1", "7"]),
        ("a", &["null", "[]", r#"["r"]"#, r#"["write"]"#, r#"["w","read"]"#]),
        ("u", &["null", "0", "1", "2", "3", "8", "15"]),
        (
            "k",
            &[
                "{}",
                r#"{"type":"count"}"#,
                r#"{"type":"ratio","value":0}"#,
                r#"{"type":"nothing"}"#,
                r#"{"type":"x"}"#,
            ],
        ),
        ("x", &["null", "0", "9"]),
        (
            "i",
            &[
                "{}",
                r#"{"usage":0}"#,
                r#"{"allocation_size":0}"#,
                r#"{"allocation_size":9}"#,
                r#"{"memory_type_index":0}"#,
            ],
        ),
    ];
    let mut documents = vec![with(&[])];
    for (key, tried) in values {
        for value in tried {
            let member = format!("\"{key}\":{value}");
            documents.push(with(&[&member]));
            for other in [r#""n":3"#, r#""b":false"#, r#""x":0"#] {
                if !other.starts_with(&format!("\"{key}\"")) {
                    documents.push(with(&[&member, other]));
                }
            }
        }
    }
    documents
}

/// Documents that are refused and accepted, by the schema exactly as by the readers.
#[track_caller]
fn agrees(rules: &[&str], conditions: &[(usize, ConditionKind, &str)]) -> [usize; 2] {
    let (catalog, id) = with_rules(rules, conditions);
    let checked = Checked::new(catalog);
    let validator = checked.validator(id);
    let mut seen = [0, 0];
    for document in documents() {
        let by_reader = read(&checked.catalog, id, document.as_bytes());
        let by_schema = validator.is_valid(&serde_json::from_str(&document).expect("it is JSON"));
        assert_eq!(
            by_schema,
            by_reader.is_ok(),
            "{rules:?} {conditions:?}: {document}: {:?}",
            by_reader.err()
        );
        seen[usize::from(by_schema)] += 1;
    }
    seen
}

#[test]
fn comparisons_of_a_field_with_a_constant_are_said_exactly() {
    for rule in [
        "n == 2",
        "n != 2",
        "n < 2",
        "n <= 2",
        "n > 2",
        "n >= 2",
        "-1 < n",
        "0 >= n",
        "n == -5",
        "b",
        "!b",
        "b == false",
        "b != (n == 3)",
        "b == present(x)",
        "len(t) == 0",
        "len(t) > 0",
        "0 < len(t)",
        "len(l) == 1",
        "len(l) != 1",
        "len(l) < 2",
        "len(l) >= 2",
        "len(l) <= 0",
        "len(h) == 2",
        "len(h) > 1",
        "len(h) < 3",
        "f == Bgra32",
        "f != Bgra32",
        "f > Bgra32",
        "sample_bytes(f) == 4",
        "sample_bytes(f) < 2",
        "planar(f)",
        "!planar(f) && f != Unknown",
        "o == Optimal",
        "o != Linear",
        "o > 1",
        "has(a, Read)",
        "!has(a, Write)",
        "has(u, TransferSrc)",
        "has(u, Storage) || u == 0",
        "u == 3",
        "u != TransferSrc",
        "u < 8",
        "k == Count",
        "k != Count",
        "k == Other || k == Nothing",
        "k >= Nothing",
        "present(x)",
        "!present(x) || n > 2",
        "i.allocation_size > 0",
        "i.allocation_size == 0",
        "present(i.memory_type_index)",
        "i.usage == 15",
        "(n == 3 || b) && (present(x) || len(l) == 1)",
        "!(n == 3 && b) && !(n != 3 && !b)",
        "n == 2 || 1 == 2",
        "n != 2 && 1 != 2",
    ] {
        let [refused, accepted] = agrees(&[rule], &[]);
        assert!(refused > 0 && accepted > 0, "{rule}: {refused} {accepted}");
    }
}

#[test]
fn conditions_on_keys_are_said_exactly() {
    for condition in ["n > 2", "!b", "k == Count", "f != Bgra32", "len(l) > 1"] {
        for kind in [ConditionKind::RequiredIf, ConditionKind::UsedIf] {
            // Of the first, what is said may follow from its default.
            let [_, of_first] = agrees(&[], &[(0, kind, condition)]);
            let [refused, of_last] = agrees(&[], &[(10, kind, condition)]);
            assert!(of_first > 0 && of_last > 0 && refused > 0, "{condition} {kind:?}");
        }
    }
}

#[test]
fn what_a_rule_cannot_say_stands_in_the_comment_and_the_rest_is_said() {
    let (catalog, id) = with_rules(&["n + 1 > 2 && b", "len(t) < 5", "n > 2 || n * n < 7"], &[]);
    let checked = Checked::new(catalog);
    let schema = &checked.files[0].1["$defs"]["Ruled"];
    let comment = schema["$comment"].as_str().expect("there is one");
    for text in
        ["`n + 1 > 2 && b`", "`len(t) < 5`", "`n > 2 || n * n < 7`", "at most 4096 bytes and 8 levels"]
    {
        assert!(comment.contains(text), "{text} is not in: {comment}");
    }
    // The second half of the first rule, alone.
    assert_eq!(schema["allOf"].as_array().map(Vec::len), Some(1));
    checked.says(id, &[r#"{"h":"","k":{},"i":{}}"#], &[r#"{"b":false,"h":"","k":{},"i":{}}"#]);
    checked.lets_pass(id, &[r#"{"n":-5,"h":"","k":{},"i":{}}"#]);
}

fn recipe(deny_unknown: bool, keys: Vec<Key>) -> Body {
    let (conditions, rules) = (Vec::new(), Vec::new());
    Body::Recipe(Recipe { deny_unknown, max_bytes: 4096, max_depth: 8, keys, conditions, rules })
}

fn variant(name: &str, content: Content) -> Variant {
    let template = fixtures::recipes().contracts[id::REQUEST.0].union().variants[0].clone();
    Variant { name: name.into(), tag: name.to_lowercase(), content, ..template }
}

/// Bounds of single precision are those of the nearest such number, in the schema too.
#[test]
fn bounds_of_narrow_floats_are_compared_as_readers_compare_them() {
    let single = |min, max| {
        let scalar = wirecontract_codegen::model::Scalar::F32;
        let ty = JsonType::Float { scalar, min, max };
        let mut catalog = Catalog::default();
        let id = add(&mut catalog, "floats", "Single", recipe(false, vec![key("v", ty, Presence::Required)]));
        (Checked::new(catalog), id)
    };
    // The numbers of single precision around 1 are 2⁻²³ apart above it and 2⁻²⁴ below.
    let step = 2_f64.powi(-23);
    for bound in
        [1.0, 1.0 + step, 1.0 + step / 3.0, 1.0 + 2.0 * step, 0.1, 0.0, -1.0, -1.0 - step, 1e39, 3e38]
    {
        for (min, max) in [(None, Some(bound)), (Some(bound), None)] {
            let (checked, id) = single(min, max);
            let validator = checked.validator(id);
            for steps in -12..=12 {
                let value = bound + f64::from(steps) * step / 4.0;
                let document = format!(r#"{{"v":{value:?}}}"#);
                let by_reader = read(&checked.catalog, id, document.as_bytes()).is_ok();
                let by_schema = validator.is_valid(&serde_json::from_str(&document).unwrap());
                assert_eq!(by_schema, by_reader, "{value:?} between {min:?} and {max:?}");
            }
        }
    }
}

/// Adds a contract of a module, and gives its id.
fn add(catalog: &mut Catalog, module: &str, name: &str, body: Body) -> ContractId {
    let mut contract = contract(name, body);
    contract.module = format!("wirecontract_gpu::{module}");
    catalog.contracts.push(contract);
    ContractId(catalog.contracts.len() - 1)
}

/// A recipe that refuses other keys, and what holds it: as a part, as a variant, as a part that is a union.
#[test]
fn whose_word_on_unknown_keys_counts_is_as_readers_see_it() {
    let mut catalog = Catalog::default();
    let text = |name| key(name, JsonType::Text { max_len: None }, Presence::Required);
    let flat = |name, ty| Key { flatten: true, ..key(name, ty, Presence::Required) };
    let holds = |id| Content::Value { ty: JsonType::Recipe(id), default: None };
    let strict = add(&mut catalog, "keys", "Strict", recipe(true, vec![text("s")]));
    let loose = add(
        &mut catalog,
        "keys",
        "Loose",
        recipe(false, vec![text("l"), flat("s", JsonType::Recipe(strict))]),
    );
    let outer = vec![text("o"), flat("l", JsonType::Recipe(loose))];
    let outer = add(&mut catalog, "keys", "Outer", recipe(true, outer));
    let tagged = |tagging, variants| {
        Body::Union(Union {
            tagging,
            lenient: false,
            max_bytes: 4096,
            max_depth: 8,
            variants,
            rules: Vec::new(),
        })
    };
    let variants = || {
        vec![
            variant("Strict", holds(strict)),
            variant("Loose", holds(loose)),
            variant("Unit", Content::Nothing),
        ]
    };
    let internal = Tagging::Internal { tag: "tag".into(), last: false };
    let union = add(&mut catalog, "keys", "Union", tagged(internal.clone(), variants()));
    let mut open = variants();
    open.push(variant("Other", Content::Other));
    let open = add(&mut catalog, "keys", "Open", tagged(internal, open));
    let untagged = vec![variant("Outer", holds(outer)), variant("Strict", holds(strict))];
    let untagged = add(&mut catalog, "keys", "Untagged", tagged(Tagging::Untagged, untagged));
    let flat_union = |name, union| recipe(true, vec![text("o"), flat(name, JsonType::Union(union))]);
    let closed_outside = add(&mut catalog, "keys", "Outside", flat_union("union", union));
    let open_outside = add(&mut catalog, "keys", "OpenOutside", flat_union("open", open));
    let loose_outside = recipe(false, vec![text("o"), flat("union", JsonType::Union(union))]);
    let loose_outside = add(&mut catalog, "keys", "LooseOutside", loose_outside);
    let checked = Checked::new(catalog);
    checked.says(strict, &[r#"{"s":""}"#], &[r#"{"s":"","x":1}"#, "{}"]);
    checked.says(loose, &[r#"{"s":"","l":""}"#, r#"{"s":"","l":"","x":1}"#], &[r#"{"l":""}"#, r#"{"s":""}"#]);
    checked.says(
        outer,
        &[r#"{"s":"","l":"","o":""}"#],
        &[r#"{"s":"","l":"","o":"","x":1}"#, r#"{"l":"","o":""}"#],
    );
    checked.says(
        union,
        &[r#"{"tag":"strict","s":""}"#, r#"{"tag":"loose","s":"","l":"","x":1}"#, r#"{"tag":"unit","x":1}"#],
        &[r#"{"tag":"strict","s":"","x":1}"#, r#"{"tag":"strict","s":"","l":""}"#, r#"{"s":""}"#],
    );
    checked.says(open, &[r#"{"tag":"new","x":1}"#], &[r#"{"tag":"strict","s":"","x":1}"#]);
    checked.says(
        untagged,
        &[r#"{"s":""}"#, r#"{"s":"","l":"","o":""}"#],
        &[r#"{"s":"","l":""}"#, r#"{"l":"","o":""}"#, r#"{"s":"","tag":1}"#],
    );
    checked.says(
        closed_outside,
        &[
            r#"{"o":"","tag":"strict","s":""}"#,
            r#"{"o":"","tag":"loose","s":"","l":""}"#,
            r#"{"o":"","tag":"unit"}"#,
        ],
        &[
            r#"{"o":"","tag":"strict","s":"","l":""}"#,
            r#"{"o":"","tag":"unit","s":""}"#,
            r#"{"o":"","tag":"loose","s":""}"#,
        ],
    );
    checked.says(
        open_outside,
        &[r#"{"o":"","tag":"new","x":1}"#, r#"{"o":"","tag":"strict","s":""}"#],
        &[r#"{"o":"","tag":"strict","s":"","x":1}"#],
    );
    checked.says(
        loose_outside,
        &[r#"{"o":"","tag":"strict","s":"","x":1}"#],
        &[r#"{"o":"","tag":"strict"}"#],
    );
}

/// A tag that may be absent, in a union with aliases for what it then is.
#[test]
fn an_absent_tag_says_the_declared_variant() {
    let mut catalog = fixtures::recipes();
    let holds = Content::Value { ty: JsonType::Recipe(id::NAMED), default: None };
    let named = Variant {
        aliases: vec!["called".into()],
        when_absent: WhenAbsent::Default,
        ..variant("Named", holds)
    };
    let variants = vec![variant("Ping", Content::Nothing), named];
    let tagging = Tagging::Internal { tag: "op".into(), last: true };
    let union = Union { tagging, lenient: false, max_bytes: 4096, max_depth: 8, variants, rules: Vec::new() };
    let id = add(&mut catalog, "texture", "Defaulted", Body::Union(union));
    let rule = |catalog: &Catalog| Rule {
        name: None,
        text: "variant == Named".into(),
        expr: expression(catalog, catalog.get(id), "variant == Named", Moment::Read).unwrap(),
        at: Moment::Read,
    };
    let checked = Checked::new(catalog.clone());
    let named = [
        r#"{"surface_id":"a"}"#,
        r#"{"op":"named","surface_id":"a"}"#,
        r#"{"op":"called","surface_id":"a"}"#,
    ];
    checked.says(id, &named, &["{}", r#"{"op":"called"}"#, r#"{"op":"x","surface_id":"a"}"#]);
    checked.says(id, &[r#"{"op":"ping"}"#], &[]);
    let rule = rule(&catalog);
    let Body::Union(union) = &mut catalog.contracts[id.0].body else { panic!("not a union") };
    union.rules.push(rule);
    let checked = Checked::new(catalog);
    checked.says(id, &named, &[r#"{"op":"ping"}"#]);
}

/// Families refer to each other's files; what has no file is repeated.
#[test]
fn files_refer_to_each_other_wherever_they_lie() {
    let mut catalog = fixtures::recipes();
    for id in [id::TILING, id::FORMAT] {
        catalog.contracts[id.0].module = "wirecontract_gpu::names".into();
    }
    let keys = vec![
        key("named", JsonType::Recipe(id::NAMED), Presence::Required),
        key(
            "format",
            JsonType::Enumeration { contract: id::FORMAT, open: false, max_len: None },
            Presence::Required,
        ),
        Key { flatten: true, ..key("image", JsonType::Recipe(id::IMAGE), Presence::Required) },
    ];
    let other = add(&mut catalog, "größe", "Größe", recipe(true, keys));
    let mut input = fixtures::input(&catalog);
    let folder = |input: &mut EmitInput<'_>, name: &str, folder: &str| {
        let family = input.families.iter_mut().find(|family| family.name == name).unwrap();
        folder.clone_into(&mut family.package.include_dir);
    };
    for (of_texture, of_other) in [("a/b", "a/b"), ("a/b", "c"), ("c", "a/b")] {
        folder(&mut input, "texture", of_texture);
        folder(&mut input, "größe", of_other);
        let files: Vec<(String, Value)> = files(&input)
            .into_iter()
            .map(|(path, file)| (path.replace("größe", "gr%C3%B6%C3%9Fe"), file))
            .collect();
        assert_eq!(files.len(), 2, "the enumerations' family has none");
        let registry = registry(&files);
        let validator = validator(&registry, &format!("{of_other}/gr%C3%B6%C3%9Fe"), "Gr%C3%B6%C3%9Fe");
        let accepted = json!({ "named": { "surface_id": "a" }, "format": "NV12", "tiling": 1 });
        assert!(validator.is_valid(&accepted), "{:?}", validator.validate(&accepted).err());
        for (key, value) in
            [("named", json!({})), ("format", json!("x")), ("tiling", json!("x")), ("x", json!(1))]
        {
            let mut refused = accepted.clone();
            refused[key] = value;
            assert!(!validator.is_valid(&refused), "{key}");
        }
        assert!(files.iter().all(|(_, file)| file["$defs"].get("names.Format").is_some()));
    }
    assert_eq!(catalog.get(other).family(), "größe");
}

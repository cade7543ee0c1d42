//! Unions: tags, contents, what is kept of variants that are not known, and parts whose keys stand in another object.

#![allow(missing_docs, reason = "contracts of the tests")]

use wirecontract::{Code, Contract, Json, Kind, UnknownVariant, WireContract, WireError, WireJson};

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Named {
    pub surface_id: String,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown)]
pub struct Registration {
    pub width: u32,
    #[wire(flatten)]
    pub kind: SurfaceKind,
    #[wire(default = 0)]
    pub stride: Option<u32>,
    #[wire(flatten)]
    pub image: Image,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Image {
    #[wire(lenient, default = 7)]
    pub tiling: Option<u8>,
    #[wire(default = 1, skip_default)]
    pub layers: u32,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Pixels {
    #[wire(default = 0)]
    pub format: u32,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Texels {
    pub format: u32,
    pub levels: Option<u8>,
}

/// Internal, its tag written last, lenient and allowed to be absent in a variant of its own; open.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "resource_type", tag_last, lenient, rename_all = "snake_case")]
pub enum SurfaceKind {
    #[wire(no_tag)]
    Implied(Pixels),
    PixelBuffer(Pixels),
    Texture(Texels),
    #[wire(open)]
    Other(UnknownVariant),
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "op", rename_all = "snake_case", max_bytes = 512)]
pub enum Request {
    Register(Box<Registration>),
    #[wire(alias("find"))]
    Lookup(Named),
    CheckOut(Named),
    Ping,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "type", content = "value", tag_default = Count)]
pub enum Measure {
    #[wire(name = "count", default = -1)]
    Count(i64),
    #[wire(name = "ratio")]
    Ratio(f64),
    #[wire(name = "names")]
    Names(Vec<Named>),
    #[wire(name = "nothing")]
    Nothing,
    #[wire(open)]
    Other(UnknownVariant),
}

/// Adjacent, closed, its tag lenient.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "unit", content = "value", tag_default = Metre, lenient, rename_all = "snake_case")]
pub enum Distance {
    #[wire(alias("meter"))]
    Metre(u32),
    Foot(u32),
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Way {
    #[wire(lenient)]
    pub legs: Option<Vec<Distance>>,
    #[wire(flatten)]
    pub whole: Distance,
    #[wire(lenient)]
    pub toll: Option<u8>,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Fault {
    pub error: String,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, untagged)]
pub enum Answer {
    Error(Fault),
    Surface(Registration),
    Named(Named),
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Sized {
    pub width: u8,
    pub height: u8,
    pub depth: Option<u8>,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Counted {
    pub depth: u8,
    #[wire(default = 1, skip_default)]
    pub width: u8,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Marked {
    pub mark: u8,
    pub height: Option<u8>,
    #[wire(flatten)]
    pub shape: Shape,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "shape", rename_all = "snake_case")]
pub enum Shape {
    Long(Long),
    Deep(Deep),
    None,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Long {
    #[wire(default = 1, skip_default)]
    pub width: u8,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Deep {
    pub level: Option<u8>,
}

/// What its part holds has one of two keys.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Levelled {
    pub width: u8,
    pub level: u8,
}

/// Without tags: keys are shared, and no variant may have all that an earlier one requires.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, untagged)]
pub enum Measured {
    Levelled(Levelled),
    Marked(Marked),
    Sized(Sized),
    Counted(Counted),
}

fn same<T: WireJson + PartialEq + std::fmt::Debug>(document: &str) -> T {
    let value = T::from_json(document.as_bytes()).unwrap_or_else(|error| panic!("{document}: {error}"));
    assert_eq!(value.to_json().as_deref(), Ok(document));
    value
}

fn refused<T: WireJson + std::fmt::Debug>(document: &str) -> WireError {
    T::from_json(document.as_bytes()).expect_err(document)
}

fn said<T: WireJson + std::fmt::Debug>(document: &str) -> String {
    refused::<T>(document).to_string()
}

#[test]
fn a_tag_stands_first_and_says_the_variant_wherever_it_stands() {
    let lookup = Request::Lookup(Named { surface_id: "a".into() });
    assert_eq!(same::<Request>(r#"{"op":"lookup","surface_id":"a"}"#), lookup);
    assert_eq!(Request::from_json(br#" { "surface_id" : "a", "op" : "find" } "#), Ok(lookup.clone()));
    assert_eq!(lookup.tag(), "lookup");
    assert_eq!(same::<Request>(r#"{"op":"ping"}"#), Request::Ping);
    assert_eq!(same::<Request>(r#"{"op":"check_out","surface_id":""}"#).tag(), "check_out");
    assert_eq!((Request::NAME, Request::KIND), ("Request", Kind::Union));
}

#[test]
fn a_tag_at_fault_is_said_before_anything_else() {
    for (document, error) in [
        (r#"{"width":"x"}"#, "Request.op at byte 0: missing_key: expected the key `op`"),
        (
            r#"{"width":"x","op":null}"#,
            "Request.op at byte 18: null_not_allowed: expected a string, found null",
        ),
        (
            r#"{"width":"x","op":["ping"]}"#,
            "Request.op at byte 18: wrong_type: expected a string, found an array",
        ),
        (r#"{"op":"pong"}"#, "Request.op at byte 6: unknown_tag: expected a tag of Request, found \"pong\""),
        (
            r#"{"op":"register","width":"x"}"#,
            "Registration.width at byte 25: wrong_type: expected an integer, found \"x\"",
        ),
    ] {
        assert_eq!(said::<Request>(document), error);
    }
}

#[test]
fn keys_of_a_part_stand_in_the_outer_object_in_declared_order() {
    let document = r#"{"op":"register","width":1,"format":2,"levels":3,"resource_type":"texture","stride":4,"tiling":5,"layers":6}"#;
    let Request::Register(registration) = same::<Request>(document) else { panic!("{document}") };
    assert_eq!(registration.kind, SurfaceKind::Texture(Texels { format: 2, levels: Some(3) }));
    assert_eq!(registration.image, Image { tiling: Some(5), layers: 6 });
    let other =
        r#"{"layers":6,"levels":3,"format":2,"tiling":5,"stride":4,"resource_type":"texture","width":1}"#;
    assert_eq!(Registration::from_json(other.as_bytes()).as_ref(), Ok(&*registration));
}

#[test]
fn an_absent_tag_says_the_variant_that_has_none() {
    let document = r#"{"width":1,"format":0}"#;
    let implied = same::<Registration>(document);
    assert_eq!(implied.kind, SurfaceKind::Implied(Pixels { format: 0 }));
    assert_eq!(implied.kind.tag(), "");
    let error = said::<Registration>(r#"{"width":1,"resource_type":null}"#);
    assert_eq!(
        error,
        "SurfaceKind.resource_type at byte 27: null_not_allowed: expected a string, found null"
    );
    // Its name is nobody's tag.
    let kind = SurfaceKind::from_json(br#"{"resource_type":"implied"}"#).unwrap();
    assert!(matches!(kind, SurfaceKind::Other(_)));
}

#[test]
fn an_open_variant_keeps_the_tag_and_all_that_is_nobodys() {
    let document = r#"{"depth":3,"more":[1.0,{"a":null}],"resource_type":"volume"}"#;
    let kind = same::<SurfaceKind>(document);
    let SurfaceKind::Other(unknown) = &kind else { panic!("{kind:?}") };
    assert_eq!((unknown.tag.as_str(), kind.tag()), ("volume", "volume"));
    assert_eq!(unknown.content.as_ref().map(Json::as_str), Some(r#"{"depth":3,"more":[1.0,{"a":null}]}"#));
    // In an object that has other keys, those are theirs, and an unknown one is nobody's although others are refused.
    let inside = r#"{"width":1,"depth":3,"resource_type":"volume","stride":2}"#;
    let registration = same::<Registration>(inside);
    let SurfaceKind::Other(unknown) = &registration.kind else { panic!("{registration:?}") };
    assert_eq!(unknown.content.as_ref().map(Json::as_str), Some(r#"{"depth":3}"#));
}

#[test]
fn unknown_keys_are_refused_by_the_word_of_the_outer_contract() {
    let error = said::<Registration>(r#"{"width":1,"depth":3,"format":1,"resource_type":"pixel_buffer"}"#);
    assert_eq!(
        error,
        "Registration at byte 11: unknown_key: expected a key of Registration, found \"depth\""
    );
    assert!(Request::from_json(br#"{"op":"ping","depth":3}"#).is_ok());
    assert_eq!(refused::<Request>(r#"{"op":"register","width":1,"depth":3}"#).code, Code::UnknownKey);
}

#[test]
fn an_adjacent_content_is_a_key_of_its_own() {
    assert_eq!(same::<Measure>(r#"{"type":"count","value":-9223372036854775808}"#), Measure::Count(i64::MIN));
    assert_eq!(same::<Measure>(r#"{"type":"ratio","value":0.5}"#), Measure::Ratio(0.5));
    assert_eq!(same::<Measure>(r#"{"type":"nothing"}"#), Measure::Nothing);
    assert_eq!(Measure::from_json(b"{}"), Ok(Measure::Count(-1)));
    assert_eq!(Measure::from_json(br#"{"value":3}"#), Ok(Measure::Count(3)));
    assert_eq!(Measure::from_json(br#"{"value":3,"type":"nothing"}"#), Ok(Measure::Nothing));
    let named = Measure::Names(vec![Named { surface_id: "a".into() }]);
    assert_eq!(same::<Measure>(r#"{"type":"names","value":[{"surface_id":"a"}]}"#), named);
    for (document, error) in [
        (r#"{"type":"ratio"}"#, "Measure.value at byte 0: missing_key: expected the key `value`"),
        (r#"{"value":true}"#, "Measure.value at byte 9: wrong_type: expected an integer, found true"),
        (
            r#"{"value":[{}],"type":"names"}"#,
            "Named.surface_id at byte 10: missing_key: expected the key `surface_id`",
        ),
    ] {
        assert_eq!(said::<Measure>(document), error);
    }
}

#[test]
fn an_open_adjacent_variant_keeps_its_content() {
    let with = same::<Measure>(r#"{"type":"angle","value":{"a":1e5}}"#);
    let content = Some(Json::new(r#"{"a":1e5}"#).unwrap());
    assert_eq!(with, Measure::Other(UnknownVariant { tag: "angle".into(), content }));
    let without = same::<Measure>(r#"{"type":"angle"}"#);
    assert_eq!(without, Measure::Other(UnknownVariant { tag: "angle".into(), content: None }));
    // A tag that a variant has would be read as that variant.
    let known = Measure::Other(UnknownVariant { tag: "count".into(), content: None });
    assert_eq!(known.to_json().unwrap_err().code, Code::UnknownTag);
}

#[test]
fn an_untagged_variant_is_known_by_its_required_keys() {
    assert_eq!(same::<Answer>(r#"{"error":"no"}"#), Answer::Error(Fault { error: "no".into() }));
    assert!(matches!(same::<Answer>(r#"{"width":1,"format":0}"#), Answer::Surface(_)));
    assert_eq!(same::<Answer>(r#"{"surface_id":"a"}"#), Answer::Named(Named { surface_id: "a".into() }));
    assert!(matches!(Answer::from_json(br#"{"width":1,"error":"no"}"#), Ok(Answer::Error(_))));
    assert_eq!(
        said::<Answer>("{}"),
        "Named.surface_id at byte 0: missing_key: expected the key `surface_id`"
    );
    assert_eq!(
        said::<Answer>(r#"{"error":1}"#),
        "Fault.error at byte 9: wrong_type: expected a string, found 1"
    );
}

/// Two unions beside one that keeps what is nobody's: one has no tag, the other is written without it.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Beside {
    #[wire(flatten)]
    pub outcome: Outcome,
    #[wire(flatten)]
    pub kept: Kept,
    #[wire(flatten)]
    pub implied: Implied,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, untagged)]
pub enum Outcome {
    Error(Fault),
    Named(Named),
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "kept")]
pub enum Kept {
    Nothing,
    #[wire(open)]
    Other(UnknownVariant),
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "said")]
pub enum Implied {
    #[wire(no_tag)]
    Nothing,
    Ratio(Pixels),
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Answers {
    pub all: Vec<Answer>,
    pub beside: Option<Box<Beside>>,
}

fn kept(content: &str) -> UnknownVariant {
    UnknownVariant { tag: "later".into(), content: Some(Json::new(content).unwrap()) }
}

fn surface(content: &str) -> Answer {
    let kind = SurfaceKind::Other(kept(content));
    Answer::Surface(Registration { width: 1, kind, stride: None, image: Image { tiling: None, layers: 1 } })
}

fn beside(content: &str) -> Beside {
    let outcome = Outcome::Named(Named { surface_id: "a".into() });
    Beside { outcome, kept: Kept::Other(kept(content)), implied: Implied::Nothing }
}

/// What is said of a value that is written, behind something that stays as it is.
fn unwritten<T: WireJson>(value: &T) -> String {
    let mut out = b"\xffbefore".to_vec();
    let error = value.write_json(&mut out).unwrap_err();
    assert_eq!(out, b"\xffbefore");
    assert_eq!(value.to_json(), Err(error));
    error.to_string()
}

#[test]
fn what_an_unknown_variant_keeps_makes_no_union_another_variant() {
    let another = "at byte 0: unknown_tag: expected members that say no other variant";
    // Also where a key is spelled otherwise, and whatever it holds.
    for content in [r#"{"error":"no"}"#, r#"{"a":1,"error":1}"#, r#"{"\u0065rror":null}"#] {
        assert_eq!(unwritten(&surface(content)), format!("Answer {another}"), "{content}");
        assert_eq!(unwritten(&beside(content)), format!("Outcome {another}"), "{content}");
        let all = vec![surface("{}"), surface(content)];
        assert_eq!(unwritten(&Answers { all, beside: None }), format!("Answer {another}"), "{content}");
    }
    // What a later variant requires, what stands deeper, and what is there in part says nothing.
    for content in [r#"{"surface_id":"a"}"#, r#"{"a":{"error":"no"},"Error":1}"#, "{}"] {
        let value = surface(content);
        let document = value.to_json().expect(content);
        assert_eq!(Answer::from_json(document.as_bytes()), Ok(value), "{document}");
    }
    // The tag of a union that is written without one: whatever it holds, that of the variant too.
    for tag in [r#""Ratio""#, r#""Nothing""#, "7"] {
        assert_eq!(unwritten(&beside(&format!(r#"{{"said":{tag}}}"#))), format!("Implied.said {another}"));
    }
    let both = beside(r#"{"said":1,"error":1}"#);
    assert_eq!(unwritten(&both), format!("Outcome {another}"));
    // The object that is written first; but what is wrong with the document as JSON is said before.
    let all = Answers { all: vec![surface(r#"{"error":1}"#)], beside: Some(Box::new(both.clone())) };
    assert_eq!(unwritten(&all), format!("Answer {another}"));
    let twice = Answers { all: vec![surface(r#"{"error":1,"width":1}"#)], beside: Some(Box::new(both)) };
    assert_eq!(
        unwritten(&twice),
        "Answers at byte 0: duplicate_key: expected each key once, found \"width\""
    );
}

#[test]
fn every_value_of_an_untagged_union_is_read_as_the_variant_it_is() {
    let (numbers, maybe) = ([0, 1, 2], [None, Some(0), Some(1)]);
    let mut values = Vec::new();
    for width in numbers {
        for height in maybe {
            let shapes = [Shape::Long(Long { width }), Shape::Deep(Deep { level: height }), Shape::None];
            for shape in shapes {
                values.push(Measured::Marked(Marked { mark: width, height, shape }));
            }
            values.push(Measured::Sized(Sized { width, height: 1, depth: height }));
        }
        for level in numbers {
            values.push(Measured::Levelled(Levelled { width, level }));
            values.push(Measured::Counted(Counted { width, depth: level }));
        }
    }
    for value in values {
        let document = value.to_json().unwrap();
        assert_eq!(Measured::from_json(document.as_bytes()), Ok(value), "{document}");
    }
}

#[test]
fn lenient_keys_of_a_part_fall_to_absence_and_are_listed() {
    let (value, faults) = Registration::from_json_lenient(br#"{"width":1,"tiling":300}"#).unwrap();
    assert_eq!((value.image.tiling, value.image.tiling()), (None, 7));
    assert_eq!(faults.len(), 1);
    assert_eq!(
        faults[0].to_string(),
        "Image.tiling at byte 20: out_of_range: expected an integer from 0 to 255, found 300"
    );
    assert!(Registration::from_json(br#"{"width":1,"tiling":300}"#).is_err());
}

fn lenient<T: WireJson + std::fmt::Debug>(document: &str) -> (T, Vec<String>) {
    let (value, faults) = T::from_json_lenient(document.as_bytes()).expect(document);
    // Strict reading says the first of them, whatever lenient reading looks past.
    let first = T::from_json(document.as_bytes()).err();
    assert_eq!(first, faults.first().copied(), "{document}");
    (value, faults.iter().map(ToString::to_string).collect())
}

#[test]
fn a_lenient_tag_at_fault_counts_as_absent_and_is_listed() {
    for (tag, fault) in [
        ("null", "null_not_allowed: expected a string, found null"),
        ("[\"foot\"]", "wrong_type: expected a string, found an array"),
        ("7", "wrong_type: expected a string, found 7"),
        ("\"mile\"", "unknown_tag: expected a tag of Distance, found \"mile\""),
        ("\"m\\u0069le\"", "unknown_tag: expected a tag of Distance, found \"m\\u0069le\""),
    ] {
        let (value, faults) = lenient::<Distance>(&format!(r#"{{"value":3,"unit":{tag}}}"#));
        assert_eq!(value, Distance::Metre(3), "{tag}");
        assert_eq!(faults, [format!("Distance.unit at byte 18: {fault}")]);
    }
    for tag in ["foot", "f\\u006fot"] {
        assert_eq!(
            lenient(&format!(r#"{{"value":3,"unit":"{tag}"}}"#)),
            (Distance::Foot(3), Vec::<String>::new())
        );
    }
    assert_eq!(lenient::<Distance>(r#"{"value":3,"unit":"meter"}"#).0, Distance::Metre(3));
    // What an absent tag asks for is asked for as strictly as ever.
    let error = Distance::from_json_lenient(br#"{"unit":null,"value":"x"}"#).unwrap_err();
    assert_eq!(error.to_string(), "Distance.value at byte 21: wrong_type: expected an integer, found \"x\"");
    // A tag that is not lenient stays strict.
    assert_eq!(Measure::from_json_lenient(br#"{"type":null}"#).unwrap_err().code, Code::NullNotAllowed);
}

#[test]
fn a_lenient_tag_is_listed_in_its_place_of_the_declared_order() {
    let (way, faults) =
        lenient::<Way>(r#"{"toll":-1,"unit":"mile","value":9,"legs":[{"value":1,"unit":0},{"value":2}]}"#);
    assert_eq!(way.whole, Distance::Metre(9));
    assert_eq!(way.legs, Some(vec![Distance::Metre(1), Distance::Metre(2)]));
    assert_eq!(
        faults,
        [
            "Distance.unit at byte 61: wrong_type: expected a string, found 0",
            "Distance.unit at byte 18: unknown_tag: expected a tag of Distance, found \"mile\"",
            "Way.toll at byte 8: out_of_range: expected an integer from 0 to 255, found -1",
        ]
    );
    // What is looked past within a value that counts as absent itself is not listed.
    let (way, faults) = Way::from_json_lenient(br#"{"value":9,"legs":[{"value":1,"unit":0},{}]}"#).unwrap();
    assert_eq!(way.legs, None);
    assert_eq!(faults[0].to_string(), "Distance.value at byte 40: missing_key: expected the key `value`");
    assert_eq!(faults.len(), 1);
}

#[test]
fn a_lenient_tag_of_a_part_leaves_the_keys_of_the_variant_without_one() {
    let (registration, faults) =
        lenient::<Registration>(r#"{"format":2,"tiling":300,"resource_type":null,"width":1}"#);
    assert_eq!(registration.kind, SurfaceKind::Implied(Pixels { format: 2 }));
    assert_eq!(
        faults,
        [
            "SurfaceKind.resource_type at byte 41: null_not_allowed: expected a string, found null",
            "Image.tiling at byte 21: out_of_range: expected an integer from 0 to 255, found 300",
        ]
    );
    // Unknown keys are refused by what is read then, and an unknown tag is kept where such are.
    let levels = br#"{"width":1,"levels":2,"resource_type":null}"#;
    assert_eq!(Registration::from_json_lenient(levels).unwrap_err().code, Code::UnknownKey);
    let (kind, faults) = lenient::<SurfaceKind>(r#"{"depth":3,"resource_type":"volume"}"#);
    assert_eq!((kind.tag(), faults.len()), ("volume", 0));
}

#[test]
fn defaults_fill_what_is_nested() {
    let registration: Registration = same(r#"{"width":1,"format":0}"#);
    let filled = Request::Register(Box::new(registration)).with_defaults();
    assert_eq!(filled.to_json().unwrap(), r#"{"op":"register","width":1,"format":0,"stride":0,"tiling":7}"#);
}

#[test]
fn a_document_may_not_be_longer_than_declared() {
    let long = Request::Lookup(Named { surface_id: "x".repeat(512) });
    let error = long.to_json().unwrap_err();
    assert_eq!((error.code, error.contract, error.field), (Code::TooLarge, "Request", ""));
    let document = format!(r#"{{"op":"lookup","surface_id":"{}"}}"#, "x".repeat(512));
    assert_eq!(
        said::<Request>(&document),
        "Request at byte 512: too_large: expected at most 512 bytes, found 543"
    );
}

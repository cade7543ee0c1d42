//! Unions: whole and flattened, tagged and not.

use wirecontract::{Json, OpenName, UnknownVariant, WireJson};

use super::contracts::{
    Answer, Extra, Format, Measure, Pixels, Point, Request, Resource, Strict, Surface, Texels,
};
use super::{fault, flaw, round_trip};

fn surface(resource: Resource) -> Surface {
    Surface {
        width: 1,
        resource,
        planes: Some(vec![7]),
        extra: Extra { note: "n".into(), json: Some(Json::new("[1, {\"a\" : null}]").unwrap()) },
        last: 9,
    }
}

#[test]
fn an_internal_tag_stands_beside_the_variants_keys() {
    round_trip(&Request::Register(Point { x: 1, y: 2 }), r#"{"op":"register","x":1,"y":2}"#);
    round_trip(&Request::Ping, r#"{"op":"ping"}"#);
    round_trip(&Request::Lookup(Extra { note: String::new(), json: None }), r#"{"op":"lookup","note":""}"#);
    assert_eq!(
        Request::from_json(br#"{"y":0,"x":1,"op":"register"}"#),
        Ok(Request::Register(Point { x: 1, y: 0 }))
    );
    assert_eq!(Request::from_json(br#"{"z":{"op":1},"op":"p\u0069ng"}"#), Ok(Request::Ping));
}

#[test]
fn a_tag_is_looked_at_before_all_else() {
    let told = |document: &str| fault::<Request>(document);
    assert_eq!(told("[]"), "Request at byte 0: wrong_type: expected an object, found an array");
    assert_eq!(told(r#" {"x":""}"#), "Request.op at byte 1: missing_key: expected the key `op`");
    assert_eq!(
        told(r#"{"x":"","op":null}"#),
        "Request.op at byte 13: null_not_allowed: expected a string, found null"
    );
    assert_eq!(
        told(r#"{"x":"","op":{}}"#),
        "Request.op at byte 13: wrong_type: expected a string, found an object"
    );
    assert_eq!(
        told(r#"{"x":"","op":"Ping"}"#),
        "Request.op at byte 13: unknown_tag: expected a tag of Request, found \"Ping\""
    );
    assert_eq!(
        told(r#"{"x":"","op":"register"}"#),
        "Point.x at byte 5: wrong_type: expected an integer, found \"\""
    );
    assert_eq!(
        told(r#"{"op":"register","z":1,"x":0}"#),
        "Point at byte 17: unknown_key: expected a key of Point, found \"z\""
    );
    assert_eq!(
        told(r#"{"op":"register","x":0}"#),
        "Point at byte 0: rule_violated: expected positive: x > 0, found x = 0"
    );
    assert_eq!(
        told(r#"{"op":"ping","op":"ping"}"#),
        "Request at byte 13: duplicate_key: expected each key once, found \"op\""
    );
}

#[test]
fn an_adjacent_content_has_a_key_of_its_own() {
    round_trip(&Measure::Count(5), r#"{"type":"count","value":5}"#);
    round_trip(&Measure::Ratio(0.25), r#"{"type":"ratio","value":0.25}"#);
    round_trip(&Measure::Nothing, r#"{"type":"nothing"}"#);
    let other = |content| Measure::Other(UnknownVariant { tag: "x".into(), content });
    round_trip(&other(None), r#"{"type":"x"}"#);
    round_trip(&other(Some(Json::new("null").unwrap())), r#"{"type":"x","value":null}"#);
    assert_eq!(Measure::from_json(b"{}"), Ok(Measure::Count(-1)));
    assert_eq!(Measure::from_json(br#"{"value":3}"#), Ok(Measure::Count(3)));
    assert_eq!(Measure::from_json(br#"{"value":0.5,"type":"ratio"}"#), Ok(Measure::Ratio(0.5)));
    assert_eq!(Measure::from_json(br#"{"type":"nothing","value":0.5,"y":1}"#), Ok(Measure::Nothing));
    let told = |document: &str| fault::<Measure>(document);
    assert_eq!(
        told(r#" {"type":"ratio"}"#),
        "Measure.value at byte 1: missing_key: expected the key `value`"
    );
    assert_eq!(
        told(r#"{"type":"ratio","value":null}"#),
        "Measure.value at byte 24: null_not_allowed: expected a number, found null"
    );
    assert_eq!(
        told(r#"{"value":"x","type":7}"#),
        "Measure.type at byte 20: wrong_type: expected a string, found 7"
    );
    assert_eq!(
        told(r#"{"type":"nothing","value":1,"value":2}"#),
        "Measure at byte 28: duplicate_key: expected each key once, found \"value\""
    );
}

#[test]
fn an_untagged_variant_is_the_first_whose_required_keys_are_there() {
    round_trip(&Answer::Point(Point { x: 1, y: 0 }), r#"{"x":1,"y":0}"#);
    round_trip(&Answer::Extra(Extra { note: "n".into(), json: None }), r#"{"note":"n"}"#);
    let told = |document: &str| fault::<Answer>(document);
    // Required keys decide, whatever they hold.
    assert_eq!(
        told(r#"{"note":"n","x":null}"#),
        "Point.x at byte 16: null_not_allowed: expected an integer, found null"
    );
    assert_eq!(told(r#"{"json":1}"#), "Extra.note at byte 0: missing_key: expected the key `note`");
    assert_eq!(told("[]"), "Answer at byte 0: wrong_type: expected an object, found an array");
    // A variant of variants: `Surface` flattens a union, which keeps what is nobody's.
    round_trip(
        &Answer::Surface(surface(Resource::Nothing)),
        r#"{"width":1,"resource_type":"nothing","planes":[7],"note":"n","json":[1,{"a":null}],"last":9}"#,
    );
    let other =
        Resource::Other(UnknownVariant { tag: "later".into(), content: Json::new(r#"{"x":1,"y":2}"#).ok() });
    round_trip(
        &Answer::Surface(surface(other)),
        r#"{"width":1,"x":1,"y":2,"resource_type":"later","planes":[7],"note":"n","json":[1,{"a":null}],"last":9}"#,
    );
}

#[test]
fn flattened_keys_stand_in_the_outer_object() {
    let rest = r#""planes":[7],"note":"n","json":[1,{"a":null}],"last":9}"#;
    round_trip(
        &surface(Resource::Implied(Pixels { format: Format::Bgra32 })),
        &format!(r#"{{"width":1,"format":"bgra32",{rest}"#),
    );
    round_trip(
        &surface(Resource::PixelBuffer(Pixels { format: Format::Unknown })),
        &format!(r#"{{"width":1,"format":"unknown","resource_type":"pixel_buffer",{rest}"#),
    );
    let texels = Texels { layout: 77, name: OpenName::from_name("later") };
    round_trip(
        &surface(Resource::Texture(texels)),
        &format!(r#"{{"width":1,"layout":77,"name":"later","resource_type":"texture",{rest}"#),
    );
    round_trip(&surface(Resource::Nothing), &format!(r#"{{"width":1,"resource_type":"nothing",{rest}"#));
    let alias = format!(r#"{{"resource_type":"pixels","width":1,{rest}"#);
    assert_eq!(
        Surface::from_json(alias.as_bytes()),
        Ok(surface(Resource::PixelBuffer(Pixels { format: Format::Unknown })))
    );
}

#[test]
fn an_unknown_variant_keeps_what_is_nobodys() {
    let unknown = |content: &str| {
        surface(Resource::Other(UnknownVariant {
            tag: "vr".into(),
            content: Some(Json::new(content).unwrap()),
        }))
    };
    round_trip(
        &unknown(r#"{"format":"x","eyes":[1,2]}"#),
        r#"{"width":1,"format":"x","eyes":[1,2],"resource_type":"vr","planes":[7],"note":"n","json":[1,{"a":null}],"last":9}"#,
    );
    round_trip(
        &unknown("{}"),
        r#"{"width":1,"resource_type":"vr","planes":[7],"note":"n","json":[1,{"a":null}],"last":9}"#,
    );
    // In the document's order, with what is unusual in it; by both ways of reading.
    for key in ["width", "\\u0077idth"] {
        let document = format!(
            r#"{{"e\u0079es":[ 1,2 ],"note":"n","{key}":1,"resource_type":"vr","planes":[7],"json":[1,{{"a":null}}],"format":"x","last":9}}"#
        );
        assert_eq!(
            Surface::from_json(document.as_bytes()),
            Ok(unknown(r#"{"eyes":[1,2],"format":"x"}"#)),
            "{document}"
        );
    }
    // A key that somebody has cannot be written twice.
    assert_eq!(
        flaw(&unknown(r#"{"eyes":1,"last":1}"#)),
        "Surface at byte 0: duplicate_key: expected each key once, found \"last\""
    );
    assert_eq!(
        flaw(&unknown("[1]")),
        "Resource.resource_type at byte 0: wrong_type: expected an object, found an array"
    );
    let known = Resource::Other(UnknownVariant { tag: "pixels".into(), content: None });
    assert_eq!(
        flaw(&surface(known)),
        "Resource.resource_type at byte 0: unknown_tag: expected a tag that no variant has, found \"pixels\""
    );
    let no_tag =
        Resource::Other(UnknownVariant { tag: "implied".into(), content: Some(Json::new("{}").unwrap()) });
    round_trip(
        &surface(no_tag),
        r#"{"width":1,"resource_type":"implied","planes":[7],"note":"n","json":[1,{"a":null}],"last":9}"#,
    );
}

#[test]
fn what_an_unknown_variant_keeps_is_not_denied() {
    let content = Some(Json::new(r#"{"eyes":1}"#).unwrap());
    let resource = Resource::Other(UnknownVariant { tag: "vr".into(), content });
    round_trip(&Strict { width: 1, resource }, r#"{"width":1,"eyes":1,"resource_type":"vr"}"#);
    let slow = r#"{"w\u0069dth":1,"eyes":1,"resource_type":"vr"}"#;
    assert!(Strict::from_json(slow.as_bytes()).is_ok());
    assert_eq!(
        fault::<Strict>(r#"{"width":1,"eyes":1,"resource_type":"nothing"}"#),
        "Strict at byte 11: unknown_key: expected a key of Strict, found \"eyes\""
    );
}

#[test]
fn faults_of_flattened_keys_come_in_their_place() {
    let told = |document: &str| fault::<Surface>(document);
    assert_eq!(
        told(r#"{"last":"x","resource_type":5,"width":1}"#),
        "Resource.resource_type at byte 28: wrong_type: expected a string, found 5"
    );
    assert_eq!(
        told(r#"{"resource_type":null,"width":1}"#),
        "Resource.resource_type at byte 17: null_not_allowed: expected a string, found null"
    );
    assert_eq!(
        told(r#"{"last":"x","resource_type":5}"#),
        "Surface.width at byte 0: missing_key: expected the key `width`"
    );
    assert_eq!(
        told(r#"{"width":1,"resource_type":"texture","layout":"x"}"#),
        "Texels.layout at byte 46: wrong_type: expected an integer, found \"x\""
    );
    // Of a part, conditions and rules are looked at before what is declared behind it.
    assert_eq!(
        told(r#"{"width":0,"planes":0,"resource_type":"texture","layout":3,"name":""}"#),
        "Texels at byte 0: rule_violated: expected layout != 3, found layout = 3"
    );
    assert_eq!(
        told(r#"{"width":1,"planes":0,"last":"x"}"#),
        "Surface.planes at byte 20: wrong_type: expected an array, found 0"
    );
    assert_eq!(
        told(r#"{"width":1,"last":"x"}"#),
        "Extra.note at byte 0: missing_key: expected the key `note`"
    );
    assert_eq!(
        told(r#" {"width":0,"note":"","last":1}"#),
        "Surface at byte 1: rule_violated: expected width > 0, found width = 0"
    );
}

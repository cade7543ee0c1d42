//! Recipes: what is read, written and refused.

#![allow(missing_docs, reason = "contracts of the tests")]

use std::collections::BTreeMap;

use wirecontract::{Code, Contract, Flags, Json, Kind, Open, OpenName, WireContract, WireJson};

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration, rename_all = "snake_case", case = fold)]
pub enum Tiling {
    #[wire(alias("best"))]
    Optimal = 0,
    Linear = 1,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration, as = integer)]
pub enum Format {
    Unknown = 0,
    Rgba8 = 37,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(flags)]
pub enum Usage {
    TransferSrc = 1,
    TransferDst = 2,
    Sampled = 4,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(flags, as = names, rename_all = "snake_case")]
pub enum Access {
    #[wire(alias("r"))]
    Read = 1,
    Write = 2,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 4)]
pub struct Extent {
    pub width: u16,
    pub height: u16,
}

/// Every type.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, version = 2, rename_all = "camelCase", deny_unknown, max_bytes = 4096, max_depth = 8)]
pub struct Everything {
    pub byte: u8,
    #[wire(default = -5, skip_default)]
    pub i64_field: i64,
    pub u64_field: Option<u64>,
    #[wire(default = 3, min = -10, max = 10)]
    pub bounded: i32,
    #[wire(decimal_string)]
    pub decimal: Option<u64>,
    #[wire(nullable)]
    pub truth: Option<bool>,
    pub single: Option<f32>,
    #[wire(default = 0.25, min = -1.5, max = 1e9)]
    pub double: f64,
    #[wire(default = "unknown", max_len = 16)]
    pub label: String,
    #[wire(null_when_absent)]
    pub note: Option<String>,
    #[wire(base64, max_len = 8)]
    pub blob: Option<Vec<u8>>,
    #[wire(hex)]
    pub token: Option<Vec<u8>>,
    #[wire(uuid)]
    pub id: Option<[u8; 16]>,
    pub matrix: Option<[[i16; 2]; 2]>,
    #[wire(max_items = 3, max_len = 8)]
    pub labels: Option<Vec<String>>,
    #[wire(max_items = 2, max_len = 16)]
    pub tags: Option<BTreeMap<String, String>>,
    #[wire(max_len = 64)]
    pub extra: Option<Json>,
    #[wire(default = Optimal)]
    pub tiling: Tiling,
    pub format: Option<Open<Format>>,
    pub other: Option<OpenName<Tiling>>,
    #[wire(default = Read | Write, skip_default)]
    pub access: Flags<Access>,
    #[wire(default = TransferSrc | Sampled)]
    pub usage: Option<Flags<Usage>>,
    #[wire(hex)]
    pub extent: Option<Extent>,
    #[wire(default = [0], max_items = 4)]
    pub offsets: Option<Vec<u64>>,
    #[wire(name = "class")]
    pub r#type: Option<u16>,
    pub nested: Option<Box<Inner>>,
    pub many: Option<Vec<Inner>>,
}

#[derive(WireContract, Clone, Debug, PartialEq, Default)]
#[wire(recipe)]
pub struct Inner {
    #[wire(default = Linear)]
    pub tiling: Option<Open<Pitch>>,
    #[wire(lenient, max = 9)]
    pub level: Option<u8>,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(enumeration, as = integer)]
pub enum Pitch {
    Linear = 1,
}

type Id = [u8; 16];

/// Defaults of bytes that are spelled as text.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Spelled {
    #[wire(hex, default = [1, 0xff], max_len = 2)]
    pub token: Vec<u8>,
    #[wire(base64, default = [])]
    pub none: Option<Vec<u8>>,
    #[wire(base64, default = [7, 8], skip_default)]
    pub pair: [u8; 2],
    #[wire(uuid, default = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])]
    pub id: Option<Id>,
    #[wire(hex, default = [[1], []], max_items = 2, max_len = 1)]
    pub many: Option<Vec<Vec<u8>>>,
}

type Ratio = f64;

type Id64 = u64;
type Truth = bool;
type Name = String;
type Numbers = Vec<i16>;

/// Defaults of types by another name.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Aliased {
    #[wire(default = 18446744073709551615, decimal_string, skip_default)]
    pub id: Id64,
    #[wire(default = 1)]
    pub ratio: Option<Ratio>,
    #[wire(default = true)]
    pub truth: Truth,
    #[wire(default = "n")]
    pub name: Option<Name>,
    #[wire(default = [-1, 2])]
    pub numbers: Option<Numbers>,
    #[wire(default = [0.5])]
    pub ratios: Vec<Ratio>,
    #[wire(default = [])]
    pub none: Numbers,
    #[wire(default = Usage::Sampled | Usage::TransferSrc)]
    pub usage: Option<Uses>,
}

type Uses = Flags<Usage>;

/// Bounds of floats: those of an `f32` are the nearest ones that it has.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Rounded {
    #[wire(min = 0.1, max = 0.3)]
    pub between: f32,
    #[wire(min = 0.1, max = 0.1, default = 0.1)]
    pub one: Option<f32>,
    #[wire(min = 1, max = 2)]
    pub double: f64,
    #[wire(min = 1, max = 2)]
    pub other: Ratio,
}

/// Conditions and rules, of reading and of import.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, rule(fits: offset + len(data) <= size), rule(fds: fd_count == int(fenced)), at = import)]
pub struct Buffer {
    pub size: u32,
    #[wire(default = 0)]
    pub offset: Option<u32>,
    #[wire(base64)]
    pub data: Vec<u8>,
    #[wire(default = Optimal)]
    pub tiling: Option<Tiling>,
    #[wire(required_if(tiling == Linear))]
    pub stride: Option<u32>,
    #[wire(one_of(tiling: Optimal), lenient)]
    pub device: Option<u8>,
    #[wire(default = false)]
    pub fenced: bool,
    #[wire(required_if(fenced, at = import))]
    pub fence: Option<String>,
}

fn same<T: WireJson + PartialEq + std::fmt::Debug>(document: &str) -> T {
    let value = T::from_json(document.as_bytes()).unwrap_or_else(|error| panic!("{document}: {error}"));
    assert_eq!(value.to_json().as_deref(), Ok(document));
    value
}

fn said<T: WireJson + std::fmt::Debug>(document: &str) -> String {
    T::from_json(document.as_bytes()).expect_err(document).to_string()
}

fn least() -> Everything {
    Everything::from_json(br#"{"byte":1}"#).unwrap()
}

#[test]
fn what_is_absent_stays_absent_or_is_its_default() {
    let least = least();
    assert_eq!(least.i64_field, -5);
    assert_eq!(least.bounded, 3);
    assert_eq!(least.double.to_bits(), 0.25_f64.to_bits());
    assert_eq!(least.label, "unknown");
    assert_eq!(least.tiling, Tiling::Optimal);
    assert_eq!(least.access, Access::Read | Access::Write);
    assert_eq!(least.usage, None);
    assert_eq!(least.usage(), Usage::TransferSrc | Usage::Sampled);
    assert_eq!(least.offsets, None);
    assert_eq!(least.offsets(), [0]);
    assert_eq!(
        least.to_json().unwrap(),
        r#"{"byte":1,"bounded":3,"double":0.25,"label":"unknown","note":null,"tiling":"optimal"}"#
    );
}

#[test]
fn every_type_is_written_as_it_was_read() {
    let document = concat!(
        r#"{"byte":255,"i64Field":-9223372036854775808,"u64Field":18446744073709551615,"bounded":-10,"#,
        r#""decimal":"18446744073709551615","truth":false,"single":0.10000000149011612,"double":1e-7,"label":"ö\"\\","#,
        r#""note":"n","blob":"AAEC/w==","token":"00ff","id":"01234567-89ab-cdef-0123-456789abcdef","#,
        r#""matrix":[[1,-2],[3,-4]],"labels":["a","b"],"tags":{"a":"1","b":"2"},"extra":{"b":1.0,"a":[null]},"#,
        r#""tiling":"linear","format":99,"other":"cubic","access":["read"],"usage":2,"extent":"01000200","#,
        r#""offsets":[],"class":3,"nested":{"tiling":7,"level":9},"many":[{},{"level":0}]}"#,
    );
    let value: Everything = same(document);
    assert_eq!((value.byte, value.i64_field, value.u64_field), (255, i64::MIN, Some(u64::MAX)));
    assert_eq!((value.decimal, value.truth, value.single), (Some(u64::MAX), Some(false), Some(0.1)));
    assert_eq!(value.blob.as_deref(), Some(&[0, 1, 2, 255][..]));
    assert_eq!(value.id.map(|id| id[..3].to_vec()), Some(vec![0x01, 0x23, 0x45]));
    assert_eq!(value.extent, Some(Extent { width: 1, height: 2 }));
    assert_eq!(value.format, Some(Open::from_raw(99)));
    assert_eq!(value.other, Some(OpenName::from_name("cubic")));
    assert_eq!(value.usage(), Usage::TransferDst.into());
    assert_eq!(value.r#type, Some(3));
    assert_eq!(value.many.as_ref().map(Vec::len), Some(2));
    assert_eq!(value.extra.as_ref().map(Json::as_str), Some(r#"{"b":1.0,"a":[null]}"#));
}

#[test]
fn a_contract_says_what_it_is_and_how_long_its_documents_are() {
    assert_eq!((Everything::NAME, Everything::KIND), ("Everything", Kind::Recipe));
    assert_eq!((<Everything as WireJson>::MAX_BYTES, <Everything as WireJson>::MAX_DEPTH), (4096, 8));
    assert_eq!((<Inner as WireJson>::MAX_BYTES, <Inner as WireJson>::MAX_DEPTH), (1 << 20, 64));
}

#[test]
fn faults_are_told_in_declared_order() {
    for (document, error) in [
        ("[]", "Everything at byte 0: wrong_type: expected an object, found an array"),
        (r#"{"class":-1,"x":1}"#, "Everything.byte at byte 0: missing_key: expected the key `byte`"),
        (
            r#"{"x":1,"byte":256}"#,
            "Everything.byte at byte 14: out_of_range: expected an integer from 0 to 255, found 256",
        ),
        (
            r#"{"x":1,"byte":1,"bounded":11}"#,
            "Everything.bounded at byte 26: out_of_range: expected an integer from -10 to 10, found 11",
        ),
        (
            r#"{"byte":1,"double":-2}"#,
            "Everything.double at byte 19: out_of_range: expected a number from -1.5 to 1000000000, found -2",
        ),
        (
            r#"{"byte":1,"u64Field":null}"#,
            "Everything.u64Field at byte 21: null_not_allowed: expected an integer, found null",
        ),
        (
            r#"{"byte":1,"decimal":"01"}"#,
            "Everything.decimal at byte 20: bad_encoding: expected decimal digits, found \"01\"",
        ),
        (
            r#"{"byte":1,"token":"0F"}"#,
            "Everything.token at byte 18: bad_encoding: expected lower-case hex, found \"0F\"",
        ),
        (
            r#"{"byte":1,"labels":["123456789"]}"#,
            "Everything.labels at byte 20: too_large: expected at most 8 bytes, found 9",
        ),
        (
            r#"{"byte":1,"labels":["","","",""]}"#,
            "Everything.labels at byte 29: too_many: expected at most 3 items",
        ),
        (
            r#"{"byte":1,"offsets":[1,2,3,4,5]}"#,
            "Everything.offsets at byte 29: too_many: expected at most 4 items",
        ),
        (
            r#"{"byte":1,"tiling":"cubic"}"#,
            "Everything.tiling at byte 19: unknown_value: expected a value of Tiling, found \"cubic\"",
        ),
        (
            r#"{"byte":1,"nested":{"level":10}}"#,
            "Inner.level at byte 28: out_of_range: expected an integer from 0 to 9, found 10",
        ),
        (
            r#"{"u64_field":1,"byte":1}"#,
            "Everything at byte 1: unknown_key: expected a key of Everything, found \"u64_field\"",
        ),
    ] {
        assert_eq!(said::<Everything>(document), error);
    }
}

#[test]
fn null_is_absence_where_that_is_declared() {
    let nulls: Everything = Everything::from_json(br#"{"byte":1,"truth":null,"note":null}"#).unwrap();
    assert_eq!(nulls, least());
    assert!(said::<Everything>(r#"{"byte":1,"class":null}"#).contains("null_not_allowed"));
}

#[test]
fn names_are_read_in_any_case_where_that_is_declared_and_aliases_anywhere() {
    for (name, value) in
        [("optimal", Tiling::Optimal), (r" BEST\t", Tiling::Optimal), ("LiNear", Tiling::Linear)]
    {
        let document = format!(r#"{{"byte":1,"tiling":"{name}"}}"#);
        assert_eq!(Everything::from_json(document.as_bytes()).unwrap().tiling, value);
    }
    let access = Everything::from_json(br#"{"byte":1,"access":["r"]}"#).unwrap().access;
    assert_eq!(access, Access::Read.into());
    assert!(said::<Everything>(r#"{"byte":1,"access":["R"]}"#).contains("unknown_value"));
}

#[test]
fn values_that_could_not_be_read_are_not_written() {
    let wrong = |change: fn(&mut Everything)| {
        let mut value = least();
        change(&mut value);
        let error = value.to_json().unwrap_err();
        (error.code, error.field, error.offset)
    };
    assert_eq!(wrong(|value| value.bounded = 11), (Code::OutOfRange, "bounded", 0));
    assert_eq!(wrong(|value| value.double = f64::NAN), (Code::OutOfRange, "double", 0));
    assert_eq!(wrong(|value| value.label = "12345678901234567".into()), (Code::TooLarge, "label", 0));
    assert_eq!(wrong(|value| value.offsets = Some(vec![0; 5])), (Code::TooMany, "offsets", 0));
    assert_eq!(wrong(|value| value.note = Some("x".repeat(4096))), (Code::TooLarge, "", 0));
    let mut out = b"kept".to_vec();
    let mut value = least();
    value.bounded = -11;
    assert!(value.write_json(&mut out).is_err());
    assert_eq!(out, b"kept");
    value.bounded = -10;
    value.write_json(&mut out).unwrap();
    assert!(out.starts_with(br#"kept{"byte":1,"bounded":-10,"#));
}

#[test]
fn lenient_keys_fall_to_absence_and_are_listed() {
    let document = br#"{"byte":1,"nested":{"level":[]},"many":[{"level":"x"},{"level":4}]}"#;
    let (value, faults) = Everything::from_json_lenient(document).unwrap();
    assert_eq!(value.nested, Some(Box::new(Inner { tiling: None, level: None })));
    assert_eq!(value.many.map(|many| many[1].level), Some(Some(4)));
    let faults: Vec<_> = faults.iter().map(|fault| (fault.code, fault.field, fault.offset)).collect();
    assert_eq!(faults, [(Code::WrongType, "level", 28), (Code::WrongType, "level", 49)]);
    assert!(Everything::from_json(document).is_err());
    assert!(Everything::from_json_lenient(br#"{"byte":1,"nested":[]}"#).is_err());
}

#[test]
fn defaults_that_are_kept_absent_can_be_filled_in() {
    let mut value = least();
    value.nested = Some(Box::default());
    value.many = Some(vec![Inner { tiling: Some(Open::from_raw(9)), level: None }]);
    let filled = value.with_defaults();
    assert_eq!(filled.usage, Some(Usage::TransferSrc | Usage::Sampled));
    assert_eq!(filled.offsets, Some(vec![0]));
    assert_eq!(filled.nested.map(|nested| nested.tiling()), Some(Pitch::Linear.into()));
    assert_eq!(filled.many, Some(vec![Inner { tiling: Some(Open::from_raw(9)), level: None }]));
    assert_eq!(filled.note, None);
}

#[test]
fn a_default_of_bytes_is_a_list_of_them_and_written_as_text() {
    let value = Spelled::from_json(b"{}").unwrap();
    assert_eq!((&value.token[..], value.none(), value.pair), (&[1, 0xff][..], &[][..], [7, 8]));
    assert_eq!(value.to_json().as_deref(), Ok(r#"{"token":"01ff"}"#));
    assert_eq!(
        value.with_defaults().to_json().as_deref(),
        Ok(r#"{"token":"01ff","none":"","id":"00010203-0405-0607-0809-0a0b0c0d0e0f","many":["01",""]}"#)
    );
}

#[test]
fn a_type_by_another_name_has_its_defaults() {
    let value = Aliased::from_json(b"{}").unwrap();
    assert_eq!(
        (value.id, value.ratio(), value.name(), value.numbers()),
        (u64::MAX, 1.0, "n".into(), vec![-1, 2])
    );
    assert_eq!(
        value.with_defaults().to_json().as_deref(),
        Ok(r#"{"ratio":1,"truth":true,"name":"n","numbers":[-1,2],"ratios":[0.5],"none":[],"usage":5}"#)
    );
}

#[test]
fn a_bound_of_an_f32_is_a_value_that_it_may_have() {
    let document = |between: &str, one: &str| {
        Rounded::from_json(
            format!(r#"{{"between":{between},"one":{one},"double":1.5,"other":2}}"#).as_bytes(),
        )
    };
    for between in ["0.1", "0.3", "0.2", "0.10000000149011612", "0.30000001192092896"] {
        let value = document(between, "0.1").unwrap_or_else(|error| panic!("{between}: {error}"));
        assert!(value.to_json().is_ok(), "{between}");
    }
    assert_eq!(
        document("0.09999999", "0.1").unwrap_err().to_string(),
        "Rounded.between at byte 11: out_of_range: expected a number from 0.10000000149011612 to \
         0.30000001192092896, found 0.09999999"
    );
    assert!(document("0.30000007", "0.1").is_err() && document("0.2", "0.11").is_err());
    for document in [
        r#"{"between":0.2,"double":0.5,"other":1}"#,
        r#"{"between":0.2,"double":1,"other":0.5}"#,
        r#"{"between":0.2,"double":2.5,"other":1}"#,
        r#"{"between":0.2,"double":1,"other":2.5}"#,
    ] {
        assert_eq!(Rounded::from_json(document.as_bytes()).unwrap_err().code, Code::OutOfRange, "{document}");
    }
}

#[test]
fn conditions_and_rules_are_looked_at_after_all_keys_and_before_writing() {
    let buffer: Buffer = same(r#"{"size":4,"offset":1,"data":"AAEC","fenced":false}"#);
    assert_eq!((buffer.tiling(), buffer.offset()), (Tiling::Optimal, 1));
    for (document, error) in [
        (
            r#"{"size":2,"data":"AAEC"}"#,
            "Buffer at byte 0: rule_violated: expected fits: offset + len(data) <= size, found offset = 0, len(data) = 3, size = 2",
        ),
        (
            r#" {"size":9,"data":"","tiling":"linear"}"#,
            "Buffer.stride at byte 1: condition_violated: expected the key `stride` when tiling == Linear, found tiling = 1",
        ),
        (
            r#"{"size":9,"data":"","tiling":"linear","stride":1,"device":1}"#,
            "Buffer.device at byte 0: condition_violated: expected no key `device` unless tiling == Optimal, found tiling = 1",
        ),
        (
            r#"{"size":2,"data":"AAEC","fence":1}"#,
            "Buffer.fence at byte 32: wrong_type: expected a string, found 1",
        ),
    ] {
        assert_eq!(said::<Buffer>(document), error);
    }
    let wrong = Buffer { size: 0, ..buffer };
    assert_eq!(wrong.to_json().unwrap_err().code, Code::RuleViolated);
}

#[test]
fn what_an_importer_must_know_is_checked_when_it_asks() {
    let buffer: Buffer = same(r#"{"size":4,"data":"","fenced":true}"#);
    assert_eq!(
        buffer.validate_import(1).unwrap_err().to_string(),
        "Buffer.fence at byte 0: condition_violated: expected the key `fence` when fenced, found fenced = true"
    );
    let fenced = Buffer { fence: Some("f".into()), ..buffer };
    assert_eq!(fenced.validate_import(1), Ok(()));
    assert_eq!(
        fenced.validate_import(0).unwrap_err().to_string(),
        "Buffer at byte 0: rule_violated: expected fds: fd_count == int(fenced), found fd_count = 0, fenced = true"
    );
}

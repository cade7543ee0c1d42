//! The interpreter, against verdicts worked out by hand from the contracts' words.

use wirecontract_codegen::fixtures;
use wirecontract_codegen::interpret::{
    Code, Fault, Host, NAMES, Value, hex, read, read_prefix, unhex, write,
};
use wirecontract_codegen::model::{
    Body, Catalog, ContractId, Descriptor, Element, Endian, EnumValue, Enumeration, Field, Flags, Layout,
    Role, Scalar, Spelled,
};

const MODE: ContractId = ContractId(0);
const RIGHTS: ContractId = ContractId(1);
const POINT: ContractId = ContractId(2);
const ZOO: ContractId = ContractId(3);

const fn scalar(scalar: Scalar) -> Element {
    Element::Scalar(scalar)
}

fn named(names: &[(&str, i128)]) -> Vec<EnumValue> {
    let mut values = Vec::new();
    for &(name, value) in names {
        values.push(EnumValue {
            name: name.into(),
            wire_name: name.into(),
            aliases: Vec::new(),
            value,
            docs: String::new(),
            c_name: None,
            since: None,
            deprecated: None,
            data: Vec::new(),
        });
    }
    values
}

fn packed(fields: &[(&str, Element, &[u32], Endian, Role)], catalog: &Catalog) -> Body {
    let mut offset = 0;
    let mut placed = Vec::new();
    for (name, element, dims, endian, role) in fields {
        let mut field = fixtures::field(name, offset, *element, dims, role.clone());
        field.ty.endian = *endian;
        offset += catalog.field_size(&field);
        placed.push(field);
    }
    Body::Descriptor(Descriptor {
        layout: Layout::Packed,
        size: offset,
        align: 1,
        fields: placed,
        conditions: Vec::new(),
        rules: Vec::new(),
        growth: None,
    })
}

/// A contract with every kind of field.
fn zoo() -> Catalog {
    use Endian::{Big, Little, Native};
    let mut catalog = Catalog::default();
    let mode = named(&[("Low", -1), ("Off", 0), ("High", 7)]);
    let rights = named(&[("Read", 1), ("Write", 6)]);
    let bodies = [
        (
            "Mode",
            Body::Enumeration(Enumeration {
                repr: Scalar::I16,
                values: mode,
                data: Vec::new(),
                spelled: Spelled::Names,
                fold: false,
            }),
        ),
        (
            "Rights",
            Body::Flags(Flags { repr: Scalar::U8, values: rights, open: false, spelled: Spelled::Integer }),
        ),
    ];
    for (name, body) in bodies {
        catalog.contracts.push(fixtures::contract(name, body));
    }
    let point = packed(
        &[
            ("tag", scalar(Scalar::U8), &[2], Little, Role::Magic(b"pt".to_vec())),
            ("x", scalar(Scalar::U16), &[], Big, Role::Value),
            ("on", scalar(Scalar::Bool), &[], Little, Role::Value),
        ],
        &catalog,
    );
    catalog.contracts.push(fixtures::contract("Point", point));
    let closed = Element::Enumeration { contract: MODE, open: false };
    let zoo = packed(
        &[
            ("count", scalar(Scalar::U8), &[], Little, Role::LengthOf(vec![5, 6])),
            ("version", scalar(Scalar::U16), &[], Big, Role::Version(3)),
            ("magic", scalar(Scalar::U8), &[2], Little, Role::Magic(b"ZO".to_vec())),
            ("spare", scalar(Scalar::U16), &[2], Little, Role::Reserved { zero: true }),
            ("pad", scalar(Scalar::U8), &[], Little, Role::Reserved { zero: false }),
            ("modes", closed, &[3], Little, Role::Value),
            ("grid", scalar(Scalar::I32), &[2, 2], Native, Role::Value),
            ("rights", Element::Flags { contract: RIGHTS }, &[], Little, Role::Value),
            ("points", Element::Descriptor(POINT), &[2], Little, Role::Value),
            ("label", scalar(Scalar::U8), &[4], Little, Role::Text),
            ("f", scalar(Scalar::F32), &[], Big, Role::Value),
        ],
        &catalog,
    );
    catalog.contracts.push(fixtures::contract("Zoo", zoo));
    catalog
}

/// Bytes of a zoo that a little-endian machine accepts, with 9 in the padding and one element counted.
const ACCEPTED: &str = concat!(
    "01",
    "0002",
    "5a4f",
    "00000000",
    "09",
    "ffff07000000",
    "01000000feffffff0300000004000000",
    "07",
    "7074010200",
    "7074030401",
    "c3a90000",
    "7f800001",
);

fn accepted() -> Vec<u8> {
    unhex(ACCEPTED).expect("hexadecimal")
}

#[track_caller]
fn refused(at: usize, bytes: &[u8]) -> Fault {
    let mut buffer = accepted();
    buffer[at..][..bytes.len()].copy_from_slice(bytes);
    read(&zoo(), ZOO, &buffer, Host::Little).expect_err("to be refused")
}

#[track_caller]
fn assert_refused(at: usize, bytes: &[u8], message: &str) {
    assert_eq!(refused(at, bytes).to_string(), message);
}

#[test]
fn accepted_bytes_become_the_tree_and_are_written_as_a_writer_would() {
    let reading = read(&zoo(), ZOO, &accepted(), Host::Little).expect("accepted");
    assert_eq!(
        reading.value.to_json(),
        concat!(
            r#"{"count":1,"version":2,"modes":[-1],"grid":[[1,-2]],"rights":7,"#,
            r#""points":[{"x":258,"on":false},{"x":772,"on":true}],"label":"é","f":"0x7f800001"}"#
        )
    );
    let mut expected = accepted();
    expected[2] = 3; // the version a writer of this declaration writes
    expected[9] = 0; // reserved
    expected[12..16].fill(0); // modes past the count
    expected[24..32].fill(0); // the second row of the grid
    assert_eq!(hex(&reading.written), hex(&expected));
}

#[test]
fn native_fields_follow_the_machine() {
    let mut bytes = accepted();
    bytes[16..20].reverse();
    bytes[20..24].reverse();
    let reading = read(&zoo(), ZOO, &bytes, Host::Big).expect("accepted");
    assert_eq!(reading.value.get("grid").map(Value::to_json).as_deref(), Some("[[1,-2]]"));
    assert_eq!(reading.written[16..24], bytes[16..24]);
}

#[test]
fn each_fault_names_the_innermost_field_and_the_element() {
    assert_refused(0, &[3], "Zoo.count at byte 0: length_exceeds: expected at most 2, found 3");
    assert_refused(1, &[0, 0], "Zoo.version at byte 1: unsupported_version: expected 1 to 3, found 0");
    assert_refused(1, &[1, 1], "Zoo.version at byte 1: unsupported_version: expected 1 to 3, found 257");
    assert_refused(3, b"ZZ", "Zoo.magic at byte 3: bad_magic: expected bytes 5a4f, found bytes 5a5a");
    assert_refused(7, &[0, 5], "Zoo.spare at byte 5: reserved_not_zero: expected zero, found 5");
    assert_refused(
        14,
        &[8, 0x80],
        "Zoo.modes at byte 14: unknown_value: expected a value of Mode, found -32760",
    );
    assert_refused(32, &[0x18], "Zoo.rights at byte 32: unknown_bits: expected bits within 0x7, found 24");
    assert_refused(38, b"t", "Point.tag at byte 38: bad_magic: expected bytes 7074, found bytes 7474");
    assert_refused(42, &[2], "Point.on at byte 42: unknown_value: expected 0 or 1, found 2");
    let text = "Zoo.label at byte 43: bad_text: expected UTF-8 text ended by NUL";
    for label in [*b"abcd", *b"a\0b\0", *b"\xff\0\0\0", *b"\xc3\0\0\0", *b"\xed\xa0\x80\0", *b"\xc0\x80\0\0"]
    {
        assert_refused(43, &label, text);
    }
}

#[test]
fn the_first_fault_is_magic_then_version_then_by_offset() {
    let all = unhex("ff00005a5a01000000000600").expect("hexadecimal");
    assert_eq!(refused(0, &all).code, Code::BadMagic);
    let mut no_magic = all.clone();
    no_magic[3..5].copy_from_slice(b"ZO");
    assert_eq!(refused(0, &no_magic).code, Code::UnsupportedVersion);
    no_magic[2] = 1;
    assert_eq!(refused(0, &no_magic).code, Code::LengthExceeds);
    no_magic[0] = 2;
    assert_eq!(refused(0, &no_magic).code, Code::ReservedNotZero);
    no_magic[5] = 0;
    assert_eq!(refused(0, &no_magic).code, Code::UnknownValue);
}

#[test]
fn size_comes_before_all_else_and_a_prefix_may_be_longer() {
    let catalog = zoo();
    let zeros = vec![0; 52];
    let fault =
        |bytes: &[u8]| read(&catalog, ZOO, bytes, Host::Little).expect_err("to be refused").to_string();
    assert_eq!(fault(&zeros[..50]), "Zoo at byte 50: too_short: expected 51 bytes, found 50");
    assert_eq!(fault(&[]), "Zoo at byte 0: too_short: expected 51 bytes, found 0");
    assert_eq!(fault(&zeros), "Zoo at byte 51: trailing_bytes: expected 51 bytes, found 52");
    let mut longer = accepted();
    longer.push(1);
    let prefix = read_prefix(&catalog, ZOO, &longer, Host::Little).expect("a prefix");
    assert_eq!(prefix, read(&catalog, ZOO, &accepted(), Host::Little).expect("accepted"));
}

#[test]
fn a_tree_survives_json_and_is_written_to_the_same_bytes() {
    let catalog = zoo();
    let reading = read(&catalog, ZOO, &accepted(), Host::Big).expect("accepted");
    let json = serde_json::from_str(&reading.value.to_json()).expect("JSON");
    let value = Value::from_json(&catalog, ZOO, &json).expect("its shape");
    assert_eq!(value, reading.value);
    assert_eq!(write(&catalog, ZOO, &value, Host::Big).as_ref(), Ok(&reading.written));
}

#[test]
fn json_of_another_shape_is_refused_with_its_path() {
    let catalog = zoo();
    let json = serde_json::json!({"x": 1, "on": 3});
    let error = Value::from_json(&catalog, POINT, &json).expect_err("to be refused");
    assert_eq!(error.to_string(), "value of Point: expected a bool at `on`, found 3");
    let json = serde_json::json!({"x": 1, "on": true, "tag": "pt"});
    let error = Value::from_json(&catalog, POINT, &json).expect_err("to be refused");
    assert_eq!(error.path, "tag");
}

#[test]
fn writing_refuses_what_reading_would() {
    let catalog = zoo();
    let write_with = |name: &str, replacement: Value| {
        let mut value = read(&catalog, ZOO, &accepted(), Host::Little).expect("accepted").value;
        let Value::Object(members) = &mut value else { panic!("an object") };
        members.iter_mut().find(|(member, _)| member == name).expect("the field").1 = replacement;
        write(&catalog, ZOO, &value, Host::Little).map_err(|fault| fault.to_string())
    };
    let refused = |name: &str, value: Value| write_with(name, value).expect_err("to be refused");
    assert_eq!(
        refused("count", Value::Integer(3)),
        "Zoo.count at byte 0: length_exceeds: expected at most 2, found 3"
    );
    for text in ["four", "longer than that"] {
        assert_eq!(
            refused("label", Value::Text(text.into())),
            "Zoo.label at byte 43: bad_text: expected UTF-8 text ended by NUL"
        );
    }
    let modes = Value::List(vec![Value::Integer(0), Value::Integer(99), Value::Integer(99)]);
    assert!(write_with("modes", modes.clone()).is_ok(), "elements past the count are not looked at");
    let bad_first = Value::List(vec![Value::Integer(99)]);
    assert_eq!(
        refused("modes", bad_first),
        "Zoo.modes at byte 10: unknown_value: expected a value of Mode, found 99"
    );
    assert_eq!(
        refused("rights", Value::Integer(8)),
        "Zoo.rights at byte 32: unknown_bits: expected bits within 0x7, found 8"
    );
    let point = Value::Object(vec![("x".into(), Value::Integer(0)), ("on".into(), Value::Integer(2))]);
    assert_eq!(
        refused("points", Value::List(vec![point])),
        "Point.on at byte 37: unknown_value: expected 0 or 1, found 2"
    );
}

#[test]
fn a_count_after_its_array_is_still_checked() {
    let mut catalog = Catalog::default();
    let body = packed(
        &[
            ("data", scalar(Scalar::U8), &[2], Endian::Little, Role::Value),
            ("count", scalar(Scalar::U64), &[], Endian::Big, Role::LengthOf(vec![0])),
        ],
        &catalog,
    );
    catalog.contracts.push(fixtures::contract("Late", body));
    let id = ContractId(0);
    let fault = read(&catalog, id, &[0xff; 10], Host::Little).expect_err("to be refused");
    let expected = "Late.count at byte 2: length_exceeds: expected at most 2, found 18446744073709551615";
    assert_eq!(fault.to_string(), expected);
    let reading = read(&catalog, id, &[7, 8, 0, 0, 0, 0, 0, 0, 0, 1], Host::Little).expect("accepted");
    assert_eq!(reading.value.to_json(), r#"{"data":"07","count":1}"#);
}

#[test]
fn a_row_of_bytes_is_a_list_and_only_a_whole_field_is_hexadecimal() {
    let mut catalog = Catalog::default();
    let body = packed(&[("rows", scalar(Scalar::U8), &[2, 2], Endian::Little, Role::Value)], &catalog);
    catalog.contracts.push(fixtures::contract("Rows", body));
    let reading = read(&catalog, ContractId(0), &[1, 2, 3, 4], Host::Little).expect("accepted");
    assert_eq!(reading.value.to_json(), r#"{"rows":[[1,2],[3,4]]}"#);
    let json = serde_json::from_str(&reading.value.to_json()).expect("JSON");
    assert_eq!(Value::from_json(&catalog, ContractId(0), &json), Ok(reading.value));
}

#[test]
fn the_real_payload_reads_as_the_sdk_packed_it() {
    let payload = concat!(
        "435649500100000038040000e80300003d00000001000000",
        "02000000010000000300000004000000c03fed0300000000000000040000000080000000000000",
        "00e110000000000000deadbeef",
    );
    let mut bytes = unhex(payload).expect("hexadecimal");
    bytes.resize(24 + 112, 0);
    bytes.extend([2, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    bytes.resize(208, 0);
    let catalog = fixtures::cuvis();
    let reading = read(&catalog, ContractId(3), &bytes, Host::this()).expect("accepted");
    assert_eq!(
        reading.value.to_json(),
        concat!(
            r#"{"version":1,"width":1080,"height":1000,"channels":61,"format_code":1,"descriptor":"#,
            r#"{"backend":2,"device_ordinal":1,"handle_type":3,"blob_len":4,"size":65880000,"#,
            r#""alloc_size":67108864,"offset":128,"exporter_pid":4321,"blob":"deadbeef","#,
            r#""ptr_blob_len":2,"ptr_blob":"0102"}}"#
        )
    );
    assert_eq!(reading.written, bytes);
}

#[test]
fn the_codes_are_numbered_without_a_gap() {
    for (index, (number, _)) in NAMES.iter().enumerate() {
        assert_eq!(usize::try_from(*number), Ok(index));
    }
    assert_eq!((Code::BadText.number(), Code::BadText.name()), (9, "bad_text"));
}

#[test]
fn a_field_of_the_zoo_lies_where_the_messages_say() {
    let catalog = zoo();
    let offsets: Vec<u32> =
        catalog.get(ZOO).descriptor().fields.iter().map(|field: &Field| field.offset).collect();
    assert_eq!(offsets, [0, 1, 3, 5, 9, 10, 16, 32, 33, 43, 47]);
}

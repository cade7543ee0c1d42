//! Contracts that other projects write by hand have the offsets that those projects publish.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use std::mem::{align_of, offset_of, size_of};
use std::path::Path;
use std::process::Command;

use wirecontract::{Code, WireContract, WireError, WireJson as _};
use wirecontract_codegen::catalog::{read_file, resolve};
use wirecontract_codegen::emit::PackageConfig;
use wirecontract_codegen::model::Catalog;
use wirecontract_codegen::names::c as names;
use wirecontract_tests::differential::{Workbench, all_families, toolchain};
use wirecontract_tests::foreign::franka::RobotCommand;
use wirecontract_tests::foreign::fuse::{InHeader, InitOut};
use wirecontract_tests::foreign::iceoryx2::TransmissionData;
use wirecontract_tests::foreign::input::{InputEvent, UinputUserDev};
use wirecontract_tests::foreign::{input32, staging, triton};
use wirecontract_tests::repository;

/// Fields of a Rust struct and where they should be.
macro_rules! at {
    ($contract:ty, $size:literal: $($field:ident $offset:literal),* $(,)?) => {
        assert_eq!(<$contract>::WIRE_SIZE, $size);
        assert_eq!(size_of::<$contract>(), $size);
        assert_eq!([$(offset_of!($contract, $field)),*], [$($offset),*]);
    };
}

#[test]
fn transmission_data_of_iceoryx2() {
    at!(TransmissionData, 16: x 0, y 4, funky 8);
    let bytes = TransmissionData { x: 1, y: -2, funky: 0.5 }.to_bytes().unwrap();
    assert_eq!(bytes[..4], 1_i32.to_ne_bytes());
    assert_eq!(bytes[4..8], (-2_i32).to_ne_bytes());
    assert_eq!(bytes[8..], 0.5_f64.to_ne_bytes());
}

#[test]
fn headers_of_fuse() {
    at!(InHeader, 40: len 0, opcode 4, unique 8, nodeid 16, uid 24, gid 28, pid 32, padding 36);
    at!(
        InitOut, 64: major 0, minor 4, max_readahead 8, flags 12, max_background 16, congestion_threshold 18,
        max_write 20, time_gran 24, max_pages 28, unused2 30, flags2 32, max_stack_depth 36, reserved 40,
    );
    let header = InHeader { len: 1, opcode: 2, unique: 3, nodeid: 4, uid: 5, gid: 6, pid: 7, padding: 8 };
    let bytes = header.to_bytes().unwrap();
    assert_eq!(bytes[16..24], 4_u64.to_ne_bytes());
    assert_eq!(bytes[32..36], 7_u32.to_ne_bytes());
    assert_eq!(bytes[36..], [0; 4], "reserved words are written as zero");
}

#[test]
fn a_later_release_of_fuse_may_put_reserved_words_to_use() {
    let mut bytes = [0; 64];
    bytes[40..].fill(0xAB);
    assert_eq!(InitOut::from_bytes(&bytes).unwrap().reserved, [0xABAB_ABAB; 6]);
}

#[test]
fn robot_command_of_libfranka() {
    assert_eq!(RobotCommand::WIRE_SIZE, 370);
    let command = RobotCommand {
        message_id: 0x0102_0304_0506_0708,
        q_c: [1.0; 7],
        dq_c: [2.0; 7],
        O_T_EE_c: [3.0; 16],
        O_dP_EE_c: [4.0; 6],
        elbow_c: [5.0; 2],
        valid_elbow: true,
        motion_generation_finished: false,
        tau_J_d: [6.0; 7],
    };
    let bytes = command.to_bytes().unwrap();
    assert_eq!(bytes[..8], [8, 7, 6, 5, 4, 3, 2, 1]);
    for (range, value) in
        [(8..64, 1.0_f64), (64..120, 2.0), (120..248, 3.0), (248..296, 4.0), (296..312, 5.0), (314..370, 6.0)]
    {
        assert!(bytes[range.clone()].chunks(8).all(|bytes| bytes == value.to_le_bytes()), "{range:?}");
    }
    assert_eq!(bytes[312..314], [1, 0]);
    assert_eq!(RobotCommand::from_bytes(&bytes), Ok(command));
}

#[test]
fn input_events_of_linux() {
    at!(InputEvent, 24: sec 0, usec 8, r#type 16, code 18, value 20);
    at!(input32::InputEvent, 16: sec 0, usec 4, r#type 8, code 10, value 12);
    assert_eq!(align_of::<input32::InputEvent>(), 4);
    let event = InputEvent { sec: -1, usec: 2, r#type: 3, code: 4, value: -5 };
    let bytes = event.to_bytes().unwrap();
    assert_eq!(bytes[16..18], 3_u16.to_ne_bytes());
    assert_eq!(bytes[20..], (-5_i32).to_ne_bytes());
    assert_eq!(InputEvent::view(&bytes).unwrap().r#type(), 3);
}

#[test]
fn virtual_devices_of_linux() {
    at!(
        UinputUserDev, 1116: name 0, bustype 80, vendor 82, product 84, version 86, ff_effects_max 88, absmax 92,
        absmin 348, absfuzz 604, absflat 860,
    );
    let mut bytes = [0; 1116];
    bytes[..4].copy_from_slice(b"pad0");
    bytes[860 + 4 * 63..].copy_from_slice(&7_i32.to_ne_bytes());
    let device = UinputUserDev::from_bytes(&bytes).unwrap();
    assert_eq!((device.name(), device.absflat[63]), (Ok("pad0"), 7));
}

/// A contract by family and name, its bytes, and its fields with where they begin.
type Figures = (&'static str, &'static str, usize, &'static [(&'static str, usize)]);

/// What the projects publish.
const PUBLISHED: [Figures; 7] = [
    ("iceoryx2", "TransmissionData", 16, &[("x", 0), ("y", 4), ("funky", 8)]),
    (
        "fuse",
        "InHeader",
        40,
        &[
            ("len", 0),
            ("opcode", 4),
            ("unique", 8),
            ("nodeid", 16),
            ("uid", 24),
            ("gid", 28),
            ("pid", 32),
            ("padding", 36),
        ],
    ),
    (
        "fuse",
        "InitOut",
        64,
        &[
            ("major", 0),
            ("minor", 4),
            ("max_readahead", 8),
            ("flags", 12),
            ("max_background", 16),
            ("congestion_threshold", 18),
            ("max_write", 20),
            ("time_gran", 24),
            ("max_pages", 28),
            ("unused2", 30),
            ("flags2", 32),
            ("max_stack_depth", 36),
            ("reserved", 40),
        ],
    ),
    (
        "franka",
        "RobotCommand",
        370,
        &[
            ("message_id", 0),
            ("q_c", 8),
            ("dq_c", 64),
            ("O_T_EE_c", 120),
            ("O_dP_EE_c", 248),
            ("elbow_c", 296),
            ("valid_elbow", 312),
            ("motion_generation_finished", 313),
            ("tau_J_d", 314),
        ],
    ),
    ("input", "InputEvent", 24, &[("sec", 0), ("usec", 8), ("type", 16), ("code", 18), ("value", 20)]),
    ("input32", "InputEvent", 16, &[("sec", 0), ("usec", 4), ("type", 8), ("code", 10), ("value", 12)]),
    (
        "input",
        "UinputUserDev",
        1116,
        &[
            ("name", 0),
            ("bustype", 80),
            ("vendor", 82),
            ("product", 84),
            ("version", 86),
            ("ff_effects_max", 88),
            ("absmax", 92),
            ("absmin", 348),
            ("absfuzz", 604),
            ("absflat", 860),
        ],
    ),
];

/// The catalog of this package's library, as its users' build would read it.
fn catalog() -> Catalog {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cargo");
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--offline", "--package", "wirecontract-tests", "--lib"]);
    toolchain::run(build.current_dir(repository()).env("CARGO_TARGET_DIR", &target));
    let library = target.join("debug/libwirecontract_tests.rlib");
    let library = read_file(&library).unwrap_or_else(|error| panic!("{error}"));
    resolve(&library.records).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// A line for each number of a contract.
fn line(family: &str, contract: &str, what: &str, number: usize) -> String {
    format!("{family} {contract} {what} {number}\n")
}

#[test]
fn generated_c_and_python_have_the_published_figures() {
    let catalog = catalog();
    let package = PackageConfig::default_for("foreign-contracts");
    let mut input = all_families(&catalog, &package);
    for family in &mut input.families {
        // Two families declare an `InputEvent`, and C has one namespace.
        family.package.c_prefix.clone_from(&family.name);
    }
    let (mut c_head, mut c_body, mut python, mut expected, mut sizes) =
        (String::new(), String::new(), String::new(), String::new(), String::new());
    for (family_name, name, size, fields) in PUBLISHED {
        let family = input.families.iter().find(|family| family.name == family_name).unwrap();
        let id = family.contracts.iter().find(|&&id| catalog.get(id).name == name);
        let contract = catalog.get(*id.unwrap_or_else(|| panic!("{name} is in the catalog")));
        let descriptor = contract.descriptor();
        let (ty, constants) =
            (names::type_name(&family.package, contract), names::constant_stem(&family.package, contract));
        let mut print = |what: &str, expression: &str, number: usize| {
            c_body +=
                &format!("    printf(\"{family_name} {name} {what} %u\\n\", (unsigned)({expression}));\n");
            expected += &line(family_name, name, what, number);
        };
        let is_mirrored = catalog.is_mirrored(descriptor);
        print("size", &format!("{constants}_SIZE"), size);
        if is_mirrored {
            print("sizeof", &format!("sizeof({ty})"), size);
        }
        assert_eq!(descriptor.fields.len(), fields.len(), "{name}");
        for (field, &(field_name, offset)) in descriptor.fields.iter().zip(fields) {
            assert_eq!(field.name, field_name);
            print(field_name, &format!("{constants}_{}_OFFSET", names::field_constant(field)), offset);
            if is_mirrored {
                print(field_name, &format!("offsetof({ty}, {})", names::member(field)), offset);
            }
        }
        c_head += &format!("#include <{}>\n", names::header(family));
        python += &format!(
            "from {}.{family_name} import {name}\nprint('{family_name} {name} size', {name}.WIRE_SIZE)\n",
            package.python_package
        );
        sizes += &line(family_name, name, "size", size);
    }

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign");
    drop(Workbench::new(input, &folder));
    let source = format!("#include <stdio.h>\n{c_head}\nint main(void)\n{{\n{c_body}    return 0;\n}}\n");
    std::fs::write(folder.join("figures.c"), source).unwrap();
    let mut compiler = toolchain::require("gcc", "gcc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-Iinclude", "figures.c", "-o", "figures"]);
    toolchain::run(compiler.current_dir(&folder));
    assert_eq!(toolchain::run(&mut Command::new(folder.join("figures"))), expected);
    let mut interpreter = toolchain::python();
    interpreter.args(["-c", &python]).env("PYTHONPATH", folder.join("python"));
    assert_eq!(toolchain::run(&mut interpreter), sizes);
}

/// A handle as CUDA gives it: most of it is not zero.
const HANDLE: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut at = 0;
    while at < 64 {
        #[allow(clippy::cast_possible_truncation, reason = "64 is small")]
        let byte = (at * 37 + 11) as u8;
        bytes[at] = byte;
        at += 1;
    }
    bytes
};

/// The standard alphabet, padded.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let at = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= chunk.len() { char::from(ALPHABET[at]) } else { '=' });
        }
    }
    text
}

fn error_of<T>(result: Result<T, WireError>) -> (Code, &'static str, &'static str, usize, String) {
    let error = result.err().expect("a refusal");
    (error.code, error.contract, error.field, error.offset, error.to_string())
}

#[test]
fn registrations_of_triton() {
    let handle = base64(&HANDLE);
    assert!(handle.len() == 88 && handle.ends_with("=="), "{handle}");
    let document = format!(r#"{{"raw_handle":{{"b64":"{handle}"}},"device_id":0,"byte_size":8323072}}"#);
    let registration = triton::Registration::from_json(document.as_bytes()).unwrap();
    assert_eq!(registration.raw_handle.b64, HANDLE);
    assert_eq!((registration.device_id, registration.byte_size), (0, 8_323_072));
    assert_eq!(registration.to_json().as_deref(), Ok(&*document));

    // The same in another order and with white space, as other clients' libraries write it.
    let other = format!(
        "{{ \"byte_size\": 8323072, \"device_id\": 0, \"raw_handle\": {{ \"b64\": \"{handle}\" }} }}"
    );
    assert_eq!(triton::Registration::from_json(other.as_bytes()), Ok(registration));

    let read = |document: &str| triton::Registration::from_json(document.as_bytes());
    let at = r#"{"raw_handle":{"b64":"#.len();
    let short = base64(&HANDLE[..63]);
    for (handle, found) in [
        (short.clone(), format!("\"{}…", &short[..39])),
        (handle[..87].to_owned(), format!("\"{}…", &handle[..39])),
        (handle.replace("==", ""), format!("\"{}…", &handle[..39])),
        (String::new(), "\"\"".to_owned()),
        // A character of the alphabet for addresses.
        (format!("-{}", &handle[1..]), format!("\"-{}…", &handle[1..39])),
        // Bits behind the last byte.
        (format!("{}B==", &handle[..85]), format!("\"{}…", &handle[..39])),
    ] {
        let document = format!(r#"{{"raw_handle":{{"b64":"{handle}"}},"device_id":0,"byte_size":1}}"#);
        let text =
            format!("RawHandle.b64 at byte {at}: bad_encoding: expected base64 of 64 bytes, found {found}");
        assert_eq!(error_of(read(&document)), (Code::BadEncoding, "RawHandle", "b64", at, text));
    }
    let device = document.replace("\"device_id\":0", "\"device_id\":-1");
    assert_eq!(error_of(read(&device)).0, Code::OutOfRange);
    let size = document.replace("8323072", "8323072.0");
    assert_eq!(error_of(read(&size)).0, Code::WrongType);
    let absent = document.replace(",\"byte_size\":8323072", "");
    let text = "Registration.byte_size at byte 0: missing_key: expected the key `byte_size`".to_owned();
    assert_eq!(error_of(read(&absent)), (Code::MissingKey, "Registration", "byte_size", 0, text));
}

#[test]
fn answers_of_triton() {
    let failure = r#"{"error":"failed to register CUDA shared memory region 'r': invalid args"}"#;
    match triton::Answer::from_json(failure.as_bytes()) {
        Ok(triton::Answer::Failed(it)) => assert!(it.error.starts_with("failed to register"), "{it:?}"),
        other => panic!("expected a failure, found {other:?}"),
    }
    let region = r#"{"name":"r","device_id":0,"byte_size":18446744073709551615}"#;
    let expected = triton::Region { name: "r".into(), device_id: 0, byte_size: u64::MAX };
    let answer = triton::Answer::from_json(region.as_bytes()).unwrap();
    assert_eq!(answer, triton::Answer::Region(expected));
    assert_eq!(answer.to_json().as_deref(), Ok(region));
    // What is neither lacks a key of the last.
    let (code, contract, field, ..) = error_of(triton::Answer::from_json(b"{}"));
    assert_eq!((code, contract, field), (Code::MissingKey, "Region", "name"));
}

#[test]
fn numbers_of_64_bits_as_text() {
    let document = r#"{"result":"ok","staging_byte_size":"8294400","bytes_per_row":"7680","timeline_value":"18446744073709551615"}"#;
    let response = staging::Response::from_json(document.as_bytes()).unwrap();
    let staging =
        staging::Staging { staging_byte_size: 8_294_400, bytes_per_row: 7680, timeline_value: u64::MAX };
    assert_eq!(response, staging::Response::Ok(staging));
    assert_eq!(response.to_json().as_deref(), Ok(document));
    for document in [r#"{"result":"err","message":"no such surface"}"#, r#"{"result":"contended"}"#] {
        let response = staging::Response::from_json(document.as_bytes()).unwrap();
        assert_eq!(response.to_json().as_deref(), Ok(document));
    }

    let read = |document: &str| staging::Response::from_json(document.as_bytes());
    for (token, code, found) in [
        ("7680", Code::WrongType, "expected a string, found 7680"),
        ("\"\"", Code::BadEncoding, "expected decimal digits, found \"\""),
        ("\"+1\"", Code::BadEncoding, "expected decimal digits, found \"+1\""),
        ("\"01\"", Code::BadEncoding, "expected decimal digits, found \"01\""),
        ("\"1.0\"", Code::BadEncoding, "expected decimal digits, found \"1.0\""),
        ("\" 1\"", Code::BadEncoding, "expected decimal digits, found \" 1\""),
        ("\"-0\"", Code::BadEncoding, "expected decimal digits, found \"-0\""),
        (
            "\"18446744073709551616\"",
            Code::OutOfRange,
            "expected an integer from 0 to 18446744073709551615, found \"18446744073709551616\"",
        ),
        ("\"-1\"", Code::OutOfRange, "expected an integer from 0 to 18446744073709551615, found \"-1\""),
    ] {
        let (came, contract, field, offset, text) = error_of(read(&document.replace("\"7680\"", token)));
        assert_eq!((came, contract, field), (code, "Staging", "bytes_per_row"), "{text}");
        assert_eq!(offset, document.find("\"7680\"").unwrap());
        assert!(text.ends_with(found), "{text}");
    }
    let (code, contract, field, offset, _) = error_of(read(r#"{"result":"maybe"}"#));
    assert_eq!((code, contract, field, offset), (Code::UnknownTag, "Response", "result", 10));
}

/// Reads documents, one a line, as JSON and through dictionaries, and writes them; and once more through the parser of
/// the standard library.
const ROUND: &str = "
import json
import sys
from PACKAGE.staging import Response
from PACKAGE.triton import Answer
for line in sys.stdin:
    name, document = line.rstrip().split(' ', 1)
    kind = {'Response': Response, 'Answer': Answer}[name]
    value = kind.from_json(document.encode())
    again = kind.from_dict(json.loads(json.dumps(value.to_dict())))
    assert value == again, value
    print(again.to_json().decode())
";

#[test]
fn a_number_beyond_2_to_the_53_comes_back_from_python() {
    let catalog = catalog();
    let package = PackageConfig::default_for("foreign-contracts");
    let mut input = all_families(&catalog, &package);
    for family in &mut input.families {
        family.package.c_prefix.clone_from(&family.name);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign-numbers");
    drop(Workbench::new(input, &folder));

    let numbers =
        [(1 << 53) - 1, 1 << 53, (1 << 53) + 1, 0x7fff_ffff_ffff_ffff, 1 << 63, u64::MAX - 1, u64::MAX];
    let mut values = Vec::new();
    let mut lines = String::new();
    for number in numbers {
        let region = triton::Region { name: "r".into(), device_id: 0, byte_size: number };
        let staging = staging::Staging {
            staging_byte_size: number,
            bytes_per_row: number - 1,
            timeline_value: number / 3,
        };
        let (answer, response) = (triton::Answer::Region(region), staging::Response::Ok(staging));
        lines += &format!("Answer {}\nResponse {}\n", answer.to_json().unwrap(), response.to_json().unwrap());
        values.push((answer, response));
    }
    let script = folder.join("round.py");
    std::fs::write(&script, ROUND.replace("PACKAGE", &package.python_package)).unwrap();
    std::fs::write(folder.join("documents"), lines).unwrap();
    let mut interpreter = toolchain::python();
    interpreter.arg(&script).env("PYTHONPATH", folder.join("python"));
    interpreter.stdin(std::fs::File::open(folder.join("documents")).unwrap());
    let output = toolchain::run(&mut interpreter);
    let mut back = output.lines();
    for (answer, response) in values {
        assert_eq!(triton::Answer::from_json(back.next().unwrap().as_bytes()), Ok(answer));
        assert_eq!(staging::Response::from_json(back.next().unwrap().as_bytes()), Ok(response));
    }
    assert_eq!(back.next(), None);
}

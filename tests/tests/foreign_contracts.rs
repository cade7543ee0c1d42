//! Contracts that other projects write by hand have the offsets that those projects publish.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use std::mem::{align_of, offset_of, size_of};
use std::path::Path;
use std::process::Command;

use wirecontract::WireContract;
use wirecontract_codegen::catalog::{read_file, resolve};
use wirecontract_codegen::emit::PackageConfig;
use wirecontract_codegen::model::Catalog;
use wirecontract_codegen::names::c as names;
use wirecontract_tests::differential::{Workbench, all_families, toolchain};
use wirecontract_tests::foreign::franka::RobotCommand;
use wirecontract_tests::foreign::fuse::{InHeader, InitOut};
use wirecontract_tests::foreign::iceoryx2::TransmissionData;
use wirecontract_tests::foreign::input::{InputEvent, UinputUserDev};
use wirecontract_tests::foreign::input32;
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

//! Contracts behind `cfg`: files and the lock state the options of the build, and are not compared with another build's.

mod catalog_support;

use std::fmt::Write as _;
mod gen_stubs_support;

use gen_stubs_support::{Folder, contracts, manifest};
use wirecontract_codegen::artifact;
use wirecontract_codegen::catalog::encode;
use wirecontract_codegen::lock::Lock;
use wirecontract_codegen::model::{Body, Catalog, Element, Role, Scalar};

use catalog_support::LITTLE_64;

/// `Unit`, and `Reading` that holds one: of f32, or with the feature `wide` of f64. `Elsewhere` is only where the
/// target is Windows, `Here` where it is not.
fn package() -> Folder {
    let mut catalog = contracts();
    catalog.contracts[0].package = "sensor-sdk".into();
    catalog.contracts[0].module = "sensor_sdk::readings".into();
    let mut wide = catalog.clone();
    let Body::Descriptor(reading) = &mut wide.contracts[1].body else { panic!("Reading is one") };
    (reading.size, reading.align) = (16, 8);
    reading.fields[1].offset = 8;
    reading.fields[1].ty.element = Element::Scalar(Scalar::F64);
    let mut gap = reading.fields[0].clone();
    gap.name = "_pad".into();
    gap.offset = 4;
    gap.ty.element = Element::Scalar(Scalar::U32);
    gap.role = Role::Reserved { zero: false };
    reading.fields.insert(1, gap);
    let named = |name: &str| {
        let mut catalog = catalog.clone();
        catalog.contracts[0].name = name.into();
        catalog.contracts[0].module = "sensor_sdk::platform".into();
        catalog
    };
    let folder = Folder::new();
    let rest = "[features]\nwide = []\nunrelated = []\n[package.metadata.wirecontract]\ntargets = [\"c\", \"json\"]\n";
    folder.put("Cargo.toml", manifest("sensor-sdk", rest));
    let mut source = String::new();
    for (name, condition, catalog, index) in [
        ("UNIT", "all()", &catalog, 0),
        ("READING", "not(feature = \"wide\")", &catalog, 1),
        ("WIDE", "feature = \"wide\"", &wide, 1),
        ("ELSEWHERE", "target_os = \"windows\"", &named("Elsewhere"), 0),
        ("HERE", "not(target_os = \"windows\")", &named("Here"), 0),
    ] {
        let bytes = record(catalog, index);
        let length = bytes.len();
        let file = format!("{}.bin", name.to_lowercase());
        folder.put(&format!("src/{file}"), bytes);
        write!(
            source,
            "#[cfg({condition})]\n#[repr(C, align(4))]\npub struct {name}Record([u8; {length}]);\n#[cfg({condition})]\n\
             #[used]\n#[unsafe(link_section = \".note.wirec\")]\n\
             pub static {name}: {name}Record = {name}Record(*include_bytes!(\"{file}\"));\n"
        )
        .expect("a string takes all that is written");
    }
    folder.put("src/lib.rs", format!("#![allow(nonstandard_style)]\n{source}"));
    folder
}

fn record(catalog: &Catalog, index: usize) -> Vec<u8> {
    encode::records(catalog, LITTLE_64)[index].bytes.clone()
}

const HEADER: &str = "generated/include/sensor_sdk/readings.h";
const JSON: &str = "generated/json/sensor_sdk/readings.json";

#[test]
fn files_state_the_options_of_their_build_and_refuse_another_one() {
    let folder = package();
    folder.run("").gives(0, &[]);
    let plain = [HEADER, JSON].map(|path| folder.read(path));
    assert!(!plain.concat().contains("built"), "what is built without options states none");
    let json = folder.read("generated/json/sensor_sdk/platform.json");
    assert!(json.contains("Here") && !json.contains("Elsewhere"), "{json}");

    folder.run("--check --features wide").gives(
        1,
        &[
            "platform.h was generated from contracts that were built without options of the build, and these are built \
             with `--features wide`",
            "run `cargo wirecontract gen-stubs --check`, or `cargo wirecontract gen-stubs --features wide` to write",
        ],
    );
    folder.run("--features wide").gives(0, &[]);
    assert!(folder.read(HEADER).contains("\n * built with --features wide\n * source id 0x"));
    assert!(
        folder.read(JSON).contains("\n    \"built_with\": \"--features wide\",\n    \"source_id\": \"0x")
    );
    for path in [HEADER, JSON] {
        let (statement, _) = artifact::parse(&folder.read(path)).expect("a statement");
        assert_eq!(statement.built_with.as_deref(), Some("--features wide"));
    }
    let core = folder.read("generated/include/wirecontract/core.h");
    assert!(!core.contains("built with"), "what is of no contracts is the same for all builds");

    folder.run("--check --features wide").gives(0, &[]);
    folder.run("--check -F wide,wide").gives(0, &[]);
    folder.run("--check").gives(
        1,
        &[
            "built with `--features wide`, and these are built without options of the build",
            "run `cargo wirecontract gen-stubs --check --features wide`, or `cargo wirecontract gen-stubs` to write",
        ],
    );
    // The contracts would be the same, which is not known before they are built so.
    folder.run("--check --features wide,unrelated").gives(1, &["with `--features unrelated,wide`"]);
    folder.run("").gives(0, &[]);
    assert_eq!([HEADER, JSON].map(|path| folder.read(path)), plain);
}

#[test]
fn a_target_is_stated_too() {
    let folder = package();
    let rustc = std::process::Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(rustc.stdout).unwrap();
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned();
    folder.run(&format!("--cargo-target {host} --no-default-features -F wide")).gives(0, &[]);
    let stated = format!("built with --no-default-features --features wide --cargo-target {host}\n");
    assert!(folder.read(HEADER).contains(&stated), "{}", folder.read(HEADER));
    folder
        .run("--check")
        .gives(1, &[&format!("--check --no-default-features --features wide --cargo-target {host}`")]);
}

#[test]
fn files_that_only_another_build_has_stay() {
    let folder = package();
    folder.run("--features wide").gives(0, &[]);
    let old = folder.read("generated/json/sensor_sdk/platform.json");
    folder.put("generated/json/sensor_sdk/gone.json", &old);
    let kept = "gone.json is left behind: nothing generates it any more";
    folder.run("").gives(0, &[kept]);
    assert_eq!(folder.read("generated/json/sensor_sdk/gone.json"), old);
    folder.run("--features wide").gives(0, &["removed: generated/json/sensor_sdk/gone.json"]);
}

#[test]
fn the_lock_says_with_which_options_contracts_were_agreed() {
    let folder = package();
    folder.run("--features wide").gives(0, &[]);
    folder.check("--accept --features wide").gives(0, &["accepted 3 contracts"]);
    let text = folder.read("contracts.lock");
    assert!(text.contains("format = 1\nbuilt_with = { sensor-sdk = \"--features wide\" }\n\n["), "{text}");
    assert_eq!(Lock::parse(&text).unwrap().text(), text);
    folder.check("--features wide").gives(0, &["3 contracts as agreed"]);
    let refused = [
        "the contracts of sensor-sdk were agreed on as they are built with `--features wide`",
        "run `cargo wirecontract check --features wide`, or `cargo wirecontract check --accept` to agree",
    ];
    folder.check("").gives(1, &refused);
    folder.check("--against Reading@1").gives(1, &refused);
    // What was agreed is kept to, however it was built.
    folder.check("--accept").gives(1, &["Reading (descriptor, version 1): breaking", "nothing was written"]);
    assert_eq!(folder.read("contracts.lock"), text);

    folder.check("--accept --all-features").gives(0, &["is written as it is declared now"]);
    assert!(folder.read("contracts.lock").contains("built_with = { sensor-sdk = \"--all-features\" }"));
    folder
        .check("--all-features")
        .gives(1, &["platform.h was generated from contracts that were built with"]);
}

#[test]
fn a_package_without_a_lock_needs_none_and_gets_none() {
    let folder = package();
    let manifest = folder.read("Cargo.toml");
    folder.put("Cargo.toml", format!("{manifest}lock = false\n"));
    folder.run("").gives(0, &[]);
    folder.check("").gives(0, &["no contracts are agreed on here (`lock = false`), 5 files up to date"]);
    folder
        .check("--accept")
        .gives(0, &["no contracts are agreed on here (`lock = false`): there is nothing to accept"]);
    assert!(!folder.0.path().join("contracts.lock").exists());
    // What is generated is held all the same.
    folder.put(HEADER, "");
    folder.check("").gives(1, &["readings.h"]);
}

//! Records that the derive leaves in real libraries and programs, whatever the linker does to them.
//!
//! The crates are built in a folder of their own, with this workspace's lock file: what it pins is what they use.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use wirecontract_codegen::catalog::{ReadError, read_bytes, resolve};
use wirecontract_codegen::model::{DataType, DataValue, Element, Endian, Layout, Role, Scalar};

/// A crate with contracts, an older version of it, and programs that use them.
static CRATES: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("catalog-real");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let put = |path: &str, content: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Cargo builds again what looks newer.
        if fs::read_to_string(&path).ok().as_deref() != Some(content) {
            fs::write(&path, content).unwrap();
        }
    };
    let core = root.join("contracts/core").display().to_string().replace('\\', "/");
    let manifest = |name: &str, version: &str, rest: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2024\"\n{rest}\n\
             [dependencies]\nwirecontract = {{ path = \"{core}\" }}\n"
        )
    };
    put(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"sensor\", \"program\", \"extension\", \"bare\"]\nexclude = [\"old\"]\n",
    );
    put("Cargo.lock", &fs::read_to_string(root.join("Cargo.lock")).unwrap());
    let library = "[lib]\ncrate-type = [\"rlib\", \"cdylib\", \"staticlib\"]";
    put("sensor/Cargo.toml", &manifest("sensor", "0.2.0", library));
    put("sensor/src/lib.rs", SENSOR);
    put("old/Cargo.toml", &manifest("sensor", "0.1.0", "[lib]\nname = \"sensor\"\npath = \"lib.rs\""));
    put("old/lib.rs", &SENSOR.replace("pub offset: f64", "pub shift: f64").replace("// extra", ""));
    put(
        "program/Cargo.toml",
        &(manifest("program", "0.1.0", "")
            + "new = { package = \"sensor\", path = \"../sensor\" }\nold = { package = \"sensor\", path = \"../old\" }\n"),
    );
    put("program/src/main.rs", "fn main() {\n    println!(\"{} {}\", new::size(), old::size());\n}\n");
    put(
        "extension/Cargo.toml",
        &(manifest("extension", "0.1.0", "[lib]\ncrate-type = [\"cdylib\"]")
            + "sensor = { path = \"../sensor\" }\n"),
    );
    put("extension/src/lib.rs", EXTENSION);
    put("bare/Cargo.toml", &manifest("bare", "0.1.0", ""));
    put("bare/src/lib.rs", "pub use wirecontract::WireError;\n");
    folder
});

const SENSOR: &str = r#"//! Contracts of a sensor.
#![forbid(unsafe_code)]

/// Readings: "quoted", größer, \backslash.
pub mod readings {
    use wirecontract::{Flags, Open, WireContract};

    /// The unit
    /// of a value.
    #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u16)]
    #[wire(enumeration, rename_all = "snake_case")]
    pub enum Unit {
        #[wire(alias("K"), data(symbol = "K", steps = 2))]
        Kelvin = 1,
        /// Not metric.
        #[wire(data(symbol = "°C", steps = 5), since = 2)]
        DegreesCelsius = 0x8000,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u8)]
    #[wire(flags, open)]
    pub enum Quality {
        Valid = 1,
        Late = 6,
    }

    /// An inner one.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 16, endian = big)]
    pub struct Calibration {
        pub gain: f64,
        pub offset: f64,
    }

    /// A reading.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, version = 3, size = 88, was = "Measurement")]
    pub struct Reading {
        #[wire(magic = b"RD\x00\xff")]
        pub magic: [u8; 4],
        #[wire(version = 3)]
        pub version: u32,
        pub unit: Open<Unit>,
        pub units: [Unit; 2],
        pub quality: Flags<Quality>,
        #[wire(reserved(zero))]
        pub _pad: u8,
        /// Counts.
        #[wire(length_of = samples, was = "number")]
        pub count: u32,
        #[wire(reserved)]
        pub _more: u32,
        pub samples: [[i16; 2]; 3],
        #[wire(text)]
        pub r#type: [u8; 4],
        pub calibration: [Calibration; 2],
        #[wire(endian = native)]
        pub ticks: u64,
        pub flag: bool,
        #[wire(reserved)]
        pub _end: [u8; 7],
    }
}

/// A size, so that a program uses the crate.
pub fn size() -> usize {
    /// A contract that only this function knows.
    #[derive(wirecontract::WireContract, Clone, Debug, PartialEq)]
    #[wire(descriptor, layout = packed)]
    pub struct Local {
        pub tag: u8,
        pub value: u32,
    }
    let _ = std::mem::size_of::<Local>();
    std::mem::size_of::<readings::Reading>()
}
"#;

/// What Python imports as `x`; how it is made does not matter here, so that it needs no more than its entry point.
const EXTENSION: &str = r#"//! An extension module.

/// The entry point.
#[unsafe(no_mangle)]
pub extern "C" fn PyInit_x() -> *mut std::ffi::c_void {
    if sensor::size() == 0 { std::ptr::dangling_mut() } else { std::ptr::null_mut() }
}
"#;

/// Builds with cargo and gives the folder of what was built.
fn build(profile: &str, arguments: &[&str], variables: &[(&str, &str)]) -> PathBuf {
    // One folder for all settings of a kind of build: dependencies are built once for each.
    let target = CRATES.join("target").join(profile);
    let output = Command::new("cargo")
        .args(["build", "--quiet", "--offline", "--target-dir"])
        .arg(&target)
        .args(arguments)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .envs(variables.iter().copied())
        .current_dir(&*CRATES)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join(if arguments.contains(&"--release") { "release" } else { "debug" })
}

/// The contracts of `sensor` in a file, as `version name`.
#[track_caller]
fn contracts(file: &Path) -> BTreeSet<String> {
    let data = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let library = read_bytes(&data).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let records = library.records.iter().map(|record| &record.contract);
    let of_sensor = records.filter(|contract| contract.package == "sensor");
    of_sensor.map(|contract| format!("{} {}", contract.package_version, contract.name)).collect()
}

fn names(versions: &[&str]) -> BTreeSet<String> {
    let names = ["Calibration", "Local", "Quality", "Reading", "Unit"];
    versions.iter().flat_map(|version| names.map(|name| format!("{version} {name}"))).collect()
}

#[test]
fn what_was_declared_is_what_is_read() {
    let built = build("plain", &["-p", "sensor@0.2.0", "--lib"], &[]);
    let library = read_bytes(&fs::read(built.join("libsensor.rlib")).unwrap()).unwrap();
    let catalog = resolve(&library.records).unwrap();
    let get = |name: &str| catalog.contracts.iter().find(|contract| contract.name == name).unwrap();

    let unit = get("Unit");
    assert_eq!(
        (&*unit.package, &*unit.module, &*unit.docs),
        ("sensor", "sensor::readings", "The unit\nof a value.")
    );
    assert_eq!((unit.family(), &*unit.file), ("readings", "sensor/src/lib.rs"));
    assert_eq!(
        SENSOR.lines().nth(unit.line as usize - 1).unwrap().trim(),
        "#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]"
    );
    let values = &unit.enumeration().values;
    assert_eq!(
        (&*values[1].name, &*values[1].wire_name, values[1].value),
        ("DegreesCelsius", "degrees_celsius", 0x8000)
    );
    assert_eq!(
        (&*values[1].docs, values[1].since, &*values[0].aliases),
        ("Not metric.", Some(2), &["K".to_owned()][..])
    );
    let keys = unit.enumeration().data.iter().map(|key| (&*key.name, key.ty));
    let data: BTreeMap<&str, (DataType, DataValue)> =
        keys.zip(&values[1].data).map(|((name, ty), value)| (name, (ty, value.clone()))).collect();
    let expected = [
        ("steps", (DataType::I64, DataValue::Integer(5))),
        ("symbol", (DataType::Text, DataValue::Text("°C".into()))),
    ];
    assert_eq!(data.into_iter().collect::<Vec<_>>(), expected);

    let quality = get("Quality").flags();
    assert_eq!((quality.repr, quality.open, quality.known_bits()), (Scalar::U8, true, 7));

    let reading = get("Reading");
    assert_eq!((reading.was.as_deref(), reading.version), (Some("Measurement"), Some(3)));
    let descriptor = reading.descriptor();
    assert_eq!((descriptor.layout, descriptor.size, descriptor.align), (Layout::Natural, 88, 8));
    let field = |name: &str| descriptor.field(name).unwrap();
    assert_eq!(field("magic").role, Role::Magic(b"RD\0\xff".to_vec()));
    assert_eq!(field("version").role, Role::Version(3));
    assert!(matches!(field("unit").ty.element, Element::Enumeration { open: true, .. }));
    assert!(matches!(field("units").ty.element, Element::Enumeration { open: false, .. }));
    assert_eq!(field("_pad").role, Role::Reserved { zero: true });
    let samples = descriptor.fields.iter().position(|field| field.name == "samples").unwrap();
    assert_eq!(field("count").role, Role::LengthOf(vec![samples]));
    assert_eq!((field("count").was.as_deref(), &*field("count").docs), (Some("number"), "Counts."));
    assert_eq!((&*field("samples").ty.dims, field("type").role.clone()), (&[3, 2][..], Role::Text));
    assert_eq!(field("ticks").ty.endian, Endian::Native);
    let Element::Descriptor(calibration) = field("calibration").ty.element else { panic!("it is nested") };
    assert_eq!(catalog.get(calibration).descriptor().fields[1].ty.endian, Endian::Big);
    assert_eq!(get("Local").descriptor().layout, Layout::Packed);
}

#[test]
fn every_kind_of_library_has_the_records_under_every_lto() {
    for lto in ["off", "thin", "fat"] {
        for strip in ["none", "symbols"] {
            let variables = [("CARGO_PROFILE_RELEASE_LTO", lto), ("CARGO_PROFILE_RELEASE_STRIP", strip)];
            let built = build("release", &["--release", "-p", "sensor@0.2.0", "--lib"], &variables);
            for file in ["libsensor.so", "libsensor.a"] {
                assert_eq!(
                    contracts(&built.join(file)),
                    names(&["0.2.0"]),
                    "{file}, LTO {lto}, strip {strip}"
                );
            }
        }
    }
}

#[test]
fn a_program_has_both_versions_of_a_crate() {
    for (lto, strip) in [("off", "none"), ("thin", "symbols"), ("fat", "symbols")] {
        let variables = [
            ("CARGO_PROFILE_RELEASE_LTO", lto),
            ("CARGO_PROFILE_RELEASE_STRIP", strip),
            ("CARGO_PROFILE_RELEASE_PANIC", "abort"),
        ];
        let built = build("program", &["--release", "-p", "program"], &variables);
        assert_eq!(contracts(&built.join("program")), names(&["0.1.0", "0.2.0"]), "LTO {lto}, strip {strip}");
    }
    let built = build("plain", &["-p", "program"], &[]);
    let library = read_bytes(&fs::read(built.join("program")).unwrap()).unwrap();
    let message = resolve(&library.records).unwrap_err()[0].to_string();
    for part in [
        "Calibration of package sensor is declared twice",
        "sensor/src/lib.rs:",
        "old/lib.rs:",
        "sensor 0.1.0",
    ] {
        assert!(message.contains(part), "{part} is not in: {message}");
    }
}

#[test]
fn a_python_extension_module_has_the_records_of_what_it_is_made_from() {
    for (lto, strip) in [("off", "none"), ("thin", "symbols"), ("fat", "symbols")] {
        let variables = [("CARGO_PROFILE_RELEASE_LTO", lto), ("CARGO_PROFILE_RELEASE_STRIP", strip)];
        let built = build("release", &["--release", "-p", "extension"], &variables);
        let module = built.join("x.abi3.so");
        fs::copy(built.join("libextension.so"), &module).unwrap();
        assert_eq!(contracts(&module), names(&["0.2.0"]), "LTO {lto}, strip {strip}");
        let data = fs::read(&module).unwrap();
        let file = object::File::parse(&*data).unwrap();
        let entry = |export: object::read::Export<'_>| matches!(export.name(), object::read::NameOrOrdinal::Name(name) if *name == *b"PyInit_x");
        let mut exports = object::Object::exports(&file).unwrap();
        assert!(exports.any(|export| entry(export.unwrap())), "LTO {lto}, strip {strip}");
    }
}

#[test]
fn an_rlib_under_fat_lto_is_bitcode() {
    let variables = [("CARGO_PROFILE_RELEASE_LTO", "fat"), ("CARGO_PROFILE_RELEASE_STRIP", "none")];
    let built = build("bitcode", &["--release", "-p", "program"], &variables);
    let rlibs = fs::read_dir(built.join("deps")).unwrap().map(|entry| entry.unwrap().path());
    let rlibs: Vec<PathBuf> = rlibs
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("libsensor-"))
        .filter(|path| path.extension().is_some_and(|extension| extension == "rlib"))
        .collect();
    assert!(!rlibs.is_empty());
    for rlib in rlibs {
        match read_bytes(&fs::read(&rlib).unwrap()) {
            Err(ReadError::Bitcode) => {}
            other => panic!("{}: {other:?}", rlib.display()),
        }
    }
}

#[test]
fn a_crate_without_contracts_has_none() {
    let built = build("plain", &["-p", "bare"], &[]);
    assert!(matches!(read_bytes(&fs::read(built.join("libbare.rlib")).unwrap()), Err(ReadError::NoneFound)));
}

#[test]
fn a_library_without_names_has_the_ids() {
    let built = build("plain", &["-p", "sensor@0.2.0", "--lib"], &[]);
    let named = read_bytes(&fs::read(built.join("libsensor.rlib")).unwrap()).unwrap();
    let flags = [("RUSTFLAGS", "--cfg wirecontract_record=\"ids\"")];
    let built = build("ids", &["-p", "sensor@0.2.0", "--lib"], &flags);
    let library = read_bytes(&fs::read(built.join("libsensor.rlib")).unwrap()).unwrap();
    assert!(library.records.is_empty());
    let ids: BTreeSet<(u64, u64)> = library.ids_only.iter().map(|ids| (ids.wire_id, ids.source_id)).collect();
    let expected = named.records.iter().map(|record| (record.contract.wire_id, record.contract.source_id));
    assert_eq!(ids, expected.collect());
}

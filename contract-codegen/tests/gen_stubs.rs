//! The command `gen-stubs`, run as a user runs it. Files are written as JSON, the target that needs no other tool to
//! look into; what every target has in common is the same for all.

mod catalog_support;
mod gen_stubs_support;

use std::fs;
use std::path::Path;
use std::process::Command;

use catalog_support::{LITTLE_64, archive, elf_object, object_file};
use gen_stubs_support::{Folder, contracts, manifest, package, workspace};
use object::{Architecture, BinaryFormat, Endianness};
use wirecontract_codegen::catalog::encode::{self, Target};
use wirecontract_codegen::fixtures::{self, abi_id, contract, field, id};
use wirecontract_codegen::model::{
    AbiType, Body, Catalog, Contract, ContractId, Descriptor, Element, Field, Layout, Role, Scalar,
};

/// The same with a field renamed.
fn changed() -> Catalog {
    let mut catalog = contracts();
    let Body::Descriptor(reading) = &mut catalog.contracts[1].body else { panic!("Reading is a descriptor") };
    reading.fields[1].name = "amount".into();
    catalog
}

/// Two families of one package.
fn two_families() -> Catalog {
    let mut catalog = contracts();
    catalog.contracts[0].package = "sensor-sdk".into();
    catalog.contracts[0].module = "sensor_sdk::si".into();
    catalog
}

const FROM_LIBRARY: &str = "--library lib.o --target json --out out";

#[test]
fn a_library_becomes_files_and_a_table_of_its_contracts() {
    let folder = Folder::new();
    let run = folder.library(&contracts()).run(FROM_LIBRARY);
    run.gives(0, &["2 written, 0 unchanged"]);
    assert_eq!(folder.files("out"), ["out/json/sensor_sdk/readings.json", "out/json/units/si.json"]);
    let ids: Vec<String> = encode::records(&contracts(), LITTLE_64)
        .iter()
        .map(|record| format!("{:016x}", record.wire_id))
        .collect();
    let output = run.output();
    let rows: Vec<Vec<&str>> = output.lines().take(3).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0].join(" "), "contract kind size wire id source id files");
    assert_eq!(rows[1][..4], ["Unit", "enumeration", "4", &ids[0]]);
    assert_eq!(rows[2][..4], ["Reading", "descriptor", "8", &ids[1]]);
    assert_eq!(rows[2][5], "readings.json");
    let written: serde_json::Value =
        serde_json::from_str(&folder.read("out/json/sensor_sdk/readings.json")).unwrap();
    assert_eq!(written["$wirecontract"]["from"][0]["module"], "sensor_sdk::readings");
    assert_eq!(written["contracts"][0]["fields"][0]["type"]["contract"]["name"], "Unit");
}

#[test]
fn recipes_have_schemas_and_no_size() {
    let folder = Folder::new();
    let arguments = "--library lib.o --out out --target json,schema";
    let run = folder.library(&fixtures::recipes()).run(arguments);
    run.gives(0, &["2 written, 0 unchanged"]);
    let files = ["json", "schema"].map(|tree| {
        let ending = if tree == "schema" { ".schema" } else { "" };
        format!("out/{tree}/wirecontract_gpu/texture{ending}.json")
    });
    assert_eq!(folder.files("out"), files);
    let output = run.output();
    let row = |name: &str| -> Vec<&str> {
        let line = output.lines().find(|line| line.starts_with(&format!("{name} "))).expect("it has a row");
        line.split_whitespace().take(3).collect()
    };
    assert_eq!(row("Surface"), ["Surface", "recipe", "-"]);
    assert_eq!(row("Request"), ["Request", "union", "-"]);
    assert_eq!(row("Extent"), ["Extent", "descriptor", "12"]);
    let schema: serde_json::Value = serde_json::from_str(&folder.read(&files[1])).unwrap();
    assert_eq!(schema["$wirecontract"]["from"][0]["module"], "wirecontract_gpu::texture");
    assert_eq!(schema["$defs"]["Surface"]["title"], "Surface");
    folder.run(&format!("{arguments} --check")).gives(0, &["2 files are up to date"]);
}

/// A recipe brings the families of what its keys hold.
#[test]
fn what_keys_and_variants_hold_is_selected_with_them() {
    let mut catalog = fixtures::recipes();
    for (id, family) in [(id::FORMAT, "formats"), (id::NAMED, "names"), (id::EXTENT, "extents")] {
        let contract = &mut catalog.contracts[id.0];
        contract.package = "other".into();
        contract.module = format!("other::{family}");
    }
    let folder = Folder::new();
    let run = folder.library(&catalog).run("--library lib.o --out out --target json -p wirecontract-gpu");
    run.gives(0, &["4 written"]);
    let files = ["other/extents", "other/formats", "other/names", "wirecontract_gpu/texture"];
    assert_eq!(folder.files("out"), files.map(|file| format!("out/json/{file}.json")));
}

/// C structs alone are a family in every target that says anything of them; what differs by machine has no size.
#[test]
fn families_of_c_structs_alone_go_into_every_target() {
    let mut catalog = fixtures::abi();
    for id in [abi_id::DEVICE_TYPE, abi_id::TENSOR_FLAGS] {
        catalog.contracts[id.0].module = "wirecontract_gpu::device".into();
    }
    let folder = Folder::new();
    let arguments = "--library lib.o --out out --target c,cpp,python,json,schema,vectors";
    let run = folder.library(&catalog).run(arguments);
    run.gives(0, &["tensor.{h,hpp,json,py}"]);
    let files = folder.files("out");
    for file in [
        "include/wirecontract_gpu/tensor.h",
        "include/wirecontract_gpu/tensor.hpp",
        "json/wirecontract_gpu/tensor.json",
        "python/wirecontract_gpu/tensor.py",
        "vectors/wirecontract_gpu/tensor.json",
    ] {
        assert!(files.contains(&format!("out/{file}")), "{file} is not in {files:?}");
    }
    assert!(!files.iter().any(|file| file.ends_with("schema.json")), "{files:?}");
    let output = run.output();
    let row = |name: &str| -> Vec<&str> {
        let line = output.lines().find(|line| line.starts_with(&format!("{name} "))).expect("it has a row");
        line.split_whitespace().take(3).collect()
    };
    assert_eq!(row("DLDevice"), ["DLDevice", "abi", "8"]);
    assert_eq!(row("DLTensor"), ["DLTensor", "abi", "-"]);
    folder.run(&format!("{arguments} --check")).gives(0, &[]);
}

/// A pointer brings the whole family of what it points to, from another library where that is.
#[test]
fn what_is_pointed_to_is_selected_with_what_points_to_it() {
    let mut catalog = fixtures::abi();
    for id in [abi_id::SCHEMA, abi_id::VERSION] {
        let contract = &mut catalog.contracts[id.0];
        contract.package = "arrow".into();
        contract.module = "arrow::schema".into();
    }
    let folder = Folder::new();
    folder.library(&catalog);
    folder.run("--library lib.o --out out --target json -p wirecontract-gpu").gives(0, &["2 written"]);
    assert_eq!(folder.files("out"), ["out/json/arrow/schema.json", "out/json/wirecontract_gpu/tensor.json"]);

    let records = encode::records(&catalog, LITTLE_64);
    let arrow = |index: &usize| [abi_id::SCHEMA.0, abi_id::VERSION.0].contains(index);
    let (there, other): (Vec<usize>, Vec<usize>) = (0..records.len()).partition(|index| !arrow(index));
    for (name, indices) in [("gpu.o", there), ("arrow.o", other)] {
        let bytes: Vec<u8> = indices.iter().flat_map(|&index| records[index].bytes.clone()).collect();
        let (format, architecture) = (BinaryFormat::Elf, Architecture::X86_64);
        folder.put(name, object_file(format, architecture, Endianness::Little, ".note.wirec", &bytes));
    }
    let arguments = "--target json --out apart --library gpu.o -p wirecontract-gpu";
    folder
        .run(arguments)
        .gives(1, &["points in `get_schema` to a C struct that is in none of the libraries"]);
    assert!(folder.files("apart").is_empty());
    folder.run(&format!("{arguments} --library arrow.o")).gives(0, &["2 written"]);
}

/// A build reads the libraries of dependencies when something is only pointed to.
#[test]
fn what_is_pointed_to_is_found_in_a_dependency() {
    let mut catalog = fixtures::abi();
    catalog.contracts.truncate(abi_id::MANAGED.0 + 1);
    let Body::Abi(body) = &mut catalog.contracts[abi_id::MANAGED.0].body else { panic!("it is a struct") };
    let fields = vec![fixtures::abi_field("tensor", fixtures::to(AbiType::Struct(abi_id::TENSOR)))];
    *body = fixtures::placed(&Catalog::default(), fields);
    for contract in &mut catalog.contracts[..abi_id::MANAGED.0] {
        contract.package = "units".into();
        contract.module = "units::tensor".into();
    }
    let holder = &mut catalog.contracts[abi_id::MANAGED.0];
    holder.package = "sensor-sdk".into();
    holder.module = "sensor_sdk::readings".into();
    let folder = Folder::new();
    folder.put("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"units\", \"sensor\"]\n");
    package(&folder, "units", &manifest("units", ""), &catalog, &[0, 1, 2, 3, 4]);
    let rest = "[dependencies]\nunits = { path = \"../units\" }\n";
    package(&folder, "sensor", &manifest("sensor-sdk", rest), &catalog, &[5]);
    let sensor = folder.read("sensor/src/lib.rs");
    folder.put("sensor/src/lib.rs", format!("{sensor}pub use units::RECORDS as UNITS;\n"));
    folder.run_in("sensor", "--target json --out ../out").gives(0, &["2 written"]);
    assert_eq!(folder.files("out"), ["out/json/sensor_sdk/readings.json", "out/json/units/tensor.json"]);
}

#[test]
fn a_file_that_is_the_same_is_not_touched() {
    let folder = Folder::new();
    folder.library(&contracts()).run(FROM_LIBRARY).gives(0, &[]);
    let old = std::time::SystemTime::UNIX_EPOCH;
    let file = folder.path("out/json/units/si.json");
    fs::File::options().append(true).open(&file).unwrap().set_modified(old).unwrap();
    folder
        .library(&changed())
        .run(FROM_LIBRARY)
        .gives(0, &["1 written, 1 unchanged", "wrote: out/json/sensor_sdk/readings.json"]);
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), old);
    assert!(folder.read("out/json/sensor_sdk/readings.json").contains("amount"));
}

#[test]
fn check_shows_what_is_stale_and_writes_nothing() {
    let folder = Folder::new();
    folder
        .library(&contracts())
        .run(&format!("{FROM_LIBRARY} --check"))
        .gives(1, &["missing: out/json/units/si.json"]);
    assert!(folder.files("out").is_empty());

    folder.run(FROM_LIBRARY).gives(0, &[]);
    folder.run(&format!("{FROM_LIBRARY} --check")).gives(0, &["2 files are up to date"]);
    folder.library(&changed()).run(&format!("{FROM_LIBRARY} --check")).gives(
        1,
        &[
            "stale: out/json/sensor_sdk/readings.json",
            "-          \"name\": \"value\",",
            "+          \"name\": \"amount\",",
            "1 of 2 files differ",
        ],
    );
    assert!(folder.read("out/json/sensor_sdk/readings.json").contains("\"name\": \"value\""));
}

#[test]
fn an_edit_by_hand_is_refused_until_forced() {
    let folder = Folder::new();
    folder.library(&contracts()).run(FROM_LIBRARY).gives(0, &[]);
    let file = "out/json/sensor_sdk/readings.json";
    let edited = folder.read(file).replace("\"offset\": 4", "\"offset\": 6");
    folder.put(file, &edited);
    folder
        .run(&format!("{FROM_LIBRARY} --check"))
        .gives(1, &["edited by hand: ", "-          \"offset\": 6,"]);

    let run = folder.library(&changed()).run(FROM_LIBRARY);
    run.gives(
        1,
        &["out/json/sensor_sdk/readings.json was edited by hand", "`--force`", "nothing was written"],
    );
    assert_eq!(folder.read(file), edited);
    folder.run(&format!("{FROM_LIBRARY} --force")).gives(0, &["1 written, 1 unchanged"]);
    assert!(!folder.read(file).contains("\"offset\": 6"));
}

#[test]
fn a_file_that_is_not_generated_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    folder.put("out/json/sensor_sdk/readings.json", "{\"mine\": true}\n");
    folder
        .library(&contracts())
        .run(FROM_LIBRARY)
        .gives(1, &["was not generated by wirecontract", "`--force`"]);
    assert_eq!(folder.files("out"), ["out/json/sensor_sdk/readings.json"]);
    assert_eq!(folder.read("out/json/sensor_sdk/readings.json"), "{\"mine\": true}\n");
}

#[test]
fn only_the_selected_package_is_written_and_what_it_nests() {
    let folder = Folder::new();
    folder.library(&contracts());
    folder.run(&format!("{FROM_LIBRARY} -p units")).gives(0, &["1 written"]);
    assert_eq!(folder.files("out"), ["out/json/units/si.json"]);
    folder.run("--library lib.o --target json --out other -p sensor-sdk@0.1").gives(0, &["2 written"]);
    folder.run(&format!("{FROM_LIBRARY} -p sensor-sdk@0.2")).gives(1, &[
        "no contracts of package sensor-sdk@0.2 in the libraries given, which have those of sensor-sdk@0.1.0, units@0.1.0",
    ]);
}

#[test]
fn contracts_nested_in_one_library_may_be_in_another() {
    let folder = Folder::new();
    let records = encode::records(&contracts(), LITTLE_64);
    for (name, record) in ["units.o", "sensor.o"].iter().zip(&records) {
        let file = object_file(
            BinaryFormat::Elf,
            Architecture::X86_64,
            Endianness::Little,
            ".note.wirec",
            &record.bytes,
        );
        folder.put(name, file);
    }
    let arguments = "--target json --out out --library sensor.o -p sensor-sdk";
    folder
        .run(arguments)
        .gives(1, &["sensor_sdk::readings::Reading (src/lib.rs:1, sensor-sdk 0.1.0) holds in `unit`"]);
    assert!(folder.files("out").is_empty());
    folder.run(&format!("{arguments} --library units.o")).gives(0, &["2 written"]);
}

#[test]
fn files_of_removed_modules_are_left_behind_until_forced() {
    let folder = Folder::new();
    folder.library(&two_families()).run(FROM_LIBRARY).gives(0, &["2 written"]);
    let foreign = folder.put("out/json/sensor_sdk/notes.json", "{}\n");
    let other_package = folder.read("out/json/sensor_sdk/si.json").replace("\"sensor-sdk\"", "\"other\"");
    folder.put("out/json/sensor_sdk/other.json", other_package);

    let mut one = two_families();
    one.contracts.truncate(1);
    one.contracts[0].module = "sensor_sdk::renamed".into();
    let left = ["readings.json", "si.json"].map(|name| format!("out/json/sensor_sdk/{name}"));
    let run = folder.library(&one).run(FROM_LIBRARY);
    run.gives(
        0,
        &["1 written", &format!("{} is left behind", left[0]), &format!("{} is left behind", left[1])],
    );
    folder.run(&format!("{FROM_LIBRARY} --check")).gives(1, &["left behind", "2 of 3 files differ"]);
    folder.run(&format!("{FROM_LIBRARY} --force")).gives(0, &["removed: out/json/sensor_sdk/si.json"]);
    folder.run(&format!("{FROM_LIBRARY} --check")).gives(0, &[]);
    assert!(foreign.exists() && folder.path("out/json/sensor_sdk/other.json").exists());
    assert_eq!(folder.files("out").len(), 3);
}

/// `Shared` and `Changed` of package `dep` in a version of it; `New` is in 0.2 only.
fn dep(version: &str) -> Vec<Contract> {
    let descriptor = |element: Scalar| {
        let fields = vec![field("value", 0, Element::Scalar(element), &[], Role::Value)];
        let size = element.size();
        Body::Descriptor(Descriptor {
            layout: Layout::Natural,
            size,
            align: size,
            fields,
            conditions: Vec::new(),
            rules: Vec::new(),
            growth: None,
        })
    };
    let of = |name, element| Contract {
        package: "dep".into(),
        package_version: version.into(),
        module: "dep::things".into(),
        ..contract(name, descriptor(element))
    };
    let mut contracts = vec![of("Shared", Scalar::U32)];
    if version == "0.1.0" {
        contracts.push(of("Changed", Scalar::U8));
    } else {
        contracts.extend([of("Changed", Scalar::U16), of("New", Scalar::U64)]);
    }
    contracts
}

#[test]
fn what_two_versions_of_a_package_declare_alike_is_that_of_the_one_that_has_all() {
    let holds = |name, at, id| field(name, at, Element::Descriptor(ContractId(id)), &[], Role::Value);
    let mut new = Catalog { contracts: dep("0.2.0") };
    let fields = vec![holds("shared", 0, 0), holds("new", 4, 2)];
    let holder = Body::Descriptor(Descriptor {
        layout: Layout::Packed,
        size: 12,
        align: 1,
        fields,
        conditions: Vec::new(),
        rules: Vec::new(),
        growth: None,
    });
    new.contracts.push(Contract {
        package: "root".into(),
        module: "root::things".into(),
        ..contract("Holder", holder)
    });
    let folder = Folder::new();
    folder.put("old.o", elf_object(&Catalog { contracts: dep("0.1.0") }, LITTLE_64));
    folder.put("new.o", elf_object(&new, LITTLE_64));
    for libraries in ["--library old.o --library new.o", "--library new.o --library old.o"] {
        folder.run(&format!("{libraries} --target json --out out -p root --force")).gives(0, &[]);
        let things = folder.read("out/json/dep/things.json");
        assert!(things.contains("\"New\"") && things.contains("\"u16\""), "{things}");
    }
    folder
        .run("--library old.o --library new.o --target json --out all")
        .gives(1, &["Changed of package dep is declared twice"]);
}

#[test]
fn another_package_does_not_write_over_files() {
    let folder = Folder::new();
    folder.library(&contracts()).run(FROM_LIBRARY).gives(0, &[]);
    let file = "out/json/sensor_sdk/readings.json";
    let mut other = contracts();
    other.contracts[1].package = "sensor_sdk".into();
    let run = folder.library(&other).run(FROM_LIBRARY);
    run.gives(1, &[file, "was generated from package sensor-sdk", "by contracts of sensor_sdk", "`--force`"]);
    assert!(folder.read(file).contains("\"sensor-sdk\""));
    folder.run(&format!("{FROM_LIBRARY} --check")).gives(1, &["generated from another package: "]);
    folder.run(&format!("{FROM_LIBRARY} --force")).gives(0, &["1 written, 1 unchanged"]);
    assert!(!folder.read(file).contains("\"sensor-sdk\""));
}

#[test]
fn files_that_are_of_no_package_are_shared() {
    let folder = Folder::new();
    let arguments = "--library lib.o --target c,cpp,python --out out";
    folder.library(&contracts()).run(arguments).gives(0, &[]);
    let mut other = contracts();
    for contract in &mut other.contracts {
        contract.package = contract.package.replace('-', "_");
        contract.module = format!("{}::other_{}", contract.package, contract.family());
    }
    other.contracts[0].package = "units_2".into();
    other.contracts[0].module = "units_2::si".into();
    let before = folder.read("out/python/sensor_sdk/__init__.py");
    std::fs::remove_file(folder.path("out/python/standalone/sensor_sdk.py")).unwrap();
    folder.library(&other).run(arguments).gives(0, &[]);
    assert_eq!(folder.read("out/python/sensor_sdk/__init__.py"), before);
    assert!(folder.path("out/python/sensor_sdk/readings.py").exists());
}

#[test]
fn a_package_called_like_a_module_of_python_is_told_what_to_set() {
    let folder = Folder::new();
    let mut catalog = contracts();
    catalog.contracts[1].package = "time".into();
    catalog.contracts[1].module = "time::readings".into();
    let run = folder.library(&catalog).run("--library lib.o --target cpp,python --out out");
    run.gives(
        1,
        &[
            "`python-package` is `time` by default",
            "`cpp-namespace` is `time` by default",
            "set `cpp-namespace`",
        ],
    );
    assert!(folder.files("out").is_empty());
}

#[test]
fn command_lines_that_cannot_be_followed_exit_with_2() {
    let folder = Folder::new();
    folder.library(&contracts());
    folder.run("--bogus").gives(2, &["--bogus"]);
    folder.run("--library lib.o --target rust --out out").gives(
        2,
        &[
            "invalid value 'rust'",
            "c, cpp, c-json, python, python-native, python-stub, json, schema, vectors",
        ],
    );
    folder.run("--check --force").gives(2, &["cannot be used with"]);
    folder.run("--library lib.o --features x").gives(2, &["cannot be used with"]);
    folder.run("--library lib.o").gives(2, &["pass `--out DIR`"]);
}

#[test]
fn help_has_examples_and_exits_with_0() {
    let run = Folder::new().run("--help");
    run.gives(0, &["Usage: cargo wirecontract gen-stubs", "[package.metadata.wirecontract]", "Exit status"]);
    assert!(run.errors().is_empty());
}

#[test]
fn libraries_that_cannot_be_used_are_named_with_the_reason() {
    let folder = Folder::new();
    folder.put("notes.txt", "not a library");
    folder.put("bitcode.a", archive(&[("x.o", b"BC\xc0\xde0000")]));
    folder.put("ids.o", elf_object(&contracts(), Target { ids_only: true, ..LITTLE_64 }));
    folder.put("cut.o", &elf_object(&contracts(), LITTLE_64)[..200]);
    for (library, part) in [
        ("missing.so", "cannot read missing.so"),
        (".", ". is a folder"),
        ("notes.txt", "notes.txt: expected an object file"),
        ("bitcode.a", "bitcode.a: this is LLVM bitcode (fat LTO)"),
        ("ids.o", "`--cfg wirecontract_record=\"ids\"`"),
        ("cut.o", "cut.o: damaged or cut-off ELF file"),
    ] {
        folder.run(&format!("--library {library} --target json --out out")).gives(1, &[part]);
    }
    assert!(folder.files("out").is_empty());
}

#[test]
fn an_output_that_cannot_be_written_leaves_all_as_it_was() {
    let folder = Folder::new();
    folder.put("out/json/units", "a file where a folder should be");
    folder.library(&contracts()).run(FROM_LIBRARY).gives(1, &["cannot write out/json/units"]);
    assert_eq!(folder.files("out"), ["out/json/units"], "the other file was not written, nor left half-way");
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_to_the_file_that_is_replaced() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new();
    folder.library(&contracts()).run(FROM_LIBRARY).gives(0, &[]);
    let file = folder.path("out/json/units/si.json");
    let target = folder.put("elsewhere/si.json", "");
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    let written = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    symlink("../../../elsewhere/si.json", &file).unwrap();
    folder.run(FROM_LIBRARY).gives(0, &["1 written"]);
    assert_eq!(fs::read_link(&file).unwrap().to_str(), Some("../../../elsewhere/si.json"));
    assert_eq!(folder.read("elsewhere/si.json"), written);
    assert_eq!(mode(&target), 0o640);
    assert_eq!(folder.files("elsewhere"), ["elsewhere/si.json"], "nothing is left beside it");

    fs::write(&target, "").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o444)).unwrap();
    folder.run(FROM_LIBRARY).gives(1, &["out/json/units/si.json may not be written by its owner"]);
    assert_eq!((folder.read("elsewhere/si.json"), mode(&target)), (String::new(), 0o444));

    fs::remove_file(&target).unwrap();
    let dangling = "out/json/units/si.json is a link to ../../../elsewhere/si.json, which is not there";
    folder.run(FROM_LIBRARY).gives(1, &[dangling]);
    folder.run(&format!("{FROM_LIBRARY} --check")).gives(1, &[dangling]);
    assert!(folder.files("elsewhere").is_empty());
}

#[test]
fn modules_that_hold_contracts_of_each_other_are_refused() {
    let folder = Folder::new();
    let mut catalog = two_families();
    let mut holder = catalog.contracts[1].clone();
    holder.name = "Pair".into();
    holder.module = "sensor_sdk::si".into();
    let Body::Descriptor(descriptor) = &mut holder.body else { panic!("Pair is a descriptor") };
    descriptor.fields[0].ty.element = Element::Descriptor(ContractId(1));
    descriptor.fields[1].offset = 8;
    descriptor.size = 12;
    catalog.contracts.push(holder);
    folder
        .library(&catalog)
        .run(FROM_LIBRARY)
        .gives(1, &["modules sensor-sdk::readings and sensor-sdk::si hold contracts of each other"]);
}

const CONFIGURED: &str =
    "[package.metadata.wirecontract]\ntargets = [\"json\"]\nout = \"../stubs\"\ninclude-dir = \"sensors\"\n";

#[test]
fn a_package_is_built_and_written_to_where_its_manifest_says() {
    let folder = workspace(CONFIGURED);
    folder.run("").gives(0, &["2 written"]);
    let files = ["stubs/json/sensors/readings.json", "stubs/json/units/si.json"];
    assert_eq!(folder.files("stubs"), files);
    folder.run_in("sensor/src", "--check").gives(0, &["2 files are up to date"]);
    folder.run("--check -p sensor-sdk").gives(0, &[]);
    folder.run_in("sensor", "--check --manifest-path ../Cargo.toml").gives(0, &[]);
    assert!(folder.path("target/wirecontract").is_dir() && !folder.path("target/debug").exists());

    // The shared library holds the records of `units` too, and the same is written.
    let built = folder.files("target/wirecontract/debug/deps");
    let units = built
        .iter()
        .find(|file| {
            file.contains("libunits-")
                && Path::new(file).extension().is_some_and(|extension| extension == "rlib")
        })
        .unwrap();
    for library in ["libsensor_sdk.so", "libsensor_sdk.a", "libsensor_sdk.rlib"] {
        let with = if library.ends_with("rlib") { format!(" --library {units}") } else { String::new() };
        folder
            .run(&format!("--check --library target/wirecontract/debug/{library}{with}"))
            .gives(0, &["2 files are up to date"]);
    }
}

#[test]
fn a_package_that_is_not_there_is_named_with_its_neighbours() {
    let folder = workspace(CONFIGURED);
    folder.run("-p sensor_sdk").gives(1, &["no package `sensor_sdk`", "is it sensor-sdk?"]);
    folder.run("-p empty").gives(1, &["package empty has no library"]);
    folder.run_in("empty", "").gives(1, &["package empty has no library"]);
}

#[test]
fn a_configuration_that_is_none_is_refused_with_the_manifest() {
    let folder = workspace("[package.metadata.wirecontract]\nprefix = \"x\"\n");
    folder
        .run("")
        .gives(1, &["sensor/Cargo.toml", "unknown key `prefix`: expected one of targets, out, c-prefix"]);
    let folder =
        workspace("[package.metadata.wirecontract]\ntargets = [\"json\"]\nout = { python = \"x\" }\n");
    folder.run("").gives(1, &["`out` names no folder for `json`"]);
    let foreign = "[package.metadata.wirecontract]\ntargets = [\"json\"]\n\
                   [package.metadata.wirecontract.foreign.frames]\nheader = \"f.h\"\nguard = \"F_H\"\n";
    let folder = workspace(foreign);
    folder
        .run("")
        .gives(1, &["sensor-sdk", "`foreign.frames` is about no family of the package: expected one of"]);
}

#[test]
fn a_family_that_is_to_be_written_is_one_of_the_package() {
    let of = |families: &str| {
        workspace(&format!("[package.metadata.wirecontract]\ntargets = [\"json\"]\nfamilies = {families}\n"))
    };
    let said = "`families` names `frames`, which is no family of the package: expected one of readings";
    let folder = of("[\"readings\", \"frames\"]");
    folder.run("--out out").gives(1, &["package sensor-sdk", said]);
    assert!(folder.files("out").is_empty());
    of("\"readings\"").run("").gives(1, &["sensor/Cargo.toml", "`families`", "an array of families"]);
    of("[\"readings\"]").run("--out out").gives(0, &["2 written"]);
}

#[test]
fn a_tree_goes_where_the_table_says() {
    let out = "out = { json = \"../catalog/./json\", include = \"include\" }";
    let folder = workspace(&format!("[package.metadata.wirecontract]\ntargets = [\"json\"]\n{out}\n"));
    folder.run("").gives(0, &[]);
    assert_eq!(
        folder.files("catalog"),
        ["catalog/json/sensor_sdk/readings.json", "catalog/json/units/si.json"]
    );
}

#[test]
fn two_packages_that_would_write_one_file_are_refused() {
    let mut catalog = contracts();
    catalog.contracts[0].module = "units::readings".into();
    let folder = Folder::new();
    let words = "[package.metadata.wirecontract]\ninclude-dir = \"same\"\n";
    folder.put("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"units\", \"sensor\"]\n");
    package(&folder, "units", &manifest("units", words), &catalog, &[0]);
    package(&folder, "sensor", &manifest("sensor-sdk", words), &catalog, &[1]);
    folder.run("--target json --out out").gives(
        1,
        &["module sensor_sdk::readings of sensor-sdk and module units::readings of units would both be the file"],
    );
    assert!(folder.files("out").is_empty());
}

#[test]
fn a_crate_that_does_not_compile_shows_why() {
    let folder = workspace(CONFIGURED);
    let source = folder.read("sensor/src/lib.rs");
    folder.put("sensor/src/lib.rs", format!("{source}\nfn broken() -> u32 {{}}\n"));
    folder.run("").gives(1, &["mismatched types", "cargo build failed"]);
    assert!(folder.files("stubs").is_empty());
}

#[test]
fn contracts_of_an_rlib_under_fat_lto_are_reported_as_bitcode() {
    let folder = workspace(CONFIGURED);
    let library = folder.path("librecords.rlib");
    let compiled = Command::new("rustc")
        .args([
            "--edition",
            "2024",
            "--crate-name",
            "records",
            "--crate-type",
            "rlib",
            "-C",
            "linker-plugin-lto",
            "-o",
        ])
        .args([&library, &folder.path("units/src/lib.rs")])
        .status()
        .unwrap();
    assert!(compiled.success());
    folder
        .run("--library librecords.rlib --out out")
        .gives(1, &["LLVM bitcode", "CARGO_PROFILE_RELEASE_LTO=off"]);
}

/// What a linker and `strip` leave is still read: the note is part of what the program loads.
#[test]
fn stripped_and_linked_files_give_the_same() {
    let folder = workspace(CONFIGURED);
    folder.run("").gives(0, &[]);
    folder.put("sensor/src/main.rs", "use sensor_sdk as _;\nfn main() {}\n");
    for lto in ["off", "thin", "fat"] {
        let built = Command::new("cargo")
            .args(["build", "--release", "-p", "sensor-sdk", "--quiet"])
            .env("CARGO_PROFILE_RELEASE_LTO", lto)
            .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("RUSTFLAGS")
            .current_dir(folder.path("."))
            .status()
            .unwrap();
        assert!(built.success());
        for file in ["libsensor_sdk.so", "sensor-sdk"] {
            let run = folder.run(&format!("--check --library target/release/{file}"));
            run.gives(0, &["2 files are up to date"]);
        }
    }
}

#[test]
fn paths_are_relative_to_where_the_command_runs() {
    let folder = Folder::new();
    folder.library(&contracts());
    fs::create_dir(folder.path("below")).unwrap();
    folder.run_in("below", "--library ../lib.o --target json --out ../out").gives(0, &["2 written"]);
    assert!(Path::new(&folder.path("out/json/units/si.json")).exists());
}

#[test]
fn every_target_writes_into_its_tree_and_states_its_origin() {
    let folder = Folder::new();
    let arguments = "--library lib.o --out out --target c,cpp,python,json,vectors";
    folder.library(&contracts()).run(arguments).gives(0, &["readings.{h,hpp,json,py}"]);
    let files = folder.files("out");
    let trees = ["include", "json", "python", "vectors"];
    for tree in trees {
        assert!(
            files.iter().any(|file| file.starts_with(&format!("out/{tree}/"))),
            "{tree} is not in {files:?}"
        );
    }
    for file in &files {
        let text = folder.read(file);
        assert!(text.is_empty() || wirecontract_codegen::artifact::parse(&text).is_some(), "{file}:\n{text}");
        assert!(!text.contains(folder.path(".").to_str().unwrap()), "{file} states where it was made");
    }
    folder.run(&format!("{arguments} --check")).gives(0, &[]);
}

#[test]
fn contracts_that_collide_in_one_target_write_nothing_for_any() {
    let folder = Folder::new();
    let mut catalog = two_families();
    for contract in &mut catalog.contracts {
        contract.c_name = Some("reading_t".into());
    }
    let run = folder.library(&catalog).run("--library lib.o --out out --target json,c");
    run.gives(1, &["C: ", "`reading_t`", "sensor_sdk::si::Unit", "sensor_sdk::readings::Reading"]);
    assert!(folder.files("out").is_empty());
    folder.run(FROM_LIBRARY).gives(0, &[]);
}

/// Two members that write native classes and their stub into the same folders, and JSON into their own.
fn sharing() -> Folder {
    let folder = Folder::new();
    folder.put("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"left\", \"right\"]\n");
    share(&folder, "Right");
    folder
}

/// Declares `Left` and, under that name, what the other member has.
fn share(folder: &Folder, right: &str) {
    let Body::Descriptor(reading) = &contracts().contracts[1].body else { panic!("Reading is a descriptor") };
    let value = Field { offset: 0, ..reading.fields[1].clone() };
    let value = Descriptor { size: 4, fields: vec![value], ..reading.clone() };
    let of = |name: &str, package: &str| Contract {
        package: package.into(),
        module: format!("{package}::values"),
        file: "src/lib.rs".into(),
        ..contract(name, Body::Descriptor(value.clone()))
    };
    let mut catalog = Catalog { contracts: vec![of("Left", "left"), of(right, "right")] };
    catalog.contracts[0].module = "left::lefts".into();
    for (index, package_name) in ["left", "right"].into_iter().enumerate() {
        let metadata = "[package.metadata.wirecontract]\ntargets = [\"python-native\", \"python-stub\", \"json\"]\n\
                        python-package = \"values.contracts\"\n\
                        out = { native = \"../native\", stub = \"../values\", json = \"json\" }";
        package(folder, package_name, &manifest(package_name, metadata), &catalog, &[index]);
    }
}

#[test]
fn a_file_that_names_all_contracts_of_a_folder_does_so_whichever_package_is_asked_for() {
    let folder = sharing();
    folder.run("").gives(0, &["8 written"]);
    let names = folder.read("values/_names.py");
    assert!(names.contains("\"Left\"") && names.contains("\"Right\""), "{names}");
    for (place, arguments) in [(".", "-p left"), (".", "-p left --target python-stub"), ("right", "")] {
        folder.run_in(place, &format!("{arguments} --check")).gives(0, &["files are up to date"]);
    }
    // What the other one declares goes where both write, and nowhere else.
    share(&folder, "Other");
    folder.run("-p left --target json").gives(0, &["0 written, 1 unchanged"]);
    folder.run("-p left").gives(0, &["5 written, 2 unchanged", "Other"]);
    assert!(folder.read("native/mod.rs").contains("values::Other"));
    assert!(!folder.read("right/json/right/values.json").contains("Other"));
    folder.run("-p left --check").gives(0, &[]);
    folder.run("-p right --check").gives(1, &["stale: ", "right/json/right/values.json"]);
    // What is written elsewhere names what is asked for.
    folder.run("-p left --target python-stub --out out").gives(0, &["3 written"]);
    assert!(!folder.read("out/stub/_names.py").contains("Other"));
}

#[test]
fn a_library_without_the_contracts_of_a_package_that_shares_a_folder_is_not_enough() {
    let folder = sharing();
    folder.run("").gives(0, &[]);
    let built = folder.files("target/wirecontract/debug/deps");
    let library = |name: &str| {
        let is_it = |file: &&String| {
            let is_rlib = Path::new(file).extension().is_some_and(|extension| extension == "rlib");
            is_rlib && file.contains(&format!("lib{name}-"))
        };
        format!("--library {}", built.iter().find(is_it).unwrap())
    };
    let (left, right) = (library("left"), library("right"));
    folder.run(&format!("{left} --check")).gives(
        1,
        &["names the contracts of left names those of right as well", "give the library of right too"],
    );
    folder.run(&format!("{left} {right} -p left --check")).gives(0, &["files are up to date"]);
    folder.run(&format!("{left} --target json --check")).gives(0, &["1 files are up to date"]);
    folder.run(&format!("{left} --target python-stub --out out")).gives(0, &["3 written"]);
}

/// One file to vendor is written unless the manifest says otherwise, and goes when it does.
#[test]
fn a_standalone_file_is_a_choice_of_the_package() {
    let metadata = "[package.metadata.wirecontract]\ntargets = [\"python\"]\n";
    let folder = workspace(metadata);
    folder.run("").gives(0, &[]);
    let file = "sensor/generated/python/standalone/sensor_sdk.py";
    let modules = ["sensor_sdk/readings.py", "units/si.py"].map(|it| format!("sensor/generated/python/{it}"));
    assert!(folder.path(file).is_file());
    for (value, status, said) in [
        ("\"no\"", 1, "`standalone` is text: expected true or false"),
        ("false", 0, "removed: "),
        ("false", 0, "0 written"),
        ("true", 0, "1 written"),
    ] {
        let text = manifest(
            "sensor-sdk",
            &format!("[dependencies]\nunits = {{ path = \"../units\" }}\n{metadata}standalone = {value}\n"),
        );
        folder.put("sensor/Cargo.toml", text);
        folder.run("").gives(status, &[said]);
        assert_eq!(folder.path(file).is_file(), value != "false", "{value}");
        assert!(modules.iter().all(|module| folder.path(module).is_file()));
    }
}

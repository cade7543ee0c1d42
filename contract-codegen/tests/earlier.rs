//! `check` holds the earlier versions that contracts name against the lock, and `explain` says what differs between two.

mod catalog_support;

use std::fs;
use std::process::Command;

use catalog_support::{LITTLE_64, elf_object};
use tempfile::TempDir;
use wirecontract::hello::Explain;
use wirecontract_codegen::explain::{ExplainError, Known};
use wirecontract_codegen::fixtures;
use wirecontract_codegen::lock::Lock;
use wirecontract_codegen::model::{Body, Catalog, Contract, Element, Scalar};

const BACKEND: &str = "wirecontract_gpu::cuvis::IpcBackend";
const DESCRIPTOR: &str = "wirecontract_gpu::cuvis::CudaIpcDescriptor";

/// A folder with a library and a lock of what the fixtures declare.
struct Folder(TempDir);

#[derive(Debug)]
struct Run {
    code: i32,
    said: String,
}

impl Folder {
    fn agreed() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.declare(|_| {});
        folder.check(&["--accept"]).ends(0);
        folder
    }

    fn declare(&self, change: impl FnOnce(&mut Catalog)) {
        let mut catalog = fixtures::cuvis();
        change(&mut catalog);
        fs::write(self.0.path().join("lib.o"), elf_object(&catalog, LITTLE_64)).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_cargo-wirecontract"))
            .current_dir(self.0.path())
            .arg("wirecontract")
            .args(arguments)
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        Run { code: output.status.code().expect("it ends by itself"), said }
    }

    fn check(&self, arguments: &[&str]) -> Run {
        let before = ["check", "--library", "lib.o", "--lock", "contracts.lock"];
        self.command(&[&before[..], arguments].concat())
    }

    fn lock(&self) -> Lock {
        Lock::parse(&fs::read_to_string(self.0.path().join("contracts.lock")).unwrap()).unwrap()
    }

    fn id(&self, path: &str, version: u32) -> u64 {
        self.lock().version(path, version).expect("an agreed version").wire_id
    }
}

impl Run {
    #[track_caller]
    fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    #[track_caller]
    fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.said.contains(part), "{part:?} is not in {}", self.said);
        }
        self
    }
}

fn named<'a>(catalog: &'a mut Catalog, name: &str) -> &'a mut Contract {
    catalog.contracts.iter_mut().find(|contract| contract.name == name).expect("a contract of the fixtures")
}

/// A name in documents for each version, which old readers do not need: both sides read each other.
fn aliased(catalog: &mut Catalog, version: u32, earlier: &[(u32, u64)]) {
    let backend = named(catalog, "IpcBackend");
    backend.version = Some(version);
    backend.earlier = earlier.to_vec();
    let Body::Enumeration(body) = &mut backend.body else { panic!() };
    body.values[0].aliases.extend((1..=version).map(|version| format!("name_{version}")));
}

/// The ordinal of a device, unsigned: bytes are the same, and what is negative is something else.
fn retyped(catalog: &mut Catalog, earlier: &[(u32, u64)]) {
    for name in ["CudaIpcDescriptor", "CudaIpcPayload"] {
        named(catalog, name).version = Some(2);
    }
    let descriptor = named(catalog, "CudaIpcDescriptor");
    descriptor.earlier = earlier.to_vec();
    let Body::Descriptor(body) = &mut descriptor.body else { panic!() };
    let field = body.fields.iter_mut().find(|field| field.name == "device_ordinal").unwrap();
    field.ty.element = Element::Scalar(Scalar::U32);
}

#[test]
fn a_new_version_is_told_which_earlier_ones_it_may_name() {
    let folder = Folder::agreed();
    let first = folder.id(BACKEND, 1);
    folder.declare(|catalog| aliased(catalog, 2, &[]));
    let may = format!("`earlier(v1 = {first:#018x})`");
    folder.check(&[]).ends(1).says(&[BACKEND, "it reads and writes these versions too", &may]);
    folder.check(&["--format", "json"]).says(&["\"may\": [", &format!("\"wire_id\": \"{first:#018x}\"")]);
    folder.check(&["--format", "github"]).says(&["::notice file=", &format!("it may say {may}")]);

    folder.declare(|catalog| aliased(catalog, 2, &[(1, first)]));
    let run = folder.check(&[]).ends(1);
    assert!(!run.said.contains("may say"), "{run:#?}");
    folder.check(&["--accept"]).ends(0);
    folder.check(&[]).ends(0);
}

#[test]
fn a_compatible_change_without_a_version_is_told_what_a_hello_needs() {
    let folder = Folder::agreed();
    let first = folder.id(BACKEND, 1);
    folder.declare(|catalog| aliased(catalog, 1, &[]));
    let wanted = format!("`version = 2, earlier(v1 = {first:#018x})`");
    let note = format!(
        "version 1 has two wire ids now, so programs that say hello refuse each other (two_ids): where any do, declare \
         {wanted}"
    );
    folder.check(&[]).ends(1).says(&[&format!("  note: {note}\n"), "run check with `--accept`"]);
    folder
        .check(&["--format", "github"])
        .ends(1)
        .says(&["::warning file=", &format!("%0A{note}%0Arun check")]);
    let hello = format!("\"earlier\": [{{\"version\": 1, \"wire_id\": \"{first:#018x}\"}}],");
    let hello =
        format!("\"hello\": {{\n        \"verdict\": \"two_ids\",\n        \"version\": 2,\n        {hello}");
    folder.check(&["--format", "json"]).ends(1).says(&[&hello, "\"todo\": \"accept\""]);
    folder.check(&["--against", "IpcBackend@1"]).ends(0).says(&[&note]);
    // It may be accepted all the same: whoever says no hello needs no version.
    folder.check(&["--accept"]).ends(0);
    let second = folder.id(BACKEND, 1);
    assert_ne!(first, second);

    // What is named already stays named.
    folder.declare(|catalog| aliased(catalog, 2, &[(1, second)]));
    folder.check(&["--accept"]).ends(0);
    let agreed = folder.id(BACKEND, 2);
    folder.declare(|catalog| {
        aliased(catalog, 3, &[(1, second)]);
        named(catalog, "IpcBackend").version = Some(2);
    });
    let wanted = format!("`version = 3, earlier(v1 = {second:#018x}, v2 = {agreed:#018x})`");
    folder.check(&[]).ends(1).says(&[&wanted]);
    folder.declare(|catalog| aliased(catalog, 3, &[(1, second), (2, agreed)]));
    folder.check(&["--accept"]).ends(0);
}

#[test]
fn what_has_a_version_of_its_own_or_breaks_is_told_nothing_of_two_ids() {
    let folder = Folder::agreed();
    let first = folder.id(BACKEND, 1);
    for change in [
        (|catalog: &mut Catalog, first| aliased(catalog, 2, &[(1, first)])) as fn(&mut Catalog, u64),
        |catalog, _| retyped(catalog, &[]),
        |catalog, _| {
            retyped(catalog, &[]);
            for name in ["CudaIpcDescriptor", "CudaIpcPayload"] {
                named(catalog, name).version = Some(1);
            }
        },
    ] {
        folder.declare(|catalog| change(catalog, first));
        let run = folder.check(&[]).ends(1);
        let said: Vec<&str> = run.said.split("\n\n").filter(|part| part.contains("two_ids")).collect();
        // What holds the backend has another id as well, and no version of its own.
        assert!(
            said.iter().all(|part| !part.contains("IpcBackend (") && !part.contains("breaking")),
            "{said:#?}"
        );
    }
}

#[test]
fn a_version_that_breaks_is_offered_no_earlier_one_and_refused_those_it_names() {
    let folder = Folder::agreed();
    let first = folder.id(DESCRIPTOR, 1);
    folder.declare(|catalog| retyped(catalog, &[]));
    let run = folder.check(&[]).ends(1);
    assert!(!run.said.contains("may say"), "{run:#?}");

    folder.declare(|catalog| retyped(catalog, &[(1, first)]));
    let said = [
        "- `device_ordinal`: it is `u32` and was `i32`",
        "=> `earlier` names version 1, and programs of the two do not read each other",
        "1 change refused",
    ];
    folder.check(&[]).ends(1).says(&said);
    folder.check(&["--accept"]).ends(1).says(&said).says(&["nothing was written"]);
    folder.check(&["--format", "json"]).ends(1).says(&["\"fault\": \"not_spoken\"", "\"is_clean\": false"]);
    folder.check(&["--format", "github"]).ends(1).says(&["CudaIpcDescriptor%3A earlier versions::"]);
}

#[test]
fn an_earlier_version_has_the_id_that_was_agreed() {
    let folder = Folder::agreed();
    let first = folder.id(BACKEND, 1);
    folder.declare(|catalog| aliased(catalog, 2, &[(1, first ^ 1)]));
    folder.check(&[]).ends(1).says(&[&format!("write `v1 = {first:#018x}`"), "1 change refused"]);
    folder
        .check(&["--format", "json"])
        .says(&["\"fault\": \"other_id\"", &format!("\"agreed\": \"{first:#018x}\"")]);

    folder.declare(|catalog| aliased(catalog, 3, &[(2, first)]));
    folder
        .check(&[])
        .ends(1)
        .says(&["names version 2, which was never agreed: versions before this one are 1"]);
}

#[test]
fn a_contract_that_was_renamed_names_the_versions_of_its_former_name() {
    let folder = Folder::agreed();
    let first = folder.id(BACKEND, 1);
    let renamed = |catalog: &mut Catalog| {
        aliased(catalog, 2, &[(1, first)]);
        let backend = named(catalog, "IpcBackend");
        backend.was = Some("IpcBackend".to_owned());
        backend.name = "Backend".to_owned();
    };
    folder.declare(renamed);
    folder.check(&["--accept"]).ends(0);
    folder.declare(renamed);
    folder.check(&[]).ends(0);
}

/// The backend with a name or a value more, and what holds it, each in a second version that reads the first.
fn of_second_version(catalog: &mut Catalog, is_value: bool, earlier: &[u64; 3]) {
    aliased(catalog, 2, &[]);
    if is_value {
        let Body::Enumeration(body) = &mut named(catalog, "IpcBackend").body else { panic!() };
        let mut value = body.values.last().unwrap().clone();
        (value.name, value.wire_name, value.value) = ("Fabric".to_owned(), "Fabric".to_owned(), 4);
        value.aliases.clear();
        body.values.push(value);
    }
    for (name, &wire_id) in NESTED.iter().zip(earlier) {
        let contract = named(catalog, name);
        contract.version = Some(2);
        contract.earlier = if is_value { Vec::new() } else { vec![(1, wire_id)] };
    }
}

const NESTED: [&str; 3] = ["IpcBackend", "CudaIpcDescriptor", "CudaIpcPayload"];

#[test]
fn what_an_older_version_held_is_what_it_held_then() {
    for is_value in [false, true] {
        let folder = Folder::agreed();
        let path = |name: &str| format!("wirecontract_gpu::cuvis::{name}");
        let earlier = NESTED.map(|name| folder.id(&path(name), 1));
        folder.declare(|catalog| of_second_version(catalog, is_value, &earlier));
        // Before it is agreed, and afterwards.
        let before = folder.check(&["--against", "CudaIpcPayload@1"]);
        folder.check(&["--accept"]).ends(0);
        folder.check(&[]).ends(0).says(&["as agreed"]);
        let after = folder.check(&["--against", "CudaIpcPayload@1"]);
        assert_eq!((after.code, &after.said), (before.code, &before.said));
        after.ends(i32::from(is_value)).says(&[if is_value { "unknown_value" } else { "compatible" }]);
        let ids = [2, 1].map(|version| format!("{:016x}", folder.id(&path("CudaIpcPayload"), version)));
        let explained = folder.command(&["explain", &ids[0], &ids[1]]).ends(0);
        let verdict = if is_value { "new readers still read what is old" } else { "compatible both ways" };
        explained.says(&[verdict]);
    }
}

#[test]
fn two_ids_are_explained_by_a_lock_or_by_libraries() {
    let folder = Folder::agreed();
    let first = folder.id(DESCRIPTOR, 1);
    folder.declare(|catalog| retyped(catalog, &[]));
    folder.check(&["--accept"]).ends(0);
    let second = folder.id(DESCRIPTOR, 2);
    let [ours, theirs] = [second, first].map(|id| format!("{id:016x}"));
    let change =
        "`device_ordinal`: it is `u32` and was `i32`: old readers misread it, new readers misread it";
    let head =
        format!("from version 1 ({first:#018x}, theirs) to version 2 ({second:#018x}, ours): breaking");
    folder.command(&["explain", &ours, &theirs]).ends(0).says(&[DESCRIPTOR, &head, change]);
    // Whoever asks, the older version comes first.
    let head =
        format!("from version 1 ({first:#018x}, ours) to version 2 ({second:#018x}, theirs): breaking");
    folder.command(&["explain", &theirs, &ours]).ends(0).says(&[&head, change]);
    folder.command(&["explain", &ours, &ours]).ends(0).says(&["one declaration"]);
    folder.command(&["explain", &ours, &theirs, "--format", "json"]).ends(0).says(&[
        "\"newer\": \"ours\"",
        "\"at\": \"device_ordinal\"",
        "\"old_reads_new\": false",
    ]);
    // The library knows the second version, and a lock is asked for the first.
    folder.command(&["explain", &ours, &theirs, "--library", "lib.o"]).ends(1).says(&[&format!(
        "no declaration has the wire id {first:#018x}: name the lock or the library of the side that has it"
    )]);
    folder
        .command(&["explain", &ours, &theirs, "--library", "lib.o", "--lock", "contracts.lock"])
        .ends(0)
        .says(&[change]);

    let mut known = Known::default();
    known.lock(&folder.lock());
    assert_eq!(known.explain(DESCRIPTOR, second, first).as_deref(), Some(change));
    assert_eq!(known.explain(DESCRIPTOR, second, 7), None);
    let other = folder.id(BACKEND, 1);
    assert!(matches!(known.between(second, other), Err(ExplainError::Others { .. })));
}

#[test]
fn what_is_no_id_and_a_folder_without_a_lock_are_usage() {
    let folder = Folder::agreed();
    for id in ["0x12", "0x012345678901234g", "+123456789012345", "0x01234567890123456"] {
        let said = format!("`{id}` is no wire id: expected 16 hexadecimal digits");
        folder.command(&["explain", id, "0123456789abcdef"]).ends(2).says(&[&said]);
    }
    fs::remove_file(folder.0.path().join("contracts.lock")).unwrap();
    let ids = ["explain", "0123456789abcdef", "0123456789abcdef"];
    folder.command(&ids).ends(2).says(&["there is no contracts.lock here"]);
}

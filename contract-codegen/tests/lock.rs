//! The text of a lock is read as it was written, and versions are not used twice.

mod catalog_support;

use catalog_support::with_ids;
use wirecontract_codegen::fixtures::{self, contract};
use wirecontract_codegen::lock::{Form, Lock};
use wirecontract_codegen::model::{
    Body, Catalog, Condition, ConditionKind, ContractId, DataKey, DataType, DataValue, EnumValue,
    Enumeration, Expr, Moment, Rule, Scalar, Spelled,
};

const BACKEND: &str = "wirecontract_gpu::cuvis::IpcBackend";

fn lock(catalog: &Catalog) -> Lock {
    let mut lock = Lock::default();
    for (id, _) in catalog.iter() {
        lock.accept(Form::of(catalog, id)).expect("an empty lock takes every form");
    }
    lock
}

/// The enumeration of the cuvis SDK.
fn backend() -> Form {
    Form::of(&with_ids(fixtures::cuvis()), ContractId(0))
}

/// Another form of it.
fn without_an_alias(version: u32) -> Form {
    let mut catalog = fixtures::cuvis();
    let Body::Enumeration(body) = &mut catalog.contracts[0].body else { panic!("the first is one") };
    body.values[0].aliases.clear();
    Form { version, ..Form::of(&with_ids(catalog), ContractId(0)) }
}

fn holding(forms: impl IntoIterator<Item = Form>) -> Lock {
    let mut lock = Lock::default();
    forms.into_iter().for_each(|form| lock.accept(form).expect("the versions ascend"));
    lock
}

#[test]
fn a_lock_reads_so() {
    let expected = r#"# What every contract is agreed to be. Written by `cargo wirecontract check --accept`; by hand, only whole blocks are deleted.
format = 1

["wirecontract_gpu::cuvis::IpcBackend@1"]
kind = "enumeration"
wire_id = "0x3885324f445c2154"
package = "wirecontract-gpu"
repr = "i32"
values = [
    { value = 0, name = "Auto", alias = ["None"] },
    { value = 1, name = "Pool" },
    { value = 2, name = "Legacy" },
    { value = 3, name = "Vmm" },
]
digest = "0x0f2fe44ae75f9bb2"
"#;
    assert_eq!(holding([backend()]).text(), expected);

    let (_, block) = expected.split_once("\n\n").expect("a block follows");
    let covered = block.split_inclusive('\n').filter(|line| !line.starts_with("digest")).flat_map(str::bytes);
    let digest = covered.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    assert!(expected.contains(&format!("digest = \"{digest:#018x}\"")));
}

#[test]
fn every_fixture_is_read_as_it_was_written() {
    for catalog in [
        fixtures::cuvis(),
        fixtures::recipes(),
        fixtures::messages(),
        fixtures::abi(),
        fixtures::forms(),
        fixtures::export::catalog(),
    ] {
        let lock = lock(&with_ids(catalog));
        let text = lock.text();
        let read = Lock::parse(&text).expect("a lock is read");
        assert_eq!(read, lock);
        assert_eq!(read.text(), text);
    }
}

/// Numbers that 64 bits do not hold, and text that TOML escapes.
#[test]
fn odd_values_are_read_as_they_were_written() {
    let data = [
        DataValue::Integer(u64::MAX.into()),
        DataValue::Text("a \"b\"\\\n\r\t\u{0}\u{1f}\u{7f}\u{85} ü = [1] # no".into()),
    ];
    let value = |name: &str, number: i128| EnumValue {
        name: name.into(),
        wire_name: format!("{name}\u{1}"),
        aliases: vec![String::new()],
        value: number,
        docs: "Not in it.".into(),
        c_name: Some("C".into()),
        since: Some(2),
        deprecated: Some("<<<<<<< use\nanother".into()),
        data: data.to_vec(),
    };
    let body = Enumeration {
        repr: Scalar::U64,
        values: vec![value("None", 0), value("All", u64::MAX.into()), value("Most", i64::MAX.into())],
        data: vec![
            DataKey { name: "z".into(), ty: DataType::U64 },
            DataKey { name: "a".into(), ty: DataType::Text },
        ],
        spelled: Spelled::Integer,
        fold: true,
    };
    let catalog = with_ids(Catalog { contracts: vec![contract("Odd", Body::Enumeration(body))] });
    let lock = lock(&catalog);
    let text = lock.text();
    assert!(
        text.contains(r#"{ value = { number = "18446744073709551615" }, name = "All\u0001", rust = "All", "#)
    );
    assert_eq!(Lock::parse(&text).expect("a lock is read"), lock);
    assert_eq!(Lock::parse(&text.replace('\n', "\r\n")).expect("so it is with other line ends"), lock);
    assert!(!text.contains("Not in it"));
}

#[test]
fn a_condition_of_a_descriptor_is_read_as_it_was_written() {
    let mut catalog = fixtures::cuvis();
    let Body::Descriptor(body) = &mut catalog.contracts[2].body else { panic!("the third is one") };
    let rule = Rule {
        name: Some("only of a device".into()),
        text: "size > 0".into(),
        expr: Expr::Truth(true),
        at: Moment::Import,
    };
    body.conditions.push(Condition { field: 1, kind: ConditionKind::UsedIf, rule: rule.clone() });
    body.rules.push(rule);
    let lock = lock(&with_ids(catalog));
    let text = lock.text();
    let said = r#"{ name = "only of a device", expr = "size > 0", at = "import" }"#;
    assert!(text.contains(&format!("type = \"i32\", endian = \"little\", one_of = {said} }},")));
    assert!(text.contains(&format!("rules = [\n    {said},\n]\n")));
    assert_eq!(Lock::parse(&text).expect("a lock is read"), lock);
}

#[test]
fn blocks_may_stand_in_any_order_and_with_other_white_space() {
    let lock = lock(&with_ids(fixtures::cuvis()));
    let text = lock.text();
    let mut blocks: Vec<&str> = text.split("\n\n").collect();
    blocks[1..].reverse();
    let text = blocks.join("\n# a remark\n").replace(" = ", "=").replace("    {", "{");
    assert_eq!(Lock::parse(&text).expect("a lock is read"), lock);
}

#[test]
fn versions_stay_and_the_highest_is_current() {
    let mut lock = holding([backend(), without_an_alias(2)]);
    lock = Lock::parse(&lock.text()).expect("a lock is read");
    assert_eq!(lock.current(BACKEND), Some(&without_an_alias(2)));
    assert_eq!(lock.version(BACKEND, 1), Some(&backend()));
    assert_eq!(lock.versions(BACKEND).map(|form| form.version).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(lock.forms().count(), 1);

    let refused = lock.accept(backend()).expect_err("a version does not come back");
    assert_eq!(
        refused.to_string(),
        "wirecontract_gpu::cuvis::IpcBackend was something else in version 1, or has a newer one: declare `version = 2` \
         on it"
    );
    lock.accept(Form { version: 2, ..backend() }).expect("the current version may change");
    assert_eq!(lock.current(BACKEND).map(|form| form.wire_id), Some(backend().wire_id));
}

#[test]
fn a_removed_contract_comes_back_as_it_was_or_in_another_version() {
    let mut lock = holding([backend()]);
    assert!(lock.remove(BACKEND));
    assert!(!lock.remove(BACKEND));
    assert!(!lock.remove("of::Nothing"));
    let text = lock.text();
    assert!(text.contains("kind = \"enumeration\"\nremoved = true\nwire_id"));
    let lock = Lock::parse(&text).expect("a lock is read");
    assert_eq!(lock.text(), text);
    assert_eq!((lock.current(BACKEND), lock.removed(BACKEND)), (None, Some(&backend())));
    assert_eq!(lock.forms().count(), 0);

    let refused = lock.clone().accept(without_an_alias(1)).expect_err("version 1 was another");
    assert_eq!((refused.version, refused.next), (1, 2));
    let mut same = lock.clone();
    same.accept(backend()).expect("it is what it was");
    assert_eq!(same, holding([backend()]));
    let mut next = lock.clone();
    next.accept(without_an_alias(2)).expect("version 2 is free");
    assert_eq!(next, holding([backend(), without_an_alias(2)]));
}

#[test]
fn a_renamed_contract_is_found_under_its_former_names() {
    let renamed = |name: &str| {
        let mut catalog = fixtures::cuvis();
        catalog.contracts[0].was = Some("IpcBackend".into());
        catalog.contracts[0].name = name.into();
        Form::of(&with_ids(catalog), ContractId(0))
    };
    let mut lock = holding([backend()]);
    for (name, before) in [("Backend", "IpcBackend"), ("Memory", "Backend")] {
        let before = format!("wirecontract_gpu::cuvis::{before}");
        let form = renamed(name);
        assert_eq!(form.wire_id, backend().wire_id);
        assert_eq!(lock.agreed(&form).map(|form| &form.path), Some(&before));
        lock.accept(form.clone()).expect("the wire is as it was");
        assert_eq!(lock.forms().collect::<Vec<_>>(), [&form]);
        assert!(lock.removed(&before).is_some(), "what it was under its former name is known");
    }
    assert_eq!(lock.agreed(&without_an_alias(1)), None, "it is another contract that has the name now");
}

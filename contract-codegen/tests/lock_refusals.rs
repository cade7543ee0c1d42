//! What is no lock is refused by line and name, with the way out.

mod catalog_support;

use catalog_support::with_ids;
use wirecontract_codegen::fixtures;
use wirecontract_codegen::lock::{Form, Lock, LockError};
use wirecontract_codegen::model::ContractId;

/// What messages have in common, by the words that stand for it below.
const SHORT: &[(&str, &str)] = &[
    ("PATH", "wirecontract_gpu::cuvis::IpcBackend"),
    (
        "; ACCEPT",
        "; take the block from version control, and accept changes of the declaration with `cargo wirecontract check --accept`",
    ),
    (
        "; UPDATE",
        ": update `wirecontract-codegen` to the version that wrote it, or take the block from version control",
    ),
    ("; BLOCK", "; take the block from version control"),
    (": BLOCK", ": take the block from version control"),
    ("; FILE", "; take the file from version control"),
    (": HEADING", ": expected a path and a version, as in `[\"my_crate::camera::Frame@1\"]`"),
    (
        "; CONFLICT",
        ": two branches changed what is agreed; merge the declarations, take the whole file of the branch that others \
         use (`git checkout --ours` or `--theirs`), and run `cargo wirecontract check`",
    ),
    ("; BRANCH", "; take the whole file of the branch that others use, and run `cargo wirecontract check`"),
];

/// The lock of one contract.
fn one(version: u32) -> Lock {
    let mut lock = Lock::default();
    let form = Form::of(&with_ids(fixtures::cuvis()), ContractId(0));
    lock.accept(Form { version, ..form }).expect("an empty lock takes every form");
    lock
}

fn refused(text: &str) -> LockError {
    Lock::parse(text).expect_err("it is no lock")
}

/// The lock of one contract with another text in one place.
fn instead(old: &str, new: &str) -> String {
    let good = one(1).text();
    assert!(good.contains(old), "{old}");
    good.replacen(old, new, 1)
}

/// Texts, and why they are refused.
fn check<const N: usize>(cases: [(String, &str); N]) {
    for (text, message) in cases {
        let expected = SHORT.iter().fold(message.to_owned(), |text, (word, long)| text.replace(word, long));
        assert_eq!(refused(&text).to_string(), expected);
    }
}

#[test]
fn options_of_a_build_are_text_by_package() {
    let said = "line 3: expected the options of the build by package, such as \
                `built_with = { sensor-sdk = \"--features wide\" }`: FILE";
    let put = |value: &str| {
        one(1).text().replacen("format = 1\n", &format!("format = 1\nbuilt_with = {value}\n"), 1)
    };
    let said = said.replace(": FILE", ": take the file from version control");
    for value in ["1", "{ a = 1 }", "{ a = \"\" }", "[\"a\"]"] {
        assert_eq!(refused(&put(value)).to_string(), said, "{value}");
    }
    let text = put("{ a = \"--all-features\", wirecontract-gpu = \"--features x,y\" }");
    let lock = Lock::parse(&text).unwrap();
    assert_eq!(lock.built_with("wirecontract-gpu"), Some("--features x,y"));
    assert_eq!(lock.text(), text);
}

#[test]
fn a_block_that_was_changed_by_hand_is_refused() {
    check([
        (
            instead("Pool", "Pond"),
            "line 4: PATH@1 was changed after it was accepted: its digest is 0x0f2fe44ae75f9bb2, and what it says has 0xfdae3751cb21a0e7; ACCEPT",
        ),
        (
            instead("wire_id = \"0x3", "wire_id = \"0x4"),
            "line 4: PATH@1 was changed after it was accepted: its digest is 0x0f2fe44ae75f9bb2, and what it says has 0x9922080bf41d4c6d; ACCEPT",
        ),
        (
            instead("IpcBackend@1", "IpcBackend@2"),
            "line 4: PATH@2 was changed after it was accepted: its digest is 0x0f2fe44ae75f9bb2, and what it says has 0x54b839825ab8bc6d; ACCEPT",
        ),
        (
            instead("kind =", "removed = true\nkind ="),
            "line 4: PATH@1 was changed after it was accepted: its digest is 0x0f2fe44ae75f9bb2, and what it says has 0x0062b5df5c388f91; ACCEPT",
        ),
    ]);
}

#[test]
fn what_stands_around_the_blocks_is_refused_where_it_is_wrong() {
    let heading = "\"wirecontract_gpu::cuvis::IpcBackend@1\"";
    check([
        (
            instead("format = 1\n", ""),
            "expected `format = 1` in front of the blocks: this is not a lock, or not the whole of one; take it from version control",
        ),
        (
            String::new(),
            "expected `format = 1` in front of the blocks: this is not a lock, or not the whole of one; take it from version control",
        ),
        (
            instead("format = 1", "format = \"1\""),
            "expected `format = 1` in front of the blocks: this is not a lock, or not the whole of one; take it from version control",
        ),
        (
            instead("format = 1", "format = 0"),
            "expected `format = 1` in front of the blocks: this is not a lock, or not the whole of one; take it from version control",
        ),
        (
            instead("format = 1", "format = 2"),
            "line 2: the lock has format 2, this version reads 1: update `wirecontract-codegen` to the version that wrote it",
        ),
        (
            instead("format = 1", "format = 1\nother = 1"),
            "line 3: `other` is no heading of a block: HEADING; FILE",
        ),
        (
            instead(heading, "\"wirecontract_gpu::cuvis::IpcBackend\""),
            "line 4: `PATH` is no heading of a block: HEADING; FILE",
        ),
        (
            instead(heading, "\"IpcBackend@1\""),
            "line 4: `IpcBackend@1` is no heading of a block: HEADING; FILE",
        ),
        (
            instead("IpcBackend@1", "IpcBackend@01"),
            "line 4: `PATH@01` is no heading of a block: HEADING; FILE",
        ),
        (
            instead("IpcBackend@1", "IpcBackend@4294967296"),
            "line 4: `PATH@4294967296` is no heading of a block: HEADING; FILE",
        ),
        (
            instead("cuvis::IpcBackend@1", "::IpcBackend@1"),
            "line 4: `wirecontract_gpu::::IpcBackend@1` is no heading of a block: HEADING; FILE",
        ),
        (
            instead(&format!("[{heading}]"), &format!("[[{heading}]]")),
            "line 4: in PATH@1, `PATH@1` is a list: expected a table; BLOCK",
        ),
        (
            instead("IpcBackend@1", "IpcBackend@0"),
            "line 4: PATH has version 0, and versions start at 1; BLOCK",
        ),
    ]);
}

#[test]
fn what_a_block_says_is_refused_where_it_is_wrong() {
    let mut of_fields = Lock::default();
    let fields = Form::of(&with_ids(fixtures::cuvis()), ContractId(2));
    of_fields.accept(fields).expect("an empty lock takes every form");
    let of_fields = of_fields.text();
    check([
        (
            instead("\"enumeration\"", "\"sum\""),
            "line 5: PATH@1 is of the kind `sum`, which this version does not know; UPDATE",
        ),
        (instead("\"enumeration\"", "1"), "line 5: in PATH@1, `kind` is a number: expected text; BLOCK"),
        (instead("kind = \"enumeration\"\n", ""), "line 4: PATH@1 does not say `kind`: BLOCK"),
        (instead("digest", "digests"), "line 4: PATH@1 does not say `digest`: BLOCK"),
        (instead("repr = \"i32\"\n", ""), "line 4: PATH@1 does not say `repr`: BLOCK"),
        (
            instead("name = \"Pool\"", "nom = \"Pool\""),
            "line 11: PATH@1 says `nom`, which this version does not know; UPDATE",
        ),
        (instead(", name = \"Pool\"", ""), "line 11: PATH@1 does not say `name`: BLOCK"),
        (
            instead("value = 1", "value = \"1\""),
            "line 11: in PATH@1, `value` is text: expected a number; BLOCK",
        ),
        (
            instead("value = 1", "value = 2026-01-01"),
            "line 11: in PATH@1, `value` is a date: expected a number; BLOCK",
        ),
        (
            instead("value = 1", "value = 9223372036854775808"),
            "line 11: in PATH@1, `value` is a number of more than 64 bits: expected a number; BLOCK",
        ),
        (
            instead("alias = [\"None\"]", "alias = \"None\""),
            "line 10: in PATH@1, `alias` is text: expected a list of texts; BLOCK",
        ),
        (
            instead("alias = [\"None\"]", "alias = [1.5]"),
            "line 10: in PATH@1, `alias` is a number with a fraction: expected text; BLOCK",
        ),
        (
            instead("    { value = 1, name = \"Pool\" },", "    [],"),
            "line 11: in PATH@1, `values` is a list: expected a table; BLOCK",
        ),
        (
            instead("wire_id = \"0x3", "wire_id = \"3"),
            "line 6: in PATH@1, `wire_id` is other text: expected `0x` and 16 hexadecimal digits; BLOCK",
        ),
        (
            instead("wire_id = \"0x3", "wire_id = \"0x+"),
            "line 6: in PATH@1, `wire_id` is other text: expected `0x` and 16 hexadecimal digits; BLOCK",
        ),
        (
            instead("kind =", "removed = 1\nkind ="),
            "line 5: in PATH@1, `removed` is a number: expected true or false; BLOCK",
        ),
        (
            of_fields.replacen("reserved = \"ignored\"", "reserved = true", 1),
            "line 22: in wirecontract_gpu::cuvis::CudaIpcDescriptor@1, `reserved` is true or false: expected text; BLOCK",
        ),
    ]);
}

/// Markers that were left when a conflict was resolved.
#[test]
fn a_marker_that_was_left_is_refused_in_its_block() {
    let good = one(1).text();
    let next = good.split_once("\n\n").expect("a block follows").1.replace("@1", "@2");
    let with = |above: &str, below: &str| format!("{above}{good}{below}\n{next}");
    check([
        (with("", "=======\n"), "line 16: the conflict marker `=======` in PATH@1; CONFLICT"),
        (with("", ">>>>>>> theirs\n"), "line 16: the conflict marker `>>>>>>>` in PATH@1; CONFLICT"),
        (with("", "||||||| 0123abc\r\n"), "line 16: the conflict marker `|||||||` in PATH@1; CONFLICT"),
        (with("<<<<<<< HEAD\n", ""), "line 1: the conflict marker `<<<<<<<`; CONFLICT"),
        (
            with("<<<<<<< HEAD\n", &format!("\n{next}>>>>>>> theirs\n")),
            "line 1: the conflict marker `<<<<<<<` in PATH@1 and PATH@2; CONFLICT",
        ),
    ]);
}

#[test]
fn what_is_not_toml_is_refused_by_line() {
    let good = one(1).text();
    let block = good.split_once("\n\n").expect("a block follows").1;
    check([
        (
            format!("{good}\n{block}"),
            "line 17: a second block of PATH@1, the first is in line 4: two branches accepted it; BRANCH",
        ),
        (
            instead("repr = \"i32\"", "repr = \"i32"),
            r#"line 8: this is not TOML in PATH@1: invalid basic string, expected `"`; FILE"#,
        ),
        (
            instead("repr = \"i32\"", "repr = \"i32\"\nrepr = \"i32\""),
            "line 9: this is not TOML in PATH@1: duplicate key; FILE",
        ),
        (format!("]{good}"), "line 1: this is not TOML: missing table open, expected `[`; FILE"),
        (
            instead("value = 1", &format!("value = {}1", "[".repeat(100))),
            "line 11: this is not TOML in PATH@1: cannot recurse further; max recursion depth met; FILE",
        ),
    ]);
}

/// The contract is gone in one branch, and has another version in the other: no line is in conflict.
#[test]
fn a_contract_that_is_removed_and_changed_is_refused() {
    let mut gone = one(1);
    gone.remove("wirecontract_gpu::cuvis::IpcBackend");
    let second = one(2).text();
    let second = second.split_once("\n\n").expect("a block follows").1;
    assert_eq!(
        refused(&format!("{}\n{second}", gone.text())).to_string(),
        "line 4: wirecontract_gpu::cuvis::IpcBackend@1 is removed, and there is a version 2: one branch removed the \
         contract and another changed it; take the whole file of the branch that others use, and run \
         `cargo wirecontract check`"
    );
}

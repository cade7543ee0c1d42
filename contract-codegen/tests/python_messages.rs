//! Generated messages in Python: lint-clean, typed, in agreement with the interpreter, and owners of what they own.

mod interpreter;
mod message_support;

use std::fmt::Write as _;
use std::fs;

use interpreter::{lint, python, write};
use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::emit::python::emit;
use wirecontract_codegen::fixtures::{self, message_id as id};
use wirecontract_codegen::interpret::message::{import, import_chosen, read, read_chosen};
use wirecontract_codegen::interpret::{Fault, Host, hex};
use wirecontract_codegen::model::{
    Body, Catalog, Computed, ContractId, Expr, Operand, Path, TailLength, What,
};

/// The messages, those of the vhost family closed, a tail and a part that Python calls otherwise, and a tail that ends where
/// a part says and not always between two elements.
fn catalog() -> Catalog {
    let mut catalog = fixtures::messages();
    let mut closed = catalog.get(id::VHOST).clone();
    closed.name = "ClosedMessage".into();
    let Body::Messages(body) = &mut closed.body else { panic!("messages") };
    body.variants.pop();
    catalog.contracts.push(closed);
    let mut renamed = catalog.get(id::LOG).clone();
    renamed.name = "RenamedMessage".into();
    let Body::Message(body) = &mut renamed.body else { panic!("a message") };
    body.parts[0].member.name = "class".into();
    body.tail.as_mut().expect("a tail").member.name = "from".into();
    catalog.contracts.push(renamed);
    let mut measured = catalog.get(id::GROWING_MESSAGE).clone();
    measured.name = "MeasuredMessage".into();
    let Body::Message(body) = &mut measured.body else { panic!("a message") };
    let text = "grown.first".to_owned();
    let what = What::Value(Path(vec![0, 1]));
    let expr = Expr::Operand(Operand { text: text.clone(), what, is_condition: false });
    body.tail.as_mut().expect("a tail").length = TailLength::Bytes(Computed { text, expr });
    catalog.contracts.push(measured);
    catalog
}

const CLOSED: ContractId = ContractId(26);

fn input<'a>(catalog: &'a Catalog, package: &str) -> EmitInput<'a> {
    let mut input = fixtures::input(catalog);
    for family in &mut input.families {
        family.package.package = package.into();
        family.package.python_package = format!("{package}_contracts");
    }
    input
}

fn header(request: u32, flags: i32, size: u32) -> Vec<u8> {
    [request.to_le_bytes(), flags.to_le_bytes(), size.to_le_bytes()].concat()
}

/// Bytes that are right, and the number of file descriptors that go with them.
fn seeds() -> Vec<(Vec<u8>, usize)> {
    let region = [4096_u64.to_le_bytes(), 8_u64.to_le_bytes()].concat();
    let table = [header(5, 1, 0), vec![2, 0, 0, 0, 0, 0, 0, 0], region.repeat(2)].concat();
    let grown = |words: &[u32]| -> Vec<u8> {
        let words = words.iter().flat_map(|word| word.to_le_bytes());
        words.chain([0; 8]).chain(region.iter().copied()).collect()
    };
    let document = |flag: bool| {
        format!(
            r#"{{"op":"register","surface":"a","image":{{"plane_sizes":[7],"has_produce_done_fd":{flag},"has_consume_done_fd":true}}}}"#
        )
    };
    vec![
        (table, 2),
        ([header(6, 7, 17), b"gr\xc3\xb6\xc3\xa9"[..5].to_vec()].concat(), 5),
        ([header(6, 2, 15), b"abc".to_vec()].concat(), 3),
        ([header(6, 2, 14), b"a\xff".to_vec()].concat(), 3),
        (header(12, 2, 0), 3),
        (header(12, 1, 0), 2),
        (header(12, 0, 0), 2),
        ([header(99, 0, 0), vec![1, 2, 3]].concat(), 4),
        (grown(&[1, 5]), 0),
        (grown(&[2, 5, 6]), 0),
        (document(true).into_bytes(), 3),
        (document(false).into_bytes(), 2),
        (br#"{"op":"lookup","surface":"a"}"#.to_vec(), 0),
        (br#"{"op":"stop"}"#.to_vec(), 0),
        (br#"{"op":"later","x":[1]}"#.to_vec(), 2),
        (br#"{"kind":"count","value":7}"#.to_vec(), 0),
        (br#"{"kind":"pair","value":[0,-2]}"#.to_vec(), 0),
        (br#"{"kind":"sizes","value":[3,4]}"#.to_vec(), 0),
        (br#"{"kind":"label","value":"a"}"#.to_vec(), 0),
        (br#"{"kind":"reset"}"#.to_vec(), 0),
        (br#"{"kind":"later","value":null}"#.to_vec(), 3),
        (br#"{"signal":"go"}"#.to_vec(), 0),
    ]
}

/// Each with one byte changed, cut and lengthened, and with other numbers of file descriptors.
fn cases() -> Vec<(Vec<u8>, usize)> {
    let mut cases = Vec::new();
    for (bytes, fds) in seeds() {
        for count in [0, 1, 2, fds, fds + 1, 9, 254] {
            cases.push((bytes.clone(), count));
        }
        for at in 0..bytes.len() {
            cases.push((bytes[..at].to_vec(), fds));
            for change in [1, 2, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= change;
                cases.push((bytes, fds));
            }
        }
        cases.push(([bytes.clone(), vec![0]].concat(), fds));
        cases.push(([bytes, vec![0; 200]].concat(), fds));
    }
    cases
}

/// A line for each case of each contract: what the interpreter says.
fn verdicts(catalog: &Catalog) -> String {
    let mut lines = String::new();
    let fault = |fault: &Fault| serde_json::Value::from(fault.to_string());
    for (id, contract) in catalog.iter() {
        for (bytes, fds) in cases() {
            let (splits, written, imported) = match &contract.body {
                Body::Message(_) => match read(catalog, id, &bytes, fds, Host::Little) {
                    Ok(it) => (Ok(it.value.fds.clone()), it.written, import(catalog, id, &it.value)),
                    Err(fault) => (Err(fault), Ok(Vec::new()), Ok(())),
                },
                Body::Messages(_) => match read_chosen(catalog, id, &bytes, fds, Host::Little) {
                    Ok(it) => {
                        (Ok(it.value.value.fds.clone()), it.written, import_chosen(catalog, id, &it.value))
                    }
                    Err(fault) => (Err(fault), Ok(Vec::new()), Ok(())),
                },
                _ => continue,
            };
            let splits = match splits {
                Ok(ranges) => serde_json::Value::from(
                    ranges.iter().map(|it| vec![it.start, it.end]).collect::<Vec<_>>(),
                ),
                Err(of) => fault(&of),
            };
            let written = written
                .as_ref()
                .map_or_else(fault, |bytes| serde_json::Value::from(format!("={}", hex(bytes))));
            let imported = imported.as_ref().map_or_else(fault, |()| serde_json::Value::Null);
            let _ = writeln!(
                lines,
                r#"{{"contract":"{}","bytes":"{}","fds":{fds},"splits":{splits},"written":{written},"import":{imported}}}"#,
                contract.name,
                hex(&bytes)
            );
        }
    }
    lines
}

/// What is asked in the tests of C, and what only Python is asked of values: it checks them when they are made.
fn questions(catalog: &Catalog) -> String {
    let mut questions = message_support::reads(catalog, Host::Little, 2000);
    questions.extend(message_support::constructions(catalog, Host::Little, 2000));
    questions.extend(message_support::documents(catalog));
    questions.iter().fold(String::new(), |text, it| {
        text + &serde_json::json!([it.line.trim_end_matches('\n'), it.answer]).to_string() + "\n"
    })
}

#[test]
fn generated_messages_are_clean_and_agree_with_the_interpreter() {
    let (catalog, changed) = (catalog(), message_support::changed());
    assert_eq!(catalog.get(CLOSED).name, "ClosedMessage");
    let mut artifacts = emit(&input(&catalog, "message")).expect("messages have a Python half");
    let paths: Vec<&str> = artifacts.iter().map(|artifact| artifact.path.as_str()).collect();
    assert!(paths.contains(&"python/message_contracts/_message.py"), "{paths:?}");
    artifacts.extend(emit(&input(&changed, "changed")).expect("and so have others"));
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &artifacts);
    let verdicts = verdicts(&catalog);
    assert!(verdicts.lines().count() > 5000);
    for fault in [
        "RenamedMessage.from at byte 13: bad_utf8",
        "MeasuredMessage.regions at byte 16: length_exceeds: expected at most 0, found 5",
    ] {
        assert!(verdicts.contains(fault), "{fault}");
    }
    let keep = |name: &str, text: String| fs::write(folder.path().join(name), text).expect("a file");
    keep("verdicts.jsonl", verdicts);
    for (name, catalog) in [("message", &catalog), ("changed", &changed)] {
        keep(&format!("{name}.jsonl"), questions(catalog));
    }
    let root = folder.path().join("python");
    let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python_messages");
    fs::copy(tests.join("typed_use.py"), root.join("typed_use.py")).expect("a file");
    lint(&root);
    let tests = tests.to_str().expect("a path in UTF-8");
    python(&root, &["pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "--rootdir", tests, tests]);
}

#[test]
fn a_package_without_messages_has_nothing_of_them() {
    let artifacts = emit(&fixtures::input(&fixtures::recipes())).expect("recipes have a Python half");
    assert!(artifacts.iter().all(|artifact| !artifact.path.contains("_message")));
    assert!(artifacts.iter().all(|artifact| !artifact.body.contains("class Owner")));
}

#[test]
fn what_a_family_of_messages_looks_like() {
    let catalog = fixtures::messages();
    let artifacts = emit(&input(&catalog, "message")).expect("messages have a Python half");
    let module =
        artifacts.iter().find(|it| it.path == "python/message_contracts/vhost.py").expect("the module");
    let from = module.body.find("class RegisterMessage").expect("the class");
    insta::assert_snapshot!("register_message", &module.body[from..]);
}

//! The payload of the cuvis SDK, exchanged in both directions with the SDK's own reader, the package `cuvis`.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use wirecontract_codegen::interpret::hex;
use wirecontract_codegen::model::{Catalog, ContractId};
use wirecontract_tests::differential::toolchain::python;
use wirecontract_tests::differential::{Driver, Machine, Request, Shipped};
use wirecontract_tests::random::Random;

const VECTORS: &str = include_str!("../data/cuvis_ipc_payload.json");

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn contract(catalog: &Catalog, name: &str) -> ContractId {
    let found = catalog.iter().find(|(_, contract)| contract.name == name);
    found.map_or_else(|| panic!("expected the contract {name}"), |(id, _)| id)
}

/// What a driver makes of a descriptor's bytes: the value, and the bytes written from it.
fn exchange(driver: &Driver, catalog: &Catalog, name: &str, all: &[String]) -> Vec<(Value, String)> {
    let lines: Vec<String> =
        all.iter().map(|bytes| Request::read(contract(catalog, name), unhex(bytes)).line(catalog)).collect();
    let answers = driver.answers(&lines);
    answers
        .iter()
        .map(|answer| match answer.split(' ').collect::<Vec<_>>()[..] {
            ["ok", tree, bytes] => (serde_json::from_str(tree).expect("a tree is JSON"), bytes.to_owned()),
            _ => panic!("{}: expected the bytes to be read, found `{answer}`", driver.name()),
        })
        .collect()
}

/// What the SDK's own module makes of these lines.
fn sdk(lines: &[String]) -> Vec<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/cuvis_reader.py");
    let mut child = python()
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("python3 starts");
    let mut input = child.stdin.take().expect("piped");
    let text = lines.join("\n");
    std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(text.as_bytes()).ok());
        let output = child.wait_with_output().expect("a child can be waited for");
        assert!(
            output.status.success(),
            "expected the SDK's reader to answer; the Python of WIRECONTRACT_PYTHON needs `pip install --no-deps \
             cuvis==3.6.1.0`\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("answers are UTF-8").lines().map(str::to_owned).collect()
    })
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(digit).collect()
}

/// Values that the SDK's writer takes, at random.
fn value(random: &mut Random) -> Value {
    let mut blob = || {
        let length = random.below(65);
        hex(&random.bytes(length))
    };
    let (blob, ptr_blob) = (blob(), blob());
    let narrow = |random: &mut Random| random.bits() >> 32;
    serde_json::json!({
        "version": 1,
        "width": narrow(random),
        "height": narrow(random),
        "channels": narrow(random),
        "format_code": random.between(1, 4),
        "descriptor": {
            "backend": random.below(4),
            "device_ordinal": i64::try_from(narrow(random)).expect("32 bits") - (1 << 31),
            "handle_type": random.below(4),
            "blob_len": blob.len() / 2,
            "size": random.bits(),
            "alloc_size": random.bits(),
            "offset": random.bits(),
            "exporter_pid": random.bits(),
            "blob": blob,
            "ptr_blob_len": ptr_blob.len() / 2,
            "ptr_blob": ptr_blob,
        },
    })
}

#[test]
fn the_sdk_and_every_language_read_what_the_other_wrote() {
    let shipped = Shipped::read(scratch());
    let bench = shipped.workbench(&scratch().join("cuvis_reader"));
    let drivers = [
        bench.rust(&shipped.rust(), Machine::Native),
        bench.c(Machine::Native, &["-O2"]),
        bench.cpp(Machine::Native, &["-O2"]),
        bench.python(),
    ];
    let vectors: Value = serde_json::from_str(VECTORS).expect("the vectors are JSON");
    let cases = vectors["cases"].as_array().expect("a list of cases");
    let texts = |key: &str| -> Vec<String> {
        cases.iter().map(|case| case[key].as_str().expect("hexadecimal").to_owned()).collect()
    };
    let mut random = Random::new(Random::seed());
    let values: Vec<Value> = (0..500).map(|_| value(&mut random)).collect();
    let packed = sdk(&values.iter().map(|value| format!("pack {value}")).collect::<Vec<_>>());
    assert_eq!((cases.len() >= 6, packed.len()), (true, values.len()));

    for driver in &drivers {
        let who = driver.name();
        for (key, name) in [("payload_hex", "CudaIpcPayload"), ("descriptor_hex", "CudaIpcDescriptor")] {
            let expected = texts(key);
            let found = exchange(driver, &shipped.catalog, name, &expected);
            for ((case, expected), (tree, written)) in cases.iter().zip(&expected).zip(&found) {
                assert_eq!(written, expected, "{who} writes the bytes of {}", case["name"]);
                let descriptor = if name == "CudaIpcPayload" { &tree["descriptor"] } else { tree };
                assert_eq!(descriptor["blob"], case["fields"]["blob_hex"], "{who}, {}", case["name"]);
                assert_eq!(descriptor["size"], case["fields"]["size"], "{who}, {}", case["name"]);
            }
        }
        let read = exchange(driver, &shipped.catalog, "CudaIpcPayload", &packed);
        let written: Vec<String> = read.iter().map(|(_, bytes)| bytes.clone()).collect();
        for ((value, packed), (tree, written)) in values.iter().zip(&packed).zip(&read) {
            assert_eq!(tree, value, "{who} reads what the SDK packed");
            assert_eq!(written, packed, "{who} writes what the SDK packed");
        }
        for (value, answer) in values.iter().zip(sdk(&written)) {
            let back: Value = serde_json::from_str(&answer).expect("a tree is JSON");
            assert_eq!(&back, value, "the SDK reads what {who} wrote");
        }
    }
}

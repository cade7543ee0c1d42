//! The generated Python module says of every document of the table what the table states, and fills in the defaults
//! that Rust fills in.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use wirecontract::WireJson as _;
use wirecontract_gpu::texture::{LookupAnswer, Request};
use wirecontract_tests::differential::toolchain::python;
use wirecontract_tests::repository;
use wirecontract_tests::texture::{Case, Fault, Message, cases, messages};

/// A line for each case through the module.
fn answers(cases: &[Case]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/texture_reader.py");
    let mut child = python()
        .arg(script)
        .env("PYTHONPATH", repository().join("bindings/python"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("python3 starts");
    let mut input = child.stdin.take().expect("piped");
    let request = |case: &Case| {
        let fds = case.import.as_ref().map(|(fds, _)| fds);
        json!({ "contract": case.contract, "document": case.document, "fds": fds }).to_string() + "\n"
    };
    let text: String = cases.iter().map(request).collect();
    std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(text.as_bytes()).ok());
        let output = child.wait_with_output().expect("a child can be waited for");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).expect("answers are UTF-8");
        lines.lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect()
    })
}

fn fault(fault: &Fault) -> Value {
    let Fault { code, contract, field, offset, text } = fault;
    json!({ "code": code, "contract": contract, "field": field, "offset": offset, "text": text })
}

/// The table's verdict in the form of an answer, without what is filled in.
fn expected(case: &Case) -> Value {
    json!({
        "read": match &case.read {
            Ok(written) => json!({ "written": written }),
            Err(error) => json!({ "fault": fault(error) }),
        },
        "lenient": match &case.lenient {
            Ok((written, faults)) => {
                json!({ "written": written, "faults": faults.iter().map(fault).collect::<Vec<_>>() })
            }
            Err(error) => json!({ "fault": fault(error) }),
        },
        "import": case.import.as_ref().map(|(_, verdict)| match verdict {
            Ok(()) => json!({}),
            Err(error) => json!({ "fault": fault(error) }),
        }),
    })
}

/// The document with its defaults, of those contracts that have some.
fn filled(case: &Case) -> Option<String> {
    let document = case.document.as_bytes();
    let written = match &*case.contract {
        "Request" => Request::from_json(document).map(|value| value.with_defaults().to_json()),
        "LookupAnswer" => LookupAnswer::from_json(document).map(|value| value.with_defaults().to_json()),
        _ => return None,
    };
    written.ok().map(|written| written.expect("what was read can be written"))
}

#[test]
fn python_says_of_every_case_what_the_table_states() {
    let cases = cases();
    let answers = answers(&cases);
    assert_eq!(answers.len(), cases.len());
    let mut compared = 0;
    for (case, answer) in cases.iter().zip(answers) {
        let mut answer = answer;
        let came = answer.as_object_mut().and_then(|answer| answer.remove("filled"));
        assert_eq!(answer, expected(case), "{}: {}", case.name, case.document);
        if let Some(filled) = filled(case) {
            assert_eq!(came, Some(json!(filled)), "{}: {}", case.name, case.document);
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn python_writes_every_message_byte_for_byte() {
    let case = |Message { name, contract, document, .. }: Message| Case {
        name,
        contract: contract.into(),
        read: Ok(document.clone()),
        lenient: Ok((document.clone(), Vec::new())),
        document,
        import: None,
    };
    let cases: Vec<Case> = messages().into_iter().map(case).collect();
    for (case, answer) in cases.iter().zip(answers(&cases)) {
        assert_eq!(answer["read"], json!({ "written": case.document }), "{}", case.name);
    }
}

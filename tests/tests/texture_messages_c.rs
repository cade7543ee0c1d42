//! The texture wire's messages as the golden vectors have them, in C and C++: over a channel, with real file descriptors.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;
use wirecontract_tests::c_library::CLibrary;
use wirecontract_tests::repository;

/// What finds leaks of memory and wrong accesses.
const CHECKED: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// A case as a program is asked it, and what the vectors say of it in the words of an answer.
fn questions() -> Vec<(String, String)> {
    let path = repository().join("contracts/gpu/generated/vectors/wirecontract/texture.json");
    let file: Json = serde_json::from_str(&fs::read_to_string(path).expect("vectors")).expect("JSON");
    let mut questions = Vec::new();
    for entry in file["contracts"].as_array().expect("contracts") {
        if !matches!(entry["kind"].as_str(), Some("message" | "messages")) {
            continue;
        }
        let contract = entry["contract"].as_str().expect("a name");
        for case in entry["cases"].as_array().expect("cases") {
            let bytes = case["bytes"].as_str().expect("bytes");
            questions.push((format!("{contract} {} {bytes}\n", case["fds"]), answer(case)));
        }
    }
    questions
}

fn answer(case: &Json) -> String {
    if case["fault"].is_object() {
        return fault(&case["fault"]);
    }
    let splits = case["splits"].as_array().expect("whose file descriptors are whose").iter().map(|split| {
        let [start, end] = [0, 1].map(|at| split[at].as_u64().expect("a number"));
        let numbers: Vec<String> = (start..end).map(|number| number.to_string()).collect();
        format!("[{}]", numbers.join(","))
    });
    let written = case["written"].as_str().map_or_else(|| fault(&case["unwritten"]), str::to_owned);
    let import = if case["import"].is_null() { "ok".to_owned() } else { fault(&case["import"]) };
    let variant = case["variant"].as_str().unwrap_or("-");
    format!("ok {variant} {} {written}|{import}", splits.collect::<String>())
}

/// A fault in one line, as every language says it.
fn fault(fault: &Json) -> String {
    let word = |key: &str| fault[key].as_str().unwrap_or_default();
    let place = [word("contract"), word("field")].join(".");
    let mut line = format!(
        "{} at byte {}: {}: expected {}",
        place.trim_end_matches('.'),
        fault["offset"].as_u64().expect("an offset"),
        word("code"),
        word("expected")
    );
    if let Some(found) = fault["found"].as_str() {
        write!(line, ", found {found}").expect("memory");
    }
    line
}

fn answers(source: &str, questions: &str) -> String {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = scratch.join(source.replace('.', "_"));
    CLibrary::build(scratch).compile(&repository().join("tests/c").join(source), &program, CHECKED);
    let mut child = Command::new(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let asked = questions.to_owned();
    // A program answers while it is asked; whoever writes all first would wait for a full pipe.
    let feeder = std::thread::spawn(move || stdin.write_all(asked.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source}: {}\n{errors}", output.status);
    feeder.join().expect("no panic").expect("it reads all");
    String::from_utf8(output.stdout).expect("text")
}

fn replay(source: &str) {
    let questions = questions();
    let lines: String = questions.iter().map(|(line, _)| line.as_str()).collect();
    let output = answers(source, &lines);
    let answers: Vec<&str> = output.lines().collect();
    assert_eq!(answers.len(), questions.len(), "an answer to each question");
    for ((line, expected), answer) in questions.iter().zip(answers) {
        assert_eq!(answer, expected, "{line}");
    }
    let split = |answer: &str| questions.iter().any(|(_, expected)| expected.starts_with(answer));
    for answer in [
        "ok - [0][1][] ",
        "ok - [0][][1] ",
        "ok Surface [0][1][2] ",
        "ok Register [0,1][2][] ",
        "ok Lookup  ",
    ] {
        assert!(split(answer), "no case is {answer}");
    }
}

#[test]
fn the_vectors_replay_in_c() {
    replay("texture_messages.c");
}

#[test]
fn the_vectors_replay_in_cpp() {
    replay("texture_messages.cpp");
}

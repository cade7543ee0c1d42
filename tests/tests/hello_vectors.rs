//! What two hellos agree on is the same in Rust, C, C++ and Python: `tests/data/hello.json`, run by each.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use wirecontract::Enumeration;
use wirecontract::hello::{Hello, NegotiationError, negotiate};
use wirecontract_tests::c_library::CLibrary;
use wirecontract_tests::differential::toolchain::{Machine, python, run};
use wirecontract_tests::differential::{Shipped, vectors};
use wirecontract_tests::random::Random;
use wirecontract_tests::repository;

fn negotiations() -> Value {
    let text = fs::read_to_string(repository().join("tests/data/hello.json")).expect("vectors");
    serde_json::from_str(&text).expect("vectors are JSON")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("`{key}` of {value}"))
}

/// What every language says of each negotiation.
fn expected(vectors: &Value) -> Vec<String> {
    let cases = list(vectors, "negotiations").iter();
    cases
        .map(|case| match text(case, "verdict") {
            "agreed" => format!("agreed {} {}", case["version"], text(case, "wire_id")),
            verdict => format!("{verdict} {}", text(case, "text")),
        })
        .collect()
}

/// What every language says of each hello that is none.
fn refusals(vectors: &Value) -> Vec<String> {
    let cases = list(vectors, "refused").iter();
    cases
        .map(|case| format!("{} {} {}", text(case, "code"), text(case, "contract"), text(case, "field")))
        .collect()
}

fn compare(found: &str, expected: &[String]) {
    let found: Vec<&str> = found.lines().collect();
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found, expected, "line {index}");
    }
    assert_eq!(found.len(), expected.len());
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hello").join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Two hellos of few names, versions and ids, so that all verdicts are frequent, as the vectors have them; what is
/// expected is what Rust says.
fn drawn(random: &mut Random) -> Value {
    let ids = ["0000000000000000", "7fffffffffffffff", "8000000000000000", "ffffffffffffffff"];
    let mut side = || {
        let mut speaks = Vec::new();
        for name in ["a::B", "a::C", "ä::B"] {
            let mut versions = Vec::new();
            for version in 1..=3 {
                if random.one_in(2) {
                    versions.push(json!({ "version": version, "wire_id": random.pick(&ids) }));
                }
            }
            if !versions.is_empty() {
                speaks.push(json!({ "name": name, "versions": versions }));
            }
        }
        json!({ "wirecontract_hello": 1, "speaks": speaks })
    };
    let (ours, theirs) = (side(), side());
    let name = *random.pick(&["a::B", "a::C", "ä::B", "a::D"]);
    let [here, there] =
        [&ours, &theirs].map(|hello| Hello::read(hello.to_string().as_bytes()).expect("a hello"));
    let mut case = json!({ "ours": ours, "theirs": theirs, "name": name });
    match negotiate(&here, &there, name) {
        Ok(agreed) => {
            case["verdict"] = json!("agreed");
            case["version"] = json!(agreed.version);
            case["wire_id"] = json!(format!("{:016x}", agreed.wire_id));
        }
        Err(NegotiationError::Refused(refusal)) => {
            case["verdict"] = json!(refusal.verdict.name());
            case["text"] = json!(refusal.to_string());
        }
        Err(error) => panic!("{error}"),
    }
    case
}

#[test]
fn random_pairs_come_out_alike_in_rust_c_and_python() {
    let mut random = Random::new(Random::seed());
    let cases: Vec<Value> = (0..400).map(|_| drawn(&mut random)).collect();
    for verdict in ["agreed", "not_ours", "unknown_to_peer", "no_common_version", "two_ids"] {
        let count = cases.iter().filter(|case| case["verdict"] == verdict).count();
        assert!(count >= 10, "only {count} of 400 are {verdict}");
    }
    let vectors = json!({ "negotiations": cases, "refused": [] });
    let folder = folder("random");
    let (table, source, program) =
        (folder.join("random.json"), folder.join("random.c"), folder.join("random"));
    fs::write(&table, vectors.to_string()).expect("a table");
    let mut command = python();
    command.arg(repository().join("tests/python/hello_vectors.py")).arg(&table);
    command.env("PYTHONPATH", repository().join("bindings/python"));
    let said = run(&mut command);
    let lines: Vec<&str> = said.lines().take(cases.len()).collect();
    compare(&lines.join("\n"), &expected(&vectors));

    fs::write(&source, c_program(&vectors)).expect("a source");
    let mut compiler = Machine::Native.c_compiler();
    compiler.arg("-std=c11").arg("-I").arg(repository().join("bindings/c/include"));
    run(compiler.arg(&source).arg("-o").arg(&program));
    compare(&run(&mut Command::new(&program)), &expected(&vectors));
}

#[test]
fn rust_agrees_on_what_the_vectors_say() {
    let vectors = negotiations();
    let mut lines = String::new();
    for case in list(&vectors, "negotiations") {
        let [ours, theirs] =
            ["ours", "theirs"].map(|side| Hello::read(case[side].to_string().as_bytes()).expect("a hello"));
        lines += &match negotiate(&ours, &theirs, text(case, "name")) {
            Ok(agreed) => format!("agreed {} {:016x}\n", agreed.version, agreed.wire_id),
            Err(NegotiationError::Refused(refusal)) => format!("{} {refusal}\n", refusal.verdict.name()),
            Err(error) => panic!("{error}"),
        };
    }
    compare(&lines, &expected(&vectors));
}

#[test]
fn python_agrees_on_what_the_vectors_say_and_refuses_the_same() {
    let vectors = negotiations();
    let mut command = python();
    command.arg(repository().join("tests/python/hello_vectors.py"));
    command.arg(repository().join("tests/data/hello.json"));
    command.env("PYTHONPATH", repository().join("bindings/python"));
    let many = ["too_large Hello ".to_owned(), "too_many Hello speaks".to_owned()];
    compare(&run(&mut command), &[expected(&vectors), refusals(&vectors), many.to_vec()].concat());
}

#[test]
fn c_agrees_on_what_the_vectors_say_without_a_library() {
    let folder = folder("c");
    let source = folder.join("vectors.c");
    fs::write(&source, c_program(&negotiations())).expect("a source");
    for machine in [Machine::Native, Machine::Bits32, Machine::BigEndian] {
        let program = folder.join(format!("vectors-{}", machine.name()));
        let mut compiler = machine.c_compiler();
        compiler.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O1"]);
        compiler.arg("-I").arg(repository().join("bindings/c/include")).arg(&source).arg("-o").arg(&program);
        run(&mut compiler);
        let words = machine.runner(&program);
        compare(&run(Command::new(&words[0]).args(&words[1..])), &expected(&negotiations()));
    }
}

#[test]
fn cpp_agrees_on_what_the_vectors_say() {
    let folder = folder("cpp");
    // The C header is C++ as well.
    for (name, text) in [("c.cpp", c_program(&negotiations())), ("cpp.cpp", cpp_program(&negotiations()))] {
        let (source, program) = (folder.join(name), folder.join(format!("{name}.program")));
        fs::write(&source, text).expect("a source");
        let mut compiler = Machine::Native.cpp_compiler();
        compiler.args(["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O0"]);
        // The functions of the library, which nothing here calls, are declared and not there.
        compiler.arg("-ffunction-sections").arg("-Wl,--gc-sections");
        compiler.arg("-I").arg(repository().join("bindings/c/include")).arg(&source).arg("-o").arg(&program);
        run(&mut compiler);
        compare(&run(&mut Command::new(&program)), &expected(&negotiations()));
    }
}

/// What a program of C or C++ says of hellos that are none, of one of a million contracts and of one more than there may
/// be, and of one that is in order.
fn read_by(program: &Path) {
    let vectors = negotiations();
    let of = |count: usize| {
        let item = r#"{"name":"a::B","versions":[{"version":1,"wire_id":"0000000000000000"}]}"#;
        format!(r#"{{"wirecontract_hello":1,"speaks":[{}]}}"#, vec![item; count].join(","))
    };
    let mut documents: Vec<String> =
        list(&vectors, "refused").iter().map(|case| text(case, "document").to_owned()).collect();
    documents.extend([1_000_000, 513, 1].map(of));
    let said = ["too_large Hello ", "too_many Hello speaks", "accepted"].map(str::to_owned);
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a program");
    let mut input = child.stdin.take().expect("piped");
    for document in &documents {
        let length = u32::try_from(document.len()).expect("a length").to_le_bytes();
        input.write_all(&[&length, document.as_bytes()].concat()).expect("it reads all");
    }
    drop(input);
    let output = child.wait_with_output().expect("a child can be waited for");
    assert!(output.status.success(), "{}", output.status);
    let found = String::from_utf8(output.stdout).expect("text");
    compare(&found, &[refusals(&vectors), said.to_vec()].concat());
}

#[test]
fn c_and_cpp_refuse_the_same_documents_before_they_take_the_memory() {
    let library = CLibrary::build(env!("CARGO_TARGET_TMPDIR").as_ref());
    let folder = folder("documents");
    for (name, mut compiler, standard) in [
        ("c", Machine::Native.c_compiler(), "-std=gnu11"),
        ("cpp", Machine::Native.cpp_compiler(), "-std=c++17"),
    ] {
        let program = folder.join(name);
        compiler.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]);
        compiler.arg(repository().join(format!("tests/c/hello_documents.{name}"))).arg("-o").arg(&program);
        run(compiler.args(library.flags()));
        read_by(&program);
    }
}

#[test]
fn the_golden_vectors_of_the_hello_replay_in_rust_c_cpp_and_python() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shipped = Shipped::hello(scratch);
    let bench = shipped.workbench(&scratch.join("vectors_hello"));
    let rust = shipped.rust();
    let file = repository().join("contracts/core/generated/vectors/wirecontract/hello.json");
    let file = fs::read_to_string(file).expect("vectors that are committed");
    for (driver, least) in [
        (bench.rust(&rust, Machine::Native), 400),
        (bench.c_documents(&rust, Machine::Native, &["-O0"]), 400),
        (bench.cpp_documents(&rust, Machine::Native, &["-O0"]), 200),
        (bench.python(), 400),
    ] {
        let replayed = vectors::replay_documents(&shipped.catalog, &file, &driver);
        assert!(replayed > least, "{}: {replayed} answers", driver.name());
    }
}

/// A text as C spells it: every byte but ASCII in octal, which ends after three digits.
fn literal(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b' ' | b':' | b'_' => char::from(byte).to_string(),
        other => format!("\\{other:03o}"),
    });
    format!("\"{}\"", bytes.collect::<String>())
}

/// Tables of one side, which are called by `name`.
fn tables(hello: &Value, name: &str, kind: &str) -> String {
    let mut out = String::new();
    let mut contracts = Vec::new();
    for (index, spoken) in list(hello, "speaks").iter().enumerate() {
        let versions = list(spoken, "versions").iter().map(|version| {
            let id = text(version, "wire_id");
            let bytes: Vec<String> = (0..8).map(|at| format!("0x{}", &id[2 * at..2 * at + 2])).collect();
            format!("{{{}u, {{{}}}}}", version["version"], bytes.join(", "))
        });
        let versions: Vec<String> = versions.collect();
        out += &format!("static const wc_spoken_version {name}_{index}[] = {{{}}};\n", versions.join(", "));
        let called = literal(text(spoken, "name"));
        contracts
            .push(format!("{{{{{called}, sizeof({called}) - 1}}, {{{name}_{index}, {}}}}}", versions.len()));
    }
    if contracts.is_empty() {
        return out + &format!("{kind} {name} = {{1u, {{NULL, 0}}}};\n");
    }
    out += &format!(
        "static const wc_spoken_contract {name}_all[] = {{{}}};\n{kind} {name} = WC_HELLO_OF({name}_all);\n",
        contracts.join(", ")
    );
    out
}

fn c_program(vectors: &Value) -> String {
    let mut out = "#include <stdio.h>\n#include <wirecontract/negotiate.h>\n\n".to_owned();
    let mut calls = String::new();
    for (index, case) in list(vectors, "negotiations").iter().enumerate() {
        for side in ["ours", "theirs"] {
            out += &tables(&case[side], &format!("{side}_{index}"), "static const wc_hello");
        }
        calls +=
            &format!("    say(&ours_{index}, &theirs_{index}, WC_STR({}));\n", literal(text(case, "name")));
    }
    out + SAY_C + &format!("int main(void)\n{{\n{calls}    return 0;\n}}\n")
}

const SAY_C: &str = r#"
static void say(const wc_hello *ours, const wc_hello *theirs, wc_str name)
{
    wc_negotiation out;
    wc_error error;
    const wc_status status = wc_negotiate(ours, theirs, name, &out, &error);
    if (status == WC_STATUS_OK) {
        printf("agreed %u %08x%08x\n", (unsigned)out.version, (unsigned)(out.wire_id >> 32), (unsigned)(out.wire_id & 0xFFFFFFFFu));
        return;
    }
    char text[4096];
    const size_t length = wc_negotiation_text(&out, NULL, text, sizeof text);
    if (status != WC_STATUS_ID_MISMATCH || error.code != status || length != strlen(text) || wc_negotiation_text(&out, NULL, NULL, 0) != length) {
        printf("status %d\n", (int)status);
        return;
    }
    printf("%s %s\n", wc_verdict_name(out.verdict), text);
}

"#;

fn cpp_program(vectors: &Value) -> String {
    let mut out =
        "#include <cstdio>\n#include <iostream>\n#include <wirecontract/negotiate.hpp>\n\nnamespace {\n"
            .to_owned();
    let mut calls = String::new();
    for (index, case) in list(vectors, "negotiations").iter().enumerate() {
        for side in ["ours", "theirs"] {
            out += &tables(&case[side], &format!("{side}_{index}"), "const wc_hello");
        }
        calls += &format!("    say(ours_{index}, theirs_{index}, {});\n", literal(text(case, "name")));
    }
    out + SAY_CPP + &format!("}} // namespace\n\nint main()\n{{\n{calls}    return speaks() ? 0 : 1;\n}}\n")
}

const SAY_CPP: &str = r#"
bool speaks()
{
    namespace hello = wirecontract::hello;
    const hello::speaker ours = hello::speaker().speaks<hello::Hello>().speaks<hello::Verdict>().speaks<hello::Hello>();
    const hello::speaker theirs = hello::speaker().speaks<hello::Verdict>();
    const auto agreed = hello::agree<hello::Verdict>(ours.hello(), theirs.hello());
    const auto refused = hello::agree<hello::Hello>(ours.hello(), theirs.hello());
    const auto told = [](std::uint64_t, std::uint64_t) { return std::optional<std::string>("nothing"); };
    return !hello::validate(ours.hello()) && ours.hello().speaks.size() == 2 && agreed && agreed->version == 1
        && agreed->wire_id == wire_id(hello::Verdict::Agreed) && !refused
        && refused.error().verdict() == hello::Verdict::UnknownToPeer && refused.error().explained(told).message() == refused.error().message();
}

void say(const wc_hello &c_ours, const wc_hello &c_theirs, std::string_view name)
{
    namespace hello = wirecontract::hello;
    wirecontract::detail::arena memory;
    const hello::Hello ours = hello::Hello::from_c(c_ours, memory);
    const hello::Hello theirs = hello::Hello::from_c(c_theirs, memory);
    const auto agreed = hello::negotiate(ours, theirs, name);
    if (agreed) {
        std::printf("agreed %u %08x%08x\n", static_cast<unsigned>(agreed->version), static_cast<unsigned>(agreed->wire_id >> 32),
                    static_cast<unsigned>(agreed->wire_id & 0xFFFFFFFFu));
        return;
    }
    std::string thrown;
    try {
        static_cast<void>(agreed.value());
    } catch (const hello::negotiation_error &error) {
        thrown = error.what();
    }
    const hello::refusal &refusal = agreed.error();
    if (!refusal.verdict() || thrown != refusal.message() || refusal.code() != wirecontract::status::id_mismatch) {
        std::puts("another refusal");
        return;
    }
    std::printf("%s %s\n", std::string(to_string(*refusal.verdict())).c_str(), refusal.message().c_str());
}
"#;

//! The code in README.md and the guides is right: Rust that stands by itself is compiled as documentation tests, excerpts
//! stand in the examples, C compiles or runs, Python is type-checked.

use std::fs;

use wirecontract_tests::differential::toolchain;
use wirecontract_tests::pages::{Block, blocks, guides};
use wirecontract_tests::repository;

/// Without spaces, so that it is the same however it is broken into lines.
fn dense(text: &str) -> String {
    text.split_whitespace().collect::<String>().replace(",)", ")")
}

/// Whether the source has the parts of an excerpt in their order; `…` stands for what is left out, which may be the rest
/// of a documentation too.
fn has_parts(source: &str, excerpt: &str) -> bool {
    let is_documentation = |line: &str| line.trim_start().starts_with("///");
    let lines = excerpt
        .lines()
        .map(|line| if is_documentation(line) { format!("{line}…\n") } else { format!("{line}\n") });
    let (source, excerpt) = (dense(source), dense(&lines.collect::<String>()).replace("//…", "…"));
    let mut rest = source.as_str();
    excerpt.split('…').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// A file of the example of messages.
fn frames(name: &str) -> String {
    fs::read_to_string(repository().join("examples/frames").join(name)).unwrap()
}

#[test]
fn every_guide_has_its_rust_compiled() {
    let tests = fs::read_to_string(repository().join("tests/src/lib.rs")).unwrap();
    for guide in guides() {
        let included = format!("#[doc = include_str!(\"../../{}\")]", guide.name);
        assert!(tests.contains(&included), "tests/src/lib.rs: expected {included}");
    }
}

#[test]
fn what_the_guides_take_from_the_examples_stands_there() {
    let sources = ["frame.rs", "control.rs", "camera.rs", "image.rs", "lib.rs"]
        .map(|name| fs::read_to_string(repository().join("examples/sensor-sdk/src").join(name)).unwrap());
    let camera = frames("src/main.rs");
    let blocks = blocks("rust");
    let (excerpts, whole): (Vec<&Block>, Vec<&Block>) =
        blocks.iter().partition(|block| block.info == "rust,ignore");
    for Block { place, info, text } in whole {
        assert!(["rust", "rust,no_run"].contains(&&**info), "{place}: {info}");
        assert!(!text.contains('…'), "{place} is an excerpt, and is compiled as a whole");
    }
    assert!(excerpts.len() >= 6, "{}", excerpts.len());
    for Block { place, text, .. } in excerpts {
        if has_parts(&camera, text) {
            continue;
        }
        for item in text.trim().split("\n\n") {
            let is_there = sources.iter().any(|source| has_parts(source, item));
            assert!(is_there, "{place}: the example has no\n{item}");
        }
    }
}

#[test]
fn what_the_guides_take_from_the_readers_stands_there() {
    for (language, source) in [("c", "c/reader.c"), ("python", "python/reader.py")] {
        let (source, blocks) = (frames(source), blocks(language));
        let mut excerpts = blocks.iter().filter(|block| block.info.ends_with(",ignore"));
        let excerpt = excerpts.next().expect(language);
        let (mut rest, text) = (dense(&source), &excerpt.text);
        // Each part by itself: they are of several functions, and need not stand in the order of the source.
        for part in text.split('…').map(dense) {
            assert!(rest.contains(&part), "{}: the reader has no\n{part}", excerpt.place);
            rest = rest.replacen(&part, "", 1);
        }
        assert!(excerpts.next().is_none(), "{language}");
    }
}

/// What blocks of Python leave to their readers: names, and what they are.
const PYTHON_NAMES: &str = "
import socket

from wirecontract.contracts.texture import RegistrationMessage as SurfaceMessage
from wirecontract.handoff import Channel, Message
from wirecontract.host import HostBuffer
from wirecontract.lease import Producer

buffer: HostBuffer
channel: Channel
frame: HostBuffer
height: int
message: Message
path: str
pixels: bytes
producer: Producer
sock: socket.socket
width: int
";

#[test]
fn python_of_the_guides_is_type_checked() {
    let blocks = blocks("python");
    let whole = blocks.iter().filter(|block| block.info == "python");
    let folder = tempfile::tempdir().unwrap();
    let mut command = toolchain::python();
    command.args(["-m", "mypy", "--strict"]);
    let mut count = 0;
    for Block { place, text, .. } in whole {
        let body = text.trim_end().replace('\n', "\n    ");
        let module = folder.path().join(format!("block_{count}.py"));
        fs::write(
            &module,
            format!("{PYTHON_NAMES}\n\ndef block() -> None:\n    \"\"\"{place}\"\"\"\n    {body}\n"),
        )
        .unwrap();
        command.arg(module);
        count += 1;
    }
    assert!(count >= 7, "{count}");
    command.current_dir(folder.path()).env("MYPYPATH", repository().join("bindings/python"));
    toolchain::run(&mut command);
}

#[cfg(target_os = "linux")]
#[test]
fn c_of_the_guides_compiles_and_its_program_lends_a_frame() {
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use wirecontract_tests::c_library::CLibrary;

    let mut blocks = blocks("c");
    blocks.retain(|block| block.info == "c");
    let (programs, functions): (Vec<Block>, Vec<Block>) =
        blocks.into_iter().partition(|block| block.text.contains("\nint main("));
    let [block] = &programs[..] else { panic!("expected one program, found {}", programs.len()) };
    let folder = tempfile::tempdir().unwrap();
    let library = CLibrary::build(Path::new(env!("CARGO_TARGET_TMPDIR")));
    for (index, function) in functions.iter().enumerate() {
        let source = folder.path().join(format!("function_{index}.c"));
        fs::write(&source, format!("{}\nint main(void)\n{{\n    return 0;\n}}\n", function.text)).unwrap();
        library.compile(&source, &folder.path().join(format!("function_{index}")), &[]);
    }
    assert!(!functions.is_empty());
    let (source, program) = (folder.path().join("frames.c"), folder.path().join("frames"));
    let socket = folder.path().join("frames.sock");
    fs::write(&source, &block.text).unwrap();
    library.compile(&source, &program, &[]);

    let side = |role: &str| {
        let mut command = Command::new(&program);
        command.arg(role).arg(&socket).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    };
    let lends = side("lend");
    let since = Instant::now();
    let shows = loop {
        let said = side("show").wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&said.stderr);
        let nobody_listens = text.starts_with("wc_channel_connect: io: ");
        if !nobody_listens || since.elapsed() > Duration::from_secs(60) {
            break said;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    for (said, expected) in [
        (shows, "655360 bytes, the first is 42\n"),
        (lends.wait_with_output().expect("it ends"), "given back: released\n"),
    ] {
        assert!(said.status.success() && said.stderr.is_empty(), "{}: {said:?}", block.place);
        assert_eq!(String::from_utf8_lossy(&said.stdout), expected);
    }
}

#[test]
fn parts_are_found_in_their_order_only() {
    let source = "fn a(\n    x: u32,\n) -> u32 {\n    x\n}\nfn b() {}\n";
    assert!(has_parts(source, "fn a(x: u32) -> u32 { … }\n// …\nfn b() {}"));
    assert!(!has_parts(source, "fn b() {} … fn a(x: u32)"));
    assert!(!has_parts(source, "fn a(x: u64) -> u32 { … }"));
}

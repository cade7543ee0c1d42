//! The README's Rust compiles: what stands by itself as documentation tests, and parts of the example as the example. Its C
//! is a program that runs.

use std::fs;

use wirecontract_tests::repository;

/// A block of a language, and what is written behind its opening fence.
struct Block {
    line: usize,
    info: String,
    text: String,
}

fn blocks(markdown: &str, language: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_within = false;
    for (index, line) in markdown.lines().enumerate() {
        match line.trim_start().strip_prefix("```") {
            Some(info) if !is_within && info.split(',').next() == Some(language) => {
                blocks.push(Block { line: index + 1, info: info.to_owned(), text: String::new() });
                is_within = true;
            }
            Some(_) => is_within = false,
            None if is_within => {
                let block = blocks.last_mut().expect("it was opened");
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => {}
        }
    }
    blocks
}

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

#[test]
fn what_the_readme_takes_from_the_example_stands_there() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let sources = ["frame.rs", "control.rs", "camera.rs", "image.rs", "lib.rs"]
        .map(|name| fs::read_to_string(repository().join("examples/sensor-sdk/src").join(name)).unwrap());
    let camera = frames("src/main.rs");
    let blocks = blocks(&readme, "rust");
    let (excerpts, whole): (Vec<&Block>, Vec<&Block>) =
        blocks.iter().partition(|block| block.info == "rust,ignore");
    for Block { line, info, text } in whole {
        assert!(["rust", "rust,no_run"].contains(&&**info), "README.md:{line}: {info}");
        assert!(!text.contains('…'), "README.md:{line} is an excerpt, and is compiled as a whole");
    }
    assert!(excerpts.len() >= 6, "{}", excerpts.len());
    for Block { line, text, .. } in excerpts {
        if has_parts(&camera, text) {
            continue;
        }
        for item in text.trim().split("\n\n") {
            let is_there = sources.iter().any(|source| has_parts(source, item));
            assert!(is_there, "README.md:{line}: the example has no\n{item}");
        }
    }
}

/// A file of the example of messages.
fn frames(name: &str) -> String {
    fs::read_to_string(repository().join("examples/frames").join(name)).unwrap()
}

#[test]
fn what_the_readme_takes_from_the_readers_stands_there() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    for (language, source) in [("c", "c/reader.c"), ("python", "python/reader.py")] {
        let (source, blocks) = (frames(source), blocks(&readme, language));
        let mut excerpts = blocks.iter().filter(|block| block.info.ends_with(",ignore"));
        let excerpt = excerpts.next().expect(language);
        let (mut rest, text) = (dense(&source), &excerpt.text);
        // Each part by itself: they are of several functions, and need not stand in the order of the source.
        for part in text.split('…').map(dense) {
            assert!(rest.contains(&part), "README.md:{}: the reader has no\n{part}", excerpt.line);
            rest = rest.replacen(&part, "", 1);
        }
        assert!(excerpts.next().is_none(), "{language}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_readme_has_of_c_lends_a_frame() {
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use wirecontract_tests::c_library::CLibrary;

    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let mut blocks = blocks(&readme, "c");
    blocks.retain(|block| block.info == "c");
    let [block] = &blocks[..] else { panic!("expected one program, found {}", blocks.len()) };
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("frames.c"), folder.path().join("frames"));
    let socket = folder.path().join("frames.sock");
    fs::write(&source, &block.text).unwrap();
    CLibrary::build(Path::new(env!("CARGO_TARGET_TMPDIR"))).compile(&source, &program, &[]);

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
        assert!(said.status.success() && said.stderr.is_empty(), "README.md:{}: {said:?}", block.line);
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

//! Two builds of one program at different versions of a contract find out at the hello, and read each other or refuse
//! before a payload is read.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _, pipe};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock};

use wirecontract::hello::{Explain, Hello};
use wirecontract::{Contract, WireJson};
use wirecontract_codegen::catalog::{read_file, resolve};
use wirecontract_codegen::emit::{self, Artifact, EmitError, EmitInput, Family, PackageConfig};
use wirecontract_codegen::explain::Known;
use wirecontract_codegen::model::Catalog;
use wirecontract_tests::c_library::CLibrary;
use wirecontract_tests::differential::toolchain::{Machine, python, run};
use wirecontract_tests::repository;

use acme_camera_other::control::{Frame as OtherFrame, Request as Other};
use acme_camera_v1::control::{Frame as FirstFrame, Request as First};
use acme_camera_v2::control::{Frame as SecondFrame, Request as Second};

const V1: &str = env!("CARGO_BIN_EXE_camera-v1");
const V2: &str = env!("CARGO_BIN_EXE_camera-v2");
const OTHER: &str = env!("CARGO_BIN_EXE_camera-other");

/// Whether a side ended well, and what it said.
type Said = (bool, String);

/// Connects two programs, the first of which sends.
fn talk(sends: Command, reads: Command) -> [Said; 2] {
    talk_of("request", sends, reads)
}

/// The same of a contract of that name.
fn talk_of(what: &str, mut sends: Command, mut reads: Command) -> [Said; 2] {
    let (to_reader, from_sender) = pipe().expect("a pipe");
    let (to_sender, from_reader) = pipe().expect("a pipe");
    sends.args(["sends", what]).stdin(to_sender).stdout(from_sender).stderr(Stdio::piped());
    reads.args(["reads", what]).stdin(to_reader).stdout(from_reader).stderr(Stdio::piped());
    let children = [sends.spawn().expect("a program"), reads.spawn().expect("a program")];
    // The ends that are open here would keep a side waiting for the other one.
    drop((sends, reads));
    children.map(ended)
}

/// The same over a channel that says hello by itself.
fn talk_over_channel(sends: Command, reads: Command) -> [Said; 2] {
    talk_over_channel_of("request", sends, reads)
}

/// The same of a contract of that name.
fn talk_over_channel_of(what: &str, sends: Command, reads: Command) -> [Said; 2] {
    let (to_reader, to_sender) = UnixStream::pair().expect("a pair");
    [
        on_channel(sends, &["sends", what, "channel"], to_reader),
        on_channel(reads, &["reads", what, "channel"], to_sender),
    ]
    .map(ended)
}

/// Starts a program whose standard input is that end of a channel.
fn on_channel(mut program: Command, arguments: &[&str], end: UnixStream) -> Child {
    let command = program.args(arguments).stdin(OwnedFd::from(end));
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a program")
}

fn ended(child: Child) -> Said {
    let output = child.wait_with_output().expect("a child can be waited for");
    let said = String::from_utf8(output.stderr).expect("text");
    (output.status.success(), said.trim_end().to_owned())
}

fn rust(program: &str) -> Command {
    Command::new(program)
}

/// The same program in Python, with the module that is generated from the records of that build.
fn of_python(program: &str) -> Command {
    let folder = generated(program, emit::python::emit);
    let mut command = python();
    command.arg(repository().join("tests/python/hello_peer.py"));
    let paths = [folder.join("python"), repository().join("bindings/python")];
    command.env("PYTHONPATH", std::env::join_paths(paths).expect("paths"));
    command
}

/// What a build says of its own contracts.
fn catalog(program: &str) -> Catalog {
    let library = read_file(program.as_ref()).expect("a program with records");
    let own = |contract: &wirecontract_codegen::model::Contract| contract.package.starts_with("acme-camera");
    let records: Vec<_> = library.records.into_iter().filter(|record| own(&record.contract)).collect();
    resolve(&records).expect("the records are consistent")
}

/// The contracts of a build in one family.
fn family(catalog: &Catalog) -> EmitInput<'_> {
    let package = PackageConfig::default_for("acme-camera");
    let contracts = catalog.iter().map(|(id, _)| id).collect();
    let family = Family { package, name: "control".into(), contracts };
    EmitInput { catalog, families: vec![family], selected: vec![0] }
}

/// A folder of this test's own for a build: tests run beside each other.
fn folder(program: &str) -> PathBuf {
    let name = PathBuf::from(program);
    let thread = std::thread::current();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("peers");
    folder
        .join(thread.name().expect("tests run in threads with their names"))
        .join(name.file_name().expect("a program has a name"))
}

/// A folder of generated files for a build.
fn generated(
    program: &str,
    emit: impl Fn(&EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>>,
) -> PathBuf {
    let folder = folder(program);
    let catalog = catalog(program);
    for artifact in emit(&family(&catalog)).expect("the contracts are taken") {
        let path = folder.join(&artifact.path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, artifact.body).expect("a file");
    }
    folder
}

/// What reads and writes hellos for C programs.
fn library() -> &'static CLibrary {
    static BUILT: OnceLock<CLibrary> = OnceLock::new();
    BUILT.get_or_init(|| CLibrary::build(env!("CARGO_TARGET_TMPDIR").as_ref()))
}

/// The same program in C, with the headers that are generated from the records of that build.
fn of_c(program: &str) -> Command {
    compiled(program, "hello_peer.c", "peer", || (Machine::Native.c_compiler(), "-std=c11"))
}

/// The same in C++, over a channel.
fn of_cpp(program: &str) -> Command {
    compiled(program, "hello_peer.cpp", "peer-cpp", || (Machine::Native.cpp_compiler(), "-std=c++17"))
}

fn compiled(program: &str, source: &str, name: &str, with: impl Fn() -> (Command, &'static str)) -> Command {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let peer = folder(program).join(name);
    let mut done = DONE.lock().expect("nothing panics while it is held but a test that fails anyway");
    if done.contains(&peer) {
        return Command::new(peer);
    }
    generated(program, emit::c::emit);
    let folder = generated(program, emit::cpp::emit);
    let (mut compiler, standard) = with();
    compiler.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-I"]);
    compiler.arg(folder.join("include")).arg(repository().join("tests/c").join(source)).arg("-o").arg(&peer);
    run(compiler.args(library().flags()));
    done.insert(peer.clone());
    Command::new(peer)
}

fn read(version: u32, document: &str) -> Said {
    (true, format!("read {version} {document}"))
}

fn sent(version: u32, document: &str) -> Said {
    (true, format!("sent {version} {document}"))
}

const OLD: &str = r#"{"exposure_us":250}"#;
const NEW: &str = r#"{"exposure_us":250,"gain":4}"#;
/// The old request as the new side has it.
const FILLED: &str = r#"{"exposure_us":250,"gain":1}"#;

#[test]
fn the_second_build_names_the_first_ones_id() {
    assert_eq!(Second::EARLIER, [(First::VERSION, First::WIRE_ID)]);
    assert_eq!(SecondFrame::EARLIER, [(FirstFrame::VERSION, FirstFrame::WIRE_ID)]);
    assert_eq!([First::PATH, Other::PATH], [Second::PATH; 2]);
    assert_ne!(First::WIRE_ID, Other::WIRE_ID);
}

#[test]
fn builds_of_two_versions_talk_at_the_older_one_whatever_language_they_are_in() {
    for [first, second] in [[rust as Peer, rust], [rust, of_python], [of_python, rust]] {
        assert_eq!(talk(first(V1), second(V2)), [sent(1, OLD), read(1, FILLED)]);
        assert_eq!(talk(first(V2), second(V1)), [sent(1, NEW), read(1, OLD)]);
        assert_eq!(talk(first(V2), second(V2)), [sent(2, NEW), read(2, NEW)]);
        assert_eq!(talk(first(V1), second(V1)), [sent(1, OLD), read(1, OLD)]);
        assert_eq!(talk_over_channel(first(V1), second(V2)), [sent(1, OLD), read(1, FILLED)]);
        assert_eq!(talk_over_channel(first(V2), second(V1)), [sent(1, NEW), read(1, OLD)]);
        assert_eq!(talk_over_channel(first(V2), second(V2)), [sent(2, NEW), read(2, NEW)]);
    }
}

#[test]
fn builds_of_two_forms_refuse_each_other_and_name_both_ids() {
    let ids = [First::WIRE_ID, Other::WIRE_ID].map(|id| format!("0x{id:016x}"));
    let text = |ours: &str, theirs: &str| {
        format!(
            "refused {}: id_mismatch: version 1 has two wire ids, ours {ours} and theirs {theirs}",
            First::PATH
        )
    };
    for [first, second] in [[rust as Peer, rust], [rust, of_python], [of_python, rust]] {
        for over in [talk, talk_over_channel] {
            let [(is_first_fine, first_said), (is_second_fine, second_said)] = over(first(V1), second(OTHER));
            assert!(!is_first_fine && !is_second_fine);
            assert!(first_said.starts_with(&text(&ids[0], &ids[1])), "{first_said}");
            assert!(second_said.starts_with(&text(&ids[1], &ids[0])), "{second_said}");
        }
    }
}

/// The program of a build in some language.
type Peer = fn(&str) -> Command;

/// Who sends and who reads frames.
const PAIRS: [[Peer; 2]; 6] =
    [[rust, rust], [of_c, rust], [rust, of_c], [of_c, of_c], [rust, of_python], [of_python, rust]];

#[test]
fn a_frame_that_grew_crosses_at_the_older_version_whatever_language_the_builds_are_in() {
    for [first, second] in PAIRS {
        let talk = |sends: &str, reads: &str| talk_of("frame", first(sends), second(reads));
        assert_eq!(talk(V1, V2), [sent(1, "7 live"), read(1, "7 live gain 1")], "its default is filled in");
        assert_eq!(talk(V2, V1), [sent(1, "7 live gain 1"), read(1, "7 live")]);
        assert_eq!(talk(V2, V2), [sent(2, "7 live gain 1"), read(2, "7 live gain 1")]);
        assert_eq!(talk(V1, V1), [sent(1, "7 live"), read(1, "7 live")]);
        let tuned = talk_of("tuned_frame", first(V2), second(V2));
        assert_eq!(tuned, [sent(2, "7 live gain 4"), read(2, "7 live gain 4")]);
    }
}

#[test]
fn what_the_older_version_has_no_place_for_is_not_sent_rather_than_lost() {
    for [first, second] in PAIRS {
        let [(is_sent, said), (is_read, _)] = talk_of("tuned_frame", first(V2), second(V1));
        assert!(!is_sent && !is_read, "{said}");
        let refusal = "Frame.gain at byte 8: unsupported_version: expected its default, before version 2";
        assert_eq!(said, format!("refused {refusal}"));
    }
}

#[test]
fn frames_of_two_forms_are_refused_before_a_byte_of_them() {
    for [first, second] in PAIRS {
        let talk = |sends: &str, reads: &str| talk_of("frame", first(sends), second(reads));
        let [(is_first_fine, first_said), (is_second_fine, second_said)] = talk(V1, OTHER);
        assert!(!is_first_fine && !is_second_fine);
        let ids = [FirstFrame::WIRE_ID, OtherFrame::WIRE_ID].map(|id| format!("0x{id:016x}"));
        assert!(first_said.contains(&format!("ours {} and theirs {}", ids[0], ids[1])), "{first_said}");
        assert!(second_said.contains(&format!("ours {} and theirs {}", ids[1], ids[0])), "{second_said}");
    }
}

/// Every language that has channels.
const OVER_CHANNELS: [(&str, Peer); 4] =
    [("rust", rust), ("python", of_python), ("c", of_c), ("c++", of_cpp)];

#[test]
fn a_channel_agrees_on_a_frame_whoever_is_at_its_ends() {
    for (first_name, first) in OVER_CHANNELS {
        for (second_name, second) in OVER_CHANNELS {
            let pair = format!("{first_name} to {second_name}");
            let talk = |what: &str, sends: &str, reads: &str| {
                talk_over_channel_of(what, first(sends), second(reads))
            };
            assert_eq!(talk("frame", V1, V2), [sent(1, "7 live"), read(1, "7 live gain 1")], "{pair}");
            assert_eq!(talk("frame", V2, V1), [sent(1, "7 live gain 1"), read(1, "7 live")], "{pair}");
            let tuned = [sent(2, "7 live gain 4"), read(2, "7 live gain 4")];
            assert_eq!(talk("tuned_frame", V2, V2), tuned, "{pair}");
        }
    }
}

#[test]
fn a_channel_refuses_another_form_by_name_whoever_is_at_its_ends() {
    let ids = [FirstFrame::WIRE_ID, OtherFrame::WIRE_ID].map(|id| format!("0x{id:016x}"));
    let text = |ours: &str, theirs: &str| {
        let name = FirstFrame::PATH;
        format!("{name}: id_mismatch: version 1 has two wire ids, ours {ours} and theirs {theirs}")
    };
    for (first_name, first) in OVER_CHANNELS {
        for (second_name, second) in OVER_CHANNELS {
            let said = talk_over_channel_of("frame", first(V1), second(OTHER));
            for ((is_fine, said), [ours, theirs]) in said.iter().zip([[0, 1], [1, 0]]) {
                let expected = text(&ids[ours], &ids[theirs]);
                assert!(!is_fine && said.contains(&expected), "{first_name} to {second_name}: {said}");
            }
        }
    }
}

/// A length of four bytes, and a document behind it.
fn framed_for_channel(document: &str) -> Vec<u8> {
    [&u32::try_from(document.len()).expect("it is short").to_be_bytes()[..], document.as_bytes()].concat()
}

#[test]
fn a_stranger_on_a_channel_is_refused_as_what_it_is() {
    let nothing = Hello::new().to_json().expect("a hello");
    for (name, peer) in OVER_CHANNELS {
        for role in ["sends", "reads"] {
            for (hello, expected) in [
                ("neither JSON nor a hello", "not_json"),
                ("{}", "missing_key"),
                (nothing.as_str(), "the peer's hello does not name it"),
            ] {
                let (ours, theirs) = UnixStream::pair().expect("a pair");
                let child = on_channel(peer(V2), &[role, "frame", "channel"], theirs);
                (&ours).write_all(&framed_for_channel(hello)).expect("it is sent");
                let (is_fine, said) = ended(child);
                assert!(!is_fine && said.contains(expected), "{name} {role}: {hello}: {said}");
            }
        }
    }
}

#[test]
fn a_silent_peer_is_waited_for_no_longer_than_the_limit() {
    for (name, peer) in OVER_CHANNELS {
        for role in ["sends", "reads"] {
            let (ours, theirs) = UnixStream::pair().expect("a pair");
            let child = on_channel(peer(V2), &[role, "frame", "channel", "200"], theirs);
            let (is_fine, said) = ended(child);
            assert!(!is_fine && said.contains("waiting for the peer's hello"), "{name} {role}: {said}");
            drop(ours);
        }
    }
}

#[test]
fn a_peer_that_leaves_before_its_hello_is_the_end() {
    for (name, peer) in OVER_CHANNELS {
        for role in ["sends", "reads"] {
            let (ours, theirs) = UnixStream::pair().expect("a pair");
            let child = on_channel(peer(V2), &[role, "frame", "channel"], theirs);
            drop(ours);
            let (is_fine, said) = ended(child);
            assert!(!is_fine && said.contains("the peer closed"), "{name} {role}: {said}");
        }
    }
}

#[test]
fn who_knows_both_builds_says_which_field_differs() {
    let mut known = Known::default();
    known.catalog(&catalog(V1));
    known.catalog(&catalog(OTHER));
    let theirs = Hello::of::<Other>();
    let error = Hello::of::<First>().agree::<First>(&theirs).unwrap_err().explained(&known as &dyn Explain);
    assert!(error.to_string().contains("; what differs: `exposure_us`: "), "{error}");
}

#[test]
fn a_hello_that_ends_early_or_is_none_is_refused_before_a_payload() {
    let full = Hello::of::<First>().to_json().expect("a hello");
    let cut = &full[..full.len() - 2];
    let twice = full.replace("]}]}", "]},{\"name\":\"acme_camera::control::Request\",\"versions\":[{\"version\":1,\"wire_id\":\"0000000000000000\"}]}]}");
    let framed = |length: usize, text: &str| {
        [&u32::try_from(length).expect("a length").to_le_bytes()[..], text.as_bytes()].concat()
    };
    for (bytes, expected) in [
        (framed(cut.len(), cut), "not_json"),
        (framed(twice.len(), &twice), "rule_violated"),
        (framed(full.len(), cut), "failed to fill whole buffer"),
        (framed(1 << 30, ""), "a message of 1073741824 bytes"),
    ] {
        let mut child = rust(V2)
            .arg("reads")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a program");
        child.stdin.take().expect("piped").write_all(&bytes).expect("a pipe");
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
        assert!(!child.wait().expect("it ends").success());
        assert!(said.starts_with("refused ") && said.contains(expected), "{said}");
    }
}

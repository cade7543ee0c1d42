//! Messages, file descriptors and host memory from C and C++: every byte of every buffer is compared at the other end, in
//! both directions, and nothing is left open at either.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use wirecontract_tests::c_library::CLibrary;
use wirecontract_tests::differential::toolchain;
use wirecontract_tests::repository;

/// Longer than any machine takes.
const LONG: Duration = Duration::from_secs(240);

/// What finds leaks of memory and wrong accesses in what is compiled, and in what the library does to its memory.
const CHECKED: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// Size, offset, number of file descriptors: of many buffers few bytes are touched.
const CASES: [(u64, u64, usize); 7] = [
    (1, 0, 253),
    (1, 1, 1),
    (4095, 1, 2),
    (4097, 4099, 253),
    (1 << 20, 0, 1),
    (4 << 30, 4099, 2),
    (4 << 30, 1, 1),
];

/// A program of `tests/c`, compiled under a name that no other test has.
fn program(source: &'static str, name: &str, more: &[&str]) -> PathBuf {
    static LIBRARY: OnceLock<CLibrary> = OnceLock::new();
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = scratch.join("handoff_c");
    fs::create_dir_all(&folder).expect("a folder for programs");
    let program = folder.join(name);
    let source = repository().join("tests/c").join(source);
    LIBRARY.get_or_init(|| CLibrary::build(scratch)).compile(&source, &program, more);
    program
}

/// A process, which is killed and waited for when this is dropped.
struct Running(Option<Child>);

impl Running {
    fn start(program: &Path, arguments: &[String]) -> Running {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running(Some(command.spawn().expect("it starts")))
    }

    /// What it said, when it has ended.
    fn ends(mut self) -> Output {
        let mut child = self.0.take().expect("it was started");
        let since = Instant::now();
        while child.try_wait().expect("it is a child").is_none() {
            if since.elapsed() > LONG {
                child.kill().expect("it runs");
                break;
            }
            sleep(Duration::from_millis(2));
        }
        child.wait_with_output().expect("it ended")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Has two programs meet, and gives what each of them said.
fn meet(folder: &Path, listens: (&Path, &[&str]), connects: (&Path, &[&str])) -> [Output; 2] {
    let socket = folder.join("handoff.sock").display().to_string();
    let start = |role: &str, (program, arguments): (&Path, &[&str])| {
        let mut all = vec![role.to_owned(), socket.clone()];
        all.extend(arguments.iter().map(|&argument| argument.to_owned()));
        Running::start(program, &all)
    };
    let listens = start("listen", listens);
    let connects = start("connect", connects);
    [connects.ends(), listens.ends()]
}

/// One case, in which both have to find every byte, and to leave nothing behind.
fn whole(listens: &Path, connects: &Path, (size, offset, fds): (u64, u64, usize), more: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let numbers = [size.to_string(), offset.to_string(), fds.to_string()];
    let arguments: Vec<&str> = numbers.iter().map(String::as_str).chain(more.iter().copied()).collect();
    let expected = format!("ok {fds} {size}\n");
    for said in meet(folder.path(), (listens, &arguments), (connects, &arguments)) {
        let passed = said.status.success() && said.stderr.is_empty() && said.stdout == expected.as_bytes();
        assert!(passed, "{} and {}: {arguments:?}: {said:?}", listens.display(), connects.display());
    }
    let left: Vec<_> = fs::read_dir(folder.path()).expect("it is there").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn buffers_of_c_cross_to_c_and_back() {
    let peer = program("handoff_peer.c", "peer", &[]);
    for case in CASES {
        whole(&peer, &peer, case, &[]);
    }
    whole(&peer, &peer, (4097, 4099, 253), &["packets"]);
}

#[test]
fn buffers_of_cpp_cross_to_c_and_back() {
    let c = program("handoff_peer.c", "peer-for-cpp", &[]);
    let cpp = program("handoff_peer.cpp", "peer-cpp", &[]);
    for case in [CASES[0], CASES[2], CASES[5]] {
        whole(&c, &cpp, case, &[]);
        whole(&cpp, &c, case, &[]);
    }
}

#[test]
fn no_sanitizer_finds_a_fault() {
    for (source, name) in [("handoff_peer.c", "peer-checked"), ("handoff_peer.cpp", "peer-cpp-checked")] {
        let peer = program(source, name, CHECKED);
        for case in [(1, 0, 253), (4097, 4099, 2), (1 << 20, 1, 1)] {
            whole(&peer, &peer, case, &[]);
        }
    }
}

/// What the kernel says of the machine to others valgrind hides: the library asks where both find it.
#[test]
fn the_library_works_under_valgrind_and_reads_nothing_that_nobody_wrote() {
    let peer = program("handoff_peer.c", "peer-under-valgrind", &[]);
    let valgrind = toolchain::require("valgrind", "valgrind");
    let script = peer.with_extension("sh");
    let words =
        ["exec", &valgrind.get_program().to_string_lossy(), "--quiet", "--error-exitcode=9"].join(" ");
    fs::write(&script, format!("#!/bin/sh\n{words} '{}' \"$@\"\n", peer.display())).expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is this test's own");
    whole(&script, &script, (4097, 4099, 2), &[]);
}

#[test]
fn a_side_that_expects_other_buffers_says_so() {
    let peer = program("handoff_peer.c", "peer-of-others", CHECKED);
    let folder = tempfile::tempdir().expect("a folder");
    let said = meet(folder.path(), (&peer, &["10", "0", "1"]), (&peer, &["11", "0", "1"]));
    let [connected, listened] = said;
    assert_eq!(connected.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&connected.stderr), "expected 11 at 0, found 10 at 0\n");
    assert_eq!(listened.status.code(), Some(1));
    let text = String::from_utf8_lossy(&listened.stderr);
    assert!(text.starts_with("receiving: wc_channel_receive: peer_closed (0): the peer closed"), "{text}");
}

/// A program that says `ok`, as it is and under the sanitizers.
fn says_ok(source: &'static str, name: &str) {
    let checked = format!("{name}-checked");
    for (name, more) in [(name, &[] as &[&str]), (&checked, CHECKED)] {
        let said = Running::start(&program(source, name, more), &[]).ends();
        let passed = said.status.success() && said.stderr.is_empty() && said.stdout == b"ok\n";
        assert!(passed, "{name}: {said:?}");
    }
}

#[test]
fn what_is_refused_has_its_code_and_nothing_stays_open() {
    says_ok("handoff_api.c", "api");
}

#[test]
fn peers_that_misbehave_are_refused_by_a_receiver_in_c_and_others_are_served() {
    // What another user may not do, only root can be another user for.
    if std::env::var_os("WIRECONTRACT_TEST_ALL").is_some() {
        let own = fs::metadata("/proc/self").expect("proc is mounted");
        assert_eq!(own.uid(), 0, "run all tests as root: one process is another user's");
    }
    says_ok("handoff_hostile.c", "hostile");
}

#[test]
fn buffers_are_lent_until_both_sides_know_that_it_is_over() {
    says_ok("lease_api.c", "lease");
}

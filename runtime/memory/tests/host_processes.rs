//! Buffers between two processes: this program runs itself as the other one, with the descriptor as its standard input.
#![cfg(all(target_os = "linux", feature = "host"))]

mod host_support;

use std::env;
use std::io::{BufRead, BufReader};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, ExitStatus, Stdio};

use host_support::{descriptors, filled, mappings, page, pattern};
use rustix::io::Errno;
use wirecontract_runtime::host::{Access, Barrier, HostBuffer, HostError, HostMapping, HostOptions, Import};

const NUMBERS: &str = "HOST_TEST_NUMBERS";
/// What the other process begins a line with that is for this one.
const SAYS: &str = "consumer: ";

/// The other process, which ends with this value.
struct Consumer {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStderr>>,
}

impl Consumer {
    /// Runs the test of that name elsewhere, with the descriptor and the numbers.
    fn run(test: &str, fd: OwnedFd, numbers: &Import) -> Consumer {
        let Import { size, allocation_size, offset, access } = numbers;
        let child = Command::new(env::current_exe().unwrap())
            .args([test, "--exact", "--ignored", "--nocapture"])
            .env(
                NUMBERS,
                format!("{size} {allocation_size} {offset} {}", u8::from(*access == Access::ReadWrite)),
            )
            .stdin(Stdio::from(fd))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Consumer { child, lines }
    }

    /// The next thing that it says.
    fn says(&mut self) -> String {
        let mut all = Vec::new();
        for line in self.lines.by_ref() {
            let line = line.unwrap();
            if let Some(said) = line.strip_prefix(SAYS) {
                return said.to_owned();
            }
            all.push(line);
        }
        panic!("the other process said nothing more: {}", all.join("\n"));
    }

    fn ends(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What this process was given, if it is the other one.
fn given() -> Option<(OwnedFd, Import)> {
    let numbers = env::var(NUMBERS).ok()?;
    let numbers: Vec<u64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
    let access = if numbers[3] == 1 { Access::ReadWrite } else { Access::ReadOnly };
    let import = Import { size: numbers[0], allocation_size: numbers[1], offset: numbers[2], access };
    Some((std::io::stdin().as_fd().try_clone_to_owned().unwrap(), import))
}

/// FNV-1a, of 64 bits.
fn digest(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

fn length(size: u64) -> usize {
    usize::try_from(size).unwrap()
}

#[test]
#[ignore = "the other process of `another_process_reads_the_same_bytes`"]
fn reads() {
    let Some((fd, import)) = given() else { return };
    let writing = Import { access: Access::ReadWrite, ..import };
    let refused = HostError::Access { wanted: Access::ReadWrite, barrier: Barrier::OpenReadOnly };
    assert_eq!(HostMapping::import(fd.try_clone().unwrap(), &writing).unwrap_err(), refused);
    assert_eq!(rustix::io::pwrite(&fd, b"x", import.offset), Err(Errno::BADF));
    let mapping = HostMapping::import(fd, &import).unwrap();
    let mut out = vec![0; length(import.size)];
    mapping.copy_to(&mut out).unwrap();
    eprintln!("{SAYS}{}", digest(&out));
}

#[test]
fn another_process_reads_the_same_bytes() {
    let page = page();
    for (size, offset) in [(1, 0), (page - 1, 1), (page, page), (page + 1, 3 * page - 1), (5 << 20, 12_345)] {
        let buffer = filled(&HostOptions::new(size).offset(offset), size);
        let mut consumer = Consumer::run("reads", buffer.try_clone_fd().unwrap(), &buffer.describe());
        assert_eq!(consumer.says(), digest(&pattern(length(size), size)).to_string(), "size {size}");
        assert!(consumer.ends().success());
    }
}

#[test]
fn another_process_reads_what_is_left_of_nobody() {
    let buffer = filled(&HostOptions::new(100_000), 1);
    let numbers = buffer.describe();
    // Nobody here has the memory any more when it is imported there.
    let mut consumer = Consumer::run("reads", buffer.into_fd().unwrap(), &numbers);
    assert_eq!(consumer.says(), digest(&pattern(100_000, 1)).to_string());
    assert!(consumer.ends().success());
}

#[test]
#[ignore = "the other process of `another_process_writes_and_is_seen`"]
fn writes() {
    let Some((fd, import)) = given() else { return };
    let mut mapping = HostMapping::import(fd, &import).unwrap();
    let mut bytes = vec![0; length(import.size)];
    mapping.copy_to(&mut bytes).unwrap();
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
    mapping.copy_from(&bytes).unwrap();
    eprintln!("{SAYS}written");
}

#[test]
fn another_process_writes_and_is_seen() {
    let options = HostOptions::new(100_001).offset(77).consumers(Access::ReadWrite);
    let buffer = filled(&options, 1);
    let mut consumer = Consumer::run("writes", buffer.try_clone_fd().unwrap(), &buffer.describe());
    assert_eq!(consumer.says(), "written");
    assert!(consumer.ends().success());
    let mut bytes = vec![0; 100_001];
    buffer.copy_to(&mut bytes).unwrap();
    let expected: Vec<u8> = pattern(100_001, 1).iter().map(|byte| !byte).collect();
    assert_eq!(bytes, expected);
    let frozen = buffer.freeze().unwrap();
    assert_eq!(&*frozen, expected);
}

#[test]
#[ignore = "the other process of `a_consumer_that_is_killed_leaves_nothing`"]
fn stays() {
    let Some((fd, import)) = given() else { return };
    let mut mapping = HostMapping::import(fd, &import).unwrap();
    mapping.write_at(0, b"theirs").unwrap();
    eprintln!("{SAYS}mapped");
    loop {
        std::thread::park();
    }
}

#[test]
fn a_consumer_that_is_killed_leaves_nothing() {
    let name = "killed";
    let buffer = HostBuffer::create(&HostOptions::new(6).consumers(Access::ReadWrite).name(name)).unwrap();
    let numbers = buffer.describe();
    let mut consumer = Consumer::run("stays", buffer.try_clone_fd().unwrap(), &numbers);
    assert_eq!(consumer.says(), "mapped");
    let refused = buffer.freeze().unwrap_err();
    assert_eq!(refused.error, HostError::StillWritten, "the consumer has it");
    consumer.child.kill().unwrap();
    assert!(!consumer.ends().success());
    rustix::fs::fcntl_add_seals(&refused.fd, rustix::fs::SealFlags::WRITE).unwrap();
    let read = Import { access: Access::ReadOnly, ..numbers };
    let mapping = HostMapping::import(refused.fd, &read).unwrap();
    assert_eq!(mapping.bytes(), Some(&b"theirs"[..]));
    drop(mapping);
    assert_eq!((descriptors(name), mappings(name)), (0, vec![]));
}

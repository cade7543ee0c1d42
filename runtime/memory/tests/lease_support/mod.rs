//! What the tests of leases share: pairs of sides, a raw side that misbehaves, and a count of what is open.
#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

use std::fs;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use wirecontract::hello::Hello;
use wirecontract::{WireContract as _, WireJson};
use wirecontract_gpu::buffer::{ConsumerMessage, LeaseName, Offer, ProducerMessage, SharedBuffer};
use wirecontract_runtime::handoff::{self, Channel, Expected, Framing};
use wirecontract_runtime::host::{HostBuffer, HostOptions};
use wirecontract_runtime::lease::{Consumer, Lend, Options, Producer};

/// Longer than any machine takes.
pub const LONG: Duration = Duration::from_secs(120);

/// One test at a time: what is counted is the process's.
static COUNTED: Mutex<()> = Mutex::new(());

/// Runs a test, and counts what is open and mapped before and behind it.
pub fn balanced(test: impl FnOnce()) {
    let _counted = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let before = open();
    test();
    assert_eq!(open(), before, "file descriptors, mapped memfds and shared memory, after and before");
}

/// The file descriptors, the mapped memfds and the shared memory that there are.
pub fn open() -> (Vec<String>, Vec<String>, usize) {
    (open_fds(), mapped(), fs::read_dir("/dev/shm").map_or(0, Iterator::count))
}

pub fn open_fds() -> Vec<String> {
    let reading = |target: &str| target.starts_with("/proc/") && target.ends_with("/fd");
    let entries = fs::read_dir("/proc/self/fd").expect("proc is mounted");
    let mut open: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.expect("proc is mounted").path();
            let target = fs::read_link(&path).ok()?.to_string_lossy().into_owned();
            (!reading(&target)).then(|| format!("{} {target}", path.display()))
        })
        .collect();
    open.sort();
    open
}

pub fn mapped() -> Vec<String> {
    let maps = fs::read_to_string("/proc/self/maps").expect("proc is mounted");
    maps.lines().filter(|line| line.contains("memfd:")).map(str::to_owned).collect()
}

/// Options that wait long.
pub fn patient() -> Options {
    Options::default().answer_timeout(LONG).hello_timeout(LONG)
}

pub fn channels(framing: Framing) -> (Channel, Channel) {
    let options = handoff::Options::default().framing(framing).message_timeout(LONG);
    Channel::pair(&options).expect("a pair")
}

/// Two sides in one process.
pub fn pair() -> (Producer, Consumer) {
    pair_with(&patient())
}

pub fn pair_with(options: &Options) -> (Producer, Consumer) {
    let (ours, theirs) = channels(Framing::default());
    let producer = Producer::new(ours, options).expect("a producer");
    (producer, Consumer::new(theirs, options).expect("a consumer"))
}

/// A producer, and a bare channel of its consumer, without hellos.
pub fn producer_and_channel() -> (Producer, Channel) {
    let (ours, theirs) = channels(Framing::default());
    (Producer::new(ours, &patient().hello(false)).expect("a producer"), theirs)
}

/// A consumer, and a bare channel of its producer, without hellos.
pub fn consumer_and_channel() -> (Consumer, Channel) {
    let (ours, theirs) = channels(Framing::default());
    (Consumer::new(ours, &patient().hello(false)).expect("a consumer"), theirs)
}

/// A buffer of host memory in which no byte is where another could be.
pub fn filled(options: &HostOptions, seed: u64) -> HostBuffer {
    let mut buffer = HostBuffer::create(options).expect("memory");
    let bytes = pattern(usize::try_from(buffer.size()).expect("it is small"), seed);
    buffer.copy_from(&bytes).expect("it has its size");
    buffer
}

pub fn pattern(length: usize, seed: u64) -> Vec<u8> {
    let byte =
        |at: usize| u8::try_from((at as u64).wrapping_mul(31).wrapping_add(seed) % 251).expect("below");
    (0..length).map(byte).collect()
}

pub fn lend(size: u64) -> Lend {
    Lend::host(&filled(&HostOptions::new(size), 0)).expect("a descriptor")
}

pub fn say(channel: &Channel, word: &impl WireJson, fds: &[BorrowedFd<'_>]) {
    channel.send(word.to_json().expect("it can be written").as_bytes(), fds).expect("it is sent");
}

/// The next word, and how many file descriptors came with it.
pub fn hear<T: WireJson>(channel: &Channel) -> (T, Vec<OwnedFd>) {
    let message = channel.recv_within(&Expected::bytes(1 << 16).fds(0..=253), LONG).expect("it comes");
    let word = T::from_json(&message.body);
    (word.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&message.body))), message.fds)
}

pub fn name(lease_id: u64) -> LeaseName {
    LeaseName { lease_id }
}

pub fn taken(lease: u64) -> ConsumerMessage {
    ConsumerMessage::Taken(name(lease))
}

pub fn release(lease: u64) -> ConsumerMessage {
    ConsumerMessage::Release(name(lease))
}

/// An offer of that buffer, whatever its rules say.
pub fn offer(lease_id: u64, buffer: &SharedBuffer, fds: u32) -> ProducerMessage {
    let buffer = buffer.to_bytes().expect("it can be written").into();
    ProducerMessage::Offer(Offer { lease_id, buffer, fds })
}

pub fn send_offer(channel: &Channel, lease: u64, lend: &Lend) {
    let fds: Vec<_> = lend.fds().iter().map(OwnedFd::as_fd).collect();
    let count = u32::try_from(fds.len()).expect("few");
    say(channel, &offer(lease, lend.buffer(), count), &fds);
}

pub fn hello() -> Hello {
    Hello::of::<ProducerMessage>().speaks::<ConsumerMessage>().speaks::<SharedBuffer>()
}

/// Bytes that this process has in memory.
pub fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("proc is mounted");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it is there");
    line.trim().trim_end_matches(" kB").trim().parse::<usize>().expect("a number") * 1024
}

/// Whether a thread waits in the kernel.
pub fn sleeps(thread: &std::path::Path) -> bool {
    let stat = fs::read_to_string(thread.join("stat")).expect("it runs");
    stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('S'))
}

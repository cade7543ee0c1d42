//! Leases between processes: bytes that are the same, sides that are killed at every message, and 10,000 handoffs.
//!
//! The other process is this test program again: the test `the_other_process` does what a variable tells it to. Its
//! side speaks through a relay of this file, which counts messages and kills the process at the one that it was told.
#![cfg(feature = "lease")]

mod lease_support;

use std::env;
use std::os::fd::AsFd as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use lease_support::{LONG, balanced, open_fds, patient, pattern, resident};
use rustix::process::{Signal, getpid, kill_process};
use wirecontract::Code;
use wirecontract_gpu::buffer::{EndReason, MemoryAfter};
use wirecontract_runtime::handoff::{self, Address, Channel, Expected, Listener};
use wirecontract_runtime::host::{HostBuffer, HostOptions, Pool, PoolCounts};
use wirecontract_runtime::lease::{Consumer, End, Error, Event, Held, Lend, Lost, Producer};

const TASK: &str = "WIRECONTRACT_TEST_TASK";
const NAME: &str = "WIRECONTRACT_TEST_NAME";
const KILL: &str = "WIRECONTRACT_TEST_KILL";

/// Handoffs of one pair.
const MANY: usize = 10_000;

/// How far memory may go up and down without growing.
const SLACK: usize = 1 << 20;

fn options() -> handoff::Options {
    handoff::Options::default().message_timeout(LONG)
}

/// Where the other processes find this one.
struct Meeting {
    listener: Listener,
    name: String,
}

impl Meeting {
    fn new(test: &str) -> Meeting {
        let name = format!("wirecontract-lease-{test}-{}", std::process::id());
        let listener = Listener::bind(Address::abstract_name(name.clone()), &options()).expect("nobody");
        Meeting { listener, name }
    }

    fn start(&self, task: &str, kill: Option<Kill>) -> (Other, Channel) {
        let mut command = Command::new(env::current_exe().expect("it runs"));
        command.args(["--exact", "the_other_process", "--nocapture"]).env(TASK, task).env(NAME, &self.name);
        if let Some(kill) = kill {
            command.env(KILL, format!("{} {:?}", kill.at, kill.when));
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts");
        let other = Other(child);
        let channel = self.listener.accept_within(LONG).expect("it connects");
        assert_eq!(channel.peer().pid, Some(other.0.id()));
        (other, channel)
    }
}

/// A process, which is killed and waited for when this is dropped.
struct Other(Child);

impl Other {
    fn ends(&mut self) -> ExitStatus {
        self.0.wait().expect("it is a child")
    }

    fn kill(&mut self) {
        self.0.kill().expect("it runs");
        self.ends();
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// When a process kills itself.
#[derive(Clone, Copy, Debug)]
struct Kill {
    /// The message, in either direction, from 1 on.
    at: usize,
    when: When,
}

#[derive(Clone, Copy, Debug)]
enum When {
    /// Before the message is handed on.
    Before,
    /// When half of its bytes are.
    Half,
    /// When it is.
    After,
}

impl Kill {
    fn told() -> Option<Kill> {
        let told = env::var(KILL).ok()?;
        let (at, when) = told.split_once(' ').expect("a number and a word");
        let when = [When::Before, When::Half, When::After].into_iter().find(|one| format!("{one:?}") == when);
        Some(Kill { at: at.parse().expect("a number"), when: when.expect("one of them") })
    }
}

fn die() -> ! {
    kill_process(getpid(), Signal::KILL).expect("it is this process");
    loop {
        thread::park();
    }
}

/// Hands messages on between a side and the socket, until one of both ends.
struct Relay {
    side: Channel,
    socket: Channel,
    count: AtomicUsize,
    kill: Option<Kill>,
}

impl Relay {
    fn forward(&self, from: &Channel, to: &Channel) {
        let expected = Expected::bytes(1 << 20).fds(0..=253);
        while let Ok(message) = from.recv(&expected) {
            let number = 1 + self.count.fetch_add(1, Ordering::SeqCst);
            let when = self.kill.filter(|kill| kill.at == number).map(|kill| kill.when);
            let fds: Vec<_> = message.fds.iter().map(std::os::fd::OwnedFd::as_fd).collect();
            match when {
                Some(When::Before) => die(),
                Some(When::Half) => {
                    let length = u32::try_from(message.body.len()).expect("it is short");
                    let framed = [&length.to_be_bytes()[..], &message.body].concat();
                    let _ = rustix::io::write(to, &framed[..framed.len() / 2]);
                    die();
                }
                _ => {}
            }
            let sent = to.send(&message.body, &fds);
            if matches!(when, Some(When::After)) {
                die();
            }
            if sent.is_err() {
                break;
            }
        }
        let _ = (from.close(), to.close());
    }
}

/// The side's end of a relayed channel, and what ends when all is handed on.
fn relayed(socket: Channel, kill: Option<Kill>) -> (Channel, Vec<thread::JoinHandle<()>>) {
    let (side, other) = Channel::pair(&options()).expect("a pair");
    let relay = Arc::new(Relay { side: other, socket, count: AtomicUsize::new(0), kill });
    let back = Arc::clone(&relay);
    let there = thread::spawn(move || relay.forward(&relay.side, &relay.socket));
    let here = thread::spawn(move || back.forward(&back.socket, &back.side));
    (side, vec![there, here])
}

#[test]
fn the_other_process() {
    let Ok(task) = env::var(TASK) else { return };
    let name = Address::abstract_name(env::var(NAME).expect("it is set"));
    let socket = Channel::connect(name, &options()).expect("it listens");
    match task.as_str() {
        "produce" => {
            let (side, relay) = relayed(socket, Kill::told());
            let pool = Pool::new(HostOptions::new(4096).name("theirs"), 1).expect("a pool");
            produce(&Producer::new(side, &patient()).expect("a producer"), &pool).expect("it goes well");
            relay.into_iter().for_each(|thread| thread.join().expect("it ends"));
        }
        "consume" => {
            let (side, relay) = relayed(socket, Kill::told());
            consume(&Consumer::new(side, &patient()).expect("a consumer")).expect("it goes well");
            relay.into_iter().for_each(|thread| thread.join().expect("it ends"));
        }
        "hold" => {
            let producer = Producer::new(socket, &patient()).expect("a producer");
            let mut buffer = HostBuffer::create(&HostOptions::new(6).name("theirs")).expect("memory");
            buffer.write_at(0, b"theirs").expect("inside");
            producer.offer(&Lend::host(&buffer).expect("a descriptor")).expect("it is taken");
            for_ever();
        }
        "close" => {
            Consumer::new(socket, &patient()).expect("a consumer").close();
            for_ever();
        }
        "check" => {
            let consumer = Consumer::new(socket, &patient()).expect("a consumer");
            let mut checked = 0;
            let error = loop {
                match consumer.next(LONG) {
                    Ok(held) => check(&held),
                    Err(error) => break error,
                }
                checked += 1;
            };
            assert!(error.is_end(), "{error}");
            std::process::exit(checked);
        }
        "many" => many_consumed(&Consumer::new(socket, &patient()).expect("a consumer")),
        other => panic!("what is {other}?"),
    }
}

fn for_ever() -> ! {
    loop {
        thread::park();
    }
}

/// Three leases: one that is released, one that is revoked, one that is ended.
fn produce(producer: &Producer, pool: &Pool) -> Result<(), Error> {
    let offer = |seed| {
        let mut frame = pool.take(LONG)?;
        frame.copy_from(&pattern(4096, seed))?;
        producer.offer(&Lend::pooled(&frame)?)
    };
    released(offer(1)?.wait_released(LONG)?)?;
    released(offer(2)?.revoke(LONG)?)?;
    offer(3)?.end(EndReason::Revoked)?;
    producer.ping(LONG)?;
    producer.close();
    Ok(())
}

/// A lease that ended with the channel is the channel's error.
fn released(end: End) -> Result<(), Error> {
    let End { reason, because, .. } = end;
    if let Some(because) = because {
        return Err(Error::Lost(Lost { reason, because }));
    }
    assert_eq!(reason, EndReason::Released);
    Ok(())
}

fn consume(consumer: &Consumer) -> Result<(), Error> {
    let next = |seed| {
        let held = consumer.next(LONG)?;
        let mut bytes = vec![0; 4096];
        held.host().expect("host memory").copy_to(&mut bytes)?;
        assert_eq!(bytes, pattern(4096, seed));
        Ok::<_, Error>(held)
    };
    drop(next(1)?);
    let held = next(2)?;
    match consumer.next_event(LONG)? {
        Event::Revoked { lease } => assert_eq!(lease, held.lease()),
        event => assert!(has_died(&event), "{event:?}"),
    }
    drop(held);
    let held = next(3)?;
    match consumer.next_event(LONG)? {
        Event::Ended { end, .. } if end.because.is_none() => {
            assert_eq!((end.reason, end.memory), (EndReason::Revoked, MemoryAfter::Stays));
        }
        event => assert!(has_died(&event), "{event:?}"),
    }
    drop(held);
    let lost = consumer.wait_closed(LONG)?;
    assert_eq!(lost.because.code(), Code::PeerClosed);
    Ok(())
}

fn has_died(event: &Event) -> bool {
    matches!(event, Event::Ended { end, .. } if end.reason == EndReason::PeerDied && end.because.is_some())
}

/// Runs the other side again and again, killed at each of its messages, until it is not killed any more.
fn killed_at_every_message(task: &str, mut survive: impl FnMut(Channel, bool)) {
    let meeting = Meeting::new(task);
    for when in [When::Before, When::Half, When::After] {
        let mut at = 1;
        loop {
            let (mut other, channel) = meeting.start(task, Some(Kill { at, when }));
            survive(channel, false);
            let status = other.ends();
            if status.success() {
                break;
            }
            assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{at} {when:?}");
            at += 1;
            assert!(at < 100, "it ends");
        }
        // Two hellos, three offers and answers, a revoke, two releases, two ends, two pings and pongs.
        assert!(at > 16, "it was killed at each of {at} messages");
        let (mut other, channel) = meeting.start(task, None);
        survive(channel, true);
        assert!(other.ends().success(), "the next one goes well");
    }
}

#[test]
fn a_consumer_that_is_killed_at_any_message_gives_everything_back() {
    balanced(|| {
        let pool = Pool::new(HostOptions::new(4096).name("ours"), 1).expect("a pool");
        killed_at_every_message("consume", |channel, lives| {
            let producer = Producer::new(channel, &patient()).expect("a producer");
            let went = produce(&producer, &pool);
            assert!(went.is_ok() || !lives, "{went:?}");
            if let Err(error) = went {
                assert_eq!(error.code(), Code::PeerClosed, "{error}");
                let lost = producer.lost().expect("it ended");
                assert_eq!(lost.reason, EndReason::PeerDied, "{lost}");
            }
            assert!(producer.outstanding().is_empty());
            assert_eq!(pool.counts(), PoolCounts { free: 1, in_use: 0, most: 1 });
        });
    });
}

#[test]
fn a_producer_that_is_killed_at_any_message_is_noticed() {
    balanced(|| {
        killed_at_every_message("produce", |channel, lives| {
            let consumer = Consumer::new(channel, &patient()).expect("a consumer");
            let went = consume(&consumer);
            assert!(went.is_ok() || !lives, "{went:?}");
            if let Err(error) = went {
                assert!(error.code() == Code::PeerClosed, "{error}");
                let lost = consumer.lost().expect("it ended");
                assert_eq!(lost.reason, EndReason::PeerDied, "{lost}");
            }
        });
    });
}

#[test]
fn memory_of_a_producer_that_died_stays_as_it_was() {
    balanced(|| {
        let meeting = Meeting::new("hold");
        let (mut other, channel) = meeting.start("hold", None);
        let consumer = Consumer::new(channel, &patient()).expect("a consumer");
        let held = consumer.next(LONG).expect("it is offered");
        assert!(held.is_over().is_none());
        other.kill();
        let event = consumer.next_event(LONG).expect("it died");
        assert!(has_died(&event), "{event:?}");
        assert_eq!(held.is_over().expect("it is over").memory, MemoryAfter::Stays);
        let mut bytes = [0; 6];
        held.host().expect("host memory").copy_to(&mut bytes).expect("its size");
        assert_eq!(&bytes, b"theirs");
    });
}

#[test]
fn a_process_that_closes_and_lives_on_has_not_died() {
    balanced(|| {
        let meeting = Meeting::new("close");
        let (mut other, channel) = meeting.start("close", None);
        let producer = Producer::new(channel, &patient()).expect("a producer");
        assert_eq!(producer.wait_closed(LONG).expect("it ends").reason, EndReason::PeerClosed);
        other.kill();
    });
}

/// Where bytes are compared: all of what is small, and of the rest the ends and some between.
fn samples(size: u64) -> Vec<(u64, usize)> {
    const WHOLE: u64 = 1 << 20;
    if size <= WHOLE {
        return vec![(0, usize::try_from(size).expect("it is small"))];
    }
    let between = (1..16).map(|part| size / 16 * part + part);
    [0].into_iter().chain(between).chain([size - 64]).map(|position| (position, 64)).collect()
}

fn check(held: &Held) {
    let mapping = held.host().expect("host memory");
    for (position, length) in samples(mapping.size()) {
        let mut bytes = vec![0; length];
        mapping.read_at(position, &mut bytes).expect("inside");
        assert_eq!(bytes, pattern(length, position), "at {position}");
    }
}

#[test]
fn another_process_reads_the_same_bytes() {
    balanced(|| {
        let meeting = Meeting::new("check");
        let (mut other, channel) = meeting.start("check", None);
        let producer = Producer::new(channel, &patient()).expect("a producer");
        let cases = [
            (1, 0),
            (1, 4095),
            (4095, 1),
            (4096, 4096),
            (4097, 3 * 4096 - 1),
            (1 << 20, 12_345),
            ((1 << 20) + 1, 7),
            (4 << 30, 0),
            ((4 << 30) + 1, 4097),
        ];
        for (size, offset) in cases {
            let mut buffer =
                HostBuffer::create(&HostOptions::new(size).offset(offset)).expect("it is sparse");
            for (position, length) in samples(size) {
                buffer.write_at(position, &pattern(length, position)).expect("inside");
            }
            let lease = producer.offer(&Lend::host(&buffer).expect("a descriptor")).expect("it is taken");
            let end = lease.wait_released(LONG).expect("it is given back");
            assert_eq!(end.reason, EndReason::Released, "size {size}");
        }
        producer.close();
        assert_eq!(other.ends().code(), i32::try_from(cases.len()).ok());
    });
}

/// Takes and gives back, and looks at what this process has.
fn many_consumed(consumer: &Consumer) {
    let mut half = None;
    for number in 0..MANY {
        drop(consumer.next(LONG).expect("it is offered"));
        if number == MANY / 2 {
            half = Some((open_fds(), resident()));
        }
    }
    flat(half);
    let _ = consumer.wait_closed(LONG);
}

/// Asserts that no more is open than was half-way, and no more in memory.
fn flat(half: Option<(Vec<String>, usize)>) {
    let (fds, bytes) = half.expect("it was half-way");
    // Half-way, the next offer may have come.
    assert!(open_fds().len() <= fds.len(), "{:?}, and half-way {fds:?}", open_fds());
    let now = resident();
    assert!(now <= bytes + SLACK, "{now} bytes, and half-way {bytes}");
}

#[test]
fn ten_thousand_handoffs_leave_memory_and_file_descriptors_as_they_are() {
    balanced(|| {
        let meeting = Meeting::new("many");
        let (mut other, channel) = meeting.start("many", None);
        let producer = Producer::new(channel, &patient()).expect("a producer");
        let pool = Pool::new(HostOptions::new(4096), 2).expect("a pool");
        let mut half = None;
        for number in 0..MANY {
            let frame = pool.take(LONG).expect("it is free");
            let lease = producer.offer(&Lend::pooled(&frame).expect("a descriptor")).expect("it is taken");
            drop(frame);
            lease.wait_released(LONG).expect("it is given back");
            if number == MANY / 2 {
                half = Some((open_fds(), resident()));
            }
        }
        flat(half);
        assert!(producer.outstanding().is_empty());
        producer.close();
        assert!(other.ends().success());
    });
}

//! One side of leases between two processes, of which one may be killed at any message.
//!
//! `lease-peer produce|consume die SOCKET [AT before|half|after]` connects, and kills itself at that message, in whatever
//! direction it goes, counted from 1. `lease-peer produce|consume survive SOCKET` accepts one peer for each line of its
//! standard input and says what became of it, `whole` or `died`: first `ready`, where it listens, and at the end of the input `clean`, where as much is open
//! and mapped as at the beginning. `tests/python/lease_peer.py` is the same in Python.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufRead as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};
use wirecontract::Code;
use wirecontract_gpu::buffer::{EndReason, MemoryAfter};
use wirecontract_runtime::handoff::{self, Channel, Expected, Listener};
use wirecontract_runtime::host::{HostOptions, Pool, PoolCounts};
use wirecontract_runtime::lease::{
    Consumer, End, Error as LeaseError, Event, Held, Lend, Lost, Options, Producer,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Longer than any machine takes.
const LONG: Duration = Duration::from_secs(120);

/// Bytes of each buffer.
const SIZE: usize = 4096;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        [role, "survive", socket] => survive(role, socket.as_ref()),
        [role, "die", socket] => die(role, socket.as_ref(), None),
        [role, "die", socket, at, when] => at
            .parse()
            .map_err(Into::into)
            .and_then(|at| die(role, socket.as_ref(), Some((at, when.to_owned())))),
        _ => Err("usage: lease-peer produce|consume survive|die SOCKET [AT before|half|after]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> handoff::Options {
    handoff::Options::default().message_timeout(LONG)
}

fn patient() -> Options {
    Options::default().answer_timeout(LONG).hello_timeout(LONG)
}

fn pool() -> Outcome<Pool> {
    Ok(Pool::new(HostOptions::new(SIZE as u64).name("lent"), 1)?)
}

fn survive(role: &str, socket: &Path) -> Outcome<()> {
    let before = open()?;
    let (pool, listener) = (pool()?, Listener::bind(socket, &options())?);
    println!("ready");
    for line in io::stdin().lock().lines() {
        line?;
        let channel = listener.accept_within(LONG)?;
        println!("{}", survive_one(role, channel, &pool)?);
    }
    drop((pool, listener));
    let after = open()?;
    if before != after {
        return Err(format!("expected {before:?} to be open at the end, found {after:?}").into());
    }
    println!("clean");
    Ok(())
}

fn survive_one(role: &str, channel: Channel, pool: &Pool) -> Outcome<&'static str> {
    // Without a handle of its process one that dies looks like one that closes.
    let known = !matches!(channel.peer_process(), Err(handoff::Error::NoPidFd));
    let expected = if known { EndReason::PeerDied } else { EndReason::PeerClosed };
    let (went, lost, outstanding) = if role == "produce" {
        let producer = Producer::new(channel, &patient())?;
        let went = produce(&producer, pool, expected);
        (went, producer.lost(), producer.outstanding().len())
    } else {
        let consumer = Consumer::new(channel, &patient())?;
        (consume(&consumer, expected), consumer.lost(), 0)
    };
    let counts = pool.counts();
    if outstanding > 0 || counts.in_use > 0 {
        return Err(
            format!("expected nothing to be lent any more, found {outstanding} leases, {counts:?}").into()
        );
    }
    let Err(error) = went else { return Ok("whole") };
    let code = error.downcast_ref::<LeaseError>().map(LeaseError::code);
    match lost {
        Some(lost) if code == Some(Code::PeerClosed) && lost.reason == expected => Ok("died"),
        lost => Err(format!("expected {expected:?}, found {lost:?} and {error}").into()),
    }
}

fn die(role: &str, socket: &Path, kill: Option<(usize, String)>) -> Outcome<()> {
    let channel = Channel::connect(socket, &options())?;
    let (side, relay) = relayed(channel, kill)?;
    if role == "produce" {
        let pool = pool()?;
        produce(&Producer::new(side, &patient())?, &pool, EndReason::PeerDied)?;
        let counts = pool.counts();
        if counts != (PoolCounts { free: 1, in_use: 0, most: 1 }) {
            return Err(format!("expected the buffer to be free, found {counts:?}").into());
        }
    } else {
        consume(&Consumer::new(side, &patient())?, EndReason::PeerDied)?;
    }
    relay.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a relay that ends".into()))
}

/// Three leases: one that is released, one that is revoked, one that is ended.
fn produce(producer: &Producer, pool: &Pool, died: EndReason) -> Outcome<()> {
    let offer = |seed| {
        let mut frame = pool.take(LONG)?;
        frame.copy_from(&pattern(seed))?;
        producer.offer(&Lend::pooled(&frame)?)
    };
    released(offer(1)?.wait_released(LONG)?, died)?;
    released(offer(2)?.revoke(LONG)?, died)?;
    offer(3)?.end(EndReason::Revoked)?;
    producer.ping(LONG)?;
    producer.close();
    Ok(())
}

/// A lease that ended with the channel is the channel's error.
fn released(end: End, died: EndReason) -> Outcome<()> {
    match end {
        End { reason, because: Some(because), .. } => {
            assert!(reason == died || because.code() == Code::PeerClosed, "{because}");
            Err(LeaseError::Lost(Lost { reason, because }).into())
        }
        End { reason: EndReason::Released, .. } => Ok(()),
        end => Err(format!("expected a buffer that is given back, found {end:?}").into()),
    }
}

fn consume(consumer: &Consumer, died: EndReason) -> Outcome<()> {
    let next = |seed| -> Outcome<Held> {
        let held = consumer.next(LONG)?;
        let mut bytes = vec![0; SIZE];
        held.host().ok_or("memory of another kind")?.copy_to(&mut bytes)?;
        if bytes != pattern(seed) {
            return Err(format!("expected buffer {seed}, found another").into());
        }
        Ok(held)
    };
    drop(next(1)?);
    let held = next(2)?;
    match consumer.next_event(LONG)? {
        Event::Revoked { lease } if lease == held.lease() => {}
        event => ended_by(&event, died)?,
    }
    drop(held);
    let held = next(3)?;
    match consumer.next_event(LONG)? {
        Event::Ended { end, .. }
            if end.because.is_none()
                && (end.reason, end.memory) == (EndReason::Revoked, MemoryAfter::Stays) => {}
        event => ended_by(&event, died)?,
    }
    drop(held);
    let lost = consumer.wait_closed(LONG)?;
    if lost.because.code() == Code::PeerClosed { Ok(()) } else { Err(lost.to_string().into()) }
}

/// What ended a lease that was to end otherwise.
fn ended_by(event: &Event, died: EndReason) -> Outcome<()> {
    match event {
        Event::Ended { end: End { reason, because: Some(because), .. }, .. } if *reason == died => {
            Err(LeaseError::Lost(Lost { reason: *reason, because: Arc::clone(because) }).into())
        }
        event => Err(format!("expected another event, found {event:?}").into()),
    }
}

fn pattern(seed: usize) -> Vec<u8> {
    let byte = |at: usize| (at * 31 + seed).to_le_bytes()[0];
    (0..SIZE).map(byte).collect()
}

/// The file descriptors and the memfds that are mapped.
fn open() -> io::Result<(usize, Vec<String>)> {
    let maps = fs::read_to_string("/proc/self/maps")?;
    let mapped = maps.lines().filter(|line| line.contains("memfd:")).map(str::to_owned).collect();
    Ok((fs::read_dir("/proc/self/fd")?.count(), mapped))
}

/// Hands messages on between a side and the socket, and kills this process at the one that it was told.
struct Relay {
    side: Channel,
    socket: Channel,
    count: AtomicUsize,
    kill: Option<(usize, String)>,
}

/// The side's end of a relayed channel, and what ends when all is handed on.
fn relayed(socket: Channel, kill: Option<(usize, String)>) -> Outcome<(Channel, [JoinHandle<()>; 2])> {
    let (side, other) = Channel::pair(&options())?;
    let relay = Arc::new(Relay { side: other, socket, count: AtomicUsize::new(0), kill });
    let back = Arc::clone(&relay);
    let there = thread::spawn(move || relay.forward(&relay.side, &relay.socket));
    let here = thread::spawn(move || back.forward(&back.socket, &back.side));
    Ok((side, [there, here]))
}

impl Relay {
    fn forward(&self, from: &Channel, to: &Channel) {
        let expected = Expected::bytes(1 << 20).fds(0..=253);
        while let Ok(message) = from.recv(&expected) {
            let number = 1 + self.count.fetch_add(1, Ordering::SeqCst);
            let when = self.kill.as_ref().filter(|(at, _)| *at == number).map(|(_, when)| when.as_str());
            let fds: Vec<_> = message.fds.iter().map(OwnedFd::as_fd).collect();
            match when {
                Some("before") => killed(),
                Some("half") => {
                    let length = u32::try_from(message.body.len()).expect("it is short");
                    let framed = [&length.to_be_bytes()[..], &message.body].concat();
                    let socket = to.as_fd().try_clone_to_owned().expect("a descriptor");
                    let _ = File::from(socket).write(&framed[..framed.len() / 2]);
                    killed();
                }
                _ => {}
            }
            let sent = to.send(&message.body, &fds);
            if when == Some("after") {
                killed();
            }
            if sent.is_err() {
                break;
            }
        }
        let _ = (from.close(), to.close());
    }
}

fn killed() -> ! {
    kill_process(getpid(), Signal::KILL).expect("it is this process");
    loop {
        thread::park();
    }
}

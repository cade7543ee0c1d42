//! One side of leases between two processes, of which one may be killed at any message.
//!
//! `lease-peer produce|consume die SOCKET [AT before|half|after]` connects, and kills itself at that message, in whatever
//! direction it goes, counted from 1. `lease-peer produce|consume survive SOCKET` accepts one peer for each line of its
//! standard input and says what became of it, `whole` or `died`: first `ready`, where it listens, and at the end of the input `clean`, where as much is open
//! and mapped as at the beginning. `tests/python/lease_peer.py`, `tests/c/lease_peer.c` and `tests/c/lease_peer.cpp` are the
//! same.

use std::error::Error;
use std::io::{self, BufRead as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use wirecontract::Code;
use wirecontract_gpu::buffer::{EndReason, MemoryAfter};
use wirecontract_runtime::handoff::{self, Channel, Listener};
use wirecontract_runtime::host::{HostOptions, Pool, PoolCounts};
use wirecontract_runtime::lease::{
    Consumer, End, Error as LeaseError, Event, Held, Lend, Lost, Options, Producer,
};
use wirecontract_tests::relay::{self, Kill, LONG, opened, relayed};

type Outcome<T> = Result<T, Box<dyn Error>>;

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

fn patient() -> Options {
    Options::default().answer_timeout(LONG).hello_timeout(LONG)
}

fn pool() -> Outcome<Pool> {
    Ok(Pool::new(HostOptions::new(SIZE as u64).name("lent"), 1)?)
}

fn survive(role: &str, socket: &Path) -> Outcome<()> {
    let before = opened()?;
    let (pool, listener) = (pool()?, Listener::bind(socket, &relay::patient())?);
    println!("ready");
    for line in io::stdin().lock().lines() {
        line?;
        let channel = listener.accept_within(LONG)?;
        println!("{}", survive_one(role, channel, &pool)?);
    }
    drop((pool, listener));
    let after = opened()?;
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

fn die(role: &str, socket: &Path, kill: Kill) -> Outcome<()> {
    let channel = Channel::connect(socket, &relay::patient())?;
    let (side, relay) = relayed(channel, &relay::patient(), kill)?;
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

//! One side of handoffs between two processes, of which one may be killed at any message.
//!
//! `handoff-survivor send|take die SOCKET [AT before|half|after]` connects, and kills itself at that message, in whatever
//! direction it goes, counted from 1. `handoff-survivor send|take survive SOCKET` accepts one peer for each line of its
//! standard input and says what became of it, `whole` or `died`: first `ready`, where it listens, and at the end of the
//! input `clean`, where as much is open and mapped as at the beginning. `tests/python/handoff_survivor.py`,
//! `tests/c/handoff_survivor.c` and `tests/c/handoff_survivor.cpp` are the same.

use std::error::Error;
use std::io::{self, BufRead as _};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::ExitCode;

use wirecontract::{Code, Contract as _, WireContract as _};
use wirecontract_gpu::buffer::SharedBuffer;
use wirecontract_runtime::handoff::{self, Channel, Expected, Listener};
use wirecontract_runtime::host::{Access, HostBuffer, HostMapping, HostOptions, Import};
use wirecontract_runtime::lease::Lend;
use wirecontract_tests::relay::{Kill, LONG, opened, patient, relayed};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Bytes of each buffer.
const SIZE: usize = 4096;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        [role, "survive", socket] => survive(role == "send", socket.as_ref()),
        [role, "die", socket] => die(role == "send", socket.as_ref(), None),
        [role, "die", socket, at, when] => at
            .parse()
            .map_err(Into::into)
            .and_then(|at| die(role == "send", socket.as_ref(), Some((at, when.to_owned())))),
        _ => Err("usage: handoff-survivor send|take survive|die SOCKET [AT before|half|after]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Both sides say what they speak.
fn options() -> handoff::Options {
    patient().speaks::<SharedBuffer>()
}

fn survive(sends: bool, socket: &Path) -> Outcome<()> {
    let before = opened()?;
    let listener = Listener::bind(socket, &options())?;
    println!("ready");
    for line in io::stdin().lock().lines() {
        line?;
        let channel = listener.accept_within(LONG)?;
        match exchange(&channel, sends) {
            Ok(()) => println!("whole"),
            Err(error) => {
                let code = error.downcast_ref::<handoff::Error>().map(handoff::Error::code);
                if code != Some(Code::PeerClosed) {
                    return Err(error);
                }
                println!("died");
            }
        }
    }
    drop(listener);
    let after = opened()?;
    if before != after {
        return Err(format!("expected {before:?} to be open at the end, found {after:?}").into());
    }
    println!("clean");
    Ok(())
}

fn die(sends: bool, socket: &Path, kill: Kill) -> Outcome<()> {
    let (side, relay) = relayed(Channel::connect(socket, &patient())?, &options(), kill)?;
    exchange(&side, sends)?;
    drop(side);
    relay.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a relay that ends".into()))
}

/// A buffer, two more, and one back.
fn exchange(channel: &Channel, sends: bool) -> Outcome<()> {
    if channel.agreed::<SharedBuffer>(LONG)?.wire_id != SharedBuffer::WIRE_ID {
        return Err("another contract than this build's".into());
    }
    if sends {
        give(channel, &[1])?;
        hear(channel, b"taken")?;
        give(channel, &[2, 3])?;
        get(channel, &[4])?;
        return Ok(channel.send(b"done", &[])?);
    }
    get(channel, &[1])?;
    channel.send(b"taken", &[])?;
    get(channel, &[2, 3])?;
    give(channel, &[4])?;
    hear(channel, b"done")?;
    if channel.wait_closed(LONG)? { Ok(()) } else { Err("expected the other side to close".into()) }
}

/// Sends buffers of these seeds.
fn give(channel: &Channel, seeds: &[usize]) -> Outcome<()> {
    let (mut body, mut fds) = (Vec::new(), Vec::new());
    for &seed in seeds {
        let mut buffer = HostBuffer::create(&HostOptions::new(SIZE as u64).name("handed"))?;
        buffer.copy_from(&pattern(seed))?;
        body.extend_from_slice(&Lend::host(&buffer)?.buffer().to_bytes()?);
        fds.push(buffer.try_clone_fd()?);
    }
    let lent: Vec<_> = fds.iter().map(|fd| fd.as_fd()).collect();
    Ok(channel.send(&body, &lent)?)
}

/// Receives as many, and looks at every byte of them.
fn get(channel: &Channel, seeds: &[usize]) -> Outcome<()> {
    let count = seeds.len();
    let expected = Expected::bytes(count * SharedBuffer::WIRE_SIZE).fds(count..=count);
    let message = channel.recv_within(&expected, LONG)?;
    let descriptors = message.body.chunks(SharedBuffer::WIRE_SIZE);
    for ((fd, bytes), &seed) in message.fds.into_iter().zip(descriptors).zip(seeds) {
        let SharedBuffer { size, allocation_size, offset, .. } = SharedBuffer::from_bytes(bytes)?;
        let import = Import { size, allocation_size, offset, access: Access::ReadOnly };
        let mut found = vec![0; SIZE];
        HostMapping::import(fd, &import)?.copy_to(&mut found)?;
        if found != pattern(seed) {
            return Err(format!("expected buffer {seed}, found another").into());
        }
    }
    Ok(())
}

fn hear(channel: &Channel, word: &[u8]) -> Outcome<()> {
    let message = channel.recv_within(&Expected::bytes(16), LONG)?;
    if message.body == word { Ok(()) } else { Err("another word than was expected".into()) }
}

fn pattern(seed: usize) -> Vec<u8> {
    let byte = |at: usize| (at * 31 + seed).to_le_bytes()[0];
    (0..SIZE).map(byte).collect()
}

//! One side of a handoff between two processes: `handoff-peer listen|connect SOCKET SIZE OFFSET FDS [packets]`.
//!
//! Who listens sends first, a message of `FDS` descriptors with as many buffers, and then receives one from who connects.
//! What is in them the other side knows. `tests/python/handoff_peer.py` is the same in Python.

use std::error::Error;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use wirecontract::{Flags, WireContract as _};
use wirecontract_gpu::buffer::{BufferFlag, BufferKind, SharedBuffer};
use wirecontract_runtime::handoff::{self, Channel, Expected, Framing, Listener, Options};
use wirecontract_runtime::host::{Access, HostBuffer, HostFile, HostMapping, HostOptions, Import};

type Outcome<T> = Result<T, Box<dyn Error>>;

const SECONDS: Duration = Duration::from_secs(60);

/// How long it is tried to connect.
const PATIENCE: Duration = Duration::from_secs(30);

/// Of a larger window only the ends are touched.
const WHOLE: u64 = 1 << 20;
const END: u64 = 65_536;

/// Bytes of a `SharedBuffer`.
const DESCRIPTOR: usize = 448;

/// The buffers of one message.
#[derive(Clone, Copy)]
struct Case {
    size: u64,
    offset: u64,
    fds: usize,
}

/// Whose bytes they are: 0 of who listens, 1 of who connects.
type Side = u64;

fn main() -> ExitCode {
    let run = || {
        let open = open_fds()?;
        let said = meet(&env::args().skip(1).collect::<Vec<_>>())?;
        let left = open_fds()?;
        if left != open {
            return Err(format!("expected {open} open file descriptors at the end, found {left}").into());
        }
        Ok::<_, Box<dyn Error>>(said)
    };
    match run() {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn open_fds() -> io::Result<usize> {
    Ok(fs::read_dir("/proc/self/fd")?.count())
}

fn meet(arguments: &[String]) -> Outcome<String> {
    let [role, socket, size, offset, fds, rest @ ..] = arguments else {
        return Err("usage: handoff-peer listen|connect SOCKET SIZE OFFSET FDS [packets]".into());
    };
    let case = Case { size: size.parse()?, offset: offset.parse()?, fds: fds.parse()? };
    let mut options = Options::default().message_timeout(SECONDS).idle_timeout(SECONDS);
    if rest == ["packets"] {
        options = options.framing(Framing::SeqPacket);
    }
    match role.as_str() {
        "listen" => {
            let channel = Listener::bind(Path::new(socket), &options)?.accept_within(SECONDS)?;
            case.send(&channel, 0)?;
            case.receive(&channel, 1)?;
        }
        "connect" => {
            let channel = connect(Path::new(socket), &options)?;
            case.receive(&channel, 0)?;
            case.send(&channel, 1)?;
        }
        other => return Err(format!("expected listen or connect, found {other}").into()),
    }
    Ok(format!("ok {} {}", case.fds, case.size))
}

/// Connects as soon as somebody listens.
fn connect(socket: &Path, options: &Options) -> Outcome<Channel> {
    let since = Instant::now();
    loop {
        match Channel::connect(socket, options) {
            Err(handoff::Error::Io { .. }) if since.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(5));
            }
            connected => return Ok(connected?),
        }
    }
}

impl Case {
    fn send(self, channel: &Channel, side: Side) -> Outcome<()> {
        let mut body = Vec::with_capacity(self.fds * DESCRIPTOR);
        let mut buffers = Vec::with_capacity(self.fds);
        let mut fds = Vec::with_capacity(self.fds);
        for number in 0..self.fds {
            let mut buffer = HostBuffer::create(&HostOptions::new(self.size).offset(self.offset))?;
            for (start, end) in self.written() {
                buffer.write_at(start, &pattern(start, end, number, side))?;
            }
            body.extend(described(&buffer.describe()).to_bytes()?);
            fds.push(buffer.try_clone_fd()?);
            buffers.push(buffer);
        }
        let fds: Vec<BorrowedFd<'_>> = fds.iter().map(OwnedFd::as_fd).collect();
        Ok(channel.send(&body, &fds)?)
    }

    fn receive(self, channel: &Channel, side: Side) -> Outcome<()> {
        let length = self.fds * DESCRIPTOR;
        let message = channel.recv(&Expected::bytes(length).fds(self.fds..=self.fds))?;
        if message.body.len() != length {
            return Err(format!("expected {length} bytes, found {}", message.body.len()).into());
        }
        let mut mappings = Vec::with_capacity(self.fds);
        for (number, (descriptor, fd)) in message.body.chunks(DESCRIPTOR).zip(message.fds).enumerate() {
            let buffer = SharedBuffer::from_bytes(descriptor)?;
            buffer.validate_import()?;
            if (buffer.size, buffer.offset) != (self.size, self.offset) {
                let found = format!("{} at {}", buffer.size, buffer.offset);
                return Err(format!("expected {} at {}, found {found}", self.size, self.offset).into());
            }
            let numbers = Import {
                size: buffer.size,
                allocation_size: buffer.allocation_size,
                offset: buffer.offset,
                access: Access::ReadOnly,
            };
            let mapping = HostMapping::import(fd, &numbers)?;
            self.check(&mapping, &numbers, number, side)?;
            mappings.push(mapping);
        }
        Ok(())
    }

    /// Every byte that was written, and that around the buffer there are zeros.
    fn check(self, mapping: &HostMapping, numbers: &Import, number: usize, side: Side) -> Outcome<()> {
        for (start, end) in self.written() {
            let expected = pattern(start, end, number, side);
            let mut found = vec![0; expected.len()];
            mapping.read_at(start, &mut found)?;
            same(&found, &expected, start, number)?;
        }
        let whole = Import { offset: 0, size: numbers.allocation_size, ..*numbers };
        let around = HostFile::import(mapping.try_clone_fd()?, &whole)?;
        let behind = self.offset + self.size;
        for (start, end) in [(0, self.offset), (behind, numbers.allocation_size)] {
            let mut found = vec![0xff; usize::try_from(end - start)?];
            around.read_at(start, &mut found)?;
            same(&found, &vec![0; found.len()], start, number)?;
        }
        Ok(())
    }

    /// The parts of the window that are written.
    fn written(self) -> Vec<(u64, u64)> {
        if self.size <= WHOLE { vec![(0, self.size)] } else { vec![(0, END), (self.size - END, self.size)] }
    }
}

/// The bytes of a window, of the buffer of that number.
fn pattern(start: u64, end: u64, number: usize, side: Side) -> Vec<u8> {
    let seed = number as u64 * 7 + side * 101;
    let byte = |at: u64| (at * 31 + (at >> 12) + seed).to_le_bytes()[0];
    (start..end).map(byte).collect()
}

fn same(found: &[u8], expected: &[u8], start: u64, number: usize) -> Outcome<()> {
    match found.iter().zip(expected).position(|(found, expected)| found != expected) {
        None => Ok(()),
        Some(at) => Err(format!(
            "buffer {number}, byte {}: expected {}, found {}",
            start + at as u64,
            expected[at],
            found[at]
        )
        .into()),
    }
}

fn described(numbers: &Import) -> SharedBuffer {
    let whole = SharedBuffer::new(BufferKind::HostMemfd, numbers.allocation_size);
    SharedBuffer {
        flags: Flags::from(BufferFlag::ReadOnly),
        size: numbers.size,
        offset: numbers.offset,
        ..whole
    }
}

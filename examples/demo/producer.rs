//! The producer of the demo: fills one hyperspectral cube in host memory and lends it to two processes at once. It hears
//! both before it fills the cube, which may take longer than a hello is waited for.
//!
//! `demo_producer SOCKET LINES SAMPLES BANDS SECONDS`: as long it takes to fill the cube, at least. What it does it says as
//! JSON on its standard output, a line each; what it is told comes on its standard input, and the end of that ends it.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead as _};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use wirecontract_gpu::buffer::{ElementType, EndReason};
use wirecontract_gpu::dlpack::DLDataTypeCode;
use wirecontract_runtime::handoff::{self, Listener};
use wirecontract_runtime::host::{HostBuffer, HostOptions};
use wirecontract_runtime::lease::{Lend, Options, Producer};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Longer than any machine takes.
const LONG: Duration = Duration::from_secs(120);

/// How many the cube is lent to.
const CONSUMERS: usize = 2;

/// Word `at` of a line is `(line * LINE + at) * STEP`, of which 16 bits are there: so it is the same again after `TURN`,
/// and before that never.
const STEP: u64 = 25_717;
const LINE: u64 = 40_503;
const TURN: u64 = 1 << 16;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("producer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome<()> {
    let before = open()?;
    lend()?;
    let (fds, mapped) = open()?;
    say(&format!(r#""event":"left","fds":{},"mapped":{mapped}"#, fds.saturating_sub(before.0)));
    Ok(())
}

fn lend() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [socket, lines, samples, bands, seconds] = &arguments[..] else {
        return Err("usage: demo_producer SOCKET LINES SAMPLES BANDS SECONDS".into());
    };
    let shape = [lines.parse()?, samples.parse()?, bands.parse()?];
    let options = handoff::Options::default().message_timeout(LONG);
    let listener = Listener::bind(Path::new(socket), &options)?;
    say(r#""event":"listening""#);
    let producers = (0..CONSUMERS).map(|_| joined(&listener)).collect::<Outcome<Vec<_>>>()?;
    // Nobody else is to find the socket.
    drop(listener);
    say(r#""event":"joined""#);

    let since = Instant::now();
    let cube = cube(shape, Duration::from_secs(seconds.parse()?), &producers)?;
    say(&mapped(&cube, since.elapsed())?);

    let element = ElementType::new(DLDataTypeCode::UInt, 16);
    let cube_to_lend = Lend::host(&cube)?.tensor(element, &shape)?;
    let since = Instant::now();
    let leases = producers.iter().map(|producer| producer.offer(&cube_to_lend));
    let leases = leases.collect::<Result<Vec<_>, _>>()?;
    say(&format!(r#""event":"lent","seconds":{}"#, since.elapsed().as_secs_f64()));

    told("weigh")?;
    say(&weighed(cube.as_ptr() as usize)?);
    for lease in leases {
        // Who looks at the cube may take any time; where nobody does any more, the consumers end.
        let end = lease.wait_released(None)?;
        if end.reason != EndReason::Released {
            return Err(format!("expected a cube that is given back, found {end:?}").into());
        }
    }
    say(r#""event":"released""#);
    told("end")
}

/// The next consumer, once both sides have said hello.
fn joined(listener: &Listener) -> Outcome<Producer> {
    let patient = Options::default().answer_timeout(LONG).hello_timeout(LONG);
    let producer = Producer::new(listener.accept_within(LONG)?, &patient)?;
    producer.ping(LONG)?;
    Ok(producer)
}

/// The cube, filled line by line in no less than that time: of `u16`, in this machine's order. Refused where a consumer
/// goes meanwhile.
fn cube(shape: [i64; 3], least: Duration, producers: &[Producer]) -> Outcome<HostBuffer> {
    let [lines, samples, bands] = shape.map(|extent| u64::try_from(extent).unwrap_or(0));
    let words = samples.checked_mul(bands).ok_or("a line of too many words")?;
    let bytes = words.checked_mul(2).ok_or("a line of too many bytes")?;
    let size = bytes.checked_mul(lines).ok_or("a cube of too many bytes")?;
    let mut cube = HostBuffer::create(&HostOptions::new(size).name("hyperspectral cube"))?;
    // Every line is a part of one table: as long as a line, behind wherever it may begin.
    let word = |at: u64| {
        let [low, high, ..] = at.wrapping_mul(STEP).to_le_bytes();
        u16::from_le_bytes([low, high]).to_ne_bytes()
    };
    let table: Vec<u8> = (0..TURN + words).flat_map(word).collect();
    let pause = least.checked_div(u32::try_from(lines)?).ok_or("a cube without lines")?;
    let mut before = Instant::now();
    for line in 0..lines {
        let start = usize::try_from(line.wrapping_mul(LINE) % TURN * 2)?;
        cube.write_at(line * bytes, &table[start..start + usize::try_from(bytes)?])?;
        thread::sleep(pause);
        if before.elapsed() > Duration::from_secs(1) {
            before = Instant::now();
            say(&format!(r#""event":"progress","lines":{}"#, line + 1));
            producers.iter().try_for_each(Producer::poll)?;
        }
    }
    Ok(cube)
}

/// What this process has mapped of the cube.
fn mapped(cube: &HostBuffer, took: Duration) -> Outcome<String> {
    let address = cube.as_ptr() as usize;
    let (line, _) = mapping(address)?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let [_, permissions, _, device, inode, ..] = words[..] else {
        return Err("a mapping without a file".into());
    };
    Ok(format!(
        r#""event":"mapped","pid":{},"bytes":{},"address":"{address:#x}","permissions":"{permissions}","file":"{device} {inode}","seconds":{}"#,
        std::process::id(),
        cube.size(),
        took.as_secs_f64(),
    ))
}

/// What the pages of the mapping weigh: all that are here, this process's part of them, and those that are its own.
fn weighed(address: usize) -> Outcome<String> {
    let (_, rest) = mapping(address)?;
    let sum = |names: &[&str]| -> u64 {
        let of = |name: &&str| rest.lines().find_map(|line| line.strip_prefix(*name)).and_then(kilobytes);
        names.iter().filter_map(of).sum::<u64>() * 1024
    };
    Ok(format!(
        r#""event":"weighed","rss":{},"pss":{},"private":{}"#,
        sum(&["Rss:"]),
        sum(&["Pss:"]),
        sum(&["Private_Clean:", "Private_Dirty:"]),
    ))
}

fn kilobytes(text: &str) -> Option<u64> {
    text.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// The line of `/proc/self/smaps` of the mapping at an address, and what stands below it.
fn mapping(address: usize) -> Outcome<(String, String)> {
    let maps = fs::read_to_string("/proc/self/smaps")?;
    let begins = format!("{address:x}-");
    let at = maps.find(&format!("\n{begins}")).map(|at| at + 1).ok_or("expected the cube to be mapped")?;
    let (line, rest) = maps[at..].split_once('\n').ok_or("a mapping without a weight")?;
    let rest = rest.split_once("VmFlags:").map_or(rest, |(rest, _)| rest);
    Ok((line.to_owned(), rest.to_owned()))
}

/// How many file descriptors are open, and how many memfds are mapped.
fn open() -> io::Result<(usize, usize)> {
    let maps = fs::read_to_string("/proc/self/maps")?;
    let mapped = maps.lines().filter(|line| line.contains("/memfd:")).count();
    Ok((fs::read_dir("/proc/self/fd")?.count(), mapped))
}

fn say(members: &str) {
    println!("{{{members}}}");
}

/// Waits to be told something.
fn told(expected: &str) -> Outcome<()> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    if line.trim_end() == expected {
        Ok(())
    } else {
        Err(format!("expected {expected}, found {line:?}").into())
    }
}

//! Handoffs of `cargo xtask bench`: a payload and the file descriptor of the memory that it describes, from socket to
//! mapping.
//!
//!     handoff agree INPUTS        says what comes of every input with every kind of file descriptor
//!     handoff measure INPUTS N    nanoseconds of processor time for a round trip of the first input, N times
//!     handoff sustained N         handoffs a second to N consumers
//!     handoff import              nanoseconds of processor time for an import of 4 KiB, and of 4 GiB
//!     handoff agree-shared        says what comes of every variant of a `SharedBuffer`
//!     handoff measure-shared N    the same as `measure`, of a `SharedBuffer`

mod agree;
mod import;
mod round_trip;
mod shared;
mod sustained;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use wirecontract_bench::corpus;
use wirecontract_runtime::handoff::{ByteOrder, Channel, Framing, Options, Prefix};

/// What a side fails with, in words.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["agree", inputs] => read(inputs).and_then(|inputs| agree::all(&inputs)),
        ["measure", inputs, times] => {
            read(inputs).and_then(|inputs| round_trip::measure(&inputs[0], times.parse()?))
        }
        ["sustained", consumers] => consumers.parse().map_err(Into::into).and_then(sustained::measure),
        ["import"] => import::measure(),
        ["agree-shared"] => shared::agree(),
        ["measure-shared", times] => times.parse().map_err(Into::into).and_then(shared::measure),
        _ => Err("expected `agree INPUTS`, `measure INPUTS N`, `sustained N`, `import`, `agree-shared` or \
                  `measure-shared N`"
            .into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read(path: &str) -> Outcome<Vec<Vec<u8>>> {
    Ok(corpus::read(Path::new(path))?)
}

/// A pair as both sides have it: a stream, whose length goes with the body.
fn pair() -> Outcome<(Channel, Channel)> {
    let framing = Framing::Stream { length: ByteOrder::Big, prefix: Prefix::Joined };
    Ok(Channel::pair(&Options::default().framing(framing))?)
}

/// Processor time of this thread, in nanoseconds.
fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let time = Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0));
    time.as_secs_f64() * 1e9
}

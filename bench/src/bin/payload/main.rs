//! The Rust side of `cargo xtask bench`: shows that the peers agree, and calls one entry point many times for
//! callgrind to count.
//!
//!     payload agree INPUTS            every peer gives the contract's verdicts and values, nothing allocates
//!     payload call ENTRY INPUTS N     calls an entry N times on every input that is valid

mod agree;
mod allocations;
mod entries;

use std::path::Path;
use std::process::ExitCode;

use wirecontract::WireContract as _;
use wirecontract_bench::corpus;
use wirecontract_gpu::cuvis::CudaIpcPayload;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["agree", inputs] => read(inputs).and_then(|inputs| agree::all(&inputs)),
        ["call", entry, inputs, times] => read(inputs).and_then(|inputs| call(entry, inputs, times)),
        _ => Err("expected `agree INPUTS` or `call ENTRY INPUTS N`".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn read(path: &str) -> Result<Vec<Vec<u8>>, String> {
    corpus::read(Path::new(path)).map_err(|error| format!("cannot read the inputs in {path}: {error}"))
}

fn call(entry: &str, mut inputs: Vec<Vec<u8>>, times: &str) -> Result<(), String> {
    let times = times.parse().map_err(|_| format!("expected a number of calls, found `{times}`"))?;
    inputs.retain(|input| CudaIpcPayload::from_bytes(input).is_ok());
    if entries::call(entry, &inputs, times) {
        println!("{}", times * inputs.len());
        Ok(())
    } else {
        Err(format!("there is no entry `{entry}`"))
    }
}

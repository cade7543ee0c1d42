//! The JSON side of `cargo xtask bench`, and rules: shows that the peers agree, and calls one entry point many times
//! for callgrind to count.
//!
//!     json agree DOCUMENTS            every peer gives the contract's verdicts and values
//!     json call ENTRY DOCUMENTS N     calls an entry N times on every document of the sample

mod agree;
mod c;
mod documents;
mod entries;

use std::process::ExitCode;

use documents::Documents;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["agree", path] => Documents::read(path).and_then(|documents| agree::all(&documents)),
        ["call", entry, path, times] => Documents::read(path).and_then(|it| call(entry, &it, times)),
        _ => Err("expected `agree DOCUMENTS` or `call ENTRY DOCUMENTS N`".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn call(entry: &str, documents: &Documents, times: &str) -> Result<(), String> {
    let times = times.parse().map_err(|_| format!("expected a number of calls, found `{times}`"))?;
    match entries::call(entry, documents, times) {
        Some(calls) => {
            println!("{calls}");
            Ok(())
        }
        None => Err(format!("there is no entry `{entry}`")),
    }
}

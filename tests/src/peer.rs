//! A program that greets its peer over standard input and output, and then sends or reads what was agreed on.
//!
//! Both sides write their hello first, then read the other one's; a message is its length in four bytes, the least
//! significant first, and a document. What comes of it is said on the standard error: `sent VERSION DOCUMENT`,
//! `read VERSION DOCUMENT`, or why not.

use std::error::Error;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use wirecontract::hello::Hello;
use wirecontract::{Contract, WireJson};

/// Runs the side that the first argument names: `sends` or `reads`.
pub fn run<T: Contract + WireJson + Default>() -> ExitCode {
    match attempt::<T>(std::env::args().nth(1).as_deref() == Some("sends")) {
        Ok(said) => {
            eprintln!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("refused {error}");
            ExitCode::FAILURE
        }
    }
}

fn attempt<T: Contract + WireJson + Default>(sends: bool) -> Result<String, Box<dyn Error>> {
    let ours = Hello::of::<T>();
    send(&ours.to_json()?)?;
    let theirs = Hello::read(&receive()?)?;
    let agreed = ours.agree::<T>(&theirs)?;
    if sends {
        let document = T::default().to_json()?;
        send(&document)?;
        return Ok(format!("sent {} {document}", agreed.version));
    }
    let value = T::from_json(&receive()?)?;
    Ok(format!("read {} {}", agreed.version, value.to_json()?))
}

fn send(document: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let length = u32::try_from(document.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(document.as_bytes())?;
    out.flush()
}

/// Longer messages than a hello may be are refused before memory is taken.
fn receive() -> io::Result<Vec<u8>> {
    let mut input = io::stdin().lock();
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > Hello::MAX_BYTES {
        return Err(io::Error::other(format!("a message of {length} bytes")));
    }
    let mut document = vec![0; length];
    input.read_exact(&mut document)?;
    Ok(document)
}

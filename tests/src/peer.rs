//! A program that greets its peer over standard input and output, and then sends or reads what was agreed on.
//!
//! Both sides write their hello first, then read the other one's; a message is its length in four bytes, the least
//! significant first, and a document or the bytes of a descriptor. What comes of it is said on the standard error: `sent VERSION PAYLOAD`,
//! `read VERSION PAYLOAD`, or why not.

use std::error::Error;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use wirecontract::hello::Hello;
use wirecontract::{Contract, WireContract, WireJson};

/// Runs the side that the first argument names, `sends` or `reads`, with a recipe, or with a descriptor where the second
/// argument is `frame`; `show` says what is in that.
pub fn run<R, D>(show: impl Fn(&D) -> String) -> ExitCode
where
    R: WireJson + Default,
    D: WireContract + Default,
{
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sends = arguments.first().is_some_and(|role| role == "sends");
    let said = if arguments.get(1).is_some_and(|what| what == "frame") {
        let write = || Ok((D::default().to_bytes()?.as_ref().to_vec(), show(&D::default())));
        attempt::<D>(sends, write, |bytes| Ok(show(&D::from_bytes(bytes)?)))
    } else {
        let write = || Ok((R::default().to_json()?.into_bytes(), R::default().to_json()?));
        attempt::<R>(sends, write, |document| Ok(R::from_json(document)?.to_json()?))
    };
    match said {
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

type Outcome<T> = Result<T, Box<dyn Error>>;

fn attempt<T: Contract>(
    sends: bool,
    write: impl Fn() -> Outcome<(Vec<u8>, String)>,
    read: impl Fn(&[u8]) -> Outcome<String>,
) -> Outcome<String> {
    let ours = Hello::of::<T>();
    send(ours.to_json()?.as_bytes())?;
    let theirs = Hello::read(&receive()?)?;
    let agreed = ours.agree::<T>(&theirs)?;
    if sends {
        let (payload, said) = write()?;
        send(&payload)?;
        return Ok(format!("sent {} {said}", agreed.version));
    }
    Ok(format!("read {} {}", agreed.version, read(&receive()?)?))
}

fn send(payload: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(payload)?;
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

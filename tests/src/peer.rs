//! A program that greets its peer over standard input and output, and then sends or reads what was agreed on.
//!
//! Both sides write their hello first, then read the other one's; a message is its length in four bytes, the least
//! significant first, and a document or the bytes of a descriptor. What comes of it is said on the standard error:
//! `sent VERSION PAYLOAD`, `read VERSION PAYLOAD`, or why not.
//!
//! With `channel` for a third argument it goes over the channel that the standard input is, whose own hello says what is
//! spoken. A number behind it is how many milliseconds the peer's hello is waited for.

use std::error::Error;
use std::io::{self, Read, Write};
use std::os::fd::AsFd as _;
use std::process::ExitCode;
use std::time::Duration;

use wirecontract::hello::Hello;
use wirecontract::{Contract, WireContract, WireError, WireJson};
use wirecontract_runtime::handoff::{Channel, Expected, Options};

/// Longer than any machine takes.
const LONG: Duration = Duration::from_secs(120);

/// What a build knows of its frames.
#[derive(Debug)]
pub struct Frames<D> {
    /// The frame that it sends: what every version has, and the defaults of the rest.
    pub plain: D,
    /// One that only the newest version has.
    pub tuned: D,
    /// What is in one.
    pub show: fn(&D) -> String,
    /// The bytes of one as a version has them.
    pub write: fn(&D, u32) -> Result<Vec<u8>, WireError>,
}

/// Runs the side that the first argument names, `sends` or `reads`, with a recipe, or with a descriptor where the second
/// argument is `frame` or `tuned_frame`.
pub fn run<R, D>(frames: &Frames<D>) -> ExitCode
where
    R: WireJson + Default,
    D: WireContract,
{
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sends = arguments.first().is_some_and(|role| role == "sends");
    let is_channel = arguments.get(2).is_some_and(|way| way == "channel");
    let patience =
        arguments.get(3).and_then(|number| number.parse().ok()).map_or(LONG, Duration::from_millis);
    let of_frame = |frame: &D| {
        let write = |version| Ok(((frames.write)(frame, version)?, (frames.show)(frame)));
        let read = |bytes: &[u8]| Ok((frames.show)(&D::from_bytes(bytes)?));
        if is_channel {
            return over_channel::<D>(sends, patience, write, read);
        }
        attempt::<D>(sends, write, read)
    };
    let of_request = || {
        let write = |_| Ok((R::default().to_json()?.into_bytes(), R::default().to_json()?));
        let read = |document: &[u8]| Ok(R::from_json(document)?.to_json()?);
        if is_channel {
            return over_channel::<R>(sends, patience, write, read);
        }
        attempt::<R>(sends, write, read)
    };
    let said = match arguments.get(1).map(String::as_str) {
        Some("frame") => of_frame(&frames.plain),
        Some("tuned_frame") => of_frame(&frames.tuned),
        _ => of_request(),
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
    write: impl Fn(u32) -> Outcome<(Vec<u8>, String)>,
    read: impl Fn(&[u8]) -> Outcome<String>,
) -> Outcome<String> {
    let ours = Hello::of::<T>();
    send(ours.to_json()?.as_bytes())?;
    let theirs = Hello::read(&receive()?)?;
    let agreed = ours.agree::<T>(&theirs)?;
    if sends {
        let (payload, said) = write(agreed.version)?;
        send(&payload)?;
        return Ok(format!("sent {} {said}", agreed.version));
    }
    Ok(format!("read {} {}", agreed.version, read(&receive()?)?))
}

fn over_channel<T: Contract>(
    sends: bool,
    patience: Duration,
    write: impl Fn(u32) -> Outcome<(Vec<u8>, String)>,
    read: impl Fn(&[u8]) -> Outcome<String>,
) -> Outcome<String> {
    let options = Options::default().message_timeout(LONG).idle_timeout(patience).speaks::<T>();
    let channel = Channel::from_fd(io::stdin().as_fd().try_clone_to_owned()?, &options)?;
    if sends {
        let agreed = channel.agreed::<T>(patience)?;
        let (payload, said) = write(agreed.version)?;
        channel.send(&payload, &[])?;
        return Ok(format!("sent {} {said}", agreed.version));
    }
    // Nobody asks for the hello here: it comes first by itself.
    let message = channel.recv(&Expected::bytes(Hello::MAX_BYTES))?;
    let said = read(&message.body)?;
    Ok(format!("read {} {said}", channel.agreed::<T>(Duration::ZERO)?.version))
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

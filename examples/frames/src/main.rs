//! The camera: sends a frame to the reader that connects, and shows what that makes of it. `frames SOCKET`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use frames::pixels;
use frames::wire::{AnswerMessage, Frame, Header, Packet, Spot, Stop};
use wirecontract_runtime::handoff::{Listener, Options};

/// Longer than a reader takes.
const LONG: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("camera: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let socket = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: frames SOCKET")?;
    let listener = Listener::bind(&socket, &Options::default())?;
    let channel = listener.accept_within(LONG)?;
    let pixels = [10, 20, 250, 30, 40, 50, 60, 251];
    // Opcode and count are written as they stand: a count that the tail does not have is refused.
    let frame = Frame {
        header: Header { opcode: 1, width: 4, height: 2, spots: 2 },
        spots: vec![Spot { x: 2, y: 0 }, Spot { x: 3, y: 1 }],
        pixels: pixels::to_memory(&pixels)?,
    };
    channel.send_declared(&Packet::Frame(frame))?;
    match channel.recv_declared_within::<AnswerMessage>(LONG)? {
        AnswerMessage::Masked(answer) => {
            let left = pixels::of(answer.frame, pixels.len())?;
            println!("{} blackened {} pixels: {left:?}", answer.masked.reader, answer.masked.pixels);
        }
        AnswerMessage::Refused(refused) => println!("refused: {}", refused.error),
    }
    let header = Header { opcode: 2, width: 0, height: 0, spots: 0 };
    channel.send_declared(&Packet::Stop(Stop { header }))?;
    Ok(())
}

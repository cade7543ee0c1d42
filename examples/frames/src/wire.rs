//! Packets of the camera, told apart by an opcode, and answers of readers, which are documents.

use std::os::fd::OwnedFd;

use wirecontract::WireContract;

/// What every packet begins with.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor, size = 16)]
pub struct Header {
    /// Which packet it is.
    pub opcode: u32,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// How many hot spots stand behind this.
    pub spots: u32,
}

/// A pixel that is hot.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor, size = 8)]
pub struct Spot {
    /// Its column.
    pub x: u32,
    /// Its row.
    pub y: u32,
}

/// A frame, with its pixels in a file of their own: a byte each, row by row.
#[derive(WireContract, Debug)]
#[wire(message, max_bytes = 4096, rule(extent: header.width * header.height >= 1))]
pub struct Frame {
    /// How large it is.
    pub header: Header,
    /// Where it is hot.
    #[wire(tail(count = header.spots))]
    pub spots: Vec<Spot>,
    /// The pixels.
    #[wire(fd)]
    pub pixels: OwnedFd,
}

/// There are no more frames.
#[derive(WireContract, Debug)]
#[wire(message, rule(nothing: header.spots == 0))]
pub struct Stop {
    /// Its opcode; all else is nothing.
    pub header: Header,
}

/// What the camera says.
#[derive(WireContract, Debug)]
#[repr(u32)]
#[wire(message, tag = header.opcode)]
pub enum Packet {
    /// A frame.
    Frame(Frame) = 1,
    /// The end.
    Stop(Stop) = 2,
}

/// What was made of a frame.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, deny_unknown)]
pub struct Masked {
    /// Who made it.
    #[wire(max_len = 64)]
    pub reader: String,
    /// How many pixels were blackened.
    pub pixels: u32,
}

/// Why nothing was made of it.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, deny_unknown)]
pub struct Refused {
    /// The contract's words.
    pub error: String,
}

/// What a reader answers.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(union, tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// The frame without its hot spots.
    Masked(Masked),
    /// It was no frame.
    Refused(Refused),
}

/// The frame without its hot spots.
#[derive(WireContract, Debug)]
#[wire(message)]
pub struct MaskedMessage {
    /// What was made of it.
    pub masked: Masked,
    /// Its pixels.
    #[wire(fd)]
    pub frame: OwnedFd,
}

/// An [`Answer`], with what rides beside it.
#[derive(WireContract, Debug)]
#[wire(message, body = Answer)]
pub enum AnswerMessage {
    /// The frame.
    Masked(MaskedMessage),
    /// A word, and no file descriptor.
    Refused(Refused),
}

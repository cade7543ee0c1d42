//! Messages of every form, and several of them by a tag and by a body.

use std::os::fd::OwnedFd;

use wirecontract::{Json, UnknownMessage, UnknownVariant, WireContract};

use crate::grown::Frame;
use crate::scalars::Cell;

/// What precedes everything.
#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 12, rule(size < 4096), at = import)]
pub struct Header {
    /// Which message it is.
    pub request: u32,
    /// What comes with it.
    pub flags: u32,
    /// Bytes or elements behind it.
    pub size: u32,
}

/// Cells by their number, and memory for each.
#[derive(WireContract, Debug)]
#[wire(message, version = 2, max_bytes = 60, rule(lock: present(lock) || len(cells) < 3))]
pub struct CellsMessage {
    /// What precedes them.
    pub header: Header,
    /// The cells.
    #[wire(tail(count = header.size))]
    pub cells: Vec<Cell>,
    /// The memory of each.
    #[wire(fds(0..=8), count = header.size)]
    pub memory: Vec<OwnedFd>,
    /// Where it is written down.
    #[wire(fd)]
    pub log: OwnedFd,
    /// Who may write, where anybody is asked.
    #[wire(fd)]
    pub lock: Option<OwnedFd>,
}

/// Text of as many bytes as the header says.
#[derive(WireContract, Debug)]
#[wire(message, max_bytes = 40)]
pub struct TextMessage {
    /// What precedes it.
    pub header: Header,
    /// The text.
    #[wire(tail(bytes = header.size))]
    pub text: String,
    /// When the header says so.
    #[wire(fd, present_if(header.flags % 2 == 1))]
    pub done: Option<OwnedFd>,
}

/// What grows, behind the header, and nothing else.
#[derive(WireContract, Debug)]
#[wire(message, rule(gain: frame.gain > header.size), at = import)]
pub struct FrameMessage {
    /// What precedes it.
    pub header: Header,
    /// What grows.
    pub frame: Frame,
}

/// Anything.
#[derive(WireContract, Debug)]
#[wire(message, max_bytes = 64)]
pub struct RawMessage {
    /// What precedes it.
    pub header: Header,
    /// Bytes to the end.
    #[wire(tail)]
    pub payload: Vec<u8>,
    /// As many as there are.
    #[wire(fds(0..=253))]
    pub rest: Vec<OwnedFd>,
}

/// By the number in the header; every other number has what is unknown.
#[derive(WireContract, Debug)]
#[repr(u32)]
#[wire(message, tag = header.request)]
pub enum Tagged {
    /// Cells.
    Cells(Box<CellsMessage>) = 1,
    /// Text.
    Text(TextMessage) = 2,
    /// Whatever else.
    #[wire(open)]
    Raw(RawMessage),
}

/// The same without one for other numbers.
#[derive(WireContract, Debug)]
#[repr(u32)]
#[wire(message, tag = header.request)]
pub enum Strict {
    /// What grows.
    Frame(FrameMessage) = 3,
    /// Text.
    Text(TextMessage) = 7,
}

/// Memory.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, rule(planes < 7), at = import)]
pub struct Planes {
    /// How many planes.
    #[wire(max = 9)]
    pub planes: u32,
    /// Whether there is a fence.
    #[wire(default = false)]
    pub has_fence: Option<bool>,
}

/// A word.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "op", rename_all = "snake_case", content = "with")]
pub enum Word {
    /// Memory.
    Planes(Planes),
    /// A number.
    Count(u16),
    /// Anything.
    Any(Json),
    /// Nothing.
    Stop,
    /// What is known later.
    #[wire(open)]
    Later(UnknownVariant),
}

/// Memory with one file descriptor for each plane.
#[derive(WireContract, Debug)]
#[wire(message, rule(few: fds(memory) < 5), rule(none: fds(memory) > 0), at = import)]
pub struct PlanesMessage {
    /// How many there are.
    pub planes: Planes,
    /// Each of them.
    #[wire(fds(0..=6), count = planes.planes)]
    pub memory: Vec<OwnedFd>,
    /// When it is done.
    #[wire(fd, present_if(planes.has_fence))]
    pub fence: Option<OwnedFd>,
}

/// A word, and what rides beside it.
#[derive(WireContract, Debug)]
#[wire(message, body = Word)]
pub enum Spoken {
    /// Nothing.
    Stop,
    /// Memory.
    Planes(Box<PlanesMessage>),
    /// A number.
    Count(u16),
    /// Anything.
    Any(Json),
    /// What is known later.
    #[wire(open)]
    Later(UnknownMessage),
}

/// A word beside memory of any number of planes.
#[derive(WireContract, Debug)]
#[wire(message)]
pub struct WordMessage {
    /// The word.
    pub word: Word,
    /// One, or two, or three.
    #[wire(fds(1..=3))]
    pub memory: Vec<OwnedFd>,
}

//! Numbers of messages that the types of their fields do not allow: tags, bounds, rules and counts that no value has.

use std::os::fd::OwnedFd;

use wirecontract::{Flags, WireContract};

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
#[wire(flags)]
pub enum Mode {
    Fast = 1,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 8)]
pub struct Header {
    pub request: u8,
    pub signed: i8,
    pub mode: Flags<Mode>,
    #[wire(reserved)]
    pub padding: u8,
    pub count: u32,
}

#[derive(WireContract)]
#[wire(message)]
pub struct Small {
    pub header: Header,
}

#[derive(WireContract)]
#[wire(message)]
pub struct CalledOtherwise {
    pub head: Header,
}

#[derive(WireContract)]
#[repr(u32)]
#[wire(message, tag = banana.request)]
pub enum OfNoPart {
    A(Small) = 1,
}

#[derive(WireContract)]
#[repr(u32)]
#[wire(message, tag = header.request)]
pub enum OneOtherwise {
    A(Small) = 1,
    B(CalledOtherwise) = 2,
}

#[derive(WireContract)]
#[repr(u32)]
#[wire(message, tag = header.request)]
pub enum TooLarge {
    A(Small) = 255,
    B(Small) = 300,
}

#[derive(WireContract)]
#[repr(u32)]
#[wire(message, tag = header.signed)]
pub enum TooLargeForSigned {
    A(Small) = 127,
    B(Small) = 128,
}

#[derive(WireContract)]
#[repr(u32)]
#[wire(message, tag = header.mode)]
pub enum ToldByFlags {
    A(Small) = 1,
}

#[derive(WireContract)]
#[wire(message, max_bytes = 7)]
pub struct NoRoom {
    pub header: Header,
    #[wire(tail)]
    pub rest: Vec<u8>,
}

#[derive(WireContract)]
#[wire(message, rule(nine: fds(planes) == 9))]
pub struct NeverNine {
    pub header: Header,
    #[wire(fds(0..=4))]
    pub planes: Vec<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message, max_bytes = 64, rule(long: len(rest) > 64))]
pub struct NeverLong {
    pub header: Header,
    #[wire(tail)]
    pub rest: Vec<u8>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct NeverCounted {
    pub header: Header,
    #[wire(fds(1..=4), count = header.count * 0 + 9)]
    pub planes: Vec<OwnedFd>,
    #[wire(fd, present_if(header.count * 0 > 1))]
    pub never: Option<OwnedFd>,
    #[wire(fd, present_if(header.count * 0 == 0))]
    pub always: Option<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct NeverAsLong {
    pub header: Header,
    #[wire(tail(bytes = header.count * 0 - 1))]
    pub rest: Vec<u8>,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Document {
    pub plain: u8,
    #[wire(default = 4)]
    pub quality: Option<u8>,
    pub is_last: bool,
    pub header: Inner,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Inner {
    pub signed: i8,
}

#[derive(WireContract)]
#[wire(message, rule(negative: header.count < 0), rule(header.mode > 1), rule(header.signed - header.request > 127))]
pub struct NeverInDescriptors {
    pub header: Header,
}

#[derive(WireContract)]
#[wire(message, rule(document.plain > 255), rule(document.quality == 256), rule(document.header.signed == 200))]
#[wire(rule(int(document.is_last) == 2))]
pub struct NeverInDocuments {
    pub document: Document,
}

#[derive(WireContract)]
#[wire(message)]
pub struct NeverSaid {
    pub header: Header,
    #[wire(tail(count = header.signed - 128))]
    pub rest: Vec<u8>,
    #[wire(fds(1..=4), count = header.request + 5)]
    pub planes: Vec<OwnedFd>,
    #[wire(fd, present_if(header.count < 0))]
    pub never: Option<OwnedFd>,
    #[wire(fd, present_if(header.count >= 0))]
    pub always: Option<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message, rule(header.count == 4294967295), rule(header.mode == 1), rule(header.signed - header.request == -383))]
pub struct AtTheirEnds {
    pub header: Header,
    #[wire(tail(count = header.signed - 127))]
    pub rest: Vec<u8>,
    #[wire(fds(1..=4), count = header.request + 4)]
    pub planes: Vec<OwnedFd>,
}

fn main() {}

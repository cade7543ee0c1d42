//! Messages: what is wrong with them is seen in the declaration.

use std::os::fd::OwnedFd;

use wirecontract::WireContract;

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 8)]
pub struct Header {
    pub request: u32,
    pub count: u32,
}

#[derive(WireContract)]
#[wire(message, tag = header.request)]
pub struct OfSeveral {
    pub header: Header,
}

#[derive(WireContract)]
#[wire(message)]
pub struct Empty {
    #[wire(fd)]
    pub fence: OwnedFd,
}

#[derive(WireContract)]
#[wire(message)]
pub struct OutOfOrder {
    #[wire(fd)]
    pub fence: OwnedFd,
    pub header: Header,
}

#[derive(WireContract)]
#[wire(message)]
pub struct TwoTails {
    pub header: Header,
    #[wire(tail)]
    pub text: String,
    #[wire(tail)]
    pub more: String,
}

#[derive(WireContract)]
#[wire(message)]
pub struct OtherTail {
    pub header: Header,
    #[wire(tail)]
    pub number: u32,
}

#[derive(WireContract)]
#[wire(message)]
pub struct InTheBytes {
    pub header: Header,
    pub fds: Vec<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct Borrowed {
    pub header: Header,
    #[wire(fd)]
    pub fence: i32,
    #[wire(fds(1..=2))]
    pub planes: [OwnedFd; 2],
    #[wire(fd, present_if(header.count > 0))]
    pub late: OwnedFd,
}

#[derive(WireContract)]
#[wire(message)]
pub struct Both {
    pub header: Header,
    #[wire(fd, fds(1))]
    pub fence: OwnedFd,
}

#[derive(WireContract)]
#[wire(message)]
pub struct Misplaced {
    pub header: Header,
    #[wire(fds(1..=2), present_if(header.count > 0))]
    pub planes: Vec<OwnedFd>,
    #[wire(fd, count = header.count)]
    pub fence: OwnedFd,
    #[wire(fd, open)]
    pub other: OwnedFd,
}

#[derive(WireContract)]
#[wire(message)]
pub struct NoNumber {
    pub header: Header,
    #[wire(fds)]
    pub planes: Vec<OwnedFd>,
    #[wire(fds(3..=2))]
    pub swapped: Vec<OwnedFd>,
    #[wire(fds(0..=254))]
    pub many: Vec<OwnedFd>,
    #[wire(fd, present_if)]
    pub fence: Option<OwnedFd>,
    #[wire(tail(header.count))]
    pub text: String,
}

#[derive(WireContract)]
#[wire(message)]
pub struct TwoThatSayNothing {
    pub header: Header,
    #[wire(fds(1..=2))]
    pub planes: Vec<OwnedFd>,
    #[wire(fds(1..=2))]
    pub fences: Vec<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct TooMany {
    pub header: Header,
    #[wire(fds(200))]
    pub planes: Vec<OwnedFd>,
    #[wire(fds(54))]
    pub fences: Vec<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct SaidByItself {
    pub header: Header,
    #[wire(tail(count = len(items)))]
    pub items: Vec<u8>,
    #[wire(fds(0..=4), count = fds(planes))]
    pub planes: Vec<OwnedFd>,
    #[wire(fd, present_if(fds(planes) > 0))]
    pub fence: Option<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message, rule(len(planes) > 1), rule(planes > 1), rule(fds(header) > 1), rule(fd_count > 1))]
#[wire(rule(present(planes)))]
pub struct AskedWrongly {
    pub header: Header,
    #[wire(fds(1..=2))]
    pub planes: Vec<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message, max_bytes = 100)]
pub struct NoTail {
    pub header: Header,
}

#[derive(WireContract)]
#[wire(message)]
pub enum NoSelector {
    One(HeaderMessage),
}

#[derive(WireContract)]
#[wire(message)]
pub struct HeaderMessage {
    pub header: Header,
}

#[derive(WireContract)]
#[wire(message, tag = request)]
pub enum NoPart {
    One(HeaderMessage),
}

#[derive(WireContract)]
#[repr(u32)]
#[wire(message, tag = header.request, rule(header.count > 0), max_bytes = 3)]
pub enum NotNumbered {
    One(HeaderMessage),
    Two(HeaderMessage) = 2,
    Again(HeaderMessage) = 1 + 1,
    Negative(HeaderMessage) = COUNT,
    Nothing = 5,
    #[wire(open)]
    Other(HeaderMessage),
    #[wire(open)]
    Others(HeaderMessage),
}

const COUNT: isize = 7;

#[derive(WireContract)]
#[wire(message, body = Requests)]
pub enum NotOfUnions {
    #[wire(open)]
    Other,
    #[wire(open)]
    Others { tag: String },
    Kept(wirecontract::UnknownVariant),
    Several(HeaderMessage, HeaderMessage),
    Numbered(HeaderMessage) = 3,
    Borrowed(&'static str),
    Boxed(Box<u32>),
    Perhaps(Option<HeaderMessage>),
}

#[derive(WireContract)]
#[repr(u32)]
#[wire(message, tag = header.request)]
pub enum NoNumbers {
    One(u32) = 1,
    Stop = 2,
}

#[derive(WireContract)]
#[wire(message)]
pub struct HalfOpen {
    pub header: Header,
    #[wire(fds(0..4))]
    pub planes: Vec<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct NumbersBehind {
    pub header: Header,
    #[wire(tail)]
    pub numbers: Vec<u16>,
}

#[derive(WireContract)]
#[repr(u32)]
#[wire(message, tag = header.request)]
pub enum CountedOn {
    A(Header) = 1,
    #[wire(open)]
    Other(Header),
    B(Header) = 2,
}

fn main() {}

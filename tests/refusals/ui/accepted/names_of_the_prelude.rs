//! Types of a user's own that are called as those of the prelude, where contracts of every kind are declared.

use std::os::fd::OwnedFd;

use wirecontract::{Message, WireContract, WireJson};

pub struct Box;
pub struct Option;
pub struct Result;
pub struct String;
pub struct Vec;
pub struct Some;
pub struct None;
pub struct Ok;
pub struct Err;

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum Request {
    Fill = 1,
    Drain = 2,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
#[wire(flags)]
pub enum Access {
    Read = 1,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor)]
pub struct Header {
    pub request: wirecontract::Open<Request>,
    pub access: wirecontract::Flags<Access>,
    pub count: u32,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size(v1 = 8, v2 = 12))]
pub struct Grown {
    #[wire(version = 2)]
    pub version: u32,
    pub first: u32,
    #[wire(since = 2, default)]
    pub second: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Frame {
    pub size: u32,
    pub pixels: *const u8,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Surface {
    pub name: std::string::String,
    pub fenced: bool,
    #[wire(max_items = 4)]
    pub planes: std::vec::Vec<u32>,
    pub offset: std::option::Option<u32>,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "op")]
pub enum Command {
    Register(std::boxed::Box<Surface>),
    Stop,
    #[wire(open)]
    Other(wirecontract::UnknownVariant),
}

#[derive(WireContract)]
#[wire(message, max_bytes = 64)]
pub struct FillMessage {
    pub header: Header,
    #[wire(tail(count = header.count))]
    pub grown: std::vec::Vec<Header>,
    #[wire(fds(0..=2), count = header.count)]
    pub planes: std::vec::Vec<OwnedFd>,
    #[wire(fd, present_if(header.count > 1))]
    pub fence: std::option::Option<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct DrainMessage {
    pub header: Header,
    #[wire(tail)]
    pub reason: std::string::String,
}

#[derive(WireContract)]
#[repr(u32)]
#[wire(message, tag = header.request)]
pub enum RingMessage {
    Fill(FillMessage) = 1,
    Drain(std::boxed::Box<DrainMessage>) = 2,
}

#[derive(WireContract)]
#[wire(message)]
pub struct RegisterMessage {
    pub surface: Surface,
    #[wire(fds(0..=4))]
    pub planes: std::vec::Vec<OwnedFd>,
    #[wire(fd, present_if(surface.fenced))]
    pub fence: std::option::Option<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message, body = Command)]
pub enum CommandMessage {
    Register(RegisterMessage),
    Stop,
    #[wire(open)]
    Other(wirecontract::UnknownMessage),
}

fn main() {
    let bytes = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, b'a'];
    let read = RingMessage::from_message(&bytes, std::vec::Vec::new());
    let std::result::Result::Ok(RingMessage::Drain(drain)) = read else { panic!("it is read") };
    assert_eq!(drain.reason, "a");

    let document = br#"{"op":"Register","name":"a","fenced":false,"planes":[1]}"#;
    let read = CommandMessage::from_message(document, std::vec::Vec::new());
    let std::result::Result::Ok(CommandMessage::Register(register)) = read else { panic!("it is read") };
    assert!(register.surface.offset.is_none() && register.surface.to_json().is_ok());

    let grown = Grown { version: 2, first: 1, second: 3 };
    assert!(grown.to_bytes().is_ok_and(|bytes| bytes == [2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0]));
}

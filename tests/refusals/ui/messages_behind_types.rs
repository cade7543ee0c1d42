//! What only the types of a message's fields say.

use std::os::fd::OwnedFd;

use wirecontract::WireContract;

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 8)]
pub struct Header {
    pub request: u32,
    pub count: u32,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 8))]
pub struct Grown {
    pub request: u32,
    #[wire(since = 2, default)]
    pub count: u32,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Document {
    pub name: String,
}

#[derive(WireContract)]
#[wire(message)]
pub struct NoPart {
    pub number: u32,
}

#[derive(WireContract)]
#[wire(message)]
pub struct NotAlone {
    pub header: Header,
    pub document: Document,
}

#[derive(WireContract)]
#[wire(message)]
pub struct DocumentWithTail {
    pub document: Document,
    #[wire(tail)]
    pub text: String,
}

#[derive(WireContract)]
#[wire(message)]
pub struct NoElements {
    pub header: Header,
    #[wire(tail)]
    pub numbers: Vec<u32>,
}

#[derive(WireContract)]
#[wire(message, rule(header.size > 0))]
pub struct NoSuchField {
    pub header: Header,
    #[wire(fd, present_if(header.count))]
    pub fence: Option<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct DocumentMessage {
    pub document: Document,
}

#[derive(WireContract)]
#[wire(message)]
pub struct HeaderMessage {
    pub header: Header,
}

#[derive(WireContract)]
#[repr(u32)]
#[wire(message, tag = header.request)]
pub enum OfTwoHeaders {
    One(HeaderMessage) = 1,
    Two(DocumentMessage) = 2,
    Three(Document) = 3,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "op")]
pub enum Request {
    Name(Document),
    Other(Document),
}

#[derive(WireContract)]
#[wire(message, body = Request)]
pub enum NotAll {
    Name(DocumentMessage),
}

#[derive(WireContract)]
#[wire(message, body = Request)]
pub enum Surplus {
    Name(DocumentMessage),
    Other(DocumentMessage),
    Third(DocumentMessage),
    Fourth,
}

#[derive(WireContract)]
#[wire(message, body = Request)]
pub enum CalledOtherwise {
    Name(DocumentMessage),
    Another(DocumentMessage),
}

#[derive(WireContract)]
#[wire(message, body = Request)]
pub enum NoneOfThem {
    Fourth,
}

#[derive(WireContract)]
#[wire(message, body = Document)]
pub enum OfNoUnion {
    Name(DocumentMessage),
}

#[derive(WireContract)]
#[wire(message, body = Request)]
pub enum Another {
    Name(HeaderMessage),
    Other(DocumentMessage),
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "op")]
pub enum Word {
    Name(Document),
    Stop,
    #[wire(open)]
    Other(wirecontract::UnknownVariant),
}

#[derive(WireContract)]
#[wire(message, body = Word)]
pub enum HoldsMore {
    Name(Document),
    Stop(Document),
    #[wire(open)]
    Other(wirecontract::UnknownMessage),
}

#[derive(WireContract)]
#[wire(message, body = Word)]
pub enum NotMarked {
    Name(Document),
    Stop,
    Other(wirecontract::UnknownMessage),
}

#[derive(WireContract)]
#[wire(message, body = Word)]
pub enum MarkedInVain {
    #[wire(open)]
    Name(Document),
    Stop,
    Other(wirecontract::UnknownMessage),
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor)]
pub struct Versioned {
    #[wire(version = 2)]
    pub version: u32,
    #[wire(reserved)]
    pub padding: u32,
    pub request: u32,
}

#[derive(WireContract)]
#[wire(message, rule(versioned.version == 2), rule(versioned.padding == 0))]
pub struct AsksForTheVersion {
    pub versioned: Versioned,
    #[wire(fd, present_if(versioned.version > 1))]
    pub fence: Option<OwnedFd>,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, rule(versioned.version == 2))]
pub struct HoldsTheVersion {
    pub versioned: Versioned,
}

#[derive(WireContract)]
#[wire(message)]
pub struct VersionedMessage {
    pub versioned: Versioned,
}

#[derive(WireContract)]
#[repr(u32)]
#[wire(message, tag = versioned.version)]
pub enum ToldByTheVersion {
    One(VersionedMessage) = 1,
}

fn main() {}

//! Messages that tests read and write, and hold against the interpreter.

#![allow(missing_docs, reason = "contracts of the tests")]

/// Documents with memory beside them.
pub mod documents {
    use std::os::fd::OwnedFd;

    use wirecontract::WireContract;

    /// The image.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe)]
    pub struct Image {
        #[wire(default = false)]
        pub has_produce_done: bool,
        #[wire(default = false)]
        pub has_consume_done: bool,
    }

    /// Makes a surface known.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe, rule(fds: fd_count == len(plane_sizes) + int(image.has_produce_done) + int(image.has_consume_done)))]
    #[wire(at = import)]
    pub struct Register {
        pub name: String,
        pub plane_sizes: Vec<u64>,
        #[wire(flatten)]
        pub image: Image,
    }

    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe)]
    pub struct Lookup {
        pub name: String,
    }

    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(union, tag = "op", rename_all = "snake_case")]
    pub enum Request {
        Register(Box<Register>),
        Lookup(Lookup),
    }

    /// A surface with its memory.
    #[derive(WireContract, Debug)]
    #[wire(message, rule(planes: fds(planes) > 1 || !present(consume_done)))]
    #[wire(rule(late: len(body.plane_sizes) == fds(planes)), at = import)]
    pub struct RegisterMessage {
        pub body: Register,
        #[wire(fds(1..=4))]
        pub planes: Vec<OwnedFd>,
        #[wire(fd, present_if(body.image.has_produce_done))]
        pub produce_done: Option<OwnedFd>,
        #[wire(fd, present_if(body.image.has_consume_done))]
        pub consume_done: Option<OwnedFd>,
    }

    #[derive(WireContract, Debug)]
    #[wire(message, body = Request)]
    pub enum RequestMessage {
        Register(RegisterMessage),
        Lookup(Lookup),
    }
}

/// Unions with variants of every kind: what holds nothing, what keeps unknown tags, values beside the tag.
pub mod unions {
    use std::collections::BTreeMap;
    use std::os::fd::OwnedFd;

    use wirecontract::{Flags, Json, OpenName, UnknownMessage, UnknownVariant, WireContract};

    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe)]
    pub struct Offer {
        pub planes: u32,
        #[wire(default = false)]
        pub has_fence: bool,
    }

    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe, rule(name: len(name) > 0))]
    pub struct Name {
        pub name: String,
    }

    /// Beside the tag stand the keys of what it says.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(union, tag = "op", rename_all = "snake_case")]
    #[wire(rule(stopped: variant != Stop || fd_count == 0), at = import)]
    pub enum Word {
        Offer(Box<Offer>),
        Stop,
        Name(Name),
        #[wire(open)]
        Other(UnknownVariant),
    }

    /// Memory with one file descriptor for each plane.
    #[derive(WireContract, Debug)]
    #[wire(message, rule(some: body.planes > 0), at = import)]
    pub struct OfferMessage {
        pub body: Offer,
        #[wire(fds(0..=4), count = body.planes)]
        pub planes: Vec<OwnedFd>,
        #[wire(fd, present_if(body.has_fence))]
        pub fence: Option<OwnedFd>,
    }

    /// In another order than that of the union.
    #[derive(WireContract, Debug)]
    #[wire(message, body = Word)]
    pub enum WordMessage {
        Stop,
        Name(Box<Name>),
        #[wire(open)]
        Other(UnknownMessage),
        Offer(Box<OfferMessage>),
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(u8)]
    #[wire(enumeration)]
    pub enum Mode {
        Slow = 1,
        Fast = 2,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(u8)]
    #[wire(flags)]
    pub enum Feature {
        Fences = 1,
        Copies = 2,
    }

    /// Under a key of its own stands what the tag says, whatever that is.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(union, tag = "kind", content = "value")]
    pub enum Setting {
        Offer(Offer),
        Nested(Word),
        #[wire(default = 3)]
        Count(u16),
        Ratio(f64),
        IsOn(bool),
        Label(String),
        Sizes(Vec<u64>),
        Pair([i32; 2]),
        Mode(Mode),
        AnyMode(OpenName<Mode>),
        Features(Flags<Feature>),
        Environment(BTreeMap<String, String>),
        Any(Json),
        Reset,
        #[wire(open)]
        Later(UnknownVariant),
    }

    #[derive(WireContract, Debug)]
    #[wire(message, body = Setting)]
    pub enum SettingMessage {
        Offer(OfferMessage),
        Nested(Word),
        Count(u16),
        Ratio(f64),
        IsOn(bool),
        Label(String),
        Sizes(Vec<u64>),
        Pair([i32; 2]),
        Mode(Mode),
        AnyMode(OpenName<Mode>),
        Features(Flags<Feature>),
        Environment(BTreeMap<String, String>),
        Any(Json),
        Reset,
        #[wire(open)]
        Later(UnknownMessage),
    }

    /// Only tags.
    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[wire(union, tag = "signal")]
    pub enum Signal {
        Stop,
        Go,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[wire(message, body = Signal)]
    pub enum SignalMessage {
        Stop,
        Go,
    }

    /// Known by its keys.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(union, untagged)]
    pub enum Answer {
        Offer(Offer),
        Name(Name),
    }

    #[derive(WireContract, Debug)]
    #[wire(message, body = Answer)]
    pub enum AnswerMessage {
        Offer(OfferMessage),
        Name(Name),
    }
}

/// Headers, and what follows them.
pub mod binary {
    use std::os::fd::OwnedFd;

    use wirecontract::WireContract;

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 12)]
    pub struct Header {
        pub request: u32,
        pub flags: u32,
        pub size: u32,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 8)]
    pub struct Table {
        pub regions: u32,
        #[wire(reserved(zero))]
        pub padding: u32,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 16, rule(size: size > 0))]
    pub struct Region {
        pub address: u64,
        pub size: u64,
    }

    /// The memory of a guest.
    #[derive(WireContract, Debug)]
    #[wire(message, max_bytes = 148, rule(size: header.size == 8 + 16 * len(regions)))]
    pub struct TableMessage {
        pub header: Header,
        pub table: Table,
        #[wire(tail(count = table.regions))]
        pub regions: Vec<Region>,
        #[wire(fds(0..=8), count = table.regions)]
        pub memory: Vec<OwnedFd>,
        #[wire(fd)]
        pub log: OwnedFd,
    }

    /// Text.
    #[derive(WireContract, Debug)]
    #[wire(message)]
    pub struct NameMessage {
        pub header: Header,
        #[wire(tail(bytes = header.size - 1))]
        pub name: String,
    }

    /// Any other.
    #[derive(WireContract, Debug)]
    #[wire(message)]
    pub struct OtherMessage {
        pub header: Header,
        #[wire(tail)]
        pub payload: Vec<u8>,
        #[wire(fds(0..=253))]
        pub fds: Vec<OwnedFd>,
    }

    #[derive(WireContract, Debug)]
    #[wire(message)]
    pub struct StateMessage {
        pub header: Header,
    }

    #[derive(WireContract, Debug)]
    #[repr(u32)]
    #[wire(message, tag = header.request)]
    pub enum Vhost {
        State(StateMessage) = 2,
        Table(Box<TableMessage>) = 5,
        Name(NameMessage) = 7,
        #[wire(open)]
        Other(OtherMessage),
    }

    #[derive(WireContract, Debug)]
    #[repr(u32)]
    #[wire(message, tag = header.request)]
    pub enum Closed {
        State(StateMessage) = 2,
    }
}

/// Tags of other types and at other places, parts that grow, tails by bytes.
pub mod tags {
    use std::os::fd::OwnedFd;

    use wirecontract::{Open, WireContract};

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(u16)]
    #[wire(enumeration)]
    pub enum Opcode {
        Stop = 1,
        Move = 2,
        Look = 0x101,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 8, endian = big)]
    pub struct Kind {
        #[wire(reserved)]
        pub padding: u8,
        pub class: i8,
        pub opcode: Opcode,
        pub open: Open<Opcode>,
        #[wire(reserved)]
        pub more: u16,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 12)]
    pub struct Envelope {
        pub size: u32,
        pub kind: Kind,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size(v1 = 8, v2 = 16))]
    pub struct Options {
        #[wire(version = 2)]
        pub version: u32,
        pub flags: u32,
        #[wire(since = 2, default = 7)]
        pub limit: u64,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 4, rule(apart: x != y))]
    pub struct Point {
        pub x: i16,
        pub y: i16,
    }

    /// With a file descriptor or without.
    #[derive(WireContract, Debug)]
    #[wire(message)]
    pub struct StopMessage {
        pub envelope: Envelope,
        #[wire(fd)]
        pub done: Option<OwnedFd>,
    }

    /// As many bytes of points as the envelope says, behind what grows.
    #[derive(WireContract, Debug)]
    #[wire(message, max_bytes = 96)]
    pub struct MoveMessage {
        pub envelope: Envelope,
        pub options: Options,
        #[wire(tail(bytes = envelope.size))]
        pub points: Vec<Point>,
    }

    /// What grows ends the bytes.
    #[derive(WireContract, Debug)]
    #[wire(message)]
    pub struct LookMessage {
        pub envelope: Envelope,
        pub options: Options,
        #[wire(fd)]
        pub at: OwnedFd,
        #[wire(fd)]
        pub done: Option<OwnedFd>,
    }

    /// Told by an enumeration in a descriptor of the first part.
    #[derive(WireContract, Debug)]
    #[repr(u32)]
    #[wire(message, tag = envelope.kind.opcode)]
    pub enum ByOpcode {
        Stop(StopMessage) = 1,
        Move(MoveMessage) = 2,
        Look(LookMessage) = 0x101,
    }

    /// Told by one that may have any number.
    #[derive(WireContract, Debug)]
    #[repr(u32)]
    #[wire(message, tag = envelope.kind.open)]
    pub enum ByOpen {
        Look(LookMessage) = 0x101,
        Late(StopMessage) = 0xffff,
        #[wire(open)]
        Other(StopMessage) = 0x10000,
    }

    /// Told by a number that may be negative.
    #[derive(WireContract, Debug)]
    #[repr(u32)]
    #[wire(message, tag = envelope.kind.class)]
    pub enum ByClass {
        Stop(StopMessage) = 0,
        Move(MoveMessage) = 127,
        #[wire(open)]
        Other(LookMessage),
    }
}

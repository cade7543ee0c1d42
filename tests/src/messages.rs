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
        Table(TableMessage) = 5,
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

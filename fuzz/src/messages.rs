//! Messages: what the derive makes of bytes and of the file descriptors beside them, held against the interpreter.

#![allow(missing_docs, reason = "contracts of the fuzzer")]

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::LazyLock;

use wirecontract::{Message, WireContract};
use wirecontract_codegen::interpret::Host;
use wirecontract_codegen::interpret::message as theirs;

use crate::catalog::{CATALOG, id_of};

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 12)]
pub struct Head {
    pub request: u32,
    pub count: u32,
    pub bytes: u32,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 16, rule(size: size > 0))]
pub struct Region {
    pub address: u64,
    pub size: u64,
}

#[derive(WireContract, Debug)]
#[wire(message, max_bytes = 256, rule(bytes: head.bytes == 16 * len(regions)))]
pub struct RegionsMessage {
    pub head: Head,
    #[wire(tail(count = head.count))]
    pub regions: Vec<Region>,
    #[wire(fds(0..=8), count = head.count)]
    pub memory: Vec<OwnedFd>,
    #[wire(fd, present_if(head.request / 256 % 2 == 0))]
    pub log: Option<OwnedFd>,
}

#[derive(WireContract, Debug)]
#[wire(message, max_bytes = 256)]
pub struct NameMessage {
    pub head: Head,
    #[wire(tail(bytes = head.bytes - 4 * head.count))]
    pub name: String,
    #[wire(fds(0..=4))]
    pub fds: Vec<OwnedFd>,
}

#[derive(WireContract, Debug)]
#[wire(message, max_bytes = 256, rule(payload: len(payload) >= fds(fds)), at = import)]
pub struct OtherMessage {
    pub head: Head,
    #[wire(tail)]
    pub payload: Vec<u8>,
    #[wire(fds(0..=12))]
    pub fds: Vec<OwnedFd>,
}

#[derive(WireContract, Debug)]
#[repr(u32)]
#[wire(message, tag = head.request)]
pub enum Numbered {
    Regions(RegionsMessage) = 1,
    Polled(RegionsMessage) = 0x101,
    Name(NameMessage) = 2,
    #[wire(open)]
    Other(OtherMessage),
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown, max_bytes = 256)]
pub struct Surface {
    #[wire(max_items = 4)]
    pub plane_sizes: Vec<u64>,
    #[wire(default = false)]
    pub has_fence: bool,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "op", max_bytes = 256)]
pub enum Request {
    Register(Box<Surface>),
    Look(Surface),
}

#[derive(WireContract, Debug)]
#[wire(message, rule(planes: fds(planes) == len(surface.plane_sizes) || present(fence)))]
pub struct SurfaceMessage {
    pub surface: Surface,
    #[wire(fds(1..=4))]
    pub planes: Vec<OwnedFd>,
    #[wire(fd, present_if(surface.has_fence))]
    pub fence: Option<OwnedFd>,
}

#[derive(WireContract, Debug)]
#[wire(message, body = Request)]
pub enum RequestMessage {
    Register(SurfaceMessage),
    Look(Surface),
}

/// One byte says how many file descriptors came, the others are the message: once as a number in its header says which
/// it is, once as its document does.
pub fn message(data: &[u8]) {
    let Some((&count, bytes)) = data.split_first() else { return };
    let count = usize::from(count % 14);
    agrees::<Numbered>(bytes, count);
    agrees::<RequestMessage>(bytes, count);
}

fn agrees<M: Message + std::fmt::Debug>(bytes: &[u8], count: usize) {
    static NULL: LazyLock<OwnedFd> =
        LazyLock::new(|| std::fs::File::open("/dev/null").expect("/dev/null").into());
    let fds: Vec<OwnedFd> = (0..count).map(|_| NULL.try_clone().expect("a duplicate")).collect();
    let numbers: Vec<i32> = fds.iter().map(AsRawFd::as_raw_fd).collect();
    let id = id_of(M::WIRE_ID);
    let theirs_read = theirs::read_chosen(&CATALOG, id, bytes, count, Host::this());
    match (M::from_message(bytes, fds), theirs_read) {
        (Err(ours), Err(theirs)) => assert_eq!(ours.to_string(), theirs.to_string()),
        (Ok(ours), Ok(reading)) => {
            match (ours.to_message(), &reading.written) {
                (Ok((written, beside)), Ok(expected)) => {
                    assert_eq!(&written, expected);
                    let beside: Vec<i32> = beside.iter().map(AsRawFd::as_raw_fd).collect();
                    assert_eq!(beside, numbers, "in the order in which they came");
                }
                (Err(ours), Err(theirs)) => assert_eq!(ours.to_string(), theirs.to_string()),
                (ours, theirs) => panic!("writing, the derive says {ours:?}, the interpreter {theirs:?}"),
            }
            let imported = theirs::import_chosen(&CATALOG, id, &reading.value);
            assert_eq!(
                ours.validate_import().map_err(|error| error.to_string()),
                imported.map_err(|fault| fault.to_string())
            );
        }
        (ours, theirs) => panic!("the derive says {ours:?}, the interpreter {theirs:?}"),
    }
}

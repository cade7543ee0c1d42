//! Messages with file descriptors, on every machine.

#![allow(missing_docs, reason = "contracts of the tests")]

use std::os::fd::OwnedFd;

use wirecontract::{Code, Message, WireContract};

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 8, endian = native)]
pub struct Header {
    pub request: u32,
    pub count: u32,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 8, endian = big)]
pub struct Word {
    pub value: u64,
}

#[derive(WireContract, Debug)]
#[wire(message, rule(words: len(words) < 4 || present(fence)))]
pub struct WordsMessage {
    pub header: Header,
    #[wire(tail(count = header.count))]
    pub words: Vec<Word>,
    #[wire(fds(0..=2))]
    pub memory: Vec<OwnedFd>,
    #[wire(fd, present_if(header.request % 2 == 1))]
    pub fence: Option<OwnedFd>,
}

#[derive(WireContract, Debug)]
#[repr(u32)]
#[wire(message, tag = header.request)]
pub enum Request {
    Plain(WordsMessage) = 2,
    Fenced(WordsMessage) = 3,
}

fn fds(count: usize) -> Vec<OwnedFd> {
    (0..count).map(|_| std::fs::File::open("/dev/null").unwrap().into()).collect()
}

fn message(request: u32, words: &[u64]) -> Vec<u8> {
    let count = u32::try_from(words.len()).unwrap();
    let head = [request, count].into_iter().flat_map(u32::to_ne_bytes);
    head.chain(words.iter().flat_map(|word| word.to_be_bytes())).collect()
}

#[test]
fn messages_are_read_and_written() {
    let bytes = message(3, &[1, 2, 3, u64::MAX]);
    let read = Request::from_message(&bytes, fds(3)).unwrap();
    let Request::Fenced(fenced) = &read else { panic!("{read:?}") };
    assert_eq!(fenced.words.iter().map(|word| word.value).collect::<Vec<_>>(), [1, 2, 3, u64::MAX]);
    assert_eq!((fenced.memory.len(), fenced.fence.is_some()), (2, true));
    let (written, beside) = read.to_message().unwrap();
    assert_eq!((written, beside.len()), (bytes, 3));
}

#[test]
fn what_is_wrong_is_refused() {
    let code = |bytes: &[u8], count| Request::from_message(bytes, fds(count)).unwrap_err().code;
    assert_eq!(code(&message(3, &[]), 0), Code::FdCount);
    assert_eq!(code(&message(2, &[1, 2, 3, 4]), 0), Code::RuleViolated);
    assert_eq!(code(&message(4, &[]), 0), Code::UnknownTag);
    assert_eq!(code(&message(2, &[1])[..15], 0), Code::TooShort);
    let mut many = message(2, &[]);
    many[4..8].copy_from_slice(&u32::MAX.to_ne_bytes());
    assert_eq!(code(&many, 0), Code::LengthExceeds);
}

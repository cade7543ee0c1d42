//! Parameters that no function of C has: each once, at the word, with what to write. The functions stay in Rust.

#![allow(unused_variables)]

use std::os::fd::OwnedFd;
use std::rc::Rc;

use wirecontract::export::LentFd;
use wirecontract::{CallbackError, wire_export};

#[wire_export]
pub fn texts(a: String, b: &String, c: &mut str, d: Option<&mut str>, e: Option<String>) {}

#[wire_export]
pub fn lists(a: Vec<u8>, b: &Vec<u32>, c: [u8; 4], d: &[u8; 4], e: Option<&[u8]>, f: Box<[u8]>) {}

#[wire_export]
pub fn pointers(a: Box<u8>, b: Rc<u8>, c: &&u8, d: &*const u8, e: fn(u8), f: &[*mut u8]) {}

#[wire_export]
pub fn fds(
    a: OwnedFd,
    b: std::os::fd::BorrowedFd<'_>,
    c: &OwnedFd,
    d: Option<OwnedFd>,
    e: &[OwnedFd],
    f: Vec<OwnedFd>,
    g: &mut [OwnedFd],
    h: LentFd,
) {
}

#[wire_export]
pub fn others(a: char, b: u128, c: (u8, u8), d: (), e: Option<u8>, f: Result<u8, u8>, g: &(u8, u8)) {}

#[wire_export]
pub fn callbacks(
    a: Box<dyn Fn()>,
    b: impl FnMut(),
    c: &dyn Fn(u8),
    d: &mut dyn FnMut(u8),
    e: &mut dyn FnMut(u8) -> u8,
    f: &mut (dyn FnMut() -> Result<(), CallbackError> + Send),
    g: &mut dyn FnMut(&mut u8) -> Result<(), CallbackError>,
    h: &mut dyn FnMut(Option<&u8>) -> Result<(), CallbackError>,
    i: Option<&mut dyn FnMut() -> Result<(), CallbackError>>,
) {
}

#[wire_export]
pub fn lifetimes(a: &'static str, b: Option<&'static u8>, c: &'static [u8]) {}

#[wire_export]
pub fn patterns((a, b): (u8, u8), _: u8, ref c: u8) {}

#[wire_export]
#[allow(clippy::too_many_arguments)]
pub fn many(
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
    i: u8,
    j: u8,
    k: u8,
    l: u8,
    m: u8,
    n: u8,
    o: u8,
    p: u8,
    q: u8,
) {
}

#[wire_export]
pub fn tells(
    a: &mut dyn FnMut(u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, i8) -> Result<(), CallbackError>,
) {
}

fn main() {
    texts(String::new(), &String::new(), &mut String::new(), None, None);
    lists(Vec::new(), &Vec::new(), [0; 4], &[0; 4], None, Box::new([]));
    patterns((1, 2), 3, 4);
}

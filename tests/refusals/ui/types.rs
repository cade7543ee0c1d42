//! Types that have no place on the wire, as they are written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Everything {
    pub a: usize,
    pub b: isize,
    pub c: char,
    pub d: &'static u32,
    pub e: *const u8,
    pub f: *mut u8,
    pub g: Vec<u16>,
    pub h: String,
    pub i: &'static str,
    pub j: Option<u32>,
    pub k: u128,
    pub l: i128,
    pub m: Box<u32>,
    pub n: fn(u32) -> u32,
    pub o: (u8, u8),
    pub p: [usize; 4],
    pub q: std::vec::Vec<[u8; 2]>,
    pub r: core::option::Option<u8>,
    pub s: BTreeMap<u8, u8>,
    pub t: Cow<'static, str>,
    pub u: [[char; 2]; 2],
    pub v: std::primitive::usize,
    pub w: (),
    pub x: &'static [u8],
    pub y: std::rc::Rc<u8>,
    pub z: PhantomData<u8>,
}

fn main() {}

//! Types that no document carries, and what to write instead.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use wirecontract::{Json, WireContract};

#[derive(WireContract)]
#[wire(recipe)]
pub struct Numbers {
    pub a: usize,
    pub b: Option<isize>,
    pub c: char,
    pub d: u128,
    pub e: Vec<i128>,
    pub f: std::num::NonZeroU32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Texts {
    pub a: &'static str,
    pub b: Box<str>,
    pub c: std::borrow::Cow<'static, str>,
    pub d: std::path::PathBuf,
    pub e: Option<std::ffi::CString>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Collections {
    pub a: HashMap<String, String>,
    pub b: BTreeMap<String, u32>,
    pub c: BTreeMap<u32, String>,
    pub d: BTreeSet<u32>,
    pub e: (u32, u32),
    pub f: [u32; 0],
    pub g: &'static [u32],
    pub h: std::collections::VecDeque<Vec<u8>>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Absence {
    pub a: Option<Option<u32>>,
    pub b: Vec<Option<u32>>,
    pub c: [Option<String>; 3],
    pub d: Option<Vec<Option<u8>>>,
    pub e: (),
    pub f: Result<u32, u32>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Pointers {
    pub a: Arc<u32>,
    pub b: *const u8,
    pub c: fn(u32) -> u32,
    pub d: Box<u32>,
    pub e: Box<dyn Send>,
    pub f: std::time::Duration,
    pub g: std::marker::PhantomData<u32>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Tree {
    pub label: String,
    pub children: Vec<Tree>,
    pub parent: Option<Box<Self>>,
    pub open: wirecontract::UnknownVariant,
    pub any: Json,
}

fn main() {}

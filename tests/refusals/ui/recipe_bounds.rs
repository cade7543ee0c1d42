//! Bounds and spellings of what has none, and bounds that nothing is within.

use std::collections::BTreeMap;
use wirecontract::{Json, WireContract};

#[derive(WireContract)]
#[wire(recipe, max_bytes = 1, max_depth = 0)]
pub struct Numbers {
    #[wire(min = 5, max = 4)]
    pub a: u32,
    #[wire(max = 256)]
    pub b: u8,
    #[wire(min = -1)]
    pub c: Vec<u8>,
    #[wire(max = 0.5)]
    pub d: i64,
    #[wire(min = 1.5, max = -1.5)]
    pub e: f64,
    #[wire(min = "1", max = LIMIT)]
    pub f: f32,
    #[wire(max_len = 3)]
    pub g: u32,
    #[wire(max_items = 3)]
    pub h: bool,
}

#[derive(WireContract)]
#[wire(recipe, max_bytes = 4294967296, max_depth = 129)]
pub struct Long {
    #[wire(min = 1)]
    pub a: String,
    #[wire(max_items = 3)]
    pub b: String,
    #[wire(max_len = 3)]
    pub c: Vec<u32>,
    #[wire(max_items = 3)]
    pub d: [u32; 3],
    #[wire(max_items = 3)]
    pub e: Vec<Vec<u32>>,
    #[wire(max_items = 3, hex)]
    pub f: Vec<u8>,
    #[wire(max_len = 3, hex)]
    pub g: [u8; 3],
    #[wire(max_items = 3)]
    pub h: Json,
    #[wire(min = 3, max_items = 1)]
    pub i: BTreeMap<String, String>,
    #[wire(max_items = 3)]
    pub j: Vec<BTreeMap<String, String>>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Spelled {
    #[wire(hex)]
    pub a: u32,
    #[wire(base64)]
    pub b: String,
    #[wire(uuid)]
    pub c: [u8; 15],
    #[wire(uuid)]
    pub d: Vec<u8>,
    #[wire(decimal_string)]
    pub e: f64,
    #[wire(decimal_string)]
    pub f: String,
    #[wire(hex, base64)]
    pub g: Vec<u8>,
    #[wire(hex)]
    pub h: Vec<u16>,
    #[wire(uuid)]
    pub i: Option<u64>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Rounded {
    #[wire(min = 1e39)]
    pub a: f32,
    #[wire(max = -3.5e38)]
    pub b: Vec<f32>,
    #[wire(min = 0.3, max = 0.1)]
    pub c: f32,
    #[wire(max = 0.1, default = 0.2)]
    pub d: f32,
}

fn main() {}

//! Defaults that the type cannot be, and that readers would refuse.

use std::collections::BTreeMap;
use wirecontract::{Flags, Json, Open, WireContract};

#[derive(WireContract, Clone, Copy)]
#[repr(u32)]
#[wire(enumeration)]
pub enum Tiling {
    Optimal = 0,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u32)]
#[wire(flags)]
pub enum Usage {
    Source = 1,
}

type Uses = Flags<Usage>;

type Id = Vec<u8>;

const ONE: u32 = 1;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Values {
    #[wire(default = 256)]
    pub a: u8,
    #[wire(default = -1)]
    pub b: Option<u64>,
    #[wire(default = 5, max = 4)]
    pub c: u32,
    #[wire(default = 5, min = 6)]
    pub d: Option<u32>,
    #[wire(default = 0.5, max = 0.25)]
    pub e: f64,
    #[wire(default = 1e39)]
    pub f: f32,
    #[wire(default = 1.5)]
    pub g: u32,
    #[wire(default = 1)]
    pub h: bool,
    #[wire(default = "long", max_len = 3)]
    pub i: String,
    #[wire(default = 1)]
    pub j: String,
    #[wire(default = ONE)]
    pub k: u32,
    #[wire(default = u32::MAX)]
    pub l: u32,
    #[wire(default = Vec::new())]
    pub m: Vec<u32>,
    #[wire(default)]
    pub n: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Others {
    #[wire(default = 0)]
    pub a: Open<Tiling>,
    #[wire(default = "Optimal")]
    pub b: Option<Open<Tiling>>,
    #[wire(default = -1)]
    pub c: Flags<Usage>,
    #[wire(default = [0, 1, 2], max_items = 2)]
    pub d: Vec<u32>,
    #[wire(default = [0, 300])]
    pub e: Vec<u8>,
    #[wire(default = [0])]
    pub f: [u8; 2],
    #[wire(default = [])]
    pub g: BTreeMap<String, String>,
    #[wire(default = "{}")]
    pub h: Json,
    #[wire(default = Source | Source)]
    pub i: Uses,
    #[wire(default = [0, 1, 2], max_len = 2, hex)]
    pub j: Vec<u8>,
    #[wire(hex, default = "0102")]
    pub k: Vec<u8>,
    #[wire(base64, default = [1, 2, 3])]
    pub l: Option<[u8; 2]>,
    #[wire(hex, default = [1, 256])]
    pub m: Vec<u8>,
    #[wire(hex, default = [1, true])]
    pub n: Vec<u8>,
    #[wire(hex, default = [[1], [1, 2]], max_len = 1)]
    pub o: Vec<Vec<u8>>,
    #[wire(hex, default = [1, 2], max_len = 1)]
    pub p: Id,
    #[wire(default = 1)]
    pub to_json: Option<u32>,
}

fn main() {}

//! Numbers beyond every float.

use wirecontract::WireContract;

type Real = f64;
type Reals = Vec<f64>;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Values {
    #[wire(default = 1e999)]
    pub a: f64,
    #[wire(default = -1e999)]
    pub b: f32,
    #[wire(default = [0.5, 1e999])]
    pub c: Vec<f32>,
    #[wire(default = 1e999)]
    pub d: Option<Real>,
    #[wire(default = [1e999])]
    pub e: Reals,
    #[wire(min = -1e999, max = 1e999)]
    pub f: f64,
    #[wire(min = -1e999)]
    pub g: Real,
}

fn main() {}

//! One tensor in memory of Rust's, exported by a class that stands on `wirecontract-tensor` and by one that stands on
//! dlpark, and taken by both crates: in one module, of one build, for `cargo xtask bench`.

mod ours;
mod theirs;

use std::time::Instant;

use pyo3::prelude::*;

/// What a tensor is: address, shape, strides, and (code, bits, lanes) of an element.
type Seen = (usize, Vec<i64>, Vec<i64>, (u8, u8, u16));

/// The shape that both sides export.
const SHAPE: [i64; 3] = [4, 5, 6];

/// The memory that both sides export, of so many numbers.
fn numbers() -> Vec<f32> {
    (0..120u8).map(f32::from).collect()
}

/// Nanoseconds of a call, which is made so many times.
fn timed(times: u32, mut call: impl FnMut() -> PyResult<()>) -> PyResult<f64> {
    let since = Instant::now();
    for _ in 0..times {
        call()?;
    }
    Ok(since.elapsed().as_secs_f64() * 1e9 / f64::from(times))
}

/// What the two sides export and take.
#[pymodule(gil_used = false)]
mod wirecontract_bench_tensors {
    #[pymodule_export]
    use crate::ours::{Ours, import_ours, see_ours};
    #[pymodule_export]
    use crate::theirs::{Theirs, import_theirs, see_theirs};

    use crate::{Bound, PyModule, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::ours::install(module.py())?;
        dlpark::python::install_exchange_api::<Theirs>(module.py())
    }
}

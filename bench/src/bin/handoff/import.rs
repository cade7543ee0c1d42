//! Importing a buffer of 4 KiB, and one of 4 GiB: nothing is copied, and nothing touched.

use wirecontract_runtime::host::{HostBuffer, HostMapping, HostOptions};

use super::{Outcome, now};

const SIZES: [u64; 2] = [4 << 10, 4 << 30];
/// Imports between two looks at the clock, and how often both sizes are measured in turns.
const BATCH: u32 = 100;
const TURNS: u32 = 500;

/// Prints the best batch's time for one import and its end, of either size.
pub(crate) fn measure() -> Outcome<()> {
    let [small, large] = SIZES.map(|size| HostBuffer::create(&HostOptions::new(size)));
    let buffers = [small?, large?];
    let mut best = [f64::INFINITY; 2];
    for _ in 0..TURNS {
        for (buffer, best) in buffers.iter().zip(&mut best) {
            let mut fds = Vec::with_capacity(BATCH as usize);
            for _ in 0..BATCH {
                fds.push(buffer.try_clone_fd()?);
            }
            let start = now();
            for fd in fds {
                drop(HostMapping::import(fd, &buffer.describe())?);
            }
            *best = (*best).min(now() - start);
        }
    }
    let [small, large] = best.map(|best| best / f64::from(BATCH));
    println!("import {small:.1} {large:.1}");
    Ok(())
}

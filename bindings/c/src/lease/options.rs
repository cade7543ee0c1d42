//! Options as Rust has them.

use std::time::Duration;

use wirecontract::AbiStruct as _;
use wirecontract_runtime::lease;

use super::{LeaseFlag, LeaseOptions};
use crate::system::{Error, known_flags, limit_or};

const USUAL: Option<Duration> = Some(Duration::from_secs(10));

pub(crate) fn options(options: Option<&LeaseOptions>) -> Result<lease::Options, Error> {
    let given = options.copied().unwrap_or(LeaseOptions::ZERO);
    known_flags(given.flags, "flags")?;
    let mut options = lease::Options::default()
        .answer_timeout(limit_or(given.answer_timeout_ms, USUAL))
        .hello_timeout(limit_or(given.hello_timeout_ms, USUAL))
        .hello(!given.flags.contains(LeaseFlag::NoHello));
    if given.most_leases != 0 {
        options = options.most_leases(given.most_leases as usize);
    }
    if given.most_consumers != 0 {
        options = options.most_consumers(given.most_consumers as usize);
    }
    Ok(options)
}

//! What a buffer is asked to be, as Rust has it.

use wirecontract_runtime::host;

use super::{HostFlag, HostOptions, HugePages};
use crate::system::{Error, known, known_flags};

/// Bytes of a huge page, unless said.
const USUAL_HUGE_PAGE: u64 = 2 << 20;

pub(super) fn options(given: &HostOptions, name: Option<&str>) -> Result<host::HostOptions, Error> {
    known_flags(given.flags, "flags")?;
    let bytes = if given.huge_page_bytes == 0 { USUAL_HUGE_PAGE } else { given.huge_page_bytes };
    let huge_pages = match known(given.huge_pages, "huge_pages")? {
        HugePages::Never => host::HugePages::Never,
        HugePages::Advised => host::HugePages::Advised,
        HugePages::Preferred => host::HugePages::Preferred { bytes },
        HugePages::Required => host::HugePages::Required { bytes },
    };
    let consumers = if given.flags.contains(HostFlag::ConsumersWrite) {
        host::Access::ReadWrite
    } else {
        host::Access::ReadOnly
    };
    let options = host::HostOptions::new(given.size)
        .offset(given.offset)
        .alignment(given.alignment.max(1))
        .consumers(consumers)
        .huge_pages(huge_pages)
        .populate(given.flags.contains(HostFlag::Populate))
        .final_seals(given.flags.contains(HostFlag::FinalSeals));
    Ok(match name {
        Some(name) => options.name(name),
        None => options,
    })
}

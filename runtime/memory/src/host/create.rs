//! How a memfd is made, sized, sealed and mapped.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{
    FallocateFlags, MemfdFlags, Mode, SealFlags, fallocate, fchmod, fcntl_add_seals, ftruncate, memfd_create,
};
use rustix::io::Errno;

use super::map::{Map, Protection};
use super::span::{Span, ordinary_page};
use super::{Access, HostError, HostOptions, HugePages, Import, Pages};

/// Where the size of a huge page is in the flags of a memfd, as its logarithm.
const HUGE_SHIFT: u32 = 26;

/// Bytes of pages that are asked for at once.
const AT_ONCE: u64 = 64 << 20;

/// A memfd and its only writable mapping that its seals let be.
pub(super) struct Created {
    pub(super) map: Map,
    pub(super) fd: OwnedFd,
    pub(super) numbers: Import,
    pub(super) pages: Pages,
}

/// Makes what the options say.
pub(super) fn create(options: &HostOptions) -> Result<Created, HostError> {
    match options.huge_pages {
        HugePages::Never => on(Pages::Ordinary, options),
        HugePages::Advised => on(Pages::Advised, options),
        HugePages::Required { bytes } => on(Pages::Huge { bytes }, options),
        HugePages::Preferred { bytes } => match on(Pages::Huge { bytes }, options) {
            // Too large may be what it is only when rounded up to such a page.
            Err(HostError::HugePages { .. } | HostError::WrittenHugePages | HostError::TooLarge { .. }) => {
                on(Pages::Advised, options)
            }
            other => other,
        },
    }
}

/// Makes it on pages of that kind.
fn on(pages: Pages, options: &HostOptions) -> Result<Created, HostError> {
    if matches!(pages, Pages::Huge { .. }) && options.consumers == Access::ReadWrite {
        return Err(HostError::WrittenHugePages);
    }
    let ordinary = ordinary_page();
    let (page, huge) = match pages {
        Pages::Ordinary | Pages::Advised => (ordinary, MemfdFlags::empty()),
        Pages::Huge { bytes } => (bytes, huge_flags(bytes, ordinary)?),
    };
    let refused = |operation| move |errno| refusal(pages, operation, errno);
    let numbers = options.numbers(page, ordinary)?;
    let span = Span::of(&numbers, page)?;

    if options.populate {
        within_machine(numbers.allocation_size)?;
    }
    let fd = memfd(options.checked_name()?, huge).map_err(refused("creating a memfd"))?;
    // Whoever has a descriptor can open the file anew, as the file's mode says. So consumers of other users get nothing
    // by it that the descriptor they were sent does not have.
    let mode = match options.consumers {
        Access::ReadOnly => Mode::RUSR,
        Access::ReadWrite => Mode::RUSR | Mode::WUSR,
    };
    fchmod(&fd, mode).map_err(refused("setting the mode of a memfd"))?;
    ftruncate(&fd, numbers.allocation_size).map_err(refused("sizing a memfd"))?;
    if options.populate {
        // Populating a mapping fails silently; this says that there is not enough memory.
        let allocate = |at, length| fallocate(&fd, FallocateFlags::empty(), at, length);
        in_steps(numbers.allocation_size, page, allocate)
            .map_err(refused("allocating the pages of a memfd"))?;
    }
    let add = |seals| fcntl_add_seals(&fd, seals).map_err(refused("sealing a memfd"));
    add(SealFlags::SHRINK | SealFlags::GROW)?;
    // SAFETY: the file has the size of the allocation, in which `Span` holds the buffer, and keeps it: it is sealed.
    let map = unsafe { Map::new(fd.as_fd(), span, Protection::ReadWrite, options.populate) }
        .map_err(refused("mapping a memfd"))?;
    // This seal is for mappings that come later, and so it comes after ours.
    let mut seals = SealFlags::empty();
    seals.set(SealFlags::FUTURE_WRITE, options.consumers == Access::ReadOnly);
    seals.set(SealFlags::SEAL, options.final_seals);
    if !seals.is_empty() {
        add(seals)?;
    }
    let pages = match pages {
        Pages::Advised if !map.advise_huge() => Pages::Ordinary,
        got => got,
    };
    Ok(Created { map, fd, numbers, pages })
}

/// Has all pages of a file be made, by calls for some of them at a place. Kernels before 6.17 undo a call that a signal
/// interrupts, so that one for all of a large file would never end in a process that gets signals all the time: what is
/// asked for at once is as much as goes through.
fn in_steps(
    bytes: u64,
    page: u64,
    mut allocate: impl FnMut(u64, u64) -> rustix::io::Result<()>,
) -> rustix::io::Result<()> {
    let (mut at, mut step) = (0, AT_ONCE.max(page));
    while at < bytes {
        let length = step.min(bytes - at);
        match allocate(at, length) {
            Ok(()) => {
                at += length;
                step = (step * 2).min(AT_ONCE.max(page));
            }
            Err(Errno::INTR) => step = (step / 2).max(page),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Refuses pages that the machine cannot have: the kernel makes them until other processes are killed for it.
fn within_machine(pages: u64) -> Result<(), HostError> {
    let info = rustix::system::sysinfo();
    let memory = (u128::from(info.totalram) + u128::from(info.totalswap)) * u128::from(info.mem_unit);
    let memory = u64::try_from(memory).unwrap_or(u64::MAX);
    if pages > memory { Err(HostError::MoreThanMemory { pages, memory }) } else { Ok(()) }
}

/// A memfd without a size.
fn memfd(name: &str, huge: MemfdFlags) -> rustix::io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING | huge;
    match memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL) {
        // Kernels before 6.3 know no memory that cannot be executed.
        Err(Errno::INVAL) => memfd_create(name, flags),
        other => other,
    }
}

/// The flags of a memfd on huge pages.
fn huge_flags(bytes: u64, ordinary: u64) -> Result<MemfdFlags, HostError> {
    if !bytes.is_power_of_two() || bytes <= ordinary {
        return Err(HostError::HugePages { bytes, errno: Errno::INVAL.raw_os_error() });
    }
    Ok(MemfdFlags::HUGETLB | MemfdFlags::from_bits_retain(bytes.ilog2() << HUGE_SHIFT))
}

/// What the operating system refused: of huge pages, that there are none of them.
fn refusal(pages: Pages, operation: &'static str, errno: Errno) -> HostError {
    match (pages, errno) {
        (
            Pages::Huge { bytes },
            Errno::INVAL | Errno::NODEV | Errno::NOMEM | Errno::NOSPC | Errno::OPNOTSUPP,
        ) => HostError::HugePages { bytes, errno: errno.raw_os_error() },
        _ => HostError::os(operation)(errno),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_made_where_calls_for_many_of_them_are_interrupted() {
        const PAGE: u64 = 4096;
        for (bytes, most) in [(1, 1), (PAGE, 1), (1 << 30, 16 * PAGE), ((1 << 30) + 5 * PAGE, AT_ONCE)] {
            let (mut made, mut calls) = (0, 0);
            let allocate = |at, length| {
                calls += 1;
                assert!(length <= AT_ONCE && at == made, "{length} bytes at {at}, {made} are made");
                // As one signal for so many pages has it, and every other call.
                if length > most.max(PAGE) || (most < AT_ONCE && length > PAGE && calls % 2 == 0) {
                    return Err(Errno::INTR);
                }
                made += length;
                Ok(())
            };
            assert_eq!(in_steps(bytes, PAGE, allocate), Ok(()));
            assert_eq!(made, bytes);
        }
        assert_eq!(in_steps(PAGE, PAGE, |_, _| Err(Errno::NOSPC)), Err(Errno::NOSPC));
        // Of pages that are larger a step is one.
        let mut steps = Vec::new();
        let allocate = |at, length| {
            steps.push((at, length));
            Ok(())
        };
        assert_eq!(in_steps(2 << 30, 1 << 30, allocate), Ok(()));
        assert_eq!(steps, [(0, 1 << 30), (1 << 30, 1 << 30)]);
    }
}

//! Whether two file descriptors of a message are one open file.
//!
//! The kernel says so of open files, as duplicates of one descriptor are (`kcmp`). It orders them as well, so that many
//! are compared in the time that sorting takes. Where it may not be asked, what is known of regular files has to do: two
//! that were opened apart are then one as well where their file is.

use std::cmp::Ordering;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, StatxFlags, statx};
use rustix::io::Errno;
use rustix::thread::gettid;

use super::MOST_FDS;

/// `KCMP_FILE`: to compare open files.
const FILE: libc::c_int = 0;

/// The first two that are one, by their places.
pub(crate) fn repeated(fds: &[OwnedFd]) -> Option<(usize, usize)> {
    if fds.len() < 2 {
        return None;
    }
    first_equal(fds, compare).unwrap_or_else(|Unknown| of_files(fds))
}

/// The kernel does not say.
struct Unknown;

/// The first that is equal to one before it, and that one, among as many as a message has at most.
fn first_equal<T>(
    all: &[T],
    compare: impl Fn(&T, &T) -> Result<Ordering, Unknown>,
) -> Result<Option<(usize, usize)>, Unknown> {
    let mut sorted = [0; MOST_FDS];
    for (at, one) in all.iter().enumerate() {
        let (mut low, mut high) = (0, at);
        while low < high {
            let middle = low + (high - low) / 2;
            match compare(one, &all[sorted[middle]])? {
                Ordering::Equal => return Ok(Some((sorted[middle], at))),
                Ordering::Less => high = middle,
                Ordering::Greater => low = middle + 1,
            }
        }
        sorted.copy_within(low..at, low + 1);
        sorted[low] = at;
    }
    Ok(None)
}

fn compare(one: &OwnedFd, other: &OwnedFd) -> Result<Ordering, Unknown> {
    // This thread, since the first one of the process may have ended. The numbers of file descriptors are not negative.
    let thread = gettid().as_raw_nonzero().get();
    let (one, other) = (one.as_raw_fd().cast_unsigned(), other.as_raw_fd().cast_unsigned());
    // SAFETY: the kernel is given numbers and says one.
    let found = unsafe {
        libc::syscall(
            libc::SYS_kcmp,
            thread,
            thread,
            FILE,
            libc::c_ulong::from(one),
            libc::c_ulong::from(other),
        )
    };
    match found {
        0 => Ok(Ordering::Equal),
        1 => Ok(Ordering::Less),
        2 => Ok(Ordering::Greater),
        // Refused, not built into this kernel, or without an order.
        _ => Err(Unknown),
    }
}

/// The first two whose regular file is one.
fn of_files(fds: &[OwnedFd]) -> Option<(usize, usize)> {
    let mut files: Vec<_> =
        fds.iter().enumerate().filter_map(|(at, fd)| Some((file(fd.as_fd()).ok()??, at))).collect();
    files.sort_unstable();
    let pairs = files.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    pairs.map(|pair| (pair[0].1, pair[1].1)).min_by_key(|(_, later)| *later)
}

/// Which file it is, of regular ones. No file system is asked for what the kernel knows, as one that answers late would
/// hold the receiver.
fn file(fd: BorrowedFd<'_>) -> Result<Option<(u32, u32, u64)>, Errno> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let found = statx(fd, c"", flags, StatxFlags::TYPE | StatxFlags::INO)?;
    let regular = FileType::from_raw_mode(found.stx_mode.into()) == FileType::RegularFile;
    Ok(regular.then_some((found.stx_dev_major, found.stx_dev_minor, found.stx_ino)))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::pipe;

    use rustix::fs::{MemfdFlags, memfd_create};

    use super::*;

    fn files(count: usize) -> Vec<OwnedFd> {
        let file = |_| memfd_create("a file", MemfdFlags::CLOEXEC).expect("memfds are there");
        (0..count).map(file).collect()
    }

    fn again(fd: &OwnedFd) -> OwnedFd {
        fd.try_clone().expect("a duplicate")
    }

    #[test]
    fn one_that_comes_again_is_found_wherever_it_is() {
        for (count, first, second) in [(2, 0, 1), (3, 0, 2), (253, 0, 252), (253, 100, 101), (253, 251, 252)]
        {
            let mut all = files(count);
            all[second] = again(&all[first]);
            assert_eq!(repeated(&all), Some((first, second)));
            assert_eq!(of_files(&all), Some((first, second)));
        }
        for count in [0, 1, 2, 253] {
            assert_eq!(repeated(&files(count)), None);
            assert_eq!(of_files(&files(count)), None);
        }
    }

    #[test]
    fn of_several_the_one_that_comes_again_first_is_said() {
        let mut all = files(8);
        (all[7], all[5], all[6]) = (again(&all[0]), again(&all[3]), again(&all[1]));
        assert_eq!(repeated(&all), Some((3, 5)));
        assert_eq!(of_files(&all), Some((3, 5)));
    }

    #[test]
    fn a_file_that_was_opened_twice_comes_once_to_who_can_ask() {
        let open = || OwnedFd::from(File::open("/proc/self/exe").expect("it runs"));
        let all = [open(), open()];
        assert_eq!(repeated(&all), None);
        assert_eq!(of_files(&all), Some((0, 1)));
    }

    #[test]
    fn where_the_kernel_does_not_say_files_alone_are_compared() {
        let (reads, writes) = pipe().expect("a pipe");
        let (reads, writes) = (OwnedFd::from(reads), OwnedFd::from(writes));
        let twice = again(&reads);
        let pipes = [reads, writes, twice];
        assert_eq!(repeated(&pipes), Some((0, 2)));
        assert_eq!(of_files(&pipes), None);
        let unknown = first_equal(&pipes, |_, _| Err(Unknown));
        assert!(unknown.is_err());
    }
}

//! The process that made something. A fork has a copy of it, which is not the fork's to use: two processes that go on
//! from one state would say things twice, and each end what is the other's.

use std::process;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

/// A process, by its number at the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Maker(u32);

impl Maker {
    /// This process.
    pub(crate) fn this() -> Maker {
        Maker(number())
    }

    /// Whether this process is the one, and no fork of it, however that was made.
    pub(crate) fn is_this(self) -> bool {
        self == Maker::this()
    }

    /// Its number.
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// The number of this process, which the kernel is asked for once in each: what keeps it is empty in a fork. Where there is
/// no such memory the kernel is asked each time.
fn number() -> u32 {
    static KEPT: OnceLock<Option<&'static AtomicU32>> = OnceLock::new();
    let Some(kept) = KEPT.get_or_init(kept) else { return process::id() };
    match kept.load(Ordering::Relaxed) {
        0 => {
            let number = process::id();
            kept.store(number, Ordering::Relaxed);
            number
        }
        number => number,
    }
}

/// A number of this process's own, which is 0 in every fork: the kernel sees to that, also of one that was made without the
/// C library.
fn kept() -> Option<&'static AtomicU32> {
    let bytes = rustix::param::page_size();
    // SAFETY: without an address the kernel chooses a place where nothing is.
    let page = unsafe {
        mmap_anonymous(std::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
    };
    let page = NonNull::new(page.ok()?)?;
    // SAFETY: the page is this function's; what the advice changes is what a fork has there.
    let advise = |advice| unsafe { libc::madvise(page.as_ptr(), bytes, advice) };
    // What takes an advice that there is not, as emulators do, may do nothing for those that there are.
    if advise(-1) == 0 || advise(libc::MADV_WIPEONFORK) != 0 {
        // SAFETY: the page is this function's, and nobody has it.
        let _ = unsafe { munmap(page.as_ptr(), bytes) };
        return None;
    }
    // SAFETY: a page of zeros that is never unmapped, and is written as this number alone.
    Some(unsafe { page.cast::<AtomicU32>().as_ref() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a fork that is made by that call finds, as the status that it ends with.
    fn in_fork(fork: impl FnOnce() -> libc::c_long, look: impl FnOnce() -> bool) -> bool {
        match fork() {
            // SAFETY: a fork of a test ends at once, whatever its other threads had locked.
            0 => unsafe { libc::_exit(libc::c_int::from(look())) },
            child => {
                let child = libc::pid_t::try_from(child).expect("a number of a process");
                let mut status = 0;
                // SAFETY: a place for the status.
                let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
                assert!(waited == child && libc::WIFEXITED(status), "status {status:#x}");
                libc::WEXITSTATUS(status) == 1
            }
        }
    }

    #[test]
    fn a_fork_is_another_process_however_it_was_made() {
        let made = Maker::this();
        assert!(made.is_this());
        assert_eq!(made.number(), process::id());
        // SAFETY: the forks look at a number and end.
        let by_library = || unsafe { libc::c_long::from(libc::fork()) };
        // SAFETY: likewise; without a stack of its own the fork has a copy of this one.
        let by_kernel = || unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
        let looks = || !made.is_this() && Maker::this().number() == process::id() && Maker::this().is_this();
        assert!(in_fork(by_library, looks));
        assert!(in_fork(by_kernel, looks));
        assert!(made.is_this());
    }

    #[test]
    fn what_is_kept_is_this_processs_alone() {
        let kept = kept().expect("a kernel from 4.14 on");
        kept.store(7, Ordering::Relaxed);
        // SAFETY: the fork looks at a number and ends.
        let fork = || unsafe { libc::c_long::from(libc::fork()) };
        assert!(in_fork(fork, || kept.load(Ordering::Relaxed) == 0));
        assert_eq!(kept.load(Ordering::Relaxed), 7);
    }
}

//! Children of a test that are forks of it.
#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

use std::panic::{AssertUnwindSafe, catch_unwind};

/// A child of this process, in the parent. It is killed and waited for when this is dropped.
pub struct Child {
    pid: libc::pid_t,
    ended: bool,
}

/// Forks; none in the child, which is to [`leave`].
pub fn fork() -> Option<Child> {
    // SAFETY: the child runs what a test gives to `leave` and ends by `_exit`; the C library keeps its allocator usable.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "{}", std::io::Error::last_os_error());
    (pid > 0).then(|| Child { pid, ended: false })
}

/// Does something in the child, and ends it.
pub fn leave(work: impl FnOnce()) -> ! {
    let code = if catch_unwind(AssertUnwindSafe(work)).is_ok() { 0 } else { 101 };
    // SAFETY: it ends the process, without what the parent has registered for its own end.
    unsafe { libc::_exit(code) }
}

impl Child {
    pub fn pid(&self) -> u32 {
        self.pid.cast_unsigned()
    }

    pub fn signal(&self, signal: libc::c_int) {
        // SAFETY: it is a child that was not waited for.
        assert_eq!(unsafe { libc::kill(self.pid, signal) }, 0, "{}", std::io::Error::last_os_error());
    }

    /// Waits for it to end well.
    pub fn succeeds(mut self) {
        assert_eq!(self.wait(), 0, "how the child ended");
    }

    /// Kills it, and waits until it has ended.
    pub fn kill(mut self) {
        self.signal(libc::SIGKILL);
        assert_eq!(self.wait(), libc::SIGKILL, "how the child ended");
    }

    fn wait(&mut self) -> libc::c_int {
        let mut status = 0;
        // SAFETY: the kernel writes the status, for which there is room.
        let waited = unsafe { libc::waitpid(self.pid, &raw mut status, 0) };
        assert_eq!(waited, self.pid, "{}", std::io::Error::last_os_error());
        self.ended = true;
        status
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.ended {
            // SAFETY: it is a child that was not waited for, and the kernel is asked for no status.
            unsafe {
                libc::kill(self.pid, libc::SIGKILL);
                libc::waitpid(self.pid, std::ptr::null_mut(), 0);
            }
        }
    }
}

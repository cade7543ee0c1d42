//! Ctrl-C and requests to end, while something on the disk has to be put back first.

/// While this is there, what asks this process to end is remembered and does not end it. The processes that it started
/// are asked as well by a terminal, and end, so that whoever waits for them goes on and puts things back.
pub(super) struct Held {
    #[cfg(unix)]
    before: [(libc::c_int, libc::sighandler_t); 3],
}

#[cfg(unix)]
mod signals {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::Held;

    static WAS_ASKED: AtomicBool = AtomicBool::new(false);

    extern "C" fn remember(_: libc::c_int) {
        WAS_ASKED.store(true, Ordering::SeqCst);
    }

    impl Held {
        pub(in super::super) fn new() -> Held {
            WAS_ASKED.store(false, Ordering::SeqCst);
            let remember: extern "C" fn(libc::c_int) = remember;
            let hold = |signal| {
                let before = set(signal, remember as libc::sighandler_t);
                // Who started this process wants it to go on.
                if before == libc::SIG_IGN {
                    set(signal, before);
                }
                (signal, before)
            };
            Held { before: [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].map(hold) }
        }

        /// Whether the process is to end.
        #[expect(clippy::unused_self, reason = "elsewhere nothing is remembered")]
        pub(in super::super) fn was_asked(&self) -> bool {
            WAS_ASKED.load(Ordering::SeqCst)
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            for (signal, before) in self.before {
                set(signal, before);
            }
        }
    }

    /// Says what a signal does, and what it did before.
    fn set(signal: libc::c_int, handler: libc::sighandler_t) -> libc::sighandler_t {
        // SAFETY: the handler is the one above, which stores to an atomic and does nothing else, or what was there before.
        unsafe { libc::signal(signal, handler) }
    }
}

#[cfg(not(unix))]
impl Held {
    pub(super) fn new() -> Held {
        Held {}
    }

    /// Whether the process is to end: it has ended then.
    pub(super) fn was_asked(&self) -> bool {
        false
    }
}

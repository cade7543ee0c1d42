//! Ctrl-C: the programs end by it, or by finding that nobody tells them anything; this process ends behind them, and
//! removes what it made.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Has the signals that end a process be noted instead. Programs that are started have them as ever.
pub(super) fn catch() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        let handler: extern "C" fn(libc::c_int) = note;
        // SAFETY: the handler stores to an atomic and does nothing else, which a handler may at any moment.
        unsafe { libc::signal(signal, handler as libc::sighandler_t) };
    }
}

/// Whether one has come.
pub(super) fn came() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

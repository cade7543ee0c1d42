//! What receiving allocates: nothing for bytes that have not come, and nothing at all into a caller's buffer.
#![cfg(feature = "handoff")]
#![allow(unsafe_code, reason = "an allocator that counts")]

mod handoff_support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use handoff_support::{FRAMINGS, STREAM, alone, balanced, bytes, channel_and_socket, patient, raw_send};
use wirecontract_runtime::handoff::{Channel, Error, Expected};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is the system's allocator's doing; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        LARGEST.fetch_max(size, Ordering::Relaxed);
        // SAFETY: the caller's promise is the same.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often something was allocated, and how much at most.
fn allocated<T>(run: impl FnOnce() -> T) -> (T, usize, usize) {
    LARGEST.store(0, Ordering::Relaxed);
    let before = COUNT.load(Ordering::Relaxed);
    let value = run();
    (value, COUNT.load(Ordering::Relaxed) - before, LARGEST.load(Ordering::Relaxed))
}

// One test: the counts are of the process.
#[test]
fn nothing_is_allocated_for_what_has_not_come() {
    let _alone = alone();
    balanced(|| {
        let (channel, socket) = channel_and_socket(&patient(STREAM), STREAM);
        raw_send(&socket, &u32::MAX.to_be_bytes(), &[]).expect("it is sent");
        raw_send(&socket, &bytes(1000), &[]).expect("it is sent");
        drop(socket);
        let (outcome, _, largest) = allocated(|| channel.recv(&Expected::bytes(usize::MAX)));
        let error = outcome.expect_err("it is not whole");
        assert!(matches!(error, Error::ClosedInMessage { crossed: 1004, .. }), "{error:?}");
        assert!(largest <= 2 * (64 << 10), "{largest} bytes for a thousand that came");

        let mut buffer = vec![0; 10_000];
        let body = bytes(10_000);
        for framing in FRAMINGS {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            let ((), count, _) = allocated(|| {
                for size in [1, 100, 10_000] {
                    one.send(&body[..size], &[]).expect("it is sent");
                    let came = other.recv_into(&mut buffer, &Expected::bytes(10_000)).expect("it comes");
                    assert_eq!((came.bytes, came.fds.len()), (size, 0));
                }
            });
            assert_eq!(count, 0, "allocations, {framing:?}");
        }
    });
}

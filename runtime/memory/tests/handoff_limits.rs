//! File descriptors that are lost: the kernel's limits, which are of the process.
#![cfg(feature = "handoff")]

mod handoff_support;

use std::thread;

use handoff_support::{FRAMINGS, JOINED, alone, assert_same_files, balanced, borrowed, files, patient};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use wirecontract::Code;
use wirecontract_runtime::handoff::{Channel, Error, Expected, Framing};

/// Runs with another limit on open files.
fn with_most_files<T>(most: u64, run: impl FnOnce() -> T) -> T {
    let before = getrlimit(Resource::Nofile);
    let now = Rlimit { current: Some(most), maximum: before.maximum };
    setrlimit(Resource::Nofile, now).expect("it is lower");
    let value = run();
    setrlimit(Resource::Nofile, before).expect("it is as before");
    value
}

#[test]
fn descriptors_that_are_lost_are_an_error_and_those_that_came_are_closed() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            let sent = files(10);
            let last = sent.iter().map(std::os::fd::AsRawFd::as_raw_fd).max().expect("there are some");
            let expected = Expected::bytes(4).fds(0..=10);
            one.send(b"body", &borrowed(&sent)).expect("it is sent");
            // Room for three more numbers, if none below is free.
            let most = u64::try_from(last).expect("it is open") + 1 + 3;
            let error = with_most_files(most, || other.recv(&expected)).expect_err("some are lost");
            assert!(matches!(error, Error::FdsLost { came: 3 }), "{error:?}");
            assert_eq!(error.code(), Code::FdCount);
            if framing == Framing::SeqPacket {
                one.send(b"next", &borrowed(&sent)).expect("it is sent");
                assert_same_files(&other.recv(&expected).expect("it comes").fds, &sent);
            } else {
                let error = other.recv(&expected).expect_err("it is out of step");
                assert!(matches!(error, Error::OutOfStep { because: Code::FdCount, .. }), "{error:?}");
                let error = one.send(b"next", &[]).expect_err("nobody takes it");
                assert!(matches!(error, Error::PeerClosed { .. }), "{error:?}");
            }
        });
    }
}

#[test]
fn too_many_descriptors_in_flight_are_an_error_that_passes() {
    let _alone = alone();
    balanced(|| {
        let sent = files(100);
        let expected = Expected::bytes(4).fds(100..=100);
        let (one, other) = Channel::pair(&patient(JOINED)).expect("a pair");
        // Root may have any number, so this is nobody's thread where it is root's.
        let error = thread::scope(|scope| {
            let sends = scope.spawn(|| {
                if rustix::process::geteuid().is_root() {
                    // SAFETY: it changes this thread's user, which ends with it.
                    assert_eq!(unsafe { libc::syscall(libc::SYS_setresuid, 65_534, 65_534, 65_534) }, 0);
                }
                with_most_files(150, || {
                    (0..10).find_map(|_| one.send(b"body", &borrowed(&sent)).err()).expect("too many")
                })
            });
            sends.join().expect("it ended")
        });
        assert!(matches!(error, Error::FdsInFlight), "{error:?}");
        assert_eq!(error.code(), Code::TooMany);
        // When the peer has received, there is room again.
        assert_same_files(&other.recv(&expected).expect("it comes").fds, &sent);
        one.send(b"body", &borrowed(&sent)).expect("it is sent");
    });
}

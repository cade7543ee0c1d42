//! Calls that a signal ends: what came stays, and what was begun is sent to the end.
#![cfg(feature = "handoff")]

mod handoff_support;

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use handoff_support::{
    FRAMINGS, JOINED, LONG, STREAM, alone, assert_same_files, balanced, borrowed, files, patient,
};
use wirecontract_runtime::handoff::{Channel, Doing, Error, Expected, Options, Sent};

static HANDLED: AtomicUsize = AtomicUsize::new(0);

extern "C" fn handle(_: libc::c_int) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

/// Has SIGUSR1 handled, and calls that wait end with it.
fn handle_signals() {
    // SAFETY: a handler that adds to a number, of a form that zeros begin.
    unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        action.sa_sigaction = handle as *const () as usize;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &raw const action, ptr::null_mut()), 0);
    }
}

/// Runs `wait` in a thread that is sent signals, again and again, until `wait` is over; then `beside` here.
fn signalled<T: Send>(wait: impl FnOnce() -> T + Send, beside: impl FnOnce() + Send) -> T {
    handle_signals();
    let done = AtomicBool::new(false);
    let (says, hears) = mpsc::channel();
    thread::scope(|scope| {
        let waits = scope.spawn(|| {
            // SAFETY: it is this thread.
            says.send(unsafe { libc::pthread_self() }).expect("it is heard");
            let value = wait();
            done.store(true, Ordering::Release);
            value
        });
        let thread = hears.recv().expect("it is said");
        let before = HANDLED.load(Ordering::Relaxed);
        while !done.load(Ordering::Acquire) {
            // SAFETY: the thread is not joined yet.
            unsafe { libc::pthread_kill(thread, libc::SIGUSR1) };
            thread::sleep(Duration::from_millis(1));
        }
        assert!(HANDLED.load(Ordering::Relaxed) > before);
        beside();
        waits.join().expect("it does not panic")
    })
}

#[test]
fn a_signal_ends_a_call_that_waits_and_the_message_comes_to_the_next() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let sent = files(2);
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            let expected = Expected::bytes(64).fds(2..=2);
            let mut waiting = other.waiting(None);
            let ended = signalled(|| other.recv_until_signal(&expected, &mut waiting), || ());
            assert!(ended.expect("nothing is wrong").is_none());
            one.send(b"behind the signal", &borrowed(&sent)).expect("it is sent");
            let message = loop {
                if let Some(message) = other.recv_until_signal(&expected, &mut waiting).expect("it comes") {
                    break message;
                }
            };
            assert_eq!(message.body, b"behind the signal");
            assert_same_files(&message.fds, &sent);
        });
    }
}

#[test]
fn what_came_before_the_signal_stays_in_whatever_buffer() {
    let _alone = alone();
    balanced(|| {
        let (one, other) = rustix::net::socketpair(
            rustix::net::AddressFamily::UNIX,
            rustix::net::SocketType::STREAM,
            rustix::net::SocketFlags::CLOEXEC,
            None,
        )
        .expect("a pair");
        let other = Channel::from_fd(other, &patient(STREAM)).expect("it is one");
        rustix::io::write(&one, b"\0\0\0\x06abc").expect("it is written");
        let expected = Expected::bytes(64);
        let mut waiting = other.waiting(Some(LONG));
        let (mut first, mut second) = ([0; 64], [0; 64]);
        let ended = signalled(|| other.recv_into_until_signal(&mut first, &expected, &mut waiting), || ());
        assert!(ended.expect("nothing is wrong").is_none());
        assert!(other.recv_deadline().0);
        rustix::io::write(&one, b"def").expect("it is written");
        let came = other.recv_into_until_signal(&mut second, &expected, &mut waiting);
        let came = came.expect("it comes").expect("no signal does");
        assert_eq!(&second[..came.bytes], b"abcdef");
        assert!(!other.recv_deadline().0);
    });
}

#[test]
fn a_message_that_a_signal_met_half_sent_arrives_whole() {
    let _alone = alone();
    balanced(|| {
        let sent = files(1);
        let (one, other) = Channel::pair(&patient(JOINED)).expect("a pair");
        let body: Vec<u8> = (0..4_000_000u32).map(|number| number.to_le_bytes()[0]).collect();
        let parts = [IoSlice::new(&body)];
        let mut waiting = one.waiting(None);
        let how = signalled(|| one.send_until_signal(&parts, &borrowed(&sent), &mut waiting), || ());
        assert_eq!(how.expect("nothing is wrong"), Sent::Begun);
        let (has_rest, deadline) = one.send_deadline();
        assert!(has_rest && deadline.is_some_and(|deadline| deadline.after == LONG && deadline.left < LONG));
        thread::scope(|scope| {
            let receives = scope.spawn(|| other.recv(&Expected::bytes(body.len()).fds(1..=1)));
            while !one.flush_until_signal(&mut waiting).expect("nothing is wrong") {}
            let message = receives.join().expect("it does not panic").expect("it comes");
            assert!(message.body == body);
            assert_same_files(&message.fds, &sent);
        });
        assert_eq!(one.send_deadline(), (false, None));
    });
}

#[test]
fn the_time_of_a_call_is_over_however_often_it_goes_on() {
    let _alone = alone();
    let (one, _other) = Channel::pair(&Options::default()).expect("a pair");
    let mut waiting = one.waiting(Some(Duration::from_millis(20)));
    let error = loop {
        match one.recv_until_signal(&Expected::bytes(1), &mut waiting) {
            Ok(None) => {}
            Ok(Some(message)) => panic!("{message:?}"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Timeout { doing: Doing::Waiting, .. }), "{error:?}");
}

#[test]
fn another_thread_s_call_is_waited_for_no_longer_than_a_look_at_signals() {
    let _alone = alone();
    let (one, other) = Channel::pair(&Options::default()).expect("a pair");
    let expected = Expected::bytes(1);
    thread::scope(|scope| {
        let receives = scope.spawn(|| other.recv(&expected));
        // Until the other thread has the channel, this one waits for the message, no longer than that.
        let late = loop {
            let mut waiting = other.waiting(Some(Duration::from_millis(1)));
            match other.recv_until_signal(&expected, &mut waiting) {
                Err(Error::Timeout { doing: Doing::Turn, .. }) => break true,
                Err(Error::Timeout { .. }) => {}
                came => panic!("{came:?}"),
            }
        };
        assert!(late);
        let looked = other.recv_until_signal(&expected, &mut other.waiting(None));
        assert!(looked.expect("nothing is wrong").is_none());
        one.send(b"x", &[]).expect("it is sent");
        assert_eq!(receives.join().expect("it does not panic").expect("it comes").body, b"x");
    });
}

#[test]
fn a_listener_with_a_full_queue_is_not_waited_for() {
    use wirecontract_runtime::handoff::{Address, Listener};
    let _alone = alone();
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("socket");
    let options = Options::default().backlog(0);
    let listener = Listener::bind(&path, &options).expect("it listens");
    let address = Address::from(&path);
    let mut connected = Vec::new();
    while let Some(channel) = Channel::try_connect(&address, &options).expect("it is let in") {
        connected.push(channel);
    }
    assert_eq!(connected.len(), 1);
    let accepted = listener.accept().expect("one waits");
    let next = Channel::try_connect(&address, &options).expect("there is room").expect("at once");
    accepted.send(b"x", &[]).expect("it is sent");
    assert_eq!(connected[0].recv(&Expected::bytes(1)).expect("it comes").body, b"x");
    assert!(
        !rustix::fs::fcntl_getfl(next.as_fd()).expect("it is open").contains(rustix::fs::OFlags::NONBLOCK)
    );
}

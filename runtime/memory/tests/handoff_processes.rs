//! Channels between processes: one that is killed at any step, its handle, and files taken from it.
//!
//! The other process is this test program again: the test `the_other_process` does what a variable tells it to.
#![cfg(feature = "handoff")]

mod handoff_support;

use std::env;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::os::unix::thread::JoinHandleExt as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use handoff_support::{
    FRAMINGS, LONG, STREAM, alone, balanced, borrowed, bytes, files, framed, patient, raw_send,
};
use wirecontract::Code;
use wirecontract_runtime::handoff::{Address, Channel, Error, Expected, Framing, Listener, PidFd};

const TASK: &str = "WIRECONTRACT_TEST_TASK";
const NAME: &str = "WIRECONTRACT_TEST_NAME";
const FRAMING: &str = "WIRECONTRACT_TEST_FRAMING";

/// The most that a message has here.
const LARGE: usize = 8 << 20;

/// A process that connected, and is killed and waited for when this is dropped.
struct Other {
    child: Child,
    channel: Channel,
}

impl Other {
    fn start(task: &str, framing: Framing) -> Other {
        let name = format!("wirecontract-process-{}", std::process::id());
        let index = FRAMINGS.iter().position(|one| *one == framing).expect("one of them");
        let listener =
            Listener::bind(Address::abstract_name(name.clone()), &patient(framing)).expect("nobody");
        let child = Command::new(env::current_exe().expect("it runs"))
            .args(["--exact", "the_other_process", "--nocapture"])
            .env(TASK, task)
            .env(NAME, name)
            .env(FRAMING, index.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        let channel = listener.accept_within(LONG).expect("it connects");
        assert_eq!(channel.peer().pid, Some(child.id()));
        Other { child, channel }
    }

    fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it was killed");
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_other_process() {
    let Ok(task) = env::var(TASK) else { return };
    let index: usize = env::var(FRAMING).expect("it is set").parse().expect("a number");
    let name = Address::abstract_name(env::var(NAME).expect("it is set"));
    let channel = Channel::connect(name, &patient(FRAMINGS[index])).expect("it listens");
    match task.as_str() {
        "stay" => {}
        "half" => {
            let message = framed(&bytes(1000));
            let socket = channel.into_fd().expect("it is new");
            raw_send(&socket, &message[..4], &[]).expect("it is sent");
            raw_send(&socket, &message[4..500], &borrowed(&files(2))).expect("it is sent");
            forever();
        }
        "stuck" => {
            // More than the socket holds: it waits in the middle for who receives.
            channel.send(&bytes(LARGE), &borrowed(&files(2))).expect("it waits for ever");
        }
        "whole" => channel.send(b"last words", &borrowed(&files(2))).expect("it is sent"),
        "lend" => {
            let file = files(1).pop().expect("one");
            File::from(file.try_clone().expect("a duplicate")).write_all(b"taken").expect("there is room");
            channel.send(file.as_raw_fd().to_string().as_bytes(), &[]).expect("it is sent");
            forever();
        }
        "unguarded" => {
            // SAFETY: what the signal does by itself: it ends the process.
            unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
            for framing in FRAMINGS {
                let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
                drop(other);
                assert_eq!(one.send(b"body", &[]).expect_err("nobody is there").code(), Code::PeerClosed);
                assert!(one.try_send(b"body", &borrowed(&files(1))).is_err());
            }
            channel.send(b"alive", &[]).expect("it is sent");
        }
        other => panic!("what is {other}?"),
    }
    forever();
}

fn forever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}

#[test]
fn a_peer_that_is_killed_between_messages_has_ended() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let mut other = Other::start("stay", framing);
            assert!(!other.channel.wait_closed(Duration::ZERO).expect("it can be asked"));
            thread::scope(|scope| {
                let waits = scope.spawn({
                    let channel = &other.channel;
                    move || channel.recv(&Expected::bytes(9)).expect_err("nothing comes")
                });
                other.child.kill().expect("it runs");
                let error = waits.join().expect("it ended");
                assert!(error.is_end() && error.code() == Code::PeerClosed, "{error:?}");
            });
            other.kill();
            assert!(other.channel.wait_closed(LONG).expect("it can be asked"));
            let error = other.channel.send(b"body", &borrowed(&files(1))).expect_err("nobody is there");
            assert!(matches!(error, Error::PeerClosed { .. }), "{error:?}");
        });
    }
}

#[test]
fn a_peer_that_is_killed_in_the_middle_of_a_message_leaves_nothing() {
    let _alone = alone();
    balanced(|| {
        let mut other = Other::start("half", STREAM);
        let expected = Expected::bytes(1000).fds(2..=2);
        let error = other.channel.recv_within(&expected, Duration::from_millis(100)).expect_err("half");
        assert_eq!(error.code(), Code::Timeout);
        other.kill();
        let error = other.channel.recv(&expected).expect_err("it is not whole");
        assert!(matches!(error, Error::ClosedInMessage { crossed: 500, missing: 504 }), "{error:?}");
    });
    for framing in [STREAM, handoff_support::JOINED] {
        balanced(|| {
            let mut other = Other::start("stuck", framing);
            let expected = Expected::bytes(LARGE).fds(2..=2);
            // Its first bytes are there, and it waits for room.
            assert!(other.channel.recv_within(&Expected::bytes(LARGE).fds(2..=2), Duration::ZERO).is_err());
            other.kill();
            let error = other.channel.recv(&expected).expect_err("it is not whole");
            assert_eq!(error.code(), Code::PeerClosed, "{error:?}");
        });
    }
}

#[test]
fn what_a_peer_sent_before_it_was_killed_comes() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let mut other = Other::start("whole", framing);
            assert!(handoff_support::is_readable(other.channel.as_fd()));
            other.kill();
            let expected = Expected::bytes(10).fds(2..=2);
            // The prefix goes before, so the body may have been too late.
            match other.channel.recv(&expected) {
                Ok(message) => assert_eq!((&message.body[..], message.fds.len()), (&b"last words"[..], 2)),
                Err(error) => {
                    assert!(matches!(error, Error::ClosedInMessage { crossed: 4, .. }), "{error:?}");
                }
            }
        });
    }
}

#[test]
fn a_peer_that_is_killed_while_it_is_sent_to_ends_the_sending() {
    let _alone = alone();
    for framing in [STREAM, handoff_support::JOINED] {
        balanced(|| {
            let mut other = Other::start("stay", framing);
            thread::scope(|scope| {
                let sends = scope.spawn({
                    let channel = &other.channel;
                    move || channel.send(&bytes(LARGE), &borrowed(&files(2))).expect_err("nobody receives")
                });
                other.child.kill().expect("it runs");
                let error = sends.join().expect("it ended");
                assert_eq!(error.code(), Code::PeerClosed, "{error:?}");
            });
            other.kill();
        });
    }
}

#[test]
fn a_process_that_a_signal_of_a_closed_pipe_would_end_lives() {
    let _alone = alone();
    balanced(|| {
        let other = Other::start("unguarded", STREAM);
        assert_eq!(other.channel.recv(&Expected::bytes(9)).expect("it lives").body, b"alive");
    });
}

extern "C" fn interrupt(_: libc::c_int) {}

#[test]
fn a_signal_that_interrupts_a_call_does_not_end_it() {
    let _alone = alone();
    // SAFETY: a handler that does nothing, without SA_RESTART: the kernel's calls end with EINTR.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = interrupt as *const () as usize;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut()), 0);
    }
    let waiting = |channel: Channel, limit: Option<Duration>| {
        let expected = Expected::bytes(9);
        match limit {
            None => channel.recv(&expected),
            Some(limit) => channel.recv_within(&expected, limit),
        }
    };
    for framing in FRAMINGS {
        for limit in [None, Some(LONG)] {
            balanced(|| {
                let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
                let waits = thread::spawn(move || waiting(other, limit));
                for _ in 0..20 {
                    // SAFETY: the thread was not joined.
                    let sent = unsafe { libc::pthread_kill(waits.as_pthread_t(), libc::SIGUSR1) };
                    assert_eq!(sent, 0);
                    thread::sleep(Duration::from_millis(1));
                }
                one.send(b"body", &[]).expect("it is sent");
                assert_eq!(waits.join().expect("it ended").expect("it comes").body, b"body");
            });
        }
    }
}

#[test]
fn a_process_is_known_to_have_ended_by_its_handle() {
    let _alone = alone();
    balanced(|| {
        let mut other = Other::start("stay", STREAM);
        let process = other.channel.peer_process().expect("Linux 6.5");
        assert!(!process.has_ended().expect("it can be asked"));
        assert!(!process.wait_ended(Duration::ZERO).expect("it can be asked"));
        other.child.kill().expect("it runs");
        assert!(process.wait_ended(LONG).expect("it can be asked"));
        other.kill();
        assert!(process.has_ended().expect("it can be asked"));
        let error = process.fetch(0).expect_err("nothing is there");
        assert!(matches!(error, Error::ProcessEnded), "{error:?}");
        assert_eq!(error.code(), Code::PeerClosed);
        // A handle that is asked for now is of the same process, or none.
        match other.channel.peer_process() {
            Ok(process) => assert!(process.has_ended().expect("it can be asked")),
            Err(error) => assert!(matches!(error, Error::ProcessEnded), "{error:?}"),
        }
    });
}

#[test]
fn a_file_is_taken_from_the_other_process_by_its_number() {
    let _alone = alone();
    balanced(|| {
        let other = Other::start("lend", STREAM);
        let message = other.channel.recv(&Expected::bytes(16)).expect("it comes");
        let number = String::from_utf8(message.body).expect("digits").parse().expect("a number");
        let process = other.channel.peer_process().expect("Linux 6.5");
        let fd = match process.fetch(number) {
            Ok(fd) => fd,
            // A container may forbid it, by name.
            Err(error @ Error::FetchRefused { .. }) => {
                assert_eq!(error.code(), Code::Refused);
                return;
            }
            Err(error) => panic!("{error:?}"),
        };
        let flags = rustix::io::fcntl_getfd(&fd).expect("it is open");
        assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
        let mut text = [0; 5];
        File::from(fd).read_exact_at(&mut text, 0).expect("it is there");
        assert_eq!(&text, b"taken");
        let error = process.fetch(9999).expect_err("nothing has that number");
        assert!(matches!(error, Error::NoSuchFd { number: 9999 }), "{error:?}");
        assert_eq!(error.code(), Code::BadHandle);
        if rustix::process::geteuid().is_root() {
            let error = thread::scope(|scope| {
                let refused = scope.spawn(|| {
                    // SAFETY: it changes this thread's user, which ends with it.
                    assert_eq!(unsafe { libc::syscall(libc::SYS_setresuid, 65_534, 65_534, 65_534) }, 0);
                    process.fetch(number).expect_err("it is root's")
                });
                refused.join().expect("it ended")
            });
            assert!(matches!(error, Error::FetchRefused { .. }), "{error:?}");
            assert!(error.to_string().contains("CAP_SYS_PTRACE"), "{error}");
        }
    });
}

#[test]
fn a_handle_of_a_process_is_one() {
    let _alone = alone();
    balanced(|| {
        let pair = Channel::pair(&patient(STREAM)).expect("a pair");
        let fd = OwnedFd::from(pair.0.peer_process().expect("Linux 6.5"));
        let process = PidFd::try_from(fd).expect("it is one");
        assert!(!process.has_ended().expect("it can be asked"));
        let error = PidFd::try_from(files(1).pop().expect("one")).expect_err("it is a file");
        assert!(matches!(error, Error::FdKind { ref found, .. } if found.contains("memfd")), "{error:?}");
    });
}

#[test]
fn a_socket_is_inherited() {
    let _alone = alone();
    balanced(|| {
        let (one, other) = Channel::pair(&patient(STREAM)).expect("a pair");
        let mut child = Command::new("cat")
            .stdin(other.into_fd().expect("it is new"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        one.send(b"hello", &[]).expect("it is sent");
        one.close().expect("it is open");
        let mut text = String::new();
        child.stdout.take().expect("it is piped").read_to_string(&mut text).expect("it writes");
        child.wait().expect("it ended");
        assert_eq!(text, "\0\0\0\x05hello");
    });
}

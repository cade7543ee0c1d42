//! Calls that do not wait: what is unfinished stays in the channel, and goes on.
#![cfg(feature = "handoff")]

mod handoff_support;

use std::os::fd::AsFd as _;
use std::time::Duration;

use handoff_support::{
    FRAMINGS, JOINED, LITTLE, LONG, STREAM, alone, assert_same_files, balanced, borrowed, bytes,
    channel_and_socket, files, framed, patient, raw_send,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use wirecontract::Code;
use wirecontract_runtime::handoff::{
    Channel, Doing, Error, Expected, Framing, Interest, Options, Prefix, Sent,
};

/// Waits as a caller's own loop does, for what the channel says.
fn wait(channel: &Channel, interest: Interest) {
    let mut events = PollFlags::empty();
    events.set(PollFlags::IN, interest.readable);
    events.set(PollFlags::OUT, interest.writable);
    let limit = Timespec::try_from(LONG).expect("it is short");
    let ready = poll(&mut [PollFd::from_borrowed_fd(channel.as_fd(), events)], Some(&limit));
    assert_eq!(ready, Ok(1), "the channel is ready in time");
}

#[test]
fn a_large_message_goes_through_a_tiny_buffer() {
    let _alone = alone();
    for framing in [STREAM, JOINED, LITTLE] {
        for into_buffer in [false, true] {
            balanced(|| {
                let (one, other) = Channel::pair(&patient(framing).send_buffer(1)).expect("a pair");
                let (body, sent) = (bytes(300_000), files(3));
                let expected = Expected::bytes(300_000).fds(3..=3);
                assert_eq!(one.interest(), Interest { readable: true, writable: false });
                assert_eq!(one.try_send(&body, &borrowed(&sent)).expect("it is open"), Sent::Begun);
                assert_eq!(one.interest(), Interest { readable: true, writable: true });
                assert_eq!(one.try_send(b"next", &[]).expect("it is open"), Sent::NotYet);

                let (mut rounds, mut buffer) = (0, vec![0; 300_000]);
                let (came, fds) = loop {
                    rounds += 1;
                    wait(&other, other.interest());
                    if into_buffer {
                        if let Some(came) = other.try_recv_into(&mut buffer, &expected).expect("it comes") {
                            assert_eq!(came.bytes, body.len());
                            break (buffer, came.fds);
                        }
                        // Each call may have another buffer.
                        buffer = vec![0xee; 300_000];
                    } else if let Some(message) = other.try_recv(&expected).expect("it comes") {
                        break (message.body, message.fds);
                    }
                    if !one.try_flush().expect("it is open") {
                        assert!(one.interest().writable);
                    }
                };
                assert!(rounds > 2, "it came at once");
                assert!(came == body, "another body came");
                assert_same_files(&fds, &sent);
                assert!(one.try_flush().expect("it is open"));
                assert_eq!(one.try_send(b"next", &[]).expect("it is open"), Sent::Whole);
                assert_eq!(other.recv(&Expected::bytes(4)).expect("it comes").body, b"next");
            });
        }
    }
}

#[test]
fn descriptors_that_are_still_to_go_are_kept() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing).send_buffer(1)).expect("a pair");
            let mut begun = 0;
            // Messages of many lengths fill the buffer at every place of a message.
            for size in 0..200 {
                let body = bytes(1 + size * 7);
                let mut count = 0;
                let left = loop {
                    let sent = files(2);
                    match one.try_send(&body, &borrowed(&sent)).expect("it is open") {
                        Sent::Whole => count += 1,
                        Sent::Begun => {
                            count += 1;
                            begun += 1;
                        }
                        Sent::NotYet => break sent,
                    }
                };
                drop(left);
                for _ in 0..count {
                    let message = loop {
                        let expected = Expected::bytes(body.len()).fds(2..=2);
                        if let Some(message) = other.try_recv(&expected).expect("it comes") {
                            break message;
                        }
                        one.try_flush().expect("it is open");
                    };
                    assert_eq!(message.body, body);
                    assert_eq!(message.fds.len(), 2);
                }
            }
            // So small a message goes whole or not at all, but for a prefix that goes before.
            let apart = matches!(framing, Framing::Stream { prefix: Prefix::Apart, .. });
            assert_eq!(begun > 0, apart, "{begun} messages were begun, {framing:?}");
        });
    }
}

#[test]
fn a_message_that_was_begun_goes_before_the_next() {
    let _alone = alone();
    balanced(|| {
        let (one, other) = Channel::pair(&patient(JOINED).send_buffer(1)).expect("a pair");
        let (one, other) = (&one, &other);
        let body = bytes(100_000);
        assert_eq!(one.try_send(&body, &[]).expect("it is open"), Sent::Begun);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                one.send(b"second", &[]).expect("it waits for the first");
                one.flush().expect("nothing is left");
            });
            assert!(other.recv(&Expected::bytes(100_000)).expect("it comes").body == body);
            assert_eq!(other.recv(&Expected::bytes(6)).expect("it comes").body, b"second");
        });
    });
}

#[test]
fn what_came_within_one_call_is_there_for_the_next() {
    let _alone = alone();
    let (message, sent) = (framed(b"a body"), files(2));
    let expected = Expected::bytes(6).fds(2..=2);
    for cut in 1..message.len() {
        balanced(|| {
            let (channel, socket) = channel_and_socket(&patient(STREAM), STREAM);
            let fds = if cut <= 4 { (0, 2) } else { (2, 0) };
            raw_send(&socket, &message[..cut], &borrowed(&sent[..fds.0])).expect("it is sent");
            let error =
                channel.recv_within(&expected, Duration::from_millis(1)).expect_err("it is not whole");
            assert!(matches!(error, Error::Timeout { doing: Doing::Waiting, .. }), "{error:?}");
            assert_eq!(error.code(), Code::Timeout);
            assert_eq!(channel.try_recv(&expected).expect("it is open").map(|_| ()), None);
            raw_send(&socket, &message[cut..], &borrowed(&sent[..fds.1])).expect("it is sent");
            let came = channel.recv(&expected).expect("it is whole");
            assert_eq!(came.body, b"a body", "cut at byte {cut}");
            assert_same_files(&came.fds, &sent);
        });
    }
}

#[test]
fn what_came_in_time_for_one_buffer_goes_on_in_another() {
    let _alone = alone();
    let message = framed(b"a body");
    balanced(|| {
        let (channel, socket) = channel_and_socket(&patient(STREAM), STREAM);
        let expected = Expected::bytes(9).fds(1..=1);
        let sent = files(1);
        raw_send(&socket, &message[..7], &borrowed(&sent)).expect("it is sent");
        let (mut first, mut second) = ([0; 6], [0; 8]);
        let short = Duration::from_millis(1);
        let error = channel.recv_into_within(&mut first, &expected, short).expect_err("it is not whole");
        let Error::Timeout { doing: Doing::Receiving | Doing::Waiting, after, crossed: 7 } = error else {
            panic!("{error:?}")
        };
        assert_eq!(after, short);
        raw_send(&socket, &message[7..], &[]).expect("it is sent");
        let came = channel.recv_into_within(&mut second, &expected, LONG).expect("it is whole");
        assert_eq!((came.bytes, &second), (6, b"a body\0\0"));
        assert_same_files(&came.fds, &sent);
    });
}

#[test]
fn what_may_come_is_each_calls_to_say() {
    let _alone = alone();
    let message = framed(b"a body");
    balanced(|| {
        let (channel, socket) = channel_and_socket(&patient(STREAM), STREAM);
        raw_send(&socket, &message[..7], &[]).expect("it is sent");
        assert_eq!(channel.try_recv(&Expected::bytes(6)).expect("it is open").map(|_| ()), None);
        assert_eq!(channel.try_recv(&Expected::bytes(6).fds(0..=1)).expect("it is open").map(|_| ()), None);
        raw_send(&socket, &message[7..], &[]).expect("it is sent");
        assert_eq!(channel.recv(&Expected::bytes(6).fds(0..=1)).expect("it is whole").body, b"a body");

        // One that lets none come reads the body without its first byte apart.
        raw_send(&socket, &message[..4], &[]).expect("it is sent");
        assert_eq!(channel.try_recv(&Expected::bytes(6)).expect("it is open").map(|_| ()), None);
        raw_send(&socket, &message[4..6], &[]).expect("it is sent");
        assert_eq!(channel.try_recv(&Expected::bytes(6)).expect("it is open").map(|_| ()), None);
        assert_eq!(channel.try_recv(&Expected::bytes(6).fds(0..=1)).expect("it is open").map(|_| ()), None);
        raw_send(&socket, &message[6..], &[]).expect("it is sent");
        let mut buffer = [0; 6];
        let came = channel.recv_into(&mut buffer, &Expected::bytes(9).fds(0..=1)).expect("it is whole");
        assert_eq!((came.bytes, &buffer), (6, b"a body"));

        raw_send(&socket, &message[..7], &[]).expect("it is sent");
        assert_eq!(channel.try_recv(&Expected::bytes(6)).expect("it is open").map(|_| ()), None);
        let error = channel.recv_into(&mut buffer[..5], &Expected::bytes(9)).expect_err("a byte too many");
        assert!(matches!(error, Error::TooLarge { most: 5, found: 6 }), "{error:?}");
    });
}

#[test]
fn a_message_that_has_begun_has_its_time_whoever_asks() {
    let _alone = alone();
    balanced(|| {
        let options = Options::default().message_timeout(Duration::from_millis(20));
        let (channel, socket) = channel_and_socket(&options, STREAM);
        raw_send(&socket, &framed(b"a body")[..7], &borrowed(&files(1))).expect("it is sent");
        let error = loop {
            match channel.try_recv(&Expected::bytes(6).fds(1..=1)) {
                Ok(None) => std::thread::yield_now(),
                Ok(Some(message)) => panic!("{message:?}"),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, Error::Timeout { doing: Doing::Receiving, crossed: 7, .. }), "{error:?}");
    });
}

#[test]
fn a_message_that_was_begun_has_its_time_too() {
    let _alone = alone();
    balanced(|| {
        let options = Options::default().message_timeout(Duration::from_millis(20)).send_buffer(1);
        let (one, other) = Channel::pair(&options).expect("a pair");
        assert_eq!(one.try_send(&bytes(100_000), &[]).expect("it is open"), Sent::Begun);
        let error = loop {
            match one.try_flush() {
                Ok(false) => std::thread::yield_now(),
                Ok(true) => panic!("nobody receives"),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, Error::Timeout { doing: Doing::Sending, crossed: 1.., .. }), "{error:?}");
        assert!(matches!(one.try_send(b"x", &[]), Err(Error::OutOfStep { because: Code::Timeout, .. })));
        // The peer sees where it ends.
        let error = other.recv(&Expected::bytes(100_000)).expect_err("it is not whole");
        let Error::ClosedInMessage { crossed, missing } = error else { panic!("{error:?}") };
        assert_eq!(crossed + missing, 100_004);
    });
}

#[test]
fn a_call_that_does_not_wait_does_not_wait_for_another_call() {
    let _alone = alone();
    balanced(|| {
        let (one, other) = Channel::pair(&patient(JOINED)).expect("a pair");
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| other.recv(&Expected::bytes(4)).expect("it comes").body);
            // Whichever comes first: nothing is there for this one.
            assert_eq!(other.try_recv(&Expected::bytes(4)).expect("it is open").map(|_| ()), None);
            one.send(b"body", &[]).expect("it is sent");
            assert_eq!(waits.join().expect("it ended"), b"body");
        });
    });
}

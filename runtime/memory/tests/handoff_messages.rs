//! Messages cross whole: every size, every number of file descriptors, in every framing.
#![cfg(feature = "handoff")]

mod handoff_support;

use std::fs::File;
use std::io::IoSlice;
use std::os::fd::{AsFd as _, OwnedFd};
use std::thread;

use handoff_support::{
    FRAMINGS, JOINED, LITTLE, STREAM, alone, assert_same_files, balanced, borrowed, bytes,
    channel_and_socket, files, framed, open_fds, patient, raw_send,
};
use rustix::net::RecvFlags;
use wirecontract::Code;
use wirecontract_runtime::handoff::{Channel, Error, Expected, Framing, MOST_FDS, Message, Options, Sent};

/// The most bytes that these tests let come.
const MOST: usize = 100_000;

#[test]
fn every_size_and_number_of_descriptors_crosses_whole() {
    let _alone = alone();
    let sent = files(MOST_FDS);
    for framing in FRAMINGS {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            for size in [0, 1, 4, 5, 1000, 65_536, 65_537, MOST] {
                for count in [0, 1, 2, MOST_FDS] {
                    if framing == Framing::SeqPacket && size + count == 0 {
                        continue;
                    }
                    let (body, fds) = (bytes(size), borrowed(&sent[..count]));
                    let expected = Expected::bytes(MOST).fds(count..=count);
                    thread::scope(|scope| {
                        scope.spawn(|| {
                            for _ in 0..3 {
                                one.send(&body, &fds).expect("it is sent");
                            }
                        });
                        let message = other.recv(&expected).expect("it comes");
                        assert_eq!(message.body, body, "{framing:?}, {size} bytes");
                        assert_same_files(&message.fds, &sent[..count]);

                        let mut buffer = vec![0xee; MOST];
                        let came = other.recv_into(&mut buffer, &expected).expect("it comes");
                        assert_eq!(buffer[..came.bytes], body, "{framing:?}, {size} bytes");
                        assert_same_files(&came.fds, &sent[..count]);

                        let message = loop {
                            if let Some(message) = other.try_recv(&expected).expect("it comes") {
                                break message;
                            }
                            thread::yield_now();
                        };
                        assert_eq!(message.body, body, "{framing:?}, {size} bytes");
                        assert_same_files(&message.fds, &sent[..count]);
                    });
                }
            }
        });
    }
}

#[test]
fn a_byte_too_many_is_refused_by_what_came() {
    let _alone = alone();
    for framing in FRAMINGS {
        for most in [0, 100, MOST] {
            balanced(|| {
                let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
                let (body, sent) = (bytes(most + 1), files(2));
                let error = thread::scope(|scope| {
                    scope.spawn(|| {
                        // A stream is refused as soon as its length is there.
                        let refused = one.send(&body, &borrowed(&sent)).and(one.send(b"next", &[]));
                        match refused {
                            Ok(()) => {}
                            Err(error) if framing != Framing::SeqPacket => {
                                assert_eq!(error.code(), Code::PeerClosed, "{error:?}");
                            }
                            Err(error) => panic!("{error:?}"),
                        }
                    });
                    other.recv(&Expected::bytes(most).fds(0..=2)).expect_err("it is too large")
                });
                let Error::TooLarge { most: limit, found } = error else { panic!("{error:?}") };
                assert_eq!((limit, found), (most as u64, most as u64 + 1));
                assert_eq!(error.code(), Code::TooLarge);
                stays_or_is_out_of_step(&other, framing, Code::TooLarge);
            });
        }
    }
}

#[test]
fn another_number_of_descriptors_is_refused_by_what_came() {
    let _alone = alone();
    for framing in FRAMINGS {
        for (count, found) in [(0, 0), (3, 3), (MOST_FDS, MOST_FDS)] {
            balanced(|| {
                let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
                let open = open_fds();
                one.send(b"body", &borrowed(&files(count))).expect("it is sent");
                one.send(b"next", &[]).expect("it is sent");
                let error = other.recv(&Expected::bytes(100).fds(1..=2)).expect_err("another number");
                assert_eq!(open_fds(), open, "file descriptors that were refused");
                let Error::FdCount { ref expected, found: came } = error else { panic!("{error:?}") };
                assert_eq!((expected, came), (&(1..=2), found));
                stays_or_is_out_of_step(&other, framing, Code::FdCount);
            });
        }
    }
}

/// A refused packet leaves the channel as it was; a stream says from then on that it is out of step.
fn stays_or_is_out_of_step(channel: &Channel, framing: Framing, code: Code) {
    assert_eq!((channel.can_receive(), channel.can_send()), (framing == Framing::SeqPacket, true));
    if framing == Framing::SeqPacket {
        assert_eq!(channel.recv(&Expected::bytes(100)).expect("it comes").body, b"next");
        return;
    }
    for _ in 0..2 {
        let error = channel.recv(&Expected::bytes(100)).expect_err("nothing can be told any more");
        assert!(matches!(error, Error::OutOfStep { because, .. } if because == code), "{error:?}");
        assert_eq!(error.code(), Code::Refused);
        assert!(error.is_end(), "a loop that receives would never stop");
    }
    let error = channel.try_recv(&Expected::bytes(100)).expect_err("nothing can be told any more");
    assert!(matches!(error, Error::OutOfStep { .. }), "{error:?}");
    // Why can still be said.
    channel.send(b"refused", &[]).expect("the other direction stays");
}

#[test]
fn what_no_message_carries_is_refused_before_anything_is_sent() {
    let _alone = alone();
    balanced(|| {
        let sent = files(MOST_FDS + 1);
        for framing in FRAMINGS {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            let error = one.send(b"body", &borrowed(&sent)).expect_err("one too many");
            assert!(matches!(error, Error::TooManyFds { most: 253, found: 254 }), "{error:?}");
            assert_eq!(other.try_recv(&Expected::bytes(9)).expect("it is open").map(|_| ()), None);
        }
        let (one, _other) = Channel::pair(&patient(Framing::SeqPacket)).expect("a pair");
        assert!(matches!(one.send(b"", &[]), Err(Error::EmptyPacket)));
        assert!(matches!(one.try_send(b"", &[]), Err(Error::EmptyPacket)));
    });
}

#[test]
fn a_packet_beyond_the_send_buffer_is_refused_by_its_size() {
    let _alone = alone();
    balanced(|| {
        let options = patient(Framing::SeqPacket).send_buffer(8192);
        let (one, other) = Channel::pair(&options).expect("a pair");
        // The kernel doubles what it is told, and keeps 32 bytes.
        let most = 2 * 8192 - 32;
        let error = one.send(&bytes(most + 1), &[]).expect_err("one byte too many");
        let found = u64::try_from(most + 1).expect("it is small");
        assert!(
            matches!(error, Error::TooLargeToSend { most: limit, found: came, packet: true }
                if limit + 1 == found && came == found),
            "{error:?}"
        );
        one.send(&bytes(most), &[]).expect("as many as there may be");
        assert_eq!(other.recv(&Expected::bytes(1 << 20)).expect("it comes").body, bytes(most));
    });
}

#[test]
fn the_wire_is_a_length_and_a_body() {
    let _alone = alone();
    for (framing, wire) in
        [(STREAM, b"\0\0\0\x04body"), (JOINED, b"\0\0\0\x04body"), (LITTLE, b"\x04\0\0\0body")]
    {
        balanced(|| {
            let (channel, socket) = channel_and_socket(&Options::default(), framing);
            channel.send(b"body", &[]).expect("it is sent");
            assert_eq!(channel.try_send(b"body", &[]).expect("it is sent"), Sent::Whole);
            let mut came = [0; 16];
            let (bytes, _) = rustix::net::recv(&socket, &mut came, RecvFlags::empty()).expect("it comes");
            assert_eq!((bytes, &came[..8], &came[8..]), (16, &wire[..], &wire[..]));
        });
    }
}

#[test]
fn a_length_that_is_sent_apart_comes_by_a_plain_read() {
    let _alone = alone();
    balanced(|| {
        let sent = files(2);
        for (framing, alone) in [(STREAM, true), (JOINED, false)] {
            let (channel, socket) = channel_and_socket(&Options::default(), framing);
            channel.send(b"body", &borrowed(&sent)).expect("it is sent");
            let mut length = [0; 4];
            // A plain read drops what rides on what it reads.
            assert_eq!(rustix::io::read(&socket, &mut length), Ok(4));
            assert_eq!(length, [0, 0, 0, 4]);
            let behind = fds_behind(socket);
            let expected = if alone { 2 } else { 0 };
            assert_eq!(behind, expected, "file descriptors behind a plain read, {framing:?}");
        }
    });
}

/// How many file descriptors come with the next bytes.
fn fds_behind(socket: std::os::fd::OwnedFd) -> usize {
    // "body" as a little-endian length is large; the first byte of what is behind it never comes.
    let channel = Channel::from_fd(socket, &patient(Framing::default())).expect("it is a socket");
    match channel.recv(&Expected::bytes(0).fds(0..=0)) {
        Err(Error::FdCount { found, .. }) => found,
        Err(Error::TooLarge { .. }) => 0,
        other => panic!("{other:?}"),
    }
}

#[test]
fn bodies_in_parts_are_one_body() {
    let _alone = alone();
    let whole = bytes(3000);
    for framing in FRAMINGS {
        for size in [1, 7, 999, 3000] {
            balanced(|| {
                let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
                let sent = files(2);
                let mut parts: Vec<_> = whole.chunks(size).map(IoSlice::new).collect();
                parts.insert(1, IoSlice::new(&[]));
                let expected = Expected::bytes(3000).fds(2..=2);
                one.send_vectored(&parts, &borrowed(&sent)).expect("it is sent");
                let message = other.recv(&expected).expect("it comes");
                assert_eq!(message.body, whole, "{framing:?} in parts of {size}");
                assert_same_files(&message.fds, &sent);

                let how = one.try_send_vectored(&parts, &borrowed(&sent)).expect("it is sent");
                assert_eq!(how, Sent::Whole);
                assert_eq!(other.recv(&expected).expect("it comes").body, whole);
            });
        }
    }
}

#[test]
fn one_open_file_twice_is_refused_unless_it_is_expected() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            let sent = files(2);
            let own = borrowed(&sent);
            let duplicate = sent[0].try_clone().expect("a duplicate");
            let expected = Expected::bytes(5).fds(1..=3);
            for (fds, first, second) in [
                (vec![own[0], own[0]], 0, 1),
                (vec![own[0], own[1], duplicate.as_fd()], 0, 2),
                (vec![own[1], own[0], own[0]], 1, 2),
            ] {
                one.send(b"twice", &fds).expect("it is sent");
                let error = other.recv(&expected).expect_err("one comes twice");
                assert!(
                    matches!(error, Error::FdsRepeated { first: a, second: b } if (a, b) == (first, second)),
                    "{error}"
                );
                assert_eq!(error.code(), Code::FdCount);
                one.send(b"twice", &fds).expect("it is sent");
                let error = other.recv_into(&mut [0; 5], &expected).expect_err("one comes twice");
                assert!(matches!(error, Error::FdsRepeated { .. }), "{error}");
                one.send(b"twice", &fds).expect("it is sent");
                let error = other.try_recv(&expected).expect_err("one comes twice");
                assert!(matches!(error, Error::FdsRepeated { .. }), "{error}");
            }
            // Of one file that was opened twice each is its own, and the channel goes on.
            let opened = [(); 2].map(|()| OwnedFd::from(File::open("/proc/self/exe").expect("it runs")));
            one.send(b"apart", &borrowed(&opened)).expect("it is sent");
            assert_eq!(other.recv(&expected).expect("it comes").fds.len(), 2);

            one.send(b"twice", &[own[0], own[0]]).expect("it is sent");
            let Message { fds, .. } = other.recv(&expected.repeated()).expect("it may come");
            assert_same_files(&fds[..1], &sent[..1]);
            assert_same_files(&fds[1..], &sent[..1]);
        });
    }
}

#[test]
fn an_empty_message_is_no_end_and_takes_nothing_from_the_next() {
    let _alone = alone();
    for framing in [STREAM, JOINED, LITTLE] {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            let sent = files(3);
            for (body, fds) in [("", 0), ("", 1), ("", 2), ("a", 0), ("", 0), ("bcd", 3), ("", 1)] {
                one.send(body.as_bytes(), &borrowed(&sent[..fds])).expect("it is sent");
            }
            for (body, fds) in [("", 0), ("", 1), ("", 2), ("a", 0), ("", 0), ("bcd", 3), ("", 1)] {
                let message = other.recv(&Expected::bytes(3).fds(fds..=fds)).expect("it comes");
                assert_eq!(message.body, body.as_bytes());
                assert_same_files(&message.fds, &sent[..fds]);
            }
            drop(one);
            assert!(other.recv(&Expected::bytes(3)).expect_err("nothing more comes").is_end());
        });
    }
}

#[test]
fn a_channel_says_which_of_its_directions_goes_on() {
    let _alone = alone();
    let can = |channel: &Channel| (channel.can_receive(), channel.can_send());
    for framing in FRAMINGS {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            assert_eq!((can(&one), can(&other)), ((true, true), (true, true)));
            // One open file twice is refused, and the channel goes on.
            let file = files(1);
            one.send(b"x", &[file[0].as_fd(), file[0].as_fd()]).expect("it is sent");
            other.recv(&Expected::bytes(1).fds(0..=2)).expect_err("it is refused");
            other.try_recv(&Expected::bytes(1)).expect("nothing is there");
            assert_eq!(can(&other), (true, true));
            // What is known is what a call has found.
            one.finish().expect("nothing is left");
            assert_eq!((can(&one), can(&other)), ((true, false), (true, true)));
            assert!(other.recv(&Expected::bytes(1)).expect_err("it is the end").is_end());
            assert_eq!(can(&other), (false, true));
            other.send(b"last", &[]).expect("the other direction stays");
            assert_eq!(one.recv(&Expected::bytes(4)).expect("it comes").body, b"last");
            drop(one);
            assert!(other.send(b"x", &[]).expect_err("nobody receives").is_end());
            assert_eq!(can(&other), (false, false));
            let (one, _other) = Channel::pair(&patient(framing)).expect("a pair");
            one.close().expect("it is open");
            assert_eq!(can(&one), (false, false));
        });
    }
}

#[test]
fn an_empty_packet_of_somebody_elses_is_no_end() {
    let _alone = alone();
    balanced(|| {
        let (channel, socket) = channel_and_socket(&patient(Framing::SeqPacket), Framing::SeqPacket);
        raw_send(&socket, b"", &[]).expect("it is sent");
        assert_eq!(channel.recv(&Expected::bytes(9)).expect("it comes").body, b"");
        raw_send(&socket, b"", &[]).expect("it is sent");
        raw_send(&socket, b"x", &[]).expect("it is sent");
        drop(socket);
        assert_eq!(channel.recv(&Expected::bytes(9)).expect("it comes").body, b"");
        assert_eq!(channel.recv(&Expected::bytes(9)).expect("it comes").body, b"x");
        assert!(channel.recv(&Expected::bytes(9)).expect_err("nothing more comes").is_end());
    });
}

#[test]
fn ten_thousand_messages_leave_nothing_open() {
    let _alone = alone();
    for framing in [JOINED, Framing::SeqPacket] {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            let sent = files(4);
            let open = open_fds();
            for round in 0..10_000usize {
                let body = round.to_le_bytes();
                one.send(&body, &borrowed(&sent)).expect("it is sent");
                let message = other.recv(&Expected::bytes(8).fds(4..=4)).expect("it comes");
                assert_eq!((message.body.as_slice(), message.fds.len()), (&body[..], 4));
                drop(message);
                if round % 1000 == 0 {
                    assert_eq!(open_fds(), open);
                }
            }
        });
    }
}

#[test]
fn threads_take_turns_with_whole_messages() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            let (one, other) = (&one, &other);
            let mut came: Vec<u8> = thread::scope(|scope| {
                for number in 0..8u8 {
                    scope.spawn(move || {
                        for _ in 0..50 {
                            one.send(&vec![number; 10_000 + usize::from(number)], &[]).expect("it is sent");
                        }
                    });
                }
                let receivers: Vec<_> = (0..4)
                    .map(|_| {
                        scope.spawn(move || {
                            let receive = |_| {
                                let body = other.recv(&Expected::bytes(20_000)).expect("it comes").body;
                                assert!(body.iter().all(|byte| *byte == body[0]));
                                assert_eq!(body.len(), 10_000 + usize::from(body[0]));
                                body[0]
                            };
                            (0..100).map(receive).collect::<Vec<_>>()
                        })
                    })
                    .collect();
                receivers.into_iter().flat_map(|receiver| receiver.join().expect("it received")).collect()
            });
            came.sort_unstable();
            assert_eq!(came, (0..8u8).flat_map(|number| [number; 50]).collect::<Vec<_>>());
        });
    }
}

#[test]
fn a_socket_is_handed_on_between_messages_alone() {
    let _alone = alone();
    balanced(|| {
        let (channel, socket) = channel_and_socket(&patient(STREAM), STREAM);
        let message = framed(b"body");
        raw_send(&socket, &message[..6], &[]).expect("it is sent");
        assert_eq!(channel.try_recv(&Expected::bytes(9)).expect("it is open").map(|_| ()), None);
        let channel = channel.into_fd().expect_err("half a message is in it");
        raw_send(&socket, &message[6..], &[]).expect("it is sent");
        assert_eq!(channel.recv(&Expected::bytes(9)).expect("it comes").body, b"body");
        let fd = channel.into_fd().expect("nothing is in it");
        raw_send(&socket, &message, &[]).expect("it is sent");
        let channel = Channel::from_fd(fd, &patient(STREAM)).expect("it is a socket");
        assert_eq!(channel.recv(&Expected::bytes(9)).expect("it comes").body, b"body");
    });
}

#[test]
fn a_socket_that_does_not_wait_is_waited_for_all_the_same() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            let other = other.into_fd().expect("it is new");
            rustix::io::ioctl_fionbio(&other, true).expect("an option");
            let other = Channel::from_fd(other, &patient(framing)).expect("it is a socket");
            thread::scope(|scope| {
                let waits = scope.spawn(|| other.recv(&Expected::bytes(9)).expect("it comes").body);
                thread::yield_now();
                one.send(b"body", &[]).expect("it is sent");
                assert_eq!(waits.join().expect("it ended"), b"body");
            });
        });
    }
}

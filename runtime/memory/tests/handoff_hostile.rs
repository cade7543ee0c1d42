//! Peers that misbehave: each is refused by name, and nothing that it sent stays open.
#![cfg(feature = "handoff")]

mod handoff_support;

use std::os::fd::OwnedFd;
use std::thread;
use std::time::Duration;

use handoff_support::{
    FRAMINGS, JOINED, STREAM, alone, assert_same_files, balanced, borrowed, bytes, channel_and_socket, files,
    framed, patient, raw_send,
};
use wirecontract::Code;
use wirecontract_runtime::handoff::{
    Channel, Doing, Error, Expected, Framing, Listener, Message, Misplaced, Options, Peers,
};

const BODY: &[u8] = b"a body";
const EXPECTED: Expected = Expected::bytes(100).fds(0..=2);

/// Sends the parts, and receives after each of them or behind all, which the kernel puts together otherwise.
fn receive(
    parts: &[(&[u8], usize)],
    sent: &[OwnedFd],
    expected: &Expected,
    piecemeal: bool,
) -> Result<Message, Error> {
    let (channel, socket) = channel_and_socket(&patient(STREAM), STREAM);
    for (part, fds) in parts {
        raw_send(&socket, part, &borrowed(&sent[..*fds])).expect("it is sent");
        if piecemeal && let Some(message) = channel.try_recv(expected)? {
            return Ok(message);
        }
    }
    channel.recv(expected)
}

#[test]
fn a_message_in_two_parts_is_whole_wherever_it_is_cut() {
    let _alone = alone();
    let (message, sent) = (framed(BODY), files(2));
    for piecemeal in [false, true] {
        for cut in 1..message.len() {
            balanced(|| {
                // They ride with the first byte of the body, alone or with the prefix or parts of it.
                let fds = if cut <= 4 { (0, 2) } else { (2, 0) };
                let parts = [(&message[..cut], fds.0), (&message[cut..], fds.1)];
                let came = receive(&parts, &sent, &EXPECTED, piecemeal).expect("it is whole");
                assert_eq!(came.body, BODY, "cut at byte {cut}");
                assert_same_files(&came.fds, &sent);
            });
        }
    }
}

#[test]
fn a_message_byte_by_byte_is_whole() {
    let _alone = alone();
    let (message, sent) = (framed(BODY), files(2));
    for piecemeal in [false, true] {
        balanced(|| {
            let parts: Vec<_> =
                message.chunks(1).enumerate().map(|(at, byte)| (byte, if at == 4 { 2 } else { 0 })).collect();
            let came = receive(&parts, &sent, &EXPECTED, piecemeal).expect("it is whole");
            assert_eq!(came.body, BODY);
            assert_same_files(&came.fds, &sent);
        });
    }
}

#[test]
fn descriptors_on_another_part_are_misplaced_wherever_the_message_is_cut() {
    let _alone = alone();
    let (message, sent) = (framed(BODY), files(2));
    for piecemeal in [false, true] {
        for cut in 1..message.len() {
            balanced(|| {
                let (fds, place) =
                    if cut <= 4 { ((2, 0), Misplaced::Prefix) } else { ((0, 2), Misplaced::Later) };
                let parts = [(&message[..cut], fds.0), (&message[cut..], fds.1)];
                let error = receive(&parts, &sent, &EXPECTED, piecemeal).expect_err("they are misplaced");
                assert!(
                    matches!(error, Error::FdsMisplaced { found: 2, at } if at == place),
                    "cut at byte {cut}: {error:?}"
                );
                assert_eq!(error.code(), Code::FdCount);
            });
        }
    }
}

#[test]
fn descriptors_on_both_parts_are_refused_wherever_the_message_is_cut() {
    let _alone = alone();
    let (message, sent) = (framed(BODY), files(1));
    for piecemeal in [false, true] {
        for cut in 1..message.len() {
            balanced(|| {
                let parts = [(&message[..cut], 1), (&message[cut..], 1)];
                let error = receive(&parts, &sent, &EXPECTED, piecemeal).expect_err("one is misplaced");
                assert!(matches!(error, Error::FdsMisplaced { found: 1, .. }), "cut at {cut}: {error:?}");
            });
        }
    }
}

#[test]
fn descriptors_where_none_may_come_are_refused_by_their_number() {
    let _alone = alone();
    let (message, sent) = (framed(BODY), files(2));
    for piecemeal in [false, true] {
        for cut in 1..message.len() {
            for fds in [(2, 0), (0, 2)] {
                balanced(|| {
                    let parts = [(&message[..cut], fds.0), (&message[cut..], fds.1)];
                    let error = receive(&parts, &sent, &Expected::bytes(100), piecemeal).expect_err("none");
                    assert!(matches!(error, Error::FdCount { found: 2, .. }), "cut at {cut}: {error:?}");
                });
            }
        }
    }
}

#[test]
fn descriptors_of_an_empty_message_ride_on_the_end_of_its_length() {
    let _alone = alone();
    let sent = files(1);
    for piecemeal in [false, true] {
        for cut in 1..4 {
            balanced(|| {
                let parts: [(&[u8], usize); 2] = [(&[0; 4][cut..], 1), (&[0; 4][..cut], 0)];
                let error = receive(&parts, &sent, &EXPECTED, piecemeal).expect_err("they are misplaced");
                assert!(
                    matches!(error, Error::FdsMisplaced { found: 1, at: Misplaced::Prefix }),
                    "cut at byte {}: {error:?}",
                    4 - cut
                );
                let parts: [(&[u8], usize); 2] = [(&[0; 4][..cut], 0), (&[0; 4][cut..], 1)];
                let came = receive(&parts, &sent, &EXPECTED, piecemeal).expect("it is whole");
                assert_same_files(&came.fds, &sent);
            });
        }
    }
}

#[test]
fn descriptors_behind_an_empty_message_ride_where_their_own_message_says() {
    let _alone = alone();
    let (message, sent) = (framed(BODY), files(1));
    balanced(|| {
        let (channel, socket) = channel_and_socket(&patient(STREAM), STREAM);
        raw_send(&socket, &framed(b""), &[]).expect("it is sent");
        raw_send(&socket, &message, &borrowed(&sent)).expect("it is sent");
        assert_eq!(channel.recv(&EXPECTED).expect("it comes").body, b"");
        let came = channel.recv(&EXPECTED).expect("it comes");
        assert_eq!(came.body, BODY);
        assert_same_files(&came.fds, &sent);
        // Twice is once too often.
        raw_send(&socket, &framed(b""), &[]).expect("it is sent");
        raw_send(&socket, &message[..4], &borrowed(&sent)).expect("it is sent");
        raw_send(&socket, &message[4..], &borrowed(&sent)).expect("it is sent");
        assert_eq!(channel.recv(&EXPECTED).expect("it comes").body, b"");
        let error = channel.recv(&EXPECTED).expect_err("one is misplaced");
        assert!(matches!(error, Error::FdsMisplaced { found: 1, at: Misplaced::Prefix }), "{error:?}");
    });
}

#[test]
fn a_packet_in_two_parts_is_two_messages() {
    let _alone = alone();
    let sent = files(2);
    for cut in 1..BODY.len() {
        balanced(|| {
            let (channel, socket) = channel_and_socket(&patient(Framing::SeqPacket), Framing::SeqPacket);
            raw_send(&socket, &BODY[..cut], &borrowed(&sent[..1])).expect("it is sent");
            raw_send(&socket, &BODY[cut..], &borrowed(&sent[1..])).expect("it is sent");
            for (part, fds) in [(&BODY[..cut], &sent[..1]), (&BODY[cut..], &sent[1..])] {
                let message = channel.recv(&EXPECTED).expect("it comes");
                assert_eq!(message.body, part);
                assert_same_files(&message.fds, fds);
            }
        });
    }
}

#[test]
fn a_peer_that_closes_in_the_middle_is_told_from_one_that_ends() {
    let _alone = alone();
    let (message, sent) = (framed(BODY), files(2));
    for cut in 0..=message.len() {
        balanced(|| {
            let (channel, socket) = channel_and_socket(&patient(STREAM), STREAM);
            let fds = if cut > 4 { borrowed(&sent) } else { Vec::new() };
            raw_send(&socket, &message[..cut], &fds).expect("it is sent");
            drop(socket);
            let expected = Expected::bytes(100).fds(0..=2);
            let outcome = channel.recv(&expected);
            match (cut, outcome) {
                (0, Err(error @ Error::PeerClosed { unread: false })) => assert!(error.is_end()),
                (10, Ok(came)) => {
                    assert_eq!(came.body, BODY);
                    assert!(channel.recv(&expected).expect_err("it is the end").is_end());
                }
                (1..=9, Err(error @ Error::ClosedInMessage { .. })) => {
                    let Error::ClosedInMessage { crossed, missing } = error else { unreachable!() };
                    let lacks = if cut < 4 { 4 - cut } else { 10 - cut };
                    assert_eq!((crossed, missing), (cut as u64, lacks as u64), "cut at byte {cut}");
                    assert!(!error.is_end());
                    assert_eq!(error.code(), Code::PeerClosed);
                    assert!(matches!(channel.recv(&expected), Err(Error::OutOfStep { .. })));
                }
                (_, outcome) => panic!("cut at byte {cut}: {outcome:?}"),
            }
        });
    }
}

#[test]
fn what_the_peer_left_unread_is_known_and_what_it_sent_still_comes() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            one.send(b"never received", &borrowed(&files(1))).expect("it is sent");
            other.send(b"last words", &[]).expect("it is sent");
            drop(other);
            assert_eq!(one.recv(&EXPECTED).expect("it comes").body, b"last words");
            let error = one.recv(&EXPECTED).expect_err("it is the end");
            assert!(matches!(error, Error::PeerClosed { unread: true }), "{framing:?}: {error:?}");
            assert!(one.is_closed().expect("it can be asked"));
        });
    }
}

#[test]
fn sending_to_a_peer_that_is_gone_is_an_error_and_no_signal() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            drop(other);
            for _ in 0..2 {
                let error = one.send(b"body", &borrowed(&files(1))).expect_err("nobody is there");
                assert!(matches!(error, Error::PeerClosed { .. }), "{error:?}");
                assert_eq!(error.code(), Code::PeerClosed);
            }
        });
    }
}

#[test]
fn four_gibibytes_are_refused_when_they_are_announced() {
    let _alone = alone();
    balanced(|| {
        let (channel, socket) = channel_and_socket(&patient(STREAM), STREAM);
        raw_send(&socket, &u32::MAX.to_be_bytes(), &[]).expect("it is sent");
        let error = channel.recv(&Expected::bytes(1 << 20).fds(0..=1)).expect_err("it is too large");
        assert!(matches!(error, Error::TooLarge { most: 0x10_0000, found: 0xffff_ffff }), "{error:?}");
        // The peer learns that nobody takes the rest.
        assert_eq!(raw_send(&socket, b"the rest", &[]), Err(rustix::io::Errno::PIPE));
    });
}

#[test]
fn a_peer_that_says_nothing_is_waited_for_no_longer_than_the_limit() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let short = Duration::from_millis(10);
            let (one, other) = Channel::pair(&patient(framing).idle_timeout(short)).expect("a pair");
            let mut buffer = [0; 100];
            for outcome in [
                other.recv(&EXPECTED).map(|_| ()),
                other.recv_into(&mut buffer, &EXPECTED).map(|_| ()),
                other.recv_within(&EXPECTED, Duration::ZERO).map(|_| ()),
            ] {
                let error = outcome.expect_err("nothing comes");
                assert!(
                    matches!(error, Error::Timeout { doing: Doing::Waiting, crossed: 0, .. }),
                    "{error:?}"
                );
                assert_eq!(error.code(), Code::Timeout);
            }
            one.send(BODY, &[]).expect("it is sent");
            assert_eq!(other.recv(&EXPECTED).expect("it comes").body, BODY);
        });
    }
}

#[test]
fn a_peer_that_sends_byte_by_byte_has_the_time_of_one_message() {
    let _alone = alone();
    balanced(|| {
        let options = Options::default().message_timeout(Duration::from_millis(100));
        let (channel, socket) = channel_and_socket(&options, STREAM);
        thread::scope(|scope| {
            let dribble = scope.spawn(|| {
                raw_send(&socket, &0x10_0000u32.to_be_bytes(), &[]).expect("it is sent");
                raw_send(&socket, b"x", &borrowed(&files(1))).expect("it is sent");
                // It ends when nobody listens any more.
                while raw_send(&socket, b"x", &[]).is_ok() {
                    thread::sleep(Duration::from_millis(1));
                }
            });
            let error = channel.recv(&Expected::bytes(1 << 20).fds(1..=1)).expect_err("it takes too long");
            assert!(
                matches!(error, Error::Timeout { doing: Doing::Receiving, crossed: 5.., .. }),
                "{error:?}"
            );
            assert!(matches!(channel.recv(&EXPECTED), Err(Error::OutOfStep { because: Code::Timeout, .. })));
            dribble.join().expect("the peer was told");
        });
    });
}

#[test]
fn a_peer_that_receives_nothing_holds_nobody() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let short = Duration::from_millis(50);
            let options = Options::default().framing(framing).message_timeout(short).send_buffer(1);
            let (one, other) = Channel::pair(&options).expect("a pair");
            let (body, sent) = (bytes(4000), files(1));
            let error = (0..100).find_map(|_| one.send(&body, &borrowed(&sent)).err()).expect("it is full");
            let Error::Timeout { doing: Doing::Sending, crossed, .. } = error else { panic!("{error:?}") };
            if crossed == 0 {
                // Nothing of that message went, and the next may.
                other.recv(&Expected::bytes(4000).fds(1..=1)).expect("it comes");
                one.send(&body[..1], &borrowed(&sent)).expect("there is room again");
            } else {
                assert_ne!(framing, Framing::SeqPacket);
                assert!(matches!(one.send(b"", &[]), Err(Error::OutOfStep { .. })));
            }
        });
    }
}

#[test]
fn a_service_outlives_its_worst_peers() {
    let _alone = alone();
    balanced(|| {
        let options = patient(STREAM).idle_timeout(Duration::from_millis(20)).peers(Peers::SameUser);
        let name = format!("wirecontract-worst-{}", std::process::id());
        let at = wirecontract_runtime::handoff::Address::abstract_name(name);
        let listener = Listener::bind(&at, &options).expect("nobody is there");
        let message = framed(BODY);
        let worst: [(&[u8], usize, Code); 5] = [
            (b"", 0, Code::PeerClosed),
            (&[0xff; 5], 0, Code::TooLarge),
            (&message[..7], 0, Code::PeerClosed),
            (&message[..4], 2, Code::FdCount),
            (&message, 3, Code::FdCount),
        ];
        for (bytes, fds, code) in worst {
            let client = Channel::connect(&at, &options).expect("it listens").into_fd().expect("it is new");
            let service = listener.accept().expect("a peer");
            if !bytes.is_empty() {
                raw_send(&client, bytes, &borrowed(&files(fds))).expect("it is sent");
            }
            drop(client);
            assert_eq!(service.recv(&EXPECTED).expect_err("it is refused").code(), code);
        }
        let silent = Channel::connect(&at, &options).expect("it listens");
        assert_eq!(
            listener.accept().expect("a peer").recv(&EXPECTED).expect_err("silence").code(),
            Code::Timeout
        );
        drop(silent);
        let client = Channel::connect(&at, &options).expect("it listens");
        client.send(BODY, &borrowed(&files(1))).expect("it is sent");
        assert_eq!(listener.accept().expect("a peer").recv(&EXPECTED).expect("it comes").body, BODY);
    });
}

#[test]
fn a_channel_that_is_closed_wakes_who_waits_for_a_message() {
    let _alone = alone();
    for framing in [JOINED, Framing::SeqPacket] {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            thread::scope(|scope| {
                let waits = scope.spawn(|| one.recv(&EXPECTED).expect_err("nothing comes"));
                one.close().expect("it is open");
                assert!(waits.join().expect("it ended").is_end());
            });
            assert!(other.wait_closed(handoff_support::LONG).expect("it can be asked"));
            assert!(other.recv(&EXPECTED).expect_err("it is the end").is_end());
        });
    }
}

#[test]
fn a_side_that_has_finished_still_receives() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            assert!(!other.is_closed().expect("it can be asked"));
            one.send(b"question", &[]).expect("it is sent");
            one.finish().expect("it is open");
            assert!(other.is_closed().expect("it can be asked"));
            assert_eq!(other.recv(&EXPECTED).expect("it comes").body, b"question");
            assert!(other.recv(&EXPECTED).expect_err("nothing more comes").is_end());
            other.send(b"answer", &[]).expect("it is sent");
            assert_eq!(one.recv(&EXPECTED).expect("it comes").body, b"answer");
        });
    }
}

//! Channels that say hello: what two sides speak is agreed on before a message is received, or refused by name.
#![cfg(feature = "handoff")]

mod handoff_support;

use std::os::fd::OwnedFd;
use std::thread;
use std::time::Duration;

use handoff_support::{FRAMINGS, LITTLE, LONG, STREAM, alone, balanced, borrowed, files, patient};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, socketpair};
use wirecontract::hello::{Hello, SpokenContract, SpokenVersion, Verdict};
use wirecontract::{Code, Contract as _, WireContract, WireJson as _};
use wirecontract_runtime::handoff::{Channel, Doing, Error, Expected, Framing, Options};

/// What a camera is asked for.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 2, earlier(v1 = 0x0123_4567_89ab_cdef))]
struct Request {
    /// In microseconds.
    exposure: u32,
}

/// What not every camera has.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe)]
struct Focus {
    /// In millimetres.
    distance: u32,
}

const REQUEST: &str = Request::PATH;

/// Two channels, of which each says its own hello.
fn channels(framing: Framing, ours: &Options, theirs: &Options) -> (Channel, Channel) {
    let (one, other) = sockets(framing);
    (channel(one, framing, ours), channel(other, framing, theirs))
}

fn channel(socket: OwnedFd, framing: Framing, options: &Options) -> Channel {
    Channel::from_fd(socket, &options.clone().framing(framing)).expect("a connected socket")
}

fn sockets(framing: Framing) -> (OwnedFd, OwnedFd) {
    let kind = if framing == Framing::SeqPacket { SocketType::SEQPACKET } else { SocketType::STREAM };
    socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).expect("sockets are there")
}

/// Options that wait long.
fn silent() -> Options {
    patient(STREAM)
}

/// A hello of one contract at these versions.
fn speaks(name: &str, versions: &[(u32, u64)]) -> Hello {
    let versions = versions.iter().map(|&(version, id)| SpokenVersion::new(version, id)).collect();
    let mut hello = Hello::new();
    hello.speaks.push(SpokenContract { name: name.to_owned(), versions });
    hello
}

fn refusal(error: &Error) -> (Option<Verdict>, String) {
    let Error::Hello(refused) = error else { panic!("{error}") };
    assert_eq!(error.code(), refused.code());
    (refused.verdict(), error.to_string())
}

#[test]
fn both_sides_agree_before_a_message_and_ask_what_on() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let options = silent().speaks::<Request>();
            let (one, other) = channels(framing, &options, &options);
            let sent = files(2);
            one.send(b"a", &borrowed(&sent)).expect("it is sent");
            one.send(b"b", &[]).expect("it is sent");
            let message = other.recv(&Expected::bytes(1).fds(2..=2)).expect("it comes");
            assert_eq!((&message.body[..], message.fds.len()), (&b"a"[..], 2));
            let mut place = [0; 4];
            assert_eq!(other.recv_into(&mut place, &Expected::bytes(4)).expect("it comes").bytes, 1);
            for side in [&one, &other] {
                let agreed = side.agreed::<Request>(LONG).expect("both speak it");
                assert_eq!((agreed.version, agreed.wire_id), (2, Request::WIRE_ID));
            }
            other.send(b"back", &[]).expect("it is sent");
            assert_eq!(one.recv(&Expected::bytes(4)).expect("it comes").body, b"back");
        });
    }
}

#[test]
fn the_highest_version_that_both_have_counts() {
    let _alone = alone();
    let old = speaks(REQUEST, &[(1, 0x0123_4567_89ab_cdef)]);
    let ours = silent().speaks::<Request>();
    let (one, other) = channels(STREAM, &ours, &silent().hello(old));
    assert_eq!(one.agreed::<Request>(LONG).expect("version 1").version, 1);
    assert_eq!(other.agreed_of(REQUEST, LONG).expect("version 1").wire_id, 0x0123_4567_89ab_cdef);
}

#[test]
fn a_peer_of_another_form_is_refused_by_name_and_both_ids() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let ours = silent().speaks::<Request>();
            let theirs = silent().hello(speaks(REQUEST, &[(2, 0xfedc_ba98_7654_3210)]));
            let (one, other) = channels(framing, &ours, &theirs);
            // Sent before anybody knew; it is received by nobody.
            other.send(b"payload", &borrowed(&files(1))).expect("it is sent");
            let ids = [Request::WIRE_ID, 0xfedc_ba98_7654_3210];
            for (side, [mine, peers]) in [(&one, ids), (&other, [ids[1], ids[0]])] {
                let expected = Expected::bytes(100).fds(0..=1);
                let error = side.recv(&expected).expect_err("it speaks something else");
                let (verdict, text) = refusal(&error);
                assert_eq!((verdict, error.code()), (Some(Verdict::TwoIds), Code::IdMismatch));
                let says = format!(
                    "{REQUEST}: id_mismatch: version 2 has two wire ids, ours 0x{mine:016x} and theirs 0x{peers:016x}"
                );
                assert!(text.starts_with(&says), "{text}");
                // And so says every call from then on.
                for error in [
                    side.recv(&expected).expect_err("refused"),
                    side.try_recv(&expected).expect_err("refused"),
                    side.try_recv_into(&mut [0; 9], &expected).expect_err("refused"),
                    side.send(b"x", &[]).expect_err("refused"),
                    side.try_send(b"x", &[]).expect_err("refused"),
                    side.agreed::<Request>(LONG).expect_err("refused"),
                ] {
                    assert_eq!(refusal(&error).1, text);
                }
            }
        });
    }
}

#[test]
fn a_contract_that_need_not_be_spoken_is_refused_when_it_is_asked_for() {
    let _alone = alone();
    let ours = silent().speaks::<Request>().may_speak::<Focus>();
    let theirs = silent().speaks::<Request>();
    let (one, other) = channels(STREAM, &ours, &theirs);
    assert_eq!(one.agreed::<Request>(LONG).expect("both speak it").version, 2);
    let error = one.agreed::<Focus>(LONG).expect_err("it has none");
    assert_eq!(refusal(&error).0, Some(Verdict::UnknownToPeer));
    let error = other.agreed::<Focus>(LONG).expect_err("it says none");
    assert_eq!(refusal(&error).0, Some(Verdict::NotOurs));
    other.send(b"goes on", &[]).expect("it is sent");
    assert_eq!(one.recv(&Expected::bytes(9)).expect("it comes").body, b"goes on");

    let strict = ours.speaks::<Focus>();
    let (one, _other) = channels(STREAM, &strict, &theirs);
    let error = one.recv(&Expected::bytes(9)).expect_err("it has to");
    assert_eq!(refusal(&error).0, Some(Verdict::UnknownToPeer));
}

#[test]
fn what_is_no_hello_is_refused_as_what_it_is() {
    let _alone = alone();
    let ours = silent().speaks::<Request>();
    let twice = Hello {
        speaks: [Hello::of::<Request>().speaks, Hello::of::<Request>().speaks].concat(),
        ..Hello::new()
    };
    for (words, code) in [
        (b"not a hello".to_vec(), Code::NotJson),
        (b"{}".to_vec(), Code::MissingKey),
        (twice.to_json().expect("it can be written").into_bytes(), Code::RuleViolated),
    ] {
        let (one, other) = channels(STREAM, &ours, &silent());
        other.send(&words, &[]).expect("it is sent");
        let error = one.recv(&Expected::bytes(1 << 20)).expect_err("it is none");
        assert_eq!(error.code(), code, "{error}");
        assert!(refusal(&error).1.starts_with("their hello: "), "{error}");
    }
    // Neither file descriptors nor more bytes than a hello has come as one.
    let (one, other) = channels(STREAM, &ours, &silent());
    other.send(b"{}", &borrowed(&files(1))).expect("it is sent");
    assert_eq!(one.recv(&Expected::bytes(100).fds(1..=1)).expect_err("none").code(), Code::FdCount);
    let (one, other) = channels(STREAM, &ours, &silent().send_buffer(1 << 20));
    thread::scope(|scope| {
        scope.spawn(|| other.send(&vec![b' '; Hello::MAX_BYTES + 1], &[]));
        assert_eq!(one.recv(&Expected::bytes(1 << 20)).expect_err("too long").code(), Code::TooLarge);
        drop(one);
    });
    let bad = silent().hello(twice);
    let error = Channel::pair(&bad).expect_err("it may not be sent");
    assert!(refusal(&error).1.starts_with("our hello: "), "{error}");
}

#[test]
fn a_peer_that_says_no_hello_is_waited_for_no_longer_than_the_limit() {
    let _alone = alone();
    let ours = silent().speaks::<Request>().idle_timeout(Duration::from_millis(20));
    let (one, _other) = channels(STREAM, &ours, &silent());
    for error in [
        one.recv(&Expected::bytes(9)).expect_err("nothing comes"),
        one.agreed::<Request>(Duration::ZERO).expect_err("nothing comes"),
    ] {
        assert!(matches!(error, Error::Timeout { doing: Doing::Hello, .. }), "{error}");
    }
    assert!(one.try_recv(&Expected::bytes(9)).expect("nothing is wrong").is_none());
    assert!(one.into_fd().is_err(), "its hello is still to come");
}

#[test]
fn a_hello_that_finds_no_room_goes_as_soon_as_there_is_some() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let (ours, theirs) = sockets(framing);
            let word = if framing == Framing::SeqPacket { vec![7; 512] } else { zeros(framing, 512) };
            let mut before = 0;
            while rustix::net::send(&ours, &word, SendFlags::DONTWAIT).is_ok() {
                before += 1;
            }
            let one = channel(ours, framing, &silent().speaks::<Request>());
            let other = channel(theirs, framing, &silent());
            assert!(one.interest().writable, "its hello waits");
            thread::scope(|scope| {
                let agreed = scope.spawn(|| one.agreed::<Request>(LONG));
                for _ in 0..before {
                    assert_eq!(other.recv(&Expected::bytes(512)).expect("it comes").body.len(), 512);
                }
                let hello = other.recv(&Expected::bytes(1 << 16)).expect("it comes").body;
                assert_eq!(Hello::read(&hello).expect("a hello"), Hello::of::<Request>());
                other.send(&hello, &[]).expect("it is sent");
                assert_eq!(agreed.join().expect("it ends").expect("both speak it").version, 2);
            });
        });
    }
}

/// A message of so many zeros, as it is on the wire of a stream.
fn zeros(framing: Framing, count: u16) -> Vec<u8> {
    let length = u32::from(count);
    let prefix = if framing == LITTLE { length.to_le_bytes() } else { length.to_be_bytes() };
    [&prefix[..], &vec![0; count.into()]].concat()
}

#[test]
fn a_hello_that_found_no_room_in_time_still_goes_before_the_next_message() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let (ours, theirs) = sockets(framing);
            let word = if framing == Framing::SeqPacket { vec![7; 512] } else { zeros(framing, 512) };
            let mut before = 0;
            while rustix::net::send(&ours, &word, SendFlags::DONTWAIT).is_ok() {
                before += 1;
            }
            let options = silent().speaks::<Request>().message_timeout(Duration::from_millis(10));
            let one = channel(ours, framing, &options);
            let other = channel(theirs, framing, &silent());
            for _ in 0..2 {
                let error = one.send(b"late", &[]).expect_err("there is no room");
                assert!(matches!(error, Error::Timeout { doing: Doing::Sending, crossed: 0, .. }), "{error}");
            }
            for _ in 0..before {
                assert_eq!(other.recv(&Expected::bytes(512)).expect("it comes").body.len(), 512);
            }
            one.send(b"first", &[]).expect("there is room");
            let hello = other.recv(&Expected::bytes(1 << 16)).expect("it comes").body;
            assert_eq!(Hello::read(&hello).expect("a hello"), Hello::of::<Request>());
            assert_eq!(other.recv(&Expected::bytes(8)).expect("it comes").body, b"first");
        });
    }
}

#[test]
fn a_peer_that_says_no_hello_is_waited_for_no_longer_than_the_limit_of_hellos() {
    let _alone = alone();
    for framing in FRAMINGS {
        balanced(|| {
            let ours = silent().speaks::<Request>().hello_timeout(Duration::from_millis(20));
            let (one, other) = channels(framing, &ours, &silent());
            let late = |error: Error| {
                let limit = Duration::from_millis(20);
                assert!(
                    matches!(error, Error::Timeout { doing: Doing::Hello, after, .. } if after == limit),
                    "{error}"
                );
            };
            late(one.recv(&Expected::bytes(9)).expect_err("nothing comes"));
            late(one.agreed::<Request>(None).expect_err("nothing comes"));
            late(one.recv_into(&mut [0; 9], &Expected::bytes(9)).expect_err("nothing comes"));
            late(one.try_recv(&Expected::bytes(9)).expect_err("nothing came in time"));
            // One that comes after all is taken.
            let hello = other.recv(&Expected::bytes(1 << 16)).expect("ours").body;
            other.send(&hello, &[]).expect("it is sent");
            other.send(b"late", &[]).expect("it is sent");
            assert_eq!(one.recv(&Expected::bytes(9)).expect("it comes").body, b"late");
        });
    }
}

#[test]
fn a_hello_is_not_waited_for_for_ever_unless_that_is_said() {
    let debug = format!("{:?}", Options::default().speaks::<Request>());
    assert!(debug.contains("hello: Some(10s)"), "{debug}");
    let debug = format!("{:?}", Options::default().hello_timeout(None));
    assert!(debug.contains("hello: None"), "{debug}");
}

//! What the other side may not say, do or send: each is refused by name, and nothing is left.
#![cfg(feature = "lease")]

mod lease_support;

use std::fs::File;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use lease_support::{
    LONG, balanced, channels, consumer_and_channel, filled, hear, hello, lend, name, offer, patient,
    producer_and_channel, release, say, send_offer, taken,
};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use wirecontract::hello::{Hello, Verdict};
use wirecontract::{Code, Enumeration as _, WireJson as _};
use wirecontract_gpu::buffer::{
    BufferKind, ConsumerMessage, EndReason, LeaseEnd, MemoryAfter, OfferRefusal, Ping, ProducerMessage,
    SharedBuffer,
};
use wirecontract_runtime::handoff::{self, Channel, Framing};
use wirecontract_runtime::host::HostOptions;
use wirecontract_runtime::lease::rules::{Fault, Phase, Word};
use wirecontract_runtime::lease::{Consumer, Error, Lend, Outcome, Producer};

fn fault(error: &Error) -> &Fault {
    let because = match error {
        Error::Lost(lost) => &*lost.because,
        other => other,
    };
    let Error::Fault(fault) = because else { panic!("{error}") };
    fault
}

/// What a producer with one lease, which is held, makes of words.
fn producer_hears(words: &[ConsumerMessage]) -> Error {
    let (producer, channel) = producer_and_channel();
    let lease = producer.offer_without_waiting(&lend(10)).expect("it lasts");
    let (word, fds) = hear::<ProducerMessage>(&channel);
    assert!(matches!(word, ProducerMessage::Offer(_)) && fds.len() == 1);
    say(&channel, &taken(lease.id()), &[]);
    words.iter().for_each(|word| say(&channel, word, &[]));
    let lost = producer.wait_closed(LONG).expect("it ends");
    let end = match lease.outcome().expect("it is over") {
        Outcome::Ended(end) => end,
        Outcome::Refused(refusal) => panic!("{refusal:?}"),
    };
    if end.reason != EndReason::Released {
        assert_eq!((end.reason, lost.reason), (EndReason::Revoked, EndReason::Revoked));
    }
    assert!(producer.outstanding().is_empty());
    assert!(channel.wait_closed(LONG).expect("it can be asked"), "the channel is closed");
    Error::Lost(lost)
}

#[test]
fn a_producer_names_what_a_consumer_may_not_say() {
    let refusal = OfferRefusal { lease_id: 1, code: 26, message: String::new() };
    let cases = [
        (vec![taken(9)], Fault::Unknown { word: Word::Taken, lease: 9, was: false }, Code::BadHandle),
        (vec![release(9)], Fault::Unknown { word: Word::Release, lease: 9, was: false }, Code::BadHandle),
        (
            vec![release(1), release(1)],
            Fault::Unknown { word: Word::Release, lease: 1, was: true },
            Code::BadHandle,
        ),
        (
            vec![taken(1)],
            Fault::OutOfOrder { word: Word::Taken, lease: 1, phase: Phase::Held },
            Code::RuleViolated,
        ),
        (
            vec![ConsumerMessage::Refused(refusal)],
            Fault::OutOfOrder { word: Word::Refused, lease: 1, phase: Phase::Held },
            Code::RuleViolated,
        ),
        (
            vec![ConsumerMessage::Pong(Ping { sequence: 0 })],
            Fault::Pong { expected: None, found: 0 },
            Code::RuleViolated,
        ),
    ];
    for (words, expected, code) in cases {
        balanced(|| {
            let error = producer_hears(&words);
            assert_eq!((fault(&error), error.code()), (&expected, code), "{words:?}");
        });
    }
}

/// What a consumer that holds lease 1 makes of words.
fn consumer_hears(words: impl FnOnce(&Channel)) -> Error {
    let (consumer, channel) = consumer_and_channel();
    send_offer(&channel, 1, &lend(10));
    let held = consumer.next(LONG).expect("it is offered");
    assert_eq!(hear::<ConsumerMessage>(&channel).0, taken(1));
    words(&channel);
    let lost = consumer.wait_closed(LONG).expect("it ends");
    let end = held.is_over().expect("it is over");
    assert_eq!((end.reason, end.memory), (EndReason::PeerClosed, MemoryAfter::Stays));
    assert!(channel.wait_closed(LONG).expect("it can be asked"), "the channel is closed");
    Error::Lost(lost)
}

#[test]
fn a_consumer_names_what_a_producer_may_not_say() {
    let end =
        |lease_id, reason| ProducerMessage::Ended(LeaseEnd { lease_id, reason, memory: MemoryAfter::Gone });
    let revoke = |lease| ProducerMessage::Revoke(name(lease));
    let cases = [
        (vec![revoke(2)], Fault::Unknown { word: Word::Revoke, lease: 2, was: false }),
        (vec![revoke(1), revoke(1)], Fault::OutOfOrder { word: Word::Revoke, lease: 1, phase: Phase::Held }),
        (vec![end(2, EndReason::Revoked)], Fault::Unknown { word: Word::Ended, lease: 2, was: false }),
        (
            vec![end(1, EndReason::Released)],
            Fault::OutOfOrder { word: Word::Ended, lease: 1, phase: Phase::Held },
        ),
        (vec![end(1, EndReason::PeerDied)], Fault::Reason { lease: 1, reason: "peer_died" }),
        (vec![ProducerMessage::Pong(Ping { sequence: 5 })], Fault::Pong { expected: None, found: 5 }),
    ];
    for (words, expected) in cases {
        balanced(|| {
            let error = consumer_hears(|channel| words.iter().for_each(|word| say(channel, word, &[])));
            assert_eq!(fault(&error), &expected);
        });
    }
    balanced(|| {
        let error = consumer_hears(|channel| send_offer(channel, 1, &lend(10)));
        assert_eq!((fault(&error), error.code()), (&Fault::IdInUse { lease: 1 }, Code::Busy));
    });
}

#[test]
fn file_descriptors_come_with_offers_alone() {
    balanced(|| {
        let file = lend(1);
        let error = consumer_hears(|channel| {
            say(channel, &ProducerMessage::Revoke(name(1)), &[file.fds()[0].as_fd()]);
        });
        assert_eq!(error.code(), Code::RuleViolated, "{error}");
        assert!(error.to_string().contains("no_fds"), "{error}");
        drop(file);
    });
    balanced(|| {
        let (producer, channel) = producer_and_channel();
        let lease = producer.offer_without_waiting(&lend(10)).expect("it lasts");
        let file = lend(1);
        say(&channel, &taken(1), &[file.fds()[0].as_fd()]);
        let error = lease.wait_taken(LONG).expect_err("it has a file descriptor");
        assert_eq!(error.code(), Code::FdCount, "{error}");
    });
}

#[test]
fn what_is_no_message_ends_the_channel() {
    let long = format!("{{\"op\":\"ping\",\"sequence\":\"1\"{}}}", " ".repeat(1 << 16));
    for (body, code) in [
        ("", Code::NotJson),
        ("{", Code::NotJson),
        ("{\"op\":\"lend\"}", Code::UnknownTag),
        ("{\"op\":\"taken\",\"lease_id\":\"1\"}", Code::UnknownTag),
        ("{\"op\":\"revoke\"}", Code::MissingKey),
        ("{\"op\":\"revoke\",\"lease_id\":1}", Code::WrongType),
        (&long, Code::TooLarge),
    ] {
        balanced(|| {
            let error = consumer_hears(|channel| channel.send(body.as_bytes(), &[]).expect("it is sent"));
            assert_eq!(error.code(), code, "{body:.60} {error}");
        });
    }
}

/// What a consumer answers to an offer that it cannot use; the channel goes on.
fn refused(buffer: &SharedBuffer, count: u32, fds: &[OwnedFd]) -> Code {
    let (consumer, channel) = consumer_and_channel();
    let borrowed: Vec<_> = fds.iter().map(OwnedFd::as_fd).collect();
    say(&channel, &offer(1, buffer, count), &borrowed);
    let error = consumer.next(LONG).expect_err("it cannot be used");
    let Error::Unusable { lease: 1, because } = &error else { panic!("{error}") };
    let (ConsumerMessage::Refused(refusal), _) = hear(&channel) else { panic!("{error}") };
    assert_eq!((refusal.lease_id, refusal.code), (1, because.code().value()));
    assert_eq!(refusal.message, because.to_string());
    let (ConsumerMessage::Ping(ping), _) = hear(&channel) else { panic!("{error}") };
    say(&channel, &ProducerMessage::Pong(ping), &[]);
    // Its number is free, and the next buffer comes.
    send_offer(&channel, 1, &lend(10));
    assert_eq!(consumer.next(LONG).expect("it can be used").lease(), 1);
    error.code()
}

#[test]
fn an_offer_that_cannot_be_used_is_refused_and_the_next_one_is_taken() {
    let good = lend(5000);
    let buffer = good.buffer().clone();
    let file = || good.fds()[0].try_clone().expect("a descriptor");
    let short = || {
        let fd = memfd_create("short", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).expect("memory");
        ftruncate(&fd, 100).expect("it has a size");
        rustix::fs::fcntl_add_seals(&fd, rustix::fs::SealFlags::SHRINK).expect("it is sealed");
        fd
    };
    let unsealed =
        || memfd_create("unsealed", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).expect("memory");
    let open = |path| OwnedFd::from(File::open(path).expect("it is there"));
    let socket = || Channel::pair(&handoff::Options::default()).expect("a pair").0.into_fd().expect("new");
    let with = |change: fn(&mut SharedBuffer)| {
        let mut changed = buffer.clone();
        change(&mut changed);
        changed
    };
    balanced(|| {
        let cases = [
            (buffer.clone(), 1, vec![], Code::FdCount),
            (buffer.clone(), 1, vec![file(), file()], Code::FdCount),
            (buffer.clone(), 0, vec![], Code::FdCount),
            (buffer.clone(), 2, vec![file(), file()], Code::FdCount),
            (buffer.clone(), 1, vec![std::io::pipe().expect("a pipe").0.into()], Code::FdKind),
            (buffer.clone(), 1, vec![open("/")], Code::FdKind),
            (buffer.clone(), 1, vec![open("/dev/null")], Code::FdKind),
            (buffer.clone(), 1, vec![socket()], Code::FdKind),
            (buffer.clone(), 1, vec![short()], Code::TooShort),
            (buffer.clone(), 1, vec![unsealed()], Code::Refused),
            (with(|buffer| buffer.flags = wirecontract::Flags::empty()), 1, vec![file()], Code::Refused),
            (with(|buffer| buffer.size = 0), 1, vec![file()], Code::RuleViolated),
            (with(|buffer| buffer.offset = u64::MAX), 1, vec![file()], Code::RuleViolated),
            (with(|buffer| buffer.allocation_size = 1), 1, vec![file()], Code::RuleViolated),
            (with(|buffer| buffer.allocation_size = 1 << 40), 1, vec![file()], Code::TooShort),
        ];
        for (buffer, count, fds, code) in cases {
            assert_eq!(refused(&buffer, count, &fds), code, "{buffer:?}");
        }
    });
}

#[test]
fn a_consumer_bounds_what_it_is_lent() {
    balanced(|| {
        let (ours, channel) = channels(Framing::default());
        let options = patient().hello(false).most_leases(3);
        let consumer = Consumer::new(ours, &options).expect("a consumer");
        for lease in 1..=4 {
            send_offer(&channel, lease, &lend(10));
        }
        let lost = consumer.wait_closed(LONG).expect("it ends");
        let error = Error::Lost(lost);
        assert_eq!(fault(&error), &Fault::TooManyLeases { most: 3 });
        assert!(consumer.next(LONG).is_err());
    });
}

#[test]
fn a_side_that_asks_and_reads_nothing_is_refused() {
    balanced(|| {
        let (producer, channel) = producer_and_channel();
        let ping = ConsumerMessage::Ping(Ping { sequence: 1 }).to_json().expect("it can be written");
        // Its answers fill the socket, and then the bound.
        let lost = loop {
            if let Err(error) = channel.try_send(ping.as_bytes(), &[]) {
                assert_eq!(error.code(), Code::PeerClosed);
            }
            if let Some(lost) = producer.lost() {
                break lost;
            }
        };
        assert_eq!(fault(&Error::Lost(lost)), &Fault::TooManyPings { most: 64 });
    });
}

#[test]
fn two_sides_that_speak_different_versions_say_so() {
    let mut other = hello();
    other.speaks[0].versions[0].wire_id = [7; 8];
    let nothing = Hello::new();
    for (theirs, verdict) in [(other, Verdict::TwoIds), (nothing, Verdict::UnknownToPeer)] {
        balanced(|| {
            let (ours, channel) = channels(Framing::default());
            let producer = Producer::new(ours, &patient()).expect("a producer");
            say(&channel, &theirs, &[]);
            let error = producer.offer(&lend(10)).expect_err("they differ");
            assert_eq!(error.code(), Code::IdMismatch, "{error}");
            let Error::Lost(lost) = &error else { panic!("{error}") };
            let Error::Hello(refusal) = &*lost.because else { panic!("{error}") };
            assert_eq!(refusal.verdict(), Some(verdict));
            // It had said what it speaks, and offered nothing.
            assert_eq!(hear::<Hello>(&channel).0, hello());
            assert!(channel.recv(&handoff::Expected::bytes(9)).expect_err("nothing").is_end());
        });
    }
    balanced(|| {
        let (ours, channel) = channels(Framing::default());
        let consumer = Consumer::new(ours, &patient()).expect("a consumer");
        send_offer(&channel, 1, &lend(10));
        let error = consumer.next(LONG).expect_err("no hello");
        assert_eq!(error.code(), Code::FdCount, "{error}");
    });
}

#[test]
fn a_side_that_says_nothing_is_not_waited_for_longer_than_the_limit() {
    balanced(|| {
        let (ours, channel) = channels(Framing::default());
        let options = patient().hello_timeout(Duration::from_millis(10));
        let producer = Producer::new(ours, &options).expect("a producer");
        let lost = producer.wait_closed(LONG).expect("it ends");
        assert_eq!((lost.reason, lost.because.code()), (EndReason::TimedOut, Code::Timeout));
        assert!(channel.wait_closed(LONG).expect("it can be asked"));
    });
    // Half a message, and then nothing.
    balanced(|| {
        let options = handoff::Options::default().message_timeout(Duration::from_millis(10));
        let (ours, theirs) = Channel::pair(&options).expect("a pair");
        let consumer = Consumer::new(ours, &patient().hello(false)).expect("a consumer");
        let socket = theirs.into_fd().expect("it is new");
        rustix::io::write(&socket, &[0, 0, 0, 99, b'{']).expect("it is sent");
        let error = consumer.next(LONG).expect_err("it is half");
        assert_eq!(error.code(), Code::Timeout, "{error}");
        drop(socket);
    });
}

#[test]
fn what_was_on_its_way_when_a_lease_ended_is_passed_over() {
    balanced(|| {
        let (producer, channel) = producer_and_channel();
        let lease = producer.offer_without_waiting(&lend(10)).expect("it lasts");
        lease.end(EndReason::Revoked).expect("it lasts");
        say(&channel, &taken(1), &[]);
        say(&channel, &release(1), &[]);
        let words: Vec<_> = (0..3).map(|_| hear::<ProducerMessage>(&channel).0).collect();
        assert!(matches!(words[1], ProducerMessage::Ended(end) if end.reason == EndReason::Revoked));
        let ProducerMessage::Ping(ping) = words[2] else { panic!("{words:?}") };
        producer.poll().expect("they crossed");
        say(&channel, &ConsumerMessage::Pong(ping), &[]);
        producer.poll().expect("it was asked");
        say(&channel, &release(1), &[]);
        let error = Error::Lost(producer.wait_closed(LONG).expect("it ends"));
        assert_eq!(fault(&error), &Fault::Unknown { word: Word::Release, lease: 1, was: true });
    });
}

#[test]
fn what_no_importer_may_use_is_not_offered() {
    let (producer, _channel) = producer_and_channel();
    let mut wrong = Lend::host(&filled(&HostOptions::new(10), 0)).expect("a descriptor");
    wrong.buffer_mut().offset = u64::MAX;
    let error = producer.offer(&wrong).expect_err("it is outside");
    assert!(matches!(&error, Error::Offer(_)) && error.code() == Code::RuleViolated, "{error}");
    let legacy = SharedBuffer {
        kind: BufferKind::CudaLegacy,
        device_uuid_len: 16,
        handle_len: 64,
        ..lend(10).buffer().clone()
    };
    *wrong.buffer_mut() = legacy;
    let error = producer.offer_without_waiting(&wrong).expect_err("its kind has no file descriptor");
    assert!(matches!(error, Error::FdCount { expected: 0, found: 1 }), "{error}");
    assert!(producer.outstanding().is_empty());
}

#[test]
fn all_that_a_side_said_before_it_closed_is_heard_where_it_left_half_a_message_unread() {
    const LEASES: u64 = 100;
    balanced(|| {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).expect("a pair");
        let options = handoff::Options::default().message_timeout(LONG);
        let ours = Channel::from_fd(ours, &options.clone().send_buffer(1)).expect("a socket");
        let theirs = Channel::from_fd(theirs, &options).expect("a socket");
        let producer = Producer::new(ours, &patient().hello(false)).expect("a producer");
        let buffer = lend(10);
        let offer = |_| producer.offer_without_waiting(&buffer).expect("it is queued");
        let leases: Vec<_> = (0..LEASES).map(offer).collect();
        for lease in 1..=LEASES {
            say(&theirs, &taken(lease), &[]);
            say(&theirs, &release(lease), &[]);
        }
        drop(theirs);
        let lost = producer.wait_closed(LONG).expect("it is closed");
        assert_eq!((lost.reason, lost.because.code()), (EndReason::PeerClosed, Code::PeerClosed), "{lost}");
        for lease in leases {
            let Some(Outcome::Ended(end)) = lease.outcome() else { panic!("{:?}", lease.outcome()) };
            assert_eq!(end.reason, EndReason::Released, "lease {}", lease.id());
        }
    });
}

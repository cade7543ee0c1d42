//! The same by tasks of a runtime.
#![cfg(feature = "tokio")]

mod handoff_support;

use std::sync::Arc;
use std::time::Duration;

use handoff_support::{
    FRAMINGS, JOINED, LONG, STREAM, alone, assert_same_files, balanced, borrowed, bytes, channel_and_socket,
    files, framed, patient, raw_send,
};
use tokio::time::timeout;
use wirecontract::Code;
use wirecontract_runtime::handoff::{
    Address, AsyncChannel, AsyncListener, Channel, Doing, Error, Expected, Framing, Options,
};

const EXPECTED: Expected = Expected::bytes(100).fds(0..=2);

/// Runs in a runtime that is gone when nothing is to be open any more.
fn run<F: Future<Output = ()>>(test: impl FnOnce() -> F) {
    balanced(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(test());
    });
}

fn pair(options: &Options) -> (AsyncChannel, AsyncChannel) {
    let (one, other) = Channel::pair(options).expect("a pair");
    (AsyncChannel::new(one).expect("a runtime"), AsyncChannel::new(other).expect("a runtime"))
}

#[test]
fn messages_cross_whole() {
    let _alone = alone();
    for framing in FRAMINGS {
        run(|| async move {
            // A stream goes through the smallest buffer there is.
            let options = match framing {
                Framing::SeqPacket => patient(framing),
                _ => patient(framing).send_buffer(1),
            };
            let (one, other) = pair(&options);
            for size in [1, 5, 100_000] {
                let (body, sent) = (bytes(size), files(2));
                let sends = async { one.send(&body, &borrowed(&sent)).await.expect("it is sent") };
                let expected = Expected::bytes(size).fds(2..=2);
                let (message, ()) = tokio::join!(other.recv(&expected), sends);
                let message = message.expect("it comes");
                assert!(message.body == body, "another body, {framing:?}");
                assert_same_files(&message.fds, &sent);

                let mut buffer = vec![0; size];
                let sends = async { one.send(&body, &borrowed(&sent)).await.expect("it is sent") };
                let (came, ()) = tokio::join!(other.recv_into(&mut buffer, &expected), sends);
                let came = came.expect("it comes");
                assert!(buffer == body && came.bytes == size, "another body, {framing:?}");
                assert_same_files(&came.fds, &sent);
            }
        });
    }
}

#[test]
fn sixty_four_peers_are_served_at_once() {
    let _alone = alone();
    for framing in [STREAM, JOINED, Framing::SeqPacket] {
        run(|| async move {
            let at = Address::abstract_name(format!("wirecontract-tokio-{}", std::process::id()));
            // A short queue, so that connecting has to be tried again.
            let listener = AsyncListener::bind(&at, &patient(framing).backlog(2)).expect("nobody is there");
            let service = tokio::spawn(async move {
                let mut tasks = Vec::new();
                for _ in 0..64 {
                    let channel = listener.accept().await.expect("a peer");
                    tasks.push(tokio::spawn(async move {
                        loop {
                            match channel.recv(&EXPECTED).await {
                                Ok(message) => {
                                    channel.send(&message.body, &borrowed(&message.fds)).await.expect("sent");
                                }
                                Err(error) if error.is_end() => break,
                                Err(error) => panic!("{error:?}"),
                            }
                        }
                    }));
                }
                for task in tasks {
                    task.await.expect("it ended");
                }
            });
            let clients: Vec<_> = (0..64u8)
                .map(|number| {
                    let at = at.clone();
                    tokio::spawn(async move {
                        let channel = AsyncChannel::connect(at, &patient(framing)).await.expect("it listens");
                        assert_eq!(channel.peer().pid, Some(std::process::id()));
                        for round in 0..20 {
                            let sent = files(2);
                            channel.send(&[number, round], &borrowed(&sent)).await.expect("it is sent");
                            let message = channel.recv(&EXPECTED).await.expect("it comes");
                            assert_eq!(message.body, [number, round]);
                            assert_same_files(&message.fds, &sent);
                        }
                    })
                })
                .collect();
            for client in clients {
                client.await.expect("it ended");
            }
            service.await.expect("it ended");
        });
    }
}

#[test]
fn a_receiving_that_is_dropped_loses_nothing() {
    let _alone = alone();
    let message = framed(b"a body");
    for cut in 1..message.len() {
        run(|| async {
            let sent = files(2);
            let (channel, socket) = channel_and_socket(&patient(STREAM), STREAM);
            let channel = AsyncChannel::new(channel).expect("a runtime");
            let fds = if cut <= 4 { (0, 2) } else { (2, 0) };
            raw_send(&socket, &message[..cut], &borrowed(&sent[..fds.0])).expect("it is sent");
            timeout(Duration::from_millis(1), channel.recv(&EXPECTED)).await.expect_err("it is not whole");
            raw_send(&socket, &message[cut..], &borrowed(&sent[..fds.1])).expect("it is sent");
            let came = channel.recv(&EXPECTED).await.expect("it is whole");
            assert_eq!(came.body, b"a body", "cut at byte {cut}");
            assert_same_files(&came.fds, &sent);
        });
    }
}

#[test]
fn a_sending_that_is_dropped_sends_all_or_nothing() {
    let _alone = alone();
    run(|| async {
        let (one, other) = pair(&patient(JOINED).send_buffer(1));
        let body = bytes(100_000);
        timeout(Duration::from_millis(1), one.send(&body, &[])).await.expect_err("nobody receives");
        // The rest goes before the next message.
        let sends = async { one.send(b"next", &[]).await.expect("it is sent") };
        let receives = async {
            assert!(other.recv(&Expected::bytes(100_000)).await.expect("it comes").body == body);
            assert_eq!(other.recv(&Expected::bytes(4)).await.expect("it comes").body, b"next");
        };
        tokio::join!(sends, receives);
    });
}

#[test]
fn peers_that_are_slow_or_silent_are_waited_for_no_longer_than_the_limit() {
    let _alone = alone();
    run(|| async {
        // Longer than a busy machine keeps a task from running.
        let short = Duration::from_millis(400);
        let (channel, socket) = channel_and_socket(&patient(STREAM).idle_timeout(short), STREAM);
        let channel = AsyncChannel::new(channel).expect("a runtime");
        let error = channel.recv(&EXPECTED).await.expect_err("silence");
        assert!(matches!(error, Error::Timeout { doing: Doing::Waiting, crossed: 0, .. }), "{error:?}");
        raw_send(&socket, &framed(b"body"), &[]).expect("it is sent");
        assert_eq!(channel.recv(&EXPECTED).await.expect("it comes").body, b"body");

        let (channel, socket) = channel_and_socket(&patient(STREAM).message_timeout(short), STREAM);
        let channel = AsyncChannel::new(channel).expect("a runtime");
        raw_send(&socket, &framed(b"body")[..6], &borrowed(&files(1))).expect("it is sent");
        let error = channel.recv(&EXPECTED).await.expect_err("half a message");
        assert!(matches!(error, Error::Timeout { doing: Doing::Receiving, crossed: 6, .. }), "{error:?}");
        assert!(matches!(channel.recv(&EXPECTED).await, Err(Error::OutOfStep { .. })));
        assert_eq!((channel.can_receive(), channel.can_send()), (false, true));

        let (one, other) = pair(&patient(STREAM).message_timeout(short).send_buffer(1));
        let error = one.send(&bytes(100_000), &[]).await.expect_err("nobody receives");
        assert!(matches!(error, Error::Timeout { doing: Doing::Sending, crossed: 1.., .. }), "{error:?}");
        let error = one.send(b"next", &[]).await.expect_err("it is out of step");
        assert!(matches!(error, Error::OutOfStep { because: Code::Timeout, .. }), "{error:?}");
        drop(other);

        let (one, _other) = pair(&patient(STREAM).message_timeout(short).send_buffer(1));
        timeout(Duration::from_millis(1), one.send(&bytes(100_000), &[])).await.expect_err("nobody receives");
        let error = one.send(b"next", &[]).await.expect_err("what goes before does not go");
        assert!(matches!(error, Error::Timeout { doing: Doing::Sending, crossed: 1.., .. }), "{error:?}");
        assert!(matches!(one.send(b"next", &[]).await, Err(Error::OutOfStep { .. })));

        let options = patient(Framing::SeqPacket).message_timeout(short).send_buffer(1);
        let (one, _other) = pair(&options);
        let error = loop {
            if let Err(error) = one.send(&bytes(1000), &[]).await {
                break error;
            }
        };
        assert!(matches!(error, Error::Timeout { doing: Doing::Sending, crossed: 0, .. }), "{error:?}");
    });
}

#[test]
fn the_end_is_seen_whatever_is_there_to_be_received() {
    let _alone = alone();
    run(|| async {
        let (one, other) = pair(&patient(JOINED));
        let one = Arc::new(one);
        let watches = tokio::spawn({
            let one = Arc::clone(&one);
            async move { one.closed().await }
        });
        for _ in 0..10 {
            other.send(b"not received", &[]).await.expect("it is sent");
            tokio::task::yield_now().await;
        }
        assert!(!watches.is_finished());
        other.finish().await.expect("it is open");
        timeout(LONG, watches).await.expect("it is seen").expect("it ended").expect("it can be watched");
        for _ in 0..10 {
            assert_eq!(one.recv(&EXPECTED).await.expect("it comes").body, b"not received");
        }
        assert!(one.recv(&EXPECTED).await.expect_err("it is the end").is_end());
        assert!(!one.peer_process().expect("Linux 6.5").has_ended().expect("it can be asked"));
    });
}

#[test]
fn a_listener_that_nobody_accepts_at_is_waited_for_no_longer_than_the_limit() {
    let _alone = alone();
    run(|| async {
        let at = Address::abstract_name(format!("wirecontract-tokio-full-{}", std::process::id()));
        let listener = AsyncListener::bind(&at, &patient(STREAM).backlog(0)).expect("nobody is there");
        let short = patient(STREAM).message_timeout(Duration::from_millis(10));
        let mut waiting = Vec::new();
        let error = loop {
            match AsyncChannel::connect(&at, &short).await {
                Ok(channel) => waiting.push(channel.into_inner()),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, Error::Timeout { doing: Doing::Connecting, .. }), "{error:?}");
        assert!(listener.into_inner().try_accept().expect("it listens").is_some());
    });
}

/// What a side says that it speaks.
#[derive(wirecontract::WireContract, Clone, Debug)]
#[wire(recipe, version = 3)]
struct Word {
    /// Anything.
    number: u32,
}

#[test]
fn tasks_agree_before_a_message_or_refuse() {
    let _alone = alone();
    for framing in FRAMINGS {
        run(|| async move {
            let (one, other) = pair(&patient(framing).speaks::<Word>());
            let sends = async { one.send(b"body", &borrowed(&files(1))).await.expect("it is sent") };
            let receives = async {
                assert_eq!(other.agreed::<Word>().await.expect("both speak it").version, 3);
                other.recv(&EXPECTED).await.expect("it comes").body
            };
            let (body, ()) = tokio::join!(receives, sends);
            assert_eq!(body, b"body");
        });
    }
    run(|| async {
        let (one, other) = channel_and_socket(&patient(STREAM).speaks::<Word>(), STREAM);
        let one = AsyncChannel::new(one).expect("a runtime");
        let theirs = wirecontract::hello::Hello::new();
        raw_send(&other, &framed(wirecontract::WireJson::to_json(&theirs).expect("a hello").as_bytes()), &[])
            .expect("it is sent");
        let error = one.recv(&EXPECTED).await.expect_err("it speaks nothing");
        assert_eq!(error.code(), Code::IdMismatch, "{error}");
        let again = one.send(b"x", &[]).await.expect_err("it speaks nothing");
        assert_eq!(again.to_string(), error.to_string());
    });
}

#[test]
fn a_task_waits_for_a_hello_no_longer_than_the_limit() {
    let _alone = alone();
    run(|| async {
        let options = patient(STREAM).speaks::<Word>().hello_timeout(Duration::from_millis(20));
        let (one, _silent) = channel_and_socket(&options, STREAM);
        let one = AsyncChannel::new(one).expect("a runtime");
        let error = one.recv(&EXPECTED).await.expect_err("nothing comes");
        assert!(matches!(error, Error::Timeout { doing: Doing::Hello, .. }), "{error}");
        let error = one.agreed::<Word>().await.expect_err("nothing comes");
        assert!(matches!(error, Error::Timeout { doing: Doing::Hello, .. }), "{error}");
    });
}

#[test]
fn a_task_that_finishes_sends_the_rest_of_a_message_first() {
    let _alone = alone();
    run(|| async {
        let (one, other) = pair(&patient(STREAM).send_buffer(1));
        let (body, expected) = (bytes(100_000), Expected::bytes(100_000));
        timeout(Duration::from_millis(1), one.send(&body, &[])).await.expect_err("nobody receives");
        let receives = async {
            assert_eq!(other.recv(&expected).await.expect("it comes").body, body);
            assert!(other.recv(&expected).await.expect_err("it is the end").is_end());
        };
        let (finished, ()) = tokio::join!(one.finish(), receives);
        finished.expect("it is open");
        assert_eq!(one.send(b"more", &[]).await.expect_err("it has finished").code(), Code::PeerClosed);
    });
}

//! Leases by tasks of a runtime, also against sides that threads wait for.
#![cfg(all(feature = "tokio", feature = "lease"))]

mod lease_support;

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use lease_support::{
    LONG, balanced, channels, consumer_and_channel, filled, hear, hello, lend, open_fds, pair, patient,
    pattern, producer_and_channel, release, say, send_offer, taken,
};
use tokio::time::timeout;
use wirecontract::Code;
use wirecontract_gpu::buffer::{ConsumerMessage, EndReason, MemoryAfter, ProducerMessage};
use wirecontract_runtime::handoff::Framing;
use wirecontract_runtime::host::{HostOptions, Pool};
use wirecontract_runtime::lease::{
    AsyncConsumer, AsyncLease, AsyncProducer, Consumer, Error, Event, Lend, Options, Producer, State,
};

/// Runs in a runtime that is gone when nothing is to be open any more.
fn run<F: Future<Output = ()>>(test: impl FnOnce() -> F) {
    balanced(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.expect("a runtime");
        runtime.block_on(async { timeout(LONG, test()).await.expect("it ends") });
    });
}

fn tasks() -> (AsyncProducer, AsyncConsumer) {
    let (producer, consumer) = pair();
    (watched(producer), AsyncConsumer::new(consumer).expect("a runtime"))
}

fn watched(producer: Producer) -> AsyncProducer {
    AsyncProducer::new(producer).expect("a runtime")
}

/// Polls a future once, which is not done, and drops it.
fn begun<T>(future: impl Future<Output = T>) {
    let mut future = std::pin::pin!(future);
    let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Pending), "it was not to be done");
}

#[test]
fn a_buffer_is_lent_taken_and_given_back() {
    run(|| async {
        let (producer, consumer) = tasks();
        for seed in 0..20 {
            let buffer = filled(&HostOptions::new(5000), seed);
            let lend = Lend::host(&buffer).expect("a descriptor");
            let (lease, held) = tokio::join!(producer.offer(&lend), consumer.next());
            let (lease, held) = (lease.expect("it is taken"), held.expect("it comes"));
            assert_eq!(lease.lease().state(), State::Held);
            let mut found = vec![0; 5000];
            held.host().expect("host memory").copy_to(&mut found).expect("it has its size");
            assert!(found == pattern(5000, seed), "another buffer");
            drop(held);
            let end = lease.wait_released().await.expect("it was taken");
            assert_eq!(end.reason, EndReason::Released);
        }
        let (one, other) = tokio::join!(producer.ping(), consumer.ping());
        one.and(other).expect("both are there");
        drop(consumer);
        assert_eq!(producer.closed().await.expect("it is watched").reason, EndReason::PeerClosed);
    });
}

#[test]
fn a_buffer_is_asked_back_or_taken_back() {
    run(|| async {
        let (producer, consumer) = tasks();
        let lend = lend(64);
        let (lease, held) = tokio::join!(producer.offer(&lend), consumer.next());
        let (lease, held) = (lease.expect("it is taken"), held.expect("it comes"));
        let gives_back = async {
            let event = consumer.next_event().await.expect("it is asked back");
            assert!(matches!(event, Event::Revoked { lease } if lease == held.lease()), "{event:?}");
            drop(held);
        };
        let (end, ()) = tokio::join!(lease.revoke(), gives_back);
        assert_eq!(end.expect("it is given back").reason, EndReason::Released);

        let (lease, held) = tokio::join!(producer.offer(&lend), consumer.next());
        let (lease, held) = (lease.expect("it is taken"), held.expect("it comes"));
        lease.lease().end(EndReason::TimedOut).expect("it lasts");
        let event = consumer.next_event().await.expect("it ended");
        let Event::Ended { end, .. } = event else { panic!("{event:?}") };
        assert_eq!((end.reason, end.memory), (EndReason::TimedOut, MemoryAfter::Stays));
        drop(held);
    });
}

#[test]
fn threads_and_tasks_lend_to_each_other() {
    run(|| async {
        let (ours, theirs) = channels(Framing::default());
        let thread = std::thread::spawn(move || {
            let consumer = Consumer::new(theirs, &patient()).expect("a consumer");
            for _ in 0..50 {
                drop(consumer.next(LONG).expect("it comes"));
            }
            consumer.wait_closed(LONG).expect("it closes").reason
        });
        let producer = watched(Producer::new(ours, &patient()).expect("a producer"));
        for _ in 0..50 {
            let lease = producer.offer(&lend(64)).await.expect("it is taken");
            lease.wait_released().await.expect("it is given back");
        }
        producer.producer().close();
        assert_eq!(thread.join().expect("it ended"), EndReason::PeerClosed);

        let (ours, theirs) = channels(Framing::default());
        let thread = std::thread::spawn(move || {
            let producer = Producer::new(ours, &patient()).expect("a producer");
            for _ in 0..50 {
                producer.offer(&lend(64)).expect("it is taken").wait_released(LONG).expect("given back");
            }
        });
        let consumer = AsyncConsumer::new(Consumer::new(theirs, &patient()).expect("a consumer"));
        let consumer = consumer.expect("a runtime");
        for _ in 0..50 {
            drop(consumer.next().await.expect("it comes"));
        }
        consumer.closed().await.expect("it is watched");
        thread.join().expect("it ended");
    });
}

#[test]
fn many_tasks_share_a_side_and_each_has_what_is_its_own() {
    run(|| async {
        let (producer, consumer) = tasks();
        let takes: Vec<_> = (0..4)
            .map(|_| {
                let consumer = consumer.clone();
                tokio::spawn(async move {
                    let mut taken = 0;
                    loop {
                        match consumer.next().await {
                            Ok(held) => drop(held),
                            Err(error) if error.is_end() => return taken,
                            Err(error) => panic!("{error}"),
                        }
                        taken += 1;
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        let offers: Vec<_> = (0..16)
            .map(|_| {
                let producer = producer.clone();
                tokio::spawn(async move {
                    for _ in 0..10 {
                        let lease = producer.offer(&lend(64)).await.expect("it is taken");
                        assert_eq!(
                            lease.wait_released().await.expect("given back").reason,
                            EndReason::Released
                        );
                    }
                })
            })
            .collect();
        for task in offers {
            task.await.expect("it ended");
        }
        // The answer comes behind all that was given back.
        producer.ping().await.expect("it is there");
        producer.producer().close();
        let mut all = 0;
        for task in takes {
            all += task.await.expect("it ended");
        }
        assert_eq!(all, 160);
    });
}

#[test]
fn a_future_that_is_dropped_has_taken_no_offer_and_no_event() {
    run(|| async {
        let (producer, consumer) = tasks();
        begun(consumer.next());
        begun(consumer.next_event());
        begun(consumer.ping());
        begun(consumer.closed());
        let lease = producer.offer_without_waiting(&lend(64)).expect("it is offered");
        begun(lease.wait_taken());
        begun(lease.wait_released());
        begun(producer.closed());
        // A side that nobody waits for says nothing.
        let (held, taken) = tokio::join!(consumer.next(), lease.wait_taken());
        let held = held.expect("it stayed");
        taken.expect("it is taken");
        begun(lease.revoke());
        let event = consumer.next_event().await.expect("it stayed");
        assert!(matches!(event, Event::Revoked { .. }), "{event:?}");
        drop(held);
        assert_eq!(lease.wait_released().await.expect("given back").reason, EndReason::Released);
        let (one, other) = tokio::join!(producer.ping(), consumer.ping());
        one.and(other).expect("both are there");
    });
}

#[test]
fn an_offer_whose_future_is_dropped_is_taken_back_and_its_buffer_is_free() {
    run(|| async {
        let (producer, consumer) = tasks();
        let pool = Pool::new(HostOptions::new(64), 1).expect("a pool");
        let frame = pool.try_take().expect("it is free");
        let lend = Lend::pooled(&frame).expect("a descriptor");
        drop(frame);
        begun(producer.offer(&lend));
        drop(lend);
        assert_eq!((pool.counts().in_use, producer.producer().outstanding().len()), (0, 0));
        // It is over before it is taken, and the next one is another.
        let another = self::lend(128);
        let (lease, held) = tokio::join!(producer.offer(&another), consumer.next());
        assert_eq!(held.expect("it comes").buffer().size, 128);
        lease.expect("it is taken").wait_released().await.expect("given back");
    });
}

#[test]
fn no_file_descriptor_comes_of_a_call_that_is_dropped() {
    run(|| async {
        let (producer, consumer) = tasks();
        let lend = lend(64);
        let before = open_fds();
        for _ in 0..100 {
            begun(producer.offer(&lend));
            begun(consumer.next());
        }
        let (one, other) = tokio::join!(producer.ping(), consumer.ping());
        one.and(other).expect("both are there");
        assert_eq!(open_fds(), before);
    });
}

#[test]
fn what_a_slow_peer_does_not_take_is_sent_when_it_does() {
    run(|| async {
        let (ours, theirs) = channels(Framing::default());
        let options = patient().most_leases(2000).hello(false);
        let producer = watched(Producer::new(ours, &options).expect("a producer"));
        let lend = lend(64);
        let leases: Vec<AsyncLease> =
            (0..1500).map(|_| producer.offer_without_waiting(&lend).expect("it is offered")).collect();
        let reads = tokio::task::spawn_blocking(move || {
            for _ in 0..1500 {
                let (word, fds) = hear::<ProducerMessage>(&theirs);
                let ProducerMessage::Offer(offer) = word else { panic!("{word:?}") };
                assert_eq!(fds.len(), 1);
                say(&theirs, &taken(offer.lease_id), &[]);
                say(&theirs, &release(offer.lease_id), &[]);
            }
            theirs
        });
        for lease in &leases {
            lease.wait_released().await.expect("given back");
        }
        drop(reads.await.expect("it read all"));
    });
}

#[test]
fn a_peer_is_waited_for_no_longer_than_its_limits() {
    run(|| async {
        // Longer than a busy machine keeps a task from running.
        let short = Duration::from_millis(300);
        let (ours, _theirs) = channels(Framing::default());
        let options = Options::default().hello_timeout(short);
        let consumer = Consumer::new(ours, &options).expect("a consumer");
        let consumer = AsyncConsumer::new(consumer).expect("a runtime");
        let error = consumer.next().await.expect_err("it says no hello");
        assert_eq!(error.code(), Code::Timeout, "{error}");
        assert_eq!(consumer.closed().await.expect("it is over").reason, EndReason::TimedOut);

        let (ours, theirs) = channels(Framing::default());
        let options = Options::default().answer_timeout(short).hello(false);
        let producer = watched(Producer::new(ours, &options).expect("a producer"));
        let error = producer.offer(&lend(64)).await.expect_err("it says nothing");
        assert!(matches!(error, Error::Timeout { .. }), "{error}");
        assert!(matches!(hear::<ProducerMessage>(&theirs).0, ProducerMessage::Offer(_)));
        let ended = hear::<ProducerMessage>(&theirs).0;
        assert!(
            matches!(&ended, ProducerMessage::Ended(end) if end.reason == EndReason::TimedOut),
            "{ended:?}"
        );
    });
}

#[test]
fn a_peer_that_misbehaves_or_leaves_ends_what_waits() {
    run(|| async {
        let (producer, theirs) = producer_and_channel();
        let producer = watched(producer);
        let lease = producer.offer_without_waiting(&lend(64)).expect("it is offered");
        let waits = tokio::spawn(async move { lease.wait_released().await });
        say(&theirs, &release(77), &[]);
        let end = waits.await.expect("it ended").expect("it was no refusal");
        assert_eq!(end.reason, EndReason::Revoked);
        assert!(producer.ping().await.is_err());

        let (producer, theirs) = producer_and_channel();
        let producer = watched(producer);
        drop(theirs);
        let error = producer.offer(&lend(64)).await.expect_err("nobody is there");
        assert_eq!(error.code(), Code::PeerClosed, "{error}");

        let (consumer, theirs) = consumer_and_channel();
        let consumer = AsyncConsumer::new(consumer).expect("a runtime");
        send_offer(&theirs, 1, &lend(64));
        let held = consumer.next().await.expect("it comes");
        assert!(matches!(hear::<ConsumerMessage>(&theirs).0, ConsumerMessage::Taken(_)));
        let events = tokio::spawn({
            let consumer = consumer.clone();
            async move { consumer.next_event().await }
        });
        drop(theirs);
        let event = events.await.expect("it ended").expect("the lease is over");
        let Event::Ended { end, .. } = event else { panic!("{event:?}") };
        assert_eq!((end.reason, end.memory), (EndReason::PeerClosed, MemoryAfter::Stays));
        assert!(consumer.next().await.expect_err("it is over").is_end());
        drop(held);
    });
}

#[test]
fn hellos_of_strangers_end_a_side_that_a_task_waits_for() {
    run(|| async {
        let (ours, theirs) = channels(Framing::default());
        let consumer = Consumer::new(ours, &patient()).expect("a consumer");
        let consumer = AsyncConsumer::new(consumer).expect("a runtime");
        let waits = tokio::spawn(async move { consumer.next().await });
        say(&theirs, &wirecontract::hello::Hello::new(), &[]);
        let error = waits.await.expect("it ended").expect_err("it speaks nothing");
        assert_eq!(error.code(), Code::IdMismatch, "{error}");

        let (ours, theirs) = channels(Framing::default());
        let producer = watched(Producer::new(ours, &patient()).expect("a producer"));
        let waits = tokio::spawn(async move { producer.ping().await });
        say(&theirs, &hello(), &[]);
        let _hello = theirs.recv(&wirecontract_runtime::handoff::Expected::bytes(1 << 16)).expect("it comes");
        let ProducerMessage::Ping(ping) = hear::<ProducerMessage>(&theirs).0 else { panic!("another word") };
        say(&theirs, &ConsumerMessage::Pong(ping), &[]);
        waits.await.expect("it ended").expect("it was answered");
    });
}

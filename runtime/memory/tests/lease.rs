//! Leases between two sides: what each is told, and when memory may be used anew.
#![cfg(feature = "lease")]

mod lease_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use lease_support::{LONG, balanced, channels, filled, lend, pair, pair_with, patient, pattern};
use wirecontract::Code;
use wirecontract_gpu::buffer::{
    BufferKind, DLDataTypeCode, ElementType, EndReason, MemoryAfter, SharedBuffer,
};
use wirecontract_runtime::handoff::Framing;
use wirecontract_runtime::host::{Access, HostOptions, Pool, PoolCounts};
use wirecontract_runtime::lease::{Consumer, Error, Event, Imported, Lease, Lend, Outcome, Producer, State};

/// Offers without waiting, and takes it on the other side.
fn handoff(
    producer: &Producer,
    consumer: &Consumer,
    lend: &Lend,
) -> (Lease, wirecontract_runtime::lease::Held) {
    let lease = producer.offer_without_waiting(lend).expect("it lasts");
    // The producer's offer waits for the consumer's hello.
    let held = thread::scope(|scope| {
        let waits = scope.spawn(|| lease.wait_taken(LONG));
        let held = consumer.next(LONG).expect("it is offered");
        waits.join().expect("it ends").expect("it is taken");
        held
    });
    (lease, held)
}

#[test]
fn a_buffer_is_lent_read_and_given_back() {
    balanced(|| {
        for framing in [Framing::default(), Framing::SeqPacket] {
            let (ours, theirs) = channels(framing);
            let producer = Producer::new(ours, &patient()).expect("a producer");
            let consumer = Consumer::new(theirs, &patient()).expect("a consumer");
            for (size, offset) in [(1, 0), (4095, 1), (4097, 12_345), (1 << 20, 0)] {
                let buffer = filled(&HostOptions::new(size).offset(offset), size);
                let (lease, held) =
                    handoff(&producer, &consumer, &Lend::host(&buffer).expect("a descriptor"));
                assert_eq!((lease.state(), held.lease()), (State::Held, lease.id()));
                let mut bytes = vec![0; usize::try_from(size).expect("small")];
                held.host().expect("host memory").copy_to(&mut bytes).expect("its size");
                assert_eq!(bytes, pattern(bytes.len(), size));
                assert_eq!((held.buffer().size, held.buffer().offset), (size, offset));
                assert!(lease.try_released().expect("it was not refused").is_none());
                assert!(held.is_over().is_none() && !held.is_revoked());
                drop(held);
                let end = lease.wait_released(LONG).expect("it is released");
                assert_eq!((end.reason, end.memory), (EndReason::Released, MemoryAfter::Gone));
                assert_eq!(lease.state(), State::Over);
            }
            assert!(producer.outstanding().is_empty() && consumer.events().is_empty());
        }
    });
}

#[test]
fn a_consumer_writes_where_it_may() {
    let (producer, consumer) = pair();
    let buffer = filled(&HostOptions::new(100).consumers(Access::ReadWrite), 0);
    let (lease, mut held) = handoff(&producer, &consumer, &Lend::host(&buffer).expect("a descriptor"));
    held.writer().expect("host memory").write_at(10, b"theirs").expect("it may be written");
    drop(held);
    lease.wait_released(LONG).expect("it is released");
    let mut bytes = [0; 6];
    buffer.read_at(10, &mut bytes).expect("inside");
    assert_eq!(&bytes, b"theirs");
    let (_lease, mut held) = handoff(&producer, &consumer, &lend(100));
    let error = held.writer().expect("host memory").write_at(0, b"no").expect_err("it is read only");
    assert_eq!(error.code(), Code::Refused);
}

#[test]
fn a_pooled_buffer_is_used_again_when_every_lease_on_it_is_over() {
    balanced(|| {
        let pool = Pool::new(HostOptions::new(4096), 1).expect("a pool");
        let (one, first) = pair();
        let (other, second) = pair();
        let frame = pool.take(LONG).expect("it is free");
        let lend = Lend::pooled(&frame).expect("a descriptor");
        let leases = [handoff(&one, &first, &lend), handoff(&other, &second, &lend)];
        drop((frame, lend));
        let in_use = PoolCounts { free: 0, in_use: 1, most: 1 };
        assert_eq!(pool.counts(), in_use);
        let [(lease, held), (last, its)] = leases;
        drop(held);
        lease.wait_released(LONG).expect("it is released");
        assert_eq!(pool.counts(), in_use);
        drop(its);
        last.wait_released(LONG).expect("it is released");
        assert_eq!(pool.counts(), PoolCounts { free: 1, in_use: 0, most: 1 });
    });
}

/// What is kept may call the side that keeps it: it is dropped outside of the side's lock.
struct Calls(Producer, Arc<AtomicUsize>);

impl Drop for Calls {
    fn drop(&mut self) {
        self.1.fetch_add(1 + self.0.outstanding().len(), Ordering::SeqCst);
    }
}

#[test]
fn what_a_lease_keeps_may_call_its_producer_when_it_is_dropped() {
    let (producer, consumer) = pair();
    let dropped = Arc::new(AtomicUsize::new(0));
    let kept = lend(10).owner(Calls(producer.clone(), Arc::clone(&dropped))).owner(1);
    let (lease, held) = handoff(&producer, &consumer, &kept);
    drop((kept, held));
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    lease.wait_released(LONG).expect("it is released");
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn a_revoked_buffer_comes_back_when_the_consumer_lets_go() {
    let (producer, consumer) = pair();
    let (lease, held) = handoff(&producer, &consumer, &lend(10));
    let error = lease.revoke(Duration::ZERO).expect_err("it is held");
    assert!(matches!(error, Error::Timeout { .. }) && error.code() == Code::Timeout, "{error}");
    assert_eq!(lease.state(), State::Revoked);
    assert_eq!(producer.outstanding().iter().map(|one| one.state).collect::<Vec<_>>(), [State::Revoked]);
    let event = consumer.next_event(LONG).expect("it is revoked");
    assert!(matches!(event, Event::Revoked { lease: 1 }), "{event:?}");
    assert!(held.is_revoked() && held.is_over().is_none());
    drop(held);
    let end = lease.revoke(LONG).expect("it is released");
    assert_eq!(end.reason, EndReason::Released);
}

#[test]
fn a_lease_that_the_producer_ends_is_over_for_the_consumer_which_says_nothing_more() {
    let (producer, consumer) = pair();
    for (reason, memory) in
        [(EndReason::Revoked, MemoryAfter::Stays), (EndReason::TimedOut, MemoryAfter::Gone)]
    {
        let (lease, held) = handoff(&producer, &consumer, &lend(10));
        let end = lease.end_with(reason, memory).expect("it lasts");
        assert_eq!((end.reason, end.memory), (reason, memory));
        assert_eq!(lease.end(EndReason::Revoked).expect("it is over").reason, reason);
        let event = consumer.next_event(LONG).expect("it is ended");
        let Event::Ended { lease: 1 | 2, end } = event else { panic!("{event:?}") };
        assert_eq!((end.reason, end.memory), (reason, memory));
        assert_eq!(held.is_over().expect("it is over").memory, memory);
        let mut byte = [0];
        held.host().expect("it stays mapped").read_at(0, &mut byte).expect("inside");
        drop(held);
        thread::scope(|scope| {
            let waits = scope.spawn(|| producer.ping(LONG));
            consumer.ping(LONG).expect("it is there");
            while !waits.is_finished() {
                consumer.events();
                thread::yield_now();
            }
            waits.join().expect("it ends").expect("it is there");
        });
    }
    let error = handoff(&producer, &consumer, &lend(10)).0.end(EndReason::PeerDied).expect_err("no reason");
    assert_eq!(error.code(), Code::OutOfRange);
}

#[test]
fn an_offer_that_nobody_answers_is_ended() {
    let (producer, consumer) = pair_with(&patient().answer_timeout(Duration::ZERO));
    let error = producer.offer(&lend(10)).expect_err("nobody answers");
    assert_eq!(error.code(), Code::Timeout);
    assert!(producer.outstanding().is_empty());
    producer.poll().expect("it lasts");
    // The offer was ended before anybody asked for it.
    assert!(consumer.try_next().expect("it lasts").is_none());
    let lease = producer.offer_without_waiting(&lend(10)).expect("it lasts");
    let held = consumer.next(LONG).expect("it is offered");
    assert_eq!(held.lease(), lease.id());
}

#[test]
fn memory_of_another_kind_is_taken_or_refused_by_who_imports_it() {
    balanced(|| {
        let (producer, consumer) = pair();
        let device = SharedBuffer {
            kind: BufferKind::CudaVmm,
            device_uuid_len: 16,
            device_uuid: [7; 16],
            ..lend(100).buffer().clone()
        };
        let none = Lend::shared(device.clone(), Vec::new()).expect_err("it has one");
        assert_eq!(none.code(), Code::FdCount);
        let file = || vec![lend(100).fds()[0].try_clone().expect("a descriptor")];
        let shared = Lend::shared(device.clone(), file()).expect("its rules hold");

        let lease = producer.offer_without_waiting(&shared).expect("it lasts");
        let mut held = consumer.next(LONG).expect("it is offered");
        assert_eq!(held.buffer(), &device);
        assert!(held.host().is_none());
        assert_eq!(lease.state(), State::Offered);
        let fds = held.take_fds();
        assert_eq!((fds.len(), held.take_fds().len()), (1, 0));
        held.take().expect("it lasts");
        assert_eq!(held.take().expect_err("twice").code(), Code::Refused);
        lease.wait_taken(LONG).expect("it is taken");
        drop(held);
        assert_eq!(lease.wait_released(LONG).expect("it is released").reason, EndReason::Released);

        let lease = producer.offer_without_waiting(&shared).expect("it lasts");
        consumer.next(LONG).expect("it is offered").refuse(28, "another device").expect("it lasts");
        let error = lease.wait_taken(LONG).expect_err("it is refused");
        let Error::Refused(refusal) = &error else { panic!("{error}") };
        assert_eq!((refusal.code, refusal.message.as_str()), (28, "another device"));
        assert!(matches!(lease.outcome(), Some(Outcome::Refused(_))));

        let lease = producer.offer_without_waiting(&shared).expect("it lasts");
        let held = consumer.next(LONG).expect("it is offered");
        assert!(matches!(&*held, Imported::Fds(fds) if fds.len() == 1));
        drop(held);
        assert_eq!(lease.wait_released(LONG).expect_err("it was let go").code(), Code::Refused);

        // Of such memory nothing stays when its exporter goes.
        let (lease, held) = {
            let lease = producer.offer_without_waiting(&shared).expect("it lasts");
            (lease, consumer.next(LONG).expect("it is offered"))
        };
        producer.close();
        assert_eq!(held.is_over().expect("it is over").memory, MemoryAfter::Gone);
        assert!(matches!(lease.outcome(), Some(Outcome::Ended(end)) if end.reason == EndReason::Revoked));
    });
}

#[test]
fn a_tensor_is_described_and_held_to_its_buffer() {
    let (producer, consumer) = pair();
    let element = ElementType::new(DLDataTypeCode::UInt, 16);
    let image = lend(24).tensor(element, &[3, 4]).expect("it fits");
    let (_lease, held) = handoff(&producer, &consumer, &image);
    assert_eq!(held.buffer().geometry().expect("a tensor").shape(), [3, 4]);
    for shape in [&[3, 5][..], &[-1], &[i64::MAX, i64::MAX], &[1; 9]] {
        let error = lend(24).tensor(element, shape).expect_err("it does not fit");
        assert!(matches!(error, Error::Offer(_)), "{error}");
    }
}

#[test]
fn each_side_finds_that_the_other_closed() {
    balanced(|| {
        let (producer, consumer) = pair();
        let (lease, held) = handoff(&producer, &consumer, &lend(10));
        drop((held, consumer));
        // It was given back before the end.
        assert_eq!(lease.wait_released(LONG).expect("it is over").reason, EndReason::Released);
        let lost = producer.wait_closed(LONG).expect("it ends");
        assert_eq!((lost.reason, lost.because.code()), (EndReason::PeerClosed, Code::PeerClosed));
        let error = producer.offer(&lend(10)).expect_err("nobody is there");
        assert!(error.is_end() && error.code() == Code::PeerClosed, "{error}");

        let (producer, consumer) = pair();
        let (lease, held) = handoff(&producer, &consumer, &lend(10));
        consumer.close();
        let end = lease.wait_released(LONG).expect("it is over");
        assert_eq!((end.reason, end.memory), (EndReason::PeerClosed, MemoryAfter::Stays));
        assert!(end.because.expect("the channel ended").is_end());
        assert!(held.is_over().is_some());

        let (producer, consumer) = pair();
        let (lease, held) = handoff(&producer, &consumer, &lend(10));
        drop((producer, lease));
        let error = consumer.next(LONG).expect_err("nobody is there");
        assert!(error.is_end(), "{error}");
        let end = held.is_over().expect("it is over");
        assert_eq!((end.reason, end.memory), (EndReason::PeerClosed, MemoryAfter::Stays));
        assert!(matches!(&consumer.events()[..], [Event::Ended { lease: 1, .. }]));
        let mut byte = [0];
        held.host().expect("it stays").read_at(9, &mut byte).expect("inside");
        assert_eq!(byte[0], pattern(10, 0)[9]);
    });
}

#[test]
fn no_more_leases_than_are_let_be() {
    let (producer, consumer) = pair_with(&patient().most_leases(2));
    let (one, held) = handoff(&producer, &consumer, &lend(1));
    let _other = producer.offer_without_waiting(&lend(1)).expect("there is room");
    let error = producer.offer_without_waiting(&lend(1)).expect_err("there is none");
    assert!(matches!(error, Error::TooMany { most: 2 }) && error.code() == Code::TooMany);
    drop(held);
    one.wait_released(LONG).expect("it is released");
    producer.offer_without_waiting(&lend(1)).expect("there is room");
}

#[test]
fn threads_that_share_a_side_each_have_their_answer() {
    balanced(|| {
        let (producer, consumer) = pair();
        let buffer = lend(100);
        thread::scope(|scope| {
            let consume = || {
                for _ in 0..200 {
                    let held = consumer.next(LONG).expect("it is offered");
                    let mut bytes = [0; 100];
                    held.host().expect("host memory").copy_to(&mut bytes).expect("its size");
                    assert_eq!(bytes[..], pattern(100, 0));
                }
                // Whoever is done goes on for the others.
                let _ = consumer.wait_closed(LONG);
            };
            for _ in 0..2 {
                scope.spawn(consume);
            }
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        for _ in 0..100 {
                            let lease = producer.offer(&buffer).expect("it is taken");
                            let end = lease.wait_released(LONG).expect("it is released");
                            assert_eq!(end.reason, EndReason::Released);
                        }
                    })
                })
                .collect();
            threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
            producer.close();
        });
    });
}

//! Sides that others do not read from: nothing that gives back waits, and what was said comes in the end.
#![cfg(feature = "lease")]

mod lease_support;

use std::collections::BTreeSet;
use std::os::fd::{AsFd, BorrowedFd};
use std::thread;
use std::time::Duration;

use lease_support::{
    LONG, balanced, channels, consumer_and_channel, hear, lend, name, pair, patient, producer_and_channel,
    say, send_offer, taken,
};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use wirecontract::Code;
use wirecontract_gpu::buffer::{ConsumerMessage, EndReason, LeaseEnd, MemoryAfter, ProducerMessage};
use wirecontract_runtime::handoff::{self, Channel, Framing, Interest};
use wirecontract_runtime::lease::{Consumer, Event, Held, Options, Producer};

/// More words than a small socket holds.
const MANY: u64 = 400;

/// A consumer that holds many buffers, over a socket that holds few words, and the bare channel of its producer.
fn holds_many() -> (Consumer, Vec<Held>, Channel) {
    let options = handoff::Options::default().message_timeout(LONG).send_buffer(1);
    let (ours, channel) = Channel::pair(&options).expect("a pair");
    let consumer = Consumer::new(ours, &patient().hello(false)).expect("a consumer");
    let buffer = lend(10);
    let one = |lease| {
        send_offer(&channel, lease, &buffer);
        let held = consumer.next(LONG).expect("it is offered");
        assert_eq!(hear::<ConsumerMessage>(&channel).0, taken(lease));
        held
    };
    let held = (1..=MANY).map(one).collect();
    (consumer, held, channel)
}

fn releases(channel: &Channel) -> BTreeSet<u64> {
    let each = |_| match hear(channel).0 {
        ConsumerMessage::Release(lease) => lease.lease_id,
        word => panic!("{word:?}"),
    };
    (0..MANY).map(each).collect()
}

#[test]
fn what_is_dropped_while_nobody_reads_is_given_back_later() {
    balanced(|| {
        let (consumer, held, channel) = holds_many();
        // It returns, though the socket does not hold them all.
        drop(held);
        let all: BTreeSet<_> = (1..=MANY).collect();
        thread::scope(|scope| {
            let reads = scope.spawn(|| releases(&channel));
            while !reads.is_finished() {
                consumer.events();
                thread::yield_now();
            }
            assert_eq!(reads.join().expect("it ends"), all);
        });
    });
}

#[test]
fn what_there_is_room_for_is_sent_before_the_end() {
    balanced(|| {
        let (consumer, held, channel) = holds_many();
        drop(held);
        let some =
            || std::iter::from_fn(|| channel.try_recv(&handoff::Expected::bytes(100)).ok().flatten()).count();
        let before = some();
        assert!((before as u64) < MANY, "the socket holds few");
        drop(consumer);
        assert!(some() > 0, "there was room for more");
    });
}

#[test]
fn a_thread_that_waits_sends_what_others_say() {
    balanced(|| {
        let (consumer, held, channel) = holds_many();
        thread::scope(|scope| {
            let (tells, told) = std::sync::mpsc::channel();
            let consumer = &consumer;
            let waits = scope.spawn(move || {
                tells
                    .send(std::fs::read_link("/proc/thread-self").expect("proc is mounted"))
                    .expect("it is heard");
                consumer.next(LONG)
            });
            let thread = std::path::Path::new("/proc").join(told.recv().expect("it runs"));
            while !lease_support::sleeps(&thread) {
                thread::yield_now();
            }
            drop(held);
            // Nobody but the thread that waits is there to send them.
            assert_eq!(releases(&channel).len() as u64, MANY);
            channel.close().expect("it is open");
            assert!(waits.join().expect("it ends").expect_err("nothing came").is_end());
        });
    });
}

#[test]
fn threads_that_wait_take_turns_and_none_is_forgotten() {
    balanced(|| {
        let (producer, channel) = producer_and_channel();
        let buffer = lend(10);
        let leases: Vec<_> =
            (0..8).map(|_| producer.offer_without_waiting(&buffer).expect("it lasts")).collect();
        thread::scope(|scope| {
            let waits: Vec<_> =
                leases.iter().map(|lease| scope.spawn(move || lease.wait_released(LONG))).collect();
            // Each word is for another thread than the one that polls.
            for lease in leases.iter().rev() {
                say(&channel, &taken(lease.id()), &[]);
                say(&channel, &lease_support::release(lease.id()), &[]);
            }
            for thread in waits {
                let end = thread.join().expect("it ends").expect("it is given back");
                assert_eq!(end.reason, EndReason::Released);
            }
        });
    });
}

#[test]
fn what_was_asked_back_before_it_was_taken_says_so() {
    balanced(|| {
        let (consumer, channel) = consumer_and_channel();
        send_offer(&channel, 1, &lend(10));
        say(&channel, &ProducerMessage::Revoke(name(1)), &[]);
        assert!(consumer.events().is_empty(), "it is nobody's yet");
        let held = consumer.next(LONG).expect("it is offered");
        assert!(held.is_revoked());
        assert!(matches!(&consumer.events()[..], [Event::Revoked { lease: 1 }]));
        drop(held);
        assert_eq!(hear::<ConsumerMessage>(&channel).0, taken(1));
        assert_eq!(hear::<ConsumerMessage>(&channel).0, lease_support::release(1));
    });
}

#[test]
fn what_happened_to_a_buffer_that_was_given_back_is_forgotten() {
    balanced(|| {
        let (consumer, channel) = consumer_and_channel();
        send_offer(&channel, 1, &lend(10));
        let held = consumer.next(LONG).expect("it is offered");
        say(&channel, &ProducerMessage::Revoke(name(1)), &[]);
        consumer.wait(LONG).expect("it was asked back");
        drop(held);
        assert!(consumer.events().is_empty());
        channel.close().expect("it is open");
        consumer.wait_closed(LONG).expect("it ends");
        assert!(consumer.events().is_empty());
    });
}

#[test]
fn what_was_said_before_the_end_counts() {
    balanced(|| {
        let options = handoff::Options::default().message_timeout(LONG).send_buffer(1);
        let (ours, channel) = Channel::pair(&options).expect("a pair");
        let producer = Producer::new(ours, &patient().hello(false)).expect("a producer");
        let buffer = lend(10);
        // More offers than the socket holds, so that the end is found by sending.
        let leases: Vec<_> =
            (0..100).map(|_| producer.offer_without_waiting(&buffer).expect("it lasts")).collect();
        say(&channel, &taken(1), &[]);
        say(&channel, &lease_support::release(1), &[]);
        drop(channel);
        let reasons: Vec<_> =
            leases.iter().map(|lease| lease.wait_released(LONG).expect("it is over").reason).collect();
        assert_eq!(reasons[0], EndReason::Released);
        assert!(reasons[1..].iter().all(|reason| *reason == EndReason::PeerClosed), "{reasons:?}");
    });
}

/// The other thread looks at once, again and again, so that it would see in some round what is closed too late.
#[test]
fn a_buffer_is_unmapped_and_closed_before_its_producer_is_told() {
    balanced(|| {
        let (consumer, channel) = consumer_and_channel();
        for _ in 0..200 {
            send_offer(&channel, 1, &lend(10));
            let held = consumer.next(LONG).expect("it is offered");
            assert_eq!((hear::<ConsumerMessage>(&channel).0, lease_support::mapped().len()), (taken(1), 1));
            let open = lease_support::open_fds().into_iter().find(|open| open.contains("memfd:"));
            let path = open.expect("it is imported").split(' ').next().expect("a path").to_owned();
            thread::scope(|scope| {
                let looks = scope.spawn(|| {
                    while channel.try_recv(&handoff::Expected::bytes(100)).expect("it lasts").is_none() {}
                    std::fs::symlink_metadata(&path).is_ok()
                });
                drop(held);
                assert!(!looks.join().expect("it ends"), "it was open when its release came");
            });
            let reason = EndReason::Released;
            let end = LeaseEnd { lease_id: 1, reason, memory: MemoryAfter::Gone };
            say(&channel, &ProducerMessage::Ended(end), &[]);
        }
    });
}

#[test]
fn a_side_that_does_not_answer_is_asked_so_often_and_no_more() {
    balanced(|| {
        let (producer, channel) = producer_and_channel();
        for _ in 0..100 {
            let error = producer.ping(Duration::ZERO).expect_err("nobody answers");
            assert_eq!(error.code(), Code::Timeout);
        }
        let pings: Vec<_> = (0..16)
            .map(|_| match hear(&channel).0 {
                ProducerMessage::Ping(ping) => ping,
                word => panic!("{word:?}"),
            })
            .collect();
        assert!(channel.try_recv(&handoff::Expected::bytes(100)).expect("it lasts").is_none());
        pings.iter().for_each(|ping| say(&channel, &ConsumerMessage::Pong(*ping), &[]));
        thread::scope(|scope| {
            let asks = scope.spawn(|| producer.ping(LONG));
            let ProducerMessage::Ping(ping) = hear(&channel).0 else { panic!("it asks anew") };
            say(&channel, &ConsumerMessage::Pong(ping), &[]);
            asks.join().expect("it ends").expect("it is answered");
        });
    });
}

#[test]
fn a_limit_of_time_is_each_threads_own() {
    balanced(|| {
        let (producer, consumer) = pair();
        thread::scope(|scope| {
            let long = scope.spawn(|| consumer.next(LONG));
            let error = consumer.next(Duration::from_millis(1)).expect_err("nothing came");
            assert_eq!(error.code(), Code::Timeout);
            producer.offer_without_waiting(&lend(10)).expect("it lasts");
            // The hello may not have come by then.
            while !long.is_finished() {
                producer.poll().expect("it lasts");
                thread::yield_now();
            }
            assert_eq!(long.join().expect("it ends").expect("it is offered").lease(), 1);
        });
    });
}

/// Polls a side as a loop of somebody else's would, and has it do what there is to do.
fn turn(
    side: &impl AsFd,
    interest: Interest,
    deadline: Option<Duration>,
    process: Option<BorrowedFd<'_>>,
) -> bool {
    let mut events = PollFlags::empty();
    events.set(PollFlags::IN, interest.readable);
    events.set(PollFlags::OUT, interest.writable);
    let mut fds = vec![PollFd::from_borrowed_fd(side.as_fd(), events)];
    fds.extend(process.map(|process| PollFd::from_borrowed_fd(process, PollFlags::IN)));
    let limit = Timespec::try_from(deadline.unwrap_or(LONG).min(LONG)).expect("it is short");
    rustix::event::poll(&mut fds, Some(&limit)).expect("it can be polled") > 0
}

#[test]
fn a_loop_that_polls_a_producer_sends_what_there_was_no_room_for() {
    const OFFERS: usize = 300;
    balanced(|| {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).expect("a pair");
        let options = handoff::Options::default().message_timeout(LONG);
        let ours = Channel::from_fd(ours, &options.clone().send_buffer(1)).expect("a socket");
        let theirs = Channel::from_fd(theirs, &options).expect("a socket");
        let producer = Producer::new(ours, &patient().hello(false)).expect("a producer");
        assert_eq!(producer.interest(), Interest { readable: true, writable: false });
        assert_eq!(producer.deadline(), None);
        let buffer = lend(10);
        (0..OFFERS).for_each(|_| drop(producer.offer_without_waiting(&buffer).expect("it is queued")));
        assert!(producer.interest().writable, "there is no room for all");
        thread::scope(|scope| {
            let reads = scope.spawn(|| (0..OFFERS).for_each(|_| drop(hear::<ProducerMessage>(&theirs))));
            while producer.interest().writable {
                assert!(turn(&producer, producer.interest(), None, producer.process()), "it is told in time");
                producer.poll().expect("it is open");
            }
            reads.join().expect("all comes");
        });
        assert_eq!(producer.deadline(), None);
    });
}

#[test]
fn a_loop_that_polls_a_side_ends_one_that_is_late() {
    balanced(|| {
        let (ours, theirs) = channels(Framing::default());
        let limit = Duration::from_millis(20);
        let consumer = Consumer::new(ours, &Options::default().hello_timeout(limit)).expect("a consumer");
        while consumer.lost().is_none() {
            let deadline = consumer.deadline().expect("its hello has to come");
            assert!(deadline <= limit, "{deadline:?}");
            turn(&consumer, consumer.interest(), Some(deadline), consumer.process());
        }
        assert_eq!(consumer.lost().expect("it is late").because.code(), Code::Timeout);
        assert_eq!((consumer.deadline(), consumer.interest().writable), (None, false));
        drop(theirs);
    });
}

#[test]
fn a_loop_that_polls_is_told_of_what_another_threads_call_found() {
    balanced(|| {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).expect("an event");
        let is_told = || rustix::io::read(&event, &mut [0; 8]).is_ok();
        let (producer, consumer) = pair();
        producer.wake_by(event.try_clone().expect("a duplicate"));
        let lease = producer.offer_without_waiting(&lend(10)).expect("it is open");
        let held = consumer.next(LONG).expect("it is offered");
        lease.wait_taken(LONG).expect("it is taken");
        is_told();
        producer.poll().expect("it is open");
        is_told();
        assert!(!is_told(), "nothing has happened");
        drop(held);
        let hears = || assert!(lease.try_released().expect("it is not refused").is_some());
        thread::scope(|scope| scope.spawn(hears).join().expect("it is given back"));
        assert!(is_told());
        drop(consumer);
        assert!(producer.lost().is_some());
        assert!(is_told());
        // Who comes late is told at once.
        producer.wake_by(event.try_clone().expect("a duplicate"));
        assert!(is_told());
    });
}

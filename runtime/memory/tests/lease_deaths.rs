//! Processes that die, stop, or only seem to: what the other side says of them.
//!
//! The other processes are forks of this one, each of which has what it made after it.
#![cfg(feature = "lease")]

mod fork_support;
mod lease_support;

use std::io::{PipeReader, PipeWriter, Read as _, pipe};
use std::os::fd::{AsFd as _, OwnedFd};
use std::thread;
use std::time::Duration;

use fork_support::{Child, fork, leave};
use lease_support::{LONG, balanced, filled, lend, patient, pattern};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use wirecontract::Code;
use wirecontract_gpu::buffer::{BufferKind, EndReason, MemoryAfter, SharedBuffer};
use wirecontract_runtime::handoff::{self, Address, Channel, Expected, Listener};
use wirecontract_runtime::host::HostOptions;
#[cfg(feature = "tokio")]
use wirecontract_runtime::lease::AsyncProducer;
use wirecontract_runtime::lease::{
    Consumer, Error, Event, Lend, Lost, Producer, Service, ServiceEvent, State,
};

fn options() -> handoff::Options {
    handoff::Options::default().message_timeout(LONG)
}

/// Where processes of one test meet.
fn address(test: &str) -> Address {
    Address::abstract_name(format!("wirecontract-deaths-{test}-{}", std::process::id()))
}

fn listen(address: &Address) -> Listener {
    Listener::bind(address, &options()).expect("nobody")
}

fn connect(address: &Address) -> Channel {
    Channel::connect(address, &options()).expect("it listens")
}

fn wait_for_ever() -> ! {
    loop {
        thread::park();
    }
}

/// Children of children, which nobody else waits for: they end when this does.
struct Others {
    ends: PipeReader,
    open: PipeWriter,
}

impl Others {
    fn new() -> Others {
        let (ends, open) = pipe().expect("a pipe");
        Others { ends, open }
    }

    /// In a child: a child of its own that has all that it has open, for as long as the test lasts.
    fn stay(self) {
        let Others { mut ends, open } = self;
        drop(open);
        // The child of the child is nobody's to wait for here.
        if let Some(child) = fork() {
            std::mem::forget(child);
        } else {
            leave(|| assert_eq!(ends.read(&mut [0]).expect("a pipe"), 0))
        }
    }
}

/// A consumer that takes what is offered and has a child of its own, which has its socket as well.
fn consumer_with_a_child(address: &Address, others: Others) -> (Child, Others) {
    let Some(child) = fork() else {
        leave(|| {
            let consumer = Consumer::new(connect(address), &patient()).expect("a consumer");
            others.stay();
            let _held = consumer.next(LONG).expect("it is offered");
            let _ = consumer.events();
            wait_for_ever();
        })
    };
    (child, others)
}

#[test]
fn a_consumer_whose_child_has_its_socket_has_died() {
    balanced(|| {
        let address = address("consumer");
        let listener = listen(&address);
        let (child, _others) = consumer_with_a_child(&address, Others::new());
        let producer =
            Producer::new(listener.accept_within(LONG).expect("it connects"), &patient()).expect("a side");
        let lease = producer.offer(&lend(64)).expect("it is taken");
        child.kill();
        let end = lease.wait_released(LONG).expect("it is over");
        assert_eq!((end.reason, end.memory), (EndReason::PeerDied, MemoryAfter::Stays));
        let lost = producer.lost().expect("it died");
        assert_eq!((lost.reason, lost.because.code()), (EndReason::PeerDied, Code::PeerClosed), "{lost}");
        assert!(Error::Lost(lost).is_end());
    });
}

#[cfg(feature = "tokio")]
#[test]
fn tasks_notice_the_death_of_a_consumer_whose_child_has_its_socket() {
    balanced(|| {
        let address = address("tasks");
        let listener = listen(&address);
        let (child, _others) = consumer_with_a_child(&address, Others::new());
        let channel = listener.accept_within(LONG).expect("it connects");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let producer = Producer::new(channel, &patient()).expect("a side");
            let producer = AsyncProducer::new(producer).expect("a runtime");
            let lease = producer.offer(&lend(64)).await.expect("it is taken");
            let released = async { lease.wait_released().await.expect("it is over") };
            let pinged = async { producer.ping().await.expect_err("nobody answers") };
            let killed = async {
                // Both have looked at all that there was before.
                tokio::time::sleep(Duration::from_millis(50)).await;
                child.kill();
            };
            // Each of two tasks that wait is told.
            let both = async { tokio::join!(released, pinged, killed) };
            let (end, error, ()) = tokio::time::timeout(LONG, both).await.expect("it is noticed");
            assert_eq!((end.reason, end.memory), (EndReason::PeerDied, MemoryAfter::Stays));
            assert!(error.is_end(), "{error}");
        });
    });
}

#[test]
fn a_service_notices_the_death_of_a_consumer_whose_child_has_its_socket() {
    balanced(|| {
        let address = address("service");
        let service = Service::new(listen(&address), &patient()).expect("a service");
        let (child, _others) = consumer_with_a_child(&address, Others::new());
        while service.consumers().is_empty() {
            service.poll(LONG).expect("it goes on");
        }
        let lease = service.broadcast(&lend(64)).pop().expect("one").1.expect("it is offered");
        while lease.state() == State::Offered {
            service.poll(Duration::from_millis(10)).expect("it goes on");
        }
        child.kill();
        let events = service.poll(LONG).expect("it goes on");
        assert!(
            matches!(&events[..], [ServiceEvent::Left { lost, .. }] if lost.reason == EndReason::PeerDied),
            "{events:?}"
        );
        assert!(lease.outcome().is_some() && service.consumers().is_empty());
        // Nothing of who is gone is told again.
        assert!(service.poll(Duration::from_millis(10)).expect("it goes on").is_empty());
    });
}

#[test]
fn a_producer_whose_child_has_its_socket_has_died() {
    balanced(|| {
        let (address, others) = (address("producer"), Others::new());
        let Some(child) = fork() else {
            leave(|| {
                let listener = listen(&address);
                let channel = listener.accept_within(LONG).expect("it connects");
                let producer = Producer::new(channel, &patient()).expect("a producer");
                let _lease = producer.offer(&lend(64)).expect("it is taken");
                others.stay();
                wait_for_ever();
            })
        };
        let consumer = Consumer::new(connect_soon(&address), &patient()).expect("a consumer");
        let held = consumer.next(LONG).expect("it is offered");
        // The words of before are heard, and the child of the child has the socket.
        let _ = consumer.ping(Duration::from_millis(50));
        child.kill();
        let event = consumer.next_event(LONG).expect("it died");
        assert!(died(&event), "{event:?}");
        assert_eq!(held.is_over().expect("it is over").reason, EndReason::PeerDied);
    });
}

/// Connects as soon as somebody listens.
fn connect_soon(address: &Address) -> Channel {
    loop {
        match Channel::connect(address, &options()) {
            Ok(channel) => return channel,
            Err(handoff::Error::Io { .. }) => thread::sleep(Duration::from_millis(5)),
            Err(error) => panic!("{error}"),
        }
    }
}

fn died(event: &Event) -> bool {
    matches!(event, Event::Ended { end, .. } if end.reason == EndReason::PeerDied && end.because.is_some())
}

/// A pair of sockets that a process made which has ended, and which knew nothing of who has them now.
fn pair_of_the_dead() -> (OwnedFd, OwnedFd) {
    let (here, there) = Channel::pair(&options()).expect("a pair");
    let Some(child) = fork() else {
        leave(|| {
            let channel =
                Channel::from_fd(there.into_fd().expect("it is new"), &options()).expect("a socket");
            let (one, other) =
                socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
                    .expect("a pair");
            channel.send(b"pair", &[one.as_fd(), other.as_fd()]).expect("it is sent");
        })
    };
    let message = here.recv_within(&Expected::bytes(4).fds(2..=2), LONG).expect("it comes");
    child.succeeds();
    drop(there);
    let [one, other] = <[OwnedFd; 2]>::try_from(message.fds).expect("two");
    (one, other)
}

#[test]
fn of_a_pair_and_of_a_socket_that_was_handed_over_nobody_is_said_to_have_died() {
    balanced(|| {
        let (one, other) = pair_of_the_dead();
        let producer =
            Producer::new(Channel::from_fd(one, &options()).expect("a socket"), &patient()).expect("a side");
        let consumer = Consumer::new(Channel::from_fd(other, &options()).expect("a socket"), &patient())
            .expect("a side");
        let lease = producer.offer_without_waiting(&lend(64)).expect("it is offered");
        drop(consumer.next(LONG).expect("whoever made the pair, both are here"));
        lease.wait_released(LONG).expect("it is given back");
        consumer.close();
        let lost = producer.wait_closed(LONG).expect("it is closed");
        assert_eq!(lost.reason, EndReason::PeerClosed, "{lost}");
    });
}

#[test]
fn a_process_whose_first_thread_has_ended_lives() {
    balanced(|| {
        let address = address("thread");
        let listener = listen(&address);
        let Some(child) = fork() else {
            leave(|| {
                let address = address.clone();
                let first = rustix::thread::gettid();
                thread::spawn(move || {
                    while !ended(first.as_raw_nonzero().get()) {
                        thread::sleep(Duration::from_millis(1));
                    }
                    let consumer = Consumer::new(connect(&address), &patient()).expect("a consumer");
                    consumer.close();
                    wait_for_ever();
                });
                // SAFETY: it ends this thread alone, whose stack nobody else uses.
                unsafe { libc::syscall(libc::SYS_exit, 0) };
            })
        };
        let producer =
            Producer::new(listener.accept_within(LONG).expect("it connects"), &patient()).expect("a side");
        let lost = producer.wait_closed(LONG).expect("it is closed");
        assert_eq!(lost.reason, EndReason::PeerClosed, "{lost}");
        child.kill();
    });
}

/// Whether the first thread of a process is a zombie.
fn ended(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("proc is mounted");
    stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('Z'))
}

#[test]
fn who_listens_with_the_socket_of_a_process_that_has_ended_lives() {
    balanced(|| {
        let address = address("daemon");
        // A process that begins to listen and goes, as one that becomes a daemon does: its child serves.
        let (here, there) = Channel::pair(&options()).expect("a pair");
        let Some(child) = fork() else {
            leave(|| {
                let listener = listen(&address);
                let channel =
                    Channel::from_fd(there.into_fd().expect("it is new"), &options()).expect("a socket");
                channel.send(b"listener", &[listener.as_fd()]).expect("it is sent");
            })
        };
        drop(there);
        let fd = here.recv_within(&Expected::bytes(8).fds(1..=1), LONG).expect("it comes").fds.pop();
        child.succeeds();
        let listener = Listener::from_fd(fd.expect("one"), &options()).expect("it listens");
        let consumer = Consumer::new(connect(&address), &patient()).expect("a consumer");
        let producer =
            Producer::new(listener.accept_within(LONG).expect("it connects"), &patient()).expect("a side");
        producer.offer_without_waiting(&lend(64)).expect("it is offered");
        drop(consumer.next(LONG).expect("it lives"));
        producer.close();
        let lost: Lost = consumer.wait_closed(LONG).expect("it is closed");
        assert_eq!(lost.reason, EndReason::PeerClosed, "{lost}");
    });
}

#[test]
fn a_producer_that_dies_is_noticed_by_each_of_its_consumers() {
    const CONSUMERS: usize = 3;
    balanced(|| {
        let address = address("several");
        let Some(child) = fork() else {
            leave(|| {
                let service = Service::new(listen(&address), &patient()).expect("a service");
                while service.consumers().len() < CONSUMERS {
                    service.poll(LONG).expect("it goes on");
                }
                let buffer = filled(&HostOptions::new(64), 7);
                let lend = Lend::host(&buffer).expect("a descriptor");
                service
                    .broadcast(&lend)
                    .into_iter()
                    .for_each(|(_, lease)| drop(lease.expect("it is offered")));
                loop {
                    service.poll(LONG).expect("it goes on");
                }
            })
        };
        let consumers: Vec<_> = (0..CONSUMERS)
            .map(|_| Consumer::new(connect_soon(&address), &patient()).expect("a consumer"))
            .collect();
        let held: Vec<_> =
            consumers.iter().map(|consumer| consumer.next(LONG).expect("it is offered")).collect();
        child.kill();
        for (consumer, held) in consumers.iter().zip(held) {
            let event = consumer.next_event(LONG).expect("it died");
            assert!(died(&event), "{event:?}");
            let over = held.is_over().expect("it is over");
            assert_eq!((over.reason, over.memory), (EndReason::PeerDied, MemoryAfter::Stays));
            let mut bytes = vec![0; 64];
            held.host().expect("host memory").copy_to(&mut bytes).expect("its size");
            assert_eq!(bytes, pattern(64, 7));
        }
    });
}

#[test]
fn memory_that_dies_with_its_exporter_is_not_to_be_touched() {
    balanced(|| {
        let address = address("gone");
        let Some(child) = fork() else {
            leave(|| {
                let listener = listen(&address);
                let channel = listener.accept_within(LONG).expect("it connects");
                let producer = Producer::new(channel, &patient()).expect("a producer");
                let mut buffer = SharedBuffer::new(BufferKind::CudaLegacy, 4096);
                (buffer.handle_len, buffer.device_uuid_len) = (64, 16);
                let lend = Lend::shared(buffer, Vec::new()).expect("it may be offered");
                let _lease = producer.offer(&lend).expect("it is taken");
                wait_for_ever();
            })
        };
        let consumer = Consumer::new(connect_soon(&address), &patient()).expect("a consumer");
        let mut held = consumer.next(LONG).expect("it is offered");
        held.take().expect("it lasts");
        child.kill();
        let event = consumer.next_event(LONG).expect("it died");
        assert!(died(&event), "{event:?}");
        let over = held.is_over().expect("it is over");
        assert_eq!((over.reason, over.memory), (EndReason::PeerDied, MemoryAfter::Gone));
    });
}

#[test]
fn a_peer_that_is_stopped_is_waited_for_no_longer_than_said_and_goes_on() {
    balanced(|| {
        let address = address("stopped");
        let listener = listen(&address);
        let Some(child) = fork() else {
            leave(|| {
                let consumer = Consumer::new(connect(&address), &patient()).expect("a consumer");
                while let Ok(held) = consumer.next(LONG) {
                    drop(held);
                }
            })
        };
        let short = patient().answer_timeout(Duration::from_millis(50));
        let producer =
            Producer::new(listener.accept_within(LONG).expect("it connects"), &short).expect("a side");
        producer.ping(LONG).expect("it runs");
        child.signal(libc::SIGSTOP);
        // A signal takes effect when the kernel comes to it.
        while producer.ping(Duration::from_millis(10)).is_ok() {}
        let error = producer.offer(&lend(64)).expect_err("it is stopped");
        assert_eq!(error.code(), Code::Timeout, "{error}");
        assert!(producer.outstanding().is_empty());
        assert!(producer.lost().is_none(), "who is stopped has neither closed nor died");
        child.signal(libc::SIGCONT);
        producer.ping(LONG).expect("it goes on");
        let lease = producer.offer_without_waiting(&lend(64)).expect("it is offered");
        assert_eq!(lease.wait_released(LONG).expect("it is given back").reason, EndReason::Released);
        producer.close();
        child.succeeds();
    });
}

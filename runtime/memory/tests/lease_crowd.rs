//! One producer in the midst of many: consumers in processes of their own, and peers that do what they may not while the
//! others are served.
//!
//! The other processes are forks of this one.
#![cfg(feature = "lease")]

mod fork_support;
mod lease_support;

use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use fork_support::{Child, fork, leave};
use lease_support::{LONG, balanced, open_fds, patient, pattern, resident};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::SendFlags;
use wirecontract::Code;
use wirecontract_gpu::buffer::EndReason;
use wirecontract_runtime::handoff::{self, Address, Channel, Listener};
use wirecontract_runtime::host::{HostOptions, Pool, PoolCounts};
use wirecontract_runtime::lease::{Consumer, Lease, Lend, Service, ServiceEvent};

const SIZE: usize = 4096;

fn options() -> handoff::Options {
    handoff::Options::default().message_timeout(LONG)
}

fn address(test: &str) -> Address {
    Address::abstract_name(format!("wirecontract-crowd-{test}-{}", std::process::id()))
}

/// A process that compares what it is lent with what it should be, and ends when the producer does.
fn consumer(address: &Address, rounds: usize) -> Child {
    let Some(child) = fork() else {
        leave(|| {
            let consumer =
                Consumer::new(Channel::connect(address, &options()).expect("it listens"), &patient())
                    .expect("a side");
            for round in 0..rounds {
                let held = consumer.next(LONG).expect("it is offered");
                let mut bytes = vec![0; SIZE];
                held.host().expect("host memory").copy_to(&mut bytes).expect("its size");
                assert_eq!(bytes, pattern(SIZE, round as u64));
            }
            consumer.wait_closed(LONG).expect("it closes");
        })
    };
    child
}

/// Polls until so many have joined, and gives what else happened.
fn join(service: &Service, consumers: usize) -> Vec<ServiceEvent> {
    let mut events = Vec::new();
    while service.consumers().len() < consumers {
        let more = service.poll(LONG).expect("it goes on");
        assert!(!more.is_empty(), "{} of {consumers} have joined", service.consumers().len());
        events.extend(more.into_iter().filter(|event| !matches!(event, ServiceEvent::Joined { .. })));
    }
    events
}

/// Lends one buffer to all, and polls until each has given it back; what else happened.
fn round(service: &Service, pool: &Pool, seed: usize) -> (usize, Vec<ServiceEvent>) {
    let mut frame = pool.take(LONG).expect("the one before is over");
    frame.copy_from(&pattern(SIZE, seed as u64)).expect("its size");
    let lend = Lend::pooled(&frame).expect("a descriptor");
    let leases: Vec<Lease> =
        service.broadcast(&lend).into_iter().filter_map(|(_, lease)| lease.ok()).collect();
    drop((frame, lend));
    let mut events = Vec::new();
    while leases.iter().any(|lease| lease.outcome().is_none()) {
        events.extend(service.poll(Duration::from_millis(10)).expect("it goes on"));
    }
    let given_back = leases
        .iter()
        .filter(|lease| lease.wait_released(LONG).expect("it is over").reason == EndReason::Released);
    (given_back.count(), events)
}

#[test]
fn sixty_four_processes_are_lent_one_buffer_again_and_again() {
    const CONSUMERS: usize = 64;
    const ROUNDS: usize = 24;
    balanced(|| {
        let address = address("processes");
        // Before the service, of which they would have a copy.
        let listener = Listener::bind(&address, &options()).expect("nobody");
        let children: Vec<_> = (0..CONSUMERS).map(|_| consumer(&address, ROUNDS)).collect();
        let service = Service::new(listener, &patient()).expect("a service");
        assert!(join(&service, CONSUMERS).is_empty());
        let pool = Pool::new(HostOptions::new(SIZE as u64), 1).expect("a pool");
        let mut half = None;
        for seed in 0..ROUNDS {
            let (given_back, events) = round(&service, &pool, seed);
            assert_eq!((given_back, events.len()), (CONSUMERS, 0), "{events:?}");
            assert_eq!(pool.counts(), PoolCounts { free: 1, in_use: 0, most: 1 });
            if seed == ROUNDS / 2 {
                half = Some((open_fds(), resident()));
            }
        }
        let (fds, bytes) = half.expect("it was half-way");
        assert_eq!(open_fds(), fds);
        let now = resident();
        assert!(now <= bytes + (1 << 20), "{now} bytes, and half-way {bytes}");
        drop(service);
        children.into_iter().for_each(Child::succeeds);
    });
}

#[test]
fn peers_that_do_what_they_may_not_hold_nobody_else() {
    const GOOD: usize = 3;
    const ROUNDS: usize = 60;
    balanced(|| {
        let address = address("bad");
        let listener = Listener::bind(&address, &options()).expect("nobody");
        let children: Vec<_> = (0..GOOD).map(|_| consumer(&address, ROUNDS)).collect();
        let service = Service::new(listener, &patient()).expect("a service");
        assert!(join(&service, GOOD).is_empty());
        let raw = || {
            let channel = Channel::connect(&address, &options()).expect("it listens");
            channel.into_fd().expect("nothing has begun")
        };
        let send =
            |socket: &OwnedFd, bytes: &[u8]| rustix::net::send(socket, bytes, SendFlags::NOSIGNAL).is_ok();
        let (huge, half, slow, babbles) = (raw(), raw(), raw(), raw());
        assert!(send(&huge, &u32::MAX.to_be_bytes()), "4 GiB are announced");
        assert!(send(&half, &[0, 0, 0, 100, b'{']), "half a message is said");
        let word = br#"{"type":"release","lease_id":7}"#;
        let length = u32::try_from(word.len()).expect("it is short").to_be_bytes();
        assert!(send(&babbles, &[&length[..], word].concat()), "what is no hello is said");
        let other = rustix::process::geteuid().is_root().then(|| stranger(&address));
        let pool = Pool::new(HostOptions::new(SIZE as u64), 1).expect("a pool");
        let mut codes = Vec::new();
        for seed in 0..ROUNDS {
            // A byte of a hello with each round.
            let spells = [0, 0, 0, 200];
            send(&slow, &[spells.get(seed).copied().unwrap_or(b' ')]);
            let (given_back, events) = round(&service, &pool, seed);
            assert_eq!(given_back, GOOD, "round {seed}, {events:?}");
            for event in events {
                let ServiceEvent::Refused { because } = event else { panic!("{event:?}") };
                codes.push(because.code());
            }
        }
        codes.sort_unstable();
        let mut expected = vec![Code::TooLarge, Code::MissingKey];
        expected.extend(other.is_some().then_some(Code::Refused));
        expected.sort_unstable();
        assert_eq!(codes, expected);
        other.into_iter().for_each(Child::succeeds);
        assert_eq!(service.consumers().len(), GOOD);
        // Those that say half are still waited for, and by nobody.
        assert!(service.deadline().expect("they have begun") <= LONG);
        drop(service);
        for socket in [half, slow, huge, babbles] {
            assert!(is_ended(&socket));
        }
        children.into_iter().for_each(Child::succeeds);
    });
}

/// A process of another user, which is not let in.
fn stranger(address: &Address) -> Child {
    let Some(child) = fork() else {
        leave(|| {
            // SAFETY: this process has one thread, whose user it is to change.
            assert_eq!(unsafe { libc::setresuid(1, 1, 1) }, 0);
            let anyone = options().peers(handoff::Peers::Anyone);
            let channel = Channel::connect(address, &anyone).expect("it listens");
            assert!(channel.wait_closed(LONG).expect("it can be asked"));
        })
    };
    child
}

/// Whether the other end is closed.
fn is_ended(socket: &OwnedFd) -> bool {
    let limit = Timespec::try_from(LONG).expect("it is short");
    poll(&mut [PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::RDHUP)], Some(&limit)) == Ok(1)
}

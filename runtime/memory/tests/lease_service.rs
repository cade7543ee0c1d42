//! One producer and many consumers: those that misbehave or die end their own leases alone.
//!
//! The other processes are this test program again: the test `another_process` does what a variable tells it to.
#![cfg(feature = "lease")]

mod lease_support;

use std::env;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use lease_support::{
    LONG, balanced, hear, hello, lend, open_fds, patient, pattern, release, resident, say, taken,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use wirecontract::Code;
use wirecontract::hello::Hello;
use wirecontract_gpu::buffer::{EndReason, ProducerMessage};
use wirecontract_runtime::handoff::{self, Address, Channel, Expected, Listener};
use wirecontract_runtime::host::{HostOptions, Pool, PoolCounts};
use wirecontract_runtime::lease::{
    Consumer, ConsumerId, Error, Lease, Lend, Options, Outcome, Service, ServiceEvent,
};

const TASK: &str = "WIRECONTRACT_TEST_TASK";
const NAME: &str = "WIRECONTRACT_TEST_NAME";

fn options() -> handoff::Options {
    handoff::Options::default().message_timeout(LONG)
}

fn name(test: &str) -> String {
    format!("wirecontract-service-{test}-{}", std::process::id())
}

fn service(name: &str, with: &Options) -> Service {
    let listener = Listener::bind(Address::abstract_name(name), &options()).expect("nobody");
    Service::new(listener, with).expect("a service")
}

fn connect(name: &str) -> Channel {
    Channel::connect(Address::abstract_name(name), &options()).expect("it listens")
}

/// Polls until so much has happened.
fn until(service: &Service, mut enough: impl FnMut(&[ServiceEvent]) -> bool) -> Vec<ServiceEvent> {
    let mut all = Vec::new();
    while !enough(&all) {
        let events = service.poll(LONG).expect("it goes on");
        assert!(!events.is_empty(), "nothing happened for long, after {all:?}");
        all.extend(events);
    }
    all
}

fn joined(service: &Service, consumers: usize) -> Vec<ConsumerId> {
    until(service, |_| service.consumers().len() == consumers);
    service.consumers().into_iter().map(|(consumer, _)| consumer).collect()
}

fn broadcast(service: &Service, lend: &Lend) -> Vec<Lease> {
    service.broadcast(lend).into_iter().map(|(_, lease)| lease.expect("it lasts")).collect()
}

/// Polls until all leases are over.
fn settle(service: &Service, leases: &[Lease]) {
    while leases.iter().any(|lease| lease.outcome().is_none()) {
        service.poll(Duration::from_millis(10)).expect("it goes on");
    }
}

#[test]
fn sixty_four_consumers_leave_memory_and_file_descriptors_as_they_are() {
    const CONSUMERS: usize = 64;
    const ROUNDS: usize = 160;
    balanced(|| {
        let name = name("many");
        let service = service(&name, &patient());
        let consumers: Vec<_> = (0..CONSUMERS)
            .map(|_| {
                let consumer = Consumer::new(connect(&name), &patient()).expect("a consumer");
                service.poll(Duration::ZERO).expect("it goes on");
                consumer
            })
            .collect();
        assert_eq!(joined(&service, CONSUMERS).len(), CONSUMERS);
        let pool = Pool::new(HostOptions::new(4096), 1).expect("a pool");
        let mut half = None;
        for round in 0..ROUNDS {
            let mut frame = pool.take(LONG).expect("the one before is over");
            let bytes = pattern(4096, round as u64);
            frame.copy_from(&bytes).expect("its size");
            let leases = broadcast(&service, &Lend::pooled(&frame).expect("a descriptor"));
            drop(frame);
            assert_eq!((leases.len(), service.outstanding().len()), (CONSUMERS, CONSUMERS));
            for consumer in &consumers {
                let held = loop {
                    match consumer.try_next().expect("it lasts") {
                        Some(held) => break held,
                        None => drop(service.poll(Duration::ZERO).expect("it goes on")),
                    }
                };
                let mut came = vec![0; 4096];
                held.host().expect("host memory").copy_to(&mut came).expect("its size");
                assert_eq!(came, bytes);
            }
            settle(&service, &leases);
            assert_eq!(pool.counts(), PoolCounts { free: 1, in_use: 0, most: 1 });
            // What is answered is heard.
            consumers.iter().for_each(|consumer| assert!(consumer.events().is_empty()));
            if round == ROUNDS / 2 {
                half = Some((open_fds(), resident()));
            }
        }
        let (fds, bytes) = half.expect("it was half-way");
        assert_eq!(open_fds(), fds);
        let now = resident();
        assert!(now <= bytes + (1 << 20), "{now} bytes, and half-way {bytes}");
    });
}

#[test]
fn one_that_misbehaves_ends_its_own_leases_alone() {
    balanced(|| {
        let name = name("misbehaves");
        let service = service(&name, &patient().hello_timeout(LONG));
        let good = Consumer::new(connect(&name), &patient()).expect("a consumer");
        let silent = connect(&name);
        let foreign = connect(&name);
        say(&foreign, &Hello::new(), &[]);
        let bad = connect(&name);
        say(&bad, &hello(), &[]);
        let events = until(&service, |events| events.len() >= 3);
        let refused = |event: &ServiceEvent| matches!(event, ServiceEvent::Refused { because } if because.code() == Code::IdMismatch);
        assert_eq!(events.iter().filter(|event| refused(event)).count(), 1, "{events:?}");
        assert_eq!(service.consumers().len(), 2);

        let leases = broadcast(&service, &lend(100));
        let held = good.next(LONG).expect("it is offered");
        assert_eq!(hear::<Hello>(&bad).0, hello());
        assert!(matches!(hear::<ProducerMessage>(&bad).0, ProducerMessage::Offer(_)));
        say(&bad, &taken(1), &[]);
        say(&bad, &release(7), &[]);
        let events = until(&service, |events| !events.is_empty());
        let [ServiceEvent::Left { lost, .. }] = &events[..] else { panic!("{events:?}") };
        assert_eq!((lost.reason, lost.because.code()), (EndReason::Revoked, Code::BadHandle));
        let over: Vec<_> = leases.iter().filter(|lease| lease.outcome().is_some()).collect();
        assert_eq!(over.len(), 1);
        assert!(matches!(over[0].outcome(), Some(Outcome::Ended(end)) if end.reason == EndReason::Revoked));
        assert!(bad.recv(&Expected::bytes(9)).expect_err("it is closed").is_end());

        drop(held);
        settle(&service, &leases);
        let leases = broadcast(&service, &lend(100));
        assert_eq!(leases.len(), 1);
        drop(good.next(LONG).expect("it is offered"));
        settle(&service, &leases);
        assert!(silent.try_recv(&Expected::bytes(1 << 16)).expect("it lasts").is_some(), "the hello came");
    });
}

#[test]
fn who_says_no_hello_is_not_kept() {
    balanced(|| {
        let name = name("silent");
        let service = service(&name, &patient().hello_timeout(Duration::from_millis(10)));
        assert_eq!(service.deadline(), None);
        let silent = connect(&name);
        let events = until(&service, |events| !events.is_empty());
        let [ServiceEvent::Refused { because }] = &events[..] else { panic!("{events:?}") };
        assert_eq!(because.code(), Code::Timeout, "{because}");
        assert!(silent.wait_closed(LONG).expect("it can be asked"));
        assert_eq!(service.deadline(), None);
    });
}

#[test]
fn no_more_consumers_than_are_let_be() {
    balanced(|| {
        let name = name("most");
        let service = service(&name, &patient().most_consumers(1));
        let first = Consumer::new(connect(&name), &patient()).expect("a consumer");
        joined(&service, 1);
        let second = Consumer::new(connect(&name), &patient()).expect("a consumer");
        let events = until(&service, |events| !events.is_empty());
        let [ServiceEvent::Refused { because: Error::TooManyConsumers { most: 1 } }] = &events[..] else {
            panic!("{events:?}")
        };
        assert!(second.next(LONG).expect_err("it is closed").is_end());
        drop((first, second));
        let events = until(&service, |events| !events.is_empty());
        assert!(matches!(&events[..], [ServiceEvent::Left { .. }]), "{events:?}");
        let _third = Consumer::new(connect(&name), &patient()).expect("a consumer");
        joined(&service, 1);
    });
}

#[test]
fn a_service_is_polled_by_its_file_descriptor_and_ends_its_channels() {
    balanced(|| {
        let name = name("polled");
        let service = service(&name, &patient());
        let is_ready = |within| {
            let limit = Timespec::try_from(within).expect("it is short");
            poll(&mut [PollFd::new(&service, PollFlags::IN)], Some(&limit)).expect("it can be asked") == 1
        };
        assert!(!is_ready(Duration::ZERO));
        let consumer = Consumer::new(connect(&name), &patient()).expect("a consumer");
        assert!(is_ready(LONG));
        let id = joined(&service, 1)[0];
        service.poll(Duration::ZERO).expect("it goes on");
        assert!(!is_ready(Duration::ZERO));
        let lease =
            service.producer(id).expect("it is there").offer_without_waiting(&lend(10)).expect("it lasts");
        let held = consumer.next(LONG).expect("it is offered");
        assert!(is_ready(LONG));
        drop(service);
        assert!(held.is_over().is_some_and(|end| end.reason == EndReason::PeerClosed));
        assert!(matches!(lease.outcome(), Some(Outcome::Ended(end)) if end.reason == EndReason::Revoked));
    });
}

#[test]
fn what_a_socket_does_not_hold_is_sent_when_it_does() {
    const OFFERS: usize = 300;
    balanced(|| {
        let name = name("full");
        let at = Address::abstract_name(name.as_str());
        let listener = Listener::bind(at, &options().send_buffer(1)).expect("nobody");
        let service = Service::new(listener, &patient()).expect("a service");
        // It says nothing, so that the service hears of nothing but room.
        let channel = connect(&name);
        say(&channel, &hello(), &[]);
        joined(&service, 1);
        let buffer = lend(10);
        let leases: Vec<_> = (0..OFFERS).flat_map(|_| broadcast(&service, &buffer)).collect();
        thread::scope(|scope| {
            let reads = scope.spawn(|| {
                assert_eq!(hear::<Hello>(&channel).0, hello());
                let offers = (0..OFFERS).map(|_| hear::<ProducerMessage>(&channel));
                offers
                    .filter(|(word, fds)| matches!(word, ProducerMessage::Offer(_)) && fds.len() == 1)
                    .count()
            });
            while !reads.is_finished() {
                service.poll(Duration::from_millis(10)).expect("it goes on");
            }
            assert_eq!(reads.join().expect("it ends"), OFFERS);
        });
        assert_eq!(leases.len(), OFFERS);
    });
}

#[test]
fn a_service_that_waits_sends_what_other_threads_say() {
    const OFFERS: usize = 300;
    balanced(|| {
        let name = name("wakes");
        let at = Address::abstract_name(name.as_str());
        let listener = Listener::bind(at, &options().send_buffer(1)).expect("nobody");
        let service = Service::new(listener, &patient()).expect("a service");
        let channel = connect(&name);
        say(&channel, &hello(), &[]);
        joined(&service, 1);
        service.poll(Duration::ZERO).expect("it goes on");
        assert_eq!(hear::<Hello>(&channel).0, hello());
        thread::scope(|scope| {
            let (tells, told) = std::sync::mpsc::channel();
            let service = &service;
            let polls = scope.spawn(move || {
                let path = std::fs::read_link("/proc/thread-self").expect("proc is mounted");
                tells.send(path).expect("it is heard");
                service.poll(LONG).expect("it goes on")
            });
            let thread = std::path::Path::new("/proc").join(told.recv().expect("it runs"));
            while !lease_support::sleeps(&thread) {
                thread::yield_now();
            }
            let buffer = lend(10);
            (0..OFFERS).for_each(|_| drop(broadcast(service, &buffer)));
            (0..OFFERS).for_each(|_| drop(hear::<ProducerMessage>(&channel)));
            drop(channel);
            let events = polls.join().expect("it ends");
            assert!(matches!(&events[..], [ServiceEvent::Left { .. }]), "{events:?}");
        });
    });
}

#[test]
fn a_service_without_file_descriptors_rests_and_goes_on() {
    balanced(|| {
        let name = name("rests");
        let service = service(&name, &patient());
        let channel = connect(&name);
        let limit = getrlimit(Resource::Nofile);
        // Numbers below are all in use, or the next file has one of them.
        let next = channel.as_fd().try_clone_to_owned().expect("a descriptor").as_raw_fd();
        let lowered = Rlimit { current: u64::try_from(next).ok(), maximum: limit.maximum };
        setrlimit(Resource::Nofile, lowered).expect("it is lower");
        let refused = service.poll(LONG).map_err(|error| error.code());
        let rests = service.deadline();
        setrlimit(Resource::Nofile, limit).expect("it was so");
        let refused = refused.expect("it goes on");
        let [ServiceEvent::Refused { because }] = &refused[..] else { panic!("{refused:?}") };
        assert_eq!(because.code(), Code::Io, "{because}");
        assert!(rests.is_some(), "it does not ask at once again");
        let _consumer = Consumer::new(channel, &patient()).expect("a consumer");
        joined(&service, 1);
    });
}

/// Another process, which is killed and waited for when this is dropped.
struct Other(Child);

impl Other {
    fn start(task: &str, name: &str) -> Other {
        let child = Command::new(env::current_exe().expect("it runs"))
            .args(["--exact", "another_process", "--nocapture"])
            .env(TASK, task)
            .env(NAME, name)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        Other(child.expect("it starts"))
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn another_process() {
    let Ok(task) = env::var(TASK) else { return };
    let channel = connect(&env::var(NAME).expect("it is set"));
    let consumer = Consumer::new(channel, &patient()).expect("a consumer");
    loop {
        match consumer.next(LONG) {
            Ok(held) if task == "keep" => {
                std::mem::forget(held);
                loop {
                    thread::park();
                }
            }
            Ok(held) => drop(held),
            Err(error) if error.is_end() => return,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_consumer_that_is_killed_ends_its_own_leases_alone() {
    balanced(|| {
        let name = name("killed");
        let service = service(&name, &patient());
        let mut good = Other::start("take", &name);
        let mut keeps = Other::start("keep", &name);
        joined(&service, 2);
        let pool = Pool::new(HostOptions::new(4096), 1).expect("a pool");
        let frame = pool.take(LONG).expect("it is free");
        let leases = broadcast(&service, &Lend::pooled(&frame).expect("a descriptor"));
        drop(frame);
        let keeper = Some(keeps.0.id());
        for lease in &leases {
            if lease.consumer().pid == keeper {
                lease.wait_taken(LONG).expect("it is taken");
            } else {
                let end = lease.wait_released(LONG).expect("it is given back");
                assert_eq!(end.reason, EndReason::Released);
            }
        }
        assert_eq!(
            service.outstanding().iter().map(|(_, one)| one.consumer.pid).collect::<Vec<_>>(),
            [keeper]
        );
        assert_eq!(pool.counts().in_use, 1);
        keeps.0.kill().expect("it runs");
        let events = until(&service, |events| !events.is_empty());
        let [ServiceEvent::Left { lost, .. }] = &events[..] else { panic!("{events:?}") };
        assert_eq!(lost.reason, EndReason::PeerDied);
        settle(&service, &leases);
        assert_eq!(pool.counts(), PoolCounts { free: 1, in_use: 0, most: 1 });

        let leases = broadcast(&service, &lend(10));
        assert_eq!(leases.len(), 1);
        settle(&service, &leases);
        drop(service);
        assert!(good.0.wait().expect("it is a child").success());
    });
}

//! What of a service no consumer can bring about, or not for certain.

use std::os::fd::AsFd as _;
use std::sync::mpsc::channel;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use wirecontract::Code;

use super::{Service, ServiceEvent};
use crate::handoff::{self, Address, Channel, Listener};
use crate::host::{HostBuffer, HostOptions};
use crate::lease::{Consumer, Lend, Options};

/// Longer than any machine takes.
const LONG: Duration = Duration::from_secs(120);

/// A service with so many consumers that have joined.
fn joined(test: &str, consumers: usize) -> (Service, Vec<Consumer>) {
    let address = Address::abstract_name(format!("wirecontract-service-{test}-{}", std::process::id()));
    let options = handoff::Options::default().message_timeout(LONG).send_buffer(1);
    let sides = Options::default().hello_timeout(LONG);
    let service =
        Service::new(Listener::bind(&address, &options).expect("nobody"), &sides).expect("a service");
    let connect = |_| {
        let channel = Channel::connect(&address, &options).expect("it listens");
        Consumer::new(channel, &sides).expect("a consumer")
    };
    let all: Vec<_> = (0..consumers).map(connect).collect();
    while service.consumers().len() < consumers {
        service.poll(LONG).expect("it goes on");
    }
    (service, all)
}

/// Calls the service that it was lent by when it is dropped.
struct Calls(Weak<Service>);

impl Drop for Calls {
    fn drop(&mut self) {
        if let Some(service) = self.0.upgrade() {
            service.consumers();
            service.deadline();
        }
    }
}

#[test]
fn an_owner_that_calls_the_service_is_dropped_without_its_lock() {
    let (service, consumers) = joined("owner", 1);
    let service = Arc::new(service);
    let (producer, owner) = {
        let (consumer, _) = service.consumers()[0];
        (service.producer(consumer).expect("it is there"), Arc::new(Calls(Arc::downgrade(&service))))
    };
    producer.link.leave(owner);
    // News of it, which has the service look at it.
    consumers[0].close();
    let (tells, told) = channel();
    let polls = Arc::clone(&service);
    thread::spawn(move || tells.send(polls.poll(LONG).expect("it goes on").len()));
    assert_eq!(told.recv_timeout(LONG).expect("it does not wait for itself"), 1);
}

#[test]
fn one_that_cannot_be_watched_takes_no_news_of_others_with_it() {
    let (service, consumers) = joined("watch", 2);
    let [(first, _), (second, _)] = service.consumers()[..] else { panic!("two") };
    let producer = service.producer(first).expect("it is there");
    service.watch.remove(producer.as_fd()).expect("it was watched");
    let buffer = HostBuffer::create(&HostOptions::new(1)).expect("memory");
    let lend = Lend::host(&buffer).expect("a descriptor");
    // Until it has to be watched for being writable.
    while !producer.link.standing().writes {
        producer.offer_without_waiting(&lend).expect("it is offered");
    }
    consumers[1].close();
    let mut left = Vec::new();
    while left.len() < 2 {
        let events = service.poll(LONG).expect("what happened is told");
        assert!(!events.is_empty(), "nothing happened for long, after {left:?}");
        for event in events {
            let ServiceEvent::Left { consumer, lost } = event else { panic!("{event:?}") };
            left.push((consumer, lost.because.code()));
        }
    }
    left.sort_by_key(|(consumer, _)| *consumer);
    assert_eq!(left, [(first, Code::Io), (second, Code::PeerClosed)]);
}

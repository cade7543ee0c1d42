//! What a service does when something has happened.

use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::watch::Source;
use super::{ConsumerId, Served, Service, ServiceEvent, State};
use crate::handoff::{self, Limit};
use crate::lease::link::Standing;
use crate::lease::{Error, Producer};

/// How many peers are accepted before those that are there have their turn.
const AT_ONCE: usize = 64;

/// How long a listener rests that has no file descriptor for who connects.
const REST: Duration = Duration::from_millis(50);

impl Service {
    /// Lets in who connected.
    pub(super) fn accept(&self, events: &mut Vec<ServiceEvent>) {
        for _ in 0..AT_ONCE {
            match self.listener.try_accept() {
                Ok(Some(channel)) => {
                    if let Err(because) = self.admit(channel) {
                        events.push(ServiceEvent::Refused { because });
                    }
                }
                Ok(None) => return,
                Err(error) => {
                    // The next one would be refused at once, and again.
                    let rests = matches!(error, handoff::Error::Io { .. });
                    events.push(ServiceEvent::Refused { because: error.into() });
                    if rests && self.watch.pause(self.listener.as_fd(), Source::Listener).is_ok() {
                        self.lock().rests = Limit::of(Some(REST));
                        return;
                    }
                }
            }
        }
    }

    fn admit(&self, channel: handoff::Channel) -> Result<(), Error> {
        let producer = Producer::new(channel, &self.options)?;
        let mut state = self.lock();
        let most = self.options.consumers;
        if state.consumers.len() >= most {
            return Err(Error::TooManyConsumers { most });
        }
        let number = state.next;
        producer.link.serve(Arc::clone(&self.notices), number);
        self.watch.add(producer.as_fd(), Source::Consumer(number))?;
        if let Some(process) = producer.link.process() {
            self.watch.add(process, Source::Process(number))?;
        }
        state.next += 1;
        state.consumers.insert(number, Served::new(producer.clone()));
        drop(state);
        // The hello goes out.
        producer.link.look(|_| ());
        Ok(())
    }

    /// Looks at one of whom something has come.
    pub(super) fn hear(&self, number: u64) {
        // Outside of the lock: what is dropped with a lease may call this service.
        let producer = self.producer(ConsumerId(number));
        producer.iter().for_each(|producer| producer.link.look(|_| ()));
    }

    /// Looks at those whose time is over, and has the listener watched again that has rested.
    pub(super) fn hurry(&self) {
        let mut state = self.lock();
        if state.rests.is_some_and(Limit::is_over) {
            // Where that cannot be, it rests again.
            let watched = self.watch.change(self.listener.as_fd(), Source::Listener, false);
            state.rests = if watched.is_ok() { None } else { Limit::of(Some(REST)) };
        }
        let now = Instant::now();
        let late: Vec<_> =
            state.late.iter().take_while(|(at, _)| *at <= now).map(|(_, number)| *number).collect();
        drop(state);
        late.into_iter().for_each(|number| self.hear(number));
    }

    /// Notes of whom there is news, who joined and who left among them.
    pub(super) fn note(&self, events: &mut Vec<ServiceEvent>) {
        let mut gone = Vec::new();
        for number in self.notices.take() {
            let mut state = self.lock();
            let Some(served) = state.consumers.get(&number) else { continue };
            let producer = served.producer.clone();
            // Under the lock, so that what is noted last is what was so last.
            let standing = producer.link.standing();
            let (consumer, peer) = (ConsumerId(number), producer.peer());
            let Noted { joins, joined, turns } = state.note(number, standing);
            if joins {
                events.push(ServiceEvent::Joined { consumer, peer });
            }
            if standing.lost {
                gone.extend(state.consumers.remove(&number));
                drop(state);
                let lost = producer.lost().expect("it stays so");
                events.push(if joined {
                    ServiceEvent::Left { consumer, lost }
                } else {
                    ServiceEvent::Refused { because: Error::Lost(lost) }
                });
                continue;
            }
            let change = || self.watch.change(producer.as_fd(), Source::Consumer(number), standing.writes);
            let watched = if turns { change() } else { Ok(()) };
            drop(state);
            if let Err(because) = watched {
                // Who cannot be watched would be forgotten. That is news, and noted with the next.
                producer.link.lose(&mut producer.link.lock(), because);
            }
        }
        for served in gone {
            // A lease may keep the channel. What is not watched need not be told so.
            let _ = self.watch.remove(served.producer.as_fd());
            served.producer.link.process().map(|process| self.watch.remove(process));
        }
    }
}

/// What is new of a consumer.
#[derive(Default)]
struct Noted {
    joins: bool,
    /// Whether it has joined by now.
    joined: bool,
    /// Whether it is to be watched for being writable, or no more.
    turns: bool,
}

impl State {
    /// Notes how a consumer stands.
    fn note(&mut self, number: u64, standing: Standing) -> Noted {
        let Some(served) = self.consumers.get_mut(&number) else { return Noted::default() };
        if let Some(before) = served.until.take() {
            self.late.remove(&(before.at(), number));
        }
        served.until = standing.until.filter(|_| !standing.lost);
        if let Some(until) = served.until {
            self.late.insert((until.at(), number));
        }
        let joins = standing.greeted && !served.joined;
        served.joined |= standing.greeted;
        let turns = std::mem::replace(&mut served.writes, standing.writes) != standing.writes;
        Noted { joins, joined: served.joined, turns }
    }
}

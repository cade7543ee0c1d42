//! What a service does when something has happened.

use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::Duration;

use super::watch::Source;
use super::{ConsumerId, Served, Service, ServiceEvent};
use crate::handoff::{self, Limit};
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
        producer.link.serve(Arc::clone(&self.wake));
        self.watch.add(producer.as_fd(), Source::Consumer(state.next))?;
        if let Some(process) = producer.link.process() {
            self.watch.add(process, Source::Process(state.next))?;
        }
        let number = state.next;
        state.next += 1;
        state.consumers.insert(number, Served { producer: producer.clone(), joined: false, writes: false });
        drop(state);
        // The hello goes out.
        producer.link.look(|_| ());
        Ok(())
    }

    /// Finds who joined, who left, who is late, and who has something to be sent.
    pub(super) fn sweep(&self, events: &mut Vec<ServiceEvent>) -> Result<(), Error> {
        self.hurry();
        let mut gone = Vec::new();
        let mut state = self.lock();
        if state.rests.is_some_and(Limit::is_over) {
            self.watch.change(self.listener.as_fd(), Source::Listener, false)?;
            state.rests = None;
        }
        for (&number, served) in &mut state.consumers {
            let link = &served.producer.link;
            let (lost, greeted, writes) = {
                let state = link.lock();
                (state.lost.clone(), state.has_greeted(), link.writes(&state))
            };
            let (consumer, peer) = (ConsumerId(number), served.producer.peer());
            if greeted && !served.joined {
                served.joined = true;
                events.push(ServiceEvent::Joined { consumer, peer });
            }
            if let Some(lost) = lost {
                gone.push(number);
                events.push(if served.joined {
                    ServiceEvent::Left { consumer, lost }
                } else {
                    ServiceEvent::Refused { because: Error::Lost(lost) }
                });
            } else if writes != served.writes {
                self.watch.change(served.producer.as_fd(), Source::Consumer(number), writes)?;
                served.writes = writes;
            }
        }
        let gone: Vec<_> = gone.iter().filter_map(|number| state.consumers.remove(number)).collect();
        drop(state);
        // A lease may keep the channel.
        gone.iter().try_for_each(|served| {
            served.producer.link.process().map_or(Ok(()), |process| self.watch.remove(process))?;
            self.watch.remove(served.producer.as_fd())
        })
    }

    /// Looks at those whose time is over.
    fn hurry(&self) {
        let late = |served: &&Served| {
            let link = &served.producer.link;
            link.deadline(&link.lock()).is_some_and(Limit::is_over)
        };
        let late: Vec<_> =
            self.lock().consumers.values().filter(late).map(|served| served.producer.clone()).collect();
        late.iter().for_each(|producer| producer.link.look(|_| ()));
    }
}

use wirecontract::Code;
use wirecontract_gpu::buffer::{
    ConsumerMessage, EndReason, LeaseEnd, LeaseName, MemoryAfter, OfferRefusal, Ping, ProducerMessage,
    SharedBuffer,
};

use super::*;
use crate::host::{HostBuffer, HostOptions};
use crate::lease::{Error, Lend};

fn buffer() -> SharedBuffer {
    let host = HostBuffer::create(&HostOptions::new(64)).expect("memory");
    Lend::host(&host).expect("a descriptor").buffer().clone()
}

/// Two sides, and what is on its way between them.
struct Two {
    producer: ProducerRules,
    consumer: ConsumerRules,
    to_consumer: Vec<ProducerMessage>,
    to_producer: Vec<ConsumerMessage>,
}

impl Two {
    fn new(most: usize) -> Two {
        let (producer, consumer) = (ProducerRules::new(most), ConsumerRules::new(most));
        Two { producer, consumer, to_consumer: Vec::new(), to_producer: Vec::new() }
    }

    fn offer(&mut self) -> u64 {
        let (lease, offer) = self.producer.offer(&buffer()).expect("there is room");
        self.to_consumer.push(ProducerMessage::Offer(offer));
        lease
    }

    fn end(&mut self, lease: u64, reason: EndReason) {
        let said = self.producer.end(lease, reason, MemoryAfter::Stays).expect("a reason");
        self.to_consumer.extend(said.expect("it lasts"));
    }

    /// The consumer reads all that is on its way.
    fn consume(&mut self) -> Vec<ConsumerEvent> {
        let came = std::mem::take(&mut self.to_consumer);
        let hear = |message| {
            let heard = self.consumer.hear(message).expect("it may be said");
            self.to_producer.extend(heard.answer);
            heard.event
        };
        came.into_iter().map(hear).collect()
    }

    fn produce(&mut self) -> Vec<ProducerEvent> {
        let came = std::mem::take(&mut self.to_producer);
        let hear = |message| {
            let heard = self.producer.hear(message).expect("it may be said");
            self.to_consumer.extend(heard.answer);
            heard.event
        };
        came.into_iter().map(hear).collect()
    }

    /// Until nothing is on its way.
    fn settle(&mut self) {
        while !(self.to_consumer.is_empty() && self.to_producer.is_empty()) {
            self.consume();
            self.produce();
        }
    }

    fn outstanding(&self) -> (usize, usize) {
        (self.producer.outstanding(), self.consumer.outstanding())
    }
}

fn name(lease_id: u64) -> LeaseName {
    LeaseName { lease_id }
}

fn taken(lease: u64) -> ConsumerMessage {
    ConsumerMessage::Taken(name(lease))
}

fn release(lease: u64) -> ConsumerMessage {
    ConsumerMessage::Release(name(lease))
}

fn refused(lease_id: u64) -> ConsumerMessage {
    ConsumerMessage::Refused(OfferRefusal { lease_id, code: 26, message: "a pipe".to_owned() })
}

fn ended(lease_id: u64, reason: EndReason) -> ProducerMessage {
    ProducerMessage::Ended(LeaseEnd { lease_id, reason, memory: MemoryAfter::Gone })
}

#[test]
fn a_lease_goes_from_offer_to_the_answer_of_its_release() {
    let mut two = Two::new(4);
    let lease = two.offer();
    assert_eq!((lease, two.producer.phase(lease)), (1, Phase::Offered));
    assert!(matches!(&two.consume()[..], [ConsumerEvent::Offered(offer)] if offer.lease_id == lease));
    two.to_producer.extend(two.consumer.take(lease));
    assert_eq!(two.produce(), [ProducerEvent::Taken(lease)]);
    assert_eq!((two.producer.phase(lease), two.consumer.phase(lease)), (Phase::Held, Phase::Held));
    let revoke = two.producer.revoke(lease).expect("it lasts");
    assert_eq!((two.producer.revoke(lease), two.producer.is_revoked(lease)), (None, true));
    two.to_consumer.push(revoke);
    assert_eq!(two.consume(), [ConsumerEvent::Revoked(lease)]);
    assert!(two.consumer.is_revoked(lease));
    two.to_producer.extend(two.consumer.release(lease));
    assert_eq!(two.consumer.release(lease), None, "once");
    assert_eq!(two.consumer.phase(lease), Phase::Releasing);
    assert_eq!(two.produce(), [ProducerEvent::Released(lease)]);
    assert_eq!(two.consume(), [ConsumerEvent::Released(lease)]);
    assert_eq!(two.outstanding(), (0, 0));
}

#[test]
fn a_refused_offer_is_over_and_its_number_is_free_behind_the_pong() {
    let mut two = Two::new(1);
    let lease = two.offer();
    two.consume();
    let said = two.consumer.refuse(lease, 26, &"é".repeat(600)).expect("it waits");
    let ConsumerMessage::Refused(refusal) = &said[0] else { panic!("{said:?}") };
    assert_eq!((refusal.code, refusal.message.len()), (26, 1024));
    assert!(two.consumer.take(lease).is_none() && two.consumer.release(lease).is_none());
    two.to_producer.extend(said);
    // Said before the refusal was read.
    two.to_consumer.extend(two.producer.revoke(lease));
    assert_eq!(two.consume(), [ConsumerEvent::Crossed(lease)]);
    assert_eq!(two.outstanding(), (1, 1));
    assert!(matches!(&two.produce()[..], [ProducerEvent::Refused(_), ProducerEvent::Asked]));
    assert_eq!(two.consume(), [ConsumerEvent::Answered(0)]);
    assert_eq!(two.outstanding(), (0, 0));
    let fault = two.consumer.hear(ProducerMessage::Revoke(name(lease))).expect_err("it is over");
    assert_eq!(fault, Fault::Unknown { word: Word::Revoke, lease, was: false });
}

/// Every word of the consumer's, on its way while the producer ends the lease.
#[test]
fn words_that_cross_an_end_are_passed_over_in_their_order() {
    for words in [&[][..], &["taken"], &["taken", "release"], &["refused"]] {
        for reason in [EndReason::Revoked, EndReason::TimedOut] {
            let mut two = Two::new(1);
            let lease = two.offer();
            two.consume();
            for word in words {
                match *word {
                    "taken" => two.to_producer.extend(two.consumer.take(lease)),
                    "release" => two.to_producer.extend(two.consumer.release(lease)),
                    _ => two.to_producer.extend(two.consumer.refuse(lease, 1, "").into_iter().flatten()),
                }
            }
            two.end(lease, reason);
            assert_eq!(two.producer.phase(lease), Phase::Over);
            assert!(matches!(two.producer.offer(&buffer()), Err(Error::TooMany { most: 1 })));
            let crossed = two.produce();
            let expected = vec![ProducerEvent::Crossed(lease); words.len()];
            assert_eq!(crossed[..words.len()], expected, "{words:?}");
            two.settle();
            assert_eq!(two.outstanding(), (0, 0), "{words:?}");
        }
    }
}

#[test]
fn what_an_end_leaves_is_known_to_the_consumer() {
    let mut two = Two::new(1);
    let lease = two.offer();
    two.end(lease, EndReason::TimedOut);
    let events = two.consume();
    let ConsumerEvent::Ended(end) = &events[1] else { panic!("{events:?}") };
    assert_eq!((end.reason, end.memory), (EndReason::TimedOut, MemoryAfter::Stays));
    assert_eq!((two.consumer.take(lease), two.consumer.refuse(lease, 1, "")), (None, None));
    two.settle();
    assert_eq!(two.outstanding(), (0, 0));
}

#[test]
fn only_a_producers_reasons_end_a_lease() {
    let mut two = Two::new(1);
    let lease = two.offer();
    for reason in [EndReason::Released, EndReason::PeerClosed, EndReason::PeerDied] {
        let error = two.producer.end(lease, reason, MemoryAfter::Gone).expect_err("it is not the producer's");
        assert_eq!(error.code(), Code::OutOfRange);
    }
    two.consume();
    for reason in [EndReason::PeerClosed, EndReason::PeerDied] {
        let fault = two.consumer.hear(ended(lease, reason)).expect_err("the socket says it");
        assert!(matches!(fault, Fault::Reason { lease: 1, .. }), "{fault}");
    }
    assert_eq!(two.consumer.phase(lease), Phase::Offered);
}

#[test]
fn a_producer_refuses_by_name_what_a_consumer_may_not_say() {
    let cases: [(&[ConsumerMessage], ConsumerMessage, Fault); 9] = [
        (&[], taken(7), Fault::Unknown { word: Word::Taken, lease: 7, was: false }),
        (&[], release(0), Fault::Unknown { word: Word::Release, lease: 0, was: false }),
        (&[], refused(u64::MAX), Fault::Unknown { word: Word::Refused, lease: u64::MAX, was: false }),
        (&[], release(1), Fault::OutOfOrder { word: Word::Release, lease: 1, phase: Phase::Offered }),
        (&[taken(1)], taken(1), Fault::OutOfOrder { word: Word::Taken, lease: 1, phase: Phase::Held }),
        (&[taken(1)], refused(1), Fault::OutOfOrder { word: Word::Refused, lease: 1, phase: Phase::Held }),
        (&[taken(1), release(1)], release(1), Fault::Unknown { word: Word::Release, lease: 1, was: true }),
        (&[refused(1)], taken(1), Fault::Unknown { word: Word::Taken, lease: 1, was: true }),
        (&[], ConsumerMessage::Pong(Ping { sequence: 0 }), Fault::Pong { expected: None, found: 0 }),
    ];
    for (before, word, expected) in cases {
        let mut producer = ProducerRules::new(2);
        producer.offer(&buffer()).expect("there is room");
        for word in before {
            producer.hear(word.clone()).expect("it may be said");
        }
        let fault = producer.hear(word.clone()).expect_err("it may not be said");
        assert_eq!(fault, expected, "{before:?} {word:?}");
        assert!(fault.to_string().contains(": expected "), "{fault}");
    }
}

#[test]
fn a_consumer_that_goes_on_behind_an_end_is_refused() {
    let mut producer = ProducerRules::new(2);
    let (lease, _) = producer.offer(&buffer()).expect("there is room");
    producer.end(lease, EndReason::Revoked, MemoryAfter::Stays).expect("a reason").expect("it lasts");
    assert_eq!(producer.end(lease, EndReason::Revoked, MemoryAfter::Stays).expect("a reason"), None);
    assert_eq!(producer.revoke(lease), None);
    producer.hear(taken(lease)).expect("it crossed");
    producer.hear(release(lease)).expect("it crossed");
    let fault = producer.hear(release(lease)).expect_err("twice");
    assert_eq!(fault, Fault::OutOfOrder { word: Word::Release, lease, phase: Phase::Over });
    let fault = producer.hear(ConsumerMessage::Pong(Ping { sequence: 1 })).expect_err("of another ping");
    assert_eq!(fault, Fault::Pong { expected: Some(0), found: 1 });
    producer.hear(ConsumerMessage::Pong(Ping { sequence: 0 })).expect("it was asked");
    assert_eq!(producer.outstanding(), 0);
}

#[test]
fn a_consumer_refuses_by_name_what_a_producer_may_not_say() {
    let offer = || ProducerMessage::Offer(ProducerRules::new(1).offer(&buffer()).expect("there is room").1);
    let revoke = |lease| ProducerMessage::Revoke(name(lease));
    let cases = [
        (vec![], offer(), Fault::IdInUse { lease: 1 }),
        (vec![], revoke(2), Fault::Unknown { word: Word::Revoke, lease: 2, was: false }),
        (vec![], ended(2, EndReason::Revoked), Fault::Unknown { word: Word::Ended, lease: 2, was: false }),
        (
            vec![],
            ended(1, EndReason::Released),
            Fault::OutOfOrder { word: Word::Ended, lease: 1, phase: Phase::Offered },
        ),
        (
            vec![revoke(1)],
            revoke(1),
            Fault::OutOfOrder { word: Word::Revoke, lease: 1, phase: Phase::Offered },
        ),
        (
            vec![ended(1, EndReason::Revoked)],
            ended(1, EndReason::Revoked),
            Fault::Unknown { word: Word::Ended, lease: 1, was: false },
        ),
        (vec![], ProducerMessage::Pong(Ping { sequence: 3 }), Fault::Pong { expected: None, found: 3 }),
    ];
    for (before, word, expected) in cases {
        let mut consumer = ConsumerRules::new(2);
        consumer.hear(offer()).expect("there is room");
        for word in &before {
            consumer.hear(word.clone()).expect("it may be said");
        }
        assert_eq!(consumer.hear(word.clone()).expect_err("it may not be said"), expected, "{word:?}");
    }
    let mut consumer = ConsumerRules::new(0);
    assert_eq!(consumer.hear(offer()).expect_err("none"), Fault::TooManyLeases { most: 0 });
}

/// Each side says whatever it may, in any order, and words wait on their way for as long as they like.
#[test]
fn two_sides_that_keep_the_rules_never_refuse_each_other() {
    for seed in 0..200u64 {
        let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |below: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            usize::try_from(random % below as u64).expect("it is small")
        };
        let mut two = Two::new(5);
        for _ in 0..400 {
            let lease = 1 + next(40) as u64;
            match next(8) {
                0 => {
                    if let Ok((_, offer)) = two.producer.offer(&buffer_once()) {
                        two.to_consumer.push(ProducerMessage::Offer(offer));
                    }
                }
                1 => two.to_producer.extend(two.consumer.take(lease)),
                2 => two.to_producer.extend(two.consumer.refuse(lease, 1, "no").into_iter().flatten()),
                3 => two.to_producer.extend(two.consumer.release(lease)),
                4 => two.to_consumer.extend(two.producer.revoke(lease)),
                5 => {
                    let end = two.producer.end(lease, EndReason::Revoked, MemoryAfter::Stays);
                    two.to_consumer.extend(end.expect("a reason").into_iter().flatten());
                }
                6 if !two.to_consumer.is_empty() => {
                    let message = two.to_consumer.remove(0);
                    let heard = two.consumer.hear(message).unwrap_or_else(|fault| panic!("{seed}: {fault}"));
                    two.to_producer.extend(heard.answer);
                }
                7 if !two.to_producer.is_empty() => {
                    let message = two.to_producer.remove(0);
                    let heard = two.producer.hear(message).unwrap_or_else(|fault| panic!("{seed}: {fault}"));
                    two.to_consumer.extend(heard.answer);
                }
                _ => {}
            }
        }
        two.settle();
        for lease in 1..=400 {
            let end = two.producer.end(lease, EndReason::Revoked, MemoryAfter::Stays).expect("a reason");
            two.to_consumer.extend(end.into_iter().flatten());
        }
        two.settle();
        assert_eq!(two.outstanding(), (0, 0), "{seed}");
    }
}

/// One buffer for all, since each makes a file.
fn buffer_once() -> SharedBuffer {
    static BUFFER: std::sync::OnceLock<SharedBuffer> = std::sync::OnceLock::new();
    BUFFER.get_or_init(buffer).clone()
}

//! The words of a lease: each document as it crosses, and what is refused of them.

use wirecontract::{Code, Expected, WireContract, WireError, WireJson};
use wirecontract_gpu::buffer::{
    BufferKind, ConsumerMessage, DLDataTypeCode, ElementType, EndReason, GeometryError, LeaseEnd, LeaseName,
    MemoryAfter, Offer, OfferError, OfferRefusal, Ping, ProducerMessage, SharedBuffer,
};

const LEASE: LeaseName = LeaseName { lease_id: u64::MAX };

fn memfd() -> SharedBuffer {
    let mut buffer = SharedBuffer::new(BufferKind::HostMemfd, 64);
    let element = ElementType::new(DLDataTypeCode::UInt, 8);
    buffer.set_tensor(element, &[8, 8], None).expect("it fits");
    buffer
}

#[test]
fn every_message_of_a_producer_crosses_as_it_is_declared() {
    let end = |reason, memory| ProducerMessage::Ended(LeaseEnd { lease_id: 7, reason, memory });
    let cases = [
        (ProducerMessage::Revoke(LEASE), r#"{"op":"revoke","lease_id":"18446744073709551615"}"#),
        (
            end(EndReason::Released, MemoryAfter::Gone),
            r#"{"op":"ended","lease_id":"7","reason":"released","memory":"gone"}"#,
        ),
        (
            end(EndReason::Revoked, MemoryAfter::Stays),
            r#"{"op":"ended","lease_id":"7","reason":"revoked","memory":"stays"}"#,
        ),
        (
            end(EndReason::PeerClosed, MemoryAfter::Gone),
            r#"{"op":"ended","lease_id":"7","reason":"peer_closed","memory":"gone"}"#,
        ),
        (
            end(EndReason::PeerDied, MemoryAfter::Gone),
            r#"{"op":"ended","lease_id":"7","reason":"peer_died","memory":"gone"}"#,
        ),
        (
            end(EndReason::TimedOut, MemoryAfter::Stays),
            r#"{"op":"ended","lease_id":"7","reason":"timed_out","memory":"stays"}"#,
        ),
        (ProducerMessage::Ping(Ping { sequence: 0 }), r#"{"op":"ping","sequence":"0"}"#),
        (ProducerMessage::Pong(Ping { sequence: 1 }), r#"{"op":"pong","sequence":"1"}"#),
    ];
    for (message, document) in cases {
        assert_eq!(message.to_json().as_deref(), Ok(document));
        assert_eq!(ProducerMessage::from_json(document.as_bytes()), Ok(message.clone()));
        assert_eq!(message.validate_import(0), Ok(()));
        let error = message.validate_import(1).expect_err("no file descriptor rides beside it");
        assert_eq!(rule(&error), (Code::RuleViolated, "no_fds"), "{document}");
    }
}

#[test]
fn every_message_of_a_consumer_crosses_as_it_is_declared() {
    let refusal = OfferRefusal { lease_id: 7, code: 10, message: "another device".to_owned() };
    let cases = [
        (ConsumerMessage::Taken(LEASE), r#"{"op":"taken","lease_id":"18446744073709551615"}"#),
        (
            ConsumerMessage::Refused(refusal),
            r#"{"op":"refused","lease_id":"7","code":10,"message":"another device"}"#,
        ),
        (ConsumerMessage::Release(LEASE), r#"{"op":"release","lease_id":"18446744073709551615"}"#),
        (ConsumerMessage::Ping(Ping { sequence: 2 }), r#"{"op":"ping","sequence":"2"}"#),
        (ConsumerMessage::Pong(Ping { sequence: 3 }), r#"{"op":"pong","sequence":"3"}"#),
    ];
    for (message, document) in cases {
        assert_eq!(message.to_json().as_deref(), Ok(document));
        assert_eq!(ConsumerMessage::from_json(document.as_bytes()), Ok(message.clone()));
        assert_eq!(message.validate_import(0), Ok(()));
        let error = message.validate_import(1).expect_err("no file descriptor rides beside it");
        assert_eq!(rule(&error), (Code::RuleViolated, "no_fds"), "{document}");
    }
}

fn rule(error: &WireError) -> (Code, &'static str) {
    match error.expected {
        Expected::Rule(rule) => (error.code, rule.name),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_offer_carries_the_bytes_of_its_buffer_and_says_what_rides_beside() {
    let buffer = memfd();
    let offer = Offer::new(7, &buffer).expect("it may be offered");
    assert_eq!((offer.lease_id, offer.fds), (7, 1));
    assert_eq!(offer.buffer, buffer.to_bytes().expect("it can be written"));
    let document = ProducerMessage::Offer(offer.clone()).to_json().expect("it can be written");
    // 448 bytes are 149 groups of three, and one byte.
    let text = document.strip_prefix(r#"{"op":"offer","lease_id":"7","buffer":"V0NTQgEAAAABAAAA"#);
    let text = text.and_then(|text| text.strip_suffix(r#"AA==","fds":1}"#)).expect("the bytes in base64");
    assert_eq!(16 + text.len() + 4, 600);
    let ProducerMessage::Offer(read) = ProducerMessage::from_json(document.as_bytes()).expect("it is read")
    else {
        panic!("it is an offer")
    };
    assert_eq!(read.shared_buffer(), Ok(buffer));
    for (came, is_right) in [(0, false), (1, true), (2, false)] {
        let verdict = ProducerMessage::Offer(offer.clone()).validate_import(came);
        let verdict = verdict.map_err(|error| rule(&error));
        assert_eq!(verdict, if is_right { Ok(()) } else { Err((Code::RuleViolated, "fds")) }, "{came}");
    }
}

#[test]
fn a_buffer_that_nobody_may_import_is_neither_offered_nor_taken() {
    let mut outside = memfd();
    outside.offset = 1;
    let error = outside.validate_import().expect_err("it is not within its allocation");
    assert_eq!(Offer::new(1, &outside), Err(OfferError::Wire(error)));
    let bytes = outside.to_bytes().expect("writers do not ask what importers do").to_vec();
    let offer = Offer { lease_id: 1, buffer: bytes, fds: 1 };
    assert_eq!(offer.shared_buffer(), Err(OfferError::Wire(error)));

    let mut long = memfd();
    (long.strides_len, long.strides[0], long.strides[1]) = (2, 9, 1);
    let error = GeometryError::Outside { begin: 0, end: 71, size: 64 };
    assert_eq!(Offer::new(1, &long), Err(OfferError::Geometry(error)));
    let bytes = long.to_bytes().expect("writers do not ask what importers do").to_vec();
    let offer = Offer { lease_id: 1, buffer: bytes, fds: 1 };
    assert_eq!(offer.shared_buffer(), Err(OfferError::Geometry(error)));

    let offer = Offer::new(1, &memfd()).expect("it may be offered");
    let short = Offer { buffer: offer.buffer[..447].to_vec(), ..offer.clone() };
    assert_eq!(short.shared_buffer().map_err(|error| error.code()), Err(Code::TooShort));
    for fds in [0, 2] {
        let other = Offer { fds, ..offer.clone() };
        let error = OfferError::FdCount { kind: BufferKind::HostMemfd, fds };
        assert_eq!(other.shared_buffer(), Err(error.clone()));
        assert_eq!(error.code(), Code::FdCount);
    }
    assert_eq!(
        OfferError::FdCount { kind: BufferKind::HostMemfd, fds: 2 }.to_string(),
        "expected one file descriptor beside the buffer, found 2: send what its kind has"
    );
}

#[test]
fn bytes_of_no_type_are_offered_as_tensors_are() {
    let bytes = SharedBuffer::new(BufferKind::HostMemfd, 1);
    let offer = Offer::new(1, &bytes).expect("it may be offered");
    assert_eq!(offer.shared_buffer(), Ok(bytes));
}

#[test]
fn documents_are_refused_by_code_field_and_offset() {
    let refused = |document: &str| {
        let error = ProducerMessage::from_json(document.as_bytes()).expect_err("it is refused");
        (error.code, error.contract, error.field, error.offset)
    };
    assert_eq!(refused(r#"{"op":"taken","lease_id":"1"}"#), (Code::UnknownTag, "ProducerMessage", "op", 6));
    assert_eq!(refused(r#"{"op":"revoke"}"#), (Code::MissingKey, "LeaseName", "lease_id", 0));
    assert_eq!(refused(r#"{"op":"revoke","lease_id":1}"#), (Code::WrongType, "LeaseName", "lease_id", 26));
    assert_eq!(
        refused(r#"{"op":"revoke","lease_id":"18446744073709551616"}"#),
        (Code::OutOfRange, "LeaseName", "lease_id", 26)
    );
    assert_eq!(
        refused(r#"{"op":"ended","lease_id":"1","reason":"lost","memory":"gone"}"#),
        (Code::UnknownValue, "LeaseEnd", "reason", 38)
    );
    // What was given back is not there to be touched.
    assert_eq!(
        refused(r#"{"op":"ended","lease_id":"1","reason":"released","memory":"stays"}"#),
        (Code::RuleViolated, "LeaseEnd", "", 0)
    );
    assert_eq!(
        refused(r#"{"op":"offer","lease_id":"1","buffer":"V0NTQg","fds":1}"#),
        (Code::BadEncoding, "Offer", "buffer", 38)
    );
    let long = "A".repeat(5464);
    assert_eq!(
        refused(&format!(r#"{{"op":"offer","lease_id":"1","buffer":"{long}","fds":1}}"#)),
        (Code::TooLarge, "Offer", "buffer", 38)
    );
    assert_eq!(
        refused(r#"{"op":"offer","lease_id":"1","buffer":"","fds":254}"#),
        (Code::OutOfRange, "Offer", "fds", 47)
    );
    let refusal = r#"{"op":"refused","lease_id":"1","code":0,"message":""}"#;
    let error = ConsumerMessage::from_json(refusal.as_bytes()).expect_err("it is refused");
    assert_eq!((error.code, error.field, error.offset), (Code::OutOfRange, "code", 38));
}

#[test]
fn what_stays_when_the_exporter_is_gone_the_kind_says() {
    use BufferKind::{CudaFabric, CudaLegacy, CudaPool, CudaVmm, DmaBuf, HostMemfd, VulkanOpaqueFd};
    for kind in [HostMemfd, DmaBuf, VulkanOpaqueFd] {
        assert_eq!(MemoryAfter::of(kind), MemoryAfter::Stays, "{kind:?}");
    }
    for kind in [CudaLegacy, CudaPool, CudaVmm, CudaFabric] {
        assert_eq!(MemoryAfter::of(kind), MemoryAfter::Gone, "{kind:?}");
    }
}

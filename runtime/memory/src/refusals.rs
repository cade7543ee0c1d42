//! What each refusal says, as a table that other languages hold theirs against: `tests/data/refusals.jsonl`.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use wirecontract::hello::{Hello, negotiate};
use wirecontract::{Code, Enumeration as _};
use wirecontract_gpu::buffer::{EndReason, GeometryError, MemoryAfter, OfferRefusal};

use crate::handoff::{Address, DeclaredError, Direction, Doing, Error, Misplaced, Peers};
use crate::host::{Access, Barrier, FileKind, HostError};
use crate::lease::rules::{Fault, Phase, Word};
use crate::lease::{self, End, Lost, Outcome};

const TABLE: &str = include_str!("../../../tests/data/refusals.jsonl");

/// The names of an enumeration's variants: one that is new has to be here, and in the table.
macro_rules! names {
    ($function:ident, $type:ty, $all:ident: $($variant:ident)*) => {
        fn $function(error: &$type) -> &'static str {
            type Named = $type;
            match error {
                $(Named::$variant { .. } => stringify!($variant),)*
            }
        }

        const $all: &[&str] = &[$(stringify!($variant)),*];
    };
}

names!(handoff_name, Error, HANDOFF: FdCount FdsMisplaced FdsRepeated FdsLost TooManyFds FdsInFlight TooLarge
    TooLargeToSend EmptyPacket Timeout PeerClosed ClosedInMessage OutOfStep Hello InUse Locked NotOurs AddressTooLong
    BadAddress PeerUser PeerUnmapped FdKind Forked ProcessEnded NoPidFd FetchRefused NoSuchFd Io);
names!(declared_name, DeclaredError, DECLARED: Channel Contract IdMismatch NoId);
names!(host_name, HostError, HOST: Empty MoreThanMemory TooLarge Range FileTooShort Kind NotSealed Access Descriptor
    OtherMemory OutOfBounds Length Shrunk Alignment Misaligned NameWithNul Name HugePages WrittenHugePages FinalSeals
    StillWritten EmptyPool Busy Timeout Forked Os);
names!(lease_name, lease::Error, LEASE: Handoff Wire Hello Offer Host Fault FdCount TooMany TooManyConsumers Reason
    Refused Unusable Over Answered Timeout Lost Closed);
names!(fault_name, Fault, FAULT: IdInUse Unknown OutOfOrder Reason TooManyLeases Pong TooManyPings);

/// What only passes on what something else says, which has its own line or is a contract's.
const PASSES_ON: &[&str] =
    &["Channel", "Contract", "Descriptor", "Handoff", "Wire", "Hello", "Offer", "Host", "Fault"];

fn line(module: &str, error: &str, with: &str, code: Code, text: &str) -> String {
    let (code, text) = (code.name(), text.replace('\\', "\\\\").replace('"', "\\\""));
    format!(
        r#"{{"module": "{module}", "error": "{error}", "with": {with}, "code": "{code}", "text": "{text}"}}"#
    )
}

fn handoff(with: &str, error: &Error) -> String {
    line("handoff", handoff_name(error), with, error.code(), &error.to_string())
}

fn host(with: &str, error: &HostError) -> String {
    line("host", host_name(error), with, error.code(), &error.to_string())
}

fn lease(with: &str, error: &lease::Error) -> String {
    line("lease", lease_name(error), with, error.code(), &error.to_string())
}

fn fault(with: &str, error: &Fault) -> String {
    line("fault", fault_name(error), with, error.code(), &error.to_string())
}

fn messages() -> Vec<String> {
    let mut lines = Vec::new();
    for (expected, found) in
        [(0..=0, 2), (1..=1, 0), (2..=2, 3), (0..=1, 2), (0..=6, 7), (1..=6, 0), (1..=6, 7)]
    {
        let with =
            format!(r#"{{"least": {}, "most": {}, "found": {found}}}"#, expected.start(), expected.end());
        lines.push(handoff(&with, &Error::FdCount { expected, found }));
    }
    for (found, at, place) in [(1, Misplaced::Later, "later"), (2, Misplaced::Prefix, "prefix")] {
        let with = format!(r#"{{"found": {found}, "at": "{place}"}}"#);
        lines.push(handoff(&with, &Error::FdsMisplaced { found, at }));
    }
    lines.extend([
        handoff(r#"{"first": 0, "second": 2}"#, &Error::FdsRepeated { first: 0, second: 2 }),
        handoff(r#"{"came": 3}"#, &Error::FdsLost { came: 3 }),
        handoff(r#"{"most": 253, "found": 254}"#, &Error::TooManyFds { most: 253, found: 254 }),
        handoff("{}", &Error::FdsInFlight),
        handoff(r#"{"most": 100, "found": 101}"#, &Error::TooLarge { most: 100, found: 101 }),
        handoff(
            r#"{"most": 9, "found": 10, "packet": true}"#,
            &Error::TooLargeToSend { most: 9, found: 10, packet: true },
        ),
        handoff(
            r#"{"most": 9, "found": 10, "packet": false}"#,
            &Error::TooLargeToSend { most: 9, found: 10, packet: false },
        ),
        handoff("{}", &Error::EmptyPacket),
        handoff(r#"{"unread": true}"#, &Error::PeerClosed { unread: true }),
        handoff(r#"{"unread": false}"#, &Error::PeerClosed { unread: false }),
        handoff(r#"{"crossed": 7, "missing": 1}"#, &Error::ClosedInMessage { crossed: 7, missing: 1 }),
        handoff(
            r#"{"direction": "receive", "because": "too_large"}"#,
            &Error::OutOfStep { direction: Direction::Receive, because: Code::TooLarge },
        ),
        handoff(
            r#"{"direction": "send", "because": "timeout"}"#,
            &Error::OutOfStep { direction: Direction::Send, because: Code::Timeout },
        ),
    ]);
    for (doing, name, milliseconds) in [
        (Doing::Connecting, "connecting", 10_000),
        (Doing::Accepting, "accepting", 1_500),
        (Doing::Hello, "hello", 250),
        (Doing::Sending, "sending", 1_000),
        (Doing::Waiting, "waiting", 0),
        (Doing::Receiving, "receiving", 61_250),
        (Doing::Turn, "turn", 1),
    ] {
        let with = format!(r#"{{"doing": "{name}", "after_ms": {milliseconds}, "crossed": 7}}"#);
        let after = Duration::from_millis(milliseconds);
        lines.push(handoff(&with, &Error::Timeout { doing, after, crossed: 7 }));
    }
    lines
}

fn channels() -> Vec<String> {
    let nothing = Hello::default();
    let unspoken = negotiate(&nothing, &nothing, "a::B").expect_err("neither side speaks it");
    let path = || PathBuf::from("/run/a.sock");
    let users = |users: &[u32]| Peers::users(users.iter().copied());
    vec![
        handoff(r#"{"contract": "a::B"}"#, &Error::Hello(Box::new(unspoken))),
        handoff(r#"{"address": "/run/a.sock"}"#, &Error::InUse { address: path().into() }),
        handoff(
            r#"{"address": "\u0000a\"b\tc"}"#,
            &Error::InUse { address: Address::abstract_name("a\"b\tc") },
        ),
        handoff(r#"{"path": "/run/a.sock"}"#, &Error::Locked { path: path() }),
        handoff(
            r#"{"path": "/run/a.sock", "found": "a directory"}"#,
            &Error::NotOurs { path: path(), found: "a directory".into() },
        ),
        handoff(r#"{"most": 107, "found": 108}"#, &Error::AddressTooLong { most: 107, found: 108 }),
        handoff(
            r#"{"found": "/tmp/a\u0000\"b", "why": "a path holds no NUL"}"#,
            &Error::BadAddress { found: "/tmp/a\0\"b".into(), why: "a path holds no NUL" },
        ),
        handoff(
            r#"{"expected": [0, 7], "uid": 8, "pid": 9}"#,
            &Error::PeerUser { expected: users(&[0, 7]), uid: 8, pid: Some(9) },
        ),
        handoff(
            r#"{"expected": [], "uid": 8, "pid": null}"#,
            &Error::PeerUser { expected: users(&[]), uid: 8, pid: None },
        ),
        handoff(r#"{"uid": 65534, "pid": 9}"#, &Error::PeerUnmapped { uid: 65534, pid: Some(9) }),
        handoff(
            r#"{"expected": "a pidfd", "found": "a file"}"#,
            &Error::FdKind { expected: "a pidfd", found: "a file".into() },
        ),
        handoff(r#"{"what": "channel", "maker": 7}"#, &Error::Forked { what: "channel", maker: 7 }),
        handoff("{}", &Error::ProcessEnded),
        handoff("{}", &Error::NoPidFd),
        handoff(r#"{"number": 5, "yama": 1}"#, &Error::FetchRefused { number: 5, yama: Some(1) }),
        handoff(r#"{"number": 5, "yama": null}"#, &Error::FetchRefused { number: 5, yama: None }),
        handoff(r#"{"number": 5}"#, &Error::NoSuchFd { number: 5 }),
        handoff(
            r#"{"doing": "connecting to /run/a.sock", "errno": 2}"#,
            &Error::io("connecting to /run/a.sock", io::Error::from_raw_os_error(2)),
        ),
        {
            let error = DeclaredError::IdMismatch { contract: "Frame", expected: 0x10, found: 0x2f };
            let with = r#"{"contract": "Frame", "expected": 16, "found": 47}"#;
            line("declared", declared_name(&error), with, error.code(), &error.to_string())
        },
        {
            let error = DeclaredError::NoId { found: 7 };
            line("declared", declared_name(&error), r#"{"found": 7}"#, error.code(), &error.to_string())
        },
    ]
}

fn memory() -> Vec<String> {
    let refused = |wanted, barrier| HostError::Access { wanted, barrier };
    vec![
        host("{}", &HostError::Empty),
        host(r#"{"pages": 9, "memory": 8}"#, &HostError::MoreThanMemory { pages: 9, memory: 8 }),
        host(r#"{"offset": 4, "size": 9, "most": 8}"#, &HostError::TooLarge { offset: 4, size: 9, most: 8 }),
        host(
            r#"{"offset": 4, "size": 9, "allocation_size": 8}"#,
            &HostError::Range { offset: 4, size: 9, allocation_size: 8 },
        ),
        host(
            r#"{"allocation_size": 8, "file_size": 7}"#,
            &HostError::FileTooShort { allocation_size: 8, file_size: 7 },
        ),
        host(r#"{"found": "a pipe"}"#, &HostError::Kind { found: FileKind::Pipe }),
        host(r#"{"missing": 18, "seals": 0}"#, &HostError::NotSealed { missing: 18, seals: 0 }),
        host(r#"{"missing": 2, "seals": 61}"#, &HostError::NotSealed { missing: 2, seals: 61 }),
        host(
            r#"{"wanted": "read_only", "barrier": "open_write_only"}"#,
            &refused(Access::ReadOnly, Barrier::OpenWriteOnly),
        ),
        host(
            r#"{"wanted": "read_write", "barrier": "open_read_only"}"#,
            &refused(Access::ReadWrite, Barrier::OpenReadOnly),
        ),
        host(
            r#"{"wanted": "read_write", "barrier": "open_append"}"#,
            &refused(Access::ReadWrite, Barrier::OpenAppend),
        ),
        host(
            r#"{"wanted": "read_write", "barrier": "sealed_against_writing"}"#,
            &refused(Access::ReadWrite, Barrier::SealedAgainstWriting),
        ),
        host(
            r#"{"wanted": "read_write", "barrier": "imported_read_only"}"#,
            &refused(Access::ReadWrite, Barrier::ImportedReadOnly),
        ),
        host(
            r#"{"found": "dma_buf"}"#,
            &HostError::OtherMemory { found: wirecontract_gpu::buffer::BufferKind::DmaBuf },
        ),
        host(
            r#"{"position": 4, "length": 9, "size": 8}"#,
            &HostError::OutOfBounds { position: 4, length: 9, size: 8 },
        ),
        host(r#"{"length": 9, "size": 8}"#, &HostError::Length { length: 9, size: 8 }),
        host(r#"{"position": 4, "length": 9}"#, &HostError::Shrunk { position: 4, length: 9 }),
        host(r#"{"found": 3, "most": 4096}"#, &HostError::Alignment { found: 3, most: 4096 }),
        host(r#"{"offset": 3, "alignment": 4}"#, &HostError::Misaligned { offset: 3, alignment: 4 }),
        host(r#"{"at": 3}"#, &HostError::NameWithNul { at: 3 }),
        host(r#"{"length": 250, "most": 249}"#, &HostError::Name { length: 250, most: 249 }),
        host(r#"{"bytes": 2097152, "errno": 12}"#, &HostError::HugePages { bytes: 2 << 20, errno: 12 }),
        host("{}", &HostError::WrittenHugePages),
        host("{}", &HostError::FinalSeals),
        host("{}", &HostError::StillWritten),
        host("{}", &HostError::EmptyPool),
        host(r#"{"most": 3}"#, &HostError::Busy { most: 3 }),
        host(
            r#"{"most": 3, "waited_ms": 1500}"#,
            &HostError::Timeout { most: 3, waited: Duration::from_millis(1500) },
        ),
        host(r#"{"maker": 7}"#, &HostError::Forked { maker: 7 }),
        host(
            r#"{"doing": "mapping a memfd", "errno": 12}"#,
            &HostError::Os { operation: "mapping a memfd", errno: 12 },
        ),
    ]
}

fn leases() -> Vec<String> {
    let refusal = || OfferRefusal { lease_id: 7, code: 5, message: "no room".into() };
    let end = End { reason: EndReason::Revoked, memory: MemoryAfter::Stays, because: None };
    let unusable = |because: lease::Error| lease::Error::Unusable { lease: 7, because: Box::new(because) };
    let lost = |reason| {
        lease::Error::Lost(Lost { reason, because: Arc::new(Error::PeerClosed { unread: false }.into()) })
    };
    let outside = GeometryError::Outside { begin: -4, end: 9, size: 8 };
    let mut lines = Vec::new();
    for (expected, found) in [(0, 1), (1, 0), (2, 3)] {
        let with = format!(r#"{{"expected": {expected}, "found": {found}}}"#);
        lines.push(lease(&with, &lease::Error::FdCount { expected, found }));
    }
    lines.extend([
        lease(r#"{"most": 4}"#, &lease::Error::TooMany { most: 4 }),
        lease(r#"{"most": 4}"#, &lease::Error::TooManyConsumers { most: 4 }),
        lease(r#"{"reason": "peer_died"}"#, &lease::Error::Reason { reason: EndReason::PeerDied }),
        lease(r#"{"lease": 7, "code": 5, "message": "no room"}"#, &lease::Error::Refused(refusal())),
        lease(
            r#"{"lease": 7, "because": "fd_count"}"#,
            &unusable(lease::Error::FdCount { expected: 1, found: 3 }),
        ),
        lease(r#"{"lease": 7, "because": "empty"}"#, &unusable(HostError::Empty.into())),
        lease(
            r#"{"lease": 7, "reason": "revoked"}"#,
            &lease::Error::Over { lease: 7, outcome: Outcome::Ended(end) },
        ),
        lease(r#"{"lease": 7}"#, &lease::Error::Answered { lease: 7 }),
        lease(r#"{"reason": "peer_closed"}"#, &lost(EndReason::PeerClosed)),
        lease(r#"{"reason": "peer_died"}"#, &lost(EndReason::PeerDied)),
        lease("{}", &lease::Error::Closed),
        line(
            "geometry",
            "Overflow",
            "{}",
            GeometryError::Overflow.code(),
            &GeometryError::Overflow.to_string(),
        ),
        line(
            "geometry",
            "Outside",
            r#"{"begin": -4, "end": 9, "size": 8}"#,
            outside.code(),
            &outside.to_string(),
        ),
    ]);
    for (doing, name) in [
        (lease::Doing::Hello, "hello"),
        (lease::Doing::Offer, "offer"),
        (lease::Doing::Answer, "answer"),
        (lease::Doing::Release, "release"),
        (lease::Doing::Event, "event"),
        (lease::Doing::Pong, "pong"),
        (lease::Doing::Close, "close"),
    ] {
        let with = format!(r#"{{"doing": "{name}", "after_ms": 1500}}"#);
        lines.push(lease(&with, &lease::Error::Timeout { doing, after: Duration::from_millis(1500) }));
    }
    lines
}

fn faults() -> Vec<String> {
    let mut lines = vec![
        fault(r#"{"lease": 7}"#, &Fault::IdInUse { lease: 7 }),
        fault(
            r#"{"word": "taken", "lease": 7, "was": true}"#,
            &Fault::Unknown { word: Word::Taken, lease: 7, was: true },
        ),
        fault(
            r#"{"word": "release", "lease": 7, "was": false}"#,
            &Fault::Unknown { word: Word::Release, lease: 7, was: false },
        ),
        fault(r#"{"lease": 7, "reason": "peer_died"}"#, &Fault::Reason { lease: 7, reason: "peer_died" }),
        fault(r#"{"most": 4}"#, &Fault::TooManyLeases { most: 4 }),
        fault(r#"{"expected": 3, "found": 4}"#, &Fault::Pong { expected: Some(3), found: 4 }),
        fault(r#"{"expected": null, "found": 4}"#, &Fault::Pong { expected: None, found: 4 }),
        fault(r#"{"most": 64}"#, &Fault::TooManyPings { most: 64 }),
    ];
    for (phase, name) in [
        (Phase::Offered, "offered"),
        (Phase::Held, "held"),
        (Phase::Releasing, "releasing"),
        (Phase::Over, "over"),
    ] {
        let with = format!(r#"{{"word": "revoke", "lease": 7, "phase": "{name}"}}"#);
        lines.push(fault(&with, &Fault::OutOfOrder { word: Word::Revoke, lease: 7, phase }));
    }
    lines
}

#[test]
fn the_table_says_what_each_refusal_says() {
    let lines = [messages(), channels(), memory(), leases(), faults()].concat();
    let table = lines.join("\n") + "\n";
    assert!(table == TABLE, "tests/data/refusals.jsonl has to be:\n{table}");
    for (module, names) in
        [("handoff", HANDOFF), ("declared", DECLARED), ("host", HOST), ("lease", LEASE), ("fault", FAULT)]
    {
        for name in names.iter().filter(|name| !PASSES_ON.contains(name)) {
            let start = format!(r#"{{"module": "{module}", "error": "{name}", "#);
            assert!(lines.iter().any(|line| line.starts_with(&start)), "{module} {name} is not in the table");
        }
    }
}

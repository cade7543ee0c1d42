//! Messages mean in Rust what the interpreter says: the verdict, whose the file descriptors are, what is written.

use std::os::fd::{AsRawFd, OwnedFd};

use wirecontract::{Message, WireError};
use wirecontract_codegen::catalog::{read_file, resolve};
use wirecontract_codegen::interpret::Host;
use wirecontract_codegen::interpret::message::{self, MessageValue};
use wirecontract_codegen::model::{Body, Catalog, ContractId};
use wirecontract_tests::differential::messages;
use wirecontract_tests::messages::{binary, documents as of_documents, tags, unions};
use wirecontract_tests::random::Random;

/// What a reader says of a message: how many file descriptors each group has, and what is written of it and refused at
/// import; or why it is refused.
#[derive(Debug, PartialEq)]
enum Verdict {
    Read { groups: Vec<usize>, written: Result<Vec<u8>, String>, import: Result<(), String> },
    Refused(String),
}

/// The groups of a message of Rust's.
trait Groups: Message {
    fn groups(&self) -> Vec<usize>;
}

impl Groups for of_documents::RegisterMessage {
    fn groups(&self) -> Vec<usize> {
        let one = |fd: &Option<OwnedFd>| usize::from(fd.is_some());
        vec![self.planes.len(), one(&self.produce_done), one(&self.consume_done)]
    }
}

impl Groups for of_documents::RequestMessage {
    fn groups(&self) -> Vec<usize> {
        match self {
            Self::Register(message) => message.groups(),
            Self::Lookup(_) => Vec::new(),
        }
    }
}

impl Groups for unions::OfferMessage {
    fn groups(&self) -> Vec<usize> {
        vec![self.planes.len(), usize::from(self.fence.is_some())]
    }
}

impl Groups for unions::WordMessage {
    fn groups(&self) -> Vec<usize> {
        match self {
            Self::Stop | Self::Name(_) => Vec::new(),
            Self::Other(message) => vec![message.fds.len()],
            Self::Offer(message) => message.groups(),
        }
    }
}

impl Groups for unions::SettingMessage {
    fn groups(&self) -> Vec<usize> {
        match self {
            Self::Offer(message) => message.groups(),
            Self::Later(message) => vec![message.fds.len()],
            _ => Vec::new(),
        }
    }
}

impl Groups for unions::SignalMessage {
    fn groups(&self) -> Vec<usize> {
        Vec::new()
    }
}

impl Groups for unions::AnswerMessage {
    fn groups(&self) -> Vec<usize> {
        match self {
            Self::Offer(message) => message.groups(),
            Self::Name(_) => Vec::new(),
        }
    }
}

impl Groups for binary::TableMessage {
    fn groups(&self) -> Vec<usize> {
        vec![self.memory.len(), 1]
    }
}

impl Groups for binary::NameMessage {
    fn groups(&self) -> Vec<usize> {
        Vec::new()
    }
}

impl Groups for binary::OtherMessage {
    fn groups(&self) -> Vec<usize> {
        vec![self.fds.len()]
    }
}

impl Groups for binary::StateMessage {
    fn groups(&self) -> Vec<usize> {
        Vec::new()
    }
}

impl Groups for binary::Vhost {
    fn groups(&self) -> Vec<usize> {
        match self {
            Self::State(message) => message.groups(),
            Self::Table(message) => message.groups(),
            Self::Name(message) => message.groups(),
            Self::Other(message) => message.groups(),
        }
    }
}

impl Groups for binary::Closed {
    fn groups(&self) -> Vec<usize> {
        Vec::new()
    }
}

impl Groups for tags::StopMessage {
    fn groups(&self) -> Vec<usize> {
        vec![usize::from(self.done.is_some())]
    }
}

impl Groups for tags::MoveMessage {
    fn groups(&self) -> Vec<usize> {
        Vec::new()
    }
}

impl Groups for tags::LookMessage {
    fn groups(&self) -> Vec<usize> {
        vec![1, usize::from(self.done.is_some())]
    }
}

impl Groups for tags::ByOpcode {
    fn groups(&self) -> Vec<usize> {
        match self {
            Self::Stop(message) => message.groups(),
            Self::Move(message) => message.groups(),
            Self::Look(message) => message.groups(),
        }
    }
}

impl Groups for tags::ByOpen {
    fn groups(&self) -> Vec<usize> {
        match self {
            Self::Look(message) => message.groups(),
            Self::Late(message) | Self::Other(message) => message.groups(),
        }
    }
}

impl Groups for tags::ByClass {
    fn groups(&self) -> Vec<usize> {
        match self {
            Self::Stop(message) => message.groups(),
            Self::Move(message) => message.groups(),
            Self::Other(message) => message.groups(),
        }
    }
}

fn rust<M: Groups>(bytes: &[u8], count: usize, null: &OwnedFd) -> Verdict {
    let said = |error: WireError| error.to_string();
    let fds: Vec<OwnedFd> = (0..count).map(|_| null.try_clone().expect("a duplicate")).collect();
    let numbers: Vec<i32> = fds.iter().map(AsRawFd::as_raw_fd).collect();
    match M::from_message(bytes, fds) {
        Err(error) => Verdict::Refused(said(error)),
        Ok(message) => {
            let written = message.to_message().map(|(bytes, beside)| {
                let beside: Vec<i32> = beside.iter().map(AsRawFd::as_raw_fd).collect();
                assert_eq!(beside, numbers, "file descriptors go in the order in which they came");
                bytes
            });
            Verdict::Read {
                groups: message.groups(),
                written: written.map_err(said),
                import: message.validate_import().map_err(said),
            }
        }
    }
}

fn interpreted(catalog: &Catalog, id: ContractId, bytes: &[u8], count: usize) -> Verdict {
    let host = Host::this();
    let groups = |value: &MessageValue| value.fds.iter().map(ExactSizeIterator::len).collect();
    if let Body::Messages(_) = catalog.get(id).body {
        return match message::read_chosen(catalog, id, bytes, count, host) {
            Err(fault) => Verdict::Refused(fault.to_string()),
            Ok(reading) => Verdict::Read {
                groups: groups(&reading.value.value),
                written: reading.written.map_err(|fault| fault.to_string()),
                import: message::import_chosen(catalog, id, &reading.value)
                    .map_err(|fault| fault.to_string()),
            },
        };
    }
    match message::read(catalog, id, bytes, count, host) {
        Err(fault) => Verdict::Refused(fault.to_string()),
        Ok(reading) => Verdict::Read {
            groups: groups(&reading.value),
            written: reading.written.map_err(|fault| fault.to_string()),
            import: message::import(catalog, id, &reading.value).map_err(|fault| fault.to_string()),
        },
    }
}

/// Changes bytes, now and then.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..[0, 0, 0, 1, 2][random.below(5)] {
        match random.below(3) {
            0 => bytes.truncate(random.below(bytes.len() + 1)),
            1 => {
                let count = random.below(20);
                bytes.extend(random.bytes(count));
            }
            _ if bytes.is_empty() => {}
            _ => {
                let at = random.below(bytes.len());
                bytes[at] = random.bytes(1)[0];
            }
        }
    }
}

fn agree<M: Groups>(catalog: &Catalog, random: &mut Random) -> [usize; 2] {
    let module = M::PATH.rsplit_once("::").expect("a path").0;
    let is_it = |(_, contract): &(ContractId, &wirecontract_codegen::model::Contract)| {
        contract.name == M::NAME && contract.module == module
    };
    let (id, contract) = catalog.iter().find(is_it).expect("it is in the catalog");
    assert_eq!(contract.wire_id, M::WIRE_ID, "{}", M::NAME);
    let null: OwnedFd = std::fs::File::open("/dev/null").expect("/dev/null").into();
    let mut seen = [0; 2];
    for _ in 0..4000 {
        let (mut bytes, count) = messages::likely(catalog, id, Host::this(), random);
        damage(&mut bytes, random);
        let count = if random.one_in(6) { random.below(7) } else { count };
        let (rust, interpreted) = (rust::<M>(&bytes, count, &null), interpreted(catalog, id, &bytes, count));
        assert_eq!(
            rust,
            interpreted,
            "{} of {count} file descriptors: {:?}",
            M::NAME,
            bytes.escape_ascii().to_string()
        );
        seen[usize::from(matches!(rust, Verdict::Refused(_)))] += 1;
    }
    seen
}

#[test]
fn rust_and_the_interpreter_agree_on_messages() {
    let library = read_file(&std::env::current_exe().expect("this test")).expect("records");
    let catalog = resolve(&library.records).expect("a catalog");
    let mut random = Random::new(Random::seed());
    let all = [
        agree::<of_documents::RegisterMessage>(&catalog, &mut random),
        agree::<of_documents::RequestMessage>(&catalog, &mut random),
        agree::<unions::OfferMessage>(&catalog, &mut random),
        agree::<unions::WordMessage>(&catalog, &mut random),
        agree::<unions::SettingMessage>(&catalog, &mut random),
        agree::<unions::SignalMessage>(&catalog, &mut random),
        agree::<unions::AnswerMessage>(&catalog, &mut random),
        agree::<binary::TableMessage>(&catalog, &mut random),
        agree::<binary::NameMessage>(&catalog, &mut random),
        agree::<binary::OtherMessage>(&catalog, &mut random),
        agree::<binary::StateMessage>(&catalog, &mut random),
        agree::<binary::Vhost>(&catalog, &mut random),
        agree::<binary::Closed>(&catalog, &mut random),
        agree::<tags::StopMessage>(&catalog, &mut random),
        agree::<tags::MoveMessage>(&catalog, &mut random),
        agree::<tags::LookMessage>(&catalog, &mut random),
        agree::<tags::ByOpcode>(&catalog, &mut random),
        agree::<tags::ByOpen>(&catalog, &mut random),
        agree::<tags::ByClass>(&catalog, &mut random),
    ];
    for [read, refused] in all {
        assert!(read > 100 && refused > 100, "both come often: {all:?}");
    }
}

//! The messages of the texture service with the file descriptors that ride beside them, over a channel as the service
//! frames it.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::os::fd::{AsFd as _, OwnedFd};

use wirecontract::{Code, Enumeration as _, Message as _, WireError};
use wirecontract_gpu::texture::{
    CheckInMessage, LookupAnswerMessage, RegistrationMessage, RequestMessage, SurfaceMessage,
};
use wirecontract_runtime::handoff::{Channel, DeclaredError, Options};
use wirecontract_tests::texture::{Message, messages};

/// File descriptors that can be told from each other: the n-th is a file that holds the byte n.
fn numbered(count: usize) -> Vec<OwnedFd> {
    let pipe = |number: usize| {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        std::io::Write::write_all(&mut writer, &[u8::try_from(number).expect("a few")]).expect("room");
        OwnedFd::from(reader)
    };
    (0..count).map(pipe).collect()
}

fn number(fd: OwnedFd) -> u8 {
    let mut byte = [0];
    std::io::PipeReader::from(fd).read_exact(&mut byte).expect("its number");
    byte[0]
}

/// What came, as the numbers of planes and of the two semaphores.
fn numbers(planes: Vec<OwnedFd>, semaphores: [Option<OwnedFd>; 2]) -> (Vec<u8>, [Option<u8>; 2]) {
    (planes.into_iter().map(number).collect(), semaphores.map(|fd| fd.map(number)))
}

fn sent(case: &Message) -> (Channel, Channel) {
    let (service, client) = Channel::pair(&Options::default()).expect("a pair");
    let fds = numbered(case.fds);
    let borrowed: Vec<_> = fds.iter().map(OwnedFd::as_fd).collect();
    service.send(case.document.as_bytes(), &borrowed).expect("it is sent");
    (service, client)
}

fn find(name: &str) -> Message {
    messages().into_iter().find(|case| case.name == name).unwrap_or_else(|| panic!("no message {name}"))
}

#[test]
fn requests_pass_through_with_their_file_descriptors() {
    let mut seen = BTreeSet::new();
    for case in messages().iter().filter(|case| case.contract == "Request") {
        let (service, client) = sent(case);
        let request: RequestMessage =
            client.recv_declared().unwrap_or_else(|error| panic!("{}: {error}", case.name));
        // On to another process, as it came.
        client.send_declared(&request).expect("it is sent on");
        let again: RequestMessage = service.recv_declared().expect("it is read again");
        let (document, beside) = again.to_message().expect("it can be written");
        assert_eq!(
            (document.escape_ascii().to_string(), beside.len()),
            (request.to_message().expect("it can be written").0.escape_ascii().to_string(), case.fds)
        );
        again.validate_import().unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let (planes, semaphores) = match again {
            RequestMessage::Register(it) => numbers(it.planes, [it.produce_done, it.consume_done]),
            RequestMessage::CheckIn(it) => numbers(it.planes, [None, None]),
            _ => (Vec::new(), [None, None]),
        };
        let order: Vec<u8> = planes.iter().copied().chain(semaphores.into_iter().flatten()).collect();
        assert_eq!(order, (0..u8::try_from(case.fds).expect("a few")).collect::<Vec<_>>(), "{}", case.name);
        seen.insert((case.name.clone(), planes.len(), semaphores.iter().flatten().count()));
    }
    assert!(seen.contains(&("register_opaque_fd_texture".to_owned(), 1, 2)), "{seen:?}");
}

#[test]
fn four_planes_and_both_semaphores() {
    let case = find("register_opaque_fd_texture");
    let four = |text: &str, key: &str| {
        let (at, end) = (text.find(key).expect("the key") + key.len(), ']');
        let rest = &text[at..];
        let close = rest.find(end).expect("its end");
        format!("{}[1,2,3,4{}", &text[..at], &rest[close..])
    };
    let document = ["\"plane_sizes\":", "\"plane_offsets\":", "\"plane_strides\":"]
        .iter()
        .fold(case.document.clone(), |document, key| four(&document, key));
    let (_service, client) = sent(&Message { document, fds: 6, ..case });
    let request: RequestMessage = client.recv_declared().expect("six file descriptors");
    request.validate_import().expect("one for each plane, and both semaphores");
    let RequestMessage::Register(it) = request else { panic!("{request:?}") };
    assert_eq!(
        numbers(it.planes, [it.produce_done, it.consume_done]),
        (vec![0, 1, 2, 3], [Some(4), Some(5)])
    );
}

#[test]
fn answers_pass_through_and_errors_have_nothing_beside_them() {
    for case in messages().iter().filter(|case| case.contract == "LookupAnswer") {
        let (_service, client) = sent(case);
        let answer: Result<LookupAnswerMessage, DeclaredError> = client.recv_declared();
        match answer {
            Ok(LookupAnswerMessage::Surface(surface)) => {
                assert_eq!(beside(&surface), case.fds, "{}", case.name);
                let import = surface.validate_import();
                assert_eq!(
                    import.is_err(),
                    case.consumer.as_ref().is_some_and(|it| it.contains("refuse")),
                    "{}: {import:?}",
                    case.name
                );
            }
            Ok(LookupAnswerMessage::Error(_)) => assert_eq!(case.fds, 0, "{}", case.name),
            // Fewer than the message says.
            Err(DeclaredError::Contract(WireError { code: Code::FdCount, .. })) => {
                let says = case.document.contains("_done_fd\":true");
                assert!(says, "{}", case.name);
            }
            Err(error) => panic!("{}: {error}", case.name),
        }
    }
    let (service, client) = Channel::pair(&Options::default()).expect("a pair");
    let fd = numbered(1);
    service.send(br#"{"error":"unknown op `x`"}"#, &[fd[0].as_fd()]).expect("it is sent");
    let error = client.recv_declared::<LookupAnswerMessage>().expect_err("an error that carries memory");
    assert_eq!(
        error.to_string(),
        "LookupAnswerMessage at byte 0: fd_count: expected no file descriptor, found 1"
    );
}

fn beside(surface: &SurfaceMessage) -> usize {
    surface.to_message().expect("it can be written").1.len()
}

#[test]
fn a_semaphore_that_is_announced_and_does_not_come_is_refused() {
    let case = find("register_opaque_fd_texture");
    let (_service, client) = sent(&Message { fds: 2, ..case });
    let error = client.recv_declared::<RequestMessage>().expect_err("one is missing");
    assert_eq!(
        error.to_string(),
        "RegistrationMessage at byte 0: fd_count: expected 3 to 6 file descriptors, found 2"
    );
}

/// A fault of the vectors in one line, as an error says itself.
fn fault(fault: &serde_json::Value) -> String {
    let word = |key: &str| fault[key].as_str().unwrap_or_default();
    let place = [word("contract"), word("field")].join(".");
    let found = fault["found"].as_str().map_or_else(String::new, |found| format!(", found {found}"));
    format!(
        "{} at byte {}: {}: expected {}{found}",
        place.trim_end_matches('.'),
        fault["offset"].as_u64().expect("an offset"),
        word("code"),
        word("expected")
    )
}

/// The variant of a message, and its groups.
trait Shown: wirecontract::Message {
    fn shown(self) -> (Option<&'static str>, Vec<Vec<OwnedFd>>);
}

impl Shown for RegistrationMessage {
    fn shown(self) -> (Option<&'static str>, Vec<Vec<OwnedFd>>) {
        let one = |fd: Option<OwnedFd>| fd.into_iter().collect();
        (None, vec![self.planes, one(self.produce_done), one(self.consume_done)])
    }
}

impl Shown for CheckInMessage {
    fn shown(self) -> (Option<&'static str>, Vec<Vec<OwnedFd>>) {
        (None, vec![self.planes])
    }
}

impl Shown for SurfaceMessage {
    fn shown(self) -> (Option<&'static str>, Vec<Vec<OwnedFd>>) {
        let one = |fd: Option<OwnedFd>| fd.into_iter().collect();
        (None, vec![self.planes, one(self.produce_done), one(self.consume_done)])
    }
}

impl Shown for RequestMessage {
    fn shown(self) -> (Option<&'static str>, Vec<Vec<OwnedFd>>) {
        match self {
            Self::Register(it) => (Some("Register"), it.shown().1),
            Self::CheckIn(it) => (Some("CheckIn"), it.shown().1),
            Self::Lookup(_) => (Some("Lookup"), Vec::new()),
            Self::CheckOut(_) => (Some("CheckOut"), Vec::new()),
            Self::ReleaseCheckOut(_) => (Some("ReleaseCheckOut"), Vec::new()),
            Self::Unregister(_) => (Some("Unregister"), Vec::new()),
            Self::Release(_) => (Some("Release"), Vec::new()),
            Self::UpdateLayout(_) => (Some("UpdateLayout"), Vec::new()),
        }
    }
}

impl Shown for LookupAnswerMessage {
    fn shown(self) -> (Option<&'static str>, Vec<Vec<OwnedFd>>) {
        match self {
            Self::Error(_) => (Some("Error"), Vec::new()),
            Self::Surface(it) => (Some("Surface"), it.shown().1),
        }
    }
}

/// The numbers of the file descriptors that a case says each group has.
fn splits(case: &serde_json::Value) -> Vec<Vec<u8>> {
    let bound = |split: &serde_json::Value, at: usize| {
        u8::try_from(split[at].as_u64().expect("a number")).expect("a few")
    };
    let splits = case["splits"].as_array().expect("whose file descriptors are whose").iter();
    splits.map(|split| (bound(split, 0)..bound(split, 1)).collect()).collect()
}

/// Replays the vectors of a message, and says how many there were.
fn replay<M: Shown>(file: &serde_json::Value) -> usize {
    let entries = file["contracts"].as_array().expect("contracts");
    let entry = entries.iter().find(|entry| entry["contract"] == M::NAME).expect("its vectors");
    assert!(entry["host"].is_null(), "{}: a document is the same on every machine", M::NAME);
    let cases = entry["cases"].as_array().expect("cases");
    for case in cases {
        let name = format!("{}, {}", M::NAME, case["name"]);
        let bytes =
            wirecontract_codegen::interpret::unhex(case["bytes"].as_str().expect("bytes")).expect("hex");
        let count = usize::try_from(case["fds"].as_u64().expect("a number")).expect("a few");
        let message = match M::from_message(&bytes, numbered(count)) {
            Err(error) => {
                assert_eq!(error.to_string(), fault(&case["fault"]), "{name}");
                continue;
            }
            Ok(message) => message,
        };
        assert!(case.get("fault").is_none(), "{name} is refused");
        match message.to_message() {
            Ok((bytes, beside)) => {
                let written = wirecontract_codegen::interpret::hex(&bytes);
                assert_eq!((Some(&*written), beside.len()), (case["written"].as_str(), count), "{name}");
            }
            Err(error) => assert_eq!(error.to_string(), fault(&case["unwritten"]), "{name}"),
        }
        match message.validate_import() {
            Ok(()) => assert!(case["import"].is_null(), "{name}"),
            Err(error) => assert_eq!(error.to_string(), fault(&case["import"]), "{name}"),
        }
        let (variant, groups) = message.shown();
        assert_eq!(variant, case["variant"].as_str(), "{name}");
        let groups: Vec<Vec<u8>> =
            groups.into_iter().map(|group| group.into_iter().map(number).collect()).collect();
        assert_eq!(groups, splits(case), "{name}");
    }
    cases.len()
}

#[test]
fn the_vectors_replay() {
    let path =
        wirecontract_tests::repository().join("contracts/gpu/generated/vectors/wirecontract/texture.json");
    let file = std::fs::read_to_string(path).expect("vectors");
    let file: serde_json::Value = serde_json::from_str(&file).expect("JSON");
    let replayed = [
        replay::<RegistrationMessage>(&file),
        replay::<CheckInMessage>(&file),
        replay::<RequestMessage>(&file),
        replay::<SurfaceMessage>(&file),
        replay::<LookupAnswerMessage>(&file),
    ];
    assert!(replayed.iter().all(|&count| count >= 10), "{replayed:?}");
}

//! Messages of contracts over channels.

use std::os::fd::{AsFd as _, AsRawFd, OwnedFd};
use std::time::Duration;

use wirecontract::{Code, Contract, Message, WireContract};
use wirecontract_runtime::handoff::{Channel, DeclaredError, Expected, Framing, Options};

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
struct Frame {
    name: String,
    #[wire(default = false)]
    has_fence: bool,
}

#[derive(WireContract, Debug)]
#[wire(message)]
struct FrameMessage {
    frame: Frame,
    #[wire(fds(1..=4))]
    planes: Vec<OwnedFd>,
    #[wire(fd, present_if(frame.has_fence))]
    fence: Option<OwnedFd>,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 8)]
struct Header {
    request: u32,
    count: u32,
}

#[derive(WireContract, Debug)]
#[wire(message, max_bytes = 64)]
struct WordsMessage {
    header: Header,
    #[wire(tail(bytes = header.count))]
    words: String,
}

fn pair() -> (Channel, Channel) {
    Channel::pair(&Options::default()).unwrap()
}

fn fd() -> OwnedFd {
    std::fs::File::open("/dev/null").unwrap().into()
}

fn frame(planes: usize, fence: bool) -> FrameMessage {
    FrameMessage {
        frame: Frame { name: "a".into(), has_fence: fence },
        planes: (0..planes).map(|_| fd()).collect(),
        fence: fence.then(fd),
    }
}

/// How many file descriptors this process has.
fn open() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn a_message_arrives_with_its_file_descriptors_in_their_groups() {
    let (one, other) = pair();
    one.send_declared(&frame(3, true)).unwrap();
    one.send_framed(&frame(1, false)).unwrap();
    let came: FrameMessage = other.recv_declared().unwrap();
    assert_eq!((came.frame.name.as_str(), came.planes.len(), came.fence.is_some()), ("a", 3, true));
    let framed: FrameMessage = other.recv_framed().unwrap();
    assert_eq!((framed.planes.len(), framed.fence.is_some()), (1, false));
}

#[test]
fn a_frame_says_of_which_contract_it_is() {
    for framing in [Framing::default(), Framing::SeqPacket] {
        let (one, other) = Channel::pair(&Options::default().framing(framing)).unwrap();
        let words = WordsMessage { header: Header { request: 1, count: 3 }, words: "abc".into() };
        one.send_framed(&words).unwrap();
        one.send_framed(&frame(2, false)).unwrap();
        let expected = Expected::bytes(1 << 20).fds(0..=5);
        let first = other.recv_frame(&expected).unwrap();
        assert_eq!((first.wire_id, first.is::<FrameMessage>()), (WordsMessage::WIRE_ID, false));
        assert_eq!(first.body(), words.to_message().unwrap().0);
        assert_eq!(first.read::<WordsMessage>().unwrap().words, "abc");
        let second = other.recv_frame(&expected).unwrap();
        assert_eq!(second.fds.len(), 2);
        let error = second.read::<WordsMessage>().unwrap_err();
        assert_eq!(error.code(), Code::IdMismatch);
        let (own, others) = (WordsMessage::WIRE_ID, FrameMessage::WIRE_ID);
        assert_eq!(
            error.to_string(),
            format!(
                "id_mismatch: expected a message of WordsMessage (wire id {own:#018x}), found one of wire id \
                 {others:#018x}: build both sides of the same declaration, or say hello first"
            )
        );
    }
}

#[test]
fn what_a_contract_refuses_is_closed_and_the_channel_goes_on() {
    let (one, other) = pair();
    let raw = fd();
    let before = open();
    let beside = [std::os::fd::AsFd::as_fd(&raw)];
    let refused = |error: DeclaredError| (error.code(), error.to_string());
    one.send(br#"{"name":"a"}"#, &[]).unwrap();
    assert_eq!(
        refused(other.recv_declared::<FrameMessage>().unwrap_err()),
        (
            Code::FdCount,
            "FrameMessage at byte 0: fd_count: expected 1 to 4 file descriptors, found 0".to_owned()
        )
    );
    one.send(br#"{"nam":"a"}"#, &beside).unwrap();
    assert_eq!(other.recv_declared::<FrameMessage>().unwrap_err().code(), Code::MissingKey);
    one.send(b"1234567", &beside).unwrap();
    assert_eq!(
        refused(other.recv_framed::<FrameMessage>().unwrap_err()),
        (
            Code::TooShort,
            "too_short: expected a wire id of 8 bytes before the message, found 7 bytes: the peer sends no wire ids"
                .to_owned()
        )
    );
    one.send_framed(&frame(1, false)).unwrap();
    assert_eq!(other.recv_framed::<WordsMessage>().unwrap_err().code(), Code::FdCount);
    assert_eq!(open(), before);
}

#[test]
fn what_no_message_of_the_contract_has_is_refused_by_the_channel() {
    let raw = fd();
    let before = open();
    let many = [std::os::fd::AsFd::as_fd(&raw); 6];
    let (one, other) = pair();
    one.send(br#"{"name":"a"}"#, &many).unwrap();
    let error = other.recv_declared::<FrameMessage>().unwrap_err();
    assert_eq!(error.code(), Code::FdCount);
    assert!(error.to_string().contains("expected at most 5 file descriptors"), "{error}");
    let (one, other) = {
        drop((one, other));
        pair()
    };
    one.send(&[0; 65], &[]).unwrap();
    assert_eq!(other.recv_declared::<WordsMessage>().unwrap_err().code(), Code::TooLarge);
    drop((one, other));
    assert_eq!(open(), before);
}

#[test]
fn the_end_is_told_from_a_fault() {
    let (one, other) = pair();
    one.send_declared(&frame(4, true)).unwrap();
    drop(one);
    assert_eq!(other.recv_declared::<FrameMessage>().unwrap().planes.len(), 4);
    let end = other.recv_declared::<FrameMessage>().unwrap_err();
    assert!(end.is_end(), "{end}");
}

#[test]
fn the_sender_keeps_what_it_sends() {
    let (one, other) = pair();
    let message = frame(1, true);
    one.send_declared(&message).unwrap();
    let came: FrameMessage = other.recv_declared().unwrap();
    assert_ne!(came.planes[0].as_raw_fd(), message.planes[0].as_raw_fd());
    assert_eq!(message.to_message().unwrap().1.len(), 2);
    // What is not as it says is refused before anything is sent.
    let mut wrong = frame(1, true);
    wrong.fence = None;
    assert_eq!(one.send_declared(&wrong).unwrap_err().code(), Code::FdCount);
    one.send_declared(&message).unwrap();
    assert!(other.recv_declared::<FrameMessage>().is_ok());
}

#[test]
fn messages_are_waited_for_no_longer_than_the_call_says_or_not_at_all() {
    let short = Duration::from_millis(5);
    let long = Duration::from_secs(120);
    for framing in [Framing::default(), Framing::SeqPacket] {
        let (one, other) = Channel::pair(&Options::default().framing(framing)).unwrap();
        let expected = Expected::of::<FrameMessage>();
        let late = |error: DeclaredError| assert_eq!(error.code(), Code::Timeout, "{error}");
        late(other.recv_declared_within::<FrameMessage>(short).unwrap_err());
        late(other.recv_framed_within::<FrameMessage>(short).unwrap_err());
        late(other.recv_frame_within(&expected, short).unwrap_err());
        assert!(other.try_recv_declared::<FrameMessage>().unwrap().is_none());
        assert!(other.try_recv_framed::<FrameMessage>().unwrap().is_none());
        assert!(other.try_recv_frame(&expected).unwrap().is_none());

        one.send_declared(&frame(1, true)).unwrap();
        one.send_framed(&frame(2, true)).unwrap();
        one.send_framed(&frame(3, false)).unwrap();
        assert_eq!(other.recv_declared_within::<FrameMessage>(long).unwrap().planes.len(), 1);
        assert_eq!(other.recv_framed_within::<FrameMessage>(long).unwrap().planes.len(), 2);
        assert_eq!(other.recv_frame_within(&expected, long).unwrap().fds.len(), 3);
        one.send_declared(&frame(4, true)).unwrap();
        one.send_framed(&frame(1, true)).unwrap();
        one.send_framed(&frame(2, true)).unwrap();
        assert_eq!(other.try_recv_declared::<FrameMessage>().unwrap().unwrap().planes.len(), 4);
        assert_eq!(other.try_recv_framed::<FrameMessage>().unwrap().unwrap().planes.len(), 1);
        assert!(other.try_recv_frame(&expected).unwrap().unwrap().is::<FrameMessage>());
    }
}

#[test]
fn planes_of_one_open_file_are_read_by_who_expects_them() {
    let (one, other) = pair();
    let (raw, before) = (fd(), open());
    one.send(br#"{"name":"a"}"#, &[raw.as_fd(), raw.as_fd()]).unwrap();
    assert_eq!(other.recv_declared::<FrameMessage>().unwrap_err().code(), Code::FdCount);
    one.send(br#"{"name":"a"}"#, &[raw.as_fd(), raw.as_fd()]).unwrap();
    let message = other.recv(&Expected::of::<FrameMessage>().repeated()).unwrap();
    assert_eq!(FrameMessage::from_message(&message.body, message.fds).unwrap().planes.len(), 2);
    assert_eq!(open(), before);
}

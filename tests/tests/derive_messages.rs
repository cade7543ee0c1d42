//! Messages: parts, tails, and who gets which file descriptor.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd};

use wirecontract::{Code, Message, WireContract as _, WireError};

/// A temporary file that holds this text: an fd that can be told from others.
fn fd(text: &str) -> OwnedFd {
    let path = std::env::temp_dir().join(format!("wirecontract-{}-{text}", std::process::id()));
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.into()
}

fn fds(texts: &[&str]) -> Vec<OwnedFd> {
    texts.iter().map(|text| fd(text)).collect()
}

fn text(fd: &OwnedFd) -> String {
    let mut file = File::from(fd.try_clone().unwrap());
    file.rewind().unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    text
}

fn texts<'fd>(fds: impl IntoIterator<Item = &'fd OwnedFd>) -> Vec<String> {
    fds.into_iter().map(text).collect()
}

fn refused<T: std::fmt::Debug>(result: Result<T, WireError>) -> String {
    result.unwrap_err().to_string()
}

mod documents {
    use wirecontract_tests::messages::documents::*;

    use super::*;

    const FULL: &[u8] = br#"{"op":"register","name":"a","plane_sizes":[1,2,3],"has_produce_done":true,"has_consume_done":true}"#;

    #[test]
    fn planes_come_first_then_the_semaphores() {
        let came = fds(&["p0", "p1", "p2", "produce", "consume"]);
        let message = RequestMessage::from_message(FULL, came).unwrap();
        let RequestMessage::Register(register) = &message else { panic!("{message:?}") };
        assert_eq!(texts(&register.planes), ["p0", "p1", "p2"]);
        assert_eq!(texts(&register.produce_done), ["produce"]);
        assert_eq!(texts(&register.consume_done), ["consume"]);
        message.validate_import().unwrap();
        let (bytes, beside) = message.to_message().unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap().as_bytes(), FULL);
        let own = [&register.planes[0], &register.planes[1], &register.planes[2]]
            .into_iter()
            .chain(&register.produce_done)
            .chain(&register.consume_done);
        let own: Vec<i32> = own.map(AsRawFd::as_raw_fd).collect();
        assert_eq!(beside.iter().map(AsRawFd::as_raw_fd).collect::<Vec<_>>(), own);
    }

    #[test]
    fn the_presence_of_one_is_what_the_document_says() {
        let document = br#"{"op":"register","name":"a","plane_sizes":[1,2],"has_consume_done":true}"#;
        let message = RequestMessage::from_message(document, fds(&["p0", "p1", "consume"])).unwrap();
        let RequestMessage::Register(register) = &message else { panic!("{message:?}") };
        assert_eq!((texts(&register.planes).len(), register.produce_done.is_some()), (2, false));
        assert_eq!(texts(&register.consume_done), ["consume"]);
    }

    #[test]
    fn other_numbers_are_refused() {
        let none = refused(RequestMessage::from_message(FULL, Vec::new()));
        assert_eq!(none, "RegisterMessage at byte 0: fd_count: expected 3 to 6 file descriptors, found 0");
        let seven = refused(RequestMessage::from_message(FULL, fds(&["a"; 7])));
        assert_eq!(seven, "RegisterMessage at byte 0: fd_count: expected 3 to 6 file descriptors, found 7");
        let lookup = refused(RequestMessage::from_message(br#"{"op":"lookup","name":"a"}"#, fds(&["a"])));
        assert_eq!(lookup, "RequestMessage at byte 0: fd_count: expected no file descriptor, found 1");
        assert!(RequestMessage::from_message(br#"{"op":"lookup","name":"a"}"#, Vec::new()).is_ok());
    }

    #[test]
    fn rules_ask_for_groups() {
        let document = br#"{"op":"register","name":"a","plane_sizes":[1],"has_consume_done":true}"#;
        let error = RequestMessage::from_message(document, fds(&["p0", "consume"])).unwrap_err();
        assert_eq!((error.code, error.contract), (Code::RuleViolated, "RegisterMessage"));
        assert_eq!(
            error.to_string(),
            "RegisterMessage at byte 0: rule_violated: expected planes: fds(planes) > 1 || !present(consume_done), found \
             fds(planes) = 1, present(consume_done) = true"
        );
        // The body's rule at import is asked before the message's own.
        let message = RequestMessage::from_message(
            br#"{"op":"register","name":"a","plane_sizes":[1,2,3]}"#,
            fds(&["p0", "p1"]),
        );
        let error = message.unwrap().validate_import().unwrap_err();
        assert_eq!((error.code, error.contract), (Code::RuleViolated, "Register"));
    }

    #[test]
    fn a_message_that_is_not_as_its_document_says_is_not_written() {
        let image = Image { has_produce_done: true, has_consume_done: false };
        let body = Register { name: "a".into(), plane_sizes: vec![1], image };
        let mut message =
            RegisterMessage { body, planes: fds(&["p0", "p1"]), produce_done: None, consume_done: None };
        let error = refused(message.to_message());
        assert_eq!(
            error,
            "RegisterMessage.produce_done at byte 0: fd_count: expected 1 file descriptor, found 0"
        );
        message.produce_done = Some(fd("produce"));
        assert!(message.to_message().is_ok());
        message.planes.clear();
        let error = refused(message.to_message());
        assert_eq!(
            error,
            "RegisterMessage.planes at byte 0: fd_count: expected 1 to 4 file descriptors, found 0"
        );
    }
}

mod unions {
    use wirecontract::{Json, UnknownMessage, UnknownVariant};
    use wirecontract_tests::messages::unions::*;

    use super::*;

    const OFFER: &[u8] = br#"{"op":"offer","planes":2,"has_fence":true}"#;

    #[test]
    fn what_holds_nothing_comes_alone() {
        let stop = br#"{"op":"stop"}"#;
        let message = WordMessage::from_message(stop, Vec::new()).unwrap();
        assert!(matches!(message, WordMessage::Stop), "{message:?}");
        let (bytes, beside) = message.to_message().unwrap();
        assert_eq!((bytes.as_slice(), beside.len()), (stop.as_slice(), 0));
        assert_eq!(message.validate_import(), Ok(()));
        let error = refused(WordMessage::from_message(stop, fds(&["a"])));
        assert_eq!(error, "WordMessage at byte 0: fd_count: expected no file descriptor, found 1");
        // Nothing but tags.
        assert_eq!(SignalMessage::from_message(br#"{"signal":"Go"}"#, Vec::new()), Ok(SignalMessage::Go));
        let error = refused(SignalMessage::from_message(br#"{"signal":"Go"}"#, fds(&["a", "b"])));
        assert_eq!(error, "SignalMessage at byte 0: fd_count: expected no file descriptor, found 2");
        assert_eq!((SignalMessage::MAX_FDS, AnswerMessage::MAX_FDS), (0, 5));
    }

    #[test]
    fn boxes_hold_messages_and_documents() {
        let message = WordMessage::from_message(OFFER, fds(&["p0", "p1", "fence"])).unwrap();
        let WordMessage::Offer(offer) = &message else { panic!("{message:?}") };
        let offer: &OfferMessage = offer;
        assert_eq!(texts(&offer.planes), ["p0", "p1"]);
        assert_eq!(texts(&offer.fence), ["fence"]);
        assert_eq!(message.to_message().unwrap().0, OFFER);
        let name = br#"{"op":"name","name":"a"}"#;
        let message = WordMessage::from_message(name, Vec::new()).unwrap();
        let WordMessage::Name(held) = &message else { panic!("{message:?}") };
        let held: &Name = held;
        assert_eq!(held, &Name { name: "a".into() });
        assert_eq!(message.to_message().unwrap().0, name);
    }

    #[test]
    fn a_message_of_a_newer_peer_is_kept_and_passed_on() {
        let text = br#"{"op":"later","x":[1,2]}"#;
        let message = WordMessage::from_message(text, fds(&["a", "b"])).unwrap();
        let WordMessage::Other(other) = &message else { panic!("{message:?}") };
        assert_eq!((other.body.tag.as_str(), texts(&other.fds)), ("later", vec!["a".into(), "b".into()]));
        let own: Vec<i32> = other.fds.iter().map(AsRawFd::as_raw_fd).collect();
        let (bytes, beside) = message.to_message().unwrap();
        assert_eq!(bytes, text);
        assert_eq!(beside.iter().map(AsRawFd::as_raw_fd).collect::<Vec<_>>(), own);
        assert_eq!(WordMessage::MAX_FDS, 253);
        let error = refused(WordMessage::from_message(text, fds(&["a"; 254])));
        assert_eq!(error, "WordMessage at byte 0: fd_count: expected 0 to 253 file descriptors, found 254");
    }

    #[test]
    fn an_unknown_message_is_written_with_a_tag_that_no_variant_has() {
        let unknown = |tag: &str, count: usize| {
            let content = Some(Json::new("{}").unwrap());
            let body = UnknownVariant { tag: tag.into(), content };
            WordMessage::Other(UnknownMessage { body, fds: fds(&["a"].repeat(count)) })
        };
        assert_eq!(unknown("later", 1).to_message().unwrap().0, br#"{"op":"later"}"#);
        assert_eq!(
            refused(unknown("stop", 0).to_message()),
            r#"Word.op at byte 0: unknown_tag: expected a tag that no variant has, found "stop""#
        );
        assert_eq!(
            refused(unknown("later", 254).to_message()),
            "WordMessage at byte 0: fd_count: expected 0 to 253 file descriptors, found 254"
        );
    }

    #[test]
    fn the_union_and_the_message_are_asked_at_import() {
        let none = br#"{"op":"offer","planes":0}"#;
        let message = WordMessage::from_message(none, Vec::new()).unwrap();
        let error = message.validate_import().unwrap_err();
        assert_eq!((error.code, error.contract), (Code::RuleViolated, "OfferMessage"));
    }

    #[test]
    fn values_beside_the_tag_are_those_of_the_union() {
        let count = SettingMessage::from_message(br#"{"kind":"Count","value":7}"#, Vec::new()).unwrap();
        assert!(matches!(count, SettingMessage::Count(7)), "{count:?}");
        let default = SettingMessage::from_message(br#"{"kind":"Count"}"#, Vec::new()).unwrap();
        assert!(matches!(default, SettingMessage::Count(3)), "{default:?}");
        let sizes = br#"{"kind":"Sizes","value":[3,4]}"#;
        let message = SettingMessage::from_message(sizes, Vec::new()).unwrap();
        let SettingMessage::Sizes(held) = &message else { panic!("{message:?}") };
        assert_eq!(held, &[3, 4]);
        assert_eq!(message.to_message().unwrap().0, sizes);
        let error = refused(SettingMessage::from_message(sizes, fds(&["a"])));
        assert_eq!(error, "SettingMessage at byte 0: fd_count: expected no file descriptor, found 1");
        let later = SettingMessage::from_message(br#"{"kind":"Soon","value":null}"#, fds(&["a"])).unwrap();
        let SettingMessage::Later(later) = &later else { panic!("{later:?}") };
        assert_eq!(later.body.content.as_ref().map(Json::as_str), Some("null"));
        assert_eq!(texts(&later.fds), ["a"]);
    }

    #[test]
    fn keys_say_which_message_it_is_too() {
        let offer = AnswerMessage::from_message(br#"{"planes":1}"#, fds(&["p0"])).unwrap();
        let AnswerMessage::Offer(offer) = &offer else { panic!("{offer:?}") };
        assert_eq!(texts(&offer.planes), ["p0"]);
        let error = refused(AnswerMessage::from_message(br#"{"name":"a"}"#, fds(&["p0"])));
        assert_eq!(error, "AnswerMessage at byte 0: fd_count: expected no file descriptor, found 1");
    }
}

mod binary {
    use wirecontract_tests::messages::binary::*;

    use super::*;

    fn header(request: u32, size: u32) -> Vec<u8> {
        Header { request, flags: 1, size }.to_bytes().unwrap().to_vec()
    }

    fn table(regions: &[(u64, u64)]) -> Vec<u8> {
        let count = u32::try_from(regions.len()).unwrap();
        let mut bytes = header(5, 8 + 16 * count);
        bytes.extend(count.to_le_bytes());
        bytes.extend([0; 4]);
        for (address, size) in regions {
            bytes.extend(address.to_le_bytes());
            bytes.extend(size.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn a_tail_has_as_many_elements_as_a_part_says() {
        let bytes = table(&[(0x1000, 0x20), (0x2000, 0x30)]);
        let message = Vhost::from_message(&bytes, fds(&["m0", "m1", "log"])).unwrap();
        let Vhost::Table(table) = &message else { panic!("{message:?}") };
        let region = |address, size| Region { address, size };
        assert_eq!(table.regions, [region(0x1000, 0x20), region(0x2000, 0x30)]);
        assert_eq!((texts(&table.memory), text(&table.log)), (vec!["m0".into(), "m1".into()], "log".into()));
        let (written, beside) = message.to_message().unwrap();
        assert_eq!((written, beside.len()), (bytes, 3));
        message.validate_import().unwrap();
    }

    #[test]
    fn every_length_is_compared() {
        let whole = table(&[(1, 1), (2, 2)]);
        let read = |bytes: &[u8]| refused(TableMessage::from_message(bytes, fds(&["a", "b", "log"])));
        assert_eq!(read(&whole[..5]), "Header at byte 5: too_short: expected 12 bytes, found 5");
        assert_eq!(read(&whole[..15]), "Table at byte 15: too_short: expected 8 bytes, found 3");
        assert_eq!(read(&whole[..51]), "TableMessage at byte 51: too_short: expected 52 bytes, found 51");
        let mut long = whole.clone();
        long.push(0);
        assert_eq!(read(&long), "TableMessage at byte 52: trailing_bytes: expected 52 bytes, found 53");
        long.resize(149, 0);
        assert_eq!(read(&long), "TableMessage at byte 148: too_large: expected at most 148 bytes, found 149");
        // More regions than the longest message holds.
        let mut many = whole.clone();
        many[12] = 9;
        assert_eq!(
            read(&many),
            "TableMessage.regions at byte 20: length_exceeds: expected at most 8, found 9"
        );
        let state = refused(StateMessage::from_message(&[header(2, 0), vec![0]].concat(), Vec::new()));
        assert_eq!(state, "StateMessage at byte 12: trailing_bytes: expected 12 bytes, found 13");
    }

    #[test]
    fn faults_of_elements_say_where_they_stand() {
        let bytes = table(&[(1, 1), (2, 0)]);
        let error = TableMessage::from_message(&bytes, fds(&["a", "b", "log"])).unwrap_err();
        assert_eq!((error.contract, error.offset), ("Region", 36));
        let mut bytes = table(&[]);
        bytes[16] = 1;
        let error = TableMessage::from_message(&bytes, fds(&["log"])).unwrap_err();
        assert_eq!((error.code, error.contract, error.offset), (Code::ReservedNotZero, "Table", 16));
    }

    #[test]
    fn text_and_bytes_go_as_far_as_is_said() {
        let mut bytes = header(7, 6);
        bytes.extend("caf\u{e9}".as_bytes());
        let message = Vhost::from_message(&bytes, Vec::new()).unwrap();
        let Vhost::Name(name) = &message else { panic!("{message:?}") };
        assert_eq!(name.name, "caf\u{e9}");
        assert_eq!(message.to_message().unwrap().0, bytes);
        let last = bytes.len() - 1;
        bytes[last] = b'x';
        assert_eq!(
            refused(Vhost::from_message(&bytes, Vec::new())),
            "NameMessage.name at byte 15: bad_utf8: expected UTF-8"
        );
        let negative = refused(Vhost::from_message(&header(7, 0), Vec::new()));
        assert_eq!(
            negative,
            "NameMessage.name at byte 12: length_exceeds: expected at most 1048564, found -1"
        );
    }

    #[test]
    fn the_open_variant_takes_what_no_other_does() {
        let bytes = [header(99, 3), b"abc".to_vec()].concat();
        let message = Vhost::from_message(&bytes, fds(&["x"])).unwrap();
        let Vhost::Other(other) = &message else { panic!("{message:?}") };
        assert_eq!((other.payload.as_slice(), texts(&other.fds)), (b"abc".as_slice(), vec!["x".into()]));
        assert_eq!(message.to_message().unwrap().0, bytes);
        let error = refused(Closed::from_message(&bytes, Vec::new()));
        assert_eq!(error, "Closed.header.request at byte 0: unknown_tag: expected a tag of Closed, found 99");
        let hidden = OtherMessage {
            header: Header { request: 5, flags: 0, size: 0 },
            payload: Vec::new(),
            fds: Vec::new(),
        };
        assert_eq!(
            refused(Vhost::Other(hidden).to_message()),
            "Vhost.header.request at byte 0: unknown_tag: expected a tag that no variant has, found 5"
        );
        let state = StateMessage { header: Header { request: 5, flags: 0, size: 0 } };
        assert_eq!(
            refused(Vhost::State(state).to_message()),
            "Vhost.header.request at byte 0: unknown_tag: expected 2, found 5"
        );
    }

    #[test]
    fn a_count_that_a_part_says_is_within_what_is_declared() {
        let regions: Vec<(u64, u64)> = (0..8).map(|at| (at, 1)).collect();
        let bytes = table(&regions);
        assert!(TableMessage::from_message(&bytes, fds(&["m"; 9])).is_ok());
        let few = refused(TableMessage::from_message(&bytes, fds(&["m"; 8])));
        assert_eq!(few, "TableMessage at byte 0: fd_count: expected 9 file descriptors, found 8");
        let one = refused(TableMessage::from_message(&table(&[]), Vec::new()));
        assert_eq!(one, "TableMessage at byte 0: fd_count: expected 1 file descriptor, found 0");
    }

    #[test]
    fn what_is_wrong_with_a_value_is_said_in_the_order_of_reading() {
        let region = Region { address: 1, size: 0 };
        let message = |regions: u32, held: usize| TableMessage {
            header: Header { request: 5, flags: 1, size: 8 + 16 * regions },
            table: Table { regions, padding: 0 },
            regions: vec![region; held],
            memory: Vec::new(),
            log: fd("log"),
        };
        // Too long as a whole, then another number of elements, then the elements, then file descriptors.
        assert_eq!(
            refused(message(9, 9).to_message()),
            "TableMessage at byte 148: too_large: expected at most 148 bytes, found 164"
        );
        assert_eq!(
            refused(message(1, 2).to_message()),
            "TableMessage at byte 36: trailing_bytes: expected 36 bytes, found 52"
        );
        let error = message(1, 1).to_message().map(drop).unwrap_err();
        assert_eq!((error.code, error.contract, error.offset), (Code::RuleViolated, "Region", 20));
        let mut right = message(1, 1);
        right.regions[0].size = 1;
        assert_eq!(
            refused(right.to_message()),
            "TableMessage.memory at byte 0: fd_count: expected 1 file descriptor, found 0"
        );
    }

    #[test]
    fn bounds_are_constants() {
        assert_eq!((StateMessage::MAX_BYTES, StateMessage::MAX_FDS), (12, 0));
        assert_eq!((TableMessage::MAX_BYTES, TableMessage::MAX_FDS), (148, 9));
        assert_eq!((Vhost::MAX_BYTES, Vhost::MAX_FDS), (1 << 20, 253));
    }
}

/// What a declaration may call its fields and compare its body with.
mod words {
    use wirecontract::{Contract as _, WireContract};
    use wirecontract_codegen::catalog::{read_file, resolve};
    use wirecontract_codegen::interpret::Host;
    use wirecontract_codegen::interpret::message;
    use wirecontract_tests::messages::binary::Header;
    use wirecontract_tests::messages::documents::Request;

    use super::*;

    #[allow(non_upper_case_globals, dead_code, reason = "a name that a field has too")]
    const planes: usize = 7;

    /// Fields that are called as something else is where they stand.
    #[allow(non_snake_case)]
    #[derive(WireContract, Debug)]
    #[wire(message, rule(len(Ok) < 3 || fds(planes) == 0))]
    struct Called {
        None: Header,
        #[wire(tail(bytes = None.size))]
        Ok: Vec<u8>,
        #[wire(fds(0..=1))]
        planes: Vec<OwnedFd>,
        #[wire(fd, present_if(None.flags == 1))]
        Some: Option<OwnedFd>,
    }

    #[test]
    fn a_field_is_called_as_a_constant_or_a_value_is() {
        let header =
            |flags: u32, size: u32| [2_u32.to_le_bytes(), flags.to_le_bytes(), size.to_le_bytes()].concat();
        let bytes = [header(1, 2), vec![7, 8]].concat();
        let message = Called::from_message(&bytes, fds(&["plane", "some"])).unwrap();
        assert_eq!((message.None.size, message.Ok.as_slice()), (2, [7, 8].as_slice()));
        assert_eq!(
            (texts(&message.planes), texts(&message.Some)),
            (vec!["plane".into()], vec!["some".into()])
        );
        let (written, beside) = message.to_message().unwrap();
        assert_eq!((written, beside.len()), (bytes, 2));
        message.validate_import().unwrap();
        let bytes = [header(0, 3), vec![7, 8, 9]].concat();
        let error = refused(Called::from_message(&bytes, fds(&["plane"])));
        assert_eq!(
            error,
            "Called at byte 0: rule_violated: expected len(Ok) < 3 || fds(planes) == 0, found len(Ok) = 3, \
             fds(planes) = 1"
        );
    }

    /// A body that may be of two kinds, of which one has file descriptors.
    #[derive(WireContract, Debug)]
    #[wire(message, rule(body == Register || fds(planes) == 0))]
    struct Sent {
        body: Request,
        #[wire(fds(0..=4))]
        planes: Vec<OwnedFd>,
        #[wire(fd, present_if(body == Lookup))]
        answer: Option<OwnedFd>,
    }

    #[test]
    fn a_rule_asks_which_variant_the_body_is() {
        let library = read_file(&std::env::current_exe().unwrap()).unwrap();
        let catalog = resolve(&library.records).unwrap();
        let (id, contract) = catalog.iter().find(|(_, contract)| contract.name == "Sent").unwrap();
        assert_eq!(contract.wire_id, Sent::WIRE_ID);
        let register = br#"{"op":"register","name":"a","plane_sizes":[1,2]}"#.as_slice();
        let lookup = br#"{"op":"lookup","name":"a"}"#.as_slice();
        for (document, count, expected) in [
            (register, 2, None),
            (lookup, 1, None),
            (lookup, 0, Some("Sent at byte 0: fd_count: expected 1 to 5 file descriptors, found 0")),
            (
                lookup,
                2,
                Some(
                    "Sent at byte 0: rule_violated: expected body == Register || fds(planes) == 0, found body = 1, \
                     fds(planes) = 1",
                ),
            ),
        ] {
            let rust = Sent::from_message(document, fds(&vec!["fd"; count])).map(drop);
            let interpreted = message::read(&catalog, id, document, count, Host::this()).map(drop);
            let expected = expected.map(str::to_owned);
            assert_eq!(rust.err().map(|error| error.to_string()), expected);
            assert_eq!(interpreted.err().map(|fault| fault.to_string()), expected);
        }
    }
}

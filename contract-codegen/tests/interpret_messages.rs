//! The interpreter of messages: what bytes and a number of file descriptors mean, and every fault of them.

use wirecontract_codegen::fixtures::{message_id as id, messages};
use wirecontract_codegen::interpret::message::{
    Chosen, MessageReading, MessageValue, PartValue, TailValue, import, import_chosen, read, read_chosen,
    write, write_chosen,
};
use wirecontract_codegen::interpret::{Fault, Host, Value, json};
use wirecontract_codegen::model::{
    Body, Catalog, ContractId, Expr, FdForm, Moment, Op, TailItem, TailLength,
};

fn header(request: u32, flags: i32, size: u32) -> Vec<u8> {
    [request.to_le_bytes(), flags.to_le_bytes(), size.to_le_bytes()].concat()
}

fn region(start: u64, size: u64) -> Vec<u8> {
    [start.to_le_bytes(), size.to_le_bytes()].concat()
}

/// A message of that many regions, which says `count`.
fn mem_table(count: u32, regions: usize) -> Vec<u8> {
    let table = [count.to_le_bytes(), [0; 4]].concat();
    [header(5, 1, 0), table, region(4096, 8).repeat(regions)].concat()
}

fn log(flags: i32, path: &[u8]) -> Vec<u8> {
    let size = 12 + u32::try_from(path.len()).expect("it is short");
    [header(6, flags, size), path.to_vec()].concat()
}

fn read_as(catalog: &Catalog, id: ContractId, bytes: &[u8], fds: usize) -> Result<MessageReading, Fault> {
    read(catalog, id, bytes, fds, Host::Little)
}

#[track_caller]
fn accepted(id: ContractId, bytes: &[u8], fds: usize) -> MessageValue {
    let reading = read_as(&messages(), id, bytes, fds).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(reading.written.as_deref(), Ok(bytes));
    reading.value
}

/// A fault in the words of every language.
fn said(fault: &Fault) -> String {
    fault.to_string()
}

#[track_caller]
fn refused(id: ContractId, bytes: &[u8], fds: usize, expected: &str) {
    match read_as(&messages(), id, bytes, fds) {
        Ok(reading) => panic!("it is read: {:?}", reading.value),
        Err(fault) => assert_eq!(said(&fault), expected),
    }
}

#[test]
fn parts_and_a_counted_tail_are_read_and_written_again() {
    let value = accepted(id::MEM_TABLE, &mem_table(2, 2), 2);
    let PartValue::Descriptor(table) = &value.parts[1] else { panic!("a descriptor") };
    assert_eq!(table.get("regions"), Some(&Value::Integer(2)));
    let Some(TailValue::Elements(regions)) = &value.tail else { panic!("descriptors") };
    assert_eq!(regions[1].get("start"), Some(&Value::Integer(4096)));
    assert_eq!((regions.len(), value.fds.len(), &value.fds[0]), (2, 1, &(0..2)));
}

#[test]
fn what_is_not_exact_takes_what_the_others_leave() {
    let fds = |bytes: &[u8], count| accepted(id::LOG, bytes, count).fds;
    assert_eq!(fds(&log(2, b""), 2), [0..1, 1..2, 2..2]);
    assert_eq!(fds(&log(7, b""), 5), [0..1, 1..4, 4..5]);
    assert_eq!(fds(&log(7, "größe".as_bytes()), 5), [0..1, 1..4, 4..5]);

    let document = |produce, consume, planes: &str| {
        format!(
            r#"{{"surface":"a","image":{{"plane_sizes":[{planes}],"has_produce_done_fd":{produce},"has_consume_done_fd":{consume}}}}}"#
        )
    };
    let fds = |text: String, count| accepted(id::REGISTER_MESSAGE, text.as_bytes(), count).fds;
    assert_eq!(fds(document(true, false, "1,2"), 3), [0..2, 2..3, 3..3]);
    assert_eq!(fds(document(false, true, "1"), 2), [0..1, 1..1, 1..2]);
    assert_eq!(fds(document(false, false, ""), 0), [0..0, 0..0, 0..0]);
}

#[test]
fn a_part_that_grows_ends_where_its_version_says() {
    let [one, two] = [vec![1_u32, 5], vec![2, 5, 6]];
    let bytes = |words: &[u32], rest: &[u8]| {
        let words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        [words, vec![0; 8], rest.to_vec()].concat()
    };
    let catalog = messages();
    let old = read_as(&catalog, id::GROWING_MESSAGE, &bytes(&one, &region(0, 1)), 0).expect("version 1");
    assert_eq!(old.written, Ok(bytes(&[2, 5, 7], &region(0, 1))), "in the newest version, with its default");
    let new = accepted(id::GROWING_MESSAGE, &bytes(&two, &region(0, 1).repeat(2)), 0);
    assert_eq!(new.tail.map(|tail| tail.len()), Some(2));

    // What is read of version 1 may be too long as version 2.
    let longest = [bytes(&one, &[]), region(0, 1).repeat(2)].concat();
    let read = read_as(&catalog, id::GROWING_MESSAGE, &longest, 0).expect("48 bytes");
    assert_eq!(read.written.map(|bytes| bytes.len()), Ok(52));
    refused(
        id::GROWING_MESSAGE,
        &bytes(&two, &region(0, 1))[..35],
        0,
        "GrowingMessage at byte 35: too_short: expected 36 bytes, found 35",
    );
    refused(
        id::GROWING_MESSAGE,
        &bytes(&[3, 5], &[]),
        0,
        "Grown.version at byte 0: unsupported_version: expected 1 to 2, found 3",
    );
    refused(
        id::GROWING_MESSAGE,
        &bytes(&two, &[])[..10],
        0,
        "Grown at byte 10: too_short: expected 12 bytes, found 10",
    );
}

#[test]
fn lengths_have_their_own_faults() {
    for (contract, bytes, fds, expected) in [
        (
            id::MEM_TABLE,
            vec![0; 149],
            0,
            "MemTableMessage at byte 148: too_large: expected at most 148 bytes, found 149",
        ),
        (id::MEM_TABLE, vec![0; 11], 0, "VhostHeader at byte 11: too_short: expected 12 bytes, found 11"),
        (
            id::MEM_TABLE,
            mem_table(2, 2)[..19].to_vec(),
            0,
            "MemTable at byte 19: too_short: expected 8 bytes, found 7",
        ),
        (
            id::MEM_TABLE,
            mem_table(9, 8),
            0,
            "MemTableMessage.regions at byte 20: length_exceeds: expected at most 8, found 9",
        ),
        (
            id::MEM_TABLE,
            mem_table(2, 1),
            0,
            "MemTableMessage at byte 36: too_short: expected 52 bytes, found 36",
        ),
        (
            id::MEM_TABLE,
            mem_table(1, 2),
            0,
            "MemTableMessage at byte 36: trailing_bytes: expected 36 bytes, found 52",
        ),
        (
            id::KICK,
            header(12, 2, 0)[..3].to_vec(),
            0,
            "VhostHeader at byte 3: too_short: expected 12 bytes, found 3",
        ),
        (
            id::KICK,
            [header(12, 2, 0), vec![1]].concat(),
            0,
            "KickMessage at byte 12: trailing_bytes: expected 12 bytes, found 13",
        ),
        (
            id::LOG,
            header(6, 2, 11),
            2,
            "LogMessage.path at byte 12: length_exceeds: expected at most 52, found -1",
        ),
        (
            id::LOG,
            header(6, 2, 65),
            2,
            "LogMessage.path at byte 12: length_exceeds: expected at most 52, found 53",
        ),
        (id::LOG, header(6, 2, 13), 2, "LogMessage at byte 12: too_short: expected 13 bytes, found 12"),
    ] {
        refused(contract, &bytes, fds, expected);
    }
}

#[test]
fn faults_of_parts_and_elements_stand_where_they_are_in_the_message() {
    let mut bytes = mem_table(2, 2);
    bytes[16] = 1;
    refused(
        id::MEM_TABLE,
        &bytes,
        2,
        "MemTable._padding at byte 16: reserved_not_zero: expected zero, found 1",
    );
    let mut bytes = mem_table(2, 2);
    bytes[44..52].fill(0);
    refused(
        id::MEM_TABLE,
        &bytes,
        2,
        "MemRegion at byte 36: rule_violated: expected size > 0, found size = 0",
    );
    refused(id::LOG, &log(2, b"a\xff"), 2, "LogMessage.path at byte 13: bad_utf8: expected UTF-8");
    refused(
        id::REGISTER_MESSAGE,
        br#"{"surface":1}"#,
        0,
        "Registration.surface at byte 11: wrong_type: expected a string, found 1",
    );
}

#[test]
fn file_descriptors_are_counted_behind_the_bytes() {
    for (contract, bytes, fds, expected) in [
        (
            id::MEM_TABLE,
            mem_table(1, 1),
            0,
            "MemTableMessage at byte 0: fd_count: expected 1 to 8 file descriptors, found 0",
        ),
        (
            id::MEM_TABLE,
            mem_table(1, 1),
            9,
            "MemTableMessage at byte 0: fd_count: expected 1 to 8 file descriptors, found 9",
        ),
        (
            id::KICK,
            header(12, 2, 0),
            2,
            "KickMessage at byte 0: fd_count: expected 3 file descriptors, found 2",
        ),
        (
            id::KICK,
            header(12, 1, 0),
            3,
            "KickMessage at byte 0: fd_count: expected 2 file descriptors, found 3",
        ),
        (
            id::KICK,
            header(12, 0, 0),
            2,
            "KickMessage.kick at byte 0: condition_violated: expected a file descriptor only when 6 / header.flags == 3, found header.flags = 0",
        ),
        (
            id::LOG,
            log(1, b""),
            2,
            "LogMessage.pages at byte 0: fd_count: expected 1 to 3 file descriptors, found 0",
        ),
        (
            id::LOG,
            log(8, b""),
            2,
            "LogMessage.pages at byte 0: fd_count: expected 1 to 3 file descriptors, found 4",
        ),
        (
            id::LOG,
            log(-2, b""),
            2,
            "LogMessage.pages at byte 0: fd_count: expected 1 to 3 file descriptors, found -1",
        ),
        (
            id::LOG,
            log(4, b""),
            2,
            "LogMessage at byte 0: fd_count: expected 3 to 4 file descriptors, found 2",
        ),
        (
            id::MEM_TABLE,
            mem_table(2, 2),
            1,
            "MemTableMessage at byte 0: rule_violated: expected one_each: len(regions) == fds(memory), found len(regions) = 2, fds(memory) = 1",
        ),
        (
            id::LOG,
            log(2, b"a"),
            2,
            "LogMessage at byte 0: rule_violated: expected present(done) || len(path) == 0, found present(done) = false, len(path) = 1",
        ),
    ] {
        refused(contract, &bytes, fds, expected);
    }
}

/// A count of bytes that is no whole number of elements, and one that has no value.
#[test]
fn a_tail_has_whole_elements_and_its_number_a_value() {
    let mut catalog = messages();
    let change = |catalog: &mut Catalog, change: &dyn Fn(&mut TailLength)| {
        let Body::Message(body) = &mut catalog.contracts[id::LOG.0].body else { panic!("a message") };
        let tail = body.tail.as_mut().expect("a tail");
        tail.item = TailItem::Descriptor(id::TABLE);
        body.rules.clear();
        change(&mut tail.length);
    };
    change(&mut catalog, &|_| {});
    let fault = read_as(&catalog, id::LOG, &log(2, &[0; 12]), 2).expect_err("one and a half");
    assert_eq!(said(&fault), "LogMessage.path at byte 12: length_exceeds: expected at most 8, found 12");
    assert!(read_as(&catalog, id::LOG, &log(2, &[0; 16]), 2).is_ok());
    change(&mut catalog, &|length| {
        let TailLength::Bytes(computed) = length else { panic!("in bytes") };
        let flags = header_flags();
        computed.expr =
            Expr::Binary { op: Op::Rem, left: Box::new(flags.clone()), right: Box::new(Expr::Integer(0)) };
    });
    let fault = read_as(&catalog, id::LOG, &log(2, &[]), 2).expect_err("no number");
    assert_eq!(said(&fault), "LogMessage.path at byte 12: length_exceeds: expected at most 52");
}

/// The field `flags` of the header.
fn header_flags() -> Expr {
    let catalog = messages();
    let FdForm::Many { count: Some(count), .. } = &catalog.get(id::LOG).message().fds[1].form else {
        panic!("a counted group")
    };
    let Expr::Binary { left, .. } = &count.expr else { panic!("a division") };
    (**left).clone()
}

#[test]
fn a_writer_refuses_what_a_reader_would_split_otherwise() {
    let catalog = messages();
    let write_as = |id, value: &MessageValue| write(&catalog, id, value, Host::Little);
    let with = |value: &MessageValue, fds: &[usize]| {
        let mut start = 0;
        let ranges = fds.iter().map(|count| {
            start += count;
            start - count..start
        });
        MessageValue { fds: ranges.collect(), ..value.clone() }
    };
    let log = accepted(id::LOG, &log(4, b""), 4);
    assert_eq!(log.fds, [0..1, 1..3, 3..4]);
    let fault = write_as(id::LOG, &with(&log, &[1, 3, 0])).expect_err("one of a group in another one");
    assert_eq!(said(&fault), "LogMessage.pages at byte 0: fd_count: expected 2 file descriptors, found 3");
    let fault = write_as(id::LOG, &with(&log, &[0, 2, 1])).expect_err("one is missing");
    assert_eq!(said(&fault), "LogMessage.log at byte 0: fd_count: expected 1 file descriptor, found 0");
    let kick = accepted(id::KICK, &header(12, 2, 0), 3);
    let fault = write_as(id::KICK, &with(&kick, &[0, 2])).expect_err("it must be there");
    assert_eq!(said(&fault), "KickMessage.kick at byte 0: fd_count: expected 1 file descriptor, found 0");
    let kick = accepted(id::KICK, &header(12, 1, 0), 2);
    let fault = write_as(id::KICK, &with(&kick, &[1, 2])).expect_err("it must not be there");
    assert_eq!(said(&fault), "KickMessage.kick at byte 0: fd_count: expected no file descriptor, found 1");

    let mut table = accepted(id::MEM_TABLE, &mem_table(2, 2), 2);
    let Some(TailValue::Elements(regions)) = &mut table.tail else { panic!("descriptors") };
    let third = regions[0].clone();
    regions.push(third);
    let fault = write_as(id::MEM_TABLE, &table).expect_err("one more than it says");
    assert_eq!(said(&fault), "MemTableMessage at byte 52: trailing_bytes: expected 52 bytes, found 68");
    let Some(TailValue::Elements(regions)) = &mut table.tail else { panic!("descriptors") };
    regions.truncate(2);
    let Value::Object(members) = &mut regions[1] else { panic!("a descriptor") };
    members[1].1 = Value::Integer(0);
    let fault = write_as(id::MEM_TABLE, &table).expect_err("an element that is at fault");
    assert_eq!(said(&fault), "MemRegion at byte 36: rule_violated: expected size > 0, found size = 0");
    let Some(TailValue::Elements(regions)) = &mut table.tail else { panic!("descriptors") };
    *regions = vec![regions[0].clone(); 9];
    let fault = write_as(id::MEM_TABLE, &table).expect_err("more than it may have");
    assert_eq!(said(&fault), "MemTableMessage at byte 148: too_large: expected at most 148 bytes, found 164");
}

#[test]
fn parts_elements_and_the_message_say_what_they_ask_at_import() {
    let catalog = messages();
    assert_eq!(import(&catalog, id::MEM_TABLE, &accepted(id::MEM_TABLE, &mem_table(2, 2), 2)), Ok(()));
    let mut bytes = mem_table(2, 2);
    bytes[36] = 1;
    bytes[4] = 2;
    let fault = import(&catalog, id::MEM_TABLE, &accepted(id::MEM_TABLE, &bytes, 2)).expect_err("no page");
    assert_eq!(
        said(&fault),
        "MemRegion at byte 36: rule_violated: expected start % 4096 == 0, found start = 4097"
    );
    let mut bytes = mem_table(2, 2);
    bytes[4] = 2;
    let fault =
        import(&catalog, id::MEM_TABLE, &accepted(id::MEM_TABLE, &bytes, 2)).expect_err("its own rule");
    assert_eq!(
        said(&fault),
        "MemTableMessage at byte 0: rule_violated: expected header.flags == 1, found header.flags = 2"
    );
    let text = r#"{"surface":"a","image":{"plane_sizes":[],"has_produce_done_fd":false,"has_consume_done_fd":false}}"#;
    let fault = import(&catalog, id::REGISTER_MESSAGE, &accepted(id::REGISTER_MESSAGE, text.as_bytes(), 0));
    assert_eq!(
        said(&fault.expect_err("the document counts them")),
        "Registration at byte 0: rule_violated: expected fd_count > 0, found fd_count = 0"
    );
}

#[track_caller]
fn chosen(id: ContractId, bytes: &[u8], fds: usize) -> Chosen {
    let reading =
        read_chosen(&messages(), id, bytes, fds, Host::Little).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(reading.written.as_deref(), Ok(bytes));
    reading.value
}

#[test]
fn the_tag_says_which_message_it_is() {
    assert_eq!(chosen(id::VHOST, &mem_table(1, 1), 1).variant, 0);
    assert_eq!(chosen(id::VHOST, &header(12, 2, 0), 3).variant, 2);
    let other = chosen(id::VHOST, &[header(99, 0, 0), vec![1, 2, 3]].concat(), 4);
    assert_eq!((other.variant, other.value.fds.len(), &other.value.fds[0]), (3, 1, &(0..4)));
    assert_eq!(other.value.tail, Some(TailValue::Bytes(vec![1, 2, 3])));

    let mut catalog = messages();
    let fault = |catalog: &Catalog, bytes: &[u8]| {
        said(&read_chosen(catalog, id::VHOST, bytes, 0, Host::Little).expect_err("it is refused"))
    };
    assert_eq!(
        fault(&catalog, &header(5, 1, 0)),
        "MemTable at byte 12: too_short: expected 8 bytes, found 0"
    );
    let Body::Messages(body) = &mut catalog.contracts[id::VHOST.0].body else { panic!("messages") };
    body.variants.pop();
    assert_eq!(
        fault(&catalog, &header(99, 0, 0)),
        "VhostMessage.header.request at byte 0: unknown_tag: expected a tag of VhostMessage, found 99"
    );
    assert_eq!(fault(&catalog, &[0; 3]), "VhostHeader at byte 3: too_short: expected 12 bytes, found 3");
}

#[test]
fn what_is_written_has_the_tag_of_its_variant() {
    let catalog = messages();
    let fault = |value: &Chosen| {
        said(&write_chosen(&catalog, id::VHOST, value, Host::Little).expect_err("it is refused"))
    };
    let kick = chosen(id::VHOST, &header(12, 2, 0), 3);
    assert_eq!(
        fault(&Chosen { variant: 1, ..kick.clone() }),
        "VhostMessage.header.request at byte 0: unknown_tag: expected 6, found 12"
    );
    let value = MessageValue { tail: Some(TailValue::Bytes(Vec::new())), ..kick.value };
    assert_eq!(
        fault(&Chosen { variant: 3, value }),
        "VhostMessage.header.request at byte 0: unknown_tag: expected a tag that no variant has, found 12"
    );
}

#[test]
fn the_union_says_which_message_it_is() {
    let catalog = messages();
    let register = |flag: bool| {
        format!(
            r#"{{"op":"register","surface":"a","image":{{"plane_sizes":[7],"has_produce_done_fd":{flag},"has_consume_done_fd":false}}}}"#
        )
    };
    let value = chosen(id::QUERY_MESSAGE, register(true).as_bytes(), 2);
    assert_eq!((value.variant, &*value.value.fds), (1, &[0..1, 1..2, 2..2][..]));
    assert_eq!(import_chosen(&catalog, id::QUERY_MESSAGE, &value), Ok(()));
    let lookup = chosen(id::QUERY_MESSAGE, br#"{"op":"lookup","surface":"a"}"#, 0);
    assert_eq!(lookup.variant, 0);
    let expected = json::Value::Recipe(vec![Some(json::Value::Text("a".into()))]);
    assert_eq!(lookup.value.parts, [PartValue::Document(expected)]);

    let fault = |text: &str, fds| {
        let read = read_chosen(&catalog, id::QUERY_MESSAGE, text.as_bytes(), fds, Host::Little);
        said(&read.expect_err("it is refused"))
    };
    assert_eq!(
        fault(r#"{"op":"lookup","surface":"a"}"#, 1),
        "QueryMessage at byte 0: fd_count: expected no file descriptor, found 1"
    );
    assert_eq!(
        fault(&register(true), 0),
        "RegisterMessage at byte 0: fd_count: expected 1 to 5 file descriptors, found 0"
    );
    assert_eq!(
        fault(&register(false), 2),
        "RegisterMessage at byte 0: rule_violated: expected fds(planes) == len(body.image.plane_sizes), \
         found fds(planes) = 2, len(body.image.plane_sizes) = 1"
    );
    assert_eq!(
        fault(r#"{"op":"go"}"#, 0),
        "Query.op at byte 6: unknown_tag: expected a tag of Query, found \"go\""
    );

    let none = MessageValue { fds: vec![0..0, 0..1, 1..1], ..value.value.clone() };
    let written = write_chosen(&catalog, id::QUERY_MESSAGE, &Chosen { value: none, ..value }, Host::Little);
    assert!(written.expect_err("a plane is missing").expected.contains("fds(planes)"));
    let more = MessageValue { fds: std::iter::once(0..1).collect(), ..lookup.value };
    let written = write_chosen(&catalog, id::QUERY_MESSAGE, &Chosen { value: more, ..lookup }, Host::Little);
    assert_eq!(
        written.map_err(|fault| said(&fault)),
        Err("QueryMessage at byte 0: fd_count: expected no file descriptor, found 1".to_owned())
    );
}

/// What the union's variant holds comes alone; an unknown tag with whatever came with it.
#[test]
fn variants_that_hold_no_message_are_as_in_the_union() {
    let catalog = messages();
    let stop = chosen(id::WORD_MESSAGE, br#"{"op":"stop"}"#, 0);
    assert_eq!((stop.variant, &stop.value.parts, &stop.value.fds), (2, &Vec::new(), &Vec::new()));
    assert_eq!(
        write_chosen(&catalog, id::WORD_MESSAGE, &stop, Host::Little),
        Ok(br#"{"op":"stop"}"#.to_vec())
    );
    let pair = chosen(id::SETTING_MESSAGE, br#"{"kind":"pair","value":[1,-2]}"#, 0);
    let numbers = json::Value::List(vec![json::Value::Integer(1), json::Value::Integer(-2)]);
    assert_eq!(pair.value.parts, [PartValue::Document(numbers)]);

    let text = br#"{"op":"later","x":1}"#;
    let later = chosen(id::WORD_MESSAGE, text, 2);
    assert_eq!((later.variant, later.value.fds.len(), later.value.fds.first()), (1, 1, Some(&(0..2))));
    assert_eq!(write_chosen(&catalog, id::WORD_MESSAGE, &later, Host::Little), Ok(text.to_vec()));
    // The union's rule is told how many file descriptors there are.
    assert_eq!(import_chosen(&catalog, id::WORD_MESSAGE, &later), Ok(()));
    let three = chosen(id::WORD_MESSAGE, text, 3);
    let fault = import_chosen(&catalog, id::WORD_MESSAGE, &three).expect_err("three of at most two");
    assert_eq!((fault.contract.as_str(), fault.found.as_str()), ("Word", "variant = 3, fd_count = 3"));

    let refused = |id, text: &[u8], fds| {
        said(&read_chosen(&catalog, id, text, fds, Host::Little).expect_err("it is refused"))
    };
    let none = "at byte 0: fd_count: expected no file descriptor, found 1";
    assert_eq!(refused(id::WORD_MESSAGE, br#"{"op":"stop"}"#, 1), format!("WordMessage {none}"));
    assert_eq!(refused(id::SIGNAL_MESSAGE, br#"{"signal":"go"}"#, 1), format!("SignalMessage {none}"));
    assert_eq!(
        refused(id::SETTING_MESSAGE, br#"{"kind":"count","value":7}"#, 1),
        format!("SettingMessage {none}")
    );
    assert_eq!(
        refused(id::WORD_MESSAGE, text, 254),
        "WordMessage at byte 0: fd_count: expected 0 to 253 file descriptors, found 254"
    );
    // With a tag that a variant has, it would be read as that one.
    let known = json::Value::Other { tag: "stop".into(), content: Some("{}".into()) };
    let value = MessageValue { parts: vec![PartValue::Document(known)], ..later.value };
    let written = write_chosen(&catalog, id::WORD_MESSAGE, &Chosen { value, ..later }, Host::Little);
    assert_eq!(
        said(&written.expect_err("a known tag")),
        "Word.op at byte 0: unknown_tag: expected a tag that no variant has, found \"stop\""
    );
}

/// A rule of the import looks at the numbers of file descriptors too.
#[test]
fn rules_at_import_see_groups() {
    let mut catalog = messages();
    let Body::Message(body) = &mut catalog.contracts[id::MEM_TABLE.0].body else { panic!("a message") };
    body.rules[0].at = Moment::Import;
    let read = read_as(&catalog, id::MEM_TABLE, &mem_table(2, 2), 1).expect("nothing is asked yet").value;
    let fault = import(&catalog, id::MEM_TABLE, &read).expect_err("one for two");
    assert_eq!(fault.found, "len(regions) = 2, fds(memory) = 1");
}

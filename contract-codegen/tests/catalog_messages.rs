//! Records of messages: what is written from the model is read again, and what no declaration says is refused.

mod catalog_support;

use catalog_support::{BIG_32, BIG_64, LITTLE_32, LITTLE_64, elf_object, section_file, with_ids};
use wirecontract_codegen::catalog::encode::{self, Lines};
use wirecontract_codegen::catalog::{ReadError, ResolveError, read_bytes, resolve};
use wirecontract_codegen::fixtures::{self, message_id as id};
use wirecontract_codegen::model::{
    Body, Catalog, ContractId, FdForm, Member, Message, MessageField, Operand, Part, Path, Selector, Tail,
    TailLength, What,
};

fn messages() -> Catalog {
    let mut catalog = fixtures::messages();
    for (line, contract) in (1..).zip(&mut catalog.contracts) {
        contract.line = line;
    }
    with_ids(catalog)
}

fn message(catalog: &mut Catalog, id: ContractId) -> &mut Message {
    let Body::Message(body) = &mut catalog.contracts[id.0].body else { panic!("not a message") };
    body
}

/// The same contracts with fields that had other names, in the texts of expressions too.
fn renamed() -> Catalog {
    let mut catalog = messages();
    let body = message(&mut catalog, id::MEM_TABLE);
    body.parts[1].member.was = Some("tables".into());
    body.parts[1].member.deprecated = Some("use another".into());
    let tail = body.tail.as_mut().expect("it has a tail");
    (tail.member.was, tail.member.c_name) = (Some("areas".into()), Some("wc_regions".into()));
    body.fds[0].member.was = Some("files".into());
    body.fds[0].member.since = Some(2);
    let kick = message(&mut catalog, id::KICK);
    kick.parts[0].member.was = Some("head".into());
    let log = message(&mut catalog, id::LOG);
    log.parts[0].member.was = Some("head".into());
    let Body::Messages(vhost) = &mut catalog.contracts[id::VHOST.0].body else { panic!("not messages") };
    vhost.variants[2].member.was = Some("Knock".into());
    vhost.variants[3].member.c_name = Some("WC_OTHER".into());
    with_ids(catalog)
}

#[test]
fn records_of_messages_are_read_as_they_were_written() {
    for catalog in [messages(), renamed()] {
        for target in [LITTLE_64, BIG_64, LITTLE_32, BIG_32] {
            let library = read_bytes(&elf_object(&catalog, target)).expect("the file holds contracts");
            let read = resolve(&library.records).expect("the records make a catalog");
            for (read, written) in read.contracts.iter().zip(&catalog.contracts) {
                assert_eq!(read, written);
            }
            assert_eq!(read.contracts.len(), catalog.contracts.len());
        }
    }
}

#[test]
fn a_record_says_the_declaration_in_these_words() {
    let catalog = messages();
    let wire = |id| Lines::of(&catalog, catalog.get(id)).wire;
    assert_eq!(
        wire(id::MEM_TABLE),
        concat!(
            r#"{"kind":"message","name":"MemTableMessage","max_bytes":148,"parts":[{"name":"header"},{"name":"table"}],"#,
            r#""tail":{"name":"regions","count":"table.regions"},"#,
            r#""fds":[{"name":"memory","form":"many","least":1,"most":8}],"#,
            r#""rules":[{"name":"one_each","expr":"len(regions) == fds(memory)"},"#,
            r#"{"expr":"header.flags == 1","at":"import"}]}"#
        )
    );
    assert_eq!(
        wire(id::LOG),
        concat!(
            r#"{"kind":"message","name":"LogMessage","max_bytes":64,"parts":[{"name":"header"}],"#,
            r#""tail":{"name":"path","bytes":"header.size - 12"},"fds":[{"name":"log","form":"one"},"#,
            r#"{"name":"pages","form":"many","least":1,"most":3,"count":"header.flags / 2"},"#,
            r#"{"name":"done","form":"optional"}],"rules":[{"expr":"present(done) || len(path) == 0"}]}"#
        )
    );
    assert_eq!(
        wire(id::KICK),
        concat!(
            r#"{"kind":"message","name":"KickMessage","parts":[{"name":"header"}],"fds":["#,
            r#"{"name":"kick","form":"optional","present_if":"6 / header.flags == 3"},"#,
            r#"{"name":"pair","form":"many","least":2,"most":2}]}"#
        )
    );
    assert_eq!(
        wire(id::VHOST),
        concat!(
            r#"{"kind":"messages","name":"VhostMessage","tag":"header.request","variants":["#,
            r#"{"name":"SetMemTable","value":5},{"name":"SetLog","value":6},{"name":"Kick","value":12},"#,
            r#"{"name":"Other","open":true}]}"#
        )
    );
    assert_eq!(
        wire(id::QUERY_MESSAGE),
        r#"{"kind":"messages","name":"QueryMessage","variants":[{"name":"Lookup"},{"name":"Register"}]}"#
    );

    assert_eq!(
        wire(id::WORD_MESSAGE),
        concat!(
            r#"{"kind":"messages","name":"WordMessage","variants":[{"name":"Lookup"},{"name":"Other","open":true},"#,
            r#"{"name":"Stop"},{"name":"Register"}]}"#
        )
    );

    let ids = [0_usize, 1, 2, 3, 5, 13, 14, 15, 17, 19].map(|id| (ContractId(id), (1, 2))).into();
    let words = |id| -> Vec<u32> {
        encode::words(&catalog, catalog.get(id), &ids).into_iter().map(|word| word.0).collect()
    };
    let held = |code: u32| vec![code | 1 << 13, 1, 0, 2, 0];
    assert_eq!(words(id::MEM_TABLE), [held(22), held(22), vec![33], held(22)].concat());
    assert_eq!(words(id::LOG)[5..], [30]);
    assert_eq!(words(id::UNKNOWN)[5..], [33, 2]);
    assert_eq!(words(id::QUERY_MESSAGE), [held(24), held(23), held(25)].concat());
    assert_eq!(words(id::WORD_MESSAGE), [held(24), held(23), vec![39, 38], held(25)].concat());
    // Words of values are those of the union.
    assert_eq!(words(id::SETTING_MESSAGE), [held(24), words(id::SETTING)].concat());
}

#[test]
fn the_second_line_has_the_texts_as_declared_where_fields_had_other_names() {
    let catalog = renamed();
    let lines = Lines::of(&catalog, catalog.get(id::MEM_TABLE));
    assert!(lines.wire.contains(r#""count":"tables.regions""#), "{}", lines.wire);
    assert!(lines.wire.contains("len(areas) == fds(files)"), "{}", lines.wire);
    assert!(lines.source.contains(r#""count":"table.regions""#), "{}", lines.source);
    assert!(lines.source.contains(r#""rules":["len(regions) == fds(memory)""#), "{}", lines.source);
    let lines = Lines::of(&catalog, catalog.get(id::KICK));
    assert!(lines.wire.contains(r#""present_if":"6 / head.flags == 3""#), "{}", lines.wire);
    assert!(lines.source.contains(r#""present_if":"6 / header.flags == 3""#), "{}", lines.source);
}

#[test]
fn fields_are_counted_as_declared_and_paths_lead_through_the_parts() {
    let catalog = messages();
    let library = read_bytes(&elf_object(&catalog, LITTLE_64)).expect("the file holds contracts");
    let read = resolve(&library.records).expect("the records make a catalog");
    let mem_table = read.get(id::MEM_TABLE).message();
    let names: Vec<&str> = mem_table.fields().map(MessageField::name).collect();
    assert_eq!(names, ["header", "table", "regions", "memory"]);
    let operands: Vec<&Operand> = mem_table.rules[0].operands();
    assert_eq!(operands[0].what, What::Length(Path(vec![2])));
    assert_eq!(operands[1].what, What::Length(Path(vec![3])));
    let Selector::Tag { path, .. } = &read.get(id::VHOST).messages().by else { panic!("not by a tag") };
    assert_eq!(path, &Path(vec![0, 0]));
    assert_eq!(read.get(id::LOG).message().fd_range(), (2, 5));
    assert_eq!(read.get(id::VHOST).messages().open().map(|open| &*open.member.name), Some("Other"));
    assert_eq!(read.get(id::QUERY_MESSAGE).messages().open(), None);
    assert_eq!(read.get(id::WORD_MESSAGE).messages().open().map(|open| &*open.member.name), Some("Other"));
}

type Forgery<'a> = &'a dyn Fn(&mut Catalog);

type Change<'a> = &'a dyn Fn(&mut Lines, &mut Vec<encode::Word>);

/// What is said of a library whose contract `changed` says something else, with ids that fit.
fn verdict(changed: ContractId, change: Change<'_>) -> Result<Catalog, String> {
    let catalog = messages();
    let ids = catalog.iter().map(|(id, contract)| (id, (contract.wire_id, contract.source_id))).collect();
    let mut records: Vec<u8> =
        encode::records(&catalog, LITTLE_64).drain(..changed.0).flat_map(|record| record.bytes).collect();
    let contract = catalog.get(changed);
    let mut lines = Lines::of(&catalog, contract);
    let mut words = encode::words(&catalog, contract, &ids);
    change(&mut lines, &mut words);
    records.extend(lines.encode(&words, LITTLE_64).bytes);
    let library = read_bytes(&section_file(&records)).map_err(|error| {
        assert!(matches!(error, ReadError::Corrupted { .. } | ReadError::NewerDeclaration { .. }), "{error}");
        error.to_string()
    })?;
    resolve(&library.records).map_err(|errors| {
        let is_typed = matches!(errors[..], [ResolveError::Corrupted { .. } | ResolveError::Rule { .. }]);
        assert!(is_typed, "{errors:?}");
        errors[0].to_string()
    })
}

#[test]
fn texts_that_no_declaration_has_are_refused() {
    for (contract, from, to, part) in [
        // The whole.
        (id::MEM_TABLE, r#""max_bytes":148,"#, "", "a tail and no bound"),
        (id::MEM_TABLE, r#""max_bytes":148"#, r#""max_bytes":19"#, "its parts have 20 bytes, of at most 19"),
        (id::MEM_TABLE, r#""max_bytes":148"#, r#""max_bytes":4294967296"#, "out of range"),
        (id::KICK, r#""parts""#, r#""max_bytes":12,"parts""#, "a bound and no tail"),
        (id::MEM_TABLE, r#"{"name":"table"}"#, r#"{"name":"header"}"#, "two fields `header`"),
        (id::MEM_TABLE, r#""name":"memory""#, r#""name":"regions""#, "two fields `regions`"),
        (id::MEM_TABLE, r#",{"name":"table"}"#, "", "it has 3 fields, words for 4 and declarations of 4"),
        (id::MEM_TABLE, r#"{"name":"table"}"#, r#"{"name":"table","magic":"00"}"#, "does not know"),
        (id::MEM_TABLE, r#"{"name":"table"}"#, r#"{"name":"1"}"#, "is no name"),
        (id::MEM_TABLE, r#""fds":["#, r#""fd":["#, "`fds` is missing"),
        // The tail.
        (
            id::MEM_TABLE,
            r#""count":"table.regions""#,
            r#""count":"table.regions","bytes":"1""#,
            "both a number",
        ),
        (id::MEM_TABLE, r#""count":"table.regions""#, r#""count":"table.regions == 1""#, "expected a number"),
        (id::MEM_TABLE, r#""count":"table.regions""#, r#""count":"table""#, "has no value"),
        (id::MEM_TABLE, r#""count":"table.regions""#, r#""count":"table._padding""#, "is no field"),
        (id::MEM_TABLE, r#""count":"table.regions""#, r#""count":"fds(memory)""#, "`memory` is no field"),
        (id::MEM_TABLE, r#""count":"table.regions""#, r#""count":"len(regions)""#, "`regions` is no field"),
        (id::MEM_TABLE, r#""count":"table.regions""#, r#""count":"table.""#, "expected a name"),
        (id::MEM_TABLE, r#""count":"table.regions""#, r#""count":1"#, "expected text"),
        // File descriptors.
        (id::MEM_TABLE, r#""least":1,"most":8"#, r#""least":9,"most":8"#, "takes 9 to 8 file descriptors"),
        (id::MEM_TABLE, r#""least":1,"most":8"#, r#""least":0,"most":0"#, "takes 0 to 0 file descriptors"),
        (id::MEM_TABLE, r#""least":1,"most":8"#, r#""least":1,"most":254"#, "takes 1 to 254 file"),
        (id::MEM_TABLE, r#""least":1,"most":8"#, r#""most":8"#, "`least` is missing"),
        (id::LOG, r#""most":3"#, r#""most":252"#, "it takes 254 file descriptors"),
        (
            id::LOG,
            r#","count":"header.flags / 2""#,
            "",
            "how many file descriptors `pages` has and how many `done`",
        ),
        (id::LOG, r#""count":"header.flags / 2""#, r#""count":"header.flags < 2""#, "expected a number"),
        (id::LOG, r#""form":"one""#, r#""form":"two""#, "does not know"),
        (id::LOG, r#""form":"one""#, r#""form":"one","least":1"#, "does not know"),
        (id::LOG, r#""form":"optional""#, r#""form":"optional","present_if":"1""#, "expected a condition"),
        (id::LOG, r#""form":"optional""#, r#""form":"optional","count":"1""#, "does not know"),
        (id::KICK, r#""present_if":"6"#, r#""present_if":"present(kick) || 6"#, "`kick` is no field"),
        // Rules.
        (id::MEM_TABLE, "fds(memory)", "fds(regions)", "`fds(regions)` has no value"),
        (id::MEM_TABLE, "fds(memory)", "len(memory)", "`len(memory)` has no value"),
        (id::MEM_TABLE, "fds(memory)", "fds(header)", "`fds(header)` has no value"),
        (
            id::MEM_TABLE,
            "len(regions) ==",
            "present(memory) && len(regions) ==",
            "`present(memory)` has no value",
        ),
        (id::MEM_TABLE, "header.flags == 1", "fd_count == 1", "of recipes and unions"),
        (id::MEM_TABLE, "header.flags == 1", "header.flag == 1", "`header.flag` is no field"),
        (id::MEM_TABLE, "header.flags == 1", "regions.size == 1", "`regions.size` is no field"),
        (
            id::GROWING_MESSAGE,
            r#""fds":[]"#,
            r#""fds":[],"rules":[{"expr":"grown.version == 2"}]"#,
            "`grown.version` is no field",
        ),
        (id::VHOST, "header.request", "header.request.version", "no integer or enumeration"),
        // Variants.
        (id::VHOST, "header.request", "header", "is no field of a part"),
        (id::VHOST, "header.request", "header..request", "is no field of a part"),
        (id::VHOST, "header.request", "head.request", "has not the first part `head`"),
        (id::VHOST, "header.request", "header.opcode", "no integer or enumeration"),
        (id::VHOST, "header.request", "header.request.low", "no integer or enumeration"),
        (id::VHOST, r#""value":6"#, r#""value":5"#, "two tags `5`"),
        (id::VHOST, r#""value":6"#, r#""value":-1"#, "out of range"),
        (id::VHOST, r#""value":6"#, r#""value":4294967296"#, "the tag of its variant `SetLog` is no u32"),
        (id::VHOST, r#""value":6"#, r#""open":true"#, "two variants that keep unknown tags"),
        (id::VHOST, r#""value":6"#, r#""value":6,"open":true"#, "told by no tag, or by two things"),
        (id::VHOST, r#","value":6"#, "", "told by no tag, or by two things"),
        (id::VHOST, r#""name":"SetLog""#, r#""name":"Kick""#, "two variants `Kick`"),
        (id::VHOST, r#"{"name":"SetLog","value":6},"#, "", "it has 3 variants, words for 4"),
        (id::QUERY_MESSAGE, r#"{"name":"Lookup"}"#, r#"{"name":"Lookup","value":1}"#, "told by no tag"),
        (id::QUERY_MESSAGE, r#"{"name":"Lookup"}"#, r#"{"name":"Look"}"#, "Query has no variant `Look`"),
        (id::QUERY_MESSAGE, r#"{"name":"Lookup"}"#, r#"{"name":"Lookup","open":true}"#, "`Lookup` is open"),
        (id::WORD_MESSAGE, r#","open":true"#, "", "`Other` is open, or keeps unknown tags"),
        (id::WORD_MESSAGE, r#"{"name":"Stop"}"#, r#"{"name":"Stop","max_len":3}"#, "`Stop`"),
        (
            id::SETTING_MESSAGE,
            r#"{"name":"Count"}"#,
            r#"{"name":"Count","max":9}"#,
            "`Count` holds something else",
        ),
    ] {
        let verdict = verdict(contract, &|lines, _| {
            assert!(lines.wire.contains(from), "{from} is not in {}", lines.wire);
            lines.wire = lines.wire.replacen(from, to, 1);
        });
        match verdict {
            Ok(_) => panic!("{to} in place of {from} is taken"),
            Err(message) => assert!(message.contains(part), "{from} → {to}: {message}"),
        }
    }
}

#[test]
fn declared_texts_are_held_against_those_that_the_wire_id_covers() {
    for (contract, from, to, part) in [
        (
            id::MEM_TABLE,
            r#"The tail regions.""#,
            r#"The tail regions.","count":"header.size""#,
            "in what the wire id",
        ),
        (
            id::MEM_TABLE,
            r#"The tail regions.""#,
            r#"The tail regions.","bytes":"header.size""#,
            "and not there",
        ),
        (
            id::KICK,
            r#"descriptors kick.""#,
            r#"descriptors kick.","present_if":"true""#,
            "in what the wire id",
        ),
        (id::KICK, r#"descriptors pair.""#, r#"descriptors pair.","count":"1""#, "and not there"),
        (id::MEM_TABLE, r#""members":["#, r#""rules":[],"members":["#, "other rules than"),
        (id::VHOST, r#""members":["#, r#""rules":[],"members":["#, "rules of messages"),
        (id::VHOST, r#"The variant Kick.""#, r#"The variant Kick.","form":"one""#, "does not know"),
    ] {
        let verdict = verdict(contract, &|lines, _| {
            assert!(lines.source.contains(from), "{from} is not in {}", lines.source);
            lines.source = lines.source.replacen(from, to, 1);
        });
        match verdict {
            Ok(_) => panic!("{to} in place of {from} is taken"),
            Err(message) => assert!(message.contains(part), "{from} → {to}: {message}"),
        }
    }
}

#[test]
fn words_that_no_declaration_has_are_refused() {
    let catalog = messages();
    let ids = |id: ContractId| {
        let contract = catalog.get(id);
        let halves = |id: u64| [u32::try_from(id & 0xffff_ffff), u32::try_from(id >> 32)].map(Result::unwrap);
        let [wire, source] = [contract.wire_id, contract.source_id].map(halves);
        [(wire[0], false), (wire[1], false), (source[0], true), (source[1], true)]
    };
    let held = |code: u32, id| [vec![(code | 1 << 13, false)], ids(id).to_vec()].concat();
    let header = held(22, id::HEADER);
    let cases: Vec<(ContractId, Vec<encode::Word>, &str)> = vec![
        (id::KICK, held(23, id::HEADER), "holds VhostHeader as recipe, which is descriptor"),
        (id::KICK, held(25, id::MEM_TABLE), "holds a message, which it cannot"),
        (id::KICK, held(20, id::REQUEST), "the type code 20"),
        (id::KICK, held(0x216, id::HEADER), "has the type word"),
        (id::KICK, held(0x10_0016, id::HEADER), "the type word"),
        (id::KICK, vec![(22, false)], "has no ids"),
        (id::KICK, Vec::new(), "it has 3 fields, words for 2"),
        (id::UNKNOWN, [header.clone(), vec![(33, false), (3, false)]].concat(), "the type code 3"),
        (id::UNKNOWN, [header.clone(), vec![(31, false)]].concat(), "the type code 31"),
        (id::UNKNOWN, [header.clone(), vec![(0x11e, false)]].concat(), "has the type word"),
        (id::UNKNOWN, [header.clone(), held(30, id::HEADER)].concat(), "where only its elements can"),
        (
            id::UNKNOWN,
            [header.clone(), vec![(33, false)], held(22, id::GROWING)].concat(),
            "`rest` has elements that grow",
        ),
        (id::REGISTER_MESSAGE, held(24, id::REGISTRATION), "holds Registration as union, which is recipe"),
        (
            id::VHOST,
            [held(25, id::MEM_TABLE), held(25, id::LOG), held(23, id::IMAGE), held(25, id::UNKNOWN)].concat(),
            "holds a recipe, which it cannot",
        ),
        (
            id::VHOST,
            [
                held(25, id::MEM_TABLE),
                held(25, id::LOG),
                held(25, id::GROWING_MESSAGE),
                held(25, id::UNKNOWN),
            ]
            .concat(),
            "its variant `Kick` has not the first part `header`",
        ),
        (
            id::QUERY_MESSAGE,
            [held(24, id::QUERY), held(23, id::IMAGE), held(25, id::REGISTER_MESSAGE)].concat(),
            "`Lookup` holds something else than that of Query",
        ),
        (
            id::QUERY_MESSAGE,
            [held(24, id::QUERY), held(23, id::SURFACE_NAME), held(25, id::MEM_TABLE)].concat(),
            "`Register` holds something else than that of Query",
        ),
        (id::QUERY_MESSAGE, Vec::new(), "neither a tag nor a body"),
        (
            id::QUERY_MESSAGE,
            [held(24, id::QUERY), vec![(38, false)], held(25, id::REGISTER_MESSAGE)].concat(),
            "`Lookup` holds something else than that of Query",
        ),
        (
            id::QUERY_MESSAGE,
            [held(24, id::QUERY), vec![(37, false), (2, false)], held(25, id::REGISTER_MESSAGE)].concat(),
            "`Lookup` holds what may be absent",
        ),
        (
            id::WORD_MESSAGE,
            [
                held(24, id::WORD),
                held(23, id::SURFACE_NAME),
                vec![(39, false)],
                held(23, id::SURFACE_NAME),
                held(25, id::REGISTER_MESSAGE),
            ]
            .concat(),
            "`Stop` holds something else than that of Word",
        ),
        (
            id::SIGNAL_MESSAGE,
            [held(24, id::SIGNAL), vec![(38, false), (2, false)]].concat(),
            "`Go` holds something else than that of Signal",
        ),
    ];
    for (contract, forged, part) in cases {
        match verdict(contract, &|_, words| words.clone_from(&forged)) {
            Ok(_) => panic!("taken, without `{part}`"),
            Err(message) => assert!(message.contains(part), "{part}: {message}"),
        }
    }
}

#[test]
fn parts_that_make_no_message_are_refused() {
    let with = |change: &dyn Fn(&mut Catalog)| {
        let mut catalog = messages();
        change(&mut catalog);
        let library =
            read_bytes(&elf_object(&with_ids(catalog), LITTLE_64)).map_err(|error| error.to_string())?;
        resolve(&library.records).map_err(|errors| errors[0].to_string())
    };
    let cases: [(Forgery<'_>, &str); 7] = [
        (&|catalog| message(catalog, id::KICK).parts.clear(), "it has no parts"),
        (
            &|catalog| {
                let tail = message(catalog, id::UNKNOWN).tail.clone();
                let body = message(catalog, id::REGISTER_MESSAGE);
                (body.tail, body.max_bytes) = (tail, Some(4096));
                body.rules.clear();
            },
            "`body` is a document, and not all of the message",
        ),
        (
            &|catalog| {
                let body = message(catalog, id::REGISTER_MESSAGE);
                let second = Part {
                    member: Member { name: "second".into(), ..Member::default() },
                    ..body.parts[0].clone()
                };
                body.parts.push(second);
            },
            "is a document, and not all of the message",
        ),
        (
            &|catalog| {
                let Body::Descriptor(body) = &mut catalog.contracts[id::GROWING.0].body else { panic!() };
                body.fields[0].role = wirecontract_codegen::model::Role::Value;
            },
            "nothing says where `grown` ends",
        ),
        (
            &|catalog| {
                let Body::Messages(body) = &mut catalog.contracts[id::QUERY_MESSAGE.0].body else { panic!() };
                body.variants.pop();
            },
            "it has no variant for `Register` of Query",
        ),
        (
            &|catalog| {
                let Body::Messages(body) = &mut catalog.contracts[id::VHOST.0].body else { panic!() };
                body.variants.clear();
            },
            "it has no variants",
        ),
        (
            &|catalog| {
                let Body::Messages(body) = &mut catalog.contracts[id::VHOST.0].body else { panic!() };
                let Selector::Tag { text, .. } = &mut body.by else { panic!() };
                *text = "header.flags".into();
                body.variants[0].value = Some(1 << 31);
            },
            "the tag of its variant `SetMemTable` is no i32",
        ),
    ];
    for (change, part) in cases {
        match with(change) {
            Ok(_) => panic!("taken, without `{part}`"),
            Err(message) => assert!(message.contains(part), "{part}: {message}"),
        }
    }
}

/// What is legal, and near to what is not.
#[test]
fn legal_neighbours_are_taken() {
    let mut catalog = messages();
    message(&mut catalog, id::MEM_TABLE).max_bytes = Some(20);
    let log = message(&mut catalog, id::LOG);
    let FdForm::Many { most, .. } = &mut log.fds[1].form else { panic!("not several") };
    *most = 251;
    let tail: &mut Tail = log.tail.as_mut().expect("it has a tail");
    let TailLength::Bytes(computed) = &tail.length else { panic!("not in bytes") };
    tail.length = TailLength::Count(computed.clone());
    let catalog = with_ids(catalog);
    let library = read_bytes(&elf_object(&catalog, LITTLE_64)).expect("the file holds contracts");
    assert_eq!(resolve(&library.records).expect("the records make a catalog").contracts, catalog.contracts);
}

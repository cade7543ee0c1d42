//! Catalogs of messages, questions of them and what the interpreter answers, as `messages.c` spells both.

#![allow(dead_code, unreachable_pub)]

use std::fmt::Write;
use std::ops::Range;

use wirecontract_codegen::fixtures::{field, message_id as id, messages};
use wirecontract_codegen::interpret::message::{
    Chosen, MessageValue, PartValue, TailValue, import, import_chosen, read, read_chosen, write, write_chosen,
};
use wirecontract_codegen::interpret::{self, Fault, Host, Value, json};
use wirecontract_codegen::model::{
    Body, Catalog, Computed, ContractId, Element, Expr, Message, Moment, Op, Operand, Path, Role, Rule,
    Scalar, TailItem, TailLength, What,
};

/// Another catalog: a tail that ends where a part says and not between two elements, whose place depends on a version; a
/// tail of elements that are not written as they are; a rule with a part that grows; no variant for every other number.
pub fn changed() -> Catalog {
    let mut catalog = messages();
    let of = |text: &str, path: &[usize]| {
        let what = What::Value(Path(path.to_vec()));
        Expr::Operand(Operand { text: text.into(), what, is_condition: false })
    };
    let message = |catalog: &mut Catalog, id: ContractId, change: &dyn Fn(&mut Message)| {
        let Body::Message(body) = &mut catalog.contracts[id.0].body else { panic!("a message") };
        change(body);
    };
    message(&mut catalog, id::GROWING_MESSAGE, &|body| {
        let computed = Computed { text: "grown.first".into(), expr: of("grown.first", &[0, 1]) };
        body.tail.as_mut().expect("a tail").length = TailLength::Bytes(computed);
        let text = "grown.second != 3";
        let [left, right] = [of("grown.second", &[0, 2]), Expr::Integer(3)];
        let expr = Expr::Binary { op: Op::Ne, left: Box::new(left), right: Box::new(right) };
        body.rules = vec![Rule { name: None, text: text.into(), expr, at: Moment::Read }];
    });
    message(&mut catalog, id::UNKNOWN, &|body| {
        body.tail.as_mut().expect("a tail").item = TailItem::Descriptor(id::TABLE);
    });
    let Body::Messages(body) = &mut catalog.contracts[id::VHOST.0].body else { panic!("messages") };
    body.variants.pop();
    catalog
}

/// A third catalog: elements of which a program sees few of many bytes, and a message of any length.
pub fn huge() -> Catalog {
    let mut catalog = messages();
    let Body::Descriptor(region) = &mut catalog.contracts[id::REGION.0].body else { panic!("a descriptor") };
    let role = Role::Reserved { zero: true };
    region.fields.push(field("_reserved", 16, Element::Scalar(Scalar::U8), &[65520], role));
    region.size = 65536;
    let Body::Message(unknown) = &mut catalog.contracts[id::UNKNOWN.0].body else { panic!("a message") };
    unknown.max_bytes = Some(u32::MAX);
    let Body::Message(table) = &mut catalog.contracts[id::MEM_TABLE.0].body else { panic!("a message") };
    table.max_bytes = Some(1 << 20);
    catalog
}

/// A line, and the line that answers it.
pub struct Question {
    pub line: String,
    pub answer: String,
}

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

fn header(request: u32, flags: i32, size: usize) -> Vec<u8> {
    let size = u32::try_from(size).expect("it is short");
    [request.to_le_bytes(), flags.to_le_bytes(), size.to_le_bytes()].concat()
}

fn regions(count: usize) -> Vec<u8> {
    [4096_u64.to_le_bytes(), 8_u64.to_le_bytes()].concat().repeat(count)
}

/// A message of one of the contracts that is right, or nearly so, and a number of file descriptors to it.
fn sample(random: &mut Random) -> (ContractId, Vec<u8>, usize) {
    let count = random.below(4);
    match random.below(6) {
        0 => {
            let table = [u32::try_from(count).expect("a few").to_le_bytes(), [0; 4]].concat();
            (id::MEM_TABLE, [header(5, 1, 0), table, regions(count)].concat(), count)
        }
        1 => {
            let path = "größe/a".as_bytes()[..[0, 1, 4, 9][count]].to_vec();
            let pages = 1 + random.below(3);
            let flags = i32::try_from(2 * pages).expect("a few");
            (id::LOG, [header(6, flags, 12 + path.len()), path].concat(), pages + 2)
        }
        2 => (id::KICK, header(12, [2, 1, 0, -2][count], 0), [3, 2, 3, 2][count]),
        3 => (id::UNKNOWN, [header(99, 0, 0), vec![9; count]].concat(), random.below(10)),
        4 => {
            let length = [5, 16, 32, 5][random.below(4)];
            let grown: &[u32] =
                if random.below(2) == 0 { &[1, length] } else { &[2, length, [6, 3][random.below(2)]] };
            let grown = grown.iter().flat_map(|word| word.to_le_bytes()).collect();
            (id::GROWING_MESSAGE, [grown, vec![0; 8], regions(count)].concat(), 0)
        }
        _ => (id::VHOST, [header([7, 12, 99, 5][count], 1, 0), vec![]].concat(), 2),
    }
}

/// Changes nothing, a byte, the length or the number of file descriptors, some of them more than once.
fn mutated(random: &mut Random, bytes: &mut Vec<u8>, fds: &mut usize) {
    for _ in 0..random.below(3) {
        match random.below(6) {
            0 if !bytes.is_empty() => {
                let at = random.below(bytes.len());
                bytes[at] = [0, 1, 2, 3, 5, 6, 12, 16, 17, 32, 128, 255][random.below(12)];
            }
            1 => bytes.truncate(random.below(bytes.len() + 1)),
            2 => bytes.extend(vec![1; random.below(150)]),
            3 => bytes.extend(regions(random.below(9))),
            _ => *fds = random.below(12),
        }
    }
}

/// What is asked of bytes.
pub fn reads(catalog: &Catalog, host: Host, count: usize) -> Vec<Question> {
    let mut random = Random(7);
    let ask = |(contract, bytes, fds): (ContractId, Vec<u8>, usize)| Question {
        line: format!("read {} {fds},0,0 {}\n", catalog.get(contract).name, hex(&bytes)),
        answer: answer_read(catalog, contract, &bytes, fds, host),
    };
    let mut all: Vec<Question> = Vec::new();
    for _ in 0..count {
        let (mut contract, mut bytes, mut fds) = sample(&mut random);
        mutated(&mut random, &mut bytes, &mut fds);
        // What has a header is also one of the several messages.
        if contract != id::GROWING_MESSAGE && random.below(3) == 0 {
            contract = id::VHOST;
        }
        all.push(ask((contract, bytes, fds)));
    }
    all
}

fn answer_read(catalog: &Catalog, contract: ContractId, bytes: &[u8], fds: usize, host: Host) -> String {
    if contract == id::VHOST {
        return match read_chosen(catalog, contract, bytes, fds, host) {
            Err(fault) => fault.to_string(),
            Ok(reading) => {
                let variant = reading.value.variant;
                let imported = import_chosen(catalog, contract, &reading.value);
                let shown = shown(&reading.value.value);
                format!("ok {variant}{shown}{}", written(&reading.written, &reading.value.value, imported))
            }
        };
    }
    match read(catalog, contract, bytes, fds, host) {
        Err(fault) => fault.to_string(),
        Ok(reading) => {
            let imported = import(catalog, contract, &reading.value);
            format!("ok{}{}", shown(&reading.value), written(&reading.written, &reading.value, imported))
        }
    }
}

/// The groups and the tail.
fn shown(value: &MessageValue) -> String {
    let mut text = String::new();
    for range in &value.fds {
        text += &group(range);
    }
    match &value.tail {
        None => {}
        Some(TailValue::Text(tail)) => write!(text, " {tail}").unwrap(),
        Some(TailValue::Bytes(tail)) => write!(text, " {}", hex(tail)).unwrap(),
        Some(TailValue::Elements(items)) => {
            for item in items {
                let number = |name| match item.get(name) {
                    Some(Value::Integer(number)) => Some(*number),
                    _ => None,
                };
                match (number("start"), number("size"), number("regions")) {
                    (Some(start), Some(size), _) => write!(text, " {start}:{size}").unwrap(),
                    (_, _, Some(regions)) => write!(text, " {regions}").unwrap(),
                    _ => panic!("{item:?} is neither a region nor a table"),
                }
            }
        }
    }
    text
}

fn group(range: &Range<usize>) -> String {
    if range.is_empty() { " -".to_owned() } else { format!(" {}+{}", range.start, range.len()) }
}

fn all_of(value: &MessageValue) -> String {
    group(&(0..value.fds.last().map_or(0, |last| last.end)))
}

fn written(written: &Result<Vec<u8>, Fault>, value: &MessageValue, imported: Result<(), Fault>) -> String {
    match written {
        Err(fault) => format!("|{fault}"),
        Ok(bytes) => format!("|{}{}|{}", hex(bytes), all_of(value), verdict(imported)),
    }
}

fn verdict(imported: Result<(), Fault>) -> String {
    imported.map_or_else(|fault| fault.to_string(), |()| "ok".to_owned())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Groups of these numbers, one behind the other.
fn ranges(counts: &[usize]) -> Vec<Range<usize>> {
    let mut start = 0;
    let taken = counts.iter().map(|count| {
        start += count;
        start - count..start
    });
    taken.collect()
}

/// A value: parts that are right, and a tail and groups of any length.
struct Sample {
    contract: ContractId,
    /// Of one of several messages.
    variant: Option<usize>,
    /// What the line says of it: the variant's kind and the groups.
    counts: Vec<usize>,
    /// The parts and the tail.
    bytes: Vec<u8>,
    value: MessageValue,
}

impl Sample {
    fn question(&self, catalog: &Catalog, answer: String) -> Question {
        let mut counts = self.counts.clone();
        counts.resize(3, 0);
        let line = format!(
            "write {} {},{},{} {}\n",
            catalog.get(self.contract).name,
            counts[0],
            counts[1],
            counts[2],
            hex(&self.bytes)
        );
        Question { line, answer }
    }

    fn answer(&self, catalog: &Catalog, host: Host) -> String {
        if let Some(variant) = self.variant {
            let chosen = Chosen { variant, value: self.value.clone() };
            let result = write_chosen(catalog, self.contract, &chosen, host);
            return written(&result, &chosen.value, import_chosen(catalog, self.contract, &chosen));
        }
        let result = write(catalog, self.contract, &self.value, host);
        written(&result, &self.value, import(catalog, self.contract, &self.value))
    }
}

/// The part that begins with these bytes, which are right.
fn part(catalog: &Catalog, host: Host, contract: ContractId, bytes: &[u8]) -> PartValue {
    let reading = interpret::read_prefix(catalog, contract, bytes, host).expect("it is right");
    PartValue::Descriptor(reading.value)
}

/// What is asked of values: to be written, and what an importer has to hold.
pub fn writes(catalog: &Catalog, host: Host, count: usize) -> Vec<Question> {
    let mut random = Random(11);
    let samples = (0..count).map(|_| {
        let kind = random.below(4);
        sample_value(catalog, host, &mut random, kind)
    });
    samples.map(|sample| sample.question(catalog, sample.answer(catalog, host))).collect()
}

/// The same of what is checked when it is made: one of several messages holds one that is right by itself.
pub fn constructions(catalog: &Catalog, host: Host, count: usize) -> Vec<Question> {
    let mut random = Random(13);
    let samples = (0..count).map(|_| match random.below(6) {
        4 => grown_value(catalog, host, &mut random),
        5 => unknown_value(catalog, host, &mut random),
        kind => sample_value(catalog, host, &mut random, kind),
    });
    let ask = |sample: Sample| {
        let held = sample.variant.map(|it| catalog.get(sample.contract).messages().variants[it].message());
        let refused = held.and_then(|held| write(catalog, held, &sample.value, host).err());
        let answer = refused.map_or_else(|| sample.answer(catalog, host), |fault| format!("|{fault}"));
        sample.question(catalog, answer)
    };
    samples.map(ask).collect()
}

/// A tail that ends where its parts say it, or elsewhere.
fn grown_value(catalog: &Catalog, host: Host, random: &mut Random) -> Sample {
    let several = random.below(4);
    let first = [16 * several, 16 * several, 16 * several + 1, 5, 16, 4000][random.below(6)];
    let first = u32::try_from(first).expect("it is short");
    let words = [2, first, [6, 3][random.below(2)], 0, 0];
    let head: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let parts = vec![part(catalog, host, id::GROWING, &head), part(catalog, host, id::TABLE, &head[12..])];
    let item = interpret::read(catalog, id::REGION, &regions(1), host).expect("it is right");
    let tail = Some(TailValue::Elements(vec![item.value; several]));
    Sample {
        contract: id::GROWING_MESSAGE,
        variant: None,
        counts: Vec::new(),
        bytes: [head, regions(several)].concat(),
        value: MessageValue { parts, tail, fds: Vec::new() },
    }
}

fn unknown_value(catalog: &Catalog, host: Host, random: &mut Random) -> Sample {
    let head = header(99, 0, 0);
    let parts = vec![part(catalog, host, id::HEADER, &head)];
    let several = random.below(4);
    let rest = vec![0; 8 * several];
    let tail = match catalog.get(id::UNKNOWN).message().tail.as_ref().expect("a tail").item {
        TailItem::Bytes => TailValue::Bytes(rest.clone()),
        TailItem::Descriptor(item) => {
            let item = interpret::read(catalog, item, &[0; 8], host).expect("it is right");
            TailValue::Elements(vec![item.value; several])
        }
        TailItem::Text => panic!("a tail of text"),
    };
    let counts = vec![random.below(11)];
    Sample {
        contract: id::UNKNOWN,
        variant: None,
        bytes: [head, rest].concat(),
        value: MessageValue { parts, tail: Some(tail), fds: ranges(&counts) },
        counts,
    }
}

fn sample_value(catalog: &Catalog, host: Host, random: &mut Random, kind: usize) -> Sample {
    let part = |contract, bytes: &[u8]| part(catalog, host, contract, bytes);
    let is_closed = catalog.get(id::VHOST).messages().open().is_none();
    let several = random.below(12);
    let counts = match kind {
        0 => vec![random.below(10)],
        1 => vec![random.below(5).min(1), random.below(5), random.below(2)],
        2 => vec![random.below(2), [2, 2, 1, 3][random.below(4)]],
        _ if is_closed || random.below(2) == 0 => vec![0, random.below(2), 2],
        _ => vec![1, random.below(10)],
    };
    let (contract, bytes, parts, tail) = match kind {
        0 => {
            let said = [several, several, 2][random.below(3)];
            let table = [u32::try_from(said).expect("a few").to_le_bytes(), [0; 4]].concat();
            let head = [header(5, [1, 1, 2][random.below(3)], 0), table].concat();
            let parts = vec![part(id::HEADER, &head), part(id::TABLE, &head[12..])];
            let item = interpret::read(catalog, id::REGION, &regions(1), host).expect("it is right");
            let tail = Some(TailValue::Elements(vec![item.value; several]));
            (id::MEM_TABLE, [head, regions(several)].concat(), parts, tail)
        }
        1 => {
            let path = "ä".repeat([several, 40, 0][random.below(3)]);
            let said = [12 + path.len(), 12 + path.len(), 13, 0][random.below(4)];
            let head = header(6, [2, 4, 7, 1, -2][random.below(5)], said);
            let parts = vec![part(id::HEADER, &head)];
            (id::LOG, [head, path.clone().into_bytes()].concat(), parts, Some(TailValue::Text(path)))
        }
        2 => {
            let head = header(12, [2, 1, 0][random.below(3)], 0);
            let parts = vec![part(id::HEADER, &head)];
            (id::KICK, head, parts, None)
        }
        _ => {
            let head = header([12, 5, 99][random.below(3)], 2, 0);
            let parts = vec![part(id::HEADER, &head)];
            let tail = (counts[0] == 1).then(|| TailValue::Bytes(Vec::new()));
            (id::VHOST, head, parts, tail)
        }
    };
    let groups = if kind == 3 { &counts[1..] } else { &counts };
    let value = MessageValue { parts, tail, fds: ranges(groups) };
    let variant = (kind == 3).then(|| [2, 3][counts[0]]);
    Sample { contract, variant, counts, bytes, value }
}

/// What is asked of documents: which file descriptors come with them.
pub fn documents(catalog: &Catalog) -> Vec<Question> {
    let mut all = Vec::new();
    for planes in 0..6_usize {
        for flags in 0..4_usize {
            let (produce, consume) = (flags % 2 == 1, flags / 2 == 1);
            let said = format!("{planes} {} {}", u8::from(produce), u8::from(consume));
            let image = format!(
                r#""image":{{"plane_sizes":[{}],"has_produce_done_fd":{produce},"has_consume_done_fd":{consume}}}"#,
                vec!["7"; planes].join(",")
            );
            if planes == 5 {
                // More than the document takes: a writer refuses it, whatever comes with it.
                let line = format!("join {said} 0,0,0\n");
                let answer =
                    "|VhostImage.plane_sizes at byte 0: too_many: expected at most 4 items".to_owned();
                all.push(Question { line, answer });
                continue;
            }
            let text = format!(r#"{{"surface":"a",{image}}}"#);
            for fds in 0..9 {
                let line = format!("split {said} {fds},0,0\n");
                let reading = read(catalog, id::REGISTER_MESSAGE, text.as_bytes(), fds, Host::Little);
                let answer = match &reading {
                    Err(fault) => fault.to_string(),
                    Ok(reading) => {
                        let imported = import(catalog, id::REGISTER_MESSAGE, &reading.value);
                        format!(
                            "ok{}{}",
                            shown(&reading.value),
                            joined(&reading.written, &reading.value, imported)
                        )
                    }
                };
                all.push(Question { line, answer });
                all.push(register(catalog, &said, &image, fds));
                if let Ok(reading) = reading {
                    for counts in [[fds, 0, 0], [0, 1, 1], [planes, 1, 0], [planes, 0, 1], [5, 1, 1]] {
                        let value = MessageValue { fds: ranges(&counts), ..reading.value.clone() };
                        let written = write(catalog, id::REGISTER_MESSAGE, &value, Host::Little);
                        let imported = import(catalog, id::REGISTER_MESSAGE, &value);
                        all.push(Question {
                            line: format!("join {said} {},{},{}\n", counts[0], counts[1], counts[2]),
                            answer: joined(&written, &value, imported),
                        });
                    }
                }
            }
        }
    }
    for fds in 0..3 {
        let text = r#"{"op":"lookup","surface":"a"}"#;
        all.push(query(catalog, id::QUERY_MESSAGE, "lookup 0 0 0", text, fds));
    }
    for fds in [0, 1, 3, 253, 254] {
        for (op, contract, text) in [
            ("word_stop", id::WORD_MESSAGE, r#"{"op":"stop"}"#),
            ("word_lookup", id::WORD_MESSAGE, r#"{"op":"lookup","surface":"a"}"#),
            ("word_other", id::WORD_MESSAGE, r#"{"op":"later","x":1}"#),
            ("setting_count", id::SETTING_MESSAGE, r#"{"kind":"count","value":7}"#),
            ("setting_pair", id::SETTING_MESSAGE, r#"{"kind":"pair","value":[0,-2]}"#),
            ("setting_sizes", id::SETTING_MESSAGE, r#"{"kind":"sizes","value":[3,4]}"#),
            ("setting_label", id::SETTING_MESSAGE, r#"{"kind":"label","value":"a"}"#),
            ("setting_reset", id::SETTING_MESSAGE, r#"{"kind":"reset"}"#),
            ("setting_later", id::SETTING_MESSAGE, r#"{"kind":"later"}"#),
            ("signal_go", id::SIGNAL_MESSAGE, r#"{"signal":"go"}"#),
        ] {
            all.push(query(catalog, contract, &format!("{op} 0 0 0"), text, fds));
        }
        for (op, tag) in [("keep_unknown", "later"), ("keep_known", "stop")] {
            let body = json::Value::Other { tag: tag.into(), content: Some("{}".into()) };
            let value =
                MessageValue { parts: vec![PartValue::Document(body)], tail: None, fds: ranges(&[fds]) };
            let chosen = Chosen { variant: 1, value };
            let written = write_chosen(catalog, id::WORD_MESSAGE, &chosen, Host::Little);
            let imported = import_chosen(catalog, id::WORD_MESSAGE, &chosen);
            all.push(Question {
                line: format!("{op} 0 0 0 {fds},0,0\n"),
                answer: joined(&written, &chosen.value, imported),
            });
        }
    }
    all
}

fn register(catalog: &Catalog, said: &str, image: &str, fds: usize) -> Question {
    let text = format!(r#"{{"op":"register","surface":"a",{image}}}"#);
    query(catalog, id::QUERY_MESSAGE, &format!("register {said}"), &text, fds)
}

fn query(catalog: &Catalog, contract: ContractId, said: &str, text: &str, fds: usize) -> Question {
    let answer = match read_chosen(catalog, contract, text.as_bytes(), fds, Host::Little) {
        Err(fault) => fault.to_string(),
        Ok(reading) => {
            let imported = import_chosen(catalog, contract, &reading.value);
            let joined = joined(&reading.written, &reading.value.value, imported);
            format!("ok {}{joined}", reading.value.variant)
        }
    };
    Question { line: format!("{said} {fds},0,0\n"), answer }
}

fn joined(written: &Result<Vec<u8>, Fault>, value: &MessageValue, imported: Result<(), Fault>) -> String {
    match written {
        Err(fault) => format!("|{fault}"),
        Ok(_) => format!("|ok{}|{}", all_of(value), verdict(imported)),
    }
}

//! What the page of changes says is what `contract_codegen::changes` says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::sync::LazyLock;

use fs4::FileExt;
use toml::{Table, Value};
use wirecontract::Enumeration;
use wirecontract_codegen::changes::{Compared, Effect, Forms, Side as Found, Verdict};
use wirecontract_codegen::emit::vectors::documents::{Keys, document};
use wirecontract_codegen::interpret::{Code, Host, Reading, import, json, message, read, write_version};
use wirecontract_codegen::lock::{Form, Kind, integer, vocabulary};
use wirecontract_codegen::model::{Body, Catalog, ContractId};
use wirecontract_tests::changes::{Answer, Row, Side, catalogs, module, rows, tables};
use wirecontract_tests::differential::{Operation, documents, inputs, messages};
use wirecontract_tests::random::Random;

/// The rows, and the declarations in them before and after.
struct Page {
    rows: Vec<Row>,
    catalogs: [Catalog; 2],
}

/// Compiled once for all tests of this file, which may run as processes of their own: one compiles, the others wait.
static PAGE: LazyLock<Page> = LazyLock::new(|| {
    let rows = rows();
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let lock = File::create(scratch.join("changes.lock")).expect("a file to lock");
    FileExt::lock(&lock).expect("a lock");
    let catalogs = catalogs(&rows, scratch);
    Page { rows, catalogs }
});

impl Page {
    /// Each row with what its module declares.
    fn rows(&self) -> impl Iterator<Item = (&Row, String, Forms)> {
        let all = self
            .catalogs
            .each_ref()
            .map(|catalog| catalog.iter().map(|(id, _)| Form::of(catalog, id)).collect::<Vec<_>>());
        self.rows.iter().enumerate().map(move |(number, row)| {
            let module = module(number);
            let [old, new] = all.each_ref().map(|forms| {
                let here = format!("{module}::");
                forms.iter().filter(|form| form.path.starts_with(&here)).cloned().collect::<Vec<_>>()
            });
            (row, module, Forms::new(old, new))
        })
    }
}

/// A contract as a row calls it: a function by its symbol.
fn name<'form>(form: &'form Form, module: &str) -> &'form str {
    let symbol = form.text("symbol").filter(|_| form.kind == Kind::Function);
    let path = form.path.strip_prefix(module).and_then(|path| path.strip_prefix("::"));
    symbol.or(path.map(|path| path.trim_end_matches(" (library)"))).unwrap_or(&form.path)
}

fn answer(compared: &Compared<'_>, module: &str) -> Option<Answer> {
    let effect = compared.effect();
    let side = |side| match side {
        Found::Reads => Side::Reads,
        Found::Refuses(code) => Side::Refuses(code.map(|code| code.name().to_owned())),
        Found::Misreads => Side::Misreads,
    };
    let sides = (!effect.is_harmless).then(|| effect.sides().map(side));
    Some(Answer { contract: name(compared.new.or(compared.old)?, module).to_owned(), sides })
}

#[test]
fn every_row_of_the_page_is_what_the_forms_say() {
    let page = &*PAGE;
    let mut wrong = Vec::new();
    for (row, module, forms) in page.rows() {
        let compared = forms.compare();
        for said in &row.answers {
            let is_meant = |found: &Answer| {
                found.contract == said.contract || found.contract.ends_with(&format!("::{}", said.contract))
            };
            let found = compared.iter().filter_map(|it| answer(it, &module)).find(is_meant);
            // Of a contract of which nothing differs, nothing is found.
            let sides = found.and_then(|found| found.sides);
            if sides != said.sides {
                let found = Answer { contract: said.contract.clone(), sides };
                let all: Vec<String> =
                    compared.iter().flat_map(|it| &it.changes).map(ToString::to_string).collect();
                wrong.push(format!(
                    "{}\n  said  {said}\n  found {found}\n    {}",
                    row.title,
                    all.join("\n    ")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), page.rows.len(), wrong.join("\n"));
}

#[test]
fn the_tables_of_the_page_say_what_its_rows_say() {
    let rows: Vec<String> = rows().iter().flat_map(|row| row.table().collect::<Vec<_>>()).collect();
    assert_eq!(tables(), rows);
}

#[test]
fn reserved_words_of_fuse_are_put_to_use_release_by_release() {
    let of_fuse: Vec<Forms> =
        PAGE.rows().filter(|(row, ..)| row.title.starts_with("FUSE 7.")).map(|(.., forms)| forms).collect();
    assert_eq!(of_fuse.len(), 4);
    let [grown, steps @ ..] = &of_fuse[..] else { unreachable!("there are four") };
    assert_eq!(verdict(grown), Verdict::Breaking);
    for step in steps {
        assert_eq!(verdict(step), Verdict::Compatible);
    }
    // And from the first to the last, with nothing agreed between.
    let at = |forms: &Forms, is_old: bool| {
        let compared = forms.compare();
        let [init_out] = &compared[..] else { panic!("expected one contract") };
        if is_old { init_out.old } else { init_out.new }.expect("it is on both sides").clone()
    };
    let (first, last) = (at(&steps[0], true), at(&steps[2], false));
    let size = |form: &Form| form.get("size").and_then(integer);
    assert_eq!([size(&first), size(&last)], [Some(64); 2]);
    let path = first.path.clone();
    assert_eq!(verdict(&Forms::new([first], [Form { path, ..last }])), Verdict::Compatible);
}

fn verdict(forms: &Forms) -> Verdict {
    Effect::of_all(forms.compare().iter().map(Compared::effect)).verdict()
}

/// Puts in each key that two tables say differently, those of members that belong together among them.
fn differing(place: &str, [old, new]: [&Table; 2], found: &mut BTreeSet<String>) {
    let absent = Value::Boolean(false);
    let nothing = Table::new();
    for key in old.keys().chain(new.keys()) {
        let place = format!("{place}{key}");
        match [old, new].map(|table| table.get(key).unwrap_or(&absent)) {
            [old, new] if old == new => {}
            [Value::Table(old), Value::Table(new)] => differing(&format!("{place}."), [old, new], found),
            [Value::Table(one), _] | [_, Value::Table(one)] => {
                differing(&format!("{place}."), [one, &nothing], found);
            }
            [Value::Array(list), Value::Boolean(false)] | [Value::Boolean(false), Value::Array(list)]
                if list.iter().all(Value::is_table) =>
            {
                for one in list.iter().filter_map(Value::as_table) {
                    differing(&format!("{place}."), [one, &nothing], found);
                }
            }
            [Value::Array(old), Value::Array(new)] if old.iter().chain(new).all(Value::is_table) => {
                let tables =
                    |list: &'_ [Value]| list.iter().filter_map(Value::as_table).cloned().collect::<Vec<_>>();
                let (old, new) = (tables(old), tables(new));
                for (at, member) in old.iter().enumerate() {
                    let same_name = new.iter().find(|other| other.get("name") == member.get("name"));
                    for other in same_name.into_iter().chain(new.get(at)) {
                        differing(&format!("{place}."), [member, other], found);
                    }
                }
            }
            _ => drop(found.insert(place)),
        }
    }
}

/// What a form has room for and no declaration can say, or can say of one contract in two ways.
const UNDECLARED: [&str; 26] = [
    "descriptor: fields.one_of.name",
    "recipe: fields.required_if.name",
    "recipe: fields.one_of.name",
    "flags: values.data",
    "union: variants.spelling",
    "messages: variants.spelling",
    "union: variants.min",
    "union: variants.max",
    "union: variants.max_len",
    "union: variants.max_items",
    "handle: was",
    "function: was",
    "function: c_name",
    // No function is a result.
    "function: outs.params",
    "function: outs.wire_ids",
    // A function is another one when its symbol is, a library when its prefix is.
    "function: symbol",
    "library: was",
    "library: since",
    "library: deprecated",
    "library: c_name",
    "library: symbols",
    // Generated code only declares these.
    "symbols: was",
    "symbols: since",
    "symbols: deprecated",
    "symbols: c_name",
    "symbols: symbols",
];

#[test]
fn every_key_that_a_form_can_have_changes_in_a_row() {
    let mut changed: BTreeMap<Kind, BTreeSet<String>> = BTreeMap::new();
    for (_, _, forms) in PAGE.rows() {
        for compared in forms.compare() {
            if let (Some(old), Some(new)) = (compared.old, compared.new) {
                differing("", [&old.table, &new.table], changed.entry(new.kind).or_default());
            }
        }
    }
    let missing: Vec<String> = Kind::ALL
        .into_iter()
        .flat_map(|kind| {
            let changed = changed.remove(&kind).unwrap_or_default();
            // What a callback takes is compared as a whole.
            let whole =
                |key: &str| key.split_once(".args.").map_or(key.to_owned(), |(of, _)| format!("{of}.args"));
            let changed: BTreeSet<String> = changed.iter().map(|key| whole(key)).collect();
            // All rows are of one package.
            let is_missing = move |key: &String| key != "package" && !changed.contains(&whole(key));
            let keys = vocabulary(kind).into_iter().filter(is_missing);
            keys.map(move |key| format!("{}: {key}", kind.name()))
        })
        .filter(|key| !UNDECLARED.contains(&key.as_str()))
        .collect();
    assert!(missing.is_empty(), "no row changes these:\n{}", missing.join("\n"));
}

/// What readers do with what writers of the other declaration write: refusals by code, and how many were accepted.
#[derive(Debug, Default)]
struct Seen {
    refused: BTreeMap<&'static str, usize>,
    accepted: usize,
}

impl Seen {
    fn count(&mut self, reading: Result<(), Code>) {
        match reading {
            Ok(()) => self.accepted += 1,
            Err(code) => *self.refused.entry(code.name()).or_default() += 1,
        }
    }
}

/// What crosses: bytes, and how many file descriptors beside them.
type Crossing = (Vec<u8>, usize);

/// One side of a change.
#[derive(Clone, Copy)]
struct Place<'page> {
    catalog: &'page Catalog,
    id: ContractId,
}

impl<'page> Place<'page> {
    fn of(catalog: &'page Catalog, form: &Form) -> Self {
        let (id, _) =
            catalog.iter().find(|(id, _)| Form::of(catalog, *id).path == form.path).expect("its contract");
        Place { catalog, id }
    }

    /// What writers write. Old ones may write `by_hand` all that readers of theirs take; new ones leave out what may be
    /// absent, and write the rest as the declaration says.
    fn samples(self, by_hand: bool, random: &mut Random) -> Vec<Crossing> {
        if self.is_message() {
            return self.messages(by_hand, random);
        }
        self.bytes(by_hand, random).into_iter().map(|bytes| (bytes, 0)).collect()
    }

    fn is_message(self) -> bool {
        matches!(self.catalog.get(self.id).body, Body::Message(_) | Body::Messages(_))
    }

    /// Messages that readers of this side take: as they came, or written again.
    fn messages(self, by_hand: bool, random: &mut Random) -> Vec<Crossing> {
        let Place { catalog, id } = self;
        let host = Host::this();
        let likely = (0..1500).map(|_| messages::likely(catalog, id, host, random));
        let sample = |(bytes, fds): Crossing| {
            let written = match &catalog.get(id).body {
                Body::Messages(_) => message::read_chosen(catalog, id, &bytes, fds, host).ok()?.written,
                _ => message::read(catalog, id, &bytes, fds, host).ok()?.written,
            };
            Some((if by_hand { bytes } else { written.ok()? }, fds))
        };
        likely.filter_map(sample).collect()
    }

    fn bytes(self, by_hand: bool, random: &mut Random) -> Vec<Vec<u8>> {
        let host = Host::this();
        let Place { catalog, id } = self;
        let max_bytes = match &catalog.get(id).body {
            Body::Descriptor(_) => {
                let likely = inputs::requests_for(catalog, id, host, 400, random).into_iter();
                let accepted =
                    (0..400).map(|_| inputs::accepted(catalog, id, host, random)).collect::<Vec<_>>();
                let bytes = likely.map(|request| request.bytes).chain(accepted);
                let read = bytes.filter_map(|bytes| read(catalog, id, &bytes, host).ok());
                return read.flat_map(|reading| self.written(reading, by_hand)).collect();
            }
            Body::Recipe(recipe) => recipe.max_bytes,
            Body::Union(union) => union.max_bytes,
            _ => unreachable!("nobody reads others"),
        };
        let requests = documents::requests_for(catalog, id, 4000, random).into_iter();
        let likely = requests.filter(|request| request.operation == Operation::Document).map(|it| it.bytes);
        let mut samples: Vec<Vec<u8>> = likely
            .filter_map(|bytes| {
                let reading = json::read(catalog, id, &bytes).ok()?;
                Some(if by_hand { bytes } else { reading.written.ok()?.into_bytes() })
            })
            .collect();
        let required =
            (0..200).map(|_| document(catalog, id, Keys::Required, &mut |count| random.below(count)));
        let required = required.map(|tree| tree.spaced(""));
        let has_alias = |document: &str| match &catalog.get(id).body {
            Body::Union(union) => {
                let mut aliases = union.variants.iter().flat_map(|variant| &variant.aliases);
                aliases.any(|alias| document.contains(alias))
            }
            _ => false,
        };
        let required = required.filter(|document| by_hand || !has_alias(document)).map(String::into_bytes);
        samples.extend(required.filter(|bytes| json::read(catalog, id, bytes).is_ok()));
        // As long as it may be, where that is not much.
        let long = samples.first().filter(|_| max_bytes < 0x1_0000).cloned();
        samples.extend(long.map(|mut bytes| {
            bytes.resize(max_bytes as usize, b' ');
            bytes
        }));
        samples
    }

    /// A value as it is written; old writers of one that grows may be of any of its versions.
    fn written(self, reading: Reading, is_old: bool) -> Vec<Vec<u8>> {
        let Place { catalog, id } = self;
        let mut all = Vec::new();
        if let Some(growth) = catalog.get(id).descriptor().growth.as_ref().filter(|_| is_old) {
            let versions = 1..growth.newest();
            all.extend(
                versions.filter_map(|it| write_version(catalog, id, &reading.value, it, Host::this()).ok()),
            );
        }
        all.push(reading.written);
        all
    }

    fn read(self, (bytes, fds): &Crossing) -> Result<(), Code> {
        let Place { catalog, id } = self;
        let reading = match catalog.get(id).body {
            Body::Descriptor(_) => read(catalog, id, bytes, Host::this()).map(drop),
            Body::Message(_) => message::read(catalog, id, bytes, *fds, Host::this()).map(drop),
            Body::Messages(_) => message::read_chosen(catalog, id, bytes, *fds, Host::this()).map(drop),
            _ => json::read(catalog, id, bytes).map(drop),
        };
        reading.map_err(|fault| fault.code)
    }

    fn import(self, (bytes, fds): &Crossing) -> Result<(), Code> {
        let Place { catalog, id } = self;
        let importing = match catalog.get(id).body {
            Body::Descriptor(_) => import(catalog, id, bytes, Host::this()),
            Body::Message(_) => message::read(catalog, id, bytes, *fds, Host::this())
                .and_then(|reading| message::import(catalog, id, &reading.value)),
            Body::Messages(_) => message::read_chosen(catalog, id, bytes, *fds, Host::this())
                .and_then(|reading| message::import_chosen(catalog, id, &reading.value)),
            _ => json::read(catalog, id, bytes)
                .and_then(|reading| json::import(catalog, id, &reading.value, *fds)),
        };
        importing.map_err(|fault| fault.code)
    }
}

/// Reads with one declaration what the other one's writers write.
fn seen(reader: Place<'_>, writer: Place<'_>, by_hand: bool, random: &mut Random) -> Seen {
    let mut seen = Seen::default();
    for crossing in writer.samples(by_hand, random) {
        seen.count(reader.read(&crossing));
        if writer.import(&crossing).is_ok() {
            seen.count(reader.import(&crossing));
        }
    }
    if by_hand && matches!(writer.catalog.get(writer.id).body, Body::Recipe(_) | Body::Union(_)) {
        for request in documents::requests_for(writer.catalog, writer.id, 1000, random) {
            if json::read_lenient(writer.catalog, writer.id, &request.bytes).is_ok() {
                let reading = json::read_lenient(reader.catalog, reader.id, &request.bytes);
                seen.count(reading.map(drop).map_err(|fault| fault.code));
            }
        }
    }
    seen
}

#[test]
fn readers_do_what_the_page_says_of_them() {
    let page = &*PAGE;
    let mut random = Random::new(Random::seed());
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for (row, module, forms) in page.rows() {
        for compared in forms.compare() {
            let (Some(old), Some(new)) = (compared.old, compared.new) else { continue };
            let is_read = |form: &Form| {
                matches!(
                    form.kind,
                    Kind::Descriptor | Kind::Recipe | Kind::Union | Kind::Message | Kind::Messages
                )
            };
            let said = row.answers.iter().find(|said| said.contract == name(new, &module));
            let (true, true, Some(said)) = (is_read(old) && old.kind == new.kind, is_read(new), said) else {
                continue;
            };
            let [old, new] = [Place::of(&page.catalogs[0], old), Place::of(&page.catalogs[1], new)];
            let found = [seen(old, new, false, &mut random), seen(new, old, true, &mut random)];
            let sides = said.sides.clone().unwrap_or([Side::Reads, Side::Reads]);
            for (who, (side, seen)) in ["old", "new"].into_iter().zip(sides.iter().zip(found)) {
                asked += 1;
                let is_so = match side {
                    Side::Reads => seen.refused.is_empty() && seen.accepted > 0,
                    Side::Misreads => seen.accepted > 0,
                    Side::Refuses(None) => !seen.refused.is_empty(),
                    Side::Refuses(Some(code)) => seen.refused.contains_key(code.as_str()),
                };
                if !is_so {
                    wrong.push(format!(
                        "{}: {who} readers of {} {side}, found {seen:?}",
                        row.title, said.contract
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {asked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(asked > 650, "{asked}");
}

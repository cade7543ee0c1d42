//! Recipes and unions as values of C: a program that fills a struct for each value, checks
//! it as a writer would and asks what an importer would.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::emit::vectors::documents::{Keys, document, quoted};
use wirecontract_codegen::interpret::json::{self, Value};
use wirecontract_codegen::interpret::{Code, Fault, Host, write};
use wirecontract_codegen::model::{
    Body, Catalog, Content, ContractId, JsonType, Key, Length, Presence, Scalar, Spelled, Tagging, Union,
};
use wirecontract_codegen::names::c as names;

use super::request::refusal;
use super::rust::Rust;
use super::workbench::Workbench;
use crate::random::Random;

/// A value and with how many file descriptors it is imported.
#[derive(Debug, Clone)]
pub struct Question {
    /// The recipe or union.
    pub contract: ContractId,
    /// What is asked about.
    pub value: Value,
    /// How many file descriptors came with it.
    pub fd_count: usize,
}

/// Questions about values of every recipe and union: read from documents, then changed to what a reader would refuse.
pub fn questions(catalog: &Catalog, each: usize, random: &mut Random) -> Vec<Question> {
    let mut questions = Vec::new();
    for (contract, declared) in catalog.iter() {
        if !matches!(declared.body, Body::Recipe(_) | Body::Union(_)) {
            continue;
        }
        for round in 0..each {
            // Rules refuse some: a few tries find one that is accepted, if there is any.
            let read = (0..6).find_map(|_| {
                let tree = document(catalog, contract, Keys::Chosen, &mut |count| random.below(count));
                json::read(catalog, contract, tree.text().as_bytes()).ok()
            });
            let Some(reading) = read else { continue };
            let mut value = reading.value;
            for _ in 0..[0, 1, 1, 2][round % 4] {
                Changes { catalog, random }.whole(contract, &mut value);
            }
            questions.push(Question { contract, value, fd_count: random.below(4) });
        }
    }
    questions
}

/// What the interpreter says: the verdict of a writer, then that of an importer.
pub fn answers(catalog: &Catalog, question: &Question) -> [String; 2] {
    let said = |verdict: Result<(), Fault>| match verdict {
        Ok(()) => "ok".to_owned(),
        // A struct of C holds a decimal string's number, and shows that.
        Err(fault) if fault.code == Code::OutOfRange => {
            refusal(&Fault { found: fault.found.trim_matches('"').to_owned(), ..fault })
        }
        Err(fault) => refusal(&fault),
    };
    [
        said(json::check(catalog, question.contract, &question.value)),
        said(json::import(catalog, question.contract, &question.value, question.fd_count)),
    ]
}

/// Changes values within what C's types hold.
struct Changes<'a, 'r> {
    catalog: &'a Catalog,
    random: &'r mut Random,
}

impl Changes<'_, '_> {
    fn whole(&mut self, id: ContractId, value: &mut Value) {
        match (&self.catalog.get(id).body, value) {
            (Body::Recipe(recipe), Value::Recipe(members)) => {
                let index = self.random.below(members.len());
                let key = &recipe.keys[index];
                match &mut members[index] {
                    Some(_) if matches!(key.presence, Presence::Optional { .. }) && self.random.one_in(4) => {
                        members[index] = None;
                    }
                    Some(member) => self.value(&key.ty, member),
                    None => {}
                }
            }
            (Body::Union(union), Value::Union(variant, Some(content))) => {
                if let Content::Value { ty, .. } = &union.variants[*variant].content {
                    self.value(ty, content);
                }
            }
            (Body::Union(union), value @ Value::Other { .. }) => *value = self.other(union),
            _ => {}
        }
    }

    /// A tag that no variant has, or now and then one that some has. Of what came with it C sees only that it is text.
    fn other(&mut self, union: &Union) -> Value {
        let tags: Vec<&String> = union.variants.iter().flat_map(|variant| &variant.aliases).collect();
        let tags = union.variants.iter().map(|variant| &variant.tag).chain(tags);
        let tags: Vec<&String> = tags.filter(|tag| !tag.is_empty()).collect();
        // A union may have no tag but those that nobody has.
        let known = if tags.is_empty() { "other".to_owned() } else { (*self.random.pick(&tags)).clone() };
        let tag = match self.random.below(4) {
            0 => format!("{known} "),
            1 => String::new(),
            _ => known,
        };
        let content = match &union.tagging {
            Tagging::Internal { tag, .. } => Some(format!("{{{}:1}}", quoted(tag))),
            _ => self.random.one_in(2).then(|| "[1]".to_owned()),
        };
        Value::Other { tag, content }
    }

    fn value(&mut self, ty: &JsonType, value: &mut Value) {
        match (ty, value) {
            (JsonType::Recipe(id) | JsonType::Union(id), value) => self.whole(*id, value),
            (JsonType::Integer { scalar, min, max, .. }, Value::Integer(number)) => {
                let (least, most) = scalar.range().expect("an integer");
                let chosen = *self.random.pick(&[min - 1, max + 1, least, most, 0, 1, *min, *max]);
                *number = chosen.clamp(least, most);
            }
            (JsonType::Bool, Value::Bool(bool)) => *bool = !*bool,
            (JsonType::Float { scalar, min, max }, Value::Float(float)) => {
                let ends = [min, max].into_iter().flatten().flat_map(|end| [end - 1.0, end + 1.0]);
                let mut choices = vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 2.5];
                choices.extend(ends);
                *float = *self.random.pick(&choices);
                if *scalar == Scalar::F32 {
                    #[expect(clippy::cast_possible_truncation, reason = "the nearest is meant")]
                    let nearest = *float as f32;
                    *float = f64::from(nearest);
                }
            }
            (JsonType::Text { max_len } | JsonType::Enumeration { max_len, .. }, Value::Text(text)) => {
                *text = match (max_len, self.random.below(3)) {
                    (Some(most), 0) => "z".repeat(*most as usize + 1),
                    (Some(most), 1) => "z".repeat(*most as usize),
                    _ => "é\"\n".to_owned(),
                };
            }
            (JsonType::Bytes { length: Length::AtMost(Some(most)), .. }, Value::Bytes(bytes)) => {
                bytes.resize(*most as usize + self.random.below(2), 7);
            }
            (JsonType::Array { item, length }, Value::List(items)) => {
                if let (Length::AtMost(most), Some(last)) = (length, items.last())
                    && self.random.one_in(2)
                {
                    items.resize(most.unwrap_or(3).min(20) as usize + self.random.below(2), last.clone());
                } else if !items.is_empty() {
                    let index = self.random.below(items.len());
                    self.value(item, &mut items[index]);
                }
            }
            (JsonType::Map { max_items, .. }, Value::Map(members)) => {
                let most = max_items.unwrap_or(40).min(40);
                let count = most + u32::from(self.random.one_in(3));
                *members = (0..count).map(|key| (format!("{key:04}"), "v".to_owned())).collect();
                if members.len() > 1 {
                    let at = self.random.below(members.len() - 1);
                    match self.random.below(4) {
                        0 => members[at + 1].0 = members[at].0.clone(),
                        1 => members.swap(at, at + 1),
                        2 => members.reverse(),
                        _ => {}
                    }
                }
            }
            (JsonType::Enumeration { contract, open, .. }, Value::Integer(number)) => {
                let enumeration = self.catalog.get(*contract).enumeration();
                let (least, most) = enumeration.repr.range().expect("an integer");
                let value = self.random.pick(&enumeration.values).value;
                let mut choices = vec![value];
                // A closed one may hold any number in C; one that keeps names has a number only for its own.
                if enumeration.spelled == Spelled::Integer || !open {
                    choices.extend([least, most, value.saturating_add(1).min(most)]);
                }
                *number = *self.random.pick(&choices);
            }
            (JsonType::Flags { contract }, Value::Integer(bits)) => {
                let most = self.catalog.get(*contract).repr().range().expect("an integer").1;
                *bits = *self.random.pick(&[0, 1, most, most - 1, *bits]);
            }
            _ => {}
        }
    }
}

/// The program: it prints two lines for each question.
pub fn source(input: &EmitInput<'_>, questions: &[Question]) -> String {
    let ask = |stem: &str, question: &Question| {
        format!(
            "    say({stem}_check(&v, &error), &error);\n    say({stem}_validate_import(&v, {}, &error), &error);\n",
            question.fd_count
        )
    };
    program(input, questions, None, "", &ask)
}

/// The program of a library: it prints what the header's check says and what writing says. Some of what it fills is no
/// value of Rust.
pub(super) fn faulty_source(input: &EmitInput<'_>, questions: &[Question], random: &mut Random) -> String {
    let ask = |stem: &str, _: &Question| {
        format!(
            "    say({stem}_check(&v, &error), &error);\n    say({stem}_to_json(&v, &json, &error), &error);\n    \
             free_json(&json);\n"
        )
    };
    let prefix = &input.families[0].package.c_prefix;
    let head = format!(
        "static wc_owned_bytes json;\n\nstatic void free_json(wc_owned_bytes *bytes) {{\n    \
         if ({prefix}_bytes_free(bytes) != 0) exit(1);\n}}\n\n"
    );
    program(input, questions, Some(random), &head, &ask)
}

fn program(
    input: &EmitInput<'_>,
    questions: &[Question],
    mut random: Option<&mut Random>,
    head: &str,
    ask: &dyn Fn(&str, &Question) -> String,
) -> String {
    let mut text = String::from(
        "#include \"driver.h\"\n\n/* What a header cannot let a reader change, this fills. */\n#define const\n",
    );
    for family in input.selected_families() {
        text += &format!("#include <{}>\n", names::header(family));
    }
    text += HEAD;
    text += head;
    for (number, question) in questions.iter().enumerate() {
        let contract = input.catalog.get(question.contract);
        let package = &input.family_of(question.contract).package;
        let (ty, stem) = (names::type_name(package, contract), names::stem(package, contract));
        let mut filler = Filler { input, lines: String::new(), random: random.as_deref_mut() };
        filler.whole(question.contract, &question.value, "v");
        text += &format!(
            "static void value_{number}(void) {{\n    wc_error error;\n    {ty} v = {stem}_init();\n{}{}}}\n\n",
            filler.lines,
            ask(&stem, question)
        );
    }
    text += "int main(void) {\n";
    for number in 0..questions.len() {
        text += &format!("    value_{number}();\n");
    }
    text + "    return 0;\n}\n"
}

const HEAD: &str = r#"
static void *room(size_t count, size_t size) { return calloc(count + 1, size); }

static double f64_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static wc_str str_of(char *data, size_t length) {
    wc_str text;
    text.data = data;
    text.length = length;
    return text;
}

static void say(wc_status status, wc_error *error) {
    static char message[4096];
    if (status == 0) {
        puts("ok");
        return;
    }
    wc_error_message(error, message, sizeof message);
    put_refusal((int)status, error->contract, error->field, error->offset, message);
}

"#;

/// Statements that fill a place.
struct Filler<'a, 'r> {
    input: &'a EmitInput<'a>,
    lines: String,
    /// Who chooses what is filled with what Rust cannot hold.
    random: Option<&'r mut Random>,
}

impl Filler<'_, '_> {
    /// Whether this place gets a fault.
    fn errs(&mut self) -> bool {
        self.random.as_mut().is_some_and(|random| random.one_in(24))
    }

    /// Puts into a place what C alone can hold.
    fn err(&mut self, ty: &JsonType, place: &str) -> bool {
        let choice = self.random.as_mut().map_or(0, |random| random.below(4));
        let line = match (ty, choice) {
            (JsonType::Text { .. } | JsonType::Json { .. }, 0) => format!("{place} = str_of(NULL, 3)"),
            (JsonType::Text { .. } | JsonType::Json { .. }, 1) => {
                format!("{place} = str_of(\"a\\355\\240\\200\", 4)")
            }
            (JsonType::Text { .. } | JsonType::Json { .. }, 2) => format!("{place} = str_of(\"\\377\", 1)"),
            (JsonType::Text { .. } | JsonType::Json { .. }, _) => {
                format!("{place} = str_of(\"\\342\\202\", 2)")
            }
            (JsonType::Bool, _) => format!("memset(&{place}, 7, 1)"),
            (JsonType::Bytes { length: Length::AtMost(_), .. }, _) => {
                format!("{place}.data = NULL; {place}.length = 2")
            }
            (JsonType::Array { length: Length::AtMost(_), .. } | JsonType::Map { .. }, _) => {
                format!("{place}.items = NULL; {place}.count = 2")
            }
            (JsonType::Union(_), _) => format!("{place}.tag = 77"),
            _ => return false,
        };
        self.put(&line);
        true
    }

    fn put(&mut self, line: &str) {
        self.lines += &format!("    {line};\n");
    }

    fn whole(&mut self, id: ContractId, value: &Value, place: &str) {
        let contract = self.input.catalog.get(id);
        match (&contract.body, value) {
            (Body::Recipe(recipe), Value::Recipe(members)) => {
                if recipe.keys.iter().any(|key| matches!(key.presence, Presence::Optional { .. })) {
                    self.put(&format!("{place}.present = 0"));
                }
                for (key, member) in recipe.keys.iter().zip(members) {
                    if let Some(member) = member {
                        self.key(id, key, member, place);
                    }
                }
            }
            (Body::Union(union), value) => self.union(id, union, value, place),
            (_, value) => panic!("{value:?} is no {}", contract.name),
        }
    }

    fn key(&mut self, id: ContractId, key: &Key, value: &Value, place: &str) {
        if matches!(key.presence, Presence::Optional { .. }) {
            let package = &self.input.family_of(id).package;
            let bit = names::has_constant(package, self.input.catalog.get(id), key);
            self.put(&format!("{place}.present |= {bit}"));
        }
        self.value(&key.ty, value, &format!("{place}.{}", names::key_member(key)));
    }

    fn union(&mut self, id: ContractId, union: &Union, value: &Value, place: &str) {
        let (package, contract) = (&self.input.family_of(id).package, self.input.catalog.get(id));
        let index = match value {
            Value::Union(index, _) => *index,
            _ => union.open().expect("a union with a variant for others"),
        };
        let variant = &union.variants[index];
        self.put(&format!("{place}.tag = {}", names::variant_constant(package, contract, variant)));
        let place = format!("{place}.value.{}", names::variant_member(variant));
        match (value, &variant.content) {
            (Value::Union(_, Some(content)), Content::Value { ty, .. }) => self.value(ty, content, &place),
            (Value::Other { tag, content }, _) => {
                self.put(&format!("{place}.tag = {}", text(tag)));
                let content = content.as_deref().map_or_else(|| "str_of(NULL, 0)".to_owned(), text);
                self.put(&format!("{place}.content = {content}"));
            }
            _ => {}
        }
    }

    fn value(&mut self, ty: &JsonType, value: &Value, place: &str) {
        if self.errs() && self.err(ty, place) {
            return;
        }
        match (ty, value) {
            (JsonType::Recipe(id) | JsonType::Union(id), value) => {
                let stem = names::stem(&self.input.family_of(*id).package, self.input.catalog.get(*id));
                self.put(&format!("{place} = {stem}_init()"));
                self.whole(*id, value, place);
            }
            (JsonType::Enumeration { contract, open: true, .. }, value)
                if self.input.catalog.get(*contract).enumeration().spelled == Spelled::Names =>
            {
                match value {
                    Value::Text(name) => {
                        self.put(&format!("{place}.is_name = true"));
                        self.put(&format!("{place}.name = {}", text(name)));
                    }
                    value => {
                        self.put(&format!("{place}.is_name = false"));
                        self.value(
                            &JsonType::Enumeration { contract: *contract, open: false, max_len: None },
                            value,
                            &format!("{place}.value"),
                        );
                    }
                }
            }
            (_, Value::Integer(number)) => {
                let code = match *number {
                    number if number == i128::from(i64::MIN) => "INT64_MIN".to_owned(),
                    number if number < 0 => format!("-INT64_C({})", -number),
                    number => format!("UINT64_C({number})"),
                };
                self.put(&format!("{place} = {code}"));
            }
            (_, Value::Bool(bool)) => self.put(&format!("{place} = {bool}")),
            (_, Value::Float(float)) => {
                self.put(&format!("{place} = f64_of(UINT64_C({}))", float.to_bits()));
            }
            (_, Value::Text(string) | Value::Json(string)) => {
                self.put(&format!("{place} = {}", text(string)));
            }
            (JsonType::Bytes { length: Length::Exactly(count), .. }, Value::Bytes(bytes)) => {
                self.put(&format!("memcpy({place}, {}, {count})", literal(bytes)));
            }
            (_, Value::Bytes(bytes)) => {
                self.put(&format!("{place}.data = (uint8_t *){}", literal(bytes)));
                self.put(&format!("{place}.length = {}", bytes.len()));
            }
            (_, Value::Map(members)) => {
                self.room(place, members.len());
                for (index, (key, value)) in members.iter().enumerate() {
                    self.put(&format!("{place}.items[{index}].key = {}", text(key)));
                    self.put(&format!("{place}.items[{index}].value = {}", text(value)));
                }
            }
            (JsonType::Array { item, length }, Value::List(items)) => {
                let in_place = matches!(length, Length::Exactly(_));
                if !in_place {
                    self.room(place, items.len());
                }
                // An array cannot be an element of one behind a pointer: a struct holds it.
                let is_fixed = matches!(
                    **item,
                    JsonType::Array { length: Length::Exactly(_), .. }
                        | JsonType::Bytes { length: Length::Exactly(_), .. }
                );
                for (index, value) in items.iter().enumerate() {
                    let place = match (in_place, is_fixed) {
                        (true, _) => format!("{place}[{index}]"),
                        (false, false) => format!("{place}.items[{index}]"),
                        (false, true) => format!("{place}.items[{index}].items"),
                    };
                    self.value(item, value, &place);
                }
            }
            (JsonType::Descriptor { contract, .. }, Value::Descriptor(value)) => {
                let bytes = write(self.input.catalog, *contract, value, Host::this()).expect("it was read");
                let stem =
                    names::stem(&self.input.family_of(*contract).package, self.input.catalog.get(*contract));
                let bytes = literal(&bytes);
                self.put(&format!("{stem}_read((uint8_t *){bytes}, sizeof {bytes} - 1, &{place}, NULL)"));
            }
            (ty, value) => panic!("{value:?} is not of {ty:?}"),
        }
    }

    fn room(&mut self, place: &str, count: usize) {
        self.put(&format!("{place}.items = room({count}, sizeof *{place}.items)"));
        self.put(&format!("{place}.count = {count}"));
    }
}

fn text(text: &str) -> String {
    format!("str_of({}, {})", literal(text.as_bytes()), text.len())
}

/// A string literal of any bytes.
fn literal(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("\\{byte:03o}"));
    format!("\"{}\"", digits.collect::<Vec<_>>().concat())
}

/// Puts questions before C, and compares its answers with the interpreter's; gives how many values a writer takes.
///
/// # Panics
/// When C says otherwise.
pub fn agree(bench: &Workbench<'_>, questions: &[Question]) -> usize {
    let mut accepted = 0;
    for (question, said) in questions.iter().zip(bench.c_values(questions)) {
        let expected = answers(bench.catalog(), question);
        let name = &bench.catalog().get(question.contract).name;
        assert!(
            said == expected,
            "c says of a {name} with {} file descriptors\n  {}\n  {}\nand the interpreter\n  {}\n  {}\n{:?}",
            question.fd_count,
            said[0],
            said[1],
            expected[0],
            expected[1],
            question.value
        );
        accepted += usize::from(expected[0] == "ok");
    }
    accepted
}

/// Puts values, some of which Rust cannot hold, before a library: writing one is refused as the header's check refuses it,
/// and otherwise for what no check of C sees. Gives how many are written, and how many refused.
///
/// # Panics
/// When the library says otherwise.
pub fn written_as_checked(
    bench: &Workbench<'_>,
    rust: &Rust,
    questions: &[Question],
    random: &mut Random,
) -> [usize; 2] {
    let mut counts = [0; 2];
    for (question, [checked, written]) in questions.iter().zip(bench.c_written(rust, questions, random)) {
        let name = &bench.catalog().get(question.contract).name;
        let sees_more = [
            Code::NotJson,
            Code::DuplicateKey,
            Code::WrongType,
            Code::TooDeep,
            Code::TooLarge,
            Code::UnknownTag,
        ];
        let is_beyond = checked == "ok"
            && sees_more.iter().any(|code| written.starts_with(&format!("err {} ", code.number())));
        assert!(
            written == checked || is_beyond,
            "of a {name} the check says\n  {checked}\nand writing\n  {written}\n{:?}",
            question.value
        );
        counts[usize::from(written != "ok")] += 1;
    }
    counts
}

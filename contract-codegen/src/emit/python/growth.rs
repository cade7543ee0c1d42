//! What a descriptor that grows has besides: its table of versions, the readers and what its documentation says.

use std::collections::BTreeSet;

use minijinja::{Value, context};

use super::scope::{Locals, Scope};
use super::text::{bytes, exploded, head, statement, string};
use super::types::{code, format, scalar};
use crate::counted;
use crate::model::{ContractId, Descriptor, Field, Growth, Role};

/// How many characters of bytes one line of a table takes.
const BYTES_IN_LINE: usize = 16;

/// The name of a descriptor's table.
pub(super) fn table_name(scope: &Scope<'_>, id: ContractId) -> String {
    scope.private("growth", id)
}

/// What `descriptor.py.j2` takes of one that grows; nothing for another.
pub(super) fn grown(scope: &Scope<'_>, id: ContractId) -> Option<Value> {
    let growth = scope.catalog.get(id).descriptor().growth.as_ref()?;
    Some(context! {
        sizes => sizes(scope, id, growth),
        readers => readers(scope, id).join("\n\n"),
        refuse => refuse(scope, id),
        table => table(scope, id, growth),
    })
}

/// The sizes, as the class's documentation says them.
pub(super) fn docs(descriptor: &Descriptor) -> Option<String> {
    let growth = descriptor.growth.as_ref()?;
    let sizes = growth.sizes.iter().zip(1..).map(|(size, version)| match version {
        1 => format!("{} in version 1", counted::bytes(*size)),
        _ => format!("{size} in version {version}"),
    });
    let sizes = sizes.collect::<Vec<_>>().join(", ");
    let who = match descriptor.version_field() {
        Some(field) => format!("`{}` says the version", field.name),
        None => "the length says the version".to_owned(),
    };
    Some(format!("A descriptor that grows: {sizes}; {who}."))
}

fn sizes(scope: &Scope<'_>, id: ContractId, growth: &Growth) -> String {
    let inside = scope.attributes(id);
    let (tuple, int) = (scope.builtin("tuple", &inside), scope.builtin("int", &inside));
    let sizes = growth.sizes.iter().map(u32::to_string).collect::<Vec<_>>();
    let line = format!("WIRE_SIZES: _typing.ClassVar[{tuple}[{int}, ...]] = {}", tuple_of(&sizes));
    statement(4, &line)
}

/// The methods that read: whatever version, what is at the start, the version alone.
fn readers(scope: &Scope<'_>, id: ContractId) -> Vec<String> {
    let descriptor = scope.catalog.get(id).descriptor();
    let inside = scope.attributes(id);
    let (class, table, buffer) = (scope.class(id), table_name(scope, id), scope.wire("Buffer"));
    let method = |name: &str, returns: &str, lines: &[String]| {
        let head = head(4, name, &[format!("data: {buffer}")], returns);
        format!("    @{}\n{head}\n{}", scope.builtin("staticmethod", &inside), lines.join("\n"))
    };
    let mut newer = vec![
        "        \"\"\"As `from_bytes`, and of a newer version as much as is known of it.\"\"\"".to_owned(),
    ];
    let names = Image::new(scope);
    newer.push(names.taken(scope, id, 8, "is_lax=True"));
    newer.extend(names.read(scope, id, 8));
    let mut methods = vec![method("from_bytes_or_newer", &class, &newer)];
    if descriptor.version_field().is_some() {
        let returns =
            format!("{}[{class}, {}]", scope.builtin("tuple", &inside), scope.builtin("memoryview", &inside));
        let mut locals = Locals::new(scope, &["data"]);
        let [view, size] = ["view", "size"].map(|name| locals.add("", name));
        let lines = [
            "        \"\"\"The value at the start of the bytes, as long as its version is, and a view"
                .to_owned(),
            "        of what is behind it; `WireError` where there is none.".to_owned(),
            "        \"\"\"".to_owned(),
            format!("        {view} = {}(data)", scope.wire("view_bytes")),
            statement(8, &format!("{size} = {table}.prefix({view})")),
            statement(8, &format!("return {class}.from_bytes({view}[:{size}]), {view}[{size}:]")),
        ];
        methods.push(method("read_prefix", &returns, &lines));
    }
    let lines = [
        "        \"\"\"The version that bytes are of; nothing but length, magic and version is".to_owned(),
        "        looked at. `WireError` where these say none.".to_owned(),
        "        \"\"\"".to_owned(),
        statement(8, &format!("return {table}.version_of(data)")),
    ];
    methods.push(method("version_of", &scope.builtin("int", &inside), &lines));
    methods
}

/// The body of `_refuse_X(data)`.
fn refuse(scope: &Scope<'_>, id: ContractId) -> String {
    let names = Image::new(scope);
    let mut lines =
        vec!["    \"\"\"Read an older version, or raise what is wrong with the bytes.\"\"\"".to_owned()];
    lines.push(names.taken(scope, id, 4, ""));
    lines.push(format!("    if {} is data:", names.image));
    lines.push(statement(8, &format!("{}({}, 0)", scope.private("check", id), names.image)));
    lines.push(format!(
        "        raise {}(\"two ways of reading disagree\")",
        scope.builtin("AssertionError", &BTreeSet::new())
    ));
    lines.push("    # Of another version, or a copy that no one else can change.".to_owned());
    lines.extend(names.read(scope, id, 4));
    lines.join("\n")
}

/// The variables of a function that reads what the bytes of some version stand for.
struct Image {
    version: String,
    image: String,
    value: String,
}

impl Image {
    fn new(scope: &Scope<'_>) -> Image {
        let mut locals = Locals::new(scope, &["data"]);
        let [version, image, value] = ["version", "image", "value"].map(|name| locals.add("", name));
        Image { version, image, value }
    }

    /// Takes what the bytes stand for, and their version where a field says it.
    fn taken(&self, scope: &Scope<'_>, id: ContractId, indent: usize, more: &str) -> String {
        let version = match scope.catalog.get(id).descriptor().version_field() {
            Some(_) => &self.version,
            None => "_",
        };
        let arguments = if more.is_empty() { "data".to_owned() } else { format!("data, {more}") };
        let call = format!("{}.image({arguments})", table_name(scope, id));
        statement(indent, &format!("{version}, {} = {call}", self.image))
    }

    /// Returns the newest version's value, which says the version that it came with.
    fn read(&self, scope: &Scope<'_>, id: ContractId, indent: usize) -> Vec<String> {
        let Image { version, image, value } = self;
        let read = format!("{}.from_bytes({image})", scope.class(id));
        let Some(field) = scope.catalog.get(id).descriptor().version_field() else {
            return vec![statement(indent, &format!("return {read}"))];
        };
        let name = string(&scope.attribute(id, &field.name));
        let with = scope.wire("with_version");
        vec![
            statement(indent, &format!("{value} = {read}")),
            statement(indent, &format!("return {with}({value}, {name}, {version})")),
        ]
    }
}

/// `_growth_X`.
fn table(scope: &Scope<'_>, id: ContractId, growth: &Growth) -> String {
    let contract = scope.catalog.get(id);
    let descriptor = contract.descriptor();
    let sizes = growth.sizes.iter().map(u32::to_string).collect::<Vec<_>>();
    let first = growth.size(1) as usize;
    let [little, big] = [false, true].map(|is_big| scope.catalog.defaults(id, is_big).split_off(first));
    let mut items = vec![string(&contract.name), tuple_of(&sizes), literals(4, &little)];
    if little != big {
        items.push(format!("big={}", literals(4, &big)));
    }
    let magics: Vec<String> = descriptor.fields.iter().filter_map(magic).collect();
    if !magics.is_empty() {
        items.push(format!("magics={}", tuple_of(&magics)));
    }
    if let Some(field) = descriptor.version_field() {
        let letter = code(scalar(scope, field.ty.element)).to_string();
        let form = format(scope, field.ty.endian, &letter);
        items.push(format!("version=({}, {form}, {})", field.offset, string(&field.name)));
    }
    let added = scope.catalog.added(id);
    let holes: Vec<String> = added
        .iter()
        .filter(|it| it.is_hole)
        .map(|it| format!("({}, {}, {})", it.since, it.range().start, it.range().end))
        .collect();
    if !holes.is_empty() {
        items.push(format!("holes={}", tuple_of(&holes)));
    }
    let added: Vec<String> = added
        .iter()
        .filter(|it| scope.catalog.has_default(it))
        .map(|it| {
            let owner = scope.catalog.get(it.contract);
            let (start, end) = (it.range().start, it.range().end);
            let field = string(&owner.descriptor().fields[it.field].name);
            format!("({}, {start}, {end}, {}, {field})", it.since, string(&owner.name))
        })
        .collect();
    if !added.is_empty() {
        items.push(format!("added={}", tuple_of(&added)));
    }
    let head = format!("{}: _typing.Final = {}(", table_name(scope, id), scope.wire("Growth"));
    exploded(0, &head, &items, ")")
}

fn magic(field: &Field) -> Option<String> {
    let Role::Magic(value) = &field.role else { return None };
    Some(format!("({}, {}, {})", field.offset, bytes(value), string(&field.name)))
}

/// A bytes literal, in several where it is long.
fn literals(indent: usize, value: &[u8]) -> String {
    let lines: Vec<String> = value.chunks(BYTES_IN_LINE).map(bytes).collect();
    if lines.is_empty() {
        return "b\"\"".to_owned();
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

/// A tuple of these.
pub(super) fn tuple_of(items: &[String]) -> String {
    if let [one] = items { format!("({one},)") } else { format!("({})", items.join(", ")) }
}

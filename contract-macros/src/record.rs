//! The text of a record: one JSON object of what the wire id covers, one of what the source id covers besides. The
//! format is described in the `record` module of the `wirecontract` crate.

mod abi;
mod document;
mod export;
mod message;

use syn::ext::IdentExt;

use crate::check::{About, Body, Contract, Datum, Descriptor, Openness, Role, Values};
use crate::export::Function;
use crate::parse::Spelled;
use crate::rule::Checked;

/// The lines of a record that the macro knows, and their hashes.
pub(crate) struct Text {
    /// The first line: what the wire id covers.
    pub(crate) wire: String,
    /// The second line: what the source id covers besides.
    pub(crate) source: String,
    /// The version of the package.
    pub(crate) package_version: String,
    /// What a hello says of it.
    pub(crate) spoken: Spoken,
}

/// What a hello says of a contract, besides the wire id.
#[derive(Default)]
pub(crate) struct Spoken {
    /// The name that it was first accepted under.
    pub(crate) name: String,
    /// Its version, where it declares one.
    pub(crate) version: Option<u32>,
    /// Versions before it that are read and written as well, and their wire ids; the oldest first.
    pub(crate) earlier: Vec<(u32, u64)>,
}

impl Text {
    /// The text of a contract.
    pub(crate) fn of(contract: &Contract<'_>) -> Text {
        let about = &contract.about;
        let rules: &[Checked] = match &contract.body {
            Body::Descriptor(descriptor) => &descriptor.rules,
            Body::Recipe(recipe) => &recipe.rules,
            Body::Union(union) => &union.rules,
            Body::Message(message) => &message.rules,
            Body::Enumeration(_) | Body::Flags(..) | Body::Abi(_) | Body::Handle(_) | Body::Messages(_) => {
                &[]
            }
        };
        let prefix = match &contract.body {
            Body::Handle(handle) => Some(&handle.prefix),
            _ => None,
        };
        let (wire, members) = match &contract.body {
            Body::Descriptor(descriptor) => {
                (wire_descriptor(about, descriptor), descriptor_members(descriptor))
            }
            Body::Enumeration(values) => {
                (wire_values(about, "enumeration", values, None), value_members(values))
            }
            Body::Flags(values, open) => {
                (wire_values(about, "flags", values, Some(*open)), value_members(values))
            }
            Body::Recipe(recipe) => (document::recipe(about, recipe), document::keys(recipe)),
            Body::Union(union) => (document::union(about, union), document::variants(union)),
            Body::Abi(abi) => (abi::wire(about, abi), abi::members(abi)),
            Body::Handle(handle) => (export::handle(about, handle), Vec::new()),
            Body::Message(message) => (message::message(about, message), message::members(message)),
            Body::Messages(messages) => (message::messages(about, messages), message::variants(messages)),
        };
        let spoken = Spoken {
            name: about.was.as_ref().unwrap_or(&about.name).clone(),
            version: about.version,
            earlier: about.earlier.clone(),
        };
        let source = source(about, prefix, &members, rules);
        Text { wire, source, package_version: package_version(), spoken }
    }

    /// The text of an exported function.
    pub(crate) fn of_function(function: &Function) -> Text {
        Text {
            wire: export::function(function),
            source: export::function_source(function),
            package_version: package_version(),
            spoken: Spoken::default(),
        }
    }

    /// The text of a library.
    pub(crate) fn of_library(prefix: &str, symbols: &[String]) -> Text {
        Text {
            wire: export::library(prefix, symbols),
            source: export::library_source(),
            package_version: package_version(),
            spoken: Spoken::default(),
        }
    }

    /// FNV-1a 64 of the first line.
    pub(crate) fn wire_hash(&self) -> u64 {
        fold(self.wire.bytes())
    }

    /// FNV-1a 64 of the first two lines.
    pub(crate) fn source_hash(&self) -> u64 {
        fold(self.wire.bytes().chain([b'\n']).chain(self.source.bytes()))
    }
}

/// FNV-1a 64.
pub(crate) fn fold(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn wire_descriptor(about: &About, descriptor: &Descriptor<'_>) -> String {
    let mut object = Object::new();
    object.text("kind", "descriptor");
    object.text("name", about.was.as_ref().unwrap_or(&about.name));
    object.text("layout", if descriptor.packed { "packed" } else { "natural" });
    if descriptor.grows() {
        object.list("sizes", descriptor.sizes.iter().map(|(size, _)| size.to_string()));
    }
    let first_name = |index: usize| {
        let field = &descriptor.fields[index];
        field.was.as_ref().unwrap_or(&field.name)
    };
    object.list(
        "fields",
        (0..descriptor.fields.len()).map(|index| {
            let mut field = Object::new();
            field.text("name", first_name(index));
            match &descriptor.fields[index].role {
                Role::Value => {}
                Role::Magic(magic) => field.text("magic", &hex(magic)),
                Role::Version(version) => field.raw("version", version),
                Role::Reserved { zero } => field.text("reserved", if *zero { "zero" } else { "ignored" }),
                Role::LengthOf(targets) => {
                    // In the order of offsets, however the declaration lists them.
                    let mut targets = targets.clone();
                    targets.sort_unstable();
                    field.list("length_of", targets.iter().map(|&target| quoted(first_name(target))));
                }
                Role::Text => field.raw("text", true),
            }
            if descriptor.grows() && descriptor.fields[index].added() > 1 {
                field.raw("since", descriptor.fields[index].added());
            }
            if let Some(condition) = &descriptor.fields[index].one_of {
                field.raw("one_of", document::rule(condition));
            }
            field.close()
        }),
    );
    document::rules(&mut object, &descriptor.rules);
    object.close()
}

fn descriptor_members(descriptor: &Descriptor<'_>) -> Vec<String> {
    descriptor
        .fields
        .iter()
        .map(|field| {
            let mut member = Object::new();
            if field.was.is_some() {
                member.text("name", &field.name);
            }
            member.optional("docs", Some(&field.docs).filter(|docs| !docs.is_empty()));
            member.optional("c_name", field.c_name.as_ref());
            // Of one that grows, it says what messages have, and stands with that.
            if let Some(since) = field.since.filter(|_| !descriptor.grows()) {
                member.raw("since", since);
            }
            member.optional("deprecated", field.deprecated.as_ref());
            document::declared(&mut member, "one_of", field.one_of.as_ref());
            member.close()
        })
        .collect()
}

fn wire_values(about: &About, kind: &str, values: &Values<'_>, open: Option<Openness>) -> String {
    let mut object = Object::new();
    object.text("kind", kind);
    object.text("name", about.was.as_ref().unwrap_or(&about.name));
    object.text("repr", &values.repr.to_string());
    if let Some(open) = open {
        object.raw("open", open == Openness::Open);
    }
    match (open, values.spelled) {
        (None, Spelled::Integer) => object.text("as", "integer"),
        (Some(_), Spelled::Names) => object.text("as", "names"),
        _ => {}
    }
    if values.fold {
        object.text("case", "fold");
    }
    object.list(
        "values",
        values.values.iter().map(|value| {
            let mut entry = Object::new();
            entry.text("name", &value.wire_name);
            entry.raw("value", value.number);
            if !value.aliases.is_empty() {
                entry.list("alias", value.aliases.iter().map(|alias| quoted(alias)));
            }
            if !values.data.is_empty() {
                let mut data = Object::new();
                for (key, datum) in values.data.iter().zip(&value.data) {
                    match datum {
                        Datum::Integer(number) => data.raw(&key.ident.unraw().to_string(), number),
                        Datum::Bool(truth) => data.raw(&key.ident.unraw().to_string(), truth),
                        Datum::Text(text) => data.text(&key.ident.unraw().to_string(), text),
                    }
                }
                entry.raw("data", data.close());
            }
            entry.close()
        }),
    );
    object.close()
}

fn value_members(values: &Values<'_>) -> Vec<String> {
    values
        .values
        .iter()
        .map(|value| {
            let mut member = Object::new();
            let name = value.ident.unraw().to_string();
            if name != value.wire_name {
                member.text("name", &name);
            }
            member.optional("docs", Some(&value.docs).filter(|docs| !docs.is_empty()));
            member.optional("c_name", value.c_name.as_ref());
            if let Some(since) = value.since {
                member.raw("since", since);
            }
            member.optional("deprecated", value.deprecated.as_ref());
            member.close()
        })
        .collect()
}

fn package_version() -> String {
    std::env::var("CARGO_PKG_VERSION").unwrap_or_default()
}

fn source(about: &About, prefix: Option<&String>, members: &[String], rules: &[Checked]) -> String {
    let mut object = Object::new();
    if about.was.is_some() {
        object.text("name", &about.name);
    }
    object.optional("docs", Some(&about.docs).filter(|docs| !docs.is_empty()));
    if let Some(version) = about.version {
        object.raw("version", version);
    }
    if !about.earlier.is_empty() {
        let earlier = about.earlier.iter().map(|(version, wire_id)| {
            let mut each = Object::new();
            each.raw("version", version);
            each.text("wire_id", &format!("0x{wire_id:016x}"));
            each.close()
        });
        object.list("earlier", earlier);
    }
    if let Some(since) = about.since {
        object.raw("since", since);
    }
    object.optional("deprecated", about.deprecated.as_ref());
    object.optional("c_name", about.c_name.as_ref());
    object.optional("prefix", prefix);
    package(&mut object);
    object.list("members", members.iter().cloned());
    if let Some(declared) = document::declared_rules(rules) {
        object.list("rules", declared);
    }
    object.close()
}

fn package(object: &mut Object) {
    object.text("package", &std::env::var("CARGO_PKG_NAME").unwrap_or_default());
}

/// A JSON object being written.
struct Object(String);

impl Object {
    fn new() -> Object {
        Object("{".into())
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&quoted(key));
        self.0.push(':');
    }

    fn raw(&mut self, key: &str, value: impl std::fmt::Display) {
        self.key(key);
        self.0.push_str(&value.to_string());
    }

    fn text(&mut self, key: &str, value: &str) {
        self.raw(key, quoted(value));
    }

    fn optional(&mut self, key: &str, value: Option<&String>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    fn list(&mut self, key: &str, items: impl Iterator<Item = String>) {
        let items: Vec<String> = items.collect();
        self.raw(key, format_args!("[{}]", items.join(",")));
    }

    fn close(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn quoted(text: &str) -> String {
    use std::fmt::Write;
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            control if control < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

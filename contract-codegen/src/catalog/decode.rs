//! From a record's numbers and text to a contract, once both ids say that they are what was compiled.

use super::error::ReadError;
use super::frame::Frame;
use super::hash::{self, Fnv};
use super::json::{Json, Object, TextError, required};
use super::spelling::{identifier, is_identifier, module, package, renamed};
use super::words::Words;
use super::{Record, abi, earlier, export, fields, message, recipe, union, values};
use crate::model::{Body, Contract, Enumeration, Flags, Scalar, Spelled};

/// The record that a frame holds.
pub(super) fn decode(frame: &Frame<'_>) -> Result<Record, ReadError> {
    let text = std::str::from_utf8(frame.text)
        .map_err(|error| ReadError::BadText { at: frame.at, valid: error.valid_up_to() })?;
    let contract = name_of(text);
    let refuse = |error: TextError| match error {
        TextError::Wrong(reason) => {
            ReadError::Corrupted { contract: contract.map(str::to_owned), at: frame.at, reason }
        }
        TextError::Unknown(what) => ReadError::NewerDeclaration {
            contract: contract.map_or_else(|| "a contract".to_owned(), str::to_owned),
            what,
        },
    };
    let lines = Lines::split(text).map_err(refuse)?;
    // What the words are is for the kind to say, so that it is read before the ids are known to fit.
    let mut wire = Object::parse(lines.wire).map_err(refuse)?;
    let kind = known_kind(&mut wire).map_err(refuse)?;
    let sizes = fields::sizes(&mut wire, &kind).map_err(refuse)?;
    let first = sizes.as_ref().and_then(|sizes| sizes.first().copied());
    let words = Words::split(frame, &kind, first).map_err(refuse)?;
    verify_ids(frame, &lines, &words).map_err(refuse)?;
    record(frame, &lines, &kind, (wire, sizes), words).map_err(refuse)
}

fn known_kind(wire: &mut Object) -> Result<String, TextError> {
    let kind = required(wire.take_text("kind")?, "kind")?;
    match kind.as_str() {
        "descriptor" | "enumeration" | "flags" | "recipe" | "union" | "message" | "messages" | "abi"
        | "handle" | "function" | "library" | "symbols" => Ok(kind),
        _ => Err(TextError::Unknown(format!("that it is of kind `{kind}`"))),
    }
}

/// The contract's name for messages about a record that may be broken: what stands after `"name":"`, of a function its
/// symbol.
fn name_of(text: &str) -> Option<&str> {
    let is_function = text.starts_with(r#"{"kind":"function""#);
    let rest = text.split_once(if is_function { r#""symbol":""# } else { r#""name":""# })?.1;
    let name = rest.split_once('"')?.0;
    is_identifier(name).then_some(name)
}

/// The four lines of a record's text, and the module of the third.
struct Lines<'text> {
    wire: &'text str,
    source: &'text str,
    module: String,
    package_version: String,
    line: u32,
    file: &'text str,
}

impl<'text> Lines<'text> {
    fn split(text: &'text str) -> Result<Self, TextError> {
        let mut lines = text.splitn(4, '\n');
        let mut next =
            || lines.next().ok_or_else(|| TextError::Wrong("its text has not four lines".to_owned()));
        let (wire, source, position, file) = (next()?, next()?, next()?, next()?);
        let mut position = Object::parse(position)?;
        let module = required(position.take_text("module")?, "module")?;
        let package_version = required(position.take_text("package_version")?, "package_version")?;
        let line = required(position.take_integer("line")?, "line")?;
        required(position.take_integer::<u32>("column")?, "column")?;
        position.finish()?;
        Ok(Lines { wire, source, module, package_version, line, file })
    }
}

fn verify_ids(frame: &Frame<'_>, lines: &Lines<'_>, words: &Words) -> Result<(), TextError> {
    let wire_id = words.hash(Fnv::new().bytes(lines.wire.as_bytes()), false).finish();
    let source = Fnv::new().bytes(lines.wire.as_bytes()).bytes(b"\n").bytes(lines.source.as_bytes());
    let source_id = words.hash(source.bytes(lines.module.as_bytes()), true).finish();
    for (which, stated, computed) in
        [("wire", frame.wire_id, wire_id), ("source", frame.source_id, source_id)]
    {
        if stated != computed {
            return Err(TextError::Wrong(format!(
                "it states the {which} id {stated:#018x}, its content has {computed:#018x}"
            )));
        }
    }
    Ok(())
}

fn record(
    frame: &Frame<'_>,
    lines: &Lines<'_>,
    kind: &str,
    (mut wire, sizes): (Object, Option<Vec<u32>>),
    words: Words,
) -> Result<Record, TextError> {
    let mut source = Object::parse(lines.source)?;
    let (name, was) = match &words {
        Words::Function(function) => {
            let name = required(source.take_text("name")?, "name")?;
            (export::function_name(name, function.handle.is_some())?, None)
        }
        _ => {
            let accepted = identifier(required(wire.take_text("name")?, "name")?)?;
            renamed(source.take_text("name")?, accepted)?
        }
    };
    let members = objects(required(source.take_array("members")?, "members")?)?;
    let declared_rules = source.take_texts("rules")?;

    if declared_rules.is_some() && !matches!(kind, "descriptor" | "recipe" | "union" | "message") {
        return Err(TextError::Unknown(format!("rules of {kind}")));
    }

    let mut nested = Vec::new();
    let mut pointees = Vec::new();
    let mut names = Vec::new();
    let body = match (kind, words) {
        ("descriptor", Words::Descriptor { size, align, defaults, fields }) => {
            Body::Descriptor(fields::descriptor(
                &mut wire,
                (members, declared_rules),
                fields::Whole { size, align, sizes, defaults },
                fields,
                &mut nested,
            )?)
        }
        ("recipe", Words::Types(types)) => Body::Recipe(recipe::recipe(
            &mut wire,
            (members, declared_rules),
            types,
            &mut nested,
            &mut names,
        )?),
        ("union", Words::Types(types)) => {
            Body::Union(union::union(&mut wire, (members, declared_rules), types, &mut nested, &mut names)?)
        }
        ("message", Words::Types(types)) => {
            let message = message::message(&mut wire, (members, declared_rules), types, &mut nested)?;
            Body::Message(Box::new(message))
        }
        ("messages", Words::Types(types)) => {
            Body::Messages(message::messages(&mut wire, members, types, &mut nested)?)
        }
        ("abi", Words::Abi { layouts, fields }) => {
            Body::Abi(abi::abi(&mut wire, members, layouts, fields, &mut nested, &mut pointees)?)
        }
        ("handle", Words::Handle { tag }) => {
            Body::Handle(export::handle(&mut wire, &mut source, &members, tag)?)
        }
        ("function", Words::Function(words)) => Body::Function(export::function(
            &mut wire,
            &mut source,
            members,
            &words,
            &mut nested,
            &mut pointees,
        )?),
        ("library" | "symbols", _) => {
            Body::Symbols(export::symbols(&mut wire, &members, &name, kind == "library")?)
        }
        ("enumeration", _) => Body::Enumeration(enumeration(&mut wire, members)?),
        _ => Body::Flags(flags(&mut wire, members)?),
    };

    let version = source.take_integer("version")?;
    let earlier = earlier::earlier(&mut source, version)?;
    let contract = Contract {
        name,
        was,
        package: package(required(source.take_text("package")?, "package")?)?,
        package_version: lines.package_version.clone(),
        module: module(&lines.module)?,
        file: lines.file.to_owned(),
        line: lines.line,
        docs: source.take_text("docs")?.unwrap_or_default(),
        version,
        earlier,
        since: source.take_integer("since")?,
        deprecated: source.take_text("deprecated")?,
        c_name: source.take_text("c_name")?,
        wire_id: frame.wire_id,
        source_id: frame.source_id,
        body,
    };
    wire.finish()?;
    source.finish()?;
    let key = hash::path(&lines.module, &contract.name);
    Ok(Record { contract, nested, pointees, key, names })
}

fn enumeration(wire: &mut Object, members: Vec<Object>) -> Result<Enumeration, TextError> {
    let repr = repr(wire)?;
    let spelled = spelled(wire, Spelled::Names)?;
    let fold = match wire.take_text("case")?.as_deref() {
        None => false,
        Some("fold") if spelled == Spelled::Names => true,
        Some("fold") => {
            return Err(TextError::Wrong("it has names in any case, and spells numbers".to_owned()));
        }
        Some(other) => return Err(TextError::Unknown(format!("the case `{other}`"))),
    };
    let (values, data) = values::enumeration(repr, values_of(wire)?, members, fold)?;
    Ok(Enumeration { repr, values, data, spelled, fold })
}

fn flags(wire: &mut Object, members: Vec<Object>) -> Result<Flags, TextError> {
    let repr = repr(wire)?;
    let open = required(wire.take_bool("open")?, "open")?;
    let spelled = spelled(wire, Spelled::Integer)?;
    if open && spelled == Spelled::Names {
        return Err(TextError::Wrong(
            "its flags are open, and bits without a name cannot be spelled".to_owned(),
        ));
    }
    Ok(Flags { repr, values: values::flags(repr, values_of(wire)?, members)?, open, spelled })
}

fn spelled(wire: &mut Object, default: Spelled) -> Result<Spelled, TextError> {
    match wire.take_text("as")?.as_deref() {
        None => Ok(default),
        Some("names") => Ok(Spelled::Names),
        Some("integer") => Ok(Spelled::Integer),
        Some(other) => Err(TextError::Unknown(format!("values spelled as `{other}`"))),
    }
}

pub(super) fn objects(items: Vec<Json>) -> Result<Vec<Object>, TextError> {
    items.into_iter().map(Object::from).collect()
}

fn values_of(wire: &mut Object) -> Result<Vec<Object>, TextError> {
    objects(required(wire.take_array("values")?, "values")?)
}

fn repr(wire: &mut Object) -> Result<Scalar, TextError> {
    let name = required(wire.take_text("repr")?, "repr")?;
    Scalar::from_name(&name)
        .filter(|scalar| !matches!(scalar, Scalar::Bool | Scalar::F32 | Scalar::F64))
        .ok_or_else(|| TextError::Wrong(format!("its repr is `{name}`, which is no integer")))
}

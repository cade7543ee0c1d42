//! From a record's numbers and text to a contract, once both ids say that they are what was compiled.

use std::collections::{HashMap, HashSet};

use super::error::ReadError;
use super::frame::Frame;
use super::hash::Fnv;
use super::json::{Json, Object, TextError, required};
use super::values;
use super::{Nested, Record};
use crate::model::{
    Body, Contract, ContractId, Descriptor, Element, Endian, Enumeration, Field, Flags, Layout, Role, Scalar,
    Type,
};

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
    let words = Words::split(frame).map_err(refuse)?;
    verify_ids(frame, &lines, &words).map_err(refuse)?;
    record(frame, &lines, words).map_err(refuse)
}

/// The contract's name for messages about a record that may be broken: what stands after `"name":"`.
fn name_of(text: &str) -> Option<&str> {
    let rest = text.split_once(r#""name":""#)?.1;
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

/// The words of a record, taken apart by their own structure.
#[derive(Default)]
struct Words {
    /// Size and alignment, of a descriptor.
    measures: Option<(u32, u32)>,
    fields: Vec<FieldWords>,
}

struct FieldWords {
    offset: u32,
    ty: u32,
    dims: Vec<u32>,
    /// Wire id and source id of the contract it holds.
    ids: Option<(u64, u64)>,
}

impl FieldWords {
    const OPEN: u32 = 1 << 10;
    const IDS_FOLLOW: u32 = 1 << 11;

    fn code(&self) -> u32 {
        self.ty & 0xff
    }
}

impl Words {
    fn split(frame: &Frame<'_>) -> Result<Self, TextError> {
        let mut words = frame.words();
        let Some(size) = words.next() else { return Ok(Words::default()) };
        let mut next =
            || words.next().ok_or_else(|| TextError::Wrong("its words end within a field".to_owned()));
        let align = next()?;
        let mut fields = Vec::new();
        while let Ok(offset) = next() {
            let ty = next()?;
            let dims = (0..ty >> 12 & 0xf).map(|_| next()).collect::<Result<_, _>>()?;
            let mut id = || Ok::<u64, TextError>(u64::from(next()?) | u64::from(next()?) << 32);
            let ids = if ty & FieldWords::IDS_FOLLOW == 0 { None } else { Some((id()?, id()?)) };
            fields.push(FieldWords { offset, ty, dims, ids });
        }
        Ok(Words { measures: Some((size, align)), fields })
    }

    /// Hashes the words; without the source ids of nested contracts for a wire id.
    fn hash(&self, mut hash: Fnv, with_source_ids: bool) -> Fnv {
        if let Some((size, align)) = self.measures {
            hash = hash.word(size).word(align);
        }
        for field in &self.fields {
            hash = hash.word(field.offset).word(field.ty);
            hash = field.dims.iter().fold(hash, |hash, &dim| hash.word(dim));
            if let Some((wire_id, source_id)) = field.ids {
                hash = hash.id(wire_id);
                if with_source_ids {
                    hash = hash.id(source_id);
                }
            }
        }
        hash
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

fn record(frame: &Frame<'_>, lines: &Lines<'_>, words: Words) -> Result<Record, TextError> {
    let mut wire = Object::parse(lines.wire)?;
    let mut source = Object::parse(lines.source)?;
    let kind = required(wire.take_text("kind")?, "kind")?;
    let accepted = identifier(required(wire.take_text("name")?, "name")?)?;
    let members = members(required(source.take_array("members")?, "members")?)?;
    if kind != "descriptor" && words.measures.is_some() {
        return Err(TextError::Wrong(format!("it is of kind {kind} and has words")));
    }

    let mut nested = Vec::new();
    let body = match kind.as_str() {
        "descriptor" => Body::Descriptor(descriptor(&mut wire, members, words, &mut nested)?),
        "enumeration" => {
            let repr = repr(&mut wire)?;
            let (values, data) = values::enumeration(repr, values_of(&mut wire)?, members)?;
            Body::Enumeration(Enumeration { repr, values, data })
        }
        "flags" => {
            let repr = repr(&mut wire)?;
            let open = required(wire.take_bool("open")?, "open")?;
            Body::Flags(Flags { repr, values: values::flags(repr, values_of(&mut wire)?, members)?, open })
        }
        _ => return Err(TextError::Unknown(format!("that it is of kind `{kind}`"))),
    };

    let (name, was) = renamed(source.take_text("name")?, accepted)?;
    let contract = Contract {
        name,
        was,
        package: package(required(source.take_text("package")?, "package")?)?,
        package_version: lines.package_version.clone(),
        module: module(&lines.module)?,
        file: lines.file.to_owned(),
        line: lines.line,
        docs: source.take_text("docs")?.unwrap_or_default(),
        version: source.take_integer("version")?,
        since: source.take_integer("since")?,
        deprecated: source.take_text("deprecated")?,
        c_name: source.take_text("c_name")?,
        wire_id: frame.wire_id,
        source_id: frame.source_id,
        body,
    };
    wire.finish()?;
    source.finish()?;
    Ok(Record { contract, nested })
}

fn members(items: Vec<Json>) -> Result<Vec<Object>, TextError> {
    items.into_iter().map(Object::from).collect()
}

fn values_of(wire: &mut Object) -> Result<Vec<Object>, TextError> {
    members(required(wire.take_array("values")?, "values")?)
}

fn repr(wire: &mut Object) -> Result<Scalar, TextError> {
    let name = required(wire.take_text("repr")?, "repr")?;
    Scalar::from_name(&name)
        .filter(|scalar| !matches!(scalar, Scalar::Bool | Scalar::F32 | Scalar::F64))
        .ok_or_else(|| TextError::Wrong(format!("its repr is `{name}`, which is no integer")))
}

fn descriptor(
    wire: &mut Object,
    members: Vec<Object>,
    words: Words,
    nested: &mut Vec<Nested>,
) -> Result<Descriptor, TextError> {
    let layout = match required(wire.take_text("layout")?, "layout")?.as_str() {
        "natural" => Layout::Natural,
        "packed" => Layout::Packed,
        other => return Err(TextError::Unknown(format!("the layout `{other}`"))),
    };
    let (size, align) = words.measures.ok_or_else(|| TextError::Wrong("it has no words".to_owned()))?;
    let declared = self::members(required(wire.take_array("fields")?, "fields")?)?;
    if declared.len() != words.fields.len() || declared.len() != members.len() {
        return Err(TextError::Wrong(format!(
            "it has {} fields, words for {} and declarations of {}",
            declared.len(),
            words.fields.len(),
            members.len()
        )));
    }

    let mut accepted_names = Vec::with_capacity(declared.len());
    let mut fields = Vec::with_capacity(declared.len());
    let mut counts = Vec::new();
    for ((mut wire, mut source), words) in declared.into_iter().zip(members).zip(words.fields) {
        let accepted = identifier(required(wire.take_text("name")?, "name")?)?;
        accepted_names.push(accepted.clone());
        let (name, was) = renamed(source.take_text("name")?, accepted)?;
        let ty = field_type(&name, &words, nested)?;
        let (role, targets) = role(&mut wire)?;
        if let Some(targets) = targets {
            counts.push((fields.len(), targets));
        }
        let field = Field {
            name,
            was,
            docs: source.take_text("docs")?.unwrap_or_default(),
            c_name: source.take_text("c_name")?,
            deprecated: source.take_text("deprecated")?,
            offset: words.offset,
            ty,
            role,
        };
        source.take_integer::<u32>("since")?;
        wire.finish()?;
        source.finish()?;
        check_role(&field)?;
        fields.push(field);
    }
    distinct("field", accepted_names.iter())?;
    distinct("field", fields.iter().map(|field| &field.name))?;
    link_counts(&mut fields, &accepted_names, counts)?;
    Ok(Descriptor { layout, size, align, fields })
}

fn field_type(name: &str, words: &FieldWords, nested: &mut Vec<Nested>) -> Result<Type, TextError> {
    let refuse = |reason: String| TextError::Wrong(format!("the field `{name}` {reason}"));
    let code = words.code();
    if words.dims.len() > 4 || words.dims.contains(&0) {
        return Err(refuse(format!("has the dimensions {:?}", words.dims)));
    }
    let endian = match words.ty >> 8 & 3 {
        1 => Endian::Little,
        2 => Endian::Big,
        3 => Endian::Native,
        _ => return Err(refuse("has no byte order".to_owned())),
    };
    let open = words.ty & FieldWords::OPEN != 0;
    if open && code != 20 {
        return Err(refuse(format!("is open, with the type code {code}")));
    }
    let element = match code {
        1..=11 => Element::Scalar(Scalar::ALL[code as usize - 1]),
        20..=22 => {
            let contract = ContractId(nested.len());
            match code {
                20 => Element::Enumeration { contract, open },
                21 => Element::Flags { contract },
                _ => Element::Descriptor(contract),
            }
        }
        _ => return Err(TextError::Unknown(format!("the type code {code} for the field `{name}`"))),
    };
    match (words.ids, element) {
        (None, Element::Scalar(_)) => {}
        (
            Some((wire_id, source_id)),
            Element::Enumeration { .. } | Element::Flags { .. } | Element::Descriptor(_),
        ) => {
            nested.push(Nested { field: name.to_owned(), wire_id, source_id });
        }
        _ => {
            return Err(refuse(format!("has ids where its type code {code} has none, or none where it has")));
        }
    }
    // One byte has no order: whatever the declaration says there has one spelling.
    let one_byte = matches!(element, Element::Scalar(scalar) if scalar.size() == 1);
    if (one_byte || matches!(element, Element::Descriptor(_))) && endian != Endian::Little {
        return Err(refuse("has a byte order that says nothing".to_owned()));
    }
    if words.ty >> 16 != 0 {
        return Err(TextError::Unknown(format!("the type word {:#x} for the field `{name}`", words.ty)));
    }
    Ok(Type { element, dims: words.dims.clone(), endian })
}

/// The role a field states, with the names of what it counts.
fn role(wire: &mut Object) -> Result<(Role, Option<Vec<String>>), TextError> {
    let magic = wire.take_text("magic")?.map(|hex| bytes_of(&hex)).transpose()?;
    let version = wire.take_integer::<u64>("version")?;
    let reserved = match wire.take_text("reserved")?.as_deref() {
        None => None,
        Some("ignored") => Some(false),
        Some("zero") => Some(true),
        Some(other) => return Err(TextError::Unknown(format!("`{other}` for a reserved field"))),
    };
    let targets = wire.take_texts("length_of")?;
    let text = wire.take_bool("text")?.unwrap_or(false);
    match (magic, version, reserved, targets, text) {
        (None, None, None, None, false) => Ok((Role::Value, None)),
        (Some(magic), None, None, None, false) => Ok((Role::Magic(magic), None)),
        (None, Some(version), None, None, false) => Ok((Role::Version(version), None)),
        (None, None, Some(zero), None, false) => Ok((Role::Reserved { zero }, None)),
        (None, None, None, Some(targets), false) => Ok((Role::LengthOf(Vec::new()), Some(targets))),
        (None, None, None, None, true) => Ok((Role::Text, None)),
        _ => Err(TextError::Wrong("a field has two roles".to_owned())),
    }
}

fn check_role(field: &Field) -> Result<(), TextError> {
    let dims = field.ty.dims.as_slice();
    let scalar = match field.ty.element {
        Element::Scalar(scalar) => Some(scalar),
        _ => None,
    };
    let unsigned =
        matches!(scalar, Some(Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64)) && dims.is_empty();
    let bytes = scalar == Some(Scalar::U8) && dims.len() == 1;
    let legal = match &field.role {
        Role::Value | Role::Reserved { .. } => true,
        Role::Magic(magic) => bytes && magic.len() == dims[0] as usize,
        Role::Version(version) => {
            unsigned
                && *version > 0
                && scalar.is_some_and(|scalar| *version <= u64::MAX >> (64 - 8 * scalar.size()))
        }
        Role::LengthOf(_) => unsigned,
        Role::Text => bytes,
    };
    if legal {
        return Ok(());
    }
    Err(TextError::Wrong(format!("the type of the field `{}` does not go with its role", field.name)))
}

/// Puts the indices of counted fields, which the record names as first accepted, where they belong.
fn link_counts(
    fields: &mut [Field],
    accepted_names: &[String],
    counts: Vec<(usize, Vec<String>)>,
) -> Result<(), TextError> {
    if counts.is_empty() {
        return Ok(());
    }
    let by_name: HashMap<&str, usize> =
        accepted_names.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
    let mut counted = HashSet::new();
    for (count, names) in counts {
        let refuse =
            |reason: String| TextError::Wrong(format!("the field `{}` {reason}", accepted_names[count]));
        if names.is_empty() {
            return Err(refuse("counts nothing".to_owned()));
        }
        let mut targets = Vec::with_capacity(names.len());
        for name in names {
            let target = *by_name
                .get(name.as_str())
                .ok_or_else(|| refuse(format!("counts `{name}`, which is no field")))?;
            if fields[target].ty.dims.is_empty() || fields[target].role != Role::Value {
                return Err(refuse(format!("counts `{name}`, which is no array of values")));
            }
            if !counted.insert(target) {
                return Err(refuse(format!("counts `{name}`, which is counted already")));
            }
            targets.push(target);
        }
        fields[count].role = Role::LengthOf(targets);
    }
    Ok(())
}

/// The name in the declaration, and the one it was first accepted under where that is another.
fn renamed(current: Option<String>, accepted: String) -> Result<(String, Option<String>), TextError> {
    match current {
        Some(current) if current != accepted => Ok((identifier(current)?, Some(accepted))),
        _ => Ok((accepted, None)),
    }
}

pub(super) fn distinct<'name>(
    what: &str,
    names: impl Iterator<Item = &'name String>,
) -> Result<(), TextError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(TextError::Wrong(format!("it has two {what}s `{name}`")));
        }
    }
    Ok(())
}

/// Names become names in four languages and parts of file names, so they are checked and not just believed.
pub(super) fn identifier(name: String) -> Result<String, TextError> {
    if is_identifier(&name) { Ok(name) } else { Err(TextError::Wrong(format!("{name:?} is no name"))) }
}

fn is_identifier(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| !c.is_numeric())
}

fn module(path: &str) -> Result<String, TextError> {
    let words = path.split("::").map(|word| {
        let word = word.strip_prefix("r#").unwrap_or(word);
        if is_identifier(word) {
            Ok(word)
        } else {
            Err(TextError::Wrong(format!("{path:?} is no module path")))
        }
    });
    Ok(words.collect::<Result<Vec<_>, _>>()?.join("::"))
}

fn package(name: String) -> Result<String, TextError> {
    let legal = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    if legal { Ok(name) } else { Err(TextError::Wrong(format!("{name:?} is no name of a package"))) }
}

fn bytes_of(hex: &str) -> Result<Vec<u8>, TextError> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let bytes = hex.as_bytes().chunks(2).map(|pair| match *pair {
        [high, low] => u8::try_from(digit(high)? << 4 | digit(low)?).ok(),
        _ => None,
    });
    bytes.collect::<Option<Vec<u8>>>().ok_or_else(|| TextError::Wrong(format!("{hex:?} is no hex")))
}

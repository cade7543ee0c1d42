//! The fields of a descriptor: numbers and text of each put together, and checked against each other.

use std::collections::{HashMap, HashSet};

use super::Nested;
use super::decode::objects;
use super::json::{Json, Object, TextError, required};
use super::rules;
use super::spelling::{bytes_of, distinct, identifier, renamed};
use super::words::FieldWords;
use crate::model::{
    Condition, ConditionKind, ContractId, Descriptor, Element, Endian, Field, Growth, Layout, Role, Scalar,
    Type,
};

/// What is said of a descriptor as a whole.
pub(super) struct Whole {
    pub(super) size: u32,
    pub(super) align: u32,
    /// Of one that grows, by version.
    pub(super) sizes: Option<Vec<u32>>,
    /// The bytes of its defaults, four to a word.
    pub(super) defaults: Vec<u32>,
}

/// The sizes of a descriptor that grows, by version.
pub(super) fn sizes(wire: &mut Object, kind: &str) -> Result<Option<Vec<u32>>, TextError> {
    if kind != "descriptor" {
        return Ok(None);
    }
    let Some(sizes) = wire.take_array("sizes")? else { return Ok(None) };
    let sizes: Option<Vec<u32>> = sizes
        .into_iter()
        .map(|size| match size {
            Json::Integer(size) => u32::try_from(size).ok(),
            _ => None,
        })
        .collect();
    match sizes {
        Some(sizes) if !sizes.is_empty() && sizes.is_sorted() => Ok(Some(sizes)),
        _ => Err(TextError::Wrong("its sizes by version are none that grow".to_owned())),
    }
}

/// How it has grown; `has_version` says whether a field says the version.
fn growth(
    size: u32,
    sizes: Option<Vec<u32>>,
    words: &[u32],
    has_version: bool,
) -> Result<Option<Growth>, TextError> {
    let Some(sizes) = sizes else { return Ok(None) };
    if sizes.last() != Some(&size) {
        return Err(TextError::Wrong(format!("it has {size} bytes, and its newest version has not")));
    }
    if !has_version && sizes.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(TextError::Wrong("nothing says which of two versions of one size it is".to_owned()));
    }
    let mut defaults: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let length = (size - sizes[0]) as usize;
    if defaults.len() < length || defaults[length..].iter().any(|&byte| byte != 0) {
        return Err(TextError::Wrong("its defaults have another length than what has grown".to_owned()));
    }
    defaults.truncate(length);
    Ok(Some(Growth { sizes, defaults }))
}

/// The descriptor that these words and texts are of; what it nests is added to `nested`.
pub(super) fn descriptor(
    wire: &mut Object,
    (members, declared_rules): (Vec<Object>, Option<Vec<String>>),
    whole: Whole,
    words: Vec<FieldWords>,
    nested: &mut Vec<Nested>,
) -> Result<Descriptor, TextError> {
    let layout = match required(wire.take_text("layout")?, "layout")?.as_str() {
        "natural" => Layout::Natural,
        "packed" => Layout::Packed,
        other => return Err(TextError::Unknown(format!("the layout `{other}`"))),
    };
    let declared = objects(required(wire.take_array("fields")?, "fields")?)?;
    if declared.len() != words.len() || declared.len() != members.len() {
        return Err(TextError::Wrong(format!(
            "it has {} fields, words for {} and declarations of {}",
            declared.len(),
            words.len(),
            members.len()
        )));
    }

    let mut accepted_names = Vec::with_capacity(declared.len());
    let mut fields = Vec::with_capacity(declared.len());
    let mut counts = Vec::new();
    let mut conditions = Vec::new();
    for ((mut wire, mut source), words) in declared.into_iter().zip(members).zip(words) {
        let accepted = identifier(required(wire.take_text("name")?, "name")?)?;
        accepted_names.push(accepted.clone());
        let (name, was) = renamed(source.take_text("name")?, accepted)?;
        let ty = field_type(&name, &words, nested)?;
        let (role, targets) = role(&mut wire)?;
        let since = match &whole.sizes {
            Some(_) => wire.take_integer("since")?,
            None => source.take_integer("since")?,
        };
        if let Some(targets) = targets {
            counts.push((fields.len(), targets));
        }
        let field = Field {
            name,
            was,
            docs: source.take_text("docs")?.unwrap_or_default(),
            c_name: source.take_text("c_name")?,
            since,
            deprecated: source.take_text("deprecated")?,
            offset: words.offset,
            ty,
            role,
        };
        if let Some(stated) = rules::condition(&mut wire, &mut source, "one_of")? {
            conditions.push((fields.len(), stated));
        }
        wire.finish()?;
        source.finish()?;
        check_role(&field)?;
        let is_constant = matches!(field.role, Role::Magic(_) | Role::Version(_) | Role::Reserved { .. });
        if is_constant && conditions.last().is_some_and(|(field, _)| *field == fields.len()) {
            return Err(TextError::Wrong(format!("the field `{}` has a condition and no value", field.name)));
        }
        fields.push(field);
    }
    distinct("field", accepted_names.iter())?;
    distinct("field", fields.iter().map(|field| &field.name))?;
    link_counts(&mut fields, &accepted_names, counts)?;
    let names: Vec<(&str, &str)> = fields
        .iter()
        .zip(&accepted_names)
        .map(|(field, first)| (field.name.as_str(), first.as_str()))
        .collect();
    let conditions = conditions
        .into_iter()
        .map(|(field, stated)| {
            Ok(Condition { field, kind: ConditionKind::UsedIf, rule: stated.checked(&names)? })
        })
        .collect::<Result<Vec<_>, TextError>>()?;
    let rules = rules::checked(rules::of_contract(wire, declared_rules)?, &names)?;
    let Whole { size, align, sizes, defaults } = whole;
    let has_version = fields.iter().any(|field| matches!(field.role, Role::Version(_)));
    let growth = growth(size, sizes, &defaults, has_version)?;
    Ok(Descriptor { layout, size, align, fields, conditions, rules, growth })
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
            nested.push(Nested { field: name.to_owned(), wire_id, source_id, kind: None });
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

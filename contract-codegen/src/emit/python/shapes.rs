//! JSON types: what they are in Python, the tables that stand for them, and defaults.

use std::collections::{BTreeMap, BTreeSet};

use super::scope::{Form, Names, Scope};
use super::text::{bytes, hex, statement, string};
use crate::emit::EmitInput;
use crate::model::{Body, ContractId, Enumeration, Flags, JsonType, Length, Literal, Scalar, Spelled};
use crate::names::python as names;

/// The annotation of a value: as it is kept, or as a caller may give it.
pub(super) fn annotation(
    scope: &Scope<'_>,
    ty: &JsonType,
    attributes: &BTreeSet<String>,
    given: bool,
) -> String {
    let builtin = |name| scope.builtin(name, attributes);
    match ty {
        JsonType::Integer { .. } => builtin("int"),
        JsonType::Bool => builtin("bool"),
        JsonType::Float { .. } => builtin("float"),
        JsonType::Text { .. } => builtin("str"),
        JsonType::Bytes { .. } if given => {
            format!("{} | {} | {}", builtin("bytes"), builtin("bytearray"), builtin("memoryview"))
        }
        JsonType::Bytes { .. } => builtin("bytes"),
        JsonType::Array { item, .. } => {
            let item = annotation(scope, item, attributes, given);
            if given {
                format!("_abc.Sequence[{item}]")
            } else {
                format!("{}[{item}, ...]", builtin("tuple"))
            }
        }
        JsonType::Map { .. } => format!("_abc.Mapping[{str}, {str}]", str = builtin("str")),
        JsonType::Json { .. } => scope.public("Json"),
        JsonType::Enumeration { contract, open, .. } => {
            let class = scope.class(*contract);
            let named = scope.catalog.get(*contract).enumeration().spelled == Spelled::Names;
            match (open, given) {
                (true, _) if named => format!("{class} | {}", builtin("str")),
                (false, false) => class,
                _ => format!("{class} | {}", builtin("int")),
            }
        }
        JsonType::Flags { contract } if given => format!("{} | {}", scope.class(*contract), builtin("int")),
        JsonType::Flags { contract }
        | JsonType::Descriptor { contract, .. }
        | JsonType::Recipe(contract)
        | JsonType::Union(contract) => scope.class(*contract),
    }
}

/// What a document has for it, in a word or two.
pub(super) fn words(scope: &Scope<'_>, ty: &JsonType) -> String {
    let name = |contract: &ContractId| scope.catalog.get(*contract).name.clone();
    match ty {
        JsonType::Integer { scalar, min, max, decimal } => {
            let range = match scalar.range() {
                Some((least, most)) if (*min, *max) != (least, most) => format!(" from {min} to {max}"),
                _ => String::new(),
            };
            format!("{scalar}{range}{}", if *decimal { " as a string" } else { "" })
        }
        JsonType::Bool => "bool".to_owned(),
        JsonType::Float { scalar, .. } => scalar.name().to_owned(),
        JsonType::Text { max_len: Some(most) } => format!("text, at most {most} bytes"),
        JsonType::Text { max_len: None } => "text".to_owned(),
        JsonType::Bytes { length: Length::Exactly(size), spelling } => {
            format!("{size} bytes as {}", spelling.name())
        }
        JsonType::Bytes { spelling, .. } => format!("bytes as {}", spelling.name()),
        JsonType::Array { item, length } => {
            let item = words(scope, item);
            match length {
                Length::Exactly(size) => format!("[{item}; {size}]"),
                Length::AtMost(Some(most)) => format!("[{item}], at most {most}"),
                Length::AtMost(None) => format!("[{item}]"),
            }
        }
        JsonType::Map { .. } => "texts by key".to_owned(),
        JsonType::Json { .. } => "any JSON".to_owned(),
        JsonType::Enumeration { contract, open, max_len } => {
            let most = max_len.map(|most| format!(", other names of at most {most} bytes"));
            format!("{}{}{}", if *open { "open " } else { "" }, name(contract), most.unwrap_or_default())
        }
        JsonType::Flags { contract } => format!("flags {}", name(contract)),
        JsonType::Descriptor { contract, spelling } => format!("{} as {}", name(contract), spelling.name()),
        JsonType::Recipe(contract) | JsonType::Union(contract) => name(contract),
    }
}

/// The table that stands for a type, as an expression.
pub(super) fn shape(scope: &Scope<'_>, ty: &JsonType) -> String {
    let call = |how: &str, items: &[String]| format!("{}({})", scope.wire(how), items.join(", "));
    match ty {
        JsonType::Integer { min, max, decimal, .. } => {
            let mut items = vec![min.to_string(), max.to_string()];
            if *decimal {
                items.push("is_string=True".to_owned());
            }
            call("IntegerShape", &items)
        }
        JsonType::Bool => call("TruthShape", &[]),
        JsonType::Float { scalar, min, max } => {
            let bound = |it: &Option<f64>| it.map_or("None".to_owned(), float);
            let mut items = vec![bound(min), bound(max)];
            if *scalar == Scalar::F32 {
                items.push("is_single=True".to_owned());
            }
            call("FloatShape", &items)
        }
        JsonType::Text { max_len } => call("TextShape", &option(None, *max_len)),
        JsonType::Bytes { length, spelling } => {
            let mut items = vec![string(spelling.name())];
            items.extend(lengths(*length, "max_len"));
            call("BytesShape", &items)
        }
        JsonType::Array { item, length } => {
            let mut items = vec![shape(scope, item)];
            items.extend(lengths(*length, "max_items"));
            call("ArrayShape", &items)
        }
        JsonType::Map { max_items, max_len } => {
            let mut items = option(Some("max_items"), *max_items);
            items.extend(option(Some("max_len"), *max_len));
            call("MapShape", &items)
        }
        JsonType::Json { max_len } => call("JsonShape", &option(None, *max_len)),
        JsonType::Enumeration { .. } | JsonType::Flags { .. } => {
            local(scope, ty).expect("it is a table of the file")
        }
        JsonType::Descriptor { contract, spelling } => {
            let imports = if has_import(scope, *contract) { "True" } else { "False" };
            let items = [scope.class(*contract), string(spelling.name()), format!("imports={imports}")];
            call("DescriptorShape", &items)
        }
        JsonType::Recipe(contract) => scope.private("recipe", *contract),
        JsonType::Union(contract) => scope.private("union", *contract),
    }
}

fn lengths(length: Length, most: &str) -> Vec<String> {
    match length {
        Length::Exactly(size) => vec![size.to_string()],
        Length::AtMost(limit) => option(Some(most), limit),
    }
}

fn option(name: Option<&str>, value: Option<u32>) -> Vec<String> {
    let named = |value: u32| name.map_or(value.to_string(), |name| format!("{name}={value}"));
    value.map(named).into_iter().collect()
}

/// Whether a descriptor, or one nested in it, has conditions at import.
pub(super) fn has_import(scope: &Scope<'_>, id: ContractId) -> bool {
    super::rules::ruled(scope, id, crate::model::Moment::Import)
}

/// The name of the table of an enumeration or of flags in the very file that uses them: the file that declares them
/// may be another package's, made before anyone put them into JSON.
pub(super) fn local(scope: &Scope<'_>, ty: &JsonType) -> Option<String> {
    let (role, contract) = match ty {
        JsonType::Enumeration { contract, open, max_len } => {
            let named = scope.catalog.get(*contract).enumeration().spelled == Spelled::Names;
            let role = match (named, open, max_len) {
                (true, false, _) => "named".to_owned(),
                (true, true, None) => "open_named".to_owned(),
                // A class is no number, so that each bound has a name of its own.
                (true, true, Some(most)) => format!("open_named_{most}"),
                (false, false, _) => "numbered".to_owned(),
                (false, true, _) => "open_numbered".to_owned(),
            };
            (role, *contract)
        }
        JsonType::Flags { contract } => ("flagged".to_owned(), *contract),
        _ => return None,
    };
    Some(format!("_{role}_{}", scope.class(contract).replace('.', "_")))
}

/// The definitions of the tables that some types need, by name.
pub(super) fn local_definitions<'t>(
    scope: &Scope<'_>,
    types: impl Iterator<Item = &'t JsonType>,
) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for mut ty in types {
        while let JsonType::Array { item, .. } = ty {
            ty = item;
        }
        let (Some(name), Some(id)) = (local(scope, ty), ty.contract()) else { continue };
        let value = match &scope.catalog.get(id).body {
            Body::Enumeration(it) => {
                let (open, max_len) = match ty {
                    JsonType::Enumeration { open, max_len, .. } => (*open, *max_len),
                    _ => (false, None),
                };
                enumeration(scope, id, it, open, max_len)
            }
            Body::Flags(it) => flags(scope, id, it),
            _ => continue,
        };
        let definition = statement(0, &format!("{name}: _typing.Final = {value}"));
        found.insert(name, definition);
    }
    found
}

fn enumeration(
    scope: &Scope<'_>,
    id: ContractId,
    it: &Enumeration,
    open: bool,
    max_len: Option<u32>,
) -> String {
    let class = scope.class(id);
    let contract = string(&scope.catalog.get(id).name);
    if it.spelled == Spelled::Integer {
        let mut items = vec![contract, class, scope.private("values", id)];
        if open {
            items.push(integer(scope, it.repr));
        }
        return format!("{}({})", scope.wire("NumberedShape"), items.join(", "));
    }
    let mut read: Vec<(String, String)> = Vec::new();
    for value in &it.values {
        let member = format!("{class}.{}", names::member(&value.name));
        for name in std::iter::once(&value.wire_name).chain(&value.aliases) {
            for name in [name.clone(), if it.fold { name.to_ascii_lowercase() } else { name.clone() }] {
                if !read.iter().any(|(other, _)| *other == name) {
                    read.push((name, member.clone()));
                }
            }
        }
    }
    let read: Vec<String> = read.iter().map(|(name, member)| format!("{}: {member}", string(name))).collect();
    let written: Vec<String> =
        it.values.iter().map(|value| format!("{}: {}", value.value, string(&value.wire_name))).collect();
    let mut items =
        vec![contract, class, format!("{{{}}}", read.join(", ")), format!("{{{}}}", written.join(", "))];
    if open {
        items.push("is_open=True".to_owned());
    }
    if it.fold {
        items.push("folds=True".to_owned());
    }
    items.extend(option(Some("max_len"), max_len));
    format!("{}({})", scope.wire("NamedShape"), items.join(", "))
}

fn flags(scope: &Scope<'_>, id: ContractId, it: &Flags) -> String {
    let class = scope.class(id);
    let known = if it.open { "None".to_owned() } else { hex(it.known_bits()) };
    if it.spelled == Spelled::Integer {
        let items = [class, integer(scope, it.repr), known];
        return format!("{}({})", scope.wire("FlagsShape"), items.join(", "));
    }
    let mut values: Vec<_> = it.values.iter().collect();
    values.sort_by_key(|value| value.value);
    let read: Vec<String> = values
        .iter()
        .flat_map(|value| {
            std::iter::once(&value.wire_name).chain(&value.aliases).map(|name| (name, value.value))
        })
        .map(|(name, bits)| format!("{}: {bits}", string(name)))
        .collect();
    let written: Vec<String> =
        values.iter().map(|value| format!("{}: {}", value.value, string(&value.wire_name))).collect();
    let items = [
        string(&scope.catalog.get(id).name),
        class,
        integer(scope, it.repr),
        known,
        format!("{{{}}}", read.join(", ")),
        format!("{{{}}}", written.join(", ")),
    ];
    format!("{}({})", scope.wire("FlagNamesShape"), items.join(", "))
}

fn integer(scope: &Scope<'_>, repr: Scalar) -> String {
    let (least, most) = repr.range().unwrap_or_default();
    format!("{}({least}, {most})", scope.wire("IntegerShape"))
}

/// A declared default, as an expression.
pub(super) fn literal(scope: &Scope<'_>, ty: &JsonType, value: &Literal) -> String {
    match (value, ty) {
        (Literal::Integer(number), JsonType::Flags { contract }) => {
            format!("{}({}, {number})", scope.wire("flag_set"), scope.class(*contract))
        }
        (Literal::Integer(number), JsonType::Float { .. }) => format!("{number}.0"),
        (Literal::Integer(number), _) => number.to_string(),
        (Literal::Float(number), JsonType::Float { scalar: Scalar::F32, .. }) =>
        {
            #[allow(clippy::cast_possible_truncation, reason = "an f32's default is one")]
            float(f64::from(*number as f32))
        }
        (Literal::Float(number), _) => float(*number),
        (Literal::Bool(true), _) => "True".to_owned(),
        (Literal::Bool(false), _) => "False".to_owned(),
        (Literal::Text(text), _) => string(text),
        (Literal::Value(at), JsonType::Enumeration { contract, .. }) => {
            let value = &scope.catalog.get(*contract).enumeration().values[*at];
            format!("{}.{}", scope.class(*contract), names::member(&value.name))
        }
        (Literal::Value(at), _) => at.to_string(),
        (Literal::Flags(bits), ty) => match ty.contract() {
            Some(contract) => format!("{}({}, {bits})", scope.wire("flag_set"), scope.class(contract)),
            None => bits.to_string(),
        },
        (Literal::List(_), JsonType::Bytes { .. }) => {
            let value = value.bytes().unwrap_or_else(|| unreachable!("bytes are numbers up to 255"));
            bytes(&value)
        }
        (Literal::List(values), ty) => {
            let item = if let JsonType::Array { item, .. } = ty { item } else { ty };
            let items: Vec<String> = values.iter().map(|value| literal(scope, item, value)).collect();
            if let [one] = &items[..] { format!("({one},)") } else { format!("({})", items.join(", ")) }
        }
    }
}

/// A declared default, as an argument's default: linters want no call there.
pub(super) fn argument(scope: &Scope<'_>, ty: &JsonType, value: &Literal) -> String {
    let (JsonType::Flags { contract }, Literal::Flags(bits)) = (ty, value) else {
        return literal(scope, ty, value);
    };
    let class = scope.class(*contract);
    let flags = &scope.catalog.get(*contract).flags().values;
    let mut rest = *bits;
    let mut words = Vec::new();
    for flag in flags {
        let mask = u64::try_from(flag.value).unwrap_or_default();
        if rest & mask == mask {
            rest &= !mask;
            words.push(format!("{class}.{}", names::member(&flag.name)));
        }
    }
    match (&words[..], flags.first()) {
        ([], Some(first)) if rest == 0 => format!("{class}.{} & 0", names::member(&first.name)),
        ([], Some(first)) => format!("{class}.{} & 0 | {rest}", names::member(&first.name)),
        ([], None) => literal(scope, ty, value),
        _ if rest != 0 => format!("{} | {rest}", words.join(" | ")),
        _ => words.join(" | "),
    }
}

/// The same as a signature of text has it: a literal, or dots for what only a class can say.
pub(in crate::emit) fn shown(input: &EmitInput<'_>, ty: &JsonType, value: &Literal) -> String {
    if ty.contract().is_some() {
        return "...".to_owned();
    }
    let known = Names::new(input);
    // No literal names a class.
    let scope = Scope::new(input, &known, Form::Package, BTreeMap::new());
    readable(&argument(&scope, ty, value)).to_owned()
}

/// A default as it can be read back of a signature: who reads one drops the comma that makes a tuple of one.
pub(in crate::emit) fn readable(default: &str) -> &str {
    if default.contains(",)") { "..." } else { default }
}

fn float(value: f64) -> String {
    format!("{value:?}")
}

/// Whether numbers of a document are looked at as floats, and whether any are kept as they are spelled.
pub(super) fn numbers(scope: &Scope<'_>, id: ContractId) -> &'static str {
    let mut seen = BTreeSet::new();
    let mut open = vec![id];
    let (mut floats, mut spelled) = (false, false);
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        for mut ty in types(&scope.catalog.get(id).body) {
            while let JsonType::Array { item, .. } = ty {
                ty = item;
            }
            floats |= matches!(ty, JsonType::Float { .. });
            spelled |= matches!(ty, JsonType::Json { .. });
            open.extend(ty.contract());
        }
    }
    match (floats, spelled) {
        (_, true) => "decode_spelled",
        (true, false) => "decode_floats",
        (false, false) => "decode_plain",
    }
}

/// What the keys of a recipe and the variants of a union hold.
pub(super) fn types(body: &Body) -> Vec<&JsonType> {
    match body {
        Body::Recipe(recipe) => recipe.keys.iter().map(|key| &key.ty).collect(),
        Body::Union(union) => union
            .variants
            .iter()
            .filter_map(|variant| match &variant.content {
                crate::model::Content::Value { ty, .. } => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

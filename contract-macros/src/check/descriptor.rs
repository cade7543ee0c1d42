//! The rules of descriptors.

use syn::ext::IdentExt;

use super::{Descriptor, Field, Role, c_name, growth, old_names, renamed};
use crate::case;
use crate::parse::{self, Declaration, Endian, Reserved};
use crate::report::Report;
use crate::rule::{self, Presence, Scope, Seen, Subject};
use crate::ty::Known;

/// The descriptor of a declaration, if it is legal as far as can be seen without types.
pub(super) fn check<'a>(declaration: &'a Declaration<'a>, report: &mut Report) -> Option<Descriptor<'a>> {
    let before = report.len();
    let packed = matches!(declaration.container.packed, Some((true, _)));
    if declaration.fields.is_empty() {
        report.at(
            declaration.ident,
            "a contract without fields has no bytes: C and C++ do not agree on the size of an empty struct",
        );
        return None;
    }
    repr(declaration, packed, report);
    one_size(declaration, report);
    let mut fields: Vec<Field<'_>> =
        declaration.fields.iter().map(|field| plain(declaration, field, report)).collect();
    for (index, field) in declaration.fields.iter().enumerate() {
        fields[index].role = role(declaration, index, field, report);
    }
    counted(declaration, &mut fields, report);
    growth::check(declaration, &mut fields, report);
    let rules = rules(declaration, &mut fields, report);
    old_names(fields.iter().map(|field| (field.ident, &field.name, field.was.as_ref())), report);
    generated_names(&fields, report);
    if report.len() == before && !packed {
        padding(declaration, &fields, report);
    }
    let sizes = declaration.container.versions.as_ref().map(|(sizes, _)| sizes.clone()).unwrap_or_default();
    let size = declaration.container.size;
    (report.len() == before).then_some(Descriptor { packed, size, sizes, fields, rules })
}

/// What rules may say of the fields.
pub(crate) fn scope<'a>(name: String, fields: &[Field<'a>]) -> Scope<'a> {
    let subjects = fields.iter().map(|field| {
        let seen = match (&field.role, &field.known) {
            (Role::Magic(_), _) => Seen::Nothing("magic"),
            (Role::Reserved { .. }, _) => Seen::Nothing("reserved"),
            (Role::Text, _) => Seen::Long("text"),
            // What is read is 1 to N, what is written is N: a rule on it would not say the same of both.
            (Role::Version(_), _) => Seen::Nothing("the version, which is written as declared"),
            (Role::LengthOf(_), _) => Seen::Number,
            (Role::Value, Known::Scalar(scalar)) if scalar.is_integer() => Seen::Number,
            (Role::Value, Known::Scalar(scalar)) if scalar.is_float() => Seen::Float,
            (Role::Value, Known::Scalar(_)) => Seen::Condition,
            (Role::Value, Known::Array(..)) => Seen::Long("an array"),
            (Role::Value, _) if field.counted_by.is_some() => Seen::Long("an array"),
            (Role::Value, _) => Seen::Other,
        };
        let accepted = field.was.as_ref().unwrap_or(&field.name).clone();
        Subject { ident: field.ident, accepted, seen, presence: Presence::Always }
    });
    Scope::new(name, subjects.collect())
}

/// The conditions on single fields and the rules; what each says can be computed.
fn rules(declaration: &Declaration<'_>, fields: &mut [Field<'_>], report: &mut Report) -> Vec<rule::Checked> {
    let scope = scope(declaration.ident.unraw().to_string(), fields);
    for (field, said) in fields.iter_mut().zip(&declaration.fields) {
        let Some(condition) = &said.one_of else { continue };
        if !matches!(field.role, Role::Value | Role::LengthOf(_) | Role::Text) {
            report.at(
                &condition.key,
                format_args!(
                    "`{}` is no value: `one_of` says when a value may be other than zero",
                    field.name
                ),
            );
            continue;
        }
        field.one_of = rule::condition(&condition.rule, said.ident, &scope, report);
    }
    rule::all(&declaration.container.rules, &scope, report)
}

/// A natural layout is that of `repr(C)`; neither goes with an alignment of its own.
fn repr(declaration: &Declaration<'_>, packed: bool, report: &mut Report) {
    let has = |word: &str| declaration.repr.iter().find(|repr| *repr == word);
    if let Some(word) = has("packed") {
        report.at(
            word,
            "`repr(packed)` cannot be borrowed from: write `#[wire(descriptor, layout = packed)]` and no `repr`",
        );
    } else if let Some(word) = has("align") {
        report.at(
            word,
            "`repr(align)` adds padding that other languages do not have: remove it, and add reserved fields",
        );
    } else if let Some(word) = has("transparent") {
        report.at(word, "write `#[repr(C)]`: a contract has the layout of a C struct");
    } else if !packed && has("C").is_none() {
        report.at(
            declaration.ident,
            "a descriptor needs `#[repr(C)]`, so that its fields stay in the declared order (or `layout = packed`)",
        );
    }
}

/// A descriptor has one size on every machine.
fn one_size(declaration: &Declaration<'_>, report: &mut Report) {
    if let Some((_, key)) = &declaration.container.sizes {
        report.at(key, parse::ONE_SIZE);
    }
}

/// A field without its role; its type has a place on the wire.
fn plain<'a>(declaration: &Declaration<'_>, field: &'a parse::Field<'a>, report: &mut Report) -> Field<'a> {
    let known = Known::of(field.ty);
    if let Some(why) = known.refusal() {
        report.at(field.ty, why);
    }
    let name = field.ident.unraw().to_string();
    renamed(field.was.as_ref(), &name, report);
    Field {
        ident: field.ident,
        vis: field.vis,
        ty: field.ty,
        known,
        endian: field.endian.or(declaration.container.endian).map_or(Endian::Little, |(endian, _)| endian),
        own_endian: field.endian.map(|(_, span)| span),
        offset: field.offset,
        role: Role::Value,
        counted_by: None,
        one_of: None,
        default: None,
        name,
        docs: field.docs.clone(),
        was: field.was.as_ref().map(|was| was.name.clone()),
        since: field.since.map(|(since, _)| since),
        deprecated: field.deprecated.clone(),
        c_name: field.c_name.as_ref().and_then(|name| c_name(name, report)),
    }
}

/// A field is for one thing, and its type can do it.
fn role(declaration: &Declaration<'_>, index: usize, field: &parse::Field<'_>, report: &mut Report) -> Role {
    let said = [
        ("magic", field.magic.is_some()),
        ("version", field.version.is_some()),
        ("reserved", field.reserved.is_some()),
        ("length_of", field.length_of.is_some()),
        ("text", field.text.is_some()),
    ];
    let roles: Vec<&str> = said.iter().filter(|(_, is)| *is).map(|(role, _)| *role).collect();
    if let [first, second, ..] = roles[..] {
        report.at(field.ident, format_args!("a field is not both `{first}` and `{second}`: remove one"));
        return Role::Value;
    }
    let known = Known::of(field.ty);
    if let Some(magic) = &field.magic {
        magic_type(magic, &known, field, report);
        return Role::Magic(magic.value());
    }
    if let Some((version, span)) = field.version {
        version_number(version, span, &known, field, report);
        return Role::Version(version);
    }
    if let Some((reserved, span)) = field.reserved {
        if matches!(innermost(&known), Known::Scalar(scalar) if !scalar.is_integer()) {
            report.span(span, "reserved bytes are an integer or an array of integers: write `[u8; N]`");
        }
        return Role::Reserved { zero: reserved == Reserved::Zero };
    }
    if field.text.is_some() {
        text_type(&known, field, report);
        return Role::Text;
    }
    if let Some(names) = &field.length_of {
        count_type(&known, field, report);
        return Role::LengthOf(targets(declaration, index, names, report));
    }
    Role::Value
}

/// A count is an unsigned integer.
fn count_type(known: &Known, field: &parse::Field<'_>, report: &mut Report) {
    let counts = match known {
        Known::Scalar(scalar) => scalar.is_unsigned(),
        Known::Other => true,
        _ => known.refusal().is_some(),
    };
    if !counts {
        report.at(field.ty, "a count is an unsigned integer: write u8, u16, u32 or u64");
    }
}

/// Text stands in an array of bytes.
fn text_type(known: &Known, field: &parse::Field<'_>, report: &mut Report) {
    let holds = match known {
        Known::Array(element, _) => match &**element {
            Known::Scalar(scalar) => scalar.name == "u8",
            Known::Other => true,
            _ => element.refusal().is_some(),
        },
        Known::Other => true,
        _ => known.refusal().is_some(),
    };
    if !holds {
        report.at(field.ty, "text on the wire is NUL-padded UTF-8 of a fixed size: write `[u8; N]`");
    }
}

/// A magic's field holds as many bytes.
fn magic_type(magic: &syn::LitByteStr, known: &Known, field: &parse::Field<'_>, report: &mut Report) {
    let length = magic.value().len();
    if length == 0 {
        report.at(magic, "a magic has at least one byte");
        return;
    }
    let fits = match known {
        Known::Array(element, written) => {
            let byte = match &**element {
                Known::Scalar(scalar) => scalar.name == "u8",
                other => *other == Known::Other,
            };
            byte && written.is_none_or(|written| written == length as u64)
        }
        Known::Other => true,
        _ => false,
    };
    if !fits && known.refusal().is_none() {
        report.at(field.ty, format_args!("this magic has {length} bytes: write `[u8; {length}]`"));
    }
}

/// A version is from 1 on, and its field can say it.
fn version_number(
    version: u64,
    span: proc_macro2::Span,
    known: &Known,
    field: &parse::Field<'_>,
    report: &mut Report,
) {
    if version == 0 {
        report.span(span, "versions on the wire begin at 1");
    }
    match known {
        Known::Scalar(scalar) if scalar.is_unsigned() => {
            if version > scalar.max() {
                report.span(span, format_args!("a {} does not hold {version}", scalar.name));
            }
        }
        Known::Other | Known::Refused(_) => {}
        _ => report.at(field.ty, "a version on the wire is an unsigned integer: write u8, u16, u32 or u64"),
    }
}

/// What a count counts is there, once, and is an array.
fn targets(
    declaration: &Declaration<'_>,
    index: usize,
    names: &[syn::Ident],
    report: &mut Report,
) -> Vec<usize> {
    let mut targets = Vec::new();
    for name in names {
        let found = declaration.fields.iter().position(|other| other.ident.unraw() == name.unraw());
        match found {
            None => report.at(name, format_args!("`{}` has no field `{name}` to count", declaration.ident)),
            Some(target) if target == index => report.at(name, "a field does not count itself"),
            Some(target) if targets.contains(&target) => {
                report.at(name, format_args!("`{name}` stands twice"));
            }
            Some(target) => {
                let other = &declaration.fields[target];
                let known = Known::of(other.ty);
                if matches!(known, Known::Scalar(_)) {
                    report.at(
                        name,
                        format_args!("`{name}` is no array: `length_of` counts the elements of `[T; N]`"),
                    );
                } else if other.magic.is_some() || other.reserved.is_some() || other.text.is_some() {
                    report
                        .at(name, format_args!("`{name}` has a fixed length: it is magic, reserved or text"));
                }
                targets.push(target);
            }
        }
    }
    targets
}

/// A field is counted once.
fn counted(declaration: &Declaration<'_>, fields: &mut [Field<'_>], report: &mut Report) {
    for index in 0..fields.len() {
        let Role::LengthOf(targets) = &fields[index].role else { continue };
        for target in targets.clone() {
            if let Some(first) = fields[target].counted_by {
                let mut names = declaration.fields[index].length_of.iter().flatten().rev();
                let name = names.find(|name| name.unraw() == fields[target].ident.unraw());
                report.at(
                    name.unwrap_or(declaration.fields[index].ident),
                    format_args!(
                        "`{}` is already counted by `{}`: an array has one count",
                        fields[target].name, fields[first].name
                    ),
                );
            } else {
                fields[target].counted_by = Some(index);
            }
        }
    }
}

/// No two constants and no two methods that fields get have one name.
fn generated_names(fields: &[Field<'_>], report: &mut Report) {
    let mut taken: Vec<(String, &str)> = Vec::new();
    for field in fields {
        let (name, set) = (&field.name, format!("set_{}", field.name));
        let names = match &field.role {
            Role::Magic(_) | Role::Version(_) => vec![case::constant(name)],
            Role::Text => vec![name.clone(), set],
            Role::LengthOf(targets) if targets.len() > 1 => vec![set],
            _ => match field.counted_by.map(|count| &fields[count].role) {
                Some(Role::LengthOf(targets)) if targets.len() == 1 => vec![name.clone(), set],
                Some(_) => vec![name.clone()],
                None => Vec::new(),
            },
        };
        for name in names {
            match taken.iter().find(|(other, _)| *other == name) {
                Some((_, other)) => report.at(
                    field.ident,
                    format_args!("`{other}` and `{}` would both be given `{name}`: rename one", field.name),
                ),
                None => taken.push((name, &field.name)),
            }
        }
    }
}

/// No padding that the declaration does not show, wherever types are plain to see; const evaluation checks the
/// rest.
fn padding(declaration: &Declaration<'_>, fields: &[Field<'_>], report: &mut Report) {
    let mut offset = 0_u64;
    let mut largest = 1;
    for field in fields {
        let Some((size, align)) = field.known.layout() else { return };
        let gap = (align - offset % align) % align;
        if gap != 0 {
            let bytes = if gap == 1 { "1 byte".to_owned() } else { format!("{gap} bytes") };
            report.at(
                field.ident,
                format_args!(
                    "`{}` has {bytes} of implicit padding before field `{}`: add a field `#[wire(reserved)] _pad: \
                     [u8; {gap}]` before it, reorder the fields, or use `layout = packed`",
                    declaration.ident, field.name
                ),
            );
        }
        let Some(end) = offset.checked_add(gap).and_then(|start| start.checked_add(size)) else { return };
        offset = end;
        largest = largest.max(align);
    }
    let tail = (largest - offset % largest) % largest;
    if tail != 0 {
        let bytes = if tail == 1 { "1 byte".to_owned() } else { format!("{tail} bytes") };
        report.at(
            declaration.ident,
            format_args!(
                "`{}` has {bytes} of implicit padding after its last field, since its size is a multiple of {largest}: \
                 add a field `#[wire(reserved)] _pad: [u8; {tail}]` at the end, or use `layout = packed`",
                declaration.ident
            ),
        );
    }
}

fn innermost(known: &Known) -> &Known {
    match known {
        Known::Array(element, _) => innermost(element),
        other => other,
    }
}

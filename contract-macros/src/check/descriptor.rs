//! The rules of descriptors.

use syn::ext::IdentExt;

use super::{Descriptor, Field, Role, c_name};
use crate::parse::{self, Declaration, Endian, Reserved};
use crate::report::Report;
use crate::ty::Known;

/// The descriptor of a declaration, if it is legal as far as can be seen without types.
pub(super) fn check<'a>(declaration: &'a Declaration<'a>, report: &mut Report) -> Option<Descriptor<'a>> {
    let before = report.len();
    let packed = declaration.container.packed.unwrap_or(false);
    if declaration.fields.is_empty() {
        report.at(
            declaration.ident,
            "a contract without fields has no bytes: C and C++ do not agree on the size of an empty struct",
        );
        return None;
    }
    repr(declaration, packed, report);
    let mut fields: Vec<Field<'_>> =
        declaration.fields.iter().map(|field| plain(declaration, field, report)).collect();
    for (index, field) in declaration.fields.iter().enumerate() {
        fields[index].role = role(declaration, index, field, report);
    }
    counted(declaration, &mut fields, report);
    if report.len() == before && !packed {
        padding(declaration, &fields, report);
    }
    (report.len() == before).then_some(Descriptor { packed, size: declaration.container.size, fields })
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

/// A field without its role; its type has a place on the wire.
fn plain<'a>(declaration: &Declaration<'_>, field: &'a parse::Field<'a>, report: &mut Report) -> Field<'a> {
    let known = Known::of(field.ty);
    if let Some(why) = known.refusal() {
        report.at(field.ty, why);
    }
    Field {
        ident: field.ident,
        vis: field.vis,
        ty: field.ty,
        known,
        endian: field.endian.or(declaration.container.endian).unwrap_or(Endian::Little),
        offset: field.offset,
        role: Role::Value,
        counted_by: None,
        name: field.ident.unraw().to_string(),
        docs: field.docs.clone(),
        was: field.was.clone(),
        since: field.since.map(|(since, _)| since),
        deprecated: field.deprecated.clone(),
        c_name: field.c_name.as_ref().and_then(|name| c_name(name, report)),
    }
}

/// A field is for one thing, and its type can do it.
fn role(declaration: &Declaration<'_>, index: usize, field: &parse::Field<'_>, report: &mut Report) -> Role {
    let known = Known::of(field.ty);
    let mut roles = Vec::new();
    if let Some(magic) = &field.magic {
        roles.push("magic");
        magic_type(magic, &known, field, report);
    }
    if let Some((version, span)) = field.version {
        roles.push("version");
        version_number(version, span, &known, field, report);
    }
    if let Some((_, span)) = field.reserved {
        roles.push("reserved");
        let integer = match innermost(&known) {
            Known::Scalar(scalar) => scalar.is_integer(),
            _ => true,
        };
        if !integer {
            report.span(span, "reserved bytes are an integer or an array of integers");
        }
    }
    if !field.length_of.is_empty() {
        roles.push("length_of");
        if let Known::Scalar(scalar) = &known {
            if !scalar.is_unsigned() {
                report.at(field.ty, "a count is an unsigned integer: write u8, u16, u32 or u64");
            }
        } else if known != Known::Other && known.refusal().is_none() {
            report.at(field.ty, "a count is an unsigned integer: write u8, u16, u32 or u64");
        }
    }
    if field.text.is_some() {
        roles.push("text");
        let bytes = match &known {
            Known::Array(element, _) => matches!(&**element, Known::Scalar(scalar) if scalar.name == "u8"),
            Known::Other => true,
            _ => false,
        };
        if !bytes && known.refusal().is_none() {
            report.at(field.ty, "text on the wire is NUL-padded UTF-8 of a fixed size: write `[u8; N]`");
        }
    }
    if let [first, second, ..] = roles[..] {
        report.at(field.ident, format_args!("a field is not both `{first}` and `{second}`: remove one"));
        return Role::Value;
    }
    match () {
        () if field.magic.is_some() => {
            Role::Magic(field.magic.as_ref().map(syn::LitByteStr::value).unwrap_or_default())
        }
        () if field.version.is_some() => Role::Version(field.version.map_or(0, |(version, _)| version)),
        () if field.reserved.is_some() => {
            Role::Reserved { zero: matches!(field.reserved, Some((Reserved::Zero, _))) }
        }
        () if field.text.is_some() => Role::Text,
        () if !field.length_of.is_empty() => Role::LengthOf(targets(declaration, index, field, report)),
        () => Role::Value,
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
            matches!(&**element, Known::Scalar(scalar) if scalar.name == "u8")
                && written.is_none_or(|written| written == length as u64)
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
    field: &parse::Field<'_>,
    report: &mut Report,
) -> Vec<usize> {
    let mut targets = Vec::new();
    for name in &field.length_of {
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
                report.at(
                    declaration.fields[index].ident,
                    format_args!("`{}` is already counted by `{}`", fields[target].name, fields[first].name),
                );
            } else {
                fields[target].counted_by = Some(index);
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

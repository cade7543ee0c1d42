//! The rules of descriptors that grow: sizes by version, and the fields that came with each.

use syn::spanned::Spanned;

use super::default::{self, Of};
use super::{Bounds, Field, FieldDefault, Role};
use crate::parse::{self, Declaration, Kind};
use crate::report::Report;
use crate::ty::Held;

/// The contract's version: the newest of those that it has sizes for, or the one it says.
pub(super) fn version(declaration: &Declaration<'_>, kind: Kind, report: &mut Report) -> Option<u32> {
    let keys = &declaration.container;
    let said = keys.version.map(|(version, _)| version);
    let Some((sizes, key)) = &keys.versions else { return said };
    if kind == Kind::Abi {
        report.at(key, "the size of an abi struct depends on the machine: write `size(lp64 = N, …)`");
        return said;
    }
    let newest = u32::try_from(sizes.len()).ok()?;
    if let Some((said, span)) = keys.version.filter(|(said, _)| *said != newest) {
        report.span(
            span,
            format_args!(
                "this is version {said}, and sizes are declared up to version {newest}: a descriptor that grows has one \
                 for each of its versions"
            ),
        );
    }
    Some(newest)
}

/// What is said of versions is said in order, and of each new field what its absence stands for.
pub(super) fn check<'a>(declaration: &'a Declaration<'a>, fields: &mut [Field<'a>], report: &mut Report) {
    let Some((sizes, key)) = &declaration.container.versions else {
        of_one_size(declaration, report);
        return;
    };
    if declaration.container.size.is_some() {
        report.at(key, "the size is declared twice: remove `size = N`");
    }
    ascending(declaration, sizes, report);
    one_version(declaration, report);
    for (field, said) in fields.iter_mut().zip(&declaration.fields) {
        newest(field, sizes.len(), said, report);
        since(field, sizes.len(), said, report);
        field.default = default(field, said, report);
    }
    counted_together(fields, declaration, report);
}

/// A default says nothing where every version has the field.
fn of_one_size(declaration: &Declaration<'_>, report: &mut Report) {
    for field in &declaration.fields {
        if let Some(key) = field.said("default") {
            report.at(
                key,
                "every message of a descriptor of one size has every field: remove `default`, or declare the size by \
                 version, `size(v1 = N, v2 = N)`, and `since` on the field",
            );
        }
    }
}

/// A descriptor grows and does not shrink; where only the length says the version, no two versions have one.
fn ascending(declaration: &Declaration<'_>, sizes: &[(u64, proc_macro2::Span)], report: &mut Report) {
    let has_version = declaration.fields.iter().any(|field| field.version.is_some());
    for ((before, (low, _)), (high, span)) in (1..).zip(sizes).zip(sizes.iter().skip(1)) {
        if high < low {
            report.span(
                *span,
                format_args!(
                    "version {} has {high} bytes and version {before} has {low}: a descriptor grows at its end, and what \
                     is not used any more stays where it is",
                    before + 1
                ),
            );
        } else if high == low && !has_version {
            report.span(
                *span,
                format_args!(
                    "versions {before} and {} have {low} bytes, and only the length says of which version a message is: \
                     declare a field `#[wire(version = {})]`, or give the new version other bytes",
                    before + 1,
                    sizes.len()
                ),
            );
        }
    }
}

/// One field says the version.
fn one_version(declaration: &Declaration<'_>, report: &mut Report) {
    let mut said = declaration.fields.iter().filter(|field| field.version.is_some());
    if let (Some(first), Some(second)) = (said.next(), said.next()) {
        report.at(
            second.ident,
            format_args!(
                "`{}` says the version already, and a message that grows is of one: remove `version`",
                first.ident
            ),
        );
    }
}

/// The version on the wire is that of the sizes.
fn newest(field: &Field<'_>, newest: usize, said: &parse::Field<'_>, report: &mut Report) {
    let (Role::Version(version), Some((_, span))) = (&field.role, said.version) else { return };
    if *version != newest as u64 {
        report.span(
            span,
            format_args!(
                "version {version} on the wire, and sizes up to version {newest}: write `version = {newest}`, or a size for \
                 each version"
            ),
        );
    }
}

/// What every message begins with is there from the first version on.
fn since(field: &Field<'_>, newest: usize, said: &parse::Field<'_>, report: &mut Report) {
    let Some((since, span)) = said.since else { return };
    if since as usize > newest {
        report.span(
            span,
            format_args!("there is no version {since} of this contract: write its size, `v{since} = N`"),
        );
    }
    let what = match field.role {
        Role::Magic(_) => "the magic is",
        Role::Version(_) => "the version is",
        _ => return,
    };
    if since > 1 {
        report.span(
            span,
            format_args!("{what} what a message is known by: it is there since version 1, so remove `since`"),
        );
    }
}

/// A new value says what its absence stands for, and nothing else does.
fn default(
    field: &Field<'_>,
    said: &parse::Field<'_>,
    report: &mut Report,
) -> Option<(FieldDefault, proc_macro2::Span)> {
    let key = said.said("default");
    let is_value = matches!(field.role, Role::Value | Role::LengthOf(_) | Role::Text);
    match key {
        Some(key) if !is_value => {
            report.at(key, format_args!("`{}` is no value, and has no default: remove it", field.name));
            return None;
        }
        Some(key) if field.added() == 1 => {
            report.at(
                key,
                format_args!(
                    "every version has `{}`: remove `default`, or write `since = N` of the version that it came with",
                    field.name
                ),
            );
            return None;
        }
        None if is_value && field.added() > 1 => {
            report.at(
                field.ident,
                format_args!(
                    "messages before version {} have no `{}`: write what that stands for, `default = VALUE`, or `default` \
                     alone for zero",
                    field.added(),
                    field.name
                ),
            );
            return None;
        }
        _ => {}
    }
    if let Some(key) = &said.default_zero {
        return Some((FieldDefault::Zero, key.span()));
    }
    let expression = said.default.as_ref()?;
    let text = Held::Text;
    let held = if matches!(field.role, Role::Text) { text } else { Held::of(field.ty) };
    let of = Of { held: &held, bounds: &Bounds::default(), spelling: None };
    let literal = default::check(expression, of, report)?;
    Some((FieldDefault::Written(literal), expression.span()))
}

/// An array is there where what counts it is.
fn counted_together(fields: &[Field<'_>], declaration: &Declaration<'_>, report: &mut Report) {
    for (index, field) in fields.iter().enumerate() {
        let Some(count) = field.counted_by else { continue };
        if fields[count].added() != field.added() {
            report.at(
                declaration.fields[index].ident,
                format_args!(
                    "`{}` is there since version {} and `{}`, which counts it, since version {}: they come together",
                    field.name,
                    field.added(),
                    fields[count].name,
                    fields[count].added()
                ),
            );
        }
    }
}

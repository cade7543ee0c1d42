//! What a variant that keeps unknown tags makes of a message that another variant has: it reads as far as its own
//! declaration says, and refuses what is beyond that.

use toml::{Table, Value};
use wirecontract::Code;

use crate::changes::Differ;
use crate::changes::effect::{Side, refuses};
use crate::changes::json_type::limit;
use crate::changes::member::{name, number, text};
use crate::changes::message::{computed, range};
use crate::changes::ty::Type;
use crate::lock::{Form, Kind};

/// What becomes of a message that is refused, and why.
type Outcome = Result<(), (Side, String)>;

/// A message, and whether it is looked up among what was before.
#[derive(Clone, Copy)]
struct Seen<'form> {
    form: &'form Form,
    is_old: bool,
}

impl Differ<'_> {
    /// What readers of the open variant do with what writers of another one write, and how that is said. By body the union
    /// says what is kept.
    pub(super) fn kept(&self, open: &Table, variant: &Table, open_is_old: bool) -> (Side, String) {
        let (keeper, who) = (name(open), if open_is_old { "old" } else { "new" });
        let kept = format!("{who} readers have no such variant, and keep it as `{keeper}`");
        let (Some(open), Some(variant)) = (text(open, "type"), text(variant, "type")) else {
            return (Side::Reads, kept);
        };
        let seen = |path: &str, is_old| {
            let form = if is_old { self.forms.old(path) } else { self.forms.new_form(path) };
            Some(Seen { form: form.filter(|form| form.kind == Kind::Message)?, is_old })
        };
        let (Some(open), Some(variant)) = (seen(open, open_is_old), seen(variant, !open_is_old)) else {
            return (Side::Misreads, format!("{kept}, and the lock has no block that says what that takes"));
        };
        match self.fits(open, variant) {
            Ok(()) => (Side::Reads, kept),
            Err((side, why)) => {
                (side, format!("{who} readers have no such variant, and `{keeper}` does not take it: {why}"))
            }
        }
    }

    /// In the order in which a reader looks.
    fn fits(&self, open: Seen<'_>, variant: Seen<'_>) -> Outcome {
        let [own, its] = [open, variant].map(|seen| self.parts_size(seen).unwrap_or_default());
        let longest = tail(variant.form).map_or(its, |_| limit(&variant.form.table, "max_bytes"));
        let most = limit(&open.form.table, "max_bytes");
        if tail(open.form).is_some() && longest > most {
            return Err((
                refuses(Code::TooLarge),
                format!("it is at most {most} bytes, and this up to {longest}"),
            ));
        }
        if let Some(part) = self.first_other(open, variant) {
            let side = if longest < own { refuses(Code::TooShort) } else { Side::Refuses(None) };
            return Err((side, format!("it has `{part}`, where this has something else or nothing")));
        }
        let has_more_parts = variant.form.section("parts").count() > open.form.section("parts").count();
        match tail(open.form) {
            None if has_more_parts || tail(variant.form).is_some() => {
                let why = "nothing stands behind its parts";
                return Err((refuses(Code::TrailingBytes), why.to_owned()));
            }
            None => {}
            Some(rest) => {
                let rest = Behind { tail: rest, is_old: open.is_old };
                let other = tail(variant.form).filter(|_| !has_more_parts);
                self.tail_fits(rest, other, has_more_parts)?;
            }
        }
        groups(open.form, variant.form)?;
        rules(open.form, variant.form)
    }

    /// The first part of the open variant that the other one does not have in its place.
    fn first_other<'form>(&self, open: Seen<'form>, variant: Seen<'form>) -> Option<&'form str> {
        let mut others = variant.form.section("parts");
        let is_here = |part: &Table, other: &Table| {
            name(part) == name(other) && self.is_same_type(part, other, open.is_old)
        };
        let mut parts = open.form.section("parts");
        parts.find(|part| !others.next().is_some_and(|other| is_here(part, other))).map(name)
    }

    fn is_same_type(&self, of_open: &Table, of_other: &Table, open_is_old: bool) -> bool {
        match [of_open, of_other].map(|member| text(member, "type")) {
            [Some(open), Some(other)] if open_is_old => self.is_same(open, other),
            [Some(open), Some(other)] => self.is_same(other, open),
            _ => false,
        }
    }

    /// Whether what stands behind the parts of the open variant is a tail of its own.
    fn tail_fits(&self, own: Behind<'_>, other: Option<&Table>, has_more_parts: bool) -> Outcome {
        let item = text(own.tail, "type").unwrap_or_default();
        if let Some(stated) = computed_length(own.tail)
            && other.and_then(computed_length) != Some(stated)
        {
            let why = format!("its parts say by `{}` how long it is, and not those of this", stated.1);
            return Err((refuses(Code::TooShort), why));
        }
        let is_same = |other: &Table| {
            text(other, "type") == Some(item) || self.is_same_list(own.tail, other, own.is_old)
        };
        if item == "Vec<u8>" || other.map_or(!has_more_parts, is_same) {
            return Ok(());
        }
        let code = if item == "String" { Code::BadUtf8 } else { Code::TooShort };
        Err((refuses(code), format!("`{item}` stands behind its parts, and something else in this")))
    }

    fn is_same_list(&self, of_open: &Table, of_other: &Table, open_is_old: bool) -> bool {
        let [open, other] = [of_open, of_other].map(|tail| Type::of(text(tail, "type").unwrap_or_default()));
        if open_is_old { self.same(&open, &other) } else { self.same(&other, &open) }
    }

    /// The bytes of the parts, in their newest versions.
    fn parts_size(&self, Seen { form, is_old }: Seen<'_>) -> Option<i128> {
        form.section("parts").try_fold(0, |size, part| {
            let path = text(part, "type")?;
            let held = if is_old { self.forms.old(path) } else { self.forms.new_form(path) }?;
            Some(size + number(&held.table, "size")?)
        })
    }
}

/// A tail of the open variant, and whether that is looked up among what was before.
#[derive(Clone, Copy)]
struct Behind<'form> {
    tail: &'form Table,
    is_old: bool,
}

fn tail(form: &Form) -> Option<&Table> {
    form.get("tail").and_then(Value::as_table)
}

/// What says how long a tail is; of bytes their number is that of the elements.
fn computed_length(tail: &Table) -> Option<(bool, &str)> {
    let is_bytes = matches!(text(tail, "type"), Some("Vec<u8>" | "String"));
    match (text(tail, "count"), text(tail, "bytes")) {
        (Some(count), _) => Some((!is_bytes, count)),
        (None, bytes) => Some((false, bytes?)),
    }
}

/// Whether the open variant takes as many file descriptors as the other may have.
fn groups(open: &Form, variant: &Form) -> Outcome {
    let numbers = |form: &Form| -> Vec<_> {
        let of = |group: &Table| (range(group), computed(group).map(str::to_owned));
        form.section("fds").map(of).collect()
    };
    let [own, its] = [open, variant].map(numbers);
    let whole = |groups: &[((i128, i128), Option<String>)]| {
        groups.iter().fold((0, 0), |(least, most), ((from, to), _)| (least + from, most + to))
    };
    let [(least, most), (from, to)] = [&own, &its].map(|groups| whole(groups));
    if own == its {
        return Ok(());
    }
    if from < least || to > most {
        let why = format!("it takes {least} to {most} file descriptors, and this {from} to {to}");
        return Err((refuses(Code::FdCount), why));
    }
    // Where nothing is computed, each group that is exact has one number only.
    match open.section("fds").find(|group| computed(group).is_some()) {
        Some(group) => {
            let why = format!("its parts say how many `{}` are, and not those of this", name(group));
            Err((refuses(Code::FdCount), why))
        }
        None => Ok(()),
    }
}

/// Whether what the open variant is held to holds the other one as well; rules are compared by their text.
fn rules(open: &Form, variant: &Form) -> Outcome {
    let holds = |rule: &Table| {
        let is_it = |other: &Table| {
            text(other, "expr") == text(rule, "expr")
                && (other.get("at").is_none() || other.get("at") == rule.get("at"))
        };
        variant.section("rules").any(is_it)
    };
    match open.section("rules").find(|rule| !holds(rule)) {
        Some(rule) => {
            let why =
                format!("`{}` is a rule of it, and not of this", text(rule, "expr").unwrap_or_default());
            Err((refuses(Code::RuleViolated), why))
        }
        None => Ok(()),
    }
}

//! Unions: how a document says which variant it is, and what each holds.

use toml::Table;
use wirecontract::Code;

use super::change::{Change, Found, What};
use super::descriptor::member_was;
use super::effect::{BOTH_MISREAD, BOTH_READ, Side, loosened, refuses, tightened};
use super::member::{self, Pairs, is, name, rust, set, text, texts};
use super::ty::Type;
use super::{Differ, Use, recipe, rules};
use crate::lock::Form;

/// How a document says which variant it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tagging<'form> {
    Internal { tag: &'form str },
    Adjacent { tag: &'form str, content: &'form str },
    Untagged,
}

impl<'form> Tagging<'form> {
    fn of(form: &'form Form) -> Self {
        match (form.text("tag"), form.text("content")) {
            (Some(tag), Some(content)) => Tagging::Adjacent { tag, content },
            (Some(tag), None) => Tagging::Internal { tag },
            (None, _) => Tagging::Untagged,
        }
    }

    fn tag(self) -> Option<&'form str> {
        match self {
            Tagging::Internal { tag } | Tagging::Adjacent { tag, .. } => Some(tag),
            Tagging::Untagged => None,
        }
    }
}

/// A union before or after.
#[derive(Clone, Copy)]
struct Tags<'form> {
    tagging: Tagging<'form>,
    /// The variant that an absent tag says, by its name in Rust.
    absent: Option<&'form str>,
    /// Whether unknown tags are kept.
    is_open: bool,
}

impl<'form> Tags<'form> {
    fn of(form: &'form Form) -> Self {
        let absent = form.section("variants").find(|variant| variant.contains_key("absent"));
        Tags {
            tagging: Tagging::of(form),
            absent: absent.map(rust),
            is_open: form.section("variants").any(|variant| is(variant, "other")),
        }
    }

    /// What a reader does with a document that lacks its tag.
    fn without_tag(self) -> Side {
        if self.absent.is_some() { Side::Misreads } else { refuses(Code::MissingKey) }
    }

    /// What a reader does with a tag that it has no variant for; whether it has one under another tag.
    fn unknown(self, is_meant: bool) -> Side {
        match (self.tagging, self.is_open, is_meant) {
            (Tagging::Untagged, ..) | (_, true, true) => Side::Misreads,
            (_, true, false) => Side::Reads,
            (_, false, _) => refuses(Code::UnknownTag),
        }
    }
}

impl Differ<'_> {
    pub(super) fn union(&self, found: &mut Found, old: &Form, new: &Form, usage: Use) {
        let tags = [Tags::of(old), Tags::of(new)];
        tagging(found, old, new, tags);
        absent(found, old, new, tags);
        recipe::documents(found, old, new, usage);
        let (before, after) = (&old.table, &new.table);
        if !member::equal("tag_last", before, after) {
            let why = "readers take keys in any order";
            found.put("", set("tag_last", before, after), BOTH_READ, why);
        }
        if !member::equal("lenient", before, after) {
            let (sides, why) = if is(after, "lenient") {
                (BOTH_READ, "lenient readers look past more, and strict ones are as they were")
            } else {
                (tightened(Code::UnknownTag), "lenient readers looked past a tag at fault")
            };
            found.put("", set("lenient", before, after), sides, why);
        }
        self.variants(found, old, new, tags, usage);
        rules::rules(found, old, new);
        let known = [
            "tag",
            "content",
            "untagged",
            "tag_last",
            "lenient",
            "max_bytes",
            "max_depth",
            "variants",
            "rules",
            "was",
        ];
        member::rest(found, "", [before, after], &known);
        member_was(found, old, new);
    }

    fn variants(&self, found: &mut Found, old: &Form, new: &Form, tags: [Tags<'_>; 2], usage: Use) {
        let old_variants = || old.section("variants");
        let both = |old: &Table, new: &Table, key: &str| is(old, key) && is(new, key);
        let pairs = Pairs::new(old.section("variants"), new.section("variants"))
            .by(|(_, old), (_, new)| both(old, new, "other"))
            .by_name(name)
            .by(|(_, old), (_, new)| is(old, "other") == is(new, "other") && rust(old) == rust(new))
            .by(|(_, old), (_, new)| texts(new, "alias").contains(&name(old)))
            .by(|(old_at, old), (new_at, new)| {
                old_at == new_at
                    && !is(old, "other")
                    && !is(new, "other")
                    && text(old, "type") == text(new, "type")
            });
        for [(_, old), (_, new)] in &pairs.both {
            self.variant(found, old, new, tags, usage);
            if !member::equal("rust", old, new) && name(old) == name(new) {
                let at = word(new);
                // Where it holds something else, that is said by itself.
                let is_swapped =
                    member::equal("type", old, new) && old_variants().any(|other| rust(other) == rust(new));
                if is_swapped {
                    let why = format!("another variant was `{}` in Rust, by which rules name it", rust(new));
                    found.put(at, set("rust", old, new), BOTH_MISREAD, why);
                } else {
                    found.harmless(at, set("rust", old, new), "`rust` names it in one language only");
                }
            }
        }
        for (_, variant) in &pairs.removed {
            let was_deprecated = member::is_deprecated(variant);
            let change = Change::Removed { what: What::Variant, was_deprecated };
            let (side, why) = if is(variant, "other") {
                (refuses(Code::UnknownTag), "unknown tags were kept")
            } else {
                (tags[1].unknown(false), "new readers have no such variant")
            };
            found.put(word(variant), change, [Side::Reads, side], why);
        }
        for (_, variant) in &pairs.added {
            let (side, why) = if is(variant, "other") {
                (refuses(Code::UnknownTag), "unknown tags are kept, and written again")
            } else {
                (tags[0].unknown(false), "old readers have no such variant")
            };
            found.put(word(variant), Change::Added { what: What::Variant }, [side, Side::Reads], why);
        }
        if pairs.are_reordered() {
            let (sides, why) = if tags[1].tagging == Tagging::Untagged {
                (BOTH_MISREAD, "the first variant counts whose keys are there")
            } else {
                (BOTH_READ, "the tag says which variant it is")
            };
            found.put("", Change::Reordered { what: What::Variant }, sides, why);
        }
    }

    fn variant(&self, found: &mut Found, old: &Table, new: &Table, tags: [Tags<'_>; 2], usage: Use) {
        let at = word(new);
        tag(found, at, old, new, tags);
        let [before, after] = [old, new].map(|variant| texts(variant, "alias"));
        for alias in before.iter().filter(|alias| !after.contains(alias) && **alias != name(new)) {
            let was_deprecated = member::is_deprecated(old);
            let change = Change::Removed { what: What::Alias, was_deprecated };
            let why = format!("the tag `{alias}` was read");
            found.put(at, change, [Side::Reads, tags[1].unknown(true)], why);
        }
        for alias in after.iter().filter(|alias| !before.contains(alias) && **alias != name(old)) {
            let why = format!("the tag `{alias}` is read, and never written");
            found.put(at, Change::Added { what: What::Alias }, BOTH_READ, why);
        }
        let mut held = Found::default();
        self.content(&mut held, at, [old, new], tags, usage);
        if tags.iter().any(|tags| tags.tagging == Tagging::Untagged) {
            // Without a key that it requires, a document is another variant.
            held.worsen(refuses(Code::MissingKey), Side::Misreads);
        }
        found.changes.extend(held.changes);
        let known = [
            "name",
            "rust",
            "alias",
            "absent",
            "default",
            "other",
            "type",
            "spelling",
            "wire_id",
            "min",
            "max",
            "max_len",
            "max_items",
        ];
        member::rest(found, at, [old, new], &known);
    }

    fn content(&self, found: &mut Found, at: &str, members: [&Table; 2], tags: [Tags<'_>; 2], usage: Use) {
        let [old, new] = members.map(|variant| text(variant, "type").map(Type::of));
        let change = set("type", members[0], members[1]);
        match (&old, &new) {
            (None, None) => {}
            (None, Some(_)) => {
                let why = "old readers look at nothing beside the tag, and old writers wrote nothing there";
                found.put(at, change, tightened(Code::MissingKey), why);
            }
            (Some(_), None) => {
                let why = "new readers look at nothing beside the tag, and new writers write nothing there";
                found.put(at, change, loosened(Code::MissingKey), why);
            }
            (Some(old), Some(new)) => {
                let is_adjacent = tags.iter().all(|tags| matches!(tags.tagging, Tagging::Adjacent { .. }));
                // Beside the tag, the keys of a variant stand in the object that the union stands in.
                self.json_type(found, at, members, [old, new], |open| match usage {
                    Use::Flattened { .. } if !is_adjacent => usage,
                    _ => Use::Document { open },
                });
                let [before, after] = members.map(|variant| variant.get("default"));
                if before == after || !is_adjacent {
                    return;
                }
                let (sides, why) = match (before, after) {
                    (None, _) => (loosened(Code::MissingKey), "it may be left out, and was required"),
                    (_, None) => (tightened(Code::MissingKey), "it is required, and might be left out"),
                    _ => (BOTH_MISREAD, "its absence stands for something else"),
                };
                found.put(at, set("default", members[0], members[1]), sides, why);
            }
        }
    }
}

/// What variants are called in reasons: one that has no tag by its name in Rust.
fn word(variant: &Table) -> &str {
    if name(variant).is_empty() { rust(variant) } else { name(variant) }
}

fn tagging(found: &mut Found, old: &Form, new: &Form, [before, after]: [Tags<'_>; 2]) {
    let (from, to) = (before.tagging, after.tagging);
    let members = (&old.table, &new.table);
    match (from, to) {
        _ if from == to => {}
        (Tagging::Untagged, _) => {
            let sides = [Side::Misreads, refuses(Code::MissingKey)];
            let why = "a tag says which variant it is, and the keys said it before";
            found.put("", set("tag", members.0, members.1), sides, why);
        }
        (_, Tagging::Untagged) => {
            let sides = [before.without_tag(), Side::Misreads];
            let why = "the keys say which variant it is, and a tag said it before";
            found.put("", set("tag", members.0, members.1), sides, why);
        }
        _ => {
            if from.tag() != to.tag() {
                let sides = [before.without_tag(), after.without_tag()];
                let why = format!("the tag was `{}`", from.tag().unwrap_or_default());
                found.put("", set("tag", members.0, members.1), sides, why);
            }
            if !member::equal("content", members.0, members.1) {
                let has_default =
                    |form: &Form| form.section("variants").any(|variant| variant.contains_key("default"));
                let sides = [old, new]
                    .map(|form| if has_default(form) { Side::Misreads } else { refuses(Code::MissingKey) });
                let why = "what a variant holds stands in another place";
                found.put("", set("content", members.0, members.1), sides, why);
            }
        }
    }
}

/// What an absent tag says.
fn absent(found: &mut Found, old: &Form, new: &Form, [before, after]: [Tags<'_>; 2]) {
    let partner = |tag: Option<&str>| {
        let variant = old.section("variants").find(|variant| Some(rust(variant)) == tag)?;
        let names = |other: &&Table| {
            rust(other) == rust(variant) || (!name(other).is_empty() && name(other) == name(variant))
        };
        new.section("variants").find(names).map(rust)
    };
    let change = Change::set(
        "absent",
        before.absent.as_ref().map(|it| it as _),
        after.absent.as_ref().map(|it| it as _),
    );
    match (before.absent, after.absent) {
        (None, Some(to)) => {
            let why = format!("a document without tag is `{to}`");
            found.put("", change, loosened(Code::MissingKey), why);
        }
        (Some(from), None) => {
            let why = format!("a document without tag was `{from}`");
            found.put("", change, tightened(Code::MissingKey), why);
        }
        (Some(from), Some(to)) if partner(Some(from)) != Some(to) => {
            let why = format!("a document without tag is `{to}` and was `{from}`");
            found.put("", change, BOTH_MISREAD, why);
        }
        _ => {}
    }
}

/// The tag of a variant.
fn tag(found: &mut Found, at: &str, old: &Table, new: &Table, [before, after]: [Tags<'_>; 2]) {
    let has_none = |variant: &Table| text(variant, "absent") == Some("no_tag");
    if !member::equal("absent", old, new) {
        let (sides, why) = match [old, new].map(has_none) {
            [false, true] => (
                [absent_as(before, old), after.unknown(true)],
                "it is written without a tag, and none says it",
            ),
            [true, false] => ([before.unknown(true), absent_as(after, new)], "it is written with a tag"),
            // What an absent tag says is said of the union.
            _ => (BOTH_READ, "it is written with its tag as before"),
        };
        found.put(at, set("absent", old, new), sides, why);
    }
    let [from, to] = [name(old), name(new)];
    if from == to || [old, new].map(has_none).contains(&true) {
        return;
    }
    let change = Change::Renamed { what: What::Variant, from: from.to_owned(), to: to.to_owned() };
    if before.tagging == Tagging::Untagged && after.tagging == Tagging::Untagged {
        found.put(at, change, BOTH_READ, "no tag is written");
        return;
    }
    let side = |tags: Tags<'_>, is_alias| if is_alias { Side::Reads } else { tags.unknown(true) };
    let sides =
        [side(before, texts(old, "alias").contains(&to)), side(after, texts(new, "alias").contains(&from))];
    found.put(at, change, sides, format!("its tag was `{from}`"));
}

/// What a reader makes of a document without tag that is meant to be a variant.
fn absent_as(tags: Tags<'_>, variant: &Table) -> Side {
    match tags.absent {
        None => refuses(Code::MissingKey),
        Some(absent) if absent == rust(variant) => Side::Reads,
        Some(_) => Side::Misreads,
    }
}

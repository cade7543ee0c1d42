//! What a value of a recipe or a union is refused for, in the order that every writer looks.

use super::lines::Lines;
use super::literal::{bits, float, integer, spelled, string};
use super::operand::{Form, Subject};
use super::recipe::{presence, union_field};
use super::traits::Traits;
use super::types::{is_fixed, is_open_name};
use super::view::{bounds, known_runs};
use crate::emit::EmitInput;
use crate::interpret::json;
use crate::model::{Body, Content, ContractId, JsonType, Key, Length, Moment, Recipe, Scalar, Union};
use crate::names::c as names;

/// Which checks are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// Bounds, texts, pointers, and what holds at every read.
    Check,
    /// What holds at import.
    Import,
}

/// Writes the checks of one contract.
pub(super) struct Checks<'a> {
    pub(super) input: &'a EmitInput<'a>,
    /// Of all contracts before this one.
    pub(super) traits: &'a [Traits],
    pub(super) id: ContractId,
    pub(super) pass: Pass,
}

impl Checks<'_> {
    /// The statements of the function.
    pub(super) fn lines(&self) -> Lines {
        let mut lines = Lines::default();
        let contract = self.input.catalog.get(self.id);
        match &contract.body {
            Body::Recipe(recipe) => self.recipe(recipe, &mut lines),
            Body::Union(union) => self.union(union, &mut lines),
            _ => unreachable!("only recipes and unions are checked so"),
        }
        let at = if self.pass == Pass::Check { Moment::Read } else { Moment::Import };
        let subject = Subject { input: self.input, traits: self.traits, id: self.id, form: Form::Value, at };
        subject.rules("0", &mut lines);
        lines
    }

    fn recipe(&self, recipe: &Recipe, lines: &mut Lines) {
        let is_asked = |key: &&Key| self.pass == Pass::Check || !key.not_imported;
        for key in recipe.keys.iter().filter(is_asked) {
            let place = format!("value->{}", names::key_member(key));
            let mut inner = Lines::default();
            self.value(&key.ty, &place, &key.key, 0, &mut inner);
            if inner.is_empty() {
                continue;
            }
            match presence(self.input, self.id, "value->", key) {
                None => lines.append(inner),
                Some(present) => {
                    lines.open(&format!("if ({present})"));
                    lines.fill(inner);
                    lines.close();
                }
            }
        }
    }

    fn union(&self, union: &Union, lines: &mut Lines) {
        let contract = self.input.catalog.get(self.id);
        let package = &self.input.family_of(self.id).package;
        let (tag, content_field) = union_field(union);
        let mut cases = Vec::new();
        for variant in &union.variants {
            let place = format!("value->value.{}", names::variant_member(variant));
            let mut inner = Lines::default();
            match &variant.content {
                Content::Value { ty, .. } => self.value(ty, &place, content_field, 0, &mut inner),
                Content::Other if self.pass == Pass::Check => {
                    self.text(&format!("{place}.tag"), None, tag, &mut inner);
                    self.no_variant_has(union, &place, tag, &mut inner);
                    self.text(&format!("{place}.content"), None, content_field, &mut inner);
                }
                Content::Nothing | Content::Other => {}
            }
            cases.push((names::variant_constant(package, contract, variant), inner));
        }
        if self.pass == Pass::Import && cases.iter().all(|(_, inner)| inner.is_empty()) {
            return;
        }
        lines.put("switch (value->tag) {");
        let (empty, full): (Vec<_>, Vec<_>) = cases.into_iter().partition(|(_, inner)| inner.is_empty());
        for (constant, inner) in full {
            lines.open(&format!("case {constant}:"));
            lines.fill(inner);
            lines.put("break;");
            lines.close();
        }
        if self.pass == Pass::Check {
            for (constant, _) in &empty {
                lines.put(format!("case {constant}:"));
            }
            if !empty.is_empty() {
                lines.put("    break;");
            }
            lines.put("default:");
            lines.put(format!(
                "    wc_detail_fail_signed(error, WC_STATUS_UNKNOWN_TAG, \"{}\", {}, 0, {}, value->tag);",
                contract.name,
                string(tag.as_bytes()),
                string(format!("a tag of {}", contract.name).as_bytes())
            ));
            lines.put("    return WC_STATUS_UNKNOWN_TAG;");
        } else {
            lines.put("default:");
            lines.put("    break;");
        }
        lines.put("}");
    }

    /// Refuses the tag of a variant where an unknown one is to be.
    fn no_variant_has(&self, union: &Union, place: &str, field: &str, lines: &mut Lines) {
        let contract = &self.input.catalog.get(self.id).name;
        let quoted = |text: &str| string(text.as_bytes());
        for tag in json::known_tags(union) {
            lines.nest(
                &format!(
                    "wc_detail_check_unknown_tag({place}.tag, {}, {}, {}, \"{contract}\", {}, error)",
                    quoted(tag),
                    tag.len(),
                    quoted(&json::shown_tag(tag)),
                    quoted(field)
                ),
                "",
            );
        }
    }

    /// The checks of what is at a place. `depth` is how many arrays it is in.
    fn value(&self, ty: &JsonType, place: &str, field: &str, depth: usize, lines: &mut Lines) {
        if self.pass == Pass::Check {
            self.content(ty, place, field, lines);
        }
        match ty {
            JsonType::Array { item, length } => self.array(item, *length, place, field, depth, lines),
            JsonType::Descriptor { contract, .. } => self.descriptor(*contract, place, lines),
            JsonType::Recipe(id) | JsonType::Union(id) => {
                let stem = names::stem(&self.input.family_of(*id).package, self.input.catalog.get(*id));
                if self.pass == Pass::Check {
                    lines.nest(&format!("{stem}_check(&{place}, error)"), "");
                } else if self.traits[id.0].imports {
                    lines.nest(&format!("{stem}_validate_import(&{place}, fd_count, error)"), "");
                }
            }
            _ => {}
        }
    }

    /// What is checked of a single value that holds no other.
    fn content(&self, ty: &JsonType, place: &str, field: &str, lines: &mut Lines) {
        let contract = &self.input.catalog.get(self.id).name;
        let key = string(field.as_bytes());
        match ty {
            JsonType::Integer { scalar, min, max, .. } => {
                self.integer(*scalar, *min, *max, place, &key, lines);
            }
            JsonType::Bool => {
                // A C bool can hold any byte, and looking at it as a bool would hide that.
                lines.open("");
                lines.put("uint8_t found;");
                lines.put(format!("memcpy(&found, &{place}, 1);"));
                lines.refuse(
                    "found > 1u",
                    "UNKNOWN_VALUE",
                    &self.fail("unsigned", "UNKNOWN_VALUE", &key, "0 or 1", "found"),
                );
                lines.close();
            }
            JsonType::Float { min, max, .. } => self.float(*min, *max, place, &key, lines),
            JsonType::Text { max_len } | JsonType::Json { max_len } => {
                self.text(place, *max_len, field, lines);
            }
            JsonType::Bytes { length: Length::AtMost(most), .. } => {
                let (most, expected) = at_most(*most, "bytes");
                lines.nest(
                    &format!(
                        "wc_detail_check_bytes({place}.data, {place}.length, {most}, {expected}, \"{contract}\", {key}, error)"
                    ),
                    "",
                );
            }
            JsonType::Map { max_items, max_len } => {
                let (items, items_expected) = at_most(*max_items, "members");
                let (most, expected) = at_most(*max_len, "bytes");
                lines.nest(
                    &format!(
                        "wc_detail_check_map(&{place}, {items}, {items_expected}, {most}, {expected}, \"{contract}\", {key}, error)"
                    ),
                    "",
                );
            }
            JsonType::Enumeration { contract: id, open, max_len } if is_open_name(self.input, *id, *open) => {
                let (mut name, mut value) = (Lines::default(), Lines::default());
                self.text(&format!("{place}.name"), *max_len, field, &mut name);
                self.enumeration(*id, &format!("{place}.value"), &key, &mut value);
                lines.open(&format!("if ({place}.is_name)"));
                lines.fill(name);
                if !value.is_empty() {
                    lines.otherwise();
                    lines.append(value);
                }
                lines.close();
            }
            JsonType::Enumeration { contract: id, open: false, .. } => {
                self.enumeration(*id, place, &key, lines);
            }
            JsonType::Flags { contract: id } => {
                let flags = self.input.catalog.get(*id).flags();
                let known = flags.known_bits();
                if !flags.open && i128::from(known) != bounds(flags.repr).1 {
                    let mask = bits(known, flags.repr);
                    let expected = format!("bits within 0x{known:x}");
                    let fail = self.fail("unsigned", "UNKNOWN_BITS", &key, &expected, place);
                    lines.refuse(&format!("({place} & ~{mask}) != 0"), "UNKNOWN_BITS", &fail);
                }
            }
            JsonType::Bytes { length: Length::Exactly(_), .. }
            | JsonType::Array { .. }
            | JsonType::Enumeration { .. }
            | JsonType::Descriptor { .. }
            | JsonType::Recipe(_)
            | JsonType::Union(_) => {}
        }
    }

    fn fail(&self, report: &str, code: &str, key: &str, expected: &str, found: &str) -> String {
        format!(
            "wc_detail_fail_{report}(error, WC_STATUS_{code}, \"{}\", {key}, 0, {}, {found});",
            self.input.catalog.get(self.id).name,
            string(expected.as_bytes())
        )
    }

    fn integer(&self, scalar: Scalar, min: i128, max: i128, place: &str, key: &str, lines: &mut Lines) {
        let (least, greatest) = bounds(scalar);
        let signed = scalar.is_signed();
        let low = (min > least).then(|| format!("{place} < {}", integer(min, signed)));
        let high = (max < greatest).then(|| format!("{place} > {}", integer(max, signed)));
        let faults: Vec<String> = low.into_iter().chain(high).collect();
        if faults.is_empty() {
            return;
        }
        let report = if signed { "signed" } else { "unsigned" };
        let fail = self.fail(report, "OUT_OF_RANGE", key, &format!("an integer from {min} to {max}"), place);
        lines.refuse(&faults.join(" || "), "OUT_OF_RANGE", &fail);
    }

    fn float(&self, min: Option<f64>, max: Option<f64>, place: &str, key: &str, lines: &mut Lines) {
        let fail = |expected: &str| {
            format!(
                "wc_detail_fail_float(error, \"{}\", {key}, {}, {place});",
                self.input.catalog.get(self.id).name,
                string(expected.as_bytes())
            )
        };
        lines.refuse(&format!("!wc_detail_is_finite({place})"), "OUT_OF_RANGE", &fail("a finite number"));
        let expected = match (min, max) {
            (None, None) => return,
            (Some(min), None) => format!("a number of at least {}", spelled(min)),
            (None, Some(max)) => format!("a number of at most {}", spelled(max)),
            (Some(min), Some(max)) => format!("a number from {} to {}", spelled(min), spelled(max)),
        };
        let low = min.map(|min| format!("{place} < {}", float(min)));
        let high = max.map(|max| format!("{place} > {}", float(max)));
        let faults: Vec<String> = low.into_iter().chain(high).collect();
        lines.refuse(&faults.join(" || "), "OUT_OF_RANGE", &fail(&expected));
    }

    fn text(&self, place: &str, max_len: Option<u32>, field: &str, lines: &mut Lines) {
        let (most, expected) = at_most(max_len, "bytes");
        let contract = &self.input.catalog.get(self.id).name;
        let key = string(field.as_bytes());
        lines.nest(
            &format!("wc_detail_check_text({place}, {most}, {expected}, \"{contract}\", {key}, error)"),
            "",
        );
    }

    fn enumeration(&self, id: ContractId, place: &str, key: &str, lines: &mut Lines) {
        let contract = self.input.catalog.get(id);
        let body = contract.enumeration();
        if known_runs(body) == [bounds(body.repr)] {
            return;
        }
        let stem = names::stem(&self.input.family_of(id).package, contract);
        let report = if body.repr.is_signed() { "signed" } else { "unsigned" };
        let fail = self.fail(report, "UNKNOWN_VALUE", key, &format!("a value of {}", contract.name), place);
        lines.refuse(&format!("!{stem}_is_known({place})"), "UNKNOWN_VALUE", &fail);
    }

    fn descriptor(&self, id: ContractId, place: &str, lines: &mut Lines) {
        let stem = names::stem(&self.input.family_of(id).package, self.input.catalog.get(id));
        let traits = self.traits[id.0];
        let call = match self.pass {
            Pass::Check if traits.refusable => format!("{stem}_detail_refuse(&{place}, 0, error)"),
            Pass::Import if traits.imports => format!("{stem}_validate_import(&{place}, error)"),
            Pass::Check | Pass::Import => return,
        };
        // The text that holds it has one place, whatever nests in it.
        lines.nest(&call, "wc_detail_forget_offset(error);");
    }

    fn array(
        &self,
        item: &JsonType,
        length: Length,
        place: &str,
        field: &str,
        depth: usize,
        lines: &mut Lines,
    ) {
        let variable =
            ["i", "j", "k", "l"].get(depth).map_or_else(|| format!("i{depth}"), |&name| name.to_owned());
        let (element, limit) = match length {
            Length::Exactly(count) => (format!("{place}[{variable}]"), format!("{count}u")),
            Length::AtMost(_) => {
                let wrapped = if is_fixed(item) { ".items" } else { "" };
                (format!("{place}.items[{variable}]{wrapped}"), format!("{place}.count"))
            }
        };
        let mut inner = Lines::default();
        let contract = &self.input.catalog.get(self.id).name;
        let key = string(field.as_bytes());
        self.value(item, &element, field, depth + 1, &mut inner);
        let most = match length {
            Length::AtMost(most) if self.pass == Pass::Check || !inner.is_empty() => {
                lines.nest(
                    &format!(
                        "wc_detail_check_pointer({place}.items, {place}.count, \"{contract}\", {key}, error)"
                    ),
                    "",
                );
                most.filter(|_| self.pass == Pass::Check)
            }
            _ => None,
        };
        let too_many = |most: u32| {
            format!(
                "wc_detail_fail_plain(error, WC_STATUS_TOO_MANY, \"{contract}\", {key}, 0, \"at most {most} items\");"
            )
        };
        if inner.is_empty() {
            if let Some(most) = most {
                lines.refuse(&format!("{place}.count > {most}u"), "TOO_MANY", &too_many(most));
            }
            return;
        }
        lines.open(&format!("for (size_t {variable} = 0; {variable} < {limit}; {variable}++)"));
        if let Some(most) = most {
            lines.refuse(&format!("{variable} == {most}u"), "TOO_MANY", &too_many(most));
        }
        lines.fill(inner);
        lines.close();
    }
}

/// The bound as a `size_t`, and how an error words it.
fn at_most(most: Option<u32>, what: &str) -> (String, String) {
    match most {
        Some(most) => (format!("{most}u"), format!("\"at most {most} {what}\"")),
        None => ("SIZE_MAX".to_owned(), "\"\"".to_owned()),
    }
}

//! What stands behind the parts of a message.

use serde::Serialize;

use super::{Checked, MemberView, PartView, Writer};
use crate::emit::c::lines::Lines;
use crate::emit::c::literal::{comment_of, string};
use crate::model::{MessageField, Moment, Tail, TailItem, TailLength};
use crate::names::c as names;

#[derive(Serialize)]
pub(super) struct TailView {
    /// As errors call it, as a literal.
    name: String,
    member: String,
    /// The place of its length after `value->`.
    count: String,
    kind: TailKind,
    /// What its elements are, where they are descriptors.
    item: Option<PartView>,
    /// The function that gives one.
    element: String,
    /// The constant that is the size of an element, or `1u`.
    unit: String,
    /// How long it is.
    length: Checked,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum TailKind {
    Elements,
    Bytes,
    Text,
}

/// The place of a tail's length in a struct.
pub(crate) fn tail_count(tail: &Tail) -> String {
    let field = MessageField::Tail(tail);
    match tail.item {
        TailItem::Descriptor(_) => names::count_member(field),
        TailItem::Bytes | TailItem::Text => format!("{}.length", names::message_member(field)),
    }
}

pub(super) fn members(writer: &Writer<'_>, tail: &Tail) -> Vec<MemberView> {
    let field = MessageField::Tail(tail);
    let member = names::message_member(field);
    let mut lines = Vec::new();
    let (ty, count) = match tail.item {
        TailItem::Descriptor(id) => {
            let item = writer.part(String::new(), id);
            let package = &writer.input.family_of(writer.id).package;
            let element = names::element_function(package, writer.input.catalog.get(writer.id), field);
            lines.push(format!(
                "The bytes of its elements, {} each: {element} reads one, {}_write writes one.",
                item.size, item.stem
            ));
            ("const uint8_t *", Some(names::count_member(field)))
        }
        TailItem::Bytes => ("wc_bytes ", None),
        TailItem::Text => ("wc_str ", None),
    };
    let docs = comment_of(&tail.member, lines);
    let count = count.map(|count| MemberView {
        docs: vec![format!(" How many elements `{member}` has.")],
        declaration: format!("size_t {count}"),
    });
    [MemberView { docs, declaration: format!("{ty}{member}") }].into_iter().chain(count).collect()
}

impl Writer<'_> {
    pub(super) fn tail(&self, tail: &Tail) -> TailView {
        let field = MessageField::Tail(tail);
        let package = &self.input.family_of(self.id).package;
        let (kind, item) = match tail.item {
            TailItem::Descriptor(id) => (TailKind::Elements, Some(self.part(String::new(), id))),
            TailItem::Bytes => (TailKind::Bytes, None),
            TailItem::Text => (TailKind::Text, None),
        };
        let unit = item.as_ref().map_or_else(|| "1u".to_owned(), |item| item.size.clone());
        TailView {
            name: string(tail.member.name.as_bytes()),
            member: names::message_member(field),
            count: tail_count(tail),
            kind,
            item,
            element: names::element_function(package, self.input.catalog.get(self.id), field),
            length: self.tail_length(tail, &unit).into(),
            unit,
        }
    }

    /// Sets `*count` to the number of elements in a message of `length` bytes whose tail is at `at`.
    fn tail_length(&self, tail: &Tail, unit: &str) -> Lines {
        let mut lines = Lines::default();
        let (contract, field) = (self.name(), string(tail.member.name.as_bytes()));
        let package = &self.input.family_of(self.id).package;
        let bound = format!("{}_MAX_BYTES", names::constant_stem(package, self.input.catalog.get(self.id)));
        let Some(computed) = tail.length.computed() else {
            if unit != "1u" {
                lines.open(&format!("if ((length - at) % {unit} != 0u)"));
                lines.put(format!(
                    "wc_detail_fail_whole(error, \"{contract}\", at + ((length - at) / {unit} + 1u) * {unit}, length);"
                ));
                lines.put("return WC_STATUS_TOO_SHORT;");
                lines.close();
            }
            let per = if unit == "1u" { String::new() } else { format!(" / {unit}") };
            lines.put(format!("*count = (length - at){per};"));
            return lines;
        };
        let is_count = matches!(tail.length, TailLength::Count(_));
        let (times, per) = if unit == "1u" {
            (String::new(), String::new())
        } else {
            (format!(" * {unit}"), format!(" / {unit}"))
        };
        lines.open("");
        let (unknown, known) = self.subject(Moment::Read).number(&computed.expr, &mut lines);
        let room = if is_count { format!("({bound} - at){per}") } else { format!("{bound} - at") };
        lines.put(format!("const size_t room = {room};"));
        lines.open(&format!("if ({unknown}said.negative || said.low > room)"));
        lines.put(format!(
            "wc_detail_fail_said(error, WC_STATUS_LENGTH_EXCEEDS, \"{contract}\", {field}, at, {}, {known}, said);",
            self.at_most(is_count)
        ));
        lines.put("return WC_STATUS_LENGTH_EXCEEDS;");
        lines.close();
        lines.put("*count = WC_DETAIL_CAST(uint32_t, said.low);");
        if !is_count && unit != "1u" {
            lines.open(&format!("if (*count % {unit} != 0u)"));
            lines.put(format!(
                "wc_detail_fail_wanted(error, WC_STATUS_LENGTH_EXCEEDS, \"{contract}\", {field}, at, \"at most #\", *count / {unit} * {unit}, *count);"
            ));
            lines.put("return WC_STATUS_LENGTH_EXCEEDS;");
            lines.close();
            lines.put(format!("*count /= {unit};"));
        }
        lines.close();
        lines.open(&format!("if (at + *count{times} != length)"));
        lines.put(format!("wc_detail_fail_whole(error, \"{contract}\", at + *count{times}, length);"));
        lines.put(format!(
            "return length < at + *count{times} ? WC_STATUS_TOO_SHORT : WC_STATUS_TRAILING_BYTES;"
        ));
        lines.close();
        lines
    }

    /// The text of how long the tail may be, which depends on where it begins.
    fn at_most(&self, is_count: bool) -> String {
        let message = self.message();
        let most = u64::from(message.max_bytes.unwrap_or(u32::MAX));
        let unit = match message.tail.as_ref().map(|tail| tail.item) {
            Some(TailItem::Descriptor(id)) if is_count => self.input.catalog.most_bytes(id),
            _ => 1,
        };
        let text = |start: u64| format!("\"at most {}\"", most.saturating_sub(start) / unit);
        let mut starts = vec![0_u64];
        for part in &message.parts {
            let descriptor = self.input.catalog.get(part.contract).descriptor();
            let sizes =
                descriptor.growth.as_ref().map_or_else(|| vec![descriptor.size], |it| it.sizes.clone());
            starts = starts
                .iter()
                .flat_map(|start| sizes.iter().map(move |&size| start + u64::from(size)))
                .collect();
            starts.sort_unstable();
            starts.dedup();
        }
        let (last, others) = starts.split_last().expect("it begins somewhere");
        let choices: Vec<String> =
            others.iter().map(|&at| format!("at == {at}u ? {} : ", text(at))).collect();
        choices.concat() + &text(*last)
    }
}

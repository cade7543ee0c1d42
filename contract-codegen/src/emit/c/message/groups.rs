//! Who gets which of the file descriptors beside a message.

use serde::Serialize;

use super::{Checked, MemberView, Writer, is_single};
use crate::counted;
use crate::emit::c::lines::Lines;
use crate::emit::c::literal::{comment_with, remarks, string};
use crate::emit::c::rules::Fault;
use crate::model::{FdForm, FdGroup, MessageField, Moment};
use crate::names::c as names;

/// What a message says of file descriptors.
#[derive(Serialize)]
pub(super) struct Groups {
    max_fds: u32,
    groups: Vec<GroupView>,
    /// How many each exact group has.
    exact: Checked,
    /// The fewest of all exact groups.
    least_exact: u32,
    /// What an error expects, from the fewest of them on.
    totals: Vec<String>,
    /// The group that takes what the others leave.
    flexible: Option<Flexible>,
}

#[derive(Serialize)]
struct Flexible {
    index: usize,
    least: u32,
    most: u32,
}

#[derive(Serialize)]
struct GroupView {
    /// As errors call it, as a literal.
    name: String,
    member: String,
    /// The member that says how many; none of a single one.
    count: Option<String>,
    /// How many there are; an expression over `value`.
    held: String,
    is_flexible: bool,
    least: u32,
    most: u32,
    /// What an error expects: of an exact group for each number from `least` on, of the other one in one text.
    expected: Vec<String>,
}

pub(super) fn groups(writer: &Writer<'_>) -> Groups {
    let message = writer.message();
    let flexible = message.fds.iter().position(|group| !group.form.is_exact());
    let exact = message.fds.iter().filter(|group| group.form.is_exact());
    let (least_exact, most_exact) =
        exact.map(|group| group.form.range()).fold((0, 0), |sum, range| (sum.0 + range.0, sum.1 + range.1));
    let flexible = flexible.map(|index| {
        let (least, most) = message.fds[index].form.range();
        Flexible { index, least, most }
    });
    let (least, most) = flexible.as_ref().map_or((0, 0), |group| (group.least, group.most));
    let total = |exact: u32| text(exact + least, exact + most);
    Groups {
        max_fds: message.fd_range().1,
        groups: message.fds.iter().map(group).collect(),
        exact: exact_counts(writer).into(),
        least_exact,
        totals: (least_exact..=most_exact).map(total).collect(),
        flexible,
    }
}

fn group(group: &FdGroup) -> GroupView {
    let field = MessageField::Fds(group);
    let (least, most) = group.form.range();
    let is_flexible = !group.form.is_exact();
    let exact = || (least..=most).map(|count| text(count, count)).collect();
    GroupView {
        name: string(group.name.as_bytes()),
        member: names::message_member(field),
        count: (!is_single(group)).then(|| names::count_member(field)),
        held: fd_count(group),
        is_flexible,
        least,
        most,
        expected: if is_flexible { vec![text(least, most)] } else { exact() },
    }
}

fn text(least: u32, most: u32) -> String {
    string(counted::file_descriptors(least, most).as_bytes())
}

/// How many file descriptors a group has; an expression over `value`.
pub(crate) fn fd_count(group: &FdGroup) -> String {
    let field = MessageField::Fds(group);
    if is_single(group) {
        format!("(value->{} >= 0 ? 1u : 0u)", names::message_member(field))
    } else {
        format!("value->{}", names::count_member(field))
    }
}

pub(super) fn members(group: &FdGroup) -> Vec<MemberView> {
    let field = MessageField::Fds(group);
    let member = names::message_member(field);
    let mut lines = Vec::new();
    match &group.form {
        FdForm::One => {}
        FdForm::Optional { present_if: None } => lines.push("-1 where there is none.".to_owned()),
        FdForm::Optional { present_if: Some(rule) } => {
            lines.push(format!("There is one when `{}`; otherwise it is -1.", rule.text));
        }
        FdForm::Many { least, most, count } => {
            let number = counted::file_descriptors(*least, *most);
            let said =
                count.as_ref().map_or_else(String::new, |count| format!(", as many as `{}`", count.text));
            lines.push(format!("{}{}{said}.", number[..1].to_uppercase(), &number[1..]));
        }
    }
    lines.extend(remarks(group.since, group.deprecated.as_deref()));
    let docs = comment_with(&group.docs, &lines);
    if is_single(group) {
        return vec![MemberView { docs, declaration: format!("int {member}") }];
    }
    let count = MemberView {
        docs: vec![format!(" How many file descriptors `{member}` points to.")],
        declaration: format!("size_t {}", names::count_member(field)),
    };
    vec![MemberView { docs, declaration: format!("const int *{member}") }, count]
}

/// Sets `counts` for each group; of the one that takes what is left, 0.
fn exact_counts(writer: &Writer<'_>) -> Lines {
    let mut lines = Lines::default();
    let subject = writer.subject(Moment::Read);
    let contract = writer.name();
    for (index, group) in writer.message().fds.iter().enumerate() {
        match &group.form {
            FdForm::One => lines.put(format!("counts[{index}] = 1u;")),
            FdForm::Optional { present_if: Some(rule) } => {
                let expected = format!("a file descriptor only when {}", rule.text);
                let fault =
                    Fault { code: "CONDITION_VIOLATED", field: &group.name, expected, when_true: false };
                lines.open("");
                subject.holds(rule, &fault, &mut lines);
                lines.put(format!("counts[{index}] = holds ? 1u : 0u;"));
                lines.close();
            }
            FdForm::Many { least, most, count: Some(count) } => {
                lines.open("");
                let (unknown, known) = subject.number(&count.expr, &mut lines);
                let low = if *least == 0 { String::new() } else { format!(" || said.low < {least}u") };
                lines.open(&format!("if ({unknown}said.negative{low} || said.low > {most}u)"));
                lines.put(format!(
                    "wc_detail_fail_said(error, WC_STATUS_FD_COUNT, \"{contract}\", {}, 0, {}, {known}, said);",
                    string(group.name.as_bytes()),
                    text(*least, *most)
                ));
                lines.put("return WC_STATUS_FD_COUNT;");
                lines.close();
                lines.put(format!("counts[{index}] = WC_DETAIL_CAST(uint32_t, said.low);"));
                lines.close();
            }
            FdForm::Many { least, most, .. } if least == most => {
                lines.put(format!("counts[{index}] = {least}u;"));
            }
            FdForm::Many { .. } | FdForm::Optional { .. } => lines.put(format!("counts[{index}] = 0u;")),
        }
    }
    lines
}

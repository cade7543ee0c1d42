//! Who gets which of the file descriptors beside a message.

use serde::Serialize;

use super::{Checked, MemberView, Writer, is_single};
use crate::counted;
use crate::emit::c::lines::Lines;
use crate::emit::c::literal::{comment_of, string};
use crate::emit::c::rules::Fault;
use crate::model::{FdForm, FdGroup, MessageField, Moment};
use crate::names::c as names;

/// What a message says of file descriptors.
#[derive(Serialize)]
pub(super) struct Groups {
    max_fds: u32,
    groups: Vec<GroupView>,
    /// Of how many groups the parts say how many they have.
    varying: usize,
    has_arrays: bool,
    /// Finds these numbers, as `counts`.
    exact: Checked,
    /// How many file descriptors all exact groups have, where that varies; an expression over `counts`.
    sum: String,
    /// The same where it is `exact` or known; none where it is nothing.
    taken: Option<String>,
    number: NumberView,
    /// The number of the group that takes what the others leave.
    flexible: Option<&'static str>,
    /// Whether a value has to be looked at to know how many there are.
    counts_value: bool,
}

/// How many file descriptors come with a message.
#[derive(Serialize)]
struct NumberView {
    /// The condition under which they are refused, over `fd_count` and `exact`.
    refused: String,
    /// What an error expects, as a literal; none where it depends on the parts.
    expected: Option<String>,
    least: String,
    most: String,
}

#[derive(Serialize)]
struct GroupView {
    /// As errors call it, as a literal.
    name: String,
    /// `one`, `optional` or `many`.
    kind: &'static str,
    member: String,
    /// The member that says how many; of an array.
    count: Option<String>,
    /// How many the group has of those that came; an expression over `counts` and `rest`.
    number: String,
    least: u32,
    /// How many there are; an expression over `value`.
    held: String,
    /// The condition under which a value is refused; none where any number will do.
    refused: Option<String>,
    /// What an error expects, as a literal; none where it is `number`.
    expected: Option<String>,
}

/// The variable that has what the exact groups leave.
const REST: &str = "rest";

pub(super) fn groups(writer: &Writer<'_>) -> Groups {
    let message = writer.message();
    let (mut known, mut sum, mut varying) = (0, String::new(), 0);
    let mut views = Vec::new();
    for group in &message.fds {
        let (least, most) = group.form.range();
        let number = if group.form.flexible().is_some() {
            REST.to_owned()
        } else if is_varying(group) {
            varying += 1;
            let number = format!("counts[{}]", varying - 1);
            sum = if sum.is_empty() { number.clone() } else { format!("{sum} + {number}") };
            number
        } else {
            known += least;
            format!("{least}u")
        };
        views.push(view(group, number, (least, most)));
    }
    let flexible = message.fds.iter().find_map(|group| group.form.flexible());
    Groups {
        max_fds: message.fd_range().1,
        has_arrays: message.fds.iter().any(|group| !is_single(group)),
        exact: exact_counts(writer).into(),
        taken: if varying > 0 { Some("exact".to_owned()) } else { (known > 0).then(|| format!("{known}u")) },
        sum: if known > 0 { format!("{known}u + {sum}") } else { sum },
        number: number(known, varying > 0, flexible),
        flexible: flexible.map(|_| REST),
        counts_value: message.fds.iter().any(|group| !matches!(group.form, FdForm::One)),
        groups: views,
        varying,
    }
}

fn number(known: u32, varies: bool, flexible: Option<(u32, u32)>) -> NumberView {
    let (least, most) = flexible.unwrap_or((0, 0));
    let bound = |of: u32| match (varies, of) {
        (true, 0) => "exact".to_owned(),
        (true, of) => format!("exact + {of}u"),
        (false, of) => format!("{}u", known + of),
    };
    let (low, high) = (bound(least), bound(most));
    let refused = match (&*low, flexible) {
        (low, None) => format!("fd_count != {low}"),
        ("0u", Some(_)) => format!("fd_count > {high}"),
        (low, Some(_)) => format!("fd_count < {low} || fd_count > {high}"),
    };
    let expected = (!varies).then(|| text(known + least, known + most));
    NumberView { refused, expected, least: low, most: high }
}

/// Whether the parts say how many file descriptors an exact group has.
fn is_varying(group: &FdGroup) -> bool {
    matches!(group.form, FdForm::Optional { present_if: Some(_) } | FdForm::Many { count: Some(_), .. })
}

fn view(group: &FdGroup, number: String, (least, most): (u32, u32)) -> GroupView {
    let field = MessageField::Fds(group);
    let member = names::message_member(field);
    let held = fd_count(group);
    let (kind, refused) = match &group.form {
        FdForm::One => ("one", Some(format!("value->{member} < 0"))),
        FdForm::Optional { present_if: Some(_) } => ("optional", Some(format!("{held} != {number}"))),
        FdForm::Optional { present_if: None } => ("optional", None),
        FdForm::Many { count: None, .. } if least != most => {
            let low = if least == 0 { String::new() } else { format!("{held} < {least}u || ") };
            ("many", Some(format!("{low}{held} > {most}u")))
        }
        FdForm::Many { .. } => ("many", Some(format!("{held} != {number}"))),
    };
    GroupView {
        name: string(group.member.name.as_bytes()),
        kind,
        count: (!is_single(group)).then(|| names::count_member(field)),
        expected: (!is_varying(group)).then(|| text(least, most)),
        // Of a group that has as many as the parts say, these may be none.
        least: if matches!(group.form, FdForm::Optional { .. }) { 0 } else { least },
        member,
        number,
        held,
        refused,
    }
}

fn text(least: u32, most: u32) -> String {
    string(counted::file_descriptors(least, most).as_bytes())
}

/// How many file descriptors a group has; an expression over `value`.
pub(crate) fn fd_count(group: &FdGroup) -> String {
    let member = names::message_member(MessageField::Fds(group));
    match group.form {
        FdForm::One => "1u".to_owned(),
        FdForm::Optional { .. } => format!("(value->{member} >= 0 ? 1u : 0u)"),
        FdForm::Many { .. } => format!("value->{}", names::count_member(MessageField::Fds(group))),
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
    let docs = comment_of(&group.member, lines);
    if is_single(group) {
        return vec![MemberView { docs, declaration: format!("int {member}") }];
    }
    let count = MemberView {
        docs: vec![format!(" How many file descriptors `{member}` points to.")],
        declaration: format!("size_t {}", names::count_member(field)),
    };
    vec![MemberView { docs, declaration: format!("const int *{member}") }, count]
}

/// Sets `counts` for each group of which the parts say how many it has.
fn exact_counts(writer: &Writer<'_>) -> Lines {
    let mut lines = Lines::default();
    let subject = writer.subject(Moment::Read);
    let contract = writer.name();
    for (index, group) in writer.message().fds.iter().filter(|group| is_varying(group)).enumerate() {
        match &group.form {
            FdForm::Optional { present_if: Some(rule) } => {
                let expected = format!("a file descriptor only when {}", rule.text);
                let fault = Fault {
                    code: "CONDITION_VIOLATED",
                    field: &group.member.name,
                    expected,
                    when_true: false,
                };
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
                    string(group.member.name.as_bytes()),
                    text(*least, *most)
                ));
                lines.put("return WC_STATUS_FD_COUNT;");
                lines.close();
                lines.put(format!("counts[{index}] = WC_DETAIL_CAST(uint32_t, said.low);"));
                lines.close();
            }
            FdForm::One | FdForm::Optional { .. } | FdForm::Many { .. } => {}
        }
    }
    lines
}

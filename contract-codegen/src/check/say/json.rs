//! Findings for programs.

use wirecontract::{Enumeration, hello};

use crate::catalog::json::Json;
use crate::changes::Verdict;
use crate::changes::json::change;
use crate::check::LockText;
use crate::check::earlier::{Earlier, Fault, TwoIds};
use crate::check::error::Error;
use crate::check::judge::{Judged, Todo};
use crate::gen_stubs::Stale;
use crate::lock::Form;

use super::Report;

/// What is wrong, and where; `code` is there where programs may do something about it.
pub(super) fn error(error: &Error) -> Json {
    let mut members = Vec::new();
    members.extend(error.code().map(|code| ("code", Json::text(code))));
    members.push(("message", Json::Text(error.to_string())));
    if let Some((file, line)) = error.place() {
        members.push(("file", Json::text(file.to_string_lossy())));
        members.extend(line.map(|line| ("line", Json::Integer(line.into()))));
    }
    object([("error", object(members))])
}

pub(super) fn all(report: &Report<'_>) -> Json {
    let stale = report.files.stale.iter().map(|Stale { path, how }| {
        object([("path", Json::text(path.to_string_lossy())), ("state", Json::text(*how))])
    });
    let untracked = report.untracked.iter().map(|path| Json::text(path.to_string_lossy()));
    object([
        ("lock", Json::text(report.lock.to_string_lossy())),
        ("is_clean", Json::Bool(report.is_clean())),
        ("lock_is_as_written", Json::Bool(report.text == LockText::AsWritten)),
        ("contracts", Json::Array(report.judged.iter().map(|judged| contract(report, judged)).collect())),
        ("earlier", Json::Array(report.earlier.iter().map(earlier).collect())),
        ("files", Json::Array(stale.collect())),
        ("untracked", Json::Array(untracked.collect())),
    ])
}

fn contract(report: &Report<'_>, judged: &Judged<'_>) -> Json {
    let form = judged.new.or(judged.old).expect("one of both is there");
    let mut members = vec![
        ("path", Json::text(&form.path)),
        ("kind", Json::text(form.kind.name())),
        ("agreed", version(judged.old)),
        ("declared", version(judged.new)),
        ("verdict", Json::text(verdict(judged))),
        ("todo", Json::text(todo(judged.todo))),
    ];
    if let Todo::Bump { to } | Todo::TakeBump { to } | Todo::Raise { agreed: to } = judged.todo {
        members.push(("version", Json::Integer(to.into())));
    }
    if let Some((file, line)) = report.declared.place(&form.path) {
        members.push(("file", Json::text(file)));
        members.push(("line", Json::Integer(line.into())));
    }
    members.push(("changes", Json::Array(judged.changes.iter().map(change).collect())));
    if let Some(advice) = judged.advice() {
        members.push(("advice", Json::Text(advice)));
    }
    if let Some(two_ids) = report.two_ids(judged) {
        members.push(("hello", greeted(&two_ids)));
    }
    object(members)
}

/// What programs that say hello make of it.
fn greeted(two_ids: &TwoIds) -> Json {
    object([
        ("verdict", Json::text(hello::Verdict::TwoIds.name())),
        ("version", Json::Integer(two_ids.version.into())),
        ("earlier", Json::Array(two_ids.earlier.iter().map(spoken).collect())),
        ("advice", Json::text(two_ids.to_string())),
    ])
}

/// A version and its wire id.
fn spoken((version, wire_id): &(u32, u64)) -> Json {
    object([("version", Json::Integer((*version).into())), ("wire_id", Json::id(*wire_id))])
}

fn earlier(earlier: &Earlier<'_>) -> Json {
    let fault = |fault: &Fault| {
        let mut members =
            vec![("version", Json::Integer(fault.version().into())), ("fault", Json::text(fault.word()))];
        if let Fault::OtherId { agreed, .. } = fault {
            members.push(("agreed", Json::id(*agreed)));
        }
        members.push(("changes", Json::Array(fault.changes().iter().map(change).collect())));
        members.push(("advice", Json::text(fault.to_string())));
        object(members)
    };
    object([
        ("path", Json::text(&earlier.form.path)),
        ("declared", Json::Integer(earlier.form.version.into())),
        ("faults", Json::Array(earlier.faults.iter().map(fault).collect())),
        ("may", Json::Array(earlier.may.iter().map(spoken).collect())),
    ])
}

fn version(form: Option<&Form>) -> Json {
    form.map_or(Json::Null, |form| Json::Integer(form.version.into()))
}

/// What programs tell outcomes by.
fn verdict(judged: &Judged<'_>) -> &'static str {
    match (judged.old, judged.new, judged.verdict) {
        (None, ..) => "new",
        (_, None, _) => "removed",
        (.., Verdict::Harmless) => "harmless",
        (.., Verdict::Compatible) => "compatible",
        (.., Verdict::OldReadersRead) => "old_readers_read",
        (.., Verdict::NewReadersRead) => "new_readers_read",
        (.., Verdict::Breaking) => "breaking",
    }
}

fn todo(todo: Todo) -> &'static str {
    match todo {
        Todo::Accept => "accept",
        Todo::Bump { .. } => "bump",
        Todo::TakeBump { .. } => "take_bump",
        Todo::Raise { .. } => "raise",
        Todo::Deprecate => "deprecate",
        Todo::Nothing => "nothing",
    }
}

fn object(members: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

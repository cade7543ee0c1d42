//! Findings as annotations of a GitHub workflow: one at each declaration.

use std::fmt::Write;
use std::path::Path;

use super::place::Names;
use super::{Report, line};
use crate::check::error::Error;
use crate::check::judge::{Judged, Todo};
use crate::gen_stubs::Stale;

/// Why nothing can be said, where that is known.
pub(super) fn error(error: &Error) -> String {
    let mut out = String::new();
    let names = Names::new(Path::new(""));
    let place = error.place().map(|(file, line)| (names.of(file), line.unwrap_or(1)));
    command(&mut out, "error", place, "check", &error.to_string());
    out
}

pub(super) fn all(report: &Report<'_>) -> String {
    let mut out = String::new();
    let names = Names::new(report.folder);
    for judged in &report.judged {
        contract(&mut out, report, &names, judged);
    }
    for earlier in &report.earlier {
        let place = declared(report, &names, &earlier.form.path);
        let title = format!("{}: earlier versions", earlier.form.path);
        for fault in &earlier.faults {
            let changes = fault.changes().iter().map(line);
            let message: Vec<String> = changes.chain([fault.to_string()]).collect();
            command(&mut out, "error", place.clone(), &title, &message.join("\n"));
        }
        if let Some(suggestion) = earlier.suggestion() {
            command(&mut out, "notice", place, &title, &format!("it may say `{suggestion}`"));
        }
    }
    for Stale { path, how } in &report.files.stale {
        let place = Some((names.of(path), 1));
        command(&mut out, "error", place, "generated file", &format!("{how}: run gen-stubs"));
    }
    for path in &report.untracked {
        command(
            &mut out,
            "error",
            Some((names.of(path), 1)),
            "not tracked",
            "git does not track it: git add it",
        );
    }
    if let Some(note) = report.other_text() {
        command(&mut out, "notice", None, "contracts.lock", note);
    }
    if report.is_new {
        command(
            &mut out,
            "error",
            None,
            "contracts.lock",
            "there is none yet: run check with --accept, and commit it",
        );
    }
    out
}

fn contract(out: &mut String, report: &Report<'_>, names: &Names<'_>, judged: &Judged<'_>) {
    let place = declared(report, names, judged.path());
    let level = if judged.todo.is_allowed() { "warning" } else { "error" };
    let mut message: Vec<String> = judged.changes.iter().map(line).collect();
    message.extend(report.two_ids(judged).map(|two_ids| two_ids.to_string()));
    message.extend(match judged.todo {
        Todo::Accept => Some("run check with --accept, and commit the lock".to_owned()),
        _ => judged.advice(),
    });
    let title = format!("{}: {}", judged.path(), judged.outcome());
    command(out, level, place, &title, &message.join("\n"));
}

/// Where a contract is declared.
fn declared(report: &Report<'_>, names: &Names<'_>, path: &str) -> Option<(String, u32)> {
    let (file, line) = report.declared.place(path)?;
    Some((names.of(Path::new(file)), line))
}

/// A command of a workflow. What would end it early is written as GitHub reads it back.
fn command(out: &mut String, level: &str, place: Option<(String, u32)>, title: &str, message: &str) {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let place =
        place.map_or_else(String::new, |(file, line)| format!("file={},line={line},", property(&file)));
    writeln!(out, "::{level} {place}title={}::{}", property(title), data(message))
        .expect("a String takes all");
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        let mut out = String::new();
        command(&mut out, "error", Some(("a,b.rs".to_owned(), 7)), "a::B: 100%", "one\ntwo: 3");
        assert_eq!(out, "::error file=a%2Cb.rs,line=7,title=a%3A%3AB%3A 100%25::one%0Atwo: 3\n");
    }
}

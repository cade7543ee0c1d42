//! Findings as annotations of a GitHub workflow: one at each declaration.

use std::fmt::Write;

use super::{Report, line};
use crate::check::judge::Judged;
use crate::gen_stubs::Stale;

pub(super) fn all(report: &Report<'_>) -> String {
    let mut out = String::new();
    for judged in &report.judged {
        contract(&mut out, report, judged);
    }
    for earlier in &report.earlier {
        let place = report.declared.place(&earlier.form.path);
        let title = format!("{}: earlier versions", earlier.form.path);
        for fault in &earlier.faults {
            let changes = fault.changes().iter().map(line);
            let message: Vec<String> = changes.chain([fault.to_string()]).collect();
            command(&mut out, "error", place, &title, &message.join("\n"));
        }
        if let Some(suggestion) = earlier.suggestion() {
            command(&mut out, "notice", place, &title, &format!("it may say `{suggestion}`"));
        }
    }
    for Stale { path, how } in &report.files.stale {
        let file = path.strip_prefix(report.folder).unwrap_or(path).to_string_lossy().into_owned();
        command(&mut out, "error", Some((&file, 1)), "generated file", &format!("{how}: run gen-stubs"));
    }
    if let Some(note) = report.other_order() {
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

fn contract(out: &mut String, report: &Report<'_>, judged: &Judged<'_>) {
    let place = report.declared.place(judged.path());
    let level = if judged.todo.is_allowed() { "warning" } else { "error" };
    let mut message: Vec<String> = judged.changes.iter().map(line).collect();
    message.extend(report.two_ids(judged).map(|two_ids| two_ids.to_string()));
    message
        .push(judged.advice().unwrap_or_else(|| "run check with --accept, and commit the lock".to_owned()));
    let title = format!("{}: {}", judged.path(), judged.outcome());
    command(out, level, place, &title, &message.join("\n"));
}

/// A command of a workflow. What would end it early is written as GitHub reads it back.
fn command(out: &mut String, level: &str, place: Option<(&str, u32)>, title: &str, message: &str) {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let place =
        place.map_or_else(String::new, |(file, line)| format!("file={},line={line},", property(file)));
    writeln!(out, "::{level} {place}title={}::{}", property(title), data(message))
        .expect("a String takes all");
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        let mut out = String::new();
        command(&mut out, "error", Some(("a,b.rs", 7)), "a::B: 100%", "one\ntwo: 3");
        assert_eq!(out, "::error file=a%2Cb.rs,line=7,title=a%3A%3AB%3A 100%25::one%0Atwo: 3\n");
    }
}

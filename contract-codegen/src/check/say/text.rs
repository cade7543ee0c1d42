//! Findings for people: what changed, the bytes beside each other, what to do.

use super::{Report, counted, line};
use crate::check::bytes;
use crate::check::earlier::Earlier;
use crate::check::judge::{Judged, Todo, undeprecated};
use crate::gen_stubs::Stale;
use crate::output::relative;

/// Changes of one contract that are said; the others are counted.
const MOST_CHANGES: usize = 12;
/// Files that are named.
const MOST_FILES: usize = 10;

pub(super) fn all(report: &Report<'_>) -> String {
    let mut out = String::new();
    if let Some(note) = report.other_text() {
        put(&mut out, &format!("note: {}: {note}", relative(report.lock).display()));
    }
    if report.is_clean() && report.judged.is_empty() {
        let files = counted(report.files.paths.len(), "file");
        let agreed = if report.declared.is_agreed_on() {
            format!(
                "{} as agreed in {}",
                counted(report.contracts, "contract"),
                relative(report.lock).display()
            )
        } else {
            "no contracts are agreed on here (`lock = false`)".to_owned()
        };
        put(&mut out, &format!("{agreed}, {files} up to date"));
        return out;
    }
    let (new, changed): (Vec<_>, Vec<_>) = report.judged.iter().partition(|judged| judged.old.is_none());
    for judged in changed {
        contract(&mut out, report, judged);
    }
    added(&mut out, &new);
    for each in &report.earlier {
        earlier(&mut out, report, each);
    }
    files(&mut out, report);
    summary(&mut out, report);
    out
}

fn contract(out: &mut String, report: &Report<'_>, judged: &Judged<'_>) {
    let form = judged.new.or(judged.old).expect("one of both is there");
    let versions = match (judged.old, judged.new) {
        (Some(old), Some(new)) if old.version != new.version => {
            format!("version {} to {}", old.version, new.version)
        }
        _ => format!("version {}", form.version),
    };
    put(out, &format!("{} ({}, {versions}): {}", form.path, form.kind.name(), judged.outcome()));
    if let Some((file, line)) = report.declared.place(&form.path) {
        put(out, &format!("  declared in {file}:{line}"));
    }
    if let (Some(old), Some(new)) = (judged.old, judged.new)
        && let Some(map) = bytes::map(old, new)
    {
        out.push_str(&map);
    }
    for change in judged.changes.iter().take(MOST_CHANGES) {
        put(out, &format!("  - {}", line(change)));
    }
    if let Some(more) = judged.changes.len().checked_sub(MOST_CHANGES).filter(|more| *more > 0) {
        put(out, &format!("  - and {more} more"));
    }
    for change in undeprecated(judged.changes) {
        put(out, &format!("  note: `{}` is gone, and was not `deprecated` before", change.at));
    }
    if let Some(two_ids) = report.two_ids(judged) {
        put(out, &format!("  note: {two_ids}"));
    }
    if let Some(advice) = judged.advice() {
        put(out, &format!("  => {advice}"));
    }
    out.push('\n');
}

/// Contracts that nobody has agreed on yet: their names are enough, but for what is refused.
fn added(out: &mut String, new: &[&Judged<'_>]) {
    let names: Vec<&str> = new.iter().filter_map(|judged| judged.new).map(|form| &*form.path).collect();
    if names.is_empty() {
        return;
    }
    put(out, &format!("new: {}", some(&names, MOST_FILES)));
    for judged in new {
        if let Some(advice) = judged.advice() {
            put(out, &format!("  => {advice}"));
        }
    }
    out.push('\n');
}

/// Versions that a contract says it speaks, or may.
fn earlier(out: &mut String, report: &Report<'_>, earlier: &Earlier<'_>) {
    let form = earlier.form;
    put(out, &format!("{} ({}, version {}): earlier versions", form.path, form.kind.name(), form.version));
    if let Some((file, line)) = report.declared.place(&form.path) {
        put(out, &format!("  declared in {file}:{line}"));
    }
    for fault in &earlier.faults {
        for change in fault.changes().iter().filter(|change| !change.effect.is_harmless).take(MOST_CHANGES) {
            put(out, &format!("  - {}", line(change)));
        }
        put(out, &format!("  => {fault}"));
    }
    if let Some(suggestion) = earlier.suggestion() {
        put(
            out,
            &format!(
                "  note: it reads and writes these versions too, and may say so in a hello: `{suggestion}`"
            ),
        );
    }
    out.push('\n');
}

fn files(out: &mut String, report: &Report<'_>) {
    for Stale { path, how } in report.files.stale.iter().take(MOST_FILES) {
        put(out, &format!("{how}: {}", relative(path).display()));
    }
    if let Some(more) = report.files.stale.len().checked_sub(MOST_FILES).filter(|more| *more > 0) {
        put(out, &format!("and {} more", counted(more, "file")));
    }
    if !report.files.stale.is_empty() {
        put(out, "  => run gen-stubs\n");
    }
    for path in report.untracked.iter().take(MOST_FILES) {
        put(out, &format!("not tracked by git: {}", relative(path).display()));
    }
    if let Some(more) = report.untracked.len().checked_sub(MOST_FILES).filter(|more| *more > 0) {
        put(out, &format!("and {} more", counted(more, "file")));
    }
    if !report.untracked.is_empty() {
        put(out, "  => git add them\n");
    }
}

fn summary(out: &mut String, report: &Report<'_>) {
    let lock = relative(report.lock).display().to_string();
    let refused = report.refused();
    let accepted = report.judged.iter().filter(|judged| judged.todo == Todo::Accept).count();
    if refused > 0 {
        put(out, &format!("{} refused: see `=>`", counted(refused, "change")));
    }
    if report.is_new {
        put(out, &format!("there is no {lock} yet: run check with `--accept`, and commit it"));
    } else if accepted > 0 {
        let what = counted(accepted, "contract");
        put(
            out,
            &format!("{lock} has {what} otherwise than declared: run check with `--accept`, and commit it"),
        );
    }
}

fn some(names: &[&str], most: usize) -> String {
    match names.len().checked_sub(most) {
        Some(more) if more > 0 => format!("{} and {more} more", names[..most].join(", ")),
        _ => names.join(", "),
    }
}

fn put(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

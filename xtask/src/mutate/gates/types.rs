//! mypy: edited modules beside a program that the other side wrote for the unchanged ones. One run checks all of them,
//! each in a package of its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};
use wirecontract_codegen::gen_stubs::Target;

use super::{Case, Outcome};
use crate::mutate::subject::{Original, write};

/// Puts a mutant's modules where mypy finds them, beside the unchanged ones. Says whether there is anything to check.
pub(super) fn put(case: &Case<'_>, folder: &Path) -> anyhow::Result<bool> {
    if !case.files.iter().any(|file| file.target == Target::Python) {
        return Ok(false);
    }
    let (mut program, mut modules) = (String::from("import typing\n\n"), 0);
    for original in case.subject.files.iter().filter(|file| file.target == Target::Python) {
        let edited = case.files.iter().find(|file| file.path == original.path);
        // What stands alone imports nothing, and nothing imports it.
        if edited.is_none() && original.path.contains("/standalone/") {
            continue;
        }
        let text = edited.map_or(&original.text, |file| &file.text);
        let path = original.path.trim_start_matches("python/");
        write(&folder.join(path), text)?;
        if edited.is_some() && Path::new(path).extension().is_some_and(|it| it == "py") {
            uses(original, path, modules, &mut program);
            modules += 1;
        }
    }
    write(&folder.join("program.py"), &program)?;
    Ok(true)
}

/// What a program takes of a module: its classes, and of each what it declares.
fn uses(original: &Original, path: &str, number: usize, program: &mut String) {
    let module = path.trim_end_matches(".py").trim_end_matches("/__init__").replace('/', ".");
    let (package, name) = module.rsplit_once('.').unwrap_or(("", &module));
    let _ = writeln!(program, "from .{package} import {name} as m{number}");
    for Class { name, members } in classes(&original.text) {
        let _ = writeln!(program, "\n\ndef use_{number}_{name}(it: m{number}.{name}) -> list[typing.Any]:");
        let members: Vec<String> = members.iter().map(|member| format!("it.{member}")).collect();
        let _ = writeln!(program, "    return [{}]", members.join(", "));
    }
}

struct Class<'a> {
    name: &'a str,
    /// What it declares with a type, and the members of enumerations.
    members: Vec<&'a str>,
}

/// The public classes of a module, from its text.
fn classes(text: &str) -> Vec<Class<'_>> {
    let mut classes: Vec<Class<'_>> = Vec::new();
    let mut is_inside = false;
    let mut is_text = false;
    for line in text.lines() {
        let was_text = is_text;
        is_text = is_text != (line.matches("\"\"\"").count() % 2 == 1);
        if was_text || line.is_empty() {
            continue;
        }
        if let Some(rest) = line.strip_prefix("class ") {
            let name = word(rest);
            is_inside = !name.starts_with('_');
            if is_inside {
                classes.push(Class { name, members: Vec::new() });
            }
            continue;
        }
        is_inside &= line.starts_with(' ');
        let member = line.strip_prefix("    ").filter(|rest| is_inside && !rest.starts_with(' '));
        let Some(rest) = member else { continue };
        let name = word(rest);
        let is_declared = [": ", " = "].iter().any(|next| rest[name.len()..].starts_with(next));
        if let Some(class) = classes.last_mut().filter(|_| is_declared && !name.starts_with('_')) {
            class.members.push(name);
        }
    }
    classes
}

/// The name that a text begins with.
fn word(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())]
}

/// Checks all folders below one, and gives what is wrong with each.
pub(crate) fn run(interpreter: &Path, folder: &Path) -> anyhow::Result<BTreeMap<String, Outcome>> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        names.extend(entry?.file_name().into_string());
    }
    let mut found: BTreeMap<String, Outcome> = names
        .iter()
        .filter(|name| !name.starts_with('.'))
        .map(|name| (name.clone(), Outcome::Passed))
        .collect();
    if found.is_empty() {
        return Ok(found);
    }
    let output = Command::new(interpreter)
        .current_dir(folder)
        .args(["-m", "mypy", "--strict", "--explicit-package-bases", "--no-error-summary"])
        .args(["--config-file", "", "--cache-dir", ".cache", "."])
        .output()
        .with_context(|| format!("cannot run {}", interpreter.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    // 1 is for errors that were found, 2 for what keeps it from looking.
    ensure!(
        matches!(output.status.code(), Some(0 | 1)),
        "expected mypy to check {}, found {said}{}",
        folder.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    for line in said.lines().filter(|line| line.contains(": error:")) {
        let Some((name, _)) = line.split_once('/') else { continue };
        if let Some(outcome) = found.get_mut(name).filter(|outcome| **outcome == Outcome::Passed) {
            *outcome = Outcome::of(Some(line.to_owned()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::classes;

    #[test]
    fn a_program_takes_what_classes_declare_and_nothing_of_their_texts_and_methods() {
        let text = "\
class Frame(_wire.Descriptor):
    \"\"\"Text: of it.

    more: text
    \"\"\"

    WIRE_ID: _typing.ClassVar[int] = 0x1
    width: int
    _hidden: int

    def read(self) -> None:
        inside: int = 1


class _Hidden:
    a: int


class Kind(_enum.IntEnum):
    ONE = 1
";
        let found: Vec<(&str, Vec<&str>)> =
            classes(text).into_iter().map(|class| (class.name, class.members)).collect();
        assert_eq!(found, [("Frame", vec!["WIRE_ID", "width"]), ("Kind", vec!["ONE"])]);
    }
}

//! Edits by hand of generated files. They are chosen by what stands in a file, and not by which line it is: a number, an
//! identifier, a comparison, two members, a parameter.
//!
//! No edit is made of what says nothing to a compiler or reader: comments, documentation strings, the statement of origin,
//! a `$comment` or description in JSON, and lines whose order is free.

use std::collections::BTreeSet;

use wirecontract_codegen::gen_stubs::Target;

use super::subject::{Original, Subject};

/// An edit of one file.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    /// The index of the file in the subject.
    pub(crate) file: usize,
    /// The whole text afterwards.
    pub(crate) text: String,
}

/// An edit that could be made.
pub(crate) struct Possible {
    pub(crate) operator: &'static str,
    /// The file, and the line before.
    pub(crate) place: String,
    pub(crate) change: String,
    pub(crate) edit: Edit,
}

/// Every edit that could be made of a subject's files.
pub(crate) fn all(subject: &Subject) -> Vec<Possible> {
    let mut found = Vec::new();
    for (index, file) in subject.files.iter().enumerate() {
        let is_shared = file.contracts.is_empty();
        // What every package has is no contract's: a number in it may be a buffer's size.
        if is_shared || file.text.is_empty() {
            continue;
        }
        of_file(index, file, &mut found);
    }
    found
}

fn of_file(index: usize, file: &Original, found: &mut Vec<Possible>) {
    let lines: Vec<&str> = file.text.lines().collect();
    let code = code_lines(file.target, &lines);
    let mut seen = BTreeSet::new();
    for (at, line) in lines.iter().enumerate().filter(|(at, _)| code.contains(at)) {
        for (operator, edited) in edits(file.target, &lines, at) {
            // The same edit of the same text elsewhere is another one; of the same line, one is enough.
            if !seen.insert((operator, at)) {
                continue;
            }
            let mut text: Vec<&str> = lines.clone();
            let after: Vec<&str> = edited.iter().map(String::as_str).collect();
            let (from, length) = (at, if operator == "members swapped" { 2 } else { 1 });
            text.splice(from..from + length, after);
            found.push(Possible {
                operator,
                place: format!("{}:{}", file.committed.display(), at + 1),
                change: format!("`{}` → `{}`", line.trim(), edited.join(" ").trim()),
                edit: Edit { file: index, text: text.join("\n") + "\n" },
            });
        }
    }
}

/// The lines that are code: behind the statement, outside of comments and documentation.
fn code_lines(target: Target, lines: &[&str]) -> BTreeSet<usize> {
    let mut code = BTreeSet::new();
    let (mut is_comment, mut is_statement) = (false, true);
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if is_statement {
            is_statement = match target {
                Target::C | Target::Cpp | Target::CJson | Target::PythonNative => !trimmed.starts_with("*/"),
                Target::Python | Target::PythonStub => trimmed.starts_with('#'),
                Target::Json | Target::Schema | Target::Vectors => !line.starts_with("  }"),
            };
            continue;
        }
        let is_code = match target {
            Target::C | Target::Cpp | Target::CJson | Target::PythonNative => {
                let starts = trimmed.starts_with("/*");
                let was = is_comment;
                is_comment = (was || starts) && !line.contains("*/");
                !was && !starts && !trimmed.starts_with("//")
            }
            Target::Python | Target::PythonStub => {
                let quotes = line.matches("\"\"\"").count();
                let was = is_comment;
                is_comment = was != (quotes % 2 == 1);
                !was && quotes == 0 && !trimmed.starts_with('#')
            }
            Target::Json | Target::Schema => !["\"docs\"", "\"$comment\"", "\"description\"", "\"title\""]
                .iter()
                .any(|key| trimmed.starts_with(key)),
            Target::Vectors => true,
        };
        if is_code && !trimmed.is_empty() {
            code.insert(at);
        }
    }
    code
}

/// The edits of a line, each with the lines that stand there afterwards.
fn edits(target: Target, lines: &[&str], at: usize) -> Vec<(&'static str, Vec<String>)> {
    let line = lines[at];
    let mut edits = Vec::new();
    let mut put = |operator, edited: Option<String>| {
        edits.extend(edited.filter(|edited| edited != line).map(|edited| (operator, vec![edited])));
    };
    let trimmed = line.trim();
    // An error's text may say anything; what is compared may not.
    let is_text = trimmed.starts_with('"') && matches!(target, Target::C | Target::Cpp);
    if is_text {
        return edits;
    }
    match target {
        Target::C | Target::Cpp => {
            let id = if states_ids(trimmed) { "wire id" } else { "number" };
            let kind = match trimmed {
                it if it.starts_with("#define") && it.contains("_OFFSET ") => "offset",
                it if it.starts_with("#define") && (it.contains("_SIZE ") || it.contains("_CAPACITY ")) => {
                    "size"
                }
                it if it.starts_with("WC_STATIC_ASSERT") || it.starts_with("static_assert") => "assertion",
                it if it.contains(" = ")
                    && it.ends_with([',', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) =>
                {
                    "enumerator"
                }
                _ => id,
            };
            put(kind, number(line));
            put("comparison", comparison(line));
            // A local variable that could change and does not is read alike.
            let is_declared =
                line.starts_with("    const ") && line.ends_with([',', ';']) && !line.contains(" = ");
            let is_parameter = line.contains("_API ") || is_declared;
            let is_const = is_parameter && line.contains("const ");
            put("constness", is_const.then(|| line.replacen("const ", "", 1)));
            if let Some(name) = struct_member(lines, at) {
                put("member renamed", Some(line.replacen(name, &format!("{name}_"), 1)));
                put("member removed", Some(String::new()));
                if struct_member(lines, at + 1).is_some() {
                    edits.push(("members swapped", vec![lines[at + 1].to_owned(), line.to_owned()]));
                }
            }
            if line.contains("_API wc_status ") && line.contains(", ") && line.ends_with(");") {
                edits.push(("parameters swapped", vec![swapped(line)]));
            }
        }
        Target::Python | Target::PythonStub => {
            let kind = if states_ids(line) || line.contains(": 0x") { "wire id" } else { "number" };
            put(kind, number(line));
            put("comparison", comparison(line));
            let is_field = line.starts_with("    ") && !line.starts_with("     ") && trimmed.contains(": ");
            if is_field && !trimmed.ends_with(':') && !trimmed.starts_with("def ") && !trimmed.contains('(') {
                let name = trimmed.split(':').next().unwrap_or(trimmed);
                put("attribute renamed", Some(line.replacen(name, &format!("{name}_"), 1)));
            }
        }
        Target::CJson | Target::PythonNative => {
            put("number", number(line));
            if line.starts_with("    ")
                && !line.starts_with("     ")
                && trimmed.ends_with(',')
                && trimmed.contains(": ")
            {
                put("member removed", Some(String::new()));
            }
        }
        Target::Json | Target::Schema | Target::Vectors => {
            put("number", number(line));
            let other = if line.contains("true") {
                Some(line.replacen("true", "false", 1))
            } else {
                line.contains("false").then(|| line.replacen("false", "true", 1))
            };
            put("truth", other);
        }
    }
    edits
}

/// Whether it says wire ids: of the contract, or of the versions that are spoken.
fn states_ids(line: &str) -> bool {
    ["WIRE_ID", "wire_id", "_VERSIONS(V)", "versions"].iter().any(|word| line.contains(word))
}

/// The line with its last number raised by one; no part of a word, and none in a string but for JSON's own.
fn number(line: &str) -> Option<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let bytes = line.as_bytes();
    let mut at = line.len();
    while at > 0 {
        let end = line[..at].rfind(|c: char| c.is_ascii_digit())? + 1;
        let before = line[..end].char_indices().rev().find(|(_, c)| !is_word(*c));
        let start = before.map_or(0, |(at, c)| at + c.len_utf8());
        let word_end = line[end..].find(|c| !is_word(c)).map_or(line.len(), |it| end + it);
        let word = &line[start..word_end];
        at = start;
        let quotes = line[..start].matches('"').count();
        if quotes % 2 == 1 || bytes.get(start).is_none_or(|byte| !byte.is_ascii_digit()) {
            continue;
        }
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        let (digits, radix) = match digits.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (digits, 10),
        };
        let Ok(value) = u64::from_str_radix(digits, radix) else { continue };
        let other = match radix {
            16 => format!("0x{:0width$x}", value ^ 1, width = digits.len()),
            _ => value.checked_add(1)?.to_string(),
        };
        let suffix = &word[word.trim_end_matches(['u', 'U', 'l', 'L']).len()..];
        return Some(format!("{}{other}{suffix}{}", &line[..start], &line[word_end..]));
    }
    None
}

/// The line with its first comparison another one.
fn comparison(line: &str) -> Option<String> {
    const OTHERS: [(&str, &str); 6] = [
        (" <= ", " < "),
        (" >= ", " > "),
        (" == ", " != "),
        (" != ", " == "),
        (" < ", " <= "),
        (" > ", " >= "),
    ];
    let code = line.split('"').next().unwrap_or(line);
    let found = OTHERS.iter().filter_map(|(from, to)| Some((code.find(from)?, from, to))).min()?;
    Some(line.replacen(*found.1, found.2, 1))
}

/// The member that a line of C declares, where it is in a struct that is laid out in memory.
fn struct_member<'a>(lines: &[&'a str], at: usize) -> Option<&'a str> {
    let line = lines.get(at)?;
    let name = line.strip_prefix("    ").filter(|rest| !rest.starts_with(' '))?.strip_suffix(';')?;
    if name.contains(['(', '=']) || name.starts_with("return") {
        return None;
    }
    let opened = lines[..at].iter().rposition(|line| line.ends_with('{') && !line.starts_with(' '))?;
    let is_open = !lines[opened..at].iter().any(|line| line.starts_with('}'));
    let is_struct = lines[opened].starts_with("typedef struct ");
    let name = name.split('[').next()?.rsplit([' ', '*']).next()?;
    (is_open && is_struct).then_some(name)
}

/// A prototype whose first two parameters have changed places.
fn swapped(line: &str) -> String {
    let Some((head, rest)) = line.split_once('(') else { return line.to_owned() };
    let mut parameters: Vec<&str> = rest.trim_end_matches(");").split(", ").collect();
    if parameters.len() > 1 {
        parameters.swap(0, 1);
    }
    format!("{head}({});", parameters.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{comparison, number, swapped};

    #[test]
    fn the_last_number_of_a_line_is_another_one() {
        assert_eq!(number("#define P_T_SIZE 184u").as_deref(), Some("#define P_T_SIZE 185u"));
        assert_eq!(number("x = UINT64_C(0x0f)").as_deref(), Some("x = UINT64_C(0x0e)"));
        assert_eq!(
            number("copy_le32(v, 1, \"at byte 7\")").as_deref(),
            Some("copy_le32(v, 2, \"at byte 7\")")
        );
        assert_eq!(number("int32_t plane_0;"), None);
    }

    #[test]
    fn a_comparison_is_another_one() {
        assert_eq!(comparison("if (a <= b)").as_deref(), Some("if (a < b)"));
        assert_eq!(comparison("fail(\"a <= b\")"), None);
    }

    #[test]
    fn two_parameters_change_places() {
        assert_eq!(swapped("P_API wc_status p_f(int a, float b);"), "P_API wc_status p_f(float b, int a);");
    }
}

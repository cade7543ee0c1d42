//! Docstrings, as the package's Python has them.

use std::fmt::Write as _;

/// Characters in a line, as the settings of ruff have it.
pub(super) const WIDTH: usize = 110;

/// A docstring of a text, whose paragraphs are filled anew; examples and lists stay as they are.
pub(super) fn docstring(pad: &str, text: &str) -> String {
    let width = WIDTH - pad.len();
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.trim().split("\n\n") {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let is_laid_out = paragraph.lines().any(|line| line.starts_with([' ', '>', '-', '|']));
        if is_laid_out {
            lines.extend(paragraph.lines().map(|line| line.trim_end().to_owned()));
        } else {
            let width = if lines.is_empty() { width - 3 } else { width };
            lines.extend(filled(paragraph, width));
        }
    }
    let escaped: Vec<String> =
        lines.iter().map(|line| line.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"")).collect();
    if let [line] = &escaped[..]
        && line.chars().count() + 6 <= width
        && !line.ends_with('"')
    {
        return format!("{pad}\"\"\"{line}\"\"\"");
    }
    let mut result = format!("{pad}\"\"\"");
    for (index, line) in escaped.iter().enumerate() {
        match (index, line.is_empty()) {
            (0, _) => result.push_str(line),
            (_, true) => result.push('\n'),
            (_, false) => {
                let _ = write!(result, "\n{pad}{line}");
            }
        }
    }
    let _ = write!(result, "\n{pad}\"\"\"");
    result
}

fn filled(paragraph: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let last = lines.last_mut().expect("there is always a line");
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= width {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::docstring;

    #[test]
    fn paragraphs_are_filled_and_examples_are_not() {
        assert_eq!(docstring("    ", "One.\n"), "    \"\"\"One.\"\"\"");
        assert_eq!(
            docstring("", "One\ntwo.\n\n>>> f()\n'\\n'"),
            "\"\"\"One two.\n\n>>> f()\n'\\\\n'\n\"\"\""
        );
        let long = ["word"; 40].join(" ");
        let text = docstring("    ", &long);
        assert!(text.lines().all(|line| line.len() <= 110), "{text}");
        assert_eq!(text.split_whitespace().count(), 41, "{text}");
    }
}

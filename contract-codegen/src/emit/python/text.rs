//! Python source text: literals, docstrings, and lines broken the way `ruff format` breaks them.

use std::fmt::Write as _;

/// What `ruff format` takes a line to hold.
pub(super) const WIDTH: usize = 88;

/// A string literal.
pub(super) fn string(text: &str) -> String {
    let count = |quote| text.matches(quote).count();
    let quote = if count('"') > count('\'') { '\'' } else { '"' };
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push(quote);
    for character in text.chars() {
        match character {
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            _ if character == quote => {
                literal.push('\\');
                literal.push(quote);
            }
            _ => push_visible(&mut literal, character),
        }
    }
    literal.push(quote);
    literal
}

/// A bytes literal: text where it is text.
pub(super) fn bytes(value: &[u8]) -> String {
    let quote = if value.contains(&b'"') && !value.contains(&b'\'') { '\'' } else { '"' };
    let mut literal = format!("b{quote}");
    for &byte in value {
        match char::from(byte) {
            character if character == '\\' || character == quote => {
                literal.push('\\');
                literal.push(character);
            }
            character @ ' '..='~' => literal.push(character),
            _ => {
                let _ = write!(literal, "\\x{byte:02x}");
            }
        }
    }
    literal.push(quote);
    literal
}

/// A number of bits.
pub(super) fn hex(bits: u64) -> String {
    format!("0x{bits:X}")
}

/// A docstring of paragraphs, each of any number of lines; empty ones are left out.
pub(super) fn docstring(indent: usize, paragraphs: &[&str]) -> String {
    let pad = " ".repeat(indent);
    let paragraphs: Vec<String> = paragraphs.iter().map(|paragraph| escape(paragraph)).collect();
    let shown: Vec<&str> = paragraphs.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    let mut text = shown.join("\n\n");
    // A quote beside the docstring's own would end it, or begin it a character late; one of three is escaped already.
    if let Some(before) = text.strip_suffix('"') {
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        if backslashes % 2 == 0 {
            text.insert(text.len() - 1, '\\');
        }
    }
    if text.starts_with('"') {
        text.insert(0, '\\');
    }
    if !text.contains('\n') && indent + text.chars().count() + 6 <= WIDTH {
        return format!("{pad}\"\"\"{text}\"\"\"");
    }
    let mut result = String::new();
    for (index, line) in text.lines().flat_map(|line| wrapped(line, WIDTH - indent - 3)).enumerate() {
        if index == 0 {
            let _ = write!(result, "{pad}\"\"\"{line}");
        } else if line.is_empty() {
            result.push('\n');
        } else {
            let _ = write!(result, "\n{pad}{line}");
        }
    }
    if text.contains('\n') {
        let _ = write!(result, "\n{pad}");
    }
    result.push_str("\"\"\"");
    result
}

/// A line in pieces of that width, parted at spaces; what follows keeps the line's indentation.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    if line.chars().count() <= width {
        return vec![line.to_owned()];
    }
    let indentation = &line[..line.len() - line.trim_start().len()];
    let mut lines: Vec<String> = vec![indentation.to_owned()];
    let mut room = width.saturating_sub(indentation.len());
    for word in line.split_whitespace() {
        let size = word.chars().count();
        let last = lines.last_mut().expect("there is always a line");
        let is_empty = last.trim().is_empty();
        if is_empty || size < room {
            if !is_empty {
                last.push(' ');
            }
            last.push_str(word);
            room = room.saturating_sub(size + usize::from(!is_empty));
        } else {
            lines.push(format!("{indentation}{word}"));
            room = width.saturating_sub(indentation.len() + size);
        }
    }
    lines
}

/// What a docstring may hold of a text.
fn escape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.trim().lines() {
        let kept = result.len();
        for character in line.trim_end().chars() {
            match character {
                '\\' => result.push_str("\\\\"),
                '\t' => result.push_str("    "),
                _ => push_visible(&mut result, character),
            }
        }
        let safe = result[kept..].replace("\"\"\"", "\\\"\\\"\\\"");
        result.truncate(kept);
        result.push_str(&safe);
        result.push('\n');
    }
    result.trim_end().to_owned()
}

/// Control characters, and those that reorder the text a reviewer sees, as escapes.
fn push_visible(text: &mut String, character: char) {
    let code = u32::from(character);
    let reorders = matches!(code, 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x2069 | 0xfeff);
    if code < 0x20 || (0x7f..0xa0).contains(&code) {
        let _ = write!(text, "\\x{code:02x}");
    } else if reorders {
        let _ = write!(text, "\\u{code:04x}");
    } else {
        text.push(character);
    }
}

/// A statement, broken at its last brackets where it is too long for a line, and inside them again.
pub(super) fn statement(indent: usize, code: &str) -> String {
    before(indent, code, 0)
}

/// A statement that so many characters follow in its last line.
fn before(indent: usize, code: &str, follow: usize) -> String {
    let pad = " ".repeat(indent);
    if indent + width(code) + follow <= WIDTH {
        return format!("{pad}{code}");
    }
    let Some((open, close)) = last_brackets(code) else { return format!("{pad}{code}") };
    let (head, body, tail) = (&code[..=open], &code[open + 1..close], &code[close..]);
    let is_call = head.ends_with('(')
        && code[..open].ends_with(|before: char| before.is_alphanumeric() || before == '_');
    if is_call && indent + 4 + width(body) <= WIDTH {
        return format!("{pad}{head}\n{pad}    {body}\n{pad}{tail}");
    }
    if let Some((element, source)) = comprehension(body) {
        let inner = " ".repeat(indent + 4);
        let fits = indent + 4 + width(body) <= WIDTH;
        let separator = if fits { " ".to_owned() } else { format!("\n{inner}") };
        return format!("{pad}{head}\n{inner}{element}{separator}{source}\n{pad}{tail}");
    }
    match &items(body)[..] {
        // The comma makes the tuple of one.
        [one] if !body.ends_with(',') => {
            format!("{pad}{head}\n{}\n{pad}{tail}", statement(indent + 4, one))
        }
        several => exploded(indent, head, several, tail),
    }
}

/// As [`statement`], with each item on a line of its own.
pub(super) fn exploded(indent: usize, head: &str, items: &[impl AsRef<str>], tail: &str) -> String {
    let pad = " ".repeat(indent);
    let mut result = format!("{pad}{head}\n");
    for item in items {
        let item = item.as_ref();
        let broken = default(indent + 4, item).unwrap_or_else(|| before(indent + 4, item, 1));
        let _ = writeln!(result, "{broken},");
    }
    result.push_str(&pad);
    result.push_str(tail);
    result
}

/// An argument that is too long for a line, and whose default can be parted at operators.
fn default(indent: usize, argument: &str) -> Option<String> {
    let (head, default) = argument.split_once(" = ")?;
    let operands = operands(default);
    if indent + width(argument) < WIDTH || operands.len() == 1 {
        return None;
    }
    let pad = " ".repeat(indent);
    Some(format!("{pad}{head} = {}", operands.join(&format!("\n{pad}| "))))
}

/// The head of a function.
pub(super) fn head(indent: usize, name: &str, arguments: &[String], returns: &str) -> String {
    let pad = " ".repeat(indent);
    let joined = arguments.join(", ");
    let line = format!("{pad}def {name}({joined}) -> {returns}:");
    if width(&line) <= WIDTH {
        return line;
    }
    // The formatter has a comma behind a single one.
    let several = arguments.len() != 1;
    if several && indent + 4 + width(&joined) <= WIDTH && indent + width(returns) + 6 <= WIDTH {
        return format!("{pad}def {name}(\n{pad}    {joined}\n{pad}) -> {returns}:");
    }
    let tail = format!(") -> {returns}:");
    if indent + width(&tail) <= WIDTH {
        return exploded(indent, &format!("def {name}("), arguments, &tail);
    }
    // The formatter breaks what is given too.
    let tail = before(indent, &format!("_ -> {returns}"), 1).replacen('_', ")", 1);
    let inner = " ".repeat(indent + 4);
    if several && indent + 4 + width(&joined) <= WIDTH {
        return format!("{pad}def {name}(\n{inner}{joined}\n{tail}:");
    }
    exploded(indent, &format!("def {name}("), arguments, &format!("{}:", tail.trim_start()))
}

/// `if` with conditions that all have to hold.
pub(super) fn condition(indent: usize, conditions: &[String]) -> String {
    joined(indent, conditions, "and")
}

/// `if` with conditions one of which has to hold.
pub(super) fn either(indent: usize, conditions: &[String]) -> String {
    joined(indent, conditions, "or")
}

fn joined(indent: usize, conditions: &[String], word: &str) -> String {
    let pad = " ".repeat(indent);
    let joined = conditions.join(&format!(" {word} "));
    if indent + width(&joined) + 4 <= WIDTH {
        return format!("{pad}if {joined}:");
    }
    let separator = format!("\n{pad}    {word} ");
    format!("{pad}if (\n{pad}    {}\n{pad}):", conditions.join(&separator))
}

/// A string literal, in several where it is too long for a line.
pub(super) fn long_string(indent: usize, pieces: &[String]) -> String {
    let mut lines = vec![String::new()];
    for piece in pieces {
        let last = lines.last_mut().expect("there is always a line");
        if !last.is_empty() && indent + last.len() + piece.len() + 2 > WIDTH {
            lines.push(piece.clone());
        } else {
            last.push_str(piece);
        }
    }
    let separator = format!("\n{}", " ".repeat(indent));
    lines.iter().map(|line| string(line)).collect::<Vec<_>>().join(&separator)
}

/// Where the last outermost brackets of some code open and close.
fn last_brackets(code: &str) -> Option<(usize, usize)> {
    let mut last = None;
    let mut open = 0;
    walk(code, |index, character, depth| match character {
        '(' | '[' | '{' if depth == 1 => open = index,
        ')' | ']' | '}' if depth == 0 => last = Some((open, index)),
        _ => {}
    });
    last.filter(|&(open, close)| close > open + 1)
}

/// The items between outermost commas.
fn items(body: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let mut start = 0;
    walk(body, |index, character, depth| {
        if character == ',' && depth == 0 {
            items.push(body[start..index].trim());
            start = index + 1;
        }
    });
    let last = body[start..].trim();
    if !last.is_empty() {
        items.push(last);
    }
    items
}

/// What outermost `|` stand between.
fn operands(code: &str) -> Vec<&str> {
    let mut operands = Vec::new();
    let mut start = 0;
    walk(code, |index, character, depth| {
        if character == '|' && depth == 0 {
            operands.push(code[start..index].trim());
            start = index + 1;
        }
    });
    operands.push(code[start..].trim());
    operands
}

/// The element and the rest of a comprehension.
fn comprehension(body: &str) -> Option<(&str, &str)> {
    let mut found = None;
    walk(body, |index, character, depth| {
        if character == ' ' && depth == 0 && found.is_none() && body[index..].starts_with(" for ") {
            found = Some((&body[..index], body[index..].trim_start()));
        }
    });
    found
}

/// Every character outside of strings, with how many brackets are open behind it.
fn walk(code: &str, mut visit: impl FnMut(usize, char, usize)) {
    let mut depth = 0_usize;
    let mut characters = code.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' | '\'' => {
                while let Some((_, inner)) = characters.next() {
                    if inner == '\\' {
                        characters.next();
                    } else if inner == character {
                        break;
                    }
                }
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        visit(index, character, depth);
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_docstring_is_not_ended_by_what_it_quotes() {
        assert_eq!(docstring(0, &["say \"hi\""]), r#""""say "hi\"""""#);
        assert_eq!(docstring(0, &["\"\"\" C:\\n"]), r#""""\"\"\" C:\\n""""#);
        assert_eq!(docstring(0, &["say \"\"\"hi\"\"\""]), r#""""say \"\"\"hi\"\"\"""""#);
        assert_eq!(docstring(0, &["C:\\\""]), r#""""C:\\\"""""#);
        assert_eq!(
            docstring(4, &["One.\n  Two. ", "", "Three."]),
            "    \"\"\"One.\n      Two.\n\n    Three.\n    \"\"\""
        );
    }

    #[test]
    fn an_argument_is_broken_where_its_default_has_operators() {
        let argument = |default: &str| vec!["cls".to_owned(), format!("{}: int = {default}", "a".repeat(60))];
        let broken = head(4, "f", &argument("Access.READ | Access.WRITE"), "None");
        assert!(broken.contains(": int = Access.READ\n        | Access.WRITE,\n"), "{broken}");
        let text = head(4, "f", &argument("\"Access.READ | Access.WRITE\""), "None");
        assert!(text.contains(": int = \"Access.READ | Access.WRITE\",\n"), "{text}");
    }

    #[test]
    fn literals_keep_their_bytes() {
        assert_eq!(bytes(b"CV\"\\\0\xff"), r#"b'CV"\\\x00\xff'"#);
        assert_eq!(string("<u2"), "\"<u2\"");
        assert_eq!(string("say \"hi\""), "'say \"hi\"'");
        assert_eq!(string("\u{202e}'\""), "\"\\u202e'\\\"\"");
    }
}

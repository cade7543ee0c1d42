//! Statements of a function, each with its indentation.

/// Lines of C at some depth of blocks.
#[derive(Default)]
pub(super) struct Lines {
    text: Vec<String>,
    depth: usize,
}

impl Lines {
    /// One statement.
    pub(super) fn put(&mut self, line: impl AsRef<str>) {
        self.text.push(format!("{}{}", "    ".repeat(self.depth), line.as_ref()));
    }

    /// What comes before a block, and its brace.
    pub(super) fn open(&mut self, head: &str) {
        self.put(if head.is_empty() { "{".to_owned() } else { format!("{head} {{") });
        self.depth += 1;
    }

    /// The end of a block.
    pub(super) fn close(&mut self) {
        self.depth -= 1;
        self.put("}");
    }

    /// The end of a block, and the beginning of the one for the other case.
    pub(super) fn otherwise(&mut self) {
        self.depth -= 1;
        self.put("} else {");
        self.depth += 1;
    }

    /// A block that tells of a fault and returns its code when a condition holds.
    pub(super) fn refuse(&mut self, condition: &str, code: &str, report: &str) {
        self.open(&format!("if ({condition})"));
        self.put(report);
        self.put(format!("return WC_STATUS_{code};"));
        self.close();
    }

    /// A block that calls what has checks of its own and returns what they refuse. `before_return` may be empty.
    pub(super) fn nest(&mut self, call: &str, before_return: &str) {
        self.open("");
        self.put(format!("const wc_status status = {call};"));
        self.open("if (status != WC_STATUS_OK)");
        if !before_return.is_empty() {
            self.put(before_return);
        }
        self.put("return status;");
        self.close();
        self.close();
    }

    /// Lines of a block that was written apart.
    pub(super) fn append(&mut self, inner: Lines) {
        for line in inner.text {
            self.put(line);
        }
    }

    /// Lines of a block that was written apart and that another block has alone: it needs no braces of its own.
    pub(super) fn fill(&mut self, inner: Lines) {
        let is_one = inner.text.len() > 1
            && inner.text.first().is_some_and(|line| line == "{")
            && inner.text[1..inner.text.len() - 1].iter().all(|line| line.starts_with(' '));
        if !is_one {
            return self.append(inner);
        }
        for line in &inner.text[1..inner.text.len() - 1] {
            self.put(&line[4..]);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether a statement speaks of a variable.
    pub(super) fn mention(&self, variable: &str) -> bool {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        self.text.iter().any(|line| line.split(|c| !is_word(c)).any(|word| word == variable))
    }

    pub(super) fn into_text(self) -> Vec<String> {
        self.text
    }
}

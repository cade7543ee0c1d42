//! Text to a tree that knows where everything stands, or to the first wrong byte.
//!
//! The tree is a list of nodes that name each other by number: a document that nests a hundred thousand arrays is read
//! and dropped without a stack as deep.

use std::collections::HashSet;

/// A document whose syntax is right.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    nodes: Vec<Node>,
    /// The first key that its object has already: where it stands.
    pub(super) duplicate: Option<(usize, usize)>,
}

/// A value of the document: a position in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeId(usize);

/// A value: its first byte, the byte after its last, and what it is.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Debug)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number,
    Text(String),
    Array(Vec<NodeId>),
    Object(Vec<Member>),
}

/// A key with its value.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) key: String,
    /// The key's opening quote, and the byte after its closing one.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) value: NodeId,
}

/// Why text is not JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// What should stand there.
    Syntax { at: usize, expected: &'static str },
    /// One bracket too many.
    Depth { at: usize },
    /// Half a pair of surrogates.
    Surrogate { at: usize },
}

impl Document<'_> {
    pub(super) const ROOT: NodeId = NodeId(0);

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The text of a value.
    pub(super) fn token(&self, id: NodeId) -> &str {
        let node = self.node(id);
        &self.text[node.start..node.end]
    }

    /// The value without white space, its strings in their one spelling.
    pub(super) fn compact(&self, id: NodeId) -> String {
        compact(self.token(id))
    }
}

/// Reads a whole document.
pub(super) fn parse(text: &str, max_depth: usize) -> Result<Document<'_>, Wrong> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, nodes: Vec::new(), duplicate: None };
    parser.document(max_depth)?;
    Ok(Document { text, nodes: parser.nodes, duplicate: parser.duplicate })
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    duplicate: Option<(usize, usize)>,
}

/// What may come next.
enum Next {
    Value,
    ItemOrEnd,
    KeyOrEnd,
    Key,
    CommaOrEnd,
}

/// An array or object whose end is not reached, with the keys it has so far.
struct Open {
    node: NodeId,
    keys: HashSet<String>,
}

impl Parser<'_> {
    fn document(&mut self, max_depth: usize) -> Result<(), Wrong> {
        let mut open: Vec<Open> = Vec::new();
        let mut next = Next::Value;
        loop {
            self.skip_space();
            next = match next {
                Next::ItemOrEnd if self.peek() == Some(b']') => self.close(&mut open),
                Next::KeyOrEnd if self.peek() == Some(b'}') => self.close(&mut open),
                Next::Value | Next::ItemOrEnd => {
                    let expected = if matches!(next, Next::Value) { "a value" } else { "a value or `]`" };
                    self.value(&mut open, max_depth, expected)?
                }
                Next::Key | Next::KeyOrEnd => {
                    let expected = if matches!(next, Next::Key) { "a key" } else { "a key or `}`" };
                    self.key(&mut open, expected)?;
                    Next::Value
                }
                Next::CommaOrEnd => {
                    let Some(innermost) = open.last() else { break };
                    let is_object = matches!(self.nodes[innermost.node.0].kind, Kind::Object(_));
                    match (self.peek(), is_object) {
                        (Some(b','), _) => {
                            self.at += 1;
                            if is_object { Next::Key } else { Next::Value }
                        }
                        (Some(b'}'), true) | (Some(b']'), false) => self.close(&mut open),
                        (_, true) => return Err(self.wrong("`,` or `}`")),
                        (_, false) => return Err(self.wrong("`,` or `]`")),
                    }
                }
            };
        }
        if self.peek().is_some() { Err(self.wrong("the end")) } else { Ok(()) }
    }

    fn close(&mut self, open: &mut Vec<Open>) -> Next {
        self.at += 1;
        let closed = open.pop().expect("an end of what is open");
        self.nodes[closed.node.0].end = self.at;
        Next::CommaOrEnd
    }

    /// A value, or the start of one that holds others.
    fn value(
        &mut self,
        open: &mut Vec<Open>,
        max_depth: usize,
        expected: &'static str,
    ) -> Result<Next, Wrong> {
        let start = self.at;
        let (kind, next) = match self.peek() {
            Some(b'{') => (Kind::Object(Vec::new()), Next::KeyOrEnd),
            Some(b'[') => (Kind::Array(Vec::new()), Next::ItemOrEnd),
            Some(b'"') => (Kind::Text(self.string()?), Next::CommaOrEnd),
            Some(b't') => (self.literal("true", "`true`", Kind::Bool(true))?, Next::CommaOrEnd),
            Some(b'f') => (self.literal("false", "`false`", Kind::Bool(false))?, Next::CommaOrEnd),
            Some(b'n') => (self.literal("null", "`null`", Kind::Null)?, Next::CommaOrEnd),
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                (Kind::Number, Next::CommaOrEnd)
            }
            _ => return Err(self.wrong(expected)),
        };
        let id = NodeId(self.nodes.len());
        if let Some(outer) = open.last() {
            match &mut self.nodes[outer.node.0].kind {
                Kind::Array(items) => items.push(id),
                Kind::Object(members) => members.last_mut().expect("a value has a key").value = id,
                _ => unreachable!("only arrays and objects hold values"),
            }
        }
        if !matches!(next, Next::CommaOrEnd) {
            if open.len() == max_depth {
                return Err(Wrong::Depth { at: start });
            }
            self.at += 1;
            open.push(Open { node: id, keys: HashSet::new() });
        }
        self.nodes.push(Node { start, end: self.at, kind });
        Ok(next)
    }

    /// A key and its colon.
    fn key(&mut self, open: &mut [Open], expected: &'static str) -> Result<(), Wrong> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.wrong(expected));
        }
        let key = self.string()?;
        let end = self.at;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.wrong("`:`"));
        }
        self.at += 1;
        let outer = open.last_mut().expect("a key stands in an object");
        if !outer.keys.insert(key.clone()) && self.duplicate.is_none() {
            self.duplicate = Some((start, end));
        }
        let Kind::Object(members) = &mut self.nodes[outer.node.0].kind else {
            unreachable!("only objects have keys")
        };
        members.push(Member { key, start, end, value: NodeId(0) });
        Ok(())
    }

    fn literal(&mut self, word: &str, expected: &'static str, kind: Kind) -> Result<Kind, Wrong> {
        for byte in word.bytes() {
            self.take(|found| found == byte, expected)?;
        }
        Ok(kind)
    }

    fn number(&mut self) -> Result<(), Wrong> {
        const DIGIT: &str = "a digit";
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let first = self.take(|byte| byte.is_ascii_digit(), DIGIT)?;
        if first == b'0' {
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(self.wrong("no digit after a leading zero"));
            }
        } else {
            self.skip_digits();
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.take(|byte| byte.is_ascii_digit(), DIGIT)?;
            self.skip_digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.take(|byte| byte.is_ascii_digit(), DIGIT)?;
            self.skip_digits();
        }
        Ok(())
    }

    fn skip_digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    /// A string with its quotes, decoded.
    fn string(&mut self) -> Result<String, Wrong> {
        let mut decoded = String::new();
        self.at += 1;
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            decoded.push_str(&self.text[start..self.at]);
            match self.peek() {
                None => return Err(self.wrong("the end of the string")),
                Some(b'"') => break,
                Some(b'\\') => decoded.push(self.escape()?),
                Some(_) => return Err(self.wrong("an escape")),
            }
        }
        self.at += 1;
        Ok(decoded)
    }

    fn escape(&mut self) -> Result<char, Wrong> {
        let backslash = self.at;
        self.at += 1;
        let short = match self.peek() {
            Some(b'u') => {
                self.at += 1;
                return self.unicode(backslash);
            }
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            _ => return Err(self.wrong("an escape")),
        };
        self.at += 1;
        Ok(short)
    }

    /// What follows `\u`; of a high surrogate, the low one's escape too.
    fn unicode(&mut self, backslash: usize) -> Result<char, Wrong> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.take(|byte| byte.is_ascii_hexdigit(), "four hexadecimal digits")?;
            unit = unit * 16 + hexadecimal(digit);
        }
        if let Some(character) = char::from_u32(unit) {
            return Ok(character);
        }
        match (unit, self.low_surrogate()) {
            (0xd800..=0xdbff, Some(low)) => {
                self.at += 6;
                Ok(char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00)).expect("a pair"))
            }
            _ => Err(Wrong::Surrogate { at: backslash }),
        }
    }

    /// The low surrogate whose escape is next.
    fn low_surrogate(&self) -> Option<u32> {
        let digits = self.bytes.get(self.at..self.at + 6)?.strip_prefix(b"\\u")?;
        let is_number = digits.iter().all(u8::is_ascii_hexdigit);
        let unit = digits.iter().fold(0, |unit, &digit| unit * 16 + hexadecimal(digit));
        (is_number && (0xdc00..=0xdfff).contains(&unit)).then_some(unit)
    }

    fn take(&mut self, is_right: impl Fn(u8) -> bool, expected: &'static str) -> Result<u8, Wrong> {
        match self.peek().filter(|&byte| is_right(byte)) {
            Some(byte) => {
                self.at += 1;
                Ok(byte)
            }
            None => Err(self.wrong(expected)),
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn wrong(&self, expected: &'static str) -> Wrong {
        Wrong::Syntax { at: self.at, expected }
    }
}

fn hexadecimal(digit: u8) -> u32 {
    char::from(digit).to_digit(16).unwrap_or(0)
}

/// JSON text without white space, its strings in their one spelling; numbers stay as they are spelled.
///
/// # Panics
/// When it is not JSON.
pub(super) fn compact(json: &str) -> String {
    let mut parser = Parser { text: json, bytes: json.as_bytes(), at: 0, nodes: Vec::new(), duplicate: None };
    let mut text = String::new();
    while let Some(byte) = parser.peek() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => parser.at += 1,
            b'"' => {
                let string = parser.string().expect("the text was parsed before");
                super::write::push_string(&mut text, &string);
            }
            _ => {
                text.push(char::from(byte));
                parser.at += 1;
            }
        }
    }
    text
}

/// The most objects and arrays around a value of this JSON.
pub(super) fn depth(json: &str) -> usize {
    let mut parser = Parser { text: json, bytes: json.as_bytes(), at: 0, nodes: Vec::new(), duplicate: None };
    let (mut depth, mut deepest) = (0_usize, 0);
    while let Some(byte) = parser.peek() {
        match byte {
            b'"' => {
                parser.string().expect("the text was written by this module");
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
        parser.at += 1;
    }
    deepest
}

//! Expressions as Rust would group them, before any name has a meaning.

use super::RuleError;
use super::token::{Spanned, Token, tokens};
use crate::model::Op;

/// An expression of names.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Syntax {
    Integer(i128),
    Truth(bool),
    /// `a.b.c`
    Field(Vec<String>),
    /// `A::B`
    Value(Vec<String>),
    /// `f(x, y)`
    Call {
        name: String,
        arguments: Vec<Syntax>,
    },
    Not(Box<Syntax>),
    Negate(Box<Syntax>),
    Binary {
        op: Op,
        left: Box<Syntax>,
        right: Box<Syntax>,
    },
}

/// How deep an expression may be: as many calls deep is all that follows, and a forged record may hold any text.
/// The derive refuses what is deeper, and counts as this does.
pub(super) const MAX_DEPTH: usize = 128;

/// How many parentheses, calls, `!` and `-` may be in each other, and what is in them.
const MAX_NESTED: usize = 65;

/// So many conditions in a chain of `&&` or `||` are one in the other; of more, halves are.
const SHORT_CHAIN: usize = 16;

pub(super) fn parse(text: &str) -> Result<Syntax, RuleError> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, end: text.len() };
    let (syntax, _) = parser.binary(0, 0)?;
    if parser.next < parser.tokens.len() {
        return Err(parser.expected("an operator, or the end"));
    }
    Ok(syntax)
}

struct Parser {
    tokens: Vec<Spanned>,
    next: usize,
    end: usize,
}

/// An expression, and how deep it is.
type Deep = (Syntax, usize);

/// From what binds least: each level's operators, none of which is also at another.
const LEVELS: [&[Op]; 5] = [
    &[Op::Or],
    &[Op::And],
    &[Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge],
    &[Op::Add, Op::Sub],
    &[Op::Mul, Op::Div, Op::Rem],
];
const COMPARISONS: usize = 2;

impl Parser {
    /// An expression of operators of that level or ones that bind more, `within` as many others.
    fn binary(&mut self, level: usize, within: usize) -> Result<Deep, RuleError> {
        if level == LEVELS.len() {
            return self.unary(within);
        }
        if level < COMPARISONS {
            return self.chain(level, within);
        }
        let (mut left, mut depth) = self.binary(level + 1, within)?;
        let mut count = 0;
        while let Some(op) = self.operator(LEVELS[level]) {
            count += 1;
            if level == COMPARISONS && count > 1 {
                self.next -= 1;
                return Err(self.expected("no second comparison"));
            }
            let (right, right_depth) = self.binary(level + 1, within)?;
            depth = deeper(depth.max(right_depth))?;
            left = Syntax::Binary { op, left: Box::new(left), right: Box::new(right) };
        }
        Ok((left, depth))
    }

    /// A chain of `&&` or of `||`, of any length.
    fn chain(&mut self, level: usize, within: usize) -> Result<Deep, RuleError> {
        let (first, mut depth) = self.binary(level + 1, within)?;
        let mut terms = vec![first];
        while self.operator(LEVELS[level]).is_some() {
            let (term, term_depth) = self.binary(level + 1, within)?;
            depth = depth.max(term_depth);
            terms.push(term);
        }
        for _ in 0..depth_of_chain(terms.len()) {
            depth = deeper(depth)?;
        }
        Ok((balanced(LEVELS[level][0], terms), depth))
    }

    fn unary(&mut self, within: usize) -> Result<Deep, RuleError> {
        if within == MAX_NESTED {
            return Err(RuleError::TooDeep { most: MAX_NESTED });
        }
        let within = within + 1;
        if self.take("!") {
            let (inner, depth) = self.unary(within)?;
            return Ok((Syntax::Not(Box::new(inner)), deeper(depth)?));
        }
        if self.take("-") {
            let (inner, depth) = self.unary(within)?;
            return Ok((Syntax::Negate(Box::new(inner)), deeper(depth)?));
        }
        if self.take("(") {
            let inner = self.binary(0, within)?;
            self.require(")", "`)`")?;
            return Ok(inner);
        }
        self.primary(within)
    }

    fn primary(&mut self, within: usize) -> Result<Deep, RuleError> {
        if let Some(Spanned { token: Token::Integer(number), .. }) = self.tokens.get(self.next) {
            self.next += 1;
            return Ok((Syntax::Integer(*number), 0));
        }
        let first = self.word("a value")?;
        if self.take("(") {
            let mut arguments = Vec::new();
            let mut depth = 0;
            loop {
                let (argument, argument_depth) = self.binary(0, within)?;
                arguments.push(argument);
                depth = depth.max(argument_depth);
                if !self.take(",") {
                    break;
                }
            }
            self.require(")", "`)`")?;
            return Ok((Syntax::Call { name: first, arguments }, deeper(depth)?));
        }
        let mut words = vec![first];
        for (mark, make) in [
            ("::", Syntax::Value as fn(Vec<String>) -> Syntax),
            (".", Syntax::Field as fn(Vec<String>) -> Syntax),
        ] {
            if self.take(mark) {
                words.push(self.word("a name")?);
                while self.take(mark) {
                    words.push(self.word("a name")?);
                }
                return Ok((make(words), 0));
            }
        }
        Ok(match words[0].as_str() {
            "true" => (Syntax::Truth(true), 0),
            "false" => (Syntax::Truth(false), 0),
            _ => (Syntax::Field(words), 0),
        })
    }

    fn operator(&mut self, among: &[Op]) -> Option<Op> {
        let op = among.iter().copied().find(|op| self.is_next(op.token()))?;
        self.next += 1;
        Some(op)
    }

    fn is_next(&self, mark: &str) -> bool {
        matches!(self.tokens.get(self.next), Some(Spanned { token: Token::Mark(next), .. }) if *next == mark)
    }

    fn take(&mut self, mark: &str) -> bool {
        let is_next = self.is_next(mark);
        self.next += usize::from(is_next);
        is_next
    }

    fn require(&mut self, mark: &str, expected: &'static str) -> Result<(), RuleError> {
        if self.take(mark) { Ok(()) } else { Err(self.expected(expected)) }
    }

    fn word(&mut self, expected: &'static str) -> Result<String, RuleError> {
        match self.tokens.get(self.next) {
            Some(Spanned { token: Token::Word(word), .. }) => {
                self.next += 1;
                Ok(word.clone())
            }
            _ => Err(self.expected(expected)),
        }
    }

    fn expected(&self, expected: &'static str) -> RuleError {
        let at = self.tokens.get(self.next).map_or(self.end, |token| token.at);
        RuleError::Syntax { at, expected }
    }
}

/// How deep [`balanced`] puts so many conditions into each other.
fn depth_of_chain(terms: usize) -> usize {
    if terms <= SHORT_CHAIN { terms.saturating_sub(1) } else { 1 + depth_of_chain(terms.div_ceil(2)) }
}

/// Puts a chain together: which of two `&&` (or of two `||`) comes first changes nothing.
fn balanced(op: Op, mut terms: Vec<Syntax>) -> Syntax {
    let join = |left, right| Syntax::Binary { op, left: Box::new(left), right: Box::new(right) };
    if terms.len() > SHORT_CHAIN {
        let right = terms.split_off(terms.len().div_ceil(2));
        return join(balanced(op, terms), balanced(op, right));
    }
    terms.into_iter().reduce(join).unwrap_or(Syntax::Truth(true))
}

fn deeper(depth: usize) -> Result<usize, RuleError> {
    if depth == MAX_DEPTH { Err(RuleError::TooDeep { most: MAX_DEPTH }) } else { Ok(depth + 1) }
}

#[cfg(test)]
mod tests {
    use super::super::RuleError;
    use super::{MAX_DEPTH, MAX_NESTED, Syntax, parse};

    /// With all that is grouped in parentheses.
    fn grouped(syntax: &Syntax) -> String {
        match syntax {
            Syntax::Integer(number) => number.to_string(),
            Syntax::Truth(truth) => truth.to_string(),
            Syntax::Field(words) => words.join("."),
            Syntax::Value(words) => words.join("::"),
            Syntax::Call { name, arguments } => {
                format!("{name}({})", arguments.iter().map(grouped).collect::<Vec<_>>().join(", "))
            }
            Syntax::Not(inner) => format!("!{}", grouped(inner)),
            Syntax::Negate(inner) => format!("-{}", grouped(inner)),
            Syntax::Binary { op, left, right } => {
                format!("({} {} {})", grouped(left), op.token(), grouped(right))
            }
        }
    }

    #[test]
    fn operators_bind_as_in_rust() {
        for (text, expected) in [
            ("a - b - c", "((a - b) - c)"),
            ("a + b * c % d", "(a + ((b * c) % d))"),
            ("a || b && c == d + 1", "(a || (b && (c == (d + 1))))"),
            ("a && b || c && d", "((a && b) || (c && d))"),
            ("!a == b", "(!a == b)"),
            ("-a * b", "(-a * b)"),
            ("- -1 < !!x.y", "(--1 < !!x.y)"),
            ("(a + b) * f(c, D::E)", "((a + b) * f(c, D::E))"),
            ("0xff + 0b1_01 + 0o17 == 18446744073709551615", "(((255 + 5) + 15) == 18446744073709551615)"),
            ("r#type != true", "(type != true)"),
        ] {
            assert_eq!(parse(text).map(|syntax| grouped(&syntax)).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused_where_it_stops_to_be_one() {
        for (text, at, expected) in [
            ("", 0, "a value"),
            ("a ==", 4, "a value"),
            ("a == b == c", 7, "no second comparison"),
            ("a < b > c", 6, "no second comparison"),
            ("a b", 2, "an operator, or the end"),
            ("(a", 2, "`)`"),
            ("f(a b)", 4, "`)`"),
            ("f()", 2, "a value"),
            ("a.", 2, "a name"),
            ("a::1", 3, "a name"),
            ("a & b", 2, "an operator"),
            ("a = 1", 2, "an operator"),
            ("12x", 0, "an integer"),
            ("0x", 0, "an integer"),
            ("1u32", 0, "an integer"),
            ("\"a\"", 0, "an operator"),
        ] {
            assert_eq!(parse(text), Err(RuleError::Syntax { at, expected }), "{text}");
        }
        assert_eq!(parse("1 + 18446744073709551616"), Err(RuleError::TooLarge { at: 4 }));
    }

    #[test]
    fn no_text_makes_a_tree_deeper_than_the_bound() {
        for (text, most) in [
            ("(".repeat(100_000), MAX_NESTED),
            ("!".repeat(100_000), MAX_NESTED),
            ("-".repeat(100_000), MAX_NESTED),
            ("f(".repeat(100_000), MAX_NESTED),
            (format!("{}a{}", "(".repeat(65), ")".repeat(65)), MAX_NESTED),
            (format!("a{}", " + a".repeat(100_000)), MAX_DEPTH),
            (format!("a{}", " + a".repeat(MAX_DEPTH + 1)), MAX_DEPTH),
        ] {
            assert_eq!(parse(&text), Err(RuleError::TooDeep { most }), "{}…", &text[..10]);
        }
        assert!(parse(&format!("{}a{}", "(".repeat(64), ")".repeat(64))).is_ok());
        assert!(parse(&format!("a{}", " + a".repeat(MAX_DEPTH))).is_ok());
    }

    /// The order of the names, and how deep they are.
    fn walk(syntax: &Syntax, names: &mut Vec<String>) -> usize {
        match syntax {
            Syntax::Binary { left, right, .. } => 1 + walk(left, names).max(walk(right, names)),
            other => {
                names.push(grouped(other));
                0
            }
        }
    }

    #[test]
    fn a_chain_of_conditions_is_of_any_length_and_keeps_its_order() {
        for (op, count) in [(" && ", 16), (" || ", 17), (" && ", 1000), (" || ", 100_000)] {
            let terms: Vec<String> = (0..count).map(|index| format!("a{index}")).collect();
            let (syntax, mut names) = (parse(&terms.join(op)).expect("it is a rule"), Vec::new());
            assert!(walk(&syntax, &mut names) < 32);
            assert_eq!(names, terms);
        }
    }
}

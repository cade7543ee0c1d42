//! What each word of a rule means.

use std::cell::Cell;

use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::depth;
use super::{Checked, Expr, Form, Lookup, LookupOf, Moment, Node, Op, Operand, Place, Rule, Sort, What};
use crate::report::Report;

/// What the words of a rule may mean: the contract that declares it, and its fields.
pub(crate) struct Scope<'a> {
    /// The contract's name, for messages.
    pub(crate) contract: String,
    /// Its fields (of a union, none).
    pub(crate) fields: Vec<Subject<'a>>,
    /// Whether it is a union: `variant` is its own.
    pub(crate) union: bool,
    /// Whether file descriptors may come with it: `fd_count` is known at import.
    pub(crate) fds: bool,
    /// How many rules were checked in this scope; begins at 0.
    pub(crate) next: Cell<usize>,
}

/// A field as rules see it.
pub(crate) struct Subject<'a> {
    pub(crate) ident: &'a Ident,
    /// The name, or the key in JSON, that it was first accepted under.
    pub(crate) accepted: String,
    pub(crate) seen: Seen,
    pub(crate) presence: Presence,
}

/// What a macro sees of a field's type, or of its role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// An integer or a count.
    Number,
    /// A bool.
    Condition,
    /// A float.
    Float,
    /// Something with a length and no value; what it is, with an article: `an array`, `text`, `bytes`, `a map`.
    Long(&'static str),
    /// Something with neither; what it is.
    Nothing(&'static str),
    /// An enumeration or flags as the type says (`Open<E>`, `Flags<E>`), or what the macro cannot see through.
    Other,
}

/// Whether a field may be absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Presence {
    /// It is always there.
    Always,
    /// It may be absent.
    Optional,
    /// It may be absent, which stands for a declared default; its accessor gives one or the other.
    OrDefault,
}

impl<'a> Scope<'a> {
    /// The scope of a contract's rules.
    pub(crate) fn new(contract: String, fields: Vec<Subject<'a>>) -> Scope<'a> {
        Scope { contract, fields, union: false, fds: false, next: Cell::new(0) }
    }

    /// The field that a word is.
    fn find(&self, word: &Ident) -> Option<usize> {
        let word = word.unraw();
        self.fields.iter().position(|field| field.ident.unraw() == word)
    }
}

/// Finds what each word of a rule means. None when something was wrong; the report has it.
pub(crate) fn check(rule: &Rule, scope: &Scope<'_>, report: &mut Report) -> Option<Checked> {
    let id = scope.next.replace(scope.next.get() + 1);
    let before = report.len();
    let mut checker =
        Checker { scope, moment: rule.moment, report, operands: Vec::new(), lookups: Vec::new() };
    let node = checker.as_sort(&rule.expr, Sort::Condition)?;
    let (operands, lookups) = (checker.operands, checker.lookups);
    (report.len() == before).then(|| Checked {
        id,
        span: rule.expr.span,
        name: rule.name.clone(),
        text: rule.expr.text(),
        accepted: rule
            .expr
            .text_with(&|word| scope.find(word).map(|field| scope.fields[field].accepted.clone())),
        moment: rule.moment,
        node,
        operands,
        lookups,
    })
}

struct Checker<'s, 'a, 'r> {
    scope: &'s Scope<'a>,
    moment: Moment,
    report: &'r mut Report,
    operands: Vec<Operand>,
    lookups: Vec<Lookup>,
}

impl Checker<'_, '_, '_> {
    /// The expression, which stands where that sort is asked for.
    fn as_sort(&mut self, expr: &Expr, wanted: Sort) -> Option<Node> {
        let found = self.sort(expr)?;
        let wrong = match (wanted, found) {
            (Sort::Number, Sort::Condition) => {
                Some("a condition, and a number is asked for: `int(condition)` is 1 or 0")
            }
            (Sort::Condition, Sort::Number) => Some("a number, and a condition is asked for: compare it"),
            _ => None,
        };
        if let Some(wrong) = wrong {
            let text = expr.bare().text();
            self.report.span(expr.span, format_args!("`{text}` is {wrong}"));
            return None;
        }
        self.node(expr, wanted)
    }

    /// What an expression is, as far as a macro sees. None when it is nothing, which was reported.
    fn sort(&mut self, expr: &Expr) -> Option<Sort> {
        Some(match &expr.form {
            Form::Integer(..) | Form::Negate(_) | Form::Value(..) => Sort::Number,
            Form::Truth(_) | Form::Not(_) => Sort::Condition,
            Form::Paren(inner) => self.sort(inner)?,
            Form::Binary(op, ..) => match op {
                Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem => Sort::Number,
                _ => Sort::Condition,
            },
            Form::Call(function, _) => match function.unraw().to_string().as_str() {
                "len" | "int" => Sort::Number,
                "present" | "has" => Sort::Condition,
                _ => Sort::Either,
            },
            Form::Path(words) if self.is_word(words, "variant") || self.is_fd_count(words) => Sort::Number,
            Form::Path(words) => {
                let place = self.place(words)?;
                match self.scope.fields[place.field].seen {
                    _ if !place.rest.is_empty() => Sort::Either,
                    Seen::Number => Sort::Number,
                    Seen::Condition => Sort::Condition,
                    _ => Sort::Either,
                }
            }
        })
    }

    fn node(&mut self, expr: &Expr, wanted: Sort) -> Option<Node> {
        Some(match &expr.form {
            Form::Integer(number, _) => Node::Integer(*number),
            Form::Truth(truth) => Node::Truth(*truth),
            Form::Paren(inner) => self.node(inner, wanted)?,
            Form::Not(inner) => Node::Not(Box::new(self.as_sort(inner, Sort::Condition)?)),
            Form::Negate(inner) => {
                if matches!(&inner.bare().form, Form::Integer(number, _) if *number > 1 << 63) {
                    self.report.span(
                        inner.span,
                        "numbers in a rule go from -9223372036854775808 to 18446744073709551615",
                    );
                    return None;
                }
                Node::Negate(Box::new(self.as_sort(inner, Sort::Number)?))
            }
            Form::Value(path, value) => {
                self.lookup(LookupOf::ValueIn(path.clone(), value.clone()), value.span())
            }
            Form::Call(function, arguments) => self.call(expr, function, arguments, wanted)?,
            Form::Path(words) => self.word(expr, words, wanted)?,
            Form::Binary(op, token, left, right) => self.binary(*op, token, left, right)?,
        })
    }

    fn binary(&mut self, op: Op, token: &syn::BinOp, left: &Expr, right: &Expr) -> Option<Node> {
        let (both, left, right) = match op {
            Op::And | Op::Or => return self.logic(op, token, left, right),
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem => {
                let (left, right) = (self.as_sort(left, Sort::Number), self.as_sort(right, Sort::Number));
                (Sort::Number, left?, right?)
            }
            _ => return self.comparison(op, token, left, right),
        };
        Some(Node::Binary(op, both, token.span(), Box::new(left), Box::new(right)))
    }

    /// Conditions of which one `&&` or `||` stands behind the other: however many, as shallow as [`depth`] says.
    fn logic(&mut self, op: Op, token: &syn::BinOp, left: &Expr, right: &Expr) -> Option<Node> {
        let mut terms = vec![(right, token.span())];
        let mut rest = left;
        while let Form::Binary(other, token, left, right) = &rest.form {
            if *other != op {
                break;
            }
            terms.push((right, token.span()));
            rest = left;
        }
        let first = self.as_sort(rest, Sort::Condition);
        let others: Vec<(Option<Node>, Span)> =
            terms.iter().rev().map(|(term, span)| (self.as_sort(term, Sort::Condition), *span)).collect();
        let mut nodes = vec![(first?, token.span())];
        for (node, span) in others {
            nodes.push((node?, span));
        }
        depth::balanced(nodes, &|(left, _), (right, span)| {
            (Node::Binary(op, Sort::Condition, span, Box::new(left), Box::new(right)), span)
        })
        .map(|(node, _)| node)
    }

    /// Two numbers, or (with `==` and `!=`) two conditions; or a field and the bare name of one of its values.
    fn comparison(&mut self, op: Op, token: &syn::BinOp, left: &Expr, right: &Expr) -> Option<Node> {
        if let Some(word) = self.value_beside(left, right) {
            let (value, field) = (self.value_of(word, right)?, self.as_sort(right, Sort::Number)?);
            return Some(Node::Binary(op, Sort::Number, token.span(), Box::new(value), Box::new(field)));
        }
        if let Some(word) = self.value_beside(right, left) {
            let (field, value) = (self.as_sort(left, Sort::Number)?, self.value_of(word, left)?);
            return Some(Node::Binary(op, Sort::Number, token.span(), Box::new(field), Box::new(value)));
        }
        // Beside a field that is misspelled, a bare value is no second mistake.
        let (of_left, of_right) = if is_value(left) {
            let of_right = self.sort(right)?;
            (self.sort(left)?, of_right)
        } else if is_value(right) {
            (self.sort(left)?, self.sort(right)?)
        } else {
            let (of_left, of_right) = (self.sort(left), self.sort(right));
            (of_left?, of_right?)
        };
        let ordered = !matches!(op, Op::Eq | Op::Ne);
        let both = match (of_left, of_right) {
            (Sort::Number, Sort::Condition) | (Sort::Condition, Sort::Number) => {
                let (text, other) = (left.bare().text(), right.bare().text());
                let word = |sort| if sort == Sort::Number { "a number" } else { "a condition" };
                self.report.at(
                    token,
                    format_args!(
                        "`{text}` is {} and `{other}` is {}: `{}` takes two of one sort",
                        word(of_left),
                        word(of_right),
                        op.token()
                    ),
                );
                return None;
            }
            (Sort::Condition, _) | (_, Sort::Condition) if ordered => {
                self.report
                    .at(token, format_args!("conditions have no order: `{}` takes two numbers", op.token()));
                return None;
            }
            (Sort::Condition, _) | (_, Sort::Condition) => Sort::Condition,
            (Sort::Number, _) | (_, Sort::Number) => Sort::Number,
            // Data of one key is of one type, which a constant checks: numbers, unless the other side says otherwise.
            (Sort::Either, Sort::Either) if ordered || is_data(left) || is_data(right) => Sort::Number,
            (Sort::Either, Sort::Either) => Sort::Either,
        };
        let (left, right) = (self.as_sort(left, both), self.as_sort(right, both));
        Some(Node::Binary(op, both, token.span(), Box::new(left?), Box::new(right?)))
    }

    /// A bare word that is no field, beside a field that may have named values.
    fn value_beside<'e>(&self, value: &'e Expr, field: &Expr) -> Option<&'e Ident> {
        let Form::Path(words) = &value.bare().form else { return None };
        let [word] = &words[..] else { return None };
        if self.find(word).is_some() || self.is_word(words, "variant") || self.is_fd_count(words) {
            return None;
        }
        let Form::Path(way) = &field.bare().form else { return None };
        if self.is_word(way, "variant") {
            return Some(word);
        }
        let at = self.find(&way[0])?;
        (way.len() > 1 || self.scope.fields[at].seen == Seen::Other).then_some(word)
    }

    /// The number of a value that a field, or `variant`, may have.
    fn value_of(&mut self, word: &Ident, field: &Expr) -> Option<Node> {
        let Form::Path(way) = &field.bare().form else { return None };
        let of = if self.is_word(way, "variant") {
            LookupOf::Variant(word.clone())
        } else {
            LookupOf::ValueOf(self.place(way)?, word.clone())
        };
        Some(self.lookup(of, word.span()))
    }

    fn call(&mut self, expr: &Expr, function: &Ident, arguments: &[Expr], wanted: Sort) -> Option<Node> {
        let name = function.unraw().to_string();
        if name == "int" {
            return Some(Node::Int(Box::new(self.as_sort(&arguments[0], Sort::Condition)?)));
        }
        let Form::Path(words) = &arguments[0].bare().form else {
            self.report.span(arguments[0].span, format_args!("`{name}` is asked of a field"));
            return None;
        };
        let place = self.place(words)?;
        let subject = &self.scope.fields[place.field];
        let (seen, presence) = (subject.seen, subject.presence);
        let own = place.rest.is_empty();
        let text = words.iter().map(|word| word.unraw().to_string()).collect::<Vec<_>>().join(".");
        if name == "present" {
            if own && presence == Presence::Always {
                self.report.span(
                    place.span,
                    format_args!("`{text}` is always there: only an `Option` is asked for"),
                );
                return None;
            }
            return Some(self.operand(expr, What::Present(place), Sort::Condition));
        }
        self.there(&place)?;
        match name.as_str() {
            "len" => {
                if own && matches!(seen, Seen::Number | Seen::Condition | Seen::Float | Seen::Nothing(_)) {
                    self.report
                        .span(place.span, format_args!("`{text}` is {}, which has no length", called(seen)));
                    return None;
                }
                Some(self.operand(expr, What::Length(place), Sort::Number))
            }
            "has" => {
                if own && seen != Seen::Other {
                    self.report.span(
                        place.span,
                        format_args!(
                            "`{text}` is {}, and `has` is asked of flags (`Flags<E>`)",
                            called(seen)
                        ),
                    );
                    return None;
                }
                let flag = match &arguments[1].bare().form {
                    Form::Path(words) if words.len() == 1 => {
                        LookupOf::FlagOf(place.clone(), words[0].clone())
                    }
                    Form::Value(_, flag) => LookupOf::FlagOf(place.clone(), flag.clone()),
                    _ => {
                        self.report.span(arguments[1].span, "expected the name of a flag");
                        return None;
                    }
                };
                self.lookup(flag, arguments[1].span);
                let lookup = self.lookups.len() - 1;
                Some(self.operand(expr, What::Has(place, lookup), Sort::Condition))
            }
            _ => {
                if own && seen != Seen::Other {
                    self.report.span(
                        function.span(),
                        format_args!(
                            "`{text}` is {}: `{function}({text})` asks for what an enumeration's value carries",
                            called(seen)
                        ),
                    );
                    return None;
                }
                let sort = if wanted == Sort::Condition { Sort::Condition } else { Sort::Number };
                self.lookup(LookupOf::Key(place.clone(), function.clone(), sort), function.span());
                let lookup = self.lookups.len() - 1;
                Some(self.operand(expr, What::Data(place, lookup), sort))
            }
        }
    }

    /// A field's value, `variant` or `fd_count`.
    fn word(&mut self, expr: &Expr, words: &[Ident], wanted: Sort) -> Option<Node> {
        if self.is_word(words, "variant") {
            return Some(self.operand(expr, What::Variant, Sort::Number));
        }
        if self.is_fd_count(words) {
            if self.moment != Moment::Import {
                self.report.span(
                    expr.span,
                    "how many file descriptors came is known to importers only: write `at = import` behind the rule",
                );
                return None;
            }
            return Some(self.operand(expr, What::FdCount, Sort::Number));
        }
        let place = self.place(words)?;
        self.there(&place)?;
        let seen = self.scope.fields[place.field].seen;
        if place.rest.is_empty() && matches!(seen, Seen::Float | Seen::Long(_) | Seen::Nothing(_)) {
            let hint = if matches!(seen, Seen::Long(_)) { ": ask for its length, `len(f)`" } else { "" };
            self.report.span(
                place.span,
                format_args!("`{}` is {}, and has no value in a rule{hint}", words[0].unraw(), called(seen)),
            );
            return None;
        }
        Some(self.operand(expr, What::Value(place), wanted))
    }

    /// A field that may be absent has a value only where it has a default.
    fn there(&mut self, place: &Place) -> Option<()> {
        let subject = &self.scope.fields[place.field];
        if subject.presence == Presence::Optional {
            let name = subject.ident.unraw();
            self.report.span(
                place.span,
                format_args!(
                    "`{name}` may be absent, and has no value in a rule then: give it a default, or ask `present({name})`"
                ),
            );
            return None;
        }
        Some(())
    }

    /// The field that words lead to.
    fn place(&mut self, words: &[Ident]) -> Option<Place> {
        let (first, rest) = words.split_first()?;
        let Some(field) = self.find(first) else {
            self.unknown(first);
            return None;
        };
        let seen = self.scope.fields[field].seen;
        if let (Some(behind), true) = (rest.first(), seen != Seen::Other) {
            self.report.span(
                behind.span(),
                format_args!("`{}` is {}, which has no fields", first.unraw(), called(seen)),
            );
            return None;
        }
        let span = rest.last().map_or(first.span(), Ident::span);
        Some(Place { field, first: first.span(), rest: rest.to_vec(), span })
    }

    fn find(&self, word: &Ident) -> Option<usize> {
        self.scope.find(word)
    }

    fn is_word(&self, words: &[Ident], word: &str) -> bool {
        self.scope.union && words.len() == 1 && words[0] == word
    }

    fn is_fd_count(&self, words: &[Ident]) -> bool {
        self.scope.fds && words.len() == 1 && words[0] == "fd_count" && self.find(&words[0]).is_none()
    }

    fn unknown(&mut self, word: &Ident) {
        let contract = &self.scope.contract;
        let name = word.unraw().to_string();
        if self.scope.union {
            self.report.at(
                word,
                format_args!("the rules of the union `{contract}` know one word of it: `variant`, beside a variant's name"),
            );
            return;
        }
        if name == "fd_count" {
            self.report
                .at(word, "no file descriptors come with a descriptor: `fd_count` is for recipes and unions");
            return;
        }
        let names: Vec<String> =
            self.scope.fields.iter().map(|field| field.ident.unraw().to_string()).collect();
        if let Some(near) = nearest(&name, &names) {
            self.report.at(word, format_args!("`{contract}` has no field `{name}`: did you mean `{near}`?"));
        } else if name.starts_with(char::is_uppercase) {
            self.report.at(
                word,
                format_args!(
                    "`{contract}` has no field `{name}`, and of what enumeration it would be a value is not said: \
                     compare it with a field, or write `Enum::{name}`"
                ),
            );
        } else {
            let names = names.join(", ");
            self.report.at(word, format_args!("`{contract}` has no field `{name}`: it has {names}"));
        }
    }

    fn operand(&mut self, expr: &Expr, what: What, sort: Sort) -> Node {
        let text = expr.bare().text();
        let found = self.operands.iter().position(|operand| operand.text == text);
        let index = found.unwrap_or_else(|| {
            self.operands.push(Operand { text, what, sort, span: expr.span });
            self.operands.len() - 1
        });
        Node::Operand(index, sort, expr.span)
    }

    fn lookup(&mut self, of: LookupOf, span: Span) -> Node {
        self.lookups.push(Lookup { of, span });
        Node::Named(self.lookups.len() - 1)
    }
}

/// What a field is, in a message.
fn called(seen: Seen) -> &'static str {
    match seen {
        Seen::Number => "a number",
        Seen::Condition => "a condition",
        Seen::Float => "a float",
        Seen::Long(what) | Seen::Nothing(what) => what,
        Seen::Other => "another contract",
    }
}

/// Whether it is a word as values are named, and fields are not.
fn is_value(expr: &Expr) -> bool {
    match &expr.bare().form {
        Form::Path(words) => words.len() == 1 && words[0].to_string().starts_with(char::is_uppercase),
        _ => false,
    }
}

fn is_data(expr: &Expr) -> bool {
    match &expr.bare().form {
        Form::Call(function, _) => !["len", "int", "present", "has"].iter().any(|name| function == name),
        _ => false,
    }
}

/// The name that was most likely meant: one that differs in a third of its letters at most.
fn nearest<'n>(name: &str, names: &'n [String]) -> Option<&'n String> {
    names
        .iter()
        .map(|other| (distance(name, other), other))
        .filter(|(distance, other)| 3 * distance <= other.chars().count().max(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, other)| other)
}

/// How many letters must be changed, added or removed.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, is) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *is);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

//! What each word of a rule means.

mod words;

use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::depth;
use super::{Checked, Expr, Form, Lookup, LookupOf, Moment, Node, Op, Operand, Rule, Scope, Seen, Sort};
use crate::report::Report;

/// Finds what each word of a rule means. None when something was wrong; the report has it.
pub(crate) fn check(rule: &Rule, scope: &Scope<'_>, report: &mut Report) -> Option<Checked> {
    check_as(rule, Sort::Condition, scope, report)
}

/// The same of an expression that is a number or a condition.
pub(crate) fn check_as(rule: &Rule, sort: Sort, scope: &Scope<'_>, report: &mut Report) -> Option<Checked> {
    let id = scope.next.replace(scope.next.get() + 1);
    let before = report.len();
    let mut checker = Checker {
        scope,
        moment: rule.moment,
        report,
        operands: Vec::new(),
        lookups: Vec::new(),
        absent: Vec::new(),
    };
    let node = checker.as_sort(&rule.expr, sort)?;
    let (operands, lookups) = (checker.operands, checker.lookups);
    if operands.is_empty() && report.len() == before {
        report.span(
            rule.expr.span,
            format_args!(
                "`{}` reads no field, and says the same of every value: name a field, or remove it",
                rule.expr.text()
            ),
        );
    }
    (report.len() == before).then(|| Checked {
        id,
        span: rule.expr.span,
        name: rule.name.as_ref().map(|name| name.unraw().to_string()),
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
    /// Fields that may be absent, of which it was said that they have no value.
    absent: Vec<usize>,
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
                "len" | "product" | "least" | "int" => Sort::Number,
                "fds" if self.scope.message => Sort::Number,
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
        for (value, field) in [(left, right), (right, left)] {
            self.named_value(value, field)?;
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
            (Sort::Either, Sort::Either) if ordered => Sort::Number,
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

    /// A bare word that is named as values are does not stand beside a field whose values have no names.
    fn named_value(&mut self, value: &Expr, field: &Expr) -> Option<()> {
        let (Form::Path(words), Form::Path(way)) = (&value.bare().form, &field.bare().form) else {
            return Some(());
        };
        let seen = match (self.find(&way[0]), &way[..]) {
            (Some(at), [_]) => self.scope.fields[at].seen,
            _ => return Some(()),
        };
        if !is_value(value) || self.find(&words[0]).is_some() || seen == Seen::Other {
            return Some(());
        }
        let (name, field) = (words[0].unraw(), way[0].unraw());
        let instead = match seen {
            Seen::Number => "write a number, or ",
            _ => "",
        };
        self.report.at(
            &words[0],
            format_args!(
                "`{field}` is {}, and only values of an enumeration have names as `{name}`: {instead}give `{field}` the \
                 type of an enumeration",
                seen.called()
            ),
        );
        None
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
}

/// Whether it is a word as values are named, and fields are not.
fn is_value(expr: &Expr) -> bool {
    match &expr.bare().form {
        Form::Path(words) => words.len() == 1 && words[0].to_string().starts_with(char::is_uppercase),
        _ => false,
    }
}

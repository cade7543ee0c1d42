//! What a word of a rule reads, and what a function is asked of.

use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt;

use super::Checker;
use crate::rule::{Expr, Form, Lookup, LookupOf, Moment, Node, Operand, Place, Presence, Seen, Sort, What};

impl Checker<'_, '_, '_> {
    pub(super) fn call(
        &mut self,
        expr: &Expr,
        function: &Ident,
        arguments: &[Expr],
        wanted: Sort,
    ) -> Option<Node> {
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
        if name == "fds" && self.scope.message || own && seen == Seen::Fds {
            return self.group(expr, &name, place, &text);
        }
        self.there(&place)?;
        match name.as_str() {
            "len" => {
                if own && matches!(seen, Seen::Number | Seen::Condition | Seen::Float | Seen::Nothing(_)) {
                    self.report
                        .span(place.span, format_args!("`{text}` is {}, which has no length", seen.called()));
                    return None;
                }
                Some(self.operand(expr, What::Length(place), Sort::Number))
            }
            "product" | "least" => {
                if own && !matches!(seen, Seen::Long("an array") | Seen::Other) {
                    self.report.span(
                        place.span,
                        format_args!(
                            "`{text}` is {}, and `{name}` is asked of an array of integers",
                            seen.called()
                        ),
                    );
                    return None;
                }
                let what = if name == "product" { What::Product(place) } else { What::Least(place) };
                Some(self.operand(expr, what, Sort::Number))
            }
            "has" => {
                if own && seen != Seen::Other {
                    self.report.span(
                        place.span,
                        format_args!(
                            "`{text}` is {}, and `has` is asked of flags (`Flags<E>`)",
                            seen.called()
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
                            seen.called()
                        ),
                    );
                    return None;
                }
                self.lookup(LookupOf::Key(place.clone(), function.clone(), wanted), function.span());
                let lookup = self.lookups.len() - 1;
                Some(self.operand(expr, What::Data(place, lookup), wanted))
            }
        }
    }

    /// What a function asks of a group of file descriptors: how many there are.
    fn group(&mut self, expr: &Expr, function: &str, place: Place, text: &str) -> Option<Node> {
        let is_group = place.rest.is_empty() && self.scope.fields[place.field].seen == Seen::Fds;
        if is_group && function == "fds" {
            return Some(self.operand(expr, What::Length(place), Sort::Number));
        }
        self.report.span(
            place.span,
            if is_group {
                format!("`{text}` is file descriptors: how many there are is `fds({text})`")
            } else {
                format!("`{text}` is no group of file descriptors, of which `fds` is asked")
            },
        );
        None
    }

    /// A field's value, `variant` or `fd_count`.
    pub(super) fn word(&mut self, expr: &Expr, words: &[Ident], wanted: Sort) -> Option<Node> {
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
        let seen = self.scope.fields[place.field].seen;
        if seen != Seen::Fds {
            self.there(&place)?;
        }
        if place.rest.is_empty() && matches!(seen, Seen::Float | Seen::Long(_) | Seen::Nothing(_) | Seen::Fds)
        {
            let hint = match seen {
                Seen::Long("an array") => {
                    ": ask for its length, `len(f)`, or of integers for `product(f)` or `least(f)`"
                }
                Seen::Long(_) => ": ask for its length, `len(f)`",
                Seen::Fds => ": ask how many there are, `fds(f)`",
                _ => "",
            };
            self.report.span(
                place.span,
                format_args!("`{}` is {}, and has no value in a rule{hint}", words[0].unraw(), seen.called()),
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
            // However often the rule asks for it.
            if !self.absent.contains(&place.field) {
                self.absent.push(place.field);
                self.report.span(
                    place.span,
                    format_args!(
                        "`{name}` may be absent, and has no value in a rule then, also beside `present({name})`: write \
                         `#[wire(default = …)]` on it, which is its value in rules while it is absent, or ask no more \
                         than `present({name})`"
                    ),
                );
            }
            return None;
        }
        Some(())
    }

    /// The field that words lead to.
    pub(super) fn place(&mut self, words: &[Ident]) -> Option<Place> {
        let (first, rest) = words.split_first()?;
        let Some(field) = self.find(first) else {
            self.scope.unknown(first, self.report);
            return None;
        };
        let seen = self.scope.fields[field].seen;
        if let (Some(behind), true) = (rest.first(), seen != Seen::Other) {
            self.report.span(
                behind.span(),
                format_args!("`{}` is {}, which has no fields", first.unraw(), seen.called()),
            );
            return None;
        }
        let span = rest.last().map_or(first.span(), Ident::span);
        Some(Place { field, first: first.span(), rest: rest.to_vec(), span })
    }

    pub(super) fn find(&self, word: &Ident) -> Option<usize> {
        self.scope.find(word)
    }

    pub(super) fn is_word(&self, words: &[Ident], word: &str) -> bool {
        self.scope.union && words.len() == 1 && words[0] == word
    }

    pub(super) fn is_fd_count(&self, words: &[Ident]) -> bool {
        self.scope.fds && words.len() == 1 && words[0] == "fd_count" && self.find(&words[0]).is_none()
    }

    pub(super) fn operand(&mut self, expr: &Expr, what: What, sort: Sort) -> Node {
        let text = expr.bare().text();
        let found = self.operands.iter().position(|operand| operand.text == text);
        let index = found.unwrap_or_else(|| {
            self.operands.push(Operand { text, what, sort, span: expr.span });
            self.operands.len() - 1
        });
        Node::Operand(index, sort, expr.span)
    }

    pub(super) fn lookup(&mut self, of: LookupOf, span: Span) -> Node {
        self.lookups.push(Lookup { of, span });
        Node::Named(self.lookups.len() - 1)
    }
}

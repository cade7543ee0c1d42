//! Conditions across fields: `rule(…)`, `required_if(…)`, `one_of(…)`.
//!
//! [`parse()`] turns tokens into an expression, [`check()`] finds what each word of it means in a [`Scope`] and gives a
//! rule in which only what has a value can be written; `expand::rule` writes Rust from that. What a macro cannot see
//! (an alias, the type of a nested field, whether a word is a value of an enumeration) is left to trait bounds and
//! constants that have the span of the word.

mod check;
mod depth;
mod parse;
mod scope;
mod zero;

use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt;

pub(crate) use crate::parse::Moment;
use crate::parse::RuleTokens;
use crate::report::Report;
pub(crate) use check::{check, check_as};
pub(crate) use parse::parse;
pub(crate) use scope::{Presence, Scope, Seen, Subject};

/// The rules of a container, of which no two have one name. Those that are wrong are left out; the report has them.
pub(crate) fn all(tokens: &[RuleTokens], scope: &Scope<'_>, report: &mut Report) -> Vec<Checked> {
    let rules: Vec<Rule> = tokens.iter().filter_map(|tokens| parse(tokens, report)).collect();
    for (index, rule) in rules.iter().enumerate() {
        let Some(name) = &rule.name else { continue };
        let is_it = |other: &Rule| other.name.as_ref().is_some_and(|other| other.unraw() == name.unraw());
        if rules[..index].iter().any(is_it) {
            report.at(
                name,
                format_args!(
                    "a rule before this one is called `{}`: errors name a rule, so write another name",
                    name.unraw()
                ),
            );
        }
    }
    rules.iter().filter_map(|rule| check(rule, scope, report)).collect()
}

/// A condition on a field, of which every word means something, and which asks for others.
pub(crate) fn condition(
    tokens: &RuleTokens,
    field: &Ident,
    scope: &Scope<'_>,
    report: &mut Report,
) -> Option<Checked> {
    let checked = check(&parse(tokens, report)?, scope, report)?;
    let is_own =
        |operand: &&Operand| operand.place().is_some_and(|place| scope.fields[place.field].ident == field);
    if let Some(operand) = checked.operands.iter().find(is_own) {
        let key = &tokens.key;
        report.span(
            operand.span,
            format_args!(
                "`{key}` of `{field}` asks for `{field}` itself: name another field, or write a `rule`"
            ),
        );
        return None;
    }
    Some(checked)
}

/// An expression over the parts of a message, of which every word means something.
pub(crate) fn over_parts(
    tokens: &RuleTokens,
    sort: Sort,
    parts: usize,
    scope: &Scope<'_>,
    report: &mut Report,
) -> Option<Checked> {
    let checked = check_as(&parse(tokens, report)?, sort, scope, report)?;
    let is_behind = |operand: &&Operand| operand.place().is_some_and(|place| place.field >= parts);
    if let Some(operand) = checked.operands.iter().find(is_behind) {
        report.span(
            operand.span,
            format_args!(
                "`{}` says of what follows the parts what the parts say of it: name a field of a part, or write a `rule`",
                tokens.key
            ),
        );
        return None;
    }
    Some(checked)
}

/// A rule as it is declared.
pub(crate) struct Rule {
    /// The declared name.
    pub(crate) name: Option<Ident>,
    /// The expression.
    pub(crate) expr: Expr,
    /// When it is checked.
    pub(crate) moment: Moment,
}

/// An expression as it is declared.
pub(crate) struct Expr {
    pub(crate) span: Span,
    pub(crate) form: Form,
}

/// What an expression is.
pub(crate) enum Form {
    /// A literal, and how it is spelled in a rule's text.
    Integer(i128, String),
    /// `true` or `false`.
    Truth(bool),
    /// A field, a field of a field, a value of an enumeration, `variant`, `fd_count`.
    Path(Vec<Ident>),
    /// `Enum::Value`: the way to the enumeration, and the value.
    Value(syn::Path, Ident),
    /// `f(x, …)`.
    Call(Ident, Vec<Expr>),
    /// `!x`.
    Not(Box<Expr>),
    /// `-x`.
    Negate(Box<Expr>),
    /// `(x)`.
    Paren(Box<Expr>),
    /// Two expressions, and the operator.
    Binary(Op, syn::BinOp, Box<Expr>, Box<Expr>),
}

/// What is done with two expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

impl Op {
    /// The token.
    pub(crate) const fn token(self) -> &'static str {
        match self {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Rem => "%",
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::And => "&&",
            Op::Or => "||",
        }
    }
}

impl Expr {
    /// The canonical text: as declared, with one space around each operator of two sides and none elsewhere.
    pub(crate) fn text(&self) -> String {
        self.text_with(&|_| None)
    }

    /// The same, with another word for a first word of a path where `other` gives one. A flag in `has` is no path.
    pub(crate) fn text_with(&self, other: &dyn Fn(&Ident) -> Option<String>) -> String {
        let text = |expr: &Expr| expr.text_with(other);
        match &self.form {
            Form::Integer(_, text) => text.clone(),
            Form::Truth(truth) => truth.to_string(),
            Form::Path(words) => {
                let declared = |word: &Ident| word.unraw().to_string();
                let (first, rest) = words.split_at(1);
                let first = first.iter().map(|word| other(word).unwrap_or_else(|| declared(word)));
                first.chain(rest.iter().map(declared)).collect::<Vec<_>>().join(".")
            }
            Form::Value(path, value) => {
                let enumeration = path.segments.last().map(|word| word.ident.unraw().to_string());
                format!("{}::{}", enumeration.unwrap_or_default(), value.unraw())
            }
            Form::Call(function, arguments) => {
                let arguments = arguments.iter().enumerate();
                let arguments: Vec<String> =
                    arguments.map(|(index, it)| if index == 0 { text(it) } else { it.text() }).collect();
                format!("{}({})", function.unraw(), arguments.join(", "))
            }
            Form::Not(inner) => format!("!{}", text(inner)),
            Form::Negate(inner) => format!("-{}", text(inner)),
            Form::Paren(inner) => format!("({})", text(inner)),
            Form::Binary(op, _, left, right) => format!("{} {} {}", text(left), op.token(), text(right)),
        }
    }

    /// The expression without the parentheses around it.
    fn bare(&self) -> &Expr {
        match &self.form {
            Form::Paren(inner) => inner.bare(),
            _ => self,
        }
    }
}

/// A rule of which every word is known to mean something.
pub(crate) struct Checked {
    /// Its position among the rules and conditions that were checked in one scope: part of the names of constants.
    pub(crate) id: usize,
    /// Where the expression stands.
    pub(crate) span: Span,
    /// The declared name.
    pub(crate) name: Option<String>,
    /// The canonical text.
    pub(crate) text: String,
    /// The text with the contract's own fields as they were first accepted: what the wire id covers.
    pub(crate) accepted: String,
    /// When it is checked.
    pub(crate) moment: Moment,
    /// The condition.
    pub(crate) node: Node,
    /// What it reads, each once, in the order of first appearance.
    pub(crate) operands: Vec<Operand>,
    /// What const evaluation looks up.
    pub(crate) lookups: Vec<Lookup>,
}

/// Whether something is a number or a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    Number,
    Condition,
    /// The compiler knows: both sides of an `==` of two fields, or of what their values carry, whose types the macro does
    /// not see.
    Either,
}

/// An expression of which every word is known to mean something.
pub(crate) enum Node {
    Integer(i128),
    Truth(bool),
    /// What is read, as what: a position in [`Checked::operands`].
    Operand(usize, Sort, Span),
    /// The number that const evaluation finds: a position in [`Checked::lookups`].
    Named(usize),
    Not(Box<Node>),
    Negate(Box<Node>),
    Int(Box<Node>),
    /// Two expressions: what is done with them, and what they are.
    Binary(Op, Sort, Span, Box<Node>, Box<Node>),
}

/// What a rule reads.
pub(crate) struct Operand {
    /// As errors show it.
    pub(crate) text: String,
    pub(crate) what: What,
    /// As what it is shown.
    pub(crate) sort: Sort,
    pub(crate) span: Span,
}

impl Operand {
    /// The field that is asked.
    pub(crate) fn place(&self) -> Option<&Place> {
        match &self.what {
            What::Value(place)
            | What::Length(place)
            | What::Product(place)
            | What::Least(place)
            | What::Present(place)
            | What::Has(place, _)
            | What::Data(place, _) => Some(place),
            What::Variant | What::FdCount => None,
        }
    }
}

/// What is read of a value.
pub(crate) enum What {
    /// The value of a field.
    Value(Place),
    /// `len(…)`.
    Length(Place),
    /// `product(…)`.
    Product(Place),
    /// `least(…)`.
    Least(Place),
    /// `present(…)`.
    Present(Place),
    /// `has(…)`, with the position of the flag's bits in [`Checked::lookups`].
    Has(Place, usize),
    /// What an enumeration's value carries, with the position of the key in [`Checked::lookups`].
    Data(Place, usize),
    /// The position of a union's own variant.
    Variant,
    /// `fd_count`.
    FdCount,
}

/// A field, or a field of a field.
#[derive(Clone)]
pub(crate) struct Place {
    /// The position of the contract's own field in its [`Scope`].
    pub(crate) field: usize,
    /// Where its name stands.
    pub(crate) first: Span,
    /// What stands behind it, from the outermost in.
    pub(crate) rest: Vec<Ident>,
    /// Where the last of the names stands.
    pub(crate) span: Span,
}

/// What const evaluation looks up, and what it is refused with when it is not there.
pub(crate) struct Lookup {
    pub(crate) of: LookupOf,
    pub(crate) span: Span,
}

/// A name whose number only the compiler knows.
pub(crate) enum LookupOf {
    /// The number of a value, a flag or a variant that the field at this place may have.
    ValueOf(Place, Ident),
    /// The bits of a flag of the field at this place.
    FlagOf(Place, Ident),
    /// The number of a value of the enumeration at that path.
    ValueIn(syn::Path, Ident),
    /// The position of a union's own variant.
    Variant(Ident),
    /// The position of a data key of the enumeration at this place, which is of that sort, and of which sort it is.
    Key(Place, Ident, Sort),
}

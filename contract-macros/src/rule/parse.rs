//! Tokens of a rule to an expression.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{BinOp, Ident, Lit, UnOp};

use super::{Expr, Form, Op, Rule, depth};
use crate::parse::RuleTokens;
use crate::report::Report;

/// The greatest number a rule may meet.
const MOST: i128 = u64::MAX as i128;

/// The rule in tokens: `EXPR`, or `NAME: EXPR` of a `rule(…)`.
pub(crate) fn parse(tokens: &RuleTokens, report: &mut Report) -> Option<Rule> {
    let tokens_of_one = one(tokens, report)?;
    let (name, rest) = named(&tokens_of_one);
    let name = name.filter(|_| tokens.key == "rule");
    let body = if name.is_some() { rest } else { tokens_of_one };
    if body.is_empty() {
        let key = &tokens.key;
        match &name {
            Some(name) => {
                report.at(name, format_args!("`{name}:` is the name of a rule: its condition stands behind"));
            }
            None => report.at(key, format_args!("expected `{key}(CONDITION)`")),
        }
        return None;
    }
    let last = body.clone().into_iter().last();
    let expression = match syn::parse2::<syn::Expr>(body) {
        Ok(expression) => expression,
        Err(error) => {
            match (error.to_string(), last) {
                (text, Some(last)) if text.starts_with("unexpected end of input") => {
                    report.at(last, "a rule does not end here: a number, a field or another operand follows");
                }
                (text, _) if text == "comparison operators cannot be chained" => {
                    report.span(error.span(), "comparisons are not chained: write `a < b && b < c`");
                }
                _ => report.push(error),
            }
            return None;
        }
    };
    let before = report.len();
    let expr = convert(&expression, report);
    if report.len() == before {
        depth::check(&expr, report)?;
    }
    (report.len() == before).then(|| Rule { name, expr, moment: tokens.moment() })
}

/// The tokens of one rule: a comma may stand behind them, and nothing behind that; a name is a word.
fn one(tokens: &RuleTokens, report: &mut Report) -> Option<TokenStream> {
    let all: Vec<TokenTree> = tokens.tokens.clone().into_iter().collect();
    let is = |token: &TokenTree, mark| matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark);
    if let (Some(TokenTree::Literal(name)), Some(colon)) = (all.first(), all.get(1)) {
        if is(colon, ':') {
            let text = syn::parse2::<syn::LitStr>(name.to_token_stream()).map(|name| name.value());
            let word = text.ok().filter(|text| syn::parse_str::<Ident>(text).is_ok());
            let word = word.as_deref().unwrap_or("name");
            report.at(name, format_args!("the name of a rule is a word: write `rule({word}: …)`"));
            return None;
        }
    }
    let end = all.iter().position(|token| is(token, ',')).unwrap_or(all.len());
    match all.get(end + 1) {
        None => Some(all.into_iter().take(end).collect()),
        Some(TokenTree::Ident(at)) if at == "at" && all.get(end + 2).is_some_and(|token| is(token, '=')) => {
            report.at(at, "`at` stands behind the parentheses: `rule(…), at = import`");
            None
        }
        Some(behind) => {
            report.at(
                behind,
                "a rule is one condition: write another `rule(…)`, or `&&` where there is a comma now",
            );
            None
        }
    }
}

/// The name before a single `:`, and what stands behind.
fn named(tokens: &TokenStream) -> (Option<Ident>, TokenStream) {
    let mut rest = tokens.clone().into_iter();
    let (Some(TokenTree::Ident(name)), Some(TokenTree::Punct(colon))) = (rest.next(), rest.next()) else {
        return (None, TokenStream::new());
    };
    if colon.as_char() == ':' && colon.spacing() == proc_macro2::Spacing::Alone {
        return (Some(name), rest.collect());
    }
    (None, TokenStream::new())
}

/// What this version of rules has, said where something else stands.
const GRAMMAR: &str = "a rule has integers, `true`, `false`, fields, values of enumerations, `len(f)`, `product(f)`, \
                       `least(f)`, `present(f)`, `has(f, Flag)`, `int(condition)`, data keys of enumerations, \
                       `+ - * / %`, comparisons, `&& || !` and parentheses";

fn convert(expression: &syn::Expr, report: &mut Report) -> Expr {
    let span = expression.span();
    let form = match expression {
        syn::Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => integer(number, report),
            Lit::Bool(truth) => Some(Form::Truth(truth.value)),
            other => {
                let what = match other {
                    Lit::Float(_) => "numbers in a rule are exact integers: there are no floats",
                    Lit::Str(_) => "text has no value in a rule: ask for its length, `len(f)`",
                    _ => GRAMMAR,
                };
                report.at(other, what);
                None
            }
        },
        syn::Expr::Path(path) if path.qself.is_none() => word(&path.path, report),
        syn::Expr::Field(_) => way(expression, report).map(Form::Path),
        syn::Expr::Call(call) => function(call, report),
        syn::Expr::Unary(unary) => {
            let inner = Box::new(convert(&unary.expr, report));
            match unary.op {
                UnOp::Not(_) => Some(Form::Not(inner)),
                UnOp::Neg(_) => Some(Form::Negate(inner)),
                other => {
                    report.at(other, GRAMMAR);
                    None
                }
            }
        }
        syn::Expr::Paren(paren) => Some(Form::Paren(Box::new(convert(&paren.expr, report)))),
        syn::Expr::Group(group) => return convert(&group.expr, report),
        syn::Expr::Binary(binary) => {
            let (left, right) = (convert(&binary.left, report), convert(&binary.right, report));
            operator(&binary.op, report)
                .map(|op| Form::Binary(op, binary.op, Box::new(left), Box::new(right)))
        }
        syn::Expr::Assign(assign) => {
            report.at(assign.eq_token, "a rule changes nothing: compare with `==`");
            None
        }
        syn::Expr::MethodCall(call) => {
            report.at(
                &call.method,
                format_args!("a rule calls no methods: {}", method(&call.method.to_string())),
            );
            None
        }
        _ => {
            report.at(expression, GRAMMAR);
            None
        }
    };
    Expr { span, form: form.unwrap_or(Form::Truth(true)) }
}

/// What to write for a method that one might have meant.
fn method(name: &str) -> &'static str {
    match name {
        "len" => "write `len(f)`",
        "product" => "write `product(f)`",
        "min" => "write `least(f)`",
        "is_some" | "is_none" => "write `present(f)`",
        "contains" => "write `has(f, Flag)`",
        _ => {
            "its functions are `len`, `product`, `least`, `present`, `has`, `int` and the data keys of enumerations"
        }
    }
}

fn operator(op: &BinOp, report: &mut Report) -> Option<Op> {
    Some(match op {
        BinOp::Add(_) => Op::Add,
        BinOp::Sub(_) => Op::Sub,
        BinOp::Mul(_) => Op::Mul,
        BinOp::Div(_) => Op::Div,
        BinOp::Rem(_) => Op::Rem,
        BinOp::Eq(_) => Op::Eq,
        BinOp::Ne(_) => Op::Ne,
        BinOp::Lt(_) => Op::Lt,
        BinOp::Le(_) => Op::Le,
        BinOp::Gt(_) => Op::Gt,
        BinOp::Ge(_) => Op::Ge,
        BinOp::And(_) => Op::And,
        BinOp::Or(_) => Op::Or,
        BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_) => {
            report.at(op, "rules have no operators on bits: write `&&`, `||`, or `has(f, Flag)` for a flag");
            return None;
        }
        BinOp::Shl(_) | BinOp::Shr(_) => {
            report.at(op, "rules have no shifts: write `*` or `/` and the power of two");
            return None;
        }
        _ => {
            report.at(op, "a rule changes nothing");
            return None;
        }
    })
}

fn integer(number: &syn::LitInt, report: &mut Report) -> Option<Form> {
    let text: String = number.to_string().chars().filter(|&letter| letter != '_').collect();
    let text = text.to_ascii_lowercase();
    if !number.suffix().is_empty() {
        report.at(number, "numbers in a rule have no type: remove the suffix");
        return None;
    }
    if text.starts_with("0o") {
        report.at(number, "a number in a rule is decimal, hexadecimal (`0x`) or binary (`0b`)");
        return None;
    }
    match number.base10_parse::<i128>() {
        Ok(value) if value <= MOST => Some(Form::Integer(value, text)),
        _ => {
            report.at(number, "numbers in a rule go from -9223372036854775808 to 18446744073709551615");
            None
        }
    }
}

/// A word, or `Enum::Value`.
fn word(path: &syn::Path, report: &mut Report) -> Option<Form> {
    if let Some(bare) = path.segments.iter().find(|segment| !segment.arguments.is_none()) {
        report.at(bare, GRAMMAR);
        return None;
    }
    if let Some(word) = path.get_ident() {
        return Some(Form::Path(vec![word.clone()]));
    }
    let mut path = path.clone();
    let value = path.segments.pop()?.ident;
    path.segments.pop_punct();
    Some(Form::Value(path, value))
}

/// `a.b.c`.
fn way(expression: &syn::Expr, report: &mut Report) -> Option<Vec<Ident>> {
    match expression {
        syn::Expr::Path(path) => match path.path.get_ident() {
            Some(word) => Some(vec![word.clone()]),
            None => {
                report.at(path, "expected a field: its own fields follow behind `.`");
                None
            }
        },
        syn::Expr::Field(field) => {
            let mut words = way(&field.base, report)?;
            match &field.member {
                syn::Member::Named(name) => words.push(name.clone()),
                syn::Member::Unnamed(_) => {
                    report.at(&field.member, "the fields of a contract have names");
                    return None;
                }
            }
            Some(words)
        }
        other => {
            report.at(other, "expected a field: `.` stands between the names of fields");
            None
        }
    }
}

fn function(call: &syn::ExprCall, report: &mut Report) -> Option<Form> {
    let name = match &*call.func {
        syn::Expr::Path(path) => path.path.get_ident(),
        _ => None,
    };
    let Some(name) = name else {
        report.at(
            &call.func,
            "the functions of a rule are `len`, `product`, `least`, `present`, `has`, `int` and the data keys of enumerations",
        );
        return None;
    };
    let arguments: Vec<Expr> = call.args.iter().map(|argument| convert(argument, report)).collect();
    let (takes, usage) = match name.unraw().to_string().as_str() {
        "has" => (2, "has(field, Flag)"),
        "int" => (1, "int(condition)"),
        "len" => (1, "len(field)"),
        "product" => (1, "product(field)"),
        "least" => (1, "least(field)"),
        "present" => (1, "present(field)"),
        _ => (1, ""),
    };
    if arguments.len() != takes {
        let usage = if usage.is_empty() { format!("{name}(field)") } else { usage.to_owned() };
        report.at(call, format_args!("expected `{usage}`"));
        return None;
    }
    Some(Form::Call(name.clone(), arguments))
}

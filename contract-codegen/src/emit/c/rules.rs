//! Conditions on single fields and rules across them, as blocks that end a function with what they refuse.

use super::expression::{Held, Leaf, condition, number};
use super::lines::Lines;
use super::literal::{integer, scalar_type, string};
use super::operand::{Form, Subject};
use super::place::Place;
use super::recipe::presence;
use crate::model::{
    Body, Condition, ConditionKind, Contract, ContractId, Element, Expr, Field, Moment, Operand, Role, Rule,
};
use crate::names::c as names;

/// How many operands an error shows.
const SHOWN: usize = 5;

impl Subject<'_> {
    /// The blocks of this moment: conditions by field, then rules as declared. `base` is where the struct is.
    pub(super) fn rules(&self, base: &str, lines: &mut Lines) {
        let contract = self.input.catalog.get(self.id);
        let mut conditions: Vec<&Condition> =
            contract.conditions().iter().filter(|condition| condition.rule.at == self.at).collect();
        conditions.sort_by_key(|condition| condition.field);
        for condition in conditions {
            self.condition(condition, base, lines);
        }
        for rule in contract.rules().iter().filter(|rule| rule.at == self.at) {
            let name = rule.name.as_ref().map_or_else(String::new, |name| format!("{name}: "));
            let fault = Fault {
                code: "RULE_VIOLATED",
                field: "",
                expected: format!("{name}{}", rule.text),
                when_true: false,
            };
            lines.open("");
            self.rule(rule, &fault, base, lines);
            lines.close();
        }
    }

    fn condition(&self, condition: &Condition, base: &str, lines: &mut Lines) {
        let contract = self.input.catalog.get(self.id);
        let text = &condition.rule.text;
        let fault =
            |field, expected, when_true| Fault { code: "CONDITION_VIOLATED", field, expected, when_true };
        if let Body::Descriptor(descriptor) = &contract.body {
            let field = &descriptor.fields[condition.field];
            lines.open("");
            lines.put("bool used = false;");
            self.used(self.id, condition.field, &self.start(), &mut Counter::default(), lines);
            lines.open("if (used)");
            self.rule(
                &condition.rule,
                &fault(&field.name, format!("zero unless {text}"), false),
                base,
                lines,
            );
            lines.close();
            lines.close();
            return;
        }
        let key = &contract.recipe().keys[condition.field];
        let Some(present) = presence(self.input, self.id, "value->", key) else { return };
        let (head, fault) = match condition.kind {
            ConditionKind::RequiredIf => (
                format!("if (!({present}))"),
                fault(&key.key, format!("the key `{}` when {text}", key.key), true),
            ),
            ConditionKind::UsedIf => (
                format!("if ({present})"),
                fault(&key.key, format!("no key `{}` unless {text}", key.key), false),
            ),
        };
        lines.open(&head);
        self.rule(&condition.rule, &fault, base, lines);
        lines.close();
    }

    /// Reads the operands, computes the expression, and refuses.
    fn rule(&self, rule: &Rule, fault: &Fault<'_>, base: &str, lines: &mut Lines) {
        let operands = self.operands(&rule.expr, lines);
        let holds = condition(&rule.expr, &|operand| leaf(&operands, operand));
        let is_descriptor = matches!(self.input.catalog.get(self.id).body, Body::Descriptor(_));
        if is_descriptor && operands.iter().all(|(_, leaf)| leaf.variable.is_empty()) {
            // Everything is known here: a compiler would say that nothing is looked at.
            lines.put(format!("(void){};", self.start().trim_end_matches("->")));
        }
        if holds.checked {
            lines.put("bool ok = true;");
        }
        lines.put(format!("const bool holds = {};", holds.code));
        let refused = match (fault.when_true, holds.checked) {
            (false, false) => "!holds",
            (false, true) => "!holds || !ok",
            (true, false) => "holds",
            (true, true) => "holds || !ok",
        };
        lines.open(&format!("if ({refused})"));
        self.refuse(fault, base, &operands, lines);
        lines.close();
    }

    /// Computes a condition that other statements ask for, in `holds`. Refused is one that has no value.
    pub(super) fn holds(&self, rule: &Rule, fault: &Fault<'_>, lines: &mut Lines) {
        let operands = self.operands(&rule.expr, lines);
        let holds = condition(&rule.expr, &|operand| leaf(&operands, operand));
        if holds.checked {
            lines.put("bool ok = true;");
        }
        lines.put(format!("const bool holds = {};", holds.code));
        if holds.checked {
            lines.open("if (!ok)");
            self.refuse(fault, "0", &operands, lines);
            lines.close();
        }
    }

    /// Computes a number that other statements ask for, in `said`. What comes back asks whether it has no value, before
    /// another condition, and whether it has one.
    pub(super) fn number(&self, expr: &Expr, lines: &mut Lines) -> (&'static str, &'static str) {
        let operands = self.operands(expr, lines);
        let number = number(expr, &|operand| leaf(&operands, operand));
        if number.checked {
            lines.put("bool ok = true;");
        }
        lines.put(format!("const wc_detail_number said = {};", number.code));
        if number.checked { ("!ok || ", "ok") } else { ("", "true") }
    }

    /// Reads what an expression reads.
    fn operands<'e>(&self, expr: &'e Expr, lines: &mut Lines) -> Vec<(&'e Operand, Leaf)> {
        let numbered = expr.operands().into_iter().enumerate();
        numbered.map(|(number, operand)| (operand, self.read(operand, number, lines))).collect()
    }

    /// Tells of a fault with what was read.
    fn refuse(&self, fault: &Fault<'_>, base: &str, operands: &[(&Operand, Leaf)], lines: &mut Lines) {
        lines.put(format!(
            "wc_detail_fail_plain(error, WC_STATUS_{}, \"{}\", {}, {base}, {});",
            fault.code,
            self.input.catalog.get(self.id).name,
            string(fault.field.as_bytes()),
            string(fault.expected.as_bytes())
        ));
        for (operand, leaf) in operands.iter().take(SHOWN) {
            show(operand, leaf, lines);
        }
        lines.put(format!("return WC_STATUS_{};", fault.code));
    }

    fn start(&self) -> String {
        match self.form {
            Form::Bytes => "bytes".to_owned(),
            Form::Value => "value->".to_owned(),
        }
    }

    /// Sets `used` if the field of a descriptor at `start` has anything but zeros: in an element that counts, or in a
    /// field that a value holds.
    fn used(&self, id: ContractId, index: usize, start: &str, counter: &mut Counter, lines: &mut Lines) {
        let contract = self.input.catalog.get(id);
        let descriptor = contract.descriptor();
        let field = &descriptor.fields[index];
        let constants = names::constant_stem(&self.input.family_of(id).package, contract);
        let offset = |field: &Field| format!("{constants}_{}_OFFSET", names::field_constant(field));
        let place = |field: &Field| match self.form {
            Form::Bytes => format!("{start} + {}", offset(field)),
            Form::Value => format!("{start}{}", names::member(field)),
        };
        if matches!(field.role, Role::Magic(_) | Role::Reserved { .. }) {
            return;
        }
        let elements = field.ty.dims.iter().product::<u32>();
        let size = self.input.catalog.element_size(field.ty.element);
        let count = descriptor.count_of(index).map(|count| {
            let limit = field.ty.dims[0];
            let field = &descriptor.fields[count];
            let code = match self.form {
                Form::Bytes => {
                    let variable = counter.next('n');
                    let Element::Scalar(scalar) = field.ty.element else {
                        unreachable!("a count is an integer")
                    };
                    lines.put(format!("{} {variable};", scalar_type(scalar)));
                    let place_of = Place::all(self.input, self.traits, id).nth(count);
                    let place_of = place_of.expect("a field of the descriptor");
                    lines.put(place_of.transfer(&format!("&{variable}"), &place(field), 1));
                    variable
                }
                Form::Value => place(field),
            };
            format!("wc_detail_least({code}, {limit}u)")
        });
        let Element::Descriptor(nested) = field.ty.element else {
            let length = match (&count, field.ty.dims.first()) {
                (Some(count), Some(&outermost)) => format!("{count} * {}u", elements / outermost * size),
                _ => (elements * size).to_string(),
            };
            let memory = match (self.form, field.ty.dims.is_empty()) {
                (Form::Bytes, _) | (_, false) => place(field),
                (_, true) => format!("&{}", place(field)),
            };
            let is_zero = match (field.ty.dims.is_empty(), size) {
                (true, 1 | 2 | 4 | 8) => format!("wc_detail_is_zero{}({memory})", size * 8),
                _ => format!("wc_detail_is_zero({memory}, {length})"),
            };
            lines.put(format!("used = used || !{is_zero};"));
            return;
        };
        let mut element = place(field);
        let mut stride = elements * size;
        for (level, &limit) in field.ty.dims.iter().enumerate() {
            let variable = counter.next('i');
            let most = match (&count, level) {
                (Some(count), 0) => count.clone(),
                _ => format!("{limit}u"),
            };
            stride /= limit;
            lines.open(&format!("for (size_t {variable} = 0; {variable} < {most}; {variable}++)"));
            element = match self.form {
                Form::Bytes => format!("{element} + {variable} * {stride}u"),
                Form::Value => format!("{element}[{variable}]"),
            };
        }
        if self.form != Form::Bytes {
            element.push('.');
        }
        for index in 0..self.input.catalog.get(nested).descriptor().fields.len() {
            self.used(nested, index, &element, counter, lines);
        }
        for _ in &field.ty.dims {
            lines.close();
        }
    }
}

/// What a condition or a rule that is not met is called.
pub(super) struct Fault<'a> {
    pub(super) code: &'static str,
    pub(super) field: &'a str,
    pub(super) expected: String,
    /// Whether it is the expression's being true that is refused.
    pub(super) when_true: bool,
}

/// The variable that an operand was read into.
fn leaf(operands: &[(&Operand, Leaf)], operand: &Operand) -> Leaf {
    let found = operands.iter().find(|(other, _)| other.text == operand.text);
    found.expect("every operand was read").1.clone()
}

/// Adds what was read to the error.
fn show(operand: &Operand, leaf: &Leaf, lines: &mut Lines) {
    let text = string(operand.text.as_bytes());
    let value = match leaf.variable.as_str() {
        "" => integer(leaf.range.0, leaf.held == Held::Signed),
        variable => variable.to_owned(),
    };
    let line = |report, value| format!("wc_detail_found_{report}(error, {text}, {value});");
    let tell = |lines: &mut Lines| match (operand.is_condition, leaf.held) {
        (true, _) => lines.put(line("truth", value.clone())),
        (false, Held::Signed) => lines.put(line("signed", value.clone())),
        (false, Held::Unsigned) => lines.put(line("unsigned", value.clone())),
        (false, Held::Wide) => {
            lines.open(&format!("if ({value}.negative)"));
            lines.put(line("signed", format!("WC_DETAIL_CAST(int64_t, {value}.low)")));
            lines.otherwise();
            lines.put(line("unsigned", format!("{value}.low")));
            lines.close();
        }
    };
    match &leaf.known {
        None => tell(lines),
        Some(known) => {
            lines.open(&format!("if ({known})"));
            tell(lines);
            lines.otherwise();
            lines.put(format!("wc_detail_found_nothing(error, {text});"));
            lines.close();
        }
    }
}

/// Variables that nothing else in the block is called.
#[derive(Default)]
struct Counter(usize);

impl Counter {
    fn next(&mut self, letter: char) -> String {
        self.0 += 1;
        format!("{letter}{}", self.0)
    }
}

/// Whether a contract says anything of that moment.
pub(super) fn has_rules(contract: &Contract, at: Moment) -> bool {
    contract.rules().iter().any(|rule| rule.at == at)
        || contract.conditions().iter().any(|condition| condition.rule.at == at)
}

//! What a rule reads, and the variable it is read into.

mod beside;
mod elements;
mod place;

use self::place::Target;
use super::expression::{Held, Leaf};
use super::lines::Lines;
use super::literal::{bits, integer};
use super::traits::Traits;
use super::view::{bounds, known_runs};
use crate::emit::EmitInput;
use crate::model::{
    ContractId, DataType, DataValue, JsonType, Length, Literal, Moment, Operand, Path, Role, Scalar, What,
};
use crate::names::c as names;

/// The contract that rules are of, and where its value is.
pub(super) struct Subject<'a> {
    pub(super) input: &'a EmitInput<'a>,
    pub(super) traits: &'a [Traits],
    pub(super) id: ContractId,
    pub(super) form: Form,
    pub(super) at: Moment,
}

/// Where a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A descriptor at `bytes`, whose fields were checked.
    Bytes,
    /// A descriptor, recipe, union or message at `value`.
    Value,
}

/// A number or a condition at some place.
struct Source {
    /// The expression to read it from.
    code: String,
    /// What has to come before.
    before: Vec<String>,
    /// What it is.
    kind: Kind,
    /// When the expression stands for a value; always where nothing is said.
    present: Option<(String, Literal)>,
}

#[derive(Clone, Copy)]
enum Kind {
    Bool,
    Number(Scalar),
    /// An enumeration's number; whether it may have no name.
    Enumeration {
        id: ContractId,
        open: bool,
    },
    /// The number of an enumeration, unless it is a name.
    OpenName(ContractId),
    Flags(ContractId),
    /// The position of a union's variant.
    Tag,
}

impl Subject<'_> {
    /// Reads an operand into the variable `x` of that number.
    pub(super) fn read(&self, operand: &Operand, number: usize, lines: &mut Lines) -> Leaf {
        let variable = format!("x{number}");
        if let Some(leaf) = self.beside(&operand.what, &variable, lines) {
            return leaf;
        }
        match &operand.what {
            What::FdCount => {
                lines.put(format!("const uint64_t {variable} = fd_count;"));
                unsigned(variable, (0, i128::from(u64::MAX)))
            }
            What::Present(path) => {
                lines.put(format!("const bool {variable} = {};", self.presence(path)));
                truth(variable)
            }
            What::Length(path) => self.length(path, variable, number, lines),
            What::Product(path) => self.product(path, number, lines),
            What::Least(path) => self.least(path, number, lines),
            What::Value(path) => self.value(path, variable, number, lines),
            What::Has { path, bits: wanted } => {
                let source = self.source(path, number);
                let Kind::Flags(flags) = source.kind else { unreachable!("only flags have flags") };
                let repr = self.input.catalog.get(flags).repr();
                let wanted = bits(*wanted, repr);
                let code = with_default(&source, &|literal| bits(literal_bits(literal), repr));
                source.before.iter().for_each(|line| lines.put(line));
                lines.put(format!("const bool {variable} = ({code} & {wanted}) == {wanted};"));
                truth(variable)
            }
            What::Data { path, contract, key } => self.data(path, *contract, *key, number, lines),
        }
    }

    fn value(&self, path: &Path, variable: String, number: usize, lines: &mut Lines) -> Leaf {
        let source = self.source(path, number);
        source.before.iter().for_each(|line| lines.put(line));
        let repr = |id| self.input.catalog.get(id).repr();
        let (scalar, known) = match source.kind {
            Kind::Bool => {
                let code = match self.form {
                    Form::Bytes => format!("{} != 0", source.code),
                    Form::Value => {
                        with_default(&source, &|literal| (*literal == Literal::Bool(true)).to_string())
                    }
                };
                lines.put(format!("const bool {variable} = {code};"));
                return truth(variable);
            }
            Kind::Number(scalar) => (scalar, None),
            Kind::Enumeration { id, .. } | Kind::Flags(id) => (repr(id), None),
            Kind::OpenName(id) => (repr(id), Some(format!("k{number}"))),
            Kind::Tag => (Scalar::I32, None),
        };
        if let Some(known) = &known {
            lines.put(format!("const bool {known} = {};", open_name_is_known(&source)));
        }
        let code = with_default(
            &Source { code: source.code.clone() + if known.is_some() { ".value" } else { "" }, ..source },
            &|literal| integer(self.literal_number(literal, source.kind), scalar.is_signed()),
        );
        let ty = if scalar.is_signed() { "int64_t" } else { "uint64_t" };
        lines.put(format!("const {ty} {variable} = {code};"));
        Leaf { variable, range: bounds(scalar), held: Held::of(scalar.is_signed()), known }
    }

    fn literal_number(&self, literal: &Literal, kind: Kind) -> i128 {
        match (literal, kind) {
            (Literal::Integer(value), _) => *value,
            (Literal::Flags(bits), _) => i128::from(*bits),
            (Literal::Value(index), Kind::Enumeration { id, .. } | Kind::OpenName(id)) => {
                self.input.catalog.get(id).enumeration().values[*index].value
            }
            _ => unreachable!("the default is of the key's type"),
        }
    }

    /// What an enumeration's value carries.
    fn data(&self, path: &Path, id: ContractId, key: usize, number: usize, lines: &mut Lines) -> Leaf {
        let source = self.source(path, number);
        let contract = self.input.catalog.get(id);
        let body = contract.enumeration();
        let package = &self.input.family_of(id).package;
        let stem = names::stem(package, contract);
        source.before.iter().for_each(|line| lines.put(line));
        let is_open_name = matches!(source.kind, Kind::OpenName(_));
        let code = source.code.clone() + if is_open_name { ".value" } else { "" };
        let code = match &source.present {
            None => code,
            Some((present, literal)) => {
                let ty = names::type_name(package, contract);
                let value = integer(self.literal_number(literal, source.kind), body.repr.is_signed());
                lines.put(format!("{ty} r{number} = {value};"));
                lines.open(&format!("if ({present})"));
                lines.put(format!("r{number} = {code};"));
                lines.close();
                format!("r{number}")
            }
        };
        let was_checked =
            self.at == Moment::Read && matches!(source.kind, Kind::Enumeration { open: false, .. });
        let mut conditions = Vec::new();
        if is_open_name {
            conditions.push(open_name_is_known(&source));
        }
        if !was_checked && known_runs(body) != [bounds(body.repr)] {
            conditions.push(format!("{stem}_is_known({code})"));
        }
        let known = (!conditions.is_empty()).then(|| format!("k{number}"));
        if let Some(known) = &known {
            lines.put(format!("const bool {known} = {};", conditions.join(" && ")));
        }
        let key_of = &body.data[key];
        let variable = format!("x{number}");
        let ty = match key_of.ty {
            DataType::I64 => "int64_t",
            DataType::U64 => "uint64_t",
            DataType::Bool => "bool",
            DataType::Text => unreachable!("a text has no value in a rule"),
        };
        lines.put(format!("const {ty} {variable} = {stem}_{}({code});", key_of.name));
        // A value without a name carries zero.
        let numbers = body.values.iter().map(|value| match &value.data[key] {
            DataValue::Integer(number) => *number,
            _ => 0,
        });
        let range =
            numbers.fold((0, 0), |(least, most): (i128, i128), number| (least.min(number), most.max(number)));
        Leaf { variable, range, held: Held::of(key_of.ty == DataType::I64), known }
    }

    fn length(&self, path: &Path, variable: String, number: usize, lines: &mut Lines) -> Leaf {
        let Target::Key(owner, owner_id, key) = self.target(path) else {
            return self.descriptor_length(path, variable, number, lines);
        };
        let place = format!("{owner}{}", names::key_member(key));
        let code = match &key.ty {
            JsonType::Bytes { length: Length::Exactly(length), .. }
            | JsonType::Array { length: Length::Exactly(length), .. } => {
                return constant(i128::from(*length));
            }
            JsonType::Array { .. } | JsonType::Map { .. } => format!("{place}.count"),
            _ => format!("{place}.length"),
        };
        let source = Source {
            code,
            before: Vec::new(),
            kind: Kind::Number(Scalar::U64),
            present: self.absence(&owner, owner_id, key),
        };
        let code = with_default(&source, &|literal| {
            integer(
                match literal {
                    Literal::Text(text) => text.len() as i128,
                    Literal::List(items) => items.len() as i128,
                    _ => unreachable!("only texts and lists have a length"),
                },
                false,
            )
        });
        lines.put(format!("const uint64_t {variable} = {code};"));
        unsigned(variable, (0, i128::from(u64::MAX)))
    }

    fn descriptor_length(&self, path: &Path, variable: String, number: usize, lines: &mut Lines) -> Leaf {
        let Target::Field(place, id, field) = self.target(path) else { unreachable!("a key was looked at") };
        let descriptor = self.input.catalog.get(id).descriptor();
        let index = *path.0.last().expect("a length is that of a field");
        if let Some(count) = descriptor.count_of(index) {
            let mut path = path.0.clone();
            *path.last_mut().expect("it has one") = count;
            return self.value(&Path(path), variable, number, lines);
        }
        let length = field.ty.dims.first().copied().unwrap_or(1);
        if field.role != Role::Text {
            return constant(i128::from(length));
        }
        let memory = match self.form {
            Form::Bytes => format!("bytes + {place}"),
            Form::Value => place,
        };
        lines.put(format!("const uint64_t {variable} = wc_detail_text_length({memory}, {length});"));
        unsigned(variable, (0, i128::from(length)))
    }
}

/// The value that is there, or the one that absence stands for.
fn with_default(source: &Source, spell: &dyn Fn(&Literal) -> String) -> String {
    match &source.present {
        None => source.code.clone(),
        Some((present, default)) => format!("({present} ? {} : {})", source.code, spell(default)),
    }
}

fn open_name_is_known(source: &Source) -> String {
    match &source.present {
        None => format!("!{}.is_name", source.code),
        Some((present, _)) => format!("!({present} && {}.is_name)", source.code),
    }
}

fn literal_bits(literal: &Literal) -> u64 {
    match literal {
        Literal::Flags(bits) => *bits,
        _ => unreachable!("flags begin with flags"),
    }
}

fn truth(variable: String) -> Leaf {
    Leaf { variable, range: (0, 0), held: Held::Unsigned, known: None }
}

fn unsigned(variable: String, range: (i128, i128)) -> Leaf {
    Leaf { variable, range, held: Held::Unsigned, known: None }
}

fn constant(value: i128) -> Leaf {
    unsigned(String::new(), (value, value))
}

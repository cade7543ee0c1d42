//! The statements of a descriptor's functions, in the order they run: what is checked in bytes, what is copied,
//! what a value is refused for, what is written whatever the value says.

use serde::Serialize;

use super::lines::Lines;
use super::operand::{Form, Subject};
use super::place::{Place, Way};
use super::traits::Traits;
use crate::emit::EmitInput;
use crate::model::{ContractId, Moment, Role};

/// The parts of a descriptor's functions; a function without a part is not written.
#[derive(Serialize)]
pub(super) struct Steps {
    /// Whether one `memcpy` decodes and encodes on little-endian hosts.
    whole: bool,
    check: Vec<Check>,
    decode: Vec<Copy>,
    encode: Vec<Copy>,
    refuse: Vec<Check>,
    settle: Vec<Settle>,
    settle_uses_value: bool,
    init: Vec<Settle>,
    /// The blocks of rules and conditions: on bytes, on a value to be written, on one that is imported.
    read_rules: Vec<String>,
    write_rules: Vec<String>,
    import: Vec<Import>,
    import_rules: Vec<String>,
}

/// A nested descriptor that an importer asks.
#[derive(Serialize)]
pub(super) struct Import {
    pub(super) loops: Vec<Loop>,
    pub(super) at: String,
    pub(super) function: String,
    pub(super) place: String,
}

/// A loop over one dimension of an array.
#[derive(Serialize, Clone)]
pub(super) struct Loop {
    pub(super) variable: char,
    pub(super) limit: u32,
    /// The member that counts the valid elements, where only those are visited.
    pub(super) count: Option<String>,
}

/// Something that can be wrong.
#[derive(Serialize)]
pub(super) struct Check {
    /// The wire name, for the error.
    pub(super) field: String,
    pub(super) loops: Vec<Loop>,
    /// Where the element is on the wire, after `base + ` or `bytes + `.
    pub(super) at: String,
    #[serde(flatten)]
    pub(super) what: What,
}

#[derive(Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(super) enum What {
    /// A number is loaded and must not meet a condition.
    Number { load: Vec<String>, fault: String, code: &'static str, expected: String, report: &'static str },
    /// Bytes are equal to a constant.
    Magic { literal: String, size: u32, expected: String },
    /// Bytes are zero.
    Zero { size: u32 },
    /// Bytes are text.
    Text { place: String, size: u32 },
    /// A nested descriptor has checks of its own.
    Nested { function: String, place: String },
}

/// A field that is copied between the wire and the struct.
#[derive(Serialize)]
pub(super) struct Copy {
    pub(super) loops: Vec<Loop>,
    pub(super) statement: String,
}

/// Something that is written whatever the value says.
#[derive(Serialize)]
pub(super) struct Settle {
    pub(super) loops: Vec<Loop>,
    pub(super) lines: Vec<String>,
}

/// Works out a descriptor's statements.
pub(super) fn steps(input: &EmitInput<'_>, traits: &[Traits], id: ContractId) -> Steps {
    let fields: Vec<Place<'_>> = Place::all(input, traits, id).collect();
    let (mut magic, mut version, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for place in &fields {
        match place.role() {
            Role::Magic(_) => magic.extend(place.check()),
            Role::Version(_) => version.extend(place.check()),
            _ => others.extend(place.check()),
        }
    }
    let check = magic.into_iter().chain(version).chain(others).collect();
    let rules = |form, at| {
        let mut lines = Lines::default();
        Subject { input, traits, id, form, at }.rules("base", &mut lines);
        lines.into_text()
    };
    let settle: Vec<Settle> = fields.iter().flat_map(Place::settle).collect();
    Steps {
        whole: traits[id.0].whole,
        check,
        decode: fields.iter().map(|place| place.copy(Way::In)).collect(),
        encode: fields
            .iter()
            .filter(|place| !place.is_constant())
            .map(|place| place.copy(Way::Out))
            .collect(),
        refuse: fields.iter().filter_map(Place::refuse).collect(),
        settle_uses_value: settle.iter().any(|step| step.lines[0].contains("value->")),
        settle,
        init: fields.iter().filter_map(Place::init).collect(),
        read_rules: rules(Form::Bytes, Moment::Read),
        write_rules: rules(Form::Value, Moment::Read),
        import: fields.iter().filter_map(Place::import).collect(),
        import_rules: rules(Form::Value, Moment::Import),
    }
}

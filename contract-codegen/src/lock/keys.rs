//! The keys of a block, in the order in which they are written.

use super::form::Kind;

/// A key of a block or of a member.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
}

/// What stands behind a key.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Text,
    Texts,
    /// Texts, each on a line of its own.
    Lines,
    Number,
    /// One for each version.
    Sizes,
    /// One for each data model.
    Numbers,
    /// A number, or one with a fraction.
    Bound,
    Truth,
    /// Anything: defaults, data, names of parameters.
    Any,
    /// A table.
    Table(&'static [Key]),
    /// Tables, each on a line of its own in a block.
    Members(&'static [Key]),
}

impl Shape {
    /// In words.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Shape::Text => "text",
            Shape::Texts | Shape::Lines => "a list of texts",
            Shape::Number => "a number",
            Shape::Sizes => "a list of numbers, one for each version",
            Shape::Numbers => "a list of four numbers",
            Shape::Bound => "a number, with a fraction or without",
            Shape::Truth => "true or false",
            Shape::Any => "a value",
            Shape::Table(_) => "a table",
            Shape::Members(_) => "a list of tables",
        }
    }
}

const fn must(name: &'static str, shape: Shape) -> Key {
    Key { name, shape, is_required: true }
}

const fn may(name: &'static str, shape: Shape) -> Key {
    Key { name, shape, is_required: false }
}

/// What a block of that kind has, behind its kind, ids and digest.
pub(super) fn of(kind: Kind) -> &'static [Key] {
    match kind {
        Kind::Descriptor => DESCRIPTOR,
        Kind::Enumeration => ENUMERATION,
        Kind::Flags => FLAGS,
        Kind::Recipe => RECIPE,
        Kind::Union => UNION,
        Kind::Message => MESSAGE,
        Kind::Messages => MESSAGES,
        Kind::Abi => ABI,
        Kind::Handle => HANDLE,
        Kind::Function => FUNCTION,
        Kind::Library | Kind::Symbols => SYMBOLS,
    }
}

const PACKAGE: Key = must("package", Shape::Text);
const WAS: Key = may("was", Shape::Text);
const SINCE: Key = may("since", Shape::Number);
const DEPRECATED: Key = may("deprecated", Shape::Text);
const C_NAME: Key = may("c_name", Shape::Text);
const NAME: Key = must("name", Shape::Text);
const RUST: Key = may("rust", Shape::Text);
const TYPE: Key = must("type", Shape::Text);
const WIRE_ID: Key = may("wire_id", Shape::Text);
const WIRE_IDS: Key = may("wire_ids", Shape::Texts);
const POINTS_TO: Key = may("points_to", Shape::Texts);
const PARAMETER_NAMES: Key = may("params", Shape::Any);
const MAX_BYTES: Key = must("max_bytes", Shape::Number);
const MAX_DEPTH: Key = must("max_depth", Shape::Number);
const RULES: Key = may("rules", Shape::Members(RULE));
const RULE: &[Key] = &[may("name", Shape::Text), must("expr", Shape::Text), may("at", Shape::Text)];

const DESCRIPTOR: &[Key] = &[
    PACKAGE,
    WAS,
    SINCE,
    DEPRECATED,
    C_NAME,
    must("layout", Shape::Text),
    must("size", Shape::Number),
    may("sizes", Shape::Sizes),
    must("align", Shape::Number),
    must("fields", Shape::Members(FIELD)),
    RULES,
];

const FIELD: &[Key] = &[
    must("at", Shape::Number),
    must("size", Shape::Number),
    NAME,
    WAS,
    TYPE,
    may("endian", Shape::Text),
    WIRE_ID,
    may("magic", Shape::Text),
    may("version", Shape::Number),
    may("reserved", Shape::Text),
    may("length_of", Shape::Texts),
    may("text", Shape::Truth),
    may("one_of", Shape::Table(RULE)),
    SINCE,
    may("default", Shape::Text),
    DEPRECATED,
    C_NAME,
];

const ENUMERATION: &[Key] = &[
    PACKAGE,
    WAS,
    SINCE,
    DEPRECATED,
    C_NAME,
    must("repr", Shape::Text),
    may("as", Shape::Text),
    may("case", Shape::Text),
    may("data", Shape::Members(DATA)),
    must("values", Shape::Members(VALUE)),
];

const DATA: &[Key] = &[NAME, TYPE];

const VALUE: &[Key] = &[
    must("value", Shape::Number),
    NAME,
    RUST,
    may("alias", Shape::Texts),
    may("data", Shape::Any),
    SINCE,
    DEPRECATED,
    C_NAME,
];

const FLAGS: &[Key] = &[
    PACKAGE,
    WAS,
    SINCE,
    DEPRECATED,
    C_NAME,
    must("repr", Shape::Text),
    must("open", Shape::Truth),
    may("as", Shape::Text),
    must("values", Shape::Members(VALUE)),
];

const RECIPE: &[Key] = &[
    PACKAGE,
    WAS,
    SINCE,
    DEPRECATED,
    C_NAME,
    may("deny_unknown", Shape::Truth),
    MAX_BYTES,
    MAX_DEPTH,
    must("fields", Shape::Members(RECIPE_FIELD)),
    RULES,
];

const RECIPE_FIELD: &[Key] = &[
    NAME,
    RUST,
    TYPE,
    may("spelling", Shape::Text),
    WIRE_ID,
    may("default", Shape::Any),
    may("skip_default", Shape::Truth),
    may("nullable", Shape::Truth),
    may("null_when_absent", Shape::Truth),
    may("required_if", Shape::Table(RULE)),
    may("one_of", Shape::Table(RULE)),
    may("min", Shape::Bound),
    may("max", Shape::Bound),
    may("max_len", Shape::Number),
    may("max_items", Shape::Number),
    may("flatten", Shape::Truth),
    may("lenient", Shape::Truth),
    may("not_imported", Shape::Truth),
    SINCE,
    DEPRECATED,
    C_NAME,
];

const UNION: &[Key] = &[
    PACKAGE,
    WAS,
    SINCE,
    DEPRECATED,
    C_NAME,
    may("tag", Shape::Text),
    may("content", Shape::Text),
    may("untagged", Shape::Truth),
    may("tag_last", Shape::Truth),
    may("lenient", Shape::Truth),
    MAX_BYTES,
    MAX_DEPTH,
    must("variants", Shape::Members(VARIANT)),
    RULES,
];

const VARIANT: &[Key] = &[
    NAME,
    RUST,
    may("alias", Shape::Texts),
    may("absent", Shape::Text),
    may("type", Shape::Text),
    may("spelling", Shape::Text),
    WIRE_ID,
    may("default", Shape::Any),
    may("min", Shape::Bound),
    may("max", Shape::Bound),
    may("max_len", Shape::Number),
    may("max_items", Shape::Number),
    may("other", Shape::Truth),
    SINCE,
    DEPRECATED,
    C_NAME,
];

const MESSAGE: &[Key] = &[
    PACKAGE,
    WAS,
    SINCE,
    DEPRECATED,
    C_NAME,
    may("max_bytes", Shape::Number),
    must("parts", Shape::Members(PART)),
    may("tail", Shape::Table(TAIL)),
    must("fds", Shape::Members(FD_GROUP)),
    RULES,
];

const PART: &[Key] = &[NAME, WAS, TYPE, must("wire_id", Shape::Text), SINCE, DEPRECATED, C_NAME];

const TAIL: &[Key] = &[
    NAME,
    WAS,
    TYPE,
    WIRE_ID,
    may("count", Shape::Text),
    may("bytes", Shape::Text),
    SINCE,
    DEPRECATED,
    C_NAME,
];

const FD_GROUP: &[Key] = &[
    NAME,
    WAS,
    must("form", Shape::Text),
    may("least", Shape::Number),
    may("most", Shape::Number),
    may("count", Shape::Text),
    may("present_if", Shape::Text),
    SINCE,
    DEPRECATED,
    C_NAME,
];

const MESSAGES: &[Key] = &[
    PACKAGE,
    WAS,
    SINCE,
    DEPRECATED,
    C_NAME,
    may("tag", Shape::Text),
    may("body", Shape::Table(BODY)),
    must("variants", Shape::Members(MESSAGE_VARIANT)),
];

const BODY: &[Key] = &[TYPE, must("wire_id", Shape::Text)];

const MESSAGE_VARIANT: &[Key] = &[
    NAME,
    WAS,
    may("value", Shape::Number),
    may("open", Shape::Truth),
    may("type", Shape::Text),
    may("spelling", Shape::Text),
    WIRE_ID,
    SINCE,
    DEPRECATED,
    C_NAME,
];

const ABI: &[Key] = &[
    PACKAGE,
    WAS,
    SINCE,
    DEPRECATED,
    C_NAME,
    must("size", Shape::Numbers),
    must("align", Shape::Numbers),
    must("fields", Shape::Members(ABI_FIELD)),
];

const ABI_FIELD: &[Key] = &[
    must("at", Shape::Numbers),
    NAME,
    WAS,
    TYPE,
    may("c_type", Shape::Text),
    WIRE_ID,
    WIRE_IDS,
    POINTS_TO,
    may("counted_by", Shape::Text),
    PARAMETER_NAMES,
    SINCE,
    DEPRECATED,
    C_NAME,
];

const HANDLE: &[Key] = &[
    PACKAGE,
    WAS,
    SINCE,
    DEPRECATED,
    C_NAME,
    must("prefix", Shape::Text),
    must("access", Shape::Text),
    must("tag", Shape::Number),
    must("symbol", Shape::Text),
];

const FUNCTION: &[Key] = &[
    PACKAGE,
    WAS,
    SINCE,
    DEPRECATED,
    C_NAME,
    must("prefix", Shape::Text),
    must("symbol", Shape::Text),
    may("method_of", Shape::Table(METHOD_OF)),
    may("unsafe", Shape::Truth),
    must("params", Shape::Members(PARAM)),
    must("outs", Shape::Members(OUT)),
];

const METHOD_OF: &[Key] = &[TYPE, must("wire_id", Shape::Text)];

const PARAM: &[Key] = &[
    NAME,
    WAS,
    must("form", Shape::Text),
    may("type", Shape::Text),
    may("mut", Shape::Truth),
    may("nullable", Shape::Truth),
    may("pass", Shape::Text),
    WIRE_ID,
    WIRE_IDS,
    POINTS_TO,
    PARAMETER_NAMES,
    may("args", Shape::Members(ARG)),
];

/// What a callback takes: no callback.
const ARG: &[Key] = &[
    NAME,
    must("form", Shape::Text),
    may("type", Shape::Text),
    may("mut", Shape::Truth),
    may("nullable", Shape::Truth),
    WIRE_ID,
    WIRE_IDS,
    POINTS_TO,
    PARAMETER_NAMES,
];

const OUT: &[Key] = &[
    NAME,
    must("form", Shape::Text),
    may("type", Shape::Text),
    WIRE_ID,
    WIRE_IDS,
    POINTS_TO,
    PARAMETER_NAMES,
];

const SYMBOLS: &[Key] = &[PACKAGE, WAS, SINCE, DEPRECATED, C_NAME, must("symbols", Shape::Lines)];

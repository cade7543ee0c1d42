//! The codes, spelled out once more: a number that slips in the runtime's own list is seen against this one.

/// What is wrong with a buffer, a document or a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Code {
    TooShort = 1,
    TrailingBytes = 2,
    BadMagic = 3,
    UnsupportedVersion = 4,
    UnknownValue = 5,
    UnknownBits = 6,
    LengthExceeds = 7,
    ReservedNotZero = 8,
    BadText = 9,
    RuleViolated = 10,
    NotJson = 11,
    BadUtf8 = 12,
    TooLarge = 13,
    TooDeep = 14,
    TooMany = 15,
    DuplicateKey = 16,
    UnknownKey = 17,
    MissingKey = 18,
    WrongType = 19,
    OutOfRange = 20,
    BadEncoding = 21,
    UnknownTag = 22,
    NullNotAllowed = 23,
    ConditionViolated = 24,
    FdCount = 25,
}

/// Every code with its number, those included that no contract gives.
pub const NAMES: [(i32, &str); 36] = [
    (0, "ok"),
    (1, "too_short"),
    (2, "trailing_bytes"),
    (3, "bad_magic"),
    (4, "unsupported_version"),
    (5, "unknown_value"),
    (6, "unknown_bits"),
    (7, "length_exceeds"),
    (8, "reserved_not_zero"),
    (9, "bad_text"),
    (10, "rule_violated"),
    (11, "not_json"),
    (12, "bad_utf8"),
    (13, "too_large"),
    (14, "too_deep"),
    (15, "too_many"),
    (16, "duplicate_key"),
    (17, "unknown_key"),
    (18, "missing_key"),
    (19, "wrong_type"),
    (20, "out_of_range"),
    (21, "bad_encoding"),
    (22, "unknown_tag"),
    (23, "null_not_allowed"),
    (24, "condition_violated"),
    (25, "fd_count"),
    (26, "fd_kind"),
    (27, "id_mismatch"),
    (28, "null_argument"),
    (29, "bad_handle"),
    (30, "busy"),
    (31, "panic"),
    (32, "io"),
    (33, "timeout"),
    (34, "peer_closed"),
    (35, "refused"),
];

impl Code {
    /// The number every language uses.
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// The name messages use.
    pub fn name(self) -> &'static str {
        let named = NAMES.iter().find(|&&(number, _)| number == self.number());
        named.map_or("", |&(_, name)| name)
    }
}

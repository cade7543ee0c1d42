//! What peers and contract are compared by.

/// Every value of a payload, as plain numbers and as slices of the bytes that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Fields<'a> {
    pub version: u32,
    pub width: u32,
    pub height: u32,
    pub channels: u32,
    pub format_code: u32,
    pub backend: i32,
    pub device_ordinal: i32,
    pub handle_type: i32,
    pub size: u64,
    pub alloc_size: u64,
    pub offset: u64,
    pub exporter_pid: u64,
    pub blob: &'a [u8],
    pub ptr_blob: &'a [u8],
}

/// A refusal, as far as every peer can state one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code's name.
    pub code: &'static str,
    /// The field; empty when the fault is of the whole.
    pub field: &'static str,
}

impl Refusal {
    /// A refusal of a field.
    pub const fn new(code: &'static str, field: &'static str) -> Self {
        Refusal { code, field }
    }
}

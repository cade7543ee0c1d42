//! A refusal.

use std::fmt;

use super::Code;

/// Why bytes are not a descriptor, a document is not a recipe, or a value cannot be written as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub code: Code,
    /// The innermost contract.
    pub contract: String,
    /// Its field, or its key; empty when the contract as a whole is at fault.
    pub field: String,
    /// Bytes from the start of the outermost buffer: to the faulty element, or else to the field. In a document, to
    /// the token; 0 when a value is written or imported that is no descriptor's.
    pub offset: usize,
    /// What should have been there.
    pub expected: String,
    /// What was there; empty when there is nothing short to show.
    pub found: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.contract)?;
        if !self.field.is_empty() {
            write!(f, ".{}", self.field)?;
        }
        write!(f, " at byte {}: {}: expected {}", self.offset, self.code.name(), self.expected)?;
        if !self.found.is_empty() {
            write!(f, ", found {}", self.found)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

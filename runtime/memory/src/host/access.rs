//! What an importer is told of a buffer.

use std::fmt;

/// What may be done with memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Access {
    /// It is read.
    #[default]
    ReadOnly,
    /// It is read and written.
    ReadWrite,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::ReadOnly => "reading",
            Access::ReadWrite => "reading and writing",
        })
    }
}

/// What an importer is told of a buffer, beside its descriptor.
///
/// The numbers come from the other side and are checked against each other and against the file, in whatever order and
/// however wrong they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Import {
    /// Bytes of the buffer, at least 1.
    pub size: u64,
    /// Bytes of the allocation that the buffer is in: the file has at least as many.
    pub allocation_size: u64,
    /// Bytes from the start of the allocation to the buffer.
    pub offset: u64,
    /// What the importer will do with it.
    pub access: Access,
}

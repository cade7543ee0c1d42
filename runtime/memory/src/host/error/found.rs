//! What was found, in words.

use std::fmt;

use rustix::fs::SealFlags;

/// What a descriptor is that is no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// A file of a file system that is no memory: reading it may wait for a disk, a network or another process.
    Stored,
    /// A directory.
    Directory,
    /// A pipe, named or not.
    Pipe,
    /// A socket.
    Socket,
    /// A character device, as `/dev/null` or a terminal.
    CharacterDevice,
    /// A block device.
    BlockDevice,
    /// A symbolic link.
    SymbolicLink,
    /// A descriptor opened with `O_PATH`, which names a file and opens none.
    Path,
    /// None of these: an eventfd, a timer, an epoll.
    Other,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileKind::Stored => "a file that is no memory",
            FileKind::Directory => "a directory",
            FileKind::Pipe => "a pipe",
            FileKind::Socket => "a socket",
            FileKind::CharacterDevice => "a character device",
            FileKind::BlockDevice => "a block device",
            FileKind::SymbolicLink => "a symbolic link",
            FileKind::Path => "a path that is not opened (O_PATH)",
            FileKind::Other => "a descriptor of no file",
        })
    }
}

/// What stands against an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Barrier {
    /// The descriptor is open for reading only.
    OpenReadOnly,
    /// The descriptor is open for writing only.
    OpenWriteOnly,
    /// The descriptor appends, wherever a write says that it goes.
    OpenAppend,
    /// The file is sealed against writing, now or for all that map it later.
    SealedAgainstWriting,
    /// The buffer was imported for reading only.
    ImportedReadOnly,
    /// The buffer's descriptor gives it for reading only.
    GivenReadOnly,
}

impl Barrier {
    /// What to do about it.
    pub(super) fn way_out(self) -> &'static str {
        match self {
            Barrier::OpenReadOnly => "import it for reading, or have the exporter open it for writing",
            Barrier::OpenWriteOnly => "have the exporter open it for reading",
            Barrier::OpenAppend => "have the exporter open it without O_APPEND",
            Barrier::SealedAgainstWriting => "import it for reading, or have the exporter make it writable",
            Barrier::ImportedReadOnly => "import it for reading and writing",
            Barrier::GivenReadOnly => "import it for reading, or have the exporter give it for writing",
        }
    }
}

impl fmt::Display for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Barrier::OpenReadOnly => "a descriptor that is open for reading only",
            Barrier::OpenWriteOnly => "a descriptor that is open for writing only",
            Barrier::OpenAppend => "a descriptor that appends",
            Barrier::SealedAgainstWriting => "a file that is sealed against writing",
            Barrier::ImportedReadOnly => "a buffer that was imported for reading",
            Barrier::GivenReadOnly => "a descriptor that gives it for reading",
        })
    }
}

/// Seals by their names.
pub(super) struct Seals(pub(super) u32);

impl fmt::Display for Seals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (name, _) in SealFlags::from_bits_retain(self.0).iter_names() {
            write!(f, "{separator}F_SEAL_{name}")?;
            separator = " | ";
        }
        if separator.is_empty() { f.write_str("no seal") } else { Ok(()) }
    }
}

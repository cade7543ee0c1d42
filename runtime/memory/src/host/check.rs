//! What an importer looks at before it maps or reads.

use std::os::fd::BorrowedFd;

use rustix::fs::{
    AtFlags, FileType, OFlags, SealFlags, StatxFlags, fcntl_get_seals, fcntl_getfl, fstat, fstatfs, statx,
};
use rustix::io::Errno;

use super::span::{Span, ordinary_page};
use super::{Access, Barrier, FileKind, HostError, Import};

/// `HUGETLBFS_MAGIC`: the file system of memfds on huge pages.
const HUGE_PAGES: u32 = 0x9584_58f6;

/// Seals that refuse whoever would begin to write.
pub(super) const AGAINST_WRITING: SealFlags = SealFlags::WRITE.union(SealFlags::FUTURE_WRITE);

/// What is known of a file that passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked {
    /// The pages of the buffer.
    pub(super) span: Span,
    /// Whether nobody writes it any more.
    pub(super) frozen: bool,
    /// Whether it is on huge pages.
    pub(super) huge: bool,
}

/// Looks at kind, seals, access, numbers and size, in this order. With `mapped` the file has to be one that does not
/// shrink, and what passes stays as it was seen; without, it may be shorter the next moment.
pub(super) fn check(fd: BorrowedFd<'_>, import: &Import, mapped: bool) -> Result<Checked, HostError> {
    let (flags, seals) = open_memory(fd)?;
    let huge = huge_page(fd)?;
    let missing = needed(seals, huge.is_some()) - seals;
    if mapped && !missing.is_empty() {
        return Err(HostError::NotSealed { missing: missing.bits(), seals: seals.bits() });
    }
    access(flags, seals, import.access)?;
    let span = Span::of(import, huge.unwrap_or_else(ordinary_page))?;
    // After the seals: a size that was seen before them would be one that may have changed.
    let file_size = u64::try_from(stat(fd)?.st_size).unwrap_or(0);
    let allocation_size = import.allocation_size;
    if file_size < allocation_size {
        return Err(HostError::FileTooShort { allocation_size, file_size });
    }
    Ok(Checked { span, frozen: seals.contains(SealFlags::WRITE), huge: huge.is_some() })
}

/// The seals without which a page may be missing when it is touched.
fn needed(seals: SealFlags, huge: bool) -> SealFlags {
    // A writer may punch holes. Of ordinary pages there are others for as long as there is memory; a huge page that was
    // reserved when the file was mapped goes to whoever is next.
    if huge && !seals.intersects(AGAINST_WRITING) {
        return SealFlags::SHRINK | SealFlags::FUTURE_WRITE;
    }
    SealFlags::SHRINK
}

/// The seals of a memfd, or of another file of memory; whatever else it is, is refused by what it is.
pub(super) fn memory(fd: BorrowedFd<'_>) -> Result<SealFlags, HostError> {
    open_memory(fd).map(|(_, seals)| seals)
}

/// The same, and how the descriptor is open.
fn open_memory(fd: BorrowedFd<'_>) -> Result<(OFlags, SealFlags), HostError> {
    let kind = |found| Err(HostError::Kind { found });
    let flags = fcntl_getfl(fd).map_err(HostError::os("asking how a descriptor is open"))?;
    if flags.contains(OFlags::PATH) {
        return kind(FileKind::Path);
    }
    // First of all: no file system is asked for seals, and one of another process may keep whoever asks it for more.
    match fcntl_get_seals(fd) {
        Ok(seals) => Ok((flags, seals)),
        // Only files of memory have seals.
        Err(Errno::INVAL) => kind(kind_of(fd)),
        Err(errno) => Err(HostError::os("asking for the seals of a file")(errno)),
    }
}

/// What a descriptor is that has no seals, as the kernel knows it without asking anybody.
fn kind_of(fd: BorrowedFd<'_>) -> FileKind {
    let Ok(found) = statx(fd, c"", AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC, StatxFlags::TYPE) else {
        return FileKind::Other;
    };
    match FileType::from_raw_mode(found.stx_mode.into()) {
        FileType::RegularFile => FileKind::Stored,
        FileType::Directory => FileKind::Directory,
        FileType::Fifo => FileKind::Pipe,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice => FileKind::CharacterDevice,
        FileType::BlockDevice => FileKind::BlockDevice,
        FileType::Symlink => FileKind::SymbolicLink,
        FileType::Unknown => FileKind::Other,
    }
}

/// Refuses an access that the kernel would refuse later, by name.
fn access(flags: OFlags, seals: SealFlags, wanted: Access) -> Result<(), HostError> {
    let refused = |barrier| Err(HostError::Access { wanted, barrier });
    let open = flags & OFlags::RWMODE;
    if open == OFlags::WRONLY {
        return refused(Barrier::OpenWriteOnly);
    }
    if wanted == Access::ReadOnly {
        return Ok(());
    }
    if open != OFlags::RDWR {
        return refused(Barrier::OpenReadOnly);
    }
    if flags.contains(OFlags::APPEND) {
        return refused(Barrier::OpenAppend);
    }
    if seals.intersects(AGAINST_WRITING) {
        return refused(Barrier::SealedAgainstWriting);
    }
    Ok(())
}

/// Bytes of a page of the file, if it is on huge pages.
fn huge_page(fd: BorrowedFd<'_>) -> Result<Option<u64>, HostError> {
    let system = fstatfs(fd).map_err(HostError::os("asking for the file system of a file"))?;
    // The type of the number is the architecture's; the magic numbers have 32 bits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let magic = system.f_type as u32;
    let bytes = u64::try_from(system.f_bsize).ok();
    Ok(bytes.filter(|bytes| magic == HUGE_PAGES && bytes.is_power_of_two()))
}

fn stat(fd: BorrowedFd<'_>) -> Result<rustix::fs::Stat, HostError> {
    fstat(fd).map_err(HostError::os("asking what a descriptor is"))
}

//! What a buffer is asked to be.

use super::span::MOST;
use super::{Access, HostError, Import};

/// The most bytes of a memfd's name: what `/proc` puts before it counts as well.
const MOST_NAME: usize = 249;

/// Whether a buffer is on huge pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HugePages {
    /// On ordinary pages.
    #[default]
    Never,
    /// On ordinary pages, of which the kernel is asked to make huge ones where it can (`MADV_HUGEPAGE`).
    Advised,
    /// On huge pages of so many bytes where the machine has enough that are free and consumers only read, and else as
    /// with `Advised`.
    Preferred {
        /// Bytes of a page: 2 MiB and 1 GiB are those of x86-64.
        bytes: u64,
    },
    /// On huge pages of so many bytes, or not at all. Consumers only read then.
    Required {
        /// Bytes of a page: 2 MiB and 1 GiB are those of x86-64.
        bytes: u64,
    },
}

/// The pages that a buffer got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pages {
    /// Ordinary ones.
    Ordinary,
    /// Ordinary ones, of which the kernel makes huge ones where it can.
    Advised,
    /// Huge ones.
    Huge {
        /// Bytes of a page.
        bytes: u64,
    },
}

/// What a [`HostBuffer`](super::HostBuffer) is asked to be.
///
/// ```
/// use wirecontract_runtime::host::{Access, HostBuffer, HostOptions, HugePages, Pages};
///
/// # fn main() -> Result<(), wirecontract_runtime::host::HostError> {
/// let options = HostOptions::new(100_000)
///     .name("depth")
///     .offset(256)
///     .alignment(256)
///     .consumers(Access::ReadWrite)
///     .huge_pages(HugePages::Never);
/// let buffer = HostBuffer::create(&options)?;
/// assert_eq!((buffer.size(), buffer.offset()), (100_000, 256));
/// assert_eq!(buffer.allocation_size() % 4096, 0);
/// assert_eq!(buffer.pages(), Pages::Ordinary);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "options do nothing until a buffer is made of them"]
pub struct HostOptions {
    size: u64,
    offset: u64,
    alignment: u64,
    name: String,
    pub(super) consumers: Access,
    pub(super) huge_pages: HugePages,
    pub(super) populate: bool,
    pub(super) final_seals: bool,
}

impl HostOptions {
    /// A buffer of `size` bytes, at least 1: at the start of its allocation, on ordinary pages that come into being when
    /// they are first touched, for consumers that read.
    pub fn new(size: u64) -> Self {
        HostOptions {
            size,
            offset: 0,
            alignment: 1,
            name: "wirecontract".to_owned(),
            consumers: Access::ReadOnly,
            huge_pages: HugePages::Never,
            populate: false,
            final_seals: false,
        }
    }

    /// What `/proc/PID/maps` and `/proc/PID/fd` call it, behind `memfd:`: at most 249 bytes, no NUL; not unique.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Bytes from the start of the allocation to the buffer; 0 unless said.
    pub fn offset(mut self, bytes: u64) -> Self {
        self.offset = bytes;
        self
    }

    /// What the buffer's address is a multiple of, in this process and in every importer's: a power of two, at most a
    /// page. The offset has to be a multiple of it.
    pub fn alignment(mut self, bytes: u64) -> Self {
        self.alignment = bytes;
        self
    }

    /// What consumers may do, reading unless said: with [`Access::ReadOnly`] the kernel refuses whatever writes but the exporter's own
    /// mapping.
    pub fn consumers(mut self, access: Access) -> Self {
        self.consumers = access;
        self
    }

    /// Whether it is on huge pages. The allocation is then a multiple of them.
    pub fn huge_pages(mut self, huge_pages: HugePages) -> Self {
        self.huge_pages = huge_pages;
        self
    }

    /// Whether all its pages are made and mapped at once: the memory is then taken, and nobody waits for it later. More
    /// than the machine has is refused.
    pub fn populate(mut self, populate: bool) -> Self {
        self.populate = populate;
        self
    }

    /// Whether nobody can add seals any more. Who may write a memfd may also seal it against new writers, which this
    /// keeps consumers from; such a buffer cannot be [frozen](super::HostBuffer::freeze).
    pub fn final_seals(mut self, final_seals: bool) -> Self {
        self.final_seals = final_seals;
        self
    }

    /// The name, if a memfd can have it.
    pub(super) fn checked_name(&self) -> Result<&str, HostError> {
        let length = self.name.len();
        if length > MOST_NAME {
            return Err(HostError::Name { length, most: MOST_NAME });
        }
        if let Some(at) = self.name.find('\0') {
            return Err(HostError::NameWithNul { at });
        }
        Ok(&self.name)
    }

    /// The numbers of the buffer on pages of `page` bytes, where the ordinary ones have `ordinary`.
    pub(super) fn numbers(&self, page: u64, ordinary: u64) -> Result<Import, HostError> {
        let HostOptions { size, offset, alignment, .. } = *self;
        if size == 0 {
            return Err(HostError::Empty);
        }
        if !alignment.is_power_of_two() || alignment > ordinary {
            return Err(HostError::Alignment { found: alignment, most: ordinary });
        }
        if !offset.is_multiple_of(alignment) {
            return Err(HostError::Misaligned { offset, alignment });
        }
        let end = offset.checked_add(size).and_then(|end| end.checked_next_multiple_of(page));
        match end.filter(|end| *end <= MOST) {
            Some(allocation_size) => Ok(Import { size, allocation_size, offset, access: self.consumers }),
            None => Err(HostError::TooLarge { offset, size, most: MOST }),
        }
    }
}

//! The pages that a buffer is on.

use std::sync::OnceLock;

use super::{HostError, Import};

/// The most bytes that a mapping has: what a pointer can be moved by.
pub(super) const MOST: u64 = isize::MAX as u64;

/// Bytes of a page that is not a huge one. The C library is asked once.
pub(super) fn ordinary_page() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| rustix::param::page_size() as u64)
}

/// The pages that a buffer is on, and where on them it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Bytes from the start of the file to the first page.
    pub(super) first: u64,
    /// Bytes from the start of the first page to the buffer.
    pub(super) inside: usize,
    /// Bytes of the buffer.
    pub(super) size: usize,
    /// Bytes of all the pages.
    pub(super) mapped: usize,
}

impl Span {
    /// The pages of `page` bytes, a power of two, that a buffer is on.
    ///
    /// Refuses what is empty, what is not inside its allocation, and what no process can map.
    pub(super) fn of(import: &Import, page: u64) -> Result<Span, HostError> {
        let Import { size, allocation_size, offset, access: _ } = *import;
        if size == 0 {
            return Err(HostError::Empty);
        }
        if offset.checked_add(size).is_none_or(|end| end > allocation_size) {
            return Err(HostError::Range { offset, size, allocation_size });
        }
        let first = offset & !(page - 1);
        let inside = offset - first;
        // No sum here leaves 64 bits but the one that is checked: `inside + size` is at most the end above.
        let mapped = (inside + size).checked_next_multiple_of(page).filter(|mapped| *mapped <= MOST);
        let narrow = |bytes: u64| usize::try_from(bytes).ok();
        match (narrow(inside), narrow(size), mapped.and_then(narrow)) {
            (Some(inside), Some(size), Some(mapped)) => Ok(Span { first, inside, size, mapped }),
            _ => Err(HostError::TooLarge { offset, size, most: MOST }),
        }
    }

    /// Where a copy of `length` bytes at `position` begins in the buffer; refused when it is not all inside.
    pub(super) fn within(&self, position: u64, length: usize) -> Result<usize, HostError> {
        let (length, size) = (length as u64, self.size as u64);
        let inside = position.checked_add(length).is_some_and(|end| end <= size);
        // What is inside is at most `size`, which is a `usize`.
        let at = usize::try_from(position).ok().filter(|_| inside);
        at.ok_or(HostError::OutOfBounds { position, length, size })
    }

    /// Refuses a copy of the whole from or to another number of bytes.
    pub(super) fn whole(&self, length: usize) -> Result<(), HostError> {
        if length == self.size {
            return Ok(());
        }
        Err(HostError::Length { length: length as u64, size: self.size as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Span};
    use crate::host::{Access, HostError, Import};

    fn of(offset: u64, size: u64, allocation_size: u64) -> Result<Span, HostError> {
        Span::of(&Import { size, allocation_size, offset, access: Access::ReadOnly }, 4096)
    }

    #[test]
    fn only_the_pages_of_the_buffer_are_mapped() {
        let span = |first, inside, size, mapped| Ok(Span { first, inside, size, mapped });
        assert_eq!(of(0, 1, 4096), span(0, 0, 1, 4096));
        assert_eq!(of(0, 4096, 4096), span(0, 0, 4096, 4096));
        assert_eq!(of(0, 4097, 8192), span(0, 0, 4097, 8192));
        assert_eq!(of(4095, 1, 8192), span(0, 4095, 1, 4096));
        assert_eq!(of(4095, 2, 8192), span(0, 4095, 2, 8192));
        assert_eq!(of(4096, 1, 8192), span(4096, 0, 1, 4096));
        assert_eq!(of(1 << 40, 10, 1 << 41), span(1 << 40, 0, 10, 4096));
        assert_eq!(of(12_345, 10, 12_355), span(12_288, 57, 10, 4096));
    }

    #[test]
    fn what_wraps_or_leaves_the_allocation_is_refused() {
        for (offset, size, allocation_size) in [
            (0, 2, 1),
            (1, 1, 1),
            (u64::MAX, 1, u64::MAX),
            (u64::MAX, u64::MAX, u64::MAX),
            (1, u64::MAX, u64::MAX),
            (4096, u64::MAX - 4095, u64::MAX),
        ] {
            assert_eq!(
                of(offset, size, allocation_size),
                Err(HostError::Range { offset, size, allocation_size })
            );
        }
        assert_eq!(of(0, 0, 4096), Err(HostError::Empty));
        for size in [u64::MAX, MOST + 1, MOST] {
            assert_eq!(of(0, size, u64::MAX), Err(HostError::TooLarge { offset: 0, size, most: MOST }));
        }
    }

    #[test]
    fn a_copy_ends_with_the_buffer() {
        let span = of(10, 100, 4096).unwrap();
        assert_eq!(span.within(0, 100), Ok(0));
        assert_eq!(span.within(99, 1), Ok(99));
        assert_eq!(span.within(100, 0), Ok(100));
        for (position, length) in [(0, 101), (100, 1), (101, 0), (u64::MAX, 1), (u64::MAX, 0)] {
            let refused = HostError::OutOfBounds { position, length: length as u64, size: 100 };
            assert_eq!(span.within(position, length), Err(refused));
        }
        assert_eq!(span.whole(100), Ok(()));
        assert_eq!(span.whole(99), Err(HostError::Length { length: 99, size: 100 }));
    }
}

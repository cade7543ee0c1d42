//! Buffers, as their exporter has them.
#![cfg(all(target_os = "linux", feature = "host"))]

mod host_support;

use std::os::fd::AsFd;

use host_support::{
    descriptors, filled, free_huge_pages, inode, mappings, open_flags, page, pattern, populated, resident,
};
use rustix::fs::{FallocateFlags, Mode, OFlags, SealFlags, fallocate, fcntl_get_seals, fcntl_getfl, fstat};
use rustix::io::{Errno, FdFlags, fcntl_getfd, pread, pwrite};
use rustix::mm::{MapFlags, ProtFlags};
use wirecontract::Code;
use wirecontract_runtime::host::{
    Access, Barrier, FreezeError, FrozenBuffer, Hold, HostBuffer, HostError, HostFile, HostMapping,
    HostOptions, HugePages, Import, Pages, Pool, PooledBuffer,
};

const HUGE: u64 = 2 << 20;

/// Opens the file of a descriptor anew, as a hostile consumer would.
fn reopened(fd: impl AsFd, flags: OFlags) -> rustix::io::Result<std::os::fd::OwnedFd> {
    use std::os::fd::AsRawFd;
    let path = format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd());
    rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty())
}

#[test]
fn every_size_and_offset_is_exact_to_the_byte() {
    let page = page();
    for size in [1, 2, 7, 8, page - 1, page, page + 1, 3 * page + 17, (1 << 20) + 1] {
        for offset in [0, 1, 63, page - 1, page, page + 1, 5 * page + 9] {
            let buffer = filled(&HostOptions::new(size).offset(offset), size ^ offset);
            let bytes = pattern(usize::try_from(size).unwrap(), size ^ offset);
            let allocation_size = (offset + size).div_ceil(page) * page;
            let numbers = Import { size, allocation_size, offset, access: Access::ReadOnly };
            assert_eq!(buffer.describe(), numbers);
            assert_eq!(
                (buffer.size(), buffer.allocation_size(), buffer.offset()),
                (size, allocation_size, offset)
            );

            let fd = buffer.try_clone_fd().unwrap();
            assert_eq!(u64::try_from(fstat(&fd).unwrap().st_size).unwrap(), allocation_size);
            let mut in_file = vec![0; bytes.len()];
            assert_eq!(pread(&fd, &mut in_file, offset), Ok(bytes.len()));
            assert_eq!(in_file, bytes, "size {size}, offset {offset}");

            let mapping = HostMapping::import(fd, &numbers).unwrap();
            let mut out = vec![0; bytes.len()];
            mapping.copy_to(&mut out).unwrap();
            assert_eq!(out, bytes, "size {size}, offset {offset}");
            out.fill(0);
            buffer.copy_to(&mut out).unwrap();
            assert_eq!(out, bytes, "size {size}, offset {offset}");
            assert_eq!(mapping.as_ptr().addr() as u64 % page, offset % page);
        }
    }
}

#[test]
fn parts_are_copied_from_any_place_to_any_place() {
    let options = HostOptions::new(100).offset(3).consumers(Access::ReadWrite);
    let mut buffer = HostBuffer::create(&options).unwrap();
    let mut mapping = HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
    let mut expected = [0; 100];
    for (position, length) in [(0, 1), (1, 8), (13, 27), (40, 40), (92, 8), (99, 1), (100, 0)] {
        let bytes = pattern(length, position);
        let at = usize::try_from(position).unwrap();
        expected[at..at + length].copy_from_slice(&bytes);
        // In turn by the exporter and by the consumer, which see the same.
        if at % 2 == 0 {
            buffer.write_at(position, &bytes).unwrap();
        } else {
            mapping.write_at(position, &bytes).unwrap();
        }
        let (mut ours, mut theirs) = (vec![0; length], vec![0; length]);
        buffer.read_at(position, &mut ours).unwrap();
        mapping.read_at(position, &mut theirs).unwrap();
        assert_eq!((&ours, &theirs), (&bytes, &bytes));
    }
    let mut all = [1; 100];
    mapping.copy_to(&mut all).unwrap();
    assert_eq!(all, expected);
    mapping.copy_from(&[9; 100]).unwrap();
    buffer.copy_to(&mut all).unwrap();
    assert_eq!(all, [9; 100]);

    for (position, length) in [(0_u64, 101_usize), (100, 1), (101, 0), (u64::MAX, 1), (u64::MAX, 100)] {
        let refused = Err(HostError::OutOfBounds { position, length: length as u64, size: 100 });
        let mut out = vec![7; length];
        assert_eq!(buffer.read_at(position, &mut out), refused);
        assert_eq!(mapping.read_at(position, &mut out), refused);
        assert_eq!(out, vec![7; length], "nothing is copied");
        assert_eq!(buffer.write_at(position, &out), refused);
        assert_eq!(mapping.write_at(position, &out), refused);
    }
    for length in [0, 99, 101] {
        let refused = Err(HostError::Length { length: length as u64, size: 100 });
        let mut out = vec![7; length];
        assert_eq!(buffer.copy_to(&mut out), refused);
        assert_eq!(mapping.copy_to(&mut out), refused);
        assert_eq!(buffer.copy_from(&out), refused);
        assert_eq!(mapping.copy_from(&out), refused);
    }
    mapping.copy_to(&mut all).unwrap();
    assert_eq!(all, [9; 100], "nothing is written");
}

#[test]
fn four_gibibytes_take_the_pages_that_are_touched() {
    let size = (4 << 30) + 5;
    let mut buffer = HostBuffer::create(&HostOptions::new(size).name("four-gibibytes")).unwrap();
    let fd = buffer.try_clone_fd().unwrap();
    assert_eq!(resident(&fd), 0);
    buffer.write_at(0, b"first").unwrap();
    buffer.write_at(size - 4, b"last").unwrap();
    let touched = resident(&fd);
    // A machine that makes huge pages of all shared memory takes two of these.
    assert!((2 * page()..=2 * HUGE).contains(&touched), "{touched} bytes");

    let mapping = HostMapping::import(fd, &buffer.describe()).unwrap();
    assert_eq!(mappings("four-gibibytes").len(), 2);
    assert_eq!(resident(buffer.try_clone_fd().unwrap()), touched, "an import touches nothing");
    let mut out = [0; 5];
    mapping.read_at(0, &mut out).unwrap();
    assert_eq!(&out, b"first");
    mapping.read_at(size - 5, &mut out).unwrap();
    assert_eq!(&out, b"\0last");
}

#[test]
fn only_the_pages_of_the_buffer_are_mapped() {
    let (page, name) = (page(), "only-its-pages");
    let options = HostOptions::new(page + 2).offset((1 << 30) + page - 1).name(name);
    let buffer = filled(&options, 1);
    assert_eq!(mappings(name), [3 * page]);
    let numbers = Import { size: 2, offset: (1 << 30) + page - 1, ..buffer.describe() };
    let mapping = HostMapping::import(buffer.try_clone_fd().unwrap(), &numbers).unwrap();
    let mut lengths = mappings(name);
    lengths.sort_unstable();
    assert_eq!(lengths, [2 * page, 3 * page]);
    let mut out = [0; 2];
    mapping.copy_to(&mut out).unwrap();
    assert_eq!(out, pattern(2, 1)[..]);
}

#[test]
fn options_that_are_none_are_refused() {
    let (page, most) = (page(), isize::MAX as u64);
    let create = |options: HostOptions| HostBuffer::create(&options).map(|buffer| buffer.describe());
    assert_eq!(create(HostOptions::new(0)), Err(HostError::Empty));
    for (offset, size) in [(0, u64::MAX), (u64::MAX, 1), (u64::MAX, u64::MAX), (1, most), (0, most)] {
        let refused = Err(HostError::TooLarge { offset, size, most });
        assert_eq!(create(HostOptions::new(size).offset(offset)), refused);
    }
    for found in [0, 3, 48, 2 * page, 1 << 63, u64::MAX] {
        assert_eq!(
            create(HostOptions::new(1).alignment(found)),
            Err(HostError::Alignment { found, most: page })
        );
    }
    for (offset, alignment) in [(1, 2), (255, 256), (page + 64, page)] {
        let refused = Err(HostError::Misaligned { offset, alignment });
        assert_eq!(create(HostOptions::new(1).offset(offset).alignment(alignment)), refused);
    }
    let refused = Err(HostError::Name { length: 250, most: 249 });
    assert_eq!(create(HostOptions::new(1).name("a".repeat(250))), refused);
    assert_eq!(create(HostOptions::new(1).name("a\0b\0")), Err(HostError::NameWithNul { at: 1 }));
    // Inside 63 bits, and more than any machine can map.
    let refused = Err(HostError::Os { operation: "mapping a memfd", errno: Errno::NOMEM.raw_os_error() });
    assert_eq!(create(HostOptions::new(1 << 62).name("too-much")), refused);
    assert_eq!(descriptors("too-much"), 0);
}

#[test]
fn the_address_has_the_alignment_on_both_sides() {
    for alignment in [1, 64, 256, page()] {
        let options = HostOptions::new(10).offset(3 * alignment).alignment(alignment);
        let buffer = HostBuffer::create(&options).unwrap();
        let mapping = HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
        for address in [buffer.as_ptr().addr(), mapping.as_ptr().addr()] {
            assert_eq!(address as u64 % alignment, 0);
        }
    }
}

#[test]
fn proc_calls_it_by_its_name_until_it_is_dropped() {
    let name = format!("{}é", "n".repeat(247));
    let buffer = HostBuffer::create(&HostOptions::new(1).name(&name)).unwrap();
    assert_eq!((descriptors(&name), mappings(&name)), (1, vec![page()]));
    let fd = buffer.into_fd().unwrap();
    assert_eq!((descriptors(&name), mappings(&name)), (1, vec![]));
    let mapping = HostMapping::import(fd, &Import { allocation_size: 1, ..host_support::whole(1) }).unwrap();
    let other = mapping.try_clone_fd().unwrap();
    assert_eq!((descriptors(&name), mappings(&name)), (2, vec![page()]));
    drop(other);
    let fd = mapping.into_fd();
    assert_eq!((descriptors(&name), mappings(&name)), (1, vec![]));
    drop(fd);
    assert_eq!(descriptors(&name), 0);
}

#[test]
fn no_descriptor_outlives_an_exec() {
    let name = "exec";
    for access in [Access::ReadOnly, Access::ReadWrite] {
        let buffer = HostBuffer::create(&HostOptions::new(1).name(name).consumers(access)).unwrap();
        let mapping = HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
        let copy = mapping.try_clone_fd().unwrap();
        let flags = open_flags(name);
        assert_eq!(flags.len(), 3);
        assert!(flags.iter().all(|flags| flags.contains(OFlags::CLOEXEC)), "{flags:?}");
        drop(copy);
    }
}

#[test]
fn populated_pages_are_there_from_the_start() {
    for (populate, name) in [(true, "populated"), (false, "not-populated")] {
        let buffer = HostBuffer::create(&HostOptions::new(1 << 20).populate(populate).name(name)).unwrap();
        let bytes = if populate { 1 << 20 } else { 0 };
        assert!(resident(buffer.try_clone_fd().unwrap()) >= bytes);
        assert_eq!(populated(name), bytes);
    }
}

#[test]
fn huge_pages_are_got_or_refused_and_preferred_ones_fall_back() {
    let options = HostOptions::new(HUGE + 1).name("huge");
    let advised = HostBuffer::create(&options.clone().huge_pages(HugePages::Advised)).unwrap();
    let fallback = match std::fs::exists("/sys/kernel/mm/transparent_hugepage") {
        Ok(true) => Pages::Advised,
        _ => Pages::Ordinary,
    };
    assert_eq!(advised.pages(), fallback);
    assert_eq!(advised.allocation_size(), HUGE + page());

    let required = HostBuffer::create(&options.clone().huge_pages(HugePages::Required { bytes: HUGE }));
    let preferred = options.clone().huge_pages(HugePages::Preferred { bytes: HUGE });
    if free_huge_pages().is_some_and(|free| free >= 2) {
        let mut buffer = required.unwrap();
        assert_eq!((buffer.pages(), buffer.allocation_size()), (Pages::Huge { bytes: HUGE }, 2 * HUGE));
        buffer.write_at(HUGE, &[5]).unwrap();
        let mapping = HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
        let mut out = [0];
        mapping.read_at(HUGE, &mut out).unwrap();
        assert_eq!(out, [5]);
        buffer.zero().unwrap();
        mapping.read_at(HUGE, &mut out).unwrap();
        assert_eq!(out, [0]);
        buffer.write_at(HUGE, &[6]).unwrap();
        let frozen = buffer.freeze().unwrap();
        assert_eq!((frozen.len() as u64, frozen.last()), (HUGE + 1, Some(&6)));
        let again = HostMapping::import(frozen.try_clone_fd().unwrap(), &frozen.describe()).unwrap();
        assert_eq!((mapping.bytes(), again.bytes()), (Some(&*frozen), Some(&*frozen)));
        drop((again, mapping, frozen));
        assert_eq!(HostBuffer::create(&preferred).unwrap().pages(), Pages::Huge { bytes: HUGE });
    } else {
        let errno = if free_huge_pages().is_some() { Errno::NOMEM } else { Errno::NODEV };
        let refused = HostError::HugePages { bytes: HUGE, errno: errno.raw_os_error() };
        assert_eq!(required.unwrap_err(), refused);
        if free_huge_pages() == Some(0) {
            // Said by what makes the pages, since what populates a mapping says nothing.
            let populated = options.clone().huge_pages(HugePages::Required { bytes: HUGE }).populate(true);
            let refused = HostError::HugePages { bytes: HUGE, errno: Errno::NOSPC.raw_os_error() };
            assert_eq!(HostBuffer::create(&populated).unwrap_err(), refused);
        }
        let buffer = HostBuffer::create(&preferred).unwrap();
        assert_eq!((buffer.pages(), buffer.allocation_size()), (fallback, HUGE + page()));
    }

    for bytes in [0, 1, 12_345, page(), u64::MAX] {
        let asked = options.clone().huge_pages(HugePages::Required { bytes });
        let refused = HostError::HugePages { bytes, errno: Errno::INVAL.raw_os_error() };
        assert_eq!(HostBuffer::create(&asked).unwrap_err(), refused);
        let asked = options.clone().huge_pages(HugePages::Preferred { bytes });
        assert_eq!(HostBuffer::create(&asked).unwrap().pages(), fallback);
    }
    // A consumer that writes could take them away.
    let shared = options.clone().consumers(Access::ReadWrite);
    let required = HostBuffer::create(&shared.clone().huge_pages(HugePages::Required { bytes: HUGE }));
    assert_eq!(required.unwrap_err(), HostError::WrittenHugePages);
    let preferred = HostBuffer::create(&shared.huge_pages(HugePages::Preferred { bytes: HUGE }));
    assert_eq!(preferred.unwrap().pages(), fallback);
    // Sizes that no machine has: 2^40 bytes, and 2^63, of which even one is too many.
    for bytes in [1 << 40, 1 << 63] {
        let asked = options.clone().huge_pages(HugePages::Required { bytes });
        let error = HostBuffer::create(&asked).unwrap_err();
        let none = matches!(error, HostError::HugePages { .. } | HostError::TooLarge { .. });
        assert!(none, "{error}");
        let asked = options.clone().huge_pages(HugePages::Preferred { bytes });
        assert_eq!(HostBuffer::create(&asked).unwrap().pages(), fallback);
    }
    drop(advised);
    assert_eq!((descriptors("huge"), mappings("huge")), (0, vec![]));
}

#[test]
fn the_seals_are_those_of_the_options() {
    let seals = |options: HostOptions| {
        let buffer = HostBuffer::create(&options).unwrap();
        fcntl_get_seals(buffer.try_clone_fd().unwrap()).unwrap() - SealFlags::EXEC
    };
    let size = SealFlags::SHRINK | SealFlags::GROW;
    assert_eq!(seals(HostOptions::new(1)), size | SealFlags::FUTURE_WRITE);
    assert_eq!(seals(HostOptions::new(1).consumers(Access::ReadWrite)), size);
    let last = HostOptions::new(1).final_seals(true);
    assert_eq!(seals(last.clone()), size | SealFlags::FUTURE_WRITE | SealFlags::SEAL);
    assert_eq!(seals(last.consumers(Access::ReadWrite)), size | SealFlags::SEAL);
}

#[test]
fn a_consumer_that_reads_cannot_write_by_any_door() {
    let mut buffer = filled(&HostOptions::new(100), 1);
    let fd = buffer.try_clone_fd().unwrap();
    assert_eq!(fcntl_getfl(&fd).unwrap() & OFlags::RWMODE, OFlags::RDONLY);
    assert_eq!(fcntl_getfd(&fd).unwrap(), FdFlags::CLOEXEC);
    assert_eq!(fstat(&fd).unwrap().st_mode & 0o777, 0o400);
    assert_eq!(pwrite(&fd, b"x", 0), Err(Errno::BADF));

    // Opened anew by who may: the exporter's user may change the mode, and root needs no mode.
    rustix::fs::fchmod(&fd, Mode::RUSR | Mode::WUSR).unwrap();
    let writer = reopened(&fd, OFlags::RDWR).unwrap();
    assert_eq!(pwrite(&writer, b"x", 0), Err(Errno::PERM));
    assert_eq!(
        fallocate(&writer, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, 0, 100),
        Err(Errno::PERM)
    );
    assert_eq!(rustix::fs::ftruncate(&writer, 0), Err(Errno::PERM));
    let page = rustix::param::page_size();
    // SAFETY: the kernel chooses the place; it refuses, and nothing is mapped.
    let mapped = unsafe {
        rustix::mm::mmap(std::ptr::null_mut(), page, ProtFlags::WRITE, MapFlags::SHARED, &writer, 0)
    };
    assert_eq!(mapped, Err(Errno::PERM));
    let numbers = Import { access: Access::ReadWrite, ..buffer.describe() };
    let refused = HostError::Access { wanted: Access::ReadWrite, barrier: Barrier::SealedAgainstWriting };
    assert_eq!(HostMapping::import(writer, &numbers).unwrap_err(), refused);

    // And the exporter still writes.
    let mapping = HostMapping::import(fd, &buffer.describe()).unwrap();
    buffer.write_at(99, &[0x5a]).unwrap();
    let mut out = [0];
    mapping.read_at(99, &mut out).unwrap();
    assert_eq!(out, [0x5a]);
}

#[test]
fn what_was_imported_for_reading_is_not_written() {
    let buffer = filled(&HostOptions::new(100).consumers(Access::ReadWrite), 1);
    let numbers = Import { access: Access::ReadOnly, ..buffer.describe() };
    let mut mapping = HostMapping::import(buffer.try_clone_fd().unwrap(), &numbers).unwrap();
    let refused = || HostError::Access { wanted: Access::ReadWrite, barrier: Barrier::ImportedReadOnly };
    assert_eq!(mapping.write_at(0, b"x"), Err(refused()));
    assert_eq!(mapping.copy_from(&[0; 100]), Err(refused()));
    assert_eq!(mapping.as_mut_ptr(), Err(refused()));
    // SAFETY: nobody else has the buffer; it is refused.
    assert_eq!(unsafe { mapping.as_mut_slice() }, Err(refused()));
    // SAFETY: nobody writes the buffer.
    assert_eq!(unsafe { mapping.as_slice() }, pattern(100, 1));
}

#[test]
fn pointers_and_slices_are_the_buffer() {
    let mut buffer =
        HostBuffer::create(&HostOptions::new(100).offset(7).consumers(Access::ReadWrite)).unwrap();
    let mut mapping = HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
    // SAFETY: nobody else uses the buffer while a slice or a pointer of it is used.
    unsafe {
        buffer.as_mut_slice().copy_from_slice(&pattern(100, 1));
        assert_eq!(mapping.as_slice(), pattern(100, 1));
        mapping.as_mut_slice().unwrap().copy_from_slice(&pattern(100, 2));
        assert_eq!(buffer.as_slice(), pattern(100, 2));
        buffer.as_mut_ptr().add(99).write(3);
        assert_eq!(mapping.as_ptr().add(99).read(), 3);
        mapping.as_mut_ptr().unwrap().write(4);
        assert_eq!(buffer.as_ptr().read(), 4);
    }
}

#[test]
fn a_frozen_buffer_is_bytes_on_both_sides() {
    let name = "frozen";
    for access in [Access::ReadOnly, Access::ReadWrite] {
        let buffer = filled(&HostOptions::new(10_000).offset(5).consumers(access).name(name), 1);
        let read = Import { access: Access::ReadOnly, ..buffer.describe() };
        // A mapping of a descriptor that writes could still be made one for writing, and stands in the way of freezing.
        let import = || HostMapping::import(buffer.try_clone_fd().unwrap(), &read).unwrap();
        let before = (access == Access::ReadOnly).then(import);
        assert!(before.as_ref().is_none_or(|mapping| mapping.bytes().is_none()));
        let was = inode(&buffer);

        let frozen = buffer.freeze().unwrap();
        assert_eq!(&*frozen, pattern(10_000, 1));
        assert_eq!(frozen.as_ref(), pattern(10_000, 1));
        assert_eq!(frozen.describe(), read);
        assert!(before.as_ref().is_none_or(|mapping| mapping.bytes() == Some(&frozen[..])));

        let fd = frozen.try_clone_fd().unwrap();
        assert_eq!(fstat(&fd).unwrap().st_ino, was, "nothing is copied");
        assert_eq!(fcntl_getfl(&fd).unwrap() & OFlags::RWMODE, OFlags::RDONLY);
        rustix::fs::fchmod(&fd, Mode::RUSR | Mode::WUSR).unwrap();
        let writer = reopened(&fd, OFlags::RDWR).unwrap();
        assert_eq!(pwrite(&writer, b"x", 0), Err(Errno::PERM));
        // Whether the descriptor writes or not: the file is not written.
        for fd in [fd, writer] {
            let mapping = HostMapping::import(fd, &read).unwrap();
            assert_eq!(mapping.bytes(), Some(&pattern(10_000, 1)[..]));
        }
        let mapping = HostMapping::import(frozen.into_fd().unwrap(), &read).unwrap();
        drop(before);
        assert_eq!((descriptors(name), mappings(name).len()), (1, 1));
        assert_eq!(mapping.bytes(), Some(&pattern(10_000, 1)[..]));
    }
    assert_eq!((descriptors(name), mappings(name)), (0, vec![]));
}

#[test]
fn what_somebody_still_writes_is_not_frozen() {
    let buffer = filled(&HostOptions::new(100).consumers(Access::ReadWrite), 1);
    let numbers = buffer.describe();
    let mut consumer = HostMapping::import(buffer.try_clone_fd().unwrap(), &numbers).unwrap();
    assert_eq!(consumer.bytes(), None);
    let FreezeError { error, fd } = buffer.freeze().unwrap_err();
    assert_eq!(error, HostError::StillWritten);
    // Nothing is lost: who has the descriptor has the buffer.
    consumer.write_at(0, &[1, 2, 3]).unwrap();
    let again = HostMapping::import(fd, &numbers).unwrap();
    let mut out = [0; 100];
    again.copy_to(&mut out).unwrap();
    assert_eq!((&out[..3], &out[3..]), (&[1, 2, 3][..], &pattern(100, 1)[3..]));
}

#[test]
fn final_seals_leave_nothing_to_freeze() {
    let buffer = filled(&HostOptions::new(100).final_seals(true), 1);
    let numbers = buffer.describe();
    let refused = buffer.freeze().unwrap_err();
    assert_eq!(refused.error, HostError::FinalSeals);
    assert_eq!(refused.to_string(), HostError::FinalSeals.to_string());
    let mapping = HostMapping::import(refused.fd, &numbers).unwrap();
    assert_eq!(mapping.bytes(), None);
    let mut out = [0; 100];
    mapping.copy_to(&mut out).unwrap();
    assert_eq!(out, pattern(100, 1)[..]);

    // Sealed by a consumer that may write.
    let buffer = filled(&HostOptions::new(100).consumers(Access::ReadWrite), 1);
    rustix::fs::fcntl_add_seals(buffer.try_clone_fd().unwrap(), SealFlags::SEAL).unwrap();
    assert_eq!(HostError::from(buffer.freeze().unwrap_err()), HostError::FinalSeals);
}

#[test]
fn zeros_take_no_memory() {
    let (page, size) = (page(), 4 << 30);
    let options = HostOptions::new(size).offset(100);
    for access in [Access::ReadOnly, Access::ReadWrite] {
        let mut buffer = HostBuffer::create(&options.clone().consumers(access)).unwrap();
        let fd = buffer.try_clone_fd().unwrap();
        let mapping = HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
        buffer.zero().unwrap();
        assert_eq!(resident(&fd), 0, "of what nobody touched");
        let touched = [0, 1 << 20, (1 << 20) + page, 3 << 30, size - 100];
        for at in touched {
            buffer.write_at(at, &[0xff; 100]).unwrap();
        }
        let before = resident(&fd);
        buffer.zero().unwrap();
        for at in touched {
            let mut out = [1; 100];
            mapping.read_at(at, &mut out).unwrap();
            assert_eq!(out, [0; 100], "{access:?}, at {at}");
        }
        assert!(resident(&fd) <= before, "{access:?}");
    }
}

#[test]
fn zeros_are_of_the_buffer_and_give_back_what_they_can() {
    let size = 1 << 20;
    let resident_after = |options: HostOptions| {
        let mut buffer = filled(&options, 1);
        buffer.zero().unwrap();
        let bytes = resident(buffer.try_clone_fd().unwrap());
        let mut out = vec![1; 1 << 20];
        buffer.copy_to(&mut out).unwrap();
        assert!(out.iter().all(|byte| *byte == 0));
        bytes
    };
    assert!(resident_after(HostOptions::new(size)) >= size);
    let shared = HostOptions::new(size).consumers(Access::ReadWrite);
    assert_eq!(resident_after(shared.clone()), 0);
    assert!(resident_after(shared.clone().populate(true)) >= size, "populated pages stay");

    // A consumer that may write sealed it: then it is overwritten.
    let mut buffer = filled(&shared, 1);
    rustix::fs::fcntl_add_seals(buffer.try_clone_fd().unwrap(), SealFlags::FUTURE_WRITE).unwrap();
    buffer.zero().unwrap();
    let mut out = vec![1; 1 << 20];
    buffer.copy_to(&mut out).unwrap();
    assert!(out.iter().all(|byte| *byte == 0));
}

#[test]
fn all_of_it_may_go_to_other_threads() {
    fn both<T: Send + Sync>() {}
    both::<HostBuffer>();
    both::<HostMapping>();
    both::<HostFile>();
    both::<FrozenBuffer>();
    both::<Pool>();
    both::<PooledBuffer>();
    both::<Hold>();

    let mut buffer = filled(&HostOptions::new(100_000), 1);
    let mapping = HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut out = vec![0; 100_000];
                for _ in 0..20 {
                    mapping.copy_to(&mut out).unwrap();
                    // Old bytes or new ones, whatever the writer does meanwhile.
                    let (old, new) = (pattern(100_000, 1), pattern(100_000, 2));
                    let mixture =
                        out.iter().zip(old.iter().zip(&new)).all(|(byte, (a, b))| byte == a || byte == b);
                    assert!(mixture);
                }
            });
        }
        scope.spawn(move || {
            for seed in [2, 1].into_iter().cycle().take(41) {
                buffer.copy_from(&pattern(100_000, seed)).unwrap();
            }
        });
    });
    let mut out = vec![0; 100_000];
    mapping.copy_to(&mut out).unwrap();
    assert_eq!(out, pattern(100_000, 2), "the mapping outlives the exporter's buffer");
}

#[test]
fn pages_that_the_machine_cannot_have_are_refused_before_any_is_made() {
    let error =
        HostBuffer::create(&HostOptions::new(1 << 60).populate(true)).expect_err("more than there is");
    assert!(matches!(error, HostError::MoreThanMemory { pages, .. } if pages == 1 << 60), "{error:?}");
    assert_eq!(error.code(), Code::TooLarge);
}

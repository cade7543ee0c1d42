//! What an importer refuses, and that nothing of it is left.
#![cfg(all(target_os = "linux", feature = "host"))]

mod host_support;

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use host_support::{
    descriptors, descriptors_of, filled, free_huge_pages, mappings, page, pattern, target, whole,
};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::io::{Errno, pwrite};
use wirecontract::Code;
use wirecontract_runtime::host::{
    Access, Barrier, FileKind, HostBuffer, HostError, HostFile, HostMapping, HostOptions, Import,
};

/// A memfd of `size` bytes with these seals.
fn memfd(name: &str, size: u64, seals: SealFlags) -> OwnedFd {
    let fd = memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
    ftruncate(&fd, size).unwrap();
    fcntl_add_seals(&fd, seals).unwrap();
    fd
}

fn open(path: &str, flags: OFlags) -> OwnedFd {
    rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty()).unwrap()
}

/// The same file, opened otherwise.
fn reopened(fd: impl AsFd, flags: OFlags) -> OwnedFd {
    open(&format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd()), flags)
}

fn mapped(fd: OwnedFd, import: &Import) -> HostError {
    HostMapping::import(fd, import).map(|_| "mapped").unwrap_err()
}

fn read(fd: OwnedFd, import: &Import) -> HostError {
    HostFile::import(fd, import).map(|_| "imported").unwrap_err()
}

fn not_sealed(missing: SealFlags, seals: SealFlags) -> HostError {
    HostError::NotSealed { missing: missing.bits(), seals: seals.bits() }
}

#[test]
fn what_is_no_memory_is_refused_by_what_it_is_and_closed() {
    let pipe = || std::io::pipe().unwrap();
    let makers: [(&dyn Fn() -> OwnedFd, FileKind, &str); 9] = [
        (&|| pipe().0.into(), FileKind::Pipe, "a pipe"),
        (&|| pipe().1.into(), FileKind::Pipe, "a pipe"),
        (&|| open("/dev", OFlags::RDONLY), FileKind::Directory, "a directory"),
        (&|| open("/dev/null", OFlags::RDWR), FileKind::CharacterDevice, "a character device"),
        (&|| UnixStream::pair().unwrap().0.into(), FileKind::Socket, "a socket"),
        (&|| open("/proc/self/status", OFlags::RDONLY), FileKind::Stored, "a file that is no memory"),
        (&|| eventfd(0, EventfdFlags::CLOEXEC).unwrap(), FileKind::Other, "a descriptor of no file"),
        (
            &|| reopened(memfd("path", 4096, SealFlags::SHRINK), OFlags::PATH),
            FileKind::Path,
            "a path that is not opened (O_PATH)",
        ),
        (
            &|| open("/proc/self/exe", OFlags::PATH | OFlags::NOFOLLOW),
            FileKind::Path,
            "a path that is not opened (O_PATH)",
        ),
    ];
    for (make, found, words) in makers {
        for (import, access) in [(mapped as fn(_, &_) -> _, Access::ReadOnly), (read, Access::ReadWrite)] {
            let fd = make();
            let target = target(&fd);
            let before = descriptors_of(&target);
            // The numbers are as wrong as the descriptor, which is looked at first.
            let refused = import(fd, &Import { access, ..whole(0) });
            assert_eq!(refused, HostError::Kind { found });
            assert_eq!(refused.code(), Code::FdKind);
            let text = format!(
                "expected a memfd, found {words}: have the exporter send the descriptor of its buffer"
            );
            assert_eq!(refused.to_string(), text);
            assert_eq!(descriptors_of(&target), before - 1, "{words} is closed");
        }
    }
}

#[test]
fn what_can_shrink_is_not_mapped() {
    let name = "can-shrink";
    for (seals, words) in [
        (SealFlags::empty(), "no seal"),
        (SealFlags::GROW, "F_SEAL_GROW"),
        (SealFlags::GROW | SealFlags::WRITE, "F_SEAL_GROW | F_SEAL_WRITE"),
    ] {
        // Also where the numbers are wrong: it is no buffer at all.
        let refused = mapped(memfd(name, 4096, seals), &whole(0));
        assert_eq!(refused, not_sealed(SealFlags::SHRINK, seals));
        assert_eq!(refused.code(), Code::Refused);
        let text = format!(
            "expected a memfd that is sealed with F_SEAL_SHRINK, found {words}: \
             have the exporter seal it, or read the file without mapping it (HostFile)"
        );
        assert_eq!(refused.to_string(), text);
    }
    // A memfd that cannot be sealed, and memory of shm_open: neither can ever be.
    let fd = memfd_create(name, MemfdFlags::CLOEXEC).unwrap();
    ftruncate(&fd, 4096).unwrap();
    assert_eq!(mapped(fd, &whole(4096)), not_sealed(SealFlags::SHRINK, SealFlags::SEAL));
    let shared = tempfile::tempfile_in("/dev/shm").unwrap();
    shared.set_len(4096).unwrap();
    assert_eq!(mapped(shared.into(), &whole(4096)), not_sealed(SealFlags::SHRINK, SealFlags::SEAL));
    assert_eq!((descriptors(name), mappings(name)), (0, vec![]));
}

#[test]
fn what_is_mapped_does_not_shrink() {
    let buffer = filled(&HostOptions::new(10_000).consumers(Access::ReadWrite), 1);
    let theirs = buffer.try_clone_fd().unwrap();
    let mapping = HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
    for size in [0, 1, 4096, 1 << 20] {
        assert_eq!(ftruncate(&theirs, size), Err(Errno::PERM));
    }
    drop((buffer, theirs));
    let mut out = vec![0; 10_000];
    mapping.copy_to(&mut out).unwrap();
    assert_eq!(out, pattern(10_000, 1));
}

#[test]
fn a_file_that_is_shorter_than_announced_is_refused() {
    let (page, name) = (page(), "shorter");
    let make = |file_size| memfd(name, file_size, SealFlags::SHRINK);
    for (file_size, allocation_size) in [(0, 1), (page - 1, page), (page, page + 1), (page, 1 << 62)] {
        for import in [mapped as fn(_, &_) -> _, read] {
            let refused = import(make(file_size), &Import { size: 1, ..whole(allocation_size) });
            assert_eq!(refused, HostError::FileTooShort { allocation_size, file_size });
            assert_eq!(refused.code(), Code::TooShort);
        }
    }
    // A file that is longer, or ends within a page, is as good as any.
    for (file_size, allocation_size) in
        [(1, 1), (page + 1, page), (page + 1, page + 1), (10 * page, 2 * page)]
    {
        let mapping = HostMapping::import(make(file_size), &whole(allocation_size)).unwrap();
        let mut last = [1];
        mapping.read_at(allocation_size - 1, &mut last).unwrap();
        assert_eq!(last, [0]);
    }
    assert_eq!((descriptors(name), mappings(name)), (0, vec![]));
}

#[test]
fn numbers_that_do_not_fit_each_other_are_refused() {
    let name = "wraps";
    let access = Access::ReadOnly;
    for (size, allocation_size, offset) in [
        (8193, 8192, 0),
        (8192, 8192, 1),
        (1, 8192, 8192),
        (1, 0, 0),
        (1, 8192, u64::MAX),
        (u64::MAX, 8192, 1),
        (u64::MAX, u64::MAX, u64::MAX),
        (2, u64::MAX, u64::MAX - 1),
        (u64::MAX - 4095, u64::MAX, 4096),
        (1 << 63, u64::MAX, 1 << 63),
    ] {
        for import in [mapped as fn(_, &_) -> _, read] {
            let fd = memfd(name, 8192, SealFlags::SHRINK);
            let refused = import(fd, &Import { size, allocation_size, offset, access });
            assert_eq!(refused, HostError::Range { offset, size, allocation_size });
            assert_eq!(refused.code(), Code::OutOfRange);
        }
    }
    for size in [u64::MAX, 1 << 63, isize::MAX as u64] {
        let refused = mapped(memfd(name, 8192, SealFlags::SHRINK), &whole(size));
        assert_eq!(refused, HostError::TooLarge { offset: 0, size, most: isize::MAX as u64 });
        assert_eq!(refused.code(), Code::TooLarge);
    }
    for offset in [0, 1, 8192, u64::MAX] {
        let numbers = Import { size: 0, allocation_size: 8192, offset, access };
        let refused = mapped(memfd(name, 8192, SealFlags::SHRINK), &numbers);
        assert_eq!((refused.code(), refused), (Code::OutOfRange, HostError::Empty));
    }
    // More than there are addresses: the file may be that large, being sparse.
    let refused = mapped(memfd(name, 1 << 62, SealFlags::SHRINK), &whole(1 << 62));
    assert_eq!(refused.code(), Code::Io);
    assert_eq!(refused, HostError::Os { operation: "mapping a memfd", errno: Errno::NOMEM.raw_os_error() });
    assert_eq!((descriptors(name), mappings(name)), (0, vec![]));
}

#[test]
fn an_access_that_the_descriptor_does_not_give_is_refused_by_name() {
    let name = "access";
    let file = || memfd(name, 8192, SealFlags::SHRINK);
    let barred = |fd: OwnedFd, access, barrier| {
        for import in [mapped as fn(_, &_) -> _, read] {
            let refused = import(fd.try_clone().unwrap(), &Import { access, ..whole(8192) });
            assert_eq!(refused, HostError::Access { wanted: access, barrier });
            assert_eq!(refused.code(), Code::Refused);
        }
    };
    let (reads, writes) = (Access::ReadOnly, Access::ReadWrite);
    barred(reopened(file(), OFlags::RDONLY), writes, Barrier::OpenReadOnly);
    barred(reopened(file(), OFlags::WRONLY), writes, Barrier::OpenWriteOnly);
    barred(reopened(file(), OFlags::WRONLY), reads, Barrier::OpenWriteOnly);
    barred(reopened(file(), OFlags::RDWR | OFlags::APPEND), writes, Barrier::OpenAppend);
    for seal in [SealFlags::WRITE, SealFlags::FUTURE_WRITE] {
        barred(memfd(name, 8192, SealFlags::SHRINK | seal), writes, Barrier::SealedAgainstWriting);
    }
    let text = HostError::Access { wanted: writes, barrier: Barrier::OpenReadOnly }.to_string();
    let expected = "expected memory for reading and writing, found a descriptor that is open for reading only: \
                    import it for reading, or have the exporter open it for writing";
    assert_eq!(text, expected);

    // What appends can be read, and what is open for both can be written.
    HostMapping::import(reopened(file(), OFlags::RDWR | OFlags::APPEND), &whole(8192)).unwrap();
    let numbers = Import { access: writes, ..whole(8192) };
    HostMapping::import(file(), &numbers).unwrap().write_at(8191, &[1]).unwrap();
    assert_eq!((descriptors(name), mappings(name)), (0, vec![]));
}

#[test]
fn a_file_that_is_written_no_more_is_bytes_once_it_does_not_shrink() {
    let write = |seals| {
        let fd = memfd("foreign", 4, SealFlags::empty());
        assert_eq!(pwrite(&fd, b"abcd", 0), Ok(4));
        fcntl_add_seals(&fd, seals).unwrap();
        fd
    };
    let mapping = HostMapping::import(write(SealFlags::SHRINK | SealFlags::WRITE), &whole(4)).unwrap();
    assert_eq!(mapping.bytes(), Some(&b"abcd"[..]));
    let mapping = HostMapping::import(write(SealFlags::SHRINK | SealFlags::FUTURE_WRITE), &whole(4)).unwrap();
    assert_eq!(mapping.bytes(), None, "who mapped it before may still write");
    assert_eq!(mapped(write(SealFlags::WRITE), &whole(4)).code(), Code::Refused);
}

#[test]
fn an_unsealed_file_is_read_without_a_mapping() {
    let name = "unsealed";
    let fd = memfd(name, 10_000, SealFlags::empty());
    let exporter = fd.try_clone().unwrap();
    assert_eq!(pwrite(&exporter, &pattern(10_000, 1), 0), Ok(10_000));
    let numbers = Import { size: 9_000, allocation_size: 10_000, offset: 500, access: Access::ReadWrite };
    let mut file = HostFile::import(fd, &numbers).unwrap();
    assert_eq!((file.size(), file.describe()), (9_000, numbers));
    assert_eq!(file.is_sealed(), Ok(false));
    assert_eq!(mappings(name), []);

    let mut out = vec![0; 9_000];
    file.read_at(0, &mut out).unwrap();
    assert_eq!(out, pattern(10_000, 1)[500..9_500]);
    file.write_at(8_999, &[0x77]).unwrap();
    let mut last = [0];
    file.read_at(8_999, &mut last).unwrap();
    assert_eq!(last, [0x77]);
    let mut behind = [0];
    assert_eq!(rustix::io::pread(&exporter, &mut behind, 9_500), Ok(1));
    assert_eq!(behind, pattern(10_000, 1)[9_500..9_501], "one byte is written");
    for (position, length) in [(0_u64, 9_001_usize), (9_000, 1), (u64::MAX, 1), (u64::MAX, 0)] {
        let refused = Err(HostError::OutOfBounds { position, length: length as u64, size: 9_000 });
        assert_eq!(file.read_at(position, &mut vec![0; length]), refused);
        assert_eq!(file.write_at(position, &vec![0; length]), refused);
    }

    // Its owner makes it shorter: what is left is read, and what is gone is named.
    ftruncate(&exporter, 4_600).unwrap();
    file.read_at(4_000, &mut [0; 100]).unwrap();
    let shrunk = |position, length| HostError::Shrunk { position, length };
    assert_eq!(file.read_at(4_000, &mut [0; 101]), Err(shrunk(4_100, 1)));
    assert_eq!(file.read_at(4_100, &mut [0; 7]), Err(shrunk(4_100, 7)));
    assert_eq!(file.read_at(8_000, &mut [0; 5]), Err(shrunk(8_000, 5)));
    assert_eq!(shrunk(1, 2).code(), Code::TooShort);
    // Sealed as it is, it is not what was announced.
    fcntl_add_seals(&exporter, SealFlags::SHRINK | SealFlags::GROW).unwrap();
    assert_eq!(file.write_at(8_000, &[1; 5]), Err(shrunk(8_000, 5)));
    assert_eq!(file.is_sealed(), Ok(true));
    let refused = HostError::FileTooShort { allocation_size: 10_000, file_size: 4_600 };
    assert_eq!(file.map().unwrap_err(), refused);
    drop(exporter);
    assert_eq!((descriptors(name), mappings(name)), (0, vec![]));
}

#[test]
fn an_unsealed_file_is_written_while_it_may_be() {
    let numbers = Import { access: Access::ReadWrite, ..whole(100) };
    let fd = memfd("written", 100, SealFlags::empty());
    let exporter = fd.try_clone().unwrap();
    let mut file = HostFile::import(fd, &numbers).unwrap();
    file.write_at(0, &pattern(100, 1)).unwrap();
    fcntl_add_seals(&exporter, SealFlags::SHRINK | SealFlags::FUTURE_WRITE).unwrap();
    let barred = |barrier| Err(HostError::Access { wanted: Access::ReadWrite, barrier });
    assert_eq!(file.write_at(0, b"x"), barred(Barrier::SealedAgainstWriting));
    let refused = HostError::Access { wanted: Access::ReadWrite, barrier: Barrier::SealedAgainstWriting };
    assert_eq!(file.map().unwrap_err(), refused);

    let mut file = HostFile::import(exporter, &whole(100)).unwrap();
    assert_eq!(file.write_at(0, b"x"), barred(Barrier::ImportedReadOnly));
    let mapping = file.map().unwrap();
    let mut out = [0; 100];
    mapping.copy_to(&mut out).unwrap();
    assert_eq!(out, pattern(100, 1)[..]);

    // Memory of shm_open, as a foreign exporter has it.
    let mut shared = tempfile::tempfile_in("/dev/shm").unwrap();
    std::io::Write::write_all(&mut shared, &pattern(100, 2)).unwrap();
    let file = HostFile::import(File::into(shared), &whole(100)).unwrap();
    file.read_at(0, &mut out).unwrap();
    assert_eq!((file.is_sealed(), &out[..]), (Ok(false), &pattern(100, 2)[..]));
    assert_eq!(target(file.into_fd()).split('/').nth(1), Some("dev"));
}

#[test]
fn a_buffer_on_huge_pages_is_mapped_by_these() {
    let name = "on-huge-pages";
    let huge = 2 << 20;
    let make = |seals| {
        let flags =
            MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING | MemfdFlags::HUGETLB | MemfdFlags::HUGE_2MB;
        let fd = memfd_create(name, flags).ok()?;
        ftruncate(&fd, 2 * huge).unwrap();
        fcntl_add_seals(&fd, seals).unwrap();
        Some(fd)
    };
    // A machine without such pages has no such memfd either.
    let Some(fd) = make(SealFlags::SHRINK | SealFlags::FUTURE_WRITE) else {
        return assert_eq!(free_huge_pages(), None);
    };
    // In the second huge page, at a place that only ordinary pages begin at.
    let numbers =
        Import { size: 10, allocation_size: 2 * huge, offset: huge + 8192, access: Access::ReadOnly };
    match HostMapping::import(fd, &numbers) {
        Ok(mapping) => {
            assert_eq!(mappings(name), [huge]);
            let mut out = [1; 10];
            mapping.read_at(0, &mut out).unwrap();
            assert_eq!(out, [0; 10]);
        }
        // Asked for in whole huge pages, or the kernel would find the numbers wrong (EINVAL).
        Err(error) => {
            let errno = Errno::NOMEM.raw_os_error();
            assert_eq!(error, HostError::Os { operation: "mapping a memfd", errno });
            assert_eq!(free_huge_pages(), Some(0));
        }
    }
    // Who may write can take pages away that nobody has to give again; a copy through the kernel says so.
    for access in [Access::ReadOnly, Access::ReadWrite] {
        let numbers = Import { access, ..numbers };
        let refused = not_sealed(SealFlags::FUTURE_WRITE, SealFlags::SHRINK);
        assert_eq!(mapped(make(SealFlags::SHRINK).unwrap(), &numbers), refused);
        let refused = not_sealed(SealFlags::SHRINK | SealFlags::FUTURE_WRITE, SealFlags::empty());
        assert_eq!(mapped(make(SealFlags::empty()).unwrap(), &numbers), refused);
    }
    let file = HostFile::import(make(SealFlags::empty()).unwrap(), &numbers).unwrap();
    let mut out = [1; 10];
    file.read_at(0, &mut out).unwrap();
    assert_eq!(out, [0; 10]);
    drop(file);
    assert_eq!((descriptors(name), mappings(name)), (0, vec![]));
}

#[test]
fn one_file_is_imported_as_often_as_it_comes() {
    let name = "often";
    let buffer = filled(&HostOptions::new(3 * page()).name(name), 1);
    let mapping = || HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
    let all: Vec<HostMapping> = (0..64).map(|_| mapping()).collect();
    assert_eq!(descriptors(name), 65);
    let bytes = pattern(usize::try_from(buffer.size()).unwrap(), 1);
    for mapping in all {
        let mut out = vec![0; bytes.len()];
        mapping.copy_to(&mut out).unwrap();
        assert_eq!(out, bytes);
    }
    for _ in 0..1_000 {
        drop(mapping());
        assert_eq!(mapped(buffer.try_clone_fd().unwrap(), &whole(u64::MAX - 4096)).code(), Code::TooLarge);
    }
    assert_eq!((descriptors(name), mappings(name).len()), (1, 1));
}

#[test]
fn what_is_read_last_is_refused_last() {
    let buffer = HostBuffer::create(&HostOptions::new(1)).unwrap();
    let fd = || buffer.try_clone_fd().unwrap();
    let bad = Import { size: 0, allocation_size: u64::MAX, offset: 1, access: Access::ReadWrite };
    assert!(matches!(mapped(fd(), &bad), HostError::Access { .. }));
    let bad = Import { access: Access::ReadOnly, ..bad };
    assert_eq!(mapped(fd(), &bad), HostError::Empty);
    let bad = Import { size: u64::MAX, ..bad };
    assert!(matches!(mapped(fd(), &bad), HostError::Range { .. }));
    let bad = Import { size: u64::MAX - 1, ..bad };
    assert!(matches!(mapped(fd(), &bad), HostError::TooLarge { .. }));
    let bad = Import { size: 1, ..bad };
    assert!(matches!(mapped(fd(), &bad), HostError::FileTooShort { .. }));
}

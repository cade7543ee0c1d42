//! What the tests of host memory see of this process from outside.
#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]

use std::fs;
use std::os::fd::{AsFd, AsRawFd};

use rustix::fs::OFlags;
use wirecontract_runtime::host::{Access, HostBuffer, HostOptions, Import};

/// Bytes of an ordinary page.
pub fn page() -> u64 {
    rustix::param::page_size() as u64
}

/// Bytes that are never the same at two places near each other.
pub fn pattern(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// A buffer that has the pattern in it.
pub fn filled(options: &HostOptions, seed: u64) -> HostBuffer {
    let mut buffer = HostBuffer::create(options).unwrap();
    buffer.copy_from(&pattern(usize::try_from(buffer.size()).unwrap(), seed)).unwrap();
    buffer
}

/// What `/proc` says that a descriptor is.
pub fn target(fd: impl AsFd) -> String {
    let link = format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd());
    fs::read_link(link).unwrap().to_string_lossy().into_owned()
}

/// How many descriptors of this process are of that target.
pub fn descriptors_of(target: &str) -> usize {
    let links = fs::read_dir("/proc/self/fd").unwrap();
    // One may be closed between listing and reading: then it is of nobody.
    links
        .filter(|link| fs::read_link(link.as_ref().unwrap().path()).is_ok_and(|to| to.as_os_str() == target))
        .count()
}

/// How many descriptors of this process are of memfds of that name.
pub fn descriptors(name: &str) -> usize {
    descriptors_of(&format!("/memfd:{name} (deleted)"))
}

/// Bytes of each mapping of memfds of that name.
pub fn mappings(name: &str) -> Vec<u64> {
    let of = format!("/memfd:{name} (deleted)");
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let length = |line: &str| {
        let (from, to) = line.split_whitespace().next().unwrap().split_once('-').unwrap();
        let address = |text| u64::from_str_radix(text, 16).unwrap();
        address(to) - address(from)
    };
    maps.lines().filter(|line| line.ends_with(&of)).map(length).collect()
}

/// How descriptors of this process that are of memfds of that name are open, as `open(2)` has it.
pub fn open_flags(name: &str) -> Vec<OFlags> {
    let of = format!("/memfd:{name} (deleted)");
    let links = fs::read_dir("/proc/self/fd").unwrap().map(|link| link.unwrap());
    let ours = links.filter(|link| fs::read_link(link.path()).is_ok_and(|to| to.as_os_str() == of.as_str()));
    let flags = |fd: fs::DirEntry| {
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", fd.file_name().display())).unwrap();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
        OFlags::from_bits_retain(u32::from_str_radix(flags.trim(), 8).unwrap())
    };
    ours.map(flags).collect()
}

/// Bytes of memfds of that name that this process has page tables for.
pub fn populated(name: &str) -> u64 {
    let of = format!("/memfd:{name} (deleted)");
    let maps = fs::read_to_string("/proc/self/smaps").unwrap();
    let ours = maps.split_inclusive("VmFlags:").filter(|mapping| mapping.contains(&of));
    let rss = |mapping: &str| {
        let rss = mapping.lines().find_map(|line| line.strip_prefix("Rss:")).unwrap();
        1024 * rss.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap()
    };
    ours.map(rss).sum()
}

/// Bytes that a file has memory for.
pub fn resident(fd: impl AsFd) -> u64 {
    u64::try_from(rustix::fs::fstat(fd).unwrap().st_blocks).unwrap() * 512
}

/// The number that tells one memfd from another.
pub fn inode(buffer: &HostBuffer) -> u64 {
    rustix::fs::fstat(buffer.try_clone_fd().unwrap()).unwrap().st_ino
}

/// The numbers of a buffer for reading, at the start of an allocation of its size.
pub fn whole(size: u64) -> Import {
    Import { size, allocation_size: size, offset: 0, access: Access::ReadOnly }
}

/// Huge pages of 2 MiB that the machine has free; none where it has no such pages.
pub fn free_huge_pages() -> Option<u64> {
    let free = fs::read_to_string("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages").ok()?;
    free.trim().parse().ok()
}

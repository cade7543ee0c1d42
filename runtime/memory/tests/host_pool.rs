//! Buffers that are used again.
#![cfg(all(target_os = "linux", feature = "host"))]

mod host_support;

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use host_support::{descriptors, inode, mappings, page, pattern, resident};
use rustix::io::Errno;
use wirecontract::Code;
use wirecontract_runtime::host::{
    Access, HostError, HostMapping, HostOptions, HugePages, Pool, PoolCounts, PooledBuffer,
};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(120);

fn counts(free: usize, in_use: usize, most: usize) -> PoolCounts {
    PoolCounts { free, in_use, most }
}

fn bytes(buffer: &PooledBuffer) -> Vec<u8> {
    let mut out = vec![0; usize::try_from(buffer.size()).unwrap()];
    buffer.copy_to(&mut out).unwrap();
    out
}

#[test]
fn a_buffer_is_used_again_as_it_was_left() {
    let pool = Pool::new(HostOptions::new(100).offset(3), 2).unwrap();
    assert_eq!(pool.counts(), counts(0, 0, 2));
    let mut first = pool.try_take().unwrap();
    let second = pool.try_take().unwrap();
    assert_eq!(pool.counts(), counts(0, 2, 2));
    first.copy_from(&pattern(100, 1)).unwrap();
    let (first_inode, second_inode) = (inode(&first), inode(&second));
    assert_ne!(first_inode, second_inode);

    drop(first);
    assert_eq!(pool.counts(), counts(1, 1, 2));
    let again = pool.try_take().unwrap();
    assert_eq!((inode(&again), bytes(&again)), (first_inode, pattern(100, 1)));
    drop(second);
    drop(again);
    assert_eq!(pool.counts(), counts(2, 0, 2));
    let both: HashSet<u64> =
        [pool.try_take().unwrap(), pool.try_take().unwrap()].iter().map(|b| inode(b)).collect();
    assert_eq!(both, HashSet::from([first_inode, second_inode]));
}

#[test]
fn a_zeroed_pool_gives_zeros_and_stays_sparse() {
    for access in [Access::ReadOnly, Access::ReadWrite] {
        let pool = Pool::zeroed(HostOptions::new(4 << 30).consumers(access), 1).unwrap();
        let mut before = u64::MAX;
        for round in 0..5 {
            let mut buffer = pool.try_take().unwrap();
            for at in [0, (4 << 30) - 5] {
                let mut out = [1; 5];
                buffer.read_at(at, &mut out).unwrap();
                assert_eq!(out, [0; 5], "round {round}");
                buffer.write_at(at, b"dirty").unwrap();
            }
            let touched = resident(buffer.try_clone_fd().unwrap());
            assert!(touched <= before.min(4 << 20), "{touched} bytes in round {round}");
            before = touched;
        }
    }
}

#[test]
fn a_buffer_goes_back_with_its_last_hold() {
    let name = "held";
    let pool = Pool::new(HostOptions::new(10).name(name), 1).unwrap();
    let mut buffer = pool.try_take().unwrap();
    buffer.copy_from(b"0123456789").unwrap();
    let first = buffer.hold();
    let second = first.clone();
    let consumer = HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
    drop(buffer);
    let busy = || pool.try_take().map(|_| "taken").unwrap_err();
    assert_eq!(busy(), HostError::Busy { most: 1 });
    drop(first);
    assert_eq!(busy(), HostError::Busy { most: 1 });
    assert_eq!(busy().code(), Code::Busy);
    let mut out = [0; 10];
    consumer.copy_to(&mut out).unwrap();
    assert_eq!(&out, b"0123456789", "held as it was written");
    // The last one in another thread, as a lease ends where the socket is read.
    thread::spawn(move || drop(second)).join().unwrap();
    assert_eq!(pool.counts(), counts(1, 0, 1));

    // Holds that end before the handle change nothing.
    let buffer = pool.try_take().unwrap();
    drop(buffer.hold());
    assert_eq!(busy(), HostError::Busy { most: 1 });
    drop(buffer);
    assert_eq!(pool.counts(), counts(1, 0, 1));
    drop(consumer);
    assert_eq!((descriptors(name), mappings(name).len()), (1, 1));
}

#[test]
fn who_takes_waits_for_who_gives_back_or_until_the_time_is_over() {
    let pool = Pool::new(HostOptions::new(1), 1).unwrap();
    let buffer = pool.take(Duration::ZERO).unwrap();
    for waited in [Duration::ZERO, Duration::from_millis(30)] {
        let refused = pool.take(waited).map(|_| "taken").unwrap_err();
        assert_eq!(refused, HostError::Timeout { most: 1, waited });
        assert_eq!(refused.code(), Code::Timeout);
    }
    assert_eq!(pool.counts(), counts(0, 1, 1));
    let hold = buffer.hold();
    let was = inode(&buffer);
    let (sender, taken) = mpsc::channel();
    // No clock reaches the second of the two ends.
    for timeout in [LONG, Duration::MAX] {
        let (pool, sender) = (pool.clone(), sender.clone());
        thread::spawn(move || {
            let buffer = pool.take(timeout).unwrap();
            let which = inode(&buffer);
            drop(buffer);
            sender.send(which).unwrap();
        });
    }
    drop(buffer);
    assert_eq!(taken.try_recv(), Err(mpsc::TryRecvError::Empty), "the hold keeps it");
    drop(hold);
    assert_eq!((taken.recv_timeout(LONG), taken.recv_timeout(LONG)), (Ok(was), Ok(was)));
    assert_eq!(pool.counts(), counts(1, 0, 1));
}

#[test]
fn no_two_threads_have_one_buffer() {
    let name = "threads";
    let pool = Pool::new(HostOptions::new(5_000).name(name), 3).unwrap();
    let (taken, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for seed in 0..8 {
            let (pool, taken, most) = (pool.clone(), &taken, &most);
            scope.spawn(move || {
                let ours = pattern(5_000, seed);
                for round in 0..200 {
                    let mut buffer = pool.take(LONG).unwrap();
                    most.fetch_max(taken.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    buffer.copy_from(&ours).unwrap();
                    let hold = buffer.hold();
                    let lease =
                        HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
                    if round % 2 == 0 {
                        drop(buffer);
                    }
                    thread::yield_now();
                    let mut out = vec![0; 5_000];
                    lease.copy_to(&mut out).unwrap();
                    assert_eq!(out, ours);
                    taken.fetch_sub(1, Ordering::SeqCst);
                    drop(hold);
                }
            });
        }
    });
    let most = most.into_inner();
    assert!((1..=3).contains(&most), "{most} at once");
    let now = pool.counts();
    assert_eq!((now.in_use, now.most), (0, 3));
    assert!((most..=3).contains(&now.free), "{now:?}");
    assert_eq!((descriptors(name), mappings(name).len()), (now.free, now.free));
}

#[test]
fn ten_thousand_uses_leave_what_one_leaves() {
    let name = "cycles";
    let pool = Pool::new(HostOptions::new(2 * page()).name(name), 2).unwrap();
    let mut inodes = HashSet::new();
    for round in 0..10_000_u64 {
        let mut buffer = pool.take(LONG).unwrap();
        buffer.write_at(0, &round.to_le_bytes()).unwrap();
        let (hold, fd) = (buffer.hold(), buffer.try_clone_fd().unwrap());
        inodes.insert(rustix::fs::fstat(&fd).unwrap().st_ino);
        let mapping = HostMapping::import(fd, &buffer.describe()).unwrap();
        drop(buffer);
        let mut out = [0; 8];
        mapping.read_at(0, &mut out).unwrap();
        assert_eq!(u64::from_le_bytes(out), round);
        drop((mapping, hold));
        if round % 1_000 == 0 || round == 9_999 {
            assert_eq!((descriptors(name), mappings(name)), (1, vec![2 * page()]), "round {round}");
        }
    }
    assert_eq!((inodes.len(), pool.counts()), (1, counts(1, 0, 2)));
}

#[test]
fn what_is_in_use_outlives_its_pool() {
    let name = "outlives";
    let pool = Pool::new(HostOptions::new(10).name(name), 3).unwrap();
    let (free, mut handle, other) = (pool.try_take(), pool.try_take().unwrap(), pool.try_take().unwrap());
    drop(free);
    let hold = other.hold();
    drop(other);
    let clone = pool.clone();
    drop(pool);
    assert_eq!(clone.counts(), counts(1, 2, 3));
    assert_eq!(descriptors(name), 3);
    drop(clone);
    assert_eq!((descriptors(name), mappings(name).len()), (2, 2), "the free one ends with the pool");
    handle.copy_from(b"0123456789").unwrap();
    assert_eq!(bytes(&handle), b"0123456789");
    drop(handle);
    assert_eq!((descriptors(name), mappings(name).len()), (1, 1));
    drop(hold);
    assert_eq!((descriptors(name), mappings(name)), (0, vec![]));
}

#[test]
fn what_cannot_be_made_takes_no_place() {
    assert_eq!(Pool::new(HostOptions::new(1), 0).map(|_| ()).unwrap_err(), HostError::EmptyPool);
    assert_eq!(Pool::zeroed(HostOptions::new(1), 0).map(|_| ()).unwrap_err(), HostError::EmptyPool);
    let bytes = 12_345;
    let pool = Pool::new(HostOptions::new(1).huge_pages(HugePages::Required { bytes }), 1).unwrap();
    let refused = HostError::HugePages { bytes, errno: Errno::INVAL.raw_os_error() };
    for _ in 0..3 {
        assert_eq!(pool.try_take().map(|_| ()).unwrap_err(), refused);
        assert_eq!(pool.take(LONG).map(|_| ()).unwrap_err(), refused);
        assert_eq!(pool.counts(), counts(0, 0, 1));
    }
}

#[test]
fn a_trimmed_pool_has_what_is_in_use() {
    let name = "trimmed";
    let pool = Pool::new(HostOptions::new(10).name(name), 3).unwrap();
    let (first, second) = (pool.try_take(), pool.try_take().unwrap());
    drop(first);
    pool.trim();
    assert_eq!((pool.counts(), descriptors(name)), (counts(0, 1, 3), 1));
    let third = pool.try_take().unwrap();
    drop((second, third));
    assert_eq!((pool.counts(), descriptors(name)), (counts(2, 0, 3), 2));
    pool.trim();
    assert_eq!((pool.counts(), descriptors(name)), (counts(0, 0, 3), 0));
}

#[test]
fn a_pooled_buffer_is_written_in_place() {
    let pool = Pool::new(HostOptions::new(4), 1).unwrap();
    let mut buffer = pool.try_take().unwrap();
    let mapping = HostMapping::import(buffer.try_clone_fd().unwrap(), &buffer.describe()).unwrap();
    let seen = || {
        let mut out = [0; 4];
        mapping.copy_to(&mut out).unwrap();
        out
    };
    buffer.write_at(1, &[1, 2]).unwrap();
    assert_eq!(seen(), [0, 1, 2, 0]);
    // SAFETY: nobody else uses the buffer while the slice and the pointer are used.
    unsafe {
        buffer.as_mut_slice()[3] = 9;
        buffer.as_mut_ptr().write(8);
    }
    assert_eq!(seen(), [8, 1, 2, 9]);
    buffer.zero().unwrap();
    assert_eq!(seen(), [0; 4]);
    assert_eq!(buffer.write_at(3, &[1, 2]).unwrap_err().code(), Code::OutOfRange);
    assert_eq!(buffer.copy_from(&[1; 5]).unwrap_err().code(), Code::OutOfRange);
}

//! Many threads at once: what they make, borrow and destroy of each other's is used while it lives and dropped once.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};

use wirecontract::export::{COwnedBytes, ExclusiveTable, HandleFault, SharedTable, free, give};

use super::Canary;

const THREADS: u64 = 8;

/// How much each thread does: more where `cargo xtask test --all` asks for it.
fn rounds() -> usize {
    if std::env::var_os("WIRECONTRACT_TEST_ALL").is_some() { 400_000 } else { 60_000 }
}

/// Handles that all threads see; few, so that they meet.
struct Board([AtomicU64; 24]);

impl Board {
    const fn new() -> Board {
        Board([const { AtomicU64::new(0) }; 24])
    }

    fn at(&self, random: &mut Random) -> &AtomicU64 {
        &self.0[random.below(self.0.len() as u64)]
    }
}

/// A generator of its own, so that drawing is not what the threads wait for.
struct Random(u64);

impl Random {
    /// The `number`th of several generators.
    fn nth(number: u64) -> Random {
        Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, end: u64) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end).unwrap()
    }
}

fn in_threads(work: impl Fn(&mut Random) + Send + Copy + 'static) {
    let threads = (1..=THREADS).map(|number| {
        thread::spawn(move || {
            let mut random = Random::nth(number);
            (0..rounds()).for_each(|_| work(&mut random));
        })
    });
    let threads: Vec<_> = threads.collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Not `Send`: touches what belongs to its thread, and is dropped there.
struct Local {
    canary: Canary,
    calls: Rc<Cell<u64>>,
    thread: ThreadId,
}

thread_local! {
    static CALLS: Rc<Cell<u64>> = Rc::new(Cell::new(0));
}

impl Local {
    fn new(drops: &'static AtomicUsize) -> Local {
        let calls = CALLS.with(Rc::clone);
        Local { canary: Canary::new(0, drops), calls, thread: thread::current().id() }
    }

    fn call(&self) {
        self.canary.number();
        self.calls.set(self.calls.get() + 1);
        assert_eq!(self.thread, thread::current().id());
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        if self.thread != thread::current().id() {
            eprintln!("an object was dropped by another thread");
            std::process::abort();
        }
    }
}

#[test]
fn exclusive_objects_are_used_and_dropped_by_their_threads_only_and_dropped_once() {
    static TABLE: ExclusiveTable<Local> = ExclusiveTable::new(1);
    static BOARD: Board = Board::new();
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    static MADE: AtomicUsize = AtomicUsize::new(0);
    static OK: AtomicUsize = AtomicUsize::new(0);
    static ELSEWHERE: AtomicUsize = AtomicUsize::new(0);
    in_threads(|random| match random.below(8) {
        0 | 1 => {
            let id = TABLE.insert(Local::new(&DROPS)).unwrap();
            MADE.fetch_add(1, Ordering::Relaxed);
            let before = BOARD.at(random).swap(id, Ordering::Relaxed);
            if before != 0 {
                assert!(matches!(TABLE.destroy(before), Ok(()) | Err(HandleFault::Destroyed)));
            }
        }
        2 => {
            let id = BOARD.at(random).load(Ordering::Relaxed);
            match TABLE.destroy(id) {
                Ok(()) | Err(HandleFault::Destroyed | HandleFault::Zero) => {}
                Err(fault) => panic!("{fault:?}"),
            }
            assert_ne!(TABLE.borrow(id).err(), None);
        }
        3 | 4 => match TABLE.borrow_mut(BOARD.at(random).load(Ordering::Relaxed)) {
            Ok(mut it) => {
                it.calls = it.calls.clone();
                it.call();
            }
            Err(HandleFault::OtherThread | HandleFault::Destroyed | HandleFault::Zero) => {}
            Err(fault) => panic!("{fault:?}"),
        },
        _ => match TABLE.borrow(BOARD.at(random).load(Ordering::Relaxed)) {
            Ok(it) => {
                it.call();
                let inner = BOARD.at(random).load(Ordering::Relaxed);
                if random.below(2) == 0 {
                    // Of others', and of its own if it is another one.
                    let _ = TABLE.destroy(inner);
                } else if let Ok(inner) = TABLE.borrow(inner) {
                    inner.call();
                }
                it.call();
                OK.fetch_add(1, Ordering::Relaxed);
            }
            Err(HandleFault::OtherThread) => {
                ELSEWHERE.fetch_add(1, Ordering::Relaxed);
            }
            Err(HandleFault::Destroyed | HandleFault::Zero) => {}
            Err(fault) => panic!("{fault:?}"),
        },
    });
    assert_eq!(DROPS.load(Ordering::Relaxed), MADE.load(Ordering::Relaxed));
    assert!(OK.load(Ordering::Relaxed) > 100 && ELSEWHERE.load(Ordering::Relaxed) > 100);
}

#[test]
fn threads_that_end_leave_nothing_behind_while_others_destroy_what_is_theirs() {
    static TABLE: ExclusiveTable<Local> = ExclusiveTable::new(1);
    static BOARD: Board = Board::new();
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let mut made = 0;
    for round in 1..=rounds() as u64 / 200 {
        let threads = (0..3).map(|number| {
            thread::spawn(move || {
                let mut random = Random::nth(round * 3 + number);
                for _ in 0..8 {
                    let id = TABLE.insert(Local::new(&DROPS)).unwrap();
                    let before = BOARD.at(&mut random).swap(id, Ordering::Relaxed);
                    let _ = TABLE.destroy(before);
                }
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        made += 24;
        assert_eq!(DROPS.load(Ordering::Relaxed), made);
    }
}

#[test]
fn shared_objects_are_used_while_they_live_and_dropped_once() {
    static TABLE: SharedTable<Canary> = SharedTable::new(1);
    static BOARD: Board = Board::new();
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    static MADE: AtomicUsize = AtomicUsize::new(0);
    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    static BUSY: AtomicUsize = AtomicUsize::new(0);
    in_threads(|random| match random.below(10) {
        0 | 1 => {
            let id = TABLE.insert(Canary::new(0, &DROPS)).unwrap();
            MADE.fetch_add(1, Ordering::Relaxed);
            // Left alone by whoever finds it destroyed: each is destroyed by some thread, or at the end.
            let before = BOARD.at(random).swap(id, Ordering::Relaxed);
            let _ = TABLE.destroy(before);
        }
        2 => {
            let _ = TABLE.destroy(BOARD.at(random).load(Ordering::Relaxed));
        }
        3 => match TABLE.reserve(BOARD.at(random).load(Ordering::Relaxed)) {
            Ok(it) if random.below(4) == 0 => drop(it),
            Ok(it) => {
                it.take().number();
                TAKEN.fetch_add(1, Ordering::Relaxed);
            }
            Err(HandleFault::Busy) => {
                BUSY.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => {}
        },
        _ => {
            let id = BOARD.at(random).load(Ordering::Relaxed);
            match TABLE.borrow(id) {
                Ok(it) => {
                    it.number();
                    if random.below(4) == 0 {
                        let _ = TABLE.destroy(id);
                    } else if random.below(16) == 0 {
                        thread::yield_now();
                    }
                    it.number();
                }
                // Busy while another thread takes it.
                Err(HandleFault::Destroyed | HandleFault::Zero | HandleFault::Busy) => {}
                Err(fault) => panic!("{fault:?}"),
            }
        }
    });
    for id in &BOARD.0 {
        let _ = TABLE.destroy(id.load(Ordering::Relaxed));
    }
    assert_eq!(DROPS.load(Ordering::Relaxed), MADE.load(Ordering::Relaxed));
    assert!(TAKEN.load(Ordering::Relaxed) > 100);
}

#[test]
fn bytes_that_many_threads_free_are_freed_by_one_of_them() {
    static BOARD: [Copied; 8] = [const { Copied::new() }; 8];
    static GIVEN: AtomicUsize = AtomicUsize::new(0);
    static FREED: AtomicUsize = AtomicUsize::new(0);
    /// Copies of one value, which all threads free; torn ones are refused.
    struct Copied(AtomicUsize, AtomicU64);
    impl Copied {
        const fn new() -> Copied {
            Copied(AtomicUsize::new(0), AtomicU64::new(0))
        }
    }
    in_threads(|random| {
        let Copied(data, id) = &BOARD[random.below(8)];
        if random.below(4) == 0 {
            let bytes = give(vec![1, 2, 3]).unwrap();
            GIVEN.fetch_add(1, Ordering::Relaxed);
            let mut before = COwnedBytes {
                data: data.swap(bytes.data as usize, Ordering::Relaxed) as *const u8,
                length: 3,
                id: id.swap(bytes.id, Ordering::Relaxed),
            };
            // SAFETY: a reference is valid.
            let is_freed = before.id != 0 && unsafe { free(&raw mut before) }.is_ok();
            FREED.fetch_add(usize::from(is_freed), Ordering::Relaxed);
        } else {
            let data = data.load(Ordering::Relaxed) as *const u8;
            let mut copy = COwnedBytes { data, length: 3, id: id.load(Ordering::Relaxed) };
            // SAFETY: a reference is valid.
            let is_freed = copy.id != 0 && unsafe { free(&raw mut copy) }.is_ok();
            FREED.fetch_add(usize::from(is_freed), Ordering::Relaxed);
        }
    });
    let (given, freed) = (GIVEN.load(Ordering::Relaxed), FREED.load(Ordering::Relaxed));
    assert!(freed <= given && freed > given / 2, "{freed} of {given}");
}

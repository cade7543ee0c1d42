//! What a C struct that was read from a document points into, until one call frees it.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ptr;

use crate::Code;
use crate::export::{HandleFault, SharedTable, contain, tag};

/// Values of any type, to be dropped and nothing else.
trait Held: Send + Sync {}

impl<T: Send + Sync> Held for T {}

/// Arrays that are built beside a value.
#[derive(Default)]
pub struct Memory {
    blocks: Vec<Box<dyn Block>>,
}

/// An array of C structs.
trait Block {}

impl<C> Block for Vec<C> {}

impl Memory {
    /// Keeps items, and says where they lie from now on.
    pub fn keep<C: Copy + 'static>(&mut self, items: Vec<C>) -> *const C {
        if items.is_empty() {
            return ptr::null();
        }
        // The items of a vector stay where they are when it is moved.
        let start = items.as_ptr();
        self.blocks.push(Box::new(items));
        start
    }
}

/// A value, and what was built beside it for C.
pub struct Arena {
    _value: Box<dyn Held>,
    _memory: Memory,
}

// SAFETY: the blocks are memory that nobody changes; that they point to each other and into the value makes no
// difference to the thread that frees them. The value may be freed by any thread.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

impl Arena {
    /// An arena of a value that stays where it is.
    pub(super) fn new<T: Send + Sync + 'static>(value: Box<T>, memory: Memory) -> Arena {
        Arena { _value: value, _memory: memory }
    }
}

/// `wc_arena`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CArena {
    id: u64,
}

static ARENAS: SharedTable<Arena> = SharedTable::new(tag("wirecontract", "arena"));

/// Gives an arena to a C program.
pub(super) fn give(arena: Arena) -> Result<CArena, Code> {
    ARENAS.insert(arena).map(|id| CArena { id }).map_err(HandleFault::code)
}

/// Frees all that a document was read into, and zeroes the arena. One that is none is freed already; a copy of one that
/// was freed is `bad_handle`.
///
/// # Safety
/// `arena` is null or points to an arena.
pub unsafe fn arena_free(arena: *mut CArena) -> i32 {
    // SAFETY: the caller says so.
    let Some(arena) = (unsafe { arena.as_mut() }) else { return Code::NullArgument as i32 };
    if arena.id == 0 {
        return Code::Ok as i32;
    }
    match contain(|| ARENAS.destroy(arena.id).map_err(|fault| fault.failure("arena"))) {
        Ok(()) => {
            arena.id = 0;
            Code::Ok as i32
        }
        Err(failure) => failure.code() as i32,
    }
}

//! Reading, writing, viewing and refusing allocate nothing.

mod derive;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write;

use derive::{Frame, axis, bytes, frame};
use wirecontract::WireContract;

/// Counts what the running thread allocates.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is the system allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller says.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Text of a fixed length.
struct Text([u8; 256], usize);

impl Write for Text {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let place = self.0.get_mut(self.1..self.1 + text.len()).ok_or(std::fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.1 += text.len();
        Ok(())
    }
}

#[test]
fn nothing_is_allocated() {
    drop(vec![0_u8]);
    assert_ne!(COUNT.get(), 0, "allocations are counted");
    let (good, mut bad) = (bytes(), bytes());
    bad[40] = 9;
    let mut text = Text([0; 256], 0);
    let before = COUNT.get();

    let mut value = Frame::from_bytes(&good).unwrap_or_else(|_| frame());
    let view = Frame::view(&good).map(|view| (view.name(), view.axes().iter().len()));
    let prefix = Frame::read_prefix(&good).is_ok();
    let set = value.set_axes(&[[axis(), axis()]]).is_ok() && value.set_name("ab").is_ok();
    let written = value.to_bytes().is_ok() && value.write_to(&mut bad.clone()).is_ok();
    let refused = Frame::from_bytes(&bad).err();
    let said = refused.map(|error| write!(text, "{error}"));

    assert_eq!(COUNT.get(), before);
    assert_eq!((view, prefix, set, written, said), (Ok(("arm", 1)), true, true, true, Some(Ok(()))));
}

//! Copies from and to memory that others write at the same time.
//!
//! The other end of such a copy is another process, or another mapping of the same file, which the compiler knows
//! nothing of. Every access is volatile: it happens once, as it is written, and nothing is concluded from the value. So
//! a copy that races with a writer gives some mixture of old and new bytes, and never anything worse. Within a mapping
//! no two threads race: who writes it has it for itself (`&mut`).
//!
//! What is long is copied by the machine's own instruction where it has one (x86-64): twice as fast in a cache.

/// A word: what is copied at once where the shared side is aligned to it.
type Word = [u8; size_of::<u64>()];

/// From how many bytes on one instruction is the faster way, where there is one.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const LONG: usize = 256;

/// Copies bytes by the machine's own instruction. To the compiler it is as opaque as the other process, so that a race on
/// either side is one of the machine, which gives a mixture of bytes.
///
/// # Safety
/// From `from` on `length` bytes are mapped for reading, from `to` on as many for writing, and no thread of this process
/// writes the one or accesses the other meanwhile; they do not overlap.
#[cfg(all(target_arch = "x86_64", not(miri)))]
unsafe fn block(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: it reads and writes `length` bytes, as the caller promises that it may; the direction is forward wherever Rust
    // code runs.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rcx") length => _,
            inout("rsi") from => _,
            inout("rdi") to => _,
            options(nostack, preserves_flags),
        );
    }
}

/// Copies `out.len()` bytes from shared memory.
///
/// # Safety
/// From `from` on as many bytes are mapped for reading, and no thread of this process writes them through the same
/// mapping meanwhile.
#[allow(clippy::cast_ptr_alignment, reason = "what is before the first aligned word is copied by bytes")]
pub(super) unsafe fn read(mut from: *const u8, out: &mut [u8]) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if out.len() >= LONG {
        // SAFETY: as the caller promises; `out` is this call's alone, and no part of shared memory.
        return unsafe { block(from, out.as_mut_ptr(), out.len()) };
    }
    let (head, rest) = out.split_at_mut(from.align_offset(align_of::<u64>()).min(out.len()));
    let (words, tail) = rest.as_chunks_mut::<{ size_of::<Word>() }>();
    for byte in head {
        // SAFETY: as many bytes are readable as `out` has, of which this is one; a byte has no alignment.
        (*byte, from) = unsafe { (from.read_volatile(), from.add(1)) };
    }
    for word in words {
        // SAFETY: the same; behind the head `from` is aligned to a word, or there are no words.
        let value = unsafe { from.cast::<u64>().read_volatile() };
        *word = value.to_ne_bytes();
        // SAFETY: the bytes of the word are inside, so that the pointer comes to their end at most.
        from = unsafe { from.add(size_of::<Word>()) };
    }
    for byte in tail {
        // SAFETY: as with the head.
        (*byte, from) = unsafe { (from.read_volatile(), from.add(1)) };
    }
}

/// Copies bytes to shared memory.
///
/// # Safety
/// From `to` on as many bytes are mapped for writing, and no other thread of this process accesses them through the
/// same mapping meanwhile.
#[allow(clippy::cast_ptr_alignment, reason = "what is before the first aligned word is copied by bytes")]
pub(super) unsafe fn write(mut to: *mut u8, bytes: &[u8]) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if bytes.len() >= LONG {
        // SAFETY: as the caller promises; `bytes` does not change meanwhile, and is no part of shared memory.
        return unsafe { block(bytes.as_ptr(), to, bytes.len()) };
    }
    let (head, rest) = bytes.split_at(to.align_offset(align_of::<u64>()).min(bytes.len()));
    let (words, tail) = rest.as_chunks::<{ size_of::<Word>() }>();
    for byte in head {
        // SAFETY: as many bytes are writable as `bytes` has, of which this is one; a byte has no alignment.
        to = unsafe {
            to.write_volatile(*byte);
            to.add(1)
        };
    }
    for word in words {
        // SAFETY: the same; behind the head `to` is aligned to a word, or there are no words.
        to = unsafe {
            to.cast::<u64>().write_volatile(u64::from_ne_bytes(*word));
            to.add(size_of::<Word>())
        };
    }
    for byte in tail {
        // SAFETY: as with the head.
        to = unsafe {
            to.write_volatile(*byte);
            to.add(1)
        };
    }
}

/// Writes zeros to shared memory.
///
/// # Safety
/// As [`write`], of `length` bytes.
pub(super) unsafe fn zero(to: *mut u8, length: usize) {
    const ZEROS: [u8; 4096] = [0; 4096];
    let mut done = 0;
    while done < length {
        let step = ZEROS.len().min(length - done);
        // SAFETY: `done + step` is at most `length`, and so many bytes are writable.
        unsafe { write(to.add(done), &ZEROS[..step]) };
        done += step;
    }
}

#[cfg(test)]
mod tests {
    use super::{read, write, zero};

    /// Every start and length around the words, between bytes that stay as they are.
    #[test]
    fn copies_are_exact_at_every_alignment() {
        let source: Vec<u8> = (0..640_u32).map(|byte| byte.to_le_bytes()[0].max(1)).collect();
        for start in 0..16 {
            for length in (0..40).chain(250..300).chain([512, 600]) {
                let mut shared = [0xee_u8; 640];
                // SAFETY: `start + length` is below 640, and nobody else knows the array.
                unsafe { write(shared.as_mut_ptr().add(start), &source[..length]) };
                assert_eq!(shared[start..start + length], source[..length], "{start} {length}");
                let around = shared[..start].iter().chain(&shared[start + length..]);
                assert!(around.copied().all(|byte| byte == 0xee), "{start} {length}");

                let mut out = vec![0; length];
                // SAFETY: the same.
                unsafe { read(shared.as_ptr().add(start), &mut out) };
                assert_eq!(out, source[..length], "{start} {length}");

                // SAFETY: the same.
                unsafe { zero(shared.as_mut_ptr().add(start), length) };
                let mut expected = [0xee_u8; 640];
                expected[start..start + length].fill(0);
                assert_eq!(shared, expected, "{start} {length}");
            }
        }
    }

    #[test]
    fn zeros_go_past_one_step() {
        let mut shared = vec![1_u8; 10_000];
        // SAFETY: of 10,000 bytes 9,990 behind the first are written.
        unsafe { zero(shared.as_mut_ptr().add(1), 9_990) };
        assert_eq!(shared[0], 1);
        assert!(shared[1..9_991].iter().all(|byte| *byte == 0));
        assert_eq!(shared[9_991..], [1; 9]);
    }
}

//! Where a body goes: to a vector that grows as bytes come, or to a buffer of the caller's.

use std::mem::take;

/// The most that is allocated for bytes that have not come.
const AHEAD: usize = 64 << 10;

/// The most that is moved from a vector to a buffer before a body is whole: what a socket holds, unless it was told to hold
/// more.
const LITTLE: usize = 256 << 10;

/// Where a body goes, and how much of it is there.
///
/// A body whose beginning came for an earlier call is in a vector, and goes on there until it is whole: it is copied
/// to a buffer once, however many calls it takes. Of a call that waits for the rest a beginning that is little is moved to
/// the buffer at once, so that the rest needs no vector.
pub(crate) struct Dest<'a> {
    lent: Option<&'a mut [u8]>,
    own: Vec<u8>,
    filled: usize,
    /// Whether the bytes are in the vector.
    in_own: bool,
}

impl<'a> Dest<'a> {
    /// A vector.
    pub(crate) fn own() -> Dest<'a> {
        Dest { lent: None, own: Vec::new(), filled: 0, in_own: true }
    }

    /// The beginning of a buffer, which has room for the body.
    pub(crate) fn lent(buffer: &'a mut [u8]) -> Dest<'a> {
        Dest { lent: Some(buffer), own: Vec::new(), filled: 0, in_own: false }
    }

    /// Takes what came for earlier calls, and says whether this one waits for the rest. A buffer has room for the body.
    pub(crate) fn begin(&mut self, came: Vec<u8>, waits: bool) {
        self.filled = came.len();
        match &mut self.lent {
            Some(buffer) if waits && came.len() <= LITTLE => buffer[..came.len()].copy_from_slice(&came),
            _ => {
                self.in_own |= !came.is_empty();
                self.own = came;
            }
        }
    }

    /// Gives what came, for a later call.
    pub(crate) fn park(&mut self) -> Vec<u8> {
        match &self.lent {
            Some(buffer) if !self.in_own => buffer[..self.filled].to_vec(),
            _ => {
                self.own.truncate(self.filled);
                take(&mut self.own)
            }
        }
    }

    /// Puts a whole body where it was asked for.
    pub(crate) fn end(&mut self) {
        if let Some(buffer) = &mut self.lent
            && self.in_own
        {
            buffer[..self.filled].copy_from_slice(&self.own[..self.filled]);
        }
    }

    /// The bytes that are there.
    pub(crate) fn filled(&self) -> usize {
        self.filled
    }

    /// Room for the next bytes of a body of that length: for all of them where they are few or the buffer is there,
    /// and else for as many as came.
    pub(crate) fn room(&mut self, whole: usize) -> &mut [u8] {
        match &mut self.lent {
            Some(buffer) if !self.in_own => &mut buffer[self.filled..whole],
            _ => {
                let ahead = self.filled.max(AHEAD);
                let length = whole.min(self.filled.saturating_add(ahead));
                if self.own.capacity() == 0 {
                    // Quicker than to have an empty one grow.
                    self.own = Vec::with_capacity(length);
                }
                self.own.reserve_exact(length.saturating_sub(self.own.len()));
                self.own.resize(length, 0);
                &mut self.own[self.filled..]
            }
        }
    }

    /// So many bytes came to the room.
    pub(crate) fn fill(&mut self, bytes: usize) {
        self.filled += bytes;
    }

    /// One byte that came before.
    pub(crate) fn push(&mut self, byte: u8, whole: usize) {
        self.room(whole)[0] = byte;
        self.filled += 1;
    }

    /// A whole body that is elsewhere, in a vector of its own.
    pub(crate) fn replace(&mut self, body: Vec<u8>) {
        self.filled = body.len();
        self.own = body;
    }

    /// The buffer, where it is the caller's.
    pub(crate) fn buffer(&mut self) -> Option<&mut [u8]> {
        self.lent.as_deref_mut()
    }

    /// The body, where it has a vector.
    pub(crate) fn into_body(self) -> Vec<u8> {
        self.own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_allocated_than_came_and_a_bound() {
        let whole = u32::MAX as usize;
        let mut dest = Dest::own();
        dest.begin(Vec::new(), false);
        dest.push(1, whole);
        while dest.filled() < 10 << 20 {
            let filled = dest.filled();
            let room = dest.room(whole).len();
            assert!(room > 0 && filled + room <= 2 * filled.max(AHEAD), "{room} bytes for {filled}");
            dest.fill(1 + room / 2);
        }
        let came = dest.filled();
        assert_eq!(dest.park().len(), came);
    }

    #[test]
    fn a_small_body_is_allocated_once_and_exactly() {
        let mut dest = Dest::own();
        dest.begin(Vec::new(), false);
        dest.push(7, 100);
        assert_eq!(dest.room(100).len(), 99);
        dest.fill(99);
        let body = dest.into_body();
        assert_eq!((body.len(), body.capacity(), body[0]), (100, 100, 7));
    }

    #[test]
    fn what_came_for_earlier_calls_is_copied_to_a_buffer_when_the_body_is_whole() {
        let (mut first, mut second) = ([0; 4], [0; 6]);
        let mut dest = Dest::lent(&mut first);
        dest.begin(Vec::new(), false);
        dest.push(b'a', 4);
        let came = dest.park();
        assert_eq!(came, b"a");
        let mut dest = Dest::lent(&mut second);
        dest.begin(came, false);
        dest.room(4)[..3].copy_from_slice(b"bcd");
        dest.fill(3);
        dest.end();
        assert_eq!(&second, b"abcd\0\0");
    }

    #[test]
    fn what_waits_for_the_rest_of_a_body_has_it_in_the_buffer() {
        let mut buffer = vec![0; LITTLE + 2];
        for (little, in_own) in [(1, false), (LITTLE, false), (LITTLE + 1, true)] {
            let mut dest = Dest::lent(&mut buffer);
            dest.begin(vec![7; little], true);
            assert_eq!((dest.filled(), dest.in_own), (little, in_own));
            dest.room(little + 1)[0] = 9;
            dest.fill(1);
            dest.end();
            assert_eq!(buffer[..little], vec![7; little]);
            assert_eq!(buffer[little], 9);
        }
        // What came is there for a later call, also where this one is ended by a signal, or its time.
        let mut dest = Dest::lent(&mut buffer);
        dest.begin(b"abc".to_vec(), true);
        assert_eq!(dest.park(), b"abc");
    }
}

//! Where a body goes: to a vector that grows as bytes come, or to a buffer of the caller's.

/// The most that is allocated for bytes that have not come.
const AHEAD: usize = 64 << 10;

/// Where a body goes, and how much of it is there.
pub(crate) struct Dest<'a> {
    place: Place<'a>,
    filled: usize,
}

enum Place<'a> {
    Own(Vec<u8>),
    Lent(&'a mut [u8]),
}

impl<'a> Dest<'a> {
    /// A vector.
    pub(crate) fn own() -> Dest<'a> {
        Dest { place: Place::Own(Vec::new()), filled: 0 }
    }

    /// The beginning of a buffer, which has room for the body.
    pub(crate) fn lent(buffer: &'a mut [u8]) -> Dest<'a> {
        Dest { place: Place::Lent(buffer), filled: 0 }
    }

    /// Takes what came for earlier calls.
    pub(crate) fn begin(&mut self, came: Vec<u8>) {
        self.filled = came.len();
        match &mut self.place {
            Place::Own(body) => *body = came,
            Place::Lent(buffer) => buffer[..came.len()].copy_from_slice(&came),
        }
    }

    /// Gives what came, for a later call.
    pub(crate) fn park(&mut self) -> Vec<u8> {
        match &mut self.place {
            Place::Own(body) => {
                body.truncate(self.filled);
                std::mem::take(body)
            }
            Place::Lent(buffer) => buffer[..self.filled].to_vec(),
        }
    }

    /// The bytes that are there.
    pub(crate) fn filled(&self) -> usize {
        self.filled
    }

    /// Room for the next bytes of a body of that length: for all of them where they are few or the buffer is there,
    /// and else for as many as came.
    pub(crate) fn room(&mut self, whole: usize) -> &mut [u8] {
        match &mut self.place {
            Place::Own(body) => {
                let ahead = self.filled.max(AHEAD);
                let length = whole.min(self.filled.saturating_add(ahead));
                body.reserve_exact(length.saturating_sub(body.len()));
                body.resize(length, 0);
                &mut body[self.filled..]
            }
            Place::Lent(buffer) => &mut buffer[self.filled..whole],
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
        self.place = Place::Own(body);
    }

    /// The buffer, where it is the caller's.
    pub(crate) fn buffer(&mut self) -> Option<&mut [u8]> {
        match &mut self.place {
            Place::Own(_) => None,
            Place::Lent(buffer) => Some(buffer),
        }
    }

    /// The body, where it has a vector.
    pub(crate) fn into_body(self) -> Vec<u8> {
        match self.place {
            Place::Own(body) => body,
            Place::Lent(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_allocated_than_came_and_a_bound() {
        let whole = u32::MAX as usize;
        let mut dest = Dest::own();
        dest.begin(Vec::new());
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
        dest.begin(Vec::new());
        dest.push(7, 100);
        assert_eq!(dest.room(100).len(), 99);
        dest.fill(99);
        let body = dest.into_body();
        assert_eq!((body.len(), body.capacity(), body[0]), (100, 100, 7));
    }
}

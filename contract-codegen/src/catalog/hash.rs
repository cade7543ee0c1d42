//! FNV-1a 64: the hash of both ids, and of what artifacts state about themselves.

/// A running FNV-1a 64.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fnv(u64);

impl Fnv {
    pub(crate) const fn new() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }

    /// The word as unsigned LEB128, so that the ids do not depend on the target's byte order.
    pub(crate) fn word(self, mut word: u32) -> Self {
        let mut hash = self;
        loop {
            let low = (word & 0x7f) as u8;
            word >>= 7;
            if word == 0 {
                return hash.bytes(&[low]);
            }
            hash = hash.bytes(&[low | 0x80]);
        }
    }

    /// An id in its two words, low one first.
    pub(crate) fn id(self, id: u64) -> Self {
        let [low, high] = halves(id);
        self.word(low).word(high)
    }

    pub(crate) fn finish(self) -> u64 {
        self.0
    }
}

/// The two words of an id, low one first.
pub(crate) fn halves(id: u64) -> [u32; 2] {
    [id & 0xffff_ffff, id >> 32].map(|word| u32::try_from(word).expect("half of it"))
}

/// The hash by which a pointer names the struct it points to: of the module path, as the compiler has it, and the name in
/// Rust. It needs nothing of the struct's content, so that two structs may point to each other.
pub(crate) fn path(module: &str, name: &str) -> u64 {
    Fnv::new().bytes(module.as_bytes()).bytes(b"::").bytes(name.as_bytes()).finish()
}

#[cfg(test)]
mod tests {
    use super::Fnv;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(Fnv::new().finish(), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fnv::new().bytes(b"a").finish(), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fnv::new().bytes(b"foobar").finish(), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn words_are_hashed_as_leb128() {
        assert_eq!(Fnv::new().word(0).finish(), Fnv::new().bytes(&[0]).finish());
        assert_eq!(Fnv::new().word(300).finish(), Fnv::new().bytes(&[0xac, 0x02]).finish());
        assert_eq!(
            Fnv::new().word(u32::MAX).finish(),
            Fnv::new().bytes(&[0xff, 0xff, 0xff, 0xff, 0x0f]).finish()
        );
    }
}

//! The process that made something. A fork has a copy of it, which is not the fork's to use: two processes that go on
//! from one state would say things twice, and each end what is the other's.

/// A process, by its number at the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Maker(u32);

impl Maker {
    /// This process.
    pub(crate) fn this() -> Maker {
        Maker(std::process::id())
    }

    /// Whether this process is the one, and no fork of it. The kernel is asked each time: a fork that was made without
    /// the C library is one as well.
    pub(crate) fn is_this(self) -> bool {
        self == Maker::this()
    }

    /// Its number.
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

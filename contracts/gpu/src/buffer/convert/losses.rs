//! What a conversion could not say in the other form.

use core::fmt;

/// Something that one form says and the other cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Lost {
    /// Which device holds the memory: a payload has the exporter's number for it, which is the caller's to give.
    DeviceUuid,
    /// When the exporter started, which tells it from a later process of its number.
    StartTime,
    /// In which namespace the exporter's number is one.
    PidNamespace,
    /// Which buffer it is, where an address is used again.
    BufferId,
    /// That importers do not write.
    ReadOnly,
    /// That strides were said; they were those of the shape.
    Strides,
    /// The bytes of the buffer that are before or behind the tensor.
    SpareBytes,
    /// The exporter's number for the device, which another process may number otherwise.
    DeviceOrdinal,
    /// The exporter's number for the file descriptor, which means nothing elsewhere.
    HandleNumber,
}

impl Lost {
    const ALL: [Lost; 9] = [
        Lost::DeviceUuid,
        Lost::StartTime,
        Lost::PidNamespace,
        Lost::BufferId,
        Lost::ReadOnly,
        Lost::Strides,
        Lost::SpareBytes,
        Lost::DeviceOrdinal,
        Lost::HandleNumber,
    ];
}

/// All that a conversion could not say, in the order of [`Lost`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[must_use = "what is lost here, nobody says any more"]
pub struct Losses(u16);

impl Losses {
    pub(super) const fn none() -> Losses {
        Losses(0)
    }

    pub(super) const fn with(self, lost: Lost, is_lost: bool) -> Losses {
        if is_lost { Losses(self.0 | 1 << lost as u16) } else { self }
    }

    /// Whether nothing is lost.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether that is lost.
    pub const fn contains(self, lost: Lost) -> bool {
        self.0 & 1 << lost as u16 != 0
    }

    /// What is lost.
    pub fn iter(self) -> impl Iterator<Item = Lost> {
        Lost::ALL.into_iter().filter(move |lost| self.contains(*lost))
    }
}

impl fmt::Debug for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

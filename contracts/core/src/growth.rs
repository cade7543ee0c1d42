//! Descriptors that grow at the tail: their sizes by version, and what a message of an older one stands for.
//!
//! A message of an older version is the newest one's bytes with the declared defaults where it has nothing: reading one
//! puts that image together and reads it as any other. So all that is checked of a value (its fields, its conditions,
//! its rules) is checked of the defaults too, and is written once.
//!
//! Only a descriptor that grows is asked for other versions, and only one with a version field for a prefix:
//!
//! ```compile_fail,E0080
//! # #[derive(wirecontract::WireContract)]
//! # #[repr(C)]
//! # #[wire(descriptor, size = 4)]
//! # struct Plain { a: u32 }
//! use wirecontract::WireContract;
//! let _ = Plain::from_bytes_or_newer(&[]);
//! ```
//!
//! ```compile_fail,E0080
//! # #[derive(wirecontract::WireContract)]
//! # #[repr(C)]
//! # #[wire(descriptor, size(v1 = 4))]
//! # struct Tail { a: u32 }
//! use wirecontract::WireContract;
//! let _ = Tail::read_prefix(&[]);
//! ```

mod image;
mod read;
mod write;

pub use image::Image;
pub(crate) use read::{Newer, prefix, read, version, view};
pub(crate) use write::write;

/// How a descriptor has grown.
#[derive(Clone, Copy)]
pub struct Growth {
    /// Bytes of each version, from the first on; none is smaller than the one before.
    pub sizes: &'static [usize],
    /// The newest version's bytes, in which all that the first has not is as its default says.
    pub defaults: &'static [u8],
    /// The same as every machine has it: what is in native order, as little-endian.
    pub agreed: &'static [u8],
    /// Fields that stand where older versions had reserved bytes.
    pub holes: &'static [Hole],
    /// The growing descriptor that stands last, and where it does.
    pub last: Option<(usize, &'static Growth)>,
    /// Whether a field says the version; where none does, the length says it.
    pub has_version: bool,
}

/// A field that stands where older versions had reserved bytes; its default is zero.
#[derive(Clone, Copy)]
pub struct Hole {
    /// The version that has the field.
    pub since: u64,
    /// Bytes from the start to it.
    pub start: usize,
    /// Bytes from the start to its end.
    pub end: usize,
}

impl Growth {
    /// The newest version.
    pub const fn newest(&self) -> u64 {
        self.sizes.len() as u64
    }

    /// Words that the defaults take in the record.
    pub const fn tail_words(&self) -> usize {
        (self.agreed.len() - self.sizes[0]).div_ceil(4)
    }

    /// Bytes of a version from 1 on; of one that is not known yet, those of the newest.
    fn size(&self, version: u64) -> usize {
        let index = usize::try_from(version).unwrap_or(usize::MAX).min(self.sizes.len());
        self.sizes[index - 1]
    }

    /// Gives what an older version has not its default: `image` has that version's bytes, and the defaults behind them.
    fn fill_holes(&self, image: &mut [u8], version: u64) {
        for hole in self.holes.iter().filter(|hole| hole.since > version) {
            image[hole.start..hole.end].fill(0);
        }
        if let Some((offset, last)) = self.last {
            last.fill_holes(&mut image[offset..], version);
        }
    }

    /// Makes `image` what bytes of a version stand for.
    pub fn complete(&self, image: &mut [u8], bytes: &[u8], version: u64) {
        let carried = self.size(version);
        image.copy_from_slice(self.defaults);
        image[..carried].copy_from_slice(&bytes[..carried]);
        self.fill_holes(image, version);
    }
}

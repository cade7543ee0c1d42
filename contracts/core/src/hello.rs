//! The hello: what two sides of a channel tell each other before anything else, and what they agree on.
//!
//! Each side writes a [`Hello`] with every contract that it speaks on this channel, at which versions and with which
//! wire ids. It reads the other one's, and [`negotiate`] gives for each contract the highest version that both list
//! with the same wire id; or a [`Refusal`], before anything of it was read.
//!
//! ```
//! use wirecontract::hello::{Hello, Verdict};
//! use wirecontract::{WireContract, WireJson};
//!
//! /// What a camera is asked for; version 1 had no `gain`.
//! #[derive(WireContract, Clone, Debug, PartialEq)]
//! #[wire(recipe, version = 2, earlier(v1 = 0x0123456789abcdef))]
//! pub struct Request {
//!     pub exposure_us: u32,
//!     #[wire(default = 1)]
//!     pub gain: u32,
//! }
//!
//! # fn main() -> Result<(), Box<dyn core::error::Error>> {
//! let ours = Hello::of::<Request>();
//! let theirs = Hello::read(ours.to_json()?.as_bytes())?;
//! assert_eq!(ours.agree::<Request>(&theirs)?.version, 2);
//!
//! let nobody = Hello::new();
//! assert_eq!(ours.agree::<Request>(&nobody).unwrap_err().verdict(), Some(Verdict::UnknownToPeer));
//! # Ok(())
//! # }
//! ```
//!
//! A hello is a property of the channel: a wire that has none (a file, a datagram, a payload in somebody else's
//! protocol) says nothing of versions, and both sides have to be built of one declaration, or to tell by magic and
//! version fields. How a hello is framed is the channel's matter as well; it is one JSON document of at most
//! [`MAX_BYTES`](crate::WireJson::MAX_BYTES).

mod build;
mod check;
mod negotiate;
mod refusal;

use alloc::string::String;
use alloc::vec::Vec;

use crate::WireContract;

pub use build::name_of;
pub use negotiate::{Agreed, negotiate};
pub use refusal::{Explain, NegotiationError, Refusal};

/// How many contracts a hello names at most.
pub const MOST_CONTRACTS: usize = 512;
/// How many versions of a contract a hello names at most.
pub const MOST_VERSIONS: usize = 64;
/// The version of the hello's own form.
pub const FORMAT: u32 = 1;

/// What one side of a channel speaks.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, crate = crate, max_bytes = 262144, max_depth = 16)]
pub struct Hello {
    /// The version of this form.
    #[wire(name = "wirecontract_hello", min = 1, max = 1)]
    pub format: u32,
    /// The contracts, each once.
    #[wire(max_items = 512)]
    pub speaks: Vec<SpokenContract>,
}

/// A contract, at the versions that one side reads and writes.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, crate = crate, rule(some_version: len(versions) >= 1))]
pub struct SpokenContract {
    /// The module path and the name that it was first accepted under: `wirecontract_gpu::cuvis::CudaIpcPayload`.
    #[wire(max_len = 256)]
    pub name: String,
    /// The versions in ascending order, each once.
    #[wire(max_items = 64)]
    pub versions: Vec<SpokenVersion>,
}

/// A version of a contract.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[wire(recipe, crate = crate)]
pub struct SpokenVersion {
    /// Its number.
    #[wire(min = 1)]
    pub version: u32,
    /// Its wire id, the most significant byte first: in JSON 16 digits, which also readers keep whose numbers are
    /// floats.
    #[wire(hex)]
    pub wire_id: [u8; 8],
}

/// What comes of two hellos for one contract.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i32)]
#[wire(enumeration, crate = crate, rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Both list a version with the same wire id.
    Agreed = 0,
    /// This side does not say that it speaks the contract.
    NotOurs = 1,
    /// The peer does not say that it speaks the contract.
    UnknownToPeer = 2,
    /// No version is listed by both.
    NoCommonVersion = 3,
    /// Versions are listed by both, and none of them with the same wire id.
    TwoIds = 4,
}

const _: () = assert!(
    MOST_CONTRACTS == 512 && MOST_VERSIONS == 64 && FORMAT == 1,
    "the attributes above say the same numbers"
);

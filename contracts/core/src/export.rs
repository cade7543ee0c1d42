//! What is behind a function that other languages call: handles and the objects they stand for, failures and the last
//! one of each thread, bytes that the caller frees, and panics that end where they are.
//!
//! An expansion calls it, but for [`Failure`] and [`CallbackError`], which are everybody's.

mod arguments;
mod bytes;
mod call;
#[cfg(feature = "json")]
pub mod documents;
mod exclusive;
mod failure;
mod fault;
#[cfg(unix)]
mod fds;
mod forms;
mod guard;
mod handle;
mod handles;
mod last_error;
mod library;
mod memory;
mod overlap;
mod probe;
mod refused;
mod results;
mod shared;
mod slots;
mod text;
mod thread;
mod words;

pub use arguments::{
    ByMutReference, ByReference, ByValue, Document, MutReference, Read, Received, Reference, Value,
};
pub use bytes::{COwnedBytes, free, give};
pub use call::{Call, Pass, Passed, Pointer, call, callback};
pub use exclusive::{ExclusiveMut, ExclusiveRef, ExclusiveReserved, ExclusiveTable};
pub use failure::{CallbackError, Failure};
pub use fault::Fault;
#[cfg(unix)]
pub use fds::{FdPlace, LentFd};
pub use forms::{Form, check_out, check_param};
pub use guard::contain;
pub use handle::{HandleFault, tag};
pub use handles::{
    CHandle, Destroy, ExclusiveHandle, HasFunctions, Place, SharedHandle, SharedIsChanged, destroy,
};
pub use last_error::{CFailure, fill, keep};
pub use library::{bytes_free, last_error};
pub use memory::{InMemory, Items, ItemsMut, Optional, OptionalMut, Slice, SliceMut};
pub use overlap::{Area, apart, may_overlap};
pub use probe::{
    AsIf, Can, Cannot, CrossesIf, FailsIf, by_mut_reference, by_reference, by_value, fails, given,
    has_functions, in_memory, passed,
};
pub use results::{Given, Out, Plain, Ready};
pub use shared::{SharedRef, SharedReserved, SharedTable};
pub use text::{Measured, Text};
pub use words::{Signature, function_wire_id, function_words, function_words_length};

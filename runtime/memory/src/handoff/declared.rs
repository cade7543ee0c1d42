//! Messages as their contracts declare them.

use std::io::IoSlice;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use wirecontract::{Code, Contract, WireError};

use super::{Channel, Error, Expected, Message, Sent};

/// Bytes of a wire id before a body.
const ID_BYTES: usize = 8;

/// Why a message of a contract did not cross.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeclaredError {
    /// The channel refused it, or ended.
    #[error(transparent)]
    Channel(#[from] Error),
    /// The contract refuses it: what came, or what was to be sent.
    #[error(transparent)]
    Contract(#[from] WireError),
    /// It is of another contract, or of another version of this one.
    #[error(
        "id_mismatch: expected a message of {contract} (wire id {expected:#018x}), found one of wire id {found:#018x}: \
         build both sides of the same declaration, or say hello first"
    )]
    IdMismatch {
        /// The contract that was asked for.
        contract: &'static str,
        /// Its wire id.
        expected: u64,
        /// The wire id that the message begins with.
        found: u64,
    },
    /// It has no room for the wire id that it begins with.
    #[error(
        "too_short: expected a wire id of 8 bytes before the message, found {found} bytes: the peer sends no wire ids"
    )]
    NoId {
        /// The bytes of the whole.
        found: usize,
    },
}

impl DeclaredError {
    /// The code that every language knows the refusal by.
    pub fn code(&self) -> Code {
        match self {
            DeclaredError::Channel(error) => error.code(),
            DeclaredError::Contract(error) => error.code,
            DeclaredError::IdMismatch { .. } => Code::IdMismatch,
            DeclaredError::NoId { .. } => Code::TooShort,
        }
    }

    /// Whether nothing more comes, and each later call says the same; see [`Error::is_end`].
    pub fn is_end(&self) -> bool {
        matches!(self, DeclaredError::Channel(error) if error.is_end())
    }
}

/// A message that begins with the wire id of its contract, while nobody has looked further.
///
/// Where messages of several contracts cross one channel, the id says which one came.
#[derive(Debug)]
pub struct Frame {
    /// The wire id of its contract.
    pub wire_id: u64,
    /// The file descriptors in the order in which they were sent.
    pub fds: Vec<OwnedFd>,
    /// The id and the message: what came is not moved.
    whole: Vec<u8>,
}

impl Frame {
    /// What came; refused where there is no room for an id.
    fn of(message: Message) -> Result<Frame, DeclaredError> {
        let Message { body: whole, fds } = message;
        let Some((id, _)) = whole.split_first_chunk::<ID_BYTES>() else {
            return Err(DeclaredError::NoId { found: whole.len() });
        };
        Ok(Frame { wire_id: u64::from_le_bytes(*id), fds, whole })
    }

    /// The message, without the id.
    pub fn body(&self) -> &[u8] {
        &self.whole[ID_BYTES..]
    }

    /// Whether it is of that contract.
    pub fn is<M: Contract>(&self) -> bool {
        self.wire_id == M::WIRE_ID
    }

    /// The message, which is one of that contract.
    ///
    /// [`DeclaredError::IdMismatch`], [`DeclaredError::Contract`]; the file descriptors are closed then.
    pub fn read<M: wirecontract::Message>(self) -> Result<M, DeclaredError> {
        if !self.is::<M>() {
            let (contract, expected) = (M::NAME, M::WIRE_ID);
            return Err(DeclaredError::IdMismatch { contract, expected, found: self.wire_id });
        }
        Ok(M::from_message(&self.whole[ID_BYTES..], self.fds)?)
    }
}

/// What may come behind a wire id.
fn behind_id(expected: &Expected) -> Expected {
    expected.with_bytes(expected.most_bytes().saturating_add(ID_BYTES))
}

/// What came, as a message of a contract.
fn declared<M: wirecontract::Message>(message: Message) -> Result<M, DeclaredError> {
    Ok(M::from_message(&message.body, message.fds)?)
}

impl Channel {
    /// Sends a message of a contract: its bytes, and beside them its file descriptors, which stay the message's.
    ///
    /// [`DeclaredError::Contract`] before anything is sent, and what [`send`](Self::send) refuses.
    pub fn send_declared<M: wirecontract::Message>(&self, message: &M) -> Result<(), DeclaredError> {
        let (body, fds) = message.to_message()?;
        Ok(self.send(&body, &fds)?)
    }

    /// Receives a message of a contract, with as many bytes and file descriptors as it may have.
    ///
    /// One whose file descriptors may be one open file is received by [`recv`](Self::recv), with
    /// [`Expected::of`]`::<M>().`[`repeated`](Expected::repeated)`()`, and read by [`wirecontract::Message::from_message`].
    ///
    /// What [`recv`](Self::recv) refuses, and [`DeclaredError::Contract`]: of a message that the contract refuses what came
    /// is closed, and the channel goes on with the next one.
    pub fn recv_declared<M: wirecontract::Message>(&self) -> Result<M, DeclaredError> {
        declared(self.recv(&Expected::of::<M>())?)
    }

    /// The same, and waits no longer than that in all, as [`recv_within`](Self::recv_within) does.
    pub fn recv_declared_within<M: wirecontract::Message>(
        &self,
        within: Duration,
    ) -> Result<M, DeclaredError> {
        declared(self.recv_within(&Expected::of::<M>(), within)?)
    }

    /// A message of a contract if it is there, as [`try_recv`](Self::try_recv) has it.
    pub fn try_recv_declared<M: wirecontract::Message>(&self) -> Result<Option<M>, DeclaredError> {
        self.try_recv(&Expected::of::<M>())?.map(declared).transpose()
    }

    /// The same as [`send_declared`](Self::send_declared), with the contract's wire id before the bytes: eight bytes,
    /// little-endian. For wires whose both sides expect it ([`recv_framed`](Self::recv_framed), or
    /// [`recv_frame`](Self::recv_frame) where several contracts cross one channel).
    pub fn send_framed<M: wirecontract::Message>(&self, message: &M) -> Result<(), DeclaredError> {
        let (body, fds) = message.to_message()?;
        Ok(self.send_frame(M::WIRE_ID, &body, &fds)?)
    }

    /// Receives a message that begins with its contract's wire id, and is one of that contract.
    ///
    /// As [`recv_declared`](Self::recv_declared); [`DeclaredError::IdMismatch`], [`DeclaredError::NoId`].
    pub fn recv_framed<M: wirecontract::Message>(&self) -> Result<M, DeclaredError> {
        self.recv_frame(&Expected::of::<M>())?.read()
    }

    /// The same, and waits no longer than that in all.
    pub fn recv_framed_within<M: wirecontract::Message>(&self, within: Duration) -> Result<M, DeclaredError> {
        self.recv_frame_within(&Expected::of::<M>(), within)?.read()
    }

    /// A message that begins with its contract's wire id, if it is there.
    pub fn try_recv_framed<M: wirecontract::Message>(&self) -> Result<Option<M>, DeclaredError> {
        self.try_recv_frame(&Expected::of::<M>())?.map(Frame::read).transpose()
    }

    /// Receives a message that begins with the wire id of some contract; `expected` says what may come behind the id.
    ///
    /// As [`recv`](Self::recv); [`DeclaredError::NoId`].
    pub fn recv_frame(&self, expected: &Expected) -> Result<Frame, DeclaredError> {
        Frame::of(self.recv(&behind_id(expected))?)
    }

    /// The same, and waits no longer than that in all.
    pub fn recv_frame_within(&self, expected: &Expected, within: Duration) -> Result<Frame, DeclaredError> {
        Frame::of(self.recv_within(&behind_id(expected), within)?)
    }

    /// A message that begins with the wire id of some contract, if it is there.
    pub fn try_recv_frame(&self, expected: &Expected) -> Result<Option<Frame>, DeclaredError> {
        self.try_recv(&behind_id(expected))?.map(Frame::of).transpose()
    }

    /// Sends a message with that wire id before it, for who has its bytes already: what they say is the caller's to see to.
    pub fn send_frame(&self, wire_id: u64, body: &[u8], fds: &[BorrowedFd<'_>]) -> Result<(), Error> {
        let id = wire_id.to_le_bytes();
        self.send_vectored(&[IoSlice::new(&id), IoSlice::new(body)], fds)
    }

    /// The same, of which the kernel gets what it takes without waiting, as [`try_send`](Self::try_send) has it.
    pub fn try_send_frame(&self, wire_id: u64, body: &[u8], fds: &[BorrowedFd<'_>]) -> Result<Sent, Error> {
        let id = wire_id.to_le_bytes();
        self.try_send_vectored(&[IoSlice::new(&id), IoSlice::new(body)], fds)
    }
}

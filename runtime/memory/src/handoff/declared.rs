//! Messages as their contracts declare them.

use std::io::IoSlice;
use std::os::fd::{BorrowedFd, OwnedFd};

use wirecontract::{Code, Contract, WireError};

use super::{Channel, Error, Expected};

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

    /// Whether the peer ended the channel where it may: between two messages.
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
    /// The message, without the id.
    pub body: Vec<u8>,
    /// The file descriptors in the order in which they were sent.
    pub fds: Vec<OwnedFd>,
}

impl Frame {
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
        Ok(M::from_message(&self.body, self.fds)?)
    }
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
    /// What [`recv`](Self::recv) refuses, and [`DeclaredError::Contract`]: of a message that the contract refuses what came
    /// is closed, and the channel goes on with the next one.
    pub fn recv_declared<M: wirecontract::Message>(&self) -> Result<M, DeclaredError> {
        let message = self.recv(&Expected::of::<M>())?;
        Ok(M::from_message(&message.body, message.fds)?)
    }

    /// The same as [`send_declared`](Self::send_declared), with the contract's wire id before the bytes: eight bytes,
    /// little-endian. For wires whose both sides expect it ([`recv_framed`](Self::recv_framed), or
    /// [`recv_frame`](Self::recv_frame) where several contracts cross one channel).
    pub fn send_framed<M: wirecontract::Message>(&self, message: &M) -> Result<(), DeclaredError> {
        let (body, fds) = message.to_message()?;
        self.send_frame(M::WIRE_ID, &body, &fds)
    }

    /// Receives a message that begins with its contract's wire id, and is one of that contract.
    ///
    /// As [`recv_declared`](Self::recv_declared); [`DeclaredError::IdMismatch`], [`DeclaredError::NoId`].
    pub fn recv_framed<M: wirecontract::Message>(&self) -> Result<M, DeclaredError> {
        self.recv_frame(&Expected::of::<M>())?.read()
    }

    /// Receives a message that begins with the wire id of some contract; `expected` says what may come behind the id.
    ///
    /// As [`recv`](Self::recv); [`DeclaredError::NoId`].
    pub fn recv_frame(&self, expected: &Expected) -> Result<Frame, DeclaredError> {
        let mut message = self.recv(&expected.with_bytes(expected.most_bytes().saturating_add(ID_BYTES)))?;
        let Some((id, _)) = message.body.split_first_chunk::<ID_BYTES>() else {
            return Err(DeclaredError::NoId { found: message.body.len() });
        };
        let wire_id = u64::from_le_bytes(*id);
        message.body.drain(..ID_BYTES);
        Ok(Frame { wire_id, body: message.body, fds: message.fds })
    }

    fn send_frame(&self, wire_id: u64, body: &[u8], fds: &[BorrowedFd<'_>]) -> Result<(), DeclaredError> {
        let id = wire_id.to_le_bytes();
        Ok(self.send_vectored(&[IoSlice::new(&id), IoSlice::new(body)], fds)?)
    }
}

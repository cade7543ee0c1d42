//! Descriptors: what the derive makes of bytes, held against an interpreter of the same declaration.

use std::fmt::Debug;

use wirecontract::WireContract;
use wirecontract_codegen::interpret::{self, Host};
use wirecontract_codegen::model::ContractId;
use wirecontract_gpu::cuvis::{CudaIpcDescriptor, CudaIpcPayload};
use wirecontract_msrv::Frame;

use crate::catalog::{CATALOG, id_of};

/// The payload of the cuvis SDK.
pub fn payload(bytes: &[u8]) {
    agrees::<CudaIpcPayload>(bytes);
}

/// The descriptor in it, alone.
pub fn descriptor(bytes: &[u8]) {
    agrees::<CudaIpcDescriptor>(bytes);
}

/// A contract with every type, byte order and attribute.
pub fn frame(bytes: &[u8]) {
    agrees::<Frame>(bytes);
}

/// Both accept the bytes and write them alike, or both refuse them in the same words.
pub(crate) fn agrees<T: WireContract + Debug>(bytes: &[u8]) {
    let id = id_of(T::WIRE_ID);
    let ours = T::from_bytes(bytes);
    assert_eq!(T::view(bytes).err(), ours.as_ref().err().copied());
    match (ours, interpret::read(&CATALOG, id, bytes, Host::this())) {
        (Ok(value), Ok(reading)) => {
            let written = value.to_bytes().expect("what was read can be written");
            assert_eq!(written.as_ref(), reading.written, "{value:?}");
        }
        (Err(ours), Err(theirs)) => {
            assert_eq!(ours.to_string(), theirs.to_string());
            assert_eq!(
                (ours.contract, ours.field, ours.offset),
                (&*theirs.contract, &*theirs.field, theirs.offset)
            );
        }
        (ours, theirs) => panic!("the derive says {ours:?}, the interpreter {theirs:?}"),
    }
    prefix_agrees::<T>(bytes, id);
}

fn prefix_agrees<T: WireContract + Debug>(bytes: &[u8], id: ContractId) {
    match (T::read_prefix(bytes), interpret::read_prefix(&CATALOG, id, bytes, Host::this())) {
        (Ok((_, rest)), Ok(_)) => assert_eq!(rest, &bytes[T::WIRE_SIZE..]),
        (Err(ours), Err(theirs)) => assert_eq!(ours.to_string(), theirs.to_string()),
        (ours, theirs) => panic!("of a prefix the derive says {ours:?}, the interpreter {theirs:?}"),
    }
}

//! Shared buffers: what an importer is told of them, and the words by which they are lent.

use wirecontract::{Contract, WireContract, WireJson};
use wirecontract_codegen::interpret::{self, Host};
use wirecontract_gpu::buffer::{ConsumerMessage, FromCuvis, Lost, ProducerMessage, SharedBuffer, ToCuvis};

use crate::catalog::{CATALOG, id_of};
use crate::{descriptors, documents};

/// A descriptor of a shared buffer.
///
/// # Panics
/// When two readers disagree, when a tensor that was found within its buffer is not, and when a conversion loses what it
/// does not tell.
pub fn buffer(bytes: &[u8]) {
    descriptors::agrees::<SharedBuffer>(bytes);
    let Ok(buffer) = SharedBuffer::from_bytes(bytes) else { return };
    let imported = buffer.validate_import();
    let expected = interpret::import(&CATALOG, id_of(SharedBuffer::WIRE_ID), bytes, Host::this());
    assert_eq!(imported.map_err(|error| error.to_string()), expected.map_err(|fault| fault.to_string()));
    let geometry = buffer.geometry();
    if let Ok(geometry) = &geometry {
        assert!(geometry.span().end <= buffer.size, "{geometry:?} in {} bytes", buffer.size);
        assert_eq!((geometry.shape(), geometry.first()), (buffer.shape(), buffer.byte_offset));
    }
    if imported.is_ok() && !buffer.element.is_untyped() && buffer.strides_len == 0 {
        assert!(geometry.is_ok(), "the rules let pass what the geometry refuses: {geometry:?}");
    }
    converts(&buffer);
}

/// What is a payload of the cuvis SDK comes back as it was, but for what is told.
fn converts(buffer: &SharedBuffer) {
    let Ok((payload, losses)) = buffer.to_cuvis(ToCuvis { device_ordinal: 3, fd: Some(7) }) else { return };
    let unsaid = FromCuvis {
        device_uuid: *buffer.device_uuid().first_chunk().expect("memory of CUDA's says its device"),
        start_time: buffer.exporter.start_time,
        pid_namespace: buffer.exporter.pid_namespace,
        buffer_id: buffer.buffer_id,
        flags: buffer.flags,
    };
    let (back, _) = SharedBuffer::from_cuvis(&payload, unsaid).expect("what was made of a buffer is one");
    let told = |lost| losses.contains(lost);
    let bytes = |buffer: &SharedBuffer| buffer.to_bytes().expect("it was read or made");
    let same = bytes(&back) == bytes(buffer);
    assert!(
        same || told(Lost::SpareBytes) || told(Lost::Strides),
        "{buffer:?} became {back:?} with {losses:?}"
    );
}

/// A message of a producer, or of a consumer.
///
/// # Panics
/// When two readers disagree, and when a buffer is taken from an offer that no importer may use.
pub fn lease(bytes: &[u8]) {
    documents::agrees::<ProducerMessage>(bytes);
    documents::agrees::<ConsumerMessage>(bytes);
    if let Ok(ProducerMessage::Offer(offer)) = ProducerMessage::from_json(bytes) {
        // Errors are answers too.
        if let Ok(buffer) = offer.shared_buffer() {
            assert_eq!(buffer.validate_import(), Ok(()));
        }
        buffer(&offer.buffer);
    }
}

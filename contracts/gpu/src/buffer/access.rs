//! Buffers as exporters put them together.

use wirecontract::Flags;

use super::{BufferKind, ElementType, GeometryError, ProcessIdentity, SharedBuffer};

impl SharedBuffer {
    /// A whole allocation, as bytes of no type: nothing else is said of it.
    pub fn new(kind: BufferKind, allocation_size: u64) -> SharedBuffer {
        SharedBuffer {
            magic: SharedBuffer::MAGIC,
            version: SharedBuffer::VERSION,
            kind,
            flags: Flags::empty(),
            size: allocation_size,
            allocation_size,
            offset: 0,
            byte_offset: 0,
            buffer_id: 0,
            exporter: ProcessIdentity::default(),
            device_uuid_len: 0,
            driver_uuid_len: 0,
            device_uuid: [0; 16],
            driver_uuid: [0; 16],
            memory_type_index: 0,
            buffer_usage: 0,
            handle_len: 0,
            pointer_len: 0,
            handle: [0; 64],
            pointer: [0; 64],
            element: ElementType::UNTYPED,
            rank: 0,
            strides_len: 0,
            _pad: 0,
            shape: [0; 8],
            strides: [0; 8],
            _reserved: [0; 5],
        }
    }

    /// Says the tensor that is in the buffer: its shape, and its strides in elements, unless it is in row-major order
    /// without gaps. Its first element begins at [`byte_offset`](Self::byte_offset).
    ///
    /// # Errors
    /// What [`geometry`](Self::geometry) says of it; the buffer is then as it was.
    pub fn set_tensor(
        &mut self,
        element: ElementType,
        shape: &[i64],
        strides: Option<&[i64]>,
    ) -> Result<(), GeometryError> {
        let mut tensor = self.clone();
        tensor.element = element;
        (tensor.rank, tensor.shape) = counted(shape)?;
        (tensor.strides_len, tensor.strides) = counted(strides.unwrap_or(&[]))?;
        if strides.is_some_and(|strides| strides.len() != shape.len()) {
            return Err(GeometryError::Strides { strides: tensor.strides_len, rank: tensor.rank });
        }
        tensor.geometry()?;
        *self = tensor;
        Ok(())
    }
}

/// As many numbers, and behind them zeros.
fn counted(numbers: &[i64]) -> Result<(u32, [i64; 8]), GeometryError> {
    let rank = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    let mut array = [0; 8];
    let Some(place) = array.get_mut(..numbers.len()) else { return Err(GeometryError::Rank { rank }) };
    place.copy_from_slice(numbers);
    Ok((rank, array))
}

//! Structs of `DLPack` whose every number is hostile: taken or refused, and ended once either way.

use std::cell::Cell;
use std::ptr::{self, NonNull};

use wirecontract::{Flags, Open};
use wirecontract_tensor::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, Legacy,
    MAX_RANK, Tensor, TensorError, Versioned,
};

thread_local! {
    /// How often a deleter was called.
    static ENDED: Cell<u32> = const { Cell::new(0) };
}

unsafe extern "C" fn end<T>(_: *mut T) {
    ENDED.set(ENDED.get() + 1);
}

/// Numbers one behind the other; zeros behind the last.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn next<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        let taken = self.0.len().min(N);
        bytes[..taken].copy_from_slice(&self.0[..taken]);
        self.0 = &self.0[taken..];
        bytes
    }

    fn byte(&mut self) -> u8 {
        self.next::<1>()[0]
    }

    /// Small numbers as often as large ones, since few tensors have dimensions of 63 bits.
    fn extent(&mut self) -> i64 {
        match self.byte() {
            255 => i64::from_le_bytes(self.next()),
            254 => -i64::from(self.byte()),
            small => i64::from(small % 9),
        }
    }
}

/// Takes a tensor that the bytes describe.
///
/// # Panics
/// When it is ended more often than once, or never, or when it is another one when it comes back.
pub fn tensor(data: &[u8]) {
    let mut numbers = Numbers(data);
    let kind = numbers.byte();
    let (is_versioned, has_shape, has_strides) = (kind & 1 == 0, kind & 2 == 0, kind & 4 == 0);
    let version = DLPackVersion {
        major: if kind & 8 == 0 { 1 } else { u32::from(numbers.byte()) },
        minor: numbers.byte().into(),
    };
    let ndim =
        if kind & 16 == 0 { i32::from(numbers.byte() % 10) } else { i32::from_le_bytes(numbers.next()) };
    let dtype = DLDataType {
        code: Open::from_raw(numbers.byte() % 20),
        bits: numbers.byte(),
        lanes: if kind & 32 == 0 { 1 } else { u16::from_le_bytes(numbers.next()) },
    };
    let device =
        DLDevice { device_type: Open::from_raw(numbers.byte().into()), device_id: numbers.byte().into() };
    let byte_offset = if kind & 64 == 0 { numbers.byte().into() } else { u64::from_le_bytes(numbers.next()) };
    let data_pointer = if kind & 128 == 0 { 0x1000 } else { usize::from_le_bytes(numbers.next()) };
    let flags = u64::from(numbers.byte());
    // As many as are ever read of either, however many dimensions are claimed.
    let mut shape = [0i64; MAX_RANK];
    let mut strides = [0i64; MAX_RANK];
    let said = usize::try_from(ndim).unwrap_or(0).min(MAX_RANK);
    shape[..said].fill_with(|| numbers.extent());
    strides[..said].fill_with(|| numbers.extent());
    let dl_tensor = DLTensor {
        data: ptr::without_provenance_mut(data_pointer),
        device,
        ndim,
        dtype,
        shape: if has_shape { shape.as_mut_ptr() } else { ptr::null_mut() },
        strides: if has_strides { strides.as_mut_ptr() } else { ptr::null_mut() },
        byte_offset,
    };
    ENDED.set(0);
    let manager_ctx = ptr::null_mut();
    let mut versioned = DLManagedTensorVersioned {
        version,
        manager_ctx,
        deleter: Some(end),
        flags: Flags::from_bits(flags).expect("flags of later versions are kept"),
        dl_tensor,
    };
    let mut legacy = DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(end) };
    // SAFETY: both structs stay where they are until the end of the function, and their pointers are NULL or to as many
    // numbers as are read at most.
    let taken = unsafe {
        if is_versioned {
            Tensor::from_versioned(Versioned::from_raw(NonNull::from(&mut versioned)))
        } else {
            Tensor::from_legacy(Legacy::from_raw(NonNull::from(&mut legacy)))
        }
    };
    match taken {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(version.major != 1 || !is_versioned || !matches!(error, TensorError::Version { .. }));
        }
        Ok(tensor) => {
            assert_eq!(ENDED.get(), 0, "a tensor that is held was ended");
            handed_on(&tensor);
            drop(tensor);
        }
    }
    assert_eq!(ENDED.take(), 1, "each tensor is ended once");
}

/// A tensor that was taken is one that can be handed on, and is the same when it comes back.
fn handed_on(tensor: &Tensor) {
    let view = tensor.view();
    // SAFETY: nobody touches the memory.
    let made = unsafe { Versioned::new((), &view) }.expect("the versioned form says everything");
    // SAFETY: made here.
    let again = unsafe { Tensor::from_versioned(made) }.expect("what was made here is a tensor");
    assert_eq!(
        (again.shape(), again.device(), again.element()),
        (tensor.shape(), tensor.device(), tensor.element())
    );
    assert_eq!(again.is_read_only(), tensor.is_read_only());
    if view.elements() > 0 {
        assert_eq!((again.data(), again.strides()), (tensor.data(), tensor.strides()));
    }
}

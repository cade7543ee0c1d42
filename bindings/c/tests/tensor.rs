//! Tensors in a process without Python: refused in words, with nothing lost.

#![cfg(target_os = "linux")]

use core::ffi::c_void;
use core::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use wirecontract::{Code, Failure, Flags};
use wirecontract_c::tensor::{
    TensorExport, TensorRequest, tensor_allocate, tensor_checked, tensor_dlpack, tensor_lend, tensor_take,
};
use wirecontract_gpu::dlpack::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLTensor};

const NO_PYTHON: &str = "Py";

fn tensor(shape: &mut [i64], device: DLDeviceType) -> DLTensor {
    DLTensor {
        data: ptr::null_mut(),
        device: DLDevice { device_type: device.into(), device_id: 0 },
        ndim: i32::try_from(shape.len()).unwrap(),
        dtype: DLDataType { code: DLDataTypeCode::Float.into(), bits: 64, lanes: 1 },
        shape: shape.as_mut_ptr(),
        strides: ptr::null_mut(),
        byte_offset: 0,
    }
}

fn refused<T: core::fmt::Debug>(result: Result<T, wirecontract_c::system::Error>) -> (Code, String) {
    let failure = Failure::from(result.unwrap_err());
    (failure.code(), failure.message().to_owned())
}

unsafe extern "C" fn count(context: *mut c_void) {
    // SAFETY: the counter of the test, which outlives the call.
    unsafe { &*context.cast::<AtomicUsize>() }.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn without_python_a_call_is_refused_and_the_context_is_ended() {
    let counter = AtomicUsize::new(0);
    let none = ptr::null_mut();
    let export = TensorExport {
        tensor: tensor(&mut [0], DLDeviceType::Cpu),
        flags: Flags::empty(),
        stream: none,
        owner: none,
        destroy: Some(count),
        context: ptr::from_ref(&counter).cast_mut().cast(),
    };
    let request = TensorRequest { stream: none, max_version: none, dl_device: none, copy: none };
    // SAFETY: there is no Python, and no object.
    let (code, said) = refused(unsafe { tensor_dlpack(&export, &request) });
    assert_eq!(code, Code::Refused);
    assert!(said.contains(NO_PYTHON), "{said}");
    assert_eq!(counter.load(Ordering::SeqCst), 1);
    // SAFETY: as above.
    assert_eq!(refused(unsafe { tensor_lend(&export) }), (code, said.clone()));
    assert_eq!(counter.load(Ordering::SeqCst), 2);
    // SAFETY: as above.
    assert_eq!(refused(unsafe { tensor_take(none, None) }), (code, said));
}

#[test]
fn memory_is_had_without_python_and_ended_though_it_is_refused() {
    let mut shape = [3, 5];
    // SAFETY: two numbers.
    let made = unsafe { tensor_allocate(&tensor(&mut shape, DLDeviceType::Cpu)) }.unwrap();
    // SAFETY: a tensor of three rows of five numbers, which are zero.
    unsafe {
        let DLTensor { data, ndim, strides, .. } = (*made).dl_tensor;
        assert_eq!((data as usize % 64, ndim, *strides, *strides.add(1)), (0, 2, 5, 1));
        assert_eq!(core::slice::from_raw_parts(data.cast::<f64>(), 15), [0.0; 15]);
        // Taken over whatever comes of it: what leaks is found by the sanitizer.
        let (code, said) = refused(tensor_checked(made));
        assert_eq!(code, Code::Refused);
        assert!(said.contains(NO_PYTHON), "{said}");
    }
}

#[test]
fn memory_that_is_not_to_be_had_is_refused() {
    let of = |shape: &mut [i64], device| {
        // SAFETY: as many numbers as dimensions.
        refused(unsafe { tensor_allocate(&tensor(shape, device)) })
    };
    let (code, said) = of(&mut [3], DLDeviceType::Cuda);
    assert!(code == Code::Refused && said.contains("Cuda 0"), "{said}");
    let (code, said) = of(&mut [-3], DLDeviceType::Cpu);
    assert!(code == Code::Refused && said.contains("found -3"), "{said}");
    let (code, said) = of(&mut [1 << 59], DLDeviceType::Cpu);
    assert!(code == Code::TooLarge && said.contains("4611686018427387904 bytes"), "{said}");
    let (code, said) = of(&mut [1; 65], DLDeviceType::Cpu);
    assert!(code == Code::Refused && said.contains("found 65"), "{said}");
    let mut negative = tensor(&mut [], DLDeviceType::Cpu);
    negative.ndim = -1;
    // SAFETY: numbers that nobody looks at.
    let (code, said) = refused(unsafe { tensor_allocate(&negative) });
    assert!(code == Code::Refused && said.contains("found -1"), "{said}");
}

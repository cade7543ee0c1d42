//! Streams of consumers, which each kind of device numbers otherwise.

use wirecontract_tensor::{CPU, ConsumerStream, DLDevice, DLDeviceType, RequestError, device};

const CUDA: DLDevice = device(DLDeviceType::Cuda, 3);
const MANAGED: DLDevice = device(DLDeviceType::CudaManaged, 0);
const ROCM: DLDevice = device(DLDeviceType::Rocm, 3);

#[test]
fn cuda_has_two_default_streams_and_no_0() {
    for on in [CUDA, MANAGED] {
        assert_eq!(ConsumerStream::Unsaid.of(on).expect("the legacy default one"), Some(1));
        assert_eq!(ConsumerStream::NoSynchronization.of(on).expect("none"), None);
        for handle in [1, 2, 3, usize::MAX] {
            assert_eq!(ConsumerStream::On(handle).of(on).expect("a stream"), Some(handle));
        }
        let refused = ConsumerStream::On(0).of(on).expect_err("two of them");
        assert!(matches!(refused, RequestError::Stream { found: 0 }), "{refused}");
    }
    assert!(ConsumerStream::On(0).of(CPU).is_err());
}

#[test]
fn rocm_has_one_default_stream_which_is_0() {
    assert_eq!(ConsumerStream::Unsaid.of(ROCM).expect("the default one"), Some(0));
    assert_eq!(ConsumerStream::NoSynchronization.of(ROCM).expect("none"), None);
    for handle in [0, 3, usize::MAX] {
        assert_eq!(ConsumerStream::On(handle).of(ROCM).expect("a stream"), Some(handle));
    }
    for handle in [1, 2] {
        let refused = ConsumerStream::On(handle).of(ROCM).expect_err("those of CUDA");
        let said = format!(
            "expected a stream of Rocm 3 (dl_device=(10, 3)) (a hipStream_t, 0 for the default one, or -1 for no \
             synchronization), found {handle}, which is one of CUDA: say 0"
        );
        assert_eq!(refused.to_string(), said);
    }
}

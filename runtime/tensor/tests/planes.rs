//! Frames without Python: the planes of frames that are made here, and frames of planes that were tensors.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use wirecontract_gpu::video::{MatrixCoefficients, PixelFormat, PlaneLayout, PlanesError, VideoFrame};
use wirecontract_tensor::planes::{
    Frame, FrameError, FrameImport, FrameImportError, Plane, PlaneOutside, PlaneProblem, TakenFrame,
};
use wirecontract_tensor::{
    CPU, DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, ExportError, Memory, Pending, Tensor, Versioned,
    View, ViewError, device, element,
};

const CUDA: DLDevice = device(DLDeviceType::Cuda, 3);
const ADDRESS: usize = 0x10_0000;

/// Memory of a device that nobody here touches, which counts how often it is let go of.
struct Far {
    device: DLDevice,
    bytes: usize,
    dropped: Arc<AtomicUsize>,
}

impl Drop for Far {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

// SAFETY: nobody reads it.
unsafe impl Memory for Far {
    const IS_WRITABLE: bool = false;
    fn data(&mut self) -> *mut u8 {
        core::ptr::without_provenance_mut(ADDRESS)
    }
    fn bytes(&self) -> usize {
        self.bytes
    }
    fn device(&self) -> DLDevice {
        self.device
    }
}

fn far(video: &VideoFrame, device: DLDevice) -> (Far, Arc<AtomicUsize>) {
    let dropped = Arc::new(AtomicUsize::new(0));
    let bytes = usize::try_from(video.size).expect("few");
    (Far { device, bytes, dropped: dropped.clone() }, dropped)
}

fn on_cuda(format: PixelFormat, width: u32, height: u32, pitch: u32) -> Frame {
    let mut video = VideoFrame::new(format, width, height, pitch);
    video.device_ordinal = 3;
    let (memory, _) = far(&video, CUDA);
    Frame::new(video, memory).expect("a frame")
}

/// Shape, strides in bytes, type, and bytes behind the memory's start.
fn seen(plane: &Plane) -> (Vec<i64>, Vec<i64>, &'static str, usize) {
    let offset = plane.data() as usize - ADDRESS;
    (plane.shape().to_vec(), plane.byte_strides().to_vec(), plane.typestr(), offset)
}

#[test]
fn planes_are_where_and_what_the_frame_says() {
    let known = |format, width, height, pitch| {
        on_cuda(format, width, height, pitch).planes().iter().map(seen).collect::<Vec<_>>()
    };
    assert_eq!(
        known(PixelFormat::Nv12, 1920, 1080, 2048),
        [
            (vec![1080, 1920], vec![2048, 1], "|u1", 0),
            (vec![540, 960, 2], vec![2048, 2, 1], "|u1", 2048 * 1080)
        ]
    );
    assert_eq!(
        known(PixelFormat::P010, 1920, 1080, 4096),
        [
            (vec![1080, 1920], vec![4096, 2], "<u2", 0),
            (vec![540, 960, 2], vec![4096, 4, 2], "<u2", 4096 * 1080)
        ]
    );
    assert_eq!(
        known(PixelFormat::I420, 33, 17, 64),
        [
            (vec![17, 33], vec![64, 1], "|u1", 0),
            (vec![9, 17], vec![32, 1], "|u1", 64 * 17),
            (vec![9, 17], vec![32, 1], "|u1", 64 * 17 + 32 * 9),
        ]
    );
    assert_eq!(known(PixelFormat::Rgba8, 33, 17, 256), [(vec![17, 33, 4], vec![256, 4, 1], "|u1", 0)]);
}

#[test]
fn a_plane_is_read_only_on_the_memory_s_device_in_the_context_that_was_said() {
    let plain = on_cuda(PixelFormat::Nv12, 4, 2, 4);
    for plane in plain.planes() {
        assert_eq!((plane.cuda_context(), plane.pending()), (0, Pending::Nothing));
    }
    // The exporter's number was 3, and here it is another one.
    let video = plain.video().clone();
    let (memory, _) = far(&video, device(DLDeviceType::Cuda, 5));
    let frame = Frame::new(video, memory).expect("a frame").in_cuda_context(0xc0).pending(Pending::On(7));
    assert_eq!(frame.planes().len(), 2);
    for plane in frame.planes() {
        assert!(plane.is_read_only());
        assert_eq!(plane.device(), device(DLDeviceType::Cuda, 5));
        assert_eq!((plane.cuda_context(), plane.pending()), (0xc0, Pending::On(7)));
        let view = plane.view().expect("whole samples");
        assert!(view.is_read_only());
        assert_eq!((view.data(), view.device()), (plane.data(), plane.device()));
    }
}

#[test]
fn rows_that_are_no_whole_number_of_samples_apart_are_no_tensor() {
    let frame = on_cuda(PixelFormat::P010, 3, 2, 9);
    let refused = frame.planes()[0].view().expect_err("four samples and a half");
    assert!(matches!(refused, ExportError::Samples(_)), "{refused}");
    assert_eq!(
        refused.to_string(),
        "expected a pitch that is a whole number of samples of 2 bytes, found 9 bytes: take the plane by its byte \
         strides, or have the exporter pad its rows otherwise"
    );
    assert_eq!(frame.planes()[0].byte_strides(), [9, 2]);
}

#[test]
fn memory_is_let_go_of_with_the_last_plane() {
    let mut video = VideoFrame::new(PixelFormat::I420, 4, 4, 4);
    video.device_ordinal = 3;
    let (memory, dropped) = far(&video, CUDA);
    let frame = Frame::new(video, memory).expect("a frame");
    let last = frame.planes()[2].clone();
    let other = frame.clone();
    drop(frame);
    drop(other);
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    std::thread::spawn(move || drop(last)).join().expect("a thread");
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn a_frame_that_its_memory_does_not_hold_is_refused() {
    let video = VideoFrame::new(PixelFormat::Nv12, 4, 2, 4);
    let small = Frame::new(video.clone(), Arc::new(vec![0u8; 11])).expect_err("11 of 12");
    assert_eq!(small, FrameError::Planes(PlanesError::Buffer { needed: 12, size: 11 }));
    let mut overlapping = video.clone();
    overlapping.plane0.pitch = 3;
    let refused = Frame::new(overlapping, Arc::new(vec![0u8; 12])).expect_err("a pitch below a row");
    assert!(matches!(&refused, FrameError::Planes(PlanesError::Frame(_))), "{refused}");

    let mut of_cuda = video.clone();
    of_cuda.device_ordinal = 0;
    let refused = Frame::new(of_cuda, Arc::new(vec![0u8; 12])).expect_err("host memory");
    assert_eq!(refused, FrameError::Device { ordinal: 0, device: CPU });
    assert!(refused.to_string().starts_with("expected memory of a CUDA device"), "{refused}");
    let (memory, dropped) = far(&video, CUDA);
    let refused = Frame::new(video.clone(), memory).expect_err("memory of a device");
    assert_eq!(refused, FrameError::Device { ordinal: -1, device: CUDA });
    assert!(refused.to_string().starts_with("expected memory of no CUDA device"), "{refused}");
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    // Of another maker's devices nothing is said in the frame.
    let (memory, _) = far(&video, device(DLDeviceType::Rocm, 1));
    assert_eq!(Frame::new(video, memory).expect("a frame").planes()[0].device().device_id, 1);
}

#[test]
fn host_memory_is_where_the_planes_are() {
    let pixels: Vec<u8> = (0..12).collect();
    let start = pixels.as_ptr();
    let frame = Frame::new(VideoFrame::new(PixelFormat::Nv12, 4, 2, 4), Arc::new(pixels)).expect("12 bytes");
    let [luma, chroma] = frame.planes() else { panic!("two") };
    assert_eq!((luma.device(), luma.data().cast_const()), (CPU, start.cast()));
    // SAFETY: within the frame's memory.
    assert_eq!(unsafe { *chroma.data().cast::<u8>() }, 8);
}

const U8: DLDataType = element::of(DLDataTypeCode::UInt, 8);

/// A tensor at an address, which counts how often it is ended.
fn tensor(
    at: usize,
    on: DLDevice,
    element: DLDataType,
    shape: &[i64],
    strides: &[i64],
    ended: &Arc<AtomicUsize>,
) -> Tensor {
    struct Ends(Arc<AtomicUsize>);
    impl Drop for Ends {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let view = View::new(core::ptr::without_provenance_mut(at), on, element, shape).expect("a view");
    let view = view.with_strides(strides).expect("strides");
    // SAFETY: nobody reads it.
    let made = unsafe { Versioned::new(Ends(ended.clone()), &view) }.expect("writable");
    // SAFETY: made here.
    unsafe { Tensor::from_versioned(made) }.expect("a tensor")
}

fn taken(asked: &FrameImport, tensors: Vec<Tensor>) -> Result<TakenFrame, FrameImportError> {
    // SAFETY: nobody writes.
    unsafe { TakenFrame::of_tensors(tensors, asked) }
}

/// A frame of 33 × 17 pixels, whose chroma is at so many bytes, at this pitch.
fn nv12(chroma_at: usize, pitch: i64, ended: &Arc<AtomicUsize>) -> TakenFrame {
    let planes = vec![
        tensor(ADDRESS, CUDA, U8, &[17, 33], &[pitch, 1], ended),
        tensor(chroma_at, CUDA, U8, &[9, 17, 2], &[pitch, 2, 1], ended),
    ];
    taken(&FrameImport::new(PixelFormat::Nv12, 33, 17), planes).expect("a frame")
}

#[test]
fn planes_that_lie_one_behind_the_other_are_a_frame_in_one_buffer() {
    let ended = Arc::new(AtomicUsize::new(0));
    let frame = nv12(ADDRESS + 64 * 17, 64, &ended);
    assert_eq!((frame.format(), frame.width(), frame.height()), (PixelFormat::Nv12, 33, 17));
    assert_eq!((frame.device(), frame.cuda_context()), (CUDA, 0));
    let mut expected = VideoFrame::new(PixelFormat::Nv12, 33, 17, 64);
    expected.device_ordinal = 3;
    // The last row needs no padding.
    expected.size = 64 * 17 + 64 * 8 + 34;
    let layout = frame.layout().expect("no gap");
    assert_eq!(layout, expected);
    assert_eq!(layout.matrix, MatrixCoefficients::Unspecified);
    layout.planes().expect("the rules of an importer");
    let last = frame.planes()[1].clone();
    assert_eq!(ended.load(Ordering::SeqCst), 0);
    drop(frame);
    assert_eq!(ended.load(Ordering::SeqCst), 1);
    std::thread::spawn(move || drop(last)).join().expect("a thread");
    assert_eq!(ended.load(Ordering::SeqCst), 2);
}

#[test]
fn planes_with_a_gap_are_a_frame_only_in_memory_that_the_caller_knows() {
    let ended = Arc::new(AtomicUsize::new(0));
    // Chroma begins at a multiple of 16 rows, as that of decoders does.
    let chroma = ADDRESS + 64 * 32;
    let frame = nv12(chroma, 64, &ended);
    assert_eq!(frame.layout(), None);
    assert_eq!(nv12(ADDRESS + 64 * 17 + 1, 64, &ended).layout(), None);
    let start = core::ptr::without_provenance(ADDRESS - 16);
    let layout = frame.layout_within(start, 8192).expect("in it");
    assert_eq!(layout.plane0, PlaneLayout { offset: 16, pitch: 64, _pad: 0 });
    assert_eq!(layout.plane1, PlaneLayout { offset: 16 + 64 * 32, pitch: 64, _pad: 0 });
    assert_eq!(layout.size, 16 + 64 * 32 + 64 * 8 + 34);
    layout.planes().expect("the rules of an importer");
    assert_eq!(frame.layout_within(start, layout.size).expect("just in it"), layout);
    let outside = frame.layout_within(start, layout.size - 1).expect_err("one byte less");
    let begin = 16 + 64 * 32;
    assert_eq!(outside, PlaneOutside { plane: 1, begin, end: begin + 64 * 8 + 34, size: layout.size - 1 });
    let before =
        frame.layout_within(core::ptr::without_provenance(ADDRESS + 1), 8192).expect_err("before it");
    assert_eq!((before.plane, before.begin, before.end), (0, -1, 64 * 16 + 33 - 1));
    assert_eq!(
        before.to_string(),
        "expected plane 0 within the 8192 bytes of the memory, found bytes -1 to 1056: take the planes by their own \
         addresses"
    );
}

#[test]
fn planes_in_any_order_and_between_each_other_are_laid_out() {
    let ended = Arc::new(AtomicUsize::new(0));
    let asked = FrameImport::new(PixelFormat::I420, 8, 4);
    // V lies first, and U between the rows of it.
    let planes = vec![
        tensor(ADDRESS + 16, CPU, U8, &[4, 8], &[8, 1], &ended),
        tensor(ADDRESS + 4, CPU, U8, &[2, 4], &[8, 1], &ended),
        tensor(ADDRESS, CPU, U8, &[2, 4], &[8, 1], &ended),
    ];
    let layout = taken(&asked, planes).expect("a frame").layout().expect("no gap");
    let found = [layout.plane0, layout.plane1, layout.plane2].map(|plane| (plane.offset, plane.pitch));
    assert_eq!(found, [(16, 8), (4, 8), (0, 8)]);
    assert_eq!((layout.size, layout.device_ordinal), (48, -1));
    // U and V lie in what pads the rows of Y, U in all of them and V behind the last one alone.
    let planes = vec![
        tensor(ADDRESS, CPU, U8, &[4, 8], &[64, 1], &ended),
        tensor(ADDRESS + 8, CPU, U8, &[2, 4], &[64, 1], &ended),
        tensor(ADDRESS + 208, CPU, U8, &[2, 4], &[4, 1], &ended),
    ];
    let layout = taken(&asked, planes).expect("a frame").layout().expect("no gap");
    assert_eq!((layout.plane2.offset, layout.size), (208, 216));
}

/// What is wrong with the second plane of a frame of 4 × 4 pixels whose first one is right.
fn problem(second: impl FnOnce(&Arc<AtomicUsize>) -> Tensor) -> (PlaneProblem, String) {
    let ended = Arc::new(AtomicUsize::new(0));
    let planes = vec![tensor(ADDRESS, CUDA, U8, &[4, 4], &[4, 1], &ended), second(&ended)];
    let refused = taken(&FrameImport::new(PixelFormat::Nv12, 4, 4), planes).expect_err("another plane");
    assert_eq!(ended.load(Ordering::SeqCst), 2, "both are ended");
    let text = refused.to_string();
    let FrameImportError::Plane { plane: 1, format: PixelFormat::Nv12, problem } = refused else {
        panic!("{text}")
    };
    (*problem, text)
}

#[test]
fn another_plane_is_refused_with_what_was_expected_and_what_came() {
    let at = |on, element, shape: &'static [i64], strides: &'static [i64]| {
        problem(move |ended| tensor(ADDRESS + 16, on, element, shape, strides, ended)).1
    };
    assert_eq!(at(CUDA, U8, &[2, 4], &[4, 1]), "plane 1 of Nv12: expected the shape [2, 2, 2], found [2, 4]");
    assert_eq!(
        at(CUDA, U8, &[2, 2, 4], &[8, 4, 1]),
        "plane 1 of Nv12: expected the shape [2, 2, 2], found [2, 2, 4]"
    );
    let signed = element::of(DLDataTypeCode::Int, 8);
    assert_eq!(
        at(CUDA, signed, &[2, 2, 2], &[4, 2, 1]),
        "plane 1 of Nv12: expected samples of type uint8 (|u1), found int8 (|i1)"
    );
    let two = DLDataType { lanes: 2, ..U8 };
    assert_eq!(
        at(CUDA, two, &[2, 2, 2], &[4, 2, 1]),
        "plane 1 of Nv12: expected samples of type uint8 (|u1), found uint8x2"
    );
    assert_eq!(
        at(CUDA, U8, &[2, 2, 2], &[8, 4, 1]),
        "plane 1 of Nv12: expected the samples of a row one behind the other, 2 bytes apart in dimension 1, found 4: \
         make a contiguous copy"
    );
    assert_eq!(
        at(CUDA, U8, &[2, 2, 2], &[4, 2, 2]),
        "plane 1 of Nv12: expected the samples of a row one behind the other, 1 bytes apart in dimension 2, found 2: \
         make a contiguous copy"
    );
    assert_eq!(
        at(CUDA, U8, &[2, 2, 2], &[3, 2, 1]),
        "plane 1 of Nv12: expected rows 4 to 4294967295 bytes apart, found 3"
    );
    assert_eq!(
        at(CUDA, U8, &[2, 2, 2], &[-4, 2, 1]),
        "plane 1 of Nv12: expected rows 4 to 4294967295 bytes apart, found -4"
    );
    assert_eq!(
        at(device(DLDeviceType::Cuda, 4), U8, &[2, 2, 2], &[4, 2, 1]),
        "plane 1 of Nv12: expected memory of Cuda 3 (dl_device=(2, 3)), found Cuda 4 (dl_device=(2, 4)): all planes of \
         a frame are on one device"
    );
    assert_eq!(
        at(device(DLDeviceType::Cuda, -1), U8, &[2, 2, 2], &[4, 2, 1]),
        "plane 1 of Nv12: expected a CUDA device's number of 0 or more, found -1"
    );
}

#[cfg(target_pointer_width = "64")]
#[test]
fn a_pitch_is_of_32_bits_and_a_plane_within_the_address_space() {
    let (found, text) = problem(|ended| tensor(ADDRESS, CUDA, U8, &[2, 2, 2], &[1 << 32, 2, 1], ended));
    assert!(matches!(found, PlaneProblem::Pitch { least: 4, found: 0x1_0000_0000 }), "{text}");
    let last = core::ptr::without_provenance_mut(usize::MAX - 8);
    let beyond = View::new(last, CUDA, U8, &[2, 2, 2]).expect("8 bytes").with_strides(&[8, 2, 1]);
    assert_eq!(beyond.expect_err("12 bytes"), ViewError::Overflow);
    let ended = Arc::new(AtomicUsize::new(0));
    let widest = vec![
        tensor(ADDRESS, CUDA, U8, &[4, 4], &[u32::MAX.into(), 1], &ended),
        tensor(ADDRESS, CUDA, U8, &[2, 2, 2], &[u32::MAX.into(), 2, 1], &ended),
    ];
    let widest = taken(&FrameImport::new(PixelFormat::Nv12, 4, 4), widest).expect("a frame");
    assert_eq!(widest.planes()[1].byte_strides(), [i64::from(u32::MAX), 2, 1]);
}

#[test]
fn one_row_and_one_place_may_have_any_stride() {
    let ended = Arc::new(AtomicUsize::new(0));
    let u16 = element::of(DLDataTypeCode::UInt, 16);
    let planes = vec![
        tensor(ADDRESS, CPU, u16, &[1, 1], &[-5, 77], &ended),
        tensor(ADDRESS + 2, CPU, u16, &[1, 1, 2], &[0, 9, 1], &ended),
    ];
    let frame = taken(&FrameImport::new(PixelFormat::P010, 1, 1), planes).expect("a frame");
    assert_eq!(frame.planes()[0].byte_strides(), [2, 2]);
    assert_eq!(frame.planes()[1].byte_strides(), [4, 4, 2]);
    let layout = frame.layout().expect("no gap");
    assert_eq!((layout.plane1.offset, layout.plane1.pitch, layout.size), (2, 4, 6));
}

#[test]
fn a_frame_has_as_many_planes_as_its_format_and_some_pixels() {
    let ended = Arc::new(AtomicUsize::new(0));
    let one = || vec![tensor(ADDRESS, CPU, U8, &[4, 4], &[4, 1], &ended)];
    for (format, expected) in [(PixelFormat::Nv12, 2), (PixelFormat::P016, 2), (PixelFormat::I420, 3)] {
        let refused = taken(&FrameImport::new(format, 4, 4), one()).expect_err("one of several");
        assert_eq!(
            refused.to_string(),
            format!("expected {expected} objects for the planes of {format:?}, found 1")
        );
    }
    let refused = taken(&FrameImport::new(PixelFormat::Bgra8, 4, 4), vec![]).expect_err("none");
    assert!(matches!(refused, FrameImportError::Count { expected: 1, found: 0, .. }), "{refused}");
    for (width, height) in [(0, 4), (4, 0), (u32::MAX, 4)] {
        let refused = taken(&FrameImport::new(PixelFormat::Rgba8, width, height), one()).expect_err("none");
        assert!(matches!(refused, FrameImportError::Frame(_)), "{refused}");
    }
    assert_eq!(ended.load(Ordering::SeqCst), 6, "all of them are ended");
}

#[test]
fn the_device_that_was_asked_for_is_the_one_that_counts() {
    let ended = Arc::new(AtomicUsize::new(0));
    let mut asked = FrameImport::new(PixelFormat::Rgba8, 2, 2);
    asked.device = Some(CPU);
    let one = |on| vec![tensor(ADDRESS, on, U8, &[2, 2, 4], &[8, 4, 1], &ended)];
    assert_eq!(taken(&asked, one(CPU)).expect("there").device(), CPU);
    let refused = taken(&asked, one(CUDA)).expect_err("elsewhere");
    assert_eq!(
        refused.to_string(),
        "plane 0 of Rgba8: expected memory of Cpu 0 (dl_device=(1, 0)), found Cuda 3 (dl_device=(2, 3)): all planes of \
         a frame are on one device"
    );
}

//! What needs no Python: tensors in memory of Rust's, as structs and back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use wirecontract_gpu::dlpack::shape::ShapeError;
use wirecontract_tensor::python::AttachError;
use wirecontract_tensor::{
    CPU, DLDataTypeCode, DLDeviceType, DLPackFlags, Memory, Python, Shaped, Tensor, TensorError, Unsayable,
    Versioned, View, ViewError, device, element, host_copy,
};

/// Bytes that count how often they are dropped.
struct Counted(Vec<u8>, Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

// SAFETY: the vector's bytes are there until it is dropped, and are its own.
unsafe impl Memory for Counted {
    const IS_WRITABLE: bool = true;
    fn data(&mut self) -> *mut u8 {
        self.0.as_mut_ptr()
    }
    fn bytes(&self) -> usize {
        self.0.len()
    }
}

fn imported(versioned: Versioned) -> Result<Tensor, TensorError> {
    // SAFETY: made here.
    unsafe { Tensor::from_versioned(versioned) }
}

/// The elements of a tensor of bytes, as one reads them by index.
fn elements(view: &View<'_>) -> Vec<u8> {
    let strides = view.strides().map_or_else(
        || {
            let mut strides = vec![0; view.shape().len()];
            wirecontract_gpu::dlpack::shape::row_major(view.shape(), &mut strides).expect("a shape");
            strides
        },
        <[i64]>::to_vec,
    );
    let mut found = Vec::new();
    let mut index = vec![0i64; view.shape().len()];
    for _ in 0..view.elements() {
        let at: i64 = index.iter().zip(&strides).map(|(index, stride)| index * stride).sum();
        let at = isize::try_from(at).expect("an offset");
        // SAFETY: of an element, which the view has found to be in memory that is there.
        found.push(unsafe { *view.data().cast::<u8>().offset(at) });
        for axis in (0..index.len()).rev() {
            index[axis] += 1;
            if index[axis] < view.shape()[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    found
}

#[test]
fn a_tensor_of_rust_s_memory_is_read_where_it_is_and_dropped_once() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let memory = Counted((0..24).collect(), dropped.clone());
    let address = memory.0.as_ptr();
    let shaped = Shaped::of(memory, element::of(DLDataTypeCode::UInt, 8), &[2, 3]).expect("6 of 24");
    let shaped = shaped.with_strides(4, &[10, 2]).expect("to byte 18");
    let tensor = imported(shaped.into_versioned()).expect("a tensor");
    assert_eq!(tensor.data().cast::<u8>().cast_const(), address.wrapping_add(4));
    assert_eq!((tensor.shape(), tensor.strides(), tensor.device()), (&[2, 3][..], &[10, 2][..], CPU));
    assert_eq!(elements(&tensor.view()), [4, 6, 8, 14, 16, 18]);
    assert!(!tensor.is_read_only() && !tensor.is_copied() && !tensor.is_legacy());
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    std::thread::spawn(move || drop(tensor)).join().expect("a thread");
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn an_owner_that_panics_when_it_is_dropped_ends_nobody_else() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("in a drop");
        }
    }
    let mut bytes = [0u8; 4];
    let element = element::of(DLDataTypeCode::UInt, 8);
    let view = View::new(bytes.as_mut_ptr().cast(), CPU, element, &[4]).expect("a view");
    // SAFETY: the bytes are there until the end of the function.
    let tensor = unsafe { Versioned::new(Panics, &view) }.expect("writable");
    drop(tensor);
}

#[test]
fn what_is_shared_is_read_only_and_has_no_legacy_form() {
    let shared: Arc<[f64]> = vec![1.0, 2.0].into();
    let legacy = Shaped::flat(shared.clone()).expect("two").into_legacy();
    assert_eq!(legacy.expect_err("read-only"), Unsayable);
    let tensor = imported(Shaped::flat(shared.clone()).expect("two").into_versioned()).expect("a tensor");
    assert!(tensor.is_read_only());
    assert_eq!(Arc::strong_count(&shared), 2);
    drop(tensor);
    assert_eq!(Arc::strong_count(&shared), 1);
    let writable = Shaped::flat(vec![1u16, 2]).expect("two").read_only();
    assert_eq!(writable.into_legacy().expect_err("read-only"), Unsayable);
    // SAFETY: made here.
    let legacy = unsafe {
        Tensor::from_legacy(Shaped::flat(vec![1u16, 2]).expect("two").into_legacy().expect("writable"))
    };
    assert!(legacy.expect("a tensor").is_legacy());
}

#[test]
fn memory_outlives_the_numbers_that_were_said_of_it() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let byte = element::of(DLDataTypeCode::UInt, 8);
    let shaped = |bytes: Vec<u8>| {
        let shape = [i64::try_from(bytes.len()).expect("few")];
        Shaped::of(Counted(bytes, Arc::clone(&dropped)), byte, &shape).expect("bytes")
    };
    let legacy = shaped(vec![1, 2, 3]).into_legacy().expect("writable");
    // SAFETY: made here.
    let tensors = [imported(shaped(vec![1, 2, 3]).into_versioned()), unsafe { Tensor::from_legacy(legacy) }];
    for (index, tensor) in tensors.into_iter().enumerate() {
        let tensor = tensor.expect("a tensor");
        let data = tensor.data();
        let owner = tensor.into_owner();
        assert_eq!(dropped.load(Ordering::SeqCst), index);
        let view = View::new(data, CPU, byte, &[3]).expect("a view");
        assert_eq!(elements(&view), [1, 2, 3]);
        drop(owner);
        assert_eq!(dropped.load(Ordering::SeqCst), index + 1);
    }
    let mut shaped = shaped(vec![4, 5]);
    let data = shaped.view().data();
    let mut memory = shaped.into_memory();
    assert_eq!(memory.data().cast(), data);
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
    drop(memory);
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
}

#[test]
fn elements_outside_the_memory_are_refused_with_the_bytes_that_they_claim() {
    let outside = |offset, shape: &[i64], strides: &[i64]| {
        Shaped::new(vec![0u32; 6], &[6])
            .and_then(|_| Shaped::of(vec![0u32; 6], element::of(DLDataTypeCode::UInt, 32), shape))
            .and_then(|shaped| shaped.with_strides(offset, strides))
            .expect_err("outside")
    };
    assert_eq!(outside(4, &[6], &[1]), ViewError::Outside { begin: 4, end: 28, size: 24 });
    assert_eq!(outside(0, &[3], &[-1]), ViewError::Outside { begin: -8, end: 4, size: 24 });
    assert_eq!(outside(21, &[1], &[1]), ViewError::Outside { begin: 21, end: 25, size: 24 });
    assert_eq!(outside(0, &[2, 2], &[5, 1]), ViewError::Outside { begin: 0, end: 28, size: 24 });
    assert_eq!(outside(0, &[2, 2], &[1]), ViewError::Shape(ShapeError::Strides { strides: 1, rank: 2 }));
    assert_eq!(
        Shaped::new(vec![0u32; 6], &[7]).expect_err("seven of six"),
        ViewError::Outside { begin: 0, end: 28, size: 24 }
    );
    assert_eq!(
        Shaped::new(vec![0u32; 6], &[2, -1]).expect_err("negative"),
        ViewError::Shape(ShapeError::Negative { axis: 1, extent: -1 })
    );
    assert_eq!(Shaped::new(vec![0u8; 6], &[1; 65]).expect_err("65"), ViewError::Rank { rank: 65 });
    assert!(Shaped::new(vec![0u8; 0], &[0, i64::MAX, i64::MAX]).is_ok(), "none of however many");
    assert!(Shaped::new(vec![0u8; 1], &[1; 64]).is_ok());
}

#[test]
fn a_view_within_memory_is_of_elements_that_are_all_there() {
    let mut memory = [0u32; 6];
    let start = memory.as_mut_ptr().cast();
    let number = element::of(DLDataTypeCode::UInt, 32);
    let four_bits = element::of(DLDataTypeCode::Float4E2m1fn, 4);
    let of = |start, bytes, offset, element, shape, strides| {
        View::within((start, bytes), offset, CPU, element, shape, strides).map(|view| view.data())
    };
    let within = |offset, shape, strides| of(start, 24, offset, number, shape, strides);
    let outside = |begin, end| Err(ViewError::Outside { begin, end, size: 24 });
    assert_eq!(within(4, &[5], None), Ok(start.wrapping_byte_add(4)));
    assert_eq!(within(20, &[6], Some(&[-1])), Ok(start.wrapping_byte_add(20)));
    assert_eq!(within(24, &[0], None), Ok(start.wrapping_byte_add(24)));
    assert_eq!(within(4, &[6], None), outside(4, 28));
    assert_eq!(within(16, &[6], Some(&[-1])), outside(-4, 20));
    // As far as an address space reaches, and beyond it.
    let [far, beyond] = [[isize::MIN as i64 / 8], [isize::MIN as i64]];
    assert_eq!(within(0, &[2], Some(&far)), outside(4 * i128::from(far[0]), 4));
    assert_eq!(within(0, &[2], Some(&beyond)), Err(ViewError::Overflow));
    assert_eq!(of(start, 24, 0, four_bits, &[48], None), Ok(start));
    assert_eq!(of(start, 24, 0, four_bits, &[49], None), outside(0, 25));
    // What is said of the memory itself.
    let nowhere = std::ptr::null_mut();
    assert_eq!(of(nowhere, 0, 0, number, &[0], None), Ok(nowhere));
    assert_eq!(of(nowhere, 24, 0, number, &[6], None), Err(ViewError::Null { elements: 6 }));
    let last = std::ptr::without_provenance_mut(usize::MAX - 7);
    assert_eq!(of(last, 24, 0, number, &[1], None), Err(ViewError::Overflow));
}

#[test]
fn packed_elements_are_counted_in_bits_and_padded_ones_in_bytes() {
    let four_bits = element::of(DLDataTypeCode::Float4E2m1fn, 4);
    assert!(Shaped::of(vec![0u8; 3], four_bits, &[6]).is_ok());
    assert!(Shaped::of(vec![0u8; 3], four_bits, &[5]).is_ok());
    let outside = Shaped::of(vec![0u8; 3], four_bits, &[7]).expect_err("four bytes");
    assert_eq!(outside, ViewError::Outside { begin: 0, end: 4, size: 3 });
    let strided = Shaped::of(vec![0u8; 9], four_bits, &[3]).and_then(|shaped| shaped.with_strides(0, &[2]));
    assert_eq!(strided.expect_err("packed"), ViewError::Packed { element: four_bits });
    let padded = Shaped::of(vec![0u8; 6], four_bits, &[6]).and_then(Shaped::padded).expect("a byte each");
    let padded = padded.with_strides(5, &[-1]).expect("backwards");
    assert!(Shaped::of(vec![0u8; 5], four_bits, &[6]).and_then(Shaped::padded).is_err());
    let made = padded.into_versioned();
    // SAFETY: made here, and there.
    let flags = unsafe { (*made.as_ptr()).flags };
    assert!(flags.contains(DLPackFlags::IsSubbyteTypePadded));
}

/// Of 32 bits, memory that wraps in bits could be had, and would be read.
#[cfg(target_pointer_width = "64")]
#[test]
fn bytes_that_wrap_in_bits_are_not_taken_for_few() {
    // 2⁵⁷ elements of 255 bits are 2⁶² bytes, and 2⁶⁵ bits.
    let element = element::of(DLDataTypeCode::OpaqueHandle, 255);
    let shape = [1 << 57];
    let data = core::ptr::without_provenance_mut(0x1000);
    let view = View::new(data, CPU, element, &shape).expect("an address space holds it");
    // SAFETY: there is no memory for the copy, so that nothing is read.
    let refused = unsafe { host_copy(&view) }.expect_err("no such memory");
    assert!(matches!(refused, ViewError::Memory { .. }), "{refused}");
}

#[cfg(all(feature = "half", feature = "num-complex"))]
#[test]
fn elements_of_other_crates_are_what_they_are_called() {
    let name = |versioned| element::name(imported(versioned).expect("a tensor").element());
    let of = |shaped: Shaped<Vec<half::bf16>>| name(shaped.into_versioned());
    assert_eq!(of(Shaped::flat(vec![half::bf16::ONE]).expect("one")), "bfloat16");
    assert_eq!(name(Shaped::flat(vec![half::f16::ONE]).expect("one").into_versioned()), "float16");
    let complex = vec![num_complex::Complex::new(1f32, 0.0)];
    assert_eq!(name(Shaped::flat(complex).expect("one").into_versioned()), "complex64");
}

#[test]
fn copies_are_what_one_reads_by_index() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |below: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(state >> 33).expect("31 bits").rem_euclid(below)
    };
    let (mut row_major, mut others) = (0, 0);
    for _ in 0..3000 {
        let rank = usize::try_from(random(5)).expect("few");
        let shape: Vec<i64> = (0..rank).map(|_| random(5)).collect();
        let mut strides: Vec<i64> = (0..rank).map(|_| random(13) - 6).collect();
        if random(3) == 0 {
            wirecontract_gpu::dlpack::shape::row_major(&shape, &mut strides).expect("a shape");
        }
        let memory: Vec<u8> = (0..=255).cycle().take(512).collect();
        let element = element::of(DLDataTypeCode::UInt, 8);
        let shaped =
            Shaped::of(memory, element, &shape).and_then(|shaped| shaped.with_strides(128, &strides));
        let mut shaped = shaped.expect("within 128 bytes either way");
        let view = shaped.view();
        // SAFETY: host memory, which nobody writes to.
        let mut copy = unsafe { host_copy(&view) }.expect("memory");
        assert_eq!(elements(&copy.view()), elements(&view), "{shape:?} {strides:?}");
        assert!(copy.view().is_row_major());
        if view.is_row_major() { row_major += 1 } else { others += 1 }
    }
    assert!(row_major > 500 && others > 500, "{row_major} row-major, {others} others");
}

#[test]
fn wider_elements_are_copied_whole() {
    let numbers: Vec<u64> = (0..24).map(|number| number * 0x0101_0101_0101_0101).collect();
    let mut shaped = Shaped::new(numbers.clone(), &[4, 3]).and_then(|shaped| shaped.with_strides(8, &[1, 7]));
    let view = shaped.as_mut().expect("within").view();
    // SAFETY: host memory, which nobody writes to.
    let mut copy = unsafe { host_copy(&view) }.expect("memory");
    let copied = copy.view().data().cast::<u64>();
    // SAFETY: twelve elements without gaps.
    let copied = unsafe { core::slice::from_raw_parts(copied, 12) };
    let expected: Vec<u64> = (0..4).flat_map(|row| (0..3).map(move |column| 1 + row + 7 * column)).collect();
    assert_eq!(copied, expected.iter().map(|at| at * 0x0101_0101_0101_0101).collect::<Vec<u64>>());
}

#[test]
fn names_and_words_of_types_go_both_ways() {
    let names = [
        "bool",
        "int8",
        "int64",
        "uint16",
        "float16",
        "float64",
        "bfloat16",
        "complex32",
        "complex128",
        "float8_e4m3fn",
        "float8_e8m0fnu",
        "float6_e3m2fn",
        "float4_e2m1fn",
    ];
    for name in names {
        let found = element::of_name(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(element::name(found), name);
    }
    for none in ["", "int", "int7", "int128", "float8", "float8_e9m9", "bool8", "complex", "f4", "int64x"] {
        assert_eq!(element::of_name(none), None, "{none}");
    }
    let here = if cfg!(target_endian = "little") { "<" } else { ">" };
    for (name, word) in [("float32", "f4"), ("complex64", "c8"), ("uint64", "u8"), ("int16", "i2")] {
        let found = element::of_name(name).expect("a type");
        assert_eq!(element::typestr(found), Some(&*format!("{here}{word}")));
        assert_eq!(element::of_typestr(&format!("{here}{word}")), Some(found));
        let there = if here == "<" { ">" } else { "<" };
        assert_eq!(element::of_typestr(&format!("{there}{word}")), None);
    }
    assert_eq!(element::of_typestr("|u1"), element::of_name("uint8"));
    assert_eq!(element::of_typestr("|b1"), element::of_name("bool"));
    assert_eq!(element::typestr(element::of_name("bfloat16").expect("a type")), None);
}

#[test]
fn another_device_is_said_and_its_memory_is_not_touched() {
    let cuda = device(DLDeviceType::Cuda, 5);
    let element = element::of(DLDataTypeCode::Float, 16);
    let view = View::new(core::ptr::without_provenance_mut(0x1000), cuda, element, &[3]).expect("a view");
    // SAFETY: nobody touches it.
    let tensor = imported(unsafe { Versioned::new((), &view) }.expect("writable")).expect("a tensor");
    assert_eq!((tensor.device(), tensor.data() as usize), (cuda, 0x1000));
    let null = View::new(core::ptr::null_mut(), cuda, element, &[3]).expect_err("no memory");
    assert_eq!(null, ViewError::Null { elements: 3 });
}

#[test]
fn without_python_one_is_told_so() {
    let error = Python::attach(|_| ()).expect_err("there is no Python in this program");
    let AttachError::NotPython(missing) = error else { panic!("{error}") };
    assert!(missing.symbol.starts_with("Py"), "{missing}");
    assert!(error.to_string().contains("expected CPython 3.11 or newer"), "{error}");
}

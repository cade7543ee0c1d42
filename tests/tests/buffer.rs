//! The shared buffer, byte for byte, and what an importer refuses: each rule once, by its name and place.

use wirecontract::{Code, Expected, Flags, Open, WireContract, WireError};
use wirecontract_gpu::buffer::{
    BufferFlag, BufferKind, DLDataTypeCode, ElementType, ProcessIdentity, SharedBuffer,
};
use wirecontract_gpu::dlpack::DLDataType;

const KINDS: [BufferKind; 7] = [
    BufferKind::HostMemfd,
    BufferKind::CudaLegacy,
    BufferKind::CudaPool,
    BufferKind::CudaVmm,
    BufferKind::CudaFabric,
    BufferKind::DmaBuf,
    BufferKind::VulkanOpaqueFd,
];

/// A buffer of that kind with all that an importer needs, and a tensor of 2 × 3 × 4 floats in it.
fn importable(kind: BufferKind) -> SharedBuffer {
    let mut buffer = SharedBuffer::new(kind, 4096);
    (buffer.size, buffer.offset) = (1024, 256);
    if kind != BufferKind::HostMemfd {
        buffer.set_device_uuid(&[0xD0; 16]).expect("16 bytes");
    }
    if kind == BufferKind::VulkanOpaqueFd {
        buffer.set_driver_uuid(&[0xD1; 16]).expect("16 bytes");
        (buffer.memory_type_index, buffer.buffer_usage) = (7, 0x23);
    }
    if matches!(kind, BufferKind::CudaLegacy | BufferKind::CudaFabric) {
        buffer.set_handle(&[0xAB; 64]).expect("64 bytes");
    }
    if kind == BufferKind::CudaPool {
        buffer.set_pointer(&[0xCD; 64]).expect("64 bytes");
    }
    let element = ElementType::new(DLDataTypeCode::Float, 32);
    buffer.set_tensor(element, &[2, 3, 4], None).expect("96 bytes fit in 1024");
    buffer
}

#[test]
fn every_byte_is_where_it_is_declared() {
    let mut buffer = importable(BufferKind::VulkanOpaqueFd);
    buffer.flags = BufferFlag::ReadOnly | BufferFlag::DedicatedAllocation;
    (buffer.size, buffer.allocation_size, buffer.offset) =
        (0x1112_1314_1516_1718, 0x2122_2324_2526_2728, 0x3132_3334_3536_3738);
    (buffer.byte_offset, buffer.buffer_id) = (0x4142_4344_4546_4748, 0x5152_5354_5556_5758);
    buffer.exporter = ProcessIdentity {
        pid: 0x6162_6364_6566_6768,
        start_time: 0x7172_7374_7576_7778,
        pid_namespace: 0x8182_8384_8586_8788,
    };
    (buffer.memory_type_index, buffer.buffer_usage) = (0x9192_9394, 0xA1A2_A3A4);
    buffer.set_handle(&[0xB1, 0xB2, 0xB3]).expect("it has room");
    buffer.set_pointer(&[0xC1; 64]).expect("it has room");
    buffer.element = ElementType { code: Open::from_raw(0xE1), bits: 0xE2, lanes: 0xE3E4 };
    buffer.set_shape(&[1, -2, i64::MAX]).expect("it has room");
    buffer.set_strides(&[i64::MIN, -1, 3, 4, 5, 6, 7, 8]).expect("it has room");
    // What is nobody's is not written.
    (buffer._pad, buffer._reserved) = (0xFFFF_FFFF, [u64::MAX; 5]);

    let mut expected = [0u8; 448];
    let mut put = |at: usize, bytes: &[u8]| expected[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"WCSB");
    put(4, &[1, 0, 0, 0]);
    put(8, &[7, 0, 0, 0]);
    put(12, &[3, 0, 0, 0]);
    put(16, &[0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11]);
    put(24, &[0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21]);
    put(32, &[0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31]);
    put(40, &[0x48, 0x47, 0x46, 0x45, 0x44, 0x43, 0x42, 0x41]);
    put(48, &[0x58, 0x57, 0x56, 0x55, 0x54, 0x53, 0x52, 0x51]);
    put(56, &[0x68, 0x67, 0x66, 0x65, 0x64, 0x63, 0x62, 0x61]);
    put(64, &[0x78, 0x77, 0x76, 0x75, 0x74, 0x73, 0x72, 0x71]);
    put(72, &[0x88, 0x87, 0x86, 0x85, 0x84, 0x83, 0x82, 0x81]);
    put(80, &[16, 0, 0, 0, 16, 0, 0, 0]);
    put(88, &[0xD0; 16]);
    put(104, &[0xD1; 16]);
    put(120, &[0x94, 0x93, 0x92, 0x91, 0xA4, 0xA3, 0xA2, 0xA1]);
    put(128, &[3, 0, 0, 0, 64, 0, 0, 0]);
    put(136, &[0xB1, 0xB2, 0xB3]);
    put(200, &[0xC1; 64]);
    put(264, &[0xE1, 0xE2, 0xE4, 0xE3]);
    put(268, &[3, 0, 0, 0, 8, 0, 0, 0]);
    put(280, &[1, 0, 0, 0, 0, 0, 0, 0]);
    put(288, &[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
    put(296, &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]);
    put(344, &[0, 0, 0, 0, 0, 0, 0, 0x80]);
    put(352, &[0xFF; 8]);
    for stride in 3..=8u8 {
        put(344 + 8 * (usize::from(stride) - 1), &[stride, 0, 0, 0, 0, 0, 0, 0]);
    }
    assert_eq!(buffer.to_bytes().expect("it can be written"), expected);

    (buffer._pad, buffer._reserved) = (0, [0; 5]);
    assert_eq!(SharedBuffer::from_bytes(&expected), Ok(buffer));
    // Readers of this version pass over what a later one may put there.
    for at in (276..280).chain(408..448) {
        expected[at] = 0xFF;
    }
    assert!(SharedBuffer::from_bytes(&expected).is_ok());
}

#[test]
fn a_reader_refuses_by_code_field_and_offset() {
    let bytes = importable(BufferKind::CudaPool).to_bytes().expect("it can be written");
    let refused = |at: usize, byte: u8| {
        let mut changed = bytes;
        changed[at] = byte;
        let error = SharedBuffer::from_bytes(&changed).expect_err("it is refused");
        (error.code, error.contract, error.field, error.offset)
    };
    assert_eq!(refused(0, b'X'), (Code::BadMagic, "SharedBuffer", "magic", 0));
    assert_eq!(refused(4, 2), (Code::UnsupportedVersion, "SharedBuffer", "version", 4));
    assert_eq!(refused(8, 0), (Code::UnknownValue, "SharedBuffer", "kind", 8));
    assert_eq!(refused(8, 8), (Code::UnknownValue, "SharedBuffer", "kind", 8));
    assert_eq!(refused(12, 4), (Code::UnknownBits, "SharedBuffer", "flags", 12));
    assert_eq!(refused(80, 17), (Code::LengthExceeds, "SharedBuffer", "device_uuid_len", 80));
    assert_eq!(refused(84, 17), (Code::LengthExceeds, "SharedBuffer", "driver_uuid_len", 84));
    assert_eq!(refused(128, 65), (Code::LengthExceeds, "SharedBuffer", "handle_len", 128));
    assert_eq!(refused(132, 65), (Code::LengthExceeds, "SharedBuffer", "pointer_len", 132));
    assert_eq!(refused(268, 9), (Code::LengthExceeds, "SharedBuffer", "rank", 268));
    assert_eq!(refused(272, 9), (Code::LengthExceeds, "SharedBuffer", "strides_len", 272));
    let length = |bytes: &[u8]| {
        let error = SharedBuffer::from_bytes(bytes).expect_err("it is refused");
        (error.code, error.offset)
    };
    assert_eq!(length(&bytes[..447]), (Code::TooShort, 447));
    assert_eq!(length(&[&bytes[..], &[0]].concat()), (Code::TrailingBytes, 448));
}

#[test]
fn a_later_version_is_read_as_far_as_it_is_known_where_that_is_asked_for() {
    let buffer = importable(BufferKind::CudaLegacy);
    let mut later = buffer.to_bytes().expect("it can be written").to_vec();
    later[4] = 2;
    later.extend_from_slice(&[0xFF; 16]);
    assert_eq!(SharedBuffer::from_bytes(&later).map_err(|error| error.code), Err(Code::UnsupportedVersion));
    assert_eq!(SharedBuffer::from_bytes_or_newer(&later), Ok(buffer));
}

#[test]
fn every_kind_says_what_rides_beside_and_what_stays() {
    let said = KINDS.map(|kind| {
        (
            kind.fds(),
            kind.device_memory(),
            kind.outlives_exporter(),
            kind.handle_bytes(),
            kind.pointer_bytes(),
        )
    });
    let expected = [
        (1, false, true, 0, 0),
        (0, true, false, 64, 0),
        (1, true, false, 0, 64),
        (1, true, false, 0, 0),
        (0, true, false, 64, 0),
        (1, true, true, 0, 0),
        (1, true, true, 0, 0),
    ];
    assert_eq!(said, expected);
}

/// The rule, or the field of the condition, that refuses an import, and where.
fn refused_by(error: WireError) -> (&'static str, &'static str, usize) {
    match error.expected {
        Expected::Rule(rule) => {
            assert_eq!((error.code, error.field), (Code::RuleViolated, ""));
            (error.contract, rule.name, error.offset)
        }
        Expected::Condition(condition) => {
            assert_eq!((error.code, error.field), (Code::ConditionViolated, condition.field));
            (error.contract, condition.field, error.offset)
        }
        other => panic!("{other:?}"),
    }
}

/// What refuses a buffer of that kind that could be imported before it was changed. Readers and writers take it.
fn changed(
    kind: BufferKind,
    change: impl Fn(&mut SharedBuffer),
) -> Option<(&'static str, &'static str, usize)> {
    let mut buffer = importable(kind);
    assert_eq!(buffer.validate_import(), Ok(()), "{kind:?}");
    change(&mut buffer);
    let bytes = buffer.to_bytes().expect("writers do not ask what importers do");
    let read = SharedBuffer::from_bytes(&bytes).expect("nor do readers");
    assert_eq!(read.validate_import(), buffer.validate_import());
    buffer.validate_import().err().map(refused_by)
}

fn rule(name: &'static str) -> Option<(&'static str, &'static str, usize)> {
    unless(false, name)
}

fn unless(is_right: bool, name: &'static str) -> Option<(&'static str, &'static str, usize)> {
    (!is_right).then_some(("SharedBuffer", name, 0))
}

#[test]
fn a_buffer_of_every_kind_can_be_imported() {
    for kind in KINDS {
        assert_eq!(changed(kind, |_| ()), None, "{kind:?}");
    }
}

#[test]
fn a_buffer_is_within_its_allocation_whatever_the_sizes_claim() {
    let sizes = |offset, size| {
        changed(BufferKind::HostMemfd, move |buffer| (buffer.offset, buffer.size) = (offset, size))
    };
    assert_eq!(sizes(4000, 96), None);
    assert_eq!(sizes(4001, 96), rule("within_allocation"));
    // The sum of the two is beyond 64 bits, and what is left of it would fit.
    assert_eq!(sizes(u64::MAX, 97), rule("within_allocation"));
    assert_eq!(sizes(97, u64::MAX), rule("within_allocation"));
}

#[test]
fn a_buffer_has_bytes() {
    let empty = changed(BufferKind::HostMemfd, |buffer| *buffer = SharedBuffer::new(buffer.kind, 0));
    assert_eq!(empty, rule("not_empty"));
    assert_eq!(changed(BufferKind::HostMemfd, |buffer| *buffer = SharedBuffer::new(buffer.kind, 1)), None);
}

#[test]
fn handles_and_pointers_are_there_where_the_kind_has_them_and_nowhere_else() {
    for kind in KINDS {
        for length in [0, 1, 63, 64] {
            let handle = changed(kind, move |buffer| buffer.handle_len = length);
            let is_right = i64::from(length) == kind.handle_bytes();
            assert_eq!(handle, unless(is_right, "handle"), "{kind:?}, {length} bytes");
            let pointer = changed(kind, move |buffer| buffer.pointer_len = length);
            let is_right = i64::from(length) == kind.pointer_bytes();
            assert_eq!(pointer, unless(is_right, "pointer"), "{kind:?}, {length} bytes");
        }
    }
}

#[test]
fn devices_and_drivers_are_said_where_the_kind_has_them_and_nowhere_else() {
    for kind in KINDS {
        for length in [0, 15, 16] {
            let device = changed(kind, move |buffer| buffer.device_uuid_len = length);
            let is_right = match kind {
                BufferKind::HostMemfd => length == 0,
                // It may be memory of no device that has a UUID.
                BufferKind::DmaBuf => length == 0 || length == 16,
                _ => length == 16,
            };
            assert_eq!(device, unless(is_right, "device_uuid"), "{kind:?}, {length} bytes");
            let driver = changed(kind, move |buffer| buffer.driver_uuid_len = length);
            let is_right = length == if kind == BufferKind::VulkanOpaqueFd { 16 } else { 0 };
            assert_eq!(driver, unless(is_right, "driver_uuid"), "{kind:?}, {length} bytes");
        }
    }
}

#[test]
fn what_vulkan_needs_is_said_of_its_memory_alone() {
    for kind in KINDS {
        let is_vulkan = kind == BufferKind::VulkanOpaqueFd;
        let index = changed(kind, |buffer| buffer.memory_type_index = 1);
        assert_eq!(index, unless(is_vulkan, "memory_type_index"), "{kind:?}");
        let usage = changed(kind, |buffer| buffer.buffer_usage = 1);
        assert_eq!(usage, unless(is_vulkan, "buffer_usage"), "{kind:?}");
        let dedicated = changed(kind, |buffer| buffer.flags = BufferFlag::DedicatedAllocation.into());
        let may_be = is_vulkan || kind == BufferKind::DmaBuf;
        assert_eq!(dedicated, unless(may_be, "dedicated"), "{kind:?}");
        assert_eq!(changed(kind, |buffer| buffer.flags = BufferFlag::ReadOnly.into()), None, "{kind:?}");
    }
    // An index of 0 is one as well.
    assert_eq!(changed(BufferKind::VulkanOpaqueFd, |buffer| buffer.memory_type_index = 0), None);
}

#[test]
fn a_type_is_complete_and_its_elements_are_whole_bytes() {
    let element = |code, bits, lanes| {
        changed(BufferKind::HostMemfd, move |buffer| {
            buffer.element = ElementType { code: Open::from_raw(code), bits, lanes };
        })
    };
    let of_element = |name| Some(("ElementType", name, 264));
    assert_eq!(element(2, 0, 1), of_element("complete"));
    assert_eq!(element(2, 32, 0), of_element("complete"));
    assert_eq!(element(2, 0, 0), of_element("complete"));
    assert_eq!(element(0, 0, 1), of_element("complete"));
    assert_eq!(element(17, 4, 1), of_element("whole_bytes"));
    assert_eq!(element(17, 4, 2), None);
    assert_eq!(element(200, 8, 1), None, "a code of a later version");
    // Without a type there is no tensor, whose shape is still said here.
    assert_eq!(element(0, 0, 0), rule("untyped"));
}

#[test]
fn bytes_of_no_type_have_no_shape_and_begin_at_the_start() {
    let untyped = |rank, byte_offset| {
        changed(BufferKind::HostMemfd, move |buffer| {
            buffer.element = ElementType::UNTYPED;
            (buffer.rank, buffer.byte_offset) = (rank, byte_offset);
        })
    };
    assert_eq!(untyped(0, 0), None);
    assert_eq!(untyped(1, 0), rule("untyped"));
    assert_eq!(untyped(0, 1), rule("untyped"));
}

#[test]
fn every_dimension_has_a_stride_or_none_has() {
    let strides = |count| changed(BufferKind::HostMemfd, move |buffer| buffer.strides_len = count);
    assert_eq!(strides(0), None);
    assert_eq!(strides(3), None);
    for count in [1, 2, 4, 8] {
        assert_eq!(strides(count), rule("strides"), "{count}");
    }
}

#[test]
fn no_dimension_has_fewer_than_no_elements() {
    let shape = |shape: &'static [i64], strides: &'static [i64]| {
        changed(BufferKind::HostMemfd, move |buffer| {
            buffer.set_shape(shape).expect("it has room");
            buffer.set_strides(strides).expect("it has room");
        })
    };
    assert_eq!(shape(&[2, -1], &[]), rule("extents"));
    // Two of them have a product that is none.
    assert_eq!(shape(&[-2, -3], &[]), rule("extents"));
    assert_eq!(shape(&[0, i64::MIN], &[1, 1]), rule("extents"));
    assert_eq!(shape(&[0, 5], &[]), None);
    assert_eq!(shape(&[], &[]), None);
}

#[test]
fn a_tensor_without_gaps_is_within_its_buffer_and_rules_say_what_the_geometry_does() {
    let verdict = |size: u64, byte_offset, shape: &[i64]| {
        let mut buffer = SharedBuffer::new(BufferKind::HostMemfd, size);
        buffer.byte_offset = byte_offset;
        buffer.element = ElementType { code: Open::from_raw(2), bits: 16, lanes: 3 };
        buffer.set_shape(shape).expect("it has room");
        let verdict = buffer.validate_import().map_err(refused_by);
        assert_eq!(verdict.is_ok(), buffer.geometry().is_ok(), "{shape:?} in {size} at {byte_offset}");
        verdict.err()
    };
    let outside = rule("tensor_within_buffer");
    assert_eq!(verdict(144, 0, &[2, 3, 4]), None);
    assert_eq!(verdict(143, 0, &[2, 3, 4]), outside);
    assert_eq!(verdict(150, 6, &[2, 3, 4]), None);
    assert_eq!(verdict(149, 6, &[2, 3, 4]), outside);
    assert_eq!(verdict(6, 0, &[]), None);
    assert_eq!(verdict(5, 0, &[]), outside);
    assert_eq!(verdict(5, 5, &[0]), None);
    assert_eq!(verdict(5, 6, &[0]), outside);
    // Products and sums of which 64 bits show too little.
    assert_eq!(verdict(64, 0, &[1 << 32, 1 << 32]), outside);
    assert_eq!(verdict(64, 0, &[1 << 62, 2]), outside);
    assert_eq!(verdict(64, u64::MAX, &[1]), outside);
    assert_eq!(verdict(64, 0, &[i64::MAX; 8]), outside);
    assert_eq!(verdict(1, 0, &[0, i64::MAX, i64::MAX]), None);
}

#[test]
fn rules_say_nothing_of_what_a_tensor_with_strides_spans() {
    let strided = changed(BufferKind::HostMemfd, |buffer| {
        buffer.set_shape(&[1 << 40, 1 << 20]).expect("it has room");
        buffer.set_strides(&[0, 0]).expect("it has room");
    });
    assert_eq!(strided, None);
    let outside = changed(BufferKind::HostMemfd, |buffer| {
        buffer.set_strides(&[i64::MAX, 1, 1]).expect("it has room");
        assert!(buffer.geometry().is_err());
    });
    assert_eq!(outside, None);
}

#[test]
fn the_most_telling_fault_is_told_first() {
    let all = changed(BufferKind::CudaPool, |buffer| {
        (buffer.offset, buffer.size) = (u64::MAX, 0);
        (buffer.handle_len, buffer.pointer_len, buffer.device_uuid_len) = (1, 0, 0);
        buffer.strides_len = 1;
    });
    assert_eq!(all, rule("within_allocation"));
}

#[test]
fn a_refusal_says_what_was_asked_and_what_came() {
    let mut buffer = importable(BufferKind::CudaPool);
    buffer.pointer_len = 0;
    assert_eq!(
        buffer.validate_import().expect_err("it is refused").to_string(),
        "SharedBuffer at byte 0: rule_violated: expected pointer: len(pointer) == pointer_bytes(kind), found \
         len(pointer) = 0, pointer_bytes(kind) = 64"
    );
}

#[test]
fn a_whole_allocation_is_bytes_of_no_type() {
    let buffer = SharedBuffer::new(BufferKind::HostMemfd, 65536);
    assert_eq!((buffer.size, buffer.allocation_size, buffer.offset), (65536, 65536, 0));
    assert!(buffer.element.is_untyped() && buffer.flags == Flags::empty());
    assert_eq!(buffer.validate_import(), Ok(()));
    assert_eq!(SharedBuffer::from_bytes(&buffer.to_bytes().expect("it can be written")), Ok(buffer));
}

#[test]
fn types_of_elements_are_those_of_dlpack_byte_for_byte() {
    let element = ElementType { code: Open::from_raw(4), bits: 16, lanes: 0x0102 };
    let theirs = DLDataType::from(element);
    assert_eq!((theirs.code.raw(), theirs.bits, theirs.lanes), (4, 16, 0x0102));
    assert_eq!(ElementType::from(theirs), element);
    assert_eq!(element.to_bytes(), Ok([4, 16, 0x02, 0x01]));
    assert_eq!(element.bytes(), Some(16 / 8 * 0x0102));
    assert_eq!(ElementType { code: Open::from_raw(17), bits: 4, lanes: 3 }.bytes(), None);
    assert_eq!(ElementType::UNTYPED.bytes(), None);
}

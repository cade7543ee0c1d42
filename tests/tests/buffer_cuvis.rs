//! Buffers of the cuvis SDK as ours and back: what each says, and what each cannot.

use serde_json::Value;
use wirecontract::{Code, Flags, WireContract};
use wirecontract_gpu::buffer::{
    BufferFlag, BufferKind, DLDataTypeCode, ElementType, FromCuvis, GeometryError, Lost, NotConvertible,
    ProcessIdentity, SharedBuffer, ToCuvis,
};
use wirecontract_gpu::cuvis::{CudaIpcPayload, IpcBackend, IpcHandleType, SampleFormat};

const VECTORS: &str = include_str!("../data/cuvis_ipc_payload.json");

fn unhex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(digit).collect()
}

/// A payload that the SDK packed.
fn payload(name: &str) -> CudaIpcPayload {
    let file: Value = serde_json::from_str(VECTORS).expect("the vectors are JSON");
    let cases = file["cases"].as_array().expect("a list");
    let case = cases.iter().find(|case| case["name"] == name).expect("a case of that name");
    CudaIpcPayload::from_bytes(&unhex(case["payload_hex"].as_str().expect("text"))).expect("it can be read")
}

/// What a payload does not say.
fn unsaid() -> FromCuvis {
    FromCuvis {
        device_uuid: [0xD0; 16],
        start_time: 123_456,
        pid_namespace: 4_026_531_836,
        buffer_id: 9,
        flags: BufferFlag::ReadOnly.into(),
    }
}

#[test]
fn the_sdks_payloads_are_buffers_and_come_back_as_they_were() {
    let cases = [
        ("legacy_cube_u16", BufferKind::CudaLegacy, None, vec![Lost::DeviceOrdinal]),
        ("pool_posix_fd", BufferKind::CudaPool, Some(0x11), vec![Lost::DeviceOrdinal, Lost::HandleNumber]),
        ("vmm_posix_fd", BufferKind::CudaVmm, Some(5), vec![Lost::DeviceOrdinal, Lost::HandleNumber]),
    ];
    for (name, kind, fd, lost) in cases {
        let theirs = payload(name);
        let descriptor = &theirs.descriptor;
        let (ours, losses) = SharedBuffer::from_cuvis(&theirs, unsaid()).expect("it has a counterpart");
        assert_eq!(losses.iter().collect::<Vec<_>>(), lost, "{name}");
        assert_eq!(ours.kind, kind);
        assert_eq!(
            (ours.size, ours.allocation_size, ours.offset, ours.byte_offset),
            (descriptor.size, descriptor.alloc_size, descriptor.offset, 0)
        );
        let identity = ProcessIdentity {
            pid: descriptor.exporter_pid,
            start_time: 123_456,
            pid_namespace: 4_026_531_836,
        };
        assert_eq!((ours.exporter, ours.buffer_id), (identity, 9));
        assert_eq!((ours.device_uuid(), ours.flags), (&[0xD0; 16][..], BufferFlag::ReadOnly.into()));
        let handle = if fd.is_none() { descriptor.blob() } else { &[] };
        assert_eq!((ours.handle(), ours.pointer()), (handle, descriptor.ptr_blob()));
        let cube = [theirs.height, theirs.width, theirs.channels].map(i64::from);
        assert_eq!((ours.shape(), ours.strides()), (&cube[..], &[][..]));
        assert_eq!(ours.validate_import(), Ok(()));

        let said = ToCuvis { device_ordinal: descriptor.device_ordinal, fd };
        let (back, losses) = ours.to_cuvis(said).expect("it has a counterpart");
        let lost = [Lost::DeviceUuid, Lost::StartTime, Lost::PidNamespace, Lost::BufferId, Lost::ReadOnly];
        assert_eq!(losses.iter().collect::<Vec<_>>(), lost, "{name}");
        assert_eq!(back, theirs, "{name}");
        assert_eq!(back.to_bytes(), theirs.to_bytes());
    }
}

#[test]
fn payloads_that_nobody_here_can_import_are_refused_by_name() {
    let refused = |name: &str| SharedBuffer::from_cuvis(&payload(name), unsaid()).expect_err("it is refused");
    for name in ["pr_test_values", "max_values"] {
        let Err(error) = payload(name).validate_import() else { panic!("{name} may be imported") };
        assert_eq!(refused(name), NotConvertible::Import(error));
    }
    let windows = refused("vmm_win32_kmt");
    assert_eq!(windows, NotConvertible::Handle(IpcHandleType::Win32Kmt));
    assert_eq!(
        (windows.code(), windows.to_string()),
        (
            Code::Refused,
            "expected a handle that Linux imports, found Win32Kmt: have the exporter use a POSIX file descriptor, or \
             the legacy backend"
                .to_owned()
        )
    );
    // The SDK asks this of memory of its vmm backend alone.
    let mut beyond = payload("legacy_cube_u16");
    beyond.descriptor.alloc_size -= 1;
    assert_eq!(beyond.validate_import(), Ok(()));
    let error = SharedBuffer::from_cuvis(&beyond, unsaid()).expect_err("it is refused");
    assert_eq!(error.code(), Code::RuleViolated);
    assert!(
        error.to_string().starts_with("SharedBuffer at byte 0: rule_violated: expected within_allocation")
    );
}

/// A cube of 4 × 5 × 6 samples of 16 bits in memory of that kind.
fn cube(kind: BufferKind) -> SharedBuffer {
    let mut buffer = SharedBuffer::new(kind, 4096);
    buffer.size = 240;
    buffer.offset = 1024;
    buffer.exporter.pid = 77;
    buffer.set_device_uuid(&[0xD0; 16]).expect("16 bytes");
    if kind == BufferKind::CudaLegacy {
        buffer.set_handle(&[0xAB; 64]).expect("64 bytes");
    }
    let element = ElementType::new(DLDataTypeCode::UInt, 16);
    buffer.set_tensor(element, &[4, 5, 6], None).expect("it fits");
    buffer
}

const SAID: ToCuvis = ToCuvis { device_ordinal: 3, fd: Some(17) };

#[test]
fn a_cube_of_ours_is_a_payload() {
    let (payload, losses) = cube(BufferKind::CudaVmm).to_cuvis(SAID).expect("it has a counterpart");
    assert_eq!(losses.iter().collect::<Vec<_>>(), [Lost::DeviceUuid]);
    assert_eq!((payload.height, payload.width, payload.channels), (4, 5, 6));
    assert_eq!(payload.format_code, SampleFormat::U16);
    let descriptor = &payload.descriptor;
    assert_eq!((descriptor.backend, descriptor.handle_type), (IpcBackend::Vmm, IpcHandleType::PosixFd));
    assert_eq!((descriptor.device_ordinal, descriptor.exporter_pid), (3, 77));
    assert_eq!((descriptor.size, descriptor.alloc_size, descriptor.offset), (240, 4096, 1024));
    assert_eq!((descriptor.blob(), descriptor.ptr_blob()), (&[17, 0, 0, 0][..], &[][..]));
    assert_eq!(payload.validate_import(), Ok(()));

    let without = ToCuvis { fd: None, ..SAID };
    let (legacy, _) = cube(BufferKind::CudaLegacy).to_cuvis(without).expect("it has a counterpart");
    assert_eq!((legacy.descriptor.backend, legacy.descriptor.handle_type), {
        (IpcBackend::Legacy, IpcHandleType::None)
    });
    assert_eq!(legacy.descriptor.blob(), [0xAB; 64]);
}

#[test]
fn every_sample_format_has_its_type() {
    let formats = [
        (DLDataTypeCode::UInt, 8, SampleFormat::U8),
        (DLDataTypeCode::UInt, 16, SampleFormat::U16),
        (DLDataTypeCode::UInt, 32, SampleFormat::U32),
        (DLDataTypeCode::Float, 32, SampleFormat::F32),
    ];
    for (code, bits, format) in formats {
        let mut buffer = cube(BufferKind::CudaVmm);
        buffer.size = 480;
        let element = ElementType::new(code, bits);
        buffer.set_tensor(element, &[4, 5, 6], None).expect("it fits");
        let (payload, _) = buffer.to_cuvis(SAID).expect("it has a counterpart");
        assert_eq!((payload.format_code, payload.descriptor.size), (format, 120 * u64::from(bits) / 8));
        let (back, _) = SharedBuffer::from_cuvis(&payload, unsaid()).expect("it has a counterpart");
        assert_eq!(back.element, element);
    }
}

#[test]
fn bytes_around_the_tensor_are_left_out_and_strides_that_say_nothing_new_as_well() {
    let mut buffer = cube(BufferKind::CudaVmm);
    (buffer.size, buffer.byte_offset) = (1000, 32);
    let element = buffer.element;
    buffer.set_tensor(element, &[4, 5, 6], Some(&[30, 6, 1])).expect("it fits");
    let (payload, losses) = buffer.to_cuvis(SAID).expect("it has a counterpart");
    assert_eq!((payload.descriptor.size, payload.descriptor.offset), (240, 1056));
    assert_eq!(losses.iter().collect::<Vec<_>>(), [Lost::DeviceUuid, Lost::Strides, Lost::SpareBytes]);
    assert!(losses.contains(Lost::SpareBytes) && !losses.contains(Lost::ReadOnly) && !losses.is_empty());
    assert_eq!(format!("{losses:?}"), "{DeviceUuid, Strides, SpareBytes}");
}

#[test]
fn what_a_payload_cannot_say_is_refused_and_never_guessed() {
    let refused = |change: &dyn Fn(&mut SharedBuffer)| {
        let mut buffer = cube(BufferKind::CudaVmm);
        (buffer.size, buffer.offset) = (4096, 0);
        change(&mut buffer);
        buffer.to_cuvis(SAID).expect_err("it is refused")
    };
    let element = ElementType::new(DLDataTypeCode::UInt, 16);
    let tensor = |buffer: &mut SharedBuffer, shape: &[i64], strides: Option<&[i64]>| {
        buffer.set_tensor(element, shape, strides).expect("it fits");
    };
    assert_eq!(refused(&|it| tensor(it, &[20, 6], None)), NotConvertible::Rank(2));
    assert_eq!(refused(&|it| tensor(it, &[1, 4, 5, 6], None)), NotConvertible::Rank(4));
    assert_eq!(refused(&|it| tensor(it, &[4, 5, 6], Some(&[1, 4, 20]))), NotConvertible::Strides);
    assert_eq!(refused(&|it| tensor(it, &[4, 0, 6], None)), NotConvertible::Extent { axis: 1, extent: 0 });
    let wide = 1 << 32;
    assert_eq!(
        refused(&|it| {
            (it.size, it.allocation_size) = (1 << 33, 1 << 33);
            tensor(it, &[1, wide, 1], None);
        }),
        NotConvertible::Extent { axis: 1, extent: wide }
    );
    for (code, bits) in [(DLDataTypeCode::Int, 8), (DLDataTypeCode::Float, 16), (DLDataTypeCode::UInt, 64)] {
        let element = ElementType::new(code, bits);
        assert_eq!(
            refused(&|it| it.set_tensor(element, &[4, 5, 6], None).expect("it fits")),
            NotConvertible::Element(element)
        );
    }
    assert_eq!(
        refused(&|it| (it.element, it.rank) = (ElementType::UNTYPED, 0)),
        NotConvertible::Geometry(GeometryError::Untyped)
    );
    let error = refused(&|it| it.size = 239);
    let rule = "SharedBuffer at byte 0: rule_violated: expected tensor_within_buffer";
    assert!(error.code() == Code::RuleViolated && error.to_string().starts_with(rule), "{error}");
    let outside = GeometryError::Outside { begin: 0, end: 296, size: 240 };
    let error = refused(&|it| {
        it.set_strides(&[38, 7, 1]).expect("it has room");
        it.size = 240;
    });
    assert_eq!(error, NotConvertible::Geometry(outside));
    let error = refused(&|it| it.handle_len = 1);
    assert!(
        error.to_string().starts_with("SharedBuffer at byte 0: rule_violated: expected handle"),
        "{error}"
    );

    for kind in [BufferKind::CudaPool, BufferKind::CudaVmm] {
        let mut buffer = cube(kind);
        buffer.set_pointer(&[0xCD; 64][..if kind == BufferKind::CudaPool { 64 } else { 0 }]).expect("room");
        for fd in [None, Some(-1)] {
            assert_eq!(buffer.to_cuvis(ToCuvis { fd, ..SAID }), Err(NotConvertible::NoFd(kind)));
        }
    }
    for kind in [BufferKind::DmaBuf, BufferKind::VulkanOpaqueFd] {
        let mut buffer = cube(kind);
        if kind == BufferKind::VulkanOpaqueFd {
            buffer.set_driver_uuid(&[0xD1; 16]).expect("16 bytes");
        }
        assert_eq!(buffer.to_cuvis(SAID), Err(NotConvertible::Kind(kind)));
    }
    assert_eq!(Flags::<BufferFlag>::empty(), cube(BufferKind::CudaVmm).flags);
}

//! What an importer of cuvis buffers refuses, by the name of the rule; readers take all of it, as the SDK's do.

use serde_json::Value;
use wirecontract::{Code, Expected, WireContract, WireError};
use wirecontract_gpu::cuvis::{CudaIpcDescriptor, CudaIpcPayload, IpcBackend, IpcHandleType, SampleFormat};

const VECTORS: &str = include_str!("../data/cuvis_ipc_payload.json");

fn unhex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(digit).collect()
}

fn cases() -> Vec<Value> {
    let file: Value = serde_json::from_str(VECTORS).expect("the vectors are JSON");
    file["cases"].as_array().expect("the vectors are a list").clone()
}

fn payload(name: &str) -> CudaIpcPayload {
    let cases = cases();
    let case = cases.iter().find(|case| case["name"] == name).expect("a case of that name");
    CudaIpcPayload::from_bytes(&unhex(case["payload_hex"].as_str().expect("text"))).expect("it can be read")
}

/// The rule, or the field of the condition, that refuses an import.
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

#[test]
fn the_sdks_payloads_are_all_read_and_those_that_no_importer_may_use_are_refused_by_name() {
    let verdicts = [
        ("pr_test_values", Some(("CudaIpcDescriptor", "ptr_blob_len", 24))),
        ("legacy_cube_u16", None),
        ("pool_posix_fd", None),
        ("vmm_posix_fd", None),
        ("vmm_win32_kmt", None),
        ("max_values", Some(("CudaIpcDescriptor", "ptr_blob_len", 24))),
    ];
    let cases = cases();
    let names: Vec<&str> = cases.iter().filter_map(|case| case["name"].as_str()).collect();
    assert_eq!(names, verdicts.map(|(name, _)| name));
    for ((name, verdict), case) in verdicts.iter().zip(&cases) {
        let bytes = |key: &str| unhex(case[key].as_str().expect("text"));
        let payload = CudaIpcPayload::from_bytes(&bytes("payload_hex")).expect("a payload of the SDK");
        assert_eq!(payload.validate_import().err().map(refused_by), *verdict, "{name}");
        let descriptor =
            CudaIpcDescriptor::from_bytes(&bytes("descriptor_hex")).expect("a descriptor of the SDK");
        assert_eq!(descriptor, payload.descriptor);
        let alone = verdict.map(|(contract, name, offset)| (contract, name, offset - 24));
        assert_eq!(descriptor.validate_import().err().map(refused_by), alone, "{name}");
        assert_eq!(
            payload.to_bytes().expect("what was read can be written").as_slice(),
            bytes("payload_hex")
        );
    }
}

/// What refuses a payload that could be imported before it was changed.
fn changed(name: &str, change: impl Fn(&mut CudaIpcPayload)) -> Option<(&'static str, &'static str)> {
    let mut payload = payload(name);
    assert_eq!(payload.validate_import(), Ok(()), "{name}");
    change(&mut payload);
    let bytes = payload.to_bytes().expect("writers do not ask what importers do");
    let read = CudaIpcPayload::from_bytes(&bytes).expect("nor do readers");
    assert_eq!(read.validate_import(), payload.validate_import());
    payload.validate_import().err().map(|error| {
        let (contract, name, offset) = refused_by(error);
        assert_eq!(offset, if contract == "CudaIpcPayload" { 0 } else { 24 });
        (contract, name)
    })
}

#[test]
fn the_pairs_that_can_be_imported_are_five() {
    use IpcBackend::{Auto, Legacy, Pool, Vmm};
    use IpcHandleType::{None as Nothing, PosixFd, Win32, Win32Kmt};
    for backend in [Auto, Pool, Legacy, Vmm] {
        for handle in [Nothing, Win32, Win32Kmt, PosixFd] {
            let verdict = changed("vmm_win32_kmt", |payload| {
                let descriptor = &mut payload.descriptor;
                (descriptor.backend, descriptor.handle_type, descriptor.blob_len) = (backend, handle, 64);
            });
            let expected = match (backend, handle) {
                (Legacy, Nothing) | (Pool | Vmm, PosixFd | Win32Kmt) => None,
                (_, Win32) => Some(("CudaIpcDescriptor", "not_win32")),
                _ => Some(("CudaIpcDescriptor", "importable_pair")),
            };
            assert_eq!(verdict, expected, "{backend:?} with {handle:?}");
        }
    }
}

#[test]
fn a_handle_is_there_and_a_legacy_one_is_whole() {
    let length = |name, length| changed(name, move |payload| payload.descriptor.blob_len = length);
    assert_eq!(length("pool_posix_fd", 0), Some(("CudaIpcDescriptor", "has_handle")));
    assert_eq!(length("pool_posix_fd", 1), None);
    assert_eq!(length("legacy_cube_u16", 0), Some(("CudaIpcDescriptor", "has_handle")));
    assert_eq!(length("legacy_cube_u16", 63), Some(("CudaIpcDescriptor", "whole_legacy_handle")));
}

#[test]
fn only_the_pool_backend_has_a_second_blob() {
    let length = |name| changed(name, |payload| payload.descriptor.ptr_blob_len = 64);
    assert_eq!(length("vmm_posix_fd"), Some(("CudaIpcDescriptor", "ptr_blob_len")));
    assert_eq!(length("legacy_cube_u16"), Some(("CudaIpcDescriptor", "ptr_blob_len")));
    assert_eq!(length("pool_posix_fd"), None);
}

#[test]
fn a_buffer_is_within_its_allocation_whatever_the_sizes_claim() {
    let offset = |offset| changed("vmm_posix_fd", move |payload| payload.descriptor.offset = offset);
    assert_eq!(offset(2_097_151), None);
    assert_eq!(offset(2_097_152), Some(("CudaIpcDescriptor", "within_allocation")));
    // The sum of the two is beyond 64 bits, and what is left of it would fit.
    assert_eq!(offset(u64::MAX), Some(("CudaIpcDescriptor", "within_allocation")));
    assert_eq!(changed("legacy_cube_u16", |payload| payload.descriptor.offset = u64::MAX), None);
}

#[test]
fn a_buffer_holds_whole_samples_and_the_whole_cube() {
    let size = |size| changed("legacy_cube_u16", move |payload| payload.descriptor.size = size);
    assert_eq!(size(131_760_001), Some(("CudaIpcPayload", "whole_samples")));
    assert_eq!(size(131_760_002), Some(("CudaIpcPayload", "whole_cube")));
    assert_eq!(
        changed("legacy_cube_u16", |payload| payload.format_code = SampleFormat::U8),
        Some(("CudaIpcPayload", "whole_cube"))
    );
    // Height × width × channels × 4 is 2⁶⁴, of which 64 bits show nothing.
    let wraps = changed("legacy_cube_u16", |payload| {
        (payload.height, payload.width, payload.channels) = (1 << 31, 1 << 31, 1);
        payload.format_code = SampleFormat::F32;
        payload.descriptor.size = 0;
    });
    assert_eq!(wraps, Some(("CudaIpcPayload", "whole_cube")));
}

#[test]
fn a_refusal_says_what_was_asked_and_what_came() {
    let error = {
        let mut payload = payload("vmm_posix_fd");
        payload.descriptor.offset = u64::MAX;
        payload.validate_import().unwrap_err()
    };
    assert_eq!(
        error.to_string(),
        "CudaIpcDescriptor at byte 24: rule_violated: expected within_allocation: backend != Vmm || offset + size <= \
         alloc_size, found backend = 3, offset = 18446744073709551615, size = 1, alloc_size = 2097152"
    );
}

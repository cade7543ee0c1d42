//! The peers give the contract's verdicts and values, or they are no peers.

use std::fmt::Debug;
use std::hint::black_box;

use wirecontract::WireContract as _;
use wirecontract_bench::peers::fault::Fault;
use wirecontract_bench::peers::{binrw, deku, zerocopy};
use wirecontract_bench::{Refusal, contract};
use wirecontract_gpu::cuvis::CudaIpcPayload;

use crate::allocations;
use crate::entries::{
    binrw_from_bytes, binrw_to_bytes, contract_from_bytes, contract_to_bytes, contract_view, deku_from_bytes,
    deku_to_bytes, zerocopy_from_bytes, zerocopy_to_bytes, zerocopy_view,
};

/// Counts that a value can hold and that may not be written, and some that may.
const COUNTS: [u32; 6] = [0, 1, 63, 64, 65, u32::MAX];

/// Compares all peers on all inputs, and sees that the contract does not allocate.
pub(crate) fn all(inputs: &[Vec<u8>]) -> Result<(), String> {
    let (mut accepted, mut written) = (0, 0);
    for input in inputs {
        read(input)?;
        if CudaIpcPayload::from_bytes(input).is_ok() {
            accepted += 1;
            for count in COUNTS {
                for pointer_count in COUNTS {
                    write(input, count, pointer_count)?;
                    written += 1;
                }
            }
        }
    }
    if accepted == 0 || accepted == inputs.len() {
        return Err(format!("{accepted} of {} inputs are accepted: some must be, and not all", inputs.len()));
    }
    println!("{} inputs, of which {accepted} accepted; {written} values written", inputs.len());
    does_not_allocate(inputs)
}

fn read(input: &[u8]) -> Result<(), String> {
    let expected = contract_from_bytes(input);
    let fault = expected.as_ref().map(contract::fields).map_err(Fault::of_contract);
    let refusal = expected.as_ref().map(contract::fields).map_err(contract::refusal);

    let view = contract_view(input);
    equal(
        "the contract's view",
        input,
        &view.as_ref().map_err(Fault::of_contract),
        &fault.as_ref().map_err(|it| *it),
    )?;
    let came = zerocopy_from_bytes(input);
    equal("zerocopy", input, &came.as_ref().map(zerocopy::fields).map_err(|it| *it), &fault)?;
    equal("zerocopy's view", input, &zerocopy_view(input), &fault)?;
    let came = binrw_from_bytes(input);
    equal("binrw", input, &came.as_ref().map(binrw::fields).map_err(binrw::refusal), &refusal)?;
    let came = deku_from_bytes(input);
    equal("deku", input, &came.as_ref().map(deku::fields).map_err(deku::refusal), &refusal)
}

fn write(input: &[u8], count: u32, pointer_count: u32) -> Result<(), String> {
    let valid = "a valid input, as was seen when it was read";
    let mut payload = CudaIpcPayload::from_bytes(input).expect(valid);
    payload.descriptor.blob_len = count;
    payload.descriptor.ptr_blob_len = pointer_count;
    let expected = contract_to_bytes(&payload);
    let refusal: Result<_, Refusal> = expected.as_ref().copied().map_err(contract::refusal);

    let mut payload = zerocopy::read(input).expect(valid);
    payload.descriptor.blob_len = count;
    payload.descriptor.ptr_blob_len = pointer_count;
    equal(
        "zerocopy",
        input,
        &zerocopy_to_bytes(&payload),
        &expected.as_ref().copied().map_err(Fault::of_contract),
    )?;

    let mut payload = binrw::read(input).expect(valid);
    payload.descriptor.blob_len = count;
    payload.descriptor.ptr_blob_len = pointer_count;
    equal("binrw", input, &binrw_to_bytes(&payload).map_err(|it| binrw::refusal(&it)), &refusal)?;

    let mut payload = deku::read(input).expect(valid);
    payload.descriptor.blob_len = count;
    payload.descriptor.ptr_blob_len = pointer_count;
    equal("deku", input, &deku_to_bytes(&payload).map_err(|it| deku::refusal(&it)), &refusal)
}

fn equal<T: PartialEq + Debug>(peer: &str, input: &[u8], came: &T, expected: &T) -> Result<(), String> {
    if came == expected {
        return Ok(());
    }
    Err(format!("{peer} differs on {input:02x?}:\n  the contract: {expected:?}\n  {peer}: {came:?}"))
}

fn does_not_allocate(inputs: &[Vec<u8>]) -> Result<(), String> {
    let count = allocations::during(|| {
        for input in inputs {
            let _ = black_box(contract_view(black_box(input)));
            if let Ok(payload) = black_box(contract_from_bytes(black_box(input))) {
                let _ = black_box(contract_to_bytes(black_box(&payload)));
            }
        }
    });
    if count > 0 {
        return Err(format!("the contract allocated {count} times"));
    }
    println!("no allocation");
    Ok(())
}

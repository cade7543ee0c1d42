//! The functions that are measured: one call boundary for all, in another crate than what they call.
//!
//! They have names that callgrind can be told; what it counts is what runs between their first instruction and
//! their return, calls included.

use std::fmt::Debug;
use std::hint::black_box;

use wirecontract::{WireContract as _, WireError};
use wirecontract_bench::peers::fault::Fault;
use wirecontract_bench::peers::{binrw, deku, zerocopy};
use wirecontract_bench::{Fields, SIZE, contract};
use wirecontract_gpu::cuvis::CudaIpcPayload;

macro_rules! entries {
    ($($name:ident($argument:ident: $type:ty) -> $result:ty { $body:expr } by $call:expr;)*) => {
        $(
            // SAFETY: no other function of this program has the name, and nothing calls it by its name.
            #[unsafe(no_mangle)]
            #[inline(never)]
            pub(crate) fn $name($argument: $type) -> $result {
                $body
            }
        )*

        /// Calls the entry of that name on every input, so many times; false when there is none of that name.
        pub(crate) fn call(name: &str, inputs: &[Vec<u8>], times: usize) -> bool {
            match name {
                $(stringify!($name) => ($call)(inputs, times, $name),)*
                _ => return false,
            }
            true
        }
    };
}

entries! {
    contract_from_bytes(bytes: &[u8]) -> Result<CudaIpcPayload, WireError> {
        CudaIpcPayload::from_bytes(bytes)
    } by read;
    contract_view(bytes: &[u8]) -> Result<Fields<'_>, WireError> {
        CudaIpcPayload::view(bytes).map(contract::fields_of_view)
    } by view;
    contract_to_bytes(payload: &CudaIpcPayload) -> Result<[u8; SIZE], WireError> {
        payload.to_bytes()
    } by |inputs, times, entry| write(inputs, times, CudaIpcPayload::from_bytes, entry);

    zerocopy_from_bytes(bytes: &[u8]) -> Result<zerocopy::Payload, Fault> {
        zerocopy::read(bytes)
    } by read;
    zerocopy_view(bytes: &[u8]) -> Result<Fields<'_>, Fault> {
        zerocopy::check(bytes).map(|checked| checked.fields())
    } by view;
    zerocopy_to_bytes(payload: &zerocopy::Payload) -> Result<[u8; SIZE], Fault> {
        zerocopy::write(payload)
    } by |inputs, times, entry| write(inputs, times, zerocopy::read, entry);

    binrw_from_bytes(bytes: &[u8]) -> Result<binrw::Payload, binrw::Error> {
        binrw::read(bytes)
    } by read;
    binrw_to_bytes(payload: &binrw::Payload) -> Result<[u8; SIZE], binrw::Error> {
        binrw::write(payload)
    } by |inputs, times, entry| write(inputs, times, binrw::read, entry);

    deku_from_bytes(bytes: &[u8]) -> Result<deku::Payload, deku::Error> {
        deku::read(bytes)
    } by read;
    deku_to_bytes(payload: &deku::Payload) -> Result<[u8; SIZE], deku::Error> {
        deku::write(payload)
    } by |inputs, times, entry| write(inputs, times, deku::read, entry);
}

fn read<T, E>(inputs: &[Vec<u8>], times: usize, entry: fn(&[u8]) -> Result<T, E>) {
    for input in inputs.iter().cycle().take(times * inputs.len()) {
        let _ = black_box(entry(black_box(input)));
    }
}

fn view<E>(inputs: &[Vec<u8>], times: usize, entry: for<'a> fn(&'a [u8]) -> Result<Fields<'a>, E>) {
    for input in inputs.iter().cycle().take(times * inputs.len()) {
        let _ = black_box(entry(black_box(input)));
    }
}

fn write<T, E: Debug>(
    inputs: &[Vec<u8>],
    times: usize,
    read: impl Fn(&[u8]) -> Result<T, E>,
    entry: fn(&T) -> Result<[u8; SIZE], E>,
) {
    let read = |input: &Vec<u8>| read(input).expect("only valid inputs are written");
    let payloads: Vec<T> = inputs.iter().map(read).collect();
    for payload in payloads.iter().cycle().take(times * payloads.len()) {
        let _ = black_box(entry(black_box(payload)));
    }
}

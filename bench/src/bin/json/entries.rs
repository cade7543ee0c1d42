//! The functions that are measured: one call boundary for all, in another crate than what they call.

use std::fmt::Debug;
use std::hint::black_box;

use wirecontract::{WireContract as _, WireError, WireJson as _};
use wirecontract_bench::peers::json::{Answer, Export, serde, value};
use wirecontract_bench::rules::{Format, Plain, Ruled, Tiling};
use wirecontract_gpu::texture::{OpaqueFdExport, SurfaceAnswer};

use crate::c;
use crate::documents::Documents;

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

        /// Calls the entry of that name on every document of its kind, so many times; says how often that was.
        pub(crate) fn call(name: &str, documents: &Documents, times: usize) -> Option<usize> {
            match name {
                $(stringify!($name) => Some(($call)(documents, times, $name)),)*
                _ => None,
            }
        }
    };
}

entries! {
    contract_from_json(document: &[u8]) -> Result<SurfaceAnswer, WireError> {
        SurfaceAnswer::from_json(document)
    } by |it: &Documents, times, entry| read(&it.answers, times, entry);
    // Beside C, whose value ends in the call, too.
    ended_from_json(document: &[u8]) -> Result<(), WireError> {
        SurfaceAnswer::from_json(document).map(end)
    } by |it: &Documents, times, entry| read(&it.answers, times, entry);
    c_from_json(document: &[u8]) -> Result<(), i32> {
        c::ANSWER.read(document)
    } by |it: &Documents, times, entry| read(&it.answers, times, entry);
    serde_from_json(document: &[u8]) -> Result<Answer, serde_json::Error> {
        serde::read(document)
    } by |it: &Documents, times, entry| read(&it.answers, times, entry);
    value_from_json(document: &[u8]) -> Result<Answer, &'static str> {
        value::read(document)
    } by |it: &Documents, times, entry| read(&it.answers, times, entry);
    contract_to_json(answer: &SurfaceAnswer) -> Result<String, WireError> {
        answer.to_json()
    } by |it: &Documents, times, entry| write(&it.answers, times, SurfaceAnswer::from_json, entry);
    serde_to_json(answer: &Answer) -> Result<String, serde_json::Error> {
        serde::write(answer)
    } by |it: &Documents, times, entry| write(&it.answers, times, serde::read, entry);

    contract_export_from_json(document: &[u8]) -> Result<OpaqueFdExport, WireError> {
        OpaqueFdExport::from_json(document)
    } by |it: &Documents, times, entry| read(&it.exports, times, entry);
    ended_export_from_json(document: &[u8]) -> Result<(), WireError> {
        OpaqueFdExport::from_json(document).map(end)
    } by |it: &Documents, times, entry| read(&it.exports, times, entry);
    c_export_from_json(document: &[u8]) -> Result<(), i32> {
        c::EXPORT.read(document)
    } by |it: &Documents, times, entry| read(&it.exports, times, entry);
    serde_export_from_json(document: &[u8]) -> Result<Export, serde_json::Error> {
        serde::read_export(document)
    } by |it: &Documents, times, entry| read(&it.exports, times, entry);
    value_export_from_json(document: &[u8]) -> Result<Export, &'static str> {
        value::read_export(document)
    } by |it: &Documents, times, entry| read(&it.exports, times, entry);
    contract_export_to_json(export: &OpaqueFdExport) -> Result<String, WireError> {
        export.to_json()
    } by |it: &Documents, times, entry| write(&it.exports, times, OpaqueFdExport::from_json, entry);
    serde_export_to_json(export: &Export) -> Result<String, serde_json::Error> {
        serde::write_export(export)
    } by |it: &Documents, times, entry| write(&it.exports, times, serde::read_export, entry);

    plain_from_bytes(bytes: &[u8]) -> Result<Plain, WireError> {
        Plain::from_bytes(bytes)
    } by |_: &Documents, times, entry| images(times, entry);
    ruled_from_bytes(bytes: &[u8]) -> Result<Ruled, WireError> {
        Ruled::from_bytes(bytes)
    } by |_: &Documents, times, entry| images(times, entry);
    plain_view(bytes: &[u8]) -> Result<u64, WireError> {
        Plain::view(bytes).map(|view| sum([view.size(), view.alloc_size(), view.offset()], view.plane_sizes().iter()))
    } by |_: &Documents, times, entry| images(times, entry);
    ruled_view(bytes: &[u8]) -> Result<u64, WireError> {
        Ruled::view(bytes).map(|view| sum([view.size(), view.alloc_size(), view.offset()], view.plane_sizes().iter()))
    } by |_: &Documents, times, entry| images(times, entry);
}

/// Ends a value that somebody has looked at.
#[inline(always)]
fn end<T>(value: T) {
    let _ = black_box(value);
}

/// What somebody does with the values.
#[inline(always)]
fn sum(numbers: [u64; 3], planes: impl Iterator<Item = u64>) -> u64 {
    numbers.into_iter().chain(planes).fold(0, u64::wrapping_add)
}

fn read<T, E>(documents: &[String], times: usize, entry: fn(&[u8]) -> Result<T, E>) -> usize {
    let calls = times * documents.len();
    for document in documents.iter().cycle().take(calls) {
        let _ = black_box(entry(black_box(document.as_bytes())));
    }
    calls
}

fn write<T, E: Debug>(
    documents: &[String],
    times: usize,
    read: impl Fn(&[u8]) -> Result<T, E>,
    entry: fn(&T) -> Result<String, E>,
) -> usize {
    let read = |document: &String| read(document.as_bytes()).expect("only valid documents are measured");
    let values: Vec<T> = documents.iter().map(read).collect();
    let calls = times * values.len();
    for value in values.iter().cycle().take(calls) {
        let _ = black_box(entry(black_box(value)));
    }
    calls
}

fn images<T, E>(times: usize, entry: fn(&[u8]) -> Result<T, E>) -> usize {
    let image = image();
    for _ in 0..times {
        let _ = black_box(entry(black_box(&image)));
    }
    times
}

/// Bytes of which every rule holds.
pub(crate) fn image() -> [u8; 216] {
    let mut name = [0; 64];
    name[..14].copy_from_slice(b"front camera 0");
    let image = Plain {
        magic: *b"WIMG",
        version: 1,
        name,
        format: Format::Bgra32,
        tiling: Tiling::Linear,
        size: 8_294_400,
        alloc_size: 8_323_072,
        offset: 4096,
        width: 1920,
        height: 1080,
        pitch: 7680,
        planes: 1,
        plane_sizes: [8_294_400, 0, 0, 0],
        plane_offsets: [0; 4],
        serial: 7,
        pad: [0; 3],
    };
    image.to_bytes().expect("an image can be written")
}

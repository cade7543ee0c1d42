//! Writes the seeds: `cargo run --manifest-path fuzz/Cargo.toml --bin seeds`, after a change of what they hold.
//! Findings, which have names of their own, stay.

use std::fs;
use std::path::Path;

use serde_json::Value;
use wirecontract::{Enumeration, WireContract, WireJson};
use wirecontract_codegen::artifact;
use wirecontract_codegen::catalog::encode::{self, Lines, Target};
use wirecontract_codegen::emit::{self, Artifact};
use wirecontract_codegen::fixtures::{self, abi_id};
use wirecontract_codegen::lock::{Form, Lock};
use wirecontract_codegen::model::{Catalog, ContractId};
use wirecontract_fuzz::{RecordInput, container, declared, exporting};
use wirecontract_gpu::buffer::{
    BufferKind, DLDataTypeCode, ElementType, Offer, ProducerMessage, SharedBuffer,
};
use wirecontract_gpu::video::{PixelFormat, VideoFrame};

const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds");
const BIG_32: Target = Target { big: true, pointer: 4, ids_only: false };
const S390X: Target = Target { big: true, pointer: 8, ids_only: false };

fn main() -> std::io::Result<()> {
    write("payload", "lowest", &payload(0))?;
    write("payload", "ordinary", &payload(2))?;
    write("payload", "unknown_backend", &payload(4))?;
    write("payload", "one_byte_more", &[payload(1), vec![0]].concat())?;
    write("descriptor", "lowest", &payload(0)[24..])?;
    write("descriptor", "ordinary", &payload(2)[24..])?;
    for (name, artifact) in [
        ("c_header", include_bytes!("../../../bindings/c/include/wirecontract/cuvis.h").as_slice()),
        ("python", include_bytes!("../../../bindings/python/wirecontract/contracts/cuvis.py")),
        ("json", include_bytes!("../../../contracts/gpu/generated/json/wirecontract/cuvis.json")),
    ] {
        // The statement and a little of what it states.
        write("statement", name, &artifact[..artifact.len().min(800)])?;
    }
    buffers()?;
    frames()?;
    tensors()?;
    processes()?;
    write("frame", "lowest", &frame(0))?;
    write("frame", "ordinary", &frame(2))?;
    write("frame", "count_exceeds", &frame(3))?;

    let catalog = fixtures::cuvis();
    for (name, target) in [("x86_64", Target::X86_64), ("big_32", BIG_32)] {
        for ids_only in [false, true] {
            let target = Target { ids_only, ..target };
            let notes: Vec<u8> =
                encode::records(&catalog, target).into_iter().flat_map(|it| it.bytes).collect();
            let name = format!("{name}{}", if ids_only { "_ids" } else { "" });
            write("library", &name, &container::elf(&notes, target.big))?;
        }
    }
    shipped()?;
    write("library", "empty_archive", b"!<arch>\n")?;
    write("library", "bitcode", b"BC\xC0\xDE")?;

    records("", &catalog)?;
    // Every form of a key, a variant and a rule.
    records("recipes_", &fixtures::recipes())?;
    // Every form of a part, a tail and a group of file descriptors.
    records("messages_", &fixtures::messages())?;
    // C structs; but for the one with every form of a field, which has more words than an input holds.
    let mut structs = fixtures::abi();
    structs.contracts.truncate(abi_id::EVERYTHING.0);
    records("abi_", &structs)?;
    // Handles, functions, and what a library has besides.
    records("export_", &fixtures::export::catalog())?;
    locks()?;
    hellos()?;
    documents()
}

/// Libraries that export what they declare, and what is generated for them. Of the other formats there are findings:
/// `int wc_reset(void)` and its id, as mingw-w64 (`-shared -nostdlib -s`) and clang (`--target=x86_64-apple-darwin -c`)
/// make of them.
fn shipped() -> std::io::Result<()> {
    let catalog = declared();
    for (name, target) in [("x86_64", Target::X86_64), ("s390x", S390X)] {
        for ids_only in [false, true] {
            let name = format!("{name}{}", if ids_only { "_ids" } else { "" });
            write("exports", &name, &exporting(&catalog, Target { ids_only, ..target }))?;
        }
    }
    let input = fixtures::input(&catalog);
    let files = [emit::c::emit(&input), emit::cpp::emit(&input), emit::python::emit(&input)];
    for artifact in files.into_iter().flatten().flatten() {
        let is_part = |line: &&str| {
            ["WIRE_ID", "wire_id", "class ", "}", "\": 0x"].iter().any(|part| line.contains(part))
                || line.contains("_API ")
        };
        let name = match artifact.path.rsplit('/').next() {
            Some(name @ ("library.h" | "library.py" | "sensor.h" | "sensor.hpp" | "sensor.py")) => {
                name.replace('.', "_")
            }
            _ => continue,
        };
        // The lines that are read, and what is told by them.
        let body = artifact.body.lines().filter(is_part).flat_map(|line| [line, "\n"]).collect();
        let read = artifact::render(&Artifact { body, ..artifact }, &catalog);
        write("generated", &name, read.as_bytes())?;
    }
    Ok(())
}

fn records(prefix: &str, catalog: &Catalog) -> std::io::Result<()> {
    let ids = catalog.iter().map(|(id, contract)| (id, (contract.wire_id, contract.source_id))).collect();
    for (_, contract) in catalog.iter() {
        let input = RecordInput {
            target: Target::X86_64,
            words: encode::words(catalog, contract, &ids),
            lines: Lines::of(catalog, contract),
        };
        write(
            "record",
            &format!("{prefix}{}", contract.name.to_lowercase().replace("::", "_")),
            &input.to_bytes(),
        )?;
    }
    Ok(())
}

/// A lock of each catalog, one with all that becomes of a contract, and one that was merged with a conflict.
fn locks() -> std::io::Result<()> {
    for (name, catalog) in [
        ("cuvis", fixtures::cuvis()),
        ("recipes", fixtures::recipes()),
        ("messages", fixtures::messages()),
        ("abi", fixtures::abi()),
        ("export", fixtures::export::catalog()),
    ] {
        write("lock", name, lock(&catalog, 0..catalog.contracts.len()).text().as_bytes())?;
    }
    let mut cuvis = fixtures::cuvis();
    let mut history = lock(&cuvis, 0..2);
    cuvis.contracts[0].version = Some(2);
    history.accept(Form::of(&cuvis, ContractId(0))).expect("version 2 follows 1");
    history.remove("wirecontract_gpu::cuvis::IpcHandleType");
    let text = history.text();
    write("lock", "history", text.as_bytes())?;
    let (ours, theirs) = ("<<<<<<< HEAD\nsize", "=======\nsize = 1\n>>>>>>> theirs\nalign");
    let conflict = lock(&cuvis, 2..3).text().replacen("size", ours, 1).replacen("align", theirs, 1);
    write("lock", "conflict", conflict.as_bytes())?;
    write("lock", "twice", format!("{text}\n{}", text.replace("format = 1\n", "")).as_bytes())?;
    write("lock", "none", b"format = 1\n")
}

fn lock(catalog: &Catalog, contracts: std::ops::Range<usize>) -> Lock {
    let mut lock = Lock::default();
    for id in contracts.map(ContractId) {
        lock.accept(Form::of(catalog, id)).expect("an empty lock takes every form");
    }
    lock
}

/// Hellos of the vectors, one of each kind that is right and all that are refused.
fn hellos() -> std::io::Result<()> {
    let vectors: Value = serde_json::from_str(include_str!("../../../tests/data/hello.json"))?;
    for case in vectors["negotiations"].as_array().into_iter().flatten() {
        let name = case["what"].as_str().expect("a case says what it is");
        write("hello", &name.replace([' ', ',', '\''], "_"), case["ours"].to_string().as_bytes())?;
    }
    for case in vectors["refused"].as_array().into_iter().flatten() {
        let [name, document] = ["what", "document"].map(|key| case[key].as_str().expect("a text"));
        write("hello", &name.replace([' ', ',', '\''], "_"), document.as_bytes())?;
    }
    Ok(())
}

/// Shared buffers of every kind, and the messages that lend them.
fn buffers() -> std::io::Result<()> {
    for kind in BufferKind::VALUES {
        let mut buffer = SharedBuffer::new(kind.value, 4096);
        let device = if kind.value == BufferKind::HostMemfd { 0 } else { 16 };
        let driver = if kind.value == BufferKind::VulkanOpaqueFd { 16 } else { 0 };
        (buffer.device_uuid_len, buffer.driver_uuid_len) = (device, driver);
        let bytes = |count| u32::try_from(count).expect("0 or 64");
        buffer.handle_len = bytes(kind.value.handle_bytes());
        buffer.pointer_len = bytes(kind.value.pointer_bytes());
        buffer.set_tensor(ElementType::new(DLDataTypeCode::UInt, 16), &[4, 5, 6], None).expect("it fits");
        write("buffer", kind.name, &buffer.to_bytes().expect("it can be written"))?;
        if kind.value == BufferKind::CudaVmm {
            buffer.byte_offset = 180;
            buffer.set_tensor(buffer.element, &[4, 5, 6], Some(&[-30, 6, 1])).expect("it fits");
            write("buffer", "turned_round", &buffer.to_bytes().expect("it can be written"))?;
        }
        let offer = ProducerMessage::Offer(Offer::new(7, &buffer).expect("it may be offered"));
        write("lease", kind.name, offer.to_json().expect("it can be written").as_bytes())?;
    }
    write("lease", "revoke", br#"{"op":"revoke","lease_id":"18446744073709551615"}"#)?;
    write("lease", "ended", br#"{"op":"ended","lease_id":"7","reason":"timed_out","memory":"stays"}"#)?;
    write("lease", "refused", br#"{"op":"refused","lease_id":"7","code":10,"message":"another device"}"#)?;
    write("lease", "pong", br#"{"op":"pong","sequence":"0"}"#)
}

/// A frame of every format, and one whose rows are no whole number of samples apart.
fn frames() -> std::io::Result<()> {
    for format in PixelFormat::VALUES {
        let frame = VideoFrame::new(format.value, 33, 17, 192);
        write("video", format.name, &frame.to_bytes().expect("it can be written"))?;
    }
    let mut frame = VideoFrame::new(PixelFormat::P010, 33, 17, 69);
    frame.size += 1;
    frame.plane1.offset += 1;
    write("video", "odd", &frame.to_bytes().expect("it can be written"))
}

/// The messages of the texture service, and JSON with everything in it.
fn documents() -> std::io::Result<()> {
    let messages: Value = serde_json::from_str(include_str!("../../../tests/data/texture_wire.json"))?;
    for message in messages["cases"].as_array().into_iter().flatten() {
        let text = |key: &str| message[key].as_str().expect("a message has a name, a direction, a document");
        let target = match text("direction") {
            "request" => "request",
            "response_to_check_out" => "answer",
            _ => continue,
        };
        write(target, text("name"), text("document").as_bytes())?;
    }
    write(
        "request",
        "malformed_optional_keys",
        br#"{"op":"register","surface_id":"s","width":-1,"format":1}"#,
    )?;
    write("answer", "unknown_resource", br#"{"surface_id":"s","format":{"a":[1]},"resource_type":"sound"}"#)?;
    write("json", "numbers", b"[0,-0,-1,0.50,1e3,1E+3,1e-400,123456789012345678901234567890]")?;
    write("json", "strings", br#"{"\u0061\/":"\ud83d\ude00","\b\f\n\r\t\"\\":null," ":[true,false]}"#)?;
    write("json", "nested", b" { \"a\" : [ [ ] , { } , { \"b\" : [ 1 ] } ] }\n")
}

fn payload(backend: u8) -> Vec<u8> {
    let mut bytes = b"CVIP\x01\0\0\0".to_vec();
    bytes.resize(208, 0);
    bytes[20] = 1;
    bytes[24] = backend;
    if backend > 0 {
        bytes[36] = 4;
        bytes[72..76].copy_from_slice(&[0xDE, 0xAD, 0xBE, 0xEF]);
    }
    bytes
}

fn frame(count: u8) -> Vec<u8> {
    let mut bytes = b"FRME\0\x02\0".to_vec();
    bytes.push(count);
    bytes.resize(136, 0);
    bytes[72..77].copy_from_slice(b"front");
    bytes
}

/// What comes from another process.
fn processes() -> std::io::Result<()> {
    const SHRINK: u8 = 2;
    const WRITE: u8 = 8;
    let piece = |fds: u8, bytes: &[u8]| {
        [&[fds << 6 | u8::try_from(bytes.len()).expect("it is short")], bytes].concat()
    };
    let (length, body) = ([0, 0, 0, 5], b"hello");
    let framed = [&length[..], body].concat();
    for (name, how, pieces) in [
        ("apart", 2, vec![piece(0, &length), piece(1, body)]),
        ("joined", 2, vec![piece(2, &framed)]),
        ("little", 1, vec![piece(0, &[5, 0, 0, 0]), piece(0, body)]),
        ("byte_by_byte", 4, framed.iter().map(|byte| piece(0, &[*byte])).collect()),
        ("several_at_once", 0, vec![piece(0, &[framed.clone(), vec![0; 4], framed.clone()].concat())]),
        ("beside_the_length_alone", 2, vec![piece(1, &length), piece(0, body)]),
        ("beside_the_rest", 6, vec![piece(0, &framed[..6]), piece(1, &framed[6..])]),
        ("beside_an_empty_one", 2, vec![piece(1, &[0; 4]), piece(0, &framed)]),
        ("too_large", 0, vec![piece(0, &[0xff; 4])]),
    ] {
        write("framing", name, &[vec![how], pieces.concat()].concat())?;
    }
    for (name, numbers, seals, access) in [
        ("whole", [4096, 4096, 0, 4096], SHRINK, 0),
        ("inside", [10, 8192, 4099, 8192], SHRINK, 1),
        ("unsealed", [10, 4096, 0, 4096], 0, 0),
        ("sealed_against_writing", [10, 4096, 0, 4096], SHRINK | WRITE, 1),
        ("wraps", [u64::MAX, 4096, 2, 4096], SHRINK, 0),
        ("short", [10, 8192, 0, 4096], SHRINK, 0),
        ("empty", [0, 4096, 0, 4096], SHRINK, 0),
    ] {
        let numbers: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        write("import", name, &[&numbers[..], &[seals, access]].concat())?;
    }
    Ok(())
}

fn write(target: &str, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let folder = Path::new(SEEDS).join(target);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), bytes)
}

/// Structs of `DLPack`, in the order in which the fuzzer takes their numbers.
fn tensors() -> std::io::Result<()> {
    let ordinary = |kind: u8, version: [u8; 1], shape: [u8; 3], strides: [u8; 3]| {
        // Rank, code, bits, device type and id, offset, flags.
        [&[kind][..], &version, &[3, 2, 32, 1, 0, 0, 0], &shape, &strides].concat()
    };
    write("tensor", "versioned", &ordinary(0, [3], [2, 3, 4], [3, 4, 1]))?;
    write("tensor", "legacy", &ordinary(1, [0], [2, 3, 4], [3, 4, 1]))?;
    write("tensor", "no_strides", &ordinary(4, [0], [2, 3, 4], [0, 0, 0]))?;
    write("tensor", "no_shape", &ordinary(2, [3], [0, 0, 0], [1, 1, 1]))?;
    write("tensor", "empty", &ordinary(0, [3], [2, 0, 4], [3, 4, 1]))?;
    let backwards = [&ordinary(0, [3], [2, 3, 4], [3, 4, 1])[..12], &[254, 3, 254, 1, 1]].concat();
    write("tensor", "backwards", &backwards)?;
    let large = [&ordinary(0, [3], [2, 3, 4], [3, 4, 1])[..9], &[255], &[0xFF; 7], &[0x7F, 2, 2]].concat();
    write("tensor", "large", &large)?;
    write("tensor", "another_major", &[8, 2, 0, 3, 2, 32, 1, 0])?;
    write("tensor", "negative_rank", &[16, 3, 0xFF, 0xFF, 0xFF, 0xFF, 2, 32, 1, 0])?;
    write("tensor", "packed", &[0, 3, 1, 17, 4, 1, 0, 0, 0, 8, 2])
}

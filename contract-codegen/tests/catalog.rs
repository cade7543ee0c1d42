//! Records found in files of every kind, and contracts made of them.

mod catalog_support;

use catalog_support::{
    BIG_32, BIG_64, LITTLE_32, LITTLE_64, archive, elf_image, elf_object, everything, object_file, section,
    stripped_elf, with_ids,
};
use object::{Architecture, BinaryFormat, Endianness};
use wirecontract_codegen::catalog::encode::{self, Lines, Target};
use wirecontract_codegen::catalog::{FileError, ReadError, ResolveError, read_bytes, read_file, resolve};
use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::{Catalog, ContractId, Element};

#[track_caller]
fn gives(file: &[u8], catalog: &Catalog) {
    let library = read_bytes(file).expect("the file holds contracts");
    assert_eq!(library.records.len(), catalog.contracts.len());
    assert_eq!(resolve(&library.records).expect("the records make a catalog"), *catalog);
}

#[track_caller]
fn refused(file: &[u8]) -> String {
    read_bytes(file).expect_err("the file is refused").to_string()
}

fn cuvis() -> Catalog {
    let mut catalog = fixtures::cuvis();
    for (line, contract) in (1..).zip(&mut catalog.contracts) {
        contract.line = line;
    }
    with_ids(catalog)
}

#[test]
fn an_object_of_either_width_and_byte_order_gives_all_that_was_declared() {
    for target in [LITTLE_64, BIG_64, LITTLE_32, BIG_32] {
        gives(&elf_object(&everything(), target), &everything());
        gives(&elf_object(&cuvis(), target), &cuvis());
    }
}

#[test]
fn mach_o_and_coff_objects_give_contracts() {
    let records = section(&everything(), LITTLE_64);
    for (architecture, endian, name) in [
        (Architecture::Aarch64, Endianness::Little, "__wirec"),
        (Architecture::X86_64, Endianness::Little, "__wirec"),
        (Architecture::PowerPc64, Endianness::Big, "__wirec"),
    ] {
        let records =
            if endian == Endianness::Big { section(&everything(), BIG_64) } else { records.clone() };
        gives(&object_file(BinaryFormat::MachO, architecture, endian, name, &records), &everything());
    }
    let coff = object_file(BinaryFormat::Coff, Architecture::X86_64, Endianness::Little, ".wirec", &records);
    gives(&coff, &everything());
}

#[test]
fn a_universal_file_gives_each_contract_once() {
    let build = |architecture| {
        let records = section(&everything(), LITTLE_64);
        object_file(BinaryFormat::MachO, architecture, Endianness::Little, "__wirec", &records)
    };
    let parts = [build(Architecture::X86_64), build(Architecture::Aarch64)];
    let mut file = 0xcafe_babe_u32.to_be_bytes().to_vec();
    file.extend(2_u32.to_be_bytes());
    let mut at = 4096;
    for (part, cpu) in parts.iter().zip([0x0100_0007_u32, 0x0100_000c]) {
        for value in [cpu, 3, at, u32::try_from(part.len()).unwrap(), 12] {
            file.extend(value.to_be_bytes());
        }
        at += 8192;
    }
    for (index, part) in parts.iter().enumerate() {
        file.resize(4096 + 8192 * index, 0);
        file.extend(part);
    }
    gives(&file, &everything());
}

#[test]
fn a_pe_image_gives_contracts_with_its_section_and_without() {
    for name in [".wirec", ".rdata"] {
        gives(&pe_image(name, &section(&everything(), LITTLE_64)), &everything());
    }
}

fn pe_image(name: &str, content: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = object::write::pe::Writer::new(true, 0x1000, 0x200, &mut file);
    writer.reserve_dos_header_and_stub();
    writer.reserve_nt_headers(16);
    writer.reserve_section_headers(1);
    let mut section_name = [0; 8];
    section_name[..name.len()].copy_from_slice(name.as_bytes());
    let length = u32::try_from(content.len()).unwrap();
    let characteristics = object::pe::IMAGE_SCN_MEM_READ | object::pe::IMAGE_SCN_CNT_INITIALIZED_DATA;
    let range = writer.reserve_section(section_name, characteristics, length, length);
    writer.write_dos_header_and_stub().unwrap();
    writer.write_nt_headers(object::write::pe::NtHeaders {
        machine: object::pe::IMAGE_FILE_MACHINE_AMD64,
        time_date_stamp: 0,
        characteristics: object::pe::IMAGE_FILE_EXECUTABLE_IMAGE,
        major_linker_version: 0,
        minor_linker_version: 0,
        address_of_entry_point: 0,
        image_base: 0x1_4000_0000,
        major_operating_system_version: 6,
        minor_operating_system_version: 0,
        major_image_version: 0,
        minor_image_version: 0,
        major_subsystem_version: 6,
        minor_subsystem_version: 0,
        subsystem: object::pe::IMAGE_SUBSYSTEM_WINDOWS_CUI,
        dll_characteristics: object::pe::IMAGE_DLLCHARACTERISTICS_NX_COMPAT,
        size_of_stack_reserve: 0,
        size_of_stack_commit: 0,
        size_of_heap_reserve: 0,
        size_of_heap_commit: 0,
    });
    writer.write_section_headers();
    writer.write_section(range.file_offset, content);
    file
}

#[test]
fn an_executable_without_section_headers_gives_contracts() {
    for target in [LITTLE_64, BIG_64, LITTLE_32, BIG_32] {
        for with_note_segment in [true, false] {
            let file = stripped_elf(&section(&everything(), target), target, with_note_segment);
            gives(&file, &everything());
        }
    }
}

#[test]
fn an_executable_whose_sections_have_no_names_gives_contracts_by_its_segments() {
    for target in [LITTLE_64, BIG_64, LITTLE_32, BIG_32] {
        gives(&elf_image(&section(&everything(), target), target, true, true), &everything());
    }
}

#[test]
fn a_section_of_another_name_is_found_where_section_headers_are_gone_only() {
    let records = section(&everything(), LITTLE_64);
    let renamed =
        object_file(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little, ".note.other", &records);
    assert!(matches!(read_bytes(&renamed), Err(ReadError::NoneFound)));
}

#[test]
fn archives_give_the_contracts_of_all_members_but_the_metadata() {
    let object = elf_object(&everything(), LITTLE_64);
    let metadata = section(&cuvis(), LITTLE_64);
    let metadata = stripped_elf(&metadata, LITTLE_64, true);
    let bundled = archive(&[("inner.o", &object)]);
    for member in [("plain.o", &object), ("bundled.a", &bundled)] {
        let members = [("lib.rmeta", &*metadata), ("notes.txt", b"any file"), (member.0, &**member.1)];
        gives(&archive(&members), &everything());
    }
}

#[test]
fn the_same_record_in_two_members_counts_once() {
    let object = elf_object(&everything(), LITTLE_64);
    gives(&archive(&[("one.o", &object), ("two.o", &object)]), &everything());
}

#[test]
fn two_versions_of_a_package_are_both_listed_and_a_conflict_in_one_catalog() {
    let (old, mut new) = (cuvis(), cuvis());
    for contract in &mut new.contracts {
        contract.package_version = "0.2.0".into();
        contract.file = "/registry/gpu-0.2.0/src/cuvis.rs".into();
    }
    let same = archive(&[("1.o", &elf_object(&old, LITTLE_64)), ("2.o", &elf_object(&new, LITTLE_64))]);
    let library = read_bytes(&same).unwrap();
    assert_eq!(library.records.len(), 8, "both versions are listed");
    assert_eq!(resolve(&library.records).unwrap().contracts.len(), 4, "what did not change counts once");

    fields_of(&mut new, 2)[1].name = "ordinal".into();
    let differ =
        archive(&[("1.o", &elf_object(&old, LITTLE_64)), ("2.o", &elf_object(&with_ids(new), LITTLE_64))]);
    let library = read_bytes(&differ).unwrap();
    assert_eq!(library.records.len(), 8);
    let errors = resolve(&library.records).expect_err("one name has two wire ids");
    let message = errors[0].to_string();
    assert!(matches!(errors[0], ResolveError::Conflict { .. }), "{message}");
    for part in [
        "0.1.0",
        "0.2.0",
        "contracts/gpu/src/cuvis.rs:3",
        "/registry/gpu-0.2.0/src/cuvis.rs:3",
        "two wire ids",
    ] {
        assert!(message.contains(part), "{part} is not in: {message}");
    }
}

fn fields_of(catalog: &mut Catalog, index: usize) -> &mut Vec<wirecontract_codegen::model::Field> {
    match &mut catalog.contracts[index].body {
        wirecontract_codegen::model::Body::Descriptor(descriptor) => &mut descriptor.fields,
        _ => panic!("not a descriptor"),
    }
}

#[test]
fn one_name_in_two_modules_of_one_family_is_a_conflict() {
    let mut catalog = cuvis();
    let mut other = catalog.contracts[0].clone();
    other.module = "wirecontract_gpu::deeper::cuvis".into();
    other.line = 77;
    catalog.contracts.push(other);
    let library = read_bytes(&elf_object(&catalog, LITTLE_64)).unwrap();
    let message = resolve(&library.records).unwrap_err()[0].to_string();
    assert!(message.contains("deeper::cuvis::IpcBackend (contracts/gpu/src/cuvis.rs:77"), "{message}");
}

#[test]
fn a_nested_contract_in_another_library_is_found_there_and_missed_without_it() {
    let catalog = cuvis();
    let records = encode::records(&catalog, LITTLE_64);
    let elf = |bytes: &[u8]| {
        object_file(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little, ".note.wirec", bytes)
    };
    let holder = read_bytes(&elf(&records[3].bytes)).unwrap();
    let rest: Vec<u8> = records[..3].iter().flat_map(|record| record.bytes.clone()).collect();
    let rest = read_bytes(&elf(&rest)).unwrap();
    assert_eq!(resolve(holder.records.iter().chain(&rest.records)).unwrap(), catalog);

    let message = resolve(&holder.records).unwrap_err()[0].to_string();
    for part in ["CudaIpcPayload", "`descriptor`", "--library", "wirecontract-gpu"] {
        assert!(message.contains(part), "{part} is not in: {message}");
    }
}

#[test]
fn what_is_nested_comes_first_whatever_the_order_in_the_file() {
    let mut records = encode::records(&everything(), LITTLE_64);
    records.reverse();
    let bytes: Vec<u8> = records.into_iter().flat_map(|record| record.bytes).collect();
    let file =
        object_file(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little, ".note.wirec", &bytes);
    gives(&file, &everything());
}

#[test]
fn what_is_no_object_file_is_named_as_that() {
    assert!(refused(b"").contains("found something else: an empty file"));
    assert!(refused(b"#!/bin/sh\nexit 0\n").contains("17 bytes that start with 23212f62696e2f73"));
    let none = object_file(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little, ".note.other", b"");
    assert!(refused(&none).starts_with("no contracts in it"));
    assert!(refused(&archive(&[("x.o", &none)])).starts_with("no contracts in it"));
}

#[test]
fn bitcode_is_named_as_that() {
    let raw = b"BC\xc0\xde\x35\x14\0\0\x05\0\0\0";
    assert!(refused(raw).starts_with("this is LLVM bitcode (fat LTO)"));
    assert!(refused(&archive(&[("crate.o", raw)])).starts_with("this is LLVM bitcode (fat LTO)"));
    let wrapped = {
        let mut object =
            object::write::Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let id = object.add_section(Vec::new(), b".llvmbc".to_vec(), object::SectionKind::Metadata);
        object.append_section_data(id, raw, 1);
        object.write().unwrap()
    };
    assert!(refused(&wrapped).starts_with("this is LLVM bitcode (fat LTO)"));
    // Beside records it is worth a word, and no reason to refuse: the bitcode may be of a C library.
    let mixed = archive(&[("c.o", raw), ("crate.o", &elf_object(&everything(), LITTLE_64))]);
    assert_eq!(read_bytes(&mixed).unwrap().bitcode, ["c.o"]);
}

#[test]
fn thin_archives_are_refused() {
    let mut thin = b"!<thin>\n".to_vec();
    thin.extend(format!("{:<16}0           0     0     644     {:<10}`\n", "x.o/", 4000).bytes());
    assert!(refused(&thin).starts_with("this is a thin archive"));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(read_file(folder.path()), Err(FileError::Folder { .. })));
    let missing = folder.path().join("libmissing.so");
    let error = read_file(&missing).unwrap_err();
    assert!(matches!(error, FileError::Unreadable { .. }) && error.to_string().contains("libmissing.so"));
    let foreign = folder.path().join("notes.txt");
    std::fs::write(&foreign, "not a library").unwrap();
    let error = read_file(&foreign).unwrap_err();
    assert!(matches!(error, FileError::Content { .. }) && error.to_string().contains("notes.txt"), "{error}");
}

#[test]
fn libraries_that_hold_only_ids_say_so() {
    let ids_only = Target { ids_only: true, ..LITTLE_64 };
    let library = read_bytes(&elf_object(&cuvis(), ids_only)).unwrap();
    let expected: Vec<_> = cuvis().contracts.iter().map(|contract| contract.wire_id).collect();
    assert!(library.records.is_empty());
    assert_eq!(library.ids_only.iter().map(|ids| ids.wire_id).collect::<Vec<_>>(), expected);
}

/// A file with the first record of the cuvis family, changed.
fn changed(index: usize, change: impl FnOnce(&mut Lines, &mut Vec<encode::Word>)) -> Vec<u8> {
    let catalog = cuvis();
    let ids = catalog.iter().map(|(id, contract)| (id, (contract.wire_id, contract.source_id))).collect();
    let contract = catalog.get(ContractId(index));
    let mut lines = Lines::of(&catalog, contract);
    let mut words = encode::words(&catalog, contract, &ids);
    change(&mut lines, &mut words);
    let record = lines.encode(&words, LITTLE_64);
    object_file(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little, ".note.wirec", &record.bytes)
}

#[test]
fn a_record_of_the_future_says_what_to_update() {
    let mut section = section(&cuvis(), LITTLE_64);
    section[36..40].copy_from_slice(&2_u32.to_le_bytes());
    let file =
        object_file(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little, ".note.wirec", &section);
    assert!(refused(&file).contains("has format 2, this version reads 1: update"));

    let key = changed(0, |lines, _| lines.wire = lines.wire.replacen("\"repr\"", "\"rules\":[],\"repr\"", 1));
    assert!(refused(&key).contains("the record of IpcBackend says the key `rules`"), "{}", refused(&key));
    let kind = changed(0, |lines, _| lines.wire = lines.wire.replacen("enumeration", "session", 1));
    assert!(refused(&kind).contains("kind `session`"), "{}", refused(&kind));
    let code = changed(2, |_, words| words[3].0 = words[3].0 & !0xff | 0x4d);
    assert!(refused(&code).contains("type code 77"), "{}", refused(&code));
}

#[test]
fn a_record_whose_content_has_other_ids_is_refused_by_name() {
    let records = encode::records(&cuvis(), LITTLE_64);
    let at = |text: &[u8]| records[0].bytes.windows(text.len()).position(|window| window == text).unwrap();
    for (text, id) in
        [(&b"\"i32\""[..], "wire id"), (b"The contract", "source id"), (b"wirecontract_gpu::", "source id")]
    {
        let mut bytes = records[0].bytes.clone();
        bytes[at(text) + 1] ^= 1;
        let file =
            object_file(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little, ".note.wirec", &bytes);
        let message = refused(&file);
        assert!(message.contains("the record of IpcBackend") && message.contains(id), "{message}");
    }
}

#[test]
fn a_record_with_text_that_is_not_utf_8_is_refused() {
    let mut bytes = encode::records(&cuvis(), LITTLE_64)[0].bytes.clone();
    let end = bytes.iter().rposition(|&byte| byte != 0).unwrap();
    bytes[end] = 0xff;
    let file =
        object_file(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little, ".note.wirec", &bytes);
    assert!(refused(&file).contains("its text is not UTF-8"));
}

/// Each of these has ids that fit its content: only a look at what it says can refuse it.
#[test]
fn records_that_break_what_the_model_promises_are_corrupted() {
    let replace = |from: &'static str, to: &'static str| {
        move |lines: &mut Lines, _: &mut Vec<encode::Word>| {
            let changed = lines.wire.replacen(from, to, 1);
            assert_ne!(changed, lines.wire, "{from} stands in {}", lines.wire);
            lines.wire = changed;
        }
    };
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "count of nothing",
            changed(2, replace("[\"blob\"]", "[\"blub\"]")),
            "counts `blub`, which is no field",
        ),
        (
            "count of a scalar",
            changed(2, replace("[\"blob\"]", "[\"size\"]")),
            "counts `size`, which is no array",
        ),
        ("counted twice", changed(2, replace("[\"blob\"]", "[\"ptr_blob\"]")), "counted already"),
        ("empty count", changed(2, replace("[\"blob\"]", "[]")), "counts nothing"),
        ("two roles", changed(3, replace("\"version\":1", "\"version\":1,\"text\":true")), "two roles"),
        ("magic of another length", changed(3, replace("43564950", "435649")), "does not go with its role"),
        ("magic that is no hex", changed(3, replace("43564950", "4356495g")), "no hex"),
        (
            "version that does not fit",
            changed(3, replace("\"version\":1", "\"version\":4294967296")),
            "its role",
        ),
        (
            "fields without words",
            changed(3, |_, words| {
                words.truncate(2);
            }),
            "7 fields, words for 0",
        ),
        (
            "words that end within a field",
            changed(3, |_, words| {
                words.pop();
            }),
            "end within a field",
        ),
        ("two fields of one name", changed(3, replace("\"width\"", "\"height\"")), "two fields `height`"),
        ("a name that is none", changed(3, replace("\"width\"", "\"../width\"")), "no name"),
        ("two values of one number", changed(0, replace("\"value\":1", "\"value\":0")), "another has too"),
        (
            "a value out of range",
            changed(0, replace("\"value\":1", "\"value\":2147483648")),
            "does not fit in i32",
        ),
        ("a repr that is no integer", changed(0, replace("\"i32\"", "\"f32\"")), "no integer"),
        ("no four lines", changed(0, |lines, _| lines.position = String::new()), "EOF"),
        ("words of an enumeration", changed(0, |_, words| words.push((1, false))), "and has words"),
        (
            "a module path up the tree",
            changed(0, |lines, _| {
                lines.module = "a::../b".into();
                lines.position = lines.position.replace("wirecontract_gpu::cuvis", "a::../b");
            }),
            "no module path",
        ),
        ("a zero dimension", changed(3, |_, words| words[4].0 = 0), "dimensions [0]"),
        (
            "five dimensions",
            changed(3, |_, words| {
                words[3].0 = words[3].0 & 0xfff | 5 << 12;
                words.splice(5..5, [(1, false); 4]);
            }),
            "dimensions",
        ),
        ("no byte order", changed(3, |_, words| words[6].0 &= !0x300), "no byte order"),
        (
            "ids of a scalar",
            changed(3, |_, words| {
                words[6].0 |= 1 << 11;
                words.splice(7..7, [(1, false), (1, false), (1, true), (1, true)]);
            }),
            "has ids where",
        ),
    ];
    for (what, file, part) in cases {
        let message = refused(&file);
        assert!(message.contains(part) && message.contains("corrupted"), "{what}: {message}");
    }
}

#[test]
fn descriptors_whose_layout_does_not_add_up_are_corrupted() {
    for (what, at, value, part) in [
        ("size", 0, 200, "reaches beyond the 200 bytes"),
        ("size", 0, 216, "it has 216 bytes, its fields 208"),
        ("alignment", 1, 4, "alignment 4, its fields have alignment 8"),
        ("offset", 5, 5, "`version` is at byte 5, where the one before ends at 4"),
        ("dimension", 4, u32::MAX, "`magic` reaches beyond"),
    ] {
        let file = changed(3, |lines, words| {
            words[at].0 = value;
            if what == "dimension" {
                lines.wire = lines.wire.replace(",\"magic\":\"43564950\"", "");
            }
        });
        let mut library = read_bytes(&file).unwrap();
        library
            .records
            .extend(read_bytes(&elf_object(&cuvis(), LITTLE_64)).unwrap().records.into_iter().take(3));
        let message = resolve(&library.records).unwrap_err()[0].to_string();
        assert!(message.contains(part) && message.contains("corrupted"), "{what}: {message}");
    }
}

#[test]
fn a_contract_held_as_another_kind_is_corrupted() {
    // `backend` of the descriptor becomes flags: what its source id names is an enumeration.
    let file = changed(2, |_, words| words[3].0 = words[3].0 & !0xff | 0x15);
    let mut library = read_bytes(&file).unwrap();
    library.records.extend(read_bytes(&elf_object(&cuvis(), LITTLE_64)).unwrap().records.into_iter().take(2));
    let message = resolve(&library.records).unwrap_err()[0].to_string();
    assert!(message.contains("holds IpcBackend as flags, which is enumeration"), "{message}");
}

/// Whatever is left of a file: no panic, and no contract that was not in the whole one.
#[track_caller]
fn invents_nothing(file: &[u8], catalog: &Catalog) {
    let Ok(library) = read_bytes(file) else { return };
    for record in &library.records {
        let original =
            catalog.contracts.iter().find(|contract| contract.source_id == record.contract.source_id);
        let original = original.expect("every contract read was in the file");
        assert_eq!(record.contract.wire_id, original.wire_id);
        assert_eq!(record.contract.docs, original.docs);
    }
    let _ = resolve(&library.records);
}

#[test]
fn files_cut_off_anywhere_invent_nothing() {
    let everything = everything();
    for file in files() {
        for length in 0..file.len() {
            invents_nothing(&file[..length], &everything);
        }
    }
}

#[test]
fn files_with_a_bit_flipped_anywhere_invent_nothing() {
    let everything = everything();
    for file in files() {
        let mut file = file;
        for at in 0..file.len() {
            file[at] ^= 1 << (at % 8);
            invents_nothing(&file, &everything);
            file[at] ^= 1 << (at % 8);
        }
    }
}

#[test]
fn records_cut_off_anywhere_are_refused_as_truncated() {
    let records = section(&cuvis(), LITTLE_64);
    let whole = encode::records(&cuvis(), LITTLE_64)[0].bytes.len();
    for length in 4..whole {
        let file = object_file(
            BinaryFormat::Elf,
            Architecture::X86_64,
            Endianness::Little,
            ".note.wirec",
            &records[..length],
        );
        let cut_in_padding = length >= whole - 3;
        match read_bytes(&file) {
            Err(ReadError::Truncated { .. }) => {}
            Ok(_) if cut_in_padding => {}
            other => panic!("{length} of {whole} bytes: {other:?}"),
        }
    }
}

fn files() -> Vec<Vec<u8>> {
    let elf = elf_object(&everything(), BIG_32);
    let records = section(&everything(), LITTLE_64);
    vec![
        archive(&[("a.o", &elf_object(&everything(), LITTLE_64))]),
        stripped_elf(&records, LITTLE_64, true),
        stripped_elf(&section(&everything(), BIG_64), BIG_64, false),
        object_file(BinaryFormat::MachO, Architecture::Aarch64, Endianness::Little, "__wirec", &records),
        object_file(BinaryFormat::Coff, Architecture::X86_64, Endianness::Little, ".wirec", &records),
        pe_image(".wirec", &records),
        elf,
    ]
}

/// An archive of many members that are all the same bytes would otherwise be read again and again.
#[test]
fn members_and_sections_that_overlap_are_refused() {
    let object = object_file(
        BinaryFormat::MachO,
        Architecture::X86_64,
        Endianness::Little,
        "__wirec",
        &section(&everything(), LITTLE_64),
    );
    let count = 1000_u32;
    let mut file = 0xcafe_babe_u32.to_be_bytes().to_vec();
    file.extend(count.to_be_bytes());
    let start = 8 + 20 * count;
    for _ in 0..count {
        for value in [0x0100_0007, 3, start, u32::try_from(object.len()).unwrap(), 2] {
            file.extend(value.to_be_bytes());
        }
    }
    file.extend(&object);
    assert!(refused(&file).contains("its members overlap"));
}

#[test]
fn a_field_knows_what_it_holds_by_the_catalogs_ids() {
    let library = read_bytes(&elf_object(&everything(), LITTLE_64)).unwrap();
    let catalog = resolve(&library.records).unwrap();
    let outer = catalog.contracts.iter().find(|contract| contract.name == "Outer").unwrap();
    let Element::Descriptor(id) = outer.descriptor().fields[2].ty.element else { panic!("not a descriptor") };
    assert_eq!(catalog.get(id).name, "Inner");
}

//! Libraries built by hand around encoded records.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use object::write::{Object, StandardSegment};
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use wirecontract_codegen::catalog::encode::{self, Target};
use wirecontract_codegen::fixtures::{contract, field};
use wirecontract_codegen::model::{
    Body, Catalog, ContractId, DataKey, DataType, DataValue, Descriptor, Element, Endian, EnumValue,
    Enumeration, Flags, Layout, Role, Scalar, Spelled, Type,
};

pub const LITTLE_64: Target = Target::X86_64;
pub const BIG_64: Target = Target { big: true, pointer: 8, ids_only: false };
pub const LITTLE_32: Target = Target { big: false, pointer: 4, ids_only: false };
pub const BIG_32: Target = Target { big: true, pointer: 4, ids_only: false };

/// The bytes of a section of records, each behind some padding, as a linker may leave them.
pub fn section(catalog: &Catalog, target: Target) -> Vec<u8> {
    let mut section = Vec::new();
    for record in encode::records(catalog, target) {
        section.extend(record.bytes);
        section.extend([0; 8]);
    }
    section
}

/// An object file with one section of that name.
pub fn object_file(
    format: BinaryFormat,
    architecture: Architecture,
    endian: Endianness,
    name: &str,
    content: &[u8],
) -> Vec<u8> {
    let mut object = Object::new(format, architecture, endian);
    let text = object.section_id(object::write::StandardSection::Text);
    object.append_section_data(text, &[0x90; 16], 16);
    let segment = object.segment_name(StandardSegment::Data).to_vec();
    let kind = if format == BinaryFormat::Elf { SectionKind::Note } else { SectionKind::Data };
    let id = object.add_section(segment, name.as_bytes().to_vec(), kind);
    object.append_section_data(id, content, 8);
    object.write().expect("the object file is well-formed")
}

/// A little-endian object file of 64 bits around these records.
pub fn section_file(records: &[u8]) -> Vec<u8> {
    object_file(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little, ".note.wirec", records)
}

pub fn elf_object(catalog: &Catalog, target: Target) -> Vec<u8> {
    let (architecture, endian) = match (target.big, target.pointer) {
        (false, 8) => (Architecture::X86_64, Endianness::Little),
        (false, _) => (Architecture::I386, Endianness::Little),
        (true, 8) => (Architecture::S390x, Endianness::Big),
        (true, _) => (Architecture::Mips, Endianness::Big),
    };
    object_file(BinaryFormat::Elf, architecture, endian, ".note.wirec", &section(catalog, target))
}

/// An executable without section headers, with or without a segment of notes over `content`.
pub fn stripped_elf(content: &[u8], target: Target, with_note_segment: bool) -> Vec<u8> {
    elf_image(content, target, with_note_segment, false)
}

/// An executable whose section headers are gone, or say nothing.
pub fn elf_image(
    content: &[u8],
    target: Target,
    with_note_segment: bool,
    with_section_headers: bool,
) -> Vec<u8> {
    let wide = target.pointer == 8;
    let mut file = vec![0x7f, b'E', b'L', b'F', 1 + u8::from(wide), 1 + u8::from(target.big), 1];
    file.resize(16, 0);
    let half = |file: &mut Vec<u8>, value: u16| {
        file.extend(if target.big { value.to_be_bytes() } else { value.to_le_bytes() });
    };
    let word = |file: &mut Vec<u8>, value: u32| {
        file.extend(if target.big { value.to_be_bytes() } else { value.to_le_bytes() });
    };
    let address = |file: &mut Vec<u8>, value: u32| {
        if wide {
            let value = u64::from(value);
            file.extend(if target.big { value.to_be_bytes() } else { value.to_le_bytes() });
        } else {
            word(file, value);
        }
    };
    let (header, entry) = if wide { (64, 56) } else { (52, 32) };
    // One section header is the empty one that every table starts with.
    let (start, sections) = (header + entry + 64, u32::from(with_section_headers));
    let length = u32::try_from(content.len()).unwrap();
    let (section_headers, section_entry) = ((start + length).next_multiple_of(8), if wide { 64 } else { 40 });
    half(&mut file, 3); // shared object
    half(&mut file, 62);
    word(&mut file, 1);
    address(&mut file, 0); // entry
    address(&mut file, header); // program headers
    address(&mut file, section_headers * sections);
    word(&mut file, 0);
    for value in [header, entry, 1, section_entry * sections, sections, 0] {
        half(&mut file, u16::try_from(value).unwrap());
    }
    let kind = if with_note_segment { 4 } else { 1 };
    word(&mut file, kind);
    if wide {
        word(&mut file, 4);
    }
    for value in [start, start, start, length, length] {
        address(&mut file, value);
    }
    if !wide {
        word(&mut file, 4);
    }
    address(&mut file, 4);
    file.resize(start as usize, 0xa5);
    file.extend(content);
    if with_section_headers {
        file.resize((section_headers + section_entry) as usize, 0);
    }
    file
}

/// An archive as GNU `ar` writes it.
pub fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = b"!<arch>\n".to_vec();
    for (name, content) in members {
        file.extend(
            format!("{:<16}0           0     0     644     {:<10}`\n", format!("{name}/"), content.len())
                .bytes(),
        );
        file.extend(*content);
        if content.len() % 2 == 1 {
            file.push(b'\n');
        }
    }
    file
}

/// A catalog that uses all that a record can say.
pub fn everything() -> Catalog {
    let value = |name: &str, wire_name: &str, number: i128, data: Vec<DataValue>| EnumValue {
        name: name.into(),
        wire_name: wire_name.into(),
        aliases: vec![format!("{wire_name}-alias")],
        value: number,
        docs: format!("The value {name}: \"quoted\", größer\nsecond line."),
        c_name: Some(format!("C_{name}")),
        since: Some(2),
        deprecated: Some("use another".into()),
        data,
    };
    let data = |bytes: i128, large: i128, flag: bool, text: &str| {
        vec![
            DataValue::Integer(bytes),
            DataValue::Integer(large),
            DataValue::Bool(flag),
            DataValue::Text(text.into()),
        ]
    };
    let key = |name: &str, ty| DataKey { name: name.into(), ty };
    let format = Enumeration {
        repr: Scalar::I64,
        values: vec![
            value("Smallest", "smallest", i64::MIN.into(), data(-1, u64::MAX.into(), true, "<u2")),
            value("Largest", "largest", i64::MAX.into(), data(2, 0, false, "|u1")),
        ],
        data: vec![
            key("sample_bytes", DataType::I64),
            key("limit", DataType::U64),
            key("planar", DataType::Bool),
            key("typestr", DataType::Text),
        ],
        spelled: Spelled::Names,
        fold: false,
    };
    let flags = Flags {
        repr: Scalar::U64,
        values: vec![value("Low", "low", 1, vec![]), value("High", "high", 1 << 63 | 6, vec![])],
        open: true,
        spelled: Spelled::Integer,
    };
    let with_endian = |name: &str, offset, element, dims: &[u32], endian| {
        let mut field = field(name, offset, element, dims, Role::Value);
        field.ty = Type { endian, ..field.ty };
        field
    };
    let open = Element::Enumeration { contract: ContractId(0), open: true };
    let closed = Element::Enumeration { contract: ContractId(0), open: false };
    let byte = Element::Scalar(Scalar::U8);
    let mut inner_fields = vec![
        field("magic", 0, byte, &[4], Role::Magic(b"\0\xffAB".to_vec())),
        field("version", 4, Element::Scalar(Scalar::U32), &[], Role::Version(u32::MAX.into())),
        with_endian("format", 8, open, &[2], Endian::Big),
        with_endian("options", 24, Element::Flags { contract: ContractId(1) }, &[], Endian::Native),
    ];
    inner_fields[3].was = Some("flags".into());
    inner_fields[3].c_name = Some("wc_options".into());
    inner_fields[3].deprecated = Some("not used".into());
    let inner = Descriptor {
        layout: Layout::Natural,
        size: 32,
        align: 8,
        fields: inner_fields,
        conditions: Vec::new(),
        rules: Vec::new(),
        growth: None,
    };
    let outer = Descriptor {
        layout: Layout::Packed,
        size: 1 + 1 + 2 * 32 + 8 + 3 + 24 + 5 + 16,
        align: 1,
        fields: vec![
            field("count", 0, byte, &[], Role::LengthOf(vec![2, 6])),
            field("valid", 1, Element::Scalar(Scalar::Bool), &[], Role::Value),
            field("inner", 2, Element::Descriptor(ContractId(2)), &[2], Role::Value),
            field("format", 66, closed, &[], Role::Value),
            field("_reserved", 74, byte, &[3], Role::Reserved { zero: true }),
            with_endian("matrix", 77, Element::Scalar(Scalar::F32), &[1, 2, 3, 1], Endian::Big),
            field("label", 101, byte, &[5], Role::Value),
            field("text", 106, byte, &[16], Role::Text),
        ],
        conditions: Vec::new(),
        rules: Vec::new(),
        growth: None,
    };
    let mut contracts = vec![
        contract("Format", Body::Enumeration(format)),
        contract("Options", Body::Flags(flags)),
        contract("Inner", Body::Descriptor(inner)),
        contract("Outer", Body::Descriptor(outer)),
    ];
    contracts[2].was = Some("OldInner".into());
    contracts[2].version = Some(3);
    contracts[2].since = Some(2);
    contracts[2].deprecated = Some("replaced".into());
    contracts[2].c_name = Some("inner_t".into());
    for (line, contract) in (1..).zip(&mut contracts) {
        contract.line = line;
    }
    with_ids(Catalog { contracts })
}

/// The catalog with the ids that its records state.
pub fn with_ids(mut catalog: Catalog) -> Catalog {
    let encoded = encode::records(&catalog, LITTLE_64);
    for (contract, record) in catalog.contracts.iter_mut().zip(encoded) {
        contract.wire_id = record.wire_id;
        contract.source_id = record.source_id;
    }
    catalog
}

//! Descriptors that grow in every form of default: enumerations, flags, wide numbers, rows of arrays, big-endian fields.

use wirecontract_codegen::fixtures::{self, field};
use wirecontract_codegen::model::{
    Body, Catalog, Contract, ContractId, Descriptor, Element, Endian, EnumValue, Enumeration, Field, Flags,
    Growth, Layout, Role, Scalar, Spelled,
};

const PACKING: ContractId = ContractId(0);
const ABILITY: ContractId = ContractId(1);
const LAST: ContractId = ContractId(2);

/// All of them, in the family `grown`.
pub fn catalog() -> Catalog {
    Catalog { contracts: vec![packing(), ability(), last(), forms(), outer()] }
}

fn contract(name: &str, body: Body) -> Contract {
    Contract { module: "wirecontract_gpu::grown".into(), ..fixtures::contract(name, body) }
}

fn value(name: &str, value: i128) -> EnumValue {
    EnumValue {
        name: name.into(),
        wire_name: name.into(),
        aliases: Vec::new(),
        value,
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        data: Vec::new(),
    }
}

fn packing() -> Contract {
    let values = vec![value("Tight", -1), value("Rows", 2)];
    let body =
        Enumeration { repr: Scalar::I16, values, data: Vec::new(), spelled: Spelled::Names, fold: false };
    contract("Packing", Body::Enumeration(body))
}

fn ability() -> Contract {
    let values = vec![value("Map", 1), value("Fence", 2), value("Wait", 4)];
    contract(
        "Ability",
        Body::Flags(Flags { repr: Scalar::U16, values, open: true, spelled: Spelled::Integer }),
    )
}

fn descriptor(name: &str, fields: Vec<Field>, sizes: &[u32], defaults: Vec<u8>) -> Contract {
    let size = *sizes.last().expect("a version");
    assert_eq!(defaults.len(), (size - sizes[0]) as usize, "the defaults of {name}");
    let growth = Growth { sizes: sizes.to_vec(), defaults };
    let body = Descriptor {
        layout: Layout::Packed,
        size,
        align: 1,
        fields,
        conditions: Vec::new(),
        rules: Vec::new(),
        growth: Some(growth),
    };
    Contract {
        version: Some(u32::try_from(sizes.len()).expect("a few")),
        ..contract(name, Body::Descriptor(body))
    }
}

fn scalar(name: &str, offset: u32, scalar: Scalar, dims: &[u32], since: u32) -> Field {
    of(name, offset, Element::Scalar(scalar), dims, since)
}

fn of(name: &str, offset: u32, element: Element, dims: &[u32], since: u32) -> Field {
    Field { since: (since > 1).then_some(since), ..field(name, offset, element, dims, Role::Value) }
}

fn big(mut field: Field) -> Field {
    field.ty.endian = Endian::Big;
    field
}

/// Its length says the version; it has a field in what was reserved, and stands last in [`forms`].
fn last() -> Contract {
    let fields = vec![
        scalar("a", 0, Scalar::U16, &[], 1),
        scalar("b", 2, Scalar::U16, &[], 2),
        big(scalar("c", 4, Scalar::U32, &[], 2)),
    ];
    descriptor("Last", fields, &[4, 8], vec![1, 2, 3, 4])
}

/// Says its version in 64 bits.
fn forms() -> Contract {
    let native = |mut field: Field| {
        field.ty.endian = Endian::Native;
        field
    };
    let fields = vec![
        Field { role: Role::Version(2), ..big(scalar("version", 0, Scalar::U64, &[], 1)) },
        of("packing", 8, Element::Enumeration { contract: PACKING, open: false }, &[], 2),
        of("open", 10, Element::Enumeration { contract: PACKING, open: true }, &[], 2),
        of("abilities", 12, Element::Flags { contract: ABILITY }, &[], 2),
        of("odd", 14, Element::Flags { contract: ABILITY }, &[], 2),
        big(scalar("rows", 16, Scalar::I16, &[2, 3], 2)),
        native(scalar("large", 28, Scalar::U64, &[], 2)),
        scalar("double", 36, Scalar::F64, &[], 2),
        scalar("single", 44, Scalar::F32, &[2], 2),
        Field { role: Role::Text, ..scalar("text", 52, Scalar::U8, &[8], 2) },
        scalar("zeros", 60, Scalar::U8, &[4], 2),
        of("each", 64, Element::Enumeration { contract: PACKING, open: false }, &[2], 2),
        scalar("least", 68, Scalar::I32, &[], 2),
    ];
    let mut defaults = Vec::new();
    defaults.extend((-1_i16).to_le_bytes());
    defaults.extend(9_i16.to_le_bytes());
    defaults.extend([5, 0]);
    defaults.extend([0x18, 0]);
    defaults.extend([-1_i16, 2, -3, 4, -5, 6].into_iter().flat_map(i16::to_be_bytes));
    defaults.extend((1_u64 << 40 | 3).to_le_bytes());
    defaults.extend(1e-7_f64.to_le_bytes());
    defaults.extend([0.1_f32, -2.0].into_iter().flat_map(f32::to_le_bytes));
    defaults.extend("é'\\?\n\0\0".as_bytes());
    defaults.extend([0; 4]);
    defaults.extend([2_i16, -1].into_iter().flat_map(i16::to_le_bytes));
    defaults.extend(i32::MIN.to_le_bytes());
    descriptor("Forms", fields, &[8, 72], defaults)
}

/// Grows with what stands last in it, and with a field of that in what was reserved.
fn outer() -> Contract {
    let fields = vec![
        Field { role: Role::Magic(b"OU".to_vec()), ..scalar("magic", 0, Scalar::U8, &[2], 1) },
        Field { role: Role::Version(2), ..scalar("version", 2, Scalar::U8, &[], 1) },
        of("last", 3, Element::Descriptor(LAST), &[], 1),
    ];
    descriptor("Outer", fields, &[7, 11], vec![1, 2, 3, 4])
}

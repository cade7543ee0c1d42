//! Descriptors that grow, for the Python emitter's tests: the fixture, and what only Python makes hard.

use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::{
    Body, Catalog, ContractId, Descriptor, Element, Endian, EnumValue, Enumeration, Field, Flags, Growth,
    Layout, Role, Scalar, Spelled, Type,
};

/// The catalog: one family, `growing`.
pub(crate) fn catalog() -> Catalog {
    let mut catalog = fixtures::growing();
    let packing = add(&mut catalog, "Packing", enumeration(Scalar::U8, &[("Tight", 1), ("Rows", 2)]));
    let level = add(&mut catalog, "Level", enumeration(Scalar::I16, &[("Low", -2), ("High", 300)]));
    let ability = add(&mut catalog, "Ability", flags(false));
    let loose = add(&mut catalog, "Loose", flags(true));
    let region = Element::Descriptor(ContractId(0));
    let parts = vec![
        part("magic", scalar(Scalar::U8), &[2], 1, b"EV").role(Role::Magic(b"EV".to_vec())),
        part("revision", scalar(Scalar::U64), &[], 1, &[]).big().role(Role::Version(4)),
        part("tuple", scalar(Scalar::U8), &[], 1, &[]),
        part("range", scalar(Scalar::U16), &[], 3, &[0; 2]).big(),
        part("map", scalar(Scalar::U8), &[], 1, &[]),
        // From here on later versions, the second first.
        part("packing", Element::Enumeration { contract: packing, open: false }, &[], 2, &[2]),
        part("next", Element::Enumeration { contract: packing, open: true }, &[], 2, &[9]),
        part("level", Element::Enumeration { contract: level, open: false }, &[], 2, &[0xfe, 0xff]),
        part("ability", Element::Flags { contract: ability }, &[], 2, &[3, 0]),
        part("loose", Element::Flags { contract: loose }, &[], 2, &[0, 0x80]).big(),
        part("digest", scalar(Scalar::U8), &[64], 2, &[0xab; 64]),
        part(
            "title",
            scalar(Scalar::U8),
            &[80],
            2,
            &padded(b"a \"quoted\" \\ title of more than forty bytes", 80),
        )
        .role(Role::Text),
        part("note", scalar(Scalar::U8), &[16], 2, &padded("\u{fc}ber".as_bytes(), 16)).role(Role::Text),
        part("matrix", scalar(Scalar::I16), &[2, 2], 2, &[1, 0, 0xff, 0xff, 3, 0, 4, 0]),
        part("weights", scalar(Scalar::F32), &[12], 2, &0.1_f32.to_le_bytes().repeat(12)),
        part("far", scalar(Scalar::F64), &[], 2, &f64::INFINITY.to_le_bytes()),
        part("none", scalar(Scalar::F32), &[], 2, &f32::from_bits(0x7fa0_0001).to_le_bytes()),
        part("small", scalar(Scalar::F32), &[], 2, &(-0.0_f32).to_le_bytes()),
        part("from_bytes_or_newer", scalar(Scalar::F64), &[], 2, &1e-300_f64.to_le_bytes()),
        part("is_hot", scalar(Scalar::Bool), &[3], 2, &[1, 0, 1]),
        part("are_hot", scalar(Scalar::Bool), &[20], 2, &[1; 20]),
        part("regions", region, &[2], 2, &[1, 0, 2, 0, 3, 0, 4, 0]),
        part("grid", region, &[2, 1], 3, &[0; 8]),
        part("from", scalar(Scalar::U32), &[], 3, &7_u32.to_le_bytes()),
        part("count", scalar(Scalar::U8), &[], 3, &[2]).role(Role::LengthOf(vec![25, 26])),
        part("WIRE_SIZES", scalar(Scalar::U8), &[3], 3, &[5, 6, 0]),
        part("pairs", scalar(Scalar::U16), &[3, 2], 3, &[1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 0, 0]),
        part("many", scalar(Scalar::U32), &[40], 3, &9_u32.to_be_bytes().repeat(40)).big(),
        part("_pad", scalar(Scalar::U8), &[3], 3, &[0; 3]).role(Role::Reserved { zero: true }),
        part("version_of", scalar(Scalar::I64), &[], 4, &i64::MIN.to_le_bytes()),
    ];
    let everything = descriptor(&catalog, parts, 4);
    add(&mut catalog, "Everything", everything);
    // A class may be called like what its readers hold, and a field like what they are given.
    for name in ["value", "image", "size", "int"] {
        let parts = vec![
            part("version", scalar(Scalar::U8), &[], 1, &[]).role(Role::Version(2)),
            part("data", scalar(Scalar::U16), &[], 2, &[1, 2]).big(),
        ];
        let body = descriptor(&catalog, parts, 2);
        add(&mut catalog, name, body);
    }
    // It may grow, and has not yet.
    let body = descriptor(&catalog, vec![part("a", scalar(Scalar::U8), &[], 1, &[])], 1);
    add(&mut catalog, "Young", body);
    for contract in &mut catalog.contracts {
        contract.package = "growth".into();
        contract.module = "growth::growing".into();
    }
    catalog
}

/// Its family, in a package of its own: `growth_contracts`.
pub(crate) fn input(catalog: &Catalog) -> EmitInput<'_> {
    let mut input = fixtures::input(catalog);
    for family in &mut input.families {
        family.package.python_package = "growth_contracts".into();
    }
    input
}

fn add(catalog: &mut Catalog, name: &str, body: Body) -> ContractId {
    catalog.contracts.push(fixtures::contract(name, body));
    ContractId(catalog.contracts.len() - 1)
}

fn scalar(scalar: Scalar) -> Element {
    Element::Scalar(scalar)
}

fn padded(text: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = text.to_vec();
    bytes.resize(size, 0);
    bytes
}

fn value((name, value): &(&str, i128)) -> EnumValue {
    EnumValue {
        name: (*name).into(),
        wire_name: (*name).into(),
        aliases: Vec::new(),
        value: *value,
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        data: Vec::new(),
    }
}

fn enumeration(repr: Scalar, values: &[(&str, i128)]) -> Body {
    let values = values.iter().map(value).collect();
    Body::Enumeration(Enumeration { repr, values, data: Vec::new(), spelled: Spelled::Names, fold: false })
}

fn flags(open: bool) -> Body {
    let values = [("Map", 1), ("Fence", 2)].iter().map(value).collect();
    let spelled = if open { Spelled::Integer } else { Spelled::Names };
    Body::Flags(Flags { repr: Scalar::U16, values, open, spelled })
}

/// A field, the version it came with and its default.
struct Part {
    field: Field,
    since: u32,
    default: Vec<u8>,
}

fn part(name: &str, element: Element, dims: &[u32], since: u32, default: &[u8]) -> Part {
    let field = Field {
        since: (since > 1).then_some(since),
        ty: Type { element, dims: dims.to_vec(), endian: Endian::Little },
        ..fixtures::field(name, 0, element, dims, Role::Value)
    };
    Part { field, since, default: default.to_vec() }
}

impl Part {
    fn big(mut self) -> Part {
        self.field.ty.endian = Endian::Big;
        self
    }

    fn role(mut self, role: Role) -> Part {
        self.field.role = role;
        self
    }
}

/// A packed descriptor of these; a part that is newer than what stands behind it was reserved before.
fn descriptor(catalog: &Catalog, parts: Vec<Part>, newest: u32) -> Body {
    let (mut fields, mut size) = (Vec::new(), 0);
    let mut sizes = vec![0; newest as usize];
    let mut defaults = Vec::new();
    for part in parts {
        let field = Field { offset: size, ..part.field };
        let bytes = catalog.field_size(&field);
        size += bytes;
        for (of, version) in sizes.iter_mut().zip(1..) {
            if version >= part.since {
                *of = size;
            }
        }
        defaults.resize(size as usize, 0);
        if part.since > 1 {
            defaults[field.offset as usize..].copy_from_slice(&part.default);
        }
        fields.push(field);
    }
    let defaults = defaults.split_off(sizes[0] as usize);
    let (conditions, rules, layout) = (Vec::new(), Vec::new(), Layout::Packed);
    let growth = Some(Growth { sizes, defaults });
    Body::Descriptor(Descriptor { layout, size, align: 1, fields, conditions, rules, growth })
}

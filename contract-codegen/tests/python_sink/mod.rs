//! A catalog of everything the Python emitter has to cope with, spread over families that nest each other's contracts
//! and over two packages.

use wirecontract_codegen::emit::{EmitInput, Family, PackageConfig};
use wirecontract_codegen::model::{
    Body, Catalog, Contract, ContractId, DataKey, DataType, DataValue, Descriptor, Element, Endian,
    EnumValue, Enumeration, Field, Flags, Layout, Role, Scalar, Spelled, Type,
};

/// The catalog, and its families: `other.contracts.base` of another package, the rest in `sink_contracts`.
pub(crate) fn catalog() -> Catalog {
    let mut sink = Sink::default();
    sink.base();
    sink.enumerations();
    sink.shapes();
    sink.names();
    sink.circle();
    Catalog { contracts: sink.contracts }
}

/// All families, all selected.
pub(crate) fn input(catalog: &Catalog) -> EmitInput<'_> {
    let mut families: Vec<Family> = Vec::new();
    for (id, contract) in catalog.iter() {
        let mut package = PackageConfig::default_for(&contract.package);
        let python = if contract.package == "sink" { "sink_contracts" } else { "other.contracts" };
        package.python_package = python.into();
        match families.iter_mut().find(|it| it.name == contract.family() && it.package == package) {
            Some(family) => family.contracts.push(id),
            None => {
                families.push(Family { package, name: contract.family().to_owned(), contracts: vec![id] });
            }
        }
    }
    let selected = (0..families.len()).collect();
    EmitInput { catalog, families, selected }
}

#[derive(Default)]
struct Sink {
    contracts: Vec<Contract>,
}

/// A field of [`Sink::descriptor`], which computes its offset.
type Part = (&'static str, Element, Vec<u32>, Endian, Role);

const LITTLE: Endian = Endian::Little;
const BIG: Endian = Endian::Big;
const NATIVE: Endian = Endian::Native;

fn scalar(scalar: Scalar) -> Element {
    Element::Scalar(scalar)
}

fn part(name: &'static str, element: Element, dims: &[u32]) -> Part {
    (name, element, dims.to_vec(), LITTLE, Role::Value)
}

fn with(part: Part, endian: Endian, role: Role) -> Part {
    (part.0, part.1, part.2, endian, role)
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

impl Sink {
    fn add(&mut self, module: &str, name: &str, docs: &str, body: Body) -> ContractId {
        let id = self.contracts.len() as u64 + 1;
        self.contracts.push(Contract {
            name: name.into(),
            was: None,
            package: module.split("::").next().unwrap_or_default().into(),
            package_version: "0.1.0".into(),
            module: module.into(),
            file: "src/lib.rs".into(),
            line: 1,
            docs: docs.into(),
            version: None,
            earlier: Vec::new(),
            since: None,
            deprecated: None,
            c_name: None,
            wire_id: 0xfeed_0000_0000_0000 | id,
            source_id: id,
            body,
        });
        ContractId(self.contracts.len() - 1)
    }

    /// A packed descriptor of these fields.
    fn descriptor(&mut self, module: &str, name: &str, parts: Vec<Part>) -> ContractId {
        let known = Catalog { contracts: std::mem::take(&mut self.contracts) };
        let mut size = 0;
        let mut fields = Vec::new();
        for (name, element, dims, endian, role) in parts {
            let field = Field {
                name: name.into(),
                was: None,
                docs: format!("What {name} holds."),
                c_name: None,
                since: None,
                deprecated: None,
                offset: size,
                ty: Type { element, dims, endian },
                role,
            };
            size += known.field_size(&field);
            fields.push(field);
        }
        self.contracts = known.contracts;
        let body = Body::Descriptor(Descriptor {
            layout: Layout::Packed,
            size,
            align: 1,
            fields,
            conditions: Vec::new(),
            rules: Vec::new(),
            growth: None,
        });
        self.add(module, name, &format!("The contract {name}."), body)
    }

    fn enumeration(&mut self, module: &str, name: &str, repr: Scalar, values: Vec<EnumValue>) -> ContractId {
        self.add(
            module,
            name,
            "",
            Body::Enumeration(Enumeration {
                repr,
                values,
                data: Vec::new(),
                spelled: Spelled::Names,
                fold: false,
            }),
        )
    }

    fn base(&mut self) {
        let unit =
            self.enumeration("other::base", "Unit", Scalar::U8, vec![value("Meter", 0), value("Foot", 2)]);
        self.descriptor(
            "other::base",
            "Point",
            vec![
                part("unit", Element::Enumeration { contract: unit, open: false }, &[]),
                part("x", scalar(Scalar::F32), &[]),
                with(part("y", scalar(Scalar::F64), &[]), BIG, Role::Value),
            ],
        );
    }

    fn id(&self, name: &str) -> ContractId {
        let index = self.contracts.iter().position(|contract| contract.name == name);
        ContractId(index.unwrap_or_else(|| panic!("{name} comes later")))
    }

    fn closed(&self, name: &str) -> Element {
        Element::Enumeration { contract: self.id(name), open: false }
    }

    fn open(&self, name: &str) -> Element {
        Element::Enumeration { contract: self.id(name), open: true }
    }

    fn flags(&self, name: &str) -> Element {
        Element::Flags { contract: self.id(name) }
    }

    fn nested(&self, name: &str) -> Element {
        Element::Descriptor(self.id(name))
    }

    fn enumerations(&mut self) {
        let format = |name: &str, number, bytes, signed, typestr: &str| EnumValue {
            data: vec![
                DataValue::Integer(bytes),
                DataValue::Integer(i128::from(u64::MAX)),
                DataValue::Bool(signed),
                DataValue::Text(typestr.into()),
            ],
            ..value(name, number)
        };
        let keys = [
            ("sample_bytes", DataType::I64),
            ("name", DataType::U64),
            ("signed", DataType::Bool),
            ("typestr", DataType::Text),
        ];
        let mut first = format("U8", 1, 1, false, "|u1");
        first.aliases = vec!["mono8".into(), "8-bit".into(), "u8".into()];
        first.docs = "One byte: \"\"\"raw\"\"\" \\x00".into();
        let body = Body::Enumeration(Enumeration {
            repr: Scalar::I32,
            values: vec![first, format("F32", -4, 4, true, "<f\"4\"")],
            data: keys.map(|(name, ty)| DataKey { name: name.into(), ty }).to_vec(),
            spelled: Spelled::Names,
            fold: false,
        });
        self.add("sink::kinds", "SampleFormat", "How a sample is stored: \"quoted\"", body);
        self.enumeration(
            "sink::kinds",
            "Odd",
            Scalar::U16,
            vec![
                value("Name", 0),
                value("value", 1),
                value("mro", 2),
                value("_x_", 3),
                value("__Private", 4),
                value("WireId", 5),
                value("None", 6),
                value("Self_", 7),
            ],
        );
        self.enumeration("sink::kinds", "Wide", Scalar::I64, vec![value("Least", i128::from(i64::MIN))]);
        self.enumeration("sink::kinds", "Most", Scalar::U64, vec![value("Most", i128::from(u64::MAX))]);
        let bits = |open, repr, values| Body::Flags(Flags { repr, values, open, spelled: Spelled::Integer });
        let three = || vec![value("Read", 1), value("Write", 2), value("Mask", 0x30)];
        self.add("sink::kinds", "Access", "", bits(false, Scalar::U16, three()));
        self.add("sink::kinds", "Loose", "", bits(true, Scalar::U64, three()));
        let all = (0..8).map(|bit| value(&format!("Bit{bit}"), 1 << bit)).collect();
        self.add("sink::kinds", "Full", "", bits(false, Scalar::U8, all));
    }

    fn shapes(&mut self) {
        let module = "sink::shapes";
        let every = |endian| {
            Scalar::ALL.map(|it| with(part(it.name(), scalar(it), &[]), endian, Role::Value)).to_vec()
        };
        self.descriptor(module, "Little", every(LITTLE));
        self.descriptor(module, "Big", every(BIG));
        self.descriptor(module, "Native", every(NATIVE));
        let orders = [LITTLE, BIG, NATIVE];
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
        let mixed = Scalar::ALL.iter().zip(names).enumerate();
        let mixed =
            mixed.map(|(at, (&it, name))| with(part(name, scalar(it), &[]), orders[at % 3], Role::Value));
        self.descriptor(module, "Mixed", mixed.collect());
        self.descriptor(
            module,
            "Header",
            vec![
                with(part("first", scalar(Scalar::U8), &[2]), LITTLE, Role::Magic(b"\"\\".to_vec())),
                with(part("revision", scalar(Scalar::U16), &[]), BIG, Role::Version(3)),
                part("kind", self.closed("SampleFormat"), &[]),
                with(
                    part("second", scalar(Scalar::U8), &[20]),
                    LITTLE,
                    Role::Magic(b"twenty bytes of magic".to_vec()[..20].to_vec()),
                ),
                with(part("minor", scalar(Scalar::U8), &[]), LITTLE, Role::Version(1)),
                with(part("zero", scalar(Scalar::U32), &[3]), LITTLE, Role::Reserved { zero: true }),
                with(part("ignored", scalar(Scalar::U16), &[2]), LITTLE, Role::Reserved { zero: false }),
                with(part("label", scalar(Scalar::U8), &[8]), LITTLE, Role::Text),
            ],
        );
        self.descriptor(
            module,
            "Kinds",
            vec![
                part("closed", self.closed("SampleFormat"), &[]),
                with(part("open", self.open("SampleFormat"), &[]), BIG, Role::Value),
                part("access", self.flags("Access"), &[]),
                with(part("loose", self.flags("Loose"), &[]), BIG, Role::Value),
                part("full", self.flags("Full"), &[]),
                part("closed_many", self.closed("Odd"), &[3]),
                with(part("open_many", self.open("Odd"), &[2, 2]), BIG, Role::Value),
                part("access_many", self.flags("Access"), &[2]),
                part("loose_many", self.flags("Loose"), &[2]),
                part("wide", self.closed("Wide"), &[]),
                with(part("most", self.closed("Most"), &[]), NATIVE, Role::Value),
                part("yes", scalar(Scalar::Bool), &[2, 3]),
            ],
        );
        self.descriptor(
            module,
            "Arrays",
            vec![
                part("bytes", scalar(Scalar::U8), &[5]),
                part("grid", scalar(Scalar::U8), &[2, 3]),
                with(part("words", scalar(Scalar::I16), &[3]), BIG, Role::Value),
                with(part("deep", scalar(Scalar::U32), &[2, 1, 2, 2]), NATIVE, Role::Value),
                part("singles", scalar(Scalar::F32), &[2]),
                with(part("doubles", scalar(Scalar::F64), &[2]), BIG, Role::Value),
                part("points", self.nested("Point"), &[2]),
                part("table", self.nested("Point"), &[2, 1]),
            ],
        );
        self.counted();
        self.extremes();
    }

    fn counted(&mut self) {
        let module = "sink::shapes";
        let counts = |fields: &[usize]| Role::LengthOf(fields.to_vec());
        self.descriptor(
            module,
            "Counted",
            vec![
                // The first array stands before its count.
                part("words", scalar(Scalar::U16), &[4]),
                with(part("n", scalar(Scalar::U8), &[]), LITTLE, counts(&[0, 2])),
                part("singles", scalar(Scalar::F32), &[6]),
                with(part("rows_len", scalar(Scalar::U64), &[]), BIG, counts(&[4])),
                with(part("rows", scalar(Scalar::I32), &[3, 2]), BIG, Role::Value),
                with(part("points_len", scalar(Scalar::U32), &[]), LITTLE, counts(&[6])),
                part("points", self.nested("Point"), &[2]),
                with(part("flags_len", scalar(Scalar::U32), &[]), LITTLE, counts(&[8, 9, 10])),
                part("flags", self.flags("Access"), &[3]),
                part("yes", scalar(Scalar::Bool), &[3]),
                part("open", self.open("Odd"), &[3]),
                with(part("long_len", scalar(Scalar::U8), &[]), LITTLE, counts(&[12])),
                part("long", scalar(Scalar::U8), &[300]),
            ],
        );
        self.descriptor(
            module,
            "Outer",
            vec![
                part("header", self.nested("Header"), &[]),
                part("header_", self.nested("Point"), &[]),
                part("mixed", self.nested("Mixed"), &[]),
                part("many", self.nested("Counted"), &[2]),
                part("label", scalar(Scalar::U8), &[]),
            ],
        );
    }

    fn extremes(&mut self) {
        let module = "sink::shapes";
        let fields = (0..300).map(|at| {
            let name: &'static str = Box::leak(format!("field_{at}").into_boxed_str());
            part(name, scalar(if at % 7 == 0 { Scalar::U16 } else { Scalar::I64 }), &[])
        });
        let fields = fields.collect();
        self.descriptor(module, "Fields300", fields);
        self.descriptor(module, "Holder", vec![part("big", self.nested("Fields300"), &[])]);
        self.descriptor(
            module,
            "OnlyMagic",
            vec![with(part("magic", scalar(Scalar::U8), &[4]), LITTLE, Role::Magic(b"\0\n\"\xff".to_vec()))],
        );
        self.descriptor(
            module,
            "OnlyReserved",
            vec![with(part("pad", scalar(Scalar::U8), &[4]), LITTLE, Role::Reserved { zero: false })],
        );
        self.descriptor(
            module,
            "Pair",
            vec![
                part("nothing", self.nested("OnlyMagic"), &[2]),
                part("less", self.nested("OnlyReserved"), &[]),
            ],
        );
    }

    fn names(&mut self) {
        let module = "sink::import";
        for name in ["IntEnum", "Any", "int", "ValueError", "None", "tuple"] {
            self.enumeration(module, name, Scalar::U8, vec![value("A", 0), value("B", 1)]);
        }
        let words = [
            "from",
            "class",
            "self",
            "to_bytes",
            "from_bytes",
            "read_prefix",
            "WIRE_SIZE",
            "WIRE_ID",
            "__init__",
            "__slots__",
            "__private",
            "int",
            "bytes",
            "str",
            "struct",
            "len",
            "object",
            "property",
            "staticmethod",
            "data",
            "value",
            "result",
            "put",
            "cls",
            "match",
            "_wire",
            "_struct",
            "enum",
            "bool",
            "float",
            "map",
            "memoryview",
            "at",
            "version",
            "text",
            "_typing",
            "Code",
            "range",
            "print",
        ];
        let mut parts: Vec<Part> = words.iter().map(|&word| part(word, scalar(Scalar::U8), &[])).collect();
        parts.push(part("tuple", self.closed("tuple"), &[2]));
        parts.push(part("super", self.open("int"), &[]));
        parts.push(with(part("list", scalar(Scalar::U8), &[4]), LITTLE, Role::Text));
        self.descriptor(module, "Code", parts);
        self.descriptor(
            module,
            "WireError",
            vec![
                part("code", self.nested("Code"), &[]),
                with(part("property", scalar(Scalar::U8), &[]), LITTLE, Role::Version(1)),
                with(part("len", scalar(Scalar::U8), &[]), LITTLE, Role::LengthOf(vec![3])),
                part("bytes", scalar(Scalar::U8), &[4]),
                part("int", scalar(Scalar::U64), &[2]),
                part("any", self.closed("Any"), &[]),
            ],
        );
        let hostile = self.contracts.len() - 1;
        self.contracts[hostile].docs =
            "\"\"\" ends this? \\N{DASH} \\\nTab\there, \u{202e}reversed\u{202c}, nul \0.\n\n    indented \"code\"\n\nA line that is far too long for any reader: it goes on, and on, and on, until it does not go on any more.\n\"".into();
        self.contracts[hostile].deprecated = Some("use \"Code\"".into());
        self.contracts[hostile].version = Some(2);
        self.contracts[hostile].since = Some(1);
    }

    /// Two families that nest each other's contracts, though no contract nests itself.
    fn circle(&mut self) {
        self.descriptor("sink::left", "Inner", vec![part("x", scalar(Scalar::U8), &[])]);
        self.descriptor("sink::right", "Middle", vec![part("inner", self.nested("Inner"), &[2])]);
        self.descriptor("sink::left", "Whole", vec![part("middle", self.nested("Middle"), &[])]);
        // The same word in another family.
        self.descriptor("sink::right", "Inner", vec![part("y", scalar(Scalar::Bool), &[])]);
    }
}

//! A catalog with every shape an emitter has to carry, and the names and texts that trip one up.

use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::{
    Body, Catalog, Contract, ContractId, DataKey, DataType, DataValue, Descriptor, Element, Endian,
    EnumValue, Enumeration, Field, Flags, Layout, Role, Scalar, Spelled, Type,
};

/// Documentation that ends comments, joins lines and spells trigraphs, where a generator lets it.
pub const EVIL_DOCS: &str =
    "Ends */ here /* and there.\nA trigraph ??/\nand a ??= more.\n\n@brief ends in \\";

/// The kitchen sink: families `common` (enumerations, flags, nested descriptors) and `sink`.
pub fn catalog() -> Catalog {
    let mut sink = Sink::default();
    let shared = sink.common();
    sink.family = "sink";
    sink.all(&shared);
    sink.packed(&shared);
    sink.names();
    sink.many();
    sink.catalog
}

/// The sink, and the family `cuvis` after it.
pub fn with_cuvis() -> Catalog {
    let mut catalog = catalog();
    let first = catalog.contracts.len();
    let moved = |id: ContractId| ContractId(id.0 + first);
    for mut contract in fixtures::cuvis().contracts {
        if let Body::Descriptor(descriptor) = &mut contract.body {
            for field in &mut descriptor.fields {
                field.ty.element = match field.ty.element {
                    Element::Enumeration { contract, open } => {
                        Element::Enumeration { contract: moved(contract), open }
                    }
                    Element::Flags { contract } => Element::Flags { contract: moved(contract) },
                    Element::Descriptor(id) => Element::Descriptor(moved(id)),
                    scalar @ Element::Scalar(_) => scalar,
                };
            }
        }
        catalog.contracts.push(contract);
    }
    catalog
}

/// Contracts of the family `common`, for fields.
struct Shared {
    level: ContractId,
    code: ContractId,
    wide: ContractId,
    huge: ContractId,
    giant: ContractId,
    every: ContractId,
    usage: ContractId,
    caps: ContractId,
    top: ContractId,
    full: ContractId,
    plain: ContractId,
    inner: ContractId,
    crate_: ContractId,
}

#[derive(Default)]
struct Sink {
    catalog: Catalog,
    family: &'static str,
}

impl Sink {
    fn add(&mut self, name: &str, body: Body) -> ContractId {
        let mut contract: Contract = fixtures::contract(name, body);
        contract.package = "wirecontract-sink".into();
        contract.module =
            format!("wirecontract_sink::{}", if self.family.is_empty() { "common" } else { self.family });
        contract.file = "src/lib.rs".into();
        self.catalog.contracts.push(contract);
        ContractId(self.catalog.contracts.len() - 1)
    }

    fn enumeration(&mut self, name: &str, repr: Scalar, values: &[(&str, i128)]) -> ContractId {
        let values = values.iter().map(|&(name, number)| value(name, number)).collect();
        self.add(
            name,
            Body::Enumeration(Enumeration {
                repr,
                values,
                data: Vec::new(),
                spelled: Spelled::Names,
                fold: false,
            }),
        )
    }

    fn flags(&mut self, name: &str, repr: Scalar, open: bool, values: &[(&str, i128)]) -> ContractId {
        let values = values.iter().map(|&(name, bits)| value(name, bits)).collect();
        self.add(name, Body::Flags(Flags { repr, values, open, spelled: Spelled::Integer }))
    }

    fn descriptor(&mut self, name: &str, layout: Layout, mut fields: Layouter) -> ContractId {
        fields.resolve_counts();
        let align = if layout == Layout::Natural { 8 } else { 1 };
        let descriptor = Descriptor {
            layout,
            size: fields.size,
            align,
            fields: fields.fields,
            conditions: Vec::new(),
            rules: Vec::new(),
            growth: None,
        };
        self.add(name, Body::Descriptor(descriptor))
    }

    fn common(&mut self) -> Shared {
        let level = self.enumeration("Level", Scalar::U8, &[("Low", 0), ("Mid", 1), ("High", 2)]);
        let Body::Enumeration(body) = &mut self.catalog.contracts[level.0].body else { unreachable!() };
        body.values[2].aliases = vec!["Top".into(), "High".into(), "at-most".into(), "<u2".into()];
        let code = self.enumeration("Code", Scalar::I16, &[("Minus", -300), ("Zero", 0), ("Big", 300)]);
        let wide_values =
            [("Zero", 0), ("Two", 2), ("Four", 4), ("Six", 6), ("Eight", 8), ("Last", 0xffff_ffff)];
        let wide = self.enumeration("Wide", Scalar::U32, &wide_values);
        let huge_values = [("Least", i128::from(i64::MIN)), ("Zero", 0), ("Most", i128::from(i64::MAX))];
        let huge = self.enumeration("Huge", Scalar::I64, &huge_values);
        let giant = self.enumeration("Giant", Scalar::U64, &[("Zero", 0), ("Most", i128::from(u64::MAX))]);
        let every: Vec<(String, i128)> = (0..=255).map(|number| (format!("V{number}"), number)).collect();
        let every: Vec<(&str, i128)> = every.iter().map(|(name, number)| (name.as_str(), *number)).collect();
        let every = self.enumeration("Every", Scalar::U8, &every);
        self.format();
        let usage = self.flags("Usage", Scalar::U8, false, &[("Read", 1), ("Write", 2), ("Both_", 0x30)]);
        let caps = self.flags("Caps", Scalar::U32, true, &[("First", 1), ("Last", 0x8000_0000)]);
        let top = self.flags("TopBits", Scalar::U64, false, &[("One", 1), ("Top", 1 << 63)]);
        let full = self.flags("FullBits", Scalar::U16, false, &[("Half", 0xff), ("Other", 0xff00)]);

        let mut plain = Layouter::natural(&self.catalog);
        plain.add("level", closed(level), &[], Endian::Little, Role::Value);
        plain.add("usage", Element::Flags { contract: usage }, &[], Endian::Little, Role::Value);
        plain.add("code", closed(code), &[], Endian::Big, Role::Value);
        let plain = self.descriptor("Plain", Layout::Natural, plain);

        let mut inner = Layouter::natural(&self.catalog);
        inner.add("rev", scalar(Scalar::U16), &[], Endian::Big, Role::Version(3));
        inner.add("tag", scalar(Scalar::U8), &[2], Endian::Little, Role::Magic(b"I?".to_vec()));
        inner.add("plain", Element::Descriptor(plain), &[], Endian::Little, Role::Value);
        let inner = self.descriptor("Inner", Layout::Natural, inner);

        let mut packed = Layouter::packed(&self.catalog);
        packed.add("a", scalar(Scalar::U8), &[], Endian::Little, Role::Value);
        packed.add("b", scalar(Scalar::U32), &[], Endian::Little, Role::Value);
        packed.add("c", scalar(Scalar::Bool), &[], Endian::Little, Role::Value);
        let crate_ = self.descriptor("Crate", Layout::Packed, packed);
        Shared { level, code, wide, huge, giant, every, usage, caps, top, full, plain, inner, crate_ }
    }

    /// An enumeration with data of every type, and with texts that need escapes.
    fn format(&mut self) {
        let keys = [
            ("sample_bytes", DataType::I64),
            ("mask", DataType::U64),
            ("float", DataType::Bool),
            ("typestr", DataType::Text),
        ];
        let data = keys.map(|(name, ty)| DataKey { name: name.into(), ty }).to_vec();
        let row = |name: &str, number, bytes: i128, mask: u64, float, typestr: &str| EnumValue {
            data: vec![
                DataValue::Integer(bytes),
                DataValue::Integer(i128::from(mask)),
                DataValue::Bool(float),
                DataValue::Text(typestr.into()),
            ],
            docs: EVIL_DOCS.into(),
            since: Some(2),
            deprecated: Some("use another */".into()),
            ..value(name, number)
        };
        let values = vec![
            row("U16", 1, 2, 3, false, "<u2"),
            row("F32", 2, i128::from(i64::MIN), u64::MAX, true, "??/\"\\ \u{e9}1\n"),
        ];
        let id = self.add(
            "Format",
            Body::Enumeration(Enumeration {
                repr: Scalar::I32,
                values,
                data,
                spelled: Spelled::Names,
                fold: false,
            }),
        );
        self.catalog.contracts[id.0].docs = EVIL_DOCS.into();
        self.catalog.contracts[id.0].deprecated = Some("use another \\".into());
    }

    /// Every kind of field.
    fn all(&mut self, shared: &Shared) -> ContractId {
        use Endian::{Big, Little, Native};
        let mut fields = Layouter::natural(&self.catalog);
        let flags = |contract| Element::Flags { contract };
        fields.add("flag", scalar(Scalar::Bool), &[], Little, Role::Value);
        fields.add("switches", scalar(Scalar::Bool), &[2, 2], Little, Role::Value);
        fields.add("level", closed(shared.level), &[], Little, Role::Value);
        fields.add("open_level", open(shared.level), &[], Little, Role::Value);
        fields.add("every", closed(shared.every), &[], Little, Role::Value);
        fields.add("version", scalar(Scalar::U16), &[], Little, Role::Version(3));
        fields.add("second_magic", scalar(Scalar::U8), &[2], Little, Role::Magic(vec![0x80, 0]));
        fields.add("magic", scalar(Scalar::U8), &[18], Little, Role::Magic(b"SINK????\"\\0123456?".to_vec()));
        fields.add("second_version", scalar(Scalar::U8), &[], Little, Role::Version(255));
        fields.count("count", Scalar::U8, Little, &["items", "pairs"]);
        fields.add("codes", closed(shared.code), &[2, 3], Big, Role::Value);
        fields.add("items", Element::Descriptor(shared.plain), &[3], Little, Role::Value);
        fields.add("pairs", scalar(Scalar::U16), &[4, 2], Big, Role::Value);
        fields.add("late", closed(shared.level), &[2, 2], Little, Role::Value);
        fields.count("late_count", Scalar::U32, Native, &["late"]);
        fields.count("wide_count", Scalar::U64, Big, &["wides"]);
        fields.count("byte_count", Scalar::U8, Little, &["bytes"]);
        fields.add("wides", closed(shared.wide), &[5], Big, Role::Value);
        fields.add("bytes", scalar(Scalar::U8), &[255], Little, Role::Value);
        fields.add("label", scalar(Scalar::U8), &[8], Little, Role::Text);
        fields.add("zeros", scalar(Scalar::U16), &[2], Little, Role::Reserved { zero: true });
        fields.add("_ignored", scalar(Scalar::U32), &[], Little, Role::Reserved { zero: false });
        fields.add("huge", closed(shared.huge), &[], Big, Role::Value);
        fields.add("giant", closed(shared.giant), &[2], Little, Role::Value);
        fields.add("caps", flags(shared.caps), &[], Little, Role::Value);
        fields.add("usages", flags(shared.usage), &[4], Little, Role::Value);
        fields.add("top_bits", flags(shared.top), &[], Native, Role::Value);
        fields.add("full_bits", flags(shared.full), &[], Little, Role::Value);
        fields.add("deep", scalar(Scalar::U16), &[2, 1, 2, 2], Big, Role::Value);
        fields.add("pad_", scalar(Scalar::U8), &[6], Little, Role::Reserved { zero: false });
        fields.add("nested", Element::Descriptor(shared.inner), &[1, 2, 2], Little, Role::Value);
        for (index, ty) in Scalar::ALL.into_iter().rev().enumerate() {
            if ty == Scalar::Bool {
                continue;
            }
            for (letter, order) in [("l", Little), ("b", Big), ("n", Native)] {
                fields.add(&format!("{letter}{index}_{ty}"), scalar(ty), &[2], order, Role::Value);
            }
        }
        fields.pad_to(8);
        let id = self.descriptor("All", Layout::Natural, fields);
        self.catalog.contracts[id.0].docs = EVIL_DOCS.into();
        id
    }

    /// Descriptors that are not their own layout.
    fn packed(&mut self, shared: &Shared) {
        use Endian::{Big, Little};
        let mut loose = Layouter::packed(&self.catalog);
        loose.add("head", scalar(Scalar::U8), &[], Little, Role::Value);
        loose.add("magic", scalar(Scalar::U8), &[3], Little, Role::Magic(b"PK*".to_vec()));
        loose.add("real", scalar(Scalar::F64), &[], Little, Role::Value);
        loose.count("count", Scalar::U16, Big, &["crates"]);
        loose.add("crates", Element::Descriptor(shared.crate_), &[2, 2], Little, Role::Value);
        loose.add("inner", Element::Descriptor(shared.inner), &[], Little, Role::Value);
        loose.add("label", scalar(Scalar::U8), &[5], Little, Role::Text);
        loose.add("rest", scalar(Scalar::U32), &[], Big, Role::Reserved { zero: true });
        self.descriptor("Loose", Layout::Packed, loose);

        let mut nests = Layouter::natural(&self.catalog);
        nests.add("word", scalar(Scalar::U32), &[], Little, Role::Value);
        nests.add("crates", Element::Descriptor(shared.crate_), &[2], Little, Role::Value);
        nests.add("wide", closed(shared.wide), &[], Little, Role::Value);
        self.descriptor("NestsPacked", Layout::Natural, nests);

        let mut one = Layouter::natural(&self.catalog);
        one.add("only", scalar(Scalar::I8), &[], Little, Role::Value);
        self.descriptor("One", Layout::Natural, one);

        let mut narrow = Layouter::natural(&self.catalog);
        narrow.count("n", Scalar::U8, Little, &["data"]);
        narrow.add("data", scalar(Scalar::U8), &[300], Little, Role::Value);
        self.descriptor("Narrow", Layout::Natural, narrow);

        let mut constant = Layouter::natural(&self.catalog);
        constant.add("magic", scalar(Scalar::U8), &[1], Little, Role::Magic(b"?".to_vec()));
        self.descriptor("Constant", Layout::Natural, constant);
    }

    /// Names that a language or a header has taken, and names the project fixes.
    fn names(&mut self) {
        let mut words = Layouter::natural(&self.catalog);
        for name in [
            "linux",
            "unix",
            "errno",
            "class",
            "int",
            "NULL",
            "stdin",
            "small",
            "near",
            "far",
            "interface",
            "this",
            "and",
            "bool",
            "complex",
            "I",
            "EOF",
            "assert",
            "si_pid",
            "major",
            "i386",
            "typeof",
            "thread_local",
            "min",
            "max",
            "IN",
            "OUT",
            "ERROR",
            "namespace",
            "restrict",
            "asm",
            "export",
            "nullptr",
            "value",
            "bytes",
            "length",
            "base",
            "status",
            "found",
            "capacity",
            "std",
            "uint8_t",
            "memcpy",
        ] {
            words.add(name, scalar(Scalar::U8), &[], Endian::Little, Role::Value);
        }
        words.add("register", scalar(Scalar::U8), &[4], Endian::Little, Role::Text);
        words.count("delete", Scalar::U8, Endian::Little, &["new"]);
        words.add("new", scalar(Scalar::U8), &[3], Endian::Little, Role::Value);
        words.fields[3].c_name = Some("the_class".into());
        let id = self.descriptor("Words", Layout::Natural, words);
        self.catalog.contracts[id.0].c_name = Some("vendor_words_t".into());
        let id = self.enumeration("Win32Kind", Scalar::I32, &[("NULL", 0), ("class", 1), ("Unix", 2)]);
        let contract = &mut self.catalog.contracts[id.0];
        contract.c_name = Some("vendor_kind_t".into());
        let Body::Enumeration(body) = &mut contract.body else { unreachable!() };
        body.values[2].c_name = Some("VENDOR_UNIX".into());
    }

    /// Three hundred fields.
    fn many(&mut self) {
        let mut many = Layouter::natural(&self.catalog);
        for index in 0..300 {
            many.add(&format!("field_{index}"), scalar(Scalar::U16), &[], Endian::Little, Role::Value);
        }
        self.descriptor("Many", Layout::Natural, many);
    }
}

/// A value without data.
pub fn value(name: &str, number: i128) -> EnumValue {
    EnumValue {
        name: name.into(),
        wire_name: name.into(),
        aliases: Vec::new(),
        value: number,
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        data: Vec::new(),
    }
}

/// A scalar element.
pub fn scalar(ty: Scalar) -> Element {
    Element::Scalar(ty)
}

fn closed(contract: ContractId) -> Element {
    Element::Enumeration { contract, open: false }
}

fn open(contract: ContractId) -> Element {
    Element::Enumeration { contract, open: true }
}

/// Layouter one after the other; where natural, each at a multiple of its alignment.
struct Layouter {
    catalog: Catalog,
    natural: bool,
    fields: Vec<Field>,
    size: u32,
    /// Layouter that count, and the names of what they count.
    counts: Vec<(usize, &'static [&'static str])>,
}

impl Layouter {
    fn natural(catalog: &Catalog) -> Self {
        Layouter { catalog: catalog.clone(), natural: true, fields: Vec::new(), size: 0, counts: Vec::new() }
    }

    fn packed(catalog: &Catalog) -> Self {
        Layouter { natural: false, ..Layouter::natural(catalog) }
    }

    fn align(&self, element: Element) -> u32 {
        match element {
            Element::Descriptor(id) => {
                let nested = self.catalog.get(id).descriptor();
                let aligns = nested.fields.iter().map(|field| self.align(field.ty.element));
                if nested.layout == Layout::Packed { 1 } else { aligns.max().unwrap_or(1) }
            }
            element => self.catalog.element_size(element),
        }
    }

    fn add(&mut self, name: &str, element: Element, dims: &[u32], endian: Endian, role: Role) {
        if self.natural {
            let align = self.align(element);
            self.pad_to(align);
        }
        let endian = if self.catalog.element_size(element) == 1 || matches!(element, Element::Descriptor(_)) {
            Endian::Little
        } else {
            endian
        };
        let mut field = fixtures::field(name, self.size, element, dims, role);
        field.ty = Type { element, dims: dims.to_vec(), endian };
        if name.len().is_multiple_of(3) {
            field.docs = String::new();
        }
        self.size += self.catalog.field_size(&field);
        self.fields.push(field);
    }

    fn count(&mut self, name: &str, ty: Scalar, endian: Endian, targets: &'static [&'static str]) {
        self.add(name, scalar(ty), &[], endian, Role::LengthOf(Vec::new()));
        self.counts.push((self.fields.len() - 1, targets));
    }

    fn resolve_counts(&mut self) {
        for (index, targets) in std::mem::take(&mut self.counts) {
            let position = |name: &&str| self.fields.iter().position(|field| field.name == *name).unwrap();
            self.fields[index].role = Role::LengthOf(targets.iter().map(position).collect());
        }
    }

    /// Reserved bytes up to a multiple of `align`.
    fn pad_to(&mut self, align: u32) {
        let missing = self.size.next_multiple_of(align) - self.size;
        if missing > 0 {
            let name = format!("_pad{}", self.size);
            let role = Role::Reserved { zero: false };
            self.fields.push(fixtures::field(&name, self.size, scalar(Scalar::U8), &[missing], role));
            self.size += missing;
        }
    }
}

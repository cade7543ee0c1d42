//! A changed model made into what a compiler would have made of a changed declaration: its records are written into an
//! object file and read back, so that every mutant is a declaration that could be, with the ids that it would have.

mod growth;
pub(crate) mod order;

use object::write::{Object, StandardSection, StandardSegment, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
use wirecontract_codegen::catalog::encode::{self, Target};
use wirecontract_codegen::catalog::{read_bytes, resolve};
use wirecontract_codegen::model::{
    AbiStruct, Body, Catalog, Contract, DataModel, Element, Endian, Layout, Symbols,
};

/// How records are left in a library: for which machine, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Making {
    pub(crate) target: Target,
    /// The last contract first.
    pub(crate) is_reversed: bool,
}

impl Default for Making {
    fn default() -> Self {
        Making { target: Target::X86_64, is_reversed: false }
    }
}

/// A library of changed declarations.
pub(crate) struct Remade {
    /// What reading it gives.
    pub(crate) catalog: Catalog,
    /// An object file with its records and the symbols that it exports.
    pub(crate) library: Vec<u8>,
}

/// Compiles, as it were, a changed model; `documents` are the functions that generated code exports.
///
/// # Errors
/// Why no declaration is like that.
pub(crate) fn remake(mut catalog: Catalog, documents: &[String], making: Making) -> Result<Remade, String> {
    settle(&mut catalog)?;
    order::settle(&mut catalog)?;
    let library = library(&catalog, documents, making);
    let records = read_bytes(&library).map_err(|error| error.to_string())?.records;
    let declared = records.iter().filter(|record| !is_generated(&record.contract));
    let catalog = resolve(declared)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    Ok(Remade { catalog, library })
}

/// Whether generated code says it, and no declaration.
fn is_generated(contract: &Contract) -> bool {
    matches!(&contract.body, Body::Symbols(symbols) if !symbols.is_library)
}

/// Puts every offset, size and alignment where the fields make it.
///
/// # Errors
/// A struct that 32 bits do not hold.
pub(crate) fn settle(catalog: &mut Catalog) -> Result<(), String> {
    for index in 0..catalog.contracts.len() {
        let mut body = catalog.contracts[index].body.clone();
        match &mut body {
            Body::Descriptor(descriptor) => {
                let grown = growth::Before::of(descriptor);
                let (mut end, mut align) = (0, 1);
                for field in &mut descriptor.fields {
                    let size = catalog.element_size(field.ty.element);
                    if size == 1 {
                        field.ty.endian = Endian::Little;
                    }
                    field.offset = end;
                    end += catalog.field_size(field);
                    let natural = match field.ty.element {
                        Element::Descriptor(id) => catalog.get(id).descriptor().align,
                        _ => size,
                    };
                    align = align.max(natural);
                }
                descriptor.size = end;
                descriptor.align = if descriptor.layout == Layout::Packed { 1 } else { align };
                if let Some(before) = grown {
                    before.settle(catalog, descriptor);
                }
            }
            Body::Abi(body) => {
                for model in DataModel::ALL {
                    let types = body.fields.iter().map(|field| &field.ty);
                    let (offsets, whole) = AbiStruct::place(catalog, model, types)
                        .ok_or("expected a struct that 32 bits hold, found a larger one")?;
                    body.layouts[model as usize] = whole;
                    for (field, offset) in body.fields.iter_mut().zip(offsets) {
                        field.offsets[model as usize] = offset;
                    }
                }
            }
            _ => {}
        }
        catalog.contracts[index].body = body;
    }
    Ok(())
}

/// An object file as a compiler leaves it: a note for each record, and the symbols that are declared.
fn library(catalog: &Catalog, documents: &[String], making: Making) -> Vec<u8> {
    let mut catalog = catalog.clone();
    if let Some(model) = catalog.contracts.first().filter(|_| !documents.is_empty()) {
        let body = Body::Symbols(Symbols { is_library: false, names: documents.to_vec() });
        let name = "documents".to_owned();
        let (docs, was, c_name) = (String::new(), None, None);
        // A module of its own: what generated code says is in no family of declarations.
        let module = format!("{}::documents", model.module.split("::").next().unwrap_or_default());
        let contract = Contract {
            name,
            module,
            earlier: Vec::new(),
            was,
            docs,
            c_name,
            version: None,
            since: None,
            deprecated: None,
            body,
            ..model.clone()
        };
        catalog.contracts.push(contract);
    }
    let encoded = encode::records(&catalog, making.target);
    let mut notes: Vec<&[u8]> = encoded.iter().map(|record| &*record.bytes).collect();
    if making.is_reversed {
        notes.reverse();
    }
    let (architecture, endianness) = match (making.target.big, making.target.pointer) {
        (false, 8) => (Architecture::X86_64, Endianness::Little),
        (false, _) => (Architecture::I386, Endianness::Little),
        (true, 8) => (Architecture::S390x, Endianness::Big),
        (true, _) => (Architecture::Mips, Endianness::Big),
    };
    let mut object = Object::new(BinaryFormat::Elf, architecture, endianness);
    let segment = object.segment_name(StandardSegment::Data).to_vec();
    let section = object.add_section(segment, b".note.wirec".to_vec(), SectionKind::Note);
    object.append_section_data(section, &notes.concat(), 8);
    let data = object.section_id(StandardSection::ReadOnlyData);
    for (id, contract) in catalog.contracts.iter().enumerate() {
        for (name, number) in exports(contract, encoded[id].wire_id) {
            let number = number.unwrap_or(0);
            let bytes = if making.target.big { number.to_be_bytes() } else { number.to_le_bytes() };
            let value = object.append_section_data(data, &bytes, 8);
            object.add_symbol(Symbol {
                name: name.into_bytes(),
                value,
                size: 8,
                kind: SymbolKind::Data,
                scope: SymbolScope::Dynamic,
                weak: false,
                section: SymbolSection::Section(data),
                flags: SymbolFlags::None,
            });
        }
    }
    object.write().expect("a file of sections and symbols is well-formed")
}

/// The symbols that a library has of a contract, and of data the number that is there.
pub(crate) fn exports(contract: &Contract, wire_id: u64) -> Vec<(String, Option<u64>)> {
    let (symbols, has_id) = match &contract.body {
        Body::Function(function) => (vec![function.symbol.clone()], true),
        Body::Handle(handle) => (vec![handle.destroy.clone()], true),
        Body::Symbols(Symbols { is_library, names }) => (names.clone(), *is_library),
        _ => return Vec::new(),
    };
    let with_id = |symbol: String| {
        let id = has_id.then(|| (format!("{symbol}_wire_id"), Some(wire_id)));
        [Some((symbol, None)), id].into_iter().flatten()
    };
    symbols.into_iter().flat_map(with_id).collect()
}

//! Values as lines, twice: what a C or C++ program prints of a struct, and what the bytes say by the model alone.

use std::fmt::Write;

use wirecontract_codegen::model::{Catalog, Contract, Descriptor, Element, Endian, Field, Role, Scalar};
use wirecontract_codegen::names::{c, cpp};

/// The language of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Cpp,
}

/// The statements of a function that prints `value`, by the `put_…` functions of the driver.
pub fn statements(
    catalog: &Catalog,
    descriptor: &Descriptor,
    language: Language,
    owner: &str,
    path: &str,
) -> String {
    let mut out = String::new();
    for (index, field) in descriptor.fields.iter().enumerate() {
        if skipped(field, language) {
            continue;
        }
        let member = match language {
            Language::C => c::member(field),
            Language::Cpp if field.role == Role::Text || descriptor.count_of(index).is_some() => {
                cpp::array(field)
            }
            Language::Cpp => cpp::member(field),
        };
        for (indices, _) in elements(&field.ty.dims) {
            let place = format!("{owner}.{member}{indices}");
            let path = format!("{path}{}{indices}", field.name);
            match field.ty.element {
                Element::Descriptor(id) => {
                    let nested = catalog.get(id).descriptor();
                    out += &statements(catalog, nested, language, &place, &format!("{path}."));
                }
                Element::Flags { .. } if language == Language::Cpp => {
                    writeln!(out, "    put(\"{path}\", {place}.bits());").unwrap();
                }
                _ if field.role == Role::Text => {
                    writeln!(out, "    put(\"{path}\", (uint8_t){place});").unwrap();
                }
                Element::Scalar(Scalar::F32) => writeln!(out, "    put_f32(\"{path}\", &{place});").unwrap(),
                Element::Scalar(Scalar::F64) => writeln!(out, "    put_f64(\"{path}\", &{place});").unwrap(),
                element if scalar(catalog, element).is_signed() => {
                    writeln!(out, "    put_signed(\"{path}\", (int64_t){place});").unwrap();
                }
                _ => writeln!(out, "    put(\"{path}\", (uint64_t){place});").unwrap(),
            }
        }
    }
    out
}

/// What the statements print of a value read from these bytes on a machine of this byte order.
pub fn expected(
    catalog: &Catalog,
    contract: &Contract,
    language: Language,
    bytes: &[u8],
    is_big: bool,
    path: &str,
) -> String {
    let mut out = String::new();
    for field in &contract.descriptor().fields {
        if skipped(field, language) {
            continue;
        }
        let size = catalog.element_size(field.ty.element) as usize;
        for (indices, position) in elements(&field.ty.dims) {
            let at = field.offset as usize + position * size;
            let mut element = bytes[at..at + size].to_vec();
            let path = format!("{path}{}{indices}", field.name);
            if let Element::Descriptor(id) = field.ty.element {
                out += &expected(catalog, catalog.get(id), language, &element, is_big, &format!("{path}."));
                continue;
            }
            if field.ty.endian == Endian::Little || (field.ty.endian == Endian::Native && !is_big) {
                element.reverse();
            }
            let number = element.iter().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
            let scalar = scalar(catalog, field.ty.element);
            if scalar.is_signed() {
                let unused = 64 - size * 8;
                writeln!(out, "{path}={}", (number << unused).cast_signed() >> unused).unwrap();
            } else {
                writeln!(out, "{path}={number}").unwrap();
            }
        }
    }
    out
}

/// C++ values hold neither constants nor reserved fields.
fn skipped(field: &Field, language: Language) -> bool {
    language == Language::Cpp && matches!(field.role, Role::Magic(_) | Role::Reserved { .. })
}

fn scalar(catalog: &Catalog, element: Element) -> Scalar {
    match element {
        Element::Scalar(scalar) => scalar,
        Element::Enumeration { contract, .. } | Element::Flags { contract } => catalog.get(contract).repr(),
        Element::Descriptor(_) => unreachable!("a descriptor is walked"),
    }
}

/// The indices of every element, and its position on the wire.
fn elements(dims: &[u32]) -> Vec<(String, usize)> {
    let mut all = vec![(String::new(), 0)];
    for &dim in dims {
        all = all
            .iter()
            .flat_map(|(indices, position)| {
                (0..dim).map(move |index| {
                    (format!("{indices}[{index}]"), position * dim as usize + index as usize)
                })
            })
            .collect();
    }
    all
}

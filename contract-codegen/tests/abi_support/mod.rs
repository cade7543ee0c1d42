//! What a compiler and `ctypes` are asked about structs, and what the model answers.

#[path = "../interpreter/mod.rs"]
mod interpreter;

use std::fmt::Write as _;
use std::path::Path;

use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::{Body, Catalog, DataModel};
use wirecontract_codegen::names::{c, cpp};

pub(crate) use interpreter::{lint, python, write};

/// A catalog as one kind of machine has it.
pub(crate) struct Model<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) model: DataModel,
}

impl Model<'_> {
    /// A line for each struct and each of its members, as [`layout_program`] prints them.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let at = self.model as usize;
        for (_, contract) in self.catalog.iter() {
            let Body::Abi(body) = &contract.body else { continue };
            writeln!(text, "{} {} {}", contract.name, body.layouts[at].size, body.layouts[at].align).unwrap();
            for field in &body.fields {
                let size = field.ty.layout(self.catalog, self.model).expect("it is small").size;
                writeln!(text, "{} {} {size}", field.name, field.offsets[at]).unwrap();
            }
        }
        text
    }
}

/// A program that prints what the compiler makes of the structs in the headers.
pub(crate) fn layout_program(catalog: &Catalog, extension: &str) -> String {
    let input = fixtures::input(catalog);
    let mut includes = String::from("#include <stdio.h>\n");
    let mut lines = String::new();
    for family in &input.families {
        let header = if extension == "h" { c::header(family) } else { cpp::header(family) };
        writeln!(includes, "#include <{header}>").unwrap();
        for &id in &family.contracts {
            let contract = catalog.get(id);
            let Body::Abi(body) = &contract.body else { continue };
            let (ty, align) = if extension == "h" {
                (c::type_name(&family.package, contract), "_Alignof")
            } else {
                (format!("{}::{}", cpp::namespace(family), cpp::type_name(contract)), "alignof")
            };
            let print = |name: &str, first: String, second: String| {
                format!(
                    "    printf(\"%s %lu %lu\\n\", \"{name}\", (unsigned long){first}, (unsigned long){second});\n"
                )
            };
            lines += &print(&contract.name, format!("sizeof({ty})"), format!("{align}({ty})"));
            for field in &body.fields {
                let member = c::abi_member(field);
                let size = format!("sizeof((({ty} *)0)->{member})");
                lines += &print(&field.name, format!("offsetof({ty}, {member})"), size);
            }
        }
    }
    format!("{includes}\nint main(void)\n{{\n{lines}    return 0;\n}}\n")
}

/// Imports a generated module; gives what Python says where it does not.
pub(crate) fn import(root: &Path, module: &str) -> Result<(), String> {
    let output = interpreter::run(root, &["-c", &format!("import {module}")]);
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

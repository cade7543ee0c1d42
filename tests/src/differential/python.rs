//! The Python driver, on the pure modules.

use std::fmt::Write as _;

use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::model::{Body, ContractId, Element, Field, Role, Scalar};
use wirecontract_codegen::names::python as names;

use super::c::is_shown;
use super::messages;

/// The script: what all catalogs share, then a function for each descriptor.
pub(super) fn source(input: &EmitInput<'_>) -> String {
    let mut text = include_str!("driver.py").to_owned();
    let mut imports = String::new();
    let mut functions = String::new();
    let mut table = String::new();
    for (index, family) in input.families.iter().enumerate() {
        let (package, module) = (&family.package.python_package, names::module(&family.name));
        let _ = writeln!(imports, "import {package}.{module} as family_{index}");
        for &id in &family.contracts {
            let contract = input.catalog.get(id);
            let class = names::class(&contract.name);
            match contract.body {
                Body::Descriptor(_) => {
                    functions += &print_function(input, id);
                    let _ =
                        writeln!(table, "    {:?}: (family_{index}.{class}, tree_{}),", contract.name, id.0);
                }
                Body::Recipe(_) | Body::Union(_) => {
                    let _ = writeln!(table, "    {:?}: (family_{index}.{class}, None),", contract.name);
                }
                _ => {}
            }
        }
    }
    text = text.replace("# @IMPORTS@\n", &imports).replace("# @FUNCTIONS@\n", &functions);
    text = text.replace("    # @MESSAGES@\n", &messages::python::table(input));
    text.replace("    # @TABLE@\n", &table)
}

fn print_function(input: &EmitInput<'_>, id: ContractId) -> String {
    let members: Vec<String> = input
        .catalog
        .get(id)
        .descriptor()
        .fields
        .iter()
        .filter(|field| is_shown(field))
        .map(|field| {
            let place = format!("v.{}", names::field(&field.name));
            format!("        '\"{}\":' + {},\n", field.name, tree_of(field, &place))
        })
        .collect();
    format!(
        "def tree_{}(v: Any) -> str:\n    return '{{' + ','.join([\n{}    ]) + '}}'\n\n\n",
        id.0,
        members.concat()
    )
}

fn tree_of(field: &Field, place: &str) -> String {
    if field.role == Role::Text {
        return format!("text({place})");
    }
    if field.ty.element == Element::Scalar(Scalar::U8) && field.ty.dims.len() == 1 {
        return format!("'\"' + {place}.hex() + '\"'");
    }
    let element = match field.ty.element {
        Element::Descriptor(nested) => format!("tree_{}", nested.0),
        Element::Scalar(Scalar::Bool) => "boolean".to_owned(),
        Element::Scalar(Scalar::F32) => "f32".to_owned(),
        Element::Scalar(Scalar::F64) => "f64".to_owned(),
        Element::Scalar(_) => "integer".to_owned(),
        Element::Enumeration { .. } | Element::Flags { .. } => "number".to_owned(),
    };
    let function = (0..field.ty.dims.len()).fold(element, |inner, _| format!("array({inner})"));
    format!("{function}({place})")
}

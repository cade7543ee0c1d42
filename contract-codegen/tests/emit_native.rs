//! The native Python half: what is written for which contracts, and what is refused.

use wirecontract_codegen::emit::native::emit;
use wirecontract_codegen::emit::{EmitError, EmitInput};
use wirecontract_codegen::fixtures::{cuvis, input};

fn text(input: &EmitInput<'_>, path: &str) -> String {
    let artifacts = emit(input).expect("they have native classes");
    artifacts.into_iter().find(|artifact| artifact.path == path).expect("the file is written").body
}

#[test]
fn a_family_has_a_file_and_its_classes_are_added() {
    let catalog = cuvis();
    let input = input(&catalog);
    let index = text(&input, "native/mod.rs");
    assert!(index.contains("\nmod cuvis;\n"), "{index}");
    assert!(index.contains("    module.add_class::<cuvis::CudaIpcPayload>()?;\n"), "{index}");
    assert!(index.contains("\"CudaIpcPayload\"),\n"), "{index}");
    let family = text(&input, "native/cuvis.rs");
    assert!(family.contains("pub(super) static LAYOUT_CudaIpcPayload: Layout = Layout {\n"));
    assert!(family.contains("SOURCE_ID == 0x"));
}

#[test]
fn nothing_is_written_without_classes() {
    let catalog = cuvis();
    let mut input = input(&catalog);
    for family in &mut input.families {
        family.contracts.retain(|&id| catalog.get(id).kind() == "enumeration");
    }
    assert_eq!(emit(&input), Ok(Vec::new()));
}

#[test]
fn a_nested_class_has_to_be_written_as_well() {
    let catalog = cuvis();
    let mut input = input(&catalog);
    let payload = catalog.iter().find(|(_, it)| it.name == "CudaIpcPayload").expect("it is declared").0;
    let mut other = input.families[0].clone();
    other.name = "other".to_owned();
    other.contracts = vec![payload];
    input.families[0].contracts.retain(|&id| id != payload);
    input.families.push(other);
    input.selected = vec![input.families.len() - 1];
    let errors = emit(&input).unwrap_err();
    assert!(
        matches!(&errors[..], [EmitError::BadName { name, .. }] if name == "CudaIpcDescriptor"),
        "{errors:?}"
    );
}

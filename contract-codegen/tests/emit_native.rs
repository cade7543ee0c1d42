//! The native Python half: what is written for which contracts, and what is refused.

#[allow(dead_code, reason = "other tests use the rest")]
mod seldom_support;

use wirecontract_codegen::emit::native::emit;
use wirecontract_codegen::emit::{EmitError, EmitInput, Method, Parameter};
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
fn the_classes_of_what_is_seldom_read_well() {
    let catalog = seldom_support::catalog();
    let input = seldom_support::input(&catalog);
    insta::assert_snapshot!("native_index.rs", text(&input, "native/mod.rs"));
    insta::assert_snapshot!("native_seldom.rs", text(&input, "native/seldom.rs"));
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

/// The fixture with one method by hand.
fn with_method(input: &mut EmitInput<'_>, class: &str, name: &str) {
    let method = Method {
        family: "cuvis".to_owned(),
        class: class.to_owned(),
        name: name.to_owned(),
        function: "crate::by_hand".to_owned(),
        gives: "crate::Image".to_owned(),
        parameters: vec![
            Parameter::Argument {
                name: "fd".into(),
                annotation: "a.b.Fd | int".into(),
                may_be_left_out: false,
            },
            Parameter::Named,
            Parameter::Argument {
                name: "type".into(),
                annotation: "int | None".into(),
                may_be_left_out: true,
            },
        ],
        returns: "a.b.Image".to_owned(),
        docs: "Opens it.".to_owned(),
    };
    for family in &mut input.families {
        family.package.methods = vec![method.clone()];
    }
}

#[test]
fn a_class_has_the_methods_by_hand_of_the_metadata() {
    let catalog = cuvis();
    let mut input = input(&catalog);
    with_method(&mut input, "CudaIpcPayload", "open");
    let family = text(&input, "native/cuvis.rs");
    let at =
        family.find("    /// Opens it.\n    #[pyo3(name = \"open\", signature = (fd, *, r#type = None))]\n");
    let at = at.unwrap_or_else(|| panic!("{family}"));
    assert!(family[..at].rfind("impl CudaIpcPayload {") > family[..at].rfind("impl CudaIpcDescriptor {"));
    assert!(family.contains("crate::by_hand(slf, fd, r#type)\n"), "{family}");
    let index = text(&input, "native/mod.rs");
    assert!(index.contains("    #[pymodule_export]\n    use super::cuvis::CudaIpcPayload;\n"), "{index}");
    let stub = wirecontract_codegen::emit::python::stub::emit(&input).expect("it has a stub");
    let stub =
        &stub.iter().find(|artifact| artifact.path == "stub/_contracts.pyi").expect("it is written").body;
    assert!(stub.contains("from a import b as _b\n"), "{stub}");
    let head = "    def open(self, fd: _b.Fd | int, *, type: int | None = None) -> _b.Image:\n";
    assert!(stub.contains(head), "{stub}");
}

#[test]
fn a_method_by_hand_of_no_class_is_refused() {
    let catalog = cuvis();
    for class in ["CudaIpcPayloads", "IpcBackend"] {
        let mut input = input(&catalog);
        with_method(&mut input, class, "open");
        for errors in
            [emit(&input).unwrap_err(), wirecontract_codegen::emit::python::stub::emit(&input).unwrap_err()]
        {
            let said = matches!(&errors[..], [EmitError::NoClass { class: found, method, .. }]
                if *found == format!("cuvis.{class}") && method == "open");
            assert!(said, "{errors:?}");
        }
    }
}

#[test]
fn a_method_by_hand_that_is_called_as_another_member_is_refused() {
    let catalog = cuvis();
    for (name, first) in [
        ("width", "CudaIpcPayload.width"),
        ("from_bytes", "what every class"),
        ("WIRE_ID", "what every class"),
    ] {
        let mut input = input(&catalog);
        with_method(&mut input, "CudaIpcPayload", name);
        for errors in
            [emit(&input).unwrap_err(), wirecontract_codegen::emit::python::stub::emit(&input).unwrap_err()]
        {
            let said = matches!(&errors[..], [EmitError::Collision { name: found, first: other, .. }]
                if found == name && other.contains(first));
            assert!(said, "{errors:?}");
        }
    }
}

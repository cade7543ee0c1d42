//! Schemas have no messages, whose documents have those of their bodies: they leave them out, and write what these hold
//! as ever.

use wirecontract_codegen::emit::schema;
use wirecontract_codegen::fixtures::{input, messages};

#[test]
fn schemas_are_of_what_messages_hold() {
    let catalog = messages();
    let artifacts = schema::emit(&input(&catalog)).expect("they are taken");
    let file = artifacts.iter().find(|file| file.path == "schema/wirecontract/vhost.schema.json");
    let body = &file.expect("the family's schema").body;
    assert!(body.contains("SurfaceName"));
    for message in ["KickMessage", "VhostMessage"] {
        assert!(!body.contains(message), "{message}");
    }
}

#[test]
fn a_family_of_messages_alone_has_no_schema() {
    let mut catalog = messages();
    for contract in catalog.contracts.iter_mut().filter(|it| it.kind().starts_with("message")) {
        contract.module = "wirecontract_gpu::socket".into();
    }
    let artifacts = schema::emit(&input(&catalog)).expect("they are taken");
    let paths: Vec<&String> = artifacts.iter().map(|file| &file.path).collect();
    assert!(paths.iter().any(|path| path.contains("vhost")), "{paths:?}");
    assert!(!paths.iter().any(|path| path.contains("socket")), "{paths:?}");
}

//! Targets that have no messages leave them out, and write what these hold as ever.

use wirecontract_codegen::emit::{Artifact, EmitError, EmitInput, c, cpp, schema};
use wirecontract_codegen::fixtures::{input, messages};

type Emit = fn(&EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>>;

#[test]
fn targets_without_messages_write_what_they_hold() {
    let catalog = messages();
    let input = input(&catalog);
    let of_family = |emit: Emit, path: &str| {
        let artifacts = emit(&input).expect("the target takes them");
        let file =
            artifacts.into_iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path}"));
        file.body
    };
    for (emit, path, held) in [
        (c::emit as Emit, "include/wirecontract/vhost.h", "wc_mem_region"),
        (cpp::emit, "include/wirecontract/vhost.hpp", "MemRegion"),
        (schema::emit, "schema/wirecontract/vhost.schema.json", "SurfaceName"),
    ] {
        let body = of_family(emit, path);
        assert!(body.contains(held), "{path}");
        for message in ["KickMessage", "VhostMessage", "kick_message", "vhost_message"] {
            assert!(!body.contains(message), "{message} is in {path}");
        }
    }
}

#[test]
fn a_family_of_messages_alone_has_no_files_there() {
    let mut catalog = messages();
    for contract in catalog.contracts.iter_mut().filter(|it| it.kind().starts_with("message")) {
        contract.module = "wirecontract_gpu::socket".into();
    }
    let input = input(&catalog);
    for emit in [c::emit as Emit, cpp::emit, schema::emit] {
        let paths: Vec<String> = emit(&input).expect("taken").into_iter().map(|file| file.path).collect();
        assert!(paths.iter().any(|path| path.contains("vhost")), "{paths:?}");
        assert!(!paths.iter().any(|path| path.contains("socket")), "{paths:?}");
    }
}

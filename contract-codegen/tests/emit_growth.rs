//! Descriptors that grow, in C and in C++: their headers' text, and their compilers.

mod support;

use support::toolchain::{self, C_COMPILERS, CXX_COMPILERS};
use wirecontract_codegen::emit::{Artifact, c, cpp};
use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::Catalog;

fn headers(catalog: &Catalog) -> Vec<Artifact> {
    let input = fixtures::input(catalog);
    let mut headers = c::emit(&input).expect("no collisions in C");
    headers.extend(cpp::emit(&input).expect("no collisions in C++"));
    headers
}

#[test]
fn the_headers_of_descriptors_that_grow_read_so() {
    for header in headers(&fixtures::growing()) {
        let name = header.path.rsplit('/').next().unwrap();
        if !name.starts_with("core.") {
            insta::assert_snapshot!(name, header.body);
        }
    }
}

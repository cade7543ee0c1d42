//! What the library says that it speaks is what its headers have.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Headers that are of no family: what all share, and what is written by hand.
const SHARED: [&str; 2] = ["core", "negotiate"];

/// The family of the library itself, whose header is the package's.
const LIBRARY: &str = "wirecontract_c";

/// The text of each header of a family.
fn headers() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/wirecontract");
    let paths =
        fs::read_dir(folder).expect("the headers are there").map(|entry| entry.expect("it is read").path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "h"))
        .map(|path| {
            let family = path.file_stem().expect("a file").to_string_lossy().into_owned();
            let family = if family == "library" { LIBRARY.to_owned() } else { family };
            (family, fs::read_to_string(&path).expect("a header is text"))
        })
        .filter(|(family, _)| !SHARED.contains(&family.as_str()))
        .collect()
}

#[test]
fn the_catalog_has_every_family_of_the_headers_with_the_same_ids() {
    let catalog: BTreeMap<String, Value> =
        serde_json::from_str(&wirecontract_c::catalog::catalog_json()).expect("it is JSON");
    let headers = headers();
    assert!(headers.contains_key("buffer") && headers.contains_key("handoff"), "{:?}", headers.keys());
    assert_eq!(catalog.keys().collect::<Vec<_>>(), headers.keys().collect::<Vec<_>>());

    // Ids of functions stand there as well.
    let library = &headers[LIBRARY];
    for (family, text) in &headers {
        assert_eq!(catalog[family]["family"], family.as_str());
        let contracts = catalog[family]["contracts"].as_array().expect("a family has contracts");
        assert!(!contracts.is_empty(), "{family}");
        for contract in contracts {
            let id = contract["wire_id"].as_str().expect("a contract has a wire id");
            let stated = format!("_WIRE_ID UINT64_C({id})");
            assert!(text.contains(&stated) || library.contains(&stated), "{family}: {contract}");
        }
    }
}

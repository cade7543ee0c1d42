//! What this library speaks, as data.

use wirecontract::wire_export;

/// The families, as the generator wrote them: one JSON object, with a member for each.
const CATALOG: &str = include_str!(concat!(env!("OUT_DIR"), "/catalog.json"));

/// All contracts of the library that is linked, as JSON: an object with a member for each family, which is for each of its
/// headers.
#[wire_export(prefix = "wc")]
pub fn catalog_json() -> String {
    CATALOG.to_owned()
}

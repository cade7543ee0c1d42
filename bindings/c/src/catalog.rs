//! What this library speaks, as data.

use wirecontract::wire_export;

/// The families, as the generator wrote them: one JSON object, with a member for each.
const CATALOG: &str = concat!(
    "{\"cuvis\":",
    include_str!("../../../contracts/gpu/generated/json/wirecontract/cuvis.json"),
    ",\"dlpack\":",
    include_str!("../../../contracts/gpu/generated/json/wirecontract/dlpack.json"),
    ",\"hello\":",
    include_str!("../../../contracts/core/generated/json/wirecontract/hello.json"),
    ",\"texture\":",
    include_str!("../../../contracts/gpu/generated/json/wirecontract/texture.json"),
    ",\"vulkan\":",
    include_str!("../../../contracts/gpu/generated/json/wirecontract/vulkan.json"),
    "}\n"
);

/// All contracts of the library that is linked, as JSON: an object with a member for each family.
#[wire_export(prefix = "wc")]
pub fn catalog_json() -> String {
    CATALOG.to_owned()
}

//! Statements of origin: what stands in front of a generated file, in whatever file is found in its place.

use wirecontract_codegen::artifact;

/// Any file that stands where an artifact would.
///
/// # Panics
/// When a file without a statement passes for one as it was generated.
pub fn statement(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let is_stated = artifact::parse(&text).is_some();
    assert!(is_stated || artifact::is_edited(&text), "a file without a statement is not as it was generated");
    let _ = artifact::state(&text, "");
    let _ = artifact::packages(&text);
}

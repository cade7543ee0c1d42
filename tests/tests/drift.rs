//! A declaration and a generated header cannot drift apart unseen: whoever edits one number or one type of a committed
//! header has a build that fails and names what does not fit.
//!
//! The other side, a Rust struct whose declared offsets and sizes no longer fit its fields, is a compile error too:
//! `tests/refusals/ui/sizes_and_offsets.rs` has the messages.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use wirecontract_codegen::emit::c;
use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::{Body, Catalog, Descriptor, Element, Layout, Role, Scalar};
use wirecontract_tests::repository;

/// A copy of headers in a folder of its own, one of which is edited.
struct Headers {
    folder: PathBuf,
    /// The text of the header, as it should be.
    text: String,
    tries: AtomicUsize,
}

impl Headers {
    /// `core.h` and a header, in a folder of that name.
    fn new(name: &str, core: &str, text: String) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("drift-{name}"));
        std::fs::create_dir_all(folder.join("wirecontract")).unwrap();
        std::fs::write(folder.join("wirecontract/core.h"), core).unwrap();
        Headers { folder, text, tries: AtomicUsize::new(0) }
    }

    /// The committed header, in a folder for one test.
    fn cuvis(name: &str) -> Self {
        let include = repository().join("bindings/c/include/wirecontract");
        let read = |name: &str| std::fs::read_to_string(include.join(name)).unwrap();
        Headers::new(name, &read("core.h"), read("cuvis.h"))
    }

    /// What a compiler says of a text, if it refuses it.
    fn refusal(&self, compiler: &str, standard: &str, language: &str, text: &str) -> Option<String> {
        let source = self.folder.join(format!("edited{}.h", self.tries.fetch_add(1, Ordering::Relaxed)));
        std::fs::write(&source, text).unwrap();
        let output = Command::new(compiler)
            .args([standard, "-Wall", "-Wextra", "-fsyntax-only", "-x", language])
            .arg("-I")
            .arg(&self.folder)
            .arg(&source)
            .output()
            .unwrap_or_else(|error| panic!("{compiler}: {error}; install gcc and g++"));
        (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Expects a text to be taken, or to be refused with words in the message, as C and as C++.
    fn expect(&self, what: &str, text: &str, words: Option<&str>) {
        for (compiler, standard, language) in [("gcc", "-std=c11", "c"), ("g++", "-std=c++17", "c++")] {
            match (self.refusal(compiler, standard, language, text), words) {
                (None, None) => {}
                (Some(errors), Some(words)) => {
                    assert!(
                        errors.contains(words),
                        "{compiler}, {what}: expected `{words}`, found\n{errors}"
                    );
                }
                (found, _) => panic!("{compiler}, {what}: expected {words:?}, found {found:?}"),
            }
        }
    }

    /// Every constant of a place or a size: its name, its number, and the contract (with the field) it is of.
    fn constants(&self, catalog: &Catalog) -> Vec<(String, u32, String)> {
        let descriptors =
            catalog.contracts.iter().filter(|contract| matches!(contract.body, Body::Descriptor(_)));
        let mut constants = Vec::new();
        for contract in descriptors {
            let stem = format!("WC{}", screaming(&contract.name));
            constants.push((format!("{stem}_SIZE"), contract.descriptor().size, contract.name.clone()));
            for field in &contract.descriptor().fields {
                let field_stem =
                    format!("{stem}_{}", field.name.trim_start_matches('_').to_ascii_uppercase());
                let of = format!("{}.{}", contract.name, field.name);
                constants.push((format!("{field_stem}_OFFSET"), field.offset, of.clone()));
                if self.text.contains(&format!("#define {field_stem}_CAPACITY ")) {
                    constants.push((format!("{field_stem}_CAPACITY"), field.ty.dims[0], of));
                }
            }
        }
        constants
    }

    /// Edits every constant by one, either way, one at a time.
    fn every_constant_is_held(&self, catalog: &Catalog) {
        self.expect("the header as it is", &self.text, None);
        let constants = self.constants(catalog);
        let defined = self.text.lines().filter(|line| {
            let name = line.strip_prefix("#define ").and_then(|rest| rest.split(' ').next());
            name.is_some_and(|name| ["_OFFSET", "_SIZE", "_CAPACITY"].iter().any(|end| name.ends_with(end)))
        });
        assert_eq!(constants.len(), defined.count(), "every constant of the header is edited");
        for (constant, number, of) in constants {
            let line = format!("#define {constant} {number}u\n");
            assert_eq!(self.text.matches(&line).count(), 1, "{line}");
            for other in [number + 1, number.wrapping_sub(1)] {
                let edited = self.text.replace(&line, &format!("#define {constant} {other}u\n"));
                self.expect(&format!("{constant} {other}"), &edited, Some(&of));
            }
        }
    }
}

/// `_CUDA_IPC_PAYLOAD` of `CudaIpcPayload`.
fn screaming(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_uppercase());
    }
    out
}

#[test]
fn an_edited_place_or_size_in_a_header_fails_to_compile_and_names_the_field() {
    Headers::cuvis("constants").every_constant_is_held(&fixtures::cuvis());
}

#[test]
fn so_does_one_of_a_packed_descriptor_which_no_struct_lays_out() {
    let scalar = |name, offset, ty| fixtures::field(name, offset, Element::Scalar(ty), &[], Role::Value);
    let fields = vec![
        scalar("head", 0, Scalar::U8),
        scalar("real", 1, Scalar::F64),
        fixtures::field("pair", 9, Element::Scalar(Scalar::U16), &[2], Role::Value),
    ];
    let descriptor = Descriptor {
        layout: Layout::Packed,
        size: 13,
        align: 1,
        fields,
        conditions: Vec::new(),
        rules: Vec::new(),
        growth: None,
    };
    let catalog = Catalog { contracts: vec![fixtures::contract("Loose", Body::Descriptor(descriptor))] };
    let artifacts = c::emit(&fixtures::input(&catalog)).unwrap();
    let headers = Headers::new("packed", &artifacts[0].body, artifacts[1].body.clone());
    headers.every_constant_is_held(&catalog);
    // Nor does a number that is wrong in the constant and in its own check fit its neighbours.
    let edited = headers.text.replace("_REAL_OFFSET 1u", "_REAL_OFFSET 2u");
    let edited = edited.replace("_REAL_OFFSET == 1u", "_REAL_OFFSET == 2u");
    headers.expect("both", &edited, Some("Loose.head does not end where Loose.real begins"));
}

#[test]
fn a_member_of_another_type_fails_to_compile_and_names_the_field() {
    let headers = Headers::cuvis("members");
    for (member, other, words) in [
        // In the middle of a struct it moves others; before padding, or at the end, only its size tells.
        (
            "int32_t device_ordinal;",
            "int16_t device_ordinal;",
            "CudaIpcDescriptor.device_ordinal is not 4 bytes",
        ),
        ("uint32_t blob_len;", "uint64_t blob_len;", "CudaIpcDescriptor.blob_len is not at byte 12"),
        ("uint8_t blob[64];", "uint8_t blob[65];", "CudaIpcDescriptor.blob is not 64 bytes"),
        ("uint8_t ptr_blob[64];", "uint8_t ptr_blob[63];", "CudaIpcDescriptor.ptr_blob is not 64 bytes"),
        ("uint32_t channels;", "uint8_t channels;", "CudaIpcPayload.channels is not 4 bytes"),
    ] {
        let member = format!("    {member}\n");
        assert_eq!(headers.text.matches(&member).count(), 1, "{member}");
        let edited = headers.text.replace(&member, &format!("    {other}\n"));
        headers.expect(other, &edited, Some(words));
    }
    let renamed = headers.text.replace("    uint32_t width;\n", "    uint32_t breadth;\n");
    headers.expect("a renamed member", &renamed, Some("width"));
}

#[test]
fn the_checks_can_be_turned_off_for_a_compiler_that_has_none() {
    let headers = Headers::cuvis("unchecked");
    let edited = headers.text.replace("_BLOB_CAPACITY 64u", "_BLOB_CAPACITY 65u");
    assert_ne!(edited, headers.text);
    headers.expect("turned off", &format!("#define WC_NO_STATIC_ASSERT\n{edited}"), None);
}

//! The numbers of Vulkan in `wirecontract_gpu::vulkan` are those of the real header, as C sees both.

use std::path::Path;
use std::process::Command;

use wirecontract_codegen::emit::PackageConfig;
use wirecontract_codegen::model::{Body, Contract, EnumValue};
use wirecontract_codegen::names::c as names;
use wirecontract_tests::differential::{Shipped, toolchain};
use wirecontract_tests::repository;

/// Values that an extension brings, and that Vulkan's name says it of.
const EXTENSIONS: &[(&str, &[&str])] = &[
    (
        "KHR",
        &[
            "VideoDecodeDst",
            "VideoDecodeSrc",
            "VideoDecodeDpb",
            "VideoEncodeDst",
            "VideoEncodeSrc",
            "VideoEncodeDpb",
            "FragmentShadingRateAttachment",
        ],
    ),
    ("EXT", &["DrmFormatModifier", "FragmentDensityMap", "AttachmentFeedbackLoop"]),
];

/// What Vulkan calls a value; its own rules are many.
fn vulkan(contract: &Contract, value: &EnumValue) -> String {
    let name = names::screaming(&value.name);
    let extension = EXTENSIONS.iter().find(|(_, values)| values.contains(&&*value.name));
    let extension = extension.map_or_else(String::new, |(word, _)| format!("_{word}"));
    match &*contract.name {
        "ImageLayout" => format!("VK_IMAGE_LAYOUT_{name}"),
        "ImageType" => format!("VK_IMAGE_TYPE_{}", value.wire_name.to_uppercase()),
        "SampleCount" => format!("VK_SAMPLE_COUNT_{}_BIT", value.wire_name),
        "ImageTiling" => format!("VK_IMAGE_TILING_{name}{extension}"),
        "ImageUsage" => format!("VK_IMAGE_USAGE_{name}_BIT{extension}"),
        other => panic!("expected an enumeration of Vulkan that this test knows, found {other}"),
    }
}

#[test]
fn every_number_of_vulkan_is_the_one_in_vulkan_s_own_header() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shipped = Shipped::read(scratch);
    let package = PackageConfig { c_prefix: "wc".into(), ..PackageConfig::default_for("wirecontract-gpu") };
    let mut body = String::new();
    let mut seen = 0;
    for contract in shipped.catalog.contracts.iter().filter(|contract| contract.family() == "vulkan") {
        let values = match &contract.body {
            Body::Enumeration(enumeration) => &enumeration.values,
            Body::Flags(flags) => &flags.values,
            _ => continue,
        };
        for value in values {
            let (ours, theirs) = (names::value_constant(&package, contract, value), vulkan(contract, value));
            let check =
                format!("_Static_assert((long long){ours} == (long long){theirs}, \"{ours}, {theirs}\");\n");
            body.push_str(&check);
            seen += 1;
        }
    }
    assert!(seen >= 50, "{seen}");

    let source = scratch.join("vulkan_numbers.c");
    // Video encoding was in the header as a beta long before it was not.
    let head = "#define VK_ENABLE_BETA_EXTENSIONS\n#include <vulkan/vulkan_core.h>\n#include <wirecontract/vulkan.h>\n";
    std::fs::write(&source, format!("{head}{body}")).unwrap();
    let compile = |text: &Path| {
        let mut compiler: Command = toolchain::require("gcc", "gcc");
        compiler
            .args(["-std=c11", "-fsyntax-only", "-I"])
            .arg(repository().join("bindings/c/include"))
            .arg(text);
        compiler.output().expect("gcc starts")
    };
    let output = compile(&source);
    let errors = String::from_utf8_lossy(&output.stderr);
    let hint = "the header of Vulkan is in Debian's package libvulkan-dev";
    assert!(output.status.success(), "{hint}\n{errors}");

    // The check sees a number that is another one.
    let wrong = scratch.join("vulkan_numbers_wrong.c");
    let edited =
        body.replace("== (long long)VK_IMAGE_TILING_LINEAR", "== 1 + (long long)VK_IMAGE_TILING_LINEAR");
    assert_ne!(edited, body);
    std::fs::write(&wrong, format!("{head}{edited}")).unwrap();
    assert!(!compile(&wrong).status.success());
}

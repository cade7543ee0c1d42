//! A default stands in its declaration and nowhere else: whoever changes it there has it changed everywhere by
//! generating anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;
use wirecontract_codegen::gen_stubs::{self, Args};
use wirecontract_tests::repository;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

/// A crate of one recipe, in a folder of its own.
const SOURCE: &str = r#"//! How many there are.

use wirecontract::WireContract;

/// What somebody asks for.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
pub struct Order {
    /// How many.
    #[wire(default = 4711)]
    pub count: u32,
    /// How many at once.
    #[wire(default = 4712)]
    pub batch: Option<u32>,
    /// Who asks.
    #[wire(default = "axolotl", max_len = 64)]
    pub name: String,
}
"#;

fn write_crate(folder: &Path, source: &str) {
    let core = repository().join("contracts/core");
    let manifest = format!(
        "[package]\nname = \"orders\"\nversion = \"0.1.0\"\nedition = \"2021\"\npublish = false\n\n[dependencies]\n\
         wirecontract = {{ path = {:?} }}\n\n[workspace]\n",
        core.display().to_string()
    );
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/lib.rs"), "//! Orders.\npub mod orders;\n").unwrap();
    fs::write(folder.join("src/orders.rs"), source).unwrap();
    // The versions of the workspace, so that nothing is asked of the network.
    fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
}

/// Every file that gen-stubs wrote, by its path.
fn generated(folder: &Path, out: &Path) -> Vec<(String, String)> {
    let line = ["gen-stubs", "--force", "--manifest-path"].map(Into::into).into_iter().chain([
        folder.join("Cargo.toml").into_os_string(),
        "--out".into(),
        out.as_os_str().to_owned(),
    ]);
    assert_eq!(gen_stubs::run(&Line::parse_from(line).args), ExitCode::SUCCESS);
    let mut files = Vec::new();
    let mut folders = vec![out.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let text = fs::read_to_string(&entry).unwrap();
                files.push((entry.strip_prefix(out).unwrap().display().to_string(), text));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_default_that_is_changed_in_the_declaration_is_changed_everywhere() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("defaults");
    let _ = fs::remove_dir_all(&scratch);
    let folder = scratch.join("crate");
    write_crate(&folder, SOURCE);
    let before = generated(&folder, &scratch.join("before"));
    let edited = SOURCE.replace("4711", "1147").replace("4712", "2147").replace("axolotl", "salamander");
    write_crate(&folder, &edited);
    let after = generated(&folder, &scratch.join("after"));

    let paths = |files: &[(String, String)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    assert_eq!(paths(&before), paths(&after));
    for (old, new) in [("4711", "1147"), ("4712", "2147"), ("axolotl", "salamander")] {
        for ((path, before), (_, after)) in before.iter().zip(&after) {
            assert!(!after.contains(old), "{path} still says {old}");
            assert_eq!(before.contains(old), after.contains(new), "{path}: {old} became {new}");
        }
        // Each kind of file that states a value states this one.
        for kind in ["orders.h", "orders.py", "orders.json"] {
            let says = |(path, text): &(String, String)| path.ends_with(kind) && text.contains(new);
            assert!(after.iter().any(says), "expected {new} in a file {kind}, found {:?}", paths(&after));
        }
        for folder in ["include", "python", "json", "vectors", "schema"] {
            // An optional key that is absent stays absent, so that no document has the default.
            if folder == "vectors" && old == "4712" {
                continue;
            }
            let says = |(path, text): &(String, String)| path.starts_with(folder) && text.contains(new);
            assert!(after.iter().any(says), "expected {new} in {folder}/, found {:?}", paths(&after));
        }
    }
    // C++ takes its values from the C header, or states them; either way both are there.
    let hpp = |(path, text): &(String, String)| path.ends_with("orders.hpp") && text.contains("Order");
    assert!(after.iter().any(hpp));
}

/// Files that people write, of the repository.
fn written_by_hand() -> Vec<PathBuf> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(repository());
    let output = git.output().expect("git starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let generated = ["bindings/", "contracts/gpu/generated/"];
    // Messages and inputs, which say what they say whatever a default is.
    let data = ["tests/data/", "bench/data/", "fuzz/seeds/"];
    let listed = String::from_utf8(output.stdout).expect("paths are UTF-8");
    let is_written = |path: &&str| !generated.iter().chain(&data).any(|folder| path.starts_with(folder));
    listed.lines().filter(is_written).map(PathBuf::from).collect()
}

/// Whether a text says what `vk_image_usage` is when it is absent: as the four bits, or as their number on the line of
/// the key.
fn states_the_usage(text: &str) -> bool {
    let bare: String =
        text.chars().filter(|letter| letter.is_ascii_alphanumeric() || "|\n".contains(*letter)).collect();
    let bare = bare.to_ascii_lowercase();
    let bits = ["transfersrc", "transferdst", "sampled", "storage"];
    let by_name = bare.contains(&bits.join("|"))
        || bare.lines().any(|line| line.contains('|') && bits.iter().all(|bit| line.contains(bit)));
    let by_number = |line: &str| {
        line.contains("vk_image_usage")
            && line
                .split(|letter: char| !letter.is_ascii_alphanumeric())
                .any(|word| ["15", "15u32", "0xf", "0x0f", "0xF", "0x0F", "0b1111"].contains(&word))
    };
    by_name || text.lines().any(by_number)
}

#[test]
fn the_usage_of_a_texture_is_stated_by_its_declaration_alone() {
    assert!(states_the_usage("#[wire(default = TransferSrc | TransferDst | Sampled | Storage, lenient)]"));
    assert!(states_the_usage("usage = VK_TRANSFER_SRC | VK_TRANSFER_DST | VK_SAMPLED | VK_STORAGE"));
    assert!(states_the_usage("    vk_image_usage: int = 0x0F") && states_the_usage("{ vk_image_usage, 15 }"));
    assert!(!states_the_usage("pub vk_image_usage: u32,") && !states_the_usage("vk_image_usage_flags = 150"));
    let mut found = Vec::new();
    for path in written_by_hand() {
        // What is no text states nothing; what was deleted neither.
        let Ok(text) = fs::read_to_string(repository().join(&path)) else { continue };
        if states_the_usage(&text) {
            found.push(path.display().to_string());
        }
    }
    found.retain(|path| path != "tests/tests/defaults_stand_once.rs");
    assert_eq!(found, ["contracts/gpu/src/texture.rs"]);
}

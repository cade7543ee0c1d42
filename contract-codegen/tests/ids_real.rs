//! What wire ids do not depend on: the profile, the folder, the order of declarations, documentation, features that
//! change no contract, the machine. Seen by building one crate in all these ways and reading what each one says.
//!
//! The crates are built with this workspace's lock file: what it pins is what they use.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::SystemTime;

use fs4::FileExt;
use wirecontract_codegen::catalog::{read_file, resolve};

/// One declaration of each kind, and what they hold of each other.
const ITEMS: [&str; 9] = [
    "/// How it focuses.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration, rename_all = \"snake_case\")]
pub enum Focus {
    /// By hand.
    #[wire(alias(\"hand\", \"by_hand\"), data(steps = 1))]
    Manual = 1,
    /// By itself.
    #[wire(data(steps = 3))]
    Auto = 2,
}",
    "/// What is on it.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(flags)]
pub enum Coating {
    /// Against scratches.
    Hard = 1,
    /// Against light.
    Dark = 2,
}",
    "/// A point in memory.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct Point {
    /// Across.
    pub x: f64,
    /// A number whose size is the machine's.
    pub serial: core::ffi::c_long,
    /// Another.
    pub next: *const Point,
}",
    "/// What precedes the pixels.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, version = 2, size = 24, rule(count <= 4))]
pub struct Header {
    /// When.
    pub time: u64,
    /// How it was focused.
    pub focus: Focus,
    /// What was on it.
    pub coating: Flags<Coating>,
    #[wire(reserved)]
    /// Nothing.
    pub _pad: [u8; 3],
    /// How many.
    pub count: u32,
    /// In the machine's order.
    #[wire(endian = native)]
    pub native: u32,
}",
    "/// What is asked for.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown, rule(!present(limit) || frames <= 9))]
pub struct Order {
    /// How many.
    #[wire(default = 3, min = 1)]
    pub frames: u32,
    /// At most.
    pub limit: Option<u64>,
    /// How.
    #[wire(default = Auto)]
    pub focus: Focus,
}",
    "/// What is said.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = \"op\", rename_all = \"snake_case\")]
pub enum Command {
    /// Begin.
    Start(Order),
    /// End.
    Stop,
}",
    "/// A lens.
#[derive(WireContract, Debug)]
#[wire(handle, exclusive, prefix = \"lens\")]
pub struct Lens;",
    "#[wire_export(prefix = \"lens\")]
impl Lens {
    /// Opens one.
    pub fn open(name: &str) -> Lens { let _ = name; Lens }
    /// Its header.
    pub fn header(&self, at: &Point) -> Header { let _ = at; panic!(\"{self:?} has none\") }
}",
    "/// The mean.
#[wire_export(prefix = \"lens\")]
pub fn mean(samples: &[f32], order: &Order) -> f32 { samples[0] + order.frames as f32 }",
];

fn source(items: &[String]) -> String {
    let head = "//! A lens.\nuse wirecontract::{Flags, WireContract, wire_export, wire_library};\n\n\
                wire_library!(prefix = \"lens\");\n\n";
    format!("{head}{}\n", items.join("\n\n"))
}

/// A way to build the crate.
struct Way {
    name: &'static str,
    source: String,
    arguments: Vec<String>,
}

fn way(name: &'static str, items: &[String], arguments: &[&str]) -> Way {
    Way { name, source: source(items), arguments: arguments.iter().map(|&it| it.to_owned()).collect() }
}

fn ways() -> Vec<Way> {
    let items = ITEMS.map(str::to_owned);
    let reversed: Vec<String> = items.iter().rev().cloned().collect();
    // Within a declaration too, where the order says nothing.
    let swapped = items.clone().map(|item| {
        let manual = &ITEMS[0]
            [ITEMS[0].find("    /// By hand.").unwrap()..ITEMS[0].find("    /// By itself.").unwrap()];
        let item = match item.split_once(manual) {
            Some((before, after)) => format!("{before}{}{manual}}}", after.strip_suffix('}').unwrap()),
            None => item,
        };
        item.replace("\"hand\", \"by_hand\"", "\"by_hand\", \"hand\"")
    });
    assert_ne!(swapped[0], items[0]);
    let documented = items.clone().map(|item| item.replace("/// ", "/// In other words: "));
    let moved = items.clone().map(|item| format!("\n\n\n{}", item.replace("pub ", "  pub ")));
    let mut ways = vec![
        way("debug", &items, &[]),
        way("release", &items, &["--release"]),
        way(
            "optimized",
            &items,
            &["--config", "profile.dev.opt-level=2", "--config", "profile.dev.debug=false"],
        ),
        way("reversed", &reversed, &[]),
        way("swapped", &swapped, &[]),
        way("documented", &documented, &[]),
        way("moved", &moved, &[]),
        way("featured", &items, &["--features", "unrelated"]),
    ];
    for target in [
        "i686-unknown-linux-gnu",
        "s390x-unknown-linux-gnu",
        "x86_64-pc-windows-gnu",
        "aarch64-unknown-linux-gnu",
    ] {
        if is_installed(target) {
            ways.push(way("target", &items, &["--target", target]));
        }
    }
    ways
}

/// Whether Rust's library is there for a target.
fn is_installed(target: &str) -> bool {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success() && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
    })
}

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("ids-real"));

/// The ids that the crate has when it is built so: of each contract the wire id and the source id.
fn ids(way: &Way) -> BTreeMap<String, (u64, u64)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let core = root.join("contracts/core").display().to_string().replace('\\', "/");
    let folder = FOLDER.join(way.name);
    let manifest = format!(
        "[package]\nname = \"lens\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n[features]\nunrelated = []\n\
         [dependencies]\nwirecontract = {{ path = \"{core}\", features = [\"export\", \"json\"] }}\n"
    );
    let put = |path: PathBuf, content: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Cargo builds again what looks newer.
        if fs::read_to_string(&path).ok().as_deref() != Some(content) {
            fs::write(&path, content).unwrap();
        }
    };
    put(folder.join("Cargo.toml"), &manifest);
    put(folder.join("Cargo.lock"), &fs::read_to_string(root.join("Cargo.lock")).unwrap());
    put(folder.join("src/lib.rs"), &way.source);
    // Cargo does not put back what it built earlier, where the other crates' files stand now.
    let source = fs::File::options().append(true).open(folder.join("src/lib.rs")).unwrap();
    source.set_modified(SystemTime::now()).unwrap();
    let mut command = Command::new("cargo");
    command
        .args(["build", "--quiet", "--offline", "--lib", "--message-format", "json", "--target-dir"])
        .arg(FOLDER.join("target"))
        .args(&way.arguments)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .current_dir(&folder);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}: {}", way.name, String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let built = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let library = built
        .filter(|message| message["target"]["name"] == "lens")
        .find_map(|message| message["filenames"][0].as_str().map(str::to_owned))
        .expect("a library");
    let records = read_file(Path::new(&library)).unwrap_or_else(|error| panic!("{error}")).records;
    let catalog = resolve(&records).unwrap_or_else(|errors| panic!("{errors:?}"));
    let own = catalog.contracts.iter().filter(|contract| contract.package == "lens");
    own.map(|contract| {
        (format!("{} {}", contract.kind(), contract.name), (contract.wire_id, contract.source_id))
    })
    .collect()
}

#[test]
fn wire_ids_are_those_of_the_declaration_and_of_nothing_else() {
    fs::create_dir_all(&*FOLDER).unwrap();
    let one_at_a_time = fs::File::create(FOLDER.join("lock")).unwrap();
    FileExt::lock(&one_at_a_time).unwrap();
    let ways = ways();
    let first = ids(&ways[0]);
    assert!(first.len() >= 10, "{first:#?}");
    for way in &ways[1..] {
        let found = ids(way);
        let wire = |ids: &BTreeMap<String, (u64, u64)>| -> BTreeMap<String, u64> {
            ids.iter().map(|(name, (wire_id, _))| (name.clone(), *wire_id)).collect()
        };
        assert_eq!(wire(&found), wire(&first), "{} {:?}", way.name, way.arguments);
        // The source id says that the documentation is another one, and nothing else of these.
        assert_eq!(found == first, way.name != "documented", "{}", way.name);
    }
}

#[test]
fn a_change_of_what_crosses_is_another_id() {
    fs::create_dir_all(&*FOLDER).unwrap();
    let one_at_a_time = fs::File::create(FOLDER.join("lock")).unwrap();
    FileExt::lock(&one_at_a_time).unwrap();
    let items = ITEMS.map(str::to_owned);
    let first = ids(&way("debug", &items, &[]));
    let changed = ids(&way("changed", &items.map(|item| item.replace("Auto = 2", "Auto = 3")), &[]));
    let differs: Vec<&String> = first.keys().filter(|name| first[*name].0 != changed[*name].0).collect();
    // Whatever holds it is another one too.
    let expected = [
        "enumeration Focus",
        "descriptor Header",
        "recipe Order",
        "union Command",
        "function Lens::header",
        "function mean",
    ];
    assert_eq!(differs.len(), expected.len(), "{differs:?}");
    assert!(expected.iter().all(|name| differs.iter().any(|it| it == name)), "{differs:?}");
}

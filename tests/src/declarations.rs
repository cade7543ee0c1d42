//! Random declarations: Rust source that the derive accepts, with every attribute it has.
//!
//! What only the shipped contracts have, only the shipped contracts test. A generated crate has a few modules of
//! enumerations, flags, descriptors, recipes and unions that nest each other, and messages of these, with rules across what
//! they have; its layout is computed here too, and stated (by `size` and `offset`, and in [`Source::sizes`]), so that the
//! derive's arithmetic is not taken on trust.

mod descriptors;
mod messages;
mod package;
mod recipes;
mod rules;
mod unions;
mod values;
mod words;

pub use package::Package;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use self::rules::Subject;
use crate::random::Random;

/// The modules: some are words that a target language has taken.
const MODULES: [&str; 6] = ["geometry", "import", "template", "sensors", "lambda", "linux"];

/// A generated crate.
#[derive(Debug, Clone)]
pub struct Source {
    /// The text of `lib.rs`.
    pub text: String,
    /// Every declared contract's name and, of a descriptor, its bytes.
    pub sizes: Vec<(String, Option<usize>)>,
}

/// Declares that many contracts.
pub fn generate(count: usize, random: &mut Random) -> Source {
    let mut world = World::default();
    let mut modules: Vec<String> =
        MODULES.map(|name| format!("/// The module {name}.\npub mod {name} {{\n")).into();
    for text in &mut modules {
        text.push_str("    #[allow(unused_imports)]\n    use alloc::{boxed::Box, collections::BTreeMap, string::String, vec::Vec};\n");
        text.push_str("    #[allow(unused_imports)]\n    use wirecontract::{Flags, Json, Open, OpenName, WireContract};\n");
        text.push_str("    #[allow(unused_imports)]\n    use files::os::fd::OwnedFd;\n");
        text.push_str("    const THREE: usize = 3;\n");
        text.push_str(
            "    /// Spelled at one place, used at another.\n    pub const FIVE: usize = THREE + 2;\n",
        );
        text.push_str("    const _: Option<(Open<crate::Used>, Flags<crate::UsedFlags>)> = None;\n\n");
    }
    for number in 0..count {
        let module = random.below(MODULES.len());
        world.module = module;
        let text = match random.below(35) {
            0..=3 => values::enumeration(&mut world, number, random),
            4 | 5 => values::flags(&mut world, number, random),
            6..=15 => descriptors::descriptor(&mut world, number, random),
            16..=25 => recipes::recipe(&mut world, number, random),
            26..=31 => unions::union(&mut world, number, random),
            32 | 33 => messages::message(&mut world, number, random),
            _ => messages::several(&mut world, number, random),
        };
        modules[module].push_str(&text);
    }
    let mut text = HEAD.to_owned();
    for module in modules {
        writeln!(text, "{module}}}\n").expect("a string takes all that is written");
    }
    Source { text, sizes: world.sizes }
}

/// What the expansion has to bear: no unsafe code, no warning, and every item documented.
const HEAD: &str = r"//! Generated for a test.
#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
#![allow(non_snake_case, non_camel_case_types, dead_code)]

extern crate alloc;
// What a message owns is a type of the standard library, which no expansion may count on by that name.
extern crate std as files;

/// Uses `Open` in every module.
#[derive(wirecontract::WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Used {
    /// The only one.
    Only = 0,
}

/// Uses `Flags` in every module.
#[derive(wirecontract::WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(flags)]
pub enum UsedFlags {
    /// The only one.
    Only = 1,
}

";

/// What is declared so far, to be put into descriptors.
#[derive(Debug, Default)]
struct World {
    /// That of the declaration in the making.
    module: usize,
    sizes: Vec<(String, Option<usize>)>,
    enumerations: Vec<Declared>,
    flags: Vec<Declared>,
    descriptors: Vec<Declared>,
    /// Descriptors that grow and say their version, which only messages hold.
    growing: Vec<Declared>,
    recipes: Vec<Declared>,
    unions: Vec<Declared>,
}

/// A declared contract as a type of fields.
#[derive(Debug, Clone, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts of a declaration")]
struct Declared {
    /// The module that declares it.
    module: usize,
    /// The path from the crate.
    path: String,
    size: usize,
    align: usize,
    /// Whether all-zero bytes are a value, so that it may be counted.
    zero: bool,
    /// Names of values, flags or variants.
    values: Vec<String>,
    /// The numbers of an enumeration's values.
    numbers: Vec<i128>,
    /// What of a descriptor can say which message follows.
    tags: Vec<Tag>,
    /// What each variant of a union holds, where messages can be told apart by it.
    documents: Vec<(String, Held)>,
    /// What an enumeration's values carry for rules: numbers, or conditions (true).
    data: Vec<(String, bool)>,
    /// Whether documents spell it as an integer.
    integer: bool,
    /// What rules see of a descriptor or recipe.
    subjects: Vec<Subject>,
    /// The keys that a recipe or union may have in an object, as [`plain`] has them.
    keys: BTreeSet<String>,
    /// Those of a recipe's own keys that must be there, by which an untagged union knows it.
    required: BTreeSet<String>,
    /// Whether an object of it may have keys that are nobody's.
    keeps_others: bool,
    /// What documents of a recipe or union need: bytes, and objects and arrays in each other.
    needs: Needs,
    /// Whether a recipe or a variant refuses unknown keys, so that no other object may have its keys.
    denies: bool,
}

/// What a variant of a union holds that a message can be made of.
#[derive(Debug, Clone)]
enum Held {
    /// A recipe or a union.
    Document(Box<Declared>),
    /// No more than its tag.
    Nothing,
    /// A tag that no other variant has, and what came with it.
    Unknown,
}

/// A number in a descriptor.
#[derive(Debug, Clone)]
struct Tag {
    /// The way to it from the descriptor.
    path: String,
    /// Some that it may be.
    numbers: Vec<u64>,
}

/// What the shortest document needs at most: bytes, and objects and arrays in each other.
#[derive(Debug, Clone, Copy, Default)]
struct Needs {
    bytes: usize,
    depth: usize,
}

impl Needs {
    /// Of something beside this.
    fn and(self, other: Needs) -> Needs {
        Needs { bytes: self.bytes + other.bytes, depth: self.depth.max(other.depth) }
    }
}

impl World {
    fn declare(&mut self, name: &str, size: Option<usize>) -> String {
        self.sizes.push((name.to_owned(), size));
        format!("crate::{}::{name}", MODULES[self.module])
    }

    /// Those of the modules up to this one: families that nest each other both ways have no order in which C could
    /// include them.
    fn usable<'a>(&self, declared: &'a [Declared]) -> Vec<&'a Declared> {
        declared.iter().filter(|one| one.module <= self.module).collect()
    }
}

/// A name without what `rename_all` changes: two keys that differ here differ in every spelling.
fn plain(name: &str) -> String {
    let name = name.trim_start_matches("r#").to_lowercase();
    name.chars().filter(|character| !matches!(character, '_' | '-' | ' ')).collect()
}

/// A comment, an attribute or an item, indented as a module's.
fn line(text: &mut String, indent: usize, content: &str) {
    writeln!(text, "{:1$}{content}", "", indent * 4).expect("a string takes all that is written");
}

/// Keys of `#[wire(…)]`, in one attribute or several.
fn wire(text: &mut String, indent: usize, keys: &[String], random: &mut Random) {
    if keys.is_empty() {
        return;
    }
    if keys.len() > 1 && random.one_in(3) {
        for key in keys {
            line(text, indent, &format!("#[wire({key})]"));
        }
    } else {
        line(text, indent, &format!("#[wire({})]", keys.join(", ")));
    }
}

/// A documentation comment of what comments and strings of other languages end with.
fn docs(text: &mut String, indent: usize, what: &str, random: &mut Random) {
    line(text, indent, &format!("/// {what}"));
    if random.one_in(3) {
        for _ in 0..random.between(1, 2) {
            line(text, indent, &format!("/// {}", random.pick(&words::DOCS)));
        }
    }
}

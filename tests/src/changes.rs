//! `docs/changes.md` as data: declarations before and after a change, and what the page says of it.
//!
//! A row of the page is a heading, two blocks of Rust, a list of answers and a reason. All declarations before are put
//! into one crate, a module a row, and all declarations after into another one of the same name: so that paths are the
//! same on both sides, and exported symbols are there once.

use std::fmt::{self, Write as _};
use std::path::Path;

use wirecontract_codegen::model::Catalog;

use crate::declarations::{Package, Source};
use crate::repository;

/// The package of the declarations.
const PACKAGE: &str = "changes";

/// What becomes of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    /// It reads what the other side writes.
    Reads,
    /// It refuses it, with a code where the page says one.
    Refuses(Option<String>),
    /// It accepts it and takes it for something else.
    Misreads,
}

/// What the page says of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its name, in a row with modules behind the module's.
    pub contract: String,
    /// Old readers of what is new, and new readers of what is old; none where nothing that crosses changed.
    pub sides: Option<[Side; 2]>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The heading.
    pub title: String,
    /// The declarations before and after.
    pub code: [String; 2],
    /// What is said.
    pub answers: Vec<Answer>,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Side::Reads => f.write_str("read"),
            Side::Refuses(None) => f.write_str("refuse"),
            Side::Refuses(Some(code)) => write!(f, "refuse (`{code}`)"),
            Side::Misreads => f.write_str("misread"),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.sides {
            None => write!(f, "`{}`: harmless", self.contract),
            Some([old, new]) => write!(f, "`{}`: old readers {old}, new readers {new}", self.contract),
        }
    }
}

/// The rows of the page.
///
/// # Panics
/// When the page is not written as this module says.
pub fn rows() -> Vec<Row> {
    let page = std::fs::read_to_string(repository().join("docs/changes.md")).expect("the page of changes");
    page.split("\n### ").skip(1).map(row).collect()
}

/// The lines of the tables that the page's sections begin with.
///
/// # Panics
/// When there is no such page.
pub fn tables() -> Vec<String> {
    let page = std::fs::read_to_string(repository().join("docs/changes.md")).expect("the page of changes");
    let lines = page.lines().skip_while(|line| !line.starts_with("## "));
    let rows = lines.filter(|line| line.starts_with("| ") && !line.starts_with("| change |"));
    rows.map(str::to_owned).collect()
}

impl Row {
    /// The lines that the table of its section has of it.
    pub fn table(&self) -> impl Iterator<Item = String> {
        self.answers.iter().map(|answer| {
            let [old, new] = match &answer.sides {
                None => ["harmless", "harmless"].map(str::to_owned),
                Some(sides) => sides.each_ref().map(|side| match side {
                    Side::Refuses(Some(code)) => format!("refuse, `{code}`"),
                    side => side.to_string(),
                }),
            };
            format!("| {} | `{}` | {old} | {new} |", self.title, answer.contract)
        })
    }
}

fn row(text: &str) -> Row {
    let text = text.split("\n## ").next().unwrap_or(text);
    let (title, rest) = text.split_once('\n').expect("a heading is a line");
    let mut parts = rest.split("```");
    let mut block = || {
        let code = parts.nth(1).and_then(|code| code.strip_prefix("rust\n"));
        code.unwrap_or_else(|| panic!("{title}: expected a block of Rust")).to_owned()
    };
    let code = [block(), block()];
    let said = parts.next().unwrap_or_default();
    let (answers, reason): (Vec<&str>, Vec<&str>) =
        said.lines().filter(|line| !line.is_empty()).partition(|line| line.starts_with("- "));
    let answers: Vec<Answer> = answers.into_iter().map(|line| answer(title, line)).collect();
    let reason = reason.join("\n");
    assert!(!answers.is_empty() && !reason.is_empty(), "{title}: expected answers and a reason");
    assert!(parts.next().is_none(), "{title}: expected two blocks of Rust");
    Row { title: title.to_owned(), code, answers, reason }
}

fn answer(title: &str, line: &str) -> Answer {
    let parsed =
        line.strip_prefix("- `").and_then(|line| line.split_once("`: ")).and_then(|(contract, said)| {
            let sides = match said {
                "harmless" => None,
                said => {
                    let (old, new) = said.strip_prefix("old readers ")?.split_once(", new readers ")?;
                    Some([side(old)?, side(new)?])
                }
            };
            Some(Answer { contract: contract.to_owned(), sides })
        });
    let found = parsed.unwrap_or_else(|| panic!("{title}: expected an answer, found {line}"));
    assert_eq!(format!("- {found}"), line, "{title}");
    found
}

fn side(word: &str) -> Option<Side> {
    Some(match word {
        "read" => Side::Reads,
        "misread" => Side::Misreads,
        "refuse" => Side::Refuses(None),
        refused => Side::Refuses(Some(refused.strip_prefix("refuse (`")?.strip_suffix("`)")?.to_owned())),
    })
}

/// The module that the declarations of a row stand in.
pub fn module(row: usize) -> String {
    format!("{PACKAGE}::row_{row:03}")
}

/// Compiles the declarations before and those after, and reads them back.
///
/// # Panics
/// When the derive refuses one.
pub fn catalogs(rows: &[Row], scratch: &Path) -> [Catalog; 2] {
    [("before", 0), ("after", 1)].map(|(name, side)| {
        let mut text = HEAD.to_owned();
        for (number, row) in rows.iter().enumerate() {
            writeln!(text, "/// {}\npub mod row_{number:03} {{\n{USES}", row.title)
                .expect("a string takes all");
            writeln!(text, "{}}}\n", row.code[side]).expect("a string takes all");
        }
        let folder = scratch.join("changes").join(name);
        let target = scratch.join("cargo-changes").join(name);
        let source = Source { text, sizes: Vec::new() };
        Package::write(PACKAGE, &source, &folder, &repository(), &target, &["export", "json", "message"])
            .catalog()
    })
}

const HEAD: &str = "//! Generated for a test.
#![allow(dead_code, unused_imports, unused_variables, clippy::all)]

";

/// What the page takes to be in scope.
const USES: &str = "
use core::ffi::{c_long, c_uint, c_void};
use std::collections::BTreeMap;
use wirecontract::{
    CallbackError, Flags, Json, Open, OpenName, UnknownMessage, UnknownVariant, WireContract, wire_export,
    wire_library,
};
";

//! `verify`: whether a shipped library, the contracts in it and files generated from them are of one state, without
//! running the library.
//!
//! [`declared`] has what the records say, [`image`] the symbols that the file exports, [`generated`] what a header or a
//! Python module says; [`compare`] holds them against each other, and [`finding`] says what differs.

mod compare;
mod declared;
mod finding;
mod generated;
mod image;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::declared::Declared;
use self::finding::Finding;
use self::generated::Generated;
use self::image::Image;
use crate::catalog::json::Json;
use crate::catalog::{self, FileError, ReadError};
use crate::output::print;

/// Say whether a compiled library, the contracts in it and generated files are of one state.
///
/// The library is not loaded or run: its records say what it declares, its tables of symbols what it exports.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The shared library, executable, object file or archive.
    #[arg(long, value_name = "PATH")]
    pub library: PathBuf,

    /// A generated header that programs use with it, or a folder of them; may be given several times.
    #[arg(long = "header", value_name = "PATH")]
    pub headers: Vec<PathBuf>,

    /// A generated Python module that is used with it, or the folder of a package; may be given several times.
    #[arg(long = "python", value_name = "PATH")]
    pub python: Vec<PathBuf>,

    /// How to say what was found.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// How findings are said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// One line each.
    #[default]
    Text,
    /// A JSON object.
    Json,
}

const EXAMPLES: &str = "\
Examples:
  verify --library libsensor.so                             declared functions are exported, and no others
  verify --library libsensor.so --header include/sensor_sdk --python sensor_sdk
                                                            and these files are of its declarations

Of a library that was built with `--cfg wirecontract_record=\"ids\"` the names of declared functions are not known:
functions that are exported without an id are not found in it.

Exit status: 0 all agree, 1 something differs or cannot be read, 2 usage.";

/// Does what the arguments say, and tells about it.
pub fn run(args: &Args) -> ExitCode {
    match report(args) {
        Ok((agree, text)) => {
            print(&text);
            ExitCode::from(u8::from(!agree))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all agree, and what [`run`] says of it. An error is a library that cannot be read.
pub fn report(args: &Args) -> Result<(bool, String), FileError> {
    let report = findings(args)?;
    Ok((report.findings.is_empty(), report.text(args.format)))
}

/// A library's declarations and the symbols that it exports.
#[doc(hidden)]
#[derive(Debug)]
pub struct Shipped {
    declared: Declared,
    images: Vec<Image>,
}

impl Shipped {
    fn open(path: &Path) -> Result<Self, FileError> {
        let data = catalog::file(path)?;
        Shipped::read(&data).map_err(|reason| FileError::Content { path: path.to_owned(), reason })
    }

    /// Reads a library. Any bytes may be given.
    pub fn read(data: &[u8]) -> Result<Self, ReadError> {
        let library = catalog::read_bytes(data)?;
        let images = Image::all(data)?;
        Ok(Shipped { declared: Declared::of(&library, &images), images })
    }

    /// What differs between the two, a line each.
    pub fn exports(&self) -> Vec<String> {
        lines(&compare::exports(&self.declared, &self.images), Path::new("library"))
    }

    /// What differs in a generated file, of which any bytes may be given; a line each.
    pub fn generated(&self, path: &Path, bytes: &[u8]) -> Vec<String> {
        let findings = match Generated::parse(path, bytes) {
            Ok(file) => compare::file(&self.declared, &self.images, &file),
            Err(finding) => vec![finding],
        };
        lines(&findings, Path::new("library"))
    }
}

/// What was looked at, and what differs.
struct Report<'args> {
    library: &'args Path,
    functions: usize,
    files: usize,
    findings: Vec<Finding>,
}

fn findings(args: &Args) -> Result<Report<'_>, FileError> {
    let path = &args.library;
    let Shipped { declared, images } = Shipped::open(path)?;
    let mut findings = compare::exports(&declared, &images);
    let mut count = 0;
    let places = args.headers.iter().map(|path| (path, &["h", "hpp"][..]));
    let places = places.chain(args.python.iter().map(|path| (path, &["py"][..])));
    for (place, extensions) in places {
        let is_folder = place.is_dir();
        let mut is_empty = true;
        for path in if is_folder { files(place, extensions) } else { vec![place.clone()] } {
            match Generated::read(&path) {
                // What else lies in a folder is nobody's.
                Err(Finding::Foreign { .. }) if is_folder => {}
                Err(finding) => {
                    is_empty = false;
                    findings.push(finding);
                }
                Ok(file) => {
                    is_empty = false;
                    count += 1;
                    findings.extend(compare::file(&declared, &images, &file));
                }
            }
        }
        if is_empty {
            findings.push(Finding::NoneGenerated { path: place.clone() });
        }
    }
    Ok(Report { library: path, functions: declared.functions.len(), files: count, findings })
}

/// The files with such an extension in a folder and in all that are in it; links to folders are not followed.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        // What cannot be listed holds nothing that is found.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.is_file()
                && path.extension().is_some_and(|it| extensions.iter().any(|each| it == *each))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

impl Report<'_> {
    fn text(&self, format: Format) -> String {
        let library = self.library.display();
        match format {
            Format::Json => self.json().pretty(),
            Format::Text if self.findings.is_empty() => format!(
                "{library}: {} and {} agree\n",
                counted(self.functions, "declared function"),
                counted(self.files, "generated file")
            ),
            Format::Text => lines(&self.findings, self.library).join("\n") + "\n",
        }
    }

    fn json(&self) -> Json {
        let number = |count: usize| Json::Integer(i128::try_from(count).unwrap_or(i128::MAX));
        let findings = self.findings.iter().map(|finding| finding.json(self.library)).collect();
        Json::Object(vec![
            ("library".into(), Json::text(self.library.to_string_lossy())),
            ("functions".into(), number(self.functions)),
            ("files".into(), number(self.files)),
            ("findings".into(), Json::Array(findings)),
        ])
    }
}

fn lines(findings: &[Finding], library: &Path) -> Vec<String> {
    findings.iter().map(|finding| finding.line(library)).collect()
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

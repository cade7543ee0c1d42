//! The command: `cargo wirecontract explain OURS THEIRS`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::{ExplainError, Explanation, Known};
use crate::catalog;
use crate::catalog::json::Json;
use crate::changes::json::change;
use crate::gen_stubs::USAGE;
use crate::lock::{Form, Lock};

/// Say what differs between the declarations of two wire ids, which a refused hello names.
///
/// Versions are looked up in locks and in the records of compiled libraries: give one of each side.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Our wire id.
    #[arg(value_name = "OURS")]
    pub ours: String,

    /// Their wire id.
    #[arg(value_name = "THEIRS")]
    pub theirs: String,

    /// A contracts.lock, several times if need be; the one of this folder where neither locks nor libraries are named.
    #[arg(long = "lock", value_name = "FILE")]
    pub locks: Vec<PathBuf>,

    /// A library, program or archive with records, several times if need be.
    #[arg(long = "library", value_name = "FILE")]
    pub libraries: Vec<PathBuf>,

    /// How to say it.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// How an explanation is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// A JSON object.
    Json,
}

const EXAMPLES: &str = "\
Examples:
  explain 0x0123456789abcdef 0xfedcba9876543210
  explain 0123456789abcdef fedcba9876543210 --library ours.so --library theirs.so
  explain 0123456789abcdef fedcba9876543210 --lock contracts.lock --lock their/contracts.lock --format json

Exit status: 0 both are known, 1 one of them is not, or they are two contracts, 2 usage.";

/// Does what the arguments say, and tells about it.
pub fn run(args: &Args) -> ExitCode {
    match attempt(args) {
        Ok(explanation) => {
            let text = match args.format {
                Format::Text => explanation.to_string(),
                Format::Json => json(&explanation).pretty(),
            };
            // A reader that has seen enough (`| head`) is no reason to panic.
            let _ = io::stdout().lock().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(if error.is_usage() { USAGE } else { 1 })
        }
    }
}

fn attempt(args: &Args) -> Result<Explanation, ExplainError> {
    let [ours, theirs] = [id(&args.ours)?, id(&args.theirs)?];
    let mut known = Known::default();
    let mut locks = args.locks.clone();
    if locks.is_empty() && args.libraries.is_empty() {
        let here = Path::new("contracts.lock");
        if !here.is_file() {
            return Err(ExplainError::Nowhere);
        }
        locks.push(here.to_owned());
    }
    for path in locks {
        known.lock(&lock(&path)?);
    }
    for path in &args.libraries {
        let library = catalog::read_file(path)?;
        let catalog = catalog::resolve(&library.records).map_err(|errors| {
            let reason = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            ExplainError::Resolve { path: path.clone(), reason }
        })?;
        known.catalog(&catalog);
    }
    known.between(ours, theirs)
}

fn id(text: &str) -> Result<u64, ExplainError> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let is_id = digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u64::from_str_radix(digits, 16).ok().filter(|_| is_id);
    number.ok_or_else(|| ExplainError::NoId { found: text.to_owned() })
}

fn lock(path: &Path) -> Result<Lock, ExplainError> {
    let text =
        fs::read_to_string(path).map_err(|reason| ExplainError::Read { path: path.to_owned(), reason })?;
    Lock::parse(&text).map_err(|reason| ExplainError::Lock { path: path.to_owned(), reason })
}

fn json(explanation: &Explanation) -> Json {
    let form = |form: &Form| {
        object([
            ("path", Json::text(&form.path)),
            ("version", Json::Integer(form.version.into())),
            ("wire_id", Json::id(form.wire_id)),
        ])
    };
    let effect = explanation.effect();
    object([
        ("kind", Json::text(explanation.new.kind.name())),
        ("old", form(&explanation.old)),
        ("new", form(&explanation.new)),
        ("newer", Json::text(if explanation.is_ours_newer { "ours" } else { "theirs" })),
        ("is_harmless", Json::Bool(effect.is_harmless)),
        ("old_reads_new", Json::Bool(effect.old_reads_new())),
        ("new_reads_old", Json::Bool(effect.new_reads_old())),
        ("changes", Json::Array(explanation.changes.iter().map(change).collect())),
    ])
}

fn object(members: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

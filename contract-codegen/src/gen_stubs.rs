//! `gen-stubs`: from contracts in a compiled library to files in other languages, or to what is wrong with them.
//!
//! One direction: [`source`] has the records (by building with cargo, or from given libraries), [`select`] chooses the
//! families to write ([`closure`]: from which versions; [`exports`]: as one library; [`words`]: under which names), [`plan`] calls the emitters and says which text belongs where, [`files`] compares that with the
//! disk and, unless only asked to check, replaces what differs. Nothing is written if any step before failed.

mod aside;
pub(crate) mod build;
mod cargo;
mod closure;
mod config;
mod declarations;
mod error;
mod exports;
mod files;
pub(crate) mod git;
mod history;
mod interrupt;
mod left;
mod plan;
mod report;
mod select;
mod source;
mod staged;
mod words;
mod workspace;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::build::Build;
#[doc(hidden)]
pub use self::declarations::{Declarations, GeneratedFile};
pub(crate) use self::error::Error;
use self::left::Grounds;
use self::plan::Plan;
use self::select::{Root, Selection};
pub(crate) use self::staged::{followed, replace};
use crate::model::{Catalog, ContractId};

/// Exit status for a command line that cannot be followed; 1 is for stale or refused.
pub(crate) const USAGE: u8 = 2;

/// Which contracts: those of packages that are built, or of libraries that are there.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct SourceArgs {
    /// Package whose contracts are meant: NAME or NAME@VERSION; may be given several times.
    ///
    /// By default the package of the current folder; in a virtual workspace all members that have
    /// `[package.metadata.wirecontract]`. Where others write into the same folder, and a file there names the contracts of
    /// all, theirs are written there too.
    #[arg(short, long = "package", value_name = "PACKAGE")]
    pub packages: Vec<String>,

    /// Read the contracts from this library, executable, object file or archive instead of building.
    ///
    /// It is not loaded or run. May be given several times: contracts nested in one may be in another.
    #[arg(long = "library", value_name = "PATH")]
    pub libraries: Vec<PathBuf>,

    /// The manifest of the package or workspace.
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,

    /// Features to build with, as cargo takes them.
    #[arg(short = 'F', long, value_name = "FEATURES", conflicts_with = "libraries")]
    pub features: Vec<String>,

    /// Build with all features.
    #[arg(long, conflicts_with = "libraries")]
    pub all_features: bool,

    /// Build without the default features.
    #[arg(long, conflicts_with = "libraries")]
    pub no_default_features: bool,

    /// Build for this target triple: contracts behind `cfg(target_…)` are those of that platform.
    #[arg(long, value_name = "TRIPLE", conflicts_with = "libraries")]
    pub cargo_target: Option<String>,
}

/// Write the C, C++, Python and JSON halves of the declared contracts, or `--check` them.
///
/// Builds the package's library (in a target folder of its own, LTO off), reads the contracts out of it and writes one
/// file a target and module of contracts. Files that are the same are not touched; those that nothing generates any more
/// are removed, unless they were edited.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Which contracts to write.
    #[command(flatten)]
    pub source: SourceArgs,

    /// Where to, and in which languages.
    #[command(flatten)]
    pub place: PlaceArgs,

    /// Write nothing; show what is stale or was edited by hand, and exit with 1 if anything is.
    #[arg(long, conflicts_with = "force")]
    pub check: bool,

    /// Replace files that were edited by hand or are not generated, and remove what is left behind and was edited.
    #[arg(long)]
    pub force: bool,

    /// Exit with 1 where a file is there that git does not track: a commit would be without it.
    ///
    /// What git is told to ignore counts as tracked. For hooks: those that wrote a new file would pass otherwise.
    #[arg(long)]
    pub tracked: bool,
}

/// Which files.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct PlaceArgs {
    /// What is written.
    ///
    /// By default the configured targets, or all but c-json, python-native and python-stub.
    #[arg(long = "target", value_name = "TARGET", value_enum, value_delimiter = ',')]
    pub targets: Vec<Target>,

    /// Folder that has include/, rust/, python/, native/, stub/, json/, schema/ and vectors/, instead of the configured one.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  gen-stubs                               the package of the current folder, to where its manifest says
  gen-stubs --check                       in CI: fail, with a diff, when a file is stale or was edited
  gen-stubs --tracked                     in a hook: fail as well when git does not track a file
  gen-stubs -p sensor-sdk --target c,cpp  the headers of one package
  gen-stubs --library libsensor.so --out generated
                                          what a shipped library speaks, without its source

Configuration, in Cargo.toml (all of it optional, the defaults shown for a package `sensor-sdk`):
  [package.metadata.wirecontract]
  targets = [\"c\", \"cpp\", \"python\", \"json\", \"schema\", \"vectors\"]
  out = \"generated\"                              # relative to the package; or a table:
  # out = { include = \"include\", python = \"python\", json = \"json\", schema = \"schema\", vectors = \"vectors\" }
  # families = [\"readings\"]                      # those that are written and agreed on; by default all
  # with the target \"c-json\" also rust = \"src/documents\": recipes and unions for C, a module of the library
  # with the target \"python-native\" also native = \"src/contracts\": classes of Python, a module of the extension
  # with the target \"python-stub\" also stub = \"python/sensor\": the stub of native classes, beside their library
  c-prefix = \"sensor_sdk\"                        # sensor_sdk_reading_read(), SENSOR_SDK_READING_SIZE
  include-dir = \"sensor_sdk\"                     # #include <sensor_sdk/readings.h>
  cpp-namespace = \"sensor_sdk\"                   # sensor_sdk::readings::Reading
  python-package = \"sensor_sdk\"                  # from sensor_sdk.readings import Reading
  standalone = true                              # one file of Python besides, to vendor

Exit status: 0 done, 1 stale or refused, 2 usage.";

/// A language, or another form, that contracts are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, clap::ValueEnum)]
pub enum Target {
    /// Headers for C11, also valid C++17.
    C,
    /// Headers for C++17, on top of those for C.
    Cpp,
    /// Rust that gives recipes and unions to C programs, for the library that they link.
    CJson,
    /// Python modules that need the standard library only.
    Python,
    /// Rust that gives contracts to Python as classes, for the extension module.
    PythonNative,
    /// The stub of the native Python classes, and the modules that give them to their package.
    PythonStub,
    /// The contracts as JSON.
    Json,
    /// JSON Schemas of recipes and unions.
    Schema,
    /// Bytes with the verdict that every reader must come to.
    Vectors,
}

impl Target {
    /// All of them, in the order in which they are written.
    pub const ALL: [Target; 9] = [
        Target::C,
        Target::Cpp,
        Target::CJson,
        Target::Python,
        Target::PythonNative,
        Target::PythonStub,
        Target::Json,
        Target::Schema,
        Target::Vectors,
    ];

    /// Those that a package gets which configures none: a library has to be written around the others.
    pub const DEFAULT: [Target; 6] =
        [Target::C, Target::Cpp, Target::Python, Target::Json, Target::Schema, Target::Vectors];

    /// The word on the command line and in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Target::C => "c",
            Target::Cpp => "cpp",
            Target::CJson => "c-json",
            Target::Python => "python",
            Target::PythonNative => "python-native",
            Target::PythonStub => "python-stub",
            Target::Json => "json",
            Target::Schema => "schema",
            Target::Vectors => "vectors",
        }
    }

    /// Whether one of its files names the contracts of every package that writes into its folder.
    const fn has_index(self) -> bool {
        matches!(self, Target::CJson | Target::PythonNative | Target::PythonStub)
    }

    /// The first folder of its artifacts' paths.
    pub(crate) const fn tree(self) -> &'static str {
        match self {
            Target::C | Target::Cpp => "include",
            Target::CJson => "rust",
            Target::Python => "python",
            Target::PythonNative => "native",
            Target::PythonStub => "stub",
            Target::Json => "json",
            Target::Schema => "schema",
            Target::Vectors => "vectors",
        }
    }
}

/// Does what the arguments say, and tells about it.
pub fn run(args: &Args) -> ExitCode {
    match attempt(args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(if error.is_usage() { USAGE } else { 1 })
        }
    }
}

fn attempt(args: &Args) -> Result<ExitCode, Error> {
    let run = Run::read(&args.source, &args.place)?;
    let plan = run.plan(&args.place)?;
    let comparison = files::compare(&plan)?;
    if comparison.left_behind.is_empty() {
        run.has_contracts()?;
    }
    if args.check {
        files::built_alike(&plan, &comparison, "gen-stubs --check")?;
        let fresh = report::check(&plan, &comparison);
        let tracked = !args.tracked || are_tracked(&plan)?;
        return Ok(ExitCode::from(u8::from(!fresh || !tracked)));
    }
    let outcome = files::write(&plan, &comparison, args.force)?;
    report::written(&run.selection, &plan, &outcome);
    let tracked = !args.tracked || are_tracked(&plan)?;
    Ok(ExitCode::from(u8::from(!tracked)))
}

/// Whether git tracks the files that are there; says which it does not.
fn are_tracked(plan: &Plan) -> Result<bool, Error> {
    let untracked = git::untracked(&plan.paths())?;
    report::untracked(&untracked);
    Ok(untracked.is_empty())
}

/// Files that were generated.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Those that are not what is declared.
    pub(crate) stale: Vec<Stale>,
    /// Those that are declared.
    pub(crate) paths: Vec<PathBuf>,
}

/// A file that is not what is declared.
#[derive(Debug)]
pub(crate) struct Stale {
    pub(crate) path: PathBuf,
    pub(crate) how: &'static str,
}

/// The contracts that arguments mean.
pub(crate) struct Run {
    selection: Selection,
    grounds: Grounds,
    build: Option<Build>,
    /// The packages that were asked for and have no contracts, and whether theirs are agreed with others.
    bare: Vec<(String, bool)>,
    /// Whether contracts of those are missed: they were named, or nobody else has any.
    are_missed: bool,
    folder: Option<PathBuf>,
}

impl Run {
    /// Builds, or reads what is there; `place` says which of the files the build may include.
    pub(crate) fn read(args: &SourceArgs, place: &PlaceArgs) -> Result<Self, Error> {
        let source = source::read(args, place)?;
        let selection = select::select(&source)?;
        let problems = exports::problems(&selection);
        if problems.is_empty() {
            let is_all = args.libraries.is_empty() && place.targets.is_empty() && place.out.is_none();
            let bare = source.bare.iter().map(|(name, version)| {
                let configured = source.configured(name, version)?;
                Ok((name.clone(), configured.config.is_locked))
            });
            Ok(Run {
                selection,
                grounds: Grounds::of(&source, is_all),
                build: Build::of(args),
                bare: bare.collect::<Result<_, Error>>()?,
                are_missed: !args.packages.is_empty() || source.roots.is_empty(),
                folder: source.workspace_folder(),
            })
        } else {
            Err(Error::Exports(problems))
        }
    }

    /// That there is something to generate from: contracts of every package that was named.
    pub(crate) fn has_contracts(&self) -> Result<(), Error> {
        if self.bare.is_empty() || !self.are_missed {
            return Ok(());
        }
        Err(Error::NoContracts { packages: self.bare.iter().map(|(package, _)| package.clone()).collect() })
    }

    fn plan(&self, place: &PlaceArgs) -> Result<Plan, Error> {
        plan::plan(place, &self.selection, self.grounds.clone(), self.build.clone())
    }

    /// How the contracts were built, where that is known.
    pub(crate) fn build(&self) -> Option<&Build> {
        self.build.as_ref()
    }

    /// All that is written, and all that these nest.
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.selection.catalog
    }

    /// Whether a contract is there only because a package that was not asked for writes into a folder of one that was.
    pub(crate) fn is_of_companion(&self, id: ContractId) -> bool {
        let Selection { families, roots, .. } = &self.selection;
        let holds = |root: &Root| root.families.iter().any(|&index| families[index].contracts.contains(&id));
        let (companions, asked): (Vec<&Root>, Vec<&Root>) = roots.iter().partition(|root| root.is_companion);
        companions.into_iter().any(holds) && !asked.into_iter().any(holds)
    }

    /// The packages that were asked for, and whether their contracts are agreed with others.
    pub(crate) fn packages(&self) -> impl Iterator<Item = (&str, bool)> {
        let roots = self.selection.roots.iter().filter(|root| !root.is_companion);
        let roots = roots.map(|root| (&*root.package, root.configured.config.is_locked));
        roots.chain(self.bare.iter().map(|(package, is_locked)| (&**package, *is_locked)))
    }

    /// The folder of the workspace, where there is one.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// What the files are, beside what is declared.
    pub(crate) fn files(&self, place: &PlaceArgs) -> Result<Files, Error> {
        let plan = self.plan(place)?;
        let comparison = files::compare(&plan)?;
        files::built_alike(&plan, &comparison, "check")?;
        let stale = report::stale(&plan, &comparison);
        Ok(Files { stale, paths: plan.paths() })
    }
}

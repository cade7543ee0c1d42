//! What every emitter takes and gives, and the list of them.

pub mod c;
pub mod cpp;
pub mod documents;
pub mod json;
mod methods;
pub mod native;
mod negotiate;
pub mod python;
pub mod schema;
pub mod vectors;

use wirecontract::{Code, Enumeration};

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Body, Catalog, ContractId};

pub use methods::{Method, Parameter};

/// How one package's contracts are spelled in the target languages: `[package.metadata.wirecontract]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageConfig {
    /// The package (`wirecontract-gpu`).
    pub package: String,
    /// What C types, functions and (in capitals) constants begin with, without the underscore (`wc`).
    pub c_prefix: String,
    /// The folder of the headers under the include root (`wirecontract`).
    pub include_dir: String,
    /// The C++ namespace that holds one namespace a family (`wirecontract`).
    pub cpp_namespace: String,
    /// The dotted Python package that holds one module a family (`wirecontract.contracts`).
    pub python_package: String,
    /// Whether there is a file of Python beside the package that holds all of it, to vendor.
    pub standalone: bool,
    /// Whether a library gives recipes and unions to C programs, so that headers declare its functions.
    pub documents: bool,
    /// Families of which somebody else has a C header of the same names, by family.
    pub foreign: BTreeMap<String, ForeignHeader>,
    /// Methods by hand that native classes of Python have besides.
    pub methods: Vec<Method>,
}

/// A C header of somebody else that declares the same names as a family's. Where it was included first, the generated
/// header takes its types, adds what its version lacks, and holds all of it against the declarations; where it comes
/// second, it finds its own guard taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignHeader {
    /// As `#include` names it (`dlpack/dlpack.h`).
    pub header: String,
    /// Its guard.
    pub guard: String,
    /// The macro with the version that `since` counts; without one it has everything, or nothing can be said.
    pub version: Option<String>,
    /// What must hold of its macros; an error of the preprocessor otherwise.
    pub requires: Option<String>,
    /// Its macros that are no values of contracts, by name.
    pub defines: BTreeMap<String, u64>,
    /// Its macro for C linkage in C++ (`DLPACK_EXTERN_C`).
    pub extern_c: Option<String>,
    /// Its macro in front of what a DLL exports and others import (`DLPACK_DLL`), and the one that says which of both it is.
    pub dll: Option<(String, String)>,
}

impl PackageConfig {
    /// What a package gets that configures nothing.
    pub fn default_for(package: &str) -> Self {
        let word = package.replace('-', "_");
        PackageConfig {
            package: package.to_owned(),
            c_prefix: word.clone(),
            include_dir: word.clone(),
            cpp_namespace: word.clone(),
            python_package: word,
            standalone: true,
            documents: false,
            foreign: BTreeMap::new(),
            methods: Vec::new(),
        }
    }
}

/// A module of contracts: it becomes one header, one Python module, one page.
#[derive(Debug, Clone)]
pub struct Family {
    /// The package's words.
    pub package: PackageConfig,
    /// The last word of the module path (`cuvis`).
    pub name: String,
    /// Its contracts, in catalog order.
    pub contracts: Vec<ContractId>,
}

/// What an emitter works on.
#[derive(Debug, Clone)]
pub struct EmitInput<'a> {
    /// Every contract known, nested ones first.
    pub catalog: &'a Catalog,
    /// Every family known; a nested contract's family is among them.
    pub families: Vec<Family>,
    /// Indices into `families`: those to write.
    pub selected: Vec<usize>,
}

impl<'a> EmitInput<'a> {
    /// The same without messages, for targets that do not have them.
    pub(crate) fn without_messages(&self) -> EmitInput<'a> {
        let mut input = self.clone();
        let is_message =
            |id: ContractId| matches!(self.catalog.get(id).body, Body::Message(_) | Body::Messages(_));
        for family in &mut input.families {
            family.contracts.retain(|&id| !is_message(id));
        }
        input
    }

    /// The family that holds a contract.
    ///
    /// # Panics
    /// When no family holds it; whoever builds the input puts every contract into one.
    pub fn family_of(&self, id: ContractId) -> &Family {
        self.families
            .iter()
            .find(|family| family.contracts.contains(&id))
            .expect("every contract is in a family")
    }

    /// The families to write.
    pub fn selected_families(&self) -> impl Iterator<Item = &Family> {
        self.selected.iter().map(|&index| &self.families[index])
    }
}

/// One file an emitter gives, without the statement of origin that [`crate::artifact`] puts in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Where it goes, relative to the output folder, with `/`.
    pub path: String,
    /// Its text after the statement of origin; ends with a newline.
    pub body: String,
    /// The contracts whose ids it states.
    pub contracts: Vec<ContractId>,
    /// How the statement of origin is written.
    pub syntax: Syntax,
}

/// Every code with its name, as the core crate declares them.
pub(crate) fn codes() -> Vec<(i32, &'static str)> {
    Code::VALUES.iter().map(|code| (code.value.value(), code.name)).collect()
}

/// How a statement of origin is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// `/* … */` lines.
    C,
    /// `# …` lines.
    Hash,
    /// The first member `$wirecontract` of a JSON object; the body is an object that starts with `{\n`.
    Json,
}

/// The errors without those that the same names are behind: two contracts of one name share that of a type, of each
/// function and of each value.
pub(crate) fn without_followers(errors: &[EmitError]) -> Vec<EmitError> {
    let mut met = BTreeSet::new();
    let wholes: BTreeSet<(&str, String, String)> = errors
        .iter()
        .filter_map(|error| match error {
            EmitError::Collision { target, first, second, .. } => {
                Some((*target, first.clone(), second.clone()))
            }
            _ => None,
        })
        .collect();
    let mut kept = errors.to_owned();
    kept.retain(|error| {
        let EmitError::Collision { target, first, second, .. } = error else { return true };
        let (whole, other) = (contract_of(first).to_owned(), contract_of(second).to_owned());
        let is_part = (first, second) != (&whole, &other) && whole != other;
        !(is_part && wholes.contains(&(*target, whole, other)))
            && met.insert((*target, first.clone(), second.clone()))
    });
    kept
}

/// The contract of `module::Type.field`, with words in front.
fn contract_of(owner: &str) -> &str {
    let path = owner.rsplit(' ').next().unwrap_or(owner);
    path.split('.').next().unwrap_or(path)
}

/// Why a target cannot take the contracts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// Two things would have one name there.
    #[error(
        "{target}: {first} and {second} would both be `{name}`: give one of them another name (`c_name` for C, or rename it)"
    )]
    Collision {
        /// The target language.
        target: &'static str,
        /// The name.
        name: String,
        /// What has it (`module::Type.field`).
        first: String,
        /// What wants it too.
        second: String,
    },
    /// A name the declaration fixes is not one in the target.
    #[error("{target}: `{name}` of {contract} is not a name there: {reason}")]
    BadName {
        /// The target language.
        target: &'static str,
        /// The name.
        name: String,
        /// What has it (`module::Type.field`).
        contract: String,
        /// Why not.
        reason: String,
    },
    /// A method by hand, of a class that is not there.
    #[error(
        "{target}: the metadata of {package} gives the method `{method}` to `{class}`: expected a family and a descriptor, a \
         recipe or a union of it"
    )]
    NoClass {
        /// The target language.
        target: &'static str,
        /// The package.
        package: String,
        /// The family and the class.
        class: String,
        /// The method.
        method: String,
    },
    /// Two families nest each other's contracts, and one of their files would come before what it needs.
    #[error(
        "{target}: `{first}` and `{second}` would include each other: declare what they share in a module of its own"
    )]
    Cycle {
        /// The target language.
        target: &'static str,
        /// One of the files.
        first: String,
        /// The other.
        second: String,
    },
    /// A contract in a family whose names somebody else's header declares, of a kind that only ours would.
    #[error(
        "C: {contract} is a {kind}, and <{header}> declares the names of family {family}: only abi structs, enumerations \
         and flags can be somebody else's; declare it in another module"
    )]
    Foreign {
        /// The family.
        family: String,
        /// The other header.
        header: String,
        /// The contract (`module::Type`).
        contract: String,
        /// Its kind.
        kind: &'static str,
    },
    /// A symbol that does not begin as the package's names in C do.
    #[error(
        "C: {contract} is exported with the prefix `{prefix}`, and the names of {package} begin with `{expected}`: declare \
         `prefix = \"{expected}\"`, or set `c-prefix` in the package's metadata"
    )]
    Prefix {
        /// The contract (`module::Type`).
        contract: String,
        /// As it is declared.
        prefix: String,
        /// The package.
        package: String,
        /// As the package is configured.
        expected: String,
    },
    /// A package that exports functions without what every library has.
    #[error(
        "C: {contract} is exported, and nothing tells why it fails: declare `wirecontract::wire_library!(prefix = \
         \"{prefix}\")` once in {package}"
    )]
    NoLibrary {
        /// The package.
        package: String,
        /// The first contract that is exported.
        contract: String,
        /// As the package is configured.
        prefix: String,
    },
}

#[cfg(test)]
mod tests {
    use super::{EmitError, without_followers};

    fn collision(target: &'static str, name: &str, first: &str, second: &str) -> EmitError {
        EmitError::Collision { target, name: name.into(), first: first.into(), second: second.into() }
    }

    #[test]
    fn two_contracts_of_one_name_are_one_error_and_their_parts_none() {
        let one = collision("C", "wc_mode", "wc::a::Mode", "wc::b::Mode");
        let cpp = collision("C++", "Mode", "wc::a::Mode", "wc::b::Mode");
        let others = [
            EmitError::Cycle { target: "C", first: "a.h".into(), second: "b.h".into() },
            collision("C", "WC_MODE_IDLE", "wc::a::Mode.Idle", "wc::a::ModeIdle"),
            collision("C", "class_", "wc::a::Two.class", "wc::a::Two.class_"),
            collision("C", "WC_A_B", "wc::a::A.B", "wc::b::A.B"),
        ];
        let followers = [
            collision("C", "WC_MODE_WIRE_ID", "wc::a::Mode", "wc::b::Mode"),
            collision("C", "WC_MODE_IDLE", "wc::a::Mode.Idle", "wc::b::Mode.Idle"),
            collision("C", "WC_MODE_OFF", "an alias of wc::a::Mode.Idle", "an alias of wc::b::Mode.Idle"),
            collision("C++", "WC_MODE_IDLE", "wc::a::Mode.Idle", "wc::b::Mode.Idle"),
        ];
        let kept = [&[one, cpp], &others[..]].concat();
        let all = [&kept[..1], &followers, &kept[1..]].concat();
        assert_eq!(without_followers(&all), kept);
    }
}

//! What is mutated: declarations that ship, their committed artifacts and what was agreed of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, ensure};
use wirecontract_codegen::artifact;
use wirecontract_codegen::emit::{Artifact, Family};
use wirecontract_codegen::fixtures;
use wirecontract_codegen::gen_stubs::{Declarations, SourceArgs, Target};
use wirecontract_codegen::interpret::Host;
use wirecontract_codegen::lock::{Form, Lock};
use wirecontract_codegen::model::{Body, Catalog, ContractId};
use wirecontract_tests::differential::vectors::{self, Question};

use super::remake::{self, Making, Remade};
use crate::workspace::Workspace;

/// Packages of this workspace whose contracts others rely on; fixtures of tests are agreed with nobody.
const SHIPPED: [(&str, &str); 3] = [
    ("wirecontract", "contracts/core"),
    ("wirecontract-gpu", "contracts/gpu"),
    ("wirecontract-c", "bindings/c"),
];
const EXAMPLE: &str = "examples/sensor-sdk";

/// Declarations with all that is theirs, and agrees.
pub(crate) struct Subject {
    /// What its mutants' names begin with.
    pub(crate) name: &'static str,
    pub(crate) declarations: Declarations,
    /// The contracts that are mutated: all that are written.
    pub(crate) contracts: Vec<ContractId>,
    /// Every committed artifact.
    pub(crate) files: Vec<Original>,
    pub(crate) lock: Lock,
    pub(crate) packages: BTreeSet<String>,
    /// Functions that generated code exports.
    pub(crate) documents: Vec<String>,
    /// The library as an object file.
    pub(crate) library: Vec<u8>,
    /// What the golden vectors ask.
    pub(crate) questions: Vec<Question>,
    /// The folder that holds the artifacts as emitters lay them out, without a package's own folders.
    pub(crate) tree: PathBuf,
}

/// A committed artifact.
#[derive(Debug, Clone)]
pub(crate) struct Original {
    pub(crate) target: Target,
    /// Where emitters put it: `include/wirecontract/cuvis.h`.
    pub(crate) path: String,
    /// Where it is committed, relative to the repository.
    pub(crate) committed: PathBuf,
    pub(crate) text: String,
    pub(crate) contracts: Vec<ContractId>,
}

impl Subject {
    /// All subjects, built and read; what agrees today is put into folders below `folder`.
    pub(crate) fn all(workspace: &Workspace, folder: &Path) -> anyhow::Result<Vec<Subject>> {
        let root = workspace.root();
        let is_configured = |(_, path): &&(&str, &str)| {
            let manifest = fs::read_to_string(root.join(path).join("Cargo.toml")).unwrap_or_default();
            manifest.contains("[package.metadata.wirecontract]")
        };
        let shipped = SHIPPED.iter().filter(is_configured).map(|(name, _)| (*name).to_owned()).collect();
        Ok(vec![
            Subject::read("shipped", root, root, shipped, folder)?,
            Subject::read("sensor", root, &root.join(EXAMPLE), vec!["sensor-sdk".to_owned()], folder)?,
            Subject::made("growing", fixtures::growing(), folder)?,
            Subject::made("messages", fixtures::messages(), folder)?,
        ])
    }

    fn read(
        name: &'static str,
        root: &Path,
        package: &Path,
        packages: Vec<String>,
        folder: &Path,
    ) -> anyhow::Result<Subject> {
        let manifest_path = Some(package.join("Cargo.toml"));
        let args = SourceArgs { packages, manifest_path, ..SourceArgs::default() };
        let declarations = Declarations::read(&args).map_err(|error| anyhow!("{error}"))?;
        let path = declarations.folder().join("contracts.lock");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let lock = Lock::parse(&text).map_err(|error| anyhow!("{}: {error}", path.display()))?;
        let files = originals(&declarations, root)?;
        Subject::of(name, declarations, files, lock, folder)
    }

    /// Declarations of a shape that nothing which ships has yet: what is generated of them is as good as committed, and
    /// agreed.
    fn made(name: &'static str, catalog: Catalog, folder: &Path) -> anyhow::Result<Subject> {
        let Remade { catalog, .. } = remake::remake(catalog, &[], Making::default())
            .map_err(|error| anyhow!("the declarations {name} are refused: {error}"))?;
        let declarations = Declarations::of(catalog).map_err(|error| anyhow!("{error}"))?;
        let emitted =
            artifacts(&declarations, &Target::DEFAULT, |_| true).map_err(|error| anyhow!("{error}"))?;
        let original = |(target, artifact): (Target, Artifact)| Original {
            target,
            committed: PathBuf::from(format!("({name})")).join(&artifact.path),
            text: artifact::render(&artifact, declarations.catalog()),
            path: artifact.path,
            contracts: artifact.contracts,
        };
        let files = emitted.into_iter().map(original).collect();
        let mut lock = Lock::default();
        for (id, _) in declarations.catalog().iter() {
            let form = Form::of(declarations.catalog(), id);
            lock.accept(form).map_err(|error| anyhow!("{error}"))?;
        }
        Subject::of(name, declarations, files, lock, folder)
    }

    fn of(
        name: &'static str,
        declarations: Declarations,
        files: Vec<Original>,
        lock: Lock,
        folder: &Path,
    ) -> anyhow::Result<Subject> {
        let tree = folder.join(name).join("tree");
        for file in &files {
            write(&tree.join(&file.path), &file.text)?;
        }
        let contracts = declarations.families().flat_map(|family| family.contracts.iter().copied()).collect();
        let packages = declarations.packages().map(str::to_owned).collect();
        let documents = documents(declarations.catalog(), &files);
        let Remade { catalog, library } =
            remake::remake(declarations.catalog().clone(), &documents, Making::default())
                .map_err(|error| anyhow!("the unchanged declarations are refused: {error}"))?;
        let (derived, remade) = (ids(declarations.catalog()), ids(&catalog));
        let others: Vec<&str> = remade.difference(&derived).map(|(name, ..)| *name).collect();
        ensure!(
            others.is_empty(),
            "expected records written from the model to have the ids that the derive gives, found others of {}",
            others.join(", ")
        );
        let mut questions = Vec::new();
        for file in files.iter().filter(|file| file.target == Target::Vectors) {
            questions.extend(vectors::questions(declarations.catalog(), &file.text, Host::this()));
        }
        Ok(Subject {
            name,
            declarations,
            contracts,
            files,
            lock,
            packages,
            documents,
            library,
            questions,
            tree,
        })
    }

    /// The unchanged declarations.
    pub(crate) fn catalog(&self) -> &Catalog {
        self.declarations.catalog()
    }

    /// Whether a family declares what is read or written, and not only what is called.
    pub(crate) fn has_data(&self, family: &Family) -> bool {
        family.contracts.iter().any(|&id| {
            let body = &self.catalog().get(id).body;
            self.contracts.contains(&id)
                && !matches!(body, Body::Function(_) | Body::Handle(_) | Body::Symbols(_))
        })
    }

    /// The contracts whose source id is not there among the unchanged ones: what changed, and what holds it.
    pub(crate) fn affected(&self, catalog: &Catalog) -> Vec<ContractId> {
        let known: BTreeSet<u64> =
            self.catalog().contracts.iter().map(|contract| contract.source_id).collect();
        catalog
            .iter()
            .filter(|(_, contract)| !known.contains(&contract.source_id))
            .map(|(id, _)| id)
            .collect()
    }
}

/// Wire and source ids, by name.
fn ids(catalog: &Catalog) -> BTreeSet<(&str, u64, u64)> {
    let contracts = catalog.contracts.iter();
    contracts.map(|contract| (&*contract.name, contract.wire_id, contract.source_id)).collect()
}

/// The artifacts of declarations; of families that `is_asked` asks for where it is given.
pub(crate) fn artifacts(
    declarations: &Declarations,
    targets: &[Target],
    is_asked: impl Fn(&Family) -> bool,
) -> Result<Vec<(Target, Artifact)>, String> {
    let mut all = Vec::new();
    for &target in targets {
        let artifacts = declarations.artifacts(target, &is_asked)?;
        all.extend(artifacts.into_iter().map(|artifact| (target, artifact)));
    }
    Ok(all)
}

/// Every committed artifact, which has to be what the declarations give.
fn originals(declarations: &Declarations, root: &Path) -> anyhow::Result<Vec<Original>> {
    let planned = declarations.files(&[]).map_err(|error| anyhow!("{error}"))?;
    let emitted = artifacts(declarations, &Target::ALL, |_| true).map_err(|error| anyhow!("{error}"))?;
    let mut originals = Vec::new();
    for file in planned {
        let committed = fs::read_to_string(&file.path).unwrap_or_default();
        ensure!(
            committed == file.text,
            "expected {} to be what gen-stubs writes, found another text: run gen-stubs",
            file.path.display()
        );
        let is_same = |artifact: &Artifact| {
            file.path.ends_with(artifact.path.split_once('/').map_or("", |(_, rest)| rest))
                && artifact::render(artifact, declarations.catalog()) == file.text
        };
        let Some((target, artifact)) = emitted.iter().find(|(_, artifact)| is_same(artifact)) else {
            continue;
        };
        originals.push(Original {
            target: *target,
            path: artifact.path.clone(),
            committed: file.path.strip_prefix(root).unwrap_or(&file.path).to_owned(),
            text: file.text,
            contracts: file.contracts,
        });
    }
    Ok(originals)
}

/// What headers declare and no declaration says: the functions of documents, which a library exports too.
fn documents(catalog: &Catalog, files: &[Original]) -> Vec<String> {
    let declared: BTreeSet<String> = catalog
        .contracts
        .iter()
        .filter(|contract| matches!(contract.body, Body::Function(_) | Body::Handle(_) | Body::Symbols(_)))
        .flat_map(|contract| remake::exports(contract, 0))
        .map(|(symbol, _)| symbol)
        .collect();
    let headers = files.iter().filter(|file| file.target == Target::C);
    let lines = headers.flat_map(|file| file.text.lines());
    let symbols = lines.filter_map(|line| {
        let (api, rest) = line.split_once("_API ")?;
        let is_one = api.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        let name = rest.split_once('(')?.0.rsplit([' ', '*']).next()?;
        (is_one && !declared.contains(name)).then(|| name.to_owned())
    });
    symbols.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Writes a file and the folders above it.
pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .with_context(|| format!("cannot write {}", path.display()))
}

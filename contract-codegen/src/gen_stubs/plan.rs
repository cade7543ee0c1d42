//! Which text belongs into which file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::build::Build;
use super::config::Out;
use super::error::Error;
use super::left::Grounds;
use super::select::{Root, Selection};
use super::{PlaceArgs, Target, words};
use crate::artifact;
use crate::emit::{self, Artifact, EmitError, EmitInput};
use crate::model::ContractId;

/// Every file that there should be.
pub(super) struct Plan {
    /// Sorted by path.
    pub(super) files: Vec<Planned>,
    /// Where files that are not planned are left behind.
    pub(super) grounds: Grounds,
    /// How the contracts were built, where that is known.
    pub(super) build: Option<Build>,
}

impl Plan {
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| file.path.clone()).collect()
    }
}

/// A file that there should be.
pub(super) struct Planned {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) contracts: Vec<ContractId>,
}

/// Where the files of one target go: the output folder, and what stands there in place of an artifact's first folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Destination {
    folder: PathBuf,
    trees: Option<BTreeMap<String, String>>,
}

pub(super) fn plan(
    args: &PlaceArgs,
    selection: &Selection,
    grounds: Grounds,
    build: Option<Build>,
) -> Result<Plan, Error> {
    let mut input =
        EmitInput { catalog: &selection.catalog, families: selection.families.clone(), selected: Vec::new() };
    foreign_families(selection)?;
    let mut files: BTreeMap<String, (Planned, String)> = BTreeMap::new();
    let mut errors: Vec<EmitError> = Vec::new();
    let mut taken = BTreeSet::new();
    for target in Target::ALL {
        for (destination, roots) in destinations(args, target, selection)? {
            let mut selected: Vec<usize> =
                roots.iter().flat_map(|root| root.families.iter().copied()).collect();
            selected.sort_unstable();
            selected.dedup();
            input.selected = selected;
            taken.extend(words::taken(target, input.selected_families()));
            let artifacts = match emitter(target)(&input) {
                Ok(artifacts) => artifacts,
                Err(problems) => {
                    errors.extend(problems);
                    continue;
                }
            };
            for artifact in artifacts {
                let path = destination.path_of(&artifact, roots[0])?;
                insert(&mut files, path, artifact, &input, build.as_ref().and_then(Build::stated))?;
            }
        }
    }
    if !taken.is_empty() {
        return Err(Error::Words(taken.into_iter().collect()));
    }
    if !errors.is_empty() {
        return Err(Error::Emit(emit::without_followers(&errors)));
    }
    Ok(Plan { files: files.into_values().map(|(planned, _)| planned).collect(), grounds, build })
}

/// A header of somebody else is about a family that there is.
fn foreign_families(selection: &Selection) -> Result<(), Error> {
    for root in &selection.roots {
        let own = selection.families.iter().filter(|family| family.package.package == root.package);
        let names: Vec<String> = own.map(|family| family.name.clone()).collect();
        if let Some(family) =
            root.configured.config.words.foreign.keys().find(|family| !names.contains(family))
        {
            let (package, family) = (root.package.clone(), family.clone());
            return Err(Error::NoForeignFamily { package, family, expected: names });
        }
    }
    Ok(())
}

pub(super) fn emitter(target: Target) -> fn(&EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>> {
    match target {
        Target::C => emit::c::emit,
        Target::Cpp => emit::cpp::emit,
        Target::CJson => emit::documents::emit,
        Target::Python => emit::python::emit,
        Target::PythonNative => emit::native::emit,
        Target::PythonStub => emit::python::stub::emit,
        Target::Json => emit::json::emit,
        Target::Schema => emit::schema::emit,
        Target::Vectors => emit::vectors::emit,
    }
}

/// The packages that have the target, by where they write it: what they share there is written once.
fn destinations<'selection>(
    args: &PlaceArgs,
    target: Target,
    selection: &'selection Selection,
) -> Result<BTreeMap<Destination, Vec<&'selection Root>>, Error> {
    let mut destinations: BTreeMap<Destination, Vec<&Root>> = BTreeMap::new();
    let (companions, asked): (Vec<&Root>, Vec<&Root>) =
        selection.roots.iter().partition(|root| root.is_companion);
    for root in asked {
        let targets = if args.targets.is_empty() { &root.configured.config.targets } else { &args.targets };
        if targets.contains(&target) {
            destinations.entry(destination(args, target, root)?).or_default().push(root);
        }
    }
    for root in companions {
        if target.has_index() && root.configured.config.targets.contains(&target) {
            let roots = destinations.get_mut(&destination(args, target, root)?);
            roots.into_iter().for_each(|roots| roots.push(root));
        }
    }
    Ok(destinations)
}

fn destination(args: &PlaceArgs, target: Target, root: &Root) -> Result<Destination, Error> {
    if let Some(out) = &args.out {
        return Ok(Destination { folder: out.clone(), trees: None });
    }
    let manifest = root.configured.manifest.as_deref();
    let folder =
        manifest.and_then(Path::parent).ok_or_else(|| Error::NoOut { package: root.package.clone() })?;
    Ok(match &root.configured.config.out {
        Out::Folder(out) => Destination { folder: normal(&folder.join(out)), trees: None },
        Out::Trees(trees) => {
            let absolute = |(tree, out): (&String, &String)| {
                (tree.clone(), normal(&folder.join(out)).to_string_lossy().into_owned())
            };
            // Packages that share a tree write what they share there once, wherever their other trees are.
            let written = trees.iter().filter(|(tree, _)| *tree == target.tree());
            Destination { folder: PathBuf::new(), trees: Some(written.map(absolute).collect()) }
        }
    })
}

impl Destination {
    fn path_of(&self, artifact: &Artifact, root: &Root) -> Result<PathBuf, Error> {
        let Some(trees) = &self.trees else { return Ok(self.folder.join(&artifact.path)) };
        let (tree, rest) = artifact.path.split_once('/').unwrap_or(("", &artifact.path));
        let folder = trees.get(tree).ok_or_else(|| Error::NoTree {
            manifest: root.configured.manifest.clone().unwrap_or_default(),
            tree: tree.to_owned(),
        })?;
        Ok(Path::new(folder).join(rest))
    }
}

/// Two packages may give the same support file, and nothing else may be two things.
fn insert(
    files: &mut BTreeMap<String, (Planned, String)>,
    path: PathBuf,
    artifact: Artifact,
    input: &EmitInput<'_>,
    built_with: Option<&str>,
) -> Result<(), Error> {
    let text = artifact::render_built(&artifact, input.catalog, built_with);
    let origin = origin(&artifact, input);
    // Some file systems do not tell `Video.h` from `video.h`.
    let key = path.to_string_lossy().to_lowercase();
    match files.get_mut(&key) {
        Some((planned, _)) if planned.text == text && planned.path == path => Ok(()),
        Some((_, first)) => Err(Error::PathCollision { path, first: first.clone(), second: origin }),
        None => {
            files.insert(key, (Planned { path, text, contracts: artifact.contracts }, origin));
            Ok(())
        }
    }
}

fn origin(artifact: &Artifact, input: &EmitInput<'_>) -> String {
    match artifact.contracts.first() {
        Some(&id) => {
            let contract = input.catalog.get(id);
            format!("module {} of {}", contract.module, contract.package)
        }
        None => "a file that every package has".to_owned(),
    }
}

/// Without `.` and `..`, so that two ways to one folder are one. Nothing is looked up: the folder need not be there.
pub(super) fn normal(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(normal.components().next_back(), Some(Component::Normal(_))) => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

//! Generated files that nothing generates any more, and where they are looked for.
//!
//! A file is one only where it says so itself: it states that it was generated, and from packages of this run alone. A
//! copy that stands in a folder which no manifest names is somebody's own.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::config::{Config, Out, TREES};
use super::history;
use super::plan::{Plan, normal};
use super::source::Source;
use crate::artifact::{self, Origin, Statement};

/// A generated file that nothing generates any more.
pub(super) struct LeftBehind {
    pub(super) path: PathBuf,
    pub(super) edited: bool,
    /// Whether it is of contracts, and not of what all files share.
    pub(super) is_of_package: bool,
    /// The options of the build that it states.
    pub(super) built_with: Option<String>,
}

impl LeftBehind {
    fn new(path: PathBuf, (statement, edited): (Statement, bool)) -> Self {
        let is_of_package = !statement.origins.is_empty();
        LeftBehind { path, edited, is_of_package, built_with: statement.built_with }
    }
}

/// Where such files are looked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Grounds {
    /// The packages whose files these are.
    packages: BTreeSet<String>,
    /// Every folder that their manifests name, or did. None where the command line says what is written, and where.
    trees: Option<BTreeSet<PathBuf>>,
}

impl Grounds {
    /// What packages configure, and did; `is_all` says that it is these folders which are written, as they are configured.
    pub(super) fn of(source: &Source, is_all: bool) -> Self {
        let selected: BTreeSet<&(String, String)> = source.roots.union(&source.bare).collect();
        let mut packages: BTreeSet<String> = selected.iter().map(|(name, _)| name.clone()).collect();
        if !is_all {
            return Grounds { packages, trees: None };
        }
        let configured = |(name, version): &(String, String)| source.configured(name, version).ok();
        let own: Vec<(PathBuf, Config)> = selected
            .into_iter()
            .filter_map(|package| configured(package).and_then(|it| Some((it.manifest?, it.config))))
            .collect();
        let manifests: Vec<PathBuf> = own.iter().map(|(manifest, _)| manifest.clone()).collect();
        let mut trees: BTreeSet<PathBuf> =
            own.iter().flat_map(|(manifest, config)| trees(manifest, &config.out)).collect();
        if let Some(workspace) = source.workspace_folder() {
            for (index, text) in history::manifests(&workspace, &manifests) {
                trees.extend(former(&text).into_iter().flat_map(|out| self::trees(&manifests[index], &out)));
            }
        }
        // What these hold of a package that does not write there itself is there because a selected one nests it.
        for package in source.packages() {
            let theirs = configured(&package).and_then(|it| Some(self::trees(&it.manifest?, &it.config.out)));
            let writes_here = theirs
                .into_iter()
                .flatten()
                .any(|theirs| trees.iter().any(|tree| tree.starts_with(&theirs) || theirs.starts_with(tree)));
            if !writes_here {
                packages.insert(package.0);
            }
        }
        Grounds { packages, trees: Some(trees) }
    }

    /// Whether what is found may be removed unasked, where it is as it was generated: the run is of all that these
    /// packages configure.
    pub(super) fn are_all(&self) -> bool {
        self.trees.is_some()
    }

    fn are_ours(&self, origins: &[Origin]) -> bool {
        origins.iter().all(|origin| self.packages.contains(&origin.package))
    }
}

/// Where a manifest that was writes to; nothing where it is of no contracts.
fn former(manifest: &str) -> Option<Out> {
    let manifest: toml::Table = manifest.parse().ok()?;
    let package = manifest.get("package")?.as_table()?;
    let metadata = package.get("metadata")?.clone().try_into::<serde_json::Value>().ok()?;
    metadata.get("wirecontract")?;
    let name = package.get("name")?.as_str()?;
    Some(Config::parse(name, &metadata).ok()?.out)
}

fn trees(manifest: &Path, out: &Out) -> Vec<PathBuf> {
    let folder = manifest.parent().unwrap_or(Path::new(""));
    TREES.iter().filter_map(|tree| Some(normal(&folder.join(out.tree(tree)?)))).collect()
}

/// The files that are left behind, sorted.
pub(super) fn left_behind(plan: &Plan) -> Vec<LeftBehind> {
    let planned: HashSet<&Path> = plan.files.iter().map(|file| &*file.path).collect();
    let mut left: BTreeMap<PathBuf, LeftBehind> = BTreeMap::new();
    match &plan.grounds.trees {
        None => beside(plan, &planned, &mut left),
        Some(trees) => trees.iter().for_each(|tree| inside(tree, plan, &planned, &mut left)),
    }
    left.into_values().collect()
}

/// Looks into the folders that planned files are in, at files of the same kinds: what another target or another
/// package wrote is not this run's to judge.
fn beside(plan: &Plan, planned: &HashSet<&Path>, left: &mut BTreeMap<PathBuf, LeftBehind>) {
    let mut kinds: BTreeMap<&Path, BTreeSet<OsString>> = BTreeMap::new();
    for path in planned {
        if let (Some(folder), Some(extension)) = (path.parent(), path.extension()) {
            kinds.entry(folder).or_default().insert(extension.to_owned());
        }
    }
    for (folder, extensions) in kinds {
        // What cannot be written to is for the writing to say.
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let is_candidate = path.extension().is_some_and(|extension| extensions.contains(extension));
            if !is_candidate || planned.contains(&*path) {
                continue;
            }
            let Some(found) = generated(&path) else { continue };
            if !found.0.origins.is_empty() && plan.grounds.are_ours(&found.0.origins) {
                left.insert(path.clone(), LeftBehind::new(path, found));
            }
        }
    }
}

/// Looks at every file in a tree.
fn inside(tree: &Path, plan: &Plan, planned: &HashSet<&Path>, left: &mut BTreeMap<PathBuf, LeftBehind>) {
    let mut files = Vec::new();
    walk(tree, &mut files);
    // Folders, to the tree itself, that hold what somebody generates, and those that hold what nobody does.
    let (mut alive, mut dead) = (BTreeSet::new(), BTreeSet::new());
    let mut shared = Vec::new();
    let folders = |path: &Path| -> Vec<PathBuf> {
        path.ancestors().skip(1).take_while(|folder| folder.starts_with(tree)).map(Path::to_owned).collect()
    };
    for path in files {
        if planned.contains(&*path) {
            alive.extend(folders(&path));
            continue;
        }
        match generated(&path) {
            None => {}
            Some(found) if found.0.origins.is_empty() => shared.push((path, found)),
            Some(found) if plan.grounds.are_ours(&found.0.origins) => {
                dead.extend(folders(&path));
                left.insert(path.clone(), LeftBehind::new(path, found));
            }
            Some(_) => alive.extend(folders(&path)),
        }
    }
    // What is of no package goes with the last file that it was there for.
    for (path, found) in shared {
        if folders(&path).iter().any(|folder| dead.contains(folder) && !alive.contains(folder)) {
            left.insert(path.clone(), LeftBehind::new(path, found));
        }
    }
}

/// The files under a folder that a generated one could be, without those of builds and tools. Links are not followed.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let entries: Vec<fs::DirEntry> = entries.filter_map(Result::ok).collect();
    if entries.iter().any(|entry| entry.file_name() == "CACHEDIR.TAG") {
        return;
    }
    for entry in entries {
        let Ok(kind) = entry.file_type() else { continue };
        let (name, path) = (entry.file_name(), entry.path());
        let is_hidden = name.to_string_lossy().starts_with('.');
        if kind.is_dir() && !is_hidden && name != "node_modules" {
            walk(&path, files);
        } else if kind.is_file() && path.extension().is_some_and(is_generated_kind) {
            files.push(path);
        }
    }
}

fn is_generated_kind(extension: &std::ffi::OsStr) -> bool {
    ["h", "hpp", "json", "py", "pyi", "rs"].iter().any(|kind| extension == *kind)
}

/// What a file states, and whether it was edited; none where it is not one of ours, as a folder or a file in another
/// encoding is not.
fn generated(path: &Path) -> Option<(Statement, bool)> {
    let text = fs::read_to_string(path).ok()?;
    let (statement, _) = artifact::parse(&text)?;
    Some((statement, artifact::is_edited(&text)))
}

/// Removes a file, and the folders that held nothing else.
pub(super) fn remove(path: &Path) -> std::io::Result<()> {
    fs::remove_file(path)?;
    for folder in path.ancestors().skip(1) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

//! Which files git tracks, and in which repository a file is.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::Error;

/// Files that one command line names.
const MOST_NAMED: usize = 100;

/// Those of these files that are there and that git neither tracks nor is told to ignore, in their order. Of a link that
/// is what it points to as well, where that is in a repository.
pub(crate) fn untracked(files: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut asked = Vec::new();
    for file in files {
        let Ok(metadata) = file.symlink_metadata() else { continue };
        let path = real(file).filter(|path| root(path).is_some());
        asked.push((path.ok_or_else(|| Error::NoRepository { path: file.clone() })?, file.clone()));
        if metadata.is_symlink() {
            let target = file.canonicalize().ok().filter(|target| root(target).is_some());
            asked.extend(target.map(|target| (target.clone(), target)));
        }
    }
    let mut by_root: BTreeMap<&Path, Vec<&Path>> = BTreeMap::new();
    for (path, _) in &asked {
        let root = root(path).unwrap_or(Path::new(""));
        by_root.entry(root).or_default().push(path.strip_prefix(root).unwrap_or(path));
    }
    let mut found = BTreeSet::new();
    for (root, names) in by_root {
        for names in names.chunks(MOST_NAMED) {
            let others = others(root, names)?;
            let is_other = |name: &&&Path| others.contains(&as_git_writes(name));
            found.extend(names.iter().filter(is_other).map(|name| root.join(name)));
        }
    }
    let is_found = |(path, _): &(PathBuf, PathBuf)| found.contains(path);
    Ok(asked.into_iter().filter(is_found).map(|(_, file)| file).collect())
}

/// Where a file is, with all links followed but one that it is itself. It need not be there yet.
pub(crate) fn real(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let made = folder.ancestors().find_map(|there| Some((there, there.canonicalize().ok()?)));
    let (there, real) = made?;
    Some(real.join(folder.strip_prefix(there).ok()?).join(file.file_name()?))
}

/// The folder of the repository that a file is in: the nearest one that git made one, or a worktree of one.
pub(crate) fn root(file: &Path) -> Option<&Path> {
    file.ancestors().skip(1).find(|folder| folder.join(".git").exists())
}

/// The untracked ones among these names, as git writes them.
fn others(root: &Path, names: &[&Path]) -> Result<BTreeSet<Vec<u8>>, Error> {
    let failed = |reason: String| Error::Git { root: root.to_owned(), reason };
    let mut command = Command::new("git");
    command.args(["--literal-pathspecs", "-C"]).arg(root);
    command.args(["ls-files", "--others", "--exclude-standard", "-z", "--"]).args(names);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    // A hook is told which index the commit is made of, and that is one of the repository that the hook runs in.
    let here = env::current_dir().ok().and_then(|folder| real(&folder.join("file")));
    if here.as_deref().and_then(self::root) != Some(root) {
        command.env_remove("GIT_INDEX_FILE");
    }
    let output = command.stdin(Stdio::null()).output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(output.stdout.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect())
}

/// A name with the separators of git's output.
fn as_git_writes(name: &Path) -> Vec<u8> {
    let bytes = name.as_os_str().as_encoded_bytes();
    bytes.iter().map(|byte| if cfg!(windows) && *byte == b'\\' { b'/' } else { *byte }).collect()
}

//! Names of files as GitHub resolves them: from the root of the repository, wherever the command runs.

use std::env;
use std::path::{Component, Path, PathBuf};

use crate::gen_stubs::git;

/// What names of files are relative to.
pub(super) struct Names<'a> {
    /// The folder that a workflow checks out into.
    checkout: Option<PathBuf>,
    /// What the names of source files are relative to in records.
    folder: &'a Path,
}

impl<'a> Names<'a> {
    pub(super) fn new(folder: &'a Path) -> Self {
        let checkout = env::var_os("GITHUB_WORKSPACE").filter(|folder| !folder.is_empty());
        Names { checkout: checkout.and_then(|folder| Path::new(&folder).canonicalize().ok()), folder }
    }

    /// A file's name from the workflow's folder where the file is in there, else from the root of its repository. One
    /// that is in neither keeps its name, as does one that a library says and that is not here.
    pub(super) fn of(&self, file: &Path) -> String {
        let path = self.folder.join(file);
        let is_known = file.is_absolute() || path.exists();
        let path = is_known.then(|| git::real(&path)).flatten();
        let from_root = path.as_deref().and_then(|path| {
            let checkout = self.checkout.as_deref().filter(|checkout| path.starts_with(checkout));
            path.strip_prefix(checkout.or_else(|| git::root(path))?).ok()
        });
        match from_root {
            Some(name) => slashed(name),
            None => file.strip_prefix(self.folder).unwrap_or(file).to_string_lossy().into_owned(),
        }
    }
}

fn slashed(path: &Path) -> String {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    names.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::Names;
    use std::fs;
    use std::path::Path;

    #[test]
    fn files_are_named_from_the_checkout_or_else_from_their_repository() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let package = root.join("checkout/repository/sdk");
        fs::create_dir_all(package.join("src")).unwrap();
        fs::create_dir(root.join("checkout/repository/.git")).unwrap();
        fs::write(package.join("src/lib.rs"), "").unwrap();
        let named = |checkout: Option<&str>, file: &Path| {
            let checkout = checkout.map(|folder| root.join(folder));
            Names { checkout, folder: &package }.of(file)
        };
        let source = Path::new("src/lib.rs");
        assert_eq!(named(Some("checkout"), source), "repository/sdk/src/lib.rs");
        assert_eq!(named(None, source), "sdk/src/lib.rs");
        assert_eq!(named(Some("checkout/other"), source), "sdk/src/lib.rs");
        // One that is to be written is where it will be.
        assert_eq!(named(None, &package.join("out/json/sdk.json")), "sdk/out/json/sdk.json");
        assert_eq!(named(Some("checkout"), Path::new("elsewhere.rs")), "elsewhere.rs");
        fs::remove_dir(root.join("checkout/repository/.git")).unwrap();
        assert_eq!(named(None, source), "src/lib.rs");
        assert_eq!(named(None, &package.join("out/sdk.h")), "out/sdk.h");
    }
}

//! rustc: edited modules that give documents to C programs, compiled into a library as they are meant to be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, ensure};
use wirecontract_codegen::gen_stubs::Target;

use super::compile::failure;
use super::{Case, Outcome};
use crate::mutate::subject::{Subject, write};

/// A package of the unchanged modules, compiled once. What is edited takes its place there for as long as it is compiled.
pub(super) struct Documents {
    folder: PathBuf,
    /// One at a time.
    turn: Mutex<()>,
}

impl Documents {
    /// None where a subject has no such modules.
    pub(super) fn prepare(subject: &Subject, folder: &Path) -> anyhow::Result<Option<Self>> {
        let modules = subject.files.iter().filter(|file| file.target == Target::CJson);
        let modules: Vec<(PathBuf, &str)> = modules.map(|file| (module(&file.path), &*file.text)).collect();
        if modules.is_empty() {
            return Ok(None);
        }
        let root = subject.declarations.folder();
        let manifest = format!(
            "[package]\nname = \"documents\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\n\
             wirecontract = {{ path = {:?}, features = [\"export\", \"json\"] }}\n\
             wirecontract-gpu = {{ path = {:?} }}\n\n[workspace]\n",
            root.join("contracts/core").display().to_string(),
            root.join("contracts/gpu").display().to_string(),
        );
        write(&folder.join("Cargo.toml"), &manifest)?;
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))
            .with_context(|| format!("cannot copy {}", root.join("Cargo.lock").display()))?;
        write(&folder.join("src/lib.rs"), "mod documents;\n")?;
        for (path, text) in modules {
            write(&folder.join(path), text)?;
        }
        let documents = Documents { folder: folder.to_owned(), turn: Mutex::new(()) };
        let failure = documents.check()?;
        ensure!(failure.is_none(), "{}: {}", folder.display(), failure.unwrap_or_default());
        Ok(Some(documents))
    }

    /// What the compiler says of the edited module; none where none was edited.
    pub(super) fn meet(&self, case: &Case<'_>) -> anyhow::Result<Option<Outcome>> {
        let Some(file) = case.files.iter().find(|file| file.target == Target::CJson) else { return Ok(None) };
        let original = case.subject.files.iter().find(|original| original.path == file.path);
        let Some(original) = original else { return Ok(None) };
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.folder.join(module(&file.path));
        write(&path, &file.text)?;
        let said = self.check();
        write(&path, &original.text)?;
        Ok(Some(Outcome::of(said?)))
    }

    fn check(&self) -> anyhow::Result<Option<String>> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(&self.folder).args(["check", "--offline", "--quiet"]);
        command.env("CARGO_TARGET_DIR", self.folder.join("target")).env("RUSTFLAGS", "--cap-lints=warn");
        failure(&mut command)
    }
}

/// `rust/texture.rs` in the package.
fn module(path: &str) -> PathBuf {
    Path::new("src/documents").join(path.trim_start_matches("rust/"))
}

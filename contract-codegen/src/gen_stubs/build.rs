//! With which features, and for which target, contracts are built: behind `cfg` they are others.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::SourceArgs;
use crate::{artifact, cli};

/// How contracts are built.
#[derive(Debug, Clone)]
pub(crate) struct Build {
    stated: Option<String>,
    /// The arguments that say what is built.
    place: String,
}

impl Build {
    /// What the arguments say; none where libraries are given, which do not say how they were built.
    pub(super) fn of(args: &SourceArgs) -> Option<Self> {
        if !args.libraries.is_empty() {
            return None;
        }
        let mut place = String::new();
        for package in &args.packages {
            write!(place, " -p {package}").expect("a String takes all");
        }
        if let Some(manifest) = &args.manifest_path {
            write!(place, " --manifest-path {}", manifest.display()).expect("a String takes all");
        }
        Some(Build { stated: stated(args), place })
    }

    /// The options that files and the lock state, none where contracts are built as cargo builds without any.
    pub(crate) fn stated(&self) -> Option<&str> {
        self.stated.as_deref()
    }

    /// The command of the same packages with other options.
    pub(crate) fn command(&self, command: &str, stated: Option<&str>) -> String {
        let options = stated.map_or_else(String::new, |stated| format!(" {stated}"));
        format!("{} {command}{}{options}", cli::program(), self.place)
    }
}

/// `--no-default-features --features a,b --cargo-target TRIPLE`, however the arguments spell it.
fn stated(args: &SourceArgs) -> Option<String> {
    let words = args.features.iter().flat_map(|features| features.split([',', ' ']));
    let features: BTreeSet<String> =
        words.filter(|feature| !feature.is_empty()).map(artifact::plain).collect();
    let mut options = Vec::new();
    if args.all_features {
        options.push("--all-features".to_owned());
    } else {
        if args.no_default_features {
            options.push("--no-default-features".to_owned());
        }
        if !features.is_empty() {
            options.push(format!("--features {}", features.into_iter().collect::<Vec<_>>().join(",")));
        }
    }
    options
        .extend(args.cargo_target.iter().map(|triple| format!("--cargo-target {}", artifact::plain(triple))));
    (!options.is_empty()).then(|| options.join(" "))
}

/// How something was built, in a sentence.
pub(crate) fn in_words(stated: Option<&str>) -> String {
    stated.map_or_else(|| "without options of the build".to_owned(), |stated| format!("with `{stated}`"))
}

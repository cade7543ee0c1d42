//! What SWIG makes of the C headers: it has a parser of its own, and many SDKs wrap theirs with it. The C++ headers
//! are not for it: their templates, and constructors from a reference to an array, are beyond that parser.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::Job;

/// The same in every tree, whatever its other headers are called.
const CORE: &str = "wirecontract/core.h";
/// Structs that hold a `const char *`, as those of errors do, are warned of whatever is said about their ownership.
const SILENCED: &str = "-w451";

/// A run of SWIG for each C header, as C and as C++, the core header before it as its types are used there.
pub(super) fn jobs(trees: &BTreeMap<&str, Vec<String>>, scratch: &Path) -> anyhow::Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for (tree, headers) in trees {
        let is_c = |header: &&String| {
            Path::new(header.as_str()).extension().is_some_and(|extension| extension == "h")
        };
        for header in headers.iter().filter(is_c) {
            for language in ["c", "c++"] {
                // SWIG writes its output beside the interface, and many of them run at once.
                let folder = scratch.join(format!("{tree}/{header}/{language}").replace(['/', '.'], "_"));
                fs::create_dir_all(&folder)?;
                let interface = folder.join("checked.i");
                fs::write(&interface, interface_of(header))?;
                let path = |path: &Path| path.to_string_lossy().into_owned();
                let mut words = vec!["swig".to_owned(), "-python".into(), SILENCED.into()];
                words.extend((language == "c++").then(|| "-c++".to_owned()));
                words.extend([format!("-I{tree}"), "-outdir".into(), path(&folder)]);
                words.extend(["-o".into(), path(&folder.join("wrap.c")), path(&interface)]);
                jobs.push(Job { words, subject: format!("{header} in SWIG"), source: String::new() });
            }
        }
    }
    Ok(jobs)
}

fn interface_of(header: &str) -> String {
    let mut text = format!("%module checked\n%{{\n#include <{header}>\n%}}\n%include <stdint.i>\n");
    let core = (header != CORE).then_some(CORE);
    for name in core.into_iter().chain([header]) {
        text.extend(["%include <", name, ">\n"]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_header_is_parsed_first() {
        let parsed = |header| {
            let text = interface_of(header);
            text.lines().skip(5).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(parsed("sensor/frame.h"), ["%include <wirecontract/core.h>", "%include <sensor/frame.h>"]);
        assert_eq!(parsed("wirecontract/core.h"), ["%include <wirecontract/core.h>"]);
    }

    #[test]
    fn a_c_header_is_parsed_in_both_languages_and_a_cpp_header_in_none() {
        let scratch = tempfile::tempdir().unwrap();
        let trees = BTreeMap::from([("include", vec!["w/core.h".to_owned(), "w/core.hpp".to_owned()])]);
        let jobs = jobs(&trees, scratch.path()).unwrap();
        let cpp: Vec<bool> = jobs.iter().map(|job| job.words.contains(&"-c++".to_owned())).collect();
        assert_eq!(cpp, [false, true]);
    }
}

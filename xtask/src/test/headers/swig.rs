//! What SWIG makes of the headers: it has a parser of its own, and many SDKs wrap theirs with it. C headers are parsed
//! as C and as C++, C++ headers as C++.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::Job;

/// The same in every tree, whatever its other headers are called.
const CORE: &str = "wirecontract/core.h";
const CPP_CORE: &str = "wirecontract/core.hpp";
/// Structs that hold a `const char *`, as those of errors do, are warned of whatever is said about their ownership.
const SILENCED: &str = "-w451";
/// Besides, in C++: what the wrapped language cannot say (overloads by enumeration, free operators, keywords, bases of
/// the standard library) is a wrapper's to choose.
const CPP_SILENCED: &str = "-w314,317,362,401,451,503,509";

/// Runs of SWIG for each header, the core headers before it as their types are used there.
pub(super) fn jobs(trees: &BTreeMap<&str, Vec<String>>, scratch: &Path) -> anyhow::Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for (tree, headers) in trees {
        for header in headers {
            let is_cpp = Path::new(header).extension().is_some_and(|extension| extension == "hpp");
            let languages: &[&str] = if is_cpp { &["c++"] } else { &["c", "c++"] };
            for &language in languages {
                // SWIG writes its output beside the interface, and many of them run at once.
                let folder = scratch.join(format!("{tree}/{header}/{language}").replace(['/', '.'], "_"));
                fs::create_dir_all(&folder)?;
                let interface = folder.join("checked.i");
                fs::write(&interface, interface_of(header, is_cpp))?;
                let path = |path: &Path| path.to_string_lossy().into_owned();
                let mut words = vec![
                    "swig".to_owned(),
                    "-python".into(),
                    if is_cpp { CPP_SILENCED } else { SILENCED }.into(),
                ];
                words.extend((language == "c++").then(|| "-c++".to_owned()));
                words.extend([format!("-I{tree}"), "-outdir".into(), path(&folder)]);
                words.extend(["-o".into(), path(&folder.join("wrap.c")), path(&interface)]);
                jobs.push(Job { words, subject: format!("{header} in SWIG"), source: String::new() });
            }
        }
    }
    Ok(jobs)
}

fn interface_of(header: &str, is_cpp: bool) -> String {
    let mut text = format!("%module checked\n%{{\n#include <{header}>\n%}}\n%include <stdint.i>\n");
    let core = [Some(CORE), is_cpp.then_some(CPP_CORE)].into_iter().flatten();
    for name in core.filter(|name| *name != header) {
        // Imported where it is not what is wrapped: its names are then another module's.
        text.extend([if is_cpp { "%import <" } else { "%include <" }, name, ">\n"]);
    }
    text.extend(["%include <", header, ">\n"]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_header_is_parsed_first() {
        let parsed = |header| {
            let text = interface_of(header, header.contains(".hpp"));
            text.lines().skip(5).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(parsed("sensor/frame.h"), ["%include <wirecontract/core.h>", "%include <sensor/frame.h>"]);
        assert_eq!(parsed("wirecontract/core.h"), ["%include <wirecontract/core.h>"]);
        assert_eq!(
            parsed("w/x.hpp"),
            ["%import <wirecontract/core.h>", "%import <wirecontract/core.hpp>", "%include <w/x.hpp>"]
        );
    }

    #[test]
    fn a_c_header_is_parsed_in_both_languages_and_a_cpp_header_in_its_own() {
        let scratch = tempfile::tempdir().unwrap();
        let trees = BTreeMap::from([("include", vec!["w/core.h".to_owned(), "w/core.hpp".to_owned()])]);
        let jobs = jobs(&trees, scratch.path()).unwrap();
        let cpp: Vec<bool> = jobs.iter().map(|job| job.words.contains(&"-c++".to_owned())).collect();
        assert_eq!(cpp, [false, true, true]);
    }
}

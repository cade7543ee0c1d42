//! What SWIG makes of the headers: it has a parser of its own, and many SDKs wrap theirs with it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::Job;

/// A run of SWIG for each header, the core header before it as its types are used there.
pub(super) fn jobs(trees: &BTreeMap<&str, Vec<String>>, scratch: &Path) -> anyhow::Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for (tree, headers) in trees {
        for header in headers {
            let is_cpp = Path::new(header).extension().is_some_and(|extension| extension == "hpp");
            let core: Vec<&String> = headers
                .iter()
                .filter(|other| {
                    *other != header && (other.ends_with("/core.h") || is_cpp && other.ends_with("/core.hpp"))
                })
                .collect();
            // SWIG writes its output beside the interface, and there are as many of them as headers.
            let folder = scratch.join(format!("{tree}/{header}").replace(['/', '.'], "_"));
            fs::create_dir_all(&folder)?;
            let interface = folder.join("checked.i");
            fs::write(&interface, interface_of(header, &core))?;
            let mut words = vec!["swig".to_owned(), "-python".into()];
            words.extend(is_cpp.then(|| "-c++".to_owned()));
            words.extend([format!("-I{tree}"), "-outdir".into(), folder.to_string_lossy().into_owned()]);
            words.extend(["-o".into(), folder.join("wrap.c").to_string_lossy().into_owned()]);
            words.push(interface.to_string_lossy().into_owned());
            jobs.push(Job { words, source: String::new() });
        }
    }
    Ok(jobs)
}

fn interface_of(header: &str, core: &[&String]) -> String {
    let mut text = format!("%module checked\n%{{\n#include <{header}>\n%}}\n%include <stdint.i>\n");
    for name in core.iter().map(|name| name.as_str()).chain([header]) {
        text.extend(["%include <", name, ">\n"]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_header_is_parsed_first() {
        let text = interface_of("w/cuvis.h", &[&"w/core.h".to_owned()]);
        assert!(text.ends_with("%include <stdint.i>\n%include <w/core.h>\n%include <w/cuvis.h>\n"), "{text}");
    }

    #[test]
    fn a_cpp_header_is_parsed_as_cpp() {
        let scratch = tempfile::tempdir().unwrap();
        let trees = BTreeMap::from([("include", vec!["w/core.h".to_owned(), "w/core.hpp".to_owned()])]);
        let jobs = jobs(&trees, scratch.path()).unwrap();
        let cpp: Vec<bool> = jobs.iter().map(|job| job.words.contains(&"-c++".to_owned())).collect();
        assert_eq!(cpp, [false, true]);
    }
}

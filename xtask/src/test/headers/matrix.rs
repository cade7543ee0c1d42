//! Which compilers, machines and standards a header must compile with.

use super::Job;

const FLAGS: &[&str] = &["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-fsyntax-only"];
/// The oldest first. gcc 12 and clang 14 know the newest ones under these names.
const C: &[&str] = &["c11", "c17", "c2x"];
const CPP: &[&str] = &["c++17", "c++20", "c++2b"];

/// A compiler for one machine.
#[derive(Debug)]
struct Toolchain {
    c: &'static str,
    /// None where the compiler does not find the other's C++ library.
    cpp: Option<&'static str>,
    flags: &'static [&'static str],
    /// Whether it needs the 64-bit multiarch folder to find what is under it in its own: Debian's 32-bit
    /// libraries come without headers.
    multiarch: bool,
}

impl Toolchain {
    /// Those of the standards that it compiles with: what newer ones add, words and warnings, is the same on every machine.
    fn standards<'a>(&self, all: &'a [&'a str]) -> &'a [&'a str] {
        let is_native = self.flags.is_empty() && matches!(self.c, "gcc" | "clang");
        if is_native { all } else { &all[..1] }
    }
}

const fn toolchain(c: &'static str, cpp: &'static str, flags: &'static [&'static str]) -> Toolchain {
    Toolchain { c, cpp: Some(cpp), flags, multiarch: false }
}

const TOOLCHAINS: &[Toolchain] = &[
    toolchain("gcc", "g++", &[]),
    Toolchain { c: "gcc", cpp: Some("g++"), flags: &["-m32"], multiarch: true },
    toolchain("gcc", "g++", &["-fshort-enums"]),
    toolchain("s390x-linux-gnu-gcc", "s390x-linux-gnu-g++", &[]),
    toolchain("x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-g++", &[]),
    toolchain("clang", "clang++", &[]),
    Toolchain { c: "clang", cpp: Some("clang++"), flags: &["-m32"], multiarch: true },
    toolchain("clang", "clang++", &["-fshort-enums"]),
    toolchain("clang", "clang++", &["--target=s390x-linux-gnu"]),
    Toolchain { c: "clang", cpp: None, flags: &["--target=x86_64-w64-mingw32"], multiarch: false },
];

/// A translation unit: what it includes, and the folders in which that is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    headers: Vec<String>,
    trees: Vec<String>,
}

impl Unit {
    pub(super) fn new(trees: &[&str], headers: &[String]) -> Self {
        let mut seen = Vec::new();
        for header in headers {
            // Every tree has its copy of the core header.
            if !seen.contains(header) {
                seen.push(header.clone());
            }
        }
        Self { headers: seen, trees: trees.iter().map(|&tree| tree.to_owned()).collect() }
    }

    /// The same without what only C++ understands.
    pub(super) fn c_part(&self) -> Option<Self> {
        let headers: Vec<String> = self.headers.iter().filter(|header| !is_cpp(header)).cloned().collect();
        (!headers.is_empty()).then(|| Self { headers, trees: self.trees.clone() })
    }

    fn is_c(&self) -> bool {
        !self.headers.iter().any(|header| is_cpp(header))
    }

    fn source(&self) -> String {
        self.headers.iter().flat_map(|header| ["#include <", header, ">\n"]).collect()
    }
}

fn is_cpp(header: &str) -> bool {
    std::path::Path::new(header).extension().is_some_and(|extension| extension == "hpp")
}

/// Every unit with every toolchain that it is for, in its oldest standard, and with those of this machine in the newer
/// ones: C headers are C++ as well.
pub(super) fn jobs(units: &[Unit], multiarch: &str) -> Vec<Job> {
    let mut jobs = Vec::new();
    for unit in units {
        for toolchain in TOOLCHAINS {
            if unit.is_c() {
                let standards = toolchain.standards(C).iter();
                jobs.extend(
                    standards.map(|standard| job(unit, toolchain, toolchain.c, "c", standard, multiarch)),
                );
            }
            if let Some(cpp) = toolchain.cpp {
                let standards = toolchain.standards(CPP).iter();
                jobs.extend(standards.map(|standard| job(unit, toolchain, cpp, "c++", standard, multiarch)));
            }
        }
    }
    jobs
}

fn job(
    unit: &Unit,
    toolchain: &Toolchain,
    compiler: &str,
    language: &str,
    standard: &str,
    multiarch: &str,
) -> Job {
    let mut words = vec![compiler.to_owned(), format!("-std={standard}"), "-x".into(), language.into()];
    words.extend(FLAGS.iter().chain(toolchain.flags).map(|&flag| flag.to_owned()));
    if toolchain.multiarch {
        words.extend(["-isystem".into(), format!("/usr/include/{multiarch}")]);
    }
    words.extend(unit.trees.iter().map(|tree| format!("-I{tree}")));
    words.push("-".into());
    Job { words, subject: unit.headers.join(", "), source: unit.source() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(headers: &[&str]) -> Unit {
        Unit::new(&["include"], &headers.iter().map(|&header| header.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_c_header_is_compiled_as_c_and_as_cpp_by_everyone() {
        let jobs = jobs(&[unit(&["w/core.h"])], "x86_64-linux-gnu");
        let newer = 2 * (C.len() - 1 + CPP.len() - 1);
        assert_eq!(jobs.len(), 2 * TOOLCHAINS.len() - 1 + newer);
        let newest = |job: &&Job| job.words.iter().any(|word| word == "-std=c2x" || word == "-std=c++2b");
        let by: Vec<&str> = jobs.iter().filter(newest).map(|job| &*job.words[0]).collect();
        assert_eq!(by, ["gcc", "g++", "clang", "clang++"]);
        assert_eq!(
            jobs[0].words.join(" "),
            "gcc -std=c11 -x c -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only -Iinclude -"
        );
        assert_eq!(jobs[0].source, "#include <w/core.h>\n");
    }

    #[test]
    fn a_cpp_header_is_no_c() {
        let jobs = jobs(&[unit(&["w/core.hpp"])], "x86_64-linux-gnu");
        assert!(jobs.iter().all(|job| job.words.contains(&"c++".to_owned())));
    }

    #[test]
    fn the_c_part_of_a_mixed_unit_keeps_its_order() {
        let mixed = unit(&["b.h", "a.hpp", "a.h"]);
        assert_eq!(mixed.c_part(), Some(unit(&["b.h", "a.h"])));
        assert_eq!(unit(&["a.hpp"]).c_part(), None);
    }

    #[test]
    fn a_header_of_two_trees_is_included_once() {
        assert_eq!(unit(&["core.h", "a.h", "core.h"]), unit(&["core.h", "a.h"]));
    }
}

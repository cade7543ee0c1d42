//! Shared libraries in the place of others that a program is linked with and never calls.
//!
//! What such a library has to have, the libraries that are linked with it say: the symbols that none of them defines, and
//! the versions of these. Each function of a stand-in returns 1, by which the functions of CUDA's libraries say that they
//! failed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

/// What shared libraries want of others.
#[derive(Debug, Default)]
struct Wants {
    /// Names of libraries.
    libraries: BTreeSet<String>,
    /// The versions of symbols that each of these is asked for.
    versions: BTreeMap<String, BTreeSet<String>>,
    /// Symbols and their versions; none where that is not said.
    symbols: BTreeMap<String, Option<String>>,
    /// Symbols that they have themselves.
    defined: BTreeSet<String>,
}

/// Makes a stand-in, in the folder `libraries`, of each library that those in it want and that is neither there, nor below
/// `others`, nor the system's; from sources in the folder `sources`. Gives their names.
pub(super) fn make(libraries: &Path, others: &Path, sources: &Path) -> anyhow::Result<Vec<String>> {
    let own = shared_libraries(libraries)?;
    let mut wants = Wants::default();
    for library in &own {
        wants.add_headers(&output("objdump", ["-p".as_ref(), library.as_os_str()])?);
        let symbols = |which: &str| output("nm", ["-D".as_ref(), which.as_ref(), library.as_os_str()]);
        wants.add_undefined(&symbols("--undefined-only")?);
        wants.add_defined(&symbols("--defined-only")?);
    }
    let mut there: BTreeSet<String> = own.iter().filter_map(|path| name_of(path)).collect();
    walk(others, &mut |path| there.extend(name_of(path)))?;
    let missing: Vec<String> =
        wants.libraries.iter().filter(|name| !there.contains(*name)).cloned().collect();
    fs::create_dir_all(sources)?;
    let mut made = Vec::new();
    for name in missing {
        if is_the_systems(&name)? {
            continue;
        }
        let source = sources.join(format!("{name}.c"));
        fs::write(&source, wants.source(&name))?;
        let mut words: Vec<OsString> = ["-shared", "-nostdlib", "-fPIC", "-w", "-o"].map(Into::into).to_vec();
        words.push(libraries.join(&name).into());
        words.push(format!("-Wl,-soname,{name}").into());
        // The linker takes no script that is empty.
        if wants.versions_of(&name).next().is_some() {
            let script = sources.join(format!("{name}.map"));
            fs::write(&script, wants.version_script(&name))?;
            words.push(format!("-Wl,--version-script,{}", script.display()).into());
        }
        words.push(source.into());
        output("cc", &words)?;
        made.push(name);
    }
    Ok(made)
}

impl Wants {
    /// Adds what `objdump -p` prints of a library.
    fn add_headers(&mut self, headers: &str) {
        // Of the library whose versions are being listed; a line that is not indented ends the list.
        let mut of: Option<String> = None;
        for line in headers.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["NEEDED", name] => drop(self.libraries.insert(name.to_owned())),
                ["required", "from", name] => of = Some(name.trim_end_matches(':').to_owned()),
                [hash, _, _, version] if hash.starts_with("0x") => {
                    if let Some(of) = &of {
                        self.versions.entry(of.clone()).or_default().insert(version.to_owned());
                    }
                }
                _ if !line.starts_with(' ') => of = None,
                _ => {}
            }
        }
    }

    /// Adds what `nm -D --undefined-only` prints of a library. Those that may stay undefined are left out.
    fn add_undefined(&mut self, symbols: &str) {
        for line in symbols.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["U", symbol] = words[..] {
                let (name, version) = symbol.split_once('@').unwrap_or((symbol, ""));
                let version = Some(version.trim_start_matches('@').to_owned()).filter(|it| !it.is_empty());
                self.symbols.insert(name.to_owned(), version);
            }
        }
    }

    /// Adds what `nm -D --defined-only` prints of a library.
    fn add_defined(&mut self, symbols: &str) {
        let names = symbols.lines().filter_map(|line| line.split_whitespace().next_back());
        self.defined.extend(names.map(|name| name.split('@').next().unwrap_or(name).to_owned()));
    }

    /// The symbols of one version; with none, those of which nobody says whose they are. Python's are the interpreter's.
    fn of_version(&self, version: Option<&str>) -> impl Iterator<Item = &str> {
        let wanted = self.symbols.iter().filter(move |(name, of)| {
            let is_pythons = name.starts_with("Py") || name.starts_with("_Py");
            of.as_deref() == version && !is_pythons && !self.defined.contains(*name)
        });
        wanted.map(|(name, _)| name.as_str())
    }

    fn versions_of(&self, library: &str) -> impl Iterator<Item = &str> {
        self.versions.get(library).into_iter().flatten().map(String::as_str)
    }

    /// The stand-in in C. What has no version is in each.
    fn source(&self, library: &str) -> String {
        let mut source =
            String::from("__attribute__((visibility(\"hidden\"))) int stand_in(void) { return 1; }\n");
        let versioned = self.versions_of(library).flat_map(|version| self.of_version(Some(version)));
        for name in versioned.chain(self.of_version(None)) {
            let _ = writeln!(
                source,
                "int {name}(void) __attribute__((alias(\"stand_in\"), visibility(\"default\")));"
            );
        }
        source
    }

    /// Which symbol has which version, for the linker.
    fn version_script(&self, library: &str) -> String {
        let mut script = String::new();
        for version in self.versions_of(library) {
            let names: Vec<String> = self.of_version(Some(version)).map(|name| format!(" {name};")).collect();
            let global = if names.is_empty() { String::new() } else { format!(" global:{}", names.concat()) };
            let _ = writeln!(script, "{version} {{{global} }};");
        }
        script
    }
}

/// Whether the compiler, and so the loader, finds a library among the system's.
fn is_the_systems(name: &str) -> anyhow::Result<bool> {
    let found = output("cc", [format!("-print-file-name={name}")])?;
    Ok(Path::new(found.trim()).is_absolute())
}

/// The shared libraries in a folder.
fn shared_libraries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(paths.into_iter().filter(|path| name_of(path).is_some_and(|name| name.contains(".so"))).collect())
}

fn walk(folder: &Path, each: &mut impl FnMut(&Path)) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() { walk(&entry.path(), each)? } else { each(&entry.path()) }
    }
    Ok(())
}

fn name_of(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.to_owned())
}

/// What a program prints: of a question whose answer is too long for a log.
fn output<W: AsRef<OsStr>>(program: &str, words: impl IntoIterator<Item = W>) -> anyhow::Result<String> {
    let output = Command::new(program).args(words).env("LC_ALL", "C").output();
    let output = output.with_context(|| format!("cannot run {program}"))?;
    ensure!(output.status.success(), "{program} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).with_context(|| format!("{program} prints no text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADERS: &str = "
Dynamic Section:
  NEEDED               libmaths.so.13
  NEEDED               libc.so.6
  RUNPATH              $ORIGIN

Version References:
  required from libmaths.so.13:
    0x0b4ae9fd 0x00 15 libmaths.so.13
  required from libc.so.6:
    0x06969194 0x00 03 GLIBC_2.14

Version definitions:
";
    const UNDEFINED: &str = "                 U add@libmaths.so.13
                 U memcpy@GLIBC_2.14
                 U plain
                 U own
                 U PyLong_FromLong
                 w __gmon_start__
";

    fn wants() -> Wants {
        let mut wants = Wants::default();
        wants.add_headers(HEADERS);
        wants.add_undefined(UNDEFINED);
        wants.add_defined("0000000000001100 T own@@LIBOWN_1\n");
        wants
    }

    #[test]
    fn a_stand_in_has_what_is_asked_of_it_and_what_nobody_has() {
        let source = wants().source("libmaths.so.13");
        let names: Vec<&str> =
            source.lines().skip(1).map(|line| line.split(['(', ' ']).nth(1).unwrap()).collect();
        assert_eq!(names, ["add", "plain"]);
    }

    #[test]
    fn versions_are_the_ones_that_are_asked_for() {
        assert_eq!(wants().version_script("libmaths.so.13"), "libmaths.so.13 { global: add; };\n");
    }

    #[test]
    fn the_system_s_libraries_are_not_stood_in_for() {
        assert!(is_the_systems("libc.so.6").unwrap());
        assert!(!is_the_systems("libmaths.so.13").unwrap());
    }

    #[test]
    fn a_library_loads_that_is_linked_with_a_stand_in() {
        let folder = tempfile::tempdir().unwrap();
        let (libraries, others) = (folder.path().join("lib"), folder.path().join("others"));
        fs::create_dir_all(&libraries).unwrap();
        fs::create_dir_all(&others).unwrap();
        let cc = |words: &[&str]| output("cc", words).unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        fs::write(at("real.c"), "int add(void) { return 5; }\n").unwrap();
        fs::write(at("real.map"), "MATHS_13 { global: add; };\n").unwrap();
        let script = format!("-Wl,--version-script,{}", at("real.map"));
        cc(&[
            "-shared",
            "-fPIC",
            "-o",
            &at("libmaths.so.13"),
            "-Wl,-soname,libmaths.so.13",
            &script,
            &at("real.c"),
        ]);
        fs::write(at("user.c"), "int add(void);\nint asked(void) { return add(); }\n").unwrap();
        cc(&["-shared", "-fPIC", "-o", &at("lib/libuser.so"), &at("user.c"), &at("libmaths.so.13")]);
        fs::remove_file(at("libmaths.so.13")).unwrap();

        assert_eq!(make(&libraries, &others, &folder.path().join("sources")).unwrap(), ["libmaths.so.13"]);
        let words = format!(
            "import ctypes; print(ctypes.CDLL('{}', ctypes.RTLD_GLOBAL).asked())",
            at("lib/libuser.so")
        );
        let python =
            Command::new("python3").args(["-c", &words]).env("LD_LIBRARY_PATH", &libraries).output().unwrap();
        assert_eq!(
            String::from_utf8(python.stdout).unwrap(),
            "1\n",
            "{}",
            String::from_utf8_lossy(&python.stderr)
        );
    }
}

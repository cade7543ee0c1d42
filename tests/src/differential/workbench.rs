//! A folder with everything generated for a catalog, and the drivers built from it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wirecontract_codegen::emit::{self, Artifact, EmitError, EmitInput, Family, PackageConfig};
use wirecontract_codegen::interpret::Host;
use wirecontract_codegen::model::Catalog;
use wirecontract_codegen::names;

use super::rust::Rust;
use super::toolchain::{Machine, compile, link, python, run_all};
use super::values::{self, Question};
use super::{c, cpp, cpp_documents, library, python as python_driver};
use crate::random::Random;

/// Every family of a catalog, all to be written, spelled as the package is configured.
pub fn all_families<'a>(catalog: &'a Catalog, package: &PackageConfig) -> EmitInput<'a> {
    let mut families: Vec<Family> = Vec::new();
    for (id, contract) in catalog.iter() {
        match families.iter_mut().find(|family| family.name == contract.family()) {
            Some(family) => family.contracts.push(id),
            None => families.push(Family {
                package: package.clone(),
                name: contract.family().to_owned(),
                contracts: vec![id],
            }),
        }
    }
    let selected = (0..families.len()).collect();
    EmitInput { catalog, families, selected }
}

type Emitter = fn(&EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>>;

/// The artifacts of a catalog in a folder.
#[derive(Debug)]
pub struct Workbench<'a> {
    input: EmitInput<'a>,
    folder: PathBuf,
}

impl<'a> Workbench<'a> {
    /// Emits every target into the folder.
    ///
    /// # Panics
    /// When an emitter refuses or a file cannot be written.
    pub fn new(input: EmitInput<'a>, folder: &Path) -> Self {
        let emitters: [Emitter; 5] =
            [emit::c::emit, emit::cpp::emit, emit::python::emit, emit::json::emit, emit::vectors::emit];
        // What an earlier run left is none of this catalog's.
        fs::remove_dir_all(folder)
            .or_else(|error| if folder.exists() { Err(error) } else { Ok(()) })
            .expect("an empty folder");
        for emitter in emitters {
            let artifacts = emitter(&input).unwrap_or_else(|errors| {
                let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                panic!("expected every target to take the contracts:\n{}", errors.join("\n"))
            });
            for artifact in artifacts {
                write(&folder.join(artifact.path), &artifact.body);
            }
        }
        Workbench { input, folder: folder.to_owned() }
    }

    /// The catalog.
    pub fn catalog(&self) -> &'a Catalog {
        self.input.catalog
    }

    /// The text of an artifact.
    ///
    /// # Panics
    /// When there is none of that path.
    pub fn artifact(&self, path: &str) -> String {
        let path = self.folder.join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// A C driver, compiled with these flags besides.
    pub fn c(&self, machine: Machine, flags: &[&str]) -> Driver {
        let flags = [&["-std=c11", "-Wall", "-Wextra", "-Werror"], flags].concat();
        let mut sources = c::sources(&self.input);
        sources.push(("headers.c".to_owned(), self.headers(names::c::header)));
        self.compiled("c", "c", sources, machine, &flags, Machine::c_compiler)
    }

    /// A C++ driver, compiled with these flags besides.
    pub fn cpp(&self, machine: Machine, flags: &[&str]) -> Driver {
        let flags = [&["-std=c++17", "-Wall", "-Wextra", "-Werror"], flags].concat();
        let mut sources = cpp::sources(&self.input);
        sources.push(("headers.cpp".to_owned(), self.headers(names::cpp::header)));
        self.compiled("c++", "cpp", sources, machine, &flags, Machine::cpp_compiler)
    }

    /// A C driver that reads and writes documents, with the library that does it.
    pub fn c_documents(&self, rust: &Rust, machine: Machine, flags: &[&str]) -> Driver {
        let (bench, linked) = self.with_library(rust, machine);
        let linked: Vec<&str> = linked.iter().map(String::as_str).collect();
        let flags = [&["-std=c11", "-Wall", "-Wextra", "-Werror"], flags].concat();
        let sources = library::sources(&bench.input);
        bench.linked("c with its library", "c", sources, machine, (&flags, &linked), Machine::c_compiler)
    }

    /// A C++ driver that reads and writes documents strictly, with the same library.
    pub fn cpp_documents(&self, rust: &Rust, machine: Machine, flags: &[&str]) -> Driver {
        let (bench, linked) = self.with_library(rust, machine);
        let linked: Vec<&str> = linked.iter().map(String::as_str).collect();
        let flags = [&["-std=c++17", "-Wall", "-Wextra", "-Werror"], flags].concat();
        let sources = cpp_documents::sources(&bench.input);
        bench.linked(
            "c++ with its library",
            "cpp",
            sources,
            machine,
            (&flags, &linked),
            Machine::cpp_compiler,
        )
    }

    /// The same contracts with the library for their documents, and what a linker is told of it.
    fn with_library(&self, rust: &Rust, machine: Machine) -> (Workbench<'a>, Vec<String>) {
        let input = library::with_library(&self.input);
        let folder = self.folder.join("documents");
        let built = library::build(&input, rust, &folder, machine);
        let built = built.display();
        let linked = vec![format!("-L{built}"), format!("-Wl,-rpath,{built}"), "-ldocuments".to_owned()];
        (Workbench { input, folder }, linked)
    }

    /// What a library says of values: the verdict of the header's check, then that of writing.
    pub(super) fn c_written(
        &self,
        rust: &Rust,
        questions: &[Question],
        random: &mut Random,
    ) -> Vec<[String; 2]> {
        let input = library::with_library(&self.input);
        let folder = self.folder.join("written");
        let built = library::build(&input, rust, &folder, Machine::Native);
        let linked = [format!("-L{}", built.display()), format!("-Wl,-rpath,{}", built.display())];
        let linked: Vec<&str> = linked.iter().map(String::as_str).chain(["-ldocuments"]).collect();
        let source = values::faulty_source(&input, questions, random);
        Workbench { input, folder }.said(&source, questions.len(), &linked)
    }

    /// What C says of values: two answers to each question.
    ///
    /// # Panics
    /// When the program does not compile, or does not answer.
    pub fn c_values(&self, questions: &[Question]) -> Vec<[String; 2]> {
        self.said(&values::source(&self.input, questions), questions.len(), &[])
    }

    /// What a program of that source says: two lines for each of so many questions.
    fn said(&self, text: &str, questions: usize, linked: &[&str]) -> Vec<[String; 2]> {
        let folder = self.folder.join("values-c");
        let source = folder.join("values.c");
        write(&folder.join("driver.h"), include_str!("driver.h"));
        write(&source, text);
        let (object, program) = (folder.join("values.o"), folder.join("values"));
        let machine = Machine::Native;
        // What undoes `const` has warnings that say nothing.
        let flags = ["-std=c11", "-O0", "-w"];
        run_all(vec![compile(machine.c_compiler(), &flags, &self.folder.join("include"), &source, &object)]);
        let mut command = link(machine.c_compiler(), &flags, &[object], &program);
        command.args(linked);
        run_all(vec![command]);
        let output =
            Command::new(&program).output().unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let text = String::from_utf8(output.stdout).expect("answers are UTF-8");
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            output.status.success() && lines.len() == 2 * questions,
            "{} after {} of {} answers",
            output.status,
            lines.len() / 2,
            questions
        );
        lines.chunks_exact(2).map(|pair| [pair[0].to_owned(), pair[1].to_owned()]).collect()
    }

    /// A source file of nothing but the headers.
    fn headers(&self, path: fn(&Family) -> String) -> String {
        let lines = self.input.selected_families().map(|family| format!("#include <{}>\n", path(family)));
        lines.collect::<Vec<_>>().concat()
    }

    fn compiled(
        &self,
        language: &str,
        extension: &str,
        sources: Vec<(String, String)>,
        machine: Machine,
        flags: &[&str],
        compiler: fn(Machine) -> Command,
    ) -> Driver {
        self.linked(language, extension, sources, machine, (flags, &[]), compiler)
    }

    /// A driver from its sources, with flags for the compiler and for the linker.
    fn linked(
        &self,
        language: &str,
        extension: &str,
        sources: Vec<(String, String)>,
        machine: Machine,
        (flags, linked): (&[&str], &[&str]),
        compiler: fn(Machine) -> Command,
    ) -> Driver {
        let folder = self.folder.join(format!("driver-{extension}-{}", machine.name()));
        let mut objects = Vec::new();
        let mut commands = Vec::new();
        for (name, text) in sources {
            let source = folder.join(&name);
            write(&source, &text);
            if source.extension().is_some_and(|found| found == extension) {
                let object = source.with_extension("o");
                let include = self.folder.join("include");
                // What is generated has no warning at all; a driver converts as it likes.
                let is_headers = source.file_stem().is_some_and(|stem| stem == "headers");
                let warnings: &[&str] = if is_headers { &["-Wpedantic", "-Wconversion"] } else { &[] };
                let flags = [flags, warnings].concat();
                commands.push(compile(compiler(machine), &flags, &include, &source, &object));
                objects.push(object);
            }
        }
        run_all(commands);
        let program = folder.join("driver");
        let mut command = link(compiler(machine), flags, &objects, &program);
        command.args(linked);
        run_all(vec![command]);
        Driver {
            name: format!("{language} ({})", machine.name()),
            command: machine.runner(&program),
            folder,
            variables: Vec::new(),
            host: machine.host(),
        }
    }

    /// A driver on the pure-Python modules.
    pub fn python(&self) -> Driver {
        let folder = self.folder.join("driver-python");
        let script = folder.join("driver.py");
        write(&script, &python_driver::source(&self.input));
        let interpreter = python();
        Driver {
            name: "python".to_owned(),
            command: vec![interpreter.get_program().to_owned(), "-X".into(), "utf8".into(), script.into()],
            variables: vec![("PYTHONPATH".into(), self.folder.join("python").into())],
            folder,
            host: Host::this(),
        }
    }

    /// A driver on the derive's code in these libraries.
    pub fn rust(&self, rust: &Rust, machine: Machine) -> Driver {
        let folder = self.folder.join("driver-rust");
        let program = rust.build(&self.input, &folder, machine);
        Driver {
            name: format!("rust ({})", machine.name()),
            command: machine.runner(&program),
            folder,
            variables: Vec::new(),
            host: machine.host(),
        }
    }
}

/// A program that answers requests.
#[derive(Debug)]
pub struct Driver {
    name: String,
    command: Vec<std::ffi::OsString>,
    folder: PathBuf,
    variables: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    host: Host,
}

impl Driver {
    /// The language and the machine.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The byte order of the machine it runs on.
    pub fn host(&self) -> Host {
        self.host
    }

    /// The lines that answer these.
    ///
    /// # Panics
    /// When the program fails or does not answer every line.
    pub fn answers(&self, requests: &[String]) -> Vec<String> {
        let input: String = requests.iter().flat_map(|line| [line, "\n"]).collect();
        let mut child = Command::new(&self.command[0])
            .args(&self.command[1..])
            .envs(self.variables.iter().cloned())
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let mut stdin = child.stdin.take().expect("piped");
        let output = std::thread::scope(|scope| {
            // A driver answers while it is still asked: both pipes must move. That it stops reading when it dies is
            // reported by its status below.
            scope.spawn(move || stdin.write_all(input.as_bytes()).ok());
            child.wait_with_output().expect("a child can be waited for")
        });
        let answers: Vec<String> =
            String::from_utf8(output.stdout).expect("answers are UTF-8").lines().map(str::to_owned).collect();
        assert!(
            output.status.success() && answers.len() == requests.len(),
            "{}: {} after {} of {} answers; the request it stopped at:\n{}\n{}",
            self.name,
            output.status,
            answers.len(),
            requests.len(),
            requests.get(answers.len()).map_or("(none)", String::as_str),
            String::from_utf8_lossy(&output.stderr)
        );
        answers
    }
}

/// Writes a file and the folders above it.
///
/// # Panics
/// When it cannot be written.
pub(super) fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("a file is in a folder");
    fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

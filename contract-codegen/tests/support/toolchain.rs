//! Compilers, and what runs their programs. One that is not installed fails the test and names its package.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use wirecontract_codegen::emit::Artifact;

/// Warnings that a generated header must not cause.
pub const WARNINGS: [&str; 7] =
    ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"];

/// A compiler for one platform.
#[derive(Clone, Copy, Debug)]
pub struct Compiler {
    /// The command.
    pub command: &'static str,
    /// The Debian package that has it.
    pub package: &'static str,
    /// What makes it compile for the platform.
    pub flags: &'static [&'static str],
    /// What runs a program, if the host does not.
    pub runner: &'static [&'static str],
}

const QEMU: &[&str] = &["qemu-s390x", "-L", "/usr/s390x-linux-gnu"];
const SANITIZE: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];

pub const GCC: Compiler = Compiler { command: "gcc", package: "gcc", flags: &[], runner: &[] };
pub const GXX: Compiler = Compiler { command: "g++", package: "g++", flags: &[], runner: &[] };
pub const CLANG: Compiler = Compiler { command: "clang", package: "clang", flags: &[], runner: &[] };
pub const CLANGXX: Compiler = Compiler { command: "clang++", package: "clang", flags: &[], runner: &[] };

pub const C_COMPILERS: [Compiler; 6] = [
    GCC,
    CLANG,
    Compiler { flags: &["-fshort-enums"], ..GCC },
    Compiler { package: "gcc-12-multilib", flags: &["-m32"], ..GCC },
    Compiler { command: "s390x-linux-gnu-gcc", package: "gcc-s390x-linux-gnu", flags: &[], runner: QEMU },
    Compiler { command: "x86_64-w64-mingw32-gcc", package: "gcc-mingw-w64", flags: &[], runner: &[] },
];

pub const CXX_COMPILERS: [Compiler; 6] = [
    GXX,
    CLANGXX,
    Compiler { flags: &["-fshort-enums", "-fno-exceptions", "-Wuseless-cast"], ..GXX },
    Compiler { package: "g++-12-multilib", flags: &["-m32", "-Wuseless-cast"], ..GXX },
    Compiler { command: "s390x-linux-gnu-g++", package: "g++-s390x-linux-gnu", flags: &[], runner: QEMU },
    Compiler { command: "x86_64-w64-mingw32-g++", package: "g++-mingw-w64", flags: &[], runner: &[] },
];

/// Platforms that programs run on: 64 bits (with sanitizers, and optimized), 32 bits, big-endian.
pub const C_PLATFORMS: [Compiler; 4] = [
    Compiler { flags: SANITIZE, ..GCC },
    Compiler { flags: &["-O2"], ..CLANG },
    C_COMPILERS[3],
    C_COMPILERS[4],
];
pub const CXX_PLATFORMS: [Compiler; 4] = [
    Compiler { flags: SANITIZE, ..GXX },
    Compiler { flags: &["-O2"], ..CLANGXX },
    CXX_COMPILERS[3],
    CXX_COMPILERS[4],
];

impl Compiler {
    /// Compiles with all warnings as errors; the arguments are those of the command line.
    pub fn compile(&self, standard: &str, include: &Path, arguments: &[&str]) {
        let mut command = Command::new(self.command);
        command.arg(format!("-std={standard}")).args(self.flags).args(WARNINGS).arg("-I").arg(include);
        if self.flags.contains(&"-m32") {
            command.arg("-isystem").arg(multiarch_headers());
        }
        let output = run(command.args(arguments), self.package, "");
        assert!(
            output.status.success(),
            "{} {} -std={standard} {}:\n{}",
            self.command,
            self.flags.join(" "),
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Runs a program it compiled.
    pub fn run(&self, program: &Path, input: &str) -> String {
        let mut command = match self.runner {
            [] => Command::new(program),
            [runner, flags @ ..] => {
                let mut command = Command::new(runner);
                command.args(flags).arg(program);
                command
            }
        };
        let output = run(&mut command, "qemu-user", input);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {}\n{errors}", program.display(), output.status);
        String::from_utf8(output.stdout).expect("a driver prints text")
    }
}

/// The headers that `-m32` shares with the host's own word size.
fn multiarch_headers() -> PathBuf {
    let output = run(Command::new("gcc").arg("-print-multiarch"), "gcc", "");
    Path::new("/usr/include").join(String::from_utf8_lossy(&output.stdout).trim())
}

/// Runs a command to its end.
pub fn run(command: &mut Command, package: &str, input: &str) -> Output {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{name}: {error}; install the Debian package `{package}`"));
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.to_owned();
    // A driver answers while it is asked; whoever writes all first would wait for a full pipe.
    let feeder = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, input.as_bytes()));
    let output = child.wait_with_output().expect("the program was started");
    let _ = feeder.join();
    output
}

/// Writes artifacts into a folder; gives its include root.
pub fn write(folder: &Path, artifacts: &[Artifact]) -> PathBuf {
    for artifact in artifacts {
        let path = folder.join(&artifact.path);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder is ours");
        std::fs::write(path, &artifact.body).expect("the folder is ours");
    }
    folder.join("include")
}

/// Does the work on as many threads as there are cores; a panic of one is a panic of all.
pub fn in_parallel<T: Send>(work: Vec<T>, each: impl Fn(T) + Sync) {
    let queue = std::sync::Mutex::new(work);
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = { queue.lock().map_or(None, |mut queue| queue.pop()) } {
                    each(item);
                }
            });
        }
    });
}

//! Compilers for this machine and for others, and how to run what they make.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use wirecontract_codegen::interpret::Host;

/// A machine that drivers are built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// This one.
    Native,
    /// 32 bits, where a `u64` aligns to 4: `-m32`.
    Bits32,
    /// Big-endian: s390x, run by qemu.
    BigEndian,
}

impl Machine {
    /// All of them.
    pub const ALL: [Machine; 3] = [Machine::Native, Machine::Bits32, Machine::BigEndian];

    /// The word for it in messages and file names.
    pub const fn name(self) -> &'static str {
        match self {
            Machine::Native => "native",
            Machine::Bits32 => "m32",
            Machine::BigEndian => "s390x",
        }
    }

    /// Its byte order.
    pub const fn host(self) -> Host {
        match self {
            Machine::Native => Host::this(),
            Machine::Bits32 => Host::Little,
            Machine::BigEndian => Host::Big,
        }
    }

    /// Rust's word for it; none for this machine.
    pub const fn rust_target(self) -> Option<&'static str> {
        match self {
            Machine::Native => None,
            Machine::Bits32 => Some("i686-unknown-linux-gnu"),
            Machine::BigEndian => Some("s390x-unknown-linux-gnu"),
        }
    }

    /// The command that runs a program of that machine here.
    pub fn runner(self, program: &Path) -> Vec<OsString> {
        let mut command: Vec<OsString> = Vec::new();
        if self == Machine::BigEndian {
            require("qemu-s390x", "qemu-user");
            command.extend(["qemu-s390x", "-L", "/usr/s390x-linux-gnu"].map(OsString::from));
        }
        command.push(program.into());
        command
    }

    /// The C compiler, with what it has to be told.
    pub fn c_compiler(self) -> Command {
        match self {
            Machine::Native => require("gcc", "gcc"),
            Machine::Bits32 => multilib("gcc", "gcc-12-multilib"),
            Machine::BigEndian => require("s390x-linux-gnu-gcc", "gcc-s390x-linux-gnu"),
        }
    }

    /// The C++ compiler, with what it has to be told.
    pub fn cpp_compiler(self) -> Command {
        match self {
            Machine::Native => require("g++", "g++"),
            Machine::Bits32 => {
                // Without SSE2 a compiler may copy a double through x87, which quiets a NaN that signals.
                let mut compiler = multilib("g++", "g++-12-multilib");
                compiler.args(["-msse2", "-mfpmath=sse"]);
                compiler
            }
            Machine::BigEndian => require("s390x-linux-gnu-g++", "g++-s390x-linux-gnu"),
        }
    }
}

/// The Python of the tests: `WIRECONTRACT_PYTHON`, or else `python3`.
pub fn python() -> Command {
    let python = std::env::var_os("WIRECONTRACT_PYTHON").unwrap_or_else(|| "python3".into());
    Command::new(python)
}

/// A program on the path.
///
/// # Panics
/// When it is not there: a test that is skipped for want of a tool proves nothing.
pub fn require(program: &str, package: &str) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    assert!(found, "expected `{program}` on the path, found none: apt-get install {package}");
    Command::new(program)
}

/// A compiler for 32 bits.
///
/// Debian's `gcc-multilib` cannot be installed beside the compilers for s390x; without it, the headers that both
/// widths share are found only when their folder is named.
fn multilib(program: &str, package: &str) -> Command {
    let mut probe = require(program, package);
    let triple = probe.arg("-print-multiarch").output().expect("a compiler starts").stdout;
    let folder = Path::new("/usr/include").join(String::from_utf8_lossy(&triple).trim());
    let library = Command::new(program).args(["-m32", "-print-file-name=libgcc.a"]).output();
    let library = library.expect("a compiler starts").stdout;
    let library = PathBuf::from(String::from_utf8_lossy(&library).trim());
    assert!(
        library.is_absolute(),
        "expected `{program} -m32` to link, found no 32-bit libraries: apt-get install {package}"
    );
    let mut command = Command::new(program);
    command.arg("-m32").arg("-isystem").arg(folder);
    command
}

/// Runs a command that is expected to succeed, and gives what it printed.
///
/// # Panics
/// When it fails, with all it said.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs commands, two at a time, each expected to succeed.
///
/// # Panics
/// When one fails.
pub fn run_all(commands: Vec<Command>) {
    let queue = std::sync::Mutex::new(commands);
    let next = || queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(mut command) = next() {
                    run(&mut command);
                }
            });
        }
    });
}

/// The compiler's arguments for a source file.
pub(super) fn compile(
    mut compiler: Command,
    flags: &[&str],
    include: &Path,
    source: &Path,
    object: &Path,
) -> Command {
    compiler.args(flags).arg("-I").arg(include).arg("-c").arg(source).arg("-o").arg(object);
    compiler
}

/// The compiler's arguments to link.
pub(super) fn link(mut compiler: Command, flags: &[&str], objects: &[PathBuf], program: &Path) -> Command {
    compiler.args(flags).args(objects.iter().map(AsRef::<OsStr>::as_ref)).arg("-o").arg(program);
    compiler
}

//! `cargo xtask demo`: three processes in three languages share one hyperspectral cube, and each byte of it is checked in
//! each of them.
//!
//! The programs are in `examples/demo`. They say what they do as JSON, a line each, and are told when to go on. Whoever
//! finds that nobody tells them anything any more ends: so no process outlives this one.

mod build;
mod folder;
mod interrupt;
mod program;
mod report;

use std::path::Path;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use anyhow::ensure;

use crate::process::Runner;
use crate::workspace::Workspace;
use build::Programs;
use folder::Folder;
use program::{Hall, Program};
use report::{Mapped, Report, Weight, bytes};

/// Longer than any machine takes for a step, or for a part of one that says how far it is.
const LONG: Duration = Duration::from_secs(150);

/// Bytes of an element: the cube is of `u16`.
const ELEMENT: u64 = 2;

/// What `cargo xtask demo` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A producer in Rust makes the cube in host memory and lends it to a consumer in Python, which has nothing but the\n\
standard library, and to one in C, which has libwirecontract. Each says what it mapped and checks every byte.\n\
\n\
Needs cargo, gcc and python3 (3.11 or newer, or what WIRECONTRACT_PYTHON names).")]
pub(crate) struct Arguments {
    /// Lines, samples and bands of the cube, of two bytes each
    #[arg(long, value_name = "LINESxSAMPLESxBANDS", default_value = "1000x1080x61")]
    size: Shape,
    /// Take at least that long to fill the cube, as a camera would
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=3600))]
    fill: u32,
    /// Keep the cube lent until Enter is pressed, to look at it in /proc
    #[arg(long)]
    keep: bool,
}

/// How large a cube is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    lines: u64,
    samples: u64,
    bands: u64,
}

impl Shape {
    /// Bytes of the whole; within 64 bits, since a shape of more is none.
    fn bytes(self) -> u64 {
        self.lines * self.samples * self.bands * ELEMENT
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Shape, String> {
        let wrong = || format!("expected three numbers such as 1000x1080x61, found `{text}`");
        let numbers: Vec<u64> =
            text.split('x').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
        let [lines, samples, bands] = numbers[..] else { return Err(wrong()) };
        let all = [samples, bands, ELEMENT].iter().try_fold(lines, |all, more| all.checked_mul(*more));
        match all {
            Some(bytes) if bytes > 0 && bytes <= 1 << 40 => Ok(Shape { lines, samples, bands }),
            _ => Err(format!("expected a cube of 1 byte to 1 TiB, found `{text}`")),
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    interrupt::catch();
    let workspace = Workspace::of_this_xtask();
    let runner = Runner::new("demo", workspace.root(), &workspace.target().join("xtask-demo"), false)?;
    let before = program::open_fds()?;
    let folder = Folder::new()?;
    let programs = Programs::build(&workspace, &runner, folder.path())?;
    share(arguments, &programs, folder.path())?;
    drop(folder);
    let after = program::open_fds()?;
    ensure!(after == before, "expected {before} open file descriptors behind it, found {after}");
    println!("nothing is left: no process, no socket, no file descriptor, no mapping, nothing in /dev/shm");
    Ok(())
}

/// Has the three share a cube, and says who did what.
fn share(arguments: &Arguments, programs: &Programs, folder: &Path) -> anyhow::Result<()> {
    let shape = arguments.size;
    let socket = folder.join("cube.sock");
    let shared_memory = program::shared_memory();
    let mut hall = Hall::default();
    let numbers = [shape.lines, shape.samples, shape.bands, arguments.fill.into()];
    let mut command = programs.producer();
    command.arg(&socket).args(numbers.map(|number| number.to_string()));
    let producer = hall.start("Rust", command)?;
    hall.wait(producer, "listening", LONG)?;
    let consumers = [
        hall.start("Python", with(programs.python(), &socket))?,
        hall.start("C", with(programs.c(), &socket))?,
    ];

    println!(
        "a cube of {} x {} x {} u16: {} of host memory, lent by one process to two",
        shape.lines,
        shape.samples,
        shape.bands,
        bytes(shape.bytes())
    );
    let mut report = Report::new(shape.bytes());
    // Both are heard before the cube is filled: so they wait for it however long that takes.
    hall.wait(producer, "joined", LONG)?;
    let filled = hall.wait_showing(producer, "mapped", LONG, "filled", shape.lines)?;
    report.made(&Mapped::of(&filled)?);
    for consumer in consumers {
        report.mapped(consumer.name(), &Mapped::of(&hall.wait(consumer, "mapped", LONG)?)?);
    }
    let lent = hall.wait(producer, "lent", LONG)?;
    println!("lent to both, mapped and taken, in {}", report::time(report::seconds(&lent)?));
    for consumer in consumers {
        let checked = hall.wait_showing(consumer, "checked", LONG, "checked", shape.lines)?;
        report.checked(consumer.name(), report::number(&checked, "wrong")?, report::seconds(&checked)?)?;
    }
    // All have it now, and have touched every page.
    for program in [producer, consumers[0], consumers[1]] {
        hall.tell(program, "weigh")?;
        report.weighed(program.name(), Weight::of(&hall.wait(program, "weighed", LONG)?)?);
    }
    report.print()?;
    if arguments.keep {
        eprintln!("the cube is lent until Enter is pressed");
        until_enter()?;
    }
    for consumer in consumers {
        hall.tell(consumer, "release")?;
    }
    for consumer in consumers {
        ends(&mut hall, consumer)?;
    }
    hall.wait(producer, "released", LONG)?;
    println!("Rust has it back from both");
    hall.tell(producer, "end")?;
    ends(&mut hall, producer)?;
    ensure!(!socket.exists(), "expected the socket to be gone, found {}", socket.display());
    let new: Vec<_> =
        program::shared_memory().into_iter().filter(|name| !shared_memory.contains(name)).collect();
    let ours = new.iter().filter(|name| name.to_string_lossy().contains("wirecontract")).count();
    ensure!(ours == 0, "expected nothing of ours in /dev/shm, found {new:?}");
    Ok(())
}

fn with(mut command: std::process::Command, socket: &Path) -> std::process::Command {
    command.arg(socket);
    command
}

/// Waits for Enter, or the end of the standard input.
fn until_enter() -> anyhow::Result<()> {
    // The thread may wait for ever, and ends with this process.
    let waits = thread::spawn(|| std::io::stdin().read_line(&mut String::new()));
    while !waits.is_finished() {
        ensure!(!interrupt::came(), "interrupted");
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Waits until a program has ended, and left nothing open or mapped.
fn ends(hall: &mut Hall, program: Program) -> anyhow::Result<()> {
    let left = hall.wait(program, "left", LONG)?;
    let (fds, mapped) = (report::number(&left, "fds")?, report::number(&left, "mapped")?);
    ensure!(fds == 0 && mapped == 0, "{} left {fds} file descriptors and {mapped} mappings", program.name());
    hall.ends(program, LONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_three_numbers_of_a_cube_that_can_be() {
        let shape: Shape = "1000x1080x61".parse().unwrap();
        assert_eq!(shape.bytes(), 131_760_000);
        for text in ["", "1", "1x2", "1x2x3x4", "1x2x-3", "axbxc", "0x1x1", "1x1x99999999999999999999"] {
            assert!(text.parse::<Shape>().is_err(), "{text}");
        }
        assert!("4294967296x4294967296x2".parse::<Shape>().unwrap_err().contains("1 TiB"));
    }
}

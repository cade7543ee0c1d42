//! The command lines: `cargo wirecontract …` anywhere, `cargo xtask …` in a project that has one.

mod file;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::{check, explain, gen_stubs, verify};

/// Generates the C, C++ and Python halves of the contracts that Rust code declares, and checks that they are current.
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    after_help = "@FILE stands for the words of a file, which are split as a shell does."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    GenStubs(Box<gen_stubs::Args>),
    Check(Box<check::Args>),
    Verify(verify::Args),
    Explain(explain::Args),
}

/// What the command line of this process calls itself.
static PROGRAM: OnceLock<&'static str> = OnceLock::new();

/// The words that begin a command line: `cargo xtask` where this project's own command runs.
pub(crate) fn program() -> &'static str {
    PROGRAM.get().copied().unwrap_or("cargo wirecontract")
}

/// Runs the command line of this process, which calls itself `name` (`cargo xtask`) in its help.
pub(crate) fn run(name: &'static str, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    // A process has one command line.
    let _ = PROGRAM.set(name);
    let arguments = match file::expand(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(gen_stubs::USAGE);
        }
    };
    let command = Cli::command().name(name).bin_name(name);
    let parsed = command.try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Ok(Cli { command: Command::GenStubs(arguments) }) => gen_stubs::run(&arguments),
        Ok(Cli { command: Command::Check(arguments) }) => check::run(&arguments),
        Ok(Cli { command: Command::Verify(arguments) }) => verify::run(&arguments),
        Ok(Cli { command: Command::Explain(arguments) }) => explain::run(&arguments),
        Err(error) => {
            // Help goes to the output, everything else to the errors; what cannot be printed is nobody's to read.
            let _ = error.print();
            ExitCode::from(if error.use_stderr() { gen_stubs::USAGE } else { 0 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}

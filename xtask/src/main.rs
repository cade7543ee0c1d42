//! This repository's commands: `cargo xtask --help` lists them.

mod bench;
mod demo;
mod install_c;
mod mutate;
mod native_stub;
mod pool;
mod process;
mod setup;
mod test;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// This repository's commands.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the C, C++, Python and JSON halves of the declared contracts, or `--check` them; without a choice, also the
    /// stub of the Python package's library.
    #[command(disable_help_flag = true)]
    GenStubs {
        /// What `cargo wirecontract gen-stubs` takes; `--help` lists it.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Say what became of the contracts since they were agreed in contracts.lock.
    #[command(disable_help_flag = true)]
    Check {
        /// What `cargo wirecontract check` takes; `--help` lists it.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Say whether a compiled library, the contracts in it and generated files are of one state.
    #[command(disable_help_flag = true)]
    Verify {
        /// What `cargo wirecontract verify` takes; `--help` lists it.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Say what differs between the declarations of two wire ids.
    #[command(disable_help_flag = true)]
    Explain {
        /// What `cargo wirecontract explain` takes; `--help` lists it.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Run the tests, set-up included: one line a part and their count at the end.
    Test(test::Arguments),
    /// Build libwirecontract and install it with its headers, for `pkg-config` and `cmake` to find.
    InstallC(install_c::Arguments),
    /// Show three languages that share one cube of memory, and check every byte of it in each.
    Demo(demo::Arguments),
    /// Change one side in many ways, and show that each change is stopped.
    Mutate(mutate::Arguments),
    /// Measure against hand-written code and other crates.
    #[command(disable_help_flag = true)]
    Bench {
        /// What the benchmarks take; `--help` lists it.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        // The library reads the process's own arguments: it is the whole main of a downstream xtask.
        Command::GenStubs { arguments } => {
            let code = wirecontract_codegen::xtask();
            match native_stub::is_whole(&arguments) {
                // The stub lists the contracts that were just written.
                Some(check) if check || code == ExitCode::SUCCESS => {
                    native_stub::run(check).map(|stub| if code == ExitCode::SUCCESS { stub } else { code })
                }
                _ => Ok(code),
            }
        }
        Command::Check { .. } | Command::Verify { .. } | Command::Explain { .. } => {
            return wirecontract_codegen::xtask();
        }
        Command::Test(arguments) => return test::run(&arguments),
        Command::InstallC(arguments) => install_c::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Demo(arguments) => demo::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Mutate(arguments) => mutate::run(&arguments),
        Command::Bench { arguments } => bench::run(&arguments),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn everything_after_a_command_of_the_generators_is_theirs() {
        let cli = Cli::try_parse_from(["xtask", "gen-stubs", "--check", "-p", "x", "--help"]).unwrap();
        let Command::GenStubs { arguments } = cli.command else { panic!("{cli:?}") };
        assert_eq!(arguments, ["--check", "-p", "x", "--help"]);
        let cli = Cli::try_parse_from(["xtask", "check", "--against", "A@1", "--help"]).unwrap();
        let Command::Check { arguments } = cli.command else { panic!("{cli:?}") };
        assert_eq!(arguments, ["--against", "A@1", "--help"]);
        let cli = Cli::try_parse_from(["xtask", "verify", "--library", "x", "--help"]).unwrap();
        let Command::Verify { arguments } = cli.command else { panic!("{cli:?}") };
        assert_eq!(arguments, ["--library", "x", "--help"]);
        let cli = Cli::try_parse_from(["xtask", "explain", "1", "2", "--lock", "x", "--help"]).unwrap();
        let Command::Explain { arguments } = cli.command else { panic!("{cli:?}") };
        assert_eq!(arguments, ["1", "2", "--lock", "x", "--help"]);
    }
}

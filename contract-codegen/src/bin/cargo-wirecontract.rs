//! `cargo wirecontract`: see `cargo wirecontract --help`.

fn main() -> std::process::ExitCode {
    wirecontract_codegen::cargo_wirecontract()
}

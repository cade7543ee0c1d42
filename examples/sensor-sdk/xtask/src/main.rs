fn main() -> std::process::ExitCode {
    wirecontract_codegen::xtask()
}

//! Starts the project tasks.

fn main() -> std::process::ExitCode {
    xtask::main()
}

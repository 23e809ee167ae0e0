//! The `redress` program. All of it is in the library, where tasks and tests reach it, too.

use std::process::ExitCode;

fn main() -> ExitCode {
    redress_cli::main()
}

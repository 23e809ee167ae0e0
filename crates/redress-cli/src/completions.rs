//! `redress completions`: a script for the shell that completes commands and options.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::{Done, Status, output::Out};

/// Print a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  redress completions bash > ~/.local/share/bash-completion/completions/redress"
)]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run<Root: CommandFactory>(args: &Args, out: &mut Out) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Root::command(), "redress", &mut script);
    out.bytes(&script)?;
    Ok(Status::Fine)
}

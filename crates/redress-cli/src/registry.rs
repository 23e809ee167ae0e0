//! `redress registry`: check, compare, lock, change and export a registry file.

mod diff;
mod edit;
mod export;
mod from_rust;
mod init;
pub(crate) mod lint;
mod lock;
pub(crate) mod rules;
mod schema;

use crate::{Done, output::Out};

/// Check, compare, lock, change and export a registry.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Args {
    Init(init::Args),
    Lint(lint::Args),
    Diff(diff::Args),
    Lock(lock::Args),
    Export(export::Args),
    Add(edit::Add),
    Deprecate(edit::Deprecate),
    Retire(edit::Retire),
    Rules(rules::Args),
    Schema(schema::Args),
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    match args {
        Args::Init(args) => init::run(args, out),
        Args::Lint(args) => lint::run(args, out),
        Args::Diff(args) => diff::run(args, out),
        Args::Lock(args) => lock::run(args, out),
        Args::Export(args) => export::run(args, out),
        Args::Add(args) => edit::add(args, out),
        Args::Deprecate(args) => edit::deprecate(args, out),
        Args::Retire(args) => edit::retire(args, out),
        Args::Rules(args) => rules::run(args, out),
        Args::Schema(args) => schema::run(args, out),
    }
}

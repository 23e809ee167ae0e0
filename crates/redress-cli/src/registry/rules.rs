//! `redress registry rules`: every rule that is built, for people and for programs.

use redress::{dialect, package};
use redress_registry::{diff, lint, lock, rule::Rule};

use crate::{
    Done, Status,
    output::{CODE, Format, Out},
};

/// List every rule of sources, lint, probe and diff.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress registry rules\n  redress registry rules --format json > rules.jsonl"
)]
pub(crate) struct Args {
    /// How to print them; JSON is one object a line.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    for rule in all() {
        let line = match args.format {
            Format::Text => {
                format!("{CODE}{}{CODE:#}  {:<28} {}", rule.id, rule.name, rule.summary)
            }
            Format::Json => rule.to_json().to_string(),
        };
        out.line(&line)?;
    }
    Ok(Status::Fine)
}

/// Every rule, in the order of ids within each group.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    let lint = redress_check::rules().chain(lint::rules()).chain(dialect::lint::rules());
    let lint = lint.chain(lock::rules()).chain(package::lint::rules());
    lint.chain(redress_probe::rules()).chain(diff::rules())
}

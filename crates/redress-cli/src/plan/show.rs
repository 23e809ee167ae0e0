//! `redress plan show`: one plan, its state, and what it allows.

use redress::text;
use serde_json::json;

use super::{
    StoredPlan, Which, changed,
    standing::{Against, Standing},
};
use crate::{
    Done, Status,
    failure::Failure,
    output::{Format, Out, TROUBLE},
};

/// Show a plan: title, hash, scope, state, and what changed since it was approved.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress plan show docs/plans/cache.md\n  redress plan show cache.md\n  redress plan show 9f2c41d07a3e --format json\n\nExit code 1 if it was changed after its approval, or was not approved with your key."
)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let found = args.which.find()?;
    let standing = Against::load()?.standing(&found.plan);
    match args.format {
        Format::Text => print(&found, standing, out)?,
        Format::Json => {
            let plan = &found.plan;
            let line = json!({
                "file": found.file.to_string_lossy(),
                "status": standing.word(),
                "hash": plan.hash,
                "approved_hash": plan.declared,
                "title": plan.title,
                "scope": plan.scope.patterns(),
            });
            out.line(&line.to_string())?;
        }
    }
    Ok(if standing.is_trouble() { Status::Findings } else { Status::Fine })
}

/// A plan for a person who decides about it.
pub(super) fn print(found: &StoredPlan, standing: Standing, out: &mut Out) -> Result<(), Failure> {
    let plan = &found.plan;
    let title = if plan.title.is_empty() { "(no heading)" } else { &plan.title };
    out.labelled("title ", &text::strip(title))?;
    out.labelled("file  ", &found.file.to_string_lossy())?;
    out.labelled("hash  ", &plan.hash)?;
    out.labelled("scope ", &plan.scope.to_string())?;
    if plan.scope.is_everything() {
        out.line(&format!("{TROUBLE}The scope is the whole workspace.{TROUBLE:#}"))?;
    }
    out.labelled("status", &format!("{}: {}", standing.shown(), standing.meaning()))?;
    let before = plan.declared.as_deref().filter(|it| *it != plan.hash);
    for line in before.map(|it| changed::since(it, &found.bytes)).unwrap_or_default() {
        out.line(&text::strip(&line))?;
    }
    Ok(())
}

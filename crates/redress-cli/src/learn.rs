//! `redress learn`: drafts `[[match]]` rows for failures that no contract names, from ledgers and from a live server.

mod draft;
mod file;
mod ledger;
mod live;
mod print;

use std::{path::PathBuf, sync::Arc};

use redress::classify::cluster::{Clusters, Sample};
use redress_registry::{Effect, edit::Drafted, shipped, taught::Taught};

use self::file::RowFile;
use crate::{
    Done, Status, contract,
    failure::Failure,
    output::{Format, Out},
};

/// Draft rows that name a server's failures, from ledgers or by calling it so that it must fail.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress learn\n  redress learn /var/lib/redress/files --server files --write redress.toml\n  redress learn --write errors.toml -- npx -y @modelcontextprotocol/server-filesystem /srv\n  redress learn --format json --url https://mcp.example/mcp --header 'Authorization: Bearer …'\n\nA live server is called as `redress probe` calls it: a tool that is not marked as read-only is never called with all that it\nneeds, unless --allow-effects is set. An answer that flags nothing is taken for a failure only where the call had to fail.\n\nWith --write, rows are added at the end of the list in an errors.toml or redress.toml, and nothing else is changed; rows that the file\nhas already are not proposed again.\n\nExit code 1 if something in a ledger is no record, 2 for bad input, 3 if a file or server cannot be reached."
)]
pub(crate) struct Args {
    /// Ledgers, or directories of ledgers; without a server, by default all in the user's state directory.
    #[arg(value_name = "LEDGER")]
    ledgers: Vec<PathBuf>,
    /// The server that is meant: its failures in the ledgers, its table in redress.toml.
    #[arg(long, value_name = "N")]
    server: Option<String>,
    /// Add the rows to this errors.toml or redress.toml.
    #[arg(long, value_name = "FILE")]
    write: Option<String>,
    /// A registry file, or the name of a built-in one, that names failures already; by default what --write has, else core.
    #[arg(long, value_name = "C", conflicts_with = "write")]
    contract: Option<String>,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    live: live::Live,
}

/// What was seen of a server's failures.
#[derive(Debug, Default)]
struct Observations {
    clusters: Clusters,
    /// Answers that are no failures.
    successes: Vec<Sample>,
    /// How many answers are no failures.
    succeeded: u64,
    /// Failures that need no row: the server or a row says what they are.
    named: u64,
    /// Answers to calls that must fail which say nothing of a failure.
    accepted: u64,
    /// How many answers or records were looked at.
    looked_at: u64,
}

/// Adds a row to an errors.toml, if the file is as good afterwards as before.
pub(crate) fn teach(path: &str, mut row: Taught) -> Result<(), Failure> {
    let target = RowFile::open(path, None)?;
    let Some(effect) = target.registry().get(&row.code).map(|it| it.effect) else {
        let problem = format!("`{}` is no code of it.", row.code);
        let failure = Failure::config(path, &problem);
        return Err(failure.fix("Take a code of the contract, or add one first."));
    };
    // That nothing was changed is not known of failures that have only their words in common.
    row.effect = (effect == Effect::None).then_some(Effect::Unknown);
    target.write(&[], &[Drafted { row, is_harmless: false }]).map(drop)
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    let target = args.write.as_deref().map(|it| RowFile::open(it, args.server.as_deref()));
    let target = target.transpose()?;
    let registry = match (&target, &args.contract) {
        (Some(target), _) => target.registry(),
        (None, Some(name)) => contract::find(name)?,
        (None, None) => Arc::clone(shipped::core()),
    };
    let mut seen = Observations::default();
    let mut status = Status::Fine;
    if args.live.is_given() {
        live::look(&args.live, &registry, &mut seen)?;
    }
    if !args.ledgers.is_empty() || !args.live.is_given() {
        status = ledger::look(&args.ledgers, args.server.as_deref(), &registry, &mut seen)?;
    }
    let lesson = draft::lesson(seen, &registry, target.as_ref());
    // What is printed is what is written.
    let written = match &target {
        Some(target) if !lesson.rows.is_empty() => Some(target.write(&lesson.new, &lesson.rows)?),
        Some(_) => Some(0),
        None => None,
    };
    let printed = match args.format {
        Format::Text => print::text(&lesson, written.zip(args.write.as_deref()), out),
        Format::Json => print::json(&lesson, written, out),
    };
    printed.map_err(|it| it.after(status)).map(|()| status)
}

//! `redress registry schema`: the JSON Schema of a registry file or of its lock.

use redress_registry::schema::{lock_schema, registry_schema};

use crate::{Done, Status, output::Out};

/// Print the JSON Schema of a registry file, for editors.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress registry schema > errors.schema.json\n  redress registry schema --lock > lock.schema.json\n\nEditors with Tombi or Taplo find it by the first line of the registry: `#:schema ./errors.schema.json`."
)]
pub(crate) struct Args {
    /// The schema of the lock, which is JSON.
    #[arg(long)]
    lock: bool,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let schema = if args.lock { lock_schema() } else { registry_schema() };
    out.text(&schema)?;
    Ok(Status::Fine)
}

//! `redress registry export`: a registry in other forms, the same bytes every time.

use clap::builder::PossibleValue;
use redress_registry::export::{FORMATS, Format, format};

use crate::{Done, Status, choice::one_of, contract, output::Out};

/// Export a registry as JSON, JSON Schema or Markdown.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress registry export core --format markdown > codes.md\n  redress registry export errors.toml --format json-schema > envelope.schema.json"
)]
pub(super) struct Args {
    /// The file, or the name of a built-in registry.
    contract: String,
    /// The form.
    #[arg(long, value_name = "F", value_parser = one_of(forms(), format))]
    format: &'static Format,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let registry = contract::find(&args.contract)?;
    out.text(&(args.format.write)(&registry))?;
    Ok(Status::Fine)
}

fn forms() -> impl Iterator<Item = PossibleValue> {
    FORMATS.iter().map(|it| PossibleValue::new(it.name).help(it.about))
}

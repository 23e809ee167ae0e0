//! `redress explain`: everything that is known about a code, for people and for programs.

mod page;

use std::sync::Arc;

use clap::ValueEnum;
use redress::codes;
use redress_registry::{Hit, Registry, find::suggest, shipped};

use crate::{Done, Status, contract, failure::Failure, output::Out, registry::rules};

/// Explain a code: what happened, what to do, how it looks in each reader's form.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress explain FILE_NOT_FOUND\n  redress explain 1001\n  redress explain E_FS_PATH_ESCAPE\n  redress explain auth_required --contract mailvault --format json\n  redress explain NOTE_GONE --contract errors.toml\n  redress explain -32601\n  redress explain CK203"
)]
pub(crate) struct Args {
    /// A code, a number, a dialect's spelling, a name that is gone, or a rule such as CK101 or duplicate-number.
    #[arg(allow_negative_numbers = true)]
    query: String,
    /// A registry file, or the name of a built-in one; without it, all built-in ones.
    #[arg(long, value_name = "C")]
    contract: Option<String>,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The audience of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A page for people.
    Text,
    /// The whole row, for programs.
    Json,
    /// The few lines that a model needs.
    Agent,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    let is_meant = |it: &str| it.eq_ignore_ascii_case(&args.query);
    if let Some(rule) = rules::all().find(|it| is_meant(it.id) || is_meant(it.name)) {
        let page = match args.format {
            Format::Json => rule.to_json().to_string(),
            Format::Text => page::rule(rule, redress_check::page(rule.id)),
            Format::Agent => format!("{} {}\nFix: {}", rule.id, rule.summary, rule.how_to_fix),
        };
        out.line(&page)?;
        return Ok(Status::Fine);
    }
    let registries: Vec<Arc<Registry>> = match &args.contract {
        Some(name) => vec![contract::find(name)?],
        None => shipped::all().map(Arc::clone).collect(),
    };
    let own = [Arc::clone(redress_workspace::registry())];
    let mut hits = redress_registry::find(&args.query, &registries);
    if hits.is_empty() && args.contract.is_none() {
        // Codes that only the built-in server has.
        hits = redress_registry::find(&args.query, &own);
    }
    if hits.is_empty() {
        return Err(unknown(&args.query, &registries));
    }
    let (named, spelt): (Vec<_>, Vec<_>) =
        hits.into_iter().partition(|it| is_name(it, &args.query));
    let (shown, also) = if named.is_empty() { (spelt, named) } else { (named, spelt) };
    for (at, hit) in shown.iter().enumerate() {
        if at > 0 && args.format != Format::Json {
            out.line("")?;
        }
        match (hit, args.format) {
            (Hit::Code(entry, holders), Format::Text) => page::text(entry, holders, out)?,
            (Hit::Code(entry, holders), Format::Json) => page::json(entry, holders, out)?,
            (Hit::Code(entry, _), Format::Agent) => page::agent(entry, out)?,
            (Hit::Retired(name, retired, registry), Format::Json) => {
                page::retired_json(name, retired, registry, out)?;
            }
            (Hit::Retired(name, retired, registry), Format::Text) => {
                page::retired(name, retired, registry, out)?;
            }
            (Hit::Retired(name, retired, registry), Format::Agent) => {
                page::retired_agent(name, retired, registry, out)?;
            }
        }
    }
    if args.format == Format::Text && !also.is_empty() {
        page::also(&args.query, &also, out)?;
    }
    Ok(Status::Fine)
}

/// Whether the query is the name itself, and not only a number or a dialect's spelling.
fn is_name(hit: &Hit<'_>, query: &str) -> bool {
    match hit {
        Hit::Code(entry, _) => entry.code.eq_ignore_ascii_case(query),
        Hit::Retired(name, ..) => name.eq_ignore_ascii_case(query),
    }
}

fn unknown(query: &str, registries: &[Arc<Registry>]) -> Failure {
    let near = suggest(query, registries);
    let names: Vec<&str> = registries.iter().map(|it| &*it.name).collect();
    let what = format!("code, number, alias or retired name of {}", names.join(", "));
    let mut failure = Failure::input(codes::NOT_FOUND.raise([("id", query)]))
        .note(format!("`{query}` is no {what}."));
    if !near.is_empty() {
        failure = failure.note(format!("Did you mean {}?", near.join(", ")));
    }
    failure
}

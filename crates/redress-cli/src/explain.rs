//! `redress explain`: everything that is known about a code, for people and for programs.

mod page;

use std::sync::Arc;

use clap::ValueEnum;
use redress::codes;
use redress_registry::{FoundCode, Registry, find::suggest, shipped};

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
    #[arg(long, value_enum, default_value_t = PageFormat::Text)]
    format: PageFormat,
}

/// The audience of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PageFormat {
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
            PageFormat::Json => rule.to_json().to_string(),
            PageFormat::Text => page::rule(rule, redress_check::page(rule.id)),
            PageFormat::Agent => format!("{} {}\nFix: {}", rule.id, rule.summary, rule.how_to_fix),
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
        if at > 0 && args.format != PageFormat::Json {
            out.line("")?;
        }
        match (hit, args.format) {
            (FoundCode::Code(entry, holders), PageFormat::Text) => page::text(entry, holders, out)?,
            (FoundCode::Code(entry, holders), PageFormat::Json) => page::json(entry, holders, out)?,
            (FoundCode::Code(entry, _), PageFormat::Agent) => page::agent(entry, out)?,
            (FoundCode::Retired(name, retired, registry), PageFormat::Json) => {
                page::retired_json(name, retired, registry, out)?;
            }
            (FoundCode::Retired(name, retired, registry), PageFormat::Text) => {
                page::retired(name, retired, registry, out)?;
            }
            (FoundCode::Retired(name, retired, registry), PageFormat::Agent) => {
                page::retired_agent(name, retired, registry, out)?;
            }
        }
    }
    if args.format == PageFormat::Text && !also.is_empty() {
        page::also(&args.query, &also, out)?;
    }
    Ok(Status::Fine)
}

/// Whether the query is the name itself, and not only a number or a dialect's spelling.
fn is_name(hit: &FoundCode<'_>, query: &str) -> bool {
    match hit {
        FoundCode::Code(entry, _) => entry.code.eq_ignore_ascii_case(query),
        FoundCode::Retired(name, ..) => name.eq_ignore_ascii_case(query),
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

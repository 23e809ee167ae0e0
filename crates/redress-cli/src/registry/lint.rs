//! `redress registry lint`: what a registry file should be, beyond what it must be to be read.

use std::{path::Path, sync::Arc};

use redress::{dialect, package};
use redress_registry::{
    Source,
    finding::Finding,
    lint::{lint, rules},
    read, resolve,
};

use crate::{Done, contract, failure::Failure, files, findings, output::Out};

/// Check a registry file: names, texts, recovery, lifecycle, dialects.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress registry lint errors.toml\n  redress registry lint errors.toml --format sarif > lint.sarif\n  redress registry lint core\n\nExit code 1 if there are violations, 2 if no command could load the file."
)]
pub(crate) struct Args {
    /// The file, or the name of a built-in registry.
    file: String,
    /// The calls of its contract test: each stable code must be provoked by one.
    #[arg(long, value_name = "FILE")]
    calls: Option<String>,
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = findings::FindingsFormat::Text)]
    format: findings::FindingsFormat,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let source = contract::written(&args.file)?;
    let found = all(&source, args.calls.as_deref())?;
    let rules = rules().chain(dialect::lint::rules()).chain(package::lint::rules());
    let status = findings::print(&found, &source, rules, (args.format, out))?;
    // What the rules say of a file that no command can load is worth reading before it is refused.
    out.finish()?;
    contract::find(&args.file).map(|_| status)
}

/// All that the rules say of a registry.
pub(crate) fn all(source: &Source, calls_of: Option<&str>) -> Result<Vec<Finding>, Failure> {
    let draft = read(source).map_err(|it| contract::refused(&it))?;
    let find = |name: &str| contract::base(source, name);
    let mut found = lint(&draft, &find);
    if let Ok(registry) = resolve(&draft, &find) {
        let calls = calls_of.map(calls).transpose()?;
        found.extend(package::lint::lint(&draft, &registry, calls.as_ref()));
        found.extend(dialect::lint::lint(&draft, &Arc::new(registry)));
        found.sort_by_key(|it| (it.span.start, it.rule));
    }
    Ok(found)
}

fn calls(path: &str) -> Result<serde_json::Value, Failure> {
    let bytes = files::read(Path::new(path)).map_err(|it| Failure::reading(path, &it))?;
    serde_json::from_slice(&bytes)
        .map_err(|it| Failure::config(path, &format!("The calls are not JSON: {it}.")))
}

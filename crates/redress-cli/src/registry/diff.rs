//! `redress registry diff`: who breaks when a registry changes, and which version that needs.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use redress_registry::{
    Registry,
    diff::{Bump, Change, DiffReport, diff},
    lock::read_lock,
    rule::Impact,
};

use crate::{
    Done, Status, contract,
    failure::Failure,
    findings::counted,
    output::{CODE, Format, LABEL, Out, TITLE, TROUBLE},
};

/// Compare two versions of a registry: who breaks, and which version that needs.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress registry diff old/errors.toml errors.toml\n  redress registry diff errors.lock errors.toml --format json\n\nExit code 1 if the new version number is too small for the changes."
)]
pub(crate) struct Args {
    /// The old file, lock file, or the name of a built-in registry.
    old: String,
    /// The new file, or the name of a built-in registry.
    new: String,
    /// How to print the changes; JSON is one document.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let report = diff(&*old(&args.old)?, &*contract::find(&args.new)?);
    print(&report, args.format, out)
}

/// A registry, or the lock of one.
fn old(name: &str) -> Result<Arc<Registry>, Failure> {
    if Path::new(name).extension().is_none_or(|it| it != "lock") {
        return contract::find(name);
    }
    let source = contract::source(name)?;
    read_lock(&source).map(Arc::new).map_err(|it| contract::refused(&[it]))
}

/// Prints a report; a version that is too small makes the status.
pub(super) fn print(report: &DiffReport, format: Format, out: &mut Out) -> Done {
    let printed = match format {
        Format::Json => out.line(&report.to_json().to_string()),
        Format::Text => text(report, out),
    };
    let status = if report.ok { Status::Fine } else { Status::Findings };
    printed.map_err(|it| it.after(status)).map(|()| status)
}

fn text(report: &DiffReport, out: &mut Out) -> Result<(), Failure> {
    for change in &report.changes {
        print_change(change, out)?;
    }
    let changes = counted(report.changes.len(), "change");
    out.line(&format!("{changes}; {}", verdict(report)))
}

/// What the changes ask of the version, and whether it gave it.
fn verdict(report: &DiffReport) -> String {
    let took = match report.declared_bump {
        Bump::None => "took none".to_owned(),
        step => format!("took a {} one", step.name()),
    };
    match report.required_bump {
        Bump::None => "no step is needed".to_owned(),
        Bump::Impossible => {
            let forbidden = report.changes.iter().filter(|it| it.severity == Impact::Forbidden);
            let rules: BTreeSet<&str> = forbidden.map(|it| it.rule).collect();
            let rules = Vec::from_iter(rules).join(", ");
            format!("no version allows it: undo what {rules} found")
        }
        step if report.ok => {
            format!("the version needs at least a {} step and {took}", step.name())
        }
        step => format!("the version needs at least a {} step, but {took}", step.name()),
    }
}

/// What changed, unless the message names it.
fn subject(change: &Change) -> Option<&str> {
    let item = change.code.as_deref().or(change.tool.as_deref())?;
    let mut words = change.message.split(|it: char| !(it.is_alphanumeric() || "_.-".contains(it)));
    (!words.any(|it| it.trim_end_matches('.') == item)).then_some(item)
}

fn print_change(change: &Change, out: &mut Out) -> Result<(), Failure> {
    let style = match change.severity {
        Impact::Forbidden | Impact::Breaking => TROUBLE,
        _ => CODE,
    };
    let Change { rule, message, severity, who, witness, .. } = change;
    let (severity, who) = (severity.name(), who.name());
    let subject = subject(change).map(|it| format!("{it}: ")).unwrap_or_default();
    out.line(&format!(
        "{style}{rule}{style:#} {severity} ({who}) {TITLE}{subject}{message}{TITLE:#}"
    ))?;
    out.line(&format!("  {LABEL}before{LABEL:#} {}", witness.before))?;
    out.line(&format!("  {LABEL}after {LABEL:#} {}", witness.after))?;
    if let Some(why) = &change.allowed {
        out.line(&format!("  {LABEL}allowed{LABEL:#} {why}"))?;
    }
    out.line(&format!("  {LABEL}fix   {LABEL:#} {}\n", change.fix))
}

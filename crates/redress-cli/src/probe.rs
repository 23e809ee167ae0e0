//! `redress probe`: calls a live server so that it must fail, and shows how well it does.

mod gate;
mod live;
mod sarif;
mod text;
mod unprobed;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use redress_probe::{
    Comparison, Report,
    present::{html, json, junit},
};

pub(crate) use self::{
    live::{place, say},
    unprobed::failure,
};
use crate::{Done, Status, failure::Failure, files, output::Out};

/// Call a live server so that it must fail, and grade how it does.
#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("what").required(true).args(["command", "url", "report"]),
    after_help = "Examples:\n  redress probe -- npx -y @modelcontextprotocol/server-filesystem /srv\n  redress probe --through-gate --format html -- ./server > report.html\n  redress probe --url https://mcp.example/mcp --header 'Authorization: Bearer …'\n  redress probe --contract errors.toml --format json -- ./server > after.json\n  redress probe --report after.json --baseline before.json\n  redress probe --only read_file/missing/path -- ./server\n\nOnly calls are made that fail before anything happens: a tool that is not marked as read-only is never called with all that it needs,\nunless --allow-effects is set.\n\nExit code 0 if no answer breaks a rule, 1 if there are violations, 2 for bad input or a server that is none, 3 if it cannot be started or reached. With --baseline, 1 only if something became worse: a violation or improvement that is new, or of which a larger part of the answers is wrong."
)]
pub(crate) struct Args {
    #[command(flatten)]
    live: live::Live,
    /// Show a report that was saved with `--format json`, instead of calling a server.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Compare with a report that was saved with `--format json`.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// The audience of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// A scorecard for people, the worst first.
    Text,
    /// Everything, for programs, and for `--baseline` and `--report`.
    Json,
    /// JUnit XML, for build servers.
    Junit,
    /// SARIF 2.1.0, for code hosts.
    Sarif,
    /// One page for the browser that needs nothing else.
    Html,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    // A baseline that cannot be read is reported before a long probe starts.
    let baseline = args.baseline.as_deref().map(saved).transpose()?;
    let report = match &args.report {
        Some(path) => saved(path)?,
        None => live::report(&args.live)?,
    };
    print(&report, baseline.as_ref(), args.format, out)
}

fn saved(path: &Path) -> Result<Report, Failure> {
    let shown = path.display().to_string();
    let bytes = files::read(path).map_err(|it| Failure::reading(&shown, &it))?;
    Report::read(&bytes).map_err(|problem| {
        Failure::config(&shown, &format!("It is no report of a probe: {problem}."))
            .fix("Name a file that was written by `redress probe --format json`.")
    })
}

/// Prints the report; what became worse since the baseline, or without one every violation, makes the status.
fn print(report: &Report, baseline: Option<&Report>, format: ReportFormat, out: &mut Out) -> Done {
    let comparison = baseline.map(|it| Comparison::of(it, report));
    let since = comparison.as_ref();
    let printed = match format {
        ReportFormat::Text => text::print(report, since, out),
        ReportFormat::Json => out.line(&json::document(report, since)),
        ReportFormat::Junit => out.bytes(junit::document(report).as_bytes()),
        ReportFormat::Sarif => out.line(&sarif::document(report)),
        ReportFormat::Html => out.bytes(html::page(report, since).as_bytes()),
    };
    let is_bad = since.map_or_else(|| report.has_violations(), Comparison::is_worse);
    let status = if is_bad { Status::Findings } else { Status::Fine };
    printed.map_err(|it| it.after(status)).map(|()| status)
}

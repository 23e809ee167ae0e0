//! `redress classify`: what foreign answers really are, JSON lines in and out.

use redress::{classify, codes, fault::Violation};

use crate::{Done, contract, lines, output::Out};

/// Judge answers of MCP servers: JSON lines in, one verdict a line out.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A line holds `id`, `method`, `request`, `tool`, and one of `raw` (the server's line), `http` {status, headers, body}, \
`crash` {exit_code, signal}, `hang` {waited_ms}; `stderr_tail` and `elapsed_ms` help.\n\nExample:\n  echo '{\"id\":1,\"method\":\"tools/call\",\"raw\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":1,\\\"result\\\":{\\\"content\\\":[{\\\"type\\\":\\\"text\\\",\\\"text\\\":\\\"ENOENT: no such file or directory\\\"}],\\\"isError\\\":true}}\"}' | redress classify\n\nExit code 2 if a line could not be read."
)]
pub(crate) struct Args {
    /// A registry file, or the name of a built-in one, whose codes the server may use itself.
    #[arg(long, value_name = "C", default_value = "core")]
    contract: String,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    let registry = contract::find(&args.contract)?;
    lines::filter(out, |_, line, reply| {
        classify::line(line, &registry, reply).map_err(|it| {
            let reason = it.to_string();
            let mut fault = codes::INVALID_INPUT_FORMAT.raise([("expected", reason.as_str())]);
            fault.violations = vec![Violation::new("", &reason, None)];
            Box::new(fault)
        })
    })
}

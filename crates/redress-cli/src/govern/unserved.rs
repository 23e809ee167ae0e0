//! The tools that a governed server does not serve, printed at the start, with the lines that would change that.

use std::{path::Path, thread, time::Duration};

use redress_gate::{AskError, Server as Gated, Target, ask_for_tools};
use redress_govern::{Unserved, tool_lines};
use redress_probe::ServerAddress;

use crate::{
    config::{Config, Server, toml_string},
    govern::script::quoted,
    output::Err as ToOperator,
};

/// How long a server may take for it; the start of the gate waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks each governed server for its tools, all at once, and says which are not served.
pub(crate) fn say<'s>(
    config: &Config,
    servers: impl Iterator<Item = (&'s Server, &'s Gated, &'s Target)>,
) {
    let file = config.file.as_deref();
    thread::scope(|scope| {
        for (server, gated, target) in servers.filter(|it| it.1.is_governed()) {
            scope.spawn(move || say_of(server, gated, target, file));
        }
    });
}

fn say_of(server: &Server, gated: &Gated, target: &Target, file: Option<&Path>) {
    let Some(governor) = gated.governor() else { return };
    let text = match ask(server, target) {
        Ok(tools) => told(server, &governor.take_tools(&tools), file),
        Err(why) => {
            let tools = gated.settings.contract.tools.iter();
            let unknown = tools.filter(|it| it.1.operation.is_none());
            let unknown = unknown.map(|it| tool_lines(it.0, None)).collect();
            let known = Unserved { unknown, ..Unserved::default() };
            let name = &server.name;
            let not_asked = format!(
                "{name}: it could not be asked for its tools ({why}); what is not served is told when a client asks for them\n"
            );
            not_asked + &told(server, &known, file)
        }
    };
    if !text.is_empty() {
        // A server chooses its names, and what it says when it fails.
        let text = gated.settings.redactor.known(&text);
        ToOperator::new().say(text.trim_end());
    }
}

fn ask(server: &Server, target: &Target) -> Result<Vec<String>, String> {
    match (ask_for_tools(target, PATIENCE), &server.url) {
        (Err(AskError::Remote), Some(url)) => {
            let headers = server.headers.iter();
            let headers = headers.map(|it| (it.0.clone(), it.1.reveal().to_owned())).collect();
            let place = ServerAddress::Url { url: url.as_str().to_owned(), headers };
            let tools = redress_probe::tools(&place, PATIENCE).map_err(|it| it.to_string())?;
            Ok(tools.iter().map(ToString::to_string).collect())
        }
        (asked, _) => asked.map_err(|it| it.to_string()),
    }
}

/// What the operator hears, which is nothing where everything is served.
fn told(server: &Server, unserved: &Unserved, file: Option<&Path>) -> String {
    let Unserved { all, unknown, eval, hidden } = unserved;
    let name = &server.name;
    let mut parts = Vec::new();
    if !unknown.is_empty() {
        let of_all = if *all == 0 { String::new() } else { format!(" of its {all}") };
        let many = unknown.len();
        let (tools, they) = match (many, *all) {
            (1, 0) => ("tool is", "it does"),
            (1, _) => ("tools is", "it does"),
            _ => ("tools are", "they do"),
        };
        let place = match (&server.contract.file, file) {
            (Some(file), _) => format!("Lines to add to {}:\n", file.display()),
            (None, Some(file)) => format!(
                "A contract that would (errors.toml; `contract = \"errors.toml\"` below [server.{name}] in {}):\n{}",
                file.display(),
                head(name)
            ),
            (None, None) => format!(
                "A contract that would (errors.toml; --contract errors.toml):\n{}",
                head(name)
            ),
        };
        parts.push(format!(
            "{name}: {many}{of_all} {tools} not served, since the contract does not say what {they}. {place}\n{}\n",
            unknown.join("\n\n")
        ));
    }
    if !eval.is_empty() {
        let way = match file {
            Some(file) => {
                let list = eval.iter().map(|it| toml_string(&escaped(it))).collect::<Vec<_>>();
                let list = list.join(", ");
                format!(", below [governance] in {}:\n\nallow_eval = [{list}]", file.display())
            }
            None => {
                let options =
                    eval.iter().map(|it| format!("--allow-eval {}", quoted(&escaped(it))));
                format!(", start it with: {}", options.collect::<Vec<_>>().join(" "))
            }
        };
        parts.push(format!(
            "{name}: not served, since they run code of their callers: {}. To serve them{way}\n",
            eval.join(", ")
        ));
    }
    // What the built-in server has under such a name is the same.
    if !hidden.is_empty() && server.workspace.is_none() {
        parts.push(format!(
            "{name}: not served, since the gate has tools of these names: {}\n",
            hidden.join(", ")
        ));
    }
    parts.concat()
}

/// A name as a pattern that means it alone.
fn escaped(name: &str) -> String {
    name.chars()
        .flat_map(|it| "*?[]{}\\".contains(it).then_some('\\').into_iter().chain([it]))
        .collect()
}

/// The start of a contract, as a file of its own.
fn head(name: &str) -> String {
    let fits = |it: char| if it.is_ascii_lowercase() || it.is_ascii_digit() { it } else { '-' };
    let name: String = name.chars().map(fits).collect();
    format!(
        "\nformat = \"redress-registry/1\"\nextends = [\"core\"]\n\n[registry]\nname = \"{name}\"\nversion = \"0.1.0\"\n"
    )
}

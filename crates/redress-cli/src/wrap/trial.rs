//! A wrapped server is started once, and has to list the tools of the bare one.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use redress_gate::{Target, ask_for_tools};
use redress_transport::program::Program;
use serde_json::Value;

use super::document::Command;

/// How long a server may take: it may have to be installed first.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a trial showed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trial {
    /// Both list the same tools, so many.
    Same(usize),
    /// They differ, and how.
    Differs(String),
    /// The server does not start by itself either.
    Broken(String),
    /// It cannot be tried here, and why.
    NotTried(&'static str),
}

/// Starts a server without and with the gate.
pub(super) fn compare(command: &Command, gate: &str) -> Trial {
    let words = command.words();
    let texts = command.env.iter().map(|it| it.1.as_str());
    if words.iter().copied().chain(texts).chain(command.cwd.as_deref()).any(|it| it.contains("${"))
    {
        return Trial::NotTried("the client fills in its `${…}`");
    }
    let bare = match tools(command, words.iter().map(OsString::from).collect()) {
        Ok(it) => it,
        Err(why) => return Trial::Broken(why),
    };
    let gated = [gate, "run", "--no-ledger", "--"].into_iter().chain(words).map(OsString::from);
    match tools(command, gated.collect()) {
        Ok(it) if it == bare => Trial::Same(bare.len()),
        Ok(it) => {
            Trial::Differs(format!("{} tools with the gate, {} without", it.len(), bare.len()))
        }
        Err(why) => Trial::Differs(format!("it does not start with the gate: {why}")),
    }
}

/// What a command lists, in order.
fn tools(command: &Command, words: Vec<OsString>) -> Result<Vec<Value>, String> {
    let program = Program {
        command: words,
        env: command.env.iter().map(|(name, it)| (name.into(), it.into())).collect(),
        cwd: command.cwd.as_ref().map(PathBuf::from),
        ..Program::default()
    };
    let tools = ask_for_tools(&Target::Program(Box::new(program)), PATIENCE);
    let tools = tools.map_err(|it| it.to_string())?;
    Ok(tools.iter().map(|it| serde_json::from_str(it).unwrap_or_default()).collect())
}

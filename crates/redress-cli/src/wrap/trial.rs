//! A wrapped server is started once, and has to list the tools of the bare one.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use redress_gate::{Target, ask_for_tools};
use redress_probe::{ServerAddress, Unprobed};
use redress_transport::program::Program;
use serde_json::Value;

use crate::clients::document::{
    Command, Remote,
    remote::{URL, VARIABLE},
};

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
    NotTried(String),
}

impl Trial {
    fn of_client() -> Self {
        Self::NotTried("the client fills in its `${…}`".to_owned())
    }
}

/// Starts a server without and with the gate.
pub(super) fn compare(command: &Command, gate: &str) -> Trial {
    let words = command.words();
    let texts = command.env.iter().map(|it| it.1.as_str());
    if words.iter().copied().chain(texts).chain(command.cwd.as_deref()).any(|it| it.contains("${"))
    {
        return Trial::of_client();
    }
    let bare = match tools(command, words.iter().map(OsString::from).collect()) {
        Ok(it) => it,
        Err(why) => return Trial::Broken(why),
    };
    let gated = [gate, "run", "--no-ledger", "--"].into_iter().chain(words).map(OsString::from);
    compared(&bare, tools(command, gated.collect()))
}

/// Asks a remote server without and with the gate.
pub(super) fn compare_remote(remote: &Remote, gate: &str) -> Trial {
    let texts = remote.headers.iter().map(|it| it.1.as_str()).chain([remote.url.as_str()]);
    if texts.into_iter().any(|it| ["${", "{env:", "{file:"].iter().any(|of| it.contains(of))) {
        return Trial::of_client();
    }
    let place = ServerAddress::Url { url: remote.url.clone(), headers: remote.headers.clone() };
    let bare = match redress_probe::tools(&place, PATIENCE) {
        Ok(it) => it,
        Err(Unprobed::Unauthorized(_)) => {
            return Trial::Broken("it wants a sign-in, which its client does itself".to_owned());
        }
        Err(why) => return Trial::Broken(why.to_string()),
    };
    let headers: serde_json::Map<String, Value> =
        remote.headers.iter().map(|(name, it)| (name.clone(), it.as_str().into())).collect();
    let entry = serde_json::json!({"url": remote.url, "headers": headers}).to_string();
    let program = Program {
        command: [gate, "run", "--no-ledger", "--url", URL].map(OsString::from).to_vec(),
        env: vec![(VARIABLE.into(), entry.into())],
        ..Program::default()
    };
    let gated = redress_probe::tools(&ServerAddress::Program(Box::new(program)), PATIENCE);
    compared(&bare, gated.map_err(|it| it.to_string()))
}

fn compared(bare: &[Value], gated: Result<Vec<Value>, String>) -> Trial {
    match gated {
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

//! The gate before the server that is probed: our own program, started as a client would start it.

use std::{ffi::OsString, io::Write as _, path::PathBuf, time::Duration};

use redress_probe::{ProbeOptions, ServerAddress};
use tempfile::NamedTempFile;

use crate::failure::Failure;

/// What the gate itself may need to answer, beyond what the server may.
const MARGIN: Duration = Duration::from_secs(2);

/// A probe of the same server behind the gate.
pub(super) struct Gate {
    /// How it is probed.
    pub(super) options: ProbeOptions,
    /// The configuration of a server behind a URL, as long as it is needed.
    _config: Option<NamedTempFile>,
}

impl Gate {
    pub(super) fn before(options: &ProbeOptions, contract: Option<&str>) -> Result<Self, Failure> {
        let program = std::env::current_exe();
        let program: PathBuf = program.map_err(|it| Failure::reading("redress", &it))?;
        let deadline = options.deadline.as_millis().clamp(1, 600_000).to_string();
        let mut command: Vec<OsString> = vec![program.into(), "run".into()];
        let mut say = |words: &[&str]| command.extend(words.iter().map(OsString::from));
        say(&["--no-ledger", "--deadline", &deadline]);
        if let Some(contract) = contract {
            say(&["--contract", contract]);
        }
        let config = match &options.place {
            ServerAddress::Command(of_server) => {
                command.push("--".into());
                command.extend(of_server.iter().cloned());
                None
            }
            ServerAddress::Program(program) => {
                command.push("--".into());
                command.extend(program.command.iter().cloned());
                None
            }
            ServerAddress::Url { url, headers } => {
                let file = written(&configuration(url, headers))?;
                command.extend(["--config".into(), file.path().into()]);
                Some(file)
            }
        };
        let place = ServerAddress::Command(command);
        let deadline = options.deadline + MARGIN;
        Ok(Self { options: ProbeOptions { place, deadline, ..options.clone() }, _config: config })
    }
}

/// A server behind a URL, as the gate's configuration. The user who probes it trusts what it says of its tools.
fn configuration(url: &str, headers: &[(String, String)]) -> String {
    // A string of TOML is written as one of JSON.
    let text = |it: &str| serde_json::Value::from(it.replace("${", "$${")).to_string();
    let headers = headers.iter().map(|(name, value)| format!("{} = {}", text(name), text(value)));
    let headers = headers.collect::<Vec<_>>().join(", ");
    format!(
        "[server.probe]\nurl = {}\nheaders = {{ {headers} }}\ntrust_annotations = true\n",
        text(url)
    )
}

/// A file that only this user can read, since headers hold credentials.
fn written(text: &str) -> Result<NamedTempFile, Failure> {
    let failed = |it: std::io::Error| Failure::writing("the gate's configuration", &it);
    let mut file = NamedTempFile::new().map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    Ok(file)
}

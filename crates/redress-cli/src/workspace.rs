//! The built-in server: the files of a directory, behind the gate in this process.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
};

use redress::codes;
use redress_gate::Target;
use redress_transport::in_process::InProcessServer;
use redress_workspace::{Workspace, WorkspaceServer};

use crate::{failure::Failure, output::Err};

/// The files of a directory as the server behind the gate; `ledger` is where their failures are recorded.
pub(crate) fn target(root: &Path, ledger: Option<PathBuf>) -> Result<Target, Failure> {
    let shown = root.to_string_lossy();
    let started = Workspace::open(root).and_then(|it| WorkspaceServer::start(it.ledger(ledger)));
    let server = Arc::new(started.map_err(|it| match it.kind() {
        ErrorKind::NotFound => Failure::input(codes::PATH_NOT_FOUND.raise([("path", &*shown)])),
        _ => Failure::reading(&shown, &it),
    })?);
    Ok(Target::Inside(InProcessServer::new(move |input, output| {
        if let Err(error) = server.speak(input, output) {
            // The gate answers the client; this is for the operator.
            Err::new().say(&format!("workspace: {error}"));
        }
    })))
}

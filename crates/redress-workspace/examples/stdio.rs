//! The workspace server on standard streams, without a gate: `cargo run -p redress-workspace --example stdio DIR`.

use std::{
    env,
    error::Error,
    io::{stdin, stdout},
    os::fd::AsFd as _,
    path::PathBuf,
};

use redress_workspace::{Workspace, WorkspaceServer};

fn main() -> Result<(), Box<dyn Error>> {
    let root = env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let server = WorkspaceServer::start(Workspace::open(&root)?)?;
    let (input, output) =
        (stdin().as_fd().try_clone_to_owned()?, stdout().as_fd().try_clone_to_owned()?);
    Ok(server.speak(input, output)?)
}

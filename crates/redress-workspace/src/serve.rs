//! `WorkspaceServer`: a workspace that speaks MCP on pipes, one for each session, on a runtime of its own.

use std::{io, os::fd::OwnedFd, sync::Arc, thread};

use redress_rmcp::Contract;
use rmcp::service::ServerInitializeError;
use tokio::{
    net::unix::pipe,
    runtime::{Builder, Handle, Runtime},
};

use crate::{
    server::{FileTools, contract},
    workspace::Workspace,
};

/// A workspace that speaks MCP.
#[derive(Debug)]
pub struct WorkspaceServer {
    contract: Contract<FileTools>,
    /// There until this is dropped.
    runtime: Option<Runtime>,
    at_hand: Handle,
}

impl WorkspaceServer {
    /// Starts to serve a workspace; what dead processes left in it is cleared up meanwhile.
    pub fn start(workspace: Workspace) -> io::Result<Self> {
        let workspace = Arc::new(workspace);
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("redress-workspace")
            .enable_all()
            .build()?;
        let contract = runtime.block_on(contract(&workspace).start()).map_err(io::Error::other)?;
        thread::Builder::new()
            .name("redress-clear-up".to_owned())
            .spawn(move || workspace.clear_up())?;
        let at_hand = runtime.handle().clone();
        Ok(Self { contract, runtime: Some(runtime), at_hand })
    }

    /// Speaks to one client until it closes its side. May be called from many threads.
    pub fn speak(&self, input: OwnedFd, output: OwnedFd) -> io::Result<()> {
        self.at_hand.block_on(async {
            let streams =
                (pipe::Receiver::from_owned_fd(input)?, pipe::Sender::from_owned_fd(output)?);
            let session = match self.contract.clone().serve(streams).await {
                Ok(session) => session,
                // A client connected and said nothing.
                Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
                Err(error) => return Err(io::Error::other(error)),
            };
            session.waiting().await.map(drop).map_err(io::Error::other)
        })
    }
}

impl Drop for WorkspaceServer {
    fn drop(&mut self) {
        // It may be dropped by a task, which must not wait.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

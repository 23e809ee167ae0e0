//! `WorkspaceServer`: a workspace that speaks MCP on pipes, one for each session, on a runtime of its own.

use std::{
    fs::File,
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use redress::Fault;
use redress_rmcp::Contract;
use rmcp::service::ServerInitializeError;
use rustix::fs::{FileType, FlockOperation, flock};
use tokio::{
    net::unix::pipe,
    runtime::{Builder, Handle, Runtime},
};

use crate::{
    journal,
    path::Relative,
    root::Root,
    server::{Server, contract},
    temporary,
    walk::{Bounds, Then, walk},
};

/// How far the walk at the start goes, for what dead processes left.
const SWEEP_ENTRIES: usize = 200_000;
const SWEEP_TIME: Duration = Duration::from_secs(5);

/// What the tools work on.
#[derive(Debug)]
pub struct Workspace {
    pub(crate) root: Root,
    /// Where the failures of this server are recorded, if they are.
    pub(crate) ledger: Option<PathBuf>,
}

impl Workspace {
    /// The workspace in a directory, which must be there.
    pub fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { root: Root::open(root)?, ledger: None })
    }

    /// The directory in which its failures are recorded, for `read_ledger`.
    #[must_use]
    pub fn ledger(mut self, dir: Option<PathBuf>) -> Self {
        self.ledger = dir;
        self
    }

    /// The root, as it is without links.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Opens a file for reading, as `read_file` does.
    pub fn open_file(&self, path: &str) -> Result<File, Box<Fault>> {
        let opened = self.root.below(path).and_then(|it| self.root.file(&it));
        opened.map(|it| it.0).map_err(|it| Box::new(Fault::from(it)))
    }

    /// Finishes or clears away what processes left that were ended while they wrote.
    pub fn clear_up(&self) {
        // Whoever writes next tries again, and is told what is wrong.
        drop(journal::finish(&self.root));
        let mut bounds = Bounds {
            until: Instant::now() + SWEEP_TIME,
            entries: SWEEP_ENTRIES,
            respects_gitignore: false,
        };
        let Ok(dir) = self.root.own_dir() else { return };
        self.clear_directory(&Relative::root());
        walk(dir, &Relative::root(), &mut bounds, &mut |met| {
            if met.kind == FileType::Directory {
                self.clear_directory(met.path);
            }
            Then::GoOn
        });
    }

    fn clear_directory(&self, path: &Relative) {
        let Ok(dir) = self.root.directory(path) else { return };
        // Where somebody writes, he has cleared it already.
        if flock(&dir, FlockOperation::NonBlockingLockExclusive).is_ok()
            && !journal::is_there(&self.root)
        {
            temporary::sweep(&dir);
        }
    }
}

/// A workspace that speaks MCP.
#[derive(Debug)]
pub struct WorkspaceServer {
    contract: Contract<Server>,
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
                // Somebody looked in and said nothing.
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

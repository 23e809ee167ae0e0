//! `Confinement`: what a server's process may write, held by the system itself (Landlock), for the process and all that it starts.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Child, Command},
    thread,
};

use landlock::{
    ABI, AccessFs, BitFlags, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus,
    path_beneath_rules,
};

/// What everybody may write to.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts"];

/// The rights of this revision are enough to hold writes; where the kernel knows fewer, it holds those.
const REVISION: ABI = ABI::V3;

/// What a process may write, and what it may not read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confinement {
    /// It may write below these directories, and nowhere else.
    pub writable: Vec<PathBuf>,
    /// It may read no file in this directory.
    pub secret: Option<PathBuf>,
}

impl Confinement {
    /// Whether the system can hold it.
    ///
    /// # Errors
    /// What the system says where it does not let us.
    pub fn is_held(&self) -> io::Result<bool> {
        apart(|| self.restrict())
    }

    /// Starts a process that is confined. Where the system cannot do that, it is not; whoever starts the gate was told.
    pub(crate) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        apart(|| self.restrict().and_then(|_is_held| command.spawn()))
    }

    /// Confines this thread for good, and what it starts.
    fn restrict(&self) -> io::Result<bool> {
        let writes = AccessFs::from_write(REVISION);
        let reads = BitFlags::from(AccessFs::ReadFile);
        let handled = if self.secret.is_some() { writes | reads } else { writes };
        let devices = DEVICES.iter().map(PathBuf::from);
        let beside = self.secret.as_deref().map(beside).unwrap_or_default();
        let restricted = Ruleset::default()
            .handle_access(handled)
            .and_then(Ruleset::create)
            .and_then(|it| it.add_rules(path_beneath_rules(&self.writable, handled)))
            .and_then(|it| it.add_rules(path_beneath_rules(devices, handled)))
            .and_then(|it| it.add_rules(path_beneath_rules(beside, reads)))
            .and_then(landlock::RulesetCreated::restrict_self);
        let status = restricted.map_err(io::Error::other)?;
        Ok(status.ruleset != RulesetStatus::NotEnforced)
    }
}

/// Everything but a directory. What may be done can only be listed: so all that stands beside it, on each level above it.
fn beside(secret: &Path) -> Vec<PathBuf> {
    let Ok(secret) = secret.canonicalize() else { return vec![PathBuf::from("/")] };
    let mut beside = Vec::new();
    for folder in secret.ancestors().skip(1) {
        // What cannot be listed by us cannot be read by the server either, or is named by nobody.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // Through a link everything could be allowed; what it leads to is listed where it is.
            let is_link = entry.file_type().is_ok_and(|it| it.is_symlink());
            if !is_link && !secret.starts_with(entry.path()) {
                beside.push(entry.path());
            }
        }
    }
    beside
}

/// Does something on a thread of its own, which may confine itself.
fn apart<T: Send>(act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let started = thread::Builder::new().name("redress-confine".to_owned());
        let done = started.spawn_scoped(scope, act)?.join();
        done.unwrap_or_else(|_panic| Err(io::Error::other("the thread ended early")))
    })
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::Path,
        process::{Command, Stdio},
    };

    use super::Confinement;

    #[test]
    fn a_process_writes_where_it_may_and_reads_all_but_the_secret() {
        let dir = tempfile::tempdir().unwrap();
        let path = |it: &str| dir.path().join(it);
        for name in ["root/sub", "outside", "config/redress"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        fs::write(path("config/redress/ledger.key"), "secret").unwrap();
        fs::write(path("config/other"), "other").unwrap();
        fs::write(path("outside/old"), "old").unwrap();
        std::os::unix::fs::symlink(path("outside"), path("root/out")).unwrap();
        let confinement =
            Confinement { writable: vec![path("root")], secret: Some(path("config/redress")) };
        if !confinement.is_held().unwrap() {
            assert!(std::env::var_os("CI").is_none(), "this kernel has no Landlock");
            return;
        }
        let does = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]).current_dir(dir.path());
            let mut child =
                confinement.spawn(command.stderr(Stdio::null()).stdout(Stdio::null())).unwrap();
            child.wait().unwrap().success()
        };
        for fine in [
            "echo x > root/a && mv root/a root/sub/b && rm root/sub/b",
            "cat config/other outside/old && echo x > /dev/null",
            "ls config/redress",
            "sh -c 'echo x > root/c'",
        ] {
            assert!(does(fine), "{fine}");
        }
        for refused in [
            "echo x > outside/new",
            "echo x > outside/old",
            "echo x >> root/out/old",
            "rm outside/old",
            "mkdir outside/d",
            "ln outside/old root/hard && echo x > root/hard",
            "mv root/c outside/c",
            "cat config/redress/ledger.key",
            "sh -c 'sh -c \"echo x > outside/new\"'",
        ] {
            assert!(!does(refused), "{refused}");
        }
        assert_eq!(fs::read_to_string(path("outside/old")).unwrap(), "old");
        fs::write(path("outside/ours"), "x").unwrap();
        assert!(Path::new(&path("outside/ours")).exists(), "this process is as free as before");
    }
}

//! `Confinement`: which files a process and all that it starts may write and read. The system enforces it (Landlock).

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process::{Child, Command},
    thread,
};

use landlock::{
    ABI, AccessFs, BitFlags, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus,
    path_beneath_rules,
};

/// Devices that every process may write to.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts"];

/// Devices that a process with limited reads may read besides.
const SOURCES: &[&str] = &["/dev/random", "/dev/urandom"];

/// The revision of Landlock whose rights cover writes. An older kernel enforces those that it knows.
const REVISION: ABI = ABI::V3;

/// Which files a process may write and read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confinement {
    /// It may write below these directories, and nowhere else.
    pub writable: Vec<PathBuf>,
    /// If given, it may read these files, what is below these directories and what it may write, and nothing else.
    pub readable: Option<Vec<PathBuf>>,
    /// It may read no file in this directory.
    pub secret: Option<PathBuf>,
    /// If there are any, it may write everywhere but below these directories and in the secret one.
    pub kept: Vec<PathBuf>,
}

impl Confinement {
    /// Whether the system can enforce it.
    ///
    /// # Errors
    /// The system's error.
    pub fn is_held(&self) -> io::Result<bool> {
        apart(|| self.restrict())
    }

    /// Starts a process that is confined, as far as the system can enforce it.
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        apart(|| self.restrict().and_then(|_is_held| command.spawn()))
    }

    /// The same with absolute paths.
    pub(crate) fn absolute(&self) -> Self {
        let absolute = |it: &PathBuf| std::path::absolute(it).unwrap_or_else(|_| it.clone());
        let all = |paths: &Vec<PathBuf>| paths.iter().map(absolute).collect();
        Self {
            writable: all(&self.writable),
            readable: self.readable.as_ref().map(all),
            secret: self.secret.as_ref().map(absolute),
            kept: all(&self.kept),
        }
    }

    /// Confines this thread and what it starts for good, also across `exec`. Gives whether the system enforces it.
    pub(crate) fn restrict(&self) -> io::Result<bool> {
        let writes = AccessFs::from_write(REVISION);
        let (reads, readable) = self.reads();
        let handled = writes | reads;
        let devices = DEVICES.iter().map(PathBuf::from);
        let mut writable = self.writable.clone();
        if !self.kept.is_empty() {
            let apart: Vec<PathBuf> = self.secret.iter().chain(&self.kept).cloned().collect();
            writable.extend(beneath(Path::new("/"), &apart));
        }
        let restricted = Ruleset::default()
            .handle_access(handled)
            .and_then(Ruleset::create)
            .and_then(|it| it.add_rules(path_beneath_rules(&writable, handled)))
            .and_then(|it| it.add_rules(path_beneath_rules(devices, handled)))
            .and_then(|it| it.add_rules(path_beneath_rules(readable, reads)))
            .and_then(landlock::RulesetCreated::restrict_self);
        let status = restricted.map_err(io::Error::other)?;
        Ok(status.ruleset != RulesetStatus::NotEnforced)
    }

    /// The reads that the system limits, and where it allows them.
    fn reads(&self) -> (BitFlags<AccessFs>, Vec<PathBuf>) {
        let secret: Vec<PathBuf> = self.secret.iter().cloned().collect();
        match &self.readable {
            Some(readable) => {
                let readable = readable.iter().flat_map(|it| beneath(it, &secret));
                let sources = SOURCES.iter().map(PathBuf::from);
                (AccessFs::from_read(REVISION), readable.chain(sources).collect())
            }
            None if secret.is_empty() => (BitFlags::EMPTY, Vec::new()),
            None => (AccessFs::ReadFile.into(), beneath(Path::new("/"), &secret)),
        }
    }
}

/// All that is below a directory but some others. Landlock only knows what is allowed, so that this lists what lies beside them, on each
/// level above them.
fn beneath(top: &Path, apart: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(top) = top.canonicalize() else { return Vec::new() };
    let mut apart: Vec<PathBuf> = apart.iter().filter_map(|it| it.canonicalize().ok()).collect();
    if apart.iter().any(|it| top.starts_with(it)) {
        return Vec::new();
    }
    apart.retain(|it| it.starts_with(&top));
    if apart.is_empty() {
        return vec![top];
    }
    let above = apart.iter().flat_map(|it| it.ancestors().skip(1));
    let folders: BTreeSet<&Path> = above.filter(|it| it.starts_with(&top)).collect();
    let mut beside = Vec::new();
    // What lies in one of them is left out with it.
    for folder in folders.into_iter().filter(|it| !apart.iter().any(|kept| it.starts_with(kept))) {
        // The server cannot read what this process cannot list.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // A link could allow anything; its target is listed where it lies.
            let is_link = entry.file_type().is_ok_and(|it| it.is_symlink());
            if !is_link && !apart.iter().any(|it| it.starts_with(entry.path())) {
                beside.push(entry.path());
            }
        }
    }
    beside
}

/// Runs a function on a thread of its own, which may confine itself.
fn apart<T: Send>(act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let started = thread::Builder::new().name("redress-confine".to_owned());
        let done = started.spawn_scoped(scope, act)?.join();
        done.unwrap_or_else(|_panic| Err(io::Error::other("the thread ended early")))
    })
}

#[cfg(test)]
#[path = "../../../fixtures/kernel.rs"]
mod kernel;

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
        process::{Command, Stdio},
    };

    use super::{Confinement, kernel::can_confine};

    #[test]
    fn a_process_writes_outside_kept_folders_and_reads_no_key() {
        let dir = tempfile::tempdir().unwrap();
        let path = |it: &str| dir.path().join(it);
        for name in ["state/redress/files", "state/other", "config/redress", "home"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        fs::write(path("config/redress/ledger.key"), "secret").unwrap();
        fs::write(path("state/redress/files/a"), "record").unwrap();
        fs::write(path("config/other"), "other").unwrap();
        let secret = Some(path("config/redress"));
        let kept = vec![path("state/redress/files")];
        let confinement = Confinement { secret, kept, ..Confinement::default() };
        if !can_confine(confinement.is_held().unwrap()) {
            return;
        }
        let does = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]).current_dir(dir.path());
            let quiet = command.stderr(Stdio::null()).stdout(Stdio::null());
            confinement.spawn(quiet).unwrap().wait().unwrap().success()
        };
        for fine in [
            "cat state/redress/files/a config/other",
            "echo x > home/a && mkdir home/d && mv home/a home/d/a",
            "echo x > state/other/a && echo y >> config/other",
        ] {
            assert!(does(fine), "{fine}");
        }
        for refused in [
            "cat config/redress/ledger.key",
            "echo x > config/redress/ledger.key",
            "echo x >> state/redress/files/a",
            "echo x > state/redress/files/b",
            "rm state/redress/files/a",
            "mv state/redress/files home/files",
            "mv config/redress home/keys",
            "ln config/redress/ledger.key home/key && cat home/key",
            // The price: nothing new beside what is kept, on any level above it.
            "echo x > config/new",
        ] {
            assert!(!does(refused), "{refused}");
        }
    }

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
        let confinement = Confinement {
            writable: vec![path("root")],
            secret: Some(path("config/redress")),
            ..Confinement::default()
        };
        if !can_confine(confinement.is_held().unwrap()) {
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

    #[test]
    fn a_process_reads_what_it_may_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = |it: &str| dir.path().join(it);
        for name in ["root/sub", "outside", "lib/redress"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        for file in ["root/a", "outside/a", "outside/b", "lib/a", "lib/redress/ledger.key"] {
            fs::write(path(file), "text").unwrap();
        }
        std::os::unix::fs::symlink(path("outside"), path("root/out")).unwrap();
        let system = ["/bin", "/lib", "/lib64", "/usr", "/etc/ld.so.cache"].map(PathBuf::from);
        let confinement = Confinement {
            writable: vec![path("root")],
            readable: Some([&system[..], &[path("lib"), path("outside/b")]].concat()),
            secret: Some(path("lib/redress")),
            kept: Vec::new(),
        };
        if !can_confine(confinement.is_held().unwrap()) {
            return;
        }
        let does = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]).current_dir(dir.path());
            let quiet = command.stderr(Stdio::null()).stdout(Stdio::null());
            confinement.spawn(quiet).unwrap().wait().unwrap().success()
        };
        for fine in [
            "cat root/a lib/a outside/b && ls root root/sub",
            "echo x > root/new && cat root/new",
            "test -e outside/a && head -c 1 /dev/urandom > /dev/null",
        ] {
            assert!(does(fine), "{fine}");
        }
        for refused in [
            "cat outside/a",
            "cat root/out/a",
            "ls outside",
            "ls root/out/",
            "ln -s ../outside/a root/link && cat root/link",
            "ln outside/a root/hard && cat root/hard",
            "cat lib/redress/ledger.key",
            "cd outside && sh -c 'cat a'",
            "echo x > outside/b",
        ] {
            assert!(!does(refused), "{refused}");
        }
    }
}

//! Where a governed gate stands: a directory with the workspace, the policy, and what is kept beside them.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::redress::{Ran, run};

/// A directory whose workspace is `root`, and whose ledger is `ledger`.
pub(super) struct Place(TempDir);

impl Place {
    pub(super) fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(place.at("root/docs/reports")).unwrap();
        place
    }

    /// With a policy before the built-in server.
    pub(super) fn with(policy: &str) -> Self {
        let place = Self::new();
        place.configure(policy, "workspace = 'root'");
        place
    }

    /// Writes `redress.toml`: a policy, and the server that it is for.
    pub(super) fn configure(&self, policy: &str, server: &str) {
        let config = format!(
            "[ledger]\ndir = 'ledger'\n[governance]\nenabled = true\n{policy}\n[server.files]\n{server}\n"
        );
        self.write("redress.toml", &config);
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        fs::write(self.at(path), text).unwrap();
    }

    /// What a file of the workspace says.
    pub(super) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at("root").join(path)).unwrap_or_else(|_| "nothing".to_owned())
    }

    /// The command, at home here.
    pub(super) fn redress(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
        command.args(args).current_dir(self.0.path());
        command.env("XDG_CONFIG_HOME", self.at("config")).env("XDG_STATE_HOME", self.at("state"));
        command
    }

    /// Runs it to its end, without input.
    pub(super) fn ran(&self, args: &[&str]) -> Ran {
        run(&mut self.redress(args), b"")
    }

    /// All that is in the ledger.
    pub(super) fn recorded(&self) -> String {
        self.ran(&["ledger", "query", "ledger"]).out
    }

    /// Waits until something holds.
    pub(super) fn until(&self, holds: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < Duration::from_secs(20), "it never came");
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }
}

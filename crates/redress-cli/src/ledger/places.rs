//! Which ledgers a command reads: a directory, a server's name, or all of the user's.

use std::{
    io,
    path::{Path, PathBuf},
};

use redress::codes;
use redress_ledger::{ledgers, true_path, witnessed_ledgers};
use redress_registry::nearest::nearest_n;

use crate::{failure::Failure, name, place};

/// Which ledgers.
#[derive(Debug, clap::Args)]
pub(super) struct LedgerArgs {
    /// A ledger, or a directory of ledgers; by default all in the user's state directory.
    dir: Option<PathBuf>,
    /// The ledgers of the server with this name, in the user's state directory.
    #[arg(long, value_name = "N", conflicts_with = "dir", value_parser = name::checked)]
    name: Option<String>,
}

impl LedgerArgs {
    /// The directory that was named.
    pub(super) fn named(&self) -> Option<&PathBuf> {
        self.dir.as_ref()
    }

    /// Those of a directory, or all of the user's.
    pub(super) const fn of(dir: Option<PathBuf>) -> Self {
        Self { dir, name: None }
    }

    /// The ledgers that are there; none is a failure.
    pub(super) fn find(&self) -> Result<Vec<PathBuf>, Failure> {
        let root = self.root()?;
        let found = ledgers(&root).map_err(|it| self.unreadable(&root, &it))?;
        let chosen = self.chosen(&root, found.clone());
        if chosen.is_empty() { Err(self.nothing(&root, &found)) } else { Ok(chosen) }
    }

    /// The same, with those that were witnessed there and are gone.
    pub(super) fn find_with_gone(&self) -> Result<Vec<PathBuf>, Failure> {
        let root = self.root()?;
        let witnessed = place::key().map_or_else(|_| Ok(Vec::new()), |it| witnessed_ledgers(&it));
        let real = true_path(&root).unwrap_or_else(|_| root.clone());
        let (mut gone, unknown) = match witnessed {
            Ok(gone) => (gone, None),
            Err(unknown) => (Vec::new(), Some(unknown)),
        };
        gone.retain(|it| it.starts_with(&real) && !ledgers(it).is_ok_and(|all| all.contains(it)));
        let gone = self.chosen(&real, gone);
        match self.find() {
            Ok(mut found) => {
                found.extend(gone);
                Ok(found)
            }
            Err(_) if !gone.is_empty() => Ok(gone),
            // Of ledgers that are there, who verifies them tells it.
            Err(failure) => Err(match unknown {
                Some((path, error)) => failure.of_machine().note(format!(
                    "Whether one was there is not known: {}: {error}",
                    path.display()
                )),
                None => failure,
            }),
        }
    }

    /// The ledgers that are there now, for a reader that waits for more.
    pub(super) fn look(&self) -> Vec<PathBuf> {
        self.root()
            .ok()
            .and_then(|it| Some(self.chosen(&it, ledgers(&it).ok()?)))
            .unwrap_or_default()
    }

    fn root(&self) -> Result<PathBuf, Failure> {
        match &self.dir {
            Some(dir) => Ok(dir.clone()),
            None => place::state(),
        }
    }

    /// Those with the name that was asked for: the ledger of that name, or those of commands that were named so.
    fn chosen(&self, root: &Path, found: Vec<PathBuf>) -> Vec<PathBuf> {
        let Some(name) = &self.name else { return found };
        let exact = root.join(name::unique(Some(name), &[]));
        if found.contains(&exact) {
            return vec![exact];
        }
        let is_meant = |it: &PathBuf| {
            let hash = base(it).and_then(|it| it.strip_prefix(name.as_str())?.strip_prefix('-'));
            hash.is_some_and(|it| it.len() == 8 && it.bytes().all(|it| it.is_ascii_hexdigit()))
        };
        found.into_iter().filter(is_meant).collect()
    }

    fn unreadable(&self, root: &Path, error: &io::Error) -> Failure {
        let shown = root.to_string_lossy();
        match error.kind() {
            io::ErrorKind::NotFound => self.nothing(root, &[]),
            io::ErrorKind::NotADirectory => {
                Failure::input(codes::INVALID_PATH.raise([("path", &*shown)]))
                    .note("A ledger is a directory.")
                    .fix("Name the directory of the ledger.")
            }
            _ => Failure::environment(codes::FILE_READ_FAILED.raise([("path", &*shown)]))
                .note(format!("{shown}: {error}"))
                .fix("Read it as the user who wrote it, or repair its disk."),
        }
    }

    fn nothing(&self, root: &Path, others: &[PathBuf]) -> Failure {
        let shown = root.to_string_lossy();
        let failure = Failure::input(codes::NOT_FOUND.raise([("kind", "ledger"), ("id", &*shown)]));
        if let Some(name) = &self.name {
            let names: Vec<&str> = others.iter().filter_map(|it| base(it)).collect();
            let near = nearest_n(name, names.iter().copied(), 3);
            let failure = failure.note(format!("No ledger of `{name}` is in {shown}."));
            let listed = if near.is_empty() { names } else { near };
            let there =
                if listed.is_empty() { "none at all".to_owned() } else { listed.join(", ") };
            return failure.note(format!("There is {there}.")).fix(
                "Give the name that `redress run --name` was given, or no name for all ledgers.",
            );
        }
        let failure = failure.note(format!("No ledger is in {shown}."));
        match self.dir {
            Some(_) => failure.fix("Name the directory that `redress run --ledger` was given."),
            None => failure.fix(
                "Name the ledger's directory; by default `redress run` makes one when it first starts.",
            ),
        }
    }
}

fn base(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

//! Which ledgers a console shows.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use redress::codes;
use redress_ledger::ledgers;

use crate::{failure::Failure, place};

/// Directories that are ledgers, or hold ledgers.
#[derive(Debug, Clone)]
pub(crate) struct Places(Vec<PathBuf>);

impl Places {
    /// The places that were named, or the user's state directory. One that was named and is no ledger is a failure; an empty one will be.
    pub(crate) fn of(named: Vec<PathBuf>) -> Result<Self, Failure> {
        if named.is_empty() {
            return Ok(Self(vec![place::state()?]));
        }
        named.iter().try_for_each(|it| check(it))?;
        Ok(Self(named))
    }

    /// The ledgers that are there now.
    pub(crate) fn now(&self) -> Vec<PathBuf> {
        self.0.iter().flat_map(|it| ledgers(it).unwrap_or_default()).collect()
    }
}

fn check(place: &Path) -> Result<(), Failure> {
    let shown = place.to_string_lossy();
    let absent = || Failure::input(codes::NOT_FOUND.raise([("kind", "ledger"), ("id", &*shown)]));
    let is_empty = || fs::read_dir(place).is_ok_and(|mut it| it.next().is_none());
    match ledgers(place) {
        Ok(found) if found.is_empty() && !is_empty() => Err(absent()
            .note(format!("No ledger is in {shown}."))
            .fix("Name the directory that `redress run --ledger` was given.")),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(absent().fix("Name the directory that `redress run --ledger` was given."))
        }
        Err(error) => Err(Failure::reading(&shown, &error)),
    }
}

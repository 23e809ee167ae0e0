//! What the calls of a task really did, in a file that the failing server and the driver share.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::fallible::Fallible;

/// What each call takes, in simulated milliseconds.
pub(super) const CALL_MS: u64 = 100;

/// The state of a task: its simulated clock, and what its calls did.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct World {
    pub(super) clock_ms: u64,
    /// The calls that reached the server.
    pub(super) calls: u64,
    /// Whether the call in progress never gets an answer.
    pub(super) is_hanging: bool,
    /// Whether a person did what only a person can do.
    pub(super) has_person_acted: bool,
    /// What happened at least once.
    marks: BTreeSet<String>,
    /// How often each thing was done that should be done once.
    effects: BTreeMap<String, u64>,
}

impl World {
    pub(super) fn load(path: &Path) -> Fallible<Self> {
        Ok(serde_json::from_slice(&fs::read(path)?)?)
    }

    /// Writes it as a whole: the other side may read at any time.
    pub(super) fn store(&self, path: &Path) -> Fallible<()> {
        let fresh: PathBuf = path.with_extension("new");
        fs::write(&fresh, serde_json::to_vec(self)?)?;
        Ok(fs::rename(fresh, path)?)
    }

    /// Whether something happens for the first time.
    pub(super) fn is_first(&mut self, mark: &str) -> bool {
        self.marks.insert(mark.to_owned())
    }

    pub(super) fn has(&self, mark: &str) -> bool {
        self.marks.contains(mark)
    }

    pub(super) fn add_effect(&mut self, what: &str) {
        *self.effects.entry(what.to_owned()).or_default() += 1;
    }

    pub(super) fn count(&self, what: &str) -> u64 {
        self.effects.get(what).copied().unwrap_or_default()
    }

    /// How many effects were one too many.
    pub(super) fn doubled(&self) -> u64 {
        self.effects.values().map(|it| it.saturating_sub(1)).sum()
    }
}

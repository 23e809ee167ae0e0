//! Whether a process writes a chain, by its lock.

use std::io;

use super::report::{ChainState, RecordProblem};
use crate::{
    layout::ChainDir,
    lock::{self, Held},
};

/// The state of a chain, or what is wrong with its lock.
pub(super) fn state(chain: &ChainDir) -> Result<ChainState, RecordProblem> {
    if chain.corrupt {
        return Ok(ChainState::Quarantined);
    }
    let held = lock::look(&chain.path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => RecordProblem::Lock,
        _ => RecordProblem::Unreadable(error.to_string()),
    })?;
    Ok(match held {
        Held::Removed => ChainState::Closed,
        Held::ByOther => ChainState::Live,
        Held::Here(_) => ChainState::Unfinished,
    })
}

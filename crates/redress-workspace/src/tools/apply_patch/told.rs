//! Conflicts of a patch as one failure: the first gives its words, all of them have their places.

use redress::{fault::Violation, tokens::MAX_VIOLATIONS};
use serde_json::{Value, json};

use super::Wanted;
use crate::{
    error::{Refused, WorkspaceError},
    patch::Conflict,
};

/// How many conflicts are told in full.
const MOST_TOLD: usize = 5;

/// All that does not fit.
#[derive(Default)]
pub(super) struct Conflicts(Option<Refused>, Vec<Value>);

impl Conflicts {
    /// Takes the conflicts in one file, each with its place in the call.
    pub(super) fn add(&mut self, wanted: &Wanted, conflicts: Vec<(String, Conflict)>) {
        let path = wanted.path.as_str();
        for (pointer, it) in conflicts {
            let told = json!({
                "path": path, "part": it.part, "patch_line": it.at, "reason": it.reason,
                "file_line": it.nearest, "found": it.found, "wanted": it.wanted,
            });
            self.0 = Some(match self.0.take() {
                None => WorkspaceError::PatchApplyFailed {
                    path: path.to_owned(),
                    hunk: it.part as u64,
                    look: wanted.look(it.nearest),
                }
                .at(&pointer),
                Some(first) if self.1.len() < MAX_VIOLATIONS => {
                    first.and(Violation::new(&pointer, "conflict", None))
                }
                Some(first) => first,
            });
            self.1.push(told);
        }
    }

    /// Refuses if there are any.
    pub(super) fn none(self) -> Result<(), Refused> {
        let Self(Some(refused), mut told) = self else { return Ok(()) };
        told.truncate(MOST_TOLD);
        Err(refused.with("conflicts", told))
    }
}

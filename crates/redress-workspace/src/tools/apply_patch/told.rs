//! Conflicts of a patch as one failure: the first gives its words, all of them have their places.

use redress::{fault::Violation, text, text::tokens::MAX_VIOLATIONS};
use serde_json::{Value, json};

use super::Wanted;
use crate::{
    error::{Refused, WorkspaceError},
    patch::{Conflict, Misfit},
};

/// How many conflicts are described in full.
const MOST_TOLD: usize = 5;
/// How much of a path and of a line is in a sentence.
const PATH_CHARS: usize = 60;
const LINE_CHARS: usize = 40;

/// All that does not fit.
#[derive(Default)]
pub(super) struct Conflicts {
    first: Option<First>,
    others: Vec<Violation>,
    told: Vec<Value>,
}

struct First {
    refused: Refused,
    message: String,
}

impl Conflicts {
    /// Takes the conflicts in one file, each with its place in the call.
    pub(super) fn add(&mut self, wanted: &Wanted, conflicts: Vec<(String, Conflict)>) {
        let path = wanted.path.as_str();
        for (pointer, it) in conflicts {
            if self.first.is_none() {
                self.first = Some(First::of(wanted, &pointer, &it));
            } else {
                self.others.push(Violation::new(&pointer, "conflict", None));
            }
            self.told.push(json!({
                "path": path, "part": it.part, "patch_line": it.at, "reason": it.misfit.reason(),
                "file_line": it.nearest, "found": it.found, "wanted": it.wanted,
            }));
        }
    }

    /// Refuses if there are any.
    pub(super) fn none(self) -> Result<(), Refused> {
        let Self { first: Some(First { refused, message }), others, mut told } = self else {
            return Ok(());
        };
        let message = match others.len() {
            0 => message,
            1 => format!("{message} One more does not fit."),
            more => format!("{message} {more} more do not fit."),
        };
        told.truncate(MOST_TOLD);
        let others = others.into_iter().take(MAX_VIOLATIONS - 1);
        let refused = others.fold(refused.saying(message), Refused::and);
        Err(refused.with("conflicts", told))
    }
}

impl First {
    /// The conflict that gives the failure its words.
    fn of(wanted: &Wanted, pointer: &str, it: &Conflict) -> Self {
        let path = wanted.path.as_str();
        let part = match it.at {
            Some(line) => format!("Hunk {} (line {line} of the patch)", it.part),
            None => format!("Edit {}", it.part),
        };
        let shown = text::quote(path, PATH_CHARS);
        let message = format!("{part} does not fit {shown}: {}.", it.misfit.reason());
        let error = WorkspaceError::PatchApplyFailed {
            path: path.to_owned(),
            hunk: it.part as u64,
            look: wanted.look(it.nearest),
        };
        let refused = error.at(pointer).advising(format!("{}{}", seen(it), it.misfit.advice()));
        Self { refused, message }
    }
}

/// What is in the file, as a sentence before another one.
fn seen(it: &Conflict) -> String {
    let (line, quote) = (it.nearest, |it: &str| text::quote(it, LINE_CHARS));
    match it.misfit {
        Misfit::NotAlone | Misfit::LinesNotAlone => format!("Line {line} has it, too. "),
        Misfit::NotThere | Misfit::LinesNotThere => match (&*it.found, &*it.wanted) {
            ("", _) => String::new(),
            (found, wanted) if found == wanted => format!("Line {line} ends in other blanks. "),
            (found, wanted) => format!("Line {line} is {}, not {}. ", quote(found), quote(wanted)),
        },
        Misfit::NoSearch | Misfit::NoAnchor | Misfit::LeftOver => String::new(),
    }
}

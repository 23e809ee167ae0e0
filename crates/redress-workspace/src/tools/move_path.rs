//! `move`: a file, directory or link gets another path.

use rmcp::schemars::{self, JsonSchema};
use rustix::{
    fs::{FileType, RenameFlags, fsync, renameat_with},
    io::Errno,
};
use serde::{Deserialize, Serialize};

use super::{Brief, not_placed};
use crate::{
    Workspace,
    error::{Refused, WorkspaceError},
    hold::Hold,
    path::Relative,
    root::{Root, kind},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MovePathArguments {
    /// What is moved, relative to the root.
    from: String,
    /// Its new path, with its name.
    to: String,
    /// Replace a file that is there. A directory is never replaced.
    #[serde(default)]
    overwrite: bool,
    /// Make directories that are missing.
    #[serde(default)]
    create_parents: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MovePathAnswer {
    from: String,
    to: String,
}

impl Brief for MovePathAnswer {
    fn brief(&self) -> String {
        format!("Moved {} to {}", self.from, self.to)
    }
}

pub(crate) fn run(
    workspace: &Workspace,
    ask: &MovePathArguments,
) -> Result<MovePathAnswer, Refused> {
    let root = &workspace.root;
    let from = root.below(&ask.from).map_err(|it| it.at("/from"))?;
    let to = root.below(&ask.to).and_then(|it| it.can_be_made().map(|()| it));
    let to = to.map_err(|it| it.at("/to"))?;
    let old = root.place(&from).map_err(|it| it.at("/from"))?;
    let moved = old.stat().map_err(|it| root.unread(&from, it, false).at("/from"))?;
    if to.is_below(&from) && to != from && kind(&moved) == FileType::Directory {
        let path = to.as_str().to_owned();
        let reason = "it is inside of what would be moved";
        return Err(WorkspaceError::InvalidPath { path, reason }.at("/to"));
    }
    let new = if ask.create_parents { root.place_with_parents(&to) } else { root.place(&to) };
    let places = [old, new.map_err(|it| not_placed(it, "/to"))?];
    let [old, new] = &places;
    let held = Hold::on(root, &places)?;
    if ask.overwrite && new.stat().is_ok_and(|it| kind(&it) == FileType::Directory) {
        let path = to.as_str().to_owned();
        return Err(WorkspaceError::FileAlreadyExists { path }.at("/to"));
    }
    let how = if ask.overwrite { RenameFlags::empty() } else { RenameFlags::NOREPLACE };
    renameat_with(&old.dir, &*old.name, &new.dir, &*new.name, how)
        .map_err(|error| failed(root, (&from, &to), error))?;
    for dir in [&old.dir, &new.dir] {
        fsync(dir).map_err(|error| WorkspaceError::FileWriteFailed {
            path: to.as_str().to_owned(),
            reason: error.to_string(),
        })?;
    }
    drop(held);
    Ok(MovePathAnswer { from: from.as_str().to_owned(), to: to.as_str().to_owned() })
}

fn failed(root: &Root, (from, to): (&Relative, &Relative), error: Errno) -> Refused {
    match error {
        Errno::NOENT => root.unread(from, error, false).at("/from"),
        // Within the root, but on another disk: that is no way out.
        Errno::XDEV => {
            let path = to.as_str().to_owned();
            let reason = "it is on another file system; copy the content, then remove the file";
            WorkspaceError::InvalidPath { path, reason }.at("/to")
        }
        error => WorkspaceError::writing(to.as_str(), error).at("/to"),
    }
}

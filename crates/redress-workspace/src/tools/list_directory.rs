//! `list_directory`: what is in a directory, by name.

use rmcp::schemars::{self, JsonSchema};
use rustix::fs::{AtFlags, Dir, statat};
use serde::{Deserialize, Serialize};

use super::{Brief, PathKind, counted};
use crate::{
    Workspace,
    content::size,
    error::{Refused, WorkspaceError},
    reserved_names::is_ours,
    root::kind,
};

/// How many entries come unless the call says otherwise.
const ENTRIES: usize = 1_000;
/// The most entries of a directory that are looked at.
const MOST_ENTRIES: usize = 100_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListDirectoryArguments {
    /// The directory, relative to the root; the root itself by default.
    #[serde(default = "here")]
    path: String,
    /// The name behind which to begin, from the `next_after` of the answer before.
    after: Option<String>,
    /// How many entries.
    #[schemars(range(min = 1, max = 10000))]
    limit: Option<usize>,
}

fn here() -> String {
    ".".to_owned()
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListDirectoryAnswer {
    path: String,
    /// By name.
    entries: Vec<Entry>,
    /// How many entries the directory has, at most 100000 of them.
    total: usize,
    /// The `after` of the next call; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_after: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Entry {
    name: String,
    kind: PathKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// Set if the name is no UTF-8, so that no call can use it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unusable: bool,
}

impl Brief for ListDirectoryAnswer {
    fn brief(&self) -> String {
        let mut text = format!("{}: {}", self.path, counted(self.total, "entry", "entries"));
        for it in &self.entries {
            let mark = match it.kind {
                PathKind::Directory => "/",
                PathKind::Link => "@",
                PathKind::File | PathKind::Special => "",
            };
            text.extend(["\n", &it.name, mark]);
        }
        if let Some(after) = &self.next_after {
            text.extend(["\n(more: after ", &format!("{after:?}"), ")"]);
        }
        text
    }
}

pub(crate) fn run(
    workspace: &Workspace,
    ask: &ListDirectoryArguments,
) -> Result<ListDirectoryAnswer, Refused> {
    list(workspace, ask).map_err(|error| error.at("/path"))
}

fn list(
    workspace: &Workspace,
    ask: &ListDirectoryArguments,
) -> Result<ListDirectoryAnswer, WorkspaceError> {
    let path = workspace.root.below(&ask.path)?;
    let dir = workspace.root.directory(&path)?;
    let unread = |error| WorkspaceError::reading(path.as_str(), error);
    let mut names = Vec::new();
    for entry in Dir::read_from(&dir).map_err(unread)?.take(MOST_ENTRIES) {
        let name = entry.map_err(unread)?.file_name().to_owned();
        let bytes = name.to_bytes();
        if bytes != b"." && bytes != b".." && !is_ours(bytes) {
            names.push(name);
        }
    }
    names.sort_unstable();
    let total = names.len();
    let limit = ask.limit.unwrap_or(ENTRIES);
    let after = ask.after.as_deref().unwrap_or_default().as_bytes();
    let rest = names.iter().filter(|it| it.to_bytes() > after);
    let mut entries: Vec<Entry> = rest
        .take(limit.saturating_add(1))
        .filter_map(|name| {
            // What is gone meanwhile is not there.
            let stat = statat(&dir, &**name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            let kind = PathKind::from(kind(&stat));
            Some(Entry {
                name: name.to_string_lossy().into_owned(),
                kind,
                size_bytes: (kind == PathKind::File).then(|| size(&stat)),
                unusable: name.to_str().is_err(),
            })
        })
        .collect();
    let has_more = entries.len() > limit;
    entries.truncate(limit);
    let next_after = entries.last().filter(|_| has_more).map(|it| it.name.clone());
    Ok(ListDirectoryAnswer { path: path.as_str().to_owned(), entries, total, next_after })
}

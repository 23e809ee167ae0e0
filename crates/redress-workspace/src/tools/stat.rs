//! `stat`: what a path names, without opening it.

use redress_ledger::Time;
use rmcp::schemars::{self, JsonSchema};
use rustix::fs::{OFlags, Stat, fstat, readlinkat};
use serde::{Deserialize, Serialize};

use super::{Brief, PathKind};
use crate::{
    Workspace,
    content::size,
    error::{Refused, WorkspaceError},
    root::kind,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatArguments {
    /// The path, relative to the root.
    path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatAnswer {
    path: String,
    kind: PathKind,
    size_bytes: u64,
    /// When its content changed last, ISO 8601.
    modified: String,
    /// Its permissions, octal.
    mode: String,
    /// How many names it has; a file with several is replaced under this name only.
    names: u64,
    /// Where a link leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    leads_to: Option<String>,
}

impl Brief for StatAnswer {
    fn brief(&self) -> String {
        let kind = match self.kind {
            PathKind::File => "file",
            PathKind::Directory => "directory",
            PathKind::Link => "symbolic link",
            PathKind::Special => "special file",
        };
        let leads = self.leads_to.as_ref().map(|it| format!(" to {it:?}")).unwrap_or_default();
        let Self { path, size_bytes, modified, mode, .. } = self;
        format!("{path}: {kind}{leads}, {size_bytes} bytes, mode {mode}, modified {modified}")
    }
}

pub(crate) fn run(workspace: &Workspace, ask: &StatArguments) -> Result<StatAnswer, Refused> {
    look(workspace, &ask.path).map_err(|error| error.at("/path"))
}

fn look(workspace: &Workspace, given: &str) -> Result<StatAnswer, WorkspaceError> {
    let root = &workspace.root;
    let path = root.below(given)?;
    let handle = root.open_at(&path, OFlags::PATH | OFlags::NOFOLLOW);
    let handle = handle.map_err(|it| root.unread(&path, it, false))?;
    let stat = fstat(&handle).map_err(|it| WorkspaceError::reading(path.as_str(), it))?;
    let kind = PathKind::from(kind(&stat));
    let leads_to = match kind {
        PathKind::Link => readlinkat(&handle, c"", Vec::new()).ok(),
        _ => None,
    };
    Ok(StatAnswer {
        kind,
        size_bytes: size(&stat),
        modified: modified(&stat),
        mode: format!("{:o}", stat.st_mode & 0o7777),
        names: stat.st_nlink,
        leads_to: leads_to.map(|it| it.to_string_lossy().into_owned()),
        path: path.as_str().to_owned(),
    })
}

fn modified(stat: &Stat) -> String {
    let seconds = u64::try_from(stat.st_mtime).unwrap_or_default();
    let millis = stat.st_mtime_nsec / 1_000_000;
    Time::from_millis(seconds.saturating_mul(1_000).saturating_add(millis)).to_string()
}

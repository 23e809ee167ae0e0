//! `apply_patch`: a unified diff, or pieces of text by others, in several files: all of it, or nothing.

mod told;

use redress::fault::{NextAction, ParamValue};
use rmcp::schemars::{self, JsonSchema};
use rustix::fs::fstat;
use serde::{Deserialize, Serialize};

use super::{Brief, counted};
use crate::{
    Workspace,
    change::{Change, change},
    content::{hash, whole},
    error::{Refused, WorkspaceError},
    hold::Hold,
    patch::{self, Action, FilePatch},
    path::Relative,
    root::{OpenPath, Root},
};

/// How many files one patch may have.
const MOST_FILES: usize = 500;
/// How many replacements one call may have.
const MOST_EDITS: usize = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApplyPatchArguments {
    /// A unified diff, as diff -u or git diff write it. Either this or edits.
    patch: Option<String>,
    /// Pieces of text and what they become, in order. Either this or patch.
    edits: Option<Vec<Edit>>,
    /// Say what would happen, and change nothing.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// The file, relative to the root.
    path: String,
    /// A piece of its text, exactly as it is there, once.
    search: String,
    /// What it becomes.
    replace: String,
    /// Replace every such piece, not only one.
    #[serde(default)]
    all: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ApplyPatchAnswer {
    files: Vec<Patched>,
    dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Patched {
    path: String,
    action: Fate,
    /// The SHA-256 of its new content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Fate {
    Created,
    Changed,
    Deleted,
}

impl Brief for ApplyPatchAnswer {
    fn brief(&self) -> String {
        let what = if self.dry_run { "would be patched" } else { "patched" };
        let mut text = format!("{} {what}", counted(self.files.len(), "file", "files"));
        for it in &self.files {
            let fate = match it.action {
                Fate::Created => "created",
                Fate::Changed => "changed",
                Fate::Deleted => "deleted",
            };
            text.extend(["\n", fate, " ", &it.path]);
        }
        text
    }
}

/// What is to be done to one file.
struct Wanted {
    path: Relative,
    what: PatchInput,
}

enum PatchInput {
    Hunks(FilePatch),
    /// Replacements, each with its place in the call.
    Edits(Vec<(usize, Edit)>),
}

pub(crate) fn run(
    workspace: &Workspace,
    ask: &ApplyPatchArguments,
) -> Result<ApplyPatchAnswer, Refused> {
    let root = &workspace.root;
    let wanted = match (&ask.patch, &ask.edits) {
        (Some(text), None) => hunks(root, text)?,
        (None, Some(edits)) => replacements(root, edits)?,
        (None, None) => {
            let missing = WorkspaceError::MissingRequiredField { field: "/patch" }.at("/patch");
            return Err(missing
                .saying("Neither `patch` nor `edits` was given.")
                .advising("Give a unified diff as `patch`, or pieces of text as `edits`."));
        }
        (Some(_), Some(_)) => {
            let other = WorkspaceError::InvalidInputValue { field: "/edits" }.at("/edits");
            return Err(other
                .saying("Both `patch` and `edits` were given.")
                .advising("Give one of the two, and leave the other out."));
        }
    };
    // First without changing anything, not even making a directory.
    let patched = look(root, &wanted)?;
    if ask.dry_run {
        return Ok(ApplyPatchAnswer { files: patched, dry_run: true });
    }
    Ok(ApplyPatchAnswer { files: apply(root, &wanted)?, dry_run: false })
}

fn hunks(root: &Root, text: &str) -> Result<Vec<Wanted>, Refused> {
    let patch = patch::read(text).map_err(|it| {
        WorkspaceError::PatchInvalid { line: Some(it.line as u64), reason: it.reason }.at("/patch")
    })?;
    few("/patch", patch.files.len(), MOST_FILES)?;
    let files = patch.files.into_iter().map(|file| {
        let path = root.below(&file.path).map_err(|it| it.at("/patch"))?;
        Ok(Wanted { path, what: PatchInput::Hunks(file) })
    });
    files.collect()
}

fn replacements(root: &Root, edits: &[Edit]) -> Result<Vec<Wanted>, Refused> {
    if edits.is_empty() {
        let none = WorkspaceError::InvalidInputValue { field: "/edits" }.at("/edits");
        return Err(none.saying("`edits` has no edit in it.").advising("Give one edit or more."));
    }
    few("/edits", edits.len(), MOST_EDITS)?;
    let mut all: Vec<(Relative, Vec<(usize, Edit)>)> = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        let pointer = format!("/edits/{index}/path");
        let path = root.below(&edit.path).map_err(|it| it.at(&pointer))?;
        let edit = (index, edit.clone());
        match all.iter_mut().find(|it| it.0 == path) {
            Some((_, known)) => known.push(edit),
            None => all.push((path, vec![edit])),
        }
    }
    Ok(all.into_iter().map(|(path, it)| Wanted { path, what: PatchInput::Edits(it) }).collect())
}

fn few(field: &'static str, size: usize, limit: usize) -> Result<(), Refused> {
    if size <= limit {
        return Ok(());
    }
    let (size_bytes, limit_bytes) = (size as u64, limit as u64);
    Err(WorkspaceError::InputTooLarge { field, size_bytes, limit_bytes }.at(field))
}

/// What would come of it.
fn look(root: &Root, wanted: &[Wanted]) -> Result<Vec<Patched>, Refused> {
    let mut patched = Vec::new();
    let mut told = told::Conflicts::default();
    for it in wanted {
        let place = match root.place(&it.path) {
            Ok(place) => Some(place),
            // Directories of a new file are made with it.
            Err(WorkspaceError::PathNotFound { .. }) => None,
            Err(error) => return Err(it.at(error)),
        };
        match it.on(root, place.as_ref()) {
            Ok((_, bytes, fate)) => patched.push(it.patched(bytes.as_deref(), fate)),
            Err(Unfit::Refused(refused)) => return Err(refused),
            Err(Unfit::Conflicts(conflicts)) => told.add(it, conflicts),
        }
    }
    told.none()?;
    Ok(patched)
}

/// Applies all of it, or nothing.
fn apply(root: &Root, wanted: &[Wanted]) -> Result<Vec<Patched>, Refused> {
    let places = wanted.iter().map(|it| match &it.what {
        PatchInput::Hunks(file) if file.action == Action::Create => {
            root.place_with_parents(&it.path)
        }
        _ => root.place(&it.path),
    });
    let places = places.collect::<Result<Vec<OpenPath>, _>>()?;
    apart(&places)?;
    let held = Hold::on(root, &places)?;
    let (mut changes, mut patched) = (Vec::new(), Vec::new());
    let mut told = told::Conflicts::default();
    for (it, place) in wanted.iter().zip(&places) {
        // Another process may have changed it since we looked.
        match it.on(root, Some(place)) {
            Ok((old_mode, bytes, fate)) => {
                patched.push(it.patched(bytes.as_deref(), fate));
                changes.push(Change { place, bytes, old_mode });
            }
            Err(Unfit::Refused(refused)) => return Err(refused),
            Err(Unfit::Conflicts(conflicts)) => told.add(it, conflicts),
        }
    }
    told.none()?;
    change(root, &changes)?;
    drop(held);
    Ok(patched)
}

/// Refuses two paths that lead to the same file: one change would take the other back.
fn apart(places: &[OpenPath]) -> Result<(), Refused> {
    let mut seen = Vec::new();
    for place in places {
        let dir =
            fstat(&place.dir).map_err(|it| WorkspaceError::reading(place.path.as_str(), it))?;
        let same = (dir.st_dev, dir.st_ino, &place.name);
        if seen.contains(&same) {
            let reason = format!("{} stands in it twice, under two paths", place.path.as_str());
            return Err(WorkspaceError::PatchInvalid { line: None, reason }.into());
        }
        seen.push(same);
    }
    Ok(())
}

/// Why a file does not get what is wanted.
enum Unfit {
    Refused(Refused),
    /// Each with its place in the call.
    Conflicts(Vec<(String, patch::Conflict)>),
}

type Fitted = (Option<u32>, Option<Vec<u8>>, Fate);

impl Wanted {
    /// The mode of the file as it is, what it becomes, and what that means for it.
    fn on(&self, root: &Root, place: Option<&OpenPath>) -> Result<Fitted, Unfit> {
        let refused = |error| Unfit::Refused(self.at(error));
        let current = place.map(OpenPath::current).transpose().map_err(refused)?.flatten();
        let old_mode = current.as_ref().map(|it| it.1.st_mode);
        let text = current.map(|it| whole(&self.path, it)).transpose().map_err(refused)?;
        match (&self.what, text) {
            (PatchInput::Hunks(file), None) if file.action == Action::Create => {
                self.path.can_be_made().map_err(refused)?;
                Ok((None, Some(fitted(b"", file)?), Fate::Created))
            }
            (PatchInput::Hunks(file), Some(_)) if file.action == Action::Create => {
                let path = self.path.as_str().to_owned();
                Err(refused(WorkspaceError::FileAlreadyExists { path }))
            }
            (PatchInput::Hunks(file), Some(text)) => {
                let new = fitted(&text, file)?;
                match file.action {
                    Action::Delete => Ok((old_mode, None, Fate::Deleted)),
                    _ => Ok((old_mode, Some(new), Fate::Changed)),
                }
            }
            (PatchInput::Edits(edits), Some(text)) => {
                Ok((old_mode, Some(edited(text, edits)?), Fate::Changed))
            }
            (_, None) => Err(refused(root.unread(&self.path, rustix::io::Errno::NOENT, true))),
        }
    }

    fn patched(&self, bytes: Option<&[u8]>, action: Fate) -> Patched {
        Patched { path: self.path.as_str().to_owned(), action, hash: bytes.map(hash) }
    }

    /// An error at the argument that this comes from.
    fn at(&self, error: WorkspaceError) -> Refused {
        match &self.what {
            PatchInput::Hunks(_) => error.at("/patch"),
            PatchInput::Edits(edits) => {
                let index = edits.first().map_or(0, |it| it.0);
                error.at(&format!("/edits/{index}/path"))
            }
        }
    }

    /// The call that shows the lines around a conflict.
    fn look(&self, line: usize) -> NextAction {
        const AROUND: usize = 10;
        let offset = line.saturating_sub(AROUND).max(1) as u64;
        let args: [(&str, ParamValue); 3] = [
            ("path", self.path.as_str().into()),
            ("offset", offset.into()),
            ("limit", (2 * AROUND as u64).into()),
        ];
        NextAction::call("read_file", args)
    }
}

/// The text after all hunks in it.
fn fitted(text: &[u8], file: &FilePatch) -> Result<Vec<u8>, Unfit> {
    let at = |it: patch::Conflict| ("/patch".to_owned(), it);
    patch::fit(text, file).map_err(|it| Unfit::Conflicts(it.into_iter().map(at).collect()))
}

/// The text after all replacements in it.
fn edited(mut text: Vec<u8>, edits: &[(usize, Edit)]) -> Result<Vec<u8>, Unfit> {
    let mut conflicts = Vec::new();
    for (index, edit) in edits {
        match patch::replace(&text, &edit.search, &edit.replace, edit.all) {
            Ok(new) => text = new,
            Err(mut conflict) => {
                conflict.part = index + 1;
                conflicts.push((format!("/edits/{index}/search"), conflict));
            }
        }
    }
    if conflicts.is_empty() { Ok(text) } else { Err(Unfit::Conflicts(conflicts)) }
}

//! Files: who owns what the gate relies on, who else can write or read it, and whether a governed client could.

use std::{
    collections::BTreeSet,
    fs::{self, Metadata},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use redress_govern::can_confine;
use redress_govern::invariant::{
    INV_FILES_OWN, INV_KEY_PRIVATE, INV_WORKSPACE, INV_WORKSPACE_APART,
};
use rustix::{
    fs::{Access, access},
    process::{getegid, geteuid},
};

use super::{AuditProblem, Checks, Subject};
use crate::{config::General, place};

/// The most entries of the ledger that are looked at.
const MOST_ENTRIES: usize = 20_000;

const OTHERS_WRITE: u32 = 0o002;
const GROUP_WRITES: u32 = 0o020;
const NOT_THE_OWNER: u32 = 0o077;
/// Only the owner of something in such a directory can remove or replace it.
const STICKY: u32 = 0o1000;

pub(super) fn check(subject: &Subject<'_>, checks: &mut Checks) {
    let keys = [place::key(), place::plans_key()].into_iter().flatten().filter(|it| it.exists());
    let kept = kept(&subject.config.general, subject.ledger);
    for path in &kept {
        checks.add(&INV_FILES_OWN, is_own(path));
    }
    checks.add(&INV_FILES_OWN, holds_own(subject.ledger));
    for key in keys {
        checks.add(&INV_KEY_PRIVATE, is_private(&key));
    }
    // All that a call of the built-in server touches is judged, and what the gate relies on is guarded there; not from preflights.
    let is_built_in = subject.config.servers.iter().all(|it| it.workspace.is_some());
    let is_judged = is_built_in && subject.config.general.governance.preflight.0.is_empty();
    let guarded = |it| if is_judged { Ok(()) } else { Err(it) };
    for root in roots(subject) {
        checks.add(&INV_WORKSPACE, is_workspace(&root));
        let plans = root.join(&subject.config.general.governance.plans);
        if plans.exists() {
            checks.add(&INV_FILES_OWN, is_own(&plans));
        }
        for path in &kept {
            checks.add(&INV_WORKSPACE_APART, is_apart(path, &root).or_else(guarded));
        }
    }
    for more in &subject.config.general.governance.writable {
        for path in &kept {
            checks.add(&INV_WORKSPACE_APART, is_apart(path, &more.0));
        }
    }
}

/// What the gate relies on: the files of the configuration, the ledger, the key and what lies beside it, if they are there.
pub(crate) fn kept(general: &General, ledger: &Path) -> BTreeSet<PathBuf> {
    let mut kept: BTreeSet<PathBuf> =
        general.governance.files.iter().filter(|it| it.exists()).cloned().collect();
    // A missing file could not be made, which is reported already.
    let of_user = [place::key(), place::plans_key(), place::revoked()].into_iter().flatten();
    kept.extend(of_user.chain([ledger.to_owned()]).filter(|it| it.exists()));
    kept
}

/// The workspaces that are known now.
fn roots(subject: &Subject<'_>) -> BTreeSet<PathBuf> {
    let servers = subject.config.servers.iter();
    let given = servers
        .filter_map(|it| it.workspace.as_ref())
        .chain(&subject.config.general.governance.root);
    given.map(|it| it.0.clone()).collect()
}

fn is_own(path: &Path) -> Result<(), AuditProblem> {
    let (real, meta) = look(path)?;
    is_only_ours(&real, &meta)?;
    for folder in real.ancestors().skip(1) {
        let mode = look(folder)?.1.mode();
        if mode & OTHERS_WRITE != 0 && mode & STICKY == 0 {
            let folder = folder.display();
            let what = format!("everybody can replace it, who can write in {folder}");
            return Err(wrong(&real, what, format!("chmod o-w {folder}")));
        }
    }
    Ok(())
}

pub(super) fn is_private(key: &Path) -> Result<(), AuditProblem> {
    let (real, meta) = look(key)?;
    let mode = meta.mode() & 0o7777;
    if mode & NOT_THE_OWNER != 0 {
        let what = format!("others can read it (mode {mode:04o})");
        return Err(wrong(&real, what, format!("chmod 600 {}", real.display())));
    }
    Ok(())
}

fn is_workspace(root: &Path) -> Result<(), AuditProblem> {
    let (real, meta) = look(root)?;
    if let Err(error) = can_confine(&real) {
        let what = format!("the system cannot confine paths there: {error}");
        return Err(wrong(&real, what, "Name an existing directory as the root.".to_owned()));
    }
    if meta.mode() & OTHERS_WRITE != 0 {
        let what = format!("everybody can write there (mode {:04o})", meta.mode() & 0o7777);
        return Err(wrong(&real, what, format!("chmod o-w {}", real.display())));
    }
    Ok(())
}

/// Whether the chains and segments of the ledger are this user's, too, as far as so many entries tell.
fn holds_own(ledger: &Path) -> Result<(), AuditProblem> {
    let mut folders = vec![ledger.to_owned()];
    let mut left = MOST_ENTRIES;
    while let Some(folder) = folders.pop() {
        // What cannot be read is reported by the check of the chains.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten().take(left) {
            left -= 1;
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_symlink() {
                continue;
            }
            is_only_ours(&entry.path(), &meta)?;
            if meta.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(())
}

fn is_only_ours(real: &Path, meta: &Metadata) -> Result<(), AuditProblem> {
    let me = geteuid().as_raw();
    if meta.uid() != me && meta.uid() != 0 {
        let what = format!("it belongs to user {}, not to this one ({me})", meta.uid());
        return Err(wrong(real, what, format!("chown {me} {}", real.display())));
    }
    let mode = meta.mode();
    if mode & OTHERS_WRITE != 0 || mode & GROUP_WRITES != 0 && !is_own_group(meta) {
        let what = format!("others can write it (mode {:04o})", mode & 0o7777);
        return Err(wrong(real, what, format!("chmod go-w {}", real.display())));
    }
    Ok(())
}

/// What lies in the workspace is safe only if this user cannot write it, since the server can do what this user can.
fn is_apart(path: &Path, root: &Path) -> Result<(), AuditProblem> {
    // What cannot be looked at is reported by the other checks.
    let (Ok((path, _)), Ok((root, _))) = (look(path), look(root)) else { return Ok(()) };
    if !path.starts_with(&root) {
        return Ok(());
    }
    let up_to_root = path.ancestors().take_while(|it| it.starts_with(&root));
    if up_to_root.into_iter().all(|it| access(it, Access::WRITE_OK).is_err()) {
        return Ok(());
    }
    let what = format!(
        "it lies in the workspace {}, where a governed client can write it",
        root.display()
    );
    let fix = "Move it out of there, or serve a directory beside it.".to_owned();
    Err(wrong(&path, what, fix))
}

/// Most systems give each user a group of the same number, without other members.
fn is_own_group(meta: &Metadata) -> bool {
    meta.gid() == getegid().as_raw() && meta.gid() == geteuid().as_raw()
}

/// What a path leads to in the end.
fn look(path: &Path) -> Result<(PathBuf, Metadata), AuditProblem> {
    let found = fs::canonicalize(path).and_then(|it| Ok((fs::metadata(&it)?, it)));
    let (meta, real) = found.map_err(|error| {
        wrong(
            path,
            format!("it cannot be looked at: {error}"),
            "Give a path that exists.".to_owned(),
        )
    })?;
    Ok((real, meta))
}

fn wrong(path: &Path, what: String, fix: String) -> AuditProblem {
    AuditProblem { place: path.display().to_string(), what, fix }
}

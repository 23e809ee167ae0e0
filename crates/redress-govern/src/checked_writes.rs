//! Checked writes: rules about the content of a change, before the server hears of it and again when it was made, and commands that must
//! succeed with it. A change that fails a check is put back.

mod backup;
mod faults;
mod job;
mod preflight;
mod queue;
mod restore;
mod snapshot;

use std::{fs::File, io::Read as _, sync::Arc, time::Instant};

use redress::Fault;
use rustix::fs::{Mode, OFlags, openat};

pub(crate) use self::backup::About;
use self::{
    backup::Backup,
    snapshot::{FileEntry, Snapshot, SnapshotError, name, open_parent},
};
pub use self::{
    job::{CheckedWrite, Job, OnReport, PutBack, WriteReport},
    preflight::{Descendants, Launched, Launcher, Preflight},
    queue::Writes,
};
use crate::{
    access::FileAccess,
    root::{FilePlace, Root},
    writes::{Rule, WriteRequest, judge, judge_content},
};

/// Longer content is judged when it is written: no other call waits then.
const MOST_AT_ONCE: usize = 256 << 10;

/// The most of a file that is judged; what is longer must not be written where rules look at it.
const MOST_JUDGED: u64 = 16 << 20;

/// What is asked of writes.
#[derive(Debug, Default)]
pub struct Checks {
    /// The rules about what is written.
    pub rules: Vec<Rule>,
    /// The commands that must succeed afterwards.
    pub preflights: Vec<Preflight>,
}

impl Checks {
    /// Whether a write may go on, by what is known of it; and how it is checked when it was made, if it is.
    fn before(
        &self,
        access: &FileAccess<'_>,
        intent: Option<&str>,
        root: &Arc<Root>,
        about: impl FnOnce() -> About,
    ) -> Result<Option<Box<CheckedWrite>>, Box<Fault>> {
        let Self { rules, preflights } = self;
        if rules.is_empty() && preflights.is_empty() {
            return Ok(None);
        }
        let mut paths: Vec<String> = Vec::new();
        for (path, content) in access.changes() {
            let content = content.filter(|it| it.len() <= MOST_AT_ONCE);
            for FilePlace { path, .. } in root.places(&[path])? {
                judge(rules, WriteRequest { path: &path, content, intent })?;
                paths.push(path);
            }
        }
        paths.sort_unstable();
        paths.dedup();
        let is_checked = !preflights.is_empty() || rules.iter().any(Rule::reads);
        if paths.is_empty() || !is_checked {
            return Ok(None);
        }
        let job = Arc::new(Job::new(about(), Arc::clone(root), paths));
        Ok(Some(Box::new(CheckedWrite { job, put_back: None })))
    }

    /// Whether what a write made may stay, and what it made.
    fn after(
        &self,
        job: &Job,
        backup: &Backup,
        until: Instant,
        launcher: &dyn Launcher,
    ) -> (Result<(), Box<Fault>>, Result<Snapshot, SnapshotError>) {
        let after = backup.now();
        let Ok(found) = &after else { return (Err(faults::unseen()), after) };
        let checked = self.check_files(job, backup, found, (until, launcher));
        (checked, after)
    }

    fn check_files(
        &self,
        job: &Job,
        backup: &Backup,
        after: &Snapshot,
        (until, launcher): (Instant, &dyn Launcher),
    ) -> Result<(), Box<Fault>> {
        let changed = backup.before.differs(after);
        if changed.is_empty() {
            return Ok(());
        }
        backup.note(after).map_err(|it| faults::unwritten(&it))?;
        for path in &changed {
            if let Some(FileEntry::File { .. }) = after.0.get(*path) {
                self.judge_file(&backup.root, path)?;
            }
        }
        for check in &self.preflights {
            if job.is_wanted() && changed.iter().any(|it| check.is_about(it)) {
                let place = (backup.root.path(), launcher);
                let ended = check.run(place, until, || job.is_wanted());
                faults::unchecked_by(check, &ended, &job.about).map_or(Ok(()), Err)?;
            }
        }
        Ok(())
    }

    fn judge_file(&self, root: &Root, path: &str) -> Result<(), Box<Fault>> {
        if !self.rules.iter().any(|it| it.reads_at(path)) {
            return Ok(());
        }
        let content = read(root, path).ok_or_else(faults::unseen)?;
        // Content that is no text is judged as far as it is.
        judge_content(&self.rules, path, &String::from_utf8_lossy(&content))?;
        utf16(&content).map_or(Ok(()), |it| judge_content(&self.rules, path, &it))
    }
}

/// A text whose first bytes say that it is written in UTF-16.
fn utf16(content: &[u8]) -> Option<String> {
    let (first, bytes) = content.split_first_chunk()?;
    let unit = match first {
        [0xff, 0xfe] => u16::from_le_bytes,
        [0xfe, 0xff] => u16::from_be_bytes,
        _ => return None,
    };
    let (units, _) = bytes.as_chunks();
    let chars = char::decode_utf16(units.iter().map(|it| unit(*it)));
    Some(chars.map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

/// All bytes of a file, unless it is too long.
fn read(root: &Root, path: &str) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let dir = open_parent(root, path).ok()?;
    let file = File::from(openat(&dir, name(path), flags, Mode::empty()).ok()?);
    let mut bytes = Vec::new();
    file.take(MOST_JUDGED + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST_JUDGED).then_some(bytes)
}

#[cfg(test)]
mod tests;

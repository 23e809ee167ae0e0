//! What is asked of a write: rules about what it says, before the server hears of it and again when it was made, and commands that must succeed
//! with it. What breaks them is put back.

mod faults;
mod job;
mod kept;
mod preflight;
mod restore;
mod state;
mod turns;

use std::{fs::File, io::Read as _, sync::Arc, time::Instant};

use redress::{Fault, codes, json::Value};
use redress_govern::writes::{Change, Rule, judge, judge_content};
use rustix::fs::{Mode, OFlags, openat};

pub use self::preflight::Preflight;
pub(crate) use self::{
    job::{Answer, Job, Report, Writing},
    turns::Writes,
};
use self::{
    kept::{About, Kept},
    state::{State, Thing, Unseen, name, open_parent},
};
use super::{Call, Governor, places::Place, root::Root, touched::Touched};
use crate::confine::Confinement;

/// Longer content is judged when it is written: nobody else waits then.
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

impl Governor {
    /// Whether commands must succeed after writes.
    pub fn has_preflights(&self) -> bool {
        !self.writes.checks.preflights.is_empty()
    }

    /// From now on the system confines those commands: beside the workspace of the write they may do what is said here.
    pub fn confine_preflights(&self, confinement: Confinement) {
        self.writes.confine(confinement);
    }

    /// Whether a call may write, and how that is checked.
    pub(super) fn write(
        &self,
        call: &Call<'_>,
        touched: &Touched<'_>,
        root: &Arc<Root>,
        session: &str,
    ) -> Result<Option<Box<Writing>>, Box<Fault>> {
        let intent = call.arguments.and_then(|it| it.get("intent")).and_then(Value::as_str);
        let about = || About {
            server: self.policy.server.clone(),
            session_id: session.to_owned(),
            tool: call.name.to_owned(),
            is_built_in: self.policy.is_built_in,
        };
        let writing = self.writes.before(touched, intent.as_deref(), root, about)?;
        if writing.is_some() && call.is_task {
            // What is written after the answer would be checked before it is there.
            let params = [("operation", "a task that writes")];
            return Err(Box::new(codes::UNSUPPORTED.raise(params)));
        }
        Ok(writing)
    }
}

impl Writes {
    /// Whether a write may go on, by what is known of it; and how it is checked when it was made, if it is.
    fn before(
        &self,
        touched: &Touched<'_>,
        intent: Option<&str>,
        root: &Arc<Root>,
        about: impl FnOnce() -> About,
    ) -> Result<Option<Box<Writing>>, Box<Fault>> {
        let Checks { rules, preflights } = &self.checks;
        if rules.is_empty() && preflights.is_empty() {
            return Ok(None);
        }
        let mut paths: Vec<String> = Vec::new();
        for (path, content) in touched.changes() {
            let content = content.filter(|it| it.len() <= MOST_AT_ONCE);
            for Place { path, .. } in root.places(&[path])? {
                judge(rules, Change { path: &path, content, intent })?;
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
        Ok(Some(Box::new(Writing { job, answer: None, put_back: None })))
    }

    /// Whether what a write made may stay, and what it made.
    fn check(
        &self,
        job: &Job,
        kept: &Kept,
        until: Instant,
    ) -> (Result<(), Box<Fault>>, Result<State, Unseen>) {
        let after = kept.now();
        let Ok(seen) = &after else { return (Err(faults::unseen()), after) };
        let checked = self.check_files(job, kept, seen, until);
        (checked, after)
    }

    fn check_files(
        &self,
        job: &Job,
        kept: &Kept,
        after: &State,
        until: Instant,
    ) -> Result<(), Box<Fault>> {
        let changed = kept.before.differs(after);
        if changed.is_empty() {
            return Ok(());
        }
        kept.note(after).map_err(|it| faults::unwritten(&it))?;
        for path in &changed {
            if let Some(Thing::File { .. }) = after.0.get(*path) {
                self.judge_file(&kept.root, path)?;
            }
        }
        let place = (kept.root.path(), self.confinement.get());
        for check in &self.checks.preflights {
            if job.is_wanted() && changed.iter().any(|it| check.is_about(it)) {
                let ended = check.run(place, until, || job.is_wanted());
                faults::unchecked_by(check, &ended, &job.about).map_or(Ok(()), Err)?;
            }
        }
        Ok(())
    }

    fn judge_file(&self, root: &Root, path: &str) -> Result<(), Box<Fault>> {
        let rules = &self.checks.rules;
        if !rules.iter().any(|it| it.reads_at(path)) {
            return Ok(());
        }
        let content = read(root, path).ok_or_else(faults::unseen)?;
        // What is no text is judged as far as it is.
        judge_content(rules, path, &String::from_utf8_lossy(&content))?;
        utf16(&content).map_or(Ok(()), |it| judge_content(rules, path, &it))
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

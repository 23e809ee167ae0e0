//! The failures of writes that were not made, or did not stay.

use std::{io, path::Path};

use redress::{Fault, card, codes, fault::Cause, redact, text, text::tokens::MAX_CARD_CHARS};
use redress_registry::{Effect, Retry, RetryKind};
use redress_wire::json::{Members, RawJson, write_str};

use super::{
    backup::{About, BackupError, MOST_BYTES},
    job::PutBack,
    preflight::{CommandEnd, Preflight},
};

/// How many lines of what a check said last are told, what is between them, and what is told of them at least.
const SAID_LINES: usize = 4;
const LINE_END: &str = " ⏎ ";
const LEAST_SAID: usize = 60;
/// How many paths are named, and how much of each.
const MOST_NAMED: usize = 3;
const NAME_CHARS: usize = 60;

/// How a message ends that says what became of a change.
const UNDONE: &str = ", so the change was undone.";
/// What is to be done about a server that may have changed more than its call names.
const ELSEWHERE: &str =
    "What the call names is as it was; see whether the server has changed something else.";

/// How much longer a card gets by that, with what its other lines say then.
const ELSEWHERE_CHARS: usize = ELSEWHERE.len() + 30;

/// What was before cannot be kept.
pub(super) fn not_kept(why: BackupError) -> Box<Fault> {
    match why {
        BackupError::TooMuch => {
            let limit = i64::try_from(MOST_BYTES).unwrap_or(i64::MAX);
            let params: [(_, redress::fault::ParamValue); 2] = [
                ("limit_name", "bytes that one write may put at stake".into()),
                ("limit", limit.into()),
            ];
            let mut fault = codes::LIMIT_EXCEEDED.raise(params);
            "The write touches more than the gate could put back.".clone_into(&mut fault.message);
            "Write fewer or smaller files at once, or name them instead of their folder."
                .clone_into(&mut fault.hint);
            fault.retry = Retry::of(RetryKind::AfterChange);
            Box::new(fault)
        }
        BackupError::At(path, reason) => {
            let params = [("path", path.as_str()), ("reason", reason.as_str())];
            let mut fault = codes::INVALID_PATH.raise(params);
            fault.because(&reason);
            "Choose another file: the gate could not put this one back."
                .clone_into(&mut fault.hint);
            Box::new(fault)
        }
        BackupError::Unwritten(error) => unwritten(&error),
    }
}

/// The gate's own files cannot be written.
pub(super) fn unwritten(error: &io::Error) -> Box<Fault> {
    let mut fault = codes::INTERNAL_ERROR.raise([] as [(&str, &str); 0]);
    "The gate could not keep what was there before, so the write was not made."
        .clone_into(&mut fault.message);
    "Tell the operator: the folder of the ledger cannot be written.".clone_into(&mut fault.hint);
    fault.retry = Retry::of(RetryKind::AfterHuman);
    fault.private.push_cause(Cause::Text(error.to_string()));
    fault.effect = Effect::None;
    Box::new(fault)
}

/// A check did not succeed; `None` if it did, or is not wanted any more.
pub(super) fn unchecked_by(
    check: &Preflight,
    ended: &CommandEnd,
    about: &About,
) -> Option<Box<Fault>> {
    let name = check.name.as_str();
    let (how, said) = match ended {
        CommandEnd::Well | CommandEnd::Unwanted => return None,
        CommandEnd::Badly { how, said } => (format!("failed with {how}"), said.clone()),
        CommandEnd::Late { said } => ("did not end in time".to_owned(), said.clone()),
        CommandEnd::NotStarted(error) => ("could not be started".to_owned(), error.to_string()),
    };
    let mut fault = codes::PREFLIGHT_FAILED.raise([("check", name), ("reason", how.as_str())]);
    fault.message = format!("The check {name} {how}{UNDONE}");
    let (hint, retry) = match ended {
        CommandEnd::NotStarted(_) => (
            format!(
                "Tell the operator to correct the command of the check {name}: without it no change passes."
            ),
            RetryKind::AfterHuman,
        ),
        CommandEnd::Late { .. } => (
            format!(
                "Tell the operator to give the check {name} more time (`timeout_ms`), unless the change keeps it busy."
            ),
            RetryKind::AfterHuman,
        ),
        _ => (
            format!("Correct the change until the check {name} passes with it."),
            RetryKind::AfterChange,
        ),
    };
    fault.hint = hint;
    fault.retry = Retry::of(retry);
    let later = if about.is_built_in { 0 } else { ELSEWHERE_CHARS };
    fault.server_text = last_lines(&said, &format!("{name}: "), room(&fault, later));
    if !said.is_empty() {
        fault.private.push_cause(Cause::Text(said));
    }
    Some(Box::new(fault))
}

/// How much more fits into the card, with so much for what is added later.
fn room(fault: &Fault, later: usize) -> usize {
    const AROUND: usize = "\nServer said: \"\"".len();
    let used = card(fault).chars().count() + later + AROUND;
    MAX_CARD_CHARS.saturating_sub(used).max(LEAST_SAID)
}

/// The last lines of what a check said, behind its name: the end is what matters, so that what is too long loses its start.
fn last_lines(said: &str, name: &str, room: usize) -> Option<String> {
    let said = redact::clean(said);
    let lines = said.lines().map(text::strip).filter(|it| !it.is_empty());
    let mut last: Vec<String> = lines.rev().take(SAID_LINES).collect();
    last.reverse();
    let all = last.join(LINE_END);
    // In quotes, these take two characters each.
    let escaped = all.chars().filter(|it| matches!(it, '"' | '\\')).count();
    let room = room.saturating_sub(name.chars().count() + escaped);
    let over = all.chars().count().saturating_sub(room);
    let end = match over {
        0 => all,
        _ => format!("…{}", all.chars().skip(over + 1).collect::<String>()),
    };
    (!end.is_empty()).then(|| format!("{name}{end}"))
}

/// After the write there was more than can be looked at.
pub(super) fn unseen() -> Box<Fault> {
    let mut fault = codes::PREFLIGHT_FAILED.raise([("reason", "the files cannot be looked at")]);
    "What the write left there could not be checked.".clone_into(&mut fault.message);
    Box::new(fault)
}

/// A write whose answer was not read.
pub(super) fn unheard() -> Box<Fault> {
    let mut fault = codes::PREFLIGHT_FAILED.raise([("reason", "nobody waited for it any more")]);
    "The write was undone, because it failed or nobody waited for it any more."
        .clone_into(&mut fault.message);
    Box::new(fault)
}

impl PutBack {
    /// A failure with what became of the files, and so of all that the call may have done.
    pub fn tell(&self, mut fault: Box<Fault>) -> Box<Fault> {
        match self {
            Self { left, .. } if !left.is_empty() => return self.tell_left(fault),
            Self { is_built_in: true, .. } => fault.nothing_changed(),
            // What it says of itself is no worse than what was seen.
            Self { was_changed: false, .. } => (),
            // A server that may have changed more than its call names.
            Self { .. } => {
                fault.effect = Effect::Unknown;
                if let Some(message) = fault.message.strip_suffix(UNDONE) {
                    fault.message = format!("{message}, so the files of the call were put back.");
                }
                fault.hint = format!("{} {ELSEWHERE}", fault.hint);
            }
        }
        fault
    }

    fn tell_left(&self, mut fault: Box<Fault>) -> Box<Fault> {
        fault.effect = Effect::Partial;
        let message = fault.message.strip_suffix(UNDONE).or(fault.message.strip_suffix('.'));
        fault.message =
            format!("{}, and not every file is as it was.", message.unwrap_or(&fault.message));
        let names: Vec<&str> = self.left.iter().map(|it| it.path.as_str()).collect();
        let why = self.left.first().map_or("", |it| &it.why);
        fault.hint = format!("Look at {} first: {why}.", named(&names));
        not_restored(&mut fault, &names);
        fault
    }
}

fn not_restored(fault: &mut Fault, names: &[&str]) {
    let mut details = String::new();
    let mut members = Members::open(&mut details);
    if let Some(own) = &fault.details {
        own.with(|own| {
            for (key, value) in own.members() {
                members.raw(&key.as_str().unwrap_or_default(), value.raw());
            }
        });
    }
    list(members.key("not_restored"), names);
    members.close();
    fault.details = RawJson::parse(details.as_bytes()).ok().or(fault.details.take());
}

/// A write that a gate which was killed had not checked, and which was put back.
pub(super) fn unchecked(about: &About, root: &Path) -> Fault {
    let mut fault =
        codes::PREFLIGHT_FAILED.raise([("reason", "the gate was killed before it was checked")]);
    "The gate was killed before a change was checked, so the change was undone."
        .clone_into(&mut fault.message);
    "Make the change again if it is still wanted.".clone_into(&mut fault.hint);
    fault.context.server = Some(about.server.clone());
    fault.context.session_id = Some(about.session_id.clone());
    fault.context.tool = Some(about.tool.clone());
    fault.context.workspace_root = Some(root.to_string_lossy().into_owned());
    fault
}

/// The same of a write that may or may not have been made.
pub(super) fn unknown(mut fault: Fault, paths: &[String]) -> Fault {
    let names: Vec<&str> = paths.iter().map(String::as_str).collect();
    "The gate was killed while a change was made that nobody has checked."
        .clone_into(&mut fault.message);
    fault.hint =
        format!("Look at {} and check it by hand; the gate left it as it is.", named(&names));
    fault.effect = Effect::Unknown;
    fault
}

/// The record of a write that was put back without an answer.
pub(super) fn undone(about: &About) -> String {
    let mut object = String::new();
    let mut members = Members::open(&mut object);
    members.str("event", "undone").str("server", &about.server);
    members.str("session_id", &about.session_id).str("tool", &about.tool);
    members.close();
    object
}

/// Some paths, quoted.
fn named(paths: &[&str]) -> String {
    let shown = paths.iter().take(MOST_NAMED).map(|it| text::quote(it, NAME_CHARS));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn list(out: &mut String, texts: &[&str]) {
    out.push('[');
    for (at, text) in texts.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        write_str(out, text);
    }
    out.push(']');
}

//! Failure reports that are written as files: what of a call is one, and what is recorded of it.

use std::collections::BTreeSet;

use redress::{
    json::{Kind, Members, Value},
    text::cut,
};
use redress_govern::session::{Event, Place};

use super::{Call, Governed, Governor, manifest::Doing, touched::found};

/// The most characters of a report that a record keeps.
const MOST_CHARS: usize = 4_000;

/// Starts of the lines in patches that take a file away.
const TAKEN_AWAY: &[&str] =
    &["+++ /dev/null", "rename from ", "*** Delete File: ", "*** Move to: "];

/// How a failure was reported.
#[derive(Debug, Clone, Copy)]
pub(super) enum Told<'t> {
    /// With the gate's own tool, in these words.
    Tool(&'t str),
    /// As a file.
    File(&'t str),
}

/// A report that a call would write, which counts if the call succeeds.
#[derive(Debug, Clone)]
pub(super) struct Written {
    /// The record that it names.
    pub(super) place: Place,
    pub(super) path: String,
}

impl Governor {
    /// The texts of a call, without its paths and without what is for the gate. A patch counts with the lines that it adds, and not at all if it takes files away.
    pub(super) fn report_text(&self, call: &Call<'_>, doing: &Doing) -> String {
        let mut texts =
            Texts { paths: BTreeSet::new(), patches: BTreeSet::new(), all: String::new() };
        for pointer in &doing.paths {
            texts.paths.extend(offsets(call, pointer));
        }
        if let Some(pointer) = &doing.patch {
            texts.patches.extend(offsets(call, pointer));
        }
        let is_ours = |name: &str| {
            self.policy.extras.iter().any(|it| it.is_of(call.name) && it.name() == name)
        };
        for (name, value) in call.arguments.into_iter().flat_map(Value::members) {
            if !name.as_str().is_some_and(|it| is_ours(&it)) && !texts.take(value) {
                return String::new();
            }
        }
        texts.all
    }

    /// A governed request succeeded. Gives what is to be recorded, if that changes the session.
    pub(crate) fn succeeded(&self, governed: &Governed) -> Option<String> {
        let (session, report) = (governed.session.as_ref()?, governed.report.as_ref()?);
        let place = report.place.clone();
        self.lock().sessions.fold(Event::Reported { id: &session.id, place });
        Some(self.reported(&session.id, &report.place, Told::File(&report.path)))
    }

    /// The record of a report.
    pub(super) fn reported(&self, id: &str, place: &Place, told: Told<'_>) -> String {
        let mut object = String::new();
        let mut members = Members::open(&mut object);
        members.str("event", "reported").str("server", &self.policy.server);
        members.str("session_id", id).int("fault_seq", place.seq);
        members.str("fault_chain", &place.chain);
        match told {
            Told::Tool(report) => {
                members.str("by", "tool").str("report", &cut(report, MOST_CHARS));
            }
            Told::File(path) => {
                members.str("by", "file").str("path", path);
            }
        }
        members.close();
        object
    }
}

/// Where the values of a pointer stand.
fn offsets<'c>(call: &Call<'c>, pointer: &str) -> impl Iterator<Item = usize> + use<'c> {
    found(call.arguments, pointer).into_iter().flatten().map(Value::offset)
}

struct Texts {
    paths: BTreeSet<usize>,
    patches: BTreeSet<usize>,
    all: String,
}

impl Texts {
    /// Takes in what stands in a value; says whether it may be part of a report.
    fn take(&mut self, value: Value<'_>) -> bool {
        if self.paths.contains(&value.offset()) {
            return true;
        }
        match value.kind() {
            Kind::String => {
                let text = value.as_str().unwrap_or_default();
                if !self.patches.contains(&value.offset()) {
                    self.add(&text);
                    return true;
                }
                let added = |it: &&str| it.starts_with('+') && !it.starts_with("+++ ");
                for line in text.lines().filter(added) {
                    self.add(line.trim_start_matches('+'));
                }
                !text.lines().any(|line| TAKEN_AWAY.iter().any(|it| line.starts_with(it)))
            }
            Kind::Array => value.elements().all(|it| self.take(it)),
            Kind::Object => value.members().all(|(_, it)| self.take(it)),
            _ => true,
        }
    }

    fn add(&mut self, text: &str) {
        self.all.push_str(text);
        self.all.push('\n');
    }
}

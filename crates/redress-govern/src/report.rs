//! Failure reports: the text of a call that counts as one, and the record of a report.

use std::collections::BTreeSet;

use redress::text::cut;
use redress_wire::json::{Kind, Members, Value};

use crate::{
    access::found, call::Call, gate_argument::GateArgument, manifest::ToolPolicy,
    session::RecordRef,
};

/// The most characters of a report that a record keeps.
const MOST_CHARS: usize = 4_000;

/// Starts of the lines in patches that take a file away.
const TAKEN_AWAY: &[&str] =
    &["+++ /dev/null", "rename from ", "*** Delete File: ", "*** Move to: "];

/// How a failure was reported.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReportedBy<'t> {
    /// With the gate's own tool, in these words.
    Tool(&'t str),
    /// As a file at this path.
    File(&'t str),
}

/// The texts of a call, without its paths and without the arguments of the gate. A patch counts with the lines that it adds, and not at all if it
/// takes files away.
pub(crate) fn text(extras: &[GateArgument], call: &Call<'_>, tool: &ToolPolicy) -> String {
    let mut texts = Texts { paths: BTreeSet::new(), patches: BTreeSet::new(), all: String::new() };
    for pointer in &tool.paths {
        texts.paths.extend(offsets(call, pointer));
    }
    if let Some(pointer) = &tool.patch {
        texts.patches.extend(offsets(call, pointer));
    }
    let is_ours = |name: &str| extras.iter().any(|it| it.is_of(call.name) && it.name() == name);
    for (name, value) in call.arguments.into_iter().flat_map(Value::members) {
        if !name.as_str().is_some_and(|it| is_ours(&it)) && !texts.take(value) {
            return String::new();
        }
    }
    texts.all
}

/// The record of a report.
pub(crate) fn record(server: &str, id: &str, place: &RecordRef, by: ReportedBy<'_>) -> String {
    let mut object = String::new();
    let mut members = Members::open(&mut object);
    members.str("event", "reported").str("server", server);
    members.str("session_id", id).int("fault_seq", place.seq);
    members.str("fault_chain", &place.chain);
    match by {
        ReportedBy::Tool(report) => {
            members.str("by", "tool").str("report", &cut(report, MOST_CHARS));
        }
        ReportedBy::File(path) => {
            members.str("by", "file").str("path", path);
        }
    }
    members.close();
    object
}

/// The places of the values that a pointer leads to.
fn offsets<'c>(call: &Call<'c>, pointer: &str) -> impl Iterator<Item = usize> + use<'c> {
    found(call.arguments, pointer).into_iter().flatten().map(Value::offset)
}

struct Texts {
    paths: BTreeSet<usize>,
    patches: BTreeSet<usize>,
    all: String,
}

impl Texts {
    /// Takes in the texts of a value; returns whether it may be part of a report.
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

//! The parts of a fault: who failed, where, what to do next, what was meant, what was wrong.

use std::borrow::Cow;

use super::ParamValue;
use redress_wire::json::{Kind, Members, RawJson, Value, write_str};

/// Who failed. The gate never puts words in a server's mouth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The tool did its work and failed.
    Tool,
    /// The server around the tool.
    Server,
    /// The gate before the server.
    Gate,
    /// The caller's own side.
    Client,
}

impl Origin {
    /// Every origin.
    pub const ALL: [Self; 4] = [Self::Tool, Self::Server, Self::Gate, Self::Client];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Server => "server",
            Self::Gate => "gate",
            Self::Client => "client",
        }
    }

    /// The origin of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// The kind of evidence by which a failure is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// The server stated it, by an envelope or by a code of its contract.
    Stated,
    /// A `[[match]]` row recognised it.
    Taught,
    /// A fact of the protocol: an exit, a deadline, a status, a refusal of the gate.
    Protocol,
    /// A form or words of the answer.
    Inferred,
}

impl Basis {
    /// Every basis, strongest first.
    pub const ALL: [Self; 4] = [Self::Stated, Self::Taught, Self::Protocol, Self::Inferred];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Taught => "taught",
            Self::Protocol => "protocol",
            Self::Inferred => "inferred",
        }
    }

    /// The basis of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// Where a failure happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// The server's name in the configuration.
    pub server: Option<String>,
    /// The tool that was called.
    pub tool: Option<String>,
    /// The id of the request.
    pub request_id: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// The role of the caller.
    pub role: Option<String>,
    /// The directory the session works in.
    pub workspace_root: Option<String>,
    /// The phase of the plan.
    pub phase_id: Option<String>,
    /// The plan.
    pub plan_hash: Option<String>,
    /// The invariant that broke.
    pub invariant_id: Option<String>,
    /// The trace.
    pub trace_id: Option<String>,
}

impl Context {
    /// The members' names, in wire order.
    pub const NAMES: [&str; 10] = [
        "server",
        "tool",
        "request_id",
        "session_id",
        "role",
        "workspace_root",
        "phase_id",
        "plan_hash",
        "invariant_id",
        "trace_id",
    ];

    /// The members in the order of [`Self::NAMES`].
    pub fn members(&self) -> [&Option<String>; 10] {
        [
            &self.server,
            &self.tool,
            &self.request_id,
            &self.session_id,
            &self.role,
            &self.workspace_root,
            &self.phase_id,
            &self.plan_hash,
            &self.invariant_id,
            &self.trace_id,
        ]
    }

    /// The members in the order of [`Self::NAMES`], to be changed.
    pub fn members_mut(&mut self) -> [&mut Option<String>; 10] {
        [
            &mut self.server,
            &mut self.tool,
            &mut self.request_id,
            &mut self.session_id,
            &mut self.role,
            &mut self.workspace_root,
            &mut self.phase_id,
            &mut self.plan_hash,
            &mut self.invariant_id,
            &mut self.trace_id,
        ]
    }

    /// Takes from `other` what is absent here.
    pub fn fill_absent(&mut self, other: &Self) {
        for (mine, theirs) in self.members_mut().into_iter().zip(other.members()) {
            if mine.is_none() {
                mine.clone_from(theirs);
            }
        }
    }
}

/// A call that helps, or a sentence where a dialect has only that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextAction {
    /// Call this tool.
    Call {
        /// Its name.
        tool: String,
        /// Its arguments, an object.
        args: Option<RawJson>,
    },
    /// Advice in words.
    Text(String),
}

impl NextAction {
    /// A call of a tool with these arguments.
    pub fn call<K, V>(tool: &str, args: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: AsRef<str>,
        V: Into<ParamValue>,
    {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        for (name, value) in args {
            members.raw(name.as_ref(), value.into().json().as_str());
        }
        members.close();
        let args = (out != "{}").then(|| RawJson::written(out));
        Self::Call { tool: tool.to_owned(), args }
    }

    /// The element of `next_actions`, if it is one.
    pub fn read(value: Value<'_>) -> Option<Self> {
        if let Some(text) = value.as_str() {
            return Some(Self::Text(text.into_owned()));
        }
        let tool = value.get("tool")?.as_str()?.into_owned();
        let args = value.get("args").filter(|it| it.kind() == Kind::Object);
        Some(Self::Call { tool, args: args.map(RawJson::from) })
    }

    /// How many bytes it takes, about.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Call { tool, args } => {
                tool.len() + args.as_ref().map_or(0, |it| it.as_str().len())
            }
        }
    }

    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => write_str(out, text),
            Self::Call { tool, args } => {
                let mut members = Members::open(out);
                members.str("tool", tool);
                if let Some(args) = args {
                    members.raw("args", args.as_str());
                }
                members.close();
            }
        }
    }
}

/// Something that exists and is near to what was asked for: an object with `ref`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Similar(RawJson);

impl Similar {
    /// A name that exists.
    pub fn new(name: &str) -> Self {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.str("ref", name);
        members.close();
        Self(RawJson::written(out))
    }

    /// The element of `similar_refs`, if it is one.
    pub fn read(value: Value<'_>) -> Option<Self> {
        value.get("ref")?;
        Some(Self(value.into()))
    }

    /// The object.
    pub const fn json(&self) -> &RawJson {
        &self.0
    }

    pub(super) const fn json_mut(&mut self) -> &mut RawJson {
        &mut self.0
    }

    /// The `ref` as text.
    pub fn name(&self) -> String {
        let text = |value: Value<'_>| {
            value
                .get("ref")
                .map(|it| it.as_str().map_or_else(|| it.raw().to_owned(), Cow::into_owned))
        };
        self.0.with(text).flatten().unwrap_or_default()
    }
}

/// An argument that is wrong: an object with `pointer` and `reason`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation(RawJson);

impl Violation {
    /// The argument at `pointer` (RFC 6901, into the call's arguments) is wrong for `reason`.
    pub fn new(pointer: &str, reason: &str, expected: Option<&str>) -> Self {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.str("pointer", pointer).str("reason", reason).opt_str("expected", expected);
        members.close();
        Self(RawJson::written(out))
    }

    /// The element of `violations`, if it is one.
    pub fn read(value: Value<'_>) -> Option<Self> {
        value.get("pointer")?.as_str()?;
        Some(Self(value.into()))
    }

    /// The object.
    pub const fn json(&self) -> &RawJson {
        &self.0
    }

    pub(super) const fn json_mut(&mut self) -> &mut RawJson {
        &mut self.0
    }

    /// Where the wrong value is in the arguments.
    pub fn pointer(&self) -> String {
        self.text("pointer").unwrap_or_default()
    }

    /// What is wrong about it.
    pub fn reason(&self) -> Option<String> {
        self.text("reason")
    }

    /// What should have been there.
    pub fn expected(&self) -> Option<String> {
        self.text("expected")
    }

    fn text(&self, key: &str) -> Option<String> {
        self.0.with(|it| it.get(key)?.as_str().map(Cow::into_owned))?
    }
}

/// Parts that a document had a place for and left out. Where the fault still has the row's value, writers may leave
/// them out again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unsaid {
    /// No hint was given.
    pub hint: bool,
    /// No retry rule was given.
    pub retry: bool,
}

/// A fault's place in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The record's number.
    pub seq: u64,
    /// The start of its hash.
    pub hash: String,
}

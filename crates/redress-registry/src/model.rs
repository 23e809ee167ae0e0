//! `Registry` and `Entry`: what a registry file means, complete and checked.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde_json::Value;

use crate::{Class, Effect, Operation, Retry, Severity, Stability, taught::Teachings};

/// A map in file order with a fast look-up.
pub type Ordered<V> = IndexMap<Box<str>, V, FxBuildHasher>;

/// The codes of one server, with all that belongs to them.
#[derive(Debug, Clone)]
pub struct Registry {
    /// Its permanent name.
    pub name: Arc<str>,
    /// Its version, semver.
    pub version: String,
    /// Where the pages of its codes stand; a code's page is this plus the code.
    pub docs_base: Option<String>,
    /// The names of the registries it takes in, in order.
    pub extends: Vec<String>,
    /// The namespace of a plugin's registry.
    pub namespace: Option<String>,
    /// Who owns which numbers.
    pub domains: Ordered<Domain>,
    /// Every code: its own first, then those it takes in.
    pub codes: Ordered<Arc<Entry>>,
    /// Names that never come back.
    pub retired: Ordered<Retired>,
    /// What each tool may answer.
    pub tools: Ordered<Tool>,
    /// Exceptions from lint rules.
    pub allows: Vec<Allow>,
    /// What answers of the server mean. They teach a gate; clients rely on none of them, so that locks leave them out.
    pub matches: Arc<Teachings>,
}

/// One row: everything that is known about a code.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The registry that declares it.
    pub registry: Arc<str>,
    /// The permanent name, `namespace.CODE` for a plugin.
    pub code: Box<str>,
    /// Its number in JSON-RPC.
    pub number: Option<u32>,
    /// Who owns it.
    pub domain: Box<str>,
    /// What a client does that does not know the code.
    pub class: Class,
    /// 400 to 599.
    pub http: u16,
    /// When to call again.
    pub retry: Retry,
    /// Whether something may have changed.
    pub effect: Effect,
    /// How bad it is.
    pub severity: Severity,
    /// A few words for an index.
    pub title: String,
    /// What happened: a template over `params`.
    pub message: String,
    /// What to do: an action, verb first.
    pub hint: String,
    /// The calls to make next.
    pub next: Vec<NextStep>,
    /// The parameter that `similar_refs` are near to.
    pub similar: Option<String>,
    /// The values that make up `details` and fill the message.
    pub params: Vec<Param>,
    /// The page for people, Markdown.
    pub explain: String,
    /// Values of the parameters in an example, in the order written.
    pub example: serde_json::Map<String, Value>,
    /// The version that brought it, or `NEXT`.
    pub since: Option<String>,
    /// Whether it may still change.
    pub stability: Stability,
    /// Set when it should no longer be raised.
    pub deprecated: Option<Deprecated>,
    /// How each dialect spells it.
    pub alias: Vec<Alias>,
}

/// How one dialect spells a code: the first spelling is written, all are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The dialect.
    pub dialect: Box<str>,
    /// Its spellings, never empty.
    pub spellings: Vec<String>,
}

/// A call that helps.
#[derive(Debug, Clone, PartialEq)]
pub struct NextStep {
    /// The tool to call.
    pub tool: String,
    /// Its arguments; strings may name parameters in braces.
    pub args: serde_json::Map<String, Value>,
}

/// A declared value of an occurrence.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Its name, with its unit.
    pub name: Box<str>,
    /// Its JSON type.
    pub kind: ParamType,
    /// What it is.
    pub doc: String,
    /// Whether every occurrence has it.
    pub required: bool,
    /// The only values it can have, if not empty.
    pub values: Vec<String>,
    /// Comes from a source that is not trusted: quoted and cut, and never in hint or next.
    pub untrusted: bool,
    /// Never leaves the process.
    pub secret: bool,
    /// Cut after that many characters.
    pub max_chars: Option<u32>,
}

impl Param {
    /// A parameter that every occurrence has, and that is no secret.
    pub fn new(name: &str, kind: ParamType, doc: &str) -> Self {
        Self {
            name: name.into(),
            kind,
            doc: doc.to_owned(),
            required: true,
            values: Vec::new(),
            untrusted: false,
            secret: false,
            max_chars: None,
        }
    }
}

/// The JSON type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamType {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// true or false.
    Boolean,
    /// A list.
    Array,
    /// An object.
    Object,
}

impl ParamType {
    /// Every type.
    pub const ALL: [Self; 6] =
        [Self::String, Self::Integer, Self::Number, Self::Boolean, Self::Array, Self::Object];

    /// The name in files and in JSON Schema.
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// The type of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// Who owns a range of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    /// A few words.
    pub title: String,
    /// First and last number, both included.
    pub range: Option<(u32, u32)>,
}

/// The tombstone of a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retired {
    /// The number that went with it.
    pub number: Option<u32>,
    /// The version that took it away.
    pub since: String,
    /// Why.
    pub why: String,
    /// What to use instead.
    pub to: Option<String>,
}

/// Why a code should no longer be raised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deprecated {
    /// Since which version.
    pub since: String,
    /// Why.
    pub reason: String,
    /// What to use instead.
    pub to: Option<String>,
    /// The version that may retire it.
    pub until: Option<String>,
}

/// What a tool may answer and how it may be called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tool {
    /// The codes it may fail with.
    pub may: Vec<String>,
    /// What it does.
    pub operation: Option<Operation>,
    /// It changes nothing.
    pub read_only: bool,
    /// Calling it twice is calling it once.
    pub idempotent: bool,
    /// JSON pointers to arguments that are paths; `*` is each element of an array.
    pub paths: Vec<String>,
    /// A pointer to what the files of those paths get as their whole content.
    pub content: Option<String>,
    /// A pointer to a patch, in which further paths stand.
    pub patch: Option<String>,
}

impl Tool {
    /// Whether a call changes nothing, by what is said of it or by what it does.
    pub fn reads(&self) -> bool {
        self.read_only || self.operation.is_some_and(Operation::reads)
    }
}

/// An exception from a lint rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allow {
    /// The rule.
    pub rule: String,
    /// The code it is for.
    pub code: String,
    /// Why.
    pub why: String,
    /// The version it ends with, or `never`.
    pub until: String,
}

impl Registry {
    /// The row of a code.
    pub fn get(&self, code: &str) -> Option<&Arc<Entry>> {
        self.codes.get(code)
    }

    /// The rows that this registry declares itself.
    pub fn own(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.codes.values().filter(|it| it.registry == self.name)
    }
}

impl Entry {
    /// What a dialect writes for this code, if the row says so.
    pub fn spelling(&self, dialect: &str) -> Option<&str> {
        self.alias.iter().find(|it| &*it.dialect == dialect)?.spellings.first().map(String::as_str)
    }

    /// The declared parameter of that name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|it| &*it.name == name)
    }
}

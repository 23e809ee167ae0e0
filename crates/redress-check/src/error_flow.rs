//! `ErrorFlow`: how the functions of one file handle errors.

mod ecma;
mod log;
mod members;
mod python;
mod record;
mod rust;
mod said;
mod words;

pub(crate) use python::catches;
pub(crate) use record::Recorder;
pub use said::{Leak, Said};
pub(crate) use {ecma::TAGS as ECMA, python::TAGS as PYTHON, rust::TAGS as RUST};

use crate::span::Span;

/// How one file handles errors: the places that do something about one, and the tries around them.
#[derive(Debug, Default)]
pub struct ErrorFlow {
    /// In the order in which the walk met them.
    pub sites: Vec<ErrorSite>,
    /// The tries, in the order of their starts.
    pub guards: Vec<Guard>,
    /// Types of errors that are declared here.
    pub types: Vec<ErrorType>,
    /// Decisions by code.
    pub mappings: Vec<Mapping>,
    /// Calls that pass parts of an error by their place.
    pub positional: Vec<Positional>,
    /// Where calls of tools come in.
    pub boundaries: Vec<Boundary>,
    /// Calls, for what a tool reaches.
    pub calls: Vec<CallSite>,
    /// Functions without a name, by their start, and where each is.
    pub closures: Vec<(u32, Within)>,
    /// What functions say of their errors, by the start of the function.
    pub promises: Vec<(u32, Promise)>,
}

/// A place that does something about an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorSite {
    /// What is done.
    pub what: Handling,
    /// Where.
    pub span: Span,
    /// What is around it.
    pub within: Within,
}

impl ErrorFlow {
    /// Whether a function lets errors out as they are. In Rust its signature tells.
    pub(crate) fn lets_out(&self, function: Option<u32>) -> bool {
        function.and_then(|it| self.promise(it)).is_none_or(|it| it == Promise::Raw)
    }

    /// The handler of errors around an error site.
    pub(crate) fn catch(&self, site: &ErrorSite) -> Option<&Catch> {
        let guard = self.guards.get(site.within.catch? as usize)?;
        guard.catches.iter().rfind(|it| it.span.start <= site.span.start)
    }

    /// What the signature of the function that begins there says of its errors.
    pub(crate) fn promise(&self, start: u32) -> Option<Promise> {
        let at = self.promises.binary_search_by_key(&start, |it| it.0).ok()?;
        self.promises.get(at).map(|it| it.1)
    }
}

/// Where calls of a tool come in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    /// How the server learns of it.
    pub registration: Registration,
    /// The name of the tool; empty if that is no literal, or if it is all tools at once.
    pub name: Box<str>,
    /// The name in the source.
    pub span: Span,
    /// It says what its results look like.
    pub has_output_schema: bool,
    /// Who does the work.
    pub handler: Handler,
    /// Who is around the work: a function that the handler is passed through, a decorator.
    pub wrapper: Option<Box<str>>,
}

/// Where the work of a tool is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handler {
    /// Here.
    Span(Span),
    /// In the function of that name.
    Named(Box<str>),
    /// It is unknown.
    Unknown,
}

/// How a server learns of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registration {
    /// It is given to the server: `server.registerTool(…)`, `@mcp.tool()`, `#[tool]`.
    Given,
    /// It is a row that says what it is and does; other code calls it.
    Row,
    /// It is only listed; its handler is known elsewhere.
    Listed,
    /// One function for all tools: `setRequestHandler(CallToolRequestSchema, …)`, `call_tool`.
    All,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSite {
    /// Who is called, joined by dots.
    pub callee: Box<str>,
    /// What is around it.
    pub within: Within,
    /// The errors of the called function go on as they are, unless something around stops them.
    pub is_raw: bool,
}

/// What is around an error site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Within {
    /// The start of the innermost function; closures belong to the function around them.
    pub function: Option<u32>,
    /// The innermost try of that function in whose body it is.
    pub guard: Option<u32>,
    /// The innermost try in one of whose handlers it is.
    pub catch: Option<u32>,
    /// It runs later, without a waiting caller: a listener, a timer.
    pub is_detached: bool,
    /// It is part of a tidying up: `finally`.
    pub is_tidying: bool,
    /// It is in a test.
    pub is_test: bool,
}

/// What is done about a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handling {
    /// An error without a code is thrown, raised or returned.
    Raise {
        /// Its type, or the macro that makes it.
        kind: Box<str>,
    },
    /// A JSON-RPC error is thrown, raised or returned.
    Rpc {
        /// Its code as written.
        code: Box<str>,
        /// It says that the tool or the method is unknown, which is what such errors are for.
        is_protocol: bool,
    },
    /// The process or the call is stopped.
    Stop(Stop, Box<str>),
    /// The result of a tool is made.
    Result(Answer),
    /// A failure is returned as a value that only people can tell from a success.
    Plain(Plain),
    /// An envelope is written by hand.
    Envelope(Envelope),
    /// Something that can fail is called, and its result is not looked at.
    Ignore(Box<str>),
    /// Details that JSON cannot hold.
    Unsafe(Box<str>),
    /// Text of any length goes into an error.
    Leak(Leak),
    /// An error for the model that is only prose: `ToolError("…")`.
    Prose(Box<str>),
    /// A call of what a table of tools names: `tool.handler(args)`.
    Dispatch(Box<str>),
    /// A value is thrown that is no error by its own: an object, or what a function of this name gives back.
    Value(Box<str>),
    /// An error is logged outside of any handler of errors, and the function goes on.
    Log,
}

/// What stops a call or the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The process ends.
    Exit,
    /// `panic!`, `todo!`, `unimplemented!`.
    Panic,
    /// `unwrap`, `expect`.
    Unwrap,
    /// `assert`.
    Assert,
}

/// The result of a tool as it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Whether it says that it is an error.
    pub is_error: Flag,
    /// It has structured content.
    pub is_structured: bool,
    /// Some of its members come from elsewhere.
    pub is_open: bool,
    /// A code, or what can hold one, is in it.
    pub has_code: bool,
    /// Its text.
    pub said: Option<Said>,
}

/// A truth value as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flag {
    /// Not written.
    #[default]
    Absent,
    /// `true`.
    True,
    /// `false`.
    False,
    /// Computed.
    Computed,
}

/// A failure that looks like a success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plain {
    /// `{ ok: false, error: "…" }`.
    Object,
    /// `"Error: …"`.
    Text,
    /// `null`, `[]`, `false` and their like, from a handler of errors.
    Nothing,
}

/// An envelope that is written by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Envelope {
    /// It says whether to try again.
    pub has_retry: bool,
    /// It is in the result of a tool.
    pub is_result: bool,
}

/// A try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// The try around it, in the same function.
    pub outer: Option<u32>,
    /// What is around it.
    pub within: Within,
    /// All its body does is tidy up, or it is itself part of a tidying up.
    pub is_cleanup: bool,
    /// Its body answers yes or no: whether something works is what it asks.
    pub is_question: bool,
    /// Its handlers.
    pub catches: Vec<Catch>,
}

/// A handler of errors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Catch {
    /// All of it.
    pub span: Span,
    /// What it calls what it caught.
    pub name: Box<str>,
    /// What it catches; empty for everything.
    pub types: Vec<Box<str>>,
    /// It has no statement.
    pub is_empty: bool,
    /// A comment is in it.
    pub is_explained: bool,
    /// All it does is log.
    pub only_logs: bool,
    /// It always throws again what it caught.
    pub rethrows: bool,
    /// It throws something, or looks at what it caught to decide.
    pub decides: bool,
}

/// A type of errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorType {
    /// Its name.
    pub name: Box<str>,
    /// Where the name is.
    pub span: Span,
    /// The names of its members, sorted.
    pub members: Vec<Box<str>>,
    /// Where its retry rule can be left out.
    pub optional_retry: Option<Span>,
}

/// A decision by code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The codes it names, as written.
    pub cases: Vec<Box<str>>,
    /// Where all others go.
    pub rest: Span,
    /// What is around it.
    pub within: Within,
}

/// A call that passes parts of an error by their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Positional {
    /// Who is called.
    pub callee: Box<str>,
    /// All of the call.
    pub span: Span,
    /// How many stand for nothing: `undefined`, `None`.
    pub placeholders: u8,
    /// How many there are.
    pub count: u8,
    /// What is around it.
    pub within: Within,
}

/// What the signature of a function says of its errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// A text or any error: `Result<_, String>`, `anyhow::Result`.
    Raw,
    /// A JSON-RPC error.
    Rpc,
    /// A type of its own.
    Typed,
    /// Plain text, which cannot say that it is an error.
    Text,
    /// It takes options by name.
    Options,
}

//! `Exchange`: one request in flight. Finishing it consumes it, so it is answered exactly once.

use std::{borrow::Cow, ops::Range, time::Instant};

use crate::{
    frame::{Frame, span},
    mail::Sender,
    metrics::ERROR_STATS,
};

/// A longer request is not kept for the judgement of its failure; its id, method and tool are.
const LONGEST_KEPT: usize = 64 << 10;

/// One request in flight.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// Who asked.
    pub(crate) from: Sender,
    /// What was asked.
    pub(crate) request: Request,
    /// When it came.
    pub(crate) started: Instant,
    /// When the client is told that nothing came.
    pub(crate) deadline: Instant,
    /// How much the upstream had written to stderr when it came.
    pub(crate) stderr: u64,
    /// Whether the upstream has it, so that it may have had an effect.
    pub(crate) sent: bool,
    /// The client's id, hashed.
    pub(crate) key: u64,
    /// How often it was sent before.
    pub(crate) repeats: u32,
    /// Whether it may have had an effect when it was sent before.
    pub(crate) is_in_doubt: bool,
    /// Whether it counts among the calls in progress.
    pub(crate) is_admitted: bool,
}

/// The methods whose answers the gate reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// `initialize`
    Initialize,
    /// `tools/list`
    ToolsList,
    /// `tools/call`
    ToolsCall,
    /// `tasks/get`, `tasks/result`
    Tasks,
    /// `sys/errorStats`
    ErrorStats,
    /// Any other.
    Other,
}

impl Method {
    fn of(name: &str) -> Self {
        match name {
            "tools/call" => Self::ToolsCall,
            "tools/list" => Self::ToolsList,
            "initialize" => Self::Initialize,
            "tasks/get" | "tasks/result" => Self::Tasks,
            ERROR_STATS => Self::ErrorStats,
            _ => Self::Other,
        }
    }
}

/// What a client asked, as far as it is needed for the answer.
#[derive(Debug)]
pub(crate) struct Request {
    /// The whole line, or only the parts below, one behind the other.
    text: Vec<u8>,
    is_whole: bool,
    id: Range<usize>,
    method_name: Range<usize>,
    tool: Option<Range<usize>>,
    /// The parameters, if the line is whole.
    params: Option<Range<usize>>,
    /// The method.
    pub(crate) method: Method,
    /// Whether it asks for a further page of a list.
    pub(crate) is_further_page: bool,
}

impl Request {
    /// Keeps a request in `text`, which is emptied first.
    pub(crate) fn keep(line: &[u8], frame: &Frame<'_>, mut text: Vec<u8>) -> Self {
        text.clear();
        let is_whole = line.len() <= LONGEST_KEPT;
        if is_whole {
            text.extend_from_slice(line);
        }
        let mut part = |plain: &Cow<'_, str>, at: Option<usize>| match (plain, at) {
            (Cow::Borrowed(it), Some(at)) if is_whole => at..at + it.len(),
            (it, _) => append(&mut text, it.as_bytes()),
        };
        let method_name = part(&frame.method, frame.method_at);
        let tool = frame.tool();
        let tool = tool.map(|(value, name)| part(&name, Some(value.offset() + 1)));
        let id = match frame.id {
            Some(id) if is_whole => span(id),
            Some(id) => append(&mut text, id.raw().as_bytes()),
            None => 0..0,
        };
        let params = frame.params.filter(|_| is_whole).map(span);
        let method = Method::of(&frame.method);
        let is_further_page = method == Method::ToolsList
            && frame.params.is_some_and(|it| it.get("cursor").is_some());
        Self { text, is_whole, id, method_name, tool, params, method, is_further_page }
    }

    /// The id in the client's own spelling.
    pub(crate) fn id(&self) -> &str {
        self.part(&self.id)
    }

    /// The name of the method.
    pub(crate) fn method_name(&self) -> &str {
        self.part(&self.method_name)
    }

    /// The tool that is called.
    pub(crate) fn tool(&self) -> Option<&str> {
        self.tool.as_ref().map(|it| self.part(it))
    }

    /// The parameters, if the request was short enough to keep.
    pub(crate) fn params(&self) -> Option<&str> {
        self.params.as_ref().map(|it| self.part(it))
    }

    /// The whole request, if it was short enough to keep.
    pub(crate) fn line(&self) -> Option<&[u8]> {
        self.is_whole.then_some(self.text.as_slice())
    }

    /// The whole request and the place of its id, if it was short enough to keep.
    pub(crate) fn line_and_id(&self) -> Option<(&[u8], Range<usize>)> {
        Some((self.line()?, self.id.clone()))
    }

    /// Gives the buffer back.
    pub(crate) fn into_text(self) -> Vec<u8> {
        self.text
    }

    fn part(&self, range: &Range<usize>) -> &str {
        let bytes = self.text.get(range.clone()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

fn append(text: &mut Vec<u8>, part: &[u8]) -> Range<usize> {
    let start = text.len();
    text.extend_from_slice(part);
    start..text.len()
}

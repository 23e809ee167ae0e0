//! `Upstream`: the server of a connection: what it has received, and what it says.

use std::collections::VecDeque;

use crate::chance::Chance;

/// The most requests that it remembers.
const MOST_RECEIVED: usize = 48;

/// A request as the server received it.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// The id that the gate gave it.
    pub(crate) id: String,
    pub(crate) method: String,
    /// The request of a client that it comes from; the gate has requests of its own.
    pub(crate) reply_token: Option<u64>,
    pub(crate) line: String,
}

/// The process, or the server behind a URL.
#[derive(Debug, Default)]
pub(crate) struct Upstream {
    pub(crate) state: State,
    pub(crate) received: VecDeque<Received>,
    /// What it has written and the gate has not read.
    pub(crate) pipe: VecDeque<Vec<u8>>,
    /// How many sessions it had.
    pub(crate) generation: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// It is to be started.
    #[default]
    Starting,
    Up,
    Down,
}

/// What an answer means for the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Success,
    /// It was carried out, or may have been.
    Done,
    /// The server says that it did nothing.
    Refused,
    /// No answer that can be used.
    Nothing,
}

/// The text between two others.
fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let rest = text.split_once(start)?.1;
    rest.split_once(end).map(|it| it.0)
}

impl Received {
    pub(crate) fn of(id: String, reply_token: Option<u64>, line: &[u8]) -> Self {
        let line = String::from_utf8_lossy(line).trim_end().to_owned();
        let method = between(&line, "\"method\":\"", "\"").unwrap_or_default().to_owned();
        Self { id, method, reply_token, line }
    }

    /// The mark of the client in it.
    pub(crate) fn mark(&self) -> &str {
        let Some(at) = self.line.find("mark-") else { return "" };
        let rest = self.line.get(at..).unwrap_or_default();
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '-';
        let end = rest.find(|it: char| !is_part(it)).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    /// The answer to a request that is no call.
    fn plain(&self) -> String {
        let Self { id, method, .. } = self;
        let result = match method.as_str() {
            "initialize" => {
                r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}},"serverInfo":{"name":"sim","version":"1"}}"#
            }
            "tools/list" => {
                r#"{"tools":[{"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"again","inputSchema":{"type":"object"},"annotations":{"idempotentHint":true}},{"name":"write","inputSchema":{"type":"object"}}]}"#
            }
            "prompts/list" => r#"{"prompts":[]}"#,
            _ => "{}",
        };
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
    }

    /// One of the answers that servers give, and what it means.
    pub(crate) fn answer(&self, chance: &mut Chance) -> (Vec<u8>, Meaning) {
        let Self { id, method, .. } = self;
        if method != "tools/call" {
            return match chance.below(8) {
                0 => (self.error(-32603, "mixed up").into_bytes(), Meaning::Done),
                1 => (self.error(-32601, "Method not found").into_bytes(), Meaning::Refused),
                _ => (self.plain().into_bytes(), Meaning::Success),
            };
        }
        let (mark, drawn) = (self.mark(), chance.next());
        let failed = |text: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":true}}}}"#
            )
        };
        let said = match chance.below(24) {
            0..8 => (self.success(drawn), Meaning::Success),
            8 => (
                failed(&format!("ENOENT: no such file or directory, open '{mark}'")),
                Meaning::Done,
            ),
            9 => (failed(&format!("{mark} cannot be read: permission denied")), Meaning::Done),
            10 => (failed("connect ECONNREFUSED 127.0.0.1:5432"), Meaning::Done),
            11 => (
                failed("429 Too Many Requests: rate limit exceeded, retry after 1 second"),
                Meaning::Refused,
            ),
            12 => (failed(&format!("something odd {drawn} about {mark}")), Meaning::Done),
            13 => (failed("Request timed out after 30000 ms"), Meaning::Done),
            14 => (self.error(-32603, "Internal error"), Meaning::Done),
            15 => (
                self.error(-32602, &format!("Invalid params: {mark} is required")),
                Meaning::Refused,
            ),
            16 => (self.error(-32000, "ETIMEDOUT"), Meaning::Done),
            17 => (
                self.error(i64::try_from(drawn % 70_000).unwrap_or_default() - 35_000, mark),
                Meaning::Done,
            ),
            18 => (format!(r#"{{"id":{id},"result":NaN}}"#), Meaning::Done),
            19 => (
                format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}, "error":{{"code":1}}}}"#
                ),
                Meaning::Done,
            ),
            20 => ("<html>502 Bad Gateway</html>".to_owned(), Meaning::Nothing),
            21 => (
                r#"{"jsonrpc":"2.0","id":12345678901234,"result":{}}"#.to_owned(),
                Meaning::Nothing,
            ),
            22 => (
                format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"task":{{"taskId":"task-{mark}","status":"working"}}}}}}"#
                ),
                Meaning::Done,
            ),
            _ => (self.long(drawn), Meaning::Success),
        };
        (said.0.into_bytes(), said.1)
    }

    /// An answer that is no failure, with white space here and there.
    fn success(&self, drawn: u64) -> String {
        let (id, mark) = (&self.id, self.mark());
        let space = " ".repeat(usize::try_from(drawn % 3).unwrap_or_default());
        format!(
            r#"{{{space}"jsonrpc":"2.0",{space}"result":{{"content":[{{"type":"text",{space}"text":"{drawn} rows of {mark}\u00e9"}}]}},"id":{space}{id}}}"#
        )
    }

    fn long(&self, drawn: u64) -> String {
        let (id, mark) = (&self.id, self.mark());
        let text = "abc ".repeat(usize::try_from(drawn % 700).unwrap_or_default());
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{text}{mark}"}}]}}}}"#
        )
    }

    fn error(&self, code: i64, message: &str) -> String {
        let id = &self.id;
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
    }

    /// Something that is said about a request while it is carried out, or beside it.
    pub(crate) fn remark(&self, chance: &mut Chance) -> String {
        let (id, mark) = (&self.id, self.mark());
        match chance.below(8) {
            0 => format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{id},"progress":1}}}}"#
            ),
            1 => r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"disk is nearly full"}}"#.to_owned(),
            2 => r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_owned(),
            3 => format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            ),
            4 => format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{{"taskId":"task-{mark}","status":"failed"}}}}"#
            ),
            5 => r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}"#.to_owned(),
            6 => r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a"}}"#.to_owned(),
            _ => "warning: a line that is no message".to_owned(),
        }
    }
}

impl Upstream {
    /// It receives a request.
    pub(crate) fn receive(&mut self, request: Received) {
        if self.received.len() == MOST_RECEIVED {
            self.received.pop_front();
        }
        self.received.push_back(request);
    }

    /// One of the requests that it received, the newest more often. It may have been answered.
    pub(crate) fn one(&self, chance: &mut Chance) -> Option<Received> {
        let length = self.received.len();
        let back = chance.index(length).min(chance.index(length));
        self.received.get(length.checked_sub(back + 1)?).cloned()
    }

    /// Its process is gone: what it received and wrote is gone, too.
    pub(crate) fn end(&mut self) {
        self.state = State::Down;
        self.received.clear();
        self.pipe.clear();
    }
}

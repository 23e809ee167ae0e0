//! `Books`: which request awaits what, and what each client may hear.

use std::collections::BTreeMap;

use redress_wire::json::{Doc, Limits, Value};

/// A promise that was broken, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation(pub String);

/// What comes of checks.
pub(crate) type Checked = Result<(), Violation>;

pub(crate) fn violated(what: impl Into<String>) -> Violation {
    Violation(what.into())
}

/// What of a tool is announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nature {
    /// It only reads, or changes nothing twice.
    Harmless,
    /// It changes something each time.
    Changing,
}

/// Where a request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It waits for its answer.
    Owed,
    Answered,
    /// Its client does not want an answer any more.
    Withdrawn,
    /// Its client is gone, and hears nothing.
    Left,
}

/// A request of a client.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) connection: u64,
    pub(crate) client: u64,
    /// Its id, as JSON.
    pub(crate) id: String,
    pub(crate) nature: Nature,
    pub(crate) standing: Standing,
    /// Whether it has no deadline.
    pub(crate) is_endless: bool,
    /// Whether a server has carried it out, or may have.
    pub(crate) is_done: bool,
    /// The bytes of the answer, if it is a success.
    pub(crate) expected: Option<Vec<u8>>,
}

/// All requests that are not forgotten.
#[derive(Debug, Default)]
pub(crate) struct Books {
    asked: BTreeMap<u64, Asked>,
    next: u64,
    /// How many requests there were.
    pub(crate) calls: u64,
    /// How many of them were answered.
    pub(crate) answers: u64,
}

impl Books {
    /// Enters a request. Gives its token.
    pub(crate) fn ask(&mut self, asked: Asked) -> u64 {
        self.next += 1;
        self.calls += 1;
        self.asked.insert(self.next, asked);
        self.next
    }

    /// A token for a message that wants no answer.
    pub(crate) fn reply_token(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(crate) fn get(&self, reply_token: u64) -> Option<&Asked> {
        self.asked.get(&reply_token)
    }

    pub(crate) fn get_mut(&mut self, reply_token: u64) -> Option<&mut Asked> {
        self.asked.get_mut(&reply_token)
    }

    /// A message that wants no answer after all.
    pub(crate) fn strike(&mut self, reply_token: u64) {
        self.asked.remove(&reply_token);
    }

    /// The clients of these requests do not want an answer any more.
    pub(crate) fn withdraw(&mut self, to: Standing, is_meant: impl Fn(u64, &Asked) -> bool) {
        for (reply_token, asked) in &mut self.asked {
            if asked.standing == Standing::Owed && is_meant(*reply_token, asked) {
                asked.standing = to;
            }
        }
    }

    /// The tokens of requests that wait for their answers.
    pub(crate) fn owed(&self) -> impl Iterator<Item = (u64, &Asked)> {
        let owed = self.asked.iter().filter(|it| it.1.standing == Standing::Owed);
        owed.map(|(reply_token, asked)| (*reply_token, asked))
    }

    /// A connection is gone with all that belongs to it.
    pub(crate) fn forget(&mut self, connection: u64) {
        self.asked.retain(|_, it| it.connection != connection);
    }

    /// Checks an answer, which a client gets on a connection.
    pub(crate) fn answered(&mut self, connection: u64, reply_token: u64, line: &[u8]) -> Checked {
        let shown = String::from_utf8_lossy(line).into_owned();
        let Some(asked) = self.asked.get_mut(&reply_token) else {
            return Err(violated(format!(
                "an answer to no request, ticket {reply_token}: {shown}"
            )));
        };
        if asked.connection != connection {
            return Err(violated(format!("ticket {reply_token} is answered elsewhere: {shown}")));
        }
        match asked.standing {
            Standing::Owed => asked.standing = Standing::Answered,
            Standing::Answered => {
                return Err(violated(format!("ticket {reply_token} is answered twice: {shown}")));
            }
            Standing::Left => return Ok(()),
            Standing::Withdrawn => {
                return Err(violated(format!("ticket {reply_token} was withdrawn: {shown}")));
            }
        }
        self.answers += 1;
        if let Some(expected) = &asked.expected
            && expected != line
        {
            let expected = String::from_utf8_lossy(expected);
            return Err(violated(format!("a success was changed: {shown} instead of {expected}")));
        }
        let limits = Limits { bytes: line.len().max(1), nesting: 128 };
        let Ok(doc) = Doc::parse(line.trim_ascii_end(), limits) else {
            // Where the gate only observes, what is no JSON passes if it names the request.
            let is_named = shown.contains(&format!("\"id\":{}", asked.id));
            let what = || violated(format!("an answer that is no JSON: {shown}"));
            return is_named.then_some(()).ok_or_else(what);
        };
        // Of a line that is no message it depends on the line whether its id can be read.
        let is_own =
            asked.id.is_empty() || doc.root().get("id").map(Value::raw) == Some(&*asked.id);
        if !is_own {
            return Err(violated(format!("another id than {}: {shown}", asked.id)));
        }
        only_own_marks(connection, asked.client, &shown)
    }

    /// Checks a message that belongs to a request.
    pub(crate) fn during(&self, connection: u64, reply_token: u64, line: &[u8]) -> Checked {
        match self.asked.get(&reply_token) {
            Some(asked) if asked.connection == connection => {
                only_own_marks(connection, asked.client, &String::from_utf8_lossy(line))
            }
            // It belongs to a request that was answered long ago, or to a notification.
            _ => Ok(()),
        }
    }
}

/// What a client writes into what is its own.
pub(crate) fn mark(connection: u64, client: u64) -> String {
    format!("mark-{connection}-{client}-")
}

/// Whether all marks in a text are those of one client.
pub(crate) fn only_own_marks(connection: u64, client: u64, text: &str) -> Checked {
    let own = mark(connection, client);
    let all = text.matches("mark-").count();
    if all == text.matches(own.as_str()).count() {
        return Ok(());
    }
    Err(violated(format!("client {client} of connection {connection} hears of another: {text}")))
}

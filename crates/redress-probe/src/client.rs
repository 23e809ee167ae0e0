//! `Client`: speaks MCP with a server, byte by byte as its plan says, so that it can send what no SDK would.

mod child;
mod greeting;
mod listing;
mod message;
mod remote;
mod wire;

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use redress_transport::program::Program;
use serde_json::{Value, json};

use self::{
    child::Child,
    message::{Incoming, answer_to, is_given},
    remote::Remote,
    wire::{Heard, LONGEST, Wire},
};
pub use self::{
    greeting::Unprobed,
    listing::tools,
    wire::{ServerAddress, Trouble},
};
pub(crate) use self::{
    greeting::{Era, greet, greet_with},
    message::Outgoing,
};

/// What may still come after everything that had to come is there.
const GRACE: Duration = Duration::from_millis(250);

/// How long an answer may take once the server has said something that is none.
const AFTER_NOISE: Duration = Duration::from_millis(750);

/// How often it is checked whether to go on waiting.
const LOOK: Duration = Duration::from_millis(100);

/// The ids that were used last: an answer to one of them is late, or a second one.
const REMEMBERED: usize = 64;

/// The most unasked messages that are kept.
const MOST_STRAYS: usize = 16;

/// The most tools of a server that are looked at.
pub(crate) const MOST_TOOLS: usize = 1_000;

/// The most pages of tools that are asked for.
const MOST_PAGES: usize = 64;

/// A connection to a server.
#[derive(Debug)]
pub(crate) struct Client {
    wire: Wire,
    pub(crate) era: Era,
    ids: u64,
    used: VecDeque<Value>,
    /// Answers to requests that had one already, or that are not awaited any more.
    late: Vec<(Value, Vec<u8>)>,
    exit: Option<Received>,
    /// Set to end the waiting.
    stop: Arc<AtomicBool>,
}

/// What came of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Received {
    Answer { status: Option<u16>, bytes: Vec<u8> },
    Malformed { status: Option<u16>, bytes: Vec<u8> },
    TooLarge(usize),
    Silence(Duration),
    Nothing,
    Closed(Trouble),
    Exited { code: Option<i32>, signal: Option<i32>, log: Vec<u8> },
}

/// What came of a message, and what else came meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) what: Received,
    /// The answer has another id than the request.
    pub(crate) is_misaddressed: bool,
    /// Further answers to it.
    pub(crate) more: Vec<Vec<u8>>,
    /// What was no message at all.
    pub(crate) noise: Vec<Vec<u8>>,
    pub(crate) elapsed: Duration,
}

/// A message that was sent, until it is settled.
struct Pending<'m> {
    message: &'m Outgoing,
    post: Option<u64>,
    reply: Option<Reply>,
    /// An answer that names no request: its own, if no other comes.
    nameless: Option<Vec<u8>>,
}

impl Client {
    fn open(place: &ServerAddress, stop: &Arc<AtomicBool>) -> Result<Self, Unprobed> {
        let wire = match place {
            ServerAddress::Command(command) => {
                let program = Program { command: command.clone(), ..Program::default() };
                Wire::Child(started(&program)?)
            }
            ServerAddress::Program(program) => Wire::Child(started(program)?),
            ServerAddress::Url { url, headers } => {
                Wire::Remote(Remote::new(url, headers).map_err(Unprobed::NotAnAddress)?)
            }
        };
        let (used, late) = (VecDeque::new(), Vec::new());
        Ok(Self {
            wire,
            era: Era::default(),
            ids: 0,
            used,
            late,
            exit: None,
            stop: Arc::clone(stop),
        })
    }

    /// An id that was not used before: a number and a text by turns.
    pub(crate) fn next_id(&mut self) -> Value {
        self.ids += 1;
        if self.ids.is_multiple_of(2) {
            json!(format!("probe-{}", self.ids))
        } else {
            json!(self.ids)
        }
    }

    /// A well-formed request.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Outgoing {
        let id = self.next_id();
        Outgoing::request(&self.era, id, method, params)
    }

    /// Sends messages at once and waits for what comes of them, as long as `limit` at most.
    pub(crate) fn ask(&mut self, messages: &[Outgoing], limit: Duration) -> Vec<Reply> {
        let start = Instant::now();
        self.drain();
        let mut pending: Vec<Pending<'_>> = messages
            .iter()
            .map(|message| {
                self.remember(message);
                let post = self.wire.send(&message.bytes, &message.mirror);
                Pending { message, post, reply: None, nameless: None }
            })
            .collect();
        let mut until = start + limit;
        let mut noise = Vec::new();
        while pending.iter().any(|it| it.waits(self.wire.is_remote())) {
            if let Some(exit) = &self.exit {
                let exit = exit.clone();
                for it in &mut pending {
                    it.settle(exit.clone(), start);
                }
                break;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.stop.load(Ordering::Relaxed) {
                break;
            }
            let Some(heard) = self.wire.hear(left.min(LOOK)) else { continue };
            let known = noise.len();
            self.take(heard, &mut pending, &mut noise, start);
            let now = Instant::now();
            if noise.len() > known || pending.iter().any(Pending::is_doubtful) {
                until = until.min(now + AFTER_NOISE);
            }
            let is_owed = pending.iter().any(|it| it.reply.is_none() && it.message.is_owed());
            if !is_owed && pending.len() > 1 {
                until = until.min(now + GRACE);
            }
        }
        pending.into_iter().map(|it| it.into_reply(start, &mut noise)).collect()
    }

    /// One message.
    pub(crate) fn ask_one(&mut self, message: &Outgoing, limit: Duration) -> Reply {
        let mut replies = self.ask(std::slice::from_ref(message), limit);
        replies.pop().unwrap_or_else(|| Reply::of(Received::Nothing, Duration::ZERO))
    }

    /// Whether the server still answers, in any way.
    pub(crate) fn is_alive(&mut self, limit: Duration) -> bool {
        let message = self.ping();
        matches!(self.ask_one(&message, limit).what, Received::Answer { .. })
    }

    /// What every server must answer.
    pub(crate) fn ping(&mut self) -> Outgoing {
        let method = if self.era.is_stateless() { "server/discover" } else { "ping" };
        self.request(method, json!({}))
    }

    /// The end of the process, if it ended.
    pub(crate) const fn exit(&self) -> Option<&Received> {
        self.exit.as_ref()
    }

    pub(crate) const fn is_remote(&self) -> bool {
        self.wire.is_remote()
    }

    /// Answers that came too late or twice, by their ids.
    pub(crate) fn take_late(&mut self) -> Vec<(Value, Vec<u8>)> {
        std::mem::take(&mut self.late)
    }

    /// Every tool, as the server describes it.
    pub(crate) fn tools(&mut self, limit: Duration) -> Result<Vec<Value>, Unprobed> {
        let mut tools = Vec::new();
        let mut cursor: Option<Value> = None;
        for _ in 0..MOST_PAGES {
            let params = cursor.as_ref().map_or_else(|| json!({}), |it| json!({ "cursor": it }));
            let message = self.request("tools/list", params);
            let result = greeting::result(self.ask_one(&message, limit), "tools/list")?;
            let Some(page) = result.get("tools").and_then(Value::as_array) else {
                return Err(Unprobed::NotMcp(
                    "the answer to tools/list has no list of tools".into(),
                ));
            };
            tools.extend(page.iter().take(MOST_TOOLS.saturating_sub(tools.len())).cloned());
            let next = result.get("nextCursor").filter(|it| it.is_string()).cloned();
            if next.is_none() || next == cursor || tools.len() >= MOST_TOOLS {
                break;
            }
            cursor = next;
        }
        Ok(tools)
    }

    fn remember(&mut self, message: &Outgoing) {
        self.used.extend(message.id.clone());
        while self.used.len() > REMEMBERED {
            self.used.pop_front();
        }
    }

    /// Takes in what came since the last look.
    fn drain(&mut self) {
        while let Some(heard) = self.wire.hear(Duration::ZERO) {
            self.take(heard, &mut [], &mut Vec::new(), Instant::now());
        }
    }

    fn take(
        &mut self,
        heard: Heard,
        pending: &mut [Pending<'_>],
        noise: &mut Vec<Vec<u8>>,
        start: Instant,
    ) {
        match heard {
            Heard::Message { post, status, bytes } => match Incoming::read(&bytes) {
                Incoming::Request { id, method } => {
                    let answer = answer_to(&self.era, &id, &method);
                    self.wire.send(&answer.bytes, &answer.mirror);
                }
                Incoming::Notification => (),
                Incoming::Answer { id } => self.answered((post, status, id), bytes, pending, start),
                Incoming::Noise => match by_post(pending, post) {
                    Some(it) => it.settle(Received::Malformed { status, bytes }, start),
                    None if noise.len() < MOST_STRAYS => noise.push(bytes),
                    None => (),
                },
            },
            Heard::TooLarge { post, bytes } => {
                let first = pending.iter_mut().find(|it| it.post == post && it.reply.is_none());
                if let Some(it) = first {
                    it.settle(Received::TooLarge(bytes), start);
                }
            }
            Heard::Done { post, status, refusal } => {
                if let Some(it) = by_post(pending, Some(post)) {
                    let is_fine = !it.message.is_owed() && status < 300 && refusal.is_empty();
                    let broken = Received::Malformed { status: Some(status), bytes: refusal };
                    it.settle(if is_fine { Received::Nothing } else { broken }, start);
                }
            }
            Heard::Lost { post, why } => {
                if let Some(it) = by_post(pending, Some(post)) {
                    it.settle(Received::Closed(why), start);
                }
            }
            Heard::Exited { code, signal } => {
                self.exit = Some(Received::Exited { code, signal, log: self.wire.log_tail() });
            }
        }
    }

    fn answered(
        &mut self,
        (post, status, id): (Option<u64>, Option<u16>, Option<Value>),
        bytes: Vec<u8>,
        pending: &mut [Pending<'_>],
        start: Instant,
    ) {
        let is_its = |it: &Pending<'_>| it.message.id.is_some() && it.message.id == id;
        let settled = |it: &Pending<'_>| it.reply.is_some();
        let at = pending
            .iter()
            .position(|it| is_its(it) && !settled(it) && it.post == post)
            .or_else(|| pending.iter().position(|it| is_its(it) && settled(it)))
            .or_else(|| pending.iter().position(|it| post.is_some() && it.post == post))
            .or_else(|| {
                let nameless = id.is_none();
                pending.iter().position(|it| nameless && it.message.takes_any() && !settled(it))
            });
        if let Some(found) = at.and_then(|at| pending.get_mut(at)) {
            let is_misaddressed = !is_its(found) && !found.message.takes_any();
            return found.answer((status, bytes), is_misaddressed, start);
        }
        match (id, pending.iter_mut().find(|it| !settled(it))) {
            (Some(id), _) if self.used.contains(&id) || is_given(&id, self.ids) => {
                if self.late.len() < MOST_STRAYS {
                    self.late.push((id, bytes));
                }
            }
            (Some(_), Some(found)) => found.answer((status, bytes), true, start),
            (None, Some(found)) => found.nameless = Some(bytes),
            (_, None) => (),
        }
    }
}

fn started(program: &Program) -> Result<Child, Unprobed> {
    Child::start(program).map_err(|error| {
        let program = program.command.first().map(|it| it.to_string_lossy().into_owned());
        Unprobed::NotStarted { program: program.unwrap_or_default(), error }
    })
}

fn by_post<'p, 'm>(
    pending: &'p mut [Pending<'m>],
    post: Option<u64>,
) -> Option<&'p mut Pending<'m>> {
    pending.iter_mut().find(|it| post.is_some() && it.post == post && it.reply.is_none())
}

impl Pending<'_> {
    /// Over HTTP even a notification has an answer: its status.
    fn waits(&self, is_remote: bool) -> bool {
        self.reply.is_none() && (is_remote || self.message.is_owed() || self.message.takes_any())
    }

    /// Something came that may be its answer.
    const fn is_doubtful(&self) -> bool {
        self.reply.is_none() && self.nameless.is_some()
    }

    fn settle(&mut self, what: Received, start: Instant) {
        if self.reply.is_none() {
            self.reply = Some(Reply::of(what, start.elapsed()));
        }
    }

    fn answer(
        &mut self,
        (status, bytes): (Option<u16>, Vec<u8>),
        is_misaddressed: bool,
        start: Instant,
    ) {
        match &mut self.reply {
            Some(reply) if reply.more.len() < MOST_STRAYS => reply.more.push(bytes),
            Some(_) => (),
            None => {
                let reply = Reply::of(Received::Answer { status, bytes }, start.elapsed());
                self.reply = Some(Reply { is_misaddressed, ..reply });
            }
        }
    }

    fn into_reply(mut self, start: Instant, noise: &mut Vec<Vec<u8>>) -> Reply {
        if let Some(bytes) = self.nameless.take().filter(|_| self.reply.is_none()) {
            self.answer((None, bytes), true, start);
        }
        let is_owed = self.message.is_owed();
        let mut reply = self.reply.unwrap_or_else(|| {
            let waited = start.elapsed();
            let what = match noise.first() {
                Some(first) if is_owed => {
                    Received::Malformed { status: None, bytes: first.clone() }
                }
                _ if is_owed || self.message.takes_any() => Received::Silence(waited),
                _ => Received::Nothing,
            };
            Reply::of(what, waited)
        });
        reply.noise = std::mem::take(noise);
        reply
    }
}

impl Reply {
    pub(crate) const fn of(what: Received, elapsed: Duration) -> Self {
        Self { what, is_misaddressed: false, more: Vec::new(), noise: Vec::new(), elapsed }
    }
}

/// Messages are never longer than this.
pub(crate) const fn longest() -> usize {
    LONGEST
}

//! The upstream's side of a session: its answers go to whom they belong, once; its failures are judged.

use redress::{
    classify::is_suspect,
    json::{Doc, Value},
};

use super::{
    Actions, Session, Undecided,
    head::HttpHead,
    reserved::{self, has_stated, stated_in},
    route::SUBSCRIPTION_KEY,
    seen::Seen,
    tasks,
};
use crate::{
    answer::{CallResult, ambiguous_state},
    exchange::{Exchange, Method},
    frame::{
        Batch, Edit, Frame, NotAFrame, Shape, Unreadable, behind_mark, is_broken_batch, limits,
        rewrite, span, splice,
    },
    inflight::{InFlightEntry, UpstreamId},
    memory::{OutOfMemory, SMALL},
    metrics::Outcome,
    outgoing::ToClient,
    settings::Mode,
};

/// A longer answer is judged each time it comes.
const LONGEST_REMEMBERED: usize = 16 << 10;

/// The most requests of an upstream that can wait for the client.
pub(super) const MOST_ASKED: usize = 1 << 12;

impl Session {
    /// A line of the upstream, without its line break.
    pub fn upstream_line(&mut self, line: &[u8], actions: &mut Actions) {
        self.upstream_message(line, MessageSource::default(), actions);
    }

    /// A message of the upstream, however it came.
    pub(crate) fn upstream_message(
        &mut self,
        line: &[u8],
        source: MessageSource,
        actions: &mut Actions,
    ) {
        let heard = self.heard.replace(actions.now.at);
        if !std::mem::replace(&mut self.has_spoken, true) {
            self.server.starts.succeeded();
        }
        let limits = limits(self.server.settings.max_message);
        let doc = match Doc::parse_with(line, limits, std::mem::take(&mut self.scratch)) {
            Ok(doc) => doc,
            Err(_) if line.trim_ascii().is_empty() => return,
            Err(error) => {
                return match behind_mark(line) {
                    Some(line) => self.upstream_message(line, source, actions),
                    None if !source.is_member && is_broken_batch(line) => {
                        self.upstream_array(line, source, actions);
                    }
                    None => self.no_message(line, Unreadable::Json(error), source, actions),
                };
            }
        };
        match Frame::of(&doc) {
            Ok(frame) => {
                let method = |id| self.inflight.exchange(id).map(|it| it.request.method);
                let method = || frame.id.and_then(UpstreamId::of).and_then(method);
                if let Some(clean) = self.without_reserved(line, &doc, (&frame, method)) {
                    self.heard = heard;
                    return self.upstream_message(&clean, source, actions);
                }
                if self.is_list_for_us(&frame) {
                    // Whether calls are answered is asked by clients alone.
                    self.heard = heard;
                }
                self.upstream_frame(line, &frame, source, actions);
            }
            // Whatever the revision: it harms nobody.
            Err(NotAFrame::Batch) if !source.is_member && Batch::of(line).next().is_some() => {
                self.upstream_array(line, source, actions);
            }
            Err(error) => self.no_message(line, Unreadable::Frame(error), source, actions),
        }
        self.scratch = doc.into_scratch();
    }

    /// Each message of an array is one of its own, whatever stands beside it.
    fn upstream_array(&mut self, line: &[u8], source: MessageSource, actions: &mut Actions) {
        let source = MessageSource { is_member: true, ..source };
        Batch::of(line).for_each(|it| self.upstream_message(it, source, actions));
    }

    /// What the upstream wrote last, without a line break, before its output ended.
    pub fn upstream_rest(&mut self, rest: &[u8], actions: &mut Actions) {
        // Half a message is no mistake of its own: the end of the process explains it.
        if Doc::parse(rest, limits(self.server.settings.max_message)).is_ok() {
            self.upstream_line(rest, actions);
        }
    }

    /// The start of a line of the upstream that is too long.
    pub fn upstream_long(&mut self, head: &[u8], actions: &mut Actions) {
        self.is_long_answered = self.too_large(head, &Seen::TooLarge { bytes: None }, actions);
    }

    /// The start of a line of the upstream for which there is no memory.
    pub(crate) fn upstream_given_up(&mut self, head: &[u8], actions: &mut Actions) {
        self.is_long_answered = self.too_large(head, &Seen::OutOfMemory, actions);
    }

    /// The end of a line of the upstream that is too long.
    pub fn upstream_long_end(&mut self, tail: &[u8], bytes: u64, actions: &mut Actions) {
        let is_answered = std::mem::take(&mut self.is_long_answered);
        let seen = Seen::TooLarge { bytes: Some(bytes) };
        if !is_answered && !self.too_large(tail, &seen, actions) {
            self.note(tail, "a line is too long and names no request", actions);
        }
    }

    fn upstream_frame(
        &mut self,
        line: &[u8],
        frame: &Frame<'_>,
        source: MessageSource,
        actions: &mut Actions,
    ) {
        match (frame.shape, frame.id) {
            (Shape::Result | Shape::Error, Some(id)) => {
                let answer = Answer { line, frame, id, http: source.status.map(HttpHead::of) };
                self.answer(&answer, source.about, actions);
            }
            (Shape::Result | Shape::Error, None) => {
                self.answer_without_id(line, frame, source, actions)
            }
            _ => self.upstream_speaks(line, frame, source, actions),
        }
    }

    fn answer(
        &mut self,
        answer: &Answer<'_, '_>,
        about: Option<UpstreamId>,
        actions: &mut Actions,
    ) {
        let (ours, line) = (UpstreamId::of(answer.id), answer.line);
        if about.is_some() && about != ours {
            return self.note(line, "an answer names another request than it is for", actions);
        }
        self.answered_late(ours);
        match ours.and_then(|it| Some((it, self.inflight.take(it)?))) {
            Some((ours, InFlightEntry::Answer(mut exchange))) => {
                self.breaker.answered();
                self.notes_read = self.notes_read.max(exchange.notes);
                if self.reserve_answer(&mut exchange, line.len()).is_err() {
                    self.fail(exchange, &Seen::OutOfMemory, actions);
                } else if let Some(fault) = self.unjudged(&exchange) {
                    self.fail(exchange, &Seen::Governed(fault), actions);
                } else if self.is_fine(ours, &exchange, answer.frame) {
                    self.pass_answer(exchange, answer, actions);
                } else {
                    self.examine(exchange, answer, actions);
                }
            }
            Some((_, InFlightEntry::Nothing { .. })) => (),
            Some((_, InFlightEntry::Own(ask))) => self.own_answer(ask, answer, actions),
            None if ours.is_some_and(|it| self.inflight.is_over(it)) => {
                self.note(line, "the request was answered before", actions);
            }
            None => self.note(line, "an answer names a request that nobody made", actions),
        }
    }

    /// Reserves the bytes of an answer on its way to a client that may not read.
    fn reserve_answer(&self, exchange: &mut Exchange, bytes: usize) -> Result<(), OutOfMemory> {
        if bytes > SMALL
            && let Some(account) = self.server.account(exchange.from.caller)
        {
            exchange.memory = Some(account.reserve(bytes)?);
        }
        Ok(())
    }

    /// Whether an answer can pass without a closer look; learns from it what is worth knowing.
    fn is_fine(&mut self, ours: UpstreamId, exchange: &Exchange, frame: &Frame<'_>) -> bool {
        let Some(result) = frame.payload.filter(|_| frame.shape == Shape::Result) else {
            return false;
        };
        match exchange.request.method {
            Method::ToolsCall => match CallResult::of(result) {
                CallResult::Unflagged => {
                    let is_quiet = self.stderr.position() == exchange.stderr;
                    self.server.settings.is_ours || is_quiet && !is_suspect(result)
                }
                CallResult::Task => {
                    self.tasks.learn(ours, exchange, result);
                    true
                }
                CallResult::Failed | CallResult::Broken(_) => false,
            },
            Method::ToolsList => {
                self.tools.learn(result, exchange.request.cursor());
                self.memo.forget();
                true
            }
            Method::Initialize => {
                self.is_opened_since(exchange.started);
                self.agreed(exchange.from.client, result);
                true
            }
            Method::TaskState => {
                tasks::failed(result).is_none() && ambiguous_state(result).is_none()
            }
            Method::TaskResult => !tasks::is_failed(result),
            Method::Interest => {
                self.granted(exchange);
                true
            }
            Method::Listen | Method::ErrorStats | Method::Other => true,
        }
    }

    /// An answer that is, or may be, a failure.
    pub(super) fn examine(
        &mut self,
        exchange: Box<Exchange>,
        answer: &Answer<'_, '_>,
        actions: &mut Actions,
    ) {
        let key = self.key(&exchange, answer);
        if let Some(judged) = key.and_then(|it| self.memo.get(it)) {
            return self.tell(exchange, answer, judged, actions);
        }
        let failure = self.judge(&exchange, answer, actions.now);
        if failure.is_some()
            && let Some(until) = self.wait_for_tools(&exchange, actions)
        {
            let (line, http) = (answer.line.to_vec(), answer.http);
            return self.undecided.push(Undecided { exchange, line, http, until });
        }
        let judged = self.judged(&exchange, answer, failure);
        if let Some(key) = key {
            self.memo.put(key, judged.clone());
        }
        self.tell(exchange, answer, judged, actions);
    }

    /// A key that only the same answer to the same request has. A judgement that the log can change has none.
    fn key(&self, exchange: &Exchange, answer: &Answer<'_, '_>) -> Option<u64> {
        let request = exchange.request.params()?;
        let payload = answer.frame.payload.filter(|it| it.raw().len() <= LONGEST_REMEMBERED)?;
        let is_quiet = self.stderr.position() == exchange.stderr;
        let (method, shape) = (exchange.request.method_name(), answer.frame.shape == Shape::Error);
        let is_plain = answer.http.is_none_or(|it| it.status < 400);
        (is_quiet && is_plain)
            .then(|| self.inflight.secret((method, request, shape, payload.raw())))
    }

    /// Passes an answer on as it is, under the client's own id.
    pub(super) fn pass_answer(
        &mut self,
        exchange: Box<Exchange>,
        answer: &Answer<'_, '_>,
        actions: &mut Actions,
    ) {
        let (frame, method) = (answer.frame, exchange.request.method);
        let stated = frame.payload.and_then(|it| stated_in(frame.shape, method, it));
        if let Some(line) = self.without_stated(answer.line, frame.root, stated) {
            return self.pass_line(exchange, &line, answer.http, actions);
        }
        let Some(mut exchange) = self.unless_checked(exchange, answer) else { return };
        actions.answered.extend(exchange.memory.take());
        self.governed_well(&exchange, actions);
        let id = exchange.request.id().as_bytes();
        let to = ToClient::Answer(exchange.from.ticket, answer.http.map_or(200, |it| it.status));
        if let Some(line) = self.list_for_client(&exchange, answer) {
            actions.to_client.add_parts(to, &[&line]);
            return self.finish(exchange, Outcome::Ok, actions.now.at);
        }
        let named = answer.frame.payload.filter(|_| exchange.request.method == Method::Listen);
        let metered = self.metered(&exchange, answer, actions.now);
        match named.and_then(|it| it.path(&["_meta", SUBSCRIPTION_KEY])) {
            None if let Some((at, with)) = &metered => actions.to_client.add(to, |out| {
                let cost = Edit { at: at.clone(), with: with.as_bytes() };
                rewrite(answer.line, &mut [Edit { at: span(answer.id), with: id }, cost], out);
            }),
            None => actions.to_client.add(to, |out| splice(answer.line, span(answer.id), id, out)),
            Some(named) => actions.to_client.add(to, |out| {
                let mut edits = [answer.id, named].map(|it| Edit { at: span(it), with: id });
                rewrite(answer.line, &mut edits, out);
            }),
        }
        self.finish(exchange, Outcome::Ok, actions.now.at);
    }

    /// A message without what its server says under keys of the gate; `None` if it says nothing there. The envelope that it states where
    /// envelopes are read stays until it is judged. Who observes changes nothing.
    pub(super) fn without_reserved(
        &self,
        line: &[u8],
        doc: &Doc<'_>,
        (frame, method): (&Frame<'_>, impl FnOnce() -> Option<Method>),
    ) -> Option<Vec<u8>> {
        if self.server.settings.mode == Mode::Observe || !reserved::may_be_in(line, doc) {
            return None;
        }
        let stated = match frame.payload {
            Some(payload) => stated_in(frame.shape, method().unwrap_or(Method::Other), payload),
            None if is_of_task(&frame.method) => frame.params.and_then(tasks::stated_in_state),
            _ => None,
        };
        reserved::without(line, frame.root, stated)
    }

    /// A message that passes, without the envelope that its server states in an object: it says nothing where nothing failed.
    pub(super) fn without_stated(
        &self,
        line: &[u8],
        root: Value<'_>,
        stated: Option<Value<'_>>,
    ) -> Option<Vec<u8>> {
        let is_clean = self.server.settings.mode == Mode::Observe || !has_stated(stated);
        if is_clean { None } else { reserved::without(line, root, None) }
    }

    pub(super) fn pass_line(
        &mut self,
        exchange: Box<Exchange>,
        line: &[u8],
        http: Option<HttpHead>,
        actions: &mut Actions,
    ) {
        let doc = Doc::parse(line, limits(self.server.settings.max_message));
        let frame = doc.as_ref().ok().and_then(|it| Frame::of(it).ok());
        match frame.as_ref().and_then(|it| Some((it, it.id?))) {
            Some((frame, id)) => {
                self.pass_answer(exchange, &Answer { line, frame, id, http }, actions);
            }
            None => {
                let reason = "an answer cannot be read again";
                self.fail(exchange, &Seen::Broken { line, reason }, actions);
            }
        }
    }

    /// Judges what waited for the list of tools, with what is known by now.
    pub(super) fn decide_all(&mut self, actions: &mut Actions) {
        self.stop_asking();
        self.decide_now(actions);
    }

    /// The same, while the list is still to come: who fails later may know it.
    pub(super) fn decide_now(&mut self, actions: &mut Actions) {
        for Undecided { exchange, line, http, .. } in std::mem::take(&mut self.undecided) {
            self.decide(exchange, &line, http, actions);
        }
    }

    /// Judges an answer that was kept, with what is known by now.
    pub(super) fn decide(
        &mut self,
        exchange: Box<Exchange>,
        line: &[u8],
        http: Option<HttpHead>,
        actions: &mut Actions,
    ) {
        let Ok(doc) = Doc::parse(line, limits(self.server.settings.max_message)) else { return };
        let Ok(frame) = Frame::of(&doc) else { return };
        let Some(id) = frame.id else { return };
        let answer = Answer { line, frame: &frame, id, http };
        let failure = self.judge(&exchange, &answer, actions.now);
        let judged = self.judged(&exchange, &answer, failure);
        self.tell(exchange, &answer, judged, actions);
    }
}

/// Whether a notification tells of a task.
pub(super) fn is_of_task(method: &str) -> bool {
    matches!(method, "notifications/tasks" | "notifications/tasks/status")
}

/// An answer of the upstream, read.
#[derive(Debug)]
pub(super) struct Answer<'l, 'd> {
    pub(super) line: &'l [u8],
    pub(super) frame: &'l Frame<'d>,
    pub(super) id: Value<'d>,
    /// The head of the HTTP response that it came in.
    pub(super) http: Option<HttpHead>,
}

/// Where a message of the upstream comes from: a pipe, or an HTTP response.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MessageSource {
    /// The request whose HTTP response it is in.
    pub(crate) about: Option<UpstreamId>,
    /// The status of that response.
    pub(crate) status: Option<u16>,
    /// Whether it is an event of a stream.
    pub(crate) is_event: bool,
    /// Whether it is a member of an array.
    pub(crate) is_member: bool,
}

//! `Verdicts`: verdicts that are kept for the same answer, and answers whose verdict waits for the list of tools.

use std::{sync::Arc, time::Instant};

use redress_wire::json::Doc;

use super::{
    Session, actions::Actions, catalog::stop_discovery, emission::template_of_answer,
    messages::Answer, pipeline::deliver, verdict::judge,
};
use crate::{
    exchange::Exchange,
    fault_template::{FaultTemplate, TemplateCache},
    frame::{Frame, Shape, limits},
    http_head::HttpHead,
};

/// A longer answer is judged each time it comes.
const LONGEST_REMEMBERED: usize = 16 << 10;

/// Verdicts that are kept for the same answer, and answers whose verdict waits for the list of tools.
#[derive(Debug)]
pub(super) struct Verdicts {
    /// Valid as long as the tools are the same.
    cache: TemplateCache<Option<Arc<FaultTemplate>>>,
    deferred: Vec<DeferredVerdict>,
}

impl Verdicts {
    /// None yet.
    pub(super) const fn new() -> Self {
        Self { cache: TemplateCache::new(), deferred: Vec::new() }
    }

    /// The verdicts that are kept: the failure, or that an answer is none.
    pub(super) const fn cache(&self) -> &TemplateCache<Option<Arc<FaultTemplate>>> {
        &self.cache
    }

    /// Keeps a verdict.
    pub(super) fn put(&mut self, key: Option<u64>, verdict: Option<Arc<FaultTemplate>>) {
        if let Some(key) = key {
            self.cache.put(key, verdict);
        }
    }

    /// Forgets what is kept: the tools may be others.
    pub(super) fn forget(&mut self) {
        self.cache.forget();
    }

    /// Keeps an answer until the list of tools is there.
    pub(super) fn defer(&mut self, answer: DeferredVerdict) {
        self.deferred.push(answer);
    }

    /// Whether no answer waits.
    pub(super) const fn none_waits(&self) -> bool {
        self.deferred.is_empty()
    }

    /// When the first of them has waited long enough.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.deferred.iter().map(|it| it.until).min()
    }

    /// Takes out the requests whose answers wait and that meet a condition.
    pub(super) fn take_where(
        &mut self,
        is_meant: impl Fn(&Exchange) -> bool,
    ) -> Vec<DeferredVerdict> {
        self.deferred.extract_if(.., |it| is_meant(&it.exchange)).collect()
    }
}

/// An answer that may be a failure, kept until the list of tools is there.
#[derive(Debug)]
pub(super) struct DeferredVerdict {
    pub(super) exchange: Box<Exchange>,
    pub(super) line: Vec<u8>,
    /// The head of the HTTP response that it came in.
    pub(super) http: Option<HttpHead>,
    pub(super) until: Instant,
}

/// A key that only the same answer to the same request has. A judgement that the log can change has none.
pub(super) fn cache_key(
    session: &Session,
    exchange: &Exchange,
    answer: &Answer<'_, '_>,
) -> Option<u64> {
    let request = exchange.request.params()?;
    let payload = answer.frame.payload.filter(|it| it.raw().len() <= LONGEST_REMEMBERED)?;
    let is_quiet = session.upstream.stderr.position() == exchange.stderr;
    let (method, shape) = (exchange.request.method_name(), answer.frame.shape == Shape::Error);
    let is_plain = answer.http.is_none_or(|it| it.status < 400);
    (is_quiet && is_plain).then(|| session.inflight.secret((method, request, shape, payload.raw())))
}

/// Judges what waited for the list of tools, with what is known by now.
pub(super) fn settle_deferred(session: &mut Session, actions: &mut Actions) {
    stop_discovery(session);
    judge_deferred(session, actions);
}

/// The same, while the list is still to come: who fails later may know it.
pub(super) fn judge_deferred(session: &mut Session, actions: &mut Actions) {
    for DeferredVerdict { exchange, line, http, .. } in session.verdicts.take_where(|_| true) {
        judge_kept(session, exchange, &line, http, actions);
    }
}

/// Judges an answer that was kept, with what is known by now.
pub(super) fn judge_kept(
    session: &mut Session,
    exchange: Box<Exchange>,
    line: &[u8],
    http: Option<HttpHead>,
    actions: &mut Actions,
) {
    let Ok(doc) = Doc::parse(line, limits(session.server.settings.max_message)) else { return };
    let Ok(frame) = Frame::of(&doc) else { return };
    let Some(id) = frame.id else { return };
    let answer = Answer { line, frame: &frame, id, http };
    let failure = judge(session.context(), &exchange, &answer, actions.now);
    let verdict = failure.map(|it| template_of_answer(session.context(), &exchange, &answer, it));
    deliver(session, exchange, &answer, verdict, actions);
}

//! What the gate itself asks of an upstream: the greeting of a new process, the list of tools.

use std::time::{Duration, Instant};

use redress::json::{Doc, Kind, Members, Value};

use super::{Session, State, Turn, seen::Seen};
use crate::{
    exchange::Exchange,
    frame::{Frame, Shape, limits, span, splice},
    inflight::{Ask, UpstreamId},
    mail::ToUpstream,
};

/// How long a failure waits for the list of tools.
const PATIENCE: Duration = Duration::from_secs(1);

/// The most pages of a list that are asked for.
const MOST_PAGES: u32 = 50;

/// The list of tools that is being asked for.
#[derive(Debug, Default)]
pub(super) struct Asking {
    id: Option<UpstreamId>,
    pages: u32,
    /// What the protocol wants in every request, from the request that failed.
    meta: String,
    until: Option<Instant>,
}

impl Session {
    /// Repeats the client's opening for a new process; `false` when there is none.
    pub(super) fn greet(&mut self, turn: &mut Turn) -> bool {
        let Some(line) = self.opening.initialize.take() else { return false };
        let Some(ours) = self.inflight.ask(Ask::Initialize) else { return false };
        if let Ok(doc) = Doc::parse(&line, limits(line.len()))
            && let Some(id) = doc.root().get("id")
        {
            let spliced = |out: &mut Vec<u8>| splice(&line, span(id), &ours.digits(), out);
            turn.to_upstream.add(ToUpstream::Own(ours), spliced);
        }
        self.opening.initialize = Some(line);
        true
    }

    /// An answer to one of our own questions.
    pub(super) fn own_answer(&mut self, ask: Ask, frame: &Frame<'_>, turn: &mut Turn) {
        let result = frame.payload.filter(|_| frame.shape == Shape::Result);
        match (ask, result) {
            (Ask::Initialize, Some(_)) => self.greeted(turn),
            (Ask::Initialize, None) => {
                self.fail_all(&Seen::NotGreeted, turn);
                turn.kill = true;
            }
            (Ask::Tools, Some(result)) => {
                let is_first = self.asking.pages == 1;
                let next = self.tools.learn(result, is_first);
                self.memo.forget();
                if next.is_none_or(|it| !self.ask_for_page(Some(it), turn)) {
                    self.decide_all(turn);
                }
            }
            (Ask::Tools, None) => self.decide_all(turn),
        }
    }

    fn greeted(&mut self, turn: &mut Turn) {
        let State::Greeting { since, .. } = self.upstream else { return };
        self.upstream = State::Up { since };
        if let Some(initialized) = &self.opening.initialized {
            turn.to_upstream.add_parts(ToUpstream::Other, &[initialized, b"\n"]);
        }
        self.send_held(turn);
    }

    /// Asks for the list of tools, or joins those who wait for it; gives the time when the waiting ends.
    pub(super) fn wait_for_tools(
        &mut self,
        exchange: &Exchange,
        turn: &mut Turn,
    ) -> Option<Instant> {
        if self.asking.id.is_some() {
            return self.asking.until;
        }
        let is_worth_it = exchange.request.tool().is_some_and(|it| self.tools.is_worth_asking(it));
        if !is_worth_it || !self.is_up() {
            return None;
        }
        let meta = exchange.request.line().and_then(protocol_meta).unwrap_or_default();
        self.asking = Asking { meta, until: Some(turn.now.at + PATIENCE), ..Asking::default() };
        self.tools.asked();
        turn.is_sooner = true;
        self.asking.until.filter(|_| self.ask_for_page(None, turn))
    }

    fn ask_for_page(&mut self, cursor: Option<Value<'_>>, turn: &mut Turn) -> bool {
        if self.asking.pages >= MOST_PAGES {
            return false;
        }
        let Some(id) = self.inflight.ask(Ask::Tools) else { return false };
        self.asking.id = Some(id);
        self.asking.pages += 1;
        let mut params = String::new();
        let mut members = Members::open(&mut params);
        if let Some(cursor) = cursor {
            members.raw("cursor", cursor.raw());
        }
        if !self.asking.meta.is_empty() {
            members.raw("_meta", &self.asking.meta);
        }
        members.close();
        let digits = id.digits();
        let parts: [&[u8]; 5] = [
            br#"{"jsonrpc":"2.0","id":"#,
            &digits,
            br#","method":"tools/list","params":"#,
            params.as_bytes(),
            b"}\n",
        ];
        turn.to_upstream.add_parts(ToUpstream::Own(id), &parts);
        true
    }

    /// Whatever still comes for the list is of no use.
    pub(super) fn stop_asking(&mut self) {
        if let Some(id) = self.asking.id.take() {
            self.inflight.take(id);
        }
        self.asking = Asking::default();
    }
}

/// The members of a request's `_meta` that belong to the protocol, as an object.
fn protocol_meta(request: &[u8]) -> Option<String> {
    let doc = Doc::parse(request, limits(request.len())).ok()?;
    let meta = doc.root().path(&["params", "_meta"]).filter(|it| it.kind() == Kind::Object)?;
    let mut text = String::new();
    let mut members = Members::open(&mut text);
    for (key, value) in meta.members() {
        let key = key.as_str()?;
        if key.starts_with("io.modelcontextprotocol/") {
            members.raw(&key, value.raw());
        }
    }
    members.close();
    (text != "{}").then_some(text)
}

//! `Catalog`: the tools of the upstream, and how the gate asks for their list itself.

use std::time::{Duration, Instant};

use redress_wire::json::{Doc, Kind, Members, Value};

use super::{Session, interface::Actions};
use crate::{
    exchange::Exchange,
    frame::{Frame, Shape, limits},
    inflight::OwnRequest,
    outgoing::{ReplyToken, ToUpstream},
    tools::Tools,
    upstream_id::UpstreamId,
};

/// How long a failure waits for the list of tools.
const PATIENCE: Duration = Duration::from_secs(1);

/// The most pages of a list that are asked for.
const MOST_PAGES: u32 = 50;

/// The tools of the upstream, and the gate's own request for their list.
#[derive(Debug, Default)]
pub(super) struct Catalog {
    pub(super) tools: Tools,
    discovery: Discovery,
}

/// The gate's own request for the list of tools.
#[derive(Debug, Default)]
struct Discovery {
    id: Option<UpstreamId>,
    pages: u32,
    /// The cursor of the page, if it is not the first one.
    cursor: Option<Box<str>>,
    /// What the protocol wants in every request, from the request that failed.
    meta: String,
    /// The request that caused it.
    of: Option<ReplyToken>,
    /// Until when a failure waits for it.
    until: Option<Instant>,
    /// When it is given up.
    end: Option<Instant>,
}

impl Catalog {
    /// When the gate's own request is given up, if it is under way.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.discovery.end.filter(|_| self.discovery.id.is_some())
    }

    /// Whether a message answers the gate's own request.
    pub(super) fn is_answered_by(&self, frame: &Frame<'_>) -> bool {
        self.discovery.id.is_some()
            && frame.id.and_then(UpstreamId::of) == self.discovery.id
            && matches!(frame.shape, Shape::Result | Shape::Error)
    }

    /// Takes in a page that the gate itself asked for. Gives the cursor of the next one.
    pub(super) fn learn<'d>(&mut self, page: Value<'d>) -> Option<Value<'d>> {
        self.tools.learn(page, self.discovery.cursor.as_deref())
    }
}

/// Asks for the list of tools, or joins those who wait for it; gives the time when the waiting ends.
pub(super) fn wait_for_tools(
    session: &mut Session,
    exchange: &Exchange,
    actions: &mut Actions,
) -> Option<Instant> {
    let in_time =
        |it: Option<Instant>| it.map(|it| exchange.deadline.map_or(it, |end| it.min(end)));
    if session.catalog.discovery.id.is_some() {
        actions.is_sooner = true;
        return in_time(session.catalog.discovery.until.filter(|it| actions.now.at < *it));
    }
    let is_worth_it =
        exchange.request.tool().is_some_and(|it| session.catalog.tools.is_worth_asking(it));
    if !is_worth_it || !session.upstream.is_up() {
        return None;
    }
    let meta = exchange.request.line().and_then(protocol_meta).unwrap_or_default();
    in_time(request_tools(session, (meta, exchange.from.reply_token), actions))
}

/// Asks for the list of tools before a call is sent, if an earlier call failed without an answer and its tool is unknown.
pub(super) fn discover_before(session: &mut Session, id: UpstreamId, actions: &mut Actions) {
    if !session.catalog.tools.is_wanted()
        || session.catalog.discovery.id.is_some()
        || !session.upstream.is_up()
    {
        return;
    }
    let Some(exchange) = session.inflight.exchange(id) else { return };
    if exchange.request.tool().is_some_and(|it| session.catalog.tools.is_worth_asking(it)) {
        let meta = exchange.request.line().and_then(protocol_meta).unwrap_or_default();
        let reply_token = exchange.from.reply_token;
        request_tools(session, (meta, reply_token), actions);
    }
}

fn request_tools(
    session: &mut Session,
    (meta, reply_token): (String, ReplyToken),
    actions: &mut Actions,
) -> Option<Instant> {
    let (of, until) = (Some(reply_token), Some(actions.now.at + PATIENCE));
    let end = actions.now.at.checked_add(session.server.settings.deadline);
    session.catalog.discovery = Discovery { meta, of, until, end, ..Discovery::default() };
    session.catalog.tools.asked();
    actions.is_sooner = true;
    session.catalog.discovery.until.filter(|_| request_page(session, None, actions))
}

pub(super) fn request_page(
    session: &mut Session,
    cursor: Option<Value<'_>>,
    actions: &mut Actions,
) -> bool {
    if session.catalog.discovery.pages >= MOST_PAGES {
        return false;
    }
    let Some(id) = session.inflight.ask(OwnRequest::Tools) else { return false };
    session.catalog.discovery.id = Some(id);
    session.catalog.discovery.pages += 1;
    session.catalog.discovery.cursor = cursor.and_then(Value::as_str).map(Into::into);
    let mut params = String::new();
    let mut members = Members::open(&mut params);
    if let Some(cursor) = cursor {
        members.raw("cursor", cursor.raw());
    }
    if !session.catalog.discovery.meta.is_empty() {
        members.raw("_meta", &session.catalog.discovery.meta);
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
    actions.to_upstream.add_parts(ToUpstream::Own(id, session.catalog.discovery.of), &parts);
    true
}

/// The tools may be others from now on.
pub(super) fn forget_tools(session: &mut Session) {
    session.catalog.tools.forget();
    session.verdicts.forget();
}

/// Whatever still comes for the list is of no use.
pub(super) fn stop_discovery(session: &mut Session) {
    if let Some(id) = session.catalog.discovery.id.take() {
        session.inflight.take(id);
    }
    session.catalog.discovery = Discovery::default();
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use redress_wire::json::{Doc, Limits};

    use super::{Catalog, Discovery};
    use crate::{frame::Frame, upstream_id::UpstreamId};

    #[test]
    fn a_request_that_is_not_under_way_has_no_deadline() {
        let end = Some(Instant::now() + Duration::from_secs(1));
        let mut catalog =
            Catalog { discovery: Discovery { end, ..Discovery::default() }, ..Catalog::default() };
        assert_eq!(catalog.next_deadline(), None);
        catalog.discovery.id = Some(UpstreamId::new(1, 2));
        assert_eq!(catalog.next_deadline(), end);
    }

    #[test]
    fn only_an_answer_under_its_id_answers_it() {
        let id = UpstreamId::new(1, 2);
        let mut catalog = Catalog::default();
        let digits = String::from_utf8(id.digits().to_vec()).unwrap();
        for (rest, answers) in
            [("\"result\":{}", true), ("\"error\":{}", true), ("\"method\":\"x\"", false)]
        {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{digits},{rest}}}");
            let doc = Doc::parse(line.as_bytes(), Limits::DOCUMENT).unwrap();
            let frame = Frame::of(&doc).unwrap();
            catalog.discovery.id = None;
            assert!(!catalog.is_answered_by(&frame));
            catalog.discovery.id = Some(id);
            assert_eq!(catalog.is_answered_by(&frame), answers, "{line}");
        }
    }
}

//! `Site`: every server at its place, and who may come in.

use std::{net::IpAddr, sync::Arc};

use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{CONTENT_TYPE, HeaderValue},
};
use redress::codes;

use super::{
    access::{Access, Principal},
    body::Body,
    failed_tokens,
    get::{self, SESSION},
    handle::Common,
    house::House,
    pages,
    post::{self, Guest},
    refusal::Refusal,
    throttle::Throttle,
};
use crate::{
    caller::{Caller, Peer},
    metrics,
    server::Server,
};

/// A server, and its path without the slash at its start.
pub(super) type Place = (Box<str>, Arc<House>);

/// Every server at its place.
pub(super) struct Site {
    pub(super) houses: Vec<Place>,
    /// Servers as they were before a change, whose sessions go on.
    pub(super) left: Vec<Place>,
    pub(super) access: Access,
    pub(super) throttle: Arc<Throttle>,
}

impl Site {
    /// Answers a request, so that the page that makes it can read the answer, if one does.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        from: IpAddr,
        common: &Common,
    ) -> Response<Body> {
        let page = self.access.page(request.headers());
        let mut response = if pages::is_asked(request.method(), request.headers()) {
            self.answer_browser(&request)
        } else {
            self.answer_client(request, from, common).await
        };
        if let Some(origin) = page {
            pages::show(&mut response, origin);
        }
        response
    }

    /// A browser asks for a page, and brings no token: the request that it asks for will.
    fn answer_browser(&self, request: &Request<Incoming>) -> Response<Body> {
        match self.access.check_way(request.uri(), request.headers()) {
            Ok(()) => pages::may_ask(request.headers()),
            Err(refusal) => refusal.unrecorded(),
        }
    }

    async fn answer_client(
        &self,
        request: Request<Incoming>,
        from: IpAddr,
        common: &Common,
    ) -> Response<Body> {
        let peer = Peer::of(from);
        if let Err(refusal) = self.access.check_way(request.uri(), request.headers()) {
            return self.refuse(refusal, peer).await;
        }
        let path = self.meant(without_slash(request.uri().path()));
        let who = match self.access.caller(request.headers()) {
            Ok(who) => who,
            Err(why) => match self.recorder(path) {
                // Rare, so that it should not make every request larger.
                Some(house) => {
                    let refused = failed_tokens::refuse(why, from, &self.throttle, &house.plan);
                    return Box::pin(refused).await;
                }
                None => return Refusal::unknown_caller(why).unrecorded(),
            },
        };
        let caller = match who.token() {
            _ if self.has_one_caller(common) => Caller::ONLY,
            token => Caller { token, peer },
        };
        if let Some(house) = self.house(path, who, request.headers()) {
            let answered = match *request.method() {
                Method::POST => {
                    let guest = Guest { principal: who, caller, peer };
                    post::post(&house, guest, request).await
                }
                Method::GET => get::listen(&house, who, request.headers()),
                Method::DELETE => get::delete(&house, who, request.headers()),
                _ => Err(Refusal::method("GET, POST, DELETE").closing()),
            };
            return match answered {
                Ok(response) => response,
                // Rare, so that it should not make every request larger.
                Err(refusal) => Box::pin(refusal.recorded(&house.plan, peer)).await,
            };
        }
        match path {
            "healthz" => text(Bytes::from_static(b"ok\n"), "text/plain; charset=utf-8"),
            "metrics" => text(Bytes::from(metrics::render(&self.servers())), metrics::CONTENT_TYPE),
            _ => self.refuse(self.nothing_at(path), peer).await,
        }
    }

    /// The answer to a request that comes to no server, once it is recorded or counted. All servers have one ledger.
    async fn refuse(&self, refusal: Refusal, peer: Peer) -> Response<Body> {
        match self.houses.first() {
            Some((_, house)) => Box::pin(refusal.recorded_for_none(&house.plan, peer)).await,
            None => refusal.unrecorded(),
        }
    }

    /// Whether there can be only one caller: nobody could take a place from another.
    fn has_one_caller(&self, common: &Common) -> bool {
        common.is_local && self.access.tokens.as_ref().is_none_or(|it| it.len() <= 1)
    }

    /// The place that a path means: a server that is the only one needs no name.
    fn meant<'p>(&'p self, path: &'p str) -> &'p str {
        match self.houses.as_slice() {
            [(at, _)] if path == "mcp" => at,
            _ => path,
        }
    }

    /// The server at a path; of several the one that has the request's session.
    fn house(&self, path: &str, who: Principal, headers: &HeaderMap) -> Option<Arc<House>> {
        if !self.left.is_empty()
            && let Some(session) = headers.get(SESSION).and_then(|it| it.to_str().ok())
        {
            let mut left = self.left.iter().filter(|it| *it.0 == *path);
            if let Some((_, house)) = left.find(|it| it.1.find(session, who).is_some()) {
                return Some(Arc::clone(house));
            }
        }
        self.houses.iter().find(|(at, _)| **at == *path).map(|(_, house)| Arc::clone(house))
    }

    /// The server that counts and records what is refused at a path before it is known who asks: the one at that path, else the first.
    pub(super) fn recorder(&self, path: &str) -> Option<&Arc<House>> {
        let at_path = self.houses.iter().find(|(at, _)| **at == *path);
        at_path.or_else(|| self.houses.first()).map(|(_, house)| house)
    }

    /// Every server, those too that are left over.
    pub(super) fn all(&self) -> impl Iterator<Item = &Place> {
        self.houses.iter().chain(&self.left)
    }

    /// How each server is gated.
    pub(super) fn servers(&self) -> Vec<Arc<Server>> {
        self.houses.iter().map(|(_, house)| Arc::clone(&house.plan.server)).collect()
    }

    fn nothing_at(&self, path: &str) -> Refusal {
        let places: Vec<_> = self.houses.iter().take(20).map(|(at, _)| format!("/{at}")).collect();
        let path: String = path.chars().take(80).collect();
        let message = format!("There is no server at {:?}.", format!("/{path}"));
        Refusal::new(StatusCode::NOT_FOUND, codes::NOT_FOUND, message)
            .fix(format!("Use one of: {}.", places.join(", ")))
            .closing()
    }
}

/// A path without the slash at its start: one more would be another place.
fn without_slash(path: &str) -> &str {
    path.strip_prefix('/').unwrap_or(path)
}

/// A page for programs.
fn text(text: Bytes, kind: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::Whole(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

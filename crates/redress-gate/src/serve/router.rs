//! `Router`: finds the server of a request by its path, and refuses requests that are not allowed.

use std::{net::IpAddr, sync::Arc};

use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{CONTENT_TYPE, HeaderValue},
};
use redress::codes;
use redress_proxy::{
    caller::{Caller, Peer},
    exposition,
    server::Server,
};

use super::{
    access::{Access, Principal, TokenError},
    body::Body,
    cors, failed_tokens,
    get::{self, SESSION},
    handle::Common,
    post::{self, Requester},
    refusal::RefusedRequest,
    session_manager::SessionManager,
    throttle::Throttle,
};
use crate::pages;

/// A server, and its path without the slash at its start.
pub(super) type Route = (Box<str>, Arc<SessionManager>);

/// The servers by their paths, and who may use them.
pub(super) struct Router {
    pub(super) routes: Vec<Route>,
    /// Servers as they were before a change, whose sessions go on.
    pub(super) left: Vec<Route>,
    pub(super) access: Access,
    pub(super) throttle: Arc<Throttle>,
}

impl Router {
    /// Answers a request, so that the page that makes it can read the answer, if one does.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        from: IpAddr,
        common: &Common,
    ) -> Response<Body> {
        if let Some(pages) = common.pages.as_ref().filter(|it| it.has(request.uri().path())) {
            return Box::pin(self.answer_person(request, from, pages)).await;
        }
        let page = self.access.page(request.headers());
        let mut response = if cors::is_asked(request.method(), request.headers()) {
            self.answer_browser(&request)
        } else {
            self.answer_client(request, from, common).await
        };
        if let Some(origin) = page {
            cors::show(&mut response, origin);
        }
        response
    }

    /// A browser asks for a page, and brings no token: the request that it asks for will.
    fn answer_browser(&self, request: &Request<Incoming>) -> Response<Body> {
        match self.access.check_way(request.uri(), request.headers()) {
            Ok(()) => cors::may_ask(request.headers()),
            Err(refusal) => refusal.unrecorded(),
        }
    }

    /// A person asks for a page. A token, where the request has one, counts as everywhere; the pages know their own sessions.
    async fn answer_person(
        &self,
        request: Request<Incoming>,
        from: IpAddr,
        pages: &Arc<dyn pages::Pages>,
    ) -> Response<Body> {
        if let Err(refusal) = self.access.check_name(request.uri(), request.headers()) {
            return self.refuse(refusal, Peer::of(from)).await;
        }
        let token = match self.access.caller(request.headers()) {
            Ok(who) => self.access.page_right(who),
            Err(TokenError::Missing) => pages::PageRight::None,
            Err(why) => match self.recorder("") {
                Some(manager) => {
                    return failed_tokens::refuse(why, from, &self.throttle, &manager.runtime)
                        .await;
                }
                None => return RefusedRequest::unknown_caller(why).unrecorded(),
            },
        };
        pages::page(request, Arc::clone(pages), token).await.map(Body::Whole)
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
                Some(manager) => {
                    let refused =
                        failed_tokens::refuse(why, from, &self.throttle, &manager.runtime);
                    return Box::pin(refused).await;
                }
                None => return RefusedRequest::unknown_caller(why).unrecorded(),
            },
        };
        let caller = match who.token() {
            _ if self.has_one_caller(common) => Caller::ONLY,
            token => Caller { token, peer },
        };
        if let Some(manager) = self.find(path, who, request.headers()) {
            let answered = match *request.method() {
                Method::POST => {
                    let requester = Requester { principal: who, caller, peer };
                    post::post(&manager, requester, request).await
                }
                Method::GET => get::listen(&manager, who, request.headers()),
                Method::DELETE => get::delete(&manager, who, request.headers()),
                _ => Err(RefusedRequest::method("GET, POST, DELETE").closing()),
            };
            return match answered {
                Ok(response) => response,
                // Rare, so that it should not make every request larger.
                Err(refusal) => Box::pin(refusal.recorded(&manager.runtime, peer)).await,
            };
        }
        match path {
            "healthz" => text(Bytes::from_static(b"ok\n"), "text/plain; charset=utf-8"),
            "metrics" => {
                text(Bytes::from(exposition::render(&self.servers())), exposition::CONTENT_TYPE)
            }
            _ => self.refuse(self.nothing_at(path), peer).await,
        }
    }

    /// The answer to a request that comes to no server, once it is recorded or counted. All servers have one ledger.
    async fn refuse(&self, refusal: RefusedRequest, peer: Peer) -> Response<Body> {
        match self.routes.first() {
            Some((_, manager)) => Box::pin(refusal.recorded_for_none(&manager.runtime, peer)).await,
            None => refusal.unrecorded(),
        }
    }

    /// Whether there can be only one caller, so that shares are not needed.
    fn has_one_caller(&self, common: &Common) -> bool {
        common.is_local && self.access.tokens.as_ref().is_none_or(|it| it.len() <= 1)
    }

    /// The route that a path means: the only server needs no name.
    fn meant<'p>(&'p self, path: &'p str) -> &'p str {
        match self.routes.as_slice() {
            [(at, _)] if path == "mcp" => at,
            _ => path,
        }
    }

    /// The server at a path; of several the one that has the request's session.
    fn find(&self, path: &str, who: Principal, headers: &HeaderMap) -> Option<Arc<SessionManager>> {
        if !self.left.is_empty()
            && let Some(session) = headers.get(SESSION).and_then(|it| it.to_str().ok())
        {
            let mut left = self.left.iter().filter(|it| *it.0 == *path);
            if let Some((_, manager)) = left.find(|it| it.1.find(session, who).is_some()) {
                return Some(Arc::clone(manager));
            }
        }
        self.routes.iter().find(|(at, _)| **at == *path).map(|(_, manager)| Arc::clone(manager))
    }

    /// The server that records requests refused before their sender is known: the one at the path, else the first.
    pub(super) fn recorder(&self, path: &str) -> Option<&Arc<SessionManager>> {
        let at_path = self.routes.iter().find(|(at, _)| **at == *path);
        at_path.or_else(|| self.routes.first()).map(|(_, manager)| manager)
    }

    /// Every server, those too that are left over.
    pub(super) fn all(&self) -> impl Iterator<Item = &Route> {
        self.routes.iter().chain(&self.left)
    }

    /// How each server is gated.
    pub(super) fn servers(&self) -> Vec<Arc<Server>> {
        self.routes.iter().map(|(_, manager)| Arc::clone(&manager.runtime.server)).collect()
    }

    fn nothing_at(&self, path: &str) -> RefusedRequest {
        let places: Vec<_> = self.routes.iter().take(20).map(|(at, _)| format!("/{at}")).collect();
        let path: String = path.chars().take(80).collect();
        let message = format!("There is no server at {:?}.", format!("/{path}"));
        RefusedRequest::new(StatusCode::NOT_FOUND, codes::NOT_FOUND, message)
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

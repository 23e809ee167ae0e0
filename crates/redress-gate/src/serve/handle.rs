//! `Handle`: changes what is served while it is served. No call is dropped: sessions go on as they were opened.

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, PoisonError, RwLock},
    time::Instant,
};

use hyper::{Request, Response, body::Incoming};
use redress_ledger::Clock;
use redress_proxy::{memory::MemoryBudget, server::Server};
use tokio_rustls::TlsAcceptor;

use super::{
    Served,
    access::Access,
    body::Body,
    connection_limit::ConnectionLimit,
    failed_tokens,
    router::{Route, Router},
    session_manager::SessionManager,
    throttle::Throttle,
};
use crate::{log::StderrLog, pages::Pages, tls::Tls};

/// Changes what is served.
#[derive(Clone)]
pub struct Handle {
    pub(super) current: Arc<Current>,
    pub(super) limit: Arc<ConnectionLimit>,
}

/// One server of a change.
#[derive(Debug)]
pub enum ServerChange {
    /// The server of that name stays as it is.
    Same(String),
    /// One that is new, or takes the place of another.
    New(Box<Served>),
    /// One that takes the place of another whose sessions end: each after the calls that it has in progress.
    Instead(Box<Served>),
}

impl Handle {
    /// From now on these are served, in this order, to requests that `access` allows. Sessions that are open stay with the server
    /// that they were opened with until they end, although its place may have another one, or none; with [`ServerChange::Instead`] they
    /// take no further request.
    pub fn change(&self, servers: Vec<ServerChange>, access: Access) {
        let mut router = self.current.router.write().unwrap_or_else(PoisonError::into_inner);
        for next in &servers {
            if let ServerChange::Instead(served) = next {
                let at = path(served.name.as_deref());
                router.all().filter(|it| it.0 == at).for_each(|it| it.1.withdraw());
            }
        }
        let routes: Vec<Route> =
            servers.into_iter().filter_map(|it| self.current.route(it, &router)).collect();
        let stays = |it: &&Route| routes.iter().any(|(_, manager)| Arc::ptr_eq(manager, &it.1));
        let gone = router.routes.iter().filter(|it| !stays(it));
        let left = router.left.iter().chain(gone).cloned().collect();
        let throttle = Arc::clone(&self.current.throttle);
        *router = Arc::new(Router { routes, left, access, throttle });
    }

    /// From now on connections get this certificate. A listener has one from its start on, or none.
    pub fn change_certificate(&self, tls: &Tls) {
        let mut current = self.current.tls.write().unwrap_or_else(PoisonError::into_inner);
        if current.is_some() {
            *current = Some(tls.acceptor());
        }
    }

    /// From now on there are no more connections than that at once. Those that are too many go on until they end.
    pub fn limit_connections(&self, most: usize) {
        self.limit.resize(most);
    }

    /// The servers that are served now.
    pub fn servers(&self) -> Vec<Arc<Server>> {
        self.current.router().servers()
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").finish_non_exhaustive()
    }
}

/// What is served at the moment.
pub(super) struct Current {
    router: RwLock<Arc<Router>>,
    throttle: Arc<Throttle>,
    /// With the certificate of the listener, if it has one.
    tls: RwLock<Option<TlsAcceptor>>,
    pub(super) common: Common,
}

/// What all servers have in common, also after a change.
pub(super) struct Common {
    pub(super) clock: Clock,
    pub(super) log: Arc<StderrLog>,
    pub(super) memory: Arc<MemoryBudget>,
    /// Whether only clients of this machine reach the listener.
    pub(super) is_local: bool,
    /// Pages for people, beside the servers.
    pub(super) pages: Option<Arc<dyn Pages>>,
}

impl Current {
    pub(super) fn new(
        servers: Vec<Served>,
        access: Access,
        tls: Option<&Tls>,
        common: Common,
    ) -> Self {
        let routes = servers.into_iter().map(|it| route(it, &common)).collect();
        let throttle = Arc::<Throttle>::default();
        let router = Router { routes, left: Vec::new(), access, throttle: Arc::clone(&throttle) };
        let (router, tls) = (RwLock::new(Arc::new(router)), RwLock::new(tls.map(Tls::acceptor)));
        Self { router, throttle, tls, common }
    }

    /// Answers a request of a peer. A change meets the next one.
    pub(super) async fn answer(&self, request: Request<Incoming>, from: IpAddr) -> Response<Body> {
        self.router().answer(request, from, &self.common).await
    }

    /// Accepts TLS on new connections, if the listener has a certificate.
    pub(super) fn tls(&self) -> Option<TlsAcceptor> {
        self.tls.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn router(&self) -> Arc<Router> {
        Arc::clone(&self.router.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends unused sessions, and replaced servers whose last session has ended; records the calls of the minutes that are over.
    pub(super) async fn sweep(&self, now: Instant) {
        for (_, manager) in self.router().all() {
            manager.sweep(now);
            manager.runtime.recorder.tell_calls();
        }
        self.record_failed_tokens(now).await;
        for manager in self.take_spent() {
            manager.end_all().await;
        }
    }

    async fn record_failed_tokens(&self, now: Instant) {
        let router = self.router();
        if let Some(manager) = router.recorder("")
            && let Some(failures) = self.throttle.due(now)
        {
            failed_tokens::record(&failures, &manager.runtime).await;
        }
    }

    /// Records what failed since the last record.
    pub(super) async fn record_last_failed_tokens(&self) {
        let router = self.router();
        if let Some(manager) = router.recorder("")
            && let Some(failures) = self.throttle.rest()
        {
            failed_tokens::record(&failures, &manager.runtime).await;
        }
    }

    /// Takes out replaced servers that are not used any more.
    fn take_spent(&self) -> Vec<Arc<SessionManager>> {
        if self.router().left.is_empty() {
            return Vec::new();
        }
        let mut router = self.router.write().unwrap_or_else(PoisonError::into_inner);
        // Before any is cloned: another reference means a request on its way in.
        let (spent, left): (Vec<_>, Vec<_>) = router.left.iter().partition(|it| it.1.is_spent());
        let spent = spent.into_iter().map(|it| Arc::clone(&it.1)).collect();
        let left = left.into_iter().cloned().collect();
        let (routes, access) = (router.routes.clone(), router.access.clone());
        let throttle = Arc::clone(&self.throttle);
        *router = Arc::new(Router { routes, left, access, throttle });
        spent
    }

    fn route(&self, next: ServerChange, router: &Router) -> Option<Route> {
        match next {
            ServerChange::New(served) | ServerChange::Instead(served) => {
                Some(route(*served, &self.common))
            }
            ServerChange::Same(name) => {
                router.routes.iter().find(|it| *it.0 == *path(Some(&name))).cloned()
            }
        }
    }
}

fn route(served: Served, common: &Common) -> Route {
    let at = path(served.name.as_deref());
    (at, Arc::new(SessionManager::new(served, common)))
}

/// Where a server is, without the slash at its start.
fn path(name: Option<&str>) -> Box<str> {
    name.map_or_else(|| "mcp".into(), |it| format!("{it}/mcp").into())
}

//! `Handle`: changes what is served while it is served. No call is dropped: sessions go on as they were opened.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
    time::Instant,
};

use hyper::{Request, Response, body::Incoming};
use redress_ledger::Clock;

use super::{
    Served,
    access::Access,
    body::Body,
    house::House,
    site::{Place, Site},
};
use crate::{log::Log, server::Server};

/// Changes what is served.
#[derive(Clone)]
pub struct Handle {
    pub(super) current: Arc<Current>,
}

/// One server of a change.
#[derive(Debug)]
pub enum Next {
    /// The server of that name stays as it is.
    Same(String),
    /// One that is new, or takes the place of another.
    New(Box<Served>),
}

impl Handle {
    /// From now on these are served, in this order, to whom `access` lets in. Sessions that are open stay with the server
    /// that they were opened with until they end, although its place may have another one, or none.
    pub fn change(&self, servers: Vec<Next>, access: Access) {
        let mut site = self.current.site.write().unwrap_or_else(PoisonError::into_inner);
        let houses: Vec<Place> =
            servers.into_iter().filter_map(|it| self.current.place(it, &site)).collect();
        let stays = |it: &&Place| houses.iter().any(|(_, house)| Arc::ptr_eq(house, &it.1));
        let gone = site.houses.iter().filter(|it| !stays(it));
        let left = site.left.iter().chain(gone).cloned().collect();
        *site = Arc::new(Site { houses, left, access });
    }

    /// The servers that are served now.
    pub fn servers(&self) -> Vec<Arc<Server>> {
        self.current.site().servers()
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").finish_non_exhaustive()
    }
}

/// What is served at the moment.
pub(super) struct Current {
    site: RwLock<Arc<Site>>,
    clock: Clock,
    log: Arc<Log>,
}

impl Current {
    pub(super) fn new(servers: Vec<Served>, access: Access, clock: Clock, log: Arc<Log>) -> Self {
        let houses = servers.into_iter().map(|it| place(it, &clock, &log)).collect();
        let site = Site { houses, left: Vec::new(), access };
        Self { site: RwLock::new(Arc::new(site)), clock, log }
    }

    /// Answers a request. A change meets the next one.
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        self.site().answer(request).await
    }

    pub(super) fn site(&self) -> Arc<Site> {
        Arc::clone(&self.site.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends sessions that nobody has used for a while, and servers that were left by the last of theirs.
    pub(super) async fn sweep(&self, now: Instant) {
        self.site().all().for_each(|(_, it)| it.sweep(now));
        for house in self.take_spent() {
            house.end_all().await;
        }
    }

    /// Takes out servers of earlier changes that nobody uses any more.
    fn take_spent(&self) -> Vec<Arc<House>> {
        if self.site().left.is_empty() {
            return Vec::new();
        }
        let mut site = self.site.write().unwrap_or_else(PoisonError::into_inner);
        // Before any is cloned: who else holds one is a request on its way in.
        let (spent, left): (Vec<_>, Vec<_>) = site.left.iter().partition(|it| it.1.is_spent());
        let spent = spent.into_iter().map(|it| Arc::clone(&it.1)).collect();
        let left = left.into_iter().cloned().collect();
        let (houses, access) = (site.houses.clone(), site.access.clone());
        *site = Arc::new(Site { houses, left, access });
        spent
    }

    fn place(&self, next: Next, site: &Site) -> Option<Place> {
        match next {
            Next::New(served) => Some(place(*served, &self.clock, &self.log)),
            Next::Same(name) => site.houses.iter().find(|it| *it.0 == *path(Some(&name))).cloned(),
        }
    }
}

fn place(served: Served, clock: &Clock, log: &Arc<Log>) -> Place {
    let at = path(served.name.as_deref());
    (at, Arc::new(House::new(served, clock, log)))
}

/// Where a server is, without the slash at its start.
fn path(name: Option<&str>) -> Box<str> {
    name.map_or_else(|| "mcp".into(), |it| format!("{it}/mcp").into())
}

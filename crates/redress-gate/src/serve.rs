//! `serve`: clients over HTTP, one or many servers behind it. Tasks on a runtime, which `run` does without.

mod accept;
mod access;
mod batch;
mod body;
mod connection_limit;
mod content_negotiation;
mod cors;
mod failed_tokens;
mod get;
mod handle;
mod pending_request;
mod post;
mod refusal;
mod router;
mod session_manager;
mod stateless;
mod throttle;
mod version;
mod write_timeout;

use std::{
    fs::File,
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use redress_ledger::{Clock, Ledger};
use redress_proxy::{memory::MemoryBudget, server::Server};
use tokio::signal::unix::{SignalKind, signal};

use self::{
    accept::Listener,
    handle::{Common, Current},
};
pub(crate) use self::{
    access::TokenError,
    throttle::{Pace, Throttle},
    write_timeout::WriteTimeout,
};
pub use self::{
    access::{Access, Tokens},
    handle::{Handle, ServerChange},
    session_manager::Sharing,
};
pub use crate::tls::{Tls, TlsError};
use crate::{
    connection::{OnLedgerFailure, Target},
    log::StderrLog,
    pages::Pages,
};

/// How long requests that were sent before the end may take to arrive.
const LAST_REQUESTS: Duration = Duration::from_millis(150);

/// How often idle sessions are looked for.
const SWEEP: Duration = Duration::from_secs(5);

/// What is to be served, and how.
pub struct Serve {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The servers.
    pub servers: Vec<Served>,
    /// Who may come in.
    pub access: Access,
    /// The certificate of the listener; without one, it speaks plain HTTP.
    pub tls: Option<Tls>,
    /// The most connections at a time.
    pub most_connections: usize,
    /// The most bytes that are held for clients.
    pub most_bytes: usize,
    /// Tells the time.
    pub clock: Clock,
    /// Where the servers' logs go.
    pub log: File,
    /// Pages for people, beside the servers.
    pub pages: Option<Arc<dyn Pages>>,
}

/// One server.
pub struct Served {
    /// Its place is `/<name>/mcp`; without a name `/mcp`.
    pub name: Option<String>,
    /// The server behind the gate.
    pub target: Target,
    /// How it is gated.
    pub server: Arc<Server>,
    /// Where its failures are recorded.
    pub ledger: Option<Arc<Ledger>>,
    /// What happens when they cannot be.
    pub on_ledger_failure: OnLedgerFailure,
    /// How its sessions are kept apart.
    pub sharing: Sharing,
    /// The most sessions at a time.
    pub most_sessions: usize,
    /// A session that was not used for so long ends.
    pub idle: Duration,
    /// A session in which no message came for so long ends while sessions are short.
    pub first_call: Duration,
}

impl std::fmt::Debug for Serve {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Serve").field("listen", &self.listen).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Served").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Serves until a signal ends it. `ready` gets the address, and the handle that changes what is served.
pub fn serve(serve: Serve, ready: impl FnOnce(SocketAddr, Handle)) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(run(serve, ready));
    // Nothing that matters is left; what blocks must not keep us.
    runtime.shutdown_timeout(Duration::from_millis(100));
    served
}

async fn run(serve: Serve, ready: impl FnOnce(SocketAddr, Handle)) -> io::Result<()> {
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let log = Arc::new(StderrLog::new(serve.log)?);
    let common = Common {
        clock: serve.clock,
        log,
        memory: MemoryBudget::new(serve.most_bytes),
        is_local: serve.listen.ip().is_loopback(),
        pages: serve.pages,
    };
    let tls = serve.tls.as_ref();
    let current = Arc::new(Current::new(serve.servers, serve.access, tls, common));
    let listener = Listener::bind(serve.listen, serve.most_connections).await?;
    let handle = Handle { current: Arc::clone(&current), limit: Arc::clone(&listener.limit) };
    ready(listener.address()?, handle);
    let mut sweep = tokio::time::interval(SWEEP);
    tokio::select! {
        never = listener.accept(&current) => match never {},
        () = async {
            loop {
                sweep.tick().await;
                current.sweep(Instant::now()).await;
            }
        } => (),
        _ = terminated.recv() => (),
        _ = interrupted.recv() => (),
    }
    let mut closing = tokio::task::JoinSet::new();
    for (_, manager) in current.router().all() {
        let manager = Arc::clone(manager);
        closing.spawn(async move { manager.end_all().await });
    }
    // Requests that are on their way in are answered, too.
    tokio::select! {
        never = listener.accept(&current) => match never {},
        () = async {
            closing.join_all().await;
            tokio::time::sleep(LAST_REQUESTS).await;
        } => (),
    }
    listener.stop();
    listener.finish().await;
    current.record_last_failed_tokens().await;
    // Only now, because servers may share a ledger. It syncs a file, for which a task must not wait.
    let close = move || current.router().all().for_each(|(_, it)| it.runtime.recorder.end());
    tokio::task::spawn_blocking(close).await.unwrap_or_default();
    Ok(())
}

//! `Listener`: connections are accepted, within bounds, and each is served until it or everything ends.

use std::{
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use redress_proxy::{
    caller::{Caller, Peer},
    slots::SlotPool,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::watch,
    time::{sleep, timeout},
};

use super::{
    connection_limit::ConnectionLimit, handle::Current, refusal::RefusedRequest,
    write_timeout::WriteTimeout,
};

/// How long the head of a request may take, and how long it may take to agree on a key.
const HEAD: Duration = Duration::from_secs(10);

/// How long a client may read nothing of a response. Other clients may wait for the slot of its connection.
const DEAFNESS: Duration = Duration::from_secs(30);

/// How much is read of a connection before it is used: the longest head of a request.
const LONGEST_HEAD: usize = 64 << 10;

/// How long what is being said may take when everything ends.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long we wait when the system has nothing left to accept a connection with.
const BREATH: Duration = Duration::from_millis(50);

/// Accepts connections.
pub(super) struct Listener {
    socket: TcpListener,
    pub(super) limit: Arc<ConnectionLimit>,
    slots: Arc<Mutex<SlotPool>>,
    stop: watch::Sender<bool>,
}

impl Listener {
    pub(super) async fn bind(address: SocketAddr, most: usize) -> io::Result<Self> {
        let socket = TcpListener::bind(address).await?;
        Ok(Self {
            socket,
            limit: Arc::new(ConnectionLimit::new(most)),
            slots: Arc::new(Mutex::new(SlotPool::new(most))),
            stop: watch::Sender::new(false),
        })
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Accepts connections for ever. Those that are too many wait until others end; one of an address that has more than its share while
    /// slots are short is refused.
    pub(super) async fn accept(&self, router: &Arc<Current>) -> Infallible {
        loop {
            let permit = self.limit.enter().await;
            let Ok((stream, from)) = self.socket.accept().await else {
                sleep(BREATH).await;
                continue;
            };
            // A short answer must not wait for one that fills the packet.
            if stream.set_nodelay(true).is_err() {
                continue;
            }
            let peer = Peer::of(from.ip());
            // Clients on this machine all count as one caller.
            let caller =
                if router.common.is_local { Caller::ONLY } else { Caller { token: None, peer } };
            let Some(slot) = ConnectionSlot::take(&self.slots, caller) else {
                refuse(&stream);
                continue;
            };
            let (router, stop) = (Arc::clone(router), self.stop.subscribe());
            tokio::spawn(async move {
                let from = from.ip();
                match router.tls() {
                    None => connection(stream, from, &router, stop).await,
                    Some(tls) => {
                        // A peer that speaks no TLS, or does not trust us, notices by the end of the connection.
                        if let Ok(Ok(stream)) = timeout(HEAD, tls.accept(stream)).await {
                            connection(stream, from, &router, stop).await;
                        }
                    }
                }
                drop((slot, permit));
            });
        }
    }

    /// From now on every connection ends with the answer that it waits for.
    pub(super) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until all connections have ended, within reason.
    pub(super) async fn finish(&self) {
        // A client that does not read its answer in time is left.
        drop(timeout(LAST_WORDS, self.limit.is_empty()).await);
    }
}

/// The slot of a connection, until this value is dropped.
struct ConnectionSlot {
    slots: Arc<Mutex<SlotPool>>,
    caller: Caller,
}

impl ConnectionSlot {
    fn take(slots: &Arc<Mutex<SlotPool>>, caller: Caller) -> Option<Self> {
        let is_free = lock(slots).enter(caller);
        is_free.then(|| Self { slots: Arc::clone(slots), caller })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        lock(&self.slots).leave(self.caller);
    }
}

fn lock(slots: &Mutex<SlotPool>) -> MutexGuard<'_, SlotPool> {
    slots.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells a client that there is no slot for its connection. A new connection takes so few bytes at once.
fn refuse(stream: &TcpStream) {
    let message = "Your address has its share of the connections that there may be.";
    let refusal = RefusedRequest::overloaded(message)
        .fix("Close connections that are not needed any more, or wait.");
    stream.try_write(&refusal.into_bytes()).unwrap_or_default();
}

async fn connection<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    from: IpAddr,
    router: &Arc<Current>,
    mut stop: watch::Receiver<bool>,
) {
    let service = service_fn(|request: Request<Incoming>| {
        let router = Arc::clone(router);
        async move { Ok::<_, Infallible>(router.answer(request, from).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(WriteTimeout::new(stream, DEAFNESS)), service);
    let mut connection = pin!(connection);
    // A connection that ends early concerns its client alone: pending requests notice it by its end.
    tokio::select! {
        ended = connection.as_mut() => return drop(ended),
        _ = stop.wait_for(|it| *it) => connection.as_mut().graceful_shutdown(),
    }
    drop(connection.await);
}

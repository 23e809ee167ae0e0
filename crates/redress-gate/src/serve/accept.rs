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
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::watch,
    time::{sleep, timeout},
};

use super::{handle::Current, refusal::Refusal, room::Room, write_timeout::WriteTimeout};
use crate::{
    caller::{Caller, Peer},
    slots::SlotPool,
};

/// How long the head of a request may take, and how long it may take to agree on a key.
const HEAD: Duration = Duration::from_secs(10);

/// How long a client may read nothing of a response. Other clients may wait for the place of its connection.
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
    pub(super) room: Arc<Room>,
    places: Arc<Mutex<SlotPool>>,
    stop: watch::Sender<bool>,
}

impl Listener {
    pub(super) async fn bind(address: SocketAddr, most: usize) -> io::Result<Self> {
        let socket = TcpListener::bind(address).await?;
        Ok(Self {
            socket,
            room: Arc::new(Room::new(most)),
            places: Arc::new(Mutex::new(SlotPool::new(most))),
            stop: watch::Sender::new(false),
        })
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Accepts connections for ever. Those that are too many wait until others end; one of an address that has more than its share while
    /// places are short is refused.
    pub(super) async fn accept(&self, router: &Arc<Current>) -> Infallible {
        loop {
            let room = self.room.enter().await;
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
            let Some(place) = Place::take(&self.places, caller) else {
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
                drop((place, room));
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
        drop(timeout(LAST_WORDS, self.room.is_empty()).await);
    }
}

/// The place of a connection, until this value is dropped.
struct Place {
    places: Arc<Mutex<SlotPool>>,
    caller: Caller,
}

impl Place {
    fn take(places: &Arc<Mutex<SlotPool>>, caller: Caller) -> Option<Self> {
        let is_free = lock(places).enter(caller);
        is_free.then(|| Self { places: Arc::clone(places), caller })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.places).leave(self.caller);
    }
}

fn lock(places: &Mutex<SlotPool>) -> MutexGuard<'_, SlotPool> {
    places.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells a client that there is no place for its connection. A new connection takes so few bytes at once.
fn refuse(stream: &TcpStream) {
    let message = "Your address has its share of the connections that there may be.";
    let refusal = Refusal::overloaded(message)
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

//! `Listener`: connections are accepted, within bounds, and each is served until it or everything ends.

use std::{convert::Infallible, io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    time::{sleep, timeout},
};

use super::{handle::Current, impatient::Impatient};

/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(10);

/// How long a client may take no byte of what it is told. Its connection is one of those that others wait for.
const DEAFNESS: Duration = Duration::from_secs(30);

/// How long what is being said may take when everything ends.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long we wait when the system has nothing left to accept a connection with.
const BREATH: Duration = Duration::from_millis(50);

/// Accepts connections.
pub(super) struct Listener {
    socket: TcpListener,
    room: Arc<Semaphore>,
    most: usize,
    stop: watch::Sender<bool>,
}

impl Listener {
    pub(super) async fn bind(address: SocketAddr, most: usize) -> io::Result<Self> {
        let most = most.min(Semaphore::MAX_PERMITS);
        let socket = TcpListener::bind(address).await?;
        Ok(Self {
            socket,
            room: Arc::new(Semaphore::new(most)),
            most,
            stop: watch::Sender::new(false),
        })
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Accepts connections for ever. Those that are too many wait until others end.
    pub(super) async fn accept(&self, site: &Arc<Current>) -> Infallible {
        loop {
            let room = Arc::clone(&self.room).acquire_owned().await;
            let Ok((stream, _)) = self.socket.accept().await else {
                sleep(BREATH).await;
                continue;
            };
            // A short answer must not wait for one that fills the packet.
            if stream.set_nodelay(true).is_err() {
                continue;
            }
            let (site, stop) = (Arc::clone(site), self.stop.subscribe());
            tokio::spawn(async move {
                connection(stream, &site, stop).await;
                drop(room);
            });
        }
    }

    /// From now on every connection ends with the answer that it waits for.
    pub(super) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until all connections have ended, within reason.
    pub(super) async fn finish(&self) {
        let all = u32::try_from(self.most).unwrap_or(u32::MAX);
        // Whoever does not read his answer in time is left.
        drop(timeout(LAST_WORDS, self.room.acquire_many(all)).await);
    }
}

async fn connection(stream: TcpStream, site: &Arc<Current>, mut stop: watch::Receiver<bool>) {
    let service = service_fn(|request| {
        let site = Arc::clone(site);
        async move { Ok::<_, Infallible>(site.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(Impatient::new(stream, DEAFNESS)), service);
    let mut connection = pin!(connection);
    // What ends a connection early is the client's affair: whoever waits on it notices by its end.
    tokio::select! {
        ended = connection.as_mut() => return drop(ended),
        _ = stop.wait_for(|it| *it) => connection.as_mut().graceful_shutdown(),
    }
    drop(connection.await);
}

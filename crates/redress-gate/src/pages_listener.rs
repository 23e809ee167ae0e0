//! The listener of pages for people, on this machine alone.

use std::{
    convert::Infallible,
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use http_body_util::Full;
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::TcpStream,
    signal::unix::{SignalKind, signal},
    sync::Semaphore,
    time::sleep,
};

use crate::{
    pages::{PATIENCE, PageRight, Pages, page, plain},
    serve::{Access, WriteTimeout},
};

/// The longest head of a request.
const LONGEST_HEAD: usize = 16 << 10;

/// How many connections there may be.
const MOST_CONNECTIONS: usize = 64;

/// How long the listener waits when the system cannot accept a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Binds the listener of pages.
///
/// # Errors
/// The address is taken, or other machines reach it.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    if !address.ip().is_loopback() {
        let why = "other machines reach this address; the pages are for this machine";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Serves pages until a signal ends it.
///
/// # Errors
/// The system gives no runtime.
pub fn serve(listener: TcpListener, pages: &Arc<dyn Pages>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let mut terminated = signal(SignalKind::terminate())?;
        let mut interrupted = signal(SignalKind::interrupt())?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        tokio::select! {
            never = accept(&listener, pages) => match never {},
            _ = terminated.recv() => (),
            _ = interrupted.recv() => (),
        }
        Ok(())
    });
    runtime.shutdown_timeout(Duration::from_millis(100));
    served
}

/// Accepts connections for ever.
async fn accept(listener: &tokio::net::TcpListener, pages: &Arc<dyn Pages>) -> Infallible {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else {
            sleep(PAUSE).await;
            continue;
        };
        match listener.accept().await {
            Ok((stream, _)) => {
                let pages = Arc::clone(pages);
                tokio::spawn(async move {
                    connection(stream, pages).await;
                    drop(permit);
                });
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

async fn connection(stream: TcpStream, pages: Arc<dyn Pages>) {
    // Best effort: without it a page only comes later.
    stream.set_nodelay(true).unwrap_or_default();
    let service = service_fn(|request: Request<Incoming>| {
        let pages = Arc::clone(&pages);
        async move { Ok::<_, Infallible>(answer(request, pages).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(WriteTimeout::new(stream, PATIENCE)), service);
    // A connection that ends early concerns its client alone.
    drop(connection.await);
}

/// Answers a request of the listener of pages, where no request has a token.
async fn answer(request: Request<Incoming>, pages: Arc<dyn Pages>) -> Response<Full<Bytes>> {
    let answer = match Access::default().admits_host(request.uri(), request.headers()) {
        Ok(()) => page(request, pages, PageRight::None).await,
        Err(status) => plain(status),
    };
    answer.map(Full::new)
}

//! Streams of events: the answer to one request, taken up again where it broke off, and what the server says unasked.

use std::{
    sync::Weak,
    time::{Duration, Instant},
};

use hyper::{
    body::Bytes,
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
};
use redress_proxy::{session::HttpFailure, upstream_id::UpstreamId};
use redress_transport::{
    http::{HttpResponse, RequestFailure, header_text},
    sse::Events,
};
use tokio::{task::yield_now, time::sleep};

use super::{
    QueuedMessage, Remote, authorize,
    body::{BodyFailure, Content, reserve},
    handshake::Handshake,
    mirrored_headers::MessageKind,
    post::{drain, pass_on, report_malformed, report_too_long},
};

const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// How many events are passed on before others have their turn.
const MOST_AT_ONCE: usize = 256;

/// The wait before a stream is resumed, if the server names none.
const WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The least wait, so that a server that ends every stream at once is not asked all the time.
const SHORTEST_WAIT: Duration = Duration::from_millis(50);

/// How often it is checked whether a client reads again.
const GLANCE: Duration = Duration::from_millis(5);

/// How often in a row resuming a stream may fail.
const MOST_FAILURES: u32 = 3;

/// The position in a stream, from which it can be resumed.
#[derive(Debug, Default)]
pub(super) struct StreamPosition {
    id: Option<HeaderValue>,
    wait: Option<Duration>,
}

impl StreamPosition {
    fn wait(&self, failures: u32) -> Duration {
        let wait = self.wait.unwrap_or(WAIT).max(SHORTEST_WAIT);
        wait.saturating_mul(1 << failures.min(5)).min(LONGEST_WAIT)
    }
}

/// Passes the events of a stream on. Gives whether the request `about` was answered.
pub(super) async fn pass_events(
    remote: &Remote,
    reply: &mut HttpResponse,
    about: Option<&QueuedMessage>,
    position: &mut StreamPosition,
) -> Result<bool, BodyFailure> {
    let status = reply.status;
    let mut events = Events::new(remote.longest);
    let mut memory = remote.account.open();
    // A request that opens a session waits for all of the response, since its head names the session.
    let mut unopened =
        about.filter(|it| it.summary.kind != MessageKind::Initialize).and_then(|it| it.id);
    let mut told = 0_usize;
    while let Some(bytes) = reply.next().await? {
        let mut rest: &[u8] = &bytes;
        while let Some(event) = events.next(&mut rest).or(Err(BodyFailure::TooLong(None)))? {
            if let Some(id) = event.id {
                // An empty id takes the last one back.
                position.id = HeaderValue::from_str(id).ok().filter(|it| !it.is_empty());
            }
            if let Some(id) = unopened.take() {
                remote.events.on_stream(id, event.id.is_some() && event.data.is_empty());
            }
            position.wait = event.retry_ms.map(Duration::from_millis).or(position.wait);
            let is_message = event.kind.is_none_or(|it| it == "message");
            if !is_message || event.data.trim_ascii().is_empty() {
                continue;
            }
            let still_waits = pass_on(remote, event.data, about, (status, true));
            if about.is_some_and(|it| it.id.is_some()) && !still_waits {
                return Ok(true);
            }
            told += 1;
            if told.is_multiple_of(MOST_AT_ONCE) {
                // A server that writes without end must leave other tasks their turn, the clock among them.
                yield_now().await;
            }
            while remote.events.is_full() {
                sleep(GLANCE).await;
            }
        }
        reserve(&mut memory, events.unfinished_bytes())?;
    }
    Ok(false)
}

/// Resumes a stream that broke off before the answer, if the server offers it.
pub(super) async fn resume(
    remote: &Remote,
    id: UpstreamId,
    message: &QueuedMessage,
    mut position: StreamPosition,
    cut: Option<String>,
) {
    let mut why = cut.unwrap_or_else(|| "the stream ended without an answer".to_owned());
    let (mut failures, mut delays, mut least) = (0, 0, Duration::ZERO);
    while position.id.is_some() && failures < MOST_FAILURES {
        sleep(position.wait(failures + delays).max(std::mem::take(&mut least))).await;
        if !remote.events.is_owed(id) {
            return;
        }
        let mut reply = match get(remote, &position, message.authorization.as_ref()).await {
            Ok(reply) if is_stream(&reply) => reply,
            Ok(reply) => {
                why = format!("the stream cannot be taken up again: {}", reply.status);
                if !is_for_now(&reply) {
                    break;
                }
                // The server is there, so that only the deadline ends the waiting.
                (delays, least) = (delays + 1, asked_to_wait(&reply));
                continue;
            }
            Err(failure) => {
                why = failure.detail;
                failures += 1;
                continue;
            }
        };
        match pass_events(remote, &mut reply, Some(message), &mut position).await {
            Ok(true) => return drain(remote, reply).await,
            // A server may end a stream on purpose, to be asked again later.
            Ok(false) => (failures, delays) = (0, 0),
            Err(BodyFailure::Cut(it)) => {
                why = it;
                failures += 1;
            }
            Err(BodyFailure::TooLong(bytes)) => return report_too_long(remote, id, bytes),
            Err(BodyFailure::OutOfMemory) => {
                return remote.events.on_failure(id, &HttpFailure::OutOfMemory);
            }
            Err(BodyFailure::Malformed(what)) => return report_malformed(remote, id, &what),
        }
    }
    remote.events.on_failure(id, &HttpFailure::Cut { detail: &why });
}

/// Reads the stream of what the server says unasked, again and again, as long as it has one.
pub(super) async fn keep_listening(remote: Weak<Remote>, handshake: Handshake) {
    let mut position = StreamPosition::default();
    let mut failures = 0;
    handshake.wait(MessageKind::Notice).await;
    while let Some(remote) = remote.upgrade() {
        let began = Instant::now();
        match listen_once(&remote, &mut position).await {
            Reopen::Again => failures = 0,
            Reopen::Later if began.elapsed() > LONGEST_WAIT => failures = 1,
            Reopen::Later => failures += 1,
            Reopen::Never => return,
        }
        drop(remote);
        sleep(position.wait(failures)).await;
    }
}

async fn listen_once(remote: &Remote, position: &mut StreamPosition) -> Reopen {
    let last = remote.state().authorization.clone();
    let mut reply = match get(remote, position, last.as_ref()).await {
        Ok(reply) if is_stream(&reply) => reply,
        Ok(reply) if is_for_now(&reply) => return Reopen::Later,
        // 405 says that there is none; any other refusal says no less.
        Ok(_) => return Reopen::Never,
        Err(_) => return Reopen::Later,
    };
    match pass_events(remote, &mut reply, None, position).await {
        Ok(_) => Reopen::Again,
        Err(_) => Reopen::Later,
    }
}

async fn get(
    remote: &Remote,
    position: &StreamPosition,
    authorization: Option<&HeaderValue>,
) -> Result<HttpResponse, RequestFailure> {
    let mut request = remote.request(Method::GET, Bytes::new());
    request.headers_mut().insert(header::ACCEPT, STREAM);
    authorize(&mut request, authorization);
    if let Some(id) = &position.id {
        request.headers_mut().insert(LAST_EVENT, id.clone());
    }
    remote.address.ask(request).await
}

/// What to do after a stream.
enum Reopen {
    /// Open it again.
    Again,
    /// Open it again, with more patience each time.
    Later,
    /// There is none.
    Never,
}

fn is_stream(reply: &HttpResponse) -> bool {
    reply.status == StatusCode::OK && Content::of(&reply.headers) == Content::Events
}

/// Whether a refusal may be another answer later.
fn is_for_now(reply: &HttpResponse) -> bool {
    let status = reply.status;
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

/// How long a server wants to be left alone.
fn asked_to_wait(reply: &HttpResponse) -> Duration {
    let seconds =
        header_text(&reply.headers, &header::RETRY_AFTER).and_then(|it| it.trim().parse().ok());
    Duration::from_secs(seconds.unwrap_or(0)).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{LONGEST_WAIT, SHORTEST_WAIT, StreamPosition};

    #[test]
    fn a_server_that_wants_to_be_asked_all_the_time_is_not() {
        let wait = |ms, failures| {
            StreamPosition { id: None, wait: Some(Duration::from_millis(ms)) }.wait(failures)
        };
        assert_eq!(wait(0, 0), SHORTEST_WAIT);
        assert_eq!(wait(500, 0), Duration::from_millis(500), "as the server says");
        assert_eq!(wait(u64::MAX, 5), LONGEST_WAIT);
    }
}

//! Streams of events: the answer to one request, taken up again where it broke off, and what the server says unasked.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hyper::{
    body::Bytes,
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
};
use redress_transport::{
    http::{HttpResponse, RequestFailure, header_text},
    sse::Events,
};
use tokio::{task::yield_now, time::sleep};

use super::{
    Message, Remote, authorize,
    body::{Content, NoBody, reserve},
    mirror::Kind,
};
use crate::{
    session::{ClientKind, HttpFailure},
    upstream_id::UpstreamId,
};

const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// How many events are passed on before others have their turn.
const MOST_AT_ONCE: usize = 256;

/// How long we wait before a stream is taken up again, if the server does not say.
const WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The same at least, whatever it says: a server that ends every stream at once is not asked all the time.
const SHORTEST_WAIT: Duration = Duration::from_millis(50);

/// How often we look whether a client reads again.
const GLANCE: Duration = Duration::from_millis(5);

/// How often in a row a server may be out of reach when a stream is taken up again.
const MOST_FAILURES: u32 = 3;

/// Where in a stream we are.
#[derive(Debug, Default)]
pub(super) struct Place {
    id: Option<HeaderValue>,
    wait: Option<Duration>,
}

impl Place {
    fn wait(&self, failures: u32) -> Duration {
        let wait = self.wait.unwrap_or(WAIT).max(SHORTEST_WAIT);
        wait.saturating_mul(1 << failures.min(5)).min(LONGEST_WAIT)
    }
}

impl Remote {
    /// Passes the events of a stream on. Gives whether the request `about` was answered.
    pub(super) async fn events(
        &self,
        reply: &mut HttpResponse,
        about: Option<&Message>,
        place: &mut Place,
    ) -> Result<bool, NoBody> {
        let status = reply.status;
        let mut events = Events::new(self.longest);
        let mut memory = self.account.open();
        // Who opens a session waits for all of the answer: the session's id stands above it.
        let mut unopened =
            about.filter(|it| it.brief.kind != Kind::Initialize).and_then(|it| it.id);
        let mut told = 0_usize;
        while let Some(bytes) = reply.next().await? {
            let mut rest: &[u8] = &bytes;
            while let Some(event) = events.next(&mut rest).or(Err(NoBody::TooLong(None)))? {
                if let Some(id) = event.id {
                    // An empty id takes the last one back.
                    place.id = HeaderValue::from_str(id).ok().filter(|it| !it.is_empty());
                }
                if let Some(id) = unopened.take() {
                    self.ear.streams(id, event.id.is_some() && event.data.is_empty());
                }
                place.wait = event.retry_ms.map(Duration::from_millis).or(place.wait);
                let is_message = event.kind.is_none_or(|it| it == "message");
                if !is_message || event.data.trim_ascii().is_empty() {
                    continue;
                }
                let still_waits = self.tell(event.data, about, (status, true));
                if about.is_some_and(|it| it.id.is_some()) && !still_waits {
                    return Ok(true);
                }
                told += 1;
                if told.is_multiple_of(MOST_AT_ONCE) {
                    // Who writes without end leaves others their turn, the clock among them.
                    yield_now().await;
                }
                while self.ear.is_full() {
                    sleep(GLANCE).await;
                }
            }
            reserve(&mut memory, events.unfinished_bytes())?;
        }
        Ok(false)
    }

    /// Takes a stream up again that broke off before the answer, if the server offers it.
    pub(super) async fn resume(
        &self,
        id: UpstreamId,
        message: &Message,
        mut place: Place,
        cut: Option<String>,
    ) {
        let mut why = cut.unwrap_or_else(|| "the stream ended without an answer".to_owned());
        let (mut failures, mut delays, mut least) = (0, 0, Duration::ZERO);
        while place.id.is_some() && failures < MOST_FAILURES {
            sleep(place.wait(failures + delays).max(std::mem::take(&mut least))).await;
            if !self.ear.is_owed(id) {
                return;
            }
            let mut reply = match self.get(&place, message.authorization.as_ref()).await {
                Ok(reply) if is_stream(&reply) => reply,
                Ok(reply) => {
                    why = format!("the stream cannot be taken up again: {}", reply.status);
                    if !is_for_now(&reply) {
                        break;
                    }
                    // Somebody is there: only the deadline ends the waiting.
                    (delays, least) = (delays + 1, asked_to_wait(&reply));
                    continue;
                }
                Err(failure) => {
                    why = failure.detail;
                    failures += 1;
                    continue;
                }
            };
            match self.events(&mut reply, Some(message), &mut place).await {
                Ok(true) => return self.leave(reply).await,
                // A server may end a stream on purpose, to be asked again later.
                Ok(false) => (failures, delays) = (0, 0),
                Err(NoBody::Cut(it)) => {
                    why = it;
                    failures += 1;
                }
                Err(NoBody::TooLong(bytes)) => return self.too_long(id, bytes),
                Err(NoBody::OutOfMemory) => return self.ear.refused(id, &HttpFailure::OutOfMemory),
                Err(NoBody::Malformed(what)) => return self.malformed(id, &what),
            }
        }
        self.ear.refused(id, &HttpFailure::Cut { detail: &why });
    }

    /// A client on a pipe hears all that the server says; one over HTTP asks for it once, and hears it in each session.
    pub(super) fn listen_again(self: &Arc<Self>) {
        if self.client == ClientKind::Pipe || self.state().is_listening {
            self.listen();
        }
    }

    /// Opens the stream of what the server says unasked, if it has one and it is not open.
    pub(crate) fn listen(self: &Arc<Self>) {
        let mut state = self.state();
        state.is_listening = true;
        if state.is_closed || state.stream.as_ref().is_some_and(|it| !it.is_finished()) {
            return;
        }
        let (remote, opening) = (Arc::downgrade(self), self.opening.clone());
        let task = self.runtime.spawn(async move {
            let mut place = Place::default();
            let mut failures = 0;
            opening.wait(Kind::Notice).await;
            while let Some(remote) = remote.upgrade() {
                let began = Instant::now();
                match remote.listen_once(&mut place).await {
                    Next::Again => failures = 0,
                    Next::Later if began.elapsed() > LONGEST_WAIT => failures = 1,
                    Next::Later => failures += 1,
                    Next::Never => return,
                }
                drop(remote);
                sleep(place.wait(failures)).await;
            }
        });
        state.stream = Some(task.abort_handle());
    }

    async fn listen_once(&self, place: &mut Place) -> Next {
        let last = self.state().authorization.clone();
        let mut reply = match self.get(place, last.as_ref()).await {
            Ok(reply) if is_stream(&reply) => reply,
            Ok(reply) if is_for_now(&reply) => return Next::Later,
            // 405 says that there is none; any other refusal says no less.
            Ok(_) => return Next::Never,
            Err(_) => return Next::Later,
        };
        match self.events(&mut reply, None, place).await {
            Ok(_) => Next::Again,
            Err(_) => Next::Later,
        }
    }

    async fn get(
        &self,
        place: &Place,
        authorization: Option<&HeaderValue>,
    ) -> Result<HttpResponse, RequestFailure> {
        let mut request = self.request(Method::GET, Bytes::new());
        request.headers_mut().insert(header::ACCEPT, STREAM);
        authorize(&mut request, authorization);
        if let Some(id) = &place.id {
            request.headers_mut().insert(LAST_EVENT, id.clone());
        }
        self.address.ask(request).await
    }
}

/// What to do after a stream.
enum Next {
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

    use super::{LONGEST_WAIT, Place, SHORTEST_WAIT};

    #[test]
    fn a_server_that_wants_to_be_asked_all_the_time_is_not() {
        let wait =
            |ms, failures| Place { id: None, wait: Some(Duration::from_millis(ms)) }.wait(failures);
        assert_eq!(wait(0, 0), SHORTEST_WAIT);
        assert_eq!(wait(500, 0), Duration::from_millis(500), "as the server says");
        assert_eq!(wait(u64::MAX, 5), LONGEST_WAIT);
    }
}

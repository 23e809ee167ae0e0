//! `Flight`: the requests without an answer yet, the client's and the server's own, and the lines that are on their way.

use std::{
    borrow::Cow,
    collections::{BTreeMap, btree_map::Entry},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::{
    ErrorData,
    model::{
        CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage,
        ClientNotification, ClientRequest, GetExtensions as _, JsonRpcMessage, RequestId,
        ServerJsonRpcMessage, ServerNotification,
    },
    service::OriginatingRequestId,
};
use tokio::sync::Notify;

/// What is open between a client and its server.
#[derive(Debug, Default)]
pub(super) struct Flight {
    open: Mutex<Open>,
    moved: Notify,
}

#[derive(Debug, Default)]
struct Open {
    theirs: BTreeMap<Id, RequestKind>,
    /// The server's own requests, each with the request of the client during which it was made.
    ours: BTreeMap<Id, Option<Id>>,
    /// How many lines are being written.
    writing: usize,
}

/// An id that has an order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Id {
    Number(i64),
    Text(Arc<str>),
}

impl From<&RequestId> for Id {
    fn from(id: &RequestId) -> Self {
        match id {
            RequestId::Number(it) => Self::Number(*it),
            RequestId::String(it) => Self::Text(Arc::clone(it)),
        }
    }
}

impl From<Id> for RequestId {
    fn from(id: Id) -> Self {
        match id {
            Id::Number(it) => Self::Number(it),
            Id::Text(it) => Self::String(it),
        }
    }
}

/// What a request is, as far as its end needs it.
#[derive(Debug)]
pub(super) enum RequestKind {
    /// A call of this tool.
    Call(Cow<'static, str>),
    /// One that ends only when the client does not listen any more.
    Listen,
    Other,
}

impl RequestKind {
    fn new(request: &ClientRequest) -> Self {
        match request {
            ClientRequest::CallToolRequest(it) => Self::Call(it.params.name.clone()),
            ClientRequest::SubscriptionsListenRequest(_) => Self::Listen,
            _ => Self::Other,
        }
    }
}

/// A line on its way to the client, until it is written or given up.
#[derive(Debug)]
pub(super) struct OutgoingLine {
    flight: Arc<Flight>,
    /// Requests of the server whose call it answers: their answers are not awaited any more.
    over: Vec<Id>,
}

impl OutgoingLine {
    /// What tells the client that it need not answer them.
    pub(super) fn withdrawals(&mut self) -> impl Iterator<Item = ServerJsonRpcMessage> + use<> {
        mem::take(&mut self.over).into_iter().map(|id| {
            let reason = "the call that asked has ended".to_owned();
            let params = CancelledNotificationParam::new(Some(id.into()), Some(reason));
            ServerJsonRpcMessage::notification(ServerNotification::CancelledNotification(
                CancelledNotification::new(params),
            ))
        })
    }
}

impl Drop for OutgoingLine {
    fn drop(&mut self) {
        self.flight.open().writing -= 1;
        self.flight.moved.notify_one();
    }
}

impl Flight {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A message of the client's. Whether it may be passed on: a request must not have the id of another.
    pub(super) fn hear(&self, message: &ClientJsonRpcMessage) -> bool {
        let mut open = self.open();
        match message {
            JsonRpcMessage::Request(it) => match open.theirs.entry(Id::from(&it.id)) {
                Entry::Occupied(_) => return false,
                Entry::Vacant(slot) => {
                    slot.insert(RequestKind::new(&it.request));
                }
            },
            JsonRpcMessage::Response(it) => open.heard(&it.id),
            JsonRpcMessage::Error(it) => {
                if let Some(id) = &it.id {
                    open.heard(id);
                }
            }
            JsonRpcMessage::Notification(it) => {
                if let ClientNotification::CancelledNotification(it) = &it.notification
                    && let Some(id) = &it.params.request_id
                {
                    open.theirs.remove(&Id::from(id));
                }
            }
        }
        true
    }

    /// A message to the client; `None` if it is not awaited any more.
    pub(super) fn say(self: &Arc<Self>, message: &ServerJsonRpcMessage) -> Option<OutgoingLine> {
        let mut open = self.open();
        let mut over = Vec::new();
        match message {
            JsonRpcMessage::Request(it) => {
                let origin = it.request.extensions().get::<OriginatingRequestId>();
                open.ours.insert(Id::from(&it.id), origin.map(|it| Id::from(&it.0)));
            }
            JsonRpcMessage::Response(it) => over = open.answered(&it.id)?,
            JsonRpcMessage::Error(it) => {
                if let Some(id) = &it.id {
                    over = open.answered(id)?;
                }
            }
            JsonRpcMessage::Notification(it) => {
                if let ServerNotification::CancelledNotification(it) = &it.notification
                    && let Some(id) = &it.params.request_id
                {
                    open.ours.remove(&Id::from(id));
                }
            }
        }
        open.writing += 1;
        drop(open);
        Some(OutgoingLine { flight: Arc::clone(self), over })
    }

    /// Once the client has closed its side: the answers that it cannot send any more, so that none is awaited in vain.
    pub(super) fn last_word(&self) -> Option<ClientJsonRpcMessage> {
        let mut open = self.open();
        if let Some((id, _)) = open.ours.pop_first() {
            let error = ErrorData::internal_error("The client has closed its side.", None);
            return Some(ClientJsonRpcMessage::error(error, Some(id.into())));
        }
        let listens = open.theirs.iter().find(|it| matches!(it.1, RequestKind::Listen));
        let id = listens.map(|it| it.0.clone())?;
        open.theirs.remove(&id);
        let params = CancelledNotificationParam::new(Some(id.into()), None);
        Some(ClientJsonRpcMessage::notification(ClientNotification::CancelledNotification(
            CancelledNotification::new(params),
        )))
    }

    pub(super) fn is_over(&self) -> bool {
        let open = self.open();
        open.theirs.is_empty() && open.writing == 0
    }

    /// Waits until something was written since the last call, or writing has ended.
    pub(super) async fn moved(&self) {
        self.moved.notified().await;
    }

    /// The requests of the client that are open. Nothing else answers them any more.
    pub(super) fn end(&self) -> impl Iterator<Item = (RequestId, RequestKind)> + use<> {
        mem::take(&mut self.open().theirs).into_iter().map(|(id, asked)| (id.into(), asked))
    }
}

impl Open {
    /// The client has answered; rmcp takes a number in a string, too.
    fn heard(&mut self, id: &RequestId) {
        if self.ours.remove(&Id::from(id)).is_none()
            && let RequestId::String(it) = id
            && let Ok(number) = it.parse()
        {
            self.ours.remove(&Id::Number(number));
        }
    }

    /// A request of the client is answered. The server's requests that were part of it are over, too.
    fn answered(&mut self, id: &RequestId) -> Option<Vec<Id>> {
        let id = Id::from(id);
        self.theirs.remove(&id)?;
        let mut over = Vec::new();
        self.ours.retain(|own, origin| {
            let is_over = origin.as_ref() == Some(&id);
            if is_over {
                over.push(own.clone());
            }
            !is_over
        });
        Some(over)
    }
}

//! `Begin`: how rmcp sees the start of a session. It ends with any message before that which is no request.

use std::borrow::Cow;

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetMeta as _, JsonRpcMessage, ProtocolVersion,
};

/// Whether a session has begun.
#[derive(Debug)]
pub(super) struct Begin {
    /// The revisions that a session may begin with by itself; `None` once it has begun.
    supported: Option<Cow<'static, [ProtocolVersion]>>,
}

impl Begin {
    pub(super) const fn new(supported: Cow<'static, [ProtocolVersion]>) -> Self {
        Self { supported: Some(supported) }
    }

    pub(super) const fn is_awaited(&self) -> bool {
        self.supported.is_some()
    }

    /// Whether a message is passed on. Before the start there is nothing to be notified about, and no answer is awaited.
    pub(super) const fn takes(&self, message: &ClientJsonRpcMessage) -> bool {
        !self.is_awaited() || matches!(message, JsonRpcMessage::Request(_))
    }

    /// A message is passed on: it may be the start.
    pub(super) fn heard(&mut self, message: &ClientJsonRpcMessage) {
        let (Some(supported), JsonRpcMessage::Request(it)) = (&self.supported, message) else {
            return;
        };
        let is_start = match &it.request {
            ClientRequest::InitializeRequest(_) => true,
            ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
            request => {
                let meta = request.get_meta();
                meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                    && meta.protocol_version().is_some_and(|it| supported.contains(&it))
            }
        };
        if is_start {
            self.supported = None;
        }
    }
}

//! `Handshake`: holds messages back while those that open a session are on their way.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::watch;

use super::mirrored_headers::MessageKind;

/// The messages on their way that open a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Handshake(Arc<watch::Sender<StepsUnderway>>);

/// How many of each are on their way.
#[derive(Debug, Default)]
struct StepsUnderway {
    initialize: usize,
    initialized: usize,
}

impl StepsUnderway {
    fn of(&mut self, kind: MessageKind) -> Option<&mut usize> {
        match kind {
            MessageKind::Initialize => Some(&mut self.initialize),
            MessageKind::Initialized => Some(&mut self.initialized),
            _ => None,
        }
    }

    /// Whether a message need not wait. An answer may be what the server waits for before it opens the session.
    const fn let_pass(&self, kind: MessageKind) -> bool {
        match kind {
            MessageKind::Initialize | MessageKind::Answer => true,
            MessageKind::Initialized => self.initialize == 0,
            _ => self.initialize == 0 && self.initialized == 0,
        }
    }
}

impl Handshake {
    /// A message is about to be sent. If it opens the session, others wait until it has arrived.
    pub(super) fn begin(&self, kind: MessageKind) -> Option<HandshakeStep> {
        let is_step = matches!(kind, MessageKind::Initialize | MessageKind::Initialized);
        is_step.then(|| {
            self.0.send_modify(|it| it.of(kind).into_iter().for_each(|it| *it += 1));
            HandshakeStep { handshake: self.clone(), kind, is_over: AtomicBool::new(false) }
        })
    }

    /// Whether a message need not wait.
    pub(super) fn lets_pass(&self, kind: MessageKind) -> bool {
        self.0.borrow().let_pass(kind)
    }

    /// Waits until a message may be sent.
    pub(super) async fn wait(&self, kind: MessageKind) {
        // The sender lives as long as this value.
        drop(self.0.subscribe().wait_for(|it| it.let_pass(kind)).await);
    }
}

/// One of the messages that open a session. Dropping it lets the others go on, so that none waits for ever.
#[derive(Debug)]
pub(super) struct HandshakeStep {
    handshake: Handshake,
    kind: MessageKind,
    is_over: AtomicBool,
}

impl HandshakeStep {
    /// The server has it: others may go on.
    pub(super) fn end(&self) {
        if !self.is_over.swap(true, Ordering::AcqRel) {
            let less = |it: &mut usize| *it = it.saturating_sub(1);
            self.handshake.0.send_modify(|it| it.of(self.kind).into_iter().for_each(less));
        }
    }
}

impl Drop for HandshakeStep {
    fn drop(&mut self) {
        self.end();
    }
}

//! `Opening`: what opens a session is on its way, and nothing overtakes it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::watch;

use super::mirror::Kind;

/// What opens a session, as far as it is on its way.
#[derive(Debug, Clone, Default)]
pub(super) struct Opening(Arc<watch::Sender<Steps>>);

/// How many of each are on their way.
#[derive(Debug, Default)]
struct Steps {
    initialize: usize,
    initialized: usize,
}

impl Steps {
    fn of(&mut self, kind: Kind) -> Option<&mut usize> {
        match kind {
            Kind::Initialize => Some(&mut self.initialize),
            Kind::Initialized => Some(&mut self.initialized),
            _ => None,
        }
    }

    /// Whether a message need not wait. An answer may be what the server waits for before it opens the session.
    const fn let_pass(&self, kind: Kind) -> bool {
        match kind {
            Kind::Initialize | Kind::Answer => true,
            Kind::Initialized => self.initialize == 0,
            _ => self.initialize == 0 && self.initialized == 0,
        }
    }
}

impl Opening {
    /// A message sets out. If it opens the session, others wait until that is over.
    pub(super) fn begin(&self, kind: Kind) -> Option<Step> {
        let is_step = matches!(kind, Kind::Initialize | Kind::Initialized);
        is_step.then(|| {
            self.0.send_modify(|it| it.of(kind).into_iter().for_each(|it| *it += 1));
            Step { opening: self.clone(), kind, is_over: AtomicBool::new(false) }
        })
    }

    /// Whether a message need not wait.
    pub(super) fn lets_pass(&self, kind: Kind) -> bool {
        self.0.borrow().let_pass(kind)
    }

    /// Waits until a message may be sent.
    pub(super) async fn wait(&self, kind: Kind) {
        // The sender is ours, and lives as long as we do.
        drop(self.0.subscribe().wait_for(|it| it.let_pass(kind)).await);
    }
}

/// One of the messages that open a session; whatever becomes of it, others do not wait for ever.
#[derive(Debug)]
pub(super) struct Step {
    opening: Opening,
    kind: Kind,
    is_over: AtomicBool,
}

impl Step {
    /// The server has it: others may go on.
    pub(super) fn end(&self) {
        if !self.is_over.swap(true, Ordering::AcqRel) {
            let less = |it: &mut usize| *it = it.saturating_sub(1);
            self.opening.0.send_modify(|it| it.of(self.kind).into_iter().for_each(less));
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        self.end();
    }
}

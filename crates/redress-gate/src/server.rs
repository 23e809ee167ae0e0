//! `Server`: what all sessions of one server share.

use std::{sync::Arc, time::Instant};

use crate::{
    breaker::Breakers,
    govern::Governor,
    limits::{Limits, Shares},
    metrics::Metrics,
    restarts::Starts,
    retry::Budget,
    settings::Settings,
    told::Told,
};

/// What all sessions of one server share: its settings, and what counts across them.
#[derive(Debug)]
pub struct Server {
    /// How it is gated.
    pub settings: Settings,
    /// What its calls come to.
    pub metrics: Metrics,
    /// Who lets its calls pass, if it is governed.
    pub governor: Option<Arc<Governor>>,
    pub(crate) breakers: Breakers,
    pub(crate) limits: Arc<Limits>,
    pub(crate) budget: Budget,
    pub(crate) starts: Starts,
}

impl Server {
    /// A server that nobody has asked yet.
    pub fn new(settings: Settings, now: Instant) -> Self {
        Self {
            metrics: Metrics::new(&settings.contract),
            governor: None,
            breakers: Breakers::new(settings.breaker),
            limits: Arc::new(Limits::new(settings.limits, now)),
            budget: Budget::new(&settings.retry),
            starts: Starts::default(),
            settings,
        }
    }

    /// What its failures come to, in the words of the JSON-RPC taxonomy; `None` unless that was asked for.
    pub fn error_stats(&self) -> Option<String> {
        let stats = self.settings.error_stats?;
        Some(self.metrics.stats(stats))
    }

    /// A failure is on record: its governor decides what follows.
    pub(crate) fn governed_badly(&self, told: &Told, seq: u64) {
        if let (Some(governor), Some(governed)) = (&self.governor, told.governed()) {
            governor.failed(governed, told.code(), seq);
        }
    }

    pub(crate) fn shares(&self) -> Shares {
        Shares::of(Arc::clone(&self.limits))
    }
}

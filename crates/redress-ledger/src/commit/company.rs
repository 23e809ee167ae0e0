//! Waiting for company: who would commit few records waits for the callers that were answered a moment ago, while that pays.
//!
//! Without it, callers that come back at once split into two groups, and each waits while the other one's sync runs: twice
//! the syncs for the same records, for as long as they call.

use std::{
    sync::{MutexGuard, PoisonError},
    time::Duration,
};

use super::{Inner, Pen, Queue};

/// The longest wait for returning callers, however slow the disk is.
const MOST_PATIENCE: Duration = Duration::from_millis(2);

/// How many commits pass before it is tried again when those who were waited for did not come.
const MISTRUST: u32 = 64;

/// Who may be back in a moment.
#[derive(Debug, Default)]
pub(super) struct Company {
    /// How many records the next commit has if all callers come back: those of the last commit, and those that waited then.
    expected: usize,
    /// How long that is worth waiting for: as long as the last commit took, which it may save.
    patience: Duration,
    /// How many more commits are made without waiting.
    mistrust: u32,
    /// A thread waits here and will commit what is queued.
    is_awaited: bool,
}

impl Queue {
    /// A commit has answered so many callers, and took so long.
    pub(super) fn expect_back(&self, told: usize, took: Duration) {
        let mut inner = self.lock();
        let waiting = inner.waiting.len();
        let company = &mut inner.company;
        company.expected = told + waiting;
        company.patience = took.min(MOST_PATIENCE);
        company.mistrust = company.mistrust.saturating_sub(1);
    }

    /// What waits, once it is to be committed by this caller; `None` if another one does or will.
    pub(super) fn gathered(&self) -> Option<MutexGuard<'_, Inner>> {
        let mut inner = self.lock();
        if inner.waiting.is_empty() || !matches!(inner.pen, Pen::Free(_)) {
            return None;
        }
        let is_complete = inner.waiting.len() >= inner.company.expected;
        if inner.company.is_awaited {
            if !is_complete {
                return None;
            }
            // The thread that waited has something else to do now.
            inner.company.is_awaited = false;
            self.company.notify_one();
        } else if !is_complete && inner.company.mistrust == 0 {
            inner = self.wait_for_company(inner)?;
        }
        Some(inner)
    }

    fn wait_for_company<'q>(
        &'q self,
        mut inner: MutexGuard<'q, Inner>,
    ) -> Option<MutexGuard<'q, Inner>> {
        inner.company.is_awaited = true;
        let patience = inner.company.patience;
        let waited = self.company.wait_timeout_while(inner, patience, |it| it.company.is_awaited);
        let (mut inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if !std::mem::take(&mut inner.company.is_awaited) {
            return None;
        }
        inner.company.mistrust = MISTRUST;
        Some(inner).filter(|it| !it.waiting.is_empty())
    }
}

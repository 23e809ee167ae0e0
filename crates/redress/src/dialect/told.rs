//! What a document says of a fault whose row it has no word for: the code, status and retry rule of the row that it names instead.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{Class, Entry, Retry, RetryKind};

use super::{Dialect, Kept, Lookup};
use crate::fault::{Fault, Origin};

impl Dialect {
    /// What the dialect writes for a fault: the word for its row, else the word for its class.
    pub fn spelling_of(self, fault: &Fault) -> Cow<'_, str> {
        let word = self.spells(fault.entry());
        word.unwrap_or_else(|| Cow::Borrowed(self.shape().fallback(fault.class)))
    }

    /// The dialect's word for just this row, if it has one.
    pub fn word_for(self, row: &Entry) -> Option<Cow<'_, str>> {
        self.spells(row)
    }

    /// The HTTP status in a document: that of the row that it names.
    pub(super) fn told_http(self, fault: &Fault) -> u16 {
        self.stand_in(fault).map_or(fault.http, |it| it.http)
    }

    /// The retry rule in a document. No document says that a repeat helps against what its row calls final.
    pub(super) fn told_retry(self, fault: &Fault) -> Retry {
        let is_final = |it: Arc<Entry>| !it.retry.retryable();
        if fault.retryable() && self.stand_in(fault).is_some_and(is_final) {
            return Retry::of(RetryKind::Never);
        }
        fault.retry
    }

    /// A fault under the dialect's general code, where its word would allow a repeat that the server forbids: a reader of a dialect
    /// without a retry rule goes by the code. What the gate itself refuses keeps the word that means it, and so does a row that is
    /// never retryable: its registry chose that word.
    pub(super) fn without_repeat(self, fault: &Fault) -> Cow<'_, Fault> {
        let Kept { whole, weakened, .. } = self.keeps();
        let has_rule = whole.contains(&"/retry") || weakened.contains(&"/retry");
        let is_stricter = fault.entry().retry.retryable() && !fault.retryable();
        if has_rule || !is_stricter || fault.origin == Origin::Gate {
            return Cow::Borrowed(fault);
        }
        let row = |word: &str| Lookup::shipped().spelled(self, word);
        let named = row(&self.spelling_of(fault)).filter(|it| it.retry.retryable());
        let general = named.and_then(|_| row(self.shape().fallback(Class::Internal)));
        general.map_or(Cow::Borrowed(fault), |it| Cow::Owned(fault.under(&it)))
    }

    /// The row that a document names for a fault, if it is not the fault's own.
    pub(super) fn stand_in(self, fault: &Fault) -> Option<Arc<Entry>> {
        let row = fault.entry();
        if row.spelling(self.name()).is_none() && self.own_spelling(row).is_some() {
            return None;
        }
        let named = Lookup::shipped().spelled(self, &self.spelling_of(fault))?;
        (named.registry != row.registry || named.code != row.code).then_some(named)
    }
}

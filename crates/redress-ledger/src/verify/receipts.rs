//! Receipts that clients were given, and where their records are.

use std::collections::BTreeMap;

use redress::fault::Receipt;

use super::{
    RECEIPT_DIGITS,
    prunings::{PruneTrust, Prunings},
    report::{Found, ReceiptReport},
};
use crate::{record::RecordLine, signed::Pruned};

/// The receipts that are looked for, by number.
pub(super) struct Receipts<'a> {
    asked: Vec<(&'a Receipt, Option<String>)>,
    by_seq: BTreeMap<u64, Vec<usize>>,
}

impl<'a> Receipts<'a> {
    pub(super) fn new(receipts: &'a [Receipt]) -> Self {
        let mut by_seq: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (at, receipt) in receipts.iter().enumerate() {
            by_seq.entry(receipt.seq).or_default().push(at);
        }
        Self { asked: receipts.iter().map(|it| (it, None)).collect(), by_seq }
    }

    pub(super) fn look(&mut self, line: &RecordLine<'_>, chain: &str) {
        for at in self.by_seq.get(&line.seq).into_iter().flatten() {
            if let Some((receipt, found)) = self.asked.get_mut(*at)
                && !receipt.hash.is_empty()
                && line.hash.to_string().starts_with(&receipt.hash)
            {
                *found = Some(chain.to_owned());
            }
        }
    }

    pub(super) fn newest(&self, chain: &str) -> Option<u64> {
        let here = self.asked.iter().filter(|it| it.1.as_deref() == Some(chain) && is_proof(it.0));
        here.map(|it| it.0.seq).max()
    }

    pub(super) fn report(self, prunings: &Prunings<'_>) -> Vec<ReceiptReport> {
        let report = |(receipt, found): (&Receipt, Option<String>)| {
            let found = match found {
                Some(chain) if is_proof(receipt) => Found::In(chain),
                Some(chain) => Found::Similar(chain),
                None => without(receipt, prunings),
            };
            ReceiptReport { receipt: receipt.clone(), found }
        };
        self.asked.into_iter().map(report).collect()
    }
}

/// Whether a second record with the same receipt is infeasible.
fn is_proof(receipt: &Receipt) -> bool {
    receipt.hash.len() >= RECEIPT_DIGITS
}

/// What a receipt means whose record is not there. It names no chain, so that any pruned segment may have held it, of a chain that was long enough.
fn without(receipt: &Receipt, prunings: &Prunings<'_>) -> Found {
    let may_have_held = |it: &Pruned| match receipt.seq.checked_add(1) {
        Some(next) if next == it.next_seq => it.head.to_string().starts_with(&receipt.hash),
        Some(next) => next < it.next_seq,
        None => false,
    };
    match prunings.told(may_have_held) {
        PruneTrust::Believed => Found::PerhapsPruned,
        PruneTrust::ByStranger(key) => Found::PrunedByStranger(Box::new(key)),
        PruneTrust::Not => Found::Nowhere,
    }
}

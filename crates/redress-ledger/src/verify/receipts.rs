//! Receipts that somebody was given, and where their records are.

use std::collections::BTreeMap;

use redress::fault::Receipt;

use super::report::{Found, ReceiptReport};
use crate::record::Line;

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

    pub(super) fn look(&mut self, line: &Line<'_>, chain: &str) {
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
        let here = self.asked.iter().filter(|it| it.1.as_deref() == Some(chain));
        here.map(|it| it.0.seq).max()
    }

    pub(super) fn report(self, may_be_pruned: impl Fn(u64) -> bool) -> Vec<ReceiptReport> {
        let report = |(receipt, found): (&Receipt, Option<String>)| {
            let found = match found {
                Some(chain) => Found::In(chain),
                None if may_be_pruned(receipt.seq) => Found::PerhapsPruned,
                None => Found::Nowhere,
            };
            ReceiptReport { receipt: receipt.clone(), found }
        };
        self.asked.into_iter().map(report).collect()
    }
}

//! Which prunings are believed: a process that can write a ledger can also write a record that says that something was pruned.

use std::collections::BTreeMap;

use super::{Evidence, epochs::Epochs, walk::Walked};
use crate::{
    sign::PublicKey,
    signed::Pruned,
    witness::{Heads, Witnessed},
};

/// What records say was removed, and whose records are believed.
pub(super) struct Prunings<'e> {
    by_chain: BTreeMap<String, Vec<Pruned>>,
    epochs: &'e Epochs,
    /// Further keys that are known: those that signed a witness beside the key.
    further: Vec<PublicKey>,
}

/// Whether something was removed in good order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PruneTrust {
    Believed,
    /// Only a signer who is not known says so.
    ByStranger(PublicKey),
    Not,
}

impl<'e> Prunings<'e> {
    /// Takes them from the chains. Known are the keys that were given, with those that they certify; or else this user's, and those whose
    /// checkpoints lie beside it, where a process cannot write that can only write the ledger.
    pub(super) fn new(
        walked: &mut [Walked],
        epochs: &'e Epochs,
        heads: &Heads,
        evidence: &Evidence,
    ) -> Self {
        let mut all = Self { by_chain: BTreeMap::new(), epochs, further: Vec::new() };
        for pruned in walked.iter_mut().flat_map(|it| std::mem::take(&mut it.pruned)) {
            all.by_chain.entry(pruned.chain.clone()).or_default().push(pruned);
        }
        if evidence.keys.is_empty() {
            all.learn(&heads.known);
        }
        all
    }

    fn is_known(&self, key: &PublicKey) -> bool {
        self.epochs.is_known(key) || self.further.contains(key)
    }

    /// The signer of a witness had the key before.
    fn learn(&mut self, witnessed: &[Witnessed]) {
        let are_known = |all: &Self| all.by_chain.values().flatten().all(|it| all.is_known(&it.by));
        if are_known(self) {
            return;
        }
        for key in witnessed.iter().filter_map(Witnessed::signer) {
            if !self.is_known(&key) {
                self.further.push(key);
            }
        }
    }

    /// The newest pruning of a chain that is believed.
    pub(super) fn newest(&self, chain: &str) -> Option<&Pruned> {
        self.of(chain).filter(|it| self.is_known(&it.by)).max_by_key(|it| it.next_seq)
    }

    /// Whether one of the prunings of any chain is such.
    pub(super) fn told(&self, is_such: impl Fn(&Pruned) -> bool) -> PruneTrust {
        self.judge(self.by_chain.values().flatten().filter(|it| is_such(it)), None)
    }

    /// Whether one of the prunings of this chain is such. Who signed what is left of it is believed, too.
    pub(super) fn told_of(
        &self,
        chain: &str,
        signer: Option<PublicKey>,
        is_such: impl Fn(&Pruned) -> bool,
    ) -> PruneTrust {
        self.judge(self.of(chain).filter(|it| is_such(it)), signer)
    }

    fn of(&self, chain: &str) -> impl Iterator<Item = &Pruned> {
        self.by_chain.get(chain).into_iter().flatten()
    }

    fn judge<'p>(
        &self,
        prunings: impl Iterator<Item = &'p Pruned>,
        signer: Option<PublicKey>,
    ) -> PruneTrust {
        let mut told = PruneTrust::Not;
        for Pruned { by, .. } in prunings {
            if self.is_known(by) || signer.is_some_and(|it| self.epochs.is_same_owner(&it, by)) {
                return PruneTrust::Believed;
            }
            told = PruneTrust::ByStranger(*by);
        }
        told
    }
}

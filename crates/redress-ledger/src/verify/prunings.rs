//! Which prunings are believed: whoever can write a ledger can also write a record that says that something was pruned.

use std::{collections::BTreeMap, io};

use super::{Evidence, walk::Walked};
use crate::{
    sign::PublicKey,
    signed::Pruned,
    witness::{Heads, Witnessed},
};

/// What records say was removed, and whom to believe.
pub(super) struct Prunings {
    by_chain: BTreeMap<String, Vec<Pruned>>,
    /// The keys that are known to be those of the ledger.
    known: Vec<PublicKey>,
}

/// Whether something was removed in good order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    Believed,
    /// That it was, says only somebody who is not known.
    ByStranger(PublicKey),
    Not,
}

impl Prunings {
    /// Takes them from the chains. Known are the keys that were given; or else this user's, and those whose checkpoints lie beside it, where nobody
    /// comes who can only write the ledger.
    ///
    /// # Errors
    /// This user's key is needed and cannot be read.
    pub(super) fn new(
        walked: &mut [Walked],
        evidence: &Evidence,
        heads: &Heads,
    ) -> io::Result<Self> {
        let mut all = Self { by_chain: BTreeMap::new(), known: evidence.keys.clone() };
        for pruned in walked.iter_mut().flat_map(|it| std::mem::take(&mut it.pruned)) {
            all.by_chain.entry(pruned.chain.clone()).or_default().push(pruned);
        }
        if all.known.is_empty()
            && !all.by_chain.is_empty()
            && let Some(key) = &evidence.key_file
        {
            let own = PublicKey::beside(key).map_err(|error| {
                let path = key.with_extension("pub");
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            });
            all.known.extend(own?);
            all.learn(&heads.known);
        }
        Ok(all)
    }

    /// Whoever signed a witness had the key before.
    fn learn(&mut self, witnessed: &[Witnessed]) {
        let are_known =
            |all: &Self| all.by_chain.values().flatten().all(|it| all.known.contains(&it.by));
        if are_known(self) {
            return;
        }
        for key in witnessed.iter().filter_map(Witnessed::signer) {
            if !self.known.contains(&key) {
                self.known.push(key);
            }
        }
    }

    /// The newest pruning of a chain that is believed.
    pub(super) fn newest(&self, chain: &str) -> Option<&Pruned> {
        self.of(chain).filter(|it| self.known.contains(&it.by)).max_by_key(|it| it.next_seq)
    }

    /// Whether one of the prunings of any chain is such.
    pub(super) fn told(&self, is_such: impl Fn(&Pruned) -> bool) -> Told {
        self.judge(self.by_chain.values().flatten().filter(|it| is_such(it)), None)
    }

    /// Whether one of the prunings of this chain is such. Who signed what is left of it is believed, too.
    pub(super) fn told_of(
        &self,
        chain: &str,
        signer: Option<PublicKey>,
        is_such: impl Fn(&Pruned) -> bool,
    ) -> Told {
        self.judge(self.of(chain).filter(|it| is_such(it)), signer)
    }

    fn of(&self, chain: &str) -> impl Iterator<Item = &Pruned> {
        self.by_chain.get(chain).into_iter().flatten()
    }

    fn judge<'p>(
        &self,
        prunings: impl Iterator<Item = &'p Pruned>,
        signer: Option<PublicKey>,
    ) -> Told {
        let mut told = Told::Not;
        for Pruned { by, .. } in prunings {
            if self.known.contains(by) || signer == Some(*by) {
                return Told::Believed;
            }
            told = Told::ByStranger(*by);
        }
        told
    }
}

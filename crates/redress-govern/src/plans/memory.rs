//! What follows from the bytes of plans alone, so that it need not be found out again.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use redress_ledger::PublicKey;
use sha2::{Digest as _, Sha256};

use crate::plan::{NotAPlan, Plan};

/// The most plans and signatures that are remembered.
const MOST_KNOWN: usize = 200;

/// What is known by now.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<KnownPlans>);

#[derive(Debug, Default)]
struct KnownPlans {
    /// The plans of files, by the hash of all their bytes.
    read: BTreeMap<[u8; 32], Arc<Plan>>,
    /// Hashes and signatures that belong together.
    signed: BTreeSet<(String, String)>,
}

impl Memory {
    /// The plan that bytes are. They are hashed each time; what the hash is known for is not read again.
    pub(super) fn plan(&self, bytes: &[u8]) -> Result<Arc<Plan>, NotAPlan> {
        let hash: [u8; 32] = Sha256::digest(bytes).into();
        if let Some(plan) = self.known().read.get(&hash) {
            return Ok(Arc::clone(plan));
        }
        let plan = Arc::new(Plan::read(bytes)?);
        let mut known = self.known();
        make_room(known.read.len(), || known.read.clear());
        known.read.insert(hash, Arc::clone(&plan));
        Ok(plan)
    }

    /// Whether one of the keys has approved a hash.
    pub(super) fn is_signed(&self, keys: &[PublicKey], hash: &str, approval: &str) -> bool {
        let both = (hash.to_owned(), approval.to_owned());
        if self.known().signed.contains(&both) {
            return true;
        }
        let is_signed = keys.iter().any(|it| it.has_approved(hash, approval));
        if is_signed {
            let mut known = self.known();
            make_room(known.signed.len(), || known.signed.clear());
            known.signed.insert(both);
        }
        is_signed
    }

    fn known(&self) -> MutexGuard<'_, KnownPlans> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets everything when it is too much.
fn make_room(known: usize, forget: impl FnOnce()) {
    if known >= MOST_KNOWN {
        forget();
    }
}

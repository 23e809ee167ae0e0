//! `Operator`: the person who approves plans, by a key that stays the same.

use std::path::Path;

use crate::{
    disk,
    error::{Failure, OpenError},
    keys::first_public,
    sign::{PublicKey, Signer, Statement},
};

/// The operator, who approves plans with a key that stays the same.
#[derive(Debug)]
pub struct Operator(Signer);

impl Operator {
    /// Reads the key, or makes one.
    ///
    /// # Errors
    /// It can be neither read nor made, or others can read it.
    pub fn load_or_create(key: &Path) -> Result<Self, OpenError> {
        Signer::load_or_create(key).map(Self)
    }

    /// The keys whose approvals count: the operator's, if there is one, and the first key of the ledger, with which older versions approved.
    ///
    /// # Errors
    /// One of them can not be read, or others can read the operator's.
    pub fn approvers(key: &Path, ledger_key: &Path) -> Result<Vec<PublicKey>, OpenError> {
        let own = if disk::exists(key) { Some(Signer::load(key)?.public()) } else { None };
        let first = first_public(ledger_key);
        let first = first.map_err(|it| Failure::new("read", &ledger_key.with_extension("pub"), it));
        Ok(own.into_iter().chain(first?).collect())
    }

    /// The signature under a plan's hash, as hex digits.
    pub fn approve(&self, plan: &str) -> String {
        self.0.sign(&Statement::Approval { plan })
    }

    /// The half of the key that everybody may know.
    pub fn public(&self) -> PublicKey {
        self.0.public()
    }
}

#[cfg(test)]
mod tests {
    use super::Operator;
    use crate::{hash::Hash, sign::Statement};

    #[test]
    fn an_approval_is_for_one_plan_and_is_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let operator = Operator::load_or_create(&dir.path().join("key")).unwrap();
        let signature = operator.approve("9f2c");
        assert!(operator.public().has_approved("9f2c", &signature));
        assert!(!operator.public().has_approved("9f2d", &signature));
        let checkpoint = Statement::Checkpoint { chain: "9f2c", count: 1, head: Hash::ZERO };
        assert!(!operator.public().has_approved("9f2c", &operator.0.sign(&checkpoint)));
        let other = Operator::load_or_create(&dir.path().join("other")).unwrap();
        assert!(!other.public().has_approved("9f2c", &signature));
    }
}

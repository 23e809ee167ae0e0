//! The state of a plan: what its file says, held against the operator's key and the list of revoked plans.

use std::{collections::BTreeSet, path::Path};

use redress_govern::plan::{Plan, Status};
use redress_govern::revoked;
use redress_ledger::{Operator, PublicKey};

use super::no_key;
use crate::{
    failure::Failure,
    output::{CODE, TITLE, TROUBLE},
    place,
};

/// What plans are held against.
pub(super) struct Against {
    /// Without any, nothing was approved.
    keys: Vec<PublicKey>,
    revoked: BTreeSet<String>,
}

/// The state of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Draft,
    Approved,
    Revoked,
    /// The text is another than the one that was approved.
    Changed,
    /// The approval is not the operator's.
    Forged,
}

impl Against {
    pub(super) fn load() -> Result<Self, Failure> {
        let key = place::plans_key()?;
        let keys = Operator::approvers(&key, &place::key()?).map_err(|it| no_key(&key, &it))?;
        Ok(Self { keys, revoked: all_revoked()? })
    }

    pub(super) fn standing(&self, plan: &Plan) -> Standing {
        let is_signed =
            |hash: &str, approval: &str| self.keys.iter().any(|it| it.has_approved(hash, approval));
        match plan.status {
            Status::Draft => Standing::Draft,
            Status::Revoked => Standing::Revoked,
            Status::Approved if plan.judge(is_signed).is_ok() => {
                if self.revoked.contains(&plan.hash) {
                    Standing::Revoked
                } else {
                    Standing::Approved
                }
            }
            Status::Approved if plan.declared.as_deref() != Some(&plan.hash) => Standing::Changed,
            Status::Approved => Standing::Forged,
        }
    }
}

impl Standing {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Approved => "approved",
            Self::Revoked => "revoked",
            Self::Changed => "changed",
            Self::Forged => "forged",
        }
    }

    /// What it means, where that is not plain.
    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Self::Draft => "nobody has approved it",
            Self::Approved => "calls may follow it",
            Self::Revoked => "its approval was taken back",
            Self::Changed => "the text is another than the one that was approved",
            Self::Forged => "the approval was not made with your key",
        }
    }

    /// Whether a person should look at it.
    pub(super) const fn is_trouble(self) -> bool {
        matches!(self, Self::Changed | Self::Forged)
    }

    /// The word in its colour.
    pub(super) fn shown(self) -> String {
        let (word, style) = (
            self.word(),
            match self {
                Self::Approved => TITLE,
                Self::Draft | Self::Revoked => CODE,
                Self::Changed | Self::Forged => TROUBLE,
            },
        );
        format!("{style}{word}{style:#}")
    }
}

pub(super) fn operator(key: &Path) -> Result<Operator, Failure> {
    Operator::load_or_create(key).map_err(|it| no_key(key, &it))
}

/// The hashes of all plans that were revoked.
pub(super) fn all_revoked() -> Result<BTreeSet<String>, Failure> {
    let list = place::revoked()?;
    let shown = list.to_string_lossy();
    revoked(&list).map_err(|it| {
        Failure::reading(&shown, &it)
            .fix("Repair the list: each line is the hash of a plan, 64 hex digits. Until then no plan can be used.")
    })
}

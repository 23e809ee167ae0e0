//! Invariants of a call: looked at once more when every guard has let it pass, apart from the guards.

use std::io;

use redress::Fault;
use redress_govern::invariant::{INV_ROOT_UNCHANGED, Passed};
use rustix::fs::stat;

use super::{
    Governed, Governor,
    root::{FileId, Root},
};

impl Governor {
    /// Whether everything holds of a call that is to reach the server.
    pub(super) fn holds(
        &self,
        governed: &Governed,
        root: Option<&Root>,
        is_harmless: bool,
    ) -> Result<(), Box<Fault>> {
        let session = governed.session.as_ref();
        let passed = Passed {
            session: session.map(|it| it.id.as_str()),
            role: governed.role.as_deref(),
            has_roles: !self.policy.roles.is_empty(),
            is_locked: session.is_some_and(|it| it.lock().is_some()),
            is_harmless,
        };
        passed.check()?;
        match root.map(Root::is_unchanged) {
            None | Some(Ok(true)) => Ok(()),
            Some(Ok(false)) => Err(INV_ROOT_UNCHANGED.violated("another directory is there now")),
            Some(Err(error)) => Err(INV_ROOT_UNCHANGED.violated(&error.to_string())),
        }
    }
}

impl Root {
    /// Whether its path still leads to the directory that was opened.
    fn is_unchanged(&self) -> io::Result<bool> {
        Ok(FileId::of(&stat(&self.path)?) == self.id)
    }
}

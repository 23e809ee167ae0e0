//! What a program without the feature `fleet` says of a fleet.

use std::path::{Path, PathBuf};

use redress::codes;
use redress_ledger::{Ledger, Options};

use super::{Args, FleetArgs};
use crate::{Done, config::General, failure::Failure, output::Out};

/// A gate that is alone.
#[derive(Debug)]
pub(crate) struct Member;

impl Member {
    /// A gate that is to be alone.
    pub(crate) fn of(general: &General) -> Result<Self, Failure> {
        if general.fleet.url.is_some() { Err(without()) } else { Ok(Self) }
    }

    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "the other one can fail")]
    pub(crate) fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    #[expect(clippy::unused_self, reason = "the other one needs it")]
    pub(crate) fn prepare(&self, _options: &mut Options) {}

    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "the other one can fail")]
    pub(crate) fn join(&self, _ledger: &Ledger, _dir: &Path) -> Result<(), Failure> {
        Ok(())
    }

    #[expect(clippy::unused_self, reason = "the other one needs it")]
    pub(crate) fn leave(&self) {}
}

/// A copy of a stream that there cannot be.
#[derive(Debug)]
pub(crate) enum Mirrored {}

impl Mirrored {
    pub(crate) fn of(args: &FleetArgs) -> Result<Option<Self>, Failure> {
        if args.fleet.is_some() { Err(without()) } else { Ok(None) }
    }

    pub(crate) fn fresh(args: &FleetArgs) -> Result<Option<Self>, Failure> {
        Self::of(args)
    }

    pub(crate) fn ledgers(&self) -> Vec<PathBuf> {
        match *self {}
    }

    pub(crate) fn follow(self) -> impl Fn() -> Vec<PathBuf> + Send + Sync + 'static {
        move || match self {}
    }

    pub(crate) fn findings(&self, _ledgers: &[PathBuf]) -> Result<Vec<String>, Failure> {
        match *self {}
    }

    pub(crate) fn gaps(&self) -> Vec<String> {
        match *self {}
    }
}

pub(super) fn run(_args: &Args, _out: &mut Out) -> Done {
    Err(without())
}

fn without() -> Failure {
    let mut fault = codes::UNSUPPORTED.raise([] as [(&str, &str); 0]);
    "This program was built without the feature `fleet`.".clone_into(&mut fault.message);
    Failure::input(fault).fix("Build it with `--features fleet`, or take a released program.")
}

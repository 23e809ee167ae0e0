//! The self-audit of a governed gate: everything that must hold before anything is served, looked at in one go.

mod contracts;
mod files;
mod ledger;
mod policy;

use std::path::Path;

use redress::{Fault, codes, fault::Cause};
use redress_govern::invariant::Invariant;
use redress_ledger::{Ledger, Record, Redactor};

pub(crate) use self::files::kept;
use crate::{config::Config, failure::Failure, output::Err as ToOperator};

/// What is audited.
pub(crate) struct Subject<'s> {
    /// The configuration.
    pub(crate) config: &'s Config,
    /// Where the ledger is.
    pub(crate) ledger: &'s Path,
    /// The ledger, or why it cannot be opened.
    pub(crate) opened: Result<Option<&'s Ledger>, &'s Failure>,
    /// Whether the client is the process on stdio.
    pub(crate) is_stdio: bool,
    /// Whether another configuration is served already.
    pub(crate) is_running: bool,
}

/// What does not hold: where, what is wrong there, and how it is put right.
struct AuditProblem {
    place: String,
    what: String,
    fix: String,
}

/// The checks so far.
#[derive(Default)]
struct Checks {
    count: usize,
    failed: Vec<String>,
}

impl Checks {
    fn add(&mut self, invariant: &Invariant, held: Result<(), AuditProblem>) {
        self.count += 1;
        if let Err(AuditProblem { place, what, fix }) = held {
            self.failed.push(format!("{}: {place}: {what}. Fix: {fix}", invariant.id));
        }
    }
}

impl Checks {
    /// A check that finds everything which is wrong in one place.
    fn add_all(&mut self, invariant: &Invariant, wrongs: impl IntoIterator<Item = AuditProblem>) {
        let before = self.count;
        wrongs.into_iter().for_each(|it| self.add(invariant, Err(it)));
        if self.count == before {
            self.add(invariant, Ok(()));
        }
    }
}

impl Subject<'_> {
    /// Looks at everything, and says so in one line; or tells each thing that does not hold, so that nothing is served.
    pub(crate) fn audit(&self) -> Result<(), Failure> {
        if !self.config.general.governance.enabled {
            return Ok(());
        }
        let mut checks = Checks::default();
        contracts::check(self, &mut checks);
        policy::check(self, &mut checks);
        files::check(self, &mut checks);
        let seen = ledger::check(self, &mut checks);
        let Checks { count, failed } = checks;
        if failed.is_empty() {
            ToOperator::new().say(&format!("self-audit: {count} of {count} checks hold; {seen}"));
            return Ok(());
        }
        let fault = self.fault(count, &failed);
        if let Ok(Some(ledger)) = self.opened {
            // A reader of the ledger sees later why the gate did not start; that it cannot be written is reported already.
            drop(ledger.append_wait(Record::fault(&fault, &Redactor::new([""; 0]))));
        }
        let again = if self.is_running { "save the file again" } else { "start again" };
        let fix = format!("Put each of these right, then {again}.");
        let failure = Failure::environment(fault).fix(&fix);
        Err(failed.iter().fold(failure, Failure::note))
    }

    fn fault(&self, count: usize, failed: &[String]) -> Fault {
        let number = u64::try_from(failed.len()).unwrap_or(u64::MAX);
        let mut fault = codes::SELF_AUDIT_FAILURE.raise([("failed_checks", number)]);
        let follows =
            if self.is_running { "the change is not served" } else { "nothing is served" };
        fault.message = format!("{number} of {count} checks failed, so {follows}.");
        for it in failed {
            fault.private.push_cause(Cause::Text(it.clone()));
        }
        fault
    }
}

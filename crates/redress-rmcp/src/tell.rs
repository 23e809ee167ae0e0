//! Telling a failure: context and time are filled in, it is counted, recorded, and only then given to the handler that answers.

use redress::{
    Fault, codes,
    dialect::Stamp,
    emit::{Emission, emit},
    fault::{NextAction, Origin, Policy, Receipt, StackPolicy},
    text::tokens::DEFAULT_DETAILS_BYTES,
};
use redress_ledger::{LedgerError, Record, Redactor};
use tokio::sync::oneshot;

use crate::{
    asked::Asked,
    clock,
    contract::{Contract, State},
    settings::ContractSettings,
};

/// A failure that may be answered.
#[derive(Debug)]
pub(crate) struct PreparedFault {
    pub(crate) fault: Box<Fault>,
    /// It could not be recorded, so that this is the only thing the caller hears.
    pub(crate) is_unrecorded: bool,
}

/// Whether failures of new calls can be recorded.
pub(crate) fn admit(settings: &ContractSettings) -> bool {
    let Some(ledger) = &settings.ledger else { return true };
    let is_open = ledger.admit().is_ok();
    if !is_open {
        ledger.miss();
    }
    is_open
}

impl PreparedFault {
    /// What the boundary knows.
    pub(crate) fn stamp(&self) -> Stamp<'_> {
        self.fault.timestamp.as_deref().map_or_else(Stamp::default, |now| Stamp { now })
    }
}

impl<H> Contract<H> {
    /// Makes a failure ready to be answered.
    pub(crate) async fn tell(&self, mut fault: Fault, asked: &Asked) -> PreparedFault {
        fault.context.fill_absent(&asked.context(&self.settings, &self.session));
        fault.elapsed_ms = Some(asked.elapsed_ms());
        if let Some(names) = self.state.catalog.names() {
            // A step that the server does not offer leads nowhere.
            fault.next_actions.retain(|it| match it {
                NextAction::Call { tool, .. } => names.contains(tool),
                NextAction::Text(_) => true,
            });
        }
        tell(fault, &self.settings, &self.state).await
    }

    /// The answer to a request whose failure could not be recorded, so that it was not even tried.
    pub(crate) fn refused(&self, asked: &Asked) -> PreparedFault {
        let mut fault = Fault::of(codes::AUDIT_LOG_FAILED.entry());
        self.state.codes.count(&fault);
        fault.nothing_changed();
        fault.context = asked.context(&self.settings, &self.session);
        fault.timestamp = Some(clock::now().to_string());
        fault.elapsed_ms = Some(asked.elapsed_ms());
        PreparedFault { fault: Box::new(unrecorded(fault)), is_unrecorded: true }
    }
}

/// Records a failure, so that it may be answered.
pub(crate) async fn tell(
    mut fault: Fault,
    settings: &ContractSettings,
    state: &State,
) -> PreparedFault {
    state.codes.count(&fault);
    fault.context.fill_absent(&settings.context);
    fault.timestamp = Some(clock::now().to_string());
    let mut fault = emit(fault, &emission(&settings.redactor, settings.stack)).into_fault();
    match record(&fault, settings).await {
        Ok(receipt) => {
            fault.ledger = receipt;
            PreparedFault { fault: Box::new(fault), is_unrecorded: false }
        }
        Err(_) => PreparedFault { fault: Box::new(unrecorded(fault)), is_unrecorded: true },
    }
}

/// The answer instead of a failure that could not be recorded.
fn unrecorded(failed: Fault) -> Fault {
    let mut fault = Fault::of(codes::AUDIT_LOG_FAILED.entry());
    fault.origin = Origin::Server;
    fault.effect = failed.effect;
    fault.context = failed.context;
    fault.timestamp = failed.timestamp;
    fault.elapsed_ms = failed.elapsed_ms;
    fault
}

/// How failures are made ready to be answered.
pub(crate) fn emission(redactor: &Redactor, stack: StackPolicy) -> Emission<'_> {
    Emission {
        policy: Policy { stack, redact: redactor },
        hides_server_text: false,
        details_bytes: DEFAULT_DETAILS_BYTES,
    }
}

async fn record(
    fault: &Fault,
    settings: &ContractSettings,
) -> Result<Option<Receipt>, LedgerError> {
    let Some(ledger) = &settings.ledger else { return Ok(None) };
    let (kept, hear) = oneshot::channel();
    ledger.append(Record::fault(fault, &settings.redactor), move |it| drop(kept.send(it)));
    hear.await.unwrap_or(Err(LedgerError::Closed)).map(Some)
}

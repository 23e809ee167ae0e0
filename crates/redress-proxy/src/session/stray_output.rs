//! Lines of the upstream that answer nothing: they are counted, recorded up to a limit, and cited where a request gets no answer.

use redress::{
    Fault,
    text::{cut, strip},
};
use redress_wire::json::RawJson;

use super::{
    Context, Session,
    emission::record_fault,
    fault_details::{number, with_upstream},
    faults::{LINE_BYTES, protocol_fault},
    interface::Actions,
};
use crate::{exchange::Exchange, metrics::CountedEvent};

/// How many are recorded one by one; after that, each time their number doubles.
const MOST_NOTED: u64 = 16;

/// The longest part of one that is cited, in bytes, and that is cited beside other details, in characters.
const SAMPLE_BYTES: usize = 1 << 10;
const SAMPLE_CHARS: usize = 120;

/// The lines of an upstream that were of no use.
#[derive(Debug, Default)]
pub(super) struct StrayOutput {
    /// How many there were.
    pub(super) count: u64,
    /// The last one.
    last: Vec<u8>,
}

/// Records a message of the upstream that no request waits for. It is a failure of the upstream.
pub(super) fn note_stray(session: &mut Session, line: &[u8], reason: &str, actions: &mut Actions) {
    if let Some(fault) = count_stray(session, line, reason) {
        record_fault(session, fault, actions);
    }
}

/// Records a line of the upstream that is no message. Most are of a log that should go to stderr: no call failed, and the metrics count what
/// the ledger holds. What the upstream says while it is made to end, perhaps in the middle of a line, is no failure at all.
pub(super) fn note_noise(session: &mut Session, line: &[u8], reason: &str, actions: &mut Actions) {
    if let Some(fault) =
        count_stray(session, line, reason).filter(|_| !session.admission.is_closing())
    {
        record_fault(session, fault, actions);
    }
}

/// Details that say what came in the place of an answer.
pub(super) fn with_stray_output(
    cx: Context<'_>,
    details: Option<RawJson>,
    exchange: &Exchange,
) -> Option<RawJson> {
    let count = cx.upstream.stray.count.saturating_sub(exchange.useless);
    if count == 0 || cx.tenancy.has_several() {
        return details;
    }
    let sample = cx.server.settings.redactor.start(&cx.upstream.stray.last, SAMPLE_BYTES);
    let sample = RawJson::string(&cut(&strip(&sample), SAMPLE_CHARS));
    let details = with_upstream(details, "useless_lines", number(count));
    with_upstream(details, "useless_sample", Some(sample))
}

/// What a program wrote last that opened no session, for the card.
pub(super) fn printed_output(cx: Context<'_>) -> Option<String> {
    let is_there = cx.upstream.stray.count > 0 && !cx.tenancy.has_several();
    let sample = is_there
        .then(|| cx.server.settings.redactor.start(&cx.upstream.stray.last, SAMPLE_BYTES))?;
    Some(strip(&sample)).filter(|it| !it.is_empty())
}

fn count_stray(session: &mut Session, line: &[u8], reason: &str) -> Option<Fault> {
    let StrayOutput { count, last } = &mut session.upstream.stray;
    *count += 1;
    last.clear();
    last.extend_from_slice(line.get(..LINE_BYTES).unwrap_or(line));
    let count = *count;
    session.server.metrics.happened(CountedEvent::Useless);
    if count > MOST_NOTED && !count.is_power_of_two() {
        return None;
    }
    let mut fault = protocol_fault(session.context(), reason, line);
    fault.nothing_changed();
    fault.details = with_upstream(fault.details.take(), "useless_lines", number(count));
    Some(fault)
}

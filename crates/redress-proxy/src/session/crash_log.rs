//! What a process wrote before it ended: the stack and the cause of its failure.

use redress::{Fault, fault::Cause, text};
use redress_wire::json::RawJson;

use super::{
    Context,
    fault_details::{number, with_upstream},
    interface::Exit,
    startup_failure::telling_line,
};

/// The most of a log that goes into a fault, in characters.
const LOG_CHARS: usize = 1_000;

/// Adds the end of the log to a fault: its stack to the private part, its lines to the envelope, and to the card the line that tells of the
/// failure. Lines from before the position do not explain the call.
pub(super) fn add_log(cx: Context<'_>, fault: &mut Fault, position: u64) {
    let redacted = |from| cx.server.settings.redactor.text(&cx.upstream.stderr.since(from));
    let (log, since) = (redacted(0), redacted(position));
    if log.trim().is_empty() {
        return;
    }
    if cx.tenancy.has_several() {
        // Its intended reader is unknown.
        return fault.private.hide_cause(Cause::Text(log));
    }
    if fault.server_text.is_none() {
        let telling = text::without_frames(&since);
        fault.server_text = telling_line(&telling, position == 0).map(str::to_owned);
    }
    let shown = cx.server.settings.shown_stack().shown(&log);
    let cut = shown.char_indices().rev().nth(LOG_CHARS).map_or(0, |it| it.0);
    let lines = shown.get(cut..).unwrap_or_default().lines().map(text::strip_line);
    let end = lines.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n");
    fault.details = with_upstream(fault.details.take(), "stderr_tail", Some(RawJson::string(&end)));
    fault.private.stack = Some(if since.trim().is_empty() { log } else { since });
}

/// Names the end of the process as the cause, in its last words if they tell something.
pub(super) fn add_exit(fault: &mut Fault, exit: &Exit) {
    let code = exit.code.and_then(number);
    let code = code.or_else(|| exit.signal.as_deref().map(RawJson::string));
    let message = fault.server_text.as_ref().unwrap_or(&fault.message).clone();
    fault.private.push_cause(Cause::Error { message, code, name: "ProcessExit".to_owned() });
}

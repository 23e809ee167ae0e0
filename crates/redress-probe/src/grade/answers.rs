//! Answers (`PR1xx`): there is one, in time, whole, once, under the right id, and the server lives on.

use redress_registry::{
    Level::{Improvement, Violation},
    rule::{Grade, Rule},
};

use super::{
    Check, Complaint, Said,
    answer_view::{AnswerKind, AnswerView},
    good_if,
};
use crate::{
    client::{Received, Trouble, longest},
    plan::{Action, Expect},
};

/// A refusal that takes longer is slow, in milliseconds.
const SLOW_MS: u128 = 2_000;

/// The most bytes that a failure needs.
const MOST_BYTES: usize = 32 << 10;

pub(super) const CHECKS: &[Check] = &[
    Check {
        rule: Rule {
            id: "PR101",
            name: "unanswered-request",
            grade: Grade::Level(Violation),
            summary: "A request was never answered.",
            why: "The client waits until its own deadline, and cannot tell a slow server from a dead one.",
            how_to_fix: "Answer every request, with an error if need be; catch what a handler throws.",
        },
        title: "Requests are never answered",
        weight: 20,
        cap: Some(74),
        run: answered,
    },
    Check {
        rule: Rule {
            id: "PR102",
            name: "slow-refusal",
            grade: Grade::Level(Improvement),
            summary: "A request that must fail was refused after more than two seconds.",
            why: "The arguments are wrong before any work begins, and a model waits for the answer.",
            how_to_fix: "Check the arguments before anything else.",
        },
        title: "Refusals are slow",
        weight: 4,
        cap: None,
        run: in_time,
    },
    Check {
        rule: Rule {
            id: "PR103",
            name: "server-died",
            grade: Grade::Level(Violation),
            summary: "The process ended, or nobody took the connection any more.",
            why: "One bad request of one client takes the server away from all, with everything it remembered.",
            how_to_fix: "Catch panics and exceptions at the boundary of a request, and answer with an error.",
        },
        title: "A request ends the server",
        weight: 30,
        cap: Some(59),
        run: survived,
    },
    Check {
        rule: Rule {
            id: "PR104",
            name: "wrong-id",
            grade: Grade::Level(Violation),
            summary: "An answer has another id than its request, or none.",
            why: "The client cannot tell which request it answers, and waits for ever.",
            how_to_fix: "Send back the id as it came: a number as a number, a text as a text.",
        },
        title: "Answers have the wrong id",
        weight: 20,
        cap: Some(74),
        run: addressed,
    },
    Check {
        rule: Rule {
            id: "PR105",
            name: "answered-twice",
            grade: Grade::Level(Violation),
            summary: "A request was answered more than once.",
            why: "JSON-RPC has one answer to a request; a client may take the second for that of another.",
            how_to_fix: "Answer once, and let whatever else fails after it be logged.",
        },
        title: "Requests are answered twice",
        weight: 20,
        cap: None,
        run: once,
    },
    Check {
        rule: Rule {
            id: "PR106",
            name: "malformed-answer",
            grade: Grade::Level(Violation),
            summary: "What came is no valid message: not JSON, not JSON-RPC 2.0, or not the result of a call.",
            why: "SDKs drop such a message or close the connection; the request is never answered.",
            how_to_fix: "Write nothing but valid messages to standard output; send logs to standard error.",
        },
        title: "Answers are no valid messages",
        weight: 20,
        cap: Some(74),
        run: well_formed,
    },
    Check {
        rule: Rule {
            id: "PR107",
            name: "stuck-server",
            grade: Grade::Level(Violation),
            summary: "After a request the server no longer answers, though it still runs.",
            why: "Every later request of every client waits until its deadline.",
            how_to_fix: "Do not let one request hold what all others need.",
        },
        title: "A request makes the server stuck",
        weight: 30,
        cap: Some(59),
        run: alive,
    },
    Check {
        rule: Rule {
            id: "PR108",
            name: "unbounded-failure",
            grade: Grade::Level(Improvement),
            summary: "A failing answer is longer than 32 KiB.",
            why: "All of it goes into the context of a model, which pays for it and forgets something else.",
            how_to_fix: "Say what is wrong in a few lines; do not send back what was sent.",
        },
        title: "Failures are very long",
        weight: 10,
        cap: None,
        run: bounded,
    },
];

/// Whether it must be answered. Many servers drop what is no request at all; how they refuse it is another rule's business.
const fn is_owed(view: &AnswerView<'_>) -> bool {
    !matches!(
        view.case.action,
        Action::Odd(_)
            | Action::Broken(_)
            | Action::Notification { .. }
            | Action::Cancelled { .. }
            | Action::SameId { .. }
    )
}

fn answered(view: &AnswerView<'_>) -> Said {
    if !is_owed(view) || died(view) {
        return None;
    }
    let expected = "An answer, whatever it is.";
    match &view.reply.what {
        Received::Silence(waited) => {
            let message = format!("Nothing came within {} ms.", waited.as_millis());
            Some(Err(Complaint::new(message, expected)))
        }
        Received::Closed(trouble) => {
            Some(Err(Complaint::new(format!("The connection was closed: {trouble}."), expected)))
        }
        _ => Some(Ok(())),
    }
}

fn in_time(view: &AnswerView<'_>) -> Said {
    let is_refusal =
        matches!(view.case.expect, Expect::Refusal | Expect::UnknownTool | Expect::Error(_));
    if !is_refusal || !matches!(view.reply.what, Received::Answer { .. }) {
        return None;
    }
    let took = view.reply.elapsed.as_millis();
    good_if(took <= SLOW_MS, || {
        Complaint::new(format!("The refusal took {took} ms."), "The same refusal at once.")
    })
}

fn died(view: &AnswerView<'_>) -> bool {
    matches!(
        end(view),
        Received::Exited { .. } | Received::Closed(Trouble::Connect(_) | Trouble::Name(_))
    )
}

/// What came last: the answer, or the end of the process after it.
fn end<'a>(view: &AnswerView<'a>) -> &'a Received {
    view.exit.unwrap_or(&view.reply.what)
}

#[expect(clippy::unnecessary_wraps, reason = "it is what every rule gives")]
fn survived(view: &AnswerView<'_>) -> Said {
    let how = match end(view) {
        Received::Exited { code: Some(code), .. } => {
            format!("The process ended with exit code {code}.")
        }
        Received::Exited { signal: Some(signal), .. } => {
            format!("Signal {signal} ended the process.")
        }
        Received::Exited { .. } => "The process ended.".to_owned(),
        Received::Closed(trouble @ (Trouble::Connect(_) | Trouble::Name(_))) => {
            format!("The server cannot be reached any more: {trouble}.")
        }
        _ => return Some(Ok(())),
    };
    Some(Err(Complaint::new(how, "A failing answer, and a server that lives on.")))
}

fn addressed(view: &AnswerView<'_>) -> Said {
    if !is_owed(view) || !matches!(view.reply.what, Received::Answer { .. }) {
        return None;
    }
    good_if(!view.reply.is_misaddressed, || {
        let id = view.answer.message.get("id");
        let id = id.map_or_else(|| "no id".to_owned(), |it| format!("the id {it}"));
        Complaint::new(format!("The answer has {id}."), "The id of the request, of the same type.")
    })
}

fn once(view: &AnswerView<'_>) -> Said {
    if !is_owed(view) || !matches!(view.reply.what, Received::Answer { .. }) {
        return None;
    }
    good_if(view.reply.more.is_empty(), || {
        let count = view.reply.more.len() + 1;
        Complaint::new(format!("{count} answers came to one request."), "One answer.")
    })
}

fn well_formed(view: &AnswerView<'_>) -> Said {
    let expected = "One message of JSON-RPC 2.0, with a result or an error.";
    if let Some(noise) = view.reply.noise.first() {
        let shown =
            redress::text::quote(&String::from_utf8_lossy(noise.get(..400).unwrap_or(noise)), 80);
        return Some(Err(Complaint::new(format!("This is no message: {shown}."), expected)));
    }
    match (&view.reply.what, &view.answer.kind) {
        (Received::TooLarge(bytes), _) => {
            let message =
                format!("The message has {bytes} bytes or more, which is over {}.", longest());
            Some(Err(Complaint::new(message, expected)))
        }
        // How plain HTTP refuses what is no message is its own affair.
        (Received::Malformed { status: Some(400..), .. }, _) if !is_owed(view) => None,
        (Received::Answer { .. } | Received::Malformed { .. }, AnswerKind::Broken(why)) => {
            Some(Err(Complaint::new(why.clone(), expected)))
        }
        (Received::Answer { .. }, _) => Some(Ok(())),
        _ => None,
    }
}

fn alive(view: &AnswerView<'_>) -> Said {
    if died(view) {
        return None;
    }
    good_if(view.lives?, || {
        Complaint::new(
            "The server did not answer a ping after this.",
            "A server that goes on answering.",
        )
    })
}

fn bounded(view: &AnswerView<'_>) -> Said {
    let Received::Answer { bytes, .. } = &view.reply.what else { return None };
    if !view.answer.is_failure() {
        return None;
    }
    good_if(bytes.len() <= MOST_BYTES, || {
        Complaint::new(format!("The failure has {} bytes.", bytes.len()), "A few lines.")
    })
}

//! The protocol (`PR2xx`): each failure in the form that the specification gives it, and no success where there is none.

use redress_registry::{
    Level::{Improvement, Violation},
    rule::{Grade, Rule},
};
use serde_json::Value;

use super::{
    Check, Complaint, Said,
    answer_view::{AnswerKind, AnswerView},
    good_if,
};
use crate::{
    client::Received,
    plan::{Action, Expect},
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        rule: Rule {
            id: "PR201",
            name: "unknown-tool-kind",
            grade: Grade::Level(Improvement),
            summary: "A tool that does not exist is not refused with the JSON-RPC error -32602.",
            why: "The specification calls it an error of the protocol; a client tells by it that its list of tools is old.",
            how_to_fix: "Answer with the error -32602 and the name of the tool.",
        },
        title: "Unknown tools are refused in the wrong form",
        weight: 10,
        cap: None,
        run: unknown_tool,
    },
    Check {
        rule: Rule {
            id: "PR202",
            name: "unknown-method-kind",
            grade: Grade::Level(Violation),
            summary: "A method that does not exist is not refused with the JSON-RPC error -32601.",
            why: "By this code clients find out what a server can do.",
            how_to_fix: "Answer every unknown method with the error -32601.",
        },
        title: "Unknown methods are refused in the wrong form",
        weight: 4,
        cap: None,
        run: |it| error_of(it, -32_601),
    },
    Check {
        rule: Rule {
            id: "PR203",
            name: "malformed-call-kind",
            grade: Grade::Level(Improvement),
            summary: "A request whose params are malformed is not refused with -32602 or -32600.",
            why: "It is a mistake of the client program, which no model can correct.",
            how_to_fix: "Answer with the error -32602 if params are not what the method takes.",
        },
        title: "Malformed calls are refused in the wrong form",
        weight: 4,
        cap: None,
        run: |it| error_of(it, -32_602),
    },
    Check {
        rule: Rule {
            id: "PR204",
            name: "malformed-message-kind",
            grade: Grade::Level(Improvement),
            summary: "A message that is no request is not refused with -32700 or -32600.",
            why: "A client that sent half a message waits for an answer that never comes.",
            how_to_fix: "Answer what cannot be read with -32700, what is no request with -32600, without an id if there is none.",
        },
        title: "Malformed messages are not refused",
        weight: 4,
        cap: None,
        run: malformed_message,
    },
    Check {
        rule: Rule {
            id: "PR205",
            name: "unknown-revision-kind",
            grade: Grade::Level(Improvement),
            summary: "A revision that does not exist is not answered with those that the server speaks.",
            why: "Client and server cannot agree, and the client does not know on what they could.",
            how_to_fix: "Answer initialize with a revision of your own; later revisions with -32022 and `supported`.",
        },
        title: "Unknown revisions are accepted or refused in the wrong form",
        weight: 4,
        cap: None,
        run: revision,
    },
    Check {
        rule: Rule {
            id: "PR206",
            name: "answered-notification",
            grade: Grade::Level(Violation),
            summary: "A notification was answered.",
            why: "It has no id, so the answer belongs to nothing; strict clients close the connection.",
            how_to_fix: "Ignore notifications that you do not know.",
        },
        title: "Notifications are answered",
        weight: 4,
        cap: None,
        run: quiet,
    },
    Check {
        rule: Rule {
            id: "PR207",
            name: "bad-input-kind",
            grade: Grade::Level(Improvement),
            summary: "Wrong arguments are refused with a JSON-RPC error instead of a result with `isError`.",
            why: "Clients show errors of the protocol to people, not to the model, which alone could correct its call.",
            how_to_fix: "Answer with a result, `isError: true` and a text that says what is wrong.",
        },
        title: "Wrong arguments are refused where no model sees it",
        weight: 10,
        cap: None,
        run: bad_input,
    },
    Check {
        rule: Rule {
            id: "PR208",
            name: "reserved-number",
            grade: Grade::Level(Improvement),
            summary: "An error has a number that JSON-RPC or MCP keeps for itself and has not defined.",
            why: "Clients take it for an error of the protocol, now or in the next revision.",
            how_to_fix: "Use a number outside of -32768 to -32000 for errors of your own.",
        },
        title: "Errors use reserved numbers",
        weight: 4,
        cap: None,
        run: reserved,
    },
    Check {
        rule: Rule {
            id: "PR209",
            name: "accepted-bad-input",
            grade: Grade::Level(Violation),
            summary: "A call whose arguments do not fit the input schema succeeded.",
            why: "What a model got wrong is done anyway, in some way that nobody described.",
            how_to_fix: "Check arguments against the schema that you publish, before anything else.",
        },
        title: "Arguments that the schema forbids are accepted",
        weight: 30,
        cap: None,
        run: accepted,
    },
    Check {
        rule: Rule {
            id: "PR210",
            name: "silent-failure",
            grade: Grade::Level(Violation),
            summary: "A result says in words that it failed, and is not flagged with `isError`.",
            why: "Clients count it as a success; the model may, too.",
            how_to_fix: "Set `isError: true` on every result that is a failure.",
        },
        title: "Failures are not flagged",
        weight: 20,
        cap: None,
        run: flagged,
    },
    Check {
        rule: Rule {
            id: "PR211",
            name: "invalid-structured-content",
            grade: Grade::Level(Violation),
            summary: "structuredContent does not fit the output schema of its tool, or is missing.",
            why: "Clients check it and throw the whole answer away, the error in it included.",
            how_to_fix: "Make it fit; on a failure of a tool with an output schema, leave it out.",
        },
        title: "Structured content does not fit its schema",
        weight: 20,
        cap: None,
        run: structured,
    },
    Check {
        rule: Rule {
            id: "PR212",
            name: "file-outside",
            grade: Grade::Level(Improvement),
            summary: "A path out of every folder was read: the answer shows a file of the machine.",
            why: "Whoever talks to the model can read what the server's user can.",
            how_to_fix: "Keep paths within the folders that the server is for; open them beneath a directory handle.",
        },
        title: "Files of the machine can be read",
        weight: 30,
        cap: None,
        run: inside,
    },
];

/// What came, in words.
fn shown(view: &AnswerView<'_>) -> String {
    match (&view.answer.kind, &view.reply.what) {
        (AnswerKind::Error(code), _) => format!("The answer is the error {code}."),
        (AnswerKind::ToolError, _) => "The answer is a result with `isError`.".into(),
        (AnswerKind::Success, _) => "The answer is a success.".into(),
        (_, Received::Malformed { status: Some(status), .. }) => {
            format!("The answer is the status {status} without a message.")
        }
        _ => "No answer came.".into(),
    }
}

/// Whether an answer came that can be judged.
const fn is_judged(view: &AnswerView<'_>) -> bool {
    matches!(view.answer.kind, AnswerKind::Success | AnswerKind::ToolError | AnswerKind::Error(_))
}

fn unknown_tool(view: &AnswerView<'_>) -> Said {
    if view.case.expect != Expect::UnknownTool || !is_judged(view) {
        return None;
    }
    let expected = "A JSON-RPC error with the code -32602.";
    good_if(view.answer.kind == AnswerKind::Error(-32_602), || {
        Complaint::new(shown(view), expected)
    })
}

/// The cases that are about one code.
fn error_of(view: &AnswerView<'_>, code: i64) -> Said {
    let Expect::Error(codes) = view.case.expect else { return None };
    let is_dropped =
        matches!((&view.case.action, &view.reply.what), (Action::Odd(_), Received::Silence(_)));
    if codes.first() != Some(&code) || !is_judged(view) && !is_dropped {
        return None;
    }
    good_if(is_one_of(view, codes), || Complaint::new(shown(view), wanted(codes)))
}

fn is_one_of(view: &AnswerView<'_>, codes: &[i64]) -> bool {
    matches!(view.answer.kind, AnswerKind::Error(code) if codes.contains(&code))
}

fn wanted(codes: &[i64]) -> String {
    let codes: Vec<_> = codes.iter().map(i64::to_string).collect();
    format!("A JSON-RPC error with the code {}.", codes.join(" or "))
}

fn malformed_message(view: &AnswerView<'_>) -> Said {
    let Expect::Error(codes) = view.case.expect else { return None };
    if !codes.iter().all(|it| [-32_700, -32_600].contains(it)) || exited(view) {
        return None;
    }
    // Without a message, HTTP's own word for a bad request is clear enough.
    let is_refused = matches!(view.reply.what, Received::Malformed { status: Some(400..=499), .. });
    good_if(is_refused || is_one_of(view, codes), || Complaint::new(shown(view), wanted(codes)))
}

const fn exited(view: &AnswerView<'_>) -> bool {
    matches!(view.reply.what, Received::Exited { .. } | Received::Closed(_))
}

fn revision(view: &AnswerView<'_>) -> Said {
    if let Expect::Error([-32_022]) = view.case.expect {
        return good_if(view.answer.kind == AnswerKind::Error(-32_022), || {
            Complaint::new(shown(view), "The error -32022 with the revisions that are spoken.")
        });
    }
    if view.case.expect != Expect::OwnRevision || !is_judged(view) {
        return None;
    }
    let named = view.answer.message.pointer("/result/protocolVersion").and_then(Value::as_str);
    let is_own = named.is_some_and(|it| it.starts_with("202")) || view.answer.is_failure();
    good_if(is_own, || {
        Complaint::new(
            "The revision 1900-01-01 was agreed to.",
            "A revision that the server speaks.",
        )
    })
}

fn quiet(view: &AnswerView<'_>) -> Said {
    if view.case.expect != Expect::Quiet || exited(view) {
        return None;
    }
    // Over HTTP a notification may be refused.
    let is_answered =
        matches!(view.reply.what, Received::Answer { status: None | Some(..400), .. });
    good_if(!is_answered, || Complaint::new("The notification was answered.", "No answer."))
}

fn bad_input(view: &AnswerView<'_>) -> Said {
    let is_asked = view.case.expect == Expect::Refusal && view.era.tells_tools_of_bad_input();
    if !is_asked || !view.answer.is_failure() {
        return None;
    }
    let expected = "A result with `isError: true` and a text that names the argument.";
    good_if(view.answer.kind == AnswerKind::ToolError, || Complaint::new(shown(view), expected))
}

fn reserved(view: &AnswerView<'_>) -> Said {
    let AnswerKind::Error(code) = view.answer.kind else { return None };
    let is_defined = matches!(code, -32_700 | -32_603..=-32_600 | -32_022..=-32_020)
        // Older revisions have these two.
        || !view.era.is_stateless() && matches!(code, -32_002 | -32_042);
    good_if(is_defined || !(-32_768..=-32_000).contains(&code), || {
        Complaint::new(
            format!("The error has the number {code}."),
            "A defined number, or one that is not reserved.",
        )
    })
}

fn accepted(view: &AnswerView<'_>) -> Said {
    let must_fail = matches!(view.case.expect, Expect::Refusal | Expect::Failure);
    if !must_fail || !is_judged(view) || view.is_silent() {
        return None;
    }
    good_if(view.answer.kind != AnswerKind::Success, || {
        Complaint::new("The call succeeded.", "A refusal that names the argument.")
    })
}

fn flagged(view: &AnswerView<'_>) -> Said {
    if view.tool.is_none() || !is_judged(view) {
        return None;
    }
    good_if(!view.is_silent(), || {
        let said = redress::text::quote(&view.answer.text(), 100);
        Complaint::new(
            format!("It says {said} and is not flagged."),
            "The same with `isError: true`.",
        )
    })
}

fn structured(view: &AnswerView<'_>) -> Said {
    let schema = view.tool?.output.as_ref()?;
    let result = view.answer.message.get("result")?;
    match (result.get("structuredContent"), &view.answer.kind) {
        (Some(value), _) => good_if(schema.is_valid(value), || {
            Complaint::new(
                "structuredContent does not fit the output schema.",
                "Content that fits, or none on a failure.",
            )
        }),
        (None, AnswerKind::Success) => Some(Err(Complaint::new(
            "The tool has an output schema, and the result no structuredContent.",
            "Structured content that fits the schema.",
        ))),
        _ => None,
    }
}

fn inside(view: &AnswerView<'_>) -> Said {
    if view.case.expect != Expect::Outside || !is_judged(view) {
        return None;
    }
    let is_read =
        view.answer.kind == AnswerKind::Success && view.answer.lower.contains("localhost");
    good_if(!is_read, || {
        Complaint::new(
            "The answer shows the file /etc/hosts.",
            "A refusal that says which folders are open.",
        )
    })
}

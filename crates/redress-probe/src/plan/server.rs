//! The cases of a server as a whole: tools and methods that do not exist, and messages that are none.

use serde_json::{Value, json};

use super::{Action, Case, Expect, rng::Rng};
use crate::client::Era;

const INVALID_REQUEST: i64 = -32_600;
const METHOD_NOT_FOUND: i64 = -32_601;
const INVALID_PARAMS: i64 = -32_602;
const UNSUPPORTED_VERSION: i64 = -32_022;
const PARSE_ERROR: i64 = -32_700;

/// A revision that will never be.
pub(super) const NO_REVISION: &str = "1900-01-01";

/// How many requests are sent at once.
const TOGETHER: usize = 8;

/// Everything that is tried with the server itself.
pub(super) fn cases(era: &Era, seed: u64) -> Vec<Case> {
    let none = format!("redress_probe_{:08x}", Rng::new(seed, "server").next() >> 32);
    let call = |name: Value| json!({"name": name, "arguments": {}});
    let request =
        |method: &str, params: Value| Action::Request { method: method.to_owned(), params };
    let odd = |params: Value| {
        Action::Odd(json!({"jsonrpc": "2.0", "method": "tools/call", "params": params}))
    };
    let malformed = Expect::Error(&[INVALID_PARAMS, INVALID_REQUEST]);
    let mut cases = vec![
        case(
            "unknown-tool",
            "A call of a tool that was never listed.",
            request("tools/call", call(json!(none))),
            Expect::UnknownTool,
        ),
        case(
            "unknown-method",
            "A method that no revision has.",
            request("redress/none", json!({})),
            Expect::Error(&[METHOD_NOT_FOUND]),
        ),
        case(
            "no-name",
            "A call that names no tool.",
            request("tools/call", json!({"arguments": {}})),
            malformed,
        ),
        case(
            "name-not-text",
            "A call whose tool is a number.",
            request("tools/call", call(json!(7))),
            malformed,
        ),
        case("params-list", "A call whose params are a list.", odd(json!(["redress"])), malformed),
        case(
            "no-version",
            "A request that is not JSON-RPC 2.0.",
            Action::Odd(json!({"jsonrpc": "1.0", "method": "tools/list"})),
            Expect::Error(&[INVALID_REQUEST, PARSE_ERROR]),
        ),
        case(
            "no-method",
            "A request without a method.",
            Action::Odd(json!({"jsonrpc": "2.0", "params": {}})),
            Expect::Error(&[INVALID_REQUEST, PARSE_ERROR]),
        ),
        case(
            "not-json",
            "A line that is no JSON.",
            Action::Broken(br#"{"jsonrpc":"2.0","id":1,"method":"#.to_vec()),
            Expect::Error(&[PARSE_ERROR]),
        ),
        case(
            "garbage",
            "Bytes that are no text.",
            Action::Broken(b"\xff\xfe\x00redress\x80".to_vec()),
            Expect::Error(&[PARSE_ERROR]),
        ),
        case(
            "unknown-notification",
            "A notification that nobody knows.",
            Action::Notification { method: "notifications/redress/none".into(), params: json!({}) },
            Expect::Quiet,
        ),
        case(
            "cancel-unknown",
            "The cancellation of a request that was never made.",
            Action::Notification {
                method: "notifications/cancelled".into(),
                params: json!({"requestId": none, "reason": "redress probe"}),
            },
            Expect::Quiet,
        ),
        case(
            "cancelled",
            "A call that is cancelled at once.",
            Action::Cancelled { method: "tools/call".into(), params: call(json!(none)) },
            Expect::Life,
        ),
        case(
            "together",
            "Several calls at once, each with its own id.",
            Action::Concurrent {
                method: "tools/call".into(),
                params: call(json!(none)),
                times: TOGETHER,
            },
            Expect::UnknownTool,
        ),
        case(
            "same-id",
            "Two calls with the same id.",
            Action::SameId { method: "tools/call".into(), params: call(json!(none)) },
            Expect::Life,
        ),
    ];
    if !era.has_batches() {
        let batch = br#"[{"jsonrpc":"2.0","id":"probe-batch","method":"tools/list"}]"#;
        let expect = Expect::Error(&[INVALID_REQUEST, PARSE_ERROR]);
        let about = "Several messages in one, which this revision does not have.";
        cases.push(case("batch", about, Action::Broken(batch.to_vec()), expect));
    }
    if era.is_stateless() {
        let about = "A request that does not say its revision.";
        let bare = Action::Odd(json!({"jsonrpc": "2.0", "method": "tools/list", "params": {}}));
        cases.push(case("no-meta", about, bare, Expect::Error(&[INVALID_PARAMS])));
        let meta = json!({"io.modelcontextprotocol/protocolVersion": NO_REVISION});
        let about = "A request in a revision that does not exist.";
        let old = request("tools/list", json!({"_meta": meta}));
        cases.push(case("bad-revision", about, old, Expect::Error(&[UNSUPPORTED_VERSION])));
    } else {
        let about = "A greeting with a revision that does not exist.";
        let action = Action::Greeting(NO_REVISION.to_owned());
        cases.push(case("bad-revision", about, action, Expect::OwnRevision));
    }
    for case in cases.iter_mut().filter(|it| it.id == "server/unknown-tool") {
        case.twice = true;
    }
    cases
}

fn case(kind: &str, about: &str, action: Action, expect: Expect) -> Case {
    let (id, about) = (format!("server/{kind}"), about.to_owned());
    Case { id, tool: None, about, action, expect, wrong: Vec::new(), twice: false }
}

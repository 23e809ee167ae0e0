//! Answers and what is read from them: every dialect in every carrier, what is no failure, and what no dialect recognises.

use redress::{
    Dialect, Fault, Lookup, card, codes,
    dialect::Stamp,
    dialect::wire::{self, Answer},
    fault::{NextAction, Similar, Violation},
    outcome::Asked,
    recover::{Reading, read},
};
use redress_wire::json::RawJson;
use serde_json::{Value, json};

use super::{envelope, faults::example, parsed};

const STAMP: Stamp<'static> = Stamp { now: "2026-01-19T15:32:10.123Z" };

pub(super) fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    for dialect in Dialect::ALL {
        for (name, fault) in faults() {
            for (carrier, bytes) in carried(dialect, &fault) {
                cases.push((format!("{name} in {} as {carrier}", dialect.name()), bytes));
            }
        }
    }
    let named = |it: &(&str, &str)| (it.0.to_owned(), it.1.to_owned());
    cases.extend(NO_FAILURE.iter().chain(STATED).chain(UNRECOGNISED).map(named));
    let mut cases: Vec<_> = cases.iter().map(|(name, bytes)| case(name, bytes)).collect();
    cases.extend(unreadable().iter().map(|(name, bytes)| {
        // How much of it is understood is up to what each reader takes; that it failed is not.
        json!({"name": name, "bytes": bytes, "reading": "failure"})
    }));
    cases
}

/// Failures that are no JSON, or more than a reader need take.
fn unreadable() -> Vec<(String, String)> {
    let deep = format!("{}{}", r#"{"a":"#.repeat(70), "1".to_owned() + &"}".repeat(70));
    let flagged = |inner: &str| {
        format!(
            r#"{{"content":[{{"type":"text","text":"boom"}}],"structuredContent":{inner},"isError":true}}"#
        )
    };
    let response = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
    let native = format!(r#"{{"v":1,"code":"CONFLICT","message":"x","details":{deep}}}"#);
    let lone = flagged(r#"{"a":"\ud800"}"#);
    let cases = [
        ("a flag beside what is too deep", flagged(&deep)),
        ("a flag beside what is too deep, in a response", response(&flagged(&deep))),
        ("a flag beside half of a pair", lone.clone()),
        ("a flag beside half of a pair, in a response", response(&lone)),
        (
            "an error of the protocol with data that is too deep",
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32000,"message":"x","data":{deep}}}}}"#
            ),
        ),
        (
            "an error of the protocol alone, with data that is too deep",
            format!(r#"{{"code":-32000,"message":"x","data":{deep}}}"#),
        ),
        ("an envelope with details that are too deep", native.clone()),
        (
            "an envelope with details that are too deep, in _meta",
            format!(r#"{{"content":[],"_meta":{{"dev.redress/fault":{native}}},"isError":true}}"#),
        ),
        (
            "a flag before the end is missing",
            r#"{"isError":true,"content":[{"type":"text","text":"It did no"#.to_owned(),
        ),
        (
            "a response that is cut off",
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"ty"#.to_owned(),
        ),
        ("a response that is cut off behind a comma", r#"{"jsonrpc":"2.0","id":1,"#.to_owned()),
        (
            "an error of the protocol that is cut off",
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"It did no"#.to_owned(),
        ),
        ("a result that is cut off", r#"{"content":[{"type":"text","text":"It did no"#.to_owned()),
        ("an envelope that is cut off", r#"{"v":1,"code":"CONFLICT","message":"Chan"#.to_owned()),
    ];
    cases.map(|(name, bytes)| (name.to_owned(), bytes)).into()
}

fn case(name: &str, bytes: &str) -> Value {
    match read(bytes.as_bytes(), &Asked::default(), &Lookup::shipped()) {
        Reading::Fine => json!({"name": name, "bytes": bytes, "reading": "fine"}),
        // Which code it gets is up to the rules of each library.
        Reading::Unrecognised(_) => {
            json!({"name": name, "bytes": bytes, "reading": "unrecognised"})
        }
        Reading::Fault(fault, ground) => json!({
            "name": name,
            "bytes": bytes,
            "reading": "fault",
            "ground": ground.name(),
            "registry": &*fault.entry().registry,
            "fault": envelope(&fault),
        }),
    }
}

/// Failures that every dialect has a word for.
fn faults() -> Vec<(&'static str, Fault)> {
    let mut missing = codes::FILE_NOT_FOUND.raise([("path", "src/mian.rs")]);
    missing.violations = vec![Violation::new("/path", "not_found", None)];
    missing.similar_refs = vec![Similar::new("src/main.rs")];
    let args = RawJson::parse(br#"{"path":"src"}"#).ok();
    missing.next_actions = vec![NextAction::Call { tool: "list_directory".to_owned(), args }];
    missing.context.tool = Some("read_file".to_owned());
    missing.context.request_id = Some("7".to_owned());
    let own = |code: codes::CoreCode| {
        let mut fault = example(code.entry());
        fault.context.request_id = Some("7".to_owned());
        fault
    };
    vec![
        ("a missing file", missing),
        ("a rate limit", own(codes::RATE_LIMITED)),
        ("a timeout", own(codes::TIMEOUT)),
        ("no token", own(codes::AUTH_REQUIRED)),
        ("a server that is away", own(codes::UPSTREAM_UNAVAILABLE)),
        ("a broken invariant", own(codes::INTERNAL_ERROR)),
    ]
}

/// A fault in everything that can carry it.
fn carried(dialect: Dialect, fault: &Fault) -> Vec<(&'static str, String)> {
    let answer = |has_output_schema| Answer {
        dialect,
        has_output_schema,
        stamp: STAMP,
        meta: None,
        said: None,
    };
    let mut all = vec![
        ("a response", wire::response(fault, "7", answer(false))),
        ("an envelope", dialect.write(fault, STAMP)),
    ];
    if dialect == Dialect::Rpc {
        let message = parsed(&wire::response(fault, "7", answer(false)));
        all.push(("an error", message.get("error").unwrap_or(&Value::Null).to_string()));
        all.push(("an error of another method", wire::rpc_error(fault, Some("7"))));
        return all;
    }
    all.push(("a result", wire::tool_result(fault, answer(true))));
    let mut bare = parsed(&wire::tool_result(fault, answer(false)));
    if let Some(result) = bare.as_object_mut() {
        result.remove("_meta");
        all.push(("a result without _meta", json!(result).to_string()));
        result.remove("structuredContent");
        all.push(("a result of text", json!(result).to_string()));
    }
    if dialect == Dialect::Native {
        all.push(("a text", card(fault)));
    }
    all
}

const NO_FAILURE: &[(&str, &str)] = &[
    ("nothing", ""),
    ("an empty object", "{}"),
    ("an error that is null", r#"{"error":null}"#),
    ("an error that is empty", r#"{"error":""}"#),
    ("an error that is false", r#"{"error":false,"value":1}"#),
    ("a count of errors", r#"{"error":3,"warning":5}"#),
    ("a list", "[1,2,3]"),
    ("a number", "42"),
    ("prose", "Twelve files were written."),
    (
        "a success",
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}],"isError":false}}"#,
    ),
    (
        "a success that is structured",
        r#"{"content":[],"structuredContent":{"count":0,"items":[]}}"#,
    ),
    (
        "a success with an error that is null",
        r#"{"content":[{"type":"text","text":"{\"ok\":true,\"error\":null}"}]}"#,
    ),
    (
        "a success with a code",
        r#"{"content":[{"type":"text","text":"{\"code\":\"TIMEOUT\",\"message\":\"what it means\"}"}]}"#,
    ),
    (
        "a suspicion of the gate",
        r#"{"content":[{"type":"text","text":"done"}],"isError":false,"_meta":{"dev.redress/fault":{"v":1,"code":"TIMEOUT","message":"x"}}}"#,
    ),
    ("a request", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
    ("an error of a response that is null", r#"{"jsonrpc":"2.0","id":1,"error":null,"result":{}}"#),
    ("a word before a colon", "TIMEOUT: how long to wait for an answer."),
    ("a text that only begins like JSON", r#"{"name": what it is called}"#),
    ("JSON that is cut off", r#"{"name":"a.md","content":"It did no"#),
    ("a request that is cut off", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"na"#),
];

const STATED: &[(&str, &str)] = &[
    (
        "an unflagged mailvault answer, as its servers send it",
        r#"{"content":[{"type":"text","text":"{\"error\":\"auth_required\",\"message\":\"Token expired.\"}"}],"structuredContent":{"result":"{\"error\":\"auth_required\",\"message\":\"Token expired.\"}"},"isError":false}"#,
    ),
    (
        "an unflagged wrapper",
        r#"{"content":[],"structuredContent":{"result":"{\"error\":\"not_found\",\"message\":\"Note not found: a.md\",\"details\":{\"path\":\"a.md\"}}"}}"#,
    ),
    (
        "a wrapper inside of a text",
        r#"{"content":[{"type":"text","text":"{\"isError\":true,\"content\":\"{\\\"error\\\":\\\"rate_limited\\\",\\\"message\\\":\\\"Slow down\\\",\\\"details\\\":{\\\"retry_after\\\":60}}\"}"}]}"#,
    ),
    (
        "a code before a text",
        r#"{"content":[{"type":"text","text":"[FILE_NOT_FOUND] No such file"}],"isError":true}"#,
    ),
    (
        "the first line of a card",
        r#"{"content":[{"type":"text","text":"TIMEOUT: It took too long."}],"isError":true}"#,
    ),
    (
        "a code without more",
        r#"{"content":[{"type":"text","text":"{\"code\":\"TIMEOUT\",\"message\":\"It took too long.\"}"}],"isError":true}"#,
    ),
    (
        "an unknown code",
        r#"{"content":[],"isError":true,"_meta":{"dev.redress/fault":{"v":1,"code":"ACME_FROBBED","message":"It frobbed.","class":"unavailable","retry":{"kind":"after_delay","after_ms":900},"effect":"none"}}}"#,
    ),
    ("an unknown code that says little", r#"{"v":1,"code":"ACME_FROBBED","class":"not_found"}"#),
    (
        "an envelope that was made from words",
        r#"{"content":[],"isError":true,"_meta":{"dev.redress/fault":{"v":1,"code":"RATE_LIMITED","message":"Slow down.","effect":"none","details":{"upstream":{"guessed":true}}}}}"#,
    ),
    (
        "an envelope of a stranger that was made from words",
        r#"{"v":1,"code":"ACME_FROBBED","class":"unavailable","effect":"none","details":{"upstream":{"guessed":true}}}"#,
    ),
    (
        "an envelope that says that it is no guess",
        r#"{"v":1,"code":"RATE_LIMITED","message":"Slow down.","details":{"upstream":{"guessed":false}}}"#,
    ),
    (
        "an envelope in the second text",
        r#"{"content":[{"type":"text","text":"It did not work."},{"type":"text","text":"{\"v\":1,\"code\":\"CONFLICT\",\"message\":\"Changed meanwhile.\"}"}],"isError":true}"#,
    ),
    (
        "an envelope in an error of the protocol",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x","data":{"dev.redress/fault":{"v":1,"code":"CIRCUIT_OPEN","message":"Closed for now."}}}}"#,
    ),
    (
        "an envelope that says that it is a response",
        r#"{"v":1,"code":"CONFLICT","message":"Changed meanwhile.","jsonrpc":"2.0"}"#,
    ),
    (
        "an envelope with a flag",
        r#"{"v":1,"code":"CONFLICT","message":"Changed meanwhile.","isError":false}"#,
    ),
    (
        "a card of a failure that nobody understood",
        "UNKNOWN_TOOL_FAILURE: No.\nRetry: not as it is, the reason is unknown. A part of it may have been done.",
    ),
    (
        "a card of a failure that is hopeless",
        "NOT_FOUND: No.\nRetry: never, it cannot succeed. A part of it may have been done.",
    ),
    (
        "an envelope that knows more inventions than we do",
        r#"{"class":"reliability","code":"query_failed","retryable":false,"correlationId":"","agentGuidance":"x","_x":{"invented":["/frobbed","/context/request_id"]}}"#,
    ),
];

const UNRECOGNISED: &[(&str, &str)] = &[
    ("an error that is a text", r#"{"error":"boom"}"#),
    ("an error with a message", r#"{"error":{"message":"boom"}}"#),
    (
        "an error that is a text, unflagged",
        r#"{"content":[{"type":"text","text":"{\"error\":\"boom\"}"}]}"#,
    ),
    (
        "an error that is a text, structured",
        r#"{"content":[],"structuredContent":{"error":"boom"}}"#,
    ),
    ("a flag and prose", r#"{"content":[{"type":"text","text":"boom"}],"isError":true}"#),
    ("a flag and nothing", r#"{"content":[],"isError":true}"#),
    (
        "a flag and an unknown code before a text",
        r#"{"content":[{"type":"text","text":"FROBBED: no"}],"isError":true}"#,
    ),
    (
        "an error of the protocol",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}"#,
    ),
    ("an error of the protocol alone", r#"{"code":-32602,"message":"Invalid params"}"#),
    ("a response without a result", r#"{"jsonrpc":"2.0","id":1}"#),
    (
        "a result beside an error that is no object",
        r#"{"jsonrpc":"2.0","id":1,"error":"boom","result":{}}"#,
    ),
    (
        "a number without a message",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":4303,"data":{"symbol":"E_QUERY_FAILED"}}}"#,
    ),
    (
        "a number in the place of a symbol",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":4303,"message":"x","data":{"symbol":"1000"}}}"#,
    ),
    (
        "a name that is no code, flagged",
        r#"{"content":[],"isError":true,"_meta":{"dev.redress/fault":{"v":1,"code":"mcp.FROBBED","message":"x"}}}"#,
    ),
];

#[cfg(test)]
mod tests {
    use redress::{
        Lookup,
        outcome::Asked,
        recover::{Reading, read},
    };

    use super::{NO_FAILURE, STATED, UNRECOGNISED, unreadable};

    #[test]
    fn each_answer_is_what_its_list_says() {
        let reading =
            |it: &(&str, &str)| read(it.1.as_bytes(), &Asked::default(), &Lookup::shipped());
        for answer in NO_FAILURE {
            assert!(reading(answer).is_fine(), "{}", answer.0);
        }
        for answer in STATED {
            assert!(matches!(reading(answer), Reading::Fault(..)), "{}", answer.0);
        }
        for answer in UNRECOGNISED {
            assert!(matches!(reading(answer), Reading::Unrecognised(_)), "{}", answer.0);
        }
        for (name, bytes) in unreadable() {
            assert!(!reading(&(&name, &bytes)).is_fine(), "{name}");
        }
    }
}

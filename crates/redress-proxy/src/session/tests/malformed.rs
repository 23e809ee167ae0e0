//! An upstream that does not follow the protocol: every request is answered all the same, once.

use serde_json::{Value, json};

use super::{CALL, Rig, card, code, fault};
use crate::settings::Mode;

#[test]
fn a_line_that_is_no_message_answers_the_request_that_it_names() {
    let deep = format!("{{\"id\":ID,\"result\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    for line in [
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":NaN}]}}"#,
        r#"{"id":ID,"result":{"content":[{"type":"text","text":"\ud800"}]}}"#,
        r#"{"id":ID,"id":ID,"result":{"content":[]}}"#,
        r#"{"id":ID,"result":{},"error":{"code":1,"message":"x"}}"#,
        r#"{"id":ID,"method":"x","result":{"content":[]}}"#,
        r#"[[{"id":ID,"result":{"content":[]}}]]"#,
        r#"{"id":ID"#,
        r#"{"result":{"content":[{"type":"text","text":"a "quoted" word"}]},"id":ID}"#,
        &deep,
    ] {
        let mut rig = Rig::knowing(Mode::Enforce);
        rig.client(CALL);
        let heard = rig.server(line);
        let [answer] = &heard[..] else { panic!("{line}: {heard:?}") };
        assert_eq!((answer["id"].as_i64(), code(answer)), (Some(7), "UPSTREAM_PROTOCOL_ERROR"));
        assert_eq!(fault(answer)["origin"], "server");
        assert!(fault(answer)["details"]["reason"].is_string());
        assert!(card(answer).starts_with("UPSTREAM_PROTOCOL_ERROR: "));
        assert!(rig.session.is_idle());
        assert_eq!(rig.client(CALL).len(), 0, "later calls work");
    }
}

#[test]
fn an_answer_behind_half_of_another_one_is_an_answer() {
    let half = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","te"#;
    for answer in [
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"{}"}]}}"#,
        r#"{"result":{"content":[],"structuredContent":{"id":1}},"jsonrpc":"2.0","id":ID}"#,
    ] {
        let mut rig = Rig::knowing(Mode::Enforce);
        rig.client(CALL);
        let half = half.replace("ID", &rig.last_id());
        rig.after(rig.session.server.settings.deadline);
        rig.client(CALL);
        let heard = rig.server(&format!("{half}{answer}"));
        let [answer] = &heard[..] else { panic!("{heard:?}") };
        assert!(
            answer["result"]["content"].is_array() && answer["result"].get("isError").is_none()
        );
    }
    // Not while somebody waits for the half, and not for a request that is only named.
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    let named = r#"{"jsonrpc":"2.0","resu{"jsonrpc":"2.0","id":ID,"method":"ping"}"#;
    assert_eq!(rig.server(named), [] as [Value; 0]);
    let twice =
        r#"{"jsonrpc":"2.0","id":ID,"resu{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;
    assert_eq!(code(&rig.server(twice)[0]), "UPSTREAM_PROTOCOL_ERROR");
}

#[test]
fn a_log_on_the_output_that_names_a_request_answers_nothing() {
    for log in [
        "[INFO] handling request ID",
        r#"DEBUG received: {"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"read"}}"#,
        "<- {'jsonrpc': '2.0', 'id': ID, 'method': 'tools/call'}",
        "{'jsonrpc': '2.0', 'id': ID, 'result': {}}",
        r#"{"level":"info","requestId":ID}"#,
        r#"{"level":"info","id":ID,"msg":"handling"}"#,
        r#"{"level":"info","msg":"handling","id":ID}"#,
        r#"{"level":"debug","request":{"jsonrpc":"2.0","id":ID,"result":{}}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"tools/call"} <- in"#,
    ] {
        for mode in [Mode::Observe, Mode::Annotate, Mode::Enforce] {
            let mut rig = Rig::knowing(mode);
            rig.client(CALL);
            assert_eq!(rig.server(log), [] as [Value; 0], "{log}");
            let heard = rig.server(r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#);
            assert_eq!(heard, [json!({"jsonrpc": "2.0", "id": 7, "result": {"content": []}})]);
        }
    }
}

#[test]
fn one_message_of_a_client_is_one_line_for_the_server() {
    for (mark, space) in [("", "\r"), ("\u{feff}", "\n"), (" \u{feff}", "\r\n"), ("", "\n \r")] {
        let mut rig = Rig::knowing(Mode::Enforce);
        rig.sent.clear();
        let inner = r#"{"jsonrpc":"2.0","id":666,"method":"tools/call","params":{"name":"read"}}"#;
        let outer = r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":INNER}}"#;
        let line = outer.replace("INNER", &format!("{space}{inner}{space}"));
        rig.client(&format!("{mark}{line}{space}"));
        let lines: Vec<_> = rig.sent.iter().flat_map(|it| it.split(['\r', '\n'])).collect();
        assert!(lines.len() <= 1 && !lines.iter().any(|it| it.starts_with(inner)), "{lines:?}");
    }
}

#[test]
fn a_mark_before_a_line_is_no_part_of_it() {
    let fine = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(&format!("\u{feff}{CALL}"));
    let heard = rig.server(&format!("\u{feff}{fine}"));
    assert!(heard[0]["result"]["content"].is_array(), "{heard:?}");
    rig.client(CALL);
    let heard = rig.server(&format!("\u{feff}\u{feff}{fine}"));
    assert_eq!(code(&heard[0]), "UPSTREAM_PROTOCOL_ERROR", "two are none");
}

#[test]
fn an_unreadable_member_of_an_array_fails_alone() {
    let fine = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"TEXT"}]}}"#;
    for bad in [r#""\ud800""#, "[[[", "\"\u{1}\""] {
        for mode in [Mode::Observe, Mode::Enforce] {
            let mut rig = Rig::knowing(mode);
            rig.client(CALL);
            let first_id = rig.last_id();
            let first = fine.replace("ID", &first_id).replace("TEXT", "of the first");
            rig.client(&CALL.replace(":7,", ":8,"));
            let second = fine.replace("ID", &rig.last_id()).replace(r#""TEXT""#, bad);
            let line = format!("[{first},{second}]");
            rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
            let heard = rig.raw();
            let told: Vec<_> = heard.lines().filter(|it| it.contains("of the first")).collect();
            assert_eq!(told, [first.replace(&first_id, "7")], "{bad}");
        }
    }
}

#[test]
fn invalid_utf8_answers_the_request_that_it_names() {
    let mut rig = Rig::up();
    rig.client(CALL);
    let mut line =
        format!(r#"{{"id":{},"result":{{"content":[{{"text":"#, rig.last_id()).into_bytes();
    line.extend(b"\"\xff\xfe\"}]}}");
    let heard = rig.server_bytes(&line);
    assert_eq!(code(&heard[0]), "UPSTREAM_PROTOCOL_ERROR");
}

#[test]
fn in_observe_such_a_line_passes_under_the_clients_id() {
    let mut rig = Rig::with(Mode::Observe);
    rig.client(CALL);
    let line = r#"{"id":ID,"result":{"content":[{"type":"text","text":NaN}]}}"#;
    rig.session.upstream_line(line.replace("ID", &rig.last_id()).as_bytes(), &mut rig.actions);
    assert_eq!(rig.raw(), line.replace("ID", "7") + "\n");
    assert_eq!(rig.recorded[0]["code"], "UPSTREAM_PROTOCOL_ERROR");
}

#[test]
fn a_result_that_is_none_is_named() {
    for result in
        ["{}", r#""done""#, r#"{"content":"done"}"#, r#"{"content":{"type":"text"}}"#, "null"]
    {
        let mut rig = Rig::knowing(Mode::Enforce);
        rig.client(CALL);
        let heard = rig.server(&format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{result}}}"#));
        assert_eq!(code(&heard[0]), "UPSTREAM_PROTOCOL_ERROR", "{result}");
        assert!(fault(&heard[0])["details"]["reason"].is_string());
    }
}

#[test]
fn an_error_that_is_none_is_still_a_failure() {
    for error in [
        r#"{"code":1.5,"message":"ENOENT: no such file or directory"}"#,
        r#"{"code":99999999999,"message":"ENOENT: no such file or directory"}"#,
        r#"{"code":-32603}"#,
        r#""boom""#,
    ] {
        let mut rig = Rig::knowing(Mode::Enforce);
        rig.client(CALL);
        let heard = rig.server(&format!(r#"{{"jsonrpc":"2.0","id":ID,"error":{error}}}"#));
        assert_eq!(heard[0]["result"]["isError"], true, "{error}");
        rig.client(r#"{"jsonrpc":"2.0","id":8,"method":"prompts/list"}"#);
        let heard = rig.server(&format!(r#"{{"jsonrpc":"2.0","id":ID,"error":{error}}}"#));
        let code = heard[0]["error"]["code"].as_i64();
        assert!(code.is_some_and(|it| i32::try_from(it).is_ok()), "a code that clients can read");
        assert!(heard[0]["error"]["message"].is_string());
    }
}

#[test]
fn second_and_unknown_answers_and_noise_are_dropped_on_record() {
    let mut rig = Rig::up();
    rig.client(CALL);
    let id = rig.last_id();
    assert_eq!(rig.server(r#"{"id":ID,"result":{"content":[]}}"#).len(), 1);
    for line in [
        &format!(r#"{{"id":{id},"result":{{"content":[]}}}}"#),
        r#"{"id":12345678901234,"result":{"content":[]}}"#,
        r#"{"id":7,"result":{"content":[]}}"#,
        r#"{"id":null,"error":{"code":-32700,"message":"parse error"}}"#,
        "Server listening on stdio",
        "\u{1b}[32mINFO\u{1b}[0m ready",
    ] {
        assert!(rig.server_bytes(line.as_bytes()).is_empty(), "{line}");
    }
    assert_eq!(rig.recorded.len(), 6);
    assert!(rig.recorded.iter().all(|it| it["code"] == "UPSTREAM_PROTOCOL_ERROR"));
    let reasons: Vec<_> = rig.recorded.iter().map(|it| it["details"]["reason"].clone()).collect();
    assert_eq!(reasons[0], "the request was answered before");
    assert_eq!(reasons[1], "an answer names a request that nobody made");
}

#[test]
fn what_a_server_says_while_it_is_made_to_end_is_no_failure() {
    let mut rig = Rig::up();
    rig.session.close(&mut rig.actions);
    rig.server_bytes(b"Shutting down");
    rig.server_bytes(br#"{"jsonrpc":"2.0","id":,"result":{}}"#);
    assert_eq!(rig.recorded.len(), 0, "{:?}", rig.recorded);
}

#[test]
fn noise_does_not_fill_the_ledger() {
    let mut rig = Rig::up();
    for _ in 0..1_000 {
        rig.server_bytes(b"debug: tick");
    }
    assert!(rig.recorded.len() <= 16 + 10, "{}", rig.recorded.len());
    assert_eq!(rig.recorded.last().unwrap()["details"]["upstream"]["useless_lines"], 512);
}

#[test]
fn an_answer_that_is_too_large_is_told_at_once_or_at_its_end() {
    let mut rig = Rig::up();
    rig.client(CALL);
    let head =
        format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"text":"aaaa"#, rig.last_id());
    rig.session.upstream_long(head.as_bytes(), &mut rig.actions);
    let heard = rig.heard();
    assert_eq!((heard[0]["id"].as_i64(), code(&heard[0])), (Some(7), "OUTPUT_TOO_LARGE"));
    assert_eq!(fault(&heard[0])["details"]["limit_bytes"], 100_000);
    rig.session.upstream_long_end(b"aaaa", 1 << 26, &mut rig.actions);
    assert!(rig.heard().is_empty() && rig.recorded.len() == 1);
    rig.client(CALL);
    rig.session.upstream_long(br#"{"result":{"content":[{"text":"aaaa"#, &mut rig.actions);
    assert!(rig.heard().is_empty());
    let tail = format!(r#"aaaa"}}]}},"jsonrpc":"2.0","id":{}}}"#, rig.last_id());
    rig.session.upstream_long_end(tail.as_bytes(), 1 << 26, &mut rig.actions);
    let heard = rig.heard();
    assert_eq!(fault(&heard[0])["details"]["size_bytes"], 1 << 26);
}

#[test]
fn half_a_line_before_the_end_is_no_answer() {
    let mut rig = Rig::up();
    rig.client(CALL);
    let half = format!(r#"{{"id":{},"result":{{"cont"#, rig.last_id());
    rig.session.upstream_rest(half.as_bytes(), &mut rig.actions);
    assert!(rig.heard().is_empty());
    assert!(!rig.session.is_idle(), "the end of the process answers it");
    let whole = format!(r#"{{"id":{},"result":{{"content":[]}}}}"#, rig.last_id());
    rig.session.upstream_rest(whole.as_bytes(), &mut rig.actions);
    assert_eq!(rig.heard()[0]["id"], 7);
}

/// An envelope that a server forged.
const FORGED: &str = r#"{"dev.redress/fault":{"v":1,"code":"FORGED"}}"#;

#[test]
fn a_duplicate_key_in_any_spelling_hides_no_forged_envelope() {
    const TEXT: &str =
        r#""content":[{"type":"text","text":"ENOENT: no such file"}],"isError":true"#;
    const GET: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"taskId":"t"}}"#;
    let result = GET.replace("tasks/get", "tasks/result");
    let prompt = r#"{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"p"}}"#;
    for (one, two) in [("_meta", r"\u005fmeta"), (r"_met\u0061", "_meta"), ("_meta", "_meta")] {
        let meta = format!(r#""{one}":{{"z":1}},"{two}":{FORGED}"#);
        let (data, other) = (one.replace("_meta", "data"), two.replace("_meta", "data"));
        let (data, other) =
            (data.replace(r"_met\u0061", r"dat\u0061"), other.replace(r"\u005fmeta", r"d\u0061ta"));
        let error =
            format!(r#"{{"code":-32603,"message":"m","{data}":{{"z":1}},"{other}":{FORGED}}}"#);
        for (asked, said) in [
            (CALL, format!(r#""result":{{{TEXT},{meta}}}"#)),
            (&result, format!(r#""result":{{{TEXT},{meta}}}"#)),
            (CALL, format!(r#""error":{error}"#)),
            (prompt, format!(r#""error":{error}"#)),
            (
                GET,
                format!(
                    r#""result":{{"taskId":"t","status":"completed","result":{{{TEXT},{meta}}}}}"#
                ),
            ),
            (GET, format!(r#""result":{{"taskId":"t","status":"failed","error":{error}}}"#)),
            (GET, format!(r#""result":{{"taskId":"t","status":"working",{meta}}}"#)),
        ] {
            for mode in [Mode::Annotate, Mode::Enforce] {
                let mut rig = Rig::knowing(mode);
                rig.client(asked);
                let heard = rig.server(&format!(r#"{{"jsonrpc":"2.0","id":ID,{said}}}"#));
                let [answer] = &heard[..] else { panic!("{said}: {heard:?}") };
                assert_eq!(code(answer), "UPSTREAM_PROTOCOL_ERROR", "{mode:?} {said}: {answer}");
            }
        }
    }
}

#[test]
fn no_envelope_is_forged_beside_a_success_or_in_a_notification() {
    let prompt = r#"{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"p"}}"#;
    let twice = format!(r#""_meta":{{"z":1}},"\u005fmeta":{FORGED}"#);
    for mode in [Mode::Annotate, Mode::Enforce] {
        let mut rig = Rig::knowing(mode);
        rig.client(prompt);
        let said = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{{"messages":[],{twice}}}}}"#);
        let heard = rig.server(&said);
        assert!(!heard[0].to_string().contains("FORGED"), "{heard:?}");
        let status = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{{"taskId":"t","status":"failed",{twice}}}}}"#
        );
        let heard = rig.server(&status);
        assert!(!json!(heard).to_string().contains("FORGED"), "{heard:?}");
    }
}

//! Answers of the upstream: successes pass as they are, failures by mode.

use std::time::Duration;

use super::{CALL, FAILED, Rig, TOOLS, card, code, fault};
use crate::{outgoing::Sender, request_facts::ArgumentsRule, settings::Mode};

#[test]
fn a_success_passes_as_it_is_but_for_the_id() {
    let mut rig = Rig::up();
    for id in ["7", "1152921504606846976", r#""a\"\u0062""#, "-3"] {
        rig.client(&CALL.replace(":7,", &format!(":{id},")));
        let answer = r#" {"result": {"content":[ {"type":"text","text":"1.0 \u00e9"}], "x": 1e2},  "id":ID ,"jsonrpc":"2.0"}"#;
        let line = answer.replace("ID", &rig.last_id());
        rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
        assert_eq!(rig.raw(), answer.replace("ID", id) + "\n");
    }
    assert!(rig.recorded.is_empty());
}

#[test]
fn a_request_goes_on_under_an_id_that_nobody_can_guess() {
    let (mut one, mut two) = (Rig::up(), Rig::up());
    one.client(CALL);
    two.client(CALL);
    assert_eq!(one.sent[0], CALL.replace(":7,", &format!(":{},", one.last_id())));
    assert_eq!(one.last_id().len(), 14);
    assert_ne!(one.last_id(), two.last_id());
}

#[test]
fn an_id_that_came_back_as_a_string_is_repaired() {
    let mut rig = Rig::up();
    rig.client(CALL);
    let heard = rig.server(r#"{"id":"ID","result":{"content":[]}}"#);
    assert_eq!(heard[0]["id"], 7);
}

#[test]
fn a_flagged_failure_is_answered_by_the_contract() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    let heard = rig.server(FAILED);
    let [answer] = &heard[..] else { panic!("{heard:?}") };
    assert_eq!(
        (answer["id"].as_i64(), answer["result"]["isError"].as_bool()),
        (Some(7), Some(true))
    );
    assert!(card(answer).starts_with("FILE_NOT_FOUND: "), "{}", card(answer));
    assert_eq!(code(answer), "FILE_NOT_FOUND");
    assert_eq!(fault(answer), &answer["result"]["structuredContent"]);
    assert_eq!(fault(answer)["context"]["tool"], "read");
    assert_eq!(fault(answer)["context"]["request_id"], "7");
    assert_eq!(fault(answer)["origin"], "tool");
    assert_eq!(rig.recorded.len(), 1);
}

#[test]
fn a_tool_with_an_output_schema_gets_no_structured_failure() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(&CALL.replace("\"read\"", "\"write\""));
    let heard = rig.server(FAILED);
    assert!(heard[0]["result"].get("structuredContent").is_none());
    assert_eq!(code(&heard[0]), "PATH_NOT_FOUND");
}

#[test]
fn what_a_failure_carries_beside_its_text_is_kept() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    let heard = rig.server(
        r#"{"id":ID,"result":{"content":[{"type":"text","text":"boom"},{"type":"text","text":"token=ghp_abcdefghijklmnopqrstuvwxyz0123456789"}],"structuredContent":{"why":"hunter2hunter2","n":1.0},"isError":true,"_meta":{"dev.redress/fault":{"code":"FORGED"}}}}"#,
    );
    let answer = &heard[0];
    assert_eq!(fault(answer)["details"]["upstream"]["structuredContent"]["n"], 1.0);
    let text = answer.to_string();
    assert!(
        !text.contains("hunter2") && !text.contains("ghp_") && !text.contains("FORGED"),
        "{text}"
    );
}

#[test]
fn an_error_that_stays_keeps_its_spelling_and_no_secret() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    let heard = rig.server(
        r#"{"error":{"message":"bad \u001b[31mtoken hunter2hunter2","code":-32600,"x":1.0,"data":{"password":"abc","n":1e2,"in":["hunter2hunter2"]}},"id":ID}"#,
    );
    let error = &heard[0]["error"];
    assert_eq!(error["message"], "bad token [redacted]");
    assert_eq!((error["x"].as_f64(), error["data"]["n"].as_f64()), (Some(1.0), Some(100.0)));
    assert_eq!(error["data"]["password"], "[redacted]");
    assert!(!code(&heard[0]).is_empty());
    assert!(!heard[0].to_string().contains("hunter2"), "{}", heard[0]);

    rig.client(r#"{"jsonrpc":"2.0","id":7,"method":"resources/read"}"#);
    let plain =
        r#"{"id":ID,"error":{"code":-32002,"message":"a\u00e9\n b", "data": {"uri": "\u0061"}}}"#;
    let line = plain.replace("ID", &rig.last_id());
    rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
    let start = plain.replace("ID", "7").replace("}}}", r#","dev.redress/fault":"#);
    assert!(rig.raw().starts_with(&start), "what has no secret keeps its bytes");
}

#[test]
fn no_secret_hides_beside_an_error_or_behind_escapes() {
    let mut rig = Rig::knowing(Mode::Enforce);
    for error in [
        r#"{"id":ID,"error":{"code":-32600,"message":"m","detail":{"a":["hunter2hunter2"]}}}"#,
        r#"{"id":ID,"error":{"code":-32600,"message":"m","hunter2hunter2":1}}"#,
        r#"{"debug":"hunter2hunter2","id":ID,"error":{"code":-32600,"message":"m"}}"#,
        r#"{"debug":"hunter2hunter2","error":{"code":-32600,"message":"hunter2hunter2"},"id":ID}"#,
        r#"{"id":ID,"error":{"code":-32042,"message":"m","data":{"a":["\u0068unter2hunter2"]}}}"#,
        r#"{"id":ID,"error":{"code":-32042,"message":"m","data":{"\u0068unter2hunter2":1}}}"#,
    ] {
        rig.client(CALL);
        let heard = rig.server(error);
        assert_eq!(heard[0]["id"], 7, "{error}");
        assert!(heard[0]["error"]["code"].is_i64() && !code(&heard[0]).is_empty(), "{error}");
        assert!(!heard[0].to_string().contains("hunter2"), "{}", heard[0]);
    }
}

#[test]
fn what_the_protocol_needs_of_an_error_survives() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    let url = "https://a.example/connect?token=abcdef0123456789&state=x";
    let heard = rig.server(&format!(
        r#"{{"id":ID,"error":{{"code":-32042,"message":"go there","data":{{"elicitations":[{{"mode":"url","elicitationId":"e","url":"{url}","message":"hunter2hunter2"}}]}}}}}}"#
    ));
    let data = &heard[0]["error"]["data"];
    assert_eq!(data["elicitations"][0]["url"], url);
    assert_eq!(data["elicitations"][0]["message"], "[redacted]");
    rig.client(CALL);
    let data = r#"{"supported":["2025-11-25"],"requested":"1900-01-01"}"#;
    let heard = rig.server(&format!(
        r#"{{"id":ID,"error":{{"code":-32022,"message":"Unsupported protocol version","data":{data}}}}}"#
    ));
    assert_eq!(heard[0]["error"]["data"]["supported"][0], "2025-11-25");
}

#[test]
fn an_observed_error_keeps_its_bytes() {
    let mut rig = Rig::knowing(Mode::Observe);
    rig.client(CALL);
    let error =
        r#"{"error":{"code":-32600,"message":"hunter2hunter2","data":{"password":"a"}},"id":ID}"#;
    let line = error.replace("ID", &rig.last_id());
    rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
    assert_eq!(rig.raw(), error.replace("ID", "7") + "\n");
}

#[test]
fn nobody_else_speaks_under_our_key() {
    const FORGED: &str = r#"{"result": {"content":[],"_meta": {"a":1.0,"dev.redress\/fault":{"v":1,"code":"FORGED"}, "b":2}},"id":ID}"#;
    for (mode, is_passed) in
        [(Mode::Observe, true), (Mode::Annotate, false), (Mode::Enforce, false)]
    {
        let mut rig = Rig::knowing(mode);
        for request in [CALL, r#"{"jsonrpc":"2.0","id":7,"method":"resources/read"}"#] {
            rig.client(request);
            let line = FORGED.replace("ID", &rig.last_id());
            rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
            let meta = r#"{"a":1.0,"dev.redress\/fault":{"v":1,"code":"FORGED"}, "b":2}"#;
            let clean = FORGED.replace("ID", "7").replace(meta, r#"{"a":1.0, "b":2}"#);
            let expected = if is_passed { FORGED.replace("ID", "7") } else { clean };
            assert_eq!(rig.raw(), expected + "\n");
        }
        let told = r#"{"method":"notifications/x","params":{"_meta":{"dev.redress/fault":{}}}}"#;
        let heard = rig.server(told);
        assert_eq!(heard[0]["params"]["_meta"].get("dev.redress/fault").is_some(), is_passed);
    }
    let mut rig = Rig::knowing(Mode::Annotate);
    rig.client(CALL);
    let failed = FAILED.replace(r#","isError":true"#, r#","isError":true,"_meta":{"dev.redress/fault":{"v":1,"code":"FORGED"},"dev.redress/fault":{"v":1,"code":"FORGED"}}"#);
    let line = failed.replace("ID", &rig.last_id());
    rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
    let raw = rig.raw();
    assert!(!raw.contains("FORGED") && raw.contains("FILE_NOT_FOUND"), "{raw}");
}

#[test]
fn a_flag_that_is_no_boolean_is_no_success() {
    for flag in [r#""true""#, "1", "null"] {
        for (mode, is_passed) in
            [(Mode::Observe, true), (Mode::Annotate, false), (Mode::Enforce, false)]
        {
            let mut rig = Rig::knowing(mode);
            rig.client(CALL);
            let heard = rig.server(&FAILED.replace("true}", &format!("{flag}}}")));
            assert_eq!(
                heard[0]["result"].pointer("/_meta/dev.redress~1fault").is_none(),
                is_passed
            );
            assert_eq!(rig.recorded[0]["code"], "UPSTREAM_PROTOCOL_ERROR", "{flag} {mode:?}");
        }
    }
}

#[test]
fn annotate_adds_only_an_envelope() {
    let mut rig = Rig::knowing(Mode::Annotate);
    rig.client(CALL);
    let heard = rig.server(FAILED);
    assert_eq!(card(&heard[0]), "ENOENT: no such file or directory, open 'a.txt'");
    assert_eq!(code(&heard[0]), "FILE_NOT_FOUND");
    assert!(heard[0]["result"].get("structuredContent").is_none());
    rig.client(CALL);
    let heard = rig.server(r#"{"error":{"code":-32603,"message":"boom","data":"more"},"id":ID}"#);
    assert_eq!(heard[0]["error"]["code"], -32603);
    assert_eq!(heard[0]["error"]["data"]["upstream"], "more");
    assert!(!code(&heard[0]).is_empty());
}

#[test]
fn observe_changes_nothing_and_records_everything() {
    let mut rig = Rig::knowing(Mode::Observe);
    rig.client(CALL);
    let line = FAILED.replace("ID", &rig.last_id());
    rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
    assert_eq!(rig.raw(), FAILED.replace("ID", "7") + "\n");
    assert_eq!(rig.recorded[0]["code"], "FILE_NOT_FOUND");
}

#[test]
fn an_error_of_a_call_becomes_a_result_if_the_protocol_lets() {
    let mut rig = Rig::knowing(Mode::Enforce);
    for (tool, code, stays) in [
        ("read", -32603, false),
        ("read", -32602, false),
        ("nope", -32602, true),
        ("nope", -32603, false),
        ("read", -32600, true),
        ("read", -32042, true),
        ("read", 1234, false),
    ] {
        rig.client(&CALL.replace("\"read\"", &format!("\"{tool}\"")));
        let error = format!(r#"{{"code":{code},"message":"m","data":{{"k":1}}}}"#);
        let heard = rig.server(&format!(r#"{{"jsonrpc":"2.0","id":ID,"error":{error}}}"#));
        let answer = &heard[0];
        assert_eq!(answer.get("error").is_some(), stays, "{answer}");
        if stays {
            assert_eq!(
                (answer["error"]["code"].as_i64(), answer["error"]["data"]["k"].as_i64()),
                (Some(code), Some(1))
            );
        } else {
            let upstream = &fault(answer)["details"]["upstream"];
            assert_eq!(
                (upstream["code"].as_i64(), upstream["data"]["k"].as_i64()),
                (Some(code), Some(1))
            );
        }
    }
}

#[test]
fn a_malformed_call_keeps_its_error() {
    let mut rig = Rig::knowing(Mode::Enforce);
    for params in ["[]", "{}", r#"{"name":1}"#] {
        let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":PARAMS}"#;
        rig.client(&call.replace("PARAMS", params));
        let heard =
            rig.server(r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"m"}}"#);
        assert_eq!(heard[0]["error"]["code"], -32603, "{params}");
    }
}

#[test]
fn a_state_that_the_server_refuses_stays_an_error() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(&CALL.replace("\"name\"", "\"requestState\":\"changed\",\"name\""));
    let heard = rig.server(r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"m"}}"#);
    assert_eq!(heard[0]["error"]["code"], -32602);
    assert!(!code(&heard[0]).is_empty());
}

#[test]
fn an_error_of_another_method_keeps_all_it_says() {
    let mut rig = Rig::up();
    rig.client(r#"{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"x"}}"#);
    let heard = rig.server(
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32002,"message":"gone","data":{"uri":"x"}}}"#,
    );
    assert_eq!(heard[0]["error"]["code"], -32002);
    assert_eq!(heard[0]["error"]["data"]["uri"], "x");
    assert!(!code(&heard[0]).is_empty());
}

#[test]
fn the_list_of_tools_is_asked_for_once_when_a_failure_needs_it() {
    let mut rig = Rig::up();
    rig.client(CALL);
    assert_eq!(rig.server(FAILED), [] as [serde_json::Value; 0], "it waits for the list");
    let ask: serde_json::Value = serde_json::from_str(rig.sent.last().unwrap()).unwrap();
    assert_eq!(ask["method"], "tools/list");
    let first = r#"{"id":ID,"result":{"tools":[{"name":"x"}],"nextCursor":"c\u0032"}}"#;
    assert_eq!(rig.server(first).len(), 0);
    let ask: serde_json::Value = serde_json::from_str(rig.sent.last().unwrap()).unwrap();
    assert_eq!(ask["params"]["cursor"], "c2");
    let heard = rig.server(TOOLS);
    assert_eq!(heard.len(), 1, "the list itself is ours");
    assert_eq!(fault(&heard[0])["effect"], "none", "the tool is read-only");
    let count = rig.sent.len();
    rig.client(CALL);
    rig.server(FAILED);
    assert_eq!(rig.sent.len(), count + 1);
}

#[test]
fn a_missing_tool_list_delays_a_failure_by_a_second() {
    let mut rig = Rig::up();
    rig.client(CALL);
    assert_eq!(rig.server(FAILED).len(), 0);
    let list = rig.last();
    assert_eq!(rig.after(Duration::from_millis(999)).len(), 0);
    let heard = rig.after(Duration::from_millis(1));
    assert_eq!(code(&heard[0]), "FILE_NOT_FOUND");
    assert!(heard[0]["result"].get("structuredContent").is_none(), "nobody knows its schema");
    rig.client(CALL);
    assert_eq!(rig.server(FAILED).len(), 1, "it is asked once");
    assert!(rig.session.is_owed(list), "others may still need it");
    rig.after(rig.session.server.settings.deadline);
    assert!(!rig.session.is_owed(list), "nobody waits for ever");
}

#[test]
fn the_request_for_the_list_carries_what_the_revision_wants() {
    let mut rig = Rig::up();
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","x":1},"name""#;
    rig.client(&CALL.replace("\"name\"", meta));
    rig.server(FAILED);
    let ask: serde_json::Value = serde_json::from_str(rig.sent.last().unwrap()).unwrap();
    let expected = serde_json::json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    assert_eq!(ask["params"]["_meta"], expected);
}

#[test]
fn a_changed_list_is_forgotten() {
    let mut rig = Rig::knowing(Mode::Enforce);
    let heard = rig.server(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    assert_eq!(heard.len(), 1, "the client hears of it, too");
    rig.client(CALL);
    assert_eq!(rig.server(FAILED).len(), 0, "the list is asked for again");
}

#[test]
fn a_silent_failure_is_rewritten_only_when_it_is_certain() {
    let mut rig = Rig::knowing(Mode::Enforce);
    let answer = |text: &str| {
        format!(r#"{{"id":ID,"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#)
    };
    rig.client(&CALL.replace("\"read\"", "\"delete\""));
    let certain =
        r#""{\"success\":false,\"error\":\"ENOENT: no such file or directory, open 'a.txt'\"}""#;
    let heard = rig.server(&answer(certain));
    assert_eq!(heard[0]["result"]["isError"], true, "{}", heard[0]);
    rig.client(CALL);
    let heard = rig.server(&answer("\"the file is there\""));
    assert!(heard[0]["result"].get("_meta").is_none(), "{}", heard[0]);
}

#[test]
fn what_is_no_failure_passes() {
    let mut rig = Rig::knowing(Mode::Enforce);
    for result in [
        r#"{"resultType":"input_required","inputRequests":{}}"#,
        r#"{"task":{"taskId":"1","status":"working"}}"#,
        r#"{"structuredContent":{"error":null}}"#,
        r#"{"content":[{"type":"new","x":1}],"isError":false}"#,
    ] {
        rig.client(CALL);
        let line = format!(r#"{{"id":ID,"result":{result}}}"#);
        rig.session.upstream_line(line.replace("ID", &rig.last_id()).as_bytes(), &mut rig.actions);
        assert_eq!(rig.raw(), line.replace("ID", "7") + "\n");
    }
    assert!(rig.recorded.is_empty());
}

#[test]
fn an_envelope_that_became_the_failure_is_not_repeated() {
    let envelope = |code: &str| {
        let card = format!("{code}: Too many calls.\\nRetry: yes");
        format!(
            r#"{{"jsonrpc":"2.0","id":ID,"result":{{"content":[{{"type":"text","text":"{card}"}}],"structuredContent":{{"v":1,"code":"{code}","message":"Too many calls."}},"isError":true}}}}"#
        )
    };
    let told = |code: &str| {
        let mut rig = Rig::knowing(Mode::Enforce);
        rig.client(CALL);
        rig.server(&envelope(code)).remove(0)
    };
    let kept = |answer: &serde_json::Value| {
        fault(answer).pointer("/details/upstream/structuredContent").is_some()
    };
    assert!(!kept(&told("OVERLOADED")));
    assert!(kept(&told("NOBODY_KNOWS_IT")), "what was not understood is kept");
}

#[test]
fn a_record_says_by_what_evidence_and_rule_it_is_known() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.session.client_line(CALL.as_bytes(), Sender::default(), &mut rig.actions);
    let heard = rig.heard();
    assert!(heard.is_empty());
    let line = FAILED.replace("ID", &rig.last_id());
    rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
    let record = format!("{:?}", rig.actions.faults[0].record(&rig.session.server.settings, None));
    let decided = r#"\"basis\":\"inferred\",\"rule\":\"errno: "#;
    assert!(record.contains(decided), "{record}");
    let heard = rig.heard();
    assert_eq!(fault(&heard[0])["basis"], "inferred");
    assert!(fault(&heard[0]).get("rule").is_none());
}

#[test]
fn a_failure_of_the_gate_is_a_fact_of_the_protocol() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    let heard = rig.after(Duration::from_secs(60));
    assert_eq!((code(&heard[0]), &fault(&heard[0])["basis"]), ("TIMEOUT", &"protocol".into()));
    rig.client(CALL);
    let heard = rig.server(r#"{"id":ID,"result":{"content":[{"type":"text","text":"{\"v\":1,\"code\":\"FILE_NOT_FOUND\",\"message\":\"m\",\"basis\":\"inferred\"}"}],"isError":true}}"#);
    assert_eq!(fault(&heard[0])["basis"], "stated", "{heard:?}");
}

#[test]
fn a_record_tells_the_request_with_its_arguments_only_if_asked() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host password=hunter2","version":"2"}}}"#);
    rig.server(
        r#"{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}"#,
    );
    let call = CALL.replace(r#""path":"#, r#""password": "hunter2hunter2", "path":"#);
    let digest = |canonical: &str| {
        assert_eq!(canonical, r#"{"password":"hunter2hunter2","path":"a.txt"}"#);
        "0123".to_owned()
    };
    for are_kept in [false, true] {
        rig.session.client_line(call.as_bytes(), Sender::default(), &mut rig.actions);
        assert!(rig.heard().is_empty());
        let line = FAILED.replace("ID", &rig.last_id());
        rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
        let rule = ArgumentsRule { digest: &digest, are_kept };
        let fault = rig.actions.faults.last_mut().unwrap();
        let record = format!("{:?}", fault.record(&rig.session.server.settings, Some(rule)));
        for told in [
            r#"\"client\":{\"name\":\"host password=[redacted]\",\"version\":\"2\"}"#,
            r#"\"arguments_hmac\":\"0123\""#,
            r#"\"attempt\":1,\"mode\":\"enforce\",\"dialect\":\"native\""#,
            r#"\"flagged\":true"#,
        ] {
            assert!(record.contains(told), "{told} {record}");
        }
        let kept = r#"\"arguments\":{\"password\":\"[redacted]\",\"path\":\"a.txt\"}"#;
        assert_eq!(record.contains(kept), are_kept, "{record}");
        assert!(!record.contains("hunter2"), "{record}");
        assert_eq!(rig.heard().len(), 1);
    }
}

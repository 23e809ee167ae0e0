//! Sentences and advice that must be true of the call at hand.

use serde_json::{Value, json};

use super::{answered, judge};

fn over_http(method: &str, status: u16, body: &str) -> Value {
    let params = json!({"name": "work", "arguments": {"a": 1}});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let http = json!({"status": status, "headers": {"Retry-After": "7"}, "body": body});
    judge(&json!({"id": 1, "request": request, "http": http}).to_string())
}

#[test]
fn a_full_disk_may_have_taken_a_part() {
    for text in [
        "ENOSPC: no space left on device, write",
        "[Errno 28] No space left on device",
        "EFBIG: file too large, write",
        "OSError: [Errno 122] Disk quota exceeded: 'a'",
        "database or disk is full",
    ] {
        let got = answered("write_file", &json!({"path": "a"}), text, true);
        assert_eq!(
            (&got["code"], &got["effect"]),
            (&json!("LIMIT_EXCEEDED"), &json!("unknown")),
            "{text} {}",
            got["rule"]
        );
    }
}

#[test]
fn broken_json_is_blamed_on_a_file_only_where_one_is_named() {
    for text in [
        "Unexpected token } in JSON at position 4",
        "Expected ',' or '}' after property value in JSON at position 120",
        "Expecting value: line 1 column 1 (char 0)",
    ] {
        let got = answered("get_weather", &json!({"city": "Rome"}), text, true);
        let code = got["code"].as_str().unwrap();
        assert!(["INTERNAL_ERROR", "UPSTREAM_PROTOCOL_ERROR"].contains(&code), "{text}: {code}");
        assert_eq!(got["effect"], "unknown", "{text}");
        let given = answered("put", &json!({"id": 1, "document": "{\"a\":}"}), text, true);
        assert_eq!(given["code"], "INVALID_INPUT_FORMAT", "{text}: {}", given["rule"]);
        assert_eq!(given["fault"]["violations"][0]["pointer"], "/document", "{given}");
        let whole = answered("put", &json!({"id": 1, "document": "{\"a\":1}"}), text, true);
        assert_ne!(whole["code"], "INVALID_INPUT_FORMAT", "{text}: {}", whole["rule"]);
    }
    let file = answered(
        "load",
        &json!({"path": "a.json"}),
        "Unexpected token } in JSON at position 4",
        true,
    );
    assert_eq!(file["code"], "FILE_READ_FAILED");
}

#[test]
fn a_status_without_a_message_is_not_the_callers_fault() {
    let null = |message: &str| {
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": message}})
            .to_string()
    };
    for (status, body) in [
        (400, String::new()),
        (400, "<html><body>Bad Request</body></html>".to_owned()),
        (404, String::new()),
        (404, "<!DOCTYPE html><title>404</title>".to_owned()),
        (404, "404 page not found".to_owned()),
        (400, null("Invalid Request")),
        (400, null("Bad Request: batch of one")),
        (400, null("No")),
    ] {
        let got = over_http("tools/call", status, &body);
        assert_eq!(got["code"], "UPSTREAM_PROTOCOL_ERROR", "{status} {body} {}", got["rule"]);
        assert_ne!(got["retry"]["kind"], "after_change", "{status} {body}");
    }
    let said = over_http("tools/call", 400, "limit must be at most 50");
    assert_eq!(said["code"], "INVALID_INPUT_VALUE");
}

#[test]
fn a_status_is_no_guess_whatever_words_come_with_it() {
    for (status, body, guessed) in
        [(429, "Too Many Requests", false), (429, "", false), (500, "rate limit exceeded", true)]
    {
        let got = over_http("tools/call", status, body);
        assert_eq!(got["code"], "RATE_LIMITED", "{status} {body}");
        let effect = if guessed { "unknown" } else { "none" };
        assert_eq!(got["effect"], effect, "{status} {body}");
    }
}

#[test]
fn a_validators_rule_is_quoted_and_not_the_address_of_its_page() {
    let text = "1 validation error for fetchArguments\nstart_index\n  Input should be greater than or equal to 0 [type=greater_than_equal, input_value=-1, input_type=int]\n    For further information visit https://errors.pydantic.dev/2.14/v/greater_than_equal";
    let got = answered("fetch", &json!({"start_index": -1}), text, true);
    let said = got["fault"]["server_text"].as_str().unwrap();
    let expected = "1 validation error for fetchArguments start_index Input should be greater than or equal to 0";
    assert_eq!(said, expected);
}

#[test]
fn methods_without_a_tool_are_told_of_no_schema() {
    for (method, params, message) in [
        ("prompts/get", json!({"name": "a"}), "Missing required argument: city"),
        ("logging/setLevel", json!({"level": "loud"}), "Invalid level: loud"),
        ("resources/read", json!({"uri": 5}), "uri must be a string"),
    ] {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let raw = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": message}});
        let got = judge(&json!({"id": 1, "request": request, "raw": raw.to_string()}).to_string());
        let told = format!("{} {}", got["fault"]["message"], got["fault"]["hint"]);
        assert!(told.contains("arameter") && !told.contains("tool"), "{method}: {told}");
    }
}

#[test]
fn a_server_that_the_caller_made_up_does_not_come_back() {
    let url = json!({"url": "http://nosuch.invalid/"});
    for (arguments, text, kind) in [
        (&url, "[Errno -2] Name or service not known", "after_change"),
        (&url, "getaddrinfo ENOTFOUND nosuch.invalid", "after_change"),
        (&url, "getaddrinfo ENOTFOUND api.example.com", "after_delay"),
        (&url, "getaddrinfo EAI_AGAIN nosuch.invalid", "after_delay"),
        (&json!({"q": "x"}), "getaddrinfo ENOTFOUND api.example.com", "after_delay"),
        (
            &json!({"cmd": "ssh a.invalid"}),
            "ssh: Could not resolve hostname a.invalid: x",
            "after_change",
        ),
        (
            &json!({"cmd": "ssh -v b"}),
            "ssh: Could not resolve hostname a.invalid: x",
            "after_delay",
        ),
    ] {
        let got = answered("fetch", arguments, text, true);
        assert_eq!(got["code"], "UPSTREAM_UNAVAILABLE", "{text}");
        assert_eq!(got["retry"]["kind"], kind, "{text}");
    }
}

#[test]
fn what_another_tool_mends_is_done_first() {
    let got = answered("list", &json!({}), "Project path not set. Call set_path first.", true);
    assert_eq!((&got["code"], &got["retry"]["kind"]), (&json!("CONFLICT"), &json!("after_state")));
    let number = "Invalid resourceId: -1. Must be a finite positive integer.";
    let got = answered("get", &json!({"resourceId": -1}), number, true);
    assert_eq!(got["code"], "INVALID_INPUT_VALUE", "{}", got["rule"]);
}

#[test]
fn what_to_do_and_when_to_do_it_fit_each_other() {
    let command = json!({"command": "curl -sS http://nohost.invalid/"});
    let host = "Command failed: curl -sS http://nohost.invalid/\ncurl: (6) Could not resolve host: nohost.invalid\n";
    for (tool, arguments, text, kind, hint) in [
        ("run_command", &command, host, "after_change", "Correct the name"),
        (
            "run",
            &json!({"language": "cobol"}),
            "Language cobol is not supported",
            "after_change",
            "another kind",
        ),
        ("run", &json!({"a": 1}), "This is not supported on Windows", "never", "another way"),
    ] {
        let got = answered(tool, arguments, text, true);
        assert_eq!(got["retry"]["kind"], kind, "{text}: {}", got["rule"]);
        let told = got["fault"]["hint"].as_str().unwrap();
        assert!(told.contains(hint), "{text}: {told}");
    }
}

#[test]
fn a_tool_whose_name_is_no_text_is_a_matter_of_the_request() {
    for (params, code) in [
        (json!({"name": 12}), "INVALID_INPUT_TYPE"),
        (json!({"name": "a", "arguments": "b"}), "INVALID_INPUT_TYPE"),
        (json!({"arguments": {}}), "MISSING_REQUIRED_FIELD"),
    ] {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let raw = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "Invalid input: expected string, received number"}});
        let got = judge(&json!({"id": 1, "request": request, "raw": raw.to_string()}).to_string());
        assert_eq!((&got["code"], &got["origin"]), (&json!(code), &json!("client")), "{params}");
        let told = format!("{} {}", got["fault"]["message"], got["fault"]["hint"]);
        assert!(told.contains("arameter") && !told.contains("schema"), "{params}: {told}");
    }
}

#[test]
fn the_name_of_a_file_says_nothing_of_what_is_wrong_in_it() {
    for text in [
        "/app/credentials.py:120: error",
        "src/authentication.ts:4:2 boom",
        "src/credentials.ts(4,2) boom",
    ] {
        let got = answered("build", &json!({"q": "x"}), text, true);
        assert_eq!(got["code"], "UNKNOWN_TOOL_FAILURE", "{text}: {}", got["rule"]);
    }
}

//! Calls that hand over commands or code: what a program said last tells nothing of what it did before.

use serde_json::{Value, json};

use super::{answered, judge};

fn ran(tool: &str, arguments: &Value, text: &str) -> Value {
    answered(tool, arguments, text, true)
}

#[test]
fn nobody_says_that_nothing_was_changed_where_a_program_ran() {
    let both = json!({"command": "rm -rf x && cp /nope/x y"});
    let code = json!({"code": "import os\nos.remove('a')\nopen('b')"});
    let failed = "Command failed: rm -rf x && cp /nope/x y\ncp: cannot stat '/nope/x': No such file or directory";
    for (tool, arguments, text) in [
        ("run_command", &both, failed),
        ("run_command", &both, "cp: cannot stat '/nope/x': No such file or directory"),
        ("x", &both, "cannot stat '/nope/x': No such file or directory"),
        ("run_command", &both, "bash: line 1: cpp: command not found"),
        ("execute_python", &code, "FileNotFoundError: [Errno 2] No such file or directory: 'b'"),
        ("execute_python", &code, "Request failed with status code 429"),
        (
            "kubectl_get",
            &json!({"name": "web-0"}),
            "Command failed: kubectl get pod web-0\nError from server (NotFound): pods \"web-0\" not found",
        ),
        ("deploy", &json!({"name": "a"}), "Process exited with code 1: permission denied"),
        ("run_command", &both, "Command failed with exit code 1: this is not allowed"),
        (
            "run_command",
            &both,
            "Command 'cpp' not found, did you mean:\n  command 'cp' from deb coreutils",
        ),
        ("run_command", &both, "'cpp' is not recognized as an internal or external command"),
        ("run_command", &both, "The term 'cpp' is not recognized as the name of a cmdlet"),
    ] {
        let got = ran(tool, arguments, text);
        assert_eq!(got["effect"], "unknown", "{text}: {} by {}", got["code"], got["rule"]);
    }
}

#[test]
fn a_program_that_was_refused_has_changed_nothing() {
    let command = json!({"command": "rm -rf x", "timeout": "x"});
    for text in [
        "Input validation error: 'x' is not of type 'integer'",
        "Unknown tool: run_command",
        "Failed to create process: [Errno 2] No such file or directory: 'rm'",
        "spawn rm ENOENT",
    ] {
        let got = ran("run_command", &command, text);
        assert_eq!(got["effect"], "none", "{text}: {} by {}", got["code"], got["rule"]);
    }
    let raw = json!({"jsonrpc": "2.0", "id": 1, "result": {"isError": true, "content": [
        {"type": "text", "text": "Command failed with exit code 2: cat: a: No such file or directory"}]}});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run", "arguments": command}});
    let tool = json!({"name": "run", "annotations": {"readOnlyHint": true}});
    let line = json!({"id": 1, "request": request, "tool": tool, "raw": raw.to_string()});
    assert_eq!(judge(&line.to_string())["effect"], "none");
}

#[test]
fn a_merge_that_stopped_half_way_has_perhaps_changed_something() {
    for text in [
        "Auto-merging a.txt\nCONFLICT (content): Merge conflict in a.txt\nAutomatic merge failed; fix conflicts and then commit the result.",
        "CONFLICT (modify/delete): a.txt deleted in HEAD and modified in b.",
        "The stash entry is kept in case you need it again.",
    ] {
        let got = ran("git_merge", &json!({"branch": "b"}), text);
        assert_eq!(
            (&got["code"], &got["effect"]),
            (&json!("CONFLICT"), &json!("unknown")),
            "{text}"
        );
    }
}

#[test]
fn what_a_program_rejects_is_the_command_not_an_argument() {
    for (key, command, text) in [
        (
            "command",
            "ls --badopt",
            "Command failed: ls --badopt\nls: unrecognized option '--badopt'",
        ),
        ("command", "ls --badopt", "ls: unrecognized option '--badopt'"),
        ("command", "npm run nosuchscript", "npm error Missing script: \"nosuchscript\""),
        ("script", "print(", "File \"<string>\", line 1\nSyntaxError: '(' was never closed"),
        ("code", "print(", "SyntaxError: '(' was never closed"),
    ] {
        let got = ran("run_command", &json!({key: command, "cwd": "/w"}), text);
        let fault = &got["fault"];
        let told = format!("{} {}", fault["message"], fault["hint"]);
        assert!(told.contains("command or code") && !told.contains("schema"), "{text}: {got}");
        assert_eq!(got["retry"]["kind"], "after_change", "{text}");
        assert_eq!(fault["violations"][0]["pointer"], format!("/{key}"), "{text}: {got}");
        let code = got["code"].as_str().unwrap();
        assert!(["INVALID_INPUT_VALUE", "INVALID_INPUT_FORMAT"].contains(&code), "{text}: {code}");
    }
    let refused = ran(
        "run_command",
        &json!({"command": "ls", "bogus": 1}),
        "Input validation error: Additional properties are not allowed ('bogus' was unexpected)",
    );
    assert_eq!(refused["fault"]["violations"][0]["pointer"], "/bogus", "{refused}");
}

#[test]
fn the_directory_of_a_command_is_not_its_missing_file() {
    let arguments = json!({"command": "cat nope", "cwd": "/srv/work"});
    let got = ran("run_command", &arguments, "cat: nope: No such file or directory");
    assert_eq!(got["code"], "FILE_NOT_FOUND");
    assert!(!got["fault"].to_string().contains("/srv/work"), "{got}");
}

#[test]
fn a_mistake_in_code_that_was_handed_over_is_not_the_servers() {
    let trace = |last: &str| {
        format!(
            "Error: Command failed: python -u \"/tmp/tmp.python\"\nTraceback (most recent call last):\n  File \"/tmp/tmp.python\", line 1, in <module>\n{last}\n"
        )
    };
    for (code, last) in [
        ("print(x)", "NameError: name 'x' is not defined"),
        ("None+1", "TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'"),
        ("{}['a']", "KeyError: 'a'"),
        ("assert 1==2", "AssertionError"),
        ("1/0", "ZeroDivisionError: division by zero"),
        ("None.x", "AttributeError: 'NoneType' object has no attribute 'x'"),
        ("raise Odd('boom')", "Odd: boom"),
    ] {
        for text in [
            trace(last),
            trace(last).replace("Error: Command failed: python -u \"/tmp/tmp.python\"\n", ""),
        ] {
            let got = ran("run-code", &json!({"code": code, "languageId": "python"}), &text);
            let told = (&got["code"], &got["retry"]["kind"], &got["effect"]);
            let expected =
                (&json!("INVALID_INPUT_VALUE"), &json!("after_change"), &json!("unknown"));
            assert_eq!(told, expected, "{text}: {}", got["rule"]);
            let fault = &got["fault"];
            assert!(
                fault["hint"].as_str().unwrap().starts_with("Correct the command or code"),
                "{fault}"
            );
            assert_eq!(fault["violations"][0]["pointer"], "/code", "{fault}");
        }
    }
    for (tool, arguments, text) in [
        (
            "run_js",
            json!({"code": "null.x"}),
            "TypeError: Cannot read properties of null (reading 'x')",
        ),
        (
            "browser_evaluate",
            json!({"function": "() => a.b"}),
            "page.evaluate: ReferenceError: a is not defined\n    at eval (x)",
        ),
        (
            "run_code",
            json!({"code": "fn main() {}"}),
            "thread 'main' panicked at src/main.rs:1:40:\nindex out of bounds: the len is 0 but the index is 0",
        ),
        (
            "run_command",
            json!({"command": "java A"}),
            "Exception in thread \"main\" java.lang.NullPointerException\n\tat A.main(A.java:3)",
        ),
        (
            "run_command",
            json!({"command": "node a.js"}),
            "Command failed: node a.js\nWeird: boom\n    at Object.<anonymous> (/w/a.js:1:7)",
        ),
    ] {
        let got = ran(tool, &arguments, text);
        let told = (&got["code"], &got["retry"]["kind"], &got["effect"]);
        let expected = (&json!("INVALID_INPUT_VALUE"), &json!("after_change"), &json!("unknown"));
        assert_eq!(told, expected, "{text}: {}", got["rule"]);
    }
    let file = ran(
        "run_python",
        &json!({"code": "open('x')"}),
        "[Errno 2] No such file or directory: 'x'",
    );
    assert_eq!(file["retry"]["kind"], "after_change", "{file}");
    let command = json!({"command": "python3 -c 'None+1'"});
    let text = "Command failed: python3 -c 'None+1'\nTraceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nTypeError: unsupported operand type(s) for +: 'NoneType' and 'int'";
    let got = ran("run_command", &command, text);
    assert_eq!(got["code"], "INVALID_INPUT_VALUE", "{got}");
    for (tool, arguments) in
        [("run_command", json!({"command": "ls -l"})), ("track", json!({"code": "a b"}))]
    {
        let own = ran(
            tool,
            &arguments,
            "TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'",
        );
        assert_eq!(own["code"], "INTERNAL_ERROR", "{tool}: {own}");
    }
}

//! Which argument a card names, and which it must not.

use serde_json::{Value, json};

use super::{answered, judge};

fn told(tool: &str, arguments: &Value, text: &str) -> Value {
    answered(tool, arguments, text, true)
}

#[test]
fn a_directory_with_a_missing_entry_is_not_missing_itself() {
    let run = json!({"command": "cargo build", "workdir": "/srv/work"});
    let npm = "Command failed: npm run x\nnpm error code ENOENT\nnpm error path /srv/work/package.json\nnpm error enoent Could not read package.json";
    for (tool, arguments, text) in [
        (
            "run_command",
            &run,
            "Command failed: cargo build\nerror: could not find `Cargo.toml` in `/srv/work` or any parent directory\n",
        ),
        ("run_command", &run, npm),
        (
            "git_commit",
            &json!({"repo_path": "/srv/work"}),
            "Hook('/srv/work/.git/hooks/pre-commit') failed due to: exit code(1)\n  stdout: 'error: file not found: x.js'",
        ),
        ("git_commit", &json!({"repo_path": "/srv/work"}), "error: file not found: x.js"),
        (
            "go_build",
            &json!({"dir": "/srv/work"}),
            "go: go.mod file not found in current directory or any parent directory",
        ),
        (
            "test",
            &json!({"project_dir": "/srv/work"}),
            "No such file or directory: '/srv/work/go.mod'",
        ),
        (
            "lint",
            &json!({"root": "/srv/work"}),
            "Could not find config.toml in directory /srv/work",
        ),
    ] {
        let got = told(tool, arguments, text);
        assert_eq!(got["class"], "not_found", "{text}: {}", got["rule"]);
        let fault = &got["fault"];
        assert!(!fault["message"].to_string().contains("/srv/work"), "{text}: {fault}");
        assert!(fault.get("violations").is_none_or(|it| it == &json!([])), "{text}: {fault}");
    }
}

#[test]
fn what_is_refused_is_the_path_that_was_given() {
    let text =
        "Access denied - symlink target outside allowed directories: /etc/hostname not in /tmp/fs";
    let got = told("read_text_file", &json!({"path": "/tmp/fs/link"}), text);
    assert_eq!(got["fault"]["message"], "The path \"/tmp/fs/link\" is outside the workspace.");
}

#[test]
fn a_path_that_was_given_can_be_given_otherwise() {
    let gone = "Error executing tool x: Could not read the resource: No such file or directory.";
    for (arguments, text, code, pointer) in [
        (json!({"uri": "file:///x/mian.txt"}), gone, "FILE_NOT_FOUND", Some("/uri")),
        (
            json!({"uri": "file:///x/mian.txt"}),
            "ENOENT: no such file or directory, open '/x/mian.txt'",
            "FILE_NOT_FOUND",
            Some("/uri"),
        ),
        (
            json!({"path": "", "content": "x"}),
            "EISDIR: illegal operation on a directory, open '/w'",
            "INVALID_PATH",
            None,
        ),
        (
            json!({"command": "ls", "workdir": "/none"}),
            "spawn /bin/sh ENOENT",
            "PATH_NOT_FOUND",
            Some("/workdir"),
        ),
    ] {
        let got = told("work", &arguments, text);
        assert_eq!(
            (&got["code"], &got["retry"]["kind"]),
            (&json!(code), &json!("after_change")),
            "{text}"
        );
        let named = got["fault"]["violations"][0]["pointer"].as_str();
        assert_eq!(named, pointer, "{text}: {got}");
    }
    let own = told("work", &json!({"q": "x"}), gone);
    assert_eq!(own["retry"]["kind"], "after_human");
    let hint = own["fault"]["hint"].as_str().unwrap();
    assert!(hint.contains("operator"), "{hint}");
    assert_eq!(
        told("run", &json!({"command": "ls -l"}), "spawn ls ENOENT")["code"],
        "NOT_INSTALLED"
    );
}

#[test]
fn names_of_tools_methods_and_sessions_are_no_arguments() {
    let unknown = told("write_rnage", &json!({}), "Unknown tool: write_rnage");
    assert_eq!(unknown["fault"]["message"], "There is no tool \"write_rnage\".");
    for (method, message) in [("foo/bar", "Method not found"), ("tools/call", "Session not found")]
    {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": "a"}});
        let raw = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32600, "message": message}});
        let got = judge(&json!({"id": 1, "request": request, "raw": raw.to_string()}).to_string());
        let told = format!("{} {}", got["fault"]["message"], got["fault"]["hint"]);
        assert!(!told.contains("argument"), "{method}: {told}");
    }
    let wrong = told("find", &json!({"bogus": 1}), "Unrecognized key: \"bogus\"");
    assert_eq!(wrong["fault"]["violations"], json!([{"pointer": "/bogus", "reason": "unknown"}]));
    assert!(wrong["fault"]["message"].as_str().unwrap().contains("name"), "{wrong}");
}

#[test]
fn a_name_of_a_branch_is_no_path() {
    for text in [
        "Invalid reference 'refs/heads/a..b': references cannot contain '..'",
        "Branch name cannot contain '..'",
        "fatal: 'a..b' is not a valid branch name",
    ] {
        let got = told("git_create_branch", &json!({"repo_path": "/w", "branch": "a..b"}), text);
        assert_eq!(got["code"], "INVALID_INPUT_VALUE", "{text}: {}", got["rule"]);
    }
    let path = told("read", &json!({"path": "../x"}), "Path cannot contain '..'");
    assert_eq!(path["code"], "PATH_TRAVERSAL_BLOCKED");
}

#[test]
fn what_is_there_already_is_told_by_coreutils_too() {
    for (command, text) in [
        (
            "mkdir /tmp",
            "Command failed: mkdir /tmp\nmkdir: cannot create directory ‘/tmp’: File exists\n",
        ),
        ("ln -s a x", "ln: failed to create symbolic link 'x': File exists"),
    ] {
        let got = told("run_command", &json!({"command": command}), text);
        assert_eq!(got["code"], "FILE_ALREADY_EXISTS", "{text}: {}", got["rule"]);
        assert_eq!(got["effect"], "unknown", "{text}");
    }
}

//! An MCP server on stdio that answers every failure well, but for the rule that it has to break. For the tests of the probe.
//!
//! `odd_server [--break RULE] [--effects FILE] [--revision R] [--loose]`
#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "misbehaving is its work"
)]

use std::{
    env,
    io::{self, BufRead as _, Write as _},
    process, thread,
    time::Duration,
};

use serde_json::{Value, json};

struct Server {
    breaks: String,
    effects: Option<String>,
    revision: String,
    calls: usize,
}

fn main() {
    let args: Vec<String> = env::args().collect();
    let after =
        |flag: &str| args.iter().position(|it| it == flag).and_then(|at| args.get(at + 1)).cloned();
    let mut server = Server {
        breaks: after("--break").unwrap_or_default(),
        effects: after("--effects"),
        revision: after("--revision").unwrap_or_else(|| "2025-11-25".into()),
        calls: 0,
    };
    match server.breaks.as_str() {
        "start" => {
            eprint("no licence found");
            process::exit(9);
        }
        "babble" => loop {
            put("Welcome to the server! Type help.");
            thread::sleep(Duration::from_millis(20));
        },
        "mute" => thread::sleep(Duration::from_secs(600)),
        _ => (),
    }
    let mut lines = io::stdin().lock();
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).unwrap_or_default() > 0 {
        server.hear(&line);
        line.clear();
    }
}

impl Server {
    fn is(&self, rule: &str) -> bool {
        self.breaks == rule
    }

    fn hear(&mut self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            if !self.is("PR204") {
                refuse(&Value::Null, -32_700, "Parse error");
            }
            return;
        };
        let id = message["id"].clone();
        if id.is_null() && message["method"].is_string() {
            if self.is("PR206") {
                refuse(&Value::Null, -32_601, "Unknown notification");
            }
            return;
        }
        if message["jsonrpc"] != "2.0" || !message["method"].is_string() {
            return refuse(&id, -32_600, "Invalid request");
        }
        match message["method"].as_str().unwrap() {
            "initialize" => {
                let asked = &message["params"]["protocolVersion"];
                let agreed = if self.is("PR205") { asked.clone() } else { json!(self.revision) };
                answer(
                    &id,
                    &json!({
                        "protocolVersion": agreed,
                        "capabilities": {"tools": {}},
                        "serverInfo": {"name": "odd", "version": "1"},
                    }),
                );
            }
            "ping" => answer(&id, &json!({})),
            "tools/list" => self.list(&id, &message["params"]["cursor"]),
            "tools/call" => self.call(&id, &message["params"]),
            _ if self.is("PR202") => refuse(&id, -32_603, "No such method"),
            _ => refuse(&id, -32_601, "Method not found"),
        }
    }

    /// Two pages, so that a reader of one misses half.
    fn list(&self, id: &Value, cursor: &Value) {
        let schema = json!({
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "count": {"type": "integer", "minimum": 1, "maximum": 10},
                "mode": {"type": "string", "enum": ["fast", "slow"]},
                "path": {"type": "string"},
                "sure": {"type": "boolean"}
            },
            "required": ["id"],
            "additionalProperties": false
        });
        if cursor.is_null() {
            let mut read = json!({"name": "read", "inputSchema": schema, "annotations": {"readOnlyHint": true}});
            if self.is("PR211") {
                read["outputSchema"] = json!({"type": "object", "required": ["sum"]});
            }
            return answer(id, &json!({"tools": [read], "nextCursor": "second"}));
        }
        let choice = json!({
            "type": "object",
            "properties": {"all": {"type": "boolean"}, "id": {"type": "string"}},
            "oneOf": [{"required": ["all"]}, {"required": ["id"]}]
        });
        answer(
            id,
            &json!({"tools": [
                {"name": "write", "inputSchema": schema},
                {"name": "wipe", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": true}},
                {"name": "sweep", "inputSchema": {"type": "object", "properties": {"deep": {"type": "boolean"}}}},
                {"name": "drop", "inputSchema": {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}},
                {"name": "choose", "inputSchema": choice}
            ]}),
        );
    }

    fn call(&mut self, id: &Value, params: &Value) {
        self.calls += 1;
        let Some(name) = params["name"].as_str().filter(|_| params.is_object()) else {
            if self.is("PR203") {
                done(id);
            } else {
                refuse(id, -32_602, "Invalid params: no name");
            }
            return;
        };
        if !["read", "write", "wipe", "sweep", "drop", "choose"].contains(&name) {
            let text = format!("Unknown tool: {name}");
            if self.is("PR201") {
                fail(id, "UNKNOWN_TOOL", &text);
            } else {
                refuse(id, -32_602, &text);
            }
            return;
        }
        self.act(name, &params["arguments"]);
        let wrong = wrong_argument(name, &params["arguments"]);
        if self.misbehave(id, wrong, &params["arguments"]) {
            return;
        }
        match wrong {
            Some(argument) => {
                let code = if self.is("CK801") { "NO_SUCH_CODE" } else { "INVALID_INPUT_VALUE" };
                let text =
                    format!("The argument {argument} is not what is asked for. Do not retry.");
                fail(id, code, &text);
            }
            None => done(id),
        }
    }

    /// Does what a tool is for, if it has what it needs, though much else may be wrong.
    fn act(&self, name: &str, arguments: &Value) {
        let has_all = match name {
            "write" => arguments["id"].is_string(),
            "wipe" | "sweep" => true,
            // Whatever is true enough.
            "drop" => {
                !matches!(&arguments["sure"], Value::Null | Value::Bool(false))
                    && arguments["sure"] != ""
            }
            "choose" => arguments["all"].is_boolean() || arguments["id"].is_string(),
            _ => false,
        };
        if let Some(file) = self.effects.as_ref().filter(|_| has_all) {
            let mut file = std::fs::File::options().append(true).create(true).open(file).unwrap();
            writeln!(file, "{name} {arguments}").unwrap();
        }
    }

    /// Breaks the chosen rule. Gives whether that was all.
    fn misbehave(&self, id: &Value, wrong: Option<&str>, arguments: &Value) -> bool {
        let Some(argument) = wrong else {
            if self.is("PR212") && arguments["path"].as_str().is_some_and(|it| it.contains("hosts"))
            {
                text(id, "127.0.0.1 localhost", false);
                return true;
            }
            return false;
        };
        let said = |more: &str| {
            fail(
                id,
                "INVALID_INPUT_VALUE",
                &format!("The argument {argument} is wrong, do not retry: {more}"),
            );
        };
        match self.breaks.as_str() {
            "PR101" => (),
            "PR102" => {
                thread::sleep(Duration::from_millis(2_100));
                said("slow");
            }
            "PR103" => {
                eprint("FATAL: cannot go on");
                process::exit(3);
            }
            "PR104" => said_as(&json!(id.to_string()), argument),
            "PR105" => {
                said("once");
                said("twice");
            }
            "PR106" => put(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":"none","isError":true}}}}"#)),
            "PR107" => {
                said("the last word");
                thread::sleep(Duration::from_secs(600));
            }
            "PR108" => said(&"x".repeat(40 << 10)),
            "PR207" => refuse(id, -32_602, &format!("{argument} is wrong")),
            "PR208" => refuse(id, -32_050, &format!("{argument} is wrong")),
            "PR209" => done(id),
            "PR210" => text(id, &format!("Error: the argument {argument} is invalid"), false),
            "PR211" => put(
                &json!({"jsonrpc": "2.0", "id": id, "result": {"isError": true, "structuredContent": {"code": "X_Y"},
                    "content": [{"type": "text", "text": format!("{argument}: do not retry")}]}})
                .to_string(),
            ),
            "PR301" => text(id, &format!("{argument} will not do. Do not retry."), true),
            "PR302" => fail_with(id, &json!({"code": "NOT_A_KNOWN_CODE"}), &format!("{argument} is wrong")),
            "PR303" => fail(id, "INVALID_INPUT_VALUE", "Something is wrong. Do not retry."),
            "PR304" => {
                let code = if self.calls.is_multiple_of(2) { "INVALID_INPUT_TYPE" } else { "INVALID_INPUT_VALUE" };
                fail(id, code, &format!("{argument} is wrong"));
            }
            "PR305" => put(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"isError":true,"structuredContent":{{"code":"X_Y","argument":"{argument}","retryable":false}}}}}}"#
            )),
            "PR401" => said("boom\n    at read (server.js:10:5)\n    at run (server.js:2:1)"),
            "PR402" => said("ENOENT: no such file or directory, open '/srv/data/secret/notes.db'"),
            "PR403" => said("mongodb://admin:hunter2secret@db.example/notes is away"),
            "PR404" => said("AWS_REGION=eu-west-1 AWS_PROFILE=production not set"),
            "PR405" => said("GET http://10.1.2.3:8080/notes failed"),
            "PR406" => said("\u{1b}[31mred\u{1b}[0m"),
            "CK802" => fail_with(
                id,
                &json!({"code": "INVALID_INPUT_VALUE", "class": "internal", "retryable": false}),
                &format!("{argument} is wrong"),
            ),
            "CK803" => fail_with(
                id,
                &json!({"code": "INVALID_INPUT_VALUE", "retryable": false, "details": {"colour": "red"}}),
                &format!("{argument} is wrong"),
            ),
            _ => return false,
        }
        true
    }
}

/// The first argument that does not fit the schema.
fn wrong_argument(tool: &str, arguments: &Value) -> Option<&'static str> {
    let Some(given) = arguments.as_object() else { return Some("arguments") };
    let fits = |key: &str, holds: &dyn Fn(&Value) -> bool| given.get(key).is_none_or(holds);
    if tool == "choose" {
        let is_one = given.contains_key("all") != given.contains_key("id");
        let all = !fits("all", &Value::is_boolean) || !is_one;
        return if all { Some("all") } else { (!fits("id", &Value::is_string)).then_some("id") };
    }
    let known: &[&str] = match tool {
        "read" | "write" => &["id", "count", "mode", "path", "sure"],
        "drop" => &["sure"],
        _ => return None,
    };
    let needs_id = tool != "drop";
    let is_wrong = [
        ("id", needs_id && !given.contains_key("id") || !fits("id", &Value::is_string)),
        ("count", !fits("count", &|it| it.as_i64().is_some_and(|it| (1..=10).contains(&it)))),
        ("mode", !fits("mode", &|it| it == "fast" || it == "slow")),
        ("path", !fits("path", &Value::is_string)),
        ("sure", !needs_id && !given.contains_key("sure") || !fits("sure", &Value::is_boolean)),
        ("redress_probe_extra", needs_id && given.keys().any(|it| !known.contains(&it.as_str()))),
    ];
    is_wrong.iter().find(|it| it.1).map(|it| it.0)
}

fn done(id: &Value) {
    text(id, "done", false);
}

fn text(id: &Value, text: &str, is_error: bool) {
    answer(id, &json!({"content": [{"type": "text", "text": text}], "isError": is_error}));
}

fn fail(id: &Value, code: &str, text: &str) {
    fail_with(id, &json!({"code": code, "retryable": false}), text);
}

fn fail_with(id: &Value, envelope: &Value, text: &str) {
    let content = json!([{"type": "text", "text": text}]);
    answer(id, &json!({"content": content, "isError": true, "structuredContent": envelope}));
}

fn said_as(id: &Value, argument: &str) {
    fail(id, "INVALID_INPUT_VALUE", &format!("{argument} is wrong, do not retry"));
}

fn answer(id: &Value, result: &Value) {
    put(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
}

fn refuse(id: &Value, code: i64, message: &str) {
    let error = json!({"code": code, "message": message});
    put(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
}

fn put(line: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap_or_default();
}

fn eprint(text: &str) {
    writeln!(io::stderr(), "{text}").unwrap_or_default();
}

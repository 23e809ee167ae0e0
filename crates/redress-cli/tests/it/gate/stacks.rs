//! Causes and stacks of a real Python server, by the switches of the environment: `DEBUG_STACK` and `MCP_ERRORS_VERBOSE`.

use redress::Dialect;
use serde_json::{Value, json};

use super::client::{Client, Via, both_ways, fault};

/// A server whose tools fail in the ways in which a traceback gets into an answer.
const SERVER: &str = r"
import json, sys, traceback

def dig(data):
    return data['x']

def trace():
    try:
        dig({})
    except KeyError:
        return traceback.format_exc()

def answer(tool):
    if tool == 'crash':
        print('key ghp_16C7e42F292c6912E7710c838347Ae178B4a', file=sys.stderr)
        dig({})
    if tool == 'data':
        return {'error': {'code': -32000, 'message': 'it failed', 'data': {'stack': trace()}}}
    text = trace() if tool == 'text' else json.dumps({'error': 'it failed', 'stack': trace()})
    return {'result': {'content': [{'type': 'text', 'text': text}], 'isError': True}}

for line in sys.stdin:
    asked = json.loads(line)
    method = asked.get('method')
    if 'id' not in asked:
        continue
    if method == 'initialize':
        told = {'protocolVersion': asked['params']['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'py', 'version': '1'}}
        reply = {'result': told}
    elif method == 'tools/list':
        reply = {'result': {'tools': [{'name': it, 'inputSchema': {'type': 'object'}} for it in ['crash', 'data', 'text', 'json']]}}
    elif method == 'tools/call':
        reply = answer(asked['params']['name'])
    else:
        reply = {'result': {}}
    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], **reply}), flush=True)
";

const TOOLS: [&str; 4] = ["text", "json", "data", "crash"];

const OFF: [(&str, &str); 2] = [("DEBUG_STACK", ""), ("MCP_ERRORS_VERBOSE", "")];

both_ways! {
    seed_000_12_the_cause_is_that_of_our_own_faults_alone,
    seed_000_14_a_stack_trace_needs_debug_stack_exactly_true,
    seed_000_28_a_server_that_does_not_start_fails_bootstrap,
    seed_002_23_and_004_22_no_answer_has_a_traceback,
    seed_002_34_and_002_35_verbose_errors_have_their_stack,
    hidden_words_stay_hidden_with_every_switch,
    the_ledger_keeps_the_stack_that_nobody_was_shown,
}

fn gate(via: Via, dialect: Dialect, env: &[(&str, &str)], options: &[&str]) -> Client {
    let config = format!(
        "[server.py]\ncommand = ['python3', '-c', '''{SERVER}''']\ndialect = '{}'\n",
        dialect.name()
    );
    let env: Vec<_> = OFF.iter().chain(env).copied().collect();
    let mut client = Client::with_config(via, &config, "py", options, &env);
    client.initialize();
    client
}

/// The envelope in the text of an answer.
fn envelope(answer: &Value) -> Value {
    serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap()
}

fn seed_000_12_the_cause_is_that_of_our_own_faults_alone(via: Via) {
    let mut client = gate(via, Dialect::AtlasGate, &[], &[]);
    let foreign = envelope(&client.call("text", &json!({})));
    assert_eq!(foreign["cause"], Value::Null, "{foreign}");
    let own = envelope(&client.call("crash", &json!({})));
    let cause = json!({"message": "KeyError: 'x'", "code": 1, "name": "ProcessExit"});
    assert_eq!(own["cause"], cause, "{own}");
    assert_eq!(client.end().0, 0);
}

fn seed_000_14_a_stack_trace_needs_debug_stack_exactly_true(via: Via) {
    for (switch, is_shown) in [("true", true), ("1", false), ("TRUE", false), ("", false)] {
        let mut client = gate(via, Dialect::AtlasGate, &[("DEBUG_STACK", switch)], &[]);
        for tool in ["text", "crash"] {
            let told = envelope(&client.call(tool, &json!({})));
            let Some(stack) = told.get("stack_trace").map(|it| it.as_str().unwrap()) else {
                assert!(!is_shown, "{told}");
                continue;
            };
            assert!(is_shown && stack.ends_with("KeyError: 'x'"), "{switch}: {stack}");
            assert!(stack.contains("in dig\n") && !stack.contains("ghp_"), "{stack}");
        }
        assert_eq!(client.end().0, 0);
    }
}

fn seed_000_28_a_server_that_does_not_start_fails_bootstrap(via: Via) {
    let config = "[server.gone]\ncommand = ['/nonexistent/server']\ndialect = 'atlas-gate'\n";
    let mut client = Client::with_config(via, config, "gone", &[], &[]);
    let answer = client.initialize();
    assert_eq!(fault(&answer)["code"], "BOOTSTRAP_FAILURE", "{answer}");
    assert_eq!(fault(&answer)["message"], "The program \"/nonexistent/server\" was not found.");
    assert_eq!(fault(&answer)["retry"]["kind"], "after_human", "{answer}");
    if via == Via::Run {
        let told = envelope(&client.call("any", &json!({})));
        assert_eq!(told["error_code"], "BOOTSTRAP_FAILURE", "{told}");
        assert_eq!(told["cause"]["code"], 2, "{told}");
        assert_eq!(told["cause"]["name"], "io::Error", "{told}");
    }
    // Before one server alone there is nothing else to do.
    assert_eq!(client.end().0, if via == Via::Run { 3 } else { 0 });
}

fn seed_002_23_and_004_22_no_answer_has_a_traceback(via: Via) {
    for dialect in Dialect::ALL {
        for options in [&[][..], &["--server-text", "full"]] {
            let mut client = gate(via, dialect, &[], options);
            for tool in TOOLS {
                let answer = client.call(tool, &json!({})).to_string();
                assert!(!answer.contains("Traceback"), "{answer}");
                assert!(!answer.contains("in dig") && !answer.contains("data['x']"), "{answer}");
                assert!(answer.contains("KeyError: 'x'"), "what tells: {answer}");
            }
            assert_eq!(client.end().0, 0);
        }
    }
    let mut client = gate(via, Dialect::Native, &[("DEBUG_STACK", "true")], &[]);
    let answer = client.call("crash", &json!({}));
    let tail = fault(&answer)["details"]["upstream"]["stderr_tail"].as_str().unwrap();
    assert!(tail.starts_with("key [redacted]\nTraceback") && tail.contains("in dig\n"), "{tail}");
    assert_eq!(client.end().0, 0);
}

fn seed_002_34_and_002_35_verbose_errors_have_their_stack(via: Via) {
    for (switch, frames) in [("1", 1), ("full", 4), ("9", 4), ("0", 0), ("abc", 0), ("", 0)] {
        let mut client = gate(via, Dialect::Rpc, &[("MCP_ERRORS_VERBOSE", switch)], &[]);
        let answer = client.call("crash", &json!({}));
        let stack = answer["error"]["data"].get("stack").map(|it| it.as_str().unwrap());
        assert_eq!(stack.is_some(), frames > 0, "{switch}: {answer}");
        let stack = stack.unwrap_or_default();
        // `-c` has no source: one line for each frame, and the crash goes through three functions.
        let shown = stack.lines().filter(|it| it.starts_with("  File \"<string>\"")).count();
        assert_eq!(shown, frames.min(3), "{switch}: {stack}");
        assert_eq!(stack.contains("in dig"), frames > 0, "the frame that failed: {stack}");
        assert_eq!(client.end().0, 0);
    }
}

fn hidden_words_stay_hidden_with_every_switch(via: Via) {
    let switches = [("DEBUG_STACK", "true"), ("MCP_ERRORS_VERBOSE", "full")];
    for dialect in [Dialect::AtlasGate, Dialect::Rpc, Dialect::Native] {
        let mut client = gate(via, dialect, &switches, &["--server-text", "hide"]);
        for tool in ["text", "crash"] {
            let answer = client.call(tool, &json!({})).to_string();
            assert!(!answer.contains("KeyError") && !answer.contains("in dig"), "{answer}");
        }
        assert_eq!(client.end().0, 0);
    }
}

fn the_ledger_keeps_the_stack_that_nobody_was_shown(via: Via) {
    let mut client = gate(via, Dialect::Native, &[], &[]);
    for tool in TOOLS {
        client.call(tool, &json!({}));
    }
    let records = client.records();
    let stacks = records.iter().filter_map(|it| it["private"]["stack"].as_str());
    let stacks: Vec<_> = stacks.filter(|it| it.contains("in dig\n")).collect();
    assert_eq!(stacks.len(), TOOLS.len(), "{records:?}");
    assert!(!stacks.iter().any(|it| it.contains("ghp_")), "{stacks:?}");
    assert_eq!(client.end().0, 0);
}

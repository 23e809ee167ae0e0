//! Causes and stacks of a server that is written with the contract, by the switches of its environment.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::notes::built;

const OFF: [(&str, &str); 2] = [("DEBUG_STACK", ""), ("MCP_ERRORS_VERBOSE", "")];

/// What a new process with these variables answers to a call.
fn answer(dialect: &str, env: &[(&str, &str)], tool: &str) -> Value {
    let mut command = Command::new(built().join("examples/failing"));
    command.arg(dialect).envs(OFF).envs(env.iter().copied()).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": {}}}),
    ] {
        writeln!(input, "{message}").unwrap();
    }
    let output = BufReader::new(server.stdout.take().unwrap());
    let told = output.lines().map(|it| serde_json::from_str::<Value>(&it.unwrap()).unwrap());
    let told = told.into_iter().find(|it| it["id"] == 2).unwrap();
    drop(input);
    assert!(server.wait().unwrap().success());
    told
}

/// The envelope of the dialect `atlas-gate`.
fn atlas(env: &[(&str, &str)], tool: &str) -> Value {
    let answer = answer("atlas-gate", env, tool);
    serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap()
}

#[test]
fn seed_000_12_a_panic_and_a_chain_of_errors_have_a_cause() {
    let told = atlas(&[], "panic");
    let message = "the index is broken, token=[redacted]";
    let cause = json!({"message": message, "code": null, "name": "panic"});
    assert_eq!(told["cause"], cause, "{told}");
    let told = atlas(&[], "chain");
    assert_eq!(told["cause"]["message"], "cannot read the settings", "{told}");
}

#[test]
fn seed_000_14_a_stack_trace_needs_debug_stack_exactly_true() {
    for switch in ["", "1", "TRUE"] {
        for tool in ["panic", "chain"] {
            let told = atlas(&[("DEBUG_STACK", switch)], tool);
            assert_eq!(told.get("stack_trace"), None, "{told}");
            assert!(!told.to_string().contains("failing.rs"), "{told}");
        }
    }
    let told = atlas(&[("DEBUG_STACK", "true")], "panic");
    let stack = told["stack_trace"].as_str().unwrap();
    assert!(stack.contains("examples/failing.rs:"), "the place: {stack}");
    assert!(stack.contains("failing::Failing::panic"), "the backtrace: {stack}");
    let told = atlas(&[("DEBUG_STACK", "true")], "chain");
    let stack = told["stack_trace"].as_str().unwrap();
    assert!(stack.contains("cannot read the settings\nCaused by: "), "{stack}");
    assert!(stack.contains("No such file or directory"), "{stack}");
}

#[test]
fn seed_002_34_and_002_35_verbose_errors_have_their_stack() {
    let frames = |switch: &str| {
        let answer = answer("rpc", &[("MCP_ERRORS_VERBOSE", switch)], "panic");
        let stack = answer["error"]["data"].get("stack")?.as_str()?;
        let is_frame = |it: &&str| it.trim_start().starts_with(|it: char| it.is_ascii_digit());
        let frames: Vec<_> = stack.lines().filter(is_frame).map(str::to_owned).collect();
        Some(frames)
    };
    assert_eq!(frames(""), None);
    let one = frames("1").unwrap();
    assert!(one.len() == 1 && one[0].contains("failing::Failing::panic"), "{one:?}");
    assert_eq!(frames("2").unwrap().len(), 2);
    let all = frames("full").unwrap();
    assert!(all.len() > 5 && all.iter().any(|it| it.contains("panic_fmt")), "{all:?}");
}

#[test]
fn the_native_envelope_has_no_place_for_them() {
    for tool in ["panic", "chain"] {
        let told = answer("native", &[("DEBUG_STACK", "true")], tool).to_string();
        assert!(!told.contains("index is broken") && !told.contains("failing.rs"), "{told}");
    }
}

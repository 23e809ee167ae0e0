//! A server whose tools fail, each in its own way, and that writes down what its calls really did.

use std::{
    io::{self, BufRead as _, Write as _},
    path::Path,
    process,
};

use serde_json::{Value, json};

use super::world::{CALL_MS, World};
use crate::fallible::Fallible;

/// Its tools, and whether each only reads.
const TOOLS: [(&str, bool); 29] = [
    ("search_orders", true),
    ("get_order", true),
    ("list_rows", true),
    ("stock", true),
    ("send_mail", false),
    ("list_mail", true),
    ("charge_card", false),
    ("list_charges", true),
    ("create_order", false),
    ("list_new_orders", true),
    ("save_note", false),
    ("list_notes", true),
    ("read_file", true),
    ("resize", false),
    ("count_orders", true),
    ("add_slide", false),
    ("open_presentation", false),
    ("run_query", true),
    ("read_log", true),
    ("export", false),
    ("deploy", false),
    ("delete_backup", false),
    ("edit_doc", false),
    ("create_user", false),
    ("send_batch", false),
    ("read_secret", true),
    ("weather", true),
    ("run_step", false),
    ("start_session", false),
];

/// What a call comes to.
enum Reaction {
    Text(String),
    /// A result with `isError`.
    Failed(String),
    /// A JSON-RPC error: number and message.
    Error(i64, String),
    /// No answer.
    Silence,
    /// The process ends.
    Exit,
}

/// Serves on stdio until the input ends. A call that gets no answer costs the caller `patience_ms`.
pub(super) fn serve(world: &Path, patience_ms: u64) -> Fallible<()> {
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let (Some(id), Some(method)) =
            (request.get("id"), request.get("method").and_then(Value::as_str))
        else {
            continue;
        };
        let answer = match method {
            "initialize" => json!({"result": {"protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}}, "serverInfo": {"name": "lab", "version": "1"}}}),
            "tools/list" => json!({"result": {"tools": tools()}}),
            "tools/call" => match call(&request, world, patience_ms)? {
                Some(answer) => answer,
                None => continue,
            },
            _ => json!({"error": {"code": -32601, "message": "Method not found"}}),
        };
        write(id, answer)?;
    }
    Ok(())
}

fn write(id: &Value, mut answer: Value) -> Fallible<()> {
    if let Some(members) = answer.as_object_mut() {
        members.insert("jsonrpc".to_owned(), json!("2.0"));
        members.insert("id".to_owned(), id.clone());
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{answer}")?;
    Ok(out.flush()?)
}

fn tools() -> Vec<Value> {
    let tool = |(name, is_read): (&str, bool)| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": is_read}});
    TOOLS.into_iter().map(tool).collect()
}

fn call(request: &Value, path: &Path, patience_ms: u64) -> Fallible<Option<Value>> {
    let text = |pointer: &str| request.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let arguments = request.pointer("/params/arguments").cloned().unwrap_or_default();
    let mut world = World::load(path)?;
    world.calls += 1;
    world.clock_ms += CALL_MS;
    world.is_hanging = false;
    let reaction = react(text("/params/name"), &arguments, &mut world);
    if matches!(reaction, Reaction::Silence) {
        world.is_hanging = true;
        world.clock_ms += patience_ms;
    }
    world.store(path)?;
    let content = |text: String| json!([{"type": "text", "text": text}]);
    Ok(match reaction {
        Reaction::Text(text) => Some(json!({"result": {"content": content(text)}})),
        Reaction::Failed(text) => {
            Some(json!({"result": {"content": content(text), "isError": true}}))
        }
        Reaction::Error(code, message) => {
            Some(json!({"error": {"code": code, "message": message}}))
        }
        Reaction::Silence => None,
        Reaction::Exit => {
            writeln!(io::stderr(), "thread 'main' panicked: index out of bounds")?;
            #[expect(clippy::exit, reason = "a crash is what this tool is for")]
            process::exit(101)
        }
    })
}

/// What a tool answers, and what it does to the world.
fn react(tool: &str, arguments: &Value, world: &mut World) -> Reaction {
    use Reaction::{Error, Exit, Failed, Silence, Text};
    let said = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let done = |it: &str| Text(it.to_owned());
    let failed = |it: &str| Failed(it.to_owned());
    match tool {
        "search_orders" if world.clock_ms < 2_000 => {
            failed("429 Too Many Requests: too many searches, retry after 2 seconds")
        }
        "search_orders" | "count_orders" => done("3 orders: 7, 8, 9"),
        "get_order" if world.clock_ms < 3_000 => {
            failed("Request failed with status code 503: Service Unavailable")
        }
        "get_order" => done("order 7: two pens"),
        "list_rows" if world.is_first("rows") => Silence,
        "list_rows" => done("1 | pen\n2 | ink"),
        "stock" if world.clock_ms < 2_000 => done("Error: the warehouse timed out, try again"),
        "stock" => done("14 pens"),
        "send_mail" => {
            world.add_effect("mail");
            if world.is_first("mail") { Silence } else { done("sent to ada@example.com") }
        }
        "list_mail" => Text(format!("{} sent to ada@example.com", world.count("mail"))),
        "charge_card" => {
            world.add_effect("charge");
            if world.is_first("charge") { Exit } else { done("charged 20 EUR") }
        }
        "list_charges" => Text(format!("{} charge of 20 EUR", world.count("charge"))),
        "create_order" => {
            world.add_effect("order");
            if world.is_first("order") {
                failed("Internal Server Error (500)")
            } else {
                done("order 10 created")
            }
        }
        "list_new_orders" => Text(format!("{} new order", world.count("order"))),
        "save_note" if world.clock_ms < 1_000 => failed("connect ECONNREFUSED 127.0.0.1:5432"),
        "list_notes" => Text(format!("{} note", world.count("note"))),
        "save_note" => once("note", "saved", world),
        "read_file" if said("path") == "src/main.rs" => done("fn main() {}"),
        "read_file" => {
            Failed(format!("ENOENT: no such file or directory, open '{}'", said("path")))
        }
        "resize" if arguments.get("width").is_some_and(Value::is_u64) => {
            once("resize", "resized to 640", world)
        }
        "resize" => failed(
            r#"MCP error -32602: Invalid arguments for tool resize: [{"code":"invalid_type","expected":"number","received":"string","path":["width"],"message":"Expected number, received string"}]"#,
        ),
        "open_presentation" => {
            world.is_first("open");
            done("opened deck.pptx")
        }
        "add_slide" if world.has("open") => once("slide", "added slide 1", world),
        "add_slide" => {
            done(r#"{"error": "No presentation is open. Call open_presentation first"}"#)
        }
        "run_query" if said("sql").contains("users") => done("ada\nbob"),
        "run_query" => done("Error: no such table: user"),
        "read_log" => {
            done("Error: payment 7 failed\nTimeoutError: the gateway did not answer in 30 s")
        }
        "export" => {
            done(r#"{"success": false, "error": "The quota of 10 exports a month is used up"}"#)
        }
        "deploy" if world.has_person_acted => once("deploy", "deployed", world),
        "deploy" => failed("401 Unauthorized: the token has expired"),
        "delete_backup" => failed("EACCES: permission denied, unlink '/backup/1.tar'"),
        "edit_doc" if arguments.get("version") == Some(&json!(2)) => once("edit", "saved", world),
        "edit_doc" => failed("Conflict: the document is at version 2, not 1"),
        "create_user" if said("name") == "ada" => failed("User 'ada' already exists"),
        "create_user" => once("user", "created", world),
        "send_batch" => batch(arguments, world),
        "read_secret" => {
            failed("Access denied: /etc/secret is outside the allowed directories: /srv")
        }
        "weather" if world.has_person_acted => done("12 degrees"),
        "weather" => failed("WEATHER_API_KEY environment variable is not set"),
        "start_session" => {
            world.is_first("session");
            done("session started")
        }
        "run_step" if world.has("session") => once("step", "step 1 done", world),
        "run_step" => failed("Session not initialized. Call start_session first."),
        _ => Error(-32602, format!("Unknown tool: {tool}")),
    }
}

fn once(effect: &str, text: &str, world: &mut World) -> Reaction {
    world.add_effect(effect);
    Reaction::Text(text.to_owned())
}

/// Sends to each address that is one, and fails at the others.
fn batch(arguments: &Value, world: &mut World) -> Reaction {
    let to = arguments.get("to").and_then(Value::as_array).into_iter().flatten();
    let (mut sent, mut bad) = (0, Vec::new());
    for address in to.filter_map(Value::as_str) {
        if address.contains('@') {
            world.add_effect(address);
            sent += 1;
        } else {
            bad.push(address);
        }
    }
    if bad.is_empty() {
        return Reaction::Text(format!("{sent} sent"));
    }
    Reaction::Failed(format!(
        "{sent} of {} sent; invalid address: {}",
        sent + bad.len(),
        bad.join(", ")
    ))
}

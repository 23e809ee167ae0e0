//! A server's own envelope survives: with its contract named, a client of the same dialect gets it byte for byte.

use redress::{Dialect, Fault, dialect::Stamp};
use redress_registry::shipped;
use serde_json::{Value, json};

use super::client::{Client, Via, both_ways, fault};

/// Each seed's dialect with its contract.
const SEEDS: [(Dialect, &str); 5] = [
    (Dialect::AtlasGate, "atlas-gate"),
    (Dialect::Workrail, "workrail"),
    (Dialect::Rpc, "rpc-taxonomy"),
    (Dialect::Stagewright, "stagewright"),
    (Dialect::Mailvault, "mailvault"),
];

/// Envelopes as the seeds show them.
const EXAMPLES: [(Dialect, &str); 8] = [
    (
        Dialect::AtlasGate,
        r#"{"error_code":"SESSION_NOT_INITIALIZED","human_message":"Session not initialized","role":"WINDSURF","session_id":"550e8400-e29b-41d4-a716-446655440000","workspace_root":"/home/user/project","tool_name":"read_file","invariant_id":"INV-7","phase_id":"PHASE-2","plan_hash":"ab12","cause":{"message":"no session","code":"ENOSESS","name":"Error"},"timestamp":"2026-01-19T15:32:10.123Z"}"#,
    ),
    (
        Dialect::Workrail,
        r#"{"code":"VALIDATION_ERROR","message":"Invalid input","retry":{"kind":"not_retryable"},"suggestion":"Fix the fields.","details":{"validationIssues":[{"path":"a.b","message":"Required"}],"more":1.0}}"#,
    ),
    (
        Dialect::Workrail,
        r#"{"code":"SESSION_NOT_HEALTHY","message":"Session corruption detected (head)","retry":{"kind":"not_retryable"},"details":{"health":{"kind":"corrupt_head","reason":{"code":"x"}}}}"#,
    ),
    (
        Dialect::Rpc,
        r#"{"code":2100,"message":"Navigation failed","data":{"domain":"playwright","symbol":"E_PW_NAV","details":"net::ERR_NAME_NOT_RESOLVED","retryable":true}}"#,
    ),
    (
        Dialect::Rpc,
        r#"{"code":1005,"message":"Bad thing","data":{"domain":"python","symbol":"E_INPUT_TOO_LARGE","details":{"a":[1]}}}"#,
    ),
    (
        Dialect::Stagewright,
        r#"{"ok":false,"error":"The wait ended","code":"WAIT_TIMEOUT","hint":"Wait longer.","retryable":true,"http":408,"_meta":{"estimated_tokens":31,"elapsed_ms":5000,"session_id":"s-1"},"next_actions":["electron_snapshot()"],"similar_refs":[{"ref":"e3"}],"details":{"last_state":"hidden"}}"#,
    ),
    (
        Dialect::Mailvault,
        r#"{"error":"rate_limited","message":"Slow down","details":{"retry_after":30}}"#,
    ),
    (
        Dialect::Mailvault,
        r#"{"error":"not_found","message":"Note not found: ñ/中文.md","details":{"path":"ñ/中文.md"}}"#,
    ),
];

both_ways! {
    every_code_of_every_seed_passes_byte_for_byte,
    every_example_of_the_seeds_passes_byte_for_byte,
}

/// A gate before a server whose dialect and contract are named.
fn gate(via: Via, dialect: Dialect, contract: &str, options: &[&str]) -> Client {
    let settings = format!("dialect = '{}'\ncontract = '{contract}'\n", dialect.name());
    Client::with_settings(via, &settings, options)
}

/// The line of an answer that has an envelope in the dialect's own place.
fn carried(dialect: Dialect, envelope: &str) -> String {
    if dialect == Dialect::Rpc {
        return format!(r#"{{"jsonrpc":"2.0","id":ID,"error":{envelope}}}"#);
    }
    let text = Value::from(envelope);
    format!(
        r#"{{"jsonrpc":"2.0","id":ID,"result":{{"content":[{{"type":"text","text":{text}}}],"isError":true}}}}"#
    )
}

/// What the client hears when a server answers with an envelope, in the dialect's own place.
fn heard(client: &mut Client, dialect: Dialect, envelope: &str) -> String {
    let params = json!({"name": "replay", "arguments": {"line": carried(dialect, envelope)}});
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    client.write(&format!("{call}\n"));
    let line = client.line();
    let answer: Value = serde_json::from_str(&line).unwrap_or_else(|it| panic!("{it}: {line}"));
    if dialect != Dialect::Rpc {
        return answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    }
    let error = line.trim_end().split_once("\"error\":").unwrap().1;
    match error.split_once(",\"dev.redress/fault\":") {
        // An error of the protocol stays one, with our envelope behind its own data.
        Some((own, _)) => format!("{own}}}}}"),
        None => error.strip_suffix('}').unwrap().to_owned(),
    }
}

/// The envelope of a row, in the dialect's canonical form.
fn written(dialect: Dialect, fault: &Fault) -> String {
    let doc = dialect.write(fault, Stamp { now: "2026-01-19T15:32:10.123Z" });
    if dialect != Dialect::Rpc {
        return doc;
    }
    let error = doc.split_once("\"error\":").unwrap().1;
    error.strip_suffix('}').unwrap().to_owned()
}

/// The same in lines, with members that no contract declares.
fn in_lines(envelope: &str) -> String {
    let mut value: Value = serde_json::from_str(envelope).unwrap();
    value["trace"] = json!({"span": [1, 2.50, null]});
    serde_json::to_string_pretty(&value).unwrap()
}

fn every_code_of_every_seed_passes_byte_for_byte(via: Via) {
    let mut passed = 0;
    for (dialect, contract) in SEEDS {
        let mut client = gate(via, dialect, contract, &["--deadline", "60000"]);
        for row in shipped::get(contract).unwrap().codes.values() {
            let envelope = written(dialect, &Fault::example(row));
            let mut forms = vec![envelope.clone()];
            // A line cannot hold an error in several lines.
            if dialect != Dialect::Rpc {
                forms.push(in_lines(&envelope));
            }
            for form in forms {
                assert_eq!(heard(&mut client, dialect, &form), form, "{}", row.code);
                passed += 1;
            }
        }
    }
    assert!(passed > 300, "{passed}");
}

fn every_example_of_the_seeds_passes_byte_for_byte(via: Via) {
    for (dialect, envelope) in EXAMPLES {
        let contract = SEEDS.iter().find(|it| it.0 == dialect).unwrap().1;
        let mut client = gate(via, dialect, contract, &[]);
        assert_eq!(heard(&mut client, dialect, envelope), envelope);
    }
}

/// What a client of our own dialect is told of a server's envelope.
fn told(dialect: Dialect, envelope: &str, options: &[&str]) -> Value {
    let contract = SEEDS.iter().find(|it| it.0 == dialect).unwrap().1;
    let mut client = gate(Via::Run, Dialect::Native, contract, options);
    let line = carried(dialect, envelope);
    fault(&client.call("replay", &json!({"line": line}))).clone()
}

#[test]
fn seed_000_38_context_and_cause_of_an_envelope_arrive() {
    let told = told(Dialect::AtlasGate, EXAMPLES[0].1, &[]);
    assert_eq!(told["message"], "Session not initialized");
    for (name, value) in [
        ("role", "WINDSURF"),
        ("session_id", "550e8400-e29b-41d4-a716-446655440000"),
        ("workspace_root", "/home/user/project"),
        ("invariant_id", "INV-7"),
        ("phase_id", "PHASE-2"),
        ("plan_hash", "ab12"),
        ("tool", "replay"),
    ] {
        assert_eq!(told["context"][name], value, "{told}");
    }
}

#[test]
fn seed_001_08_and_001_12_details_arrive_as_they_were_sent() {
    let told_ = told(Dialect::Workrail, EXAMPLES[1].1, &[]);
    assert_eq!(told_["details"]["validationIssues"][0]["path"], "a.b", "{told_}");
    assert_eq!(told_["hint"], "Fix the fields.");
    let told_ = told(Dialect::Workrail, EXAMPLES[2].1, &[]);
    assert_eq!(told_["details"]["health"]["kind"], "corrupt_head", "{told_}");
}

#[test]
fn seed_003_22_003_28_003_61_details_session_and_next_arrive() {
    let told = told(Dialect::Stagewright, EXAMPLES[5].1, &[]);
    assert_eq!(told["details"]["last_state"], "hidden", "{told}");
    assert_eq!(told["context"]["session_id"], "s-1");
    assert_eq!(told["next_actions"][0]["tool"], "electron_snapshot");
    assert_eq!(told["similar_refs"][0]["ref"], "e3");
    assert_eq!(told["hint"], "Wait longer.");
}

#[test]
fn seed_002_19_the_domain_that_raised_it_arrives() {
    let told = told(Dialect::Rpc, EXAMPLES[4].1, &[]);
    assert_eq!(told["domain"], "python", "{told}");
}

#[test]
fn without_trust_the_words_of_a_server_stay_quoted() {
    let told = told(Dialect::Stagewright, EXAMPLES[5].1, &["--no-trust"]);
    assert_eq!(told["code"], "WAIT_TIMEOUT");
    assert_ne!(told["message"], "The wait ended");
    assert!(told["context"].get("session_id").is_none(), "{told}");
}

#[test]
fn a_secret_in_an_envelope_is_taken_out_and_the_rest_stays() {
    let mut client = gate(Via::Run, Dialect::Workrail, "workrail", &[]);
    let envelope = r#"{"code":"VALIDATION_ERROR","message":"Token ghp_0123456789abcdefghijABCDEFGHIJ012345 is bad","retry":{"kind":"not_retryable"},"details":{"x":1}}"#;
    let heard = heard(&mut client, Dialect::Workrail, envelope);
    assert!(!heard.contains("ghp_0123"), "{heard}");
    let heard: Value = serde_json::from_str(&heard).unwrap();
    assert_eq!(heard["details"], json!({"x": 1}));
}

/// A credential that its form gives away, one that only the configuration knows, and one that only its name gives away.
const BY_PATTERN: &str = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
const BY_VALUE: &str = "zq81xsupersecretxenv77";
const BY_NAME: &str = "hunter2longvalue";

/// The document with another value in each of its places but those that make it what it is.
fn with_a_value_in_each_place(doc: &Value, value: &Value) -> Vec<Value> {
    const FIXED: [&str; 5] = ["error_code", "code", "symbol", "ok", "error"];
    fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
        let mut inner = |step: &str, value: &Value| {
            let at = format!("{at}/{step}");
            found.push(at.clone());
            pointers(value, &at, found);
        };
        match value {
            Value::Object(members) => members.iter().for_each(|(key, it)| inner(key, it)),
            Value::Array(all) => {
                all.iter().enumerate().for_each(|(n, it)| inner(&n.to_string(), it));
            }
            _ => (),
        }
    }
    let mut found = Vec::new();
    pointers(doc, "", &mut found);
    found.retain(|it| !FIXED.iter().any(|fixed| *it == format!("/{fixed}")));
    let changed = |at: &String| {
        let mut doc = doc.clone();
        *doc.pointer_mut(at).unwrap() = value.clone();
        doc
    };
    found.iter().map(changed).collect()
}

/// The document with members that no dialect has.
fn with_other_members(doc: &Value, secret: &str) -> Vec<Value> {
    let others = [
        ("_x", json!({"a": secret})),
        ("_x", json!({"/message": secret})),
        ("_x", json!({"domain": secret, "context": {"role": secret}})),
        ("zz", json!([{"a": secret}])),
        (secret, json!(1)),
        ("zz", json!({secret: [1]})),
        ("password", json!(BY_NAME)),
        ("zz", json!({"upstream": {"data": secret}})),
        ("details", json!({"upstream": {"data": secret, "useless_sample": secret}})),
        ("next_actions", json!([format!("{secret}()"), {"tool": secret}])),
    ];
    let with = |holder: &str| {
        others.clone().map(|(key, value)| {
            let mut doc = doc.clone();
            doc.pointer_mut(holder).unwrap()[key] = value;
            doc
        })
    };
    let holders = ["", "/data"].into_iter().filter(|it| doc.pointer(it).is_some());
    holders.flat_map(with).collect()
}

#[test]
fn no_part_of_an_own_envelope_tells_a_secret() {
    let settings = format!("env = {{ API_TOKEN = '{BY_VALUE}' }}\n");
    let mut looked_at = 0;
    for (dialect, envelope) in EXAMPLES {
        let contract = SEEDS.iter().find(|it| it.0 == dialect).unwrap().1;
        for heard_in in [dialect, Dialect::Native] {
            let names =
                format!("{settings}dialect = '{}'\ncontract = '{contract}'\n", heard_in.name());
            let mut client = Client::with_settings(Via::Run, &names, &[]);
            let doc: Value = serde_json::from_str(envelope).unwrap();
            for secret in [BY_PATTERN, BY_VALUE] {
                let values = [json!(secret), json!(format!("tok {secret} x")), json!([secret])];
                let places = values.iter().flat_map(|it| with_a_value_in_each_place(&doc, it));
                for form in places.chain(with_other_members(&doc, secret)) {
                    let line = carried(dialect, &form.to_string());
                    let answer = client.call("replay", &json!({"line": line})).to_string();
                    for secret in [BY_PATTERN, BY_VALUE, BY_NAME] {
                        assert!(!answer.contains(secret), "{secret} of {form}: {answer}");
                    }
                    looked_at += 1;
                }
            }
        }
    }
    assert!(looked_at > 500, "{looked_at}");
}

#[test]
fn ids_and_hashes_of_an_own_envelope_are_no_secrets() {
    let mut client = gate(Via::Run, Dialect::AtlasGate, "atlas-gate", &[]);
    let plan = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    let envelope = EXAMPLES[0].1.replace("ab12", plan);
    assert_eq!(heard(&mut client, Dialect::AtlasGate, &envelope), envelope);
    let answer = client.call("replay", &json!({"line": carried(Dialect::AtlasGate, &envelope)}));
    assert_eq!(fault(&answer)["context"]["plan_hash"], plan, "{answer}");
}

/// A contract of a server's own that takes `core` in.
const NOTES: &str = r#"
format = "redress-registry/1"
[registry]
name = "notes"
version = "0.1.0"
extends = ["core"]
[domain.notes]
title = "Notes"
range = [5000, 5099]
[defaults]
severity = "error"
stability = "draft"
effect = "none"
since = "0.1.0"
[code.NOTE_LOCKED]
number = 5000
domain = "notes"
class = "failed_precondition"
retry = "after_state"
title = "Note locked"
message = "The note is locked."
hint = "Unlock it."
explain = "Another editor holds the note."
"#;

#[test]
fn the_open_proposal_passes_with_a_contract_that_takes_core_in() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("errors.toml");
    std::fs::write(&file, NOTES).unwrap();
    let mut client = gate(Via::Run, Dialect::ToolFailure, file.to_str().unwrap(), &[]);
    for code in ["note_locked", "file_not_found"] {
        let own = json!({"class": "capability", "code": code, "retryable": false,
            "correlationId": "c-17", "agentGuidance": "Ask Ann to close it."});
        let result = json!({"content": [{"type": "text", "text": "It failed."}], "isError": true,
            "_meta": {"io.modelcontextprotocol/toolFailure": own}});
        let line = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{result}}}"#);
        let answer = client.call("replay", &json!({"line": line}));
        let heard = &answer["result"]["_meta"]["io.modelcontextprotocol/toolFailure"];
        assert_eq!(heard, &own, "{answer}");
        assert_eq!(fault(&answer)["code"], code.to_uppercase(), "{answer}");
    }
}

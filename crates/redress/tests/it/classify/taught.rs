//! Rows of a contract that say what answers mean.

use std::sync::Arc;

use redress::{
    classify::{Tier, Verdict, classify},
    outcome::{Asked, Outcome, What},
};
use redress_registry::{
    Effect, Registry, RetryKind, shipped,
    taught::{Taught, Teachings},
};
use redress_wire::json::{Doc, Limits};
use serde_json::{Value, json};

fn taught(rows: Vec<Taught>) -> Registry {
    let core = shipped::core();
    let matches = Teachings::new(rows, |it| core.get(it).is_some()).unwrap();
    Registry { matches: Arc::new(matches), ..Registry::clone(core) }
}

fn judge(registry: &Registry, answer: &Value) -> Verdict {
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": answer}).to_string();
    let doc = Doc::parse(answer.as_bytes(), Limits::DOCUMENT).unwrap();
    let tool = Some("get_order".into());
    let asked = Asked { method: Some("tools/call".into()), tool, ..Asked::default() };
    classify(&asked, &Outcome::of(What::Answer(doc.root())), registry)
}

fn result(text: &str, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

#[test]
fn a_row_names_a_failure_before_any_other_evidence() {
    let row = Taught {
        pattern: Some(r"No file (?P<path>[^,]+)".to_owned()),
        tool: Some("get_*".to_owned()),
        code: "FILE_NOT_FOUND".to_owned(),
        example: Some("No file a.txt, timed out".to_owned()),
        ..Taught::default()
    };
    let registry = taught(vec![row]);
    let text = "No file b.txt, timed out";
    let Verdict::Failure(it) = judge(&registry, &result(text, true)) else { panic!() };
    assert_eq!((it.fault.code(), it.tier, &*it.rule), ("FILE_NOT_FOUND", Tier::Taught, "match 1"));
    assert_eq!(it.fault.message, "No file at \"b.txt\".");
    assert_eq!((it.fault.effect, it.fault.retry.kind), (Effect::None, RetryKind::AfterChange));
    let Verdict::Failure(it) = judge(shipped::core(), &result(text, true)) else { panic!() };
    assert_eq!((it.fault.code(), it.tier), ("TIMEOUT", Tier::Prose));
    assert_eq!(judge(&registry, &result(text, false)), Verdict::Success, "it is not silent");
}

#[test]
fn a_row_keeps_what_a_form_tells_of_the_arguments() {
    let text = "Error executing tool get_order: 1 validation error for get_orderArguments\nid\n  Input should be a valid string [type=string_type, input_value=7, input_type=int]";
    let row = |code: &str| Taught {
        text: Some("Error executing tool *".to_owned()),
        code: code.to_owned(),
        example: Some(text.to_owned()),
        ..Taught::default()
    };
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_order", "arguments": {"id": 7}}}).to_string();
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": result(text, true)}).to_string();
    let [request, answer] =
        [&request, &answer].map(|it| Doc::parse(it.as_bytes(), Limits::DOCUMENT).unwrap());
    let asked = Asked {
        request: Some(request.root()),
        method: Some("tools/call".into()),
        tool: Some("get_order".into()),
        ..Asked::default()
    };
    let judged = |registry: &Registry| match classify(
        &asked,
        &Outcome::of(What::Answer(answer.root())),
        registry,
    ) {
        Verdict::Failure(it) => it,
        Verdict::Success => panic!(),
    };
    let form = judged(shipped::core());
    let same = judged(&taught(vec![row("INVALID_INPUT_TYPE")]));
    assert_eq!((form.tier, same.tier), (Tier::Format, Tier::Taught));
    assert_eq!(same.fault.violations, form.fault.violations);
    assert_eq!(same.fault.violations.len(), 1);
    let other = judged(&taught(vec![row("TIMEOUT")]));
    assert_eq!((other.fault.code(), other.fault.violations.len()), ("TIMEOUT", 0));
}

#[test]
fn a_silent_row_makes_a_success_a_failure_and_nothing_else() {
    let row = Taught {
        json: [("/order/state".to_owned(), json!("rejected"))].into(),
        code: "CONFLICT".to_owned(),
        silent: true,
        example: Some(r#"{"order":{"state":"rejected"}}"#.to_owned()),
        ..Taught::default()
    };
    let registry = taught(vec![row]);
    let text = r#"{"order":{"state":"rejected","id":7}}"#;
    for answer in [
        result(text, false),
        json!({"content": [], "structuredContent": {"order": {"state": "rejected"}}}),
    ] {
        let Verdict::Failure(it) = judge(&registry, &answer) else { panic!("{answer}") };
        assert!(it.silent && it.certain, "{answer}");
        assert_eq!((it.fault.code(), &*it.rule), ("CONFLICT", "silent+match 1"));
    }
    let fine = result(r#"{"order":{"state":"paid"}}"#, false);
    assert_eq!(judge(&registry, &fine), Verdict::Success);
    assert_eq!(judge(shipped::core(), &result(text, false)), Verdict::Success);
}

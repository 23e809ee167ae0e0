//! A failed call as the client receives it, byte for byte.

use redress::{
    Dialect, Fault, codes,
    dialect::Stamp,
    dialect::wire::{Answer, FAULT_KEY, response, rpc_error, tool_result},
};
use redress_wire::json::{Doc, Limits, RawJson};
use serde_json::Value;

use crate::{arbitrary::raw, golden::example};

fn answer(dialect: Dialect) -> Answer<'static> {
    let stamp = Stamp { now: "2026-01-19T15:32:10.123Z" };
    Answer { dialect, has_output_schema: false, stamp, meta: None, said: None }
}

fn result(fault: &Fault, answer: Answer<'_>) -> Value {
    serde_json::from_str(&tool_result(fault, answer)).unwrap()
}

fn fault() -> Fault {
    example(codes::FILE_NOT_FOUND.entry())
}

#[test]
fn every_dialect_has_its_answer() {
    let lines: String =
        Dialect::ALL.iter().map(|it| response(&fault(), "\"a-1\"", answer(*it)) + "\n").collect();
    insta::assert_snapshot!(lines);
}

#[test]
fn the_text_is_enough_alone_and_the_envelope_is_beside_it() {
    for dialect in Dialect::ALL {
        let it = result(&fault(), answer(dialect));
        let text = it["content"][0]["text"].as_str().unwrap();
        assert_eq!(it["isError"], true);
        assert_eq!(it["_meta"][FAULT_KEY]["code"], "FILE_NOT_FOUND");
        match dialect {
            Dialect::Native | Dialect::Rpc | Dialect::ToolFailure => {
                assert!(text.starts_with("FILE_NOT_FOUND: No file at"), "{text}");
            }
            _ => assert_eq!(text, dialect.write(&fault(), answer(dialect).stamp)),
        }
    }
}

#[test]
fn what_others_wrote_stays_beside_the_failure() {
    let others = br#"{"a":1,"dev.redress/fault":{"code":"FORGED"}}"#;
    let others = RawJson::parse(others).unwrap();
    for dialect in Dialect::ALL {
        let it = result(&fault(), Answer { meta: Some(&others), ..answer(dialect) });
        assert_eq!(it["_meta"]["a"], 1);
        assert_eq!(it["_meta"][FAULT_KEY]["code"], "FILE_NOT_FOUND");
    }
}

#[test]
fn structured_content_is_sent_only_without_an_output_schema() {
    for dialect in Dialect::ALL {
        let free = result(&fault(), answer(dialect));
        let bound = result(&fault(), Answer { has_output_schema: true, ..answer(dialect) });
        let sends = matches!(dialect, Dialect::Native | Dialect::AtlasGate | Dialect::Stagewright);
        assert_eq!(free.get("structuredContent").is_some(), sends, "{}", dialect.name());
        assert!(bound.get("structuredContent").is_none());
    }
}

#[test]
fn a_long_stagewright_answer_is_text_only() {
    let mut fault = fault();
    fault.details = Some(raw(&format!("{{\"log\":\"{}\"}}", "x".repeat(60_000))));
    let it = result(&fault, answer(Dialect::Stagewright));
    assert!(it.get("structuredContent").is_none());
    assert!(it["content"][0]["text"].as_str().unwrap().len() > 60_000);
}

#[test]
fn a_workrail_suggestion_is_at_most_512_bytes() {
    let mut fault = fault();
    fault.hint = "é".repeat(400);
    let it = result(&fault, answer(Dialect::Workrail));
    let text: Value = serde_json::from_str(it["content"][0]["text"].as_str().unwrap()).unwrap();
    let suggestion = text["suggestion"].as_str().unwrap();
    assert!(suggestion.len() <= 512 && suggestion.ends_with("..."), "{suggestion}");
}

#[test]
fn another_method_fails_with_a_json_rpc_error() {
    let number = |fault: &Fault| {
        let text = rpc_error(fault, Some("7"));
        let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
        let error = doc.root().get("error").unwrap();
        assert!(error.path(&["data", FAULT_KEY, "code"]).unwrap().is_str(fault.code()));
        error.get("code").unwrap().as_i64()
    };
    assert_eq!(number(&codes::METHOD_NOT_FOUND.raise([("method", "x/y")])), Some(-32601));
    assert_eq!(number(&Fault::of(codes::PARSE_FAILED.entry())), Some(-32700));
    assert_eq!(
        number(&Fault::of(codes::OVERLOADED.entry())),
        codes::OVERLOADED.entry().number.map(i64::from)
    );
    assert_eq!(number(&fault()), codes::FILE_NOT_FOUND.entry().number.map(i64::from));
}

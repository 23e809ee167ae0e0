//! What an answer must say: the envelope, and the four things that a caller decides by.

use serde_json::Value;

use super::Client;

/// The envelope of an answer, wherever it stands.
pub(crate) fn envelope(answer: &Value) -> Option<&Value> {
    let fault = answer.pointer("/result/_meta/dev.redress~1fault");
    fault.or_else(|| answer.pointer("/error/data/dev.redress~1fault"))
}

/// The envelope of an answer that is a failure.
pub(crate) fn fault(answer: &Value) -> &Value {
    envelope(answer).unwrap_or_else(|| panic!("no envelope: {answer}"))
}

/// Asserts the four things that a caller decides by, and that the failure is recorded.
pub(crate) fn assert_fault(answer: &Value, code: &str, retry: &str, effect: &str, origin: &str) {
    assert_told(answer, code, retry, effect, origin);
    assert!(fault(answer)["ledger"]["seq"].is_u64(), "no receipt: {answer}");
}

/// The same of a failure that may only be counted in the ledger.
pub(crate) fn assert_told(answer: &Value, code: &str, retry: &str, effect: &str, origin: &str) {
    let fault = fault(answer);
    let of = |key: &str| fault[key].as_str().unwrap_or_default();
    let seen = (
        of("code"),
        fault["retry"]["kind"].as_str().unwrap_or_default(),
        of("effect"),
        of("origin"),
    );
    assert_eq!(seen, (code, retry, effect, origin), "{answer}");
    if answer.get("result").is_some() {
        assert_eq!(answer["result"]["isError"], true);
        let card = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(card.starts_with(&format!("{code}: ")), "{card}");
    }
}

/// Asserts that a call succeeds.
pub(crate) fn assert_works(client: &mut Client) {
    let answer = client.say(&[
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}"#,
    ]);
    assert_eq!(answer["result"]["content"][0]["text"], "fine", "{answer}");
}

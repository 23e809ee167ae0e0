//! Whatever it is given, classification gives a verdict, and the same one again.

use proptest::prelude::{Strategy, any, prop, prop_assert_eq, proptest};
use redress::classify::line;
use redress_registry::shipped;
use serde_json::json;

use super::judge;

/// Texts that look like failures often enough to reach every rule.
fn texts() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "Error",
        "executing",
        "tool",
        "not found",
        ": ",
        "\n",
        "{\"error\":\"",
        "\"}",
        "404",
        "ENOENT",
        "'",
        "../x",
        "é",
        "Traceback (most recent call last)",
        "at ",
        "success",
        "[",
        "\u{202e}",
        "retry after 9999999999999999999",
    ]);
    prop::collection::vec(
        prop::strategy::Union::new([
            words.prop_map(str::to_owned).boxed(),
            any::<String>().boxed(),
        ]),
        0..12,
    )
    .prop_map(|it| it.concat())
}

proptest! {
    #[test]
    fn any_bytes_give_a_verdict_or_an_error(bytes in any::<Vec<u8>>()) {
        let mut out = Vec::new();
        let first = line(&bytes, shipped::core(), &mut out);
        let mut again = Vec::new();
        prop_assert_eq!(line(&bytes, shipped::core(), &mut again), first);
        prop_assert_eq!(out, again);
    }

    #[test]
    fn any_text_in_any_place_gives_the_same_verdict_twice(
        text in texts(), tool in texts(), argument in texts(), stderr in texts(), flagged: bool,
    ) {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": {"path": argument, "list": [argument, 5]}}});
        let result = json!({"content": [{"type": "text", "text": text}], "isError": flagged});
        let raw = json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
        let answered = json!({"id": 1, "request": request, "raw": raw, "stderr_tail": stderr});
        let http = json!({"id": 1, "request": request, "http": {"status": 400, "headers": {}, "body": text}});
        let broken = json!({"id": 1, "request": {"raw": argument}, "raw": text});
        for input in [answered, http, broken] {
            let input = input.to_string();
            prop_assert_eq!(judge(&input), judge(&input));
        }
    }
}

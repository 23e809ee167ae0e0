//! Starts of long texts and documents: secrets go before the rest is cut off.

use crate::redact::redactor::{MOST, Redactor};
use redress_wire::json::RawJson;

/// What is kept of each.
const KEEP: usize = 4 << 10;

/// A text of this length, which holds no secret.
fn words(length: usize) -> String {
    "lorem ipsum ".chars().cycle().take(length).collect()
}

/// What a server answers when a tool fails with this text.
fn answer(text: &str) -> String {
    let text = RawJson::string(text);
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#
    )
}

/// Where secrets stand that a cut goes through, that stand before it, and behind it.
const PLACES: [usize; 6] = [0, KEEP - 300, KEEP - 100, KEEP - 40, 3 * KEEP - 300, 3 * KEEP - 100];

fn assert_goes(line: &str) {
    let clean = Redactor::default().start(line.as_bytes(), KEEP);
    assert!(!clean.contains("Zq9") && !clean.contains("corgi"), "{clean}");
    assert!(clean.len() <= KEEP, "{}", clean.len());
}

#[test]
fn a_secret_goes_wherever_the_cut_is() {
    let secret = format!("Zq91{}", "corgi7tail".repeat(20));
    for form in [
        "postgres://u:§@h/db ",
        "<password>§</password> ",
        "token: ghp_§ ",
        "Authorization: Bearer §\n",
    ] {
        for before in PLACES {
            let text = words(before) + " " + &form.replace('§', &secret) + &words(4 * KEEP);
            assert_goes(&text);
            assert_goes(&answer(&text));
        }
    }
}

#[test]
fn a_secret_of_a_document_goes_wherever_the_cut_is() {
    let secret = format!("Zq91{}", "corgi7tail".repeat(20));
    for form in [
        r#""env":[{"name":"DB_PASSWORD","value":"§"}]"#,
        r#""tokens":{"bob":"§","n":1}"#,
        r#""args":["--password","§"]"#,
        r#""url":"postgres://u:§@h/db""#,
    ] {
        for before in PLACES {
            let (pad, form) = (words(before), form.replace('§', &secret));
            let rest = words(4 * KEEP);
            let document = format!(r#"{{"error":"boom","pad":"{pad}",{form},"rest":"{rest}"}}"#);
            assert_goes(&document);
            assert_goes(&answer(&document));
        }
    }
}

#[test]
fn what_names_hide_goes_from_a_document_that_was_cut() {
    let redactor = Redactor::default();
    for (text, clean) in [
        (r#"{"secret":{"x":"hunter","y":["zeb"#, r#"{"secret":{"x":"[redacted]","y":["[redacted]"#),
        (r#"{"a":"b","password":12"#, r#"{"a":"b","password":"[redacted]""#),
        (r#"{"tokens":{"bob":"hunter"},"na"#, r#"{"tokens":{"bob":"[redacted]"},"na"#),
        (r#"{"text":"{\"tokens\":{\"bob\":\"hun"#, r#"{"text":"{\"tokens\":{\"bob\":\"[redacted]"#),
        ("{User:bob Password:hunterZ99", "{User:bob Password:[redacted]"),
        (r#"{"a":"b","c":[1,2],"d"#, r#"{"a":"b","c":[1,2],"d"#),
    ] {
        assert_eq!(redactor.text(text), clean);
        assert_eq!(redactor.text(clean), clean);
    }
}

#[test]
fn the_start_of_a_long_answer_can_be_read() {
    let redactor = Redactor::default();
    let clean = redactor.start(answer(&words(64 << 10)).as_bytes(), KEEP);
    assert!(clean.starts_with(
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"lorem "#
    ));
    assert!(clean.len() > KEEP / 2, "{clean}");
    assert_eq!(redactor.start(b"short \xff", KEEP), "short \u{fffd}");
    assert!(redactor.text(&answer(&words(2 * MOST))).len() > MOST / 2);
}

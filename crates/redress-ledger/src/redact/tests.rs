//! What goes and what stays, in texts and in documents.

use proptest::{
    prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest},
    sample::select,
};
use redress::json::RawJson;

use super::{MOST, Redactor};

fn json(redactor: &Redactor, text: &str) -> String {
    redactor.json(&RawJson::parse(text.as_bytes()).unwrap()).to_string()
}

#[test]
fn a_known_value_goes_in_every_form() {
    let redactor = Redactor::new(["correct horse/battery", "short", "  "]);
    for text in [
        "it was correct horse/battery.",
        "it was CORRECT HORSE/BATTERY.",
        "it was correct%20horse%2Fbattery.",
        "it was Y29ycmVjdCBob3JzZS9iYXR0ZXJ5.",
        "it was 636f727265637420686f7273652f62617474657279.",
    ] {
        assert_eq!(redactor.text(text), "it was [redacted].", "{text}");
    }
    assert_eq!(redactor.text("a short word"), "a short word");
    assert_eq!(
        json(&Redactor::new(["12345678"]), r#"{"a":12345678,"b":1.0}"#),
        r#"{"a":"[redacted]","b":1.0}"#
    );
}

#[test]
fn variables_are_known_by_their_names() {
    let redactor = Redactor::of_variables([
        ("GITHUB_TOKEN", "value-one"),
        ("HOME", "/home/me"),
        ("PORT", "value-two"),
    ]);
    assert_eq!(redactor.text("value-one value-two /home/me"), "[redacted] value-two /home/me");
}

#[test]
fn names_in_documents_hide_their_values() {
    let plain = Redactor::default();
    let cases = [
        (r#"{"author":"Jane","max_tokens":5}"#, r#"{"author":"Jane","max_tokens":5}"#),
        (
            r#"{"tokens":["abc","def"],"n":1e2}"#,
            r#"{"tokens":["[redacted]","[redacted]"],"n":1e2}"#,
        ),
        (r#"{"tokens":[1,2]}"#, r#"{"tokens":[1,2]}"#),
        (r#"{"list":["ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]}"#, r#"{"list":["[redacted]"]}"#),
        (r#"{"password":12345}"#, r#"{"password":"[redacted]"}"#),
        (
            r#"{"credentials":{"user":"u","n":1}}"#,
            r#"{"credentials":{"user":"[redacted]","n":"[redacted]"}}"#,
        ),
        (r#"["run","--api-key","abc","x"]"#, r#"["run","--api-key","[redacted]","x"]"#),
        (r#"{"text":"{\"secret\": \"a b\"}"}"#, r#"{"text":"{\"secret\":\"[redacted]\"}"}"#),
    ];
    for (text, expected) in cases {
        assert_eq!(json(&plain, text), expected);
    }
}

#[test]
fn a_cut_leaves_no_piece_of_a_secret() {
    let secret = "S3cr3tValue".repeat(10);
    let redactor = Redactor::new([&secret]);
    for into in [1, 20, 60, secret.len() - 1] {
        let text = "x".repeat(MOST - into) + &secret;
        let clean = redactor.text(&text);
        assert!(clean.len() <= MOST + 3);
        assert!(!clean.contains("S3c"), "cut {into} bytes into it");
    }
}

#[test]
fn hostile_texts_cost_no_more_than_their_length() {
    let redactor = Redactor::new(["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"]);
    let start = std::time::Instant::now();
    for piece in [
        "token",
        "a",
        "://",
        "eyJ",
        "-----BEGIN ",
        "\"",
        "\\",
        "password=",
        "sk-",
        "{\"a\":",
        "--token ",
    ] {
        redactor.text(&piece.repeat(MOST / piece.len()));
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// Pieces of texts that rules look at, and anything.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "correct-horse-battery",
        "password=",
        "token: ",
        "\"api_key\":\"",
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "--secret ",
        "Bearer ",
        "https://u:",
        "@h/",
        "eyJhbGciOiJIUzI1NiJ9",
        ".eyJzdWIiOiIxIn0",
        "-----BEGIN PRIVATE KEY-----",
        "[redacted]",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "\\",
        "\n",
        "null",
        "x9",
    ];
    prop_oneof![4 => select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

#[test]
fn what_a_secret_hid_goes_too() {
    let redactor = Redactor::new(["correct-horse-battery"]);
    for text in [
        "-----BEGIN ghp_16C7e42F292c6912E7710c838347Ae178B4a  PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
        "{\"Authorization\":\"B\0asic dXNlcj`jb3JyZWN0LWhvcnNlLWJhdHRlcnk=\"}",
    ] {
        let once = redactor.text(text);
        assert_eq!(redactor.text(&once), once, "{text}");
    }
}

proptest! {
    #[test]
    fn redacting_twice_is_redacting_once(parts in proptest::collection::vec(piece(), 0..12)) {
        let redactor = Redactor::new(["correct-horse-battery"]);
        let text = parts.concat();
        let once = redactor.text(&text);
        prop_assert!(!once.contains("correct-horse-battery"));
        prop_assert_eq!(redactor.text(&once), once);
        let quoted = redactor.json(&RawJson::string(&text));
        prop_assert_eq!(redactor.json(&quoted), quoted);
    }

    #[test]
    fn a_known_value_is_nowhere_in_what_is_left(before in any::<String>(), after in any::<String>(), value in "[A-Za-z0-9+/]{8,40}") {
        let redactor = Redactor::new([&value]);
        let clean = redactor.text(&format!("{before}{value}{after}"));
        prop_assert!(!clean.contains(&value));
        let quoted = RawJson::string(&format!("{before}{value}{after}"));
        prop_assert!(!redactor.json(&quoted).as_str().contains(&value));
    }
}

//! What goes and what stays, in texts and in documents.

use proptest::{
    prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest},
    sample::select,
};
use rustix::time::{ClockId, clock_gettime};

use crate::redact::redactor::{MOST, Redactor};
use redress_wire::json::RawJson;

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
fn a_known_value_goes_however_it_is_escaped() {
    let value = "K7/b&<p>'ä\"(9)*!";
    let redactor = Redactor::new([value]);
    for written in [
        r#"K7/b&<p>'ä\"(9)*!"#,
        r#"K7\/b&<p>'ä\"(9)*!"#,
        r#"K7/b\u0026\u003cp\u003e'\u00E4\"(9)*!"#,
        r#"K7\\/b\\u0026\\u003cp\\u003e'\\u00e4\\\"(9)*!"#,
        "K7%2Fb%26%3Cp%3E'%C3%A4%22(9)*!",
        "K7/b%26%3cp%3e%27%c3%a4%22%289%29%2a%21",
        "%4B%37%2F%62%26%3C%70%3E%27%C3%A4%22%28%39%29%2A%21",
        "%254B7%252Fb%2526%253Cp%253E'%25C3%25A4%2522(9)*!",
        "K7/b&amp;&lt;p&gt;&#39;ä&quot;(9)*!",
        "K7&#x2F;b&amp;&lt;p&gt;&apos;&#228;&quot;(9)*!",
        r"K7/b\x26<p>\'\xc3\xa4\x22(9)*!",
    ] {
        let text = format!("100%: \\ä {written}&c.");
        assert_eq!(redactor.text(&text), "100%: \\ä [redacted]&c.", "{text}");
    }
    let spaced = Redactor::new(["correct horse/battery"]);
    assert_eq!(spaced.text("?q=correct+horse%2Fbattery"), "?q=[redacted]");
}

/// A letter in one of the ways in which texts escape it.
fn escaped(letter: char, way: u8) -> String {
    let bytes =
        |spell: fn(&u8) -> String| letter.to_string().as_bytes().iter().map(spell).collect();
    match way {
        0 => bytes(|it| format!("%{it:02X}")),
        1 => bytes(|it| format!("%{it:02x}")),
        2 => bytes(|it| format!("\\x{it:02x}")),
        3 => unicode(letter),
        4 => format!("&#{};", u32::from(letter)),
        5 if letter.is_ascii_punctuation() => format!("\\{letter}"),
        _ => letter.to_string(),
    }
}

/// A letter as JSON escapes it.
fn unicode(letter: char) -> String {
    let mut units = [0; 2];
    let units = letter.encode_utf16(&mut units).iter().map(|it| format!("\\u{it:04x}"));
    units.collect::<Vec<_>>().concat()
}

#[test]
fn a_known_value_with_escapes_of_its_own_goes_too() {
    let redactor = Redactor::new([r"50%41&amp;\n\x"]);
    for written in [r"50%41&amp;\n\x", r"50%41&amp;\\n\\x", "50%2541%26amp%3B%5Cn%5Cx", "50A&\n\\x"]
    {
        assert_eq!(redactor.text(&format!("<{written}>")), "<[redacted]>");
    }
}

#[test]
fn a_password_is_known_where_a_login_stands() {
    let redactor = Redactor::of_variables([
        ("DATABASE_URL", "postgres://app:hunt%40er22@db/x"),
        ("HTTP_AUTHORIZATION", "Basic dXNlcjpsZXQtbWUtaW4="),
    ]);
    for (text, clean) in [
        ("no hunt%40er22 or hunt@er22", "no [redacted] or [redacted]"),
        ("no let-me-in", "no [redacted]"),
        ("no dXNlcjpsZXQtbWUtaW4=", "no [redacted]"),
        ("postgres://app@db/x", "postgres://app@db/x"),
    ] {
        assert_eq!(redactor.text(text), clean);
    }
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
        (
            r#"{"password":{"type":"string","minLength":8},"tokens":[{"text":"Hello"}]}"#,
            r#"{"password":{"type":"string","minLength":8},"tokens":[{"text":"Hello"}]}"#,
        ),
        (
            r#"{"password":{"_errors":["Required"]},"secret":["is too short"]}"#,
            r#"{"password":{"_errors":["Required"]},"secret":["is too short"]}"#,
        ),
        (
            r#"{"tokens":{"access":"abc123","type":"bearer","code":"a1b2c3d4"}}"#,
            r#"{"tokens":{"access":"[redacted]","type":"bearer","code":"[redacted]"}}"#,
        ),
        (r#"["run","--api-key","abc","x"]"#, r#"["run","--api-key","[redacted]","x"]"#),
        (r#"{"text":"{\"secret\": \"a b\"}"}"#, r#"{"text":"{\"secret\":\"[redacted]\"}"}"#),
    ];
    for (text, expected) in cases {
        assert_eq!(json(&plain, text), expected);
    }
}

#[test]
fn names_that_are_values_hide_what_stands_beside_them() {
    let plain = Redactor::default();
    let cases = [
        (
            r#"{"env":[{"name":"DB_PASSWORD","value":"hunter"}]}"#,
            r#"{"env":[{"name":"DB_PASSWORD","value":"[redacted]"}]}"#,
        ),
        (r#"{"value":"hunter","key":"x-api-key"}"#, r#"{"value":"[redacted]","key":"x-api-key"}"#),
        (
            r#"{"h":["Host","x","x-api-key","hunterZ99"]}"#,
            r#"{"h":["Host","x","x-api-key","[redacted]"]}"#,
        ),
        (r#"{"name":"author","value":"Jane 9"}"#, r#"{"name":"author","value":"Jane 9"}"#),
        (
            r#"{"loc":["body","password"],"msg":"too short","input":"corgi"}"#,
            r#"{"loc":["body","password"],"msg":"too short","input":"[redacted]"}"#,
        ),
        (
            r#"{"path":["password"],"expected":"string","received":"undefined"}"#,
            r#"{"path":["password"],"expected":"string","received":"undefined"}"#,
        ),
        (r#"{"path":["a"],"received":"corgi"}"#, r#"{"path":["a"],"received":"corgi"}"#),
        (r#"{"kty":"RSA","n":"0v","d":"X4c"}"#, r#"{"kty":"RSA","n":"0v","d":"[redacted]"}"#),
        (r#"{"n":"0v","d":"X4c"}"#, r#"{"n":"0v","d":"X4c"}"#),
        (r#"{"required":["password","email"]}"#, r#"{"required":["password","email"]}"#),
    ];
    for (text, expected) in cases {
        assert_eq!(json(&plain, text), expected);
    }
}

#[test]
fn a_known_value_of_several_lines_goes_line_by_line() {
    let redactor = Redactor::of_variables([("MY_SECRET", "first-half-Z99\nsecond-half-Z99")]);
    for (text, clean) in [
        ("first-half-Z99", "[redacted]"),
        ("2026 INFO   second-half-Z99 x", "2026 INFO   [redacted] x"),
        ("first-half-Z99\\nsecond-half-Z99", "[redacted]"),
    ] {
        assert_eq!(redactor.text(text), clean);
    }
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----";
    let redactor = Redactor::of_variables([("TLS_PRIVATE_KEY", key)]);
    assert_eq!(redactor.text("MIIEvQIBADANBgkq\n  hkiG9w0BAQEFAASC"), "[redacted]\n  [redacted]");
    let other = key.replace("MII", "XYZ");
    assert!(!redactor.text(&other).contains("XYZ"), "the lines around a key stay known as such");
}

#[test]
fn parts_of_known_values_go_alone() {
    let redactor = Redactor::of_variables([
        ("BASIC_AUTH", "bob:hunter2Z"),
        ("DATABASE_URL", "postgres://app:hun#ter2Zeb@db/x"),
    ]);
    assert_eq!(redactor.text("no hunter2Z, no hun#ter2Zeb"), "no [redacted], no [redacted]");
    for header in [
        "session=hunter2Z; a=b",
        "Token token=hunter2Z",
        "Digest username=\"x\", response=\"hunter2Z\"",
        "Bearer hunter2Z",
    ] {
        let redactor = Redactor::new(Redactor::secrets_of_header(header));
        assert_eq!(
            redactor.text("key hunter2Z was rejected"),
            "key [redacted] was rejected",
            "{header}"
        );
    }
}

#[test]
fn a_value_that_says_nothing_is_not_known() {
    let redactor = Redactor::of_variables([
        ("GOOGLE_APPLICATION_CREDENTIALS", "/home/me/key.json"),
        ("SECRETS_DIR", "/run/here"),
        ("AUTH", "enabled"),
    ]);
    let text = "enabled: open '/home/me/key.json' in /run/here";
    assert_eq!(redactor.text(text), text);
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
    let escaped = secret.chars().map(unicode).collect::<Vec<_>>().concat();
    let clean = redactor.text(&("x".repeat(MOST - escaped.len() + 1) + &escaped));
    assert!(!clean.contains("\\u0053"), "{}", clean.len());
}

#[test]
fn hostile_texts_cost_no_more_than_their_length() {
    let redactor = Redactor::new(["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"]);
    let start = clock_gettime(ClockId::ThreadCPUTime);
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
        "%25",
        "&amp;",
        "\\u005c",
        "token=[\"",
        "<token>",
        "token=[ ]",
        "auth.",
        "key-",
        "\u{1b}[",
    ] {
        redactor.text(&piece.repeat(MOST / piece.len()));
    }
    let spent = clock_gettime(ClockId::ThreadCPUTime) - start;
    assert!(spent.tv_sec < 20, "{spent:?}");
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
    fn each_letter_may_be_escaped_in_its_own_way(letters in proptest::collection::vec((select("aZ9/+\"'<>-ä€😀".chars().collect::<Vec<_>>()), 0..7_u8), 8..20)) {
        let redactor = Redactor::new([letters.iter().map(|it| it.0).collect::<String>()]);
        let written: String = letters.iter().map(|it| escaped(it.0, it.1)).collect();
        prop_assert_eq!(redactor.text(&format!("({written})")), "([redacted])");
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

//! What is found in texts, and what stays.

use proptest::prelude::{any, prop_assert, proptest};

use super::{Secrecy, find, secrecy};

fn hidden(text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for range in find(text) {
        out.push_str(&text[at..range.start]);
        out.push('§');
        at = range.end;
    }
    out + &text[at..]
}

#[test]
fn credentials_of_known_services_are_found() {
    let a = |count: usize| "a1B2".repeat(count);
    let cases = [
        ("bad key AKIAIOSFODNN7EXAMPLE here".to_owned(), "bad key § here".to_owned()),
        (format!("ghp_{}", a(9)), "§".to_owned()),
        (format!("[github_pat_11AAA_{}]", a(12)), "[§]".to_owned()),
        (format!("xoxb-123456789012-{}", a(6)), "§".to_owned()),
        (format!("key sk_live_{}.", a(6)), "key §.".to_owned()),
        (
            format!("Incorrect API key provided: sk-proj-{}", a(8)),
            "Incorrect API key provided: §".to_owned(),
        ),
        (format!("sk-ant-api03-{}", a(20)), "§".to_owned()),
        (format!("AIza{}", "x".repeat(35)), "§".to_owned()),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig_nature-1 end".to_owned(), "§ end".to_owned()),
        ("Authorization: Bearer abc.def-123".to_owned(), "Authorization: §".to_owned()),
        ("got bearer abcdefgh1".to_owned(), "got bearer §".to_owned()),
        (
            "postgres://app:hunter2@db:5432/x failed".to_owned(),
            "postgres://app:§@db:5432/x failed".to_owned(),
        ),
        (format!("https://{}@github.com/x", a(8)), "https://§@github.com/x".to_owned()),
        (
            "https://api.telegram.org/bot123456:AAEa-b_c1/getMe".to_owned(),
            "https://api.telegram.org/bot§".to_owned(),
        ),
        (
            "a -----BEGIN RSA PRIVATE KEY-----\nMIIE\nx\n-----END RSA PRIVATE KEY----- b"
                .to_owned(),
            "a § b".to_owned(),
        ),
        ("cut -----BEGIN PRIVATE KEY-----\nMIIEvQ".to_owned(), "cut §".to_owned()),
    ];
    for (text, expected) in cases {
        assert_eq!(hidden(&text), expected, "{text}");
    }
}

#[test]
fn values_with_a_telling_name_are_found() {
    let cases = [
        ("password=hunter2 user=bob", "password=§ user=bob"),
        ("DB_PASSWORD='p w' x", "DB_PASSWORD='§' x"),
        (r#"{"apiKey": "abc", "n": 1}"#, r#"{"apiKey": "§", "n": 1}"#),
        (r#"{\"client_secret\":\"s3\",\"a\":1}"#, r#"{\"client_secret\":\"§\",\"a\":1}"#),
        ("GET /x?api_key=abc123&q=1", "GET /x?api_key=§&q=1"),
        ("run --token abc123 --verbose", "run --token § --verbose"),
        ("AccountKey=abc/+==;EndpointSuffix=core", "AccountKey=§;EndpointSuffix=core"),
        ("Cookie: a=1; b=2\nHost: x", "Cookie: §\nHost: x"),
        ("x-api-key: 0123456789abcdef", "x-api-key: §"),
        ("/x?X-Amz-Signature=0a1b2c&y=1", "/x?X-Amz-Signature=§&y=1"),
        ("secret: hunter", "secret: §"),
        (
            r#"failed: {"tokens": ["t1a]", "t2b"], "n": [1]}"#,
            r#"failed: {"tokens": ["§"], "n": [1]}"#,
        ),
        (r#"said {\"tokens\":[\"t1a\"]}"#, r#"said {\"tokens\":[\"§\"]}"#),
        ("cut {'passwords': ['hunter2', 'hun", "cut {'passwords': ['§"),
        ("<password>hunter2</password> <n>1</n>", "<password>§</password> <n>1</n>"),
        ("<s:apiKey>a b</s:apiKey>", "<s:apiKey>§</s:apiKey>"),
    ];
    for (text, expected) in cases {
        assert_eq!(hidden(text), expected, "{text}");
    }
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let cases = [
        "author: Jane Doe <jane@example.org>",
        "Invalid token: expired",
        "token=null password= secret=${DB_SECRET} pwd=***",
        "max_tokens=4096 estimated_tokens: 58",
        "key: value, primary key=7",
        "ssh://git@github.com/a/b.git and user@example.org",
        "the risk-free desk-lamp and task-force are basic words",
        "password_policy=strict, token_type: Bearer",
        "WWW-Authenticate: Bearer resource_metadata=\"https://example.org/x\"",
        "{\"signature\":\"def fail():\"}",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "https://example.org:8080/a?b=c@d",
        "usage: login <password> or <token>, see <token>help",
        "{\"tokens\": [1, 2], \"secrets\": [], \"passwords\": [\"[redacted]\"]}",
    ];
    for text in cases {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn names_are_judged_by_their_words() {
    for strong in [
        "password",
        "DB_PASSWORD",
        "apiKey",
        "X-Api-Key",
        "clientSecret",
        "AWS_SECRET_ACCESS_KEY",
        "Cookie",
    ] {
        assert_eq!(secrecy(strong), Some(Secrecy::Strong), "{strong}");
    }
    for texts in ["token", "tokens", "access_token", "GITHUB_TOKEN", "auth", "sessionToken"] {
        assert_eq!(secrecy(texts), Some(Secrecy::Texts), "{texts}");
    }
    for plain in [
        "author",
        "authority",
        "key",
        "max_tokens",
        "tokenizer",
        "session_id",
        "keyboard",
        "secretary",
        "compass",
        "",
    ] {
        assert_eq!(secrecy(plain), None, "{plain}");
    }
}

proptest! {
    #[test]
    fn places_are_in_order_and_on_characters(text in any::<String>(), more in "(token|password|: |=|\"|eyJ|ghp_|a1|é|://|:|@|\\.|-){0,40}") {
        let text = text + &more;
        let mut at = 0;
        for range in find(&text) {
            prop_assert!(range.start >= at && range.end >= range.start);
            prop_assert!(text.get(range.clone()).is_some());
            at = range.end;
        }
    }
}

//! What is found in texts, and what stays.

mod everyday;
mod hostile;
mod names;
mod redactor;
mod start;
mod told;

use proptest::prelude::{any, prop_assert, proptest};

use super::{OpenKey, find};

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
        ("xoxc-123456789012-a1".to_owned(), "§".to_owned()),
        ("xoxd-QWxsYWJvdXRpbnRlcm5ldA".to_owned(), "§".to_owned()),
        (format!("glsa_{}_12345678", a(8)), "§".to_owned()),
        (format!("glcbt-64_{}", a(6)), "§".to_owned()),
        (format!("key-{}", "0a1b".repeat(8)), "§".to_owned()),
        (format!("SK{}", "0a1b".repeat(8)), "§".to_owned()),
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
fn an_escape_or_a_colour_before_a_credential_hides_nothing() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    for (before, after) in [
        (r"cloning\n", "'"),
        (r"a\t", ""),
        (r"\u0022", r"\u0022"),
        ("q=a%20", ""),
        ("x%3D", "%26y"),
        ("x%3A", ""),
        ("x%253A", ""),
        ("a&#61;", "&quot;"),
        ("\u{1b}[32m", "\u{1b}[0m"),
        ("x\u{1b}[1;32m", "\u{1b}[0m"),
        (r"\x1b[32m", r"\x1b[0m"),
        (r"\e[1m", r"\033[0m"),
    ] {
        let clean = hidden(&format!("{before}{token}{after}"));
        assert!(!clean.contains("a1B2") && clean.contains('§'), "{before}: {clean}");
    }
    let cases = [
        (r#"{"dsn":"mysql:\/\/root:hunter2zz@db"}"#, r#"{"dsn":"mysql:\/\/root:§@db"}"#),
        ("to=https%3A%2F%2Froot%3Ahunter2zz%40host", "to=https%3A%2F%2Froot%3A§%40host"),
        ("a%3Dpassword%3Dhunter2%26b%3D1", "a%3Dpassword%3D§%26b%3D1"),
        ("&lt;password&gt;hunter2&lt;/password&gt;", "&lt;password&gt;§&lt;/password&gt;"),
        ("pass\u{1b}[1mword\u{1b}[0m: hunter2", "pass\u{1b}[1mword\u{1b}[0m: §"),
        ("%ff password=%20hunter2", "%ff password=§"),
    ];
    for (text, expected) in cases {
        assert_eq!(hidden(text), expected, "{text}");
    }
}

#[test]
fn a_value_is_hidden_whatever_it_starts_with() {
    let cases = [
        (r#"{"password": "$ecretZ99"}"#, r#"{"password": "§"}"#),
        (r#"{"password": "%ecretZ99"}"#, r#"{"password": "§"}"#),
        (r#"{"password": "-ecretZ99"}"#, r#"{"password": "§"}"#),
        (r#"{"password": "<ecretZ99"}"#, r#"{"password": "§"}"#),
        (r#"{"password": "[ecretZ99"}"#, r#"{"password": "§"}"#),
        ("password: $2b$12$KIXQabcdef", "password: §"),
        ("password=$ecretZ99 x", "password=§ x"),
        ("password=<ecretZ99 x", "password=§ x"),
        ("Uid=a;Pwd={hunterZ99};Port=1", "Uid=a;Pwd=§;Port=1"),
        ("passwords: [hunter, zebra]", "passwords: §"),
        ("password=${A}x9 y", "password=§ y"),
    ];
    for (text, expected) in cases {
        assert_eq!(hidden(text), expected, "{text}");
    }
}

#[test]
fn a_value_in_quotes_ends_at_its_own_quote() {
    let cases = [
        (r#"password="hun\"terZ99xx" y"#, r#"password="§" y"#),
        (r#"password="don't tell Z99" y"#, r#"password="§" y"#),
        ("password='don't tell' y", "password='§' y"),
        (r#"{\"password\":\"a \\\"b\\\" c\",\"n\":1}"#, r#"{\"password\":\"§\",\"n\":1}"#),
        ("password=b'hunterZ99'", "password=b'§'"),
        ("password: “hunterZ99” y", "password: “§” y"),
        ("password=\"cut hunter\nnext", "password=\"§\nnext"),
        ("password=hun\"terZ99 y", "password=§ y"),
        ("'password=hunter' y", "'password=§' y"),
        ("cfg[\"password\"] = \"hunter\"", "cfg[\"password\"] = \"§\""),
    ];
    for (text, expected) in cases {
        assert_eq!(hidden(text), expected, "{text}");
    }
}

#[test]
fn names_and_values_are_told_in_many_forms() {
    let cases = [
        (r#"{"name":"DB_PASSWORD","value":"hunter"}"#, r#"{"name":"DB_PASSWORD","value":"§"}"#),
        (
            r#"{\"key\": \"api_key\", \"value\": \"hun\"}"#,
            r#"{\"key\": \"api_key\", \"value\": \"§\"}"#,
        ),
        (r#"[["x-api-key","hunterZ99"]]"#, r#"[["x-api-key","§"]]"#),
        ("('token', 'Z99abcdef0123456')", "('token', '§')"),
        (r#"password: Some("hunterZ99"), port: 5"#, r#"password: Some("§"), port: 5"#),
        ("password=SecretStr('hunter')", "password=SecretStr('§')"),
        ("password: |\n  hunter\n  zebra\nport: 5", "password: |\n  §\nport: 5"),
        ("password:\n  hunterZ99", "password:\n  §"),
        ("API key: Z99abcdef0", "API key: §"),
        (r#""api key": "Z99abcdef0""#, r#""api key": "§""#),
        ("password := \"hunter\"", "password := \"§\""),
        ("**Password:** hunter", "**Password:** §"),
        (
            "Authorization: Digest username=\"x\", response=\"0a1b\"\nHost: x",
            "Authorization: §\nHost: x",
        ),
        ("{User:bob Password:hunterZ99 Port:5}", "{User:bob Password:§ Port:5}"),
    ];
    for (text, expected) in cases {
        assert_eq!(hidden(text), expected, "{text}");
    }
}

#[test]
fn passwords_are_found_after_a_space_and_in_options() {
    for (text, seen) in [
        (
            "machine example.org login bob password hunter2-x",
            "machine example.org login bob password §",
        ),
        ("using password s3cr3t! for bob", "using password § for bob"),
        ("curl -u alice:s3cret https://example.org", "curl -u alice:§ https://example.org"),
        ("curl -sS -ualice:s3cret https://example.org", "curl -sS -ualice:§ https://example.org"),
        ("curl -X POST -u 'alice:pa ss' x", "curl -X POST -u 'alice:§' x"),
        ("curl --user \"a@example.org:s3cret\" x", "curl --user \"a@example.org:§\" x"),
        ("curl --user=alice:s3cret x", "curl --user=alice:§ x"),
        ("curl --proxy-user alice:s3cret x", "curl --proxy-user alice:§ x"),
    ] {
        assert_eq!(hidden(text), seen);
    }
    for text in [
        "docker run -u 1000:1000 alpine and -u $UID:$GID and -u root",
        "curl -u alice: x",
        "curl -u ${USER}:${PASS} x",
        "git push -u origin main:main2, sort -u a",
        "systemctl --user start a.service",
        "password authentication failed for user \"bob\"",
        "the password must have 8 to 64 characters",
        "password hashes, password 2, password v2",
        "Password reset: open https://example.org/reset",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn a_credential_on_the_line_below_its_scheme_goes() {
    const X: &str = "2YotnFZFEjr1zCsicMWpAA";
    for text in [
        "Authorization: Bearer\n§",
        "Authorization: Bearer\n    §\nHost: x",
        "authorization: bearer \r\n§\r\n",
        "> Authorization: Bearer\n> §\n> Host: x",
        "Authorization: Basic\n§==",
        "Authorization: Token\n  §",
        "Authorization:\n  Bearer §",
        "got Bearer\n§\nend",
        "{\"Authorization\": \"Bearer\\n§\"}",
    ] {
        let clean = hidden(&text.replace('§', X));
        assert!(!clean.contains(X), "{clean}");
    }
    for text in [
        "Authorization: Bearer <token>",
        "Authorization: Bearer ${TOKEN}\nHost: x1.example.org",
        "Authorization: Bearer\nConnection refused by host1",
        "The scheme is Bearer\nsrc/auth2/main.rs",
        "Basic\nauthentication",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn what_is_left_of_a_private_key_goes_too() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ";
    let cut = format!("log\n2026 INFO {line}\nab12=\n2026 INFO -----END PRIVATE KEY-----\nmore");
    assert_eq!(hidden(&cut), "log\n§-----END PRIVATE KEY-----\nmore");
    let long = format!(
        "-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY----- b",
        format!("{line}\n").repeat(400)
    );
    assert_eq!(hidden(&long), "§ b");
}

#[test]
fn a_key_is_followed_line_by_line() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ";
    let mut key = OpenKey::after("x\n-----BEGIN RSA PRIVATE KEY-----\n").unwrap();
    for (line, takes) in [
        ("Proc-Type: 4,ENCRYPTED", true),
        ("", false),
        (line, true),
        (&*format!("2026 INFO {line}"), true),
        ("server started", false),
        ("ab12=", true),
        ("-----END RSA PRIVATE KEY-----", true),
    ] {
        assert!(!key.is_over());
        assert_eq!(key.takes(line), takes, "{line}");
    }
    assert!(key.is_over());
    assert!(OpenKey::after("-----BEGIN CERTIFICATE-----\n").is_none());
    assert!(
        OpenKey::after("-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n").is_none()
    );
    let mut mention = OpenKey::after("expecting: -----BEGIN ANY PRIVATE KEY-----").unwrap();
    assert!(["ready", "connected", "shutdown"].iter().all(|it| !mention.takes(it)));
    let mut endless = OpenKey::after("expected -----BEGIN PRIVATE KEY-----").unwrap();
    for _ in 0..100 {
        endless.takes("a line of the log");
    }
    assert!(endless.is_over());
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let cases = [
        "author: Jane Doe <jane@example.org>",
        "Invalid token: expired",
        "at x (/app/src/password.js:44:11) and src/auth/secrets.rs:12:5: expected ;",
        "token := r.Header.Get(\"Authorization\")",
        "token = os.environ.get(\"GITHUB_TOKEN\") or os.getenv('TOKEN')",
        "grant_type must be one of: \"password\", \"client_credentials\"",
        "[[\"token\",\"must be a string\"]]",
        "{\"errors\":{\"password\":\"is too short (minimum is 8 characters)\"}}",
        "{\"errors\":{\"password\":\"can't be blank\"}}",
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
        "basic authentication required",
        "Bearer authentication is required",
        "Basic understanding of",
        "password: must be at least 8 characters",
        "password: required",
        "secret: not found",
        "api_key: missing",
        "Authorization: required, but absent",
        "cookies: 3",
        "--token is required",
        "--password flag is missing",
        "--token --verbose",
        "sk-learn-is-a-great-python-library",
        "{\"password_hash_rounds\":12}",
        "if (token === \"abc\") {",
        "missing fields: [\"username\",\"password\",\"email\"]",
        "pwd=/home/user/src",
        "GOOGLE_APPLICATION_CREDENTIALS=/etc/gcp/key.json",
        "password: <password>, token=%s, key={{ api_key }}, secret: [hidden]",
        "password=$DB_PASSWORD password={password} password = :password",
        "credentials:\n  user: bob\n",
        "password:\n  must be long",
        "key-0a1b is short, KEY-VALUE",
        "DUPLICATE_KEY: users_pkey_1, PRIMARY_KEY=7a",
    ];
    for text in cases {
        assert_eq!(hidden(text), text);
    }
}

proptest! {
    #[test]
    fn places_are_in_order_and_on_characters(text in any::<String>(), more in "(token|password|: |=|\"|eyJ|ghp_|a1|é|://|:|@|\\.|-|%3D|\\\\|\\{|\\[|,|\n|-----END PRIVATE KEY|%ff|\u{1b}\\[1m){0,40}") {
        let text = text + &more;
        let mut at = 0;
        for range in find(&text) {
            prop_assert!(range.start >= at && range.end >= range.start);
            prop_assert!(text.get(range.clone()).is_some());
            at = range.end;
        }
    }
}

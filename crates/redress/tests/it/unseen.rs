//! Secrets with something between their characters that is not seen.

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use redress_wire::json::RawJson;

use crate::disguised::{SECRETS, disguised, redactor, shows, texts};

/// Longer texts are cut there.
const MOST: usize = 256 << 10;

proptest! {
    #[test]
    fn a_secret_goes_whatever_stands_between_its_letters((secret, said) in disguised()) {
        let redactor = redactor();
        let known = SECRETS[..2].contains(&secret);
        let clean = redactor.text(&said);
        prop_assert!(!shows(&clean, secret), "{:?}", clean);
        prop_assert_eq!(&redactor.text(&clean), &clean);
        if known {
            prop_assert!(!shows(&redactor.known(&said), secret), "{:?}", redactor.known(&said));
        }
        let start = redactor.start(said.as_bytes(), 4096);
        prop_assert!(!shows(&start, secret), "{:?}", start);
        let text = RawJson::string(&said);
        let document = format!(r#"{{"a":[{text}],{text}:{{"b":{text}}}}}"#);
        let clean = redactor.json(&RawJson::parse(document.as_bytes()).unwrap());
        prop_assert!(!texts(clean.as_str()).iter().any(|it| shows(it, secret)), "{}", clean);
    }
}

#[test]
fn a_secret_that_is_stretched_leaves_no_piece_at_a_cut() {
    let redactor = redactor();
    let stretched = SECRETS[0].split_at(12);
    let stretched = format!("{}{}{}", stretched.0, "\u{200b}".repeat(9_000), stretched.1);
    for before in [MOST - 1_000, MOST - 20_000] {
        let clean = redactor.text(&("x".repeat(before) + &stretched));
        assert!(!clean.contains("hunter2"), "{before}");
    }
    let line = format!("{}{stretched}", "y".repeat(4_000));
    assert!(!redactor.start(line.as_bytes(), 4_096).contains("hunter2"));
}

#[test]
fn what_is_not_seen_stays_where_it_hides_nothing() {
    let text = "\u{1b}[32mINFO\u{1b}[0m ❤\u{fe0f} a\u{200b}b\tc\n";
    assert_eq!(redactor().text(text), text);
}

//! Secrets with something between their characters that nobody sees.

use crate::{
    redact::{
        redactor::{MOST, Redactor},
        without_escapes,
    },
    text,
};
use proptest::{
    prelude::{Strategy, prop_assert, prop_assert_eq, proptest},
    sample::select,
};
use redress_wire::json::{Doc, Limits, RawJson, Value};

/// One that is known, one with white space, and one that its form gives away.
const SECRETS: [&str; 3] =
    ["hunter2hunter2", "correct horse battery", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"];

/// What nobody sees, as it is and in escapes, and sequences for terminals.
const UNSEEN: [&str; 24] = [
    "\0",
    "\u{7}",
    "\u{8}",
    "\u{7f}",
    "\u{9b}",
    "\u{ad}",
    "\u{34f}",
    "\u{200b}",
    "\u{202e}",
    "\u{2060}",
    "\u{3164}",
    "\u{fe0f}",
    "\u{feff}",
    "\u{e0041}",
    "\u{1b}[31m",
    "\u{1b}]0;t\u{7}",
    "\u{1b}]8;;x\u{1b}\\",
    "\u{1b}c",
    "\u{1b}",
    "\\u200b",
    "\\\\u0000",
    "&#8203;",
    "%E2%80%8B",
    "\\u001b[1m",
];

fn redactor() -> Redactor {
    Redactor::new([SECRETS[0], SECRETS[1]])
}

fn disguised() -> impl Strategy<Value = (&'static str, String)> {
    let between = (select(UNSEEN.to_vec()), select(UNSEEN.to_vec()));
    let spaces = select(vec![" ", "\n", " \t", "\u{2028}"]);
    (select(SECRETS.to_vec()), between, spaces).prop_map(|(secret, (one, two), space)| {
        let mut text = String::from("no (");
        for (at, it) in secret.chars().enumerate() {
            text.push_str(if at == 0 { "" } else { [one, two][at % 2] });
            match it {
                ' ' => text.push_str(space),
                it => text.push(it),
            }
        }
        (secret, text + ") here")
    })
}

/// A text as it reads when its escapes are undone and nobody sees what cannot be seen.
fn seen(text: &str) -> Vec<String> {
    let plain = without_escapes(text).unwrap_or_else(|| text.to_owned());
    let unseen = redress_wire::unseen::without_unseen(text.as_bytes()).into_owned();
    vec![
        text.to_owned(),
        text::strip(text),
        text::strip(&plain),
        String::from_utf8(unseen).unwrap(),
    ]
}

fn shows(text: &str, secret: &str) -> bool {
    seen(text).iter().any(|it| it.contains(secret))
}

/// Every text in a document.
fn texts(document: &str) -> Vec<String> {
    fn add(value: Value<'_>, all: &mut Vec<String>) {
        all.extend(value.as_str().map(String::from));
        for (key, value) in value.members() {
            all.extend(key.as_str().map(String::from));
            add(value, all);
        }
        value.elements().for_each(|it| add(it, all));
    }
    let mut all = vec![document.to_owned()];
    add(Doc::parse(document.as_bytes(), Limits::DOCUMENT).unwrap().root(), &mut all);
    all
}

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
fn what_nobody_sees_stays_where_it_hides_nothing() {
    let text = "\u{1b}[32mINFO\u{1b}[0m ❤\u{fe0f} a\u{200b}b\tc\n";
    assert_eq!(redactor().text(text), text);
}

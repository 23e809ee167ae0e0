//! Records of failures: no secret stands in them, whatever stands between its letters.

use proptest::{
    prelude::{Strategy, prop_assert, proptest},
    sample::select,
};
use redress::{Fault, codes, fault::Cause, text};
use redress_ledger::{Record, Redactor};
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
    let plain = redress::redact::without_escapes(text).unwrap_or_else(|| text.to_owned());
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
    fn a_record_has_no_secret_whatever_stands_in_it((secret, said) in disguised()) {
        let mut fault: Fault = codes::FILE_NOT_FOUND.raise([("path", "a")]);
        fault.message = said.clone();
        fault.server_text = Some(said.clone());
        fault.private.push_cause(Cause::Text(said.clone()));
        fault.private.hide_cause(Cause::Json(RawJson::string(&said)));
        fault.private.stack = Some(format!("at f\nat {said}"));
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, RawJson::string(&said));
        fault.private.upstream = Some(line.into_bytes());
        let private = Record::private(&fault.private, &redactor()).unwrap();
        prop_assert!(!texts(&private).iter().any(|it| shows(it, secret)), "{}", private);
    }
}

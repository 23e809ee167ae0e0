//! What emission promises: nothing that was told changes when it is redacted, or stripped of what nobody sees, again.

use std::collections::BTreeMap;

use proptest::{
    prelude::{Just, Strategy, any, prop_assert_eq, proptest},
    sample::select,
};
use redress::{
    Dialect, Fault, card, codes,
    dialect::Stamp,
    dialect::wire,
    emit::{Emission, Emitted, clean_document, clean_text, emit},
    fault::{Cause, NextAction, Policy, Redact, Similar, StackPolicy, Violation},
    text,
    text::tokens::DEFAULT_DETAILS_BYTES,
};
use redress_wire::json::{Doc, Kind, Limits, RawJson, Value, write_str};

/// What may not be told. One has white space in it, which readers fold.
const SECRETS: [&str; 2] = ["hunter2hunter2", "correct horse battery"];

/// What nobody sees, and a terminal's sequences.
const UNSEEN: [&str; 14] = [
    "",
    "\0",
    "\u{7}",
    "\u{8}",
    "\u{ad}",
    "\u{200b}",
    "\u{202e}",
    "\u{2060}",
    "\u{fe0f}",
    "\u{feff}",
    "\u{1b}[31m",
    "\u{1b}]0;title\u{7}",
    "\u{1b}]8;;x\u{1b}\\",
    "\u{e0041}",
];

/// Knows the secrets as they are written, and no other spelling of them.
#[derive(Debug)]
struct Plain;

impl Redact for Plain {
    fn redact(&self, text: &str) -> String {
        SECRETS.iter().fold(text.to_owned(), |text, it| text.replace(it, "[redacted]"))
    }

    fn document(&self, document: &RawJson) -> RawJson {
        let mut out = String::new();
        document.with(|it| write_clean(it, &mut out));
        RawJson::parse(out.as_bytes()).unwrap()
    }
}

fn write_clean(value: Value<'_>, out: &mut String) {
    match value.kind() {
        Kind::Object => {
            out.push('{');
            for (at, (key, value)) in value.members().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write_clean(key, out);
                out.push(':');
                write_clean(value, out);
            }
            out.push('}');
        }
        Kind::Array => {
            out.push('[');
            for (at, value) in value.elements().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write_clean(value, out);
            }
            out.push(']');
        }
        Kind::String => write_str(out, &Plain.redact(&value.as_str().unwrap())),
        _ => out.push_str(value.raw()),
    }
}

fn emitted(fault: Fault, stack: StackPolicy) -> Emitted {
    let policy = Policy { stack, redact: &Plain };
    let details_bytes = DEFAULT_DETAILS_BYTES;
    emit(fault, &Emission { policy, hides_server_text: false, details_bytes })
}

/// A secret with something between its characters, white space in the place of its own, and words around it.
fn disguised() -> impl Strategy<Value = String> {
    let parts = (select(UNSEEN.to_vec()), select(UNSEEN.to_vec()));
    let spaces = select(vec![" ", "\n", " \t ", "\r\n", "\u{2028}"]);
    let around = (select(vec![0_usize, 3, 150, 190, 490]), any::<bool>());
    (select(SECRETS.to_vec()), parts, spaces, around).prop_map(
        |(secret, (one, two), space, (before, starts))| {
            let mut text = "x ".repeat(before / 2);
            for (at, it) in secret.chars().enumerate() {
                let part = if at % 2 == 0 { one } else { two };
                text.push_str(if at > 0 || starts { part } else { "" });
                match it {
                    ' ' => text.push_str(space),
                    it => text.push(it),
                }
            }
            text + " is wrong"
        },
    )
}

/// A fault that has a text wherever a text can be.
fn full_of(said: &str) -> Fault {
    let mut fault = codes::FILE_NOT_FOUND.raise([("path", "a")]);
    said.clone_into(&mut fault.message);
    said.clone_into(&mut fault.hint);
    fault.server_text = Some(said.to_owned());
    let text = RawJson::string(said);
    fault.set_details(
        format!(r#"{{"a":[{text}],{text}:1,"upstream":{{"data":{text}}}}}"#).as_bytes(),
    );
    fault.next_actions = vec![
        NextAction::call("read", [("path", said)]),
        NextAction::call(said, [("a", "b")]),
        NextAction::Text(said.to_owned()),
    ];
    fault.similar_refs = vec![Similar::new(said), Similar::new("b")];
    fault.violations = vec![
        Violation::new("/a", said, Some(said)),
        Violation::new(&format!("/{said}"), "wrong_type", Some("string")),
    ];
    for name in fault.context.members_mut() {
        *name = Some(said.to_owned());
    }
    fault.private.push_cause(Cause::Text(said.to_owned()));
    fault.private.stack = Some(format!("at f\nat {said}"));
    fault
}

/// Every text in a document, and the document itself.
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
    if let Ok(doc) = Doc::parse(document.as_bytes(), Limits::DOCUMENT) {
        add(doc.root(), &mut all);
    }
    all
}

/// All that anybody is told of a fault.
fn told(fault: &Fault) -> Vec<String> {
    let mut told = vec![card(fault), wire::error_message(fault)];
    for dialect in Dialect::ALL {
        let stamp = Stamp { now: "2026-01-19T15:32:10.123Z" };
        let answer =
            wire::Answer { dialect, has_output_schema: false, stamp, meta: None, said: None };
        told.extend(texts(&dialect.write(fault, stamp)));
        told.extend(texts(&wire::response(fault, "1", answer)));
    }
    told.extend(texts(&wire::rpc_error(fault, Some("1"))));
    told
}

/// The ways in which readers drop what they do not see.
fn seen(text: &str) -> [String; 3] {
    let plain =
        String::from_utf8(redress_wire::unseen::without_unseen(text.as_bytes()).into_owned())
            .unwrap();
    [text.to_owned(), text::strip(text), plain]
}

fn secrets_in(told: &[String]) -> BTreeMap<&str, &str> {
    let shows = |text: &str, secret: &str| seen(text).iter().any(|it| it.contains(secret));
    told.iter()
        .flat_map(|text| SECRETS.iter().map(move |it| (text.as_str(), *it)))
        .filter(|(text, secret)| shows(text, secret))
        .collect()
}

proptest! {
    #[test]
    fn what_is_told_has_no_secret_however_it_is_stripped(said in disguised(), shows in any::<bool>()) {
        let stack = if shows { StackPolicy::Full } else { StackPolicy::Hidden };
        let once = emitted(full_of(&said), stack);
        let told = told(&once);
        prop_assert_eq!(secrets_in(&told), BTreeMap::new());
        for text in &told {
            prop_assert_eq!(&Plain.redact(text), text);
        }
        let again = emitted(once.clone().into_fault(), stack);
        prop_assert_eq!(&*once, &*again);
    }

    #[test]
    fn an_error_that_stays_one_has_no_secret(said in disguised()) {
        let clean = clean_text(&said, &Plain).unwrap_or(said);
        prop_assert_eq!(secrets_in(std::slice::from_ref(&clean)), BTreeMap::new());
        prop_assert_eq!(clean_text(&clean, &Plain), None);
    }

    #[test]
    fn a_document_that_has_no_secret_stays(said in Just("a [redacted] b\u{200b}")) {
        let document = format!(r#"{{ "a" : [{}, 1.0] }}"#, RawJson::string(said));
        let doc = Doc::parse(document.as_bytes(), Limits::DOCUMENT).unwrap();
        prop_assert_eq!(clean_document(doc.root(), &Plain), None);
    }
}

//! The rules about what is generated (`CK7xx`): the examples that pages, vectors and packages show, and the calls that test a
//! server.

use std::{collections::BTreeSet, sync::Arc};

use redress_registry::{
    Entry, Finding, Level, Registry, Rule, Stability,
    draft::{Draft, DraftCode},
    rule::Grade,
};
use serde_json::{Map, Value};

use crate::{Dialect, Fault, card, dialect::Stamp, redact, text::tokens::DEFAULT_DETAILS_BYTES};
use redress_wire::json::RawJson;

static UNFAITHFUL: Rule = Rule {
    id: "CK702",
    name: "unfaithful-example",
    grade: Grade::Level(Level::Violation),
    summary: "The envelope of a code's example is not what the example says: a value is dropped or cut, or the details are \
              too large for the wire.",
    why: "Schema, vectors and pages are made of it; readers would be tested with what no server sends.",
    how_to_fix: "Shorten the value, raise max_chars, or correct its type.",
};

static UNTESTED: Rule = Rule {
    id: "CK703",
    name: "untested-code",
    grade: Grade::Level(Level::Improvement),
    summary: "No call of the contract test provokes a stable code, and nothing says why.",
    why: "Nobody knows whether the server ever answers with it.",
    how_to_fix: "Add a call to contract.calls.json, or {\"skip\": \"why\"}.",
};

static LEAK: Rule = Rule {
    id: "CK704",
    name: "credential-in-example",
    grade: Grade::Level(Level::Violation),
    summary: "A card or an envelope of a code's example holds what looks like a credential.",
    why: "Examples go to every page, test and package; and what looks like a credential is blanked on its way.",
    how_to_fix: "Make up a value that opens nothing and looks so, or declare the parameter secret.",
};

/// Every rule about what is generated, in the order of their ids.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [&UNFAITHFUL, &UNTESTED, &LEAK].into_iter()
}

/// All that the rules find in a file that means `registry`. `calls` are those of its contract test, if it has one.
pub fn lint(draft: &Draft, registry: &Registry, calls: Option<&Value>) -> Vec<Finding> {
    let tested: Option<BTreeSet<&str>> = calls.map(|it| {
        let calls = it.get("calls").and_then(Value::as_object);
        calls.into_iter().flat_map(Map::keys).map(String::as_str).collect()
    });
    let mut found = Vec::new();
    for code in draft.codes.iter().map(|it| &it.value) {
        let name = draft.full_name(&code.name.value);
        let Some(row) = registry.get(&name) else { continue };
        let mut add = |rule: &'static Rule, message: Option<&'static str>| {
            let is_allowed = registry.allows.iter().any(|it| it.rule == rule.id && it.code == name);
            found.extend(
                message.filter(|_| !is_allowed).map(|it| finding(draft, code, row, rule, it)),
            );
        };
        add(&UNFAITHFUL, unfaithful(row));
        let is_untested = tested.as_ref().is_some_and(|it| !it.contains(&*name));
        let is_stable = row.stability == Stability::Stable && row.deprecated.is_none();
        add(
            &UNTESTED,
            (is_untested && is_stable).then_some("No call of the contract test provokes {code}."),
        );
        add(&LEAK, leak(row));
    }
    found
}

/// CK702.
fn unfaithful(row: &Arc<Entry>) -> Option<&'static str> {
    let fault = Fault::example(row);
    if !fault.private.dropped.is_empty() {
        return Some("A part of the example of {code} is dropped.");
    }
    let text = fault.details.as_ref().map_or("{}", RawJson::as_str);
    if text.len() > DEFAULT_DETAILS_BYTES {
        return Some("The details of the example of {code} are too large for the wire.");
    }
    let details: Value = serde_json::from_str(text).unwrap_or_default();
    let mut shown = row.params.iter().filter(|it| !it.secret);
    let is_changed = shown.any(|it| details.get(&*it.name) != row.example.get(&*it.name));
    is_changed.then_some("The example of {code} is cut on its way.")
}

/// CK704.
fn leak(row: &Arc<Entry>) -> Option<&'static str> {
    let example = Fault::example(row);
    let is_credential = forms(&example).any(|it| !redact::find(&it).is_empty());
    is_credential.then_some("The example of {code} holds what looks like a credential.")
}

/// Every form in which a fault leaves.
fn forms(fault: &Fault) -> impl Iterator<Item = String> {
    let envelopes = Dialect::ALL.into_iter().map(move |it| it.write(fault, Stamp::default()));
    std::iter::once(card(fault)).chain(envelopes)
}

/// The finding at the example, or at the code's name.
fn finding(
    draft: &Draft,
    code: &DraftCode,
    row: &Entry,
    rule: &'static Rule,
    message: &'static str,
) -> Finding {
    let span = match &code.example {
        Some(example) if rule.id != UNTESTED.id => example.span.clone(),
        _ => code.name.span.clone(),
    };
    let context = Map::from_iter([("code".to_owned(), Value::from(&*row.code))]);
    let place = (draft.source.place(span.start), span);
    Finding { code: Some(row.code.to_string()), ..Finding::new(rule, place, message, context) }
}

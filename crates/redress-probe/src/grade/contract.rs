//! Live rules (`CK80x`): the codes on the wire against the contract, with `--contract`.

use redress_registry::{
    Level::{Information, Violation},
    rule::{Grade, Rule},
};
use serde_json::Value;

use super::{Check, Complaint, Said, answer_view::AnswerView, good_if};

/// The rule about codes that were never seen, which no single answer breaks.
pub(super) const COVERAGE: &str = "CK804";

/// Details that belong to the carrier of a failure, not to its code.
const CARRIED: [&str; 1] = ["upstream"];

pub(super) const CHECKS: &[Check] = &[
    Check {
        rule: Rule {
            id: "CK801",
            name: "unregistered-code-on-the-wire",
            grade: Grade::Level(Violation),
            summary: "A server answers with a code that its contract does not have.",
            why: "No client can handle what nobody announced.",
            how_to_fix: "Register the code, or answer with one that is.",
        },
        title: "Codes that the contract does not have",
        weight: 10,
        cap: None,
        run: registered,
    },
    Check {
        rule: Rule {
            id: "CK802",
            name: "contradicted-on-the-wire",
            grade: Grade::Level(Violation),
            summary: "A value of an answer contradicts the row of its code: class, status, number, retryable, domain.",
            why: "A client acts on one of them, and which one is chance.",
            how_to_fix: "Write what the registry says; take it from there instead of repeating it.",
        },
        title: "Answers contradict the contract",
        weight: 20,
        cap: None,
        run: agrees,
    },
    Check {
        rule: Rule {
            id: "CK803",
            name: "undeclared-details",
            grade: Grade::Level(Violation),
            summary: "The details of an answer have a key that its code does not declare, or lack one that it must have.",
            why: "Programs read details by their names.",
            how_to_fix: "Declare the parameter, or leave it out; give every required one.",
        },
        title: "Details differ from the contract",
        weight: 4,
        cap: None,
        run: declared,
    },
    Check {
        rule: Rule {
            id: COVERAGE,
            name: "never-seen-code",
            grade: Grade::Level(Information),
            summary: "A code of the contract was never answered.",
            why: "What nothing provokes is untested: it may be spelt otherwise, or be gone.",
            how_to_fix: "Write a call that provokes it into the contract test.",
        },
        title: "Codes of the contract that were never seen",
        weight: 0,
        cap: None,
        run: |_| None,
    },
];

fn registered(view: &AnswerView<'_>) -> Said {
    let contract = view.contract?;
    let code = view.answer.code.as_deref().filter(|_| view.answer.is_failure())?;
    good_if(contract.get(code).is_some(), || {
        let near = redress_registry::find::suggest(code, std::slice::from_ref(contract));
        let near = near.first().map(|it| format!(" Did you mean {it}?")).unwrap_or_default();
        let code = redress::text::quote(code, 64);
        Complaint::new(
            format!("The answer has the code {code}."),
            format!("A code of {}.{near}", contract.name),
        )
    })
}

fn agrees(view: &AnswerView<'_>) -> Said {
    let row = view.contract?.get(view.answer.code.as_deref()?)?;
    let envelope = view.answer.envelope()?;
    let facts = [
        ("class", Value::from(row.class.name())),
        ("http", row.http.into()),
        ("domain", (&*row.domain).into()),
        ("number", row.number.into()),
    ];
    let differs = |(key, fact): &(&str, Value)| {
        envelope.get(key).is_some_and(|it| !it.is_null() && it != fact)
    };
    let wrong = facts.iter().find(|it| differs(it));
    good_if(wrong.is_none(), || {
        let (key, fact) = wrong.map_or(("", String::new()), |it| (it.0, it.1.to_string()));
        let said = envelope.get(key).map(Value::to_string).unwrap_or_default();
        let said = redress::text::quote(&said, 60);
        Complaint::new(
            format!("`{key}` is {said}."),
            format!("`{key}` is {fact}, as the row of {} says.", row.code),
        )
    })
}

fn declared(view: &AnswerView<'_>) -> Said {
    let row = view.contract?.get(view.answer.code.as_deref()?)?;
    let envelope = view.answer.envelope()?;
    let details = envelope.get("details")?.as_object()?;
    let extra =
        details.keys().find(|it| row.param(it).is_none() && !CARRIED.contains(&it.as_str()));
    let must = row.params.iter().filter(|it| it.required && !it.secret);
    let lacks = must.map(|it| &*it.name).find(|it| !details.contains_key(*it));
    if let Some(extra) = extra {
        let extra = redress::text::quote(extra, 60);
        let known: Vec<_> = row.params.iter().map(|it| &*it.name).collect();
        let expected = format!("{} declares: {}.", row.code, known.join(", "));
        return Some(Err(Complaint::new(format!("details has {extra}."), expected)));
    }
    good_if(lacks.is_none(), || {
        let lacks = lacks.unwrap_or_default();
        Complaint::new(
            format!("details lacks {lacks}."),
            format!("{} always has {lacks}.", row.code),
        )
    })
}

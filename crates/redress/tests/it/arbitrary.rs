//! Strategies: any fault over all shipped rows, and any document in the canonical form of a dialect.

mod documents;

use std::sync::{Arc, LazyLock};

pub(crate) use documents::document;
use proptest::{
    collection::vec,
    option,
    prelude::{Just, Strategy, any, prop_oneof},
    sample::select,
    strategy::BoxedStrategy,
};
use redress::{
    Fault,
    fault::{Basis, Context, NextAction, Origin, Receipt, Similar, Unsaid, Violation},
};
use redress_registry::{Class, Effect, Entry, Retry, RetryKind, Severity, shipped};
use redress_wire::json::RawJson;

/// Every row that ships, once.
pub(crate) static ROWS: LazyLock<Vec<Arc<Entry>>> =
    LazyLock::new(|| shipped::all().flat_map(|it| it.own()).map(Arc::clone).collect());

pub(crate) fn raw(text: &str) -> RawJson {
    RawJson::parse(text.as_bytes()).unwrap()
}

/// A string in JSON, as every writer here writes it.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[ -~]{0,24}",
        1 => any::<String>(),
        1 => Just(String::new()),
        1 => Just("say \"no\"\\\n\u{1}é😀\u{7f}".to_owned()),
    ]
}

/// Compact JSON of any kind, with numbers that a float would spoil and strings in odd spellings.
pub(crate) fn json() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        text().prop_map(|it| quoted(&it)),
        select(vec![
            "null",
            "true",
            "false",
            "0",
            "-0",
            "1.0",
            "1e2",
            "1E+2",
            "-1.50",
            "1180591620717411303424",
            "0.1000000000000000055511151231257827",
            r#""\u0041\/\ud83d\ude00""#,
            "{}",
            "[]",
        ])
        .prop_map(str::to_owned),
        any::<i64>().prop_map(|it| it.to_string()),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|it| format!("[{}]", it.join(","))),
            object(inner),
        ]
    })
    .boxed()
}

fn object(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    vec((text(), inner), 0..4).prop_map(|it| {
        let members: Vec<_> =
            it.iter().map(|(key, value)| format!("{}:{value}", quoted(key))).collect();
        format!("{{{}}}", members.join(","))
    })
}

fn details() -> impl Strategy<Value = Option<RawJson>> {
    option::of(json().prop_map(|it| raw(&it)))
}

fn retry() -> impl Strategy<Value = Retry> {
    (select(RetryKind::ALL), option::of(0..u64::MAX), option::of(any::<u32>()))
        .prop_map(|(kind, after_ms, max)| Retry { kind, after_ms, max })
}

fn context() -> impl Strategy<Value = Context> {
    vec(option::of(text()), 10).prop_map(|values| {
        let mut context = Context::default();
        for (slot, value) in context.members_mut().into_iter().zip(values) {
            *slot = value;
        }
        context
    })
}

fn action() -> impl Strategy<Value = NextAction> {
    let tool = prop_oneof![3 => "[a-z_]{1,12}", 1 => text()];
    let call = (tool, option::of(object(json())))
        .prop_map(|(tool, args)| NextAction::Call { tool, args: args.map(|it| raw(&it)) });
    let words = prop_oneof![text(), Just("electron_snapshot()".to_owned())];
    prop_oneof![3 => call, 1 => words.prop_map(NextAction::Text)]
}

fn similar() -> impl Strategy<Value = Similar> {
    (text(), object(json())).prop_map(|(name, more)| {
        let more = more.strip_prefix('{').unwrap().strip_suffix('}').unwrap();
        let comma = if more.is_empty() { "" } else { "," };
        let text = format!("{{\"ref\":{}{comma}{more}}}", quoted(&name));
        raw(&text).with(Similar::read).flatten().unwrap()
    })
}

fn violation() -> impl Strategy<Value = Violation> {
    (text(), text()).prop_map(|(pointer, reason)| Violation::new(&pointer, &reason, None))
}

/// Only what a row leaves open.
fn occurrence() -> impl Strategy<Value = Fault> {
    let told = (text(), option::of(text()), details(), option::of(text()), context());
    let steps = (vec(action(), 0..3), vec(similar(), 0..3), vec(violation(), 0..3));
    let measured = (option::of(text()), option::of(any::<u64>()), option::of(any::<u64>()));
    let beside = (
        option::of(json()),
        option::of(text()),
        option::of(json()),
        vec((text(), json()), 0..3),
        option::of((any::<u64>(), text())),
    );
    (select(&ROWS[..]), told, steps, measured, beside).prop_map(
        |(row, told, steps, measured, beside)| {
            let mut fault = Fault::of(&row);
            let (message, hint, details, server_text, context) = told;
            fault.message = message;
            fault.hint = hint.unwrap_or(fault.hint);
            (fault.details, fault.server_text, fault.context) = (details, server_text, context);
            (fault.next_actions, fault.similar_refs, fault.violations) = steps;
            (fault.timestamp, fault.elapsed_ms, fault.estimated_tokens) = measured;
            let (cause, stack, rpc_id, extra, ledger) = beside;
            fault.cause = cause.map(|it| raw(&it));
            fault.stack = stack;
            fault.rpc_id = rpc_id.map(|it| raw(&it));
            fault.extra = extra.into_iter().map(|(key, value)| (key, raw(&value))).collect();
            fault.ledger = ledger.map(|(seq, hash)| Receipt { seq, hash });
            fault
        },
    )
}

/// Any fault: also with values that are not its row's, and with parts that a document left out.
pub(crate) fn fault() -> impl Strategy<Value = Fault> {
    let other = (
        option::of(select(&Class::ALL[..])),
        option::of(100u16..600),
        option::of(retry()),
        option::of(any::<u64>()),
        option::of(select(Effect::ALL)),
    );
    let more = (
        (select(&Origin::ALL[..]), option::of(select(&Basis::ALL[..]))),
        option::of(prop_oneof![text(), Just("common".to_owned())]),
        option::of(option::of(any::<i64>())),
        option::of(select(Severity::ALL)),
        any::<(bool, bool)>(),
    );
    (occurrence(), other, more).prop_map(|(mut fault, other, more)| {
        let (class, http, retry, not_before, effect) = other;
        let ((origin, basis), domain, number, severity, unsaid) = more;
        fault.class = class.unwrap_or(fault.class);
        fault.http = http.unwrap_or(fault.http);
        fault.retry = retry.unwrap_or(fault.retry);
        fault.not_before = not_before;
        fault.effect = effect.unwrap_or(fault.effect);
        (fault.origin, fault.basis) = (origin, basis);
        fault.domain = domain.map_or(fault.domain, Into::into);
        fault.number = number.unwrap_or(fault.number);
        fault.severity = severity.unwrap_or(fault.severity);
        let row = Arc::clone(fault.entry());
        fault.unsaid = Unsaid {
            hint: unsaid.0 && fault.hint == row.hint,
            retry: unsaid.1 && fault.retry == row.retry,
        };
        fault
    })
}

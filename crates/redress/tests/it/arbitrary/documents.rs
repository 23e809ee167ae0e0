//! Documents in the canonical form of each dialect, put together without our writers.

use proptest::{
    collection::vec,
    option,
    prelude::{Just, Strategy, any, prop_oneof},
    sample::select,
    strategy::BoxedStrategy,
};
use redress::Dialect;
use redress_registry::Effect;

use super::{ROWS, json, object, quoted, retry, similar, text};

/// A document in a dialect's canonical form, made without our writers.
pub(crate) fn document(dialect: Dialect) -> BoxedStrategy<String> {
    match dialect {
        Dialect::Native => native().boxed(),
        Dialect::AtlasGate => atlas_gate().boxed(),
        Dialect::Workrail => workrail().boxed(),
        Dialect::Rpc => rpc().boxed(),
        Dialect::Stagewright => stagewright().boxed(),
        Dialect::Mailvault => mailvault().boxed(),
        Dialect::ToolFailure => tool_failure().boxed(),
    }
}

fn code(dialect: Dialect) -> impl Strategy<Value = String> {
    select(spellings(dialect)).prop_map(|it| quoted(&it))
}

/// Members in order; what is `None` is left out.
fn joined(members: &[(&str, Option<String>)]) -> String {
    let shown =
        members.iter().filter_map(|(key, value)| Some(format!("{key:?}:{}", value.as_ref()?)));
    format!("{{{}}}", shown.collect::<Vec<_>>().join(","))
}

fn or_null(value: Option<String>) -> String {
    value.unwrap_or_else(|| "null".to_owned())
}

fn words() -> impl Strategy<Value = String> {
    text().prop_map(|it| quoted(&it))
}

fn maybe_words() -> impl Strategy<Value = Option<String>> {
    option::of(words())
}

/// The keys of our own envelope, in its order; the row's own values stand where nothing else may.
fn native() -> impl Strategy<Value = String> {
    let rows =
        select(ROWS.iter().filter(|it| *it.registry == *"core").cloned().collect::<Vec<_>>());
    let lists = (vec(json(), 0..2), vec(words(), 0..3));
    (rows, words(), words(), retry(), select(Effect::ALL), lists, option::of(json()), maybe_words())
        .prop_map(|(row, message, hint, retry, effect, (refs, next), details, tool)| {
            let int = |key: &str, value: Option<u64>| {
                value.map(|it| format!(",\"{key}\":{it}")).unwrap_or_default()
            };
            let list = |it: Vec<String>| (!it.is_empty()).then(|| format!("[{}]", it.join(",")));
            joined(&[
                ("v", Some("1".to_owned())),
                ("code", Some(quoted(&row.code))),
                ("message", Some(message)),
                ("hint", Some(hint)),
                ("class", Some(quoted(row.class.name()))),
                ("http", Some(row.http.to_string())),
                ("retryable", Some(retry.retryable().to_string())),
                (
                    "retry",
                    Some(format!(
                        "{{\"kind\":{:?}{}{}}}",
                        retry.kind.name(),
                        int("after_ms", retry.after_ms),
                        int("max", retry.max.map(Into::into))
                    )),
                ),
                ("effect", Some(quoted(effect.name()))),
                ("origin", Some(quoted("gate"))),
                ("basis", Some(quoted("protocol"))),
                ("next_actions", list(next)),
                ("similar_refs", list(refs.iter().map(|it| format!("{{\"ref\":{it}}}")).collect())),
                ("details", details),
                ("context", tool.map(|it| format!("{{\"tool\":{it}}}"))),
                ("elapsed_ms", Some("3".to_owned())),
            ])
        })
}

fn atlas_gate() -> impl Strategy<Value = String> {
    let cause = json().prop_map(|it| if it == "null" { None } else { Some(it) });
    (
        code(Dialect::AtlasGate),
        words(),
        vec(maybe_words(), 6),
        words(),
        cause,
        words(),
        maybe_words(),
    )
        .prop_map(|(code, message, mut nulls, tool, cause, timestamp, stack)| {
            let mut next = || Some(or_null(nulls.pop().flatten()));
            joined(&[
                ("error_code", Some(code)),
                ("human_message", Some(message)),
                ("role", next()),
                ("session_id", next()),
                ("workspace_root", next()),
                ("tool_name", Some(tool)),
                ("invariant_id", next()),
                ("phase_id", next()),
                ("plan_hash", next()),
                ("cause", Some(or_null(cause))),
                ("timestamp", Some(timestamp)),
                ("stack_trace", stack),
            ])
        })
}

fn workrail() -> impl Strategy<Value = String> {
    let retry = prop_oneof![
        Just("{\"kind\":\"not_retryable\"}".to_owned()),
        Just("{\"kind\":\"retryable_immediate\"}".to_owned()),
        any::<u64>().prop_map(|it| format!("{{\"kind\":\"retryable_after_ms\",\"afterMs\":{it}}}")),
    ];
    let suggestion = maybe_words().prop_map(|it| it.filter(|it| it != "\"\""));
    (code(Dialect::Workrail), words(), retry, suggestion, option::of(json())).prop_map(
        |(code, message, retry, suggestion, details)| {
            joined(&[
                ("code", Some(code)),
                ("message", Some(message)),
                ("retry", Some(retry)),
                ("suggestion", suggestion),
                ("details", details),
            ])
        },
    )
}

fn rpc() -> impl Strategy<Value = String> {
    let id = json().prop_filter("an id is no container", |it| !it.starts_with(['{', '[']));
    let number = prop_oneof![select(vec![1000, 2100, 2603, 4300]), 1i64..1_000_000];
    let data =
        (words(), code(Dialect::Rpc), maybe_words(), option::of(any::<bool>()), maybe_words());
    let protocol = select(vec![-32700, -32600, -32601, -32602, -32603, -32000]);
    (id, number, words(), data, option::of(protocol)).prop_map(
        |(id, number, message, (domain, symbol, details, retryable, stack), protocol)| {
            let named = protocol.is_none() && !symbol.starts_with("\"-");
            let data = joined(&[
                ("domain", Some(domain).filter(|_| named)),
                ("symbol", Some(symbol).filter(|_| named)),
                ("details", details),
                ("retryable", retryable.map(|it| it.to_string())),
                ("stack", stack),
            ]);
            let number = if named { number } else { protocol.unwrap_or(-32601) };
            let error = joined(&[
                ("code", Some(number.to_string())),
                ("message", Some(message)),
                ("data", Some(data).filter(|it| it != "{}")),
            ]);
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}")
        },
    )
}

fn stagewright() -> impl Strategy<Value = String> {
    let head = (words(), code(Dialect::Stagewright), words(), any::<bool>(), 100u16..600);
    let action = prop_oneof![
        text(),
        Just("electron_find({ role: \"button\" })".to_owned()),
        ("[a-z_]{1,12}", object(json())).prop_map(|(tool, args)| format!("{tool}({args})")),
        "[a-z_]{1,12}".prop_map(|it| format!("{it}()")),
    ];
    let refs = vec(similar().prop_map(|it| it.json().to_string()), 0..3);
    let tail = (vec(action, 0..3), refs, option::of(object(json())));
    (head, any::<u64>(), maybe_words(), tail).prop_map(
        |((error, code, hint, retryable, http), elapsed, session, (actions, refs, details))| {
            let list = |it: Vec<String>| (!it.is_empty()).then(|| format!("[{}]", it.join(",")));
            let members = |meta: Option<String>| {
                joined(&[
                    ("ok", Some("false".to_owned())),
                    ("error", Some(error.clone())),
                    ("code", Some(code.clone())),
                    ("hint", Some(hint.clone())),
                    ("retryable", Some(retryable.to_string())),
                    ("http", Some(http.to_string())),
                    ("_meta", meta),
                    ("next_actions", list(actions.iter().map(|it| quoted(it)).collect())),
                    ("similar_refs", list(refs.clone())),
                    ("details", details.clone()),
                ])
            };
            let cost = members(None).encode_utf16().count().div_ceil(4);
            members(Some(joined(&[
                ("estimated_tokens", Some(cost.to_string())),
                ("elapsed_ms", Some(elapsed.to_string())),
                ("session_id", session),
            ])))
        },
    )
}

fn mailvault() -> impl Strategy<Value = String> {
    let details = option::of(prop_oneof![object(json()), Just("{\"retry_after\":60}".to_owned())]);
    (code(Dialect::Mailvault), words(), details).prop_map(|(code, message, details)| {
        joined(&[
            ("error", Some(code)),
            ("message", Some(message)),
            ("details", Some(or_null(details))),
        ])
    })
}

fn tool_failure() -> impl Strategy<Value = String> {
    let class = select(vec!["capability", "reliability", "governance"]);
    let optional = (option::of(any::<bool>()), option::of(any::<u64>()), maybe_words());
    (class, code(Dialect::ToolFailure), optional, words()).prop_map(
        |(class, code, (retryable, not_before, guidance), id)| {
            joined(&[
                ("class", Some(quoted(class))),
                ("code", Some(code)),
                ("retryable", retryable.map(|it| it.to_string())),
                ("retryNotBefore", not_before.map(|it| it.to_string())),
                ("correlationId", Some(id)),
                ("agentGuidance", guidance),
            ])
        },
    )
}

/// What each dialect writes, once.
fn spellings(dialect: Dialect) -> Vec<String> {
    let mut all: Vec<_> = ROWS.iter().map(|it| dialect.spelling(it).into_owned()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

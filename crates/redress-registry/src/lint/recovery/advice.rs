//! Each kind of retry comes with what it needs.

use std::collections::BTreeSet;

use crate::{
    RetryKind, Spanned,
    draft::DraftCode,
    finding::part,
    lint::scope::{Hits, Scope, is_set, param_names, text},
    template,
};

/// Who can act, in hints: a word of these, or its plural.
const PEOPLE: &[&str] = &[
    "admin",
    "administrator",
    "approver",
    "author",
    "colleague",
    "customer",
    "developer",
    "engineer",
    "holder",
    "human",
    "maintainer",
    "manager",
    "operator",
    "owner",
    "people",
    "person",
    "publisher",
    "reviewer",
    "somebody",
    "someone",
    "staff",
    "support",
    "team",
    "user",
    "yourself",
];

/// What can be changed in a call, in hints: a word of these, or its plural.
const ARGUMENTS: &[&str] = &[
    "account",
    "address",
    "argument",
    "attribute",
    "body",
    "branch",
    "call",
    "change",
    "code",
    "column",
    "command",
    "condition",
    "content",
    "count",
    "cursor",
    "data",
    "date",
    "directory",
    "element",
    "expression",
    "extension",
    "field",
    "file",
    "filter",
    "flag",
    "folder",
    "format",
    "hash",
    "header",
    "host",
    "id",
    "identifier",
    "index",
    "input",
    "item",
    "key",
    "keyword",
    "label",
    "language",
    "length",
    "limit",
    "line",
    "locator",
    "message",
    "method",
    "mode",
    "name",
    "number",
    "object",
    "offset",
    "operation",
    "option",
    "page",
    "parameter",
    "params",
    "patch",
    "path",
    "pattern",
    "plan",
    "port",
    "position",
    "property",
    "query",
    "range",
    "record",
    "ref",
    "reference",
    "region",
    "request",
    "role",
    "schema",
    "scope",
    "script",
    "selector",
    "size",
    "sort",
    "source",
    "string",
    "surface",
    "symbol",
    "syntax",
    "table",
    "tag",
    "target",
    "term",
    "text",
    "time",
    "timeout",
    "title",
    "token",
    "tool",
    "type",
    "unit",
    "uri",
    "url",
    "value",
    "version",
    "window",
    "word",
];

/// CK301.
pub(super) fn missing_retry(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes().filter(|it| it.retry.is_none()) {
        hits.on(code, &code.name.span, "There is no retry.", []);
    }
}

/// CK302.
pub(super) fn state_without_next(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for (code, retry) in of_kind(scope, RetryKind::AfterState) {
        if code.next.is_empty() {
            hits.on(code, retry, "after_state names no call to make first.", []);
        }
    }
}

/// CK303.
pub(super) fn delay_without_time(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for (code, retry) in of_kind(scope, RetryKind::AfterDelay) {
        let rule = code.retry.as_ref().map(|it| it.value);
        let per_failure = param_names(code).iter().any(|it| it.starts_with("retry_after"));
        if rule.is_some_and(|it| it.after_ms.is_none() && it.max.is_none()) && !per_failure {
            hits.on(code, retry, "after_delay says neither how long nor how often.", []);
        } else if rule.is_some_and(|it| it.after_ms == Some(0)) {
            hits.on(code, retry, "after_delay waits for 0 ms, which is now.", []);
        }
    }
}

/// CK307.
pub(super) fn unknown_next_tool(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    let own = scope.draft.tools.iter().map(|it| it.value.name.value.as_str());
    let taken = scope.taken.iter().flat_map(|it| it.tools.keys()).map(|it| &**it);
    let tools: BTreeSet<&str> = own.chain(taken).collect();
    if tools.is_empty() {
        return;
    }
    for code in scope.codes() {
        for tool in code.next.iter().filter_map(|it| it.value.tool.as_ref()) {
            if !tools.contains(tool.value.as_str()) {
                let context = [part("tool", tool.value.as_str())];
                hits.on(code, &tool.span, "There is no tool {tool}.", context);
                if let Some(meant) = hits.nearest(&tool.value, tools.iter().copied()) {
                    hits.fix(format!("Write {meant}, or add [tool.{}].", tool.value));
                }
            }
        }
    }
}

/// CK308.
pub(super) fn similar_without_param(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let declared = param_names(code);
        if let Some(similar) = code.similar.as_ref().filter(|it| !declared.contains(&*it.value)) {
            let context = [part("similar", similar.value.as_str())];
            hits.on(code, &similar.span, "There is no parameter {similar}.", context);
            if let Some(meant) = hits.nearest(&similar.value, declared) {
                hits.fix(format!("Write {meant}, or declare params.{}.", similar.value));
            }
        }
    }
}

/// CK309.
pub(super) fn human_without_name(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for (code, _) in of_kind(scope, RetryKind::AfterHuman) {
        if let Some(hint) = code.hint.as_ref().filter(|it| !mentions(&it.value, PEOPLE)) {
            hits.on(code, &hint.span, "The hint does not say who must act.", []);
        }
    }
}

/// CK310. A parameter names the argument, and so does a hint with a word for one. A secret parameter that the message shows counts as well:
/// that it must not be is another rule's finding, and one mistake has one.
pub(super) fn change_without_argument(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for (code, retry) in of_kind(scope, RetryKind::AfterChange) {
        let shown: Vec<&str> = template::params(text(code.message.as_ref())).collect();
        let told = code.params.iter().any(|Spanned { value: it, .. }| {
            !is_set(it.secret.as_ref()) || shown.contains(&it.name.value.as_str())
        });
        let hint = code.hint.as_ref();
        if !told && !mentions(text(hint), ARGUMENTS) {
            let at = hint.map_or(retry, |it| &it.span);
            hits.on(code, at, "Nothing says which argument to change.", []);
        }
    }
}

/// The codes with that kind of retry, and where they say so.
fn of_kind<'a>(
    scope: &Scope<'a>,
    kind: RetryKind,
) -> impl Iterator<Item = (&'a DraftCode, &'a std::ops::Range<usize>)> {
    scope.codes().filter_map(move |code| match &code.retry {
        Some(Spanned { value, span }) if value.kind == kind => Some((code, span)),
        _ => None,
    })
}

fn mentions(text: &str, nouns: &[&str]) -> bool {
    text.split(|it: char| !it.is_alphanumeric()).map(str::to_lowercase).any(|word| {
        let one = word.strip_suffix('s').unwrap_or(&word);
        nouns.contains(&word.as_str()) || nouns.contains(&one)
    })
}

//! Exceptions: what `[[allow]]` silences, and what keeps the exceptions themselves honest.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use semver::Version;

use super::{
    LintCheck, rules,
    scope::{Hits, Scope, text},
};
use crate::{
    Spanned,
    draft::DraftAllow,
    finding::{Finding, part},
    rule::{Grade, Level::Violation, Rule},
};

/// The end of an exception that has none.
const NEVER: &str = "never";

pub(super) const CHECKS: &[LintCheck] = &[
    LintCheck {
        rule: Rule {
            id: "CK506",
            name: "unfounded-exception",
            grade: Grade::Level(Violation),
            summary: "An exception names no rule or no code, has no why or no until, or its \
                      until has come.",
            why: "An exception without a reason and an end is a rule that was switched off.",
            how_to_fix: "Say why, and until which version, or \"never\".",
        },
        run: unfounded,
    },
    LintCheck {
        rule: Rule {
            id: "CK507",
            name: "idle-exception",
            grade: Grade::Level(Violation),
            summary: "An exception silences nothing.",
            why: "It would silence the next mistake, which nobody has looked at.",
            how_to_fix: "Delete the exception.",
        },
        run: idle,
    },
];

/// Takes out what the exceptions of the file silence, and notes those that silence nothing.
pub(super) fn silence(scope: &mut Scope<'_>, found: Vec<Finding>) -> Vec<Finding> {
    let mut allowed: BTreeMap<(&str, String), Vec<Range<usize>>> = BTreeMap::new();
    for allow in scope.draft.allows.iter().filter(|it| !is_over(scope, &it.value)) {
        let code = scope.meant(text(allow.value.code.as_ref()));
        let key = (text(allow.value.rule.as_ref()), code);
        allowed.entry(key).or_default().push(allow.span.clone());
    }
    let mut used = BTreeSet::new();
    let left = found.into_iter().filter(|it| {
        let codes = it.concerned().map(|code| (it.rule, code.to_owned()));
        let keys: Vec<_> = codes.filter(|it| allowed.contains_key(it)).collect();
        let silenced = !keys.is_empty();
        used.extend(keys);
        !silenced
    });
    let left = left.collect();
    let idle = allowed.into_iter().filter(|(key, _)| !used.contains(key)).flat_map(|it| it.1);
    scope.idle = idle.map(|it| it.start).collect();
    left
}

/// CK506.
fn unfounded(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for allow in &scope.draft.allows {
        let DraftAllow { rule, code, why, until } = &allow.value;
        for (field, value) in [("rule", rule), ("code", code), ("why", why), ("until", until)] {
            if text(value.as_ref()).trim().is_empty() {
                hits.at(&allow.span, "The exception has no {field}.", [part("field", field)]);
                name_code(hits, allow);
            }
        }
        if let Some(rule) = rule.as_ref().filter(|it| !can_be_a_rule(&it.value)) {
            let context = [part("rule", rule.value.as_str())];
            hits.at(&rule.span, "There is no rule {rule}.", context);
            name_code(hits, allow);
        }
        let Some(until) = until.as_ref().filter(|it| it.value != NEVER) else { continue };
        let context = [part("until", until.value.as_str())];
        if Version::parse(&until.value).is_err() {
            hits.at(&until.span, "{until} is neither a version nor \"never\".", context);
            name_code(hits, allow);
        } else if is_over(scope, &allow.value) {
            hits.at(&until.span, "The exception ended with {until}.", context);
            name_code(hits, allow);
        }
    }
}

fn name_code(hits: &mut Hits<'_>, allow: &Spanned<DraftAllow>) {
    if let Some(code) = &allow.value.code {
        hits.about(&code.value);
    }
}

/// CK507.
fn idle(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    let judged: BTreeSet<&str> = rules().map(|it| it.id).collect();
    for allow in scope.draft.allows.iter().filter(|it| scope.idle.contains(&it.span.start)) {
        let rule = text(allow.value.rule.as_ref());
        if judged.contains(rule) {
            let context = [part("rule", rule), part("allowed", text(allow.value.code.as_ref()))];
            hits.at(&allow.span, "{rule} finds nothing at {allowed}.", context);
            name_code(hits, allow);
        }
    }
}

fn is_over(scope: &Scope<'_>, allow: &DraftAllow) -> bool {
    let end = allow.until.as_ref().and_then(|it| Version::parse(&it.value).ok());
    end.zip(scope.version()).is_some_and(|(end, now)| end <= now)
}

/// The groups that are listed here are known whole; of the others only the shape is.
fn can_be_a_rule(id: &str) -> bool {
    let digits = id.strip_prefix("CK").or_else(|| id.strip_prefix("DF")).unwrap_or_default();
    let shaped = digits.len() == 3 && digits.bytes().all(|it| it.is_ascii_digit());
    let group = |it: &str| it.get(..3).map(str::to_owned);
    let mut listed = rules().filter(|it| group(it.id) == group(id)).peekable();
    shaped && (listed.peek().is_none() || listed.any(|it| it.id == id))
}

//! `Stated`: what a server itself says about retry and effect. It bounds what anybody is told, whatever a registry row says.

use redress_registry::{Effect, Retry, RetryKind};

use crate::{
    Fault,
    json::{Kind, Value},
    wire::{FAULT_KEY, TOOL_FAILURE_KEY},
};

/// The members of an answer below which a server may state something.
const BELOW: [&str; 5] = ["error", "data", "_x", FAULT_KEY, TOOL_FAILURE_KEY];

/// How deep such members may stand inside each other: a response, its error, the error's data, an envelope, its residue.
const DEEPEST: u8 = 5;

/// What a server states about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stated {
    /// The retry rule that it names.
    retry: Option<Retry>,
    /// It says that the same call must not be made again.
    refuses: bool,
    /// The effect that it names.
    effect: Option<Effect>,
}

impl Stated {
    /// Reads the statements of an object and of the envelopes inside it, in every dialect.
    pub fn read(document: Value<'_>) -> Self {
        Self::default().and_of(document, DEEPEST)
    }

    /// What a reader of a dialect made of a whole envelope: a rule that differs from its row is the server's.
    pub fn of_fault(fault: &Fault) -> Self {
        let row = fault.entry();
        Self {
            retry: (fault.retry != row.retry && !fault.unsaid.retry).then_some(fault.retry),
            refuses: false,
            effect: (fault.effect != row.effect).then_some(fault.effect),
        }
    }

    /// The stricter of two statements.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let retry = match (self.retry, other.retry) {
            (Some(one), Some(another)) => Some(one.stricter(another)),
            (one, another) => one.or(another),
        };
        let refuses = self.refuses || other.refuses;
        Self { retry, refuses, effect: self.effect.max(other.effect) }
    }

    /// Keeps a fault within what the server states: no earlier repeat, no smaller effect. The one place where the stricter wins.
    pub fn limit(self, fault: &mut Fault) {
        if let Some(retry) = self.retry {
            fault.retry = fault.retry.stricter(retry);
        }
        if self.refuses {
            fault.set_retryable(false);
        }
        fault.private.least_effect = fault.private.least_effect.max(self.effect);
        fault.effect = self.effect.map_or(fault.effect, |it| it.max(fault.effect));
    }

    fn and_of(self, object: Value<'_>, levels: u8) -> Self {
        if object.kind() != Kind::Object || levels == 0 {
            return self;
        }
        let mut stated = self;
        // A key that stands there twice counts twice: readers differ on which one holds.
        for (key, value) in object.members() {
            if key.is_str("retryable") {
                stated.refuses |= value.as_bool() != Some(true);
            } else if key.is_str("retry") {
                stated = stated.and(rule(value));
            } else if key.is_str("effect") {
                let effect = value.as_str().and_then(|it| Effect::parse(&it));
                stated = stated.and(Self { effect, ..Self::default() });
            } else if BELOW.iter().any(|it| key.is_str(it)) {
                stated = stated.and_of(value, levels - 1);
            }
        }
        stated
    }
}

/// A retry rule as the dialects write it: an object with a `kind`, or the kind alone. A kind that is not known is a no.
fn rule(retry: Value<'_>) -> Stated {
    let kind = match retry.kind() {
        Kind::Object => retry.get("kind").and_then(Value::as_str),
        Kind::String => retry.as_str(),
        Kind::Bool => {
            return Stated { refuses: retry.as_bool() == Some(false), ..Stated::default() };
        }
        Kind::Number | Kind::Array | Kind::Null => None,
    };
    let Some(kind) = kind else { return Stated::default() };
    let after_ms = ["after_ms", "afterMs"].iter().find_map(|it| retry.get(it)?.as_u64());
    let max = retry.get("max").and_then(Value::as_u64);
    let max = max.map(|it| u32::try_from(it).unwrap_or(u32::MAX));
    let kind = match &*kind {
        "retryable_after_ms" => Some(RetryKind::AfterDelay),
        "retryable" if after_ms.is_some() => Some(RetryKind::AfterDelay),
        "retryable" | "retryable_immediate" => Some(RetryKind::Now),
        kind => RetryKind::parse(kind),
    };
    let rule = kind.map(|kind| Retry { kind, after_ms, max });
    Stated { retry: rule, refuses: rule.is_none(), effect: None }
}

#[cfg(test)]
mod tests {
    use redress_registry::{Effect, Retry, RetryKind};

    use super::Stated;
    use crate::{
        codes,
        json::{Doc, Limits},
    };

    fn limited(document: &str) -> (Retry, Effect) {
        let doc = Doc::parse(document.as_bytes(), Limits::DOCUMENT).unwrap();
        let mut fault = codes::UPSTREAM_UNAVAILABLE.raise([("server", "files")]);
        (fault.retry, fault.effect) = (Retry::after(1_000), Effect::None);
        Stated::read(doc.root()).limit(&mut fault);
        (fault.retry, fault.effect)
    }

    #[test]
    fn every_way_to_say_no_is_final() {
        for document in [
            r#"{"retryable":false}"#,
            r#"{"retryable":null}"#,
            r#"{"retryable":"no"}"#,
            r#"{"retryable":true,"retryable":false}"#,
            r#"{"retry":{"kind":"not_retryable"}}"#,
            r#"{"retry":{"kind":"never"},"retryable":true}"#,
            r#"{"retry":{"kind":"perhaps"}}"#,
            r#"{"retry":"never"}"#,
            r#"{"retry":false}"#,
            r#"{"error":{"code":1001,"data":{"retryable":false}}}"#,
            r#"{"dev.redress/fault":{"retryable":false}}"#,
            r#"{"_x":{"retry":{"kind":"never"}}}"#,
        ] {
            assert_eq!(limited(document).0, Retry::of(RetryKind::Never), "{document}");
        }
    }

    #[test]
    fn a_plain_no_leaves_what_else_may_help() {
        let doc = Doc::parse(br#"{"retry":{"kind":"not_retryable"}}"#, Limits::DOCUMENT).unwrap();
        let mut fault = codes::NOT_FOUND.raise([] as [(&str, &str); 0]);
        Stated::read(doc.root()).limit(&mut fault);
        assert_eq!(fault.retry.kind, RetryKind::AfterChange);
    }

    #[test]
    fn a_yes_loosens_nothing_and_a_wait_is_kept() {
        for (document, retry) in [
            (r#"{"retryable":true}"#, Retry::after(1_000)),
            (r#"{"retry":{"kind":"retryable_immediate"}}"#, Retry::after(1_000)),
            (r#"{"retry":{"kind":"retryable_after_ms","afterMs":250}}"#, Retry::after(250)),
            (r#"{"retry":{"kind":"after_delay","after_ms":9000}}"#, Retry::after(9_000)),
            (
                r#"{"retry":{"kind":"now","after_ms":9000,"max":1}}"#,
                Retry { max: Some(1), ..Retry::after(9_000) },
            ),
            (r#"{"retry":{"kind":"after_change"}}"#, Retry::of(RetryKind::AfterChange)),
            (r#"{"retry":3,"effect":"fade","retries":0}"#, Retry::after(1_000)),
        ] {
            assert_eq!(limited(document), (retry, Effect::None), "{document}");
        }
    }

    #[test]
    fn the_larger_effect_is_told() {
        assert_eq!(limited(r#"{"effect":"done"}"#).1, Effect::Done);
        assert_eq!(limited(r#"{"effect":"partial","effect":"none"}"#).1, Effect::Partial);
        assert_eq!(limited(r#"{"error":{"data":{"_x":{"effect":"unknown"}}}}"#).1, Effect::Unknown);
    }
}

//! `Stated`: what a server itself says about retry and effect. It bounds what every client gets, whatever a registry row says.

mod scan;

use redress_registry::{Effect, Retry, RetryKind};

use crate::Fault;
use redress_wire::json::Value;

/// What a server states about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stated {
    /// The retry rule that it names. Its wait is in `waits`.
    retry: Option<Retry>,
    /// The longest time that it asks to wait, in milliseconds.
    waits: Option<u64>,
    /// The latest time before which it wants no repeat, in milliseconds since 1970.
    not_before: Option<u64>,
    /// It says that the same call must not be made again.
    refuses: bool,
    /// The effect that it names.
    effect: Option<Effect>,
}

impl Stated {
    /// Reads the statements of an envelope, wherever in it they are.
    pub fn read(envelope: Value<'_>) -> Self {
        scan::scan(envelope.raw().as_bytes(), scan::in_envelope)
    }

    /// Reads the statements in any bytes: an envelope inside other text, inside a string, cut or not valid counts, too. A
    /// statement only makes a fault stricter, so that a wrong hit costs no more than a repeat.
    pub fn scan(text: &[u8]) -> Self {
        scan::scan(text, scan::anywhere)
    }

    /// What a reader of a dialect made of a whole envelope: a rule that differs from its row is the server's.
    pub fn of_fault(fault: &Fault) -> Self {
        let row = fault.entry();
        let retry = (fault.retry != row.retry && !fault.unsaid.retry).then_some(fault.retry);
        let effect = (fault.effect != row.effect).then_some(fault.effect);
        Self { effect, ..Self::of_rule(retry) }
    }

    /// A time to wait, in milliseconds.
    pub fn of_wait(after_ms: Option<u64>) -> Self {
        Self { waits: after_ms, ..Self::default() }
    }

    /// A rule with its wait.
    fn of_rule(rule: Option<Retry>) -> Self {
        let waits = rule.and_then(|it| it.after_ms);
        let retry = rule.map(|it| Retry { after_ms: None, ..it });
        Self { retry, waits, ..Self::default() }
    }

    /// A plain no.
    pub(crate) fn no() -> Self {
        Self { refuses: true, ..Self::default() }
    }

    /// The stricter of two statements.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let retry = match (self.retry, other.retry) {
            (Some(one), Some(another)) => Some(one.stricter(another)),
            (one, another) => one.or(another),
        };
        Self {
            retry,
            waits: self.waits.max(other.waits),
            not_before: self.not_before.max(other.not_before),
            refuses: self.refuses || other.refuses,
            effect: self.effect.max(other.effect),
        }
    }

    /// The longest time that the server asks to wait, in milliseconds.
    pub const fn waits(self) -> Option<u64> {
        self.waits
    }

    /// Whether the same call must not be made again: the server says so, or says that something was changed.
    pub fn forbids_repeat(self) -> bool {
        self.refuses
            || self.retry.is_some_and(|it| !it.retryable())
            || self.effect > Some(Effect::Unknown)
    }

    /// Keeps a fault within what the server states: no earlier repeat, no smaller effect. The one place where the stricter wins.
    pub fn limit(self, fault: &mut Fault) {
        if let Some(retry) = self.retry {
            fault.retry = fault.retry.stricter(retry);
        }
        if self.refuses {
            fault.set_retryable(false);
        }
        // The wait of a row is only what holds when a server names none.
        if let Some(wait) = self.waits.filter(|_| fault.retryable()) {
            let kind = if wait > 0 { RetryKind::AfterDelay } else { fault.retry.kind };
            fault.retry = Retry { kind, after_ms: Some(wait), ..fault.retry };
        }
        if fault.retryable() {
            fault.not_before = fault.not_before.max(self.not_before);
        }
        fault.private.least_effect = fault.private.least_effect.max(self.effect);
        fault.effect = self.effect.map_or(fault.effect, |it| it.max(fault.effect));
    }
}

#[cfg(test)]
mod tests {
    use redress_registry::{Effect, Retry, RetryKind};

    use super::Stated;
    use crate::codes;
    use redress_wire::json::{Doc, Limits};

    fn limited(document: &str) -> (Retry, Effect) {
        let doc = Doc::parse(document.as_bytes(), Limits::DOCUMENT).unwrap();
        let mut fault = codes::UPSTREAM_UNAVAILABLE.raise([("server", "files")]);
        (fault.retry, fault.effect) = (Retry::after(1_000), Effect::None);
        Stated::scan(doc.root().raw().as_bytes()).limit(&mut fault);
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
            r#"{"retry":null}"#,
            r#"{"retry":0}"#,
            r#"{"retry":["now"]}"#,
            r#"{"retry":{}}"#,
            r#"{"retry":{"kind":null}}"#,
            r#"{"retry":{"kind":0}}"#,
            r#"{"retry":{"kind":{"kind":"now"},"kind":{}}}"#,
            r#"{"retry":{"Kind":"never"}}"#,
            r#"{"retry":{"kind":"now","kind":"never"}}"#,
            r#"{"retry":{"kind":"now","note":"}","kind":"never"}}"#,
            r#"{"retry":{"kind":" NEVER "}}"#,
            r#"{"Retryable" : false}"#,
            r#"{"retr\u0079able":false}"#,
            r#"{"retry":{"kind":"after_delay","after_ms":-1}}"#,
            r#"{"retry":{"kind":"after_delay","after_ms":1e400}}"#,
            r#"{"retry_after":"later"}"#,
        ] {
            assert_eq!(limited(document).0, Retry::of(RetryKind::Never), "{document}");
        }
    }

    #[test]
    fn statements_count_however_broken_their_envelope_is() {
        let no = r#"{"v":1,"retryable":false,"effect":"done"}"#;
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let deep = format!("{}{no}{}", "[".repeat(99), "]".repeat(99));
        for text in [
            format!("Error executing tool t: {no}"),
            format!("{no} and more"),
            format!("```json\n{no}\n```"),
            format!("\u{feff}{no}"),
            format!("[{no}]"),
            quoted(no),
            quoted(&quoted(no)),
            quoted(&format!("x: {}", quoted(&quoted(no)))),
            quoted(no).replace("\\\"", "\\u0022"),
            quoted(&quoted(no).replace("\\\"", "\\u0022")).replace('\\', "\\u005c"),
            no.replace('}', ",}"),
            no.replace("1,", "NaN,"),
            no.replace("1,", "\"\\ud800\","),
            no.replace('"', "'").replace("false", "False"),
            no.replace(':', " : ").replace(',', "\n,\n"),
            quoted(&no.replace(',', ",\n")),
            no.replace('}', ""),
            deep,
        ] {
            let mut fault = codes::UPSTREAM_UNAVAILABLE.raise([("server", "files")]);
            (fault.retry, fault.effect) = (Retry::after(1_000), Effect::None);
            Stated::scan(text.as_bytes()).limit(&mut fault);
            let told = (fault.retry.kind, fault.effect);
            assert_eq!(told, (RetryKind::Never, Effect::Done), "{text}");
        }
    }

    #[test]
    fn words_that_are_no_members_state_nothing() {
        for text in [
            "This is retryable: no effect: retry",
            "Retry: after 5 s",
            r#"["retryable", "retry", "effect"]"#,
            r#"{"not_an_effect": 1, "kind": "file", "max": 0}"#,
            r#"{"retryable":true,"effect":"none"}"#,
            "\\",
            "\\u00",
            "\"\":",
            ":",
        ] {
            let stated = Stated::scan(text.as_bytes());
            assert!(!stated.forbids_repeat() && stated.effect <= Some(Effect::None), "{text}");
        }
    }

    #[test]
    fn the_longest_wait_and_the_fewest_repeats_count() {
        for wait in ["60000", "60000.0", "6e4", "\"60000\""] {
            let document = format!(
                r#"{{"retry":{{"kind":"after_delay","after_ms":{wait}}},"retry_after":2}}"#
            );
            assert_eq!(limited(&document).0, Retry::after(60_000), "{document}");
        }
        for (time, kind) in [
            ("1800000000000", RetryKind::AfterDelay),
            ("\"tomorrow\"", RetryKind::Never),
            ("-1", RetryKind::Never),
        ] {
            for key in ["not_before", "retryNotBefore"] {
                let mut fault = codes::RATE_LIMITED.raise([] as [(&str, &str); 0]);
                Stated::scan(format!(r#"{{"{key}":{time}}}"#).as_bytes()).limit(&mut fault);
                let until = (kind == RetryKind::AfterDelay).then_some(1_800_000_000_000);
                assert_eq!((fault.retry.kind, fault.not_before), (kind, until), "{key} {time}");
            }
        }
        for max in ["0", "0.0", "-1", "\"x\""] {
            let document = format!(r#"{{"retry":{{"kind":"after_delay","max":{max}}}}}"#);
            assert_eq!(limited(&document).0.max, Some(0), "{document}");
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
            (r#"{"retry":true,"retries":0,"effects":["fade"]}"#, Retry::after(1_000)),
        ] {
            assert_eq!(limited(document), (retry, Effect::None), "{document}");
        }
    }

    #[test]
    fn the_larger_effect_is_told() {
        for done in ["done", "DONE", "Done", "done "] {
            let document = format!(r#"{{"effect":"{done}"}}"#);
            assert_eq!(limited(&document).1, Effect::Done, "{document}");
        }
        for unknown in ["null", "{}", "\"fade\"", "7", "[\"done\"]"] {
            let document = format!(r#"{{"effect":{unknown}}}"#);
            assert_eq!(limited(&document).1, Effect::Unknown, "{document}");
        }
        assert_eq!(limited(r#"{"effect":"partial","effect":"none"}"#).1, Effect::Partial);
        assert_eq!(limited(r#"{"error":{"data":{"_x":{"effect":"unknown"}}}}"#).1, Effect::Unknown);
    }
}

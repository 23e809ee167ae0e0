//! `DeclaredRow`: what a variant says of its code by itself, where no registry file does.

use proc_macro2::Span;
use redress_registry::{Class, Effect, RetryKind, Severity, Stability};

use crate::{
    attributes::{At, Keys},
    mistakes::Mistakes,
};

/// The keys of a row, called as in a registry file; `after_ms` and `max` belong to `retry`.
pub(crate) const KEYS: &[&str] = &[
    "number",
    "domain",
    "class",
    "http",
    "retry",
    "after_ms",
    "max",
    "effect",
    "severity",
    "title",
    "message",
    "hint",
    "next",
    "similar",
    "explain",
    "since",
    "stability",
];

/// The attributes of a variant.
#[derive(Debug, Clone)]
pub struct DeclaredRow {
    pub(crate) number: Option<At<u32>>,
    pub(crate) domain: Option<At<String>>,
    pub(crate) class: Option<At<Class>>,
    pub(crate) http: Option<At<u16>>,
    pub(crate) retry: Option<At<RetryKind>>,
    pub(crate) after_ms: Option<At<u64>>,
    pub(crate) max: Option<At<u32>>,
    pub(crate) effect: Option<At<Effect>>,
    pub(crate) severity: Option<At<Severity>>,
    pub(crate) title: Option<At<String>>,
    pub(crate) message: Option<At<String>>,
    pub(crate) hint: Option<At<String>>,
    pub(crate) next: Option<At<Vec<String>>>,
    pub(crate) similar: Option<At<String>>,
    pub(crate) explain: Option<At<String>>,
    pub(crate) since: Option<At<String>>,
    pub(crate) stability: Option<At<Stability>>,
    /// What is not there, or cannot be read; a row without these cannot be.
    pub(crate) missing: Vec<&'static str>,
}

/// The names of a closed set.
macro_rules! names {
    ($set:ty) => {
        &<$set>::ALL.iter().map(|it| it.name()).collect::<Vec<_>>()
    };
}

/// Takes the keys of a row, if any is there.
pub(crate) fn read(keys: &mut Keys, mistakes: &mut Mistakes) -> Option<DeclaredRow> {
    let present = keys.first_of(KEYS);
    let written: Vec<&str> =
        REQUIRED.iter().copied().filter(|it| keys.first_of(&[it]).is_some()).collect();
    let mut row = DeclaredRow {
        number: keys.whole("number", mistakes),
        domain: keys.text("domain", mistakes),
        class: keys.one_of("class", names!(Class), Class::parse, mistakes),
        http: keys.whole("http", mistakes),
        retry: keys.one_of("retry", names!(RetryKind), RetryKind::parse, mistakes),
        after_ms: keys.whole("after_ms", mistakes),
        max: keys.whole("max", mistakes),
        effect: keys.one_of("effect", names!(Effect), Effect::parse, mistakes),
        severity: keys.one_of("severity", names!(Severity), Severity::parse, mistakes),
        title: keys.text("title", mistakes),
        message: keys.text("message", mistakes),
        hint: keys.text("hint", mistakes),
        next: keys.texts("next", mistakes),
        similar: keys.text("similar", mistakes),
        explain: keys.text("explain", mistakes),
        since: keys.text("since", mistakes),
        stability: keys.one_of("stability", names!(Stability), Stability::parse, mistakes),
        missing: REQUIRED.iter().copied().filter(|it| !written.contains(it)).collect(),
    };
    if let Some(At { value: tools, span }) = &row.next {
        for tool in tools.iter().filter(|it| !is_tool(it)) {
            mistakes.add(
                *span,
                format!(
                    "`{tool}` is no name of a tool: letters, digits, `_`, `-`, `.`, `/` and `:`."
                ),
            );
        }
    }
    let misspelt = keys.misspelt();
    row.missing.retain(|it| !misspelt.contains(it));
    present.map(|_| row)
}

/// Whether a tool can be called so.
fn is_tool(name: &str) -> bool {
    let is_letter = |it: char| it.is_ascii_alphanumeric() || "_-./:".contains(it);
    !name.is_empty() && name.chars().all(is_letter)
}

/// What a row cannot be without.
const REQUIRED: &[&str] = &["class", "retry", "message", "hint"];

impl DeclaredRow {
    /// Where a key of the registry file comes from.
    pub(crate) fn place(&self, key: &str) -> Option<Span> {
        fn at<T>(value: Option<&At<T>>) -> Option<Span> {
            value.map(|it| it.span)
        }
        match key {
            "number" => at(self.number.as_ref()),
            "domain" => at(self.domain.as_ref()),
            "class" => at(self.class.as_ref()),
            "http" => at(self.http.as_ref()),
            "retry" => {
                at(self.after_ms.as_ref()).or(at(self.max.as_ref())).or(at(self.retry.as_ref()))
            }
            "effect" => at(self.effect.as_ref()),
            "severity" => at(self.severity.as_ref()),
            "title" => at(self.title.as_ref()),
            "message" => at(self.message.as_ref()),
            "hint" => at(self.hint.as_ref()),
            "next" => at(self.next.as_ref()),
            "similar" => at(self.similar.as_ref()),
            "explain" => at(self.explain.as_ref()),
            "since" => at(self.since.as_ref()),
            "stability" => at(self.stability.as_ref()),
            _ => None,
        }
    }
}

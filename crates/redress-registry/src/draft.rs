//! `Draft`: a registry file as it was written, each value at its place, nothing filled in.
//!
//! The reader makes a draft, the lint reads it, and [`Registry`](crate::Registry) is what it means.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::{Class, Effect, Operation, ParamType, Retry, Severity, Source, Spanned, Stability};

/// A value that may be missing.
pub type Field<T> = Option<Spanned<T>>;

/// A field's value without its place.
pub trait Written<T> {
    /// What was written, if anything was.
    fn written(&self) -> Option<T>;
}

impl<T: Clone> Written<T> for Field<T> {
    fn written(&self) -> Option<T> {
        self.as_ref().map(|it| it.value.clone())
    }
}

/// A registry file as written.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The file.
    pub source: Source,
    /// `[registry] name`.
    pub name: Field<String>,
    /// `[registry] version`.
    pub version: Field<String>,
    /// `[registry] docs_base`.
    pub docs_base: Field<String>,
    /// `extends`, at the top or in `[registry]`.
    pub extends: Vec<Spanned<String>>,
    /// `[plugin]`.
    pub plugin: Option<DraftPlugin>,
    /// `[defaults]`.
    pub defaults: DraftDefaults,
    /// `[domain.X]`, in order.
    pub domains: Vec<Spanned<DraftDomain>>,
    /// `[code.X]`, in order.
    pub codes: Vec<Spanned<DraftCode>>,
    /// `[retired.X]`, in order.
    pub retired: Vec<Spanned<DraftRetired>>,
    /// `[override.X]`, in order.
    pub overrides: Vec<Spanned<DraftOverride>>,
    /// `[tool.X]`, in order.
    pub tools: Vec<Spanned<DraftTool>>,
    /// `[[allow]]`, in order.
    pub allows: Vec<Spanned<DraftAllow>>,
    /// `[[match]]`, in order.
    pub matches: Vec<Spanned<DraftMatch>>,
}

/// `[plugin]`.
#[derive(Debug, Clone)]
pub struct DraftPlugin {
    /// The namespace of every code in the file.
    pub namespace: Field<String>,
    /// The versions of core it works with.
    pub core: Field<String>,
}

/// `[defaults]`.
#[derive(Debug, Clone, Default)]
pub struct DraftDefaults {
    /// For codes that name none.
    pub severity: Field<Severity>,
    /// For codes that name none.
    pub stability: Field<Stability>,
    /// For codes that name none.
    pub effect: Field<Effect>,
    /// For codes that name none.
    pub since: Field<String>,
}

/// `[domain.X]`. The span of every `name` below is that of the key in the table's header.
#[derive(Debug, Clone)]
pub struct DraftDomain {
    /// The key.
    pub name: Spanned<String>,
    /// `title`.
    pub title: Field<String>,
    /// `range = [first, last]`.
    pub range: Field<(i64, i64)>,
}

/// `[code.X]`.
#[derive(Debug, Clone)]
pub struct DraftCode {
    /// The key.
    pub name: Spanned<String>,
    /// `number`; any integer, the lint judges it.
    pub number: Field<i64>,
    /// `domain`.
    pub domain: Field<String>,
    /// `class`.
    pub class: Field<Class>,
    /// `http`; any integer, the lint judges it.
    pub http: Field<i64>,
    /// `retry`.
    pub retry: Field<Retry>,
    /// `effect`.
    pub effect: Field<Effect>,
    /// `severity`.
    pub severity: Field<Severity>,
    /// `title`.
    pub title: Field<String>,
    /// `message`.
    pub message: Field<String>,
    /// `hint`.
    pub hint: Field<String>,
    /// `next`.
    pub next: Vec<Spanned<DraftNext>>,
    /// `similar`.
    pub similar: Field<String>,
    /// `params.X`, in order.
    pub params: Vec<Spanned<DraftParam>>,
    /// `explain`.
    pub explain: Field<String>,
    /// `example`.
    pub example: Field<Map<String, Value>>,
    /// `since`.
    pub since: Field<String>,
    /// `stability`.
    pub stability: Field<Stability>,
    /// `deprecated`.
    pub deprecated: Option<Spanned<DraftDeprecated>>,
    /// `alias`: dialect, spellings.
    pub alias: Vec<(Spanned<String>, Vec<Spanned<String>>)>,
}

/// One of `next`.
#[derive(Debug, Clone)]
pub struct DraftNext {
    /// `tool`.
    pub tool: Field<String>,
    /// `args`.
    pub args: Field<Map<String, Value>>,
}

/// One of `params`.
#[derive(Debug, Clone)]
pub struct DraftParam {
    /// The key.
    pub name: Spanned<String>,
    /// `type`.
    pub kind: Field<ParamType>,
    /// `doc`.
    pub doc: Field<String>,
    /// `required`.
    pub required: Field<bool>,
    /// `enum`.
    pub values: Vec<Spanned<String>>,
    /// `untrusted`.
    pub untrusted: Field<bool>,
    /// `secret`.
    pub secret: Field<bool>,
    /// `max_chars`.
    pub max_chars: Field<i64>,
}

/// `deprecated`.
#[derive(Debug, Clone)]
pub struct DraftDeprecated {
    /// `since`.
    pub since: Field<String>,
    /// `reason`.
    pub reason: Field<String>,
    /// `to`.
    pub to: Field<String>,
    /// `until`.
    pub until: Field<String>,
}

/// `[retired.X]`.
#[derive(Debug, Clone)]
pub struct DraftRetired {
    /// The key.
    pub name: Spanned<String>,
    /// `number`.
    pub number: Field<i64>,
    /// `since`.
    pub since: Field<String>,
    /// `why`.
    pub why: Field<String>,
    /// `to`.
    pub to: Field<String>,
}

/// `[override.X]`: texts for a code that another registry declares.
#[derive(Debug, Clone)]
pub struct DraftOverride {
    /// The key.
    pub name: Spanned<String>,
    /// `message`.
    pub message: Field<String>,
    /// `hint`.
    pub hint: Field<String>,
    /// `next`.
    pub next: Vec<Spanned<DraftNext>>,
}

/// `[tool.X]`.
#[derive(Debug, Clone)]
pub struct DraftTool {
    /// The key.
    pub name: Spanned<String>,
    /// `may`.
    pub may: Vec<Spanned<String>>,
    /// `operation`.
    pub operation: Field<Operation>,
    /// `read_only`.
    pub read_only: Field<bool>,
    /// `idempotent`.
    pub idempotent: Field<bool>,
    /// `paths`.
    pub paths: Vec<Spanned<String>>,
    /// `content`.
    pub content: Field<String>,
    /// `patch`.
    pub patch: Field<String>,
}

/// `[[allow]]`.
#[derive(Debug, Clone)]
pub struct DraftAllow {
    /// `rule`.
    pub rule: Field<String>,
    /// `code`.
    pub code: Field<String>,
    /// `why`.
    pub why: Field<String>,
    /// `until`.
    pub until: Field<String>,
}

/// `[[match]]`.
#[derive(Debug, Clone)]
pub struct DraftMatch {
    /// `tool`.
    pub tool: Field<String>,
    /// `text`.
    pub text: Field<String>,
    /// `pattern`.
    pub pattern: Field<String>,
    /// `json`.
    pub json: Field<Map<String, Value>>,
    /// `rpc_code`.
    pub rpc_code: Field<i64>,
    /// `status`.
    pub status: Field<i64>,
    /// `code`.
    pub code: Field<String>,
    /// `effect`.
    pub effect: Field<Effect>,
    /// `silent`.
    pub silent: Field<bool>,
    /// `example`.
    pub example: Field<String>,
}

impl Draft {
    /// The full name of a code in this file: a plugin's rows may leave their namespace out.
    pub fn full_name(&self, written: &str) -> String {
        match self.plugin.as_ref().and_then(|it| it.namespace.as_ref()) {
            Some(namespace) if !written.contains('.') => format!("{}.{written}", namespace.value),
            _ => written.to_owned(),
        }
    }

    /// The code of that name as written.
    pub fn code(&self, name: &str) -> Option<&DraftCode> {
        self.codes.iter().map(|it| &it.value).find(|it| it.name.value == name)
    }

    /// Where the file as a whole is blamed: its `[registry]` name, else its start.
    pub fn head(&self) -> Range<usize> {
        self.name.as_ref().map_or(0..0, |it| it.span.clone())
    }
}

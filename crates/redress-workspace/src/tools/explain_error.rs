//! `explain_error`: what a code means, from the same row that every failure with it is made of.

use std::sync::Arc;

use redress::{Contract as _, Fault, card};
use redress_registry::{Entry, FoundCode, Registry, find, nearest::nearest_n, shipped};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::Brief;
use crate::{
    Workspace,
    error::{Refused, WorkspaceError},
};

/// How many codes are suggested.
const MOST_NEAR: usize = 3;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainErrorArguments {
    /// A code such as `FILE_NOT_FOUND`, its number, or its spelling in a dialect.
    #[schemars(length(min = 1, max = 100))]
    code: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplainErrorAnswer {
    code: String,
    title: String,
    class: String,
    http: u16,
    /// When to call again: `now`, `after_delay`, `after_change`, `after_state`, `after_human`, `never`.
    retry: String,
    /// Whether the failed call may have changed something.
    effect: String,
    hint: String,
    /// What it means, for people.
    explain: String,
    /// What the model reads, by an example.
    card: String,
}

impl Brief for ExplainErrorAnswer {
    fn brief(&self) -> String {
        let Self { code, title, retry, effect, hint, explain, .. } = self;
        format!(
            "{code}: {title}\nRetry: {retry}. Effect: {effect}.\nFix: {hint}\n{}",
            explain.trim()
        )
    }
}

pub(crate) fn run(
    _: &Workspace,
    ask: &ExplainErrorArguments,
) -> Result<ExplainErrorAnswer, Refused> {
    let hit = find(&ask.code, registries()).into_iter().find_map(|it| match it {
        FoundCode::Code(entry, _) => Some(page(entry, &Fault::example(entry))),
        FoundCode::Retired(..) => None,
    });
    hit.ok_or_else(|| {
        let near = near(&ask.code);
        WorkspaceError::NotFound { kind: "code", id: ask.code.clone(), near }.at("/code")
    })
}

/// Whether any registry has a code of that name.
pub(super) fn is_known(code: &str) -> bool {
    registries().iter().any(|it| it.codes.contains_key(code))
}

/// The codes whose names are near to one.
pub(super) fn near(code: &str) -> Vec<String> {
    let known = registries().into_iter().flat_map(|it| it.codes.values()).map(|it| &*it.code);
    let near = nearest_n(&code.to_ascii_uppercase(), known, MOST_NEAR);
    near.into_iter().map(str::to_owned).collect()
}

fn registries() -> Vec<&'static Arc<Registry>> {
    std::iter::once(WorkspaceError::registry()).chain(shipped::all()).collect()
}

fn page(entry: &Entry, example: &Fault) -> ExplainErrorAnswer {
    ExplainErrorAnswer {
        code: entry.code.to_string(),
        title: entry.title.clone(),
        class: entry.class.name().to_owned(),
        http: entry.http,
        retry: entry.retry.kind.name().to_owned(),
        effect: entry.effect.name().to_owned(),
        hint: entry.hint.clone(),
        explain: entry.explain.clone(),
        card: card(example),
    }
}

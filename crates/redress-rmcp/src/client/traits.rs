//! What a server says about its tools, learnt once from `tools/list`, and only from servers that are believed.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use redress::outcome::ToolTraits;
use rmcp::{RoleClient, model::Tool, service::Peer};

/// A list that takes longer is no help for a call that waits for it.
const LIST_LIMIT: Duration = Duration::from_secs(5);

/// What is known about the tools of a server.
#[derive(Debug, Default)]
pub(super) struct Traits {
    is_trusted: bool,
    known: Mutex<BTreeMap<String, ToolTraits>>,
}

impl Traits {
    pub(super) fn trusted() -> Self {
        Self { is_trusted: true, ..Self::default() }
    }

    /// What is known about a tool. Its server is asked for the list when it is not in the last one.
    pub(super) async fn of(&self, tool: &str, server: &Peer<RoleClient>) -> ToolTraits {
        if !self.is_trusted {
            return ToolTraits::default();
        }
        if let Some(known) = self.known().get(tool) {
            return *known;
        }
        if let Ok(Ok(tools)) = tokio::time::timeout(LIST_LIMIT, server.list_all_tools()).await {
            *self.known() = tools.iter().map(|it| (it.name.to_string(), traits(it))).collect();
        }
        self.known().get(tool).copied().unwrap_or_default()
    }

    fn known(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, ToolTraits>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn traits(tool: &Tool) -> ToolTraits {
    let hints = tool.annotations.as_ref();
    ToolTraits {
        read_only: hints.and_then(|it| it.read_only_hint) == Some(true),
        idempotent: hints.and_then(|it| it.idempotent_hint) == Some(true),
        trusted: true,
    }
}

//! `Catalog`: what is known of the handler's tools: their schemas, ready to check, and what they do.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use redress::{describe, outcome::ToolTraits};
use redress_registry::{Operation, Registry};
use rmcp::model::{JsonObject, Tool};

use crate::{schema::Schema, settings::ContractSettings};

/// One tool.
#[derive(Debug)]
pub(crate) struct KnownTool {
    /// Its name, which costs nothing to copy where its author wrote it down.
    pub(crate) name: Cow<'static, str>,
    /// What it does; a tool without it is not served.
    pub(crate) operation: Option<Operation>,
    pub(crate) traits: ToolTraits,
    pub(crate) input: Schema,
    pub(crate) output: Option<Schema>,
}

impl KnownTool {
    fn new(tool: &Tool, settings: &ContractSettings, registry: &Registry) -> Self {
        let row = registry.tools.get(&*tool.name);
        let hints = tool.annotations.as_ref();
        let operation = settings.operation(&tool.name, registry);
        // What the tool itself says is more exact than what its kind of operation usually does.
        let reads = hints.and_then(|it| it.read_only_hint);
        let reads = reads.unwrap_or_else(|| operation.is_some_and(Operation::reads));
        let is_idempotent = hints.and_then(|it| it.idempotent_hint).unwrap_or_default();
        Self {
            name: tool.name.clone(),
            operation,
            traits: ToolTraits {
                read_only: reads || row.is_some_and(|it| it.read_only),
                idempotent: is_idempotent || row.is_some_and(|it| it.idempotent),
                // Registry and annotations are by the author of the server that this runs in.
                trusted: true,
            },
            input: Schema::new(&tool.input_schema),
            output: tool.output_schema.as_ref().map(Schema::new),
        }
    }

    /// Tells clients what is known of the tool, where it says nothing about that itself.
    pub(crate) fn describe(&self, tool: &mut Tool, registry: &Registry) {
        let said = tool.description.as_deref().unwrap_or_default();
        let row = registry.tools.get(&*tool.name);
        if let Some(description) = row.and_then(|it| describe(said, it, registry)) {
            tool.description = Some(description.into());
        }
        let ToolTraits { read_only, idempotent, .. } = self.traits;
        if read_only || idempotent {
            let hints = tool.annotations.get_or_insert_default();
            hints.read_only_hint = hints.read_only_hint.or(read_only.then_some(true));
            hints.idempotent_hint = hints.idempotent_hint.or(idempotent.then_some(true));
        }
    }

    /// Whether this was made from such a tool.
    fn is_of(&self, tool: &Tool) -> bool {
        let output = self.output.as_ref().map(Schema::source);
        same(self.input.source(), &tool.input_schema)
            && match (output, &tool.output_schema) {
                (Some(known), Some(given)) => same(known, given),
                (known, given) => known.is_none() && given.is_none(),
            }
    }
}

fn same(known: &Arc<JsonObject>, given: &Arc<JsonObject>) -> bool {
    Arc::ptr_eq(known, given) || known == given
}

/// What is known of the handler's tools, by name.
#[derive(Debug, Default)]
pub(crate) struct Catalog(RwLock<KnownTools>);

#[derive(Debug, Default)]
struct KnownTools {
    known: BTreeMap<String, Arc<KnownTool>>,
    /// The names in the order of the list; `None` until a whole one was seen.
    names: Option<Arc<[String]>>,
}

impl Catalog {
    pub(crate) fn get(&self, tool: &str) -> Option<Arc<KnownTool>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).known.get(tool).map(Arc::clone)
    }

    /// The names of all tools, once they were listed.
    pub(crate) fn names(&self) -> Option<Arc<[String]>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).names.as_ref().map(Arc::clone)
    }

    /// Forgets all tools: the codes that say what they do have changed.
    pub(crate) fn forget(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = KnownTools::default();
    }

    /// Learns tools. `is_whole` says that there are no others.
    pub(crate) fn learn(
        &self,
        tools: &[Tool],
        is_whole: bool,
        (settings, registry): (&ContractSettings, &Registry),
    ) {
        let mut known = BTreeMap::new();
        for tool in tools {
            let before = self.get(&tool.name).filter(|it| it.is_of(tool));
            let now = before.unwrap_or_else(|| Arc::new(KnownTool::new(tool, settings, registry)));
            known.insert(tool.name.to_string(), now);
        }
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if is_whole {
            let names = tools.iter().map(|it| it.name.to_string()).collect();
            *all = KnownTools { known, names: Some(names) };
        } else {
            all.known.extend(known);
        }
    }
}

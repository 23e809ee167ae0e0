//! `Manifest`: what each tool of a governed server does, from its contract. A tool that is not in it is not served.

use globset::{Glob, GlobSet, GlobSetBuilder};
use redress_registry::{Operation, Registry};

/// What each tool does.
#[derive(Debug, Default)]
pub struct Manifest {
    tools: Vec<(Box<str>, ToolPolicy)>,
    /// The tools that may run code of their callers.
    eval: GlobSet,
}

/// What one tool does.
#[derive(Debug)]
pub(crate) struct ToolPolicy {
    operation: Operation,
    reads: bool,
    /// JSON pointers to arguments that are paths.
    pub(crate) paths: Vec<String>,
    /// A pointer to what the files get as their content, and one to a patch.
    pub(crate) content: Option<String>,
    pub(crate) patch: Option<String>,
}

impl ToolPolicy {
    /// Whether it only reads.
    pub(crate) const fn reads(&self) -> bool {
        self.reads
    }

    /// Whether it changes files.
    pub(crate) const fn writes(&self) -> bool {
        !self.reads && matches!(self.operation, Operation::Command)
    }

    /// Whether it runs code of its caller.
    pub(crate) const fn is_eval(&self) -> bool {
        matches!(self.operation, Operation::Eval)
    }
}

impl Manifest {
    /// The tools of a contract that have an operation, and patterns of those that may run code of their callers.
    ///
    /// # Errors
    /// The first pattern that is none.
    pub fn new(contract: &Registry, eval: &[String]) -> Result<Self, String> {
        let policy = |tool: &redress_registry::model::Tool| {
            tool.operation.map(|operation| ToolPolicy {
                operation,
                reads: tool.reads(),
                paths: tool.paths.clone(),
                content: tool.content.clone(),
                patch: tool.patch.clone(),
            })
        };
        let tools = contract.tools.iter();
        let tools = tools.filter_map(|(name, tool)| Some((name.clone(), policy(tool)?))).collect();
        let mut set = GlobSetBuilder::new();
        for pattern in eval {
            set.add(Glob::new(pattern).map_err(|it| it.to_string())?);
        }
        Ok(Self { tools, eval: set.build().map_err(|it| it.to_string())? })
    }

    /// How many tools it knows.
    pub const fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether it knows none.
    pub const fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Whether any tool of it may run code of its callers.
    pub fn runs_code(&self) -> bool {
        self.tools.iter().any(|(name, it)| it.is_eval() && self.is_served(name, it))
    }

    /// The tools that clients may see.
    pub(crate) fn served(&self) -> impl Iterator<Item = &str> {
        let served = self.tools.iter().filter(|(name, it)| self.is_served(name, it));
        served.map(|it| &*it.0)
    }

    pub(crate) fn get(&self, tool: &str) -> Option<&ToolPolicy> {
        self.tools.iter().find(|it| *it.0 == *tool).map(|it| &it.1)
    }

    /// Whether clients may see it: code is run only where that is allowed.
    pub(crate) fn is_served(&self, tool: &str, policy: &ToolPolicy) -> bool {
        !policy.is_eval() || self.eval.is_match(tool)
    }
}

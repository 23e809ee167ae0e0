//! `Tools`: what is known of a server's tools, learnt from the lists that pass.

use std::borrow::Cow;

use indexmap::IndexMap;
use redress::outcome::ToolTraits;
use redress_wire::json::{Kind, Value};
use rustc_hash::FxBuildHasher;

use crate::header_params::HeaderParams;

/// The most tools that are kept.
const MOST: usize = 10_000;

/// The longest name of a tool that is kept.
const LONGEST_NAME: usize = 1 << 10;

/// The most arguments of a tool that are kept, and the longest name of one.
const MOST_PARAMETERS: usize = 64;
const LONGEST_PARAMETER: usize = 64;

/// What is known of the tools.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    facts: IndexMap<String, ToolFacts, FxBuildHasher>,
    /// The names of their arguments.
    parameters: IndexMap<String, Box<[String]>, FxBuildHasher>,
    /// The cursor of the page that follows those which were seen from the first on.
    next: Option<Box<str>>,
    /// Every name, once the last page followed the others.
    all: Option<Vec<String>>,
    /// Whether an earlier process listed them; the present one may have others.
    is_old: bool,
    own: ListRequest,
    /// The arguments that stand in headers, too.
    pub(crate) header_params: HeaderParams,
}

/// Whether we ask for the list ourselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ListRequest {
    /// Only if it is needed to judge a failure.
    #[default]
    Perhaps,
    /// Before the next call: it was known before it changed, or a failure would have been another one with it.
    Wanted,
    /// We did since it last changed.
    Asked,
}

/// What is known of one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ToolFacts {
    /// Its results have a schema, so that a failure must not fill `structuredContent`.
    pub(crate) has_output_schema: bool,
    read_only: bool,
    idempotent: bool,
}

impl ToolFacts {
    /// What a failure of the tool may have done.
    pub(crate) const fn traits(self, trusted: bool) -> ToolTraits {
        ToolTraits { read_only: self.read_only, idempotent: self.idempotent, trusted }
    }
}

impl Tools {
    /// The tool of that name, if it was listed.
    pub(crate) fn get(&self, name: &str) -> Option<ToolFacts> {
        self.facts.get(name).copied()
    }

    /// Whether a tool of that name was listed.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.facts.contains_key(name)
    }

    /// The names of a tool's arguments, as far as its schema has them.
    pub(crate) fn parameters(&self, name: &str) -> &[String] {
        self.parameters.get(name).map(|it| &**it).unwrap_or_default()
    }

    /// Every tool, if the whole list was seen.
    pub(crate) fn all(&self) -> Option<&[String]> {
        self.all.as_deref()
    }

    /// Whether asking for the list would tell more; it is asked for once.
    pub(crate) fn is_worth_asking(&self, name: &str) -> bool {
        self.own != ListRequest::Asked
            && (self.all.is_none() || self.is_old)
            && self.get(name).is_none()
    }

    /// Notes that the list was asked for.
    pub(crate) const fn asked(&mut self) {
        self.own = ListRequest::Asked;
    }

    /// A call of an unknown tool failed without an answer.
    pub(crate) fn want(&mut self, name: &str) {
        if self.own == ListRequest::Perhaps && self.get(name).is_none() {
            self.own = ListRequest::Wanted;
        }
    }

    /// Whether the list is to be asked for before a call: a failure without an answer leaves no time for that.
    pub(crate) fn is_wanted(&self) -> bool {
        self.own == ListRequest::Wanted
    }

    /// Forgets everything: the list has changed.
    pub(crate) fn forget(&mut self) {
        let is_wanted = self.all.is_some() || self.is_wanted();
        let own = if is_wanted { ListRequest::Wanted } else { ListRequest::Perhaps };
        *self = Self { own, ..Self::default() };
    }

    /// The server is a new process. Its tools are most likely the same, and a failure must not look another way until they are listed.
    pub(crate) const fn outlive_process(&mut self) {
        self.is_old = true;
        if matches!(self.own, ListRequest::Asked) {
            self.own = ListRequest::Perhaps;
        }
    }

    /// Takes in the page of the list that was asked for with a cursor, the first one without, and gives the cursor of the
    /// next one. Between pages the list may change, and a client may ask for any of them alone.
    pub(crate) fn learn<'d>(
        &mut self,
        result: Value<'d>,
        cursor: Option<&str>,
    ) -> Option<Value<'d>> {
        // What is no list tells nothing, least of all that there are no tools.
        let tools = result.get("tools").filter(|it| it.kind() == Kind::Array)?;
        if cursor.is_none() {
            self.facts.clear();
            self.parameters.clear();
            self.is_old = false;
        }
        let follows = cursor.is_none_or(|it| self.next.as_deref() == Some(it));
        let left_out = tools.elements().filter(|it| !self.keep(*it)).count();
        let are_kept = left_out == 0;
        let next = result.get("nextCursor").filter(|it| it.kind() == Kind::String);
        if follows {
            let is_last = are_kept && next.is_none();
            self.all = is_last.then(|| self.facts.keys().cloned().collect());
            self.next = next.filter(|_| are_kept).and_then(Value::as_str).map(Into::into);
        }
        next
    }

    /// Keeps what is known of a tool; `false` if there is no room for it.
    fn keep(&mut self, tool: Value<'_>) -> bool {
        let Some(name) = tool.get("name").and_then(Value::as_str) else { return true };
        let has_room = self.facts.len() < MOST || self.facts.contains_key(&*name);
        if !has_room || name.len() > LONGEST_NAME {
            return false;
        }
        self.header_params.learn_tool(tool);
        let hint = |key| tool.path(&["annotations", key]).and_then(Value::as_bool);
        let facts = ToolFacts {
            has_output_schema: tool.get("outputSchema").is_some_and(|it| !it.is_null()),
            read_only: hint("readOnlyHint") == Some(true),
            idempotent: hint("idempotentHint") == Some(true),
        };
        self.parameters.insert(name.clone().into_owned(), parameters(tool));
        self.facts.insert(name.into_owned(), facts);
        true
    }
}

/// The names of a tool's arguments.
fn parameters(tool: Value<'_>) -> Box<[String]> {
    let named = tool.path(&["inputSchema", "properties"]);
    let names = named.into_iter().flat_map(Value::members).filter_map(|it| it.0.as_str());
    let names = names.filter(|it| it.len() <= LONGEST_PARAMETER).map(Cow::into_owned);
    names.take(MOST_PARAMETERS).collect()
}

#[cfg(test)]
mod tests;

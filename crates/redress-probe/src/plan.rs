//! The plan: every call that must fail, made from what a server says of its tools; the same for the same seed.

mod calls;
mod rng;
mod safety;
mod schema;
mod server;
mod tool;
mod values;

use serde_json::Value;

pub(crate) use self::tool::ListedTool;
use crate::client::{Era, MOST_TOOLS};

/// One thing that is tried.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// As `--only` takes it: `tool/kind/argument`, or `server/kind`.
    pub(crate) id: String,
    /// The tool, as a place in the list of tools.
    pub(crate) tool: Option<usize>,
    /// What is tried, one sentence.
    pub(crate) about: String,
    pub(crate) action: Action,
    pub(crate) expect: Expect,
    /// The arguments that are wrong; an answer should name one of them.
    pub(crate) wrong: Vec<String>,
    /// Run twice, so that the answers can be compared.
    pub(crate) twice: bool,
}

/// What is sent.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// A call; without arguments at all, if there are none.
    Call { tool: String, arguments: Option<Value> },
    /// A well-formed request.
    Request { method: String, params: Value },
    /// A request whose members are not as they should be; it gets an id.
    Odd(Value),
    /// Bytes that are no request.
    Broken(Vec<u8>),
    /// A notification, which has no answer.
    Notification { method: String, params: Value },
    /// A request that is taken back at once.
    Cancelled { method: String, params: Value },
    /// So many requests at once.
    Concurrent { method: String, params: Value, times: usize },
    /// Two requests with one id.
    SameId { method: String, params: Value },
    /// A greeting with a revision that does not exist.
    Greeting(String),
}

/// What a good server does about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    /// It refuses the arguments: they do not fit the schema.
    Refusal,
    /// It fails, as an error of the protocol or of the tool.
    Failure,
    /// It says that there is no such tool.
    UnknownTool,
    /// It answers with an error that has one of these codes.
    Error(&'static [i64]),
    /// It greets with a revision of its own, or says which it speaks.
    OwnRevision,
    /// It may do what was asked. If it fails, it fails well.
    Anything,
    /// The same, for a path to a file that is none of the server's business.
    Outside,
    /// It says nothing.
    Quiet,
    /// It lives on.
    Life,
}

/// What is to be run, and what is left out.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// In the order in which they are run: a round of each tool, so that a small budget reaches all.
    pub(crate) cases: Vec<Case>,
    /// How many of each tool are left out, since they might change something.
    pub(crate) left_out: Vec<usize>,
}

/// What may be done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) seed: u64,
    pub(crate) allow_effects: bool,
    /// Whether each tool that only reads is called once as its schema asks for, too.
    pub(crate) with_valid: bool,
    /// Whether only the fewest calls are made that show how the server fails.
    pub(crate) is_quick: bool,
    /// Cases by their ids, or by what their ids start with; none, all.
    pub(crate) only: &'a [String],
}

/// Everything that is tried with a server.
pub(crate) fn plan(tools: &[ListedTool], era: &Era, rules: Rules<'_>) -> Plan {
    let mut plan = Plan { cases: server::cases(era, rules.seed), left_out: Vec::new() };
    let mut columns = Vec::new();
    for (at, tool) in tools.iter().enumerate() {
        let (cases, left_out) = calls::cases(at, tool, rules);
        plan.left_out.push(left_out);
        columns.push(cases.into_iter());
    }
    loop {
        let round: Vec<Case> = columns.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            break;
        }
        plan.cases.extend(round);
    }
    plan.cases.retain(|it| is_wanted(&it.id, rules.only));
    if rules.is_quick {
        shorten(&mut plan, tools);
    }
    plan
}

/// Leaves a call of a tool that does not exist, and the first one with an argument of a wrong type of each tool that only reads.
fn shorten(plan: &mut Plan, tools: &[ListedTool]) {
    let mut seen = vec![false; tools.len()];
    plan.cases.retain_mut(|case| {
        case.twice = false;
        let Some(at) = case.tool else { return case.id == UNKNOWN_TOOL };
        let (Some(tool), Some(seen)) = (tools.get(at), seen.get_mut(at)) else { return false };
        let kind = case.id.strip_prefix(tool.name.as_str());
        let is_it = kind.is_some_and(|it| it.starts_with("/type/"));
        let is_first = !*seen
            && is_it
            && tool.read_only
            && matches!(case.expect, Expect::Refusal | Expect::Failure);
        *seen |= is_first;
        is_first
    });
    plan.left_out.fill(0);
}

/// The case that calls a tool that does not exist.
const UNKNOWN_TOOL: &str = "server/unknown-tool";

/// The cases that the result of `tools/list` gives, by their ids, the server's own first. Total: any value gives a plan.
pub fn cases(listed: &Value, seed: u64) -> Vec<String> {
    let listed = listed.get("tools").and_then(Value::as_array).into_iter().flatten();
    let tools: Vec<ListedTool> =
        listed.take(MOST_TOOLS).filter_map(|it| ListedTool::read(it, None)).collect();
    let rules = Rules { seed, allow_effects: true, with_valid: false, is_quick: false, only: &[] };
    plan(&tools, &Era::default(), rules).cases.into_iter().map(|it| it.id).collect()
}

fn is_wanted(id: &str, only: &[String]) -> bool {
    let is_it = |wanted: &String| {
        id.strip_prefix(wanted.as_str()).is_some_and(|it| it.is_empty() || it.starts_with('/'))
    };
    only.is_empty() || only.iter().any(is_it)
}

#[cfg(test)]
mod tests;

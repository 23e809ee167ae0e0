//! `read_ledger`: the newest records of the ledger that this server's failures are recorded in.

use redress::text;
use redress_ledger::{Kind, Query, tail};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Brief, counted,
    explain_error::{is_known, near},
};
use crate::{
    Workspace,
    error::{Refused, WorkspaceError},
};

/// How many records come unless the call says otherwise.
const RECORDS: usize = 20;
/// The most bytes of records in one answer.
const MOST_BYTES: usize = 256 << 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadLedgerArguments {
    /// Only failures with this code.
    code: Option<String>,
    /// Only failures of this tool.
    tool: Option<String>,
    /// How many.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReadLedgerAnswer {
    /// The newest failures, oldest first.
    records: Vec<RecordedFailure>,
    /// Lines of the ledger that are no records.
    damaged: usize,
    /// An unknown code, if that was asked for and nothing was found.
    #[serde(skip)]
    unknown: Option<String>,
}

/// A failure as it was recorded.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Row")]
struct RecordedFailure {
    /// Which process recorded it.
    chain: String,
    /// Its number there.
    seq: u64,
    time: String,
    hash: String,
    /// The failure.
    fault: Value,
}

impl Brief for ReadLedgerAnswer {
    fn brief(&self) -> String {
        let mut text = counted(self.records.len(), "failure", "failures");
        for it in &self.records {
            let said = |key: &str| it.fault.get(key).and_then(Value::as_str).unwrap_or_default();
            text.extend(["\n", &it.time, " ", said("code"), ": ", said("message")]);
        }
        text
    }

    fn note(&self) -> Option<String> {
        let code = self.unknown.as_deref()?;
        let shown = text::quote(code, 60);
        Some(match near(code).first() {
            Some(near) => format!("No code is called {shown}. Did you mean {near}?"),
            None => format!("No code is called {shown}."),
        })
    }
}

pub(crate) fn run(
    workspace: &Workspace,
    ask: &ReadLedgerArguments,
) -> Result<ReadLedgerAnswer, Refused> {
    let Some(dir) = &workspace.ledger else {
        return Err(
            WorkspaceError::Unsupported { operation: "read_ledger without a ledger" }.into()
        );
    };
    let query = Query {
        kind: Some(Kind::Fault),
        code: ask.code.clone(),
        tool: ask.tool.clone(),
        ..Query::default()
    };
    let mut damaged = 0;
    let entries = tail(&[dir], ask.limit.unwrap_or(RECORDS), &query, &mut |_| damaged += 1);
    let mut room = MOST_BYTES;
    let mut records = Vec::new();
    // The newest matter most.
    for entry in entries.iter().rev() {
        let Some(left) = room.checked_sub(entry.text.len()) else { break };
        room = left;
        let record: Value = serde_json::from_str(&entry.text).unwrap_or_default();
        records.push(RecordedFailure {
            chain: entry.chain.to_string(),
            seq: entry.seq,
            time: entry.time.to_string(),
            hash: entry.hash.to_string(),
            fault: record.get(entry.kind.name()).cloned().unwrap_or_default(),
        });
    }
    records.reverse();
    let asked = ask.code.as_deref().filter(|it| records.is_empty() && !is_known(it));
    Ok(ReadLedgerAnswer { unknown: asked.map(str::to_owned), records, damaged })
}

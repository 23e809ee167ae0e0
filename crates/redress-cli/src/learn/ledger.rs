//! What ledgers hold of failures that no contract names.

use std::path::PathBuf;

use redress::{
    classify::cluster::Sighting,
    classify::{Tier, Verdict, classify, said},
    codes,
    outcome::{Asked, Outcome, What},
};
use redress_ledger::{Entry, Kind, Query, RequestInfo};
use redress_registry::{Effect, Registry};
use redress_wire::json::{Doc, Limits, Value};

use super::{
    Observations,
    live::{given_in, request_of},
};
use crate::{Status, failure::Failure, ledger};

/// How deep a record may nest: a fault's details are two levels down.
const LIMITS: Limits = Limits { bytes: 1 << 20, nesting: 80 };

/// Groups the failures of ledgers; without any, of all that the user has.
pub(super) fn look(
    dirs: &[PathBuf],
    server: Option<&str>,
    registry: &Registry,
    seen: &mut Observations,
) -> Result<Status, Failure> {
    let query =
        Query { kind: Some(Kind::Fault), server: server.map(str::to_owned), ..Query::default() };
    ledger::read(dirs, &query, &mut |entry| read(&entry, registry, seen))
}

/// Adds one failure, if nothing stronger than its form and words names it.
fn read(entry: &Entry, registry: &Registry, seen: &mut Observations) {
    seen.looked_at += 1;
    let Ok(doc) = Doc::parse(entry.text.as_bytes(), LIMITS) else { return };
    let root = doc.root();
    let Some(fault) = root.get("fault") else { return };
    let word = |path: &[&str]| fault.path(path).and_then(Value::as_str);
    let request = root.get("request").map(RequestInfo::read).unwrap_or_default();
    let tool = word(&["context", "tool"]).unwrap_or_default();
    // What this side refused says nothing about the server.
    if matches!(word(&["origin"]).as_deref(), Some("gate" | "client")) {
        return;
    }
    let time = entry.time.to_string();
    let arguments = request.arguments.as_deref().unwrap_or("{}");
    let given = given_in(arguments);
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let mut add = |text: &str, code: &str, tier, (is_silent, is_harmless), rpc_code| {
        let time = time.as_str();
        let tool = &*tool;
        let given = &given;
        seen.clusters.add(&Sighting {
            tool,
            text,
            rpc_code,
            given,
            code,
            tier,
            is_silent,
            is_harmless,
            time,
        });
    };
    let upstream = root.path(&["private", "upstream", "text"]).and_then(Value::as_str);
    let answer = upstream.as_ref().and_then(|it| Doc::parse(it.as_bytes(), Limits::DOCUMENT).ok());
    let answer = answer.filter(|it| is_answer(it.root()));
    let sent = request_of(&tool, arguments);
    let sent = Doc::parse(sent.as_bytes(), Limits::DOCUMENT).ok();
    let judged = answer.as_ref().and_then(|answer| {
        let asked = Asked {
            request: sent.as_ref().map(Doc::root),
            method: Some("tools/call".into()),
            tool: Some(tool.as_ref().into()).filter(|_| !tool.is_empty()),
            ..Asked::default()
        };
        match classify(&asked, &Outcome::of(What::Answer(answer.root())), registry) {
            Verdict::Failure(failure) => Some(failure),
            Verdict::Success => None,
        }
    });
    if judged.as_ref().is_some_and(|it| it.tier < Tier::Format) {
        seen.named += 1;
        return;
    }
    let rpc_code =
        answer.as_ref().and_then(|it| it.root().path(&["error", "code"]).and_then(Value::as_i64));
    // All words of the answer, or those that the record quotes of it.
    let whole = answer.as_ref().map(|it| said(it.root())).filter(|it| !it.is_empty());
    if let Some(failure) = judged.filter(|_| request.arguments.is_some()) {
        let is_harmless = failure.fault.effect == Effect::None;
        let text = whole.unwrap_or_default();
        add(&text, failure.fault.code(), failure.tier, (failure.silent, is_harmless), rpc_code);
        return;
    }
    // Who judged it knew the arguments of the call, which the record does not have.
    let code = word(&["code"]).unwrap_or_default();
    let basis = request.basis.clone().or_else(|| word(&["basis"]));
    let is_unknown = code == codes::UNKNOWN_TOOL_FAILURE.name();
    let text = whole.or_else(|| word(&["server_text"])).unwrap_or_default();
    match basis.as_deref() {
        Some("inferred") | None if !text.is_empty() || rpc_code.is_some() => {
            let tier = if is_unknown { Tier::Unknown } else { Tier::Prose };
            let is_harmless = word(&["effect"]).as_deref() == Some(Effect::None.name());
            let is_silent = request.flagged == Some(false);
            add(&text, &code, tier, (is_silent, is_harmless), rpc_code);
        }
        _ => seen.named += 1,
    }
}

/// Whether it is a message that answers.
fn is_answer(message: Value<'_>) -> bool {
    message.get("result").is_some() || message.get("error").is_some()
}

//! One outcome taken apart: which words it has, how they came, and which tier says what they mean.

mod http;

use std::borrow::Cow;

use redress_registry::Registry;

use super::{
    Verdict,
    evidence::{Evidence, Said},
    extract, formats,
    message::Message,
    prose, protocol,
    raise::raise,
    request::Request,
    stated::{self, Known, statements},
    tables::TABLES,
    taught,
    tier::{Finding, Source, Tier},
    unflagged,
};
use crate::{
    dialect::wire::{FAULT_KEY, TOOL_FAILURE_KEY},
    outcome::{Asked, Outcome, What},
};
use redress_wire::json::{Doc, Limits, Value};

/// A larger text is content, whatever it looks like.
const MAX_ENVELOPE_BYTES: usize = 16 << 10;

pub(super) fn judge(asked: &Asked<'_>, outcome: &Outcome<'_>, registry: &Registry) -> Verdict {
    let judge = Judge { asked, outcome, registry };
    let failed = |source| judge.failure(source, &Said::default());
    match &outcome.what {
        What::Answer(message) => judge.message(*message),
        What::Http(answer) => judge.http(answer),
        What::Malformed(_) | What::Broken { .. } => failed(Source::Malformed),
        What::Closed | What::Killed(_) => failed(Source::Closed),
        What::Exited { .. } => failed(Source::Exit),
        What::Deadline { .. } => failed(Source::Deadline),
        What::Refused(code) => judge.refused(code),
        What::NotStarted(_) | What::NotOpened => {
            judge.refused(crate::codes::UPSTREAM_UNAVAILABLE.name())
        }
        What::TooLarge { .. } => judge.refused(crate::codes::OUTPUT_TOO_LARGE.name()),
    }
}

struct Judge<'j> {
    asked: &'j Asked<'j>,
    outcome: &'j Outcome<'j>,
    registry: &'j Registry,
}

impl Judge<'_> {
    /// A refusal of our own.
    fn refused(&self, code: &str) -> Verdict {
        let finding = Finding::new(Tier::Protocol, "outcome: refused", code);
        let said = Said::default();
        let failure =
            self.with_evidence(Source::Refusal, &said, |it| raise(it, finding, None, true));
        Verdict::Failure(Box::new(failure))
    }

    fn message(&self, message: Value<'_>) -> Verdict {
        if twice(message, &["result", "error"]) {
            return self.failure(Source::Malformed, &Said::default());
        }
        if let Some(error) = message.get("error").filter(|it| !it.is_null()) {
            return self.error(message, error);
        }
        match message.get("result") {
            Some(result) => self.result(result),
            None if message.get("method").is_some() => Verdict::Success,
            None => self.failure(Source::Malformed, &Said::default()),
        }
    }

    fn error(&self, message: Value<'_>, error: Value<'_>) -> Verdict {
        let data = error.get("data").filter(|it| !it.is_null());
        let places = [data.and_then(|it| it.get(FAULT_KEY)), data, Some(error)];
        let known = stated::in_contract(message, self.registry);
        let mut places = places.into_iter().flatten();
        let known = known.or_else(|| places.find_map(|it| stated::read(it, self.registry)));
        let known = known.or_else(|| stated::in_a_dialect(message, self.registry));
        let code = error.get("code").filter(|it| !it.is_null());
        let number = code.and_then(Value::as_i64);
        let known = known.or_else(|| stated::numbered(number?, self.registry));
        if let Some(known) = known {
            let text = error.get("message").and_then(Value::as_str).unwrap_or_default();
            return self.known(
                &known,
                (Source::Rpc, true),
                Said { text, code, data, ..Said::default() },
            );
        }
        let message = error.get("message").and_then(Value::as_str);
        let mut text = message.or_else(|| error.as_str()).unwrap_or_default().into_owned();
        let more =
            data.and_then(|it| it.as_str().map(Cow::into_owned).or_else(|| extract::words(it)));
        if let Some(more) = more.filter(|it| !it.trim().is_empty()) {
            text.push('\n');
            text.push_str(&more);
        }
        self.failure(Source::Rpc, &Said { text: text.into(), code, data, ..Said::default() })
    }

    fn result(&self, result: Value<'_>) -> Verdict {
        if twice(result, &["isError", "content", "structuredContent"]) {
            return self.failure(Source::Malformed, &Said::default());
        }
        match result.get("isError").map(Value::as_bool) {
            Some(None) => self.failure(Source::Malformed, &Said::default()),
            Some(Some(true)) => self.flagged(result),
            _ => self.unflagged(result),
        }
    }

    fn flagged(&self, result: Value<'_>) -> Verdict {
        let text = texts(result);
        let inner = Doc::parse(text.as_bytes(), Limits::DOCUMENT).ok();
        let places = [
            result.path(&["_meta", FAULT_KEY]),
            inner.as_ref().map(Doc::root),
            result.get("structuredContent"),
        ];
        let known = places.into_iter().flatten().find_map(|it| stated::read(it, self.registry));
        let proposed = result.path(&["_meta", TOOL_FAILURE_KEY]);
        let known =
            known.or_else(|| proposed.and_then(|it| stated::tool_failure(it, self.registry)));
        let known = known.or_else(|| stated::before_text(&text, self.registry));
        let said = Said { text, ..Said::default() };
        match known {
            Some(known) => self.known(&known, (Source::Tool, true), said),
            None => self.failure(Source::Tool, &said),
        }
    }

    /// An unflagged result is a failure only where a taught row or its structure says so.
    fn unflagged(&self, result: Value<'_>) -> Verdict {
        if taught::has_silent(self.registry) {
            let said = Said { text: texts(result), ..Said::default() };
            let failure = self.with_evidence(Source::Silent, &said, |evidence| {
                Some(raise(evidence, taught(evidence)?, Some("silent"), true))
            });
            if let Some(failure) = failure {
                return Verdict::Failure(Box::new(failure));
            }
        }
        let stderr = self.outcome.stderr_tail.as_deref();
        let Some(suspect) = unflagged::suspect(result, stderr) else { return Verdict::Success };
        let Some(text) = suspect.words() else { return Verdict::Success };
        let is_whole = suspect.is_whole();
        let request = Request::of(self.asked);
        if is_whole
            && !(request.deeds.shows
                && request.arguments.iter().any(super::request::Argument::is_path))
            && let Some(known) = self.envelope_in(&text)
        {
            // A document in the form of an envelope may be what was asked for.
            let certain = !request.may_show_content();
            return self.known(&known, (Source::Silent, certain), Said { text, ..Said::default() });
        }
        let tool = self.asked.tool.as_deref().unwrap_or_default();
        let Some(sign) = unflagged::sign(&suspect, &text, (tool, &request)) else {
            return Verdict::Success;
        };
        let said = Said { text, ..Said::default() };
        let failure = self.with_evidence(Source::Silent, &said, |evidence| {
            let finding = infer(evidence);
            let is_told = sign.is_told_by(&finding, evidence);
            is_told.then(|| raise(evidence, finding, Some(sign.name), sign.certain && is_whole))
        });
        failure.map_or(Verdict::Success, |it| Verdict::Failure(Box::new(it)))
    }

    /// The envelope that a whole text is, in a dialect that leaves no doubt.
    fn envelope_in(&self, text: &str) -> Option<Known> {
        let text = text.trim();
        if !text.starts_with('{') || text.len() > MAX_ENVELOPE_BYTES {
            return None;
        }
        let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).ok()?;
        stated::in_a_dialect(doc.root(), self.registry)
    }

    /// A failure that its own envelope names.
    fn known<'k>(
        &self,
        known: &'k Known,
        (source, certain): (Source, bool),
        mut said: Said<'k>,
    ) -> Verdict {
        let Known { id, code, retry, effect, waits, stated, words, own, foreign } = known;
        said.waits = said.waits.or(*waits);
        said.told = words.details();
        said.stated = *stated;
        said.foreign = foreign.as_deref();
        said.text = without_card(said.text, code);
        let (retry, effect) = (*retry, *effect);
        let finding = Finding { retry, effect, ..Finding::new(Tier::Stated, *id, &**code) };
        let mut failure = self.with_evidence(source, &said, |it| raise(it, finding, None, certain));
        failure.fault.violations = words.violations(self.asked);
        match own {
            Some(own) if self.asked.trust => {
                own.replace(&mut failure.fault, statements::stated(self.outcome));
            }
            Some(own) => own.describe(&mut failure.fault),
            None if self.asked.trust => words.put_into(&mut failure.fault),
            None => (),
        }
        if failure.fault.server_text.as_deref() == Some(&*failure.fault.message) {
            failure.fault.server_text = None;
        }
        Verdict::Failure(Box::new(failure))
    }

    fn failure(&self, source: Source, said: &Said<'_>) -> Verdict {
        let failure = self.with_evidence(source, said, |it| raise(it, infer(it), None, true));
        Verdict::Failure(Box::new(failure))
    }

    fn with_evidence<T>(
        &self,
        source: Source,
        said: &Said<'_>,
        look: impl FnOnce(&Evidence<'_>) -> T,
    ) -> T {
        let request = Request::of(self.asked);
        let tool = self.asked.tool.as_deref().unwrap_or_default();
        let message = Message::of(&said.text, tool, &request);
        look(&Evidence {
            asked: self.asked,
            outcome: self.outcome,
            registry: self.registry,
            request: &request,
            source,
            said,
            message: &message,
            hits: TABLES.finder.find(&message.text),
        })
    }
}

/// What a failure is, by the first tier that speaks; numbers that many failures share come after the words.
fn infer<'e>(evidence: &Evidence<'e>) -> Finding<'e> {
    let inferred = || formats::read(evidence).or_else(|| prose::read(evidence));
    taught(evidence)
        .or_else(|| protocol::read(evidence))
        .or_else(|| inferred().map(|it| formats::of_program(evidence, it)))
        .or_else(|| formats::vague(evidence))
        .or_else(|| logged_cause(evidence))
        .or_else(|| protocol::vague(evidence))
        .unwrap_or_else(Finding::unknown)
}

/// What a row of the contract says. A form of the same code tells more than a row can: which arguments are wrong, and when a
/// repeat helps.
fn taught<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let taught = taught::read(evidence)?;
    let form = formats::read(evidence).filter(|it| it.code == taught.code);
    Some(match form {
        Some(Finding { violations, path, misnamed, retry, .. }) => {
            Finding { retry, violations, path, misnamed, ..taught }
        }
        None => taught,
    })
}

/// What Python writes between an exception and the one that was raised for it, as far as no log breaks the line.
const DIRECT_CAUSE: &str = "The above exception was the direct";

/// The cause in the server's log, where its SDK hides it from the answer.
fn logged_cause<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let log = evidence.outcome.stderr_tail.as_deref();
    let tail = log.filter(|_| evidence.message.is_opaque || !evidence.source.is_answer())?;
    // Of a chain of exceptions the first is the cause; the last only says that the tool failed.
    let cause = tail.split_once(DIRECT_CAUSE).map_or(tail, |it| it.0);
    let message = Message::of(cause, "", &Request::default());
    let said = Said::default();
    let found = formats::read(&Evidence {
        message: &message,
        said: &said,
        hits: TABLES.finder.find(&message.text),
        asked: evidence.asked,
        outcome: evidence.outcome,
        registry: evidence.registry,
        request: evidence.request,
        source: evidence.source,
    })?;
    let Finding { code, retry, .. } = found;
    let finding = Finding::new(Tier::Format, "stderr", code.into_owned());
    Some(Finding { retry, ..finding.effect(redress_registry::Effect::Unknown) })
}

/// Whether one of the keys that decide is there twice: readers would differ on which counts.
fn twice(object: Value<'_>, keys: &[&str]) -> bool {
    let named = |key: &&str| object.members().filter(|(name, _)| name.is_str(key)).count();
    keys.iter().any(|it| named(it) > 1)
}

/// A card of the code is said again by ours; only its message is the server's.
fn without_card<'t>(text: Cow<'t, str>, code: &str) -> Cow<'t, str> {
    let message = |it: &str| {
        let (first, rest) = it.split_once('\n')?;
        let message = first.strip_prefix(code)?.strip_prefix(": ")?;
        rest.starts_with("Retry: ").then(|| message.to_owned())
    };
    message(&text).map_or(text, Cow::Owned)
}

/// All texts of a result, in order.
pub(super) fn texts(result: Value<'_>) -> Cow<'_, str> {
    let blocks = ["content", "contents"].iter().find_map(|key| result.get(key));
    let mut texts =
        blocks.into_iter().flat_map(Value::elements).filter_map(|it| it.get("text")?.as_str());
    let first = texts.next().unwrap_or_default();
    let mut all = first;
    for text in texts {
        let joined = all.to_mut();
        joined.push('\n');
        joined.push_str(&text);
    }
    if all.is_empty() {
        let structured = result.get("structuredContent").and_then(extract::words);
        return structured.map_or(all, Cow::Owned);
    }
    all
}

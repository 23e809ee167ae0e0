//! One outcome taken apart: which words it has, how they came, and whether they are a failure at all.

mod http;

use std::borrow::Cow;

use redress_registry::Registry;

use super::{
    Verdict, checked,
    envelope::{self, Known},
    extract,
    facts::{Fact, Facts},
    judge::Case,
    message::{self, Message},
    named, part,
    raise::{Found, Looks, Named, Said, raise},
    ran,
    request::{self, Argument},
    silent, statements, structure,
    table::{Row, Source, TABLE, Table},
    unfit, wait,
};
use crate::{
    json::{Doc, Limits, Value},
    outcome::{Asked, Outcome, What},
    text::TRACEBACK,
    wire::{FAULT_KEY, TOOL_FAILURE_KEY},
};

/// A larger text is content, whatever it looks like.
const MAX_ENVELOPE_BYTES: usize = 16 << 10;

pub(super) fn judge(asked: &Asked<'_>, outcome: &Outcome<'_>, registry: &Registry) -> Verdict {
    let judge = Judge { asked, outcome, registry, table: &TABLE };
    let failed = |source| judge.failure(source, Said::default());
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
    table: &'static Table,
}

impl Judge<'_> {
    fn message(&self, message: Value<'_>) -> Verdict {
        if twice(message, &["result", "error"]) {
            return self.failure(Source::Malformed, Said::default());
        }
        if let Some(error) = message.get("error").filter(|it| !it.is_null()) {
            return self.error(message, error);
        }
        match message.get("result") {
            Some(result) => self.result(result),
            None if message.get("method").is_some() => Verdict::Success,
            None => self.failure(Source::Malformed, Said::default()),
        }
    }

    fn error(&self, message: Value<'_>, error: Value<'_>) -> Verdict {
        let data = error.get("data").filter(|it| !it.is_null());
        let places = [data.and_then(|it| it.get(FAULT_KEY)), data, Some(error)];
        let known = envelope::in_contract(message, self.registry);
        let mut places = places.into_iter().flatten();
        let known = known.or_else(|| places.find_map(|it| envelope::read(it, self.registry)));
        let known = known.or_else(|| envelope::in_a_dialect(message, self.registry));
        let code = error.get("code").filter(|it| !it.is_null());
        let number = code.and_then(Value::as_i64);
        let known = known.or_else(|| envelope::numbered(number?, self.registry));
        if let Some(known) = known {
            let text = error.get("message").and_then(Value::as_str).unwrap_or_default();
            let said = Said { text, code, data, ..Said::default() };
            return self.known(&known, (Source::Rpc, true), said);
        }
        let message = error.get("message").and_then(Value::as_str);
        let mut text = message.or_else(|| error.as_str()).unwrap_or_default().into_owned();
        let more =
            data.and_then(|it| it.as_str().map(Cow::into_owned).or_else(|| extract::words(it)));
        if let Some(more) = more.filter(|it| !it.trim().is_empty()) {
            text.push('\n');
            text.push_str(&more);
        }
        self.failure(Source::Rpc, Said { text: text.into(), code, data, ..Said::default() })
    }

    fn result(&self, result: Value<'_>) -> Verdict {
        if twice(result, &["isError", "content", "structuredContent"]) {
            return self.failure(Source::Malformed, Said::default());
        }
        let flag = result.get("isError").map(Value::as_bool);
        if flag == Some(None) {
            return self.failure(Source::Malformed, Said::default());
        }
        if flag == Some(Some(true)) {
            let text = texts(result);
            let inner = Doc::parse(text.as_bytes(), Limits::DOCUMENT).ok();
            let places = [
                result.path(&["_meta", FAULT_KEY]),
                inner.as_ref().map(Doc::root),
                result.get("structuredContent"),
            ];
            let known =
                places.into_iter().flatten().find_map(|it| envelope::read(it, self.registry));
            let proposed = result.path(&["_meta", TOOL_FAILURE_KEY]);
            let known =
                known.or_else(|| proposed.and_then(|it| envelope::tool_failure(it, self.registry)));
            let known = known.or_else(|| envelope::before_text(&text, self.registry));
            let said = Said { text: text.clone(), ..Said::default() };
            return match known {
                Some(known) => self.known(&known, (Source::Tool, true), said),
                None => self.failure(Source::Tool, said),
            };
        }
        let stderr = self.outcome.stderr_tail.as_deref();
        let suspect = silent::suspect(result, stderr);
        match suspect.and_then(|it| Some((it.words()?, it.is_whole()))) {
            Some((text, is_whole)) => self.unflagged(text, is_whole),
            None => Verdict::Success,
        }
    }

    /// A result that nobody flagged is a failure only if a sign says so, and surely one only if it has nothing else in it.
    fn unflagged(&self, text: Cow<'_, str>, is_whole: bool) -> Verdict {
        let is_payload = text.trim_start().starts_with(['{', '"']);
        if is_payload && !structure::may_fail(&text) {
            return Verdict::Success;
        }
        let (mut facts, arguments) = request::look(self.asked, self.table);
        if !is_whole && facts.has(Fact::Reads) {
            // What a tool puts a heading above is what it was asked for.
            return Verdict::Success;
        }
        if is_payload {
            structure::look(&mut facts, &text, &arguments);
            facts.set(Fact::Json, !facts.has(Fact::Page));
        }
        let compare = |it: &mut String| request::compare(&mut facts, self.asked, &arguments, it);
        let message = Message::of(&text, self.table, compare);
        let trimmed = text.trim();
        let logged = self.outcome.stderr_tail.as_deref().is_some_and(|it| has_line(it, trimmed));
        facts.set(Fact::Logged, logged);
        facts.set(Fact::Traceback, trimmed.starts_with(TRACEBACK));
        let is_file = facts.has(Fact::Shows) && facts.has(Fact::Paths) && !facts.has(Fact::Echo);
        let is_output = facts.has(Fact::Command) || facts.has(Fact::Logs);
        facts.set(Fact::Content, is_file || is_output);
        let is_about_it = facts.has(Fact::Acts) || facts.has(Fact::Echo);
        facts.set(Fact::Stored, facts.has(Fact::Places) && !is_about_it);
        if is_whole
            && !facts.has(Fact::Content)
            && let Some(known) = self.envelope_in(trimmed)
        {
            // A document in the form of an envelope may be what was asked for.
            let certain = !facts.has(Fact::Reads) && !facts.has(Fact::Stored);
            return self.known(&known, (Source::Silent, certain), Said { text, ..Said::default() });
        }
        facts.set(Fact::Parameter, starts_with_parameter(trimmed, &arguments));
        facts.set(Fact::OneLine, !trimmed.contains('\n'));
        facts.set(Fact::OneParagraph, !trimmed.contains("\n\n"));
        facts.set(Fact::Token, silent::is_token(trimmed));
        facts.set(Fact::Capital, !trimmed.starts_with(|it: char| it.is_ascii_lowercase()));
        self.read(&mut facts, &text, &arguments);
        let case = Case::of(&message, facts, Source::Silent, self.table);
        let row = case.rule(self.table);
        let Some(sign) = case.sign(self.table, row) else { return Verdict::Success };
        let rule = row.map(Named::of);
        let said = Said { text, waits: wait::find(&message.text), ..Said::default() };
        let (rule, certain) = (rule.unwrap_or(Named::UNKNOWN), sign.certain && is_whole);
        let (facts, worked) = (case.facts, self.worked(&case, &rule, &said));
        let sign = Some(sign.id.as_str());
        let source = Source::Silent;
        self.found(Found { source, facts, arguments, certain, sign, rule, worked, said })
    }

    /// A refusal of our own.
    fn refused(&self, code: &str) -> Verdict {
        let (facts, arguments) = request::look(self.asked, self.table);
        let looks = Looks::Facts;
        let rule = Named { id: "outcome.refused", code, looks, ..Named::UNKNOWN };
        let source = Source::Refusal;
        self.found(Found {
            source,
            facts,
            arguments,
            certain: true,
            sign: None,
            rule,
            worked: false,
            said: Said::default(),
        })
    }

    /// The envelope that a whole text is, in a dialect that leaves no doubt.
    fn envelope_in(&self, text: &str) -> Option<Known> {
        let text = text.trim();
        if !text.starts_with('{') || text.len() > MAX_ENVELOPE_BYTES {
            return None;
        }
        let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).ok()?;
        envelope::in_a_dialect(doc.root(), self.registry)
    }

    /// A failure that its own envelope names.
    fn known<'k>(
        &self,
        known: &'k Known,
        (source, certain): (Source, bool),
        mut said: Said<'k>,
    ) -> Verdict {
        let (facts, arguments) = request::look(self.asked, self.table);
        let Known { id, code, retry, effect, waits, stated, words, own, foreign } = known;
        let looks = Looks::Facts;
        let (retry, effect) = (*retry, *effect);
        let rule = Named { id, code, retry, effect, looks, ..Named::UNKNOWN };
        said.waits = said.waits.or(*waits);
        let (sign, worked) = (None, false);
        said.told = words.details();
        said.stated = *stated;
        said.foreign = foreign.as_deref();
        said.text = without_card(said.text, code);
        let found = Found { source, facts, arguments, certain, sign, rule, worked, said };
        let mut failure = raise(self.asked, self.outcome, self.registry, found);
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

    fn failure(&self, source: Source, said: Said<'_>) -> Verdict {
        self.failed(Facts::default(), source, said)
    }

    /// A failure of which more is known than its words.
    fn failed(&self, known: Facts, source: Source, mut said: Said<'_>) -> Verdict {
        let (mut facts, arguments) = request::look(self.asked, self.table);
        facts = facts.and(known);
        let compare = |it: &mut String| request::compare(&mut facts, self.asked, &arguments, it);
        let message = Message::of(&said.text, self.table, compare);
        self.read(&mut facts, &said.text, &arguments);
        let mut case = Case::of(&message, facts, source, self.table);
        case.rpc = said.rpc();
        case.http = said.http;
        let facts = case.facts;
        let rule = case.rule(self.table).or_else(|| self.logged_cause(facts, source));
        said.waits = said.waits.or_else(|| wait::find(&message.text));
        let mut rule = rule.map_or(Named::UNKNOWN, Named::of);
        if said.http.is_some_and(|it| self.names_it(it, facts, rule.code)) {
            rule.looks = Looks::Facts;
        }
        let worked = self.worked(&case, &rule, &said);
        let (certain, sign) = (true, None);
        self.found(Found { source, facts, arguments, certain, sign, rule, worked, said })
    }

    /// Adds the facts that the text has as it was written.
    fn read(&self, facts: &mut Facts, text: &str, arguments: &[Argument<'_>]) {
        facts.set(Fact::Ran, ran::is_named(text, arguments, *facts));
        facts.set(Fact::Elsewhere, checked::is_elsewhere(text, request::given(self.asked)));
        facts.set(Fact::Below, named::is_below(text, arguments));
        part::look(facts, text, arguments);
        facts.set(Fact::Stack, message::has_stack(text));
        facts.set(Fact::Unfit, unfit::is_of(text, arguments));
    }

    /// Whether a call may have done work before it failed: it tells of some, what failed is one step of several, or a program
    /// ran. Our row knows nothing of that.
    fn worked(&self, case: &Case<'_>, rule: &Named<'_>, said: &Said<'_>) -> bool {
        let vocabulary = &self.table.vocabulary;
        let is_call = |it: &str| it == "tools/call" || it.starts_with("tasks/");
        ran::may_have_worked(case.facts, rule, case.source)
            || self.asked.method.as_deref().is_none_or(is_call)
                && (vocabulary.tells_of_work(&case.message.text)
                    || vocabulary.counts_work_in(&said.text)
                    || case.is_a_step(self.table)
                    || [said.data, self.structured()]
                        .into_iter()
                        .flatten()
                        .any(|it| vocabulary.counts_work(it)))
    }

    fn structured(&self) -> Option<Value<'_>> {
        match &self.outcome.what {
            What::Answer(message) => message.path(&["result", "structuredContent"]),
            _ => None,
        }
    }

    /// The cause on stderr, where the answer hides it.
    fn logged_cause(&self, facts: Facts, source: Source) -> Option<&'static Row> {
        let tail = self.outcome.stderr_tail.as_deref()?;
        let message = Message::of(tail, self.table, |_| ());
        Case::of(&message, facts, source, self.table).token_rule(self.table)
    }

    fn found(&self, found: Found<'_>) -> Verdict {
        Verdict::Failure(Box::new(raise(self.asked, self.outcome, self.registry, found)))
    }
}

/// Whether one of the keys that decide stands there twice: readers would differ on which counts.
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
fn texts(result: Value<'_>) -> Cow<'_, str> {
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

/// Whether the first word is an argument's name, or spelt as such are: `max_length`, `maxLength`.
fn starts_with_parameter(text: &str, arguments: &[Argument<'_>]) -> bool {
    let word = text.trim_start_matches(['\'', '"', '`']);
    let word =
        word.split(|it: char| !it.is_ascii_alphanumeric() && it != '_').next().unwrap_or_default();
    let has_hump = word.bytes().skip(1).any(|it| it.is_ascii_uppercase());
    let is_spelt_so =
        word.starts_with(|it: char| it.is_ascii_lowercase()) && (word.contains('_') || has_hump);
    is_spelt_so || arguments.iter().any(|it| !word.is_empty() && it.key == word)
}

/// Whether a log has the text as an entry of its own, perhaps after a prefix.
fn has_line(log: &str, text: &str) -> bool {
    text.len() >= 8 && log.lines().any(|it| it.ends_with(text) && it.len() <= text.len() + 60)
}

//! What readers in other languages must know: every row with its spellings, where each dialect keeps what, the decision
//! table, the closed sets.
//!
//! Nothing here is written down: spellings come from [`Lookup`], places are measured on documents of our own writers.

use std::{collections::BTreeMap, sync::Arc};

use redress_registry::{
    Class, Effect, Entry, Param, Registry, RetryKind, Severity, canonical, name, shipped,
    taught::Taught,
};
use serde_json::{Map, Value, json};

use super::{literal::Words, places::places, template::Gaps};
use crate::{
    Dialect, Fault, Lookup,
    card::{self, RetryLine, retry_lines},
    dialect::Stamp,
    dialect::wire::{FAULT_KEY, TOOL_FAILURE_KEY},
    fault::{Basis, Context, MAX_SHOWN_CHARS, Origin, fields::ENVELOPE},
    recover::{self, BudgetRule, Policy, Then},
    text,
    text::tokens,
};

/// Rows of data, each under a key or in a list.
pub(super) type Rows = Vec<(Option<String>, Value)>;

/// The closed sets, by name.
pub(super) fn closed_sets() -> [(&'static str, Vec<&'static str>); 11] {
    let mut stop_reasons = Vec::new();
    for row in recover::ROWS {
        if let Then::Stop(why) = row.then
            && !stop_reasons.contains(&why.name())
        {
            stop_reasons.push(why.name());
        }
    }
    [
        ("stop_reasons", stop_reasons),
        ("classes", Class::ALL.map(Class::name).to_vec()),
        ("retry_kinds", RetryKind::ALL.iter().map(|it| it.name()).collect()),
        ("effects", Effect::ALL.iter().map(|it| it.name()).collect()),
        ("severities", Severity::ALL.iter().map(|it| it.name()).collect()),
        ("origins", Origin::ALL.map(Origin::name).to_vec()),
        ("bases", Basis::ALL.map(Basis::name).to_vec()),
        ("dialects", Dialect::ALL.map(Dialect::name).to_vec()),
        ("detected", Dialect::detected().map(Dialect::name).to_vec()),
        ("context", Context::NAMES.to_vec()),
        ("envelope", ENVELOPE.iter().map(|it| it.key).collect()),
    ]
}

/// What a registry is called.
pub(super) fn put_names(registry: &Registry, words: &Words, gaps: &mut Gaps) {
    gaps.put("name", &*registry.name);
    gaps.put("version", &*registry.version);
    let about = format!("The error codes of {} {}.", registry.name, registry.version);
    for (name, value) in [
        ("name_text", json!(&*registry.name)),
        ("version_text", json!(registry.version)),
        ("package_text", json!(format!("{}-errors", registry.name))),
        ("about_text", json!(about)),
    ] {
        gaps.put(name, words.value(&value));
    }
}

/// Single values that hold for every registry: bounds, keys on the wire, defaults of the policy.
pub(super) fn put_constants(words: &Words, gaps: &mut Gaps) {
    let Policy { attempts, first_pause_ms, longest_wait_ms } = Policy::default();
    let BudgetRule { capacity, per_success, per_second } = BudgetRule::default();
    for (name, value) in [
        ("max_card_chars", json!(tokens::MAX_CARD_CHARS)),
        ("max_quoting_card_chars", json!(tokens::MAX_QUOTING_CARD_CHARS)),
        ("server_line_chars", json!(tokens::SERVER_LINE_CHARS)),
        ("max_message_chars", json!(tokens::MAX_MESSAGE_CHARS)),
        ("max_hint_chars", json!(tokens::MAX_HINT_CHARS)),
        ("min_hint_chars", json!(card::MIN_HINT_CHARS)),
        ("max_details_bytes", json!(tokens::DEFAULT_DETAILS_BYTES)),
        ("max_similar", json!(tokens::MAX_SIMILAR)),
        ("max_similar_shown", json!(card::MAX_SIMILAR_SHOWN)),
        ("max_next", json!(tokens::MAX_NEXT)),
        ("max_violations", json!(tokens::MAX_VIOLATIONS)),
        ("max_part_bytes", json!(tokens::MAX_PART_BYTES)),
        ("max_context_chars", json!(tokens::MAX_CONTEXT_CHARS)),
        ("max_stack_chars", json!(tokens::MAX_STACK_CHARS)),
        ("max_server_text_chars", json!(tokens::MAX_SERVER_TEXT_CHARS)),
        ("min_server_text_chars", json!(card::MIN_SERVER_CHARS)),
        ("min_gist_chars", json!(text::MIN_GIST_CHARS)),
        ("longest_word", json!(text::LONGEST_WORD)),
        ("marks", json!(text::MARKS)),
        ("last_tells", json!(text::LAST_TELLS)),
        ("max_shown_chars", json!(MAX_SHOWN_CHARS)),
        ("max_suggestion_bytes", json!(tokens::MAX_SUGGESTION_BYTES)),
        ("fault_key", json!(FAULT_KEY)),
        ("tool_failure_key", json!(TOOL_FAILURE_KEY)),
        ("full_code", json!(full_code())),
        ("attempts", json!(attempts)),
        ("first_pause_ms", json!(first_pause_ms)),
        ("longest_wait_ms", json!(longest_wait_ms)),
        ("capacity", json!(capacity)),
        ("per_success", json!(per_success)),
        ("per_second", json!(per_second)),
    ] {
        gaps.put(name, words.value(&value));
    }
}

/// What can be a code, as a pattern for both languages.
fn full_code() -> String {
    let reserved = name::RESERVED_NAMESPACES.join("|");
    let most = name::MAX_CODE;
    format!(
        "^((?!({reserved})\\.)[a-z][a-z0-9-]{{0,31}}\\.)?(?=.{{3,{most}}}$)[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$"
    )
}

/// The tables that hold for every registry, by name: all rows that ship, the decision table, the classes, the lines of a card, where
/// each dialect keeps what, the classes of the open proposal.
pub(super) fn shared_tables() -> [(&'static str, Rows); 6] {
    let shipped = rows(&Lookup::shipped());
    let table: Value = serde_json::from_str(&recover::table()).unwrap_or_default();
    let decisions = table.get("rows").and_then(Value::as_array).into_iter().flatten();
    let by_class = Class::ALL.iter().map(|it| {
        let row = json!({ "http": it.http(), "retry": recover::retry_of_class(*it).name() });
        (Some(it.name().to_owned()), row)
    });
    let places = Dialect::ALL.iter().map(|it| (Some(it.name().to_owned()), json!(places(*it))));
    [
        ("shipped", shipped.iter().map(|it| (None, it.whole())).collect()),
        ("decisions", decisions.map(|it| (None, it.clone())).collect()),
        ("by_class", by_class.collect()),
        ("card_lines", card_lines()),
        ("places", places.collect()),
        ("groups", groups()),
    ]
}

/// What the registry says about its tools.
pub(super) fn tools(registry: &Registry) -> Rows {
    let tools = registry.tools.iter().map(|(name, it)| {
        let row = json!({ "may": it.may, "read_only": it.reads(), "idempotent": it.idempotent });
        (Some(name.to_string()), row)
    });
    tools.collect()
}

/// The taught rows of a registry, but for those with a regular expression: other languages would not match them in linear time.
pub(super) fn matches(registry: &Registry) -> Rows {
    let rows = registry.matches.rows().iter().filter(|it| it.pattern.is_none());
    rows.map(|it| (None, taught(it))).collect()
}

/// A taught row; what it does not say is absent.
fn taught(row: &Taught) -> Value {
    let mut known = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        known.extend(value.map(|it| (key.to_owned(), it)));
    };
    put("tool", row.tool.as_deref().map(Value::from));
    put("text", row.text.as_deref().map(Value::from));
    put("json", (!row.json.is_empty()).then(|| json!(row.json)));
    put("rpc_code", row.rpc_code.map(Value::from));
    put("status", row.status.map(Value::from));
    put("code", Some(Value::from(row.code.as_str())));
    put("effect", row.effect.map(|it| Value::from(it.name())));
    put("silent", row.silent.then_some(Value::Bool(true)));
    Value::Object(known)
}

/// What can be looked up in a registry: its own names before those that ship.
pub(super) fn lookup(registry: &Arc<Registry>) -> Lookup {
    // `core` is every server's, so that it goes before no other.
    let is_core = Arc::ptr_eq(registry, shipped::core());
    if is_core { Lookup::shipped() } else { Lookup::with([Arc::clone(registry)]) }
}

/// A row, and what every dialect calls it.
pub(super) struct SpelledRow {
    pub(super) entry: Arc<Entry>,
    /// The spellings that mean this row and no other.
    pub(super) spelled: BTreeMap<&'static str, Vec<String>>,
}

impl SpelledRow {
    /// What readers and writers need.
    pub(super) fn known(&self) -> Value {
        let mut known = Map::new();
        known.insert("code".to_owned(), json!(&*self.entry.code));
        let all = canonical::entry(&self.entry);
        for key in
            ["registry", "number", "domain", "class", "http", "retry", "effect", "severity", "hint"]
        {
            known.extend(all.get(key).map(|it| (key.to_owned(), it.clone())));
        }
        known.extend(self.entry.similar.as_ref().map(|it| ("similar".to_owned(), json!(it))));
        known.insert("said".to_owned(), Fault::of(&self.entry).message.into());
        known.insert("spelled".to_owned(), json!(self.spelled));
        known.insert("written".to_owned(), self.written());
        known.extend(rpc(&self.entry).map(|it| ("rpc".to_owned(), it)));
        Value::Object(known)
    }

    /// What each dialect writes for the code, where that is not the code itself.
    fn written(&self) -> Value {
        let spellings = Dialect::ALL.into_iter().map(|it| (it, it.spelling(&self.entry)));
        let others = spellings.filter(|(_, it)| *it != *self.entry.code);
        others.map(|(dialect, it)| (dialect.name().to_owned(), json!(it))).collect()
    }

    /// What a user may want to know beyond that.
    pub(super) fn whole(&self) -> Value {
        let (Value::Object(mut known), Value::Object(all)) =
            (self.known(), canonical::entry(&self.entry))
        else {
            return Value::Null;
        };
        known.extend(all.into_iter().filter_map(|(key, value)| match key.as_str() {
            "title" | "message" | "deprecated" => Some((key, value)),
            "next" if !self.entry.next.is_empty() => Some((key, next(value))),
            "params" => Some((key, self.params())),
            _ => None,
        }));
        Value::Object(known)
    }

    fn params(&self) -> Value {
        self.entry.params.iter().filter(|it| !it.secret).map(param).collect()
    }
}

fn param(param: &Param) -> Value {
    let members = [
        ("name", json!(param.name)),
        ("type", json!(param.kind.name())),
        ("doc", json!(param.doc)),
        ("required", json!(param.required)),
        ("untrusted", json!(param.untrusted)),
        ("max_chars", json!(param.max_chars)),
        ("enum", json!(param.values)),
    ];
    let is_said = |(key, value): &(&str, Value)| match *key {
        "enum" => !param.values.is_empty(),
        _ => !value.is_null(),
    };
    members.into_iter().filter(is_said).map(|(key, it)| (key.to_owned(), it)).collect()
}

/// Calls that help, as an envelope writes them: without arguments where there are none.
fn next(calls: Value) -> Value {
    let Value::Array(mut calls) = calls else { return calls };
    for call in calls.iter_mut().filter_map(Value::as_object_mut) {
        if call.get("args").and_then(Value::as_object).is_some_and(Map::is_empty) {
            call.shift_remove("args");
        }
    }
    Value::Array(calls)
}

/// The number and domain of a row in JSON-RPC, where they are not the row's own.
fn rpc(entry: &Arc<Entry>) -> Option<Value> {
    let text = Dialect::Rpc.write(&Fault::of(entry), Stamp::default());
    let document: Value = serde_json::from_str(&text).ok()?;
    let number = document.pointer("/error/code")?.as_i64()?;
    let domain = document.pointer("/error/data/domain").and_then(Value::as_str);
    if entry.number.map(i64::from) == Some(number) && domain == Some(&*entry.domain) {
        return None;
    }
    let mut own = Map::from_iter([("number".to_owned(), json!(number))]);
    own.extend(domain.map(|it| ("domain".to_owned(), json!(it))));
    Some(Value::Object(own))
}

/// The second line of a card for every rule and effect, with a gap for the time to wait; and the class that it is for, where
/// others have another.
fn card_lines() -> Rows {
    let mut rows = Rows::new();
    for RetryLine { line, kind, effect, class } in retry_lines(Some(1)) {
        let line = line.replace("after 1 ms", "after {delay}");
        let class = class.map(Class::name);
        let row =
            json!({ "line": line, "retry": kind.name(), "effect": effect.name(), "class": class });
        rows.push((None, row));
    }
    rows
}

/// The classes of the open proposal: which of ours each is, and which of them represents it where a row is of another.
fn groups() -> Rows {
    let mut groups: BTreeMap<String, Vec<Class>> = BTreeMap::new();
    for class in Class::ALL {
        let mut fault = Fault::of(crate::codes::INTERNAL_ERROR.entry());
        fault.class = class;
        let text = Dialect::ToolFailure.write(&fault, Stamp::default());
        let document: Value = serde_json::from_str(&text).unwrap_or_default();
        let group = document.get("class").and_then(Value::as_str).unwrap_or_default();
        groups.entry(group.to_owned()).or_default().push(class);
    }
    let rows = groups.into_iter().map(|(group, classes)| {
        let stranger = shipped::core().codes.values().find(|it| !classes.contains(&it.class));
        let code = stranger.map(|it| Dialect::ToolFailure.spelling(it)).unwrap_or_default();
        let document = json!({ "class": group, "code": code, "correlationId": "" }).to_string();
        let read = Dialect::ToolFailure.read(document.as_bytes(), &Lookup::shipped());
        let class = read.map_or("unknown", |it| it.class.name());
        let classes: Vec<_> = classes.into_iter().map(Class::name).collect();
        (Some(group), json!({ "class": class, "classes": classes }))
    });
    rows.collect()
}

/// Every row that can be looked up, in the order of the registries.
pub(super) fn rows(lookup: &Lookup) -> Vec<SpelledRow> {
    let mut rows: Vec<SpelledRow> = Vec::new();
    for entry in lookup.rows() {
        if !rows.iter().any(|it| is_same(&it.entry, entry)) {
            rows.push(SpelledRow { entry: Arc::clone(entry), spelled: BTreeMap::new() });
        }
    }
    for dialect in Dialect::ALL {
        for (spelling, entry) in meanings(lookup, dialect) {
            if let Some(row) = rows.iter_mut().find(|it| is_same(&it.entry, &entry)) {
                row.spelled.entry(dialect.name()).or_default().push(spelling);
            }
        }
    }
    rows
}

/// What each spelling of a dialect means.
pub(super) fn meanings(lookup: &Lookup, dialect: Dialect) -> BTreeMap<String, Arc<Entry>> {
    let mut known: BTreeMap<String, Arc<Entry>> = BTreeMap::new();
    let names = lookup.rows().filter(|_| dialect == Dialect::Native);
    let names = names.map(|it| (it.code.to_string(), it));
    let spellings = lookup.spellings(dialect).map(|(spelling, row)| (spelling.to_owned(), row));
    let numbers = lookup.numbers().filter(|_| dialect == Dialect::Rpc);
    let numbers = numbers.map(|(number, row)| (number.to_string(), row));
    for (spelling, row) in names.chain(spellings).chain(numbers) {
        known.entry(spelling).or_insert_with(|| Arc::clone(row));
    }
    known
}

pub(super) fn is_same(one: &Entry, other: &Entry) -> bool {
    one.registry == other.registry && one.code == other.code
}

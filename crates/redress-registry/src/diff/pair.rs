//! `Both`: the two registries side by side, and the changes found so far.

use std::collections::BTreeMap;

use semver::Version;
use serde_json::{Map, Value, json};

use super::{Change, Witness};
use crate::{
    Allow, Entry, Registry, Stability, Tool, canonical,
    finding::filled,
    rule::{Impact, Rule},
};

/// The two registries side by side, and the changes found so far.
pub(super) struct Both<'a> {
    pub(super) old: &'a Registry,
    pub(super) new: &'a Registry,
    found: Vec<Change>,
}

/// A code that both have.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) old: &'a Entry,
    pub(super) new: &'a Entry,
}

/// Parts of a message.
pub(super) type Context<const N: usize> = [(&'static str, Value); N];

impl<'a> Both<'a> {
    pub(super) const fn new(old: &'a Registry, new: &'a Registry) -> Self {
        Self { old, new, found: Vec::new() }
    }

    /// The codes that both have, in the order of the new one.
    pub(super) fn pairs(&self) -> impl Iterator<Item = Pair<'a>> + use<'a> {
        let old = self.old;
        self.new.codes.values().filter_map(|new| Some(Pair { old: old.get(&new.code)?, new }))
    }

    /// A change of the registry as a whole.
    pub(super) fn whole<const N: usize>(
        &mut self,
        rule: &'static Rule,
        (before, after): (Option<Value>, Option<Value>),
        message: &'static str,
        context: Context<N>,
    ) -> &mut Self {
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        self.add(rule, Witness { before, after }, message, context)
    }

    /// A change of a code; `field` is the member of the row that shows it.
    pub(super) fn code<const N: usize>(
        &mut self,
        rule: &'static Rule,
        (code, field): (&str, &str),
        message: &'static str,
        context: Context<N>,
    ) -> &mut Self {
        let before = wire(self.old, code, field);
        let after = wire(self.new, code, field);
        self.add(rule, Witness { before, after }, message, context);
        let was = self.old.get(code).or_else(|| self.new.get(code)).map(|it| it.stability);
        if let Some(last) = self.found.last_mut() {
            last.code = Some(code.to_owned());
            if was == Some(Stability::Draft) && !rule.holds_for_drafts() {
                last.severity = last.severity.max(Impact::Text);
            }
        }
        self
    }

    /// A change of a tool.
    pub(super) fn tool<const N: usize>(
        &mut self,
        rule: &'static Rule,
        tool: &str,
        message: &'static str,
        context: Context<N>,
    ) -> &mut Self {
        let wire = |it: &Registry| it.tools.get(tool).map_or(Value::Null, tool_wire);
        let witness = Witness { before: wire(self.old), after: wire(self.new) };
        self.add(rule, witness, message, context);
        if let Some(last) = self.found.last_mut() {
            last.tool = Some(tool.to_owned());
        }
        self
    }

    /// The change just found weighs only this much.
    pub(super) fn only(&mut self, impact: Impact) {
        if let Some(last) = self.found.last_mut() {
            last.severity = last.severity.max(impact);
        }
    }

    /// The change just found weighs this much, whatever its rule says.
    pub(super) fn set(&mut self, impact: Impact) {
        if let Some(last) = self.found.last_mut() {
            last.severity = impact;
        }
    }

    /// The change just found, which is one of a tool, is about this code.
    pub(super) fn about(&mut self, code: &str) {
        let entry = self.new.get(code).or_else(|| self.old.get(code));
        let is_draft = entry.is_some_and(|it| it.stability == Stability::Draft);
        if let Some(last) = self.found.last_mut() {
            last.code = Some(code.to_owned());
        }
        if is_draft {
            self.only(Impact::Text);
        }
    }

    fn add<const N: usize>(
        &mut self,
        rule: &'static Rule,
        witness: Witness,
        message: &'static str,
        context: Context<N>,
    ) -> &mut Self {
        let context: Map<_, _> =
            context.map(|(key, it)| (key.to_owned(), it)).into_iter().collect();
        let (severity, who) = rule.impact();
        self.found.push(Change {
            rule: rule.id,
            severity,
            who,
            code: None,
            tool: None,
            message: filled(message, &context),
            context,
            fix: rule.how_to_fix.to_owned(),
            witness,
            allowed: None,
        });
        self
    }

    /// The changes, the worst first, with the exceptions that the new registry makes.
    pub(super) fn into_changes(self) -> Vec<Change> {
        let allows = allows(self.new);
        let mut changes = self.found;
        for change in changes.iter_mut().filter(|it| it.severity != Impact::Forbidden) {
            let mut items = change.code.iter().chain(&change.tool);
            let why = items.find_map(|it| allows.get(&(change.rule, it.as_str())));
            change.allowed = why.map(|it| (*it).to_owned());
        }
        changes.sort_by_key(|it| it.severity);
        changes
    }
}

/// The exceptions that are not over, by rule and code.
fn allows(registry: &Registry) -> BTreeMap<(&str, &str), &str> {
    let now = Version::parse(&registry.version).ok();
    let is_over = |it: &Allow| {
        let end = Version::parse(&it.until).ok();
        end.zip(now.as_ref()).is_some_and(|(end, now)| end <= *now)
    };
    let running = registry.allows.iter().filter(|it| !is_over(it));
    running.map(|it| ((it.rule.as_str(), it.code.as_str()), it.why.as_str())).collect()
}

/// What a reader of the wire sees of a code, and the member that changed.
fn wire(registry: &Registry, code: &str, field: &str) -> Value {
    if let Some(entry) = registry.get(code) {
        let row = canonical::entry(entry);
        let mut members = Map::new();
        members.insert("code".into(), code.into());
        for member in ["number", "class", "http", "retry", "effect", field] {
            if let Some(value) = row.get(member) {
                members.insert(member.into(), value.clone());
            }
        }
        let shown = |name: &str| entry.param(name).is_none_or(|it| !it.secret);
        let details = entry.example.iter().filter(|it| shown(it.0));
        let details: Map<_, _> = details.map(|(name, it)| (name.clone(), it.clone())).collect();
        members.insert("details".into(), Value::Object(details));
        return Value::Object(members);
    }
    registry
        .retired
        .get(code)
        .map_or(Value::Null, |it| json!({ "retired": code, "to": it.to, "number": it.number }))
}

fn tool_wire(tool: &Tool) -> Value {
    json!({ "may": tool.may, "read_only": tool.read_only, "idempotent": tool.idempotent })
}

//! The diff: what a new version of a registry does to those who rely on the old one.
//!
//! Every change names the rule that judges it, who notices, and a witness: the wire before and
//! after. The changes together ask for a version; the report says whether the new one is enough.

mod deprecation;
mod fields;
mod identity;
mod pair;
mod params;
mod rules;
mod tools;
mod version;

use serde_json::{Map, Value, json};

use crate::{
    Registry,
    rule::{Impact, Rule, Who},
};
use pair::Both;
pub use version::Bump;

/// What changed from one registry to the next, and the version that it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffReport {
    /// The changes, the worst first.
    pub changes: Vec<Change>,
    /// The least step of the version that the changes allow.
    pub required_bump: Bump,
    /// The step that the version took.
    pub declared_bump: Bump,
    /// Whether the step is large enough.
    pub ok: bool,
}

/// One change and its judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The id of the rule.
    pub rule: &'static str,
    /// What it does to those who rely on the old one.
    pub severity: Impact,
    /// Who notices.
    pub who: Who,
    /// The code that changed.
    pub code: Option<String>,
    /// The tool that changed.
    pub tool: Option<String>,
    /// What changed, one sentence.
    pub message: String,
    /// Every part of the message that is not the same each time.
    pub context: Map<String, Value>,
    /// How to avoid the break, one sentence.
    pub fix: String,
    /// What a reader of the wire saw, and what it sees now; null where there is nothing.
    pub witness: Witness,
    /// Why the new registry makes an exception; the change then needs only a patch version.
    pub allowed: Option<String>,
}

/// The wire before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Witness {
    /// In the old registry.
    pub before: Value,
    /// In the new one.
    pub after: Value,
}

/// Compares two registries, or a lock and a registry.
pub fn diff(old: &Registry, new: &Registry) -> DiffReport {
    let mut both = Both::new(old, new);
    identity::judge(&mut both);
    fields::judge(&mut both);
    tools::judge(&mut both);
    let changes = both.into_changes();
    let required_bump = changes.iter().map(Change::bump).max().unwrap_or(Bump::None);
    let declared_bump = version::declared(&old.version, &new.version);
    let ok = required_bump != Bump::Impossible && required_bump <= declared_bump;
    DiffReport { changes, required_bump, declared_bump, ok }
}

/// Every rule of the diff, in the order of their ids.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::ALL.iter().copied()
}

impl Change {
    /// The step of the version that this change asks for.
    pub fn bump(&self) -> Bump {
        match self.severity {
            Impact::Forbidden => Bump::Impossible,
            _ if self.allowed.is_some() => Bump::Patch,
            Impact::Breaking => Bump::Major,
            Impact::Risky | Impact::Additive => Bump::Minor,
            Impact::Text => Bump::Patch,
        }
    }

    /// The change as JSON.
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        let mut put = |key: &str, value: Value| json.insert(key.into(), value);
        put("rule", self.rule.into());
        put("severity", self.severity.name().into());
        put("who", self.who.name().into());
        for (key, item) in [("code", &self.code), ("tool", &self.tool)] {
            if let Some(item) = item {
                put(key, item.as_str().into());
            }
        }
        put("message", self.message.as_str().into());
        put("context", Value::Object(self.context.clone()));
        put("fix", self.fix.as_str().into());
        put("witness", json!({ "before": self.witness.before, "after": self.witness.after }));
        if let Some(why) = &self.allowed {
            put("allowed", why.as_str().into());
        }
        Value::Object(json)
    }
}

impl DiffReport {
    /// The report as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "ok": self.ok,
            "required_bump": self.required_bump.name(),
            "declared_bump": self.declared_bump.name(),
            "changes": self.changes.iter().map(Change::to_json).collect::<Vec<_>>(),
        })
    }
}

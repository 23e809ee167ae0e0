//! `Finding`: the one shape of everything that any rule has to say about a file.

use std::ops::Range;

use serde_json::{Map, Value, json};

use crate::{
    Place,
    problems::cut,
    rule::{Level, Rule},
    template::{Part, parts},
};

/// One thing that one rule found at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The id of the rule.
    pub rule: &'static str,
    /// How much it weighs.
    pub level: Level,
    /// The code it is about.
    pub code: Option<String>,
    /// Where it begins.
    pub place: Place,
    /// The bytes it covers.
    pub span: Range<usize>,
    /// What is wrong, one sentence.
    pub message: String,
    /// Every part of the message that varies, so that programs need not parse it.
    pub context: Map<String, Value>,
    /// How to fix it, one sentence.
    pub fix: String,
}

impl Finding {
    /// What a rule found at a place. The message is a template over `context`: a part of it that
    /// is not in the context cannot be said.
    pub fn new(
        rule: &Rule,
        (place, span): (Place, Range<usize>),
        message: &str,
        context: Map<String, Value>,
    ) -> Self {
        Self {
            rule: rule.id,
            level: rule.level(),
            code: None,
            place,
            span,
            message: filled(message, &context),
            context,
            fix: rule.how_to_fix.to_owned(),
        }
    }

    /// The codes it is about: one, or both halves of a pair.
    pub fn concerned(&self) -> impl Iterator<Item = &str> {
        let other = self.context.get("other").and_then(Value::as_str);
        self.code.as_deref().into_iter().chain(other)
    }

    /// The finding as JSON.
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        json.insert("rule".into(), self.rule.into());
        json.insert("level".into(), self.level.name().into());
        if let Some(code) = &self.code {
            json.insert("code".into(), code.as_str().into());
        }
        json.insert("file".into(), (&*self.place.file).into());
        json.insert("line".into(), self.place.line.into());
        json.insert("column".into(), self.place.column.into());
        json.insert("span".into(), json!([self.span.start, self.span.end]));
        json.insert("message".into(), self.message.as_str().into());
        json.insert("context".into(), Value::Object(self.context.clone()));
        json.insert("fix".into(), self.fix.as_str().into());
        Value::Object(json)
    }
}

/// A part of a message.
pub(crate) fn part(key: &'static str, value: impl Into<Value>) -> (&'static str, Value) {
    (key, value.into())
}

/// A message with the parts that change put in.
pub(crate) fn filled(message: &str, context: &Map<String, Value>) -> String {
    parts(message)
        .map_while(Result::ok)
        .map(|part| match part {
            Part::Text(text) => text.to_owned(),
            Part::Param(name) => context.get(name).map(shown).unwrap_or_default(),
        })
        .collect()
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| cut(&value.to_string()), cut)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::filled;

    #[test]
    fn a_message_shows_values_short_and_harmless() {
        let context =
            json!({"name": "a\u{1b}[31m\u{202e}b", "long": "x".repeat(99), "quoted": "it's"});
        let filled = |it| filled(it, context.as_object().unwrap());
        assert_eq!(filled("<{name}>"), "<a\\u{1b}[31m\\u{202e}b>");
        assert_eq!(filled("{long}"), format!("{}…", "x".repeat(60)));
        assert_eq!(filled("{quoted}"), "it's");
    }
}

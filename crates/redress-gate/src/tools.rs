//! `Tools`: what is known of a server's tools, learnt from the lists that pass.

use redress::{
    json::{Kind, Value},
    outcome::ToolTraits,
};

use crate::mirrors::Mirrors;

/// What is known of the tools.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    names: Vec<String>,
    facts: Vec<Tool>,
    /// All pages of the list were seen.
    is_complete: bool,
    /// Another process told it, which may have had others.
    is_old: bool,
    own: Own,
    /// The arguments that stand in headers, too.
    pub(crate) mirrors: Mirrors,
}

/// Whether we ask for the list ourselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Own {
    /// Only if a failure is told better with it.
    #[default]
    Perhaps,
    /// Before the next call: it was known before it changed, or a failure would have been another one with it.
    Wanted,
    /// We did since it last changed.
    Asked,
}

/// What is known of one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tool {
    /// Its results have a schema, so that a failure must not fill `structuredContent`.
    pub(crate) has_output_schema: bool,
    read_only: bool,
    idempotent: bool,
}

impl Tool {
    /// What a failure of the tool may have done.
    pub(crate) const fn traits(self, trusted: bool) -> ToolTraits {
        ToolTraits { read_only: self.read_only, idempotent: self.idempotent, trusted }
    }
}

impl Tools {
    /// The tool of that name, if it was listed.
    pub(crate) fn get(&self, name: &str) -> Option<Tool> {
        let at = self.names.iter().position(|it| it == name)?;
        self.facts.get(at).copied()
    }

    /// Every tool, if the whole list was seen.
    pub(crate) fn all(&self) -> Option<&[String]> {
        self.is_complete.then_some(self.names.as_slice())
    }

    /// Whether asking for the list would tell more; it is asked for once.
    pub(crate) fn is_worth_asking(&self, name: &str) -> bool {
        self.own != Own::Asked && (!self.is_complete || self.is_old) && self.get(name).is_none()
    }

    /// Notes that the list was asked for.
    pub(crate) const fn asked(&mut self) {
        self.own = Own::Asked;
    }

    /// A call failed without an answer, and nobody knows what its tool does.
    pub(crate) fn want(&mut self, name: &str) {
        if self.own == Own::Perhaps && self.get(name).is_none() {
            self.own = Own::Wanted;
        }
    }

    /// Whether the list is to be asked for before a call: a failure without an answer leaves no time for that.
    pub(crate) fn is_wanted(&self) -> bool {
        self.own == Own::Wanted
    }

    /// Forgets everything: the list has changed.
    pub(crate) fn forget(&mut self) {
        let is_wanted = self.is_complete || self.is_wanted();
        let own = if is_wanted { Own::Wanted } else { Own::Perhaps };
        *self = Self { own, ..Self::default() };
    }

    /// The server is a new process. Its tools are most likely the same, and a failure must not look another way until they are listed.
    pub(crate) const fn outlive_process(&mut self) {
        self.is_old = true;
        if matches!(self.own, Own::Asked) {
            self.own = Own::Perhaps;
        }
    }

    /// Takes in one page of the list, and gives the cursor of the next one.
    pub(crate) fn learn<'d>(&mut self, result: Value<'d>, is_first: bool) -> Option<Value<'d>> {
        // What is no list tells nothing, least of all that there are no tools.
        let tools = result.get("tools").filter(|it| it.kind() == Kind::Array)?;
        if is_first {
            self.names.clear();
            self.facts.clear();
            self.is_old = false;
        }
        for tool in tools.elements() {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            self.mirrors.learn_tool(tool);
            let hint = |key| tool.path(&["annotations", key]).and_then(Value::as_bool);
            self.names.push(name.into_owned());
            self.facts.push(Tool {
                has_output_schema: tool.get("outputSchema").is_some_and(|it| !it.is_null()),
                read_only: hint("readOnlyHint") == Some(true),
                idempotent: hint("idempotentHint") == Some(true),
            });
        }
        let next = result.get("nextCursor").filter(|it| it.kind() == Kind::String);
        self.is_complete = next.is_none();
        next
    }
}

#[cfg(test)]
mod tests {
    use redress::json::{Doc, Limits, Value};

    use super::Tools;

    #[test]
    fn a_list_is_known_when_its_last_page_was_seen() {
        let mut tools = Tools::default();
        assert!(tools.is_worth_asking("a"));
        let mut page = |text: &str, is_first| {
            let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
            let next = tools.learn(doc.root(), is_first);
            next.and_then(Value::as_str).map(std::borrow::Cow::into_owned)
        };
        let first =
            r#"{"tools":[{"name":"a","annotations":{"readOnlyHint":true}}],"nextCursor":"2"}"#;
        assert_eq!(page(first, true).as_deref(), Some("2"));
        assert_eq!(page(r#"{"tools":[{"name":"b","outputSchema":{}}]}"#, false), None);
        assert_eq!(tools.all(), Some(&["a".to_owned(), "b".to_owned()][..]));
        assert!(tools.get("a").unwrap().traits(true).harmless());
        assert!(tools.get("b").unwrap().has_output_schema);
        assert!(!tools.is_worth_asking("c") && !tools.is_wanted());
        tools.forget();
        assert_eq!(tools.all(), None);
        assert!(tools.is_wanted() && tools.is_worth_asking("a"), "it was of use");
    }

    #[test]
    fn an_answer_without_a_list_is_no_empty_list() {
        let mut tools = Tools::default();
        for text in ["{}", r#"{"tools":null}"#, r#"{"tools":{"name":"a"}}"#] {
            let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
            assert!(tools.learn(doc.root(), true).is_none());
            assert_eq!(tools.all(), None, "{text}");
        }
    }
}
